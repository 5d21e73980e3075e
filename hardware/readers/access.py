"""Cards at the readers of one group: decided, signalled, reported. On the group's loop thread only."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hardware.readers.commands import beep_fields, led_fields, pulse_fields
from hardware.readers.decision import AccessDecision, CardRead, Credential
from hardware.readers.errors import ReaderOffline, ReaderTimeout
from hardware.readers.panel import LinkPhase, Presentation, ReaderCommand, ReaderLink, resolve
from hardware.readers.reader import DecidedPresentation, LedColor
from hardware.readers.shared import GroupShared

PRESENT_SECONDS = 3.0
"""Deadline of a simulated presentation, from the call to the last signal's acknowledgement."""

_DENIED_TENTHS = 20
_GRANT_BEEPS, _DENIAL_BEEPS = 1, 3


class DoorAccess:
    """Takes the decisions of one group, and queues what its readers show of them."""

    def __init__(self, group: GroupShared) -> None:
        self._group = group

    def decide_card(self, link: ReaderLink, event: dict[str, Any]) -> AccessDecision | None:
        """Decide a CARDREAD event and queue its signals. None: the reader is not up, and nothing was decided.

        The caller sends the first signal at once, and reports a denial after that.
        """
        started = time.perf_counter_ns()
        if link.phase is not LinkPhase.UP:
            return None  # read in plain text or over a channel that is gone: worth nothing
        try:
            card = CardRead(link.reader_id, link.config.cluster_id, Credential.from_event(event))
        except ValueError:
            card = None
        decision = AccessDecision(False, "unknown_credential") if card is None else self._group.fleet.decide(card)
        decision = replace(decision, latency_us=(time.perf_counter_ns() - started) / 1000)
        presentation = self._presentation_of(link, card)
        presentation.card, presentation.decision = card, decision
        self._signal(link, presentation)
        return decision

    def may_still_open(self, link: ReaderLink, command: ReaderCommand) -> bool:
        """Decide again before a door that had to wait in the queue is opened: a burn may have come in between.

        Because of this, and because each reader has one command in flight, the Ack of an epoch means that no pulse of
        an older deny set is on its way.
        """
        presentation = command.presentation
        if presentation is None or presentation.card is None or presentation.decision is None:
            return False
        again = self._group.fleet.decide(presentation.card)
        if again.grant:
            self.report(link, presentation.decision)
            return True
        presentation.decision = replace(again, latency_us=presentation.decision.latency_us)
        _take_off_queue(link, presentation)
        self._signal(link, presentation)
        self.report(link, presentation.decision)
        return False

    def report(self, link: ReaderLink, decision: AccessDecision) -> None:
        """Report a decided presentation to the fleet's owner."""
        event = DecidedPresentation(
            link.reader_id,
            link.config.cluster_id,
            decision.node_id,
            decision.grant,
            decision.reason,
            decision.deny,
            time.time(),
            decision.latency_us,
            self._group.epoch,
        )
        self._group.notify(self._group.fleet.on_access, event)

    def note_signal(self, link: ReaderLink, presentation: Presentation) -> None:
        """The reader has acknowledged one signal of the presentation."""
        presentation.remaining -= 1
        if presentation.remaining == 0:
            self._complete(link, presentation)

    def fail(self, link: ReaderLink, presentation: Presentation, error: Exception) -> None:
        """A signal of the presentation failed: its other signals are not sent, and its caller learns the error."""
        _take_off_queue(link, presentation)
        if presentation in link.presentations:
            link.presentations.remove(presentation)
        resolve(presentation.future, error)

    def expect(self, link: ReaderLink, presentation: Presentation, then: Callable[[], None]) -> None:
        """Register a simulated presentation, then call `then` to make it happen."""
        if link.phase is not LinkPhase.UP:
            resolve(presentation.future, ReaderOffline(f"{link.reader_id} is offline"))
            return
        presentation.deadline = time.monotonic() + PRESENT_SECONDS
        link.presentations.append(presentation)
        self._group.heat(link)
        then()

    def withdraw(self, link: ReaderLink, presentation: Presentation) -> None:
        """The simulated reader did not take the card."""
        if presentation in link.presentations:
            link.presentations.remove(presentation)
            resolve(presentation.future, ReaderOffline(f"{link.reader_id} does not take a card now"))

    def expire(self, link: ReaderLink, now: float) -> None:
        """Fail the presentations whose deadline is over."""
        for presentation in [late for late in link.presentations if now > late.deadline]:
            link.presentations.remove(presentation)
            resolve(presentation.future, ReaderTimeout(f"{link.reader_id} did not finish the presentation in time"))

    def _presentation_of(self, link: ReaderLink, card: CardRead | None) -> Presentation:
        """The simulated presentation that this card belongs to, or a new one for a card that a person has held."""
        if card is not None:
            for presentation in link.presentations:
                if presentation.decision is None and presentation.credential == card.credential:
                    return presentation
        return Presentation()

    def _signal(self, link: ReaderLink, presentation: Presentation) -> None:
        """Queue what the reader is to do.

        A grant: output pulse, green, one beep. A denial: red and three beeps, for every reason alike.
        """
        decision = presentation.decision
        if decision is None:
            return
        can = link.identity.capabilities if link.identity else {}
        commands: list[ReaderCommand] = []
        if decision.grant and "output" in can:
            commands.append(ReaderCommand(pulse_fields(link.config.strike), presentation=presentation, opens=True))
        if "led" in can:
            lit = led_fields(
                *((LedColor.GREEN, link.config.strike) if decision.grant else (LedColor.RED, _DENIED_TENTHS))
            )
            commands.append(ReaderCommand(lit, presentation=presentation))
        if "buzzer" in can:
            beeps = beep_fields(_GRANT_BEEPS if decision.grant else _DENIAL_BEEPS)
            commands.append(ReaderCommand(beeps, presentation=presentation))
        presentation.remaining = len(commands)
        link.queue.extend(commands)
        if decision.grant and "output" not in can:
            self.report(link, decision)  # the door hangs on another controller's relay: the decision is all there is
        if not commands:
            self._complete(link, presentation)

    def _complete(self, link: ReaderLink, presentation: Presentation) -> None:
        """The reader has shown everything: answer the presentation's caller."""
        if presentation in link.presentations:
            link.presentations.remove(presentation)
        resolve(presentation.future, presentation.decision)


def _take_off_queue(link: ReaderLink, presentation: Presentation) -> None:
    for waiting in [command for command in link.queue if command.presentation is presentation]:
        link.queue.remove(waiting)
