"""What the site demands as proof of a FIPS claim, and what it judges by: module table, pinned makers, stock.

The rules are in ``hardware.cards.fips``; this module gives them their inputs. A card's claim is judged twice: before
the first write, and again with the first key that it made, before it gets a certificate or a secret.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from cryptography import x509
from sqlalchemy import Row

from app.capabilities.provisioning.messages import FipsVerdict
from app.capabilities.provisioning.stock.messages import Validation
from app.site.site import Site
from hardware.cards import fips
from hardware.cards.attestation import Attestation, attesting_certificate, load_makers
from hardware.cards.chain import issued_by
from hardware.cards.device import DeviceReport
from hardware.cards.fips import AcceptancePolicy, DemandVerdict, FipsDemand, FipsFinding, Looks, Module
from hardware.cards.identify import CardIdentity
from hardware.cards.piv import PivSession

MODULES = Path(__file__).parents[4] / "resources" / "fips-modules.json"
MAKERS = "makers.pem"
"""File in the data directory with the maker certificates that the site pins; without it nothing is ever attested."""


class FipsNotMet(Exception):
    """The element does not meet the demand. ``str`` is the sentence for people, ``verdict`` the evidence."""

    def __init__(self, verdict: FipsVerdict, remedy: str) -> None:
        """``remedy``: a sentence with what can help; its advice must not lead to this same refusal again."""
        super().__init__(
            f"{verdict.required} is not proven for this element "
            f"({verdict.verdict}, evidence: {verdict.evidence}): {verdict.detail}. {remedy}"
        )
        self.verdict = verdict


class FipsPolicy:
    """Judges elements for one site. ``makers`` None: cards are not asked to attest."""

    def __init__(
        self, modules: Sequence[Module], makers: Sequence[x509.Certificate] | None, policy: AcceptancePolicy
    ) -> None:
        self.modules = tuple(modules)
        self.makers = makers
        self.policy = policy

    @classmethod
    def open(cls, site: Site) -> FipsPolicy:
        """The site's policy. Raises ``ModuleTableError``, or ``ValueError`` for a maker file without certificates."""
        pinned = site.data_dir / MAKERS
        makers = load_makers(pinned.read_bytes()) if pinned.is_file() else None
        settings = site.settings
        policy = AcceptancePolicy(settings.minimum_evidence, settings.accept_historical, site.training)
        return cls(fips.load_modules(MODULES.read_bytes()), makers, policy)

    def judge(
        self,
        demand: FipsDemand,
        identity: CardIdentity,
        element: Row[Any] | None,
        *,
        attestation: Attestation | None = None,
        report: DeviceReport | None = None,
        before_write: bool,
    ) -> tuple[DemandVerdict, FipsFinding]:
        """Compares what is known of the element with what is demanded of it."""
        finding = fips.find(
            self.modules,
            Looks(identity.atr, identity.template, identity.cplc),
            attestation=attestation,
            report=report,
            declared=_declared_validation(element),
            before_write=before_write,
        )
        return fips.judge(demand, finding, self.policy, datetime.now(UTC).date()), finding

    def require(self, demand: FipsDemand, written: FipsVerdict, element: Row[Any] | None) -> FipsVerdict:
        """The verdict on a card that was written under another demand, judged by the module that was found then, or
        by what the stock declares where the table has none, and by today's date; ``FipsNotMet`` if it is not
        accepted."""
        if written.required == str(demand):
            return written
        module = next((row for row in self.modules if row.product == written.module), None)
        known = fips.validation_of(module) if module is not None else _declared_validation(element)
        # Out of its approved mode no card was accepted, and its keys are those of that time.
        finding = FipsFinding(written.evidence, module, known, None, "as it was proven when the card was written")
        verdict = fips.judge(demand, finding, self.policy, datetime.now(UTC).date())
        if not verdict.accepted:
            raise FipsNotMet(reply(demand, verdict), "Have the card re-issued on an element that meets it.")
        return reply(demand, verdict)

    def remedy(self, verdict: DemandVerdict) -> str:
        """What can help against this verdict, as the site is set: never what leads to the same refusal again."""
        least = self.policy.minimum_evidence
        if verdict.verdict == "HISTORICAL":
            return "Use another element; this site does not accept historical validations (accept_historical)."
        if verdict.verdict == "NOT_MET":
            if verdict.evidence == "declared":
                return "Use another element, or correct its declaration in the stock."
            return "Use another element."
        if verdict.evidence == "none" and fips.reaches("declared", least):
            return "Use another element, or declare its validation in the stock."
        if self.makers is None:
            return (
                "Use another element, or pin the maker of this one (page Stock, PUT /v1/registry/card-makers), so that "
                f"the card can prove it itself. A declaration does not reach the site's minimum_evidence, {least!r}."
            )
        return f"Use another element: nothing that can be declared reaches the site's minimum_evidence, {least!r}."

    def may_attest(self, piv: PivSession) -> bool:
        """Whether the card's attesting key leads to a pinned maker, so that its first key may prove the claim. Reads
        one object. Raises ``CardError``."""
        if self.makers is None:
            return False
        try:
            signer = x509.load_der_x509_certificate(attesting_certificate(piv) or b"")
        except (ValueError, TypeError):
            return False
        return issued_by(signer, self.makers)


def reply(demand: FipsDemand, verdict: DemandVerdict) -> FipsVerdict:
    """The verdict as callers see it."""
    return FipsVerdict(
        required=str(demand),
        verdict=verdict.verdict,
        evidence=verdict.evidence,
        module=verdict.module,
        certificate=verdict.certificate,
        detail=verdict.detail,
    )


def _declared_validation(element: Row[Any] | None) -> fips.FipsValidation | None:
    if element is None or element.validation is None:
        return None
    declared = msgspec.json.decode(element.validation, type=Validation)
    return fips.FipsValidation(declared.standard, declared.level, declared.physical, declared.certificate)
