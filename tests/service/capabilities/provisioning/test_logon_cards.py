"""Cards of a site with a policy for logon to computers, beside those that it wrote before."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID

from app.pki.authority import PRINCIPAL_NAME, SECURITY_EXTENSION, SMART_CARD_LOGON
from app.registry.messages.nodes import DirectoryAccount
from app.site.settings import CardLogon
from hardware.cards.software import SoftwareCard
from tests.service.capabilities.provisioning.card_desk import READER, Desk

SID = "S-1-5-21-1-2-3-1104"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk of its own: its settings change."""
    made = Desk(tmp_path / "site")
    yield made
    made.close()


def names(certificate: x509.Certificate) -> x509.SubjectAlternativeName:
    """The alternative names."""
    return certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value


def test_a_site_that_sets_a_policy_writes_it_on_new_cards_alone(desk: Desk) -> None:
    """The record's account, e-mail and SID stand on 9A of the next card, nothing of them on 9E; the card of before
    stays its holder's, with the certificates that it has."""

    def written(provision_id: str) -> dict[str, x509.Certificate]:
        rows = desk.certificates(provision_id, live=True)
        return {row.slot: x509.load_der_x509_certificate(row.certificate) for row in rows}

    async def main() -> None:
        accounts = [DirectoryAccount(directory_id="ad", account="asmith")]
        before = desk.node()
        holder = desk.node("ARC-LOGON-1", email="alice@mail.example", directory_accounts=accounts)
        async with desk.running({READER: SoftwareCard(serial=301)}) as table:
            old = await table.done(before, "301")
        wanted = CardLogon(
            smart_card=True,
            upn_suffix="corp.example",
            account_directory="ad",
            email=True,
            security_identifiers={holder: SID},
            policies=("2.25.7.1",),
        )
        desk.site = replace(desk.site, settings=msgspec.structs.replace(desk.site.settings, card_logon=wanted))
        async with desk.running({READER: SoftwareCard(serial=302)}) as table:
            new = await table.done(holder, "302")
            again = await table.done(holder, "302")
            assert again.provision_id == new.provision_id
        for slot, certificate in written(old.provision_id).items():
            assert SMART_CARD_LOGON not in certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
            assert len(names(certificate)) == 2, slot
        found = written(new.provision_id)
        assert sorted(found) == ["9A", "9C", "9D", "9E"]
        (principal,) = names(found["9A"]).get_values_for_type(x509.OtherName)
        assert (principal.type_id, principal.value) == (PRINCIPAL_NAME, b"\x0c\x13asmith@corp.example")
        purposes = found["9A"].extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        assert list(purposes) == [ExtendedKeyUsageOID.CLIENT_AUTH, SMART_CARD_LOGON]
        sid = found["9A"].extensions.get_extension_for_oid(SECURITY_EXTENSION).value
        assert isinstance(sid, x509.UnrecognizedExtension)
        assert sid.value.endswith(SID.encode())
        for slot in ("9A", "9C", "9D"):
            assert names(found[slot]).get_values_for_type(x509.RFC822Name) == ["alice@mail.example"]
        der = written(new.provision_id)["9E"].public_bytes(Encoding.DER)
        for word in (b"asmith", b"alice", SID.encode(), holder.encode()):
            assert word not in der

    asyncio.run(main())
