"""Grant access: the card's GUID at the doors of the ticked clusters, each cluster telling for itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.capabilities.credentials.messages import SyncBody, SyncReply
from app.capabilities.provisioning.messages import Provision
from app.console.actions import Action, Effect
from app.console.cards.words import BARRED
from app.console.door_clusters import read_clusters
from app.console.failures import Failure
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.write_card.outcome_view import GrantLine, grant_line
from app.console.pages.write_card.state import WriteCardState
from app.console.theme.tokens import Meaning
from app.registry.messages.nodes import Node
from app.registry.messages.profiles import CredentialBody, CredentialProfile, CredentialProfileBody

if TYPE_CHECKING:
    from app.client import Client


class CardAccess:
    """Grants of the provisionings that were shown here, one line a cluster."""

    def __init__(self, state: WriteCardState, initiator: object) -> None:
        self._state = state
        self._initiator = initiator
        self._lines: dict[str, dict[str, GrantLine]] = {}
        self._granting: set[str] = set()
        state.view.outcome.clusters_changed.connect(lambda: self._state.view.outcome.show_grant_error(""))

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        return [
            Action(
                "write_card.grant", tr("Grant access"), self._grant, "door-open", ("Ctrl+G",), "write_card",
                when=self._can_grant, effect=Effect.CHANGE,
                hint=tr("Gives the card's GUID to the doors of the ticked clusters."),
                calls=("registry_put_credential_profile", "credentials_sync"),
            ),
        ]  # fmt: skip

    async def load_clusters(self) -> None:
        """Offer the clusters of the site."""
        self._state.view.outcome.offer_clusters(await read_clusters(self._state.session.client))

    def lines_of(self, provision_id: str) -> dict[str, GrantLine]:
        """The lines as they are now, to be given to ``end_lines`` later."""
        return dict(self._lines.get(provision_id, {}))

    def end_lines(self, found: Provision, node: Node, before: dict[str, GrantLine]) -> None:
        """Show grants that the node no longer has as ended; ``before`` was taken before the node was read."""
        granted = {
            cluster_id
            for credential in node.credentials
            if credential.state == "granted" and credential.card_guid == found.card_guid
            for cluster_id in credential.clusters
        }
        lines = self._lines.get(found.provision_id, {})
        for cluster_id, line in before.items():
            # A line that came meanwhile is newer than what was just read.
            if lines.get(cluster_id) is line and line.state is Meaning.OK and cluster_id not in granted:
                lines[cluster_id] = GrantLine(Meaning.IDLE, tr("ended"))

    def show(self, shown: Provision) -> None:
        """The lines of this provisioning, if it is the one that is shown."""
        if self._state.shows(shown.provision_id):
            self._state.view.outcome.show_grants(self._lines.get(shown.provision_id, {}))

    def _can_grant(self) -> bool:
        shown = self._state.shown
        return (
            shown is not None
            and shown.state == "COMPLETE"
            and shown.standing not in BARRED
            and shown.provision_id not in self._granting
        )

    def _grant(self) -> None:
        """Grant the card at the ticked clusters."""
        shown, outcome = self._state.shown, self._state.view.outcome
        if shown is None or not shown.card_guid:
            return
        clusters = outcome.chosen_clusters
        if not clusters:
            outcome.show_grant_error(tr("Tick at least one cluster (Space)."))
            outcome.focus_clusters()
            return
        outcome.show_grant_error("")
        self._granting.add(shown.provision_id)
        lines = self._lines.setdefault(shown.provision_id, {})
        for cluster_id in clusters:
            lines[cluster_id] = GrantLine(Meaning.WORK, tr("running"))
        self.show(shown)
        self._state.session.tasks.spawn(self._grant_all(shown, clusters, outcome.ttl_s), name=f"grant {shown.node_id}")

    async def _grant_all(self, shown: Provision, clusters: Sequence[str], ttl_s: int) -> None:
        """The profile first, then every cluster at once; each cluster tells for itself."""
        problem: list[Failure] = []
        try:
            profile = await (
                Operation(
                    lambda client, _key: put_badge(client, shown, clusters),
                    title=tr("Profile of {person}", person=shown.display_name or shown.node_id),
                    changes=("profiles", "nodes"),
                    asks=True,
                )
                .success(lambda _profile: None)
                .failure(problem.append)
                .run(self._state.session, self._initiator)
            )
            if profile is None:
                sentence = problem[0].sentence if problem else tr("The profile was not saved.")
                for cluster_id in clusters:
                    self._lines[shown.provision_id].pop(cluster_id, None)
                if self._state.shows(shown.provision_id):
                    self._state.view.outcome.show_grant_error(sentence)
                return
            await asyncio.gather(
                *(self._grant_one(shown, profile.profile_id, cluster_id, ttl_s) for cluster_id in clusters)
            )
        finally:
            self._granting.discard(shown.provision_id)
            self.show(shown)
            self._state.session.actions.refresh()

    async def _grant_one(self, shown: Provision, profile_id: str, cluster_id: str, ttl_s: int) -> None:
        """Grant at one cluster, and follow the doors that wait for it."""
        session = self._state.session
        body = SyncBody(
            hardware_reader_cluster=cluster_id, credential_profile_token=profile_id, reauth_ttl_seconds=ttl_s
        )
        problem: list[Failure] = []

        def take(reply: SyncReply) -> None:
            self._lines[shown.provision_id][cluster_id] = grant_line(reply)
            self.show(shown)

        reply = await (
            Operation(
                lambda client, key: client.credentials_sync(body, idempotency_key=key),
                title=tr("Grant at {cluster}", cluster=cluster_id),
                changes=("grants", "nodes"),
                asks=True,
            )
            .success(take)
            .failure(problem.append)
            .run(session, self._initiator)
        )
        if reply is None:
            sentence = problem[0].sentence if problem else tr("not known")
            self._lines[shown.provision_id][cluster_id] = GrantLine(Meaning.BAD, sentence)
            self.show(shown)
            return
        # Doors that are offline get it when they are back: asked again while somebody may look at it.
        for _ in range(30):
            if all(reader.state in ("applied", "unsupported") for reader in reply.readers):
                return
            await asyncio.sleep(2.0)
            if not session.is_connected:
                return
            reply = await session.client.credentials_get_sync(reply.sync_id)
            take(reply)


async def put_badge(client: Client, written: Provision, clusters: Sequence[str]) -> CredentialProfile:
    """The profile of the card: its GUID at these clusters, beside those that it already opens.

    A person's first card is ``badge-<node>``; another card of theirs has its own profile, so that no credential of the
    first is taken away unasked.
    """
    from app.client import ApiError

    name = f"badge-{written.node_id}"[:55]
    kept: Sequence[str] = ()
    before: CredentialProfile | None = None
    for candidate in (name, f"{name}-{(written.card_guid or '')[:8]}"):
        name = candidate
        try:
            before = await client.registry_get_credential_profile(candidate)
        except ApiError as error:
            if error.code != "not_found":
                raise
            before = None
            break
        mine = [part.card_guid for part in before.credentials] == [written.card_guid]
        if mine and before.node_id == written.node_id:
            kept = before.clusters
            break
    body = CredentialProfileBody(
        node_id=written.node_id,
        credentials=[CredentialBody(format="piv-guid", card_guid=written.card_guid)],
        clusters=[*kept, *(cluster_id for cluster_id in clusters if cluster_id not in kept)],
        schedule=before.schedule if before is not None and kept else None,
        tags=before.tags if before is not None and kept else [],
    )
    return await client.registry_put_credential_profile(name, body)
