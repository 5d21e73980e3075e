"""The media page against a real training service."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel

from app.console.file_dialog import FileDialog
from app.console.pages.media import MediaPresenter, make
from app.console.pages.media.paper import read_bundle
from app.console.pages.media.scan_queue import QueueStage
from app.console.session import WindowSession
from app.registry.messages.media_sources import MediaSourceBody
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen
from tests.unit.delivery.loopback_peer import serving


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> MediaPresenter:
    """The page at the size of the design, its actions in the table."""
    session.clearance = "citadel"
    presenter = make(session)
    on_screen(presenter, "media", session, qtbot)
    return presenter


def picture(path: Path, shade: int = 90) -> Path:
    """A small PNG that no other test has."""
    values = np.random.default_rng(shade).integers(0, 255, (256, 272, 3), dtype=np.uint8)
    Image.fromarray(values).save(path)
    return path


def drop(page: MediaPresenter, *paths: Path) -> None:
    """Let files fall on the part that is in front."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    event = QDropEvent(QPointF(10, 10), action, data, button, Qt.KeyboardModifier.NoModifier)
    page.tab.view.dropEvent(event)  # type: ignore[attr-defined]  # a ground on which things fall


async def saved(action: str, page: MediaPresenter, path: Path) -> bytes:
    """The file that an action keeps there."""
    assert page.session.actions.trigger(action)
    await until(lambda: page.view.window().findChildren(FileDialog), "the dialog")
    dialog = page.view.window().findChildren(FileDialog)[-1]
    dialog.select_file(str(path))
    dialog.take()
    await until(path.exists, "the file")
    return await asyncio.to_thread(path.read_bytes)


def test_a_file_that_is_dropped_is_scanned_and_shown(
    page: MediaPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """Its scan is in the list, chosen, with the picture that the service made; its bundle and its paper are kept, the
    paper's pictures are those that the bundle names, and a declaration can begin with it."""
    file = picture(tmp_path / "a house.png")

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.scan.fresh.since is not None, "the list")
            drop(page, file)
            view = page.scan.view
            await until(lambda: page.scan.scan is not None and page.scan.scan.status == "COMPLETED", "the scan")
            assert view.list.rows.rows[0].name == view.title.text() == "a house.png"
            assert view.list.table.currentIndex().row() == 0
            assert "272 x 256, PNG" in view.facts.text()
            await until(lambda: view.source.percent is not None, "the picture")
            assert view.source.accessibleDescription().startswith("272 x 256 pixels")
            assert view.hero.words[0] in ("Manipulated", "Suspicious", "Nothing found", "Cannot tell")
            assert "false" in view.rate.accessibleName().lower()
            assert f"Model {page.scan.scan.model_version}." in view.trust_words.text()
            bundle = await saved("media.bundle", page, tmp_path / "scan.zip")
            assert read_bundle(bundle).scan.media.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
            paper = await saved("media.paper", page, tmp_path / "scan.pdf")
            assert paper.startswith(b"%PDF-")
            led: list[dict[str, str]] = []
            page.session.set_navigator(lambda _page, arguments: led.append(arguments))
            page.session.actions.trigger("media.enforce")
            assert led == [{"signature": page.scan.scan.scan_id}]

    run(work())


def test_an_address_is_scanned_once_its_source_is_listed(
    page: MediaPresenter, connect: Connect, run: Run, qtbot: Any, tmp_path: Path
) -> None:
    """Typed and sent by Enter: refused with the advice to list it; listed, it is fetched, scanned and shown."""
    data = picture(tmp_path / "gate.png", 7).read_bytes()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: {len(data)}\r\n\r\n"

    async def work() -> None:
        async with connect(page) as client, serving(head.encode() + data) as camera:
            page.enter({})
            await until(lambda: page.scan.fresh.since is not None, "the list")
            view = page.scan.view
            qtbot.keyClicks(view.address, f"{camera.url}gate.png?key=secret")
            qtbot.keyClick(view.address, Qt.Key.Key_Return)
            await until(lambda: page.view.banner.text, "the refusal")
            assert "media sources" in page.view.banner.findChildren(QLabel)[1].text()
            await client.registry_put_media_source("gate", MediaSourceBody(cidrs=["127.0.0.1/32"], ports=[camera.port]))
            qtbot.keyClick(view.address, Qt.Key.Key_Return)
            await until(lambda: view.title.text() == "gate.png" and page.scan.scan, "the scan")
            await until(lambda: page.scan.scan and page.scan.scan.status == "COMPLETED", "its end")
            assert view.address.text() == ""
            assert not any("secret" in row.url for row in view.list.rows.rows)

    run(work())


def test_a_batch_is_worked_through_and_names_what_failed(
    page: MediaPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """A folder: its pictures are scanned, a broken one fails with its reason, other files are counted."""
    folder = tmp_path / "evidence"
    folder.mkdir()
    picture(folder / "one.png", 1)
    picture(folder / "two.png", 2)
    (folder / "broken.png").write_bytes(b"no picture")
    (folder / "notes.txt").write_bytes(b"words")

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.scan.fresh.since is not None, "the list")
            drop(page, folder)
            queue, view = page.runner.queue, page.batch.view
            await until(lambda: queue.entries and not queue.running, "the end of the batch")
            assert page.section == "batch"
            assert {one.name: one.stage for one in queue.entries} == {
                "one.png": QueueStage.DONE, "two.png": QueueStage.DONE, "broken.png": QueueStage.FAILED,
            }  # fmt: skip
            (broken,) = [one for one in queue.entries if one.stage is QueueStage.FAILED]
            assert broken.reason.endswith(".")
            assert view.counts.text() == "3 of 3 done, 1 failed"
            assert view.note.text().startswith("1 other files were left out")
            view.table.selectRow([one.name for one in queue.entries].index("two.png"))
            page.session.actions.trigger("media.open_scan")
            await until(lambda: page.scan.view.title.text() == "two.png", "its scan")
            assert page.section == "scan"

    run(work())


def test_addresses_of_the_clipboard_are_queued(page: MediaPresenter, connect: Connect, run: Run) -> None:
    """Each in its turn; a clipboard without one is told."""

    async def work() -> None:
        async with connect(page):
            page.enter({"section": "batch"})
            await until(lambda: page.section == "batch", "the tab")
            QGuiApplication.clipboard().setText("nothing")
            page.session.actions.trigger("media.paste")
            assert "http://" in page.view.banner.text
            page.runner.pause(True)
            QGuiApplication.clipboard().setText("http://localhost:9/a.png and http://localhost:9/b.png")
            page.session.actions.trigger("media.paste")
            assert [one.name for one in page.runner.queue.entries] == ["a.png", "b.png"]
            assert page.batch.view.mark.word == "Paused"
            page.session.actions.trigger("media.cancel")
            assert page.runner.queue.count(QueueStage.CANCELLED) == 2

    run(work())


def test_a_feed_is_watched_and_stopped(
    page: MediaPresenter, connect: Connect, run: Run, qtbot: Any, tmp_path: Path
) -> None:
    """A camera on this machine: typed and sent by Enter, it stands there as watched until the stop; Enter on its row
    opens its scan."""
    data = picture(tmp_path / "still.png", 9).read_bytes()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: {len(data)}\r\n\r\n"

    async def work() -> None:
        async with connect(page) as client, serving(head.encode() + data) as camera:
            body = MediaSourceBody(cidrs=["127.0.0.1/32"], ports=[camera.port])
            await client.registry_put_media_source("camera", body)
            page.enter({"section": "feeds"})
            view = page.feeds.view
            await until(lambda: page.section == "feeds" and page.feeds.fresh.since is not None, "the tab")
            assert view.stack.currentWidget() is view.nothing
            qtbot.keyClicks(view.address, f"{camera.url}gate-camera.png")
            qtbot.keyClick(view.address, Qt.Key.Key_Return)
            await until(lambda: view.rows.rows and view.rows.rows[0].word == "Watching", "the feed")
            feed = view.rows.rows[0]
            assert (feed.name, feed.running) == ("gate-camera.png", True)
            await until(lambda: view.rows.rows[0].scores, "its first score")
            assert view.rows.rows[0].score.startswith(f"{view.rows.rows[0].scores[-1]:.2f}")
            assert view.rows.index(0, 2).data(Qt.ItemDataRole.ToolTipRole).startswith("The last ")
            await until(lambda: page.session.actions.is_enabled("media.feed_stop"), "the stop")
            page.session.actions.trigger("media.feed_stop")
            await until(lambda: not view.rows.rows[0].running, "its end")
            qtbot.keyClick(view.table, Qt.Key.Key_Return)
            await until(lambda: page.scan.scan and page.scan.scan.scan_id == feed.scan_id, "its scan")
            assert page.section == "scan"

    run(work())


def test_a_sovereign_key_sees_no_scan(page: MediaPresenter, connect: Connect, run: Run) -> None:
    """The page says which key it needs, and nothing can be asked for."""

    async def work() -> None:
        async with connect(page):
            page.session.clearance = "sovereign"
            page.session.actions.refresh()
            page.enter({})
            await until(lambda: page.scan.view.hero.words[0] == "Closed", "the words")
            page.scan.view.address.setText("https://example.org/a.png")
            assert not page.session.actions.is_enabled("media.ask")
            assert not page.session.actions.is_enabled("media.files")

    run(work())


def test_the_page_goes_stale_with_its_service(page: MediaPresenter, application: QApplication) -> None:
    """Without an answer the mark says so."""
    page.scan.paint()
    assert page.scan.mark.word == "no data yet"
    assert not page.scan.mark.isHidden()
