"""``arc-console`` without a command: opens the console; and ``arc-console tour``, which drives it."""

from __future__ import annotations

import argparse
import gc
from pathlib import Path

from app.commands.options import data_dir_of, data_dir_or_default, named_profile, profile_of
from app.site.errors import SiteRefused
from app.site.site import Profile, Site

PACE_S = 5.0
"""Between two looks at a frame of the tour's site: 52 handshakes a second took two fifths of the tour's work."""


def run(options: argparse.Namespace) -> int:
    """Opens the window; the exit code when it was closed."""
    # Until the first frame nothing that is made is garbage; afterwards ``app.console.process.collector`` does this
    # work.
    gc.disable()
    from app.console.application import speak

    speak()
    # Only now: most words are made when their modules are imported.
    from app.console.app import run_console

    if options.connect is not None:
        # Which site it is, the service itself states: an option may only contradict it.
        expected = named_profile(options) or ""
        return run_console(expected, Path(), connect_url=options.connect, picture=options.picture)
    profile, data_dir = _site_of(options)
    return run_console(profile, data_dir, picture=options.picture)


def _site_of(options: argparse.Namespace) -> tuple[Profile, Path]:
    """The site to open. One that cannot be used, as one of a newer version, is for the window to tell of: who started
    the console by its icon sees no line on stderr. Its service refuses it in the same words."""
    try:
        return profile_of(options), data_dir_or_default(options)
    except SiteRefused:
        if named_profile(options) is not None:
            raise
        return "training", data_dir_of(options) or Site.default_data_dir("training")


def run_tour(options: argparse.Namespace) -> int:
    """Drives the console through the main job on a training site of its own; pictures go to ``--out``."""
    from app.console.tour import run_tour
    from app.site.settings import Settings

    def make_site(data_dir: Path) -> None:
        Site.open(data_dir, "training", settings=Settings(probe_interval_s=PACE_S))

    return run_tour(options.out, make_site)
