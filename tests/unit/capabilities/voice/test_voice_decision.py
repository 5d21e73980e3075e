"""The verdict: its order, its thresholds on both sides, and who may learn how close a voice came."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from app.capabilities.voice.decision import (
    WORDS,
    Heard,
    VoiceDecision,
    VoicePolicy,
    decide,
    disagreeing,
    noting_cap,
    shows_closeness,
    threshold_at,
)
from app.capabilities.voice.messages import ReasonCode

GOOD = Heard(
    speech_s=4.0,
    snr_db=15.0,
    bandwidth_hz=3000.0,
    clipping=0.01,
    level_dbfs=-70.0,
    synthetic_llr=-0.001,
    llr=3.45,
    phase=True,
)
"""Everything at the edge that is still good."""
POLICY = VoicePolicy(gate_llr=0.0, threshold_llr=3.45)


def test_what_is_just_good_enough_is_a_match() -> None:
    """Each limit is of the good side."""
    assert decide(GOOD, POLICY) == VoiceDecision("GENUINE", True, ("identity_accepted",))


@pytest.mark.parametrize(("tolerance", "threshold"), [(0.0, 6.9), (0.25, 3.45), (0.5, 0.0), (0.75, -3.45), (1.0, -6.9)])
def test_the_threshold_falls_with_the_tolerance(tolerance: float, threshold: float) -> None:
    """eta = 6.9 (1 - 2 tau)."""
    assert threshold_at(tolerance) == pytest.approx(threshold, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"speech_s": 1.99}, "too_short"),
        ({"snr_db": 14.9}, "noise"),
        ({"bandwidth_hz": 2999.0}, "bandwidth"),
        ({"snr_db": math.nan}, "noise"),
        ({"bandwidth_hz": math.nan}, "bandwidth"),
        ({"speech_s": math.nan}, "too_short"),
        ({"clipping": 0.0101}, "clipping"),
        ({"level_dbfs": -70.1}, "silent"),
        ({"unreliable": ("reverberation",)}, "reverberation"),
        ({"unreliable": ("noise",)}, "noise"),
        ({"unreliable": ("bandwidth",)}, "bandwidth"),
        ({"unreliable": ("clipping",)}, "clipping"),
        ({"unreliable": ("too_short",)}, "too_short"),
    ],
)
@pytest.mark.parametrize("synthetic_llr", [-9.0, 9.0])
def test_a_poor_recording_is_inconclusive(change: dict[str, object], reason: str, synthetic_llr: float) -> None:
    """Before the clone gate, which cannot be trusted there."""
    heard = replace(GOOD, synthetic_llr=synthetic_llr, **change)  # type: ignore[arg-type]
    assert decide(heard, POLICY) == VoiceDecision("INCONCLUSIVE", False, (reason,))  # type: ignore[arg-type]


def test_all_that_is_wrong_is_named() -> None:
    """In the order in which a person would mend it."""
    heard = replace(GOOD, speech_s=0.0, snr_db=0.0, clipping=1.0, bandwidth_hz=0.0, level_dbfs=-90.0)
    assert decide(heard, POLICY).reasons == ("silent", "too_short", "clipping", "noise", "bandwidth")


@pytest.mark.parametrize(("level_dbfs", "reasons"), [(-90.0, ("silent", "too_short")), (-20.0, ("too_short",))])
def test_without_speech_no_noise_is_blamed(level_dbfs: float, reasons: tuple[str, ...]) -> None:
    """What was not measured for want of speech is not named: a person sent to a quieter place would stay unheard."""
    heard = replace(GOOD, speech_s=0.0, snr_db=math.nan, bandwidth_hz=math.nan, level_dbfs=level_dbfs)
    assert decide(heard, POLICY) == VoiceDecision("INCONCLUSIVE", False, reasons)  # type: ignore[arg-type]


@pytest.mark.parametrize("llr", [-50.0, 50.0])
def test_the_clone_gate_comes_before_the_identity(llr: float) -> None:
    """A clone is SYNTHETIC at its threshold, however close it is."""
    heard = replace(GOOD, synthetic_llr=0.0, llr=llr)
    assert decide(heard, POLICY) == VoiceDecision("SYNTHETIC", False, ("synthetic_traces",))


def test_no_tolerance_reaches_the_clone_gate() -> None:
    """The loosest tolerance leaves it where it is."""
    heard = replace(GOOD, synthetic_llr=0.0)
    assert decide(heard, replace(POLICY, threshold_llr=threshold_at(1.0))).verdict == "SYNTHETIC"


def test_another_voice_is_another_speaker() -> None:
    """Just below the threshold."""
    heard = replace(GOOD, llr=3.4499)
    assert decide(heard, POLICY) == VoiceDecision("DIFFERENT_SPEAKER", False, ("identity_refused",))


def test_a_score_that_is_no_number_passes_no_gate() -> None:
    """Neither of the two."""
    assert decide(replace(GOOD, synthetic_llr=math.nan), POLICY).verdict == "SYNTHETIC"
    assert decide(replace(GOOD, llr=math.nan), POLICY).verdict == "DIFFERENT_SPEAKER"


def test_a_short_voice_is_genuine_and_no_match() -> None:
    """From 2 s on there is a verdict, from 4 s on a match."""
    for speech_s in (2.0, 3.99):
        found = decide(replace(GOOD, speech_s=speech_s), POLICY)
        assert found == VoiceDecision("GENUINE", False, ("identity_accepted", "short_for_match"))


def test_a_voice_without_phase_is_no_match() -> None:
    """And INCONCLUSIVE at best where the site asks for phase; a clone stays one."""
    magnitudes = replace(GOOD, phase=False, unreliable=("phase_missing",))
    assert decide(magnitudes, POLICY) == VoiceDecision("GENUINE", False, ("identity_accepted", "phase_missing"))
    strict = replace(POLICY, phase_required=True)
    assert decide(magnitudes, strict) == VoiceDecision("INCONCLUSIVE", False, ("phase_missing",))
    assert decide(replace(magnitudes, synthetic_llr=1.0), strict).verdict == "SYNTHETIC"
    assert decide(GOOD, strict).match


def test_a_recording_that_was_sent_before_is_synthetic() -> None:
    """Whether it is good or poor."""
    for heard in (GOOD, replace(GOOD, speech_s=0.5)):
        assert decide(replace(heard, replayed=True), POLICY) == VoiceDecision("SYNTHETIC", False, ("replayed",))


def test_a_sovereign_key_learns_how_close_only_what_is_no_clone() -> None:
    """INCONCLUSIVE may be a clone under noise."""
    closeness = {
        verdict: shows_closeness(VoiceDecision(verdict, False, ()), citadel=False)
        for verdict in ("GENUINE", "DIFFERENT_SPEAKER", "SYNTHETIC", "INCONCLUSIVE")
    }
    assert closeness == {"GENUINE": True, "DIFFERENT_SPEAKER": True, "SYNTHETIC": False, "INCONCLUSIVE": False}
    assert shows_closeness(VoiceDecision("SYNTHETIC", False, ()), citadel=True)


def test_a_capped_tolerance_is_told() -> None:
    """Behind the deciding reasons."""
    found = decide(GOOD, POLICY)
    assert noting_cap(found, capped=False) == found
    assert noting_cap(found, capped=True) == replace(found, reasons=("identity_accepted", "tolerance_capped"))


def test_every_reason_has_words() -> None:
    """One sentence or two, for people."""
    assert set(WORDS) == set(ReasonCode.__args__)
    assert all(text.endswith(".") and len(text) > 20 for text in WORDS.values())


@pytest.mark.parametrize(
    ("pairs", "apart"),
    [
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], ()),
        ([[0, 1, -1], [1, 0, -1], [-1, -1, 0]], (2,)),
        ([[0, -1, -1], [-1, 0, -1], [-1, -1, 0]], (0, 1, 2)),
        ([[0, 0, 1], [0, 0, 1], [1, 1, 0]], ()),
        ([[0, math.nan, 1], [math.nan, 0, 1], [1, 1, 0]], (0, 1)),
    ],
)
def test_the_take_that_fits_no_other_is_named(pairs: list[list[float]], apart: tuple[int, ...]) -> None:
    """At even odds two takes agree; where none fits any other, all are named."""
    assert disagreeing(pairs, 0.0) == apart
