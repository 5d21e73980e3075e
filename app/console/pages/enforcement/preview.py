"""The very document before it is signed: the text of each notice in the window, the PDF in the system's own viewer."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import tempfile
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QComboBox, QWidget

from app.capabilities.enforcement.messages import NoticeDraft, StrikePreview
from app.console.files import FileKeeper, save_private
from app.console.language import tr
from app.console.pages.enforcement.words import CHANNELS, KINDS
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import plain_button
from app.console.widgets.marks import StateMark
from app.console.widgets.text_dialog import TextDialog


class DraftPapers:
    """PDFs of previews, in a private folder of this machine, where the system's viewer finds them. They name people:
    ``remove`` takes them away with the page."""

    def __init__(self, session: WindowSession) -> None:
        self._session = session
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._count = 0

    def open(self, pdf: bytes) -> None:
        """Write a PDF and have the system's viewer show it; a machine without one is told."""
        self._session.tasks.spawn(self._open(pdf), name="open a preview")

    async def _open(self, pdf: bytes) -> None:
        path = await asyncio.to_thread(self._write, pdf)
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._session.notify(
                tr("No program of this machine opens a PDF. Save it, and read it elsewhere."),
                "warn",
                subject=tr("Preview"),
            )

    def _write(self, pdf: bytes) -> Path:
        """Write it below a folder that this user alone can enter. Blocks on the disk."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="arc-preview-")
        self._count += 1
        path = Path(self._folder.name) / f"draft-{self._count}.pdf"
        save_private(path, pdf)
        return path

    def remove(self) -> None:
        """Take all of them away."""
        folder, self._folder = self._folder, None
        if folder is not None:
            with contextlib.suppress(OSError):
                folder.cleanup()


class PreviewDialog(TextDialog):
    """Shows the text of the chosen notice."""

    def __init__(self, window: QWidget, preview: StrikePreview, papers: DraftPapers, session: WindowSession) -> None:
        super().__init__(
            window,
            tr("Preview"),
            tr("As it would be signed and sent. Nothing of it is stored, and nothing has left."),
            "",
        )
        self._drafts = preview.notices
        self._pdf = base64.b64decode(preview.pdf)
        self._keeper = FileKeeper(self, session)
        self.which = QComboBox()
        self.which.setAccessibleName(tr("Which notice"))
        for draft in self._drafts:
            self.which.addItem(_title(draft))
        self.which.currentIndexChanged.connect(lambda _at: self._show())
        self.above.addWidget(self.which)
        self.mark = StateMark()
        self.above.addWidget(self.mark)
        self.buttons.addWidget(plain_button(tr("Save the PDF…"), self._save))
        self.buttons.addWidget(plain_button(tr("Open the PDF"), lambda: papers.open(self._pdf)))
        self._show()
        self.which.setFocus()

    def _show(self) -> None:
        at = self.which.currentIndex()
        if not 0 <= at < len(self._drafts):
            self.text.setPlainText("")
            self.mark.set(Meaning.IDLE, tr("No platform is named: the declaration alone would be made"))
            return
        draft = self._drafts[at]
        self.text.setPlainText(draft.text)
        self.mark.set(*_standing(draft))

    def _save(self) -> None:
        self._keeper.ask(
            tr("Save the preview"),
            "draft.pdf",
            lambda path: self._keeper.keep(path, tr("The preview, marked DRAFT,"), self._pdf),
        )


def _title(draft: NoticeDraft) -> str:
    return tr(
        "{kind} to {platform}, by {channel}",
        kind=KINDS[draft.kind],
        platform=draft.platform_name,
        channel=CHANNELS[draft.channel],
    )


def _standing(draft: NoticeDraft) -> tuple[Meaning, str]:
    """Whether it would leave."""
    if draft.missing:
        return Meaning.WARN, tr("Would be held: {count} missing", count=len(draft.missing))
    if draft.held:
        return Meaning.WARN, tr("Would be held until a person releases it")
    if draft.channel == "form":
        return Meaning.IDLE, tr("A person would fill in the platform's form")
    return Meaning.WORK, tr("Would leave at once")
