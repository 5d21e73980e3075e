"""The language in which the console speaks: English as its code has it, or a translation that Qt's tools made.

``choose`` comes before the first word: tables of words are made once, when their module is imported, so another
language is spoken from the next start on. ``pyside6-lupdate`` finds every call of ``tr`` and keeps the words in
``resources/translations/arc-console_<language>.ts``; ``pyside6-lrelease`` makes the file that is read here.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QLocale, QTranslator

from app.console.theme.resources import ROOT

NAMES: Final[Mapping[str, str]] = {"en": "English", "de": "Deutsch"}
"""Languages that have a catalogue, each by its own name."""
UNFINISHED: Final[frozenset[str]] = frozenset()
"""Catalogues with words that nobody has translated yet: half a sentence in another language misleads at 3 a.m., so
these are neither offered nor taken from the system."""
OFFERED: Final[Mapping[str, str]] = {name: own for name, own in NAMES.items() if name not in UNFINISHED}
"""What an operator can choose."""
PSEUDO: Final = "pseudo"
"""No language: English with accents, in brackets and 40 % longer. It shows a word that was not given to ``tr``, and a
place that has no room for a longer one."""
PSEUDO_GROWTH: Final = 0.4

_WORD = 9
"""Signs of a word that the pseudo-language adds, with its space."""
_ACCENTS = str.maketrans("aceginouyACEGINOUY", "áçéğíñóúýÁÇÉĞÍÑÓÚÝ")
_POINT_AND_COMMA = str.maketrans(",.", ".,")


class LanguageTooLate(RuntimeError):
    """A word was said before its language was chosen: some part of the console would stay in the other one."""


class _LocalFormatter(string.Formatter):
    """Puts values into a sentence; figures get the decimal comma and the full stop between thousands."""

    def format_field(self, value: object, format_spec: str) -> str:
        said: str = super().format_field(value, format_spec)
        if isinstance(value, (int, float)) and format_spec and format_spec[-1] in "f%,g":
            return said.translate(_POINT_AND_COMMA)
        return said


_chosen = "en"
_spoken = False
_catalogue: QTranslator | None = None
_FORMATTER = _LocalFormatter()


def language() -> str:
    """The language in force: a key of ``NAMES``, or ``PSEUDO``."""
    return _chosen


def choose(wanted: str) -> None:
    """Speak ``wanted`` from the first word on: a key of ``NAMES``, ``PSEUDO``, or ``system``, the first language of the
    operating system's user that is offered, else English. Raises LanguageTooLate when a word was said already in
    another language, ValueError for a language that is not here or whose file is damaged."""
    global _chosen, _catalogue
    name = of_system() if wanted == "system" else wanted
    if name not in (*NAMES, PSEUDO):
        raise ValueError(f"no words in {name!r}")
    if name == _chosen:
        return
    if _spoken:
        raise LanguageTooLate(f"{_chosen} was spoken before {name} was chosen")
    _catalogue = None if name in ("en", PSEUDO) else _read(f"arc-console_{name}")
    _chosen = name


def of_system() -> str:
    """The first language of the operating system's user that is offered, else English."""
    wanted = (tag.replace("_", "-").split("-")[0].lower() for tag in QLocale.system().uiLanguages())
    return next((tag for tag in wanted if tag in OFFERED), "en")


def tr(text: str, note: str = "", /, **values: object) -> str:
    """The text in the chosen language; ``values`` stand in it as ``{name}`` or ``{name:.1f}``, as for ``str.format``.
    Without values nothing is replaced, so braces are plain. ``note`` tells apart what English says by one word and
    another language by two. Raises KeyError for a name that has no value."""
    global _spoken
    _spoken = True
    if _chosen == "en":
        return text.format(**values) if values else text
    if _catalogue is None:
        return _pseudo(text).format(**values) if values else f"[{text.translate(_ACCENTS)}{_growth(text)}]"
    # No context: ``tr`` is one function, so the same words are the same everywhere. A text that has no translation
    # gives none: then it is said as it stands.
    said = _catalogue.translate("", text, note) or text
    return _FORMATTER.vformat(said, (), values) if values else said


def number(value: float, spec: str) -> str:
    """A figure alone, as ``format`` writes it, with the point and the comma of the chosen language."""
    return format(value, spec) if _catalogue is None else _FORMATTER.format_field(value, spec)


def local_figure(text: str) -> str:
    """A text of the API that begins with a figure, ``12.34 ms``, as the chosen language writes it; again, it is turned
    back."""
    return text if _catalogue is None else text.translate(_POINT_AND_COMMA)


def _read(name: str) -> QTranslator:
    """The words in a file of ``lrelease``. Raises ValueError when it is missing or damaged."""
    translator = QTranslator()
    if not translator.load(name, str(ROOT / "translations")):
        raise ValueError(f"{name} cannot be read")
    return translator


def _pseudo(text: str) -> str:
    """The template ``text`` as no language has it; the places of values stay."""
    parts = []
    for plain, name, spec, conversion in string.Formatter().parse(text):
        # ``parse`` gave doubled braces as one.
        parts.append(plain.translate(_ACCENTS).replace("{", "{{").replace("}", "}}"))
        if name is not None:
            parts.append("{" + name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}")
    return f"[{''.join(parts)}{_growth(text)}]"


def _growth(text: str) -> str:
    """What the text has grown by, in words that a line can break between."""
    grown = max(1, round(len(text) * PSEUDO_GROWTH))
    return "".join(" " if at % _WORD == _WORD - 1 else "·" for at in range(grown))
