"""The training site's operators: one for each role, who sign in and are two persons to each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.api.roles import Role
from app.training.messages import PASSPHRASE
from app.training.operators import OPERATORS, training_operator_id
from tests.operator_desk import SignedInOperator, register_unit, sign_in
from tests.served_site import ServedSite

APPROVALS = "/v1/citadel/uac/approvals"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site with a unit."""
    with ServedSite.laid_out(tmp_path_factory.mktemp("training-operators") / "site").running() as served:
        register_unit(served)
        yield served


def operator(site: ServedSite, name: str) -> SignedInOperator:
    """A signed-in training operator."""
    operator_id = training_operator_id(name)
    return SignedInOperator(site, operator_id, sign_in(site, operator_id, PASSPHRASE))


def test_there_is_one_for_each_role(site: ServedSite) -> None:
    """Each a training person who holds a card, of a line of its own."""
    items = site.get("/v1/registry/operators")["items"]
    shown = {item["display_name"]: item for item in items}
    assert set(shown) == {name for name, _, _ in OPERATORS}
    assert {role for _, role, _ in OPERATORS} == set(Role)
    for name, role, node_id in OPERATORS:
        one = shown[name]
        assert (one["roles"], one["node_id"], one["methods"], one["line"]) == (
            [role],
            node_id,
            ["card", "passphrase"],
            [],
        )
        cards = [card for card in site.get(f"/v1/registry/nodes/{node_id}")["credentials"] if card["card_guid"]]
        assert cards


@pytest.mark.parametrize("name", [name for name, _, _ in OPERATORS])
def test_each_signs_in(site: ServedSite, name: str) -> None:
    """By the passphrase that the program tells."""
    assert operator(site, name).session["display_name"] == name


def test_two_of_them_are_four_eyes(site: ServedSite) -> None:
    """The desk asks, the administrator approves; the badge office may not, and the desk itself neither."""
    desk, office = operator(site, "Training desk"), operator(site, "Training badge office")
    admin = operator(site, "Training administrator")
    wish = {"kind": "mass_burn", "subjects": ["ARC-T0050"], "reason": "x"}
    path = f"{APPROVALS}/{desk.call('POST', APPROVALS, wish).json()['approval_id']}/approve"
    assert desk.call("POST", path).json()["code"] == "state_conflict"
    assert office.call("POST", path).json()["code"] == "insufficient_clearance"
    done = admin.call("POST", path).json()
    assert (done["state"], done["approved_by_name"]) == ("APPROVED", "Training administrator")


def test_a_second_start_adds_nobody(site: ServedSite) -> None:
    """What was changed since stays so. The last test of this site."""
    path = f"/v1/registry/operators/{training_operator_id('Training manager')}"
    assert site.client.delete(path).status_code == 200
    site.stop()
    site.start()
    assert site.get(path)["state"] == "ended"
    assert len(site.get("/v1/registry/operators")["items"]) == len(OPERATORS)
