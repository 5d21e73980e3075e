"""What crosses the wire of the telemetry stream.

An event has one of the kinds of ``delivery.events`` or is a ``gap``. Bodies: StatusEvent and HandshakeEvent are
messages of infrastructure, AlarmEvent of delivery, GapEvent of this room; card, access, burn and containment events are
messages of the capability that they come from."""

from __future__ import annotations

from typing import Annotated

import msgspec

from app.api.wire import RegistryId, Reply, Request


class TelemetryQuery(Request, kw_only=True):
    """GET ``/v1/telemetry-stream``; the proof is ``enclave_sig`` or the header ``Arc-Enclave-Sig``. If both are
    sent, they must be equal."""

    unit_id: RegistryId
    enclave_sig: Annotated[str, msgspec.Meta(max_length=4096)] | None = None


class GapEvent(Reply, kw_only=True):
    """Body of the telemetry event ``gap``: how many events before the next one were lost. Null: the number is unknown,
    because the service was restarted meanwhile. What was lost is in the audit log and the lists; read those again."""

    lost: int | None
