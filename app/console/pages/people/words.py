"""Words of the page: standing, doors, cards, identity, and what a burn would touch. Without Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.capabilities.burn.messages import Containment, Preview
from app.capabilities.credentials.messages import AccessReason, ClusterAccess, NodeAccess
from app.capabilities.provisioning.messages import Provision
from app.console.clock import age, clock_time, date_time, moment, parse_time
from app.console.revocation import SHORT
from app.console.theme.tokens import Meaning, sentence_case, state_of
from app.registry.messages.access import AccessEvent
from app.registry.messages.nodes import Node, NodeCredential

DOOR_REASONS: Mapping[str, str] = {
    "granted": "",
    "burned": "burned",
    "contained": "contained",
    "unknown_credential": "no grant names this card",
    "wrong_cluster": "no grant for these doors",
    "no_grant": "no grant",
    "outside_schedule": "outside the hours",
    "expired": "the grant has ended",
}
"""Why a door opens or not, after its name."""
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
    word = sentence_case(node.standing)
    state = state_of(node.standing)
    contained = next((one for one in held if one.state == "contained"), None)
    if contained is not None:
        until = "until a person decides"
        if contained.until is not None:
            until = f"until {clock_time(parse_time(contained.until))}, {age(parse_time(contained.until) - now)} left"
        return Meaning.WARN, "Contained", until
    if node.standing == "REVOKED":
        return state, "Burned", "nothing of this person opens anything any more"
    if node.verified_at is None:
        return state, word, "no live check has succeeded yet"
    return state, word, f"last live check {moment(parse_time(node.verified_at), now)}"


def known_as(node: Node) -> str:
    """What else the registry knows, in one line: employee id, address, tags."""
    parts = [f"employee {node.employee_id}" if node.employee_id else "", node.email or "", *node.tags]
    return " · ".join(part for part in parts if part)


def where_words(last: AccessEvent | None, since: str, now: float) -> tuple[str, str]:
    """Where the person was let in last, and when. Doors let people in and do not tell who leaves."""
    if last is None:
        return "No trace", f"not let in since {moment(parse_time(since), now)}, when the doors' record begins"
    at = parse_time(last.at)
    return last.reader_id, f"let in {moment(at, now)}, {age(max(0.0, now - at))} ago; doors do not tell who leaves"


def door_line(one: ClusterAccess, now: float) -> Line:
    """A cluster, how many doors it has, and until when they open."""
    doors = f"{one.doors} door{'' if one.doors == 1 else 's'}"
    if one.reason != "granted":
        state = Meaning.CRIT if one.reason == "burned" else Meaning.WARN if one.reason == "contained" else Meaning.IDLE
        return Line(one.display_name, doors, sentence_case(DOOR_REASONS[one.reason]), state, hint=one.cluster_id)
    if one.until is None:
        return Line(one.display_name, doors, "Open", Meaning.OK, hint=one.cluster_id)
    at = parse_time(one.until)
    # An end lies ahead, where ``moment`` looks back.
    same = date_time(at)[:10] == date_time(now)[:10]
    until = clock_time(at)[:5] if same else date_time(at)[:10]
    return Line(one.display_name, doors, f"Until {until}", Meaning.OK, hint=f"{one.cluster_id}\nuntil {date_time(at)}")


def doors_words(access: NodeAccess) -> str:
    """``32 of 104``."""
    return f"{access.open_doors} of {access.doors}"


def others_words(access: NodeAccess) -> str:
    """The clusters that no profile names; empty where there is none."""
    count = access.other_clusters
    return f"{count} other cluster{'' if count == 1 else 's'}: no grant" if count else ""


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
        return f"taken back {date_time(parse_time(card.released_at))[:16]}", "Ended", Meaning.IDLE
    match card.state:
        case "TORN":
            return f"half written {written}", "Torn", Meaning.BAD
        case "RUNNING":
            return f"since {written}", "Writing", Meaning.WORK
        case "REFUSED":
            return f"refused {written}", "Not written", Meaning.IDLE
    end = min((parse_time(slot.not_after) for slot in card.slots), default=now)
    if known is None:
        return f"written {written}", "Ended", Meaning.IDLE
    if known.state == "revoked":
        return "revoked for good", "Revoked", Meaning.CRIT
    until = f"valid until {date_time(end)[:10]}"
    return (until, "In use", Meaning.OK) if end > now else (until, "Expired", Meaning.WARN)


def burn_words(preview: Preview) -> tuple[str, str]:
    """What a burn would touch, and how long the last door would take."""
    if preview.already_burned is not None:
        return "Burned already", "every target, and what stays open, stands on Burn"
    count = len(preview.targets)
    known = [one.expected_ms for one in preview.targets if one.kind == "reader" and one.expected_ms is not None]
    last = f"last door in about {max(known) / 1000:.2f} s" if known else "no history says how long"
    open_ = len(preview.residual_exposure)
    stays = f", {open_} way{'' if open_ == 1 else 's'} stay{'s' if open_ == 1 else ''} open" if open_ else ""
    return f"A burn would touch {count} target{'' if count == 1 else 's'}", last + stays
