"""What the text of a URL says before anything is resolved."""

from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.delivery.addresses import AllowedReach
from app.delivery.guarded import JudgedUrl, UrlRefused, judge_url

SITE = AllowedReach.of(["127.0.0.0/8", "::1/128", "8.8.8.0/24"], [8080])
PIECES = st.sampled_from(
    ["http://", "https://", "HTTP:", "//", "/", "a", "b.c", "é", "ß", "xn--a", "xn--", "-", "_", "127", "0x7f", "0177",
     "00", "2130706433", "256", "8", "４", "①", "Ａ", ".", "。", "．", "｡", "[", "]", "::1", "::ffff:8.8.8.8",
     "fe80::1", "%25", "%eth0", "%41", ":", "：", "80", "443", "8080", "０", "@", "\\", "?", "#", " ", "\t", "\x7f",
     "\x85", "\u200d", "\u202e", "\ud800", "ſ", "K", "a" * 64]
)  # fmt: skip
NUMBERS = st.lists(
    st.sampled_from(["0", "1", "7", "8", "9", "255", "256", "0x", "f", "00", ".", "127", "X"]), max_size=9
)


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("http://example.org", JudgedUrl("http", "example.org", 80, "/")),
        ("HTTPS://EXAMPLE.org?", JudgedUrl("https", "example.org", 443, "/?")),
        ("http://example.org:/a", JudgedUrl("http", "example.org", 80, "/a")),
        ("http://example.org:443/a#b", JudgedUrl("http", "example.org", 443, "/a")),
        ("https://example.org:0080/", JudgedUrl("https", "example.org", 80, "/")),
        ("https://example.org/a b/ü?q=%41&r=é@:\\#x", JudgedUrl("https", "example.org", 443,
                                                                "/a%20b/%C3%BC?q=%41&r=%C3%A9@:\\")),
        ("http://example.org//other.org/x", JudgedUrl("http", "example.org", 80, "//other.org/x")),
        ("http://example.org/?u=http://127.0.0.1/@", JudgedUrl("http", "example.org", 80, "/?u=http://127.0.0.1/@")),
        ("http://example.org./", JudgedUrl("http", "example.org.", 80, "/")),
        ("http://my_bucket.example-1.org/", JudgedUrl("http", "my_bucket.example-1.org", 80, "/")),
        ("http://localhost/", JudgedUrl("http", "localhost", 80, "/")),
        ("http://BÜCHER.example/", JudgedUrl("http", "xn--bcher-kva.example", 80, "/")),
        ("http://ｅｘａｍｐｌｅ。org/", JudgedUrl("http", "example.org", 80, "/")),
        ("http://1.a/", JudgedUrl("http", "1.a", 80, "/")),
        ("http://8.8.8.8/", JudgedUrl("http", "8.8.8.8", 80, "/")),
        ("http://134744072/", JudgedUrl("http", "8.8.8.8", 80, "/")),
        ("http://8.8.8.8./", JudgedUrl("http", "8.8.8.8", 80, "/")),
        ("http://010.0x8.2056/", JudgedUrl("http", "8.8.8.8", 80, "/")),
        ("http://8.526344/", JudgedUrl("http", "8.8.8.8", 80, "/")),
        ("http://[2606:4700::1111]/", JudgedUrl("http", "2606:4700::1111", 80, "/")),
        ("http://[2606:4700:0::0ABC]:443/", JudgedUrl("http", "2606:4700::abc", 443, "/")),
        ("http://[64:ff9b::8.8.8.8]/", JudgedUrl("http", "64:ff9b::808:808", 80, "/")),
    ],
)  # fmt: skip
def test_a_url_is_taken_apart(url: str, wanted: JudgedUrl) -> None:
    """Host and path as they will be sent, the fragment left out."""
    assert judge_url(url) == wanted


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("http://example.org:80/a?b", "http://example.org/a?b"),
        ("http://example.org:443/", "http://example.org:443/"),
        ("https://example.org:443/", "https://example.org/"),
        ("https://[2606:4700::1]:80/", "https://[2606:4700::1]:80/"),
        ("http://[2606:4700::1]/", "http://[2606:4700::1]/"),
    ],
)
def test_a_judged_url_is_written_with_the_port_that_it_needs(url: str, written: str) -> None:
    """None where the scheme has it, and brackets around v6."""
    assert str(judge_url(url)) == written


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "2130706433", "0x7f000001", "0X7F.1", "0177.1", "017700000001", "127.1", "127.0.1", "127.0.0.1.",
        "0", "0x", "0.0.0.0", "00000000000177.0x0.0", "１２７.0.0.1", "①②⑦.0.0.1", "127。0．0｡1", "0ｘ7Ｆ.1",
        "２１３０７０６４３３",
        "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "0xA9FEA9FE", "100.100.100.200", "168.63.129.16",
        "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255", "4294967295", "192.0.2.1",
        "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::FFFF:7F00:1]", "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::127.0.0.1]", "[2002:7f00:1::]",
        "[2001:0:808:808::80ff:fffe]", "[fd00:ec2::254]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]",
    ],
)  # fmt: skip
def test_an_address_that_is_not_public_is_refused_in_every_spelling(host: str) -> None:
    """As a resolver would read it."""
    with pytest.raises(UrlRefused, match=r"^The URL's address may not be reached\.$"):
        judge_url(f"http://{host}/")


@pytest.mark.parametrize(
    "host",
    [
        "", ".", "..", "a..b", ".a", "a b", "a%41", "127.0.0.%31", "[", "]", "[]", "[::1", "::1", "a]", "[a]", "[::1]a",
        "[127.0.0.1]", "[::1%25lo]", "[fe80::1%eth0]", "[v1.a]", "[::１]", "a\\b", "a<", "a*", "a\u200bb..c",
        "☃.\u202e", "xn--ü", "a" * 64, "ü" * 64, ".".join(["a" * 63] * 4), "256.1.1.1", "1.2.3.256", "1.2.3.4.5",
        "1.2.65536", "1.16777216", "4294967296", "08", "1.2.3.09", "0x100000000", "a.1", "0x1.a.0x1", "1..2", "a.0x",
        "-.0", "1.2.3.4.0", "1.256.1.1",
    ],
)  # fmt: skip
def test_what_is_no_host_is_refused(host: str) -> None:
    """Neither a name nor an address."""
    with pytest.raises(UrlRefused, match=r"^The URL's host (is no name|or port)"):
        judge_url(f"http://{host}/")


@pytest.mark.parametrize(
    ("host", "fits"), [("a" * 63, True), (".".join(["a" * 63] * 3 + ["a" * 61]), True),
                       (".".join(["a" * 63] * 3 + ["a" * 61]) + ".", True),
                       (".".join(["a" * 63] * 3 + ["a" * 62]), False)],
)  # fmt: skip
def test_a_name_has_at_most_253_characters(host: str, fits: bool) -> None:
    """Without the dot of the root (RFC 1035)."""
    if fits:
        assert judge_url(f"http://{host}").host == host
    else:
        with pytest.raises(UrlRefused):
            judge_url(f"http://{host}")


@pytest.mark.parametrize(
    "url",
    ["", "example.org", "//example.org/", "/a", "ftp://example.org/", "file:///etc/passwd", "gopher://example.org/",
     "http:example.org", "http:/example.org", "http:\\\\example.org", " http://example.org/", "data:,x", "httpſ://a/",
     "rtsp://example.org/", "jar:http://example.org!/", "http", "unix:///run/x", "https//example.org"],
)  # fmt: skip
def test_another_scheme_is_refused(url: str) -> None:
    """http and https are fetched, and nothing else."""
    with pytest.raises(UrlRefused, match=r"^The URL does not begin with http:// or https://\.$"):
        judge_url(url)


@pytest.mark.parametrize("user", ["u@", "u:p@", "@", ":@", "example.org@", "example.org:80@", "a\\@", "a%40b@", "a@b@"])
def test_a_user_is_refused(user: str) -> None:
    """Even an empty one: what stands before it was meant to be read as the host."""
    with pytest.raises(UrlRefused, match=r"^The URL names a user\.$"):
        judge_url(f"http://{user}8.8.8.8/")


@pytest.mark.parametrize("port", ["0", "1", "22", "79", "81", "442", "444", "6379", "8080", "65535", "65536", "99999"])
def test_a_port_that_is_not_of_the_web_is_refused(port: str) -> None:
    """Unless it is listed."""
    for host in ("example.org", "8.8.8.8"):
        with pytest.raises(UrlRefused, match=r"^The URL's port may not be reached\.$"):
            judge_url(f"http://{host}:{port}/")


@pytest.mark.parametrize("port", ["-1", "+80", "8o", "000080", "80 ", "８０", "80:80", "0x50", "٨٠"])
def test_what_is_no_port_is_refused(port: str) -> None:
    """At most five ASCII digits."""
    with pytest.raises(UrlRefused, match=r"^The URL's host or port cannot be understood\.$"):
        judge_url(f"http://example.org:{port}/")


@pytest.mark.parametrize("char", ["\0", "\t", "\n", "\r", "\x1f", "\x7f", "\x80", "\x9f", "\ud800", chr(0xDFFF)])
@pytest.mark.parametrize("form", ["{}http://a/", "http://a{}b/", "http://a/{}", "http://a/?{}", "http://a/#{}"])
def test_control_characters_are_refused(char: str, form: str) -> None:
    """Everywhere, and halves of surrogate pairs with them."""
    with pytest.raises(UrlRefused, match=r"^The URL holds control characters\.$"):
        judge_url(form.format(char))


def test_a_url_has_at_most_2048_characters() -> None:
    """One more is refused."""
    longest = "http://example.org/" + "a" * (2048 - 19)
    assert str(judge_url(longest)) == longest
    with pytest.raises(UrlRefused, match=r"^The URL has more than 2048 characters\.$"):
        judge_url(longest + "a")


def test_a_listed_address_may_be_named_at_its_port() -> None:
    """And at no other, nor may another address be named at that port."""
    assert judge_url("http://127.1:8080/", [SITE]) == JudgedUrl("http", "127.0.0.1", 8080, "/")
    assert judge_url("http://[::1]:8080/", [SITE]).authority == "[::1]:8080"
    assert judge_url("http://8.8.8.8:8080/", [SITE]).port == 8080
    for url in ("http://127.0.0.1/", "http://10.0.0.1:8080/", "http://9.9.9.9:8080/", "http://[::ffff:7f00:1]:8080/"):
        with pytest.raises(UrlRefused, match="address may not be reached"):
            judge_url(url, [SITE])


def test_a_name_may_be_named_at_each_listed_port() -> None:
    """Its addresses are judged when they are known."""
    other = AllowedReach.of(["10.0.0.0/8"], [554])
    assert judge_url("http://camera.example:554/", [SITE, other]).port == 554
    assert judge_url("http://camera.example:8080/", [SITE, other]).port == 8080
    assert judge_url("http://camera.example:443/", [SITE, other]).port == 443


def lax(url: str) -> JudgedUrl | None:
    """The judged URL, None for a refused one."""
    try:
        return judge_url(url, [SITE])
    except UrlRefused:
        return None


@given(st.text(max_size=40) | st.lists(PIECES, max_size=12).map("".join) | st.lists(PIECES).map("http://".join))
def test_any_text_is_judged(url: str) -> None:
    """Or refused, never anything else; and what was judged is judged the same as it is written."""
    for text in (url, f"http://{url}", f"https://{url}/"):
        judged = lax(text)
        if judged is not None:
            assert judge_url(str(judged), [SITE]) == judged


@given(host=NUMBERS.map("".join))
def test_a_host_of_numbers_is_what_the_resolver_makes_of_it(host: str) -> None:
    """No name that is judged is an address to the C library, and an address is the same to both."""
    judged = lax(f"http://{host}:8080/")
    try:
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)[0][4][0]
    except (socket.gaierror, UnicodeError):
        return
    assert judged is None or ip_address(judged.host) == ip_address(found)
