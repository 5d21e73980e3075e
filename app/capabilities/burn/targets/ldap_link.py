"""Bound connections to LDAP servers: opened within a deadline, kept warm, at most ``CONNECTIONS`` to a directory.

libldap resolves, connects and shakes hands inside one call that holds the interpreter's lock and knows no deadline: a
server that swallows packets would stop every thread of the process, doors included. So it never meets the network: it
connects to a socket of our own, and the event loop carries the bytes between that one and the server, with the TLS that
all calls to systems elsewhere use.

Sources: RFC 4511 (protocol, result codes), 4513 (bind), 4516 (addresses). Needs Unix domain sockets.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeVar, cast
from urllib.parse import quote, unquote, urlsplit

import bonsai
from bonsai.asyncio import AIOLDAPConnection
from bonsai.ldapconnection import BaseLDAPConnection

from app.capabilities.burn.targets.connector import Refusal
from app.delivery.outbound import CONNECTIONS, SystemUnreachable, trust
from app.registry.directories import DirectoryRow

T = TypeVar("T")
Change = tuple[str, bonsai.LDAPModOp, Sequence[str | bytes]]
"""Attribute, operation, values: one change of a modify."""
Entry = Any
"""``bonsai.LDAPEntry``: values by attribute name in any case, as lists; ``dn``."""

REFERRAL: Final = 10
NO_SUCH_ATTRIBUTE: Final = 16
UNDEFINED_ATTRIBUTE: Final = 17
CONSTRAINT_VIOLATION: Final = 19
NO_SUCH_OBJECT: Final = 32
INVALID_DN: Final = 34
INVALID_CREDENTIALS: Final = 49
INSUFFICIENT_ACCESS: Final = 50
UNWILLING: Final = 53
OBJECT_CLASS_VIOLATION: Final = 65
_AWAY: Final = frozenset({51, 52, 80, -1, -5, -11, -101})
"""Busy, unavailable, other (a server that goes down says so), and libldap's own: no connection, no answer."""
_PORTS: Final = {"ldap": 389, "ldaps": 636}
_LOCAL_SOCKET: Final = "/var/run/slapd/ldapi"


class LdapRefused(Exception):
    """The server answered with a result that is no success (RFC 4511, 4.1.9)."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{text.rstrip('.')} (result {code})")
        self.code = code


class _Broken(SystemUnreachable):
    """A connection that was open is gone."""


class _Half(asyncio.Protocol):
    """One end of a wire: hands on all that comes, no faster than the other end takes it."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.other: _Half | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The end is there."""
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Handed on; a server that speaks before the other end is there is cut off."""
        if self.other is not None and self.other.transport is not None:
            self.other.transport.write(data)
        else:
            self.close()

    def pause_writing(self) -> None:
        """This end is slow: nothing more from the other one."""
        if self.other is not None and self.other.transport is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        """This end takes again."""
        if self.other is not None and self.other.transport is not None:
            self.other.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Neither end outlives the other."""
        del exc
        if self.other is not None:
            self.other.close()

    def close(self) -> None:
        """Ends it after what was written."""
        if self.transport is not None:
            self.transport.close()

    @property
    def open(self) -> bool:
        """Whether it is connected."""
        return self.transport is not None and not self.transport.is_closing()


class _LdapConnection(AIOLDAPConnection):
    """Waits for what is to be read alone. The library's own waits for writability too, which a socket always has: it
    spins until the server has answered, and what is cancelled leaves its callbacks behind."""

    async def _poll(self, msg_id: int, timeout: float | None = None) -> Any:  # noqa: ASYNC109 -- the library's name
        """The library's own name: the result of an operation, once the socket has brought it."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()
        watched = self.fileno()

        def ready() -> None:
            nonlocal watched
            loop.remove_reader(watched)
            if done.done():
                return
            try:
                result = BaseLDAPConnection.get_result(self, msg_id)
            except Exception as error:
                # The library keeps the number in the class: read now, before another connection's error changes it.
                done.set_exception(_as_ours(error) if isinstance(error, bonsai.LDAPError) else error)
                return
            if result is not None:
                done.set_result(result)
                return
            watched = self.fileno()  # another one once the library has connected
            loop.add_reader(watched, ready)

        loop.add_reader(watched, ready)
        try:
            async with asyncio.timeout(timeout):
                return await done
        except TimeoutError as error:
            raise SystemUnreachable("No answer in time.") from error
        finally:
            loop.remove_reader(watched)


class LdapLink:
    """One bound connection. ``end`` (the loop's time) is when its user must be done. An operation that did not
    come to its end leaves it ``usable`` no more: its answer would meet the next one."""

    def __init__(self, connection: Any, far: _Half, end: float) -> None:
        self._connection = connection
        self._far = far
        self.end = end
        self._busy = False

    @property
    def usable(self) -> bool:
        """Whether another operation may be tried on it."""
        return not self._busy and self._far.open

    async def search(
        self, base: str, filter_: str, attributes: Sequence[str], *, subtree: bool = True, values: bool = True
    ) -> list[Entry]:
        """Entries under ``base`` (or it alone), with the values of their attributes or the names alone. Raises
        ``LdapRefused``, ``SystemUnreachable``."""
        scope = bonsai.LDAPSearchScope.SUBTREE if subtree else bonsai.LDAPSearchScope.BASE
        found: list[Entry] = await self._do(
            lambda left: self._connection.search(
                base, scope, filter_, list(attributes), timeout=left, attrsonly=not values
            )
        )
        return found

    async def first(self, base: str, filter_: str, attributes: Sequence[str]) -> Entry | None:
        """Some entry under ``base``: the first page of one (RFC 2696). Raises as ``search``."""
        scope = bonsai.LDAPSearchScope.SUBTREE
        page = await self._do(
            lambda left: self._connection.paged_search(
                base, scope, filter_, list(attributes), timeout=left, page_size=1
            )
        )
        return next(iter(page), None)

    async def modify(self, dn: str, *changes: Change) -> None:
        """All ``changes`` or none. Raises ``LdapRefused``, ``SystemUnreachable``."""
        entry: Any = bonsai.LDAPEntry(dn, self._connection)
        for attribute, operation, values in changes:
            entry.change_attribute(attribute, operation, *values)
        await self._do(lambda left: entry.modify(timeout=left))

    async def _do(self, operation: Callable[[float], Awaitable[T]]) -> T:
        """One operation within ``end``; one that does not come to its end leaves the connection unusable."""
        left = self.end - asyncio.get_running_loop().time()
        if left <= 0:
            raise SystemUnreachable("No answer in time.")
        if self._busy:
            raise RuntimeError("a connection is used by two")
        self._busy = True
        try:
            result = await operation(left)
        except LdapRefused:
            self._busy = False
            raise
        except bonsai.LDAPError as error:
            raise _as_ours(error) from error
        self._busy = False
        return result

    def close(self) -> None:
        """Lets go of it."""
        with contextlib.suppress(bonsai.LDAPError):
            self._connection.close()
        self._far.close()


class Pool:
    """The connections to one directory as registered. Used on the event loop only."""

    def __init__(self, where: DirectoryRow) -> None:
        self.where = where
        self._slots = asyncio.Semaphore(CONNECTIONS)
        self._idle: list[LdapLink] = []
        self._closed = False
        self._trust: ssl.SSLContext | None = None

    async def run(self, work: Callable[[LdapLink], Awaitable[T]], end: float) -> T:
        """``work`` with a bound connection until ``end`` (the loop's time). Done once more on a fresh connection where
        a kept one turns out to be gone: it must be idempotent. Raises ``OutboundError``, ``Refusal``, and what
        ``work`` raises."""
        async with contextlib.AsyncExitStack() as held:
            try:
                async with asyncio.timeout_at(end):
                    await held.enter_async_context(self._slots)
            except TimeoutError as error:
                raise SystemUnreachable("All connections to the directory are in use.") from error
            while True:
                link = self._take_idle()
                fresh = link is None
                if link is None:
                    link = await self._connect(end)
                link.end = end
                try:
                    return await work(link)
                except _Broken:
                    if fresh:
                        raise
                except SystemUnreachable:
                    # What did not answer on this one will hardly on the others that were kept.
                    self._forget()
                    raise
                finally:
                    if link.usable and not self._closed:
                        self._idle.append(link)
                    else:
                        link.close()

    async def lets_in(self, dn: str, password: str, end: float) -> bool:
        """Whether a bind with this password succeeds now, on a connection of its own. Raises ``OutboundError``;
        ``LdapRefused`` for an answer that tells neither."""
        try:
            link = await self._dial(dn, password, end)
        except LdapRefused as error:
            # 389 Directory Server is "unwilling" where an account is locked.
            if error.code in (INVALID_CREDENTIALS, UNWILLING, CONSTRAINT_VIOLATION):
                return False
            raise
        link.close()
        return True

    def close(self) -> None:
        """Lets go of all connections; of one in use as soon as it comes back."""
        self._closed = True
        self._forget()

    def _take_idle(self) -> LdapLink | None:
        while self._idle:
            link = self._idle.pop()
            if link.usable:
                return link
            link.close()
        return None

    def _forget(self) -> None:
        idle, self._idle = self._idle, []
        for link in idle:
            link.close()

    async def _connect(self, end: float) -> LdapLink:
        where = self.where
        local = where.url.startswith("ldapi:")
        if where.bind_dn is None and not local:
            raise Refusal("The directory has no bind_dn; register the account that may lock others, and its secret.")
        if where.bind_dn is not None and where.secret is None:
            raise Refusal("The directory has no secret; register the password of its bind_dn.")
        try:
            return await self._dial(where.bind_dn, where.secret, end)
        except LdapRefused as error:
            who = where.bind_dn or "the service's system user"
            raise Refusal(f"The directory refuses the bind as {who}: {error}. Check bind_dn and secret.") from error

    async def _dial(self, dn: str | None, password: str | None, end: float) -> LdapLink:
        """A bound connection: our socket to the server first, then the library over it."""
        far, near = _Half(), _Half()
        far.other, near.other = near, far
        try:
            async with asyncio.timeout_at(end):
                await self._far(far)
        except TimeoutError as error:
            raise SystemUnreachable("No connection in time.") from error
        except ssl.SSLError as error:
            raise SystemUnreachable(f"No TLS that can be trusted: {error.reason or error}.") from error
        except (OSError, UnicodeError) as error:  # the latter of names that are no host's
            raise SystemUnreachable(f"No connection: {getattr(error, 'strerror', None) or error}.") from error
        try:
            return LdapLink(await self._bind_over(near, dn, password, end), far, end)
        except BaseException:
            far.close()
            near.close()
            raise

    @staticmethod
    async def _bind_over(near: _Half, dn: str | None, password: str | None, end: float) -> Any:
        """The library's connection, bound, to ``near``."""
        loop = asyncio.get_running_loop()
        # 0700: no other user of this machine can connect where a password is about to be sent.
        with tempfile.TemporaryDirectory(prefix="arc-ldap-") as home:
            listener = await loop.create_unix_server(lambda: near, f"{home}/server", backlog=1)
            client = bonsai.LDAPClient(f"ldapi://{quote(home, safe='')}%2Fserver")
            client.set_async_connection_class(_LdapConnection)
            if dn is None:
                client.set_credentials("EXTERNAL")
            else:
                client.set_credentials("SIMPLE", dn, password)
            try:
                return await client.connect(is_async=True, timeout=max(end - loop.time(), 0.001))
            except bonsai.LDAPError as error:
                raise _as_ours(error) from error
            finally:
                listener.close()

    async def _far(self, far: _Half) -> None:
        loop = asyncio.get_running_loop()
        parts = urlsplit(self.where.url)
        if parts.scheme == "ldapi":
            await loop.create_unix_connection(lambda: far, unquote(parts.netloc) or _LOCAL_SOCKET)
            return
        if parts.scheme == "ldaps" and self._trust is None:
            self._trust = trust(self.where.ca)
        secured = self._trust if parts.scheme == "ldaps" else None
        port = parts.port or _PORTS[parts.scheme]
        await loop.create_connection(lambda: far, parts.hostname or "", port, ssl=secured)


def _as_ours(error: bonsai.LDAPError) -> Exception:
    """The library's error as one of ours: the connection is gone, or the server refuses."""
    text = str(error.args[0]) if error.args else type(error).__name__
    if error.code in _AWAY:
        return _Broken(f"The connection broke: {text.rstrip('.')}.")
    return LdapRefused(error.code, text)


def escape(value: str) -> str:
    """``value`` as a part of a filter (RFC 4515, 3): all but plain letters and digits by their bytes, so that no text
    can end the part that it stands in. (The library's own leaves half an escape for NUL.)"""
    return "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else f"\\{byte:02x}" for byte in value.encode())
