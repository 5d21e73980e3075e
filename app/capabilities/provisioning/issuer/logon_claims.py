"""What a card's certificates say for a logon to computers: by the site's settings, of the holder's record.

A name is derived in one way or not at all: a principal name that two holders shared would let one log on as the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.pki.authority import LogonClaims
from app.site.settings import CardLogon

_ACCOUNT = re.compile(r'[^\x00-\x20\x7f"/\\\[\]:;|=,+*?<>@]{1,64}')
"""What may stand before the @ of a user principal name. An account of another form (``CORP\\alice``) gives none."""
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_EMAIL = re.compile(rf"{_ATOM}(\.{_ATOM})*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
"""An address as rfc822Name holds it (RFC 5280, 4.2.1.6). The library raises for odd ones, in the middle of a write."""


def logon_claims(
    settings: CardLogon, node_id: str, email: str | None, accounts: Iterable[tuple[str, str]]
) -> LogonClaims:
    """The claims of a node's new card. ``accounts``: directory and account of each account of the node. What the
    settings ask for and the record does not give is left out."""
    named = email if settings.email and email is not None and _EMAIL.fullmatch(email) is not None else None
    return LogonClaims(
        smart_card=settings.smart_card,
        principal_name=_principal_name(settings, email, accounts),
        email=named,
        sid=settings.security_identifiers.get(node_id),
        policies=settings.policies,
    )


def _principal_name(settings: CardLogon, email: str | None, accounts: Iterable[tuple[str, str]]) -> str | None:
    """The one user principal name. An account or e-mail with another domain gives none, because the same name in two
    domains is two people; and so do two accounts, because nobody says which is meant."""
    suffix = settings.upn_suffix
    if suffix is None:
        return None
    if settings.account_directory is None:
        account, _, domain = (email or "").partition("@")
        found = [account] if domain.lower() == suffix.lower() else []
    else:
        own = (account.partition("@") for directory, account in accounts if directory == settings.account_directory)
        found = [account if not at or domain.lower() == suffix.lower() else "" for account, at, domain in own]
    if len(found) != 1 or _ACCOUNT.fullmatch(found[0]) is None:
        return None
    return f"{found[0]}@{suffix}"
