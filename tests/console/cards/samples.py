"""Cards, people, provisionings and jobs for the tests of what writes cards."""

from __future__ import annotations

from app.capabilities.provisioning.messages import Card, FipsVerdict, Provision
from app.console.cards.jobs import CardJob, JobPhase
from app.registry.messages.nodes import Node

AT = "2026-03-01T10:00:00.000000Z"


def card(
    state: str | None = "blank", *, uid: str = "70000001", present: bool = True, detail: str | None = None
) -> Card:
    """A card in a reader."""
    return Card(
        reader="Reader 1",
        atr="3B00",
        hardware_uid=uid if present else None,
        uid_source="reader" if uid.startswith("reader:") else "serial",
        aliases=["reader:Reader 1"],
        card_guid=None,
        node_id="ARC-T0002" if state == "provisioned" else None,
        state=state,  # type: ignore[arg-type]
        present=present,
        detail=detail,
    )


def node(standing: str = "UNVERIFIED") -> Node:
    """A person."""
    return Node(
        node_id="ARC-T0020", display_name="Training Person 20", employee_id=None, email=None, notes=None,
        directory_accounts=[], tags=[], standing=standing, verified_at=None, credentials=[], live_checks=[],  # type: ignore[arg-type]
        templates=[], created_at=AT, changed_at=AT,
    )  # fmt: skip


def provision(state: str = "TORN") -> Provision:
    """A provisioning of card 70000001."""
    return Provision(
        provision_id="prv_1", node_id="ARC-T0020", hardware_uid="70000001", hardware_uid_now=None, state=state,  # type: ignore[arg-type]
        card_guid="11111111-1111-4111-8111-111111111111", slots=[],
        fips=FipsVerdict(required="FIPS 201-3", verdict="UNKNOWN", evidence="none", module=None, certificate=None),
        verification=None, apdu_count=0, duration_ms=0.0, receipt_url=None, standing="UNVERIFIED", timestamp=AT,
    )  # fmt: skip


def job(phase: JobPhase) -> CardJob:
    """A job of card 70000001."""
    made = CardJob(
        "Reader 1", "ARC-T0020", "FIPS 201-3", "70000001", frozenset({"70000001"}), person="Training Person 20"
    )
    made.phase = phase
    if phase is JobPhase.TORN:
        made.provision = provision()
    return made
