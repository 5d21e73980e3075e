"""``Idempotency-Key``: the first reply is the only one."""

from __future__ import annotations

import threading

import httpx
import pytest
from sqlalchemy import func, insert, select, update

from app.api import idempotency
from app.api.idempotency import SWEEP_ROWS
from app.api.tables import api_reply
from app.store.errors import StoreUnavailable
from app.store.writer import Transaction
from tests.service.api.api_site import ApiSite
from tests.service.api.test_api_requests import code

ECHO = "/v1/sample/echo"
KEY = {"Idempotency-Key": "k-1"}


def test_same_request_gets_the_first_reply(fresh: ApiSite) -> None:
    """The handler runs once; the second reply is byte for byte the first."""
    with fresh.running(), fresh.client() as client:
        first = client.post(ECHO, json={"node_id": "ARC-1"}, headers=KEY)
        second = client.post(ECHO, json={"node_id": "ARC-1"}, headers=KEY)
    assert first.content == second.content
    assert second.headers["idempotency-replayed"] == "true"
    assert fresh.sample.runs == 1


def test_other_body_is_refused(fresh: ApiSite) -> None:
    """The same key with another body is 422."""
    with fresh.running(), fresh.client() as client:
        client.post(ECHO, json={"node_id": "ARC-1"}, headers=KEY)
        assert code(client.post(ECHO, json={"node_id": "ARC-2"}, headers=KEY)) == "idempotency_key_reused"


def test_keys_of_other_callers_are_apart(fresh: ApiSite) -> None:
    """Two API keys may use one idempotency key without meeting."""
    with fresh.running():
        with fresh.client() as client:
            first = client.post(ECHO, json={"node_id": "ARC-1"}, headers=KEY)
        with fresh.client(fresh.sovereign.key) as client:
            second = client.post(ECHO, json={"node_id": "ARC-1"}, headers=KEY)
    assert (first.json()["run"], second.json()["run"]) == (1, 2)


def test_running_request_is_409(fresh: ApiSite) -> None:
    """While the first runs, the same request is 409; when it is done, its reply is given."""
    with fresh.running(), fresh.client() as client:
        answers: list[httpx.Response] = []

        def first() -> None:
            with fresh.client() as other:
                answers.append(other.post("/v1/sample/slow", headers=KEY))

        thread = threading.Thread(target=first)
        thread.start()
        assert fresh.sample.begun.wait(5)
        assert code(client.post("/v1/sample/slow", headers=KEY)) == "request_in_progress"
        fresh.sample.release.set()
        thread.join(10)
        assert client.post("/v1/sample/slow", headers=KEY).content == answers[0].content
    assert fresh.sample.runs == 1


def test_late_work_keeps_its_reply(fresh: ApiSite) -> None:
    """A request answered 503 for its time gives its real reply to the repeat."""
    with fresh.running(), fresh.client() as client:
        assert client.post("/v1/sample/late", headers=KEY).status_code == 503
        fresh.sample.release.set()
        while (again := client.post("/v1/sample/late", headers=KEY)).status_code == 409:
            continue
    assert again.status_code == 200
    assert fresh.sample.runs == 1


def test_secret_reply_is_gone(fresh: ApiSite) -> None:
    """A reply with a secret is never given twice: 410, and nothing new is made."""
    with fresh.running(), fresh.client() as client:
        first = client.post("/v1/sample/secret", headers=KEY)
        assert first.json() == {"secret": "made-1"}
        assert code(client.post("/v1/sample/secret", headers=KEY)) == "gone"
    assert fresh.sample.runs == 1
    with fresh.store.read() as connection:
        assert connection.execute(api_reply.select()).one().body is None


def test_brief_secret_is_given_again_from_memory_alone(fresh: ApiSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Byte for byte while it is remembered; the store has none of it; later it is 410, and nothing new is made."""
    with fresh.running(), fresh.client() as client:
        first = client.post("/v1/sample/brief", headers=KEY)
        again = client.post("/v1/sample/brief", headers=KEY)
        assert (again.content, again.headers["idempotency-replayed"]) == (first.content, "true")
        with fresh.store.read() as connection:
            assert connection.execute(api_reply.select()).one().body is None
        monkeypatch.setattr(idempotency, "REMEMBERED_S", 0.0)
        assert code(client.post("/v1/sample/brief", headers=KEY)) == "gone"
        other = client.post("/v1/sample/brief", headers={"Idempotency-Key": "another"})
    assert (first.json(), other.json()) == ({"secret": "made-1"}, {"secret": "made-2"})
    assert fresh.sample.runs == 2


def test_refusal_of_the_handler_is_kept(fresh: ApiSite) -> None:
    """A handler's own 4xx is the first reply, too."""
    with fresh.running(), fresh.client() as client:
        first = client.post("/v1/sample/refuse", headers=KEY)
        second = client.post("/v1/sample/refuse", headers=KEY)
    assert code(first) == "state_conflict"
    assert first.json()["run"] == 1
    assert first.content == second.content


def test_server_error_is_not_kept(fresh: ApiSite) -> None:
    """After a 503 the same key runs again."""
    fresh.sample.release.set()
    with fresh.running(), fresh.client() as client:
        client.post("/v1/sample/slow?end=disk_full", headers=KEY)
        client.post("/v1/sample/slow?end=disk_full", headers=KEY)
    assert fresh.sample.runs == 2


def test_kept_over_a_restart(fresh: ApiSite) -> None:
    """The first reply outlives the process that gave it."""
    with fresh.running(), fresh.client() as client:
        first = client.post(ECHO, json={"node_id": "ARC-1"}, headers=KEY)
    fresh.store.close()
    again = ApiSite(fresh.site.data_dir)
    with again.running(), again.client(fresh.citadel.key) as client:
        second = client.post(ECHO, json={"node_id": "ARC-1"}, headers=KEY)
    again.close()
    assert first.content == second.content
    assert again.sample.runs == 0


def test_forgotten_after_a_day(fresh: ApiSite) -> None:
    """After 24 h the key may be used anew."""
    with fresh.running(), fresh.client() as client:
        client.post(ECHO, json={"node_id": "ARC-1"}, headers=KEY)
        day_us = 24 * 3600 * 1_000_000
        fresh.store.writer.submit(
            lambda tx: tx.connection.execute(update(api_reply).values(created_us=tx.now_us - day_us - 1)) and None
        ).result()
        assert client.post(ECHO, json={"node_id": "ARC-2"}, headers=KEY).json()["run"] == 2


def test_old_replies_go_however_many_they_are(fresh: ApiSite) -> None:
    """What one sweep leaves of expired replies the next reply sweeps: a busy site's table has an end."""

    def old(tx: Transaction) -> None:
        row = {"fingerprint": b"", "status": 200, "media_type": "application/json", "body": b"", "created_us": 1}
        rows = [{"slot": number.to_bytes(4), **row} for number in range(SWEEP_ROWS + 1)]
        tx.connection.execute(insert(api_reply), rows)

    with fresh.running(), fresh.client() as client:
        fresh.store.writer.submit(old).result()
        for name in ("one", "two"):
            client.post(ECHO, json={"node_id": "ARC-1"}, headers={"Idempotency-Key": name})
        with fresh.store.read() as connection:
            assert connection.scalar(select(func.count()).select_from(api_reply)) == 2


def test_burn_begins_without_a_readable_store(fresh: ApiSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """When kept replies cannot be looked up, a burn runs all the same and any other change is 503."""

    def away(**_asked: object) -> None:
        raise StoreUnavailable("The store could not be read.")

    monkeypatch.setattr(fresh.context.replies, "begin", away)
    with fresh.running(), fresh.client() as client:
        assert client.post("/v1/sample/small", json={"node_id": "ARC-1"}, headers=KEY).status_code == 200
        assert client.post(ECHO, json={"node_id": "ARC-1"}, headers=KEY).status_code == 503


def test_malformed_key(shared: ApiSite) -> None:
    """An idempotency key of another shape is 400."""
    with shared.client() as client:
        response = client.post(ECHO, json={"node_id": "ARC-1"}, headers={"Idempotency-Key": "a b"})
        assert code(response) == "malformed_request"
        response = client.post(ECHO, json={"node_id": "ARC-1"}, headers={"Idempotency-Key": "a" * 256})
        assert code(response) == "malformed_request"
