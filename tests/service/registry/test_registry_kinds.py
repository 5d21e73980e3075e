"""The kinds of the registry, on a real store."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from app.api.problems import Problem
from app.api.wire import base64url_text
from app.registry.messages.clusters import Channel, ReaderBody, ReaderClusterBody
from app.registry.messages.jwk import EcJwk, OkpJwk
from app.registry.messages.nodes import NodeBody, NodeCredential
from app.registry.messages.peers import PeerBody
from app.registry.messages.profiles import CredentialBody, CredentialProfileBody
from app.registry.messages.units import UnitBody
from app.registry.service import now_us
from app.registry.tables import reader
from app.store.errors import BadCursor
from tests.door_site import ACTOR, GUID, DoorSite, door_site

X = "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"
Y = "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A fresh training site; no reader is driven."""
    with door_site(tmp_path / "site") as made:
        yield made


def real(reader_id: str, channel: str = "tcp://127.0.0.1:4001", address: int = 1) -> ReaderBody:
    """A reader that is no simulated one."""
    return ReaderBody(reader_id=reader_id, channel=channel, address=address)


def profile(node_id: str, clusters: list[str], **credential: str) -> CredentialProfileBody:
    """A profile with one credential, by default the card GUID."""
    part = credential or {"format": "piv-guid", "card_guid": GUID}
    return CredentialProfileBody(node_id=node_id, credentials=[CredentialBody(**part)], clusters=clusters)


def test_put_says_whether_it_made_the_row(site: DoorSite) -> None:
    """The first PUT makes the node, the second changes it."""

    async def puts() -> list[bool]:
        first = await site.registry.nodes.put("ARC-1", NodeBody(display_name="One"), actor=ACTOR)
        second = await site.registry.nodes.put("ARC-1", NodeBody(display_name="Uno"), actor=ACTOR)
        return [first[1], second[1]]

    assert asyncio.run(puts()) == [True, False]


def test_an_equal_put_leaves_no_leaf(site: DoorSite) -> None:
    """Repeating a PUT changes nothing, so the log says nothing."""

    async def puts() -> None:
        for _ in range(3):
            await site.registry.nodes.put("ARC-1", NodeBody(display_name="One", tags=["drill"]), actor=ACTOR)

    asyncio.run(puts())
    assert site.actions() == ["registry.node_put"]


def test_a_leaf_names_fields_not_their_values(site: DoorSite) -> None:
    """What a person is called can be erased from the registry: the log does not keep it."""
    asyncio.run(site.registry.nodes.put("ARC-1", NodeBody(display_name="Training Person 77"), actor=ACTOR))
    with site.store.read() as connection:
        payload = connection.exec_driver_sql("SELECT payload FROM audit_entry ORDER BY seq DESC").scalars().first()
    assert (b"display_name" in payload, b"Training Person 77" in payload) == (True, False)


def test_a_refused_put_leaves_nothing(site: DoorSite) -> None:
    """A profile of an unknown cluster writes no row and no leaf."""
    site.person("ARC-1", verified=False)
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.profiles.put("badge", profile("ARC-1", ["nowhere"]), actor=ACTOR))
    assert (caught.value.status, site.actions()) == (404, ["registry.node_put"])


@pytest.mark.parametrize("item_id", ["", "ab", "-abc", "a" * 65, "abc\n", "a/b"])
def test_a_wrong_node_id_is_422(site: DoorSite, item_id: str) -> None:
    """The shape of a node id is checked before anything is written."""
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.nodes.put(item_id, NodeBody(display_name="One"), actor=ACTOR))
    assert caught.value.status == 422


def test_the_search_finds_id_and_name_in_any_case(site: DoorSite) -> None:
    """Case, and the difference between composed and decomposed letters, do not hide a node."""
    for number, name in enumerate(["Straße", "Ångström", "plain"]):
        site.write(
            lambda tx, n=number, s=name: site.registry.nodes.put_in(tx, f"ARC-{n}", NodeBody(display_name=s), ACTOR)
        )
    found = [
        [node.node_id for node in site.registry.nodes.page(q, 10, None, now_us())[0]]
        for q in ("STRASSE", "A\u030angstro\u0308m", "arc-2", "%", "_")
    ]
    assert found == [["ARC-0"], ["ARC-1"], ["ARC-2"], [], []]


def test_pages_give_every_row_once(site: DoorSite) -> None:
    """Following the cursors gives all nodes in order, none twice."""
    for number in range(7):
        site.person(f"ARC-{number}", verified=False)
    seen: list[str] = []
    cursor = None
    while True:
        items, cursor = site.registry.nodes.page(None, 3, cursor, now_us())
        seen += [node.node_id for node in items]
        if cursor is None:
            break
    assert seen == [f"ARC-{number}" for number in range(7)]


def test_a_cursor_belongs_to_its_search(site: DoorSite) -> None:
    """A cursor of one list does not go on in another."""
    for number in range(3):
        site.person(f"ARC-{number}", verified=False)
    _, cursor = site.registry.nodes.page("arc", 1, None, now_us())
    with pytest.raises(BadCursor):
        site.registry.nodes.page("other", 1, cursor, now_us())


def test_a_search_reads_the_index_alone(site: DoorSite) -> None:
    """With 100,000 nodes a page's search must not touch wide rows: the plan is one covering index."""
    with site.store.read() as connection:
        plan = connection.exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT node_id FROM node WHERE node_id > 'A' AND search LIKE '%x%' ESCAPE '/' "
            "ORDER BY node_id LIMIT 101"
        ).all()
    assert [row[-1] for row in plan] == ["SEARCH node USING COVERING INDEX node_by_search (node_id>?)"]


def test_a_node_with_profiles_is_not_deleted(site: DoorSite) -> None:
    """Its profiles go first, by name."""
    site.cluster("east", 1)
    site.person("ARC-1", clusters=["east"])
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.nodes.delete("ARC-1", actor=ACTOR))
    assert (caught.value.status, "badge-ARC-1" in caught.value.detail) == (409, True)


def test_a_deleted_node_is_gone(site: DoorSite) -> None:
    """With its live checks; the leaf stays."""
    site.person("ARC-1")
    asyncio.run(site.registry.nodes.delete("ARC-1", actor=ACTOR))
    with pytest.raises(Problem) as caught:
        site.registry.nodes.get("ARC-1", now_us())
    assert (caught.value.status, site.actions()[-1]) == (404, "registry.node_delete")


def test_a_cluster_that_a_profile_opens_is_not_deleted(site: DoorSite) -> None:
    """409 with the profile's name."""
    site.cluster("east", 1)
    site.person("ARC-1", clusters=["east"])
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.clusters.delete("east", actor=ACTOR))
    assert (caught.value.status, "badge-ARC-1" in caught.value.detail) == (409, True)


@pytest.mark.parametrize(
    ("readers", "pointer"),
    [
        ([real("a"), real("b")], "/readers/1/channel"),
        ([real("a"), real("b", address=2)], "/readers/1/channel"),
        ([real("a"), real("a", channel="tcp://127.0.0.1:4002")], "/readers/1/reader_id"),
        ([real("a", channel="tcp://door.example:4001")], "/readers/0/channel"),
        ([real("a", channel="tcp://127.0.0.1:0")], "/readers/0/channel"),
    ],
)
def test_readers_that_cannot_be_wired_so_are_422(site: DoorSite, readers: list[ReaderBody], pointer: str) -> None:
    """Two readers on one line, one id twice, a line that cannot be opened: each names its place in the body."""
    body = ReaderClusterBody(display_name="East", readers=readers)
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.clusters.put("east", body, actor=ACTOR))
    assert [error.pointer for error in caught.value.errors] == [pointer]


def test_a_line_of_another_cluster_is_422(site: DoorSite) -> None:
    """One line carries one reader on the whole site."""

    async def puts() -> None:
        await site.registry.clusters.put("east", ReaderClusterBody(display_name="E", readers=[real("a")]), actor=ACTOR)
        await site.registry.clusters.put("west", ReaderClusterBody(display_name="W", readers=[real("b")]), actor=ACTOR)

    with pytest.raises(Problem) as caught:
        asyncio.run(puts())
    assert (caught.value.status, "a" in caught.value.detail) == (422, True)


def test_a_reader_of_another_cluster_is_409(site: DoorSite) -> None:
    """A reader id stands in one cluster alone."""
    site.cluster("east", 1)
    body = ReaderClusterBody(
        display_name="West", readers=[ReaderBody(reader_id="east-1", channel="simulated:", address=1)]
    )
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.clusters.put("west", body, actor=ACTOR))
    assert caught.value.status == 409


def test_simulated_readers_are_for_training_alone(tmp_path: Path) -> None:
    """A production site refuses them."""
    body = ReaderClusterBody(display_name="East", readers=[ReaderBody(reader_id="r", channel="simulated:", address=1)])
    with door_site(tmp_path / "site", training=False) as site, pytest.raises(Problem) as caught:
        asyncio.run(site.registry.clusters.put("east", body, actor=ACTOR))
    assert [error.pointer for error in caught.value.errors] == ["/readers/0/channel"]


def test_every_reader_has_a_key_of_its_own(site: DoorSite) -> None:
    """Sixteen bytes each, none twice, and none readable in the file."""
    site.cluster("east", 20)
    with site.store.read() as connection:
        keys = [row.scbk for row in site.registry.clusters.readers(connection)]
    site.store.writer.close()
    raw = b"".join(path.read_bytes() for path in site.site.data_dir.glob("store.db*"))
    assert ({len(key) for key in keys}, len(set(keys)), any(key in raw for key in keys)) == ({16}, 20, False)


def test_a_changed_reader_keeps_its_key(site: DoorSite) -> None:
    """A new address is no reason to key the reader anew."""

    def key() -> bytes:
        with site.store.read() as connection:
            return bytes(connection.execute(reader.select()).one().key_sealed)

    site.cluster("east", 1)
    before = key()
    body = ReaderClusterBody(
        display_name="East", readers=[ReaderBody(reader_id="east-1", channel="simulated:", address=9)]
    )
    asyncio.run(site.registry.clusters.put("east", body, actor=ACTOR))
    assert key() == before


def test_bits_of_a_badge_are_never_shown_nor_stored_plain(site: DoorSite) -> None:
    """The reply says that they are set; neither row nor log holds them."""
    site.cluster("east", 1)
    site.person("ARC-1", verified=False)
    bits = "c0ffee0123456789c0ffee0123456789"
    made, _ = asyncio.run(
        site.registry.profiles.put("badge", profile("ARC-1", ["east"], format="raw", bits=bits), actor=ACTOR)
    )
    shown = made.credentials[0].bits
    site.store.writer.close()
    raw = b"".join(path.read_bytes() for path in site.site.data_dir.glob("store.db*"))
    assert shown is not None
    assert (shown.set, bytes.fromhex(bits) in raw, bits.encode() in raw) == (True, False, False)


def test_one_badge_names_one_person(site: DoorSite) -> None:
    """The card of one node cannot be given to another."""
    site.cluster("east", 1)
    site.person("ARC-1", clusters=["east"])
    site.person("ARC-2", verified=False)
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.profiles.put("other", profile("ARC-2", ["east"]), actor=ACTOR))
    assert (caught.value.status, "ARC-1" in caught.value.detail) == (409, True)


def test_a_node_shows_each_card_once(site: DoorSite) -> None:
    """A card told by its profile and by its issuer is one credential; the profile says more."""
    other = str(uuid.uuid4())
    site.registry.nodes.add_source(
        lambda _connection, ids: {
            node_id: [
                NodeCredential(profile=None, format="piv-guid", card_guid=guid, state="active")
                for guid in (GUID, other)
            ]
            for node_id in ids
        }
    )
    site.cluster("east", 1)
    site.person("ARC-1", clusters=["east"])
    shown = site.registry.nodes.get("ARC-1", now_us()).credentials
    assert [(credential.profile, credential.card_guid) for credential in shown] == [
        ("badge-ARC-1", GUID),
        (None, other),
    ]


def test_a_key_belongs_to_one_unit(site: DoorSite) -> None:
    """A second unit with the same key is refused: a proof must name one unit."""
    body = UnitBody(public_key=EcJwk(crv="P-256", x=X, y=Y), actions=["open"])

    async def puts() -> None:
        await site.registry.units.put("gate-1", body, actor=ACTOR)
        await site.registry.units.put("gate-2", body, actor=ACTOR)

    with pytest.raises(Problem) as caught:
        asyncio.run(puts())
    assert (caught.value.status, site.registry.unit_key("gate-2")) == (409, None)


def public_of(number: int) -> bytes:
    """An Ed25519 public key of a number."""
    return Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32).public_key().public_bytes_raw()


def test_two_machines_under_one_name_do_not_take_it_from_each_other_for_ever(
    site: DoorSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few new keys a minute; then 429 with the wait, no leaf, and the key that was there stays. The same key again is
    no new one, and another unit is not concerned."""
    bodies = [
        UnitBody(public_key=OkpJwk(crv="Ed25519", x=base64url_text(public_of(number))), actions=["open"])
        for number in range(7)
    ]

    def put(unit_id: str, number: int) -> None:
        asyncio.run(site.registry.units.put(unit_id, bodies[number], actor=ACTOR))

    for number in range(4):
        put("gate-1", number)
    before = site.actions()
    with pytest.raises(Problem) as caught:
        put("gate-1", 4)
    assert (caught.value.code, caught.value.status) == ("rate_limited", 429)
    assert 1 <= int(caught.value.headers["Retry-After"]) <= 60
    put("gate-1", 3)
    assert site.actions() == before
    put("gate-2", 5)
    put("gate-2", 6)
    monkeypatch.setattr("app.registry.units.REKEYS_WITHIN_US", 0)
    put("gate-1", 4)


def test_a_units_key_is_found_as_registered(site: DoorSite) -> None:
    """What the gateway asks: key, thumbprint, actions."""
    body = UnitBody(public_key=EcJwk(crv="P-256", x=X, y=Y), actions=["open", "close"])
    asyncio.run(site.registry.units.put("gate-1", body, actor=ACTOR))
    key = site.registry.unit_key("gate-1")
    assert key is not None
    assert (key.public_key.x, key.actions) == (X, frozenset(("open", "close")))


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (PeerBody(node_id="frame-1", url="127.0.0.1:1", ca="no pem"), "/ca"),
        (PeerBody(node_id="frame-1", url="127.0.0.1:1", certificate="no pem"), "/certificate"),
    ],
)
def test_a_frame_that_cannot_be_probed_is_422(site: DoorSite, body: PeerBody, pointer: str) -> None:
    """Certificates are read when they are registered, not when the first probe fails."""
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.peers_kind.put("frame-1", body, actor=ACTOR))
    assert [error.pointer for error in caught.value.errors] == [pointer]


@given(st.integers(0, 99_999), st.integers(1, 5))
def test_a_port_is_within_1_and_65535(port: int, digits: int) -> None:
    """In five digits at most, leading zeros or not; nothing else is an address of a frame or a reader's line."""
    text = f"{port:0{digits}}"
    for shape, value in (
        (PeerBody, {"node_id": "frame-1", "url": f"127.0.0.1:{text}"}),
        (Channel, f"tcp://10.0.0.1:{text}"),
    ):
        if 1 <= port <= 65535:
            msgspec.convert(value, shape)
        else:
            with pytest.raises(msgspec.ValidationError):
                msgspec.convert(value, shape)


def test_a_frame_has_one_node_id(site: DoorSite) -> None:
    """The status of a frame is asked by its node id: no two peers share one."""

    async def puts() -> None:
        await site.registry.peers_kind.put("one", PeerBody(node_id="frame-1", url="127.0.0.1:1"), actor=ACTOR)
        await site.registry.peers_kind.put("two", PeerBody(node_id="frame-1", url="127.0.0.1:2"), actor=ACTOR)

    with pytest.raises(Problem) as caught:
        asyncio.run(puts())
    assert (caught.value.status, [peer.peer_id for peer in site.registry.peers()]) == (409, ["one"])


def test_enrolling_simulated_readers_is_409(site: DoorSite) -> None:
    """They are made with their key; there is nothing to open a window for."""
    site.cluster("east", 2)
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.clusters.enrol("east", None, 60, actor=ACTOR))
    assert caught.value.status == 409


def test_a_standing_that_ran_out_is_recorded_once(site: DoorSite) -> None:
    """The sweep writes EXPIRED with its leaf, and finds nothing the second time."""
    site.registry.standing.window_us = 1
    site.person("ARC-1")
    counts: list[int] = []
    for _ in range(2):
        site.write(lambda tx: counts.append(site.registry.standing.expire(tx)))
    assert (counts, site.actions().count("registry.standing_change")) == ([1, 0], 1)
