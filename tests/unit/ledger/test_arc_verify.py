"""The verifier in one file: its signatures against known answers and another implementation, its policies against
ours, and that it needs nothing of the project."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from app.ledger.c2sp.note import NoteError, parse_note, signature_line
from app.ledger.c2sp.policy import PolicyError, parse_policy
from resources import arc_verify
from tests.unit.ledger.c2sp.note_strategies import LOG, ORIGIN, WITNESSES, cosigned, policy_text

FILE = Path(arc_verify.__file__)

# RFC 8032 section 7.1: public key, message, signature.
RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe"
        "24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302a"
        "eeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed2"
        "8dc027beceea1ec40a",
    ),
]

Verify = Callable[[bytes, bytes, bytes], bool]


@pytest.mark.parametrize(("public", "message", "signature"), RFC_8032)
def test_ed25519_known_answers(public: str, message: str, signature: str) -> None:
    """The standard's own vectors are accepted; each with one bit of the message more is not."""
    key, said, signed = bytes.fromhex(public), bytes.fromhex(message), bytes.fromhex(signature)
    assert arc_verify.ed25519(key, said, signed)
    assert not arc_verify.ed25519(key, said + b"\1", signed)


def test_ed25519_is_strict() -> None:
    """A scalar beyond the group's order, a key that is no canonical encoding, other lengths: refused."""
    public, message, signature = (bytes.fromhex(part) for part in RFC_8032[1])
    larger = int.from_bytes(signature[32:], "little") + arc_verify.L
    assert not arc_verify.ed25519(public, message, signature[:32] + larger.to_bytes(32, "little"))
    assert not arc_verify.ed25519((arc_verify.P + 1).to_bytes(32, "little"), message, signature)
    assert not arc_verify.ed25519(public, message, signature[:-1])
    assert not arc_verify.ed25519(public[:-1], message, signature)


@pytest.mark.parametrize(
    ("make", "verify"),
    [(Ed25519PrivateKey.generate, arc_verify.ed25519), (MLDSA44PrivateKey.generate, arc_verify.mldsa44)],
)
def test_another_implementation_signs(make: Callable[[], Ed25519PrivateKey], verify: Verify) -> None:
    """Fresh keys of ``cryptography``: every good signature is accepted, every edited one, key and message refused."""
    dice = random.Random(8032)
    for length in (0, 1, 31, 200, 5000):
        key, message = make(), dice.randbytes(length)
        public, signature = key.public_key().public_bytes_raw(), key.sign(message)
        assert verify(public, message, signature)
        assert not verify(public, message + b"\0", signature)
        for _ in range(4):
            assert not verify(public, message, edited(signature, dice))
            assert not verify(edited(public, dice), message, signature)


def edited(data: bytes, dice: random.Random) -> bytes:
    """``data`` with one bit turned."""
    at = dice.randrange(8 * len(data))
    changed = bytearray(data)
    changed[at // 8] ^= 1 << at % 8
    return bytes(changed)


def test_mldsa_hints_have_one_form() -> None:
    """What FIPS 204 calls a malformed hint: positions that do not rise, counts that fall, rubbish behind them."""
    good = bytes([3, 7, 9]) + bytes(77) + bytes([2, 2, 3, 3])
    assert arc_verify.hints(good) == [{3, 7}, set(), {9}, set()]
    assert arc_verify.hints(bytes([7, 3, 9]) + good[3:]) is None
    assert arc_verify.hints(bytes([7, 7, 9]) + good[3:]) is None
    assert arc_verify.hints(good[:80] + bytes([2, 1, 3, 3])) is None
    assert arc_verify.hints(good[:80] + bytes([2, 2, 3, 81])) is None
    assert arc_verify.hints(good[:79] + b"\1" + good[80:]) is None


POLICY = policy_text()
WITNESS = next(line for line in POLICY.splitlines() if line.startswith("witness"))
BAD_POLICIES = [
    POLICY[:-1],
    POLICY.replace("quorum all-of-them\n", ""),
    POLICY + "quorum w0\n",
    POLICY.replace("quorum all-of-them", "quorum unheard-of"),
    POLICY.replace("all-of-them 2", "all-of-them 4"),
    POLICY.replace("all-of-them 2", "all-of-them 0"),
    POLICY.replace("all-of-them 2", "all-of-them 02"),
    POLICY + "group again any w0\n",
    POLICY + "group w0-ed25519 any w0\n",
    POLICY + "group empty any\n",
    POLICY + WITNESS.replace("w0-ed25519 ", "twice ") + "\n",
    POLICY.replace("log ", "witness w9 ", 1),
    POLICY + "host somewhere\n",
    POLICY.replace("+", "+0", 1),
    POLICY + "# a bell \a\n",
]


@pytest.mark.parametrize("text", BAD_POLICIES)
def test_policies_are_refused_as_ours_are(text: str) -> None:
    """Both readers refuse the same policies; what differs between them would be a hole in one."""
    with pytest.raises(PolicyError):
        parse_policy(text.encode())
    with pytest.raises(arc_verify.Bad):
        arc_verify.Policy(text.encode())


def test_a_quorum_of_nobody_is_refused() -> None:
    """``none`` is a policy, but a seal under it proves nothing."""
    with pytest.raises(arc_verify.Bad, match="proves nothing"):
        arc_verify.Policy(POLICY.replace("quorum all-of-them", "quorum none").encode())


@pytest.mark.parametrize("quorum", [1, 2, 3])
@pytest.mark.parametrize("kinds", ["e", "m", "em"])
@pytest.mark.parametrize("times", [{}, {0: 30}, {0: 30, 2: 20}, {0: 30, 1: 10, 2: 20}])
def test_the_quorum_is_met_when_ours_is(quorum: int, kinds: str, times: dict[int, int]) -> None:
    """Groups, thresholds and times: the same instant as ``app.ledger.c2sp.policy`` finds, or the same refusal."""
    text, note = policy_text(quorum), cosigned(times, kinds=kinds)
    policy = arc_verify.Policy(text.encode())
    try:
        at = parse_policy(text.encode()).check(parse_note(note.encode()))
    except NoteError:
        with pytest.raises(arc_verify.Bad):
            policy.met_at(arc_verify.Note(note))
    else:
        assert policy.met_at(arc_verify.Note(note)) == at


NOTE = cosigned({0: 10, 1: 20, 2: 30})
TEXT, LINES = NOTE.partition("\n\n")[0] + "\n\n", NOTE.partition("\n\n")[2].splitlines(keepends=True)
STRANGER = signature_line("stranger.invalid", b"1234", bytes(72))
OTHERS = {
    "as it was frozen": (LINES, True),
    "without the last witness": (LINES[:5], True),
    "two witnesses the other way round": ([LINES[0], *LINES[3:5], *LINES[1:3], *LINES[5:]], False),
    "both kinds of a witness the other way round": ([LINES[0], LINES[2], LINES[1], *LINES[3:]], False),
    "the log behind a witness": ([LINES[1], LINES[0], *LINES[2:]], False),
    "a line twice": ([*LINES[:2], *LINES[1:]], False),
    "the last line twice": ([*LINES, LINES[-1]], False),
    "a line of a stranger": ([*LINES, STRANGER], False),
    "a stranger before the log": ([STRANGER, *LINES], False),
    "a third key of a witness": ([*LINES, signature_line("w2.witness.invalid", b"1234", bytes(72))], False),
    "one more key of the log": ([LINES[0], signature_line(ORIGIN, b"1234", bytes(64)), *LINES[1:]], True),
    "two more keys of the log": ([LINES[0], *[signature_line(ORIGIN, bytes((n,)) * 4, bytes(64)) for n in (1, 2)],
                                  *LINES[1:]], False),
    "a known key's line that is wrong": ([*LINES[:5], signature_line("w2.witness.invalid", WITNESSES[2][0].key.key_id,
                                                                     bytes(72)), LINES[6]], False),
    "the log's line wrong": ([signature_line(ORIGIN, LOG.verifier.key_id, bytes(64)), *LINES[1:]], False),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_a_note_has_one_form(name: str) -> None:
    """Lines that nobody signed must not give one checkpoint many consensus seals, and a wrong line of a known key is a
    refusal (signed-note). Both readers say the same."""
    lines, good = OTHERS[name]
    note = TEXT + "".join(lines)
    ours, theirs = parse_policy(POLICY.encode()), arc_verify.Policy(POLICY.encode())

    def read() -> int:
        parsed = parse_note(note.encode())
        at = ours.check(parsed)
        ours.check_form(parsed)
        return at

    if good:
        assert read() == theirs.met_at(arc_verify.Note(note)) == 20
        return
    with pytest.raises(NoteError):
        read()
    with pytest.raises(arc_verify.Bad):
        theirs.met_at(arc_verify.Note(note))


@pytest.mark.parametrize("kind", ["ed25519", "mldsa"])
def test_a_policy_that_names_one_kind_of_keys_reads_every_note(kind: str) -> None:
    """The lines of the other kind stand beside; one more is too many."""
    other = "mldsa" if kind == "ed25519" else "ed25519"
    text = "".join(
        line.replace(f" w{at}-{other}", "") if line.startswith("group") else line
        for line in POLICY.splitlines(keepends=True)
        for at in [line[7:8]]
        if not (line.startswith("witness") and f"-{other} " in line)
    )
    ours, theirs = parse_policy(text.encode()), arc_verify.Policy(text.encode())
    ours.check_form(parse_note(NOTE.encode()))
    assert theirs.met_at(arc_verify.Note(NOTE)) == ours.check(parse_note(NOTE.encode())) == 20
    more = NOTE + signature_line("w2.witness.invalid", b"1234", bytes(72))
    with pytest.raises(NoteError, match="nobody in the policy"):
        ours.check_form(parse_note(more.encode()))
    with pytest.raises(arc_verify.Bad, match="nobody in the policy"):
        theirs.met_at(arc_verify.Note(more))


def test_it_is_one_file_for_python_3_8() -> None:
    """Its grammar is 3.8's, and it imports the standard library alone."""
    tree = ast.parse(FILE.read_text(), feature_version=(3, 8))
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= sys.stdlib_module_names


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    """No traceback: exit 1 and what is wrong."""
    command = [sys.executable, "-I", "-S", str(FILE), str(tmp_path / "none"), "--policy", str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("BAD   [Errno 2]")
