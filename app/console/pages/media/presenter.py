"""Brings the page to life: the tab that is in front works; the queue works on behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.console.actions import Action
from app.console.language import tr
from app.console.pages.media.batch import MediaBatchTab
from app.console.pages.media.calibration import CalibrationTab
from app.console.pages.media.feeds import FeedsTab
from app.console.pages.media.runner import QueueRunner
from app.console.pages.media.scan import ScanTab
from app.console.pages.media.scan_queue import QueueEntry
from app.console.pages.media.view import MediaView
from app.console.pages.media.words import PAGE
from app.console.part import Host
from app.console.session import WindowSession
from app.console.tabs import TabRow, TabsPresenter


class MediaPresenter(TabsPresenter):
    """A Sovereign key may see none of it."""

    view: MediaView
    evidence_action = "media.bundle"

    def __init__(self, session: WindowSession, view: MediaView) -> None:
        runner = QueueRunner(session, view)
        super().__init__(
            session, view, PAGE,
            (
                TabRow("scan", tr("Scan"), tr("one scan"), "eye", self._make_scan),
                TabRow("batch", tr("Batch"), tr("a batch"), "list", lambda host: self._make_batch(host, runner)),
                TabRow("feeds", tr("Feeds"), tr("feeds"), "monitor", self._make_feeds),
                TabRow("calibration", tr("Calibration"), tr("what scores are worth"), "gauge", self._make_calibration),
            ),
        )  # fmt: skip
        self.runner = runner
        scan, batch, feeds = self.scan, self.batch, self.feeds
        view.set_ask(scan.view.ask)
        for ground in (scan.view, batch.view):
            ground.files_dropped.connect(self._take_files)
            ground.addresses_dropped.connect(self._take_addresses)
        batch.view.opened.connect(self._open_scan)
        feeds.view.opened.connect(self._open_scan)
        self.runner.begun.connect(self._show_begun)

    def _make_scan(self, host: Host) -> ScanTab:
        self.scan = ScanTab(host)
        return self.scan

    def _make_batch(self, host: Host, runner: QueueRunner) -> MediaBatchTab:
        self.batch = MediaBatchTab(host, runner)
        return self.batch

    def _make_feeds(self, host: Host) -> FeedsTab:
        self.feeds = FeedsTab(host)
        return self.feeds

    def _make_calibration(self, host: Host) -> CalibrationTab:
        self.calibration = CalibrationTab(host, lambda: self.scan.scan)
        return self.calibration

    @property
    def may_scan(self) -> bool:
        """Whether the key of this console may see and ask for scans."""
        return self.scan.host.may_write

    def actions(self) -> Sequence[Action]:
        return [
            Action(
                "media.files", tr("Scan files"), self.batch.choose_files, "upload", ("Ctrl+O",), PAGE,
                when=lambda: self.may_scan,
                hint=tr("Files and folders may also be dropped on the page. Nothing of them is kept but the result."),
                calls=("media_upload",),
            ),
            Action("media.folder", tr("Scan a folder"), self.batch.choose_folder, "inbox", ("Ctrl+Shift+O",), PAGE,
                   when=lambda: self.may_scan, hint=tr("All pictures and videos in it and below it."),
                   calls=("media_upload",)),
            Action("media.paste", tr("Scan the addresses of the clipboard"), self.batch.paste, "copy",
                   ("Ctrl+Shift+V",), PAGE, when=lambda: self.may_scan, calls=("media_scan",)),
            *super().actions(),
        ]  # fmt: skip

    async def run(self, arguments: Mapping[str, str]) -> None:
        if self.may_scan:
            await super().run(arguments)
            return
        self.scan.resume()
        self.scan.view.show_closed()

    def _take_files(self, paths: Sequence[Path]) -> None:
        if self.may_scan and self.scan.host.may("media_upload"):
            self.batch.take_files(paths)

    def _take_addresses(self, addresses: Sequence[str]) -> None:
        if self.may_scan and self.scan.host.may("media_scan"):
            self.batch.take_addresses(addresses)

    def _show_begun(self, entry: QueueEntry) -> None:
        """A file that was given alone is shown; those of a batch are looked at when somebody opens them."""
        if self.section == "scan" and entry is self.runner.queue.entries[-1]:
            self.scan.open_scan(entry.scan_id)

    def _open_scan(self, scan_id: str) -> None:
        self.show_section("scan")
        self.scan.open_scan(scan_id)
