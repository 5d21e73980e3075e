"""The desktop entry, the icon and the AppStream file: what shells and software centres read."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from app import VERSION

ROOT = Path(__file__).parents[3]
PLACE = ROOT / "packaging" / "desktop"
ENTRY = PLACE / "arc-console.desktop"
ABOUT = PLACE / "org.arc_console.Console.metainfo.xml"


def entry() -> configparser.SectionProxy:
    """The desktop entry's one group."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(ENTRY)
    return parser["Desktop Entry"]


def test_the_entry_starts_the_command_once() -> None:
    """The one command of the package; a second start only raises the first one's window."""
    found = entry()
    assert found["Exec"] == found["TryExec"] == "arc-console"
    assert found["Icon"] == "arc-console"
    assert found["SingleMainWindow"] == "true"
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"].keys() == {"arc-console"}


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="no desktop-file-validate on this machine")
def test_the_entry_is_valid() -> None:
    """By the desktop's own validator. That of Debian 12 knows the specification before 1.5 alone."""
    said = subprocess.run(["desktop-file-validate", str(ENTRY)], capture_output=True, text=True, check=False)
    lines = (said.stdout + said.stderr).splitlines()
    assert [line for line in lines if '"1.5"' not in line and "SingleMainWindow" not in line] == []


@pytest.mark.skipif(shutil.which("appstreamcli") is None, reason="no appstreamcli on this machine")
def test_the_appstream_file_is_valid() -> None:
    """By AppStream's own validator, which asks nobody."""
    said = subprocess.run(
        ["appstreamcli", "validate", "--no-net", "--strict", str(ABOUT)], capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stdout


def test_the_appstream_file_names_the_entry_and_the_release() -> None:
    """Its newest release is this version."""
    root = ElementTree.parse(ABOUT).getroot()
    assert root.findtext("launchable") == ENTRY.name
    release = root.find("releases/release")
    assert release is not None
    assert release.get("version") == VERSION


def test_the_icon_is_one_square_picture_that_asks_for_nothing_else() -> None:
    """No script, no reference, no text that needs a font."""
    root = ElementTree.parse(PLACE / "arc-console.svg").getroot()
    assert root.get("viewBox") == "0 0 128 128"
    tags = {element.tag.rsplit("}", 1)[-1] for element in root.iter()}
    assert tags <= {"svg", "title", "rect", "g", "path", "circle"}
