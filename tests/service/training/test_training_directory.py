"""The training site's directory: the connector, and what independent SCIM models say of its answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scim2_models import EnterpriseUser, Error, Group, ListResponse, ServiceProviderConfig, User

from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.connector import AttemptSubject, Refusal, Tools
from app.capabilities.burn.targets.scim import Scim
from app.delivery.outbound import Outbound
from app.registry.directories import DirectoryRow
from app.training.directory.accounts import FILE, Accounts, Person, ScimError, first_accounts
from app.training.directory.process import TrainingDirectory
from tests.served_site import ServedSite

PEOPLE = [
    Person(f"T-{number:04}", f"training.person.{number:02}", f"Training Person {number:02}") for number in range(1, 4)
]
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


class Running:
    """A started directory as its administrator calls it."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token
        self._http = httpx.AsyncClient(trust_env=False)

    async def ask(self, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        """One call with the token, unless another is given."""
        fields = {"Authorization": f"Bearer {self.token}", **headers}
        return await self._http.request(method, self.url + path, json=body, headers=fields)

    async def close(self) -> None:
        """Lets go of its connections."""
        await self._http.aclose()

    async def patch(self, path: str, *operations: object, **headers: str) -> httpx.Response:
        """One PATCH of these operations."""
        return await self.ask("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)}, **headers)


def served(data_dir: Path, work: Callable[[Running], Awaitable[None]], *, port: int = 0) -> str:
    """Runs ``work`` beside a started directory; its address."""

    async def run() -> str:
        directory = TrainingDirectory(data_dir, training=True)
        url, token = await directory.start(PEOPLE, port)
        try:
            at = Running(url, token)
            await work(at)
            await at.close()
        finally:
            await directory.stop()
        return url

    return asyncio.run(run())


def row(at: Running) -> DirectoryRow:
    """As the registry holds it."""
    return DirectoryRow("d", "scim", "d", at.url, at.token, None, None, None, None, None, 5.0, ("drill",))


def connector(http: Outbound) -> Scim:
    """What a burn calls it with."""
    return Scim(Tools(http, None, "training.site.invalid", True))  # type: ignore[arg-type]


FACTS = BurnFacts("burn_1", "ARC-T0001", "GLOBAL_REVOCATION", 1, "test", 0, True)


def test_the_connector_locks_and_reads_back(tmp_path: Path) -> None:
    """Found by its employee number, locked, out of both groups; the second time it is so already."""

    async def work(at: Running) -> None:
        http = Outbound()
        try:
            scim = connector(http)
            assert (await scim.probe(row(at), 5.0)).startswith("SCIM 2.0 with PATCH")
            who = AttemptSubject("ARC-T0001", None, None, "T-0001")
            first, second = [await scim.revoke(row(at), who, FACTS, 5.0) for _ in range(2)]
            assert (first.state, first.evidence) == (
                "revoked",
                'active=false read back, version W/"2"; left 2 groups',
            )
            assert second.state == "already"
            for named in ("T-0002", "id:training-user-02", "userName:TRAINING.person.02"):
                assert (await scim.revoke(row(at), AttemptSubject("X", named, None, None), FACTS, 5.0)).answered
            with pytest.raises(Refusal, match="no account there"):
                await scim.revoke(row(at), AttemptSubject("X", "T-9999", None, None), FACTS, 5.0)
        finally:
            await http.close()

    served(tmp_path, work)


def test_answers_are_scim(tmp_path: Path) -> None:
    """Independent models take every kind of answer; a page says how many there are in all."""

    async def work(at: Running) -> None:
        config = ServiceProviderConfig.model_validate((await at.ask("GET", "/ServiceProviderConfig")).json())
        assert config.patch is not None
        assert config.patch.supported
        users = (await at.ask("GET", "/Users?startIndex=2&count=1")).json()
        page = ListResponse[User[EnterpriseUser]].model_validate(users)
        assert (page.total_results, page.start_index, page.items_per_page) == (3, 2, 1)
        assert page.resources is not None
        assert page.resources[0].external_id == "T-0002"
        group = Group.model_validate((await at.ask("GET", "/Groups/training-group-1")).json())
        assert group.members is not None
        assert len(group.members) == 3
        error = Error.model_validate((await at.ask("GET", "/Users?filter=userName%20sw%20%22t%22")).json())
        assert (error.status, error.scim_type) == (400, "invalidFilter")

    served(tmp_path, work)


def test_what_is_done_is_kept_over_a_restart(tmp_path: Path) -> None:
    """Who is locked stays so, under the same token, and at the same port where it is free."""

    async def lock(at: Running) -> None:
        done = await at.patch("/Users/training-user-01", {"op": "replace", "path": "active", "value": False})
        assert (done.status_code, done.json()["active"]) == (200, False)
        tokens.append(at.token)

    async def look(at: Running) -> None:
        user = (await at.ask("GET", "/Users/training-user-01?attributes=active,meta")).json()
        assert (user["active"], user["meta"]["version"]) == (False, 'W/"2"')
        assert "userName" not in user
        tokens.append(at.token)

    tokens: list[str] = []
    first = served(tmp_path, lock)
    assert served(tmp_path, look, port=httpx.URL(first).port or 0) == first
    assert tokens[0] == tokens[1]
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert json.loads((tmp_path / FILE).read_text())["training"] == "TRAINING"


def test_refusals_say_what_they_are(tmp_path: Path) -> None:
    """No token, a stale version, a wrong body, a call that is not served: each its status, and nothing changes."""

    async def work(at: Running) -> None:
        lock = {"op": "replace", "path": "active", "value": False}
        path = "/Users/training-user-01"
        before = (await at.ask("GET", path)).json()
        assert (await at.ask("GET", "/Users", Authorization="Bearer x")).status_code == 401
        assert (await at.patch(path, lock, **{"If-Match": 'W/"9"'})).status_code == 412
        assert (await at.patch(path, {"op": "replace", "path": "active", "value": "no"})).status_code == 400
        assert (await at.patch(path, lock, {"op": "add", "path": "userName", "value": "x"})).status_code == 400
        assert (await at.ask("PATCH", path, {"Operations": [lock]})).status_code == 400
        assert (await at.ask("PATCH", "/Users/nobody", {"schemas": [PATCH], "Operations": [lock]})).status_code == 404
        assert (await at.ask("POST", "/Users", {})).status_code == 501
        assert (await at.ask("PATCH", path, {"x": "y" * 70_000})).status_code == 413
        stranger = {"op": "add", "path": "members", "value": [{"value": "nobody"}]}
        assert (await at.patch("/Groups/training-group-1", stranger)).status_code == 400
        assert (await at.ask("GET", path)).json() == before

    served(tmp_path, work)


def test_production_has_none(tmp_path: Path) -> None:
    """A simulated directory there would be a lie."""
    with pytest.raises(ValueError, match="training"):
        TrainingDirectory(tmp_path, training=False)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    """The remedy stands in the error; the file is not overwritten."""
    (tmp_path / FILE).write_text("{")

    async def nothing(_at: Running) -> None:
        raise AssertionError

    with pytest.raises(RuntimeError, match="delete it"):
        served(tmp_path, nothing)
    assert (tmp_path / FILE).read_text() == "{"


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
operations = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "replace", "remove", "Remove"]) | st.text(max_size=4)},
    optional={
        "path": st.sampled_from(["active", "members", 'members[value eq "training-user-01"]', "displayName"])
        | st.text(max_size=12),
        "value": json_values,
    },
)


@settings(max_examples=150)
@given(
    kind=st.sampled_from(["Users", "Groups"]),
    body=st.fixed_dictionaries({"schemas": st.just([PATCH]), "Operations": st.lists(operations, max_size=3)})
    | json_values,
    wanted=st.text(max_size=30) | st.sampled_from(['id eq "x', "active eq true", 'externalId eq "\\u12"']),
)
def test_whatever_is_sent_is_refused_or_keeps_its_shape(
    tmp_path_factory: pytest.TempPathFactory, kind: str, body: object, wanted: str
) -> None:
    """Nothing but a ``ScimError`` gets out, and what is held stays of its schema."""
    path = tmp_path_factory.mktemp("held") / FILE
    path.write_bytes(first_accounts(PEOPLE))
    accounts = Accounts(path)
    item_id = "training-user-01" if kind == "Users" else "training-group-1"
    for work in (lambda: accounts.search(kind, wanted), lambda: accounts.patch(kind, item_id, body, None)):
        with contextlib.suppress(ScimError):
            work()
    held = Accounts(path)
    for user in held.search("Users", None):
        User.model_validate(user)
        assert isinstance(user["active"], bool)
    for group in held.search("Groups", None):
        assert {member["value"] for member in group["members"]} <= {f"training-user-{n:02}" for n in range(1, 4)}


def test_a_burn_in_training_locks_the_account(tmp_path: Path) -> None:
    """The served site burns its first person: the directory's target is revoked and read back, a drill reaches it too,
    and a restart registers it again without a leaf where nothing has changed."""
    site = ServedSite.laid_out(tmp_path / "site", "--no-pcsc", "--profile", "training")
    with site.running():
        site.wait_for_doors()
        registered = site.get("/v1/registry/directories/training-directory")
        assert (registered["kind"], registered["tags"], registered["secret"]["set"]) == ("scim", ["drill"], True)
        for node_id in ("ARC-T0001", "ARC-T0060"):
            burn = site.post(
                "/v1/citadel/uac/burn",
                {"node_id": node_id, "scope": "GLOBAL_REVOCATION", "reason": "test"},
                Prefer="wait=20",
            ).json()
            found = [target for target in burn["targets"] if target["kind"] == "scim"]
            assert [target["state"] for target in found] == ["revoked"], burn["state"]
            assert "active=false read back" in found[0]["evidence"]
    with site.running():
        again = site.get("/v1/registry/directories/training-directory")
        assert again["secret"] == registered["secret"]
        held = json.loads((site.data_dir / FILE).read_bytes())
        assert sorted(u["externalId"] for u in held["users"].values() if not u["active"]) == ["T-0001", "T-0060"]
