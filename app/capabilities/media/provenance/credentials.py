"""Content credentials of a media file (C2PA specification 2.2, section 15), judged without network.

A manifest that a file only points to is not fetched, and neither is a certificate's standing: the maker of the file
would learn who looks at it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import c2pa
import msgspec
from cryptography import x509

from app.ledger.sidecar import offline_context

CredentialsState = Literal["none", "valid_untrusted", "trusted", "invalid"]

INACCESSIBLE: Final = "manifest.inaccessible"
"""Status code of C2PA: the file points to a manifest elsewhere."""
UNREADABLE: Final = "manifest.unreadable"
"""Ours: there are credentials, and they cannot be read."""
CARRIERS: Final = frozenset(
    {
        *("image/jpeg", "image/png", "image/webp", "image/tiff", "image/gif"),
        *("video/mp4", "video/quicktime", "video/x-msvideo"),
    }
)
"""Media types in which credentials are looked for."""
MOST_CODES: Final = 32
MOST_ACTIONS: Final = 32
LONGEST_TEXT: Final = 200
_STATES: Final[dict[str | None, CredentialsState]] = {"Trusted": "trusted", "Valid": "valid_untrusted"}
_BOX: Final = b"jumb"
"""Type of the box that holds credentials (ISO/IEC 19566-5)."""
_REMOTE: Final = "Remote:"
"""How the library's error begins that it may not fetch a manifest: it has no class of its own."""
_AI: Final = ("trainedAlgorithmicMedia", "compositeWithTrainedAlgorithmicMedia")


@dataclass(frozen=True)
class ContentCredentials:
    """``state``: ``invalid`` also where they cannot be read; ``valid_untrusted`` are good ones under no trusted root.
    ``codes``: the validator's, of what failed and, of a valid file, of what it remarked; at most ``MOST_CODES``.
    ``claim_generator``: the program that signed. ``actions``: of the newest manifest, at most ``MOST_ACTIONS``.
    ``digital_source_type``: IPTC's term, of any manifest if it is one for generated media, else of the newest.
    Texts are printable, at most ``LONGEST_TEXT`` characters."""

    state: CredentialsState
    codes: tuple[str, ...] = ()
    claim_generator: str | None = None
    actions: tuple[str, ...] = ()
    digital_source_type: str | None = None


def read_credentials(media: bytes, mime: str, roots: Sequence[x509.Certificate] = ()) -> ContentCredentials:
    """The credentials in a file; ``trusted`` only under one of ``roots``. ``none`` for a media type that is none of
    ``CARRIERS``. Raises nothing for any bytes."""
    if mime not in CARRIERS:
        return ContentCredentials("none")
    try:
        with offline_context(roots) as context, c2pa.Reader(mime, io.BytesIO(media), context=context) as reader:
            state = _STATES.get(reader.get_validation_state(), "invalid")
            return _read_report(state, msgspec.json.decode(reader.json()))
    except c2pa.C2paError.ManifestNotFound:
        return ContentCredentials("none")
    except (c2pa.C2paError, msgspec.MsgspecError, RecursionError) as error:
        if str(error).startswith(_REMOTE):
            return ContentCredentials("none", (INACCESSIBLE,))
        # A broken file without credentials has none that could be invalid.
        return ContentCredentials("invalid", (UNREADABLE,)) if _BOX in media else ContentCredentials("none")


def printable(text: object) -> str | None:
    """A text from a file as it may be shown: printable, without blanks around it, at most ``LONGEST_TEXT`` characters;
    None where nothing is left, or it is no text."""
    if not isinstance(text, str):
        return None
    return "".join(sign for sign in text if sign.isprintable()).strip()[:LONGEST_TEXT].strip() or None


def _read_report(state: CredentialsState, found: Any) -> ContentCredentials:
    """What the library's report says."""
    manifests = _table(_table(found).get("manifests"))
    newest = _table(manifests.get(str(_table(found).get("active_manifest"))))
    actions = list(_actions(newest))
    sources = [source for one in actions if (source := _source(one)) is not None]
    others = [source for one in manifests.values() for act in _actions(_table(one)) if (source := _source(act))]
    generated = next((source for source in sources + others if source.endswith(_AI)), None)
    generators = _list(newest.get("claim_generator_info"))
    named = generators[0] if generators else {}
    generator = " ".join(filter(None, (printable(_table(named).get("name")), printable(_table(named).get("version")))))
    return ContentCredentials(
        state,
        tuple(_codes(_table(found)))[:MOST_CODES],
        printable(generator) or printable(newest.get("claim_generator")),
        tuple(name for one in actions if (name := printable(one.get("action"))))[:MOST_ACTIONS],
        generated or next(iter(sources), None),
    )


def _codes(found: dict[str, Any]) -> Iterator[str]:
    """Each code of what did not hold, once."""
    stated = [printable(_table(one).get("code")) for one in _list(found.get("validation_status"))]
    yield from dict.fromkeys(code for code in stated if code)


def _actions(manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for one in map(_table, _list(manifest.get("assertions"))):
        if str(one.get("label")).startswith("c2pa.actions"):
            yield from map(_table, _list(_table(one.get("data")).get("actions")))


def _source(action: dict[str, Any]) -> str | None:
    return printable(action.get("digitalSourceType"))


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
