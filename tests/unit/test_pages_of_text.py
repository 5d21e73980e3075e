"""Pages of text and the code agree: cited pages exist, links lead somewhere, commands that are shown can be given.

A fault is named as ``file:line: what is wrong``.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import itertools
import re
import shlex
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.__main__ import _parser
from tests.perf.__main__ import MODULES

ROOT = Path(__file__).parents[2]
PLACES = ("app", "hardware", "packaging", "resources", "tests")
CODE = sorted(path for place in ("app", "hardware", "tests") for path in (ROOT / place).rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *(path for place in PLACES for path in (ROOT / place).rglob("*.md"))])

_URL = re.compile(r"\w+://\S+")
_PAGE = re.compile(r"(?<![\w*./-])[\w.-]+(?:/[\w.-]+)*\.md\b")
_SECTION = re.compile(r"``([\w./-]*README\.md)``, (?:sections? )?(\d+)(?: and (\d+))?")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_COMMAND = re.compile(r"(?:\w+=\S*\s+)*(?:\S*/)?(?:arc-console|python3?|sh)\s")
_STATEMENT_STARTS = frozenset({tokenize.ENCODING, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.NL})


def place(path: Path, line: int) -> str:
    """Where a fault is."""
    return f"{path.relative_to(ROOT)}:{line}"


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Comments and docstrings of a module that names a page, each with its first line; of a page, its lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from enumerate(text.splitlines(), 1)
        return
    if ".md" not in text:
        return
    before = tokenize.ENCODING
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and before in _STATEMENT_STARTS):
            yield token.start[0], token.string
        if token.type != tokenize.COMMENT:
            before = token.type


def cited(path: Path, name: str) -> Path | None:
    """The page that ``path`` cites as ``name``: beside it, or from a folder above it; None where there is none."""
    return next(
        (folder / name for folder in path.parents if ROOT in (folder, *folder.parents) and (folder / name).is_file()),
        None,
    )


def blank(text: str) -> str:
    """Without addresses of the web, whose files are not ours."""
    return _URL.sub(lambda found: " " * len(found[0]), text)


def commands(page: Path) -> Iterator[tuple[int, list[str]]]:
    """What a page shows to be typed: lines of its ``sh`` blocks, and spans that begin with a command of ours."""
    language: str | None = None
    joined = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            language = line.strip().removeprefix("```") if language is None else None
        elif language == "sh":
            joined += line.removesuffix("\\") + " "
            if not line.endswith("\\"):
                if _COMMAND.match(joined.strip() + " "):
                    yield number, shlex.split(joined, comments=True)
                joined = ""
        elif language is None:
            for span in _SPAN.findall(line):
                if _COMMAND.match(span):
                    yield number, shlex.split(span)


def fault(words: list[str]) -> str | None:
    """Why a command cannot be given; None for one that can be, and for one that is not of this program."""
    program, *rest = itertools.dropwhile(_is_assignment, words)
    rest = [word for word in rest if not (word.startswith("[") or word.endswith("]"))]
    name = program.rsplit("/", 1)[-1]
    if name == "arc-console":
        return _console_fault(rest)
    if name == "sh" and rest and rest[0].startswith("packaging/"):
        script, *rest = rest
        if not (ROOT / script).is_file():
            return f"there is no {script}"
        if script == "packaging/run.sh":
            return _console_fault([word for word in rest if word != "--setup-only"])
        return _test_fault(rest)
    if name.startswith("python") and rest[:1] == ["-m"]:
        module, *rest = rest[1:]
        if importlib.util.find_spec(module) is None:
            return f"there is no module {module}"
        return _test_fault(rest) if module == "pytest" else _perf_fault(rest) if module == "tests.perf" else None
    if name.startswith("python") and rest and rest[0].endswith(".py"):
        return None if (ROOT / rest[0]).is_file() else f"there is no {rest[0]}"
    return None


def _is_assignment(word: str) -> bool:
    return re.fullmatch(r"\w+=\S*", word) is not None


def _console_fault(words: list[str]) -> str | None:
    """Whether the command line takes it. Words that only name a command (``arc-console key``) must name one."""
    parser: argparse.ArgumentParser | None = _parser()
    for word in words:
        parser = None if parser is None else _subcommands(parser).get(word)
    if parser is not None or words[-1:] == ["..."]:
        return None
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            _parser().parse_args(words)
    except SystemExit as end:
        return said.getvalue().strip().rsplit("\n", 1)[-1] if end.code else None
    return None


def _subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands below a parser, by their words."""
    return {
        word: below
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for word, below in action.choices.items()
    }


def _test_fault(words: list[str]) -> str | None:
    """Files and folders of tests that a command names, and benchmarks."""
    if words[:1] == ["perf"]:
        return _perf_fault(words[1:])
    files = [word.split("::")[0] for word in words if word.startswith("tests/")]
    return next((f"there is no {file}" for file in files if not (ROOT / file).exists()), None)


def _perf_fault(words: list[str]) -> str | None:
    return next((f"there is no benchmark {word}" for word in words if word not in MODULES), None)


def test_every_page_that_is_cited_exists() -> None:
    """Beside the file that cites it, or named from a folder above."""
    faults = [
        f"{place(path, first + blank(text)[: found.start()].count(chr(10)))}: there is no {found[0]}"
        for path in (*CODE, *PAGES)
        for first, text in prose(path)
        for found in _PAGE.finditer(blank(text))
        if cited(path, found[0]) is None
    ]
    assert not faults, "\n".join(faults)


def test_every_section_that_is_cited_exists() -> None:
    """A number that docstrings give is that of a heading."""
    faults = []
    for path in CODE:
        for first, text in prose(path):
            for found in _SECTION.finditer(text):
                page = cited(path, found[1])
                headings = "" if page is None else page.read_text(encoding="utf-8")
                faults += [
                    f"{place(path, first)}: {found[1]} has no section {number}"
                    for number in found.groups()[1:]
                    if number is not None and not re.search(rf"^## {number}\. ", headings, re.MULTILINE)
                ]
    assert not faults, "\n".join(faults)


def test_every_link_leads_somewhere() -> None:
    """Relative links of all pages; those to the web are not looked at."""
    faults = [
        f"{place(page, number)}: the link {target} leads nowhere"
        for page in PAGES
        for number, line in prose(page)
        for target in _LINK.findall(line)
        if not _URL.match(target)
        and not target.startswith(("#", "mailto:"))
        and not (page.parent / target.split("#")[0]).exists()
    ]
    assert not faults, "\n".join(faults)


def test_every_command_that_is_shown_can_be_given() -> None:
    """``arc-console`` through its own parser, which runs nothing; scripts, modules and tests by their names."""
    faults = [
        f"{place(page, number)}: {shlex.join(words)}: {wrong}"
        for page in PAGES
        for number, words in commands(page)
        if (wrong := fault(words)) is not None
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "command",
    [
        "arc-console frobnicate",
        "arc-console serve --port lots",
        "arc-console key destroy",
        "sh packaging/gone.sh",
        "sh packaging/run.sh tour --to /tmp/tour",
        "sh packaging/test.sh tests/gone",
        "sh packaging/test.sh perf gone",
        "python -m tests.gone",
        "QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest tests/gone.py::test_it",
        "python3 resources/gone.py FILE",
    ],
)
def test_a_command_that_cannot_be_given_is_a_fault(command: str) -> None:
    """What the tests above rely on: they would tell."""
    assert fault(shlex.split(command)) is not None


def test_the_guide_s_commands_are_seen() -> None:
    """The blocks of README.md are read, continued lines as one."""
    shown = [words[1:2] for _, words in commands(ROOT / "README.md") if words[0].endswith("arc-console")]
    assert ["witness"] in shown
    assert ["verify"] in shown
