"""``/v1/registry/credential-profiles``: which credentials of a node open which clusters."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import NodeId, RegistryId, Reply, Request, SecretState, Timestamp
from app.registry.messages.schedules import Schedule, ScheduleWindow
from app.registry.messages.shared import UNIQUE, Tags

CredentialFormat = Literal["piv-guid", "wiegand26", "wiegand37", "raw"]
"""``piv-guid``: the 128-bit card GUID of a PIV card. The others: bits as the reader sends them."""


class CredentialBody(Request, kw_only=True):
    """One credential of a profile: a card GUID (lower-case UUID) or raw bits (hexadecimal, left-aligned)."""

    format: CredentialFormat
    bits: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-fA-F]{2,64}\Z")] | None = None
    card_guid: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")] | None = None


class CredentialProfileBody(Request, kw_only=True):
    """PUT ``/v1/registry/credential-profiles/{id}``; the id is the ``credential_profile_token``."""

    node_id: NodeId
    credentials: Annotated[list[CredentialBody], msgspec.Meta(min_length=1, max_length=16)]
    clusters: Annotated[list[RegistryId], msgspec.Meta(min_length=1, max_length=200, extra_json_schema=UNIQUE)]
    schedule: Schedule | None = None
    tags: Tags = []


class ProfileCredential(Reply, kw_only=True):
    """A credential of a profile. Raw bits are write-only."""

    format: str
    card_guid: str | None
    bits: SecretState | None


class CredentialProfile(Reply, kw_only=True):
    """Which credentials of a node open which clusters."""

    profile_id: RegistryId
    node_id: str
    credentials: list[ProfileCredential]
    clusters: list[str]
    schedule: list[ScheduleWindow] | None
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class CredentialProfilePage(Reply, kw_only=True):
    """A page of profiles."""

    items: list[CredentialProfile]
    next: str | None
