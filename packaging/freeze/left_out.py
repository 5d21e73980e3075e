"""What the bundle leaves out: modules that nothing of the program imports, and files that it never opens.

``tests/unit/packaging/test_left_out.py`` imports the whole program with these modules refused: it finds in seconds what
a bundle would find at a user's.
"""

from __future__ import annotations

import re
from typing import Final

MODULES: Final = (
    "tkinter",
    # GPL: it would make the whole package so.
    "readline",
    "rlcompleter",
    "pdb",
    "doctest",
    "lib2to3",
    "ensurepip",
    "idlelib",
    "pydoc_data",
    "curses",
    "pip",
    "setuptools",
    "wheel",
    "pkg_resources",
    "numpy.f2py",
    "numpy.testing",
    "scipy",
    "matplotlib",
    "pytest",
    "IPython",
    "trio",
    "h2",
    "rich",
    "pygments",
    "PySide6.QtQml",
    "PySide6.QtSql",
    "PySide6.QtDesigner",
    "PySide6.QtUiTools",
    "pyqtgraph.opengl",
    "pyqtgraph.examples",
    "pyqtgraph.flowchart",
    "pyqtgraph.console",
    "pyqtgraph.jupyter",
    "pyqtgraph.canvas",
    "pyqtgraph.dockarea",
    "sqlalchemy.dialects.mysql",
    "sqlalchemy.dialects.oracle",
    "sqlalchemy.dialects.mssql",
    "urllib3.contrib.emscripten",
    "httpx._main",
)

FILES: Final = re.compile(
    r"""
    platformthemes/libqgtk3 | egldeviceintegrations/ | platforms/libq(eglfs|linuxfb|minimal|minimalegl|vnc|vkkhr) |
    plugins/(generic|networkinformation|tls|virtualkeyboard|sqldrivers|qmltooling)/ |
    imageformats/(?!libqsvg) | translations/qt | libQt6(EglF|Qml|Quick|VirtualKeyboard|Pdf|Sql) |
    \.pyi$ | dist-info/(RECORD|INSTALLER|REQUESTED|direct_url\.json)$ | libc2pa_c\.rlib$
    """,
    re.VERBOSE,
)
"""Paths in the bundle. ``direct_url.json`` names the directory of the build."""

SYSTEMS_OWN: Final = ("libpython3.11", "libldap-2.5", "liblber-2.5", "libffi")
"""Of the libraries of the machine that builds, these alone are taken: what the system owns gets its fixes from there,
and an old copy would shadow what graphics drivers and tokens' modules need."""
