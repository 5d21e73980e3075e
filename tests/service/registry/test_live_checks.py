"""Live checks of nodes: whose they are, which is the newest, how long they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from sqlalchemy import Connection, select, update

from app.api.problems import Problem
from app.registry.denyset import Cause
from app.registry.messages.nodes import Standing
from app.registry.standing import LIVE_CHECK, STANDING_CHANGE, CheckKind, CheckRow, StandingBook
from app.registry.tables import live_check, node
from app.store.writer import Transaction
from tests.door_site import DoorSite, door_site

T = TypeVar("T")
DAY_US = 86_400_000_000
_FAILED = update(live_check).where(live_check.c.node_id == "ARC-21").values(success=0)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DoorSite]:
    """A site; each test has nodes of its own."""
    with door_site(tmp_path_factory.mktemp("checks") / "site") as made:
        yield made


def people(site: DoorSite, *node_ids: str) -> None:
    """Registered and not verified."""
    for node_id in node_ids:
        site.person(node_id, verified=False)


def recorded(site: DoorSite, node_id: str) -> Standing:
    """What the row says."""
    with site.store.read() as connection:
        found: Standing = connection.scalars(select(node.c.standing).where(node.c.node_id == node_id)).one()
    return found


def succeed(site: DoorSite, node_id: str, kind: CheckKind, ref: str) -> None:
    """A live check of the node that succeeds now."""
    site.write(lambda tx: site.registry.standing.record(tx, node_id=node_id, kind=kind, ref=ref))


def found(site: DoorSite, node_id: str, kind: CheckKind, ref: str) -> CheckRow | None:
    """The node's check under this reference."""
    return read(site, lambda at: site.registry.standing.check(at, node_id, kind, ref))


def read(site: DoorSite, ask: Callable[[Connection], T]) -> T:
    """An answer of one read."""
    with site.store.read() as connection:
        return ask(connection)


def test_a_check_is_that_of_its_node_kind_and_reference(site: DoorSite) -> None:
    """Nobody else's success, none of another kind, none under another reference."""
    people(site, "ARC-11", "ARC-12")
    book = site.registry.standing
    succeed(site, "ARC-11", "palm", "r1")
    succeed(site, "ARC-11", "voice", "r2")
    succeed(site, "ARC-12", "palm", "r3")
    assert (found(site, "ARC-11", "palm", "r3"), found(site, "ARC-12", "palm", "r1")) == (None, None)
    assert (found(site, "ARC-11", "voice", "r1"), found(site, "ARC-11", "palm", "r2")) == (None, None)
    one = found(site, "ARC-11", "palm", "r1")
    assert one is not None
    assert (one.kind, one.ref) == ("palm", "r1")
    newest = read(site, lambda at: book.newest_check(at, "ARC-11", since_us=0))
    assert newest is not None
    assert (newest.kind, newest.ref) == ("voice", "r2")
    assert read(site, lambda at: book.newest_check(at, "ARC-11", since_us=newest.at_us)) == newest
    assert read(site, lambda at: book.newest_check(at, "ARC-11", since_us=newest.at_us + 1)) is None
    assert read(site, lambda at: book.newest_check(at, "ARC-13", since_us=0)) is None


def test_a_check_that_failed_is_none(site: DoorSite) -> None:
    """A failed one is on record and proves nothing."""
    people(site, "ARC-21")
    succeed(site, "ARC-21", "card", "r1")
    site.write(lambda tx: tx.connection.execute(_FAILED))
    assert found(site, "ARC-21", "card", "r1") is None
    assert read(site, lambda at: site.registry.standing.newest_check(at, "ARC-21", since_us=0)) is None


def test_the_last_twenty_checks_are_shown(site: DoorSite) -> None:
    """The newest first, of each node its own."""
    people(site, "ARC-31", "ARC-32")
    book = site.registry.standing

    def many(tx: Transaction) -> None:
        for number in range(21):
            book.record(tx, node_id="ARC-31", kind="palm", ref=f"r{number}")
        book.record(tx, node_id="ARC-32", kind="card", ref="other")

    site.write(many)
    shown = read(site, lambda at: book.checks(at, ["ARC-31", "ARC-32", "ARC-33"]))
    assert [check.ref for check in shown["ARC-31"]] == [f"r{number}" for number in range(20, 0, -1)]
    assert [(check.ref, check.kind, check.success) for check in shown["ARC-32"]] == [("other", "card", True)]
    assert sorted(shown) == ["ARC-31", "ARC-32"]


@pytest.mark.parametrize(
    ("cause", "standing"), [(None, "VERIFIED_DIGITAL_HUMAN"), ("brake", "UNVERIFIED"), ("burn", "UNVERIFIED")]
)
def test_a_check_of_a_denied_node_changes_nothing(site: DoorSite, cause: Cause | None, standing: str) -> None:
    """It is recorded with its leaf; who is burned or contained is not verified by it."""
    node_id = f"ARC-4-{cause}"
    people(site, node_id)
    deny, before = site.registry.deny, site.actions().count(LIVE_CHECK)
    if cause is not None:
        site.write(lambda tx: deny.store(tx, node_id, cause, f"of-{node_id}"))
    succeed(site, node_id, "palm", f"r-{node_id}")
    assert recorded(site, node_id) == standing
    assert site.actions().count(LIVE_CHECK) == before + 1
    assert found(site, node_id, "palm", f"r-{node_id}") is not None


def test_a_check_of_nobody_is_refused(site: DoorSite) -> None:
    """The caller is told to register the node."""
    with pytest.raises(Problem, match="No node ARC-99") as refused:
        succeed(site, "ARC-99", "palm", "r")
    assert refused.value.code == "not_found"


def test_a_window_ends_for_those_whose_it_is(site: DoorSite) -> None:
    """At its very end, oldest first, as many as asked for; each falls once, with its leaf."""
    people(site, "ARC-51", "ARC-52", "ARC-53", "ARC-54")
    book = StandingBook(DAY_US)
    fallen: list[tuple[str, Standing]] = []
    book.on_fall(lambda tx, node_id, to: fallen.append((node_id, to)))

    ages = {"ARC-51": DAY_US, "ARC-52": 3 * DAY_US, "ARC-53": DAY_US - 1, "ARC-54": 2 * DAY_US}

    def age(tx: Transaction) -> None:
        for node_id, age_us in ages.items():
            book.record(tx, node_id=node_id, kind="palm", ref=node_id)
            row = update(node).where(node.c.node_id == node_id)
            tx.connection.execute(row.values(verified_us=tx.now_us - age_us))
        told.append(book.expire(tx, 2))
        told.append(book.expire(tx, 2))
        told.append(book.expire(tx))

    told: list[int] = []
    before = site.actions().count(STANDING_CHANGE)
    site.write(lambda tx: tx.connection.execute(update(node).values(verified_us=None)))
    site.write(age)
    assert told == [2, 1, 0]
    assert fallen == [("ARC-52", "EXPIRED"), ("ARC-54", "EXPIRED"), ("ARC-51", "EXPIRED")]
    assert [recorded(site, node_id) for node_id in ages].count("EXPIRED") == 3
    assert recorded(site, "ARC-53") == "VERIFIED_DIGITAL_HUMAN"
    assert site.actions().count(STANDING_CHANGE) == before + 3


def test_a_change_is_written_once(site: DoorSite) -> None:
    """Nothing for who has it already, nor for nobody; who becomes verified does not fall."""
    people(site, "ARC-61")
    book = StandingBook(DAY_US)
    fallen: list[tuple[str, Standing]] = []
    book.on_fall(lambda tx, node_id, to: fallen.append((node_id, to)))
    before = site.actions().count(STANDING_CHANGE)

    def change(tx: Transaction) -> None:
        for to in ("UNVERIFIED", "VERIFIED_DIGITAL_HUMAN", "REVOKED", "REVOKED"):
            book.change(tx, "ARC-61", to, actor="key-test", ref="why")
        book.change(tx, "ARC-98", "REVOKED", actor="key-test", ref="why")

    site.write(change)
    assert (recorded(site, "ARC-61"), fallen) == ("REVOKED", [("ARC-61", "REVOKED")])
    assert site.actions().count(STANDING_CHANGE) == before + 2
