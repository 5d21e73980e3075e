"""``arc-console`` without a command: opens the console; and ``arc-console tour``, which drives it."""

from __future__ import annotations

import argparse
import gc

from app.commands.options import data_dir_or_default, profile_of


def run(options: argparse.Namespace) -> int:
    """Opens the window; the exit code when it was closed."""
    # Until the first frame nothing that is made is garbage; afterwards ``app.console.process.collector`` does this
    # work.
    gc.disable()
    from app.console.app import run_console

    return run_console(
        profile_of(options), data_dir_or_default(options), connect_url=options.connect, picture=options.picture
    )


def run_tour(options: argparse.Namespace) -> int:
    """Drives the console through the main job on a training site of its own; pictures go to ``--out``."""
    from app.console.tour import run_tour

    return run_tour(options.out)
