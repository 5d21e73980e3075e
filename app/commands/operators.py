"""``arc-console operator``: who may sit at the desk, made by the holder of the data directory.

A passphrase is typed at the terminal, unseen and twice, or is the first line of stdin where that is no terminal. It is
never an argument or in the environment, which other processes may read.
"""

from __future__ import annotations

import argparse
import getpass
import sys
import unicodedata
from collections.abc import Callable

import msgspec

from app.api.problems import Problem
from app.commands.options import EXIT_OK, data_dir_of, existing_site, profile_of, refuse
from app.operators.messages import OperatorBody
from app.operators.passphrases import MOST_BYTES, check_passphrase
from app.service.process import limit_process
from app.site.site import Site
from app.store.errors import StoreError
from hardware.memory import wipe


class PassphraseRefused(ValueError):
    """No passphrase was given, or it is none."""


def run_create(options: argparse.Namespace) -> int:
    """``operator create``: makes an operator, beside a running service or without one, and prints its id alone."""
    from app.service.assembly import create_operator

    limit_process()
    site = Site.open(data_dir_of(options), profile_of(options))
    roles = sorted({*options.roles, *(["admin"] if options.admin else [])})
    try:
        body = msgspec.convert(
            {"display_name": options.name, "roles": roles, "node_id": options.node, "methods": ["passphrase"]},
            OperatorBody,
        )
        print(_with_passphrase(lambda passphrase: create_operator(site, body, passphrase)))
    except msgspec.ValidationError as error:
        return refuse(ValueError(f"Name at least one role, by --admin or --role. {error}"))
    except (StoreError, Problem, PassphraseRefused) as error:
        return refuse(_sentence(error))
    return EXIT_OK


def run_passphrase(options: argparse.Namespace) -> int:
    """``operator passphrase OPERATOR_ID``: for somebody who has forgotten it."""
    from app.service.assembly import set_operator_passphrase

    limit_process()
    site = existing_site(options)
    try:
        print(_with_passphrase(lambda passphrase: set_operator_passphrase(site, options.operator_id, passphrase)))
    except (StoreError, Problem, PassphraseRefused) as error:
        return refuse(_sentence(error))
    return EXIT_OK


def _with_passphrase(use: Callable[[memoryview], str]) -> str:
    """What ``use`` makes of the passphrase that the person gives, which is wiped afterwards."""
    passphrase = _read_passphrase()
    try:
        check_passphrase(memoryview(passphrase), "")
        return use(memoryview(passphrase))
    finally:
        wipe(passphrase)


def _read_passphrase() -> bytes:
    """The passphrase as UTF-8 in normalization form C, as a console sends it. ``PassphraseRefused``: none was given."""
    if sys.stdin.isatty():
        typed = getpass.getpass("Passphrase: ")
        if getpass.getpass("Once more: ") != typed:
            raise PassphraseRefused("The two passphrases differ. Nothing was made.")
    else:
        line = sys.stdin.buffer.readline(MOST_BYTES + 2)
        if not line:
            raise PassphraseRefused("There is no terminal to ask at: write the passphrase as the first line of stdin.")
        try:
            typed = line.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            raise PassphraseRefused("A passphrase is UTF-8 text.") from None
    return unicodedata.normalize("NFC", typed).encode()


def _sentence(error: Exception) -> Exception:
    """What a ``Problem`` says to the person: its field errors, where it has some."""
    if isinstance(error, Problem) and error.errors:
        return ValueError(" ".join(one.detail for one in error.errors))
    return ValueError(error.detail) if isinstance(error, Problem) else error
