"""Notices by mail, from the row to a mail server that accepts, bounces, greylists, drops and is down."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dkim
import pytest

from app.delivery.delivery_rows import delivery
from app.delivery.mail_message import BOUNCES, dns_record, notice_of_bounce
from app.delivery.notice_rows import RELAY_AWAY, UNDELIVERED
from app.delivery.site_mail import RELAY_PASSWORD
from tests.mail_receiver import DROP, Mail, MailReceiver
from tests.opendkim import complaint
from tests.service.delivery.notice_site import AT_ONCE, NEVER, PARCEL, NoticeSite
from tests.service.delivery.outbox_site import run
from tests.tls_authority import MadeAuthority


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NoticeSite]:
    """One for the file: each test has notices and servers of its own."""
    made = NoticeSite(tmp_path_factory.mktemp("notices") / "site")
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _settled(site: NoticeSite) -> Iterator[None]:
    """What one test left waiting is not sent in the next one."""
    yield
    left = delivery.update().where(delivery.c.state == "queued").values(state="withdrawn")
    site.write(lambda tx: tx.connection.execute(left))


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> MadeAuthority:
    """Certificates of the mail servers here."""
    return MadeAuthority(tmp_path_factory.mktemp("authority"), "127.0.0.1")


def answers(*codes: str | None) -> tuple[list[str], MailReceiver]:
    """A server that answers each message with the next of these, the last one for ever; and the ids that it saw."""
    left = list(codes)
    seen: list[str] = []

    def taken(mail: Mail) -> str | None:
        seen.append(mail.message_id)
        return left.pop(0) if len(left) > 1 else left[0]

    return seen, MailReceiver(taken=taken)


def record_of(site: NoticeSite) -> tuple[str, str]:
    """Name and text of the site's DKIM record."""
    identity = site.mail.identity()
    assert identity is not None
    return dns_record(identity.domain, identity.selector, identity.key)


# --- taken ---


def test_what_arrives_is_what_was_fixed(site: NoticeSite) -> None:
    """The server has the bytes of the row: one recipient, the whole PDF, the JSON and its JWS, the dot of the text."""
    receiver = MailReceiver()

    async def work() -> None:
        async with site.running(receiver.port):
            notice_id = site.put("abuse@platform.example")
            await site.state(notice_id, "sent")
            (mail,) = receiver.mails
            fixed = site.fixed_mail(notice_id)
            assert (mail.sender, mail.recipient, mail.raw) == (fixed.sender, fixed.recipient, fixed.message)
            assert mail.message_id == f"<{notice_id}@site.invalid>"
            text, *attached = mail.message.iter_parts()
            assert text.get_content().replace("\r\n", "\n") == PARCEL.text
            assert [part.get_filename() for part in attached] == ["declaration.pdf", "notice.json", "notice.jws"]
            contents = [part.get_payload(decode=True) for part in attached]
            assert contents == [PARCEL.pdf, PARCEL.notice_json, PARCEL.notice_jws.encode()]
            assert mail.message["Reply-To"] == PARCEL.reply_to

    with receiver.listening():
        run(work())


def test_the_signature_holds_on_the_received_bytes(site: NoticeSite, tmp_path: Path) -> None:
    """dkimpy and OpenDKIM verify what arrived by the record that the site publishes, and refuse it edited."""
    receiver = MailReceiver()

    async def work() -> None:
        async with site.running(receiver.port):
            await site.state(site.put("abuse@platform.example"), "sent")
        name, text = record_of(site)
        (mail,) = receiver.mails
        edited = mail.raw.replace(b"Please act", b"Please acT")
        forged = mail.raw.replace(b"Subject: TRAINING", b"Subject: Training")
        added = b"From: a@b.example\r\n" + mail.raw
        for raw, holds in ((mail.raw, True), (edited, False), (forged, False), (added, False)):
            assert dkim.verify(raw, dnsfunc=lambda *_, **__: text.encode()) is holds
        assert complaint(mail.raw, name, text, tmp_path) == ""
        assert "Bad signature" in complaint(edited, name, text, tmp_path)
        assert "Bad signature" in complaint(forged, name, text, tmp_path)

    with receiver.listening():
        run(work())


def test_mails_of_a_strike_share_connections(site: NoticeSite) -> None:
    """Twelve notices go over at most four connections, each mail with one recipient of its own."""
    receiver = MailReceiver()

    async def work() -> None:
        async with site.running(receiver.port):
            notices = [site.put(f"abuse{number}@platform.example") for number in range(12)]
            for notice_id in notices:
                await site.state(notice_id, "sent")
        assert receiver.connections <= 4
        assert len({mail.recipient for mail in receiver.mails}) == 12

    with receiver.listening():
        run(work())


def test_a_server_that_reports_is_asked_to(site: NoticeSite) -> None:
    """Where the relay knows DSN, reports of success and failure are asked for, under the notice's id."""
    receiver = MailReceiver(dsn=True)

    async def work() -> None:
        async with site.running(receiver.port):
            notice_id = site.put("abuse@platform.example")
            await site.state(notice_id, "sent")
            (mail,) = receiver.mails
            assert mail.options == ["RET=HDRS", f"ENVID={notice_id}", "NOTIFY=SUCCESS,FAILURE"]

    with receiver.listening():
        run(work())


def test_the_owner_is_told_in_the_same_transaction(site: NoticeSite) -> None:
    """``sent`` reaches the owner once, with the digest of the bytes and the server's answer as evidence."""
    receiver = MailReceiver()

    async def work() -> None:
        async with site.running(receiver.port):
            notice_id = site.put("abuse@platform.example")
            await site.state(notice_id, "sent")
            (change,) = [one for one in site.owner.changes if one.notice_id == notice_id]
            assert (change.state, change.actor, change.reference) == ("sent", "service", None)
            assert change.evidence["answer"] == "2.0.0 taken"
            assert change.evidence["message_id"] == f"<{notice_id}@site.invalid>"

    with receiver.listening():
        run(work())


# --- not taken ---


def test_a_greylisted_notice_is_sent_on_the_third_attempt(site: NoticeSite) -> None:
    """451 twice, then taken: three times the same bytes, and the owner hears of ``sent`` alone."""
    seen, receiver = answers("451 4.7.1 greylisted", "451 4.7.1 greylisted", None)

    async def work() -> None:
        async with site.running(receiver.port):
            notice_id = site.put("abuse@platform.example")
            done = await site.state(notice_id, "sent")
            assert (done.attempts, done.status, done.fault) == (3, 250, None)
            assert seen == [f"<{notice_id}@site.invalid>"] * 3
            assert len({mail.raw for mail in receiver.mails}) == 1
            assert site.told(notice_id) == ["sent"]

    with receiver.listening():
        run(work())


@pytest.mark.parametrize("where", ["recipient", "message"])
def test_a_refusal_for_good_bounces_at_once(site: NoticeSite, where: str) -> None:
    """5xx to the recipient or to the message: one attempt, ``bounced``, the server's words, the platform's alarm."""
    receiver = MailReceiver()
    if where == "recipient":
        receiver.recipient = lambda _address: "550 5.1.1 no such\tuser"
    else:
        receiver.taken = lambda _mail: "550 5.1.1 no such\tuser"

    async def work() -> None:
        async with site.running(receiver.port):
            notice_id = site.put("abuse@platform.example", platform_id=f"bouncing-{where}")
            done = await site.state(notice_id, "bounced")
            assert (done.attempts, done.status, done.fault, done.answer) == (1, 550, "bounced", "5.1.1 no such user")
            assert site.told(notice_id) == ["bounced"]
            assert f"bouncing-{where}" in site.alarms(UNDELIVERED)

    with receiver.listening():
        run(work())


def test_a_bounced_notice_is_sent_again_with_the_same_bytes(site: NoticeSite) -> None:
    """A person sends it again: it is queued, arrives with its first Message-ID, and the alarm closes."""
    seen, receiver = answers("552 5.2.2 mailbox full", None)

    async def work() -> None:
        async with site.running(receiver.port):
            notice_id = site.put("abuse@platform.example", platform_id="full-box")
            await site.state(notice_id, "bounced")
            before = site.content(notice_id)
            await site.deliveries.send(notice_id, actor="key_9", request_id="req_1")
            await site.state(notice_id, "sent")
            assert site.content(notice_id) == before
            assert seen == [f"<{notice_id}@site.invalid>"] * 2
            assert site.told(notice_id) == ["bounced", "queued", "sent"]
            assert "full-box" not in site.alarms(UNDELIVERED)

    with receiver.listening():
        run(work())


def test_a_relay_that_is_down_is_waited_for(site: NoticeSite) -> None:
    """Nobody listens: no bounce, and an alarm at the third attempt. When the relay is back, a person has the next
    attempt made at once, and the alarm closes."""
    receiver = MailReceiver()
    with receiver.listening():
        port = receiver.port

    async def work() -> None:
        async with site.running(port, retries_s=(0.0, 0.0, 3_600.0)):
            notice_id = site.put("abuse@platform.example")
            # The first two are followed at once by the next, which may be under way by now.
            waiting = await site.tried(notice_id, 3)
            assert (waiting.state, waiting.fault, waiting.status) == ("queued", "no_answer", None)
            assert len(site.alarms(RELAY_AWAY)) == 1
            with receiver.listening(port):
                await site.deliveries.send(notice_id, actor="key_9", request_id="req_1")
                assert (await site.state(notice_id, "sent")).attempts == 4
            assert site.alarms(RELAY_AWAY) == []

    run(work())


def test_a_relay_that_never_answers_makes_a_dead_letter(site: NoticeSite) -> None:
    """After the last wait of the schedule the notice is ``failed``, with an alarm; a person's outcome closes it."""
    receiver = MailReceiver()
    with receiver.listening():
        port = receiver.port

    async def work() -> None:
        async with site.running(port):
            notice_id = site.put("abuse@platform.example", platform_id="unreached")
            done = await site.state(notice_id, "failed")
            assert (done.attempts, done.fault) == (len(AT_ONCE) + 1, "no_answer")
            assert site.told(notice_id) == ["failed"]
            assert "unreached" in site.alarms(UNDELIVERED)

    run(work())


def test_a_relay_that_takes_and_drops_gets_the_same_message_again(site: NoticeSite) -> None:
    """The message is there and its answer is lost: the repeat has the same Message-ID and the same bytes."""
    seen, receiver = answers(DROP, None)

    async def work() -> None:
        async with site.running(receiver.port):
            notice_id = site.put("abuse@platform.example")
            done = await site.state(notice_id, "sent")
            assert done.attempts == 2
            assert seen == [f"<{notice_id}@site.invalid>"] * 2
            first, second = receiver.mails
            assert first.raw == second.raw

    with receiver.listening():
        run(work())


def test_a_relay_that_drops_at_the_recipient_is_tried_again(site: NoticeSite) -> None:
    """A connection that ends in the envelope is no refusal."""
    left = [DROP, None]
    receiver = MailReceiver(recipient=lambda _address: left.pop(0))

    async def work() -> None:
        async with site.running(receiver.port):
            assert (await site.state(site.put("abuse@platform.example"), "sent")).attempts == 2

    with receiver.listening():
        run(work())


def test_a_connection_that_ended_while_it_waited_is_replaced(site: NoticeSite) -> None:
    """A relay ends idle connections as it likes: the next mail goes over a new one, in one attempt."""
    receiver = MailReceiver()

    async def work() -> None:
        async with site.running(port):
            with receiver.listening(port):
                await site.state(site.put("abuse@platform.example"), "sent")
            with receiver.listening(port):
                done = await site.state(site.put("abuse@platform.example"), "sent")
                assert done.attempts == 1

    with receiver.listening():
        port = receiver.port
    run(work())


# --- TLS and AUTH ---


def test_the_relay_is_reached_by_tls_and_a_password(site: NoticeSite, authority: MadeAuthority) -> None:
    """STARTTLS or TLS from the first byte, the certificate verified, AUTH with the sealed password."""
    for tls in ("starttls", "implicit"):
        receiver = MailReceiver(tls=authority.tls, implicit=tls == "implicit", password="a long password")

        async def work(receiver: MailReceiver = receiver, tls: str = tls) -> None:
            how = {"tls": tls, "user": "site", "ca": authority.ca}
            async with site.running(receiver.port, tls=how):
                await site.state(site.put("abuse@platform.example"), "sent")
                (mail,) = receiver.mails
                assert (mail.secured, mail.user) == (True, "site")

        site.parts.keys.give_secret(RELAY_PASSWORD, b"a long password")
        with receiver.listening():
            run(work())


def test_a_wrong_password_is_no_bounce(site: NoticeSite, authority: MadeAuthority) -> None:
    """535 is a fault of the settings: the notice waits, and the answer is shown without the password."""
    receiver = MailReceiver(tls=authority.tls, password="another")
    site.parts.keys.give_secret(RELAY_PASSWORD, b"a long password")

    async def work() -> None:
        how = {"tls": "starttls", "user": "site", "ca": authority.ca}
        async with site.running(receiver.port, tls=how, retries_s=NEVER):
            waiting = await site.tried(site.put("abuse@platform.example"))
            assert (waiting.state, waiting.fault, waiting.status) == ("queued", "refused", 535)
            assert waiting.answer is not None
            assert waiting.answer.startswith("The relay: ")
            assert "a long password" not in waiting.answer
            assert receiver.mails == []

    with receiver.listening():
        run(work())


def test_a_relay_with_another_certificate_gets_nothing(site: NoticeSite, authority: MadeAuthority) -> None:
    """Neither mail nor password goes to a server that the system's authorities do not know."""
    receiver = MailReceiver(tls=authority.tls, password="a long password")

    async def work() -> None:
        async with site.running(receiver.port, tls={"tls": "starttls", "user": "site"}, retries_s=NEVER):
            waiting = await site.tried(site.put("abuse@platform.example"))
            assert (waiting.state, waiting.fault) == ("queued", "no_answer")
            assert receiver.mails == []

    site.parts.keys.give_secret(RELAY_PASSWORD, b"a long password")
    with receiver.listening():
        run(work())


def test_a_relay_without_tls_gets_nothing(site: NoticeSite, authority: MadeAuthority) -> None:
    """Where the settings say STARTTLS, a server that offers none (or an attacker who hides it) gets no mail."""
    receiver = MailReceiver()

    async def work() -> None:
        async with site.running(receiver.port, tls={"tls": "starttls", "ca": authority.ca}, retries_s=NEVER):
            waiting = await site.tried(site.put("abuse@platform.example"))
            assert (waiting.state, waiting.fault) == ("queued", "no_answer")
            assert receiver.mails == []

    with receiver.listening():
        run(work())


# --- bounce addresses ---


def test_each_notice_has_a_sender_of_its_own_that_proves_it(site: NoticeSite) -> None:
    """The envelope sender names the notice, and no other site's secret makes the same one."""
    receiver = MailReceiver()

    async def work() -> None:
        async with site.running(receiver.port):
            notice_id = site.put("abuse@platform.example")
            await site.state(notice_id, "sent")
            (mail,) = receiver.mails
            secret = site.parts.keys.secret(BOUNCES)
            assert len(mail.sender.partition("@")[0]) <= 64
            assert notice_of_bounce(secret, mail.sender) == notice_id
            assert notice_of_bounce(secret, mail.sender.upper()) == notice_id
            assert notice_of_bounce(b"another", mail.sender) is None

    with receiver.listening():
        run(work())
