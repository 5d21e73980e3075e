"""The guard's bounds and endings, judged on one connection without a socket: each at both of its edges."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from app.api.guard import (
    SINGLETONS,
    GuardedProtocol,
    GuardPolicy,
    guard_protocol,
    new_request_id,
    problem_bytes,
)
from app.api.wire import FieldError

HEAD = b"GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
POST = b"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n"
SECRET = b"POST /secret HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n"
MIB = 1024 * 1024


class Timer:
    """A deadline that a test lets pass."""

    def __init__(self, seconds: float, act: Callable[[], None]) -> None:
        self.seconds = seconds
        self.act = act
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Loop:
    """Keeps what was to be run; nothing runs by itself."""

    def __init__(self) -> None:
        self.timers: list[Timer] = []
        self.begun: list[Coroutine[Any, Any, None]] = []

    def call_later(self, seconds: float, act: Callable[[], None]) -> Timer:
        self.timers.append(Timer(seconds, act))
        return self.timers[-1]

    def create_task(self, work: Coroutine[Any, Any, None], **_more: Any) -> asyncio.Future[None]:
        self.begun.append(work)
        return _Task()  # type: ignore[return-value]

    def armed(self) -> list[Timer]:
        return [timer for timer in self.timers if not timer.cancelled]


class _Task:
    def add_done_callback(self, _told: object) -> None:
        """It never ends."""


class Wire:
    """The transport: keeps what was written and how it ended."""

    def __init__(self) -> None:
        self.written = b""
        self.closing = self.aborted = self.ended = self.paused = False
        self.may_end = True

    def get_extra_info(self, _name: str, default: object = None) -> object:
        return default

    def write(self, data: bytes) -> None:
        assert not self.closing
        self.written += data

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        self.closing = True

    def abort(self) -> None:
        self.closing = self.aborted = True

    def can_write_eof(self) -> bool:
        return self.may_end

    def write_eof(self) -> None:
        assert self.may_end
        self.ended = True

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False


async def _application(_scope: object, _receive: object, _send: object) -> None:
    raise AssertionError("no test runs it")


class Side:
    """One side of a site: its policy and its connections."""

    def __init__(self, policy: GuardPolicy | None = None) -> None:
        self.policy = policy or GuardPolicy()
        self.state = ServerState()
        self.loops: list[Loop] = []

    def connect(self) -> Connection:
        config = uvicorn.Config(_application, ws="none", lifespan="off", log_config=None, access_log=False)
        loop = Loop()
        self.loops.append(loop)
        made: Any = guard_protocol(self.policy)
        return Connection(made(config, self.state, {}, loop), Wire(), loop)


class Connection:
    """A connection that was accepted."""

    def __init__(self, protocol: GuardedProtocol, wire: Wire, loop: Loop) -> None:
        self.protocol, self.wire, self.loop = protocol, wire, loop
        protocol.connection_made(wire)  # type: ignore[arg-type]

    def send(self, data: bytes) -> bytes:
        """Gives the protocol a copy of ``data``; what is left of the copy."""
        copy = bytes(bytearray(data))
        self.protocol.data_received(copy)
        return copy

    def answer(self, body: bytes = b"{}", fields: bytes = b"") -> None:
        """What the application says to the request that it runs."""
        cycle = self.protocol._running
        assert cycle is not None
        self.answer_to(cycle, body, fields)

    @staticmethod
    def answer_to(cycle: Any, body: bytes = b"{}", fields: bytes = b"") -> None:
        work = cycle.scope["arc.answer"](200, fields, body)
        with pytest.raises(StopIteration):
            work.send(None)

    def refusal(self) -> str:
        """The code of the problem document at the end of what was written; empty where there is none."""
        head, _, body = re.split(rb"HTTP/1\.1 (?=\d)", self.wire.written)[-1].partition(b"\r\n\r\n")
        return str(json.loads(body)["code"]) if b"application/problem+json" in head else ""


@pytest.fixture
def side() -> Iterator[Side]:
    """A side with the standard bounds."""
    made = Side()
    yield made
    for loop in made.loops:
        for work in loop.begun:
            work.close()


@pytest.fixture
def one(side: Side) -> Connection:
    """A connection."""
    return side.connect()


def secretly(side: Side, limit: int = 100) -> Connection:
    """A connection of a site whose path ``/secret`` takes secret bodies."""
    side.policy.secret = lambda method, path: limit if (method, path) == ("POST", b"/secret") else None
    return side.connect()


def test_bounds_are_those_of_the_interface() -> None:
    """Seconds and bytes that callers are told."""
    policy = GuardPolicy()
    assert (policy.head_deadline_s, policy.body_deadline_s) == (5.0, 15.0)
    assert (policy.head_bytes, policy.head_fields, policy.body_bytes) == (16_384, 64, 16 * MIB)
    assert policy.connections == 4096


def test_a_request_has_a_name_of_24_digits() -> None:
    """Each another one."""
    names = {new_request_id() for _ in range(64)}
    assert len(names) == 64
    assert all(re.fullmatch("req_[0-9a-f]{24}", name) for name in names)


def test_further_members_never_stand_in_place_of_a_standard_one() -> None:
    """RFC 9457: they are added, whatever they are called."""
    about: dict[str, Any] = {"request_id": "req_1", "instance": "urn:arc:request:req_1"}
    errors = [FieldError(pointer="/a", detail="Wrong.")]
    plain = json.loads(problem_bytes("state_conflict", "No.", errors=errors, **about))
    assert plain == {
        "type": "urn:arc:problem:state_conflict",
        "title": "State conflict",
        "status": 409,
        "detail": "No.",
        "instance": "urn:arc:request:req_1",
        "code": "state_conflict",
        "request_id": "req_1",
        "errors": [{"pointer": "/a", "detail": "Wrong."}],
    }
    more = json.loads(problem_bytes("state_conflict", "No.", errors=errors, extra={"run": 3, "status": 200}, **about))
    assert more == {**plain, "run": 3}


# The head


def sized(size: int) -> bytes:
    """A head whose path and fields (each with colon, blank and line end) have ``size`` bytes."""
    return b"GET /a HTTP/1.1\r\nHost: h\r\nX: %s\r\n\r\n" % (b"x" * (size - len(b"/a") - len(b"Hosth") - 4 - 1 - 4))


def numbered(fields: int) -> bytes:
    """A head of so many fields."""
    return b"GET /a HTTP/1.1\r\nHost: h\r\n" + b"".join(b"X-%d: 1\r\n" % n for n in range(fields - 1)) + b"\r\n"


@pytest.mark.parametrize("head", [HEAD, sized(16_384), numbered(64)], ids=["small", "16 KiB", "64 fields"])
def test_a_head_within_the_bounds_is_given_to_the_application(one: Connection, head: bytes) -> None:
    """A request that came whole costs no timer beyond that of its connection, and is not overwritten."""
    assert one.send(head) == head
    assert len(one.loop.begun) == 1
    assert one.loop.armed() == []
    assert one.wire.written == b""


@pytest.mark.parametrize(
    ("head", "code"),
    [
        (sized(16_385), "head_too_large"),
        (numbered(65), "head_too_large"),
        (b"GET /a HTTP/1.1\r\n\r\n", "malformed_request"),
        (b"GET //a HTTP/1.1\r\nHost: h\r\n\r\n", "malformed_request"),
        (b"GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n", "malformed_request"),
        (b"GET /a HTTP/1.0\r\nHost: h\r\n\r\n", "malformed_request"),
        (b"GET /a HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\n\r\n", "malformed_request"),
        (b"CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n", "malformed_request"),
        (b"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "malformed_request"),
        (b"POST /pki/a HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", "malformed_request"),
        (
            b"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            "malformed_request",
        ),
        (
            b"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
            "malformed_request",
        ),
        (b"\0", "malformed_request"),
    ],
    ids=str,
)
def test_a_head_beyond_the_bounds_is_refused_and_overwritten(one: Connection, head: bytes, code: str) -> None:
    """No handler sees it; one refusal, then the end; what was refused may have been a secret sent to a wrong place."""
    told: list[str] = []
    one.protocol.policy.on_refused = told.append
    left = one.send(head)
    assert (one.refusal(), told) == (code, [code])
    assert one.loop.begun == []
    assert len(left) == 1 or left == bytes(len(head))
    assert one.wire.ended
    again = one.send(b"GET /b HTTP/1.1\r\nHost: h\r\n\r\n")
    assert again == bytes(len(again))
    assert (told, one.wire.written.count(b"HTTP/1.1 4")) == ([code], 1)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"GET /a HTTP/1.1\r\n\r\n", "Send exactly one Host field."),
        (b"GET //a HTTP/1.1\r\nHost: h\r\n\r\n", "The path begins with one slash."),
        (b"GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n", "Send the path alone in the request line (origin form)."),
        (b"GET /a HTTP/1.0\r\nHost: h\r\n\r\n", "Use HTTP/1.1."),
        (
            b"GET /a HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\n\r\n",
            "This service speaks HTTP/1.1 only: send no Upgrade.",
        ),
        (b"\0 /a HTTP/1.1\r\n", "The request is not well-formed HTTP/1.1."),
        (b"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", "The only transfer coding is chunked."),
        (
            b"POST /pki/a HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.0 knows no Transfer-Encoding: send Content-Length.",
        ),
        (numbered(65), "Send at most 64 fields and 16 KiB before the body."),
    ],
    ids=str,
)
def test_a_refusal_says_what_was_wrong(one: Connection, head: bytes, said: str) -> None:
    """Each rule in its own sentence."""
    one.send(head)
    assert json.loads(one.wire.written.partition(b"\r\n\r\n")[2])["detail"] == said


@pytest.mark.parametrize("name", sorted(SINGLETONS - {b"transfer-encoding", b"content-length"}), ids=bytes.decode)
def test_a_field_of_one_meaning_comes_once(one: Connection, name: bytes) -> None:
    """Another field may come twice."""
    host = b"" if name == b"host" else b"Host: h\r\n"
    one.send(b"GET /a HTTP/1.1\r\n" + host + b"Accept: a\r\nAccept: b\r\n" + b"%s: h\r\n" % name * 2 + b"\r\n")
    assert f"Send {name.decode()} once." in one.wire.written.decode()


def test_a_field_that_means_no_single_thing_may_come_twice(one: Connection) -> None:
    """And chunked is taken in any case of its letters."""
    one.send(b"POST /a HTTP/1.1\r\nHost: h\r\nAccept: a\r\nAccept: b\r\nTransfer-Encoding: Chunked\r\n\r\n")
    assert len(one.loop.begun) == 1
    assert one.wire.written == b""


@pytest.mark.parametrize(("path", "taken"), [(b"/pki/ocsp", True), (b"/a/pki/", False)])
def test_http_1_0_is_for_relying_parties_alone(one: Connection, path: bytes, taken: bool) -> None:
    """Their clients of OCSP speak it."""
    one.send(b"GET %s HTTP/1.0\r\nHost: h\r\n\r\n" % path)
    assert (len(one.loop.begun), one.refusal()) == ((1, "") if taken else (0, "malformed_request"))


@pytest.mark.parametrize(("size", "code"), [(16_384, ""), (16_385, "head_too_large")])
def test_a_field_without_an_end_is_cut_at_the_bound(one: Connection, size: int, code: str) -> None:
    """Counted raw, over as many pieces as it comes in."""
    begin = b"GET /a HTTP/1.1\r\nX: "
    one.send(begin)
    one.send(b"x" * (size - len(begin) - 1))
    one.send(b"x")
    assert one.refusal() == code


def test_the_count_of_a_head_begins_anew_with_each_message(one: Connection) -> None:
    """A long connection is no long head, and a body counts to none."""
    for _ in range(3):
        one.send(POST % 9_000)
        one.send(b"x" * 9_000)
        one.answer()
    one.send(b"GET /a HTTP/1.1\r\nX: ")
    one.send(b"x" * 9_000)
    assert one.refusal() == ""


# Deadlines


def test_a_silent_connection_is_closed_without_a_word(one: Connection) -> None:
    """After the time that a head may take; not a byte came."""
    (timer,) = one.loop.armed()
    assert timer.seconds == 5.0
    timer.act()
    assert (one.wire.written, one.wire.closing) == (b"", True)
    assert one.protocol.policy.waiting == {}
    assert one.send(HEAD) == bytes(len(HEAD))
    assert one.loop.begun == []


@pytest.mark.parametrize("begin", [b"G", b"GET /a HTTP/1.1\r\nHo"], ids=str)
def test_half_a_head_is_told_that_it_is_late(one: Connection, begin: bytes) -> None:
    """By the one deadline of its connection: the second piece gains no time."""
    one.send(begin)
    (timer,) = one.loop.armed()
    timer.act()
    assert one.refusal() == "request_timeout"
    assert "The head of the request did not arrive in time." in one.wire.written.decode()


def test_half_a_head_behind_a_request_is_told_so_too(one: Connection) -> None:
    """Its first piece came with the request before, and a deadline begins with it."""
    one.send(HEAD + b"GET /b HT")
    (timer,) = one.loop.armed()
    assert timer.seconds == 5.0
    one.answer()
    timer.act()
    assert one.refusal() == "request_timeout"


def test_half_a_head_on_a_used_connection_has_a_deadline_of_its_own(one: Connection) -> None:
    """Where the request before it is over."""
    one.send(HEAD)
    one.answer()
    kept = one.loop.armed()
    one.send(b"GET /b HT")
    (timer,) = [timer for timer in one.loop.armed() if timer not in kept]
    assert timer.seconds == 5.0


def test_half_a_body_is_told_that_it_is_late(one: Connection) -> None:
    """The handler is told that its caller is gone; a body that came whole has no deadline."""
    one.send(POST % 3)
    (timer,) = one.loop.armed()
    assert timer.seconds == 15.0
    one.send(b"x")
    assert one.loop.armed() == [timer]
    timer.act()
    assert one.refusal() == "request_timeout"
    assert "The body of the request did not arrive in time." in one.wire.written.decode()
    assert one.protocol.cycle.disconnected
    assert one.protocol.cycle.message_event.is_set()


def test_a_whole_body_is_not_late(one: Connection) -> None:
    """Its deadline ends with its last byte."""
    one.send(POST % 3)
    one.send(b"xyz")
    assert one.loop.armed() == []
    assert bytes(one.protocol.cycle.body) == b"xyz"


def test_a_late_body_after_its_answer_only_ends_the_connection(one: Connection) -> None:
    """A second answer would be taken for that of the next request."""
    one.send(POST % 3)
    one.answer()
    written = one.wire.written
    next(timer for timer in one.loop.armed() if timer.seconds == 15.0).act()
    assert (one.wire.written, one.wire.ended) == (written, True)


def test_a_late_body_while_its_answer_is_on_its_way_only_ends_the_connection(one: Connection) -> None:
    """Two answers must never mix."""
    one.send(POST % 3)
    one.protocol.cycle.response_started = True
    one.loop.armed()[0].act()
    assert (one.wire.written, one.wire.closing) == (b"", True)
    assert one.protocol.cycle.disconnected


# The number of connections


def test_a_full_house_lets_the_one_that_waited_longest_go(side: Side) -> None:
    """Not before it is full, and not one that has a request in progress."""
    side.policy.connections = 3
    busy, first, second = (side.connect() for _ in range(3))
    busy.send(HEAD)
    assert not any(each.wire.closing for each in (busy, first, second))
    third = side.connect()
    assert [each.wire.closing for each in (busy, first, second, third)] == [False, True, False, False]
    assert list(side.policy.waiting) == [second.protocol, third.protocol]
    assert first.wire.written == b""


def test_a_house_full_of_work_refuses_the_next(side: Side) -> None:
    """With the time after which it may come again."""
    side.policy.connections = 1
    busy = side.connect()
    busy.send(HEAD)
    late = side.connect()
    assert late.refusal() == "dependency_unavailable"
    assert b"\r\nretry-after: 1\r\n" in late.wire.written
    assert not busy.wire.closing


def test_a_connection_waits_again_after_its_answer(side: Side) -> None:
    """While a request runs or is queued it is not among those that may be let go."""
    one = side.connect()
    assert list(side.policy.waiting) == [one.protocol]
    one.send(HEAD * 2)
    assert list(side.policy.waiting) == []
    one.answer()
    assert list(side.policy.waiting) == []
    one.answer()
    assert list(side.policy.waiting) == [one.protocol]
    one.protocol.connection_lost(None)
    assert list(side.policy.waiting) == []
    assert [timer for timer in one.loop.armed() if timer.seconds != 1.0] == []


# Requests sent ahead


@pytest.mark.parametrize(("count", "refused"), [(9, False), (10, True)])
def test_eight_requests_may_be_sent_ahead(one: Connection, count: int, refused: bool) -> None:
    """One runs, eight wait; a ninth is not begun, and is told so after the answer of the one that runs."""
    one.send(HEAD * count)
    assert (len(one.loop.begun), len(one.protocol.pipeline)) == (1, 0 if refused else 8)
    assert one.wire.written == b""
    running = one.protocol._running
    one.answer_to(running)
    assert one.refusal() == ("malformed_request" if refused else "")
    assert one.wire.written.startswith(b"HTTP/1.1 200")
    assert len(one.loop.begun) == (1 if refused else 2)


@pytest.mark.parametrize("behind", [b"\0", POST % 3 + b"x"], ids=["no request", "half a body"])
def test_what_runs_is_answered_before_the_refusal_of_what_is_behind_it(one: Connection, behind: bytes) -> None:
    """One that is not begun is never taken for the one that runs."""
    one.send(HEAD)
    one.send(behind)
    for timer in one.loop.armed():
        if timer.seconds == 15.0:
            timer.act()
    assert one.wire.written == b""
    assert not one.protocol._running.disconnected  # type: ignore[union-attr]
    one.answer()
    assert re.findall(rb"HTTP/1\.1 (\d+)", one.wire.written) == [b"200", b"400" if behind == b"\0" else b"408"]
    assert len(one.loop.begun) == 1


def test_answers_belong_to_their_requests(one: Connection) -> None:
    """What runs is the oldest that was not answered, whichever is being read."""
    paths = ("/a", "/b", "/c")
    for path in paths:
        one.send(HEAD.replace(b"/a", path.encode()))
    for path in paths:
        running = one.protocol._running
        assert running is not None
        assert running.scope["path"] == path
        one.answer(path.encode())
    assert one.protocol._running is None
    assert one.wire.written.count(b"HTTP/1.1 200") == 3


# Answers


def test_an_answer_is_one_write_with_what_it_needs(one: Connection) -> None:
    """And leaves the connection open for the next request."""
    one.protocol.server_state.default_headers = [(b"date", b"now")]
    one.send(HEAD)
    cycle = one.protocol.cycle
    one.answer(b"{}", b"content-length: 2\r\n")
    assert one.wire.written == b"HTTP/1.1 200 OK\r\ndate: now\r\ncontent-length: 2\r\n\r\n{}"
    assert (cycle.response_started, cycle.response_complete) == (True, True)
    assert cycle.message_event.is_set()
    assert not cycle.waiting_for_100_continue
    assert not one.wire.closing


def test_the_answer_to_head_has_no_body(one: Connection) -> None:
    """RFC 9110, 9.3.2."""
    one.send(HEAD.replace(b"GET", b"HEAD"))
    one.answer(b"{}", b"content-length: 2\r\n")
    assert one.wire.written.endswith(b"content-length: 2\r\n\r\n")


def test_a_caller_who_wants_the_end_gets_it(one: Connection) -> None:
    """Said in the answer, and done after it."""
    one.send(HEAD.replace(b"Host", b"Connection: close\r\nHost"))
    one.answer()
    assert one.wire.written.endswith(b"connection: close\r\n\r\n{}")
    assert one.wire.closing


def test_nothing_is_written_for_a_caller_who_is_gone(one: Connection) -> None:
    """Neither at once nor after a wait for a full line."""
    one.send(HEAD)
    one.protocol.pause_writing()
    one.protocol.cycle.disconnected = True
    one.answer()
    assert one.wire.written == b""


def test_an_answer_waits_for_a_full_line(one: Connection) -> None:
    """It is written when the line has room again."""
    one.send(HEAD)
    one.protocol.pause_writing()

    async def main() -> None:
        work = asyncio.ensure_future(one.protocol.cycle.scope["arc.answer"](200, b"", b"{}"))  # type: ignore[typeddict-item]
        await asyncio.sleep(0)
        assert one.wire.written == b""
        one.protocol.resume_writing()
        await work

    asyncio.run(main())
    assert one.wire.written.endswith(b"{}")


# Endings


def test_a_refusal_is_a_whole_answer(one: Connection) -> None:
    """Fields and document name the same request; no advice to come again where that would not help."""
    one.send(b"\0 / HTTP/1.1\r\n")
    head, _, body = one.wire.written.partition(b"\r\n\r\n")
    found = json.loads(body)
    assert head.decode().split("\r\n") == [
        "HTTP/1.1 400 Bad Request",
        "content-type: application/problem+json",
        f"content-length: {len(body)}",
        "connection: close",
        "cache-control: no-store",
        "arc-version: 1.3",
        f"x-request-id: {found['request_id']}",
    ]
    assert found["instance"] == f"urn:arc:request:{found['request_id']}"
    assert one.protocol.policy.waiting == {}


@pytest.mark.parametrize("may_end", [True, False])
def test_a_refused_caller_is_read_for_a_second(one: Connection, may_end: bool) -> None:
    """Its own side is closed where the transport can; then the line is cut."""
    one.wire.may_end = may_end
    one.send(b"\0")
    (timer,) = one.loop.armed()
    assert (timer.seconds, one.wire.ended, one.wire.aborted) == (1.0, may_end, False)
    timer.act()
    assert one.wire.aborted


@pytest.mark.parametrize(("size", "cut"), [(MIB, False), (MIB + 1, True)])
def test_a_refused_caller_who_sends_on_is_cut(one: Connection, size: int, cut: bool) -> None:
    """One mebibyte is read and thrown away; a byte more ends it."""
    one.send(b"\0")
    one.send(bytes(size - 10))
    one.send(bytes(10))
    assert one.wire.aborted is cut


@pytest.mark.parametrize(("size", "code"), [(100, ""), (101, "body_too_large")])
def test_a_body_is_cut_at_the_bound_of_the_connection(side: Side, size: int, code: str) -> None:
    """Counted over its pieces; the handler that reads it is told."""
    side.policy.body_bytes = 100
    one = side.connect()
    one.send(POST % 200 + b"x" * 60)
    one.send(b"x" * (size - 60))
    assert one.refusal() == code
    assert one.protocol.cycle.disconnected is bool(code)


def test_the_count_of_a_body_begins_anew_with_each_message(side: Side) -> None:
    """Two bodies of exactly the bound are none beyond it."""
    side.policy.body_bytes = 100
    one = side.connect()
    for _ in range(2):
        one.send(POST % 100 + b"x" * 100)
        one.answer()
    assert one.refusal() == ""


def test_trailers_are_refused(one: Connection) -> None:
    """They would join the head that the application was given."""
    one.send(b"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
    one.send(b"1\r\nx\r\n0\r\nHost: evil\r\n\r\n")
    assert "Trailer fields are not accepted." in one.wire.written.decode()
    assert one.protocol.cycle.scope["headers"] == [(b"host", b"h"), (b"transfer-encoding", b"chunked")]


def test_nothing_is_said_on_a_line_that_closes(one: Connection) -> None:
    """The refusal is counted all the same."""
    told: list[str] = []
    one.protocol.policy.on_refused = told.append
    one.wire.closing = True
    one.send(b"\0")
    assert (told, one.wire.written, one.wire.ended) == (["malformed_request"], b"", False)


def test_what_is_owed_is_not_said_on_a_line_that_closed(one: Connection) -> None:
    """The answer before it was the last, since its caller wanted the end."""
    one.send(HEAD.replace(b"Host", b"Connection: close\r\nHost"))
    one.send(b"\0")
    one.answer()
    assert one.wire.written.count(b"HTTP/1.1 ") == 1


def test_an_expectation_is_known_in_any_case_of_its_letters(one: Connection) -> None:
    """Another expectation, or another field of the word, is none."""
    for field, wanted in ((b"EXPECT: 100-Continue", True), (b"Expect: 200", False), (b"X: 100-continue", False)):
        one.send(HEAD.replace(b"Host", field + b"\r\nHost"))
        assert one.protocol.cycle.waiting_for_100_continue is wanted
        one.answer()


# Secrets


def test_a_secret_body_stays_in_one_place(side: Side) -> None:
    """Neither in what came nor in the application's own buffer; its head is overwritten with it."""
    one = secretly(side)
    left = [one.send(SECRET % 8 + b"abc"), one.send(b"defgh")]
    assert left == [bytes(len(piece)) for piece in left]
    secret = one.protocol.cycle.scope["arc.secret"]  # type: ignore[typeddict-item]
    assert bytes(secret.view()) == b"abcdefgh"
    assert bytes(one.protocol.cycle.body) == b""
    assert (secret.limit, secret.over, secret.wiped, len(secret._buffer)) == (100, False, False, 8)
    assert one.protocol.cycle.message_event.is_set()
    assert one.protocol._secret is None


def test_a_secret_body_without_a_length_grows(side: Side) -> None:
    """Chunked, up to what the operation takes."""
    one = secretly(side, limit=10)
    one.send(b"POST /secret HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
    secret = one.protocol.cycle.scope["arc.secret"]  # type: ignore[typeddict-item]
    assert len(secret._buffer) == 0
    one.send(b"a\r\n0123456789\r\n")
    assert (bytes(secret.view()), secret.over) == (b"0123456789", False)
    one.send(b"1\r\nx\r\n")
    assert secret.over


def test_a_body_that_is_no_secret_is_left_alone(side: Side) -> None:
    """Also on a connection that carried a secret before."""
    one = secretly(side)
    one.send(SECRET % 3 + b"abc")
    one.answer()
    assert one.send(POST % 3) == POST % 3
    assert one.send(b"abc") == b"abc"
    assert bytes(one.protocol.cycle.body) == b"abc"
    assert "arc.secret" not in one.protocol.cycle.scope


def test_secrets_that_nobody_took_over_are_wiped_with_the_connection(side: Side) -> None:
    """One that a request has begun with is its own to wipe, also where others came behind it."""
    one = secretly(side)
    secrets = []
    for text in (b"abc", b"def", b"ghi"):
        one.send(SECRET % 3 + text)
        secrets.append(one.protocol.cycle.scope["arc.secret"])  # type: ignore[typeddict-item]
        secrets[0].begun = True
    assert one.protocol._secrets == secrets[1:]
    secrets[1].begun = True
    one.protocol.connection_lost(None)
    assert [secret.wiped for secret in secrets] == [False, False, True]
    assert [bytes(secret.view()) for secret in secrets] == [b"abc", b"def", bytes(3)]
