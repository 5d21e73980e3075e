"""The QApplication of the console, and the language of its words: what stands before the first widget.

It imports nothing that has words of its own, so the language is chosen before any is said.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from PySide6.QtCore import QLibraryInfo, QTranslator
from PySide6.QtWidgets import QApplication

from app.console import language
from app.console.preferences import default_path, preferred_language
from app.console.theme import fonts


def make_application(arguments: Sequence[str] = ()) -> QApplication:
    """The QApplication with our names and fonts; the one that runs already when there is one."""
    running = QApplication.instance()
    if isinstance(running, QApplication):
        application = running
        application.setStyle("Fusion")
    else:
        # As an argument: ``setStyle`` gives the style back, and making Python's enumerations of QStyle takes 8 ms.
        application = QApplication(["arc-console", "-style", "Fusion", *arguments])
    application.setApplicationName("arc-console")
    application.setApplicationDisplayName("ARC Console")
    application.setDesktopFileName("arc-console")
    # The loop lives as long as the process: closing the last dialog must not end it.
    application.setQuitOnLastWindowClosed(False)
    fonts.load(fonts.FIRST)
    return application


def speak(wanted: str | None = None) -> None:
    """Speak the language that this user prefers, or ``wanted``, as ``language.choose`` takes it. One whose file is
    damaged is left for English, with a line on stderr: a desk that can be read is worth more than its language.
    Before any other module of the console is imported."""
    application = make_application()
    try:
        language.choose(wanted or preferred_language(default_path()))
    except ValueError as error:
        sys.stderr.write(f"arc-console: {error}; English is spoken.\n")
    # What Qt itself says: the menu of a text field, the buttons of a box.
    qts = QTranslator(application)
    if qts.load(f"qtbase_{language.language()}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(qts)
