"""The site's policy file: made once, respected for ever, refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from app.ledger.c2sp.cosignature import Cosigner
from app.ledger.c2sp.note import Signer, parse_note
from app.ledger.c2sp.policy import PolicyError, parse_policy
from app.ledger.log.keys import LogRing, Pair
from app.ledger.witnesses.site_policy import counted_twice, follow_keys, make_policy, read_policy
from tests.unit.ledger.c2sp.note_strategies import LOG, LOG_MLDSA, WITNESSES, cosigned, policy_text

LOGS = [LOG.verifier, LOG_MLDSA.key]
KEYS = {f"w{number + 1}": [cosigner.key for cosigner in pair] for number, pair in enumerate(WITNESSES)}


def test_there_is_none_at_first(tmp_path: Path) -> None:
    """A site without the file has no policy yet: that is no error."""
    assert read_policy(tmp_path / "policy", LOGS) is None


@pytest.mark.parametrize(
    ("times", "kinds", "met"),
    [({0: 5}, "em", False), ({0: 5, 2: 6}, "e", True), ({1: 5, 2: 6}, "m", True), ({0: 5, 1: 6, 2: 7}, "em", True)],
)
def test_the_default_wants_two_of_three_by_either_key(
    tmp_path: Path, times: dict[int, int], kinds: str, met: bool
) -> None:
    """Both keys of one witness count once; the file says what was made."""
    made = make_policy(tmp_path / "policy", LOGS, KEYS)
    assert read_policy(tmp_path / "policy", LOGS) == made
    assert (made.met_at(made.times(parse_note(cosigned(times, kinds=kinds).encode()))) is not None) is met


def test_what_an_operator_wrote_is_respected(tmp_path: Path) -> None:
    """Another quorum, other names, a URL: all as the file says."""
    text = policy_text(3).replace(WITNESSES[0][0].key.vkey, f"{WITNESSES[0][0].key.vkey} https://w.example/x/")
    (tmp_path / "policy").write_text("# ours\n\n" + text)
    policy = read_policy(tmp_path / "policy", LOGS)
    assert policy is not None
    assert policy.witnesses[0].url == "https://w.example/x/"
    assert policy.groups[-1].threshold == 3


@pytest.mark.parametrize(
    ("groups", "twice"),
    [
        ("group all-of-them 2 w0-ed25519 w0-mldsa w1-ed25519", True),
        ("group all-of-them 2 w0 w1-ed25519 w1-mldsa", True),
        ("group all-of-them any w0-ed25519 w0-mldsa w1-ed25519", False),
        ("group all-of-them all w0-ed25519 w0-mldsa w1-ed25519", False),
        ("group all-of-them 2 w0 w1-ed25519 w2-mldsa", False),
    ],
)
def test_keys_that_count_as_two_witnesses_are_found(groups: str, twice: bool) -> None:
    """Where one of them would be a quorum of two; a group that needs one member, or all, counts nobody twice."""
    taken = {word for word in groups.split() if word.startswith("w")}
    lines = [
        line
        for line in policy_text().splitlines()
        if not line.startswith(("group all", *(f"group {name.partition('-')[0]} " for name in taken if "-" in name)))
    ]
    policy = parse_policy("\n".join([*lines[:-1], groups, lines[-1], ""]).encode())
    assert (counted_twice(policy) is not None) is twice


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense\n", "Line 1"),
        ("", "no quorum"),
        (f"log {LOG.verifier.vkey}\nquorum none\n", "proves nothing"),
        (policy_text().replace("site.invalid/seal", "site.invalid/other"), "Line 1"),
        ("\n".join(line for line in policy_text().split("\n") if not line.startswith("log")), "does not name"),
        ("#" * 262_144 + "\n", "is too long for a policy"),
        ("#" * 262_143 + "\n", "no quorum"),
    ],
)
def test_what_cannot_be_used_is_told(tmp_path: Path, text: str, said: str) -> None:
    """With the file and what to do."""
    (tmp_path / "policy").write_text(text)
    with pytest.raises(PolicyError, match=said) as refused:
        read_policy(tmp_path / "policy", LOGS)
    assert str(tmp_path / "policy") in str(refused.value)


def test_a_directory_is_no_policy(tmp_path: Path) -> None:
    """What cannot be read is refused, never taken for none."""
    (tmp_path / "policy").mkdir()
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy(tmp_path / "policy", LOGS)


# --- replaced keys


def pair_of(origin: str, seed: int) -> Pair:
    raw = bytes([seed]) * 32
    signer = Signer(origin, Ed25519PrivateKey.from_private_bytes(raw))
    return Pair(signer, Cosigner(origin, MLDSA44PrivateKey.from_seed_bytes(raw)))


def lines_of(*keys: tuple[Pair, int]) -> list[str]:
    return [f"log {pair.keys[kind].vkey}" for pair, kind in keys]


OLD, NEXT, NEWEST = (pair_of("a.invalid/audit", seed) for seed in (41, 42, 43))
SEAL = pair_of("a.invalid/seal", 44)
ALL = lines_of(*((pair, kind) for kind in (0, 1) for pair in (OLD, NEXT, NEWEST)))
RINGS = [LogRing("a.invalid/audit", [OLD, NEXT, NEWEST]), LogRing("a.invalid/seal", [SEAL])]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Every key of its kind behind the last one that is named, in their order.
        (lines_of((OLD, 0), (OLD, 1)), lines_of((OLD, 0), (NEXT, 0), (NEWEST, 0), (OLD, 1), (NEXT, 1), (NEWEST, 1))),
        (
            lines_of((OLD, 0), (NEXT, 0), (OLD, 1)),
            lines_of((OLD, 0), (NEXT, 0), (NEWEST, 0), (OLD, 1), (NEXT, 1), (NEWEST, 1)),
        ),
        (lines_of((NEXT, 1)), lines_of((NEXT, 1), (NEWEST, 1))),
        # A policy that names one kind alone goes on with that; one that names all or none stays as it is.
        (lines_of((OLD, 0)), lines_of((OLD, 0), (NEXT, 0), (NEWEST, 0))),
        (lines_of((OLD, 0), (NEWEST, 0)), lines_of((OLD, 0), (NEWEST, 0))),
        (lines_of((SEAL, 0), (SEAL, 1)), lines_of((SEAL, 0), (SEAL, 1))),
        ([], []),
    ],
)
def test_a_policy_follows_the_logs_keys(tmp_path: Path, before: list[str], after: list[str]) -> None:
    """Each new key stands behind the one of its kind; all else stays, to the byte, also what is no UTF-8."""
    path = tmp_path / "policy"
    frame = b"# ours \xff\n%s\nlog\n witness x y\n\nquorum none\n"
    path.write_bytes(frame % "\n".join(before).encode())
    follow_keys(path, RINGS)
    assert path.read_bytes() == frame % "\n".join(after).encode()
    follow_keys(path, RINGS)
    assert path.read_bytes() == frame % "\n".join(after).encode()


def test_a_log_that_signs_by_one_kind_is_followed(tmp_path: Path) -> None:
    """A pair without a second key has none to add."""
    rings = [LogRing("a.invalid/audit", [Pair(OLD.signer, None), Pair(NEXT.signer, None)])]
    path = tmp_path / "policy"
    path.write_text("\n".join(lines_of((OLD, 0), (OLD, 1))))
    follow_keys(path, rings)
    assert path.read_text().split("\n") == lines_of((OLD, 0), (NEXT, 0), (OLD, 1))


def test_a_policy_that_cannot_be_followed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not there needs nothing; what cannot be read or written is refused with what to do."""
    path = tmp_path / "policy"
    follow_keys(path, RINGS)
    assert not path.exists()
    path.mkdir()
    with pytest.raises(PolicyError, match=r"policy cannot be read: Is a directory\. Make it readable"):
        follow_keys(path, RINGS)
    path.rmdir()
    path.write_text(lines_of((OLD, 0))[0])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.ledger.witnesses.site_policy.write_private", full)
    with pytest.raises(PolicyError, match=r"policy cannot be written: No space left on device\. Make room"):
        follow_keys(path, RINGS)
    assert path.read_text() == lines_of((OLD, 0))[0]
