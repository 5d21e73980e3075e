"""Every kind of directory that the registry takes can be reached, registered in the console and read on the burn board.

The wire names the kinds (``DirectoryKind``); a connector declares itself; form and board have words of their own. This
is what holds the three together.
"""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from app.capabilities.burn.targets.connector import Connector
from app.capabilities.burn.targets.connectors import CONNECTORS
from app.console.pages.burn.words import KIND_WORDS
from app.console.pages.settings.directory_form import KINDS, ONLY, SECRETS
from app.registry.directories import OPEN_SCHEMES
from app.registry.messages.directories import DirectoryBody, DirectoryKind

WIRE: tuple[DirectoryKind, ...] = get_args(DirectoryKind)
DECLARED: dict[str, type[Connector]] = {made.kind: made for made in CONNECTORS}  # type: ignore[attr-defined,misc]
FORM = {kind: address for kind, _, address in KINDS}


def test_each_kind_has_one_connector() -> None:
    """None twice, none missing, none that cannot be registered."""
    assert len(CONNECTORS) == len(DECLARED)
    assert sorted(DECLARED) == sorted(WIRE)


def test_each_kind_has_a_form() -> None:
    """With a word, an address as an example and a word for its secret."""
    assert sorted(FORM) == sorted(WIRE) == sorted(SECRETS)


def test_each_kind_has_a_word_on_the_board() -> None:
    """An operator reads no identifier where the burn is watched."""
    assert [kind for kind in WIRE if kind not in KIND_WORDS] == []


@pytest.mark.parametrize("kind", WIRE)
def test_the_form_shows_the_fields_that_the_kind_reads(kind: DirectoryKind) -> None:
    """Neither one that nothing reads, nor one too few."""
    assert sorted(field for field, kinds in ONLY.items() if kind in kinds) == sorted(DECLARED[kind].fields)


@pytest.mark.parametrize("kind", WIRE)
def test_the_example_has_the_preferred_scheme(kind: DirectoryKind) -> None:
    """An operator who follows it speaks TLS."""
    assert FORM[kind].partition(":")[0] == DECLARED[kind].schemes[0]


@pytest.mark.parametrize("kind", WIRE)
def test_each_scheme_can_be_registered(kind: DirectoryKind) -> None:
    """The message takes an address of every scheme that the connector declares, and of the form's example."""
    rest = FORM[kind].partition(":")[2]
    for url in (FORM[kind], *(f"{scheme}:{rest}" for scheme in DECLARED[kind].schemes)):
        body = {"kind": kind, "url": url, "display_name": "A directory"}
        assert msgspec.convert(body, DirectoryBody).url == url


@pytest.mark.parametrize("kind", WIRE)
def test_the_preferred_scheme_has_tls(kind: DirectoryKind) -> None:
    """A scheme without TLS is never the first: it reaches this machine alone."""
    assert DECLARED[kind].schemes[0] not in OPEN_SCHEMES


@pytest.mark.parametrize("kind", WIRE)
def test_a_declaration_names_what_can_be_registered(kind: DirectoryKind) -> None:
    """Fields of the message, and words for the secret."""
    known = {field.name for field in msgspec.structs.fields(DirectoryBody)}
    assert set(DECLARED[kind].fields) <= known
    assert DECLARED[kind].credential
