"""The stock page against a real training service."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.capabilities.provisioning.messages import ProvisionBody
from app.capabilities.provisioning.stock import messages as stock_messages
from app.capabilities.provisioning.stock.messages import (
    MAKERS_BY_HAND,
    MAKERS_CA_MAX,
    Element,
    ElementBody,
    ElementListQuery,
    ImportBody,
    ImportRow,
)
from app.client import ApiError
from app.console.connection.client import ConsoleClient
from app.console.failures import Failure
from app.console.pages.stock import elements as stock_elements
from app.console.pages.stock import files as stock_files
from app.console.pages.stock import make
from app.console.pages.stock import view as stock_view
from app.console.pages.stock.forms import ElementForm, QuarantineForm, ReceiptRangeForm, TransportForm
from app.console.pages.stock.import_dialog import ImportDialog
from app.console.pages.stock.makers_dialog import (
    MakerForm,
    MakersDialog,
    UnreadableCertificates,
    certificate_facts,
    maker_name,
    maker_words,
    origin,
    read_certificates,
)
from app.console.pages.stock.presenter import StockPresenter
from app.console.pages.stock.receipt_dialog import CLAIMS, ReceiptDialog
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog
from app.training.messages import TrainingCardBody
from hardware.cards.attestation import CARD_MAKERS, card_makers
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, dialog_of, on_screen
from tests.hardware.cards.makers import Maker

SECRET = "PUK48151"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> StockPresenter:
    """The page at the size of the design, its actions in the table."""
    session.clearance = "sovereign"
    presenter = make(session)
    on_screen(presenter, "stock", session, qtbot)
    return presenter


@asynccontextmanager
async def opened(
    page: StockPresenter, connect: Connect, *rows: ImportRow, **arguments: str
) -> AsyncIterator[ConsoleClient]:
    """The page with these elements in the stock; afterwards the stock is empty again."""
    async with connect(page) as client:
        if rows:
            await client.provisioning_import_elements(ImportBody(rows=list(rows)))
        page.enter(arguments)
        await until(page.view.count.text, "the first reading")
        try:
            yield client
        finally:
            while items := (await client.provisioning_list_elements(query=ElementListQuery(limit=500))).items:
                for element in items:
                    await client.provisioning_delete_element(element.hardware_uid)


def card(uid: str, **values: Any) -> ImportRow:
    """One of the stock."""
    return ImportRow(hardware_uid=uid, **({"product": "Card"} | values))


def uids(page: StockPresenter) -> list[str]:
    """The elements that are shown."""
    return [row.element.hardware_uid for row in page.view.rows.rows]


def told(page: StockPresenter) -> list[str]:
    """What the toasts say from now on."""
    said: list[str] = []
    page.session.toast.connect(lambda text, _kind, _reference: said.append(text))
    return said


def test_an_empty_stock_teaches_the_first_import(page: StockPresenter, connect: Connect, run: Run) -> None:
    """The next step is a button with its key; a search that finds nothing says something else."""

    async def work() -> None:
        async with opened(page, connect):
            assert page.view.stack.currentWidget() is page.view.empty
            assert page.session.actions.is_enabled("stock.import")
            assert not page.session.actions.is_enabled("stock.change")
            page.view.search.setText("nobody")
            await until(lambda: page.view.stack.currentWidget() is page.view.none_found, "the other words")

    run(work())


def test_the_service_searches_and_counts(page: StockPresenter, connect: Connect, run: Run) -> None:
    """Search and state narrow; the counts are of all that the search finds."""
    rows = [card("a1"), card("a2", state="retired"), card("b1", location="Vault"), card("b2", state="quarantined")]

    async def work() -> None:
        async with opened(page, connect, *rows):
            view = page.view
            assert uids(page) == ["a1", "a2", "b1", "b2"]
            assert [mark.word for mark in view.counts.values()] == [
                "2 in stock", "1 quarantined", "0 issued", "1 retired",
            ]  # fmt: skip
            view.search.setText("vault")
            await until(lambda: uids(page) == ["b1"], "the search")
            assert view.count.text() == "1 element found"
            view.search.setText("2")
            view.states.setCurrentIndex(view.states.findData("retired"))
            view.states.activated.emit(view.states.currentIndex())
            await until(lambda: uids(page) == ["a2"], "the state")
            await until(lambda: view.counts["in_stock"].word == "0 in stock", "counts of the search")

    run(work())


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of 60, so that a long list needs few rows."""
    monkeypatch.setattr(stock_elements, "PAGE", 60)
    monkeypatch.setattr(stock_elements, "LARGEST", 70)
    monkeypatch.setattr(stock_files, "LARGEST", 70)
    monkeypatch.setattr(stock_view, "NEAR_END", 5)


@pytest.mark.usefixtures("small_pages")
def test_a_long_list_grows_as_it_is_scrolled(page: StockPresenter, connect: Connect, run: Run) -> None:
    """One page at first; each end that comes in sight brings the next; the chosen row stays where it is."""
    rows = [card(f"e{n:04}") for n in range(130)]

    async def work() -> None:
        async with opened(page, connect, *rows):
            view = page.view
            assert (len(uids(page)), view.count.text()) == (60, "60 of 130 elements")
            view.table.selectRow(3)
            for size in (120, 130):
                view.table.scrollToBottom()
                await until(lambda size=size: len(uids(page)) == size, f"{size} rows")
            assert view.table.currentIndex().row() == 3
            await page.elements.read()
            page.elements.paint_all()
            assert (len(uids(page)), view.count.text()) == (130, "130 elements")
            assert view.table.verticalScrollBar().value() > 0

    run(work())


@pytest.mark.usefixtures("small_pages")
def test_an_element_is_found_by_the_page_s_argument(page: StockPresenter, connect: Connect, run: Run) -> None:
    """Other pages open it here, however far down the list it stands."""
    rows = [card(f"e{n:04}") for n in range(130)]

    async def work() -> None:
        async with opened(page, connect, *rows, hardware_uid="E0127"):
            assert page.view.name.text() == "e0127"
            assert page.view.table.currentIndex().row() == uids(page).index("e0127")

    run(work())


def test_an_element_is_added_by_keys_alone(page: StockPresenter, connect: Connect, run: Run) -> None:
    """Ctrl+N, typed fields, Enter; what is missing is marked first; one that is there is not written over."""

    async def work() -> None:
        async with opened(page, connect) as client:
            page.session.actions.trigger("stock.add")
            form: ElementForm = await dialog_of(page, ElementForm)
            QTest.keyClick(form.uid, Qt.Key.Key_Return)
            assert form.error("product").startswith("Needed")
            QTest.keyClicks(form.uid, "AB-1")
            QTest.keyClicks(form.product, "Token")
            form.standard.setCurrentIndex(form.standard.findData("FIPS 140-3"))
            form.certificate.setText("#5291")
            form.level.setCurrentIndex(form.level.findData(2))
            QTest.keyClick(form.product, Qt.Key.Key_Return)
            await until(lambda: uids(page) == ["ab-1"], "the row")
            assert page.view.facts.values["declared"].text() == "FIPS 140-3 L2 #5291"
            await until(lambda: page.view.window().focusWidget() is page.view.table, "the hands are on the list")
            page.session.actions.trigger("stock.add")
            again: ElementForm = await dialog_of(page, ElementForm)
            again.uid.setText("ab-1")
            again.product.setText("Something else")
            again.save.click()
            await until(lambda: again.error("hardware_uid"), "the refusal")
            assert (await client.provisioning_get_element("ab-1")).product == "Token"
            again.reject()

    run(work())


def test_a_change_leaves_state_and_keys(page: StockPresenter, connect: Connect, run: Run) -> None:
    """A quarantined element that gets another place stays quarantined, with its reason and its keys."""
    row = card("q1", state="quarantined", detail="Bent", transport=stock_messages.Transport(puk=SECRET))

    async def work() -> None:
        async with opened(page, connect, row) as client:
            page.view.table.opened.emit(0)
            form: ElementForm = await dialog_of(page, ElementForm)
            assert not form.uid.isEnabled()
            form.location.setText("Vault")
            form.save.click()
            await until(lambda: page.view.facts.values["location"].text() == "Vault", "the place")
            now = await client.provisioning_get_element("q1")
            assert (now.state, now.detail, now.transport.set) == ("quarantined", "Bent", True)

    run(work())


def test_transport_keys_are_set_and_removed_and_never_shown(page: StockPresenter, connect: Connect, run: Run) -> None:
    """What is wrong is marked; what is set is told with its time; removing leaves none."""

    async def work() -> None:
        async with opened(page, connect, card("k1")) as client:
            page.session.actions.trigger("stock.keys")
            form: TransportForm = await dialog_of(page, TransportForm)
            form.save.click()
            assert form.error("management_key")
            form.puk.setText(SECRET)
            form.scp03.setCurrentIndex(form.scp03.findData("master"))
            form.channel_keys.setText("5a" * 15)
            form.save.click()
            assert form.error("channel_keys")
            form.channel_keys.setText("5a" * 16)
            form.save.click()
            await until(lambda: page.view.facts.values["keys"].text().startswith("Set"), "the keys")
            page.session.actions.trigger("stock.keys")
            other: TransportForm = await dialog_of(page, TransportForm)
            assert other.puk.text() == ""
            other.remove.setChecked(True)
            other.save.click()
            await until(lambda: page.view.facts.values["keys"].text() == "None", "none")
            assert not (await client.provisioning_get_element("k1")).transport.set

    run(work())


def test_quarantine_asks_why_and_release_is_one_key(page: StockPresenter, connect: Connect, run: Run) -> None:
    """The reason is in the panel and in the stock; back in stock it is gone; the rest of the row stays."""
    row = card("q2", location="Vault", validation=stock_messages.DeclaredListing(certificate="1512"))

    async def work() -> None:
        async with opened(page, connect, row) as client:
            actions = page.session.actions
            assert not actions.is_enabled("stock.restock")
            actions.trigger("stock.quarantine")
            form: QuarantineForm = await dialog_of(page, QuarantineForm)
            form.save.click()
            assert form.error("detail")
            QTest.keyClicks(form.reason, "Contacts are scratched")
            QTest.keyClick(form.reason, Qt.Key.Key_Return)
            await until(lambda: page.view.state.word == "Quarantined", "the state")
            assert page.view.facts.values["reason"].text() == "Contacts are scratched"
            assert not actions.is_enabled("stock.quarantine")
            actions.trigger("stock.restock")
            await until(lambda: page.view.state.word == "In stock", "the release")
            now = await client.provisioning_get_element("q2")
            assert (now.detail, now.location, now.validation and now.validation.certificate) == (None, "Vault", "1512")

    run(work())


def test_retiring_and_deleting_ask_first(page: StockPresenter, connect: Connect, run: Run) -> None:
    """Nothing happens before the person agrees."""

    async def work() -> None:
        async with opened(page, connect, card("r1")) as client:
            page.session.actions.trigger("stock.retire")
            dialog: ConfirmDialog = await dialog_of(page, ConfirmDialog)
            assert (await client.provisioning_get_element("r1")).state == "in_stock"
            dialog.accept()
            await until(lambda: page.view.state.word == "Retired", "the state")
            page.session.actions.trigger("stock.delete")
            (await dialog_of(page, ConfirmDialog)).accept()
            await until(lambda: uids(page) == [], "the row leaves")
            with pytest.raises(ApiError):
                await client.provisioning_get_element("r1")

    run(work())


def test_what_somebody_else_decided_is_not_undone(page: StockPresenter, connect: Connect, run: Run) -> None:
    """A release that was meant for a quarantined element leaves one alone that was retired meanwhile."""

    async def work() -> None:
        async with opened(page, connect, card("m1", state="quarantined")) as client:
            await client.provisioning_put_element("m1", ElementBody(product="Card", state="retired"))
            page.session.actions.trigger("stock.restock")
            await until(lambda: "retired by now" in page.view.banner.text, "the refusal")
            assert (await client.provisioning_get_element("m1")).state == "retired"

    run(work())


# --- lists -----------------------------------------------------------------------------------------------------------


def test_a_list_is_dropped_checked_and_taken(
    page: StockPresenter, connect: Connect, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a spreadsheet writes it, in parts, with keys that no widget shows."""
    monkeypatch.setattr("app.console.pages.stock.lines.MAX_IMPORT", 4)
    path = tmp_path / "delivery.csv"
    lines = [f"{n:03};Card;Vault;{SECRET if n == 3 else ''}" for n in range(10)]
    path.write_bytes("\r\n".join(["\ufeffhardware_uid;Product;Location;PUK", *lines, ""]).encode())

    async def work() -> None:
        async with opened(page, connect) as client:
            said = told(page)
            mime = QMimeData()
            mime.setUrls([QUrl.fromLocalFile(str(path))])
            copy, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
            page.view.dropEvent(QDropEvent(QPointF(9, 9), copy, mime, button, Qt.KeyboardModifier.NoModifier))
            dialog: ImportDialog = await dialog_of(page, ImportDialog)
            model = dialog.table.model()
            cells = {str(model.index(row, column).data()) for row in range(10) for column in range(model.columnCount())}
            assert {"003", "Given"} <= cells
            assert not any(SECRET in words for words in (*cells, dialog.words.text()))
            dialog.send.click()
            await until(lambda: len(uids(page)) == 10, "the rows")
            # The last part is in the list before its answer has come back.
            await until(lambda: "10 elements imported: 10 new, 0 changed." in said, "the words")
            assert (await client.provisioning_get_element("003")).transport.set

    run(work())


def test_a_list_with_bad_lines_is_not_sent(page: StockPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """All that is wrong is told by its line; the good lines wait with the others."""
    path = tmp_path / "bad.csv"
    path.write_text(f"hardware_uid,product,puk\n1,Card,{SECRET}x\n2,,\n3,Card,\n")

    async def work() -> None:
        async with opened(page, connect) as client:
            page.files.bring(path)
            dialog: ImportDialog = await dialog_of(page, ImportDialog)
            model = dialog.table.model()
            shown = [[model.index(row, column).data() for column in range(2)] for row in range(model.rowCount())]
            assert shown == [["2", "puk"], ["3", "product"]]
            assert not dialog.send.isVisible()
            assert SECRET not in " ".join(str(model.index(0, column).data()) for column in range(3))
            dialog.reject()
            assert (await client.provisioning_list_elements()).items == []

    run(work())


def test_a_list_goes_on_after_a_part_that_was_refused(
    page: StockPresenter, connect: Connect, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was taken is said by its lines, what was not by what the service says; the rest is sent by the same key."""
    monkeypatch.setattr("app.console.pages.stock.lines.MAX_IMPORT", 3)
    path = tmp_path / "list.csv"
    path.write_text("hardware_uid,product\n" + "".join(f"p{n},Card\n" for n in range(8)))

    async def work() -> None:
        async with opened(page, connect) as client:
            taken = client.provisioning_import_elements
            broken = True

            async def import_elements(body: ImportBody, *, idempotency_key: str | None = None) -> Any:
                if broken and body.rows[0].hardware_uid == "p3":
                    twice = ImportBody(rows=[*body.rows, body.rows[1]])
                    return await taken(twice, idempotency_key=idempotency_key)
                return await taken(body, idempotency_key=idempotency_key)

            monkeypatch.setattr(client, "provisioning_import_elements", import_elements)
            page.files.bring(path)
            dialog: ImportDialog = await dialog_of(page, ImportDialog)
            dialog.send.click()
            await until(lambda: dialog.banner.text, "the refusal")
            assert dialog.progress.text() == "3 of 8 are in the stock. Of lines 5 to 7 none was taken."
            await until(lambda: uids(page) == ["p0", "p1", "p2"], "the rows that were taken")
            broken = False
            assert dialog.send.text() == "Import the other 5"
            dialog.send.click()
            await until(lambda: len(uids(page)) == 8, "the rest")

    run(work())


def test_a_refusal_names_the_line_of_the_file() -> None:
    """The place in the call means nothing to whoever holds the file."""
    failure = Failure("invalid_body", "The body is wrong.", fields=(("/rows/1/hardware_uid", "Name it once."),))
    assert stock_files.by_line(failure, [2, 5]).sentence == "Line 5, hardware_uid: Name it once."
    other = Failure("invalid_body", "The body is wrong.", fields=(("/rows", "Too many."),))
    assert stock_files.by_line(other, [2, 5]) == other


def test_a_file_that_cannot_be_read_is_told(page: StockPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """A folder, or one that is gone."""

    async def work() -> None:
        async with opened(page, connect):
            page.files.bring(tmp_path)
            await until(lambda: "cannot be read" in page.view.banner.text, "the words")

    run(work())


# --- what was written ------------------------------------------------------------------------------------------------


async def written(client: ConsoleClient) -> Element:
    """A blank training card that is in the stock and gets written for somebody."""
    reader = (await client.provisioning_list_cards()).items[-1].reader
    made = await client.drawer_move_card(TrainingCardBody(reader=reader, action="insert"))
    for _ in range(200):
        found = next(one for one in (await client.provisioning_list_cards()).items if one.reader == made.reader)
        if found.hardware_uid and found.state == "blank":
            break
        await asyncio.sleep(0.05)
    assert found.hardware_uid is not None
    await client.provisioning_put_element(found.hardware_uid, ElementBody(product="Training card"))
    body = ProvisionBody(node_id="ARC-T0007", hardware_uid=found.hardware_uid, fips_standard="FIPS 140-3")
    await client.provisioning_provision(body)
    return await client.provisioning_get_element(found.hardware_uid)


def test_a_card_that_is_written_shows_itself(page: StockPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """The row follows the stream; its provisioning, its receipt with every claim, and both files can be kept."""

    async def work() -> None:
        async with opened(page, connect) as client:
            view, actions = page.view, page.session.actions
            element = await written(client)
            await until(lambda: uids(page) == [element.hardware_uid] and view.state.word == "Issued", "the row")
            row = view.rows.rows[0]
            assert (row.written_for, row.element.provision_id) == ("ARC-T0007", element.provision_id)
            await until(lambda: view.provision, "the provisioning")
            assert view.provision is not None
            assert view.provision.provision_id == element.provision_id
            opened_pages: list[tuple[str, dict[str, str]]] = []
            page.session.set_navigator(lambda name, arguments: opened_pages.append((name, arguments)))
            actions.trigger("stock.open_card")
            assert opened_pages == [("write_card", {"provision_id": str(element.provision_id)})]
            actions.trigger("stock.receipt")
            dialog: ReceiptDialog = await dialog_of(page, ReceiptDialog)
            shown = {key: dialog.facts.values[key].text().replace("\u200b", "") for key, _, _ in CLAIMS}
            assert [key for key, words in shown.items() if words == "–"] == ["approver"]
            assert shown["node_id"] == "ARC-T0007"
            path = tmp_path / "receipt.json"
            said = told(page)
            page.files.save_receipt(path, dialog.receipt)
            await until(lambda: said, "the file")
            assert hashlib.sha256(path.read_bytes()).hexdigest() == shown["digest"]
            dialog.reject()
            actions.trigger("stock.export_receipts")
            form: ReceiptRangeForm = await dialog_of(page, ReceiptRangeForm)
            days: list[tuple[float, float]] = []
            form.asked.connect(lambda start, end: days.append((start, end)))
            form.ask()
            lines = tmp_path / "receipts.csv"
            await until(lambda: actions.is_enabled("stock.export_receipts"), "the hands are free")
            page.files.save_receipts(lines, *days[0])
            await until(lambda: len(said) == 2, "the list")
            assert shown["digest"] in lines.read_text()

    run(work())


@pytest.mark.usefixtures("small_pages")
def test_the_inventory_is_of_all_pages(page: StockPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """Every element that the search finds, also those that are not loaded; a place that cannot be written is told."""
    rows = [card(f"i{n:03}") for n in range(130)] + [card("other", product="Else")]

    async def work() -> None:
        async with opened(page, connect, *rows):
            page.view.search.setText("card")
            await until(lambda: page.view.count.text() == "60 of 130 elements found", "the search")
            path = tmp_path / "inventory.csv"
            said = told(page)
            page.files.save_inventory(path)
            await until(lambda: said, "the file")
            assert path.read_bytes().count(b"\r\n") == 131
            page.files.save_inventory(tmp_path / "nowhere" / "inventory.csv")
            await until(lambda: len(said) == 2, "the failure")
            assert "cannot be written" in said[1]

    run(work())


# --- card makers ----------------------------------------------------------------------------------------------------


def root_of_a_maker(tmp_path: Path, encoding: Encoding = Encoding.PEM) -> tuple[Path, str]:
    """A file with a maker's root, and its SHA-256."""
    root = Maker().root
    path = tmp_path / "root.pem"
    path.write_bytes(root.public_bytes(encoding))
    return path, root.fingerprint(SHA256()).hex()


async def makers_shown(page: StockPresenter) -> MakersDialog:
    """The list of card makers, by its key's action."""
    page.session.actions.trigger("stock.makers")
    found: MakersDialog = await dialog_of(page, MakersDialog)
    return found


def test_a_maker_that_ships_is_trusted_and_no_longer(page: StockPresenter, connect: Connect, run: Run) -> None:
    """The list says what ships and what its certificates are; Enter asks, the answer is in the list."""

    async def work() -> None:
        async with opened(page, connect) as client:
            page.session.clearance = "citadel"
            dialog = await makers_shown(page)
            (yubico,) = dialog.rows.rows
            assert (maker_words(yubico)[1], origin(yubico)) == ("Not trusted", "The program")
            assert dialog.certificates.facts is not None
            said = dialog.certificates.facts.values["sha2560"].accessibleName()
            assert said == f"SHA-256: {yubico.certificates[0].sha256}"
            assert str(yubico.source) in dialog.about.text()
            for pinned, button in ((True, "Trust this maker"), (False, "Stop trusting")):
                QTest.keyClick(dialog.table, Qt.Key.Key_Return)
                question = await dialog_of(page, ConfirmDialog)
                assert question.do.text() == button
                question.do.click()
                await until(lambda: dialog.rows.rows[0].pinned is pinned, button)  # noqa: B023
                assert (await client.provisioning_list_makers()).items[0].pinned is pinned
                assert (dialog.trust.isEnabled(), dialog.end.isEnabled()) == (not pinned, pinned)
            dialog.reject()

    run(work())


def test_another_maker_is_read_before_it_is_trusted(
    page: StockPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """Subject, SHA-256 and end are shown first; then it stands in the list as added here, until it is ended."""
    path, digest = root_of_a_maker(tmp_path, Encoding.DER)

    async def work() -> None:
        async with opened(page, connect) as client:
            page.session.clearance = "citadel"
            dialog = await makers_shown(page)
            dialog.add.click()
            form = await dialog_of(page, MakerForm)
            await page.makers._bring(form, path)
            assert form.said.word == "1 certificate"
            assert form.certificates.facts is not None
            assert form.certificates.facts.values["sha2560"].accessibleName() == f"SHA-256: {digest}"
            assert "Maker root" in form.certificates.facts.values["subject0"].accessibleName()
            assert (await client.provisioning_list_makers()).items[-1].maker_id != MAKERS_BY_HAND
            form.save.click()
            await until(lambda: len(dialog.rows.rows) == 2, "the list")
            added = dialog.rows.rows[1]
            assert (maker_name(added), origin(added), added.pinned) == ("Other makers", "Added here", True)
            assert added.certificates[0].sha256 == digest
            dialog.table.selectRow(1)
            assert (dialog.trust.isEnabled(), dialog.end.isEnabled()) == (False, True)
            dialog.end.click()
            (await dialog_of(page, ConfirmDialog)).do.click()
            await until(lambda: len(dialog.rows.rows) == 1, "the list without it")
            dialog.reject()

    run(work())


def test_what_is_refused_is_said_at_the_field(page: StockPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """By the console what it can see, by the service what it alone can judge; nothing is trusted."""

    async def work() -> None:
        async with opened(page, connect) as client:
            page.session.clearance = "citadel"
            dialog = await makers_shown(page)
            dialog.add.click()
            form = await dialog_of(page, MakerForm)
            form.save.click()
            assert "Paste them" in form.error("ca")
            await page.makers._bring(form, tmp_path / "gone.pem")
            assert "cannot be read" in form.error("ca")
            form.take_file("key.pem", b"-----BEGIN PRIVATE KEY-----\n")
            assert "private key" in form.error("ca")
            form.pem.setPlainText("rubbish")
            assert form.said.state is Meaning.WARN
            form.save.click()
            assert "No certificate" in form.error("ca")
            form.pem.setPlainText(Maker().signer.public_bytes(Encoding.PEM).decode())
            form.save.click()
            await until(lambda: "nor pinned" in form.error("ca"), "the service's words")
            assert form.save.isEnabled()
            (shipped,) = card_makers(CARD_MAKERS.read_bytes())
            form.pem.setPlainText(shipped.pem[0])
            form.save.click()
            assert "ships with the program" in form.error("ca")
            assert not any(one.pinned for one in (await client.provisioning_list_makers()).items)
            form.reject()
            dialog.reject()

    run(work())


def test_a_sovereign_key_sees_the_makers_alone(page: StockPresenter, connect: Connect, run: Run) -> None:
    """It may read who is trusted; no button changes it, and Enter neither."""

    async def work() -> None:
        async with opened(page, connect):
            page.session.clearance = "sovereign"
            dialog = await makers_shown(page)
            assert [one.isEnabled() for one in (dialog.add, dialog.trust, dialog.end)] == [False] * 3
            QTest.keyClick(dialog.table, Qt.Key.Key_Return)
            assert not page.view.window().findChildren(ConfirmDialog)
            dialog.reject()

    run(work())


def test_certificates_are_read_from_what_people_have(application: QApplication, tmp_path: Path) -> None:
    """PEM with several, DER with one; an ended one says so; what is too large or rubbish says why."""
    maker = Maker(years=-1)
    both = maker.root.public_bytes(Encoding.PEM) + maker.signer.public_bytes(Encoding.PEM)
    pem, told = read_certificates(b"Bag Attributes\n" + both)
    assert (pem.encode(), len(told)) == (both, 2)
    for now, ended in ((time.time(), True), (0.0, False)):
        facts = certificate_facts(told, now)
        assert ("(ended)" in facts.values["ends1"].accessibleName()) is ended
    assert read_certificates(root_of_a_maker(tmp_path, Encoding.DER)[0].read_bytes())[0].startswith("-----BEGIN")
    for data, word in (
        (bytes(MAKERS_CA_MAX + 1), "larger"),
        (b"\x30\x03abc", "No certificate"),
        (b"", "No certificate"),
    ):
        with pytest.raises(UnreadableCertificates, match=word):
            read_certificates(data)
