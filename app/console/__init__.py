"""The Qt program: a pure client of the API. Every button is a call that a partner could make.

Nothing that is imported before the first paint may import numpy, httpx, qasync or pyqtgraph (``app.console.app`` loads
them on a worker thread while the window already answers), nor name ``QtCore.Qt``: making its 140 enumerations takes as
long as building the window. ``README.md`` beside this file says how the console is built.
"""

from __future__ import annotations

from app.console.qt_start import import_qt

import_qt()
