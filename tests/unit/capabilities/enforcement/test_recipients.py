"""Hosts of URLs, and what keeps a URL from saying where content is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.enforcement.recipients import NoticeRecipient, host_of, outside_domains, url_fault
from tests.unit.capabilities.enforcement.notice_facts import BOOK


def recipient(*domains: str, languages: tuple[str, ...] = ()) -> NoticeRecipient:
    """A platform with these domains."""
    return NoticeRecipient("video", "Training video", "form", "https://video.example/report", domains, languages)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Video.EXAMPLE/v", "video.example"),
        ("https://vidéo.example/v", "xn--vido-dpa.example"),
        ("https://192.0.2.7:8443/v", "192.0.2.7"),
        ("https://a_b.example/v", "a_b.example"),
    ],
)
def test_a_host_is_as_the_domain_name_system_has_it(url: str, host: str) -> None:
    """One that has no such form stays as it is written."""
    assert host_of(url) == host


@pytest.mark.parametrize("url", ["https:///v", "https://", "https://[::1", "https://video.example:99999/", "video"])
def test_a_url_without_a_host_or_a_port_is_none(url: str) -> None:
    """It says nowhere where the content is."""
    assert url_fault(url) == "Give an absolute http or https URL with a host."


@pytest.mark.parametrize(
    "url", ["https://user@video.example/", "https://user:pass@video.example/", "https://:p@v.example/"]
)
def test_a_url_with_a_user_is_refused(url: str) -> None:
    """It would be printed, and sent to platforms."""
    assert url_fault(url) == "Leave user and password out of the URL."


@pytest.mark.parametrize("url", ["https://video.example/v?a=b#c", "http://192.0.2.7/", "https://vidéo.example/ü"])
def test_a_good_url_has_no_fault(url: str) -> None:
    """In any script."""
    assert url_fault(url) is None


@given(st.text(max_size=80))
def test_any_text_is_judged(text: str) -> None:
    """Without an error."""
    url_fault(f"https://{text}")


def test_hosts_outside_the_platforms_domains() -> None:
    """A name below a domain is inside, one that only ends alike is not; each is told once."""
    urls = [
        "https://video.example/1",
        "https://cdn.video.example/2",
        "https://notvideo.example/3",
        "https://notvideo.example/4",
        "https://other.example/5",
    ]
    assert outside_domains(recipient("video.example"), urls) == ["notvideo.example", "other.example"]
    assert outside_domains(recipient(), urls) == []


def test_the_first_language_that_the_law_has() -> None:
    """Else English."""
    law = BOOK.laws["EU"]
    assert recipient(languages=("fr", "de", "en")).language_under(law) == "de"
    assert recipient(languages=("fr",)).language_under(law) == "en"
    assert recipient(languages=("de",)).language_under(BOOK.laws["US"]) == "en"
