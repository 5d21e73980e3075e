"""The real service keeps nothing of a palm that it judged: not in memory, not in a file (biometrics.md section 9).

Templates here are random directions, signed by a terminal of the test's own: what is looked for is then nowhere else.
"""

from __future__ import annotations

import base64
import itertools
import os
import time
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from numpy.typing import NDArray

from hardware.terminals.frame import ENROL_INTENT, Frame, Kind, pack, registry_tag, sign, terminal_tag
from tests.memory_scan import Needles, regions
from tests.served_site import ServedSite

TERMINAL = "palm-scanned"
REQUESTS = 100
Templates = NDArray[np.int8]


class Scanner:
    """A terminal that makes frames of whatever it is given."""

    def __init__(self, site: ServedSite) -> None:
        self._key = Ed25519PrivateKey.generate()
        self._counter = itertools.count(1)
        raw = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        jwk = {"kty": "OKP", "crv": "Ed25519", "x": base64.urlsafe_b64encode(raw).rstrip(b"=").decode()}
        answer = site.put(f"/v1/registry/terminals/{TERMINAL}", {"kind": "palm", "public_key": jwk})
        assert answer.status_code == 201, answer.text

    def frame(self, templates: Templates, intent: str) -> bytes:
        packed = pack(
            Frame(
                alg=1,
                kind=Kind.ENROL if intent == ENROL_INTENT else Kind.PROBE,
                registry_tag=registry_tag("default"),
                key_epoch=1,
                counter=next(self._counter),
                captured_ms=time.time_ns() // 1_000_000,
                nonce=os.urandom(12),
                terminal_tag=terminal_tag(TERMINAL),
                templates=templates,
                liveness=90,
            )
        )
        return sign(packed, self._key, TERMINAL, intent)


pytestmark = pytest.mark.campaign


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site in a process of its own."""
    made = ServedSite(tmp_path_factory.mktemp("residue") / "site")
    with made.running():
        yield made


@pytest.fixture(scope="module")
def scanner(site: ServedSite) -> Scanner:
    return Scanner(site)


def around(centre: NDArray[np.float64] | None = None, views: int = 25) -> Templates:
    """Templates near a direction (cosine about 0.9), or of one that nobody has."""
    random = np.random.default_rng()
    middle = random.standard_normal(512) if centre is None else centre
    found = middle + 0.4 * random.standard_normal((views, 512))
    found *= 724.0773439350247 / np.linalg.norm(found, axis=1, keepdims=True)
    return np.clip(np.rint(found), -127, 127).astype(np.int8)


def text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def verify(site: ServedSite, frame: bytes) -> httpx.Response:
    body = {"dermal_vector": text(frame), "terminal_id": TERMINAL, "intent": "LOGIN"}
    return site.post("/v1/ambient/palm-verify", body)


def residue(site: ServedSite, values: list[bytes]) -> dict[int, set[str]]:
    """Which of the values are left, and as what, in memory or in any file of the site."""
    site.wait(lambda: b"changes_in_progress 0" in site.client.get("/metrics").content)
    found: dict[int, set[str]] = {}
    memory = list(regions(site.pid))
    for number, value in enumerate(values):
        needles = Needles.of(value)
        names = set().union(*(needles.in_bytes(region) for region in memory))
        names |= needles.in_files(site.data_dir, site.log)
        if names:
            found[number] = names
    return found


def enrolled(site: ServedSite, scanner: Scanner, node_id: str, centre: NDArray[np.float64]) -> list[bytes]:
    """Enrols somebody; the views that were sent."""
    samples = [around(centre) for _ in range(3)]
    body: dict[str, Any] = {"samples": [text(scanner.frame(views, ENROL_INTENT)) for views in samples]}
    answer = site.put(f"/v1/registry/nodes/{node_id}/palm", body)
    assert answer.status_code == 200, answer.text
    return [views.tobytes() for views in samples]


def test_judged_palms_leave_nothing(site: ServedSite, scanner: Scanner) -> None:
    """Matches and strangers, and the samples of the enrolment before them."""
    centre = np.random.default_rng().standard_normal(512)
    sent = enrolled(site, scanner, "ARC-T0001", centre)
    palms = around(), around(centre)
    for number in range(REQUESTS):
        answer = verify(site, scanner.frame(palms[number % 2], "LOGIN"))
        assert answer.status_code == 200, answer.text
        assert answer.json()["verified"] == bool(number % 2), answer.text
    assert residue(site, [*sent, *(views.tobytes() for views in palms)]) == {}


def test_refused_palms_leave_nothing(site: ServedSite, scanner: Scanner) -> None:
    """Forged, replayed, stale, cut, of a wrong size, and with a field too many."""
    views = around()
    for number in range(REQUESTS):
        frame = scanner.frame(views, "LOGIN")
        match number % 5:
            case 0:
                answer, expected = verify(site, frame[:-1] + bytes([frame[-1] ^ 1])), 403
            case 1:
                verify(site, frame)
                answer, expected = verify(site, frame), 409
            case 2:
                answer, expected = verify(site, frame[:-1]), 422
            case 3:
                answer, expected = verify(site, frame[:20] + bytes(4) + frame[24:]), 403
            case _:
                body = {"dermal_vector": text(frame), "terminal_id": TERMINAL, "intent": "LOGIN", "more": 1}
                answer, expected = site.post("/v1/ambient/palm-verify", body), 422
        assert answer.status_code == expected, (number, answer.text)
    assert residue(site, [views.tobytes()]) == {}


def test_stylized_templates_leave_nothing_but_their_row(site: ServedSite) -> None:
    """Probes are gone at once; the stored row is in memory until the burn, and then nowhere."""
    centre = np.random.default_rng().standard_normal(512)
    row = around(centre, 1)[0]
    answer = site.put("/v1/registry/nodes/ARC-T0002/stylized", {"samples": [text(row.tobytes())]})
    assert answer.status_code == 200, answer.text
    probes = [around(one, 1)[0].tobytes() for one in (None, centre)]
    for number in range(REQUESTS):
        probe = probes[number % 2]
        body = {"stylized_template": text(probe), "registry_id": "default", "key_epoch": 1}
        found = site.post("/v1/ambient/verify/stylized", body)
        assert found.status_code == 200, found.text
        assert found.json()["match"] == bool(number % 2)
    assert residue(site, [*probes, row.tobytes()]) == {}
    # The gallery's code of a value is the value plus 128.
    stored = (row.view(np.uint8) ^ 128).tobytes()
    assert residue(site, [stored])
    burn = {"node_id": "ARC-T0002", "scope": "LOCAL_ONLY", "reason": "drill of the residue"}
    assert site.post("/v1/citadel/uac/burn", burn).status_code in (200, 202)
    assert residue(site, [stored, row.tobytes()]) == {}
