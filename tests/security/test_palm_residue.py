"""The real service keeps nothing of a palm that it judged: not in memory, not in a file.

Templates here are random directions, signed by a terminal of the test's own: what is looked for is then nowhere else.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicNumbers,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from numpy.typing import NDArray

from app.site.site import Site
from hardware.terminals.bundle import open_bundle
from hardware.terminals.enrolment import enrol
from hardware.terminals.frame import ENROL_INTENT, PalmFrame, TemplateKind, pack, registry_tag, sign
from hardware.terminals.keystone import terminal_tag
from hardware.terminals.synthetic_palms import SyntheticPalm
from tests.memory_scan import Needles, contents, regions
from tests.served_site import ServedSite
from tests.service.api.api_site import read_answer, status

TERMINAL = "palm-scanned"
BUNDLED = "palm-bundled"
OPENS = generate_private_key(SECP256R1())
REQUESTS = 100
Templates = NDArray[np.int8]


def p256(key: EllipticCurvePrivateKey) -> dict[str, str]:
    numbers = key.public_key().public_numbers()
    x, y = (base64.urlsafe_b64encode(one.to_bytes(32, "big")).rstrip(b"=").decode() for one in (numbers.x, numbers.y))
    return {"kty": "EC", "crv": "P-256", "x": x, "y": y}


def ed25519(key: Ed25519PrivateKey | None = None) -> dict[str, str]:
    raw = (key or Ed25519PrivateKey.generate()).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return {"kty": "OKP", "crv": "Ed25519", "x": base64.urlsafe_b64encode(raw).rstrip(b"=").decode()}


class Scanner:
    """A terminal that makes frames of whatever it is given."""

    def __init__(self, site: ServedSite) -> None:
        self._key = Ed25519PrivateKey.generate()
        self._counter = itertools.count(1)
        answer = site.put(f"/v1/registry/terminals/{TERMINAL}", {"kind": "palm", "public_key": ed25519(self._key)})
        assert answer.status_code == 201, answer.text

    def frame(self, templates: Templates, intent: str) -> bytes:
        packed = pack(
            PalmFrame(
                alg=1,
                kind=TemplateKind.ENROL if intent == ENROL_INTENT else TemplateKind.PROBE,
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
    """A training site in a process of its own, which takes more than one key may send. Its registry has its key: the
    first bundle made it."""
    made = ServedSite(tmp_path_factory.mktemp("residue") / "site")
    path = Site.open(made.data_dir, "training").data_dir / "site.json"
    rates = {f"{kind}_{word}": 10_000 for kind in ("enrol", "write") for word in ("per_minute", "burst")}
    path.write_text(json.dumps({**json.loads(path.read_text()), "settings": {"rates": rates}}))
    with made.running():
        body = {"kind": "palm", "public_key": ed25519(), "encryption_key": p256(OPENS), "offline": True}
        assert made.put(f"/v1/registry/terminals/{BUNDLED}", body).status_code == 201
        assert made.client.get(f"/v1/registry/terminals/{BUNDLED}/bundle").status_code == 200
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


def of_frame(views: Templates) -> bytes:
    """What is looked for of a frame's views: from where base64 of the frame (56 bytes before them) is base64 of them
    too."""
    return views.tobytes()[1:]


def codes(row: Templates) -> bytes:
    """As the gallery keeps a template: the value plus 128."""
    return (row.view(np.uint8) ^ 128).tobytes()


def cut(site: ServedSite, method: str, path: str, body: bytes, *, whole: bool = False) -> socket.socket:
    """A request of which all but the end is there (or all of it), and nobody who waits for the answer yet."""
    host, port = site.base_url.removeprefix("http://").split(":")
    lines = (
        f"{method} {path} HTTP/1.1",
        f"Host: {host}:{port}",
        f"Authorization: {site.client.headers['Authorization']}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    )
    connection = socket.create_connection((host, int(port)), timeout=60)
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode() + (body if whole else body[:-3]))
    return connection


def left_alone(site: ServedSite, method: str, path: str, body: bytes, values: list[bytes]) -> None:
    """``REQUESTS`` callers who leave, half of them when all was sent, and as many whose bodies never end: while these
    are waited for, the scan finds what they sent (its control); afterwards it finds nothing."""
    for number in range(REQUESTS):
        cut(site, method, path, body, whole=bool(number % 2)).close()
    with contextlib.ExitStack() as open_:
        waiting = [open_.enter_context(cut(site, method, path, body)) for _ in range(REQUESTS)]
        needles = [Needles.of(value) for value in values]
        site.wait(lambda: all(any(one.in_bytes(region) for region in regions(site.pid)) for one in needles))
        answers = [status(read_answer(one)) for one in waiting]
    assert set(answers) == {408}
    assert residue(site, values) == {}


def enrolled(site: ServedSite, scanner: Scanner, node_id: str, centre: NDArray[np.float64]) -> list[bytes]:
    """Enrols somebody; the views that were sent."""
    samples = [around(centre) for _ in range(3)]
    body: dict[str, Any] = {"samples": [text(scanner.frame(views, ENROL_INTENT)) for views in samples]}
    answer = site.put(f"/v1/registry/nodes/{node_id}/palm", body)
    assert answer.status_code == 200, answer.text
    return [of_frame(views) for views in samples]


def test_judged_palms_leave_nothing(site: ServedSite, scanner: Scanner) -> None:
    """Matches and strangers, and the samples of the enrolment before them."""
    centre = np.random.default_rng().standard_normal(512)
    sent = enrolled(site, scanner, "ARC-T0001", centre)
    palms = around(), around(centre)
    for number in range(REQUESTS):
        answer = verify(site, scanner.frame(palms[number % 2], "LOGIN"))
        assert answer.status_code == 200, answer.text
        assert answer.json()["verified"] == bool(number % 2), answer.text
    assert residue(site, [*sent, *(of_frame(views) for views in palms)]) == {}


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
    assert residue(site, [of_frame(views)]) == {}


def test_palms_that_never_came_leave_nothing(site: ServedSite, scanner: Scanner) -> None:
    """A terminal that is cut off in the middle of its frame, or falls silent."""
    views = around()
    body = {"dermal_vector": text(scanner.frame(views, "LOGIN")), "terminal_id": TERMINAL, "intent": "LOGIN"}
    left_alone(site, "POST", "/v1/ambient/palm-verify", json.dumps(body).encode(), [of_frame(views)])


def test_enrolments_leave_nothing(site: ServedSite, scanner: Scanner) -> None:
    """A hundred: frames, pictures and features, each with the row that was made of them."""
    node_id = "ARC-T0003"
    views = [around(centre) for centre in [np.random.default_rng().standard_normal(512)] for _ in range(3)]
    pictures = [SyntheticPalm("residue", "1").shot(number).tobytes() for number in range(3)]
    centre = np.random.default_rng().standard_normal(512)
    features = [(centre + 0.3 * np.random.default_rng().standard_normal(512)).astype("<f4").tobytes() for _ in range(3)]
    for number in range(REQUESTS):
        match number % 3:
            case 0:
                samples = [text(scanner.frame(one, ENROL_INTENT)) for one in views]
            case 1:
                samples = [text(one) for one in pictures]
            case _:
                samples = [text(one) for one in features]
        answer = site.put(f"/v1/registry/nodes/{node_id}/palm", {"samples": samples})
        assert answer.status_code == 200, answer.text
    made = enrol(views).row
    sent = [*(of_frame(one) for one in views), *pictures, *features]
    assert residue(site, [*sent, made.tobytes()]) == {}
    # The last one was of frames: its row is where it belongs.
    assert set(residue(site, [codes(made)])) == {0}


def test_refused_enrolments_leave_nothing(site: ServedSite, scanner: Scanner) -> None:
    """Too few, unlike each other, forged, used before, no base64, of a wrong size, of nobody, with a field too many."""
    views = [around() for _ in range(3)]
    kept: list[str] = []
    for number in range(REQUESTS):
        frames = [text(scanner.frame(one, ENROL_INTENT)) for one in views]
        body: dict[str, Any] = {"samples": frames}
        node_id, expected = "ARC-T0004", 422
        match number % 8:
            case 0:
                body["samples"] = frames[:2]
            case 1:
                pass
            case 2:
                forged = scanner.frame(views[2], ENROL_INTENT)
                body["samples"], expected = [*frames[:2], text(forged[:-1] + bytes([forged[-1] ^ 1]))], 403
            case 3:
                kept = [text(scanner.frame(views[0], ENROL_INTENT)) for _ in range(3)]
                assert site.put(f"/v1/registry/nodes/{node_id}/palm", {"samples": kept}).status_code == 200
                body["samples"], expected = kept, 409
            case 4:
                body["samples"] = [*frames[:2], frames[2] + "*"]
            case 5:
                body["samples"] = [*frames[:2], frames[2][:-400]]
            case 6:
                node_id, expected = "ARC-NOBODY", 404
            case _:
                body["more"] = 1
        answer = site.put(f"/v1/registry/nodes/{node_id}/palm", body)
        assert answer.status_code == expected, (number, answer.text)
    assert residue(site, [of_frame(one) for one in views]) == {}


def test_enrolments_that_never_came_leave_nothing(site: ServedSite, scanner: Scanner) -> None:
    """Those who leave, and those whose body never ends. What came whole is enrolled, though nobody hears of it."""
    views = [around() for _ in range(3)]
    body = {"samples": [text(scanner.frame(one, ENROL_INTENT)) for one in views]}
    path = "/v1/registry/nodes/ARC-T0005/palm"
    left_alone(site, "PUT", path, json.dumps(body).encode(), [of_frame(one) for one in views])


def test_bundles_leave_nothing(site: ServedSite) -> None:
    """A hundred bundles with a partition: the seed is nowhere in the service, nor a template but in the gallery."""
    row = around(None, 1)
    assert site.put("/v1/registry/nodes/ARC-T0006/stylized", {"samples": [text(row.tobytes())]}).status_code == 200
    keys = []
    for one in site.get("/v1/deliveries/keys")["keys"]:
        x_, y_ = (int.from_bytes(base64.urlsafe_b64decode(one[name] + "="), "big") for name in ("x", "y"))
        keys.append(EllipticCurvePublicNumbers(x_, y_, SECP256R1()).public_key())
    values = set()
    for _ in range(REQUESTS):
        answer = site.client.get(f"/v1/registry/terminals/{BUNDLED}/bundle")
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/jose"), answer.text
        bundle = open_bundle(answer.content, OPENS, keys, terminal_id=BUNDLED, now_s=time.time())
        assert bundle.templates.tobytes().count(row.tobytes()) == 1
        values.add(bytes(bundle.seed))
    (seed,) = values
    # Wherever it stood in the text: at each of the three ways in which base64 may fall on it.
    wanted = [one[at : at + 30] for one in (seed, row.tobytes()) for at in range(3)]
    assert residue(site, wanted) == {}
    assert set(residue(site, [codes(row[0])])) == {0}


def test_stylized_templates_leave_nothing_but_their_row(site: ServedSite) -> None:
    """Probes are gone at once; the stored row is in memory until the burn, and then nowhere: neither there nor, sealed,
    in the store's file or its WAL."""
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
    assert residue(site, [codes(row)])
    sealed = sealed_rows(site, "ARC-T0002")
    assert in_files(site, sealed)
    burn = {"node_id": "ARC-T0002", "scope": "LOCAL_ONLY", "reason": "drill of the residue"}
    answer = site.post("/v1/citadel/uac/burn", burn)
    assert answer.status_code == 202, answer.text
    # A terminal that may decide alone has not fetched another bundle: the burn says until when.
    (left,) = [one for one in answer.json()["residual_exposure"] if BUNDLED in one["what"]]
    assert left["until"] is not None
    assert residue(site, [codes(row), row.tobytes()]) == {}
    assert not in_files(site, sealed)


def test_refused_stylized_templates_leave_nothing(site: ServedSite) -> None:
    """Of a stale epoch, an unknown registry, a wrong size, no base64, with a field too many; cut off and silent."""
    row = around(None, 1)[0].tobytes()
    good = {"stylized_template": text(row), "registry_id": "default", "key_epoch": 1}
    cases: list[tuple[dict[str, Any], int]] = [
        ({"key_epoch": 2}, 409),
        ({"registry_id": "nowhere"}, 404),
        ({"stylized_template": text(row[:-1])}, 422),
        ({"stylized_template": text(row) + "*"}, 422),
        ({"more": 1}, 422),
    ]
    for number in range(REQUESTS):
        changed, expected = cases[number % len(cases)]
        answer = site.post("/v1/ambient/verify/stylized", {**good, **changed})
        assert answer.status_code == expected, answer.text
    assert residue(site, [row]) == {}
    left_alone(site, "POST", "/v1/ambient/verify/stylized", json.dumps(good).encode(), [row])


def test_the_erasure_of_a_person_takes_the_template_too(site: ServedSite) -> None:
    """By two keys; counted, gone from the gallery, and gone, sealed, from the file and its WAL."""
    node_id = "ARC-T0007"
    row = around(None, 1)[0]
    assert site.put(f"/v1/registry/nodes/{node_id}/stylized", {"samples": [text(row.tobytes())]}).status_code == 200
    sealed = sealed_rows(site, node_id)
    assert in_files(site, sealed)
    asked = {"kind": "erase", "subjects": [node_id], "reason": "asked for by the person"}
    headers = {"Authorization": f"Bearer {site.key_of_another()}"}
    approval_id = site.post("/v1/citadel/uac/approvals", asked).json()["approval_id"]
    with httpx.Client(base_url=site.base_url, headers=headers, trust_env=False) as second:
        assert second.post(f"/v1/citadel/uac/approvals/{approval_id}/approve").status_code == 200
    erasure = {"node_id": node_id, "legal_basis": "GDPR Art. 17(1)(b)", "approval_id": approval_id}
    answer = site.post("/v1/citadel/erasures", erasure)
    assert answer.status_code == 200, answer.text
    assert answer.json()["records"] >= 1
    assert any(BUNDLED in sentence for sentence in answer.json()["kept"])
    assert residue(site, [codes(row), row.tobytes()]) == {}
    assert not in_files(site, sealed)


def sealed_rows(site: ServedSite, node_id: str) -> list[bytes]:
    """The node's templates as the store keeps them."""
    with contextlib.closing(sqlite3.connect(f"file:{site.data_dir / 'store.db'}?mode=ro", uri=True)) as store:
        found = [row[0] for row in store.execute("SELECT sealed FROM template WHERE node_id = ?", (node_id,))]
    assert found
    return found


def in_files(site: ServedSite, values: list[bytes]) -> list[Path]:
    """Files of the site with any of these in them, or with a part of one."""
    parts = [value[at : at + 32] for value in values for at in (40, 200, 400)]
    return [path for path, data in contents(site.data_dir) if any(part in data for part in parts)]
