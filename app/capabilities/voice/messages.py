"""What crosses the wire of the voice check and of voice enrolment."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from app.api.wire import NodeId, RegistryId, Reply, Request, Timestamp
from app.registry.messages.nodes import Standing

BODY_LIMIT: Final = 8 << 20
"""Bytes of a body: ten takes of seven seconds, or one matrix of thirty seconds in the widest form."""
DEFAULT_TOLERANCE: Final = 0.25
MIN_TAKES, MAX_TAKES = 3, 10
LEAST_NET_S: Final = 12.0
"""Net speech of all takes of an enrolment together."""
LEAST_SPEECH_S: Final = 2.0
MATCH_SPEECH_S: Final = 4.0
"""Net speech of a match. A verdict is given, and a take enrolled, from ``LEAST_SPEECH_S`` on."""
LEAST_SNR_DB: Final = 15.0
"""Below it half of the clones passed in development: noise covers the traces."""
LEAST_BANDWIDTH_HZ: Final = 3000.0
MOST_CLIPPING: Final = 0.01
"""Share of samples at full scale."""

MatrixText = Annotated[
    msgspec.Raw,
    msgspec.Meta(extra_json_schema={"type": "string", "contentEncoding": "base64", "maxLength": BODY_LIMIT}),
]
"""A vocal frequency matrix: base64 of an NPY file (``README.md``, section 1), never a ``str``."""

Verdict = Literal["GENUINE", "SYNTHETIC", "DIFFERENT_SPEAKER", "INCONCLUSIVE"]

ReasonCode = Literal[
    "identity_accepted",
    "identity_refused",
    "synthetic_traces",
    "replayed",
    "too_short",
    "short_for_match",
    "noise",
    "reverberation",
    "bandwidth",
    "clipping",
    "silent",
    "phase_missing",
    "tolerance_capped",
]


class SpectralCheckBody(Request, kw_only=True):
    """POST ``/v1/core/vssn/spectral-check`` (specification 4.1). ``tolerance_coefficient``: 0 (strict) to 1; without it
    0.25. The site's ``voice_tolerance_cap`` limits what is used."""

    node_id: NodeId
    audio_stream_vector: MatrixText
    tolerance_coefficient: Annotated[float, msgspec.Meta(ge=0, le=1)] = DEFAULT_TOLERANCE


class VoiceMeasure(Reply, kw_only=True):
    """A measured value, and how many standard deviations it is from those of living voices (null: not known)."""

    value: float | None
    z: float | None


class VoiceResonance(Reply, kw_only=True):
    """Resonance variation. ``f0_hz`` and ``formants`` (F1 to F3) in Hz, ``f0_jitter`` relative."""

    f0_hz: VoiceMeasure
    f0_jitter: VoiceMeasure
    formants: list[VoiceMeasure]
    residual_kurtosis: VoiceMeasure
    group_delay_spread: VoiceMeasure
    coherence: VoiceMeasure


class VoiceQualityReply(Reply, kw_only=True):
    """What the recording is like. ``clipping``: share of samples, 0..1. Null: not measurable, as in silence."""

    speech_s: float
    snr_db: float | None
    bandwidth_hz: float | None
    clipping: float
    level_dbfs: float | None
    reverberation_db: float | None


class VoiceSegmentReply(Reply, kw_only=True):
    """A stretch of the recording, seconds from its start. ``similarity`` 0..1, null where the reply's is.
    ``synthetic_probability``: the reply's, which is of the whole recording."""

    t0: float
    t1: float
    similarity: float | None
    synthetic_probability: float | None


class VoiceModelReply(Reply, kw_only=True):
    """The models that judged: their name, and the SHA-256 over their files in hexadecimal digits."""

    id: str
    sha256: str


class SpectralCheck(Reply, kw_only=True):
    """One verdict, in the order quality, clone, identity.

    ``similarity`` 0..1 and ``llr`` (nats; accepted from ``threshold_llr`` on) say how close the voice is to the
    enrolled one. They are null, and so is each segment's, for a Sovereign key where the verdict is SYNTHETIC or
    INCONCLUSIVE: a clone must not learn how close it came. ``far`` and ``frr``: error rates at the tolerance that was
    used, interpolated from ``impostor_trials`` and ``genuine_trials`` trials: below 3 divided by their number nothing
    is known.
    ``match``: GENUINE, with at least 4 s of net speech and its phase: it renews the node's standing. ``standing`` is
    SYNTHETIC_SUSPECTED on SYNTHETIC and the node's own otherwise. ``phase``: false for a matrix of magnitudes.
    ``reasons``, the deciding ones first; ``reason_texts`` says the same to people, in the same order.
    """

    check_id: str
    node_id: NodeId
    match: bool
    verdict: Verdict
    similarity: float | None
    synthetic_probability: float | None
    llr: float | None
    threshold_llr: float
    far: float
    frr: float
    genuine_trials: int
    impostor_trials: int
    tolerance_coefficient: float
    speech_seconds: float
    reasons: list[ReasonCode]
    reason_texts: list[str]
    resonance: VoiceResonance
    quality: VoiceQualityReply
    segments: list[VoiceSegmentReply]
    phase: bool
    model: VoiceModelReply
    serial: str
    standing: Standing
    timestamp: Timestamp


class TolerancePoint(Reply, kw_only=True):
    """Error rates at one tolerance."""

    tolerance: float
    threshold_llr: float
    far: float
    frr: float


class VoiceCalibration(Reply, kw_only=True):
    """The error curve of the models over the tolerance. ``tolerance_cap``: the site uses no more than this.
    ``synthetic_threshold``: the ``synthetic_probability`` from which on the clone gate refuses, at every tolerance."""

    model: VoiceModelReply
    tolerance_default: float
    tolerance_cap: float
    synthetic_threshold: float
    genuine_trials: int
    impostor_trials: int
    points: list[TolerancePoint]


class VoiceSamples(Request, kw_only=True):
    """PUT ``/v1/registry/nodes/{id}/voice``: at least three takes, matrices with phase, together at least 12 s of net
    speech. ``consent``: the person agreed to the enrolment; it is recorded with its time. ``registry_id`` and
    ``encoding`` are there because every enrolment has them: voices have one registry, and takes are NPY files."""

    samples: Annotated[list[MatrixText], msgspec.Meta(min_length=1, max_length=MAX_TAKES)]
    consent: bool = False
    registry_id: RegistryId = "default"
    encoding: Literal["npy"] | None = None


class EnrolledVoice(Reply, kw_only=True):
    """A vocal signature. ``serial``: its vocal signature serial number. ``samples``: takes that it is made of;
    ``quality``: 100 times the lowest similarity of two takes. ``current``: false where it is of other models than those
    in use: the node enrols again then."""

    node_id: NodeId
    serial: str
    samples: int
    quality: int
    speech_seconds: float
    registry_id: str
    key_epoch: int
    model: VoiceModelReply
    current: bool
    consent_at: Timestamp | None
    enrolled_at: Timestamp


class ErasedVoice(Reply, kw_only=True):
    """The node's vocal signature is erased; ``rows`` says how many there were, 0 or 1."""

    node_id: NodeId
    rows: int
    erased_at: Timestamp
