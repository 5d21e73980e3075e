"""Preferences of one person on one machine."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from app.console.preferences import Preferences, PreferenceStore, decode
from app.console.theme.tokens import Density


@given(st.binary(max_size=200))
def test_any_file_is_preferences_or_refused(data: bytes) -> None:
    """Nothing but ValueError leaves the parser."""
    with contextlib.suppress(ValueError):
        decode(data)


@pytest.mark.parametrize(
    "data",
    [
        b'{"version":1,"theme":"pink"}',
        b'{"version":1,"text_scale":true}',
        b'{"version":1,"reduce_motion":1}',
        b'{"version":2}',
        b'{"version":true}',
        b"[]",
        b"{}",
    ],
)
def test_a_value_that_is_none_is_refused(data: bytes) -> None:
    """Neither another type nor a later version is taken."""
    with pytest.raises(ValueError, match=r"."):
        decode(data)


def test_a_change_is_read_back(application: QApplication, tmp_path: Path) -> None:
    """What was set is there at the next start."""
    path = tmp_path / "deep" / "preferences.json"
    PreferenceStore(path).set(theme="light", density="comfortable", text_scale=150)
    again = PreferenceStore(path).value
    assert (again.theme, again.density, again.text_scale) == ("light", Density.COMFORTABLE, 150)


def test_a_broken_file_gives_the_defaults_and_a_sentence(application: QApplication, tmp_path: Path) -> None:
    """The console starts, and says why it looks different."""
    path = tmp_path / "preferences.json"
    path.write_bytes(b"\xff{")
    store = PreferenceStore(path)
    assert store.value == Preferences()
    assert str(path) in store.problem


def test_a_directory_that_refuses_is_told(application: QApplication, tmp_path: Path) -> None:
    """The change is in force, and the sentence says that it was not kept."""
    (tmp_path / "config").write_text("a file where the directory should be")
    store = PreferenceStore(tmp_path / "config" / "preferences.json")
    store.set(theme="light")
    assert store.value.theme == "light"
    assert "could not be written" in store.problem
