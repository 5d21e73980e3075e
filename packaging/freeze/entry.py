"""The bundle's executable: every command, and the children of ``app.program`` as ``child ROLE``."""

from __future__ import annotations

import importlib
import sys

from app.program import CHILDREN


def run(arguments: list[str]) -> int:
    """The exit code. A role that is none of the table is refused: nobody chooses a module."""
    if arguments[:1] != ["child"]:
        from app.__main__ import main

        return main(arguments)
    if len(arguments) < 2 or arguments[1] not in CHILDREN:
        print(f"arc-console: child needs one of {', '.join(CHILDREN)}", file=sys.stderr)
        return 2
    code: int | None = importlib.import_module(CHILDREN[arguments[1]]).main(*arguments[2:])
    return code or 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
