"""A callback's URL as it may be shown: where it goes, and nothing that may be a secret."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.delivery.delivery_rows import shown_url

SECRET = "zq4-token"
ANYWHERE = st.text(max_size=30).map(lambda text: quote(text, safe="") + SECRET)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.example", "https://a.example/"),
        ("https://A.example:8443/", "https://a.example:8443/"),
        ("https://a.example/hook", "https://a.example/…"),
        ("https://a.example/?t=1", "https://a.example/…"),
        ("https://a.example#t", "https://a.example/…"),
        ("https://user:word@a.example/", "https://a.example/"),
        ("http://[::1]:80/x", "http://[::1]:80/…"),
        ("ftp://a.example/", "…"),
        ("https://a.example:port/", "…"),
        ("https://[::1/", "…"),
        ("https:///x", "…"),
        ("", "…"),
    ],
)
def test_scheme_host_and_port_are_shown(url: str, shown: str) -> None:
    """Path and query become a sign, and so does what is no URL of the web."""
    assert shown_url(url) == shown


@given(path=ANYWHERE, query=ANYWHERE, user=ANYWHERE)
def test_nothing_else_of_a_url_is_shown(path: str, query: str, user: str) -> None:
    """Whatever stands before the host and after it."""
    assert shown_url(f"https://{user}@a.example/{path}?t={query}#{query}") in ("https://a.example/…", "…")


@given(st.text(max_size=300))
def test_any_text_can_be_shown(text: str) -> None:
    """In one line."""
    for url in (text, f"https://{text}", f"https://a.example/{text}"):
        shown = shown_url(url)
        assert len(shown.splitlines()) == 1
        assert shown == "…" or shown.startswith(("https://", "http://"))
