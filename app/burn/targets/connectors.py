"""The kinds of directories that this version reaches: a new kind is a module beside this one and a row here."""

from __future__ import annotations

from collections.abc import Callable

from app.burn.targets.directory import Connector, Tools
from app.burn.targets.ldap import LdapConnector

CONNECTORS: tuple[Callable[[Tools], Connector], ...] = (LdapConnector,)
