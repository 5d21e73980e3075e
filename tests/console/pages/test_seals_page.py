"""The seals page against a real training service with its own three witnesses."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtTest import QTest

from app.capabilities.gateway.audit.logs.messages import LogWitnesses
from app.capabilities.provenance.messages import Consent, KnotSeal, KnotSealBody, OutsideStamp, Subject
from app.console import theme
from app.console.connection.client import ConsoleClient
from app.console.evidence.pinning import PolicyPins, service_name
from app.console.evidence.seals import verify_knot
from app.console.failures import Failure
from app.console.moments import api_time
from app.console.pages.seals import consents_view, make
from app.console.pages.seals.forms import SealForm, WithdrawForm
from app.console.pages.seals.presenter import SealsPresenter
from app.console.session import WindowSession
from app.console.theme.resources import ROOT
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice
from app.console.widgets.confirm import ConfirmDialog
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, Service, dialog_of, on_screen

AT = "2026-03-01T10:00:00.000000Z"
NODE = "ARC-T0041"
"""Holds no card and was never seen alive."""


@pytest.fixture(scope="module", autouse=True)
def witnesses_up(training_service: Service) -> None:
    """Before that there is no policy, and a page asks for it every 15 s alone."""
    site = training_service.site
    site.wait(lambda: site.client.get("/v1/log/policy").status_code == 200)


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> SealsPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = make(session)
    on_screen(presenter, "seals", session, qtbot)
    return presenter


@asynccontextmanager
async def opened(page: SealsPresenter, connect: Connect, **arguments: str) -> AsyncIterator[ConsoleClient]:
    """The page after its first reading."""
    async with connect(page) as client:
        page.enter(arguments)
        await until(lambda: page.witnesses.pin is not None and page.view.consents.count.text(), "the first reading")
        yield client


def consent(page: SealsPresenter, node_id: str = NODE, **values: Any) -> KnotSealBody:
    """A consent given a minute ago."""
    given = {
        "purpose": ["Identity check at the door"],
        "controller": "TRAINING site",
        "scope": ["Card", "Voice"],
        "given_at": api_time(page.session.live.now() - 60),
    }
    subject = Subject(media_sha256=["ab" * 32], media_type="image/png")
    return KnotSealBody(node_id=node_id, consent=Consent(**(given | values)), subject=subject)


async def sealed(client: ConsoleClient, body: KnotSealBody) -> KnotSeal:
    """A knot with its quorum; the first one of a fresh site may wait for its witnesses."""
    knot = await client.provenance_issue(body)
    while knot.seal_proof is None:
        await asyncio.sleep(0.1)
        knot = await client.provenance_get(knot.knot_id)
    return knot


async def chosen(page: SealsPresenter, knot: KnotSeal) -> None:
    """The page with the cursor on that knot, and its witnesses looked at."""
    page.consents.read_now()
    await until(lambda: page.view.consents.rows.row_of(knot.knot_id) >= 0, "the knot in the list")
    page.view.consents.table.selectRow(page.view.consents.rows.row_of(knot.knot_id))
    await until(lambda: page.knot.knot is not None and page.knot.knot.knot_id == knot.knot_id, "the knot")
    await until(lambda: "did not" in fact(page, "witnesses") or "20" in fact(page, "witnesses"), "who cosigned")


def fact(page: SealsPresenter, key: str) -> str:
    """What the proof's facts show."""
    facts = page.view.knot.proof if key in page.view.knot.proof.values else page.view.knot.consent
    return facts.values[key].text().replace("\u200b", "")


async def judged(page: SealsPresenter) -> list[tuple[str, bool | None]]:
    """What Verify now finds, by its key."""
    assert page.session.actions.trigger("seals.verify")
    await until(lambda: page.view.knot.checks.checks, "the checks")
    return [(check.title, check.good) for check in page.view.knot.checks.checks]


def told(page: SealsPresenter) -> list[str]:
    """What the toasts say from now on."""
    said: list[str] = []
    page.session.toast.connect(lambda text, _kind, _reference: said.append(text))
    return said


def test_an_empty_list_teaches_the_first_seal(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """The next step is a button with its key; witnesses and heads are told all the same."""

    async def work() -> None:
        async with opened(page, connect):
            view = page.view
            assert view.consents.stack.currentWidget() is view.consents.empty
            assert page.session.actions.is_enabled("seals.seal")
            for action in ("seals.verify", "seals.withdraw", "seals.save_proof", "seals.save_bundle", "seals.trust"):
                assert not page.session.actions.is_enabled(action)
            await until(lambda: len(view.witnesses.rows.rows) == 3, "the witnesses")
            assert view.witnesses.worth.text().startswith(
                "0 independent witnesses: this machine's own witnesses prove order"
            )
            assert view.witnesses.worth.text().endswith("The logs were not checked by night yet.")

    run(work())


def test_a_consent_is_sealed_by_the_form(page: SealsPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """Person by type-ahead, words in their fields, a file's digest; the seal is then chosen and says it all."""
    medium = tmp_path / "medium.png"
    medium.write_bytes(b"abc")

    async def work() -> None:
        async with opened(page, connect):
            page.session.actions.trigger("seals.seal")
            form: SealForm = await dialog_of(page, SealForm)
            form.purpose.setFocus()  # elsewhere, or the suggestions open as a window
            form.node.searched.emit(NODE)
            # What an empty field suggests may still be there.
            await until(lambda: [one.id for one in form.node._model.items] == [NODE], "the suggestion")
            (found,) = form.node._model.items
            form.node.choose(found)
            form.purpose.setPlainText("Identity check at the door\nPayroll")
            form.controller.setText("TRAINING site")
            form.scope.setPlainText("Card")
            form.ends.setText("2999-01-31 14:32")
            form.jurisdiction.setText("de")
            form.take_file(medium)
            await until(form.media.toPlainText, "the digest")
            form.save.click()
            await until(lambda: page.knot.knot is not None, "the new seal")
            assert page.knot.knot is not None
            said = [fact(page, key) for key in ("node", "purpose", "scope", "jurisdiction", "live")]
            assert said == [NODE, "Identity check at the door, Payroll", "Card", "DE", "None stood beside it"]
            assert fact(page, "ends").startswith("2999-01-31")
            assert fact(page, "subject").startswith("image/png ba7816bf8f01cfea")
            assert page.view.knot.lifts.isVisible()
            assert "live check" in page.view.knot.lifts.text()

    run(work())


def test_what_is_wrong_is_told_at_its_field(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """Shapes before anything is sent; what only the service knows by its pointers, inside of the consent too."""

    async def work() -> None:
        async with opened(page, connect):
            page.session.actions.trigger("seals.seal")
            form: SealForm = await dialog_of(page, SealForm)
            form.given.setText("tomorrow")
            form.jurisdiction.setText("Germany")
            form.media.setPlainText("abc")
            form.media_type.setText("picture")
            form.evidence.setPlainText("iris prv_1")
            form.save.click()
            for key in ("node_id", "purpose", "controller", "scope", "given_at", "jurisdiction", "evidence"):
                assert form.error(key), key
            assert form.error("media_sha256")
            assert form.error("media_type")
            form.node.choose(Choice(NODE, NODE))
            form.purpose.setPlainText("Door")
            form.controller.setText("TRAINING site")
            form.scope.setPlainText("Card")
            form.given.setText("2030-01-01 00:00")
            form.ends.setText("2029-01-01 00:00")
            form.jurisdiction.clear()
            form.media.clear()
            form.media_type.clear()
            form.evidence.setPlainText("card prv_unknown")
            form.save.click()
            await until(lambda: form.error("evidence"), "the service's answer")
            assert "future" in form.error("given_at")
            assert "before it is given" in form.error("expires_at")
            assert form.save.isEnabled()
            form.reject()

    run(work())


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({}, "The logs were not checked by night yet."),
        (
            {"check_overdue": True},
            "The logs were not checked by night yet. That is overdue: see the service's log.",
        ),
        (
            {"checked_at": AT, "check_findings": 0},
            "Checked by night 2026-03-01 10:00:00: no faults.",
        ),
        (
            {"checked_at": AT, "check_findings": 2, "check_overdue": True},
            "Checked by night 2026-03-01 10:00:00: 2 faults, see the alarms. That is overdue: see the service's log.",
        ),
    ],
    ids=["never", "never, overdue", "clean", "faults, overdue"],
)
def test_the_last_check_is_told_with_the_witnesses(page: SealsPresenter, known: dict[str, Any], said: str) -> None:
    """Nothing stays green because nobody looked."""
    page.view.witnesses.show_witnesses(
        LogWitnesses(standing="CONFIRMED", detail=None, independent=1, items=[], **known), ""
    )
    assert page.view.witnesses.worth.text().endswith(said)


def test_outside_stamps_stand_beside_the_own_one(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """How many; they are over later checkpoints."""

    async def work() -> None:
        async with opened(page, connect) as client:
            knot = await sealed(client, consent(page))
            await chosen(page, knot)
            leaf = page.view.knot.leaf
            assert leaf is not None
            stamps = [OutsideStamp(checkpoint="", consistency=[], timestamp_token="") for _ in range(2)]
            page.view.knot.show_leaf(msgspec.structs.replace(leaf, outside_stamps=stamps), None, ())
            own = "RFC 3161, over this checkpoint"
            assert fact(page, "stamp") == f"{own}; 2 stamps of outside authorities, over later ones"
            page.view.knot.show_leaf(msgspec.structs.replace(leaf, outside_stamps=stamps[:1]), None, ())
            assert fact(page, "stamp") == f"{own}; 1 stamp of outside authorities, over later ones"

    run(work())


def test_verify_now_checks_without_the_service(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """Each check is a line; the witnesses that cosigned are told with their times; nothing is asked meanwhile."""

    async def work() -> None:
        async with opened(page, connect) as client:
            knot = await sealed(client, consent(page))
            await chosen(page, knot)
            assert fact(page, "seal") == knot.consensus_seal
            assert fact(page, "witnesses").count("20") >= 2
            assert fact(page, "stamp") == "RFC 3161, over this checkpoint"
            page.session.detach("pulled out")
            checks = await judged(page)
            assert [title for title, _ in checks] == [
                "Pinned policy", "File", "Form", "Consensus seal", "Leaf and opening", "Witnesses", "Path to the root",
                "Time stamp", "Name and order", "Training or real",
            ]  # fmt: skip
            assert {good for _, good in checks} == {True}
            assert (page.view.knot.checks.verdict.state, page.view.knot.checks.verdict.word) == (
                Meaning.OK,
                "Proof holds",
            )

    run(work())


def changes(knot: KnotSeal) -> Iterator[tuple[str, KnotSeal]]:
    """One thing changed in each, as somebody who holds the service could."""
    raw = msgspec.to_builtins(knot)

    def with_leaf(**values: Any) -> KnotSeal:
        first = {**raw["leaves"][0], **values}
        return msgspec.convert({**raw, **values, "leaves": [first]}, KnotSeal)

    yield "Consensus seal", with_leaf(consensus_seal="0x" + "0" * 64)
    yield "Leaf and opening", with_leaf(leaf=knot.leaf.replace('"UNVERIFIED"', '"VERIFIED_DIGITAL_HUMAN"'))
    yield "Leaf and opening", with_leaf(standing="VERIFIED_DIGITAL_HUMAN")
    yield "Witnesses", with_leaf(timestamp="2020-01-01T00:00:00.000000Z")
    yield "Time stamp", with_leaf(timestamp_token="MAA=")
    yield "Name and order", msgspec.structs.replace(knot, knot_id="KNOT-0000000000000000")
    yield "Name and order", msgspec.structs.replace(knot, node_id="ARC-T0001")
    yield "Training or real", msgspec.structs.replace(knot, training=False)


def test_verify_now_finds_every_change(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """Seal, leaf, standing, time, stamp, name, person: one edit, and the line of that check is bad."""

    async def work() -> None:
        async with opened(page, connect) as client:
            knot = await sealed(client, consent(page))
            assert page.witnesses.pin is not None
            for title, changed in changes(knot):
                judgement = await asyncio.to_thread(verify_knot, changed, page.witnesses.pin.policy)
                assert judgement.good is False, title
                assert (title, False) in [(check.title, check.good) for check in judgement.checks]
            page.knot.knot = next(changes(knot))[1]
            await judged(page)
            assert (page.view.knot.checks.verdict.state, page.view.knot.checks.verdict.word) == (
                Meaning.CRIT,
                "PROOF FAILS",
            )

    run(work())


def test_a_pending_seal_is_no_forged_one(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """While the quorum is missing the checks stay open: neither verified nor bad."""

    async def work() -> None:
        async with opened(page, connect) as client:
            knot = await sealed(client, consent(page))
            assert page.witnesses.pin is not None
            nothing: dict[str, Any] = dict.fromkeys(("consensus_seal", "seal_proof", "timestamp_token"))
            raw = msgspec.to_builtins(knot)
            raw |= {**nothing, "standing": "PENDING_CONSENSUS", "leaves": [{**raw["leaves"][0], **nothing}]}
            judgement = await asyncio.to_thread(verify_knot, msgspec.convert(raw, KnotSeal), page.witnesses.pin.policy)
            assert judgement.good is None

    run(work())


def test_a_consent_is_withdrawn(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """Asked first, with a reason; the second statement stands beside the first, and both verify."""

    async def work() -> None:
        async with opened(page, connect) as client:
            await chosen(page, await sealed(client, consent(page)))
            page.session.actions.trigger("seals.withdraw")
            form: WithdrawForm = await dialog_of(page, WithdrawForm)
            form.reason.setText("Asked for by the person")
            QTest.keyClick(form.reason, Qt.Key.Key_Return)
            await until(lambda: page.knot.knot is not None and len(page.knot.knot.leaves) == 2, "the second statement")
            view = page.view
            assert view.knot.mark.word == "Withdrawn"
            assert not page.session.actions.is_enabled("seals.withdraw")
            assert not view.knot.lifts.isVisible()
            view.knot.leaves.selectRow(1)
            assert view.knot.said.text() == "Asked for by the person"
            assert {good for _, good in await judged(page)} == {True}

    run(work())


def test_proof_and_seal_are_saved_and_verified_by_anybody(
    page: SealsPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """The file of the seal passes the single-file verifier in a bare Python with the pinned policy; so does the bundle.
    The proof is the service's, to the byte."""

    async def work() -> None:
        async with opened(page, connect) as client:
            knot = await sealed(client, consent(page))
            await chosen(page, knot)
            asked: list[tuple[str, Any]] = []
            page.knot.files.ask = lambda _title, name, save: asked.append((name, save))  # type: ignore[method-assign]
            for action in ("seals.save_proof", "seals.save_knot", "seals.save_bundle"):
                assert page.session.actions.trigger(action)
                name, save = asked[-1]
                assert name.startswith(knot.knot_id)
                save(tmp_path / name)
                await until(lambda name=name: (tmp_path / name).exists() and not page.knot.files.saving, name)
            proof, seal, bundle = (tmp_path / name for name, _ in asked)
            assert proof.read_text() == knot.seal_proof
            assert page.witnesses.pin is not None
            (tmp_path / "policy").write_bytes(page.witnesses.pin.policy)
            for file in (seal, bundle):
                command = [sys.executable, "-I", str(ROOT / "arc_verify.py"), str(file), "--policy", "policy"]
                done = await asyncio.to_thread(
                    subprocess.run, command, cwd=tmp_path, capture_output=True, text=True, check=False
                )
                assert done.stdout.endswith("\nVERIFIED\n"), done.stdout
            page.session.actions.trigger("seals.copy")
            assert QGuiApplication.clipboard().text() == knot.consensus_seal

    run(work())


def test_a_file_that_cannot_be_written_is_told(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """The toast says so and how to go on."""

    async def work() -> None:
        async with opened(page, connect):
            said = told(page)
            page.knot.files.keep(Path("/proc/nowhere/x"), "The proof", b"x")
            await until(lambda: said, "the toast")
            assert "cannot be written" in said[0]
            assert not page.knot.files.saving

    run(work())


def test_another_policy_is_told_loudly_and_not_believed(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """The pinned one stays in force until a person takes the new one; it is then the one that verifies."""

    async def work() -> None:
        async with opened(page, connect) as client:
            knot = await sealed(client, consent(page))
            await chosen(page, knot)
            assert page.witnesses.pin is not None
            real = page.witnesses.pin.policy
            # What was pinned before is of other witnesses, as after an exchange of the service.
            pins = PolicyPins(page.session.preferences.directory / "trust")
            other = b"log other.invalid/seal+00000000+AQ==\nquorum none\n"
            pins.accept(service_name(page.session), other, 1_700_000_000.0)
            page.witnesses.read_now()
            await until(lambda: page.witnesses.pin is not None and page.witnesses.pin.changed, "the change")
            assert "POLICY CHANGED" in page.view.witnesses.trust.text()
            assert "gone: log other.invalid/seal" in page.view.banner.text
            assert (await judged(page))[0] == ("Pinned policy", False)
            assert page.session.actions.trigger("seals.trust")
            confirm: ConfirmDialog = await dialog_of(page, ConfirmDialog)
            confirm.do.click()
            await until(lambda: page.witnesses.pin is not None and not page.witnesses.pin.changed, "the new pin")
            assert page.witnesses.pin.policy == real
            assert not page.view.banner.isVisible()
            assert {good for _, good in await judged(page)} == {True}
            (kept,) = (page.session.preferences.directory / "trust").iterdir()
            assert [pin["policy"].encode() for pin in json.loads(kept.read_bytes())["earlier"]] == [real, other]

    run(work())


def test_a_damaged_pin_is_never_replaced(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """Nobody is believed at second sight because a file cannot be read."""

    async def work() -> None:
        async with opened(page, connect):
            (kept,) = (page.session.preferences.directory / "trust").iterdir()
            kept.write_bytes(b"{}")
            page.witnesses.read_now()
            await until(lambda: "cannot be read" in page.view.banner.text, "the banner")
            assert kept.read_bytes() == b"{}"
            kept.unlink()

    run(work())


def test_seals_are_found_by_person_by_seal_and_by_name(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """Each narrows the list; what is no seal is said at once."""

    async def work() -> None:
        async with opened(page, connect) as client:
            one = await sealed(client, consent(page, "ARC-T0042"))
            two = await sealed(client, consent(page, "ARC-T0043"))
            view = page.view

            def knots() -> list[str]:
                return [row.knot_id for row in view.consents.rows.rows]

            page.consents.read_now()
            await until(lambda: two.knot_id in knots(), "the list")
            assert knots()[:2] == [two.knot_id, one.knot_id]
            view.node.choose(Choice("ARC-T0042", "ARC-T0042"))
            await until(lambda: knots() == [one.knot_id], "the person's")
            view.node.choose(None)
            assert two.consensus_seal is not None
            view.seal.setText(two.consensus_seal.upper().replace("0X", ""))
            QTest.keyClick(view.seal, Qt.Key.Key_Return)
            await until(lambda: knots() == [two.knot_id], "the seal's")
            view.seal.setText("0x12")
            QTest.keyClick(view.seal, Qt.Key.Key_Return)
            assert "64 hexadecimal digits" in view.banner.text
            view.seal.setText(one.knot_id.lower())
            QTest.keyClick(view.seal, Qt.Key.Key_Return)
            await until(lambda: page.knot.knot is not None and page.knot.knot.knot_id == one.knot_id, "the knot")

    run(work())


def test_a_seal_leads_to_a_declaration_and_back(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """The action "Enforce with this seal" names it to the page Enforcement, which opens this one with a seal."""
    led: list[tuple[str, dict[str, str]]] = []

    def lead(name: str, arguments: dict[str, str]) -> None:
        led.append((name, arguments))

    async def work() -> None:
        async with opened(page, connect) as client:
            made = await sealed(client, consent(page, "ARC-T0044"))
            page.session.set_navigator(lead)
            page.enter({"seal": made.consensus_seal or ""})
            await until(lambda: page.knot.knot is not None and page.knot.knot.knot_id == made.knot_id, "the knot")
            assert page.session.actions.trigger("seals.enforce")
            assert led == [("enforcement", {"signature": made.knot_id})]

    run(work())


def test_a_long_list_grows_as_it_is_scrolled(
    page: SealsPresenter, connect: Connect, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One page at first; each end that comes in sight brings the next."""
    monkeypatch.setattr(page.consents.knots, "_page", 30)
    monkeypatch.setattr(page.consents.knots, "_largest", 30)
    monkeypatch.setattr(consents_view, "NEAR_END", 2)

    async def work() -> None:
        async with opened(page, connect) as client:
            await asyncio.gather(*[client.provenance_issue(consent(page, "ARC-T0033")) for _ in range(70)])
            page.view.node.choose(Choice("ARC-T0033", "ARC-T0033"))
            await until(lambda: len(page.view.consents.rows.rows) == 30, "the first page")

            def scrolled_to(size: int) -> bool:
                """The view learns of its rows some turns after the model has them: the end is not there yet."""
                page.view.consents.table.scrollToBottom()
                return len(page.view.consents.rows.rows) == size

            for size in (60, 70):
                await until(lambda size=size: scrolled_to(size), f"{size} rows")

    run(work())


def test_heads_are_checked_and_old_ones_are_stale(page: SealsPresenter, connect: Connect, run: Run) -> None:
    """Both logs show size and root of what a quorum cosigned; a checkpoint that nobody renewed says since when."""

    async def work() -> None:
        async with opened(page, connect) as client:
            await sealed(client, consent(page))
            page.consents.read_now()
            await until(
                lambda: all(mark.word == "Cosigned" for mark, _, _ in page.view.witnesses.heads.values()), "both heads"
            )
            note, head, _ = page.witnesses.heads["seal"]
            assert head is not None
            assert page.view.witnesses.heads["seal"][2].text().replace("\u200b", "") == head.root.hex()
            page.witnesses.heads["seal"] = note, replace(head, quorum_at=head.quorum_at - 3600), ""
            page.repaint()
            assert page.view.witnesses.heads["seal"][0].word.startswith("STALE since")
            page.witnesses.heads["seal"] = "", None, "Its signatures do not hold."
            page.repaint()
            assert page.view.witnesses.heads["seal"][0].state is Meaning.WARN

    run(work())


def test_sizes_of_large_logs_are_shown_whole(page: SealsPresenter) -> None:
    """A figure that is cut in its middle is another figure."""
    table = page.view.witnesses.table
    columns = {column.title: at for at, column in enumerate(page.view.witnesses.rows.columns)}
    for title in ("SEAL", "AUDIT"):
        assert not table.isColumnHidden(columns[title])
        needed = QFontMetrics(theme.mono(12)).horizontalAdvance("99,999,999")
        assert needed <= table.columnWidth(columns[title]) - 20, title


@pytest.mark.parametrize("rows", [["card prv_1"] * 17, [f"card {'9' * 201}"]])
def test_live_checks_beyond_what_a_seal_takes_are_told(page: SealsPresenter, qtbot: Any, rows: list[str]) -> None:
    """Each line may be in shape, and all of them still no list that the service takes."""
    form = SealForm(page.view, lambda: 0.0)
    qtbot.addWidget(form)
    asked: list[object] = []
    form.asked.connect(asked.append)
    form.node.choose(Choice(NODE, NODE))
    form.purpose.setPlainText("Door")
    form.controller.setText("TRAINING site")
    form.scope.setPlainText("Card")
    form.evidence.setPlainText("\n".join(rows))
    form.save.click()
    assert "At most 16" in form.error("evidence")
    assert asked == []
    form.evidence.setPlainText("card prv_1")
    form.save.click()
    assert len(asked) == 1


def test_a_failure_inside_of_the_consent_has_its_field(page: SealsPresenter, qtbot: Any) -> None:
    """Pointers of the nested objects lead to the form's own fields; others to its head."""
    form = SealForm(page.view, lambda: 0.0)
    qtbot.addWidget(form)
    form.show_failure(Failure("invalid_body", "No.", fields=(("/consent/scope/0", "Too long."),)))
    assert form.error("scope") == "Too long."
    form.show_failure(Failure("state_conflict", "Node is burned."))
    assert form.banner.text == "Node is burned."
