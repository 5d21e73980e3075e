"""The Qt program: a pure client of the API. Every button is a call that a partner could make.

Nothing that is imported before the first paint may import numpy, httpx, qasync or pyqtgraph (``app.console.app`` loads
them on a worker thread while the window already answers).
"""
