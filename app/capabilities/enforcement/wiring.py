"""How enforcement joins a site."""

from __future__ import annotations

from app.capabilities.enforcement import operations
from app.capabilities.enforcement.clocks import NoticeClocks
from app.capabilities.enforcement.declaration import DeclarationSigner
from app.capabilities.enforcement.drafts import StrikeDesk
from app.capabilities.enforcement.evidence_bundle import StrikeBundles
from app.capabilities.enforcement.fsck import check_strikes
from app.capabilities.enforcement.journal import StrikeJournal
from app.capabilities.enforcement.jurisdictions import OWN, LawShelf
from app.capabilities.enforcement.personal_data import StrikeContent
from app.capabilities.enforcement.records import StrikeRecords
from app.capabilities.enforcement.service import Strikes
from app.capabilities.enforcement.tracking import TrackingTokens
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Wired

TRACKING = "tracking"
"""Purpose of the secret under which tracking tokens are made."""


def wire(parts: Parts) -> Wired:
    """Strikes, the notices that they own, and the clocks of those."""
    site = parts.site
    shelf = LawShelf(site.data_dir / OWN)
    signer = DeclarationSigner.open(parts.store, parts.keys, parts.authority, parts.stamps)
    tokens = TrackingTokens(parts.keys.secrets(TRACKING))
    journal = StrikeJournal(parts.notices, parts.alarms, shelf, training=site.training)
    parts.notices.register(journal)
    records = StrikeRecords(parts.store, parts.cursors, tokens, parts.notices, training=site.training)
    bundles = StrikeBundles(
        parts.store,
        parts.ledger.audit,
        records,
        tokens,
        parts.documents.sign_bundle,
        [signer.chain[0], parts.stamps.certificate, signer.chain[1]],
        training=site.training,
    )
    strikes = Strikes(
        parts.store,
        parts.registry,
        shelf,
        signer,
        tokens,
        journal,
        records,
        bundles,
        parts.notices,
        StrikeDesk(
            parts.store,
            parts.registry,
            shelf,
            parts.evidence_sources,
            parts.mandate_of.get(),
            training=site.training,
        ),
    )
    clocks = NoticeClocks(journal, parts.alarms, shelf)
    return Wired(
        services={"enforcement": strikes},
        sweeps=[clocks.sweep, clocks.tell_refused],
        personal_records=[StrikeContent(parts.notices)],
    )


ENFORCEMENT = Capability("enforcement", operations.OPERATIONS, wire, fsck=(lambda _roots: check_strikes,))
