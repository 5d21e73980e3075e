"""To whom the documents of a strike go: registered platforms, and the address that fits the law best.

Addresses come from the registry alone, never from a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

import idna
from sqlalchemy import Connection

from app.api.wire import FieldError
from app.capabilities.enforcement.jurisdictions import FIRST_LANGUAGE, Law
from app.delivery.messages import NoticeChannel
from app.registry.platforms import PlatformRow, Platforms

MOST: Final = 20
"""Platforms of one strike: its leaf names each notice."""


@dataclass(frozen=True)
class NoticeRecipient:
    """A platform as a strike addresses it. ``domains``: its own; ``languages``: of its notices, best first."""

    platform_id: str
    name: str
    channel: NoticeChannel
    address: str
    domains: Sequence[str]
    languages: Sequence[str]

    def language_under(self, law: Law) -> str:
        """The first of its languages that the law has, else English."""
        return next((one for one in self.languages if one in law.languages), FIRST_LANGUAGE)


def find_recipients(
    connection: Connection,
    platforms: Platforms,
    law: Law,
    state: str | None,
    named: Sequence[str] | None,
    kept: Mapping[str, NoticeRecipient] = MappingProxyType({}),
) -> tuple[list[NoticeRecipient], list[FieldError]]:
    """The named platforms in their order, without names those that are marked as default; and what is wrong with the
    names. ``kept``: those that a strike has already: they keep their channel and address, and stand in for a platform
    that was deleted since."""
    if named is None:
        found = [_recipient(row, law, state) for row in platforms.defaults(connection)]
        many = f"{len(found)} platforms are marked as default: name at most {MOST} of them."
        return found, [FieldError(pointer="/platforms", detail=many)] if len(found) > MOST else []
    recipients, faults = [], []
    for index, name in enumerate(named):
        row = platforms.look_up(connection, name)
        if name in kept:
            known = kept[name]
            # What a notice goes to was fixed with it: its delivery has this address, although the platform has another
            # one since.
            fresh = known if row is None else _recipient(row, law, state)
            recipients.append(replace(fresh, channel=known.channel, address=known.address))
        elif row is None:
            words = f"No platform {name} is registered: register it at /v1/registry/platforms, or leave it out."
            faults.append(FieldError(pointer=f"/platforms/{index}", detail=words))
        elif name in named[:index]:
            faults.append(FieldError(pointer=f"/platforms/{index}", detail="Name each platform once."))
        else:
            recipients.append(_recipient(row, law, state))
    return recipients, faults


def outside_domains(recipient: NoticeRecipient, urls: Sequence[str]) -> list[str]:
    """Hosts of the URLs that are outside the platform's own domains; none where it names no domain."""
    if not recipient.domains:
        return []
    hosts = dict.fromkeys(host_of(url) for url in urls)
    return [host for host in hosts if not any(host == one or host.endswith(f".{one}") for one in recipient.domains)]


def host_of(url: str) -> str:
    """The host of a URL as the domain name system has it; as it is written where it has no such form. ``ValueError``
    where there is none."""
    host = urlsplit(url).hostname
    if not host:
        raise ValueError("the URL has no host")
    try:
        return idna.encode(host, uts46=True).decode()
    except idna.IDNAError:
        return host


def url_fault(url: str) -> str | None:
    """What keeps a URL from saying where content is, a sentence; None for a good one."""
    try:
        parts = urlsplit(url)
        host_of(url)
        _ = parts.port
    except ValueError:
        return "Give an absolute http or https URL with a host."
    if parts.username is not None or parts.password is not None:
        return "Leave user and password out of the URL."
    return None


def _recipient(row: PlatformRow, law: Law, state: str | None) -> NoticeRecipient:
    """The platform with the most exact of its addresses: by member state, then by the law's code."""
    contact = row.contacts.get(state or "") or row.contact(law.code)
    return NoticeRecipient(
        row.platform_id, row.display_name, contact.channel, contact.address, row.domains, row.languages
    )
