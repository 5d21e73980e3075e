"""What crosses the wire of alarms: the open list and the telemetry event."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from app.api.wire import Reply, Request, Timestamp

HAPPENED: Final = frozenset(
    {
        "burn.unknown_node",
        "clock.jump_ahead",
        "clock.step_back",
        "enrolment.known_person",
        "keystone.replayed",
        "palm.copy",
        "stylized.copy",
    }
)
"""Kinds of alarms about an event in the past: no change of a fact surely closes them, so a person closes them after
seeing to the matter."""


class Alarm(Reply, kw_only=True):
    """An open alarm. It closes when its fact has changed; one about a past event, when a person closes it.
    ``taken_by``: the API key that took it last, which is its owner; null: nobody has. ``note``: what the owner said."""

    alarm_id: str
    kind: str
    since: Timestamp
    node_id: str | None
    ref: str | None
    text: str
    taken_by: str | None = None
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
    """GET ``/v1/deliveries/keys``: a JWK set; of each purpose the key that signs now comes first."""

    keys: list[PublicJwk]
