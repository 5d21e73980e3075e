"""The stock and what follows from it: transport keys that open a card, declared validations, states that follow."""

import asyncio
import dataclasses
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from app.api.problems import Problem
from app.capabilities.provisioning.messages import ProvisionListQuery
from app.capabilities.provisioning.stock.messages import (
    ChannelKeySet,
    Declared1403,
    DeclaredListing,
    ElementBody,
    ElementCounts,
    ElementListQuery,
    ImportBody,
    ImportRow,
    Transport,
)
from app.capabilities.provisioning.stock.policy import FipsPolicy
from app.site.site import Site
from app.store.errors import BadCursor
from hardware.cards.apdu import ApduChannel
from hardware.cards.fips import AcceptancePolicy
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.piv import FACTORY_MANAGEMENT_KEY, ManagementAlgorithm, ManagementKey, PivSession
from hardware.cards.software import Quirks, SoftwareCard
from hardware.cards.software.attestation import TrainingMaker
from tests.service.capabilities.provisioning.card_desk import ACTOR, READER, Desk

LEVEL_2 = Declared1403(certificate="5291", level=2, physical=3)
LEVEL_1 = Declared1403(certificate="4711", level=1)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A production site whose least evidence is the officer's word."""
    made = Desk(tmp_path_factory.mktemp("stock") / "site", "production")
    made.site = dataclasses.replace(
        made.site, settings=msgspec.structs.replace(made.site.settings, minimum_evidence="declared")
    )
    yield made
    made.close()


def test_a_declared_validation_is_evidence_where_the_site_says_so(office: Desk) -> None:
    """The demand is MET by the officer's word, the reply says which, and the element is issued."""

    async def main() -> None:
        node = office.node()
        async with office.running({READER: SoftwareCard(serial=1)}) as table:
            await table.service.stock.put("1", ElementBody(product="Card", validation=LEVEL_2), actor=ACTOR)
            reply = await table.done(node, "1")
            assert (reply.fips.verdict, reply.fips.evidence) == ("MET", "declared")
            assert reply.fips.certificate == "5291"
            element = table.service.stock.get("1", 0)
            assert (element.state, element.provision_id) == ("issued", reply.provision_id)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("uid", "validation", "verdict", "evidence"),
    [
        ("11", LEVEL_1, "NOT_MET", "declared"),
        ("12", DeclaredListing(certificate="1512"), "UNKNOWN", "declared"),
        ("13", None, "UNKNOWN", "none"),
    ],
)
def test_what_does_not_meet_the_demand_is_refused(
    office: Desk, uid: str, validation: Declared1403 | None, verdict: str, evidence: str
) -> None:
    """422 with verdict and evidence; there is no record, and the card is as blank as before."""

    async def main() -> None:
        node = office.node()
        before = office.count()
        async with office.running({READER: SoftwareCard(serial=int(uid))}) as table:
            await table.service.stock.put(uid, ElementBody(product="Card", validation=validation), actor=ACTOR)
            problem = await table.refused(node, uid)
            assert (problem.code, problem.status) == ("fips_not_met", 422)
            said = problem.extra["fips"]
            assert isinstance(said, dict)
            assert (said["verdict"], said["evidence"]) == (verdict, evidence)
            assert office.count() == before
            assert (await table.service.cards()).items[0].state == "blank"
            assert table.service.stock.get(uid, 0).state == "in_stock"

    asyncio.run(main())


def test_the_officers_word_is_not_enough_by_default(production: Desk) -> None:
    """A production site asks for ``identified``; a declared validation stays UNKNOWN."""

    async def main() -> None:
        node = production.node()
        async with production.running({READER: SoftwareCard(serial=2)}) as table:
            await table.service.stock.put("2", ElementBody(product="Card", validation=LEVEL_2), actor=ACTOR)
            problem = await table.refused(node, "2")
            assert problem.code == "fips_not_met"
            said = problem.extra["fips"]
            assert isinstance(said, dict)
            assert said["verdict"] == "UNKNOWN"

    asyncio.run(main())


def test_attestation_by_a_maker_that_nobody_pinned_is_refused_before_any_write(production: Desk) -> None:
    """A site that asks for ``attested`` touches no card whose F9 key leads elsewhere."""

    async def main(site: Desk) -> None:
        node = site.node()
        policy = asks_attested(site, TrainingMaker.create())
        async with site.running({READER: SoftwareCard(serial=3)}, fips=policy) as table:
            problem = await table.refused(node, "3")
            assert problem.code == "fips_not_met"
            assert (await table.service.cards()).items[0].state == "blank"
            assert site.count() == 0

    asyncio.run(main(production))


def test_what_the_first_key_does_not_prove_ends_the_write_there(production: Desk) -> None:
    """The maker is pinned, and attests no validated module: 422 after 9A was made, no certificate, no secret set."""

    async def main(site: Desk) -> None:
        node = site.node()
        maker = TrainingMaker.create()
        card = SoftwareCard(serial=4, maker=maker)
        async with site.running({READER: card}, fips=asks_attested(site, maker)) as table:
            await table.service.stock.put("4", ElementBody(product="Card"), actor=ACTOR)
            problem = await table.refused(node, "4")
            assert (problem.code, problem.status) == ("fips_not_met", 422)
            record = table.service.records.get(str(problem.extra["provision_id"]))
            assert (record.state, record.fips.evidence) == ("REFUSED", "none")
            steps = [step.step for step in site.steps(record.provision_id)]
            # The site takes no 3DES key, so the card's 9B was tried first, and the factory's is put back.
            assert steps[0] == "management_key"
            assert steps[-2:] == ["9A.generate", "management_key.restore"]
            assert site.certificates(record.provision_id) == []
            assert table.service.stock.get("4", 0).state == "in_stock"
            with table.backend.open(READER) as connection:
                session = PivSession(ApduChannel(connection))
                session.select()
                session.verify("123456")
                session.authenticate_management([FACTORY_MANAGEMENT_KEY])

    asyncio.run(main(production))


def asks_attested(site: Desk, maker: TrainingMaker) -> FipsPolicy:
    """A policy that nothing but this maker's word meets."""
    return FipsPolicy(FipsPolicy.open(site.site).modules, [maker.certificate], AcceptancePolicy("attested"))


def test_transport_keys_open_a_card_that_the_factory_values_do_not(desk: Desk) -> None:
    """9B, PUK and PIN that the maker set: no try is lost, and afterwards they stand nowhere."""

    async def main() -> None:
        node = desk.node()
        card = SoftwareCard(serial=4001)
        key = bytes(range(32, 64))
        changed(card, key, puk="76543219", pin="654321")
        async with desk.running({READER: card}) as table:
            transport = Transport(management_key=key.hex(), puk="76543219", pin="654321")
            body = ElementBody(product="Card", transport=transport)
            await table.service.stock.put("4001", body, actor=ACTOR)
            assert table.service.stock.get("4001", 0).transport.set
            reply = await table.done(node, "4001")
            assert reply.verification is not None
            assert not table.service.stock.get("4001", 0).transport.set

    asyncio.run(main())


def changed(card: SoftwareCard, key: bytes, *, puk: str, pin: str) -> None:
    """Sets the card's secrets as a maker does."""
    backend = InProcessBackend([READER])
    backend.insert(READER, card)
    with backend.open(READER) as connection:
        session = PivSession(ApduChannel(connection))
        session.select()
        session.authenticate_management([ManagementKey(ManagementAlgorithm.TDES, bytes(range(1, 9)) * 3)])
        session.set_management_key(ManagementKey(ManagementAlgorithm.AES_256, key))
        session.change_puk("12345678", puk)
        session.change_pin("123456", pin)
    backend.remove(READER)


@pytest.mark.parametrize("state", ["quarantined", "retired"])
def test_an_element_that_is_out_of_use_is_not_written(desk: Desk, state: str) -> None:
    """409 with the remedy, no APDU that changes anything; released, it is written."""
    serial = {"quarantined": 4101, "retired": 4102}[state]

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: SoftwareCard(serial=serial)}) as table:
            body = ElementBody(product="Card", state=state)  # type: ignore[arg-type]
            await table.service.stock.put(str(serial), body, actor=ACTOR)
            problem = await table.refused(node, str(serial))
            assert problem.code == "state_conflict"
            assert state in problem.detail
            await table.service.stock.put(str(serial), ElementBody(product="Card", state="in_stock"), actor=ACTOR)
            await table.done(node, str(serial))

    asyncio.run(main())


def test_a_refused_card_is_quarantined_with_the_reason(desk: Desk) -> None:
    """The next call is told so, and so is whoever looks into the stock."""

    async def main() -> None:
        node = desk.node()
        bad = SoftwareCard(serial=4201, quirks=Quirks(refusals={0x47: 0x6985}))
        async with desk.running({READER: bad}) as table:
            await table.service.stock.put("4201", ElementBody(product="Card"), actor=ACTOR)
            await table.refused(node, "4201")
            element = table.service.stock.get("4201", 0)
            assert element.state == "quarantined"
            assert "9A.generate" in (element.detail or "")
            assert element.node_id == node
            assert element.written_at is not None
            assert "quarantined" in (await table.refused(node, "4201")).detail

    asyncio.run(main())


def test_an_import_is_all_or_nothing(desk: Desk) -> None:
    """Rows are made and changed in one commit; one element twice, and nothing is."""

    async def main() -> None:
        stock = desk.provisioning().stock
        rows = [ImportRow(hardware_uid=f"AB{n:02}", product="Card") for n in range(3)]
        reply = await stock.take_in(ImportBody(rows=rows), actor=ACTOR, request_id="req_test")
        assert (reply.made, reply.changed) == (3, 0)
        again = await stock.take_in(ImportBody(rows=rows[:2]), actor=ACTOR, request_id="req_test")
        assert (again.made, again.changed) == (0, 2)
        twice = [ImportRow(hardware_uid="CD01", product="Card"), ImportRow(hardware_uid="cd01", product="Card")]
        with pytest.raises(Problem) as refused:
            await stock.take_in(ImportBody(rows=twice), actor=ACTOR, request_id="req_test")
        assert refused.value.errors[0].pointer == "/rows/1/hardware_uid"
        found, _ = stock.page("ab0", 10, None, 0)
        assert [one.hardware_uid for one in found] == ["ab00", "ab01", "ab02"]
        assert stock.page("cd01", 10, None, 0)[0] == []

    asyncio.run(main())


def test_a_list_that_is_imported_again_releases_nothing(desk: Desk) -> None:
    """A row without a state leaves it, with its reason; a new one is in stock; a named state rules."""

    async def main() -> None:
        stock = desk.provisioning().stock
        bad = ElementBody(product="Card", state="quarantined", detail="Bent")
        await stock.put("ef01", bad, actor=ACTOR)
        rows = [ImportRow(hardware_uid=uid, product="Other card") for uid in ("EF01", "EF02")]
        await stock.take_in(ImportBody(rows=rows), actor=ACTOR, request_id="req_test")
        kept, made = stock.get("ef01", 0), stock.get("ef02", 0)
        assert (kept.product, kept.state, kept.detail) == ("Other card", "quarantined", "Bent")
        assert made.state == "in_stock"
        freed, _ = await stock.put("ef01", ElementBody(product="Card", state="in_stock", detail="x"), actor=ACTOR)
        assert (freed.state, freed.detail) == ("in_stock", None)

    asyncio.run(main())


def test_a_page_is_of_one_state_and_its_counts_of_all(desk: Desk) -> None:
    """The first page alone counts what the search finds; a cursor goes on in the state that it came from."""

    async def main() -> None:
        stock = desk.provisioning().stock
        rows = [
            ImportRow(hardware_uid=f"gh{n}", product="Counted", state="retired" if n % 2 else None) for n in range(6)
        ]
        await stock.take_in(ImportBody(rows=rows), actor=ACTOR, request_id="req_test")
        first = stock.listing(ElementListQuery(q="counted", state="retired", limit=2), 0)
        assert [one.hardware_uid for one in first.items] == ["gh1", "gh3"]
        assert first.counts == ElementCounts(in_stock=3, retired=3)
        rest = stock.listing(ElementListQuery(q="counted", state="retired", limit=2, cursor=first.next), 0)
        assert ([one.hardware_uid for one in rest.items], rest.next, rest.counts) == (["gh5"], None, None)
        with pytest.raises(BadCursor):
            stock.listing(ElementListQuery(q="counted", limit=2, cursor=first.next), 0)

    asyncio.run(main())


def test_what_was_written_on_a_card_is_found_by_any_name_that_it_bore(desk: Desk) -> None:
    """By its number as by its GUID, in any case; another card whose name begins alike is another one."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: SoftwareCard(serial=4501)}) as table:
            reply = await table.done(node, "4501")

            def found(uid: str) -> list[str]:
                return [
                    one.provision_id for one in table.service.records.page(ProvisionListQuery(hardware_uid=uid)).items
                ]

            assert found("4501") == [reply.provision_id]
            assert found(str(reply.card_guid).upper()) == [reply.provision_id]
            assert found("450") == []

    asyncio.run(main())


def test_transport_keys_are_sealed_and_kept_until_they_are_taken_back(desk: Desk) -> None:
    """A PUT without them leaves them, an empty object takes them away; the file holds none in the clear."""

    async def main() -> None:
        stock = desk.provisioning().stock
        keys = Transport(puk="PUK48151", scp03=ChannelKeySet(keys="a5" * 48))
        await stock.put("4301", ElementBody(product="Card", transport=keys), actor=ACTOR)
        item, _ = await stock.put("4301", ElementBody(product="Other card"), actor=ACTOR)
        assert item.transport.set
        with desk.store.read() as connection:
            assert stock.transport(connection, ["4301"]) == keys
        raw = b"".join(path.read_bytes() for path in desk.site.data_dir.glob("store.db*"))
        assert b"PUK48151" not in raw
        assert b"a5a5a5a5" not in raw
        item, _ = await stock.put("4301", ElementBody(product="Other card", transport=Transport()), actor=ACTOR)
        assert not item.transport.set

    asyncio.run(main())


def test_the_settings_of_the_site_are_the_policy(tmp_path: Path) -> None:
    """``minimum_evidence`` and ``accept_historical`` come from site.json; makers from the file that pins them."""
    site = Site.open(tmp_path / "site", "production")
    policy = FipsPolicy.open(site)
    assert policy.policy == AcceptancePolicy("identified", accept_historical=False, training=False)
    assert policy.makers is None
    (site.data_dir / "makers.pem").write_text("nothing")
    with pytest.raises(ValueError, match=r"."):
        FipsPolicy.open(site)
