"""What the built program leaves out is nothing that it imports: found here in seconds, in a build in minutes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from app.console.language import NAMES
from freeze.contents import EXCLUDED, ROOT, keeps, modules
from freeze.sizes import grown, size
from notices import locked

FREEZE_IN = ROOT / "packaging" / "freeze.in"
BLOCKED = """
import importlib, importlib.abc, json, sys

names, excluded = json.load(sys.stdin)

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if any(name == one or name.startswith(one + ".") for one in excluded):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
for name in names:
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(name, error)
"""


def test_every_module_loads_without_what_is_left_out() -> None:
    """In a process in which nothing of that can be imported."""
    given = json.dumps([sorted(modules()), EXCLUDED])
    ended = subprocess.run(
        [sys.executable, "-c", BLOCKED], input=given, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr[-2000:]


def test_the_systems_libraries_stay_the_systems() -> None:
    """All but the four that are named; what a wheel brings is not Debian's."""
    lib = "/usr/lib/x86_64-linux-gnu"
    assert not keeps("libssl.so.3", f"{lib}/libssl.so.3")
    assert not keeps("libstdc++.so.6", "/lib/x86_64-linux-gnu/libstdc++.so.6")
    assert keeps("libffi.so.8", f"{lib}/libffi.so.8")
    assert keeps("libpython3.11.so.1.0", f"{lib}/libpython3.11.so.1.0")
    assert keeps("numpy.libs/libopenblas.so", "/env/lib/python3.11/site-packages/numpy.libs/libopenblas.so")


def test_what_nobody_uses_stays_out() -> None:
    """The window system's parts that load GTK or need a seat of their own; the ones that show the window stay."""
    plugins = "PySide6/Qt/plugins"
    assert not keeps(f"{plugins}/platformthemes/libqgtk3.so", "/env/x")
    assert not keeps(f"{plugins}/platforms/libqeglfs.so", "/env/x")
    assert not keeps("arc_console-1.3.0.dist-info/direct_url.json", "/env/x")
    for name in ("libqxcb.so", "libqwayland.so", "libqoffscreen.so"):
        assert keeps(f"{plugins}/platforms/{name}", "/env/x")
    assert keeps(f"{plugins}/imageformats/libqsvg.so", "/env/x")


def test_qt_speaks_each_language_of_the_console() -> None:
    """And none besides."""
    kept = {
        name for name in ("qtbase_de", "qtbase_fr", "qt_de") if keeps(f"PySide6/Qt/translations/{name}.qm", "/env/x")
    }
    assert kept == {f"qtbase_{name}" for name in NAMES if name != "en"}


def test_growth_fails_until_a_person_agrees() -> None:
    """Up to 5 % is let through; what nobody has measured yet is not."""
    assert grown({"deb": 1050, "run": 900}, {"deb": 1000, "run": 1000}) == []
    assert grown({"deb": 1051}, {"deb": 1000}) == ["deb: 1051 bytes, 5.1% more than sizes.json says"]
    assert grown({"run": 7}, {"deb": 1000}) == ["run: 7 bytes, and sizes.json does not name it"]


def test_links_count_once(tmp_path: Path) -> None:
    """A bundle links its libraries in two places."""
    (tmp_path / "library").write_bytes(bytes(100))
    (tmp_path / "link").symlink_to("library")
    assert size(tmp_path) == 100


def test_what_builds_is_pinned_by_hashes() -> None:
    """As everything else that is installed."""
    wanted = {re.split("[=<>]", line)[0] for line in FREEZE_IN.read_text().splitlines() if line and line[0] != "#"}
    text = FREEZE_IN.with_suffix(".lock").read_text()
    assert wanted <= locked(text).keys()
    assert all("--hash=sha256:" in pinned for pinned in re.split(r"(?m)^(?=\S)", text) if pinned)
    assert "://" not in text
