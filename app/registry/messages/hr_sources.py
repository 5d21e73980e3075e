"""``/v1/registry/hr-sources``: HR systems whose signed calls are believed."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import RegistryId, Reply, Request, SecretState, ShortText, Timestamp
from app.registry.messages.shared import Tags

HrScheme = Literal["standard-webhooks", "bamboohr", "header", "basic"]
"""How a source signs its calls: Standard Webhooks; BambooHR's hex HMAC over body and timestamp; a secret as the value
of ``Authorization`` (alone, or after ``Bearer``); HTTP Basic (``user:password``). The last two prove nothing about the
body: require client certificates of such a sender too."""
HrSecret = Annotated[str, msgspec.Meta(min_length=16, max_length=500, pattern=r"^[!-~]([ -~]*[!-~])?\Z")]


class HrSourceBody(Request, kw_only=True):
    """PUT ``/v1/registry/hr-sources/{id}``: an HR system whose calls are believed.

    Both secrets are write-only and accepted alike; if one is left out, the stored one stays. A rotation gives
    ``next_secret``, then the same as ``secret`` with ``next_secret`` null. Above ``max_discharges_per_minute`` nodes
    are contained and not burned; above five times as many they only wait for an operator.
    """

    scheme: HrScheme
    display_name: ShortText | None = None
    secret: HrSecret | msgspec.UnsetType = msgspec.UNSET
    next_secret: HrSecret | msgspec.UnsetType | None = msgspec.UNSET
    max_discharges_per_minute: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 10
    tags: Tags = []


class HrSource(Reply, kw_only=True):
    """An HR source as registered."""

    hr_source_id: RegistryId
    scheme: HrScheme
    display_name: str | None
    secret: SecretState
    next_secret: SecretState
    max_discharges_per_minute: int
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class HrSourcePage(Reply, kw_only=True):
    """A page of HR sources."""

    items: list[HrSource]
    next: str | None
