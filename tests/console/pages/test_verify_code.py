"""The code tab of the Verify page against a real training service, with the code read off the screen."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest
import zxingcpp
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.api.wire import ListQuery
from app.capabilities.burn.messages import BurnBody
from app.console.connection.client import ConsoleClient
from app.console.pages import verify
from app.console.pages.verify.code import CodeTab
from app.console.pages.verify.presenter import VerifyPresenter
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice
from app.console.widgets.rotating_code import RENEW_S
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, Service, on_screen

SCREEN = "gate-screen"
BURNED = "ARC-T0036"
"""Loses everything in these tests."""


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is held up for seconds is no silent service."""
    monkeypatch.setattr(CodeTab, "every_s", 60.0)


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> VerifyPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = built(verify, session)
    on_screen(presenter, "verify", session, qtbot)
    return presenter


@asynccontextmanager
async def opened(page: VerifyPresenter, connect: Connect) -> AsyncIterator[tuple[CodeTab, ConsoleClient]]:
    """The tab after its first reading, with the hands where they are put."""
    tab = page.tabs["code"]
    assert isinstance(tab, CodeTab)
    async with connect(page) as client:
        page.enter({"section": "code"})
        await until(lambda: tab.view.terminal.count() > 1, "the terminals")
        yield tab, client


async def shown(tab: CodeTab) -> None:
    """The code of the first terminal, by its action."""
    assert tab.session.actions.trigger("verify.code_show")
    await until(lambda: tab.view.code.showing, "the code")


def read(widget: QWidget) -> list[str]:
    """What zxing-cpp reads off a widget."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    lines = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    return [found.text for found in zxingcpp.read_barcodes(lines[:, : image.width()].copy())]


async def scanned(tab: CodeTab, payload: str) -> str:
    """What is said of a code that a scanner types into the field that has the keys."""
    before = tab._number
    QTest.keyClicks(tab.view.payload, payload)
    QTest.keyClick(tab.view.payload, Qt.Key.Key_Return)
    await until(lambda: tab._judged and tab._judged[0].number > before, "the judgement")
    return tab.view.verdict.word


async def accepted(tab: CodeTab) -> str:
    """A code off the screen that was accepted: on a machine that is held up a code may come too late."""
    for _ in range(20):
        (payload,) = read(tab.view.code)
        if await scanned(tab, payload) == "Accepted":
            return payload
    pytest.fail("no code was accepted")


def test_what_is_shown_is_accepted_once(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """Read off the screen and typed by a scanner it is accepted, a second time it is replayed and an alarm; whatever
    else is typed is told as what it is, and the field waits for the next."""

    async def work() -> None:
        async with opened(page, connect) as (tab, client):
            view = tab.view
            assert view.terminal.currentData() == SCREEN
            assert "relay" in " ".join(found.text() for found in view.findChildren(type(view.said)))
            await shown(tab)
            # Without a window manager nobody gives a window the keys.
            page.view.activateWindow()
            await until(view.payload.hasFocus, "the keys at the field")
            payload = await accepted(tab)
            assert (view.payload.text(), view.payload.hasFocus()) == ("", True)
            assert view.rows.rows[0].age
            assert await scanned(tab, payload) == "Replayed"
            assert view.verdict.state is Meaning.CRIT
            assert tab.session.actions.is_enabled("verify.code_alarm")
            assert "keystone.replayed" in [alarm.kind for alarm in (await client.gateway_alarms()).items]
            assert await scanned(tab, payload[:-3] + ("AA0" if payload[-3:] != "AA0" else "AB0")) == "Not accepted"
            assert await scanned(tab, "https://site.invalid/?q=1") == "No code"
            assert payload not in "".join(map(str, tab._judged))

    run(work())


def test_leaving_the_tab_ends_the_code(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """Nothing of a session stays where nobody looks: no code, no secret, and the fields can be chosen anew."""

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            await shown(tab)
            assert not tab.view.terminal.isEnabled()
            page.show_section("palm")
            await until(lambda: not tab.view.code.showing, "no code")
            assert (tab._token, tab._wanted) == (None, None)
            assert "F7" in tab.view.code.accessibleName()
            assert tab.view.terminal.isEnabled()

    run(work())


@pytest.mark.usefixtures("calm")
def test_a_session_is_renewed_without_a_gap(
    page: VerifyPresenter, connect: Connect, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before its end another one takes its place, the code being on the screen all the while."""

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            await shown(tab)
            first, gone = tab.view.facts.values["sid"].accessibleName(), []
            monkeypatch.setattr(tab.view, "show_none", lambda *_: gone.append(1))
            # The widget's clock goes on by as much as a session lasts until its renewal.
            tab.view.code._since_ns -= RENEW_S * 1_000_000_000
            tab.view.code._beat()
            await until(lambda: tab.view.facts.values["sid"].accessibleName() != first, "the next session")
            assert tab.view.code.showing
            assert gone == []
            tab.paint()
            assert tab.view.facts.values["ends"].text().startswith(("10:00;", "9:5"))
            await accepted(tab)
            monkeypatch.undo()

    run(work())


def test_a_silent_service_leaves_no_code(
    page: VerifyPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """A service that is stopped keeps its connections: the code goes by this machine's clock, STALE is said in its
    place, and when the service answers again so does a new session."""

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            await shown(tab)
            sid = tab.view.facts.values["sid"].accessibleName()
            os.kill(training_service.pid, signal.SIGSTOP)
            try:
                await until(lambda: not tab.view.code.showing, "no code")
                assert tab.view.code.accessibleName().startswith("STALE since")
                assert read(tab.view.code) == []
            finally:
                os.kill(training_service.pid, signal.SIGCONT)
            await until(lambda: tab.view.code.showing, "the code again")
            assert tab.view.facts.values["sid"].accessibleName() != sid

    run(work())


def test_a_burn_takes_the_code_off_the_screen(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """The person's code goes when the burn is heard of, with the reason; showing it again is refused in words."""

    async def work() -> None:
        async with opened(page, connect) as (tab, client):
            node = (await client.registry_list_nodes(query=ListQuery(q=BURNED))).items[0]
            tab.view.person.choose(Choice(node.node_id, node.display_name, node.node_id))
            await shown(tab)
            await client.burn_execute(BurnBody(node_id=BURNED, scope="LOCAL_ONLY", reason="Test of the screen"))
            await until(lambda: BURNED in tab.view.code.accessibleName(), "no code, and why")

            def refused() -> bool:
                # Each later event of the burn ends a try that is under way: whoever wants a code asks once more.
                tab.session.actions.trigger("verify.code_show")
                return "burned" in page.view.banner.text

            await until(refused, "the refusal")
            assert not tab.view.code.showing

    run(work())


@pytest.mark.usefixtures("calm")
def test_the_code_fills_the_window(
    page: VerifyPresenter, connect: Connect, run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    """By a key, larger than before and still read; Esc puts it back. The secret is on no clipboard and in no log."""
    caplog.set_level(logging.DEBUG)

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            await shown(tab)
            small = tab.view.code.width()
            assert tab.session.actions.trigger("verify.code_full")
            await until(lambda: QApplication.activeModalWidget() is not None, "the window")
            full = QApplication.activeModalWidget()
            await until(lambda: tab.view.code.width() > small, "its size")
            assert full is not None
            assert len(read(full)) == 1
            QTest.keyClick(full, Qt.Key.Key_Escape)
            await until(lambda: tab.view.isAncestorOf(tab.view.code) and tab.view.code.isVisible(), "the tab")
            await asyncio.sleep(0)
            assert len(read(tab.view.code)) == 1
            assert tab._token
            assert tab._token not in QGuiApplication.clipboard().text() + caplog.text
            assert "qr-rotate" in caplog.text

    run(work())
