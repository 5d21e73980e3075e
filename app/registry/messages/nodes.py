"""``/v1/registry/nodes``: the protected identities, their standing and their live checks."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import LongText, NodeId, RegistryId, Reply, Request, ShortText, Timestamp
from app.registry.messages.shared import UNIQUE, Tags

Standing = Literal[
    "VERIFIED_DIGITAL_HUMAN",
    "UNVERIFIED",
    "PENDING_CONSENSUS",
    "EXPIRED",
    "WITHDRAWN",
    "SUSPENDED",
    "REVOKED",
    "SYNTHETIC_SUSPECTED",
]
"""Verification standing (specification part 3; the further values are ours)."""


class DirectoryAccount(Request, kw_only=True):
    """An account of the node in a registered directory."""

    directory_id: RegistryId
    account: ShortText


class NodeBody(Request, kw_only=True):
    """PUT ``/v1/registry/nodes/{id}``."""

    display_name: ShortText
    employee_id: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] | None = None
    email: Annotated[str, msgspec.Meta(pattern=r"^[^@\x00-\x20\x7f]{1,64}@[^@\x00-\x20\x7f]{1,190}\Z")] | None = None
    notes: LongText | None = None
    directory_accounts: Annotated[list[DirectoryAccount], msgspec.Meta(max_length=64, extra_json_schema=UNIQUE)] = []
    tags: Tags = []


class LiveCheck(Reply, kw_only=True):
    """A check of the living person: ``kind`` voice, palm, stylized or card; ``ref`` names its record."""

    kind: Literal["voice", "palm", "stylized", "card"]
    at: Timestamp
    ref: str
    success: bool


class NodeCredential(Reply, kw_only=True):
    """A credential that was issued to the node, as profiles and cards report it. Its bits are not shown."""

    profile: str | None
    format: str
    card_guid: str | None
    state: Literal["active", "granted", "expired", "revoked"]
    clusters: list[str] = []
    not_after: Timestamp | None = None


class NodeTemplates(Reply, kw_only=True):
    """What is enrolled of the node in one registry: how many templates, and since when."""

    registry_id: str
    templates: int
    enrolled_at: Timestamp


class Node(Reply, kw_only=True):
    """A protected identity. ``templates``: by registry; the node is enrolled nowhere else."""

    node_id: NodeId
    display_name: str
    employee_id: str | None
    email: str | None
    notes: str | None
    directory_accounts: list[DirectoryAccount]
    tags: list[str]
    standing: Standing
    verified_at: Timestamp | None
    credentials: list[NodeCredential]
    live_checks: list[LiveCheck]
    templates: list[NodeTemplates]
    created_at: Timestamp
    changed_at: Timestamp


class NodePage(Reply, kw_only=True):
    """A page of nodes."""

    items: list[Node]
    next: str | None
