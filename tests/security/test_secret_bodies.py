"""Bodies of rows marked secret are gone when the request is over, whatever became of it."""

from __future__ import annotations

import base64
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api.keys import make_key
from app.api.operation import Clearance
from tests.memory_scan import Needles, core_files
from tests.service.api.api_site import read_answer, status

ROOT = Path(__file__).parents[2]
REQUESTS = 100
ATTEMPTS = 20
SIZE = 12_920


class SecretService:
    """The child and how to speak to it byte by byte."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.key = make_key(Clearance.CITADEL)
        self.log = directory / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.security.secret_child", str(directory / "site")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=ROOT,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(self.key.encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, self.log.read_text()
        self.port = int(json.loads(line)["base_url"].rsplit(":", 1)[1])

    def head(self, path: str, length: int, *fields: str) -> bytes:
        lines = (
            f"POST /v1/sample/{path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            f"Authorization: Bearer {self.key}",
            "Content-Type: application/json",
            f"Content-Length: {length}",
            *fields,
        )
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def send(self, *parts: bytes, answer: bool = True) -> bytes:
        """Parts of one request, each in a piece of its own; then what came back, or the connection is cut."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for part in parts:
                connection.sendall(part)
            return read_answer(connection) if answer else b""

    def rest(self) -> None:
        """Until no work goes on any more."""
        ask = f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.key}\r\n\r\n"
        while b"changes_in_progress 0" not in self.send(ask.encode()):
            continue

    def close(self) -> None:
        if self.process.poll() is None:
            assert self.process.stdin is not None
            self.process.stdin.close()
            assert self.process.wait(30) == 0
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecretService]:
    """One child for the tests that leave it running."""
    made = SecretService(tmp_path_factory.mktemp("secret"))
    yield made
    made.close()


def body_of(value: bytes) -> bytes:
    return b'{"value":"%s"}' % base64.b64encode(value)


def gone(service: SecretService, value: bytes) -> None:
    """Nothing of ``value`` is left, once the work that goes on past its time is over too."""
    needles = Needles.of(value)
    assert needles.in_process(service.process.pid) == set()
    assert needles.in_files(service.directory) == set()


def test_what_a_naive_handler_leaves_is_found(service: SecretService) -> None:
    """The control: the same body to a row that is not secret stays in memory, and the scan sees it."""
    value = os.urandom(SIZE)
    body = body_of(value)
    for _ in range(REQUESTS):
        assert status(service.send(service.head("naive", len(body)), body)) == 200
    found = Needles.of(value).in_process(service.process.pid)
    assert any(name.startswith("base64") for name in found), found
    assert any(name.startswith("raw") for name in found), found


@pytest.mark.parametrize("pieces", [1, 2, 7])
def test_good_requests_leave_nothing(service: SecretService, pieces: int) -> None:
    """A body that was read and answered is gone, in however many pieces it came, with and without idempotency."""
    value = os.urandom(SIZE)
    body = body_of(value)
    step = -(-len(body) // pieces)
    parts = [body[at : at + step] for at in range(0, len(body), step)]
    for number in range(REQUESTS):
        fields = [f"Idempotency-Key: {pieces}-{number}"] if number % 2 else []
        answer = service.send(service.head("clean", len(body), *fields) + parts[0], *parts[1:])
        assert json.loads(answer.partition(b"\r\n\r\n")[2]) == {"bytes": SIZE, "sum": sum(value)}
    gone(service, value)


def test_chunked_requests_leave_nothing(service: SecretService) -> None:
    """A body whose length nobody announced outgrows its buffer several times, and no earlier buffer stays."""
    value = os.urandom(SIZE)
    body = body_of(value)
    head = service.head("clean", 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    chunks = [b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:100], body[100:3000], body[3000:])]
    for _ in range(REQUESTS):
        assert status(service.send(head, *chunks, b"0\r\n\r\n")) == 200
    gone(service, value)


def test_malformed_requests_leave_nothing(service: SecretService) -> None:
    """Bad base64, another shape, no JSON, another type, no key, no such path, too large: refused and gone."""
    value = os.urandom(SIZE)
    text = base64.b64encode(value)
    large = base64.b64encode(value * 6)
    cases = [
        ("clean", b'{"value":"%s*"}' % text, 422),
        ("clean", b'{"value":"%s\\u0041"}' % text, 422),
        ("clean", b'{"value":["%s"]}' % text, 422),
        ("clean", b'{"other":"%s"}' % text, 422),
        ("clean", b'{"value":"%s","name":5}' % text, 422),
        ("clean", b'{"value":"%s"' % text, 400),
        ("clean", b'"%s"' % text, 422),
        ("clean", text, 400),
        ("clean", b'{"value":"%s"}' % large, 413),
        ("nowhere", b'{"value":"%s"}' % text, 404),
    ]
    for number in range(REQUESTS):
        path, body, expected = cases[number % len(cases)]
        answer = service.send(service.head(path, len(body)), body)
        assert status(answer) == expected, answer
        assert text[:24] not in answer
    no_key = service.head("clean", len(text)).replace(b"Bearer arc_cit_", b"Bearer arc_sov_")
    assert status(service.send(no_key + text)) == 401
    no_host = service.head("clean", len(text)).replace(b"Host: ", b"Guest: ")
    assert status(service.send(no_host + text)) == 400
    gone(service, value)


def test_late_work_leaves_nothing(service: SecretService) -> None:
    """A caller who was told that it takes too long: the work goes on with the body, and wipes it at its end."""
    value = os.urandom(SIZE)
    body = body_of(value)
    for _ in range(REQUESTS):
        assert status(service.send(service.head("late", len(body)), body)) == 503
    service.rest()
    gone(service, value)


def test_cut_requests_leave_nothing(service: SecretService) -> None:
    """A caller who leaves in the middle of the body, or whose body does not come in time, leaves nothing."""
    value = os.urandom(SIZE)
    body = body_of(value)
    cut = len(body) - 2
    for _ in range(REQUESTS):
        service.send(service.head("clean", len(body)), body[:cut], answer=False)
    assert status(service.send(service.head("clean", len(body)), body[:cut])) == 408
    # Sent ahead behind a call that is still running, then left alone: nobody ever began it.
    service.send(service.head("late", len(body)) + body + service.head("clean", len(body)) + body[:cut], answer=False)
    assert status(service.send(service.head("clean", len(body)), body)) == 200
    service.rest()
    gone(service, value)


def abort_with_a_body(service: SecretService, value: bytes) -> None:
    """Send SIGABRT while the service holds a body that is not whole, which is seen in its memory: a core would have it.
    A service that waits too long for the rest wipes the body and answers; then it is sent anew."""
    body = body_of(value)
    needles = Needles.of(value)
    for _attempt in range(ATTEMPTS):
        with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
            connection.sendall(service.head("clean", len(body)) + body[:-2])
            while not select.select([connection], [], [], 0)[0]:
                if needles.in_process(service.process.pid):
                    service.process.send_signal(signal.SIGABRT)
                    service.process.wait(30)
                    return
    pytest.fail(f"the body was not seen in the service's memory in {ATTEMPTS} attempts")


def test_an_aborted_service_leaves_no_core(tmp_path: Path) -> None:
    """SIGABRT in the middle of a body: no core file, and the kernel was told to make none."""
    service = SecretService(tmp_path)
    value = os.urandom(SIZE)
    abort_with_a_body(service, value)
    service.close()
    assert service.process.returncode == -signal.SIGABRT
    assert core_files(tmp_path) == []
    assert not [path for path in ROOT.glob("core*") if path.is_file()]
    assert Needles.of(value).in_files(tmp_path) == set()
