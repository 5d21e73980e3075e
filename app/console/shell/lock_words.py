"""What a locked window says of an alarm: what is wrong, never who. Without Qt."""

from __future__ import annotations

from app.console.clock import age, clock_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.theme.tokens import Meaning
from app.delivery.messages import Alarm

_KINDS = {
    "burn.tripwire": tr("A burned badge was shown at a door"),
    "burn.pending": tr("A burn is not proven everywhere"),
    "burn.unknown_node": tr("A burn names an id that nobody has"),
    "burn.not_durable": tr("A burn is not on disk"),
    "frame.unreachable": tr("A server frame does not answer"),
    "voice.synthetic": tr("Synthetic voices were presented"),
    "palm.copy": tr("A copied palm was presented"),
    "stylized.copy": tr("A copied template was presented"),
    "lifecycle.brake": tr("Discharges are held by the brake"),
    "approval.requested": tr("A second person is asked for"),
    "operator.guessed": tr("Somebody guesses a passphrase"),
    "enrolment.known_person": tr("A known person was enrolled again"),
    "makers.changed": tr("A card maker's list was changed"),
    "store.full": tr("The service's disk is nearly full"),
    "pki.crl_unsigned": tr("A revocation list could not be signed"),
    "notice.undelivered": tr("A notice could not be delivered"),
    "keystone.replayed": tr("A rotating code was shown a second time"),
}
_ROOMS = {
    "burn": tr("A burn needs somebody"),
    "lifecycle": tr("The HR inbox needs somebody"),
    "log": tr("The logs need somebody"),
    "witness": tr("The witnesses of the logs need somebody"),
    "clock": tr("A clock was moved"),
    "strike": tr("A declaration needs somebody"),
    "time_stamp": tr("The time stamps need somebody"),
    "card": tr("The cards need somebody"),
}


def alarm_words(alarm: Alarm) -> str:
    """What is wrong. The alarm's own text names people, so no word of it is used."""
    known = _KINDS.get(alarm.kind)
    return known or _ROOMS.get(alarm.kind.partition(".")[0], tr("Something needs somebody"))


def alarm_detail(alarm: Alarm, now: float) -> str:
    """Since when, and that there is more to see."""
    since = parse_time(alarm.since)
    return tr(
        "{time}, {age} ago. Names show after sign-in.",
        time=clock_time(since),
        age=age(max(0.0, now - since)),
    )


def alarm_state(alarm: Alarm) -> Meaning:
    """An alarm that nobody has taken is critical; one that has an owner is watched."""
    return Meaning.WARN if alarm.taken_by else Meaning.CRIT


def owner_words(alarm: Alarm) -> str:
    """Whether somebody cares, not who."""
    return tr("Taken") if alarm.taken_by else tr("Nobody has taken it")
