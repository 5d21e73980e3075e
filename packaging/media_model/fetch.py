"""Fetches the photographs of the training from Debian's packages.

    python -m media_model.fetch --out DIR

``photos.json`` names package, version, file, licence (as the package's copyright file has it) and SHA-256 of each, and
whether it is held out of training: what was once is held out for ever, about one in four of those that are added. The
packages come by apt from whatever mirror the machine has. A file inside a Qt resource is named after a colon.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

LIST: Final = Path(__file__).parent / "photos.json"
_NAME: Final = 20


class ListedPhoto(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the list. ``sha256``: of the file, hex; ``held_out``: is it kept out of every training, so that it
    may check and calibrate a network, also one that went on from an earlier one."""

    package: str
    version: str
    file: str
    licence: str
    sha256: str
    held_out: bool

    @property
    def name(self) -> str:
        """The file's name in the folder of photographs."""
        return self.sha256[:_NAME] + Path(self.file).suffix


def listed() -> tuple[ListedPhoto, ...]:
    """The list, in the order of the SHA-256."""
    return msgspec.json.decode(LIST.read_bytes(), type=tuple[ListedPhoto, ...])


def take(unpacked: Path, photo: ListedPhoto, out: Path) -> None:
    """Copies a photograph from its unpacked package. ValueError where its bytes are others than those listed, OSError
    where it is not there."""
    path, _, inside = photo.file.partition(":")
    content = (unpacked / path).read_bytes() if not inside else resource(unpacked / path, inside)
    if sha256(content).hexdigest() != photo.sha256:
        raise ValueError(f"{photo.package}: {photo.file} is another file than the one listed")
    (out / photo.name).write_bytes(content)


def resource(file: Path, inside: str) -> bytes:
    """A file inside a Qt resource; FileNotFoundError where there is none."""
    from PySide6.QtCore import QFile, QIODevice, QResource

    root = "/media_model"
    if not QResource.registerResource(str(file), root):
        raise FileNotFoundError(file)
    try:
        opened = QFile(f":{root}{inside}")
        if not opened.open(QIODevice.OpenModeFlag.ReadOnly):
            raise FileNotFoundError(inside)
        return opened.readAll().data()
    finally:
        QResource.unregisterResource(str(file), root)


def by_package(photos: tuple[ListedPhoto, ...]) -> Mapping[tuple[str, str], list[ListedPhoto]]:
    """The photographs of each package and version."""
    found: dict[tuple[str, str], list[ListedPhoto]] = {}
    for photo in photos:
        found.setdefault((photo.package, photo.version), []).append(photo)
    return found


def main() -> None:
    """The command line. The exit status of apt or dpkg is that of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the photographs")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for (package, version), photos in by_package(listed()).items():
        if all((out / photo.name).exists() for photo in photos):
            continue
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["apt-get", "download", "-q", f"{package}={version}"], cwd=folder, check=True)
            for archive in Path(folder).glob("*.deb"):
                subprocess.run(["dpkg", "-x", str(archive), f"{folder}/unpacked"], check=True)
            for photo in photos:
                take(Path(folder) / "unpacked", photo, out)


if __name__ == "__main__":
    main()
