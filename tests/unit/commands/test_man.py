"""The manual page, as man and groff read it."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.__main__ import _parser, main
from app.commands.completion import _tree
from app.commands.man import page

ROOT = Path(__file__).parents[3]
needs_man = pytest.mark.skipif(shutil.which("man") is None, reason="no man on this machine")


def actions() -> Iterator[tuple[str, argparse.Action]]:
    """Every option and argument of the command line, with its command."""
    for command, parser in _tree(_parser(), ""):
        for action in parser._actions:
            if not isinstance(action, argparse._SubParsersAction):
                yield command, action


def shown(tmp_path: Path) -> str:
    """The page as a reader sees it, without bold and underlined letters; what man warned of is a failure."""
    file = tmp_path / "arc-console.1"
    file.write_text(page(_parser()))
    ended = subprocess.run(
        ["man", "--warnings=all", "-l", str(file)],
        env={**os.environ, "MANWIDTH": "100", "MAN_KEEP_FORMATTING": "", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stderr == ""
    return ended.stdout


@needs_man
def test_the_page_shows_every_command_without_a_warning(tmp_path: Path) -> None:
    """With all its options, as they are typed."""
    text = shown(tmp_path)
    lines = {line.strip() for line in text.splitlines()}
    for command, parser in _tree(_parser(), ""):
        if command and not any(isinstance(action, argparse._SubParsersAction) for action in parser._actions):
            assert command.strip() in lines
    for _, action in actions():
        assert all(option in text for option in action.option_strings)


@needs_man
def test_groff_has_nothing_to_say() -> None:
    """Neither on a terminal nor for a printer, at any width of its own."""
    for device in ("utf8", "ps", "html"):
        if device == "html" and not Path("/usr/share/groff/current/font/devhtml").exists():
            continue
        ended = subprocess.run(
            ["groff", "-man", f"-T{device}", "-ww", "-z"],
            input=page(_parser()),
            capture_output=True,
            text=True,
            check=False,
        )
        if "cannot load" in ended.stderr or "DESC" in ended.stderr:
            continue
        assert (ended.returncode, ended.stderr) == (0, "")


def test_every_option_says_what_it_is_for() -> None:
    """In the page, and in ``--help``."""
    assert [(command, action.dest) for command, action in actions() if not action.help] == []


def test_no_line_of_text_is_a_request() -> None:
    """A help text that begins with a dot, or has a backslash, is printed as it is."""
    parser = argparse.ArgumentParser(prog="arc-console")
    parser.add_argument("--odd", help=r".so /etc/passwd \fB 'x'")
    text = page(parser)
    assert r"\&.so /etc/passwd \efB \(aqx\(aq." in text
    assert "\n.so" not in text


def test_the_command_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    """And nothing else."""
    assert main(["man"]) == 0
    assert capsys.readouterr().out == page(_parser())
