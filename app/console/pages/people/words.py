"""Words of the page: standing, doors, cards, identity, and what a burn would touch. Without Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.capabilities.burn.messages import Containment, Preview
from app.capabilities.credentials.messages import AccessReason, ClusterAccess, NodeAccess
from app.capabilities.provisioning.messages import Provision
from app.console.clock import age, clock_time, date_time
from app.console.language import tr
from app.console.moments import moment, parse_time
from app.console.past_standing import PastStanding
from app.console.revocation import SHORT
from app.console.standing import standing_word
from app.console.theme.tokens import Meaning, state_of
from app.registry.messages.access import AccessEvent
from app.registry.messages.nodes import Node, NodeCredential

DOOR_REASONS: Mapping[str, str] = {
    "granted": "",
    "burned": tr("burned"),
    "contained": tr("contained"),
    "unknown_credential": tr("no grant names this card"),
    "wrong_cluster": tr("no grant for these doors"),
    "no_grant": tr("no grant"),
    "outside_schedule": tr("outside the hours"),
    "expired": tr("the grant has ended"),
}
"""Why a door opens or not, after its name."""
_DOOR_STATES: Mapping[AccessReason, tuple[Meaning, str]] = {
    "burned": (Meaning.CRIT, tr("Burned")),
    "contained": (Meaning.WARN, tr("Contained")),
    "no_grant": (Meaning.IDLE, tr("No grant")),
    "outside_schedule": (Meaning.IDLE, tr("Outside the hours")),
    "expired": (Meaning.IDLE, tr("The grant has ended")),
}
"""How doors stand that do not open now."""
_OPEN = tr("Open{doors}", doors="")
"""Of doors, and so a text of its own: a button of that name says it by another word in other languages."""
DENIED: frozenset[AccessReason] = frozenset({"burned", "contained"})


@dataclass(frozen=True)
class Line:
    """A line of a panel: what it is about, what is known of it, and how it stands; ``mono`` for a name of a card."""

    title: str
    detail: str
    word: str
    state: Meaning | None = None
    mono: bool = False
    hint: str = ""


def standing_words(node: Node, held: Sequence[Containment], now: float) -> tuple[Meaning, str, str]:
    """State, word and what stands behind the word."""
    word = standing_word(node.standing)
    state = state_of(node.standing)
    contained = next((one for one in held if one.state == "contained"), None)
    if contained is not None:
        until = tr("until a person decides")
        if contained.until is not None:
            until = tr(
                "until {time}, {age} left",
                time=clock_time(parse_time(contained.until)),
                age=age(parse_time(contained.until) - now),
            )
        return Meaning.WARN, tr("Contained"), until
    if node.standing == "REVOKED":
        return state, tr("Burned"), tr("nothing of this person opens anything any more")
    if node.verified_at is None:
        return state, word, tr("no live check has succeeded yet")
    return state, word, tr("last live check {time}", time=moment(parse_time(node.verified_at), now))


def past_word(then: PastStanding) -> str:
    """How the person stood at a moment of the past, in the words of ``standing_words``."""
    return {"SUSPENDED": tr("Contained"), "REVOKED": tr("Burned")}.get(then.standing, then.word)


def known_as(node: Node) -> str:
    """What else the registry knows, in one line: employee id, address, tags."""
    parts = [
        tr("employee {id}", id=node.employee_id) if node.employee_id else "",
        node.email or "",
        *node.tags,
    ]
    return " · ".join(part for part in parts if part)


def known_then(node: Node, at: float) -> str:
    """``known_as`` at a moment of the past; where the row was changed after it, it says that it is of now."""
    known = known_as(node)
    if parse_time(node.changed_at) <= at:
        return known
    return tr("name and record of now: {about}", about=known) if known else tr("name of now")


def where_words(last: AccessEvent | None, since: str, now: float) -> tuple[str, str]:
    """Where the person was let in last, and when. Doors let people in and do not tell who leaves."""
    if last is None:
        return tr("No trace"), tr(
            "not let in since {time}, when the doors' record begins", time=moment(parse_time(since), now)
        )
    at = parse_time(last.at)
    return last.reader_id, tr(
        "let in {time}, {age} ago; doors do not tell who leaves", time=moment(at, now), age=age(max(0.0, now - at))
    )


def door_line(one: ClusterAccess, now: float) -> Line:
    """A cluster, how many doors it has, and until when they open."""
    doors = tr("1 door") if one.doors == 1 else tr("{count} doors", count=one.doors)
    if one.reason != "granted":
        state, word = _DOOR_STATES[one.reason]
        return Line(one.display_name, doors, word, state, hint=one.cluster_id)
    if one.until is None:
        return Line(one.display_name, doors, _OPEN, Meaning.OK, hint=one.cluster_id)
    at = parse_time(one.until)
    # An end lies ahead, where ``moment`` looks back.
    same = date_time(at)[:10] == date_time(now)[:10]
    until = clock_time(at)[:5] if same else date_time(at)[:10]
    return Line(
        one.display_name,
        doors,
        tr("Until {time}", time=until),
        Meaning.OK,
        hint=tr("{cluster}\nuntil {time}", cluster=one.cluster_id, time=date_time(at)),
    )


def doors_words(access: NodeAccess) -> str:
    """``32 of 104``."""
    return tr("{open} of {doors}", open=access.open_doors, doors=access.doors)


def others_words(access: NodeAccess) -> str:
    """The clusters that no profile names; empty where there is none."""
    count = access.other_clusters
    if not count:
        return ""
    return tr("1 other cluster: no grant") if count == 1 else tr("{count} other clusters: no grant", count=count)


def card_lines(cards: Sequence[Provision], credentials: Sequence[NodeCredential], now: float) -> list[Line]:
    """Each card of the person once, newest first, by the name that it has now."""
    states: dict[str, NodeCredential] = {one.card_guid: one for one in credentials if one.card_guid is not None}
    lines, seen = [], set[str]()
    for card in cards:
        name = card.hardware_uid_now or card.hardware_uid
        key = card.card_guid or name
        if key not in seen:
            seen.add(key)
            detail, word, state = _card_state(card, states.get(key), now)
            guid = f" · {card.card_guid[:SHORT]}" if card.card_guid else ""
            lines.append(Line(name, detail + guid, word, state, mono=True, hint=card.card_guid or ""))
    return lines


def _card_state(card: Provision, known: NodeCredential | None, now: float) -> tuple[str, str, Meaning]:
    """What is said of a card, and how it stands."""
    written = date_time(parse_time(card.timestamp))[:16]
    if card.released_at is not None:
        return (
            tr("taken back {time}", time=date_time(parse_time(card.released_at))[:16]),
            tr("Ended"),
            Meaning.IDLE,
        )
    match card.state:
        case "TORN":
            return tr("half written {time}", time=written), tr("Torn"), Meaning.BAD
        case "RUNNING":
            return tr("since {time}", time=written), tr("Writing"), Meaning.WORK
        case "REFUSED":
            return tr("refused {time}", time=written), tr("Not written"), Meaning.IDLE
    end = min((parse_time(slot.not_after) for slot in card.slots), default=now)
    if known is None:
        return tr("written {time}", time=written), tr("Ended"), Meaning.IDLE
    if known.state == "revoked":
        return tr("revoked for good"), tr("Revoked"), Meaning.CRIT
    until = tr("valid until {time}", time=date_time(end)[:10])
    return (until, tr("In use"), Meaning.OK) if end > now else (until, tr("Expired"), Meaning.WARN)


def burn_words(preview: Preview) -> tuple[str, str]:
    """What a burn would touch, and how long the last door would take."""
    if preview.already_burned is not None:
        return tr("Burned already"), tr("every target, and what stays open, stands on Burn")
    count = len(preview.targets)
    known = [one.expected_ms for one in preview.targets if one.kind == "reader" and one.expected_ms is not None]
    last = (
        tr("last door in about {seconds:.2f} s", seconds=max(known) / 1000) if known else tr("no history says how long")
    )
    open_ = len(preview.residual_exposure)
    if open_:
        last += tr(", 1 way stays open") if open_ == 1 else tr(", {count} ways stay open", count=open_)
    touched = tr("A burn would touch 1 target") if count == 1 else tr("A burn would touch {count} targets", count=count)
    return touched, last
