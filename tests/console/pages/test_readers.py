"""Readers against a real training service: doors live, a badge held up, grants door by door, clusters and units."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.api.wire import ListQuery
from app.console.moments import parse_time
from app.console.pages.readers import ReadersPresenter, make
from app.console.pages.readers.editor import ClusterEditor, NotANumber
from app.console.pages.readers.words import (
    Door,
    card_state,
    cluster_state,
    decision_state,
    doors_of,
    reader_state,
    rotation_words,
    summary,
)
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog
from app.registry.messages.clusters import Reader, ReaderBody, ReaderCluster, ReaderKeyed
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, Service, on_screen

HOLDER = "ARC-T0006"
AT = "2026-03-01T10:00:00.000000Z"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> ReadersPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = make(session)
    on_screen(presenter, "readers", session, qtbot)
    return presenter


def reader(
    name: str,
    *,
    online: bool = True,
    secure: bool = True,
    enrolled: bool = True,
    epoch: int = 5,
    pending: str | None = None,
) -> Reader:
    """A reader."""
    return Reader(
        reader_id=name, channel="simulated:", address=1, baud=115200, onboard_list=False, online=online,
        secure_channel=secure, firmware="1.0", epoch=epoch, since=AT, enrolled=enrolled,
        key_changed_at=AT, key_pending=pending,
    )  # fmt: skip


def cluster(*readers: Reader) -> ReaderCluster:
    """A cluster of these."""
    return ReaderCluster(
        cluster_id="c", display_name="C", readers=list(readers), schedule=None, tags=[], created_at=AT, changed_at=AT
    )


async def ready(page: ReadersPresenter, **arguments: str) -> None:
    """The first start has issued its cards, the clusters are there, every door is on its secure channel."""

    async def issued() -> bool:
        # The second reader's card is the last thing that a training site lays out.
        return (await page.session.client.provisioning_list_cards()).items[1].present

    for _ in range(400):
        if await issued():
            break
        await asyncio.sleep(0.05)
    page.enter(arguments)
    await until(lambda: len(page.view.doors.clusters.rows) >= 4, "the clusters")
    await until(lambda: all(cluster_state(row)[0] is Meaning.OK for row in page.view.doors.clusters.rows), "the doors")


@pytest.mark.parametrize(
    ("door", "state"),
    [
        (reader("a"), Meaning.OK),
        (reader("a", secure=False), Meaning.WARN),
        (reader("a", online=False, secure=False), Meaning.BAD),
        (reader("a", enrolled=False), Meaning.WARN),
    ],
)
def test_only_a_secure_channel_is_green(door: Reader, state: Meaning) -> None:
    """Online alone is not enough."""
    assert reader_state(door)[0] is state


def test_doors_that_need_somebody_come_first() -> None:
    """An offline door must not hide at the end of forty."""
    rows = doors_of(cluster(reader("a"), reader("b", online=False)), "", stale=False)
    assert [row.reader.reader_id for row in rows] == ["b", "a"]


def test_a_door_that_lags_behind_shows_by_how_many_changes() -> None:
    """Its grants are older than its neighbours'."""
    rows = doors_of(cluster(reader("a", epoch=3), reader("b")), "", stale=False)
    assert rows[0].epoch == "3 (-2)"


def test_a_key_shows_its_age_and_that_a_new_one_waits() -> None:
    """Days since the reader took it; a pending one is said; a reader without a key has no age."""
    doors = [Door(reader("a", **how), 5, stale=False) for how in ({}, {"pending": AT}, {"enrolled": False})]
    at = parse_time(AT) + 41 * 86_400
    assert [door.key(at) for door in doors] == ["41 d", "pending", "–"]


def test_stale_doors_leave_no_green() -> None:
    """Nothing is known of them now."""
    assert doors_of(cluster(reader("a")), "", stale=True)[0].state is Meaning.IDLE


def test_the_summary_counts_doors_by_state() -> None:
    """One line over the table."""
    words = summary(cluster(reader("a"), reader("b", online=False)))
    assert words == "2 doors, 1 on a secure channel, 1 offline, epoch 5"


def test_a_burned_badge_at_a_door_is_graver_than_a_denial() -> None:
    """Two states, two shapes."""
    assert decision_state("DENY", "burned") is Meaning.CRIT
    assert decision_state("DENY", "expired") is Meaning.BAD


def test_every_wrong_id_of_a_cluster_is_told_at_once(qtbot: Any) -> None:
    """Its own and those of its readers, before anything is sent."""
    parent = page_parent(qtbot)
    saved: list[str] = []
    editor = ClusterEditor(parent, None, lambda name, _body: saved.append(name), training=True)
    editor.cluster_id.setText("north tower")
    for reader_id in ("gate 1", "gate-2"):
        editor.add_reader(ReaderBody(reader_id=reader_id, channel="simulated:", address=1))
    editor._ask()
    assert saved == []
    assert "Cluster id: " in editor.error.text()
    assert editor.error.text().count("This has a space.") == 2
    assert "Reader gate 1: " in editor.error.text()
    assert "gate-2" not in editor.error.text()
    editor.cluster_id.setText("north-tower")
    editor.table.item(0, 0).setText("gate-1")
    editor._ask()
    assert (saved, editor.error.text()) == (["north-tower"], "")


def test_a_word_for_a_number_is_told_before_it_is_sent(qtbot: Any) -> None:
    """An address that is no number."""
    parent = page_parent(qtbot)
    editor = ClusterEditor(parent, None, lambda _name, _body: None, training=True)
    editor.add_reader(ReaderBody(reader_id="a", channel="simulated:", address=1))
    editor.table.item(0, 2).setText("first")
    with pytest.raises(NotANumber):
        editor.body()


def page_parent(qtbot: Any) -> Any:
    """A window that owns a dialog."""
    from PySide6.QtWidgets import QWidget

    parent = QWidget()
    qtbot.addWidget(parent)
    return parent


def test_all_doors_are_listed_by_cluster(page: ReadersPresenter, connect: Connect, run: Run) -> None:
    """104 simulated readers in four clusters."""

    async def work() -> None:
        async with connect(page):
            await ready(page)
            assert sum(len(row.readers) for row in page.view.doors.clusters.rows) == 104
            page.view.doors.choose_cluster("north-tower")
            assert len(page.view.doors.rows.rows) == 40

    run(work())


def test_the_filter_narrows_the_doors(page: ReadersPresenter, connect: Connect, run: Run) -> None:
    """By a part of the id."""

    async def work() -> None:
        async with connect(page):
            await ready(page, cluster_id="north-tower")
            page.view.doors.filter.setText("-07")
            await until(lambda: len(page.view.doors.rows.rows) == 1, "the one door")
            assert page.view.doors.reader_id == "north-tower-07"

    run(work())


def test_a_door_asked_for_is_chosen(page: ReadersPresenter, connect: Connect, run: Run) -> None:
    """Other pages open a door by its id."""

    async def work() -> None:
        async with connect(page):
            await ready(page, reader_id="south-lab-11")
            await until(lambda: page.view.doors.reader_id == "south-lab-11", "the door")

    run(work())


def test_a_badge_in_hand_is_presented_by_one_key(page: ReadersPresenter, connect: Connect, run: Run) -> None:
    """From Write card: the person is filled in, a door that opens to them chosen; the decision is large."""

    async def work() -> None:
        async with connect(page):
            await ready(page, node_id=HOLDER)
            await until(lambda: page.session.actions.is_enabled("readers.present"), "Present")
            page.session.actions.trigger("readers.present")
            await until(lambda: page.view.doors.training.decision.word == "Let in", "the decision")
            assert page.view.doors.training.decision.state is Meaning.OK
            assert " ms." in page.view.doors.training.decision_words.text()

    run(work())


def test_a_card_at_a_door_is_a_live_row(page: ReadersPresenter, connect: Connect, run: Run) -> None:
    """Node, door, decision and why."""

    async def work() -> None:
        async with connect(page):
            await ready(page, node_id="ARC-T0050")
            await until(lambda: page.session.live.state == "live", "the stream")
            await until(lambda: page.session.actions.is_enabled("readers.present"), "Present")
            page.session.actions.trigger("readers.present")
            await until(lambda: page.view.doors.training.decision.word in ("DENY", "No decision"), "the answer")
            page.view.doors.training.person.choose(None)
            await page.training.take_badge(HOLDER, at_cluster=True)
            page.session.actions.trigger("readers.present")
            rows = page.view.doors.accesses
            # The record may be read before the stream tells: what this window has not heard has no colour yet.
            await until(lambda: any(row.heard and row.event.node_id == HOLDER for row in rows.rows), "the row")
            row = next(row for row in rows.rows if row.event.node_id == HOLDER)
            assert (card_state(row), row.event.reader_id) == (Meaning.OK, page.view.doors.reader_id)

    run(work())


def test_an_unplugged_door_is_offline_until_it_is_plugged_in(
    page: ReadersPresenter, connect: Connect, run: Run
) -> None:
    """Its line is pulled and put back by two keys."""

    async def work() -> None:
        async with connect(page):
            await ready(page, reader_id="garage-12")
            await until(lambda: page.view.doors.reader_id == "garage-12", "the door")
            page.session.actions.trigger("readers.unplug")
            await until(lambda: page.view.doors.door is not None and page.view.doors.door.word == "Offline", "offline")
            page.session.actions.trigger("readers.plug")
            await until(
                lambda: page.view.doors.door is not None and page.view.doors.door.word == "Secure channel",
                "the channel",
            )

    run(work())


def test_a_cluster_is_registered_edited_and_deleted(page: ReadersPresenter, connect: Connect, run: Run) -> None:
    """The service's complaint stands at its field; what was saved appears at once."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            page.session.actions.trigger("readers.register")
            editor = page.view.findChild(ClusterEditor)
            assert editor is not None
            editor.cluster_id.setText("test-annex")
            editor.name.setText("Annex")
            editor.add_reader(ReaderBody(reader_id="annex-01", channel="nowhere", address=1))
            editor.save_button.click()
            await until(editor.error.text, "the complaint")
            assert (editor.table.currentRow(), editor.table.currentColumn()) == (0, 1)
            editor.table.item(0, 1).setText("simulated:")
            editor.save_button.click()
            try:
                await until(lambda: page.view.doors.cluster_id == "test-annex", "the cluster")
            finally:
                await client.registry_delete_reader_cluster("test-annex")

    run(work())


def test_keys_of_a_cluster_are_replaced_by_keyboard(
    page: ReadersPresenter, connect: Connect, run: Run, qtbot: Any
) -> None:
    """Asked once more with the safe answer first; a door that is away shows that a new key waits, until it is back."""

    async def work() -> None:
        async with connect(page):
            await ready(page, reader_id="garage-12")
            await until(lambda: page.view.doors.reader_id == "garage-12", "the door")
            shown = [column.title for at, column in enumerate(page.view.doors.rows.columns)
                     if not page.view.doors.table.isColumnHidden(at)]  # fmt: skip
            assert "KEY" in shown
            page.session.actions.trigger("readers.unplug")
            await until(lambda: page.view.doors.door is not None and page.view.doors.door.word == "Offline", "offline")
            before = {door.reader.reader_id: door.reader.key_changed_at for door in page.view.doors.rows.rows}
            assert page.session.actions.get("readers.rotate_keys").keys == ("Ctrl+Shift+K",)
            page.session.actions.trigger("readers.rotate_keys")
            dialog = page.view.findChild(ConfirmDialog)
            assert dialog is not None
            assert not dialog.do.hasFocus()
            dialog.do.setFocus()
            qtbot.keyClick(dialog.do, Qt.Key.Key_Return)
            told = "11 of 12 doors hold their new key, 1 takes it when it is back."
            await until(lambda: page.view.banner.accessibleName() == told, "the answer")

            def keys() -> dict[str, str]:
                return {door.reader.reader_id: door.key(0) for door in page.view.doors.rows.rows}

            await until(lambda: keys()["garage-12"] == "pending", "the key that waits")
            page.session.actions.trigger("readers.plug")
            await until(lambda: keys()["garage-12"] != "pending", "the new key")
            after = {door.reader.reader_id: door.reader.key_changed_at for door in page.view.doors.rows.rows}
            assert [name for name in before if after[name] <= before[name]] == []

    run(work())


def test_a_replacement_of_keys_names_who_failed() -> None:
    """Away is no failure; who failed is named with its reason."""
    readers = [
        ReaderKeyed(reader_id="a", state="rotated", key_changed_at=AT),
        ReaderKeyed(reader_id="b", state="pending_offline", key_changed_at=AT),
        ReaderKeyed(reader_id="c", state="failed", key_changed_at=AT, detail="It refused the key."),
    ]
    assert rotation_words(readers) == (
        "1 of 3 doors hold their new key, 1 takes it when it is back, 1 failed.",
        "Away: b. c: It refused the key.",
        Meaning.BAD,
    )
    assert rotation_words(readers[:1]) == ("1 of 1 doors hold their new key.", "", Meaning.OK)


def test_a_sync_tells_of_each_door(page: ReadersPresenter, connect: Connect, run: Run) -> None:
    """Applied at all twelve, each with its time."""

    async def work() -> None:
        async with connect(page):
            await ready(page)
            page.session.actions.trigger("readers.grants")
            await until(lambda: page.view.grants.profiles.row_of(f"badge-{HOLDER}") >= 0, "the profile")
            page.view.grants.profile_table.selectRow(page.view.grants.profiles.row_of(f"badge-{HOLDER}"))
            page.view.grants.sync_cluster.setCurrentIndex(page.view.grants.sync_cluster.findData("garage"))
            page.session.actions.trigger("readers.sync")
            await until(lambda: page.view.grants.sync_mark.word == "12 of 12 doors", "the proofs")
            assert all(row.latency_ms is not None for row in page.view.grants.results.rows)

    run(work())


def test_this_console_is_among_the_units(page: ReadersPresenter, connect: Connect, run: Run) -> None:
    """It registered itself to follow the stream."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            await until(lambda: page.session.live.state == "live", "the stream")
            page.session.actions.trigger("readers.units")
            await until(lambda: page.view.units.rows.rows, "the units")
            listed = await client.registry_list_units(query=ListQuery())
            assert [row.unit_id for row in page.view.units.rows.rows] == [row.unit_id for row in listed.items]

    run(work())


def test_a_frozen_service_leaves_no_green_door(
    page: ReadersPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """SIGSTOP: doors and clusters turn STALE; SIGCONT: they live again."""

    async def work() -> None:
        async with connect(page):
            await ready(page)
            os.kill(training_service.pid, signal.SIGSTOP)
            try:
                await until(lambda: page.view.doors.freshness.word.startswith("STALE since"), "STALE")
                assert {door.state for door in page.view.doors.rows.rows} == {Meaning.IDLE}
                assert page.view.doors.clusters_stale
            finally:
                os.kill(training_service.pid, signal.SIGCONT)
            await until(lambda: page.view.doors.freshness.state is Meaning.OK, "live doors again")

    run(work())
