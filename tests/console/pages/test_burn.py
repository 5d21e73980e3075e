"""Burn against a real training service: foresee, hold, every door proven, the badge refused; and what a lost answer,
a wrong id, a target without proof look like."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import httpx
import msgspec
import pytest
from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from app.approvals.messages import ApprovalBody
from app.capabilities.burn.messages import (
    Burn,
    BurnBody,
    BurnEvent,
    BurnListQuery,
    BurnLog,
    BurnTarget,
    ContainmentBody,
    Preview,
    PreviewTarget,
)
from app.capabilities.credentials.messages import ReaderPlugBody
from app.client import ApiError, Unreachable
from app.console.blast_radius import expected_last_door
from app.console.clock import clock_time, date_time
from app.console.connection.client import ConsoleClient
from app.console.moments import parse_time
from app.console.pages import burn as burn_page
from app.console.pages.burn import BurnPresenter
from app.console.pages.burn.blast import ending, inside, systems_of, until_words
from app.console.pages.burn.board import BoardRow, BurnBoard, matching
from app.console.pages.burn.board_view import clock_mark
from app.console.pages.burn.order_view import OrderPanel
from app.console.pages.burn.subject import UNSEEN
from app.console.pages.burn.view import SUBJECT
from app.console.pages.burn.words import REASONS, local_times, target_state
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import Choice
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen

HOLDER = "ARC-T0012"
AT = "2026-03-01T10:00:00.000000Z"
RUNS = "Burning: the clock runs until the last door"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> BurnPresenter:
    """The page at the size of the design; holding takes 60 ms, so that tests need not wait."""
    presenter = built(burn_page, session)
    presenter.view.order.hold._hold_ms = 60
    on_screen(presenter, "burn", session, qtbot)
    return presenter


def door(name: str, state: Any = "revoked", latency_ms: float | None = 20.0) -> BurnTarget:
    """A door of a burn."""
    return BurnTarget(id=name, kind="reader", state=state, attempts=1, latency_ms=latency_ms, evidence="e")


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("live until 2026-11-21T12:31:40.145309Z at the latest", "live until {} at the latest"),
        ("since 2026-13-41T99:99:99Z, a person wrote", "since 2026-13-41T99:99:99Z, a person wrote"),
        ("denied here at epoch 4", "denied here at epoch 4"),
    ],
)
def test_times_in_a_sentence_are_local(told: str, shown: str) -> None:
    """No wire time reaches a person; what is no time stays as it was written."""
    assert local_times(told) == shown.format(date_time(parse_time("2026-11-21T12:31:40.145309Z")))


def burn_of(*targets: BurnTarget, burn_id: str = "burn_1", node_id: str = "ARC-X") -> Burn:
    """An answer of the API."""
    proven = all(target.state in ("revoked", "already", "closed") for target in targets)
    return Burn(
        burn_id=burn_id, node_id=node_id, scope="LOCAL_ONLY", reason="lost", epoch=1,
        state="COMPLETE" if proven else "PARTIAL", local_deny_us=3.0, targets=list(targets), residual_exposure=[],
        log=BurnLog(index=1, sha256="00" * 32), timestamp=AT,
    )  # fmt: skip


def event_of(target: BurnTarget | None, burn_id: str = "burn_1", node_id: str = "ARC-X") -> BurnEvent:
    """A telemetry event."""
    return BurnEvent(
        burn_id=burn_id, node_id=node_id, scope="LOCAL_ONLY", state="PARTIAL", target=target, open=1, total=2,
        elapsed_ms=1.0, at=AT,
    )  # fmt: skip


def preview_of(*targets: PreviewTarget) -> Preview:
    """A blast radius."""
    return Preview(
        node_id="ARC-X", known=True, display_name="X", standing="UNVERIFIED", scope="LOCAL_ONLY", already_burned=None,
        doors=len(targets), doors_online=len(targets), cards=0, profiles=0, targets=list(targets), residual_exposure=[],
    )  # fmt: skip


def foreseen(name: str, cluster: str, expected_ms: float | None = None, reachable: bool = True) -> PreviewTarget:
    """A door of a blast radius."""
    return PreviewTarget(
        id=f"reader:{name}", kind="reader", display_name=f"{name} · {cluster}", reachable=reachable, reversible=True,
        expected_ms=expected_ms,
    )  # fmt: skip


# --- what a board knows ----------------------------------------------------------------------------------------------


def test_a_pending_door_keeps_the_clock_running() -> None:
    """The clock speaks of the last door, not of most."""
    board = BurnBoard()
    board.take_burn(burn_of(door("a"), door("b", "pending_offline", None)))
    assert board.clock(time.time()).running


def test_the_final_figure_is_the_slowest_door() -> None:
    """Not the time at which the answer came."""
    board = BurnBoard()
    board.begin("ARC-X", "LOCAL_ONLY", None)
    board.take_burn(burn_of(door("a", latency_ms=20.0), door("b", latency_ms=410.0)))
    face = board.clock(time.time())
    assert (face.running, face.time, face.count) == (False, "0.410 s", "2 of 2 doors")


def test_the_clock_warns_only_of_a_door_that_said_that_it_is_open() -> None:
    """A door that is being asked is normal work; one that is offline needs a look, and so does a lost answer."""
    board = BurnBoard()
    board.begin("ARC-X", "LOCAL_ONLY", None)
    assert clock_mark(board.clock(0.0), board, asking=False) == (Meaning.WORK, RUNS)
    assert clock_mark(board.clock(0.0), board, asking=True) == (Meaning.WARN, "Unknown, asking")
    board.take_burn(burn_of(door("a"), door("b", "pending_offline", None)))
    assert clock_mark(board.clock(0.0), board, asking=False) == (Meaning.WARN, RUNS)
    board.take_burn(burn_of(door("a"), door("b")))
    assert clock_mark(board.clock(0.0), board, asking=False) == (Meaning.OK, "Every door refuses")


def test_an_unsupported_door_lets_the_clock_stop() -> None:
    """Nothing more will come from it."""
    board = BurnBoard()
    board.take_burn(burn_of(door("a"), door("b", "unsupported", None)))
    assert not board.clock(time.time()).running


def test_a_door_closed_by_a_person_is_never_counted_as_refusing() -> None:
    """It was given up without proof."""
    board = BurnBoard()
    board.take_burn(burn_of(door("a"), door("b", "closed", None)))
    face = board.clock(time.time())
    assert (face.done, face.closed, face.running) == (1, 1, False)


def test_an_older_answer_takes_no_proof_back() -> None:
    """An event may overtake the answer that was made before it."""
    board = BurnBoard()
    board.take_burn(burn_of(door("a", "pending_offline", None)))
    board.take_event(event_of(door("a")))
    board.take_burn(burn_of(door("a", "pending_offline", None)))
    assert board.rows["a"].state == "revoked"


def test_news_of_another_burn_changes_nothing() -> None:
    """Two operators may burn at the same time."""
    board = BurnBoard()
    board.take_burn(burn_of(door("a", "pending_offline", None)))
    assert not board.take_event(event_of(door("a"), burn_id="burn_2", node_id="ARC-Y"))


def test_news_before_the_answer_belongs_to_the_burn_that_was_sent() -> None:
    """Its id is not known yet: node and scope name it."""
    board = BurnBoard()
    board.begin("ARC-X", "LOCAL_ONLY", None)
    assert board.take_event(event_of(door("a")))


def test_a_target_without_proof_comes_first() -> None:
    """One open door must not hide behind a hundred."""
    board = BurnBoard()
    board.take_burn(burn_of(door("a"), door("b", "failed", None)))
    assert [row.id for row in board.sorted_rows()] == ["b", "a"]


def test_what_refused_comes_before_what_is_offline() -> None:
    """A refusal needs somebody; what is offline is tried again by itself."""
    board = BurnBoard()
    states: list[Any] = ["revoked", "unsupported", "pending_offline", "failed"]
    board.take_burn(burn_of(*(door(state, state, None) for state in states)))
    assert [row.state for row in board.sorted_rows()] == list(reversed(states))


@pytest.mark.parametrize("state", ["failed", "pending_offline", "unsupported"])
def test_a_target_without_proof_says_what_happens_next(state: Any) -> None:
    """And one with proof says nothing: there is nothing to do."""
    board = BurnBoard()
    board.take_burn(burn_of(door("a", state, None), door("b")))
    assert board.rows["a"].next
    assert not board.rows["b"].next


def test_only_what_is_open_grows_older() -> None:
    """Seconds since the call, by the service's clock."""
    board = BurnBoard()
    board.take_burn(burn_of(door("a", "failed", None), door("b")))
    now = parse_time(AT) + 12
    assert (board.age_s(board.rows["a"], now), board.age_s(board.rows["b"], now)) == (12.0, None)


def test_a_door_that_is_proven_tells_its_epoch() -> None:
    """An open one has proven none."""
    board = BurnBoard()
    board.take_burn(burn_of(door("a", "failed", None), door("b")))
    assert (board.epoch_of(board.rows["a"]), board.epoch_of(board.rows["b"])) == (None, 1)


def test_an_end_that_nobody_knows_is_said() -> None:
    """Never an empty cell."""
    assert (until_words(None, 0.0), ending(None, 0.0)) == (
        "no end known", "Nobody here knows when it ends: end it there.",
    )  # fmt: skip


@pytest.mark.parametrize(("later", "words"), [(90.0, "Ends by itself in 2 min."), (-1.0, "It is over.")])
def test_an_end_that_is_known_is_told_with_what_is_left(later: float, words: str) -> None:
    """Never the time alone."""
    assert ending(AT, parse_time(AT) - later) == words


@pytest.mark.parametrize(("later", "part"), [(90.0, slice(11, 19)), (9e6, slice(0, 10))])
def test_an_end_is_as_short_as_it_can_be_told_apart(later: float, part: slice) -> None:
    """A clock today, a day otherwise; local."""
    assert until_words(AT, parse_time(AT) - later) == f"until {date_time(parse_time(AT))[part]}"


def test_somebody_who_was_let_in_may_be_inside() -> None:
    """Doors never tell when people leave: "maybe" is all that is known."""
    seen = msgspec.structs.replace(preview_of(), last_access=AT, last_access_reader="gate-1")
    now = parse_time(AT) + 180
    assert (inside(seen, now), inside(preview_of(), now)[0]) == (("Maybe", "let in 3 min ago"), "No trace")


def test_no_trace_says_how_far_back_was_searched() -> None:
    """A record that begins an hour ago knows nothing of yesterday."""
    at = parse_time(AT)
    seen = msgspec.structs.replace(preview_of(), last_access_since=AT)
    assert inside(seen, at + 60) == ("No trace", f"since {clock_time(at)}")


def test_a_revoked_target_is_no_alarm() -> None:
    """What was wanted is green; only a revoked identity is grave."""
    assert target_state("revoked") is Meaning.OK


def test_doors_are_foreseen_by_cluster() -> None:
    """104 rows tell nobody anything."""
    systems = systems_of(preview_of(foreseen("a", "North"), foreseen("b", "North", reachable=False)))
    assert [(system.name, system.reach, system.state) for system in systems] == [
        ("North: 2", "1 of 2 online", Meaning.WARN)
    ]


def test_the_expected_last_door_is_the_slowest_known() -> None:
    """A door without history says nothing."""
    assert expected_last_door(preview_of(foreseen("a", "N", 12.0), foreseen("b", "N", 30.0), foreseen("c", "N"))) == 30


def test_targets_are_found_by_words_of_any_column() -> None:
    """State and name together."""
    rows = [
        BoardRow("a", "reader", "gate-1 · North", "revoked"),
        BoardRow("b", "reader", "gate-2 · North", "pending_offline"),
    ]
    assert [row.id for row in matching(rows, "north offline", "all")] == ["b"]


# --- the page --------------------------------------------------------------------------------------------------------


async def chosen(page: BurnPresenter, node_id: str) -> None:
    """The subject is chosen and its blast radius shown."""
    page.enter({"node_id": node_id})
    await until(lambda: page.preview is not None and page.preview.node_id == node_id, "the blast radius")


async def granted(client: ConsoleClient, node_id: str) -> None:
    """The first start has issued that holder's card and grants, and every door is up."""
    for _ in range(600):
        clusters = (await client.registry_list_reader_clusters()).items
        node = await client.registry_get_node(node_id)
        live = {
            name for credential in node.credentials if credential.state == "granted" for name in credential.clusters
        }
        if len(live) >= 4 and all(reader.secure_channel for cluster in clusters for reader in cluster.readers):
            return
        await asyncio.sleep(0.05)
    pytest.fail(f"{node_id} was not given its grants")


async def burns(client: ConsoleClient, node_id: str) -> Sequence[Burn]:
    """What the service says was burned."""
    return (await client.burn_list(query=BurnListQuery(node_id=node_id))).items


async def hold(page: BurnPresenter, qtbot: Any) -> None:
    """Press Space on the button, and keep it."""
    button = page.view.order.hold
    button.setFocus()
    await until(lambda: button.is_ready, "the hold")
    qtbot.keyPress(button, Qt.Key.Key_Space)


def test_a_badge_that_was_granted_is_refused_after_the_hold(
    page: BurnPresenter, connect: Connect, run: Run, qtbot: Any
) -> None:
    """The main job: let in before, refused after because of the burn, and every door in the count."""

    async def script() -> list[object]:
        async with connect(page) as client:
            await granted(client, HOLDER)
            await chosen(page, HOLDER)
            await until(lambda: page.session.actions.trigger("burn.present"), "a door")
            await until(lambda: page.view.badge.verdict.word, "the door's decision")
            before = page.view.badge.verdict.word
            page.session.actions.trigger("burn.reason_lost")
            await hold(page, qtbot)
            await until(lambda: page.board.burn is not None and not page.board.clock(time.time()).running, "the doors")
            page.repaint()
            page.session.actions.trigger("burn.present")
            await until(lambda: page.view.badge.verdict.word == "Refused", "the refusal")
            doors = page.view.board.hero.count.text()
            return [before, page.view.badge.verdict.word, "burned" in page.view.badge.sentence.text(), doors]

    assert run(script()) == ["Let in", "Refused", True, "104 of 104"]


def test_letting_go_burns_nobody(page: BurnPresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """The hold is taken back."""

    async def script() -> int:
        async with connect(page) as client:
            await chosen(page, "ARC-T0051")
            page.view.order.hold._hold_ms = 60_000
            page.view.order.reason.setText("Lost card")
            await hold(page, qtbot)
            qtbot.keyRelease(page.view.order.hold, Qt.Key.Key_Space)
            return len(await burns(client, "ARC-T0051")) + page.board.shown

    assert run(script()) == 0


def test_without_a_reason_the_hold_does_not_answer(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """The audit log asks why."""

    async def script() -> bool:
        async with connect(page):
            await chosen(page, "ARC-T0051")
            page.view.order.reason.setText("   ")
            return page.view.order.hold.isEnabled()

    assert not run(script())


def test_the_id_of_somebody_else_burns_nobody(page: BurnPresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """Typing is for those who cannot hold; it must be the subject's own id."""

    async def script() -> tuple[bool, str]:
        async with connect(page):
            await chosen(page, "ARC-T0051")
            page.view.order.reason.setText("Lost card")
            qtbot.keyClicks(page.view.order.typed, "ARC-T0052")
            qtbot.keyClick(page.view.order.typed, Qt.Key.Key_Return)
            return page.board.shown, page.view.order.next.text()

    assert run(script()) == (False, "That is not ARC-T0051. Nothing was burned.")


def test_a_second_hold_is_no_second_burn(page: BurnPresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """Shaking hands: held, held again, and Enter in the field."""

    async def script() -> int:
        async with connect(page) as client:
            await chosen(page, "ARC-T0021")
            page.view.order.reason.setText("Token leak")
            await hold(page, qtbot)
            await until(lambda: page.board.shown, "the burn")
            qtbot.keyRelease(page.view.order.hold, Qt.Key.Key_Space)
            page.view.order.hold.setFocus()
            qtbot.keyPress(page.view.order.hold, Qt.Key.Key_Space)
            page.burn()
            await until(lambda: page.board.burn is not None, "the answer")
            return len(await burns(client, "ARC-T0021"))

    assert run(script()) == 1


def test_a_hold_ends_when_the_focus_goes_elsewhere(page: BurnPresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """Somebody grabs the mouse: nobody is burned by a key that stays down."""

    async def script() -> tuple[float, bool, int]:
        async with connect(page) as client:
            await chosen(page, "ARC-T0053")
            page.view.order.hold._hold_ms = 60_000
            page.view.order.reason.setText("Token leak")
            await hold(page, qtbot)
            began = page.view.order.hold.share
            page.session.actions.trigger("burn.show_contained")
            page.view.subject.field.setFocus()
            # Said by itself: a window that no window manager made active has no focus to lose.
            QApplication.sendEvent(page.view.order.hold, QFocusEvent(QEvent.Type.FocusOut))
            return page.view.order.hold.share, began > 0.0, len(await burns(client, "ARC-T0053"))

    assert run(script()) == (0.0, True, 0)


def test_no_list_and_no_containment_stands_between_one_key_and_one_burn(
    page: BurnPresenter, connect: Connect, run: Run, qtbot: Any
) -> None:
    """Contained, in a request that waits for a second key, another tab in front: the hold answers all the same."""

    async def script() -> bool:
        async with connect(page) as client:
            await client.containments_contain(ContainmentBody(node_id="ARC-T0054", seconds=600))
            await client.approvals_request(
                ApprovalBody(kind="mass_burn", subjects=["ARC-T0054", "ARC-T0055"], reason="list")
            )
            await chosen(page, "ARC-T0054")
            page.view.order.reason.setText("Token leak")
            page.session.actions.trigger("burn.show_two_keys")
            await hold(page, qtbot)
            await until(lambda: page.board.burn is not None, "the answer")
            return page.view.tabs.currentIndex() == 0

    assert run(script())


def test_an_id_that_nobody_has_is_burned_only_after_a_tick(
    page: BurnPresenter, connect: Connect, run: Run, qtbot: Any
) -> None:
    """The page says so loudly and the hold is off; with the tick the id itself is burned. Another subject takes the
    tick away."""
    order = page.view.order

    async def script() -> tuple[str, list[bool], str, str]:
        async with connect(page):
            await chosen(page, "ARC-NOBODY-1")
            said = page.view.subject.standing
            order.reason.setText("Token leak")
            enabled = [order.hold.isEnabled(), order.nobody.isVisible()]
            why = order.next.text()
            page.burn()
            enabled.append(page.running.sent)
            order.nobody.click()
            enabled.append(order.hold.isEnabled())
            await chosen(page, HOLDER)
            enabled += [order.nobody.isVisible(), order.nobody.isChecked()]
            await chosen(page, "ARC-NOBODY-1")
            order.reason.setText("Token leak")
            enabled += [order.nobody.isChecked(), order.hold.isEnabled()]
            order.nobody.click()
            qtbot.keyClicks(order.typed, "ARC-NOBODY-1")
            qtbot.keyClick(order.typed, Qt.Key.Key_Return)
            await until(lambda: page.board.burn is not None, "the answer")
            await until(lambda: "NOBODY HAS" in page.view.board.hero.marks.text(), "the words of the board")
            return said, enabled, why, page.board.node_id

    said, enabled, why, burned = run(script())
    assert (said, burned) == ("An id that nobody has", "ARC-NOBODY-1")
    assert enabled == [False, True, False, True, False, False, False, False]
    assert "Nobody has this id" in why


def test_a_mistyped_id_offers_who_was_meant(page: BurnPresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """The nearest people are offered, one a button; a click chooses that person."""

    async def script() -> tuple[int, str, str]:
        async with connect(page):
            await chosen(page, HOLDER.lower())
            offered = [button for button in page.view.subject.nearest if button.isVisible()]
            name = offered[0].text()
            qtbot.mouseClick(offered[0], Qt.MouseButton.LeftButton)
            await until(lambda: page.preview is not None and page.preview.known, "the person")
            await until(lambda: not any(button.isVisible() for button in page.view.subject.nearest), "no more offers")
            return len(offered), name, page.preview.node_id if page.preview else ""

    count, name, node_id = run(script())
    assert (1 <= count <= 3, HOLDER in name, node_id) == (True, True, HOLDER)


def test_a_subject_that_is_burned_already_shows_its_burn(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """Nobody has to find out what became of it."""

    async def script() -> tuple[bool, bool]:
        async with connect(page) as client:
            made = await client.burn_execute(BurnBody(node_id="ARC-GONE-1", scope="GLOBAL_REVOCATION", reason="test"))
            await chosen(page, "ARC-GONE-1")
            await until(lambda: page.view.pages.currentWidget() is page.view.board, "the board")
            return page.board.burn_id == made.burn_id, page.view.order.hold.isEnabled()

    assert run(script()) == (True, False)


def test_a_lost_answer_is_asked_for_until_it_is_known(
    page: BurnPresenter, connect: Connect, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same POST again finds the same burn: one burn, not two, and never "failed"."""

    async def script() -> tuple[bool, int, bool]:
        async with connect(page) as client:
            real, sent, seen = client.burn_execute, [], asyncio.Event()

            async def lossy(body: BurnBody, **options: Any) -> Burn:
                if sent:
                    # The second answer waits for the eyes of the test, however slow the machine is.
                    await seen.wait()
                reply = await real(body, **options)
                sent.append(reply.burn_id)
                if len(sent) == 1:
                    raise Unreachable("The connection was lost.") from httpx.ReadError("reset")
                return reply

            monkeypatch.setattr(client, "burn_execute", lossy)
            await chosen(page, "ARC-T0022")
            page.view.order.reason.setText("Token leak")
            page.burn()
            await until(lambda: page.running.phase == "asking", "the second question")
            page.repaint()
            shown = page.view.board.hero.mark.word
            seen.set()
            await until(lambda: page.running.phase is None, "the answer")
            return shown == "Unknown, asking", len(set(sent)), bool(page.view.banner.text)

    assert run(script()) == (True, 1, False)


def test_ctrl_enter_leads_to_the_hold_and_burns_nobody(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """One key never does what cannot be taken back."""

    async def script() -> tuple[bool, bool]:
        async with connect(page):
            await chosen(page, "ARC-T0051")
            page.view.order.reason.setText("Lost card")
            page.session.actions.trigger("burn.next")
            return page.view.order.hold is page.view.focusWidget(), page.board.shown

    assert run(script()) == (True, False)


def test_a_chosen_reason_leads_to_the_hold(page: BurnPresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """By Space on the chip: the next Space would only choose it again. Hands that went elsewhere stay there."""

    async def script() -> tuple[bool, str, bool]:
        async with connect(page):
            order = page.view.order
            page.view.activateWindow()
            await until(page.view.isActiveWindow, "the window")
            await chosen(page, "ARC-T0051")
            chip = next(one for one in page.view.findChildren(ActionButton) if one.text().startswith(REASONS[0][1]))
            chip.setFocus()
            qtbot.keyClick(chip, Qt.Key.Key_Space)
            await until(order.hold.hasFocus, "the hold has the focus")
            text = order.reason.text()
            page.preview = None
            page._show()
            page.view.subject.field.setFocus()
            page.session.actions.trigger("burn.reason_lost")
            order.message.setFocus()
            page._look_up()
            await until(lambda: page.preview is not None and order.hold.isEnabled(), "the preview")
            return order.message.hasFocus(), text, page.board.shown

    assert run(script()) == (True, REASONS[0][1], False)


def test_a_reason_that_is_chosen_early_leads_to_the_hold_later(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """The hold does not answer before the blast radius is known."""

    async def script() -> tuple[bool, bool]:
        async with connect(page):
            order = page.view.order
            page.view.activateWindow()
            await until(page.view.isActiveWindow, "the window")
            await chosen(page, "ARC-T0051")
            page.preview = None
            order.reason.setFocus()
            page.session.actions.trigger("burn.reason_lost")
            early = order.hold.hasFocus()
            page._look_up()
            await until(order.hold.hasFocus, "the hold has the focus")
            return early, page.board.shown

    assert run(script()) == (False, False)


def test_a_reading_that_failed_does_not_end_the_following(
    page: BurnPresenter, connect: Connect, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page says what failed, reads again, and says it no more."""

    async def script() -> None:
        async with connect(page):
            answers = iter((TimeoutError(), None))
            seen: list[bool] = []

            async def read_open() -> None:
                seen.append(page.view.banner.isHidden())
                if (error := next(answers, None)) is not None:
                    raise error

            monkeypatch.setattr(page.running, "read_open", read_open)
            page.enter({})
            await until(lambda: len(seen) == 3, "the third reading")
            assert seen == [True, False, True]

    run(script())


def test_a_target_without_proof_is_closed_with_a_reason(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """A reader with a list of its own that cannot be reached keeps the clock running until a person gives it up."""

    async def script() -> tuple[bool, str]:
        async with connect(page) as client:
            reader = ReaderBody(reader_id="burn-test-door", channel="simulated:", address=99, onboard_list=True)
            await client.registry_put_reader_cluster(
                "burn-test", ReaderClusterBody(display_name="Burn test", readers=[reader])
            )
            try:
                await client.credentials_plug_reader(ReaderPlugBody(reader_id="burn-test-door", action="unplug"))
                await client.burn_execute(
                    BurnBody(node_id="ARC-PART-1", scope="LOCAL_ONLY", reason="test"), prefer="wait=0"
                )
                page.view.order.choose_scope("LOCAL_ONLY")
                await chosen(page, "ARC-PART-1")
                await until(lambda: page.board.open == 1, "the open door")
                running = page.board.clock(page.session.live.now()).running
                page.repaint()
                page.targets.select_first()
                page.view.board.close_reason.setText("The door is bricked up")
                page.session.actions.trigger("burn.close")
                await until(lambda: page.board.open == 0, "the closed door")
                page.repaint()
                return running, page.view.board.hero.mark.word
            finally:
                await client.registry_delete_reader_cluster("burn-test")

    assert run(script()) == (True, "1 closed without proof")


def test_the_history_opens_a_burn(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """Enter on a row: its targets and evidence."""

    async def script() -> bool:
        async with connect(page) as client:
            made = await client.burn_execute(BurnBody(node_id="ARC-PAST-1", scope="LOCAL_ONLY", reason="history"))
            page.enter({})
            await until(lambda: page.view.history.rows.row_of(made.burn_id) >= 0, "the row")
            page.view.history.table.opened.emit(page.view.history.rows.row_of(made.burn_id))
            await until(lambda: page.view.pages.currentWidget() is page.view.board, "the board")
            return page.board.burn_id == made.burn_id and len(page.board.rows) >= 100

    assert run(script())


WIDE = QSize(1724, 980)
"""The page in a window of 1920 x 1080."""


async def listed_beside(page: BurnPresenter, client: ConsoleClient, node_id: str) -> Burn:
    """A burn that stands in the list beside the board."""
    made = await client.burn_execute(BurnBody(node_id=node_id, scope="LOCAL_ONLY", reason="beside"))
    page.view.resize(WIDE)
    page.enter({})
    rows = page.view.history.rows
    await until(lambda: rows.row_of(made.burn_id) >= 0, "the row")
    return made


def test_the_last_burns_stand_beside_the_board(page: BurnPresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """By Alt+5 without a tab; Enter opens one, and the hands stay in the list."""

    async def script() -> None:
        async with connect(page) as client:
            made = await listed_beside(page, client, "ARC-PAST-2")
            table, rows = page.view.history.table, page.view.history.rows
            assert page.session.actions.trigger("burn.history")
            assert (page.view.tabs.currentIndex(), page.view.focusWidget()) == (SUBJECT, table)
            table.selectRow(rows.row_of(made.burn_id))
            qtbot.keyClick(table, Qt.Key.Key_Return)
            await until(lambda: page.view.pages.currentWidget() is page.view.board, "the board")
            assert page.board.burn_id == made.burn_id
            assert table.isVisible()

    run(script())


def test_a_new_burn_leaves_the_chosen_row_chosen(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """It comes in above it, and the window may become smaller meanwhile."""

    async def script() -> None:
        async with connect(page) as client:
            made = await listed_beside(page, client, "ARC-PAST-3")
            table, rows = page.view.history.table, page.view.history.rows
            table.selectRow(rows.row_of(made.burn_id))
            page.view.resize(1284, 820)
            other = await client.burn_execute(BurnBody(node_id="ARC-PAST-4", scope="LOCAL_ONLY", reason="newer"))
            await until(lambda: rows.row_of(other.burn_id) >= 0, "the newer one")
            assert [one.row() for one in table.selectionModel().selectedRows()] == [rows.row_of(made.burn_id)]

    run(script())


def test_a_hold_goes_on_while_the_window_grows(page: BurnPresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """The list comes beside it; the hands are still down, and the burn follows."""

    async def script() -> None:
        async with connect(page):
            await chosen(page, "ARC-PAST-5")
            page.view.order.nobody.setChecked(True)
            page.view.order.reason.setText("grows")
            await hold(page, qtbot)
            page.view.resize(WIDE)
            assert page.view.third.beside
            assert page.view.focusWidget() is page.view.order.hold
            await until(lambda: page.board.node_id == "ARC-PAST-5", "the burn")

    run(script())


def test_without_a_burn_one_sentence_stands_at_the_top(page: BurnPresenter, application: QApplication) -> None:
    """Beside the page's own offer to choose a subject: no second one."""
    page.view.resize(WIDE)
    page.view.history.show_burns([], more=False)
    application.processEvents()
    empty = page.view.history.empty
    assert empty.isVisible()
    assert [one.text() for one in empty.findChildren(QPushButton) if one.isVisible()] == []
    sentence = next(one for one in empty.findChildren(QLabel) if one.text() == "No burn yet.")
    assert sentence.mapTo(page.view, QPoint(0, 0)).y() < 140


def test_typing_a_name_and_enter_chooses_the_only_person(
    page: BurnPresenter, connect: Connect, run: Run, qtbot: Any
) -> None:
    """An operator under stress does not wait for a popup."""

    async def script() -> str:
        async with connect(page):
            page.enter({})
            field = page.view.subject.field
            qtbot.keyClicks(field, "Training Person 57")
            qtbot.keyClick(field, Qt.Key.Key_Return)
            await until(lambda: field.choice is not None, "the subject")
            choice: Choice = field.choice  # type: ignore[assignment]
            return choice.id

    assert run(script()) == "ARC-T0057"


# --- what is final without a proof ---


def test_what_is_only_delivered_never_looks_proven() -> None:
    """Neither green nor urgent; counted in words, above what is proven, and told what can be done."""
    board = BurnBoard()
    system = BurnTarget(
        id="webhook:vpn", kind="webhook", state="delivered", attempts=1, latency_ms=7.0, evidence="taken"
    )
    nobody = msgspec.structs.replace(system, id="scim:apps", kind="scim", state="unlinked", evidence="none was named")
    board.take_burn(burn_of(door("a"), system, nobody))
    assert board.unproven == "1 only delivered, 1 without an account found"
    assert [row.id for row in board.sorted_rows()] == ["scim:apps", "webhook:vpn", "a"]
    for row in board.sorted_rows()[:2]:
        assert target_state(row.state) is Meaning.IDLE
        assert (row.open, row.triable, bool(row.next)) == (False, True, True)
    assert board.open == 0
    assert BurnBoard(rows={"a": board.rows["a"]}).unproven == ""


def test_a_proof_that_was_lost_is_shown() -> None:
    """Another attempt is newer than the proof before it; an answer that is older than an event is not."""
    proven = door("a")
    board = BurnBoard()
    board.take_burn(burn_of(proven))
    board.take_burn(burn_of(door("a", "pending_offline", None)))
    assert board.rows["a"].state == "revoked"
    board.take_burn(burn_of(msgspec.structs.replace(proven, state="failed", attempts=proven.attempts + 1)))
    assert board.rows["a"].state == "failed"


def test_the_sites_own_rows_and_what_was_given_up_are_not_tried() -> None:
    """Everything else may be looked at again."""
    states = {
        name: BoardRow(name, kind, name, state).triable
        for name, kind, state in (
            ("local", "local", "revoked"),
            ("grants", "grant", "revoked"),
            ("door", "reader", "revoked"),
            ("card", "card", "revoked"),
            ("closed", "scim", "closed"),
            ("open", "scim", "failed"),
            ("waiting", "scim", "waiting"),
        )
    }
    assert [name for name, triable in states.items() if triable] == ["door", "card", "open"]


async def refuse(*_arguments: object, **_named: object) -> Any:
    """What a service without room answers to all but burns."""
    raise ApiError("dependency_unavailable", "The disk is full.", "req_1", 503)


async def asked_unseen(page: BurnPresenter, client: ConsoleClient, monkeypatch: pytest.MonkeyPatch) -> OrderPanel:
    """The order for an id that a service without room does not look up: it asks whether to burn it unseen."""
    for call in ("registry_list_nodes", "burn_preview"):
        monkeypatch.setattr(client, call, refuse)
    page.enter({"node_id": "ARC-T0013"})
    order = page.view.order
    await until(order.nobody.isVisible, "the box")
    order.reason.setText("card found, the disk is full")
    return order


def test_a_service_without_room_burns_an_id_that_it_cannot_look_up(
    page: BurnPresenter, connect: Connect, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It denies and burns, and answers nothing else: the id as it was typed, a tick, and the hold burn it."""

    async def work() -> None:
        async with connect(page) as client:
            order = await asked_unseen(page, client, monkeypatch)
            assert order.nobody.text() == "Burn this id unseen"
            assert not order.hold.isEnabled()
            order.nobody.setChecked(True)
            await until(order.hold.isEnabled, "the hold")
            page.burn()
            await until(lambda: page.board.burn is not None, "the burn")
            assert page.board.burn is not None
            assert page.board.burn.node_id == "ARC-T0013"

    run(work())


def test_while_no_target_of_a_burn_is_known_no_field_has_the_hands(
    page: BurnPresenter, connect: Connect, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form goes, and Qt would bring them to the next field: its suggestions would open over the burn."""

    async def work() -> QWidget | None:
        async with connect(page) as client:
            order = await asked_unseen(page, client, monkeypatch)
            order.nobody.setChecked(True)
            await until(order.hold.isEnabled, "the hold")
            order.reason.setFocus()
            monkeypatch.setattr(page.running, "send", lambda *_: monkeypatch.setattr(page, "_is_burned", lambda: True))
            page.burn()
            return page.view.window().focusWidget()

    assert run(work()) is page.view.tabs.tabBar()


def test_a_name_that_cannot_be_looked_up_is_no_id(
    page: BurnPresenter, connect: Connect, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is burned by half a name."""

    async def work() -> None:
        async with connect(page) as client:
            monkeypatch.setattr(client, "registry_list_nodes", refuse)
            with pytest.raises(ApiError):
                await page.search.find("Training Person 13")
            assert [one.detail for one in await page.search.find("ARC-T0013")] == [UNSEEN]

    run(work())


def test_in_the_past_nobody_is_burned_and_the_way_back_is_said(
    page: BurnPresenter, connect: Connect, run: Run, qtbot: Any
) -> None:
    """Who looks at ten minutes ago does not burn by what stood there; the next key is live."""

    async def script() -> tuple[bool, str, int, bool]:
        async with connect(page) as client:
            await chosen(page, "ARC-T0055")
            page.view.order.reason.setText("Lost card")
            await until(page.view.order.hold.isEnabled, "the hold")
            page.session.shown_time.go_to(page.session.live.now() - 600.0)
            answers, words = page.view.order.hold.isEnabled(), page._readiness()[1]
            page.burn()
            page.session.shown_time.go_live()
            return answers, words, len(await burns(client, "ARC-T0055")), page.view.order.hold.isEnabled()

    answers, words, burned, answers_live = run(script())
    assert (answers, burned, answers_live) == (False, 0, True)
    assert "Esc or Ctrl+Enter goes back to live" in words


def test_the_burn_key_goes_back_to_live_first(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """And then to the hold, as ever."""

    async def script() -> tuple[list[str], bool]:
        wanted: list[str] = []

        def go_live(title: str) -> None:
            wanted.append(title)
            page.session.shown_time.go_live()

        page.session.actions.live_wanted.connect(go_live)
        async with connect(page):
            await chosen(page, "ARC-T0056")
            page.view.order.reason.setText("Lost card")
            page.session.shown_time.go_to(page.session.live.now() - 600.0)
            page.session.actions.trigger("burn.next")
            return wanted, page.view.order.hold is page.view.focusWidget()

    assert run(script()) == (["Next step of the burn"], True)


def test_the_subject_stands_as_it_did_at_the_moment(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """Before its burn; what nobody has was never anything that is known."""

    async def work() -> None:
        async with connect(page) as client:
            before = page.session.live.now()
            await client.burn_execute(BurnBody(node_id="ARC-T0031", scope="LOCAL_ONLY", reason="test"))
            page.enter({"node_id": "ARC-T0031"})
            subject = page.view.subject
            await until(lambda: subject.standing == "Revoked", "the subject")
            page.session.shown_time.go_to(before)
            await until(lambda: subject.standing == "Unverified", "the standing of then")
            assert "says leaf" in subject.said
            page.session.shown_time.go_live()
            assert subject.standing == "Revoked"

    run(work())


def test_of_an_id_that_nobody_has_nothing_is_known_of_then(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """Somebody may have had it."""

    async def work() -> None:
        async with connect(page):
            page.enter({"node_id": "ARC-NOBODY-1"})
            await until(lambda: page.preview is not None, "the preview")
            page.session.shown_time.go_to(page.session.live.now() - 10.0)
            assert (page.view.subject.standing, page.view.subject.said) == (
                "Not known", "Nobody is registered by this id now: how it stood then is not known.",
            )  # fmt: skip

    run(work())
