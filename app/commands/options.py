"""What commands share: which site the options name, and how a command ends."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.site.site import Profile, Site

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_REFUSED = 2


def refuse(error: Exception) -> int:
    """Tells the person in one sentence what was wrong; the exit code of a command that did nothing."""
    print(f"arc-console: {error}", file=sys.stderr)
    return EXIT_REFUSED


def profile_of(options: argparse.Namespace) -> Profile:
    """``--profile``; training unless it was given."""
    profile: Profile = getattr(options, "profile", "training")
    return profile


def data_dir_of(options: argparse.Namespace) -> Path | None:
    """``--data-dir``, or None: the profile's own place."""
    found: Path | None = getattr(options, "data_dir", None)
    return found


def data_dir_or_default(options: argparse.Namespace) -> Path:
    """``--data-dir``, or the profile's own place."""
    return data_dir_of(options) or Site.default_data_dir(profile_of(options))


def existing_site(options: argparse.Namespace) -> Site:
    """The site that the options name, making none. Raises ``SiteRefused``."""
    data_dir = data_dir_of(options)
    if data_dir is not None:
        return Site.existing(data_dir, getattr(options, "profile", None))
    return Site.existing(Site.default_data_dir(profile_of(options)), profile_of(options))
