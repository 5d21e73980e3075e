"""What is granted at doors: reads the credential profiles, syncs one to a cluster and follows its doors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from app.api.wire import ListQuery
from app.capabilities.credentials.messages import SyncBody, SyncReply
from app.console.actions import Action, Effect
from app.console.clock import clock_time
from app.console.deletion import Deletion
from app.console.failures import Failure, Superseded
from app.console.growing import Growing
from app.console.language import tr
from app.console.moments import parse_time
from app.console.operations import Change, Operation
from app.console.pages.readers.grants_view import GrantsView
from app.console.pages.readers.words import sync_words
from app.console.part import Host, Part
from app.console.standing import standing_word
from app.console.theme.tokens import Meaning
from app.registry.messages.profiles import CredentialProfile, CredentialProfilePage

PAGE = 200
FOLLOW_EVERY_S = 2.0
"""Seconds between two looks at a sync whose doors are not all back."""


class Grants(Part):
    """The profiles are read when the part comes to the front, and after a change. ``names`` gives the display names of
    clusters by their ids."""

    kinds = frozenset({"profiles", "units", "burns"})

    def __init__(self, host: Host, view: GrantsView, names: Callable[[], Mapping[str, str]]) -> None:
        super().__init__(host)
        self.view: GrantsView = view
        self._names = names
        self._profiles: Growing[CredentialProfile] = Growing(self._ask, lambda row: row.profile_id, page=PAGE)
        self._syncing = False
        self._sync_id = ""
        """The sync that is shown."""
        view.chosen.connect(lambda _row: self._show_profile())

    def actions(self) -> Sequence[Action]:
        here, view = "readers", self.view
        return [
            Action(
                "readers.sync", tr("Sync the profile"), self._sync, "refresh-cw", ("Ctrl+Shift+Return",), here,
                when=lambda: view.profile is not None and not self._syncing, effect=Effect.CHANGE,
                hint=tr("Grants the profile at the cluster until its time, and tells of each door."),
                calls=("credentials_sync",),
            ),
            Action(
                "readers.more_profiles", tr("More profiles"), self._grow, "chevron-down", page=here,
                when=lambda: not self._profiles.complete,
            ),
            Action(
                "readers.delete_profile", tr("Delete the profile"), self._delete, "trash-2", page=here,
                when=lambda: view.profile is not None and self.host.shown(), effect=Effect.IRREVERSIBLE,
                calls=("registry_delete_credential_profile",),
            ),
        ]  # fmt: skip

    # --- reading -----------------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        """Nothing is read by itself."""

    def take_change(self, change: Change) -> None:
        if change.kinds & self.kinds and self.host.shown() and self.session.is_connected:
            self.load()

    def load(self) -> None:
        """Read the profiles that were loaded, at least the first page."""
        self.host.spawn(self._load(), name="profiles")

    async def _load(self) -> None:
        try:
            await self._profiles.read()
        except Superseded:
            return
        self._show_profiles()

    def _grow(self) -> None:
        if self._profiles.can_grow:
            self.host.spawn(self._read_more(), name="profiles")

    async def _read_more(self) -> None:
        if await self._profiles.grow():
            self._show_profiles()

    async def _ask(self, cursor: str | None, limit: int) -> CredentialProfilePage:
        return await self.session.client.registry_list_credential_profiles(query=ListQuery(limit=limit, cursor=cursor))

    def _show_profiles(self) -> None:
        self.view.show_profiles(list(self._profiles.rows.values()))
        self._show_profile()

    def _show_profile(self) -> None:
        self.view.show_profile(self.view.profile, self._names())
        self.view.show_sync_error("")
        self.session.actions.refresh()

    # --- syncing -----------------------------------------------------------------------------------------------------

    def _sync(self) -> None:
        """Grant the chosen profile at the chosen cluster, and show how far its doors are."""
        profile, cluster_id = self.view.profile, self.view.sync_cluster.currentData()
        if profile is None or cluster_id is None:
            return
        self.host.show()
        self._syncing = True
        self.view.show_sync_error("")
        self.view.show_sync(Meaning.WORK, tr("Running"), "", ())
        body = SyncBody(
            hardware_reader_cluster=cluster_id,
            credential_profile_token=profile.profile_id,
            reauth_ttl_seconds=int(self.view.sync_ttl.currentData()),
        )
        Operation(
            lambda client, key: client.credentials_sync(body, idempotency_key=key),
            title=tr("Sync {profile} to {cluster}", profile=profile.profile_id, cluster=cluster_id),
            changes=("grants", "nodes"),
            asks=True,
        ).success(self._begin_following).failure(self._show_refusal).run(self.session, self.view)

    def _begin_following(self, reply: SyncReply) -> None:
        self._syncing = False
        self._sync_id = reply.sync_id
        self._show_sync(reply)
        if any(reader.state == "pending_offline" for reader in reply.readers):
            self.host.spawn(self._follow(reply.sync_id), name="sync")

    def _show_refusal(self, failure: Failure) -> None:
        self._syncing = False
        self.view.show_sync(Meaning.BAD, tr("Refused"), "", ())
        self.view.show_sync_error(f"{failure.sentence} {failure.next_step}".strip())

    async def _follow(self, sync_id: str) -> None:
        """Doors that are offline take the grant when they are back: show it while the page is shown."""
        while self._sync_id == sync_id:
            await asyncio.sleep(FOLLOW_EVERY_S)
            reply = await self.session.client.credentials_get_sync(sync_id)
            if self._sync_id != sync_id:
                return
            self._show_sync(reply)
            if all(reader.state != "pending_offline" for reader in reply.readers):
                return

    def _show_sync(self, reply: SyncReply) -> None:
        state, words = sync_words(reply.readers)
        status = reply.biological_status
        detail = tr(
            "{node_id} · {standing} · epoch {epoch} · until {until}",
            node_id=reply.node_id,
            standing=standing_word(status.standing),
            epoch=reply.epoch,
            until=clock_time(parse_time(reply.not_after)),
        )
        self.view.show_sync(state, words, detail, reply.readers)

    # --- deleting ----------------------------------------------------------------------------------------------------

    def _delete(self) -> None:
        """Ask before the chosen profile is deleted."""
        profile = self.view.profile
        if profile is None:
            return
        Deletion(
            profile.profile_id,
            lambda client: client.registry_delete_credential_profile(profile.profile_id),
            ("profiles",),
            tr(
                "What it grants to {node_id} ends at {clusters}.",
                node_id=profile.node_id,
                clusters=", ".join(profile.clusters),
            ),
            tr("Delete the profile"),
        ).ask(self.session, self.view, self.host.show_failure)
