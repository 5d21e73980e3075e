"""Connections to LDAP servers: the wire's two ends, what an operation leaves behind, which connection is used again."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import bonsai
import pytest
from bonsai.ldapconnection import BaseLDAPConnection

from app.capabilities.burn.targets import ldap_link
from app.capabilities.burn.targets.connector import Refusal
from app.capabilities.burn.targets.ldap_link import LdapLink, LdapRefused, Pool, _Half
from app.delivery.outbound import SystemUnreachable
from app.registry.directories import DirectoryRow

T = TypeVar("T")


def registered(
    url: str = "ldap://directory.invalid", dn: str | None = "cn=a", secret: str | None = "s"
) -> DirectoryRow:
    """A directory as it is registered."""
    return DirectoryRow("d", "ldap", "D", url, secret, dn, None, None, None, None, None, ())


def run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """On a loop of its own."""
    return asyncio.run(work())


class Wire:
    """A transport that remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.closing = False

    def write(self, data: bytes) -> None:
        """Bytes for the other side."""
        self.told.append(data)

    def pause_reading(self) -> None:
        """No more from there."""
        self.told.append("pause")

    def resume_reading(self) -> None:
        """More again."""
        self.told.append("resume")

    def close(self) -> None:
        """Ends after what was written."""
        self.told.append("close")
        self.closing = True

    def is_closing(self) -> bool:
        """Whether it was closed."""
        return self.closing


def ends(*connected: bool) -> tuple[_Half, _Half, Wire, Wire]:
    """The two ends of a wire, connected or not yet, and their transports."""
    one, other, here, there = _Half(), _Half(), Wire(), Wire()
    one.other, other.other = other, one
    for end, wire, up in ((one, here, connected[0]), (other, there, connected[1])):
        if up:
            end.connection_made(wire)  # type: ignore[arg-type]
    return one, other, here, there


# --- the wire ---


def test_bytes_go_from_one_end_to_the_other() -> None:
    """As they came, in their order."""
    one, _, here, there = ends(True, True)
    one.data_received(b"a")
    one.data_received(b"b")
    assert (here.told, there.told) == ([], [b"a", b"b"])


@pytest.mark.parametrize("alone", [False, True])
def test_a_server_that_speaks_first_is_cut_off(alone: bool) -> None:
    """Nobody is there yet to take its words."""
    one, _, here, there = ends(True, False)
    if alone:
        one.other = None
    one.data_received(b"a")
    assert (here.told, there.told) == (["close"], [])


def test_a_slow_end_holds_the_other_back() -> None:
    """A directory that sends more than the library reads fills no memory here: it waits, and goes on afterwards."""
    one, _, here, there = ends(True, True)
    one.pause_writing()
    one.resume_writing()
    assert (here.told, there.told) == ([], ["pause", "resume"])


@pytest.mark.parametrize("alone", [False, True])
def test_an_end_whose_other_is_not_there_holds_nobody_back(alone: bool) -> None:
    """Before the other one is connected, and where there is none."""
    one, _, here, there = ends(True, False)
    if alone:
        one.other = None
    one.pause_writing()
    one.resume_writing()
    one.connection_lost(None)
    assert (here.told, there.told) == ([], [])


def test_neither_end_outlives_the_other() -> None:
    """The one that is lost closes the one that is left; an end is open while it is connected."""
    one, other, _, there = ends(True, True)
    assert (one.open, other.open, _Half().open) == (True, True, False)
    one.connection_lost(None)
    assert (there.told, other.open) == (["close"], False)
    _Half().close()


# --- a connection ---


class Library:
    """The library's connection, whose operations end as the test says."""

    def __init__(self, *ends_: object) -> None:
        self.ends = list(ends_)
        self.asked: list[dict[str, Any]] = []
        self.closed = 0

    async def search(self, *args: object, **named: object) -> Any:
        """The next end: an exception or a value."""
        self.asked.append({"args": args, **named})
        end = self.ends.pop(0)
        if isinstance(end, BaseException):
            raise end
        return end

    async def paged_search(self, *args: object, **named: object) -> Any:
        """As ``search``."""
        return await self.search(*args, **named)

    def close(self) -> None:
        """Counts; the library raises here for a connection that is gone."""
        self.closed += 1
        raise failed(-1)


def failed(code: int, text: str = "words.") -> bonsai.LDAPError:
    """The library's error with this result code."""
    error: bonsai.LDAPError = type("Failed", (bonsai.LDAPError,), {"code": code})(text)
    return error


def link(*ends_: object, left: float = 5.0) -> tuple[LdapLink, Library, Wire]:
    """A bound connection on the running loop."""
    library, (far, _, wire, _) = Library(*ends_), ends(True, True)
    return LdapLink(library, far, asyncio.get_running_loop().time() + left), library, wire


def test_a_search_asks_for_the_tree_or_the_entry_with_values_or_names() -> None:
    """Within what is left of its time; the first entry is asked for alone."""

    async def work() -> None:
        one, library, _ = link(["e"], ["e"], iter(["f", "g"]), iter([]))
        assert await one.search("dc=x", "(a=b)", ("a", "b")) == ["e"]
        await one.search("dc=x", "(a=b)", (), subtree=False, values=False)
        assert (await one.first("dc=x", "(a=b)", ()), await one.first("dc=x", "(a=b)", ())) == ("f", None)
        tree, entry = bonsai.LDAPSearchScope.SUBTREE, bonsai.LDAPSearchScope.BASE
        assert [asked["args"] for asked in library.asked] == [
            ("dc=x", tree, "(a=b)", ["a", "b"]),
            ("dc=x", entry, "(a=b)", []),
            ("dc=x", tree, "(a=b)", []),
            ("dc=x", tree, "(a=b)", []),
        ]
        assert [asked.get("attrsonly") for asked in library.asked] == [False, True, None, None]
        assert [asked.get("page_size") for asked in library.asked] == [None, None, 1, 1]
        assert all(0 < asked["timeout"] <= 5.0 for asked in library.asked)

    run(work)


def test_an_operation_without_time_left_is_not_begun() -> None:
    """The connection stays usable: nothing of it is under way."""

    async def work() -> None:
        one, library, _ = link(["e"], left=0.0)
        with pytest.raises(SystemUnreachable, match="No answer in time"):
            await one.search("", "", ())
        assert (library.asked, one.usable) == ([], True)
        one.end += 0.5
        assert await one.search("", "", ()) == ["e"]

    run(work)


def test_an_operation_at_the_very_end_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time is left then."""

    async def work() -> None:
        one, library, _ = link(["e"])
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: one.end)
        with pytest.raises(SystemUnreachable, match="No answer in time"):
            await one.search("", "", ())
        assert library.asked == []

    run(work)


class Polled:
    """A connection of the library whose socket is one of these in turn; they can be read at once if so."""

    def __init__(self, *readable: bool) -> None:
        self.pairs = [socket.socketpair() for _ in readable]
        for can, (_, there) in zip(readable, self.pairs, strict=True):
            if can:
                there.send(b"x")
        self.at = -1

    def fileno(self) -> int:
        """The socket of now; the last one stays."""
        self.at = min(self.at + 1, len(self.pairs) - 1)
        return self.pairs[self.at][0].fileno()

    def poll(self, timeout: float | None = 5.0) -> Any:
        """The result of an operation on a loop of its own; afterwards nothing is watched."""
        one: Any = self

        async def work() -> Any:
            try:
                return await ldap_link._LdapConnection._poll(one, 7, timeout)
            finally:
                watched = [asyncio.get_running_loop().remove_reader(here.fileno()) for here, _ in self.pairs]
                assert not any(watched)

        try:
            return asyncio.run(work())
        finally:
            for end in (end for pair in self.pairs for end in pair):
                end.close()


def polled(monkeypatch: pytest.MonkeyPatch, *results: object) -> list[int]:
    """What the library says each time that it is asked, and for which operations it was."""
    asked, left = list[int](), list(results)

    def get_result(_: object, msg_id: int) -> object:
        asked.append(msg_id)
        result = left.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    monkeypatch.setattr(BaseLDAPConnection, "get_result", get_result)
    return asked


def test_a_result_comes_by_the_socket_that_the_library_has_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked as often as there is something to read; a result that counts as false is one."""
    asked = polled(monkeypatch, None, ["e"])
    assert (Polled(True, True).poll(), asked) == (["e"], [7, 7])
    asked = polled(monkeypatch, None, None, [])
    assert (Polled(True, True).poll(None), asked) == ([], [7, 7, 7])


def test_what_the_library_raises_is_told_as_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal by its code; a defect as it is."""
    polled(monkeypatch, failed(50))
    with pytest.raises(LdapRefused) as refused:
        Polled(True).poll()
    assert refused.value.code == 50
    polled(monkeypatch, ValueError("bug"))
    with pytest.raises(ValueError, match="bug"):
        Polled(True).poll()


@pytest.mark.parametrize("readable", [(False,), (True, False)])
def test_a_result_that_does_not_come_is_waited_for_no_longer(
    monkeypatch: pytest.MonkeyPatch, readable: tuple[bool, ...]
) -> None:
    """Also after a first sign of it; the library is asked only when there is something to read."""
    asked = polled(monkeypatch, *[None] * sum(readable))
    with pytest.raises(SystemUnreachable, match="No answer in time"):
        Polled(*readable).poll(0.02)
    assert asked == [7] * sum(readable)


@pytest.mark.parametrize("code", [51, 52, 80, -1, -5, -11, -101])
def test_a_server_that_goes_away_breaks_the_connection(code: int) -> None:
    """RFC 4511: busy, unavailable, other; libldap: down, timed out, connection, in progress. Its late answer would meet
    the next operation."""

    async def work() -> None:
        one, _, _ = link(failed(code))
        with pytest.raises(SystemUnreachable, match=r"^The connection broke: words\.$"):
            await one.search("", "", ())
        assert one.usable is False
        with pytest.raises(RuntimeError, match="used by two"):
            await one.search("", "", ())

    run(work)


@pytest.mark.parametrize("code", [10, 32, 49, 50, 53, 1])
def test_a_refusal_is_an_answer(code: int) -> None:
    """The connection goes on: the server told its result, whichever."""

    async def work() -> None:
        one, _, _ = link(ldap_link._as_ours(failed(code)), ["e"])
        with pytest.raises(LdapRefused, match=rf"^words \(result {code}\)$") as refused:
            await one.search("", "", ())
        assert (refused.value.code, one.usable) == (code, True)
        assert await one.search("", "", ()) == ["e"]

    run(work)


def test_a_closed_connection_is_not_usable() -> None:
    """Though the library complains that it is gone already."""

    async def work() -> None:
        one, library, wire = link()
        assert one.usable is True
        one.close()
        assert (library.closed, wire.told, one.usable) == (1, ["close"], False)

    run(work)


def test_the_result_codes_are_those_of_rfc_4511() -> None:
    """4.1.9 and appendix A."""
    assert {
        name: getattr(ldap_link, name)
        for name in (
            "REFERRAL",
            "NO_SUCH_ATTRIBUTE",
            "UNDEFINED_ATTRIBUTE",
            "CONSTRAINT_VIOLATION",
            "NO_SUCH_OBJECT",
            "INVALID_DN",
            "INVALID_CREDENTIALS",
            "INSUFFICIENT_ACCESS",
            "UNWILLING",
            "OBJECT_CLASS_VIOLATION",
        )
    } == {
        "REFERRAL": 10,
        "NO_SUCH_ATTRIBUTE": 16,
        "UNDEFINED_ATTRIBUTE": 17,
        "CONSTRAINT_VIOLATION": 19,
        "NO_SUCH_OBJECT": 32,
        "INVALID_DN": 34,
        "INVALID_CREDENTIALS": 49,
        "INSUFFICIENT_ACCESS": 50,
        "UNWILLING": 53,
        "OBJECT_CLASS_VIOLATION": 65,
    }


# --- the connections to a directory ---


class Dialing(Pool):
    """A pool whose connections come from the test."""

    def __init__(self, *dialed: object, where: DirectoryRow | None = None) -> None:
        super().__init__(where or registered())
        self.dialed = list(dialed)
        self.dials: list[tuple[str | None, str | None]] = []

    async def _dial(self, dn: str | None, password: str | None, end: float) -> LdapLink:
        self.dials.append((dn, password))
        found = self.dialed.pop(0)
        if isinstance(found, BaseException):
            raise found
        assert isinstance(found, LdapLink)
        return found


async def name(one: LdapLink) -> LdapLink:
    """The connection itself: which one was it?"""
    return one


def soon() -> float:
    """Five seconds from now."""
    return asyncio.get_running_loop().time() + 5.0


def test_a_connection_is_kept_and_used_again() -> None:
    """While it is open; one that died is closed and another is dialed."""

    async def work() -> None:
        (one, _, wire), (other, _, _) = link(), link()
        pool = Dialing(one, other)
        assert await pool.run(name, soon()) is one
        end = soon()
        assert await pool.run(name, end) is one
        assert (one.end, pool.dials) == (end, [("cn=a", "s")])
        wire.closing = True
        assert await pool.run(name, soon()) is other
        assert len(pool.dials) == 2

    run(work)


def test_work_is_done_once_more_where_a_kept_connection_turns_out_broken() -> None:
    """On a fresh one; a fresh one that breaks is told."""

    async def work() -> None:
        (one, _, wire), (other, _, _) = link(["e"], failed(-1)), link(["f"], failed(-1))
        pool = Dialing(one, other, failing := link(failed(52))[0])
        assert await pool.run(lambda at: at.search("", "", ()), soon()) == ["e"]
        assert await pool.run(lambda at: at.search("", "", ()), soon()) == ["f"]
        assert (wire.told, other.usable, len(pool.dials)) == (["close"], True, 2)
        with pytest.raises(SystemUnreachable, match="The connection broke"):
            await pool.run(lambda at: at.search("", "", ()), soon())
        assert (failing.usable, pool.dialed) == (False, [])

    run(work)


def test_a_directory_that_does_not_answer_on_one_is_dialed_anew() -> None:
    """What was kept beside it is closed too."""

    async def silent(_: LdapLink) -> None:
        raise SystemUnreachable("No answer in time.")

    async def work() -> None:
        (one, _, wire), (other, _, beside), (fresh, _, _) = link(), link(), link()
        pool = Dialing(one, other, fresh)

        async def both(at: LdapLink) -> LdapLink:
            assert at is one
            return await pool.run(name, soon())

        assert await pool.run(both, soon()) is other
        with pytest.raises(SystemUnreachable):
            await pool.run(silent, soon())
        assert "close" in [*wire.told, *beside.told]
        assert {one.usable, other.usable} == {False, True}
        assert pool.dialed == [fresh]

    run(work)


def test_a_pool_that_was_closed_keeps_nothing() -> None:
    """Neither what it held nor what comes back later."""

    async def work() -> None:
        (one, _, wire), (other, _, later) = link(), link()
        pool = Dialing(one, other)
        await pool.run(name, soon())
        pool.close()
        assert wire.told == ["close"]
        assert await pool.run(name, soon()) is other
        assert later.told == ["close"]

    run(work)


@pytest.mark.parametrize(("code", "lets_in"), [(49, False), (53, False), (19, False), (None, True)])
def test_whether_a_password_lets_in(code: int | None, lets_in: bool) -> None:
    """Wrong, unwilling (389 Directory Server's word for locked) or against a policy: no. Its connection is not kept."""

    async def work() -> None:
        one, _, wire = link()
        pool = Dialing(one if code is None else LdapRefused(code, "no"))
        assert await pool.lets_in("cn=x", "p", soon()) is lets_in
        assert pool.dials == [("cn=x", "p")]
        assert wire.told == (["close"] if lets_in else [])

    run(work)


@pytest.mark.parametrize("code", [32, 34, 50, 1])
def test_an_answer_that_tells_neither_is_no_answer(code: int) -> None:
    """Another refusal proves nothing of the password."""

    async def work() -> None:
        with pytest.raises(LdapRefused):
            await Dialing(LdapRefused(code, "no")).lets_in("cn=x", "p", soon())

    run(work)


@pytest.mark.parametrize(
    ("where", "told"),
    [
        (registered(dn=None), "has no bind_dn"),
        (registered(dn=None, secret=None), "has no bind_dn"),
        (registered(secret=None), "has no secret"),
        (registered("ldapi://", secret=None), "has no secret"),
        (registered(), "refuses the bind as cn=a: no"),
        (registered("ldapi://", dn=None, secret=None), "refuses the bind as the service's system user: no"),
    ],
)
def test_a_bind_that_cannot_be_is_told(where: DirectoryRow, told: str) -> None:
    """What is to be registered; over the local socket the system user needs no name."""

    async def work() -> None:
        with pytest.raises(Refusal, match=told):
            await Dialing(LdapRefused(49, "no"), where=where).run(name, soon())

    run(work)


def dial(monkeypatch: pytest.MonkeyPatch, url: str, error: Exception) -> tuple[list[object], str]:
    """What is dialed for a directory at ``url`` whose connection ends with ``error``, and what is told of it."""
    asked: list[object] = []

    async def connect(_: object, host: str, port: int, *, ssl: object) -> None:
        asked.append((host, port, ssl is not None))
        raise error

    async def connect_local(_: object, path: str) -> None:
        asked.append(path)
        raise error

    async def work() -> str:
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "create_connection", connect)
        monkeypatch.setattr(loop, "create_unix_connection", connect_local)
        with pytest.raises(SystemUnreachable) as told:
            await Pool(registered(url)).lets_in("cn=x", "p", soon())
        return str(told.value)

    return asked, run(work)


@pytest.mark.parametrize(
    ("url", "dialed"),
    [
        ("ldap://directory.invalid", ("directory.invalid", 389, False)),
        ("ldap://directory.invalid:10389", ("directory.invalid", 10389, False)),
        ("ldaps://directory.invalid", ("directory.invalid", 636, True)),
        ("ldaps://[::1]:10636", ("::1", 10636, True)),
        ("ldapi://", "/var/run/slapd/ldapi"),
        ("ldapi://%2Frun%2Fx", "/run/x"),
    ],
)
def test_a_directory_is_dialed_at_its_address(monkeypatch: pytest.MonkeyPatch, url: str, dialed: object) -> None:
    """389 and 636 where no port is named (RFC 4516), with TLS for ldaps; a local socket by its path."""
    assert dial(monkeypatch, url, OSError(111, "Connection refused"))[0] == [dialed]


def untrusted(reason: str | None) -> ssl.SSLError:
    """What a handshake ends with."""
    error = ssl.SSLError(1, "[SSL] bad")
    error.reason = reason  # type: ignore[assignment]
    return error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(111, "Connection refused"), "No connection: Connection refused."),
        (OSError("odd"), "No connection: odd."),
        (UnicodeError("no host's name"), "No connection: no host's name."),
        (untrusted("CERTIFICATE_VERIFY_FAILED"), "No TLS that can be trusted: CERTIFICATE_VERIFY_FAILED."),
        (untrusted(None), "No TLS that can be trusted: [SSL] bad."),
        (TimeoutError(), "No connection in time."),
    ],
)
def test_why_there_is_no_connection_is_told(monkeypatch: pytest.MonkeyPatch, error: Exception, told: str) -> None:
    """In the words of what refused it."""
    assert dial(monkeypatch, "ldaps://directory.invalid", error)[1].replace("(1, '[SSL] bad')", "[SSL] bad") == told


def test_a_directory_whose_connections_are_all_in_use_is_told() -> None:
    """Eight work; the ninth waits until its own end."""

    async def work() -> None:
        pool, gate = Dialing(*(link()[0] for _ in range(8))), asyncio.Event()

        async def wait(_: LdapLink) -> None:
            await gate.wait()

        tasks = [asyncio.create_task(pool.run(wait, soon())) for _ in range(8)]
        await asyncio.sleep(0)
        with pytest.raises(SystemUnreachable, match="All connections to the directory are in use"):
            await pool.run(name, asyncio.get_running_loop().time())
        gate.set()
        await asyncio.gather(*tasks)

    run(work)
