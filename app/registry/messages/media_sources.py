"""``/v1/registry/media-sources``: addresses beside the public ones that media is fetched from or reported to."""

from __future__ import annotations

from typing import Annotated

import msgspec

from app.api.wire import RegistryId, Reply, Request, SecretState, ShortText, Timestamp
from app.registry.messages.shared import UNIQUE, Tags

MediaCidr = Annotated[
    str, msgspec.Meta(pattern=r"^[0-9a-fA-F:.]{2,45}/[0-9]{1,3}\Z", max_length=49, examples=["10.20.0.0/24"])
]
MediaPort = Annotated[int, msgspec.Meta(ge=1, le=65535)]
MediaHost = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9_.:-]{1,253}\Z", examples=["camera-7.site.example"])]
MediaSecret = Annotated[str, msgspec.Meta(min_length=1, max_length=500, pattern=r"^[!-~]([ -~]*[!-~])?\Z")]


class MediaSourceBody(Request, kw_only=True):
    """PUT ``/v1/registry/media-sources/{id}``: networks of this site, or public ones at other ports than 80 and 443,
    that media may be fetched from and callbacks sent to: each of ``cidrs`` at each of ``ports``. Link local is never
    reached.

    ``hosts``: only for media at URLs with one of these names or addresses; empty: for every URL, and for callbacks.
    ``secret`` is write-only and needs ``hosts``, because it is sent to those alone, with each fetch: ``user:password``
    as HTTP Basic (RFC 7617), a text without a colon as a bearer token (RFC 6750). If it is left out, the stored one
    stays while cidrs, ports and hosts do; null deletes it.
    """

    cidrs: Annotated[list[MediaCidr], msgspec.Meta(min_length=1, max_length=32, extra_json_schema=UNIQUE)]
    ports: Annotated[list[MediaPort], msgspec.Meta(min_length=1, max_length=32, extra_json_schema=UNIQUE)]
    hosts: Annotated[list[MediaHost], msgspec.Meta(max_length=32, extra_json_schema=UNIQUE)] = []
    secret: MediaSecret | msgspec.UnsetType | None = msgspec.UNSET
    display_name: ShortText | None = None
    tags: Tags = []


class MediaSource(Reply, kw_only=True):
    """A media source as registered."""

    media_source_id: RegistryId
    display_name: str | None
    cidrs: list[str]
    ports: list[int]
    hosts: list[str]
    secret: SecretState
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class MediaSourcePage(Reply, kw_only=True):
    """A page of media sources."""

    items: list[MediaSource]
    next: str | None
