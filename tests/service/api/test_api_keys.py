"""API keys over HTTP and in the store."""

from __future__ import annotations

import asyncio
import time

import pytest
from sqlalchemy import select, update

from app.api.keys import LAUNCH_KID, Unauthenticated, make_key
from app.api.operation import Clearance
from app.api.tables import api_key, api_key_secret
from app.api.wire import unix_us
from app.ledger.query.query import AuditIndex, EntryCriteria, LoggedEntry
from app.store.cursor import Cursors
from tests.service.api.api_site import ApiSite
from tests.service.api.test_api_requests import code


def bearer(key: str) -> bytes:
    """The header's value."""
    return f"Bearer {key}".encode()


def cause(site: ApiSite, header: bytes | None) -> str:
    """Why a header is refused."""
    with pytest.raises(Unauthenticated) as refused:
        site.context.keyring.authenticate(header)
    return refused.value.cause


def test_key_is_stored_as_a_digest_alone(fresh: ApiSite) -> None:
    """Neither the key nor the webhook secret is found in the store's files."""
    fresh.store.writer.submit(lambda tx: None).result()
    kept = b"".join(path.read_bytes() for path in fresh.site.data_dir.rglob("*") if path.is_file())
    assert fresh.citadel.kid.encode() in kept
    assert fresh.citadel.key[8:].encode() not in kept
    assert fresh.citadel.webhook_secret.removeprefix("whsec_").encode() not in kept
    assert fresh.context.keyring.webhook_secret(fresh.citadel.kid) not in kept


def test_causes(fresh: ApiSite) -> None:
    """What is no valid key is told apart for the audit log."""
    good = fresh.citadel.key
    assert cause(fresh, None) == "missing"
    assert cause(fresh, b"Basic " + good.encode()) == "malformed"
    assert cause(fresh, bearer(good + "x")) == "malformed"
    assert cause(fresh, bearer(good[:-1] + ("a" if good[-1] != "a" else "b"))) == "malformed"
    assert cause(fresh, b"Bearer \xff") == "malformed"
    assert cause(fresh, bearer(make_key(Clearance.CITADEL))) == "unknown"


def test_launch_key_lives_with_the_process(fresh: ApiSite) -> None:
    """A key handed over at launch opens, is listed nowhere and not stored."""
    key = make_key(Clearance.CITADEL)
    fresh.context.keyring.admit_launch_key(key)
    caller = fresh.context.keyring.authenticate(bearer(key))
    assert (caller.key_id, caller.clearance) == (LAUNCH_KID, Clearance.CITADEL)
    with fresh.store.read() as connection:
        assert len(connection.execute(select(api_key_secret)).all()) == 2


def test_bad_launch_key(fresh: ApiSite) -> None:
    """A launch key that is none is refused."""
    with pytest.raises(ValueError, match="well-formed"):
        fresh.context.keyring.admit_launch_key("arc_cit_nope")


def test_revocation_is_at_once(shared: ApiSite) -> None:
    """A key that was just used is refused by the next request after its revocation, and cannot be changed any more."""
    with shared.client() as client:
        made = client.post("/v1/keys", json={"label": "x", "clearance": "sovereign"}).json()
        with shared.client(made["key"]) as partner:
            assert partner.get("/v1/sample").status_code == 200
            assert client.delete(f"/v1/keys/{made['kid']}").status_code == 204
            response = partner.get("/v1/sample")
        assert code(response) == "unauthenticated"
        assert response.headers["www-authenticate"] == 'Bearer realm="arc", error="invalid_token"'
        assert code(client.delete(f"/v1/keys/{made['kid']}")) == "not_found"
        assert code(client.post(f"/v1/keys/{made['kid']}/rotate")) == "not_found"


def test_rotation_overlaps(fresh: ApiSite) -> None:
    """After a rotation both secrets open as the same key; after the overlap the old one does not."""
    ring = fresh.context.keyring
    old = fresh.sovereign
    assert ring.authenticate(bearer(old.key)).key_id == old.kid
    new = asyncio.run(ring.rotate(old.kid, None, actor="test", request_id="req_1"))
    assert ring.authenticate(bearer(new.key)).key_id == old.kid
    assert ring.authenticate(bearer(old.key)).key_id == old.kid
    assert abs(unix_us(new.previous_valid_until) - time.time_ns() // 1000 - 24 * 3600 * 10**6) < 60 * 10**6
    newer = asyncio.run(ring.rotate(old.kid, 0, actor="test", request_id="req_2"))
    assert cause(fresh, bearer(old.key)) == "expired"
    assert cause(fresh, bearer(new.key)) == "expired"
    assert ring.authenticate(bearer(newer.key)).key_id == old.kid


def test_expired_key(fresh: ApiSite) -> None:
    """A key past its expiry is refused, also when it is cached."""
    ring = fresh.context.keyring
    now_us = time.time_ns() // 1000
    fresh.store.writer.submit(
        lambda tx: tx.connection.execute(update(api_key).values(expires_us=now_us + 200_000)) and None
    ).result()
    assert ring.authenticate(bearer(fresh.sovereign.key)).key_id == fresh.sovereign.kid
    while time.time_ns() // 1000 < now_us + 200_000:
        continue
    assert cause(fresh, bearer(fresh.sovereign.key)) == "expired"


@pytest.mark.parametrize(
    ("at", "refusal"), [("2020-01-01T00:00:00Z", "state_conflict"), ("2027-02-29T00:00:00Z", "invalid_body")]
)
def test_expiry_that_cannot_be(shared: ApiSite, at: str, refusal: str) -> None:
    """A key cannot be made expired, nor with an expiry that no calendar has."""
    with shared.client() as client:
        response = client.post("/v1/keys", json={"label": "x", "clearance": "sovereign", "expires_at": at})
    assert code(response) == refusal
    assert response.json()["errors"][0]["pointer"] == "/expires_at"


def test_last_use_is_written(fresh: ApiSite) -> None:
    """The time of the last use reaches the store within a minute, or when the service stops."""
    before_us = time.time_ns() // 1000
    with fresh.running(), fresh.client(fresh.sovereign.key) as client:
        client.get("/v1/sample")
        client.get("/v1/sample")
    with fresh.store.read() as connection:
        used = connection.execute(select(api_key.c.last_used_us).where(api_key.c.kid == fresh.sovereign.kid)).scalar()
    assert used is not None
    assert used >= before_us


def test_full_writer_refuses_no_reader(fresh: ApiSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A last use that finds the writer's queue full costs its caller nothing."""
    monkeypatch.setattr("app.store.writer.QUEUE_LIMIT", 0)
    with fresh.running(), fresh.client(fresh.sovereign.key) as client:
        assert client.get("/v1/sample").status_code == 200


def test_pages_of_keys(shared: ApiSite) -> None:
    """Pages join to the whole list, newest first, each key once."""
    with shared.client() as client:
        for n in range(5):
            client.post("/v1/keys", json={"label": f"page {n}", "clearance": "sovereign"})
        whole = client.get("/v1/keys?limit=500").json()
        assert whole["next"] is None
        assert [row["label"] for row in whole["items"][:5]] == [f"page {n}" for n in (4, 3, 2, 1, 0)]
        found, cursor = [], ""
        while True:
            page = client.get(f"/v1/keys?limit=2{cursor}").json()
            found += page["items"]
            if page["next"] is None:
                break
            cursor = f"&cursor={page['next']}"
    assert [row["kid"] for row in found] == [row["kid"] for row in whole["items"]]


def test_list_never_shows_a_secret(shared: ApiSite) -> None:
    """The list holds no key and no digest; revoked keys only when asked for."""
    with shared.client() as client:
        made = client.post("/v1/keys", json={"label": "gone", "clearance": "sovereign"}).json()
        client.delete(f"/v1/keys/{made['kid']}")
        text = client.get("/v1/keys?limit=500").text
        assert made["kid"] not in text
        assert "arc_sov_" not in text
        rows = client.get("/v1/keys?limit=500&revoked=true").json()["items"]
    assert [row["revoked_at"] is not None for row in rows if row["kid"] == made["kid"]] == [True]


def test_changes_of_keys_are_leaves(fresh: ApiSite) -> None:
    """Making, rotating and revoking a key each leave a leaf with the actor and the request."""
    with fresh.running(), fresh.client() as client:
        made = client.post("/v1/keys", json={"label": "x", "clearance": "sovereign"})
        kid = made.json()["kid"]
        client.post(f"/v1/keys/{kid}/rotate")
        client.delete(f"/v1/keys/{kid}")
    leaves = [leaf for leaf in audit(fresh) if leaf.detail.get("kid") == kid]
    assert [leaf.action for leaf in leaves] == ["keys.create", "keys.rotate", "keys.revoke"]
    assert {leaf.actor for leaf in leaves} == {fresh.citadel.kid}
    assert leaves[0].request_id == made.headers["x-request-id"]


def test_refusals_are_leaves_but_cannot_fill_the_log(fresh: ApiSite) -> None:
    """Hundreds of refused calls end in one leaf a cause with their count."""
    size = fresh.audit.head()[0]
    with fresh.running():
        with fresh.client(make_key(Clearance.CITADEL)) as client:
            for n in range(300):
                client.get(f"/v1/sample/{n}")
        with fresh.client(fresh.sovereign.key) as client:
            client.get("/v1/citadel/sample")
    leaves = [leaf for leaf in audit(fresh) if leaf.action == "api.refused"]
    assert fresh.audit.head()[0] - size == len(leaves) <= 4
    unknown = [leaf.detail for leaf in leaves if leaf.detail["cause"] == "unauthenticated.unknown"]
    assert sum(detail["count"] for detail in unknown) == 300
    denied = [leaf for leaf in leaves if leaf.detail["cause"] == "insufficient_clearance"]
    assert [(leaf.actor, leaf.outcome, leaf.detail["operation"]) for leaf in denied] == [
        (fresh.sovereign.kid, "DENIED", "sample.citadel")
    ]


def audit(site: ApiSite) -> list[LoggedEntry]:
    """Every leaf in order."""
    query = AuditIndex(site.store, site.audit, Cursors(b"c" * 32))
    day_us = 24 * 3600 * 10**6
    now_us = time.time_ns() // 1000
    return list(query.page(now_us - day_us, now_us + day_us, EntryCriteria(order="asc", limit=500)).entries)
