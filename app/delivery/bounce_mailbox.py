"""The mailbox that bounces come to, read over IMAP (RFC 3501) with TLS.

Only unseen mail to a bounce address is looked at. Each is marked as seen after what it says is durable, so that a
process that is killed in between reads it again, which changes nothing. Nothing is deleted or moved.
"""

from __future__ import annotations

import asyncio
import contextlib
import imaplib
import logging
import re
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Any, Final

from app.delivery.alarms import AlarmBook
from app.delivery.bounces import REPORT_LIMIT, BounceReport, read_report
from app.delivery.mail_message import BOUNCES
from app.delivery.notice_attempts import NoticeAttempts
from app.delivery.outbound import trust
from app.delivery.site_mail import MAILBOX_PASSWORD
from app.site.settings import BounceMailbox
from app.store.engine import Store
from app.store.errors import StoreUnavailable
from app.store.keys import Keys
from app.store.writer import Transaction

UNREAD: Final = "notice.bounces_unread"
"""Kind of the alarm while the mailbox cannot be read."""
PER_LOOK: Final = 200
"""Mails that one look takes; the others wait for the next."""
TIMEOUT_S: Final = 15.0
"""Of each command."""
_CRITERIA: Final = '(UNSEEN OR HEADER "To" "bounce+" HEADER "Delivered-To" "bounce+")'
_UID: Final = re.compile(rb"[0-9]{1,10}")

log = logging.getLogger(__name__)


class MailboxUnread(Exception):
    """The mailbox could not be read; the message is a sentence for people, without the password."""


class BounceReader:
    """Looks into the mailbox each interval of the settings."""

    def __init__(
        self, mailbox: BounceMailbox | None, keys: Keys, store: Store, attempts: NoticeAttempts, alarms: AlarmBook
    ) -> None:
        """``mailbox`` None: the site has none, and nothing is looked at."""
        self._mailbox = mailbox
        self._keys = keys
        self._store = store
        self._attempts = attempts
        self._alarms = alarms
        self._task: asyncio.Task[None] | None = None
        self._client: imaplib.IMAP4 | None = None
        """The connection of the look that is under way."""

    async def start(self) -> None:
        """Begins to look, at once for the first time."""
        if self._mailbox is not None:
            self._task = asyncio.create_task(self._run(self._mailbox.interval_s), name="bounces")

    async def stop(self) -> None:
        """Ends, and with it the connection of a look that is under way: what that had not recorded is read again."""
        task, self._task = self._task, None
        client = self._client
        if client is not None:
            with contextlib.suppress(OSError):
                client.sock.shutdown(socket.SHUT_RDWR)
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self, interval_s: float) -> None:
        while True:
            await self.look()
            await asyncio.sleep(interval_s)

    async def look(self) -> None:
        """One look; what stands in its way is an alarm until a look succeeds."""
        try:
            await asyncio.to_thread(self._read)
            trouble = None
        except MailboxUnread as error:
            trouble = str(error)
        except Exception:
            log.exception("the bounce mailbox could not be read")
            trouble = "This service failed to read the bounce mailbox; its log tells why."
        with contextlib.suppress(StoreUnavailable):
            await self._store.writer.run(lambda tx: self._tell(tx, trouble))

    def _tell(self, tx: Transaction, trouble: str | None) -> None:
        if trouble is None:
            self._alarms.clear(tx, UNREAD, "mailbox")
        else:
            self._alarms.raise_alarm(tx, UNREAD, "mailbox", trouble)

    def _read(self) -> None:
        """On a thread of its own."""
        mailbox = self._mailbox
        if mailbox is None:
            return
        password = self._keys.given_secret(MAILBOX_PASSWORD)
        if password is None:
            raise MailboxUnread(
                "The password of the bounce mailbox is missing: give it by `arc-console mail password --mailbox`."
            )
        try:
            try:
                client = _Client(self._begin, mailbox.host, mailbox.port, trust(mailbox.ca))
                client.login(mailbox.user, _quotable(password.decode()))
                _take(client, mailbox.folder, self._keep)
                client.logout()
            finally:
                begun, self._client = self._client, None
                if begun is not None:
                    with contextlib.suppress(OSError):
                        begun.shutdown()
        except (imaplib.IMAP4.error, OSError, ValueError) as error:
            # Without the server's words, which may repeat what was sent.
            kind = "refused the login or the folder" if isinstance(error, imaplib.IMAP4.error) else "does not answer"
            log.warning("the bounce mailbox was not read: %s", type(error).__name__)
            raise MailboxUnread(
                f"The server of the bounce mailbox ({mailbox.host}:{mailbox.port}) {kind}: bounces are not seen."
            ) from error

    def _begin(self, client: imaplib.IMAP4_SSL) -> None:
        """A connection is there: a stop can end it from now on."""
        self._client = client

    def _keep(self, raw: bytes) -> None:
        """Writes what one mail reports, and returns when that is durable."""
        report = read_report(raw, self._keys.secret(BOUNCES))
        if report is not None:
            self._store.writer.submit(lambda tx: self._record(tx, report)).result()

    def _record(self, tx: Transaction, report: BounceReport) -> bool:
        return self._attempts.record_report(
            tx, report.notice_id, report.state, detail=report.detail, evidence=report.evidence
        )


class _Client(imaplib.IMAP4_SSL):
    """Tells ``begin`` of its connection before it says the first word on it: the library's constructor waits for the
    server's greeting and for what it can."""

    def __init__(self, begin: Callable[[imaplib.IMAP4_SSL], None], host: str, port: int, tls: ssl.SSLContext) -> None:
        self._begin = begin
        super().__init__(host, port, ssl_context=tls, timeout=TIMEOUT_S)

    def open(self, host: str = "", port: int | None = 993, timeout: float | None = None) -> None:
        super().open(host, port, timeout)
        self._begin(self)


def _quotable(password: str) -> str:
    """The password as ``imaplib`` sends it. ``ValueError`` where it would end the command's line."""
    if any(mark in password for mark in "\r\n\0"):
        raise ValueError("a password of more than one line")
    return password


def _take(client: imaplib.IMAP4, folder: str, keep: Callable[[bytes], None]) -> None:
    """Has ``keep`` take each unseen mail to a bounce address, and marks it as seen after that."""
    _ok(client.select(f'"{folder}"'))
    found = b" ".join(part for part in _ok(client.uid("SEARCH", _CRITERIA)) if isinstance(part, bytes))
    for uid in _UID.findall(found)[:PER_LOOK]:
        name = uid.decode()
        for part in _ok(client.uid("FETCH", name, f"(BODY.PEEK[]<0.{REPORT_LIMIT}>)")):
            if isinstance(part, tuple):
                keep(part[1])
        _ok(client.uid("STORE", name, "+FLAGS.SILENT", r"(\Seen)"))


def _ok(answer: tuple[str, Sequence[Any]]) -> Sequence[Any]:
    """The data of an answer that is OK. ``imaplib.IMAP4.error`` for another one."""
    kind, data = answer
    if kind != "OK":
        raise imaplib.IMAP4.error("the server said no")
    return data
