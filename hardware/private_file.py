"""Files that hold keys: written whole or not at all, and readable by their owner alone."""

import os
import sys
import tempfile
from pathlib import Path


def replace_private(path: Path, data: bytes, *, survives_power_loss: bool) -> None:
    """Replace `path` by `data` atomically, mode 0600: a killed process leaves the old file or the new, never a half.

    With `survives_power_loss` the new file is also there after a loss of power (a second sync, of the directory).
    Raises OSError as usual.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mkstemp makes mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    if survives_power_loss and sys.platform != "win32":
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
