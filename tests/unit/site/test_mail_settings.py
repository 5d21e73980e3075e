"""Settings of mail: what is refused before anything is sent."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from app.site.settings import BounceMailbox, MailRelay, Settings, is_loopback

RELAY: dict[str, Any] = {
    "host": "mail.example",
    "port": 587,
    "from_address": "notices@site.example",
    "domain": "site.example",
}


def test_a_relay_is_reached_by_tls_unless_it_says_otherwise() -> None:
    """STARTTLS by default; a site without one has none."""
    found = msgspec.convert({"mail": RELAY}, Settings)
    assert found.mail is not None
    assert (found.mail.tls, found.mail.user, found.mail.dkim_selector) == ("starttls", None, "arc")
    assert Settings().mail is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"tls": "none"}, "this machine alone"),
        ({"tls": "none", "host": "127.0.0.1.example"}, "this machine alone"),
        ({"from_address": "notices@other.example"}, "is not of mail.domain"),
        ({"from_address": "notices@notsite.example"}, "is not of mail.domain"),
        ({"from_address": "a@b@site.example"}, "from_address"),
        ({"from_address": "a@site.example\n"}, "from_address"),
        ({"domain": "site"}, "domain"),
        ({"domain": "Site.example"}, "domain"),
        ({"port": 0}, "port"),
        ({"port": 65_536}, "port"),
        ({"dkim_selector": "-arc"}, "dkim_selector"),
        ({"dkim_selector": "a.b"}, "dkim_selector"),
        ({"password": "x"}, "password"),
    ],
)
def test_a_wrong_relay_is_refused(changed: dict[str, Any], words: str) -> None:
    """Without TLS off this machine, an author whom the signature does not cover, a password in the file."""
    with pytest.raises(msgspec.ValidationError, match=words):
        msgspec.convert({**RELAY, **changed}, MailRelay)


@pytest.mark.parametrize(
    "changed",
    [
        {"tls": "none", "host": "127.0.0.1"},
        {"tls": "none", "host": "::1"},
        {"tls": "none", "host": "localhost"},
        {"tls": "implicit", "user": "site"},
        {"from_address": "notices@Desk.SITE.example"},
    ],
)
def test_a_usual_relay_is_taken(changed: dict[str, Any]) -> None:
    """Plain to this machine; an author of a subdomain, in any case (relaxed alignment)."""
    assert msgspec.convert({**RELAY, **changed}, MailRelay).port == 587


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_is_this_machine(host: str) -> None:
    """Addresses of loopback and its name."""
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "10.0.0.1", "0.0.0.0", "localhost.example", "127.0.0.1.example", "mail.example"])
def test_other_hosts_are_not(host: str) -> None:
    """A name is one only if it is ``localhost`` itself."""
    assert not is_loopback(host)


@pytest.mark.parametrize("folder", ['IN"BOX', "IN\r\nBOX", "", "IN\\BOX"])
def test_a_folder_ends_no_command(folder: str) -> None:
    """What IMAP would read as more than a name is refused."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"host": "mail.example", "user": "u", "folder": folder}, BounceMailbox)
