"""What a damaged or lost data directory gives at the start: one sentence and exit code 2, never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import app.capabilities
from app.__main__ import main
from app.capabilities.gateway.audit.wiring import AUDIT
from app.commands.options import EXIT_REFUSED
from app.service.assembly import CAPABILITIES
from app.wiring.parts import NotOffered, Offer


def _make_key(directory: Path) -> int:
    return main(["key", "create", "--data-dir", str(directory), "--clearance", "citadel", "--label", "test"])


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _overwritten(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("store.db", Path.unlink),
        ("store.db", _empty),
        ("store.db", _directory),
        ("store.db", _overwritten),
        ("keys.db", Path.unlink),
        ("keys.db", _overwritten),
        ("kek", _directory),
        ("kek", _empty),
        ("site.json", _directory),
        ("site.json", _empty),
    ],
)
def test_damaged_site_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, damage: Callable[[Path], None]
) -> None:
    """A file that is lost or spoiled is named with a remedy; above all, a lost store is never begun anew."""
    assert _make_key(tmp_path) == 0
    capsys.readouterr()
    damage(tmp_path / name)
    assert _make_key(tmp_path) == EXIT_REFUSED
    told = capsys.readouterr().err
    assert told.startswith("arc-console: ")
    assert told.count("\n") == 1
    assert "estore" in told
    assert (tmp_path / name).exists() is (damage is not Path.unlink)


def test_first_start_that_was_killed_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Keys without a store are a first start that did not come far: the next one makes the store."""
    from app.site.site import Site
    from app.store.keys import Keys, find_kek

    site = Site.open(tmp_path, "training")
    keys = Keys(site.keys_path, find_kek(site))
    keys.ed25519("audit")
    keys.close()
    assert _make_key(tmp_path) == 0
    assert capsys.readouterr().out.startswith("arc_cit_")


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "--port", "65536"],
        ["serve", "--port", "-1"],
        ["key", "create", "--clearance", "citadel", "--label", ""],
        ["key", "create", "--clearance", "citadel", "--label", "x" * 10_000],
    ],
)
def test_wrong_option_is_refused_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    """A port or label that cannot be is told by its option's name, with exit code 2 and no site made."""
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--data-dir", str(tmp_path / "site")])
    assert ended.value.code == EXIT_REFUSED
    assert "error: argument --" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


def test_every_capability_is_joined() -> None:
    """A package of capabilities that declares itself in a ``wiring`` is folded into the site, and each has one."""
    folder = Path(app.capabilities.__file__).parent
    declared = {path.parent.relative_to(folder).as_posix() for path in folder.rglob("wiring.py")}
    assert {capability.name.replace(".", "/") for capability in CAPABILITIES} == declared
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    assert packages == {name.partition("/")[0] for name in declared}


def test_erasures_are_wired_last() -> None:
    """They take over which actions stay and who keeps personal data: a capability behind them would not be asked."""
    assert CAPABILITIES[-1] is AUDIT


def test_an_offer_that_was_not_made_says_its_name() -> None:
    """What one capability needs of another and nobody has wired yet is told by name; what is offered twice as well."""
    offer: Offer[int] = Offer("the burner")
    with pytest.raises(NotOffered, match="the burner"):
        offer.get()
    offer.fill(7)
    assert offer.get() == 7
    with pytest.raises(ValueError, match="the burner is offered twice"):
        offer.fill(8)
