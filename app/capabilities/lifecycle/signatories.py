"""Who signed a call: the registered HR sources, tried one after the other."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from app.api.operation import Caller, Clearance, SignedRequest, Unsigned
from app.capabilities.lifecycle.senders import SignedCall, judge
from app.registry.hr_sources import HrSourceRow
from app.registry.service import Registry
from app.store.engine import Store
from app.store.writer import Transaction


@dataclass(frozen=True)
class Signatory(Caller):
    """A source that signed a call: ``key_id`` is ``hr:<source>``."""

    source: HrSourceRow
    signature: SignedCall


class Signatories:
    """Keeps the sources in memory until one changes."""

    def __init__(self, store: Store, registry: Registry) -> None:
        self._store = store
        self._registry = registry
        self._sources: tuple[HrSourceRow, ...] | None = None
        self._generation = 0
        registry.hr_sources.on_change(self._source_changed)

    def sender(self, sent: SignedRequest) -> Signatory:
        """The source that signed the call: the one that its path names, or any. ``Unsigned`` for none."""
        named = sent.path.get("source")
        now_s = time.time()
        found: Signatory | None = None
        cause = "missing"
        for source in self._known_sources():
            if named is not None and source.source_id != named:
                continue
            try:
                signature = judge(source, sent.headers, sent.raw, now_s)
            except Unsigned as refused:
                # The most telling cause of all sources is kept for the log.
                cause = max(cause, refused.cause, key=("missing", "signature", "stale").index)
            else:
                found = found or Signatory(
                    key_id=f"hr:{source.source_id}",
                    clearance=Clearance.OPEN,
                    label=source.scheme,
                    source=source,
                    signature=signature,
                )
        if found is None:
            raise Unsigned(cause)
        return found

    def _known_sources(self) -> tuple[HrSourceRow, ...]:
        known = self._sources
        if known is None:
            # A change that becomes durable while the rows are read must not be hidden by what was read before it.
            generation = self._generation
            with self._store.read() as connection:
                known = tuple(self._registry.hr_sources.all(connection))
            if generation == self._generation:
                self._sources = known
        return known

    def _source_changed(self, tx: Transaction, source_id: str, before: Row[Any] | None) -> None:
        del source_id, before

        def forget() -> None:
            self._generation += 1
            self._sources = None

        tx.after_commit(forget)
