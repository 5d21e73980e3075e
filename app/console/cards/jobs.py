"""What becomes of the cards that are written: one job a reader, fed by the reply, by events or by asking again.

No Qt here: a job is the same whether this console began it, another one did, or it was found torn after a restart.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median

from app.capabilities.provisioning.messages import Card, Provision, ProvisionEvent, Stage
from app.console.failures import Failure
from app.console.language import tr
from app.console.widgets import stepper

STAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (tr("Identify"), ("identify",)),
    (tr("Open"), ("authenticate",)),
    (tr("Card data"), ("chuid", "ccc", "printed")),
    ("PIN, 9A", ("9A.generate", "pin", "puk", "9A.certificate")),
    (tr("Key 9C"), ("9C.generate", "9C.certificate")),
    (tr("Key 9D"), ("9D.generate", "9D.certificate")),
    (tr("Key 9E"), ("9E.generate", "9E.certificate")),
    (tr("Seal"), ("security_object",)),
    (tr("Key 9B"), ("management_key",)),
    (tr("Proof"), ("verify",)),
)
"""The service's steps as the stepper groups them, in their order."""

STEP_WORDS: Mapping[str, str] = {
    "identify": tr("Identify the card"),
    "authenticate": tr("Open for writing"),
    "chuid": tr("Write the CHUID"),
    "ccc": tr("Write capabilities"),
    "printed": tr("Write printed data"),
    "security_object": tr("Sign the objects on the card"),
    "pin": tr("Set the PIN"),
    "puk": tr("Set the PUK"),
    "management_key": tr("Set the management key"),
    "verify": tr("Prove in a fresh session"),
    **{f"{slot}.generate": tr("Make key {slot} on the card", slot=slot) for slot in ("9A", "9C", "9D", "9E")},
    **{f"{slot}.certificate": tr("Certify key {slot}", slot=slot) for slot in ("9A", "9C", "9D", "9E")},
}


class JobPhase(enum.StrEnum):
    """Where a job is."""

    RUNNING = "running"
    ASKING = "asking"
    """The answer was lost; the same call is made again until it is known."""
    TORN = "torn"
    """The card left in the middle: the same card and the same call go on."""
    REFUSED = "refused"
    COMPLETE = "complete"


OPEN = frozenset({JobPhase.RUNNING, JobPhase.ASKING})


@dataclass
class CardJob:
    """One card of one person. ``names``: every identifier that the card answered to when the job began, without those
    of a reader; ``ours``: this console ordered it and may call again by itself."""

    reader: str
    node_id: str
    demand: str
    uid: str
    names: frozenset[str]
    person: str = ""
    ours: bool = True
    phase: JobPhase = JobPhase.RUNNING
    provision_id: str = ""
    stages: dict[str, Stage] = field(default_factory=dict)
    provision: Provision | None = None
    failure: Failure | None = None
    pulled: bool = False
    """The card has been out since the job ended, or was gone before the job was heard of."""
    doors: tuple[str, ...] = ()
    """Clusters that were chosen while it writes: granted when it is proven."""
    doors_s: int = 0
    """Seconds that those grants hold."""
    since: float = field(default_factory=time.monotonic)
    """When the step under way began, by the monotonic clock, seconds."""
    ended_on_stream: bool = False
    """The stream has told this attempt's end: a stage that comes after it is of another attempt."""

    def same_card(self, card: Card) -> bool | None:
        """Whether ``card`` is the one of this job; None when that cannot be said (yet)."""
        there = names_of(card)
        names = self.names
        if self.provision is not None:
            written = (self.provision.hardware_uid, self.provision.card_guid or "")
            names |= {name for name in written if name and not name.startswith("reader:")}
        if there & names:
            return True
        # The write gives the card a new GUID: until the service has told it, no other name proves another card.
        if self.provision is None:
            return None
        known = self.names or self.provision.hardware_uid in names or self.pulled
        return None if not known and card.state == "blank" else False

    def take_event(self, event: ProvisionEvent) -> None:
        """A stage or a state, live."""
        self.provision_id = event.provision_id
        if event.stage is not None:
            if self.phase not in OPEN:
                if not self.ended_on_stream or self.phase is JobPhase.COMPLETE:
                    return  # The reply overtook this event; its stages are the whole truth.
                self.begin_again()
            self.stages[event.stage.step] = event.stage
            if event.stage.state == "running":
                self.since = time.monotonic()
            return
        self.ended_on_stream = True
        if self.ours:
            return  # The reply to our own call is on its way, with the proof or the refusal; it decides.
        if event.state == "COMPLETE":
            self.phase = JobPhase.COMPLETE
        elif event.state == "TORN":
            self.phase = JobPhase.TORN
        elif event.state == "REFUSED":
            self.phase = JobPhase.REFUSED

    def take_reply(self, reply: Provision) -> None:
        """The provisioning as the service has it; its stages replace what events told. A reply that still runs says
        nothing of a job that has ended: it was overtaken, and would never be followed by another."""
        if reply.state == "RUNNING" and self.phase not in OPEN:
            return
        self.provision = reply
        self.provision_id = reply.provision_id
        self.person = reply.display_name or self.person
        self.stages = {stage.step: stage for stage in reply.stages}
        self.phase = {
            "RUNNING": self.phase,
            "TORN": JobPhase.TORN,
            "REFUSED": JobPhase.REFUSED,
            "COMPLETE": JobPhase.COMPLETE,
        }[reply.state]

    def begin_again(self) -> None:
        """The same call is made again."""
        self.phase = JobPhase.RUNNING
        self.failure = None
        self.pulled = False
        self.ended_on_stream = False
        self.stages = {}

    @property
    def step(self) -> str:
        """The step under way, or the one that failed; empty when there is none."""
        for stage in self.stages.values():
            if stage.state in ("running", "failed", "refused"):
                return stage.step
        return ""

    @property
    def apdus(self) -> int:
        """APDUs so far."""
        return sum(stage.apdus for stage in self.stages.values())


def names_of(card: Card) -> frozenset[str]:
    """Names that belong to the card itself: a reader's name passes from card to card."""
    names = {card.hardware_uid or "", card.card_guid or "", *card.aliases}
    return frozenset(name for name in names if name and not name.startswith("reader:"))


def group_stages(stages: Mapping[str, Stage]) -> list[tuple[stepper.StageState, str]]:
    """For each of ``STAGES``: where it is, and ``4 APDU 12 ms`` below it."""
    found = []
    for _, steps in STAGES:
        parts = [stages[step] for step in steps if step in stages]
        states = {part.state for part in parts}
        if states & {"failed", "refused"}:
            state = stepper.StageState.FAILED
        elif len(parts) == len(steps) and states == {"done"}:
            state = stepper.StageState.DONE
        elif states & {"running", "done"}:
            state = stepper.StageState.RUNNING
        else:
            state = stepper.StageState.WAITING
        detail = ""
        ended = [part.ms for part in parts if part.ms is not None]
        if ended:
            detail = f"{sum(part.apdus for part in parts)} · {milliseconds(sum(ended))}"
        found.append((state, detail))
    return found


def group_under_way(job: CardJob) -> int:
    """Which of ``STAGES`` the write is at, from 0."""
    marks = [mark for mark, _ in group_stages(job.stages)]
    return next((at for at, mark in enumerate(marks) if mark is not stepper.StageState.DONE), len(marks) - 1)


def spent_ms(job: CardJob, now: float) -> float:
    """Milliseconds that the group under way has taken so far; ``now``: the monotonic clock, seconds."""
    parts = [job.stages[step] for step in STAGES[group_under_way(job)][1] if step in job.stages]
    ended = sum(part.ms or 0.0 for part in parts)
    return ended + ((now - job.since) * 1000 if any(part.state == "running" for part in parts) else 0.0)


def usual_ms(written: Iterable[Provision]) -> list[float | None]:
    """For each of ``STAGES`` the median of its milliseconds over the finished cards; None: it was never measured."""
    sums: list[list[float]] = [[] for _ in STAGES]
    for one in written:
        if one.state != "COMPLETE":
            continue
        took = {stage.step: stage.ms for stage in one.stages if stage.ms is not None}
        for at, (_, steps) in enumerate(STAGES):
            if found := [took[step] for step in steps if step in took]:
                sums[at].append(sum(found))
    return [median(one) if one else None for one in sums]


def milliseconds(value: float) -> str:
    """``0.4 ms``, ``12 ms``, ``3.2 s``."""
    if value < 9.95:
        return tr("{ms:.1f} ms", ms=value)
    return tr("{ms:.0f} ms", ms=value) if value < 9_950 else tr("{seconds:.1f} s", seconds=value / 1000)


def torn_of(card: Card, torn: Iterable[Provision]) -> Provision | None:
    """The torn provisioning that this card belongs to, by the names it has."""
    names = names_of(card)
    for provision in torn:
        if {provision.hardware_uid, provision.hardware_uid_now or "", provision.card_guid or ""} & names:
            return provision
    return None
