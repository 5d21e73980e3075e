"""The language of the console. A language is chosen once a process, so each is spoken in a process of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess, QProcessEnvironment

from app.console.language import LanguageTooLate, choose, language, number, tr

HEAD = "from app.console.language import choose, language, number, of_system, tr\n"


def said(script: str, **environment: str) -> str:
    """What a new process prints."""
    process = QProcess()
    own = QProcessEnvironment()
    for name, value in {"LC_ALL": "C.UTF-8", **environment}.items():
        own.insert(name, value)
    process.setProcessEnvironment(own)
    process.setWorkingDirectory(os.fspath(Path(__file__).parents[2]))
    process.start(sys.executable, ["-c", HEAD + script])
    assert process.waitForFinished(60_000)
    assert process.exitCode() == 0, bytes(process.readAllStandardError().data()).decode()
    return bytes(process.readAllStandardOutput().data()).decode().strip()


def test_english_is_spoken_as_it_is_written() -> None:
    """Braces are plain where nothing is put in."""
    assert tr("A {word} stays") == "A {word} stays"


def test_values_stand_in_the_sentence() -> None:
    """As ``format`` puts them."""
    assert tr("{ms:,.1f} ms at {{door}} {name}", ms=1234.56, name="{x}") == "1,234.6 ms at {door} {x}"


def test_a_figure_alone_is_written_as_it_was_asked() -> None:
    """English has the decimal point."""
    assert number(1234.5, ",.1f") == "1,234.5"


def test_a_language_is_not_chosen_after_the_first_word() -> None:
    """Half of the window would stay in the other one."""
    tr("A word")
    with pytest.raises(LanguageTooLate):
        choose("de")
    assert language() == "en"


def test_a_language_that_is_not_here_is_refused() -> None:
    """Nothing is guessed."""
    with pytest.raises(ValueError, match="xx"):
        choose("xx")


def test_german_figures_have_the_decimal_comma() -> None:
    """In a sentence and alone; what is no figure is left as it is."""
    script = """choose("de")
print(tr("{ms:,.1f} {count:,} {name}", ms=1234.56, count=12345, name="1.5"), number(2.5, ".2f"))"""
    assert said(script) == "1.234,6 12.345 1.5 2,50"


def test_german_words_come_from_the_catalogue() -> None:
    """The file of Qt's tools is found and read."""
    assert said('choose("de"); print(tr("Save"), tr("no sentence of ours"))') == "Speichern no sentence of ours"


@pytest.mark.parametrize(("tags", "spoken"), [("en_GB:fr", "en"), ("fr", "en"), ("de_AT:fr", "de"), ("fr:de", "de")])
def test_the_system_is_asked_for_its_first_language_that_is_offered(tags: str, spoken: str) -> None:
    """One that the console does not speak is passed over."""
    environment = {"LANGUAGE": tags, "LC_ALL": "", "LANG": "fr_FR.UTF-8", "LC_MESSAGES": "fr_FR.UTF-8"}
    assert said('choose("system"); print(language())', **environment) == spoken


def test_the_pseudo_language_grows_and_keeps_its_values() -> None:
    """By two fifths, in brackets, with accents."""
    script = 'choose("pseudo"); print(tr("Door {name!r} is {share:.0%}", name="a", share=0.5), tr("a {b"))'
    assert said(script) == "[Dóór 'a' ís 50%········ ··] [á {b··]"


def test_a_german_figure_is_read_back() -> None:
    """As a table sorts its cells, and as the panel writes a figure of the service."""
    script = """choose("de")
from app.console.language import local_figure
from app.console.widgets.table_order import figure
print(figure("1.234,5 ms"), local_figure("12.34 ms"))"""
    assert said(script) == "1234.5 12,34 ms"
