"""The one place where a site's parts are made and joined. Nothing else knows all of them.

Order matters and is written down here: keys before the store that they seal, the log before the first row, the deny
set before any reader, the API last. ``stop`` goes the other way.
"""

from __future__ import annotations

import asyncio
import contextlib
import http
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from app.api import health, keys_operations
from app.api.context import Context
from app.api.keys import KeyRing
from app.api.keys_messages import CreateKey, KeyClearance
from app.api.operation import Endpoint
from app.approvals import operations as approvals_operations
from app.approvals.service import Approvals
from app.biometrics import operations as biometrics_operations
from app.biometrics.enrolments import Enrolments
from app.biometrics.service import Biometrics
from app.capabilities.burn import operations as burn_operations
from app.capabilities.burn.commit import EXECUTED
from app.capabilities.burn.drift import DriftWatch
from app.capabilities.burn.log import operations as revocation_operations
from app.capabilities.burn.log.revocations import Revocations
from app.capabilities.burn.log.segments import SEALED
from app.capabilities.burn.mass import MassBurns
from app.capabilities.burn.personal_data import BurnRecords
from app.capabilities.burn.service import BurnService
from app.capabilities.burn.targets.connector import Tools
from app.capabilities.burn.targets.connectors import CONNECTORS
from app.capabilities.credentials import operations as credentials_operations
from app.capabilities.credentials.service import CredentialService
from app.capabilities.gateway.actions import operations as permit_operations
from app.capabilities.gateway.actions.service import Permits
from app.capabilities.gateway.actions.token import PermitTokens
from app.capabilities.gateway.audit import operations as audit_operations
from app.capabilities.gateway.audit.erasures import operations as erasure_operations
from app.capabilities.gateway.audit.erasures.service import FORGOTTEN, Erasures
from app.capabilities.gateway.audit.logs import operations as log_operations
from app.capabilities.gateway.audit.logs.service import PublishedLogs
from app.capabilities.gateway.audit.service import AuditQueries
from app.capabilities.gateway.telemetry import operations as telemetry_operations
from app.capabilities.gateway.telemetry.service import Telemetry
from app.capabilities.gateway.telemetry.stream import Hub
from app.capabilities.infrastructure import operations as infrastructure_operations
from app.capabilities.infrastructure.service import Infrastructure
from app.capabilities.keystone import operations as keystone_operations
from app.capabilities.keystone.service import Keystone
from app.capabilities.lifecycle import operations as lifecycle_operations
from app.capabilities.lifecycle.personal_data import HrRecords
from app.capabilities.lifecycle.reconcile import Rosters
from app.capabilities.lifecycle.service import Lifecycle
from app.capabilities.palm import operations as palm_operations
from app.capabilities.palm.service import Palm
from app.capabilities.provenance import operations as provenance_operations
from app.capabilities.provenance.seals import seals_of
from app.capabilities.provenance.service import Provenance, knots_sealed
from app.capabilities.provisioning import operations as provisioning_operations
from app.capabilities.provisioning.batches.service import Batches
from app.capabilities.provisioning.issuer.card_issuer import CardIssuer
from app.capabilities.provisioning.issuer.card_secrets import CardMaster
from app.capabilities.provisioning.readers.card_readers import CardReader, CardReaders, ReaderFamily
from app.capabilities.provisioning.service import Provisioning
from app.capabilities.stylized import operations as stylized_operations
from app.capabilities.stylized.service import Stylized
from app.delivery import operations as delivery_operations
from app.delivery.alarms import AlarmBook
from app.delivery.events import EventBus
from app.delivery.outbound import Outbound, OutboundError
from app.delivery.published_keys import PublishedKeys
from app.ledger.check.nightly import CHECKED, Nightly, check_command
from app.ledger.log.append import Ledger
from app.ledger.query.query import AuditIndex
from app.ledger.stamps.anchoring import AWAY_ALARM, Anchoring, Ask, AuthorityAway, OutsideAuthority, authorities_of
from app.ledger.stamps.anchors import ANCHORED
from app.ledger.stamps.timestamp import TOKEN_LIMIT, StampAuthority
from app.ledger.witnesses.rounds import Rounds
from app.ledger.witnesses.start_check import StoreStanding
from app.ledger.witnesses.witnessing import ALARMS, Alarms, Witnessing
from app.pki.document_signer import DocumentSigner
from app.pki.site_certificates import open_authority, sidecar_signer, stamp_authority
from app.registry import operations as registry_operations
from app.registry.service import Registry
from app.service.open_store import open_ledger
from app.service.serving import Assembly
from app.site.site import Site, SiteRefused
from app.store.cursor import Cursors
from app.store.engine import Store, refusing
from app.store.errors import StoreRefused
from app.store.keys import Keys, find_kek
from app.store.writer import Transaction
from app.training import operations as training_operations
from app.training.cards import CardDrawer
from app.training.directory.process import TrainingDirectory
from app.training.frames import TrainingFrames
from app.training.palms import TrainingPalms
from app.training.world import TrainingSite
from hardware.cards.inprocess import InProcessBackend
from hardware.memory import lock_state

log = logging.getLogger(__name__)

CLOCK_ALARM = "clock.step_back"
AUDIT_ROUND_S = 1.0
"""Between two rounds of witnesses over the audit log."""
STAMP_TIMEOUT_S = 20.0
"""For one time stamp of an outside authority."""
PcscUse = Literal["required", "off", "if-there"]

TABLE: tuple[Endpoint, ...] = (
    *health.OPERATIONS,
    *keys_operations.OPERATIONS,
    *registry_operations.OPERATIONS,
    *biometrics_operations.OPERATIONS,
    *approvals_operations.OPERATIONS,
    *provisioning_operations.OPERATIONS,
    *infrastructure_operations.OPERATIONS,
    *credentials_operations.OPERATIONS,
    *keystone_operations.OPERATIONS,
    *burn_operations.OPERATIONS,
    *delivery_operations.OPERATIONS,
    *revocation_operations.OPERATIONS,
    *lifecycle_operations.OPERATIONS,
    *provenance_operations.OPERATIONS,
    *palm_operations.OPERATIONS,
    *stylized_operations.OPERATIONS,
    *telemetry_operations.OPERATIONS,
    *audit_operations.OPERATIONS,
    *permit_operations.OPERATIONS,
    *erasure_operations.OPERATIONS,
    *log_operations.OPERATIONS,
    *training_operations.OPERATIONS,
)
"""Every endpoint of the product: what is served, documented, and what the client's calls are written from."""


def assemble(site: Site, *, pcsc: PcscUse = "if-there", claims: contextlib.ExitStack) -> Assembly:
    """Makes the site's service. Blocks on the disk; raises ``SiteError`` or ``StoreError`` with a sentence for people.

    What must be given back in any case (the claim on the directory, keys, store) goes onto ``claims``.
    """
    with refusing(site.data_dir):
        return _assemble(site, pcsc, claims)


def _assemble(site: Site, pcsc: PcscUse, claims: contextlib.ExitStack) -> Assembly:
    claims.enter_context(site.claim())

    def clock_stepped(behind_us: int) -> None:
        # On the writer's thread: the alarm is queued behind the job that noticed, never waited for.
        seconds = f"{behind_us / 1e6:.1f} s"
        text = f"The machine's clock stepped back by {seconds}; entries keep the later time until it catches up."
        store.writer.submit(lambda tx: alarms.raise_alarm(tx, CLOCK_ALARM, "clock", text))

    keys, ledger, store = _open_store(site, claims, clock_stepped)
    bus = EventBus()
    cursors = Cursors.of(keys)
    context = Context.open(store, keys, site.settings, training=site.training)
    alarms = AlarmBook(store, bus)
    registry = Registry(site, store, keys, cursors)
    registry.load()
    biometrics = Biometrics(site, store, keys, cursors, registry, alarms)
    biometrics.load()
    approvals = Approvals(store, cursors, alarms, ttl_s=site.settings.approval_ttl_s)
    registry.add_sweep(approvals.expire)
    registry.add_sweep(biometrics.key_watch.sweep)

    authority, signer = open_authority(site, store, keys)
    issuer = CardIssuer(authority, signer, keys)
    receipts = DocumentSigner.open(store, keys, authority)
    simulated = InProcessBackend() if site.training else None
    provisioning = Provisioning(
        site,
        store,
        registry,
        issuer,
        CardMaster(keys.secret("card-master")),
        cursors,
        bus,
        registry.standing,
        approvals,
        lambda on_change: _card_readers(pcsc, simulated, issuer, on_change),
        receipts=receipts,
    )
    batches = Batches(site, store, registry, provisioning, cursors, bus)
    registry.nodes.add_source(provisioning.holder.credentials)
    registry.nodes.add_holder(provisioning.holder)

    infrastructure = Infrastructure(
        registry=registry,
        store=store,
        bus=bus,
        alarms=alarms,
        authority=authority,
        node_id=f"ARC-SITE-{site.site_id.upper()}",
        training=site.training,
        interval_s=site.settings.probe_interval_s,
    )
    context.health.check("frames", infrastructure.trouble)
    credentials = CredentialService(site, store, registry, bus, keys)
    credentials.load()
    witnessing = _witnessing(site, ledger, store, alarms, stamp_authority(site, store, keys, authority))
    context.health.check("witnesses", witnessing.trouble)
    context.metrics.gauge("ledger_cosigned_size", "Entries under the newest cosigned checkpoint.", witnessing.sizes)
    context.metrics.gauge("ledger_lag", "Entries beyond the newest cosigned checkpoint.", witnessing.lags)
    context.metrics.gauge("witness_up", "Whether a witness cosigns.", witnessing.up)
    provenance = Provenance(site, store, registry, ledger.seal, witnessing.seal, cursors, receipts.sign_bundle)
    registry.add_sweep(provenance.expire)
    permits = Permits(store, registry, PermitTokens(keys, site.origin("audit")))
    registry.add_sweep(permits.sweep)
    keystone = Keystone(store, registry, alarms)
    registry.add_sweep(keystone.sweep)
    context.keyring.on_revoke(keystone.end_key)
    enrolments = Enrolments(
        store,
        registry.nodes,
        registry.deny,
        registry.terminals,
        biometrics.templates,
        biometrics.probes,
        alarms,
    )
    palm = Palm(store, registry, biometrics, bus, alarms, enrolments, provenance.newest_of, training=site.training)
    stylized = Stylized(store, biometrics, alarms, enrolments, provenance.newest_of, training=site.training)
    # Doors first: a burn revokes at the readers before it looks at cards.
    holders = (credentials, provisioning.holder, permits, keystone, provenance, biometrics.templates)
    outbound = Outbound()
    anchoring = _anchoring(site, store, ledger, alarms, witnessing, outbound)
    nightly = _nightly(site, store, alarms)
    tools = Tools(outbound, keys, site.name, site.training)
    connectors = [make(tools) for make in CONNECTORS]
    sealer = sidecar_signer(store, keys, authority)
    burn = BurnService(
        site,
        store,
        registry,
        biometrics,
        credentials.doors.fleet,
        holders,
        alarms,
        bus,
        cursors,
        sealer,
        approvals,
        connectors,
    )
    burn.load()
    drift = DriftWatch(site, store, registry, alarms, connectors)
    mass = MassBurns(site, store, registry, burn, approvals)
    mass.load()
    lifecycle = Lifecycle(store, registry, burn, alarms, bus, cursors)
    context.metrics.gauge("hr_calls", "Signed calls of HR systems since the start, by action.", lambda: lifecycle.taken)
    context.metrics.gauge("hr_waiting", "Discharges that wait for an operator.", lifecycle.waiting)
    context.metrics.gauge(
        "memory_locked_bytes", "Memory of keys and rotations that is kept from swap.", lambda: lock_state().locked
    )
    context.metrics.gauge(
        "memory_lock_refused", "Such memory that the machine did not lock.", lambda: lock_state().refused
    )
    rosters = Rosters(store, alarms)
    registry.add_sweep(rosters.sweep)
    hub = Hub(bus, ring=site.settings.telemetry_ring)
    telemetry = Telemetry(store=store, registry=registry, hub=hub, keyring=context.keyring)
    audit = AuditQueries(AuditIndex(store, ledger.audit, cursors), lambda: witnessing.audit.confirmed)
    erasures = Erasures(
        store,
        ledger,
        seals_of,
        approvals,
        secret=keys.secret("erasure-subject"),
        records=(BurnRecords(), HrRecords(), approvals, biometrics.templates, biometrics.bundles, provenance),
        lasting={ANCHORED, CHECKED, EXECUTED, FORGOTTEN, SEALED},
    )

    parts: list[tuple[Callable[[], Awaitable[None]], Callable[[], Awaitable[None]]]] = [
        (witnessing.start, witnessing.stop),
        # Stopped after the registry: then nobody changes templates any more.
        (_nothing_to_start, biometrics.stop),
        (registry.start, registry.stop),
        (telemetry.start, telemetry.stop),
        (credentials.start, credentials.stop),
        (_nothing_to_start, outbound.close),
        (anchoring.start, anchoring.stop),
        (nightly.start, nightly.stop),
        (burn.start, burn.stop),
        (drift.start, drift.stop),
        (mass.start, mass.stop),
        (lifecycle.start, lifecycle.stop),
        (provisioning.start, provisioning.stop),
        (batches.start, batches.stop),
        (infrastructure.start, infrastructure.stop),
    ]
    if simulated is not None:
        drawer = CardDrawer(site.data_dir / "cards", simulated, provisioning.readers)
        frames = TrainingFrames(authority, training=True)
        directory = TrainingDirectory(site.data_dir, training=True)
        training = TrainingSite(store, registry, credentials, provisioning, drawer, frames, directory)
        training.fill()
        palms = TrainingPalms(palm, site.data_dir / "terminals", bus)
        parts += [(training.start, training.stop), (palms.start, palms.stop)]
    started: list[Callable[[], Awaitable[None]]] = []

    async def start() -> None:
        for begin, end in parts:
            await begin()
            started.append(end)
        witnessing.begin()

    async def stop() -> None:
        # A part that fails to stop must not keep the others from it: the store's last commit comes after them all.
        for end in reversed(started):
            try:
                await end()
            except Exception:
                log.exception("a part of the service failed to stop")
        await asyncio.to_thread(claims.close)

    services: dict[str, object] = {
        "health": context.health,
        "keys": context.keyring,
        "registry": registry,
        "biometrics": biometrics,
        "approvals": approvals,
        "provisioning": provisioning,
        "batches": batches,
        "infrastructure": infrastructure,
        "credentials": credentials,
        "burn": burn,
        "deliveries": PublishedKeys(keys),
        "containments": burn.containments,
        "mass_burns": mass,
        "revocations": Revocations(store, ledger.audit, receipts.sign_bundle, training=site.training),
        "lifecycle": lifecycle,
        "rosters": rosters,
        "provenance": provenance,
        "telemetry": telemetry,
        "audit": audit,
        "alarms": alarms,
        "permits": permits,
        "palm": palm,
        "stylized": stylized,
        "keystone": keystone,
        "erasures": erasures,
        "log": PublishedLogs(store, ledger, witnessing, authority.root_pem(), nightly),
    }
    if simulated is not None:
        services["drawer"] = drawer
        services["training_palms"] = palms
    return Assembly(TABLE, services, context, start, stop)


async def _nothing_to_start() -> None:
    return None


def _witnessing(site: Site, ledger: Ledger, store: Store, alarms: AlarmBook, stamps: StampAuthority) -> Witnessing:
    """Witnesses and rounds of both logs; their alarms and time stamps go through the store and the site's authority."""

    async def tell(facts: Alarms) -> None:
        # Urgent: a store that takes nothing but burns any more must still say so.
        await store.writer.run(lambda tx: alarms.settle(tx, ALARMS, facts), urgent=True)

    def stamp(text: bytes) -> bytes:
        return stamps.token(text, datetime.now(UTC))

    return Witnessing(
        site.data_dir,
        store,
        ledger,
        Rounds(ledger.seal, store, stamp=stamp, on_sealed=knots_sealed),
        Rounds(ledger.audit, store, stamp=stamp, interval_s=AUDIT_ROUND_S),
        alarm=tell,
    )


def _anchoring(
    site: Site, store: Store, ledger: Ledger, alarms: AlarmBook, witnessing: Witnessing, outbound: Outbound
) -> Anchoring:
    """Outside time stamps; an authority that stays away is an alarm until it answers."""

    async def tell(url: str, sentence: str | None) -> None:
        def job(tx: Transaction) -> None:
            if sentence is None:
                alarms.clear(tx, AWAY_ALARM, url)
            else:
                alarms.raise_alarm(tx, AWAY_ALARM, url, sentence)

        await store.writer.run(job)

    return Anchoring(
        store,
        ledger,
        authorities_of(site),
        ask=asking(outbound),
        ready=lambda: witnessing.standing is StoreStanding.CONFIRMED,
        alarm=tell,
        alarmed=alarms.keys(AWAY_ALARM),
        interval_s=site.settings.time_stamp_interval_s,
        away_s=site.settings.time_stamp_away_s,
    )


def _nightly(site: Site, store: Store, alarms: AlarmBook) -> Nightly:
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


def create_key(site: Site, *, clearance: KeyClearance, label: str) -> str:
    """Makes an API key beside a running service or without one; the key, shown this once."""
    with refusing(site.data_dir), contextlib.ExitStack() as claims:
        keys, _, store = _open_store(site, claims)
        keyring = KeyRing(store, peppers=keys.secrets("pepper"), cursors=Cursors.of(keys))
        return keyring.create_now(CreateKey(label=label, clearance=clearance), actor="command-line").key


def _open_store(
    site: Site, claims: contextlib.ExitStack, on_clock_step: Callable[[int], None] | None = None
) -> tuple[Keys, Ledger, Store]:
    """Keys, then the ledger, then the store; refuses a site that has lost one of them rather than begin it anew."""
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
    ledger = open_ledger(site, keys)
    store = Store.open(
        site.store_path,
        ledger,
        sealer=keys.sealer,
        min_free_bytes=site.settings.min_free_disk_bytes,
        on_clock_step=on_clock_step,
    )
    claims.callback(store.close)
    return keys, ledger, store


def _is_lost(path: Path) -> bool:
    return not path.exists() or path.stat().st_size == 0


def _card_readers(
    pcsc: PcscUse, simulated: InProcessBackend | None, issuer: CardIssuer, on_change: Callable[[CardReader], None]
) -> CardReaders:
    backends = []
    if simulated is not None:
        backends.append(ReaderFamily(simulated, simulated=True, service=False))
    if pcsc != "off":
        # Imported here: a site without card readers never loads the PC/SC library.
        from hardware.cards.pcsc import PcscBackend

        backends.append(ReaderFamily(PcscBackend(), simulated=False, service=True, required=pcsc == "required"))
    return CardReaders(backends, issuer.authorities, on_change)
