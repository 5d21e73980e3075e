"""The built program's first file: a child of the service goes its own way before anything of ours is imported."""

import multiprocessing
import sys

if __name__ == "__main__":
    multiprocessing.freeze_support()
    if sys.argv[1:2] == ["child"]:
        from app.program import run_child

        run_child(sys.argv[2:])
    from app.__main__ import main

    sys.exit(main())
