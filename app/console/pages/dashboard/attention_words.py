"""What needs a person, row by row: open alarms, burns with unproven targets, frames that are down. A fact has one row,
never two."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from app.capabilities.burn.messages import Burn
from app.console.clock import age, clock_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.mutes import fact_key
from app.console.theme.tokens import Meaning
from app.delivery.messages import HAPPENED, Alarm

SEE_BURN = tr("see the burn and its targets")
_DOOR = re.compile(r"presented at reader (\S+)")
"""How the service says where a burned badge was shown."""
DRILL = "DRILL: "
"""How the service begins what is said of a drill."""
_TWO_KEYS = ("Burn of ", "Un-burn of ")
"""How the service begins the texts of requests that are decided on the burn page."""
_LOGGED = {"keystone.replayed": "keystone.verify", "stylized.copy": "stylized.verify"}
"""The entries that tell what an alarm is about: each refusal with its cause."""
SEVERITY = {Meaning.CRIT: 0, Meaning.BAD: 1, Meaning.WARN: 2, Meaning.IDLE: 3, Meaning.OK: 4}


@dataclass(frozen=True)
class AttentionRow:
    """One fact that waits for a person. ``key`` is the fact's own, so that an alarm and what it is about are one row;
    ``page`` and ``arguments`` open the object; ``muted_until`` is local Unix time, 0 = not muted.
    ``closes``: the alarm that a person closes after seeing to it; empty: it closes with its fact.
    ``owner``: who took the alarm, ``note``: what the owner says about it, ``taken_at``: Unix time; empty and 0: nobody.
    ``alarm_id``: empty for what is no alarm; ``takes``: the alarm that goes to its owner when the row is taken."""

    key: str
    state: Meaning
    text: str
    hint: str
    since: float
    step: str
    page: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    muted_until: float = 0.0
    closes: str = ""
    owner: str = ""
    note: str = ""
    taken_at: float = 0.0
    alarm_id: str = ""
    takes: str = ""

    @property
    def shown_state(self) -> Meaning:
        """Its state; the ring while it is muted here."""
        return Meaning.IDLE if self.muted_until else self.state

    @property
    def title(self) -> str:
        """What happened; that it is muted is its first word."""
        return tr("Muted: {what}", what=self.text) if self.muted_until else self.text

    @property
    def below(self) -> str:
        """The next step; of a muted row, until when it is muted."""
        if self.muted_until:
            return tr("Back at {time} unless it is cured", time=clock_time(self.muted_until)[:5])
        return tr("Next: {step}", step=self.step)

    @property
    def waits_for_owner(self) -> bool:
        """Whether it is an alarm that nobody has taken."""
        return bool(self.takes) and not self.owner

    def owner_words(self) -> str:
        """Who has it; empty where nobody can take it, for it is no alarm."""
        return self.owner or (tr("Nobody") if self.takes else "")

    def note_words(self, now: float) -> str:
        """What the owner says about it, and how long the owner has had it at ``now``, Unix time."""
        if not self.owner:
            return ""
        since = age(max(0.0, now - self.taken_at)) if self.taken_at else ""
        note = tr("“{note}”", note=self.note) if self.note else ""
        return ", ".join(filter(None, (note, since)))


@dataclass(frozen=True)
class DownFrame:
    """A frame that does not answer now."""

    peer_id: str
    name: str
    reason: str
    since: float


def _of_alarm(alarm: Alarm, person: Callable[[str], str]) -> AttentionRow:
    """The row of an alarm: its words, the next step, and the page that opens its object."""
    since = parse_time(alarm.since)
    ref, node = alarm.ref or "", alarm.node_id or ""
    who = person(node)
    if alarm.kind == "frame.unreachable":
        return AttentionRow(
            fact_key(alarm), Meaning.BAD, tr("{frame} does not answer", frame=ref), alarm.text, since,
            tr("see which phase failed"), "infrastructure", {"peer_id": ref},
        )  # fmt: skip
    burn = {"burn_id": ref}
    # A drill says so in its first word, wherever it is shown.
    drill = tr("DRILL: ") if alarm.text.startswith(DRILL) else ""
    if alarm.kind == "burn.tripwire":
        door = _DOOR.search(alarm.text)
        text = (
            tr("{drill}Burned badge of {person} shown at {door}", drill=drill, person=who, door=door[1])
            if door
            else tr("{drill}Burned badge of {person} used", drill=drill, person=who)
        )
        return AttentionRow(fact_key(alarm), Meaning.CRIT, text, alarm.text, since, SEE_BURN, "burn", burn)
    if alarm.kind == "burn.pending":
        text = tr("{drill}{node} is not burned everywhere", drill=drill, node=who)
        return AttentionRow(fact_key(alarm), Meaning.CRIT, text, alarm.text, since, SEE_BURN, "burn", burn)
    if alarm.kind == "burn.unknown_node":
        text = tr("{drill}Burned: {node}, an id that nobody has", drill=drill, node=node)
        return AttentionRow(fact_key(alarm), Meaning.CRIT, text, alarm.text, since, SEE_BURN, "burn", burn)
    if alarm.kind == "burn.not_durable":
        text = tr("{drill}Burn of {node} not on disk", drill=drill, node=who)
        return AttentionRow(fact_key(alarm), Meaning.CRIT, text, alarm.text, since, SEE_BURN, "burn", burn)
    if alarm.kind.startswith("lifecycle."):
        found = {"event_id": ref} if ref.startswith("hr_") else {}
        found |= {"section": "roster"} if alarm.kind.startswith("lifecycle.roster") else {"section": "inbox"}
        return AttentionRow(fact_key(alarm), Meaning.CRIT, alarm.text, alarm.text, since, tr("decide"), "hr", found)
    if alarm.kind == "approval.requested" and alarm.text.removeprefix(DRILL).startswith(_TWO_KEYS):
        return AttentionRow(
            fact_key(alarm), Meaning.CRIT, alarm.text, alarm.text, since, tr("approve or reject it"), "burn",
            {"approval_id": ref},
        )  # fmt: skip
    if alarm.kind == "enrolment.known_person":
        return AttentionRow(
            fact_key(alarm), Meaning.CRIT, tr("{node} is enrolled as {other}, too", node=who, other=person(ref)),
            alarm.text, since, tr("see both and erase the wrong one"), "verify",
            {"section": "enrolment", "node_id": node},
        )  # fmt: skip
    if alarm.kind == "palm.copy":
        return AttentionRow(
            fact_key(alarm), Meaning.CRIT, alarm.text, alarm.text, since, tr("see the decision"), "verify",
            {"section": "palm", "decision_id": ref},
        )  # fmt: skip
    if alarm.kind == "makers.changed":
        return AttentionRow(
            fact_key(alarm), Meaning.CRIT, alarm.text, alarm.text, since, tr("see whom the site trusts (Ctrl+M)"),
            "stock", {},
        )  # fmt: skip
    if alarm.kind.startswith("strike."):
        state = Meaning.BAD if alarm.kind == "strike.expired" else Meaning.WARN
        return AttentionRow(
            fact_key(alarm), state, alarm.text, alarm.text, since, tr("take its next step (F7)"), "enforcement",
            {"strike_id": ref},
        )  # fmt: skip
    if alarm.kind == "notice.undelivered":
        return AttentionRow(
            fact_key(alarm), Meaning.BAD, alarm.text, alarm.text, since, tr("see why, and send them again"),
            "enforcement", {},
        )  # fmt: skip
    page, step = ("burn", SEE_BURN) if ref.startswith("burn_") else ("audit", tr("read what was logged"))
    logged = {"action": _LOGGED[alarm.kind]} if alarm.kind in _LOGGED else {"text": alarm.kind}
    arguments = burn if page == "burn" else {**logged, "node_id": node}
    return AttentionRow(fact_key(alarm), Meaning.CRIT, alarm.text, alarm.text, since, step, page, arguments)


def text_of(alarm: Alarm, person: Callable[[str], str]) -> str:
    """What an alarm tells, in one line."""
    return _of_alarm(alarm, person).text


def _of_burn(burn: Burn, person: Callable[[str], str]) -> AttentionRow:
    """The row of a burn with targets that are not proven."""
    total = sum(burn.counts.values())
    failed = burn.counts.get("failed", 0)
    text = tr(
        "{drill}{node}: {count} of {total} not proven",
        drill=tr("DRILL: ") if burn.drill else "",
        node=person(burn.node_id),
        count=len(burn.targets),
        total=total,
    )
    waits = ", ".join(
        f"{target.display_name or target.id} {target.state.replace('_', ' ')}" for target in burn.targets[:8]
    )
    return AttentionRow(
        f"burn:{burn.burn_id}",
        Meaning.CRIT if failed else Meaning.WARN,
        text,
        waits,
        parse_time(burn.timestamp),
        tr("retry or close the open targets"),
        "burn",
        {"burn_id": burn.burn_id},
    )


def attention_rows(
    alarms: Iterable[Alarm],
    burns: Iterable[Burn],
    down: Iterable[DownFrame],
    muted: Mapping[str, float],
    person: Callable[[str], str] = str,
) -> list[AttentionRow]:
    """All rows, the most pressing first, muted ones last. ``muted``: key to local Unix time until when; ``person``: the
    name of a node, or its id where nobody knows one."""
    found: dict[str, AttentionRow] = {}
    for frame in down:
        found[f"frame:{frame.peer_id}"] = AttentionRow(
            f"frame:{frame.peer_id}", Meaning.BAD, tr("{frame} does not answer", frame=frame.name), frame.reason,
            frame.since, tr("see which phase failed"), "infrastructure", {"peer_id": frame.peer_id},
        )  # fmt: skip
    for burn in burns:
        if burn.targets:
            made = _of_burn(burn, person)
            found[made.key] = made
    for alarm in alarms:
        made = replace(
            _of_alarm(alarm, person),
            alarm_id=alarm.alarm_id,
            takes=alarm.alarm_id,
            closes=alarm.alarm_id if alarm.kind in HAPPENED else "",
        )
        if alarm.taken_by is not None:
            made = replace(
                made,
                owner=alarm.taken_by_name or alarm.taken_by,
                note=alarm.note or "",
                taken_at=0.0 if alarm.taken_at is None else parse_time(alarm.taken_at),
            )
        known = found.get(made.key)
        if known is None:
            found[made.key] = made
        else:
            # The object's own words say more (how many targets), the alarm says how grave it is and since when.
            state = min(known.state, made.state, key=SEVERITY.__getitem__)
            found[made.key] = replace(
                known,
                state=state,
                since=min(known.since, made.since),
                hint=made.hint,
                owner=made.owner,
                note=made.note,
                taken_at=made.taken_at,
                takes=made.takes,
            )
    rows = [replace(row, muted_until=muted[row.key]) if row.key in muted else row for row in found.values()]
    return sorted(rows, key=lambda row: (row.muted_until > 0, SEVERITY[row.state], row.since, row.key))
