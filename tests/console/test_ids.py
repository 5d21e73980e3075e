"""Ids that a person types, judged before anything is sent, as the service would."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.wire import NodeId, RegistryId
from app.console.ids import wrong_id


@pytest.mark.parametrize(
    ("text", "node", "said"),
    [
        ("hall-a-01", False, ""),
        ("a", False, ""),
        ("ARC-1", True, ""),
        ("front door", False, "This has a space."),
        ("Tür\t1", False, "This has ü, a tab."),
        ("a\u200bb", False, "This has U+200B."),
        ("", False, "1 to 64 letters"),
        ("a", True, "3 to 64 letters"),
        ("-a", False, "beginning with a letter or digit."),
        ("a" * 65, False, "1 to 64 letters"),
    ],
)
def test_what_is_wrong_is_said(text: str, node: bool, said: str) -> None:
    """The shape, and which characters do not belong; nothing for a good one."""
    found = wrong_id(text, node=node)
    assert said in found
    assert bool(found) == bool(said)
    assert ("This has" in found) == bool(re.search(r"[^A-Za-z0-9._:-]", text))


@given(st.text(max_size=70), st.booleans())
def test_it_judges_as_the_service_does(text: str, node: bool) -> None:
    """Any text at all."""
    try:
        msgspec.convert(text, NodeId if node else RegistryId)
    except msgspec.ValidationError:
        assert wrong_id(text, node=node)
    else:
        assert wrong_id(text, node=node) == ""
