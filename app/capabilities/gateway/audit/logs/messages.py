"""What crosses the wire of ``/v1/log/*``: paths of the two logs, and what is known of their witnesses."""

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
"""Three digits an element, all but the last with an x before them; ``.p/W`` asks for a partial tile of W hashes."""


class LogKeyChange(Reply, kw_only=True):
    """One replacement of a log's keys: the leaf ``log.key`` and its C2SP tlog-proof, null until a quorum covers it.
    ``salt`` and ``payload`` in base64 open the leaf; the payload's ``statement`` names the keys that were left and
    those that follow, and ``signatures`` are of all four: whoever trusts the former may take the latter, and nobody
    has to believe this answer."""

    log: LogName
    log_index: int
    leaf: str
    salt: str
    payload: str
    proof: str | None


class LogKeys(Reply, kw_only=True):
    """Every replacement of the keys of both logs, each log's oldest first."""

    items: list[LogKeyChange]


class LogWitness(Reply, kw_only=True):
    """One witness. ``independent``: somebody else runs it; a local one proves order alone. ``state``: UP has cosigned
    what it was last asked for; ``detail`` says what is wrong. ``seal_size`` and ``audit_size``: entries of each log
    that it has seen."""

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
    it is CONFIRMED no seal is complete. ``checked_at``: when a part of the logs was last checked by night, and
    ``check_findings`` what was wrong with it; null while none was. ``check_overdue``: none was for two days, though the
    settings name an hour for it."""

    standing: Literal["UNCONFIRMED", "CONFIRMED", "ROLLED_BACK", "FORKED"]
    detail: str | None
    independent: int
    items: list[LogWitness]
    checked_at: Timestamp | None = None
    check_findings: int | None = None
    check_overdue: bool = False
