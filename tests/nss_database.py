"""A database of NSS with one trusted root, and what poppler's pdfsig says under it."""

from __future__ import annotations

import subprocess
from pathlib import Path


class NssDatabase:
    """``certutil -N``, then the root as a trusted authority for every purpose."""

    def __init__(self, directory: Path, root_pem: bytes) -> None:
        self._directory = directory
        place = f"sql:{directory}"
        root = directory / "root.pem"
        root.write_bytes(root_pem)
        for command in (
            ["certutil", "-N", "-d", place, "--empty-password"],
            ["certutil", "-A", "-d", place, "-n", "site root", "-t", "C,C,C", "-i", str(root)],
        ):
            subprocess.run(command, check=True, capture_output=True, timeout=60)

    def pdfsig(self, pdf: bytes) -> str:
        """What pdfsig prints of these bytes; an error of the file is part of it."""
        path = self._directory / "judged.pdf"
        path.write_bytes(pdf)
        done = subprocess.run(
            ["pdfsig", "-nssdir", f"sql:{self._directory}", path], capture_output=True, timeout=60, check=False
        )
        return (done.stdout + done.stderr).decode(errors="replace")
