"""The one place where a site's parts are joined: each capability declares itself in its ``wiring``, and is folded here.

The order of ``CAPABILITIES`` is the order in which they are wired and started; they are stopped in the opposite one.
What one offers to another (``Parts``) is filled before it is read: doors before the burn, the burn before HR.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from app.api import health, keys_operations
from app.api.keys import KeyRing
from app.api.keys_messages import CreateKey, KeyClearance
from app.api.operation import Endpoint
from app.api.operator_id import draw_operator_id
from app.api.problems import Problem
from app.approvals import operations as approvals_operations
from app.biometrics import operations as biometrics_operations
from app.capabilities.burn.wiring import BURN
from app.capabilities.credentials.wiring import CREDENTIALS
from app.capabilities.enforcement.wiring import ENFORCEMENT
from app.capabilities.gateway.actions.wiring import ACTIONS
from app.capabilities.gateway.audit.wiring import AUDIT
from app.capabilities.gateway.telemetry.wiring import TELEMETRY
from app.capabilities.infrastructure.wiring import INFRASTRUCTURE
from app.capabilities.keystone.wiring import KEYSTONE
from app.capabilities.lifecycle.wiring import LIFECYCLE
from app.capabilities.media.wiring import MEDIA
from app.capabilities.palm.wiring import PALM
from app.capabilities.provenance.wiring import PROVENANCE
from app.capabilities.provisioning.wiring import PROVISIONING
from app.capabilities.stylized.wiring import STYLIZED
from app.capabilities.voice.wiring import VOICE
from app.delivery import operations as delivery_operations
from app.operators import operations as operators_operations
from app.operators.messages import OperatorBody
from app.operators.passphrases import make_verifier
from app.operators.register import COMMAND_LINE, OperatorRegister
from app.pki import operations as pki_operations
from app.registry import operations as registry_operations
from app.registry.service import Registry
from app.service.platform import make_platform, open_service_store
from app.service.serving import Assembly
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import refusing
from app.store.writer import Transaction
from app.training import operations as training_operations
from app.training import wiring as training
from app.wiring.parts import Parts, PcscUse
from app.wiring.wired import Capability, Wired

log = logging.getLogger(__name__)

CAPABILITIES: tuple[Capability, ...] = (
    TELEMETRY,
    CREDENTIALS,
    BURN,
    LIFECYCLE,
    PROVISIONING,
    INFRASTRUCTURE,
    ACTIONS,
    KEYSTONE,
    PROVENANCE,
    PALM,
    STYLIZED,
    VOICE,
    MEDIA,
    ENFORCEMENT,
    AUDIT,
)

TABLE: tuple[Endpoint, ...] = (
    *health.OPERATIONS,
    *keys_operations.OPERATIONS,
    *registry_operations.OPERATIONS,
    *biometrics_operations.OPERATIONS,
    *approvals_operations.OPERATIONS,
    *operators_operations.OPERATIONS,
    *delivery_operations.OPERATIONS,
    *pki_operations.OPERATIONS,
    *(row for capability in CAPABILITIES for row in capability.operations),
    *training_operations.OPERATIONS,
)
"""Every endpoint of the product: what is served, documented, and what the client's calls are written from."""


def assemble(site: Site, *, pcsc: PcscUse = "if-there", claims: contextlib.ExitStack) -> Assembly:
    """Makes the site's service. Blocks on the disk; raises ``SiteError`` or ``StoreError`` with a sentence for people.

    What must be given back in any case (the claim on the directory, keys, store) goes onto ``claims``.
    """
    with refusing(site.data_dir):
        claims.enter_context(site.claim())
        platform = make_platform(site, pcsc, claims)
        parts = platform.parts
        wired = [_join(parts, platform.wired)]
        for capability in CAPABILITIES:
            wired.append(_join(parts, capability.wire(parts)))
            if capability is LIFECYCLE:
                # An erasure tells what stays in this order: burns, HR, approvals, templates, bundles, alarms, seals.
                parts.personal_records.extend([parts.approvals, parts.biometrics.templates, parts.biometrics.bundles])
                parts.personal_records.append(parts.alarms)
        # Doors first, templates last: a burn revokes at the readers before it looks at anything else.
        parts.grant_holders.append(parts.biometrics.templates)
        services = {name: service for one in wired for name, service in one.services.items()}
        if site.training:
            wired.append(_join(parts, training.wire(parts, services)))
            services |= wired[-1].services
        start, stop = _life(parts, wired, claims)
        return Assembly(TABLE, services, parts.context, start, stop, _public_hosts(site))


def _public_hosts(site: Site) -> frozenset[bytes]:
    """The hosts of the site's public address, with its port and without: OpenSSL's client leaves the port out."""
    address = site.settings.public_address
    if address is None:
        return frozenset()
    parts = urlsplit(address)
    return frozenset(host.encode("ascii") for host in (parts.netloc, parts.hostname) if host)


def _join(parts: Parts, wired: Wired) -> Wired:
    """Hands what a capability gave back to those of the platform who ask for it."""
    for sweep in wired.sweeps:
        parts.registry.add_sweep(sweep)
    for gauge in wired.gauges:
        parts.context.metrics.gauge(gauge.name, gauge.description, gauge.read)
    for name, look in wired.health.items():
        parts.context.health.check(name, look)
    parts.grant_holders.extend(wired.grant_holders)
    parts.personal_records.extend(wired.personal_records)
    parts.lasting.update(wired.lasting)
    return wired


def _life(
    parts: Parts, wired: list[Wired], claims: contextlib.ExitStack
) -> tuple[Callable[[], Awaitable[None]], Callable[[], Awaitable[None]]]:
    """Start and stop of all parts. Only what was started is stopped."""
    started: list[Callable[[], Awaitable[None]]] = []

    async def start() -> None:
        for one in wired:
            for life in one.lives:
                await life.start()
                started.append(life.stop)
        parts.witnessing.begin()

    async def stop() -> None:
        # A part that fails to stop must not keep the others from it: the store's last commit comes after them all.
        for end in reversed(started):
            try:
                await end()
            except Exception:
                log.exception("a part of the service failed to stop")
        await asyncio.to_thread(claims.close)

    return start, stop


def create_key(site: Site, *, clearance: KeyClearance, label: str) -> str:
    """Makes an API key beside a running service or without one; the key, shown this once."""
    with refusing(site.data_dir), contextlib.ExitStack() as claims:
        keys, _, store = open_service_store(site, claims)
        keyring = KeyRing(store, peppers=keys.secrets("pepper"), cursors=Cursors.of(keys))
        return keyring.create_now(CreateKey(label=label, clearance=clearance), actor="command-line").key


def create_operator(site: Site, body: OperatorBody, passphrase: memoryview | None) -> str:
    """Makes an operator beside a running service or without one: the holder of the data directory needs nobody's
    approval. The operator_id; ``Problem`` for a body that contradicts itself or the register."""
    verifier = None if passphrase is None else make_verifier(passphrase)
    operator_id = draw_operator_id()

    def job(tx: Transaction, register: OperatorRegister) -> str:
        register.put_in(tx, operator_id, body, COMMAND_LINE)
        if verifier is not None:
            register.set_passphrase(tx, operator_id, verifier, actor=COMMAND_LINE)
        return operator_id

    return _change_operators(site, job, lambda register: register.check(operator_id, body))


def set_operator_passphrase(site: Site, operator_id: str, passphrase: memoryview) -> str:
    """Gives an operator a passphrase, as ``create_operator`` does; the operator_id."""
    verifier = make_verifier(passphrase)

    def job(tx: Transaction, register: OperatorRegister) -> str:
        register.set_passphrase(tx, operator_id, verifier, actor=COMMAND_LINE)
        return operator_id

    return _change_operators(site, job)


def _change_operators(
    site: Site,
    job: Callable[[Transaction, OperatorRegister], str],
    check: Callable[[OperatorRegister], None] = lambda _register: None,
) -> str:
    """Runs ``check``, then ``job`` on the site's register of operators, in which the command line needs no approval."""

    def use_approval(_tx: Transaction, approval_id: str, _subject: str, _actor: str, _request_id: str | None) -> str:
        raise Problem("state_conflict", f"The command line uses no approval ({approval_id}).")

    with refusing(site.data_dir), contextlib.ExitStack() as claims:
        keys, _, store = open_service_store(site, claims)
        # As for a key: it makes the pepper, by which a later start knows that there was a store.
        keys.secrets("pepper")
        cursors = Cursors.of(keys)
        register = OperatorRegister(store, cursors, Registry(site, store, keys, cursors).nodes, use_approval)
        check(register)
        return store.writer.submit(lambda tx: job(tx, register)).result()
