"""What crosses the wire of ``/v1/citadel/provenance/knot-seal`` (specification 4.3; the fields beyond it are ours)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import LongText, NodeId, PageQuery, Reply, Request, ShortText, Timestamp
from app.registry.messages.nodes import Standing

Purpose = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""64 lower-case hexadecimal digits."""
ConsensusSeal = Annotated[str, msgspec.Meta(pattern=r"^0x[0-9a-f]{64}\Z")]
MediaType = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}\Z",
        examples=["image/png"],
    ),
]
Jurisdiction = Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{2}(-[A-Z0-9]{1,3})?\Z", examples=["DE", "US-CA"])]
"""ISO 3166-1 alpha-2, with a subdivision of ISO 3166-2 or without."""
KnotState = Literal["sealed", "pending"]


class Consent(Request, kw_only=True):
    """What the person agreed to, as the controller recorded it (GDPR Articles 4(11) and 7). ``expires_at`` lies after
    ``given_at``, which is at most a minute ahead of this site's clock. ``withdrawal``: how it can be withdrawn."""

    purpose: Annotated[list[Purpose], msgspec.Meta(min_length=1, max_length=32)]
    controller: ShortText
    scope: Annotated[list[Purpose], msgspec.Meta(min_length=1, max_length=32)]
    given_at: Timestamp
    expires_at: Timestamp | None = None
    jurisdiction: Jurisdiction | None = None
    withdrawal: LongText | None = None


class Subject(Request, kw_only=True):
    """The media that the consent is about, by their digests."""

    media_sha256: Annotated[list[Sha256], msgspec.Meta(min_length=1, max_length=256)]
    media_type: MediaType


class EvidenceRef(Request, kw_only=True):
    """A live check of the node that this site recorded. The site looks it up and never believes the caller."""

    type: Literal["voice", "palm", "stylized", "card"]
    ref: ShortText


class KnotSealBody(Request, kw_only=True):
    """POST ``/v1/citadel/provenance/knot-seal``."""

    node_id: NodeId
    consent: Consent
    subject: Subject | None = None
    evidence: Annotated[list[EvidenceRef], msgspec.Meta(max_length=16)] = []


class WithdrawBody(Request, kw_only=True):
    """POST ``.../{knot_id}/withdraw``."""

    reason: LongText | None = None


class Opening(Reply, kw_only=True):
    """Opens a leaf: the ``body`` of its header is hexadecimal SHA-256(salt || payload). Both are base64, and null after
    an erasure of the payload, which leaves the tree as it was."""

    salt: str | None
    payload: str | None


class OutsideStamp(Reply, kw_only=True):
    """An RFC 3161 token of an authority outside this site, in base64, over the text of a later checkpoint of the same
    log. ``consistency``: hashes in base64 that lead from the leaf's own checkpoint to it (RFC 9162 section 2.1.4)."""

    checkpoint: str
    consistency: list[str]
    timestamp_token: str


class KnotLeaf(Reply, kw_only=True):
    """One statement about a knot, as it stands in the seal log. ``leaf``: the header's exact bytes; its hash is
    SHA-256(0x00 || leaf). ``seal_proof``: a C2SP tlog-proof file. ``timestamp_token``: an RFC 3161 token in base64 over
    the checkpoint's text. Both are null while the quorum of witnesses is missing. ``outside_stamps``: the first and the
    newest by authorities outside this site, where there are any; they renew the leaf's own."""

    standing: Standing
    timestamp: Timestamp
    log_index: int
    leaf: str
    opening: Opening
    consensus_seal: ConsensusSeal | None
    seal_proof: str | None
    timestamp_token: str | None
    outside_stamps: list[OutsideStamp] | msgspec.UnsetType = msgspec.UNSET


class KnotSeal(Reply, kw_only=True):
    """A knot seal. ``standing``: PENDING_CONSENSUS while the last leaf waits for the quorum of witnesses, afterwards
    what that leaf states. ``consensus_seal``: of the first leaf. ``timestamp``: the first leaf's own time, to the
    microsecond; when its quorum was met is in ``seal_proof``. ``leaves``: all statements, first to last. ``leaf``,
    ``opening``, ``seal_proof`` and ``timestamp_token`` repeat those of the first leaf."""

    knot_id: str
    standing: Standing
    consensus_seal: ConsensusSeal | None
    timestamp: Timestamp
    node_id: str
    log_origin: str
    log_index: int
    leaf: str
    opening: Opening
    seal_proof: str | None
    timestamp_token: str | None
    leaves: list[KnotLeaf]
    training: bool


class KnotSummary(Reply, kw_only=True):
    """A row of the list. ``standing``: what the last leaf states, whether it is pending or not."""

    knot_id: str
    node_id: str
    standing: Standing
    consensus_seal: ConsensusSeal | None
    log_index: int
    timestamp: Timestamp
    expires_at: Timestamp | None


class KnotListQuery(PageQuery, kw_only=True):
    """GET ``/v1/citadel/provenance/knot-seal``, newest first."""

    node_id: NodeId | None = None
    consensus_seal: ConsensusSeal | None = None


class KnotPage(Reply, kw_only=True):
    """A page of knots. ``pending``: the number of leaves in the whole log that wait for the quorum."""

    items: list[KnotSummary]
    next: str | None
    pending: int
