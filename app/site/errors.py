"""Why a site cannot be used.

::

    SiteError
    +-- SiteRefused     the directory is not this site's: other profile, foreign files, unreadable site.json
    +-- SiteBusy        another service already works on this directory
"""

from __future__ import annotations


class SiteError(Exception):
    """Base of what a site is refused by; its text is a plain sentence with the remedy."""


class SiteRefused(SiteError):
    """The directory cannot be this site's."""


class SiteBusy(SiteError):
    """Another service holds this directory."""
