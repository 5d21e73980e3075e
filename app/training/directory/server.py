"""The training directory's server: SCIM 2.0 over HTTP on loopback (RFC 7644), run as a process of its own.

Users and groups are read, searched, paged and patched; every other call is answered 501. The process reads its set-up
from the first line of its standard input and ends with that input, so it never outlives the service.
"""

from __future__ import annotations

import functools
import hmac
import re
import signal
import sys
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from app.training.directory.accounts import BASE, URN, Accounts, Resource, ScimError

HOST: Final = "127.0.0.1"
BODY_LIMIT: Final = 64 << 10
PAGE: Final = 200
IDLE_S: Final = 75.0
"""Most seconds for which a connection may stay silent, or a request may take to arrive."""


class DirectorySetup(msgspec.Struct, kw_only=True):
    """First line of the process's standard input."""

    path: str
    port: int


class DirectoryStarted(msgspec.Struct, kw_only=True):
    """First line of the process's standard output."""

    port: int


_Work = Callable[[list[str], dict[str, str], bytes], Resource]
"""Parts of the path below ``BASE``, query, body."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = IDLE_S
    # Answers in one piece: without a buffer each header would be a packet of its own.
    wbufsize = -1
    disable_nagle_algorithm = True

    def __init__(self, accounts: Accounts, *rest: Any) -> None:
        self._accounts = accounts
        super().__init__(*rest)

    def version_string(self) -> str:
        return "TRAINING"

    def log_message(self, format: str, *args: Any) -> None:  # the name is the base class's
        """Says nothing: paths hold names of accounts."""

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_PATCH(self) -> None:
        self._answer(self._patch)

    def _other(self) -> None:
        self._answer(self._never)

    do_POST = do_PUT = do_DELETE = _other

    def _answer(self, work: _Work) -> None:
        """Reads the request, lets ``work`` answer it, and sends the resource or the SCIM error."""
        status, body = HTTPStatus.OK, {}
        try:
            raw = self._body()
            self._judge()
            parts = urlsplit(self.path)
            if not parts.path.startswith(f"{BASE}/"):
                raise ScimError(HTTPStatus.NOT_FOUND, f"Everything here is below {BASE}.")
            names = [unquote(part) for part in parts.path.removeprefix(f"{BASE}/").split("/")]
            asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            body = work(names, asked, raw)
        except ScimError as refused:
            status = refused.status
            body = {"schemas": [f"{URN}api:messages:2.0:Error"], "status": str(int(status)), "detail": refused.detail}
            if refused.scim_type is not None:
                body["scimType"] = refused.scim_type
        data = msgspec.json.encode(body)
        self.send_response(status)
        self.send_header("Content-Type", "application/scim+json")
        self.send_header("Content-Length", str(len(data)))
        if status is HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", 'Bearer realm="TRAINING"')
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def _body(self) -> bytes:
        """The whole body: an unread rest would be taken for the next request."""
        length = self.headers.get("Content-Length", "0")
        if self.headers.get("Transfer-Encoding") is not None or not length.isdecimal() or int(length) > BODY_LIMIT:
            self.close_connection = True
            raise ScimError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"Send at most {BODY_LIMIT} bytes with their length.")
        return self.rfile.read(int(length))

    def _judge(self) -> None:
        given = self.headers.get("Authorization", "").encode("latin-1", "replace")
        if not hmac.compare_digest(given, f"Bearer {self._accounts.token}".encode()):
            raise ScimError(HTTPStatus.UNAUTHORIZED, "Send the bearer token of this directory.")

    def _get(self, names: list[str], asked: dict[str, str], raw: bytes) -> Resource:
        del raw
        match names:
            case ["ServiceProviderConfig"]:
                return _config()
            case [kind]:
                return _page(self._accounts.search(kind, asked.get("filter")), asked)
            case [kind, item_id]:
                return _only(self._accounts.one(kind, item_id), asked)
        raise ScimError(HTTPStatus.NOT_FOUND, "Nothing is there.")

    def _patch(self, names: list[str], asked: dict[str, str], raw: bytes) -> Resource:
        if len(names) != 2:
            raise ScimError(HTTPStatus.NOT_FOUND, "Name one resource.")
        kind, item_id = names
        try:
            body: object = msgspec.json.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise ScimError(HTTPStatus.BAD_REQUEST, "This is no JSON.", "invalidSyntax") from None
        return _only(self._accounts.patch(kind, item_id, body, self.headers.get("If-Match")), asked)

    def _never(self, names: list[str], asked: dict[str, str], raw: bytes) -> Resource:
        del names, asked, raw
        raise ScimError(HTTPStatus.NOT_IMPLEMENTED, "Resources are neither made nor deleted here; PATCH changes them.")


def _page(rows: list[Resource], asked: dict[str, str]) -> Resource:
    start, count = _number(asked, "startIndex", 1), _number(asked, "count", PAGE)
    start = max(1, start)
    shown = rows[start - 1 : start - 1 + min(max(0, count), PAGE)]
    return {
        "schemas": [f"{URN}api:messages:2.0:ListResponse"],
        "totalResults": len(rows),
        "startIndex": start,
        "itemsPerPage": len(shown),
        "Resources": [_only(row, asked) for row in shown],
    }


def _number(asked: dict[str, str], name: str, otherwise: int) -> int:
    text = asked.get(name, str(otherwise))
    if re.fullmatch(r"-?\d{1,9}", text, re.ASCII) is None:
        raise ScimError(HTTPStatus.BAD_REQUEST, f"{name} is a number.", "invalidValue")
    return int(text)


def _only(row: Resource, asked: dict[str, str]) -> Resource:
    """The attributes that ``attributes`` names; ``id`` and ``schemas`` are always there (RFC 7643, 7)."""
    if not asked.get("attributes"):
        return row
    wanted = {name.strip().lower().partition(".")[0] for name in asked["attributes"].split(",")} | {"id", "schemas"}
    return {name: value for name, value in row.items() if name.lower() in wanted}


def _config() -> Resource:
    """What this server supports (RFC 7643, 5)."""
    no = {"supported": False}
    return {
        "schemas": [f"{URN}schemas:core:2.0:ServiceProviderConfig"],
        "patch": {"supported": True},
        "bulk": {**no, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": True, "maxResults": PAGE},
        "changePassword": no,
        "sort": no,
        "etag": {"supported": True},
        "authenticationSchemes": [
            {"type": "oauthbearertoken", "name": "TRAINING token", "description": "The token of the training site."}
        ],
        "meta": {"resourceType": "ServiceProviderConfig", "location": f"{BASE}/ServiceProviderConfig"},
    }


class _Listening(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing: only callers that hang up get here, which is no error."""


def serve(path: Path, port: int) -> ThreadingHTTPServer:
    """A server of the accounts in ``path``, bound and not yet answering; on ``port``, or on a free one if that is in
    use."""
    handler = functools.partial(_Handler, Accounts(path))
    try:
        return _Listening((HOST, port), handler)
    except OSError:
        return _Listening((HOST, 0), handler)


def run_child() -> None:
    """The child: reads the set-up from the first line of standard input, and serves until the input ends."""
    # The terminal's Ctrl-C reaches the whole process group; this process ends only with its input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    setup = msgspec.json.decode(sys.stdin.buffer.readline(), type=DirectorySetup)
    server = serve(Path(setup.path), setup.port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.buffer.write(msgspec.json.encode(DirectoryStarted(port=server.server_address[1])) + b"\n")
    sys.stdout.buffer.flush()
    sys.stdin.buffer.read()
    server.server_close()
