"""Preferences of one person on one machine."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from app.console.preferences import Preferences, PreferenceStore, decode
from app.console.table_layout import AS_MADE, MOST_TABLES, TableLayout, layout_of
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
        b'{"version":2,"handshake_goal_ms":-1}',
        b'{"version":2,"handshake_goal_ms":true}',
        b'{"version":2,"handshake_goal_ms":60001}',
        b'{"version":3}',
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


LAYOUT = TableLayout({"NAME": 140}, ("TIME", "NAME"), ("WHY",), ("EPOCH",), "TIME", True)


def test_a_table_that_was_set_is_read_back(application: QApplication, tmp_path: Path) -> None:
    """Without dressing the window anew; one that is as its page made it is forgotten."""
    path = tmp_path / "preferences.json"
    store = PreferenceStore(path)
    told: list[None] = []
    store.changed.connect(lambda: told.append(None))
    store.remember_table("Doors", LAYOUT)
    store.remember_table("Frames", TableLayout(sort="NAME"))
    store.set(theme="light")
    assert PreferenceStore(path).value.tables == {"Doors": LAYOUT, "Frames": TableLayout(sort="NAME")}
    store.remember_table("Frames", AS_MADE)
    assert PreferenceStore(path).value.tables == {"Doors": LAYOUT}
    assert len(told) == 1


def test_preferences_of_version_1_are_taken_over() -> None:
    """With every table as its page makes it."""
    value = decode(b'{"version":1,"theme":"light","page":"audit","tables":{"Doors":{"sort":"NAME"}}}')
    assert (value.version, value.theme, value.page, value.tables) == (2, "light", "audit", {})


@pytest.mark.parametrize(
    "table",
    ['{"widths":{"NAME":0}}', '{"widths":{"NAME":true}}', '{"order":"NAME"}', '{"hidden":[1]}', '{"sort":null}',
     '{"descending":1}', "[]", '{"order":["' + "x" * 121 + '"]}'],
)  # fmt: skip
def test_a_table_that_cannot_be_so_is_left_out(table: str) -> None:
    """Nobody wrote it by hand: the others stay, and nothing is told."""
    value = decode(f'{{"version":2,"tables":{{"Doors":{table},"Frames":{{"sort":"NAME"}}}}}}'.encode())
    assert value.tables == {"Frames": TableLayout(sort="NAME")}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["widths", "order", "hidden", "shown", "sort", "descending", "A"]), inner)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_a_layout_or_none(raw: object) -> None:
    """Nothing is raised, and what is taken can be written and read again."""
    layout = layout_of(raw)
    assert layout is None or layout_of(json.loads(json.dumps(asdict(layout)))) == layout


def test_the_tables_set_last_are_kept(application: QApplication, tmp_path: Path) -> None:
    """A file does not grow without bounds."""
    store = PreferenceStore(tmp_path / "preferences.json")
    many = {f"Table {at}": TableLayout(sort="NAME") for at in range(MOST_TABLES)}
    store.set(tables=many)
    store.remember_table("One more", TableLayout(sort="NAME"))
    assert list(store.value.tables) == [*list(many)[1:], "One more"]
