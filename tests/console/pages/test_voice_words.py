"""Words of the Voice tab: questions apart, what was not told, what to do next, and what is wrong with a take."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.capabilities.voice.analysis.quality import VoiceQuality
from app.capabilities.voice.matrix import MAX_SAMPLES, SAMPLE_RATE, read_matrix
from app.capabilities.voice.messages import MAX_TAKES, ReasonCode, VoiceSegmentReply
from app.console.failures import Failure
from app.console.pages.verify.voice.capture import SILENT_DB, HeardSpeech, VoiceCapture, hear, level_db
from app.console.pages.verify.voice.takes import VoiceTakes, weakness
from app.console.pages.verify.voice.view import _kilohertz
from app.console.pages.verify.voice.words import (
    NEXT_STEPS,
    decibels,
    findings,
    heard_words,
    likelihood_words,
    measure_rows,
    next_step,
    passes,
    quality_words,
    refusal_state,
    refusal_step,
    scored_spans,
    speech_words,
    tolerance_words,
)
from app.console.theme.tokens import Meaning
from app.console.widgets.error_curve import ErrorCurvePoint
from tests.console.pages.voice_replies import calibration, checked
from tests.console.virtual_sound import speech


def heard(speech_s: float = 4.5, snr_db: float = 30.0, clipping: float = 0.0) -> HeardSpeech:
    """A recording of that quality."""
    quality = VoiceQuality(
        speech_s=speech_s,
        snr_db=snr_db,
        bandwidth_hz=7_000.0,
        clipping=clipping,
        level_dbfs=-20.0,
        reverberation_db=None,
    )
    return HeardSpeech(quality, speech_s, np.zeros(0, np.float32), np.zeros((0, 3), np.float32))


def wave() -> np.ndarray:  # type: ignore[type-arg]
    """Two seconds of sound."""
    return np.full(2 * SAMPLE_RATE, 0.1, np.float32)


def test_every_reason_of_the_service_has_a_next_step() -> None:
    """But the one that says that all is well."""
    assert set(NEXT_STEPS) == set(ReasonCode.__args__) - {"identity_accepted"}


@pytest.mark.parametrize(
    ("changes", "marks"),
    [
        ({}, {"Same voice": Meaning.OK, "Living voice": Meaning.OK, "Recording": Meaning.OK}),
        (
            {"verdict": "SYNTHETIC", "reasons": ["synthetic_traces"], "llr": None, "similarity": None},
            {"Same voice": Meaning.IDLE, "Living voice": Meaning.CRIT, "Recording": Meaning.OK},
        ),
        (
            {"verdict": "SYNTHETIC", "reasons": ["replayed"], "llr": None},
            {"Same voice": Meaning.IDLE, "Living voice": Meaning.OK, "Recording": Meaning.CRIT},
        ),
        (
            {"verdict": "DIFFERENT_SPEAKER", "reasons": ["identity_refused"], "llr": -2.0},
            {"Same voice": Meaning.BAD, "Living voice": Meaning.OK, "Recording": Meaning.OK},
        ),
        (
            {"verdict": "INCONCLUSIVE", "reasons": ["noise"]},
            {"Same voice": Meaning.IDLE, "Living voice": Meaning.IDLE, "Recording": Meaning.WARN},
        ),
        (
            {"phase": False, "reasons": ["identity_accepted", "phase_missing"]},
            {"Same voice": Meaning.OK, "Living voice": Meaning.IDLE, "Recording": Meaning.WARN},
        ),
        (
            {"synthetic_probability": None, "reasons": ["identity_accepted", "tolerance_capped"]},
            {"Same voice": Meaning.OK, "Living voice": Meaning.IDLE, "Recording": Meaning.OK},
        ),
    ],
)
def test_the_questions_are_kept_apart(changes: dict[str, object], marks: dict[str, Meaning]) -> None:
    """Who speaks and whether it is a person never share a mark."""
    found = {one.title: one.state for one in findings(checked(**changes), True, 0.6)}
    assert found == {**marks, "Digits": Meaning.OK}


@pytest.mark.parametrize(("confirmed", "word"), [(True, "Said"), (False, "Not confirmed"), (None, "Not asked")])
def test_digits_are_what_the_operator_says(confirmed: bool | None, word: str) -> None:
    """The service does not hear them."""
    assert findings(checked(), confirmed, 0.6)[-1].word == word


def test_how_close_a_possible_clone_came_is_not_made_up() -> None:
    """Where the service does not tell, the page says that it does not."""
    first = findings(checked(verdict="SYNTHETIC", reasons=["synthetic_traces"], llr=None), True, 0.6)[0]
    assert first.word == "Not told"


@pytest.mark.parametrize(
    ("llr", "asked", "words"),
    [
        (math.log(164), math.log(32), "164 times likelier than not; 32 is asked."),
        (-math.log(5), 0.0, "5.0 times less likely than not; 1.0 times likelier is asked."),
    ],
)
def test_likelihoods_are_told_as_ratios(llr: float, asked: float, words: str) -> None:
    """Nats say nothing to an operator."""
    assert likelihood_words(llr, asked).startswith(words)


def test_the_first_reason_leads_to_the_next_step() -> None:
    """A match leads to the digits; a refusal to what would help."""
    assert "digits" in next_step(checked())
    assert next_step(checked(verdict="INCONCLUSIVE", reasons=["clipping", "noise"])) == NEXT_STEPS["clipping"]
    assert (
        next_step(checked(match=False, reasons=["identity_accepted", "short_for_match"]))
        == (NEXT_STEPS["short_for_match"])
    )
    assert next_step(checked(verdict="INCONCLUSIVE", reasons=[])).startswith("Speak again")


@pytest.mark.parametrize(
    ("code", "standing", "step"),
    [
        ("state_conflict", "REVOKED", "A burned person"),
        ("state_conflict", "UNVERIFIED", "Change to Enrol"),
        ("dependency_unavailable", "UNVERIFIED", "Later"),
    ],
)
def test_a_refusal_leads_somewhere(code: str, standing: str, step: str) -> None:
    """To the enrolment, or to what the failure says itself."""
    assert refusal_step(Failure(code, "No.", "Later."), standing).startswith(step)


def test_quality_says_only_what_was_measured() -> None:
    """In silence neither noise nor bandwidth are."""
    silent = checked().quality
    silent.snr_db = silent.bandwidth_hz = None
    assert quality_words(silent) == "no clipping"
    assert quality_words(checked().quality) == "27 dB over the room, up to 7.1 kHz, no clipping"


def test_measures_tell_the_usual_from_the_unusual() -> None:
    """By standard deviations of living voices; what is not known is said."""
    states = {row.title: row.usual[0] for row in measure_rows(checked())}
    assert states["Pitch"] is Meaning.OK
    assert states["Jitter of the pitch"] is Meaning.WARN
    assert states["Phase between bands"] is Meaning.IDLE
    assert {row.word for row in measure_rows(checked())} == {"Usual", "Unusual", "Not known"}


def test_resonances_share_a_row_and_the_farthest_speaks_for_them() -> None:
    """One that was not measured is no number; without any the row says so."""
    check = checked()
    check.resonance.formants[1].z = -3.1
    row = next(row for row in measure_rows(check) if row.title == "Resonances F1 to F3")
    assert (row.measured, row.word) == ("560, 1,540, ? Hz", "Unusual")
    assert row.usual[1] == "Unusual, 3.1 from the middle"
    for one in check.resonance.formants:
        one.value = one.z = None
    row = next(row for row in measure_rows(check) if row.title == "Resonances F1 to F3")
    assert (row.measured, row.word) == ("Not measured", "Not known")


def test_the_limit_is_named_when_the_service_has_said_it() -> None:
    """Else the probability stands alone: no limit is made up."""
    assert findings(checked(), True, 0.6)[1].detail == "12 % likely to be synthetic. Limit 60 %."
    assert findings(checked(), True, None)[1].detail == "12 % likely to be synthetic."


@pytest.mark.parametrize(
    ("code", "unknown", "state"),
    [
        ("state_conflict", False, Meaning.IDLE),
        ("connection_lost", True, Meaning.IDLE),
        ("dependency_unavailable", False, Meaning.BAD),
    ],
)
def test_who_is_not_enrolled_has_not_failed(code: str, unknown: bool, state: Meaning) -> None:
    """Somebody else must act, or nobody knows: a ring. What the service cannot do has failed."""
    assert refusal_state(Failure(code, "No.", "Later.", unknown=unknown)) is state


def test_what_is_heard_is_told_while_it_comes() -> None:
    """As far as it can be measured."""
    assert heard_words(heard().quality) == "30 dB over the room, no clipping"
    assert heard_words(heard(snr_db=math.nan, clipping=0.02).quality) == "2 % cut off"
    assert decibels(-20.7) == "\N{MINUS SIGN}21 dBFS"


def test_pieces_out_of_the_usual_are_marked() -> None:
    """Unlike the enrolled voice, or the whole over the gate; what is not told has no score."""
    alike, synthetic = scored_spans(checked(synthetic_probability=0.6), 0.6)
    assert [one.state for one in alike] == [Meaning.OK, Meaning.WARN]
    assert [(one.score, one.state) for one in synthetic] == [(0.6, Meaning.WARN)]
    assert [one.state for one in scored_spans(checked(synthetic_probability=0.6), 0.6001)[1]] == [Meaning.OK]
    assert scored_spans(checked(segments=[]), 0.6) == ([], [])
    hidden = checked()
    for one in hidden.segments:
        one.similarity = None
    assert [(one.score, one.state) for one in scored_spans(hidden, 0.6)[0]] == [(None, Meaning.OK)] * 2


def test_pieces_that_overlap_are_drawn_side_by_side() -> None:
    """Each up to the middle of what it shares with the next one; over a pause too; the synthetic score is one."""
    pieces = [
        VoiceSegmentReply(t0=begin, t1=end, similarity=0.8, synthetic_probability=0.1)
        for begin, end in ((0.1, 1.7), (0.7, 2.3), (2.5, 4.1))
    ]
    alike, synthetic = scored_spans(checked(segments=pieces), 0.6)
    assert [one.start_s for one in alike] == pytest.approx([0.1, 1.2, 2.4])
    assert [one.end_s for one in alike] == pytest.approx([1.2, 2.4, 4.1])
    assert [(one.start_s, one.end_s) for one in synthetic] == [(0.1, 4.1)]


def test_speech_is_told_in_seconds() -> None:
    """With one decimal: the bar has the goal."""
    assert speech_words(14.23) == "14.2 s of speech"


def test_a_lost_answer_leads_to_a_new_recording() -> None:
    """The same one again might count as a clone; whatever the person's standing."""
    lost = Failure("connection_lost", "The answer was lost.", "It connects again.", unknown=True)
    assert "Speak again" in refusal_step(lost, "REVOKED")


def test_the_price_of_a_tolerance_is_told_as_far_as_it_is_known() -> None:
    """Under three errors' worth of trials it is "under"."""
    points = [ErrorCurvePoint(0.0, 0.0001, 0.4), ErrorCurvePoint(1.0, 0.5, 0.01)]
    assert tolerance_words(points, 0.001, 0.0).startswith("At 0.00, under 0.1 % of strangers are let in")
    assert tolerance_words([], 0.001, 0.0) == ""


@pytest.mark.parametrize(("llr", "setting", "enough"), [(3.44, 0.25, False), (3.46, 0.25, True), (-3.4, 0.75, True)])
def test_a_voice_passes_by_the_service_s_own_threshold(llr: float, setting: float, enough: bool) -> None:
    """Between two points of its curve by a line."""
    assert passes(calibration(), llr, setting) is enough


# --- takes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("take", "why"),
    [
        (heard(), ""),
        (heard(speech_s=1.9), "Only 1.9 s"),
        (heard(clipping=0.02), "2 % is cut off"),
        (heard(snr_db=12), "Only 12 dB"),
        (heard(snr_db=math.nan), ""),
    ],
)
def test_what_the_service_would_refuse_is_said_before(take: HeardSpeech, why: str) -> None:
    """With what to do about it; what could not be measured is left to the service."""
    assert weakness(take).startswith(why)
    assert bool(weakness(take)) is bool(why)


def test_takes_are_ready_with_three_and_twelve_seconds() -> None:
    """Both are needed."""
    takes = VoiceTakes()
    for count in range(2):
        takes.add(wave(), heard(8.0), "Desk")
        assert not takes.ready, count
    assert "1 more needed" in takes.progress
    takes.add(wave(), heard(8.0), "Desk")
    assert takes.ready
    assert takes.progress.endswith("enough.")
    short = VoiceTakes()
    for _ in range(4):
        short.add(wave(), heard(2.5), "Desk")
    assert not short.ready
    assert "2.0 s of speech more needed" in short.progress


def test_no_more_takes_than_the_service_takes() -> None:
    """Ten."""
    takes = VoiceTakes()
    for _ in range(MAX_TAKES):
        assert not takes.full
        takes.add(wave(), heard(), "Desk")
    assert takes.full


def test_a_dropped_take_is_overwritten() -> None:
    """Its number is not given again."""
    takes = VoiceTakes()
    row = takes.add(wave(), heard(), "Desk")
    sound = row.wave
    assert sound is not None
    takes.drop(row.number)
    assert not sound.any()
    assert takes.add(wave(), heard(), "Desk").number == 2


def test_forgotten_takes_are_overwritten() -> None:
    """All of them."""
    takes = VoiceTakes()
    sounds = [takes.add(wave(), heard(), "Desk").wave for _ in range(2)]
    assert takes.forget() == 2
    assert not any(sound is not None and sound.any() for sound in sounds)
    assert takes.rows == []


def test_a_refusal_names_takes_by_their_place_among_those_that_were_sent() -> None:
    """One that was removed before does not count, and a pointer to none of them is passed over."""
    takes = VoiceTakes()
    for _ in range(4):
        takes.add(wave(), heard(), "Desk")
    takes.drop(1)
    sent = takes.send()
    assert len(sent) == 3
    assert read_matrix(sent[0]).profile == "mdct"
    fields = [
        ("/samples/1", "clipping: It is overdriven."),
        ("/samples/9", "?"),
        ("/consent", "?"),
        ("/samples/2", "Odd"),
    ]
    assert takes.take_refusal(fields) == [3, 4]
    said = {row.number: row.said for row in takes.rows}
    assert said == {2: "", 3: "It is overdriven.", 4: "Odd"}
    assert len(takes.kept) == 1


# --- the recording ----------------------------------------------------------------------------------------------------


def test_levels_are_of_full_scale() -> None:
    """Silence has one, too."""
    assert level_db(np.ones(100, np.float32)) == pytest.approx(0.0)
    assert level_db(np.full(100, 0.1, np.float32)) == pytest.approx(-20.0)
    assert level_db(np.zeros(100, np.float32)) == SILENT_DB
    assert level_db(np.zeros(0, np.float32)) == SILENT_DB


def test_blocks_become_one_recording_of_16_khz() -> None:
    """And are overwritten themselves."""
    capture = VoiceCapture()
    capture.begin(48_000)
    sound = speech(3.0)
    blocks = np.array_split(sound.copy(), 7)
    for block in blocks:
        capture.push(block)
    capture.end()
    assert capture.seconds == pytest.approx(3.0)
    assert not any(block.any() for block in blocks)


def test_a_recording_ends_where_the_matrix_does() -> None:
    """What is more is not taken."""
    capture = VoiceCapture()
    capture.take(np.full(MAX_SAMPLES + 500, 0.1, np.float32))
    assert capture.full
    assert len(capture.wave) == MAX_SAMPLES


def test_magnitudes_are_given_once() -> None:
    """Each 10 ms, as soon as its window is there."""
    capture = VoiceCapture()
    capture.begin(SAMPLE_RATE)
    assert len(capture.new_magnitudes()) == 0
    capture.push(np.full(1_000, 0.1, np.float32))
    assert len(capture.new_magnitudes()) == 4
    capture.push(np.full(160, 0.1, np.float32))
    assert len(capture.new_magnitudes()) == 1
    assert len(capture.new_magnitudes()) == 0


def test_a_sample_at_full_scale_is_told() -> None:
    """Of the last block alone."""
    capture = VoiceCapture()
    capture.begin(SAMPLE_RATE)
    capture.push(np.array([0.1, 1.0], np.float32))
    assert capture.clipped
    capture.push(np.array([0.1], np.float32))
    assert not capture.clipped


def test_a_wiped_recording_is_zero() -> None:
    """All of its buffer."""
    capture = VoiceCapture()
    capture.take(wave())
    capture.wipe()
    assert capture.seconds == 0
    assert not capture._buffer.any()


def test_the_copy_that_is_listened_to_is_overwritten() -> None:
    """Whatever it holds; pitch and resonances are where speech is."""
    capture = VoiceCapture()
    capture.begin(48_000)
    capture.push(speech(3.0))
    capture.end()
    copy = capture.wave
    found = hear(copy)
    assert not copy.any()
    assert found.speech_s > 1.5
    assert 100 < float(np.nanmedian(found.pitch)) < 125
    assert np.isnan(found.formants).all(axis=1).any()


@pytest.mark.parametrize(("rate", "words"), [(16_000, "16 kHz"), (44_100, "44.1 kHz"), (11_025, "11.025 kHz")])
def test_a_sample_rate_has_the_decimals_that_it_has(rate: int, words: str) -> None:
    """None is lost, none is added."""
    assert _kilohertz(rate) == words
