"""The containment lock at the burn page, against a real training service: contain, count down, release, go on to a
burn; and what stands in the field for the time."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from app.capabilities.burn.messages import BurnBody, Containment, ContainmentBody, ContainmentListQuery
from app.console.connection.client import ConsoleClient
from app.console.moments import parse_time
from app.console.pages import burn as burn_page
from app.console.pages.burn import BurnPresenter
from app.console.pages.burn.contained_view import ends_in
from app.console.pages.burn.lock_times import LONGEST_S, countdown, seconds_of
from app.console.session import WindowSession
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen

SINCE = "2026-03-01T10:00:00.000000Z"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> BurnPresenter:
    """The page at the size of the design."""
    presenter = built(burn_page, session)
    presenter.view.order.hold._hold_ms = 60
    on_screen(presenter, "burn", session, qtbot)
    return presenter


async def chosen(page: BurnPresenter, node_id: str) -> None:
    """The subject is chosen and its blast radius shown."""
    page.enter({"node_id": node_id})
    await until(lambda: page.preview is not None and page.preview.node_id == node_id, "the blast radius")


async def of(client: ConsoleClient, node_id: str) -> list[Containment]:
    """What the service says contains the node."""
    return list((await client.containments_list(query=ContainmentListQuery(node_id=node_id))).items)


# --- times -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90 s", 90), ("15 min", 900), ("15", 900), ("8h", 28_800), (" 2 D ", 172_800), ("7 d", LONGEST_S)],
)
def test_a_time_is_read_as_people_write_it(text: str, seconds: int) -> None:
    """A number alone is minutes."""
    assert seconds_of(text) == seconds


@given(st.text(max_size=20))
def test_any_text_is_a_time_of_the_api_or_none(text: str) -> None:
    """Nothing outside 1 s to 7 days is ever sent."""
    found = seconds_of(text)
    assert found is None or 1 <= found <= LONGEST_S


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5.0, "0:00"), (0.9, "0:00"), (899.0, "14:59"), (3723.0, "1:02:03"), (90_061.0, "1 d 01:01:01")],
)
def test_a_countdown_never_falls_below_nothing(seconds: float, words: str) -> None:
    """What is over is over, whatever a clock says."""
    assert countdown(seconds) == words


@pytest.mark.parametrize(
    ("state", "until_", "words"),
    [
        ("contained", "2026-03-01T10:15:00.000000Z", "14:50"),
        ("contained", None, "A person decides"),
        ("queued", None, "Waits for a decision"),
    ],
)
def test_who_ends_it_is_said(state: Any, until_: str | None, words: str) -> None:
    """A clock, or a person."""
    one = Containment(
        containment_id="con_1", node_id="ARC-X", display_name=None, state=state, cause="brake", message=None,
        actor="service", since=SINCE, until=until_,
    )  # fmt: skip
    assert ends_in(one, parse_time(SINCE) + 10) == words


# --- the page --------------------------------------------------------------------------------------------------------


def test_one_key_contains_for_fifteen_minutes(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """The default time, and the message for whoever reads the list."""

    async def script() -> tuple[list[str | None], bool, str]:
        async with connect(page) as client:
            await chosen(page, "ARC-T0031")
            page.view.order.message.setText("Two doors at once")
            page.session.actions.trigger("burn.contain")
            await until(page.contained.of_subject, "the containment")
            (one,) = await of(client, "ARC-T0031")
            assert one.until is not None
            lasts = parse_time(one.until) - parse_time(one.since)
            page.repaint()
            word = page.view.order.held.word
            await client.containments_release(one.containment_id)
            return [one.message], 899 < lasts < 901, word

    message, quarter, word = run(script())
    assert message == ["Two doors at once"]
    assert quarter
    assert word.startswith("Operator: contained, 14:")


def test_a_contained_subject_is_released_by_one_key(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """Ctrl+U."""

    async def script() -> tuple[int, str]:
        async with connect(page) as client:
            await client.containments_contain(ContainmentBody(node_id="ARC-T0032", seconds=600))
            await chosen(page, "ARC-T0032")
            await until(lambda: page.session.actions.trigger("burn.release"), "the containment")
            await until(lambda: not page.contained.of_subject(), "the release")
            page.repaint()
            return len(await of(client, "ARC-T0032")), page.view.order.held.word

    assert run(script()) == (0, "")


def test_a_time_that_nobody_can_read_contains_nobody(
    page: BurnPresenter, connect: Connect, run: Run, qtbot: Any
) -> None:
    """The field is marked, and Enter in it does nothing."""

    async def script() -> tuple[bool, object, int]:
        async with connect(page) as client:
            await chosen(page, "ARC-T0033")
            page.view.order.time.setText("8 weeks")
            qtbot.keyClick(page.view.order.time, Qt.Key.Key_Return)
            marked = page.view.order.time.property("invalid")
            enabled = page.session.actions.is_enabled("burn.contain")
            return enabled, marked, len(await of(client, "ARC-T0033"))

    assert run(script()) == (False, "true", 0)


def test_several_of_the_list_are_released_at_once(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """A flood that was a mistake is taken back by one key."""

    async def script() -> int:
        async with connect(page) as client:
            names = ("ARC-T0034", "ARC-T0035")
            for name in names:
                await client.containments_contain(ContainmentBody(node_id=name, seconds=600))
            page.enter({})
            page.session.actions.trigger("burn.show_contained")
            await until(lambda: len(page.contained.rows) == len(names), "the list")
            page.view.contained.table.selectAll()
            page.session.actions.trigger("burn.release_chosen")
            await until(lambda: not page.contained.rows, "the releases")
            return len((await client.containments_list()).items)

    assert run(script()) == 0


def test_a_contained_one_is_filled_in_for_a_burn_and_burned_by_one_key(
    page: BurnPresenter, connect: Connect, run: Run, qtbot: Any
) -> None:
    """A containment becomes a burn: its message is the reason, and the hold is all that is left to do."""

    async def script() -> tuple[str, str]:
        async with connect(page) as client:
            made = await client.containments_contain(
                ContainmentBody(node_id="ARC-T0036", seconds=600, message="Badge seen abroad")
            )
            page.enter({})
            page.session.actions.trigger("burn.show_contained")
            await until(lambda: page.contained.rows, "the list")
            page.view.contained.table.setFocus()
            page.view.contained.table.selectRow(0)
            qtbot.keyClick(page.view.contained.table, Qt.Key.Key_Return)
            await until(page.view.order.hold.isEnabled, "the order")
            page.view.order.hold.setFocus()
            await until(lambda: page.view.order.hold.is_ready, "the button, which lets a key that was down pass")
            qtbot.keyPress(page.view.order.hold, Qt.Key.Key_Space)
            await until(lambda: page.board.burn is not None, "the burn")
            burn = page.board.burn
            assert burn is not None
            ended = await client.containments_get(made.containment_id)
            return ended.state, burn.reason

    assert run(script()) == ("burned", "Badge seen abroad")


def test_a_burned_subject_is_not_contained(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """It is denied already, and for good."""

    async def script() -> bool:
        async with connect(page) as client:
            await client.burn_execute(BurnBody(node_id="ARC-HELD-1", scope="GLOBAL_REVOCATION", reason="test"))
            await chosen(page, "ARC-HELD-1")
            await until(lambda: page.view.pages.currentWidget() is page.view.board, "the board")
            return page.session.actions.is_enabled("burn.contain")

    assert not run(script())


def test_the_list_follows_the_stream(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """Another console contains somebody: the row is there long before the next reading."""

    async def script() -> str:
        async with connect(page) as client:
            page.enter({})
            await until(lambda: page.contained.fresh.since is not None and not page.session.live.stale, "the stream")
            made = await client.containments_contain(ContainmentBody(node_id="ARC-T0037", seconds=1))
            await until(lambda: page.contained.rows, "the row")
            seen = page.contained.rows[0].containment_id
            await until(lambda: not page.contained.rows, "its end")
            assert parse_time(made.until or SINCE) <= time.time() + 1
            return "same" if seen == made.containment_id else "another"

    assert run(script()) == "same"


def test_a_message_goes_with_the_containment(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """Another console releases: "is denied until" no longer stands here. Our own release takes its place."""
    said: list[tuple[str, str]] = []
    over: list[str] = []
    page.session.toast.connect(lambda text, _kind, _reference, subject: said.append((subject, text)))
    page.session.toast_over.connect(over.append)

    async def script() -> None:
        async with connect(page) as client:
            await chosen(page, "ARC-T0037")
            page.session.actions.trigger("burn.contain")
            await until(lambda: said, "the message")
            (one,) = await of(client, "ARC-T0037")
            await client.containments_release(one.containment_id)
            await until(lambda: over, "the end of the message")
            await until(lambda: not page.contained.of_subject(), "the list")
            page.session.actions.trigger("burn.contain")
            await until(lambda: len(said) == 2 and page.contained.of_subject(), "the second message")
            page.session.actions.trigger("burn.release")
            await until(lambda: len(said) == 3, "the third message")

    run(script())
    assert {subject for subject, _ in said} == {"Containment of ARC-T0037"}
    assert over[0] == "Containment of ARC-T0037"
    assert said[2][1] == "Training Person 37 is released."
