"""What a site is: one profile for life, a private directory, an origin that never changes."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.site.errors import SiteBusy, SiteRefused
from app.site.private_files import write_private
from app.site.settings import Settings
from app.site.site import Site

ROOT = Path(__file__).parents[3]


def test_directory_is_private(tmp_path: Path) -> None:
    """The data directory is the owner's alone."""
    site = Site.open(tmp_path / "deep" / "site", "training")
    assert stat.S_IMODE(site.data_dir.stat().st_mode) == 0o700


def test_site_stays_itself(tmp_path: Path) -> None:
    """A second opening finds the same identifier and settings."""
    assert Site.open(tmp_path, "training") == Site.open(tmp_path, "training")


def test_other_profile_is_refused(tmp_path: Path) -> None:
    """A training directory is never opened as production."""
    Site.open(tmp_path, "training")
    with pytest.raises(SiteRefused, match="is a training site"):
        Site.open(tmp_path, "production")


def test_foreign_directory_is_refused(tmp_path: Path) -> None:
    """A directory with somebody's files is not taken over."""
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(SiteRefused, match="is no site"):
        Site.open(tmp_path, "training")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_training_origin_is_marked(tmp_path: Path) -> None:
    """A training log's origin carries the prefix that production verifiers refuse."""
    assert re.fullmatch(r"training-[0-9a-f]{16}\.site\.invalid/audit", Site.open(tmp_path, "training").origin("audit"))


def test_production_origin_is_the_domain(tmp_path: Path) -> None:
    """With a domain the origin is under it."""
    site = Site.open(tmp_path, "production")
    path = site.data_dir / "site.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "domain": "id.example.org"}))
    assert Site.open(tmp_path, "production").origin("seal") == "id.example.org/seal"


def test_setting_is_read(tmp_path: Path) -> None:
    """A tunable that the operator wrote into site.json holds; the others keep their defaults."""
    site = Site.open(tmp_path, "training")
    path = site.data_dir / "site.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "settings": {"burn_deadline_s": 5.0}}))
    assert Site.open(tmp_path, "training").settings == Settings(burn_deadline_s=5.0)


def test_settings_are_those_of_the_site_that_is_made(tmp_path: Path) -> None:
    """A site that is there keeps its own."""
    slow = Settings(probe_interval_s=5.0)
    assert Site.open(tmp_path, "training", settings=slow).settings == slow
    assert Site.open(tmp_path, "training").settings == slow
    assert Site.open(tmp_path, "training", settings=Settings()).settings == slow


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_site_file_opens_or_is_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Whatever site.json holds, the answer is a site or a sentence."""
    directory = tmp_path_factory.mktemp("site")
    (directory / "site.json").write_bytes(data)
    with pytest.raises(SiteRefused):
        Site.open(directory, "training")


def test_one_service_a_directory(tmp_path: Path) -> None:
    """While a service holds the directory, another process is refused; afterwards it is not."""
    site = Site.open(tmp_path, "training")
    script = (
        "import sys; from pathlib import Path; from app.site.errors import SiteBusy; from app.site.site import Site\n"
        "try:\n    with Site.open(Path(sys.argv[1]), 'training').claim(): print('held')\n"
        "except SiteBusy: print('busy')\n"
    )

    def other() -> str:
        command = [sys.executable, "-c", script, str(tmp_path)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    with site.claim():
        assert other() == "busy"
        with pytest.raises(SiteBusy), site.claim():
            pass
    assert other() == "held"


def test_private_file_is_replaced_whole(tmp_path: Path) -> None:
    """A private file is replaced in one step and leaves no scratch behind."""
    path = tmp_path / "secret"
    write_private(path, b"one")
    write_private(path, b"two")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"two", 0o600)
    assert list(tmp_path.iterdir()) == [path]
