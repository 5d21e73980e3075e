"""Three short sounds that say what became of a card, so that the operator need not look up from the stack.

Qt's essentials have no audio: the tones are made in memory and played through PortAudio on a thread of its own; the
library is imported there with the first sound. Where there is neither library nor device, the system's bell
rings instead until the console ends. The preference ``sounds`` turns all of it off.
"""

from __future__ import annotations

import enum
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.console.preferences import PreferenceStore

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Samples = npt.NDArray[np.float32]

RATE_HZ = 44_100
PEAK = 0.35
"""Largest sample, of full scale 1.0: audible across a desk, not startling."""
EDGE_S = 0.008
"""Each note swells and fades for this long: a step in the wave would click."""
LOOK_MS = 50
"""How often the speaker checks, while something plays, whether it could be heard."""
MOST_WAITING = 3
"""Sounds that wait for their turn."""


class Tone(enum.StrEnum):
    """What a sound says."""

    DONE = "done"
    NEEDS_YOU = "needs you"
    FAILED = "failed"


NOTES: Mapping[Tone, Sequence[tuple[float, float]]] = {
    Tone.DONE: ((880.0, 0.07), (1318.5, 0.11)),
    Tone.NEEDS_YOU: ((587.3, 0.09), (0.0, 0.05), (587.3, 0.09), (0.0, 0.05), (587.3, 0.09)),
    Tone.FAILED: ((220.0, 0.18), (164.8, 0.24)),
}
"""Frequency in Hz (0: silence) and length in s of each note: up is good, three knocks call, down is bad."""


def samples(sound: Tone) -> Samples:
    """The sound as float32 mono at ``RATE_HZ``, within +-``PEAK``."""
    import numpy as np

    parts = []
    for frequency, seconds in NOTES[sound]:
        t = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
        envelope = np.clip(np.minimum(t, seconds - t) / EDGE_S, 0.0, 1.0)
        parts.append(PEAK * np.sin(2 * np.pi * frequency * t) * envelope)
    return np.concatenate(parts).astype(np.float32)


def play_aloud(sound: Tone) -> None:
    """Play the sound to its end. Raises OSError without the library; RuntimeError without a device (PortAudioError is
    none of its kind, so it is turned into one)."""
    import sounddevice

    try:
        # Asked first: to open a stream on a machine without a device prints ALSA's complaints on stderr.
        sounddevice.query_devices(kind="output")
        sounddevice.play(samples(sound), RATE_HZ, blocking=True)
    except (sounddevice.PortAudioError, ValueError) as error:
        raise RuntimeError(str(error)) from error


class Player:
    """Plays waiting sounds one after the other, on a thread of its own. It holds no Qt object: the thread may outlive
    the window, and a Qt object must be neither called nor released there."""

    def __init__(self, play: Callable[[Tone], None]) -> None:
        self._play = play
        self._waiting: deque[Tone] = deque()
        self._lock = threading.Lock()
        self.playing = False
        self.deaf = False
        """Nothing can be heard on this machine; set before ``playing`` ends."""

    def put(self, sound: Tone) -> None:
        """Play the sound in its turn. It is dropped when too many wait: it would speak of cards that have left the
        desk."""
        with self._lock:
            if len(self._waiting) == MOST_WAITING:
                return
            self._waiting.append(sound)
            if self.playing:
                return
            self.playing = True
        # A daemon: a sound server that hangs must not keep the console from ending.
        threading.Thread(target=self._work, name="sounds", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if self.deaf or not self._waiting:
                    self._waiting.clear()
                    self.playing = False
                    return
                sound = self._waiting.popleft()
            try:
                self._play(sound)
            except (OSError, RuntimeError, ImportError):
                self.deaf = True


class Speaker(QObject):
    """Plays sounds while the preference named ``which`` is on. ``play`` raises OSError or RuntimeError when it
    cannot; then ``bell`` rings, on the GUI thread."""

    def __init__(
        self,
        preferences: PreferenceStore,
        play: Callable[[Tone], None] = play_aloud,
        bell: Callable[[], None] = QApplication.beep,
        parent: QObject | None = None,
        *,
        which: Literal["sounds", "alarm_sounds"] = "sounds",
    ) -> None:
        super().__init__(parent)
        self._preferences, self._which = preferences, which
        self._bell = bell
        self._player = Player(play)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)

    def tell(self, sound: Tone) -> None:
        """Play the sound; returns at once."""
        if not getattr(self._preferences.value, self._which):
            return
        if self._player.deaf and not self._timer.isActive():
            self._bell()
            return
        self._player.put(sound)
        self._timer.start()

    def _look(self) -> None:
        """Ring the bell for the first sound that could not be heard."""
        if self._player.playing:
            return
        self._timer.stop()
        if self._player.deaf:
            self._bell()
