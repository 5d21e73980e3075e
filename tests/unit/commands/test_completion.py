"""What bash offers on the command line, asked of a real bash."""

from __future__ import annotations

import subprocess

import pytest

from app.__main__ import _parser, main
from app.commands.completion import _tree, script


def _offered(*words: str) -> set[str]:
    """What is offered for the last word of the line."""
    asked = f'COMP_CWORD={len(words)}; _arc_console; printf "%s\\n" "${{COMPREPLY[@]}}"'
    lines = f'{script(_parser())}\nCOMP_WORDS=(arc-console "$@")\n{asked}\n'
    bash = ["bash", "--norc", "-c", lines, "bash", *words]
    return set(subprocess.run(bash, check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.parametrize("command", [command for command, _ in _tree(_parser(), "")])
def test_each_command_offers_its_own(command: str) -> None:
    """Options, commands below it and the choices of its words, none of another one."""
    parser = dict(_tree(_parser(), ""))[command]
    own = {flag for action in parser._actions for flag in action.option_strings if flag.startswith("--")}
    for action in parser._actions:
        if not action.option_strings:
            own |= set(action.choices or ())
    assert _offered(*command.split(), "") == own


def test_begun_word_is_completed() -> None:
    """Only what begins with it."""
    assert _offered("key", "rotate", "audit") == {"audit-log"}
    assert _offered("key", "rot") == {"rotate", "rotate-kek"}


def test_option_offers_its_choices() -> None:
    """At its command, and before one."""
    assert _offered("key", "create", "--clearance", "") == {"sovereign", "citadel"}
    assert _offered("--profile", "p") == {"production"}


def test_value_of_an_option_is_no_command() -> None:
    """A directory may have a command's name; for the value itself bash offers files."""
    assert _offered("--data-dir", "serve", "--port") == set()
    assert _offered("serve", "--data-dir", "") == set()


def test_command_prints_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    """For ``eval`` in a shell: nothing else is on stdout."""
    assert main(["completion"]) == 0
    assert capsys.readouterr().out == script(_parser())
