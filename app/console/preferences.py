"""What one operator prefers for the console on this machine. Never site configuration.

Read before the first paint, so it is plain ``json`` checked by hand: importing a validator costs more than all of it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QStandardPaths, Signal

from app.console.language import OFFERED, tr
from app.console.table_layout import AS_MADE, MOST_TABLES, TableLayout, layouts_of
from app.console.theme.tokens import Density

VERSION = 6

CHOICES: dict[str, tuple[object, ...]] = {
    "version": (VERSION,),
    "theme": ("system", "dark", "light"),
    "density": tuple(density.value for density in Density),
    "text_scale": (100, 125, 150, 175, 200),
    "motion": ("system", "reduced", "full"),
    "sounds": (False, True),
    "alarm_sounds": (False, True),
    "maximized": (False, True),
    "first_steps": ("", "skipped", "shown"),
    "closing": ("tray", "quit"),
    "language": ("system", *OFFERED),
    "larger_text": ("", "taken", "declined"),
}
"""Allowed values; a preference that is not named here is a text of at most 64 characters, but ``tables`` and
``handshake_goal_ms``."""

MOST_GOAL_MS = 60_000
MOST_KEPT = 20
"""Files that could not be used and are kept aside: a console that dies at each start must not fill the disk."""

REMEMBERED = ("window", "maximized", "page")
"""What the console keeps by itself. Nobody chose it: what cannot be used is left out without a word."""


class Preferences(NamedTuple):
    """Version 6. ``theme`` system, dark or light; ``text_scale`` in percent; ``motion``: as the system asks, reduced or
    full (since version 4); ``home`` is the page that opens first (empty: ``page``); ``handshake_goal_ms``: what the p99
    of a minute should stay under, 0: no goal (since version 2);
    ``sounds`` turns the sounds of a batch on; the printers are those used last (empty: none).
    ``window``: where the window stood while it was not ``maximized`` (``shell/place.py``; empty: at its own place);
    ``page``: the page that was shown last (empty: the first one); ``first_steps``: whether the steps of a new site are
    skipped or shown (empty: shown until they are done); ``tables``: how the operator has set tables, by their
    name, the last one at the end (since version 2); ``closing``: whether the console stays in the tray and calls for
    alarms when its window is closed, or ends, and ``alarm_sounds``, whether alarms are heard (both since version 3);
    ``language``: as the system asks, or one of ``language.OFFERED`` (since version 5);
    ``larger_text``: what was answered when larger text was offered on a large screen (empty: it was not; since version
    6). Whether the values are allowed says ``check``. A named tuple, as all records of the first frame: a dataclass
    takes up to a millisecond to be made."""

    version: int = VERSION
    theme: str = "dark"
    density: Density = Density.COMFORTABLE
    text_scale: int = 100
    motion: str = "system"
    home: str = ""
    handshake_goal_ms: int = 0
    sounds: bool = True
    badge_printer: str = ""
    label_printer: str = ""
    letter_printer: str = ""
    window: str = ""
    maximized: bool = False
    page: str = ""
    first_steps: str = ""
    tables: Mapping[str, TableLayout] = MappingProxyType({})
    closing: str = "tray"
    alarm_sounds: bool = True
    language: str = "system"
    larger_text: str = ""


def check(value: Preferences) -> Preferences:
    """The same, the density as what it is. Raises ValueError for a value that is not allowed."""
    for name, one in value._asdict().items():
        if not _is_allowed(name, one):
            raise ValueError(f"{name} cannot be {one!r}")
    return value._replace(density=Density(value.density))


def _is_allowed(name: str, value: object) -> bool:
    if name == "handshake_goal_ms":
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_GOAL_MS
    if name == "tables":
        return isinstance(value, Mapping) and len(value) <= MOST_TABLES
    allowed = CHOICES.get(name)
    if allowed is None:
        return isinstance(value, str) and len(value) <= 64
    # By type too: 1 == True and 100.0 == 100, but the file may say neither.
    return any(value == choice and isinstance(value, type(choice)) for choice in allowed)


def _with_tables(raw: dict[str, Any]) -> dict[str, Any]:
    """Version 1 knew no tables: none is set. What a file of it says under that name was never ours."""
    return {**raw, "version": 2, "tables": {}}


def _with_alarms(raw: dict[str, Any]) -> dict[str, Any]:
    """Version 2 ended with its window, and a batch without sounds silenced alarms, too: from now on alarms call, unless
    the person says otherwise."""
    return {**raw, "version": 3, "closing": "tray", "alarm_sounds": True}


def _with_system_motion(raw: dict[str, Any]) -> dict[str, Any]:
    """Version 3 knew "no animations" alone: who did not ask for it has never been asked what the system says."""
    reduced = raw.get("reduce_motion", False)
    if not isinstance(reduced, bool):
        raise ValueError(f"reduce_motion cannot be {reduced!r}")
    rest = {name: value for name, value in raw.items() if name != "reduce_motion"}
    return {**rest, "version": 4, "motion": "reduced" if reduced else "system"}


def _with_language(raw: dict[str, Any]) -> dict[str, Any]:
    """Version 4 spoke English alone: nobody chose it, so the system is asked from now on."""
    return {**raw, "version": 5, "language": "system"}


def _with_offer(raw: dict[str, Any]) -> dict[str, Any]:
    """Version 5 offered no larger text: nobody has answered."""
    return {**raw, "version": 6, "larger_text": ""}


MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: _with_tables,
    2: _with_alarms,
    3: _with_system_motion,
    4: _with_language,
    5: _with_offer,
}
"""From version n to n + 1."""


def default_path() -> Path:
    """Where the preferences of this operating-system user lie."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppConfigLocation)) / "preferences.json"


def decode(data: bytes) -> Preferences:
    """Preferences of any known version. Raises ValueError."""
    # Imported here: a console without preferences need not wait for it before the first paint.
    import json

    try:
        raw = json.loads(data)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(raw, dict):
        raise ValueError("it is no object")
    version = raw.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= VERSION:
        raise ValueError(f"version {version!r} is not known")
    while version < VERSION:
        raw = MIGRATIONS[version](raw)
        version += 1
    kept = {name: value for name, value in raw.items() if name in Preferences._fields}
    kept["tables"] = layouts_of(kept.get("tables"))
    usable = {name: kept[name] for name in kept if name not in REMEMBERED or _is_allowed(name, kept[name])}
    return check(Preferences(**usable))


def _encode(value: Preferences) -> dict[str, object]:
    """What ``decode`` reads, as JSON has it."""
    tables = {name: {**one._asdict(), "widths": dict(one.widths)} for name, one in value.tables.items()}
    return {**value._asdict(), "tables": tables}


def preferred_language(path: Path) -> str:
    """The language that the preferences in ``path`` ask for; ``system`` when they cannot be used, which the store says
    later. Says no word: the language must be known before the first one."""
    try:
        return decode(path.read_bytes()).language
    except (OSError, ValueError):
        return "system"


class PreferenceStore(QObject):
    """The preferences in force. A change is written at once, by rename, so that a crash leaves either the old file or
    the new one. A file that cannot be used, broken or of a later version, is kept aside: the next change would write
    over it, and the person may want it back."""

    changed = Signal()

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self.problem = ""
        """Why the last change could not be written, one sentence; empty when all is well."""
        self.left_out = ""
        """Why the defaults are used instead of the file that was there, and where it is; empty when all is well."""
        try:
            self.value = decode(path.read_bytes())
        except FileNotFoundError:
            self.value = Preferences()
        except OSError as error:
            self.value = Preferences()
            self.left_out = tr(
                "The preferences in {path} could not be read and the defaults are used: {error}", path=path, error=error
            )
        except ValueError as error:
            self.value = Preferences()
            self.left_out = tr(
                "The preferences could not be used and the defaults are: {error}. {kept}",
                error=error,
                kept=self._keep_aside(),
            )

    def _keep_aside(self) -> str:
        """Give the file another name, so that nothing is written over it; the sentence that says which."""
        names = (self._path.with_name(f"{self._path.stem}.kept-{number}.json") for number in range(1, MOST_KEPT + 1))
        aside = next((name for name in names if not name.exists()), None)
        if aside is None:
            return tr(
                "It stays {path} until something is changed: {count} such files are kept already.",
                path=self._path,
                count=MOST_KEPT,
            )
        try:
            os.rename(self._path, aside)
        except OSError as error:
            return tr("It could not be kept as {aside}: {error}", aside=aside, error=error)
        return tr("The file is kept as {aside}.", aside=aside)

    @property
    def directory(self) -> Path:
        """The folder of the preferences, where the console keeps other files of this user too."""
        return self._path.parent

    def set(self, **changes: Any) -> None:
        """Change some fields and write them. Raises ValueError for a value that is not allowed, and for a field that
        does not exist."""
        if self._write(changes):
            self.changed.emit()

    def remember(self, *, window: str, maximized: bool, page: str) -> None:
        """Keep where the window stands and what it shows. Nobody need hear of it: ``changed`` would dress the whole
        window anew. Raises ValueError as ``set`` does."""
        self._write({"window": window, "maximized": maximized, "page": page})

    def remember_table(self, name: str, layout: TableLayout) -> None:
        """Keep how the operator has set a table; as the page made it: keep nothing. ``changed`` is not emitted, as by
        ``remember``."""
        others = {other: one for other, one in self.value.tables.items() if other != name}
        rows = others if layout == AS_MADE else {**others, name: layout}
        self._write({"tables": dict(list(rows.items())[-MOST_TABLES:])})

    def remember_first_steps(self, first_steps: str) -> None:
        """Keep whether the first steps are skipped or shown. ``changed`` is not emitted, as by ``remember``. Raises
        ValueError as ``set`` does."""
        self._write({"first_steps": first_steps})

    def remember_goal(self, handshake_goal_ms: int) -> None:
        """Keep the goal of handshakes. Charts and tiles ask for it whenever they are painted: ``changed`` is not
        emitted, as by ``remember``. Raises ValueError as ``set`` does."""
        self._write({"handshake_goal_ms": handshake_goal_ms})

    def remember_larger_text(self, larger_text: str) -> None:
        """Keep what was answered to the offer of larger text. ``changed`` is not emitted, as by ``remember``. Raises
        ValueError as ``set`` does."""
        self._write({"larger_text": larger_text})

    def _write(self, changes: dict[str, Any]) -> bool:
        """Take the changes and write the file; whether anything changed."""
        value = check(self.value._replace(**changes))
        if value == self.value:
            return False
        self.value = value
        import json

        part = self._path.with_suffix(".part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(_encode(value), indent=2) + "\n", encoding="utf-8")
            os.replace(part, self._path)
            self.problem = ""
        except OSError as error:
            self.problem = tr("The preferences could not be written to {path}: {error}", path=self._path, error=error)
            with contextlib.suppress(OSError):
                part.unlink()
        return True
