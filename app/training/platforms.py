"""The platforms of a training site: a mail receiver, a platform that decides, and their rows. All of it is TRAINING.

Nothing leaves this machine: all mail goes to the receiver, and the one platform that is called
listens on loopback. It takes notices as a real one would, by their ``Idempotency-Key``, and decides at once: a takedown
is actioned, a declaration acknowledged.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from app.delivery.outbox import Outbox
from app.delivery.site_mail import SiteMail
from app.registry.messages.platforms import PlatformBody
from app.registry.platforms import Platforms
from app.training.mail import DOMAIN, HOST, TrainingMail
from app.training.messages import ACTOR

BODY_LIMIT: Final = 16 << 20
IDLE_S: Final = 30.0
NOTICES: Final = "/notices"
FORM: Final = "/form"
CALLED: Final = "training-platform-d"
FORMED: Final = "training-platform-e"
MAILED: Final = (
    ("training-platform-a", "Training platform A", "accept"),
    ("training-platform-b", "Training platform B", "greylist"),
    ("training-platform-c", "Training platform C", "bounce"),
)
"""Platforms that get mail: id, name, and the part before ``@`` that says what the receiver does."""
DEFAULTS: Final = frozenset({"training-platform-a", CALLED})
_REMEMBERED: Final = 10_000
_PAGE: Final = b"""<!doctype html><meta charset="utf-8"><title>TRAINING</title>
<h1>TRAINING platform: report content</h1>
<p>This page stands for a platform's form. Nothing that is typed here goes anywhere.</p>
<form><p><label>What is reported <textarea name="text"></textarea></label></p></form>
<p>Confirmation number of this training form: <b>TRAINING-0001</b></p>
"""


class TrainingAnswer(msgspec.Struct, kw_only=True):
    """What the platform answers, as ``delivery/README.md`` has it."""

    reference: str
    state: str
    decision: str | None = None


class _Posted(msgspec.Struct):
    """What it reads of a call."""

    notice: dict[str, object]


class TrainingPlatforms:
    """Refuses a production site: a platform that only pretends would be a lie there."""

    def __init__(self, platforms: Platforms, site_mail: SiteMail, outbox: Outbox, *, training: bool) -> None:
        if not training:
            raise ValueError("simulated platforms belong to training sites only")
        self._platforms = platforms
        self._site_mail = site_mail
        self._outbox = outbox
        self._mail = TrainingMail()
        self._http: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    async def start(self) -> None:
        """Answers, and registers what is not registered; the called platform again where its port is another one."""
        self._site_mail.use(await self._mail.start())
        # What the last run left has been tried by now, without a relay.
        self._outbox.hurry("mail")
        port = self._serve(self._known_port())
        for platform_id, name, local in MAILED:
            address = f"{local}@{platform_id.removeprefix('training-')}.{DOMAIN}"
            await self._register(platform_id, name, "mail", address, replace=False)
        await self._register(CALLED, "Training platform D", "https", f"http://{HOST}:{port}{NOTICES}", replace=True)
        await self._register(FORMED, "Training platform E", "form", f"http://{HOST}:{port}{FORM}", replace=True)

    async def stop(self) -> None:
        """Ends the receiver and the platform."""
        await self._mail.stop()
        await asyncio.to_thread(self._stop_serving)

    def _stop_serving(self) -> None:
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()
        if self._thread is not None:
            self._thread.join()

    async def _register(self, platform_id: str, name: str, channel: Any, address: str, *, replace: bool) -> None:
        """Registers the platform unless it is; with ``replace`` also where its address is another one."""
        with self._platforms.store.read() as connection:
            known = self._platforms.look_up(connection, platform_id)
        if known is not None and (not replace or known.address == address):
            return
        body = PlatformBody(
            display_name=name,
            channel=channel,
            address=address,
            domains=[f"{platform_id.removeprefix('training-')}.{DOMAIN}"],
            default=platform_id in DEFAULTS,
        )
        await self._platforms.put(platform_id, body, actor=ACTOR)

    def _known_port(self) -> int:
        """The port of the last run, so that notices that wait still find their platform."""
        with self._platforms.store.read() as connection:
            known = self._platforms.look_up(connection, CALLED)
        with contextlib.suppress(ValueError):
            return 0 if known is None else urlsplit(known.address).port or 0
        return 0

    def _serve(self, known_port: int) -> int:
        try:
            self._http = _PlatformServer((HOST, known_port))
        except OSError:
            self._http = _PlatformServer((HOST, 0))
        self._thread = threading.Thread(target=self._http.serve_forever, name="training-platform", daemon=True)
        self._thread.start()
        return int(self._http.server_address[1])


class _PlatformServer(ThreadingHTTPServer):
    """The platform, with its first answer to each key."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int]) -> None:
        super().__init__(address, _PlatformCall)
        self._lock = threading.Lock()
        self._answers: dict[str, bytes] = {}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing: only callers that hang up get here, which is no error."""

    def decide(self, key: str, raw: bytes) -> bytes | None:
        """The answer to a notice, the first one for ever; None where it is none."""
        with self._lock:
            known = self._answers.get(key)
            if known is not None:
                return known
            try:
                posted = msgspec.json.decode(raw, type=_Posted)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                return None
            taken_down = posted.notice.get("kind") == "takedown"
            answer = msgspec.json.encode(
                TrainingAnswer(
                    reference=f"TRAINING-{hashlib.sha256(key.encode()).hexdigest()[:8].upper()}",
                    state="actioned" if taken_down else "acknowledged",
                    decision="DECISION_VISIBILITY_CONTENT_REMOVED" if taken_down else None,
                )
            )
            self._answers[key] = answer
            if len(self._answers) > _REMEMBERED:
                del self._answers[next(iter(self._answers))]
            return answer


class _PlatformCall(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = IDLE_S
    # Answers in one piece: without a buffer each header would be a packet of its own.
    wbufsize = -1
    server: _PlatformServer

    def version_string(self) -> str:
        return "TRAINING"

    def log_message(self, format: str, *args: Any) -> None:  # the name is the base class's
        """Says nothing: a notice names persons."""

    def do_GET(self) -> None:
        """The form; everything else is not there."""
        if self.path == FORM:
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", _PAGE)
        else:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"TRAINING: not here\n")

    def do_POST(self) -> None:
        """A notice."""
        length = self.headers.get("Content-Length", "")
        key = self.headers.get("Idempotency-Key", "")
        if not length.isdecimal() or int(length) > BODY_LIMIT:
            self.close_connection = True
            self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "text/plain", b"TRAINING: send a bounded body\n")
            return
        raw = self.rfile.read(int(length))
        answer = self.server.decide(key, raw) if key and self.path == NOTICES else None
        if answer is None:
            self._send(HTTPStatus.BAD_REQUEST, "text/plain", b"TRAINING: this is no notice with its key\n")
        else:
            self._send(HTTPStatus.CREATED, "application/json", answer)

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
