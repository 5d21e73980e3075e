"""Reports of mail servers: what is believed, of which notice, and what any bytes do."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from hypothesis import given
from hypothesis import strategies as st

from app.delivery.bounces import SAID_LIMIT, BounceReport, read_report
from app.delivery.mail_message import MailIdentity, bounce_address, notice_of_bounce

SECRET = b"s" * 32
NOTICE = f"ntc_{'0123456789abcdef' * 2}"
IDENTITY = MailIdentity("n@site.invalid", "site.invalid", "arc-1", rsa.generate_private_key(65537, 2048), SECRET)
BOUNCE = bounce_address(IDENTITY, NOTICE)
MESSAGE = "Reporting-MTA: dns; mx.platform.example\r\nOriginal-Envelope-Id: x\r\n"
FAILED = "Final-Recipient: rfc822; a@platform.example\r\nAction: failed\r\nStatus: 5.1.1\r\n"
DIAGNOSED = FAILED + "Diagnostic-Code: smtp; 550 5.1.1 no such\r\n user\r\n"
DELIVERED = "Final-Recipient: rfc822; a@platform.example\r\nAction: Delivered\r\nStatus: 2.1.5\r\n"


def report(*groups: str, to: str = BOUNCE, header: str = "To") -> bytes:
    """A report as servers write it: words, the groups of fields, the headers of the original."""
    body = "\r\n".join([MESSAGE, *groups])
    lines = [
        "From: MAILER-DAEMON@mx.platform.example",
        f"{header}: {to}",
        "Subject: Undelivered Mail Returned to Sender",
        "MIME-Version: 1.0",
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
        "",
        "--b",
        "Content-Type: text/plain",
        "",
        "I am sorry.",
        "--b",
        "Content-Type: message/delivery-status",
        "",
        body,
        "--b",
        "Content-Type: text/rfc822-headers",
        "",
        "Subject: the notice",
        "--b--",
        "",
    ]
    return "\r\n".join(lines).encode()


def test_a_failure_bounces_with_its_reason() -> None:
    """Status and diagnostic code are the detail, unfolded."""
    found = read_report(report(DIAGNOSED), SECRET)
    assert found is not None
    assert (found.notice_id, found.state) == (NOTICE, "bounced")
    assert found.detail == "A mail server reports that it was refused (5.1.1: smtp; 550 5.1.1 no such user)."
    assert found.evidence["report"] == "5.1.1: smtp; 550 5.1.1 no such user"
    assert len(str(found.evidence["report_sha256"])) == 64


def test_a_success_is_delivered() -> None:
    """Whatever the case of the action."""
    found = read_report(report(DELIVERED), SECRET)
    assert found is not None
    assert (found.state, found.detail) == ("delivered", "A mail server reports that it reached the mailbox (2.1.5).")


def test_a_failure_counts_before_a_success() -> None:
    """An alias that reached one box and not the other did not reach its recipient."""
    found = read_report(report(DELIVERED, FAILED), SECRET)
    assert found is not None
    assert found.state == "bounced"


@pytest.mark.parametrize("action", ["delayed", "relayed", "expanded", "", "failedx"])
def test_other_actions_say_nothing(action: str) -> None:
    """A delay may still end well; a relayed mail is in nobody's box."""
    assert read_report(report(f"Action: {action}\r\nStatus: 4.4.1\r\n"), SECRET) is None


@pytest.mark.parametrize("header", ["To", "Delivered-To", "X-Original-To", "Envelope-To"])
def test_the_address_may_stand_where_servers_write_it(header: str) -> None:
    """In angle brackets, in another case, in each of the headers."""
    for to in (BOUNCE, f"<{BOUNCE}>", BOUNCE.upper(), f"Mail <{BOUNCE}>"):
        assert read_report(report(FAILED, to=to, header=header), SECRET) is not None


@pytest.mark.parametrize(
    "to",
    [
        "postmaster@site.invalid",
        BOUNCE.replace(".", "", 1),
        BOUNCE[:-30].replace("bounce+0", "bounce+1") + BOUNCE[-30:],
        f"bounce+{NOTICE[4:]}.{'0' * 20}@site.invalid",
        "bounce+@site.invalid",
    ],
)
def test_a_forged_address_is_no_report(to: str) -> None:
    """Without the site's MAC nobody bounces a notice."""
    assert read_report(report(FAILED, to=to), SECRET) is None
    assert read_report(report(FAILED), b"another secret") is None


def test_a_mail_that_is_no_report_is_none() -> None:
    """An answer of a person to the bounce address, and one that only talks of a failure."""
    mail = EmailMessage(policy=SMTP)
    mail["To"] = BOUNCE
    mail.set_content("Action: failed\nStatus: 5.0.0\n")
    assert read_report(mail.as_bytes(), SECRET) is None
    assert read_report(b"", SECRET) is None


def test_what_is_shown_is_bounded() -> None:
    """A report of any length gives one short line."""
    found = read_report(report(FAILED + f"Diagnostic-Code: smtp; {'x' * 5_000}\r\n"), SECRET)
    assert found is not None
    assert len(found.detail) == SAID_LIMIT


@given(st.binary(max_size=600), st.binary(max_size=200))
def test_any_bytes_are_read_to_an_end(head: bytes, tail: bytes) -> None:
    """Nothing raises: alone, before, after and inside a report; what comes of it is printable."""
    whole = report(DIAGNOSED)
    middle = len(whole) // 2
    for raw in (head, head + whole, whole + head, whole[:middle] + head + tail + whole[middle:]):
        found = read_report(raw, SECRET)
        if found is not None:
            assert isinstance(found, BounceReport)
            assert found.notice_id == NOTICE
            assert found.detail.isprintable()


@given(st.binary(min_size=1, max_size=60))
def test_any_field_is_one_line(value: bytes) -> None:
    """Bytes in a diagnostic code become printable text."""
    raw = report(FAILED).replace(b"Status: 5.1.1", b"Diagnostic-Code: " + value)
    found = read_report(raw, SECRET)
    if found is not None:
        assert found.detail.isprintable()


@given(st.text(max_size=90))
def test_only_the_sites_own_addresses_name_a_notice(text: str) -> None:
    """A text is a bounce address exactly if this site made it."""
    assert notice_of_bounce(SECRET, text) is None
    assert notice_of_bounce(SECRET, BOUNCE) == NOTICE


def test_a_bounce_address_is_of_a_notice() -> None:
    """Ids of other things have none."""
    for notice_id in ("msg_" + "0" * 32, "ntc_" + "0" * 31, "ntc_" + "0" * 33, f"{NOTICE}\n", ""):
        with pytest.raises(ValueError, match="no id"):
            bounce_address(IDENTITY, notice_id)
