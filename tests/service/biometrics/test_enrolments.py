"""Enrolment of palms: what is taken, what is stored, and what is refused."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from app.api.problems import Problem
from app.biometrics.messages import TemplateRegistryBody
from app.registry.service import now_us
from hardware.terminals.enrolment import LEAST_COSINE
from hardware.terminals.frame import ENROL_INTENT, FrameForged, verify
from hardware.terminals.synthetic_palms import SyntheticPalm
from tests.palm_site import REGISTRY, PalmSite, base64_of


@pytest.fixture(scope="module", autouse=True)
def people(site: PalmSite) -> None:
    asyncio.run(site.people(25))


def problem(site: PalmSite, node_id: str, samples: list[msgspec.Raw], **more: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        asyncio.run(site.put(node_id, samples, **more))
    return caught.value


def shots(node_id: str, count: int = 5, first: int = 1) -> list[msgspec.Raw]:
    hand = SyntheticPalm("training", node_id)
    return [base64_of(hand.shot(number).tobytes()) for number in range(first, first + count)]


def test_frames_of_a_hand_become_one_row(site: PalmSite) -> None:
    """Five frames, one sealed row, one template; the same again takes its place."""
    site.add_node("ARC-E01")
    for _ in range(2):
        reply = asyncio.run(site.enrol("ARC-E01"))
        assert (reply.samples, reply.discarded, reply.registry_id, reply.key_epoch) == (5, [], REGISTRY, 1)
        assert 100 * LEAST_COSINE - 1 <= reply.quality <= 100
        assert len(site.biometrics.templates.gallery(REGISTRY).templates("ARC-E01")) == 1
    assert site.leaves("palm.enrol")[-1]["encodings"] == ["frame"]


def test_pictures_become_the_same_person(site: PalmSite) -> None:
    """Pictures are worked on in a child; who enrolled by them is found by a terminal's frame."""
    site.add_node("ARC-E02")
    reply = asyncio.run(site.put("ARC-E02", shots("ARC-E02"), encoding="roi128"))
    assert reply.samples == 5
    assert asyncio.run(site.lay("ARC-E02")).node_id == "ARC-E02"


def test_bare_templates_and_features(site: PalmSite) -> None:
    """512 signed bytes and 512 float32 are told by their size."""
    site.add_node("ARC-E03")
    # Alike without other views, which some shots of one hand are not.
    frames = [site.scanner.lay("ARC-E03", ENROL_INTENT, shot=shot) for shot in (1, 3, 6)]
    templates = np.stack([np.frombuffer(frame[56 : 56 + 512], np.int8) for frame in frames])
    projection = site.projection()
    features = projection.features(templates)
    projection.wipe()
    samples = [base64_of(templates[0].tobytes()), *(base64_of(x.astype("<f4").tobytes()) for x in features[1:])]
    reply = asyncio.run(site.put("ARC-E03", samples))
    assert (reply.samples, reply.discarded) == (3, [])
    assert asyncio.run(site.lay("ARC-E03")).node_id == "ARC-E03"


def test_too_few_or_unlike_samples(site: PalmSite) -> None:
    """Two samples, a picture without lines, three different hands: 422, and nothing is stored."""
    site.add_node("ARC-E04")
    assert problem(site, "ARC-E04", shots("ARC-E04", 2)).code == "invalid_body"
    grey = base64_of(bytes([128]) * 16384)
    blank = problem(site, "ARC-E04", [*shots("ARC-E04", 2), grey])
    assert blank.errors[0].pointer == "/samples/2"
    others = [*shots("ARC-E04", 2), *shots("ARC-E94", 1), *shots("ARC-E95", 1)]
    unlike = problem(site, "ARC-E04", others)
    assert "Samples 3, 4" in unlike.detail
    assert [error.pointer for error in unlike.errors] == ["/samples/2", "/samples/3"]
    assert "ARC-E04" not in site.biometrics.templates.gallery(REGISTRY)


def test_what_is_of_no_person_is_not_enrolled(site: PalmSite) -> None:
    """A constant template and constant features, a grey gradient, and one picture twice: 422 at the sample, for palms
    and stylized templates, and nothing is stored."""
    site.add_node("ARC-E18")
    ramp = np.tile(np.arange(128, dtype=np.uint8) * 2, (128, 1))
    for flat in (np.full(512, 32, np.int8), np.full(512, 0.5, "<f4"), ramp, ramp.T):
        raw = base64_of(flat.tobytes())
        assert problem(site, "ARC-E18", [raw], modality="stylized").errors[0].pointer == "/samples/0"
        found = problem(site, "ARC-E18", [*shots("ARC-E18", 3), raw])
        assert (found.code, found.errors[0].pointer) == ("invalid_body", "/samples/3")
    twice = problem(site, "ARC-E18", [*shots("ARC-E18", 3), *shots("ARC-E18", 1)])
    assert (twice.code, twice.errors[0].pointer) == ("invalid_body", "/samples/3")
    assert "copy of sample 1" in twice.errors[0].detail
    assert "ARC-E18" not in site.biometrics.templates.gallery(REGISTRY)


def test_sizes_and_encodings(site: PalmSite) -> None:
    """A sample of no known size, or of another than its encoding has: 422 at its place."""
    site.add_node("ARC-E05")
    for raw, encoding in (
        (b"", None),
        (os.urandom(513), None),
        (os.urandom(512), "roi128"),
        (os.urandom(16384), "frame"),
    ):
        found = problem(site, "ARC-E05", [*shots("ARC-E05", 3), base64_of(raw)], encoding=encoding)
        assert found.code == "invalid_body"
    assert problem(site, "ARC-E05", shots("ARC-E05"), registry_id="nowhere").code == "not_found"
    assert problem(site, "ARC-NOBODY", shots("ARC-E05")).code == "not_found"


def test_a_known_person_goes_to_the_operator(site: PalmSite) -> None:
    """The hand of one node is not enrolled as another: 409 without a name, an alarm that has it, nothing stored. Tried
    with a third one's hand, the alarm names that one: whose templates are wrong is read from it."""
    for node_id in ("ARC-E06", "ARC-E07", "ARC-E17"):
        site.add_node(node_id)
    asyncio.run(site.enrol("ARC-E06"))
    found = problem(site, "ARC-E07", shots("ARC-E06"))
    assert found.code == "state_conflict"
    assert "ARC-E06" not in found.detail
    assert [alarm.ref for alarm in site.alarms.open() if alarm.node_id == "ARC-E07"] == ["ARC-E06"]
    assert "ARC-E07" not in site.biometrics.templates.gallery(REGISTRY)
    assert site.leaves("palm.enrol")[-1]["outcome"] == "DENIED"
    asyncio.run(site.enrol("ARC-E17"))
    problem(site, "ARC-E07", shots("ARC-E17"))
    (alarm,) = [alarm for alarm in site.alarms.open() if alarm.node_id == "ARC-E07"]
    assert (alarm.ref, "enrolled as ARC-E17:" in alarm.text) == ("ARC-E17", True)


def test_one_person_is_not_two_nodes_at_once(site: PalmSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two enrolments of one hand that run side by side one is kept, the other goes to the operator."""
    for node_id in ("ARC-E06a", "ARC-E06b"):
        site.add_node(node_id)
    search = site.enrolments._known_as
    both_searched = threading.Barrier(2)

    def searching(*asked: Any) -> str | None:
        found = search(*asked)
        with contextlib.suppress(threading.BrokenBarrierError):
            both_searched.wait(0.5)
        return found

    monkeypatch.setattr(site.enrolments, "_known_as", searching)

    async def use() -> list[object]:
        puts = [site.put(node_id, shots("ARC-E06a", 3)) for node_id in ("ARC-E06a", "ARC-E06b")]
        return await asyncio.gather(*puts, return_exceptions=True)

    problems = [one for one in asyncio.run(use()) if isinstance(one, Problem)]
    assert [one.code for one in problems] == ["state_conflict"]
    gallery = site.biometrics.templates.gallery(REGISTRY)
    assert ("ARC-E06a" in gallery) != ("ARC-E06b" in gallery)


def test_enrolment_frames_are_believed_as_probes_are(site: PalmSite) -> None:
    """Foreign terminals, frames of probes, and frames that were used before are refused, each with its leaf."""
    site.add_node("ARC-E08")
    stranger = site.terminal("palm-unregistered", registered=False)
    foreign = [base64_of(stranger.lay("ARC-E08", ENROL_INTENT)) for _ in range(3)]
    assert problem(site, "ARC-E08", foreign).code == "proof_invalid"
    assert site.leaves("palm.enrol")[-1]["cause"] == "terminal"
    probes = [base64_of(site.scanner.lay("ARC-E08", "LOGIN")) for _ in range(3)]
    assert problem(site, "ARC-E08", probes).code == "proof_invalid"
    assert (site.leaves("palm.enrol")[-1]["cause"], site.leaves("palm.enrol")[-1]["outcome"]) == ("forged", "DENIED")
    frames = [base64_of(site.scanner.lay("ARC-E08", ENROL_INTENT)) for _ in range(3)]
    assert asyncio.run(site.put("ARC-E08", frames)).samples == 3
    assert problem(site, "ARC-E08", frames).code == "replayed"
    with pytest.raises(FrameForged):
        verify(site.scanner.lay("ARC-E08", "LOGIN"), site.scanner.public_key, "palm-lobby", ENROL_INTENT)


def test_a_denied_node_is_not_enrolled(site: PalmSite) -> None:
    """Burned before, or while the child works: 409."""
    site.add_node("ARC-E09")
    site.registry.deny.deny("ARC-E09", "burn", "ref-e")
    assert problem(site, "ARC-E09", shots("ARC-E09")).code == "state_conflict"


def test_erased_is_gone(site: PalmSite) -> None:
    """After DELETE neither gallery nor store has the row, and the next query finds nobody."""
    site.add_node("ARC-E10")
    asyncio.run(site.enrol("ARC-E10"))
    assert asyncio.run(site.lay("ARC-E10")).verified

    async def erase() -> int:
        reply = await site.enrolments.erase("ARC-E10", actor="tester", request_id=None, now_us=now_us())
        return reply.rows

    assert asyncio.run(erase()) == 1
    assert not asyncio.run(site.lay("ARC-E10")).verified
    assert asyncio.run(erase()) == 0
    with pytest.raises(Problem):
        asyncio.run(site.enrolments.erase("ARC-NOBODY", actor="t", request_id=None, now_us=now_us()))


def test_rows_are_sealed(site: PalmSite) -> None:
    """No file of the site holds a template in the clear."""
    site.add_node("ARC-E11")
    asyncio.run(site.enrol("ARC-E11"))
    row = site.biometrics.templates.gallery(REGISTRY).templates("ARC-E11")[0].tobytes()
    with sqlite3.connect(site.site.store_path) as connection:
        connection.execute("PRAGMA wal_checkpoint(FULL)")
    for path in site.path.rglob("*"):
        assert not path.is_file() or row[100:124] not in path.read_bytes(), path


def test_templates_that_were_made_elsewhere_can_be_renewed(site: PalmSite) -> None:
    """A registry of an earlier version may be empty and have no key: it gets one before its first template, even where
    the site does not make that itself."""
    registries = site.biometrics.template_registries
    asyncio.run(registries.put("elsewhere", TemplateRegistryBody(alg=1), actor="tester"))
    registries._keys.destroy("elsewhere", but=None)
    site.add_node("ARC-E98")
    direction = np.random.default_rng(98).standard_normal(512)
    row = np.clip(np.rint(direction / np.linalg.norm(direction) * 724.0), -127, 127).astype(np.int8)
    samples = [base64_of(row.tobytes())]
    reply = asyncio.run(site.put("ARC-E98", samples, "stylized", registry_id="elsewhere"))
    assert (reply.registry_id, reply.key_epoch) == ("elsewhere", 1)
    assert asyncio.run(registries.renew("elsewhere", actor="tester")).key_epoch == 2


def template_of(feature: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.int8]]:
    """A template in the direction of the feature."""
    return np.clip(np.rint(feature / np.linalg.norm(feature) * 724.0773439350247), -127, 127).astype(np.int8)


def test_features_that_move_together_are_not_enrolled(tmp_path: Path) -> None:
    """From the eleventh person on their effective dimension is told, and it is in the problem document and the leaf."""
    random = np.random.default_rng(4)
    few = random.standard_normal((8, 512))
    made = PalmSite(tmp_path / "narrow")
    try:
        for number in range(10):
            made.add_node(f"ARC-D{number:02}")
            row = template_of(random.standard_normal(8) @ few)
            name = f"ARC-D{number:02}"
            made.do(lambda tx, n=name, r=row: made.biometrics.templates.enrol(tx, n, r[None], epoch=1, actor="tester"))
        made.add_node("ARC-D10")
        narrow = random.standard_normal(8) @ few
        samples = [narrow + 0.25 * np.linalg.norm(narrow) / 22.6 * random.standard_normal(512) for _ in range(5)]
        bare = [base64_of(template_of(one).tobytes()) for one in samples]
        refused = problem(made, "ARC-D10", bare, encoding="i8x512")
        assert (refused.code, refused.status) == ("invalid_body", 422)
        assert refused.errors[0].pointer == "/samples"
        assert refused.extra["least"] == 40.0
        assert refused.extra["people"] == 11
        told = refused.extra["effective_dimension"]
        assert isinstance(told, float)
        assert 4 < told < 16
        assert f"{told:.1f} effective dimensions" in refused.detail
        leaf = made.leaves("palm.enrol")[-1]
        assert (leaf["outcome"], leaf["effective_dimension"]) == ("DENIED", told)
        assert "ARC-D10" not in made.biometrics.templates.gallery(REGISTRY)
    finally:
        made.close()


def test_features_that_are_wide_are_enrolled_with_their_dimension_told(site: PalmSite) -> None:
    """The leaf of an enrolment among enough people has it."""
    site.add_node("ARC-WIDE")
    asyncio.run(site.enrol("ARC-WIDE"))
    assert site.leaves("palm.enrol")[-1]["effective_dimension"] >= 40
