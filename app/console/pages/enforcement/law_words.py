"""Words of laws: what one asks for, whether the draft has it, what time it gives, and how old its file is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.capabilities.enforcement.messages import Jurisdiction, MissingElement, StrikeEvidence, StrikePreview
from app.console.code_words import code_word
from app.console.language import tr
from app.console.pages.enforcement.words import span
from app.console.theme.tokens import Meaning, sentence_case

_VERDICT = re.compile(r"Verdict ([A-Z_]+)")
"""How the service's words of a scan begin to tell what was judged."""
CHECKING, NOT_CHECKED = tr("Checking"), tr("Not checked")
"""Why a count of what is there is not of now."""
NATURES = {
    "nudity": tr("Nudity"),
    "impersonation": tr("Impersonation"),
    "morphed": tr("Morphed picture"),
    "other": tr("Other likeness"),
}
_NATURES_WITHIN = {
    "nudity": tr("nudity"),
    "impersonation": tr("impersonation"),
    "morphed": tr("morphed picture"),
    "other": tr("other likeness"),
}
FIELDS = {
    "/target_compromise_signature": tr("What shows the fraud"),
    "/enforcement_jurisdiction": tr("Law"),
    "/platforms": tr("Platforms"),
    "/content_urls": tr("Exact addresses"),
    "/statement": tr("Why it is illegal"),
    "/declarant": tr("Declared by"),
    "/declarant/name": tr("Declared by"),
    "/declarant/capacity": tr("In the capacity of"),
    "/declarant/email": tr("E-mail"),
    "/declarant/postal_address": tr("Postal address"),
    "/declarant/phone": tr("Telephone"),
    "/declarant/attested": tr("Typed name"),
    "/work": tr("Copyrighted work"),
    "/work/title": tr("Title of the work"),
    "/work/owner": tr("Owner of the copyright"),
    "/nature": tr("Nature"),
    "/node_id": tr("Person concerned"),
}
_FIELDS_WITHIN = {
    "/target_compromise_signature": tr("what shows the fraud"),
    "/enforcement_jurisdiction": tr("law"),
    "/platforms": tr("platforms"),
    "/content_urls": tr("exact addresses"),
    "/statement": tr("why it is illegal"),
    "/declarant": tr("declared by"),
    "/declarant/name": tr("declared by"),
    "/declarant/capacity": tr("in the capacity of"),
    "/declarant/email": tr("e-mail"),
    "/declarant/postal_address": tr("postal address"),
    "/declarant/phone": tr("telephone"),
    "/declarant/attested": tr("typed name"),
    "/work": tr("copyrighted work"),
    "/work/title": tr("title of the work"),
    "/work/owner": tr("owner of the copyright"),
    "/nature": tr("nature"),
    "/node_id": tr("person concerned"),
}
"""Names of the draft's fields, by the pointer at which the service names them."""


@dataclass(frozen=True)
class ShownElement:
    """One thing that the law asks for: whether it is there, and what is there or missing, in words. ``pointer``: the
    draft's field that supplies it."""

    id: str
    title: str
    basis: str
    there: bool
    detail: str
    pointer: str = ""


def law_elements(
    law: Jurisdiction, preview: StrikePreview | None, there: Mapping[str, str]
) -> tuple[ShownElement, ...]:
    """What the law asks for, in its order, then what is missing beyond it. ``there`` says what each field of the draft
    holds, by pointer; without a ``preview`` nothing is known to be there."""
    missing: dict[str, list[MissingElement]] = {}
    for lack in preview.missing if preview is not None else ():
        missing.setdefault(lack.element, []).append(lack)
    present = set(preview.present) if preview is not None else set()
    found = []
    for element in law.elements:
        pointer = element.pointers[0] if element.pointers else ""
        lacks = missing.pop(element.id, [])
        if element.id in present and not lacks:
            said = "; ".join(dict.fromkeys(there[one] for one in element.pointers if there.get(one)))
            found.append(
                ShownElement(element.id, element.label, element.basis, True, said or tr("It is there"), pointer)
            )
        else:
            detail = _details_of(lacks, element.label) or _waits_for(element.pointers)
            pointer = lacks[0].pointer if lacks else pointer
            found.append(ShownElement(element.id, element.label, element.basis, False, detail, pointer))
    for id_, lacks in missing.items():
        first = lacks[0]
        found.append(ShownElement(id_, _title(first), first.basis, False, _details_of(lacks, ""), first.pointer))
    return tuple(found)


def _details_of(lacks: Sequence[MissingElement], label: str) -> str:
    """What to supply, each sentence once; what it is for stands above it as ``label``."""
    return " ".join(dict.fromkeys(one.detail.removesuffix(f" It is for: {label}.") for one in lacks))


def _waits_for(pointers: Sequence[str]) -> str:
    names = dict.fromkeys(_FIELDS_WITHIN[one] for one in pointers if one in _FIELDS_WITHIN)
    return tr("Waits for: {names}", names=", ".join(names)) if names else tr("Not there yet")


def _title(missing: MissingElement) -> str:
    """A name for what is asked for beyond the law file: that of its field."""
    return field_title(missing.pointer) or sentence_case(missing.element)


def field_title(pointer: str) -> str:
    """Name of the draft's field at a pointer, or at the nearest one above it; empty: there is none."""
    while pointer:
        if pointer in FIELDS:
            return FIELDS[pointer]
        pointer = pointer.rpartition("/")[0]
    return ""


def evidence_words(evidence: StrikeEvidence) -> str:
    """What the signature names, and of a scan what was judged. Its id stands in the field below, and its sign says
    that this site has it."""
    title = evidence.title.replace(f" {evidence.ref}", "").removesuffix(" of this site")
    verdict = next((found[1] for one in evidence.facts if (found := _VERDICT.match(one))), "")
    return f"{title}, {code_word(verdict)}" if verdict else title


def law_title(law: Jurisdiction) -> str:
    """As the list of laws shows it."""
    return f"{law.code} · {law.title}"


def clock_words(law: Jurisdiction, nature: str | None) -> str:
    """What time the law gives a platform, and when it is asked again."""
    again = tr("asked again after {hours} h", hours=law.follow_up_hours)
    if law.hours:
        hours = law.hours.get(nature or "", law.hours.get(""))
        if hours is not None and (nature is not None or len(law.hours) == 1):
            return tr("{span} from sending", span=span(hours * 3600))
        by_time: dict[int, list[str]] = {}
        for key, time in law.hours.items():
            by_time.setdefault(time, []).append(_nature(key))
        return "; ".join(
            tr("{span} for {natures}", span=span(time * 3600), natures=tr(" and ").join(names))
            for time, names in by_time.items()
        )
    if law.goal_hours is not None:
        return tr("no hours in the law; the goal is {span}, {again}", span=span(law.goal_hours * 3600), again=again)
    return tr("no hours in the law; {again}", again=again)


def _nature(key: str) -> str:
    return _NATURES_WITHIN[key] if key in _NATURES_WITHIN else tr("every other")


def review_words(law: Jurisdiction) -> str:
    """How old the file of a law is."""
    return tr("as of {date}, review due {due}", date=law.as_of, due=law.review_due)


def sign_off_note(law: Jurisdiction, *, training: bool) -> tuple[Meaning, str, str]:
    """What a person must know of a law file before signing: past its review, or without a sign-off that holds. Empty
    texts: a lawyer's sign-off holds."""
    held = (
        tr("Training sends to this machine alone; in production everything would be held.")
        if training
        else tr("Everything under it is held.")
    )
    if law.past_review:
        return (
            Meaning.BAD,
            tr("This file is past its review of {date}: the law may have changed.", date=law.review_due),
            held,
        )
    if not law.signed_off:
        return Meaning.WARN, tr("No lawyer has signed this file off."), held
    return Meaning.OK, "", ""


def signed_words(law: Jurisdiction) -> str:
    """Who signed the file off."""
    if law.reviewed_by is None:
        return tr("nobody yet")
    on = law.reviewed_on or tr("no date")
    signed = f"{law.reviewed_by}, {on}"
    return signed if law.signed_off else tr("{signed}: no longer holds", signed=signed)


def law_paper(law: Jurisdiction, watch: Sequence[tuple[str, str, str]]) -> str:
    """All that the file of a law says of itself, as a text. ``watch``: code, title and note of bills, which are no
    law."""
    lines = [
        law.title,
        tr(
            "Code {code}; in force from {date}; {review}",
            code=law.code,
            date=law.in_force_from,
            review=review_words(law),
        ),
    ]
    lines += [
        tr("Signed off by: {person}", person=signed_words(law)),
        tr("Goes to: {recipient}", recipient=law.recipient),
    ]
    lines += [
        tr("Time: {clock}", clock=clock_words(law, None)) + (f" ({law.deadline_basis})" if law.deadline_basis else "")
    ]
    lines += [tr("SHA-256 of the folder: {hash}", hash=law.sha256), "", tr("It asks for")]
    lines += [f"  {one.basis}  {one.label}" for one in law.elements]
    lines += ["", tr("The declarant attests"), f"  {law.attestation}", "", tr("Sources")]
    lines += [f"  {one}" for one in law.sources]
    if law.warnings:
        lines += ["", tr("Take care"), *(f"  {one}" for one in law.warnings)]
    if watch:
        lines += ["", tr("Bills that are no law, and are never cited")]
        lines += [f"  {code}  {title}: {note}" for code, title, note in watch]
    if law.overridden:
        lines += ["", tr("This site's own files stand in place of the shipped ones. What differs:"), "", law.difference]
    return "\n".join(lines)
