"""Words of laws: what one asks for, whether the draft has it, what time it gives, and how old its file is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.capabilities.enforcement.messages import Jurisdiction, MissingElement, StrikePreview
from app.console.language import tr
from app.console.pages.enforcement.words import span
from app.console.theme.tokens import Meaning, sentence_case

NATURES = {
    "nudity": tr("Nudity"),
    "impersonation": tr("Impersonation"),
    "morphed": tr("Morphed picture"),
    "other": tr("Other likeness"),
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
    "/declarant/email": "E-mail",
    "/declarant/postal_address": tr("Postal address"),
    "/declarant/phone": tr("Telephone"),
    "/declarant/attested": tr("Typed name"),
    "/work": tr("Copyrighted work"),
    "/work/title": tr("Title of the work"),
    "/work/owner": tr("Owner of the copyright"),
    "/nature": tr("Nature"),
    "/node_id": tr("Person concerned"),
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
    names = dict.fromkeys(FIELDS[one] for one in pointers if one in FIELDS)
    return tr("Waits for: {names}", names=", ".join(names).lower()) if names else tr("Not there yet")


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


def law_title(law: Jurisdiction) -> str:
    """As the list of laws shows it."""
    return f"{law.code} · {law.title}"


def clock_words(law: Jurisdiction, nature: str | None) -> str:
    """What time the law gives a platform, and when it is asked again."""
    again = tr("asked again after {follow_up_hours} h", follow_up_hours=law.follow_up_hours)
    if law.hours:
        hours = law.hours.get(nature or "", law.hours.get(""))
        if hours is not None and (nature is not None or len(law.hours) == 1):
            return tr("{span} from sending", span=span(hours * 3600))
        by_time: dict[int, list[str]] = {}
        for key, time in law.hours.items():
            by_time.setdefault(time, []).append(_nature(key))
        return "; ".join(f"{span(time * 3600)} for {' and '.join(names)}" for time, names in by_time.items())
    if law.goal_hours is not None:
        return tr("no hours in the law; the goal is {span}, {again}", span=span(law.goal_hours * 3600), again=again)
    return tr("no hours in the law; {again}", again=again)


def _nature(key: str) -> str:
    return NATURES[key].lower() if key in NATURES else tr("every other")


def review_words(law: Jurisdiction) -> str:
    """How old the file of a law is."""
    return tr("as of {as_of}, review due {review_due}", as_of=law.as_of, review_due=law.review_due)


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
            tr("This file is past its review of {review_due}: the law may have changed.", review_due=law.review_due),
            held,
        )
    if not law.signed_off:
        return Meaning.WARN, tr("No lawyer has signed this file off."), held
    return Meaning.OK, "", ""


def signed_words(law: Jurisdiction) -> str:
    """Who signed the file off."""
    if law.reviewed_by is None:
        return tr("nobody yet")
    return f"{law.reviewed_by}, {law.reviewed_on or 'no date'}{'' if law.signed_off else ': no longer holds'}"


def law_paper(law: Jurisdiction, watch: Sequence[tuple[str, str, str]]) -> str:
    """All that the file of a law says of itself, as a text. ``watch``: code, title and note of bills, which are no
    law."""
    lines = [
        law.title,
        tr(
            "Code {code}; in force from {in_force_from}; {review_words}",
            code=law.code,
            in_force_from=law.in_force_from,
            review_words=review_words(law),
        ),
    ]
    lines += [
        tr("Signed off by: {signed_words}", signed_words=signed_words(law)),
        tr("Goes to: {recipient}", recipient=law.recipient),
    ]
    lines += [
        tr("Time: {clock_words}", clock_words=clock_words(law, None))
        + (f" ({law.deadline_basis})" if law.deadline_basis else "")
    ]
    lines += [tr("SHA-256 of the folder: {sha256}", sha256=law.sha256), "", tr("It asks for")]
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
