"""A time-stamp authority (RFC 3161) of OpenSSL behind HTTP on 127.0.0.1, and all that one can answer wrongly."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal

Manner = Literal["good", "error", "rejection", "other nonce", "other data", "garbage", "long", "redirect", "hangs"]

_CONFIG = """\
[ tsa ]
default_tsa = own
[ own ]
dir = .
serial = ./serial
crypto_device = builtin
signer_cert = ./tsa.pem
certs = ./root.pem
signer_key = ./tsa.key
signer_digest = sha256
default_policy = 1.3.6.1.4.1.99999.1
other_policies = 1.3.6.1.4.1.99999.2
digests = sha256
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = sha256
[ usage ]
basicConstraints = critical,CA:FALSE
extendedKeyUsage = critical,timeStamping
"""
POLICY, OTHER_POLICY = "1.3.6.1.4.1.99999.1", "1.3.6.1.4.1.99999.2"


class OpensslAuthority:
    """``path`` is an empty directory for its keys. ``manner``: how it answers; ``asked`` how often it was."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manner: Manner = "good"
        self.asked = 0
        self.released = threading.Event()
        self._lock = threading.Lock()
        (path / "serial").write_text("01\n")
        (path / "tsa.cnf").write_text(_CONFIG)
        self._make()
        self.roots = (path / "root.pem").read_text()
        authority = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                authority.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/tsa"

    @contextlib.contextmanager
    def running(self) -> Iterator[OpensslAuthority]:
        """Serve."""
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield self
        finally:
            self.released.set()
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def answer(self, call: BaseHTTPRequestHandler) -> None:
        """One request."""
        query = call.rfile.read(int(call.headers["Content-Length"]))
        assert call.headers["Content-Type"] == "application/timestamp-query"
        with self._lock:
            self.asked += 1
            manner = self.manner
        if manner == "hangs":
            self.released.wait()
            return
        if manner == "redirect":
            call.send_response(302)
            call.send_header("Location", self.url)
            call.end_headers()
            return
        body = b"busy" if manner == "error" else self._body(query, manner)
        call.send_response(503 if manner == "error" else 200)
        call.send_header("Content-Type", "application/timestamp-reply")
        call.send_header("Content-Length", str(len(body)))
        call.end_headers()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            call.wfile.write(body)

    def _body(self, query: bytes, manner: Manner) -> bytes:
        if manner == "garbage":
            return b"<html>maintenance</html>"
        if manner == "long":
            return bytes(1 << 20)
        with self._lock:
            (self.path / "query").write_bytes(query)
            if manner == "rejection":
                # A digest that this authority does not stamp.
                self._openssl("ts", "-query", "-data", "tsa.cnf", "-sha512", "-out", "query")
            elif manner == "other nonce":
                self._openssl("ts", "-query", "-digest", self._imprint(), "-sha256", "-cert", "-out", "query")
            elif manner == "other data":
                self._openssl("ts", "-query", "-data", "tsa.cnf", "-sha256", "-cert", "-out", "query")
            self._openssl("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query", "-out", "reply")
            return (self.path / "reply").read_bytes()

    def accepts(self, token: bytes, data: bytes) -> bool:
        """Whether ``openssl ts -verify`` takes ``token`` for one over ``data`` by this authority."""
        with self._lock:
            (self.path / "token").write_bytes(token)
            (self.path / "data").write_bytes(data)
            command = ["openssl", "ts", "-verify", "-in", "token", "-token_in", "-data", "data", "-CAfile", "root.pem"]
            return subprocess.run(command, cwd=self.path, capture_output=True, check=False).returncode == 0

    def _imprint(self) -> str:
        text = self._openssl("ts", "-query", "-in", "query", "-text").decode()
        rows = text.partition("Message data:\n")[2].partition("Policy OID")[0].splitlines()
        return "".join(row.partition(" - ")[2][:49].replace(" ", "").replace("-", "") for row in rows)

    def _make(self) -> None:
        key = ("-newkey", "rsa:2048", "-nodes", "-batch")
        self._openssl("req", "-x509", *key, "-keyout", "root.key", "-out", "root.pem", "-days", "30", "-subj",
                      "/CN=TRAINING outside root")  # fmt: skip
        self._openssl("req", *key, "-keyout", "tsa.key", "-out", "tsa.csr", "-subj", "/CN=TRAINING outside time stamps")
        self._openssl("x509", "-req", "-in", "tsa.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial",
                      "-days", "30", "-extfile", "tsa.cnf", "-extensions", "usage", "-out", "tsa.pem")  # fmt: skip

    def _openssl(self, *command: str) -> bytes:
        return subprocess.run(["openssl", *command], cwd=self.path, capture_output=True, check=True).stdout
