"""Whose secrets a card may hold, told from the journal of its writes."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import insert

from app.capabilities.provisioning.tables import provision, provision_step
from app.capabilities.provisioning.write.journal import (
    key_was_restored,
    next_draw,
    secret_draws,
    secret_holders,
    was_acknowledged,
)
from app.store.writer import Transaction
from hardware.cards.steps import RESTORE_KEY
from tests.service.capabilities.provisioning.card_desk import Desk

FIRST, SECOND, THIRD = (UUID(int=number) for number in (1, 2, 3))
DONE, WRONG = 0x9000, 0x63C2


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A site whose store is empty."""
    made = Desk(tmp_path / "site")
    yield made
    made.close()


def put(desk: Desk, guid: UUID, steps: Sequence[tuple[str, int | None]], former: UUID | None = None) -> str:
    """A provisioning of this GUID with these steps, one attempt each; its id."""
    name = f"prv_{guid.int}"

    def job(tx: Transaction) -> None:
        values = {
            "provision_id": name,
            "node_id": "ARC-N001",
            "hardware_uid": "1",
            "aliases": "[]",
            "reader": "R",
            "state": "TORN",
            "card_guid": str(guid),
            "former_guid": None if former is None else str(former),
            "fips": "{}",
            "operator": "test",
            "attempt": len(steps),
            "started_us": guid.int,
            "apdu_count": 0,
            "duration_ms": 0.0,
            "slots": "[]",
            "stages": "[]",
            "warnings": "[]",
            "weak_management_key": 0,
        }
        tx.connection.execute(insert(provision).values(**values))
        for attempt, (step, sw) in enumerate(steps, 1):
            row = {"provision_id": name, "attempt": attempt, "n": 1, "step": step, "sw": sw, "at_us": 1}
            tx.connection.execute(insert(provision_step).values(**row))

    desk.write(job)
    return name


def holders(desk: Desk, guid: UUID | None) -> Sequence[UUID | None]:
    """Of the management key."""
    with desk.store.read() as connection:
        return secret_holders(connection, guid, "management_key")


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([], [None]),
        ([("puk", DONE)], [None]),
        ([("management_key", None)], [FIRST, None]),
        ([("management_key", DONE)], [FIRST, None]),
        ([("management_key", 0x6700)], [None]),
        ([("management_key", WRONG), ("management_key", DONE)], [FIRST, None]),
        ([("management_key", None), ("chuid", DONE)], [FIRST, None]),
    ],
    ids=["never", "other-step", "in-doubt", "set", "refused", "set-after-a-refusal", "in-doubt-for-ever"],
)
def test_a_first_write_holds_its_own_or_the_factorys(
    desk: Desk, steps: list[tuple[str, int | None]], expected: list[UUID | None]
) -> None:
    """Its own as soon as the step may have arrived, the factory's as the last resort."""
    put(desk, FIRST, steps)
    assert holders(desk, FIRST) == expected


def test_a_card_that_nobody_wrote_has_the_factorys(desk: Desk) -> None:
    """Unknown names lead nowhere."""
    assert holders(desk, None) == holders(desk, THIRD) == [None]


def test_a_second_write_keeps_the_first_ones_secrets_until_its_step(desk: Desk) -> None:
    """The chain of names is followed to the first secret that is certain."""
    put(desk, FIRST, [("management_key", DONE)])
    put(desk, SECOND, [("chuid", DONE)], former=FIRST)
    put(desk, THIRD, [("management_key", None)], former=SECOND)
    assert holders(desk, SECOND) == [FIRST, None]
    assert holders(desk, THIRD) == [THIRD, FIRST, None]


def test_names_that_lead_in_a_circle_end(desk: Desk) -> None:
    """A damaged chain is no endless loop."""
    put(desk, FIRST, [("management_key", None)], former=SECOND)
    put(desk, SECOND, [("management_key", None)], former=FIRST)
    assert holders(desk, FIRST) == [FIRST, SECOND, None]


@pytest.mark.parametrize(("sw", "expected"), [(None, False), (0x6A82, False), (DONE, True)])
def test_a_card_belongs_to_a_record_that_it_acknowledged(desk: Desk, sw: int | None, expected: bool) -> None:
    """A step in doubt or refused binds no card."""
    name = put(desk, FIRST, [("chuid", sw)])
    with desk.store.read() as connection:
        assert was_acknowledged(connection, name) is expected


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([("management_key", DONE), (RESTORE_KEY, DONE)], [FIRST, None]),
        ([("management_key", None), (RESTORE_KEY, DONE)], [FIRST, None]),
        ([("management_key", DONE), (RESTORE_KEY, None)], [SECOND, FIRST, None]),
        ([("management_key", DONE), (RESTORE_KEY, 0x6982)], [SECOND, None]),
        ([("management_key", DONE), (RESTORE_KEY, DONE), ("management_key", DONE)], [SECOND, None]),
        ([("management_key", DONE), (RESTORE_KEY, DONE), ("management_key", None)], [SECOND, FIRST, None]),
    ],
    ids=["restored", "doubt-restored", "restored-in-doubt", "not-restored", "set-again", "set-again-in-doubt"],
)
def test_a_key_that_was_put_back_is_offered_again(
    desk: Desk, steps: Sequence[tuple[str, int | None]], expected: Sequence[UUID | None]
) -> None:
    """A written card was refused after its new key had been tried: it holds the former one, as far as it said so."""
    put(desk, FIRST, [("management_key", DONE)])
    name = put(desk, SECOND, steps, FIRST)
    assert holders(desk, SECOND) == expected
    with desk.store.read() as connection:
        assert key_was_restored(connection, [f"prv_{FIRST.int}", name])
        assert not key_was_restored(connection, [f"prv_{FIRST.int}"])
        # No other secret is ever put back.
        assert secret_holders(connection, SECOND, "puk") == [None]


SIMPLE = 0x6985


@pytest.mark.parametrize(
    ("steps", "draws", "following"),
    [
        ([], [], (1, False)),
        ([("puk", SIMPLE)], [], (2, False)),
        ([("puk", 0x6A80), ("puk.2", SIMPLE)], [], (3, False)),
        ([("puk", SIMPLE), ("puk.2", SIMPLE), ("puk.3", SIMPLE)], [], (1, False)),
        ([("puk", SIMPLE), ("puk.2", None)], [2], (2, False)),
        ([("puk", SIMPLE), ("puk.2", DONE)], [2], (2, True)),
        ([("puk", None), ("puk", SIMPLE), ("puk.2", None)], [2, 1], (2, False)),
        ([("puk", DONE), ("puk", SIMPLE), ("puk.2", None)], [2, 1], (2, False)),
        ([("puk", None), ("puk.2", DONE), ("puk.3", None)], [3, 2], (3, False)),
        ([("puk", WRONG)], [], (1, False)),
        ([("puk.2", WRONG)], [], (2, False)),
        ([("puk.4", DONE), ("pin.2", DONE)], [], (1, False)),
    ],
    ids=[
        "never", "simple", "simple-twice", "all-simple", "second-in-doubt", "second-set", "both-in-doubt",
        "set-then-doubt", "doubt-before-set", "old-one-wrong", "old-one-wrong-later", "other-names",
    ],
)  # fmt: skip
def test_the_journal_tells_which_draw_a_card_may_have(
    desk: Desk, steps: Sequence[tuple[str, int | None]], draws: Sequence[int], following: tuple[int, bool]
) -> None:
    """What was sent and not refused, back to the last that the card acknowledged; the next is what it may take."""
    name = put(desk, FIRST, steps)
    with desk.store.read() as connection:
        assert secret_draws(connection, FIRST, "puk") == [*((FIRST, draw) for draw in draws), None]
        assert secret_holders(connection, FIRST, "puk") == ([FIRST, None] if draws else [None])
        assert next_draw(connection, name, "puk") == following
