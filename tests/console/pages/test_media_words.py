"""What the media page says of a scan, and what stands on its paper."""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from io import BytesIO

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.capabilities.media.messages import MediaKind, ScanFailure, TimelineEntry
from app.console.failures import Failure
from app.console.pages.media.paper import BundleRefused, read_bundle, scan_paper
from app.console.pages.media.words import (
    chance_words,
    name_of,
    place_words,
    scan_words,
    strongest,
    verdict_of,
    with_advice,
)
from app.console.theme.tokens import Meaning
from tests.console.pages.media_scans import SHA, bundle, layers, manipulated, without_result


def text_of(pdf: bytes) -> str:
    """What pdftotext reads, in one line; a thread asks it, because the console's tests start no process themselves."""
    command = ["pdftotext", "-", "-"]
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(subprocess.run, command, input=pdf, capture_output=True, check=True).result()
    return " ".join(done.stdout.decode().split())


def test_a_verdict_never_stands_without_its_rate() -> None:
    """State, word, what decided it, and how often untouched pictures score as high."""
    shown = verdict_of(manipulated())
    assert (shown.state, shown.word) == (Meaning.BAD, "Manipulated")
    assert shown.sentence == "Place 1 was put in after an earlier save."
    assert "The score alone, 0.71, is met by 4 % of untouched pictures of this size (95 %: 3 % to 6 %)" in shown.detail


@pytest.mark.parametrize(
    ("kind", "whose"),
    [("image", "alone"), ("video", "of its most striking frame"), ("feed", "of the newest frame"), (None, "alone")],
)
def test_the_rate_of_a_frame_is_that_of_pictures(kind: MediaKind | None, whose: str) -> None:
    """No videos and no feeds calibrate a score, and none are claimed."""
    scan = manipulated()
    scan.media.kind = kind
    assert f"The score {whose}, 0.71, is met by 4 % of untouched pictures" in verdict_of(scan).detail


def test_an_address_that_is_not_open_has_its_advice() -> None:
    """To list it; of another scheme the refusal itself says what is taken."""
    closed = Failure("invalid_body", "x", fields=(("/media_target_url", "The URL's port may not be reached."),))
    assert "media sources" in with_advice(closed).next_step
    scheme = Failure("invalid_body", "x", fields=(("/media_target_url", "Media are read over http:// alone."),))
    assert with_advice(scheme).next_step == ""


def test_a_score_without_calibration_says_so() -> None:
    """Instead of a percentage."""
    detail = verdict_of(manipulated(false_alarm_rate=None)).detail
    assert "no calibration tells" in detail
    assert "%" not in detail


def test_nothing_found_is_not_green() -> None:
    """It proves nothing, and says so; nor is what cannot be told."""
    nothing = verdict_of(manipulated(verdict="AUTHENTIC_CONSISTENT"))
    unsure = verdict_of(manipulated(verdict="INCONCLUSIVE", confidence_reasons=["Only 41 % can be judged."]))
    assert {nothing.state, unsure.state} == {Meaning.IDLE}
    assert "does not prove" in nothing.sentence
    assert "Only 41 % can be judged." in unsure.detail


def test_what_decided_it_stands_in_front_and_the_rest_where_it_is_weighed() -> None:
    """Every reason once: a line of four sentences is read by nobody."""
    scan = manipulated(verdict="INCONCLUSIVE", confidence_reasons=["Only 41 % can be judged.", "It was resized."])
    assert "Only 41 %" in verdict_of(scan).detail
    assert "It was resized." not in verdict_of(scan).detail
    trust = scan_words(scan).trust
    assert "It was resized." in trust
    assert "Only 41 %" not in trust


def test_abbreviations_keep_their_capitals() -> None:
    """Within a sentence, too."""
    quiet = [
        msgspec.structs.replace(manipulated().findings[0], detector=name) for name in ("jpeg_grid", "noise", "c2pa")
    ]
    assert scan_words(manipulated(findings=quiet)).looked[0] == "Not found: JPEG grid, noise, C2PA."


def test_places_weigh_by_chance_then_by_score() -> None:
    """What chance explains least comes first, whatever its score is."""
    first, second = manipulated().regions
    third = msgspec.structs.replace(second, id="r3", score=0.95)
    assert [one.id for one in strongest([second, third, first])] == ["r1", "r3", "r2"]


def test_a_failure_says_what_to_do() -> None:
    """By its code; one that the console does not know, too."""
    for code, advice in (("fetch_refused", "media sources"), ("poison", "report it"), ("new_code", "Try again")):
        failed = without_result(status="FAILED", failure=ScanFailure(code=code, detail="It failed."))
        shown = verdict_of(failed)
        assert (shown.state, shown.sentence) == (Meaning.BAD, "It failed.")
        assert advice in shown.detail


def test_a_scan_that_runs_tells_its_time_and_attempt() -> None:
    """Work of ours: an arc, the seconds, and that the service ended meanwhile."""
    shown = verdict_of(without_result(attempt=2), 75.4)
    assert (shown.state, shown.word) == (Meaning.WORK, "Scanning")
    assert "1:15 ago" in shown.detail
    assert "attempt 2" in shown.detail


def test_a_place_has_its_evidence_and_its_chance() -> None:
    """Where it is, what was measured there, and how often that comes by chance; one without a rate says so."""
    first, second = scan_words(manipulated()).places
    assert (first.title, first.state) == ("Right of the middle", Meaning.BAD)
    assert first.evidence == "JPEG grid offset (3,5) here, (0,0) elsewhere. 3.7 % of the picture."
    assert first.chance == "By chance in 1 of 1,000,000 pictures"
    assert (second.title, second.state) == ("Lower left", Meaning.WARN)
    assert second.evidence.startswith("Seen by: Noise.")
    assert "no rate of its own" in second.chance


def test_places_and_detectors_have_the_names_of_the_page() -> None:
    """In the service's sentences, too: nobody reads r2, or a name with an underscore."""
    scan = manipulated(confidence_reasons=["r2 shows the same as r1: 93 details match.", "jpeg_grid: it stands out."])
    assert verdict_of(scan).sentence == "Place 2 shows the same as place 1: 93 details match."
    assert "JPEG grid: it stands out." in scan_words(scan).trust


def test_findings_stand_in_the_order_of_their_weight() -> None:
    """What fired first, then errors; each reason is told."""
    found = scan_words(manipulated()).findings
    assert [one.word for one in found] == ["Fired", "Error", "Quiet", "Not applicable"]
    assert found[3].explanation.startswith("The picture is no JPEG.")


def test_origin_is_told_as_the_file_says_it() -> None:
    """A broken credential with its code, the editor, the thumbnail."""
    told = dict(scan_words(manipulated()).origin)
    assert told["c2pa"] == "broken (assertion.dataHash.mismatch)"
    assert told["thumbnail"] == "shows something else"
    assert told["sha256"] == SHA


def test_a_result_of_an_older_model_is_stale() -> None:
    """It says that newer scans are judged by another one."""
    assert "STALE" in scan_words(manipulated(), newest_model="m2").trust
    assert "STALE" not in scan_words(manipulated(), newest_model="m1-abc").trust


def test_a_recording_has_its_findings_and_gaps() -> None:
    """In its time, in words."""
    entries = [
        TimelineEntry(t0=2.0, t1=4.5, kind="finding", explanation="A piece was put in.", score=0.8),
        TimelineEntry(t0=9.0, t1=11.0, kind="dropped"),
    ]
    found, dropped = scan_words(manipulated(timeline=entries)).spans
    assert (found.state, found.words) == (Meaning.WARN, "0:02 to 0:04.5: A piece was put in. Score 0.80.")
    assert dropped.state is None


@given(st.floats(-1e9, 1e9) | st.none(), st.floats(0, 1) | st.none())
def test_every_chance_has_words(log10_nfa: float | None, p_value: float | None) -> None:
    """Of any size; none only where none is told."""
    assert bool(chance_words(log10_nfa, p_value)) is (log10_nfa is not None or p_value is not None)


@given(st.floats(0, 1), st.floats(0, 1))
def test_every_point_has_a_place(x: float, y: float) -> None:
    """One of nine."""
    assert "middle" in place_words(x, y) or place_words(x, y).split()[0] in ("Upper", "Lower")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://media.example/a/house.jpg?...", "house.jpg"),
        ("upload:a house?.png", "a house?.png"),
        ("https://media.example/", "media.example"),
    ],
)
def test_a_scan_is_named_by_its_file(url: str, name: str) -> None:
    """Or by its host where the address ends there."""
    assert name_of(url) == name


def test_the_paper_says_what_the_bundle_says_and_how_it_is_checked() -> None:
    """Verdict, rate, places, origin, the bundle's and the pictures' SHA-256, the command that verifies."""
    data = bundle()
    content = read_bundle(data)
    text = text_of(scan_paper(content, {"Source": layers()["preview"]}, datetime(2026, 3, 1, tzinfo=UTC)))
    for words in (
        "Manipulated Place 1 was put in after an earlier save.",
        "4 % of untouched pictures of this size (95 %: 3 % to 6 %)",
        "JPEG grid offset (3,5) here",
        "assertion.dataHash.mismatch",
        hashlib.sha256(data).hexdigest(),
        hashlib.sha256(layers()["fused"]).hexdigest(),
        "arc-console verify",
        "TRAINING",
    ):
        assert words in text


def test_a_bundle_gives_its_scan_and_its_layers() -> None:
    """Those that the site put in."""
    content = read_bundle(bundle())
    assert content.scan == manipulated()
    assert content.layers == layers()


@given(st.binary(max_size=200), st.integers(0, 4000))
def test_a_broken_bundle_is_refused(noise: bytes, at: int) -> None:
    """Bytes of any kind are a bundle, or BundleRefused and nothing else."""
    whole = bundle()
    for data in (noise, whole[:at] + noise + whole[at + len(noise) :], whole[: len(whole) - at]):
        try:
            read_bundle(data)
        except BundleRefused:
            continue


@settings(max_examples=20)
@given(st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_a_report_of_another_shape_is_refused(value: object) -> None:
    """Well-formed JSON that is no scan."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("scan.json", msgspec.json.encode(value))
    with pytest.raises(BundleRefused):
        read_bundle(file.getvalue())


@pytest.mark.parametrize(
    ("log10_nfa", "words"),
    [
        (0.0, "Chance alone would give as much."),
        (0.5, "Chance alone would give as much."),
        (-0.7, "By chance in 1 of 5 pictures"),
        (-1.2, "By chance in 1 of 16 pictures"),
        (-6.0, "By chance in 1 of 1,000,000 pictures"),
        (-12.0, "By chance in 1 of 10^12 pictures"),
    ],
)
def test_a_chance_has_two_figures_and_small_ones_are_whole(log10_nfa: float, words: str) -> None:
    """Where chance alone gives at least one place a picture, no share is told."""
    assert chance_words(log10_nfa) == words


@pytest.mark.parametrize(("log10_nfa", "state"), [(-2.5, Meaning.BAD), (-2.0, Meaning.WARN), (None, Meaning.WARN)])
def test_a_place_is_red_only_where_chance_gives_it_in_less_than_one_picture_of_a_hundred(
    log10_nfa: float | None, state: Meaning
) -> None:
    """Others are looked at."""
    place = msgspec.structs.replace(manipulated().regions[0], log10_nfa=log10_nfa)
    assert [one.state for one in scan_words(manipulated(regions=[place])).places] == [state]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"status": "QUEUED"}, "Other scans are in work before it."),
        ({"status": "RUNNING"}, "Fetching, decoding and judging."),
        ({"status": "RUNNING", "continuous_feed_scan": True}, "No frame of the feed has been judged yet."),
    ],
)
def test_a_scan_that_is_not_over_says_what_it_waits_for(changes: dict[str, object], sentence: str) -> None:
    """Its turn, its own work, or a frame."""
    assert verdict_of(without_result(**changes)).sentence == sentence


def test_the_paper_says_when_a_scan_ended() -> None:
    """The moment of the service, not that nothing has come yet."""
    text = text_of(scan_paper(read_bundle(bundle()), {}, datetime(2026, 3, 1, 12, 0, tzinfo=UTC)))
    assert "2026-03-01T10:00:03.000000Z" in text
    assert "not yet" not in text
