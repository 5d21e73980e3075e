"""Palm verification: whom it finds, what it refuses and in which order, and what only the audit log says."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import delete, update

from app.api.problems import Problem
from app.biometrics.tables import template_registry
from app.capabilities.palm.messages import PalmVerdict
from app.registry.messages.access import AccessEvent
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from app.registry.messages.profiles import CredentialBody, CredentialProfileBody
from app.registry.tables import terminal
from hardware.terminals.frame import ENROL_INTENT
from hardware.terminals.signing import SIGNATURE_BYTES
from tests.palm_site import KNOT, REGISTRY, TERMINAL, PalmSite

PEOPLE = 30


@pytest.fixture(scope="module", autouse=True)
def enrolled(site: PalmSite) -> None:
    """Two hands of drawn people among thirty others."""

    async def fill() -> None:
        await site.people(PEOPLE)
        for node_id in ("ARC-P01", "ARC-P02"):
            site.add_node(node_id)
            await site.enrol(node_id)

    asyncio.run(fill())


def refused(site: PalmSite, frame: bytes, intent: str = "ACCESS_ENTRY", terminal_id: str = TERMINAL) -> tuple[str, str]:
    """Code of the problem, and the cause that the newest leaf gives ("" for none)."""
    before = len(site.leaves("palm.verify"))
    with pytest.raises(Problem) as caught:
        asyncio.run(site.verify(frame, intent, terminal_id))
    after = site.leaves("palm.verify")
    return caught.value.code, after[-1]["cause"] if len(after) > before else ""


def shape(verdict: PalmVerdict) -> tuple[Any, ...]:
    return verdict.verified, verdict.node_id, verdict.confidence, verdict.knot_id, verdict.standing


NOBODY = (False, None, 0.0, None, "UNVERIFIED")


def test_the_hand_is_found(site: PalmSite) -> None:
    """The node, its seal and standing, the sensor's liveness, one leaf and one event under the same decision."""
    verdict = asyncio.run(site.lay("ARC-P01", liveness=77))
    assert (verdict.verified, verdict.node_id, verdict.knot_id, verdict.liveness) == (True, "ARC-P01", KNOT, 77)
    assert 0.99 < verdict.confidence <= 1.0
    assert verdict.second_factor == "NONE"
    leaf = site.leaves("palm.verify")[-1]
    assert (leaf["decision_id"], leaf["cause"], leaf["node_id"]) == (verdict.decision_id, "matched", "ARC-P01")
    told = (leaf["confidence"], leaf["standing"], leaf["second_factor"])
    assert told == (verdict.confidence, verdict.standing, verdict.second_factor)
    body = site.events[-1].body
    assert isinstance(body, AccessEvent)
    assert (body.reader_id, body.node_id, body.decision, body.ref) == (
        TERMINAL,
        "ARC-P01",
        "GRANT",
        verdict.decision_id,
    )


def test_a_live_check_verifies_the_node_and_no_report_does_not(site: PalmSite) -> None:
    """A reported liveness that meets the terminal's minimum is a live check and changes the standing at once; none, or
    one that no minimum asks for, proves no life."""
    for liveness, said in ((None, "NOT_REPORTED"), (0, 0), (90, 90)):
        silent = asyncio.run(site.lay("ARC-P02", liveness=liveness))
        assert (silent.verified, silent.liveness, silent.standing) == (True, said, "UNVERIFIED")
    frame = site.terminal("palm-lively", liveness_min=50).lay("ARC-P02", "ACCESS_ENTRY", liveness=90)
    live = asyncio.run(site.verify(frame, terminal_id="palm-lively"))
    assert live.standing == "VERIFIED_DIGITAL_HUMAN"
    with site.store.read() as connection:
        checks = site.registry.standing.checks(connection, ["ARC-P02"])["ARC-P02"]
    assert [(check.kind, check.ref) for check in checks] == [("palm", live.decision_id)]


def test_a_stranger_is_nobody(site: PalmSite) -> None:
    """No match is the same shape, confidence exactly 0.0, and neither score nor candidate in the leaf."""
    verdict = asyncio.run(site.lay("ARC-P99", liveness=90))
    assert shape(verdict) == NOBODY
    leaf = site.leaves("palm.verify")[-1]
    assert (leaf["outcome"], leaf["node_id"]) == ("DENIED", None)
    assert not {"score", "second", "confidence"} & leaf.keys()


@pytest.mark.parametrize(
    ("intent", "factor"), [("LOGIN", "NONE"), ("BURN_CONFIRM", "REQUIRED"), ("open the attic", "REQUIRED")]
)
def test_intents_ask_for_a_second_factor(site: PalmSite, intent: str, factor: str) -> None:
    """A text that is no intent is recorded as given and taken at the strictest row."""
    verdict = asyncio.run(site.lay("ARC-P01", intent))
    assert (verdict.intent, verdict.second_factor) == (intent, factor)
    assert site.leaves("palm.verify")[-1]["intent"] == intent


def test_a_frame_is_good_once(site: PalmSite) -> None:
    """The same frame again, or an older one that was never sent: 409, whatever its first use came to."""
    older = site.scanner.lay("ARC-P01", "ACCESS_ENTRY")
    newer = site.scanner.lay("ARC-P99", "ACCESS_ENTRY")
    assert not asyncio.run(site.verify(newer)).verified
    assert refused(site, newer) == ("replayed", "replayed_frame")
    assert refused(site, older) == ("replayed", "replayed_frame")


def test_of_two_calls_with_one_frame_one_decides(site: PalmSite) -> None:
    """Concurrently sent, too."""
    frame = site.scanner.lay("ARC-P01", "ACCESS_ENTRY")

    async def both() -> list[Any]:
        return await asyncio.gather(site.verify(frame), site.verify(frame), return_exceptions=True)

    found = asyncio.run(both())
    assert sorted(type(one).__name__ for one in found) == ["PalmVerdict", "Problem"]


def test_a_terminal_registered_anew_still_refuses_old_frames(site: PalmSite) -> None:
    """Counters go by the key: deleting the terminal's row brings no frame back."""
    scanner = site.terminal("palm-anew")
    frame = scanner.lay("ARC-P01", "ACCESS_ENTRY", shot=221)
    assert asyncio.run(site.verify(frame, terminal_id="palm-anew")).verified

    async def delete() -> None:
        await site.registry.terminals.delete("palm-anew", actor="tester")

    asyncio.run(delete())
    assert refused(site, frame, terminal_id="palm-anew") == ("not_found", "")
    site.terminal("palm-anew")
    assert refused(site, frame, terminal_id="palm-anew") == ("replayed", "replayed_frame")


def test_forged_frames(site: PalmSite) -> None:
    """Another terminal's frame, another intent, one changed bit anywhere that is signed: 403 and a leaf."""
    foreign = site.terminal("palm-other").lay("ARC-P01", "ACCESS_ENTRY")
    assert refused(site, foreign) == ("proof_invalid", "forged")
    frame = site.scanner.lay("ARC-P01", "ACCESS_ENTRY")
    assert refused(site, frame, "BURN_CONFIRM") == ("proof_invalid", "forged")
    for at in (40, 56, 5_000, len(frame) - SIGNATURE_BYTES, len(frame) - 1):
        changed = bytearray(frame)
        changed[at] ^= 1
        assert refused(site, bytes(changed)) == ("proof_invalid", "forged"), at
    assert asyncio.run(site.verify(frame)).verified, "what was refused used nothing up"


def test_a_terminal_with_a_p256_key(site: PalmSite) -> None:
    """ES256 is taken as Ed25519 is."""
    scanner = site.terminal("palm-p256", key=ec.generate_private_key(ec.SECP256R1()))
    assert asyncio.run(site.verify(scanner.lay("ARC-P01", "LOGIN", shot=201), "LOGIN", "palm-p256")).verified


def test_wrong_shapes(site: PalmSite) -> None:
    """No frame, a frame cut or lengthened, one that enrols: 422 before any signature is looked at, and no leaf."""
    frame = site.scanner.lay("ARC-P01", "ACCESS_ENTRY")
    for raw in (b"", b"x", os.urandom(512), os.urandom(2048), frame[:-1], frame + b"x", os.urandom(len(frame))):
        assert refused(site, raw) == ("invalid_body", ""), len(raw)
    assert refused(site, site.scanner.lay("ARC-P01", ENROL_INTENT), ENROL_INTENT) == ("invalid_body", "")


def test_other_terminals(site: PalmSite) -> None:
    """An unknown terminal and one of the other kind are 404."""
    frame = site.scanner.lay("ARC-P01", "ACCESS_ENTRY")
    assert refused(site, frame, terminal_id="nowhere") == ("not_found", "")


def test_frames_out_of_time(site: PalmSite) -> None:
    """More than 30 s from our clock in either direction is 409."""

    def laid(away_ms: int) -> bytes:
        return site.scanner.lay("ARC-P01", "ACCESS_ENTRY", now_ms=time.time_ns() // 1_000_000 + away_ms)

    # The one from the future comes nearer while it is on its way.
    for away_ms in (-31_000, 90_000):
        assert refused(site, laid(away_ms)) == ("state_conflict", "clock")
    assert asyncio.run(site.verify(laid(-5_000))).verified


def test_liveness_below_the_terminals_minimum(site: PalmSite) -> None:
    """Not reported passes at minimum 0 alone; the caller cannot tell it from a stranger."""
    scanner = site.terminal("palm-strict", liveness_min=60)
    for shot, liveness in enumerate((None, 59), start=211):
        frame = scanner.lay("ARC-P01", "ACCESS_ENTRY", shot=shot, liveness=liveness)
        assert shape(asyncio.run(site.verify(frame, terminal_id="palm-strict"))) == NOBODY
        assert site.leaves("palm.verify")[-1]["cause"] == "liveness"
    frame = scanner.lay("ARC-P01", "ACCESS_ENTRY", shot=213, liveness=60)
    assert asyncio.run(site.verify(frame, terminal_id="palm-strict")).verified


def test_a_terminal_searches_its_own_cluster(site: PalmSite) -> None:
    """Only whom a profile grants there; everybody else is nobody at that door."""
    cluster = ReaderClusterBody(
        display_name="Lab", readers=[ReaderBody(reader_id="lab-1", channel="simulated:", address=1)]
    )
    site.do(lambda tx: site.registry.clusters.put_in(tx, "lab", cluster, "tester"))
    scanner = site.terminal("palm-lab", cluster="lab")

    def lay(node_id: str, shot: int) -> PalmVerdict:
        return asyncio.run(site.verify(scanner.lay(node_id, "LOGIN", shot=shot), "LOGIN", "palm-lab"))

    assert shape(lay("ARC-P01", 231)) == NOBODY
    assert site.leaves("palm.verify")[-1]["cause"] == "nobody"
    profile = CredentialProfileBody(
        node_id="ARC-P01", credentials=[CredentialBody(format="wiegand26", bits="1234567")], clusters=["lab"]
    )
    site.do(lambda tx: site.registry.profiles.put_in(tx, "badge-P01", profile, "tester"))
    assert lay("ARC-P01", 232).node_id == "ARC-P01"
    assert shape(lay("ARC-P02", 233)) == NOBODY


def test_copies_are_refused_with_an_alarm(site: PalmSite) -> None:
    """A stored template sent back by a legacy terminal is no hand; neither is an equal probe a second time."""
    site.legacy("palm-legacy")
    stored = site.biometrics.templates.gallery(REGISTRY).templates("ARC-P01")[0].tobytes()
    assert shape(asyncio.run(site.verify(stored, terminal_id="palm-legacy"))) == NOBODY
    assert site.leaves("palm.verify")[-1]["cause"] == "copy"
    frame = site.scanner.lay("ARC-P01", "ACCESS_ENTRY")
    template = frame[56 : 56 + 512]
    first = asyncio.run(site.verify(template, terminal_id="palm-legacy"))
    assert shape(asyncio.run(site.verify(template, terminal_id="palm-legacy"))) == NOBODY
    assert site.leaves("palm.verify")[-1]["cause"] == "replayed"
    assert first.liveness == "NOT_REPORTED"
    assert [alarm.ref for alarm in site.alarms.open() if alarm.kind == "palm.copy"]


def test_a_legacy_terminal_opens_doors_alone(site: PalmSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """It sends a template or features bare, for access alone, and never proves life; others must not send so. The
    registry's key is fetched for features beside the service's loop, which burns wait for."""
    site.legacy("palm-old")
    frame = site.scanner.lay("ARC-P02", "ACCESS_ENTRY")
    bare = frame[56 : 56 + 512]
    assert refused(site, bare, "LOGIN", "palm-old") == ("proof_invalid", "unsigned")
    assert refused(site, bare) == ("invalid_body", "")
    template = np.frombuffer(bare, np.int8)[np.newaxis]
    projection = site.projection()
    x = projection.features(template)[0].astype("<f4").tobytes()
    projection.wipe()
    fetch, threads = site.biometrics.probes.projection, []

    def fetching(registry_id: str) -> Any:
        threads.append(threading.current_thread())
        return fetch(registry_id)

    monkeypatch.setattr(site.biometrics.probes, "projection", fetching)
    verdict = asyncio.run(site.verify(x, terminal_id="palm-old"))
    assert verdict.liveness == "NOT_REPORTED"
    assert threads
    assert threading.main_thread() not in threads
    assert len(x) == 2048


@pytest.mark.parametrize("cause", ["burn", "containment"])
def test_a_denied_node_is_not_matched_by_the_next_query(site: PalmSite, cause: Any) -> None:
    """From the moment of the denial on, although its template is still in the gallery."""
    node_id = f"ARC-D-{cause}"
    site.add_node(node_id)
    asyncio.run(site.enrol(node_id))
    assert asyncio.run(site.lay(node_id)).node_id == node_id
    site.registry.deny.deny(node_id, cause, "ref-1")
    assert shape(asyncio.run(site.lay(node_id, liveness=90))) == NOBODY
    assert site.leaves("palm.verify")[-1]["cause"] == "standing"


def test_a_change_during_the_search_is_seen(site: PalmSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read and searched by a registration or an epoch that is no more is not decided, nor used up by that."""
    name = "palm-changing"
    frame = site.terminal(name).lay("ARC-P01", "ACCESS_ENTRY", liveness=60)
    search = site.palm._search

    def during(change: Callable[[], object]) -> tuple[str, str]:
        def searching(*asked: Any) -> Any:
            found = search(*asked)
            change()
            return found

        with monkeypatch.context() as patch:
            patch.setattr(site.palm, "_search", searching)
            return refused(site, frame, terminal_id=name)

    def renewed(epoch: int) -> None:
        mine = template_registry.c.template_registry_id == REGISTRY
        site.do(lambda tx: tx.connection.execute(update(template_registry).where(mine).values(key_epoch=epoch)))

    assert during(lambda: renewed(2)) == ("state_conflict", "overtaken")
    renewed(1)
    assert during(lambda: site.terminal(name, liveness_min=70)) == ("state_conflict", "overtaken")
    gone = delete(terminal).where(terminal.c.terminal_id == name)
    assert during(lambda: site.do(lambda tx: tx.connection.execute(gone))) == ("not_found", "")
    site.terminal(name)
    assert asyncio.run(site.verify(frame, terminal_id=name)).verified


def test_a_denial_during_the_search_is_seen(site: PalmSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The transaction that decides asks again: what the search found a moment before does not count."""
    site.add_node("ARC-D-race")
    asyncio.run(site.enrol("ARC-D-race"))
    search = site.palm._search

    def searching(*asked: Any) -> Any:
        found = search(*asked)
        assert found.best[0][0] == "ARC-D-race"
        site.registry.deny.deny("ARC-D-race", "burn", "ref-2")
        return found

    monkeypatch.setattr(site.palm, "_search", searching)
    assert shape(asyncio.run(site.lay("ARC-D-race"))) == NOBODY
