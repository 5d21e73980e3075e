"""The report against a real training service: what is on record stands on the paper, and its evidence verifies."""

from __future__ import annotations

import asyncio
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.capabilities.burn.messages import Burn, BurnBody, BurnLog, BurnTarget
from app.capabilities.burn.targets import TargetState
from app.capabilities.gateway.audit.messages import AuditEntry
from app.capabilities.infrastructure.messages import Frame, FrameList, HistoryPoint, Percentiles, StatusRecord
from app.commands.verify import pinned_trust
from app.console.connection.client import ConsoleClient
from app.console.files import FileKeeper
from app.console.moments import parse_time
from app.console.page import PageView, Presenter
from app.console.report.dialog import BETWEEN, ReportDialog, keep_report
from app.console.report.facts import (
    ChartStep,
    SiteReport,
    actors_of,
    alarms_of,
    chart_steps,
    doors_of,
    read_report,
)
from app.console.report.paper import report_paper
from app.console.session import WindowSession
from app.delivery.messages import Alarm
from app.evidence.judge import examine
from app.ledger.bundle import unpack
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect

HOUR_S = 3600.0
REASON = "badge found in the street"


@pytest.fixture
def nowhere(session: WindowSession, qtbot: Any) -> Presenter:
    """A page that does nothing: the report belongs to the window."""
    view = PageView("Nowhere")
    qtbot.addWidget(view)
    return Presenter(session, view)


def words_of(pdf: bytes) -> str:
    """Everything that stands on the paper, as one line."""

    def read() -> bytes:
        return subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True).stdout

    # Elsewhere: the GUI thread starts no program.
    with ThreadPoolExecutor(1) as pool:
        return " ".join(pool.submit(read).result().decode().split())


async def burned(client: ConsoleClient) -> str:
    """The id of a burn whose doors are all proven."""
    made = await client.burn_execute(BurnBody(node_id="ARC-T0007", scope="LOCAL_ONLY", reason=REASON))
    while any(one.state != "revoked" for one in made.targets if one.kind == "reader"):
        await asyncio.sleep(0.1)
        made = await client.burn_get(made.burn_id)
    return made.burn_id


def test_a_burn_and_its_evidence_are_in_the_report(
    nowhere: Presenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """Person, reason, time to the last door; the bundle beside it proves the order, and the paper names it."""
    session, path = nowhere.session, tmp_path / "report.pdf"

    async def script() -> tuple[str, dict[str, bytes]]:
        async with connect(nowhere) as client:
            burn_id = await burned(client)
            now = session.live.now()
            files = FileKeeper(nowhere.view, session)
            keep_report(session, files, path, (now - HOUR_S, now + 1), bundle=True)
            await until(lambda: not files.saving, "the report")
            return burn_id, {"policy": await client.log_policy(), "roots": await client.log_roots()}

    burn_id, pins = run(script())
    for name, data in pins.items():
        (tmp_path / name).write_bytes(data)
    bundle = path.with_suffix(".zip").read_bytes()
    assert examine(bundle, pinned_trust(tmp_path)).good
    leaves = json.loads(unpack(bundle)["entries.json"])["leaves"]
    assert any('"action":"burn.executed"' in leaf["leaf"] for leaf in leaves)
    text = words_of(path.read_bytes())
    for said in ("TRAINING", "ARC-T0007", REASON, burn_id, "the last after", "report.zip", "Who acted", "the console"):
        assert said in text, said


def test_a_bundle_that_nobody_agreed_to_replace_stays(
    nowhere: Presenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """Another file of that name lies beside: neither of the two is written, and the message says so."""
    session, path = nowhere.session, tmp_path / "report.pdf"
    path.with_suffix(".zip").write_bytes(b"mine")
    said: list[str] = []
    session.toast.connect(lambda text, *_rest: said.append(text))

    async def script() -> None:
        async with connect(nowhere) as client:
            await burned(client)
            files = FileKeeper(nowhere.view, session)
            keep_report(session, files, path, (session.live.now() - HOUR_S, session.live.now()), bundle=True)
            await until(lambda: not files.saving, "the report")

    run(script())
    assert "is there already" in said[-1]
    assert (path.exists(), path.with_suffix(".zip").read_bytes()) == (False, b"mine")


# --- what is read of it ----------------------------------------------------------------------------------------------


def entry(seq: int, action: str, actor: str = "service", **detail: object) -> AuditEntry:
    """An entry of minute ``seq``."""
    return AuditEntry(
        seq=seq, timestamp=f"2026-03-01T10:{seq:02}:00.000000Z", actor=actor, action=action, node_id=None,
        outcome="ACCEPTED", detail=detail, leaf_hash="ab" * 32,
    )  # fmt: skip


def minute(number: int) -> float:
    """When entry ``number`` was made."""
    return parse_time(f"2026-03-01T10:{number:02}:00Z")


def name_of(actor: str | None, known: str | None) -> str:
    """As a desk without operators has it."""
    return known or actor or ""


TOLD = [
    entry(1, "alarm.raised", alarm_id="alm_1", kind="frame.unreachable", key="a", text="a does not answer"),
    entry(2, "alarm.taken", "key_desk", alarm_id="alm_1", note="I look at it"),
    entry(3, "alarm.cleared", alarm_id="alm_1", kind="frame.unreachable", key="a"),
    entry(4, "alarm.cleared", alarm_id="alm_0", kind="frame.unreachable", key="b"),
    entry(5, "alarm.raised", alarm_id="alm_2", kind="audit.clock", key="c", text="the clock was set back"),
]


def test_an_alarm_has_owner_note_and_next_step() -> None:
    """The open one comes first; one that was raised before the span is told, too, without a time that nobody knows."""
    still = Alarm(
        alarm_id="alm_2", kind="frame.unreachable", since="2026-03-01T10:05:00.000000Z", node_id=None, ref="c",
        text="c does not answer",
    )  # fmt: skip
    first, closed, before = alarms_of(TOLD, [still], minute(9), name_of)
    assert (first.raised, first.closed, first.owner, first.step) == (minute(5), None, "", "see which phase failed")
    assert (closed.raised, closed.closed, closed.owner, closed.note) == (
        minute(1), minute(3), "key desk", "I look at it",
    )  # fmt: skip
    assert (before.raised, before.closed) == (None, minute(4))


def test_what_was_raised_after_the_span_is_not_in_it() -> None:
    """Its closing neither; but how an alarm of the span ended is told, whenever it did."""
    found = alarms_of(TOLD, [], minute(2), name_of)
    assert [(one.raised, one.closed) for one in found] == [(minute(1), minute(3))]


def test_who_acted_is_counted_without_the_service() -> None:
    """The busiest first, with what most often and what was refused."""
    refused = msgspec.structs.replace(entry(8, "burn.executed", "key_a"), outcome="DENIED")
    found = actors_of([entry(6, "burn.executed", "key_a"), entry(7, "burn.executed", "key_a"), refused, *TOLD], name_of)
    assert [(one.name, one.acts, one.in_vain, one.most) for one in found] == [
        ("key a", 3, 1, "burn executed 3"),
        ("key desk", 1, 0, "alarm taken 1"),
    ]


def frame(peer_id: str, points: dict[int, tuple[float, float]]) -> Frame:
    """A frame with p50 and p99 in some minutes; a point without a sample is a minute of missed probes."""

    def percentiles(count: int, p50: float | None, p99: float | None) -> Percentiles:
        return Percentiles(count=count, missed=1, p50=p50, p95=p99, p99=p99, max=p99)

    history = [
        HistoryPoint(at=f"2026-03-01T10:{at:02}:00.000000Z", handshake=percentiles(9, *values))
        for at, values in points.items()
    ]
    history.append(HistoryPoint(at="2026-03-01T10:03:00.000000Z", handshake=percentiles(0, None, None)))
    record = StatusRecord(
        node_id=peer_id, status="OPERATIONAL", handshake_latency="1.00 ms", active_sovereign_nodes=1, uplink="none"
    )
    return Frame(
        peer_id=peer_id, record=record, phases=None, certificate_not_after=None, group=None, cipher=None, protocol=None,
        span=percentiles(9, 1.0, 2.0), history=history,
    )  # fmt: skip


FRAMES = FrameList(
    items=[frame("a", {0: (1.0, 4.0), 1: (2.0, 5.0)}), frame("b", {0: (3.0, 9.0)})],
    from_="2026-03-01T10:00:00.000000Z", to="2026-03-01T10:05:00.000000Z", step=60, probe_interval_ms=1000,
)  # fmt: skip


def test_a_minute_without_a_sample_is_a_gap() -> None:
    """The span has each of its steps; no value is carried into one in which nothing answered."""
    steps = chart_steps(FRAMES, minute(0), minute(5))
    assert [(one.p50, one.p99) for one in steps] == [(2.0, 9.0), (2.0, 5.0), (None, None), (None, None), (None, None)]


def target(kind: str, state: TargetState, ms: float | None) -> BurnTarget:
    """A target of a burn."""
    return BurnTarget(id=f"{kind}-{ms}", kind=kind, state=state, attempts=1, latency_ms=ms, evidence=None)


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ([("card", "revoked", 900.0)], "no doors"),
        ([("reader", "revoked", 12.34), ("reader", "already", 7.0), ("card", "revoked", 900.0)],
         "2 doors, the last after 12.3 ms"),
        ([("reader", "revoked", 12.0), ("reader", "pending_offline", None)],
         "1 of 2 doors without proof: the clock runs"),
        ([("reader", "revoked", 12.0), ("reader", "closed", 30.0)], "1 of 2 doors closed without proof"),
    ],
)  # fmt: skip
def test_the_time_to_the_last_door_is_told_only_when_every_door_is_proven(
    targets: list[tuple[str, TargetState, float | None]], words: str
) -> None:
    """A door that was given up makes no time; other systems make none either."""
    assert doors_of(burn_of(targets)) == words


def burn_of(targets: list[tuple[str, TargetState, float | None]]) -> Burn:
    """A burn with these targets."""
    return Burn(
        burn_id="burn_1", node_id="ARC-1", scope="LOCAL_ONLY", reason=REASON, epoch=1, state="PARTIAL",
        local_deny_us=1.0,
        targets=[target(*one) for one in targets], residual_exposure=[], timestamp="2026-03-01T10:00:00.000000Z",
        log=BurnLog(index=1, sha256="ab" * 32, manifest_url=None),
    )  # fmt: skip


# --- the paper -------------------------------------------------------------------------------------------------------


@pytest.fixture
def read(nowhere: Presenter, connect: Connect, run: Run) -> SiteReport:
    """What is on record of the last day."""

    async def script() -> SiteReport:
        async with connect(nowhere):
            now = nowhere.session.live.now()
            return await read_report(nowhere.session, now - 86_400, now)

    return run(script())


def test_gaps_and_the_goal_are_told_in_words(read: SiteReport) -> None:
    """A chart alone would leave a reader guessing; without a measurement nothing is drawn, and that is said."""
    shown = replace(read, steps=chart_steps(FRAMES, minute(0), minute(5)), step_s=60, low=minute(0), high=minute(5))
    text = words_of(report_paper(shown, ("", ""), 6.0))
    assert "No frame had a sample in 3 of 5 steps, 3 min in all: hatched, and in no figure." in text
    assert "Goal 6 ms: the slowest frame missed it in 1 of 2 measured steps." in text
    empty = replace(shown, steps=[ChartStep(minute(at), None, None) for at in range(5)])
    text = words_of(report_paper(empty, ("", ""), 6.0))
    assert "No frame was measured in this span." in text
    assert "Goal" not in text


def test_a_report_that_was_cut_says_so(read: SiteReport) -> None:
    """And one without a bundle says that nothing proves it."""
    text = words_of(report_paper(replace(read, cut=True), ("", ""), None))
    assert "older ones are not counted" in text
    assert "no evidence bundle was made with it" in text
    assert "TRAINING" in text


# --- the dialog ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("begin", "end", "wrong"),
    [
        ("yesterday", "14:00", "Write both times"),
        ("2026-03-02", "2026-03-01", "must begin"),
        ("2024-01-01", "2026-01-02", "a year at most"),
        ("2026-03-01 10:00", "2026-03-01 11:00", ""),
    ],
)
def test_a_span_that_is_none_is_refused_with_a_reason(
    nowhere: Presenter, qtbot: Any, begin: str, end: str, wrong: str
) -> None:
    """Before anything is read; a time that is written is the span from then on."""
    dialog = ReportDialog(nowhere.view, nowhere.session)
    qtbot.addWidget(dialog)
    for field, text in ((dialog.begin, begin), (dialog.end, end)):
        field.clear()
        qtbot.keyClicks(field, text)
    span = dialog.chosen_span()
    assert wrong in dialog.wrong.text()
    assert (span is None) == bool(wrong)
    assert dialog.span.currentText() == BETWEEN
