"""What the bundle leaves out is wanted by nothing that it holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
BLOCKED = """
import importlib.abc, pkgutil, sys
sys.path[:0] = ["packaging/freeze", "."]
from left_out import MODULES
class Refused(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if any(name == one or name.startswith(one + ".") for one in MODULES):
            raise ImportError(f"{name} is left out")
sys.meta_path.insert(0, Refused())
import app, hardware
built = ("app.store.migrations.versions", "app.store.migrations.env", "app.api.client_writer")
for package in (app, hardware):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not found.name.startswith(built) and not found.name.endswith("__main__"):
            importlib.import_module(found.name)
print(len([name for name in sys.modules if name.split(".")[0] in ("app", "hardware")]))
"""


def test_the_program_loads_without_what_is_left_out() -> None:
    """Every module of ours, with each module that the bundle lacks refused."""
    ended = subprocess.run(
        [sys.executable, "-c", "import importlib.abc\n" + BLOCKED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert int(ended.stdout.split()[-1]) > 900


def test_what_is_left_out_is_named_by_its_path() -> None:
    """Of files that a bundle holds, these are dropped and those stay."""
    sys.path.insert(0, str(ROOT / "packaging" / "freeze"))
    try:
        from left_out import FILES
    finally:
        sys.path.pop(0)
    gone = (
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
        "PySide6/Qt/lib/libQt6Quick.so.6",
        "x.dist-info/direct_url.json",
    )
    kept = (
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/imageformats/libqsvg.so",
        "x.dist-info/METADATA",
    )
    assert [bool(FILES.search(name)) for name in (*gone, *kept)] == [True] * 3 + [False] * 3
