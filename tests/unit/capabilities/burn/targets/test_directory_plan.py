"""Whom a burn names in directories, what is frozen of them, and how attempts end: rows in memory, no network."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import create_engine, select

from app.capabilities.burn.messages import TargetState
from app.capabilities.burn.tables import burn_subject
from app.capabilities.burn.targets import BurnFacts, Planned, TargetResult
from app.capabilities.burn.targets.connector import AttemptOutcome, AttemptSubject
from app.capabilities.burn.targets.directory import DirectoryTargets, _target_id
from app.capabilities.burn.targets.directory_line import DirectoryLine
from app.capabilities.burn.targets.scim import Scim
from app.capabilities.burn.targets.webhook import Webhook
from app.registry.directories import DirectoryRow
from app.store.errors import SealBroken

FACTS = BurnFacts("burn_1", "ARC-1", "GLOBAL_REVOCATION", 1, "lost", 0, training=False)
STAFF = DirectoryRow("staff", "scim", "Staff", "https://d.invalid", "12345678", None, None, None, None, None, None, ())
PRACTICE = replace(STAFF, directory_id="practice", display_name="Practice", tags=("drill",))
HOOK = replace(STAFF, directory_id="hook", kind="webhook", display_name="Hook")
OLD = replace(STAFF, directory_id="old", kind="peer", display_name="Old")


class Site:
    """Stands for store and registry: one node, its accounts and the directories."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.directories = self.nodes = self
        self.rows: dict[str, Any] = {row.directory_id: row for row in (STAFF, PRACTICE, HOOK, OLD)}
        self.named: list[tuple[str, str]] = [("staff", "t1"), ("staff", "t2"), ("gone", "t3"), ("old", "t4")]
        self.person: Any = SimpleNamespace(email="t1@x", employee_id="E-1", tags=[])

    def probe_with(self, prober: Any) -> None:
        """Taken."""

    def accept_schemes(self, schemes: Any) -> None:
        """Taken."""

    def node(self, connection: Any, node_id: str) -> Any:
        """The node."""
        assert node_id == "ARC-1"
        return self.person

    def accounts(self, connection: Any, node_id: str) -> list[tuple[str, str]]:
        """Its accounts."""
        return self.named

    def without_secrets(self, connection: Any) -> list[DirectoryRow]:
        """All directories."""
        return list(self.rows.values())

    def with_secret(self, connection: Any, directory_id: str) -> Any:
        """One, or a seal that does not open."""
        found = self.rows.get(directory_id)
        if isinstance(found, Exception):
            raise found
        return found

    def read(self) -> Site:
        """As the store."""
        return self

    def __enter__(self) -> Any:
        return self.connection

    def __exit__(self, *_: object) -> None:
        return None


@pytest.fixture
def site() -> Iterator[Site]:
    """Directories of three kinds, of which two can be reached."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        burn_subject.create(connection)
        yield Site(connection)
    engine.dispose()


class Told(Scim):
    """Ends each attempt as the test says."""

    def __init__(self) -> None:
        self.asked: list[AttemptSubject] = []
        self.outcome = AttemptOutcome("revoked", "locked")

    async def revoke(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, deadline_s: float
    ) -> AttemptOutcome:
        """One attempt."""
        self.asked.append(who)
        return self.outcome

    async def probe(self, where: DirectoryRow, deadline_s: float) -> str:
        """One trial."""
        return "there"


def kinds(site: Site, told: Told | None = None, again: list[tuple[str, str]] | None = None) -> DirectoryTargets:
    """Directory targets that reach SCIM and webhooks."""
    tools: Any = SimpleNamespace(http=None)
    made: Any = (told or Told(), Webhook(tools))
    both: Any = site
    turns = [] if again is None else again
    return DirectoryTargets(made, both, both, deadline_s=2.0, again=lambda *turn: turns.append(turn))


def planned(site: Site, facts: BurnFacts = FACTS) -> list[Planned]:
    """The plan of a burn."""
    tx: Any = site
    return list(kinds(site).plan(tx, facts))


NOBODY = "the node has an account in gone, but no such directory is registered"


def test_each_account_and_each_directory_is_a_target(site: Site) -> None:
    """Named accounts one by one; where none is named the person, or the site; and what nobody can reach stays open."""
    assert planned(site) == [
        Planned(_target_id("scim", "staff", "t1"), "scim", "Staff · t1"),
        Planned(_target_id("scim", "staff", "t2"), "scim", "Staff · t2"),
        Planned("scim:practice", "scim", "Practice"),
        Planned("webhook:hook", "webhook", "Hook"),
        Planned(_target_id("peer", "old", "t4"), "peer", "Old · t4"),
        Planned(_target_id("directory", "gone", "t3"), "directory", "gone · t3", "failed", NOBODY),
    ]
    frozen = site.connection.execute(select(burn_subject)).all()
    assert [(row.burn_id, row.directory_id, row.account, row.email, row.employee_id) for row in frozen] == [
        ("burn_1", directory_id, account, "t1@x", "E-1")
        for directory_id, account in (
            ("staff", "t1"),
            ("staff", "t2"),
            ("practice", None),
            ("hook", None),
            ("old", "t4"),
            ("gone", "t3"),
        )
    ]
    assert [row.target_id for row in frozen] == [one.target_id for one in planned(site, replace(FACTS, burn_id="b"))]


def test_a_person_whom_nobody_can_look_for_is_told_at_once(site: Site) -> None:
    """A node that is not registered has neither number nor address; a kind that cannot be reached is no target then."""
    site.person, site.named = None, []
    nothing = "not looked for: the node names no account there, and its employee number and e-mail address is not"
    assert planned(site) == [
        Planned("scim:staff", "scim", "Staff", "unlinked", f"{nothing} registered"),
        Planned("scim:practice", "scim", "Practice", "unlinked", f"{nothing} registered"),
        Planned("webhook:hook", "webhook", "Hook"),
    ]


def test_local_burns_and_drills(site: Site) -> None:
    """A local burn reaches none and freezes nothing; a drill reaches those of drills."""
    assert planned(site, replace(FACTS, scope="LOCAL_ONLY")) == []
    assert site.connection.execute(select(burn_subject)).all() == []
    assert [one.target_id for one in planned(site, replace(FACTS, drill=True))] == ["scim:practice"]
    site.rows = {}
    site.named = []
    assert planned(site) == []


def dispatched(
    site: Site, told: Told, *target_ids: str, again: list[tuple[str, str]] | None = None
) -> dict[str, tuple[TargetState, str]]:
    """How the attempts at these targets ended."""

    async def run() -> list[TargetResult]:
        found: list[TargetResult] = []
        kind = kinds(site, told, again)
        kind.dispatch(FACTS, target_ids, found.append)
        await asyncio.gather(*kind._tasks)
        await kind.stop()
        return found

    return {one.target_id: (one.state, one.evidence) for one in asyncio.run(run())}


def test_attempts_go_to_whom_the_burn_froze(site: Site) -> None:
    """Who was linked since is reached beside the person; what cannot be reached says why."""
    told = Told()
    t1, t2, _, hook, old, gone = [one.target_id for one in planned(site)]
    site.named = [("practice", "late"), ("staff", "t9")]
    site.person = None
    assert dispatched(site, told, t1, "scim:practice") == {
        t1: ("revoked", "locked"),
        "scim:practice": ("revoked", "locked; locked"),
    }
    assert [(who.account, who.email, who.employee_id, who.linked) for who in told.asked] == [
        ("t1", "t1@x", "E-1", ()),
        ("late", "t1@x", "E-1", ()),
        (None, "t1@x", "E-1", ()),
    ]
    site.rows |= {"staff": SealBroken("It does not open."), "hook": replace(STAFF, directory_id="hook")}
    assert dispatched(site, told, t2, hook, old, gone, "scim:never") == {
        t2: ("failed", "It does not open."),
        hook: ("failed", "hook is registered as scim now"),
        old: ("unsupported", "this version reaches no directory of kind peer"),
        gone: ("failed", NOBODY),
        "scim:never": ("failed", "the node has an account in , but no such directory is registered"),
    }
    site.rows["gone"] = replace(STAFF, directory_id="gone")
    assert dispatched(site, told, gone) == {gone: ("revoked", "locked")}


@pytest.mark.parametrize(
    ("outcome", "dead", "waits", "pause"),
    [
        (AttemptOutcome("revoked", "a 12345678"), False, False, None),
        (AttemptOutcome("pending_offline", "no", answered=False), True, True, None),
        (AttemptOutcome("pending_offline", "later", pause_s=9.0), False, False, 9.0),
        (AttemptOutcome("pending_offline", "much later", pause_s=61.0), False, False, 60.0),
    ],
)
def test_what_an_attempt_says_of_its_directory(
    site: Site, outcome: AttemptOutcome, dead: bool, waits: bool, pause: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who does not answer is dead, and its target waits for who finds it; a pause is kept, a minute at most."""
    told, found, pauses = Told(), list[TargetResult](), list[float]()
    told.outcome = outcome
    leave_alone = DirectoryLine.leave_alone

    def noted(line: DirectoryLine, seconds: float) -> None:
        pauses.append(seconds)
        leave_alone(line, seconds)

    monkeypatch.setattr(DirectoryLine, "leave_alone", noted)
    t1 = planned(site)[0].target_id

    async def run() -> None:
        turns: list[tuple[str, str]] = []
        kind = kinds(site, told, turns)
        kind.dispatch(FACTS, [t1], found.append)
        await asyncio.gather(*kind._tasks)
        line = kind._line("staff")
        assert (line.dead_since is not None, bool(line.waiting), line.probing) == (dead, waits, False)
        assert (line.reached, line.found) == ((False, "no") if dead else (True, None))
        line.probing = dead
        kind.dispatch(FACTS, [t1], found.append)
        await asyncio.gather(*kind._tasks)
        closed = dead or pause is not None
        assert (len(told.asked), bool(line.waiting)) == (1 if closed else 2, closed)
        line.release()
        assert turns == [("burn_1", t1)] * closed
        await kind.stop()

    asyncio.run(run())
    assert found[0].evidence == outcome.evidence.replace("12345678", "(secret)")
    assert pauses == ([] if pause is None else [pause])


def test_a_preview_names_the_same_targets(site: Site) -> None:
    """Before anybody was asked nothing is known; then what the trial said."""
    told = Told()

    async def run() -> tuple[Any, Any]:
        kind = kinds(site, told)
        before = kind.preview(site.connection, "ARC-1")
        await kind._looking(site.rows["staff"])  # type: ignore[misc]
        kind._line("practice").note(False, "No connection.")
        after = kind.preview(site.connection, "ARC-1")
        await kind.stop()
        return before, after

    (before, left), (after, _) = asyncio.run(run())
    assert [one.id for one in before] == [one.target_id for one in planned(site)]
    missing = "this version reaches no directory of kind peer"
    told_before = [(None, None)] * 4 + [(None, missing), (False, NOBODY)]
    assert [(one.reachable, one.detail) for one in before] == told_before
    told_after = [(True, None), (True, None), (False, "No connection."), (None, None), (None, missing), (False, NOBODY)]
    assert [(one.reachable, one.detail) for one in after] == told_after
    assert [(one.readable, one.reversible) for one in before] == [(at != 3, False) for at in range(6)]
    sessions = "sessions and tokens that were handed out before, until they end"
    assert [one.what for one in left] == [
        *(f"{name}: {sessions}" for name in ("Staff", "Staff", "Practice")),
        "Hook: what the receiver does with the call is not told",
        "Old: whatever the account may do there",
        "gone: whatever the account may do there",
    ]
    site.person, site.named = None, []
    (seen, *_), (open_, *_) = kinds(site).preview(site.connection, "ARC-1")
    assert (seen.detail or "").startswith("not looked for: ")
    assert open_.what == "Staff: an account of the person that does not bear what was looked for"
    site.person = SimpleNamespace(email="t1@x", employee_id="E-1", tags=["drill"])
    assert [one.id for one in kinds(site).preview(site.connection, "ARC-1")[0]] == ["scim:practice"]
