"""``/v1/registry/directories``: systems elsewhere that a global burn reaches."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import RegistryId, Reply, Request, SecretState, ShortText, Timestamp
from app.registry.messages.shared import Tags

DirectoryKind = Literal["ldap", "scim", "ssf", "oauth", "webhook", "peer"]
EmailMatch = Literal["link", "lock"]
DirectoryUrl = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(https?|ldaps?|ldapi)://[!-~]{1,500}\Z", max_length=510, examples=["https://idp.example/scim/v2"]
    ),
]


class DirectoryBody(Request, kw_only=True):
    """PUT ``/v1/registry/directories/{id}``: a system elsewhere that a global burn reaches.

    ``secret`` is write-only: the bind password (ldap), bearer token (scim, ssf, oauth), signing secret (webhook) or
    Citadel key (peer). If it is left out, the stored one stays; null deletes it. It is sent to its own address only:
    with another ``url`` it must be given again. ``ca``: PEM certificates that TLS must end at, else the system's.
    ``audience``: the recipient of signed events (ssf) or the tenant (oauth). ``email_match`` (scim, ldap): what a burn
    does with an account that bears the person's e-mail address and that no node names: ``link``, the target fails until
    somebody links it; ``lock``, it is locked. ``timeout_ms``: of one attempt, else the
    site's.
    """

    kind: DirectoryKind
    url: DirectoryUrl
    display_name: ShortText | None = None
    secret: Annotated[str, msgspec.Meta(min_length=1, max_length=4000)] | msgspec.UnsetType | None = msgspec.UNSET
    bind_dn: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] | None = None
    base_dn: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] | None = None
    dialect: Literal["openldap", "ad", "389ds"] | None = None
    audience: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] | None = None
    email_match: EmailMatch = "link"
    ca: Annotated[str, msgspec.Meta(max_length=20000)] | None = None
    timeout_ms: Annotated[int, msgspec.Meta(ge=100, le=30_000)] | None = None
    tags: Tags = []


class DirectoryProbe(Reply, kw_only=True):
    """The result of a trial of the directory. ``ok``: a burn could act there now; ``found``: what answered, in
    words."""

    ok: bool
    found: str
    latency_ms: float | None
    at: Timestamp


class Directory(Reply, kw_only=True):
    """A directory as registered. ``probe`` only in the reply of a PUT that asked for one."""

    directory_id: RegistryId
    kind: DirectoryKind
    display_name: str | None
    url: str
    secret: SecretState
    bind_dn: str | None
    base_dn: str | None
    dialect: str | None
    audience: str | None
    ca_sha256: list[str]
    timeout_ms: int | None
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp
    email_match: EmailMatch = "link"
    probe: DirectoryProbe | None = None


class DirectoryPage(Reply, kw_only=True):
    """A page of directories."""

    items: list[Directory]
    next: str | None


class ProbeQuery(Request, kw_only=True):
    """``probe=true``: the directory is tried after the PUT; it is stored even if the trial fails."""

    probe: bool = False
