"""Lists of readers that keep one (``onboard_list``): who would pass at their cluster while this controller is cut off.

Each cluster has a key for the names in its lists, derived from a secret of the site, and one Ed25519 key of the site
signs them all (``hardware.readers.listblob``). A list ends after ``onboard_list_h``, or earlier for each who is on it.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from app.store.keys import Keys
from hardware.readers.decision import Credential, DenyView, Grant, Schedule
from hardware.readers.listblob import KEY_BYTES, AccessList, ListTrust

PURPOSE = "reader-list"


@dataclass(frozen=True, slots=True)
class _IssuedList:
    epoch: int
    ends: Mapping[Credential, int]
    renew_at: float
    blob: bytes


class ListIssuer:
    """Signs lists. On the event loop alone; the same list is not signed twice."""

    def __init__(self, keys: Keys, life_s: int) -> None:
        self._keys = keys
        self._life_s = life_s
        self._trusts: dict[str, ListTrust] = {}
        self._issued: dict[str, _IssuedList] = {}

    def trust(self, cluster_id: str) -> ListTrust:
        """What readers of this cluster must know. Any thread."""
        found = self._trusts.get(cluster_id)
        if found is None:
            key = hmac.digest(self._keys.secret(PURPOSE), cluster_id.encode(), "sha256")[:KEY_BYTES]
            found = ListTrust(key, self._keys.ed25519(PURPOSE).public_key().public_bytes_raw())
            self._trusts[cluster_id] = found
        return found

    def due(self, cluster_id: str, grants: Collection[Grant], deny: DenyView) -> bool:
        """True if the newest list of the cluster does not say any more who would pass, or is half over."""
        now = time.time()
        issued = self._issued.get(cluster_id)
        return issued is None or now >= issued.renew_at or issued.ends != self._ends(cluster_id, grants, deny, now)

    def issue(self, cluster_id: str, epoch: int, grants: Collection[Grant], deny: DenyView) -> bytes:
        """The list of the cluster at ``epoch``: read that before ``grants`` and ``deny``, so that nothing in the list
        is older than it says."""
        now = time.time()
        ends = self._ends(cluster_id, grants, deny, now)
        known = self._issued.get(cluster_id)
        if known is not None and (known.epoch, known.ends) == (epoch, ends) and now < known.renew_at:
            return known.blob
        issued = int(now)
        made = AccessList.build(self.trust(cluster_id), epoch, issued, issued + self._life_s, list(ends.items()))
        blob = made.encode(self._keys.ed25519(PURPOSE).sign)
        self._issued[cluster_id] = _IssuedList(epoch, ends, now + self._life_s / 2, blob)
        return blob

    def _ends(self, cluster_id: str, grants: Collection[Grant], deny: DenyView, now: float) -> dict[Credential, int]:
        """Who would pass now, and until when. A schedule that is closed now opens nothing at a reader that is cut off:
        the list has no room for its hours."""
        horizon = now + self._life_s
        until: dict[Schedule, float] = {}
        ends: dict[Credential, int] = {}
        for grant in grants:
            if cluster_id not in grant.clusters or deny.denies_node(grant.node_id) is not None:
                continue
            end = grant.not_after
            if grant.schedule is not None:
                if grant.schedule not in until:
                    until[grant.schedule] = grant.schedule.open_until(now, horizon)
                end = min(end, until[grant.schedule])
                # At the horizon it is still open: the end is the list's own, and must not move with the clock.
                end = grant.not_after if end == horizon else end
            if end <= now:
                continue
            for credential in grant.credentials:
                if deny.denies_credential(credential) is None:
                    ends[credential] = max(ends.get(credential, 0), int(end))
        return ends
