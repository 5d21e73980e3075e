"""The real service keeps nothing of a voice that it judged or enrolled: not in memory, not in a file.

What is looked for: the body's base64, the matrix as it was sent, as the numbers that it is worked on as (float32 and
float64), the waveform that it stands for, and with the shipped models also that waveform as it is judged (without its
pauses, at one level) and the magnitudes of both. Recordings are drawn, so that they are nowhere else.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import secrets
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from numpy.typing import NDArray

from app.capabilities.voice.analysis.spectra import condition
from app.capabilities.voice.matrix import magnitudes_of, matrix_of, npy_bytes, read_matrix, wave_of
from tests.memory_scan import contents, regions
from tests.security.voice_child import NAIVE
from tests.served_site import ServedSite
from tests.voice_site import ALICE, ROBOT, Speaker, Wave

pytestmark = pytest.mark.campaign

CHECKS = 100
PERSON = "ARC-T0001"
CHECK = "/v1/core/vssn/spectral-check"
PLACES = 2
"""At so many frames of a recording a piece of each form is looked for."""
WIDTH = 24
"""Bytes of a piece."""
LOOKED_FOR = 8


@contextlib.contextmanager
def heard_by(engine: str, place: Path) -> Iterator[ServedSite]:
    """A site in a process of its own, in which one node's recordings are read naively."""
    made = ServedSite.laid_out(place / "site", voice_checks_per_hour=10_000)
    made._prefix = [sys.executable, "-m", "tests.security.voice_child", engine]
    with made.running():
        yield made


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """With the tests' engine, which enrols drawn voices."""
    with heard_by("plain", tmp_path_factory.mktemp("voice-residue")) as made:
        yield made


def says(speaker: Speaker = ALICE, seconds: float = 5.0) -> Wave:
    """Something that nobody said before."""
    return speaker.says(secrets.randbits(40), seconds)


def body_of(values: NDArray[Any]) -> str:
    return base64.b64encode(npy_bytes(values)).decode()


def pieces(values: NDArray[np.float16]) -> dict[str, bytes]:
    """Pieces of a recording, by what they are."""
    raw = npy_bytes(values)
    text = base64.b64encode(raw)
    matrix = read_matrix(raw)
    wave = wave_of(matrix)
    loud = np.argsort(np.abs(values.astype(np.float32)).sum(axis=1))[-PLACES * 3 :: 3]
    found = {}
    for frame in (int(one) for one in loud):
        begin = len(raw) - values.nbytes + frame * 320
        found[f"matrix as sent, frame {frame}"] = raw[begin : begin + WIDTH]
        found[f"base64, frame {frame}"] = text[begin // 3 * 4 : begin // 3 * 4 + WIDTH]
        found[f"float32, frame {frame}"] = matrix.values[frame, :6].tobytes()
        found[f"float64, frame {frame}"] = matrix.values[frame, :3].astype(np.float64).tobytes()
        at = min(max(frame * 160, 0), len(wave) - 200)
        found[f"waveform, frame {frame}"] = wave[at : at + 6].tobytes()
    return found


def judged_pieces(values: NDArray[np.float16]) -> dict[str, bytes]:
    """Pieces of what the shipped models make of a recording before they measure anything."""
    wave = wave_of(read_matrix(npy_bytes(values)))
    clean = condition(wave)
    found = {}
    for name, sound in (("waveform", wave), ("conditioned waveform", clean)):
        at = int(np.argmax(np.abs(sound[: len(sound) // 2])))
        found[f"{name} at its peak"] = sound[at : at + 6].tobytes()
        found[f"{name} at its peak, float64"] = sound[at : at + 3].astype(np.float64).tobytes()
        magnitudes = magnitudes_of(sound)
        loud = int(magnitudes.sum(axis=1).argmax())
        found[f"magnitudes of the {name}"] = magnitudes[loud, 8:14].tobytes()
    return found


def residue(site: ServedSite, recordings: list[NDArray[np.float16]], *, judged: bool = False) -> set[str]:
    """What is left of ``LOOKED_FOR`` of the recordings, from the first to the last, in memory or in any file of the
    site. ``judged``: also of what the shipped models make of them."""
    site.wait(lambda: b"changes_in_progress 0" in site.client.get("/metrics").content)
    chosen = recordings[:: max(1, len(recordings) // LOOKED_FOR)]
    wanted = [pieces(one) | (judged_pieces(one) if judged else {}) for one in chosen]
    found: set[str] = set()
    memory = (("memory", region) for region in regions(site.pid))
    files = ((path.name, data) for root in (site.data_dir, site.log) for path, data in contents(root))
    for place, data in itertools.chain(memory, files):
        found |= {f"{name} in {place}" for one in wanted for name, piece in one.items() if piece in data}
    return found


def check(site: ServedSite, values: NDArray[Any], node_id: str = PERSON) -> httpx.Response:
    return site.post(CHECK, {"node_id": node_id, "audio_stream_vector": body_of(values)})


def enrol(site: ServedSite, node_id: str, takes: list[NDArray[np.float16]]) -> httpx.Response:
    body = {"samples": [body_of(one) for one in takes], "consent": True}
    path = f"/v1/registry/nodes/{node_id}/voice"
    answer = site.put(path, body)
    if answer.status_code == 503:
        # A busy machine: past its time the caller is told so, and the work goes on.
        site.wait(lambda: site.client.get(path).status_code == 200, 600, 1.0)
        answer = site.client.get(path)
    return answer


def spoken(count: int, speaker: Speaker = ALICE, seconds: float = 5.0) -> list[NDArray[np.float16]]:
    return [matrix_of(says(speaker, seconds)) for _ in range(count)]


def test_what_a_naive_handler_leaves_is_found(site: ServedSite) -> None:
    """The control: the same site, a node whose recordings are read without a thought."""
    takes = spoken(3)
    assert enrol(site, NAIVE, takes).status_code == 200
    recordings = spoken(4)
    for one in recordings:
        assert check(site, one, NAIVE).status_code == 200
    found = residue(site, recordings, judged=True)
    for form in ("base64", "matrix as sent", "waveform", "conditioned waveform", "magnitudes of the conditioned"):
        assert any(name.startswith(form) for name in found), (form, found)


def test_enrolments_and_checks_leave_nothing(site: ServedSite) -> None:
    """An enrolment, and genuine, strange, short, repeated and synthetic recordings after it."""
    takes = spoken(3)
    answer = enrol(site, PERSON, takes)
    assert answer.status_code == 200, answer.text
    another = replace(ALICE, formants=(300.0, 2100.0, 3100.0))
    recordings = [
        *spoken(CHECKS),
        *spoken(3, another),
        *spoken(3, ALICE, 1.6),
        *spoken(3, ROBOT),
    ]
    for one in [*recordings, *recordings[:3]]:
        answer = check(site, one)
        assert answer.status_code == 200, answer.text
    assert residue(site, [*takes, *recordings]) == set()


def test_the_shipped_models_leave_nothing(tmp_path: Path) -> None:
    """Of takes that they enrol and refuse, and of recordings that they hear, one of them as magnitudes."""
    with heard_by("shipped", tmp_path) as site:
        takes, clipped = spoken(3), matrix_of(np.clip(40 * says(), -0.9, 0.9))
        answer = enrol(site, PERSON, takes)
        assert answer.status_code == 200, answer.text
        assert enrol(site, "ARC-T0003", [*takes[:2], clipped]).status_code == 422
        recordings = [*spoken(CHECKS // 4), *spoken(3, ALICE, 1.6)]
        verdicts = {check(site, one).json()["verdict"] for one in [*recordings, *recordings[:2]]}
        assert verdicts == {"GENUINE", "INCONCLUSIVE", "SYNTHETIC"}
        sound = says()
        assert check(site, magnitudes_of(sound)).status_code == 200
        found = residue(site, [*takes, clipped, *recordings], judged=True)
        assert found == set()


def test_refused_recordings_leave_nothing(site: ServedSite) -> None:
    """Of nobody, cut, no base64, of a wrong shape, with a field too many; takes that do not serve."""
    recordings = spoken(8)
    for one in recordings:
        text = body_of(one)
        cut, wide = text[:-8], body_of(np.concatenate([one, one], axis=1))
        for body, expected in (
            ({"node_id": "ARC-NOBODY", "audio_stream_vector": text}, 404),
            ({"node_id": PERSON, "audio_stream_vector": cut}, {409, 422}),
            ({"node_id": PERSON, "audio_stream_vector": text + "*"}, {409, 422}),
            ({"node_id": PERSON, "audio_stream_vector": wide}, {409, 422}),
            ({"node_id": PERSON, "audio_stream_vector": text, "more": 1}, 422),
        ):
            answer = site.post(CHECK, body)
            assert answer.status_code in (expected if isinstance(expected, set) else {expected}), answer.text
    short = spoken(3, ALICE, 1.6)
    for takes in (recordings[:2], [*recordings[2:4], short[0]], [recordings[5], recordings[5], recordings[6]]):
        assert enrol(site, "ARC-T0003", takes).status_code == 422
    assert residue(site, [*recordings, *short]) == set()
