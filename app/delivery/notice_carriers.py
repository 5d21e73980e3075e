"""What carries notices: mail over the site's relay, and signed calls to platforms.

One attempt is a claim, the sending, and a record of how it ended. A process that is killed between the sending and the
record sends the same bytes again once its lease has ended, so that the receiver can tell.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, Literal, Protocol
from urllib.parse import urlsplit

import aiosmtplib
import msgspec

from app.delivery.addresses import AllowedReach
from app.delivery.delivery_rows import ASKING_TO_WAIT, WaitingDelivery
from app.delivery.guarded import FetchLimits, FetchRefused, GuardedFetch, OpenAnswer, UrlRefused, judge_url
from app.delivery.messages import Decision
from app.delivery.notice_attempts import LEASE_S, ClaimedNotice, NoticeAttempt, NoticeAttempts
from app.delivery.notice_content import MailContent, PlatformAccess, https_of, mail_of
from app.delivery.outbound import retry_after_s, trust
from app.delivery.outbox import keep_record
from app.delivery.site_mail import SiteMail
from app.site.settings import MailRelay, is_loopback
from app.store.engine import Store
from app.store.errors import StoreUnavailable

ATTEMPT_S: Final = 45.0
"""For one attempt, to its end; shorter than a claim's lease."""
CONNECTIONS: Final = 4
"""To the relay at a time."""
IDLE_S: Final = 5.0
"""How long a connection to the relay waits for the next mail."""
ANSWER_LIMIT: Final = 1 << 16
"""Longest answer of a platform that is read, in bytes."""
SAID_LIMIT: Final = 300
"""Longest answer that is kept, in characters."""
REFERENCE_LIMIT: Final = 200
"""Longest reference of a platform, in characters."""
_STORE_AWAY_S: Final = 30.0
"""Before a claim that the store did not take is tried again."""

_LIMITS: Final = FetchLimits(body=ANSWER_LIMIT, connect_s=10.0, total_s=ATTEMPT_S, redirects=0)
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")

_PlatformState = Literal["acknowledged", "actioned", "rejected"]
"""What a platform may say of itself; a counter-notice needs a person."""

log = logging.getLogger(__name__)


class NoticeSender(Protocol):
    """Sends the notices of one channel."""

    async def send(self, notice: ClaimedNotice) -> NoticeAttempt:
        """One attempt; every failure is a fault of what it gives."""
        ...

    async def close(self) -> None:
        """Closes what it keeps open."""
        ...


class NoticeCarrier:
    """The ``Carrier`` of notices by mail and https."""

    def __init__(self, store: Store, attempts: NoticeAttempts, mail: NoticeSender, https: NoticeSender) -> None:
        self._store = store
        self._attempts = attempts
        self._mail = mail
        self._https = https
        self._turns = asyncio.Semaphore(CONNECTIONS)

    def waiting(self) -> Iterable[WaitingDelivery]:
        """Every notice that is to be sent. Blocks on the store."""
        return self._attempts.waiting()

    async def attempt(self, notice_id: str) -> float | None:
        """As ``Carrier.attempt``; where another process has the notice, when its lease ends."""
        try:
            claimed = await self._store.writer.run(lambda tx: self._attempts.claim(tx, notice_id))
        except StoreUnavailable:
            return _STORE_AWAY_S
        except ValueError:
            log.exception("a notice cannot be sent", extra={"notice_id": notice_id})
            return await self._record(notice_id, NoticeAttempt("internal", final=True))
        if not isinstance(claimed, ClaimedNotice):
            return claimed
        claimed_at = time.monotonic()
        if claimed.channel == "https":
            attempt = await self._send(self._https, claimed)
        else:
            async with self._turns:
                if time.monotonic() - claimed_at > LEASE_S - ATTEMPT_S:
                    # The relay is slow: what is left of the lease might end within the attempt.
                    return await self._give_back(notice_id)
                attempt = await self._send(self._mail, claimed)
        return await self._record(notice_id, attempt)

    async def _send(self, sender: NoticeSender, notice: ClaimedNotice) -> NoticeAttempt:
        """One attempt, which ends in time, however it ends."""
        try:
            async with asyncio.timeout(ATTEMPT_S):
                return await sender.send(notice)
        except TimeoutError:
            return NoticeAttempt("no_answer", answer=f"No answer within {ATTEMPT_S:g} s.")
        except Exception:
            log.exception("a notice could not be sent", extra={"notice_id": notice.notice_id})
            return NoticeAttempt("internal")

    async def _give_back(self, notice_id: str) -> float | None:
        return await keep_record(self._store, notice_id, lambda tx: self._attempts.give_back(tx, notice_id))

    async def close(self) -> None:
        """Closes what its senders keep open."""
        await self._mail.close()
        await self._https.close()

    async def _record(self, notice_id: str, attempt: NoticeAttempt) -> float | None:
        return await keep_record(self._store, notice_id, lambda tx: self._attempts.record(tx, notice_id, attempt))


class MailSender:
    """Mail to the site's relay (RFC 5321), one recipient each. Connections are kept for some seconds, so that the
    notices of one strike go over few of them. Used on the event loop only."""

    def __init__(self, mail: SiteMail, *, idle_s: float = IDLE_S) -> None:
        self._site = mail
        self._idle_s = idle_s
        self._idle: list[tuple[float, aiosmtplib.SMTP]] = []
        self._closing: asyncio.TimerHandle | None = None

    async def send(self, notice: ClaimedNotice) -> NoticeAttempt:
        """A mail is taken, refused for good (5xx) or for now (4xx, and all that the relay itself is unable to do)."""
        relay = self._site.relay
        why = self._site.hindrance()
        if relay is None or why is not None:
            return NoticeAttempt("not_set_up", answer=why, relay=True)
        content = mail_of(notice.content)
        evidence = {
            "message_id": f"<{notice.notice_id}@{content.sender.partition('@')[2]}>",
            "sha256": hashlib.sha256(content.message).hexdigest(),
            "relay": f"{relay.host}:{relay.port}",
        }
        try:
            client = await self._connect(relay)
        except aiosmtplib.SMTPResponseException as error:
            # Its banner, TLS or AUTH: a fault of the relay or of its settings, never of the recipient.
            said = f"The relay: {_one_line(error.message)}"
            return NoticeAttempt("refused", error.code, said, relay=True, evidence=evidence)
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            said = f"The relay: {_one_line(str(error))}"
            return NoticeAttempt("no_answer", answer=said, relay=True, evidence=evidence)
        try:
            attempt = await _hand_over(client, notice.notice_id, content)
        except BaseException:
            client.close()
            raise
        if client.is_connected:
            self._idle.append((time.monotonic(), client))
            self._close_later()
        else:
            client.close()
        return replace(attempt, evidence=evidence)

    async def close(self) -> None:
        """Closes every connection."""
        if self._closing is not None:
            self._closing.cancel()
        idle, self._idle = self._idle, []
        for _, client in idle:
            with contextlib.suppress(aiosmtplib.SMTPException, OSError):
                await client.quit(timeout=2.0)
            client.close()

    async def _connect(self, relay: MailRelay) -> aiosmtplib.SMTP:
        """A connection that is kept and still answers, or a new one."""
        while self._idle:
            _, client = self._idle.pop()
            with contextlib.suppress(aiosmtplib.SMTPException, OSError):
                await client.noop(timeout=5.0)
                return client
            client.close()
        client = aiosmtplib.SMTP(
            hostname=relay.host,
            port=relay.port,
            use_tls=relay.tls == "implicit",
            start_tls=relay.tls == "starttls",
            tls_context=None if relay.tls == "none" else trust(relay.ca),
            username=relay.user,
            password=None if relay.user is None else self._site.password(),
            # A look-up of this machine's own name may take long, and tells more than it has to.
            local_hostname=relay.domain,
            timeout=20.0,
        )
        try:
            await client.connect()
            # Over TLS or after AUTH a server may offer more than it did before; nothing else asks it before a mail.
            await client.ehlo()
        except BaseException:
            client.close()
            raise
        return client

    def _close_later(self) -> None:
        if self._closing is None:
            self._closing = asyncio.get_running_loop().call_later(self._idle_s, self._close_idle)

    def _close_idle(self) -> None:
        self._closing = None
        now = time.monotonic()
        old = [client for at, client in self._idle if now - at >= self._idle_s]
        self._idle = [one for one in self._idle if now - one[0] < self._idle_s]
        for client in old:
            client.close()
        if self._idle:
            self._close_later()


async def _hand_over(client: aiosmtplib.SMTP, notice_id: str, content: MailContent) -> NoticeAttempt:
    """One mail over a connection that is there."""
    mail_options: list[str] = []
    rcpt_options: list[str] = []
    if client.supports_extension("dsn"):
        # RFC 3461: reports to the envelope sender name the notice, and say when it reached the mailbox.
        mail_options = ["RET=HDRS", f"ENVID={notice_id}"]
        rcpt_options = ["NOTIFY=SUCCESS,FAILURE"]
    try:
        _, answer = await client.sendmail(
            content.sender,
            [content.recipient],
            content.message,
            mail_options=mail_options,
            rcpt_options=rcpt_options,
        )
    except aiosmtplib.SMTPRecipientsRefused as error:
        return _refusal(error.recipients[0])
    except aiosmtplib.SMTPResponseException as error:
        return _refusal(error)
    except (aiosmtplib.SMTPException, OSError) as error:
        # Perhaps the relay has it, and only its answer is lost: the next attempt has the same Message-ID.
        return NoticeAttempt("no_answer", answer=f"The relay: {_one_line(str(error))}", relay=True)
    return NoticeAttempt(None, 250, _one_line(answer))


def _refusal(error: aiosmtplib.SMTPResponseException) -> NoticeAttempt:
    """The relay's answer to this mail: for good from 500 on."""
    return NoticeAttempt("bounced" if error.code >= 500 else "refused", error.code, _one_line(error.message))


def _one_line(text: str) -> str:
    """What another system said, as one line for people."""
    return _UNPRINTABLE.sub(" ", text).strip()[:SAID_LIMIT]


class HttpsSender:
    """Calls to platforms: JSON with a JWS, through the guard of callbacks."""

    def __init__(
        self,
        access: Callable[[str, str], PlatformAccess | None],
        *,
        training: bool,
        reach: Callable[[], Sequence[AllowedReach]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``access``: of a platform and an address that it must still have, None where it has not; blocks on the store.
        ``training``: http is taken, and loopback alone is reached. ``reach``: beside public addresses."""
        self._access = access
        self._training = training
        self._reach = reach
        self._clock = clock

    async def send(self, notice: ClaimedNotice) -> NoticeAttempt:
        """2xx is taken, 410 for good refused, everything else tried again."""
        content = https_of(notice.content)
        access = await asyncio.to_thread(self._access, notice.platform_id, notice.address)
        if access is None:
            return NoticeAttempt("platform_changed")
        headers = {"Content-Type": "application/json", "Idempotency-Key": notice.notice_id}
        if access.secret is not None:
            headers["Authorization"] = f"Bearer {access.secret}"
        evidence: dict[str, object] = {"sha256": hashlib.sha256(content.body).hexdigest()}
        try:
            reach = self._judge(notice.address)
            fetch = await asyncio.to_thread(GuardedFetch, access.ca)
            call = fetch.open(
                notice.address, allowed=reach, limits=_LIMITS, method="POST", headers=headers, content=content.body
            )
            async with call as answer:
                return await self._read(answer, evidence)
        except UrlRefused as error:
            return NoticeAttempt("url_refused", answer=str(error), evidence=evidence)
        except FetchRefused as error:
            log.info("a notice found no answer", extra={"notice_id": notice.notice_id, "cause": error.cause})
            # The cause would tell every key that lists deliveries which addresses and ports answer.
            return NoticeAttempt("no_answer", answer=str(error), evidence=evidence)

    async def close(self) -> None:
        """No connection is kept."""

    def _judge(self, url: str) -> Sequence[AllowedReach]:
        """What may be reached for this address; ``UrlRefused`` where it may not be called as it is written."""
        if self._training:
            port = _port_of(url)
            reach: Sequence[AllowedReach] = [AllowedReach.of(["127.0.0.0/8", "::1/128"], [port])]
            if not is_loopback(judge_url(url, reach).host):
                raise UrlRefused("A training site calls this machine alone.")
            return reach
        reach = self._reach()
        if judge_url(url, reach).scheme != "https":
            raise UrlRefused("Notices go to https:// alone.")
        return reach

    async def _read(self, answer: OpenAnswer, evidence: dict[str, object]) -> NoticeAttempt:
        """How the call ended, by status, ``Retry-After`` and body."""
        status, pause_s = answer.status, 0.0
        if status in ASKING_TO_WAIT:
            asked_at = datetime.fromtimestamp(self._clock(), UTC)
            pause_s = retry_after_s(answer.headers.get("retry-after"), asked_at)
        if not 200 <= status < 300:
            said = f"It answered {status}."
            return NoticeAttempt("bounced" if status == 410 else "refused", status, said, pause_s, evidence=evidence)
        # A platform that took the notice and answers badly has taken it all the same.
        body = b""
        with contextlib.suppress(FetchRefused):
            body = b"".join([part async for part in answer.parts()])
        evidence["answer_sha256"] = hashlib.sha256(body).hexdigest()
        return read_answer(status, body, evidence)


def read_answer(status: int, body: bytes, evidence: Mapping[str, object]) -> NoticeAttempt:
    """What a 2xx with this body says: the notice is sent, and perhaps more. ``reference``: at most 200 characters;
    ``state``: acknowledged, actioned or rejected; ``decision``: of ``Decision``, with the latter two. A member that
    says something else is not believed; neither is a body that is no JSON object."""
    try:
        said = msgspec.json.decode(body, type=dict[str, object])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        said = {}
    reference, state, decision = said.get("reference"), said.get("state"), said.get("decision")
    kept = _one_line(reference) if isinstance(reference, str) else ""
    known_state = _convert(state, _PlatformState)
    known_decision = None if known_state in (None, "acknowledged") else _convert(decision, Decision)
    return NoticeAttempt(
        None,
        status,
        reference=kept[:REFERENCE_LIMIT] or None,
        state=known_state,
        decision=known_decision,
        evidence=evidence,
    )


def _convert(value: object, type_: Any) -> Any:
    """The value if it is one of the type's words, else None."""
    try:
        return None if value is None else msgspec.convert(value, type=type_)
    except msgspec.ValidationError:
        return None


def _port_of(url: str) -> int:
    """The port that a URL names, 443 where none can be read: ``judge_url`` says what is wrong with it."""
    try:
        return urlsplit(url).port or (80 if url.startswith("http:") else 443)
    except ValueError:
        return 443
