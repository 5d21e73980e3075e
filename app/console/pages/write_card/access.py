"""Grant access: the card's GUID at the doors of the ticked clusters, each cluster telling for itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.capabilities.credentials.messages import SyncBody, SyncReply
from app.capabilities.provisioning.messages import Provision
from app.console.actions import Action, Effect
from app.console.cards.jobs import OPEN, CardJob
from app.console.cards.words import BARRED
from app.console.door_clusters import read_clusters
from app.console.failures import Failure
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.write_card.state import WriteCardState
from app.console.pages.write_card.then_view import GrantLine, grant_line, grants_line
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
        self._names: dict[str, str] = {}
        state.view.then.clusters_changed.connect(self._take_choice)

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
        clusters = await read_clusters(self._state.session.client)
        self._names = {cluster.cluster_id: cluster.display_name for cluster in clusters}
        self._state.view.then.offer_clusters(clusters)

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

    def show(self) -> None:
        """What the steps after the write can do now, and how far the doors are."""
        state, then = self._state, self._state.view.then
        subject, job = state.subject, state.job
        barred = None if subject is None else BARRED.get(subject.standing)
        then.show_barred("" if subject is None else subject.display_name or subject.node_id, barred)
        finished = subject is not None and subject.state == "COMPLETE"
        if subject is not None:
            then.show_whose(tr("for {person}", person=subject.display_name or subject.node_id))
        else:
            barred_person = state.node is not None and state.node.standing in BARRED
            then.show_whose("" if barred_person else tr("opens when written"))
        lines = {} if subject is None else self._lines.get(subject.provision_id, {})
        then.show_grants(lines)
        count = len(then.chosen_clusters)
        chosen = GrantLine(Meaning.IDLE, tr("{count} chosen", count=count)) if count else None
        if finished:
            then.doors.tell(True, "", chosen if count and not lines else grants_line(lines))
        elif subject is None and job is not None and job.phase in OPEN:
            then.doors.tell(True, tr("Choose while it writes; they open when it is proven."), chosen)
        elif state.node is None:
            then.doors.tell(False, tr("Choose the person first."), chosen)
        elif state.node.standing in BARRED:
            then.doors.tell(False, tr("No card is written for them."), None)
        else:
            then.doors.tell(True, tr("Choose now or while it writes; they open when it is proven."), chosen)
        then.door.tell(finished, tr("Present the card at a door and see its answer with the time."), None)
        state.view.show_access(self._access())

    def _access(self) -> dict[str, str]:
        """The clusters that were granted here, by provisioning."""
        told = {}
        for provision_id, lines in self._lines.items():
            names = [self._names.get(one, one) for one, line in lines.items() if line.state is not Meaning.IDLE]
            if names:
                told[provision_id] = ", ".join(names)
        return told

    def _take_choice(self) -> None:
        """Clusters were ticked: the write under way in the chosen reader will grant them."""
        self._state.view.then.show_grant_error("")
        job = self._state.job
        if job is not None and job.phase in OPEN and job.ours and self._state.subject is None:
            self.choose_for(job)
        self.show()

    def choose_for(self, job: CardJob) -> None:
        """Keep for a write what is ticked."""
        then = self._state.view.then
        job.doors, job.doors_s = tuple(then.chosen_clusters), then.ttl_s

    def grant_chosen(self, job: CardJob, written: Provision) -> bool:
        """Open the doors that were chosen while it was written, now that it is proven. Returns whether there were
        any."""
        doors, job.doors = job.doors, ()
        refused = self._state.session.actions.refusal("write_card.grant")
        proven = written.state == "COMPLETE" and written.verification is not None and bool(written.card_guid)
        if not doors or not proven or refused or written.standing in BARRED:
            return False
        self._begin(written, doors, job.doors_s)
        return True

    def _can_grant(self) -> bool:
        shown = self._state.subject
        return (
            shown is not None
            and shown.state == "COMPLETE"
            and shown.standing not in BARRED
            and shown.provision_id not in self._granting
        )

    def _grant(self) -> None:
        """Grant the card at the ticked clusters."""
        shown, then = self._state.subject, self._state.view.then
        if shown is None or not shown.card_guid:
            return
        clusters = then.chosen_clusters
        if not clusters:
            then.show_grant_error(tr("Tick at least one cluster (Space)."))
            then.focus_clusters()
            return
        self._begin(shown, clusters, then.ttl_s)

    def _begin(self, shown: Provision, clusters: Sequence[str], ttl_s: int) -> None:
        """Grant this card at these clusters; what was ticked for it is not ticked for the next."""
        if self._state.shows(shown.provision_id):
            self._state.view.then.tick(())
            self._state.view.then.show_grant_error("")
        self._granting.add(shown.provision_id)
        lines = self._lines.setdefault(shown.provision_id, {})
        for cluster_id in clusters:
            lines[cluster_id] = GrantLine(Meaning.WORK, tr("running"))
        self.show()
        self._state.session.tasks.spawn(self._grant_all(shown, clusters, ttl_s), name=f"grant {shown.node_id}")

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
                    self._state.view.then.tick(clusters)
                    self._state.view.then.show_grant_error(sentence)
                return
            await asyncio.gather(
                *(self._grant_one(shown, profile.profile_id, cluster_id, ttl_s) for cluster_id in clusters)
            )
        finally:
            self._granting.discard(shown.provision_id)
            self.show()
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
            self.show()

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
            self.show()
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
