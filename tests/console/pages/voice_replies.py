"""Answers of the voice check, as a site's service gives them."""

from __future__ import annotations

import time
from typing import Any

from app.capabilities.voice.messages import (
    EnrolledVoice,
    SpectralCheck,
    TolerancePoint,
    VoiceCalibration,
    VoiceMeasure,
    VoiceModelReply,
    VoiceQualityReply,
    VoiceResonance,
    VoiceSegmentReply,
)
from app.console.moments import api_time

MODEL = VoiceModelReply(id="training", sha256="0" * 64)


def measure(value: float | None = 1.0, z: float | None = 0.5) -> VoiceMeasure:
    """One measured value."""
    return VoiceMeasure(value=value, z=z)


def checked(node_id: str = "ARC-T0040", **changes: Any) -> SpectralCheck:
    """A genuine voice, but for ``changes``."""
    values: dict[str, Any] = {
        "check_id": "check-1",
        "node_id": node_id,
        "match": True,
        "verdict": "GENUINE",
        "similarity": 0.9,
        "synthetic_probability": 0.12,
        "llr": 5.1,
        "threshold_llr": 3.45,
        "far": 0.009,
        "frr": 0.133,
        "genuine_trials": 900,
        "impostor_trials": 6_412,
        "tolerance_coefficient": 0.25,
        "speech_seconds": 4.2,
        "reasons": ["identity_accepted"],
        "reason_texts": ["The voice is close enough to the enrolled one."],
        "resonance": VoiceResonance(
            f0_hz=measure(128.0),
            f0_jitter=measure(0.021, -2.5),
            formants=[measure(560.0), measure(1_540.0), measure(None, None)],
            residual_kurtosis=measure(9.4),
            group_delay_spread=measure(1.9),
            coherence=measure(0.61, None),
        ),
        "quality": VoiceQualityReply(
            speech_s=4.2, snr_db=27.0, bandwidth_hz=7_100.0, clipping=0.0, level_dbfs=-21.0, reverberation_db=None
        ),
        "segments": [
            VoiceSegmentReply(t0=0.0, t1=1.6, similarity=0.8, synthetic_probability=0.1),
            VoiceSegmentReply(t0=0.8, t1=2.4, similarity=0.3, synthetic_probability=0.7),
        ],
        "phase": True,
        "model": MODEL,
        "serial": "serial",
        "standing": "VERIFIED_DIGITAL_HUMAN",
        "timestamp": api_time(time.time()),
    }
    return SpectralCheck(**(values | changes))


def calibration(**changes: Any) -> VoiceCalibration:
    """A curve of three points."""
    rows = ((0.0, 6.9, 0.0001, 0.4), (0.5, 0.0, 0.011, 0.2), (1.0, -6.9, 0.5, 0.01))
    values: dict[str, Any] = {
        "model": MODEL,
        "tolerance_default": 0.25,
        "tolerance_cap": 0.8,
        "synthetic_threshold": 0.6,
        "genuine_trials": 900,
        "impostor_trials": 6_412,
        "points": [
            TolerancePoint(tolerance=tolerance, threshold_llr=llr, far=far, frr=frr)
            for tolerance, llr, far, frr in rows
        ],
    }
    return VoiceCalibration(**(values | changes))


def enrolled(node_id: str = "ARC-T0040", **changes: Any) -> EnrolledVoice:
    """A vocal signature."""
    values: dict[str, Any] = {
        "node_id": node_id,
        "serial": "serial",
        "samples": 3,
        "quality": 82,
        "speech_seconds": 13.4,
        "registry_id": "default",
        "key_epoch": 1,
        "model": MODEL,
        "current": True,
        "consent_at": api_time(time.time()),
        "enrolled_at": api_time(time.time()),
    }
    return EnrolledVoice(**(values | changes))
