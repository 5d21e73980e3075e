"""``arc-console man``: the manual page, made from the command line's own table."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

from app import VERSION

FEW: Final = 3
"""Choices that are shown in the place of a value; more of them stand in the text."""

_HEAD: Final = r""".TH ARC\-CONSOLE 1 "" "arc\-console {version}" "User Commands"
.SH NAME
arc\-console \- verify people, write cards, watch frames, burn access
.SH SYNOPSIS
.B arc\-console
.RI [ OPTION ...]
.br
.B arc\-console
.I COMMAND
.RI [ OPTION ...]
.SH DESCRIPTION
Without a command the console opens. Unless another site is named it is the training site, which is made at the first
start: a whole organization in software, marked TRAINING wherever it is shown.
.P
The console talks to a service, which it starts by itself, or finds at the address of
.BR \-\-connect .
Each command has
.BR \-\-help .
"""
_TAIL: Final = r""".SH FILES
.TP
.I ~/.local/share/arc\-console/training, ~/.local/share/arc\-console/production
The sites of this user: store, wrapped keys, settings (\fIsite.json\fR), and the version that wrote them
(\fIprogram.json\fR).
.TP
.I /var/lib/arc\-console
The site of the systemd unit.
.TP
.IR upgrades/ " in a site's directory"
The backups that were made before a new version migrated the store.
.SH EXIT STATUS
.TP
.B 0
Done, and nothing found.
.TP
.B 1
.BR doctor :
warnings;
.BR fsck " and " verify :
something does not hold; others: it failed.
.TP
.B 2
Refused, with one sentence on the standard error that says why;
.BR doctor :
something is broken.
.SH EXAMPLES
.TP
.B arc\-console
Opens the training site.
.TP
.B arc\-console doctor
Says what is missing or wrong on this machine, with a command for each.
.TP
.B arc\-console backup \-\-out site.backup
Copies the training site into one file, beside its service or without it.
"""


def run(parser: argparse.ArgumentParser) -> int:
    """Prints the page for this command line; the exit code."""
    print(page(parser), end="")
    return 0


def page(parser: argparse.ArgumentParser) -> str:
    """The whole page, for ``man``."""
    lines = [_HEAD.format(version=_escape(VERSION)).rstrip("\n"), ".SH OPTIONS", *_options(parser), ".SH COMMANDS"]
    for command, text, node in _commands(parser, ""):
        lines += [f".SS {_escape(command.strip())}", _sentence(text), *_options(node)]
    return "\n".join([*lines, _TAIL.rstrip("\n")]) + "\n"


def _commands(parser: argparse.ArgumentParser, before: str) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Every command that can be given, with what it is for, in the order of the table."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            texts = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, below in action.choices.items():
                command = f"{before} {name}"
                inner = list(_commands(below, command))
                if not inner:
                    yield command, texts.get(name, ""), below
                yield from inner


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """A paragraph for each option and argument of one command. All of them have ``--help``: the page says so once."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction | argparse._HelpAction):
            continue
        value = "" if action.nargs == 0 else rf"\fI{_escape(_value(action))}\fR"
        names = ", ".join(rf"\fB{_escape(name)}\fR" for name in action.option_strings)
        yield ".TP"
        yield f"{names} {value}".strip()
        texts = [action.help or ""]
        if action.choices is not None and len(list(action.choices)) > FEW:
            texts.append(f"one of {', '.join(map(str, action.choices))}")
        if action.required and action.option_strings:
            texts.append("must be given")
        yield " ".join(map(_sentence, texts))


def _value(action: argparse.Action) -> str:
    """How the value of an option, or an argument, is shown."""
    if action.choices is not None and len(list(action.choices)) <= FEW:
        shown = "|".join(map(str, action.choices))
    else:
        shown = str(action.metavar or action.dest.upper())
    return f"{shown} ..." if action.nargs == "+" else shown


def _sentence(text: str) -> str:
    """A line of text: with a capital and its end, and never a request of roff."""
    said = text.strip().replace("%%", "%")
    said = said[:1].upper() + said[1:]
    if not said.endswith("."):
        said += "."
    said = _escape(said)
    return rf"\&{said}" if said.startswith((".", "'")) else said


def _escape(text: str) -> str:
    """Text as roff prints it: a backslash, a hyphen that can be copied, a straight quote."""
    return text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga")
