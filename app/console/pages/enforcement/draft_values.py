"""What stands in the draft, and the body of a strike that is made of it; what cannot be sent is named at its field."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from app.capabilities.enforcement.messages import (
    ContentUrl,
    CopyrightWork,
    Declarant,
    Strike,
    StrikeBody,
    StrikeDetails,
)
from app.console.language import tr
from app.console.pages.enforcement.words import has_left

SHAPES = {
    "/target_compromise_signature": tr("1 to 512 characters."),
    "/content_urls": tr(
        "Addresses with http:// or https://, one a line, without a user; at most 100 of 2,048 characters."
    ),
    "/statement": tr("20 to 5,000 characters."),
    "/declarant/name": tr("2 to 200 characters."),
    "/declarant/capacity": tr("2 to 200 characters."),
    "/declarant/email": tr("An e-mail address, as name@example.org."),
    "/declarant/postal_address": tr("5 to 500 characters."),
    "/declarant/phone": tr("4 to 40 digits, with + ( ) . / - and spaces between them."),
    "/declarant/attested": tr("Type the name as it stands in “Declared by”."),
    "/work/title": tr("1 to 200 characters."),
    "/work/owner": tr("1 to 200 characters."),
    "/work/description": tr("At most 2,000 characters."),
    "/work/registration": tr("At most 200 characters."),
    "/work/original_url": tr("An address with http:// or https://, without a user."),
    "/work/sha256": tr("64 hexadecimal digits."),
    "/node_id": tr("Choose a person, or type a node id: 3 to 64 letters, digits and . _ : -"),
}
_COUNTED = frozenset(SHAPES) - {
    "/declarant/email", "/declarant/phone", "/declarant/attested", "/work/original_url", "/work/sha256", "/node_id",
}  # fmt: skip
"""Fields whose shape is a number of characters."""
MOST_ADDRESSES = 100
_RECORDED = ("content_urls", "statement", "nature")
_DECLARED = ("name", "capacity", "email", "postal_address", "phone")


@dataclass(frozen=True)
class DraftValues:
    """The fields as they stand there. ``typed`` is the name under the attestation; ``platforms`` empty: those that are
    marked as default."""

    signature: str = ""
    law: str = ""
    dispatch: bool = False
    node_id: str = ""
    platforms: tuple[str, ...] = ()
    addresses: str = ""
    statement: str = ""
    name: str = ""
    capacity: str = ""
    email: str = ""
    postal_address: str = ""
    phone: str = ""
    typed: str = ""
    nature: str = ""
    work: Mapping[str, str] | None = None
    """By the fields of ``CopyrightWork``; None: the law asks for none."""

    @property
    def attested(self) -> bool:
        """Whether the name under the attestation is that of the declarant: blanks aside, letter by letter."""
        return bool(_blanks(self.typed)) and _blanks(self.typed) == _blanks(self.name)

    @property
    def empty(self) -> bool:
        """Whether nothing was written into it."""
        texts = (self.signature, self.addresses, self.statement, self.name, self.capacity, self.typed, self.node_id)
        return not any(one.strip() for one in texts) and not any((self.work or {}).values())


@dataclass(frozen=True)
class MadeBody:
    """``body`` has all that can be sent; None: the signature or the law is missing. ``faults``: what is wrong with a
    field, by its pointer; such a field is left out of the body."""

    body: StrikeBody | None
    faults: Mapping[str, str]


def made_body(values: DraftValues) -> MadeBody:
    """The body of the draft as it stands."""
    faults: dict[str, str] = {}
    details = _details(values, faults)
    signature = values.signature.strip()
    if len(signature) > 512:
        faults["/target_compromise_signature"] = SHAPES["/target_compromise_signature"]
    if not signature or not values.law or len(signature) > 512:
        return MadeBody(None, faults)
    body = StrikeBody(
        target_compromise_signature=signature,
        enforcement_jurisdiction=values.law,
        automated_dmca_dispatch=values.dispatch,
        **details,
    )
    return MadeBody(body, faults)


def made_details(values: DraftValues) -> tuple[StrikeDetails, Mapping[str, str]]:
    """What supplies a strike that waits for details, and the faults as above."""
    faults: dict[str, str] = {}
    return StrikeDetails(**_details(values, faults)), faults


def _details(values: DraftValues, faults: dict[str, str]) -> dict[str, Any]:
    """The fields that a strike and its details share."""
    found: dict[str, Any] = {}
    if values.platforms:
        found["platforms"] = list(values.platforms)
    if addresses := _addresses(values.addresses, faults):
        found["content_urls"] = addresses
    if statement := _fitting("/statement", values.statement.strip(), StrikeDetails, "statement", faults):
        found["statement"] = statement
    if node_id := _fitting("/node_id", values.node_id.strip(), StrikeDetails, "node_id", faults):
        found["node_id"] = node_id
    if values.nature:
        found["nature"] = values.nature
    if (declarant := _declarant(values, faults)) is not None:
        found["declarant"] = declarant
    if (work := _work(values.work or {}, faults)) is not None:
        found["work"] = work
    return found


def _addresses(text: str, faults: dict[str, str]) -> list[str]:
    """The lines that are addresses; the first one that is none is named."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found: list[str] = []
    for at, line in enumerate(lines, start=1):
        try:
            found.append(msgspec.convert(line, ContentUrl))
        except msgspec.ValidationError:
            faults.setdefault(
                "/content_urls",
                tr("Line {number} is no address: it begins with http:// or https://, without a user.", number=at),
            )
    if len(found) > MOST_ADDRESSES:
        faults["/content_urls"] = tr(
            "{count} addresses; at most {most} go into one strike.",
            count=len(found),
            most=MOST_ADDRESSES,
        )
    return found[:MOST_ADDRESSES]


def _declarant(values: DraftValues, faults: dict[str, str]) -> Declarant | None:
    """The declarant; None while name or capacity is missing or does not fit."""
    parts = {
        key: _fitting(f"/declarant/{key}", " ".join(text.split()), Declarant, key, faults)
        for key, text in (
            ("name", values.name), ("capacity", values.capacity), ("email", values.email),
            ("postal_address", values.postal_address), ("phone", values.phone),
        )
    }  # fmt: skip
    if values.typed.strip() and not values.attested:
        faults["/declarant/attested"] = SHAPES["/declarant/attested"]
    if not parts["name"] or not parts["capacity"]:
        return None
    return Declarant(attested=values.attested, **{key: text for key, text in parts.items() if text})


def _work(texts: Mapping[str, str], faults: dict[str, str]) -> CopyrightWork | None:
    """The work; None while its title or owner is missing or does not fit."""
    parts = {key: _fitting(f"/work/{key}", text.strip(), CopyrightWork, key, faults) for key, text in texts.items()}
    if not parts.get("title") or not parts.get("owner"):
        return None
    return CopyrightWork(**{key: text for key, text in parts.items() if text})


def _fitting(pointer: str, text: str, kind: type[msgspec.Struct], name: str, faults: dict[str, str]) -> str:
    """The text, if its field takes it; else empty, with the fault noted. An empty field is none."""
    if not text:
        return ""
    try:
        msgspec.convert(text, _type_of(kind, name))
    except msgspec.ValidationError:
        faults[pointer] = (
            tr("{shape} This has {count}.", shape=SHAPES[pointer], count=len(text))
            if pointer in _COUNTED
            else SHAPES[pointer]
        )
        return ""
    return text


@functools.cache
def _type_of(kind: type[msgspec.Struct], name: str) -> Any:
    """The type of a field with its bounds; asked for with every key that is typed."""
    return next(one.type for one in msgspec.structs.fields(kind) if one.name == name)


def values_of(strike: Strike) -> DraftValues:
    """The draft of a strike that waits for details, as it was recorded. The attestation is typed anew: it is for what
    the declaration says then."""
    declarant, work = strike.declarant, strike.work
    return DraftValues(
        signature=strike.target_compromise_signature,
        law=strike.law.code,
        dispatch=strike.automated_dmca_dispatch,
        node_id=strike.node_id or "",
        platforms=tuple(dict.fromkeys(one.platform for one in strike.notices)),
        addresses="\n".join(strike.content_urls),
        statement=strike.statement or "",
        name=declarant.name if declarant is not None else "",
        capacity=declarant.capacity if declarant is not None else "",
        email=(declarant.email or "") if declarant is not None else "",
        postal_address=(declarant.postal_address or "") if declarant is not None else "",
        phone=(declarant.phone or "") if declarant is not None else "",
        nature=strike.nature or "",
        work={key: value or "" for key, value in msgspec.structs.asdict(work).items()} if work is not None else None,
    )


def fixed_fields(strike: Strike) -> set[str]:
    """Fields that stay as they are while details of a strike are supplied: what it is, and once something of it has
    left all that was recorded."""
    found = {"/enforcement_jurisdiction", "/target_compromise_signature"}
    if not has_left(strike):
        return found
    found |= {"/platforms", "/node_id"} | {f"/{name}" for name in _RECORDED if getattr(strike, name)}
    if strike.work is not None:
        found |= {f"/work/{name}" for name in CopyrightWork.__struct_fields__}
    if strike.declarant is not None:
        found |= {f"/declarant/{name}" for name in _DECLARED if getattr(strike.declarant, name) is not None}
    return found


def supplement(details: StrikeDetails, strike: Strike) -> StrikeDetails:
    """The details without what stays as it is; of the declarant, who attests what is added, to the letter as it was
    recorded."""
    if not has_left(strike):
        return details
    fixed = fixed_fields(strike)
    gone = {name: None for name in ("platforms", "node_id", *_RECORDED) if f"/{name}" in fixed}
    if strike.work is not None:
        gone["work"] = None
    declarant, recorded = details.declarant, strike.declarant
    if declarant is not None and recorded is not None:
        same = {name: getattr(recorded, name) for name in _DECLARED if f"/declarant/{name}" in fixed}
        declarant = msgspec.structs.replace(declarant, **same)
    return msgspec.structs.replace(details, **gone, declarant=declarant)


def field_words(values: DraftValues, evidence: str) -> dict[str, str]:
    """What each field holds, in words, by its pointer; ``evidence``: what the signature names."""
    addresses = [line for line in values.addresses.splitlines() if line.strip()]
    count = len(values.statement.strip())
    work = values.work or {}
    title, owner = work.get("title", "").strip(), work.get("owner", "").strip()
    found = {
        "/target_compromise_signature": evidence or values.signature.strip(),
        "/content_urls": _addresses_words(len(addresses)),
        "/statement": tr("{count} characters", count=count) if count else "",
        "/declarant/name": _blanks(values.name),
        "/declarant/capacity": _blanks(values.capacity),
        "/declarant/email": values.email.strip(),
        "/declarant/postal_address": _blanks(values.postal_address),
        "/declarant/phone": values.phone.strip(),
        "/declarant/attested": tr("Attested by {name}", name=_blanks(values.typed)) if values.attested else "",
        "/work": tr("{title} by {owner}", title=title, owner=owner) if title and owner else title or owner,
        "/work/title": title,
        "/work/owner": owner,
        "/node_id": values.node_id.strip(),
    }
    found["/declarant"] = ", ".join(one for one in (found["/declarant/name"], found["/declarant/capacity"]) if one)
    return found


def _addresses_words(count: int) -> str:
    if not count:
        return ""
    return tr("1 address") if count == 1 else tr("{count} addresses", count=count)


def _blanks(text: str) -> str:
    """One space between words, none at the ends."""
    return " ".join(text.split())
