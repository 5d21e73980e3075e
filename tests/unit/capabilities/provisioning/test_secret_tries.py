"""What the journal knows of a card's PUK and PIN: refused, spent, left."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import insert

from app.capabilities.provisioning.tables import provision, provision_step
from app.capabilities.provisioning.write.card_records import (
    keep_names,
    keep_refused_keys,
    lasting_names,
    record_before_reset,
    records_of,
    refused_keys,
)
from app.capabilities.provisioning.write.journal import (
    PIN_MARK_BYTES,
    PukTries,
    chuid_was_acknowledged,
    puk_mark,
    puk_tries,
    refused_pins,
)
from app.store.writer import Transaction
from hardware.cards.identify import CardIdentity, CardState, UidSource
from tests.service.capabilities.provisioning.card_desk import Desk

FIRST, SECOND = UUID(int=1), UUID(int=2)
OWN, LATER, FACTORY, OTHER = puk_mark(FIRST), puk_mark(SECOND), puk_mark(None), b"m" * 32
SECOND_PUK = puk_mark(FIRST, 2)
PIN = b"p" * PIN_MARK_BYTES
DONE, BLOCKED = 0x9000, 0x6983
Step = tuple[str, int | None, bytes | None]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A site whose store is empty."""
    made = Desk(tmp_path / "site")
    yield made
    made.close()


def put(
    desk: Desk,
    guid: UUID,
    steps: Sequence[Step],
    *,
    at_us: int = 1,
    state: str = "TORN",
    former: UUID | None = None,
    names: Sequence[str] = (),
    released_us: int | None = None,
) -> str:
    """A provisioning of this GUID with these steps, sent from ``at_us`` on; its id."""
    name = f"prv_{guid.int}"

    def job(tx: Transaction) -> None:
        values = {
            "provision_id": name, "node_id": "ARC-N001", "hardware_uid": "1", "aliases": "[]", "reader": "R",
            "state": state, "card_guid": str(guid), "former_guid": None if former is None else str(former),
            "fips": "{}", "operator": "test", "attempt": 1, "started_us": guid.int, "apdu_count": 0,
            "duration_ms": 0.0, "slots": "[]", "stages": "[]", "warnings": "[]", "weak_management_key": 0,
            "released_us": released_us,
        }  # fmt: skip
        tx.connection.execute(insert(provision).values(**values))
        keep_names(tx, name, names)
        keep_names(tx, name, names)
        for n, (step, sw, digest) in enumerate(steps, 1):
            row = {
                "provision_id": name, "attempt": 1, "n": n, "step": step, "sw": sw, "digest": digest, "at_us": at_us + n
            }  # fmt: skip
            tx.connection.execute(insert(provision_step).values(**row))

    desk.write(job)
    return name


def tries(desk: Desk, *ids: str) -> PukTries:
    """Of the card of these provisionings."""
    with desk.store.read() as connection:
        return puk_tries(connection, ids)


@pytest.mark.parametrize(
    ("steps", "known", "refused", "left", "spent"),
    [
        ([], False, set(), None, {}),
        ([("pin", 0x63C2, FACTORY)], False, {FACTORY}, 2, {}),
        ([("pin", 0x63C2, OTHER), ("pin", 0x63C1, FACTORY)], False, {OTHER, FACTORY}, 1, {}),
        ([("pin", 0x63CF, FACTORY)], False, {FACTORY}, 15, {}),
        ([("pin", 0x6300, FACTORY)], False, {FACTORY}, None, {}),
        ([("pin", BLOCKED, FACTORY)], False, set(), 0, {}),
        ([("pin", 0x6A80, FACTORY)], False, set(), None, {}),
        ([("pin", 0x63C2, OTHER), ("pin", DONE, FACTORY)], True, {OTHER}, None, {}),
        ([("pin", DONE, FACTORY), ("puk", DONE, FACTORY)], True, set(), None, {}),
        ([("pin", 0x63C2, OWN), ("puk", DONE, FACTORY)], True, set(), None, {}),
        ([("pin", 0x63C2, OWN), ("puk", None, FACTORY)], False, set(), 1, {FACTORY: 1}),
        ([("pin", 0x63C2, OTHER), ("pin", None, FACTORY)], False, {OTHER}, 1, {FACTORY: 1}),
        ([("pin", None, FACTORY), ("pin", None, OTHER)], False, set(), None, {FACTORY: 1, OTHER: 1}),
        ([("pin", 0x63C0 | 1, OTHER), ("pin", None, FACTORY), ("pin", None, FACTORY)], False, {OTHER}, 0, {FACTORY: 1}),
        ([("pin", 0x63C2, PIN), ("pin", 0x63C2, None)], False, set(), None, {}),
        ([("pin.2", 0x63C2, OTHER), ("pin.3", DONE, FACTORY)], True, {OTHER}, None, {}),
        ([("puk.2", DONE, FACTORY), ("pin", 0x63C2, OWN), ("pin", None, SECOND_PUK)], True, {OWN}, 1, {SECOND_PUK: 1}),
        ([("pin", 0x63C2, SECOND_PUK), ("puk.2", None, FACTORY)], False, set(), 1, {FACTORY: 1}),
        ([("chuid", 0x63C2, FACTORY)], False, set(), None, {}),
    ],
    ids=[
        "nothing", "refused", "two-refused", "fifteen", "uncounted", "blocked", "other-answer", "found", "set",
        "own-set", "own-in-doubt", "lost-answer", "two-lost", "never-below-zero", "pin-marks",
        "drawn-anew", "later-draw-set", "later-draw-in-doubt", "other-step",
    ],
)  # fmt: skip
def test_each_answer_counts_as_it_was_meant(
    desk: Desk, steps: list[Step], known: bool, refused: set[bytes], left: int | None, spent: dict[bytes, int]
) -> None:
    """A refusal is remembered, a lost answer counts as a try, and what opened the card forgets both."""
    assert tries(desk, put(desk, FIRST, steps)) == PukTries(known, spent, frozenset(refused), left)


def test_refusals_of_an_earlier_record_count_in_the_order_in_which_they_were_sent(desk: Desk) -> None:
    """Two records of one card: a PUK that the first refused stays refused, and the order is that of the steps."""
    first = put(desk, FIRST, [("pin", 0x63C2, FACTORY)], at_us=100)
    second = put(desk, SECOND, [("pin", 0x63C1, LATER)], at_us=200)
    assert tries(desk, first, second) == PukTries(False, {}, frozenset({FACTORY, LATER}), 1)
    assert tries(desk, first).left == 2
    opened = put(desk, UUID(int=3), [("pin", DONE, OTHER)], at_us=50)
    assert tries(desk, first, second, opened).left == 1
    assert tries(desk, first, second, opened).known


def test_pins_are_refused_until_one_opens_the_card(desk: Desk) -> None:
    """Marks of PINs only, and none after a PIN was set."""
    first = put(desk, FIRST, [("pin", 0x63C2, PIN), ("pin", 0x63C2, FACTORY), ("pin", None, b"q" * 16)])
    second = put(desk, SECOND, [("pin", 0x63C2, PIN), ("pin", DONE, PIN)], at_us=9)
    with desk.store.read() as connection:
        assert refused_pins(connection, [first]) == {PIN}
        assert refused_pins(connection, [first, second]) == set()
        assert refused_pins(connection, []) == set()


@pytest.mark.parametrize(("sw", "acknowledged"), [(DONE, True), (None, False), (0x6A80, False)])
def test_a_chuid_counts_when_the_card_said_so(desk: Desk, sw: int | None, acknowledged: bool) -> None:
    """In doubt or refused, the card may have its maker's GUID still; another step says nothing of it."""
    name = put(desk, FIRST, [("chuid", sw, None)])
    other = put(desk, SECOND, [("ccc", DONE, None)])
    with desk.store.read() as connection:
        assert chuid_was_acknowledged(connection, name) is acknowledged
        assert not chuid_was_acknowledged(connection, other)


def identity(serial: int | None = None, chip: str | None = None, guid: UUID | None = None) -> CardIdentity:
    """A card by its names."""
    return CardIdentity(
        "R", b"", CardState.BLANK, "1", UidSource.SERIAL, card_guid=guid, serial=serial, chip=chip
    )  # fmt: skip


def found(desk: Desk, card: CardIdentity, written_as: UUID | None = None) -> list[str]:
    """Ids of the card's records."""
    with desk.store.read() as connection:
        return [row.provision_id for row in records_of(connection, card, written_as)]


def test_names_that_a_reset_leaves() -> None:
    """Serial number and chip; a GUID goes with a reset, a reader's name with the card."""
    assert lasting_names(identity(5, "ab", FIRST)) == {"5", "ab"}
    assert lasting_names(identity(guid=FIRST)) == set()


def test_a_card_has_the_records_of_its_names_and_of_its_guids(desk: Desk) -> None:
    """Newest first: by serial number or chip, by the GUID that it has, by those that it had; of no other card."""
    first = put(desk, FIRST, [], names=["5", "ab"])
    second = put(desk, SECOND, [], former=FIRST)
    third = put(desk, UUID(int=3), [], names=["6"])
    assert found(desk, identity(5)) == found(desk, identity(chip="ab")) == [first]
    assert found(desk, identity(guid=SECOND)) == [second, first]
    assert found(desk, identity(6, guid=SECOND)) == [third, second, first]
    assert found(desk, identity(7)) == found(desk, identity()) == []
    assert found(desk, identity(), written_as=SECOND) == [second, first]


def test_a_makers_guid_is_a_name_until_the_site_gave_one(desk: Desk) -> None:
    """And only of a card that has no better name."""
    makers = UUID(int=9)
    before = put(desk, FIRST, [("chuid", None, None)], names=[str(makers)])
    put(desk, SECOND, [("chuid", DONE, None)], names=[str(makers)])
    assert found(desk, identity(guid=makers)) == [before]
    assert found(desk, identity(5, guid=makers)) == []


@pytest.mark.parametrize(
    ("state", "steps", "released_us", "holds"),
    [
        ("COMPLETE", [], None, True),
        ("TORN", [("chuid", DONE, None)], None, True),
        ("TORN", [("chuid", None, None)], None, False),
        ("REFUSED", [("chuid", DONE, None)], None, False),
        ("COMPLETE", [], 5, False),
    ],
    ids=["finished", "torn", "never-begun", "refused", "released"],
)
def test_whose_a_reset_card_was(
    desk: Desk, state: str, steps: list[Step], released_us: int | None, holds: bool
) -> None:
    """A record that holds something, of this chip, under another GUID than the card has now."""
    name = put(desk, FIRST, steps, state=state, names=["5"], released_us=released_us)
    with desk.store.read() as connection:
        for card, expected in (
            (identity(5), name if holds else None),
            (identity(5, guid=SECOND), name if holds else None),
            (identity(5, guid=FIRST), None),
            (identity(guid=SECOND), None),
        ):
            row = record_before_reset(connection, card, records_of(connection, card))
            assert (None if row is None else row.provision_id) == expected


def test_refused_management_keys_are_of_their_card(desk: Desk) -> None:
    """Each mark once, of the records that are asked for."""
    first, second = put(desk, FIRST, []), put(desk, SECOND, [])

    def job(tx: Transaction) -> None:
        for marks in (["factory"], ["factory", "a"], []):
            keep_refused_keys(tx, first, marks)
        keep_refused_keys(tx, second, ["b"])

    desk.write(job)
    with desk.store.read() as connection:
        assert refused_keys(connection, [first]) == {"factory", "a"}
        assert refused_keys(connection, [first, second]) == {"factory", "a", "b"}
        assert refused_keys(connection, []) == set()
