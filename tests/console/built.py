"""A page that is built and dressed before the next line of a test: the console lets its window answer in between."""

from __future__ import annotations

import inspect
from types import ModuleType

from PySide6.QtWidgets import QApplication

from app.console import theme
from app.console.page import Presenter
from app.console.session import WindowSession


def built(module: ModuleType, session: WindowSession) -> Presenter:
    """The page of ``module``, whole."""
    made = module.make(session)
    if not inspect.iscoroutine(made):
        return made
    try:
        while True:
            made.send(None)  # it only lets go of the loop: nothing has to come for it to go on
    except StopIteration as end:
        whole: Presenter = end.value
        return whole


def let_dress() -> None:
    """Let what can be seen be dressed, each part in its turn."""
    while theme.waits():
        QApplication.processEvents()
