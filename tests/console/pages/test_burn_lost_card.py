"""A lost card at the burn page, against a real training service: the chip offers the card, the hold ends it, and its
person is not burned."""

from __future__ import annotations

import os
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.console.pages import burn as burn_page
from app.console.pages.burn.presenter import BurnPresenter
from app.console.session import WindowSession
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen

HOLDER, NOBODYS = "ARC-T0002", "ARC-T0009"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> BurnPresenter:
    """The page at the size of the design."""
    presenter = built(burn_page, session)
    presenter.view.lost_card.confirm.hold._hold_ms = 60
    on_screen(presenter, "burn", session, qtbot)
    return presenter


async def chosen(page: BurnPresenter, node_id: str) -> None:
    page.enter({"node_id": node_id})
    await until(lambda: page.preview is not None and page.preview.node_id == node_id, "the blast radius")


def test_a_lost_card_ends_without_its_person(
    page: BurnPresenter, session: WindowSession, connect: Connect, run: Run, qtbot: Any
) -> None:
    """Another reason offers no card, nor does a person without one; the chip does. After the hold the card is revoked,
    the panel is gone, and the person stands as before, burned nowhere."""

    async def main() -> None:
        async with connect(page) as client:
            panel = page.view.lost_card
            page.view.window().activateWindow()
            await until(page.view.window().isActiveWindow, "the keys")
            await chosen(page, NOBODYS)
            session.actions.trigger("burn.reason_lost")
            await chosen(page, HOLDER)
            session.actions.trigger("burn.reason_leak")
            page.lost_card.read_now()
            assert not panel.isVisible()
            session.actions.trigger("burn.reason_lost")
            await until(panel.isVisible, "the card")
            before = await client.registry_get_node(HOLDER)
            (card,) = [one for one in before.credentials if one.card_guid is not None]
            assert panel.chosen == card.card_guid
            assert "is not burned" in panel.words.text()
            if picture := os.environ.get("ARC_PICTURE"):
                page.view.grab().save(picture)

            def at_the_card() -> bool:
                return page.view.window().focusWidget() is panel.confirm.hold

            await until(at_the_card, "the hands at the card, not at the burn")
            session.actions.trigger("burn.lost_card")
            assert at_the_card()
            qtbot.keyClicks(panel.confirm.typed, "another")
            qtbot.keyClick(panel.confirm.typed, Qt.Key.Key_Return)
            assert panel.words.text() == f"That is not {card.card_guid[:8]}. Nothing was revoked."  # type: ignore[index]
            panel.confirm.typed.clear()
            qtbot.keyClicks(panel.confirm.typed, card.card_guid[:8])  # type: ignore[index]
            qtbot.keyClick(panel.confirm.typed, Qt.Key.Key_Return)
            await until(lambda: not panel.isVisible(), "the end of the card")
            after = await client.registry_get_node(HOLDER)
            assert [one.state for one in after.credentials if one.card_guid == card.card_guid] == ["revoked"]
            assert after.standing == before.standing
            assert (await client.burn_list()).items == []

    run(main())
