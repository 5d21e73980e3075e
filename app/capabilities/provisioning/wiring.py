"""How the writing of cards joins a site."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from app.capabilities.provisioning import operations
from app.capabilities.provisioning.batches.service import Batches
from app.capabilities.provisioning.fsck import check_certificates
from app.capabilities.provisioning.issuer.card_certificates import CardRevocations
from app.capabilities.provisioning.issuer.card_issuer import CardIssuer
from app.capabilities.provisioning.issuer.card_secrets import CardMaster
from app.capabilities.provisioning.readers.card_readers import CardReader, CardReaders, ReaderFamily
from app.capabilities.provisioning.service import Provisioning
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Life, Wired


def wire(parts: Parts) -> Wired:
    """Cards, their stock and batches; a burn takes the cards of a node away."""
    issuer = CardIssuer(parts.authority, parts.content_signer, parts.keys)
    provisioning = Provisioning(
        parts.site,
        parts.store,
        parts.registry,
        issuer,
        CardMaster(parts.keys.secret("card-master")),
        parts.cursors,
        parts.bus,
        parts.registry.standing,
        parts.approvals,
        lambda on_change: _card_readers(parts, issuer, on_change),
        receipts=parts.documents,
        lists=parts.revocation_lists,
        alarms=parts.alarms,
    )
    batches = Batches(parts.site, parts.store, parts.registry, provisioning, parts.cursors, parts.bus)
    parts.registry.nodes.add_source(provisioning.holder.credentials)
    parts.revocation_lists.add_source(CardRevocations())
    parts.registry.nodes.add_holder(provisioning.holder)
    return Wired(
        services={"provisioning": provisioning, "batches": batches},
        lives=[Life(provisioning.start, provisioning.stop), Life(batches.start, batches.stop)],
        grant_holders=[provisioning.holder],
    )


def _card_readers(parts: Parts, issuer: CardIssuer, on_change: Callable[[CardReader], None]) -> CardReaders:
    """The readers of this machine, as ``--pcsc`` says, and those of a training site's drawer."""
    backends = []
    if parts.simulated_cards is not None:
        backends.append(ReaderFamily(parts.simulated_cards, simulated=True, service=False))
    if parts.pcsc != "off":
        # Imported here: a site without card readers never loads the PC/SC library.
        from hardware.cards.pcsc import PcscBackend

        backends.append(ReaderFamily(PcscBackend(), simulated=False, service=True, required=parts.pcsc == "required"))
    return CardReaders(backends, issuer.authorities, on_change)


PROVISIONING = Capability(
    "provisioning", operations.OPERATIONS, wire, fsck=(lambda roots: partial(check_certificates, roots),)
)
