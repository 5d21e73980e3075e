"""Enrolment of voices: what is kept, which takes are refused and why, and what burns, erasures and deletions take."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select

from app.api.problems import Problem
from app.capabilities.voice.matrix import magnitudes_of
from app.capabilities.voice.signatures import SIGNATURE_BYTES
from app.capabilities.voice.tables import voice_probe, voice_signature
from app.store.sealed import OVERHEAD
from tests.voice_site import ALICE, BOB, ROBOT, VoiceSite, Wave, sent, text_of, voice_site

GOOD = [sent(ALICE.says(800 + number)) for number in range(3)]


def refused(call: Coroutine[Any, Any, object]) -> Problem:
    with pytest.raises(Problem) as caught:
        asyncio.run(call)
    return caught.value


def rows(site: VoiceSite, node_id: str) -> tuple[int, int]:
    """Signatures and remembered recordings of the node."""
    with site.doors.store.read() as connection:
        first, second = (
            connection.scalar(select(func.count()).select_from(table).where(table.c.node_id == node_id)) or 0
            for table in (voice_signature, voice_probe)
        )
    return first, second


def noisy(wave: Wave) -> Wave:
    random = np.random.default_rng(5)
    return (wave + 0.05 * random.standard_normal(len(wave))).astype(np.float32)


def test_a_voice_is_enrolled_and_shown(site: VoiceSite) -> None:
    """With consent and its time, under a serial; the row holds nothing in the clear."""
    made = asyncio.run(site.enrol("ARC-1", consent=True))
    assert made == asyncio.run(site.enrolments.show("ARC-1"))
    assert made.consent_at == made.enrolled_at
    assert (made.samples, made.registry_id, made.key_epoch, made.current) == (3, "default", 1, True)
    assert made.speech_seconds >= 12
    assert 90 <= made.quality <= 100
    (leaf,) = site.leaves("voice.enrol")
    assert (leaf["serial"], leaf["consent"], leaf["outcome"]) == (made.serial, True, "ACCEPTED")
    with site.doors.store.read() as connection:
        sealed = connection.scalar(select(voice_signature.c.sealed).where(voice_signature.c.node_id == "ARC-1"))
        vectors = site.signatures.open(connection, "ARC-1", made.serial)
        assert site.signatures.open(connection, "ARC-1", "VSSN-0000000000000000") is None
    assert sealed is not None
    assert vectors is not None
    assert len(sealed) == SIGNATURE_BYTES + OVERHEAD
    assert np.linalg.norm(vectors.astype(float), axis=1) == pytest.approx(np.ones(8), abs=0.01)


def test_enrolling_again_replaces(site: VoiceSite) -> None:
    """Another serial and another matrix; without consent none is said."""
    first = asyncio.run(site.enrol("ARC-2"))
    with site.doors.store.read() as connection:
        before = connection.scalar(select(voice_signature.c.seed_sealed).where(voice_signature.c.node_id == "ARC-2"))
    second = asyncio.run(site.enrol("ARC-2"))
    with site.doors.store.read() as connection:
        after = connection.scalar(select(voice_signature.c.seed_sealed).where(voice_signature.c.node_id == "ARC-2"))
    assert first.serial != second.serial
    assert before != after
    assert second.consent_at is None
    assert rows(site, "ARC-2")[0] == 1


@pytest.mark.parametrize(
    ("samples", "where", "word"),
    [
        pytest.param(GOOD[:2], "/samples", "at least 3 takes", id="too few takes"),
        pytest.param([sent(ALICE.says(one, 3.0)) for one in (1, 2, 3)], "/samples", "12 s", id="too little speech"),
        pytest.param([*GOOD[:2], sent(ALICE.says(9, 1.6))], "/samples/2", "too_short", id="a short take"),
        pytest.param([*GOOD[:2], sent(noisy(ALICE.says(9)))], "/samples/2", "noise", id="a noisy take"),
        pytest.param(
            [GOOD[0], sent(np.clip(ALICE.says(9) * 20, -1, 1)), GOOD[1]], "/samples/1", "clipping", id="a clipped take"
        ),
        pytest.param([sent(ROBOT.says(9)), *GOOD], "/samples/0", "synthetic_traces", id="a clone"),
        pytest.param([*GOOD, GOOD[1]], "/samples/3", "replayed", id="one take twice"),
        pytest.param([*GOOD, sent(BOB.says(9))], "/samples/3", "disagrees", id="another person"),
        pytest.param(
            [*GOOD[:2], text_of(magnitudes_of(ALICE.says(9)))], "/samples/2", "phase", id="a take without phase"
        ),
        pytest.param([*GOOD, text_of(np.zeros((200, 12), np.float16))], "/samples/3", "frame", id="no matrix"),
    ],
)
def test_takes_that_do_not_serve_are_named(site: VoiceSite, samples: list[Any], where: str, word: str) -> None:
    """422 with the take and the reason; nothing is kept, and the log has the reason alone."""
    with site.doors.store.read() as connection:
        known = site.doors.registry.node(connection, "ARC-3") is not None
    if not known:
        site.doors.person("ARC-3", verified=False)
    problem = refused(site.put("ARC-3", samples))
    assert problem.status == 422
    (error,) = problem.errors
    assert error.pointer == where
    assert word in error.detail
    assert rows(site, "ARC-3") == (0, 0)
    if len(samples) >= 3:
        assert site.leaves("voice.enrol")[-1]["outcome"] == "DENIED"
        # A field that is no matrix has its sentence, a take that does not serve its reason.
        assert site.leaves("voice.enrol")[-1]["faults"] == [f"{where}: {error.detail.split(': ')[0]}"]


def test_every_take_that_does_not_serve_is_named(site: VoiceSite) -> None:
    """In one answer, each with all that is wrong with it."""
    site.doors.person("ARC-4", verified=False)
    bad = [sent(ALICE.says(1, 1.6)), GOOD[0], sent(np.clip(ALICE.says(3, 1.6) * 20, -1, 1)), GOOD[1]]
    problem = refused(site.put("ARC-4", bad))
    assert [(error.pointer, error.detail.split(":")[0]) for error in problem.errors] == [
        ("/samples/0", "too_short"),
        ("/samples/2", "too_short"),
        ("/samples/2", "clipping"),
    ]


def test_who_cannot_be_enrolled(site: VoiceSite) -> None:
    """An unknown node and another registry: 404."""
    assert refused(site.put("ARC-NOBODY", GOOD)).code == "not_found"
    site.doors.person("ARC-5", verified=False)
    assert refused(site.put("ARC-5", GOOD, registry_id="other")).code == "not_found"
    assert refused(site.enrolments.show("ARC-5")).code == "not_found"
    assert refused(site.enrolments.show("ARC-NOBODY")).code == "not_found"


def test_an_operator_erases(site: VoiceSite) -> None:
    """Once; then there is nothing, and nothing to check against."""
    made = asyncio.run(site.enrol("ARC-6"))
    erased = [asyncio.run(site.enrolments.erase("ARC-6", actor="test")) for _ in range(2)]
    assert [one.rows for one in erased] == [1, 0]
    assert rows(site, "ARC-6") == (0, 0)
    assert [leaf["serial"] for leaf in site.leaves("voice.erase")] == [made.serial]
    assert refused(site.check("ARC-6", ALICE.says(1))).code == "state_conflict"
    assert refused(site.enrolments.erase("ARC-NOBODY", actor="test")).code == "not_found"


def test_an_erasure_of_the_person_takes_it(site: VoiceSite) -> None:
    """Counted before, and gone without a leaf that names the person."""
    asyncio.run(site.enrol("ARC-7"))
    with site.doors.store.read() as connection:
        assert site.signatures.held_records(connection, "ARC-7").rows == 4
    site.doors.write(lambda tx: site.signatures.forget(tx, "ARC-7"))
    assert rows(site, "ARC-7") == (0, 0)
    assert len(site.leaves("voice.erase")) == 1


def test_a_node_with_a_voice_is_not_deleted(site: VoiceSite) -> None:
    """First its signature goes."""
    asyncio.run(site.enrol("ARC-8"))
    problem = refused(site.doors.registry.nodes.delete("ARC-8", actor="test"))
    assert (problem.code, "Vocal signature" in problem.detail) == ("state_conflict", True)
    asyncio.run(site.enrolments.erase("ARC-8", actor="test"))
    asyncio.run(site.doors.registry.nodes.delete("ARC-8", actor="test"))


def test_a_burn_takes_the_signature(tmp_path: Path) -> None:
    """In its own transaction, with its proof, and after it nothing is enrolled."""
    with voice_site(tmp_path / "site") as site:

        async def burned() -> Any:
            await site.enrol("ARC-1")
            async with site.doors.running():
                return await site.doors.burn("ARC-1", 0.0)

        burn = asyncio.run(burned())
        (target,) = [one for one in burn.targets if one.kind == "template"]
        assert (target.id, target.state) == ("template:voice", "revoked")
        assert rows(site, "ARC-1") == (0, 0)
        assert site.leaves("voice.erase")[0]["burn_id"] == burn.burn_id
        assert site.signatures.holdings("ARC-1") == ()
        for call in (site.check("ARC-1", ALICE.says(1)), site.put("ARC-1", GOOD)):
            problem = refused(call)
            assert (problem.code, "burned" in problem.detail) == ("state_conflict", True)


def test_a_row_that_nobody_enrolled_is_found(tmp_path: Path) -> None:
    """A signature that is put past the log stops the next start: it would let somebody in."""
    with voice_site(tmp_path / "site") as site:
        asyncio.run(site.enrol("ARC-1"))
        asyncio.run(site.enrol("ARC-2", BOB))
        path = site.doors.site.store_path

    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE voice_signature SET serial = 'VSSN-0000000000000000' WHERE node_id = 'ARC-2'")
    with pytest.raises(Exception, match="voice_signature"), voice_site(tmp_path / "site"):
        pass


def test_what_was_heard_of_takes_is_wiped(site: VoiceSite) -> None:
    """Of those that serve and of those that do not."""
    site.doors.person("ARC-9", verified=False)
    takes = []
    analyse = site.engine.analyse

    def kept(matrix: Any) -> Any:
        takes.append(analyse(matrix))
        return takes[-1]

    site.engine.seen.clear()
    try:
        site.engine.analyse = kept  # type: ignore[method-assign]
        asyncio.run(site.put("ARC-9", GOOD))
        refused(site.put("ARC-9", [*GOOD[:2], sent(ROBOT.says(5))]))
    finally:
        site.engine.analyse = analyse  # type: ignore[method-assign]
    assert len(takes) == 6
    assert not any(matrix.values.any() for matrix in site.engine.seen)
    assert not any(take.speaker.any() for take in takes)
    assert not any(segment.speaker.any() for take in takes for segment in take.segments)
