"""``/v1/registry/reader-clusters``: the readers of doors and their Secure Channel keys."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import RegistryId, Reply, Request, ShortText, Timestamp
from app.registry.messages.schedules import Schedule, ScheduleWindow
from app.registry.messages.shared import PORT, Tags

Channel = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^(serial:[A-Za-z0-9/._:-]{{1,120}}|tcp://[A-Za-z0-9._:\[\]-]{{1,120}}:{PORT}|simulated:)\Z",
        examples=["simulated:"],
    ),
]
"""Where an OSDP reader is wired: ``serial:<device>``, ``tcp://host:port`` or ``simulated:`` (training only)."""


class ReaderBody(Request, kw_only=True):
    """One reader of a cluster: OSDP address 0..126 on its channel."""

    reader_id: RegistryId
    channel: Channel
    address: Annotated[int, msgspec.Meta(ge=0, le=126)]
    baud: Literal[9600, 19200, 38400, 57600, 115200, 230400] = 115200
    onboard_list: bool = False


class ReaderClusterBody(Request, kw_only=True):
    """PUT ``/v1/registry/reader-clusters/{id}``."""

    display_name: ShortText
    readers: Annotated[list[ReaderBody], msgspec.Meta(max_length=2000)]
    schedule: Schedule | None = None
    tags: Tags = []


class Reader(Reply, kw_only=True):
    """A reader as registered, and as it is now. ``key_changed_at``: of the key that it holds; ``key_pending``: since
    when a new key has been waiting for it. ``epoch``: the newest that it acknowledged."""

    reader_id: str
    channel: str
    address: int
    baud: int
    onboard_list: bool
    online: bool
    secure_channel: bool
    firmware: str | None
    epoch: int
    since: Timestamp | None
    enrolled: bool
    key_changed_at: Timestamp
    key_pending: Timestamp | None = None


class ReaderCluster(Reply, kw_only=True):
    """A cluster of readers that is granted as one."""

    cluster_id: RegistryId
    display_name: str
    readers: list[Reader]
    schedule: list[ScheduleWindow] | None
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class ReaderClusterPage(Reply, kw_only=True):
    """A page of clusters."""

    items: list[ReaderCluster]
    next: str | None


class EnrolBody(Request, kw_only=True):
    """POST ``/v1/registry/reader-clusters/{id}/enrol``: opens the key window. Default: the readers with no key yet."""

    reader_ids: Annotated[list[RegistryId], msgspec.Meta(max_length=2000)] | None = None
    seconds: Annotated[int, msgspec.Meta(ge=5, le=600)] = 60


class EnrolReply(Reply, kw_only=True):
    """Which readers are open for their first key, and until when."""

    cluster_id: str
    reader_ids: list[str]
    until: Timestamp


class RotateKeysBody(Request, kw_only=True):
    """POST ``/v1/registry/reader-clusters/{id}/rotate-keys``. Default: every reader of the cluster that holds a key."""

    reader_ids: Annotated[list[RegistryId], msgspec.Meta(max_length=2000)] | None = None


class ReaderKeyed(Reply, kw_only=True):
    """One reader of a key rotation. ``pending_offline``: it takes the new key when its channel comes up."""

    reader_id: str
    state: Literal["rotated", "pending_offline", "failed"]
    key_changed_at: Timestamp
    detail: str | None = None


class RotateKeysReply(Reply, kw_only=True):
    """Which readers hold their new Secure Channel key."""

    cluster_id: str
    readers: list[ReaderKeyed]
