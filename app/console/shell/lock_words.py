"""What a locked window says of an alarm: what is wrong, never who. Without Qt."""

from __future__ import annotations

from app.console.clock import age, clock_time, parse_time
from app.console.theme.tokens import Meaning
from app.delivery.messages import Alarm

_KINDS = {
    "burn.tripwire": "A burned badge was shown at a door",
    "burn.pending": "A burn is not proven everywhere",
    "burn.unknown_node": "A burn names an id that nobody has",
    "burn.not_durable": "A burn is not on disk",
    "frame.unreachable": "A server frame does not answer",
    "voice.synthetic": "Synthetic voices were presented",
    "palm.copy": "A copied palm was presented",
    "stylized.copy": "A copied template was presented",
    "lifecycle.brake": "Discharges are held by the brake",
    "approval.requested": "A second person is asked for",
    "operator.guessed": "Somebody guesses a passphrase",
    "enrolment.known_person": "A known person was enrolled again",
    "makers.changed": "A card maker's list was changed",
    "store.full": "The service's disk is nearly full",
    "pki.crl_unsigned": "A revocation list could not be signed",
    "notice.undelivered": "A notice could not be delivered",
    "keystone.replayed": "A rotating code was shown a second time",
}
_ROOMS = {
    "burn": "A burn needs somebody",
    "lifecycle": "The HR inbox needs somebody",
    "log": "The logs need somebody",
    "witness": "The witnesses of the logs need somebody",
    "clock": "A clock was moved",
    "strike": "A declaration needs somebody",
    "time_stamp": "The time stamps need somebody",
    "card": "The cards need somebody",
}


def alarm_words(alarm: Alarm) -> str:
    """What is wrong. The alarm's own text names people, so no word of it is used."""
    known = _KINDS.get(alarm.kind)
    return known or _ROOMS.get(alarm.kind.partition(".")[0], "Something needs somebody")


def alarm_detail(alarm: Alarm, now: float) -> str:
    """Since when, and that there is more to see."""
    since = parse_time(alarm.since)
    return f"{clock_time(since)}, {age(max(0.0, now - since))} ago. Names show after sign-in."


def alarm_state(alarm: Alarm) -> Meaning:
    """An alarm that nobody has taken is critical; one that has an owner is watched."""
    return Meaning.WARN if alarm.taken_by else Meaning.CRIT


def owner_words(alarm: Alarm) -> str:
    """Whether somebody cares, not who."""
    return "Taken" if alarm.taken_by else "Nobody has taken it"
