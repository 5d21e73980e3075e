"""The rows of notices: put, filled in, released, claimed, withdrawn, settled; by enforcement, attempts and people."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.problems import Problem
from app.delivery import notice_attempts, notice_carriers
from app.delivery.delivery_rows import KEPT_US, WaitingDelivery
from app.delivery.messages import DeliveryQuery, RecordOutcome
from app.delivery.notice_attempts import JITTER, LEASE_S, RETRIES_S, ClaimedNotice, NoticeAttempt, NoticeAttempts
from app.delivery.notice_content import NoticeParcel, digest_of, mail_of, pack, parcel_of
from app.delivery.notice_rows import RELAY_AWAY, UNDELIVERED
from app.delivery.notices import Notices
from app.delivery.site_mail import RELAY_PASSWORD, SiteMail
from app.delivery.tables import delivery, notice_content
from tests.mail_receiver import Mail, MailReceiver
from tests.service.delivery.notice_site import NEVER, PARCEL, NoticeSite
from tests.service.delivery.outbox_site import run

WHO: dict[str, Any] = {"actor": "key_9", "request_id": "req_9"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NoticeSite]:
    """One for the file, whose outbox stands still: what a test claims nobody else sends."""
    made = NoticeSite(tmp_path_factory.mktemp("notices") / "site")
    made.mail = SiteMail(made.relay(25), made.parts.keys, training=False)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _fresh(site: NoticeSite) -> None:
    """Each test begins with a relay, an owner who releases, parts without leases, and nothing that waits."""
    left = delivery.update().where(delivery.c.state == "queued").values(state="withdrawn")
    site.write(lambda tx: tx.connection.execute(left))
    site.mail = SiteMail(site.relay(25), site.parts.keys, training=False)
    site.owner.release = "queued"
    site.wire()


def refusal(error: pytest.ExceptionInfo[Problem]) -> tuple[str, str]:
    """Code and sentence."""
    return error.value.code, error.value.detail


# --- put, filled in, released ---


def test_a_held_notice_waits_for_a_person(site: NoticeSite) -> None:
    """Held: nothing is fixed and nothing waits. Filled in and released it is queued with its bytes, and the owner is
    told who did it."""
    notice_id = site.put("abuse@platform.example", state="held", parcel=None)
    assert (site.get(notice_id).state, site.get(notice_id).bytes) == ("held", 0)
    site.write(lambda tx: site.notices.fill(tx, notice_id, PARCEL))
    assert parcel_of(site.content(notice_id)) == PARCEL
    assert notice_id not in {one.delivery_id for one in site.attempts.waiting()}
    site.write(lambda tx: site.notices.release(tx, notice_id, "queued", actor="key_9", request_id="req_9"))
    assert site.fixed_mail(notice_id).recipient == "abuse@platform.example"
    assert notice_id in {one.delivery_id for one in site.attempts.waiting()}
    assert [(one.state, one.actor) for one in site.owner.changes if one.notice_id == notice_id] == [("queued", "key_9")]


def test_what_is_listed_is_the_digest_of_what_leaves(site: NoticeSite) -> None:
    """``body_sha256`` and ``bytes`` are those of the fixed content."""
    notice_id = site.put("abuse@platform.example")
    content = site.content(notice_id)
    listed = site.get(notice_id)
    assert (listed.body_sha256, listed.bytes) == (digest_of(content), len(content))
    assert (listed.channel, listed.platform, listed.url) == ("mail", "platform-a", "abuse@platform.example")


def test_the_bytes_of_a_queued_notice_stay(site: NoticeSite) -> None:
    """Nothing is filled in or released twice."""
    notice_id = site.put("abuse@platform.example")
    before = site.content(notice_id)
    with pytest.raises(ValueError, match="under way"):
        site.write(lambda tx: site.notices.fill(tx, notice_id, PARCEL))
    with pytest.raises(ValueError, match="not held"):
        site.write(lambda tx: site.notices.release(tx, notice_id, "queued"))
    assert site.content(notice_id) == before


def test_nothing_is_released_that_was_never_filled_in(site: NoticeSite) -> None:
    """A held notice without a parcel stays held."""
    notice_id = site.put("abuse@platform.example", state="held", parcel=None)
    for state in ("queued", "operator_action"):
        with pytest.raises(ValueError, match="nothing was filled in"):
            site.write(lambda tx, state=state: site.notices.release(tx, notice_id, state))
    with pytest.raises(ValueError, match="has a parcel"):
        site.put("abuse@platform.example", parcel=None)


def test_what_was_finished_before_is_what_is_queued(site: NoticeSite) -> None:
    """``finish`` off the writer's thread gives the bytes; those of an earlier parcel are made anew."""
    notice_id = f"ntc_{'0a' * 16}"
    finished = site.notices.finish(notice_id, "mail", "abuse@platform.example", PARCEL)
    how: dict[str, Any] = {
        "kid": "k",
        "platform_id": "p",
        "channel": "mail",
        "address": "abuse@platform.example",
        "subject_id": "stk_f",
        "state": "queued",
    }
    site.write(lambda tx: site.notices.put(tx, notice_id=notice_id, parcel=PARCEL, finished=finished, **how))
    assert site.content(notice_id) == finished.content
    other = NoticeParcel("Another subject", "t", b"p", b"{}", "j")
    second = f"ntc_{'0b' * 16}"
    site.write(lambda tx: site.notices.put(tx, notice_id=second, parcel=other, finished=finished, **how))
    assert b"Another subject" in site.fixed_mail(second).message


def test_without_a_relay_mail_is_held_and_says_why(site: NoticeSite) -> None:
    """No relay: a mail is held, its release refused with the remedy. The same without the relay's password, and for
    a training site whose relay is not on loopback."""
    cases = (
        (SiteMail(None, site.parts.keys, training=False), "no mail relay"),
        (SiteMail(site.relay(465, tls="implicit", user="u"), site.parts.keys, training=False), "password"),
        (SiteMail(site.relay(465, tls="implicit", host="mail.example"), site.parts.keys, training=True), "training"),
    )
    for mail, words in cases:
        site.mail = mail
        site.wire()
        notice_id = site.put("abuse@platform.example")
        assert site.get(notice_id).state == "held"
        assert words in (site.notices.hindrance("mail") or "")
        assert site.notices.hindrance("https") is None
        with pytest.raises(Problem, match=words) as error:
            site.write(lambda tx, notice_id=notice_id: site.notices.release(tx, notice_id, "queued"))
        assert refusal(error)[0] == "state_conflict"
        with pytest.raises(Problem, match=words):
            run_send(site, notice_id)
        assert site.get(notice_id).state == "held"
    site.parts.keys.give_secret(RELAY_PASSWORD, b"p")
    assert cases[1][0].hindrance() is None


def test_a_form_is_never_queued(site: NoticeSite) -> None:
    """Channel ``form`` waits for an operator; nothing of it is ever due."""
    notice_id = site.put("https://forms.example/", channel="form", state="operator_action")
    assert site.get(notice_id).state == "operator_action"
    assert notice_id not in {one.delivery_id for one in site.attempts.waiting()}
    site.write(lambda tx: site.notices.fill(tx, notice_id, PARCEL))
    with pytest.raises(ValueError, match="filled in by a person"):
        site.put("https://forms.example/", channel="form")


@pytest.mark.parametrize(
    "subject", ["a\rb", "a\nBcc: x@y.example", "a\r\nb", "a\x00b", "a\u2028b", "a\x85b", "", "x" * 501]
)
def test_a_subject_is_one_line(subject: str) -> None:
    """A line break in a name never becomes a header."""
    with pytest.raises(ValueError, match="one line"):
        NoticeParcel(subject, "t", b"", b"{}", "j")


@pytest.mark.parametrize("reply_to", ["a@b\r\nBcc: c@d", "a b@c", "nobody", "<a@b>", "a@b, c@d", "a@b\n", '"a"@b'])
def test_a_reply_address_is_one_address(reply_to: str) -> None:
    """What would be two addresses, or two headers, is refused."""
    with pytest.raises(ValueError, match="no mail address"):
        NoticeParcel("s", "t", b"", b"{}", "j", reply_to)


@given(
    subject=st.text(min_size=1, max_size=400),
    text=st.text(max_size=500),
    name=st.from_regex(r"\A[a-z0-9.]{1,20}@[a-z]{1,10}\.example\Z"),
)
def test_any_text_is_one_mail(site: NoticeSite, subject: str, text: str, name: str) -> None:
    """Any script, direction or mark: refused as a subject, or one header line that reads back as it was, in a message
    whose lines are no longer than SMTP takes them."""
    try:
        parcel = NoticeParcel(subject, text, b"%PDF", b"{}", "j")
    except ValueError:
        return

    finished = site.notices.finish(f"ntc_{'0c' * 16}", "mail", name, parcel)
    mail = mail_of(finished.content)
    parsed = Mail(mail.sender, mail.recipient, mail.message, [], False, None, 0).message
    assert len(parsed.get_all("Subject")) == 1
    assert "".join(str(parsed["Subject"]).split()) == "".join(subject.split())
    assert parsed.get_all("Bcc") is None
    assert all(len(line) <= 998 for line in mail.message.split(b"\r\n"))
    assert b"\n" not in mail.message.replace(b"\r\n", b"")


# --- claims ---


def claim(site: NoticeSite, attempts: NoticeAttempts, notice_id: str) -> Any:
    """One claim in a transaction of its own."""
    return site.write(lambda tx: attempts.claim(tx, notice_id))


def record(site: NoticeSite, attempts: NoticeAttempts, notice_id: str, attempt: NoticeAttempt) -> Any:
    """One record in a transaction of its own."""
    return site.write(lambda tx: attempts.record(tx, notice_id, attempt))


def test_two_services_never_have_one_notice(site: NoticeSite) -> None:
    """Two claims of one row: the second waits for the end of the first one's lease, and is shown ``sending``."""
    other = NoticeAttempts(site.rows)
    notice_id = site.put("abuse@platform.example")
    assert site.get(notice_id).state == "queued"
    assert isinstance(claim(site, site.attempts, notice_id), ClaimedNotice)
    wait_s = claim(site, other, notice_id)
    assert isinstance(wait_s, float)
    assert 0 < wait_s <= LEASE_S
    assert site.get(notice_id).state == "sending"
    progress = site.write(lambda tx: site.notices.progress(tx.connection, [notice_id]))[notice_id]
    assert (progress.sending, progress.attempts) == (True, 0)


def test_a_lease_that_ended_is_taken_over(site: NoticeSite) -> None:
    """What a killed service had is claimed once its lease is over, with the same content."""
    killed = NoticeAttempts(site.rows, lease_s=0.0)
    notice_id = site.put("abuse@platform.example")
    first = claim(site, killed, notice_id)
    second = claim(site, site.attempts, notice_id)
    assert first == second


def test_a_clock_that_was_set_back_holds_no_lease(site: NoticeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the store's time the lease lasts another hour; seen unchanged for its length, it is over."""
    notice_id = site.put("abuse@platform.example")
    hour_ahead = NoticeAttempts(site.rows, lease_s=3_600.0)
    claim(site, hour_ahead, notice_id)
    now = [100.0]
    monkeypatch.setattr(notice_attempts.time, "monotonic", lambda: now[0])
    assert claim(site, site.attempts, notice_id) == LEASE_S
    now[0] += LEASE_S / 2
    assert claim(site, site.attempts, notice_id) == LEASE_S / 2
    now[0] += LEASE_S / 2
    assert isinstance(claim(site, site.attempts, notice_id), ClaimedNotice)


def test_a_lease_that_is_renewed_is_waited_for_anew(site: NoticeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another service that goes on claiming is alive, whatever the clocks say."""
    notice_id = site.put("abuse@platform.example")
    hour_ahead = NoticeAttempts(site.rows, lease_s=3_600.0)
    claim(site, hour_ahead, notice_id)
    now = [100.0]
    monkeypatch.setattr(notice_attempts.time, "monotonic", lambda: now[0])
    claim(site, site.attempts, notice_id)
    now[0] += LEASE_S - 1
    site.write(lambda tx: site.rows.set(tx, notice_id, lease_us=tx.now_us + 7_200_000_000))
    assert claim(site, site.attempts, notice_id) == LEASE_S
    now[0] += LEASE_S - 1
    assert claim(site, site.attempts, notice_id) == 1.0


def test_content_that_was_edited_is_not_sent(site: NoticeSite) -> None:
    """Bytes that are not those that were queued stay here, and no later attempt mends that."""
    notice_id = site.put("abuse@platform.example")
    edit = notice_content.update().where(notice_content.c.delivery_id == notice_id).values(content=b"edited")
    site.write(lambda tx: tx.connection.execute(edit))
    receiver = MailReceiver()

    async def work() -> None:
        async with site.running(receiver.port, retries_s=NEVER):
            assert (await site.state(notice_id, "failed")).fault == "internal"
            assert notice_id not in str([mail.raw for mail in receiver.mails])

    with receiver.listening():
        run(work())


def test_the_schedule_is_the_designs(site: NoticeSite) -> None:
    """1, 5, 15 and 60 minutes, then hourly, not beyond 48 hours; each wait at most a fifth longer or shorter."""
    assert RETRIES_S[:5] == (60.0, 300.0, 900.0, 3_600.0, 3_600.0)
    assert 47 * 3_600 < sum(RETRIES_S) <= 48 * 3_600
    for chance, factor in ((0.0, 1 - JITTER), (0.5, 1.0), (1.0, 1 + JITTER)):
        attempts = NoticeAttempts(site.rows, chance=lambda chance=chance: chance)
        notice_id = site.put("abuse@platform.example")
        claim(site, attempts, notice_id)
        wait_s = record(site, attempts, notice_id, NoticeAttempt("no_answer"))
        assert wait_s == pytest.approx(60.0 * factor)
        row = site.row(notice_id)
        assert row.next_us - row.tried_us == pytest.approx(wait_s * 1e6, abs=1)
        assert (row.lease_us, row.step) == (None, 1)


def test_a_pause_that_is_asked_for_is_bounded(site: NoticeSite) -> None:
    """A platform that asks for a year gets ten hours."""
    notice_id = site.put("https://platform.example/")
    wait_s = site.write(lambda tx: site.attempts.record(tx, notice_id, NoticeAttempt("refused", 503, pause_s=1e9)))
    assert wait_s == 36_000.0


def test_a_clock_that_was_set_forward_holds_nothing_up(site: NoticeSite) -> None:
    """A start reads waits from rows, none longer than its step has it: not even where the clock went back an hour."""
    attempts = NoticeAttempts(site.rows)
    notice_id = site.put("abuse@platform.example")
    site.write(lambda tx: attempts.record(tx, notice_id, NoticeAttempt("no_answer")))
    site.write(lambda tx: site.rows.set(tx, notice_id, next_us=tx.now_us + 3_600_000_000))
    (waiting,) = [one for one in attempts.waiting() if one.delivery_id == notice_id]
    assert waiting == WaitingDelivery(notice_id, "key_1", "mail", 60.0 * (1 + JITTER), "mail")
    site.write(lambda tx: site.rows.set(tx, notice_id, next_us=0))
    (waiting,) = [one for one in attempts.waiting() if one.delivery_id == notice_id]
    assert waiting.wait_s == 0.0


def test_the_last_attempt_ends_in_failed(site: NoticeSite) -> None:
    """As many attempts as the schedule has waits, and one."""
    attempts = NoticeAttempts(site.rows, retries_s=(1.0, 1.0))
    notice_id = site.put("abuse@platform.example", platform_id="p-last")
    waits = [site.write(lambda tx: attempts.record(tx, notice_id, NoticeAttempt("no_answer"))) for _ in range(3)]
    assert [wait is None for wait in waits] == [False, False, True]
    assert (site.get(notice_id).state, site.get(notice_id).attempts) == ("failed", 3)
    assert site.told(notice_id) == ["failed"]


def test_a_notice_that_is_given_back_waits_for_no_lease(site: NoticeSite) -> None:
    """A claim that came to no attempt is none: it is due at once, and nothing is counted; not where it is over."""
    notice_id = site.put("abuse@platform.example")
    claim(site, site.attempts, notice_id)
    assert site.write(lambda tx: site.attempts.give_back(tx, notice_id)) == 0.0
    assert (site.get(notice_id).state, site.get(notice_id).attempts) == ("queued", 0)
    assert isinstance(claim(site, NoticeAttempts(site.rows), notice_id), ClaimedNotice)
    site.write(lambda tx: site.notices.withdraw(tx, notice_id))
    assert site.write(lambda tx: site.attempts.give_back(tx, notice_id)) is None


def test_a_slow_relay_gets_no_attempt_beyond_a_lease(site: NoticeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notice that waited long for its turn is claimed anew before it is sent: no two attempts at a time."""
    monkeypatch.setattr(notice_carriers, "ATTEMPT_S", LEASE_S + 1)
    given: list[str] = []
    receiver = MailReceiver()

    async def work() -> None:
        async with site.running(receiver.port, retries_s=NEVER):
            give_back = site.attempts.give_back

            def noted(tx: Any, notice_id: str) -> float | None:
                given.append(notice_id)
                monkeypatch.setattr(notice_carriers, "ATTEMPT_S", 45.0)
                return give_back(tx, notice_id)

            monkeypatch.setattr(site.attempts, "give_back", noted)
            notice_id = site.put("abuse@platform.example")
            assert (await site.state(notice_id, "sent")).attempts == 1
            assert given == [notice_id]

    with receiver.listening():
        run(work())


def test_a_relays_alarm_outlives_a_restart(site: NoticeSite) -> None:
    """Not at the first attempts, which a short trouble fails; opened by one process it is closed by the next, by a
    mail that its recipient's server refuses, too."""
    trouble = NoticeAttempt("no_answer", answer="The relay: no", relay=True)
    attempts = NoticeAttempts(site.rows)
    notice_id = site.put("abuse@platform.example")
    for alarms in (0, 0, 1, 1):
        record(site, attempts, notice_id, trouble)
        assert len(site.alarms(RELAY_AWAY)) == alarms
    (told,) = [one.text for one in site.parts.alarms.open() if one.kind == RELAY_AWAY]
    assert told == "The mail relay takes no mail, so notices wait. Last answer: The relay: no"
    other = site.put("abuse@platform.example")
    record(site, NoticeAttempts(site.rows), other, trouble)
    assert len(site.alarms(RELAY_AWAY)) == 1
    record(site, NoticeAttempts(site.rows), other, NoticeAttempt("bounced", 550))
    assert site.alarms(RELAY_AWAY) == []


# --- withdrawn, erased ---


def test_what_has_not_left_never_leaves(site: NoticeSite) -> None:
    """Withdrawn: no claim is given, a person cannot send it, and what waited is not due."""
    notice_id = site.put("abuse@platform.example")
    assert site.write(lambda tx: site.notices.withdraw(tx, notice_id, **WHO)) is True
    assert claim(site, site.attempts, notice_id) is None
    assert notice_id not in {one.delivery_id for one in site.attempts.waiting()}
    with pytest.raises(Problem, match="withdrawn"):
        site.write(lambda tx: site.notices.send(tx, notice_id, **WHO))
    assert site.write(lambda tx: site.notices.withdraw(tx, notice_id, **WHO)) is False
    assert site.told(notice_id) == ["withdrawn"]


def test_what_had_left_is_sent_although_it_was_withdrawn(site: NoticeSite) -> None:
    """An attempt was under way: the server's word is the truth, and the owner hears it after ``withdrawn``."""
    notice_id = site.put("abuse@platform.example")
    claim(site, site.attempts, notice_id)
    site.write(lambda tx: site.notices.withdraw(tx, notice_id))
    assert site.write(lambda tx: site.attempts.record(tx, notice_id, NoticeAttempt(None, 250))) is None
    assert site.told(notice_id) == ["withdrawn", "sent"]
    assert "before it was withdrawn" in site.owner.changes[-1].detail


def test_an_attempt_in_vain_leaves_what_was_withdrawn(site: NoticeSite) -> None:
    """Withdrawn during an attempt that failed: it stays withdrawn, and nothing is due."""
    notice_id = site.put("abuse@platform.example")
    claim(site, site.attempts, notice_id)
    site.write(lambda tx: site.notices.withdraw(tx, notice_id))
    for fault in ("bounced", "no_answer"):
        assert site.write(lambda tx, f=fault: site.attempts.record(tx, notice_id, NoticeAttempt(f))) is None
    assert (site.get(notice_id).state, site.told(notice_id)) == ("withdrawn", ["withdrawn"])


def test_what_arrived_is_not_withdrawn(site: NoticeSite) -> None:
    """A sent notice stays sent."""
    notice_id = site.put("abuse@platform.example")
    site.write(lambda tx: site.attempts.record(tx, notice_id, NoticeAttempt(None, 250)))
    assert site.write(lambda tx: site.notices.withdraw(tx, notice_id)) is False
    assert site.get(notice_id).state == "sent"


def test_an_erasure_empties_the_notices_of_a_strike(site: NoticeSite) -> None:
    """Contents, answers and notes go, digests and states stay, and what waited never leaves; another strike's stay."""
    waits, sent, other = (
        site.put("abuse@platform.example", subject_id=strike) for strike in ("stk_e", "stk_e", "stk_other")
    )
    site.write(lambda tx: site.attempts.record(tx, sent, NoticeAttempt(None, 250, "for Jane")))
    digest = site.get(sent).body_sha256
    assert site.write(lambda tx: site.notices.erase(tx, "stk_e")) == 2
    assert site.write(lambda tx: site.notices.erase(tx, "stk_e")) == 0
    assert (site.get(waits).state, site.get(sent).state) == ("withdrawn", "sent")
    assert (site.get(sent).body_sha256, site.get(sent).answer) == (digest, None)
    assert site.content(other)
    with pytest.raises(AssertionError):
        site.content(sent)


# --- people ---


def test_a_person_releases_what_the_owner_lets_go(site: NoticeSite) -> None:
    """POST ``send`` of a held notice asks the owner: its refusal is the caller's, else it goes where the owner says."""
    notice_id = site.put("abuse@platform.example", state="held")
    site.owner.release = Problem("state_conflict", "The work is missing.")
    with pytest.raises(Problem, match="The work is missing"):
        run_send(site, notice_id)
    assert site.get(notice_id).state == "held"
    site.owner.release = "queued"
    assert run_send(site, notice_id).state == "queued"
    assert [(one.state, one.actor) for one in site.owner.changes if one.notice_id == notice_id] == [("queued", "key_9")]
    form = site.put("https://forms.example/", channel="form", state="held")
    site.owner.release = "operator_action"
    assert run_send(site, form).state == "operator_action"
    with pytest.raises(Problem, match="record the outcome"):
        run_send(site, form)


def test_a_release_signs_beside_the_writer(site: NoticeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a person sends is made on a thread of its own: burns do not wait for a signature."""
    threads: list[threading.Thread] = []
    finish = site.notices.finish

    def noted(*what: Any) -> Any:
        threads.append(threading.current_thread())
        return finish(*what)

    monkeypatch.setattr(site.notices, "finish", noted)
    notice_id = site.put("abuse@platform.example", state="held")
    assert run_send(site, notice_id).state == "queued"
    (thread,) = threads
    assert thread is not site.write(lambda _tx: threading.current_thread())


def run_send(site: NoticeSite, notice_id: str) -> Any:
    """A person sends it, as the API does."""
    return asyncio.run(site.deliveries.send(notice_id, **WHO))


def settle(site: NoticeSite, notice_id: str, **said: Any) -> Any:
    """A person records an outcome, as the API does."""
    return asyncio.run(site.deliveries.record_outcome(notice_id, RecordOutcome(**said), **WHO))


def test_an_operator_records_the_confirmation_number_of_a_form(site: NoticeSite) -> None:
    """``operator_action`` becomes ``sent`` with its reference, and then what the platform did."""
    notice_id = site.put("https://forms.example/", channel="form", state="operator_action")
    with pytest.raises(Problem, match="Nobody has filled in"):
        settle(site, notice_id, state="actioned")
    sent = settle(site, notice_id, state="sent", reference="C-77", note="by form")
    assert (sent.state, sent.outcome.reference, sent.outcome.recorded_by) == ("sent", "C-77", "key_9")
    done = settle(site, notice_id, state="actioned", decision="DECISION_VISIBILITY_CONTENT_DISABLED")
    assert (done.state, done.outcome.decision, done.outcome.reference) == (
        "actioned",
        "DECISION_VISIBILITY_CONTENT_DISABLED",
        "C-77",
    )
    assert site.told(notice_id) == ["sent", "actioned"]
    assert site.owner.changes[-1].reference == "C-77"
    assert settle(site, notice_id, state="actioned", decision="DECISION_VISIBILITY_CONTENT_DISABLED") == done
    assert site.told(notice_id) == ["sent", "actioned"]


@pytest.mark.parametrize("first", ["sent", "delivered", "bounced", "failed"])
@pytest.mark.parametrize("then", ["acknowledged", "actioned", "rejected", "countered"])
def test_what_a_platform_did_is_recorded_by_hand(site: NoticeSite, first: str, then: str) -> None:
    """After it left, also after a bounce: a person knows more. A lost one's alarm closes."""
    platform = f"p-{first}-{then}"
    notice_id = site.put("abuse@platform.example", platform_id=platform)
    attempt = {"bounced": NoticeAttempt("bounced", 550), "failed": NoticeAttempt("platform_changed")}.get(first)
    site.write(lambda tx: site.attempts.record(tx, notice_id, attempt or NoticeAttempt(None, 250)))
    if first == "delivered":
        assert (
            site.write(lambda tx: site.attempts.record_report(tx, notice_id, "delivered", detail="d", evidence={}))
            is True
        )
    assert site.get(notice_id).state == first
    assert (platform in site.alarms(UNDELIVERED)) is (attempt is not None)
    assert settle(site, notice_id, state=then, reference="R").state == then
    assert site.told(notice_id)[-1] == then
    assert platform not in site.alarms(UNDELIVERED)


@pytest.mark.parametrize(
    ("state", "said"),
    [("held", "send it first"), ("queued", "is on its way"), ("withdrawn", "This notice was withdrawn")],
)
@pytest.mark.parametrize("then", ["sent", "actioned"])
def test_nothing_is_recorded_of_what_has_not_left(site: NoticeSite, state: str, said: str, then: str) -> None:
    """409, with what to do."""
    notice_id = site.put("abuse@platform.example", state="queued" if state == "queued" else "held")
    if state == "withdrawn":
        site.write(lambda tx: site.notices.withdraw(tx, notice_id))
    with pytest.raises(Problem, match=said) as error:
        settle(site, notice_id, state=then)
    assert refusal(error)[0] == "state_conflict"
    assert site.get(notice_id).state == state


def test_a_sent_notice_is_not_sent_once_more_by_hand(site: NoticeSite) -> None:
    """``sent`` says nothing new of what was sent; POST ``send`` leaves it as it is."""
    notice_id = site.put("abuse@platform.example")
    site.write(lambda tx: site.attempts.record(tx, notice_id, NoticeAttempt(None, 250)))
    with pytest.raises(Problem, match="says nothing new"):
        settle(site, notice_id, state="sent")
    assert run_send(site, notice_id).state == "sent"


def test_a_countered_notice_is_not_sent_again(site: NoticeSite) -> None:
    """409: the uploader has objected, and what follows is for a person to say to the platform."""
    notice_id = site.put("abuse@platform.example")
    site.write(lambda tx: site.attempts.record(tx, notice_id, NoticeAttempt(None, 250)))
    settle(site, notice_id, state="countered")
    with pytest.raises(Problem, match="objected") as error:
        run_send(site, notice_id)
    assert refusal(error)[0] == "state_conflict"
    assert site.get(notice_id).state == "countered"
    assert site.told(notice_id)[-1] == "countered"


@pytest.mark.parametrize(
    ("said", "pointer"),
    [
        ({"state": "received"}, "/state"),
        ({"state": "abandoned"}, "/state"),
        ({"state": "acknowledged", "decision": "DECISION_NONE"}, "/decision"),
        ({"state": "sent", "decision": "DECISION_NONE"}, "/decision"),
        ({"state": "countered", "decision": "DECISION_NONE"}, "/decision"),
    ],
)
def test_an_outcome_is_one_of_a_notice(site: NoticeSite, said: dict[str, Any], pointer: str) -> None:
    """422 at its pointer for words of callbacks, and for a decision that nobody took."""
    notice_id = site.put("abuse@platform.example")
    with pytest.raises(Problem) as error:
        settle(site, notice_id, **said)
    assert error.value.code == "invalid_body"
    assert [one.pointer for one in error.value.errors] == [pointer]


@pytest.mark.parametrize("said", [{"state": "sent"}, {"state": "received", "decision": "DECISION_NONE"}])
def test_a_callback_has_no_outcome_of_a_notice(site: NoticeSite, said: dict[str, Any]) -> None:
    """422: what a platform does is not said of a call to an API key's URL."""
    callback = site.base.put(site.base.key().kid, "http://127.0.0.1:9/")
    with pytest.raises(Problem) as error:
        settle(site, callback, **said)
    assert error.value.code == "invalid_body"


def test_unknown_notices_are_404(site: NoticeSite) -> None:
    """An id that no row has, and a callback that is asked for as a notice."""
    callback = site.base.put(site.base.key().kid, "http://127.0.0.1:9/")
    for notice_id in (f"ntc_{'ff' * 16}", callback):
        with pytest.raises(Problem) as error:
            site.write(lambda tx, n=notice_id: site.notices.send(tx, n, **WHO))
        assert refusal(error)[0] == "not_found"


# --- beside callbacks ---


def test_lists_tell_notices_from_callbacks(site: NoticeSite) -> None:
    """``channel``, ``platform``, ``strike`` and ``state`` narrow the list; ``sending`` is a claimed one alone."""
    strike = "stk_list"
    mail = site.put("a@platform.example", subject_id=strike, platform_id="list-a")
    https = site.put("https://platform.example/", subject_id=strike, platform_id="list-b")
    claim(site, site.attempts, https)

    def listed(**query: Any) -> set[str]:
        return {one.delivery_id for one in site.deliveries.page(DeliveryQuery(strike=strike, **query)).items}

    assert listed() == {mail, https}
    assert listed(channel="mail") == listed(platform="list-a") == listed(state="queued") == {mail}
    assert listed(channel="https") == listed(state="sending") == {https}
    assert listed(channel="callback") == set()


def test_sweeps_leave_notices(site: NoticeSite) -> None:
    """Rows of callbacks that are over go after 30 days; those of notices are evidence, and stay."""
    notice_id = site.put("abuse@platform.example")
    site.write(lambda tx: site.attempts.record(tx, notice_id, NoticeAttempt(None, 250)))
    site.write(lambda tx: site.attempts.record_report(tx, notice_id, "delivered", detail="d", evidence={}))
    old = delivery.update().where(delivery.c.delivery_id == notice_id)
    site.write(lambda tx: tx.connection.execute(old.values(ended_us=tx.now_us - 2 * KEPT_US)))
    site.write(site.parts.delivery_rows.sweep)
    assert site.get(notice_id).state == "delivered"


def test_a_revoked_key_stops_no_notice(site: NoticeSite) -> None:
    """A notice is the site's own: it goes on when the key that asked for it is revoked."""
    key = site.base.key()
    receiver = MailReceiver()
    notice_id = site.put("abuse@platform.example", kid=key.kid)

    async def work() -> None:
        await site.base.keyring.revoke(key.kid, actor="tester", request_id="req_t")
        async with site.running(receiver.port):
            await site.state(notice_id, "sent")

    with receiver.listening():
        run(work())


def test_one_owner_is_told(site: NoticeSite) -> None:
    """A second owner is a fault of the wiring."""
    with pytest.raises(ValueError, match="owner already"):
        Notices(site.rows, enter=site.outbox.enter, mail=site.mail).register(site.owner)


def test_packed_content_reads_back(site: NoticeSite) -> None:
    """A parcel is the same after its row."""
    assert parcel_of(pack(PARCEL)) == PARCEL
