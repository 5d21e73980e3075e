"""The deny set that a start reads from the store."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from app.registry.denyset import first_number, next_epoch
from app.registry.messages.profiles import CredentialBody
from app.registry.profiles import credential_of
from app.registry.tables import access_epoch
from tests.door_site import GUID, door_site

OTHER_GUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


def test_after_a_start_a_denial_takes_the_nodes_own_cards_alone(tmp_path: Path) -> None:
    """Each node holds what its profiles name, and nothing of its neighbour's."""
    with door_site(tmp_path / "site") as site:
        site.cluster("east", 1)
        site.person("ARC-1", clusters=["east"])
        site.person("ARC-2", clusters=["east"], guid=OTHER_GUID)
    hers, his = (credential_of(CredentialBody(format="piv-guid", card_guid=guid)) for guid in (GUID, OTHER_GUID))
    with door_site(tmp_path / "site") as site:
        deny = site.registry.deny
        assert (deny.denies_credential(hers), deny.denies_credential(his)) == (None, None)
        deny.deny("ARC-1", "burn", "burn_1")
        found = deny.denies_credential(hers)
        assert found is not None
        assert (found.node_id, found.reference) == ("ARC-1", "burn_1")
        assert deny.denies_credential(his) is None


def test_a_denial_counts_an_epoch_and_its_rows_go_with_it(tmp_path: Path) -> None:
    """Each change of who may pass is the next number, durable with the rows; the memory follows the commit."""
    with door_site(tmp_path / "site") as site:
        site.cluster("east", 1)
        site.person("ARC-1", clusters=["east"])
        deny, card = site.registry.deny, credential_of(CredentialBody(format="piv-guid", card_guid=GUID))
        before = deny.epoch
        submit = site.store.writer.submit
        entry = deny.deny("ARC-1", "containment", "hold_1")
        assert (entry.cause, entry.reference, entry.node_id, entry.epoch) == (
            "containment",
            "hold_1",
            "ARC-1",
            before + 1,
        )
        assert submit(lambda tx: deny.store(tx, "ARC-1", "containment", "hold_1")).result() == (before + 1, 1)
        assert deny.epoch == before + 1
        assert deny.credentials_of("ARC-1") == (card,)
        deny.deny("ARC-1", "burn", "burn_1")
        assert submit(lambda tx: deny.store(tx, "ARC-1", "burn", "burn_1")).result() == (before + 2, 1)
        assert submit(lambda tx: deny.remove(tx, "ARC-1", "containment", "hold_1")).result() == before + 3
        assert (deny.epoch, deny.causes("ARC-1"), len(deny)) == (before + 3, {"burn"}, 1)
        kept = submit(lambda tx: deny.remove(tx, "ARC-1", "burn", "burn_1", credentials=False)).result()
        assert (kept, deny.denies_node("ARC-1"), len(deny)) == (before + 4, None, 0)
        found = deny.denies_credential(card)
        assert found is not None
        assert (found.cause, found.reference) == ("burn", "burn_1")
    with door_site(tmp_path / "site") as site:
        deny = site.registry.deny
        assert (deny.epoch, deny.denies_node("ARC-1"), deny.denies_node("ARC-2")) == (before + 4, None, None)
        assert deny.denies_credential(card) is not None
        with site.store.read() as connection:
            assert connection.execute(select(access_epoch)).all() == [(1, before + 4)]


def test_an_epoch_is_counted_beyond_that_of_an_earlier_generation(tmp_path: Path) -> None:
    """After a restore readers have seen higher numbers than the backup knows: counting goes on above those."""
    assert [first_number(generation) for generation in (1, 2, 3)] == [0, 10**12, 2 * 10**12]
    with door_site(tmp_path / "site") as site:
        submit = site.store.writer.submit
        assert site.registry.deny.epoch == 0
        assert submit(next_epoch).result() == 1
        assert submit(lambda tx: next_epoch(tx, 10**12)).result() == 10**12 + 1
        assert submit(next_epoch).result() == 10**12 + 2
        assert submit(lambda tx: next_epoch(tx, 7)).result() == 10**12 + 3
