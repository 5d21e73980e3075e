"""The kinds of directories that this version reaches: a new kind is a module beside this one and a row here."""

from __future__ import annotations

from collections.abc import Callable

from app.capabilities.burn.targets.connector import Connector, Tools
from app.capabilities.burn.targets.ldap import LdapConnector
from app.capabilities.burn.targets.oauth import OAuth
from app.capabilities.burn.targets.peer import PeerConnector
from app.capabilities.burn.targets.scim import Scim
from app.capabilities.burn.targets.ssf import Ssf
from app.capabilities.burn.targets.webhook import Webhook

CONNECTORS: tuple[Callable[[Tools], Connector], ...] = (
    LdapConnector,
    Scim,
    Ssf,
    OAuth,
    Webhook,
    PeerConnector,
)
