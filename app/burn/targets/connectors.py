"""The kinds of directories that this version reaches: a new kind is a module beside this one and a row here."""

from __future__ import annotations

from collections.abc import Callable

from app.burn.targets.directory import Connector, Tools
from app.burn.targets.ldap import LdapConnector
from app.burn.targets.oauth import OAuth
from app.burn.targets.peer import Peer
from app.burn.targets.scim import Scim
from app.burn.targets.ssf import Ssf
from app.burn.targets.webhook import Webhook

CONNECTORS: tuple[Callable[[Tools], Connector], ...] = (
    LdapConnector,
    Scim,
    Ssf,
    OAuth,
    Webhook,
    Peer,
)
