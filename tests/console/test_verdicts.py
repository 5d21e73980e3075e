"""A decision that is shown ends with what is told of its person and its door."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.console.code_words import decision_word
from app.console.moments import api_time
from app.console.session import WindowSession
from app.console.telemetry.live import LiveEvent
from app.console.theme.tokens import Meaning
from app.console.verdicts import VerdictWatch
from app.console.widgets.verdict import PassingVerdict

NODE, DOOR = "ARC-T0001", "door-1"


@pytest.fixture
def watch(session: WindowSession, qtbot: Any) -> VerdictWatch:
    """A watch with a label of its own."""
    label = PassingVerdict(22)
    qtbot.addWidget(label)
    return VerdictWatch(session, label)


def decide(watch: VerdictWatch, word: str, reader_id: str = DOOR) -> float:
    """A door decides now; the time."""
    at = watch._session.live.now()
    watch.decide(
        Meaning.OK if word == "GRANT" else Meaning.CRIT, word, at, node_id=NODE, reader_id=reader_id
    )  # fmt: skip
    return at


def tell(watch: VerdictWatch, kind: str, body: dict[str, Any]) -> str:
    """An event of the stream comes; the word that is shown then."""
    live = watch._session.live
    live._queue.append(LiveEvent(kind, json.dumps(body).encode(), 0.0))
    live.drain()
    return watch._label.word


def burn(at: float, node_id: str = NODE, *, lifted: bool = False) -> dict[str, Any]:
    """A burn begins, or is lifted."""
    return {
        "burn_id": "burn_1", "node_id": node_id, "scope": "GLOBAL_REVOCATION", "state": "PARTIAL", "target": None,
        "open": 3, "total": 3, "elapsed_ms": 1.0, "at": api_time(at), "lifted": lifted,
    }  # fmt: skip


def containment(since: float, ended: float | None = None, state: str = "contained") -> dict[str, Any]:
    """A containment as it is now."""
    one = {
        "containment_id": "c1", "node_id": NODE, "display_name": None, "state": state, "cause": "containment",
        "message": None, "actor": "key_1", "since": api_time(since), "until": None,
        "ended_at": None if ended is None else api_time(ended),
    }  # fmt: skip
    return {"containment": one}


def access(at: float, decision: str, node_id: str | None = NODE, reader_id: str = DOOR) -> dict[str, Any]:
    """A badge at a door."""
    return {
        "reader_id": reader_id, "cluster_id": "c", "node_id": node_id, "decision": decision, "reason": "granted",
        "ref": None, "latency_ms": 1.0, "epoch": 1, "at": api_time(at),
    }  # fmt: skip


def test_a_burn_drops_a_grant_at_once(watch: VerdictWatch) -> None:
    """Of that person alone, and only a burn that came after; a denial is not contradicted by it."""
    at = decide(watch, "GRANT")
    assert tell(watch, "burn", burn(at - 1)) == "GRANT"
    assert tell(watch, "burn", burn(at + 1, "ARC-T0002")) == "GRANT"
    assert tell(watch, "burn", burn(at + 1, lifted=True)) == "GRANT"
    assert tell(watch, "burn", burn(at + 1)) == "Was GRANT"
    at = decide(watch, "DENY")
    assert tell(watch, "burn", burn(at + 1)) == "DENY"
    assert tell(watch, "burn", burn(at + 1, lifted=True)) == "Was DENY"


def test_a_containment_drops_a_grant_and_its_end_a_denial(watch: VerdictWatch) -> None:
    """What the brake only queued denies nobody."""
    at = decide(watch, "GRANT")
    assert tell(watch, "containment", containment(at + 1, state="queued")) == "GRANT"
    assert tell(watch, "containment", containment(at + 1)) == "Was GRANT"
    at = decide(watch, "DENY")
    assert tell(watch, "containment", containment(at - 9)) == "DENY"
    assert tell(watch, "containment", containment(at - 9, at + 1, "released")) == "Was DENY"


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (("GRANT", NODE, DOOR), "GRANT"),
        (("DENY", NODE, DOOR), "Was GRANT"),
        (("GRANT", NODE, "door-2"), "Was GRANT"),
        (("GRANT", "ARC-T0002", DOOR), "Was GRANT"),
        (("DENY", None, DOOR), "Was GRANT"),
        (("DENY", "ARC-T0002", "door-2"), "GRANT"),
    ],
)
def test_another_decision_ends_the_one_before(
    watch: VerdictWatch, event: tuple[str, str | None, str], shown: str
) -> None:
    """At that door, or about that person elsewhere; its own event, told late, does not."""
    at = decide(watch, "GRANT")
    assert tell(watch, "access", access(at - 1, "DENY")) == "GRANT"
    assert tell(watch, "access", access(at + 0.01, *event)) == shown


def test_without_a_door_other_decisions_are_the_pages_matter(watch: VerdictWatch) -> None:
    """A palm's decision is followed by its list; a burn ends it all the same."""
    at = decide(watch, "GRANT", "")
    assert tell(watch, "access", access(at + 1, "DENY")) == "GRANT"
    assert tell(watch, "burn", burn(at + 1)) == "Was GRANT"


def test_an_event_that_cannot_be_read_counts_as_lost(watch: VerdictWatch) -> None:
    """It ends nothing and breaks nothing."""
    decide(watch, "GRANT")
    lost = watch._session.live.lost
    assert tell(watch, "burn", {"burn_id": 1}) == "GRANT"
    assert watch._session.live.lost == lost + 1


def test_a_grant_after_the_burn_stays(watch: VerdictWatch) -> None:
    """A door that lets a burned person in must be seen."""
    at = decide(watch, "GRANT")
    watch.take_burn(NODE, at - 0.5)
    assert watch._label.decided is not None


@pytest.mark.parametrize(("decision", "state"), [("GRANT", Meaning.OK), ("DENY", Meaning.CRIT)])
def test_a_verdict_knows_its_own_event_in_any_language(watch: VerdictWatch, decision: str, state: Meaning) -> None:
    """The event has the API's code, the verdict the word that people read."""
    at = watch._session.live.now()
    watch.decide(state, decision_word(decision), at, node_id=NODE, reader_id=DOOR)
    assert tell(watch, "access", access(at + 0.01, decision)) == decision_word(decision)
