"""Printing through a real print system: a cupsd of this test alone, on a socket in its own directory."""

from __future__ import annotations

import getpass
import grp
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from app.console.devices import printing
from app.console.devices.printing import NoPrintSystem, Paper, Printers, PrintFailed, PrintUnknown
from app.console.preferences import PreferenceStore
from tests.console.conftest import Run

PIN = "73195028"
DOCUMENT = f"%PDF-1.4\n% PIN {PIN}\n".encode() + bytes(300_000) + b"\n%%EOF\n"

CUPSD = """\
Listen {root}/cups.sock
Browsing No
WebInterface No
LogLevel debug
PreserveJobFiles Yes
DefaultAuthType None
<Location />
  Order allow,deny
  Allow all
</Location>
<Policy default>
  <Limit All>
    Order deny,allow
  </Limit>
</Policy>
"""
FILES = """\
FileDevice Yes
User {user}
Group {group}
ServerRoot {root}/root
RequestRoot {root}/spool
TempDir {root}/spool/tmp
CacheDir {root}/cache
StateDir {root}/state
AccessLog {root}/log/access
ErrorLog {root}/log/error
PageLog {root}/log/page
"""


def elsewhere(arguments: list[str]) -> None:
    """Run a program, away from the GUI thread, which the guards watch."""

    def blocking() -> None:
        subprocess.run(arguments, check=True, capture_output=True, timeout=20)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(blocking).result()


class PrintSystem:
    """A running cupsd with raw queues that keep what they get in the spool."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, printer: str) -> None:
        """A new queue."""
        elsewhere(["lpadmin", "-p", printer, "-E", "-v", "file:///dev/null", "-m", "raw"])

    def spooled(self) -> list[bytes]:
        """The documents that came, in order."""
        return [path.read_bytes() for path in sorted((self.root / "spool").glob("d*"))]

    def words(self) -> bytes:
        """Everything that it wrote down but for the documents: logs, queues, jobs' attributes."""
        kept = [path for path in self.root.rglob("*") if path.is_file() and not path.name.startswith("d0")]
        return b"".join(path.read_bytes() for path in kept)


@pytest.fixture
def print_system(monkeypatch: pytest.MonkeyPatch) -> Iterator[PrintSystem]:
    """A cupsd; what the client programs say goes to it."""
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:/usr/sbin")
    missing = [name for name in ("cupsd", "lp", "lpstat", "lpadmin") if shutil.which(name) is None]
    if missing:
        pytest.fail(f"printing tests need {missing[0]}: apt-get install cups-daemon cups-client")
    # A socket's path has at most 107 bytes: pytest's own directories may be deeper.
    root = Path(tempfile.mkdtemp(prefix="arc-cups-"))
    for name in ("root", "spool/tmp", "cache", "state", "log"):
        (root / name).mkdir(parents=True)
    # It refuses to work for root, and asks nobody whom it works for otherwise.
    user = "nobody" if os.geteuid() == 0 else getpass.getuser()
    group = "nogroup" if os.geteuid() == 0 else grp.getgrgid(os.getegid()).gr_name
    root.chmod(0o755)
    for name, text in (("cupsd.conf", CUPSD), ("files.conf", FILES)):
        (root / name).write_text(text.format(root=root, user=user, group=group))
    command = ["cupsd", "-f", "-c", str(root / "cupsd.conf"), "-s", str(root / "files.conf")]

    def started() -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while not (root / "cups.sock").exists():
            if process.poll() is not None or time.monotonic() > end:
                process.kill()
                pytest.fail(f"cupsd does not come up: {(root / 'log' / 'error').read_text()[-2000:]}")
            time.sleep(0.02)
        return process

    with ThreadPoolExecutor(1) as pool:
        process = pool.submit(started).result()
        monkeypatch.setenv("CUPS_SERVER", str(root / "cups.sock"))
        yield PrintSystem(root)
        process.terminate()
        pool.submit(process.wait, 20).result()
    shutil.rmtree(root, ignore_errors=True)


def test_a_document_reaches_the_print_system(print_system: PrintSystem, run: Run) -> None:
    """Byte for byte, under a title that names the kind of paper; its job is known by number."""
    print_system.add("Cards")
    print_system.add("Labels")
    assert run(printing.printers()) == Printers(("Cards", "Labels"))
    job = run(printing.print_pdf(DOCUMENT, "Cards", Paper.BADGE))
    assert (job.printer, job.job_id) == ("Cards", "Cards-1")
    assert run(printing.print_pdf(DOCUMENT + b"2", "Labels", Paper.LABEL)).job_id == "Labels-2"
    assert print_system.spooled() == [DOCUMENT, DOCUMENT + b"2"]


def test_the_default_printer_is_known(print_system: PrintSystem, run: Run) -> None:
    """As the system has it."""
    print_system.add("Cards")
    elsewhere(["lpadmin", "-d", "Cards"])
    assert run(printing.printers()).default == "Cards"


def test_a_pin_goes_through_the_pipe_alone(
    print_system: PrintSystem, run: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Not into an argument, the environment, a log, the job's title or attributes: only into the document."""
    print_system.add("Letters")
    seen: list[str] = []
    real = subprocess.run

    def watched(arguments: list[str], **options: Any) -> Any:
        seen.append(repr((arguments, options["env"])))
        return real(arguments, **options)

    monkeypatch.setattr(subprocess, "run", watched)
    with caplog.at_level(0):
        run(printing.print_pdf(DOCUMENT, "Letters", Paper.LETTER))
    assert len(seen) == 1
    assert PIN not in seen[0]
    # Not in the assertion: its explanation would print what was found.
    written = PIN in caplog.text
    assert not written
    assert PIN.encode() in print_system.spooled()[0]
    assert PIN.encode() not in print_system.words()
    assert b"Letter" in print_system.words()


def test_a_refusal_is_told_in_the_print_systems_words(print_system: PrintSystem, run: Run) -> None:
    """A printer that takes nothing, and one that is not there."""
    print_system.add("Cards")
    elsewhere(["cupsreject", "Cards"])
    with pytest.raises(PrintFailed, match=r"Cards took nothing: .*not accepting jobs.* Save the PDF instead\."):
        run(printing.print_pdf(DOCUMENT, "Cards", Paper.BADGE))
    with pytest.raises(PrintFailed, match=r"Gone took nothing: .*does not exist"):
        run(printing.print_pdf(DOCUMENT, "Gone", Paper.BADGE))


def test_a_print_system_without_printers_is_none(print_system: PrintSystem, run: Run) -> None:
    """The person is told to save the file."""
    with pytest.raises(NoPrintSystem, match=r"has no printer\. Save the PDF instead\."):
        run(printing.printers())


def test_a_machine_without_a_print_system(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No program of that name."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for work in (printing.printers(), printing.print_pdf(DOCUMENT, "Cards", Paper.BADGE)):
        with pytest.raises(NoPrintSystem, match=r"no print system on this machine\. Save the PDF instead\."):
            run(work)


def test_a_print_system_that_does_not_run(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its socket is not there."""
    monkeypatch.setenv("CUPS_SERVER", str(tmp_path / "none.sock"))
    with pytest.raises(NoPrintSystem, match="does not run"):
        run(printing.printers())


def test_a_print_system_that_hangs_is_not_waited_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the connection and says nothing: the question fails, and of the document nobody knows."""
    monkeypatch.setattr(printing, "ASK_WITHIN_S", 0.3)
    monkeypatch.setattr(printing, "SEND_WITHIN_S", 0.3)
    with tempfile.TemporaryDirectory(prefix="arc-cups-") as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/cups.sock")
        server.listen()
        monkeypatch.setenv("CUPS_SERVER", f"{folder}/cups.sock")
        with pytest.raises(PrintFailed, match="did not answer in time") as asked:
            run(printing.printers())
        assert not isinstance(asked.value, PrintUnknown)
        with pytest.raises(PrintUnknown, match="before you print it again") as sent:
            run(printing.print_pdf(DOCUMENT, "Cards", Paper.LETTER))
        assert sent.value.__cause__ is None
        assert sent.value.__context__ is None


@pytest.mark.parametrize("name", ["", "-o", "two words", "a/b/c", "x\n", "#1", "n" * 128])
def test_what_is_no_printers_name_is_no_argument(run: Run, name: str) -> None:
    """Nothing that a program could take for something else."""
    with pytest.raises(ValueError, match="no printer's name"):
        run(printing.print_pdf(DOCUMENT, name, Paper.BADGE))


def test_only_a_pdf_is_printed(run: Run) -> None:
    """A problem document would come out as letters."""
    with pytest.raises(ValueError, match="only a PDF"):
        run(printing.print_pdf(b"{}", "Cards", Paper.BADGE))


def test_each_paper_has_its_printer(preferences: PreferenceStore, tmp_path: Path) -> None:
    """Remembered over starts; one that is gone gives way to the default one, or the first."""
    known = Printers(("Cards", "Labels"), "Labels")
    assert printing.preferred_printer(preferences, Paper.BADGE, known) == "Labels"
    printing.remember(preferences, Paper.BADGE, "Cards")
    again = PreferenceStore(tmp_path / "config" / "preferences.json")
    assert printing.preferred_printer(again, Paper.BADGE, known) == "Cards"
    assert printing.preferred_printer(again, Paper.LABEL, known) == "Labels"
    assert printing.preferred_printer(again, Paper.BADGE, Printers(("Other",))) == "Other"
    printing.remember(again, Paper.BADGE, "n" * 65)
    assert printing.preferred_printer(again, Paper.BADGE, known) == "Cards"
