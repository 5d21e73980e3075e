"""The board of a burn as it is seen: its hero when nothing is heard, the row of the proven and the filter that looks
through it, and what was touched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from PySide6.QtWidgets import QApplication, QLabel

from app.api.roles import Role
from app.capabilities.burn.messages import Residual
from app.console import theme
from app.console.desk_state import DeskOperator
from app.console.moments import parse_time
from app.console.pages import burn as burn_page
from app.console.pages.burn import BurnPresenter
from app.console.pages.burn.board import MOST_KINDS, BurnBoard, TouchedKind, few_kinds
from app.console.pages.burn.subject_view import Whom
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice
from tests.console.built import built
from tests.console.pages.conftest import on_screen
from tests.console.pages.test_burn import AT, burn_of, door, preview_of


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> BurnPresenter:
    """The page without a service."""
    presenter = built(burn_page, session)
    on_screen(presenter, "burn", session, qtbot)
    presenter.view.show_board(drill=False)
    return presenter


def show(page: BurnPresenter, *targets: Any, stale: bool = False) -> BurnBoard:
    """Bring a burn with these targets onto the board."""
    board = BurnBoard()
    board.take_burn(burn_of(*targets))
    page.view.board.show_board(board, 0.0, asking=False, stale=stale)
    return board


def test_a_burn_that_is_not_heard_of_is_idle(page: BurnPresenter) -> None:
    """Bar, shape and word: that every door refused was true when it was heard."""
    hero = page.view.board.hero
    board = show(page, door("a"))
    assert (hero.state, hero.mark.word) == (Meaning.OK, "Every door refuses")
    page.view.board.show_board(board, 0.0, asking=False, stale=True)
    assert hero.state is Meaning.IDLE
    assert hero.mark.word == "Not heard of now, was: Every door refuses"


def test_the_clock_is_large_with_its_unit_beside_it(page: BurnPresenter) -> None:
    """The time of the slowest door, and the doors that refuse."""
    show(page, door("a", latency_ms=20.0), door("b", latency_ms=410.0))
    hero = page.view.board.hero
    assert (hero.time.text(), hero.time.accessibleName()) == ("0.410", "Time to last door: 0.410 s")
    assert hero.count.text() == "2 of 2"


def test_the_proven_are_one_row_until_they_are_asked_for(page: BurnPresenter) -> None:
    """What needs somebody is listed; the rest has one row with a count."""
    show(page, door("a"), door("b"), door("c", "failed", None))
    board = page.view.board
    assert [row.id for row in board.model.rows] == ["c"]
    assert board.fold.text().startswith("2 proven, first 20.0 ms")
    board.fold.setChecked(True)
    assert [row.id for row in board.model.rows] == ["c", "a", "b"]


def test_a_filter_looks_through_the_fold(page: BurnPresenter) -> None:
    """Who looks for a door finds it, proven or not; without a filter it is folded again."""
    show(page, door("garage-01"), door("tower-01"), door("tower-02", "failed", None))
    board = page.view.board
    board.filter.setText("garage")
    assert [row.id for row in board.model.rows] == ["garage-01"]
    assert not board.fold.isVisible()
    assert board.shown.text() == "1 of 3"
    board.filter.clear()
    assert [row.id for row in board.model.rows] == ["tower-02"]
    assert board.fold.isVisible()


def test_a_choice_of_targets_looks_through_the_fold(page: BurnPresenter) -> None:
    """All doors are asked for: the proven ones are among them."""
    show(page, door("a"), door("b", "failed", None))
    board = page.view.board
    board.which.setCurrentIndex(board.which.findData("doors"))
    assert {row.id for row in board.model.rows} == {"a", "b"}
    assert not board.fold.isVisible()


def test_a_filter_that_finds_nothing_says_so(page: BurnPresenter) -> None:
    """An empty table alone would look like a burn without targets."""
    show(page, door("a"))
    page.view.board.filter.setText("nowhere")
    assert page.view.board.none.isVisible()


def test_touched_counts_each_kind_and_shows_its_worst(page: BurnPresenter) -> None:
    """Doors first; one target without proof is the state of its kind."""
    system = door("scim", "failed", None)
    system.kind = "scim"
    board = show(page, system, door("a"), door("b"))
    assert board.touched_kinds() == [
        TouchedKind("Doors", 2, 2, Meaning.OK), TouchedKind("SCIM", 0, 1, Meaning.BAD),
    ]  # fmt: skip


def kinds(*states: Meaning) -> list[TouchedKind]:
    """A kind with one target in each of these states."""
    return [TouchedKind(f"Kind {at}", int(one is Meaning.OK), 1, one) for at, one in enumerate(states)]


def test_as_many_kinds_as_have_room_have_a_line_each() -> None:
    """Nothing is folded without need."""
    some = kinds(*[Meaning.OK] * MOST_KINDS)
    assert few_kinds(some) == tuple(some)


def test_more_kinds_than_have_room_fold_the_proven_ones() -> None:
    """The last of the proven ones are one line that counts them; what failed keeps its own."""
    lines = few_kinds(kinds(*[Meaning.OK] * 7, Meaning.BAD))
    assert len(lines) == MOST_KINDS
    assert [line.title for line in lines][-2:] == ["Kind 7", "3 other kinds"]
    assert (lines[-1].proven, lines[-1].total, lines[-1].state) == (3, 3, Meaning.OK)


def test_a_kind_that_is_not_proven_is_never_folded() -> None:
    """Though there are more lines than there is room for."""
    some = kinds(*[Meaning.BAD] * 8)
    assert few_kinds(some) == tuple(some)


def test_a_burn_of_this_site_alone_can_be_made_wider(page: BurnPresenter) -> None:
    """The order says how far it went, and offers the other systems to who may burn."""
    board = show(page, door("a"))
    panel = page.view.burned
    panel.show_burned(board, reason="lost", by="", may_burn=True)
    assert (panel.facts.values["scope"].text(), panel.everywhere.isHidden()) == ("Local only", False)
    panel.show_burned(board, reason="lost", by="", may_burn=False)
    assert panel.everywhere.isHidden()


def test_a_wider_burn_is_ordered_anew(page: BurnPresenter) -> None:
    """Its scope is chosen; nothing is burned by that: it is held or typed as any other."""
    page.view.order.choose_scope("LOCAL_ONLY")
    page.view.burned.everywhere.click()
    assert page.view.order.scope == "GLOBAL_REVOCATION"
    assert not page.running.sent


def test_what_stays_open_is_no_higher_than_its_rows(page: BurnPresenter, application: QApplication) -> None:
    """In a tall window the room that is left stays below it."""
    page.view.resize(1720, 1000)
    burn = msgspec.structs.replace(burn_of(door("a")), residual_exposure=[Residual(what="Sessions", until=None)])
    board = BurnBoard()
    board.take_burn(burn)
    page.view.board.show_board(board, 0.0, asking=False, stale=False)
    application.processEvents()
    panel = page.view.board.residual
    assert panel.height() <= panel.table.row_px() + theme.px(64)


def test_what_stays_open_has_a_line_where_there_is_little_room(page: BurnPresenter) -> None:
    """And a second one, when it ends, where there is more."""
    panel = page.view.board.residual
    panel.show_residual([Residual(what="Sessions", until=None)])
    panel.set_low(False)
    high = panel.table.row_px()
    panel.set_low(True)
    assert panel.table.row_px() < high
    assert panel.table.maximumHeight() == panel.table.row_px() + 4


@pytest.fixture
def burned_whom(page: BurnPresenter) -> Callable[[int], tuple[bool, bool]]:
    """Whether the subject stands beside the clock, and in its own panel, in a page of that width."""

    def at(width: int) -> tuple[bool, bool]:
        page.view.resize(width, 700)
        page.view.arrange()
        page.view.show_board(drill=False)
        return not page.view.board.hero.whom.isHidden(), not page.view.subject._whom.isHidden()

    return at


def test_in_one_column_the_clock_says_whose_it_is(
    page: BurnPresenter, burned_whom: Callable[[int], tuple[bool, bool]]
) -> None:
    """Once on the page: beside the clock where the panel of the subject would be out of sight, else in that panel."""
    page.view.subject.show_unseen("ARC-T0060")
    assert [burned_whom(width) for width in (700, 1400, 940)] == [(True, False), (False, True), (True, False)]


def test_before_a_burn_the_subject_stands_in_its_own_panel(
    page: BurnPresenter, burned_whom: Callable[[int], tuple[bool, bool]]
) -> None:
    """There is no clock yet."""
    page.view.subject.show_unseen("ARC-T0060")
    burned_whom(940)
    page.view.show_foreseen(page.view.blast, "Blast radius")
    assert not page.view.subject._whom.isHidden()


def test_the_clock_says_where_the_subject_may_be(page: BurnPresenter) -> None:
    """In a line, with name, id and standing."""
    page.view.subject.show_preview(
        msgspec.structs.replace(preview_of(), last_access=AT, last_access_reader="lab-04"), parse_time(AT) + 37.0
    )
    whom = page.view.subject.whom
    assert whom == Whom("X", "ARC-X", Meaning.IDLE, "Unverified", "May still be inside: lab-04, 37 s ago")
    hero = page.view.board.hero
    hero.show_whom(whom)
    assert (hero.whom.name.text(), hero.whom.standing.word, hero.whom.seen.text()) == ("X", "Unverified", whom.seen)


def test_an_id_that_nobody_has_is_told_once(page: BurnPresenter) -> None:
    """It is the name, too."""
    page.view.subject.show_unseen("ARC-T0060")
    page.view.board.hero.show_whom(page.view.subject.whom)
    assert page.view.board.hero.whom._id.isHidden()


def test_a_person_beside_the_clock_takes_the_place_of_what_was_expected(page: BurnPresenter) -> None:
    """There is no room for both; the chart has a line for what was expected."""
    hero, board = page.view.board.hero, BurnBoard()
    board.begin("ARC-X", "LOCAL_ONLY", None)
    board.take_burn(burn_of(door("a")))
    hero.show_burn(board)
    page.view.subject.show_unseen("ARC-T0060")
    shown = []
    for whom in (page.view.subject.whom, None):
        hero.show_whom(whom)
        shown.append(not hero._expected.isHidden())
    assert shown == [False, True]


def test_who_may_not_burn_reads_why_nothing_is_shown(page: BurnPresenter) -> None:
    """Not that nobody was chosen; who was chosen stands there, without what only a burn looks up."""
    page.session.operator = DeskOperator("op_0000000000000001", "Training badge office", frozenset({Role.BADGE}))
    page._take_subject(Choice("ARC-T0021", "Training Person 21"))
    view = page.view
    assert view.subject.whom is not None
    assert view.subject.whom[:4] == ("Training Person 21", "ARC-T0021", Meaning.IDLE, "Not looked up")
    assert view.subject.said == "This is for the role desk; you are signed in as badge."
    assert "not shown to you" in view.empty.accessibleName() + " ".join(
        one.text() for one in view.empty.findChildren(QLabel)
    )
    page._drop_subject()
    assert view.subject.whom is None
    assert "Whose access ends?" in [one.text() for one in view.empty.findChildren(QLabel)]


@pytest.mark.parametrize(("expected", "shown"), [(None, False), (54.2, True)])
def test_a_figure_stands_only_where_something_was_expected(
    page: BurnPresenter, expected: float | None, shown: bool
) -> None:
    """Without earlier burns there is none, and that is said."""
    hero, board = page.view.board.hero, BurnBoard()
    board.begin("ARC-X", "LOCAL_ONLY", None)
    board.take_burn(burn_of(door("a")))
    board.expected_ms = expected
    hero.show_burn(board)
    assert hero.expected.isHidden() is not shown
    assert hero._source.text() == ("p95 of its last burns" if shown else "no history yet")
