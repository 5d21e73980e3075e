"""Holds the sizes of a built program against ``sizes.json``: 5 % more fails until a person has edited that file. The
bundle is held against the environment that it was built in, too.

PYTHONPATH=packaging python -m freeze.sizes BUNDLE FILE...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Final

from freeze.contents import ROOT
from notices import LOCK, installed, locked

LIMITS: Final = Path(__file__).with_name("sizes.json")
MORE: Final = 1.05


def size(path: Path) -> int:
    """Of a file, or of all files in a directory; bytes. A link has none."""
    if path.is_dir():
        return sum(one.stat().st_size for one in path.rglob("*") if one.is_file() and not one.is_symlink())
    return path.stat().st_size


def environment(lock: str) -> int:
    """Of the same program in an environment: all that the lock installed here, and our own files; bytes."""
    packages = (found for _, found in installed(locked(lock)))
    return sum(map(_installed_size, packages)) + sum(size(ROOT / part) for part in ("app", "hardware", "resources"))


def _installed_size(found: metadata.Distribution) -> int:
    files = (Path(str(found.locate_file(file))) for file in found.files or ())
    return sum(file.stat().st_size for file in files if file.is_file())


def name(path: Path) -> str:
    """What ``sizes.json`` calls it: the bundle, or a package by its kind."""
    return "bundle" if path.is_dir() else path.suffix.removeprefix(".")


def grown(found: Mapping[str, int], known: Mapping[str, int]) -> list[str]:
    """A sentence for each that is more than 5 % larger than it was, or that was never measured."""
    faults = []
    for kind, bytes_ in found.items():
        was = known.get(kind)
        if was is None:
            faults.append(f"{kind}: {bytes_} bytes, and {LIMITS.name} does not name it")
        elif bytes_ > was * MORE:
            faults.append(f"{kind}: {bytes_} bytes, {bytes_ / was - 1:.1%} more than {LIMITS.name} says")
    return faults


def main(arguments: Sequence[str]) -> int:
    """Prints each size, then each fault."""
    found = {name(path): size(path) for path in map(Path, arguments)}
    for kind, bytes_ in found.items():
        print(f"{kind:11} {bytes_ / 2**20:8.1f} MiB")
    around = environment(LOCK.read_text(encoding="utf-8"))
    print(f"{'environment':11} {around / 2**20:8.1f} MiB: the bundle is {found['bundle'] / around:.2f} of it")
    faults = grown(found, json.loads(LIMITS.read_text(encoding="utf-8")))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
