"""Brings the page to life: the tab that is in front works, the others rest."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.console.language import tr
from app.console.pages.verify.code import CodeTab
from app.console.pages.verify.enrolment import EnrolmentTab
from app.console.pages.verify.palm import PalmTab
from app.console.pages.verify.stylized import StylizedTab
from app.console.pages.verify.terminals import TerminalsTab
from app.console.pages.verify.view import VerifyView
from app.console.pages.verify.voice.tab import VoiceTab
from app.console.pages.verify.words import PAGE
from app.console.session import WindowSession
from app.console.tabs import TabRow, TabsPresenter
from app.console.widgets.spectrogram import Spectrogram


def tabs_of(sound: Spectrogram) -> tuple[TabRow, ...]:
    """In the order of the page: Alt+1 opens the first. The checks stand first, what is set up once last.
    ``sound``: where the voice is drawn."""
    return (
        TabRow("voice", tr("Voice"), tr("voice"), "mic", lambda host: VoiceTab(host, sound)),
        TabRow("palm", tr("Palm"), tr("palm"), "fingerprint", PalmTab),
        TabRow("stylized", tr("Stylized"), tr("stylized"), "hash", StylizedTab),
        TabRow("code", tr("Code"), tr("code"), "layout-grid", CodeTab),
        TabRow("enrolment", tr("Enrolment"), tr("enrolment"), "user-check", EnrolmentTab),
        TabRow("terminals", tr("Terminals"), tr("terminals"), "monitor", TerminalsTab),
    )


class VerifyPresenter(TabsPresenter):
    """Where a tab does not say where the hands go, they go to the row of tabs. Made without tabs: there are many, and
    ``make`` adds them one by one."""

    view: VerifyView

    def __init__(self, session: WindowSession, view: VerifyView) -> None:
        super().__init__(session, view, PAGE, ())

    def first_control(self) -> QWidget | None:
        return super().first_control() or self.view.tabs.tabBar()
