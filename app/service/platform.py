"""The platform of one site, made once for its service: keys, store and logs first, then all that capabilities share.

Order matters and is written down here: keys before the store that they seal, the log before the first row, the deny set
before any reader.
"""

from __future__ import annotations

import contextlib
import http
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from app.api.context import Context
from app.approvals.service import Approvals
from app.biometrics.enrolments import Enrolments
from app.biometrics.service import Biometrics
from app.delivery.alarms import AlarmBook
from app.delivery.bounce_mailbox import BounceReader
from app.delivery.deliveries import Deliveries
from app.delivery.delivery_rows import DeliveryRows
from app.delivery.events import EventBus
from app.delivery.notice_attempts import NoticeAttempts
from app.delivery.notice_carriers import HttpsSender, MailSender, NoticeCarrier
from app.delivery.notice_rows import NoticeRows
from app.delivery.notices import Notices
from app.delivery.outbound import Outbound, OutboundError
from app.delivery.outbox import Outbox
from app.delivery.published_keys import PublishedKeys
from app.delivery.site_mail import SiteMail
from app.ledger.check.nightly import CHECKED, Nightly, check_command
from app.ledger.cosigned import LeafProof
from app.ledger.log.append import Ledger
from app.ledger.stamps.anchoring import AWAY_ALARM, Anchoring, Ask, AuthorityAway, OutsideAuthority, authorities_of
from app.ledger.stamps.anchors import ANCHORED
from app.ledger.stamps.timestamp import TOKEN_LIMIT, StampAuthority
from app.ledger.witnesses.recorded_quorum import RECORDED
from app.ledger.witnesses.rounds import OnSealed, Rounds
from app.ledger.witnesses.start_check import StoreStanding
from app.ledger.witnesses.witnessing import ALARMS, Alarms, Witnessing
from app.operators.delays import SignInDelays
from app.operators.four_eyes import add_kinds, approval_user, citadel_gate
from app.operators.openid import OpenIdClient
from app.operators.register import OperatorRecords, OperatorRegister
from app.operators.service import CardTrust, OperatorService
from app.operators.sessions import Sessions
from app.pki.crl import UNSIGNED_ALARM, RevocationLists
from app.pki.crl import Alarm as ListAlarm
from app.pki.document_signer import DocumentSigner
from app.pki.ocsp import OcspResponder, responder_signer
from app.pki.revocation import SiteCertificates
from app.pki.service import PublicPki
from app.pki.site_certificates import open_authority, stamp_authority
from app.pki.site_statement import introduction_of
from app.registry.service import Registry
from app.service.open_store import open_ledger
from app.service.upgrade import begin_upgrade
from app.site.errors import SiteRefused
from app.site.site import Site
from app.store.clock import LASTING_US, SteadyClock, system_clock_us
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import StoreRefused
from app.store.keys import Keys, find_kek
from app.store.writer import Transaction
from app.wiring.parts import Parts, PcscUse
from app.wiring.wired import Gauge, Life, Wired, nothing
from hardware.cards.inprocess import InProcessBackend
from hardware.memory import lock_state

CLOCK_ALARM: Final = "clock.step_back"
JUMP_ALARM: Final = "clock.jump_ahead"
AUDIT_ROUND_S: Final = 1.0
"""Between two rounds of witnesses over the audit log."""
STAMP_TIMEOUT_S: Final = 20.0
"""For one time stamp of an outside authority."""


@dataclass(frozen=True)
class Platform:
    """What capabilities are given, and what the platform itself gives to the service."""

    parts: Parts
    wired: Wired


def make_platform(site: Site, pcsc: PcscUse, claims: contextlib.ExitStack) -> Platform:
    """Opens the site and makes what every capability stands on. What must be given back goes onto ``claims``."""

    def on_clock_jump(ahead_us: int) -> None:
        # On the thread that asked for the time, mostly the writer's own: queued, never waited for.
        text = (
            f"The machine's clock jumped ahead by {ahead_us / 1e6:.0f} s. The store's time goes on without it until a "
            f"witness elsewhere signs such a time, or for {LASTING_US // 60_000_000} minutes. Set the clock if it "
            "is wrong."
        )
        store.writer.submit(
            lambda tx: (
                alarms.raise_alarm(tx, JUMP_ALARM, "clock", text) if ahead_us else alarms.clear(tx, JUMP_ALARM, "clock")
            )
        )

    clock = SteadyClock(on_jump=on_clock_jump)

    def on_clock_step(behind_us: int) -> None:
        # On the writer's thread: the alarm is queued behind the job that noticed, never waited for.
        seconds = f"{behind_us / 1e6:.1f} s"
        text = f"The machine's clock stepped back by {seconds}; entries keep the later time until it catches up."
        store.writer.submit(lambda tx: alarms.raise_alarm(tx, CLOCK_ALARM, "clock", text))

    keys, ledger, store = open_service_store(site, claims, on_clock_step, clock, claimed=True)
    bus = EventBus()
    cursors = Cursors.of(keys)
    # Before anything else is stored: it makes the pepper, by which a later start knows that there was a store.
    context = Context.open(store, keys, site.settings, training=site.training)
    alarms = AlarmBook(store, bus)
    delivery_rows = DeliveryRows(store, keys.secret("delivery-target"), alarms)
    registry = Registry(site, store, keys, cursors)
    registry.load()
    biometrics = Biometrics(site, store, keys, cursors, registry, alarms)
    biometrics.load()
    authority, content_signer = open_authority(site, store, keys)
    documents = DocumentSigner.open(store, keys, authority)
    context.health.introduce_by(introduction_of(site, documents))
    stamps = stamp_authority(site, store, keys, authority)
    lists = RevocationLists(store, authority.root, lifetime_s=site.settings.crl_lifetime_h * 3600)
    lists.add_source(SiteCertificates())
    on_sealed: list[OnSealed] = []
    outbox = Outbox(
        store,
        delivery_rows,
        context.keyring,
        PublishedKeys(keys),
        plain_http=site.training,
        reach=registry.media_sources.reach,
    )
    site_mail = SiteMail(site.settings.mail, keys, training=site.training)
    notice_rows = NoticeRows(store, delivery_rows, alarms)
    parts = Parts(
        site=site,
        pcsc=pcsc,
        keys=keys,
        ledger=ledger,
        store=store,
        cursors=cursors,
        context=context,
        bus=bus,
        alarms=alarms,
        registry=registry,
        biometrics=biometrics,
        enrolments=Enrolments(
            store,
            registry.nodes,
            registry.deny,
            registry.terminals,
            biometrics.templates,
            biometrics.probes,
            alarms,
        ),
        approvals=Approvals(store, cursors, alarms, ttl_s=site.settings.approval_ttl_s),
        authority=authority,
        content_signer=content_signer,
        documents=documents,
        stamps=stamps,
        revocation_lists=lists,
        outbound=Outbound(),
        delivery_rows=delivery_rows,
        outbox=outbox,
        notices=Notices(notice_rows, enter=outbox.enter, mail=site_mail),
        notice_attempts=NoticeAttempts(notice_rows),
        site_mail=site_mail,
        witnessing=_witnessing(site, ledger, store, alarms, stamps, on_sealed, clock.vouch),
        nightly=_nightly(site, store, alarms),
        simulated_cards=InProcessBackend() if site.training else None,
        on_sealed=on_sealed,
    )
    return Platform(parts, _wire(parts))


def _wire(parts: Parts) -> Wired:
    """The platform's own services and lives, in the form in which a capability gives its own."""
    anchoring = _anchoring(parts)
    witnessing = parts.witnessing
    lists = parts.revocation_lists
    lists.on_trouble(_list_alarm(parts))
    signer = responder_signer(parts.store, parts.keys, parts.authority)
    deliveries = Deliveries(parts.store, parts.delivery_rows, parts.outbox, parts.notices, parts.cursors)
    carrier = NoticeCarrier(
        parts.store,
        parts.notice_attempts,
        MailSender(parts.site_mail),
        HttpsSender(
            parts.registry.platforms.access,
            training=parts.site.training,
            reach=parts.registry.media_sources.reach,
        ),
    )
    parts.outbox.carry(("mail", "https"), carrier)
    mailbox = parts.site.settings.bounce_mailbox
    bounces = BounceReader(mailbox, parts.keys, parts.store, parts.notice_attempts, parts.alarms)
    responder = OcspResponder(parts.store, parts.authority.root, lists.sources, signer)
    operators = _operators(parts)
    return Wired(
        services={
            "health": parts.context.health,
            "keys": parts.context.keyring,
            "registry": parts.registry,
            "biometrics": parts.biometrics,
            "approvals": parts.approvals,
            "deliveries": deliveries,
            "published_keys": PublishedKeys(parts.keys),
            "alarms": parts.alarms,
            "pki": PublicPki(parts.authority.root, lists, responder),
            "operators": operators,
        },
        lives=[
            Life(witnessing.start, witnessing.stop),
            # Stopped after the registry: then nobody changes templates any more.
            Life(nothing, parts.biometrics.stop),
            Life(parts.registry.start, parts.registry.stop),
            Life(nothing, parts.outbound.close),
            Life(nothing, carrier.close),
            Life(bounces.start, bounces.stop),
            Life(parts.outbox.start, parts.outbox.stop),
            Life(anchoring.start, anchoring.stop),
            Life(lists.start, lists.stop),
            Life(parts.nightly.start, parts.nightly.stop),
            Life(operators.start, operators.stop),
        ],
        personal_records=[OperatorRecords()],
        sweeps=[parts.approvals.expire, parts.biometrics.key_watch.sweep, parts.delivery_rows.sweep],
        lasting=frozenset({ANCHORED, CHECKED, RECORDED}),
        gauges=[
            Gauge("ledger_cosigned_size", "Entries under the newest cosigned checkpoint.", witnessing.sizes),
            Gauge("ledger_lag", "Entries beyond the newest cosigned checkpoint.", witnessing.lags),
            Gauge("witness_up", "Whether a witness cosigns.", witnessing.up),
            Gauge(
                "memory_locked_bytes",
                "Memory of keys and rotations that is kept from swap.",
                lambda: lock_state().locked,
            ),
            Gauge("deliveries_waiting", "Signed calls to others that wait to be sent.", lambda: parts.outbox.waiting),
            Gauge("memory_lock_refused", "Such memory that the machine did not lock.", lambda: lock_state().refused),
        ],
        health={"witnesses": witnessing.trouble},
    )


def _list_alarm(parts: Parts) -> ListAlarm:
    """The alarm while no revocation list can be signed."""

    async def tell(sentence: str | None) -> None:
        def job(tx: Transaction) -> None:
            if sentence is None:
                parts.alarms.clear(tx, UNSIGNED_ALARM, "crl")
            else:
                parts.alarms.raise_alarm(tx, UNSIGNED_ALARM, "crl", sentence)

        await parts.store.writer.run(job)

    return tell


def _witnessing(
    site: Site,
    ledger: Ledger,
    store: Store,
    alarms: AlarmBook,
    stamps: StampAuthority,
    on_sealed: Sequence[OnSealed],
    vouch: Callable[[int], None],
) -> Witnessing:
    """Witnesses and rounds of both logs; their alarms and time stamps go through the store and the site's authority."""

    async def tell(facts: Alarms) -> None:
        # Urgent: a store that takes nothing but burns any more must still say so.
        await store.writer.run(lambda tx: alarms.settle(tx, ALARMS, facts), urgent=True)

    def seal(tx: Transaction, proofs: Sequence[LeafProof]) -> None:
        for listener in on_sealed:
            listener(tx, proofs)

    return Witnessing(
        site.data_dir,
        store,
        ledger,
        Rounds(ledger.seal, store, stamp=stamps.token, on_sealed=seal),
        Rounds(ledger.audit, store, stamp=stamps.token, interval_s=AUDIT_ROUND_S),
        alarm=tell,
        vouch=vouch,
    )


def _anchoring(parts: Parts) -> Anchoring:
    """Outside time stamps; an authority that stays away is an alarm until it answers."""

    site, store, alarms = parts.site, parts.store, parts.alarms

    async def tell(url: str, sentence: str | None) -> None:
        def job(tx: Transaction) -> None:
            if sentence is None:
                alarms.clear(tx, AWAY_ALARM, url)
            else:
                alarms.raise_alarm(tx, AWAY_ALARM, url, sentence)

        await store.writer.run(job)

    return Anchoring(
        store,
        parts.ledger,
        authorities_of(site),
        ask=asking(parts.outbound),
        ready=lambda: parts.witnessing.standing is StoreStanding.CONFIRMED,
        alarm=tell,
        alarmed=alarms.keys(AWAY_ALARM),
        interval_s=site.settings.time_stamp_interval_s,
        away_s=site.settings.time_stamp_away_s,
    )


def _operators(parts: Parts) -> OperatorService:
    """Operators and their sessions, whose keys open calls from here on, and the two approvals about who may act."""
    keyring, settings, deny = parts.context.keyring, parts.site.settings, parts.registry.deny
    add_kinds(parts.approvals)
    keyring.guard_citadel(citadel_gate(parts.approvals))
    sessions = Sessions(
        longest_s=settings.session_s,
        idle_s=settings.session_idle_s,
        is_denied=lambda node_id: deny.denies_node(node_id) is not None,
    )
    keyring.open_to_sessions(sessions)
    register = OperatorRegister(parts.store, parts.cursors, parts.registry.nodes, approval_user(parts.approvals))
    openid = None if settings.openid is None else OpenIdClient(settings.openid, parts.outbound)
    trust = CardTrust(parts.authority.root.certificate, parts.revocation_lists.sources)
    operators = OperatorService(
        parts.store, register, parts.registry, keyring, parts.alarms, sessions, SignInDelays(), trust, openid
    )
    operators.listen(parts.bus)
    return operators


def _nightly(site: Site, store: Store, alarms: AlarmBook) -> Nightly:
    """The nightly check at the site's hour; what it finds is an alarm until a later check finds nothing."""

    def tell(tx: Transaction, kind: str, key: str, sentence: str | None) -> None:
        if sentence is None:
            alarms.clear(tx, kind, key)
        else:
            alarms.raise_alarm(tx, kind, key, sentence)

    try:
        zone = ZoneInfo(site.settings.time_zone)
    except (KeyError, ValueError) as error:
        raise SiteRefused(f"site.json: there is no time zone {site.settings.time_zone}. Name one as UTC is.") from error
    return Nightly(store, partial(check_command, site), alarm=tell, hour=site.settings.check_hour, zone=zone)


def asking(outbound: Outbound) -> Ask:
    """How outside time-stamp authorities are asked: RFC 3161 section 3.4."""

    async def ask(authority: OutsideAuthority, request: bytes) -> bytes:
        headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
        try:
            answer = await outbound.call(
                "POST",
                authority.url,
                timeout_s=STAMP_TIMEOUT_S,
                headers=headers,
                content=request,
                ca=authority.tls,
                limit=TOKEN_LIMIT,
            )
        except OutboundError as error:
            raise AuthorityAway(str(error)) from error
        if answer.status != http.HTTPStatus.OK:
            raise AuthorityAway(f"It answered {answer.status}.")
        return answer.body

    return ask


def open_service_store(
    site: Site,
    claims: contextlib.ExitStack,
    on_clock_step: Callable[[int], None] | None = None,
    clock: Callable[[], int] = system_clock_us,
    *,
    claimed: bool = False,
) -> tuple[Keys, Ledger, Store]:
    """Keys, then the ledger, then the store, upgraded where it is of an earlier version (``claimed``: as
    ``begin_upgrade``); refuses a site that has lost one of them rather than begin it anew."""
    if _is_lost(site.keys_path) and not _is_lost(site.store_path):
        raise StoreRefused(f"{site.keys_path} is gone or empty: without it the store cannot be read. Restore a backup.")
    keys = Keys(site.keys_path, find_kek(site), find=lambda: find_kek(site, make=False))
    claims.callback(keys.close)
    # The pepper is made after the first store: where it is, an empty store is a lost one. Going on would open an empty
    # deny set, and sign a second log under the first one's name and key.
    if keys.has_secret("pepper") and _is_lost(site.store_path):
        raise StoreRefused(
            f"{site.store_path} is gone or empty, but this site had one. Restore a backup; to begin a new site name an "
            "empty directory."
        )
    begin_upgrade(site, keys, claims, claimed=claimed)
    ledger = open_ledger(site, keys)
    store = Store.open(
        site.store_path,
        ledger,
        sealer=keys.sealer,
        min_free_bytes=site.settings.min_free_disk_bytes,
        clock=clock,
        on_clock_step=on_clock_step,
    )
    claims.callback(store.close)
    return keys, ledger, store


def _is_lost(path: Path) -> bool:
    return not path.exists() or path.stat().st_size == 0
