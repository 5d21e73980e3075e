"""The Qt program: a pure client of the API. Every button is a call that a partner could make.

Nothing that is imported before the first paint may import numpy, httpx, qasync or pyqtgraph (``app.console.app`` loads
them on a worker thread while the window already answers), nor name ``QtCore.Qt``: making its 140 enumerations takes as
long as building the window. ``README.md`` beside this file says how the console is built.
"""

from __future__ import annotations

import builtins

_import = builtins.__import__

import PySide6.QtCore  # noqa: E402, F401

# PySide6 puts a function in place of ``__import__`` that reads the source of every module imported from then on, to see
# whether ``from __feature__ import`` concerns it. Nothing here uses that, and it costs a tenth of the start.
setattr(builtins, "__import__", _import)  # noqa: B010  # a plain assignment is refused by the type checker
