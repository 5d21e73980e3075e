"""Preferences of one person on one machine."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from app.console.preferences import (
    MIGRATIONS,
    MOST_KEPT,
    VERSION,
    Preferences,
    PreferenceStore,
    decode,
    preferred_language,
)
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
        b'{"version":3,"closing":"never"}',
        b'{"version":4,"motion":"some"}',
        b'{"version":5,"language":"pseudo"}',
        b'{"version":6,"larger_text":"later"}',
        b'{"version":7}',
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
    assert "the defaults are" in store.left_out


@pytest.mark.parametrize("data", [b"\xff{", b'{"version":7,"theme":"light","colour":"blue"}'])
def test_a_file_that_cannot_be_used_is_kept_aside(application: QApplication, tmp_path: Path, data: bytes) -> None:
    """Broken or of a newer console: the next change writes a new file, and the old one lies where the sentence says."""
    path = tmp_path / "preferences.json"
    for number in (1, 2):
        path.write_bytes(data)
        store = PreferenceStore(path)
        store.set(theme="light")
        aside = tmp_path / f"preferences.kept-{number}.json"
        assert str(aside) in store.left_out
        assert aside.read_bytes() == data
        assert decode(path.read_bytes()).theme == "light"


def test_files_that_are_kept_aside_are_not_without_number(application: QApplication, tmp_path: Path) -> None:
    """The last of too many stays in its place until something is changed, and the sentence says so."""
    path = tmp_path / "preferences.json"
    for _ in range(MOST_KEPT + 1):
        path.write_bytes(b"{")
        store = PreferenceStore(path)
    assert len(list(tmp_path.iterdir())) == MOST_KEPT + 1
    assert path.read_bytes() == b"{"
    assert f"{MOST_KEPT} such files are kept already" in store.left_out


def test_a_file_that_cannot_be_read_is_told_and_left(application: QApplication, tmp_path: Path) -> None:
    """A folder of that name is nobody's preferences."""
    path = tmp_path / "preferences.json"
    path.mkdir()
    assert "could not be read" in PreferenceStore(path).left_out
    assert path.is_dir()


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


WRITTEN = Path(__file__).parent / "preferences_files"
"""Files that the consoles of older versions wrote."""
CHOSEN = Preferences(
    theme="light",
    density=Density.COMFORTABLE,
    text_scale=125,
    motion="reduced",
    home="audit",
    sounds=False,
    badge_printer="CardPrinter",
    window="1480x900+20-10",
    maximized=True,
    page="burn",
)
"""What the person had set in each of them."""
SINCE_2 = CHOSEN._replace(handshake_goal_ms=50, first_steps="skipped", tables={"Doors": LAYOUT})


@pytest.mark.parametrize(
    ("version", "value"),
    [
        (1, CHOSEN),
        (2, SINCE_2),
        (3, SINCE_2._replace(closing="quit", alarm_sounds=False)),
        (4, SINCE_2._replace(closing="quit", alarm_sounds=False)),
        (5, SINCE_2._replace(closing="quit", alarm_sounds=False, language="en")),
    ],
)
def test_preferences_of_each_older_version_are_taken_over(version: int, value: Preferences) -> None:
    """All that was set, and for what that version did not know the value that its migration names."""
    assert decode((WRITTEN / f"version-{version}.json").read_bytes()) == value


def test_every_older_version_has_its_file() -> None:
    """A version that is raised without a migration, or without a file of the version before, fails here."""
    older = set(range(1, VERSION))
    assert set(MIGRATIONS) == older
    assert {int(path.stem.removeprefix("version-")) for path in WRITTEN.glob("version-*.json")} == older


@pytest.mark.parametrize(
    ("version", "field"),
    [(1, "tables"), (2, "closing"), (2, "alarm_sounds"), (3, "motion"), (4, "language"), (5, "larger_text")],
)
def test_a_field_that_its_version_did_not_have_is_not_taken(version: int, field: str) -> None:
    """What an older file says under a name that came later was never ours."""
    raw = json.dumps({"version": version, field: {"Doors": {"sort": "NAME"}}})
    assert getattr(decode(raw.encode()), field) == getattr(Preferences(), field)


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
    assert layout is None or layout_of(json.loads(json.dumps(layout._asdict()))) == layout


def test_the_tables_set_last_are_kept(application: QApplication, tmp_path: Path) -> None:
    """A file does not grow without bounds."""
    store = PreferenceStore(tmp_path / "preferences.json")
    many = {f"Table {at}": TableLayout(sort="NAME") for at in range(MOST_TABLES)}
    store.set(tables=many)
    store.remember_table("One more", TableLayout(sort="NAME"))
    assert list(store.value.tables) == [*list(many)[1:], "One more"]


@pytest.mark.parametrize(
    "data", [b"{", b"\xff", b'{"version":7,"language":"en"}', b'{"version":5,"language":"xx"}', None]
)
def test_the_system_is_asked_when_no_language_can_be_read(data: bytes | None, tmp_path: Path) -> None:
    """The console must start, whatever lies there."""
    path = tmp_path / "preferences.json"
    if data is not None:
        path.write_bytes(data)
    assert preferred_language(path) == "system"


def test_the_language_that_was_set_is_preferred(application: QApplication, tmp_path: Path) -> None:
    """It is spoken from the next start on."""
    path = tmp_path / "preferences.json"
    PreferenceStore(path).set(language="en")
    assert preferred_language(path) == "en"
