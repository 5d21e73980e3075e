"""The logs over HTTP, read by a reader of its own: it knows C2SP's texts and none of this program's code."""

from __future__ import annotations

import base64
import hashlib
import json
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.gateway.audit.logs.service import parse_tile_index
from app.site.settings import RateSettings
from tests.served_site import ServedSite

NODES = 620


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site whose audit log fills tiles, and whose newest checkpoint covers them."""
    rates = RateSettings(**dict.fromkeys(RateSettings.__struct_fields__, 1_000_000))
    served = ServedSite.laid_out(tmp_path_factory.mktemp("published") / "site", rates=rates)
    with served.running():
        for number in range(NODES - int(log_size(served))):
            body = {"display_name": "Training Person 90", "employee_id": f"X-{number:04}"}
            assert served.put(f"/v1/registry/nodes/ARC-X{number:04}", body).status_code == 201
        size = int(log_size(served))
        served.wait(lambda: checkpoint(served)[1] >= max(size, NODES), 60)
        yield served


def log_size(site: ServedSite) -> float:
    """Entries of the audit log, cosigned or not."""
    lines = site.client.get("/metrics").text.splitlines()
    figures = dict(line.rsplit(" ", 1) for line in lines if line.startswith("arc_ledger") and 'of="audit"' in line)
    return sum(float(value) for value in figures.values())


def checkpoint(site: ServedSite) -> tuple[str, int, bytes, list[str]]:
    """Origin, size, root and signature lines of the audit log's newest checkpoint; size 0 while there is none."""
    answer = site.client.get("/v1/log/audit/checkpoint")
    if answer.status_code == 404:
        return "", 0, b"", []
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    text, _, signatures = answer.text.partition("\n\n")
    origin, size, root = text.split("\n")
    return origin, int(size), base64.b64decode(root), signatures.splitlines()


def tile_path(index: int, width: int = 256) -> str:
    """As tlog-tiles writes it."""
    digits = f"{index:03}" if index < 1000 else f"x{index // 1000:03}/{index % 1000:03}"
    return digits if width == 256 else f"{digits}.p/{width}"


def fetch(site: ServedSite, path: str) -> bytes:
    """The octets of one resource under the audit log's prefix."""
    answer = site.client.get(f"/v1/log/audit/{path}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/octet-stream"
    return answer.content


def widths(size: int, level: int) -> Iterator[tuple[int, int]]:
    """Index and width of every tile of a level in a tree of ``size``."""
    count = size >> (8 * level)
    for index in range(0, count, 256):
        yield index // 256, min(256, count - index)


def root_of(leaves: list[bytes]) -> bytes:
    """RFC 6962 section 2.1, as it stands there."""
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + root_of(leaves[:k]) + root_of(leaves[k:])).digest()


def test_tiles_give_the_root_of_the_checkpoint(site: ServedSite) -> None:
    """Every leaf of every tile of level 0, hashed up, is what the log and its witnesses signed."""
    _, size, root, _ = checkpoint(site)
    leaves = b"".join(fetch(site, f"tile/0/{tile_path(index, width)}") for index, width in widths(size, 0))
    assert len(leaves) == 32 * size
    assert root_of([leaves[at : at + 32] for at in range(0, len(leaves), 32)]) == root


def test_entries_hash_to_their_tiles(site: ServedSite) -> None:
    """Each entry, after its length in two bytes, is the leaf of the same place; each is a header without a person."""
    _, size, _, _ = checkpoint(site)
    seq = 0
    for index, width in widths(size, 0):
        bundle = fetch(site, f"tile/entries/{tile_path(index, width)}")
        hashes = fetch(site, f"tile/0/{tile_path(index, width)}")
        at = 0
        for place in range(width):
            length = int.from_bytes(bundle[at : at + 2])
            entry = bundle[at + 2 : at + 2 + length]
            at += 2 + length
            assert hashlib.sha256(b"\x00" + entry).digest() == hashes[32 * place : 32 * place + 32]
            header = json.loads(entry)
            assert header["seq"] == seq
            assert set(header) == {"action", "actor", "body", "outcome", "seq", "ts", "v"}
            seq += 1
        assert at == len(bundle)
    assert seq == size


def test_higher_tiles_are_roots_of_full_ones(site: ServedSite) -> None:
    """Level 1 holds the root of each full tile of level 0, and of no other."""
    _, size, _, _ = checkpoint(site)
    ((index, width),) = widths(size, 1)
    above = fetch(site, f"tile/1/{tile_path(index, width)}")
    for full in range(width):
        below = fetch(site, f"tile/0/{tile_path(full)}")
        assert root_of([below[at : at + 32] for at in range(0, 8192, 32)]) == above[32 * full : 32 * full + 32]


def test_partial_tiles_are_cut_on_request(site: ServedSite) -> None:
    """From a full tile as from the open one: an older checkpoint's tiles stay there."""
    whole = fetch(site, "tile/0/000")
    for width in (1, 17, 255):
        assert fetch(site, f"tile/0/000.p/{width}") == whole[: 32 * width]


def test_an_encoded_path_is_the_same_tile(site: ServedSite) -> None:
    """As a client of the OpenAPI document writes the parameter."""
    assert fetch(site, "tile/0/001.p%2F4") == fetch(site, "tile/0/001.p/4")


@pytest.mark.parametrize(
    "path",
    [
        "tile/0/999",
        "tile/0/000.p/0",
        "tile/0/000.p/256",
        "tile/0/000.p/01",
        "tile/0/000.p",
        "tile/0/x000/000",
        "tile/0/0000",
        "tile/0/00",
        "tile/0/x001",
        "tile/0/001/x001",
        "tile/00/000",
        "tile/1/000",
        "tile/7/000.p/1",
        "tile/63/000.p/1",
        "tile/64/000.p/1",
        "tile/-1/000",
        "tile/0/x999/x999/x999/x999/x999/999",
        "tile/entries/x999/x999/x999/x999/x999/999",
        "tile/entries/999",
        "tile/entries",
        "tile/0/000/",
        "tile/0",
    ],
)
def test_what_the_log_does_not_hold_is_not_found(site: ServedSite, path: str) -> None:
    """Beyond its end, not full yet, or another way to write a number: 404 as a problem document."""
    answer = site.client.get(f"/v1/log/audit/{path}")
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


def test_the_checkpoint_carries_both_keys_of_the_log_and_a_quorum(site: ServedSite) -> None:
    """Log lines first, Ed25519 before ML-DSA; two witnesses at least, with two lines each, in the policy's order."""
    origin, size, root, lines = checkpoint(site)
    policy = site.client.get("/v1/log/policy")
    assert policy.status_code == 200
    rows = [line.split() for line in policy.text.splitlines()]
    logs = [row[1] for row in rows if row[0] == "log" and row[1].startswith(f"{origin}+")]
    names = [line.split(" ")[1] for line in lines]
    assert names[:2] == [origin, origin]
    assert len(names) >= 6
    assert names[2:] == sorted(names[2:])
    key = base64.b64decode(logs[0].split("+", 2)[2])
    assert key[0] == 1
    signed = base64.b64decode(lines[0].split(" ")[2])
    text = f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n".encode()
    Ed25519PublicKey.from_public_bytes(key[1:]).verify(signed[4:], text)


def test_an_audit_page_proves_its_entries_under_the_witnesses_checkpoint(site: ServedSite) -> None:
    """Each entry's second path leads to the root that a quorum cosigned, without any other question."""
    now = datetime.now(UTC)
    hour = timedelta(hours=1)
    span = {name: f"{at:%Y-%m-%dT%H:%M:%SZ}" for name, at in (("from", now - hour), ("to", now + hour))}
    query = {"range": span, "criteria": {"order": "asc", "limit": 200}}
    page = site.client.post("/v1/audit-log-query", params={"proofs": "true"}, json=query).json()
    origin, size, root = page["cosigned"].partition("\n\n")[0].split("\n")
    assert (origin, int(size) >= NODES) == (checkpoint(site)[0], True)
    assert page["cosigned"].count("\u2014 ") >= 4
    for entry in page["entries"]:
        found, low, high, steps = hashlib.sha256(b"\0" + entry["proof"]["header"].encode()).digest(), 0, int(size), []
        while high - low > 1:  # RFC 6962, 2.1.1: from the root down, which side the leaf is on
            half = 1 << (high - low - 1).bit_length() - 1
            right = entry["seq"] >= low + half
            steps.append(right)
            low, high = (low + half, high) if right else (low, low + half)
        path = [base64.b64decode(page["hashes"][at]) for at in entry["proof"]["cosigned_path"]]
        for step, right in zip(path, reversed(steps), strict=True):
            found = hashlib.sha256(b"\1" + (step + found if right else found + step)).digest()
        assert found == base64.b64decode(root)
    assert len(page["entries"]) == 200


def test_an_empty_log_has_no_checkpoint(site: ServedSite) -> None:
    """Nothing was sealed: 404 that says so, and no tile."""
    answer = site.client.get("/v1/log/seal/checkpoint")
    assert answer.status_code == 404
    assert "empty" in answer.json()["detail"]
    assert site.client.get("/v1/log/seal/tile/0/000.p/1").status_code == 404
    assert site.client.get("/v1/log/other/checkpoint").status_code == 404


def test_the_roots_are_certificates(site: ServedSite) -> None:
    """PEM that a verifier takes as its trust."""
    answer = site.client.get("/v1/log/roots")
    assert answer.headers["content-type"] == "application/pem-certificate-chain"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=answer.text)
    assert len(context.get_ca_certs()) == 1


def test_witnesses_are_told_and_none_is_independent(site: ServedSite) -> None:
    """Three local ones, up, with what they have seen; they prove order alone, and the reply says so."""
    found = site.get("/v1/log/witnesses")
    assert (found["standing"], found["independent"], len(found["items"])) == ("CONFIRMED", 0, 3)
    for item in found["items"]:
        assert item["independent"] is False
        assert item["state"] == "UP"
        assert item["audit_size"] >= NODES


def test_all_of_it_needs_a_key(site: ServedSite) -> None:
    """The headers name actors and times of everything: nobody reads them without a key."""
    for path in ("checkpoint", "tile/0/000", "tile/entries/000"):
        assert httpx.get(f"{site.base_url}/v1/log/audit/{path}", trust_env=False).status_code == 401
    for path in ("policy", "roots", "witnesses"):
        assert httpx.get(f"{site.base_url}/v1/log/{path}", trust_env=False).status_code == 401


@given(st.integers(0, 10**17), st.integers(1, 256))
def test_every_index_has_one_spelling(index: int, width: int) -> None:
    """What tlog-tiles writes is read back, and nothing but that."""
    digits = f"{index:d}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    parts = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    text = "/".join([*(f"x{part}" for part in parts[:-1]), parts[-1]]) + ("" if width == 256 else f".p/{width}")
    found = parse_tile_index(text)
    assert found is not None
    assert (found.index, found.width) == (index, width)


@given(st.text("0123456789x/.p", max_size=24))
def test_any_text_is_an_index_or_none(text: str) -> None:
    """One number, one text: what is read is written the same."""
    found = parse_tile_index(text)
    if found is not None:
        assert 1 <= found.width <= 256
        assert text.replace("x", "").replace("/", "").partition(".p")[0].lstrip("0") == str(found.index).lstrip("0")


def test_paths_are_told_in_the_document(site: ServedSite) -> None:
    """A tile's index is one parameter there, with slashes in its pattern."""
    paths = site.get("/v1/openapi.json")["paths"]
    tile = paths["/v1/log/{log}/tile/{level}/{index}"]["get"]
    assert [parameter["name"] for parameter in tile["parameters"]] == ["log", "level", "index"]
    assert "application/octet-stream" in tile["responses"]["200"]["content"]
