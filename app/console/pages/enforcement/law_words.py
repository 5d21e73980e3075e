"""Words of laws: what one asks for, whether the draft has it, what time it gives, and how old its file is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.capabilities.enforcement.messages import Jurisdiction, MissingElement, StrikePreview
from app.console.pages.enforcement.words import span
from app.console.theme.tokens import Meaning, sentence_case

NATURES = {
    "nudity": "Nudity",
    "impersonation": "Impersonation",
    "morphed": "Morphed picture",
    "other": "Other likeness",
}
FIELDS = {
    "/target_compromise_signature": "What shows the fraud",
    "/enforcement_jurisdiction": "Law",
    "/platforms": "Platforms",
    "/content_urls": "Exact addresses",
    "/statement": "Why it is illegal",
    "/declarant": "Declared by",
    "/declarant/name": "Declared by",
    "/declarant/capacity": "In the capacity of",
    "/declarant/email": "E-mail",
    "/declarant/postal_address": "Postal address",
    "/declarant/phone": "Telephone",
    "/declarant/attested": "Typed name",
    "/work": "Copyrighted work",
    "/work/title": "Title of the work",
    "/work/owner": "Owner of the copyright",
    "/nature": "Nature",
    "/node_id": "Person concerned",
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
            found.append(ShownElement(element.id, element.label, element.basis, True, said or "It is there", pointer))
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
    return f"Waits for: {', '.join(names).lower()}" if names else "Not there yet"


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
    again = f"asked again after {law.follow_up_hours} h"
    if law.hours:
        hours = law.hours.get(nature or "", law.hours.get(""))
        if hours is not None and (nature is not None or len(law.hours) == 1):
            return f"{span(hours * 3600)} from sending"
        by_time: dict[int, list[str]] = {}
        for key, time in law.hours.items():
            by_time.setdefault(time, []).append(_nature(key))
        return "; ".join(f"{span(time * 3600)} for {' and '.join(names)}" for time, names in by_time.items())
    if law.goal_hours is not None:
        return f"no hours in the law; the goal is {span(law.goal_hours * 3600)}, {again}"
    return f"no hours in the law; {again}"


def _nature(key: str) -> str:
    return NATURES[key].lower() if key in NATURES else "every other"


def review_words(law: Jurisdiction) -> str:
    """How old the file of a law is."""
    return f"as of {law.as_of}, review due {law.review_due}"


def sign_off_note(law: Jurisdiction, *, training: bool) -> tuple[Meaning, str, str]:
    """What a person must know of a law file before signing: past its review, or without a sign-off that holds. Empty
    texts: a lawyer's sign-off holds."""
    held = (
        "Training sends to this machine alone; in production everything would be held."
        if training
        else "Everything under it is held."
    )
    if law.past_review:
        return Meaning.BAD, f"This file is past its review of {law.review_due}: the law may have changed.", held
    if not law.signed_off:
        return Meaning.WARN, "No lawyer has signed this file off.", held
    return Meaning.OK, "", ""


def signed_words(law: Jurisdiction) -> str:
    """Who signed the file off."""
    if law.reviewed_by is None:
        return "nobody yet"
    return f"{law.reviewed_by}, {law.reviewed_on or 'no date'}{'' if law.signed_off else ': no longer holds'}"


def law_paper(law: Jurisdiction, watch: Sequence[tuple[str, str, str]]) -> str:
    """All that the file of a law says of itself, as a text. ``watch``: code, title and note of bills, which are no
    law."""
    lines = [law.title, f"Code {law.code}; in force from {law.in_force_from}; {review_words(law)}"]
    lines += [f"Signed off by: {signed_words(law)}", f"Goes to: {law.recipient}"]
    lines += [f"Time: {clock_words(law, None)}" + (f" ({law.deadline_basis})" if law.deadline_basis else "")]
    lines += [f"SHA-256 of the folder: {law.sha256}", "", "It asks for"]
    lines += [f"  {one.basis}  {one.label}" for one in law.elements]
    lines += ["", "The declarant attests", f"  {law.attestation}", "", "Sources"]
    lines += [f"  {one}" for one in law.sources]
    if law.warnings:
        lines += ["", "Take care", *(f"  {one}" for one in law.warnings)]
    if watch:
        lines += ["", "Bills that are no law, and are never cited"]
        lines += [f"  {code}  {title}: {note}" for code, title, note in watch]
    if law.overridden:
        lines += ["", "This site's own files stand in place of the shipped ones. What differs:", "", law.difference]
    return "\n".join(lines)
