"""Which version a data directory is of: a newer one is refused by name, an older or unknown one is not."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import VERSION
from app.site.errors import SiteRefused
from app.site.site import Site
from app.site.site_version import (
    UPGRADES_DIR,
    VERSION_FILE,
    SiteVersion,
    Upgrade,
    read_version,
    refuse_newer,
    release,
    write_version,
)

ROOT = Path(__file__).parents[3]
NEWER = "99.1.0"


def newer(data_dir: Path, *upgrades: Upgrade, **more: object) -> None:
    """``program.json`` as a newer version writes it."""
    rows = [
        {"from_version": one.from_version, "schema": one.schema, "to_version": one.to_version, "backup": one.backup}
        for one in upgrades
    ]
    (data_dir / VERSION_FILE).write_text(json.dumps({"version": NEWER, "upgrades": rows, **more}))


def test_the_version_is_that_of_the_package() -> None:
    """What packages are named after, and what directories are marked with."""
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """With the upgrades that were made."""
    upgrade = Upgrade(None, "0001", VERSION, "schema-0001.backup")
    write_version(tmp_path, [upgrade])
    assert read_version(tmp_path) == SiteVersion(VERSION, [upgrade])
    refuse_newer(tmp_path)


def test_no_file_is_no_refusal(tmp_path: Path) -> None:
    """Sites of versions that wrote none, and new ones."""
    assert read_version(tmp_path / "none") is None
    refuse_newer(tmp_path)


def test_a_newer_directory_is_refused_before_its_settings_are_read(tmp_path: Path) -> None:
    """A newer ``site.json`` may hold what this version would call an error."""
    Site.open(tmp_path, "training")
    (tmp_path / "site.json").write_text('{"of": "a later version"}')
    newer(tmp_path, unknown="member")
    for opening in (
        lambda: Site.open(tmp_path, "training"),
        lambda: Site.existing(tmp_path),
        lambda: Site.kept_profile(tmp_path),
    ):
        with pytest.raises(SiteRefused, match=rf"written by arc-console {NEWER}, and this is {VERSION}"):
            opening()


def test_the_refusal_names_the_newest_backup_that_fits(tmp_path: Path) -> None:
    """Not one of a version that is newer than this one, and not one that is gone."""
    place = tmp_path / UPGRADES_DIR
    place.mkdir()
    rows = [
        Upgrade(None, "0001", "1.0.0", "first.backup"),
        Upgrade(VERSION, "0036", "98.0.0", "fits.backup"),
        Upgrade(VERSION, "0036", "98.0.0", "gone.backup"),
        Upgrade("98.0.0", "0040", NEWER, "late.backup"),
    ]
    for row in rows:
        if row.backup != "gone.backup":
            (place / row.backup).touch()
    newer(tmp_path, *rows)
    with pytest.raises(SiteRefused, match=rf"restore the backup of {VERSION}.* restore {place / 'fits.backup'} "):
        refuse_newer(tmp_path)


def test_without_a_backup_the_refusal_says_that_none_is_there(tmp_path: Path) -> None:
    """And what would fit."""
    newer(tmp_path)
    with pytest.raises(SiteRefused, match=f"a backup that {VERSION} or an older version made fits as well, and none"):
        refuse_newer(tmp_path)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_a_file_that_is_no_such_thing_is_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """In one sentence that says what to do."""
    directory = tmp_path_factory.mktemp("site")
    (directory / VERSION_FILE).write_bytes(data)
    with pytest.raises(SiteRefused, match="remove the file and start again"):
        read_version(directory)


@given(
    st.lists(st.integers(0, 999_999), min_size=2, max_size=4), st.lists(st.integers(0, 999_999), min_size=2, max_size=4)
)
def test_versions_compare_as_numbers(one: list[int], other: list[int]) -> None:
    """Not as texts: 1.10 is newer than 1.9, and a version without its zeros is the same."""
    padded = [[*numbers, 0, 0, 0][:4] for numbers in (one, other)]
    texts = [".".join(map(str, numbers)) for numbers in (one, other)]
    assert (release(texts[0]) < release(texts[1])) is (padded[0] < padded[1])
