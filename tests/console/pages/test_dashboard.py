"""The dashboard against a real training service."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.biometrics.messages import TemplateSamples
from app.capabilities.burn.messages import Burn, BurnLog, BurnTarget
from app.capabilities.credentials.messages import DoorDecisionQuery, PresentBody
from app.capabilities.infrastructure.messages import StatusRecord
from app.capabilities.stylized.messages import StylizedBody
from app.console.moments import parse_time
from app.console.pages import dashboard
from app.console.pages.dashboard import DashboardPresenter
from app.console.pages.dashboard.at_doors_words import of_access
from app.console.pages.dashboard.attention_words import DownFrame, attention_rows
from app.console.pages.dashboard.frames import latency_words
from app.console.session import WindowSession
from app.console.shown_time import utc_clock
from app.console.telemetry.door_feed import CardAtDoor
from app.console.telemetry.live import LiveEvent
from app.console.theme.tokens import Meaning
from app.delivery.messages import HAPPENED, Alarm
from app.registry.messages.access import AccessEvent
from app.registry.messages.peers import PeerBody
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, Service, another_key, on_screen

HOLDER = "ARC-T0005"


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    """The page shows frames as they are each second."""
    return {"probe_interval_s": 1.0}


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> DashboardPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = built(dashboard, session)
    assert isinstance(presenter, DashboardPresenter)
    on_screen(presenter, "dashboard", session, qtbot)
    return presenter


def alarm(kind: str, ref: str, node_id: str = "ARC-T0002") -> Alarm:
    """An open alarm."""
    return Alarm(
        alarm_id=f"alm_{kind}", kind=kind, since="2026-03-01T10:00:00.000000Z", node_id=node_id, ref=ref, text="Say so."
    )


def burn_with(state: str) -> Burn:
    """A burn with one target without proof."""
    target = BurnTarget(id="r1", kind="reader", state=state, attempts=1, latency_ms=None, evidence=None)  # type: ignore[arg-type]
    return Burn(
        burn_id="burn_1", node_id="ARC-T0002", scope="GLOBAL_REVOCATION", reason="lost", epoch=1, state="PARTIAL",
        local_deny_us=1.0, targets=[target], residual_exposure=[], log=BurnLog(index=1, sha256="00"),
        timestamp="2026-03-01T10:00:01.000000Z", counts={state: 1, "revoked": 6},
    )  # fmt: skip


def test_every_registered_frame_is_a_cell(page: DashboardPresenter, connect: Connect, run: Run) -> None:
    """The grid shows each server frame of the service with the state that was measured."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({})
            await until(lambda: page.view.frames_tile.value.startswith("5"), "the frames operational")
            listed = await client.registry_list_peers()
            assert page.view.frames.grid.accessibleName().startswith(f"Server frames: {len(listed.items)}")

    run(work())


def test_before_the_first_answer_the_page_loads(page: DashboardPresenter, connect: Connect, run: Run) -> None:
    """Connected and without data yet is neither "nobody knows" nor "nothing needs you"."""

    async def work() -> None:
        async with connect(page):
            await until(lambda: page.session.live.state == "live", "the stream")
            page.enter({})
            await asyncio.sleep(0)
            page.repaint()
            assert page.view.attention.stack.currentWidget() is page.view.attention.loading
            await until(
                lambda: page.view.attention.stack.currentWidget() is not page.view.attention.loading, "the facts"
            )

    run(work())


def test_a_page_opened_again_is_refreshed_and_not_stale(page: DashboardPresenter, connect: Connect, run: Run) -> None:
    """Facts that grew old while another page was shown are being read: no STALE, and no green either."""

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.view.doors_tile.value == "104", "the facts")
            await until(lambda: page.session.live.state == "live", "the stream")
            page.leave()
            page.attention.fresh._heard -= 600.0  # type: ignore[operator]  # ten minutes on another page
            page.enter({})
            await asyncio.sleep(0)
            page.repaint()
            assert "Refreshing" in page.view.doors_tile.accessibleName()
            assert page.view.attention.mark.state is Meaning.IDLE
            await until(lambda: "Refreshing" not in page.view.doors_tile.accessibleName(), "the facts again")

    run(work())


def test_tiles_tell_what_the_service_says(page: DashboardPresenter, connect: Connect, run: Run) -> None:
    """All 104 simulated readers are online, no burn is open, and a latency was measured."""

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.view.doors_tile.value == "104", "all readers")
            assert page.view.doors_tile.unit == "of 104"
            await until(lambda: page.view.latency_tile.unit == "ms", "a latency")
            await until(lambda: "No figure" in page.view.last_door_tile.accessibleName(), "how fast burns were")
            # A number that is measured against nothing is not green.
            assert page.view.last_door_tile.state is Meaning.IDLE
            assert page.view.latency_tile.state is None
            page.session.preferences.remember_goal(60_000)
            await until(lambda: page.view.latency_tile.state is Meaning.OK, "a goal that is kept")
            assert "Goal 60000 ms kept" in page.view.latency_tile.accessibleName()
            # The chart takes it when it is painted next, which may be a beat after the tile.
            await until(lambda: page.view.latency.all_chart.plot.goal == 60_000.0, "the goal's line")

    run(work())


def test_a_frozen_service_leaves_no_green(
    page: DashboardPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """SIGSTOP: every value turns STALE; SIGCONT: they live again."""

    def stale() -> bool:
        tiles = (page.view.frames_tile, page.view.latency_tile, page.view.last_door_tile, page.view.doors_tile)
        return (
            all("STALE since" in tile.accessibleName() for tile in tiles) and not page.view.frames.stale_mark.isHidden()
        )

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.view.latency_tile.unit == "ms" and page.view.doors_tile.value == "104", "values")
            page.view.frames.grid.set_current("training-a-01")
            os.kill(training_service.pid, signal.SIGSTOP)
            try:
                await until(stale, "STALE on every value")
                assert page.view.attention.mark.state is Meaning.IDLE
                assert (page.view.state_line.state, page.view.state_line.words[0]) == (Meaning.IDLE, "Not known")
                assert page.view.inspector.mark.word == "Stale"
            finally:
                os.kill(training_service.pid, signal.SIGCONT)
            await until(lambda: "STALE" not in page.view.frames_tile.accessibleName(), "live frames again")
            await until(lambda: "STALE" not in page.view.last_door_tile.accessibleName(), "live facts again")

    run(work())


def test_a_card_at_a_reader_is_a_row(page: DashboardPresenter, connect: Connect, run: Run) -> None:
    """A badge held to a reader appears at once with node, reader and decision."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({})
            await until(lambda: page.session.live.state == "live", "the stream")
            clusters = await client.registry_list_reader_clusters()
            reader = clusters.items[0].readers[0].reader_id
            await client.credentials_present(PresentBody(reader_id=reader, node_id=HOLDER))
            await until(lambda: page.view.at_doors.rows.rows, "the row")
            row = page.view.at_doors.rows.rows[0]
            assert (row.node, row.where, row.word) == (HOLDER, reader, "Let in")

    run(work())


def test_a_card_of_before_the_window_is_a_row(
    page: DashboardPresenter, connect: Connect, training_service: Service, run: Run
) -> None:
    """A console that is started anew shows what doors decided before it: with the time of then, as of the past."""

    async def work() -> None:
        async with another_key(training_service) as other:
            clusters = await other.registry_list_reader_clusters()
            reader = clusters.items[0].readers[-1].reader_id
            await other.credentials_present(PresentBody(reader_id=reader, node_id="ARC-T0006"))
            query = DoorDecisionQuery(node_id="ARC-T0006", reader_id=reader)
            (said,) = (await other.door_decisions_list(query=query)).items
        async with connect(page):
            page.enter({})
            rows = page.view.at_doors.rows
            await until(lambda: any(row.node == "ARC-T0006" for row in rows.rows), "the row")
            row = next(row for row in rows.rows if row.node == "ARC-T0006")
            assert (row.at, row.where, row.state) == (parse_time(said.at), reader, Meaning.IDLE)

    run(work())


def test_who_has_seen_to_what_happened_closes_its_alarm(page: DashboardPresenter, connect: Connect, run: Run) -> None:
    """A template that was sent back as it is stored: its row is closed here, for everybody."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({})
            template = msgspec.Raw(msgspec.json.encode(b"\x20\xe0" * 256))
            await client.stylized_enrol(HOLDER, TemplateSamples(samples=[template]))
            try:
                sent = StylizedBody(stylized_template=template, registry_id="default", key_epoch=1)
                await client.stylized_verify(sent)
            finally:
                await client.stylized_erase(HOLDER)
            (copied,) = [one for one in (await client.gateway_alarms()).items if one.kind == "stylized.copy"]
            row = f"alarm:{copied.alarm_id}"
            await until(lambda: page.view.attention.rows.row_of(row) >= 0, "the row")
            page.view.attention.table.selectRow(page.view.attention.rows.row_of(row))
            assert page.session.actions.trigger("dashboard.seen")
            await until(lambda: page.view.attention.rows.row_of(row) < 0, "the row leaves")
            assert copied not in (await client.gateway_alarms()).items
            closed = page.view.attention.nothing.rows
            await until(lambda: closed.row_of(copied.alarm_id) >= 0, "the row of what was closed")
            assert closed.rows[closed.row_of(copied.alarm_id)].who == "by the console"

    run(work())


def test_a_frame_that_is_down_needs_somebody_until_the_fact_has_changed(
    page: DashboardPresenter, connect: Connect, run: Run
) -> None:
    """A dead peer is one row with its alarm; muting moves nothing away; the row leaves when the peer is gone."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({})
            await client.registry_put_peer("zz-dead-01", PeerBody(node_id="FRAME-DEAD-01", url="127.0.0.1:9"))
            try:
                await until(lambda: page.view.attention.rows.row_of("frame:zz-dead-01") >= 0, "the row")
                page.view.attention.focus_list()
                page.session.actions.trigger("dashboard.mute")
                assert (
                    page.view.attention.rows.rows[page.view.attention.rows.row_of("frame:zz-dead-01")].muted_until > 0
                )
            finally:
                await client.registry_delete_peer("zz-dead-01")
            await until(lambda: page.view.attention.rows.row_of("frame:zz-dead-01") < 0, "the row leaves")

    run(work())


def test_arrows_choose_the_frame_that_the_inspector_shows(page: DashboardPresenter, connect: Connect, run: Run) -> None:
    """By keyboard alone: focus the grid, move, read the record as in the specification."""

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: len(page.session.live.latency) > 40, "measurements")
            page.session.actions.trigger("dashboard.grid")
            QTest.keyClick(page.view.frames.grid, Qt.Key.Key_Right)
            QTest.keyClick(page.view.frames.grid, Qt.Key.Key_Right)
            assert page.view.frames.grid.current == "training-a-02"
            assert page.view.inspector.value("node_id") == "TRAINING-FRAME-A-02"
            assert page.view.inspector.value("handshake_latency").endswith(" ms")

    run(work())


def test_the_list_is_the_grids_twin(page: DashboardPresenter, connect: Connect, run: Run) -> None:
    """What the painted grid shows can be read as a table, and both have one cursor."""

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(
                lambda: page.session.live.frames and page.view.frames.grid.accessibleName().endswith("52"), "frames"
            )
            page.session.actions.trigger("dashboard.list")
            assert page.view.frames.lists
            assert len(page.view.frames.listed.rows) == 52
            page.view.frames.list.selectRow(3)
            assert page.view.frames.grid.current == page.view.frames.listed.rows[3].peer_id

    run(work())


def test_an_alarm_and_its_burn_are_one_row() -> None:
    """One fact is never told twice: the burn's own words with the alarm's gravity."""
    rows = attention_rows([alarm("burn.pending", "burn_1")], [burn_with("pending_offline")], [], {})
    assert [(row.key, row.state, row.text) for row in rows] == [
        ("burn:burn_1", Meaning.CRIT, "ARC-T0002: 1 of 7 not proven")
    ]


def test_what_presses_most_is_first_and_what_is_muted_last() -> None:
    """Alarms before frames that are down; muted rows at the end, still there."""
    down = [DownFrame("hall-01", "hall-01", "", 0.0)]
    burned = alarm("burn.tripwire", "burn_1")
    assert [row.state for row in attention_rows([burned], [], down, {})] == [Meaning.CRIT, Meaning.BAD]
    muted = attention_rows([burned], [], down, {f"alarm:{burned.alarm_id}": 4e9})
    assert [row.key for row in muted] == ["frame:hall-01", f"alarm:{burned.alarm_id}"]


def test_a_denied_burned_badge_opens_its_burn() -> None:
    """Enter on the row leads to the burn, not to the reader."""
    event = AccessEvent(
        reader_id="r1", cluster_id="c1", node_id="ARC-T0002", decision="DENY", reason="burned", ref="burn_1",
        latency_ms=0.4, epoch=3, at="2026-03-01T10:00:00.000000Z",
    )  # fmt: skip
    row = of_access(CardAtDoor(event, 0.0, heard=True))
    assert (row.page, row.arguments["burn_id"], row.state) == ("burn", "burn_1", Meaning.CRIT)


@pytest.mark.parametrize(
    ("reason", "heard", "state"),
    [
        ("granted", True, Meaning.OK),
        ("granted", False, Meaning.IDLE),
        ("expired", True, Meaning.WARN),
        ("expired", False, Meaning.IDLE),
        ("burned", False, Meaning.CRIT),
    ],
)
def test_a_card_of_the_record_has_no_colour_of_now(reason: str, heard: bool, state: Meaning) -> None:
    """A grant of yesterday is not green; a burned badge stays grave. The hint says where the row is from."""
    event = AccessEvent(
        reader_id="r1", cluster_id="c1", node_id="ARC-T0002", decision="GRANT" if reason == "granted" else "DENY",
        reason=reason, ref=None, latency_ms=0.4, epoch=3, at="2026-03-01T10:00:00.000000Z",
    )  # fmt: skip
    row = of_access(CardAtDoor(event, 1.0, heard=heard))
    assert (row.state, row.at, "record" in row.hint) == (state, 1.0, not heard)


def test_rubbish_in_an_event_hurts_nobody(page: DashboardPresenter) -> None:
    """An access event that cannot be read is left out; the page goes on."""
    page.session.doors.take_accesses([LiveEvent("access", b'{"reader_id": 4}', 0.0)])
    assert page.view.at_doors.rows.rows == []


@pytest.mark.parametrize(
    ("kind", "ref", "arguments"),
    [
        ("lifecycle.review", "hr_0123456789abcdef0123", {"section": "inbox", "event_id": "hr_0123456789abcdef0123"}),
        ("lifecycle.brake", "workday", {"section": "inbox"}),
        ("lifecycle.roster_differs", "", {"section": "roster"}),
    ],
)
def test_an_alarm_of_hr_opens_what_it_is_about(kind: str, ref: str, arguments: dict[str, str]) -> None:
    """The event, the held discharges, or the roster."""
    (row,) = attention_rows([alarm(kind, ref)], [], [], {})
    assert (row.page, dict(row.arguments)) == ("hr", arguments)


@pytest.mark.parametrize(
    ("kind", "logged"),
    [
        ("keystone.replayed", {"action": "keystone.verify"}),
        ("stylized.copy", {"action": "stylized.verify"}),
        ("ledger.fork", {"text": "ledger.fork"}),
    ],
)
def test_an_alarm_without_a_page_opens_the_log_where_it_tells(kind: str, logged: dict[str, str]) -> None:
    """At the refusals with their causes, where there are such; else at the alarm's own entries."""
    (row,) = attention_rows([alarm(kind, "gate-screen")], [], [], {})
    assert (row.page, dict(row.arguments)) == ("audit", logged | {"node_id": "ARC-T0002"})


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("enrolment.known_person", {"section": "enrolment", "node_id": "ARC-T0002"}),
        ("palm.copy", {"section": "palm", "decision_id": "dec_1"}),
    ],
)
def test_an_alarm_of_a_palm_opens_what_it_is_about(kind: str, arguments: dict[str, str]) -> None:
    """The enrolment of that person, or the decision."""
    (row,) = attention_rows([alarm(kind, "dec_1")], [], [], {})
    assert (row.page, dict(row.arguments)) == ("verify", arguments)


def test_a_file_of_card_makers_that_was_changed_opens_the_stock() -> None:
    """There its makers are shown, and their pins are ended."""
    (row,) = attention_rows([alarm("makers.changed", "")], [], [], {})
    assert (row.page, row.step) == ("stock", "see whom the site trusts (Ctrl+M)")


def test_a_person_closes_alarms_of_what_has_happened_alone() -> None:
    """Exactly those that the service lets a person close; the others go with their fact."""
    rows = attention_rows([alarm(kind, kind) for kind in (*HAPPENED, "frame.unreachable")], [], [], {})
    assert {bool(row.closes) for row in rows if not row.key.startswith("frame:")} == {True}
    assert [row.closes for row in rows if row.key.startswith("frame:")] == [""]


def test_the_frames_follow_a_moment_of_the_past(page: DashboardPresenter, connect: Connect, run: Run) -> None:
    """Tiles, grid and chart end there and say so; what is of now is named so, and live is as before."""

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.view.frames_tile.value.startswith("5"), "the frames operational")
            live = page.session.live
            await until(lambda: np.isfinite(live.handshakes.last(6)).any(axis=0).sum() >= 3, "some seconds")
            at = live.now() - 2.0
            page.session.shown_time.go_to(at)
            await until(lambda: "answered at" in page.view.frames_tile.accessibleName(), "the frames of then")
            assert f"the 10 min to {utc_clock(at)}" in page.view.frames.said.text()
            await until(lambda: page.view.latency.all_chart.plot.whole[1] <= at + 1.0, "the chart of then")
            assert page.view.attention.title.text() == "Needs you, now"
            assert {one.word for one in page.frames.board.past_nodes()} <= {"Answered", "No sample"}
            page.session.shown_time.go_to(at - 3000.0)
            await until(lambda: page.view.frames_tile.value == "–", "a moment before the service")
            assert page.view.latency_tile.state is Meaning.IDLE
            page.session.shown_time.go_live()
            await until(lambda: page.view.frames_tile.value.startswith("5"), "the frames of now")
            assert "Frames operational" in page.view.frames_tile.accessibleName()
            assert page.view.attention.title.text() == "Needs you"

    run(work())


def test_the_last_hour_is_read_where_nobody_listened(page: DashboardPresenter, connect: Connect, run: Run) -> None:
    """A console that was opened just now knows how the frames answered before, as the service kept it."""

    async def work() -> None:
        async with connect(page) as client:
            live = page.session.live
            await until(lambda: len(live.handshakes.names) > 50, "the frames")
            begun = live.now()
            assert not np.isfinite(live.handshakes.until(begun - 20.0, 5)).any()
            await live.read_past(client)
            measured = np.isfinite(live.handshakes.until(begun, 600))
            listened = np.isfinite(live.handshakes.until(live.now(), 5)).any()
            assert measured.any(axis=1).sum() > 40
            assert listened

    run(work())


def test_a_frame_that_never_answered_has_no_latency() -> None:
    """The service's word for none is no figure; an old one that is known stays."""
    never = StatusRecord(
        node_id="TRAINING-FRAME-A-01", status="UNREACHABLE", handshake_latency="NaN ms",
        active_sovereign_nodes=0, uplink="none",
    )  # fmt: skip
    known = msgspec.structs.replace(never, handshake_latency="2.41 ms", measured_at="2026-03-01T10:00:00.000000Z")
    assert [latency_words(one) for one in (None, never, known)] == ["–", "–", "2.41 ms"]


@pytest.mark.parametrize(("name", "said"), [("Main door", "Main door pending offline"), (None, "r1 pending offline")])
def test_what_a_burn_waits_for_is_named(name: str | None, said: str) -> None:
    """By its own name, or by the id of one without."""
    burn = burn_with("pending_offline")
    target = msgspec.structs.replace(burn.targets[0], display_name=name)
    (row,) = attention_rows([], [msgspec.structs.replace(burn, targets=[target])], [], {})
    assert row.hint == said
