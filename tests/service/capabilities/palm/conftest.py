"""One palm site a module: what a test adds, it names for itself."""

from __future__ import annotations

from tests.palm_site import pinned_pictures, site

__all__ = ["pinned_pictures", "site"]
