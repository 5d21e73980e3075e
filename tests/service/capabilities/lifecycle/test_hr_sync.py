"""The HR listener over HTTP, at a real service: who is let in, what is answered, what fills no log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.hr_sender import PATH, SECRET, bamboohr, basic, event, signed
from tests.served_site import ServedSite

WORD = "a-word-of-the-hr-system"
PAIR = "hr:a-password-of-theirs"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site with one source of each scheme, and nodes of the employees E1 to E3."""
    served = ServedSite.laid_out(tmp_path_factory.mktemp("hr") / "site")
    with served.running():
        for source, (scheme, secret) in {
            "hris": ("standard-webhooks", SECRET),
            "bamboo": ("bamboohr", WORD),
            "plain": ("header", WORD + "-plain"),
            "basic": ("basic", PAIR),
        }.items():
            made = served.put(f"/v1/registry/hr-sources/{source}", {"scheme": scheme, "secret": secret})
            assert made.status_code == 201, made.text
        for number in (1, 2, 3):
            body = {"display_name": f"Training Person {number}", "employee_id": f"E{number}"}
            assert served.put(f"/v1/registry/nodes/ARC-HR-{number}", body).status_code == 201
        yield served


def call(site: ServedSite, body: bytes, headers: dict[str, str], path: str = PATH, **more: str) -> httpx.Response:
    """As an HR system calls: without an API key."""
    return httpx.post(site.base_url + path, content=body, headers={**JSON, **more, **headers}, trust_env=False)


def standing(site: ServedSite, node_id: str) -> Any:
    """What is true of the node."""
    return site.get(f"/v1/registry/nodes/{node_id}")["standing"]


def burns(site: ServedSite) -> int:
    """How many there are."""
    return len(site.get("/v1/citadel/uac/burn")["items"])


def test_a_discharge_is_202_and_the_person_is_revoked(site: ServedSite) -> None:
    """The specification's two fields alone, signed; the same call again is the same answer, byte for byte."""
    headers = signed(event("E1"), call_id="first")
    first, again = (call(site, event("E1"), headers) for _ in range(2))
    assert (first.status_code, first.json()["action"]) == (202, "burn")
    assert first.content == again.content
    assert standing(site, "ARC-HR-1") == "REVOKED"
    assert site.get(f"/v1/citadel/uac/burn/{first.json()['burn_id']}")["scope"] == "GLOBAL_REVOCATION"


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("", lambda body: signed(body, call_id="known-0")),
        ("/hris", lambda body: signed(body, call_id="known-1")),
        ("/bamboo", lambda body: bamboohr(body, WORD)),
        ("/plain", lambda body: {"authorization": f"Bearer {WORD}-plain"}),
        ("/basic", lambda body: basic(PAIR)),
    ],
)
def test_each_scheme_opens_its_own_path(
    site: ServedSite, path: str, headers: Callable[[bytes], dict[str, str]]
) -> None:
    """Another event: acknowledged and ignored. Signed when the test runs: a file may be read long before."""
    body = event("E9", "PAY_RISE")
    answer = call(site, body, headers(body), PATH + path)
    assert (answer.status_code, answer.json()["action"]) == (202, "ignored")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer no-word-of-theirs"},
        {**signed(event("E2")), "webhook-id": "another"},
        signed(event("E2"), at=time.time() - 3600),
        signed(event("E2"), secret="whsec_" + "A" * 44),
    ],
)
def test_what_nobody_signed_is_401_and_never_a_burn(site: ServedSite, headers: dict[str, str]) -> None:
    """Unsigned, wrongly signed, old: a problem document that tells the same each time."""
    before = burns(site)
    answer = call(site, event("E2"), headers)
    assert (answer.status_code, answer.headers["content-type"]) == (401, "application/problem+json")
    assert answer.headers["www-authenticate"].startswith("Webhook")
    assert answer.json()["code"] == "unauthenticated"
    assert (burns(site), standing(site, "ARC-HR-2")) == (before, "UNVERIFIED")


def test_a_citadel_key_signs_nothing(site: ServedSite) -> None:
    """Whoever may burn does it by the burn call."""
    answer = site.client.post(PATH, content=event("E2"), headers=JSON)
    assert answer.status_code == 401


def test_no_source_is_told_from_another(site: ServedSite) -> None:
    """A path without a source is as one whose source did not sign."""
    answers = [call(site, event("E2"), signed(event("E2")), f"{PATH}/{source}") for source in ("nothing", "bamboo")]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.json()["detail"] for answer in answers}) == 1


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "malformed_json"),
        (b"[]", 422, "invalid_body"),
        (b'{"event": 7, "employee_id": "E2"}', 422, "invalid_body"),
        (b" " * 70_000, 413, "body_too_large"),
    ],
)
def test_a_signed_body_that_is_none_is_a_problem(site: ServedSite, body: bytes, status: int, code: str) -> None:
    """Nothing of it is kept."""
    answer = call(site, body, signed(body, call_id=f"bad-{status}-{len(body)}"))
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_charset_loses_no_discharge(site: ServedSite) -> None:
    """Senders write it; another media type is refused."""
    body = event("E9", "PAY_RISE")
    headers = signed(body, call_id="charset")
    written = {"Content-Type": "application/json; charset=utf-8"}
    assert call(site, body, headers, **written).status_code == 202
    assert call(site, body, headers, **{"Content-Type": "text/plain"}).status_code == 415


def test_a_field_that_comes_twice_is_refused(site: ServedSite) -> None:
    """Two readers could each believe another one."""
    body = event("E2")
    fields = [*JSON.items(), *signed(body).items(), ("webhook-id", "another")]
    answer = httpx.post(site.base_url + PATH, content=body, headers=fields, trust_env=False)
    assert answer.status_code == 400


def test_okta_gets_its_challenge_back(site: ServedSite) -> None:
    """From a source whose secret stands in Authorization; unsigned it is 401, without a challenge 400."""
    secret = {"authorization": f"{WORD}-plain"}
    challenge = {"X-Okta-Verification-Challenge": "a challenge"}
    answers = [
        httpx.get(f"{site.base_url}{PATH}/plain", headers=headers, trust_env=False)
        for headers in ({**secret, **challenge}, challenge, secret)
    ]
    assert [answer.status_code for answer in answers] == [200, 401, 400]
    assert answers[0].json() == {"verification": "a challenge"}


def test_a_flood_of_unsigned_calls_is_counted_and_drains_nobody(site: ServedSite) -> None:
    """A few leaves with their count, however many there were; a signed discharge passes meanwhile."""
    body = event("E3")
    with httpx.Client(base_url=site.base_url, trust_env=False) as stranger:
        statuses = {stranger.post(PATH, content=body, headers=JSON).status_code for _ in range(1500)}
    assert 401 in statuses
    assert statuses <= {401, 429}
    assert call(site, body, signed(body, call_id="in-the-flood")).json()["action"] == "burn"

    def refused() -> list[dict[str, Any]]:
        now = time.time()
        range_ = {
            "from": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - 3600)),
            "to": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now + 3600)),
        }
        query = {"range": range_, "criteria": {"action": "api.refused", "limit": 500}}
        entries: list[dict[str, Any]] = site.post("/v1/audit-log-query", query).json()["entries"]
        return [entry for entry in entries if entry["detail"]["operation"] == "lifecycle.hr_sync"]

    assert 0 < len(site.wait(refused)) < 20


def test_a_person_sees_and_closes_what_waits(site: ServedSite) -> None:
    """An unknown employee: in the list and in the alarms until somebody has decided."""
    reply = call(site, event("E404"), signed(event("E404"), call_id="unknown")).json()
    assert (reply["action"], reply["reason"]) == ("operator_review", "unknown_employee")
    events = "/v1/citadel/lifecycle/events"
    assert [item["event_id"] for item in site.get(events, open="true")["items"]] == [reply["event_id"]]
    assert "lifecycle.review" in {alarm["kind"] for alarm in site.get("/v1/alarms")["items"]}
    closed = site.post(f"{events}/close", {"event_ids": [reply["event_id"]], "reason": "a contractor of theirs"})
    assert closed.json() == {"closed": [reply["event_id"]]}
    assert site.get(events, open="true")["items"] == []
    assert "lifecycle.review" not in {alarm["kind"] for alarm in site.get("/v1/alarms")["items"]}


def test_a_roster_is_compared(site: ServedSite) -> None:
    """Posted each night; the differences are there to read."""
    posted = site.post("/v1/citadel/lifecycle/roster", {"employees": [{"employee_id": "E1"}]})
    assert posted.status_code == 200, posted.text
    found = site.get("/v1/citadel/lifecycle/roster")
    assert found == posted.json()
    assert ("employed_but_burned", "ARC-HR-1") in {(part["kind"], part["node_id"]) for part in found["differences"]}


def test_the_metrics_tell_what_was_taken(site: ServedSite) -> None:
    """Calls by action, and how many wait."""
    text = site.client.get("/metrics").text
    assert 'arc_hr_calls{of="burn"}' in text
    assert "arc_hr_waiting" in text
