"""What each detector looked for and what came of it, in words with numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.capabilities.media.analysis.judgement import ImageJudgement, TraceOutcome
from app.capabilities.media.messages import FindingCategory, FindingStatus, MediaProvenance, ScanFinding
from app.capabilities.media.verdict.decision import in_percent
from app.capabilities.media.verdict.hard_evidence import LARGEST_LOG10_NFA, HardEvidence, by_chance, is_hash_broken
from app.capabilities.media.verdict.regions import FoundRegion

FIRED_AT: Final = 0.05
"""Share of authentic images with as strong a trace, up to which a detector counts as fired."""
FEWEST_INLIERS: Final = 12
"""Matches of a copy above which it counts as found: 5 of 120 authentic photographs had as many."""
SENTENCE_MAX: Final = 600
"""Characters of a sentence (``app.capabilities.media.messages.Sentence``)."""
_NAMED: Final = 6
"""Regions that a sentence names one by one."""


@dataclass(frozen=True)
class _Detector:
    """``searched``: what was looked for, after "Searched for"; ``unit``: what its strength is; ``number``: what a
    number of the whole image says, if it is there."""

    category: FindingCategory
    searched: str
    unit: str
    number: tuple[str, Callable[[float], str]] | None = None


_STANDS_OUT: Final = "mean of the 2 % of the blocks that stand out most, 0 to 1"
DETECTORS: Final[Mapping[str, _Detector]] = {
    "jpeg_grid": _Detector(
        "compression_history",
        "regions whose 8 px JPEG grid starts elsewhere than that of the image",
        "-log10 of the number of false alarms of the surest region",
    ),
    "copy_move": _Detector(
        "duplication",
        "places that show the same as others, moved, turned, scaled or mirrored",
        "matching details of the largest copy",
    ),
    "ela": _Detector(
        "artifact_variation", "regions that lose more or less under another JPEG compression", _STANDS_OUT
    ),
    "ghost": _Detector(
        "compression_history",
        "regions that were compressed at another quality than the rest",
        _STANDS_OUT,
        ("ghost_quality", lambda quality: f"The image as a whole comes nearest to quality {quality:.0f}."),
    ),
    "quantization": _Detector(
        "compression_history",
        "regions that were compressed once where the rest was compressed twice",
        _STANDS_OUT,
        ("dq_modes", lambda modes: f"{modes:.0f} of 12 coefficients show an earlier compression of the image."),
    ),
    "blocking": _Detector(
        "artifact_variation", "regions whose 8 px pattern of block borders is another or missing", _STANDS_OUT
    ),
    "noise": _Detector(
        "pixel_noise",
        "regions whose noise is another than texture and light explain",
        _STANDS_OUT,
        ("noise_deviation", lambda levels: f"The noise of the image has a deviation of {levels:.2f} grey levels."),
    ),
    "splicebuster": _Detector(
        "pixel_noise", "regions whose noise has other patterns, as that of another camera has", _STANDS_OUT
    ),
    "sharpness": _Detector(
        "fake_boundary", "regions that are sharper or softer than others alike; depth of field does so too", _STANDS_OUT
    ),
    "cfa": _Detector(
        "pixel_noise", "regions without the pattern of a camera's colour filter, or resampled ones", _STANDS_OUT
    ),
}
"""By name, as ``ImageJudgement.traces`` names them."""


def findings_of(
    judgement: ImageJudgement, regions: Sequence[FoundRegion], hard: HardEvidence, provenance: MediaProvenance | None
) -> list[ScanFinding]:
    """One finding of each detector, and of what the file says of its past."""
    traces = {trace.name: trace for trace in judgement.traces}
    found = [_finding(name, traces.get(name), judgement, regions, hard) for name in DETECTORS]
    if provenance is not None:
        found += [_c2pa(provenance), _thumbnail(provenance)]
    return found


def _finding(
    name: str, trace: TraceOutcome | None, judgement: ImageJudgement, regions: Sequence[FoundRegion], hard: HardEvidence
) -> ScanFinding:
    """What one detector says; grids and copies have words of their own."""
    detector = DETECTORS[name]
    searched = f"Searched for {detector.searched}"
    if trace is None:
        why = "The detector gave no result."
        return _make(name, detector, "ERROR", f"{why} Nothing is known of {detector.searched}.", reason=why)
    if trace.not_applicable is not None:
        why = _sentence(trace.not_applicable)
        return _make(name, detector, "NOT_APPLICABLE", f"Not searched: {detector.searched}. {why}", reason=why)
    if name == "jpeg_grid":
        return _grid(detector, searched, judgement, regions, hard)
    if name == "copy_move":
        return _copies(detector, searched, judgement, regions, hard)
    number = ""
    if detector.number is not None and detector.number[0] in judgement.globals:
        number = f" {detector.number[1](judgement.globals[detector.number[0]])}"
    backed = [region for region in regions if name in region.backing]
    rare = trace.p_value is not None and trace.p_value <= FIRED_AT
    fired = rare if trace.p_value is not None else bool(backed)
    how_often = (
        "How often authentic images show as much is not known."
        if trace.p_value is None
        else f"{_percent(trace.p_value)} of authentic images show as much."
    )
    where = "; ".join(f"{region.id} in {100 * region.backing[name]:.0f}" for region in backed[:_NAMED])
    if backed:
        said = f"{searched}: of 100 pairs of a block inside and one elsewhere the one inside stands out more: {where}."
    elif fired:
        said = f"{searched}: single blocks stand out more than in most authentic images, but no region does as a whole."
    else:
        said = f"{searched}: no region stands out."
    return _make(
        name,
        detector,
        "FIRED" if fired else "QUIET",
        f"{said} {how_often}{number}",
        strength=float(trace.strength),
        log10_nfa=trace.log10_nfa,
        p_value=trace.p_value,
        regions=backed,
    )


def _grid(
    detector: _Detector, searched: str, judgement: ImageJudgement, regions: Sequence[FoundRegion], hard: HardEvidence
) -> ScanFinding:
    """The JPEG grids of the image."""
    foreign = [region for region in regions if region.grid is not None]
    sure = [
        region
        for region in foreign
        if region.grid is not None and region.grid.log10_nfa < LARGEST_LOG10_NFA and region.id not in hard.doubts
    ]
    main = judgement.grid.main if judgement.grid is not None else None
    surest = min((region.grid.log10_nfa for region in foreign if region.grid is not None), default=0.0)
    elsewhere = "no grid elsewhere" if main is None else f"{offset_of(main)} elsewhere"
    if sure:
        places = "; ".join(
            f"{offset_of(region.grid.phase)} in {region.id}, {by_chance(region.grid.log10_nfa)}"
            for region in sure[:_NAMED]
            if region.grid is not None
        )
        said = f"The JPEG grid is offset by {places}; {elsewhere}."
    elif foreign:
        why = next(iter(hard.doubts.values()), "Chance may have made it.")
        said = f"{searched}: only {_names(foreign)}, {by_chance(surest)}. {why}"
    elif main is None:
        said = f"{searched}: the image has no JPEG grid, and no region of it has one."
    else:
        said = f"{searched}: every region with a grid has that of the image, offset by {offset_of(main)}."
    return _make(
        "jpeg_grid",
        detector,
        "FIRED" if sure else "QUIET",
        said,
        strength=-surest,
        log10_nfa=surest if foreign else None,
        regions=foreign,
    )


def _copies(
    detector: _Detector, searched: str, judgement: ImageJudgement, regions: Sequence[FoundRegion], hard: HardEvidence
) -> ScanFinding:
    """The copies of the image."""
    placed = [region for region in regions if region.copy is not None]
    most = max((copy.inliers for copy in judgement.copies), default=0)
    sure = [
        region
        for region in placed
        if region.copy is not None and region.copy.inliers > FEWEST_INLIERS and region.id not in hard.doubts
    ]
    if sure:
        pairs = "; ".join(
            f"{region.id} shows the same as {region.partner}, {region.copy.inliers} details match"
            for region in sure
            if region.copy is not None and region.kind == "copy_target"
        )
        said = f"{searched}: {pairs}. Which of two is the original cannot be told."
    elif placed and most > FEWEST_INLIERS:
        said = f"{searched}: {_names(placed)}, {most} details match at most. {next(iter(hard.doubts.values()), '')}"
    elif judgement.copies:
        said = f"{searched}: {most} details match at most; authentic images reach {FEWEST_INLIERS}."
    else:
        said = f"{searched}: no two places match in 8 details or more."
    return _make("copy_move", detector, "FIRED" if sure else "QUIET", said, strength=float(most), regions=placed)


def _c2pa(provenance: MediaProvenance) -> ScanFinding:
    """Content credentials."""
    credentials = provenance.c2pa
    codes = ", ".join(credentials.codes[:_NAMED]) or "none"
    generated = (credentials.digital_source_type or "").lower().endswith("trainedalgorithmicmedia")
    declared = " They declare that a model generated it; that is no manipulation." if generated else ""
    status: FindingStatus = "QUIET"
    reason = None
    if credentials.state == "none":
        status, reason = "NOT_APPLICABLE", "The file carries no content credentials."
        said = f"{reason} Most files carry none: nothing follows from it."
    elif credentials.state == "invalid":
        status = "FIRED"
        broken = "are bound to other bytes" if is_hash_broken(provenance) else "do not hold"
        said = f"The content credentials {broken}; status codes: {codes}."
    elif credentials.state == "trusted":
        said = f"The content credentials hold and are signed by somebody this site trusts.{declared}"
    else:
        said = f"The content credentials hold, but nobody this site trusts signed them: anybody can sign.{declared}"
    detector = _Detector("provenance", "content credentials (C2PA)", "")
    return _make("c2pa", detector, status, said, reason=reason)


def _thumbnail(provenance: MediaProvenance) -> ScanFinding:
    """The thumbnail in EXIF."""
    differs = provenance.exif.thumbnail_mismatch
    detector = _Detector("provenance", "an EXIF thumbnail of another picture", "")
    if differs is None:
        why = "The file carries no EXIF thumbnail."
        return _make("exif", detector, "NOT_APPLICABLE", f"{why} It cannot be compared with the image.", reason=why)
    if differs:
        said = (
            "The EXIF thumbnail shows something else than the image: the image was changed and the thumbnail was not."
        )
        return _make("exif", detector, "FIRED", said)
    return _make("exif", detector, "QUIET", "The EXIF thumbnail was compared with the image: both show the same.")


def offset_of(phase: tuple[int, int]) -> str:
    """A phase, rows and columns mod 8, as people write places: x before y."""
    return f"({phase[1]}, {phase[0]})"


def _names(regions: Sequence[FoundRegion]) -> str:
    more = f" and {len(regions) - _NAMED} more" if len(regions) > _NAMED else ""
    return ", ".join(region.id for region in regions[:_NAMED]) + more


def _percent(share: float) -> str:
    """A share of images, never as none."""
    return f"{in_percent(share)} %" if share >= 0.0001 else "Less than 0.01 %"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."[:SENTENCE_MAX]


def _make(
    name: str,
    detector: _Detector,
    status: FindingStatus,
    explanation: str,
    *,
    reason: str | None = None,
    strength: float | None = None,
    log10_nfa: float | None = None,
    p_value: float | None = None,
    regions: Sequence[FoundRegion] = (),
) -> ScanFinding:
    """A finding, with the unit of its strength."""
    unit = f" Strength: {detector.unit}." if strength is not None else ""
    return ScanFinding(
        detector=name,
        category=detector.category,
        status=status,
        reason=reason,
        strength=strength,
        log10_nfa=log10_nfa,
        p_value=p_value,
        region_ids=[region.id for region in regions],
        explanation=f"{explanation}{unit}"[:SENTENCE_MAX],
    )
