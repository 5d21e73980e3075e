"""The program of a later version: this one with another number and one more revision, killed at a step if that is asked
for.

``python -m tests.e2e.next_version WORK STEP COMMAND...`` runs ``arc-console COMMAND``. STEP counts what the process
does in the data directory (opening, making, renaming and removing files, statements of the new revision); 0 lets it
live. It prints ``steps N`` at its end.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
from pathlib import Path

import app
from app.store import migrations

VERSION = "99.0.0"
SCHEMA = "9000"
TABLE = "test_of_the_next_version"

_REVISION = f'''
import sys
from alembic import op

revision = "{SCHEMA}"
down_revision = "{migrations.HEAD}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("CREATE TABLE {TABLE} (number INTEGER PRIMARY KEY) STRICT")
    for number in range(5):
        sys.audit("arc.step")
        op.execute(f"INSERT INTO {TABLE} VALUES ({{number}})")
'''
_STEPS = frozenset({"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "sqlite3.connect", "arc.step"})


def become_next(work: Path) -> None:
    """This process is of the next version from here on; ``work`` takes its revisions."""
    folder = Path(migrations.__file__).parent
    shutil.copytree(folder, work, dirs_exist_ok=True)
    (work / "versions" / f"{SCHEMA}_next.py").write_text(_REVISION)
    # A first start lays out what the revisions make.
    migrations.__file__ = str(work / "__init__.py")
    migrations.HEAD = SCHEMA
    app.VERSION = VERSION
    from app.service import upgrade
    from app.site import site_version

    upgrade.VERSION = site_version.VERSION = VERSION  # type: ignore[misc]


def kill_at(step: int, data_dir: Path) -> list[int]:
    """Kills this process at the ``step``-th thing that it does in ``data_dir``; the count of them, which grows."""
    done = [0]
    names = {str(data_dir).encode(), data_dir.as_uri().encode()}

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event not in _STEPS:
            return
        place = arguments[0] if arguments else b""
        path = os.fsencode(place) if isinstance(place, str | bytes | os.PathLike) else b""
        if event == "arc.step" or any(name in path for name in names):
            done[0] += 1
            if done[0] == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    return done


def reached(store: Path) -> str:
    """The schema that a store has; of a copy, since SQLite finds no file by a path through another namespace."""
    with tempfile.TemporaryDirectory() as place:
        for path in store.parent.glob(f"{store.name}*"):
            shutil.copy2(path, place)
        with contextlib.closing(sqlite3.connect(Path(place) / store.name)) as raw:
            return str(raw.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def main() -> int:
    """The command of the next version."""
    work, step, *command = sys.argv[1:]
    become_next(Path(work))
    from app.__main__ import main as run

    done = kill_at(int(step), Path(command[command.index("--data-dir") + 1]))
    try:
        return run(command)
    finally:
        print(f"steps {done[0]}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
