"""The vectors of biometrics, worked out again and, where that says more, by a second way."""

from __future__ import annotations

import base64
import json
import statistics
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from app.biometrics.gallery import Found
from app.biometrics.matching import Rules, identify, verify
from app.biometrics.template_cache import TemplateCache

VECTORS = Path(__file__).parents[2] / "vectors"
MATCHES: list[dict[str, Any]] = json.loads((VECTORS / "match-1.json").read_text(encoding="utf-8"))
CACHE: dict[str, Any] = json.loads((VECTORS / "template-cache-1.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", MATCHES, ids=lambda case: case["name"])
def test_a_decision_is_the_vectors(case: dict[str, Any]) -> None:
    """Cause, node, z, limit, rate and confidence, from the scores of a search."""
    best = tuple((node_id, score) for node_id, score in case["best"])
    found = Found(best, np.array(case["cohort"], np.float32), case["searched"])
    decision = verify(found, Rules()) if case["intent"] is None else identify(found, case["intent"], Rules())
    assert (decision.cause, decision.node_id, decision.confidence) == (
        case["cause"],
        case["node_id"],
        case["confidence"],
    )
    assert (decision.rate, decision.z, decision.limit) == pytest.approx((case["rate"], case["z"], case["limit"]))


@pytest.mark.parametrize("case", [case for case in MATCHES if case["z"] is not None], ids=lambda case: case["name"])
def test_z_is_a_score_in_deviations_of_the_others(case: dict[str, Any]) -> None:
    """Mean and sample deviation of the cohort, in double precision."""
    mean, deviation = statistics.mean(case["cohort"]), statistics.stdev(case["cohort"])
    assert case["z"] == pytest.approx((case["best"][0][1] - mean) / deviation, rel=1e-5)


def test_the_caches_file_is_laid_out_as_written_down() -> None:
    """Key, head, chunk and associated data, read without the program's own reader."""
    secret, generation = bytes.fromhex(CACHE["secret"]), bytes.fromhex(CACHE["generation"])
    info = b"arc-template-cache/1\0" + CACHE["registry_id"].encode()
    key = HKDF(SHA256(), 32, generation, info).derive(secret)
    assert key.hex() == CACHE["key"]
    file = base64.b64decode(CACHE["file"])
    assert struct.unpack(">5sII", file[:13]) == (b"ARCT1", 1, 3)
    (length,) = struct.unpack(">I", file[13:17])
    assert len(file) == 17 + length
    plain = AESGCM(key).decrypt(file[17:29], file[29:], CACHE["associated_data"].encode())
    (size,) = struct.unpack(">I", plain[:4])
    assert json.loads(plain[4 : 4 + size]) == CACHE["nodes"]
    codes = base64.b64decode(CACHE["rows"])
    assert plain[4 + size :] == codes


def test_the_program_reads_the_caches_file(tmp_path: Path) -> None:
    """The same nodes and templates, under the file's name."""
    cache = TemplateCache(tmp_path, bytes.fromhex(CACHE["secret"]), least_rows=0)
    assert cache.path(CACHE["registry_id"]).name == CACHE["file_name"]
    cache.path(CACHE["registry_id"]).write_bytes(base64.b64decode(CACHE["file"]))
    gallery = cache.read(CACHE["registry_id"], bytes.fromhex(CACHE["generation"]), 3)
    assert gallery.counts() == [tuple(node) for node in CACHE["nodes"]]
    rows = np.frombuffer(base64.b64decode(CACHE["rows"]), np.int8).reshape(3, 512)
    assert np.array_equal(gallery.templates("ARC-1"), rows[:2])
    assert np.array_equal(gallery.templates("ARC-2"), rows[2:])
