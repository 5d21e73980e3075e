"""Run by ``test_other_languages.py`` in German: what is counted by the words of its state is counted there, too."""

from __future__ import annotations

from app.console.pages.dashboard import DashboardPresenter
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect
from tests.console.pages.test_dashboard import page, settings

__all__ = ["page", "settings"]


def test_frames_that_answer_are_counted(page: DashboardPresenter, connect: Connect, run: Run) -> None:
    """The states come as codes of the service and are compared by their words."""

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.view.frames_tile.value.startswith("5"), "the frames operational")
            assert "in Betrieb" in page.view.frames_tile.accessibleName()

    run(work())
