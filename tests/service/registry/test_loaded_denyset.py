"""The deny set that a start reads from the store."""

from __future__ import annotations

from pathlib import Path

from app.registry.messages.profiles import CredentialBody
from app.registry.profiles import credential_of
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
