"""A mail server on loopback (aiosmtpd) that keeps every mail it took and answers as a test says."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

DROP = "drop"
"""The answer that is none: the connection ends."""


@dataclass(frozen=True)
class Mail:
    """One mail as it came: the envelope with its options, and the message to the byte."""

    sender: str
    recipient: str
    raw: bytes
    options: list[str]
    secured: bool
    user: str | None
    port: int

    @property
    def message(self) -> EmailMessage:
        """The parsed message."""
        found = message_from_bytes(self.raw, policy=policy.default)
        assert isinstance(found, EmailMessage)
        return found

    @property
    def message_id(self) -> str:
        """Its ``Message-ID``."""
        return str(self.message["Message-ID"])


@dataclass
class MailReceiver:
    """``recipient``: the answer to RCPT, ``taken``: the answer after the message, which is kept in ``mails`` before
    that (None: 250). ``password``: what AUTH wants of each user, None: no AUTH. ``busy_s``: for each message,
    of which several connections wait side by side."""

    recipient: Callable[[str], str | None] = lambda _address: None
    taken: Callable[[Mail], str | None] = lambda _mail: None
    password: str | None = None
    tls: ssl.SSLContext | None = None
    implicit: bool = False
    dsn: bool = False
    busy_s: float = 0.0
    mails: list[Mail] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    port: int = 0
    connections: int = 0

    @contextlib.contextmanager
    def listening(self, port: int = 0) -> Iterator[MailReceiver]:
        """Serves inside the block, on a thread of its own."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="mail-receiver")
        thread.start()
        protocols: list[SMTP] = []

        def make() -> SMTP:
            self.connections += 1
            upgraded = None if self.implicit else self.tls
            how: dict[str, Any] = {"tls_context": upgraded, "require_starttls": upgraded is not None}
            if self.password is not None:
                how |= {"authenticator": self._judge, "auth_required": True, "auth_require_tls": not self.implicit}
            with warnings.catch_warnings():
                # Of TLS from the first byte aiosmtpd knows nothing, and warns of AUTH without it.
                warnings.filterwarnings("ignore", "Requiring AUTH while not requiring TLS")
                made = _Server(_Handler(self), hostname="mail.test", ident="test", loop=loop, **how)
            made.dsn = self.dsn
            protocols.append(made)
            return made

        async def serve() -> asyncio.AbstractServer:
            return await loop.create_server(make, "127.0.0.1", port, ssl=self.tls if self.implicit else None)

        async def end(server: asyncio.AbstractServer) -> None:
            server.close()
            for one in protocols:
                # After STARTTLS, or in the middle of it, the socket is that of the first transport.
                for transport in (one.transport, one._original_transport):
                    if transport is not None:
                        # A TLS transport that was closed twice has let go of its connection: nothing is left to end.
                        with contextlib.suppress(AttributeError):
                            transport.abort()
            await server.wait_closed()
            left = asyncio.all_tasks() - {asyncio.current_task()}
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

        server = asyncio.run_coroutine_threadsafe(serve(), loop).result(10)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            asyncio.run_coroutine_threadsafe(end(server), loop).result(10)
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _judge(self, server: Any, session: Session, envelope: Envelope, mechanism: str, auth: Any) -> AuthResult:
        right = auth.password == (self.password or "").encode()
        return AuthResult(success=right, handled=right, auth_data=auth.login.decode())


class _Server(SMTP):
    """aiosmtpd, which knows no DSN: the options are taken and left to the handler."""

    dsn = False

    async def smtp_MAIL(self, arg: str | None) -> None:
        """MAIL, whose options of DSN aiosmtpd would refuse."""
        if self.dsn and arg is not None and " " in arg:
            words = arg.split(" ")
            kept = [word for word in words if not word.startswith(("RET=", "ENVID="))]
            self.envelope.options_seen = [word for word in words if word not in kept]  # type: ignore[attr-defined]
            arg = " ".join(kept)
        seen = getattr(self.envelope, "options_seen", [])
        await super().smtp_MAIL(arg)
        self.envelope.options_seen = seen  # type: ignore[attr-defined]

    async def smtp_RCPT(self, arg: str | None) -> None:
        """RCPT, likewise."""
        if self.dsn and arg is not None and " NOTIFY=" in arg:
            arg, _, notify = arg.partition(" NOTIFY=")
            self.envelope.options_seen.append(f"NOTIFY={notify}")  # type: ignore[attr-defined]
        await super().smtp_RCPT(arg)


class _Handler:
    def __init__(self, owner: MailReceiver) -> None:
        self._owner = owner

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        session.host_name = hostname
        return [*responses[:-1], "250-DSN", responses[-1]] if self._owner.dsn else responses

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        answer = self._owner.recipient(address)
        if answer == DROP and server.transport is not None:
            server.transport.abort()
        if answer is not None:
            self._owner.refused.append(address)
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        (recipient,) = envelope.rcpt_tos
        content = envelope.original_content
        assert isinstance(content, bytes)
        mail = Mail(
            sender=str(envelope.mail_from),
            recipient=recipient,
            raw=content,
            options=list(getattr(envelope, "options_seen", [])),
            secured=session.ssl is not None or self._owner.implicit,
            user=session.auth_data if isinstance(session.auth_data, str) else None,
            port=session.peer[1],
        )
        if self._owner.busy_s:
            await asyncio.sleep(self._owner.busy_s)
        self._owner.mails.append(mail)
        answer = self._owner.taken(mail)
        if answer == DROP and server.transport is not None:
            server.transport.abort()
        return answer or "250 2.0.0 taken"
