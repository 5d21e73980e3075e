"""Whether every template registry has its key. A lost key raises an alarm, which closes when the key is back or the
registry is renewed.

A registry without its key goes on matching, so nobody at a door notices; its terminals get no bundle, and a renewal
that is needed in a hurry fails.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, select

from app.biometrics.tables import template, template_registry
from app.biometrics.template_registries import TemplateRegistries
from app.delivery.alarms import AlarmBook
from app.store.writer import Transaction

KEY_LOST: Final = "registry.key_lost"

_State = tuple[tuple[int, ...], tuple[tuple[str, int], ...]]


class KeyWatch:
    """``sweep`` is called each minute. ``path``: where the keys lie. A key is opened to look at it only when the file
    or the registries that hold templates have changed."""

    def __init__(self, registries: TemplateRegistries, path: Path, alarms: AlarmBook) -> None:
        self._registries = registries
        self._path = path
        self._alarms = alarms
        self._seen: _State | None = None

    def sweep(self, tx: Transaction) -> int:
        """Raises and clears the alarms; 0, as nothing is left to do."""
        state = self._state(tx.connection)
        if state == self._seen:
            return 0
        lost = {
            (KEY_LOST, name): f"The key of template registry {name} is not in {self._path}, or does not open: no "
            "terminal gets a bundle, and nothing renews it. Bring that file back; where the templates were made by a "
            "key that this site never had, erase them, renew it and enrol again."
            for name in self._registries.keyless(tx.connection)
        }
        self._alarms.settle(tx, [KEY_LOST], lost)

        def durable() -> None:
            self._seen = state

        tx.after_commit(durable)
        return 0

    def _state(self, connection: Connection) -> _State:
        try:
            found = self._path.stat()
            file: tuple[int, ...] = (found.st_ino, found.st_size, found.st_mtime_ns)
        except OSError:
            file = ()
        rows = connection.execute(
            select(template_registry.c.template_registry_id, template_registry.c.key_epoch)
            .where(template_registry.c.template_registry_id.in_(select(template.c.registry_id).distinct()))
            .order_by(template_registry.c.template_registry_id)
        )
        return file, tuple((row.template_registry_id, row.key_epoch) for row in rows)
