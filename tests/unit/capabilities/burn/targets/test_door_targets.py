"""Doors, terminals and services that hold grants as targets of a burn: whom a plan names, how an attempt ends, what a
preview shows and what access is left. Rows in memory, the fleet in the test's hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import create_engine

from app.capabilities.burn.messages import Residual, TargetState
from app.capabilities.burn.targets import BurnFacts, Planned, TargetResult, terminal
from app.capabilities.burn.targets.holder import HolderTargets
from app.capabilities.burn.targets.reader import ReaderTargets
from app.capabilities.burn.targets.terminal import TerminalTargets
from app.delivery.events import Holding
from app.pki.crl import ClockBehind, NodeRevocation, NotListed, RevocationList
from app.pki.revocation import NodeCertificate
from app.store.errors import StoreUnavailable
from hardware.readers.errors import FleetStopped
from hardware.readers.reader import Ack

HOUR = 3_600_000_000
FACTS = BurnFacts("burn_1", "ARC-1", "GLOBAL_REVOCATION", 5, "lost", 0, training=False)
DRILL = BurnFacts("burn_1", "ARC-1", "GLOBAL_REVOCATION", 5, "lost", 0, training=False, drill=True)
TABLES = (
    "CREATE TABLE node (node_id TEXT, tags TEXT)",
    "INSERT INTO node VALUES ('ARC-1', '[]'), ('ARC-9', '[\"drill\"]')",
    "CREATE TABLE reader_cluster (cluster_id TEXT, display_name TEXT, tags TEXT)",
    "INSERT INTO reader_cluster VALUES ('east', 'East', '[\"x\"]'), ('gym', 'Gym', '[\"drill\"]')",
    "CREATE TABLE reader (reader_id TEXT, cluster_id TEXT, position INTEGER, onboard_list INTEGER)",
    "INSERT INTO reader VALUES ('g1', 'gym', 0, 0), ('e2', 'east', 1, 1), ('e1', 'east', 0, 0)",
    "CREATE TABLE terminal (terminal_id TEXT, tags TEXT)",
    "INSERT INTO terminal VALUES ('p1', '[]'), ('p2', '[\"drill\"]')",
    "CREATE TABLE terminal_bundle (terminal_id TEXT, issue INTEGER, sealed_to TEXT, head_sha256 BLOB, "
    "registry_id TEXT, key_epoch INTEGER, access_epoch INTEGER, nodes INTEGER, issued_us INTEGER, "
    "not_after_us INTEGER, taken_us INTEGER)",
)


class Store:
    """One connection, whose transactions end when the test says so."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.now_us = HOUR
        self.later: list[Callable[[], None]] = []

    def after_commit(self, work: Callable[[], None]) -> None:
        """As a transaction."""
        self.later.append(work)

    def commit(self) -> None:
        """What waits for it is done."""
        work, self.later = self.later, []
        for each in work:
            each()

    def read(self) -> Store:
        """As the store."""
        return self

    def __enter__(self) -> Any:
        return self.connection

    def __exit__(self, *_: object) -> None:
        return None

    def run(self, statement: str) -> None:
        """One statement."""
        self.connection.exec_driver_sql(statement)


@pytest.fixture
def store() -> Iterator[Store]:
    """Two clusters with three doors, and two terminals."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        made = Store(connection)
        for statement in TABLES:
            made.run(statement)
        yield made
    engine.dispose()


class Fleet:
    """Doors in the test's hand. ``answers``: what each that is driven says."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.stopped = False
        self.told: list[tuple[int, str]] = []

    def tell(self, epoch: int, digest: bytes, report: Callable[[str, Any], None], node_id: str) -> set[str]:
        """As ``ReaderFleet``."""
        if self.stopped:
            raise FleetStopped("stopped")
        self.told.append((epoch, node_id))
        for reader_id, answer in self.answers.items():
            report(reader_id, answer)
        return set(self.answers)

    def states(self) -> dict[str, Any]:
        """Which are online."""
        return {name: SimpleNamespace(secure_channel=one.secure_channel) for name, one in self.answers.items()}


class Clusters:
    """Tells of changes."""

    def on_change(self, listener: Callable[..., None]) -> None:
        """One listener."""
        self.listener = listener


def readers(store: Store, fleet: Fleet | None = None) -> tuple[ReaderTargets, Clusters]:
    """The kind, and where changes are told."""
    clusters = Clusters()
    one: Any = store
    doors: Any = fleet or Fleet()
    said: Any = clusters
    return ReaderTargets(doors, one, said), clusters


def ack(name: str, delta: bool | None, *, channel: bool = True) -> Ack:
    """A door's answer."""
    return Ack(name, 5, delta, 1.0, 1.0, channel)


def dispatched(kind: Any, facts: BurnFacts, *target_ids: str) -> dict[str, tuple[TargetState, str]]:
    """How each attempt ended; each is told once."""
    found: list[TargetResult] = []
    kind.dispatch(facts, target_ids, found.append)
    assert len(found) == len({one.target_id for one in found})
    return {one.target_id: (one.state, one.evidence) for one in found}


# --- doors ---

E1, E2, G1 = (
    Planned("reader:e1", "reader", "e1 · East"),
    Planned("reader:e2", "reader", "e2 · East"),
    Planned("reader:g1", "reader", "g1 · Gym"),
)


def test_every_door_is_a_target_and_a_drill_has_those_of_drills(store: Store) -> None:
    """In the order of clusters and places."""
    kind, _ = readers(store)
    tx: Any = store
    assert kind.plan(tx, FACTS) == [E1, E2, G1]
    assert kind.plan(tx, DRILL) == [G1]
    assert (kind.owns("reader"), kind.owns("local"), kind.looks_again("reader")) == (True, False, False)


def test_a_plan_is_kept_until_a_door_changes(store: Store) -> None:
    """From the commit of the transaction that read it; a change in between, or afterwards, makes it void."""
    kind, clusters = readers(store)
    tx: Any = store
    kind.plan(tx, FACTS)
    store.run("DELETE FROM reader WHERE reader_id = 'e1'")
    assert kind.plan(tx, FACTS) == [E2, G1]
    store.commit()
    store.run("DELETE FROM reader WHERE reader_id = 'e2'")
    assert kind.plan(tx, FACTS) == [E2, G1]
    assert store.later == []
    assert kind.plan(tx, DRILL) == [G1]
    clusters.listener(tx, "east", None)
    assert kind.plan(tx, FACTS) == [G1]
    clusters.listener(tx, "east", None)
    store.commit()
    store.run("DELETE FROM reader")
    assert kind.plan(tx, FACTS) == []


def test_doors_are_told_and_say_what_is_proven(store: Store) -> None:
    """Those that were asked about alone; one that is not driven waits, one that is gone grants nothing."""
    fleet = Fleet(e1=ack("e1", True), e2=ack("e2", False), g1=ack("g1", None, channel=False))
    kind, _ = readers(store, fleet)
    assert dispatched(kind, FACTS, "reader:e1", "reader:e2") == {
        "reader:e1": ("revoked", "controller at epoch 5; acknowledged over secure channel"),
        "reader:e2": ("pending_offline", "controller at epoch 5; the reader's own list is not reached yet"),
    }
    assert fleet.told == [(5, "ARC-1")]
    del fleet.answers["e2"]
    assert dispatched(kind, FACTS, "reader:e2", "reader:gone", "reader:g1") == {
        "reader:e2": ("pending_offline", "the reader is registered but not driven yet"),
        "reader:gone": ("revoked", "the reader is no longer registered: nothing is granted through it"),
        "reader:g1": ("revoked", "controller at epoch 5; the reader is offline, nothing is granted through it"),
    }
    fleet.stopped = True
    stopped = ("pending_offline", "the readers are not driven now")
    assert dispatched(kind, FACTS, "reader:e1", "reader:gone") == {"reader:e1": stopped, "reader:gone": stopped}


def test_a_preview_shows_which_doors_decide_alone(store: Store) -> None:
    """Offline is no exposure where the controller decides; a drill sees its own doors."""
    fleet = Fleet(e1=ack("e1", True), g1=ack("g1", None, channel=False))
    kind, _ = readers(store, fleet)
    found, left = kind.preview(store.connection, "ARC-1")
    assert [(one.id, one.kind, one.display_name, one.reachable, one.detail) for one in found] == [
        ("reader:e1", "reader", "e1 · East", True, None),
        ("reader:e2", "reader", "e2 · East", False, "offline now; it decides by its own list until it is back"),
        ("reader:g1", "reader", "g1 · Gym", False, "offline now; this controller denies all the same"),
    ]
    alone = Residual(what="Reader e2: what it decides by itself until it is reached", until=None)
    assert (left, all(one.reversible for one in found)) == ([alone], True)
    fleet.answers["e2"] = ack("e2", True)
    assert kind.preview(store.connection, "ARC-1")[1] == []
    assert [one.id for one in kind.preview(store.connection, "ARC-9")[0]] == ["reader:g1"]
    assert len(kind.preview(store.connection, "nobody")[0]) == 3


@pytest.mark.parametrize(
    ("state", "left"),
    [("revoked", False), ("already", False), ("closed", False), ("pending_offline", True), ("failed", True)],
)
def test_what_is_left_at_a_door(store: Store, state: TargetState, left: bool) -> None:
    """Nothing once it is final."""
    alone = Residual(what="Reader e2: what it decides by itself until it is reached", until=None)
    assert readers(store)[0].residual("reader", "reader:e2", state, 0) == (alone if left else None)


# --- terminals ---


def handed(store: Store, name: str, issue: int, epoch: int, issued: int, ends: int | None) -> None:
    """A bundle that a terminal may have."""
    until = "NULL" if ends is None else str(ends)
    values = f"'{name}', {issue}, 'key', NULL, 'r', 1, {epoch}, 1, {issued}, {until}, NULL"
    store.run(f"INSERT INTO terminal_bundle VALUES ({values})")


@pytest.fixture
def terminals(store: Store, monkeypatch: pytest.MonkeyPatch) -> TerminalTargets:
    """At one o'clock."""
    monkeypatch.setattr(terminal, "now_us", lambda: HOUR)
    one: Any = store
    return TerminalTargets(one)


def test_terminals_that_may_decide_are_targets(store: Store, terminals: TerminalTargets) -> None:
    """Until their last bundle has ended; a drill has its own."""
    tx: Any = store
    assert (terminals.plan(tx, FACTS), terminals.plan(tx, DRILL)) == ([], [])
    handed(store, "p1", 1, 4, 0, 3 * HOUR)
    handed(store, "p2", 2, 4, 0, 2 * HOUR)
    handed(store, "p3", 3, 4, 0, HOUR)
    handed(store, "p4", 4, 4, 0, 2 * HOUR)
    names = ("p1", "p2", "p4")
    assert terminals.plan(tx, FACTS) == [Planned(f"terminal:{name}", "terminal", name) for name in names]
    assert terminals.plan(tx, DRILL) == [Planned("terminal:p2", "terminal", "p2")]
    found, left = terminals.preview(store.connection, "ARC-1")
    assert [one.id for one in found] == [f"terminal:{name}" for name in names]
    assert left[0] == Residual(
        what="Terminal p1: what it decides by itself while its line is down", until="1970-01-01T03:00:00.000000Z"
    )
    assert [one.id for one in terminals.preview(store.connection, "ARC-9")[0]] == ["terminal:p2"]
    assert (terminals.owns("terminal"), terminals.owns("reader"), terminals.looks_again("x")) == (True, False, False)
    assert {(one.reachable, one.reversible) for one in found} == {(None, True)}


def test_a_terminal_is_judged_by_its_own_bundles(store: Store, terminals: TerminalTargets) -> None:
    """One that has none any more proves it."""
    handed(store, "p1", 1, 4, 0, 3 * HOUR)
    alone = "it may decide alone until 1970-01-01T03:00:00.000000Z, or until it has taken"
    found = dispatched(terminals, FACTS, "terminal:p1", "terminal:p2")
    assert found["terminal:p1"] == ("pending_offline", f"{alone} a bundle made after the burn and says so")
    assert found["terminal:p2"] == ("revoked", "what it was given to decide by has ended")


def test_what_is_left_at_a_terminal(store: Store, terminals: TerminalTargets) -> None:
    """By what it had when the burn came; after a clock that was set back rather too much."""
    assert terminals.residual("terminal", "terminal:p1", "failed", HOUR) is None
    handed(store, "p1", 1, 4, HOUR, 3 * HOUR)
    handed(store, "p1", 2, 5, HOUR + 1, 9 * HOUR)

    def until(state: TargetState, at_us: int) -> str | None:
        left = terminals.residual("terminal", "terminal:p1", state, at_us)
        return None if left is None else left.until

    assert until("pending_offline", HOUR) == "1970-01-01T03:00:00.000000Z"
    assert until("pending_offline", HOUR - 1) == "1970-01-01T09:00:00.000000Z"
    assert until("revoked", HOUR) is None


# --- holders ---


class Lists:
    """Revocation lists in the test's hand."""

    def __init__(self, answer: Any = None, until: int | None = None) -> None:
        self.answer = answer
        self.until = until
        self.asked: list[object] = []

    async def publish_node(self, node_id: str) -> Any:
        """The answer, or the error."""
        self.asked.append(node_id)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def believed_until(self, at_us: int) -> int | None:
        """Until when an older one is believed."""
        self.asked.append(at_us)
        return self.until


class Grants:
    """A holder of a card with two certificates and a permit."""

    def revoke(self, tx: Any, node_id: str, burn_id: str) -> Sequence[Any]:
        """What was revoked."""
        assert (node_id, burn_id) == ("ARC-1", "burn_1")
        made = (("card", "c1", False), ("card", "c2", True), ("permit", "p1", False), ("permit", "p2", True))
        return [
            SimpleNamespace(kind=kind, id=name, display_name=name.upper(), detail=f"d {name}", already=already)
            for kind, name, already in made
        ]

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """What there is."""
        assert node_id == "ARC-1"
        return [
            Holding("c", "card", "Cards", 2, False, "for good"),
            Holding("p", "permit", "Permits", 3, True, "until it is lifted"),
        ]


def holders(lists: Lists | None = None, *, told_where: bool = True) -> HolderTargets:
    """The kind with one holder."""
    grants: Any = [Grants()]
    published: Any = lists or Lists()
    return HolderTargets(grants, published, told_where=told_where)


UNSIGNED = "the certificates are revoked here; no signed revocation list names them yet"


def test_what_a_holder_revokes_is_proven_but_for_cards(store: Store) -> None:
    """A card's certificates are believed until a signed list names them."""
    tx: Any = store
    assert holders().plan(tx, FACTS) == [
        Planned("card:c1", "card", "C1", "pending_offline", UNSIGNED),
        Planned("card:c2", "card", "C2", "pending_offline", UNSIGNED),
        Planned("permit:p1", "permit", "P1", "revoked", "d p1"),
        Planned("permit:p2", "permit", "P2", "already", "d p2"),
    ]
    kind = holders()
    owned = ("card", "grant", "holder", "permit", "seal", "session", "template")
    assert [kind.owns(name) for name in (*owned, "reader")] == [True] * 7 + [False]
    assert [kind.looks_again(name) for name in ("card", "permit")] == [False, None]
    assert kind.cards("ARC-1") == 2


PROOF = NodeRevocation(RevocationList(3, 0, HOUR, "", b""), [NodeCertificate(1, "c1", 1, "burn_1")])


@pytest.mark.parametrize(
    ("answer", "state", "evidence"),
    [
        (
            PROOF,
            "revoked",
            "1 certificates of 1 card are in revocation list 3, good until 1970-01-01T01:00:00.000000Z",
        ),
        (NotListed(), "failed", "the newest revocation list misses a certificate of the node"),
        (StoreUnavailable("The disk is full."), "pending_offline", f"{UNSIGNED}: The disk is full."),
        (ClockBehind("The clock stands."), "pending_offline", f"{UNSIGNED}: The clock stands."),
        (RuntimeError("bug"), "pending_offline", f"{UNSIGNED}: see the service's log"),
    ],
)
def test_cards_are_proven_by_a_list(answer: object, state: TargetState, evidence: str) -> None:
    """What keeps it from being signed is told; a permit that is asked about was revoked by its own row."""

    async def run() -> list[TargetResult]:
        found: list[TargetResult] = []
        kind = holders(Lists(answer))
        kind.dispatch(FACTS, ["card:c1", "permit:p1"], found.append)
        await asyncio.gather(*kind._tasks)
        await kind.stop()
        return found

    assert [(one.target_id, one.state, one.evidence) for one in asyncio.run(run())] == [
        ("permit:p1", "already", "revoked by the burn's own transaction"),
        ("card:c1", state, evidence),
    ]


def test_what_a_preview_shows_of_holders(store: Store) -> None:
    """How many, whether it comes back, and what an older list leaves open."""
    found, left = holders(Lists(until=HOUR)).preview(store.connection, "ARC-1")
    assert [(one.id, one.kind, one.display_name, one.reachable, one.reversible, one.detail) for one in found] == [
        ("card:c", "card", "Cards: 2", True, False, "for good"),
        ("permit:p", "permit", "Permits: 3", True, True, "until it is lifted"),
    ]
    older = Residual(
        what="Systems that go by an older revocation list of this site", until="1970-01-01T01:00:00.000000Z"
    )
    assert left == [older]
    assert holders(Lists(until=HOUR)).residual("card", "card:c1", "revoked", 7) == older
    assert holders(Lists()).residual("card", "card:c1", "revoked", 7) is None
    assert holders(Lists(until=HOUR)).residual("permit", "permit:p1", "revoked", 7) is None
    assert holders(Lists(), told_where=False).residual("card", "card:c1", "revoked", 7) == Residual(
        what="Systems that accept the cards' certificates without asking this site", until=None
    )
