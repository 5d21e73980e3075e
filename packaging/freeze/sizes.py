"""Prints what the packages take, and fails when they have grown by more than 5 % over ``packaging/size.json``.

python packaging/freeze/sizes.py BUNDLE DIST ENVIRONMENT
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

KEPT = Path(__file__).parents[1] / "size.json"
MORE = 1.05


def total(directory: Path) -> int:
    """Bytes of all files; a file with two names counts once."""
    seen: dict[tuple[int, int], int] = {}
    for place, _, names in os.walk(directory):
        for name in names:
            found = (Path(place) / name).lstat()
            seen[found.st_dev, found.st_ino] = found.st_size
    return sum(seen.values())


def main(bundle: Path, dist: Path, environment: Path) -> int:
    """The exit code."""
    sizes = {"bundle": total(bundle)}
    for path in sorted(dist.iterdir()):
        if path.suffix in (".deb", ".run"):
            sizes[path.suffix[1:]] = path.stat().st_size
    for name, size in sizes.items():
        print(f"{name:8}{size / 1e6:8.1f} MB")
    print(f"bundle : environment {sizes['bundle'] / total(environment):.2f}")
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    grown = [name for name, size in sizes.items() if size > kept.get(name, 0) * MORE]
    for name in grown:
        print(
            f"{name}: {sizes[name]} bytes, {KEPT.name} says {kept.get(name)}: edit it, with a reason", file=sys.stderr
        )
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
