"""``/v1/registry/platforms``: platforms elsewhere that declarations and notices go to."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import RegistryId, Reply, Request, SecretState, ShortText, Timestamp
from app.registry.messages.shared import UNIQUE, Tags

PlatformChannel = Literal["mail", "https", "form"]
PlatformAddress = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(https?://[!-~]{1,500}|[!-?A-~]{1,64}@[A-Za-z0-9.-]{1,255})\Z",
        max_length=510,
        examples=["https://platform.example/notices"],
    ),
]
"""A mail address (channel ``mail``), or a URL (``https``: where notices are posted; ``form``: where a person fills
them in)."""
PlatformDomain = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,10}\Z", max_length=253)]


class FrameworkContact(Request, kw_only=True):
    """Where notices under one jurisdiction go."""

    channel: PlatformChannel
    address: PlatformAddress


class PlatformBody(Request, kw_only=True):
    """PUT ``/v1/registry/platforms/{id}``. ``framework_contacts``: by jurisdiction code, the most exact code first
    (``US-NCII`` before ``US``), else ``address``. ``domains``: the platform's own; a URL of another one gives a
    warning. ``default``: named where a strike names no platform. ``languages``: of its notices, best first (``de``).
    ``secret`` is write-only (channel ``https``): a bearer token; if it is left out, the stored one stays while channel
    and address do; null deletes it. ``ca``: PEM certificates that TLS must end at, else the system's."""

    display_name: ShortText
    channel: PlatformChannel
    address: PlatformAddress
    framework_contacts: Annotated[
        dict[Annotated[str, msgspec.Meta(pattern=r"^[A-Z0-9-]{2,16}\Z")], FrameworkContact], msgspec.Meta(max_length=32)
    ] = {}
    domains: Annotated[list[PlatformDomain], msgspec.Meta(max_length=32, extra_json_schema=UNIQUE)] = []
    default: bool = False
    languages: Annotated[
        list[Annotated[str, msgspec.Meta(pattern=r"^[a-z]{2}\Z")]],
        msgspec.Meta(max_length=8, extra_json_schema=UNIQUE),
    ] = []
    secret: Annotated[str, msgspec.Meta(min_length=1, max_length=4000)] | msgspec.UnsetType | None = msgspec.UNSET
    ca: Annotated[str, msgspec.Meta(max_length=20000)] | None = None
    tags: Tags = []


class NoticePlatform(Reply, kw_only=True):
    """A platform as registered."""

    platform_id: RegistryId
    display_name: str
    channel: PlatformChannel
    address: str
    framework_contacts: dict[str, PlatformContact]
    domains: list[str]
    default: bool
    languages: list[str]
    secret: SecretState
    ca_sha256: list[str]
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class PlatformContact(Reply, kw_only=True):
    """Where notices under one jurisdiction go, as registered."""

    channel: PlatformChannel
    address: str


class NoticePlatformPage(Reply, kw_only=True):
    """A page of platforms."""

    items: list[NoticePlatform]
    next: str | None
