"""The mail receiver of a training site, which stands for every mail server of the world: TRAINING.

It listens on loopback and takes mail for any address. What it does follows from the part before the ``@``: ``bounce``
is refused for good, ``greylist`` for now at its first attempt, everything else is taken. Nothing is kept but who was
greylisted, and nothing goes on from here.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from aiosmtpd.smtp import SMTP, Envelope, Session

from app.site.settings import MailRelay

HOST: Final = "127.0.0.1"
DOMAIN: Final = "training.invalid"
"""``invalid`` is nobody's (RFC 2606): a mail that strays goes nowhere."""
SIZE_LIMIT: Final = 32 << 20
_REMEMBERED: Final = 10_000

log = logging.getLogger(__name__)


class TrainingMail:
    """One receiver; ``start`` says how the site reaches it."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None
        self._connections: set[_Receiver] = set()
        self._handler = _MailRules()

    async def start(self) -> MailRelay:
        """Answers; how the site reaches it."""
        # It tells every line of every conversation otherwise, addresses included.
        logging.getLogger("mail.log").setLevel(logging.WARNING)
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._connect, HOST, 0)
        return MailRelay(
            host=HOST,
            port=self._server.sockets[0].getsockname()[1],
            tls="none",
            from_address=f"notices@{DOMAIN}",
            domain=DOMAIN,
            dkim_selector="training",
        )

    def _connect(self) -> SMTP:
        made = _Receiver(self._handler, hostname=f"mail.{DOMAIN}", ident="TRAINING", data_size_limit=SIZE_LIMIT)
        made.known = self._connections
        return made

    async def stop(self) -> None:
        """Ends every connection."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for one in tuple(self._connections):
            if one.transport is not None:
                one.transport.close()
        await server.wait_closed()


class _Receiver(SMTP):
    """One connection, which ``known`` has as long as it is open."""

    known: set[_Receiver]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.known.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self.known.discard(self)
        super().connection_lost(error)


class _MailRules:
    """Decides on recipients and messages; aiosmtpd calls it by these names."""

    def __init__(self) -> None:
        self._greylisted: dict[str, None] = {}

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        del server, session
        name = address.partition("@")[0].lower()
        if name == "bounce":
            return "550 5.1.1 TRAINING: there is no such mailbox"
        sender = str(envelope.mail_from)
        if name == "greylist" and sender not in self._greylisted:
            self._greylisted[sender] = None
            if len(self._greylisted) > _REMEMBERED:
                del self._greylisted[next(iter(self._greylisted))]
            return "451 4.7.1 TRAINING: greylisted, try again later"
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 TRAINING: recipient taken"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        del server, session
        log.info("the training receiver took a mail", extra={"bytes": len(envelope.content or b"")})
        return "250 2.0.0 TRAINING: message taken"
