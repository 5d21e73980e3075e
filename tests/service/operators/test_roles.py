"""All operations and all roles: the checked-in matrix, the operation table and a running service agree."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

import httpx
import pytest

from app.api.operation import Clearance
from app.api.roles import ANY_ROLE, Role
from app.service.assembly import TABLE
from tests.operator_desk import SignedInOperator, make_operator, register_unit
from tests.served_site import ServedSite
from tests.service.operators.role_matrix import FILE, matrix


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site with a unit."""
    with ServedSite.laid_out(tmp_path_factory.mktemp("roles") / "site").running() as served:
        register_unit(served)
        yield served


def test_the_matrix_is_that_of_the_table() -> None:
    """What is checked in is what the rows say; ``role_matrix.py`` writes it anew."""
    assert FILE.read_text() == matrix()


def test_open_rows_are_for_everybody() -> None:
    """A row that needs no key asks no operator for a role."""
    assert all(row.roles == ANY_ROLE for row in TABLE if row.clearance is Clearance.OPEN)


def test_no_role_does_everything() -> None:
    """Each role is refused something, and each operation has somebody who may call it."""
    assert all(any(role not in row.roles for row in TABLE) for role in Role)
    assert all(row.roles for row in TABLE)


def test_table_and_service_agree(site: ServedSite) -> None:
    """Every operation is called by an operator of each single role. The call is one that nobody can make (a text where
    JSON belongs, or a body where none does), so that it is refused after its role was judged and changes nothing."""
    with FILE.open() as file:
        wanted = {line["operation"]: {role for role in Role if line[role]} for line in csv.DictReader(file)}
    found: dict[str, set[Role]] = {row.name: set() for row in TABLE}
    for role in Role:
        operator = SignedInOperator(site, make_operator(site, role))
        for row in TABLE:
            answer = _refusal(operator, row.method, re.sub(r"\{(\w+)(\.\.\.)?\}", "x0", row.path))
            assert answer.status_code in (400, 403, 404, 415, 422), (row.name, answer.text)
            if answer.json()["code"] != "insufficient_clearance":
                found[row.name].add(role)
            else:
                assert f"role {' or '.join(one for one in Role if one in row.roles)}:" in answer.json()["detail"]
    assert found == wanted


def _refusal(operator: SignedInOperator, method: str, path: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {operator.key}", "Content-Type": "text/plain"}
    return operator.site.client.request(method, path, headers=headers, content=b"nothing")


def test_a_partner_is_judged_by_clearance_alone(site: ServedSite) -> None:
    """With the keys of before: Sovereign is refused exactly the Citadel rows, Citadel nothing."""
    for clearance in ("sovereign", "citadel"):
        key = site.key_of_another(clearance)  # type: ignore[arg-type]
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "text/plain"}
        for row in TABLE:
            path = re.sub(r"\{(\w+)(\.\.\.)?\}", "x0", row.path)
            answer = site.client.request(row.method, path, headers=headers, content=b"nothing")
            refused = answer.json()["code"] == "insufficient_clearance"
            assert refused == (clearance == "sovereign" and row.clearance is Clearance.CITADEL), row.name
            if refused:
                assert answer.json()["detail"] == "This call needs a Citadel key: ask for one."
