"""The voice tab at work: a person, a recording of them, and what the service says of it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.capabilities.voice.matrix import matrix_of, npy_bytes
from app.capabilities.voice.messages import (
    DEFAULT_TOLERANCE,
    EnrolledVoice,
    SpectralCheck,
    SpectralCheckBody,
    VoiceCalibration,
)
from app.client import ApiError
from app.console.actions import Action, Effect
from app.console.clock import date_time
from app.console.failures import Failure
from app.console.files import ask_open
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.operations import Operation
from app.console.pages.verify.known import BARRED
from app.console.pages.verify.voice.capture import HeardSpeech
from app.console.pages.verify.voice.enrolling import VoiceEnrolling
from app.console.pages.verify.voice.hearing import VoiceHearing
from app.console.pages.verify.voice.view import VoiceView
from app.console.pages.verify.voice.words import (
    HALF,
    LISTENING,
    NO_MICROPHONE,
    NOBODY,
    NOT_CHECKED,
    NOT_ENROLLED,
    NOT_TOLD,
    READY,
    VERDICTS,
    findings,
    measure_rows,
    next_step,
    passes,
    refusal_state,
    refusal_step,
    scored_spans,
    tolerance_words,
)
from app.console.pages.verify.words import PAGE
from app.console.part import Host, Part, person
from app.console.theme.tokens import Meaning
from app.console.verdicts import VerdictWatch
from app.console.widgets.error_curve import ErrorCurvePoint
from app.console.widgets.spectrogram import Spectrogram
from app.console.wiped_body import WipedBody
from app.registry.messages.nodes import Node


class VoiceTab(Part):
    """The recording and the takes are of the person who is chosen, and live in memory while the tab is shown; leaving
    it overwrites them."""

    every_s = 20.0
    kinds = frozenset({"voice", "nodes", "burns"})

    view: VoiceView

    def __init__(self, host: Host, sound: Spectrogram) -> None:
        super().__init__(host)
        self.view = view = VoiceView(host.session.actions, self.mark, sound)
        self.hearing = VoiceHearing(host, view, self._show_begun, self._take_whole)
        self.enrolment = VoiceEnrolling(host, view, self._take_erasure)
        self._node: Node | None = None
        self._enrolled: EnrolledVoice | None = None
        self._curve: VoiceCalibration | None = None
        self._check: SpectralCheck | None = None
        self._person = ""
        self._asking = False
        """Whether a recording is with the service."""
        self._sent = -1
        """Number of the recording that was sent last: it can be sent once."""
        self._waits = True
        """Whether what to do first stands where the verdict will be."""
        self._moved = False
        """Whether the operator set the tolerance."""
        self._watch = VerdictWatch(host.session, view.verdict)
        view.person.searched.connect(lambda text: host.suggest(view.person, text))
        view.person.chosen.connect(lambda _choice: self._person_changed())
        view.person.cleared.connect(self._person_changed)
        view.toggled.connect(lambda: host.session.actions.trigger("verify.voice_speak"))
        view.files_dropped.connect(self._take_files)
        view.enrolling.connect(self._change_mode)
        view.confirmed.connect(self._confirm)
        view.moved.connect(self._move)
        view.consent.toggled.connect(lambda _on: host.session.actions.refresh())
        view.take_table.selected.connect(lambda _row: host.session.actions.refresh())
        self.hearing.wipe()
        self._reset()
        self._show_check()

    @property
    def enrols(self) -> bool:
        """Whether a recording is a take of an enrolment; else it is checked."""
        return self.view.enrols.isChecked()

    @property
    def tolerance(self) -> float:
        """What a check is asked with, 0..1."""
        return self.view.slider.value() / 100

    @property
    def _unsent(self) -> bool:
        """Whether there is a recording that was not judged yet, to be checked."""
        usable = self.hearing.capture.usable and self._sent != self.hearing.number
        return usable and not self._asking and not self.enrols

    # --- what can be done --------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        shown, hearing, enrolment = self.host.shown, self.hearing, self.enrolment

        def idle() -> bool:
            return shown() and hearing.idle

        def can_check() -> bool:
            return idle() and self._unsent and self._person != ""

        def can_enrol() -> bool:
            return idle() and self.host.may_write and enrolment.ready and self._person != "" and not self._barred

        def can_erase() -> bool:
            return idle() and self.host.may_write and self._enrolled is not None

        return [
            Action(
                "verify.voice_speak", tr("Start or stop the recording"), hearing.toggle, "mic", ("Ctrl+Space",), PAGE,
                when=lambda: shown() and hearing.can_hear, effect=Effect.CHANGE,
                hint=tr("Space does it, too, wherever no field and no other button has the focus."),
            ),
            Action(
                "verify.voice_replay", tr("Replay the recording"), hearing.replay, "play", ("Ctrl+P",), PAGE,
                when=lambda: idle() and hearing.capture.seconds > 0, effect=Effect.CHANGE,
                hint=tr("By this machine's loudspeaker; again: stops it."),
            ),
            Action(
                "verify.voice_check", tr("Check the recording"), self._send, "user-check",
                ("Ctrl+Return", "Ctrl+Enter"), PAGE, when=can_check, effect=Effect.CHANGE,
                hint=tr("A recording is checked once: the second time it counts as replayed."),
                calls=("voice_check",),
            ),
            Action(
                "verify.voice_file", tr("Open a recording"), self._ask_file, "upload", ("Ctrl+Shift+F",), PAGE,
                when=idle, effect=Effect.CHANGE, hint=tr("WAV or FLAC, 1 to 30 s; it may also be dropped on the page."),
                calls=("voice_check",),
            ),
            Action(
                "verify.voice_reset", tr("Reset the tolerance"), self._reset, "rotate-ccw", ("Ctrl+Shift+R",), PAGE,
                when=shown, effect=Effect.CHANGE,
            ),
            Action(
                "verify.voice_mode", tr("Change between check and enrolment"), self._swap_mode, "refresh-cw",
                ("Ctrl+Shift+M",), PAGE, when=idle, effect=Effect.CHANGE,
            ),
            Action(
                "verify.voice_enrol", tr("Enrol these takes"), lambda: enrolment.enrol(self._person), "user-check",
                ("Ctrl+Shift+S",), PAGE, when=can_enrol, effect=Effect.CHANGE,
                hint=tr("Needs Citadel clearance, the person's consent, three takes and 12 s of speech."),
                calls=("voice_enrol",),
            ),
            Action(
                "verify.voice_drop", tr("Remove the take"), enrolment.drop, "trash-2", ("Ctrl+Backspace",), PAGE,
                when=lambda: idle() and self.enrols and self.view.take is not None, effect=Effect.CHANGE,
                hint=tr("It is overwritten in memory."),
            ),
            Action(
                "verify.voice_erase", tr("Erase the vocal signature"), self._ask_erase, "trash-2", ("Ctrl+Shift+Del",),
                PAGE, when=can_erase, effect=Effect.CHANGE, hint=tr("Asks first."),
                calls=("voice_erase",),
            ),
        ]  # fmt: skip

    def first_control(self) -> QWidget:
        return self.view.speak if self._person else self.view.person

    # --- reading -----------------------------------------------------------------------------------------------------

    def take(self, arguments: Mapping[str, str]) -> None:
        if arguments.get("mode"):
            self.view.show_mode(enrol=arguments["mode"] == "enrol")
        if arguments.get("node_id"):
            self.host.spawn(self._take_person(arguments["node_id"]))

    async def _take_person(self, node_id: str) -> None:
        self.view.person.choose(person(await self.session.client.registry_get_node(node_id)))

    async def run(self, arguments: Mapping[str, str]) -> None:
        self.host.spawn(self._find_microphones())
        try:
            await super().run(arguments)
        finally:
            self._forget()

    async def _find_microphones(self) -> None:
        """Show the devices of this machine, and what to do without one."""
        await self.hearing.find_microphones()
        if self._waits:
            self._show_check()

    async def read(self) -> None:
        client, asked = self.session.client, self._person
        if self._curve is None:
            # Without models the service cannot say; it says so again when a recording is sent.
            with contextlib.suppress(ApiError):
                self._take_curve(await client.voice_calibration())
        node = enrolled = None
        if asked:
            node = await client.registry_get_node(asked)
            try:
                enrolled = await client.voice_enrolled(asked)
            except ApiError as error:
                if error.status != HTTPStatus.NOT_FOUND:
                    raise
        if asked == self._person:
            self._node, self._enrolled = node, enrolled

    def _take_curve(self, curve: VoiceCalibration) -> None:
        self._curve = curve
        self.view.show_cap(curve.tolerance_cap)
        if not self._moved:
            self._reset()

    def paint_all(self) -> None:
        self._show_person()
        self._show_tolerance()
        if self._waits:
            self._show_check()

    @property
    def _barred(self) -> bool:
        return self._node is not None and self._node.standing in BARRED

    def _show_person(self) -> None:
        """Show whether the person's voice is enrolled, or why it cannot be."""
        node, enrolled = self._node, self._enrolled
        if not self._person:
            told = Meaning.IDLE, tr("Nobody is chosen")
        elif node is None:
            told = Meaning.IDLE, tr("Not known yet")
        elif node.standing in BARRED:
            told = (Meaning.CRIT, tr("Burned")) if node.standing == "REVOKED" else (Meaning.WARN, tr("Contained"))
        elif enrolled is None:
            told = Meaning.IDLE, tr("No voice enrolled")
        elif not enrolled.current:
            told = Meaning.WARN, tr("Enrolled for older models")
        else:
            told = Meaning.OK, tr("Voice enrolled {day}", day=date_time(parse_time(enrolled.enrolled_at))[:10])
        self.view.show_person(self._person, *told)

    def _show_unsent(self) -> None:
        """Offer to check a recording that waits for it."""
        self.view.show_unsent(waits=self._unsent and not self.hearing.recording)

    def _person_changed(self) -> None:
        """Follow the field of the person."""
        choice = self.view.person.choice
        before, self._person = self._person, "" if choice is None else choice.id
        if before == self._person:
            return
        self._node = self._enrolled = None
        # A recording without a person waits for one; that of another person never goes over to the next one.
        if before:
            self._forget()
        self._show_person()
        self._show_check()
        self.read_now()
        if self._person:
            self.view.speak.setFocus(Qt.FocusReason.OtherFocusReason)
        self.session.actions.refresh()

    # --- recordings --------------------------------------------------------------------------------------------------

    def _show_begun(self) -> None:
        self._check = None
        self._show_check()

    def _take_whole(self, heard: HeardSpeech) -> None:
        """A recording has ended: it is a take, or it is checked."""
        if self.enrols:
            self.enrolment.keep(self.hearing.capture.wave, heard, self.hearing.origin)
        elif self._person:
            self._send()
        else:
            self._show_check()

    def _ask_file(self) -> None:
        number = self.hearing.number

        def take(paths: list[Path]) -> None:
            if number == self.hearing.number:
                self._take_files(paths)

        ask_open(
            self.view, tr("A recording of speech"), take, kinds=[tr("Recordings (*.wav *.flac)")], several=self.enrols
        )

    def _take_files(self, paths: Sequence[Path]) -> None:
        """Recordings were dropped or chosen; several of them are takes of an enrolment."""
        if self.hearing.idle and self.host.shown():
            self.host.spawn(self.hearing.read_files(list(paths) if self.enrols else list(paths)[:1]))

    def _swap_mode(self) -> None:
        self.view.show_mode(enrol=not self.enrols)

    def _change_mode(self, enrol: bool) -> None:
        self.view.show_mode(enrol=enrol)
        self.hearing.wipe()
        self._show_begun()
        self.session.actions.refresh()

    # --- checking ----------------------------------------------------------------------------------------------------

    def _send(self) -> None:
        """Have the service judge the recording; what is sent is wiped after the call."""
        wave = self.hearing.capture.wave
        matrix = matrix_of(wave)
        wave[:] = 0
        sent = WipedBody([npy_bytes(matrix)])
        matrix[:] = 0
        node_id, number = self._person, self.hearing.number
        body = SpectralCheckBody(
            node_id=node_id, audio_stream_vector=sent.raws[0], tolerance_coefficient=self.tolerance
        )
        self._asking, self._sent, self._waits = True, number, False
        self.view.show_verdict((Meaning.WORK, tr("Judging")), tr("The service judges the recording."), "", (), "")
        self._show_unsent()

        def take(reply: SpectralCheck) -> None:
            self._asking = False
            if number == self.hearing.number:
                self._check = reply
                state, word, _ = VERDICTS[reply.verdict]
                self._watch.decide(state, word, parse_time(reply.timestamp), node_id=node_id)
                self._show_check()
            self.session.actions.refresh()

        def refuse(failure: Failure) -> None:
            self._asking = False
            if number == self.hearing.number:
                # Refused, it was not judged and may be sent again; a lost answer may have been a verdict.
                self._sent = number if failure.unknown else -1
                standing = "" if self._node is None else self._node.standing
                step = refusal_step(failure, standing)
                self.view.show_verdict((refusal_state(failure), tr("No verdict")), failure.sentence, step, (), "")
                self._show_unsent()
            self.session.actions.refresh()

        operation: Operation[SpectralCheck] = Operation(
            lambda client, key: client.voice_check(body, idempotency_key=key),
            title=tr("Check the voice of {person}", person=node_id),
            changes=("nodes",),
        )
        sent.wipe_after(operation.success(take).failure(refuse).run(self.session, self.view))

    def _show_check(self) -> None:
        """Show the verdict; without one, what to do first."""
        view, check = self.view, self._check
        self._waits = check is None
        self._show_unsent()
        if check is None:
            view.show_verdict((Meaning.IDLE, tr("None yet")), self._first_step, "", (), "")
            view.show_measures(())
            for strip in (view.alike, view.synthetic):
                strip.set((), None)
            return
        reasons = "\n".join(f"• {text}" for text in check.reason_texts)
        limit = None if self._curve is None else self._curve.synthetic_threshold
        shown = findings(check, self.hearing.confirmed, limit)
        view.show_verdict(None, VERDICTS[check.verdict][2], next_step(check), shown, reasons)
        view.show_measures(measure_rows(check))
        gate = HALF if limit is None else limit
        alike, synthetic = scored_spans(check, gate)
        view.alike.set(alike, HALF)
        view.synthetic.set(synthetic, gate)
        self._show_tolerance()

    @property
    def _first_step(self) -> str:
        """What to do before there is a verdict."""
        if not self._person:
            return NOT_TOLD if self.hearing.capture.usable else NOBODY
        if self.hearing.recording:
            return LISTENING
        if self._node is not None and self._node.standing in NOT_CHECKED:
            return NOT_CHECKED[self._node.standing]
        if self._node is not None and self._enrolled is None:
            return NOT_ENROLLED
        return READY if self.hearing.can_hear else NO_MICROPHONE

    def _confirm(self, said: bool) -> None:
        if self.hearing.confirmed is not None:
            self.hearing.confirmed = said
            self._show_check()

    # --- tolerance ---------------------------------------------------------------------------------------------------

    def _move(self, _tolerance: float) -> None:
        self._moved = True
        self._show_tolerance()

    def _reset(self) -> None:
        wanted = DEFAULT_TOLERANCE if self._curve is None else self._curve.tolerance_default
        self.view.slider.setValue(round(100 * wanted))
        self._moved = False
        self._show_tolerance()

    def _show_tolerance(self) -> None:
        """Show what the tolerance costs by the service's curve."""
        view, curve = self.view, self._curve
        if curve is None:
            view.trials.setText(number(self.tolerance, ".2f"))
            view.price.setText(tr("The service has not said which errors a tolerance costs."))
            return
        points = [ErrorCurvePoint(one.tolerance, one.far, one.frr) for one in curve.points]
        floor = 3 / max(curve.impostor_trials, 1)
        view.trials.setText(
            tr(
                "{tolerance:.2f} · {count:,} trials with strangers",
                tolerance=self.tolerance,
                count=curve.impostor_trials,
            )
        )
        view.curve.set_points(points, floor)
        view.curve.set_setting(self.tolerance)
        words = tolerance_words(points, floor, self.tolerance)
        if self._check is not None and self._check.llr is not None and self._moved:
            if passes(curve, self._check.llr, self.tolerance):
                words += tr(" This voice would pass as the person's by that.")
            else:
                words += tr(" This voice would not pass as the person's by that.")
        view.price.setText(words)

    # --- erasing and forgetting --------------------------------------------------------------------------------------

    def _ask_erase(self) -> None:
        if (choice := self.view.person.choice) is not None:
            self.enrolment.ask_erase(choice)

    def _take_erasure(self) -> None:
        self._enrolled = None
        self._show_person()

    def _forget(self) -> None:
        """Overwrite every sound: nothing of a voice stays when nobody looks at it."""
        self._asking = False
        had = self.enrolment.forget() + self.hearing.wipe()
        self._show_begun()
        if had:
            self.session.notify(tr("Recordings that were here are overwritten in this console's memory."), "info")
