"""What a burn leaves, at the burn page, against a real training service: the bundle saved and verified on this machine,
a bundle that was changed is refused, drills say so on every record, and a burned badge at a door is told."""

from __future__ import annotations

import asyncio
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from app.capabilities.burn.messages import Burn, BurnBody, BurnListQuery
from app.capabilities.credentials.messages import PresentBody
from app.client import ApiError
from app.console.connection.client import ConsoleClient
from app.console.evidence.seals import verify_file
from app.console.pages import burn as burn_page
from app.console.pages.burn import BurnPresenter
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen

HOLDER = "ARC-T0011"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> BurnPresenter:
    """The page at the size of the design."""
    presenter = built(burn_page, session)
    presenter.view.order.hold._hold_ms = 60
    on_screen(presenter, "burn", session, qtbot)
    return presenter


async def burned(page: BurnPresenter, client: ConsoleClient, node_id: str) -> Burn:
    """A burn whose evidence can be given away is on the board."""
    body = BurnBody(node_id=node_id, scope="GLOBAL_REVOCATION", reason="evidence")
    made = await client.burn_execute(body)
    for _ in range(600):
        try:
            await client.revocations_evidence(made.burn_id)
            break
        except ApiError as waits:
            if waits.code != "state_conflict":
                raise
            await asyncio.sleep(0.05)
    page.enter({"burn_id": made.burn_id})
    await until(lambda: page.session.actions.is_enabled("burn.verify"), "the sealed burn")
    return made


def test_the_evidence_is_verified_on_this_machine(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """Every check by the pinned policy; the bundle that is saved is the same kind of file."""

    async def script() -> tuple[str, list[bool | None], str]:
        async with connect(page) as client:
            await burned(page, client, "ARC-PROOF-1")
            page.session.actions.trigger("burn.verify")
            checks = page.view.evidence.checks
            await until(lambda: checks.checks or page.view.banner.text, "the checks")
            return checks.verdict.word, [check.good for check in checks.checks], page.view.banner.text

    word, goods, banner = run(script())
    assert (word, banner) == ("Proof holds", "")
    assert len(goods) > 10
    assert all(goods)


def test_bundle_and_manifest_are_saved(page: BurnPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """Whole files, under the name that the person gave."""

    async def script() -> None:
        async with connect(page) as client:
            made = await burned(page, client, "ARC-PROOF-2")
            page.evidence.save_bundle(tmp_path / "burn.zip", made.burn_id)
            await until(lambda: not page.evidence.files.saving and (tmp_path / "burn.zip").exists(), "the bundle")
            page.evidence.save_manifest(tmp_path / "burn.c2pa", made.burn_id)
            await until(lambda: not page.evidence.files.saving and (tmp_path / "burn.c2pa").exists(), "the manifest")
            assert (tmp_path / "burn.c2pa").read_bytes() == await client.revocations_manifest(made.burn_id)
            with zipfile.ZipFile(tmp_path / "burn.zip") as bundle:
                names = set(bundle.namelist())
            assert {"burn.json", "report.pdf"} <= names
            assert any(name.endswith(".c2pa") for name in names)

    run(script())


def test_a_bundle_that_was_changed_fails(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """One byte of the report, and one of a leaf."""

    async def script() -> list[bool | None]:
        async with connect(page) as client:
            made = await burned(page, client, "ARC-PROOF-3")
            data = await client.revocations_evidence(made.burn_id)
            policy = await client.log_policy()
            found = []
            for name in ("", "report.pdf", "burn.json"):
                changed = io.BytesIO()
                with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(changed, "w") as new:
                    for part in old.infolist():
                        body = old.read(part)
                        new.writestr(part, body[:-2] + b"~" + body[-1:] if part.filename == name else body)
                judgement = await asyncio.to_thread(verify_file, changed.getvalue() if name else data, policy)
                found.append(judgement.good)
            return found

    assert run(script()) == [True, False, False]


def test_a_drill_says_so_before_and_after(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """Word and shape at the subject, on the button, at the board, in the list; doors of the drill's cluster alone."""

    async def script() -> tuple[list[bool], str, set[str]]:
        async with connect(page):
            page.enter({})
            page.session.actions.trigger("burn.drill")
            await until(lambda: page.preview is not None and page.preview.drill, "the drill identity")
            view = page.view
            before = [
                not view.subject.drill.isHidden() and view.subject.drill.word.state is Meaning.WARN,
                "DRILL" in view.target_panel.accessibleName(),
            ]
            view.order.reason.setText("Drill of the night shift")
            await until(view.order.hold.isEnabled, "the order")
            before.append(view.order.hold.text().startswith("DRILL: hold to burn "))
            page.burn()
            await until(lambda: page.board.burn is not None, "the answer")
            page.repaint()
            burn = page.board.burn
            assert burn is not None
            after = [not view.board.drill.isHidden(), view.board.drill.word.word == "DRILL", burn.drill]
            await until(lambda: view.history.rows.row_of(burn.burn_id) >= 0, "the row")
            word = str(view.history.rows.index(view.history.rows.row_of(burn.burn_id), 3).data())
            clusters = {row.name.partition(" · ")[2] for row in page.board.rows.values() if row.kind == "reader"}
            return before + after, word.partition(" ")[0], clusters

    assert run(script()) == ([True] * 6, "DRILL", {"Garage"})


def test_a_real_person_is_never_marked_a_drill(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """After a drill was looked at, too."""

    async def script() -> tuple[bool, str]:
        async with connect(page):
            page.enter({})
            page.session.actions.trigger("burn.drill")
            await until(lambda: page.preview is not None and page.preview.drill, "the drill identity")
            page.enter({"node_id": "ARC-T0052"})
            await until(lambda: page.preview is not None and page.preview.node_id == "ARC-T0052", "the person")
            page.view.order.reason.setText("Lost card")
            return page.view.subject.drill.isHidden(), page.view.order.hold.text()

    assert run(script()) == (True, "Hold to burn ARC-T0052")


def test_a_burned_badge_at_a_door_is_told_at_its_burn(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """The alarm stands at the board, without anybody asking."""

    async def script() -> str:
        async with connect(page) as client:
            for _ in range(600):
                node = await client.registry_get_node(HOLDER)
                if any(credential.state == "granted" for credential in node.credentials):
                    break
                await asyncio.sleep(0.05)
            await client.burn_execute(BurnBody(node_id=HOLDER, scope="GLOBAL_REVOCATION", reason="tripwire"))
            (burn,) = (await client.burn_list(query=BurnListQuery(node_id=HOLDER))).items
            page.enter({"burn_id": burn.burn_id})
            await until(lambda: page.board.burn is not None and not page.session.live.stale, "the board")
            page.repaint()
            assert page.view.board.alarm.isHidden()
            await client.credentials_present(PresentBody(reader_id="garage-01", node_id=HOLDER))
            await until(lambda: page.tripwire.alarms, "the alarm")
            page.repaint()
            return page.view.board.alarm.word

    assert "was presented at reader garage-01" in run(script())
