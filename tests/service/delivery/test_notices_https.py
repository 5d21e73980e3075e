"""Notices by signed calls, from the row to a platform that takes, asks to wait, decides, and is gone."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.delivery.addresses import AllowedReach
from app.delivery.delivery_rows import delivery
from app.delivery.notice_carriers import REFERENCE_LIMIT, read_answer
from app.delivery.notice_content import PlatformAccess
from app.delivery.notice_rows import UNDELIVERED
from tests.receiver import Received, Receiver, Reply, answering
from tests.service.delivery.notice_site import NEVER, PARCEL, NoticeSite
from tests.service.delivery.outbox_site import run
from tests.tls_authority import MadeAuthority
from tests.unit.delivery.loopback_peer import serving


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NoticeSite]:
    """One for the file: each test has notices and platforms of its own."""
    made = NoticeSite(tmp_path_factory.mktemp("notices") / "site")
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _settled(site: NoticeSite) -> Iterator[None]:
    """What one test left waiting is not sent in the next one."""
    yield
    left = delivery.update().where(delivery.c.state == "queued").values(state="withdrawn")
    site.write(lambda tx: tx.connection.execute(left))
    site.access = lambda _platform, _address: PlatformAccess(None, None)


def platform(*replies: Reply) -> Receiver:
    """Answers each call with the next of these, the last one for ever."""
    left = list(replies)

    def answer(_call: Received) -> Reply:
        return left.pop(0) if len(left) > 1 else left[0]

    return Receiver(answer)


def test_a_platform_gets_notice_signature_and_declaration(site: NoticeSite) -> None:
    """JSON with the notice as it is, its JWS and the PDF; the notice's id is the idempotency key; the token goes with
    it and the reference comes back."""
    receiver = platform((201, {}, b'{"reference": "CASE-7", "else": [1]}'))
    site.access = lambda platform, _address: PlatformAccess(f"token of {platform}", None)

    async def work() -> None:
        async with site.running():
            notice_id = site.put(receiver.url + "notices?of=us")
            await site.state(notice_id, "sent")
            (call,) = receiver.calls
            assert (call.method, call.path) == ("POST", "/notices?of=us")
            assert call.headers["idempotency-key"] == notice_id
            assert call.headers["content-type"] == "application/json"
            assert call.headers["authorization"] == "Bearer token of platform-a"
            body = json.loads(call.body)
            assert base64.b64decode(body.pop("declaration_pdf"), validate=True) == PARCEL.pdf
            assert body == {"notice_id": notice_id, "notice": {"notice": 1}, "jws": PARCEL.notice_jws}
            assert PARCEL.notice_json in call.body
            assert site.row(notice_id).reference == "CASE-7"
            (change,) = [one for one in site.owner.changes if one.notice_id == notice_id]
            assert (change.state, change.reference) == ("sent", "CASE-7")

    with receiver.listening():
        run(work())


def test_a_platform_may_decide_at_once(site: NoticeSite) -> None:
    """``actioned`` with a decision in the answer: the owner hears of ``sent`` and then of what the platform did."""
    said = b'{"reference": "C-1", "state": "actioned", "decision": "DECISION_VISIBILITY_CONTENT_REMOVED"}'
    receiver = platform((200, {}, said))

    async def work() -> None:
        async with site.running():
            notice_id = site.put(receiver.url)
            await site.state(notice_id, "actioned")
            assert site.told(notice_id) == ["sent", "actioned"]
            last = site.owner.changes[-1]
            assert (last.reference, last.decision) == ("C-1", "DECISION_VISIBILITY_CONTENT_REMOVED")

    with receiver.listening():
        run(work())


def test_a_repeat_is_the_same_call(site: NoticeSite) -> None:
    """503, then taken: the same body under the same key."""
    receiver = platform((503, {}, b""), (202, {}, b""))

    async def work() -> None:
        async with site.running():
            notice_id = site.put(receiver.url)
            assert (await site.state(notice_id, "sent")).attempts == 2
            first, second = receiver.calls
            assert (first.body, first.headers["idempotency-key"]) == (second.body, second.headers["idempotency-key"])

    with receiver.listening():
        run(work())


@pytest.mark.parametrize("as_date", [False, True])
def test_a_platform_may_ask_to_wait(site: NoticeSite, as_date: bool) -> None:
    """429 with ``Retry-After``, in seconds or as a date: the next attempt is due then and not before."""
    asked = format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=False) if as_date else "7200"
    receiver = Receiver(answering(429, Retry_After=asked))

    async def work() -> None:
        async with site.running(retries_s=(60.0, 60.0)):
            notice_id = site.put(receiver.url)
            waiting = await site.tried(notice_id)
            row = site.row(notice_id)
            assert (waiting.state, waiting.status) == ("queued", 429)
            assert 7_190 < (row.next_us - row.tried_us) / 1e6 < 7_201

    with receiver.listening():
        run(work())


def test_a_platform_that_is_gone_is_not_asked_again(site: NoticeSite) -> None:
    """410 ends the notice at once, with the platform's alarm."""
    receiver = Receiver(answering(410))

    async def work() -> None:
        async with site.running():
            done = await site.state(site.put(receiver.url, platform_id="gone"), "bounced")
            assert (done.attempts, done.answer) == (1, "It answered 410.")
            assert "gone" in site.alarms(UNDELIVERED)

    with receiver.listening():
        run(work())


def test_a_platform_that_moved_or_went_gets_nothing(site: NoticeSite) -> None:
    """The registry has this address no more: neither token nor notice leaves, and the notice is ``failed``."""
    receiver = Receiver(answering(200))
    site.access = lambda _platform, _address: None

    async def work() -> None:
        async with site.running():
            done = await site.state(site.put(receiver.url, platform_id="moved"), "failed")
            assert (done.attempts, done.fault) == (1, "platform_changed")
            assert receiver.calls == []

    with receiver.listening():
        run(work())


@pytest.mark.parametrize("url", ["https://platform.example/n", "http://192.0.2.1/n", "https://[2001:db8::1]:8443/n"])
def test_a_training_site_calls_loopback_alone(site: NoticeSite, url: str) -> None:
    """An address off loopback ends ``failed`` without a look-up or a connection."""

    async def work() -> None:
        async with site.running():
            done = await site.state(site.put(url, platform_id="far"), "failed")
            assert (done.attempts, done.fault, done.status) == (1, "url_refused", None)

    run(work())


def test_a_production_site_calls_https_alone(site: NoticeSite) -> None:
    """http is refused before anything leaves, even to an address that the site lists."""
    receiver = Receiver(answering(200))

    async def work() -> None:

        port = int(receiver.url.rpartition(":")[2].strip("/"))
        async with site.running(training=False, reach=[AllowedReach.of(["127.0.0.0/8"], [port])]):
            done = await site.state(site.put(receiver.url, platform_id="plain"), "failed")
            assert done.fault == "url_refused"
            assert receiver.calls == []

    with receiver.listening():
        run(work())


def test_tls_ends_at_the_registered_certificates(site: NoticeSite, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A platform with certificates of its own is called by those, and by no others."""

    authority = MadeAuthority(tmp_path_factory.mktemp("authority"), "127.0.0.1")
    taken = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    async def work() -> None:
        async with serving(taken, tls=authority.tls) as peer:
            reach = [AllowedReach.of(["127.0.0.0/8"], [peer.port])]
            async with site.running(training=False, reach=reach, retries_s=NEVER):
                assert (await site.tried(site.put(peer.url))).fault == "no_answer"
                site.access = lambda _platform, _address: PlatformAccess(None, authority.ca)
                await site.state(site.put(peer.url), "sent")

    run(work())


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", (None, None, None)),
        (b"\xff", (None, None, None)),
        (b"[1]", (None, None, None)),
        (b'{"reference": 7, "state": "countered", "decision": "DECISION_NONE"}', (None, None, None)),
        (
            b'{"reference": "a\\u0000\\nb", "state": "acknowledged", "decision": "DECISION_NONE"}',
            ("a b", "acknowledged", None),
        ),
        (b'{"state": "rejected", "decision": "DECISION_NONE"}', (None, "rejected", "DECISION_NONE")),
        (b'{"state": "actioned", "decision": "REMOVED"}', (None, "actioned", None)),
        (b'{"state": "sent"}', (None, None, None)),
    ],
)
def test_an_answer_is_believed_member_by_member(body: bytes, said: tuple[str | None, ...]) -> None:
    """What is not one of the words is skipped; the notice was taken all the same."""
    found = read_answer(200, body, {})
    assert (found.reference, found.state, found.decision, found.fault) == (*said, None)


@given(st.binary(max_size=400) | st.text(max_size=400).map(lambda text: json.dumps({"reference": text}).encode()))
def test_no_answer_breaks_the_record(body: bytes) -> None:
    """Any body gives an attempt that is taken, with a reference of one bounded line, or none."""
    found = read_answer(200, body, {})
    assert found.fault is None
    if found.reference is not None:
        assert 0 < len(found.reference) <= REFERENCE_LIMIT
        assert found.reference.splitlines() == [found.reference]
