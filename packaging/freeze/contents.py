"""What the built program holds and what it leaves out: ``arc-console.spec`` builds by it, a test imports by it."""

from __future__ import annotations

import fnmatch
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
MIGRATIONS: Final = "app/store/migrations"

EXCLUDED: Final = (
    *("tkinter", "rlcompleter", "pdb", "doctest", "lib2to3", "ensurepip", "idlelib", "pydoc_data", "curses"),
    "readline",  # GPL 3
    "Cython",  # which built av
    *("pip", "setuptools", "wheel", "pkg_resources", "numpy.f2py", "numpy.testing", "scipy", "matplotlib"),
    *("pytest", "IPython", "trio", "h2", "rich", "pygments", "httpx._main", "urllib3.contrib.emscripten"),
    *("PySide6.QtQml", "PySide6.QtSql", "PySide6.QtDesigner", "PySide6.QtUiTools"),
    *(f"pyqtgraph.{name}" for name in ("examples", "opengl", "flowchart", "console", "jupyter", "canvas", "dockarea")),
    *(f"sqlalchemy.dialects.{name}" for name in ("mysql", "oracle", "mssql")),
)
"""Modules that stay out. Left out and missed once, so they are not here: click and uvicorn.supervisors (uvicorn.main),
unittest (fpdf), pydoc and pyqtgraph.parametertree (pyqtgraph), PySide6.QtOpenGL and QtOpenGLWidgets (pyqtgraph),
PySide6.QtTest (the tour), sqlalchemy.dialects.postgresql (alembic)."""

NOT_OURS_AT_WORK: Final = frozenset(
    {"app.store.migrations.env", "app.store.migrations.head_writer", "app.api.client_writer"}
)
"""Modules of ours that only a checkout runs, or that alembic loads by their path."""

UNUSED: Final = (
    "*/PySide6/Qt/translations/*",
    *(f"*/PySide6/Qt/plugins/{name}/*" for name in ("egldeviceintegrations", "generic", "networkinformation", "tls")),
    *(f"*/PySide6/Qt/plugins/{name}/*" for name in ("qmltooling", "sqldrivers", "virtualkeyboard")),
    "*/platformthemes/libqgtk3*",  # GTK, ATK and cairo hang on it
    *(f"*/platforms/lib{name}*" for name in ("qeglfs", "qlinuxfb", "qminimal", "qvnc", "qvkkhr")),
    "*/platforminputcontexts/libqtvirtualkeyboard*",
    "*/imageformats/libq[!s]*",
    *(f"*/libQt6{name}*" for name in ("EglF", "Qml", "Quick", "VirtualKeyboard", "Pdf", "Sql")),
    "*.pyi",
    # direct_url.json names the place of the checkout.
    *(f"*.dist-info/{name}" for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")),
)
"""Files that are gathered with what is needed and are not."""
USED: Final = ("*/PySide6/Qt/translations/qtbase_de.qm",)
"""Exceptions from ``UNUSED``: what Qt itself says in each language of the console."""

OF_THE_SYSTEM: Final = ("libpython3.", "libldap-2.", "liblber-2.", "libffi.")
"""Debian's libraries that the bundle holds. Every other one stays the system's, which keeps it safe; one of ours before
it would be what a graphics driver or a token's module loads."""


def modules() -> Iterator[str]:
    """Every module of ours: pages and capabilities are imported by name, which no analysis sees."""
    for package in ("app", "hardware"):
        yield package
        for found in pkgutil.walk_packages([str(ROOT / package)], f"{package}."):
            if found.name not in NOT_OURS_AT_WORK and not found.name.startswith("app.store.migrations.versions"):
                yield found.name


def _fits(target: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(f"/{target}", pattern) for pattern in patterns)


def keeps(target: str, source: str) -> bool:
    """Whether the bundle keeps a file that was gathered: ``target`` in it, ``source`` on this machine."""
    if _fits(target, UNUSED) and not _fits(target, USED):
        return False
    owned = re.match(r"/(usr/)?lib/[^/]*linux-gnu/lib", source) is not None
    return not owned or Path(source).name.startswith(OF_THE_SYSTEM)
