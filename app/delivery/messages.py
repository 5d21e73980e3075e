"""What crosses the wire of alarms: the open list and the telemetry event."""

from __future__ import annotations

from typing import Final, Literal

from app.api.wire import Reply, Timestamp

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
    """An open alarm. It closes when its fact has changed; one about a past event, when a person closes it."""

    alarm_id: str
    kind: str
    since: Timestamp
    node_id: str | None
    ref: str | None
    text: str


class AlarmList(Reply, kw_only=True):
    """The open alarms, oldest first."""

    items: list[Alarm]


class AlarmEvent(Reply, kw_only=True):
    """Body of the telemetry event ``alarm``: the alarm as it was opened, and whether it opens or closes now."""

    state: Literal["raised", "cleared"]
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
