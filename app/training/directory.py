"""The training site's directory: a SCIM 2.0 server (RFC 7643, RFC 7644) on loopback, in a process of its own.

It simulates at the edge of the wire alone: a burn finds accounts, locks them, takes them out of groups and reads back
over HTTP, as in any directory elsewhere. What it holds is kept in ``FILE`` over restarts and is durable before it is
answered; every name in it says TRAINING. The process ends with its standard input, so it never outlives the service.

Served: users and groups are read, searched by one ``eq``, paged and patched. They are neither made nor deleted (501).
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import functools
import hmac
import re
import secrets
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from app.site.site import write_private

HOST: Final = "127.0.0.1"
BASE: Final = "/scim/v2"
FILE: Final = "training-directory.json"
DIRECTORY_ID: Final = "training-directory"
DISPLAY_NAME: Final = "TRAINING directory"
BODY_LIMIT: Final = 64 << 10
PAGE: Final = 200
IDLE_S: Final = 75.0
"""How long a connection may stay silent, and a request be on its way."""
_START_S: Final = 30.0
_STOP_S: Final = 5.0

_URN: Final = "urn:ietf:params:scim:"
_USER: Final = f"{_URN}schemas:core:2.0:User"
_GROUP: Final = f"{_URN}schemas:core:2.0:Group"
_PATCH_OP: Final = f"{_URN}api:messages:2.0:PatchOp"
_FILTER: Final = re.compile(r'\s*([A-Za-z.]{1,40})\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)\s*', re.IGNORECASE)
_MEMBER: Final = re.compile(r'members\[\s*value\s+eq\s+("(?:[^"\\]|\\.)*")\s*\]', re.IGNORECASE)
_WRITABLE: Final = {"active": bool, "displayname": str, "externalid": str}

Resource = dict[str, Any]


@dataclass(frozen=True)
class Person:
    """Who gets an account: ``external_id`` as a registry row names it."""

    external_id: str
    user_name: str
    display_name: str


class _Held(msgspec.Struct, kw_only=True):
    """The file. ``training`` stands first in it: nobody may take it for a real directory's."""

    training: Literal["TRAINING"] = "TRAINING"
    token: str
    users: dict[str, Resource]
    groups: dict[str, Resource]


class _DirectorySetup(msgspec.Struct, kw_only=True):
    """First line of the process's standard input."""

    path: str
    port: int


class _DirectoryStarted(msgspec.Struct, kw_only=True):
    port: int


class ScimError(Exception):
    """A refusal (RFC 7644, 3.12)."""

    def __init__(self, status: HTTPStatus, detail: str, scim_type: str | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.scim_type = scim_type


class Accounts:
    """Users and groups with what is done to them. Any thread; what it changes is durable when it returns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held = msgspec.json.decode(path.read_bytes(), type=_Held)
        self._lock = threading.Lock()

    @property
    def token(self) -> str:
        """What a caller must bear."""
        return self._held.token

    def _of(self, kind: str) -> dict[str, Resource]:
        found = {"Users": self._held.users, "Groups": self._held.groups}.get(kind)
        if found is None:
            raise ScimError(HTTPStatus.NOT_FOUND, "There are Users and Groups here.")
        return found

    def one(self, kind: str, item_id: str) -> Resource:
        """One resource; 404."""
        with self._lock:
            return self._resource(kind, item_id)

    def _resource(self, kind: str, item_id: str) -> Resource:
        found = self._of(kind).get(item_id)
        if found is None:
            raise ScimError(HTTPStatus.NOT_FOUND, f"No resource {item_id} is in {kind}.")
        return found

    def search(self, kind: str, wanted: str | None) -> list[Resource]:
        """Those that the filter ``wanted`` names, by rising id. 400 ``invalidFilter`` for one that is not understood:
        one that were passed over would show everybody."""
        with self._lock:
            rows = [row for _, row in sorted(self._of(kind).items())]
        if wanted is None:
            return rows
        parts = _FILTER.fullmatch(wanted)
        if parts is None:
            raise ScimError(HTTPStatus.BAD_REQUEST, 'Filters here are one attribute eq "value".', "invalidFilter")
        attribute, value = parts[1].lower(), _literal(parts[2])
        return [row for row in rows if _bears(row, attribute, value)]

    def patch(self, kind: str, item_id: str, body: object, if_match: str | None) -> Resource:
        """Applies every operation, or none (RFC 7644, 3.5.2); durable when it returns."""
        operations = _operations(body)
        with self._lock:
            before = self._resource(kind, item_id)
            if if_match is not None and if_match not in ("*", before["meta"]["version"]):
                raise ScimError(HTTPStatus.PRECONDITION_FAILED, "It was changed meanwhile; read it again.")
            after: Resource = copy.deepcopy(before)
            for operation in operations:
                if kind == "Groups":
                    self._patch_group(after, *operation)
                else:
                    _patch_user(after, *operation)
            if after == before:
                return before
            number = int(re.sub(r"\D", "", before["meta"]["version"])) + 1
            after["meta"] = {**before["meta"], "version": f'W/"{number}"'}
            rows = {**self._of(kind), item_id: after}
            held = msgspec.structs.replace(self._held, **{kind.lower(): rows})
            write_private(self._path, msgspec.json.encode(held))
            self._held = held
            return after

    def _patch_group(self, group: Resource, op: str, path: str | None, value: object) -> None:
        if path is None and isinstance(value, dict) and op != "remove":
            for name, one in value.items():
                self._patch_group(group, op, name, one)
            return
        named = None if path is None else _MEMBER.fullmatch(path)
        if op == "remove" and named is not None:
            gone = {_literal(named[1])}
        elif op == "remove" and path == "members" and value is None:
            gone = {member["value"] for member in group["members"]}
        elif path == "members":
            members = _members(value)
            if op != "remove" and (unknown := members - self._held.users.keys()):
                raise ScimError(HTTPStatus.BAD_REQUEST, f"No user {min(unknown)} is here.", "invalidValue")
            kept = set() if op == "replace" else {member["value"] for member in group["members"]}
            wanted = kept - members if op == "remove" else kept | members
            group["members"] = [{"value": one, "type": "User"} for one in sorted(wanted)]
            return
        elif path is not None and path.lower() == "displayname" and op != "remove" and isinstance(value, str):
            group["displayName"] = value
            return
        else:
            raise ScimError(HTTPStatus.BAD_REQUEST, "A group has members and displayName.", "invalidPath")
        group["members"] = [member for member in group["members"] if member["value"] not in gone]


def _patch_user(user: Resource, op: str, path: str | None, value: object) -> None:
    if path is None and isinstance(value, dict) and op != "remove":
        for name, one in value.items():
            _patch_user(user, op, name, one)
        return
    of = _WRITABLE.get((path or "").lower())
    if of is None or op == "remove":
        names = "active, displayName and externalId"
        raise ScimError(HTTPStatus.BAD_REQUEST, f"Of a user only {names} are changed here.", "mutability")
    if not isinstance(value, of):
        raise ScimError(HTTPStatus.BAD_REQUEST, f"{path} is no {of.__name__}.", "invalidValue")
    user[next(name for name in user if name.lower() == (path or "").lower())] = value


def _operations(body: object) -> list[tuple[str, str | None, object]]:
    shape = ScimError(HTTPStatus.BAD_REQUEST, f"Send a {_PATCH_OP} with Operations.", "invalidSyntax")
    if not isinstance(body, dict) or body.get("schemas") != [_PATCH_OP] or not isinstance(body.get("Operations"), list):
        raise shape
    found = []
    for one in body["Operations"]:
        if not isinstance(one, dict) or not isinstance(one.get("op"), str):
            raise shape
        op, path = one["op"].lower(), one.get("path")
        if op not in ("add", "replace", "remove") or not (path is None or isinstance(path, str)):
            raise shape
        found.append((op, path, one.get("value")))
    return found


def _members(value: object) -> set[str]:
    rows = value if isinstance(value, list) else [value]
    found = {row.get("value") for row in rows if isinstance(row, dict)}
    if len(found) != len(rows) or not all(isinstance(one, str) for one in found):
        raise ScimError(HTTPStatus.BAD_REQUEST, "members is a list of objects with value.", "invalidValue")
    return {str(one) for one in found}


def _literal(text: str) -> object:
    try:
        return msgspec.json.decode(text if text.startswith('"') else text.lower())
    except msgspec.DecodeError:
        raise ScimError(HTTPStatus.BAD_REQUEST, "A value of a filter is written as in JSON.", "invalidFilter") from None


def _bears(row: Resource, attribute: str, value: object) -> bool:
    """RFC 7643: ``userName`` and ``displayName`` are compared without case, ids and ``externalId`` with."""
    if attribute == "members.value":
        return any(member["value"] == value for member in row.get("members", ()))
    found = next((row[name] for name in row if name.lower() == attribute), None)
    if attribute in ("username", "displayname") and isinstance(found, str) and isinstance(value, str):
        return found.casefold() == value.casefold()
    return found == value and type(found) is type(value)


def first_accounts(people: Sequence[Person]) -> bytes:
    """The file of a directory that nobody has touched: everybody active, in one group or two."""

    def meta(kind: str, item_id: str) -> dict[str, str]:
        return {"resourceType": kind, "version": 'W/"1"', "location": f"{BASE}/{kind}s/{item_id}"}

    users: dict[str, Resource] = {}
    for number, person in enumerate(people, 1):
        item_id = f"training-user-{number:02}"
        users[item_id] = {
            "schemas": [_USER],
            "id": item_id,
            "externalId": person.external_id,
            "userName": person.user_name,
            "displayName": person.display_name,
            "active": True,
            "meta": meta("User", item_id),
        }
    groups: dict[str, Resource] = {}
    for item_id, name, members in (
        ("training-group-1", "TRAINING staff", list(users)),
        ("training-group-2", "TRAINING administrators", list(users)[::2]),
    ):
        groups[item_id] = {
            "schemas": [_GROUP],
            "id": item_id,
            "displayName": name,
            "members": [{"value": one, "type": "User"} for one in members],
            "meta": meta("Group", item_id),
        }
    return msgspec.json.encode(_Held(token=secrets.token_urlsafe(32), users=users, groups=groups))


# --- over HTTP -------------------------------------------------------------------------------------------------------


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
            body = {"schemas": [f"{_URN}api:messages:2.0:Error"], "status": str(int(status)), "detail": refused.detail}
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
        """The whole body: what is left of it would be read as the next request."""
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
        "schemas": [f"{_URN}api:messages:2.0:ListResponse"],
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
    """What ``attributes`` asks for; ``id`` and ``schemas`` are always there (RFC 7643, 7)."""
    if not asked.get("attributes"):
        return row
    wanted = {name.strip().lower().partition(".")[0] for name in asked["attributes"].split(",")} | {"id", "schemas"}
    return {name: value for name, value in row.items() if name.lower() in wanted}


def _config() -> Resource:
    no = {"supported": False}
    return {
        "schemas": [f"{_URN}schemas:core:2.0:ServiceProviderConfig"],
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
        """A caller that goes away is no error; nothing else gets here."""


def serve(path: Path, port: int) -> ThreadingHTTPServer:
    """A server of what is in ``path``, bound and not yet answering; on ``port``, or any where that one is taken."""
    handler = functools.partial(_Handler, Accounts(path))
    try:
        return _Listening((HOST, port), handler)
    except OSError:
        return _Listening((HOST, 0), handler)


# --- beside the service ----------------------------------------------------------------------------------------------


class TrainingDirectory:
    """The server's process. Refuses a production site: a simulated directory there would be a lie."""

    def __init__(self, data_dir: Path, *, training: bool) -> None:
        if not training:
            raise ValueError("a simulated directory belongs to training sites only")
        self._path = data_dir / FILE
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, people: Sequence[Person], known_port: int = 0) -> tuple[str, str]:
        """Starts it; its address and token. ``people`` get their accounts at the first start alone. ``known_port``:
        that of the last run, taken again where it is free. RuntimeError when the process does not come up."""
        token = await asyncio.to_thread(self._prepare, people)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            __name__,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        self._process = process
        try:
            async with asyncio.timeout(_START_S):
                port = await self._ready(process, known_port)
        except (TimeoutError, OSError, ValueError) as error:
            await self.stop()
            raise RuntimeError(f"the training directory did not start; its accounts are in {self._path}") from error
        return f"http://{HOST}:{port}{BASE}", token

    def _prepare(self, people: Sequence[Person]) -> str:
        if not self._path.exists():
            write_private(self._path, first_accounts(people))
        try:
            return Accounts(self._path).token
        except (OSError, msgspec.MsgspecError) as error:
            raise RuntimeError(f"{self._path} cannot be read; delete it to begin with new accounts") from error

    async def _ready(self, process: asyncio.subprocess.Process, known_port: int) -> int:
        if process.stdin is None or process.stdout is None:
            raise OSError("no pipe")
        process.stdin.write(msgspec.json.encode(_DirectorySetup(path=str(self._path), port=known_port)) + b"\n")
        await process.stdin.drain()
        return msgspec.json.decode(await process.stdout.readline(), type=_DirectoryStarted).port

    async def stop(self) -> None:
        """Ends the process by ending its input; kills it when it does not go."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
                await process.stdin.wait_closed()
        try:
            await asyncio.wait_for(process.wait(), _STOP_S)
        except TimeoutError:
            process.kill()
            await process.wait()


def _main() -> None:
    """The child: set-up from the first line of standard input, serving until the input ends."""
    setup = msgspec.json.decode(sys.stdin.buffer.readline(), type=_DirectorySetup)
    server = serve(Path(setup.path), setup.port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.buffer.write(msgspec.json.encode(_DirectoryStarted(port=server.server_address[1])) + b"\n")
    sys.stdout.buffer.flush()
    sys.stdin.buffer.read()
    server.server_close()


if __name__ == "__main__":
    # The terminal's Ctrl-C reaches the whole group; who ends is decided by our input alone.
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _main()
