"""The registry's terminals: what they may say of themselves, and what stands in their way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.api.problems import Problem
from app.biometrics.messages import TemplateRegistryBody
from app.registry.messages.terminals import Terminal, TerminalBody
from tests.door_site import ACTOR, DoorSite, door_site

X = "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"
Y = "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
KEY = {"kty": "EC", "crv": "P-256", "x": X, "y": Y}
OFF_THE_CURVE = {**KEY, "y": "5" + Y[1:]}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A fresh training site; no reader is driven."""
    with door_site(tmp_path / "site") as made:
        yield made


def put(site: DoorSite, terminal_id: str, **fields: Any) -> tuple[Terminal, bool]:
    """PUTs a terminal; what comes back."""
    body = msgspec.convert({"kind": "keystone", **fields}, TerminalBody)
    return asyncio.run(site.registry.terminals.put(terminal_id, body, actor=ACTOR))


def refusal(site: DoorSite, terminal_id: str, **fields: Any) -> str:
    """Code and pointer of what is wrong."""
    with pytest.raises(Problem) as refused:
        put(site, terminal_id, **fields)
    return " ".join([refused.value.code, *(error.pointer for error in refused.value.errors)])


def test_a_terminal_comes_back_as_it_was_put(site: DoorSite) -> None:
    """Every field, and the thumbprint of its key. The registry that it names stays."""
    site.cluster("north", 1)
    visitors = TemplateRegistryBody(alg=1)
    asyncio.run(site.biometrics.template_registries.put("visitors", visitors, actor=ACTOR))
    fields = {
        "kind": "palm",
        "display_name": "North gate",
        "public_key": KEY,
        "encryption_key": {**KEY, "use": "enc"},
        "registry_id": "visitors",
        "cluster": "north",
        "liveness_min": 60,
        "offline": True,
        "slow_link": True,
        "legacy": True,
        "tags": ["drill"],
    }
    made, new = put(site, "T-14", **fields)
    shown = msgspec.to_builtins(made)
    assert new
    assert {name: shown[name] for name in fields if not name.endswith("_key")} == {
        name: value for name, value in fields.items() if not name.endswith("_key")
    }
    for name in ("public_key", "encryption_key"):
        assert {member: shown[name][member] for member in KEY} == KEY
    assert made.thumbprint == "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s"
    assert not put(site, "T-14", **fields)[1]
    with pytest.raises(Problem, match="T-14"):
        asyncio.run(site.biometrics.template_registries.delete("visitors", actor=ACTOR))
    with site.store.read() as connection:
        row = site.registry.terminals.require(connection, "T-14")
    assert (row.cluster_id, row.registry_id, row.liveness_min, row.slow_link) == ("north", "visitors", 60, True)


def test_a_terminal_has_defaults(site: DoorSite) -> None:
    """A screen needs its kind alone."""
    made, _ = put(site, "screen")
    assert (made.registry_id, made.cluster, made.liveness_min) == ("default", None, 0)
    assert [made.offline, made.slow_link, made.legacy] == [False] * 3


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"kind": "palm"}, "/public_key"),
        ({"public_key": OFF_THE_CURVE}, "/public_key"),
        ({"encryption_key": OFF_THE_CURVE}, "/encryption_key"),
        ({"offline": True}, "/encryption_key"),
        ({"registry_id": "nowhere"}, "/registry_id"),
    ],
)
def test_what_does_not_fit_together_is_refused(site: DoorSite, fields: dict[str, Any], pointer: str) -> None:
    """A palm terminal that cannot sign, a key that is none, secrets that nobody could read, templates of no
    registry."""
    assert refusal(site, "T-1", **fields) == f"invalid_body {pointer}"


def test_a_legacy_palm_terminal_needs_no_key(site: DoorSite) -> None:
    """It cannot sign."""
    assert put(site, "T-1", kind="palm", legacy=True)[0].legacy


def test_the_names_of_keys_are_taken(site: DoorSite) -> None:
    """What stands for an API key can be no registered terminal."""
    assert refusal(site, "key:key_1") == "invalid_body "


def test_a_private_key_is_refused() -> None:
    """It has no place in the body, so it is stored nowhere."""
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert({"kind": "palm", "public_key": {**KEY, "d": X}}, TerminalBody)


def test_two_terminals_share_no_key(site: DoorSite) -> None:
    """The second is 409; the first may be put again."""
    put(site, "T-1", public_key=KEY)
    assert refusal(site, "T-2", public_key=KEY) == "state_conflict"
    assert not put(site, "T-1", public_key=KEY, slow_link=True)[1]


def test_a_cluster_with_a_terminal_stays(site: DoorSite) -> None:
    """Without it the terminal would search everybody; an unknown one is 404."""
    assert refusal(site, "T-1", cluster="north") == "not_found"
    site.cluster("north", 1)
    put(site, "T-1", cluster="north")
    with pytest.raises(Problem, match="T-1"):
        asyncio.run(site.registry.clusters.delete("north", actor=ACTOR))
    put(site, "T-1")
    asyncio.run(site.registry.clusters.delete("north", actor=ACTOR))


def test_leaves_name_fields_and_no_key(site: DoorSite) -> None:
    """PUT and DELETE each leave one."""
    put(site, "T-1", public_key=KEY)
    asyncio.run(site.registry.terminals.delete("T-1", actor=ACTOR))
    assert site.actions() == ["registry.terminal_put", "registry.terminal_delete"]
