"""What a console that dies leaves behind, and what the next one makes of it."""

from __future__ import annotations

import faulthandler
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from weakref import ref

import pytest

from app.console.diagnostics.crash import CrashFile, let_go


class HeldValue:
    """Something that a frame holds."""


SECRET = "PIN 493817 of Training Person 07"


@pytest.fixture(autouse=True)
def traces_of_the_test_run() -> Iterator[None]:
    """The crash file takes faulthandler over; the test run's own traces come back afterwards."""
    yield
    faulthandler.enable(sys.__stderr__)


def died(directory: Path, script: str) -> int:
    """Runs a process with a crash file; its exit status. From another thread: the window's may start none."""
    begin = "import os, sys; from pathlib import Path; from app.console.diagnostics.crash import CrashFile; "
    program = f"{begin}crash = CrashFile(Path(sys.argv[1])); {script}"
    command = [sys.executable, "-c", program, str(directory)]
    with ThreadPoolExecutor(1) as other:
        return other.submit(subprocess.run, command, check=False, stderr=subprocess.DEVNULL).result().returncode


def told(directory: Path, error: BaseException) -> str:
    """What is kept of an exception that nobody caught."""
    crash = CrashFile(directory)
    try:
        raise error
    except BaseException as caught:
        crash.exception(type(caught), caught, caught.__traceback__)
    text = crash.path.read_text(encoding="utf-8")
    crash.close()
    return text


def test_an_exception_is_kept_without_its_message(tmp_path: Path) -> None:
    """Which may hold anything: where it was raised and of what kind it is suffices to look."""
    text = told(tmp_path, ValueError(SECRET))
    assert "builtins.ValueError" in text
    assert "in told" in text
    assert "493817" not in text


def test_the_home_of_the_account_is_no_part_of_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is often a person's name."""
    monkeypatch.setenv("HOME", str(Path(__file__).parent))
    text = told(tmp_path, ValueError())
    assert f'File "~/{Path(__file__).name}"' in text
    assert str(Path(__file__).parent) not in text


def test_what_led_to_an_exception_is_kept_alike(tmp_path: Path) -> None:
    """The first one, too, and without its message."""

    def look_up() -> None:
        try:
            raise KeyError(SECRET)
        except KeyError as missing:
            raise LookupError(SECRET) from missing

    with pytest.raises(LookupError) as raised:
        look_up()
    text = told(tmp_path, raised.value)
    assert text.index("builtins.KeyError") < text.index("which led to") < text.index("builtins.LookupError")
    assert "493817" not in text


def test_every_exception_of_a_group_is_kept(tmp_path: Path) -> None:
    """Tasks that end together."""
    text = told(tmp_path, ExceptionGroup(SECRET, [OSError(SECRET), TypeError(SECRET)]))
    assert "1 of 2:\nbuiltins.OSError" in text
    assert "2 of 2:\nbuiltins.TypeError" in text
    assert "493817" not in text


def test_an_exception_that_comes_again_is_kept_once(tmp_path: Path) -> None:
    crash = CrashFile(tmp_path)
    for _frame in range(3):
        try:
            raise KeyError
        except KeyError as caught:
            crash.exception(type(caught), caught, caught.__traceback__)
    text = crash.path.read_text(encoding="utf-8")
    crash.close()
    assert text.count("builtins.KeyError") == 1


BROKEN_PAINTING = """
from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QWidget
from app.console.diagnostics.crash import let_go

application, said = QApplication([]), []
qInstallMessageHandler(lambda kind, context, text: said.append(text))

class Broken(QWidget):
    failed = False

    def paintEvent(self, event):
        painter, self.failed = QPainter(self), True
        try:
            self.fail(painter)
        except KeyError as error:
            raise ValueError from error

    def fail(self, painter):
        painter.save()
        raise KeyError

sys.excepthook = lambda kind, error, trace: let_go(error)
broken = Broken()
broken.show()
while not broken.failed:
    application.processEvents()
os._exit(3 if any("active painter" in one for one in said) else 0)
"""


def test_a_painting_that_fails_is_over(tmp_path: Path) -> None:
    """In a process of its own: a painter that outlives the painting of its widget may end it. Python keeps the last
    exception, with the frames of both functions and of what it came from."""
    assert died(tmp_path, BROKEN_PAINTING) == 0


def test_a_group_lets_go_of_all_that_are_in_it() -> None:
    def keep(held: object) -> None:
        raise KeyError(held)

    held = HeldValue()
    gone = ref(held)
    caught = []
    try:
        keep(held)
    except KeyError as error:
        error.args = ()
        caught.append(error)
    group = BaseExceptionGroup("several", caught)
    del held
    assert gone() is not None
    let_go(group)
    assert gone() is None


def test_a_process_that_is_ended_by_a_signal_leaves_its_stack(tmp_path: Path) -> None:
    """The next console offers it, and packs it once."""
    assert died(tmp_path, "import faulthandler; faulthandler._sigsegv()") < 0
    crash = CrashFile(tmp_path)
    (left,) = crash.earlier
    assert "Segmentation fault" in left.read_text(encoding="utf-8")
    crash.pack(tmp_path / "report.zip")
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        assert sorted(archive.namelist()) == sorted([left.name, "machine.txt"])
    assert crash.earlier == []
    crash.close()
    again = CrashFile(tmp_path)
    again.close()
    assert again.earlier == []


def test_a_process_that_was_killed_without_a_word_leaves_nothing(tmp_path: Path) -> None:
    """Its empty file is cleared away by the next one, and by itself at a clean end."""
    assert died(tmp_path, "import os; os.kill(os.getpid(), 9)") < 0
    assert len(list(tmp_path.iterdir())) == 1
    crash = CrashFile(tmp_path)
    assert crash.earlier == []
    crash.close()
    assert list(tmp_path.iterdir()) == []


def test_a_clean_end_leaves_nothing(tmp_path: Path) -> None:
    """No report without a crash."""
    crash = CrashFile(tmp_path / "crashes")
    crash.close()
    assert list((tmp_path / "crashes").iterdir()) == []


def test_a_report_that_cannot_be_packed_is_kept(tmp_path: Path) -> None:
    """It is offered again."""
    died(tmp_path, "crash.exception(ValueError, ValueError(), None)")
    crash = CrashFile(tmp_path)
    with pytest.raises(OSError, match="missing"):
        crash.pack(tmp_path / "missing" / "report.zip")
    assert [path.exists() for path in crash.earlier] == [True]
    crash.close()
