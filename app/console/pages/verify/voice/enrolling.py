"""Takes become a vocal signature, and a vocal signature is erased."""

from __future__ import annotations

from collections.abc import Callable

from app.capabilities.voice.messages import EnrolledVoice, ErasedVoice, VoiceSamples
from app.client.voice_recording import FloatArray
from app.console.failures import Failure
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.verify.voice.capture import HeardSpeech
from app.console.pages.verify.voice.takes import VoiceTakes
from app.console.pages.verify.voice.view import VoiceView
from app.console.part import Host
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice
from app.console.widgets.confirm import ConfirmDialog
from app.console.wiped_body import WipedBody

CHANGES = ("voice", "nodes")
NOTHING = tr("Three takes or more, with 12 s of speech together, make one vocal signature.")


class VoiceEnrolling:
    """``erased`` is called when the person's signature is gone."""

    def __init__(self, host: Host, view: VoiceView, erased: Callable[[], None]) -> None:
        self._host = host
        self._session = host.session
        self._view = view
        self._erased = erased
        self.takes = VoiceTakes()
        self.sending = False
        """Whether takes are with the service."""
        self._round = 0
        self.show()
        self.show_outcome(Meaning.IDLE, tr("Nothing yet"), NOTHING)

    def show_outcome(self, state: Meaning, word: str, said: str) -> None:
        """What came of it."""
        self._view.show_outcome(state, word, said)

    def show(self) -> None:
        """Show the takes."""
        self._view.show_takes(self.takes.rows, self.takes.progress)
        self._session.actions.refresh()

    @property
    def ready(self) -> bool:
        """Whether they may be sent: enough of them, and the person agreed."""
        return not self.sending and self.takes.ready and self._view.consent.isChecked()

    def keep(self, wave: FloatArray, heard: HeardSpeech, origin: str) -> None:
        """Keep a recording as a take."""
        if self.takes.full:
            wave[:] = 0
            self.show_outcome(Meaning.WARN, tr("Ten takes"), tr("No more are sent at once: remove one first."))
            return
        row = self.takes.add(wave, heard, origin)
        self.show()
        self._view.take_table.selectRow(self._view.takes.row_of(str(row.number)))

    def drop(self) -> None:
        """Forget the take under the cursor."""
        if (take := self._view.take) is not None:
            self.takes.drop(take.number)
            self.show()

    def enrol(self, node_id: str) -> None:
        """Send the takes; their bytes are wiped after the call."""
        sent, begun = WipedBody(self.takes.send()), self._round
        body = VoiceSamples(samples=sent.raws, consent=True)
        self.sending = True
        self.show_outcome(Meaning.WORK, tr("Enrolling"), tr("The service makes the vocal signature."))

        def take(reply: EnrolledVoice) -> None:
            self.sending = False
            if begun == self._round:
                self.takes.take_enrolment()
                self._view.consent.setChecked(False)
                said = tr(
                    "{count} takes with {seconds:.1f} s of speech. The two that are least alike are so by "
                    "{quality} of 100.",
                    count=reply.samples,
                    seconds=reply.speech_seconds,
                    quality=reply.quality,
                )
                self.show_outcome(Meaning.OK, tr("Enrolled"), said)
            self.show()

        def refuse(failure: Failure) -> None:
            self.sending = False
            if begun == self._round:
                numbers = self.takes.take_refusal(failure.fields)
                which = tr("Take {numbers}: ", numbers=", ".join(map(str, numbers))) if numbers else ""
                reasons = [row.said for row in self.takes.rows if row.number in numbers]
                said = " ".join(dict.fromkeys(reasons or [why for _, why in failure.fields])) or failure.sentence
                self.show_outcome(Meaning.BAD, tr("Not enrolled"), f"{which}{said} {failure.next_step}".strip())
            else:
                self._session.notify_failure(tr("Enrol the voice of {person}", person=node_id), failure)
            self.show()

        operation: Operation[EnrolledVoice] = Operation(
            lambda client, _key: client.voice_enrol(node_id, body),
            title=tr("Enrol the voice of {person}", person=node_id),
            changes=CHANGES,
        )
        sent.wipe_after(operation.success(take).failure(refuse).run(self._session, self._view))

    def ask_erase(self, choice: Choice) -> None:
        """Ask, then erase the person's vocal signature."""

        def show_erased(_reply: ErasedVoice) -> None:
            self._erased()
            self.show_outcome(
                Meaning.OK, tr("Erased"), tr("The vocal signature of {person} is gone.", person=choice.id)
            )

        def erase() -> None:
            Operation(
                lambda client, _key: client.voice_erase(choice.id),
                title=tr("Erase the vocal signature of {person}", person=choice.id),
                changes=CHANGES,
                asks=True,
            ).success(show_erased).failure(self._host.show_failure).run(self._session, self._view)

        ConfirmDialog(
            self._view.window(),
            tr("Erase the vocal signature of {person}?", person=choice.title),
            tr(
                "{person} can no more be checked by voice until enrolled anew. What the audit log says of it stays.",
                person=choice.id,
            ),
            tr("Erase it"),
            erase,
        ).open()

    def forget(self) -> int:
        """Overwrite every take; how many there were."""
        self._round += 1
        self.sending = False
        count = self.takes.forget()
        self._view.consent.setChecked(False)
        self.show_outcome(Meaning.IDLE, tr("Nothing yet"), NOTHING)
        self.show()
        return count
