"""The vectors that ``app/ledger/README.md`` shows, recomputed: by the standard library where that is enough, and by
us."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from app.ledger.bundle import EvidenceBundleError, pack, unpack
from app.ledger.c2sp.cosignature import Cosigner, cosigned_message
from app.ledger.c2sp.note import Signer, checkpoint_text, parse_note
from app.ledger.c2sp.policy import parse_policy
from app.ledger.c2sp.proof import consensus_seal, parse_proof, proof_bytes, verify_proof
from app.ledger.log.keys import KeyStatement, Pair, check_rotation, sign_rotation
from app.ledger.tree.leaf import canonical, header_bytes, knot_id_of, payload_of, read_seal_header, words_of
from app.ledger.tree.tree import Tree, consistency_path, inclusion_path, tile_nodes, verify_consistency
from app.store.writer import ActOutcome, Leaf


def vector(name: str) -> Any:
    """A file of ``tests/vectors``."""
    return json.loads((Path(__file__).parents[2] / "vectors" / name).read_text(encoding="utf-8"))


LEAVES = vector("leaf-1.json")
PROOF = vector("proof-1.json")
HASHES = [bytes.fromhex(leaf["leaf_hash"]) for leaf in LEAVES["seal"]]


@pytest.mark.parametrize("leaf", [*LEAVES["seal"], LEAVES["audit"]])
def test_a_leaf_commits_to_its_payload(leaf: dict[str, Any]) -> None:
    """``body`` and leaf hash are SHA-256 of what the table says; payload and header are canonical."""
    salted = bytes.fromhex(leaf["salt_hex"]) + leaf["payload"].encode()
    header = json.loads(leaf["header"])
    assert hashlib.sha256(salted).hexdigest() == leaf["body"] == header["body"]
    assert hashlib.sha256(b"\x00" + leaf["header"].encode()).hexdigest() == leaf["leaf_hash"]
    assert canonical(json.loads(leaf["payload"])).decode() == leaf["payload"]
    assert header_bytes(read_seal_header(leaf["header"].encode())).decode() == leaf["header"]


def test_a_knot_is_named_by_its_first_leaf() -> None:
    """Crockford's base 32 of ten bytes; a later leaf names that leaf and keeps its knot's name."""
    first, other, later = LEAVES["seal"]
    assert [knot_id_of(HASHES[0]), knot_id_of(HASHES[1])] == [first["knot_id"], other["knot_id"]]
    assert later["knot_id"] == first["knot_id"]
    assert json.loads(later["payload"])["first_leaf"] == first["leaf_hash"]


def test_an_audit_leaf_is_made_of_its_entry() -> None:
    """Payload and words of the search."""
    at, clock = 1_700_000_000_000_000, 1_699_999_990_000_000
    detail = {"reason": "lost", "n": 3}
    leaf = Leaf("burn.executed", "key_1", ActOutcome.ACCEPTED, at, clock, "ARC-1", None, "req_0a", detail)
    assert (payload_of(leaf).decode(), words_of(leaf)) == (LEAVES["audit"]["payload"], LEAVES["audit"]["search_words"])


def test_the_root_is_of_three_leaves() -> None:
    """Nodes by the definition of RFC 6962, and by our tree; tile and entries of C2SP tlog-tiles."""
    pair = hashlib.sha256(b"\x01" + HASHES[0] + HASHES[1]).digest()
    root = hashlib.sha256(b"\x01" + pair + HASHES[2]).digest()
    tree = Tree()
    for leaf in HASHES:
        tree.append(leaf)
    assert root.hex() == tree.root().hex() == PROOF["root_hex"]
    assert b"".join(HASHES).hex() == tree.open_tiles()[0].hex() == PROOF["tile_0_000_p_3_hex"]
    headers = [leaf["header"].encode() for leaf in LEAVES["seal"]]
    assert b"".join(len(raw).to_bytes(2) + raw for raw in headers).hex() == PROOF["entries_000_p_3_hex"]


def test_the_note_is_signed_by_the_seeds() -> None:
    """Checkpoint, the log's line and the witnesses' lines, to the byte: Ed25519 has one signature for one message."""
    text = checkpoint_text(PROOF["origin"], 3, bytes.fromhex(PROOF["root_hex"]))
    log = Signer(PROOF["origin"], Ed25519PrivateKey.from_private_bytes(bytes.fromhex(PROOF["log_ed25519_seed_hex"])))
    witnesses = [
        Cosigner(f"w{number}.witness.invalid", Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed)))
        for number, seed in enumerate(PROOF["witness_ed25519_seeds_hex"])
    ]
    note = log.sign(text) + witnesses[0].line(text, 1_700_000_010) + witnesses[2].line(text, 1_700_000_012)
    assert (text, note) == (PROOF["checkpoint"], PROOF["note"])
    assert [log.verifier.vkey, *(one.key.vkey for one in witnesses)] == [PROOF["log_vkey"], *PROOF["witness_vkeys"]]
    assert hashlib.sha256(text.encode()).hexdigest() == PROOF["stamp_imprint_hex"]


def test_the_proof_proves_entry_1() -> None:
    """Its bytes, its seal, and what it proves under the policy: the quorum's time is the second witness's."""
    node = tile_nodes(lambda _level, _index: b"", 3, [b"".join(HASHES)])
    made = proof_bytes(1, inclusion_path(node, 1, 3), PROOF["note"])
    assert made.decode() == PROOF["proof"]
    assert consensus_seal(made) == PROOF["consensus_seal"]
    assert f"0x{hashlib.sha256(b'arc-knot-seal/v1' + bytes((10,)) + made).hexdigest()}" == PROOF["consensus_seal"]
    proven = verify_proof(parse_proof(made), HASHES[1], parse_policy(PROOF["policy"].encode()))
    assert (proven.origin, proven.size, proven.quorum_at) == (PROOF["origin"], 3, PROOF["quorum_at"])


def test_the_tree_continues_its_first_leaf() -> None:
    """The consistency proof from one entry to three."""
    node = tile_nodes(lambda _level, _index: b"", 3, [b"".join(HASHES)])
    path = consistency_path(node, 1, 3)
    assert [step.hex() for step in path] == PROOF["consistency_1_to_3_hex"]
    assert verify_consistency(1, 3, path, HASHES[0], bytes.fromhex(PROOF["root_hex"]))


def test_cosignatures_sign_these_bytes() -> None:
    """Both messages field by field; the ML-DSA line, which has no one signature, verifies."""
    found = vector("cosignature-1.json")
    name, time_s, text = found["name"].encode(), found["time"], PROOF["checkpoint"]
    plain = b"cosignature/v1\ntime %d\n" % time_s + text.encode()
    label = b"subtree/v1\n\0" + bytes((len(name),)) + name + time_s.to_bytes(8) + bytes((len(name),)) + name
    tree = label + (0).to_bytes(8) + (3).to_bytes(8) + bytes.fromhex(PROOF["root_hex"])
    assert [plain.hex(), tree.hex()] == [found["message_0x04_hex"], found["message_0x06_hex"]]
    assert cosigned_message(0x06, found["name"], text, time_s) == tree
    key = Cosigner(found["name"], MLDSA44PrivateKey.from_seed_bytes(bytes.fromhex(found["mldsa44_seed_hex"]))).key
    assert hashlib.sha256(key.vkey.encode()).hexdigest() == found["mldsa44_vkey_sha256"]
    assert key.key_id.hex() == found["mldsa44_key_id_hex"]
    assert key.time_of(parse_note(f"{text}\n{found['line_0x06']}".encode())) == time_s


def test_a_replacement_of_keys_is_this_statement() -> None:
    """The text from the seeds; each of the four signatures verifies."""
    found = vector("log-key-1.json")
    pairs = []
    for ed25519, mldsa44 in (found["old_seeds_hex"], found["new_seeds_hex"]):
        signer = Signer(PROOF["origin"], Ed25519PrivateKey.from_private_bytes(bytes.fromhex(ed25519)))
        cosigner = Cosigner(PROOF["origin"], MLDSA44PrivateKey.from_seed_bytes(bytes.fromhex(mldsa44)))
        pairs.append(Pair(signer, cosigner))
    assert sign_rotation(PROOF["origin"], pairs[0], pairs[1], found["until"]).statement == found["statement"]
    rotation = check_rotation(KeyStatement(found["statement"], found["signatures"]))
    assert [list(rotation.old), list(rotation.new)] == [pair.keys for pair in pairs]


def test_a_bundle_is_this_zip() -> None:
    """To the byte; with one byte more it is refused."""
    found = vector("zip-1.json")
    files = {name: text.encode() for name, text in found["files"].items()}
    assert pack(files).hex() == found["zip_hex"]
    assert unpack(bytes.fromhex(found["zip_hex"])) == files
    with pytest.raises(EvidenceBundleError):
        unpack(bytes.fromhex(found["zip_hex"]) + b"\0")


def test_keys_are_named_by_their_hash() -> None:
    """The key id in a vkey: SHA-256(name || newline || type || key), four bytes."""
    name, key_id, coded = PROOF["log_vkey"].split("+", 2)
    assert hashlib.sha256(name.encode() + b"\n" + base64.b64decode(coded)).hexdigest()[:8] == key_id


def test_the_page_shows_these_values() -> None:
    """What a reader copies from the page is what the files hold."""
    page = (Path(__file__).parents[3] / "app" / "ledger" / "README.md").read_text(encoding="utf-8")
    first = LEAVES["seal"][0]
    shown = [first[name] for name in ("payload", "header", "leaf_hash", "knot_id")]
    shown += [PROOF[name] for name in ("root_hex", "note", "consensus_seal", "stamp_imprint_hex")]
    assert [text for text in shown if text not in page] == []
