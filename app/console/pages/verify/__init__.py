"""Verify: whose palm lies on a terminal, who is enrolled, and what of it is kept (console.md, page 4)."""

from __future__ import annotations

from app.console.pages.verify.code import CodeTab
from app.console.pages.verify.enrolment import EnrolmentTab
from app.console.pages.verify.palm import PalmTab
from app.console.pages.verify.presenter import VerifyPresenter
from app.console.pages.verify.stylized import StylizedTab
from app.console.pages.verify.tabs import TabRow
from app.console.pages.verify.terminals import TerminalsTab
from app.console.pages.verify.view import VerifyView
from app.console.session import WindowSession

TABS: tuple[TabRow, ...] = (
    TabRow("palm", "Palm", "fingerprint", PalmTab),
    TabRow("code", "Code", "layout-grid", CodeTab),
    TabRow("stylized", "Stylized", "hash", StylizedTab),
    TabRow("enrolment", "Enrolment", "user-check", EnrolmentTab),
    TabRow("terminals", "Terminals", "monitor", TerminalsTab),
)
"""In the order of the page: the first is opened by Alt+1."""


def make(session: WindowSession) -> VerifyPresenter:
    """The page."""
    return VerifyPresenter(session, VerifyView(), TABS)
