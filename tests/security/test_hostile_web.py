"""Web pages, rebound names and smuggled requests against the loopback service."""

from __future__ import annotations

import contextlib
import select
import socket
import threading

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.api.guard import GuardPolicy
from tests.service.api.api_site import ApiSite, problem, read_answer, status

BODY = b'{"node_id":"ARC-1"}'
JSON = "Content-Type: application/json"


def refused(answer: bytes) -> tuple[int, str]:
    """Status and code of a refusal, which must be a problem document that repeats no key."""
    found = problem(answer)
    assert b"arc_cit_" not in answer
    assert found["status"] == status(answer)
    return status(answer), str(found["code"])


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:1",
        "0.0.0.0:{port}",
        "127.1:{port}",
        "",
    ],
)
def test_foreign_host(shared: ApiSite, host: str) -> None:
    """DNS rebinding: any Host but the exact addresses with the port is 421, even with a valid key."""
    answer = shared.raw(shared.head(f"Host: {host.format(port=shared.port)}", host=False))
    assert refused(answer) == (421, "host_refused")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST"])
def test_own_host(shared: ApiSite, name: str) -> None:
    """Its own names with the port are accepted."""
    assert status(shared.raw(shared.head(f"Host: {name}:{shared.port}", host=False))) == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:{port}", ""])
def test_any_origin(shared: ApiSite, origin: str) -> None:
    """A request that a browser sent for a page is 403, from whichever origin."""
    answer = shared.raw(shared.head(f"Origin: {origin.format(port=shared.port)}"))
    assert refused(answer) == (403, "origin_refused")


@pytest.mark.parametrize(("site", "expected"), [("cross-site", 403), ("same-site", 403), ("x", 403), ("none", 200)])
def test_fetch_metadata(shared: ApiSite, site: str, expected: int) -> None:
    """Cross-site fetches without Origin (images, scripts) are known by Sec-Fetch-Site."""
    assert status(shared.raw(shared.head(f"Sec-Fetch-Site: {site}"))) == expected


def test_open_path_is_guarded_too(shared: ApiSite) -> None:
    """Even /healthz tells a page nothing."""
    answer = httpx.get(shared.base_url + "/healthz", headers={"Origin": "https://evil.example"}, trust_env=False)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


def test_preflight_gets_no_cors(shared: ApiSite) -> None:
    """A CORS preflight is refused and carries no permission."""
    answer = shared.raw(
        shared.head("Origin: https://evil.example", "Access-Control-Request-Method: POST", method="OPTIONS")
    )
    assert refused(answer)[0] == 403
    assert b"access-control" not in answer.lower()


@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_simple_post(shared: ApiSite, media_type: str) -> None:
    """What a form can send without a preflight never reaches a handler, even with the key."""
    runs = shared.sample.runs
    lines = (f"Content-Type: {media_type}", f"Content-Length: {len(BODY)}")
    answer = shared.raw(shared.head(*lines, method="POST", path="/v1/sample/echo") + BODY)
    assert refused(answer) == (415, "unsupported_media_type")
    assert shared.sample.runs == runs


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: 19", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 19"),
        ("Content-Length: 19", "Content-Length: 19"),
        ("Content-Length: 19", "Content-Length: 20"),
        ("Content-Length: 19, 19",),
        ("Content-Length: +19",),
        ("Content-Length: -1",),
        ("Content-Length: 0x13",),
        ("Content-Length: 99999999999999999999999",),
        ("Transfer-Encoding: gzip, chunked",),
        ("Transfer-Encoding: identity",),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding : chunked",),
        ("Transfer-Encoding:\x0bchunked",),
        ("Host: 127.0.0.1",),
        ("Authorization: Bearer x",),
        ("Idempotency-Key: a", "Idempotency-Key: b"),
        ("Upgrade: websocket", "Connection: Upgrade"),
        ("Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAAQAAP__"),
        (" folded: yes",),
        ("X: a\x00b",),
        ("X\x00: b",),
        ("X: a\r b",),
        ("no colon",),
    ],
)
def test_ambiguous_head(shared: ApiSite, lines: tuple[str, ...]) -> None:
    """A head that two readers could read differently is 400, and the connection ends with it."""
    runs = shared.sample.runs
    smuggled = b"POST /v1/sample/echo HTTP/1.1\r\n\r\n"
    answer = shared.raw(shared.head(JSON, *lines, method="POST", path="/v1/sample/echo") + BODY + smuggled)
    assert refused(answer) == (400, "malformed_request")
    assert answer.count(b"HTTP/1.1 400") == 1
    assert b"connection: close" in answer.lower()
    assert shared.sample.runs == runs


@pytest.mark.parametrize(
    "data",
    [
        b"GET /healthz HTTP/1.1\nHost: 127.0.0.1:{port}\n\n",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: 1\nY: 2\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        b"GET /healthz HTTP/2.0\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        b"GET /healthz\r\n\r\n",
        b"GET http://127.0.0.1:{port}/healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        b"GET //healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        b"GET healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        b"CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"HELO mail.example\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    ],
)
def test_other_forms_of_request(shared: ApiSite, data: bytes) -> None:
    """Bare line feeds, missing Host, other versions, forms and protocols are 400."""
    answer = shared.raw(data.replace(b"{port}", str(shared.port).encode()))
    assert refused(answer) == (400, "malformed_request")


@pytest.mark.parametrize(
    "chunked",
    [
        b"3\n{}\n\r\n0\r\n\r\n",
        b"g\r\n{}\r\n0\r\n\r\n",
        b"-1\r\n",
        b"ffffffffffffffffff\r\n",
        b"2;\n{}\r\n0\r\n\r\n",
        b"2\r\n{}X\r\n0\r\n\r\n",
    ],
)
def test_malformed_chunks(shared: ApiSite, chunked: bytes) -> None:
    """A chunked body that is not well-formed is 400 and the connection ends."""
    head = shared.head(JSON, "Transfer-Encoding: chunked", method="POST", path="/v1/sample/echo")
    assert refused(shared.raw(head + chunked)) == (400, "malformed_request")


def test_trailers(shared: ApiSite) -> None:
    """Fields after the body never join the head."""
    head = shared.head(JSON, "Transfer-Encoding: chunked", method="POST", path="/v1/sample/echo")
    runs = shared.sample.runs
    answer = shared.raw(head + b"13\r\n" + BODY + b"\r\n0\r\nHost: evil.example\r\n\r\n")
    assert refused(answer) == (400, "malformed_request")
    assert shared.sample.runs == runs


@pytest.mark.parametrize(
    "lines",
    [
        ["X-Big: " + "a" * 20_000],
        [f"X-{n}: {n}" for n in range(63)],
        ["X-" + "a" * 17_000 + ": 1"],
        [f"X-{n}: " + "a" * 300 for n in range(60)],
    ],
)
def test_head_too_large(shared: ApiSite, lines: list[str]) -> None:
    """More than 16 KiB or 64 fields of head is 431."""
    assert refused(shared.raw(shared.head(*lines))) == (431, "head_too_large")


def test_head_of_64_fields_passes(shared: ApiSite) -> None:
    """Exactly 64 fields are within the bounds."""
    assert status(shared.raw(shared.head(*[f"X-{n}: {n}" for n in range(62)]))) == 200


def test_long_path(shared: ApiSite) -> None:
    """A path beyond the head's bound is 431."""
    assert refused(shared.raw(shared.head(path="/" + "a" * 20_000))) == (431, "head_too_large")


def test_endless_head(shared: ApiSite) -> None:
    """A field without an end is cut at the bound, not gathered."""
    with socket.create_connection(("127.0.0.1", shared.port), timeout=8) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(b"GET / HTTP/1.1\r\nX: ")
            for _ in range(1000):
                connection.sendall(b"a" * 4096)
        answer = read_answer(connection)
    assert answer == b"" or refused(answer) == (431, "head_too_large")


def test_announced_body_too_large(shared: ApiSite) -> None:
    """A body over the row's limit is 413 by its announcement alone."""
    head = shared.head(JSON, "Content-Length: 201", method="POST", path="/v1/sample/small")
    assert refused(shared.raw(head)) == (413, "body_too_large")


def test_chunked_body_too_large(shared: ApiSite) -> None:
    """A chunked body over the row's limit is 413 as soon as it passes it."""
    head = shared.head(JSON, "Transfer-Encoding: chunked", method="POST", path="/v1/sample/small")
    assert refused(shared.raw(head + b"c9\r\n" + b" " * 201 + b"\r\n0\r\n\r\n")) == (413, "body_too_large")


def test_unwanted_body_is_cut(fresh: ApiSite) -> None:
    """A refused caller who sends on for ever is cut at the connection's own bound."""
    sent = 0
    head = b""
    with (
        fresh.running(GuardPolicy(body_bytes=100_000)),
        socket.create_connection(("127.0.0.1", fresh.port), timeout=8) as connection,
    ):
        connection.sendall(fresh.head(JSON, "Transfer-Encoding: chunked", method="POST", path="/v1/sample/small"))
        with contextlib.suppress(ConnectionError):
            while sent < 100 << 20:
                connection.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
                sent += 65536
        with contextlib.suppress(ConnectionError):
            while more := connection.recv(65536):
                head += more
    assert sent < 100 << 20
    assert head.count(b"HTTP/1.1 ") <= 1


def test_slow_heads_are_not_held(fresh: ApiSite) -> None:
    """Two hundred half heads are all gone after the deadline, each told why, while the service goes on answering."""
    with fresh.running(GuardPolicy(head_deadline_s=0.5)):
        held = []
        for _ in range(200):
            connection = socket.create_connection(("127.0.0.1", fresh.port), timeout=8)
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127")
            held.append(connection)
        with fresh.client() as client:
            assert client.get("/healthz").status_code == 200
        for connection in held:
            assert refused(read_answer(connection)) == (408, "request_timeout")
            connection.close()


def test_dripping_head_gains_no_time(fresh: ApiSite) -> None:
    """A head that comes byte by byte is held to the same deadline as one that stops."""
    drip = iter(b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 10_000)
    with (
        fresh.running(GuardPolicy(head_deadline_s=0.3)),
        socket.create_connection(("127.0.0.1", fresh.port), timeout=8) as connection,
    ):
        # A byte every 20 ms until the service speaks; the bytes would last for minutes.
        while not select.select([connection], [], [], 0.02)[0]:
            connection.sendall(bytes((next(drip),)))
        assert refused(read_answer(connection)) == (408, "request_timeout")


def test_silent_connection_is_closed(fresh: ApiSite) -> None:
    """A connection that says nothing is closed without a word."""
    with (
        fresh.running(GuardPolicy(head_deadline_s=0.2)),
        socket.create_connection(("127.0.0.1", fresh.port), timeout=8) as connection,
    ):
        assert connection.recv(1) == b""


def test_slow_body(fresh: ApiSite) -> None:
    """A body that does not come is 408, and its handler never ran."""
    with fresh.running(GuardPolicy(body_deadline_s=0.3)):
        head = fresh.head(JSON, "Content-Length: 19", method="POST", path="/v1/sample/echo")
        assert refused(fresh.raw(head + BODY[:5])) == (408, "request_timeout")
    assert fresh.sample.runs == 0


def test_full_house_lets_the_idle_go(fresh: ApiSite) -> None:
    """At the limit of connections the one that waited longest makes room: no flood of idle ones locks callers out."""
    with fresh.running(GuardPolicy(connections=20)):
        idle = [socket.create_connection(("127.0.0.1", fresh.port), timeout=8) for _ in range(40)]
        with fresh.client() as client:
            assert client.get("/v1/sample").status_code == 200
        assert idle[0].recv(1) == b""
        for connection in idle:
            connection.close()


def test_pipelined_requests_are_answered_in_order(shared: ApiSite) -> None:
    """Two requests in one packet get two answers, in order."""
    with socket.create_connection(("127.0.0.1", shared.port), timeout=8) as connection:
        connection.sendall(
            shared.head(path="/v1/sample/first") + shared.head("Connection: close", path="/v1/sample/second")
        )
        data = b""
        while more := connection.recv(65536):
            data += more
    assert data.count(b"HTTP/1.1 200") == 2
    assert data.index(b'"first"') < data.index(b'"second"')


def test_flood_of_pipelined_requests(shared: ApiSite) -> None:
    """A packet full of requests is cut off instead of being queued."""
    with socket.create_connection(("127.0.0.1", shared.port), timeout=8) as connection:
        connection.sendall(shared.head(path="/v1/sample/a") * 200)
        data = b""
        with contextlib.suppress(ConnectionError):
            while more := connection.recv(65536):
                data += more
    assert 1 <= data.count(b"HTTP/1.1 200") <= 10
    assert data.count(b"HTTP/1.1 400") == 1


@pytest.mark.parametrize(
    "behind",
    [
        pytest.param(b"HOST" * 11, id="too many sent ahead"),
        pytest.param(b"GARBAGE", id="no request behind it"),
        pytest.param(b"TWICE", id="an ambiguous one behind it"),
        pytest.param(b"HALF", id="half a head behind it"),
        pytest.param(b"BODY", id="a late body behind it"),
    ],
)
def test_what_was_executed_is_answered_before_the_refusal(fresh: ApiSite, behind: bytes) -> None:
    """A refusal of what was sent ahead comes after the answer of the request that runs, and closes."""
    pieces = {
        b"HOST": fresh.head(path="/v1/sample/a"),
        b"GARBAGE": b"\x00\xff\r\n\r\n",
        b"TWICE": fresh.head("Host: evil.example", path="/v1/sample/a"),
        b"HALF": b"GET /v1/sam",
        b"BODY": fresh.head(JSON, "Content-Length: 19", method="POST", path="/v1/sample/echo") + BODY[:5],
    }
    for name, piece in pieces.items():
        behind = behind.replace(name, piece)
    with (
        fresh.running(GuardPolicy(head_deadline_s=0.2, body_deadline_s=0.2)) as _,
        socket.create_connection(("127.0.0.1", fresh.port), timeout=8) as connection,
    ):
        connection.sendall(fresh.head(method="POST", path="/v1/sample/slow") + behind)
        assert fresh.sample.begun.wait(5)
        connection.settimeout(0.5)
        with pytest.raises(TimeoutError):
            connection.recv(1)  # the refusal is not the answer of what still runs
        connection.settimeout(8)
        fresh.sample.release.set()
        data = b""
        while more := connection.recv(65536):
            data += more
    first, second = data.split(b"HTTP/1.1 ")[1:]
    assert first.startswith(b"200")
    assert refused(b"HTTP/1.1 " + second)[0] in (400, 408)
    assert fresh.sample.runs == 1


def test_expectation_is_answered_only_when_the_body_is_wanted(shared: ApiSite) -> None:
    """A refused request gets no 100 Continue."""
    head = shared.head("Expect: 100-continue", "Content-Length: 19", method="POST", path="/v1/sample/echo")
    answer = shared.raw(head)
    assert b"100 Continue" not in answer
    assert refused(answer) == (415, "unsupported_media_type")


def test_caller_who_leaves_in_the_middle(fresh: ApiSite) -> None:
    """A caller who hangs up inside a body leaves nothing behind."""
    with fresh.running():
        head = fresh.head(JSON, "Content-Length: 19", method="POST", path="/v1/sample/echo")
        with socket.create_connection(("127.0.0.1", fresh.port), timeout=8) as connection:
            connection.sendall(head + BODY[:5])
        with fresh.client() as client:
            assert client.get("/healthz").status_code == 200
    assert fresh.sample.runs == 0


def test_work_survives_its_caller(fresh: ApiSite) -> None:
    """A change that was begun is finished although its caller hung up."""
    with fresh.running():
        with socket.create_connection(("127.0.0.1", fresh.port), timeout=8) as connection:
            connection.sendall(fresh.head(method="POST", path="/v1/sample/slow"))
            assert fresh.sample.begun.wait(5)
        fresh.sample.release.set()
        assert fresh.sample.finished.wait(5)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    b"GET /healthz HTTP/1.1",
                    b"\r\n",
                    b"\n",
                    b"Host: 127.0.0.1",
                    b"Content-Length: 3",
                    b"Transfer-Encoding: chunked",
                    b"\r\n\r\n",
                    b"3\r\nabc\r\n0\r\n\r\n",
                    b":",
                    b" ",
                ]
            ),
            st.binary(max_size=20),
        ),
        max_size=12,
    )
)
def test_any_bytes(shared: ApiSite, parts: list[bytes]) -> None:
    """Whatever is sent, the answer is nothing, or a refusal of ours; the service never answers 5xx or dies."""
    answer = shared.raw(b"".join(parts), then_close=True)
    assert answer == b"" or status(answer) in (400, 404, 408, 421, 431)


def test_many_hostile_threads(shared: ApiSite) -> None:
    """Garbage from many sides at once does not disturb a caller with a key."""
    stop = threading.Event()

    def attack() -> None:
        while not stop.is_set():
            shared.raw(b"\x00\xff\r\n\r\n")

    threads = [threading.Thread(target=attack) for _ in range(4)]
    for thread in threads:
        thread.start()
    with shared.client() as client:
        found = {client.get("/v1/sample").status_code for _ in range(50)}
    stop.set()
    for thread in threads:
        thread.join(10)
    assert found == {200}
