"""The matching policy: Student's t, what a match needs, and what is said of it."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.biometrics.gallery import Found
from app.biometrics.matching import (
    INTENTS,
    MAY_MATCH,
    NOT_REPORTED,
    Cause,
    MatchDecision,
    Rules,
    entry_rules,
    identify,
    log_likelihood_ratio,
    probe_digest,
    requirement,
    t_quantile,
    verify,
)

RULES = Rules()


def found(score: float, second: float = 0.2, *, others: int = 1_000, spread: float = 0.05) -> Found:
    """A search whose best node stands at ``score`` before others around 0."""
    cohort = (np.random.default_rng(5).standard_normal(others) * spread).astype(np.float32)
    return Found((("ARC-1", score), ("ARC-2", second)), cohort, others + 1)


def decide(best: Found, intent: str = "ACCESS_ENTRY", rules: Rules = RULES, **facts: object) -> MatchDecision:
    """The decision."""
    return identify(best, intent, rules, **facts)  # type: ignore[arg-type]


def exact_tail(t: float, degrees: int) -> Decimal:
    """P(T > t) for an even number of degrees, by the finite sum (Abramowitz and Stegun 26.7.4), 40 digits."""
    with localcontext() as context:
        context.prec = 40
        value, degree = Decimal(t), Decimal(degrees)
        cosine = degree / (degree + value * value)
        term = total = Decimal(1)
        for k in range(1, degrees // 2):
            term *= cosine * (2 * k - 1) / (2 * k)
            total += term
        return (1 - (1 - cosine).sqrt() * total) / 2


@pytest.mark.parametrize(
    ("tail", "degrees", "value"),
    [
        (0.05, 1, 6.3138),
        (0.025, 2, 4.3027),
        (0.005, 5, 4.0321),
        (0.025, 10, 2.2281),
        (0.001, 20, 3.5518),
        (0.0005, 30, 3.6460),
        (0.05, 120, 1.6577),
    ],
)
def test_quantiles_of_the_tables(tail: float, degrees: int, value: float) -> None:
    """The printed tables of Student's t."""
    assert t_quantile(tail, degrees) == pytest.approx(value, abs=5e-5)


@given(st.integers(1, 400).map(lambda half: 2 * half), st.floats(-12, -1).map(lambda power: 10**power))
def test_the_quantile_has_the_tail_that_was_asked_for(degrees: int, tail: float) -> None:
    """Its exact tail is the one asked for, down to 1e-12."""
    assert float(exact_tail(t_quantile(tail, degrees), degrees)) == pytest.approx(tail, rel=1e-9)


@pytest.mark.parametrize(("tail", "degrees"), [(0.0, 5), (0.5, 5), (1e-4, 0), (-1.0, 5)])
def test_no_quantile_without_a_tail(tail: float, degrees: int) -> None:
    """What is no upper tail, or has no degree of freedom, is refused."""
    with pytest.raises(ValueError, match="tail"):
        t_quantile(tail, degrees)


def test_a_clear_match_is_a_match() -> None:
    """High, apart from the others and from the second: the node, with a confidence of four decimals."""
    decision = decide(found(0.8))
    assert (decision.node_id, decision.cause) == ("ARC-1", "matched")
    assert decision.confidence == round(decision.confidence, 4) > 0.9


@pytest.mark.parametrize(
    ("best", "rules", "facts", "cause"),
    [
        (Found((), np.zeros(0, np.float32), 0), RULES, {}, "nobody"),
        (found(0.39, 0.1), RULES, {}, "below_floor"),
        (found(0.45, 0.1, spread=0.1), RULES, {}, "among_the_others"),
        (found(0.8, 0.73), RULES, {}, "two_alike"),
        (found(0.996), RULES, {}, "copy"),
        (found(0.8), RULES, {"replayed": True}, "replayed"),
        (found(0.8), Rules(liveness_min=50), {"liveness": 49}, "liveness"),
        (found(0.8), Rules(liveness_min=1), {"liveness": NOT_REPORTED}, "liveness"),
        (found(0.49, 0.1, others=10), RULES, {}, "among_the_others"),
        (found(0.49, 0.1, others=19, spread=0.01), RULES, {}, "among_the_others"),
        (found(0.9, 0.1, others=8, spread=0.2), RULES, {}, "among_the_others"),
        (found(0.9, 0.1, others=7, spread=0.001), RULES, {}, "too_few"),
        (found(0.9, 0.1, others=0), RULES, {}, "too_few"),
        (found(0.39, 0.1, others=7), RULES, {}, "below_floor"),
        (found(0.49, 0.1, others=7), Rules(few_by_score=True), {}, "among_the_others"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_condition_alone_refuses(best: Found, rules: Rules, facts: dict[str, object], cause: Cause) -> None:
    """Whatever fails, there is no node, and the confidence is exactly zero: nothing to climb on."""
    decision = decide(best, rules=rules, **facts)
    assert (decision.node_id, decision.confidence, decision.live, decision.cause) == (None, 0.0, False, cause)


def test_the_limit_is_the_rate_of_one_comparison() -> None:
    """FPIR of the intent over the nodes that were searched, and the uncertainty of the cohort's own mean."""
    decision = decide(found(0.8), "LOGIN")
    assert decision.rate == 1e-4 / 1_001
    assert decision.limit == pytest.approx(t_quantile(1e-4 / 1_001, 999) * math.sqrt(1.001))
    assert decision.extrapolated


def test_a_claim_is_decided_at_its_own_rate() -> None:
    """1:1 asks for 1e-4, which is not extrapolated, and starts from even odds."""
    best = found(0.8)
    decision = verify(best, RULES)
    assert (decision.rate, decision.extrapolated, decision.matched) == (1e-4, False, True)
    assert decision.confidence > decide(best).confidence


@pytest.mark.parametrize(("others", "basis"), [(0, "TOO_FEW"), (7, "TOO_FEW"), (8, "FEW"), (19, "FEW"), (20, "COHORT")])
def test_the_basis_is_the_number_of_the_others(others: int, basis: str) -> None:
    """It says how many people were searched, with a match and without."""
    assert decide(found(0.9, others=others)).basis == decide(found(0.1, 0.0, others=others)).basis == basis
    assert verify(found(0.9, others=others), RULES).basis == basis


def test_few_others_set_a_limit_of_their_own() -> None:
    """Student's t with so few degrees of freedom, and 0.50 besides."""
    decision = decide(found(0.55, 0.1, others=19, spread=0.02))
    assert decision.limit == pytest.approx(t_quantile(1e-3 / 20, 18) * math.sqrt(1 + 1 / 19))
    assert decision.matched
    assert decision.z is not None
    assert decision.limit is not None
    assert decision.z > decision.limit
    assert not decide(found(0.49, 0.1, others=19, spread=0.02)).matched
    assert decide(found(0.49, 0.1, others=20, spread=0.02)).matched


def test_the_score_alone_decides_where_a_wrong_yes_costs_less() -> None:
    """For training, and for the question whether somebody is enrolled already: below twenty others there is no z."""
    rules = Rules(few_by_score=True)
    for others in (0, 7, 8, 19):
        decision = decide(found(0.55, 0.1, others=others, spread=0.3), rules=rules)
        assert (decision.matched, decision.z, decision.limit) == (True, None, None)
    assert decide(found(0.55, 0.1, others=20, spread=0.3), rules=rules).z is not None


@pytest.mark.parametrize(("others", "limit", "alone"), [(7, False, 2.0), (19, False, 2.0), (20, True, 2.0)])
def test_a_terminal_alone_finds_nobody_among_few(others: int, limit: bool, alone: float) -> None:
    """Of its bundle some may be denied by then, and no limit is of any number."""
    rules = entry_rules(others + 1, RULES)
    assert (rules.limit is not None, rules.alone) == (limit, alone)
    assert entry_rules(others + 1, Rules(few_by_score=True)).alone == 0.5


def test_a_cohort_without_any_spread_is_none() -> None:
    """Equal scores of all others do not make every score an outlier."""
    best = Found((("ARC-1", 0.45), ("ARC-2", 0.0)), np.zeros(100, np.float32), 101)
    assert decide(best).cause == "among_the_others"


def test_copies_are_flagged_where_they_are_not_refused() -> None:
    """A training site matches a copy, says so, and takes it for no live check."""
    rules = Rules(refuse_copies=False)
    for decision in (
        decide(found(0.996), rules=rules, liveness=90),
        decide(found(0.8), rules=rules, liveness=90, replayed=True),
    ):
        assert (decision.matched, decision.copy, decision.live) == (True, True, False)


@pytest.mark.parametrize(("liveness", "live"), [(0, False), (49, False), (50, True), (NOT_REPORTED, False)])
def test_only_what_a_minimum_asks_for_makes_a_live_check(liveness: int, live: bool) -> None:
    """Where none is asked for the door opens, and whatever the sensor says proves no living hand."""
    assert decide(found(0.8), rules=Rules(liveness_min=50), liveness=liveness).live is live
    asked_nothing = decide(found(0.8), liveness=liveness)
    assert (asked_nothing.matched, asked_nothing.live) == (True, False)


def test_the_transaction_has_the_last_word() -> None:
    """A node that was burned since the search is no match, at confidence zero."""
    refused = decide(found(0.8)).refusal("standing")
    assert (refused.node_id, refused.confidence, refused.cause) == (None, 0.0, "standing")
    assert MAY_MATCH.isdisjoint({"SUSPENDED", "REVOKED", "WITHDRAWN", "SYNTHETIC_SUSPECTED"})


def test_an_unknown_intent_is_taken_at_the_strictest() -> None:
    """Lowest rate of all, and a second factor."""
    unknown = requirement("OPEN_THE_SAFE")
    assert unknown.fpir == min(one.fpir for one in INTENTS.values())
    assert unknown.second_factor == "REQUIRED"


@given(st.floats(0.4, 0.99), st.floats(0.4, 0.99))
def test_confidence_rises_with_the_score(one: float, other: float) -> None:
    """A better score never says less, and the ratio stays within its cap."""
    low, high = sorted((one, other))
    assert decide(found(low)).confidence <= decide(found(high)).confidence <= 1.0
    assert abs(log_likelihood_ratio(1e6)) == abs(log_likelihood_ratio(-1e6))


def test_a_probe_is_known_again_by_its_first_view() -> None:
    """Under one key equal probes have one digest, whatever further views they bring; under another key another."""
    views = np.random.default_rng(1).integers(-127, 128, (2, 512), np.int8)
    assert probe_digest(b"k", views) == probe_digest(b"k", views[0]) != probe_digest(b"k", views[1])
    assert probe_digest(b"k", views) != probe_digest(b"l", views)
