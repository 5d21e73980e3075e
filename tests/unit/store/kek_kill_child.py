"""Child process: replaces the key-encryption key of a training site and is killed at the named step."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from app.site.site import Site
from app.store import kek
from app.store.keys import Keys, find_kek


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(directory: Path, step: str) -> None:
    site = Site.open(directory, "training")
    keys = Keys(site.keys_path, find_kek(site), find=lambda: find_kek(site))
    if step == "storing":
        os.replace = Path.replace = die  # type: ignore[assignment]  # the moment before the new file is the file
    kek.add_kek(site)
    if step == "stored":
        die()
    if step == "wrapping":
        real, left = keys._unwrap, [3]

        def unwrapped(*arguments: object) -> bytes:
            left[0] -= 1
            if not left[0]:
                die()
            return real(*arguments)  # type: ignore[arg-type]

        keys._unwrap = unwrapped  # type: ignore[method-assign]
    keys.rewrap()
    if step == "wrapped":
        die()
    kek.forget_older_keks(site)
    die()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
