"""Makers that a site pins: by a call, in the log, across restarts; and what a refused demand advises."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import BasicConstraints, Certificate, CertificateBuilder, random_serial_number

from app.api.problems import Problem
from app.capabilities.provisioning.stock import policy as policies
from app.capabilities.provisioning.stock.makers import CHANGED, FOUND, PIN, UNPIN, PinnedMakers
from app.capabilities.provisioning.stock.messages import MAKERS_BY_HAND, Declared1403, ElementBody
from app.capabilities.provisioning.stock.policy import FipsPolicy
from hardware.cards.attestation import CARD_MAKERS, CardMaker, card_makers, load_makers
from hardware.cards.fips import AcceptancePolicy
from hardware.cards.software import SoftwareCard, TrainingMaker
from tests.hardware.cards.card_site import name
from tests.hardware.cards.makers import Maker
from tests.service.capabilities.provisioning.card_desk import ACTOR, READER, Desk

YUBICO = "yubico-piv"
LEVEL_1, LEVEL_2 = (Declared1403(certificate="9999", level=level, physical=level) for level in (1, 2))


def pinned(desk: Desk) -> tuple[PinnedMakers, FipsPolicy]:
    """What the site has pinned, as a start reads it."""
    policy = FipsPolicy.open(desk.site)
    return PinnedMakers(desk.site, desk.store, policy, desk.alarms), policy


def leaves(desk: Desk, action: str) -> int:
    """How many leaves say so."""
    with desk.store.read() as connection:
        headers = connection.exec_driver_sql("SELECT header FROM audit_entry").scalars()
        return sum(f'"action":"{action}"'.encode() in bytes(header) for header in headers)


def test_a_pin_counts_at_once_and_after_a_restart(desk: Desk) -> None:
    """Three equal calls are one leaf; the end of the pin leaves no file behind."""
    makers, policy = pinned(desk)
    assert policy.makers is None
    assert [item.pinned for item in makers.listing().items] == [False]

    async def main() -> None:
        for _ in range(3):
            assert (await makers.pin(YUBICO, None, actor=ACTOR, request_id=None)).pinned
        assert leaves(desk, PIN) == 1
        again, reopened = pinned(desk)
        assert reopened.makers == policy.makers
        assert [item.pinned for item in again.listing().items] == [True]
        for _ in range(3):
            assert not (await makers.unpin(YUBICO, actor=ACTOR, request_id=None)).pinned
        assert leaves(desk, UNPIN) == 1
        assert policy.makers is None
        assert not (desk.site.data_dir / policies.MAKERS).exists()

    asyncio.run(main())


def test_a_file_that_was_changed_by_hand_is_told_once_by_the_next_start(desk: Desk) -> None:
    """In the log with what it trusts now, and by an alarm where that is more than any key pinned. A file that lost what
    was pinned lets nobody in: it is in the log alone."""
    path = desk.site.data_dir / policies.MAKERS
    strangers = [TrainingMaker.create().certificate for _ in range(2)]

    def started() -> tuple[int, list[str]]:
        for _ in range(3):
            desk.write(pinned(desk)[0].state_in)
        return leaves(desk, FOUND), [one.text for one in desk.alarms.open() if one.kind == CHANGED]

    assert started() == (0, [])
    asyncio.run(pinned(desk)[0].pin(YUBICO, None, actor=ACTOR, request_id=None))
    ours = path.read_bytes()
    assert started() == (0, [])
    path.write_bytes(ours + strangers[0].public_bytes(Encoding.PEM))
    told, [text] = started()
    assert told == 1
    assert text.startswith(
        f"makers.pem trusts card makers that no key has pinned, so it was changed by hand: "
        f"{strangers[0].subject.rfc4514_string()}. If it was none of yours,"
    )
    path.unlink()
    assert started() == (2, [text])
    path.write_bytes(strangers[1].public_bytes(Encoding.PEM))
    assert (started()[0], len(started()[1])) == (3, 2)
    asyncio.run(pinned(desk)[0].unpin(MAKERS_BY_HAND, actor=ACTOR, request_id=None))
    assert started()[0] == 3


def test_what_an_operator_pinned_by_hand_stays_and_is_shown(desk: Desk) -> None:
    """Another maker's root in the file survives a pin and its end."""
    other = TrainingMaker.create().certificate
    path = desk.site.data_dir / policies.MAKERS
    path.write_bytes(other.public_bytes(Encoding.PEM))
    makers, policy = pinned(desk)
    assert [item.maker_id for item in makers.listing().items] == [YUBICO, MAKERS_BY_HAND]

    async def main() -> None:
        await makers.pin(YUBICO, None, actor=ACTOR, request_id=None)
        assert other in load_makers(path.read_bytes())
        await makers.unpin(YUBICO, actor=ACTOR, request_id=None)
        assert policy.makers == [other]
        assert load_makers(path.read_bytes()) == [other]

    try:
        asyncio.run(main())
    finally:
        path.unlink()


def test_a_full_disk_pins_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """503 with what to do; the policy is as it was, and the same call goes on."""
    makers, policy = pinned(desk)

    def full(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    async def main() -> None:
        with monkeypatch.context() as disk:
            disk.setattr("app.capabilities.provisioning.stock.makers.write_private", full)
            with pytest.raises(Problem, match="Make room") as refused:
                await makers.pin(YUBICO, None, actor=ACTOR, request_id=None)
            assert refused.value.status == 503
            assert policy.makers is None
        assert (await makers.pin(YUBICO, None, actor=ACTOR, request_id=None)).pinned
        await makers.unpin(YUBICO, actor=ACTOR, request_id=None)

    asyncio.run(main())


def test_no_other_maker_can_be_named(desk: Desk) -> None:
    """404 for both calls."""
    makers, _ = pinned(desk)
    for change in (
        makers.pin("nobody", None, actor=ACTOR, request_id=None),
        makers.pin("nobody", pem(Maker().root), actor=ACTOR, request_id=None),
        makers.unpin("nobody", actor=ACTOR, request_id=None),
    ):
        with pytest.raises(Problem) as refused:
            asyncio.run(change)
        assert refused.value.code == "not_found"


def pem(*certificates: Certificate) -> str:
    """As a maker publishes them."""
    return "".join(one.public_bytes(Encoding.PEM).decode() for one in certificates)


def test_a_maker_that_does_not_ship_is_pinned_by_its_root(desk: Desk) -> None:
    """A leaf names its digest, the list shows it, a restart knows it; its end takes those of no shipped maker away."""
    makers, policy = pinned(desk)
    maker, other = Maker(), Maker()

    async def main() -> None:
        for _ in range(3):
            item = await makers.pin(MAKERS_BY_HAND, pem(maker.root), actor=ACTOR, request_id=None)
            assert (item.maker_id, item.pinned, len(item.certificates)) == (MAKERS_BY_HAND, True, 1)
        assert item.certificates[0].sha256 == maker.root.fingerprint(SHA256()).hex()
        assert (leaves(desk, PIN), policy.makers) == (before + 1, [maker.root])
        # An authority below it may follow alone: its root is pinned.
        item = await makers.pin(MAKERS_BY_HAND, pem(maker.signer), actor=ACTOR, request_id=None)
        assert len(item.certificates) == 2
        item = await makers.pin(MAKERS_BY_HAND, pem(other.signer, other.root), actor=ACTOR, request_id=None)
        assert len(item.certificates) == 4
        await makers.pin(YUBICO, None, actor=ACTOR, request_id=None)
        assert [one.pinned for one in pinned(desk)[0].listing().items] == [True, True]
        item = await makers.unpin(MAKERS_BY_HAND, actor=ACTOR, request_id=None)
        assert (item.pinned, item.certificates) == (False, [])
        assert [one.maker_id for one in makers.listing().items if one.pinned] == [YUBICO]
        await makers.unpin(YUBICO, actor=ACTOR, request_id=None)
        assert not (desk.site.data_dir / policies.MAKERS).exists()

    before = leaves(desk, PIN)
    asyncio.run(main())


def test_what_has_no_root_left_goes_with_it(desk: Desk) -> None:
    """An authority of a shipped maker, pinned beside it, attests nothing without its root."""
    makers, policy = pinned(desk)
    maker = Maker()
    path = desk.site.data_dir / policies.MAKERS

    async def main() -> None:
        await makers.pin(MAKERS_BY_HAND, pem(maker.root, maker.signer), actor=ACTOR, request_id=None)
        makers._shipped = {"maker": CardMaker("maker", "Maker", "Keys", "-", date(2026, 1, 1), (pem(maker.root),))}
        assert not (await makers.unpin("maker", actor=ACTOR, request_id=None)).pinned
        assert (policy.makers, path.exists()) == (None, False)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("sent", "word"),
    [
        (lambda: None, "Send the certificates"),
        (lambda: "no certificate", "BEGIN CERTIFICATE"),
        (lambda: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "can be read"),
        (lambda: "-----BEGIN PRIVATE KEY-----\n" + pem(Maker().root), "private key"),
        (lambda: pem(Maker(years=-1).root), "ended on"),
        (lambda: pem(Maker().signer), "nor pinned"),
        (lambda: pem(Maker().root, Maker().signer), "nor pinned"),
        (lambda: pem(root(BasicConstraints(ca=False, path_length=None))), "no authority"),
        (lambda: pem(root(None)), "does not say"),
        (lambda: pem(*shipped()), "pin yubico-piv instead"),
        (lambda: pem(*[Maker().root] * 17), "At most 16"),
    ],
    ids=[
        "nothing",
        "no PEM",
        "rubbish",
        "key",
        "over",
        "orphan",
        "another's",
        "no authority",
        "silent",
        "ships",
        "many",
    ],
)
def test_what_is_no_authority_is_not_pinned(desk: Desk, sent: Callable[[], str | None], word: str) -> None:
    """422 at the field; no leaf, no file."""
    makers, policy = pinned(desk)
    before = leaves(desk, PIN)
    with pytest.raises(Problem, match=word) as refused:
        asyncio.run(makers.pin(MAKERS_BY_HAND, sent(), actor=ACTOR, request_id=None))
    assert (refused.value.code, refused.value.errors[0].pointer) == ("invalid_body", "/ca")
    assert (policy.makers, leaves(desk, PIN)) == (None, before)
    assert not (desk.site.data_dir / policies.MAKERS).exists()


def root(constraints: BasicConstraints | None) -> Certificate:
    """A root that says this, or nothing, of being an authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    built = CertificateBuilder().subject_name(name("Old root")).issuer_name(name("Old root"))
    built = built.public_key(key.public_key()).serial_number(random_serial_number())
    built = built.not_valid_before(datetime(2020, 1, 1, tzinfo=UTC)).not_valid_after(datetime(2050, 1, 1, tzinfo=UTC))
    if constraints is not None:
        built = built.add_extension(constraints, critical=True)
    return built.sign(key, SHA256())


def shipped() -> list[Certificate]:
    """The authorities of the maker that ships."""
    (maker,) = card_makers(CARD_MAKERS.read_bytes())
    return maker.certificates


def test_a_shipped_maker_takes_no_other_certificates(desk: Desk) -> None:
    """Somebody who sends some means another maker."""
    makers, policy = pinned(desk)
    with pytest.raises(Problem, match="ship with the program") as refused:
        asyncio.run(makers.pin(YUBICO, pem(Maker().root), actor=ACTOR, request_id=None))
    assert (refused.value.code, policy.makers) == ("invalid_body", None)


def test_a_real_site_pins_no_training_maker(desk: Desk) -> None:
    """What attests software cards proves nothing of real ones; a training site may pin it."""
    makers, policy = pinned(desk)
    training = pem(TrainingMaker.create().certificate)
    makers._training = False
    with pytest.raises(Problem, match="training site"):
        asyncio.run(makers.pin(MAKERS_BY_HAND, training, actor=ACTOR, request_id=None))
    makers._training = True
    asyncio.run(makers.pin(MAKERS_BY_HAND, training, actor=ACTOR, request_id=None))
    assert policy.makers is not None
    asyncio.run(makers.unpin(MAKERS_BY_HAND, actor=ACTOR, request_id=None))


def test_declared_is_advised_where_it_helps(production: Desk) -> None:
    """Who follows the advice has the card written."""
    policy = FipsPolicy(FipsPolicy.open(production.site).modules, None, AcceptancePolicy("declared"))

    async def main() -> None:
        node = production.node()
        async with production.running({READER: SoftwareCard(serial=21)}, fips=policy) as table:
            assert "declare its validation in the stock" in (await table.refused(node, "21")).detail
            await table.service.stock.put("21", ElementBody(product="Card", validation=LEVEL_2), actor=ACTOR)
            await table.done(node, "21")

    asyncio.run(main())


def test_a_pin_is_advised_where_no_declaration_helps(production: Desk) -> None:
    """By default a declaration does not reach what the site asks for: the advice is another, and goes once followed."""

    async def main() -> None:
        node = production.node()
        async with production.running({READER: SoftwareCard(serial=22)}) as table:
            for declared in (None, LEVEL_2):
                await table.service.stock.put("22", ElementBody(product="Card", validation=declared), actor=ACTOR)
                detail = (await table.refused(node, "22")).detail
                assert "declare its" not in detail
                assert "pin the maker" in detail
            await table.service.makers.pin(YUBICO, None, actor=ACTOR, request_id=None)
            detail = (await table.refused(node, "22")).detail
            assert "pin the maker" not in detail
            assert "Use another element" in detail
            await table.service.stock.put("22", ElementBody(product="Card", validation=LEVEL_2), actor=ACTOR)

    asyncio.run(main())


def test_what_the_stock_declares_too_low_is_to_be_corrected(production: Desk) -> None:
    """A declared level below the demand."""
    policy = FipsPolicy(FipsPolicy.open(production.site).modules, None, AcceptancePolicy("declared"))

    async def main() -> None:
        node = production.node()
        async with production.running({READER: SoftwareCard(serial=23)}, fips=policy) as table:
            await table.service.stock.put("23", ElementBody(product="Card", validation=LEVEL_1), actor=ACTOR)
            assert "correct its declaration" in (await table.refused(node, "23")).detail
            await table.service.stock.put("23", ElementBody(product="Card", validation=LEVEL_2), actor=ACTOR)
            await table.done(node, "23")

    asyncio.run(main())


@pytest.mark.parametrize("listed", [True, False], ids=["in the module table", "declared alone"])
def test_a_written_card_is_judged_by_each_calls_demand(production: Desk, listed: bool) -> None:
    """The same or an easier demand gets the stored reply with its verdict; a harder one is 422, and audited."""
    policy = FipsPolicy(FipsPolicy.open(production.site).modules, None, AcceptancePolicy("declared"))

    async def main() -> None:
        node = production.node()
        module = next(row for row in policy.modules if row.standard == "FIPS 140-3")
        assert module.level is not None
        declared = Declared1403(
            certificate=module.certificate if listed else "9999", level=module.level, physical=module.physical or 1
        )
        async with production.running({READER: SoftwareCard(serial=24)}, fips=policy) as table:
            await table.service.stock.put("24", ElementBody(product="Card", validation=declared), actor=ACTOR)
            first = await table.done(node, "24")
            for easier in ("FIPS 140-3 Level 1", "140-3"):
                reply, status = await table.call(node, "24", easier)
                assert (status, reply.provision_id, reply.fips.verdict) == (200, first.provision_id, "MET")
            for _ in range(3):
                problem = await table.refused(node, "24", "FIPS 140-3 Level 4")
                assert (problem.code, problem.status) == ("fips_not_met", 422)
                assert problem.extra["provision_id"] == first.provision_id
                said = problem.extra["fips"]
                assert isinstance(said, dict)
                assert (said["required"], said["verdict"]) == ("FIPS 140-3 Level 4", "NOT_MET")
            assert leaves(production, "provisioning.refuse") == 3
            await table.remove()
            assert (await table.refused(node, "24", "FIPS 140-3 Level 4")).code == "fips_not_met"

    asyncio.run(main())
