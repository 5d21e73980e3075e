"""What a document says: the values of its placeholders, what is missing, its text, and ``notice.json``.

Texts are rendered by ``string.Template.substitute`` line by line: no code in texts, and a value never becomes a
heading or a placeholder. What is not there yet is printed as such, so that a declaration can be issued at once.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from app.api.wire import rfc3339
from app.capabilities.enforcement.declaration import DocumentLine
from app.capabilities.enforcement.jurisdictions import FIRST_LANGUAGE, SOURCES, ElementFile, Law
from app.capabilities.enforcement.messages import (
    CopyrightWork,
    Declarant,
    DeclarantShown,
    FormField,
    MissingElement,
    NoticeKind,
    StrikeEvidence,
    WorkShown,
)
from app.ledger.tree.leaf import canonical

NOTICE_VERSION: Final = 1
PLATFORMS: Final = "platforms"
DISPATCH_WORK: Final = "dispatch_work"
DISPATCH_ATTESTATION: Final = "dispatch_attestation"
"""Elements beside those of a law: somebody to send to, and what a strike with ``automated_dmca_dispatch`` needs."""
_DISPATCH_BASIS: Final = "automated_dmca_dispatch: 17 U.S.C. 512(c)(3)(A)(vi) and 512(f)"
_HEADING: Final = "# "


class StrikeRecord(msgspec.Struct, kw_only=True):
    """What a declarant has recorded, as the store keeps it. ``attested_us``, ``attested_by``: when the attestation was
    recorded, and by which API key."""

    content_urls: list[str] = []
    statement: str | None = None
    declarant: Declarant | None = None
    work: CopyrightWork | None = None
    nature: str | None = None
    attested_us: int | None = None
    attested_by: str | None = None

    @property
    def attested(self) -> bool:
        """Whether the declarant has attested."""
        return self.declarant is not None and self.declarant.attested

    def declarant_shown(self) -> DeclarantShown | None:
        """For the reply."""
        if self.declarant is None:
            return None
        said = msgspec.structs.asdict(self.declarant)
        at = None if self.attested_us is None else rfc3339(self.attested_us)
        return DeclarantShown(**said, attested_at=at, attested_by=self.attested_by)

    def work_shown(self) -> WorkShown | None:
        """For the reply."""
        return None if self.work is None else WorkShown(**msgspec.structs.asdict(self.work))


@dataclass(frozen=True)
class NoticeFacts:
    """All that the documents of a strike may say. ``target``: the signature as it was given; ``state``: the member
    state that was asked for; ``mandate``: the knot id that authorizes enforcement; ``automated``: whether takedowns
    leave by themselves; ``at_us``: the date of the documents."""

    strike_id: str
    law: Law
    target: str
    automated: bool
    at_us: int
    record: StrikeRecord
    evidence: StrikeEvidence
    state: str | None = None
    mandate: str | None = None
    training: bool = False


@dataclass(frozen=True)
class Words:
    """Words of the service in one language of documents."""

    missing: str
    not_attested: str
    attested: str
    none: str
    unknown: str
    authority: str
    state: str
    work: Mapping[str, str] = field(default_factory=dict)
    nature: Mapping[str, str] = field(default_factory=dict)


WORDS: Final[Mapping[str, Words]] = {
    "en": Words(
        missing="[not supplied]",
        not_attested="[not attested]",
        attested="Attested by {name} on {day} (UTC).",
        none="none",
        unknown="reference given by the declarant",
        authority="Authority: the consent sealed as {knot} names enforcement.mandate.",
        state=", member state {state}",
        work={
            "description": "Description",
            "registration": "Registration",
            "original_url": "Original",
            "sha256": "SHA-256 of the original",
        },
        nature={"nudity": "nudity", "impersonation": "impersonation", "morphed": "morphed", "other": "other"},
    ),
    "de": Words(
        missing="[nicht angegeben]",
        not_attested="[nicht versichert]",
        attested="Versichert von {name} am {day} (UTC).",
        none="keine",
        unknown="Kennzeichen nach Angabe der erklärenden Person",
        authority="Vollmacht: Die als {knot} gesiegelte Einwilligung nennt enforcement.mandate.",
        state=", Mitgliedstaat {state}",
        work={
            "description": "Beschreibung",
            "registration": "Registrierung",
            "original_url": "Original",
            "sha256": "SHA-256 des Originals",
        },
        nature={
            "nudity": "Nacktheit",
            "impersonation": "Identitätstäuschung",
            "morphed": "Montage",
            "other": "Sonstiges",
        },
    ),
}
"""A law in another language takes the English ones."""


def placeholder_values(facts: NoticeFacts, language: str) -> dict[str, str]:
    """What is there of the placeholders that fields supply, by name; those that are missing stand nowhere."""
    words = WORDS.get(language, WORDS[FIRST_LANGUAGE])
    record = facts.record
    found: dict[str, str | None] = {
        "content_urls": "\n".join(record.content_urls) or None,
        "statement": record.statement,
        "nature": None if record.nature is None else words.nature[record.nature],
    }
    declarant = record.declarant
    if declarant is not None:
        contact = [one for one in (declarant.email, declarant.postal_address, declarant.phone) if one is not None]
        found |= {
            "declarant_name": declarant.name,
            "declarant_capacity": declarant.capacity,
            "declarant_email": declarant.email,
            "declarant_contact": "\n".join(contact) or None,
            "attestation": _attestation(facts, language, words) if declarant.attested else None,
        }
    if record.work is not None:
        found |= {"work_title": record.work.title, "work_owner": record.work.owner}
    return {name: value for name, value in found.items() if value is not None}


def missing_elements(facts: NoticeFacts, kind: NoticeKind) -> list[MissingElement]:
    """What the law asks of a document of this kind and is not there, in the order of the law file; then what a strike
    with automated dispatch needs in every jurisdiction."""
    there = placeholder_values(facts, FIRST_LANGUAGE)
    found = []
    for element in facts.law.elements(kind):
        lacking = next((name for name in element.placeholders if name not in there), None)
        if lacking is not None:
            found.append(_missing(element, lacking))
    if facts.automated and facts.record.work is None:
        detail = "Name the copyrighted work: without one, nothing of a strike with automated_dmca_dispatch is sent."
        found.append(_dispatch(DISPATCH_WORK, "/work", detail))
    if facts.automated and not facts.record.attested:
        detail = "The declarant attests: without that, nothing of a strike with automated_dmca_dispatch is sent."
        found.append(_dispatch(DISPATCH_ATTESTATION, "/declarant/attested", detail))
    return found


def present_elements(facts: NoticeFacts, kinds: Sequence[NoticeKind]) -> list[str]:
    """Ids of the law's elements that are there, once each, in the law's order."""
    absent = {one.element for kind in kinds for one in missing_elements(facts, kind)}
    asked = {element.id: None for element in facts.law.file.elements if set(element.kinds) & set(kinds)}
    return [name for name in asked if name not in absent]


def no_platform() -> MissingElement:
    """A strike that names no platform on a site that has none marked as default."""
    detail = "Name platforms, or register one at /v1/registry/platforms and mark it as default."
    return MissingElement(element=PLATFORMS, basis="to whom the documents go", pointer="/platforms", detail=detail)


def merge_missing(lists: Sequence[Sequence[MissingElement]]) -> list[MissingElement]:
    """What is missing anywhere, each element once."""
    found: dict[tuple[str, str], MissingElement] = {}
    for one in (one for each in lists for one in each):
        found.setdefault((one.element, one.pointer), one)
    return list(found.values())


def render_text(
    facts: NoticeFacts, kind: NoticeKind, language: str, *, recipients: Sequence[str], tracking: str
) -> list[DocumentLine]:
    """The document's lines, the first one its title. ``KeyError`` for a language that the law does not have."""
    words = WORDS.get(language, WORDS[FIRST_LANGUAGE])
    there = placeholder_values(facts, language)
    values = {name: there.get(name, words.missing) for name in SOURCES}
    if "attestation" not in there:
        values["attestation"] = f"{words.not_attested} {facts.law.file.attestation[language]}"
    values |= {
        "reference": facts.target if facts.evidence.known else f"{facts.target} ({words.unknown})",
        "evidence": _evidence(facts.evidence),
        "authority": "" if facts.mandate is None else words.authority.format(knot=facts.mandate),
        "recipients": ", ".join(recipients) or words.none,
        "tracking": tracking,
        "date": rfc3339(facts.at_us)[:10],
        "state": "" if facts.state is None else words.state.format(state=facts.state),
        "work_details": _work_details(facts.record.work, words),
    }
    title, *texts = facts.law.text(kind, language).splitlines()
    return [line for template in (f"{_HEADING}{title}", *texts) for line in _lines(template, values)]


def plain_text(lines: Sequence[DocumentLine]) -> str:
    """The lines as the text of a mail."""
    return "\n".join(line.text for line in lines) + "\n"


def form_fields(facts: NoticeFacts, kind: NoticeKind, *, recipients: Sequence[str], tracking: str) -> list[FormField]:
    """What a person copies into a platform's form: each element of the law by its label, then the whole text."""
    there = placeholder_values(facts, FIRST_LANGUAGE)
    fields = [FormField(label="Tracking number", value=tracking)]
    fields += [
        FormField(label=element.label, value="\n".join(there[name] for name in element.placeholders))
        for element in facts.law.elements(kind)
        if all(name in there for name in element.placeholders)
    ]
    text = plain_text(render_text(facts, kind, FIRST_LANGUAGE, recipients=recipients, tracking=tracking))
    return [*fields, FormField(label="Whole text", value=text)]


def notice_json(
    facts: NoticeFacts,
    kind: NoticeKind,
    *,
    notice_id: str,
    tracking: str,
    platform_id: str,
    platform_name: str,
    language: str,
    declaration_sha256: str,
    revision: int,
) -> bytes:
    """``notice.json``, canonical (RFC 8785): the same facts give the same bytes. ``README.md`` has its members."""
    law, record = facts.law, facts.record
    there = placeholder_values(facts, language)
    said: dict[str, object] = {
        "v": NOTICE_VERSION,
        "kind": kind,
        "notice_id": notice_id,
        "strike_id": facts.strike_id,
        "tracking": tracking,
        "issued_at": rfc3339(facts.at_us),
        "training": facts.training,
        "language": language,
        "law": {
            "code": law.code,
            "title": law.file.title,
            "as_of": law.file.as_of,
            "sha256": law.sha256,
            "state": facts.state,
        },
        "platform": {"id": platform_id, "name": platform_name},
        "reference": facts.target,
        "evidence": {
            "kind": facts.evidence.kind,
            "known": facts.evidence.known,
            "title": facts.evidence.title,
            "facts": facts.evidence.facts,
        },
        "authority": facts.mandate,
        "elements": {
            element.id: {"basis": element.basis, "from": element.placeholders} for element in law.elements(kind)
        },
        "values": there,
        "missing": [one.element for one in missing_elements(facts, kind)],
        "content_urls": record.content_urls,
        "work": None if record.work is None else msgspec.to_builtins(record.work),
        "declaration": {"sha256": declaration_sha256, "revision": revision},
        "deadline": {
            "hours": law.file.deadline.hours_for(record.nature),
            "basis": law.file.deadline.basis,
            "goal_hours": law.file.deadline.goal_hours,
        },
    }
    return canonical(said)


def _missing(element: ElementFile, placeholder: str) -> MissingElement:
    source = SOURCES[placeholder]
    return MissingElement(
        element=element.id,
        basis=element.basis,
        pointer=source.pointer,
        detail=f"{source.detail} It is for: {element.label}.",
    )


def _dispatch(element: str, pointer: str, detail: str) -> MissingElement:
    return MissingElement(element=element, basis=_DISPATCH_BASIS, pointer=pointer, detail=detail)


def _attestation(facts: NoticeFacts, language: str, words: Words) -> str:
    """The sentence, and who attested it when."""
    record = facts.record
    name = "" if record.declarant is None else record.declarant.name
    at_us = facts.at_us if record.attested_us is None else record.attested_us
    return f"{facts.law.file.attestation[language]}\n{words.attested.format(name=name, day=rfc3339(at_us)[:10])}"


def _evidence(evidence: StrikeEvidence) -> str:
    return "\n".join([evidence.title, *(f"- {fact}" for fact in evidence.facts)])


def _work_details(work: CopyrightWork | None, words: Words) -> str:
    if work is None:
        return ""
    told = {name: getattr(work, name) for name in words.work}
    return "\n".join(f"{words.work[name]}: {value}" for name, value in told.items() if value is not None)


def _lines(template: str, values: Mapping[str, str]) -> list[DocumentLine]:
    """The lines of one line of a text. One that has nothing but empty values goes."""
    heading = template.startswith(_HEADING)
    said = string.Template(template.removeprefix(_HEADING)).substitute(values)
    if not said.strip() and template.strip():
        return []
    return [DocumentLine(line, heading) for line in said.splitlines() or [""]]
