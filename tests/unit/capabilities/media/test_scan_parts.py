"""What scans and feeds say of themselves, by plain values: addresses, files, streams, reports, processors."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.media import jobs
from app.capabilities.media.feeds.excerpt import ExcerptEnd, FeedExcerpt
from app.capabilities.media.feeds.sources import FeedPiece
from app.capabilities.media.feeds.state import FeedState, FeedTimelineEntry
from app.capabilities.media.jobs import parallel_scans, redact
from app.capabilities.media.journal import ScanWork, report_of_feed, status_url, stored_report
from app.capabilities.media.messages import ScanReport
from app.capabilities.media.worker.protocol import ImageFacts, VideoFacts
from app.capabilities.media.worker.workers import ScanAnswer

SHA = "ab" * 32
JPEG = b"\xff\xd8\xff\xe0"
IMAGE = ImageFacts(width=64, height=48, format="WEBP", mode="RGB", sha256=SHA, orientation=6)
VIDEO = VideoFacts(width=320, height=240, format="mov", codec="h264", sha256=SHA, frames=72, duration_s=2.9)


# --- addresses and processors ---


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.example/b.jpg", "https://a.example/b.jpg"),
        ("https://a.example/b.jpg?token=x", "https://a.example/b.jpg?..."),
        ("https://a.example/b.jpg?", "https://a.example/b.jpg?..."),
        ("https://a.example/b.jpg#place?x", "https://a.example/b.jpg"),
        ("https://a.example/b.jpg?token=x#place", "https://a.example/b.jpg?..."),
        ("h" * 2000, "h" * 2000),
        ("h" * 2001, "h" * 2000),
        ("h" * 2001 + "?x", "h" * 2000 + "?..."),
    ],
)
def test_an_address_is_shown_without_its_query(url: str, shown: str) -> None:
    """It may be a secret; nor is what stands behind ``#`` shown, or more than 2000 characters."""
    assert redact(url) == shown


@given(st.text(max_size=60), st.text(min_size=5, max_size=60))
def test_no_query_is_shown(plain: str, secret: str) -> None:
    """Whatever it is."""
    shown = redact(f"https://a.example/?{secret}")
    assert shown == "https://a.example/?..."
    assert len(redact(plain)) <= len(plain) + 3


@pytest.mark.parametrize(("usable", "workers"), [(1, 1), (2, 1), (3, 1), (4, 2), (7, 3), (8, 4), (9, 4), (64, 4)])
def test_half_of_the_processors_scan(usable: int, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One at least, four at most; by what this process may use, and where nothing tells that, by what there is."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(usable)), raising=False)
    assert parallel_scans() == workers
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: usable)
    assert parallel_scans() == workers
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert parallel_scans() == 1


# --- files and streams ---


def excerpt(*bodies: bytes, end: ExcerptEnd = "ended") -> FeedExcerpt:
    """Pictures that came within two seconds."""
    return FeedExcerpt(tuple(FeedPiece("frame", body) for body in bodies), end, 2.0)


@pytest.mark.parametrize("bodies", [(JPEG,), (b"GIF89a", JPEG), (JPEG, b"GIF89a")])
def test_a_single_picture_of_a_stream_is_one(bodies: Sequence[bytes]) -> None:
    """And the first of those that are no JPEG: there is no video of them."""
    media = jobs._motion(excerpt(*bodies, end="broken"), "http://a/")
    assert (media.body, media.final_url, media.mime, media.cut) == (bodies[0], "http://a/", None, None)
    assert media.fetched_us


@pytest.mark.parametrize(
    ("end", "cut"),
    [
        ("ended", None),
        ("seconds", "Only the first half minute of the stream was scanned."),
        ("bytes", "Only the beginning of the stream was scanned: the rest is more than a scan takes."),
        ("pieces", "Only the beginning of the stream was scanned: the rest is more than a scan takes."),
        ("broken", "The stream broke off: what came before was scanned."),
    ],
)
def test_several_pictures_are_a_video_that_says_where_it_was_cut(end: ExcerptEnd, cut: str | None) -> None:
    """Named as the stream was."""
    media = jobs._motion(excerpt(JPEG, JPEG + b"x", end=end), "http://a/")
    assert (media.body[:4], media.mime, media.cut) == (b"RIFF", "multipart/x-mixed-replace", cut)
    assert media.body.count(JPEG) == 2


def result(facts: ImageFacts | VideoFacts, media: jobs._Media, *limits: str) -> jobs.ScanResult:
    """What is written of a file with these facts."""
    answer = ScanAnswer(facts, ScanReport(limits_hit=list(limits)), {"preview": b"png"}, 1.25)
    return jobs._result_of(ScanWork("scan_1", "http://a/b?...", "http://a/b?x"), media, answer)


def test_a_scanned_image_is_told_as_it_was_decoded() -> None:
    """Its format is that of its bytes, and it is one frame."""
    found = result(IMAGE, jobs._Media(b"12345", "http://a/c", 1_000_000))
    media = found.media
    assert (media.url, media.final_url, media.sha256) == ("http://a/b?...", "http://a/c", SHA)
    assert (media.kind, media.mime, media.width, media.height) == ("image", "image/webp", 64, 48)
    assert (media.orientation, media.frames, media.duration_s, media.bytes) == (6, 1, None, 5)
    assert media.fetched_at == "1970-01-01T00:00:01.000000Z"
    assert (found.report.cpu_s, found.pictures) == (1.25, {"preview": b"png"})


def test_a_scanned_video_is_told_with_its_frames() -> None:
    """Of an upload nobody knows an address or when it was fetched."""
    media = result(VIDEO, jobs._Media(b"1234567")).media
    assert (media.kind, media.mime, media.frames, media.duration_s) == ("video", "video/mp4", 72, 2.9)
    assert (media.orientation, media.final_url, media.fetched_at, media.bytes) == (None, None, None, 7)


@pytest.mark.parametrize(("count", "kept"), [(0, 1), (15, 16), (16, 16)])
def test_where_a_stream_was_cut_is_told_first(count: int, kept: int) -> None:
    """Within the sixteen sentences of a report."""
    limits = [f"Limit {number}." for number in range(count)]
    told = result(VIDEO, jobs._Media(b"1", mime="multipart/x-mixed-replace", cut="It was cut."), *limits)
    assert told.report.limits_hit == ["It was cut.", *limits][:kept]
    assert told.media.mime == "multipart/x-mixed-replace"
    assert result(VIDEO, jobs._Media(b"1"), *limits).report.limits_hit == limits


# --- feeds ---


def state(**seen: object) -> FeedState:
    """Of a feed that began at the first second."""
    return FeedState("mjpeg", 0, 10**12, 0, **seen)  # type: ignore[arg-type]


def test_a_feed_s_report_has_what_was_seen() -> None:
    """Verdict and score of the newest look, the timeline of all; what was never fetched counts as dropped."""
    entry = FeedTimelineEntry("finding", 1.5, 2.5, 3, 4, 0.75, "SUSPICIOUS", ("r1", "r2"))
    seen = state(verdict="SUSPICIOUS", score=0.5, worst_score=0.75, dropped=3, missed=4, cpu_s=2.5, timeline=(entry,))
    report = report_of_feed(seen)
    assert (report.verdict, report.score, report.dropped_frames, report.cpu_s) == ("SUSPICIOUS", 0.5, 7, 2.5)
    (told,) = report.timeline
    assert (told.t0, told.t1, told.frame0, told.frame1) == (1.5, 2.5, 3, 4)
    assert (told.kind, told.score, told.region_ids) == ("finding", 0.75, ["r1", "r2"])
    assert report.limits_hit == []


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ({"timeline_lost": 1}, "Older entries of the timeline that are no longer kept: 1."),
        ({"skipped": 2}, "Pieces that were left out, since more would have cost more than the feed's share: 2."),
        ({"unreadable": 3}, "Pieces that could not be decoded: 3."),
    ],
)
def test_a_feed_s_report_says_what_was_not_looked_at(seen: dict[str, int], said: str) -> None:
    """With its number."""
    assert report_of_feed(state(**seen)).limits_hit == [said]


def test_a_scan_without_result_has_an_empty_report() -> None:
    """And an address from the start."""
    assert stored_report(None) == ScanReport()
    assert stored_report('{"score":0.5}').score == 0.5
    assert status_url("scan_1") == "/v1/citadel/defense/radar/scan_1"
