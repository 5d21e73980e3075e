"""The catalogues of the console's words: made by Qt's tools from what the code says now."""

from __future__ import annotations

import shutil
import string
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from app.console.language import NAMES, UNFINISHED

ROOT = Path(__file__).parents[2]
LANGUAGES = sorted(set(NAMES) - {"en"})


def messages(path: Path) -> list[ElementTree.Element]:
    """What a catalogue has."""
    return list(ElementTree.parse(path).iter("message"))


def told(message: ElementTree.Element, part: str) -> str:
    """A text of a message; empty where it has none."""
    found = message.find(part)
    return "" if found is None or found.text is None else found.text


def fields(text: str) -> list[tuple[str | None, str | None, str | None]]:
    """The values that a text takes, in the order of their names."""
    return sorted(found[1:] for found in string.Formatter().parse(text) if found[1] is not None)


@pytest.fixture(scope="module")
def made_anew(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of catalogues as ``packaging/translate.sh`` makes it from a copy of the tree."""
    tree = tmp_path_factory.mktemp("tree")
    for part in ("app/console", "resources/translations"):
        shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "packaging").mkdir()
    shutil.copy(ROOT / "packaging" / "translate.sh", tree / "packaging")
    (tree / ".venv").symlink_to(Path(sys.prefix))
    subprocess.run(["sh", "packaging/translate.sh"], cwd=tree, check=True, capture_output=True)
    return tree / "resources" / "translations"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["ts", "qm"])
def test_the_catalogue_is_of_the_words_that_are_said(language: str, kind: str, made_anew: Path) -> None:
    """Neither a text that came later nor one that is gone, and the file that is read is of the file that is edited."""
    name = f"arc-console_{language}.{kind}"
    assert (made_anew / name).read_bytes() == (ROOT / "resources" / "translations" / name).read_bytes()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_takes_the_same_values(language: str) -> None:
    """A name that is missing or misspelt would fail when the sentence is said."""
    found = messages(ROOT / "resources" / "translations" / f"arc-console_{language}.ts")
    assert found
    wrong = [
        told(one, "source")
        for one in found
        if told(one, "translation") and fields(told(one, "translation")) != fields(told(one, "source"))
    ]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_that_is_offered_is_complete(language: str) -> None:
    """And one that is complete is offered."""
    found = messages(ROOT / "resources" / "translations" / f"arc-console_{language}.ts")
    unfinished = [told(one, "source") for one in found if not told(one, "translation")]
    assert bool(unfinished) == (language in UNFINISHED), f"{len(unfinished)} unfinished: {unfinished[:5]}"
