"""Signing in by passphrase, and every way in which a session ends, at a running service."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from app.api.roles import Role
from tests.operator_desk import (
    PASSPHRASE,
    UNIT,
    UNIT_KEY,
    SignedInOperator,
    audited,
    encode,
    make_operator,
    register_unit,
    sign_in,
)
from tests.served_site import ServedSite

BURN = "/v1/citadel/uac/burn"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site with a unit."""
    with ServedSite.laid_out(tmp_path_factory.mktemp("signing-in") / "site").running() as served:
        register_unit(served)
        yield served


def test_the_operator_is_the_actor_with_session_and_unit(site: ServedSite) -> None:
    """Each leaf of what an operator does names operator, session and unit; the audit query by actor finds them."""
    operator_id = make_operator(site, Role.DESK, name="Nadia Desk")
    operator = SignedInOperator(site, operator_id)
    body = {"node_id": "ARC-T0040", "scope": "LOCAL_ONLY", "reason": "token leak"}
    assert operator.call("POST", BURN, body).status_code in (200, 202)
    entries = audited(site, actor=operator_id)
    assert {"operators.sign_in", "burn.executed"} <= {entry["action"] for entry in entries}
    assert {entry["actor_name"] for entry in entries} == {"Nadia Desk"}
    mine = {"session_id": operator.session["session_id"], "unit_id": UNIT}
    of_calls = [entry for entry in entries if entry["action"] != "operators.sign_in"]
    assert [entry["detail"]["session"] for entry in of_calls] == [mine] * len(of_calls)
    opened = next(entry for entry in entries if entry["action"] == "operators.sign_in")
    assert {name: opened["detail"][name] for name in mine} == mine
    assert (opened["detail"]["method"], opened["detail"]["by"]) == ("passphrase", "key_launch")
    found = audited(site, text=operator.session["session_id"])
    assert len(found) == len(entries)


def test_a_refused_call_names_the_session(site: ServedSite) -> None:
    """What an operator tried without the role for it is in the log as denied, with session and unit."""
    operator = SignedInOperator(site, make_operator(site, Role.MANAGER))
    assert operator.call("GET", "/v1/keys").status_code == 403
    found = site.wait(lambda: audited(site, actor=operator.operator_id, action="api.refused"), 90.0)
    assert (found[0]["detail"]["operation"], found[0]["outcome"]) == ("keys.list", "DENIED")
    assert found[0]["detail"]["session"] == {"session_id": operator.session["session_id"], "unit_id": UNIT}


def test_what_a_key_does_names_no_session(site: ServedSite) -> None:
    """A partner's leaf is as it was before there were operators."""
    site.post(f"{BURN}/preview", {"node_id": "ARC-T0041", "scope": "LOCAL_ONLY", "reason": "x"})
    assert site.put("/v1/registry/units/another", {"public_key": {**UNIT_KEY, "x": "A" * 43}, "actions": []})
    assert all("session" not in entry["detail"] for entry in audited(site, actor="key_launch"))


def test_who_am_i(site: ServedSite) -> None:
    """An operator learns who it is, and a key that it is none."""
    operator_id = make_operator(site, Role.MANAGER, Role.AUDITOR, name="Mira Reads")
    said = SignedInOperator(site, operator_id).call("GET", "/v1/operators/session").json()
    assert (said["actor"], said["clearance"]) == (operator_id, None)
    session = said["session"]
    assert (session["display_name"], session["unit_id"], session["method"]) == ("Mira Reads", UNIT, "passphrase")
    assert (session["roles"], session["idle_limit_s"]) == (["manager", "auditor"], 900.0)
    assert site.get("/v1/operators/session") == {"actor": "key_launch", "clearance": "citadel", "session": None}


@pytest.mark.parametrize("way", ["sign-out", "lock"])
def test_sign_out_and_lock_end_the_session_at_once(site: ServedSite, way: str) -> None:
    """The key opens nothing afterwards; the leaf says what it was."""
    operator = SignedInOperator(site, make_operator(site, Role.DESK))
    before = datetime.now(UTC)
    answer = operator.call("POST", f"/v1/operators/session/{way}")
    assert answer.status_code == 200, answer.text
    assert before <= datetime.fromisoformat(answer.json()["ended_at"]) <= datetime.now(UTC)
    assert answer.json()["session_id"] == operator.session["session_id"]
    refused = operator.call("GET", "/v1/operators/session")
    assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated")
    (leaf,) = audited(site, actor=operator.operator_id, action="operators.session_end")
    assert leaf["detail"]["cause"] == {"sign-out": "signed_out", "lock": "locked"}[way]


def test_an_administrator_sees_and_ends_sessions(site: ServedSite) -> None:
    """The list names who sits where; the ended one is out, and ending it again is 404."""
    desk = SignedInOperator(site, make_operator(site, Role.DESK, name="Dora Desk"))
    admin = SignedInOperator(site, make_operator(site, Role.ADMIN))
    items = admin.call("GET", "/v1/citadel/operators/sessions").json()["items"]
    shown = {item["session_id"]: item for item in items}
    assert shown[desk.session["session_id"]]["display_name"] == "Dora Desk"
    assert desk.call("GET", "/v1/citadel/operators/sessions").status_code == 403
    path = f"/v1/citadel/operators/sessions/{desk.session['session_id']}"
    assert admin.call("DELETE", path).status_code == 200
    assert not desk.is_in()
    assert admin.is_in()
    assert admin.call("DELETE", path).status_code == 404


@pytest.mark.parametrize("way", ["burn", "containment"])
def test_a_burned_or_contained_holder_is_out_at_once(site: ServedSite, way: str) -> None:
    """The next call after the burn was answered is refused, and so is another sign-in."""
    node_id = {"burn": "ARC-T0042", "containment": "ARC-T0043"}[way]
    operator_id = make_operator(site, Role.DESK, node_id=node_id)
    operator = SignedInOperator(site, operator_id)
    if way == "burn":
        body = {"node_id": node_id, "scope": "GLOBAL_REVOCATION", "reason": "left"}
        assert site.post(BURN, body).status_code in (200, 202)
    else:
        body = {"node_id": node_id, "message": "asked", "seconds": 600}
        answer = site.post("/v1/citadel/uac/containments", body)
        assert answer.status_code in (200, 201), answer.text
    assert operator.call("GET", "/v1/operators/session").status_code == 401
    refused = sign_in(site, operator_id)
    assert (refused.status_code, refused.json()["code"]) == (403, "proof_invalid")
    ended = site.wait(lambda: audited(site, action="operators.session_end", text=operator.session["session_id"]))
    assert ended[0]["detail"]["cause"] == "denied"


def test_a_change_or_the_end_of_an_operator_ends_its_sessions(site: ServedSite) -> None:
    """Other roles, another passphrase, DELETE: the session is gone, and an ended operator signs in no more."""
    operator_id = make_operator(site, Role.DESK)
    path = f"/v1/registry/operators/{operator_id}"
    body = {"display_name": "Somebody", "roles": ["badge"], "methods": ["passphrase"]}
    operator = SignedInOperator(site, operator_id)
    assert site.put(path, body).status_code == 200
    assert not operator.is_in()
    operator = SignedInOperator(site, operator_id)
    assert operator.session["roles"] == ["badge"]
    assert site.put(f"{path}/passphrase", {"passphrase": encode("another long passphrase")}).status_code == 200
    assert not operator.is_in()
    assert sign_in(site, operator_id).status_code == 403
    operator = SignedInOperator(site, operator_id, sign_in(site, operator_id, "another long passphrase"))
    assert site.client.delete(path).status_code == 200
    assert not operator.is_in()
    assert sign_in(site, operator_id, "another long passphrase").status_code == 403
    assert site.get(path)["state"] == "ended"


def test_an_equal_body_ends_nothing(site: ServedSite) -> None:
    """A PUT that changes nothing leaves the session and no leaf."""
    operator_id = make_operator(site, Role.DESK)
    operator = SignedInOperator(site, operator_id)
    body = {"display_name": "Somebody", "roles": ["desk"], "methods": ["passphrase"]}
    assert site.put(f"/v1/registry/operators/{operator_id}", body).status_code == 200
    assert operator.is_in()


def test_a_unit_that_goes_takes_its_sessions_along(site: ServedSite) -> None:
    """The console's unit is deleted when it closes; without one nobody signs in there."""
    key = {**UNIT_KEY, "x": "B" * 42 + "A"}
    assert site.put("/v1/registry/units/desk-9", {"public_key": key, "actions": []}).status_code == 201
    operator_id = make_operator(site, Role.DESK)
    there = SignedInOperator(site, operator_id, sign_in(site, operator_id, unit_id="desk-9"))
    here = SignedInOperator(site, operator_id)
    assert site.client.delete("/v1/registry/units/desk-9").status_code == 200
    assert not there.is_in()
    assert here.is_in()
    assert sign_in(site, operator_id, unit_id="desk-9").status_code == 404


def test_an_operator_changes_its_own_passphrase(site: ServedSite) -> None:
    """By the current one alone; its session goes on, others of it end, and an API key has none to change."""
    operator_id = make_operator(site, Role.DESK)
    operator, other = SignedInOperator(site, operator_id), SignedInOperator(site, operator_id)
    path = "/v1/operators/session/passphrase"
    wrong = {"current": encode("not the passphrase"), "passphrase": encode("a third long passphrase")}
    assert operator.call("POST", path, wrong).json()["code"] == "proof_invalid"
    right = {**wrong, "current": encode(PASSPHRASE)}
    assert operator.call("POST", path, right).status_code == 200
    assert (operator.is_in(), other.is_in()) == (True, False)
    assert sign_in(site, operator_id, "a third long passphrase").status_code == 200
    assert sign_in(site, operator_id).status_code == 403
    assert site.post(path, right).json()["code"] == "state_conflict"


@pytest.mark.parametrize(
    ("passphrase", "words"),
    [
        ("elevenchars", "12 characters"),
        ("\N{SNOWMAN}" * 11, "12 characters"),
        ("a tab\tis no part", "control"),
    ],
)
def test_a_bad_passphrase_is_refused(site: ServedSite, passphrase: str, words: str) -> None:
    """Too few characters, however many bytes, and control characters are 422; the text is not repeated."""
    operator_id = make_operator(site, Role.DESK)
    answer = site.put(f"/v1/registry/operators/{operator_id}/passphrase", {"passphrase": encode(passphrase)})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_body")
    assert words in answer.json()["errors"][0]["detail"]
    assert passphrase not in answer.text


def test_every_wrong_sign_in_is_answered_alike(site: ServedSite) -> None:
    """A wrong passphrase, an operator that there is not, one without a passphrase, one who may not use it: one
    answer."""
    plain, none = make_operator(site, Role.DESK), make_operator(site, Role.DESK, passphrase=None)
    other = make_operator(site, Role.DESK, methods=[])
    attempts = [(plain, "wrong passphrase!"), (none, PASSPHRASE), (other, PASSPHRASE), ("op_" + "0" * 16, PASSPHRASE)]
    answers = [sign_in(site, operator_id, passphrase) for operator_id, passphrase in attempts]
    assert {answer.status_code for answer in answers} == {403}
    assert len({re.sub("req_[0-9a-f]+", "", answer.text) for answer in answers}) == 1


def test_a_session_key_is_never_kept_for_a_repeat(site: ServedSite) -> None:
    """With an Idempotency-Key a repeat is 410: the reply held a secret."""
    operator_id = make_operator(site, Role.DESK)
    body = {"operator_id": operator_id, "unit_id": UNIT, "passphrase": encode(PASSPHRASE)}
    path = "/v1/operators/sign-in/passphrase"
    assert site.post(path, body, **{"Idempotency-Key": "once"}).status_code == 200
    assert site.post(path, body, **{"Idempotency-Key": "once"}).status_code == 410


def test_a_sign_in_by_nobody_is_refused(site: ServedSite) -> None:
    """Without any key of the site nobody even guesses."""
    body = {"operator_id": "op_" + "0" * 16, "unit_id": UNIT, "passphrase": encode(PASSPHRASE)}
    headers = {"Content-Type": "application/json", "Authorization": ""}
    answer = site.client.post("/v1/operators/sign-in/passphrase", content=json.dumps(body).encode(), headers=headers)
    assert answer.status_code == 401


def test_names_are_shown_where_operators_acted(site: ServedSite) -> None:
    """An approval and an alarm name the operator by its present name, in the list and after the operator's end."""
    asker = SignedInOperator(site, make_operator(site, Role.DESK, name="Ana Asks", node_id="ARC-T0044"))
    approver = SignedInOperator(site, make_operator(site, Role.DESK, name="Otto Other", node_id="ARC-T0045"))
    wish = {"kind": "mass_burn", "subjects": ["ARC-T0046"], "reason": "x"}
    asked = asker.call("POST", "/v1/citadel/uac/approvals", wish).json()
    assert (asked["requested_by"], asked["requested_by_name"]) == (asker.operator_id, "Ana Asks")
    alarm = next(one for one in site.get("/v1/alarms")["items"] if one["ref"] == asked["approval_id"])
    taken = approver.call("POST", f"/v1/citadel/alarms/{alarm['alarm_id']}/take", {"note": "mine"}).json()
    assert (taken["taken_by"], taken["taken_by_name"]) == (approver.operator_id, "Otto Other")
    shown = next(one for one in site.get("/v1/alarms")["items"] if one["alarm_id"] == alarm["alarm_id"])
    assert shown["taken_by_name"] == "Otto Other"
    path = f"/v1/citadel/uac/approvals/{asked['approval_id']}"
    assert approver.call("POST", f"{path}/approve").json()["approved_by_name"] == "Otto Other"
    assert site.client.delete(f"/v1/registry/operators/{asker.operator_id}").status_code == 200
    assert site.get(path)["requested_by_name"] == "Ana Asks"


def test_guessing_neither_gets_in_nor_locks_out(site: ServedSite) -> None:
    """A key of somebody else guesses as fast as it can; a few guesses are compared, the rest is told to wait. The desk,
    by its own key, signs in meanwhile, and a person is called."""
    operator_id = make_operator(site, Role.DESK)
    headers = {"Authorization": f"Bearer {site.key_of_another('sovereign')}", "Content-Type": "application/json"}
    codes = []
    for number in range(300):
        body = {"operator_id": operator_id, "unit_id": UNIT, "passphrase": encode(f"guess number {number:06}")}
        answer = site.client.post("/v1/operators/sign-in/passphrase", json=body, headers=headers)
        codes.append(answer.json()["code"])
        if answer.json()["code"] == "rate_limited":
            assert int(answer.headers["Retry-After"]) >= 1
        if number in (5, 150, 299):
            assert sign_in(site, operator_id).status_code == 200
    assert set(codes) == {"proof_invalid", "rate_limited"}
    assert codes[:3] == ["proof_invalid"] * 3
    denied = audited(site, action="operators.sign_in", outcome="DENIED", text=operator_id)
    assert len(denied) == codes.count("proof_invalid") < 30


def test_a_restart_ends_every_session(site: ServedSite) -> None:
    """Sessions are in memory alone. The last test of this site."""
    operator = SignedInOperator(site, make_operator(site, Role.DESK))
    site.stop()
    site.start()
    assert not operator.is_in()
    assert SignedInOperator(site, operator.operator_id).is_in()
