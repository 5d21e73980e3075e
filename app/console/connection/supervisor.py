"""The child service: it is started, watched, started anew with a new key, and given up after five deaths in a minute.

The API key goes over the child's standard input and is never in an argument, the environment or a file. Closing that
input is how the child is told to stop.
"""

from __future__ import annotations

import enum
import os
import string
import time
import zlib
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from app.console.language import tr
from app.program import program

DEATHS = 5
WINDOW_S = 60.0
FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS = 200, 5000
TAIL_LINES = 400
LINE_LIMIT = 16_384
READY_WITHIN_MS = 60_000
STOP_WITHIN_MS = 8_000
ABANDON_WITHIN_MS = 3_000
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase


def base62(number: int, width: int) -> str:
    """``number`` in base 62, digits then upper then lower case, padded to ``width``."""
    digits = ""
    while number:
        number, digit = divmod(number, 62)
        digits = ALPHABET[digit] + digits
    return digits.rjust(width, "0")


def new_citadel_key() -> str:
    """A fresh Citadel key in the form of ``app.api.keys``: prefix, 32 base62, 6 base62 of the CRC-32 over all
    before."""
    # os.urandom and not secrets, which would load OpenSSL before the first paint. 320 bits modulo 62 ** 32 favour
    # no key by more than one part in 2 ** 129.
    text = "arc_cit_" + base62(int.from_bytes(os.urandom(40), "big") % 62**32, 32)
    return text + base62(zlib.crc32(text.encode("ascii")), 6)


def own_command(*arguments: str) -> list[str]:
    """The command that starts this same program in another role."""
    return [*program(), *arguments]


def service_command(data_dir: Path, profile: str) -> list[str]:
    """The command that starts the service."""
    return [*own_command("serve"), "--supervised", "--data-dir", str(data_dir), "--profile", profile]


class ServiceState(enum.StrEnum):
    """What the child is doing."""

    STARTING = "starting"
    READY = "ready"
    WAITING = "waiting"
    """It died; a new one starts after the backoff."""
    GIVEN_UP = "given up"
    REFUSED = "refused"
    """It cannot start as it is configured: no retry helps, a person does."""
    STOPPING = "stopping"
    STOPPED = "stopped"


RESTING = (ServiceState.STOPPED, ServiceState.GIVEN_UP, ServiceState.REFUSED)
"""Nothing runs and nothing will, until it is started."""
EXIT_REFUSED = 2
"""Exit code of a service that cannot start as it is configured."""


class StartRefusal(NamedTuple):
    """Why the service does not start. ``passphrase_file``: where a passphrase would open its keys; empty where another
    remedy is needed."""

    sentence: str
    passphrase_file: str = ""


class Supervisor(QObject):
    """Owner of the child process."""

    state_changed = Signal(object)
    """The new ``ServiceState``."""
    ready = Signal(str, str)
    """base_url and the API key of this child."""
    died = Signal(str)
    """One sentence; also when the program could not be started."""
    line = Signal(str)
    """A line of the child's log."""

    def __init__(self, command: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = list(command)
        self.state = ServiceState.STOPPED
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)
        """Newest lines of the child's output, all children."""
        self.starts = 0
        self.pid = 0
        self.refusal = StartRefusal("")
        """What a child that refused to start said."""
        self._key = ""
        self._deaths: deque[float] = deque(maxlen=DEATHS)
        # One QProcess for all children, its signals tied to methods. With a process object a child and closures over
        # it as slots, one was now and then destroyed twice: by Qt's deferred deletion and by Python's collector.
        self._process = QProcess(self)
        self._process.setProgram(self._command[0])
        self._process.setArguments(self._command[1:])
        self._process.setProcessChannelMode(QProcess.ProcessChannelMode.SeparateChannels)
        self._process.started.connect(self._send_key)
        self._process.readyReadStandardOutput.connect(self._read_output)
        self._process.readyReadStandardError.connect(self._read_errors)
        self._process.finished.connect(self._take_end)
        self._process.errorOccurred.connect(self._take_error)
        self._backoff_ms = FIRST_BACKOFF_MS
        self._restart = QTimer(self)
        self._restart.setSingleShot(True)
        self._restart.timeout.connect(self._launch)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.timeout.connect(self._kill)

    def start(self) -> None:
        """Start the child; also the way out of ``GIVEN_UP`` and ``REFUSED``."""
        if self.state in RESTING:
            self._deaths.clear()
            self._backoff_ms = FIRST_BACKOFF_MS
            self._launch()

    def restart(self) -> None:
        """End the child and start a new one at once (F5)."""
        if self.state in RESTING:
            self.start()
        elif self.state is ServiceState.WAITING:
            self._restart.stop()
            self._launch()
        elif self._running:
            self._backoff_ms = 0
            self._process.closeWriteChannel()
            self._patience.start(STOP_WITHIN_MS)

    def stop(self) -> None:
        """Tell the child to stop by closing its input; it is killed if it has not ended after 8 s."""
        self._restart.stop()
        if not self._running:
            self._set(ServiceState.STOPPED)
            return
        self._set(ServiceState.STOPPING)
        self._process.closeWriteChannel()
        self._patience.start(STOP_WITHIN_MS)

    def abandon(self) -> None:
        """The console ends for any reason: no child is left when this returns, and no signal comes any more. Blocks for
        up to 4 s when the child still runs, which it does not after ``stop``."""
        self._restart.stop()
        self._patience.stop()
        # A process object that is destroyed while its child runs still reads and tells, to objects that are gone.
        self._process.blockSignals(True)
        if self._running:
            self._process.closeWriteChannel()
            if not self._process.waitForFinished(ABANDON_WITHIN_MS):
                self._process.kill()
                self._process.waitForFinished(1000)
        self.state = ServiceState.STOPPED

    def _set(self, state: ServiceState) -> None:
        if state is not self.state:
            self.state = state
            self.state_changed.emit(state)

    def _launch(self) -> None:
        # A new key for every child: an old one, read from a core file, opens nothing.
        self._key = new_citadel_key()
        self.refusal = StartRefusal("")
        self.starts += 1
        self._set(ServiceState.STARTING)
        self._patience.start(READY_WITHIN_MS)
        self._process.start()

    @property
    def _running(self) -> bool:
        return self._process.state() is not QProcess.ProcessState.NotRunning

    def _send_key(self) -> None:
        self.pid = self._process.processId()
        self._process.write(self._key.encode("ascii") + b"\n")

    def _read_output(self) -> None:
        self._read(QProcess.ProcessChannel.StandardOutput)

    def _read_errors(self) -> None:
        self._read(QProcess.ProcessChannel.StandardError)

    def _read(self, channel: QProcess.ProcessChannel) -> None:
        self._process.setReadChannel(channel)
        # Only whole lines: half a line is no JSON, and its other half would be none either.
        while self._process.canReadLine():
            self._take(bytes(self._process.readLine(LINE_LIMIT).data()), channel)

    def _take(self, raw: bytes, channel: QProcess.ProcessChannel) -> None:
        """One line of the child: its ready line, its refusal, or words for the log, in which its key never stands."""
        text = raw.decode("utf-8", "replace").rstrip("\r\n").replace(self._key, "[key]")
        if channel is QProcess.ProcessChannel.StandardOutput and self.state is ServiceState.STARTING:
            base_url = ready_url(text)
            if base_url is not None:
                self._patience.stop()
                self._set(ServiceState.READY)
                self.ready.emit(base_url, self._key)
                return
            if (refusal := refusal_of(text)) is not None:
                self.refusal = refusal
                return
        if text:
            self.tail.append(text)
            self.line.emit(text)

    def _take_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            reason = self._process.errorString()
            self.tail.append(f"{self._command[0]}: {reason}")
            self._take_death(tr("The service could not be started: {reason}", reason=reason))

    def _take_end(self, code: int, status: QProcess.ExitStatus) -> None:
        """Read what the child said last, and tell a refusal to start from a death."""
        for channel in (QProcess.ProcessChannel.StandardOutput, QProcess.ProcessChannel.StandardError):
            self._read(channel)
            rest = bytes(self._process.readAll().data())
            if rest:
                self._take(rest, channel)
        crashed = status is QProcess.ExitStatus.CrashExit
        if not crashed and code == EXIT_REFUSED and self.state is ServiceState.STARTING:
            self._take_refusal()
            return
        self._take_death(
            tr("The service was ended by signal {number}.", number=code)
            if crashed
            else tr("The service ended with exit code {number}.", number=code)
        )

    def _take_refusal(self) -> None:
        """The child says that it cannot start: it is not tried again before somebody has changed something."""
        self._patience.stop()
        self.pid = 0
        if not self.refusal.sentence:
            last = self.tail[-1] if self.tail else tr("It did not say why.")
            self.refusal = StartRefusal(last.removeprefix("arc-console: "))
        self._set(ServiceState.REFUSED)
        self.died.emit(self.refusal.sentence)

    def _take_death(self, sentence: str) -> None:
        """Start the child anew after a backoff; give up after five deaths in a minute; do nothing more if it was told
        to stop."""
        self._patience.stop()
        self.pid = 0
        if self.state is ServiceState.STOPPING:
            self._set(ServiceState.STOPPED)
            return
        asked = self._backoff_ms == 0
        now = time.monotonic()
        if not asked:
            self._deaths.append(now)
        if len(self._deaths) == DEATHS and now - self._deaths[0] <= WINDOW_S:
            self._set(ServiceState.GIVEN_UP)
            self.died.emit(sentence + tr(" That was the fifth time within a minute."))
            return
        wait = self._backoff_ms
        # A child that served for a minute was healthy: the next backoff begins small again.
        old = len(self._deaths) < 2 or now - self._deaths[-2] > WINDOW_S
        self._backoff_ms = FIRST_BACKOFF_MS if asked or old else min(max(wait, 1) * 2, LONGEST_BACKOFF_MS)
        self._set(ServiceState.WAITING)
        self.died.emit(sentence)
        self._restart.start(wait)

    def _kill(self) -> None:
        if self._running:
            if self.state is ServiceState.STARTING:
                self.tail.append(tr("The service did not become ready within 60 s."))
            self._process.kill()


def refusal_of(text: str) -> StartRefusal | None:
    """What the line of a child that refuses to start says; None for any other line of any bytes."""
    import json

    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or said.get("ready") is not False or not isinstance(said.get("refused"), str):
        return None
    file = said.get("passphrase_file")
    return StartRefusal(said["refused"], file if isinstance(file, str) else "")


def ready_url(text: str) -> str | None:
    """The base_url of the ready line; None for any other line of any bytes."""
    # Imported here: it is not needed before the first paint.
    import json

    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(said, dict) and said.get("ready") is True:
        base_url = said.get("base_url")
        if isinstance(base_url, str) and base_url.startswith(("http://127.0.0.1:", "http://[::1]:")):
            return base_url
    return None
