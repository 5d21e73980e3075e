"""The enforcement page against a real training service, whose platforms are servers of their own on this machine."""

from __future__ import annotations

import asyncio
import io
import secrets
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from app.capabilities.enforcement.messages import Declarant, Strike, StrikeBody
from app.capabilities.provenance.messages import Consent, KnotSealBody
from app.console.connection.client import ConsoleClient
from app.console.file_dialog import FileDialog
from app.console.pages.enforcement import make
from app.console.pages.enforcement.forms import FormHelper, OutcomeForm, WithdrawStrikeForm
from app.console.pages.enforcement.platforms import PlatformsDialog
from app.console.pages.enforcement.presenter import EnforcementPresenter
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog
from app.registry.messages.platforms import PlatformBody
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, dialog_of, on_screen

STATEMENT = "The picture shows a sign that never hung there, and no consent was given."
DOMAIN = "training.invalid"
"""Of the training site's mail receiver, which takes mail for any address but ``bounce@``."""


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> EnforcementPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = make(session)
    on_screen(presenter, "enforcement", session, qtbot)
    return presenter


@asynccontextmanager
async def opened(page: EnforcementPresenter, connect: Connect, **arguments: str) -> AsyncIterator[ConsoleClient]:
    """The page after its first reading."""
    async with connect(page) as client:
        page.enter(arguments)
        await until(lambda: page.board.fresh.since is not None and page.draft.fresh.since is not None, "a reading")
        yield client


async def a_platform(client: ConsoleClient, channel: str = "mail", address: str = "") -> str:
    """A platform of the test."""
    platform_id = f"platform-{secrets.token_hex(4)}"
    body = PlatformBody(
        display_name=f"Training {platform_id}",
        channel=channel,  # type: ignore[arg-type]  # one of the three
        address=address or f"legal@{platform_id}.{DOMAIN}",
        domains=[f"{platform_id}.training.example"],
    )
    await client.registry_put_platform(platform_id, body)
    return platform_id


async def a_strike(client: ConsoleClient, platform_id: str, *, whole: bool = True, law: str = "EU") -> Strike:
    """A strike of the test to one platform; whole, or of the three fields alone."""
    details: dict[str, Any] = {
        "content_urls": [f"https://{platform_id}.training.example/v/1"],
        "statement": STATEMENT,
        "declarant": Declarant(
            name="Training Person 33", capacity="the person shown", attested=True, email="p33@training.example"
        ),
    }
    body = StrikeBody(
        target_compromise_signature=f"reference {secrets.token_hex(4)}",
        enforcement_jurisdiction=law,
        automated_dmca_dispatch=False,
        platforms=[platform_id],
        **(details if whole else {}),
    )
    return await client.enforcement_strike(body)


async def chosen(page: EnforcementPresenter, notice_id: str, word: str = "") -> None:
    """The board with the cursor on that notice, as soon as it says ``word``."""

    def there() -> bool:
        at = page.view.board.rows.row_of(notice_id)
        return at >= 0 and (not word or page.view.board.rows.rows[at].word == word)

    page.board.read_now()
    await until(there, f"the notice, {word}")
    page.view.board.table.selectRow(page.view.board.rows.row_of(notice_id))


def notice_of(strike: Strike, kind: str) -> str:
    """Id of the strike's notice of that kind."""
    return next(one.notice_id for one in strike.notices if one.kind == kind)


def keys(page: EnforcementPresenter, text: str) -> None:
    """Type into what has the focus of the page."""
    focus = page.view.window().focusWidget()
    assert focus is not None
    QTest.keyClicks(focus, text)


def tab_to(page: EnforcementPresenter, name: str) -> None:
    """Press Tab until the field of that name has the focus; fails where it does not lead there."""
    for _ in range(24):
        focus = page.view.window().focusWidget()
        assert focus is not None
        if focus.accessibleName() == name:
            return
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    pytest.fail(f"Tab does not lead to {name!r}")


def test_a_declaration_is_drafted_issued_and_sent_by_keys(
    page: EnforcementPresenter, connect: Connect, run: Run
) -> None:
    """From the first field to the last: the elements get their signs as they are typed, Ctrl+Return signs, the mail is
    at the platform's server, and its clock runs on the board."""

    async def work() -> None:
        async with opened(page, connect) as client:
            platform_id = await a_platform(client)
            page.draft.read_now()
            await until(lambda: platform_id in page.draft._platforms, "the platform")
            assert page.view.window().focusWidget() is page.view.draft.law
            keys(page, "EU")
            tab_to(page, "What shows the fraud")
            keys(page, "my own reference")
            tab_to(page, "Exact addresses")
            keys(page, f"https://{platform_id}.training.example/v/88121")
            tab_to(page, "Why it is illegal")
            keys(page, STATEMENT)
            tab_to(page, "Declared by")
            keys(page, "Training Person 33")
            tab_to(page, "In the capacity of")
            keys(page, "the person shown")
            tab_to(page, "E-mail")
            keys(page, "p33@training.example")
            page.session.actions.trigger("enforcement.platforms")
            dialog: PlatformsDialog = await dialog_of(page, PlatformsDialog)
            at = next(at for at in range(dialog.list.count()) if platform_id in dialog.list.item(at).text())
            dialog.list.setCurrentRow(at)
            QTest.keyClick(dialog.list, Qt.Key.Key_Space)
            QTest.keyClick(dialog.list, Qt.Key.Key_Return)
            await until(lambda: page.view.law.count.word == "3 of 4", "all but the attestation")
            assert page.view.draft.evidence.state is Meaning.IDLE, "this site has nothing under it"
            tab_to(page, "Your name, typed under the attestation")
            keys(page, "Training Person 33")
            await until(lambda: page.view.law.count.word == "4 of 4", "the attestation")
            assert page.session.actions.trigger("enforcement.issue")
            await until(lambda: page.view.section == "strike" and page.strike.strike, "the strike")
            strike = page.strike.strike
            assert strike is not None
            declaration = notice_of(strike, "declaration")
            await chosen(page, declaration, "Sent, waits")
            row = page.board.row
            assert row is not None
            assert row.clock.words == "asked again in 71 h"
            takedown = notice_of(strike, "takedown")
            await chosen(page, takedown, "Held")
            assert page.board.row is not None
            assert page.board.row.clock.words == "no clock yet: waits for your release"

    run(work())


def test_the_three_fields_alone_wait_and_are_supplied(page: EnforcementPresenter, connect: Connect, run: Run) -> None:
    """Nothing leaves before; the draft is filled with the strike; after the supplement the mail is sent."""

    async def work() -> None:
        async with opened(page, connect) as client:
            platform_id = await a_platform(client)
            strike = await a_strike(client, platform_id, whole=False)
            page.draft.read_now()
            await until(lambda: platform_id in page.draft._platforms, "the platform")
            await chosen(page, notice_of(strike, "declaration"), "Held")
            assert page.board.row is not None
            assert page.board.row.clock.words == f"no clock yet: {len(page.board.row.notice.missing)} missing"
            page.session.actions.trigger("enforcement.step")
            view = page.view.draft
            await until(lambda: view.title.text() == "Details", "the draft of the details")
            assert view.signature.text() == strike.target_compromise_signature
            view.addresses.setPlainText(f"https://{platform_id}.training.example/v/2")
            view.statement.setPlainText(STATEMENT)
            for pointer, text in (
                ("name", "Training Person 34"),
                ("capacity", "her agent"),
                ("email", "p34@t.example"),
            ):
                QTest.keyClicks(view.fields[f"/declarant/{pointer}"], text)
            QTest.keyClicks(view.typed, "Training Person 34")
            await until(lambda: page.view.law.count.word == "4 of 4", "the whole")
            assert [one.state for one in (await client.enforcement_get(strike.tracking_token)).notices] == [
                "held",
                "held",
            ]
            assert page.session.actions.trigger("enforcement.issue")
            await chosen(page, notice_of(strike, "declaration"), "Sent, waits")
            now = await client.enforcement_get(strike.tracking_token)
            assert now.declaration.revision == 2

    run(work())


def test_a_held_takedown_is_released_by_a_person(page: EnforcementPresenter, connect: Connect, run: Run) -> None:
    """F7, and the button that is not the safe one."""

    async def work() -> None:
        async with opened(page, connect) as client:
            strike = await a_strike(client, await a_platform(client))
            takedown = notice_of(strike, "takedown")
            await chosen(page, takedown, "Held")
            page.session.actions.trigger("enforcement.step")
            (await dialog_of(page, ConfirmDialog)).do.click()
            await chosen(page, takedown, "Sent, waits")
            assert page.board.row is not None
            assert page.board.row.notice.attempts == 1

    run(work())


def test_a_refused_mailbox_is_told_and_tried_again(page: EnforcementPresenter, connect: Connect, run: Run) -> None:
    """The server's own words stand where the clock would; what can be done is asked about."""

    async def work() -> None:
        async with opened(page, connect) as client:
            strike = await a_strike(client, await a_platform(client, address=f"bounce@gone.{DOMAIN}"))
            declaration = notice_of(strike, "declaration")
            await chosen(page, declaration, "Bounced")
            assert page.board.row is not None
            assert "there is no such mailbox" in page.board.row.clock.words
            assert page.board.row.state is Meaning.BAD
            page.session.actions.trigger("enforcement.step")
            dialog: ConfirmDialog = await dialog_of(page, ConfirmDialog)
            assert "Send it again?" in dialog.accessibleName()
            dialog.do.click()
            await until(lambda: _attempts(page, declaration) >= 2, "the second attempt")

    run(work())


def _attempts(page: EnforcementPresenter, notice_id: str) -> int:
    page.board.read_now()
    at = page.view.board.rows.row_of(notice_id)
    return page.view.board.rows.rows[at].notice.attempts if at >= 0 else 0


def test_a_platform_that_answers_by_itself_is_followed_to_its_end(
    page: EnforcementPresenter, connect: Connect, run: Run
) -> None:
    """Training platform D confirms a declaration and acts on a takedown, once a person has released it."""

    async def work() -> None:
        async with opened(page, connect) as client:
            strike = await a_strike(client, "training-platform-d")
            await chosen(page, notice_of(strike, "declaration"), "Acknowledged")
            assert page.board.row is not None
            assert page.board.row.notice.reference
            takedown = notice_of(strike, "takedown")
            await chosen(page, takedown, "Held")
            page.session.actions.trigger("enforcement.send")
            (await dialog_of(page, ConfirmDialog)).do.click()
            await until(lambda: page.view.board.rows.row_of(takedown) < 0, "it leaves the open ones")
            page.session.actions.trigger("enforcement.resolved")
            await chosen(page, takedown)
            assert page.board.row is not None
            assert page.board.row.state is Meaning.OK

    run(work())


def test_a_form_is_filled_in_by_hand_and_then_answered(page: EnforcementPresenter, connect: Connect, run: Run) -> None:
    """The helper has the fields of the strike; the confirmation number starts the clock; what the platform did ends
    it, and stands among the resolved."""

    async def work() -> None:
        async with opened(page, connect) as client:
            strike = await a_strike(client, await a_platform(client, "form", "https://f.training.example/report"))
            declaration = notice_of(strike, "declaration")
            await chosen(page, declaration, "For you to fill in")
            page.session.actions.trigger("enforcement.step")
            helper: FormHelper = await dialog_of(page, FormHelper)
            assert len(helper.copies) >= 4
            helper.reference.setText("CN-77")
            helper.save.click()
            await chosen(page, declaration, "Sent, waits")
            assert page.board.row is not None
            assert page.board.row.notice.reference == "CN-77"
            page.session.actions.trigger("enforcement.outcome")
            form: OutcomeForm = await dialog_of(page, OutcomeForm)
            form.state.setCurrentIndex(form.state.findData("actioned"))
            form.save.click()
            await until(lambda: page.view.board.rows.row_of(declaration) < 0, "it leaves the open ones")
            page.session.actions.trigger("enforcement.resolved")
            await chosen(page, declaration, "Removed")
            assert page.board.row is not None
            assert page.board.row.state is Meaning.OK

    run(work())


async def kept(page: EnforcementPresenter, action: str, path: Path) -> bytes:
    """The file that an action keeps there."""
    assert page.session.actions.trigger(action)
    dialog: FileDialog = await dialog_of(page, FileDialog)
    dialog.select_file(str(path))
    dialog.take()
    await until(path.exists, "the file")
    return await asyncio.to_thread(path.read_bytes)


def test_bundle_and_declaration_are_kept_by_one_key(
    page: EnforcementPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """The bundle waits for the witnesses of its newest entry; it holds the very document that the other key keeps, and
    what is shown of the strike is its hash."""

    async def work() -> None:
        async with opened(page, connect) as client:
            strike = await a_strike(client, await a_platform(client))
            await chosen(page, notice_of(strike, "declaration"))
            await until(lambda: page.strike.strike and page.strike.strike.strike_id == strike.strike_id, "the strike")
            pdf = await kept(page, "enforcement.declaration", tmp_path / "declaration.pdf")
            bundle = await kept(page, "enforcement.bundle", tmp_path / "strike.zip")
            assert pdf.startswith(b"%PDF-")
            with zipfile.ZipFile(io.BytesIO(bundle)) as content:
                assert pdf in [content.read(name) for name in content.namelist() if name.endswith(".pdf")]
            shown = page.view.strike.facts.values["sha256"].text().replace("\u200b", "")
            assert shown == strike.declaration.sha256

    run(work())


def test_a_strike_is_taken_back(page: EnforcementPresenter, connect: Connect, run: Run) -> None:
    """What was held never leaves; the history says who, and its leaf."""

    async def work() -> None:
        async with opened(page, connect) as client:
            strike = await a_strike(client, await a_platform(client), whole=False)
            page.strike.open(strike.tracking_token.lower().replace("0", "o"))
            await until(lambda: page.strike.strike is not None, "the strike, by a token as people write it")
            assert page.strike.token == strike.tracking_token
            page.session.actions.trigger("enforcement.withdraw")
            form: WithdrawStrikeForm = await dialog_of(page, WithdrawStrikeForm)
            form.reason.setPlainText("The content is gone.")
            form.save.click()
            await until(lambda: page.view.strike.state.word == "Withdrawn", "the state")
            assert {row.event.state for row in page.view.strike.history.rows} >= {"withdrawn"}

    run(work())


def test_a_seal_is_named_by_what_this_site_knows_of_it(page: EnforcementPresenter, connect: Connect, run: Run) -> None:
    """Seals opens the page with it; Ctrl+I leads back to it."""
    led: list[tuple[str, dict[str, str]]] = []

    def lead(name: str, arguments: dict[str, str]) -> None:
        led.append((name, arguments))

    async def work() -> None:
        async with connect(page) as client:
            node = (await client.registry_list_nodes()).items[0].node_id
            consent = Consent(purpose=["x"], controller="c", scope=["s"], given_at="2026-01-31T14:32:00Z")
            knot = await client.provenance_issue(KnotSealBody(node_id=node, consent=consent))
            page.session.set_navigator(lead)
            page.enter({"signature": knot.knot_id})
            view = page.view.draft
            await until(lambda: view.law.count() > 1, "the laws")
            view.law.setCurrentIndex(view.law.findData("GB"))
            await until(view.evidence.isVisible, "what it names")
            assert view.evidence.state is Meaning.OK
            assert page.session.actions.trigger("enforcement.evidence")
            assert led == [("seals", {"seal": knot.knot_id})]

    run(work())


def test_an_unknown_person_is_told_at_the_field(page: EnforcementPresenter, connect: Connect, run: Run) -> None:
    """The service does not know the node; the draft stays as it is."""

    async def work() -> None:
        async with opened(page, connect):
            view = page.view.draft
            view.law.setCurrentIndex(view.law.findData("EU"))
            QTest.keyClicks(view.signature, "a reference")
            QTest.keyClicks(view.node, "ARC-NOBODY")
            await until(lambda: view.fault("/node_id"), "the fault")
            view.node.clear()
            await until(lambda: not view.fault("/node_id"), "no fault")

    run(work())


def test_the_banner_says_when_a_token_is_forged(page: EnforcementPresenter, connect: Connect, run: Run) -> None:
    """A token of another site, or one with a letter changed, is no strike's."""

    async def work() -> None:
        async with opened(page, connect):
            QTest.keyClicks(page.view.board.token, "ARC-ST-" + "0" * 32)
            QTest.keyClick(page.view.board.token, Qt.Key.Key_Return)
            await until(lambda: "no strike of this site" in page.view.banner.text, "the banner")
            assert not [one for one in page.view.banner.findChildren(QLabel) if "internal" in one.text()]

    run(work())
