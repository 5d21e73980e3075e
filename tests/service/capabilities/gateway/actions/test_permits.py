"""Permits over HTTP against one service in this process: who gets one, what is decided, what is refused."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from app.api.problems import Problem
from app.api.wire import unix_us
from app.capabilities.gateway.actions.messages import ActionDecision, AuthorizeBody
from app.capabilities.gateway.actions.service import AUTHORIZE, MINT, REVOKE
from app.capabilities.gateway.actions.tables import permit
from app.capabilities.gateway.actions.token import SKEW_S
from app.registry.messages.nodes import NodeBody
from app.store.writer import ActOutcome
from tests.service.capabilities.gateway.gateway_unit import RunningUnit

MINTING = "/v1/permits"
DECIDING = "/v1/authorize-action"
NODE = "ARC-1"


def code(response: httpx.Response) -> tuple[int, str]:
    """Status and code of a problem document."""
    assert response.headers["content-type"] == "application/problem+json"
    found = response.json()
    assert found["type"] == f"urn:arc:problem:{found['code']}"
    return response.status_code, found["code"]


def mint(unit: RunningUnit, **changed: Any) -> httpx.Response:
    """Asks for a permit; None takes a field away."""
    body = {"unit_id": unit.unit_id, "action": "door.open", "resource": "gate 3", "ttl_seconds": 60, **changed}
    return unit.client.post(MINTING, json={name: value for name, value in body.items() if value is not None})


def minted(unit: RunningUnit, **changed: Any) -> str:
    """A permit's token."""
    response = mint(unit, **changed)
    assert response.status_code == 201, response.text
    return str(response.json()["permit_token"])


def use(unit: RunningUnit, token: str, **more: Any) -> httpx.Response:
    """Uses a permit."""
    return unit.client.post(DECIDING, json={"unit_id": unit.unit_id, "permit_token": token, **more})


def decided(unit: RunningUnit, token: str) -> tuple[str, str]:
    """Decision and reason."""
    response = use(unit, token)
    assert response.status_code == 200, response.text
    return response.json()["decision"], response.json()["reason"]


def person(unit: RunningUnit) -> None:
    """Registers the node."""
    site, body = unit.site, NodeBody(display_name="Training Person 1")
    site.store.writer.submit(lambda tx: site.registry.nodes.put_in(tx, NODE, body, "tester")).result(10)


def burn(unit: RunningUnit) -> Any:
    """What a burn does with permits, without the deny set; its evidence."""
    return unit.site.store.writer.submit(lambda tx: unit.site.permits.revoke(tx, NODE, "burn_1")).result(10)


def rows(unit: RunningUnit) -> int:
    """Permits that the store knows."""
    with unit.site.store.read() as connection:
        return connection.scalar(select(func.count()).select_from(permit)) or 0


def test_permit_is_decided(unit: RunningUnit) -> None:
    """PERMIT with every field of the contract; ``expires_at`` is the permit's."""
    made = mint(unit).json()
    found = use(unit, made["permit_token"]).json()
    assert found.pop("decision_id").startswith("dec_")
    assert found == {
        "decision": "PERMIT",
        "reason": "granted",
        "action": "door.open",
        "resource": "gate 3",
        "unit_id": unit.unit_id,
        "expires_at": made["expires_at"],
    }


def test_a_permit_holds_once(unit: RunningUnit) -> None:
    """The second use is 409 and names the decision of the first."""
    token = minted(unit)
    first = use(unit, token).json()["decision_id"]
    response = use(unit, token)
    assert code(response) == (409, "replayed")
    assert first in response.json()["detail"]


def test_a_denied_permit_is_used_up(unit: RunningUnit) -> None:
    """DENY is a decision: when its cause is gone, the permit is too."""
    person(unit)
    token = minted(unit, node_id=NODE)
    unit.site.registry.deny.deny(NODE, "containment", "con_1")
    assert decided(unit, token) == ("DENY", "contained")
    unit.site.registry.deny._nodes.clear()
    assert code(use(unit, token)) == (409, "replayed")


@pytest.mark.parametrize(
    ("cause", "reason"), [("burn", "burned"), ("containment", "contained"), ("brake", "contained")]
)
def test_the_deny_set_comes_first(unit: RunningUnit, cause: Any, reason: str) -> None:
    """What is denied in memory alone denies already, before any row of a burn."""
    person(unit)
    token = minted(unit, node_id=NODE)
    unit.site.registry.deny.deny(NODE, cause, "ref_1")
    assert decided(unit, token) == ("DENY", reason)


def test_a_revoked_permit_stays_revoked(unit: RunningUnit) -> None:
    """Even where the deny set does not know the node any more."""
    person(unit)
    token = minted(unit, node_id=NODE)
    burn(unit)
    assert decided(unit, token) == ("DENY", "revoked")


def test_unit_that_is_gone_is_denied(unit: RunningUnit) -> None:
    """DENY, not an error: the partner's unit still asks."""
    token = minted(unit)
    unit.delete()
    assert decided(unit, token) == ("DENY", "unknown_unit")


def test_node_that_is_gone_is_denied(unit: RunningUnit) -> None:
    """Nobody is left for whom it was permitted."""
    person(unit)
    token = minted(unit, node_id=NODE)
    asyncio.run(unit.site.registry.nodes.delete(NODE, actor="tester"))
    assert decided(unit, token) == ("DENY", "unknown_node")


def test_action_that_was_taken_from_the_unit_is_denied(unit: RunningUnit) -> None:
    """What the unit may do now counts, not what it might when the permit was made."""
    token = minted(unit)
    unit.actions = ["door.close"]
    unit.register()
    assert decided(unit, token) == ("DENY", "action_withdrawn")


def test_unknown_unit_gets_no_permit(unit: RunningUnit) -> None:
    """404."""
    assert code(mint(unit, unit_id="nobody")) == (404, "not_found")


def test_unknown_node_gets_no_permit(unit: RunningUnit) -> None:
    """404."""
    assert code(mint(unit, node_id=NODE)) == (404, "not_found")


def test_another_action_gets_no_permit(unit: RunningUnit) -> None:
    """409 with the remedy, and a leaf."""
    assert code(mint(unit, action="door.weld")) == (409, "state_conflict")
    assert [leaf.outcome for leaf in unit.site.leaves(action=MINT)] == [ActOutcome.DENIED]


@pytest.mark.parametrize("cause", ["burn", "containment"])
def test_a_denied_node_gets_no_permit(unit: RunningUnit, cause: Any) -> None:
    """409, a leaf, and no row."""
    person(unit)
    unit.site.registry.deny.deny(NODE, cause, "ref_1")
    assert code(mint(unit, node_id=NODE)) == (409, "state_conflict")
    assert [leaf.outcome for leaf in unit.site.leaves(action=MINT)] == [ActOutcome.DENIED]
    assert rows(unit) == 0


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"ttl_seconds": 0}, "/ttl_seconds"),
        ({"ttl_seconds": 301}, "/ttl_seconds"),
        ({"ttl_seconds": None}, ""),
        ({"resource": ""}, "/resource"),
        ({"resource": "a\nb"}, "/resource"),
        ({"resource": "r" * 257}, "/resource"),
        ({"resource": None}, ""),
        ({"action": "Open!"}, "/action"),
        ({"unit_id": "../x"}, "/unit_id"),
        ({"node_id": "x"}, "/node_id"),
        ({"scope": "all"}, ""),
    ],
    ids=str,
)
def test_a_wrong_request_is_refused(unit: RunningUnit, changed: dict[str, Any], pointer: str) -> None:
    """422 names the field."""
    response = mint(unit, **changed)
    assert code(response) == (422, "invalid_body")
    assert response.json()["errors"][0]["pointer"].startswith(pointer)


def test_a_bad_token_is_refused(unit: RunningUnit) -> None:
    """403, and its leaf has no part of the token."""
    assert code(use(unit, "eyJhbGciOiJub25lIn0.e30.")) == (403, "permit_invalid")
    (leaf,) = unit.site.leaves(action=AUTHORIZE)
    assert (leaf.outcome, leaf.unit_id) == (ActOutcome.DENIED, unit.unit_id)
    assert "eyJ" not in str(leaf)


def test_a_token_longer_than_any_is_refused(unit: RunningUnit) -> None:
    """More than 4096 characters are no request."""
    assert code(use(unit, "a" * 4097)) == (422, "invalid_body")


def test_a_permit_of_another_unit_is_refused(unit: RunningUnit) -> None:
    """403, and the permit is not used up by who may not use it."""
    token = minted(unit)
    assert code(use(unit, token, unit_id="unit-2")) == (403, "permit_invalid")
    assert decided(unit, token) == ("PERMIT", "granted")


def test_a_proof_is_no_permit(unit: RunningUnit) -> None:
    """A unit cannot write itself a permit with its own key."""
    assert code(use(unit, unit.proof())) == (403, "permit_invalid")


def test_an_expired_permit_is_refused(unit: RunningUnit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its end and the skew are over."""
    token = minted(unit)
    later = time.time() + 60 + SKEW_S + 1
    monkeypatch.setattr("app.capabilities.gateway.actions.service.time.time", lambda: later)
    assert code(use(unit, token)) == (403, "permit_invalid")


def test_a_signature_alone_is_not_enough(unit: RunningUnit) -> None:
    """A token by the site's key that nobody minted: not in the table, or with other words than its row."""
    tokens, now = unit.site.permits._tokens, int(time.time())
    facts = {"unit_id": unit.unit_id, "action": "door.open", "node_id": None, "iat": now, "ttl_s": 60}
    nobody = tokens.sign(tokens.claims(**facts, resource="gate 3", jti="never-minted"))
    assert code(use(unit, nobody)) == (403, "permit_invalid")
    jti = mint(unit).json()["jti"]
    changed = tokens.sign(tokens.claims(**facts, resource="vault", jti=jti))
    assert code(use(unit, changed)) == (403, "permit_invalid")


def test_a_token_is_shown_once(unit: RunningUnit) -> None:
    """The reply holds a secret: its repeat under one Idempotency-Key is 410, and no token is stored anywhere."""
    body = {"unit_id": unit.unit_id, "action": "door.open", "resource": "gate 3", "ttl_seconds": 60}
    first = unit.client.post(MINTING, json=body, headers={"Idempotency-Key": "once"})
    assert first.status_code == 201
    assert first.headers["cache-control"] == "no-store"
    assert code(unit.client.post(MINTING, json=body, headers={"Idempotency-Key": "once"})) == (410, "gone")
    signature = first.json()["permit_token"].rpartition(".")[2].encode()
    kept = [path.read_bytes() for path in unit.site.site.data_dir.iterdir() if path.is_file()]
    assert rows(unit) == 1
    assert not [data for data in kept if signature in data]


def test_the_same_call_again_is_the_same_decision(unit: RunningUnit) -> None:
    """A caller who lost the answer asks again under its Idempotency-Key."""
    body = {"unit_id": unit.unit_id, "permit_token": minted(unit)}
    answers = [unit.client.post(DECIDING, json=body, headers={"Idempotency-Key": "lost"}) for _ in range(2)]
    assert answers[0].status_code == 200
    assert answers[0].content == answers[1].content


def test_every_decision_is_a_leaf(unit: RunningUnit) -> None:
    """Who asked what for whom and how it ended; of the token only its jti."""
    person(unit)
    token = minted(unit, node_id=NODE)
    decision = use(unit, token).json()
    use(unit, token)
    (made,) = unit.site.leaves(action=MINT)
    permitted, replayed = unit.site.leaves(action=AUTHORIZE)
    assert (made.node_id, made.unit_id, made.detail["action"]) == (NODE, unit.unit_id, "door.open")
    assert (permitted.outcome, permitted.node_id, replayed.outcome) == (ActOutcome.ACCEPTED, NODE, ActOutcome.DENIED)
    assert permitted.detail == {
        "jti": made.detail["jti"],
        "decision_id": decision["decision_id"],
        "reason": "granted",
        "action": "door.open",
        "resource": "gate 3",
    }
    assert token.rpartition(".")[2] not in str([made, permitted, replayed])


# Races


def test_two_tasks_with_one_permit_get_one_decision(unit: RunningUnit) -> None:
    """On one loop, both past the signature before either is decided."""
    site = unit.site

    async def both(token: str) -> list[ActionDecision | BaseException]:
        body = AuthorizeBody(unit_id=unit.unit_id, permit_token=token)
        calls = [site.permits.authorize(body, actor=f"key-{number}") for number in range(2)]
        return await asyncio.gather(*calls, return_exceptions=True)

    for _ in range(10):
        found = asyncio.run(both(minted(unit)))
        assert [answer.decision for answer in found if isinstance(answer, ActionDecision)] == ["PERMIT"]
        assert [answer.code for answer in found if isinstance(answer, Problem)] == ["replayed"]


def test_racing_calls_with_one_permit_get_one_decision(unit: RunningUnit) -> None:
    """Eight connections at once, each with its own API key, ten permits: one PERMIT each, the others 409."""
    clients = [unit.site.client(unit.site.make_key().key) for _ in range(8)]
    together = threading.Barrier(len(clients))

    def race(client: httpx.Client, token: str) -> tuple[int, str]:
        together.wait(20)
        response = client.post(DECIDING, json={"unit_id": unit.unit_id, "permit_token": token})
        return response.status_code, response.json().get("decision") or response.json()["code"]

    with ThreadPoolExecutor(len(clients)) as pool:
        for _ in range(10):
            token = minted(unit)
            answers = [each.result(30) for each in [pool.submit(race, client, token) for client in clients]]
            assert sorted(answers) == [(200, "PERMIT"), *[(409, "replayed")] * 7]
    for client in clients:
        client.close()


def test_a_burn_that_races_is_never_overtaken(unit: RunningUnit) -> None:
    """No permit is granted once the deny set has been told, whatever is in flight."""
    person(unit)
    tokens = [minted(unit, node_id=NODE) for _ in range(24)]
    told: list[float] = []
    begin = threading.Barrier(3)

    def spend(part: list[str]) -> list[tuple[float, str]]:
        with unit.site.client(unit.api.key) as client:
            begin.wait(20)
            found = []
            for token in part:
                began = time.monotonic()
                body = {"unit_id": unit.unit_id, "permit_token": token}
                found.append((began, client.post(DECIDING, json=body).json()["decision"]))
            return found

    with ThreadPoolExecutor(2) as pool:
        spending = [pool.submit(spend, tokens[start::2]) for start in range(2)]
        begin.wait(20)
        unit.site.registry.deny.deny(NODE, "burn", "burn_1")
        told.append(time.monotonic())
        answers = [answer for each in spending for answer in each.result(60)]
    assert len(answers) == len(tokens)
    assert {decision for began, decision in answers if began > told[0]} == {"DENY"}


# What a burn takes away, and what time does


def test_a_burn_takes_the_unused_permits(unit: RunningUnit) -> None:
    """The preview counts them, the evidence too; used ones and other nodes' are left as they are."""
    person(unit)
    permits = unit.site.permits
    used, *_ = [minted(unit, node_id=NODE) for _ in range(3)]
    minted(unit)
    use(unit, used)
    (holding,) = permits.holdings(NODE)
    assert (holding.kind, holding.count) == ("permit", 2)
    (evidence,) = burn(unit)
    assert (evidence.kind, evidence.count, evidence.already) == ("permit", 2, False)
    assert permits.holdings(NODE) == ()
    assert [leaf.detail for leaf in unit.site.leaves(action=REVOKE)] == [{"burn_id": "burn_1", "permits": 2}]


def test_a_burn_again_changes_nothing(unit: RunningUnit) -> None:
    """``already``, and no second leaf."""
    person(unit)
    minted(unit, node_id=NODE)
    burn(unit)
    (evidence,) = burn(unit)
    assert (evidence.count, evidence.already) == (0, True)
    assert len(unit.site.leaves(action=REVOKE)) == 1


def test_a_burn_of_a_node_without_permits_says_nothing(unit: RunningUnit) -> None:
    """No target for what is not there."""
    person(unit)
    assert burn(unit) == ()


def test_ended_permits_are_forgotten(unit: RunningUnit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not before no clock takes them; and what is forgotten is refused, even if the clock is set back then."""
    began = time.time_ns() // 1000
    short, long = minted(unit, ttl_seconds=60), minted(unit, ttl_seconds=300)
    use(unit, short)

    def swept(after_s: int) -> int:
        monkeypatch.setattr("app.capabilities.gateway.actions.service.now_us", lambda: began + after_s * 1_000_000)
        return unit.site.store.writer.submit(unit.site.permits.sweep).result(10)

    assert [swept(SKEW_S + 59), rows(unit)] == [0, 2]
    assert [swept(SKEW_S + 160), rows(unit)] == [1, 1]
    assert code(use(unit, short)) == (403, "permit_invalid")
    assert decided(unit, long) == ("PERMIT", "granted")


def test_a_permit_counts_until_no_clock_takes_it(unit: RunningUnit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty seconds beyond its end, to the microsecond: for the preview of a burn, for the burn and for the sweep."""
    person(unit)
    permits, writer = unit.site.permits, unit.site.store.writer
    assert permits.holdings(NODE) == ()
    first = mint(unit, node_id=NODE, ttl_seconds=60).json()
    last = mint(unit, node_id=NODE, ttl_seconds=300).json()
    ends_us = {name: unix_us(made["expires_at"]) for name, made in (("first", first), ("last", last))}

    def at(moment_us: int) -> None:
        monkeypatch.setattr("app.capabilities.gateway.actions.service.now_us", lambda: moment_us)

    def held() -> list[tuple[int, str | None]]:
        return [(holding.count, holding.detail) for holding in permits.holdings(NODE)]

    said = f"the last ends {last['expires_at']}"
    for name, after_us, count in (("first", 0, 2), ("first", 1, 1), ("last", 0, 1), ("last", 1, 0)):
        at(ends_us[name] + 30_000_000 + after_us)
        assert held() == [(count, said)] * bool(count)
    at(ends_us["last"] + 30_000_001)
    assert burn(unit) == ()
    assert unit.site.leaves(action=REVOKE) == []
    for name, after_us, gone in (("first", 0, 0), ("first", 1, 1), ("last", 0, 0), ("last", 1, 1)):
        at(ends_us[name] + 30_000_000 + after_us)
        assert writer.submit(permits.sweep).result(10) == gone
    assert rows(unit) == 0


def test_what_a_burn_took_is_told_in_words(unit: RunningUnit) -> None:
    """Of one permit, of several, and of none that is left; who holds them is named each time."""
    person(unit)
    permits = unit.site.permits
    told = []
    for count in (1, 2, 0):
        for _ in range(count):
            minted(unit, node_id=NODE)
        told += [(found.kind, found.detail, found.already) for found in burn(unit)]
    assert told == [
        ("permit", "1 unused permit revoked", False),
        ("permit", "2 unused permits revoked", False),
        ("permit", "all revoked before", True),
    ]
    minted(unit, node_id=NODE)
    (holding,) = permits.holdings(NODE)
    assert (holding.reversible, holding.count) == (False, 1)
    assert [leaf.detail["permits"] for leaf in unit.site.leaves(action=REVOKE)] == [1, 2]


def test_a_refusal_of_a_permit_says_why(unit: RunningUnit) -> None:
    """Each in its own sentence, which its leaf repeats; what is made says how long it holds."""
    person(unit)
    made = mint(unit, ttl_seconds=60).json()
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", made["jti"])
    said = [
        mint(unit, unit_id="nobody").json()["detail"],
        mint(unit, node_id="ARC-2").json()["code"],
        mint(unit, action="door.weld", node_id=NODE).json()["detail"],
    ]
    unit.site.registry.deny.deny(NODE, "brake", "ref_1")
    said.append(mint(unit, node_id=NODE).json()["detail"])
    unit.site.registry.deny.deny(NODE, "burn", "ref_2")
    said.append(mint(unit, node_id=NODE).json()["detail"])
    assert said == [
        "No unit nobody is registered; register it and try again.",
        "not_found",
        f"Unit {unit.unit_id} may not do door.weld; add it to the unit's actions first.",
        f"Node {NODE} is contained: nothing is permitted for it.",
        f"Node {NODE} is burned: nothing is permitted for it.",
    ]
    leaves = unit.site.leaves(action=MINT)
    assert [(leaf.outcome, leaf.node_id, leaf.detail.get("reason")) for leaf in leaves] == [
        (ActOutcome.ACCEPTED, None, None),
        *((ActOutcome.DENIED, NODE, reason) for reason in said[2:]),
    ]
    assert {leaf.detail["ttl_seconds"] for leaf in leaves} == {60}
    decision = use(unit, made["permit_token"]).json()
    assert re.fullmatch("dec_[0-9a-f]{20}", decision["decision_id"])
    replayed = use(unit, made["permit_token"]).json()["detail"]
    assert replayed == f"This permit was used before (PERMIT, {decision['decision_id']}); ask for a new one."
    denied = minted(unit)
    unit.actions = ["door.close"]
    unit.register()
    again = use(unit, denied).json()
    assert (again["decision"], again["reason"]) == ("DENY", "action_withdrawn")
    outcomes = [(leaf.outcome, leaf.detail["reason"]) for leaf in unit.site.leaves(action=AUTHORIZE)]
    assert outcomes == [
        (ActOutcome.ACCEPTED, "granted"),
        (ActOutcome.DENIED, replayed),
        (ActOutcome.DENIED, "action_withdrawn"),
    ]
