"""How one card differs from another: quirk switches (seen on independent PIV cards) and tear switches."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class PinAlways(StrEnum):
    """When the signature key 9C takes a PIN verification for its own (SP 800-73-5 part 1, "PIN Always")."""

    CONSUMED = "consumed"
    """Each use of 9C needs a VERIFY that no private key has used yet; other commands may stand between."""
    IMMEDIATE = "immediate"
    """The VERIFY must be the command just before."""
    OFF = "off"
    """Once a session, like 9A."""


class AttestationQuirk(StrEnum):
    """What instruction F9 answers."""

    CHAIN = "chain"
    """A leaf under the card's F9 certificate, which the training maker root has signed."""
    SELF_SIGNED = "self_signed"
    """The F9 certificate is self-signed and no CA: `openssl verify` answers 79."""
    CUT = "cut"
    """The leaf lacks its last byte and is no DER."""


MANAGEMENT_ALGORITHMS: Final = (0x03, 0x08, 0x0A, 0x0C)
"""3DES, AES-128, AES-192, AES-256 (SP 800-78-5, table 7)."""

ALGORITHMS: Final = (0x11, 0x14, 0x07, 0x05)
"""P-256, P-384, RSA-2048, RSA-3072 (SP 800-78-5, table 9)."""

SHORT_COMMAND: Final = 261
"""Longest command APDU in short form: header, Lc, 255 bytes, Le."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirks:
    """Switches of one card; the defaults are a card that follows SP 800-73-5 and knows Yubico's extensions.

    Status words are the 16-bit integers that the card answers.
    """

    # Transport
    starves_without_le: bool = False
    """GET DATA without Le is answered `61xx` with no bytes, and so is every GET RESPONSE after it."""
    whole_responses: bool = False
    """More than 256 bytes come in one piece even where a short Le allows 256 only."""
    remaining_counts_status: bool = False
    """`61xx` counts the two status bytes as well: 302 bytes come as 256 and `6130`."""
    exact_le: bool = False
    """GET DATA with a short Le that is not the very length is answered `6Cxx`."""
    longest_command: int = 3072
    """Longest command APDU in bytes; `SHORT_COMMAND` or less means no extended length."""
    too_long_status: int = 0x6700
    """Status for a command above `longest_command`."""

    # Instructions and objects
    refusals: dict[int, int] = field(default_factory=dict)
    """PIV instruction to the status it is always refused with: `{0xF9: 0x6D00}` is a card without attestation."""
    refused_objects: frozenset[int] = frozenset()
    """Data objects that do not exist here: PUT DATA answers 6A82 at its first block."""
    unknown_select_status: int = 0x6A82
    """Status for SELECT of an application that is not here; the one selected before stays selected."""
    keeps_partial_chain: bool = False
    """Torn inside a chained PUT DATA the object keeps the bytes that had come."""
    cplc_status: int = 0x9000
    """Status of GET DATA 9F7F in the security domain; the CPLC itself comes with 9000 only."""
    secure_channel: bool = True
    """SCP03 with the default keys; False: class 04 is 6882 and INITIALIZE UPDATE an unknown class."""
    algorithms: tuple[int, ...] = ALGORITHMS
    """Algorithms of the keys that GENERATE makes; 6A80 for others."""
    empty_contactless_uid: bool = False
    """FFCA answers 9000 with no bytes instead of 6E00."""

    # References and keys
    pin_tries: int = 3
    """Tries of PIN and PUK, 1 to 15."""
    blocked_values: int = 0
    """So many of the new PINs, and of the new PUKs, are on the card's list of blocked values: the first ones it is sent
    (Yubico's PIN complexity). A blocked value stays blocked, and its refusal costs no try."""
    blocked_status: int = 0x6985
    """Status for a blocked value: Yubico answers 6985, SP 800-73-5 part 2 (3.2.2, 3.2.3) says 6A80."""
    judges_old_first: bool = True
    """Whether the old PIN or PUK is compared before the new one is judged."""
    puk_digits_only: bool = False
    """A new PUK must be eight digits (6A80 otherwise)."""
    factory_management: int = 0x03
    """Algorithm of the factory management key, one of `MANAGEMENT_ALGORITHMS`."""
    transport_puk: bool = False
    """The maker set a PUK of its own (`state.TRANSPORT_PUK`) in the place of the published one."""
    transport_management: bool = False
    """The maker set a management key of its own (`state.transport_management_key`), not the published one."""
    management_tries: int | None = None
    """Wrong answers to 9B after which it is blocked (6983) for good; None: they are not counted."""
    management_algorithms: tuple[int, ...] = MANAGEMENT_ALGORITHMS
    """Algorithms that instruction FF takes; 6700 for others."""
    management_import: bool = False
    """9B is set by CHANGE REFERENCE DATA over the secure channel, in the cipher that it has (6A88 for others), and the
    application calls itself OpenFIPS201."""
    pin_always: PinAlways = PinAlways.CONSUMED
    """How strict key 9C is about the PIN."""
    printed_needs_pin: bool = True
    """Object 5FC109 is refused with 6982 before a PIN verification (SP 800-73-5 part 1, table 2)."""
    factory_chuid: bool = False
    """The card leaves the factory with an unsigned CHUID of a random GUID."""
    attestation: AttestationQuirk = AttestationQuirk.CHAIN
    """Answer of instruction F9, if `refusals` does not name it."""
    firmware: tuple[int, int, int] = (5, 7, 0)
    """Answer of instruction FD."""

    def __post_init__(self) -> None:
        if not 1 <= self.pin_tries <= 15:
            raise ValueError("pin_tries is 1 to 15")
        if not {self.factory_management, *self.management_algorithms} <= set(MANAGEMENT_ALGORITHMS):
            raise ValueError("unknown management key algorithm")
        if not set(self.algorithms) <= set(ALGORITHMS):
            raise ValueError("unknown key algorithm")


SIMPLE_CARD: Final = Quirks(
    starves_without_le=True,
    longest_command=1336,
    refusals={0xF9: 0x6D00, 0xF7: 0x6A86},
    refused_objects=frozenset({0x5FC106, 0x5FC10C}),
    secure_channel=False,
    management_algorithms=(0x03,),
    factory_chuid=True,
    cplc_status=0x6E00,
    empty_contactless_uid=True,
    puk_digits_only=True,
)
"""The first independent card: claims firmware 5.7.0, attests nothing, 3DES only, no security object."""

ISSUER_KEYED_CARD: Final = Quirks(
    refusals={0xFF: 0x6D00, 0xF7: 0x6D00, 0xF8: 0x6D00, 0xF9: 0x6D00, 0xFD: 0x6D00},
    management_import=True,
    factory_management=0x0C,
    blocked_values=1,
    blocked_status=0x6A80,
    judges_old_first=False,
)
"""A card after OpenFIPS201: its issuer sets 9B over SCP03, it knows nothing of Yubico's, and it judges a new PIN or PUK
before it compares the old one."""

SELF_ATTESTING_CARD: Final = Quirks(
    whole_responses=True,
    secure_channel=False,
    unknown_select_status=0x6D00,
    keeps_partial_chain=True,
    cplc_status=0x6986,
    pin_tries=5,
    factory_management=0x0C,
    pin_always=PinAlways.OFF,
    factory_chuid=True,
    attestation=AttestationQuirk.SELF_SIGNED,
)
"""The second independent card: AES-256 management key, five PIN tries, self-signed attestation."""


class TearPoint(StrEnum):
    """Where a card is pulled out."""

    BEFORE = "before"
    """Before APDU N: nothing of it is executed."""
    AFTER = "after"
    """After APDU N: executed and stored, the answer is lost."""
    BETWEEN = "between"
    """Between two blocks of the first command chain that has a second block at APDU N or later."""


@dataclass(frozen=True, slots=True)
class Tear:
    """Pull the card out once: at `point` of APDU number `apdu`, counted from 1 since the switch was set."""

    apdu: int
    point: TearPoint
