"""Which IP addresses a fetch for a caller may reach: public ones, and those that the site lists.

``is_global`` of ``ipaddress`` is not enough: it differs between releases of Python, calls some multicast global, and
does not look at the v4 address that a v6 address carries to a translator or a tunnel. The table follows IANA's
registries of special-purpose addresses (RFC 6890).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final

IpAddress = IPv4Address | IPv6Address
IpNetwork = IPv4Network | IPv6Network

WEB_PORTS: Final = frozenset({80, 443})
"""The ports at which public addresses are reached without being listed."""

_SITE: Final = tuple(
    ip_network(text)
    for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "::1/128", "fc00::/7")
)
"""Networks that a site can list although they are not public. Link local is none of them: there a cloud hands the
credentials of its machines to all that ask."""

_SPECIAL: Final = tuple(
    (ip_network(text), words)
    for text, words in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private use"),
        ("100.64.0.0/10", "shared address space"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "a cloud's own service"),  # Azure's, to its machines; public by its number alone
        ("169.254.0.0/16", "link local"),
        ("172.16.0.0/12", "private use"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relays"),
        ("192.168.0.0/16", "private use"),
        ("198.18.0.0/15", "benchmarks"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("2001::/23", "protocol assignments"),
        ("2001:db8::/32", "documentation"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", "unique local"),
        ("fe80::/10", "link local"),
        ("fec0::/10", "site local"),
        ("ff00::/8", "multicast"),
        # Global unicast is 2000::/3 (RFC 4291, 2.4).
        ("::/3", "no global unicast"),
        ("4000::/2", "no global unicast"),
        ("8000::/1", "no global unicast"),
    )
)

_32: Final = 0xFFFFFFFF
_CARRIERS: Final[tuple[tuple[IPv6Network, Callable[[int], tuple[int, ...]]], ...]] = (
    (IPv6Network("::/96"), lambda bits: (bits & _32,)),  # v4-compatible (RFC 4291)
    (IPv6Network("::ffff:0:0/96"), lambda bits: (bits & _32,)),  # v4-mapped (RFC 4291)
    (IPv6Network("64:ff9b::/96"), lambda bits: (bits & _32,)),  # NAT64 (RFC 6052)
    # NAT64 of a site (RFC 8215): nobody outside knows the length of its prefix, so every place of RFC 6052, 2.2 counts.
    (
        IPv6Network("64:ff9b:1::/48"),
        lambda bits: (
            (bits >> 64 & 0xFFFF) << 16 | bits >> 40 & 0xFFFF,
            (bits >> 64 & 0xFF) << 24 | bits >> 32 & 0xFFFFFF,
            bits >> 24 & _32,
            bits & _32,
        ),
    ),
    (IPv6Network("2002::/16"), lambda bits: (bits >> 80 & _32,)),  # 6to4 (RFC 3056)
    (IPv6Network("2001::/32"), lambda bits: (bits >> 64 & _32, bits & _32 ^ _32)),  # Teredo (RFC 4380): server, client
)
"""Networks whose addresses carry v4 addresses, and those that an address of them carries."""


@dataclass(frozen=True, slots=True)
class AllowedReach:
    """Addresses that the site lists, each at each of these ports (1 to 65535) and at no other.

    ``ValueError`` if a network is neither a site's own nor public as a whole, or a port is none.
    """

    cidrs: tuple[IpNetwork, ...]
    ports: frozenset[int]

    def __post_init__(self) -> None:
        for network in self.cidrs:
            if not _listable(network):
                raise ValueError(f"{network} is neither a site's own network nor public as a whole")
        for port in self.ports:
            if not 1 <= port <= 65535:
                raise ValueError(f"{port} is no port")

    @classmethod
    def of(cls, cidrs: Iterable[str], ports: Iterable[int]) -> AllowedReach:
        """From networks as text (``10.1.0.0/16``, no bits beside the prefix)."""
        return cls(tuple(ip_network(text) for text in cidrs), frozenset(ports))

    def covers(self, address: IpAddress, port: int) -> bool:
        """Whether the address and the port are both listed."""
        return port in self.ports and any(address in network for network in self.cidrs)


def why_refused(address: IpAddress, port: int, allowed: Sequence[AllowedReach] = ()) -> str | None:
    """Why a fetch may not connect to this address at this port, in words for the operator; None if it may.

    It may where one of ``allowed`` lists both, or where the address is public and the port is one of ``WEB_PORTS``.
    """
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return f"{address} names a zone"
    if any(reach.covers(address, port) for reach in allowed):
        return None
    if port not in WEB_PORTS:
        return f"{address} is not listed at port {port}"
    why = _why_not_public(address)
    return None if why is None else f"{address} is not public: {why}"


def _why_not_public(address: IpAddress) -> str | None:
    """A v6 address that carries v4 addresses is as public as all of them: where it leads, they say."""
    if isinstance(address, IPv6Address):
        for network, carried in _CARRIERS:
            if address in network:
                found = (_why_not_public(IPv4Address(number)) for number in carried(int(address)))
                return next((f"carries {why}" for why in found if why is not None), None)
    return next((words for network, words in _SPECIAL if address in network), None)


def _listable(network: IpNetwork) -> bool:
    if any(_within(network, own) for own in _SITE):
        return True
    special = (*(found for found, _ in _SPECIAL), *(found for found, _ in _CARRIERS))
    return not any(network.version == other.version and network.overlaps(other) for other in special)


def _within(network: IpNetwork, outer: IpNetwork) -> bool:
    if isinstance(network, IPv4Network):
        return isinstance(outer, IPv4Network) and network.subnet_of(outer)
    return isinstance(outer, IPv6Network) and network.subnet_of(outer)
