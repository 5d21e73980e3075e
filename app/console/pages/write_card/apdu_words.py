"""Words for what the APDU table shows: instructions and status words (ISO/IEC 7816-4, SP 800-73-5)."""

from __future__ import annotations

from app.console.language import tr

_INSTRUCTIONS = {
    0x20: "VERIFY",
    0x24: "CHANGE REFERENCE DATA",
    0x2C: "RESET RETRY COUNTER",
    0x47: "GENERATE KEY PAIR",
    0x50: "INITIALIZE UPDATE",
    0x82: "EXTERNAL AUTHENTICATE",
    0x84: "GET CHALLENGE",
    0x87: "GENERAL AUTHENTICATE",
    0xA4: "SELECT",
    0xC0: "GET RESPONSE",
    0xCA: "GET DATA",
    0xCB: "GET DATA",
    0xD8: "PUT KEY",
    0xDB: "PUT DATA",
    0xF7: "GET METADATA",
    0xF8: "GET SERIAL",
    0xF9: "ATTEST",
    0xFD: "GET VERSION",
    0xFF: "SET MANAGEMENT KEY",
}

_WORDS = {
    0x6200: tr("warning"),
    0x6281: tr("part of the data may be corrupt"),
    0x6300: tr("authentication failed"),
    0x6581: tr("memory failure"),
    0x6700: tr("wrong length"),
    0x6881: tr("logical channel not supported"),
    0x6882: tr("secure messaging not supported"),
    0x6883: tr("last command of the chain expected"),
    0x6884: tr("chaining not supported"),
    0x6982: tr("security status not satisfied"),
    0x6983: tr("blocked"),
    0x6984: tr("reference data not usable"),
    0x6985: tr("conditions not satisfied"),
    0x6986: tr("command not allowed"),
    0x6987: tr("secure messaging object missing"),
    0x6988: tr("secure messaging object wrong"),
    0x6A80: tr("wrong data"),
    0x6A81: tr("function not supported"),
    0x6A82: tr("not found"),
    0x6A84: tr("no room on the card"),
    0x6A86: tr("wrong parameters"),
    0x6A88: tr("reference data not found"),
    0x6B00: tr("wrong parameters"),
    0x6D00: tr("instruction not supported"),
    0x6E00: tr("class not supported"),
    0x6F00: tr("the card gives no reason"),
    0x9000: tr("done"),
}


def instruction_words(header: str) -> str:
    """``PUT DATA`` of the header ``00DB3FFF`` (hexadecimal CLA INS P1 P2); ``INS 5A`` when it is not known."""
    try:
        code = int(header[2:4], 16)
    except ValueError:
        return ""
    return _INSTRUCTIONS.get(code, f"INS {code:02X}")


def status_words(word: str) -> str:
    """``9000 done`` of a status word; ``no answer`` for the empty one."""
    try:
        code = int(word, 16)
    except ValueError:
        return tr("no answer")
    high, low = code >> 8, code & 0xFF
    if high == 0x61:
        meaning = tr("{count} bytes follow", count=low or 256)
    elif high == 0x6C:
        meaning = tr("exact length is {count}", count=low or 256)
    elif code & 0xFFF0 == 0x63C0:
        meaning = tr("{count} tries left", count=low & 15)
    else:
        meaning = _WORDS.get(code, tr("unknown to this table"))
    return f"{code:04X} {meaning}"
