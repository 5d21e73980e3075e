"""The page's words for verdicts, detectors, places and provenance."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from app.capabilities.media.messages import (
    FindingCategory,
    FindingStatus,
    Scan,
    ScanFace,
    ScanFinding,
    ScannedMedia,
    ScanRegion,
    ScanStatus,
    ScanSummary,
    ScanVerdict,
    StatedFalseAlarmRate,
    TimelineEntry,
)
from app.console.clock import date_time
from app.console.failures import Failure
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.pages.media.origin import UPLOAD, origin_of
from app.console.pages.media.shown import (
    ShownFinding,
    ShownLayer,
    ShownPlace,
    ShownRate,
    ShownScan,
    ShownVerdict,
)
from app.console.theme.tokens import Meaning, sentence_case
from app.console.widgets.orientation import Box, upright
from app.console.widgets.picture_view import MarkedPlace
from app.console.widgets.rate_scale import percent_words
from app.console.widgets.timeline import TimeSpan, second_words

PAGE = "media"
NUMBERED = 6
"""Places that are numbered in the pictures and stand in the list at first: of more, the numbers hide the picture."""
KIND = "scans"
"""Kind of what an operation of the page changes."""
RADAR = "/v1/citadel/defense/radar"

VERDICTS: Mapping[ScanVerdict, tuple[Meaning, str]] = {
    "MANIPULATED": (Meaning.BAD, tr("Manipulated")),
    "SUSPICIOUS": (Meaning.WARN, tr("Suspicious")),
    "INCONCLUSIVE": (Meaning.IDLE, tr("Cannot tell")),
    "AUTHENTIC_CONSISTENT": (Meaning.IDLE, tr("Nothing found")),
}
"""None is green: that nothing was found does not prove a picture."""
STATUSES: Mapping[ScanStatus, tuple[Meaning, str]] = {
    "QUEUED": (Meaning.IDLE, tr("Waits")),
    "RUNNING": (Meaning.WORK, tr("Scanning")),
    "DEGRADED": (Meaning.WARN, tr("Degraded")),
    "COMPLETED": (Meaning.IDLE, tr("Scanned")),
    "STOPPED": (Meaning.IDLE, tr("Stopped")),
    "FAILED": (Meaning.BAD, tr("Failed")),
}
OVER: frozenset[ScanStatus] = frozenset({"COMPLETED", "STOPPED", "FAILED"})
FINDINGS: Mapping[FindingStatus, tuple[Meaning, str]] = {
    "FIRED": (Meaning.WARN, tr("Fired")),
    "QUIET": (Meaning.IDLE, tr("Quiet")),
    "NOT_APPLICABLE": (Meaning.IDLE, tr("Not applicable")),
    "ERROR": (Meaning.BAD, tr("Error")),
}
_FINDING_ORDER: tuple[FindingStatus, ...] = ("FIRED", "ERROR", "QUIET", "NOT_APPLICABLE")
CATEGORIES: Mapping[FindingCategory, str] = {
    "artifact_variation": tr("Compression traces"),
    "fake_boundary": tr("Borders"),
    "pixel_noise": tr("Noise"),
    "duplication": tr("Copies"),
    "compression_history": tr("Earlier saves"),
    "provenance": tr("Origin"),
    "temporal": tr("Time"),
}
_TRY_LATER = tr("Try again later; if it stays so, look into the service's log.")
_NEXT_STEPS: Mapping[str, str] = {
    "fetch_refused": tr(
        "Look whether the address answers and is public. One on this site needs a row in the registry's media sources."
    ),
    "unsupported_format": tr("Send it as JPEG, PNG, WebP, TIFF, GIF, BMP or a video file."),
    "undecodable": tr("Look whether the file opens elsewhere, and get it anew from where it came from."),
    "poison": tr("Keep the file apart and report it: it ended the processes that read it."),
    "worker_died": tr("Keep the file apart and report it: it ended the process that read it."),
    "too_large": tr("Send a smaller file. Do not scale it down: that destroys the traces."),
    "too_large_to_analyse": tr(
        "Cut out what matters, at the file's own size. Do not scale it: that destroys the traces."
    ),
    "took_too_long": tr("Cut out what matters and send that."),
    "no_worker": _TRY_LATER,
    "no_model": tr("Ask who looks after this machine: nothing is wrong with the file."),
    "not_sandboxed": tr("This system cannot confine a decoder, so nothing is decoded here: see the README."),
}
"""By the code of the failure."""
_NAMES: Mapping[str, str] = {
    "fused": tr("All together"),
    "ela": tr("Error level"),
    "jpeg_grid": tr("JPEG grid"),
    "copy_move": tr("Copied places"),
    "ghost": tr("JPEG ghosts"),
    "quantization": tr("Double compression"),
    "blocking": tr("Block borders"),
    "splicebuster": tr("Noise patterns"),
    "cfa": tr("Colour filter"),
    "c2pa": "C2PA",
    "exif": tr("EXIF thumbnail"),
    "noise": tr("Noise"),
    "sharpness": tr("Sharpness"),
    "temporal_jump": tr("Temporal jump"),
    "local_jump": tr("Local jump"),
    "freeze": tr("Freeze"),
    "frame_duplication": tr("Frame duplication"),
}
"""Of detectors and layers; of others their own name, in the words of the service."""
_NOTES: Mapping[str, str] = {
    "fused": tr("all together"),
    "ela": tr("error level"),
    "jpeg_grid": tr("jpeg grid"),
    "copy_move": tr("copied places"),
    "ghost": tr("jpeg ghosts"),
    "quantization": tr("double compression"),
    "blocking": tr("block borders"),
    "splicebuster": tr("noise patterns"),
    "cfa": tr("colour filter"),
    "noise": tr("noise"),
    "sharpness": tr("sharpness"),
}
"""The same of layers, where they stand in small letters beside a picture."""
_WHOSE: Mapping[str, str] = {"video": tr("of its most striking frame"), "feed": tr("of the newest frame")}
"""By the kind of media, of what else than the whole a score is."""


def with_advice(failure: Failure) -> Failure:
    """A refusal of an address that is not open to scans, with what to do about it; any other says it itself."""
    if failure.next_step or not any("may not be reached" in words for _, words in failure.fields):
        return failure
    return failure._replace(next_step=_NEXT_STEPS["fetch_refused"])


# --- the verdict ------------------------------------------------------------------------------------------------------


def rate_words(rate: StatedFalseAlarmRate | None, score: float | None, whose: str) -> str:
    """What the score is worth; never the score alone. ``whose``: after "The score". Pictures calibrate it, also that
    of a frame."""
    if score is None:
        return ""
    if rate is None:
        return tr("Score {score:.2f}; no calibration tells how often untouched pictures score as high.", score=score)
    low, high = rate.ci95
    return tr(
        "The score {whose}, {score:.2f}, is met by {rate} of untouched pictures of this size (95 %: {low} to {high}).",
        whose=whose,
        score=score,
        rate=percent_words(rate.at_this_score),
        low=percent_words(low),
        high=percent_words(high),
    )


def verdict_of(scan: Scan, elapsed_s: float = 0.0) -> ShownVerdict:
    """The line that is read first. ``elapsed_s``: since a scan that runs was asked for."""
    if scan.verdict is None:
        return _without_result(scan, elapsed_s)
    state, word = VERDICTS[scan.verdict]
    named = _naming(scan)
    rate = rate_words(scan.false_alarm_rate, scan.score, _WHOSE.get(scan.media.kind or "image", tr("alone")))
    if scan.verdict == "INCONCLUSIVE":
        reasons = " ".join(named(one) for one in _reasons(scan)[:1])
        return ShownVerdict(state, word, tr("Too little of it can be judged."), f"{reasons} {rate}".strip())
    if scan.verdict == "AUTHENTIC_CONSISTENT":
        return ShownVerdict(
            state, word, tr("No trace of a manipulation, which does not prove that there is none."), rate
        )
    first = scan.confidence_reasons[0] if scan.confidence_reasons else tr("Places differ from the rest.")
    return ShownVerdict(state, word, named(first), rate)


def _reasons(scan: Scan) -> list[str]:
    """What decided it and what lowers its worth, without the rate, which is told apart."""
    rate = scan.false_alarm_rate
    told = "" if rate is None else f"{rate.n} authentic images"
    return [one for one in scan.confidence_reasons if not told or told not in one]


def _naming(scan: Scan) -> Callable[[str], str]:
    """Puts the page's names into the service's sentences: ``r2`` is place 2, ``jpeg_grid:`` is JPEG grid."""
    numbers = {region.id: tr("place {number}", number=at) for at, region in enumerate(scan.regions, start=1)}
    detectors = {finding.detector for finding in scan.findings}

    def name(found: re.Match[str]) -> str:
        word, colon = found[1], found[2]
        if word in numbers:
            return numbers[word] + colon
        return detector_word(word) + colon if colon and word in detectors else found[0]

    def put_names(text: str) -> str:
        words = re.sub(r"\b([a-z][a-z0-9_]*)\b(:?)", name, text)
        return words[:1].upper() + words[1:]

    return put_names


def _without_result(scan: Scan, elapsed_s: float) -> ShownVerdict:
    """Of a scan that waits, runs, failed or was stopped before there was a result."""
    state, word = STATUSES[scan.status]
    if scan.status == "FAILED":
        code = scan.failure.code if scan.failure else ""
        detail = scan.failure.detail if scan.failure else tr("The scan failed.")
        return ShownVerdict(state, word, detail, _NEXT_STEPS.get(code, _TRY_LATER))
    if scan.status == "COMPLETED":
        sentence = tr("The file was read, but nothing judged it.")
        return ShownVerdict(state, tr("No result"), sentence, tr("This site has no model that judges such a file."))
    if scan.status == "STOPPED":
        return ShownVerdict(state, word, tr("It was stopped before there was a result."))
    again = (
        tr(" This is attempt {attempt}: the service ended while it ran.", attempt=scan.attempt)
        if scan.attempt > 1
        else ""
    )
    after = tr("Asked for {time} ago.", time=second_words(math.floor(elapsed_s)))
    if scan.status == "QUEUED":
        return ShownVerdict(state, word, tr("Other scans are in work before it."), after + again)
    if scan.continuous_feed_scan:
        return ShownVerdict(state, tr("Watching"), tr("No frame of the feed has been judged yet."), after + again)
    return ShownVerdict(state, word, tr("Fetching, decoding and judging."), after + again)


def row_words(scan: ScanSummary) -> tuple[Meaning, str]:
    """State and word of a scan in a list: its verdict where there is one."""
    if scan.verdict is not None and scan.status not in ("FAILED", "DEGRADED"):
        return VERDICTS[scan.verdict]
    if scan.continuous_feed_scan and scan.status == "RUNNING":
        return Meaning.WORK, tr("Watching")
    return STATUSES[scan.status]


# --- what was found ---------------------------------------------------------------------------------------------------


def chance_words(log10_nfa: float | None, p_value: float | None = None) -> str:
    """How often chance alone would give this: a number of false alarms, or a p-value; empty where none is told."""
    if log10_nfa is not None:
        return (
            tr("Chance alone would give as much.")
            if log10_nfa >= 0
            else tr("By chance in {share} pictures", share=_one_of(-log10_nfa))
        )
    if p_value is not None:
        return tr("By chance in {share}", share=_one_of(-math.log10(p_value))) if p_value > 0 else tr("Not by chance")
    return ""


def _one_of(power: float) -> str:
    """``1 of 1,000,000``; beyond a thousand million as a power of ten."""
    return (
        tr("1 of 10^{power:.0f}", power=min(power, 1000000000.0))
        if power > 9
        else tr("1 of {count}", count=_two_figures(10**power))
    )


def _two_figures(value: float) -> str:
    """Two figures of a count; small ones whole."""
    power = 10 ** max(0, math.floor(math.log10(max(value, 1))) - 1)
    return number(round(value / power) * power, ",")


_PLACES = (
    (tr("Upper left"), tr("Above the middle"), tr("Upper right")),
    (tr("Left of the middle"), tr("In the middle"), tr("Right of the middle")),
    (tr("Lower left"), tr("Below the middle"), tr("Lower right")),
)
_PLACES_INSIDE = (
    (tr("upper left"), tr("above the middle"), tr("upper right")),
    (tr("left of the middle"), tr("in the middle"), tr("right of the middle")),
    (tr("lower left"), tr("below the middle"), tr("lower right")),
)
"""Inside a sentence."""


def place_words(x: float, y: float, *, inside: bool = False) -> str:
    """Where a point of the picture is, in shares of it: ``Upper left``, ``Right of the middle``. ``inside``: as a part
    of a sentence, ``upper left``."""
    column = 0 if x < 0.36 else 2 if x > 0.64 else 1
    row = 0 if y < 0.36 else 2 if y > 0.64 else 1
    return (_PLACES_INSIDE if inside else _PLACES)[row][column]


def detector_word(name: str) -> str:
    """A detector as people read it."""
    return _NAMES.get(name, sentence_case(name))


def _note(layer: str) -> str:
    """A layer in small letters."""
    return _NOTES.get(layer, detector_word(layer).lower())


def strongest(regions: Sequence[ScanRegion]) -> list[ScanRegion]:
    """Places by how much they weigh: those that chance explains least, then those with the highest score."""
    return sorted(regions, key=lambda one: (0.0 if one.log10_nfa is None else one.log10_nfa, -one.score))


def _inside(detector: str) -> str:
    """A detector within a sentence: in small letters, but for what is an abbreviation."""
    word = detector_word(detector)
    return word if any(letter.isupper() for letter in word[1:]) else _note(detector)


def _place(at: int, region: ScanRegion, scan: Scan, *, weak: bool) -> ShownPlace:
    """A region with its evidence in words."""
    media, named = scan.media, _naming(scan)
    wide, high = max(media.width or 0, 1), max(media.height or 0, 1)
    turn = upright(media.orientation)
    box = _box(region.bbox, media)
    middle = (box[0] + box[2] / 2, box[1] + box[3] / 2)
    told = [named(one) for one in region.evidence] or [
        tr("Seen by: {detectors}.", detectors=", ".join(map(detector_word, region.detectors)))
    ]
    if region.face_id is not None:
        told.append(tr("It covers the face {tag}.", tag=region.face_id.upper()))
    told.append(tr("{share} of the picture.", share=percent_words(region.area / (wide * high))))
    copied = region.kind in ("copy_source", "copy_target")
    hard = copied or (region.log10_nfa is not None and region.log10_nfa < -2)
    chance = chance_words(region.log10_nfa)
    if not chance:
        other = tr("Two places show the same") if copied else tr("Map inside: {score:.2f} of 1", score=region.score)
        chance = tr("{evidence}; it has no rate of its own", evidence=other)
    title, where = place_words(*middle), place_words(*middle, inside=True)
    if region.frame is not None:
        title = tr("{where}, frame {frame:,}", where=title, frame=region.frame)
        where = tr("{where}, frame {frame:,}", where=where, frame=region.frame)
    mark = MarkedPlace(
        region.id,
        str(at),
        box,
        tuple(turn.point(x / wide, y / high) for x, y in region.polygon),
        tr("place {number}, {where}", number=at, where=where),
    )
    return ShownPlace(mark, title, " ".join(told), Meaning.BAD if hard else Meaning.WARN, chance, weak=weak)


def _box(bbox: Sequence[int], media: ScannedMedia) -> Box:
    """A box in pixels of the file as shares of the picture that is shown."""
    wide, high = max(media.width or 0, 1), max(media.height or 0, 1)
    left, top, width, height = bbox
    return upright(media.orientation).box((left / wide, top / high, width / wide, height / high))


def _face(face: ScanFace, scan: Scan) -> ShownPlace:
    """A face with what sets it apart from its ring, in words."""
    box = _box(face.bbox, scan.media)
    where = place_words(box[0] + box[2] / 2, box[1] + box[3] / 2, inside=True)
    known = [
        f"{word} {'+' if value >= 0 else '-'}{number(abs(value), '.1f')}"
        for word, value in (
            (tr("noise"), face.inside_vs_ring.noise),
            (tr("sharpness"), face.inside_vs_ring.sharpness),
            (tr("JPEG ghost"), face.inside_vs_ring.ghost),
        )
        if value is not None
    ]
    told = (
        tr("Inside against around it, in deviations: {known}.", known=", ".join(known))
        if known
        else tr("Too little of it can be read.")
    )
    over = [at for at, one in enumerate(scan.regions, start=1) if one.face_id == face.id]
    if over:
        covers = tr(" and ").join(tr("place {number}", number=at) for at in over)
        told += tr(" It is covered by {places}.", places=covers)
    tag = face.id.upper()
    mark = MarkedPlace(face.id, tag, box, words=tr("face {tag}, {where}", tag=tag, where=where), oval=True)
    title = tr("Face, {where}", where=where)
    return ShownPlace(mark, title, told, Meaning.IDLE, tr("A face is no finding"), face=True)


def _finding(finding: ScanFinding, named: Callable[[str], str]) -> ShownFinding:
    """What one detector says, in words."""
    state, word = FINDINGS[finding.status]
    explanation = finding.explanation
    if finding.reason and finding.reason not in explanation:
        explanation = f"{finding.reason} {explanation}".strip()
    return ShownFinding(
        finding.detector,
        detector_word(finding.detector),
        CATEGORIES[finding.category],
        state,
        word,
        chance_words(finding.log10_nfa, finding.p_value),
        named(explanation),
        fired=finding.status == "FIRED",
    )


def _search_words(scan: Scan) -> tuple[str, ...]:
    """What was looked for and not found, and what could not be looked for."""
    names: dict[FindingStatus, list[str]] = {}
    for one in scan.findings:
        names.setdefault(one.status, []).append(_inside(one.detector))
    blind = [*names.get("NOT_APPLICABLE", ()), *names.get("ERROR", ())]
    told, last = [], []
    if quiet := names.get("QUIET"):
        told.append(tr("Not found: {what}.", what=", ".join(quiet)))
    if blind:
        last.append(tr("Could not look: {what}.", what=", ".join(blind)))
    if scan.reliability_map is not None:
        last.append(tr("{share} of the area was judged.", share=percent_words(scan.reliability_map.share)))
    return (*told, " ".join(last)) if last else tuple(told)


def _span(entry: TimelineEntry) -> TimeSpan:
    """A stretch of a recording in words."""
    when = (
        second_words(entry.t0)
        if entry.t1 <= entry.t0
        else tr("{start} to {end}", start=second_words(entry.t0), end=second_words(entry.t1))
    )
    if entry.kind == "finding":
        by = detector_word(entry.detector) if entry.detector else tr("Finding")
        score = "" if entry.score is None else tr(" Score {score:.2f}.", score=entry.score)
        return TimeSpan(entry.t0, entry.t1, Meaning.WARN, f"{when}: {entry.explanation or f'{by}.'}{score}")
    word = (
        tr("nothing was read")
        if entry.kind == "gap"
        else tr("frames were dropped: they came faster than they are scanned")
    )
    return TimeSpan(entry.t0, entry.t1, None, f"{when}: {entry.explanation or word}")


# --- the whole --------------------------------------------------------------------------------------------------------


def name_of(url: str) -> str:
    """The last part of an address without its query; the host where there is none."""
    if url.startswith(UPLOAD):
        return url.removeprefix(UPLOAD)
    path = url.partition("?")[0].partition("#")[0].rstrip("/")
    return path.rpartition("/")[2] or path


def _facts(scan: Scan) -> str:
    """The file in one line."""
    media = scan.media
    parts = []
    if media.width and media.height:
        parts.append(f"{number(media.width, ',')} x {number(media.height, ',')}")
    if media.mime:
        parts.append(media.mime.rpartition("/")[2].upper())
    if media.bytes:
        parts.append(f"{number(media.bytes / 1000, ',.0f')} kB")
    if media.duration_s:
        parts.append(second_words(media.duration_s))
    if media.frames and media.kind != "image":
        parts.append(tr("{count:,} frames read", count=media.frames))
    if scan.dropped_frames:
        parts.append(tr("{count:,} dropped", count=scan.dropped_frames))
    if scan.finished_at:
        parts.append(tr("scanned {time}", time=date_time(parse_time(scan.finished_at))))
    if scan.training:
        parts.append("TRAINING")
    return ", ".join(parts)


def _rate(rate: StatedFalseAlarmRate | None) -> ShownRate | None:
    """A rate with what it was measured on."""
    if rate is None:
        return None
    low, high = rate.ci95
    named = rate.calibration_set.replace("_", " ")
    known = {
        "pooled": tr("of every after-life together"),
        "hardest": tr("of the photographs that score highest"),
        "others": tr("of other photographs and cameras than all the rest"),
    }
    of = known.get(rate.calibration_set, tr('of the after-life "{name}", as this one', name=named))
    words = tr(
        "{rate} of untouched pictures of this size score as high (95 %: {low} to {high}): measured on "
        "{count:,} untouched pictures {of}; no training saw them.",
        rate=percent_words(rate.at_this_score),
        low=percent_words(low),
        high=percent_words(high),
        count=rate.n,
        of=of,
    )
    return ShownRate(rate.at_this_score, low, high, words)


def _trust(scan: Scan, newest_model: str) -> str:
    """What lowers the worth of the result."""
    told: list[str] = []
    named = _naming(scan)
    # What decided it is read first already.
    if scan.verdict is not None:
        first = 0 if scan.verdict == "AUTHENTIC_CONSISTENT" else 1
        told += [named(one) for one in _reasons(scan)[first:]]
    told += scan.limits_hit
    if turn := upright(scan.media.orientation).words:
        told.append(tr("The pictures are shown {turn}, as EXIF says; it was judged as it is stored.", turn=turn))
    if scan.model_version:
        told.append(tr("Model {model}.", model=scan.model_version))
        if newest_model not in ("", scan.model_version):
            told.append(tr("STALE: newer scans here are judged by {model}. Scan it again.", model=newest_model))
    return " ".join(told)


def scan_words(scan: Scan, elapsed_s: float = 0.0, *, newest_model: str = "") -> ShownScan:
    """A scan as the page shows it. ``newest_model``: version of the model that judges now, as far as it is known."""
    layers = [one.name for one in (scan.heatmap, *scan.layers) if one is not None and one.name != "preview"]
    findings = sorted(scan.findings, key=lambda one: _FINDING_ORDER.index(one.status))
    weak = {one.id for one in strongest(scan.regions)[NUMBERED:]}
    return ShownScan(
        scan_id=scan.scan_id,
        title=name_of(scan.media.url),
        facts=_facts(scan),
        verdict=verdict_of(scan, elapsed_s),
        finished=scan.status in OVER,
        places=(
            *(_place(at, one, scan, weak=one.id in weak) for at, one in enumerate(scan.regions, start=1)),
            *(_face(one, scan) for one in scan.faces),
        ),
        looked=_search_words(scan),
        findings=tuple(_finding(one, _naming(scan)) for one in findings),
        layers=tuple(ShownLayer(one, detector_word(one), _note(one)) for one in dict.fromkeys(layers)),
        rate=_rate(scan.false_alarm_rate),
        trust=_trust(scan, newest_model),
        origin=origin_of(scan.media, scan.provenance),
        width=(scan.media.height if upright(scan.media.orientation).swaps else scan.media.width) or 0,
        turn=upright(scan.media.orientation).words,
        length_s=scan.media.duration_s or max((one.t1 for one in scan.timeline), default=0.0),
        spans=tuple(map(_span, scan.timeline)),
    )
