"""Calls of the API, one method for each row of the operation table.

Generated: change the rows, then run ``python -m app.api.client_writer``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import msgspec

from app.api.health_messages import Alive, Ready
from app.api.keys_messages import CreateKey, KeyMade, KeyPage, KeyQuery, KeyRotated, RotateKey
from app.api.roles import ADMIN, ANY_ROLE, AUDITOR, BADGE, DESK, MANAGER, Roles
from app.api.wire import ListQuery, NoBody
from app.approvals.messages import Approval, ApprovalBody, ApprovalListQuery, ApprovalPage
from app.biometrics.messages import (
    BundleTaken,
    BundleTakenBody,
    EnrolledTemplates,
    ErasedTemplates,
    RenewedTemplateRegistry,
    TemplateRegistry,
    TemplateRegistryBody,
    TemplateRegistryPage,
    TemplateSamples,
)
from app.capabilities.burn.messages import (
    Burn,
    BurnBody,
    BurnListQuery,
    BurnPage,
    BurnSpeedQuery,
    BurnSpeedReport,
    CloseBody,
    Containment,
    ContainmentBody,
    ContainmentListQuery,
    ContainmentPage,
    LiftBody,
    MassBurn,
    MassBurnBody,
    PartQuery,
    Preview,
    PreviewBody,
)
from app.capabilities.credentials.messages import (
    DoorDecisionPage,
    DoorDecisionQuery,
    NodeAccess,
    PresentBody,
    PresentReply,
    ReaderPlugBody,
    ReaderPlugReply,
    SyncBody,
    SyncReply,
)
from app.capabilities.enforcement.messages import (
    JurisdictionList,
    NoticePage,
    NoticeQuery,
    Strike,
    StrikeBody,
    StrikeDetails,
    StrikePage,
    StrikePreview,
    StrikeQuery,
    WithdrawStrike,
)
from app.capabilities.gateway.actions.messages import ActionDecision, AuthorizeBody, PermitBody, PermitReply
from app.capabilities.gateway.audit.erasures.messages import ErasureBody, ErasureReply
from app.capabilities.gateway.audit.logs.messages import LogKeys, LogWitnesses
from app.capabilities.gateway.audit.messages import AuditPage, AuditProofs, AuditQuery, EvidenceEntries
from app.capabilities.gateway.telemetry.messages import TelemetryQuery
from app.capabilities.infrastructure.messages import FrameList, NodesQuery, StatusQuery, StatusRecord
from app.capabilities.keystone.messages import QrRotateBody, QrSession, QrVerdict, QrVerifyBody
from app.capabilities.lifecycle.messages import (
    Challenge,
    HrCall,
    HrCloseBody,
    HrCloseReply,
    HrEventPage,
    HrEventQuery,
    HrReply,
    Roster,
    RosterBody,
)
from app.capabilities.media.messages import (
    HeatmapQuery,
    MediaCalibration,
    RadarBody,
    Scan,
    ScanDeleted,
    ScanListQuery,
    ScanPage,
    StopQuery,
    UploadQuery,
)
from app.capabilities.palm.messages import PalmVerdict, PalmVerifyBody
from app.capabilities.provenance.messages import KnotListQuery, KnotPage, KnotSeal, KnotSealBody, WithdrawBody
from app.capabilities.provisioning.batches.messages import Batch, BatchBody, BatchListQuery, BatchPage
from app.capabilities.provisioning.messages import (
    CardList,
    CardListQuery,
    PinReset,
    PinResetBody,
    Provision,
    ProvisionBody,
    ProvisionListQuery,
    ProvisionPage,
    Receipt,
    ReceiptListQuery,
    RevokeCardBody,
    RevokedCard,
    Trace,
)
from app.capabilities.provisioning.stock.messages import (
    CardMakerItem,
    CardMakerList,
    Element,
    ElementBody,
    ElementListQuery,
    ElementPage,
    ImportBody,
    ImportReply,
    PinMakerBody,
)
from app.capabilities.stylized.messages import StylizedBody, StylizedMatch
from app.capabilities.voice.messages import (
    EnrolledVoice,
    ErasedVoice,
    SpectralCheck,
    SpectralCheckBody,
    VoiceCalibration,
    VoiceSamples,
)
from app.delivery.messages import (
    Alarm,
    AlarmList,
    Delivery,
    DeliveryPage,
    DeliveryQuery,
    PublicJwkSet,
    RecordOutcome,
    TakeAlarm,
)
from app.operators.messages import (
    CardChallenge,
    CardChallengeBody,
    CardSignIn,
    OpenIdBegin,
    OpenIdBegun,
    OpenIdFinish,
    Operator,
    OperatorBody,
    OperatorPage,
    OwnPassphraseBody,
    PassphraseBody,
    PassphraseSet,
    PassphraseSignIn,
    SessionEnded,
    SessionList,
    SignedIn,
    WhoAmI,
)
from app.registry.messages.clusters import (
    EnrolBody,
    EnrolReply,
    ReaderCluster,
    ReaderClusterBody,
    ReaderClusterPage,
    RotateKeysBody,
    RotateKeysReply,
)
from app.registry.messages.directories import Directory, DirectoryBody, DirectoryPage, ProbeQuery
from app.registry.messages.hr_sources import HrSource, HrSourceBody, HrSourcePage
from app.registry.messages.media_sources import MediaSource, MediaSourceBody, MediaSourcePage
from app.registry.messages.nodes import Node, NodeBody, NodePage
from app.registry.messages.peers import Peer, PeerBody, PeerPage
from app.registry.messages.platforms import NoticePlatform, NoticePlatformPage, PlatformBody
from app.registry.messages.profiles import CredentialProfile, CredentialProfileBody, CredentialProfilePage
from app.registry.messages.shared import Deleted
from app.registry.messages.terminals import Terminal, TerminalBody, TerminalPage
from app.registry.messages.units import Unit, UnitBody, UnitPage
from app.training.messages import TrainingCardBody, TrainingCardReply, TrainingEnrolBody, TrainingPalmBody

if TYPE_CHECKING:
    from app.client.events import ServerEvent


class Calls(ABC):
    """What a client can call; ``app.client.Client`` carries the requests."""

    @abstractmethod
    async def _call(
        self,
        method: str,
        path: str,
        reply: Any,
        *,
        body: msgspec.Struct | None = None,
        content: bytes | None = None,
        content_type: str = "application/json",
        query: msgspec.Struct | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Any:
        """One request and its decoded reply."""

    @abstractmethod
    def _events(
        self,
        path: str,
        *,
        query: msgspec.Struct | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> AsyncIterator[ServerEvent]:
        """One stream of events."""

    async def approvals_approve(
        self, approval_id: str, body: NoBody | None = None, *, idempotency_key: str | None = None
    ) -> Approval:
        """Agrees, by a person older than the request, whose line does not meet that of the one who asked. POST
        ``/v1/citadel/uac/approvals/{approval_id}/approve``."""
        found: Approval = await self._call(
            "POST",
            f"/v1/citadel/uac/approvals/{quote(approval_id, safe='')}/approve",
            Approval,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def approvals_get(self, approval_id: str) -> Approval:
        """One approval. GET ``/v1/citadel/uac/approvals/{approval_id}``."""
        found: Approval = await self._call("GET", f"/v1/citadel/uac/approvals/{quote(approval_id, safe='')}", Approval)
        return found

    async def approvals_list(self, *, query: ApprovalListQuery | None = None) -> ApprovalPage:
        """Approvals, newest first. GET ``/v1/citadel/uac/approvals``."""
        found: ApprovalPage = await self._call("GET", "/v1/citadel/uac/approvals", ApprovalPage, query=query)
        return found

    async def approvals_reject(
        self, approval_id: str, body: NoBody | None = None, *, idempotency_key: str | None = None
    ) -> Approval:
        """Refuses a request, or takes an approval back that is not used yet; by another person. POST
        ``/v1/citadel/uac/approvals/{approval_id}/reject``."""
        found: Approval = await self._call(
            "POST",
            f"/v1/citadel/uac/approvals/{quote(approval_id, safe='')}/reject",
            Approval,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def approvals_request(self, body: ApprovalBody, *, idempotency_key: str | None = None) -> Approval:
        """Asks a second person to agree (201); what is asked for already is the same approval (200). POST
        ``/v1/citadel/uac/approvals``."""
        found: Approval = await self._call(
            "POST", "/v1/citadel/uac/approvals", Approval, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def batches_cancel(
        self, batch_id: str, body: NoBody | None = None, *, idempotency_key: str | None = None
    ) -> Batch:
        """Ends a batch: what was not begun never is; cards in work are finished. POST
        ``/v1/hardware/se/batches/{batch_id}/cancel``."""
        found: Batch = await self._call(
            "POST",
            f"/v1/hardware/se/batches/{quote(batch_id, safe='')}/cancel",
            Batch,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def batches_get(self, batch_id: str) -> Batch:
        """One batch with its lines, its pace and what is left. GET ``/v1/hardware/se/batches/{batch_id}``."""
        found: Batch = await self._call("GET", f"/v1/hardware/se/batches/{quote(batch_id, safe='')}", Batch)
        return found

    async def batches_list(self, *, query: BatchListQuery | None = None) -> BatchPage:
        """Batches, newest first, without their lines. GET ``/v1/hardware/se/batches``."""
        found: BatchPage = await self._call("GET", "/v1/hardware/se/batches", BatchPage, query=query)
        return found

    async def batches_make(self, body: BatchBody, *, idempotency_key: str | None = None) -> Batch:
        """Starts a batch: each blank card that is put into one of its readers takes the next line. POST
        ``/v1/hardware/se/batches``."""
        found: Batch = await self._call(
            "POST", "/v1/hardware/se/batches", Batch, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def batches_pause(
        self, batch_id: str, body: NoBody | None = None, *, idempotency_key: str | None = None
    ) -> Batch:
        """Gives no more lines to cards; those in work are finished. POST
        ``/v1/hardware/se/batches/{batch_id}/pause``."""
        found: Batch = await self._call(
            "POST",
            f"/v1/hardware/se/batches/{quote(batch_id, safe='')}/pause",
            Batch,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def batches_resume(
        self, batch_id: str, body: NoBody | None = None, *, idempotency_key: str | None = None
    ) -> Batch:
        """Goes on with a paused batch. POST ``/v1/hardware/se/batches/{batch_id}/resume``."""
        found: Batch = await self._call(
            "POST",
            f"/v1/hardware/se/batches/{quote(batch_id, safe='')}/resume",
            Batch,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def burn_close_target(
        self, burn_id: str, target_id: str, body: CloseBody, *, idempotency_key: str | None = None
    ) -> Burn:
        """A person gives a target without proof up, with a reason. POST
        ``/v1/citadel/uac/burn/{burn_id}/targets/{target_id}/close``."""
        found: Burn = await self._call(
            "POST",
            f"/v1/citadel/uac/burn/{quote(burn_id, safe='')}/targets/{quote(target_id, safe='')}/close",
            Burn,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def burn_execute(
        self, body: BurnBody, *, prefer: str | None = None, idempotency_key: str | None = None
    ) -> Burn:
        """Ends all access of a node at once; 202 while a target lacks proof. Idempotent by node and scope. POST
        ``/v1/citadel/uac/burn``."""
        found: Burn = await self._call(
            "POST",
            "/v1/citadel/uac/burn",
            Burn,
            body=body,
            headers={"Prefer": prefer, "Idempotency-Key": idempotency_key},
        )
        return found

    async def burn_get(self, burn_id: str) -> Burn:
        """A burn with all its targets. GET ``/v1/citadel/uac/burn/{burn_id}``."""
        found: Burn = await self._call("GET", f"/v1/citadel/uac/burn/{quote(burn_id, safe='')}", Burn)
        return found

    async def burn_lift(self, burn_id: str, body: LiftBody, *, idempotency_key: str | None = None) -> Burn:
        """Takes a burn back by an approval of another Citadel key; what the node held stays denied for ever. POST
        ``/v1/citadel/uac/burn/{burn_id}/lift``."""
        found: Burn = await self._call(
            "POST",
            f"/v1/citadel/uac/burn/{quote(burn_id, safe='')}/lift",
            Burn,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def burn_list(self, *, query: BurnListQuery | None = None) -> BurnPage:
        """Burns, newest first, each with its targets without proof. GET ``/v1/citadel/uac/burn``."""
        found: BurnPage = await self._call("GET", "/v1/citadel/uac/burn", BurnPage, query=query)
        return found

    async def burn_preview(self, body: PreviewBody, *, idempotency_key: str | None = None) -> Preview:
        """The blast radius of a burn; writes nothing. POST ``/v1/citadel/uac/burn/preview``."""
        found: Preview = await self._call(
            "POST", "/v1/citadel/uac/burn/preview", Preview, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def burn_retry_target(self, burn_id: str, target_id: str, *, idempotency_key: str | None = None) -> Burn:
        """Tries one target without proof now. POST ``/v1/citadel/uac/burn/{burn_id}/targets/{target_id}/retry``."""
        found: Burn = await self._call(
            "POST",
            f"/v1/citadel/uac/burn/{quote(burn_id, safe='')}/targets/{quote(target_id, safe='')}/retry",
            Burn,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def burn_speed(self, *, query: BurnSpeedQuery | None = None) -> BurnSpeedReport:
        """How soon burns were proven in a range of time: by system, to the last door, and the worst five. GET
        ``/v1/citadel/uac/burn/speed``."""
        found: BurnSpeedReport = await self._call("GET", "/v1/citadel/uac/burn/speed", BurnSpeedReport, query=query)
        return found

    async def containments_contain(self, body: ContainmentBody, *, idempotency_key: str | None = None) -> Containment:
        """Denies a node at this site for a time (201); one that is contained already is so for longer (200). POST
        ``/v1/citadel/uac/containments``."""
        found: Containment = await self._call(
            "POST", "/v1/citadel/uac/containments", Containment, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def containments_get(self, containment_id: str) -> Containment:
        """A containment, also one that is over. GET ``/v1/citadel/uac/containments/{containment_id}``."""
        found: Containment = await self._call(
            "GET", f"/v1/citadel/uac/containments/{quote(containment_id, safe='')}", Containment
        )
        return found

    async def containments_list(self, *, query: ContainmentListQuery | None = None) -> ContainmentPage:
        """Containments, newest first: contained and queued ones, or those of one state. GET
        ``/v1/citadel/uac/containments``."""
        found: ContainmentPage = await self._call("GET", "/v1/citadel/uac/containments", ContainmentPage, query=query)
        return found

    async def containments_release(self, containment_id: str) -> Containment:
        """Ends a containment now; a door opens again when no other cause denies the node. DELETE
        ``/v1/citadel/uac/containments/{containment_id}``."""
        found: Containment = await self._call(
            "DELETE", f"/v1/citadel/uac/containments/{quote(containment_id, safe='')}", Containment
        )
        return found

    async def credentials_access(self, id: str) -> NodeAccess:
        """Which doors would open for a node now, and until when. GET ``/v1/registry/nodes/{id}/access``."""
        found: NodeAccess = await self._call("GET", f"/v1/registry/nodes/{quote(id, safe='')}/access", NodeAccess)
        return found

    async def credentials_get_sync(self, sync_id: str) -> SyncReply:
        """A sync and where each reader stands. GET ``/v1/uac/credential/sync/{sync_id}``."""
        found: SyncReply = await self._call("GET", f"/v1/uac/credential/sync/{quote(sync_id, safe='')}", SyncReply)
        return found

    async def credentials_plug_reader(
        self, body: ReaderPlugBody, *, idempotency_key: str | None = None
    ) -> ReaderPlugReply:
        """Pulls a simulated reader's line, or puts it back. POST ``/v1/training/readers``."""
        found: ReaderPlugReply = await self._call(
            "POST", "/v1/training/readers", ReaderPlugReply, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def credentials_present(self, body: PresentBody, *, idempotency_key: str | None = None) -> PresentReply:
        """Holds a node's badge to a simulated reader; the door decides as any door does. POST
        ``/v1/training/present``."""
        found: PresentReply = await self._call(
            "POST", "/v1/training/present", PresentReply, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def credentials_sync(self, body: SyncBody, *, idempotency_key: str | None = None) -> SyncReply:
        """Grants a profile at a cluster until its time; 202 while a reader is still to be reached. POST
        ``/v1/uac/credential/sync``."""
        found: SyncReply = await self._call(
            "POST", "/v1/uac/credential/sync", SyncReply, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def deliveries_get(self, delivery_id: str) -> Delivery:
        """One delivery: its attempts, and why it has not arrived. GET ``/v1/deliveries/{delivery_id}``."""
        found: Delivery = await self._call("GET", f"/v1/deliveries/{quote(delivery_id, safe='')}", Delivery)
        return found

    async def deliveries_keys(self) -> PublicJwkSet:
        """The public keys of what this site signs for others, a JWK set. GET ``/v1/deliveries/keys``."""
        found: PublicJwkSet = await self._call("GET", "/v1/deliveries/keys", PublicJwkSet)
        return found

    async def deliveries_list(self, *, query: DeliveryQuery | None = None) -> DeliveryPage:
        """Callbacks and notices, newest first; by state, channel, platform, scan, strike, type. GET
        ``/v1/deliveries``."""
        found: DeliveryPage = await self._call("GET", "/v1/deliveries", DeliveryPage, query=query)
        return found

    async def deliveries_record_outcome(
        self, delivery_id: str, body: RecordOutcome, *, idempotency_key: str | None = None
    ) -> Delivery:
        """Records by hand what became of a callback that has not arrived, or what a platform did with a notice.
        POST ``/v1/deliveries/{delivery_id}/outcome``."""
        found: Delivery = await self._call(
            "POST",
            f"/v1/deliveries/{quote(delivery_id, safe='')}/outcome",
            Delivery,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def deliveries_send(
        self, delivery_id: str, body: NoBody | None = None, *, idempotency_key: str | None = None
    ) -> Delivery:
        """Sends again what did not arrive, under its id; releases a held notice. What arrived stays so. POST
        ``/v1/deliveries/{delivery_id}/send``."""
        found: Delivery = await self._call(
            "POST",
            f"/v1/deliveries/{quote(delivery_id, safe='')}/send",
            Delivery,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def door_decisions_list(self, *, query: DoorDecisionQuery | None = None) -> DoorDecisionPage:
        """What doors and terminals decided, newest first; of a node or of a reader. GET
        ``/v1/citadel/uac/door-decisions``."""
        found: DoorDecisionPage = await self._call(
            "GET", "/v1/citadel/uac/door-decisions", DoorDecisionPage, query=query
        )
        return found

    async def drawer_move_card(
        self, body: TrainingCardBody, *, idempotency_key: str | None = None
    ) -> TrainingCardReply:
        """Puts a simulated card into a simulated reader, or pulls it out. POST ``/v1/training/cards``."""
        found: TrainingCardReply = await self._call(
            "POST", "/v1/training/cards", TrainingCardReply, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def enforcement_bundle(self, tracking_token: str) -> bytes:
        """A strike as a signed bundle that anybody can verify offline. GET
        ``/v1/citadel/action/strike/{tracking_token}/bundle``."""
        found: bytes = await self._call(
            "GET", f"/v1/citadel/action/strike/{quote(tracking_token, safe='')}/bundle", bytes
        )
        return found

    async def enforcement_declaration(self, tracking_token: str) -> bytes:
        """The signed declaration (PAdES B-T). GET ``/v1/citadel/action/strike/{tracking_token}/declaration.pdf``."""
        found: bytes = await self._call(
            "GET", f"/v1/citadel/action/strike/{quote(tracking_token, safe='')}/declaration.pdf", bytes
        )
        return found

    async def enforcement_get(self, tracking_token: str) -> Strike:
        """A strike by its tracking token, with each notice and its history. GET
        ``/v1/citadel/action/strike/{tracking_token}``."""
        found: Strike = await self._call("GET", f"/v1/citadel/action/strike/{quote(tracking_token, safe='')}", Strike)
        return found

    async def enforcement_jurisdictions(self) -> JurisdictionList:
        """The law files: what each asks, its clock, its date, who signed it off; and what is no law. GET
        ``/v1/citadel/action/jurisdictions``."""
        found: JurisdictionList = await self._call("GET", "/v1/citadel/action/jurisdictions", JurisdictionList)
        return found

    async def enforcement_list(self, *, query: StrikeQuery | None = None) -> StrikePage:
        """Strikes, newest first; by node or by jurisdiction. GET ``/v1/citadel/action/strike``."""
        found: StrikePage = await self._call("GET", "/v1/citadel/action/strike", StrikePage, query=query)
        return found

    async def enforcement_notices(self, *, query: NoticeQuery | None = None) -> NoticePage:
        """Notices of all strikes, the most urgent first. GET ``/v1/citadel/action/notices``."""
        found: NoticePage = await self._call("GET", "/v1/citadel/action/notices", NoticePage, query=query)
        return found

    async def enforcement_preview(self, body: StrikeBody, *, idempotency_key: str | None = None) -> StrikePreview:
        """What a strike would be: texts, what is missing, the declaration as a draft. Nothing is written. POST
        ``/v1/citadel/action/strike/preview``."""
        found: StrikePreview = await self._call(
            "POST",
            "/v1/citadel/action/strike/preview",
            StrikePreview,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def enforcement_strike(self, body: StrikeBody, *, idempotency_key: str | None = None) -> Strike:
        """Issues a signed declaration with its notices; three fields suffice, and nothing incomplete leaves. POST
        ``/v1/citadel/action/strike``."""
        found: Strike = await self._call(
            "POST", "/v1/citadel/action/strike", Strike, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def enforcement_supply(self, tracking_token: str, body: StrikeDetails) -> Strike:
        """Supplies details while notices are held for want of them; what may leave then, leaves. PATCH
        ``/v1/citadel/action/strike/{tracking_token}``."""
        found: Strike = await self._call(
            "PATCH", f"/v1/citadel/action/strike/{quote(tracking_token, safe='')}", Strike, body=body
        )
        return found

    async def enforcement_withdraw(
        self, tracking_token: str, body: WithdrawStrike, *, idempotency_key: str | None = None
    ) -> Strike:
        """Takes a strike back: what has not left never leaves. POST
        ``/v1/citadel/action/strike/{tracking_token}/withdraw``."""
        found: Strike = await self._call(
            "POST",
            f"/v1/citadel/action/strike/{quote(tracking_token, safe='')}/withdraw",
            Strike,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def erasures_erase(self, body: ErasureBody, *, idempotency_key: str | None = None) -> ErasureReply:
        """Erases what the logs say of a node, for ever, by an approval of another Citadel key; the leaves stay and
        prove. Backups keep it. POST ``/v1/citadel/erasures``."""
        found: ErasureReply = await self._call(
            "POST", "/v1/citadel/erasures", ErasureReply, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def gateway_acknowledge_alarm(self, alarm_id: str) -> Alarm:
        """Closes an alarm of what has happened (a copied palm, a replayed code); others close with their fact.
        DELETE ``/v1/citadel/alarms/{alarm_id}``."""
        found: Alarm = await self._call("DELETE", f"/v1/citadel/alarms/{quote(alarm_id, safe='')}", Alarm)
        return found

    async def gateway_alarms(self) -> AlarmList:
        """The open alarms. GET ``/v1/alarms``."""
        found: AlarmList = await self._call("GET", "/v1/alarms", AlarmList)
        return found

    async def gateway_audit_evidence(self, body: EvidenceEntries, *, idempotency_key: str | None = None) -> bytes:
        """Chosen entries of the audit log as a signed bundle that anybody can verify offline. POST
        ``/v1/audit-log-query/evidence``."""
        found: bytes = await self._call(
            "POST", "/v1/audit-log-query/evidence", bytes, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def gateway_audit_log_query(
        self, body: AuditQuery, *, query: AuditProofs | None = None, idempotency_key: str | None = None
    ) -> AuditPage:
        """One page of the audit log by time and criteria, with the checkpoint it is of. POST
        ``/v1/audit-log-query``."""
        found: AuditPage = await self._call(
            "POST",
            "/v1/audit-log-query",
            AuditPage,
            body=body,
            query=query,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def gateway_take_alarm(
        self, alarm_id: str, body: TakeAlarm | None = None, *, idempotency_key: str | None = None
    ) -> Alarm:
        """The calling key owns the alarm from now on, in place of an earlier owner; list and event say so. POST
        ``/v1/citadel/alarms/{alarm_id}/take``."""
        found: Alarm = await self._call(
            "POST",
            f"/v1/citadel/alarms/{quote(alarm_id, safe='')}/take",
            Alarm,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    def gateway_telemetry_stream(
        self, *, query: TelemetryQuery, arc_enclave_sig: str | None = None, last_event_id: str | None = None
    ) -> AsyncIterator[ServerEvent]:
        """Live events as server-sent events, for a unit that proves its key. GET ``/v1/telemetry-stream``."""
        return self._events(
            "/v1/telemetry-stream",
            query=query,
            headers={"Arc-Enclave-Sig": arc_enclave_sig, "Last-Event-ID": last_event_id},
        )

    async def health_alive(self) -> Alive:
        """Whether the process answers. GET ``/healthz``."""
        found: Alive = await self._call("GET", "/healthz", Alive)
        return found

    async def health_metrics(self) -> bytes:
        """Counts and gauges as OpenMetrics text. GET ``/metrics``."""
        found: bytes = await self._call("GET", "/metrics", bytes)
        return found

    async def health_openapi(self) -> bytes:
        """This interface as an OpenAPI 3.1 document. GET ``/v1/openapi.json``."""
        found: bytes = await self._call("GET", "/v1/openapi.json", bytes)
        return found

    async def health_ready(self) -> Ready:
        """Whether everything that the service needs works, and which site it is, signed. GET ``/readyz``."""
        found: Ready = await self._call("GET", "/readyz", Ready)
        return found

    async def infrastructure_nodes(self, *, query: NodesQuery | None = None) -> FrameList:
        """All server frames with their handshake percentiles over time. GET ``/v1/infrastructure/nodes``."""
        found: FrameList = await self._call("GET", "/v1/infrastructure/nodes", FrameList, query=query)
        return found

    async def infrastructure_status(self, *, query: StatusQuery | None = None) -> StatusRecord:
        """Status of one server frame, or of this node. GET ``/v1/infrastructure/status``."""
        found: StatusRecord = await self._call("GET", "/v1/infrastructure/status", StatusRecord, query=query)
        return found

    async def keys_create(self, body: CreateKey, *, idempotency_key: str | None = None) -> KeyMade:
        """Make an API key; its secrets are shown this once. POST ``/v1/keys``."""
        found: KeyMade = await self._call(
            "POST", "/v1/keys", KeyMade, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def keys_list(self, *, query: KeyQuery | None = None) -> KeyPage:
        """API keys, newest first; never their secrets. GET ``/v1/keys``."""
        found: KeyPage = await self._call("GET", "/v1/keys", KeyPage, query=query)
        return found

    async def keys_revoke(self, kid: str) -> None:
        """End a key at once. DELETE ``/v1/keys/{kid}``."""
        await self._call("DELETE", f"/v1/keys/{quote(kid, safe='')}", None)

    async def keys_rotate(
        self, kid: str, body: RotateKey | None = None, *, idempotency_key: str | None = None
    ) -> KeyRotated:
        """Give a key a new secret; the old one opens for a while more. POST ``/v1/keys/{kid}/rotate``."""
        found: KeyRotated = await self._call(
            "POST",
            f"/v1/keys/{quote(kid, safe='')}/rotate",
            KeyRotated,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def keystone_rotate(
        self, body: QrRotateBody | None = None, *, idempotency_key: str | None = None
    ) -> QrSession:
        """Opens or renews a session of rotating codes; its secret is shown this once. POST
        ``/v1/hardware/keystone/qr-rotate``."""
        found: QrSession = await self._call(
            "POST",
            "/v1/hardware/keystone/qr-rotate",
            QrSession,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def keystone_verify(self, body: QrVerifyBody, *, idempotency_key: str | None = None) -> QrVerdict:
        """Accepts the code that a terminal shows now, once. POST ``/v1/hardware/keystone/qr-verify``."""
        found: QrVerdict = await self._call(
            "POST",
            "/v1/hardware/keystone/qr-verify",
            QrVerdict,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def lifecycle_close_events(self, body: HrCloseBody, *, idempotency_key: str | None = None) -> HrCloseReply:
        """A person has decided what discharges that waited come to; their alarms end. POST
        ``/v1/citadel/lifecycle/events/close``."""
        found: HrCloseReply = await self._call(
            "POST",
            "/v1/citadel/lifecycle/events/close",
            HrCloseReply,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def lifecycle_hr_sync(
        self,
        body: HrCall,
        *,
        webhook_id: str | None = None,
        webhook_timestamp: str | None = None,
        webhook_signature: str | None = None,
        x_bamboohr_signature: str | None = None,
        x_bamboohr_timestamp: str | None = None,
        idempotency_key: str | None = None,
    ) -> HrReply:
        """A signed call of an HR system; EMPLOYEE_DISCHARGE burns the employee's nodes. POST ``/webhooks/hr-sync``."""
        found: HrReply = await self._call(
            "POST",
            "/webhooks/hr-sync",
            HrReply,
            body=body,
            headers={
                "webhook-id": webhook_id,
                "webhook-timestamp": webhook_timestamp,
                "webhook-signature": webhook_signature,
                "X-BambooHR-Signature": x_bamboohr_signature,
                "X-BambooHR-Timestamp": x_bamboohr_timestamp,
                "Idempotency-Key": idempotency_key,
            },
        )
        return found

    async def lifecycle_hr_sync_from(
        self,
        source: str,
        body: HrCall,
        *,
        webhook_id: str | None = None,
        webhook_timestamp: str | None = None,
        webhook_signature: str | None = None,
        x_bamboohr_signature: str | None = None,
        x_bamboohr_timestamp: str | None = None,
        idempotency_key: str | None = None,
    ) -> HrReply:
        """A signed call of an HR system; EMPLOYEE_DISCHARGE burns the employee's nodes. POST
        ``/webhooks/hr-sync/{source}``."""
        found: HrReply = await self._call(
            "POST",
            f"/webhooks/hr-sync/{quote(source, safe='')}",
            HrReply,
            body=body,
            headers={
                "webhook-id": webhook_id,
                "webhook-timestamp": webhook_timestamp,
                "webhook-signature": webhook_signature,
                "X-BambooHR-Signature": x_bamboohr_signature,
                "X-BambooHR-Timestamp": x_bamboohr_timestamp,
                "Idempotency-Key": idempotency_key,
            },
        )
        return found

    async def lifecycle_list_events(self, *, query: HrEventQuery | None = None) -> HrEventPage:
        """Signed calls of HR systems, newest first, with what was done. GET ``/v1/citadel/lifecycle/events``."""
        found: HrEventPage = await self._call("GET", "/v1/citadel/lifecycle/events", HrEventPage, query=query)
        return found

    async def lifecycle_verify_hr_sync(self, *, x_okta_verification_challenge: str | None = None) -> Challenge:
        """Gives an Okta event hook its challenge back; for the schemes header and basic. GET ``/webhooks/hr-sync``."""
        found: Challenge = await self._call(
            "GET",
            "/webhooks/hr-sync",
            Challenge,
            headers={"X-Okta-Verification-Challenge": x_okta_verification_challenge},
        )
        return found

    async def lifecycle_verify_hr_sync_from(
        self, source: str, *, x_okta_verification_challenge: str | None = None
    ) -> Challenge:
        """Gives an Okta event hook its challenge back; for the schemes header and basic. GET
        ``/webhooks/hr-sync/{source}``."""
        found: Challenge = await self._call(
            "GET",
            f"/webhooks/hr-sync/{quote(source, safe='')}",
            Challenge,
            headers={"X-Okta-Verification-Challenge": x_okta_verification_challenge},
        )
        return found

    async def log_checkpoint(self, log: str) -> bytes:
        """The newest checkpoint that a quorum of witnesses has cosigned, a signed note. GET
        ``/v1/log/{log}/checkpoint``."""
        found: bytes = await self._call("GET", f"/v1/log/{quote(log, safe='')}/checkpoint", bytes)
        return found

    async def log_entries(self, log: str, index: str) -> bytes:
        """The entries under a tile of level 0, each after its length in two bytes (C2SP tlog-tiles). GET
        ``/v1/log/{log}/tile/entries/{index...}``."""
        found: bytes = await self._call(
            "GET", f"/v1/log/{quote(log, safe='')}/tile/entries/{quote(index, safe='/')}", bytes
        )
        return found

    async def log_keys(self) -> LogKeys:
        """Every replacement of the logs' keys, signed by the keys that were left. GET ``/v1/log/keys``."""
        found: LogKeys = await self._call("GET", "/v1/log/keys", LogKeys)
        return found

    async def log_policy(self) -> bytes:
        """Whose signatures make a checkpoint of this site good (C2SP tlog-policy). GET ``/v1/log/policy``."""
        found: bytes = await self._call("GET", "/v1/log/policy", bytes)
        return found

    async def log_roots(self) -> bytes:
        """The root certificates of this site as PEM. GET ``/v1/log/roots``."""
        found: bytes = await self._call("GET", "/v1/log/roots", bytes)
        return found

    async def log_tile(self, log: str, level: str, index: str) -> bytes:
        """A tile of the log's Merkle tree (C2SP tlog-tiles). GET ``/v1/log/{log}/tile/{level}/{index...}``."""
        found: bytes = await self._call(
            "GET", f"/v1/log/{quote(log, safe='')}/tile/{quote(level, safe='')}/{quote(index, safe='/')}", bytes
        )
        return found

    async def log_witnesses(self) -> LogWitnesses:
        """Every witness of the logs and how it is. GET ``/v1/log/witnesses``."""
        found: LogWitnesses = await self._call("GET", "/v1/log/witnesses", LogWitnesses)
        return found

    async def mass_burns_burn(
        self, body: MassBurnBody, *, prefer: str | None = None, idempotency_key: str | None = None
    ) -> MassBurn:
        """Burns the list that another Citadel key approved: all denied first; 202 while a target lacks proof. POST
        ``/v1/citadel/uac/burn/mass``."""
        found: MassBurn = await self._call(
            "POST",
            "/v1/citadel/uac/burn/mass",
            MassBurn,
            body=body,
            headers={"Prefer": prefer, "Idempotency-Key": idempotency_key},
        )
        return found

    async def media_bundle(self, scan_id: str) -> bytes:
        """The report of a scan with its pictures as an evidence bundle that the site signed. GET
        ``/v1/citadel/defense/radar/{scan_id}/bundle``."""
        found: bytes = await self._call("GET", f"/v1/citadel/defense/radar/{quote(scan_id, safe='')}/bundle", bytes)
        return found

    async def media_calibration(self) -> MediaCalibration:
        """What scores are worth: how often authentic images reach them, by what happened to them last. GET
        ``/v1/citadel/defense/radar/calibration``."""
        found: MediaCalibration = await self._call("GET", "/v1/citadel/defense/radar/calibration", MediaCalibration)
        return found

    async def media_get(self, scan_id: str) -> Scan:
        """One scan with its report. GET ``/v1/citadel/defense/radar/{scan_id}``."""
        found: Scan = await self._call("GET", f"/v1/citadel/defense/radar/{quote(scan_id, safe='')}", Scan)
        return found

    async def media_heatmap(self, scan_id: str, *, query: HeatmapQuery | None = None) -> bytes:
        """A layer of the scan as a PNG; 409 while there is no result, 410 when it is no longer kept. GET
        ``/v1/citadel/defense/radar/{scan_id}/heatmap.png``."""
        found: bytes = await self._call(
            "GET", f"/v1/citadel/defense/radar/{quote(scan_id, safe='')}/heatmap.png", bytes, query=query
        )
        return found

    async def media_list(self, *, query: ScanListQuery | None = None) -> ScanPage:
        """Scans, newest first, without their reports. GET ``/v1/citadel/defense/radar``."""
        found: ScanPage = await self._call("GET", "/v1/citadel/defense/radar", ScanPage, query=query)
        return found

    async def media_scan(
        self, body: RadarBody, *, prefer: str | None = None, idempotency_key: str | None = None
    ) -> Scan:
        """Scans the media at a URL for manipulation; 202, or 200 if it is over within Prefer: wait. POST
        ``/v1/citadel/defense/radar``."""
        found: Scan = await self._call(
            "POST",
            "/v1/citadel/defense/radar",
            Scan,
            body=body,
            headers={"Prefer": prefer, "Idempotency-Key": idempotency_key},
        )
        return found

    async def media_stop(self, scan_id: str, *, query: StopQuery | None = None) -> ScanDeleted:
        """Stops a scan that is not over; with erase takes it off the list with all that was found. DELETE
        ``/v1/citadel/defense/radar/{scan_id}``."""
        found: ScanDeleted = await self._call(
            "DELETE", f"/v1/citadel/defense/radar/{quote(scan_id, safe='')}", ScanDeleted, query=query
        )
        return found

    async def media_upload(
        self,
        content: bytes,
        *,
        query: UploadQuery | None = None,
        prefer: str | None = None,
        idempotency_key: str | None = None,
    ) -> Scan:
        """Scans the file that is the body, as media.scan does. POST ``/v1/citadel/defense/radar/uploads``."""
        found: Scan = await self._call(
            "POST",
            "/v1/citadel/defense/radar/uploads",
            Scan,
            content=content,
            content_type="application/octet-stream",
            query=query,
            headers={"Prefer": prefer, "Idempotency-Key": idempotency_key},
        )
        return found

    async def operators_begin_openid(self, body: OpenIdBegin, *, idempotency_key: str | None = None) -> OpenIdBegun:
        """Where a browser signs an operator in at the site's OpenID provider (code with PKCE). POST
        ``/v1/operators/sign-in/oidc``."""
        found: OpenIdBegun = await self._call(
            "POST", "/v1/operators/sign-in/oidc", OpenIdBegun, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def operators_challenge_card(
        self, body: CardChallengeBody, *, idempotency_key: str | None = None
    ) -> CardChallenge:
        """What an operator's card is to sign for a session: this service's address, the unit, a nonce. POST
        ``/v1/operators/sign-in/card/challenge``."""
        found: CardChallenge = await self._call(
            "POST",
            "/v1/operators/sign-in/card/challenge",
            CardChallenge,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def operators_change_passphrase(
        self, body: OwnPassphraseBody, *, idempotency_key: str | None = None
    ) -> PassphraseSet:
        """The operator's own next passphrase; its other sessions end. POST ``/v1/operators/session/passphrase``."""
        found: PassphraseSet = await self._call(
            "POST",
            "/v1/operators/session/passphrase",
            PassphraseSet,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def operators_end_session(self, session_id: str) -> SessionEnded:
        """Ends a session of any operator at once. DELETE ``/v1/citadel/operators/sessions/{session_id}``."""
        found: SessionEnded = await self._call(
            "DELETE", f"/v1/citadel/operators/sessions/{quote(session_id, safe='')}", SessionEnded
        )
        return found

    async def operators_list_sessions(self) -> SessionList:
        """Who is signed in where, oldest first. GET ``/v1/citadel/operators/sessions``."""
        found: SessionList = await self._call("GET", "/v1/citadel/operators/sessions", SessionList)
        return found

    async def operators_lock(self, body: NoBody | None = None, *, idempotency_key: str | None = None) -> SessionEnded:
        """Ends the caller's session, because the desk is left or the card was pulled. POST
        ``/v1/operators/session/lock``."""
        found: SessionEnded = await self._call(
            "POST", "/v1/operators/session/lock", SessionEnded, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def operators_set_passphrase(self, id: str, body: PassphraseBody) -> PassphraseSet:
        """Gives an operator a passphrase; its sessions end. PUT ``/v1/registry/operators/{id}/passphrase``."""
        found: PassphraseSet = await self._call(
            "PUT", f"/v1/registry/operators/{quote(id, safe='')}/passphrase", PassphraseSet, body=body
        )
        return found

    async def operators_sign_in_by_card(self, body: CardSignIn, *, idempotency_key: str | None = None) -> SignedIn:
        """A session for the holder of a card of this site: its key 9A has signed the challenge. POST
        ``/v1/operators/sign-in/card``."""
        found: SignedIn = await self._call(
            "POST", "/v1/operators/sign-in/card", SignedIn, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def operators_sign_in_by_openid(self, body: OpenIdFinish, *, idempotency_key: str | None = None) -> SignedIn:
        """A session for the operator whom the OpenID provider names for this code. POST
        ``/v1/operators/sign-in/oidc/finish``."""
        found: SignedIn = await self._call(
            "POST",
            "/v1/operators/sign-in/oidc/finish",
            SignedIn,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def operators_sign_in_by_passphrase(
        self, body: PassphraseSignIn, *, idempotency_key: str | None = None
    ) -> SignedIn:
        """A session for an operator by passphrase; wrong ones delay further ones by the same key alone. POST
        ``/v1/operators/sign-in/passphrase``."""
        found: SignedIn = await self._call(
            "POST",
            "/v1/operators/sign-in/passphrase",
            SignedIn,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def operators_sign_out(
        self, body: NoBody | None = None, *, idempotency_key: str | None = None
    ) -> SessionEnded:
        """Ends the caller's session. POST ``/v1/operators/session/sign-out``."""
        found: SessionEnded = await self._call(
            "POST",
            "/v1/operators/session/sign-out",
            SessionEnded,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def operators_stay(self, body: NoBody | None = None, *, idempotency_key: str | None = None) -> WhoAmI:
        """The operator is there: the session is not idle. Reads alone do not show that. POST
        ``/v1/operators/session/active``."""
        found: WhoAmI = await self._call(
            "POST", "/v1/operators/session/active", WhoAmI, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def operators_who_am_i(self) -> WhoAmI:
        """Who calls: an operator in a session, or an API key. GET ``/v1/operators/session``."""
        found: WhoAmI = await self._call("GET", "/v1/operators/session", WhoAmI)
        return found

    async def palm_enrol(self, id: str, body: TemplateSamples) -> EnrolledTemplates:
        """Enrols the node's palm from at least three samples, in place of the one before. PUT
        ``/v1/registry/nodes/{id}/palm``."""
        found: EnrolledTemplates = await self._call(
            "PUT", f"/v1/registry/nodes/{quote(id, safe='')}/palm", EnrolledTemplates, body=body
        )
        return found

    async def palm_erase(self, id: str) -> ErasedTemplates:
        """Erases the node's palm from every registry. DELETE ``/v1/registry/nodes/{id}/palm``."""
        found: ErasedTemplates = await self._call(
            "DELETE", f"/v1/registry/nodes/{quote(id, safe='')}/palm", ErasedTemplates
        )
        return found

    async def palm_verify(self, body: PalmVerifyBody, *, idempotency_key: str | None = None) -> PalmVerdict:
        """Decides whose palm lies on a terminal; no match is a 200 of the same shape. POST
        ``/v1/ambient/palm-verify``."""
        found: PalmVerdict = await self._call(
            "POST", "/v1/ambient/palm-verify", PalmVerdict, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def permits_authorize(self, body: AuthorizeBody, *, idempotency_key: str | None = None) -> ActionDecision:
        """Decide on a unit's action by its permit, once. POST ``/v1/authorize-action``."""
        found: ActionDecision = await self._call(
            "POST", "/v1/authorize-action", ActionDecision, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def permits_mint(self, body: PermitBody, *, idempotency_key: str | None = None) -> PermitReply:
        """A permit for one action of a unit; its token is shown this once. POST ``/v1/permits``."""
        found: PermitReply = await self._call(
            "POST", "/v1/permits", PermitReply, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def pki_certificate(self, *, if_none_match: str | None = None) -> bytes:
        """The certificate of the site's authority, DER. GET ``/pki/root.cer``."""
        found: bytes = await self._call("GET", "/pki/root.cer", bytes, headers={"If-None-Match": if_none_match})
        return found

    async def pki_crl(self, *, if_none_match: str | None = None) -> bytes:
        """The revocation list of the site's authority (RFC 5280), DER. GET ``/pki/root.crl``."""
        found: bytes = await self._call("GET", "/pki/root.crl", bytes, headers={"If-None-Match": if_none_match})
        return found

    async def pki_ocsp_get(self, request: str, *, if_none_match: str | None = None) -> bytes:
        """The same, asked in base64 in the path, so that caches may answer (RFC 5019). GET
        ``/pki/ocsp/{request...}``."""
        found: bytes = await self._call(
            "GET", f"/pki/ocsp/{quote(request, safe='/')}", bytes, headers={"If-None-Match": if_none_match}
        )
        return found

    async def provenance_bundle(self, knot_id: str) -> bytes:
        """A knot as a signed bundle that anybody can verify offline. GET
        ``/v1/citadel/provenance/knot-seal/{knot_id}/bundle``."""
        found: bytes = await self._call(
            "GET", f"/v1/citadel/provenance/knot-seal/{quote(knot_id, safe='')}/bundle", bytes
        )
        return found

    async def provenance_get(self, knot_id: str) -> KnotSeal:
        """A knot with every statement about it and its proof. GET ``/v1/citadel/provenance/knot-seal/{knot_id}``."""
        found: KnotSeal = await self._call(
            "GET", f"/v1/citadel/provenance/knot-seal/{quote(knot_id, safe='')}", KnotSeal
        )
        return found

    async def provenance_issue(self, body: KnotSealBody, *, idempotency_key: str | None = None) -> KnotSeal:
        """Seals a consent: a leaf of the seal log, cosigned by witnesses; 202 while their quorum is missing. POST
        ``/v1/citadel/provenance/knot-seal``."""
        found: KnotSeal = await self._call(
            "POST",
            "/v1/citadel/provenance/knot-seal",
            KnotSeal,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def provenance_list(self, *, query: KnotListQuery | None = None) -> KnotPage:
        """Knot seals, newest first; by node or by consensus seal. GET ``/v1/citadel/provenance/knot-seal``."""
        found: KnotPage = await self._call("GET", "/v1/citadel/provenance/knot-seal", KnotPage, query=query)
        return found

    async def provenance_withdraw(
        self, knot_id: str, body: WithdrawBody | None = None, *, idempotency_key: str | None = None
    ) -> KnotSeal:
        """Takes a consent back by a new leaf; the first one stays, as it must. POST
        ``/v1/citadel/provenance/knot-seal/{knot_id}/withdraw``."""
        found: KnotSeal = await self._call(
            "POST",
            f"/v1/citadel/provenance/knot-seal/{quote(knot_id, safe='')}/withdraw",
            KnotSeal,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def provisioning_delete_element(self, hardware_uid: str) -> Deleted:
        """Takes an element's row out of the stock. DELETE ``/v1/hardware/elements/{hardware_uid}``."""
        found: Deleted = await self._call("DELETE", f"/v1/hardware/elements/{quote(hardware_uid, safe='')}", Deleted)
        return found

    async def provisioning_get_element(self, hardware_uid: str) -> Element:
        """One element of the stock. GET ``/v1/hardware/elements/{hardware_uid}``."""
        found: Element = await self._call("GET", f"/v1/hardware/elements/{quote(hardware_uid, safe='')}", Element)
        return found

    async def provisioning_get_provision(self, provision_id: str) -> Provision:
        """One provisioning, with its stages while it runs. GET ``/v1/hardware/se/provisions/{provision_id}``."""
        found: Provision = await self._call(
            "GET", f"/v1/hardware/se/provisions/{quote(provision_id, safe='')}", Provision
        )
        return found

    async def provisioning_get_receipt(self, provision_id: str) -> Receipt:
        """The signed receipt of a finished card: a flattened JWS whose x5c leads to the site's root. GET
        ``/v1/hardware/se/provisions/{provision_id}/receipt``."""
        found: Receipt = await self._call(
            "GET", f"/v1/hardware/se/provisions/{quote(provision_id, safe='')}/receipt", Receipt
        )
        return found

    async def provisioning_get_trace(self, provision_id: str) -> Trace:
        """Every APDU of the last attempt, for the key that wrote it or Citadel; secrets appear as lengths only. GET
        ``/v1/hardware/se/provisions/{provision_id}/trace``."""
        found: Trace = await self._call(
            "GET", f"/v1/hardware/se/provisions/{quote(provision_id, safe='')}/trace", Trace
        )
        return found

    async def provisioning_import_elements(
        self, body: ImportBody, *, idempotency_key: str | None = None
    ) -> ImportReply:
        """Makes or replaces up to 500 elements in one transaction: all of them or none. POST
        ``/v1/hardware/elements``."""
        found: ImportReply = await self._call(
            "POST", "/v1/hardware/elements", ImportReply, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def provisioning_list_cards(self, *, query: CardListQuery | None = None) -> CardList:
        """Every card reader with the card in it, and whether the reader service answers. GET
        ``/v1/hardware/cards``."""
        found: CardList = await self._call("GET", "/v1/hardware/cards", CardList, query=query)
        return found

    async def provisioning_list_elements(self, *, query: ElementListQuery | None = None) -> ElementPage:
        """The stock of secure elements by rising hardware_uid; q searches name, product and location. GET
        ``/v1/hardware/elements``."""
        found: ElementPage = await self._call("GET", "/v1/hardware/elements", ElementPage, query=query)
        return found

    async def provisioning_list_makers(self) -> CardMakerList:
        """Card makers whose attestation authorities ship with the program, and which of them the site pins. GET
        ``/v1/registry/card-makers``."""
        found: CardMakerList = await self._call("GET", "/v1/registry/card-makers", CardMakerList)
        return found

    async def provisioning_list_provisions(self, *, query: ProvisionListQuery | None = None) -> ProvisionPage:
        """Provisionings, newest first; q searches node, card and identifier. GET ``/v1/hardware/se/provisions``."""
        found: ProvisionPage = await self._call("GET", "/v1/hardware/se/provisions", ProvisionPage, query=query)
        return found

    async def provisioning_list_receipts(self, *, query: ReceiptListQuery | None = None) -> bytes:
        """Finished cards as CSV, oldest first, with the digest of each receipt. GET
        ``/v1/hardware/se/receipts.csv``."""
        found: bytes = await self._call("GET", "/v1/hardware/se/receipts.csv", bytes, query=query)
        return found

    async def provisioning_pin_maker(self, maker_id: str, body: PinMakerBody | None = None) -> CardMakerItem:
        """Believes this maker's attestations from the next card on; as `file`, those of the certificates sent. PUT
        ``/v1/registry/card-makers/{maker_id}``."""
        found: CardMakerItem = await self._call(
            "PUT", f"/v1/registry/card-makers/{quote(maker_id, safe='')}", CardMakerItem, body=body
        )
        return found

    async def provisioning_print_pin_mailer(
        self, provision_id: str, body: NoBody | None = None, *, idempotency_key: str | None = None
    ) -> bytes:
        """The card's PIN as a PDF, once, for the key that wrote it or Citadel; afterwards 410. POST
        ``/v1/hardware/se/provisions/{provision_id}/pin-mailer``."""
        found: bytes = await self._call(
            "POST",
            f"/v1/hardware/se/provisions/{quote(provision_id, safe='')}/pin-mailer",
            bytes,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def provisioning_provision(self, body: ProvisionBody, *, idempotency_key: str | None = None) -> Provision:
        """Writes a person's root validation profile to a card and proves it in a fresh session. POST
        ``/v1/hardware/se/provision``."""
        found: Provision = await self._call(
            "POST", "/v1/hardware/se/provision", Provision, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def provisioning_put_element(self, hardware_uid: str, body: ElementBody) -> Element:
        """Takes an element into the stock (201) or changes its row (200). Transport keys are write-only. PUT
        ``/v1/hardware/elements/{hardware_uid}``."""
        found: Element = await self._call(
            "PUT", f"/v1/hardware/elements/{quote(hardware_uid, safe='')}", Element, body=body
        )
        return found

    async def provisioning_reset_pin(
        self, provision_id: str, body: PinResetBody, *, idempotency_key: str | None = None
    ) -> PinReset:
        """Gives the card in a reader a new PIN, by an approval; its mailer may then be printed once more. POST
        ``/v1/hardware/se/provisions/{provision_id}/pin-reset``."""
        found: PinReset = await self._call(
            "POST",
            f"/v1/hardware/se/provisions/{quote(provision_id, safe='')}/pin-reset",
            PinReset,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def provisioning_revoke_card(
        self, hardware_uid: str, body: RevokeCardBody, *, idempotency_key: str | None = None
    ) -> RevokedCard:
        """Ends one card by any of its names; its person stays. 202 until a signed list names it. Idempotent. POST
        ``/v1/citadel/cards/{hardware_uid}/revoke``."""
        found: RevokedCard = await self._call(
            "POST",
            f"/v1/citadel/cards/{quote(hardware_uid, safe='')}/revoke",
            RevokedCard,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def provisioning_unpin_maker(self, maker_id: str) -> CardMakerItem:
        """Believes this maker's attestations no more; cards that were written stay as they are. DELETE
        ``/v1/registry/card-makers/{maker_id}``."""
        found: CardMakerItem = await self._call(
            "DELETE", f"/v1/registry/card-makers/{quote(maker_id, safe='')}", CardMakerItem
        )
        return found

    async def registry_acknowledge_terminal_bundle(
        self, id: str, body: BundleTakenBody, *, idempotency_key: str | None = None
    ) -> BundleTaken:
        """A terminal's signed word that it opened, checked and kept a bundle: it has none of before any more, which
        is what a burn takes as proof. A repeat changes nothing. POST ``/v1/registry/terminals/{id}/bundle/taken``."""
        found: BundleTaken = await self._call(
            "POST",
            f"/v1/registry/terminals/{quote(id, safe='')}/bundle/taken",
            BundleTaken,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def registry_delete_credential_profile(self, id: str) -> Deleted:
        """Deletes a credential profile that nothing needs any more. DELETE
        ``/v1/registry/credential-profiles/{id}``."""
        found: Deleted = await self._call("DELETE", f"/v1/registry/credential-profiles/{quote(id, safe='')}", Deleted)
        return found

    async def registry_delete_directory(self, id: str) -> Deleted:
        """Deletes a directory that nothing needs any more. DELETE ``/v1/registry/directories/{id}``."""
        found: Deleted = await self._call("DELETE", f"/v1/registry/directories/{quote(id, safe='')}", Deleted)
        return found

    async def registry_delete_hr_source(self, id: str) -> Deleted:
        """Deletes a HR source that nothing needs any more. DELETE ``/v1/registry/hr-sources/{id}``."""
        found: Deleted = await self._call("DELETE", f"/v1/registry/hr-sources/{quote(id, safe='')}", Deleted)
        return found

    async def registry_delete_media_source(self, id: str) -> Deleted:
        """Deletes a media source that nothing needs any more. DELETE ``/v1/registry/media-sources/{id}``."""
        found: Deleted = await self._call("DELETE", f"/v1/registry/media-sources/{quote(id, safe='')}", Deleted)
        return found

    async def registry_delete_node(self, id: str) -> Deleted:
        """Deletes a node that nothing needs any more. DELETE ``/v1/registry/nodes/{id}``."""
        found: Deleted = await self._call("DELETE", f"/v1/registry/nodes/{quote(id, safe='')}", Deleted)
        return found

    async def registry_delete_operator(self, id: str) -> Deleted:
        """Deletes a operator that nothing needs any more. DELETE ``/v1/registry/operators/{id}``."""
        found: Deleted = await self._call("DELETE", f"/v1/registry/operators/{quote(id, safe='')}", Deleted)
        return found

    async def registry_delete_peer(self, id: str) -> Deleted:
        """Deletes a peer that nothing needs any more. DELETE ``/v1/registry/peers/{id}``."""
        found: Deleted = await self._call("DELETE", f"/v1/registry/peers/{quote(id, safe='')}", Deleted)
        return found

    async def registry_delete_platform(self, id: str) -> Deleted:
        """Deletes a platform that nothing needs any more. DELETE ``/v1/registry/platforms/{id}``."""
        found: Deleted = await self._call("DELETE", f"/v1/registry/platforms/{quote(id, safe='')}", Deleted)
        return found

    async def registry_delete_reader_cluster(self, id: str) -> Deleted:
        """Deletes a reader cluster that nothing needs any more. DELETE ``/v1/registry/reader-clusters/{id}``."""
        found: Deleted = await self._call("DELETE", f"/v1/registry/reader-clusters/{quote(id, safe='')}", Deleted)
        return found

    async def registry_delete_template_registry(self, id: str) -> Deleted:
        """Deletes a template registry that nothing needs any more. DELETE
        ``/v1/registry/template-registries/{id}``."""
        found: Deleted = await self._call("DELETE", f"/v1/registry/template-registries/{quote(id, safe='')}", Deleted)
        return found

    async def registry_delete_terminal(self, id: str) -> Deleted:
        """Deletes a terminal that nothing needs any more. DELETE ``/v1/registry/terminals/{id}``."""
        found: Deleted = await self._call("DELETE", f"/v1/registry/terminals/{quote(id, safe='')}", Deleted)
        return found

    async def registry_delete_unit(self, id: str) -> Deleted:
        """Deletes a unit that nothing needs any more. DELETE ``/v1/registry/units/{id}``."""
        found: Deleted = await self._call("DELETE", f"/v1/registry/units/{quote(id, safe='')}", Deleted)
        return found

    async def registry_enrol_reader_cluster(
        self, id: str, body: EnrolBody | None = None, *, idempotency_key: str | None = None
    ) -> EnrolReply:
        """Opens the key window of real readers: within it they take their first key over the default one. POST
        ``/v1/registry/reader-clusters/{id}/enrol``."""
        found: EnrolReply = await self._call(
            "POST",
            f"/v1/registry/reader-clusters/{quote(id, safe='')}/enrol",
            EnrolReply,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def registry_get_credential_profile(self, id: str) -> CredentialProfile:
        """One credential profile. GET ``/v1/registry/credential-profiles/{id}``."""
        found: CredentialProfile = await self._call(
            "GET", f"/v1/registry/credential-profiles/{quote(id, safe='')}", CredentialProfile
        )
        return found

    async def registry_get_directory(self, id: str) -> Directory:
        """One directory. GET ``/v1/registry/directories/{id}``."""
        found: Directory = await self._call("GET", f"/v1/registry/directories/{quote(id, safe='')}", Directory)
        return found

    async def registry_get_hr_source(self, id: str) -> HrSource:
        """One HR source. GET ``/v1/registry/hr-sources/{id}``."""
        found: HrSource = await self._call("GET", f"/v1/registry/hr-sources/{quote(id, safe='')}", HrSource)
        return found

    async def registry_get_media_source(self, id: str) -> MediaSource:
        """One media source. GET ``/v1/registry/media-sources/{id}``."""
        found: MediaSource = await self._call("GET", f"/v1/registry/media-sources/{quote(id, safe='')}", MediaSource)
        return found

    async def registry_get_node(self, id: str) -> Node:
        """One node. GET ``/v1/registry/nodes/{id}``."""
        found: Node = await self._call("GET", f"/v1/registry/nodes/{quote(id, safe='')}", Node)
        return found

    async def registry_get_operator(self, id: str) -> Operator:
        """One operator. GET ``/v1/registry/operators/{id}``."""
        found: Operator = await self._call("GET", f"/v1/registry/operators/{quote(id, safe='')}", Operator)
        return found

    async def registry_get_peer(self, id: str) -> Peer:
        """One peer. GET ``/v1/registry/peers/{id}``."""
        found: Peer = await self._call("GET", f"/v1/registry/peers/{quote(id, safe='')}", Peer)
        return found

    async def registry_get_platform(self, id: str) -> NoticePlatform:
        """One platform. GET ``/v1/registry/platforms/{id}``."""
        found: NoticePlatform = await self._call("GET", f"/v1/registry/platforms/{quote(id, safe='')}", NoticePlatform)
        return found

    async def registry_get_reader_cluster(self, id: str) -> ReaderCluster:
        """One reader cluster. GET ``/v1/registry/reader-clusters/{id}``."""
        found: ReaderCluster = await self._call(
            "GET", f"/v1/registry/reader-clusters/{quote(id, safe='')}", ReaderCluster
        )
        return found

    async def registry_get_template_registry(self, id: str) -> TemplateRegistry:
        """One template registry. GET ``/v1/registry/template-registries/{id}``."""
        found: TemplateRegistry = await self._call(
            "GET", f"/v1/registry/template-registries/{quote(id, safe='')}", TemplateRegistry
        )
        return found

    async def registry_get_terminal(self, id: str) -> Terminal:
        """One terminal. GET ``/v1/registry/terminals/{id}``."""
        found: Terminal = await self._call("GET", f"/v1/registry/terminals/{quote(id, safe='')}", Terminal)
        return found

    async def registry_get_terminal_bundle(self, id: str) -> bytes:
        """A new bundle for a palm terminal (JWE to its key of a JWS by this site): what it makes templates with,
        who is denied and, if it may decide offline, whom it may let in until when. GET
        ``/v1/registry/terminals/{id}/bundle``."""
        found: bytes = await self._call("GET", f"/v1/registry/terminals/{quote(id, safe='')}/bundle", bytes)
        return found

    async def registry_get_unit(self, id: str) -> Unit:
        """One unit. GET ``/v1/registry/units/{id}``."""
        found: Unit = await self._call("GET", f"/v1/registry/units/{quote(id, safe='')}", Unit)
        return found

    async def registry_list_credential_profiles(self, *, query: ListQuery | None = None) -> CredentialProfilePage:
        """Lists credential profiles by rising id; q searches id and name. GET ``/v1/registry/credential-profiles``."""
        found: CredentialProfilePage = await self._call(
            "GET", "/v1/registry/credential-profiles", CredentialProfilePage, query=query
        )
        return found

    async def registry_list_directories(self, *, query: ListQuery | None = None) -> DirectoryPage:
        """Lists directories by rising id; q searches id and name. GET ``/v1/registry/directories``."""
        found: DirectoryPage = await self._call("GET", "/v1/registry/directories", DirectoryPage, query=query)
        return found

    async def registry_list_hr_sources(self, *, query: ListQuery | None = None) -> HrSourcePage:
        """Lists HR sources by rising id; q searches id and name. GET ``/v1/registry/hr-sources``."""
        found: HrSourcePage = await self._call("GET", "/v1/registry/hr-sources", HrSourcePage, query=query)
        return found

    async def registry_list_media_sources(self, *, query: ListQuery | None = None) -> MediaSourcePage:
        """Lists media sources by rising id; q searches id and name. GET ``/v1/registry/media-sources``."""
        found: MediaSourcePage = await self._call("GET", "/v1/registry/media-sources", MediaSourcePage, query=query)
        return found

    async def registry_list_nodes(self, *, query: ListQuery | None = None) -> NodePage:
        """Lists nodes by rising id; q searches id and name. GET ``/v1/registry/nodes``."""
        found: NodePage = await self._call("GET", "/v1/registry/nodes", NodePage, query=query)
        return found

    async def registry_list_operators(self, *, query: ListQuery | None = None) -> OperatorPage:
        """Lists operators by rising id; q searches id and name. GET ``/v1/registry/operators``."""
        found: OperatorPage = await self._call("GET", "/v1/registry/operators", OperatorPage, query=query)
        return found

    async def registry_list_peers(self, *, query: ListQuery | None = None) -> PeerPage:
        """Lists peers by rising id; q searches id and name. GET ``/v1/registry/peers``."""
        found: PeerPage = await self._call("GET", "/v1/registry/peers", PeerPage, query=query)
        return found

    async def registry_list_platforms(self, *, query: ListQuery | None = None) -> NoticePlatformPage:
        """Lists platforms by rising id; q searches id and name. GET ``/v1/registry/platforms``."""
        found: NoticePlatformPage = await self._call("GET", "/v1/registry/platforms", NoticePlatformPage, query=query)
        return found

    async def registry_list_reader_clusters(self, *, query: ListQuery | None = None) -> ReaderClusterPage:
        """Lists reader clusters by rising id; q searches id and name. GET ``/v1/registry/reader-clusters``."""
        found: ReaderClusterPage = await self._call(
            "GET", "/v1/registry/reader-clusters", ReaderClusterPage, query=query
        )
        return found

    async def registry_list_template_registries(self, *, query: ListQuery | None = None) -> TemplateRegistryPage:
        """Lists template registries by rising id; q searches id and name. GET ``/v1/registry/template-registries``."""
        found: TemplateRegistryPage = await self._call(
            "GET", "/v1/registry/template-registries", TemplateRegistryPage, query=query
        )
        return found

    async def registry_list_terminals(self, *, query: ListQuery | None = None) -> TerminalPage:
        """Lists terminals by rising id; q searches id and name. GET ``/v1/registry/terminals``."""
        found: TerminalPage = await self._call("GET", "/v1/registry/terminals", TerminalPage, query=query)
        return found

    async def registry_list_units(self, *, query: ListQuery | None = None) -> UnitPage:
        """Lists units by rising id; q searches id and name. GET ``/v1/registry/units``."""
        found: UnitPage = await self._call("GET", "/v1/registry/units", UnitPage, query=query)
        return found

    async def registry_put_credential_profile(self, id: str, body: CredentialProfileBody) -> CredentialProfile:
        """Makes (201) or replaces (200) a credential profile. An equal body changes nothing and leaves no leaf. PUT
        ``/v1/registry/credential-profiles/{id}``."""
        found: CredentialProfile = await self._call(
            "PUT", f"/v1/registry/credential-profiles/{quote(id, safe='')}", CredentialProfile, body=body
        )
        return found

    async def registry_put_directory(
        self, id: str, body: DirectoryBody, *, query: ProbeQuery | None = None
    ) -> Directory:
        """Makes (201) or replaces (200) a directory. An equal body changes nothing and leaves no leaf. PUT
        ``/v1/registry/directories/{id}``."""
        found: Directory = await self._call(
            "PUT", f"/v1/registry/directories/{quote(id, safe='')}", Directory, body=body, query=query
        )
        return found

    async def registry_put_hr_source(self, id: str, body: HrSourceBody) -> HrSource:
        """Makes (201) or replaces (200) a HR source. An equal body changes nothing and leaves no leaf. PUT
        ``/v1/registry/hr-sources/{id}``."""
        found: HrSource = await self._call("PUT", f"/v1/registry/hr-sources/{quote(id, safe='')}", HrSource, body=body)
        return found

    async def registry_put_media_source(self, id: str, body: MediaSourceBody) -> MediaSource:
        """Makes (201) or replaces (200) a media source. An equal body changes nothing and leaves no leaf. PUT
        ``/v1/registry/media-sources/{id}``."""
        found: MediaSource = await self._call(
            "PUT", f"/v1/registry/media-sources/{quote(id, safe='')}", MediaSource, body=body
        )
        return found

    async def registry_put_node(self, id: str, body: NodeBody) -> Node:
        """Makes (201) or replaces (200) a node. An equal body changes nothing and leaves no leaf. PUT
        ``/v1/registry/nodes/{id}``."""
        found: Node = await self._call("PUT", f"/v1/registry/nodes/{quote(id, safe='')}", Node, body=body)
        return found

    async def registry_put_operator(self, id: str, body: OperatorBody) -> Operator:
        """Makes (201) or replaces (200) a operator. An equal body changes nothing and leaves no leaf. PUT
        ``/v1/registry/operators/{id}``."""
        found: Operator = await self._call("PUT", f"/v1/registry/operators/{quote(id, safe='')}", Operator, body=body)
        return found

    async def registry_put_peer(self, id: str, body: PeerBody) -> Peer:
        """Makes (201) or replaces (200) a peer. An equal body changes nothing and leaves no leaf. PUT
        ``/v1/registry/peers/{id}``."""
        found: Peer = await self._call("PUT", f"/v1/registry/peers/{quote(id, safe='')}", Peer, body=body)
        return found

    async def registry_put_platform(self, id: str, body: PlatformBody) -> NoticePlatform:
        """Makes (201) or replaces (200) a platform. An equal body changes nothing and leaves no leaf. PUT
        ``/v1/registry/platforms/{id}``."""
        found: NoticePlatform = await self._call(
            "PUT", f"/v1/registry/platforms/{quote(id, safe='')}", NoticePlatform, body=body
        )
        return found

    async def registry_put_reader_cluster(self, id: str, body: ReaderClusterBody) -> ReaderCluster:
        """Makes (201) or replaces (200) a reader cluster. An equal body changes nothing and leaves no leaf. PUT
        ``/v1/registry/reader-clusters/{id}``."""
        found: ReaderCluster = await self._call(
            "PUT", f"/v1/registry/reader-clusters/{quote(id, safe='')}", ReaderCluster, body=body
        )
        return found

    async def registry_put_template_registry(self, id: str, body: TemplateRegistryBody) -> TemplateRegistry:
        """Makes (201) or replaces (200) a template registry. An equal body changes nothing and leaves no leaf. PUT
        ``/v1/registry/template-registries/{id}``."""
        found: TemplateRegistry = await self._call(
            "PUT", f"/v1/registry/template-registries/{quote(id, safe='')}", TemplateRegistry, body=body
        )
        return found

    async def registry_put_terminal(self, id: str, body: TerminalBody) -> Terminal:
        """Makes (201) or replaces (200) a terminal. An equal body changes nothing and leaves no leaf. PUT
        ``/v1/registry/terminals/{id}``."""
        found: Terminal = await self._call("PUT", f"/v1/registry/terminals/{quote(id, safe='')}", Terminal, body=body)
        return found

    async def registry_put_unit(self, id: str, body: UnitBody) -> Unit:
        """Makes (201) or replaces (200) a unit. An equal body changes nothing and leaves no leaf. PUT
        ``/v1/registry/units/{id}``."""
        found: Unit = await self._call("PUT", f"/v1/registry/units/{quote(id, safe='')}", Unit, body=body)
        return found

    async def registry_renew_template_registry(
        self, id: str, body: NoBody | None = None, *, idempotency_key: str | None = None
    ) -> RenewedTemplateRegistry:
        """Makes every template anew under the next key, without the persons, and destroys the old key. A set of
        templates that was taken before stays linkable with the new one. POST
        ``/v1/registry/template-registries/{id}/renew``."""
        found: RenewedTemplateRegistry = await self._call(
            "POST",
            f"/v1/registry/template-registries/{quote(id, safe='')}/renew",
            RenewedTemplateRegistry,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def registry_rotate_reader_keys(
        self, id: str, body: RotateKeysBody | None = None, *, idempotency_key: str | None = None
    ) -> RotateKeysReply:
        """Gives readers new Secure Channel keys now; 202 while one of them has not got its own. POST
        ``/v1/registry/reader-clusters/{id}/rotate-keys``."""
        found: RotateKeysReply = await self._call(
            "POST",
            f"/v1/registry/reader-clusters/{quote(id, safe='')}/rotate-keys",
            RotateKeysReply,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def revocations_evidence(self, burn_id: str) -> bytes:
        """A burn as a signed bundle that anybody can verify offline. GET
        ``/v1/citadel/uac/burn/{burn_id}/evidence``."""
        found: bytes = await self._call("GET", f"/v1/citadel/uac/burn/{quote(burn_id, safe='')}/evidence", bytes)
        return found

    async def revocations_manifest(self, burn_id: str, *, query: PartQuery | None = None) -> bytes:
        """The C2PA sidecar manifest of that segment. GET ``/v1/citadel/uac/burn/{burn_id}/manifest``."""
        found: bytes = await self._call(
            "GET", f"/v1/citadel/uac/burn/{quote(burn_id, safe='')}/manifest", bytes, query=query
        )
        return found

    async def revocations_segment(self, burn_id: str, *, query: PartQuery | None = None) -> bytes:
        """A burn's segment of the revocation log (JSON lines): the first, or a follow-up. GET
        ``/v1/citadel/uac/burn/{burn_id}/segment``."""
        found: bytes = await self._call(
            "GET", f"/v1/citadel/uac/burn/{quote(burn_id, safe='')}/segment", bytes, query=query
        )
        return found

    async def rosters_get(self) -> Roster:
        """What the newest roster came to. GET ``/v1/citadel/lifecycle/roster``."""
        found: Roster = await self._call("GET", "/v1/citadel/lifecycle/roster", Roster)
        return found

    async def rosters_post(self, body: RosterBody, *, idempotency_key: str | None = None) -> Roster:
        """Compares everybody whom HR employs with the active nodes; differences go to operators. POST
        ``/v1/citadel/lifecycle/roster``."""
        found: Roster = await self._call(
            "POST", "/v1/citadel/lifecycle/roster", Roster, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def stylized_enrol(self, id: str, body: TemplateSamples) -> EnrolledTemplates:
        """Enrols the node's stylized templates (1 to 25 samples), in place of those before. PUT
        ``/v1/registry/nodes/{id}/stylized``."""
        found: EnrolledTemplates = await self._call(
            "PUT", f"/v1/registry/nodes/{quote(id, safe='')}/stylized", EnrolledTemplates, body=body
        )
        return found

    async def stylized_erase(self, id: str) -> ErasedTemplates:
        """Erases the node's stylized templates from every registry. DELETE ``/v1/registry/nodes/{id}/stylized``."""
        found: ErasedTemplates = await self._call(
            "DELETE", f"/v1/registry/nodes/{quote(id, safe='')}/stylized", ErasedTemplates
        )
        return found

    async def stylized_verify(self, body: StylizedBody, *, idempotency_key: str | None = None) -> StylizedMatch:
        """Compares a stylized template with a registry, or with one node of it. POST
        ``/v1/ambient/verify/stylized``."""
        found: StylizedMatch = await self._call(
            "POST",
            "/v1/ambient/verify/stylized",
            StylizedMatch,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def training_palms_enrol(
        self, body: TrainingEnrolBody, *, idempotency_key: str | None = None
    ) -> EnrolledTemplates:
        """Lays the node's drawn palm on a software terminal five times and enrols it. POST
        ``/v1/training/palm/enrol``."""
        found: EnrolledTemplates = await self._call(
            "POST",
            "/v1/training/palm/enrol",
            EnrolledTemplates,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def training_palms_lay(self, body: TrainingPalmBody, *, idempotency_key: str | None = None) -> PalmVerdict:
        """Lays the node's drawn palm on a software terminal; its frame is decided as any other. POST
        ``/v1/training/palm``."""
        found: PalmVerdict = await self._call(
            "POST", "/v1/training/palm", PalmVerdict, body=body, headers={"Idempotency-Key": idempotency_key}
        )
        return found

    async def voice_calibration(self) -> VoiceCalibration:
        """The error rates of the voice check over the tolerance. GET ``/v1/core/vssn/spectral-check/calibration``."""
        found: VoiceCalibration = await self._call("GET", "/v1/core/vssn/spectral-check/calibration", VoiceCalibration)
        return found

    async def voice_check(self, body: SpectralCheckBody, *, idempotency_key: str | None = None) -> SpectralCheck:
        """Judges whether a recording is of the enrolled speaker, and of a living voice. POST
        ``/v1/core/vssn/spectral-check``."""
        found: SpectralCheck = await self._call(
            "POST",
            "/v1/core/vssn/spectral-check",
            SpectralCheck,
            body=body,
            headers={"Idempotency-Key": idempotency_key},
        )
        return found

    async def voice_enrol(self, id: str, body: VoiceSamples) -> EnrolledVoice:
        """Enrols the node's voice from at least three takes, in place of the one before. PUT
        ``/v1/registry/nodes/{id}/voice``."""
        found: EnrolledVoice = await self._call(
            "PUT", f"/v1/registry/nodes/{quote(id, safe='')}/voice", EnrolledVoice, body=body
        )
        return found

    async def voice_enrolled(self, id: str) -> EnrolledVoice:
        """What is enrolled of the node's voice, without the signature itself. GET
        ``/v1/registry/nodes/{id}/voice``."""
        found: EnrolledVoice = await self._call("GET", f"/v1/registry/nodes/{quote(id, safe='')}/voice", EnrolledVoice)
        return found

    async def voice_erase(self, id: str) -> ErasedVoice:
        """Erases the node's vocal signature. DELETE ``/v1/registry/nodes/{id}/voice``."""
        found: ErasedVoice = await self._call("DELETE", f"/v1/registry/nodes/{quote(id, safe='')}/voice", ErasedVoice)
        return found


CALL_ROLES: Final[Mapping[str, Roles]] = {
    "approvals_approve": DESK | BADGE | AUDITOR | ADMIN,
    "approvals_get": ANY_ROLE,
    "approvals_list": ANY_ROLE,
    "approvals_reject": DESK | BADGE | AUDITOR | ADMIN,
    "approvals_request": DESK | BADGE | AUDITOR | ADMIN,
    "batches_cancel": BADGE,
    "batches_get": ANY_ROLE,
    "batches_list": ANY_ROLE,
    "batches_make": BADGE,
    "batches_pause": BADGE,
    "batches_resume": BADGE,
    "burn_close_target": DESK,
    "burn_execute": DESK,
    "burn_get": ANY_ROLE,
    "burn_lift": DESK,
    "burn_list": ANY_ROLE,
    "burn_preview": DESK,
    "burn_retry_target": DESK,
    "burn_speed": ANY_ROLE,
    "containments_contain": DESK,
    "containments_get": ANY_ROLE,
    "containments_list": ANY_ROLE,
    "containments_release": DESK,
    "credentials_access": ANY_ROLE,
    "credentials_get_sync": ANY_ROLE,
    "credentials_plug_reader": ANY_ROLE,
    "credentials_present": ANY_ROLE,
    "credentials_sync": DESK | BADGE,
    "deliveries_get": ANY_ROLE,
    "deliveries_keys": ANY_ROLE,
    "deliveries_list": ANY_ROLE,
    "deliveries_record_outcome": DESK | ADMIN,
    "deliveries_send": DESK | ADMIN,
    "door_decisions_list": DESK | AUDITOR,
    "drawer_move_card": ANY_ROLE,
    "enforcement_bundle": ANY_ROLE,
    "enforcement_declaration": ANY_ROLE,
    "enforcement_get": ANY_ROLE,
    "enforcement_jurisdictions": ANY_ROLE,
    "enforcement_list": ANY_ROLE,
    "enforcement_notices": ANY_ROLE,
    "enforcement_preview": DESK | ADMIN,
    "enforcement_strike": DESK | ADMIN,
    "enforcement_supply": DESK | ADMIN,
    "enforcement_withdraw": DESK | ADMIN,
    "erasures_erase": AUDITOR,
    "gateway_acknowledge_alarm": DESK | ADMIN,
    "gateway_alarms": ANY_ROLE,
    "gateway_audit_evidence": ANY_ROLE,
    "gateway_audit_log_query": ANY_ROLE,
    "gateway_take_alarm": DESK | BADGE | ADMIN,
    "gateway_telemetry_stream": ANY_ROLE,
    "health_alive": ANY_ROLE,
    "health_metrics": ANY_ROLE,
    "health_openapi": ANY_ROLE,
    "health_ready": ANY_ROLE,
    "infrastructure_nodes": ANY_ROLE,
    "infrastructure_status": ANY_ROLE,
    "keys_create": ADMIN,
    "keys_list": AUDITOR | ADMIN,
    "keys_revoke": ADMIN,
    "keys_rotate": ADMIN,
    "keystone_rotate": DESK | BADGE,
    "keystone_verify": DESK | BADGE,
    "lifecycle_close_events": DESK,
    "lifecycle_hr_sync": ANY_ROLE,
    "lifecycle_hr_sync_from": ANY_ROLE,
    "lifecycle_list_events": ANY_ROLE,
    "lifecycle_verify_hr_sync": ANY_ROLE,
    "lifecycle_verify_hr_sync_from": ANY_ROLE,
    "log_checkpoint": ANY_ROLE,
    "log_entries": ANY_ROLE,
    "log_keys": ANY_ROLE,
    "log_policy": ANY_ROLE,
    "log_roots": ANY_ROLE,
    "log_tile": ANY_ROLE,
    "log_witnesses": ANY_ROLE,
    "mass_burns_burn": DESK,
    "media_bundle": ANY_ROLE,
    "media_calibration": ANY_ROLE,
    "media_get": ANY_ROLE,
    "media_heatmap": ANY_ROLE,
    "media_list": ANY_ROLE,
    "media_scan": DESK,
    "media_stop": DESK,
    "media_upload": DESK,
    "operators_begin_openid": ANY_ROLE,
    "operators_challenge_card": ANY_ROLE,
    "operators_change_passphrase": ANY_ROLE,
    "operators_end_session": ADMIN,
    "operators_list_sessions": ADMIN,
    "operators_lock": ANY_ROLE,
    "operators_set_passphrase": ADMIN,
    "operators_sign_in_by_card": ANY_ROLE,
    "operators_sign_in_by_openid": ANY_ROLE,
    "operators_sign_in_by_passphrase": ANY_ROLE,
    "operators_sign_out": ANY_ROLE,
    "operators_stay": ANY_ROLE,
    "operators_who_am_i": ANY_ROLE,
    "palm_enrol": BADGE,
    "palm_erase": BADGE | AUDITOR,
    "palm_verify": DESK | BADGE,
    "permits_authorize": DESK | ADMIN,
    "permits_mint": DESK | ADMIN,
    "pki_certificate": ANY_ROLE,
    "pki_crl": ANY_ROLE,
    "pki_ocsp_get": ANY_ROLE,
    "provenance_bundle": ANY_ROLE,
    "provenance_get": ANY_ROLE,
    "provenance_issue": DESK | BADGE,
    "provenance_list": ANY_ROLE,
    "provenance_withdraw": DESK | BADGE,
    "provisioning_delete_element": BADGE,
    "provisioning_get_element": ANY_ROLE,
    "provisioning_get_provision": ANY_ROLE,
    "provisioning_get_receipt": ANY_ROLE,
    "provisioning_get_trace": BADGE | AUDITOR,
    "provisioning_import_elements": BADGE,
    "provisioning_list_cards": ANY_ROLE,
    "provisioning_list_elements": ANY_ROLE,
    "provisioning_list_makers": ANY_ROLE,
    "provisioning_list_provisions": ANY_ROLE,
    "provisioning_list_receipts": BADGE | MANAGER | AUDITOR,
    "provisioning_pin_maker": ADMIN,
    "provisioning_print_pin_mailer": BADGE,
    "provisioning_provision": BADGE,
    "provisioning_put_element": BADGE,
    "provisioning_reset_pin": BADGE,
    "provisioning_revoke_card": DESK | BADGE,
    "provisioning_unpin_maker": ADMIN,
    "registry_acknowledge_terminal_bundle": ADMIN,
    "registry_delete_credential_profile": BADGE | ADMIN,
    "registry_delete_directory": ADMIN,
    "registry_delete_hr_source": ADMIN,
    "registry_delete_media_source": ADMIN,
    "registry_delete_node": ADMIN,
    "registry_delete_operator": ADMIN,
    "registry_delete_peer": ADMIN,
    "registry_delete_platform": ADMIN,
    "registry_delete_reader_cluster": ADMIN,
    "registry_delete_template_registry": ADMIN,
    "registry_delete_terminal": ADMIN,
    "registry_delete_unit": ADMIN,
    "registry_enrol_reader_cluster": DESK | ADMIN,
    "registry_get_credential_profile": ANY_ROLE,
    "registry_get_directory": ANY_ROLE,
    "registry_get_hr_source": ANY_ROLE,
    "registry_get_media_source": ANY_ROLE,
    "registry_get_node": ANY_ROLE,
    "registry_get_operator": ANY_ROLE,
    "registry_get_peer": ANY_ROLE,
    "registry_get_platform": ANY_ROLE,
    "registry_get_reader_cluster": ANY_ROLE,
    "registry_get_template_registry": ANY_ROLE,
    "registry_get_terminal": ANY_ROLE,
    "registry_get_terminal_bundle": ADMIN,
    "registry_get_unit": ANY_ROLE,
    "registry_list_credential_profiles": ANY_ROLE,
    "registry_list_directories": ANY_ROLE,
    "registry_list_hr_sources": ANY_ROLE,
    "registry_list_media_sources": ANY_ROLE,
    "registry_list_nodes": ANY_ROLE,
    "registry_list_operators": ANY_ROLE,
    "registry_list_peers": ANY_ROLE,
    "registry_list_platforms": ANY_ROLE,
    "registry_list_reader_clusters": ANY_ROLE,
    "registry_list_template_registries": ANY_ROLE,
    "registry_list_terminals": ANY_ROLE,
    "registry_list_units": ANY_ROLE,
    "registry_put_credential_profile": BADGE | ADMIN,
    "registry_put_directory": ADMIN,
    "registry_put_hr_source": ADMIN,
    "registry_put_media_source": ADMIN,
    "registry_put_node": BADGE | ADMIN,
    "registry_put_operator": ADMIN,
    "registry_put_peer": ADMIN,
    "registry_put_platform": ADMIN,
    "registry_put_reader_cluster": ADMIN,
    "registry_put_template_registry": ADMIN,
    "registry_put_terminal": ADMIN,
    "registry_put_unit": ADMIN,
    "registry_renew_template_registry": ADMIN,
    "registry_rotate_reader_keys": DESK | ADMIN,
    "revocations_evidence": DESK | MANAGER | AUDITOR,
    "revocations_manifest": DESK | MANAGER | AUDITOR,
    "revocations_segment": DESK | MANAGER | AUDITOR,
    "rosters_get": ANY_ROLE,
    "rosters_post": DESK | ADMIN,
    "stylized_enrol": BADGE,
    "stylized_erase": BADGE | AUDITOR,
    "stylized_verify": DESK | BADGE,
    "training_palms_enrol": ANY_ROLE,
    "training_palms_lay": ANY_ROLE,
    "voice_calibration": ANY_ROLE,
    "voice_check": DESK | BADGE,
    "voice_enrol": BADGE,
    "voice_enrolled": ANY_ROLE,
    "voice_erase": BADGE | AUDITOR,
}
"""Operators that may make each call, by the name of its method."""
