"""The service as a process: ready line, launch key, ends."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.api.keys import make_key
from app.api.operation import Clearance
from app.service import serving as serve

ROOT = Path(__file__).parents[3]


@contextlib.contextmanager
def process(data_dir: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A service process; killed if the test leaves it running."""
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "tests.service.api.serve_sample", str(data_dir), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as child:
        try:
            yield child
        finally:
            if child.poll() is None:
                child.kill()


def ready(child: subprocess.Popen[str]) -> dict[str, object]:
    """The ready line."""
    assert child.stdout is not None
    return dict(json.loads(child.stdout.readline()))


def test_supervised(tmp_path: Path) -> None:
    """The key from stdin's first line opens; the ready line is the only one; the end of stdin ends the process well.
    What was there before the ready line is out of the collector's sight for as long as it serves."""
    key = make_key(Clearance.CITADEL)
    with process(tmp_path / "s", "127.0.0.1", "--supervised") as child:
        assert child.stdin is not None
        child.stdin.write(key + "\n")
        child.stdin.flush()
        said = ready(child)
        assert said == {"ready": True, "base_url": said["base_url"], "pid": child.pid}
        url = str(said["base_url"])
        answer = httpx.get(url + "/v1/sample", headers={"Authorization": f"Bearer {key}"}, trust_env=False)
        assert answer.status_code == 200
        limits = Path(f"/proc/{child.pid}/limits").read_text()
        assert re.search(r"^Max core file size +0 +0 +bytes", limits, re.MULTILINE)
        out, err = child.communicate(timeout=15)
    assert child.returncode == 0
    assert out == ""
    assert err.endswith("closed\n")
    frozen = re.search(r"^frozen ([0-9]+) of ([0-9]+)$", err, re.MULTILINE)
    assert frozen is not None
    # Some of it was let go of since; had it not been frozen, there would be none.
    assert int(frozen[1]) > int(frozen[2]) // 2 > 0
    assert key not in err
    assert '"operation":"sample.list"' in err


@pytest.mark.parametrize("arguments", [(), ("127.0.0.1", "--supervised")])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_is_a_graceful_end(tmp_path: Path, number: signal.Signals, arguments: tuple[str, ...]) -> None:
    """SIGTERM and SIGINT close everything and exit 0, also while a supervisor still holds the pipe."""
    with process(tmp_path / "s", *arguments) as child:
        assert child.stdin is not None
        assert child.stderr is not None
        child.stdin.write(make_key(Clearance.CITADEL) + "\n")
        child.stdin.flush()
        ready(child)
        child.send_signal(number)
        assert child.wait(timeout=15) == 0
        err = child.stderr.read()
    assert child.returncode == 0
    assert err.endswith("closed\n")


@pytest.mark.parametrize("first", ["", "no key\n", "arc_cit_" + "A" * 38 + "\n", "x" * 300 + "\n"])
def test_bad_launch_key(tmp_path: Path, first: str) -> None:
    """A supervisor that hands over no key is told so; nothing is served and the text is not repeated."""
    with process(tmp_path / "s", "127.0.0.1", "--supervised") as child:
        out, err = child.communicate(first, timeout=15)
    assert child.returncode == serve.EXIT_REFUSED
    assert out == ""
    assert "first line of stdin" in err
    assert not first.strip() or first.strip() not in err


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "localhost", "example.com", ""])
def test_only_loopback(host: str) -> None:
    """Any address but a loopback one is refused before anything listens."""
    with pytest.raises(serve.ServeError):
        serve.bind(host, 0)


def test_taken_port() -> None:
    """A port in use is refused with what to do."""
    with serve.bind("127.0.0.1", 0) as taken, pytest.raises(serve.ServeError, match="Choose another"):
        serve.bind("127.0.0.1", taken.getsockname()[1])


def test_answers_do_not_wait_for_acknowledgements() -> None:
    """The listener names TCP as its protocol: asyncio sets TCP_NODELAY on nothing else."""
    with serve.bind("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
