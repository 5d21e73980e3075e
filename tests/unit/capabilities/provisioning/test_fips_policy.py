"""What a site demands as proof of a FIPS claim: its verdict on a card that was written, and what it advises."""

from __future__ import annotations

import datetime
import re
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from app.capabilities.provisioning.messages import FipsVerdict
from app.capabilities.provisioning.stock.messages import Validation
from app.capabilities.provisioning.stock.policy import FipsNotMet, FipsPolicy, reply
from hardware.cards import tlv
from hardware.cards.apdu import ApduChannel
from hardware.cards.attestation import Attestation
from hardware.cards.fips import AcceptancePolicy, DemandVerdict, Evidence, FipsDemand, Module, Rule, VerdictName
from hardware.cards.identify import CardIdentity, CardState, UidSource
from hardware.cards.piv import PivSession, certificate_object
from tests.hardware.cards.card_site import ScriptedConnection, TestSite

SITE = TestSite()
MODULE = Module(
    id="x",
    maker="M",
    product="P",
    standard="FIPS 140-3",
    certificate="1",
    level=2,
    physical=3,
    status="active",
    sunset=None,
    approved_first=False,
    contactless_needs_channel=False,
    management_key=None,
    match=Rule(firmware=("5.7.4",)),
    source="test",
    checked_on=datetime.date(2026, 1, 1),
)
OTHER = msgspec.structs.replace(MODULE, id="y", product="Q", certificate="2", level=1, physical=1, match=Rule())
DEMAND = FipsDemand.parse("FIPS 140-3 Level 2")
IDENTITY = CardIdentity("R", b"\x3b\x00", CardState.BLANK, "1", UidSource.SERIAL)


def policy(least: Evidence = "declared", *, historical: bool = False, makers: bool = False) -> FipsPolicy:
    """A site of production with two modules."""
    pinned = SITE.authorities if makers else None
    return FipsPolicy([OTHER, MODULE], pinned, AcceptancePolicy(least, accept_historical=historical))


def written(module: str | None = "P", evidence: Evidence = "attested", required: str = "FIPS 140-3") -> FipsVerdict:
    """The verdict with which a card was written."""
    return FipsVerdict(
        required=required, verdict="MET", evidence=evidence, module=module, certificate="1", detail="as it was"
    )


def element(declared: Validation | None) -> Any:
    """A row of the stock."""
    return SimpleNamespace(validation=None if declared is None else msgspec.json.encode(declared).decode())


def test_the_same_demand_has_the_same_verdict() -> None:
    """Nothing is judged anew."""
    before = written(required="FIPS 140-3 Level 2")
    assert policy().require(DEMAND, before, None) is before


def test_another_demand_is_judged_by_the_module_that_was_found() -> None:
    """The table's row of that product, whichever stands first."""
    found = policy().require(DEMAND, written(), None)
    assert (found.required, found.verdict, found.evidence, found.module, found.certificate) == (
        "FIPS 140-3 Level 2",
        "MET",
        "attested",
        "P",
        "1",
    )
    assert found.detail == "FIPS 140-3 Level 2 #1, as it was proven when the card was written"
    with pytest.raises(FipsNotMet, match=r"NOT_MET, evidence: attested.*Have the card re-issued") as refused:
        policy().require(DEMAND, written("Q"), None)
    assert refused.value.verdict.certificate == "2"


@pytest.mark.parametrize(
    ("declared", "verdict"),
    [
        (Validation(standard="FIPS 140-3", certificate="9", level=2, physical=3), "MET"),
        (Validation(standard="FIPS 140-3", certificate="9", level=1, physical=3), None),
        (None, None),
    ],
)
def test_a_module_that_the_table_lacks_is_judged_by_the_stock(declared: Validation | None, verdict: str | None) -> None:
    """What was declared when it was taken in; nothing declared proves nothing."""
    before = written("gone", "declared")
    if verdict is None:
        with pytest.raises(FipsNotMet):
            policy().require(DEMAND, before, element(declared))
        return
    found = policy().require(DEMAND, before, element(declared))
    assert (found.verdict, found.certificate, found.module) == (verdict, "9", None)
    with pytest.raises(FipsNotMet):
        policy().require(DEMAND, before, None)


def test_a_card_is_judged_by_all_that_is_known_of_it() -> None:
    """Attestation, then the stock's declaration."""
    attested = Attestation((), (5, 7, 4), 4711, 0x81, fips=True, root="00")
    verdict, finding = policy().judge(DEMAND, IDENTITY, None, attestation=attested, before_write=False)
    assert (verdict.verdict, finding.evidence, finding.module) == ("MET", "attested", MODULE)
    declared = element(Validation(standard="FIPS 140-3", certificate="9", level=2, physical=3))
    verdict, finding = policy().judge(DEMAND, IDENTITY, declared, before_write=False)
    assert (verdict.verdict, finding.evidence, verdict.certificate) == ("MET", "declared", "9")
    verdict, finding = policy().judge(DEMAND, IDENTITY, None, before_write=True)
    assert (verdict.verdict, verdict.accepted, finding.evidence) == ("UNKNOWN", False, "none")


@pytest.mark.parametrize(
    ("verdict", "evidence", "least", "makers", "advice"),
    [
        ("HISTORICAL", "attested", "declared", False, "accept_historical"),
        ("NOT_MET", "declared", "declared", False, "or correct its declaration in the stock"),
        ("NOT_MET", "attested", "declared", False, r"^Use another element\.$"),
        ("UNKNOWN", "none", "declared", False, "or declare its validation in the stock"),
        ("UNKNOWN", "none", "identified", False, "pin the maker of this one"),
        ("UNKNOWN", "declared", "identified", False, "does not reach the site's minimum_evidence, 'identified'"),
        ("UNKNOWN", "none", "attested", True, "nothing that can be declared reaches .* 'attested'"),
        ("UNKNOWN", "declared", "declared", True, "nothing that can be declared reaches .* 'declared'"),
    ],
)
def test_the_advice_never_leads_to_the_same_refusal(
    verdict: VerdictName, evidence: Evidence, least: Evidence, makers: bool, advice: str
) -> None:
    """As the site is set: a declaration helps only where it counts, a pinned maker only where none is."""
    refused = DemandVerdict(verdict, False, evidence, None, None, "why")
    assert re.search(advice, policy(least, makers=makers).remedy(refused))


def test_whether_a_card_may_attest() -> None:
    """Its attesting certificate leads to a pinned maker; without one nothing is read."""
    good = SITE.content_signer.certificate
    for makers, answer, expected in (
        (False, None, False),
        (True, "6A82", False),
        (True, "530100" + "9000", False),
        (True, certificate_answer(good), True),
        (True, certificate_answer(TestSite().content_signer.certificate), False),
    ):
        connection = ScriptedConnection.of(answer or "6F00")
        assert policy(makers=makers).may_attest(PivSession(ApduChannel(connection))) is expected
        assert bool(connection.sent) is makers


def test_a_verdict_is_told_whole() -> None:
    """Every part of it, and the demand as it is written."""
    verdict = DemandVerdict("HISTORICAL", True, "identified", "P", "1", "why")
    assert reply(DEMAND, verdict) == FipsVerdict(
        required="FIPS 140-3 Level 2",
        verdict="HISTORICAL",
        evidence="identified",
        module="P",
        certificate="1",
        detail="why",
    )


def certificate_answer(certificate: x509.Certificate) -> str:
    """The card's answer to the question for its attesting certificate."""
    der = certificate.public_bytes(Encoding.DER)
    return (tlv.encode(0x53, certificate_object(der)) + b"\x90\x00").hex()
