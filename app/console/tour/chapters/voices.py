"""A voice is checked and enrolled, by a microphone that nobody speaks into."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QComboBox

from app.console.tour.walk import PERSON, Chapter
from app.console.widgets.level_meter import LevelMeter
from app.console.widgets.share_bar import ShareBar
from app.console.widgets.verdict import VerdictLabel

OPEN = {"None yet", "Judging"}
ENOUGH_S = 4.3
"""Net seconds of speech of a recording: a little more than a match needs."""
TAKES = 3


class VoiceChapter(Chapter):
    """The drawn voice is no person's: a site without vocal signatures says so, one with models calls it synthetic."""

    async def check_voice(self) -> None:
        """Space, the drawn voice, Space: what was heard, and what the service says of it."""
        hands, eyes = self._hands, self._eyes
        await self._walk.open_page("verify")
        await hands.press("Alt+1")
        microphone = await hands.until("the microphones", lambda: eyes.find(QComboBox, "Microphone").currentText())
        await self._walk.choose_person(PERSON)
        await self._walk.wait_until_ready("Start or stop the recording")
        await self._walk.picture("voice-empty", "The voice check before anything was heard: what to do first")
        await self._speak()
        word = await hands.until("the answer", self._answer)
        self._walk.read(microphone=microphone, verdict=word)
        await self._walk.picture("voice-check", "A drawn voice (TRAINING): spectrogram, digits, verdict and next step")

    async def enrol_voice(self) -> None:
        """Three takes of the drawn voice, and the person's consent."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+Shift+M")
        for count in range(1, TAKES + 1):
            await self._speak()
            await hands.until(f"take {count}", partial(self._has_takes, count))
        self._walk.read(takes=eyes.rows("Takes of this enrolment"))
        await self._walk.picture("voice-takes", "Takes of an enrolment with their quality, before the consent")
        await hands.press("Ctrl+Shift+M")

    def _has_takes(self, count: int) -> bool:
        return len(self._eyes.rows("Takes of this enrolment")) == count

    async def _speak(self) -> None:
        """Record until there is enough speech."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+Space")
        await hands.until("the microphone", lambda: eyes.find(LevelMeter, "Level: *").level is not None)
        await hands.until("the speech", lambda: eyes.find(ShareBar, "Speech heard: *").value >= ENOUGH_S)
        await hands.press("Ctrl+Space")
        await self._walk.wait_until_ready("Replay the recording")

    def _answer(self) -> str:
        """The verdict, or that there is none; empty while it is awaited."""
        word = self._eyes.find(VerdictLabel, "*").word
        return "" if word in OPEN else word
