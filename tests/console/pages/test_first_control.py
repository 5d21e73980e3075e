"""Where the hands are when a page is opened."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.console.page import Presenter
from app.console.pages import PAGES
from app.console.session import WindowSession
from tests.console.built import built


@pytest.mark.parametrize("row", [row for row in PAGES if row.id != "settings"], ids=lambda row: row.id)
def test_a_page_says_where_the_hands_go(row: Any, session: WindowSession, qtbot: Any) -> None:
    """A control of the page that the keyboard reaches."""
    presenter: Presenter = built(importlib.import_module(row.module), session)
    qtbot.addWidget(presenter.view)
    first = presenter.first_control()
    assert first is not None
    assert presenter.view.isAncestorOf(first)
    assert first.focusPolicy() & Qt.FocusPolicy.TabFocus
