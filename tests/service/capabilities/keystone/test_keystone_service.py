"""Sessions of rotating codes over a real store, by a clock that the test turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.api.problems import Problem
from app.capabilities.keystone import service as keystone_service
from app.capabilities.keystone.messages import LIFETIME_S, CodeSession, QrRotateBody, QrSession, QrVerdict, QrVerifyBody
from app.capabilities.keystone.service import REPLAYED, Keystone
from app.registry.messages.terminals import TerminalBody
from tests.door_site import ACTOR, DoorSite, door_site

MS = 1_000_000
STEP = 400 * MS
NODE, TERMINAL, SLOW = "ARC-1", "T-14", "T-15"
REFUSED = QrVerdict(accepted=False, step_age=None, sid=None)


class Clock:
    """Nanoseconds, as the test sets them."""

    def __init__(self) -> None:
        self.now = 5_000_000_000_123

    def __call__(self) -> int:
        return self.now


class Bench:
    """One service with two terminals and a person."""

    def __init__(self, site: DoorSite) -> None:
        self.site = site
        self.clock = Clock()
        self.keystone = Keystone(site.store, site.registry, site.alarms, self.clock)
        site.person(NODE)
        for terminal_id, slow in ((TERMINAL, False), (SLOW, True)):
            body = TerminalBody(kind="keystone", slow_link=slow)
            asyncio.run(site.registry.terminals.put(terminal_id, body, actor=ACTOR))

    def rotate(self, **fields: Any) -> QrSession:
        """Opens or renews."""
        return asyncio.run(self.keystone.rotate(msgspec.convert(fields, QrRotateBody), actor=ACTOR))

    def verify(self, payload: str, terminal_id: str = TERMINAL) -> QrVerdict:
        """Judges a payload at the clock's time."""
        body = msgspec.convert({"payload": payload, "terminal_id": terminal_id}, QrVerifyBody)
        return asyncio.run(self.keystone.verify(body, actor=ACTOR))

    def refusal(self, work: Callable[[], object]) -> str:
        """Code of the problem."""
        with pytest.raises(Problem) as refused:
            work()
        return refused.value.code

    def reasons(self) -> list[str]:
        """Why codes were not accepted, as the audit log says, in order."""
        with self.site.store.read() as connection:
            rows = connection.exec_driver_sql("SELECT payload FROM audit_entry ORDER BY seq").scalars().all()
        found = [msgspec.json.decode(row) for row in rows if row is not None]
        details = [entry.get("detail", entry) for entry in found]
        return [str(detail["reason"]) for detail in details if "reason" in detail]

    def write(self, job: Callable[[Any], Any]) -> Any:
        """One transaction."""
        return self.site.store.writer.submit(job).result(60)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Fresh."""
    with door_site(tmp_path / "site") as made:
        yield Bench(made)


def terminal(session: QrSession) -> CodeSession:
    """What the terminal shows."""
    return CodeSession.of_reply(session.session_token, session.seed_nonce, session.terminal_id)


def test_a_session_says_what_the_specification_names(bench: Bench) -> None:
    """Token, interval and nonce, and beside them what a terminal needs."""
    made = bench.rotate(terminal_id=TERMINAL)
    assert (made.rotation_interval_ms, made.terminal_id) == (400, TERMINAL)
    assert (len(made.session_token), len(made.seed_nonce)) == (43, 34)
    assert made.sid == terminal(made).sid.hex()


@pytest.mark.parametrize(
    ("step", "at_ms", "terminal_id", "age"),
    [
        (10, 4000, TERMINAL, 0),
        (10, 4399, TERMINAL, 0),
        (10, 4400, TERMINAL, 1),
        (10, 4799, TERMINAL, 1),
        (10, 4800, TERMINAL, None),
        (10, 4800, SLOW, 2),
        (10, 5199, SLOW, 2),
        (10, 5200, SLOW, None),
        (10, 3900, TERMINAL, -1),
        (10, 3899, TERMINAL, None),
        (11, 3999, TERMINAL, None),
        (0, 0, TERMINAL, 0),
    ],
)
def test_a_code_counts_at_its_time(bench: Bench, step: int, at_ms: int, terminal_id: str, age: int | None) -> None:
    """Its own step and the next; 100 ms before it; a step longer on a slow link."""
    made = bench.rotate(terminal_id=terminal_id)
    bench.clock.now += at_ms * MS
    found = bench.verify(terminal(made).payload(step), terminal_id)
    expected = REFUSED if age is None else QrVerdict(accepted=True, step_age=age, sid=made.sid)
    assert found == expected


def test_a_code_is_accepted_once(bench: Bench) -> None:
    """Again is 409 and an alarm, within its time and long after; the next code is another one."""
    made = bench.rotate(terminal_id=TERMINAL, node_id=NODE)
    shown = terminal(made)
    assert bench.verify(shown.payload(0)).accepted
    assert bench.refusal(lambda: bench.verify(shown.payload(0))) == "replayed"
    (alarm,) = bench.site.alarms.open()
    assert (alarm.kind, alarm.ref, alarm.node_id) == (REPLAYED, TERMINAL, NODE)
    bench.clock.now += 60 * STEP
    assert bench.refusal(lambda: bench.verify(shown.payload(0))) == "replayed"
    assert bench.verify(shown.payload(60)).accepted
    assert len(bench.site.alarms.open()) == 1


def test_an_alarm_ends_an_hour_after_the_last_replay(bench: Bench) -> None:
    """Also one that an earlier process raised."""
    made = bench.rotate(terminal_id=TERMINAL)
    bench.verify(terminal(made).payload(0))
    bench.refusal(lambda: bench.verify(terminal(made).payload(0)))
    again = Keystone(bench.site.store, bench.site.registry, bench.site.alarms, bench.clock)
    bench.clock.now += 3599 * 1_000 * MS
    bench.write(again.sweep)
    assert len(bench.site.alarms.open()) == 1
    bench.clock.now += 1_000 * MS
    bench.write(again.sweep)
    assert bench.site.alarms.open() == []


def test_of_two_verifications_one_is_accepted(bench: Bench) -> None:
    """However close they come: 40 codes, each sent by four threads."""
    made = bench.rotate(terminal_id=TERMINAL)

    def attempt(payload: str) -> str:
        try:
            return str(bench.verify(payload).accepted)
        except Problem as problem:
            return problem.code

    with ThreadPoolExecutor(4) as pool:
        for step in range(40):
            payload = terminal(made).payload(step)
            assert sorted(pool.map(attempt, [payload] * 4)) == ["True", "replayed", "replayed", "replayed"]
            bench.clock.now += STEP


def test_whatever_is_wrong_looks_the_same(bench: Bench) -> None:
    """A foreign session, terminal, proof, time or text: one reply; the cause stands in the log alone."""
    made = bench.rotate(terminal_id=TERMINAL)
    shown = terminal(made)
    forged = shown.payload(0)[:-1] + ("0" if shown.payload(0)[-1] != "0" else "1")
    stranger = CodeSession(bytes(32), bytes(16), TERMINAL)
    wrong = [
        (stranger.payload(0), TERMINAL),
        (shown.payload(0), SLOW),
        (forged, TERMINAL),
        (shown.payload(9), TERMINAL),
        ("KQ1:" + ":" * 53, TERMINAL),
    ]
    assert [bench.verify(*case) for case in wrong] == [REFUSED] * len(wrong)
    assert bench.reasons() == ["unknown", "terminal", "proof", "time", "malformed"]
    assert bench.verify(shown.payload(0)).accepted


def test_an_unknown_terminal_is_404(bench: Bench) -> None:
    """Where a code is shown and where it is judged; another key's own terminal, too."""
    made = bench.rotate(terminal_id=TERMINAL)
    assert bench.refusal(lambda: bench.verify(terminal(made).payload(0), "T-99")) == "not_found"
    assert bench.refusal(lambda: bench.rotate(terminal_id="T-99")) == "not_found"
    assert bench.refusal(lambda: bench.rotate(terminal_id="key:another")) == "not_found"
    assert bench.refusal(lambda: bench.rotate(node_id="ARC-99")) == "not_found"


def test_without_a_terminal_the_key_is_one(bench: Bench) -> None:
    """Named in the reply, shown and judged by that name; what a caller says of interval and nonce is ignored."""
    made = bench.rotate(rotation_interval_ms=[9], seed_nonce=7, session_token="of another system")
    assert (made.terminal_id, made.rotation_interval_ms) == (f"key:{ACTOR}", 400)
    assert bench.verify(terminal(made).payload(0), made.terminal_id).accepted
    assert bench.rotate(terminal_id=made.terminal_id).terminal_id == made.terminal_id


def test_a_renewed_session_ends_after_two_steps(bench: Bench) -> None:
    """Terminal, node and intent go on in the new one."""
    old = bench.rotate(terminal_id=TERMINAL, node_id=NODE, intent="ACCESS_ENTRY")
    bench.clock.now += 10 * STEP
    new = bench.rotate(session_token=old.session_token)
    assert (new.terminal_id, new.sid != old.sid) == (TERMINAL, True)
    assert bench.keystone.holdings(NODE)[0].count == 2
    bench.clock.now += 2 * STEP - 1
    assert bench.verify(terminal(old).payload(11)).accepted
    bench.clock.now += 1
    assert bench.verify(terminal(old).payload(12)) == REFUSED
    assert bench.verify(terminal(new).payload(2)).accepted
    assert bench.keystone.holdings(NODE)[0].count == 1


def test_a_token_of_another_terminal_renews_nothing(bench: Bench) -> None:
    """It opens a session there, and the first one goes on."""
    first = bench.rotate(terminal_id=TERMINAL, node_id=NODE)
    second = bench.rotate(terminal_id=SLOW, session_token=first.session_token)
    assert second.terminal_id == SLOW
    bench.clock.now += 3 * STEP
    assert bench.verify(terminal(first).payload(3)).accepted
    assert bench.keystone.holdings(NODE)[0].count == 1


def test_the_terminal_of_a_key_is_renewed_by_that_key_alone(bench: Bench) -> None:
    """Whoever has learned its token would else show its codes for ever, also when the key is revoked."""
    made = bench.rotate()
    body = QrRotateBody(session_token=made.session_token)
    other = asyncio.run(bench.keystone.rotate(body, actor="key_other"))
    assert other.terminal_id == "key:key_other"
    assert bench.rotate(session_token=made.session_token).terminal_id == made.terminal_id


def test_a_session_lasts_600_s(bench: Bench) -> None:
    """Then its codes are refused and its token opens a new session; the sweep forgets it."""
    made = bench.rotate(terminal_id=TERMINAL, node_id=NODE)
    bench.clock.now += LIFETIME_S * 1000 * MS - 1
    assert bench.verify(terminal(made).payload(1499)).accepted
    bench.clock.now += 1
    assert bench.verify(terminal(made).payload(1500)) == REFUSED
    assert bench.rotate(session_token=made.session_token).terminal_id == f"key:{ACTOR}"
    assert (bench.write(bench.keystone.sweep), bench.write(bench.keystone.sweep)) == (1, 0)


def test_a_burn_ends_the_sessions_of_its_node(bench: Bench) -> None:
    """The preview counts them, the burn's transaction ends them, others go on; a second burn finds none."""
    made, other = bench.rotate(terminal_id=TERMINAL, node_id=NODE), bench.rotate(terminal_id=TERMINAL)
    (holding,) = bench.keystone.holdings(NODE)
    (evidence,) = bench.write(lambda tx: bench.keystone.revoke(tx, NODE, "burn_1"))
    assert (holding.count, evidence.count, evidence.detail) == (1, 1, "1 session ended")
    assert bench.verify(terminal(made).payload(0)) == REFUSED
    assert bench.verify(terminal(other).payload(0)).accepted
    assert bench.write(lambda tx: bench.keystone.revoke(tx, NODE, "burn_1")) == ()
    assert bench.keystone.holdings(NODE) == ()


def test_a_revoked_key_takes_its_sessions_with_it(bench: Bench) -> None:
    """And opens none with a call that was let in before; what another key has renewed goes on."""
    taken, renewed = bench.rotate(terminal_id=TERMINAL, node_id=NODE), bench.rotate(terminal_id=SLOW)
    body = msgspec.convert({"session_token": renewed.session_token}, QrRotateBody)
    kept = asyncio.run(bench.keystone.rotate(body, actor="key_other"))
    bench.write(lambda tx: tx.after_commit(lambda: bench.keystone.end_key(ACTOR)))
    assert bench.verify(terminal(taken).payload(0)) == REFUSED
    assert bench.verify(terminal(kept).payload(0), SLOW).accepted
    assert bench.keystone.holdings(NODE) == ()
    assert bench.refusal(lambda: bench.rotate(terminal_id=TERMINAL)) == "unauthenticated"


@pytest.mark.parametrize("cause", ["burn", "containment", "brake"])
def test_who_is_denied_shows_no_code(bench: Bench, cause: Any) -> None:
    """The deny set alone refuses what is shown already, a new session and a renewal."""
    made = bench.rotate(terminal_id=TERMINAL, node_id=NODE)
    bench.site.registry.deny.deny(NODE, cause, "ref_1")
    assert bench.verify(terminal(made).payload(0)) == REFUSED
    assert bench.refusal(lambda: bench.rotate(terminal_id=TERMINAL, node_id=NODE)) == "state_conflict"
    assert bench.refusal(lambda: bench.rotate(session_token=made.session_token)) == "state_conflict"
    assert bench.reasons() == ["denied", cause, cause]


def test_a_deleted_node_has_no_code(bench: Bench) -> None:
    """What is shown for it is not accepted any more."""
    site = bench.site
    site.person("ARC-2", verified=False)
    made = bench.rotate(terminal_id=TERMINAL, node_id="ARC-2")
    asyncio.run(site.registry.nodes.delete("ARC-2", actor=ACTOR))
    assert bench.verify(terminal(made).payload(0)) == REFUSED


def test_a_session_that_was_not_written_down_accepts_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """When its transaction is taken back nobody has its token, and it is forgotten like any other."""
    made: list[CodeSession] = []
    plain = CodeSession.__init__

    def seen(self: CodeSession, *arguments: Any) -> None:
        plain(self, *arguments)
        made.append(self)

    monkeypatch.setattr(CodeSession, "__init__", seen)

    def job(tx: Any) -> None:
        bench.keystone._rotate(tx, QrRotateBody(terminal_id=TERMINAL), bytes(32), bytes(16), ACTOR, None)
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        bench.write(job)
    assert bench.verify(made[0].payload(0)) == REFUSED
    bench.clock.now += LIFETIME_S * 1000 * MS
    assert bench.write(bench.keystone.sweep) == 1


def test_sessions_have_a_limit(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond it 503; there is room again when one has ended."""
    monkeypatch.setattr(keystone_service, "SESSIONS_MAX", 2)
    bench.rotate(terminal_id=TERMINAL)
    bench.rotate(terminal_id=TERMINAL)
    assert bench.refusal(lambda: bench.rotate(terminal_id=TERMINAL)) == "dependency_unavailable"
    bench.clock.now += LIFETIME_S * 1000 * MS
    bench.write(bench.keystone.sweep)
    assert bench.rotate(terminal_id=TERMINAL).sid


def test_no_token_is_in_the_store(bench: Bench) -> None:
    """Neither token nor nonce nor payload stands in a file."""
    made = bench.rotate(terminal_id=TERMINAL, node_id=NODE, intent="ACCESS_ENTRY")
    payload = terminal(made).payload(0)
    bench.verify(payload)
    held = b"".join(path.read_bytes() for path in bench.site.store.path.parent.rglob("*") if path.is_file())
    assert made.sid.encode() in held
    for secret in (made.session_token, made.seed_nonce[2:], payload[4:]):
        assert secret.encode() not in held
