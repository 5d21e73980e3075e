"""The batch tab: files, folders and addresses that are scanned one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.console.actions import Action, Effect
from app.console.failures import Failure
from app.console.files import ask_folder, ask_open
from app.console.language import tr
from app.console.pages.media.batch_view import MediaBatchView
from app.console.pages.media.runner import QueueRunner
from app.console.pages.media.scan_queue import MEDIA_SUFFIXES, MOST, QueueStage, media_in
from app.console.pages.media.words import PAGE
from app.console.part import Host, Part
from app.console.widgets.drop_area import addresses_in

KINDS = (
    tr("Pictures and videos ({patterns})", patterns=" ".join("*" + one for one in MEDIA_SUFFIXES)),
    tr("All files (*)"),
)


class MediaBatchTab(Part):
    """Shows the queue and hands it what the operator wants; the work goes on without the tab."""

    ticks_a_paint = 5

    view: MediaBatchView

    def __init__(self, host: Host, runner: QueueRunner) -> None:
        super().__init__(host)
        self.view = MediaBatchView(host.session.actions)
        self._runner = runner
        runner.changed.connect(self.paint_all)
        self.view.selected.connect(host.session.actions.refresh)

    def actions(self) -> Sequence[Action]:
        shown, queue = self.host.shown, self._runner.queue

        def has(*stages: QueueStage) -> bool:
            return shown() and any(one.stage in stages for one in self.view.chosen)

        return [
            Action(
                "media.pause", tr("Pause or go on"), lambda: self._runner.pause(not queue.paused), "pause", ("Ctrl+P",),
                PAGE, when=lambda: shown() and (queue.running or queue.paused), effect=Effect.CHANGE,
                hint=tr("What is being scanned ends; nothing more is begun."),
            ),
            Action(
                "media.retry", tr("Try again"), self._retry, "rotate-ccw", ("Ctrl+R",), PAGE,
                when=lambda: shown() and queue.count(QueueStage.FAILED, QueueStage.CANCELLED) > 0,
                effect=Effect.CHANGE, hint=tr("The marked ones, or all that failed."),
                calls=("media_upload",),
            ),
            Action(
                "media.cancel", tr("Cancel"), self._cancel, "square", ("Ctrl+.",), PAGE,
                when=lambda: shown() and queue.running, effect=Effect.CHANGE,
                hint=tr("The marked ones, or all that are not over."),
            ),
            Action(
                "media.clear", tr("Clear what is done"), self._runner.forget_finished, "trash-2", ("Ctrl+Del",), PAGE,
                when=lambda: shown() and queue.count(QueueStage.DONE, QueueStage.CANCELLED) > 0, effect=Effect.CHANGE,
                hint=tr("The scans stay in the list; what failed stays here."),
            ),
            Action(
                "media.open_scan", tr("Open its scan"), self._open, "eye", (), PAGE,
                when=lambda: has(QueueStage.DONE, QueueStage.SCANNING, QueueStage.FAILED),
                hint=tr("Enter on its row does the same."),
            ),
        ]  # fmt: skip

    def first_control(self) -> QWidget:
        return self.view.table

    def paint_all(self) -> None:
        self.view.show_entries(self._runner.queue.entries, paused=self._runner.queue.paused)
        self.session.actions.refresh()

    def paint(self) -> None:
        """Only the times of what runs change by themselves; there is nothing here that could be stale."""
        if self._runner.queue.running:
            self.view.show_entries(self._runner.queue.entries, paused=self._runner.queue.paused)

    # --- what comes in -----------------------------------------------------------------------------------------------

    def choose_files(self) -> None:
        """Ask for files."""
        ask_open(self.view, tr("Choose pictures and videos"), self.take_files, kinds=KINDS, pictures=True, several=True)

    def choose_folder(self) -> None:
        """Ask for a folder."""
        ask_folder(self.view, tr("Choose a folder to scan"), lambda path: self.take_files([path]))

    def paste(self) -> None:
        """Take the addresses of the clipboard."""
        found = addresses_in(QGuiApplication.clipboard().text())
        if found:
            self.take_addresses(found)
            return
        sentence = tr("The clipboard has no address that begins with http:// or https://.")
        self.host.show_failure(Failure("nothing_to_scan", sentence, tr("Copy one address a line, then try again.")))

    def take_files(self, paths: Sequence[Path]) -> None:
        """Queue files, and the media of folders."""
        self.host.spawn(self._take_files(list(paths)), name="files of the batch")

    async def _take_files(self, paths: list[Path]) -> None:
        """Put the pictures and films of files and folders into the queue; the others are told."""
        try:
            found, others = await asyncio.to_thread(media_in, paths)
        except OSError as error:
            sentence = tr(
                "{path} cannot be read: {error}.",
                path=error.filename or paths[0],
                error=error.strerror or error,
            )
            self.host.show_failure(Failure("unreadable", sentence, tr("Choose another folder.")))
            return
        note = (
            [tr("{count:,} other files were left out: they are no pictures or videos.", count=others)] if others else []
        )
        if not found:
            note.append(tr("There is nothing to scan in it."))
        self._add(found, note)

    def take_addresses(self, addresses: Sequence[str]) -> None:
        """Queue addresses."""
        self._add(list(addresses), [])

    def _add(self, sources: Sequence[Path | str], note: list[str]) -> None:
        """Queue them, show the queue unless it is one alone, and say what was left out."""
        added, left_out = self._runner.add(sources)
        if left_out:
            note.append(
                tr(
                    "{count:,} were left out: they are queued already, or the queue has its {most:,}.",
                    count=left_out,
                    most=MOST,
                )
            )
        self.view.note.setText(" ".join(note))
        if len(added) != 1 or note:
            self.host.show()

    # --- hands -------------------------------------------------------------------------------------------------------

    def _retry(self) -> None:
        wanted = self.view.chosen
        failed = [one for one in wanted if one.stage in (QueueStage.FAILED, QueueStage.CANCELLED)]
        every = [one for one in self._runner.queue.entries if one.stage is QueueStage.FAILED]
        self._runner.retry([one.key for one in (failed or every or self._runner.queue.entries)])

    def _cancel(self) -> None:
        keys = [one.key for one in self.view.chosen if one.stage in (QueueStage.WAITS, QueueStage.SCANNING)]
        self._runner.cancel(keys or None)

    def _open(self) -> None:
        entry = next((one for one in self.view.chosen if one.scan_id), None)
        if entry is not None:
            self.view.opened.emit(entry.scan_id)
