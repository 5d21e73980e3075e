"""Sessions by a clock that the test moves."""

from __future__ import annotations

import pytest

from app.api.keys import Unauthenticated, make_key
from app.api.operation import Clearance
from app.api.problems import Problem
from app.api.roles import Role
from app.operators import sessions as module
from app.operators.sessions import PER_OPERATOR, EndedSession, Sessions, SignInIdentity

LONGEST_S, IDLE_S = 1_000.0, 100.0


class Clocked:
    """Sessions with a clock, a set of denied nodes, and what was told of ends."""

    def __init__(self) -> None:
        self.now = 50.0
        self.denied: set[str] = set()
        self.ended: list[EndedSession] = []
        self.sessions = Sessions(
            longest_s=LONGEST_S, idle_s=IDLE_S, is_denied=self.denied.__contains__, clock=lambda: self.now
        )
        self.sessions.on_end(self.ended.extend)

    def open(self, operator_id: str = "op_1", node_id: str | None = "ARC-1", unit_id: str = "desk") -> tuple[str, str]:
        """Key and id of a new session."""
        identity = SignInIdentity(operator_id, "Somebody", node_id, frozenset({Role.DESK}))
        key, session = self.sessions.open(identity, unit_id, "passphrase")
        return key, session.session_id

    def cause(self, key: str) -> str:
        """Why the key opens nothing; empty: it does."""
        try:
            self.sessions.authenticate(key.encode())
        except Unauthenticated as refused:
            return refused.cause
        return ""


@pytest.fixture
def clocked() -> Clocked:
    """Sessions at second 50."""
    return Clocked()


def test_a_key_opens_calls_of_its_operator(clocked: Clocked) -> None:
    """The caller is the operator with roles, session and unit; another key, or one changed in a letter, opens
    nothing."""
    key, session_id = clocked.open()
    caller = clocked.sessions.authenticate(key.encode())
    assert (caller.key_id, caller.roles, caller.grant_id) == ("op_1", frozenset({Role.DESK}), session_id)
    assert caller.acting is not None
    assert (caller.acting.actor, caller.acting.unit_id) == ("op_1", "desk")
    assert clocked.cause(key[:-1] + ("a" if key[-1] != "a" else "b")) == "unknown"
    assert clocked.cause(make_key(Clearance.CITADEL)) == "unknown"


def test_it_ends_after_its_longest_time(clocked: Clocked) -> None:
    """Also for somebody who is always there: to the second."""
    key, session_id = clocked.open()
    for _ in range(19):
        clocked.now += 52.6
        clocked.sessions.note_act(session_id)
    clocked.now = 50.0 + LONGEST_S - 0.001
    assert clocked.cause(key) == ""
    clocked.now += 0.001
    assert clocked.cause(key) == "expired"
    assert clocked.cause(key) == "unknown"
    assert [(one.session_id, one.cause) for one in clocked.ended] == [(session_id, "expired")]


def test_it_ends_when_nobody_is_there(clocked: Clocked) -> None:
    """Calls alone are no sign; an act is, and begins the time anew."""
    key, session_id = clocked.open()
    clocked.now += IDLE_S - 0.001
    assert clocked.cause(key) == ""
    clocked.sessions.note_act(session_id)
    clocked.now += IDLE_S - 0.001
    assert clocked.cause(key) == ""
    clocked.now += 0.001
    assert clocked.cause(key) == "idle"


@pytest.mark.parametrize(("node_id", "out"), [("ARC-1", True), ("ARC-2", False), (None, False)])
def test_a_denied_node_is_out_at_its_next_call(clocked: Clocked, node_id: str | None, out: bool) -> None:
    """Nothing has to be told for that: the deny set is asked each time."""
    key, _ = clocked.open(node_id=node_id)
    clocked.denied.add("ARC-1")
    assert clocked.cause(key) == ("denied" if out else "")


def test_what_is_over_ends_without_a_call(clocked: Clocked) -> None:
    """A look at all sessions ends those whose time is over or whose node is denied, each with its cause, and no
    other."""
    clocked.open("op_denied", "ARC-9")
    clocked.open("op_idle", "ARC-8")
    clocked.now += IDLE_S / 2
    key, _ = clocked.open("op_here", "ARC-7")
    clocked.denied.add("ARC-9")
    clocked.now += IDLE_S / 2
    clocked.sessions.end_over()
    assert sorted((one.operator_id, one.cause) for one in clocked.ended) == [
        ("op_denied", "denied"),
        ("op_idle", "idle"),
    ]
    assert clocked.cause(key) == ""
    clocked.sessions.end_over()
    assert len(clocked.ended) == 2


def test_denials_end_sessions_when_told(clocked: Clocked) -> None:
    """``end_denied`` ends those of denied nodes alone."""
    clocked.open("op_1", "ARC-1")
    key, _ = clocked.open("op_2", "ARC-2")
    clocked.denied.add("ARC-1")
    clocked.sessions.end_denied()
    assert [one.operator_id for one in clocked.ended] == ["op_1"]
    assert clocked.cause(key) == ""


def test_an_operator_or_a_unit_loses_its_own_sessions(clocked: Clocked) -> None:
    """Another operator's, another unit's and the excepted one go on."""
    (kept, kept_id), (gone, _), (other, _) = clocked.open("op_1"), clocked.open("op_1"), clocked.open("op_2")
    elsewhere, _ = clocked.open("op_3", unit_id="other")
    clocked.sessions.end_operator("op_1", "changed", but=kept_id)
    assert [clocked.cause(key) for key in (kept, gone, other)] == ["", "unknown", ""]
    clocked.sessions.end_unit("desk")
    assert [clocked.cause(key) for key in (kept, other, elsewhere)] == ["unknown", "unknown", ""]


def test_a_session_is_ended_once(clocked: Clocked) -> None:
    """The second time there is nothing to end, and nothing is told."""
    _, session_id = clocked.open()
    first = clocked.sessions.end(session_id, "locked")
    assert first == EndedSession(session_id, "op_1", "desk", "locked")
    assert clocked.sessions.end(session_id, "locked") is None
    assert clocked.ended == [first]
    assert clocked.sessions.get(session_id) is None
    assert not clocked.sessions.is_open(session_id)


def test_one_operator_has_a_few(clocked: Clocked) -> None:
    """For one more the one that was idle longest ends, not the oldest."""
    opened = [clocked.open() for _ in range(PER_OPERATOR)]
    clocked.now += 1
    clocked.sessions.note_act(opened[0][1])
    clocked.open()
    assert clocked.cause(opened[0][0]) == ""
    assert [(one.session_id, one.cause) for one in clocked.ended] == [(opened[1][1], "more")]


def test_a_service_has_a_bound(clocked: Clocked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond it nobody signs in, and nobody is thrown out."""
    monkeypatch.setattr(module, "SESSIONS_MAX", 2)
    keys = [clocked.open(f"op_{number}")[0] for number in range(2)]
    with pytest.raises(Problem) as refused:
        clocked.open("op_9")
    assert refused.value.code == "rate_limited"
    assert [clocked.cause(key) for key in keys] == ["", ""]


def test_a_list_names_those_that_are_open(clocked: Clocked) -> None:
    """Oldest first, without one whose time is over; each with how long it was idle."""
    clocked.open("op_1")
    clocked.now += IDLE_S - 10
    clocked.open("op_2")
    clocked.now += 5
    shown = clocked.sessions.all()
    assert [(one.operator_id, one.idle_s, one.idle_limit_s) for one in shown] == [
        ("op_1", IDLE_S - 5, IDLE_S),
        ("op_2", 5.0, IDLE_S),
    ]
    clocked.now += 5
    assert [one.operator_id for one in clocked.sessions.all()] == ["op_2"]


def test_no_key_is_kept(clocked: Clocked) -> None:
    """What the sessions hold of a key is no part of it."""
    key, _ = clocked.open()
    held = repr(vars(clocked.sessions)) + repr([digest.hex() for digest in clocked.sessions._by_digest])
    assert key not in held
    assert key.encode().hex() not in held


def test_what_is_open_is_said(clocked: Clocked) -> None:
    """While it opens calls, and not a moment longer."""
    _, session_id = clocked.open()
    assert clocked.sessions.is_open(session_id)
    assert not clocked.sessions.is_open("ses_none")
    clocked.now += IDLE_S
    assert not clocked.sessions.is_open(session_id)
