"""Run by ``test_other_languages.py`` in a process that speaks the pseudo-language: words outside its brackets were
never given to ``tr``, so no translation has them."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QTableView, QTabWidget, QWidget

from app.console.page import PageRow
from app.console.pages import PAGES
from tests.console import dialogs, operator_rows
from tests.console.built import built
from tests.console.dialogs import DIALOGS
from tests.console.pages import strike_samples
from tests.console.pages.conftest import MakeWindow, make_window

__all__ = ["make_window"]
SIZE = QSize(1480, 900)
_KEYS = re.compile(r"\b(?:(?:Ctrl|Alt|Shift)[+ ])+\S+|\b(?:Esc|Del|Space|PgUp|PgDown|Return|Enter|Home|End|F\d+)\b")
_NAMES = re.compile(
    r"ARC Console|Standard Webhooks|BambooHR|HTTP Basic|TR-31 Key Block|OpenLDAP|Active Directory|FreeIPA"
    r"|389 Directory Server|FIPS 140-\d Level \d(?: physical \d)?|Workday|workday|max|English|Deutsch"
)
"""Names of products, standards and figures: the same in every language."""
_CODES = re.compile(r"[0-9a-f]{16,}|\S+\.example\b|\S*[^\sA-Za-z.,:;]\S*|\b[A-Z]+s?\b")
"""Ids, addresses, field names, and what is written in capitals: GUID, PIN, UTC."""
_OF_QT = ("ScrollLeftButton", "ScrollRightButton")
"""Buttons of a row of tabs, which Qt names and translates itself."""
_WORD = re.compile(r"[A-Za-z]{3,}")


def _given() -> tuple[re.Pattern[str], frozenset[str]]:
    """What the tests themselves fill the dialogs with: sentences, wherever they stand, and single words alone."""
    trees = (ast.parse(Path(str(module.__file__)).read_text()) for module in (dialogs, operator_rows, strike_samples))
    nodes = (node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant))
    told = {text for text in nodes if isinstance(text, str) and text}
    sentences = sorted((text for text in told if " " in text and text.strip()), key=len, reverse=True)
    return re.compile("|".join(re.escape(text).replace(r"\{n\}", r"\d+") for text in sentences)), frozenset(told)


SENTENCES, GIVEN = _given()


def outside(text: str) -> str:
    """What stands outside brackets."""
    depth, kept = 0, []
    for sign in text:
        depth += (sign == "[") - (sign == "]")
        if depth == 0 and sign != "]":
            kept.append(sign)
    return "".join(kept)


def has_words(text: str) -> bool:
    """Whether words stand outside brackets that are no key, name, code or filling of the tests."""
    if text in GIVEN:
        return False
    rest = outside(SENTENCES.sub(" ", _NAMES.sub(" ", text)))
    for known in (_KEYS, _CODES):
        rest = known.sub(" ", rest)
    return _WORD.search(rest) is not None


def texts(room: QWidget) -> Iterator[tuple[str, str]]:
    """Every text that the widgets of ``room`` show or say, hidden ones too, with the class of the widget."""
    for widget in (room, *room.findChildren(QWidget)):
        if widget.objectName() in _OF_QT:
            continue
        said = [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.windowTitle()]
        if isinstance(widget, QLabel | QAbstractButton):
            said.append(widget.text())
        elif isinstance(widget, QLineEdit):
            said.append(widget.placeholderText())
        elif isinstance(widget, QComboBox):
            said += [widget.itemText(at) for at in range(widget.count())]
        elif isinstance(widget, QTabWidget):
            said += [widget.tabText(at) for at in range(widget.count())]
        elif isinstance(widget, QTableView) and widget.model() is not None:
            model = widget.model()
            said += [
                str(model.headerData(at, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole) or "")
                for at in range(model.columnCount())
            ]
        yield from ((type(widget).__name__, text) for text in said if text)


def bare(room: QWidget) -> str:
    """Texts with a word outside brackets, a line each."""
    return "\n".join(dict.fromkeys(f"{kind}: {text!r}" for kind, text in texts(room) if has_words(text)))


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.id)
def test_every_text_of_a_page_is_given_to_tr(row: PageRow, make_window: MakeWindow) -> None:
    """In all its tabs, as it stands before the service has said anything."""
    window = make_window(SIZE, 100)
    window.add_presenter(row.id, built(importlib.import_module(row.module), window.session))
    assert bare(window.presenter(row.id).view) == ""


def test_every_text_of_the_window_is_given_to_tr(make_window: MakeWindow) -> None:
    """The frame around the pages."""
    assert bare(make_window(SIZE, 100)) == ""


def test_every_action_is_given_to_tr(make_window: MakeWindow) -> None:
    """Titles and hints of the palette's lines, of all pages."""
    window = make_window(SIZE, 100)
    for row in PAGES:
        window.add_presenter(row.id, built(importlib.import_module(row.module), window.session))
    said = {text for action in window.session.actions.all() for text in (action.title, action.hint)}
    assert sorted(filter(has_words, said)) == []


@pytest.mark.parametrize("name", DIALOGS)
def test_every_text_of_a_dialog_is_given_to_tr(name: str, make_window: MakeWindow) -> None:
    """Filled as a site fills it."""
    dialog = DIALOGS[name](make_window(SIZE, 100))
    dialog.open()
    found = bare(dialog)
    dialog.done(0)
    assert found == ""
