"""The queue of a batch."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from app.console.pages.media.scan_queue import AT_ONCE, OVER, QueueStage, ScanQueue, media_in


def test_entries_are_begun_in_their_order_and_few_at_a_time() -> None:
    """The next one begins when one has ended."""
    queue = ScanQueue()
    queue.add([f"https://example.org/{name}.png" for name in "abcd"])
    begun = [one for _ in range(4) if (one := queue.begin_next())]
    assert [one.name for one in begun] == ["a.png", "b.png"]
    queue.finish(begun[0].key, "Manipulated")
    assert (following := queue.begin_next()) is not None
    assert following.name == "c.png"


def test_a_source_stands_once_in_the_work() -> None:
    """What waits already is left out and counted; what is over may come again."""
    queue = ScanQueue()
    (entry,), _ = queue.add([Path("/x/a.png")])
    assert queue.add([Path("/x/a.png"), Path("/x/b.png")])[1] == 1
    queue.begin_next()
    queue.fail(entry.key, "It is no picture.")
    assert queue.add([Path("/x/a.png")])[1] == 0


def test_a_paused_queue_begins_nothing() -> None:
    """What has begun goes on."""
    queue = ScanQueue()
    queue.add(["https://example.org/a", "https://example.org/b"])
    first = queue.begin_next()
    queue.paused = True
    assert queue.begin_next() is None
    assert first is not None
    assert first.stage is QueueStage.SCANNING


def test_what_failed_keeps_its_reason_and_can_be_tried_again() -> None:
    """Also when the finished ones are cleared away."""
    queue = ScanQueue()
    (bad, good), _ = queue.add(["https://example.org/a", "https://example.org/b"])
    queue.begin_next()
    queue.begin_next()
    queue.fail(bad.key, "It was not found.")
    queue.finish(good.key, "Nothing found")
    queue.forget_finished()
    assert [(one.key, one.reason) for one in queue.entries] == [(bad.key, "It was not found.")]
    assert queue.retry(bad.key)
    assert bad.stage is QueueStage.WAITS


@given(st.lists(st.sampled_from(["add", "begin", "end", "fail", "cancel", "retry", "pause", "clear"]), max_size=40))
def test_the_queue_never_does_too_much(hands: list[str]) -> None:
    """Whatever is done to it: few are scanned at a time, and what is over stays as it ended until it is tried again."""
    queue = ScanQueue()
    for number, hand in enumerate(hands):
        over = {one.key: one.stage for one in queue.entries if one.stage in OVER}
        running = [one.key for one in queue.entries if one.stage is QueueStage.SCANNING]
        some = queue.entries[0].key if queue.entries else ""
        match hand:
            case "add":
                queue.add([f"https://example.org/{number}"])
            case "begin":
                queue.begin_next()
            case "end" if running:
                queue.finish(running[0], "Nothing found")
            case "fail" if running:
                queue.fail(running[0], "It failed.")
            case "cancel":
                queue.cancel([some])
            case "retry":
                queue.retry(some)
                over.pop(some, None)
            case "pause":
                queue.paused = not queue.paused
            case "clear":
                queue.forget_finished()
        assert queue.count(QueueStage.SCANNING) <= AT_ONCE
        there = {one.key: one.stage for one in queue.entries}
        assert all(there.get(key, stage) is stage for key, stage in over.items())


def test_cancel_names_the_scans_that_had_begun() -> None:
    """The page stops asking for them."""
    queue = ScanQueue()
    queue.add(["https://example.org/a", "https://example.org/b", "https://example.org/c"])
    first, second = queue.begin_next(), queue.begin_next()
    assert queue.cancel() == [first, second]
    assert queue.count(QueueStage.CANCELLED) == 3
    assert not queue.running


def test_a_folder_gives_its_media(tmp_path: Path) -> None:
    """With what lies below it, by name; other files are counted, hidden ones are not looked at."""
    (tmp_path / "below").mkdir()
    for name in ("b.PNG", "below/a.mp4", "notes.txt", ".hidden.png"):
        (tmp_path / name).write_bytes(b"x")
    found, others = media_in([tmp_path, tmp_path / "notes.txt"])
    assert [one.name for one in found] == ["b.PNG", "a.mp4", "notes.txt"]
    assert others == 1


def test_an_address_is_named_without_its_query() -> None:
    """The query may carry a secret."""
    queue = ScanQueue()
    (entry,), _ = queue.add(["https://example.org/pictures/house.jpg?token=secret"])
    assert (entry.name, entry.place) == ("house.jpg", "https://example.org/pictures/house.jpg")
