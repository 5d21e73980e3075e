"""API keys over HTTP and in the store."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select, update

from app.api.keys import KeyRing, Unauthenticated, key_clearance, make_key
from app.api.keys_messages import CreateKey, KeyQuery
from app.api.lineage import LAUNCH_KID
from app.api.operation import Clearance
from app.api.problems import Problem
from app.api.tables import api_key, api_key_secret
from app.api.wire import rfc3339, unix_us
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


class Clock:
    """What the keys take for the time: microseconds since 1970."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, now_us: int | None = None) -> None:
        self.now_us = time.time_ns() // 1000 if now_us is None else now_us
        monkeypatch.setattr("app.api.keys.time", self)

    def time_ns(self) -> int:
        return 1000 * self.now_us


def last_use(site: ApiSite, kid: str) -> int | None:
    """What the store says."""
    site.store.writer.submit(lambda _tx: None).result()
    with site.store.read() as connection:
        found: int | None = connection.scalar(select(api_key.c.last_used_us).where(api_key.c.kid == kid))
        return found


@pytest.mark.parametrize(
    ("key", "clearance"),
    [
        ("arc_cit_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA2PYW9i", Clearance.CITADEL),
        ("arc_sov_0123456789ABCDEFGHIJKLMNOPQRSTUV0P9jvw", Clearance.SOVEREIGN),
        ("arc_sov_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz73JI9Ro", Clearance.SOVEREIGN),
        ("arc_sov_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA2PYW9i", None),
        ("arc_cit_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA2PYW9j", None),
        ("arc_cit_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA2PYW9i\n", None),
        ("arc_adm_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA2PYW9i", None),
    ],
)
def test_the_check_characters_are_those_of_a_crc(key: str, clearance: Clearance | None) -> None:
    """CRC-32 (ISO-HDLC) of the first forty characters, six digits of base 62: a key of before stays a key."""
    assert key_clearance(key) is clearance


def test_what_is_made_has_its_length(fresh: ApiSite) -> None:
    """A kid of 64 bits; a webhook secret of 256, as the standard for webhooks writes it."""
    made = fresh.context.keyring.create_now(CreateKey(label="x", clearance="citadel"), actor="test")
    assert re.fullmatch("key_[0-9a-f]{16}", made.kid)
    secret = base64.b64decode(made.webhook_secret.removeprefix("whsec_"), validate=True)
    assert (len(secret), secret) == (32, fresh.context.keyring.webhook_secret(made.kid))
    with pytest.raises(KeyError, match="key_none"):
        fresh.context.keyring.webhook_secret("key_none")


@pytest.mark.parametrize(("after_us", "open_"), [(-1, True), (0, False), (1, False)])
def test_a_key_ends_at_its_last_microsecond(
    fresh: ApiSite, monkeypatch: pytest.MonkeyPatch, after_us: int, open_: bool
) -> None:
    """Its expiry is too late, whether it is looked up or was cached before; and an expiry of now is none to give."""
    ring, clock = fresh.context.keyring, Clock(monkeypatch, 2_000_000_000_000_000)
    ends = rfc3339(clock.now_us + 1_000_000)
    key = ring.create_now(CreateKey(label="x", clearance="citadel", expires_at=ends), actor="test")
    other = ring.create_now(CreateKey(label="y", clearance="citadel", expires_at=ends), actor="test")
    assert ring.authenticate(bearer(key.key)).key_id == key.kid
    clock.now_us += 1_000_000 + after_us
    for made in (key, other):
        if open_:
            assert ring.authenticate(bearer(made.key)).key_id == made.kid
            continue
        for _ in range(2):
            with pytest.raises(Unauthenticated) as refused:
                ring.authenticate(bearer(made.key))
            assert (refused.value.cause, refused.value.key_id) == ("expired", made.kid)
    if after_us >= 0:
        with pytest.raises(Problem, match="expired from the start"):
            ring.create_now(CreateKey(label="z", clearance="citadel", expires_at=ends), actor="test")


def test_uses_are_written_once_a_minute(fresh: ApiSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first at once, the next when a minute is over, to the microsecond; those of the launch key never."""
    ring, clock, kid = fresh.context.keyring, Clock(monkeypatch), fresh.sovereign.kid
    launched = make_key(Clearance.CITADEL)
    ring.admit_launch_key(launched)
    first_us = clock.now_us
    found = []
    for after_us in (0, 1, 59_999_999, 60_000_000, 119_999_999, 120_000_000):
        clock.now_us = first_us + after_us
        ring.authenticate(bearer(fresh.sovereign.key))
        found.append((last_use(fresh, kid) or 0) - first_us)
    assert found == [0, 0, 0, 60_000_000, 60_000_000, 120_000_000]
    ring.authenticate(bearer(launched))
    ring.close()
    assert ring._used == {}


def test_a_rotation_leaves_a_day_or_what_is_asked(fresh: ApiSite) -> None:
    """From the moment of the change, and never more than a secret had left before."""
    ring, kid = fresh.context.keyring, fresh.sovereign.kid

    def left() -> list[int | None]:
        """Of the secrets, oldest first: how long each holds after the newest was made."""
        with fresh.store.read() as connection:
            rows = connection.execute(
                select(api_key_secret).where(api_key_secret.c.kid == kid).order_by(api_key_secret.c.created_us)
            ).all()
        return [None if row.not_after_us is None else row.not_after_us - rows[-1].created_us for row in rows]

    asyncio.run(ring.rotate(kid, None, actor="test", request_id="req_1"))
    assert left() == [86_400_000_000, None]
    asyncio.run(ring.rotate(kid, 600, actor="test", request_id="req_2"))
    assert left() == [600_000_000, 600_000_000, None]
    asyncio.run(ring.rotate(kid, 604_800, actor="test", request_id="req_3"))
    first, second, third, newest = left()
    assert (first, third, newest) == (second, 604_800_000_000, None)
    assert first is not None
    assert first < 600_000_000


def test_the_list_names_the_end_of_the_former_secret_while_it_opens(
    fresh: ApiSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until that very microsecond."""
    ring, kid = fresh.context.keyring, fresh.sovereign.kid
    until = asyncio.run(ring.rotate(kid, 600, actor="test", request_id="req_1")).previous_valid_until
    with fresh.store.read() as connection:
        ends_us = connection.scalar(select(api_key_secret.c.not_after_us).where(api_key_secret.c.kid == kid)) or 0
    clock = Clock(monkeypatch)
    for now_us, said in ((ends_us - 1, until), (ends_us, None)):
        clock.now_us = now_us
        rows = {row.kid: row for row in ring.page(KeyQuery()).items}
        assert rows[kid].previous_valid_until == said
        assert rows[fresh.citadel.kid].previous_valid_until is None


def test_the_list_says_who_made_a_key(fresh: ApiSite) -> None:
    """And which other keys could hold its secret: not itself."""
    ring = fresh.context.keyring
    made = asyncio.run(ring.create(CreateKey(label="x", clearance="citadel"), actor=fresh.citadel.kid))
    asyncio.run(ring.rotate(made.kid, 0, actor=made.kid, request_id="req_1"))
    rows = {row.kid: row for row in ring.page(KeyQuery()).items}
    assert (rows[made.kid].made_by, rows[made.kid].line) == (fresh.citadel.kid, [fresh.citadel.kid])
    assert (rows[fresh.citadel.kid].made_by, rows[fresh.citadel.kid].line) == (None, [])
    assert (rows[made.kid].expires_at, rows[made.kid].last_used_at, rows[made.kid].revoked_at) == (None, None, None)


def test_a_revoked_key_is_told_by_its_name(fresh: ApiSite) -> None:
    """For the audit log; and those who asked for it are told once that is durable."""
    ring = fresh.context.keyring
    told: list[str] = []
    ring.on_revoke(told.append)
    asyncio.run(ring.revoke(fresh.sovereign.kid, actor="test", request_id="req_1"))
    with pytest.raises(Unauthenticated) as refused:
        ring.authenticate(bearer(fresh.sovereign.key))
    assert (refused.value.cause, refused.value.key_id) == ("revoked", fresh.sovereign.kid)
    assert told == [fresh.sovereign.kid]
    for change in (
        lambda: ring.revoke(fresh.sovereign.kid, actor="test", request_id="req_2"),
        lambda: ring.rotate(fresh.sovereign.kid, None, actor="test", request_id="req_2"),
        lambda: ring.revoke("key_none", actor="test", request_id="req_2"),
    ):
        with pytest.raises(Problem) as problem:
            asyncio.run(change())
        assert problem.value.code == "not_found"
    assert told == [fresh.sovereign.kid]


def test_a_key_is_looked_up_once(fresh: ApiSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it is cached, unless it was changed between the look and the end of it."""
    ring = fresh.context.keyring
    reads: list[str] = []
    read = fresh.store.read

    @contextlib.contextmanager
    def counted() -> Iterator[Any]:
        reads.append("")
        with read() as connection:
            yield connection
        if len(reads) == 1:
            ring._forget(fresh.sovereign.kid)

    monkeypatch.setattr(fresh.store, "read", counted)
    for expected in (1, 2, 2):
        ring.authenticate(bearer(fresh.sovereign.key))
        assert len(reads) == expected


def test_a_key_of_an_earlier_pepper_moves_under_the_newest(fresh: ApiSite) -> None:
    """When it is used; a key of neither is unknown, and one that is there already is written no second time."""
    cursors = Cursors(bytes(32))
    old = KeyRing(fresh.store, peppers=[b"old"], cursors=cursors)
    made = old.create_now(CreateKey(label="x", clearance="citadel"), actor="test")
    with pytest.raises(Unauthenticated):
        KeyRing(fresh.store, peppers=[b"new"], cursors=cursors).authenticate(bearer(made.key))
    both = KeyRing(fresh.store, peppers=[b"new", b"older", b"old"], cursors=cursors)
    assert both.authenticate(bearer(made.key)).key_id == made.kid
    fresh.store.writer.submit(lambda _tx: None).result()
    assert KeyRing(fresh.store, peppers=[b"new"], cursors=cursors).authenticate(bearer(made.key)).key_id == made.kid
    with pytest.raises(Unauthenticated):
        old.authenticate(bearer(made.key))


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
