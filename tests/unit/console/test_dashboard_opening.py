"""Pages that the dashboard opens, as far as the window has them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from app.console.actions import Action
from app.console.pages.dashboard.opening import has_page, open_page


@pytest.fixture
def session() -> Any:
    """A session whose window has the page burn; ``went`` collects where it was sent."""
    made = SimpleNamespace(went=[])
    made.actions = SimpleNamespace(all=lambda: [Action("page.burn", "Burn", lambda: None)])
    made.navigate = lambda page, **arguments: made.went.append((page, arguments))
    return made


@pytest.mark.parametrize(("page", "there"), [("burn", True), ("hr", False)])
def test_a_window_has_the_pages_that_it_has_actions_for(session: Any, page: str, there: bool) -> None:
    assert has_page(session, page) is there


def test_a_page_opens_without_its_empty_arguments(session: Any) -> None:
    open_page(session, "burn", {"burn_id": "burn_1", "node_id": ""})
    assert session.went == [("burn", {"burn_id": "burn_1"})]


def test_a_page_that_the_window_lacks_is_not_opened(session: Any) -> None:
    open_page(session, "hr", {"event_id": "hr_1"})
    assert session.went == []
