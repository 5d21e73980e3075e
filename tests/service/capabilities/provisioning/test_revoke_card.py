"""One lost card ends and its person stays: certificates, doors and secrets, by any of its names, as often as asked."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from unittest.mock import patch

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from sqlalchemy import select

from app.api.problems import Problem
from app.capabilities.credentials.doors import Doors
from app.capabilities.credentials.messages import SyncBody
from app.capabilities.credentials.service import CredentialService
from app.capabilities.provisioning.card_revocation import REVOKE_CARD
from app.capabilities.provisioning.issuer.card_certificates import CardRevocations
from app.capabilities.provisioning.messages import RevokedCard
from app.capabilities.provisioning.operations import OPERATIONS
from app.pki.crl import RevocationList, RevocationLists
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from app.registry.messages.profiles import CredentialBody, CredentialProfileBody
from app.registry.profiles import credential_of
from app.registry.tables import profile_credential
from hardware.cards.software import SoftwareCard, Tear, TearPoint
from tests.door_site import until
from tests.service.capabilities.provisioning.card_desk import ACTOR, READER, CardTable, Desk, GatedCard
from tests.service.capabilities.provisioning.test_certificate_check import LATE, faults
from tests.service.capabilities.provisioning.test_provision_tears import tear


async def revoke(table: CardTable, name: str) -> RevokedCard:
    return await table.service.revoker.revoke(name, "lost in the canteen", actor=ACTOR, request_id="req_test")


def newest(desk: Desk) -> RevocationList:
    found = desk.lists.newest()
    assert found is not None
    return found


def entries(desk: Desk) -> dict[int, x509.ReasonFlags]:
    """What the newest list says."""
    return {
        entry.serial_number: entry.extensions.get_extension_for_class(x509.CRLReason).value.reason
        for entry in x509.load_der_x509_crl(newest(desk).der)
    }


def serials(desk: Desk, provision_id: str) -> set[int]:
    return {int(row.serial, 16) for row in desk.certificates(provision_id)}


def test_a_lost_card_ends_and_the_other_stays(desk: Desk) -> None:
    """Its certificates are listed as compromised, its PIN is gone and no door takes it; the person's other card and
    standing are as they were. Three calls by three names give one answer and one leaf."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: SoftwareCard(serial=501)}) as table:
            lost = await table.done(node)
            await table.remove()
            await table.insert(SoftwareCard(serial=502))
            other = await table.done(node)
            cluster = ReaderClusterBody(
                display_name="East", readers=[ReaderBody(reader_id="east-1", channel="simulated:", address=1)]
            )
            held = [CredentialBody(format="piv-guid", card_guid=one.card_guid) for one in (lost, other)]
            profile = CredentialProfileBody(node_id=node, clusters=["east"], credentials=held)
            desk.write(lambda tx: desk.registry.clusters.put_in(tx, "east", cluster, ACTOR))
            desk.write(lambda tx: desk.registry.profiles.put_in(tx, "p-1", profile, ACTOR))
            answers = [await revoke(table, name) for name in ("501", lost.card_guid.upper(), "501")]
            first = answers[0]
            assert (first.state, first.certificates, first.node_id) == ("COMPLETE", 4, node)
            assert [(one.provisions, one.revocation_list, one.revoked_at) for one in answers] == [
                ([lost.provision_id], newest(desk).number, first.revoked_at)
            ] * 3
            assert entries(desk) == dict.fromkeys(serials(desk, lost.provision_id), x509.ReasonFlags.key_compromise)
            assert desk.leaves(node).count(REVOKE_CARD) == 1
            assert (desk.rows(lost.provision_id).pin, desk.rows(other.provision_id).pin is None) == (None, False)
            with desk.store.read() as connection:
                assert connection.scalars(select(profile_credential.c.card_guid)).all() == [other.card_guid]
                assert desk.registry.node(connection, node).standing == "VERIFIED_DIGITAL_HUMAN"  # type: ignore[union-attr]
            assert len(desk.certificates(other.provision_id, live=True)) == 4

    asyncio.run(main())
    assert faults(desk) == []


def test_a_torn_card_is_revoked_for_good(desk: Desk) -> None:
    """Torn, its certificates are on hold in the list at once; revoked, the same call begins a new record, and nothing
    gives the old certificates back."""

    async def main() -> None:
        node, card = desk.node(), SoftwareCard(serial=503)
        async with desk.running({READER: card}) as table:
            await desk.lists.start()
            torn = await tear(table, node, card, Tear(LATE, TearPoint.AFTER))
            held = serials(desk, torn)
            await until(lambda: entries(desk).keys() >= held)
            assert held
            assert {entries(desk)[serial] for serial in held} == {x509.ReasonFlags.certificate_hold}
            reply = await revoke(table, "503")
            assert (reply.state, table.service.records.get(torn).state) == ("COMPLETE", "REFUSED")
            assert {entries(desk)[serial] for serial in held} == {x509.ReasonFlags.key_compromise}
            again = await table.done(node)
            assert again.provision_id != torn
            await desk.lists.publish()
            assert {entries(desk)[serial] for serial in held} == {x509.ReasonFlags.key_compromise}
            await desk.lists.stop()

    asyncio.run(main())
    assert faults(desk) == []


def test_nobodys_card_is_not_found(desk: Desk) -> None:
    """A name that no record has, three times."""

    async def main() -> None:
        async with desk.running({}) as table:
            for _ in range(3):
                with pytest.raises(Problem) as refused:
                    await revoke(table, "no-such-card")
                assert refused.value.code == "not_found"

    asyncio.run(main())


def test_a_card_that_is_being_written_is_not_revoked(desk: Desk) -> None:
    """409 while the write is under way, and nothing is changed; afterwards it goes."""

    async def main() -> None:
        node, card = desk.node(), GatedCard(SoftwareCard(serial=504))
        async with desk.running({READER: card}) as table:
            card.arm(40)
            writing = asyncio.create_task(table.done(node, "504"))
            await table.reached(card)
            with pytest.raises(Problem) as refused:
                await revoke(table, "504")
            assert refused.value.code == "state_conflict"
            card.open.set()
            written = await writing
            assert len(desk.certificates(written.provision_id, live=True)) == 4
            assert (await revoke(table, "504")).state == "COMPLETE"

    asyncio.run(main())


def test_without_a_signed_list_nothing_is_claimed(desk: Desk) -> None:
    """PARTIAL without a number while no list can be signed; the same call completes it."""

    async def main() -> None:
        async with desk.running({READER: SoftwareCard(serial=505)}) as table:
            await table.done(desk.node())
            with patch("app.pki.crl.sign_crl", side_effect=OSError("the token is gone")):
                reply = await revoke(table, "505")
            assert (reply.state, reply.revocation_list) == ("PARTIAL", None)
            assert reply.revoked_at is not None
            again = await revoke(table, "505")
            assert (again.state, again.revocation_list) == ("COMPLETE", newest(desk).number)
            assert again.revoked_at == reply.revoked_at

    asyncio.run(main())


def openssl_says(desk: Desk, provision_id: str, place: Path) -> set[str]:
    """What ``openssl verify -crl_check`` says of each certificate of a card, by the newest list."""
    crl, root, leaf = place / "crl.pem", place / "root.pem", place / "leaf.pem"
    crl.write_bytes(x509.load_der_x509_crl(newest(desk).der).public_bytes(Encoding.PEM))
    root.write_bytes(desk.authority.root.certificate.public_bytes(Encoding.PEM))
    said = set()
    for row in desk.certificates(provision_id):
        leaf.write_bytes(x509.load_der_x509_certificate(row.certificate).public_bytes(Encoding.PEM))
        command = ["openssl", "verify", "-crl_check", "-CAfile", root, "-CRLfile", crl, leaf]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        said.add("revoked" if "certificate revoked" in done.stderr else done.stdout.rpartition(": ")[2].strip())
    return said


async def decided(doors: Doors, guid: str) -> tuple[bool, str]:
    """What the door says to the card of this GUID, held to its reader."""
    badge = credential_of(CredentialBody(format="piv-guid", card_guid=guid))
    decision = await asyncio.wrap_future(doors.fleet.present("east-1", badge))
    return decision.grant, decision.reason


def test_openssl_and_the_door_refuse_the_lost_card_alone(desk: Desk, tmp_path: Path) -> None:
    """Both cards of a person are good to OpenSSL and open a door; one is lost, and only the other one still is and
    does."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: SoftwareCard(serial=506)}) as table:
            lost = await table.done(node)
            await table.remove()
            await table.insert(SoftwareCard(serial=507))
            other = await table.done(node)
            readers = [ReaderBody(reader_id="east-1", channel="simulated:", address=1)]
            cluster = ReaderClusterBody(display_name="East", readers=readers)
            held = [CredentialBody(format="piv-guid", card_guid=one.card_guid) for one in (lost, other)]
            profile = CredentialProfileBody(node_id=node, clusters=["east"], credentials=held)
            desk.write(lambda tx: desk.registry.clusters.put_in(tx, "east", cluster, ACTOR))
            desk.write(lambda tx: desk.registry.profiles.put_in(tx, "p-1", profile, ACTOR))
            service = CredentialService(desk.site, desk.store, desk.registry, desk.bus, desk.keys)
            service.load()
            await service.start()
            try:
                await until(lambda: all(one.secure_channel for one in service.doors.fleet.states().values()))
                body = SyncBody(hardware_reader_cluster="east", credential_profile_token="p-1")
                await service.sync(body, actor=ACTOR)
                await desk.lists.publish()
                for one in (lost, other):
                    assert openssl_says(desk, one.provision_id, tmp_path) == {"OK"}
                    assert await decided(service.doors, one.card_guid or "") == (True, "granted")
                await revoke(table, "506")
                await service.doors.settle()
                assert await decided(service.doors, lost.card_guid or "") == (False, "unknown_credential")
                assert await decided(service.doors, other.card_guid or "") == (True, "granted")
                assert openssl_says(desk, lost.provision_id, tmp_path) == {"revoked"}
                assert openssl_says(desk, other.provision_id, tmp_path) == {"OK"}
            finally:
                await service.stop()

    asyncio.run(main())


def test_a_service_that_dies_before_the_list_signs_it_at_its_start(desk: Desk) -> None:
    """The order is one transaction: what a killed service left of it is whole, and the next start lists it."""

    async def main() -> None:
        async with desk.running({READER: SoftwareCard(serial=508)}) as table:
            written = await table.done(desk.node())
            with patch.object(desk.lists, "publish", side_effect=OSError("killed")):
                assert (await revoke(table, "508")).state == "PARTIAL"
        again = RevocationLists(desk.store, desk.authority.root, lifetime_s=3600.0)
        again.add_source(CardRevocations())
        await again.start()
        try:
            await until(
                lambda: (found := again.newest()) is not None and found.names(serials(desk, written.provision_id))
            )
        finally:
            await again.stop()

    asyncio.run(main())


def test_only_citadel_may() -> None:
    """As a burn: the clearance and the bucket of burns."""
    row = next(row for row in OPERATIONS if row.name == "provisioning.revoke_card")
    assert (row.clearance.value, row.rate.value) == ("citadel", "burn")
