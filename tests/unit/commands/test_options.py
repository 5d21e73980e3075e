"""Which site a command's options name."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from app.commands.options import data_dir_or_default, existing_site, named_profile, profile_of
from app.site.errors import SiteRefused
from app.site.site import Site


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sites without a directory of their own lie below this one."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return tmp_path


def test_without_a_directory_it_is_the_profiles_own() -> None:
    """The training site unless another profile is named."""
    made = Site.open(None, "training")
    assert existing_site(argparse.Namespace()) == made
    assert made.data_dir == Site.default_data_dir("training")


def test_a_site_that_is_not_there_is_refused_and_not_made() -> None:
    """In the profile's own place, too."""
    with pytest.raises(SiteRefused, match="is no site"):
        existing_site(argparse.Namespace(profile="production"))
    assert not Site.default_data_dir("production").exists()


def test_a_named_directory_knows_its_profile(home: Path) -> None:
    """``--data-dir`` alone opens a site of either profile; another profile that is named with it is refused."""
    made = Site.open(home / "site", "production")
    assert existing_site(argparse.Namespace(data_dir=made.data_dir)) == made
    with pytest.raises(SiteRefused, match="production"):
        existing_site(argparse.Namespace(data_dir=made.data_dir, profile="training"))


def test_every_command_takes_the_profile_of_the_directory(home: Path) -> None:
    """An option that contradicts it is refused before anything is done; in a new directory the option counts."""
    made = Site.open(home / "site", "production")
    assert profile_of(argparse.Namespace(data_dir=made.data_dir)) == "production"
    assert profile_of(argparse.Namespace(data_dir=made.data_dir, profile="production")) == "production"
    for ask in (profile_of, data_dir_or_default):
        with pytest.raises(SiteRefused, match="is a production site; it was asked for as training"):
            ask(argparse.Namespace(data_dir=made.data_dir, profile="training"))
    assert profile_of(argparse.Namespace(data_dir=home / "new")) == "training"
    assert profile_of(argparse.Namespace(data_dir=home / "new", profile="production")) == "production"
    assert profile_of(argparse.Namespace(profile="production")) == "production"
    assert profile_of(argparse.Namespace()) == "training"
    assert named_profile(argparse.Namespace()) is None
