"""A site that sends notices to servers on loopback: rows, attempts, carriers and the one outbox, and an owner that
writes down what it is told."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Row, select

from app.api.problems import Problem
from app.delivery.addresses import AllowedReach
from app.delivery.deliveries import Deliveries
from app.delivery.messages import Delivery
from app.delivery.notice_attempts import NoticeAttempts
from app.delivery.notice_carriers import HttpsSender, MailSender, NoticeCarrier
from app.delivery.notice_content import MailContent, NoticeParcel, PlatformAccess, mail_of
from app.delivery.notice_rows import NoticeRows
from app.delivery.notices import Notices
from app.delivery.outbox import Outbox
from app.delivery.site_mail import SiteMail
from app.delivery.tables import delivery, notice_content
from app.site.settings import MailRelay
from app.store.writer import Transaction
from tests.door_site import until
from tests.service.delivery.outbox_site import OutboxSite

AT_ONCE = (0.0,) * 4
"""The schedule without its waits: five attempts."""
NEVER = (3_600.0,) * 4
"""The first attempt is the only one of a test."""
PARCEL = NoticeParcel(
    subject="TRAINING: notice ARC-ST-1.1",
    text="TRAINING. Please act.\nGrüße\n.\nA line with a dot above it.\n",
    pdf=b"%PDF-1.7 not a real one" * 40,
    notice_json=b'{"notice": 1}',
    notice_jws="eyJhbGciOiJFUzI1NiJ9.e30.c2ln",
    reply_to="declarant@site.invalid",
)


@dataclass(frozen=True)
class Change:
    """What the owner was told of a notice."""

    notice_id: str
    state: str
    actor: str
    detail: str
    reference: str | None
    decision: str | None
    evidence: Mapping[str, object]


class Owner:
    """Stands where enforcement will. ``release``: where a held notice goes, or the refusal."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.release: Literal["queued", "operator_action"] | Problem = "queued"

    def may_release(
        self, tx: Transaction, notice_id: str, *, actor: str, request_id: str | None
    ) -> Literal["queued", "operator_action"]:
        """What the test says."""
        if isinstance(self.release, Problem):
            raise self.release
        return self.release

    def notice_changed(
        self,
        tx: Transaction,
        notice_id: str,
        state: str,
        *,
        at_us: int,
        actor: str,
        request_id: str | None,
        detail: str,
        reference: str | None,
        decision: str | None,
        evidence: Mapping[str, object],
    ) -> None:
        """Noted before the commit: who sees the state finds the change here. With a leaf, as enforcement has one."""
        assert at_us == tx.now_us
        tx.audit(f"strike.notice_{state}", actor=actor, detail={"notice_id": notice_id})
        self.changes.append(Change(notice_id, state, actor, detail, reference, decision, evidence))


class NoticeSite:
    """``notices``, ``outbox`` and ``deliveries`` are those of the newest ``running``."""

    def __init__(self, data_dir: Path) -> None:
        self.base = OutboxSite(data_dir)
        self.parts = self.base.parts
        self.owner = Owner()
        self.access: Callable[[str, str], PlatformAccess | None] = lambda _platform, _address: PlatformAccess(
            None, None
        )
        self.mail = SiteMail(None, self.parts.keys, training=False)
        self.wire()

    def wire(
        self,
        *,
        retries_s: Sequence[float] = AT_ONCE,
        lease_s: float = 60.0,
        training: bool = True,
        reach: Sequence[AllowedReach] = (),
        chance: float = 0.5,
    ) -> None:
        """Joins the parts anew; ``chance`` 0.5 is a schedule without jitter."""
        parts = self.parts
        self.rows = NoticeRows(parts.store, parts.delivery_rows, parts.alarms)
        self.rows.register(self.owner)
        self.outbox = Outbox(
            parts.store,
            parts.delivery_rows,
            self.base.keyring,
            self.base.published,
            plain_http=True,
            reach=lambda: reach,
        )
        self.notices = Notices(self.rows, enter=self.outbox.enter, mail=self.mail)
        self.attempts = NoticeAttempts(self.rows, retries_s=retries_s, lease_s=lease_s, chance=lambda: chance)
        self.carrier = NoticeCarrier(
            parts.store,
            self.attempts,
            MailSender(self.mail),
            HttpsSender(self._access, training=training, reach=lambda: reach),
        )
        self.outbox.carry(("mail", "https"), self.carrier)
        self.deliveries = Deliveries(parts.store, parts.delivery_rows, self.outbox, self.notices, parts.cursors)

    def _access(self, platform_id: str, address: str) -> PlatformAccess | None:
        """What the test says at this moment."""
        return self.access(platform_id, address)

    def relay(self, port: int, **more: Any) -> MailRelay:
        """A relay at this port of loopback, as settings name one."""
        how: dict[str, Any] = {"host": "127.0.0.1", "tls": "none", **more}
        return MailRelay(port=port, from_address="notices@site.invalid", domain="site.invalid", **how)

    @contextlib.asynccontextmanager
    async def running(
        self, port: int | None = None, *, tls: Mapping[str, Any] | None = None, **how: Any
    ) -> AsyncIterator[None]:
        """An outbox that sends mail to ``port`` of loopback (None: the site has no relay), started and stopped."""
        relay = None if port is None else self.relay(port, **(tls or {}))
        self.mail = SiteMail(relay, self.parts.keys, training=False)
        self.wire(**how)
        await self.outbox.start()
        try:
            yield
        finally:
            await self.outbox.stop()
            await self.carrier.close()

    def close(self) -> None:
        """Closes the store."""
        self.parts.close()

    def put(self, address: str, *, parcel: NoticeParcel | None = PARCEL, state: Any = "queued", **more: Any) -> str:
        """A notice in a transaction of its own; its id."""
        notice_id = f"ntc_{secrets.token_hex(16)}"
        how = {
            "kid": "key_1",
            "platform_id": "platform-a",
            "channel": "mail" if "://" not in address else "https",
            "subject_id": "stk_1",
            **more,
        }
        self.write(
            lambda tx: self.notices.put(tx, notice_id=notice_id, address=address, state=state, parcel=parcel, **how)
        )
        return notice_id

    def write(self, job: Callable[[Transaction], Any]) -> Any:
        """One transaction, from the test's thread; what its job gives."""
        return self.parts.store.writer.submit(job).result(20)

    def row(self, notice_id: str) -> Row[Any]:
        """The row as committed."""
        with self.parts.store.read() as connection:
            return connection.execute(select(delivery).where(delivery.c.delivery_id == notice_id)).one()

    def content(self, notice_id: str) -> bytes:
        """What its row of content holds."""
        with self.parts.store.read() as connection:
            found = connection.scalar(select(notice_content.c.content).where(notice_content.c.delivery_id == notice_id))
        assert found is not None
        return bytes(found)

    def fixed_mail(self, notice_id: str) -> MailContent:
        """The mail as it was fixed."""
        return mail_of(self.content(notice_id))

    def get(self, notice_id: str) -> Delivery:
        """The notice as it is listed."""
        return self.deliveries.get(notice_id)

    async def state(self, notice_id: str, state: str) -> Delivery:
        """The notice once it has this state."""
        await until(lambda: self.get(notice_id).state == state)
        return self.get(notice_id)

    async def tried(self, notice_id: str, attempts: int = 1) -> Delivery:
        """The notice once so many attempts are recorded."""
        await until(lambda: self.get(notice_id).attempts >= attempts)
        return self.get(notice_id)

    def told(self, notice_id: str) -> list[str]:
        """The states that the owner was told of the notice, in order."""
        return [one.state for one in self.owner.changes if one.notice_id == notice_id]

    def alarms(self, kind: str) -> list[str | None]:
        """What the open alarms of the kind are about."""
        return [one.ref for one in self.parts.alarms.open() if one.kind == kind]
