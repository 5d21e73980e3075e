"""The takes of one enrolment: kept in memory until they are sent, with what is wrong with each."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.capabilities.voice.matrix import matrix_of, npy_bytes
from app.capabilities.voice.messages import (
    LEAST_NET_S,
    LEAST_SNR_DB,
    LEAST_SPEECH_S,
    MAX_TAKES,
    MIN_TAKES,
    MOST_CLIPPING,
)
from app.client.voice_recording import FloatArray
from app.console.language import tr
from app.console.pages.verify.voice.capture import HeardSpeech
from app.console.theme.tokens import Meaning
from app.console.widgets.rate_scale import percent_words

TakeState = Literal["good", "weak", "refused", "used"]
STATES: dict[TakeState, tuple[Meaning, str]] = {
    "good": (Meaning.OK, tr("Good")),
    "weak": (Meaning.WARN, tr("Weak")),
    "refused": (Meaning.BAD, tr("Refused")),
    "used": (Meaning.OK, tr("Enrolled")),
}
_CODE = re.compile(r"[a-z_]+")
_POINTER = re.compile(r"/samples/([0-9]{1,2})\Z")


def weakness(heard: HeardSpeech) -> str:
    """What the service will find wrong with a take, and what to do about it; empty: nothing is seen here."""
    quality = heard.quality
    if heard.speech_s < LEAST_SPEECH_S:
        return tr("Only {seconds:.1f} s of speech: speak four seconds or more.", seconds=heard.speech_s)
    if quality.clipping > MOST_CLIPPING:
        return tr("{share} is cut off: turn the microphone down.", share=percent_words(quality.clipping))
    if quality.snr_db < LEAST_SNR_DB:
        return tr("Only {level:.0f} dB over the room: go nearer to the microphone.", level=quality.snr_db)
    return ""


@dataclass(eq=False)
class VoiceTakeRow:
    """One take. ``wave``: 16 kHz, while it is kept."""

    number: int
    origin: str
    speech_s: float
    snr_db: float
    state: TakeState
    said: str = ""
    wave: FloatArray | None = field(default=None, repr=False)

    @property
    def over_room(self) -> str:
        """How loud the voice is over the room; in silence that cannot be measured."""
        return f"{self.snr_db:.0f} dB" if math.isfinite(self.snr_db) else tr("Unknown")

    def wipe(self) -> None:
        """Overwrite the sound."""
        if self.wave is not None:
            self.wave[:] = 0
            self.wave = None


class VoiceTakes:
    """At most ``MAX_TAKES``. Numbers count from 1 and are not given twice."""

    def __init__(self) -> None:
        self.rows: list[VoiceTakeRow] = []
        self._number = 0
        self._sent: list[VoiceTakeRow] = []

    @property
    def kept(self) -> list[VoiceTakeRow]:
        """Those that would be sent, in order."""
        return [row for row in self.rows if row.wave is not None]

    @property
    def full(self) -> bool:
        """Whether one must be removed before the next."""
        return len(self.kept) >= MAX_TAKES

    @property
    def speech_s(self) -> float:
        """Net speech of those that would be sent."""
        return sum(row.speech_s for row in self.kept)

    @property
    def ready(self) -> bool:
        """Whether there are enough of them."""
        return len(self.kept) >= MIN_TAKES and self.speech_s >= LEAST_NET_S

    def add(self, wave: FloatArray, heard: HeardSpeech, origin: str) -> VoiceTakeRow:
        """Keep a take, which belongs to this list from now on."""
        self._number += 1
        said = weakness(heard)
        row = VoiceTakeRow(
            self._number, origin, heard.speech_s, heard.quality.snr_db, "weak" if said else "good", said, wave
        )
        self.rows = [*(one for one in self.rows if one.state != "used"), row]
        return row

    def drop(self, number: int) -> None:
        """Overwrite and forget a take."""
        for row in self.rows:
            if row.number == number:
                row.wipe()
        self.rows = [row for row in self.rows if row.number != number]

    def forget(self) -> int:
        """Overwrite and forget every take; how many there were."""
        count = len(self.kept)
        for row in self.rows:
            row.wipe()
        self.rows, self._sent, self._number = [], [], 0
        return count

    def send(self) -> list[bytes]:
        """The matrices of all takes that are kept, as NPY files."""
        self._sent = self.kept
        return [npy_bytes(matrix_of(row.wave)) for row in self._sent if row.wave is not None]

    def take_enrolment(self) -> None:
        """The service took what was sent: the sound is overwritten."""
        for row in self._sent:
            row.state, row.said = "used", ""
            row.wipe()

    def take_refusal(self, fields: Sequence[tuple[str, str]]) -> list[int]:
        """Mark the takes that the service refuses, by its pointers; their numbers. Their sound is overwritten."""
        found = []
        for pointer, said in fields:
            at = _POINTER.match(pointer)
            if at is not None and int(at[1]) < len(self._sent):
                row = self._sent[int(at[1])]
                code, _, words = said.partition(": ")
                row.state = "refused"
                # The service puts its word for programs first, and says what to do itself.
                row.said = words if _CODE.fullmatch(code) and words else said
                row.wipe()
                found.append(row.number)
        return found

    @property
    def progress(self) -> str:
        """How many there are and what is still needed."""
        count = len(self.kept)
        taken = (
            tr("1 take with {seconds:.1f} s of speech", seconds=self.speech_s)
            if count == 1
            else tr("{count} takes with {seconds:.1f} s of speech", count=count, seconds=self.speech_s)
        )
        more, seconds = MIN_TAKES - count, LEAST_NET_S - self.speech_s
        if more > 0 and seconds > 0:
            return tr(
                "{taken}: {more} more and {seconds:.1f} s of speech more needed.",
                taken=taken,
                more=more,
                seconds=seconds,
            )
        if more > 0:
            return tr("{taken}: {more} more needed.", taken=taken, more=more)
        if seconds > 0:
            return tr("{taken}: {seconds:.1f} s of speech more needed.", taken=taken, seconds=seconds)
        return tr("{taken}: enough.", taken=taken)
