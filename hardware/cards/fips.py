"""The FIPS standard and level that a caller demands of an element, and the judgement of a card's claim to it.

Three steps: `FipsDemand.parse` reads the demand; `find` takes the best evidence there is (attested, device_reported,
identified, declared, none) and names the module; `judge` compares both by the rules in `README.md`. A card of which
nothing is proven has the evidence ``none`` and the verdict UNKNOWN, with any version or answer-to-reset.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from hardware.cards.attestation import Attestation
from hardware.cards.device import DeviceReport
from hardware.cards.piv import ManagementCommand, application_label

Standard = Literal["FIPS 140-2", "FIPS 140-3", "FIPS 201-2", "FIPS 201-3", "GSA APL"]
Evidence = Literal["attested", "device_reported", "identified", "declared", "none"]

ACCEPTED_FORMS: Final = (
    "FIPS 140-2 or FIPS 140-3, then optionally Level 1..4 and physical 1..4 (FIPS 140-3 Level 2 physical 3)",
    "FIPS 201-2 or FIPS 201-3, then optionally / PIV",
    "GSA APL and a number (GSA APL 1512)",
)
"""What ``FipsDemand.parse`` accepts, in any case, with space, comma, dash, slash or underscore between the words."""

_MODULE = re.compile(r"(?:FIPS )?140 ([23])(?: L(?:EVEL)? ?([1-4]))?(?: PHYSICAL ?([1-4]))?")
_PIV = re.compile(r"(?:FIPS )?201 ([23])(?: PIV)?")
_APL = re.compile(r"GSA APL (?:NO )?([0-9]{1,6})")
_SEPARATORS = re.compile(r"[ ,;:/_#.-]+")

MAX_LENGTH: Final = 100


class FipsDemandError(ValueError):
    """The text has none of ``ACCEPTED_FORMS``."""


@dataclass(frozen=True, slots=True)
class FipsDemand:
    """A parsed ``fips_standard``. ``level`` and ``physical``: 1..4, None = not demanded; ``listing``: APL number."""

    standard: Standard
    level: int | None = None
    physical: int | None = None
    listing: int | None = None

    @classmethod
    def parse(cls, text: str) -> FipsDemand:
        """Reads a demand as people write it. Raises ``FipsDemandError``, whose message quotes nothing of ``text``."""
        if len(text) > MAX_LENGTH or not text.isascii():
            raise FipsDemandError("not one of the accepted forms")
        words = _SEPARATORS.sub(" ", text).strip(" ").upper()
        # "FIPS140-3" and "140-3L2" are written as often as the spaced forms.
        words = re.sub(r"^(FIPS)(?=\d)", r"\1 ", words)
        words = re.sub(r"^((?:FIPS )?140 [23])(?=L)", r"\1 ", words)
        if found := _MODULE.fullmatch(words):
            standard: Standard = "FIPS 140-2" if found[1] == "2" else "FIPS 140-3"
            return cls(standard, _number(found[2]), _number(found[3]))
        if found := _PIV.fullmatch(words):
            return cls("FIPS 201-2" if found[1] == "2" else "FIPS 201-3")
        if found := _APL.fullmatch(words):
            return cls("GSA APL", listing=int(found[1]))
        raise FipsDemandError("not one of the accepted forms")

    def __str__(self) -> str:
        """The canonical form, e.g. ``FIPS 140-3 Level 2 physical 3``."""
        parts: list[str] = [self.standard]
        if self.level is not None:
            parts.append(f"Level {self.level}")
        if self.physical is not None:
            parts.append(f"physical {self.physical}")
        if self.listing is not None:
            parts.append(str(self.listing))
        return " ".join(parts)


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


# --- the module table ---

Status = Literal["active", "historical", "revoked"]
END_OF_140_2: Final = datetime.date(2026, 9, 22)
"""From this day on every FIPS 140-2 certificate is on the historical list (published by NIST and Yubico)."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a module is recognized. Each rule given must fit; a row without rules is reached by declaration only.

    `firmware`: exact versions (`5.7.4`), as an attestation or the device's own report names them. The other four are
    used together only: `atr` and `atr_mask` (hex, of one length), `label` (application label of the PIV template),
    `cplc_os` (OS identifier, release date and release level of the CPLC: 12 hex digits).
    """

    firmware: tuple[str, ...] = ()
    atr: str | None = None
    atr_mask: str | None = None
    label: str | None = None
    cplc_os: str | None = None


class Module(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One validated module. `certificate` is the CMVP certificate or APL number; `level` and `physical` 1 to 4 or null
    where the source names none; `sunset` the day from which it is historical. `approved_first`: it makes keys only
    after its secrets were changed. `management_key`: how it takes a new 9B, as its maker says; null where the maker
    publishes no command, and the card is asked. `checked_on`: the day on which the row was last compared with `source`.
    """

    id: str
    maker: str
    product: str
    standard: Literal["FIPS 140-2", "FIPS 140-3", "GSA APL"]
    certificate: str
    level: int | None
    physical: int | None
    status: Status
    sunset: datetime.date | None
    approved_first: bool
    contactless_needs_channel: bool
    management_key: ManagementCommand | None
    match: Rule
    source: str
    checked_on: datetime.date


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    note: str
    modules: tuple[Module, ...]


class ModuleTableError(ValueError):
    """The module table cannot be used; the message says which row and why."""


def load_modules(raw: bytes) -> tuple[Module, ...]:
    """Read and check a module table (`resources/fips-modules.json`). Raises `ModuleTableError`."""
    try:
        table = msgspec.json.decode(raw, type=_Table)
    except msgspec.DecodeError as error:
        raise ModuleTableError(f"the module table is malformed: {error}") from error
    if table.format != 1:
        raise ModuleTableError(f"the module table has format {table.format}; this program reads format 1")
    seen: set[str] = set()
    for row in table.modules:
        wrong = _wrong(row)
        if not row.id or row.id in seen:
            wrong = "its id is empty or taken"
        if wrong is not None:
            raise ModuleTableError(f"module {row.id!r}: {wrong}")
        seen.add(row.id)
    return table.modules


def _wrong(row: Module) -> str | None:
    """What is wrong with one row; None if nothing is."""
    rule = row.match
    identifying = (rule.atr, rule.atr_mask, rule.label, rule.cplc_os)
    if not row.source.strip() or not row.certificate.isdigit():
        return "it needs a source and a certificate number"
    if any(level is not None and not 1 <= level <= 4 for level in (row.level, row.physical)):
        return "levels are 1 to 4"
    if row.standard != "GSA APL" and (row.level is None or row.physical is None):
        return "a validated module has levels"
    if any(not re.fullmatch(r"\d+\.\d+\.\d+", version) for version in rule.firmware):
        return "firmware versions are three numbers"
    # An incomplete rule would let a card pass by its ATR alone, which anybody can imitate.
    if any(one is not None for one in identifying) and not all(identifying):
        return "ATR, mask, label and CPLC are of use together only"
    try:
        lengths = [len(bytes.fromhex(one or "")) for one in (rule.atr, rule.atr_mask, rule.cplc_os)]
    except ValueError:
        return "ATR, mask and CPLC are hexadecimal"
    if rule.atr is not None and (lengths[0] != lengths[1] or lengths[2] != 6):
        return "the mask is as long as the ATR, the CPLC part six bytes"
    return None


# --- the evidence ---


@dataclass(frozen=True, slots=True)
class FipsValidation:
    """A validation, as declared in the stock or as a row of the table has it."""

    standard: Literal["FIPS 140-2", "FIPS 140-3", "GSA APL"]
    level: int | None
    physical: int | None
    certificate: str
    status: Status = "active"
    sunset: datetime.date | None = None


@dataclass(frozen=True, slots=True)
class FipsFinding:
    """What is known of one element. `approved`: whether it is in approved mode; None if unknown (or not yet: see
    `find`). `detail` says for people how it was found.
    """

    evidence: Evidence
    module: Module | None
    validation: FipsValidation | None
    approved: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class Looks:
    """What a card shows without proof: ATR, answer to SELECT PIV, CPLC (42 bytes or empty)."""

    atr: bytes
    template: bytes
    cplc: bytes


def find(
    modules: Sequence[Module],
    looks: Looks,
    *,
    attestation: Attestation | None = None,
    report: DeviceReport | None = None,
    declared: FipsValidation | None = None,
    before_write: bool = False,
) -> FipsFinding:
    """The best evidence that there is for this element.

    `before_write`: a module that its maker ships out of approved mode (`approved_first`) is not yet judged by that.
    """
    if attestation is not None and attestation.proven and not attestation.fips:
        # The maker itself denies it: no weaker evidence may say otherwise.
        return FipsFinding("none", None, None, None, "its maker attests no validated module")
    if attestation is not None and attestation.proven:
        row = _by_firmware(modules, attestation.firmware)
        if row is not None:
            approved = _approved_mode(row, report, before_write)
            return FipsFinding("attested", row, validation_of(row), approved, "attested by its maker")
    if report is not None and report.capable:
        row = _by_firmware(modules, report.firmware)
        approved = None if row is None else _approved_mode(row, report, before_write)
        if row is not None and approved is not True and not (before_write and row.approved_first):
            return FipsFinding(
                "device_reported", row, validation_of(row), False, "it says that it is not in approved mode"
            )
        if row is not None:
            return FipsFinding("device_reported", row, validation_of(row), approved, "so says the device itself")
    rows = [row for row in modules if _looks_like(row.match, looks)]
    if len(rows) == 1:  # two rows that fit identify neither
        return FipsFinding("identified", rows[0], validation_of(rows[0]), None, "told by ATR, label and chip")
    if declared is not None:
        row = next((row for row in modules if (row.standard, row.certificate) == _key(declared)), None)
        if row is not None and row.status != declared.status:
            # The table's status is newer than the declaration: the certificate may have been withdrawn.
            declared = FipsValidation(
                declared.standard, declared.level, declared.physical, declared.certificate, row.status, row.sunset
            )
        return FipsFinding("declared", row, declared, None, "declared when it was taken into stock")
    why = "nothing proves which module it is"
    if attestation is not None:
        why = "; ".join(attestation.reasons) or "no known module has the firmware that its maker attests"
    return FipsFinding("none", None, None, None, why)


def _approved_mode(row: Module, report: DeviceReport | None, before_write: bool) -> bool | None:
    if report is None or not report.capable:
        return None
    if not report.approved and before_write and row.approved_first:
        return None
    return report.approved


def _by_firmware(modules: Sequence[Module], firmware: tuple[int, int, int] | None) -> Module | None:
    version = "" if firmware is None else ".".join(map(str, firmware))
    return next((row for row in modules if version in row.match.firmware), None)


def _looks_like(rule: Rule, looks: Looks) -> bool:
    if rule.atr is None or rule.atr_mask is None or rule.label is None or rule.cplc_os is None:
        return False
    atr, mask = bytes.fromhex(rule.atr), bytes.fromhex(rule.atr_mask)
    if len(looks.atr) != len(atr) or any((a ^ b) & m for a, b, m in zip(atr, looks.atr, mask, strict=True)):
        return False
    label = application_label(looks.template)
    # OS identifier, release date and release level: GlobalPlatform Card Specification 2.3.1, H.6.
    return label == rule.label.encode() and looks.cplc[4:10] == bytes.fromhex(rule.cplc_os)


def validation_of(row: Module) -> FipsValidation:
    """The validation that a row of the table states."""
    return FipsValidation(row.standard, row.level, row.physical, row.certificate, row.status, row.sunset)


def _key(declared: FipsValidation) -> tuple[str, str]:
    return declared.standard, declared.certificate


# --- the verdict ---


def reaches(evidence: Evidence, least: Evidence) -> bool:
    """Whether this evidence is at least as good as that."""
    return _LADDER.index(evidence) >= _LADDER.index(least)


VerdictName = Literal["MET", "HISTORICAL", "NOT_MET", "UNKNOWN"]
_LADDER: Final[tuple[Evidence, ...]] = ("none", "declared", "identified", "device_reported", "attested")


@dataclass(frozen=True, slots=True)
class AcceptancePolicy:
    """What a site accepts. A `training` site never claims FIPS."""

    minimum_evidence: Evidence = "identified"
    accept_historical: bool = False
    training: bool = False


@dataclass(frozen=True, slots=True)
class DemandVerdict:
    """The answer to a demand. `accepted`: the card may be written. `module` and `certificate` as far as known."""

    verdict: VerdictName
    accepted: bool
    evidence: Evidence
    module: str | None
    certificate: str | None
    detail: str


def judge(demand: FipsDemand, finding: FipsFinding, policy: AcceptancePolicy, today: datetime.date) -> DemandVerdict:
    """Compare the demand with the finding.

    Below the minimum evidence: UNKNOWN. Revoked, another standard, a lower level, or out of approved mode: NOT_MET.
    Past its end: HISTORICAL. A training site says UNKNOWN in place of MET and HISTORICAL, and accepts it.
    """
    name, detail = _compare(demand, finding, policy, today)
    accepted = name == "MET" or (name == "HISTORICAL" and policy.accept_historical)
    if policy.training and name != "NOT_MET":
        name, accepted = "UNKNOWN", True
        detail = f"TRAINING: a training site never claims FIPS validation ({detail})"
    module, validation = finding.module, finding.validation
    return DemandVerdict(
        verdict=name,
        accepted=accepted,
        evidence=finding.evidence,
        module=None if module is None else module.product,
        certificate=None if validation is None else validation.certificate,
        detail=detail,
    )


def _compare(
    demand: FipsDemand, finding: FipsFinding, policy: AcceptancePolicy, today: datetime.date
) -> tuple[VerdictName, str]:
    """The verdict without regard to training, and the reason for people."""
    validation = finding.validation
    if validation is None or finding.evidence == "none":
        return "UNKNOWN", finding.detail
    if not reaches(finding.evidence, policy.minimum_evidence):
        return "UNKNOWN", f"{finding.detail}; the site accepts {policy.minimum_evidence!r} or better"
    if validation.status == "revoked":
        return "NOT_MET", f"certificate {validation.certificate} was revoked"
    meets = _meets(demand, validation)
    if meets is None:
        return "UNKNOWN", f"{validation.standard} {validation.certificate} names no level"
    if not meets:
        return "NOT_MET", f"{_words(validation)} does not meet {demand}"
    if finding.approved is False:
        return "NOT_MET", "the module is not in its approved mode"
    ended = validation.sunset is not None and validation.sunset <= today
    old = validation.standard == "FIPS 140-2" and today >= END_OF_140_2
    if validation.status == "historical" or ended or old:
        return "HISTORICAL", f"{_words(validation)} is on the historical list"
    return "MET", f"{_words(validation)}, {finding.detail}"


def _words(validation: FipsValidation) -> str:
    level = f" Level {validation.level}" if validation.level is not None else ""
    return f"{validation.standard}{level} #{validation.certificate}"


def _meets(demand: FipsDemand, validation: FipsValidation) -> bool | None:
    """Whether the validation meets the demand; None where its source does not say."""
    if demand.standard == "GSA APL":
        return validation.standard == "GSA APL" and validation.certificate == str(demand.listing)
    if validation.standard == "GSA APL":
        return None  # listed cards are validated, but the listing names neither standard nor level
    # 140-3 meets 140-2 of the same or a lower level, never the reverse.
    if demand.standard == "FIPS 140-3" and validation.standard != "FIPS 140-3":
        return False
    # FIPS 201-3: overall level 2 at least, physical security of level 3.
    of_piv = demand.standard.startswith("FIPS 201")
    level, physical = (2, 3) if of_piv else (demand.level or 1, demand.physical or 1)
    if validation.level is None or (validation.physical is None and physical > 1):
        return None
    return validation.level >= level and (validation.physical or 1) >= physical
