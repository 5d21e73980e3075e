"""The verdict: pure functions of what the engine measured (``README.md``, section 3).

The order is fixed: quality, clone, identity. What a recording is too poor to tell is INCONCLUSIVE and never a guess;
the clone gate's threshold comes with the models, and no tolerance reaches it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.capabilities.voice.messages import (
    LEAST_BANDWIDTH_HZ,
    LEAST_SNR_DB,
    LEAST_SPEECH_S,
    MATCH_SPEECH_S,
    MOST_CLIPPING,
    ReasonCode,
    Verdict,
)

SPAN_LLR: Final = 6.9
"""Nats between even odds (tolerance 0.5) and the strictest (0), or the loosest (1) threshold: ln 1000 less a hair."""
SILENT_DBFS: Final = -70.0

WORDS: Final[dict[ReasonCode, str]] = {
    "identity_accepted": "The voice is close enough to the enrolled one.",
    "identity_refused": "The voice is not close enough to the enrolled one at this tolerance.",
    "synthetic_traces": "The sound has traces of speech that a machine made.",
    "replayed": "This recording, or nearly the same one, was sent within the last 24 hours: record anew.",
    "too_short": "There are less than 2 s of speech: speak for at least 4 s.",
    "short_for_match": "There are less than 4 s of speech: enough for a verdict, not for a match.",
    "noise": "The noise is too loud to tell: record again in a quieter place or nearer to the microphone.",
    "reverberation": "The room is too loud to tell: record again nearer to the microphone.",
    "bandwidth": "The recording has less than 3 kHz of bandwidth: use another microphone or line.",
    "clipping": "The recording is overdriven: turn the input down and record again.",
    "silent": "Nothing is heard: look whether the microphone is switched on.",
    "phase_missing": "The matrix has magnitudes alone: clones are told from living voices by the phase, send the MDCT.",
    "tolerance_capped": "This site allows less tolerance than was asked for: its own limit was used.",
}
"""What each reason says to people."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What was measured of a recording. ``synthetic_llr`` and ``llr`` in nats; ``unreliable``: what the engine found
    too poor to judge by, in words of ``ReasonCode``."""

    speech_s: float
    snr_db: float
    bandwidth_hz: float
    clipping: float
    level_dbfs: float
    synthetic_llr: float
    llr: float
    phase: bool
    unreliable: Collection[str] = ()
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class VoicePolicy:
    """``gate_llr``: SYNTHETIC from here on, fixed with the models. ``threshold_llr``: accepted from here on.
    ``phase_required``: without phase nothing is GENUINE."""

    gate_llr: float
    threshold_llr: float
    phase_required: bool = False


@dataclass(frozen=True, slots=True)
class VoiceDecision:
    """A verdict with its reasons, the deciding ones first. ``match`` renews the node's standing."""

    verdict: Verdict
    match: bool
    reasons: tuple[ReasonCode, ...]


def threshold_at(tolerance: float) -> float:
    """The least LLR that is accepted at a tolerance of 0..1: eta = 6.9 (1 - 2 tau)."""
    return SPAN_LLR * (1.0 - 2.0 * tolerance)


def faults_of(heard: Heard) -> tuple[ReasonCode, ...]:
    """What makes a recording too poor to judge, in the order in which a person would mend it. Speech, noise and
    bandwidth that could not be measured (NaN) are faults; unknown clipping is none: magnitudes do not show it. Where
    the speech is too short already, nothing is said of a noise or a bandwidth that was not measured."""
    found: list[ReasonCode] = []
    if heard.level_dbfs < SILENT_DBFS:
        found.append("silent")
    if not heard.speech_s >= LEAST_SPEECH_S or "too_short" in heard.unreliable:
        found.append("too_short")
    spoken = "too_short" not in found
    if heard.clipping > MOST_CLIPPING or "clipping" in heard.unreliable:
        found.append("clipping")
    if _lacks(heard.snr_db, LEAST_SNR_DB, spoken=spoken) or "noise" in heard.unreliable:
        found.append("noise")
    if "reverberation" in heard.unreliable:
        found.append("reverberation")
    if _lacks(heard.bandwidth_hz, LEAST_BANDWIDTH_HZ, spoken=spoken) or "bandwidth" in heard.unreliable:
        found.append("bandwidth")
    return tuple(found)


def _lacks(measured: float, least: float, *, spoken: bool) -> bool:
    """Whether too little was measured; what was not measured (NaN) counts as too little where somebody spoke."""
    return spoken if math.isnan(measured) else measured < least


def decide(heard: Heard, policy: VoicePolicy) -> VoiceDecision:
    """The verdict. A recording that was sent before is SYNTHETIC, however good it is: no living voice says a
    thing twice alike."""
    if heard.replayed:
        return VoiceDecision("SYNTHETIC", False, ("replayed",))
    faults = faults_of(heard)
    if faults:
        return VoiceDecision("INCONCLUSIVE", False, faults)
    # Written so that a score that is no number is refused at both gates.
    if not heard.synthetic_llr < policy.gate_llr:
        return VoiceDecision("SYNTHETIC", False, ("synthetic_traces",))
    if policy.phase_required and not heard.phase:
        return VoiceDecision("INCONCLUSIVE", False, ("phase_missing",))
    if not heard.llr >= policy.threshold_llr:
        return VoiceDecision("DIFFERENT_SPEAKER", False, ("identity_refused",))
    missing: list[ReasonCode] = []
    if heard.speech_s < MATCH_SPEECH_S:
        missing.append("short_for_match")
    if not heard.phase:
        missing.append("phase_missing")
    return VoiceDecision("GENUINE", not missing, ("identity_accepted", *missing))


def noting_cap(decision: VoiceDecision, *, capped: bool) -> VoiceDecision:
    """The decision with a note that the site's policy took less tolerance than was asked for."""
    return replace(decision, reasons=(*decision.reasons, "tolerance_capped")) if capped else decision


def shows_closeness(decision: VoiceDecision, *, citadel: bool) -> bool:
    """Whether the caller may learn how close the voice came. An INCONCLUSIVE recording may be a clone under noise: it
    tells no more than a SYNTHETIC one."""
    return citadel or decision.verdict in ("GENUINE", "DIFFERENT_SPEAKER")


def disagreeing(similar: Sequence[Sequence[float]], least: float) -> tuple[int, ...]:
    """The takes that do not fit the others: those of the pairs below ``least`` that are in most such pairs.
    ``similar``: score of each pair, square and symmetric; its diagonal is not looked at."""
    count = len(similar)
    misses = [sum(not similar[a][b] >= least for b in range(count) if b != a) for a in range(count)]
    worst = max(misses, default=0)
    return tuple(at for at, number in enumerate(misses) if number == worst) if worst else ()
