"""Which site the console opens, and what it leaves to its window to tell."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from app.commands.console import _site_of
from app.site.errors import SiteRefused
from app.site.site import Site
from app.site.site_version import VERSION_FILE


def test_a_site_is_opened_by_its_own_profile(tmp_path: Path) -> None:
    """As its file has it."""
    Site.open(tmp_path, "production")
    assert _site_of(argparse.Namespace(data_dir=tmp_path)) == ("production", tmp_path)


def test_a_newer_site_is_left_to_the_window(tmp_path: Path) -> None:
    """Its service says why it refuses it."""
    Site.open(tmp_path, "training")
    (tmp_path / VERSION_FILE).write_text('{"version": "99.0.0"}')
    assert _site_of(argparse.Namespace(data_dir=tmp_path)) == ("training", tmp_path)


def test_options_that_contradict_the_site_are_refused(tmp_path: Path) -> None:
    """The person who typed them reads the answer there."""
    Site.open(tmp_path, "training")
    with pytest.raises(SiteRefused, match="asked for as production"):
        _site_of(argparse.Namespace(data_dir=tmp_path, profile="production"))
