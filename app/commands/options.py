"""What commands share: which site the options name, and how a command ends."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.site.site import Profile, Site, wrong_profile

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_REFUSED = 2


def refuse(error: Exception) -> int:
    """Tells the person in one sentence what was wrong; the exit code of a command that did nothing."""
    print(f"arc-console: {error}", file=sys.stderr)
    return EXIT_REFUSED


def named_profile(options: argparse.Namespace) -> Profile | None:
    """``--profile``; None unless it was given."""
    named: Profile | None = getattr(options, "profile", None)
    return named


def profile_of(options: argparse.Namespace) -> Profile:
    """The profile of the site in ``--data-dir``; where there is none yet, ``--profile``, and training unless it was
    given. Raises ``SiteRefused`` where the two contradict each other."""
    named, data_dir = named_profile(options), data_dir_of(options)
    if data_dir is None:
        return named or "training"
    kept = Site.kept_profile(data_dir)
    if kept is not None and named is not None and kept != named:
        raise wrong_profile(data_dir, kept, named)
    return kept or named or "training"


def data_dir_of(options: argparse.Namespace) -> Path | None:
    """``--data-dir``, or None: the profile's own place."""
    found: Path | None = getattr(options, "data_dir", None)
    return found


def data_dir_or_default(options: argparse.Namespace) -> Path:
    """``--data-dir``, or the profile's own place."""
    profile = profile_of(options)
    return data_dir_of(options) or Site.default_data_dir(profile)


def existing_site(options: argparse.Namespace) -> Site:
    """The site that the options name, making none. Raises ``SiteRefused``."""
    data_dir = data_dir_of(options)
    if data_dir is not None:
        return Site.existing(data_dir, getattr(options, "profile", None))
    return Site.existing(Site.default_data_dir(profile_of(options)), profile_of(options))
