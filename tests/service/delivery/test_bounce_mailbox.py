"""Bounces that come later: read from a real IMAP server, believed once, marked as seen after they are durable."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from app.delivery.bounce_mailbox import PER_LOOK, UNREAD, BounceReader, _quotable
from app.delivery.mail_message import BOUNCES, bounce_address
from app.delivery.notice_attempts import NoticeAttempt
from app.delivery.notice_rows import UNDELIVERED
from app.delivery.site_mail import MAILBOX_PASSWORD, SiteMail
from app.site.settings import BounceMailbox
from tests.door_site import until
from tests.dovecot import PASSWORD, USER, Dovecot
from tests.service.delivery.notice_site import NoticeSite
from tests.tls_authority import MadeAuthority
from tests.unit.delivery.test_bounces import DELIVERED, DIAGNOSED, report


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> MadeAuthority:
    """Certificates of the mailbox's server."""
    return MadeAuthority(tmp_path_factory.mktemp("authority"), "127.0.0.1")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, authority: MadeAuthority) -> Iterator[Dovecot]:
    """One for the file; each test has mails of its own."""
    with Dovecot(tmp_path_factory.mktemp("dovecot") / "box", authority.chain).running() as made:
        yield made


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NoticeSite]:
    """A site with a relay that nobody asks."""
    made = NoticeSite(tmp_path_factory.mktemp("bounces") / "site")
    made.mail = SiteMail(made.relay(25), made.parts.keys, training=False)
    made.wire()
    made.parts.keys.give_secret(MAILBOX_PASSWORD, PASSWORD.encode())
    yield made
    made.close()


def reader(site: NoticeSite, server: Dovecot, **more: Any) -> BounceReader:
    """As the platform makes one."""
    how = {"host": "127.0.0.1", "port": server.port, "user": USER, **more}
    return BounceReader(BounceMailbox(**how), site.parts.keys, site.parts.store, site.attempts, site.parts.alarms)


def sent(site: NoticeSite, **more: Any) -> tuple[str, str]:
    """A notice that a relay took, and its bounce address."""
    notice_id = site.put("abuse@platform.example", **more)
    site.write(lambda tx: site.attempts.record(tx, notice_id, NoticeAttempt(None, 250)))
    identity = site.mail.identity()
    assert identity is not None
    assert identity.bounce_secret == site.parts.keys.secret(BOUNCES)
    return notice_id, bounce_address(identity, notice_id)


def look(site: NoticeSite, server: Dovecot, authority: MadeAuthority) -> None:
    """One look into the mailbox."""
    asyncio.run(reader(site, server, ca=authority.ca).look())


def test_a_report_of_failure_bounces_its_notice(site: NoticeSite, server: Dovecot, authority: MadeAuthority) -> None:
    """``sent`` becomes ``bounced`` with the server's reason, the owner hears it, the platform's alarm opens."""
    notice_id, address = sent(site, platform_id="late")
    server.put(report(DIAGNOSED, to=address), "failure")
    look(site, server, authority)
    listed = site.get(notice_id)
    assert (listed.state, listed.fault) == ("bounced", "bounced")
    assert "550 5.1.1 no such user" in (listed.answer or "")
    assert site.told(notice_id) == ["sent", "bounced"]
    assert "late" in site.alarms(UNDELIVERED)
    assert "failure" in server.seen()


def test_a_report_of_success_is_delivered(site: NoticeSite, server: Dovecot, authority: MadeAuthority) -> None:
    """Once; the same report again, and a failure after a person's word, change nothing."""
    notice_id, address = sent(site)
    server.put(report(DELIVERED, to=address), "success-1")
    server.put(report(DELIVERED, to=address), "success-2")
    look(site, server, authority)
    assert (site.get(notice_id).state, site.told(notice_id)) == ("delivered", ["sent", "delivered"])
    site.write(lambda tx: site.rows.set(tx, notice_id, state="acknowledged"))
    server.put(report(DIAGNOSED, to=address), "failure-after")
    look(site, server, authority)
    assert site.get(notice_id).state == "acknowledged"


def test_other_mail_stays_unseen(site: NoticeSite, server: Dovecot, authority: MadeAuthority) -> None:
    """A mailbox that people read as well keeps what is theirs; a forged report is seen and does nothing."""
    notice_id, address = sent(site)
    server.put(report(DIAGNOSED, to="postmaster@site.invalid"), "peoples")
    forged = address.replace(".", ".0", 1)[:-1]
    server.put(report(DIAGNOSED, to=forged), "forged")
    look(site, server, authority)
    assert "peoples" not in server.seen()
    assert "forged" in server.seen()
    assert site.get(notice_id).state == "sent"


def test_a_mail_is_seen_after_it_is_durable(
    site: NoticeSite, server: Dovecot, authority: MadeAuthority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record that fails leaves the mail unseen: the next look reads it again."""
    notice_id, address = sent(site)
    server.put(report(DIAGNOSED, to=address), "unrecorded")
    record = site.attempts.record_report

    def fail(*_args: Any, **_more: Any) -> bool:
        raise RuntimeError("killed")

    monkeypatch.setattr(site.attempts, "record_report", fail)
    look(site, server, authority)
    assert "unrecorded" not in server.seen()
    assert len(site.alarms(UNREAD)) == 1
    monkeypatch.setattr(site.attempts, "record_report", record)
    look(site, server, authority)
    assert site.get(notice_id).state == "bounced"
    assert "unrecorded" in server.seen()
    assert site.alarms(UNREAD) == []


def test_more_mails_than_one_look_takes_wait(
    site: NoticeSite, server: Dovecot, authority: MadeAuthority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A flood of bounces keeps nobody from the rest."""
    assert PER_LOOK == 200
    monkeypatch.setattr("app.delivery.bounce_mailbox.PER_LOOK", 1)
    several = [sent(site) for _ in range(3)]
    for number, (_, address) in enumerate(several):
        server.put(report(DELIVERED, to=address), f"flood-{number}")
    counts = []
    for _ in range(4):
        look(site, server, authority)
        counts.append(sum(site.get(notice_id).state == "delivered" for notice_id, _ in several))
    assert counts == [1, 2, 3, 3]


@pytest.mark.parametrize("wrong", ["password", "certificate", "folder", "port", "none"])
def test_a_mailbox_that_is_not_read_is_an_alarm(
    site: NoticeSite, server: Dovecot, authority: MadeAuthority, wrong: str
) -> None:
    """Until a look succeeds; neither alarm nor log has the password."""
    keys = site.parts.keys
    more: dict[str, Any] = {"ca": None if wrong == "certificate" else authority.ca}
    if wrong == "folder":
        more["folder"] = "Nowhere"
    if wrong == "port":
        more["port"] = 1
    if wrong == "password":
        keys.give_secret(MAILBOX_PASSWORD, b"another one")
    box = reader(site, server, **more)
    if wrong == "none":
        keys_without = type("Keys", (), {"given_secret": lambda _self, _purpose: None})()
        box._keys = keys_without
    asyncio.run(box.look())
    (alarm,) = [one for one in site.parts.alarms.open() if one.kind == UNREAD]
    assert PASSWORD not in alarm.text
    keys.give_secret(MAILBOX_PASSWORD, PASSWORD.encode())
    look(site, server, authority)
    assert site.alarms(UNREAD) == []


@pytest.mark.parametrize("mark", ["\r", "\n", "\0"])
def test_a_password_of_two_lines_is_no_command(mark: str) -> None:
    """What stands behind the end of a line would be the mailbox's next command."""
    assert _quotable('one "line"') == 'one "line"'
    with pytest.raises(ValueError, match="more than one line"):
        _quotable(f"one{mark}A2 DELETE INBOX")


def test_a_site_without_a_mailbox_looks_nowhere(site: NoticeSite) -> None:
    """Start and stop do nothing."""

    async def work() -> None:
        idle = BounceReader(None, site.parts.keys, site.parts.store, site.attempts, site.parts.alarms)
        await idle.start()
        await idle.stop()

    asyncio.run(work())
    assert site.alarms(UNREAD) == []


def test_looks_go_on_by_themselves(site: NoticeSite, server: Dovecot, authority: MadeAuthority) -> None:
    """From the start on, each interval."""
    first, first_address = sent(site)
    second, second_address = sent(site)

    async def work() -> None:
        box = reader(site, server, ca=authority.ca, interval_s=0.05)
        server.put(report(DELIVERED, to=first_address), "looked-1")
        await box.start()
        await until(lambda: site.get(first).state == "delivered")
        server.put(report(DELIVERED, to=second_address), "looked-2")
        await until(lambda: site.get(second).state == "delivered")
        await box.stop()

    asyncio.run(work())


def test_a_look_that_hangs_holds_up_no_stop(site: NoticeSite, authority: MadeAuthority) -> None:
    """A server that takes the connection and says nothing: the stop ends it, whatever its time-out is."""

    async def work() -> None:
        spoken = asyncio.Event()

        async def mute(stream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"* OK ready\r\n")
            await stream.readline()
            spoken.set()
            await stream.read()
            writer.close()

        server = await asyncio.start_server(mute, "127.0.0.1", 0, ssl=authority.tls)
        how = {"host": "127.0.0.1", "port": server.sockets[0].getsockname()[1], "user": USER, "ca": authority.ca}
        box = BounceReader(BounceMailbox(**how), site.parts.keys, site.parts.store, site.attempts, site.parts.alarms)
        await box.start()
        await spoken.wait()
        await box.stop()
        server.close()
        # Leaving the loop waits for its threads: the look has ended, or this test does not.

    asyncio.run(work())
