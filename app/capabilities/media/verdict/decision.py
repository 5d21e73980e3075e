"""The verdict: the first rule that holds, and the reasons that say what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.capabilities.media.calibration import ENOUGH, HARDEST, OTHERS, POOLED, FalseAlarmRate
from app.capabilities.media.messages import ScanVerdict
from app.capabilities.media.verdict.hard_evidence import HardEvidence
from app.capabilities.media.verdict.reliability import FEWEST_RELIABLE, Reliability

MANIPULATED_AT: Final = 0.01
SUSPICIOUS_AT: Final = 0.10
AFTER_LIVES: Final = {
    "png": "stored without loss, or nearly so, so that its traces are about as they were made",
    "jpeg": "compressed as JPEG, which weakens the traces",
    "twice": "compressed as JPEG twice, which hides most of the first compression's traces",
    "filtered": "filtered as a whole, which changes noise and sharpness everywhere",
    "resized": "resized, which destroys most traces",
}
"""By ``ImageJudgement.after_life``."""
_MOST_REASONS: Final = 6
_TRUSTED_WIDTH: Final = 0.05


def decide(
    rate: FalseAlarmRate | None, hard: HardEvidence, reliability: Reliability
) -> tuple[ScanVerdict, tuple[str, ...]]:
    """The verdict and what decided it. A rate is taken as its p-value, which holds for a calibration set of any size;
    without one there is no verdict from the score."""
    if hard.reasons:
        left = len(hard.reasons) - _MOST_REASONS
        more = (f"Findings of this kind that are not told here: {left}.",) if left > 0 else ()
        return "MANIPULATED", (*hard.reasons[:_MOST_REASONS], *more)
    if reliability.whole:
        return "INCONCLUSIVE", reliability.whole
    if reliability.share < FEWEST_RELIABLE:
        readable = f"Only {100 * reliability.share:.0f} % of it can be read; the rest is flat, black or white."
        return "INCONCLUSIVE", (f"{readable} At least {100 * FEWEST_RELIABLE:.0f} % are needed.",)
    if rate is None:
        return "INCONCLUSIVE", ("Its score was compared with no authentic images: what it is worth is not known.",)
    of_all = f"{in_percent(rate.p_value)} % of authentic images score as high or higher"
    if rate.p_value <= MANIPULATED_AT:
        return "MANIPULATED", (f"At most {of_all}.",)
    if rate.p_value <= SUSPICIOUS_AT:
        return "SUSPICIOUS", (f"{of_all[:1].upper()}{of_all[1:]}: that is rare, but no proof.",)
    return "AUTHENTIC_CONSISTENT", (
        f"No change was found: {of_all}. An edit that leaves no trace, or lost its traces since, looks the same.",
    )


def worth(
    rate: FalseAlarmRate | None,
    after_life: str,
    hard: HardEvidence,
    reliability: Reliability,
    conversions: Sequence[str],
) -> tuple[str, ...]:
    """What lowers or raises the worth of a verdict, beside what decided it."""
    lived = AFTER_LIVES.get(after_life, "treated in a way that is not known")
    reasons = [f"The file's traces look as if the image was last {lived}."]
    if rate is not None:
        reasons.append(_of_rate(rate, after_life))
    reasons.append(f"{100 * reliability.readable:.0f} % of its blocks are neither flat, black nor white.")
    reasons += (f"{region}: {doubt}" for region, doubt in list(hard.doubts.items())[:2])
    if conversions:
        words = ", ".join(name.replace("_", " ") for name in conversions)
        reasons.append(f"To be read it was converted, which may hide traces: {words}.")
    return tuple(reasons)


def in_percent(share: float) -> str:
    """A share in percent with two significant digits, from 10 on without decimals: ``0.38``, ``9.6``, ``100``."""
    percent = 100 * share
    return f"{percent:.0f}" if percent >= 10 else f"{percent:.2g}"


def _of_rate(rate: FalseAlarmRate, after_life: str) -> str:
    """A rate with its interval, and which images tell it."""
    span = f"{in_percent(rate.low)} to {in_percent(rate.high)} %, with 95 % confidence"
    known = f"Of {rate.size} authentic images {in_percent(rate.rate)} % score as high or higher ({span})."
    if rate.chances > 1:
        known = (
            f"By {rate.size} authentic images {in_percent(rate.rate)} % score as high or higher in one of "
            f"{rate.chances} parts, which this image was judged in ({span})."
        )
    if rate.calibration_set == POOLED and after_life != POOLED:
        return (
            f"{known} They are of all kinds: those of its own ({after_life}) are fewer than {ENOUGH}, or score lower."
        )
    if rate.calibration_set == HARDEST:
        return f"{known} They are of the photographs that are hardest to tell from changed ones."
    if rate.calibration_set == OTHERS:
        return f"{known} They are of a collection of other photographs and cameras than all the rest."
    if rate.high - rate.rate > _TRUSTED_WIDTH:
        return f"{known} That is a wide span: there are few of them."
    return f"{known} All of them are of its own kind ({after_life})."
