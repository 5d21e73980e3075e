"""Which addresses a fetch for a caller may reach, over all address spaces."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.delivery.addresses import AllowedReach, why_refused

REFUSED_V4 = (
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "168.63.129.16/32",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/3",
)
REFUSED_V6 = (
    "::/3",
    "2001:0:0:1::/64",
    "2001:2::/48",
    "2001:10::/28",
    "2001:1ff::/32",
    "2001:db8::/32",
    "3fff::/20",
    "4000::/2",
    "8000::/1",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
)
PUBLIC_V4 = ("1.0.0.0/8", "8.8.8.8/32", "100.0.0.0/10", "172.15.255.255/32", "192.0.1.0/24", "198.17.0.0/16")
REFUSED_NUMBERS = st.one_of(
    [st.integers(int(net[0]), int(net[-1])) for net in map(IPv4Network, REFUSED_V4)]  # the ends of each among them
)
PUBLIC_NUMBERS = st.one_of([st.integers(int(net[0]), int(net[-1])) for net in map(IPv4Network, PUBLIC_V4)])


def refused(address: str | IPv4Address | IPv6Address, port: int = 443, *allowed: AllowedReach) -> bool:
    """Whether no fetch may go there."""
    return why_refused(ip_address(address), port, allowed) is not None


@pytest.mark.parametrize("network", REFUSED_V4)
def test_a_special_v4_network_is_refused_from_its_first_address_to_its_last(network: str) -> None:
    """Both ends are refused."""
    net = IPv4Network(network)
    assert refused(net[0])
    assert refused(net[-1])


@pytest.mark.parametrize(
    "address",
    [
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
        "191.255.255.255", "192.0.1.0", "192.0.1.255", "192.0.3.0", "192.88.98.255", "192.88.100.0",
        "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0",
        "203.0.112.255", "203.0.114.0", "223.255.255.255",
    ],
)  # fmt: skip
def test_the_neighbours_of_the_special_v4_networks_are_public(address: str) -> None:
    """One address beside each end may be reached."""
    assert not refused(address)


@pytest.mark.parametrize("network", REFUSED_V6)
def test_a_special_v6_network_is_refused_from_its_first_address_to_its_last(network: str) -> None:
    """Both ends are refused."""
    net = IPv6Network(network)
    assert refused(net[0])
    assert refused(IPv6Address(int(net[-1]) - 0x0000_8000_0000))  # at the very end of ::/96 and the like v4 is carried
    assert refused(net[-1])


@pytest.mark.parametrize(
    "address",
    ["2000::", "2001:200::", "2001:db7:ffff::1", "2001:db9::", "2003::", "2606:4700:4700::1111", "3ffe:ffff::1",
     "3fff:1000::", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
)  # fmt: skip
def test_global_unicast_of_v6_is_public(address: str) -> None:
    """2000::/3 but for what is special in it."""
    assert not refused(address)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("255.255.255.255", "255.255.255.255 is not public: reserved"),
        ("224.0.0.1", "224.0.0.1 is not public: multicast"),
        ("169.254.169.254", "169.254.169.254 is not public: link local"),
        ("fec0::1", "fec0::1 is not public: site local"),
        ("::1", "::1 is not public: carries this network"),
        ("::ffff:10.0.0.1", "::ffff:a00:1 is not public: carries private use"),
        ("2001:4860::1%eth0", "2001:4860::1%eth0 names a zone"),
    ],
)
def test_the_operator_is_told_why(address: str, words: str) -> None:
    """By the kind of the address."""
    assert why_refused(ip_address(address), 80) == words


def v4_forms(number: int) -> list[IPv6Address]:
    """All ways in which a v6 address carries this v4 address."""
    public = int(IPv4Address("8.8.8.8"))
    local = 0x0064_FF9B_0001 << 80
    return [
        IPv6Address(number),
        IPv6Address(0xFFFF << 32 | number),
        IPv6Address(0x0064_FF9B << 96 | number),
        IPv6Address(local | (number >> 16) << 64 | (number & 0xFFFF) << 40 | public << 8),
        IPv6Address(local | 0x0808_08 << 72 | (number >> 24) << 64 | (number & 0xFFFFFF) << 32 | public),
        IPv6Address(local | 0x0808_0808 << 64 | number << 24 | 0x080808),
        IPv6Address(local | public << 48 | 0x0808 << 32 | number),
        IPv6Address(0x2002 << 112 | number << 80 | 1),
        IPv6Address(0x2001_0000 << 96 | number << 64 | public ^ 0xFFFFFFFF),
        IPv6Address(0x2001_0000 << 96 | public << 64 | number ^ 0xFFFFFFFF),
    ]


@given(number=REFUSED_NUMBERS)
def test_no_form_of_a_refused_v4_address_is_reached(number: int) -> None:
    """Mapped, compatible, 6to4, both ends of Teredo, NAT64, and a site's NAT64 with each length of its prefix."""
    assert refused(IPv4Address(number))
    assert all(refused(form) for form in v4_forms(number))


@given(number=PUBLIC_NUMBERS)
def test_a_public_v4_address_is_reached_in_each_form_that_has_one_place_for_it(number: int) -> None:
    """Compatible, mapped, NAT64, 6to4 and Teredo lead nowhere else."""
    compatible, mapped, nat64, *_, six_to_four, _server, _client = v4_forms(number)
    for form in (IPv4Address(number), compatible, mapped, nat64, six_to_four):
        assert not refused(form)


def test_teredo_and_a_sites_nat64_are_reached_where_all_that_they_carry_is_public() -> None:
    """The words come from what is carried, not from the prefix."""
    public = int(IPv4Address("8.8.8.8"))
    assert not refused(IPv6Address(0x2001_0000 << 96 | public << 64 | public ^ 0xFFFFFFFF))
    assert not refused("64:ff9b:1:808:8:808:808:808")


@pytest.mark.parametrize(
    "address",
    [
        "64:ff9b:1:a83f:81:1008:808:808",  # /48
        "64:ff9b:1:8a8:3f:8110:808:808",  # /56
        "64:ff9b:1:808:a8:3f81:1008:808",  # /64
        "64:ff9b:1:808:8:808:a83f:8110",  # /96
    ],
)
def test_a_sites_nat64_is_read_at_each_length_of_its_prefix(address: str) -> None:
    """One place holds 168.63.129.16, and all others public addresses."""
    assert why_refused(ip_address(address), 443) == f"{address} is not public: carries a cloud's own service"


@given(number=st.integers(0, 2**128 - 1), port=st.integers(0, 65536))
def test_every_v6_address_is_judged(number: int, port: int) -> None:
    """Without an exception, and outside 2000::/3 only what carries v4 can be public."""
    address = IPv6Address(number)
    carries = number >> 32 in (0, 0xFFFF, 0x0064_FF9B << 64) or number >> 80 == 0x0064_FF9B_0001
    if number >> 125 != 1 and not carries:
        assert refused(address, port)


@given(number=st.integers(0, 2**32 - 1))
def test_what_python_calls_not_global_is_refused(number: int) -> None:
    """The table of the standard library is a part of ours."""
    address = IPv4Address(number)
    if not address.is_global or address.is_multicast:
        assert refused(address)


@pytest.mark.parametrize("port", [0, 22, 79, 81, 442, 444, 8080, 65535])
def test_a_public_address_is_reached_at_the_ports_of_the_web_alone(port: int) -> None:
    """80 and 443."""
    assert refused("8.8.8.8", port)
    assert not refused("8.8.8.8", 80)
    assert not refused("8.8.8.8", 443)


def test_a_listed_address_is_reached_at_a_listed_port() -> None:
    """Both must be listed, in the same row."""
    cameras = AllowedReach.of(["10.1.0.0/16", "fd00:1::/32"], [8080, 443])
    other = AllowedReach.of(["10.2.0.0/16"], [80])
    assert not refused("10.1.0.0", 8080, cameras)
    assert not refused("10.1.255.255", 443, other, cameras)
    assert not refused("fd00:1::5", 8080, cameras)
    assert refused("10.1.0.1", 80, cameras, other)
    assert refused("10.2.0.1", 8080, cameras, other)
    assert refused("10.0.255.255", 8080, cameras)


def test_a_listed_v4_network_lists_none_of_its_v6_forms() -> None:
    """The address is listed as it stands."""
    reach = AllowedReach.of(["127.0.0.0/8"], [80])
    assert not refused("127.0.0.1", 80, reach)
    assert refused("::ffff:127.0.0.1", 80, reach)


def test_a_zone_is_refused_although_its_network_is_listed() -> None:
    """The number alone does not say on which link the address is."""
    reach = AllowedReach.of(["fd00::/8"], [80])
    assert not refused("fd00::1", 80, reach)
    assert refused("fd00::1%eth0", 80, reach)


def test_a_public_network_is_listed_at_other_ports() -> None:
    """A camera elsewhere that has no web port."""
    reach = AllowedReach.of(["8.8.8.0/24", "2606:4700::/32"], [8443])
    assert not refused("8.8.8.8", 8443, reach)
    assert not refused("2606:4700::1", 8443, reach)
    assert refused("8.8.9.8", 8443, reach)


@pytest.mark.parametrize(
    "network",
    ["0.0.0.0/0", "0.0.0.0/32", "8.0.0.0/6", "10.0.0.0/7", "169.254.0.0/16", "169.254.169.254/32", "224.0.0.0/4",
     "198.18.0.0/15", "168.63.129.0/24", "255.255.255.255/32", "::/0", "::/128", "fe80::/10", "fec0::/10", "ff02::/16",
     "fc00::/6", "2000::/3", "2002::/16", "2001::/32", "64:ff9b::/96", "64:ff9b:1::/48", "::ffff:10.0.0.0/104"],
)  # fmt: skip
def test_what_is_neither_the_sites_own_nor_public_is_not_listed(network: str) -> None:
    """A list that opens more than somebody meant is a mistake."""
    with pytest.raises(ValueError, match="neither a site's own network nor public as a whole"):
        AllowedReach.of([network], [80])


@pytest.mark.parametrize(
    "network",
    ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "::1/128", "fc00::/7",
     "9.0.0.0/8", "2600::/16"],
)  # fmt: skip
def test_the_sites_own_networks_and_public_ones_can_be_listed(network: str) -> None:
    """As a whole."""
    assert AllowedReach.of([network], [1, 65535]).cidrs


@pytest.mark.parametrize("port", [-1, 0, 65536])
def test_what_is_no_port_is_not_listed(port: int) -> None:
    """1 to 65535."""
    with pytest.raises(ValueError, match=f"{port} is no port"):
        AllowedReach.of(["10.0.0.0/8"], [port])


def test_bits_beside_the_prefix_are_no_network() -> None:
    """``10.0.0.1/8`` was meant otherwise."""
    with pytest.raises(ValueError, match="host bits"):
        AllowedReach.of(["10.0.0.1/8"], [80])
