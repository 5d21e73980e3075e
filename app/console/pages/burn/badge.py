"""Training sites: the subject's badge at a simulated reader, before and after the burn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.capabilities.credentials.messages import PresentBody, PresentReply
from app.console.actions import Action, Effect
from app.console.clock import clock_time
from app.console.code_words import decision_word
from app.console.door_clusters import read_clusters
from app.console.failures import Failure
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.burn.badge_view import BadgePanel, PastDecision
from app.console.pages.burn.words import REASON_WORDS, reason_note
from app.console.part import Host
from app.console.theme.tokens import Meaning, sentence_case
from app.console.verdicts import VerdictWatch
from app.console.widgets.choice import Choice

DOORS_OFFERED = 20
KEPT_DECISIONS = 2


class BadgeAtDoor:
    """Presents the badge of ``subject`` at a door."""

    def __init__(self, host: Host, panel: BadgePanel, subject: Callable[[], Choice | None]) -> None:
        self._session = host.session
        self._panel = panel
        self.watch = VerdictWatch(host.session, panel.verdict)
        self._subject = subject
        self._doors: list[Choice] = []
        self._decisions: list[PastDecision] = []
        self._newest: PastDecision | None = None
        self._busy = False
        panel.field.searched.connect(self._offer)
        panel.field.chosen.connect(lambda _door: host.session.actions.refresh())
        panel.field.cleared.connect(host.session.actions.refresh)

    def actions(self) -> Sequence[Action]:
        """Its row of the action table, on training sites."""
        if not self._session.training:
            return ()
        return [
            Action(
                "burn.present",
                tr("Present the badge"),
                self._present,
                "nfc",
                ("Ctrl+P",),
                page="burn",
                when=self._can_present,
                effect=Effect.CHANGE,
                hint=tr("Holds the subject's badge to the simulated reader; the door decides as any door does."),
                calls=("credentials_present",),
            )
        ]

    def forget(self) -> None:
        """Another subject is chosen: forget what was decided about the badge of the one before."""
        self._decisions.clear()
        self._newest = None
        self._panel.clear()

    async def load(self) -> None:
        """Read the doors, and fill one in, so that one key shows what the badge does."""
        clusters = await read_clusters(self._session.client)
        self._doors = found = [
            Choice(reader.reader_id, reader.reader_id, cluster.display_name)
            for cluster in clusters
            for reader in cluster.readers
        ]
        field = self._panel.field
        if field.choice is None and not field.hasFocus() and found:
            field.choose(found[0])

    def _offer(self, text: str) -> None:
        words = text.lower().split()
        found = [door for door in self._doors if all(word in f"{door.id} {door.detail}".lower() for word in words)]
        self._panel.field.offer(found[:DOORS_OFFERED])

    def _can_present(self) -> bool:
        return self._subject() is not None and self._panel.field.choice is not None and not self._busy

    def _present(self) -> None:
        """Hold the subject's badge to the chosen door."""
        subject, door = self._subject(), self._panel.field.choice
        if subject is None or door is None:
            return
        body = PresentBody(reader_id=door.id, node_id=subject.id)
        self._busy = True
        operation: Operation[PresentReply] = Operation(
            lambda client, key: client.credentials_present(body, idempotency_key=key),
            title=tr("Badge of {person} at {door}", person=subject.title, door=door.id),
            changes=("access",),
            asks=True,
        )
        operation.success(self._show_decision).failure(self._show_refusal).run(self._session, self._panel)

    def _show_decision(self, reply: PresentReply) -> None:
        """Show what the door decided, if the badge is still the subject's."""
        self._busy = False
        subject = self._subject()
        if subject is not None and subject.id == reply.node_id:
            if self._newest is not None:
                self._decisions = [self._newest, *self._decisions][:KEPT_DECISIONS]
            why = REASON_WORDS.get(reply.reason, sentence_case(reply.reason))
            now = self._session.live.now()
            at = clock_time(now)
            decision = decision_word(reply.decision)
            note = reason_note(reply.reason)
            self._newest = PastDecision(decision, f"{at} {decision} {reply.reader_id}, {note}")
            sentence = tr(
                "{door} at {time}, after {ms:.1f} ms. {why}",
                door=reply.reader_id,
                time=at,
                ms=reply.latency_ms,
                why=why,
            )
            state = Meaning.OK if reply.decision == "GRANT" else Meaning.CRIT
            self.watch.decide(state, decision, now, node_id=reply.node_id, reader_id=reply.reader_id)
            self._panel.show_decision(sentence, self._decisions)
        self._session.actions.refresh()

    def _show_refusal(self, failure: Failure) -> None:
        self._busy = False
        self._panel.show_refusal(f"{failure.sentence} {failure.next_step}".strip())
        self._session.actions.refresh()
