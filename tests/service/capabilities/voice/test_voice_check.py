"""The voice check on a real store: verdicts, what each caller learns, replays, refusals, leaves, and what is wiped."""

from __future__ import annotations

import asyncio
import base64
import math
import threading
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from sqlalchemy import func, insert, select, update

from app.api.operation import Caller, Clearance
from app.api.problems import Problem
from app.capabilities.voice.analyser import AnalysisThreads, VoiceModels
from app.capabilities.voice.matrix import VoiceMatrix, magnitudes_of, matrix_of, npy_bytes
from app.capabilities.voice.messages import SpectralCheck, SpectralCheckBody, VoiceSamples
from app.capabilities.voice.service import SYNTHETIC_ALARM
from app.capabilities.voice.tables import voice_probe, voice_signature
from app.delivery.tables import alarm
from app.store.writer import Transaction
from tests.voice_site import (
    ALICE,
    BOB,
    CITADEL,
    RATE,
    ROBOT,
    SOVEREIGN,
    PlainEngine,
    PlainTake,
    VoiceSite,
    sent,
    text_of,
    voice_site,
)


def refused(call: Coroutine[Any, Any, object]) -> Problem:
    """The problem that the call ends in."""
    with pytest.raises(Problem) as caught:
        asyncio.run(call)
    return caught.value


@pytest.fixture(scope="module")
def verdicts(site: VoiceSite) -> dict[str, SpectralCheck]:
    """One check of each kind, by a Sovereign key, and a clone by a Citadel key."""

    async def asked() -> dict[str, SpectralCheck]:
        await site.enrol("ARC-1")
        return {
            "before": await site.check("ARC-1", ALICE.says(1, 3.2), caller=SOVEREIGN),
            "stranger": await site.check("ARC-1", BOB.says(2), caller=SOVEREIGN),
            "clone": await site.check("ARC-1", ROBOT.says(3), caller=SOVEREIGN),
            "short": await site.check("ARC-1", ALICE.says(4, 1.6), caller=SOVEREIGN),
            "self": await site.check("ARC-1", ALICE.says(5), caller=SOVEREIGN),
            "shown": await site.check("ARC-1", ROBOT.says(6), caller=CITADEL),
        }

    return asyncio.run(asked())


def test_the_enrolled_speaker_is_genuine(verdicts: dict[str, SpectralCheck], site: VoiceSite) -> None:
    """A match writes the node's live check, and the node is verified by it."""
    found = verdicts["self"]
    assert (found.verdict, found.match, found.standing) == ("GENUINE", True, "VERIFIED_DIGITAL_HUMAN")
    assert found.reasons == ["identity_accepted"]
    assert site.standing("ARC-1") == "VERIFIED_DIGITAL_HUMAN"
    with site.doors.store.read() as connection:
        checks = site.doors.registry.standing.checks(connection, ["ARC-1"])["ARC-1"]
    assert [(check.kind, check.ref) for check in checks] == [("voice", found.check_id)]


def test_a_short_recording_of_the_speaker_verifies_nobody(verdicts: dict[str, SpectralCheck]) -> None:
    """GENUINE without a match: the node stays as it was."""
    found = verdicts["before"]
    assert (found.verdict, found.match, found.standing) == ("GENUINE", False, "UNVERIFIED")
    assert found.reasons == ["identity_accepted", "short_for_match"]


def test_a_stranger_is_another_speaker(verdicts: dict[str, SpectralCheck]) -> None:
    """Said with how unlike, to two decimals."""
    found = verdicts["stranger"]
    assert (found.verdict, found.match, found.standing) == ("DIFFERENT_SPEAKER", False, "UNVERIFIED")
    assert found.similarity is not None
    assert found.similarity == round(found.similarity, 2)
    assert found.llr is not None
    assert found.llr < found.threshold_llr


def test_a_sovereign_key_never_learns_how_close_a_clone_came(verdicts: dict[str, SpectralCheck]) -> None:
    """Neither of a clone nor of what is too poor to tell; nor does the node lose its standing."""
    clone, short = verdicts["clone"], verdicts["short"]
    assert (clone.verdict, clone.standing) == ("SYNTHETIC", "SYNTHETIC_SUSPECTED")
    assert (short.verdict, short.reasons) == ("INCONCLUSIVE", ["too_short"])
    for found in (clone, short):
        assert (found.similarity, found.llr, found.match) == (None, None, False)
        assert {segment.similarity for segment in found.segments} == {None}
        # The same at every closeness: of the tolerance alone.
        assert (found.far, found.frr) == (verdicts["self"].far, verdicts["self"].frr)


def test_a_citadel_key_learns_it(verdicts: dict[str, SpectralCheck]) -> None:
    """Also of each segment."""
    found = verdicts["shown"]
    assert found.verdict == "SYNTHETIC"
    assert found.similarity is not None
    assert found.llr is not None
    assert None not in {segment.similarity for segment in found.segments}


def test_a_reply_says_what_was_measured(verdicts: dict[str, SpectralCheck]) -> None:
    """What could not be measured is null, never a number of no meaning."""
    found = verdicts["self"]
    assert found.tolerance_coefficient == 0.25
    assert found.threshold_llr == 3.45
    assert (found.genuine_trials, found.impostor_trials) == (100, 1000)
    assert found.resonance.f0_hz.value == 120.0
    assert found.resonance.f0_hz.z == 0.5
    assert (found.resonance.group_delay_spread.value, found.resonance.coherence.z) == (None, None)
    assert found.quality.reverberation_db is None
    assert found.phase
    assert [segment.t0 for segment in found.segments] == [0.0, 1.0, 2.0, 3.0]
    assert len(found.reason_texts) == len(found.reasons)


class ExactEngine(PlainEngine):
    """Measures numbers with more places than anybody needs."""

    def analyse(self, matrix: VoiceMatrix) -> PlainTake:
        take = super().analyse(matrix)
        quality = {
            "speech_s": 4.12649, "snr_db": 31.26491, "bandwidth_hz": 7012.649, "clipping": 0.00126491,
            "level_dbfs": -21.26491, "reverberation_db": -8.26491,
        }  # fmt: skip
        resonance = {
            "f0_hz": 118.26491, "f0_jitter": 0.02126491, "formants": (512.26491, 1512.26491, math.nan),
            "residual_kurtosis": 9.126491, "group_delay_spread": 0.2126491, "coherence": 0.6126491,
        }  # fmt: skip
        first = replace(take, speaker=take.segments[0].speaker.copy()).speaker
        return replace(
            take,
            quality=SimpleNamespace(**quality),
            resonance=SimpleNamespace(**resonance),
            resonance_z={"f0_hz": 0.126491, "f2": -1.126491, "coherence": math.inf},
            synthetic_llr=-1.0,
            synthetic_probability=0.2126491,
            segments=[SimpleNamespace(t0=0.126491, t1=1.726491, speaker=first, synthetic_probability=0.2126491)],
        )

    def compare(self, speakers: Any, _signature: Any) -> Any:
        return [SimpleNamespace(llr=4.126491, similarity=0.9126491) for _ in speakers]


def test_numbers_are_told_with_the_places_that_they_are_worth(tmp_path: Path) -> None:
    """To a Sovereign key two of a score, to a Citadel key four; the leaf of a match has its own."""
    with voice_site(tmp_path / "site", ExactEngine()) as site:
        asyncio.run(site.enrol("ARC-1"))
        citadel, sovereign = (
            asyncio.run(site.check("ARC-1", ALICE.says(number), caller=caller))
            for number, caller in enumerate((CITADEL, SOVEREIGN))
        )
        leaf = site.leaves("voice.check")[-1]
    assert citadel.verdict == sovereign.verdict == "GENUINE"
    scores = [(one.llr, one.similarity, one.synthetic_probability) for one in (citadel, sovereign)]
    assert scores == [(4.1265, 0.9126, 0.2126), (4.13, 0.91, 0.21)]
    pieces = [(*(getattr(one.segments[0], name) for name in ("t0", "t1", "similarity", "synthetic_probability")),)
              for one in (citadel, sovereign)]  # fmt: skip
    assert pieces == [(0.13, 1.73, 0.9126, 0.2126), (0.13, 1.73, 0.91, 0.21)]
    for one in (citadel, sovereign):
        assert one.speech_seconds == 4.13
        assert one.threshold_llr == 3.45
        assert msgspec.to_builtins(one.quality) == {
            "speech_s": 4.13, "snr_db": 31.3, "bandwidth_hz": 7013.0, "clipping": 0.0013, "level_dbfs": -21.3,
            "reverberation_db": -8.3,
        }  # fmt: skip
        assert msgspec.to_builtins(one.resonance) == {
            "f0_hz": {"value": 118.3, "z": 0.13},
            "f0_jitter": {"value": 0.0213, "z": None},
            "formants": [
                {"value": 512.3, "z": None},
                {"value": 1512.3, "z": -1.13},
                {"value": None, "z": None},
            ],
            "residual_kurtosis": {"value": 9.13, "z": None},
            "group_delay_spread": {"value": 0.2126, "z": None},
            "coherence": {"value": 0.6126, "z": None},
        }
    assert (leaf["llr"], leaf["similarity"], leaf["speech_s"]) == (4.126, 0.9126, 4.13)


def test_the_log_says_what_was_decided_and_no_score_that_failed(
    verdicts: dict[str, SpectralCheck], site: VoiceSite
) -> None:
    """A reader of the log cannot climb to a match; the leaf of a match has its score."""
    leaves = {leaf["check_id"]: leaf for leaf in site.leaves("voice.check") if "verdict" in leaf}
    for name in ("before", "stranger", "clone", "short"):
        leaf = leaves[verdicts[name].check_id]
        assert leaf["verdict"] == verdicts[name].verdict
        assert not {"llr", "similarity"} & set(leaf)
        assert leaf["outcome"] == ("ACCEPTED" if name == "before" else "DENIED")
    assert {"llr", "similarity"} <= set(leaves[verdicts["self"].check_id])


def test_the_same_matrix_again_is_a_replay(site: VoiceSite) -> None:
    """In whatever item size; and so is one that was changed a little, and one that was enrolled."""

    async def asked() -> list[SpectralCheck]:
        await site.enrol("ARC-2")
        wave = ALICE.says(21)
        first = await site.check("ARC-2", wave)
        wide = text_of(matrix_of(wave).astype(np.float32))
        quieter = wave[40:] * np.float32(0.5)
        return [first, *[await site.check("ARC-2", again) for again in (wave, wide, quieter, ALICE.says(900))]]

    first, *others = asyncio.run(asked())
    assert first.verdict == "GENUINE"
    assert {(one.verdict, tuple(one.reasons), one.match) for one in others} == {("SYNTHETIC", ("replayed",), False)}


def test_two_at_once_are_one_and_a_replay(site: VoiceSite) -> None:
    """Both were heard before either was remembered: the transaction decides."""

    async def asked() -> list[SpectralCheck]:
        await site.enrol("ARC-3")
        return await asyncio.gather(*[site.check("ARC-3", ALICE.says(31)) for _ in range(3)])

    found = sorted(one.verdict for one in asyncio.run(asked()))
    assert found == ["GENUINE", "SYNTHETIC", "SYNTHETIC"]


def test_a_replay_for_another_node_is_one(site: VoiceSite) -> None:
    """The digest is asked for in all of the site."""

    async def asked() -> SpectralCheck:
        await site.enrol("ARC-4")
        await site.enrol("ARC-5", BOB)
        await site.check("ARC-4", ALICE.says(41))
        return await site.check("ARC-5", ALICE.says(41))

    assert asyncio.run(asked()).reasons == ["replayed"]


def test_replays_are_remembered_over_a_restart_and_for_a_day(tmp_path: Path) -> None:
    """By rows of the store; the sweep takes them after 24 h."""
    with voice_site(tmp_path / "site") as site:
        asyncio.run(site.enrol("ARC-1"))
        assert asyncio.run(site.check("ARC-1", ALICE.says(1))).verdict == "GENUINE"
    with voice_site(tmp_path / "site") as site:
        assert asyncio.run(site.check("ARC-1", ALICE.says(1))).reasons == ["replayed"]
        site.doors.write(site.memory.sweep)
        assert count(site) == 5
        day_us = 24 * 3600 * 1_000_000
        site.doors.write(
            lambda tx: tx.connection.execute(update(voice_probe).values(at_us=voice_probe.c.at_us - day_us))
        )
        assert asyncio.run(site.check("ARC-1", ALICE.says(1))).verdict == "GENUINE"
        site.doors.write(site.memory.sweep)
        assert count(site) == 1


def count(site: VoiceSite) -> int:
    with site.doors.store.read() as connection:
        return connection.scalar(select(func.count()).select_from(voice_probe)) or 0


def test_repeated_clones_are_told_to_an_operator(site: VoiceSite) -> None:
    """At the third within an hour, with an alarm of the node; its standing stays."""

    async def asked() -> list[set[str]]:
        await site.enrol("ARC-6")
        await site.check("ARC-6", ALICE.says(61))
        alarms = []
        for number in (62, 63, 64):
            assert (await site.check("ARC-6", ROBOT.says(number))).standing == "SYNTHETIC_SUSPECTED"
            alarms.append(site.doors.alarms.keys(SYNTHETIC_ALARM) & {"ARC-6"})
        return alarms

    assert asyncio.run(asked()) == [set(), set(), {"ARC-6"}]
    assert site.standing("ARC-6") == "VERIFIED_DIGITAL_HUMAN"
    assert asyncio.run(site.check("ARC-6", ALICE.says(65))).match


@pytest.mark.parametrize("step", [3, 10, 30, 100, 300])
def test_the_alarm_is_renewed_as_clones_grow_in_number(tmp_path: Path, step: int) -> None:
    """At each step, not between them; what is older than an hour, or was no clone, does not count."""
    hour_us = 3600 * 1_000_000
    with voice_site(tmp_path / "site") as site:
        asyncio.run(site.enrol("ARC-1"))

        def remember(count: int, *, ago_us: int = 0, synthetic: int = 1) -> None:
            def job(tx: Transaction) -> None:
                row = {"node_id": "ARC-1", "digest": b"", "marks": b"", "synthetic": synthetic}
                tx.connection.execute(insert(voice_probe), [{**row, "at_us": tx.now_us - ago_us}] * count)

            site.doors.write(job)

        remember(5, ago_us=hour_us + 60_000_000)
        remember(5, synthetic=0)
        remember(step - 2, ago_us=hour_us - 300_000_000)
        asyncio.run(site.check("ARC-1", ROBOT.says(1)))
        before = alarm_text(site)
        asyncio.run(site.check("ARC-1", ROBOT.says(2)))
        after = alarm_text(site)
        asyncio.run(site.check("ARC-1", ROBOT.says(3)))
        assert f"At least {step} recordings" in after
        assert before != after == alarm_text(site)


def alarm_text(site: VoiceSite) -> str:
    """What the alarm of ARC-1 says; empty without one."""
    with site.doors.store.read() as connection:
        found = select(alarm.c.text).where(alarm.c.kind == SYNTHETIC_ALARM, alarm.c.key == "ARC-1")
        return connection.scalar(found) or ""


def test_the_tolerance_moves_the_threshold_and_a_site_may_cap_it(tmp_path: Path) -> None:
    """A cap is told in the reasons; below it nothing is."""
    with voice_site(tmp_path / "site", voice_tolerance_cap=0.3) as site:

        async def asked() -> list[SpectralCheck]:
            await site.enrol("ARC-1")
            return [
                await site.check("ARC-1", BOB.says(number), tolerance_coefficient=tolerance)
                for number, tolerance in enumerate((0.0, 0.3, 1.0))
            ]

        strict, free, capped = asyncio.run(asked())
        curve = asyncio.run(site.checks.calibration())
    assert [one.tolerance_coefficient for one in (strict, free, capped)] == [0.0, 0.3, 0.3]
    assert [one.threshold_llr for one in (strict, free, capped)] == [6.9, 2.76, 2.76]
    assert "tolerance_capped" not in [*strict.reasons, *free.reasons]
    assert capped.reasons[-1] == "tolerance_capped"
    assert (curve.tolerance_cap, curve.tolerance_default) == (0.3, 0.25)
    assert [point.tolerance for point in curve.points[:2]] == [0.0, 0.05]
    assert len(curve.points) == 21
    assert curve.points[-1].threshold_llr == -6.9
    assert (curve.points[10].far, curve.points[10].frr) == pytest.approx((math.exp(-7), math.exp(-7)))
    assert (curve.genuine_trials, curve.impostor_trials) == (100, 1000)
    assert curve.model.id == "plain-1"
    assert curve.synthetic_threshold == 0.5


def test_magnitudes_alone_are_no_match(tmp_path: Path) -> None:
    """GENUINE by default, INCONCLUSIVE where the site asks for phase."""
    found = []
    for number, required in enumerate((False, True)):
        with voice_site(tmp_path / str(number), voice_phase_required=required) as site:
            asyncio.run(site.enrol("ARC-1"))
            found.append(asyncio.run(site.check("ARC-1", text_of(magnitudes_of(ALICE.says(1))))))
    assert [(one.verdict, one.match, one.phase) for one in found] == [
        ("GENUINE", False, False),
        ("INCONCLUSIVE", False, False),
    ]
    assert all("phase_missing" in one.reasons for one in found)


def test_silence_is_inconclusive(site: VoiceSite) -> None:
    """Without a voice there is no score: null, also for a Citadel key."""
    asyncio.run(site.enrol("ARC-10"))
    found = asyncio.run(site.check("ARC-10", np.zeros(RATE * 2, np.float32)))
    assert found.verdict == "INCONCLUSIVE"
    assert found.reasons[:2] == ["silent", "too_short"]
    assert (found.similarity, found.llr) == (None, None)


# --- what is refused ---


def test_who_is_unknown_or_not_enrolled(site: VoiceSite) -> None:
    """404 and 409, before the recording is looked at."""
    nothing = msgspec.Raw(b'"AAAA"')
    assert refused(site.check("ARC-NOBODY", nothing)).code == "not_found"
    site.doors.person("ARC-7")
    problem = refused(site.check("ARC-7", nothing))
    assert (problem.code, "enrol its voice first" in problem.detail) == ("state_conflict", True)


def test_a_signature_of_other_models_is_refused(tmp_path: Path) -> None:
    """409 that says to enrol again, and after that it is judged."""
    with voice_site(tmp_path / "site") as site:
        asyncio.run(site.enrol("ARC-1"))
        site.engine.sha256 = "cd" * 32
        problem = refused(site.check("ARC-1", ALICE.says(1)))
        assert (problem.code, "enrol its voice again" in problem.detail) == ("state_conflict", True)
        assert not asyncio.run(site.enrolments.show("ARC-1")).current
        asyncio.run(site.enrol("ARC-1"))
        assert asyncio.run(site.check("ARC-1", ALICE.says(1))).match


def test_a_contained_node_is_refused(tmp_path: Path) -> None:
    """409, for a check and for an enrolment, until it is released."""
    with voice_site(tmp_path / "site") as site:
        asyncio.run(site.enrol("ARC-1"))
        site.doors.registry.deny.deny("ARC-1", "containment", "ctn_1")
        problem = refused(site.check("ARC-1", ALICE.says(1)))
        assert (problem.code, "contained" in problem.detail) == ("state_conflict", True)
        problem = refused(site.enrol("ARC-1"))
        assert (problem.code, "contained" in problem.detail) == ("state_conflict", True)
        site.doors.registry.deny.forget("ARC-1", "containment", "ctn_1")
        assert asyncio.run(site.check("ARC-1", ALICE.says(1))).match


MATRIX = matrix_of(ALICE.says(77))
NPY = npy_bytes(MATRIX)


def base64_text(raw: bytes) -> msgspec.Raw:
    return msgspec.Raw(b'"' + base64.b64encode(raw) + b'"')


@pytest.mark.parametrize(
    "field",
    [
        pytest.param(msgspec.Raw(b"12"), id="a number"),
        pytest.param(msgspec.Raw(b'"%%%%"'), id="no base64"),
        pytest.param(msgspec.Raw(b'""'), id="empty"),
        pytest.param(base64_text(NPY[:-1]), id="cut"),
        pytest.param(base64_text(NPY + b"\0"), id="too long"),
        pytest.param(base64_text(b"\x80\x04\x95" + NPY), id="a pickle"),
        pytest.param(base64_text(npy_bytes(MATRIX[:99])), id="too few frames"),
        pytest.param(base64_text(npy_bytes(np.zeros((200, 161), np.float16))), id="a wrong shape"),
        pytest.param(base64_text(npy_bytes(np.full((200, 160), np.nan, np.float16))), id="no numbers"),
    ],
)
def test_what_is_no_matrix_is_refused(site: VoiceSite, field: msgspec.Raw) -> None:
    """422 at the field, never with a value of it."""
    with site.doors.store.read() as connection:
        known = site.doors.registry.node(connection, "ARC-8") is not None
    if not known:
        asyncio.run(site.enrol("ARC-8"))
    problem = refused(site.check("ARC-8", field))
    assert (problem.status, [error.pointer for error in problem.errors]) == (422, ["/audio_stream_vector"])


@pytest.mark.parametrize("value", ["true", "-0.01", "1.01", '"0.3"', "1e999", '"NaN"', "[]"])
def test_a_tolerance_is_a_number_from_0_to_1(value: str) -> None:
    """Anything else is refused by the shape of the body."""
    body = b'{"node_id":"ARC-1","audio_stream_vector":"","tolerance_coefficient":%s}' % value.encode()
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body, type=SpectralCheckBody)


def test_climbing_is_slow(tmp_path: Path) -> None:
    """Checks of one key and node are counted; another key and another node have their own."""
    with voice_site(tmp_path / "site", voice_checks_per_hour=2) as site:
        asyncio.run(site.enrol("ARC-1"))
        asyncio.run(site.enrol("ARC-2", BOB))
        for number in (1, 2):
            asyncio.run(site.check("ARC-1", ALICE.says(number)))
        problem = refused(site.check("ARC-1", ALICE.says(3)))
        assert problem.code == "rate_limited"
        assert int(problem.headers["Retry-After"]) > 60
        assert asyncio.run(site.check("ARC-2", BOB.says(3))).match
        another = Caller("kid-another", Clearance.SOVEREIGN, "test")
        assert asyncio.run(site.check("ARC-1", ALICE.says(4), caller=another)).match


def test_a_signature_that_was_replaced_meanwhile_decides_nothing(tmp_path: Path) -> None:
    """409, a leaf, and no live check."""
    with voice_site(tmp_path / "site") as site:
        asyncio.run(site.enrol("ARC-1"))
        hear = site.checks._hear

        def slow(*given: Any) -> Any:
            found = hear(*given)
            site.doors.write(lambda tx: site.signatures.erase(tx, "ARC-1", actor="test"))
            return found

        site.checks._hear = slow  # type: ignore[method-assign]
        problem = refused(site.check("ARC-1", ALICE.says(1)))
        assert (problem.code, "meanwhile" in problem.detail) == ("state_conflict", True)
        assert site.leaves("voice.check")[-1]["cause"] == "overtaken"
        assert site.standing("ARC-1") == "UNVERIFIED"


def test_a_row_moved_to_another_node_does_not_open(tmp_path: Path) -> None:
    """It is sealed to node, serial and models."""
    with voice_site(tmp_path / "site") as site:
        asyncio.run(site.enrol("ARC-1"))
        asyncio.run(site.enrol("ARC-2", BOB))
        with site.doors.store.read() as connection:
            theirs = connection.execute(select(voice_signature).where(voice_signature.c.node_id == "ARC-1")).one()
        stolen = {name: getattr(theirs, name) for name in ("sealed", "seed_sealed")}
        site.doors.write(
            lambda tx: tx.connection.execute(
                update(voice_signature).where(voice_signature.c.node_id == "ARC-2").values(stolen)
            )
        )
        with pytest.raises(Exception, match="does not open"):
            asyncio.run(site.check("ARC-2", ALICE.says(1)))


# --- models and threads ---


def test_without_models_the_check_says_so(tmp_path: Path) -> None:
    """503 with a sentence; who is unknown is still unknown, and what is enrolled is still shown."""

    def missing(_folder: Path) -> Any:
        raise FileNotFoundError("no model.json")

    async def asked(site: VoiceSite) -> list[Problem]:
        await site.enrol("ARC-1")
        site.checks.models = site.enrolments._models = VoiceModels(missing, tmp_path)
        assert not (await site.enrolments.show("ARC-1")).current
        found = []
        for started in (False, True):
            if started:
                await site.checks.models.start()
            for node_id in ("ARC-1", "ARC-NOBODY"):
                with pytest.raises(Problem) as caught:
                    await site.check(node_id, ALICE.says(1))
                found.append(caught.value)
        await site.checks.models.stop()
        return found

    with voice_site(tmp_path / "site") as site:
        found = asyncio.run(asked(site))
    assert [problem.code for problem in found] == ["dependency_unavailable", "not_found"] * 2
    assert "are missing or were altered" in found[2].detail
    assert found[2].headers["Retry-After"] == "60"


def test_models_are_loaded_once_and_waited_for(tmp_path: Path) -> None:
    """From their folder, beside the start; who asks meanwhile waits."""
    asked: list[Path] = []
    engine = PlainEngine()
    free = threading.Event()

    def load(folder: Path) -> Any:
        free.wait(60)
        asked.append(folder)
        return engine

    async def started() -> list[object]:
        models = VoiceModels(load, tmp_path)
        await models.start()
        waiting = [asyncio.create_task(models.engine()) for _ in range(2)]
        await asyncio.sleep(0)
        assert not any(one.done() for one in waiting)
        free.set()
        found: list[object] = await asyncio.gather(*waiting)
        await models.stop()
        return found

    assert asyncio.run(started()) == [engine, engine]
    assert asked == [tmp_path]


def test_too_many_at_once_are_told_to_come_again() -> None:
    """The queue does not grow; what was taken is done, and then there is room again."""

    async def asked() -> None:
        threads = AnalysisThreads(threads=1, most_waiting=1)
        free = threading.Event()
        taken = [asyncio.create_task(threads.run(free.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Problem) as caught:
            await threads.run(lambda: None)
        assert caught.value.code == "dependency_unavailable"
        assert caught.value.headers["Retry-After"] == "2"
        free.set()
        assert await asyncio.gather(*taken) == [True, True]
        assert await threads.run(lambda: 5) == 5
        await threads.stop()

    asyncio.run(asked())


def test_two_are_judged_and_sixteen_wait() -> None:
    """Each holds up to 8 MiB; the next one is told to come again."""

    async def asked() -> None:
        threads, free = AnalysisThreads(), threading.Event()
        taken = [asyncio.create_task(threads.run(free.wait)) for _ in range(18)]
        await asyncio.sleep(0)
        assert threads.busy == 18
        with pytest.raises(Problem):
            await threads.run(lambda: None)
        free.set()
        assert await asyncio.gather(*taken) == [True] * 18
        await threads.stop()

    asyncio.run(asked())


@pytest.mark.parametrize(("takes", "taken"), [(0, False), (1, True), (10, True), (11, False)])
def test_an_enrolment_has_at_most_ten_takes(takes: int, taken: bool) -> None:
    """By the shape of its body; that one is too few is said with the enrolment's words."""
    body = b'{"samples":[%s]}' % b",".join([b'""'] * takes)
    if taken:
        assert len(msgspec.json.decode(body, type=VoiceSamples).samples) == takes
    else:
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(body, type=VoiceSamples)


def test_a_caller_who_leaves_leaves_nothing_behind() -> None:
    """The job runs to its end, and gives its place back."""

    async def asked() -> None:
        threads = AnalysisThreads(threads=1, most_waiting=1)
        free, done = threading.Event(), threading.Event()
        task = asyncio.create_task(threads.run(lambda: (free.wait(), done.set())))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert threads.busy == 1
        free.set()
        await threads.stop()
        assert done.is_set()
        await asyncio.sleep(0)
        assert threads.busy == 0

    asyncio.run(asked())


def test_what_was_heard_is_wiped(site: VoiceSite) -> None:
    """Matrix, speaker and segments, also where the engine fails."""
    asyncio.run(site.enrol("ARC-9"))
    site.engine.seen.clear()
    takes = []
    analyse = site.engine.analyse

    def kept(matrix: Any) -> Any:
        takes.append(analyse(matrix))
        return takes[-1]

    def failing(matrix: Any) -> Any:
        analyse(matrix)
        raise RuntimeError("broken")

    try:
        site.engine.analyse = kept  # type: ignore[method-assign]
        asyncio.run(site.check("ARC-9", ALICE.says(91)))
        site.engine.analyse = failing  # type: ignore[method-assign]
        with pytest.raises(RuntimeError):
            asyncio.run(site.check("ARC-9", ALICE.says(92)))
    finally:
        site.engine.analyse = analyse  # type: ignore[method-assign]
    assert len(site.engine.seen) == 2
    assert not any(matrix.values.any() for matrix in site.engine.seen)
    (take,) = takes
    assert not take.speaker.any()
    assert not any(segment.speaker.any() for segment in take.segments)
    assert asyncio.run(site.check("ARC-9", sent(ALICE.says(93)))).match
