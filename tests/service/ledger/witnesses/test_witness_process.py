"""``arc-console witness`` as a process: ready line, HTTP, TLS, its ends, a failing disk, what it loads."""

from __future__ import annotations

import contextlib
import hashlib
import json
import resource
import ssl
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from app.ledger.c2sp.cosignature import CosignerKey, parse_vkey
from app.ledger.c2sp.note import parse_note
from app.ledger.witnesses.witness import BODY_LIMIT
from tests.unit.ledger.c2sp.note_strategies import LOG, LOG_MLDSA, ORIGIN
from tests.unit.ledger.witnesses.growing_log import GrowingLog

ROOT = Path(__file__).parents[4]
NAME = "witness.invalid/w1"
VKEYS = (LOG.verifier.vkey, LOG_MLDSA.key.vkey)


class Running:
    """A witness process with its ready line."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        assert child.stdout is not None
        self.child = child
        line = child.stdout.readline()
        assert line, child.communicate()[1]
        self.ready: dict[str, Any] = json.loads(line)
        self.url = str(self.ready["base_url"])
        self.keys = [parse_vkey(vkey) for vkey in self.ready["vkeys"]]

    def add(self, body: bytes) -> httpx.Response:
        """POST ``add-checkpoint``."""
        return httpx.post(f"{self.url}/add-checkpoint", content=body, trust_env=False)

    def cosigned(self, lines: str, note: str) -> None:
        """Each of the witness's keys has cosigned the note."""
        whole = parse_note(f"{parse_note(note.encode()).text}\n{lines}".encode())
        for key in self.keys:
            assert isinstance(key, CosignerKey)
            assert key.time_of(whole) > 1_600_000_000


def command(data_dir: Path, *options: str, name: str = NAME) -> list[str]:
    """The command line of a witness."""
    start = [sys.executable, "-W", "error", "-m", "app", "witness", "--data-dir", str(data_dir), "--name", name]
    return [*start, "--log", *VKEYS, *options]


@contextlib.contextmanager
def running(data_dir: Path, *options: str) -> Iterator[Running]:
    """A witness; ended by the end of its stdin if the test leaves it running."""
    with subprocess.Popen(
        command(data_dir, "--supervised", *options),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as child:
        try:
            yield Running(child)
        finally:
            if child.poll() is None:
                child.communicate(timeout=15)


def refused(*arguments: str) -> str:
    """The sentence of a start that is refused."""
    child = subprocess.run(arguments, capture_output=True, text=True, cwd=ROOT, check=False, timeout=60)
    assert child.returncode == 2
    assert child.stdout == ""
    assert child.stderr.startswith("arc-console: ")
    assert child.stderr.count("\n") == 1
    return child.stderr


def test_it_cosigns_and_ends_with_its_supervisor(tmp_path: Path) -> None:
    """Ready line, both keys, 409 as the standard writes it, the newest checkpoint; the end of stdin ends it well."""
    log = GrowingLog()
    with running(tmp_path / "w") as witness:
        assert witness.ready == {
            "ready": True,
            "base_url": witness.url,
            "pid": witness.child.pid,
            "vkeys": witness.ready["vkeys"],
        }
        answer = witness.add(log.request(0, 3))
        assert answer.status_code == 200
        witness.cosigned(answer.text, log.note(3))
        stale = witness.add(log.request(0, 5))
        assert (stale.status_code, stale.text, stale.headers["content-type"]) == (409, "3\n", "text/x.tlog.size")
        name = hashlib.sha256(ORIGIN.encode()).hexdigest()
        newest = httpx.get(f"{witness.url}/{name}/checkpoint", trust_env=False)
        assert newest.status_code == 200
        witness.cosigned(newest.text.split("\n\n", 1)[1], log.note(3))
        out, err = witness.child.communicate(timeout=15)
    assert (witness.child.returncode, out, err) == (0, "", "")


def test_keys_and_state_outlive_a_kill(tmp_path: Path) -> None:
    """SIGKILL after an answer: the next process has the same keys, readable by the owner alone, and the same state."""
    log = GrowingLog()
    with running(tmp_path / "w") as first:
        assert first.add(log.request(0, 3)).status_code == 200
        first.child.kill()
        first.child.wait(15)
    with running(tmp_path / "w") as second:
        assert second.ready["vkeys"] == first.ready["vkeys"]
        assert second.add(log.request(0, 5)).text == "3\n"
        assert second.add(GrowingLog("fork", same=2).request(3, 5)).status_code == 422
        assert second.add(log.request(3, 5)).status_code == 200
    assert stat.S_IMODE((tmp_path / "w" / "witness-keys.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "w").stat().st_mode) == 0o700


def test_a_failing_disk_signs_nothing(tmp_path: Path) -> None:
    """500 and no signature; when the disk takes writes again, the witness goes on from where it was."""
    log = GrowingLog()
    with running(tmp_path / "w") as witness:
        assert witness.add(log.request(0, 3)).status_code == 200
        pid = witness.child.pid
        limits = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, limits[1]))
        failed = witness.add(log.request(3, 5))
        assert failed.status_code == 500
        assert "\u2014" not in failed.text
        resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
        assert witness.add(log.request(3, 5)).status_code == 200


def test_other_paths_and_methods(tmp_path: Path) -> None:
    """404, 405 with what is allowed, 413 for a body beyond any checkpoint, 400 for what is none."""
    with running(tmp_path / "w") as witness:
        get = httpx.get(f"{witness.url}/add-checkpoint", trust_env=False)
        assert (get.status_code, get.headers["allow"]) == (405, "POST")
        post = httpx.post(f"{witness.url}/{'0' * 64}/checkpoint", trust_env=False)
        assert (post.status_code, post.headers["allow"]) == (405, "GET")
        for path in ("", "/", "/checkpoint", "/a/b/checkpoint", "/add-checkpoint/"):
            assert httpx.get(witness.url + path, trust_env=False).status_code == 404
        assert witness.add(b"x" * (BODY_LIMIT + 1)).status_code == 413
        assert witness.add(b"x").status_code == 400


def test_what_it_loads(tmp_path: Path) -> None:
    """Neither Qt nor SQLAlchemy nor an HTTP client: three of these start with each service."""
    script = "import sys; from app.__main__ import main; main(sys.argv[1:]); print(sorted(sys.modules))"
    child = subprocess.run(
        [sys.executable, "-c", script, *command(tmp_path / "w", "--supervised")[5:]],
        input="",
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        timeout=60,
    )
    loaded = child.stdout.splitlines()[1]
    assert "'app.commands.witness'" in loaded
    for name in ("PySide6", "sqlalchemy", "httpx", "app.store", "app.service.assembly"):
        assert f"'{name}'" not in loaded


def certificate(directory: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "witness.invalid")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("witness.invalid")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    chain, private = directory / "chain.pem", directory / "key.pem"
    chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return chain, private


def test_tls_is_1_3_alone(tmp_path: Path) -> None:
    """Over TLS it cosigns; a client that offers 1.2 at most gets no connection."""
    chain, private = certificate(tmp_path)
    trust = ssl.create_default_context(cafile=str(chain))
    trust.check_hostname = False
    old = ssl.create_default_context(cafile=str(chain))
    old.check_hostname = False
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with running(tmp_path / "w", "--tls-cert", str(chain), "--tls-key", str(private)) as witness:
        assert witness.url.startswith("https://127.0.0.1:")
        place = f"{witness.url}/add-checkpoint"
        body = GrowingLog().request(0, 3)
        assert httpx.post(place, content=body, verify=trust, trust_env=False).status_code == 200
        with pytest.raises(httpx.ConnectError):
            httpx.post(place, content=body, verify=old, trust_env=False)


def test_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    """One sentence and exit 2: off loopback without TLS, half a TLS, a broken vkey, another name, lost keys."""
    assert "loopback" in refused(*command(tmp_path / "a", "--bind", "0.0.0.0"))
    assert "neither" in refused(*command(tmp_path / "a", "--tls-cert", "x.pem"))
    assert "cannot be used for TLS" in refused(*command(tmp_path / "a", "--tls-cert", "x", "--tls-key", "y"))
    assert "verifier key" in refused(*command(tmp_path / "a", "--log", "nonsense"))
    assert "cannot be a witness's name" in refused(*command(tmp_path / "w", name="with space"))
    with running(tmp_path / "w") as witness:
        assert "Another witness may hold it" in refused(*command(tmp_path / "w"))
        assert witness.add(GrowingLog().request(0, 3)).status_code == 200
    assert "for life" in refused(*command(tmp_path / "w", name="witness.invalid/w2"))
    (tmp_path / "w" / "witness-keys.json").unlink()
    assert "is gone" in refused(*command(tmp_path / "w"))
