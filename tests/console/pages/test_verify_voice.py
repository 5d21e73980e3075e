"""The Voice tab: a virtual microphone is heard, drawn, judged and forgotten; takes are enrolled or refused by name."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QKeyEvent
from PySide6.QtTest import QTest

from app.api.wire import FieldError
from app.capabilities.voice.matrix import read_matrix, wave_of
from app.capabilities.voice.messages import SpectralCheck, SpectralCheckBody, VoiceSamples
from app.client import ApiError, Unreachable
from app.client.voice_recording import resample
from app.console.devices import microphone
from app.console.devices.microphone import NO_LIBRARY, SoundDevices, SoundTrouble
from app.console.pages import verify
from app.console.pages.verify.presenter import VerifyPresenter
from app.console.pages.verify.voice.tab import VoiceTab
from app.console.pages.verify.voice.takes import VoiceTakeRow
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice
from app.console.widgets.verdict import moment
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen
from tests.console.pages.voice_replies import calibration, checked, enrolled
from tests.console.virtual_sound import VirtualSound, speech

NODE, OTHER = "ARC-T0040", "ARC-T0041"
SPOKEN, LONG = speech(5.0), speech(7.0)
Answer = Callable[..., Awaitable[Any]]


class VoiceAnswers:
    """What the service says of voices, and what it was sent. Set ``verdict`` or ``refusal``."""

    def __init__(self) -> None:
        self.verdict: SpectralCheck | None = None
        self.refusal: ApiError | Unreachable | None = None
        self.bodies: list[SpectralCheckBody] = []
        self.heard: list[np.ndarray[Any, Any]] = []
        self.takes: list[list[np.ndarray[Any, Any]]] = []
        self.enrolled = enrolled(NODE)
        self.gate = asyncio.Event()
        self.gate.set()

    async def voice_calibration(self) -> Any:
        return calibration()

    async def voice_enrolled(self, _node_id: str) -> Any:
        return self.enrolled

    async def voice_check(self, body: SpectralCheckBody, **_how: Any) -> SpectralCheck:
        self.bodies.append(body)
        self.heard.append(_sound(body.audio_stream_vector))
        await self.gate.wait()
        if self.refusal is not None:
            raise self.refusal
        return self.verdict or checked(body.node_id)

    async def voice_enrol(self, node_id: str, body: VoiceSamples) -> Any:
        assert body.consent
        self.takes.append([_sound(one) for one in body.samples])
        if self.refusal is not None:
            raise self.refusal
        return enrolled(node_id)


def _sound(raw: Any) -> np.ndarray[Any, Any]:
    """The sound in a matrix as it is sent."""
    import base64

    text = bytes(raw)
    return wave_of(read_matrix(base64.b64decode(text.strip(b'"'), validate=True)))


def refusal(code: str, detail: str, *fields: tuple[str, str], status: int = 422) -> ApiError:
    """A problem document of the service."""
    errors = [FieldError(pointer=pointer, detail=said) for pointer, said in fields]
    return ApiError(status=status, code=code, detail=detail, request_id="r", errors=errors)


@pytest.fixture
def sound() -> VirtualSound:
    """The microphone of this test."""
    return VirtualSound(SPOKEN)


@pytest.fixture
def page(session: WindowSession, sound: VirtualSound, qtbot: Any) -> VerifyPresenter:
    """The page at the size of the design, with one virtual microphone."""
    session.sounds = SoundDevices(lambda: sound)
    presenter = built(verify, session)
    on_screen(presenter, "verify", session, qtbot)
    presenter.view.activateWindow()
    return presenter


@asynccontextmanager
async def opened(
    page: VerifyPresenter, connect: Connect, node_id: str = NODE, mode: str = "check"
) -> AsyncIterator[tuple[VoiceTab, VoiceAnswers]]:
    """The tab with that person, its microphones found."""
    tab = page.tabs["voice"]
    assert isinstance(tab, VoiceTab)
    answers = VoiceAnswers()
    async with connect(page) as client:
        for name in ("voice_calibration", "voice_enrolled", "voice_check", "voice_enrol"):
            setattr(client, name, getattr(answers, name))
        arguments = {"section": "voice", "mode": mode} | ({"node_id": node_id} if node_id else {})
        page.enter(arguments)
        await until(lambda: tab.hearing.can_hear, "the microphone")
        if node_id:
            await until(lambda: tab._node is not None and tab._enrolled is not None, "the person")
        yield tab, answers


async def spoken(tab: VoiceTab, seconds: float = 4.5) -> None:
    """Space, speech, Space."""
    tab.view.setFocus()
    before = tab.hearing.number
    QTest.keyClick(tab.view, Qt.Key.Key_Space)
    # While the microphone opens, the recording before is still there.
    await until(lambda: tab.hearing.number != before and tab.hearing.capture.seconds >= seconds, "the speech")
    QTest.keyClick(tab.view, Qt.Key.Key_Space)
    await until(lambda: tab.hearing.idle, "the end of the recording")


def found_words(tab: VoiceTab) -> dict[str, str]:
    """Each question with the word of its answer."""
    lines = [line for line in tab.view.findings if line.isVisible()]
    return {line.accessibleName().partition(":")[0]: line.mark.word for line in lines}


def test_space_starts_and_stops_and_the_verdict_is_shown(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """What is sent is what was spoken, once; the verdict has colour, word, reasons and the next step."""

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            await spoken(tab)
            await until(lambda: tab._check is not None, "the verdict")
            view = tab.view
            assert view.verdict.decided is not None
            assert view.verdict.decided[:2] == (Meaning.OK, "Genuine")
            assert "The voice is close enough" in view.reasons.text()
            assert view.next.text()
            assert found_words(tab) == {
                "Same voice": "Yes", "Living voice": "Yes", "Recording": "Good", "Digits": "Not confirmed",
            }  # fmt: skip
            assert len(view.measures.rows) == 6
            assert [len(strip.spans) for strip in (view.alike, view.synthetic)] == [2, 1]
            assert len(answers.heard) == 1
            said = resample(SPOKEN, 48_000)
            assert np.abs(answers.heard[0][: len(said) - 100] - said[: len(answers.heard[0])][:-100]).max() < 2e-3
            assert answers.bodies[0].tolerance_coefficient == 0.25

    run(work())


def test_the_voice_stands_first(page: VerifyPresenter) -> None:
    """Then the other checks, and what is set up once at the end."""
    assert list(page.tabs) == ["voice", "palm", "stylized", "code", "enrolment", "terminals"]


def test_the_verdict_says_when_it_was(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """With its age; another recording takes both away, and strips and reasons stand empty in words."""

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            view = tab.view
            assert view.when.text() == "Verdict"
            assert not view.measure_table.isVisible()
            await spoken(tab)
            await until(lambda: tab._check is not None, "the verdict")
            assert view.verdict.at is not None
            assert view.when.text().startswith(f"Verdict, {moment(view.verdict.at)}, ")
            assert view.when.text().endswith(" s ago")
            assert view.measure_table.isVisible()
            view.person.choose(Choice(OTHER, "Another", OTHER))
            assert (view.when.text(), view.verdict.state) == ("Verdict", Meaning.IDLE)
            assert not view.measure_table.isVisible()

    run(work())


def test_a_recording_that_waits_is_offered_beside_the_verdict(
    page: VerifyPresenter, connect: Connect, run: Run
) -> None:
    """Only then: what was judged is not sent a second time."""

    async def work() -> None:
        async with opened(page, connect, node_id="") as (tab, _):
            assert not tab.view.check.isVisible()
            await spoken(tab)
            assert tab.view.check.isVisible()
            tab.view.person.choose(Choice(NODE, "Somebody", NODE))
            assert tab.view.node_id.text() == NODE
            page.session.actions.trigger("verify.voice_check")
            await until(lambda: tab._check is not None, "the verdict")
            assert not tab.view.check.isVisible()

    run(work())


def test_back_from_the_enrolment_a_recording_is_checked(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """By the key as by the hand: the mode that is shown is the one that is worked in."""

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            for enrol in (True, False):
                assert page.session.actions.trigger("verify.voice_mode")
                assert (tab.enrols, tab.view.checks.isChecked()) == (enrol, not enrol)
                assert tab.view.alike.isHidden() is enrol

    run(work())


def test_what_was_sent_is_overwritten_after_the_call(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """The body's text is zeros once the answer is there."""

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            await spoken(tab)
            await until(lambda: tab._check is not None, "the verdict")
            await until(lambda: not bytes(answers.bodies[0].audio_stream_vector).strip(b"\0"), "the wiping")

    run(work())


def test_leaving_overwrites_the_recording(page: VerifyPresenter, connect: Connect, run: Run, sound: Any) -> None:
    """Another tab: no sound, no picture, no verdict stay, and the microphone is closed."""

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            await spoken(tab)
            await until(lambda: tab._check is not None, "the verdict")
            page.show_section("palm")
            await until(lambda: tab.hearing.capture.seconds == 0, "the wiping")
            assert not tab.hearing.capture._buffer.any()
            assert not tab.view.picture._power.any()
            assert tab._check is None
            await until(lambda: sound.open == 0, "the microphone")

    run(work())


def test_leaving_while_it_hears_closes_the_microphone(
    page: VerifyPresenter, connect: Connect, run: Run, sound: VirtualSound
) -> None:
    """Nothing is sent, nothing is kept."""

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            tab.hearing.toggle()
            await until(lambda: tab.hearing.capture.seconds > 1, "the speech")
            page.leave()
            await until(lambda: sound.open == 0, "the microphone")
            await until(lambda: not tab.hearing.recording, "the end")
            assert tab.hearing.capture.seconds == 0
            assert not tab.hearing.capture._buffer.any()
            assert answers.heard == []

    run(work())


def test_a_microphone_that_opens_late_is_closed(
    page: VerifyPresenter, connect: Connect, run: Run, sound: VirtualSound
) -> None:
    """The page was left meanwhile: nothing hears on, and the next recording works."""
    sound.ready.clear()

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            tab.hearing.toggle()
            await asyncio.sleep(0.05)
            page.leave()
            await until(lambda: not tab.hearing.recording, "the end")
            sound.ready.set()
            await until(lambda: sound.opened == 1, "the opening")
            await until(lambda: sound.open == 0 and sound.closed == 1, "the closing")

    run(work())


def test_another_person_never_gets_the_recording(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """It is overwritten when another one is chosen, and an answer that comes late is not shown."""

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            answers.gate.clear()
            await spoken(tab)
            await until(lambda: answers.heard, "the call")
            tab.view.person.choose(Choice(OTHER, "Another", OTHER))
            assert tab.hearing.capture.seconds == 0
            answers.gate.set()
            await asyncio.sleep(0.05)
            assert tab._check is None
            assert not page.session.actions.is_enabled("verify.voice_check")

    run(work())


def test_a_recording_without_a_person_waits_for_one(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """It can be checked once, then no more."""

    async def work() -> None:
        async with opened(page, connect, node_id="") as (tab, answers):
            await spoken(tab)
            assert "Choose the person" in tab.view.sentence.text()
            assert not page.session.actions.is_enabled("verify.voice_check")
            tab.view.person.choose(Choice(NODE, "Somebody", NODE))
            assert page.session.actions.trigger("verify.voice_check")
            await until(lambda: tab._check is not None, "the verdict")
            assert len(answers.heard) == 1
            assert not page.session.actions.is_enabled("verify.voice_check")

    run(work())


def test_the_digits_are_confirmed_by_the_operator(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """Five, new with each recording, and asked about when it has ended."""

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            view = tab.view
            assert not view.digits.isVisible()
            await spoken(tab)
            first = view.digits.text().replace(" ", "")
            assert len(first) == 5
            assert first.isdecimal()
            await until(lambda: tab._check is not None, "the verdict")
            assert view.said.isVisible()
            view.said.setChecked(True)
            assert found_words(tab)["Digits"] == "Said"
            await spoken(tab)
            assert not view.said.isChecked()

    run(work())


def test_too_little_sound_is_not_sent(page: VerifyPresenter, connect: Connect, run: Run, sound: VirtualSound) -> None:
    """Under a second there is nothing to judge."""
    sound.sound = SPOKEN[:24_000]

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            await spoken(tab, 0.3)
            assert "Too short" in tab.view.enough.text()
            assert tab.hearing.capture.seconds == 0
            assert answers.heard == []

    run(work())


def test_sound_that_was_lost_is_not_judged(
    page: VerifyPresenter, connect: Connect, run: Run, sound: VirtualSound
) -> None:
    """The recording ends, says why, and is gone."""
    sound.status = "input overflow"

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            tab.hearing.toggle()
            await until(lambda: "too busy" in tab.view.trouble.text(), "the reason")
            assert tab.hearing.capture.seconds == 0
            assert answers.heard == []

    run(work())


def test_a_microphone_that_is_unplugged_ends_the_recording(
    page: VerifyPresenter, connect: Connect, run: Run, sound: VirtualSound, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its reason; nothing is judged, and nobody waits for a sound that never comes."""
    monkeypatch.setattr(microphone, "GONE_S", 0.2)
    sound.unplugged = True

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            tab.hearing.toggle()
            await until(lambda: "plugged in" in tab.view.trouble.text(), "the reason")
            await until(lambda: sound.open == 0 and tab.hearing.idle, "the closing")
            assert tab.hearing.capture.seconds == 0
            assert answers.heard == []

    run(work())


def test_a_refusal_says_what_to_do(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """Nobody is enrolled: there is no verdict, and the recording may be sent again."""

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            answers.refusal = refusal("state_conflict", "The node has no vocal signature.", status=409)
            await spoken(tab)
            await until(lambda: tab.view.verdict.word == "No verdict", "the refusal")
            assert "no vocal signature" in tab.view.sentence.text()
            assert tab.view.verdict.state is Meaning.IDLE
            assert "Enrol" in tab.view.next.text()
            await until(lambda: page.session.actions.is_enabled("verify.voice_check"), "the action")

    run(work())


def test_a_lost_answer_asks_for_a_new_recording(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """The service ended after it had the recording: sent once more, the same one might count as a clone."""

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            answers.refusal = Unreachable("The service does not answer.")
            await spoken(tab)
            await until(lambda: tab.view.verdict.word == "No verdict", "the failure")
            assert "Speak again" in tab.view.next.text()
            assert not page.session.actions.is_enabled("verify.voice_check")
            answers.refusal = None
            await spoken(tab)
            await until(lambda: tab._check is not None, "the verdict")

    run(work())


@pytest.mark.parametrize("seconds", [600, 31])
def test_a_long_file_is_refused_with_its_length(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path, seconds: int
) -> None:
    """Ten minutes are not cut to half a minute: nobody knows which part was meant."""
    path = tmp_path / "long.wav"
    count = seconds * 16_000 * 2
    head = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 16_000, 32_000, 2, 16) + b"data" + struct.pack("<I", count)
    path.write_bytes(b"RIFF" + struct.pack("<I", len(head) + count) + head + bytes(count))

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            said: list[str] = []
            page.session.toast.connect(lambda text, *_rest: said.append(text))
            tab._take_files([path])
            await until(lambda: said, "the refusal")
            assert f"lasts {seconds:.2f} s" in said[0]
            assert tab.hearing.idle
            assert answers.heard == []

    run(work())


def test_a_dropped_file_is_checked_without_digits(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """And one that is no recording is refused in words."""
    good, bad = tmp_path / "good.wav", tmp_path / "bad.flac"
    data = (resample(SPOKEN, 48_000) * 32_767).astype("<i2").tobytes()
    head = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 16_000, 32_000, 2, 16)
    content = head + b"data" + struct.pack("<I", len(data)) + data
    good.write_bytes(b"RIFF" + struct.pack("<I", len(content)) + content)
    bad.write_bytes(b"no sound at all")

    def drop(tab: VoiceTab, path: Path) -> None:
        dropped = QMimeData()
        dropped.setUrls([QUrl.fromLocalFile(str(path))])
        event = QDropEvent(
            QPointF(9, 9), Qt.DropAction.CopyAction, dropped, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        )
        tab.view.dropEvent(event)

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            said: list[str] = []
            page.session.toast.connect(lambda text, *_rest: said.append(text))
            drop(tab, bad)
            await until(lambda: any("neither WAV nor FLAC" in one for one in said), "the refusal")
            drop(tab, good)
            await until(lambda: tab._check is not None, "the verdict")
            assert found_words(tab)["Digits"] == "Not asked"
            assert not tab.view.said.isVisible()
            assert len(answers.heard) == 1

    run(work())


def test_without_portaudio_a_file_still_works(session: WindowSession, connect: Connect, run: Run, qtbot: Any) -> None:
    """The package to install is named where the microphone would be."""

    def missing() -> Any:
        raise SoundTrouble(NO_LIBRARY)

    session.sounds = SoundDevices(missing)
    page = built(verify, session)
    on_screen(page, "verify", session, qtbot)

    async def work() -> None:
        async with connect(page):
            tab = page.tabs["voice"]
            assert isinstance(tab, VoiceTab)
            page.enter({"section": "voice"})
            await until(lambda: "libportaudio2" in tab.view.trouble.text(), "the words")
            assert not tab.view.microphone.isVisible()
            assert not session.actions.is_enabled("verify.voice_speak")
            assert session.actions.is_enabled("verify.voice_file")
            tab.view.person.choose(Choice(NODE, "Somebody", NODE))
            await until(lambda: tab._node is not None, "the person")
            tab._enrolled = enrolled(NODE)
            tab.paint_all()
            assert "Open a recording" in tab.view.sentence.text()
            assert "Space" not in tab.view.sentence.text() + tab.view.nothing._detail.text()

    run(work())


def test_who_is_not_enrolled_is_told_before_anybody_speaks(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """With the way to the enrolment; once there is a signature, Space is asked for."""

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            assert "Press Space" in tab.view.sentence.text()
            answers.enrolled = None
            tab.read_now()
            await until(lambda: "No voice of this person is enrolled" in tab.view.sentence.text(), "the words")
            assert tab.view.state.word == "No voice enrolled"
            assert tab._node is not None
            for standing, words in (("REVOKED", "A burned person"), ("SUSPENDED", "A contained person")):
                tab._node = msgspec.structs.replace(tab._node, standing=standing)
                tab.paint_all()
                assert tab.view.sentence.text().startswith(words)

    run(work())


def test_the_tolerance_moves_on_the_curve_up_to_the_site_s_cap(
    page: VerifyPresenter, connect: Connect, run: Run
) -> None:
    """What it costs stands beside it, in words; the next check is asked with it."""

    async def work() -> None:
        async with opened(page, connect) as (tab, answers):
            view = tab.view
            await until(lambda: view.slider.maximum() == 80, "the curve")
            assert view.slider.value() == 25
            # The axis goes to 1.0, the slider to the cap: each of its places is under that of the curve.
            await until(lambda: view.slider.width() < 0.85 * view.curve.width(), "the layout")
            view.slider.setFocus()
            QTest.keyClick(view.slider, Qt.Key.Key_PageUp)
            assert view.slider.value() == 30
            view.slider.setValue(50)
            assert "1.1 % of strangers" in view.price.text()
            assert "20 %" in view.price.text()
            await spoken(tab)
            await until(lambda: tab._check is not None, "the verdict")
            assert answers.bodies[0].tolerance_coefficient == 0.5
            view.slider.setValue(5)
            assert "would not pass" in view.price.text()
            page.session.actions.trigger("verify.voice_reset")
            assert view.slider.value() == 25

    run(work())


def test_the_recording_is_played_with_a_playhead(
    page: VerifyPresenter, connect: Connect, run: Run, sound: VirtualSound
) -> None:
    """What is heard is what was spoken."""

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            await spoken(tab)
            await until(lambda: tab._check is not None, "the verdict")
            wave = tab.hearing.capture.wave
            assert page.session.actions.trigger("verify.voice_replay")
            await until(lambda: len(sound.played) > len(wave), "the end")
            await until(lambda: not tab.view.picture._head.isVisible(), "the playhead")
            assert np.array_equal(sound.played[: len(wave)], wave)

    run(work())


def test_three_takes_with_consent_are_enrolled(
    page: VerifyPresenter, connect: Connect, run: Run, sound: VirtualSound
) -> None:
    """Not before: neither without the tick, nor with fewer takes. The takes are overwritten then."""
    sound.sound = LONG

    async def work() -> None:
        async with opened(page, connect, mode="enrol") as (tab, answers):
            view, session = tab.view, page.session
            view.consent.setChecked(True)
            for count in (1, 2, 3):
                assert not session.actions.is_enabled("verify.voice_enrol")
                await spoken(tab, 6.9)
                await until(lambda count=count: len(view.takes.rows) == count, "the take")
            assert [row.speech_s for row in view.takes.rows if row.speech_s <= 4] == []
            view.consent.setChecked(False)
            assert not session.actions.is_enabled("verify.voice_enrol")
            view.consent.setChecked(True)
            waves = [row.wave for row in tab.enrolment.takes.rows]
            assert session.actions.trigger("verify.voice_enrol")
            await until(lambda: view.outcome.word == "Enrolled", "the outcome")
            assert [len(one) for one in answers.takes] == [3]
            assert not any(wave is not None and wave.any() for wave in waves)
            assert not view.consent.isChecked()
            assert answers.heard == []

    run(work())


def test_a_refused_take_is_named_with_its_reason(
    page: VerifyPresenter, connect: Connect, run: Run, sound: VirtualSound
) -> None:
    """The others stay; the refused one is overwritten and can be spoken again."""
    sound.sound = LONG

    async def work() -> None:
        async with opened(page, connect, mode="enrol") as (tab, answers):
            answers.refusal = refusal(
                "invalid_body", "Record the takes again.", ("/samples/1", "noise: The noise is too loud to tell.")
            )
            tab.view.consent.setChecked(True)
            for count in (1, 2, 3):
                await spoken(tab, 6.9)
                await until(lambda count=count: len(tab.view.takes.rows) == count, "the take")
            assert page.session.actions.trigger("verify.voice_enrol")
            await until(lambda: tab.view.outcome.word == "Not enrolled", "the outcome")
            assert tab.view.outcome_words.text().startswith("Take 2: The noise is too loud to tell.")
            assert [row.state for row in tab.view.takes.rows] == ["good", "refused", "good"]
            assert len(tab.enrolment.takes.kept) == 2

    run(work())


def test_leaving_overwrites_the_takes(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """And takes the consent back: it was given for these."""

    async def work() -> None:
        async with opened(page, connect, mode="enrol") as (tab, _):
            await spoken(tab)
            await until(lambda: tab.view.takes.rows, "the take")
            wave = tab.enrolment.takes.rows[0].wave
            assert wave is not None
            tab.view.consent.setChecked(True)
            page.show_section("palm")
            await until(lambda: not tab.enrolment.takes.rows, "the wiping")
            assert not wave.any()
            assert not tab.view.consent.isChecked()

    run(work())


def test_the_hands_stay_on_the_button_that_ends_the_recording(
    page: VerifyPresenter, connect: Connect, run: Run
) -> None:
    """Space on it begins and ends, as Space anywhere does."""

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            tab.view.speak.setFocus()
            QTest.keyClick(tab.view.speak, Qt.Key.Key_Space)
            await until(lambda: tab.hearing.capture.seconds > 4, "the speech")
            assert tab.view.stop.hasFocus()
            QTest.keyClick(tab.view.stop, Qt.Key.Key_Space)
            await until(lambda: tab._check is not None, "the verdict")
            assert tab.view.speak.hasFocus()

    run(work())


def test_a_key_that_is_held_begins_once(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """The repeats of a held Space neither end the recording nor begin another."""

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            key, none = Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier
            tab.view.setFocus()
            QTest.keyPress(tab.view, key)
            for _ in range(5):
                QCoreApplication.sendEvent(tab.view, QKeyEvent(QEvent.Type.KeyPress, key, none, " ", autorep=True))
            await until(lambda: tab.hearing.capture.seconds > 4, "the speech")
            assert tab.hearing.recording
            assert tab.hearing.number == 2
            QTest.keyRelease(tab.view, key)
            assert tab.hearing.recording

    run(work())


def test_space_is_written_in_a_field(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """Names have spaces."""

    async def work() -> None:
        async with opened(page, connect, node_id="") as (tab, _):
            tab.view.person.setFocus()
            QTest.keyClicks(tab.view.person, "Training Person")
            assert tab.view.person.text() == "Training Person"
            assert not tab.hearing.recording

    run(work())


def test_the_newest_take_is_the_chosen_one(page: VerifyPresenter) -> None:
    """The first time that takes are shown; afterwards the operator's choice stays."""
    tab = page.tabs["voice"]
    assert isinstance(tab, VoiceTab)
    view = tab.view
    takes = [VoiceTakeRow(number, "microphone", 5.0, 30.0, "good") for number in (1, 2, 3)]
    view.show_takes(takes[:2], "")
    assert view.take == takes[1]
    view.show_takes(takes, "")
    assert view.take == takes[1]
