"""A page that is built in one piece: the console lets its window answer between the pieces."""

from __future__ import annotations

import inspect
from types import ModuleType

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
