"""``arc-console completion``: what bash needs to complete the command line, made from the command line's own table."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

_SCRIPT: Final = """\
_arc_console() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= option= word words=
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$option" in
            {valued}) option= ; continue ;;
        esac
        option=$word
        case "$command $word" in
            {commands}) command="$command $word" ;;
        esac
    done
    case "$command $before" in
{choices}
        *) case "$before" in
            {valued}) ;;
            *) case "$command" in
{words}
            esac ;;
        esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _arc_console arc-console
"""
"""A command is its words, each after a blank; none is the empty text. Without words bash completes names of files."""


def run(parser: argparse.ArgumentParser) -> int:
    """Prints the script for this command line; the exit code."""
    print(script(parser), end="")
    return 0


def script(parser: argparse.ArgumentParser) -> str:
    """The whole script for this command line."""
    tree = list(_tree(parser, ""))
    words, choices = [], []
    valued: set[str] = set()
    for command, node in tree:
        shown = [flag for action in node._actions for flag in action.option_strings if flag.startswith("--")]
        for action in node._actions:
            if not action.option_strings and action.choices:
                shown += action.choices
            elif action.option_strings and action.nargs != 0:
                valued.update(action.option_strings)
                if action.choices:
                    flags = "|".join(f'"{command} {flag}"' for flag in action.option_strings)
                    choices.append(f'        {flags}) words="{" ".join(action.choices)}" ;;')
        words.append(f'                "{command}") words="{" ".join(shown)}" ;;')
    return _SCRIPT.format(
        valued="|".join(sorted(valued)),
        commands="|".join(f'"{command}"' for command, _ in tree if command),
        choices="\n".join(choices),
        words="\n".join(words),
    )


def _tree(parser: argparse.ArgumentParser, command: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The parser and those of all commands below it, each with its words."""
    yield command, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from _tree(below, f"{command} {name}")
