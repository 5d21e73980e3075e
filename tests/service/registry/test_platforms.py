"""The registry's platforms: where notices of a jurisdiction go, and a secret that goes nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from app.api.problems import Problem
from app.registry.messages.platforms import NoticePlatform, PlatformBody, PlatformContact
from app.registry.platforms import PlatformRow, Platforms
from tests.door_site import ACTOR, DoorSite, door_site

MAIL = {"display_name": "Platform A", "channel": "mail", "address": "abuse@platform-a.example"}
HTTPS = {"display_name": "Platform B", "channel": "https", "address": "https://platform-b.example/notices"}
SECRET = "a-bearer-token"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DoorSite]:
    """A training site; no reader is driven."""
    with door_site(tmp_path_factory.mktemp("platforms") / "site") as made:
        yield made


@pytest.fixture
def site(shared: DoorSite) -> DoorSite:
    """Without any platform."""
    kind = shared.registry.platforms
    for item in kind.page(None, 500, None, 0)[0]:
        asyncio.run(kind.delete(item.platform_id, actor=ACTOR))
    return shared


def put(site: DoorSite, platform_id: str = "a", *, kind: Platforms | None = None, **fields: Any) -> NoticePlatform:
    """PUTs a platform; what comes back."""
    body = msgspec.convert(fields, PlatformBody)
    return asyncio.run((kind or site.registry.platforms).put(platform_id, body, actor=ACTOR))[0]


def refusal(site: DoorSite, *, kind: Platforms | None = None, **fields: Any) -> str:
    """The field that is wrong."""
    with pytest.raises(Problem) as refused:
        put(site, kind=kind, **fields)
    assert refused.value.code == "invalid_body"
    return refused.value.errors[0].pointer


def row(site: DoorSite, platform_id: str = "a") -> PlatformRow:
    """As enforcement reads it."""
    with site.store.read() as connection:
        found = site.registry.platforms.look_up(connection, platform_id)
    assert found is not None
    return found


def test_a_platform_reads_back(site: DoorSite) -> None:
    """Every field, and the secret only as set."""
    fields = {
        **HTTPS,
        "framework_contacts": {"EU": {"channel": "mail", "address": "dsa@platform-b.example"}},
        "domains": ["platform-b.example", "b.example"],
        "default": True,
        "languages": ["de", "en"],
        "secret": SECRET,
        "tags": ["drill"],
    }
    made = put(site, **fields)
    found = site.registry.platforms.get("a", 0)
    assert found == made
    assert (found.display_name, found.channel, found.address) == tuple(HTTPS.values())
    assert found.framework_contacts == {"EU": PlatformContact(channel="mail", address="dsa@platform-b.example")}
    assert (found.domains, found.languages, found.tags) == (fields["domains"], ["de", "en"], ["drill"])
    assert (found.default, found.secret.set, found.ca_sha256) == (True, True, [])
    assert SECRET not in msgspec.json.encode(found).decode()


def test_the_most_exact_contact_counts(site: DoorSite) -> None:
    """``US-NCII`` before ``US`` before the platform's own; another code's is never taken."""
    contacts = {
        code: {"channel": "mail", "address": f"{code.lower()}@platform-a.example"} for code in ("US", "US-NCII", "EU")
    }
    put(site, **MAIL, framework_contacts=contacts)
    found = {code: row(site).contact(code).address.partition("@")[0] for code in ("US-NCII", "US-TN", "US", "EU", "GB")}
    assert found == {"US-NCII": "us-ncii", "US-TN": "us", "US": "us", "EU": "eu", "GB": "abuse"}


def test_the_defaults_are_those_that_say_so(site: DoorSite) -> None:
    """By rising id; a platform that is default no more is none."""
    for name in ("c", "a", "b"):
        put(site, name, **MAIL, default=name != "b")
    with site.store.read() as connection:
        assert [one.platform_id for one in site.registry.platforms.defaults(connection)] == ["a", "c"]
    put(site, "a", **MAIL)
    with site.store.read() as connection:
        assert [one.platform_id for one in site.registry.platforms.defaults(connection)] == ["c"]
        assert site.registry.platforms.look_up(connection, "nobody") is None


@pytest.mark.parametrize(
    ("channel", "address"),
    [
        ("mail", "https://platform.example/"),
        ("mail", ".a@platform.example"),
        ("mail", "a..b@platform.example"),
        ("mail", "a.@platform.example"),
        ("mail", "a,b@platform.example"),
        ("mail", "<a@platform.example"),
        ("mail", "a@-platform.example"),
        ("mail", "a@platform-.example"),
        ("mail", "a@platform..example"),
        ("mail", "a@platform.example."),
        ("https", "abuse@platform.example"),
        ("https", "http://platform.example/"),
        ("https", "http://127.0.0.1.platform.example/"),
        ("https", "https://user@platform.example/"),
        ("https", "https://user:pass@platform.example/"),
        ("https", "https://platform.example/#part"),
        ("https", "https://platform.example:0/"),
        ("https", "https://platform.example:99999/"),
        ("https", "https://:8443/"),
        ("https", "https://[::1/"),
        ("form", "abuse@platform.example"),
        ("form", "https://user@platform.example/form"),
    ],
)
def test_an_address_fits_its_channel(site: DoorSite, channel: str, address: str) -> None:
    """422 at the address, of the platform and of a contact alike."""
    assert refusal(site, display_name="P", channel=channel, address=address) == "/address"
    contacts = {"EU": {"channel": channel, "address": address}}
    assert refusal(site, **MAIL, framework_contacts=contacts) == "/framework_contacts/EU/address"


@pytest.mark.parametrize(
    ("channel", "address"),
    [
        ("mail", "abuse+dmca@sub.platform-a.example"),
        ("https", "https://platform.example:8443/notices?site=arc"),
        ("https", "http://127.0.0.1:8080/notices"),
        ("form", "https://platform.example/form"),
        ("form", "http://platform.example/form"),
    ],
)
def test_a_usual_address_is_taken(site: DoorSite, channel: str, address: str) -> None:
    """Plain http to this machine on a training site, and forms, which a person opens."""
    assert put(site, display_name="P", channel=channel, address=address).address == address


def test_a_production_site_calls_https_alone(site: DoorSite) -> None:
    """Plain http is refused even to this machine."""
    kind = Platforms(site.store, site.registry.platforms.cursors, site.store.sealer, training=False)
    assert refusal(site, kind=kind, display_name="P", channel="https", address="http://127.0.0.1:8080/") == "/address"


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"domains": ["a.example", "a.example"]}, "/domains"),
        ({"languages": ["de", "de"]}, "/languages"),
        ({"ca": "no certificate"}, "/ca"),
        ({"secret": SECRET}, "/secret"),
    ],
)
def test_a_wrong_field_is_named(site: DoorSite, fields: dict[str, Any], pointer: str) -> None:
    """Doubles, no certificates, and a secret that nobody would be given."""
    assert refusal(site, **MAIL, **fields) == pointer


def test_a_secret_stays_with_its_address(site: DoorSite) -> None:
    """Another address, channel, contact or authority asks for the secret again; another name does not."""
    put(site, **HTTPS, secret=SECRET)
    assert put(site, **{**HTTPS, "display_name": "Renamed"}).secret.set
    contact = {"EU": {"channel": "https", "address": "https://other.example/"}}
    for changed in ({"address": "https://evil.example/"}, {"framework_contacts": contact}, {"channel": "form"}):
        assert refusal(site, **{**HTTPS, **changed}) == "/secret"
    assert not put(site, **{**HTTPS, "address": "https://moved.example/"}, secret=None).secret.set


def test_a_secret_goes_to_a_registered_address(site: DoorSite) -> None:
    """To the platform's own and to its contacts that are called, and nowhere else; not once it was deleted."""
    contacts = {
        "EU": {"channel": "https", "address": "https://eu.platform-b.example/"},
        "US": {"channel": "form", "address": "https://forms.platform-b.example/"},
    }
    put(site, **HTTPS, framework_contacts=contacts, secret=SECRET)
    access = site.registry.platforms.access
    for address in (HTTPS["address"], "https://eu.platform-b.example/"):
        found = access("a", address)
        assert found is not None
        assert (found.secret, found.ca) == (SECRET, None)
        assert SECRET not in repr(found)
    assert access("a", "https://forms.platform-b.example/") is None
    assert access("a", HTTPS["address"] + "/") is None
    assert access("b", HTTPS["address"]) is None
    asyncio.run(site.registry.platforms.delete("a", actor=ACTOR))
    assert access("a", HTTPS["address"]) is None


def test_a_platform_without_secret_is_called_without(site: DoorSite) -> None:
    """No token is made up."""
    put(site, **HTTPS)
    found = site.registry.platforms.access("a", HTTPS["address"])
    assert found is not None
    assert found.secret is None


def test_the_secret_lies_sealed(site: DoorSite) -> None:
    """Neither the row nor a leaf has it; the same secret again changes nothing."""
    first = put(site, **HTTPS, secret=SECRET)
    assert put(site, **HTTPS, secret=SECRET) == first
    with site.store.read() as connection:
        sealed = connection.execute(text("SELECT secret_sealed FROM platform")).scalar_one()
        leaves = connection.execute(
            text("SELECT count(*) FROM audit_entry WHERE payload LIKE '%a-bearer%'")
        ).scalar_one()
    assert SECRET.encode() not in bytes(sealed)
    assert leaves == 0


def test_an_equal_body_in_another_order_changes_nothing(site: DoorSite) -> None:
    """Contacts are compared by what they say."""
    contacts = {code: {"channel": "mail", "address": f"x@{code.lower()}.example"} for code in ("US", "EU")}
    first = put(site, **MAIL, framework_contacts=contacts)
    again = put(site, **MAIL, framework_contacts=dict(reversed(contacts.items())))
    assert again == first


@pytest.mark.parametrize("q", ["platform a", "ABUSE@platform-a", "video.example", "a"])
def test_a_platform_is_found_by_what_it_is_called(site: DoorSite, q: str) -> None:
    """By id, name, address and domain."""
    put(site, **MAIL, domains=["video.example"])
    assert [one.platform_id for one in site.registry.platforms.page(q, 10, None, 0)[0]] == ["a"]
