"""Words of the voice tab: what a verdict says to a person, why, and what to do next."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.capabilities.voice.analysis.quality import VoiceQuality
from app.capabilities.voice.messages import SpectralCheck, VoiceCalibration, VoiceMeasure, VoiceQualityReply
from app.console.failures import Failure
from app.console.language import number, tr
from app.console.theme.tokens import Meaning
from app.console.widgets.error_curve import ErrorCurvePoint, rates_at
from app.console.widgets.rate_scale import percent_words
from app.console.widgets.score_strip import ScoredSpan
from app.console.widgets.usual_cells import USUAL_Z

WANTED_S = 8.0
"""Net seconds of speech at which the figures of the error curve were much better than at ``MATCH_SPEECH_S``."""
HALF = 0.5
"""Where a piece is marked as unlike the enrolled voice, and as synthetic while the gate is not known: it decides
nothing."""
DRAWN = 5
"""Digits of a challenge."""

HONEST = tr(
    "Evidence, not proof. A good recording played into the microphone is not noticed: that is why the digits "
    "change each time."
)
BEFORE = tr("Five digits appear when the recording begins: the person reads them out.")
DURING = tr("Say these digits, then anything else, until the bar is full:")
AFTER = tr("These digits were asked for:")
NO_DIGITS = tr("No digits are asked of a file: nobody saw who spoke.")
NOBODY = tr("Choose a person, press Space and let them speak. What was found, why, and what to do next appear here.")
READY = tr("Press Space and let the person speak. What was found, why, and what to do next appear here.")
NOT_ENROLLED = tr(
    "No voice of this person is enrolled, so nothing can be compared yet. Change to Enrol (Ctrl+Shift+M) "
    "and let them speak three times."
)
NOT_CHECKED = {
    "REVOKED": tr("A burned person is not checked any more."),
    "SUSPENDED": tr("A contained person is not checked until they are released."),
}
"""By a standing that bars."""
NO_MICROPHONE = tr("Open a recording of the person or drop one. What was found, why, and what to do next appear here.")
NOT_TOLD = tr("Choose the person who spoke: then the recording can be checked (Ctrl+Enter).")
LISTENING = tr("The microphone hears. Space ends the recording.")
VERDICTS: dict[str, tuple[Meaning, str, str]] = {
    "GENUINE": (Meaning.OK, tr("Genuine"), tr("The enrolled voice, spoken by a living person.")),
    "SYNTHETIC": (Meaning.CRIT, tr("Synthetic"), tr("This voice carries the traces of a machine, or was sent before.")),
    "DIFFERENT_SPEAKER": (Meaning.BAD, tr("Another voice"), tr("A living voice, but not the enrolled one.")),
    "INCONCLUSIVE": (Meaning.WARN, tr("Undecided"),
        tr("The recording does not allow a verdict. That says nothing against the person.")),
}  # fmt: skip
NEXT_STEPS: dict[str, str] = {
    "too_short": tr("Speak again: eight seconds without long pauses."),
    "short_for_match": tr("Speak again, longer: with less than 4 s of speech nothing is recorded as a match."),
    "silent": tr("See that the right microphone is chosen and not muted, then speak again."),
    "noise": tr("Go nearer to the microphone or to a quieter place, then speak again."),
    "reverberation": tr("Go nearer to the microphone, away from bare walls, then speak again."),
    "bandwidth": tr("Use a microphone of this desk: a telephone line cuts off what is needed."),
    "clipping": tr("Turn the microphone down or go a little away from it, then speak again."),
    "phase_missing": tr("Send the recording itself: magnitudes alone do not show whether a voice is living."),
    "replayed": tr(
        "Let the person speak anew, with new digits. Was it one recording sent twice by mistake, that is all."
    ),
    "synthetic_traces": tr(
        "Do not let the caller know how close it came. Ask for a card, or for the person to come here."
    ),
    "identity_refused": tr("Once more, with eight seconds of speech. Refused again: use a card or another check."),
    "tolerance_capped": tr("The site allows no higher tolerance: ask its administrator."),
}
"""By the code of a reason."""
_AFTER = {
    "GENUINE": tr("Were the digits said? Tick them at the left."),
    "SYNTHETIC": NEXT_STEPS["synthetic_traces"],
    "DIFFERENT_SPEAKER": NEXT_STEPS["identity_refused"],
    "INCONCLUSIVE": tr("Speak again: eight seconds, near the microphone, in a quiet place."),
}


@dataclass(frozen=True)
class VoiceFinding:
    """One question of a check with its answer: state, word, and what stands behind it."""

    title: str
    state: Meaning
    word: str
    detail: str


def likelihood_words(llr: float, asked: float) -> str:
    """How much likelier the recording is from this person than from another one; ``llr``, ``asked``: nats."""
    if llr >= 0 and asked >= 0:
        return tr("{found} times likelier than not; {asked} is asked.", found=_ratio(llr), asked=_ratio(asked))
    return tr("{found} than not; {asked} is asked.", found=_times(llr), asked=_times(asked))


def _times(llr: float) -> str:
    times = _ratio(llr)
    return tr("{times} times likelier", times=times) if llr >= 0 else tr("{times} times less likely", times=times)


def _ratio(llr: float) -> str:
    """How many times; ``llr``: nats."""
    ratio = math.exp(min(abs(llr), 20.0))
    return number(ratio, ",.0f" if ratio >= 9.5 else ".1f")


def findings(check: SpectralCheck, confirmed: bool | None, gate: float | None) -> list[VoiceFinding]:
    """The questions apart. ``confirmed``: whether the operator says that the digits were said; None: there were none
    (a file). ``gate``: the probability from which on a voice is refused as synthetic; None: not told by the service."""
    return [_same_voice(check), _living(check, gate), _recording(check), _digits(confirmed)]


def _same_voice(check: SpectralCheck) -> VoiceFinding:
    if check.llr is None:
        return VoiceFinding(
            tr("Same voice"), Meaning.IDLE, tr("Not told"), tr("Nobody learns how close a possible clone came.")
        )
    said = likelihood_words(check.llr, check.threshold_llr)
    if check.verdict == "INCONCLUSIVE":
        return VoiceFinding(tr("Same voice"), Meaning.IDLE, tr("Undecided"), said)
    accepted = check.llr >= check.threshold_llr
    return VoiceFinding(tr("Same voice"), *((Meaning.OK, tr("Yes")) if accepted else (Meaning.BAD, tr("No"))), said)


def _living(check: SpectralCheck, gate: float | None) -> VoiceFinding:
    """Whether a person spoke; the limit is named where it is known."""
    chance = check.synthetic_probability
    if chance is None:
        said = tr("Not judged.")
    elif gate is None:
        said = tr("{share} likely to be synthetic.", share=percent_words(chance))
    else:
        share, limit = percent_words(chance), percent_words(gate)
        said = tr("{share} likely to be synthetic. Limit {limit}.", share=share, limit=limit)
    if "synthetic_traces" in check.reasons:
        return VoiceFinding(tr("Living voice"), Meaning.CRIT, tr("No"), said)
    if check.verdict == "INCONCLUSIVE" or chance is None or not check.phase:
        return VoiceFinding(tr("Living voice"), Meaning.IDLE, tr("Undecided"), said)
    return VoiceFinding(tr("Living voice"), Meaning.OK, tr("Yes"), said)


def _recording(check: SpectralCheck) -> VoiceFinding:
    said = tr("{seconds:.1f} s, {quality}.", seconds=check.speech_seconds, quality=quality_words(check.quality))
    if "replayed" in check.reasons:
        return VoiceFinding(tr("Recording"), Meaning.CRIT, tr("Sent before"), tr("Within 24 hours. {said}", said=said))
    wrong = set(check.reasons) - {"identity_accepted", "identity_refused", "synthetic_traces", "tolerance_capped"}
    return VoiceFinding(tr("Recording"), *((Meaning.WARN, tr("Poor")) if wrong else (Meaning.OK, tr("Good"))), said)


def _digits(confirmed: bool | None) -> VoiceFinding:
    if confirmed is None:
        return VoiceFinding(tr("Digits"), Meaning.IDLE, tr("Not asked"), tr("A file: nobody saw who spoke, or when."))
    if confirmed:
        return VoiceFinding(
            tr("Digits"), Meaning.OK, tr("Said"), tr("As you confirmed. The service does not hear them.")
        )
    return VoiceFinding(
        tr("Digits"), Meaning.WARN, tr("Not confirmed"), tr("Tick it if the person said exactly these.")
    )


def quality_words(quality: VoiceQualityReply) -> str:
    """``27 dB over the room, up to 7.1 kHz, no clipping``."""
    found = []
    if quality.snr_db is not None:
        found.append(tr("{level:.0f} dB over the room", level=quality.snr_db))
    if quality.bandwidth_hz is not None:
        found.append(tr("up to {kilohertz:.1f} kHz", kilohertz=quality.bandwidth_hz / 1000))
    found.append(
        tr("{share} cut off", share=percent_words(quality.clipping)) if quality.clipping > 0 else tr("no clipping")
    )
    return ", ".join(found)


def decibels(level: float) -> str:
    """A level under full scale: ``−21 dBFS``."""
    return f"{level:.0f} dBFS".replace("-", "\N{MINUS SIGN}")


def heard_words(quality: VoiceQuality) -> str:
    """What the console itself hears while a recording is made: ``27 dB over the room, no clipping``."""
    said = []
    if math.isfinite(quality.snr_db):
        said.append(tr("{level:.0f} dB over the room", level=quality.snr_db))
    if math.isfinite(quality.clipping):
        said.append(
            tr("{share} cut off", share=percent_words(quality.clipping)) if quality.clipping > 0 else tr("no clipping")
        )
    return ", ".join(said)


def next_step(check: SpectralCheck) -> str:
    """What to do after a verdict: that of the first reason that has one."""
    if check.verdict == "GENUINE" and check.match:
        return _AFTER["GENUINE"]
    found = (NEXT_STEPS[code] for code in check.reasons if code in NEXT_STEPS)
    return next(found, _AFTER[check.verdict])


def speech_words(seconds: float) -> str:
    """Net seconds of speech so far: ``4.2 s of speech``."""
    return tr("{seconds:.1f} s of speech", seconds=seconds)


def refusal_step(failure: Failure, standing: str) -> str:
    """What to do when the service has not judged; ``standing`` is the person's."""
    if failure.unknown:
        return tr("Speak again. This recording may have been judged: sent once more it would count as replayed.")
    if failure.code == "state_conflict":
        return NOT_CHECKED.get(standing, tr("Change to Enrol (Ctrl+Shift+M) and let them speak three times."))
    return failure.next_step


def refusal_state(failure: Failure) -> Meaning:
    """What the want of a verdict means. Who is not enrolled or not checked any more waits for somebody, and an answer
    that was lost is not known: neither has failed."""
    return Meaning.IDLE if failure.unknown or failure.code == "state_conflict" else Meaning.BAD


def scored_spans(check: SpectralCheck, synthetic_from: float) -> tuple[list[ScoredSpan], list[ScoredSpan]]:
    """How alike the pieces of a recording are to the enrolled voice, and how synthetic it is: that is judged of the
    whole. Pieces overlap where they were judged; they are drawn side by side, each up to the middle of an overlap."""

    def span(begin: float, end: float, score: float | None, *, usual: bool) -> ScoredSpan:
        return ScoredSpan(begin, end, score, Meaning.OK if score is None or usual else Meaning.WARN)

    pieces, whole = check.segments, check.synthetic_probability
    if not pieces:
        return [], []
    cuts = [(before.t1 + after.t0) / 2 for before, after in itertools.pairwise(pieces)]
    begins, ends = [pieces[0].t0, *cuts], [*cuts, pieces[-1].t1]
    alike = [
        span(begin, end, one.similarity, usual=(one.similarity or 0) >= HALF)
        for begin, end, one in zip(begins, ends, pieces, strict=True)
    ]
    return alike, [span(begins[0], ends[-1], whole, usual=(whole or 0) < synthetic_from)]


@dataclass(frozen=True)
class MeasureRow:
    """A measured value of the resonance variation, and how far it is from what is usual for living voices."""

    title: str
    measured: str
    z: float | None

    @property
    def usual(self) -> tuple[Meaning, str]:
        """Its shape and word."""
        if self.z is None:
            return Meaning.IDLE, tr("Not known")
        far = abs(self.z)
        if far <= USUAL_Z:
            return Meaning.OK, tr("Usual, {deviations:.1f} from the middle", deviations=far)
        return Meaning.WARN, tr("Unusual, {deviations:.1f} from the middle", deviations=far)

    @property
    def word(self) -> str:
        """What it means, in a word; the bar beside it shows how far it is from the middle."""
        return {Meaning.OK: tr("Usual"), Meaning.WARN: tr("Unusual")}.get(self.usual[0], tr("Not known"))


def measure_rows(check: SpectralCheck) -> list[MeasureRow]:
    """What the verdict on the living voice rests on."""
    found = check.resonance
    return [
        _row(tr("Pitch"), found.f0_hz, _hertz),
        _row(tr("Jitter of the pitch"), found.f0_jitter, lambda jitter: f"{number(100 * jitter, '.1f')} %"),
        _resonances(found.formants),
        _row(
            tr("Breath in the residual"),
            found.residual_kurtosis,
            lambda kurtosis: tr("kurtosis {kurtosis:.1f}", kurtosis=kurtosis),
        ),
        _row(
            tr("Phase between bands"),
            found.coherence,
            lambda coherence: tr("coherence {coherence:.2f}", coherence=coherence),
        ),
        _row(tr("Group delay"), found.group_delay_spread, lambda spread: tr("spread {spread:.2f}", spread=spread)),
    ]


def _resonances(formants: Sequence[VoiceMeasure]) -> MeasureRow:
    """F1 to F3 in one row; the one that is farthest from the usual speaks for all."""
    title = tr("Resonances F1 to F{last}", last=len(formants))
    known = [number(one.value, ",.0f") if one.value is not None else "?" for one in formants]
    far = max((one.z for one in formants if one.z is not None), key=abs, default=None)
    measured = any(one.value is not None for one in formants)
    return MeasureRow(title, f"{', '.join(known)} Hz" if measured else tr("Not measured"), far)


def _hertz(frequency: float) -> str:
    return f"{number(frequency, ',.0f')} Hz"


def _row(title: str, measure: VoiceMeasure, say: Callable[[float], str]) -> MeasureRow:
    return MeasureRow(title, tr("Not measured") if measure.value is None else say(measure.value), measure.z)


def tolerance_words(points: Sequence[ErrorCurvePoint], floor: float, setting: float) -> str:
    """What the curve says at a tolerance."""
    if not points:
        return ""
    rates = rates_at(points, setting)
    shown = [
        tr("under {share}", share=percent_words(floor)) if one < floor else percent_words(one)
        for one in (rates.accepted, rates.refused)
    ]
    return tr(
        "At {tolerance:.2f}, {accepted} of strangers are let in, and the person is sent away {refused} of the time.",
        tolerance=setting,
        accepted=shown[0],
        refused=shown[1],
    )


def passes(curve: VoiceCalibration, llr: float, setting: float) -> bool:
    """Whether a likelihood ratio (nats) is enough at a tolerance."""
    asked = np.interp(setting, [one.tolerance for one in curve.points], [one.threshold_llr for one in curve.points])
    return llr >= float(asked)
