"""Hands a PDF to the print system (CUPS) of this machine: ``lp``, with the document on its standard input.

::

    PrintFailed          nothing was printed; the text is a sentence for people
    +-- NoPrintSystem    there is none here, it does not run, or it has no printer: save the PDF instead
    +-- PrintUnknown     no answer in time: it may have been printed all the same

A document may hold a PIN. It goes through a pipe and never into a file, an argument, the environment or a log of ours;
the job's title is a word for the kind of paper. What CUPS does with it is CUPS's: its spool keeps the data of finished
jobs, readable by root alone, for a day unless ``cupsd.conf`` says ``PreserveJobFiles No``, as it should where letters
with PINs are printed; no client can ask for that.

Processes are started and waited for on worker threads: that blocks, and the GUI thread must not.
"""

from __future__ import annotations

import asyncio
import enum
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.console.language import tr
from app.program import outside

if TYPE_CHECKING:
    from app.console.preferences import PreferenceStore

ASK_WITHIN_S = 10.0
"""For a query: ``lpstat -e`` also looks for printers in the network, which takes some seconds."""
SEND_WITHIN_S = 60.0
"""For a document: a batch's badges are some megabytes, and the print system may be on another machine."""

SAVE_INSTEAD = tr("Save the PDF instead.")
_NAME = re.compile(r"[^\s/#'\"\\\x00-\x1f\x7f-][^\s/#'\"\\\x00-\x1f\x7f]{0,126}(/[^\s/#'\"\\\x00-\x1f\x7f]{1,126})?\Z")
"""A destination, or a destination and an instance of it (``lpadmin(8)``)."""
_JOB = re.compile(r"request id is (\S+-[0-9]+) ")
_DEFAULT = re.compile(r"system default destination: (\S+)")
_REMEMBERED_MAX = 64


class PrintFailed(Exception):
    """Nothing was printed; the text is a sentence for people."""


class NoPrintSystem(PrintFailed):
    """No print system is there, or it has no printer."""


class PrintUnknown(PrintFailed):
    """The print system did not answer in time; it may have taken the document."""


class Paper(enum.Enum):
    """What is printed. Each kind has a printer of its own: cards, labels and letters come out of different machines."""

    BADGE = (tr("Badges"), "badge_printer")
    LABEL = (tr("Labels"), "label_printer")
    LETTER = (tr("Letter"), "letter_printer")

    def __init__(self, title: str, preference: str) -> None:
        self.title = title
        self.preference = preference


@dataclass(frozen=True)
class Printers:
    """The print system's destinations, by name, and its default one (empty: none)."""

    names: tuple[str, ...]
    default: str = ""


@dataclass(frozen=True)
class PrintJob:
    """A document that the print system has taken: ``job_id`` as ``lpstat`` and ``cancel`` know it."""

    printer: str
    job_id: str


async def printers() -> Printers:
    """The printers of this machine. Raises NoPrintSystem, also for a print system without a printer; PrintFailed."""
    state = await _answer("lpstat", ["-r"])
    if "is running" not in state:
        raise NoPrintSystem(
            tr("The print system of this machine does not run. {save_instead}", save_instead=SAVE_INSTEAD)
        )
    names = tuple(sorted(name for name in (await _answer("lpstat", ["-e"])).splitlines() if _NAME.match(name)))
    if not names:
        raise NoPrintSystem(
            tr("The print system of this machine has no printer. {save_instead}", save_instead=SAVE_INSTEAD)
        )
    found = _DEFAULT.search(await _answer("lpstat", ["-d"]))
    return Printers(names, found[1] if found is not None and found[1] in names else "")


async def print_pdf(document: bytes, printer: str, paper: Paper) -> PrintJob:
    """Give ``document`` to ``printer``, a name from ``printers()``. Raises PrintFailed (NoPrintSystem, PrintUnknown);
    ValueError if the document is no PDF or the name no printer's name."""
    if not document.startswith(b"%PDF-"):
        raise ValueError("only a PDF is printed")
    if not _NAME.match(printer):
        raise ValueError("this is no printer's name")
    arguments = ["-d", printer, "-t", paper.title]
    if paper is not Paper.LETTER:
        # Printed to scale: a code that is shrunk to a printer's margins may become unreadable.
        arguments += ["-o", "print-scaling=none"]
    ended = await _run("lp", arguments, document, SEND_WITHIN_S)
    found = _JOB.search(ended.stdout.decode("utf-8", "replace"))
    if ended.returncode or found is None:
        raise PrintFailed(
            tr(
                "{printer} took nothing: {words} {save_instead}",
                printer=printer,
                words=_words(ended),
                save_instead=SAVE_INSTEAD,
            )
        )
    return PrintJob(printer, found[1])


def preferred_printer(preferences: PreferenceStore, paper: Paper, known: Printers) -> str:
    """The printer to offer first for this paper: the one used last, while it is still there; else the default one; else
    the first."""
    last: str = getattr(preferences.value, paper.preference)
    return last if last in known.names else known.default or known.names[0]


def remember(preferences: PreferenceStore, paper: Paper, printer: str) -> None:
    """Offer this printer first next time. A name that is too long for a preference is not kept."""
    if len(printer) <= _REMEMBERED_MAX:
        preferences.set(**{paper.preference: printer})


async def _answer(program: str, arguments: Sequence[str]) -> str:
    ended = await _run(program, arguments, b"", ASK_WITHIN_S)
    return ended.stdout.decode("utf-8", "replace")


async def _run(program: str, arguments: Sequence[str], document: bytes, within_s: float) -> _Ended:
    # A function without arguments: the loop's thread pool writes those of its calls to the log when that is verbose.
    return await asyncio.to_thread(lambda: _blocking(program, arguments, document, within_s))


_Ended = subprocess.CompletedProcess[bytes]


def _blocking(program: str, arguments: Sequence[str], document: bytes, within_s: float) -> _Ended:
    """Run a program of the print system to its end. Raises PrintFailed with a sentence when it cannot be started or
    does not end in time."""
    path = shutil.which(program)
    if path is None:
        raise NoPrintSystem(tr("There is no print system on this machine. {save_instead}", save_instead=SAVE_INSTEAD))
    # Its output is parsed: it must not come in another language.
    environment = {**outside(os.environ), "LC_ALL": "C.UTF-8"}
    try:
        return subprocess.run(
            [path, *arguments], input=document, capture_output=True, timeout=within_s, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        # Not chained: that exception holds the process's output, and a report of it might hold more.
        if document:
            failure: PrintFailed = PrintUnknown(
                tr(
                    "The print system did not answer in time and may have taken the document: look at the "
                    "printer and its queue before you print it again."
                )
            )
        else:
            failure = PrintFailed(
                tr("The print system did not answer in time. {save_instead}", save_instead=SAVE_INSTEAD)
            )
    except OSError as error:
        failure = NoPrintSystem(
            tr(
                "The print system could not be started ({reason}). {save_instead}",
                reason=error.strerror,
                save_instead=SAVE_INSTEAD,
            )
        )
    raise failure


def _words(ended: _Ended) -> str:
    """The program's own first sentence, without the program's name."""
    lines = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    line = lines[0].removeprefix("lp: ").removeprefix("Error - ").strip() if lines else ""
    return line if line else tr("it ended with {code}.", code=ended.returncode)
