"""Entries of the audit log as an evidence bundle (``app/ledger/bundle.py``): each entry opened, with its own proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from app.api.wire import Reply
from app.ledger.bundle import write_bundle
from app.pki.proven_leaf import ProvenLeaf, leaf_files

KIND: Final = "audit-entries"
PROOF: Final = "entries.json"


class EntriesProof(Reply, kw_only=True):
    """``entries.json``. ``leaves``: the chosen entries, in the log's order."""

    training: bool
    log_origin: str
    leaves: list[ProvenLeaf]


def entries_bundle(
    leaves: Sequence[ProvenLeaf], log_origin: str, sign: Callable[[bytes], bytes], *, training: bool
) -> bytes:
    """The bundle: the same bytes for the same entries. ``sign``: as for ``write_bundle``."""
    proof = EntriesProof(training=training, log_origin=log_origin, leaves=list(leaves))
    text = msgspec.json.format(msgspec.json.encode(proof), indent=2) + b"\n"
    return write_bundle(KIND, {PROOF: text, **leaf_files(leaves)}, training=training, sign=sign)
