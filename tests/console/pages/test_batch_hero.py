"""The hero of a batch on the screen: what stands large, and what it becomes while nothing is heard of the service."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.console.pages.batch import make
from app.console.pages.batch.hero_view import NextHero
from app.console.pages.batch.orders import Lead, Order
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from tests.console.pages.batch_samples import row, show_running

LEAD = Lead(
    "Next, line 1 of 5",
    "Training Person 01",
    row(1),
    order=Order("Put a blank card into Reader 1", "download", acts=True),
    after=("Training Person 02", "Training Person 03", "Training Person 04"),
)


@pytest.fixture
def hero(application: QApplication, qtbot: Any) -> NextHero:
    """The panel on the screen."""
    made = NextHero()
    qtbot.addWidget(made)
    made.resize(830, 238)
    made.show()
    return made


def test_a_person_has_a_face_and_an_order_that_asks(hero: NextHero) -> None:
    """What the registry knows stands beside the id."""
    hero.show_lead(LEAD, "North tower", stale="")
    assert (hero.name.text(), hero.node.text(), hero.known.text()) == (
        "Training Person 01",
        "ARC-T0001",
        "· North tower",
    )
    assert not hero.portrait.isHidden()
    assert hero.order.property("acts") is True
    assert hero.accessibleName() == LEAD.words


def test_an_order_of_the_past_asks_nobody(hero: NextHero) -> None:
    """It says since when nothing is heard."""
    hero.show_lead(LEAD, "", stale="STALE since 14:32:07")
    assert hero.caption.text() == "Next, line 1 of 5 · STALE since 14:32:07"
    assert hero.order.words.text() == "Not heard of now, was: Put a blank card into Reader 1"
    assert hero.order.property("acts") is False


def test_what_became_of_a_batch_has_a_shape_and_no_face(hero: NextHero) -> None:
    """Nobody is meant."""
    hero.show_lead(Lead("All 2 lines are over", "Done: 2 written", state=Meaning.OK), "", stale="")
    assert [one.isHidden() for one in (hero.portrait, hero.node, hero.order, hero.after)] == [True] * 4


def test_names_that_have_no_room_are_left_out_whole(hero: NextHero) -> None:
    """No name is cut."""
    hero.resize(430, 238)
    hero.show_lead(LEAD, "", stale="")
    QApplication.processEvents()
    assert hero.after.text() == "Training Person 02"
    hero.resize(830, 238)
    QApplication.processEvents()
    assert hero.after.text().count("Training") == 3


def test_a_long_name_becomes_smaller_before_it_is_cut(hero: NextHero) -> None:
    """One that fits stays large."""
    hero.show_lead(LEAD, "", stale="")
    QApplication.processEvents()
    assert hero.name.property("role") == "hero"
    long = "Maximiliane Freifrau von Hohenstein zu Reichenbach"
    hero.show_lead(Lead("Next, line 1 of 5", long, row(1)), "", stale="")
    assert hero.name.property("role") == "title"


def test_no_reader_and_no_line_looks_at_work_while_nothing_is_heard(session: WindowSession, qtbot: Any) -> None:
    """Tiles and lines say so, too."""
    page = make(session)
    qtbot.addWidget(page.view)
    session.actions.add(page.actions())
    view = show_running(page, 4, 9)
    states = {one.station.state for one in view.tiles.tiles}
    assert Meaning.WORK in states
    page.running.fresh.resume()
    page.running.fresh._heard = None
    page.running.paint()
    assert {(one.station.state, one.station.word, one.station.share) for one in view.tiles.tiles} == {
        (Meaning.IDLE, "Stale", None)
    }
    state = view.lines.rows.columns[1].state
    assert state is not None
    assert Meaning.WORK not in {state(one) for one in view.lines.rows.rows}
