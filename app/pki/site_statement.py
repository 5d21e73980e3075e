"""What the site says that it is, signed by its document key: a caller need not believe an address or a flag."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Final

import msgspec

from app.api.health_messages import SignedStatement, SiteStatement
from app.api.wire import rfc3339
from app.pki.document_signer import DocumentSigner
from app.site.site import Site

TYPE: Final = "arc-site"


def introduction_of(site: Site, documents: DocumentSigner) -> Callable[[], tuple[SiteStatement, SignedStatement]]:
    """Gives the site's statement of this moment, plain and as a flattened JWS of the type ``arc-site``."""
    program = program_version()

    def introduce() -> tuple[SiteStatement, SignedStatement]:
        at = rfc3339(time.time_ns() // 1000)
        said = SiteStatement(profile=site.profile, site_id=site.site_id, version=program, at=at)
        return said, msgspec.json.decode(documents.sign(msgspec.json.encode(said), TYPE), type=SignedStatement)

    return introduce


def program_version() -> str:
    """Of the installed package; ``unknown`` where the program runs from a folder that was never installed."""
    try:
        return version("arc-console")
    except PackageNotFoundError:
        return "unknown"
