"""A witness answers as tlog-witness says, in its order, and never signs two trees."""

from __future__ import annotations

import base64
import hashlib
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from app.ledger.c2sp.note import Signer, checkpoint_text, parse_note
from app.ledger.tree.tree import EMPTY
from app.ledger.witnesses.client import request_body
from app.ledger.witnesses.witness import BODY_LIMIT, SIZE_TYPE, Witness, WitnessReply
from tests.unit.ledger.c2sp.note_strategies import LOG, LOG_MLDSA, ORIGIN, WITNESSES
from tests.unit.ledger.witnesses.growing_log import GrowingLog, open_witness

HASH_LINE = base64.b64encode(bytes(32)).decode()
ROOT = Path(__file__).parents[4]


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[Witness]:
    """A fresh one."""
    made = open_witness(tmp_path)
    yield made
    made.close()


def cosigned_by_both(reply: WitnessReply, note: str) -> bool:
    """Whether the reply is two signature lines, each valid over the note's text."""
    text = parse_note(note.encode()).text
    whole = parse_note(f"{text}\n{reply.body}".encode())
    return len(whole.signatures) == 2 and all(cosigner.key.time_of(whole) == 1_700_000_000 for cosigner in WITNESSES[0])


def test_a_growing_log_is_cosigned(witness: Witness) -> None:
    """From nothing, over powers of two and odd sizes, with both keys each time."""
    log, old = GrowingLog(), 0
    for size in (0, 1, 2, 3, 8, 9, 255, 256, 300):
        reply = witness.add_checkpoint(log.request(old, size))
        assert reply.status == 200
        assert cosigned_by_both(reply, log.note(size))
        old = size


def test_the_same_checkpoint_is_cosigned_again(witness: Witness) -> None:
    """A lost reply is asked for again with an empty proof."""
    log = GrowingLog()
    assert witness.add_checkpoint(log.request(0, 5)).status == 200
    assert cosigned_by_both(witness.add_checkpoint(log.request(5, 5)), log.note(5))


def test_a_log_that_signs_with_its_other_key_alone_is_known(witness: Witness) -> None:
    """One valid line of one trusted key is enough; lines of strangers beside it change nothing."""
    text = checkpoint_text(ORIGIN, 0, EMPTY)
    stranger = Signer(ORIGIN, Ed25519PrivateKey.from_private_bytes(b"\x66" * 32))
    note = stranger.sign(text) + LOG_MLDSA.line(text, 1)
    assert witness.add_checkpoint(request_body(0, [], note)).status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"old 0",
        b"old 0\n",
        b"old\n\n" + GrowingLog().note(1).encode(),
        b"old  0\n\n" + GrowingLog().note(1).encode(),
        b"old 00\n\n" + GrowingLog().note(1).encode(),
        b"old -1\n\n" + GrowingLog().note(1).encode(),
        b"old +1\n\n" + GrowingLog().note(1).encode(),
        b"old 1_0\n\n" + GrowingLog().note(1).encode(),
        b"OLD 0\n\n" + GrowingLog().note(1).encode(),
        b"old 0\r\n\r\n" + GrowingLog().note(1).encode(),
        "old \u0661\n\n".encode() + GrowingLog().note(1).encode(),
        b"old 10000000000000000000\n\n" + GrowingLog().note(1).encode(),
        b"old 0\nAAAA\n\n" + GrowingLog().note(1).encode(),
        b"old 0\n" + HASH_LINE[:-1].encode() + b"\n\n" + GrowingLog().note(1).encode(),
        b"old 0\n" + (HASH_LINE.encode() + b"\n") * 64 + b"\n" + GrowingLog().note(1).encode(),
        b"old 0\n\nno note",
        b"old 0\n\n" + LOG.sign("not a checkpoint\n").encode(),
        b"old 0\n\n" + GrowingLog().note(1).encode()[:-1],
    ],
)
def test_what_is_no_request_is_400(witness: Witness, body: bytes) -> None:
    """Before anything else; nothing is kept of it."""
    assert witness.add_checkpoint(body).status == 400
    assert witness.add_checkpoint(GrowingLog().request(0, 1)).status == 200


def test_a_size_beyond_every_log_is_400(witness: Witness) -> None:
    """Signed by the log itself: what no state could hold is refused before it is looked at."""
    note = LOG.sign(checkpoint_text(ORIGIN, 2**63, EMPTY))
    assert witness.add_checkpoint(request_body(0, [], note)).status == 400


def test_sixty_three_lines_are_read(witness: Witness) -> None:
    """The longest proof that the standard allows is no malformed request; that it proves nothing is another matter."""
    body = b"old 0\n" + (HASH_LINE.encode() + b"\n") * 63 + b"\n" + GrowingLog().note(1).encode()
    assert witness.add_checkpoint(body).status == 422


def test_a_request_beyond_its_limit_is_413(witness: Witness) -> None:
    """Longer than any checkpoint: not even looked at."""
    assert witness.add_checkpoint(b"x" * (BODY_LIMIT + 1)).status == 413
    assert witness.add_checkpoint(b"x" * BODY_LIMIT).status == 400


def test_an_unknown_log_is_404_before_its_signature_is_judged(witness: Witness) -> None:
    """The origin decides first: a good signature of a log that nobody configured is no matter."""
    stranger = Signer("other.example/log", Ed25519PrivateKey.from_private_bytes(b"\x66" * 32))
    assert witness.add_checkpoint(request_body(9, [], GrowingLog().note(1, stranger))).status == 404


def test_no_trusted_signature_is_403_before_sizes_are_judged(witness: Witness) -> None:
    """Another key under the log's name; an edited root under the log's own signature."""
    stranger = Signer(ORIGIN, Ed25519PrivateKey.from_private_bytes(b"\x66" * 32))
    assert witness.add_checkpoint(request_body(9, [], GrowingLog().note(1, stranger))).status == 403
    edited = GrowingLog().note(1).replace("\n1\n", "\n2\n", 1)
    assert witness.add_checkpoint(request_body(9, [], edited)).status == 403


def test_an_old_size_beyond_the_checkpoint_is_400_before_the_state_is_looked_at(witness: Witness) -> None:
    """Not 409, although the stored size differs as well."""
    assert witness.add_checkpoint(GrowingLog().request(4, 3)).status == 400


def test_another_old_size_is_409_with_the_stored_one(witness: Witness) -> None:
    """In decimal with a newline and the standard's media type; before the proof is judged."""
    log = GrowingLog()
    reply = witness.add_checkpoint(log.request(1, 3))
    assert (reply.status, reply.body, reply.media_type) == (409, "0\n", SIZE_TYPE)
    assert witness.add_checkpoint(log.request(0, 3)).status == 200
    for request in (log.request(0, 5), log.request(2, 5), request_body(0, [bytes(32)], log.note(5))):
        reply = witness.add_checkpoint(request)
        assert (reply.status, reply.body, reply.media_type) == (409, "3\n", SIZE_TYPE)


def test_a_tree_that_does_not_continue_is_422(witness: Witness) -> None:
    """A wrong, a missing, a superfluous proof; a fork. The state stays as it was."""
    log, fork = GrowingLog(), GrowingLog("fork", same=2)
    assert witness.add_checkpoint(request_body(0, [bytes(32)], log.note(3))).status == 422
    assert witness.add_checkpoint(log.request(0, 3)).status == 200
    for request in (
        request_body(3, [], log.note(5)),
        request_body(3, [bytes(32)] * 3, log.note(5)),
        request_body(3, [bytes(32)], log.note(3)),
        fork.request(3, 5),
    ):
        assert witness.add_checkpoint(request).status == 422
    assert witness.add_checkpoint(log.request(3, 5)).status == 200


@pytest.mark.parametrize("size", [0, 3])
def test_another_root_of_the_same_size_is_409(witness: Witness, size: int) -> None:
    """The standard's word for a fork at one size; it is no stored size, and says so by its media type."""
    assert witness.add_checkpoint(GrowingLog().request(0, size)).status == 200
    forked = LOG.sign(checkpoint_text(ORIGIN, size, b"\x05" * 32))
    reply = witness.add_checkpoint(request_body(size, [], forked))
    assert reply.status == 409
    assert reply.media_type != SIZE_TYPE


def test_the_newest_checkpoint_is_told(witness: Witness) -> None:
    """By the hash of its origin, with the log's verified line alone and fresh cosignatures; 404 before there is one."""
    log = GrowingLog()
    name = hashlib.sha256(ORIGIN.encode()).hexdigest()
    assert witness.checkpoint(name).status == 404
    assert witness.checkpoint("0" * 64).status == 404
    stranger = Signer("stranger.example", Ed25519PrivateKey.from_private_bytes(b"\x66" * 32))
    added = stranger.sign(parse_note(log.note(3).encode()).text).split("\n\n", 1)[1]
    false_line = LOG_MLDSA.line(checkpoint_text(ORIGIN, 4, EMPTY), 1)
    assert witness.add_checkpoint(log.request(0, 3, log.note(3) + added + false_line)).status == 200
    reply = witness.checkpoint(name)
    assert reply.status == 200
    note = parse_note(reply.body.encode())
    LOG.verifier.verify(note)
    assert [cosigner.key.time_of(note) for cosigner in WITNESSES[0]] == [1_700_000_000] * 2
    assert [line.name for line in note.signatures] == [ORIGIN, *[c.key.name for c in WITNESSES[0]]]


def test_a_restart_keeps_the_state(tmp_path: Path) -> None:
    """What was cosigned is remembered: the fork is refused by the next process, too."""
    first = open_witness(tmp_path)
    assert first.add_checkpoint(GrowingLog().request(0, 3)).status == 200
    first.close()
    second = open_witness(tmp_path)
    assert second.add_checkpoint(GrowingLog().request(0, 5)).body == "3\n"
    assert second.add_checkpoint(GrowingLog("fork", same=2).request(3, 5)).status == 422
    second.close()


def test_one_state_has_one_witness(tmp_path: Path) -> None:
    """A second one over the same file is refused: each could sign what the other has not seen."""
    first = open_witness(tmp_path)
    other = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sqlite3; sqlite3.connect({str(tmp_path / 'witness.db')!r}, timeout=0)"
            ".execute('SELECT size FROM seen')",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    first.close()
    assert "database is locked" in other.stderr


@pytest.mark.parametrize("size", [0, 1, 2, 3] * 5)
def test_of_two_at_once_one_is_cosigned(witness: Witness, size: int) -> None:
    """Two branches race from one state: exactly one wins, the other is told the new size."""
    assert witness.add_checkpoint(GrowingLog().request(0, size)).status == 200
    barrier = threading.Barrier(2)
    replies: list[WitnessReply] = []

    def submit(branch: GrowingLog) -> None:
        request = branch.request(size, size + 1)
        barrier.wait()
        replies.append(witness.add_checkpoint(request))

    branches = [GrowingLog("one", same=size), GrowingLog("other", same=size)]
    threads = [threading.Thread(target=submit, args=(branch,)) for branch in branches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((reply.status, reply.media_type == SIZE_TYPE) for reply in replies) == [(200, False), (409, True)]


_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.unit.ledger.witnesses.growing_log import GrowingLog, open_witness
from tests.unit.ledger.c2sp.note_strategies import WITNESSES

class Killed:
    key = WITNESSES[0][0].key
    def line(self, text, time_s):
        os.kill(os.getpid(), signal.SIGKILL)

open_witness(Path(sys.argv[1]), (Killed(),)).add_checkpoint(GrowingLog().request(0, 3))
"""


def test_killed_between_commit_and_reply_it_remembers(tmp_path: Path) -> None:
    """Nothing was signed, yet the tree is bound: the same checkpoint is cosigned after the restart, a fork is not."""
    child = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path)], cwd=ROOT, check=False)
    assert child.returncode == -signal.SIGKILL
    again = open_witness(tmp_path)
    assert again.add_checkpoint(GrowingLog().request(0, 3)).body == "3\n"
    assert again.add_checkpoint(GrowingLog("fork").request(3, 3)).status == 409
    assert again.add_checkpoint(GrowingLog().request(3, 3)).status == 200
    again.close()


def test_a_state_that_cannot_be_kept_signs_nothing(tmp_path: Path) -> None:
    """A full disk raises; afterwards the witness is where it was."""
    witness = open_witness(tmp_path)
    assert witness.add_checkpoint(GrowingLog().request(0, 1)).status == 200
    witness._file.execute("PRAGMA max_page_count=1")
    big = GrowingLog().note(2) + "".join(
        LOG_MLDSA.line(checkpoint_text(ORIGIN, 2, EMPTY), time_s) for time_s in range(20)
    )
    lines = [big[:-1], *[LOG.sign(parse_note(GrowingLog().note(2).encode()).text).split("\n\n", 1)[1][:-1]] * 60]
    with pytest.raises(sqlite3.Error):
        witness.add_checkpoint(GrowingLog().request(1, 2, "\n".join(lines) + "\n"))
    assert witness.add_checkpoint(GrowingLog().request(0, 2)).body == "1\n"
    witness.close()


_PIECES = st.sampled_from(
    [b"old 0", b"old 3", b"\n", b"\n\n", HASH_LINE.encode(), b"\xff", b"\x00", b" ", ORIGIN.encode(), b"3",
     GrowingLog().note(3).encode(), "\u2014 x AAAA\n".encode()]
)  # fmt: skip


@pytest.fixture(scope="module")
def busy_witness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Witness]:
    """One for many requests."""
    made = open_witness(tmp_path_factory.mktemp("witness"))
    yield made
    made.close()


@settings(max_examples=500)
@given(st.one_of(st.binary(max_size=400), st.lists(_PIECES, max_size=12).map(b"".join)))
def test_any_bytes_are_answered(busy_witness: Witness, body: bytes) -> None:
    """Never an exception, and 200 for nothing but a whole request."""
    reply = busy_witness.add_checkpoint(body)
    assert reply.status in {200, 400, 403, 404, 409, 422}
    if reply.status == 200:
        assert body.startswith((b"old 0\n\n" + ORIGIN.encode() + b"\n3\n", b"old 3\n\n" + ORIGIN.encode() + b"\n3\n"))
