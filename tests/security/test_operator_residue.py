"""Nothing of a passphrase or of a session's key stays: not in the service's memory, its files or its log."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api.keys import make_session_key
from app.api.roles import Role
from tests.memory_scan import Needles
from tests.operator_desk import SignedInOperator, encode, make_operator, register_unit, sign_in
from tests.served_site import ServedSite

TIMES = 10


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site with a unit."""
    with ServedSite.laid_out(tmp_path_factory.mktemp("residue") / "site").running() as served:
        register_unit(served)
        yield served


@pytest.mark.parametrize("length", [40, 600])
def test_a_passphrase_leaves_nothing(site: ServedSite, length: int) -> None:
    """Set, used, wrong, changed, refused: it is in no memory that the process can write to and in no file of it. Short
    ones are an HMAC's key as they are, long ones are hashed first."""
    passphrases = [secrets.token_urlsafe(length)[:length] for _ in range(4)]
    operator_id = make_operator(site, Role.DESK)
    right, wrong, following, refused = passphrases
    path = f"/v1/registry/operators/{operator_id}/passphrase"
    assert site.put(path, {"passphrase": encode(right)}).status_code == 200
    for _ in range(TIMES):
        operator = SignedInOperator(site, operator_id, sign_in(site, operator_id, right))
        assert sign_in(site, operator_id, wrong).status_code == 403
    body = {"current": encode(right), "passphrase": encode(following)}
    assert operator.call("POST", "/v1/operators/session/passphrase", body).status_code == 200
    # Whole, and refused after it was decoded, or before.
    assert site.put(path, {"passphrase": encode(refused + "\t")}).status_code == 422
    assert site.put(path, {"passphrase": encode(refused), "more": 1}).status_code == 422
    site.wait(lambda: "arc_changes_in_progress 0" in _metrics(site) or "changes_in_progress 0" in _metrics(site))
    assert site.log.exists()
    for passphrase in passphrases:
        needles = Needles.of(passphrase.encode())
        assert needles.in_process(site.pid) == set()
        assert needles.in_files(site.data_dir, site.log.parent) == set()


def _metrics(site: ServedSite) -> str:
    return site.client.get("/metrics").text


def test_a_session_key_is_in_no_file(site: ServedSite) -> None:
    """Of an open session and of one that ended; nor is one that opened nothing."""
    operator_id = make_operator(site, Role.DESK)
    opened, ended = SignedInOperator(site, operator_id), SignedInOperator(site, operator_id)
    assert ended.call("POST", "/v1/operators/session/sign-out").status_code == 200
    unknown = make_session_key()
    for key in (opened.key, ended.key, unknown):
        site.client.get("/v1/operators/session", headers={"Authorization": f"Bearer {key}"})
        needles = Needles.of(key.encode())
        assert needles.in_files(site.data_dir, site.log.parent) == set()
    assert opened.is_in()
    assert not list(Path(site.data_dir).glob("**/core*"))


def test_a_held_passphrase_would_be_found(site: ServedSite) -> None:
    """The control: what the service does keep of an operator, its name, is found in memory or files."""
    name = secrets.token_urlsafe(60)
    make_operator(site, Role.DESK, name=name)
    site.get("/v1/registry/operators", q=name[:20])
    needles = Needles.of(name.encode())
    assert needles.in_files(site.data_dir)
