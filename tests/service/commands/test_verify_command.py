"""``arc-console verify`` as a person calls it: exit codes, words, JSON, and whom it trusts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from app.__main__ import main
from tests.service.capabilities.provenance.sealed_knots import SealedKnots


@pytest.fixture(scope="module")
def knots(tmp_path_factory: pytest.TempPathFactory) -> SealedKnots:
    """A site's knots; its directory has store and policy."""
    found = SealedKnots(tmp_path_factory.mktemp("verify"))
    (found.site.data_dir / "policy").write_bytes(found.policy_file)
    return found


@pytest.fixture
def pinned(tmp_path: Path, knots: SealedKnots) -> Path:
    """A directory of trust, as ``/v1/log/policy`` and ``/v1/log/roots`` fill it."""
    directory = tmp_path / "trust"
    directory.mkdir()
    (directory / "policy").write_bytes(knots.policy_file)
    (directory / "roots").write_bytes(knots.issuer.authority.root_pem())
    return directory


@pytest.fixture
def seal(tmp_path: Path, knots: SealedKnots) -> Path:
    """A good seal's file."""
    path = tmp_path / "seal.json"
    path.write_text(json.dumps(knots.withdrawn))
    return path


def test_a_good_seal(seal: Path, pinned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 0, each check in a line, the verdict last."""
    assert main(["verify", str(seal), "--trust", str(pinned)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"VERIFIED: {seal}"
    assert all(line.startswith("good  ") for line in lines[:-1])


def test_a_good_bundle_by_the_sites_own_trust(
    tmp_path: Path, knots: SealedKnots, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --trust the site's own policy and root are taken, read beside whatever runs."""
    path = tmp_path / "bundle.zip"
    path.write_bytes(knots.issuer.bundle(knots.alone))
    assert main(["verify", str(path), "--data-dir", str(knots.site.data_dir)]) == 0
    assert "signature   It is signed by the site's receipt key" in capsys.readouterr().out


def test_an_edited_seal(seal: Path, pinned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 1; what is wrong is said, and nothing that the file says can command the terminal."""
    seal.write_text(seal.read_text().replace('"node_id": "ARC-T0001"', '"node_id": "\\u001b[2Jnode"'))
    assert main(["verify", str(seal), "--trust", str(pinned)]) == 1
    out = capsys.readouterr().out
    assert "BAD   knot        The statements name another node." in out
    assert "NOT VERIFIED: 1 of" in out
    assert "\x1b" not in out


def test_json_is_one_object(seal: Path, pinned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For programs: kind, verdict, every check."""
    assert main(["verify", str(seal), "--trust", str(pinned), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["file"], found["kind"], found["good"]) == (str(seal), "seal", True)
    assert {"name": "shape", "good": True, "sentence": "A knot seal with 2 statements."} in found["checks"]


def test_a_name_that_is_no_text_is_told_all_the_same(
    seal: Path, pinned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files come from strangers, and so do their names."""
    named = seal.rename(os.fsdecode(os.fsencode(seal.parent) + b"/seal-\xff.json"))
    assert main(["verify", str(named), "--trust", str(pinned), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"].endswith("/seal-?.json")
    assert main(["verify", str(named), "--trust", str(pinned)]) == 0
    assert capsys.readouterr().out.endswith("/seal-?.json\n")


def test_roots_alone_prove_no_seal(seal: Path, pinned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a policy nobody's word counts; without roots no time stamp does."""
    (pinned / "policy").rename(pinned / "elsewhere")
    assert main(["verify", str(seal), "--trust", str(pinned)]) == 1
    assert "There is no policy to judge it by." in capsys.readouterr().out
    (pinned / "elsewhere").rename(pinned / "policy")
    (pinned / "roots").unlink()
    assert main(["verify", str(seal), "--trust", str(pinned)]) == 1
    assert "BAD   stamp 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("policy", b"log nonsense\n", "Line 1 of the policy"),
        ("policy", b"quorum none\n", "quorum none"),
        ("roots", b"no certificates", "holds no PEM certificates"),
    ],
)
def test_trust_that_cannot_be_used(
    name: str, data: bytes, said: str, seal: Path, pinned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2 and one sentence: nothing was judged."""
    (pinned / name).write_bytes(data)
    assert main(["verify", str(seal), "--trust", str(pinned)]) == 2
    assert said in capsys.readouterr().err


def test_what_cannot_be_read(tmp_path: Path, seal: Path, pinned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No file, no evidence, nothing pinned, no site: exit 2, and no directory is made by asking."""
    (tmp_path / "letter.txt").write_text("Dear auditor")
    empty = tmp_path / "empty"
    empty.mkdir()
    for arguments, said in (
        ([str(tmp_path / "none"), "--trust", str(pinned)], "none cannot be read: No such file"),
        (
            [str(tmp_path / "letter.txt"), "--trust", str(pinned)],
            "neither a seal, nor a receipt, nor a segment of",
        ),
        ([str(seal), "--trust", str(empty)], "neither a file policy nor a file roots"),
        ([str(seal), "--data-dir", str(tmp_path / "nowhere")], "is no site"),
    ):
        assert main(["verify", *arguments]) == 2
        assert said in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()
