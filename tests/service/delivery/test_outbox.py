"""Callbacks from the row to the receiver, which judges them by libraries that are not ours."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from app.api.keys import KeyRing
from app.api.lineage import LAUNCH_KID
from app.api.problems import Problem
from app.api.wire import rfc3339, unix_us
from app.delivery import delivery_rows, guarded, outbox
from app.delivery.delivery_rows import DEAD_LETTER, DISABLED, KEPT_US, RETRIES_S, SENT_AGAIN, SETTLED
from app.delivery.messages import Delivery, DeliveryQuery, RecordOutcome
from app.delivery.published_keys import WEBHOOKS
from app.delivery.webhook_signature import public_text
from app.store.clock import system_clock_us
from app.store.errors import BadCursor, StoreUnavailable
from app.store.writer import Transaction
from tests.callback_receiver import CallbackReceiver, verified
from tests.door_site import until
from tests.service.delivery.outbox_site import NEVER, TYPE, OutboxSite, run
from tests.unit.delivery.loopback_peer import serving, silent
from tests.unit.delivery.test_guarded_fetch import Names

HOUR_US = 3_600 * 1_000_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OutboxSite]:
    """One for the file: each test has keys and receivers of its own."""
    made = OutboxSite(tmp_path_factory.mktemp("outbox") / "site")
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _settled(site: OutboxSite) -> Iterator[None]:
    """What one test left waiting is not sent in the next one."""
    yield
    table = delivery_rows.delivery
    site.write(lambda tx: tx.connection.execute(table.delete().where(table.c.state == "queued")))


def refused(error: pytest.ExceptionInfo[Problem]) -> str:
    """The code of a refusal."""
    return error.value.code


# --- sent ---


def test_a_callback_is_signed_by_the_key_and_by_the_site(site: OutboxSite) -> None:
    """Type, time and data as they were put, under an id that is the delivery's."""
    key, receiver = site.key(), CallbackReceiver(204)

    async def work() -> None:
        async with site.running(receiver.url):
            delivery_id = site.put(key.kid, receiver.url + "hook?token=x", data={"scan_id": "scan_1", "score": 0.25})
            found = await site.state(delivery_id, "delivered")
            (call,) = receiver.calls
            body = verified(call, key.webhook_secret, site.published.public().webhook_keys)
            assert body == {
                "type": TYPE,
                "timestamp": found.created_at,
                "data": {"scan_id": "scan_1", "score": 0.25},
            }
            assert (call.headers["webhook-id"], call.path) == (delivery_id, "/hook?token=x")
            assert call.headers["content-type"] == "application/json"
            assert (found.attempts, found.status, found.fault, found.next_attempt_at) == (1, 204, None, None)
            assert (found.subject, found.type, found.kid, found.bytes) == ("scan_1", TYPE, key.kid, len(call.body))

    with receiver.listening():
        run(work())


def test_what_is_taken_back_is_never_sent(site: OutboxSite) -> None:
    """The row belongs to the caller's transaction: with it the delivery goes."""
    key, receiver = site.key(), CallbackReceiver(204)

    def job(tx: Transaction) -> None:
        site.outbox.put(tx, kid=key.kid, url=receiver.url, event_type=TYPE, data={})
        raise ValueError("the scan's result was not written")

    async def work() -> None:
        async with site.running(receiver.url):
            with pytest.raises(ValueError, match="not written"):
                site.write(job)
            await site.state(site.put(key.kid, receiver.url), "delivered")

    with receiver.listening():
        run(work())
    assert len(receiver.calls) == 1
    assert len(site.listed()) == len(set(site.listed()))


def test_each_attempt_has_the_same_id_and_body(site: OutboxSite) -> None:
    """Whatever the receiver answers beside 2xx and 410, it is asked again."""
    key, receiver = site.key(), CallbackReceiver(500, 404, 302, 429, 200, location="/elsewhere")

    async def work() -> Delivery:
        async with site.running(receiver.url):
            return await site.state(site.put(key.kid, receiver.url), "delivered")

    with receiver.listening():
        found = asyncio.run(work())
    assert (found.attempts, found.status) == (5, 200)
    assert set(receiver.ids) == {found.delivery_id}
    assert len({call.body for call in receiver.calls}) == 1
    assert {call.path for call in receiver.calls} == {"/"}


def test_an_attempt_in_vain_is_no_leaf(site: OutboxSite) -> None:
    """A receiver that is down does not fill the log: what became of the delivery is one, when it is over."""
    key, receiver = site.key(), CallbackReceiver(500)

    async def work() -> None:
        async with site.running(receiver.url, retries_s=NEVER):
            delivery_id = site.put(key.kid, receiver.url)
            before = site.count_leaves()
            await site.tried(delivery_id)
            assert site.count_leaves() == before

    with receiver.listening():
        run(work())


def test_the_schedule_is_that_of_the_page(site: OutboxSite) -> None:
    """5 s, 5 min, 30 min, 2, 5, 10 and 10 h, each up to a tenth longer; then a dead letter."""
    key = site.key()
    waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]
    assert list(RETRIES_S) == waits

    def attempts(chance: float) -> list[float | None]:
        parts = site.parts
        rows = delivery_rows.DeliveryRows(parts.store, b"secret", site.alarms, chance=lambda: chance)
        put: dict[str, Any] = {"kid": key.kid, "url": "https://x.invalid/", "event_type": TYPE, "data": {}}
        delivery_id, _ = site.write(lambda tx: rows.put(tx, subject=None, **put))
        failed = delivery_rows.Attempted(503, "refused")
        return [site.write(lambda tx: rows.record(tx, delivery_id, failed)) for _ in range(8)]

    assert attempts(0.0) == [*waits, None]
    assert attempts(1.0) == [*(pytest.approx(1.1 * wait) for wait in waits), None]


def test_a_dead_letter_is_sent_again_under_its_id(site: OutboxSite) -> None:
    """It has a leaf and an alarm until then; three calls of a person are one leaf and one more message."""
    key, receiver = site.key(), CallbackReceiver(503)

    async def work() -> None:
        async with site.running(receiver.url):
            delivery_id = site.put(key.kid, receiver.url)
            dead = await site.state(delivery_id, "dead_letter")
            assert (dead.attempts, dead.status, dead.fault) == (8, 503, "refused")
            (leaf,) = site.leaves(DEAD_LETTER, delivery_id)
            assert (leaf.actor, leaf.outcome) == ("service", "FAILED")
            assert site.open_alarms(key.kid) == [DEAD_LETTER]
            receiver.statuses = [200]
            for _ in range(3):
                assert (await site.send(delivery_id)).state in ("queued", "delivered")
            assert (await site.state(delivery_id, "delivered")).attempts == 9
            assert (await site.send(delivery_id)).state == "delivered"
            assert set(receiver.ids) == {delivery_id}
            assert len(receiver.ids) == 9
            assert [leaf.actor for leaf in site.leaves(SENT_AGAIN, delivery_id)] == ["tester"]
            assert site.open_alarms(key.kid) == []

    with receiver.listening():
        run(work())


def test_a_receiver_that_is_gone_gets_no_more_of_that_key(site: OutboxSite) -> None:
    """What waits and what comes for the URL is disabled; other keys and other URLs are not; a person ends it."""
    one, other, receiver = site.key(), site.key(), CallbackReceiver(500)

    async def work() -> None:
        url = receiver.url + "hook"
        async with site.running(url, retries_s=NEVER):
            waits = site.put(one.kid, url)
            await site.tried(waits)
            receiver.statuses = [410, 204]
            gone = await site.state(site.put(one.kid, url), "disabled")
            assert (gone.status, gone.fault) == (410, "gone")
            assert site.get(waits).state == "disabled"
            assert [leaf.detail["others"] for leaf in site.leaves(DISABLED, gone.delivery_id)] == [1]
            later = site.put(one.kid, url)
            assert (site.get(later).state, site.get(later).attempts) == ("disabled", 0)
            assert site.open_alarms(one.kid) == []
            for kid, at in ((other.kid, url), (one.kid, url + "2")):
                await site.state(site.put(kid, at), "delivered")
            assert len(receiver.calls) == 4
            # It waited for an hour when it was disabled: a person does not.
            await site.send(waits)
            await site.state(waits, "delivered")
            assert site.get(later).state == "disabled"
            await site.state(site.put(one.kid, url), "delivered")

    with receiver.listening():
        run(work())


def test_a_redirect_is_not_followed(site: OutboxSite) -> None:
    """A signed body goes to the URL that the caller named, or nowhere."""
    key, elsewhere = site.key(), CallbackReceiver(204)
    with elsewhere.listening():
        receiver = CallbackReceiver(307, location=elsewhere.url)

        async def work() -> None:
            async with site.running(receiver.url, elsewhere.url, retries_s=NEVER):
                found = await site.tried(site.put(key.kid, receiver.url))
                assert (found.state, found.status, found.fault) == ("queued", 307, "refused")

        with receiver.listening():
            run(work())
    assert elsewhere.calls == []


def test_a_slow_receiver_holds_up_no_other(site: OutboxSite) -> None:
    """It has its few attempts at a time, and those of others go past all that waits for it."""
    slow_key, quick_key, quick = site.key(), site.key(), CallbackReceiver(204)

    async def work() -> None:
        async with serving(silent, host="127.0.0.2") as slow, site.running(slow.url, quick.url):
            for _ in range(10):
                site.put(slow_key.kid, slow.url)
            await until(lambda: slow.connections == 2)
            for kid in (slow_key.kid, quick_key.kid):
                await site.state(site.put(kid, quick.url), "delivered")
            # What is delivered leaves the outbox a turn after its row says so.
            await until(lambda: site.outbox.waiting == 10)
            assert slow.connections == 2

    with quick.listening():
        run(work())


def test_one_key_does_not_take_all_places(site: OutboxSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many slow hosts it names, others are served."""
    hosts = [f"slow{number}" for number in range(16)]
    monkeypatch.setattr(guarded, "resolve", Names(**{host: [["127.0.0.2"]] for host in hosts}))
    greedy, other, quick = site.key(), site.key(), CallbackReceiver(204)

    async def work() -> None:
        async with serving(silent, host="127.0.0.2") as slow, site.running(slow.url, quick.url):
            for host in hosts:
                site.put(greedy.kid, f"http://{host}:{slow.port}/")
            await until(lambda: slow.connections == 8)
            await site.state(site.put(other.kid, quick.url), "delivered")
            assert slow.connections == 8

    with quick.listening():
        run(work())


def test_sixteen_are_sent_at_a_time(site: OutboxSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many keys name however many hosts; what is beyond waits its turn."""
    hosts = [f"slow{number}" for number in range(9)]
    monkeypatch.setattr(guarded, "resolve", Names(**{host: [["127.0.0.2"]] for host in hosts}))
    keys = [site.key() for _ in range(3)]

    async def work() -> None:
        async with serving(silent, host="127.0.0.2") as slow, site.running(slow.url):
            for number, host in enumerate(hosts):
                for key in (keys[number % 3], keys[(number + 1) % 3]):
                    site.put(key.kid, f"http://{host}:{slow.port}/")
            await until(lambda: slow.connections == 16)
            await until(lambda: site.outbox.waiting == 18)
            assert len(site.outbox._attempts) == 16

    run(work())


# --- where it may go ---


def test_private_addresses_are_reached_only_where_the_site_lists_them(site: OutboxSite) -> None:
    """By address as by name; callers are told nothing of what is there."""
    key, receiver = site.key(), CallbackReceiver(204)

    async def work() -> None:
        async with site.running(retries_s=NEVER):
            by_address = await site.tried(site.put(key.kid, receiver.url))
            by_name = await site.tried(site.put(key.kid, "http://localhost/"))
            assert (by_address.fault, by_name.fault) == ("url_refused", "no_answer")
            assert by_address.status is by_name.status is None

    with receiver.listening():
        run(work())
    assert receiver.calls == []


def test_a_name_that_is_bound_anew_is_judged_anew(site: OutboxSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its second address is the one where clouds hand out credentials: nothing goes there."""
    key, receiver = site.key(), CallbackReceiver(500)
    names = Names(rebound_invalid=[["127.0.0.1"], ["169.254.169.254"]])
    monkeypatch.setattr(guarded, "resolve", names)

    async def work() -> None:
        url = receiver.url.replace("127.0.0.1", "rebound.invalid")
        async with site.running(url):
            dead = await site.state(site.put(key.kid, url), "dead_letter")
            assert (dead.attempts, dead.fault) == (8, "no_answer")

    with receiver.listening():
        run(work())
    assert (len(receiver.calls), len(names.asked)) == (1, 8)


def test_a_production_site_calls_back_by_https_alone(site: OutboxSite) -> None:
    """The request that names the URL can be told so; what is put all the same is not sent."""
    key, receiver = site.key(), CallbackReceiver(204)

    async def work() -> None:
        async with site.running(receiver.url, retries_s=NEVER, plain_http=False):
            assert "https://" in str(site.outbox.refusal_of("http://receiver.example/", key.kid))
            assert site.outbox.refusal_of("https://receiver.example/hook", key.kid) is None
            assert (await site.tried(site.put(key.kid, receiver.url))).fault == "url_refused"

    with receiver.listening():
        run(work())
    assert receiver.calls == []


def test_a_key_without_a_secret_is_told_before(site: OutboxSite) -> None:
    """The key of a console's own service is in no store: nothing could sign for it, and nothing is sent."""

    async def work() -> None:
        async with site.running():
            assert "no webhook secret" in str(site.outbox.refusal_of("https://receiver.example/", LAUNCH_KID))
            found = await site.state(site.put(LAUNCH_KID, "https://receiver.example/"), "disabled")
            assert (found.fault, found.attempts) == ("key_ended", 0)

    run(work())


# --- keys ---


def test_nothing_is_signed_for_a_revoked_key(site: OutboxSite) -> None:
    """What waits for it ends at once, whatever its schedule said, and a person cannot send it."""
    key, receiver = site.key(), CallbackReceiver(500)

    async def work() -> None:
        async with site.running(receiver.url, retries_s=NEVER):
            delivery_id = site.put(key.kid, receiver.url)
            await site.tried(delivery_id)
            await site.keyring.revoke(key.kid, actor="tester", request_id="req_t")
            found = await site.state(delivery_id, "disabled")
            assert (found.fault, found.attempts) == ("key_ended", 1)
            assert [leaf.detail["fault"] for leaf in site.leaves(DISABLED, delivery_id)] == ["key_ended"]
            with pytest.raises(Problem) as error:
                await site.send(delivery_id)
            assert refused(error) == "state_conflict"

    with receiver.listening():
        run(work())
    assert len(receiver.calls) == 1


def test_a_key_revoked_during_an_attempt_ends_what_it_leaves(site: OutboxSite) -> None:
    """The attempt goes on, and the next one is not waited for: it stood in no schedule when the key ended."""
    key, came, go = site.key(), threading.Event(), threading.Event()

    def hold() -> None:
        came.set()
        assert go.wait(30)

    receiver = CallbackReceiver(500, before=hold)

    async def work() -> None:
        async with site.running(receiver.url, retries_s=NEVER):
            delivery_id = site.put(key.kid, receiver.url)
            assert await asyncio.to_thread(came.wait, 30)
            await site.keyring.revoke(key.kid, actor="tester", request_id="req_t")
            go.set()
            found = await site.state(delivery_id, "disabled")
            assert (found.fault, found.attempts) == ("key_ended", 1)

    with receiver.listening():
        run(work())
    assert len(receiver.calls) == 1


def test_what_an_expired_key_asked_for_is_delivered(site: OutboxSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was asked for while the key opened; its end is no distrust."""
    receiver = CallbackReceiver(204)
    with monkeypatch.context() as past:
        past.setattr("app.api.keys._expiry", unix_us)
        key = site.key(expires_at=rfc3339(system_clock_us() - HOUR_US))

    async def work() -> None:
        async with site.running(receiver.url):
            await site.state(site.put(key.kid, receiver.url), "delivered")

    with receiver.listening():
        run(work())
    verified(receiver.calls[0], key.webhook_secret, site.published.public().webhook_keys)


def test_a_renewed_site_key_signs_beside_the_one_before(tmp_path: Any) -> None:
    """A receiver that has not fetched the new one yet goes on; the keys are published newest first."""
    made = OutboxSite(tmp_path / "site")
    key, receiver = made.key(), CallbackReceiver(204)
    (first,) = made.published.public().webhook_keys
    made.parts.keys.renew(WEBHOOKS, "ed25519")

    async def work() -> None:
        async with made.running(receiver.url):
            await made.state(made.put(key.kid, receiver.url), "delivered")

    with receiver.listening():
        run(work())
    published = made.published.public().webhook_keys
    assert published[1:] == [first]
    verified(receiver.calls[0], key.webhook_secret, published)
    made.close()


def test_a_site_key_that_was_replaced_twice_signs_no_more(tmp_path: Any) -> None:
    """It stays published, since what it signed may be on its way."""
    made = OutboxSite(tmp_path / "site")
    (first,) = made.published.public().webhook_keys
    for _ in range(2):
        made.parts.keys.renew(WEBHOOKS, "ed25519")
    published = made.published.public().webhook_keys
    assert (len(published), published[-1]) == (3, first)
    assert [public_text(one.public_key()) for one in made.published.webhook_signers()] == published[:2]
    made.close()


# --- people ---


def test_an_outcome_ends_the_attempts(site: OutboxSite) -> None:
    """The same words three times are one leaf, which holds no free text; other words replace them."""
    key, receiver = site.key(), CallbackReceiver(500)

    async def work() -> None:
        async with site.running(receiver.url, retries_s=NEVER):
            delivery_id = site.put(key.kid, receiver.url)
            await site.tried(delivery_id)
            body = RecordOutcome(state="received", reference="INC-7", note="read to Ada by phone")
            for _ in range(3):
                closed = await site.deliveries.record_outcome(delivery_id, body, actor="tester", request_id="req_t")
            assert closed.state == "closed"
            assert closed.outcome is not None
            assert (closed.outcome.state, closed.outcome.reference) == ("received", "INC-7")
            assert (closed.outcome.recorded_by, closed.next_attempt_at) == ("tester", None)
            (leaf,) = site.leaves(SETTLED, delivery_id)
            assert "Ada" not in str(leaf)
            body = RecordOutcome(state="abandoned")
            await site.deliveries.record_outcome(delivery_id, body, actor="other", request_id="req_t")
            assert [leaf.detail["before"] for leaf in site.leaves(SETTLED, delivery_id)] == ["queued", "received"]
            with pytest.raises(Problem) as error:
                await site.send(delivery_id)
            assert refused(error) == "state_conflict"

    with receiver.listening():
        run(work())
    assert len(receiver.calls) == 1


def test_an_outcome_of_the_last_dead_letter_closes_the_alarm(site: OutboxSite) -> None:
    """The alarm is open exactly while the key has dead letters."""
    key, receiver = site.key(), CallbackReceiver(500)

    async def work() -> None:
        async with site.running(receiver.url):
            both = [site.put(key.kid, receiver.url) for _ in range(2)]
            for delivery_id in both:
                await site.state(delivery_id, "dead_letter")
            alarms = []
            for delivery_id in both:
                body = RecordOutcome(state="abandoned")
                await site.deliveries.record_outcome(delivery_id, body, actor="tester", request_id="req_t")
                alarms.append(site.open_alarms(key.kid))
            assert alarms == [[DEAD_LETTER], []]

    with receiver.listening():
        run(work())


def test_what_arrived_has_no_outcome_and_what_is_not_there_is_404(site: OutboxSite) -> None:
    """Each call about a delivery says so."""
    key, receiver = site.key(), CallbackReceiver(204)

    async def work() -> None:
        async with site.running(receiver.url):
            there = site.put(key.kid, receiver.url)
            await site.state(there, "delivered")
            codes = []
            for delivery_id in (there, "msg_none"):
                with pytest.raises(Problem) as error:
                    await site.deliveries.record_outcome(
                        delivery_id, RecordOutcome(state="received"), actor="tester", request_id="req_t"
                    )
                codes.append(refused(error))
            with pytest.raises(Problem) as error:
                await site.send("msg_none")
            codes.append(refused(error))
            with pytest.raises(Problem) as error:
                site.get("msg_none")
            assert [*codes, refused(error)] == ["state_conflict", "not_found", "not_found", "not_found"]

    with receiver.listening():
        run(work())


def test_deliveries_are_listed_by_state_scan_and_type(site: OutboxSite) -> None:
    """Newest first, page by page; a cursor belongs to its question."""
    key = site.key()

    async def work() -> None:
        async with site.running(retries_s=NEVER):
            url = "http://127.0.0.1:9/"
            made = [site.put(key.kid, url, subject="scan_listed", event_type=f"test.{n % 2}") for n in range(4)]
            for delivery_id in made:
                await site.tried(delivery_id)
            await site.deliveries.record_outcome(
                made[0], RecordOutcome(state="abandoned"), actor="tester", request_id="req_t"
            )
            newest = made[::-1]
            assert site.listed(scan="scan_listed") == newest
            assert site.listed(scan="scan_listed", type="test.1") == [newest[0], newest[2]]
            assert site.listed(scan="scan_listed", state="queued") == newest[:3]
            first = site.deliveries.page(DeliveryQuery(scan="scan_listed", limit=3))
            assert [one.delivery_id for one in first.items] == newest[:3]
            rest = site.deliveries.page(DeliveryQuery(scan="scan_listed", limit=3, cursor=first.next))
            assert ([one.delivery_id for one in rest.items], rest.next) == (newest[3:], None)
            with pytest.raises(BadCursor):
                site.deliveries.page(DeliveryQuery(limit=3, cursor=first.next))

    run(work())


# --- bounds ---


def test_a_key_has_so_many_waiting_and_so_many_rows(site: OutboxSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the first it is a dead letter at once; beyond the second a sweep takes the oldest that are over, dead ones
    last, and none that waits."""
    monkeypatch.setattr(delivery_rows, "WAITING_PER_KEY", 2)
    monkeypatch.setattr(delivery_rows, "ROWS_PER_KEY", 3)
    key, receiver = site.key(), CallbackReceiver(204)

    async def work() -> None:
        async with site.running(receiver.url, retries_s=NEVER):
            arrived = site.put(key.kid, receiver.url)
            await site.state(arrived, "delivered")
            receiver.statuses = [500]
            waiting = [site.put(key.kid, receiver.url) for _ in range(2)]
            crowded = [site.put(key.kid, receiver.url) for _ in range(2)]
            assert [site.get(one).fault for one in crowded] == ["crowded", "crowded"]
            assert [site.get(one).state for one in crowded] == ["dead_letter", "dead_letter"]
            assert site.open_alarms(key.kid) == [DEAD_LETTER]
            with pytest.raises(Problem) as error:
                await site.send(crowded[0])
            assert refused(error) == "state_conflict"
            site.write(site.rows.sweep)
            left = site.listed(limit=500)
            assert [one for one in (arrived, *waiting, *crowded) if one in left] == [*waiting, crowded[1]]
            await site.deliveries.record_outcome(
                waiting[0], RecordOutcome(state="abandoned"), actor="tester", request_id="req_t"
            )
            site.put(key.kid, receiver.url)
            site.write(site.rows.sweep)
            left = site.listed(limit=500)
            assert [one for one in (*waiting, *crowded) if one in left] == [waiting[1], crowded[1]]

    with receiver.listening():
        run(work())


def test_what_is_over_goes_after_its_time_and_a_dead_letter_stays(site: OutboxSite) -> None:
    """A clock that went ahead takes nothing away that a person still has to see, or that is still to be sent."""
    key, receiver = site.key(), CallbackReceiver(204)

    async def work() -> None:
        async with site.running(receiver.url):
            over = site.put(key.kid, receiver.url)
            await site.state(over, "delivered")
            receiver.statuses = [500]
            dead = site.put(key.kid, receiver.url)
            await site.state(dead, "dead_letter")
        async with site.running(retries_s=NEVER):
            waits = site.put(key.kid, receiver.url)
            await site.tried(waits)

            def sweep(tx: Transaction) -> int:
                tx.now_us += KEPT_US + HOUR_US
                return site.rows.sweep(tx)

            assert site.write(site.rows.sweep) == 0
            assert site.write(sweep) >= 1
            left = site.listed(limit=500)
            assert (over in left, dead in left, waits in left) == (False, True, True)

    with receiver.listening():
        run(work())


@pytest.mark.parametrize(
    "how",
    [
        {"event_type": "Radar"},
        {"event_type": "a" * 65},
        {"data": "x" * (64 << 10)},
        {"url": "https://x.invalid/" + "a" * 2048},
    ],
)
def test_what_cannot_be_sent_is_refused_to_the_program(site: OutboxSite, how: dict[str, Any]) -> None:
    """Such a call is a fault of its caller: it takes the caller's transaction with it."""
    wanted = {"kid": "key_1", "url": "https://x.invalid/", "event_type": TYPE, "data": {}, **how}
    with pytest.raises(ValueError, match=r"no type|more than"):
        site.write(lambda tx: site.outbox.put(tx, **wanted))


# --- restarts and clocks ---


def test_an_unrecorded_answer_is_recorded_and_not_sent_again(site: OutboxSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that takes nothing for a while makes no storm of repeats."""
    key, receiver = site.key(), CallbackReceiver(204)
    monkeypatch.setattr(outbox, "_UNRECORDED_S", (0.0, 0.0))
    record, left = delivery_rows.DeliveryRows.record, [True] * 3

    def full(self: Any, *how: Any) -> float | None:
        if left:
            left.pop()
            raise StoreUnavailable("The disk is full.")
        return record(self, *how)

    monkeypatch.setattr(delivery_rows.DeliveryRows, "record", full)

    async def work() -> None:
        async with site.running(receiver.url):
            await site.state(site.put(key.kid, receiver.url), "delivered")

    with receiver.listening():
        run(work())
    assert (len(receiver.calls), left) == (1, [])


def test_a_restart_takes_up_what_waits(site: OutboxSite) -> None:
    """Under its id and with its body; nobody asks for it."""
    key, receiver = site.key(), CallbackReceiver(500, 204)

    async def work() -> str:
        async with site.running(receiver.url, retries_s=NEVER):
            delivery_id = site.put(key.kid, receiver.url)
            await site.tried(delivery_id)
        async with site.running(receiver.url):
            assert (await site.state(delivery_id, "delivered")).attempts == 2
        return delivery_id

    with receiver.listening():
        delivery_id = asyncio.run(work())
    assert receiver.ids == [delivery_id] * 2
    assert len({call.body for call in receiver.calls}) == 1


@pytest.mark.parametrize(
    ("ahead", "waits"), [(timedelta(0), 5.0), (timedelta(days=400), 5.5), (timedelta(days=-400), 0.0)]
)
def test_a_clock_that_was_set_holds_nothing_up(site: OutboxSite, ahead: timedelta, waits: float) -> None:
    """A start waits as long as the schedule has it at most, however far ahead the clock was that wrote the row."""
    key, rows, table = site.key(), site.make_rows(RETRIES_S), delivery_rows.delivery

    def job(tx: Transaction) -> tuple[str, int]:
        delivery_id = rows.put(tx, kid=key.kid, url="https://x.invalid/", event_type=TYPE, data={}, subject=None)[0]
        assert rows.record(tx, delivery_id, delivery_rows.Attempted(500, "refused")) == 5.0
        moved = table.c.next_us + int(ahead.total_seconds() * 1e6)
        tx.connection.execute(table.update().where(table.c.delivery_id == delivery_id).values(next_us=moved))
        return delivery_id, tx.now_us

    delivery_id, now_us = site.write(job)
    later = site.make_rows(RETRIES_S, clock=lambda: now_us)
    assert {one.delivery_id: one.wait_s for one in later.waiting()}[delivery_id] == waits


def test_a_receiver_says_when_to_come_back(site: OutboxSite) -> None:
    """``Retry-After`` of 429 and 503, a number or a date by this service's clock; it shortens no wait, and of other
    answers it is not read."""
    key = site.key()
    in_two_hours = format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True)
    told = [(429, "7200"), (503, in_two_hours), (429, "1"), (429, "soon"), (500, "7200")]
    waits = []

    async def work() -> None:
        for status, text in told:
            receiver = CallbackReceiver(status, retry_after=text)
            with receiver.listening():
                async with site.running(receiver.url, retries_s=(60.0,) * 7):
                    found = await site.tried(site.put(key.kid, receiver.url))
                    assert found.attempted_at is not None
                    assert found.next_attempt_at is not None
                    waits.append((unix_us(found.next_attempt_at) - unix_us(found.attempted_at)) / 1e6)

    run(work())
    assert waits == [7_200.0, pytest.approx(7_200.0, abs=120), 60.0, 60.0, 60.0]


@pytest.mark.parametrize(("asked", "waits"), [(3_600.0, 3_600.0), (1e8, 36_000.0)])
def test_a_pause_outlives_a_restart_and_has_a_bound(site: OutboxSite, asked: float, waits: float) -> None:
    """Ten hours at most; a start does not cut it to the schedule."""
    key, rows = site.key(), site.make_rows(RETRIES_S)

    def job(tx: Transaction) -> tuple[str, int]:
        delivery_id = rows.put(tx, kid=key.kid, url="https://x.invalid/", event_type=TYPE, data={}, subject=None)[0]
        assert rows.record(tx, delivery_id, delivery_rows.Attempted(429, "refused", asked)) == waits
        return delivery_id, tx.now_us

    delivery_id, now_us = site.write(job)
    later = site.make_rows(RETRIES_S, clock=lambda: now_us)
    assert {one.delivery_id: one.wait_s for one in later.waiting()}[delivery_id] == waits


def test_a_url_that_does_not_open_becomes_a_dead_letter(site: OutboxSite) -> None:
    """A row that was altered is this service's fault, and no loop of tries."""
    key = site.key()
    table = delivery_rows.delivery

    def job(tx: Transaction) -> str:
        delivery_id = site.outbox.put(tx, kid=key.kid, url="https://x.invalid/", event_type=TYPE, data={})
        one = table.update().where(table.c.delivery_id == delivery_id)
        tx.connection.execute(one.values(url_sealed=b"altered" * 10))
        return delivery_id

    async def work() -> None:
        async with site.running():
            dead = await site.state(site.write(job), "dead_letter")
            assert (dead.fault, dead.attempts) == ("internal", 8)

    run(work())


# --- secrets ---


def test_no_secret_of_a_url_is_told(
    site: OutboxSite, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the listing, nor a leaf, an alarm, a log line, or the file of the store shows path or query."""
    key, receiver = site.key(), CallbackReceiver(500)
    tokens = "path-token-Zq4", "query-token-Zq4"

    async def work() -> None:
        url = f"{receiver.url}{tokens[0]}/hook?sig={tokens[1]}"
        async with site.running(receiver.url):
            dead = await site.state(site.put(key.kid, url), "dead_letter")
            assert dead.url == f"{receiver.url}…"
        async with site.running(receiver.url, listed=[9]):
            gone = site.put(key.kid, f"http://127.0.0.1:9/{tokens[0]}?sig={tokens[1]}")
            await site.state(gone, "dead_letter")
            await site.send(dead.delivery_id)
            monkeypatch.setattr(KeyRing, "webhook_secret", lambda *_: b"")
            await site.state(dead.delivery_id, "dead_letter")

    with caplog.at_level(logging.DEBUG), receiver.listening():
        run(work())
    told = [str(site.listed()), str(site.parts.leaves()), str(site.alarms.open()), caplog.text]
    told += [json.dumps([str(vars(record)) for record in caplog.records])]
    told += [str([site.get(one) for one in site.listed(limit=500)])]
    files = [path.read_bytes() for path in site.parts.site.data_dir.rglob("*") if path.is_file()]
    assert [token for token in tokens if any(token in text for text in told)] == []
    assert [token for token in tokens if any(token.encode() in data for data in files)] == []
