"""Fetches of what a caller names, against servers on loopback: hostile ones, and some that nobody may reach."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import hashlib
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

import httpcore
import pytest

from app.delivery import guarded
from app.delivery.addresses import AllowedReach, IpAddress
from app.delivery.guarded import FetchLimits, FetchRefused, GuardedFetch, UrlRefused
from app.delivery.names import HostNames
from tests.door_site import until
from tests.tls_authority import MadeAuthority
from tests.unit.delivery.loopback_peer import OK, Misbehaviour, Peer, Reader, Writer, dripping, endless, serving, silent

WORDING = "The address could not be fetched."
FETCH = GuardedFetch()


def reach(*peers: Peer, cidr: str = "127.0.0.0/8") -> list[AllowedReach]:
    """What lets a test reach its peers."""
    return [AllowedReach.of([cidr], [peer.port]) for peer in peers]


async def refusal(url: str, allowed: list[AllowedReach], by: GuardedFetch = FETCH, **limits: Any) -> str:
    """The cause of a fetch that was refused in the one public wording."""
    with pytest.raises(FetchRefused) as told:
        await by.fetch(url, allowed=allowed, limits=FetchLimits(**limits))
    assert told.value.args == (WORDING,)
    return told.value.cause


def with_body(body: bytes, *lines: bytes) -> bytes:
    """An answer 200."""
    return b"\r\n".join([b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(body), *lines, b"", body])


def moved(location: str, status: int = 302) -> bytes:
    """A redirect."""
    return f"HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()


class Names:
    """A resolver whose answers to each name are given one after the other, the last one for ever."""

    def __init__(self, **answers: list[list[str]]) -> None:
        self.answers = {name.replace("_", "."): given for name, given in answers.items()}
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> list[IpAddress]:
        self.asked.append((host, port))
        given = self.answers.get(host, [[host]])
        return [ip_address(text) for text in (given.pop(0) if len(given) > 1 else given[0])]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Names]:
    """Puts a resolver in the place of the system's."""

    def put(**answers: list[list[str]]) -> Names:
        made = Names(**answers)
        monkeypatch.setattr(guarded, "resolve", made)
        return made

    return put


class Dialled(httpcore.AsyncNetworkBackend):
    """Sockets that never connect, and remember where they should have."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.asked: list[tuple[str, int, float | None]] = []

    async def connect_tcp(self, host: str, port: int, *rest: Any, **_: Any) -> Any:
        self.asked.append((host, port, rest[0]))
        raise self.error


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> Dialled:
    """Nothing is connected."""
    made = Dialled(httpcore.ConnectError("refused"))
    monkeypatch.setattr(guarded, "_SOCKETS", made)
    return made


# What is fetched


def test_a_fetch_is_whole() -> None:
    """Body, media type, digest, and the URL as it was asked."""

    async def run() -> None:
        async with serving(with_body(b"abc", b"Content-Type:  Image/JPEG ; q=1")) as it:
            found = await FETCH.fetch(it.url + "a b?c=d#e", allowed=reach(it))
            assert (found.body, found.mime) == (b"abc", "image/jpeg")
            assert found.sha256 == hashlib.sha256(b"abc").hexdigest()
            assert found.final_url == it.url + "a%20b?c=d"

    asyncio.run(run())


@pytest.mark.parametrize("declared", [b"X-Other: 1", b"Content-Type: ", b"Content-Type: jpeg", b"Content-Type: a/b/c",
                                      b"Content-Type: text/" + b"a" * 128, b"Content-Type: <a>/b"])  # fmt: skip
def test_an_undeclared_type_is_bytes(declared: bytes) -> None:
    """RFC 9110, 8.3."""

    async def run() -> str:
        async with serving(with_body(b"", declared)) as it:
            return (await FETCH.fetch(it.url, allowed=reach(it))).mime

    assert asyncio.run(run()) == "application/octet-stream"


def test_the_request_says_no_more_than_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpacked, on a connection of its own, and a proxy of the environment sees none of it."""

    async def run() -> None:
        async with serving(OK) as proxy, serving(OK.replace(b"\r\n", b"\r\nSet-Cookie: a=b\r\n", 1)) as it:
            for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
                monkeypatch.setenv(name, proxy.url)
            for _ in range(2):
                await FETCH.fetch(it.url + "a?b", allowed=reach(it))
            wanted = (
                f"GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:{it.port}\r\nUser-Agent: arc-console\r\nAccept: */*\r\n"
                "Accept-Encoding: identity\r\nConnection: close\r\n\r\n"
            )
            assert it.heads == [wanted.encode()] * 2
            assert (it.connections, proxy.connections) == (2, 0)

    asyncio.run(run())


def test_the_limits_are_those_of_media() -> None:
    """64 MiB, 5 s to connect, 30 s in all, four redirects."""
    assert FetchLimits() == FetchLimits(body=67_108_864, connect_s=5.0, total_s=30.0, redirects=4)


# What is reached


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f000001", "0177.1", "127.1", "0", "127.0.0.1.", "127。0。0。1", "[::1]",
             "[::ffff:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]"]
)  # fmt: skip
def test_an_address_in_the_url_is_refused_before_anything_is_asked(host: str, names: Callable[..., Names]) -> None:
    """No look-up, no connection, although another network has the port."""
    resolver = names()

    async def run() -> None:
        async with serving(OK) as it:
            with pytest.raises(UrlRefused):
                await FETCH.fetch(f"http://{host}:{it.port}/", allowed=reach(it, cidr="10.0.0.0/8"))
            assert it.connections == 0

    asyncio.run(run())
    assert resolver.asked == []


def test_a_name_of_this_machine_is_not_reached() -> None:
    """``localhost``, by the system's own resolver."""

    async def run() -> str:
        async with serving(OK) as it:
            cause = await refusal(f"http://localhost:{it.port}/", reach(it, cidr="10.0.0.0/8"))
            assert it.connections == 0
            return cause

    assert asyncio.run(run()).startswith("localhost: ")


def test_the_system_resolves_a_name_to_each_address_once() -> None:
    """Not once for each kind of socket; an address is its own."""

    async def run() -> tuple[list[IpAddress], list[IpAddress]]:
        return await guarded.resolve("localhost", 80), await guarded.resolve("::1", 80)

    found, literal = asyncio.run(run())
    assert ip_address("127.0.0.1") in found
    assert all(address.is_loopback for address in found)
    assert len(found) == len(set(found))
    assert literal == [ip_address("::1")]


def test_a_name_is_looked_up_apart_from_the_loops_threads() -> None:
    """A name whose servers are slow holds up nothing else."""

    async def run() -> object:
        await guarded.resolve("localhost", 80)
        return getattr(asyncio.get_running_loop().getaddrinfo, "__self__", None)

    assert isinstance(asyncio.run(run()), HostNames)


@pytest.mark.parametrize(
    "answer", [["127.0.0.1", "10.0.0.1"], ["10.0.0.1", "127.0.0.1"], ["127.0.0.1", "8.8.8.8", "::ffff:127.0.0.1"]]
)
def test_one_bad_address_refuses_the_name(answer: list[str], names: Callable[..., Names]) -> None:
    """Wherever it stands in the answer, nothing is connected."""
    names(mixed_example=[answer])

    async def run() -> str:
        async with serving(OK) as it:
            cause = await refusal(f"http://mixed.example:{it.port}/", reach(it))
            assert it.connections == 0
            return cause

    assert "mixed.example: " in asyncio.run(run())


@pytest.mark.parametrize("address", ["10.0.0.1", "169.254.169.254", "::1", "::ffff:8.8.8.8%1", "fe80::1%2"])
def test_a_public_name_with_another_address_is_not_reached(
    address: str, names: Callable[..., Names], dialled: Dialled
) -> None:
    """The cause says which, the wording does not."""
    names(evil_example=[[address]])
    cause = asyncio.run(refusal("http://evil.example/", []))
    assert cause.startswith("evil.example: ")
    assert str(ip_address(address)) in cause
    assert dialled.asked == []


def test_a_name_without_addresses_is_refused(names: Callable[..., Names], dialled: Dialled) -> None:
    """There is nothing to judge."""
    names(empty_example=[[]])
    assert asyncio.run(refusal("http://empty.example/", [])) == "empty.example: empty.example has no address"


def test_a_name_is_resolved_once_and_its_judged_address_is_connected(
    names: Callable[..., Names], dialled: Dialled
) -> None:
    """A second answer, with loopback in it, is never asked for."""
    resolver = names(rebound_example=[["8.8.8.8", "2606:4700::1111"], ["127.0.0.1"]])
    assert asyncio.run(refusal("https://rebound.example/", [], connect_s=3.5)) == "rebound.example: refused"
    assert resolver.asked == [("rebound.example", 443)]
    assert dialled.asked == [("8.8.8.8", 443, 3.5), ("2606:4700::1111", 443, 3.5)]


def test_a_name_that_moves_is_asked_at_its_judged_address(names: Callable[..., Names]) -> None:
    """Its host stays the name, and the address that it has a moment later sees nothing."""
    resolver = names(rebound_example=[["127.0.0.2"], ["127.0.0.1"]])

    async def run() -> None:
        async with serving(OK, "127.0.0.2") as it, serving(OK, port=it.port) as later:
            url = f"http://rebound.example:{it.port}/"
            assert (await FETCH.fetch(url, allowed=reach(it, cidr="127.0.0.2/32"))).final_url == url
            assert f"\r\nHost: rebound.example:{it.port}\r\n".encode() in it.heads[0]
            assert later.connections == 0
            await refusal(url, reach(it, cidr="127.0.0.2/32"))
            assert (it.connections, later.connections) == (1, 0)

    asyncio.run(run())
    assert len(resolver.asked) == 2


def test_the_next_address_is_tried_where_one_is_closed(names: Callable[..., Names]) -> None:
    """In the order of the answer."""
    names(two_example=[["127.0.0.3", "127.0.0.1"]])

    async def run() -> bytes:
        async with serving(OK) as it:
            return (await FETCH.fetch(f"http://two.example:{it.port}/", allowed=reach(it))).body

    assert asyncio.run(run()) == b"hi"


def test_a_port_that_a_private_network_lists_opens_no_public_address(
    names: Callable[..., Names], dialled: Dialled
) -> None:
    """The address and the port are listed together."""
    names(public_example=[["8.8.8.8"]])
    cause = asyncio.run(refusal("http://public.example:8080/", [AllowedReach.of(["10.0.0.0/8"], [8080])]))
    assert cause == "public.example: 8.8.8.8 is not listed at port 8080"
    assert dialled.asked == []


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed(status: int) -> None:
    """To a place relative to the one that gave it, on a new connection."""

    async def run() -> None:
        async with serving(b"") as it:
            it.answer = in_turn([moved("../b?c", status), OK])
            found = await FETCH.fetch(it.url + "x/a", allowed=reach(it))
            assert (found.body, found.final_url) == (b"hi", it.url + "b?c")
            assert it.connections == 2

    asyncio.run(run())


def in_turn(answers: list[bytes]) -> Misbehaviour:
    """Gives each answer once, whoever asks."""
    left = iter(answers)

    async def answer(_reader: Reader, writer: Writer) -> None:
        writer.write(next(left))

    return answer


@pytest.mark.parametrize("status", [300, 304, 305, 306])
def test_another_status_with_a_location_is_an_answer(status: int) -> None:
    """It asks for no second request."""

    async def run() -> int:
        async with serving(moved("/b", status)) as it, FETCH.open(it.url, allowed=reach(it)) as answer:
            return answer.status

    assert asyncio.run(run()) == status


def test_a_redirect_to_nowhere_is_an_answer() -> None:
    """Without a location."""

    async def run() -> int:
        bare = b"HTTP/1.1 302 Moved\r\nContent-Length: 0\r\n\r\n"
        async with serving(bare) as it, FETCH.open(it.url, allowed=reach(it)) as answer:
            return answer.status

    assert asyncio.run(run()) == 302


def test_four_redirects_are_followed_and_no_fifth() -> None:
    """The fifth place is never asked."""

    async def run() -> None:
        async with serving(b"") as it:
            it.answer = in_turn([*(moved(f"/{step}") for step in range(4)), OK])
            assert (await FETCH.fetch(it.url, allowed=reach(it))).final_url == it.url + "3"
            it.answer = moved("/again")
            it.heads.clear()
            assert await refusal(it.url, reach(it)) == "127.0.0.1 is one redirect more than 4"
            assert len(it.heads) == 5

    asyncio.run(run())


@pytest.mark.parametrize(
    "location",
    ["http://169.254.169.254/latest/meta-data/", "http://[::ffff:a9fe:a9fe]/", "file:///etc/passwd", "ftp://127.0.0.1/",
     "http://10.0.0.1/", "//10.0.0.1/", "http://2130706434:{port}/", "http://127.0.0.1/", "http://127.0.0.1:1/",
     "http://u:p@127.0.0.1:{port}/", "http://[", "http://[::1]:{port}/", "/" + "a" * 2048, "http://a b/",
     "gopher://127.0.0.1:{port}/", "http://\\127.0.0.1:{port}/", "http://[::1%25lo]/"],
)  # fmt: skip
def test_a_redirect_is_judged_as_if_the_caller_had_named_it(location: str) -> None:
    """And refused in the wording of all that is found later."""

    async def run() -> str:
        async with serving(b"") as it:
            it.answer = in_turn([moved(location.format(port=it.port))])
            allowed = reach(it, cidr="127.0.0.1/32")
            cause = await refusal(it.url, allowed)
            assert it.connections == 1
            return cause

    assert asyncio.run(run()).startswith("127.0.0.1 redirects to what may not be reached: ")


def test_backslashes_in_a_redirect_are_a_path() -> None:
    """As RFC 3986 reads them, though a browser would go to another host."""

    async def run() -> None:
        async with serving(b"") as it:
            it.answer = in_turn([moved("\\\\10.0.0.1/"), OK])
            assert (await FETCH.fetch(it.url, allowed=reach(it))).final_url == it.url + "\\\\10.0.0.1/"

    asyncio.run(run())


def test_a_redirect_to_a_port_beside_is_not_followed() -> None:
    """The neighbour sees no connection."""

    async def run() -> None:
        async with serving(OK) as beside, serving(moved(beside.url)) as it:
            await refusal(it.url, reach(it))
            assert (it.connections, beside.connections) == (1, 0)

    asyncio.run(run())


def test_the_name_in_a_redirect_is_resolved_and_judged_again(names: Callable[..., Names]) -> None:
    """The same name may have moved in between."""
    names(moving_example=[["127.0.0.1"], ["127.0.0.2"]])

    async def run() -> None:
        async with serving(moved("/b")) as it, serving(OK, "127.0.0.2", it.port) as other:
            cause = await refusal(f"http://moving.example:{it.port}/", reach(it, cidr="127.0.0.1/32"))
            assert cause == f"moving.example: 127.0.0.2 is not listed at port {it.port}"
            assert (it.connections, other.connections) == (1, 0)

    asyncio.run(run())


def test_the_connection_of_a_redirect_is_closed_unread() -> None:
    """Before the next one opens, though its body had no end."""

    async def run() -> None:
        async def lead_on(reader: Reader, writer: Writer) -> None:
            writer.write(b"HTTP/1.1 302 Moved\r\nLocation: " + goal.url.encode() + b"\r\n")
            writer.write(b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n" + bytes(4096))
            await silent(reader, writer)

        async def after(_reader: Reader, writer: Writer) -> None:
            await until(lambda: not it.open)
            writer.write(OK)

        async with serving(after) as goal, serving(lead_on) as it:
            assert (await FETCH.fetch(it.url, allowed=reach(it, goal))).body == b"hi"

    asyncio.run(run())


def test_a_caller_can_have_no_redirect_followed() -> None:
    """The redirect is the answer then, and none that a fetch takes."""

    async def run() -> None:
        async with serving(moved("/b")) as it:
            none = FetchLimits(redirects=0)
            async with FETCH.open(it.url, allowed=reach(it), limits=none) as answer:
                assert (answer.status, answer.headers["location"]) == (302, "/b")
            assert await refusal(it.url, reach(it), redirects=0) == f"{it.url} answered 302"
            assert await refusal(it.url, reach(it), redirects=1) == "127.0.0.1 is one redirect more than 1"
            assert it.connections == 4

    asyncio.run(run())


def test_what_is_posted_is_posted_once() -> None:
    """Its body arrives, and no redirect of it is followed."""

    async def run() -> None:
        async def take(reader: Reader, writer: Writer) -> None:
            bodies.append(await reader.readexactly(4))
            writer.write(moved("/b", 307))

        bodies: list[bytes] = []
        async with serving(take) as it:
            sent = {"webhook-id": "msg_1"}
            async with FETCH.open(it.url, allowed=reach(it), method="POST", headers=sent, content=b"body") as answer:
                assert answer.status == 307
            assert bodies == [b"body"]
            assert it.heads[0].startswith(b"POST / HTTP/1.1\r\n")
            assert b"\r\nwebhook-id: msg_1\r\n" in it.heads[0]
            assert it.connections == 1

    asyncio.run(run())


def test_the_callers_headers_go_to_its_own_origin() -> None:
    """Through its redirects, and never to another one, nor back."""

    async def run() -> None:
        async with serving(b"") as other, serving(b"") as it:
            it.answer = in_turn([moved("/b"), moved(other.url), OK])
            other.answer = moved(it.url + "c")
            async with FETCH.open(it.url, allowed=reach(it, other), headers={"If-None-Match": '"tag"'}) as answer:
                assert answer.final_url == it.url + "c"
            assert [b'\r\nIf-None-Match: "tag"\r\n' in head for head in it.heads + other.heads] == [
                True, True, False, False
            ]  # fmt: skip

    asyncio.run(run())


# Answers that are none


@pytest.mark.parametrize("status", [201, 204, 206, 304, 401, 404, 500, 503])
def test_a_fetch_takes_the_answer_200_alone(status: int) -> None:
    """The operator is told another one, without the query, which may hold a secret."""

    async def run() -> None:
        async with serving(f"HTTP/1.1 {status} So\r\nContent-Length: 0\r\n\r\n".encode()) as it:
            assert await refusal(it.url + "a?signature=b", reach(it)) == f"{it.url}a answered {status}"

    asyncio.run(run())


async def endless_head(_reader: Reader, writer: Writer) -> None:
    """Headers without an end."""
    writer.write(b"HTTP/1.1 200 OK\r\n")
    with contextlib.suppress(ConnectionError):
        while True:
            writer.write(b"X-Header: " + b"a" * 1000 + b"\r\n")
            await writer.drain()


async def broken_off(_reader: Reader, writer: Writer) -> None:
    """Less than was announced."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab")
    writer.close()


async def hung_up(_reader: Reader, writer: Writer) -> None:
    """No answer at all."""
    writer.close()


PACKED = gzip.compress(bytes(1_000_000))


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (endless, "127.0.0.1: The answer 200 is longer than 10000 bytes."),
        (with_body(bytes(10_001)), "127.0.0.1: The answer 200 is longer than 10000 bytes."),
        (with_body(PACKED, b"Content-Encoding: gzip"), "127.0.0.1: The answer 200 is packed, which was not asked for."),
        (with_body(b"", b"Content-Encoding: br"), "127.0.0.1: The answer 200 is packed, which was not asked for."),
        (endless_head, "127.0.0.1: Receive buffer too long"),
        (broken_off, "127.0.0.1: peer closed connection without sending complete message body"),
        (hung_up, "127.0.0.1: Server disconnected without sending a response."),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "127.0.0.1: illegal status line"),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n", "127.0.0.1: "),
    ],
)  # fmt: skip
def test_a_bad_answer_is_refused_like_any_other(answer: bytes | Misbehaviour, cause: str) -> None:
    """The operator is told what was bad."""

    async def run() -> str:
        async with serving(answer) as it:
            told = await refusal(it.url, reach(it), body=10_000)
            await until(lambda: not it.open)
            return told

    assert asyncio.run(run()).startswith(cause)


def test_a_cause_is_short() -> None:
    """Although it quotes what the peer said."""

    async def run() -> str:
        async with serving(b"x" * 50_000 + b"\r\n\r\n") as it:
            return await refusal(it.url, reach(it))

    assert len(asyncio.run(run())) == 500


def test_a_body_of_the_limit_is_taken() -> None:
    """To its last byte."""

    async def run() -> int:
        async with serving(with_body(bytes(10_000))) as it:
            return len((await FETCH.fetch(it.url, allowed=reach(it), limits=FetchLimits(body=10_000))).body)

    assert asyncio.run(run()) == 10_000


@pytest.mark.parametrize("answer", [silent, dripping])
def test_a_fetch_ends_in_its_time(answer: Misbehaviour) -> None:
    """Although no pause is long; and the connection is let go."""

    async def run() -> str:
        async with serving(answer) as it:
            cause = await refusal(it.url, reach(it), total_s=0.1)
            await until(lambda: not it.open)
            return cause

    assert asyncio.run(run()) == "127.0.0.1 took longer than 0.1 s"


def test_a_closed_port_is_refused_like_any_other() -> None:
    """Nobody is there."""

    async def run() -> str:
        async with serving(OK) as it:
            pass
        return await refusal(it.url, reach(it))

    assert asyncio.run(run()) == "127.0.0.1: All connection attempts failed"


@pytest.mark.parametrize("error", [OSError("no such name"), UnicodeError("no such name")])
def test_a_name_that_is_none_is_refused_like_any_other(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the system's resolver says."""

    async def unknown(host: str, port: int) -> list[IpAddress]:
        raise error

    monkeypatch.setattr(guarded, "resolve", unknown)
    assert asyncio.run(refusal("http://nobody.example/", [])) == "nobody.example: no such name"


def test_a_name_is_looked_up_in_its_time(monkeypatch: pytest.MonkeyPatch, dialled: Dialled) -> None:
    """A server of names that does not answer holds up no fetch."""

    async def never(host: str, port: int) -> list[IpAddress]:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(guarded, "resolve", never)
    assert asyncio.run(refusal("http://slow.example/", [], connect_s=0.05)) == "slow.example: TimeoutError"
    assert dialled.asked == []


def test_an_address_that_takes_too_long_leads_to_the_next(names: Callable[..., Names], dialled: Dialled) -> None:
    """And the fetch is refused after the last one."""
    dialled.error = httpcore.ConnectTimeout()
    names(slow_example=[["8.8.8.8", "8.8.4.4"]])
    assert asyncio.run(refusal("http://slow.example/", [])) == "slow.example: ConnectTimeout"
    assert [address for address, *_ in dialled.asked] == ["8.8.8.8", "8.8.4.4"]


# The streaming form


def test_a_body_is_read_in_bounded_parts() -> None:
    """Whatever the peer sends at once; the status may be any."""
    body = bytes(range(256)) * 2000

    async def run() -> None:
        answer = b"HTTP/1.1 404 No\r\nX-One: a\r\nx-one: b\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        async with serving(answer) as it, FETCH.open(it.url, allowed=reach(it)) as found:
            assert (found.status, found.headers["x-one"], found.final_url) == (404, "a, b", it.url)
            parts = [part async for part in found.parts()]
            assert b"".join(parts) == body
            assert max(map(len, parts)) <= 65536

    asyncio.run(run())


def test_leaving_early_ends_the_connection() -> None:
    """After the first part of a body without an end."""

    async def run() -> None:
        async with serving(endless) as it:
            async with FETCH.open(it.url, allowed=reach(it)) as answer:
                async for part in answer.parts():
                    assert part
                    break
            await until(lambda: not it.open)

    asyncio.run(run())


@pytest.mark.parametrize("error", [TimeoutError("own"), OSError("own"), ValueError("own"), httpcore.ReadError("own")])
def test_what_the_caller_raises_is_its_own(error: Exception) -> None:
    """It is no refusal."""

    async def run() -> None:
        async with serving(OK) as it:
            with pytest.raises(type(error), match="own") as told:
                await read_and_raise(it)
            assert told.value is error

    async def read_and_raise(it: Peer) -> None:
        async with FETCH.open(it.url, allowed=reach(it)) as answer:
            async for _ in answer.parts():
                raise error

    asyncio.run(run())


def test_the_time_of_the_caller_counts() -> None:
    """A caller that dawdles over an answer loses it."""

    async def run() -> None:
        async with serving(OK) as it:
            with pytest.raises(FetchRefused):
                async with FETCH.open(it.url, allowed=reach(it), limits=FetchLimits(total_s=0.05)):
                    await asyncio.Event().wait()

    asyncio.run(run())


def test_a_fetch_that_is_given_up_leaves_nothing() -> None:
    """Its connection ends, and the cancellation stays one."""

    async def run() -> None:
        async with serving(silent) as it:
            call = asyncio.create_task(FETCH.fetch(it.url, allowed=reach(it)))
            await until(lambda: it.heads)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await until(lambda: not it.open)

    asyncio.run(run())


# TLS


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> MadeAuthority:
    """Its server listens nowhere yet."""
    return MadeAuthority(tmp_path_factory.mktemp("authority"))


def test_tls_is_for_the_name_that_was_asked(authority: MadeAuthority, names: Callable[..., Names]) -> None:
    """SNI, certificate and Host are the name's, though the connection goes to its address."""
    names(media_example=[["127.0.0.1"]])

    async def run() -> None:
        async with serving(OK, tls=authority.tls) as it:
            by = GuardedFetch(authority.ca)
            authority.asked.clear()
            found = await by.fetch(f"https://media.example:{it.port}/a", allowed=reach(it))
            assert (found.body, found.final_url) == (b"hi", f"https://media.example:{it.port}/a")
            assert authority.asked == ["media.example"]
            assert f"\r\nHost: media.example:{it.port}\r\n".encode() in it.heads[0]

    asyncio.run(run())


@pytest.mark.parametrize("name", ["other.example", "127.0.0.1"])
def test_a_certificate_for_another_name_is_refused(
    name: str, authority: MadeAuthority, names: Callable[..., Names]
) -> None:
    """Nothing is asked of its server."""
    names(other_example=[["127.0.0.1"]])

    async def run() -> str:
        async with serving(OK, tls=authority.tls) as it:
            cause = await refusal(f"https://{name}:{it.port}/", reach(it), by=GuardedFetch(authority.ca))
            assert it.heads == []
            return cause

    assert "certificate" in asyncio.run(run())


def test_a_certificate_of_an_unknown_authority_is_refused(
    authority: MadeAuthority, names: Callable[..., Names]
) -> None:
    """The system's authorities are asked where none is given."""
    names(media_example=[["127.0.0.1"]])

    async def run() -> str:
        async with serving(OK, tls=authority.tls) as it:
            cause = await refusal(f"https://media.example:{it.port}/", reach(it))
            assert it.heads == []
            return cause

    assert "certificate" in asyncio.run(run())


def test_a_server_that_never_begins_tls_is_refused_in_time() -> None:
    """The time to connect counts for TLS too."""

    async def run() -> str:
        async with serving(OK) as it:
            return await refusal(f"https://127.0.0.1:{it.port}/", reach(it), connect_s=0.05)

    assert asyncio.run(run()) == "127.0.0.1: ConnectTimeout"
