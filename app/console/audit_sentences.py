"""What an entry of the audit log says to people: a sentence, what stands behind it, and which side of a person it is
about. Codes are for the pointer and the clipboard."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.clock import clock_time, date_time
from app.console.code_words import code_word
from app.console.language import tr
from app.console.moments import parse_time
from app.console.revocation import SHORT
from app.console.theme.tokens import Meaning, sentence_case

Lane = Literal["Doors", "Card", "Identity", "Site"]
LANES: tuple[Lane, ...] = ("Doors", "Card", "Identity", "Site")
Names = Mapping[str, str]
"""What people call an id: display names of clusters, operators and persons."""


@dataclass(frozen=True)
class Saying:
    """``text``: the sentence without a full stop; ``detail``: what explains it, may be empty."""

    lane: Lane
    state: Meaning
    text: str
    detail: str = ""


ACTORS = {"key_launch": tr("the console"), "training": tr("the training site")}


def by_words(entry: AuditEntry) -> str:
    """`` by Training Desk``; empty for what the service does by itself."""
    actor = entry.actor
    if entry.actor_name:
        return tr(" by {actor_name}", actor_name=entry.actor_name)
    if actor == "service":
        return ""
    if actor in ACTORS:
        return tr(" by {actor_name}", actor_name=ACTORS[actor])
    if actor.startswith("hr:"):
        return tr(" by the HR system {source}", source=actor.removeprefix("hr:"))
    return tr(" by {actor_name}", actor_name=actor.replace("_", " ", 1))


def has_sentence(action: str) -> bool:
    """Whether an action has a sentence of its own; the others are told by their own words."""
    return action in _SAYINGS


def saying(entry: AuditEntry, names: Names) -> Saying:
    """What the entry says. An action that has no sentence here is told by its own words, never left out."""
    if entry.erased:
        return Saying("Site", Meaning.IDLE, tr("Erased on a legal basis"), tr("the leaf stays in the log"))
    say = _SAYINGS.get(entry.action)
    if say is not None:
        return say(entry, names)
    room, _, verb = entry.action.partition(".")
    failed = entry.outcome != "ACCEPTED"
    state = Meaning.IDLE if not failed else Meaning.WARN if entry.outcome == "DENIED" else Meaning.BAD
    text = f"{sentence_case(room)}: {verb.replace('_', ' ')}{by_words(entry)}"
    return Saying(_ROOMS.get(room, "Site"), state, text, code_word(entry.outcome) if failed else "")


_ROOMS: Mapping[str, Lane] = {
    "provisioning": "Card", "credentials": "Doors", "palm": "Identity", "voice": "Identity", "stylized": "Identity",
    "provenance": "Identity",
}  # fmt: skip
_STANDINGS: Mapping[str, str] = {
    "VERIFIED_DIGITAL_HUMAN": tr("verified digital human"),
    "UNVERIFIED": tr("unverified"),
    "PENDING_CONSENSUS": tr("pending consensus"),
    "EXPIRED": tr("expired"),
    "SUSPENDED": tr("suspended"),
    "REVOKED": tr("revoked"),
    "SYNTHETIC_SUSPECTED": tr("synthetic suspected"),
}
"""Within a sentence."""
KINDS = {"card": tr("a card"), "palm": tr("a palm"), "voice": tr("a voice"), "stylized": tr("a stylized template")}


def text_of(entry: AuditEntry, key: str) -> str:
    """A text of the payload; empty where there is none."""
    value = entry.detail.get(key)
    return value if isinstance(value, str) else ""


def standing_of(entry: AuditEntry, key: str) -> str:
    """A standing of the payload, as within a sentence."""
    code = text_of(entry, key)
    return _STANDINGS.get(code, sentence_case(code).lower())


def count_of(entry: AuditEntry, key: str) -> int:
    """A number of the payload; 0 where there is none."""
    value = entry.detail.get(key)
    return value if isinstance(value, int) else 0


def until_of(entry: AuditEntry, key: str) -> str:
    """``until 18:00:00`` on the day of the entry, else with its date; empty without a time."""
    try:
        at = parse_time(text_of(entry, key))
    except ValueError:
        return ""
    same = date_time(at)[:10] == date_time(parse_time(entry.timestamp))[:10]
    return tr("until {time}", time=clock_time(at) if same else date_time(at)[:16])


def in_quotes(text: str) -> str:
    """What somebody wrote, in quotes; empty where nobody did."""
    return tr("“{words}”", words=text) if text else ""


def _card(entry: AuditEntry) -> str:
    guid = text_of(entry, "card_guid")
    return tr("Card {guid}", guid=guid[:SHORT]) if guid else tr("A card")


def _plain(
    lane: Lane, state: Meaning, text: str, detail: Callable[[AuditEntry], str] = lambda _entry: ""
) -> Callable[[AuditEntry, Names], Saying]:
    """A sentence that needs no more than who did it."""
    return lambda entry, _names: Saying(lane, state, f"{text}{by_words(entry)}", detail(entry))


def _of_card(
    state: Meaning, sentence: Callable[[str], str], detail: Callable[[AuditEntry], str]
) -> Callable[[AuditEntry, Names], Saying]:
    """What was done to a card. ``sentence`` gets the name of the card."""
    return lambda entry, _names: Saying("Card", state, f"{sentence(_card(entry))}{by_words(entry)}", detail(entry))


def _check_of(kind: str) -> Callable[[AuditEntry, Names], Saying]:
    """A match of the person's body, or none."""

    def say(entry: AuditEntry, _names: Names) -> Saying:
        if entry.outcome != "ACCEPTED":
            return Saying(
                "Identity",
                Meaning.WARN,
                tr("{kind} not matched", kind=kind),
                text_of(entry, "cause").replace("_", " "),
            )
        at = text_of(entry, "terminal_id")
        text = tr("{kind} matched at {terminal}", kind=kind, terminal=at) if at else tr("{kind} matched", kind=kind)
        return Saying("Identity", Meaning.OK, text)

    return say


def _say_sync(entry: AuditEntry, names: Names) -> Saying:
    cluster = text_of(entry, "cluster")
    text = tr("{cluster} opened{by_words}", cluster=names.get(cluster, cluster), by_words=by_words(entry))
    return Saying("Doors", Meaning.OK, text, until_of(entry, "not_after"))


def _say_grants_end(entry: AuditEntry, _names: Names) -> Saying:
    count = count_of(entry, "grants")
    text = tr("1 door grant ended") if count == 1 else tr("{count} door grants ended", count=count)
    return Saying("Doors", Meaning.IDLE, text, tr("because of {standing}", standing=standing_of(entry, "why")))


def _say_live_check(entry: AuditEntry, _names: Names) -> Saying:
    same = text_of(entry, "before") == text_of(entry, "standing")
    kind = KINDS.get(text_of(entry, "kind"), tr("a live check"))
    changed = "" if same else tr("{standing} before", standing=standing_of(entry, "before"))
    return Saying("Identity", Meaning.OK, tr("Proven to be there by {kind}", kind=kind), changed)


def _say_standing(entry: AuditEntry, _names: Names) -> Saying:
    word = text_of(entry, "standing")
    state = {"REVOKED": Meaning.CRIT, "SUSPENDED": Meaning.WARN, "EXPIRED": Meaning.WARN}.get(word, Meaning.IDLE)
    if word == "VERIFIED_DIGITAL_HUMAN":
        state = Meaning.OK
    return Saying(
        "Site",
        state,
        tr("Now {standing}{by_words}", standing=standing_of(entry, "standing"), by_words=by_words(entry)),
        tr("{standing} before", standing=standing_of(entry, "before")),
    )


def _say_containment(entry: AuditEntry, _names: Names) -> Saying:
    brake = text_of(entry, "cause") == "brake"
    by = by_words(entry)
    text = tr("Held by the brake on discharges") if brake else tr("Contained{by_words}", by_words=by)
    detail = ", ".join(part for part in (in_quotes(text_of(entry, "message")), until_of(entry, "until")) if part)
    return Saying("Site", Meaning.WARN, text, detail)


def _say_burn(entry: AuditEntry, _names: Names) -> Saying:
    drill, by = entry.detail.get("drill"), by_words(entry)
    if text_of(entry, "scope") == "LOCAL_ONLY":
        here = tr("Burned here alone{by_words}", by_words=by)
        text = tr("DRILL: burned here alone{by_words}", by_words=by) if drill else here
    else:
        everywhere = tr("Burned everywhere{by_words}", by_words=by)
        text = tr("DRILL: burned everywhere{by_words}", by_words=by) if drill else everywhere
    return Saying("Site", Meaning.CRIT, text, in_quotes(text_of(entry, "reason")))


def _say_tripwire(entry: AuditEntry, _names: Names) -> Saying:
    at = text_of(entry, "reader_id")
    text = tr("A burned badge was shown at {reader}", reader=at) if at else tr("A burned badge was shown")
    return Saying("Doors", Meaning.CRIT, text)


def _say_put(entry: AuditEntry, _names: Names) -> Saying:
    changed = entry.detail.get("changed")
    if entry.detail.get("made"):
        return Saying("Site", Meaning.IDLE, tr("Registered{by_words}", by_words=by_words(entry)))
    words = ", ".join(str(one).replace("_", " ") for one in changed) if isinstance(changed, list) else ""
    return Saying("Site", Meaning.IDLE, tr("Record changed{by_words}", by_words=by_words(entry)), words)


def _templates(text: str, state: Meaning) -> Callable[[AuditEntry, Names], Saying]:
    return _plain("Identity", state, text, lambda entry: text_of(entry, "registry_id"))


def _reason(entry: AuditEntry) -> str:
    return in_quotes(text_of(entry, "reason"))


_HR_ORDERS: Mapping[str, str] = {
    "burn": tr("taken as a burn"),
    "ignored": tr("ignored", "discharge"),
    "operator_review": tr("left to an operator"),
}
_SAYINGS: Mapping[str, Callable[[AuditEntry, Names], Saying]] = {
    "alarm.raised": _plain("Site", Meaning.WARN, tr("An alarm was raised"), lambda entry: text_of(entry, "text")),
    "alarm.taken": _plain("Site", Meaning.IDLE, tr("The alarm was taken"),
                          lambda entry: in_quotes(text_of(entry, "note"))),
    "alarm.cleared": _plain("Site", Meaning.IDLE, tr("The alarm was closed")),
    "burn.executed": _say_burn,
    "burn.complete": _plain("Site", Meaning.OK, tr("Every target of the burn is proven")),
    "burn.confirmed": _plain("Site", Meaning.OK, tr("Targets of the burn were proven"),
                             lambda entry: tr("{count} still open", count=count_of(entry, 'open'))),
    "burn.sealed": _plain("Site", Meaning.IDLE, tr("The burn was sealed in the revocation log")),
    "burn.lifted": _plain("Site", Meaning.WARN, tr("The burn was taken back")),
    "burn.tripwire": _say_tripwire,
    "containment.contained": _say_containment,
    "containment.extended": _plain("Site", Meaning.WARN, tr("Contained for longer"),
                                   lambda entry: until_of(entry, "until")),
    "containment.released": _plain("Site", Meaning.OK, tr("Released", "containment")),
    "containment.expired": _plain("Site", Meaning.OK, tr("The containment ended by itself")),
    "containment.burned": _plain("Site", Meaning.CRIT, tr("The containment became a burn")),
    "credentials.sync": _say_sync,
    "credentials.grants_ended": _say_grants_end,
    "lifecycle.received": _plain("Site", Meaning.WARN, tr("An HR system reported a discharge"),
                                 lambda entry: _HR_ORDERS.get(text_of(entry, "action"), text_of(entry, "action"))),
    "palm.enrol": _plain("Identity", Meaning.OK, tr("Palm enrolled")),
    "palm.verify": _check_of(tr("Palm")),
    "provisioning.begin": _of_card(Meaning.IDLE, lambda card: tr("{card} begun", card=card),
                                   lambda entry: tr("in {reader}", reader=text_of(entry, 'reader'))),
    "provisioning.complete": _of_card(Meaning.OK, lambda card: tr("{card} written", card=card),
                                      lambda _entry: tr("proven by read-back")),
    "provisioning.torn": _of_card(Meaning.BAD, lambda card: tr("{card} torn while it was written", card=card),
                                  lambda _entry: tr("the same person and Write finish it")),
    "provisioning.refuse": _of_card(Meaning.BAD, lambda card: tr("{card} refused", card=card), _reason),
    "provisioning.revoke": _plain("Card", Meaning.CRIT, tr("All cards revoked with the burn")),
    "provisioning.revoke_card": _of_card(Meaning.WARN, lambda card: tr("{card} revoked by itself", card=card), _reason),
    "provisioning.release": _of_card(Meaning.IDLE, lambda card: tr("{card} taken back for a re-issue", card=card),
                                     _reason),
    "provisioning.mailer_printed": _of_card(Meaning.IDLE, lambda card: tr("{card} PIN letter printed", card=card),
                                            lambda _entry: tr("once")),
    "provisioning.pin_reset": _of_card(Meaning.OK, lambda card: tr("{card} PIN set anew", card=card),
                                       lambda _entry: tr("proven by the card")),
    "provenance.seal": _plain("Identity", Meaning.OK, tr("A consent was sealed")),
    "provenance.withdraw": _plain("Identity", Meaning.IDLE, tr("A consent was withdrawn")),
    "provenance.expire": _plain("Identity", Meaning.IDLE, tr("A consent ended")),
    "provenance.revoke": _plain("Identity", Meaning.CRIT, tr("A consent ended with the burn")),
    "registry.live_check": _say_live_check,
    "registry.node_put": _say_put,
    "registry.node_delete": _plain("Site", Meaning.IDLE, tr("Taken out of the registry")),
    "registry.standing_change": _say_standing,
    "registry.templates_enrol": _templates(tr("Templates enrolled"), Meaning.OK),
    "registry.templates_erase": _templates(tr("Templates erased"), Meaning.IDLE),
    "stylized.enrol": _plain("Identity", Meaning.OK, tr("Stylized template enrolled")),
    "stylized.verify": _check_of(tr("Stylized template")),
    "voice.check": _check_of(tr("Voice")),
    "voice.enrol": _plain("Identity", Meaning.OK, tr("Voice enrolled")),
    "voice.erase": _plain("Identity", Meaning.IDLE, tr("Voice erased")),
}  # fmt: skip
