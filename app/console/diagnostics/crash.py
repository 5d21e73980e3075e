"""What a console that dies leaves behind, and what the next start offers of it. Nothing is sent anywhere."""

from __future__ import annotations

import contextlib
import faulthandler
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from app.console.diagnostics.process import alive


class CrashFile:
    """One file for each process. It stays empty unless something goes wrong, and an empty one is removed at a clean
    end."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.earlier = [path for path in sorted(directory.glob("crash-*.txt")) if _left_behind(path)]
        """Reports of processes that are gone, oldest first."""
        self.path = directory / f"crash-{os.getpid()}.txt"
        # The descriptor must outlive every other object: faulthandler writes to it from a signal handler.
        self._file = self.path.open("w", encoding="utf-8")
        self._recorded: set[str] = set()
        faulthandler.enable(self._file)

    def exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Record an uncaught exception: where it was raised and of what kind each one is, without their messages. These
        hold values, which may be a person's name, a PIN or a key; the file is made to be handed on, so the name of the
        account's home is left out of paths, too. One that comes again, as what is painted at each frame does, is kept
        once."""
        text = "".join(_lines_of(kind, error, trace)).replace(str(Path.home()), "~") + "\n"
        if text not in self._recorded:
            self._recorded.add(text)
            self._file.write(text)
            self._file.flush()

    def close(self) -> None:
        """End cleanly: stop recording and remove an empty file."""
        faulthandler.disable()
        self._file.close()
        with contextlib.suppress(OSError):
            if self.path.stat().st_size == 0:
                self.path.unlink()

    def pack(self, target: Path) -> None:
        """Write the earlier reports to a zip at ``target`` and forget them. Raises OSError, then nothing is lost."""
        import platform
        import zipfile
        from datetime import datetime

        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in self.earlier:
                archive.write(path, path.name)
            # Not platform.platform(): it starts a process to ask for the processor.
            machine = f"{platform.system()} {platform.release()} {platform.machine()}"
            about = f"{machine}\nPython {platform.python_version()}\n{datetime.now().astimezone()}\n"
            archive.writestr("machine.txt", about)
        for path in self.earlier:
            path.unlink(missing_ok=True)
        self.earlier = []


def let_go(error: BaseException, seen: frozenset[int] = frozenset()) -> None:
    """Empty the frames that an exception nobody caught has left, its own and those of what led to it. Python keeps the
    last such exception for ever; a QPainter in one of its frames would go on painting on a widget whose ``paintEvent``
    is over, and Qt then draws no frame whole and may end the process."""
    import traceback

    seen |= {id(error)}
    traceback.clear_frames(error.__traceback__)
    inside = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for other in (error.__cause__, error.__context__, *inside):
        if other is not None and id(other) not in seen:
            let_go(other, seen)


def _lines_of(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None, seen: frozenset[int] = frozenset()
) -> Iterator[str]:
    """Of an exception what brought it about, its stack, its kind, and those that it groups."""
    import traceback

    seen |= {id(error)}
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if earlier is not None and id(earlier) not in seen:
        yield from _lines_of(type(earlier), earlier, earlier.__traceback__, seen)
        yield "which led to\n"
    yield from traceback.format_tb(trace)
    yield f"{kind.__module__}.{kind.__qualname__}\n"
    if isinstance(error, BaseExceptionGroup):
        for number, one in enumerate(error.exceptions, 1):
            yield f"{number} of {len(error.exceptions)}:\n"
            yield from _lines_of(type(one), one, one.__traceback__, seen)


def _left_behind(path: Path) -> bool:
    """True for a report with content whose process is gone; an empty one of a dead process is removed."""
    number = path.stem.removeprefix("crash-")
    if not number.isdecimal() or alive(int(number)):
        return False
    if path.stat().st_size == 0:
        path.unlink(missing_ok=True)
        return False
    return True
