"""A strike as an evidence bundle (``app/ledger/bundle.py``): documents, the law as it was used, evidence, proofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from app.api.wire import Reply, Timestamp
from app.capabilities.enforcement.messages import NoticeKind
from app.delivery.messages import NoticeState
from app.ledger.bundle import write_bundle
from app.pki.proven_leaf import ProvenLeaf, leaf_files

KIND: Final = "strike"
PROOF: Final = "strike.json"
DECLARATION: Final = "declaration.pdf"
CERTIFICATES: Final = "certificates.pem"
"""The certificates that documents and time stamps were signed under, then the root: for other tools, judged by none."""


class ProvenNotice(Reply, kw_only=True):
    """A notice as the bundle has it. ``sha256``: of ``notices/<number>.json``; ``state``: when the bundle was made."""

    notice_id: str
    number: int
    platform: str
    kind: NoticeKind
    sha256: str
    state: NoticeState


class StrikeProof(Reply, kw_only=True):
    """``strike.json``. ``leaves``: the entry that states the documents (``strike.issued`` or ``strike.revised``), then
    those of the notices' history, in the log's order."""

    strike_id: str
    tracking_token: str
    issued_at: Timestamp
    law: str
    law_sha256: str
    declaration_sha256: str
    revision: int
    notices: list[ProvenNotice]
    training: bool
    log_origin: str
    leaves: list[ProvenLeaf]


@dataclass(frozen=True)
class StrikeFiles:
    """What a strike's bundle holds beside its proof. ``notices``: ``notice.json`` and its signature by number;
    ``pinned``: ``law/...`` and ``evidence/...`` by name; ``certificates``: PEM."""

    declaration: bytes
    notices: Mapping[int, tuple[bytes, str]]
    pinned: Mapping[str, bytes]
    certificates: bytes


def notice_file(number: int) -> str:
    """A notice in the bundle."""
    return f"notices/{number}.json"


def jws_file(number: int) -> str:
    """Its signature."""
    return f"notices/{number}.jws"


def strike_bundle(proof: StrikeProof, files: StrikeFiles, sign: Callable[[bytes], bytes]) -> bytes:
    """The bundle: the same bytes for the same facts. ``sign``: as for ``write_bundle``."""
    text = msgspec.json.format(msgspec.json.encode(proof), indent=2) + b"\n"
    parts = {PROOF: text, DECLARATION: files.declaration, CERTIFICATES: files.certificates, **files.pinned}
    for number, (notice, jws) in files.notices.items():
        parts[notice_file(number)] = notice
        parts[jws_file(number)] = jws.encode()
    return write_bundle(KIND, parts | leaf_files(proof.leaves), training=proof.training, sign=sign)


def leaf_indexes(issued: int, history: Sequence[int]) -> list[int]:
    """The entries of a bundle, each once: the one that states the documents comes first, the others in the log's
    order."""
    return [issued, *sorted(set(history) - {issued})]
