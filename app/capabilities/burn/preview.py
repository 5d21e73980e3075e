"""The blast radius of a burn: what it would reach, and what access would outlive it. Writes nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence

import msgspec
from sqlalchemy import func, select

from app.api.wire import rfc3339
from app.capabilities.burn.identity import BurnIdentities
from app.capabilities.burn.messages import NodeSuggestion, Preview, PreviewBody, PreviewTarget
from app.capabilities.burn.nobody import nobody
from app.capabilities.burn.ranks import nearest_rank
from app.capabilities.burn.targets import TargetKind
from app.capabilities.burn.targets.directory import DirectoryTargets
from app.capabilities.burn.targets.holder import HolderTargets
from app.capabilities.burn.targets.reader import KIND as READER
from app.delivery.events import DoorTrace
from app.registry.lookalikes import nearest
from app.registry.messages.shared import DRILL_TAG
from app.registry.service import Registry
from app.registry.tables import credential_profile
from app.store.engine import Store

_KEPT_S = 10.0


class BlastRadius:
    """``history``: the last latencies (ms) of each target, by which the next one is expected."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        kinds: Sequence[TargetKind],
        holders: HolderTargets,
        directories: DirectoryTargets,
        identities: BurnIdentities,
        trace: DoorTrace,
        history: Mapping[str, Sequence[float]],
    ) -> None:
        self._store = store
        self._registry = registry
        self._kinds = tuple(kinds)
        self._holders = holders
        self._directories = directories
        self._identities = identities
        self._trace = trace
        self._history = history
        self._last: tuple[str, float, list[NodeSuggestion]] = ("", 0.0, [])

    async def look(self, body: PreviewBody) -> Preview:
        """The blast radius with the directories looked at now, for a moment at most."""
        if body.scope == "GLOBAL_REVOCATION":
            await self._directories.look(body.node_id)
        return await asyncio.to_thread(self.preview, body)

    def preview(self, body: PreviewBody) -> Preview:
        """The blast radius of a burn of this node now. Any thread."""
        with self._store.read() as connection:
            node = self._registry.node(connection, body.node_id)
            profiles = connection.execute(
                select(func.count()).where(credential_profile.c.node_id == body.node_id)
            ).scalar_one()
            foreseen = [
                kind.preview(connection, body.node_id)
                for kind in self._kinds
                if kind is not self._directories or body.scope == "GLOBAL_REVOCATION"
            ]
        targets = [target for of_kind, _ in foreseen for target in of_kind]
        self._expect(targets)
        doors = [target for target in targets if target.kind == READER]
        known = self._identities.find(body.node_id, body.scope)
        last = self._trace.last_grant(body.node_id)
        return Preview(
            node_id=body.node_id,
            known=node is not None,
            headline=None if node is not None else nobody(body.node_id, burned=False),
            nearest=[] if node is not None else self._nearest(body.node_id),
            display_name=None if node is None else node.display_name,
            standing=None if node is None else node.standing,
            scope=body.scope,
            drill=node is not None and DRILL_TAG in node.tags,
            already_burned=known.burn_id if known is not None and (known.durable or known.owed) else None,
            doors=len(doors),
            doors_online=sum(target.reachable is True for target in doors),
            cards=self._holders.cards(body.node_id),
            profiles=profiles,
            targets=targets,
            residual_exposure=[residual for _, left in foreseen for residual in left],
            last_access=None if last is None else rfc3339(last[0]),
            last_access_reader=None if last is None else last[1],
            last_access_since=rfc3339(self._trace.since_us()),
        )

    def _nearest(self, node_id: str) -> list[NodeSuggestion]:
        """People who may be meant by an id that nobody has. Kept for a moment: a page that shows it asks again and
        again."""
        known, at, found = self._last
        if known != node_id or time.monotonic() - at > _KEPT_S:
            found = msgspec.convert(nearest(self._store, node_id), list[NodeSuggestion], from_attributes=True)
            self._last = (node_id, time.monotonic(), found)
        return found

    def _expect(self, targets: Sequence[PreviewTarget]) -> None:
        """How long each target takes: the 95th percentile of its last proofs."""
        for target in targets:
            past = sorted(self._history.get(target.id, ()))
            if past:
                target.expected_ms = past[nearest_rank(len(past), 95) - 1]
