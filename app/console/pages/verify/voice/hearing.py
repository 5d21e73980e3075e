"""One recording on the page: it comes from a microphone or a file, is drawn while it comes, and is played back."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from app.capabilities.voice.matrix import SAMPLE_RATE
from app.capabilities.voice.messages import MATCH_SPEECH_S
from app.client.voice_recording import MAX_BYTES, FloatArray, RecordingRefused, read_recording
from app.console.devices.microphone import Microphone, OpenMicrophone, Playback, SoundTrouble
from app.console.files import read_some
from app.console.language import tr
from app.console.pages.verify.voice.capture import HeardSpeech, VoiceCapture, hear
from app.console.pages.verify.voice.view import VoiceView
from app.console.pages.verify.voice.words import AFTER, BEFORE, DRAWN, DURING, NO_DIGITS, decibels, heard_words
from app.console.part import Host

SoundT = TypeVar("SoundT", OpenMicrophone, Playback)

TICK_S = 0.1
"""Between two looks at what the microphone heard."""


def read_file(path: Path) -> FloatArray:
    """The recording in a file, 16 kHz; what was read is overwritten. Raises OSError, RecordingRefused. Blocks."""
    data = bytearray(read_some(path, MAX_BYTES + 1))
    try:
        return read_recording(data)
    finally:
        data[:] = bytes(len(data))


async def _open_sound(make: Callable[..., SoundT], *how: object) -> SoundT:
    """What ``make`` opens on a thread. Where nobody waits for it any more it is closed as soon as it is open: no
    microphone may hear on behind a page that was left. Raises SoundTrouble."""
    loop = asyncio.get_running_loop()
    opening = loop.run_in_executor(None, make, *how)

    def close_late(late: asyncio.Future[SoundT]) -> None:
        if not late.cancelled() and late.exception() is None:
            loop.run_in_executor(None, late.result().close)

    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(close_late)
        raise


class VoiceHearing:
    """``begun`` is called when a new recording takes the place of the one before, ``whole`` with what it holds when it
    has ended."""

    def __init__(
        self, host: Host, view: VoiceView, begun: Callable[[], None], whole: Callable[[HeardSpeech], None]
    ) -> None:
        self._host = host
        self._session = host.session
        self._view = view
        self._begun, self._whole = begun, whole
        self.capture = VoiceCapture()
        self.number = 0
        """Of the recording: what a thread brings of an earlier one is overwritten."""
        self.origin = ""
        self.recording = False
        """Whether a microphone hears now."""
        self._ending = False
        """Whether it is to end."""
        self.working = False
        """Whether it is being worked out what the recording holds."""
        self.confirmed: bool | None = None
        """Whether the operator says that the digits were said; None: none were asked for."""
        self._microphones: list[Microphone] = []
        self._playing: Playback | None = None

    @property
    def idle(self) -> bool:
        """Whether a recording is there to work with, or none."""
        return not self.recording and not self.working

    @property
    def can_hear(self) -> bool:
        """Whether there is a microphone."""
        return bool(self._microphones)

    async def find_microphones(self) -> None:
        """Show the devices of this machine."""
        self._microphones, trouble = await asyncio.to_thread(self._session.sounds.microphones)
        self._view.show_microphones(self._microphones, trouble)
        self._session.actions.refresh()

    # --- the microphone ----------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Begin to hear, or end it."""
        if self.recording:
            self._ending = True
            return
        self.stop_playing()
        chosen = self._view.microphone.currentData()
        microphone = next((one for one in self._microphones if one.id == chosen), None)
        if microphone is not None:
            self.recording, self._ending = True, False
            self._host.spawn(self._record(microphone))

    async def _record(self, microphone: Microphone) -> None:
        """Hear until somebody ends it, nothing more fits, or the page is left."""
        try:
            opened = await _open_sound(self._session.sounds.open, microphone)
        except SoundTrouble as error:
            self._view.show_trouble(str(error))
            return
        finally:
            self.recording = False
            self._session.actions.refresh()
        self.recording = True
        try:
            self._begin(microphone.name)
            number = self.number
            self.capture.begin(opened.rate)
            self._ask_digits()
            self._view.show_recording(running=True)
            self._session.actions.refresh()
            await self._listen(opened)
            if number == self.number:
                self.capture.push(opened.drain())
        finally:
            self.recording = False
            # On a thread: the sound system waits for one of its own here.
            closing = asyncio.get_running_loop().run_in_executor(None, opened.close)
            self._view.show_recording(running=False)
        self.working = True
        try:
            await closing
            if number == self.number:
                self.capture.end()
                self._view.show_level(None, "")
                self._view.show_trouble(opened.trouble)
                await self._finish(opened.trouble)
        finally:
            self.working = False
            self._session.actions.refresh()

    async def _listen(self, opened: OpenMicrophone) -> None:
        """Show what is heard, and have a thread look for speech in it, one look at a time."""
        looking: asyncio.Task[HeardSpeech] | None = None
        number = self.number
        while not self._ending and number == self.number and not self.capture.full and not opened.trouble:
            await asyncio.sleep(TICK_S)
            self.capture.push(opened.drain())
            self._draw(rolling=True)
            self._view.show_level(self.capture.level, decibels(self.capture.level))
            if self.capture.clipped:
                self._view.show_quality(tr("too loud: it is cut off"))
            if looking is not None and looking.done():
                self._show_speech(looking.result())
                looking = None
            if looking is None and self.capture.usable:
                looking = self._host.spawn(asyncio.to_thread(hear, self.capture.wave))

    def _begin(self, origin: str) -> None:
        """A new recording takes the place of the one before."""
        self.wipe()
        self.origin = origin
        self._begun()

    def _ask_digits(self) -> None:
        """Draw digits that nobody could know before."""
        self.confirmed = False
        digits = "".join(str(secrets.randbelow(10)) for _ in range(DRAWN))
        self._view.show_digits(digits, DURING, ask=False)

    async def _finish(self, trouble: str) -> None:
        """A recording is whole: work out what it holds."""
        if trouble or not self.capture.usable:
            self.wipe()
            if not trouble:
                self._view.show_speech(0.0, tr("Too short: 4 s are needed"))
            return
        number = self.number
        heard = await asyncio.to_thread(hear, self.capture.wave)
        if number != self.number:
            return
        self._draw(rolling=False)
        self._show_speech(heard)
        if math.isfinite(heard.quality.level_dbfs):
            self._view.show_level(None, decibels(heard.quality.level_dbfs))
        if self.confirmed is not None:
            self._view.ask_digits(AFTER)
        self._whole(heard)

    def _draw(self, *, rolling: bool) -> None:
        view = self._view
        view.picture.append(self.capture.new_magnitudes(), rolling=rolling)
        view.show_heard(something=True)
        for strip in (view.alike, view.synthetic):
            strip.see(*view.picture.span)

    def _show_speech(self, heard: HeardSpeech) -> None:
        """Seconds of speech, and the lines over the picture."""
        if self.capture.seconds == 0:
            return
        left = MATCH_SPEECH_S - heard.speech_s
        self._view.show_speech(
            heard.speech_s, tr("{seconds:.1f} s more", seconds=left) if left > 0 else tr("Enough to decide")
        )
        self._view.show_quality(heard_words(heard.quality))
        formants = heard.formants
        self._view.picture.show_tracks(heard.pitch, [formants[:, at] for at in range(formants.shape[1])])

    # --- files -------------------------------------------------------------------------------------------------------

    async def read_files(self, paths: Sequence[Path]) -> None:
        """Take the recordings in these files, one after the other."""
        self.stop_playing()
        self.working = True
        try:
            await self._read_files(paths)
        finally:
            self.working = False
            self._session.actions.refresh()

    async def _read_files(self, paths: Sequence[Path]) -> None:
        """Take each whole before the next; one that is refused is told and passed over."""
        for path in paths:
            number = self.number
            try:
                wave = await asyncio.to_thread(read_file, path)
            except (RecordingRefused, OSError) as error:
                why = error.strerror if isinstance(error, OSError) else error
                self._session.notify(
                    tr("{file} is not taken. {why}", file=path.name, why=why), "bad", subject=str(path)
                )
                continue
            if number != self.number:
                wave[:] = 0
                return
            self._begin(path.name)
            self.capture.take(wave)
            self._view.show_digits("", NO_DIGITS, ask=False)
            await self._finish("")

    # --- replay ------------------------------------------------------------------------------------------------------

    def replay(self) -> None:
        """Play the recording, or stop it."""
        if self._playing is not None:
            self.stop_playing()
        else:
            self._host.spawn(self._play())

    async def _play(self) -> None:
        """Play to the end, or until it is stopped, with the playhead over the picture."""
        wave = self.capture.wave
        try:
            playing = await _open_sound(self._session.sounds.play, wave, SAMPLE_RATE)
        except SoundTrouble as error:
            self._session.notify(str(error), "bad", subject="replay")
            return
        finally:
            wave[:] = 0
        self._playing = playing
        try:
            while self._playing is playing and (at := playing.position_s) is not None:
                self._view.picture.show_head(at)
                await asyncio.sleep(TICK_S / 2)
        finally:
            if self._playing is playing:
                self._playing = None
            self._view.picture.show_head(None)
            asyncio.get_running_loop().run_in_executor(None, playing.close)

    def stop_playing(self) -> None:
        """Play no more."""
        self._playing = None

    # --- forgetting --------------------------------------------------------------------------------------------------

    def wipe(self) -> bool:
        """Overwrite the recording and its picture; whether there was one. A microphone that hears is closed."""
        had = self.capture.seconds > 0
        self.number += 1
        self.stop_playing()
        self.capture.wipe()
        self.confirmed = None
        self._view.picture.clear()
        self._view.show_heard(something=False)
        self._view.show_quality("")
        self._view.show_level(None, "")
        self._view.show_digits("", BEFORE, ask=False)
        self._view.show_speech(0.0, tr("{seconds:.0f} s are enough", seconds=MATCH_SPEECH_S))
        return had
