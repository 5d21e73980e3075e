"""Judges chosen entries of the audit log offline: each by its own leaf, its own proof and its own time stamp.

They are what somebody chose, in the log's order: that nothing stands between them, no bundle says.
"""

from __future__ import annotations

import itertools
from typing import Final

from app.capabilities.gateway.audit.bundles import PROOF, EntriesProof
from app.evidence.checks import (
    TRAINING_ORIGIN,
    EvidenceRefused,
    Findings,
    PinnedTrust,
    exactly,
    leaf_checks,
    need,
    strict_object,
)
from app.ledger import bundle
from app.pki.proven_leaf import leaf_files

MOST: Final = 1_000
_OWN: Final = frozenset((bundle.MANIFEST, bundle.SIGNATURE, "arc_verify.py", "HOW-TO-VERIFY.txt", PROOF))


def examine_entries(findings: Findings, trust: PinnedTrust, found: bundle.EvidenceBundle) -> None:
    """Makes every check of a bundle of entries but those of its manifest."""
    check = findings.check

    # 1. The bundle holds entries: all their members, each once, in the log's order.
    proof = check("shape", _shape, found)
    if proof is None:
        return

    # 2. to 5. Each leaf by itself: content, quorum, path and time stamp.
    leaf_checks(findings, trust, proof.log_origin, proof.leaves)

    # 6. The files beside the entries are the entries' own.
    check("parts", _parts, found, proof)
    # 7. Entries, log and manifest agree on whether this is training, which never passes for real.
    check("training", _training, found, proof, trust)


def _shape(found: bundle.EvidenceBundle) -> tuple[str, EntriesProof]:
    need(PROOF in found.files, "The bundle holds no entries.")
    proof = exactly(strict_object(found.files[PROOF]), EntriesProof, "list of entries")
    need(0 < len(proof.leaves) <= MOST, "There are no entries, or too many.")
    need(
        all(one.log_index < other.log_index for one, other in itertools.pairwise(proof.leaves)),
        "The entries are not in the log's order.",
    )
    many = len(proof.leaves)
    return f"{many} chosen entr{'y' if many == 1 else 'ies'} of the log {proof.log_origin}.", proof


def _parts(found: bundle.EvidenceBundle, proof: EntriesProof) -> tuple[str, bool]:
    try:
        wanted = leaf_files(proof.leaves)
    except ValueError:
        raise EvidenceRefused("The entries' own proofs or time stamps cannot be read.") from None
    beside = {name: data for name, data in found.files.items() if name not in _OWN}
    need(beside == wanted, "The files beside the entries are not the entries' own.")
    return "Proofs, checkpoints and time stamps are the entries' own.", True


def _training(found: bundle.EvidenceBundle, proof: EntriesProof, trust: PinnedTrust) -> tuple[str, bool]:
    need(proof.training is found.manifest.training, "Entries and manifest differ on whether this is TRAINING.")
    need(proof.training is proof.log_origin.startswith(TRAINING_ORIGIN), "The log is of the other kind.")
    need(
        not (proof.training and trust.production),
        "These are TRAINING entries; they prove nothing to a production site.",
    )
    return f"These are {'TRAINING' if proof.training else 'production'} entries.", True
