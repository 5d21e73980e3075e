"""What crosses the wire of alarms (the open list, the telemetry event), deliveries and published keys."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from app.api.wire import PageQuery, RegistryId, Reply, Request, ShortText, Timestamp

HAPPENED: Final = frozenset(
    {
        "burn.unknown_node",
        "clock.jump_ahead",
        "clock.step_back",
        "enrolment.known_person",
        "keystone.replayed",
        "makers.changed",
        "operator.guessed",
        "palm.copy",
        "stylized.copy",
    }
)
"""Kinds of alarms about an event in the past: no change of a fact surely closes them, so a person closes them after
seeing to the matter."""


class Alarm(Reply, kw_only=True):
    """An open alarm. It closes when its fact has changed; one about a past event, when a person closes it.
    ``taken_by``: the API key or the operator that took it last, which is its owner; null: nobody has.
    ``taken_by_name``: that operator's present name. ``note``: what the owner said."""

    alarm_id: str
    kind: str
    since: Timestamp
    node_id: str | None
    ref: str | None
    text: str
    taken_by: str | None = None
    taken_by_name: str | None = None
    taken_at: Timestamp | None = None
    note: str | None = None


class TakeAlarm(Request, kw_only=True):
    """POST ``/v1/citadel/alarms/{alarm_id}/take``; ``note``: what its owner does about it."""

    note: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)] | None = None


class AlarmList(Reply, kw_only=True):
    """The open alarms, oldest first."""

    items: list[Alarm]


class AlarmEvent(Reply, kw_only=True):
    """Body of the telemetry event ``alarm``: the alarm, and whether it opens, gets an owner, or closes now."""

    state: Literal["raised", "taken", "cleared"]
    alarm: Alarm


class PublicJwk(Reply, kw_only=True):
    """A public key (RFC 7517): EC P-256 for ES256; ``kid`` is its thumbprint (RFC 7638)."""

    kid: str
    x: str
    y: str
    kty: Literal["EC"] = "EC"
    crv: Literal["P-256"] = "P-256"
    alg: Literal["ES256"] = "ES256"
    use: Literal["sig"] = "sig"


class PublicJwkSet(Reply, kw_only=True):
    """GET ``/v1/deliveries/keys``: a JWK set; of each purpose the key that signs now comes first. ``webhook_keys``: the
    Ed25519 keys of callbacks (``v1a``), as Standard Webhooks writes them: ``whpk_`` and base64 of 32 bytes."""

    keys: list[PublicJwk]
    webhook_keys: list[str] = []


NoticeChannel = Literal["mail", "https", "form"]
DeliveryChannel = Literal["callback", "mail", "https", "form"]
"""``callback``: a signed call to a URL that an API key named. The others carry notices to platforms: ``mail`` through
the site's relay, ``https`` by a signed call, ``form`` by a person who fills in the platform's form."""
NoticeState = Literal[
    "held",
    "operator_action",
    "queued",
    "sending",
    "sent",
    "delivered",
    "acknowledged",
    "actioned",
    "rejected",
    "countered",
    "bounced",
    "failed",
    "expired",
    "withdrawn",
]
"""``held``: nothing leaves, because something is missing or a person has to release it; ``operator_action``: a person
fills in the platform's form; ``queued``, ``sending``: on its way; ``sent``: the platform's server took it;
``delivered``: a report says that it reached the mailbox; ``acknowledged`` to ``countered``: what the platform did, as
a person recorded it or the platform answered; ``bounced``: refused for good; ``failed``: tried in vain; ``expired``:
the law's deadline passed (enforcement says so, the delivery stays as it was); ``withdrawn``: taken back."""
DeliveryState = Literal[
    "queued",
    "delivered",
    "dead_letter",
    "disabled",
    "closed",
    "held",
    "operator_action",
    "sending",
    "sent",
    "acknowledged",
    "actioned",
    "rejected",
    "countered",
    "bounced",
    "failed",
    "withdrawn",
]
"""Of a callback: ``queued``: to be sent, or sent again; ``delivered``: the receiver answered 2xx; ``dead_letter``:
tried in vain until the schedule ended; ``disabled``: not sent by rule (410, or the key was revoked); ``closed``: a
person recorded what became of it. Of a notice: ``NoticeState``, where ``failed`` is the dead letter."""
DeliveryFault = Literal[
    "no_answer",
    "refused",
    "url_refused",
    "gone",
    "key_ended",
    "crowded",
    "internal",
    "bounced",
    "not_set_up",
    "platform_changed",
]
"""``no_answer``: no connection, or no answer in time; ``refused``: an answer that is no 2xx, from a mail server one
that is for the moment alone; ``url_refused``: the address may not be reached from here; ``gone``: 410; ``key_ended``:
no secret signs for the key; ``crowded``: too many of the key's were waiting; ``internal``: this service's own fault,
which its log tells; ``bounced``: a mail server refused it for good; ``not_set_up``: the site has no mail relay that it
may use; ``platform_changed``: the platform was deleted, or has another address since."""
Decision = Literal[
    "DECISION_VISIBILITY_CONTENT_REMOVED",
    "DECISION_VISIBILITY_CONTENT_DISABLED",
    "DECISION_VISIBILITY_CONTENT_DEMOTED",
    "DECISION_VISIBILITY_CONTENT_LABELLED",
    "DECISION_NONE",
]
"""What the platform decided, in the words of the DSA's statements of reasons; ``DECISION_NONE``: it left the content
as it was."""
OutcomeState = Literal["received", "abandoned", "sent", "acknowledged", "actioned", "rejected", "countered"]
"""What a person says. Of a callback: ``received``: the receiver has it by another way; ``abandoned``: nobody needs it
any more. Of a notice: ``sent``: by the platform's form, or by another way; then what the platform did."""
DeliveryType = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_.]{0,63}\Z")]
"""Type of an event as its receiver knows it: ``radar.scan.completed``."""


class DeliveryOutcome(Reply, kw_only=True):
    """What a person recorded by hand: ``reference`` of the other side (of a form: its confirmation number),
    ``decision`` of a platform, ``recorded_by`` the API key."""

    state: OutcomeState
    decision: Decision | None
    reference: str | None
    note: str | None
    recorded_by: str
    recorded_at: Timestamp


class Delivery(Reply, kw_only=True):
    """One call to a URL that the API key ``kid`` named, or one notice to a platform for it. ``delivery_id`` is a
    callback's ``webhook-id``, the same in every attempt, and a notice's ``notice_id``. ``url``: of a callback without
    path and query, which may hold a secret; of a notice the platform's address. ``subject``: what it tells of, a scan
    or a strike. ``status``: HTTP status or SMTP code of the last attempt, null where none came; ``fault``: why the last
    attempt failed; ``answer``: what a mail server or a platform said then. ``body_sha256`` (hexadecimal) and ``bytes``
    are of what is sent; of a held notice, of what it is made from."""

    delivery_id: str
    channel: DeliveryChannel
    platform: str | None
    state: DeliveryState
    type: str
    subject: str | None
    url: str
    kid: str
    created_at: Timestamp
    attempts: int
    attempted_at: Timestamp | None
    next_attempt_at: Timestamp | None
    ended_at: Timestamp | None
    status: int | None
    fault: DeliveryFault | None
    answer: str | None
    body_sha256: str
    bytes: int
    outcome: DeliveryOutcome | None


class DeliveryQuery(PageQuery, kw_only=True):
    """GET ``/v1/deliveries``; ``scan``: the ``scan_id`` that they tell of, ``strike``: the ``strike_id``."""

    state: DeliveryState | None = None
    channel: DeliveryChannel | None = None
    platform: RegistryId | None = None
    strike: RegistryId | None = None
    scan: RegistryId | None = None
    type: DeliveryType | None = None


class DeliveryPage(Reply, kw_only=True):
    """Deliveries, newest first."""

    items: list[Delivery]
    next: str | None


class RecordOutcome(Request, kw_only=True):
    """POST ``/v1/deliveries/{delivery_id}/outcome``."""

    state: OutcomeState
    decision: Decision | None = None
    reference: ShortText | None = None
    note: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)] | None = None
