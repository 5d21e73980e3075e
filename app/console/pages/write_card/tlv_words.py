"""What is inside an APDU, for people: its elements by name (SP 800-73-5, ISO/IEC 7816-4), one a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.console.language import tr

OBJECTS: Mapping[str, str] = {
    "5FC101": tr("Certificate 9E"),
    "5FC102": "CHUID",
    "5FC103": tr("Fingerprints"),
    "5FC105": tr("Certificate 9A"),
    "5FC106": tr("Security object"),
    "5FC107": tr("Card capabilities"),
    "5FC108": tr("Facial image"),
    "5FC109": tr("Printed information"),
    "5FC10A": tr("Certificate 9C"),
    "5FC10B": tr("Certificate 9D"),
    "5FC10C": tr("Key history"),
    "5FC121": tr("Iris images"),
    "5FFF01": tr("Certificate F9"),
    "7E": tr("Discovery object"),
    "7F61": tr("Biometric templates"),
}
"""SP 800-73-5 part 1, table 3, with Yubico's attestation certificate."""
_APPLICATIONS: Mapping[str, str] = {"A000000308": tr("PIV application"), "A000000151": tr("Security domain")}
"""Applications that are selected, by the beginning of their name: its end is a version."""

_TAGS: Mapping[int, str] = {
    0x4F: tr("Application identifier"),
    0x50: tr("Label"),
    0x53: tr("Object"),
    0x5C: tr("Tag list"),
    0x5F2F: tr("PIN usage policy"),
    0x5F50: tr("Address"),
    0x61: tr("Application property template"),
    0x70: tr("Certificate"),
    0x71: tr("Certificate information"),
    0x79: tr("Coexistent tag authority"),
    0x7C: tr("Dynamic authentication template"),
    0x7E: tr("Discovery object"),
    0x7F49: tr("Public key"),
    0x80: tr("Algorithm"),
    0x81: tr("Modulus"),
    0x82: tr("Exponent"),
    0x86: tr("Point"),
    0xAC: tr("Cryptographic algorithms"),
    0xFE: tr("Error detection code"),
}
_CHUID: Mapping[int, str] = {
    0x30: "FASC-N",
    0x34: tr("Card GUID"),
    0x35: tr("Expires"),
    0x36: tr("Cardholder UUID"),
    0x3E: tr("Issuer signature"),
    0xFE: tr("Error detection code"),
}
_PRINTED: Mapping[int, str] = {
    0x01: tr("Name"),
    0x02: tr("Affiliation"),
    0x04: tr("Expires"),
    0x05: tr("Card serial number"),
    0x06: tr("Issuer"),
    0xFE: tr("Error detection code"),
}
_SECURITY: Mapping[int, str] = {0xBA: tr("Container map"), 0xBB: tr("Signature"), 0xFE: tr("Error detection code")}
_INSIDE: Mapping[str, Mapping[int, str]] = {"5FC102": _CHUID, "5FC109": _PRINTED, "5FC106": _SECURITY}
"""Names below tag 53 that depend on the object."""

_HOLDS = frozenset({0x53, 0x61, 0x79, 0x7C, 0x7E, 0x7F49, 0xAC})
"""Elements that hold elements."""
_MOST_BYTES = 20
_DEEPEST = 4


def object_words(tag: str) -> str:
    """The name of an object or application by its hexadecimal tag; the tag itself when it is not known."""
    name = tag.upper()
    for beginning, words in _APPLICATIONS.items():
        if name.startswith(beginning):
            return words
    return OBJECTS.get(name, name)


def element_lines(data: str, tag: str = "") -> list[str]:
    """The elements of hexadecimal ``data``, those below another indented; ``tag`` names the object that tag 53 is.
    Never raises: what is no TLV is shown as the bytes that it is."""
    try:
        raw = bytes.fromhex(data)
    except ValueError:
        return [data]
    return list(_lines(raw, _TAGS, tag.upper(), 0))


def _lines(data: bytes, names: Mapping[int, str], tag: str, depth: int) -> Iterator[str]:
    """The elements of ``data``, a line each, those inside indented."""
    found = _split(data)
    indent = "  " * depth
    if found is None:
        yield f"{indent}{_bytes(data)}"
        return
    for mark, value in found:
        name = names.get(mark, "")
        head = f"{indent}{mark:02X} {name}".rstrip()
        inner = _INSIDE.get(tag, _TAGS) if mark == 0x53 else _TAGS
        if value and mark in _HOLDS and names is _TAGS and depth < _DEEPEST and _split(value) is not None:
            yield f"{head}, {len(value)} B"
            yield from _lines(value, inner, "", depth + 1)
        elif mark == 0x5C:
            yield f"{head}: {object_words(value.hex())}"
        else:
            yield f"{head}, {len(value)} B: {_bytes(value)}" if value else tr("{head}, empty", head=head)


def _bytes(data: bytes) -> str:
    shown = data[:_MOST_BYTES].hex().upper() + ("…" if len(data) > _MOST_BYTES else "")
    printable = 2 < len(data) <= 3 * _MOST_BYTES and all(0x20 <= byte < 0x7F for byte in data)
    return f"{shown}  “{data.decode('ascii').strip()}”" if printable else shown


def _split(data: bytes) -> list[tuple[int, bytes]] | None:
    """Tag and value of the elements (ISO/IEC 7816-4, 5.2.2); None where the bytes are none."""
    found: list[tuple[int, bytes]] = []
    at = 0
    while at < len(data):
        tag = data[at]
        at += 1
        if tag in (0x00, 0xFF):
            return None
        if tag & 0x1F == 0x1F:
            while True:
                if at >= len(data) or tag > 0xFFFF:
                    return None
                tag = tag << 8 | data[at]
                at += 1
                if not data[at - 1] & 0x80:
                    break
        if at >= len(data):
            return None
        size = data[at]
        at += 1
        if size >= 0x80:
            width = size & 0x7F
            if not 1 <= width <= 3 or at + width > len(data):
                return None
            size = int.from_bytes(data[at : at + width], "big")
            at += width
        if at + size > len(data):
            return None
        found.append((tag, data[at : at + size]))
        at += size
    return found or None
