"""The registry's media sources: what they open, for which hosts, and secrets that are shown to nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import msgspec
import pytest

from app.api.problems import Problem
from app.delivery.guarded import UrlRefused
from app.registry.media_sources import MediaAccess
from app.registry.messages.media_sources import MediaSource, MediaSourceBody
from tests.door_site import ACTOR, DoorSite, door_site

SECRET = "camera:long-password"
CAMERAS = {"cidrs": ["10.2.0.0/16"], "ports": [8080]}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DoorSite]:
    """A training site; no reader is driven."""
    with door_site(tmp_path_factory.mktemp("sources") / "site") as made:
        yield made


@pytest.fixture
def site(shared: DoorSite) -> DoorSite:
    """Without any media source."""
    kind = shared.registry.media_sources
    for item in kind.page(None, 500, None, 0)[0]:
        asyncio.run(kind.delete(item.media_source_id, actor=ACTOR))
    return shared


def put(site: DoorSite, source_id: str = "cameras", **fields: object) -> MediaSource:
    """PUTs a source; what comes back."""
    body = msgspec.convert({**CAMERAS, **fields}, MediaSourceBody)
    return asyncio.run(site.registry.media_sources.put(source_id, body, actor=ACTOR))[0]


def refusal(site: DoorSite, **fields: object) -> str:
    """The field that is wrong."""
    with pytest.raises(Problem) as refused:
        put(site, **fields)
    assert refused.value.code == "invalid_body"
    return refused.value.errors[0].pointer


def access(site: DoorSite, url: str) -> MediaAccess:
    """How a URL is fetched."""
    with site.store.read() as connection:
        return site.registry.media_sources.access_to(connection, url)


def test_a_network_is_open_at_its_ports_alone(site: DoorSite) -> None:
    """Before it is listed, at another port and beside the network, a private address is refused as text."""
    with pytest.raises(UrlRefused):
        access(site, "http://10.2.0.1:8080/a.jpg")
    put(site)
    assert access(site, "http://10.2.0.1:8080/a.jpg").host == "10.2.0.1"
    for url in ("http://10.2.0.1/", "http://10.2.0.1:8081/", "http://10.3.0.1:8080/"):
        with pytest.raises(UrlRefused):
            access(site, url)


def test_a_source_with_hosts_opens_nothing_else(site: DoorSite) -> None:
    """Neither to other hosts, nor to callbacks."""
    put(site, hosts=["10.2.0.7", "camera.site.example"])
    assert access(site, "http://10.2.0.7:8080/").allowed
    assert access(site, "http://camera.site.example:8080/").allowed
    for url in ("http://10.2.0.8:8080/", "http://other.site.example:8080/"):
        with pytest.raises(UrlRefused):
            access(site, url)
    assert site.registry.media_sources.reach() == []
    put(site)
    assert [str(one.cidrs[0]) for one in site.registry.media_sources.reach()] == ["10.2.0.0/16"]


@pytest.mark.parametrize(
    ("secret", "sent"), [("a:b", "Basic YTpi"), ("token.of-the_camera", "Bearer token.of-the_camera")]
)
def test_a_secret_is_sent_to_its_hosts(secret: str, sent: str, site: DoorSite) -> None:
    """As user and password, or as a token; to another host of the network nothing is sent."""
    put(site, hosts=["10.2.0.7"], secret=secret)
    put(site, "others", **CAMERAS)
    assert access(site, "http://10.2.0.7:8080/").authorization == sent
    assert access(site, "http://10.2.0.8:8080/").authorization is None


def test_a_secret_is_shown_to_nobody(site: DoorSite) -> None:
    """The reply says that there is one; neither it nor any text or file has it in plain."""
    shown = put(site, hosts=["10.2.0.7"], secret=SECRET)
    assert shown.secret.set
    for text in (repr(shown), repr(access(site, "http://10.2.0.7:8080/")), msgspec.json.encode(shown).decode()):
        assert SECRET not in text
    assert SECRET.encode() not in site.store.path.read_bytes() + site.store.path.with_name("store.db-wal").read_bytes()


def test_a_secret_does_not_move_to_other_addresses(site: DoorSite) -> None:
    """Whoever may edit the row could have it sent elsewhere."""
    put(site, hosts=["10.2.0.7"], secret=SECRET)
    assert put(site, hosts=["10.2.0.7"], display_name="Gate").secret.set
    assert refusal(site, hosts=["10.2.0.7"], ports=[8081]) == "/secret"
    assert refusal(site, hosts=["10.2.0.8"]) == "/secret"
    assert not put(site, hosts=["10.2.0.8"], secret=None).secret.set


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"cidrs": ["10.2.0.1/16"]}, "/cidrs/0"),
        ({"cidrs": ["10.2.0.0/16", "169.254.0.0/16"]}, "/cidrs/1"),
        ({"cidrs": ["0.0.0.0/0"]}, "/cidrs/0"),
        ({"cidrs": ["fc00:0::/7"]}, "/cidrs/0"),
        ({"cidrs": ["10.2.0.0/16", "10.2.0.0/16"]}, "/cidrs"),
        ({"ports": [80, 80]}, "/ports"),
        ({"hosts": ["10.3.0.1"]}, "/hosts/0"),
        ({"hosts": ["0x0a.2.0.1"]}, "/hosts/0"),
        ({"hosts": ["-:-"]}, "/hosts/0"),
        ({"secret": SECRET}, "/hosts"),
    ],
)
def test_what_no_source_can_be_is_refused(fields: dict[str, object], pointer: str, site: DoorSite) -> None:
    """Link local is never opened, everything is told once, and in its usual form."""
    assert refusal(site, **fields) == pointer


def test_the_first_source_with_a_secret_gives_it(site: DoorSite) -> None:
    """Of several that name a host, by rising id; one without a secret stands in no other's way."""
    put(site, "a", hosts=["10.2.0.7"])
    put(site, "c", hosts=["10.2.0.7"], secret="of:c")
    put(site, "b", hosts=["10.2.0.7"], secret="of.b")
    found = access(site, "http://10.2.0.7:8080/")
    assert (found.host, found.authorization, len(found.allowed)) == ("10.2.0.7", "Bearer of.b", 3)


def test_the_same_secret_again_changes_nothing(site: DoorSite) -> None:
    """Another one does, and so does none; without the field it stays."""
    first = put(site, hosts=["10.2.0.7"], secret=SECRET).secret
    assert (first.set, first.changed_at is None) == (True, False)
    assert put(site, hosts=["10.2.0.7"], secret=SECRET).secret == first
    assert put(site, hosts=["10.2.0.7"], display_name="Gate").secret == first
    other = put(site, hosts=["10.2.0.7"], secret="another").secret
    assert other.changed_at != first.changed_at
    assert access(site, "http://10.2.0.7:8080/").authorization == "Bearer another"
    assert not put(site, hosts=["10.2.0.7"], secret=None).secret.set


def test_a_source_is_listed_as_it_was_put(site: DoorSite) -> None:
    """And found by its name, its networks and its hosts."""
    put(site, "others", cidrs=["10.9.0.0/16"])
    fields = {"display_name": "Gate", "hosts": ["cam.example", "fd00::7"], "tags": ["drill"]}
    made = put(site, cidrs=["10.2.0.0/16", "fd00::/8"], ports=[8080, 8443], **fields)
    assert (made.media_source_id, made.display_name, made.tags) == ("cameras", "Gate", ["drill"])
    assert (made.cidrs, made.ports, made.hosts) == (["10.2.0.0/16", "fd00::/8"], [8080, 8443], fields["hosts"])
    assert (made.secret.set, made.secret.changed_at) == (False, None)
    kind = site.registry.media_sources
    assert [one.media_source_id for one in kind.page(None, 10, None, 0)[0]] == ["cameras", "others"]
    for words in ("gate", "10.2.0", "fd00::7", "cam.ex"):
        assert kind.page(words, 10, None, 0)[0] == [made], words


def test_the_leaf_says_what_was_opened(site: DoorSite) -> None:
    """Addresses, ports and hosts, never the secret."""
    put(site, hosts=["10.2.0.7"], secret=SECRET)
    with site.store.read() as connection:
        payload = connection.exec_driver_sql("SELECT payload FROM audit_entry ORDER BY seq DESC").scalars().first()
    detail = msgspec.json.decode(payload)["detail"]
    assert (detail["cidrs"], detail["ports"], detail["hosts"]) == (["10.2.0.0/16"], [8080], ["10.2.0.7"])
    assert SECRET.encode() not in payload
