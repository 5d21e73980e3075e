"""The infrastructure page against a real training service."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from app.capabilities.burn.messages import BurnBody
from app.capabilities.infrastructure.messages import NodesQuery
from app.console.failures import Failure
from app.console.moments import api_time
from app.console.pages.infrastructure import InfrastructurePresenter, make
from app.console.pages.infrastructure.form import PeerForm, PeerRequest
from app.console.pages.infrastructure.selection_view import MOST_EVENTS
from app.console.pages.infrastructure.tile_words import Measure
from app.console.pages.infrastructure.words import FrameRow
from app.console.session import WindowSession
from app.console.shown_time import utc_clock
from app.console.theme.tokens import Meaning
from app.console.widgets.chart_data import sample_times
from app.console.widgets.chart_plot import ChartEvent
from app.console.widgets.confirm import ConfirmDialog
from app.console.widgets.table import DataTable
from app.registry.messages.peers import Peer, PeerBody
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen

NEW = "zz-new-01"


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    """The page shows frames as they are each second."""
    return {"probe_interval_s": 1.0}


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> InfrastructurePresenter:
    """The page at the size of the design, its actions in the table."""
    session.clearance = "citadel"
    presenter = make(session)
    on_screen(presenter, "infrastructure", session, qtbot)
    return presenter


async def form_of(page: InfrastructurePresenter) -> PeerForm:
    """The form that opens."""
    await until(lambda: page.view.window().findChildren(PeerForm), "the form")
    return page.view.window().findChildren(PeerForm)[-1]


def registered(**changes: Any) -> Peer:
    """A peer with certificates of its own."""
    values: dict[str, Any] = {
        "peer_id": NEW, "node_id": "FRAME-NEW-01", "url": "127.0.0.1:9", "ca_sha256": ["ab" * 32],
        "certificate_sha256": None, "level": "citadel", "maintenance": False, "tags": ["drill"],
        "created_at": "2026-03-01T10:00:00.000000Z", "changed_at": "2026-03-01T10:00:00.000000Z",
    }  # fmt: skip
    return Peer(**(values | changes))


def test_frames_are_listed_with_percentiles_the_worst_first(
    page: InfrastructurePresenter, connect: Connect, run: Run
) -> None:
    """Each frame with percentiles of the span, phases, certificate days and key exchange group; the one under
    maintenance is above those that are operational."""

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.view.rows.rows and page.view.rows.rows[0].p50 != "–", "percentiles")
            row = page.view.rows.rows[0]
            assert row.phases.startswith("Resolve ")
            assert (row.certificate, row.uplink) == ("397 days", "X25519MLKEM768")
            words = [entry.word for entry in page.view.rows.rows]
            assert words == sorted(words, key=lambda word: word == "Operational")

    run(work())


def test_a_peer_is_registered_through_the_form(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """Ctrl+N, three fields, Enter: the frame is in the list and chosen."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({"do": "register"})
            await until(lambda: page.view.rows.rows, "the list")
            form = await form_of(page)
            form.peer_id.setText(NEW)
            form.node_id.setText("FRAME-NEW-01")
            form.url.setText("127.0.0.1:9")
            form.save.click()
            try:
                await until(lambda: page.view.rows.row_of(NEW) >= 0, "the new row")
                assert page.view.table.currentIndex().row() == page.view.rows.row_of(NEW)
            finally:
                await client.registry_delete_peer(NEW)

    run(work())


def test_what_the_service_refuses_is_told_at_the_field(
    page: InfrastructurePresenter, connect: Connect, run: Run
) -> None:
    """A wrong address is marked at its own field by the pointer of the problem; nothing is registered."""

    async def work() -> None:
        async with connect(page):
            page.enter({"do": "register"})
            form = await form_of(page)
            form.peer_id.setText(NEW)
            form.node_id.setText("FRAME-NEW-01")
            form.url.setText("no port")
            form.save.click()
            await until(lambda: form.error("url"), "the error at the field")
            assert form.error("url").startswith("A host name or address and a port")
            assert form.isVisible()
            assert form.error("node_id") == ""
            form.reject()

    run(work())


def test_maintenance_is_switched_by_one_key(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """The chosen frame goes under maintenance and comes back; its other fields stay."""

    def word() -> str:
        return page.view.rows.rows[page.view.rows.row_of("training-a-01")].word

    async def switch(on: bool) -> None:
        await until(lambda: page.frames.peers["training-a-01"].maintenance is not on, "the list")
        page.session.actions.trigger("infrastructure.maintenance")
        await until(lambda: (word() == "Maintenance") is on, "the status")

    async def work() -> None:
        async with connect(page) as client:
            before = await client.registry_get_peer("training-a-01")
            page.enter({"peer_id": "training-a-01"})
            await until(lambda: page.session.actions.is_enabled("infrastructure.maintenance"), "a chosen frame")
            await switch(True)
            await switch(False)
            after = await client.registry_get_peer("training-a-01")
            assert (after.url, after.level, after.maintenance) == (before.url, before.level, False)

    run(work())


def test_deleting_asks_first(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """Nothing goes before the person agrees; then the row leaves."""

    async def work() -> None:
        async with connect(page) as client:
            await client.registry_put_peer(NEW, PeerBody(node_id="FRAME-NEW-01", url="127.0.0.1:9"))
            page.enter({"peer_id": NEW})
            await until(
                lambda: page.session.actions.is_enabled("infrastructure.delete") and page.frames.chosen == NEW, "chosen"
            )
            page.session.actions.trigger("infrastructure.delete")
            dialog = page.view.window().findChildren(ConfirmDialog)[-1]
            assert NEW in {peer.peer_id for peer in (await client.registry_list_peers()).items}
            dialog.accept()
            await until(lambda: page.view.rows.row_of(NEW) < 0, "the row leaves")

    run(work())


def test_the_filter_narrows_and_keeps_the_chosen_frame(
    page: InfrastructurePresenter, connect: Connect, run: Run
) -> None:
    """Words of id, group, status and uplink; the history on the screen stays."""

    async def work() -> None:
        async with connect(page):
            page.enter({"peer_id": "training-c-03"})
            await until(lambda: page.frames.chosen == "training-c-03", "the chosen frame")
            page.view.filter.setText("training-b")
            assert {row.group for row in page.view.rows.rows} == {"Training b"}
            page.view.filter.setText("nothing is called so")
            assert page.view.stack.currentWidget() is page.view.none_found

    run(work())


def test_a_span_without_a_measurement_is_a_gap(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """What was not measured is not drawn: the chart has values only where the API has points."""

    async def work() -> None:
        async with connect(page):
            page.enter({"peer_id": "training-a-02"})
            await until(
                lambda: page.frames.board.frames and page.frames.board.frames["training-a-02"].history, "history"
            )
            frame = page.frames.board.frames["training-a-02"]
            await until(lambda: frame.peer_id in page.view.chart.plot.lines, "the chart")
            x, y = page.view.chart.plot.lines[frame.peer_id]
            measured = sum(point.handshake.p99 is not None for point in frame.history)
            assert int(np.isfinite(y).sum()) == measured
            assert len(x) == len(y)

    run(work())


def test_own_certificates_are_never_lost_by_saving(application: QApplication, qtbot: Any) -> None:
    """The service shows them by fingerprint only: they must be pasted again or dropped on purpose."""
    form = PeerForm(None, registered())  # type: ignore[arg-type]
    qtbot.addWidget(form)
    form.open()
    asked: list[PeerRequest] = []
    form.asked.connect(asked.append)
    form.save.click()
    assert asked == []
    assert form.error("ca") != ""
    form.drop.setChecked(True)
    form.save.click()
    assert (asked[0].body.ca, asked[0].body.level, asked[0].body.tags) == (None, "citadel", ["drill"])


def test_a_refusal_without_a_field_stands_at_the_head(application: QApplication, qtbot: Any) -> None:
    """A node id that another peer has is told with the next step, and the form can be sent again."""
    form = PeerForm(None, None)  # type: ignore[arg-type]
    qtbot.addWidget(form)
    form.open()
    form.show_failure(Failure("state_conflict", "Peer x is already frame y.", "Give each frame its own id."))
    assert form.banner.text == "Peer x is already frame y."
    assert form.save.isEnabled()


def test_all_that_is_wrong_is_marked_at_once(application: QApplication, qtbot: Any) -> None:
    """Before anything is sent: a space in the id is told at the id, and the other fields in the same breath."""
    form = PeerForm(None, None)  # type: ignore[arg-type]
    qtbot.addWidget(form)
    asked: list[PeerRequest] = []
    form.asked.connect(asked.append)
    form.peer_id.setText("front door")
    form.node_id.setText("x")
    form.save.click()
    assert "This has a space." in form.error("id")
    assert "3 to 64" in form.error("node_id")
    assert form.error("url")
    assert (asked, form.save.isEnabled()) == ([], True)
    form.peer_id.setText("front-door")
    form.node_id.setText("FRAME-1")
    form.url.setText("127.0.0.1:1")
    form.save.click()
    (request,) = asked
    assert (request.peer_id, request.body.node_id, form.marked) == ("front-door", "FRAME-1", False)


def test_the_chart_marks_what_happened(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """A burn from before the page was opened is read from the log, one that begins now is heard on the stream; the goal
    is drawn, and the frame's course is there as a table."""

    async def work() -> None:
        async with connect(page) as client:
            await client.burn_execute(BurnBody(node_id="ARC-CHART-1", scope="LOCAL_ONLY", reason="test"))
            page.enter({"peer_id": "training-a-02"})
            plot = page.view.chart.plot

            def marked() -> set[str]:
                return {one.sentence for one in plot.events if one.word == "Burn"}

            await until(lambda: "ARC-CHART-1" in marked(), "the burn of before")
            await client.burn_execute(BurnBody(node_id="ARC-CHART-2", scope="LOCAL_ONLY", reason="test"))
            await until(lambda: page.frames._paint_history() or "ARC-CHART-2" in marked(), "the burn of now")
            start, end = plot.whole
            assert all(start <= one.at <= end + 60 for one in plot.events)
            page.session.preferences.remember_goal(50)
            page.frames._paint_history()
            assert plot.goal == 50.0
            page.view.chart.show_table(True)
            table = page.view.chart.findChild(DataTable)
            assert table is not None
            assert table.rows_model is not None
            assert table.rows_model.rowCount() == len({float(at) for at in sample_times(plot.lines)})

    run(work())


async def opened(page: InfrastructurePresenter, peer_id: str = "training-a-02") -> None:
    """The page with that frame chosen, its chart and its table there."""
    page.enter({"peer_id": peer_id})
    await until(lambda: page.frames.chosen == peer_id and peer_id in page.view.chart.plot.lines, "the chart")


def test_a_tile_chooses_the_chart(page: InfrastructurePresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """By the keyboard, too; counts have an axis with a zero, and no goal of milliseconds."""

    async def work() -> None:
        async with connect(page):
            page.session.preferences.remember_goal(50)
            await opened(page)
            view, plot = page.view, page.view.chart.plot
            assert view.tiles.tiles[Measure.P99].isChecked()
            assert [one.name for one in plot.series] == ["slowest frame", "training-a-02"]
            assert plot.goal == 50.0
            for measure, name in (
                (Measure.OPERATIONAL, "frames that answered"),
                (Measure.MISSED, "all frames"),
                (Measure.P50, "training-a-02"),
            ):
                qtbot.keyClick(view.tiles.tiles[measure], Qt.Key.Key_Space)
                assert [one.isChecked() for one in view.tiles.tiles.values()].count(True) == 1
                assert plot.series[-1].name == name
                assert name in plot.lines
                assert plot.goal is None
                assert plot.counts is (measure is not Measure.P50)
            qtbot.keyClick(view.tiles.tiles[Measure.P50], Qt.Key.Key_Space)
            assert view.tiles.tiles[Measure.P50].isChecked()

    run(work())


def test_a_tile_without_a_history_says_so(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """No history is kept of certificates: the chart stays that of the handshakes."""

    async def work() -> None:
        async with connect(page):
            await opened(page)
            tile = page.view.tiles.tiles[Measure.CERTIFICATES]
            tile.click()
            assert not tile.tile.trends
            assert "no history" in {one.text() for one in tile.findChildren(QLabel) if one.isVisible()}
            assert page.view.chart_note.text() == "no history of certificates"
            assert "training-a-02" in page.view.chart.plot.lines

    run(work())


def test_the_tiles_say_how_the_frames_are(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """Figures of the service, with the goal in words; heard as they are read."""

    async def work() -> None:
        async with connect(page):
            page.session.preferences.remember_goal(60_000)
            await opened(page)
            tiles = page.view.tiles.tiles
            total = len(page.frames.board.frames)
            await until(lambda: tiles[Measure.P99].tile.state is Meaning.OK, "a minute's handshakes")
            assert tiles[Measure.OPERATIONAL].tile.unit == f"of {total}"
            assert tiles[Measure.P50].tile.state is None
            assert "Goal 60000 ms kept" in tiles[Measure.P99].accessibleName()
            assert tiles[Measure.CERTIFICATES].accessibleName() == "Certificates 397 days None ends within 30 days"

    run(work())


def test_silent_frames_leave_no_tile_green(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """The figures stay, and say since when nothing came."""

    async def work() -> None:
        async with connect(page):
            await opened(page)
            tiles = page.view.tiles.tiles
            page.frames.board.stale_since = lambda: "STALE since 14:32:07"  # type: ignore[method-assign]
            page.frames._paint_tiles()
            assert {one.tile.state for one in tiles.values()} == {Meaning.IDLE}
            assert all("STALE since 14:32:07" in one.accessibleName() for one in tiles.values())
            assert tiles[Measure.CERTIFICATES].tile.value == "397"

    run(work())


def test_the_operational_rest_is_one_row(page: InfrastructurePresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """Enter lists it, a filter looks through it, and no row is cut."""

    async def work() -> None:
        async with connect(page):
            await opened(page)
            view = page.view
            total, fold = len(page.frames.board.frames), view.folded.fold
            listed = len(view.rows.rows)
            assert fold.isVisible()
            assert fold.text().startswith(f"{total - listed} more, all operational, slowest p99 ")
            assert view.rows.row_of("training-a-02") >= 0
            table = view.table
            room = table.height() - table.horizontalHeader().height() - 2 * table.frameWidth()
            assert room // table.row_px() == room / table.row_px()
            view.filter.setText("training-b")
            assert {row.group for row in view.rows.rows} == {"Training b"}
            assert not fold.isVisible()
            view.filter.clear()
            qtbot.keyClick(fold, Qt.Key.Key_Return)
            assert len(view.rows.rows) == total
            page.session.actions.trigger("infrastructure.all")
            assert len(view.rows.rows) < total
            view.table.sort_by(0, descending=True)
            assert [row.peer_id for row in view.rows.rows] == sorted(page.frames.board.frames, reverse=True)
            assert not fold.isVisible()
            view.table.sort_by(-1)
            assert fold.isVisible()

    run(work())


def test_a_selection_says_what_changed(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """In the place of the frame's record, with the phases that were read; it goes with the selection."""

    async def work() -> None:
        async with connect(page) as client:
            burn = await client.burn_execute(BurnBody(node_id="ARC-AROUND-1", scope="LOCAL_ONLY", reason="test"))
            await opened(page)
            view, live = page.view, page.session.live
            now = live.now()
            await until(
                lambda: (
                    page.frames._paint_history()
                    or any(one.sentence == "ARC-AROUND-1" for one in view.chart.plot.events)
                ),
                "the burn",
            )
            view.chart.range.select((now - 300, now + 60))
            panel = view.selection
            assert (panel.isVisible(), view.inspector.isVisible()) == (True, False)
            assert panel.title.text().startswith("Selected ")
            assert panel.sentence.text() == "training-a-02: nothing before it to compare"
            assert [one.name for one in panel.phases.phases] == ["Resolve", "Connect", "First byte", "Rest of TLS"]
            assert panel.bundle.isVisible()
            assert page.session.actions.is_enabled("infrastructure.bundle")
            assert burn.burn_id in panel.traces
            panel.closed.emit()
            assert (panel.isVisible(), view.inspector.isVisible()) == (False, True)
            assert not page.session.actions.is_enabled("infrastructure.bundle")

    run(work())


def test_in_a_narrow_page_the_words_stand_below_the_chart(
    page: InfrastructurePresenter, connect: Connect, run: Run
) -> None:
    """A frame's record stands below the table there: it is not what was asked for."""

    async def work() -> None:
        async with connect(page):
            await opened(page)
            view, now = page.view, page.session.live.now()

            def top(part: QWidget) -> int:
                return part.mapTo(view, QPoint(0, 0)).y()

            view.resize(944, 604)
            await until(lambda: top(view.chart) < top(view.table) < top(view.inspector), "the record below the table")
            view.chart.range.select((now - 300, now + 60))
            await until(lambda: top(view.chart) < top(view.selection) < top(view.table), "the words below the chart")

    run(work())


def test_marked_frames_are_compared_by_dash(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """Two at most, in the inks of text and of what is dim: no hue tells them apart."""

    async def work() -> None:
        async with connect(page):
            await opened(page)
            view = page.view
            view.folded.fold.click()
            for peer_id in ("training-b-01", "training-b-02", "training-b-03"):
                view.rows.mark(view.rows.row_of(peer_id), True)
            drawn = [(one.name, one.colour, one.dash) for one in view.chart.plot.series]
            assert drawn == [
                ("training-b-02", "dim", True),
                ("training-b-01", "text", False),
                ("training-a-02", "accent", False),
            ]
            view.table.mark_all(False)
            assert view.chart.plot.series[0].name == "slowest frame"

    run(work())


async def enter_past(page: InfrastructurePresenter) -> float:
    """The page shows a moment some seconds ago, at which every frame had answered; its Unix time."""
    page.enter({"peer_id": "training-a-02"})
    rings, live = page.session.live.handshakes, page.session.live
    await until(lambda: page.view.rows.rows and page.view.rows.rows[0].p50 != "–", "percentiles")
    await until(lambda: np.isfinite(rings.last(6)).any(axis=0).sum() >= 4, "some seconds")
    at = live.now() - 2.0
    page.session.shown_time.go_to(at)
    return at


def row_of(page: InfrastructurePresenter, peer_id: str = "training-a-02") -> FrameRow:
    """A frame as the table has it."""
    return page.view.rows.rows[page.view.rows.row_of(peer_id)]


def test_the_table_shows_the_moment(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """Status, latest handshake and percentiles are of then; the service is asked for the span that ends there."""

    async def work() -> None:
        async with connect(page) as client:
            at = await enter_past(page)
            await until(lambda: row_of(page).p50 != "–", "the percentiles of then")
            end = math.floor(at) + 1.0
            query = NodesQuery(from_=api_time(end - 3600), to=api_time(end), step=60)
            listed = await client.infrastructure_nodes(query=query)
            span = next(one.span for one in listed.items if one.peer_id == "training-a-02")
            row = row_of(page)
            assert (row.word, row.p99, row.missed) == ("Answered", f"{span.p99:.2f}", span.missed)
            assert row.now == f"{page.frames.board.past_latency('training-a-02'):.2f}"

    run(work())


def test_what_is_known_of_now_alone_has_no_value_in_the_past(
    page: InfrastructurePresenter, connect: Connect, run: Run
) -> None:
    """Phases, certificate and uplink are empty and say why; the record is not shown."""

    async def work() -> None:
        async with connect(page):
            await enter_past(page)
            row = row_of(page)
            assert {row.slowest, row.certificate, row.uplink} == {"–"}
            assert row.unknown == "Known of now alone, not of a moment of the past."
            assert not page.view.inspector.phases.isVisible()

    run(work())


def test_the_chart_ends_at_the_moment(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """Its title names it, and it goes no further."""

    async def work() -> None:
        async with connect(page):
            at = await enter_past(page)
            assert page.view.chart_stack.currentWidget() is page.view.chart_empty
            await until(lambda: page.view.chart_stack.currentWidget() is page.view.chart, "the chart of then")
            assert page.view.chart.plot.whole == pytest.approx((math.floor(at) - 3599, math.floor(at) + 1))
            assert page.view.chart_title.text().endswith(f"training-a-02, Hour to {utc_clock(at)}")

    run(work())


def test_another_moment_takes_the_values_of_the_one_before_away(
    page: InfrastructurePresenter, connect: Connect, run: Run
) -> None:
    """At once, before the new ones are read."""

    async def work() -> None:
        async with connect(page):
            at = await enter_past(page)
            await until(lambda: row_of(page).p50 != "–", "the percentiles of then")
            page.session.shown_time.go_to(at - 1.0)
            assert (row_of(page).p50, row_of(page).missed) == ("–", None)
            assert page.view.chart_stack.currentWidget() is page.view.chart_empty

    run(work())


def test_live_shows_now_again(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """All of it, at once."""

    async def work() -> None:
        async with connect(page):
            await enter_past(page)
            page.session.shown_time.go_live()
            assert (row_of(page).word, row_of(page).certificate) == ("Operational", "397 days")
            assert page.view.chart_title.text().endswith("Last hour")
            assert page.view.inspector.value("protocol") == "TLSv1.3"

    run(work())


def test_a_moment_before_the_service_has_no_values(page: InfrastructurePresenter, connect: Connect, run: Run) -> None:
    """Nothing is known of it, and nothing is said but that."""

    async def work() -> None:
        async with connect(page):
            at = await enter_past(page)
            page.session.shown_time.go_to(at - 3000.0)
            await until(lambda: page.frames._then() is not None, "the span of then")
            row = row_of(page)
            assert (row.word, row.now, row.p99, row.missed) == ("No sample", "–", "–", None)
            assert page.view.chart_stack.currentWidget() is page.view.chart_empty

    run(work())


@pytest.mark.parametrize(
    ("count", "last"), [(0, "No alarm, burn or restart."), (MOST_EVENTS, "3"), (MOST_EVENTS + 1, "and 1 more")]
)
def test_no_event_around_a_selection_is_passed_over_in_silence(
    page: InfrastructurePresenter, count: int, last: str
) -> None:
    """Those that have no line are counted."""
    panel = page.view.selection
    panel.show_around([ChartEvent(1_000.0 + at, Meaning.BAD, "Alarm", str(at)) for at in range(1, count + 1)])
    assert panel._lines[-1].text() == last  # type: ignore[attr-defined]
