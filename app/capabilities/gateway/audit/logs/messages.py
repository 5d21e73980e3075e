"""What crosses the wire of ``/v1/log/*``: paths of the two logs, and the state of their witnesses."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import Reply, Timestamp

LogName = Literal["seal", "audit"]
TileLevel = Annotated[str, msgspec.Meta(pattern=r"^([0-9]|[1-5][0-9]|6[0-3])\Z", examples=["0"])]
TileIndex = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(x[0-9]{3}/){0,5}[0-9]{3}(\.p/([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]))?\Z",
        examples=["000.p/1", "x001/x234/067"],
    ),
]
"""Elements of three digits, all but the last after an ``x``; ``.p/W`` asks for a partial tile of W hashes."""


class LogKeyChange(Reply, kw_only=True):
    """One replacement of a log's keys: the leaf ``log.key`` and its C2SP tlog-proof, null until a quorum covers it.
    ``salt`` and ``payload``, in base64, open the leaf. The payload's ``statement`` names the old keys and the new ones,
    and ``signatures`` are by all four: a verifier who trusts the old keys may trust the new ones, and need not believe
    this answer."""

    log: LogName
    log_index: int
    leaf: str
    salt: str
    payload: str
    proof: str | None


class LogKeys(Reply, kw_only=True):
    """Every replacement of the keys of both logs, for each log the oldest first."""

    items: list[LogKeyChange]


class LogWitness(Reply, kw_only=True):
    """One witness. ``independent``: somebody else runs it; a local one proves order alone. ``state``: UP means that it
    cosigned what it was last asked for; otherwise ``detail`` says what is wrong. ``seal_size`` and ``audit_size``: the
    number of entries of each log that it has seen."""

    name: str
    url: str | None
    independent: bool
    state: Literal["UP", "WAITING", "UNREACHABLE", "REFUSED", "ROLLED_BACK", "FORKED"]
    detail: str | None
    cosigned_at: Timestamp | None
    seal_size: int
    audit_size: int


class LogWitnesses(Reply, kw_only=True):
    """Every witness of the policy that is asked. ``standing``: whether this store is known to be the newest one; until
    it is CONFIRMED no seal is complete. ``checked_at``: time of the last nightly check of a part of the logs, and
    ``check_findings`` its number of faults; null before the first check. ``check_overdue``: there was no check for two
    days, though the settings name an hour for it."""

    standing: Literal["UNCONFIRMED", "CONFIRMED", "ROLLED_BACK", "FORKED"]
    detail: str | None
    independent: int
    items: list[LogWitness]
    checked_at: Timestamp | None = None
    check_findings: int | None = None
    check_overdue: bool = False
