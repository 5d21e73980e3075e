"""The evidence ladder and the rules: what a card proves of its module, and whether that is what was demanded."""

import datetime
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from hardware.cards.attestation import Attestation
from hardware.cards.device import DeviceReport
from hardware.cards.fips import (
    AcceptancePolicy,
    Evidence,
    FipsDemand,
    FipsFinding,
    FipsValidation,
    Looks,
    Module,
    ModuleTableError,
    Rule,
    find,
    judge,
    load_modules,
    reaches,
    validation_of,
)
from hardware.cards.piv import ManagementCommand

TABLE = (Path(__file__).parents[3] / "resources" / "fips-modules.json").read_bytes()
MODULES = load_modules(TABLE)
BEFORE, TODAY = datetime.date(2026, 9, 21), datetime.date(2026, 11, 21)
NOTHING = Looks(b"\x3b\x00", b"", b"")
ATTESTED = Attestation((), (5, 7, 4), 4711, 0x81, fips=True, root="00")
REPORT = DeviceReport((5, 7, 4), 4711, 0x81, capable=True, approved=True)
CPLC = bytes(range(42))
RULE = Rule(atr="3b00", atr_mask="ff00", label="ID-One", cplc_os=CPLC[4:10].hex())
LISTED = Module(
    management_key=None,
    id="x",
    maker="M",
    product="P",
    standard="FIPS 140-3",
    certificate="1",
    level=2,
    physical=3,
    status="active",
    sunset=None,
    approved_first=False,
    contactless_needs_channel=False,
    match=RULE,
    source="test",
    checked_on=TODAY,
)
LOOKS = Looks(b"\x3b\x77", bytes.fromhex("61085006") + b"ID-One", CPLC)
ANY_EVIDENCE = AcceptancePolicy("declared")


def of(standard: str, level: int | None = 2, physical: int | None = 3, **more: object) -> FipsFinding:
    validation = FipsValidation(standard, level, physical, "1", **more)  # type: ignore[arg-type]
    return FipsFinding("attested", None, validation, None, "test")


def verdict(
    demand: str, finding: FipsFinding, policy: AcceptancePolicy = ANY_EVIDENCE, today: datetime.date = BEFORE
) -> str:
    return judge(FipsDemand.parse(demand), finding, policy, today).verdict


# --- the table ---


def test_every_row_has_source_and_date() -> None:
    """A claim without where and when it was looked up is none."""
    assert all(row.source and row.checked_on <= datetime.date.today() for row in MODULES)


def test_every_row_says_where_to_check() -> None:
    """The seeds are published, not proven: each names the issuer's own list."""
    assert all("csrc.nist.gov" in row.source or "GSA's list" in row.source for row in MODULES)


@pytest.mark.parametrize(
    "change",
    [
        {"source": " "},
        {"certificate": "L2"},
        {"level": 5},
        {"level": None},
        {"status": "fine"},
        {"checked_on": "soon"},
        {"id": "yubikey-5-fips-5.4"},
        {"unknown": 1},
        {"match": {"firmware": ["5.x"]}},
        {"match": {"atr": "3b00", "atr_mask": "ffff"}},
        {"match": {"atr": "3b00", "atr_mask": "ff", "label": "x", "cplc_os": "000000000000"}},
        {"match": {"atr": "zz", "atr_mask": "ff", "label": "x", "cplc_os": "000000000000"}},
    ],
    ids=str,
)
def test_wrong_rows_are_refused(change: dict[str, object]) -> None:
    """A table with one wrong row is no table."""
    table = json.loads(TABLE)
    table["modules"][0] |= change
    with pytest.raises(ModuleTableError):
        load_modules(json.dumps(table).encode())


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b'{"format": 2, "note": "", "modules": []}', b"\xff"])
def test_other_files_are_no_tables(raw: bytes) -> None:
    """Neither other formats nor other files."""
    with pytest.raises(ModuleTableError):
        load_modules(raw)


# --- the ladder ---


def test_attestation_is_the_highest_rung() -> None:
    """A proven attestation with the FIPS mark names the module by the attested firmware."""
    found = find(
        MODULES, NOTHING, attestation=ATTESTED, report=REPORT, declared=FipsValidation("FIPS 140-2", 1, 1, "9")
    )
    assert (found.evidence, found.module and found.module.certificate) == ("attested", "5291")


def test_maker_that_attests_no_fips_ends_the_ladder() -> None:
    """What the maker itself denies, neither the device nor the officer can claim."""
    plain = replace(ATTESTED, fips=False)
    assert find(MODULES, NOTHING, attestation=plain, report=REPORT).evidence == "none"


def test_device_report_is_the_second_rung() -> None:
    """Capable and approved by its own word."""
    found = find(MODULES, NOTHING, report=REPORT)
    assert (found.evidence, found.approved) == ("device_reported", True)


def test_device_that_is_not_fips_capable_reports_nothing() -> None:
    """A firmware number alone is no evidence."""
    assert find(MODULES, NOTHING, report=replace(REPORT, capable=False)).evidence == "none"


def test_device_out_of_approved_mode_is_not_met() -> None:
    """Capable is not approved."""
    found = find(MODULES, NOTHING, report=replace(REPORT, approved=False))
    assert verdict("FIPS 140-3", found) == "NOT_MET"


def test_new_module_is_not_blamed_before_the_write() -> None:
    """A module that comes out of approved mode may be written, and is judged again when its secrets are changed."""
    blank = replace(REPORT, approved=False)
    before = find(MODULES, NOTHING, attestation=ATTESTED, report=blank, before_write=True)
    after = find(MODULES, NOTHING, attestation=ATTESTED, report=blank)
    assert (verdict("FIPS 140-3", before), verdict("FIPS 140-3", after)) == ("MET", "NOT_MET")


def test_looks_identify_only_together() -> None:
    """ATR by mask, label and CPLC: one of them alone, which anybody can imitate, is nothing."""
    assert find([LISTED], LOOKS).evidence == "identified"
    for changed in (
        replace(LOOKS, atr=b"\x3c\x77"),
        replace(LOOKS, atr=b"\x3b\x77\x00"),
        replace(LOOKS, template=b""),
        replace(LOOKS, template=b"\xff"),
        replace(LOOKS, cplc=b""),
        replace(LOOKS, cplc=bytes(42)),
    ):
        assert find([LISTED], changed).evidence == "none"


def test_two_rows_that_fit_identify_neither() -> None:
    """Which of them it is nobody knows."""
    assert find([LISTED, LISTED], LOOKS).evidence == "none"


def test_declaration_is_the_last_rung() -> None:
    """The officer's word, and the table's where it knows the certificate to be withdrawn."""
    found = find(MODULES, NOTHING, declared=FipsValidation("FIPS 140-2", 2, 3, "3907"))
    assert found.evidence == "declared"
    assert found.validation is not None
    assert found.validation.status == "historical"


def test_forged_attestation_climbs_nothing() -> None:
    """Reasons against an attestation are told, and its claims are not."""
    found = find(MODULES, NOTHING, attestation=replace(ATTESTED, reasons=("foreign root",)))
    assert (found.evidence, found.detail) == ("none", "foreign root")


# --- the rules ---


@pytest.mark.parametrize(
    ("demand", "finding", "expected"),
    [
        ("FIPS 140-3", of("FIPS 140-3", 1, 1), "MET"),
        ("FIPS 140-3 L2", of("FIPS 140-3"), "MET"),
        ("FIPS 140-3 L3", of("FIPS 140-3"), "NOT_MET"),
        ("FIPS 140-3 L2 physical 3", of("FIPS 140-3"), "MET"),
        ("FIPS 140-3 L2 physical 4", of("FIPS 140-3"), "NOT_MET"),
        ("FIPS 140-2 L2", of("FIPS 140-3"), "MET"),
        ("FIPS 140-2 L3", of("FIPS 140-3"), "NOT_MET"),
        ("FIPS 140-3 L1", of("FIPS 140-2"), "NOT_MET"),
        ("FIPS 140-2 L2", of("FIPS 140-2"), "MET"),
        ("FIPS 201-3", of("FIPS 140-3"), "MET"),
        ("FIPS 201-2", of("FIPS 140-2"), "MET"),
        ("FIPS 201-3", of("FIPS 140-3", 1), "NOT_MET"),
        ("FIPS 201-3", of("FIPS 140-3", 2, 2), "NOT_MET"),
        ("FIPS 201-3", of("FIPS 140-3", 3, None), "UNKNOWN"),
        ("FIPS 201-3", of("GSA APL", None, None), "UNKNOWN"),
        ("FIPS 140-3", of("GSA APL", None, None), "UNKNOWN"),
        ("GSA APL 1", of("GSA APL", None, None), "MET"),
        ("GSA APL 2", of("GSA APL", None, None), "NOT_MET"),
        ("GSA APL 1", of("FIPS 140-3"), "NOT_MET"),
        ("FIPS 140-3", of("FIPS 140-3", status="revoked"), "NOT_MET"),
        ("FIPS 140-3", of("FIPS 140-3", status="historical"), "HISTORICAL"),
        ("FIPS 140-3", of("FIPS 140-3", sunset=BEFORE), "HISTORICAL"),
        ("FIPS 140-3 L3", of("FIPS 140-3", status="historical"), "NOT_MET"),
    ],
    ids=str,
)
def test_rules(demand: str, finding: FipsFinding, expected: str) -> None:
    """Standard, level, physical level, listing, status: each demand against each validation."""
    assert verdict(demand, finding) == expected


def test_all_of_140_2_is_historical_from_its_last_day_on() -> None:
    """2026-09-22 ends every FIPS 140-2 certificate, whatever its row says."""
    found = of("FIPS 140-2")
    days = (datetime.date(2026, 9, 21), datetime.date(2026, 9, 22))
    assert [verdict("FIPS 140-2", found, today=day) for day in days] == ["MET", "HISTORICAL"]


@pytest.mark.parametrize(("accept", "accepted"), [(False, False), (True, True)])
def test_historical_is_accepted_by_policy_only(accept: bool, accepted: bool) -> None:
    """A site says itself whether it writes historical modules; the verdict stays what it is."""
    policy = AcceptancePolicy("declared", accept_historical=accept)
    found = judge(FipsDemand.parse("FIPS 140-2"), of("FIPS 140-2"), policy, TODAY)
    assert (found.verdict, found.accepted) == ("HISTORICAL", accepted)


def test_too_little_evidence_is_unknown() -> None:
    """Below the minimum nothing is met, and nothing is denied."""
    declared = replace(of("FIPS 140-3"), evidence="declared")
    assert verdict("FIPS 140-3", declared, AcceptancePolicy("identified")) == "UNKNOWN"
    assert verdict("FIPS 140-3", declared, AcceptancePolicy("declared")) == "MET"


@pytest.mark.parametrize(
    ("finding", "expected"),
    [
        (of("FIPS 140-3"), ("UNKNOWN", True)),
        (of("FIPS 140-3", status="historical"), ("UNKNOWN", True)),
        (find(MODULES, NOTHING), ("UNKNOWN", True)),
        (of("FIPS 140-3", status="revoked"), ("NOT_MET", False)),
    ],
)
def test_training_never_claims_fips(finding: FipsFinding, expected: tuple[str, bool]) -> None:
    """At a training site even a true validation is UNKNOWN, and says TRAINING; what is disproven stays so."""
    found = judge(FipsDemand.parse("FIPS 140-3"), finding, AcceptancePolicy("declared", training=True), BEFORE)
    assert (found.verdict, found.accepted) == expected
    assert ("TRAINING" in found.detail) is expected[1]


_DEMANDS = ["FIPS 140-2", "FIPS 140-3 L4", "FIPS 201-3", "GSA APL 1512", "FIPS 140-3 L2 physical 3"]


@given(
    st.sampled_from(_DEMANDS),
    st.binary(max_size=40),
    st.binary(max_size=60),
    st.binary(max_size=60),
    st.tuples(*[st.integers(0, 255)] * 3),
    st.sampled_from(["identified", "device_reported", "attested"]),
    st.dates(),
)
def test_claims_alone_never_pass(
    demand: str,
    atr: bytes,
    template: bytes,
    cplc: bytes,
    firmware: tuple[int, int, int],
    least: Evidence,
    day: datetime.date,
) -> None:
    """Version, ATR, label, CPLC and a forged attestation, however they are chosen: never MET, never accepted."""
    forged = Attestation(("self-signed",), firmware, 1, 1, fips=True)
    found = find(MODULES, Looks(atr, template, cplc), attestation=forged)
    result = judge(FipsDemand.parse(demand), found, AcceptancePolicy(least), day)
    assert (found.evidence, result.verdict, result.accepted) == ("none", "UNKNOWN", False)


def test_each_module_says_how_its_management_key_is_set() -> None:
    """Yubico's by its own instruction; where the maker publishes none the card is asked, and the source says so."""
    ways = {row.id: row.management_key for row in MODULES}
    assert ways == {
        "yubikey-5-fips-5.7.4": ManagementCommand.SET_MANAGEMENT_KEY,
        "yubikey-5-fips-5.4": ManagementCommand.SET_MANAGEMENT_KEY,
        "id-one-piv-2.4.2": None,
    }
    assert all("9B" in row.source for row in MODULES)


# --- what people read, and the rungs between ---


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"source": " "}, "a source and a certificate number"),
        ({"certificate": "L2"}, "a source and a certificate number"),
        ({"certificate": ""}, "a source and a certificate number"),
        ({"level": 0}, "levels are 1 to 4"),
        ({"level": 5}, "levels are 1 to 4"),
        ({"physical": 0}, "levels are 1 to 4"),
        ({"physical": 5}, "levels are 1 to 4"),
        ({"level": None}, "a validated module has levels"),
        ({"physical": None}, "a validated module has levels"),
        ({"id": ""}, "its id is empty or taken"),
        ({"id": "yubikey-5-fips-5.4"}, "its id is empty or taken"),
        ({"match": {"firmware": ["5.7.4", "5.7"]}}, "three numbers"),
        ({"match": {"atr": "3b00", "atr_mask": "ffff", "label": "x"}}, "of use together only"),
        ({"match": {"atr": "3b00", "atr_mask": "ffff", "label": "", "cplc_os": 12 * "0"}}, "of use together only"),
        ({"match": {"atr": "zz", "atr_mask": "ff", "label": "x", "cplc_os": 12 * "0"}}, "hexadecimal"),
        ({"match": {"atr": "3b00", "atr_mask": "ff", "label": "x", "cplc_os": 12 * "0"}}, "as long as the ATR"),
        ({"match": {"atr": "3b00", "atr_mask": "ffff", "label": "x", "cplc_os": 10 * "0"}}, "six bytes"),
    ],
    ids=str,
)
def test_a_wrong_row_is_told(change: dict[str, object], why: str) -> None:
    """Which rule of the table it breaks."""
    table = json.loads(TABLE)
    table["modules"][0] |= change
    with pytest.raises(ModuleTableError, match=why):
        load_modules(json.dumps(table).encode())


@pytest.mark.parametrize(
    "change",
    [
        {"level": 1, "physical": 4},
        {"level": 4, "physical": 1},
        {"standard": "GSA APL", "level": None, "physical": None},
        {"match": {}},
        {"match": {"firmware": ["0.0.0", "15.10.255"]}},
        {"match": {"atr": "3b00", "atr_mask": "ffff", "label": "x", "cplc_os": 12 * "0"}},
    ],
    ids=str,
)
def test_a_row_at_the_edge_of_its_rules_is_read(change: dict[str, object]) -> None:
    """All levels, a listing without any, a module that is reached by declaration only."""
    table = json.loads(TABLE)
    table["modules"][0] |= change
    assert len(load_modules(json.dumps(table).encode())) == len(MODULES)


def test_a_firmware_that_no_row_has_goes_down_the_ladder() -> None:
    """Attested or reported: the next rung is asked, and at its end the reason is told."""
    unknown = replace(ATTESTED, firmware=(9, 9, 9))
    assert find([LISTED], LOOKS, attestation=unknown, report=REPORT).evidence == "identified"
    assert find(MODULES, NOTHING, attestation=unknown, report=REPORT).evidence == "device_reported"
    for attestation, why in (
        (unknown, "no known module has the firmware that its maker attests"),
        (replace(ATTESTED, firmware=None), "no known module has the firmware that its maker attests"),
        (replace(ATTESTED, fips=False), "its maker attests no validated module"),
        (replace(ATTESTED, fips=False, reasons=("one", "two")), "one; two"),
        (None, "nothing proves which module it is"),
    ):
        assert find(MODULES, NOTHING, attestation=attestation).detail == why


@pytest.mark.parametrize(
    ("attested", "capable", "approved", "before_write", "finding"),
    [
        (True, True, True, False, ("attested", True, "attested by its maker")),
        (True, True, False, False, ("attested", False, "attested by its maker")),
        (True, True, False, True, ("attested", None, "attested by its maker")),
        (True, True, True, True, ("attested", True, "attested by its maker")),
        (True, False, False, False, ("attested", None, "attested by its maker")),
        (True, None, None, False, ("attested", None, "attested by its maker")),
        (False, True, True, False, ("device_reported", True, "so says the device itself")),
        (False, True, False, True, ("device_reported", None, "so says the device itself")),
        (False, True, False, False, ("device_reported", False, "it says that it is not in approved mode")),
    ],
)
def test_the_approved_mode_is_the_devices_word(
    attested: bool,
    capable: bool | None,
    approved: bool | None,
    before_write: bool,
    finding: tuple[str, bool | None, str],
) -> None:
    """Before the write a module that comes out of approved mode is not judged by that; without a report nobody
    knows."""
    report = None if capable is None or approved is None else replace(REPORT, capable=capable, approved=approved)
    found = find(MODULES, NOTHING, attestation=ATTESTED if attested else None, report=report, before_write=before_write)
    assert (found.evidence, found.approved, found.detail) == finding
    assert found.module is not None
    assert (found.module.certificate, found.validation) == ("5291", validation_of(found.module))


def test_a_module_that_is_shipped_in_approved_mode_is_judged_before_the_write_too() -> None:
    """Only its maker's word (`approved_first`) excuses it."""
    row = replace_row(match=Rule(firmware=("5.7.4",)), approved_first=False)
    blank = replace(REPORT, approved=False)
    assert find([row], NOTHING, report=blank, before_write=True).approved is False
    assert find([row], NOTHING, attestation=ATTESTED, report=blank, before_write=True).approved is False


def test_a_declaration_has_the_tables_status() -> None:
    """Where the table knows the certificate, its status and end count; else the declaration stands as it is."""
    ends = datetime.date(2030, 1, 1)
    declared = FipsValidation("FIPS 140-3", 2, 3, "1", "active", ends)
    for row, validation, module in (
        (LISTED, declared, LISTED),
        (replace_row(status="revoked"), FipsValidation("FIPS 140-3", 2, 3, "1", "revoked", None), "row"),
        (replace_row(certificate="2"), declared, None),
        (replace_row(standard="FIPS 140-2"), declared, None),
    ):
        found = find([row], NOTHING, declared=declared)
        assert (found.evidence, found.validation, found.approved) == ("declared", validation, None)
        assert found.module == (row if module == "row" else module)
        assert found.detail == "declared when it was taken into stock"


def replace_row(**changes: object) -> Module:
    """`LISTED` with these fields changed."""
    return structs.replace(LISTED, **changes)


LISTING = of("GSA APL", None, None)
IDENTIFIED = find([LISTED], LOOKS)


@pytest.mark.parametrize(
    ("demand", "finding", "today", "expected"),
    [
        ("FIPS 140-3", of("FIPS 140-3"), BEFORE, ("MET", True, "FIPS 140-3 Level 2 #1, test")),
        ("GSA APL 1", LISTING, BEFORE, ("MET", True, "GSA APL #1, test")),
        ("GSA APL 2", LISTING, BEFORE, ("NOT_MET", False, "GSA APL #1 does not meet GSA APL 2")),
        ("FIPS 140-3", LISTING, BEFORE, ("UNKNOWN", False, "GSA APL 1 names no level")),
        (
            "FIPS 140-3 L3",
            of("FIPS 140-3"),
            BEFORE,
            ("NOT_MET", False, "FIPS 140-3 Level 2 #1 does not meet FIPS 140-3 Level 3"),
        ),
        (
            "FIPS 140-3",
            of("FIPS 140-3", status="revoked"),
            BEFORE,
            ("NOT_MET", False, "certificate 1 was revoked"),
        ),
        (
            "FIPS 140-2",
            of("FIPS 140-2"),
            TODAY,
            ("HISTORICAL", False, "FIPS 140-2 Level 2 #1 is on the historical list"),
        ),
        (
            "FIPS 140-3",
            replace(of("FIPS 140-3"), approved=False),
            BEFORE,
            ("NOT_MET", False, "the module is not in its approved mode"),
        ),
        ("FIPS 140-3", replace(of("FIPS 140-3"), approved=True), BEFORE, ("MET", True, "FIPS 140-3 Level 2 #1, test")),
        ("FIPS 140-3", find(MODULES, NOTHING), BEFORE, ("UNKNOWN", False, "nothing proves which module it is")),
        ("FIPS 140-3", replace(of("FIPS 140-3"), evidence="none"), BEFORE, ("UNKNOWN", False, "test")),
        (
            "FIPS 140-3",
            replace(of("FIPS 140-3"), evidence="declared"),
            BEFORE,
            ("UNKNOWN", False, "test; the site accepts 'identified' or better"),
        ),
        ("FIPS 140-3", IDENTIFIED, BEFORE, ("MET", True, "FIPS 140-3 Level 2 #1, told by ATR, label and chip")),
    ],
)
def test_a_verdict_says_why(
    demand: str, finding: FipsFinding, today: datetime.date, expected: tuple[str, bool, str]
) -> None:
    """One sentence for people, and the module and certificate as far as they are known."""
    found = judge(FipsDemand.parse(demand), finding, AcceptancePolicy(), today)
    assert (found.verdict, found.accepted, found.detail) == expected
    assert found.evidence == finding.evidence
    assert found.certificate == (None if finding.validation is None else "1")
    assert found.module == (None if finding.module is None else "P")


@pytest.mark.parametrize(
    ("demand", "level", "physical", "expected"),
    [
        ("FIPS 140-3", 1, None, "MET"),
        ("FIPS 140-3 L2", 2, None, "MET"),
        ("FIPS 140-3 physical 1", 1, None, "MET"),
        ("FIPS 140-3 physical 2", 4, None, "UNKNOWN"),
        ("FIPS 140-3", None, 3, "UNKNOWN"),
        ("FIPS 201-3", 2, 3, "MET"),
        ("FIPS 201-3", 1, 4, "NOT_MET"),
        ("FIPS 201-3", 4, 2, "NOT_MET"),
    ],
)
def test_a_level_that_the_source_does_not_name(
    demand: str, level: int | None, physical: int | None, expected: str
) -> None:
    """Every module has level 1; more than that is not known of it. FIPS 201-3, 4.2: level 2, physical level 3."""
    assert verdict(demand, of("FIPS 140-3", level, physical)) == expected


def test_evidence_has_an_order() -> None:
    """From the maker's proof down to nothing; the minimum itself is enough."""
    ladder: tuple[Evidence, ...] = ("attested", "device_reported", "identified", "declared", "none")
    for at, one in enumerate(ladder):
        assert [reaches(one, least) for least in ladder] == [number >= at for number in range(5)]
