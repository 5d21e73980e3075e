"""Deliveries over HTTP: who may do what, and what a repeated call does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.delivery.delivery_rows import RETRIES_S, SENT_AGAIN, SETTLED, Attempted
from tests.service.delivery.outbox_site import TYPE, OutboxSite

PATH = "/v1/deliveries"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OutboxSite]:
    """Served, with an outbox that sends nothing by itself."""
    made = OutboxSite(tmp_path_factory.mktemp("deliveries") / "site")
    with made.parts.running():
        yield made
    made.close()


@pytest.fixture(scope="module")
def citadel(site: OutboxSite) -> Iterator[httpx.Client]:
    """Calls that may change deliveries."""
    with site.parts.client(site.parts.make_key("citadel").key) as client:
        yield client


def dead_letter(site: OutboxSite) -> str:
    """A delivery whose schedule is over."""
    delivery_id = site.put(site.key().kid, "https://receiver.invalid/hook?token=x")
    for _ in range(len(RETRIES_S) + 1):
        site.write(lambda tx: site.rows.record(tx, delivery_id, Attempted(None, "no_answer")))
    return delivery_id


def post(client: httpx.Client, path: str, body: bytes = b"") -> httpx.Response:
    """POST with JSON, or without a body."""
    headers = {"Content-Type": "application/json"} if body else {}
    return client.post(path, content=body, headers=headers)


def test_a_dead_letter_is_sent_again_by_three_equal_calls(site: OutboxSite, citadel: httpx.Client) -> None:
    """Three equal replies, one leaf."""
    delivery_id = dead_letter(site)
    found = citadel.get(f"{PATH}/{delivery_id}").json()
    assert (found["state"], found["fault"], found["attempts"]) == ("dead_letter", "no_answer", 8)
    assert (found["url"], found["type"]) == ("https://receiver.invalid/…", TYPE)
    replies = [post(citadel, f"{PATH}/{delivery_id}/send") for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200] * 3
    first, *repeats = [reply.json() for reply in replies]
    assert repeats == [first] * 2
    assert (first["state"], first["delivery_id"]) == ("queued", delivery_id)
    assert len(site.leaves(SENT_AGAIN, delivery_id)) == 1


def test_an_outcome_is_recorded_by_three_equal_calls(site: OutboxSite, citadel: httpx.Client) -> None:
    """Three equal replies, one leaf; then it is not sent again."""
    delivery_id = dead_letter(site)
    body = b'{"state": "abandoned", "note": "the receiver was taken down"}'
    replies = [post(citadel, f"{PATH}/{delivery_id}/outcome", body) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200] * 3
    assert len({reply.text for reply in replies}) == 1
    assert replies[0].json()["outcome"]["note"] == "the receiver was taken down"
    assert len(site.leaves(SETTLED, delivery_id)) == 1
    refused = post(citadel, f"{PATH}/{delivery_id}/send")
    assert (refused.status_code, refused.json()["code"]) == (409, "state_conflict")


def test_other_keys_read_and_change_nothing(site: OutboxSite) -> None:
    """The contract: every key reads deliveries, a Citadel key changes them."""
    delivery_id = dead_letter(site)
    with site.parts.client(site.parts.make_key("sovereign").key) as sovereign:
        listed = sovereign.get(PATH, params={"state": "dead_letter", "scan": "scan_1", "type": TYPE}).json()["items"]
        assert delivery_id in [one["delivery_id"] for one in listed]
        assert sovereign.get(f"{PATH}/{delivery_id}").status_code == 200
        assert sovereign.get(f"{PATH}/keys").json()["webhook_keys"] == site.published.public().webhook_keys
        for path, body in (("send", b""), ("outcome", b'{"state": "received"}')):
            reply = post(sovereign, f"{PATH}/{delivery_id}/{path}", body)
            assert (reply.status_code, reply.json()["code"]) == (403, "insufficient_clearance")
    assert site.get(delivery_id).state == "dead_letter"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("msg_none/send", b"", 404),
        ("msg_none/outcome", b'{"state": "received"}', 404),
        ("msg_none/outcome", b'{"state": "lost"}', 422),
        ("msg_none/outcome", b'{"state": "received", "by": "x"}', 422),
        ("msg_none/outcome", b"", 415),
    ],
)
def test_what_cannot_be_done_is_a_problem(citadel: httpx.Client, path: str, body: bytes, status: int) -> None:
    """In the contract's document."""
    reply: Any = post(citadel, f"{PATH}/{path}", body)
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")


@pytest.mark.parametrize(
    "query", [{"state": "lost"}, {"type": "Radar"}, {"scan": "a b"}, {"kid": "x"}, {"cursor": "x"}]
)
def test_a_question_that_is_none_is_refused(citadel: httpx.Client, query: str) -> None:
    """Nothing is listed for it."""
    assert citadel.get(f"{PATH}?{query}").status_code == 422
