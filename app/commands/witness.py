"""``arc-console witness``: a witness for other sites' logs as a process of its own (C2SP tlog-witness).

It holds its own keys and its own state, and knows nothing of the sites that it witnesses but their logs' keys. Three
of these start beside each service, so this module loads neither the store's engine nor the API.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import secrets
import socket
import sqlite3
import ssl
import sys
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, Literal, TextIO

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from app.api import logs
from app.api.guard import GuardPolicy
from app.commands.options import EXIT_OK, refuse
from app.ledger.c2sp.cosignature import Cosigner, parse_vkey
from app.ledger.c2sp.note import NoteError
from app.ledger.witnesses.witness import BODY_LIMIT, LogKey, Witness, WitnessReply
from app.service.process import GuardedServer, ServeError, bind, limit_process
from app.site.private_files import write_private

KEYS: Final = "witness-keys.json"
STATE: Final = "witness.db"

_SEED: Final = 32
_NEWEST: Final = "/checkpoint"

log = logging.getLogger("arc.witness")

Seed = Annotated[bytes, msgspec.Meta(min_length=_SEED, max_length=_SEED)]


class _Keys(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The file of a witness's keys: the seeds in base64. The name is part of what a key is, so it lies beside them."""

    v: Literal[1] = 1
    name: str
    ed25519: Seed
    mldsa44: Seed


@dataclass(frozen=True)
class WitnessLaunch:
    """How a witness is started. ``logs``: the vkeys that it trusts; ``tls``: files of certificate chain and key, needed
    off loopback. ``stdin`` and ``stdout`` are there for a supervisor."""

    data_dir: Path
    name: str
    logs: Sequence[str]
    host: str = "127.0.0.1"
    port: int = 0
    tls: tuple[Path, Path] | None = None
    supervised: bool = False
    stdin: BinaryIO | None = None
    stdout: TextIO | None = None


def run(options: argparse.Namespace) -> int:
    """Witnesses until stopped; the exit code."""
    if (options.tls_cert is None) is not (options.tls_key is None):
        return refuse(ValueError("Give --tls-cert and --tls-key, or neither."))
    launch = WitnessLaunch(
        options.witness_dir.absolute(),
        options.name,
        options.logs,
        host=options.bind,
        port=options.port,
        tls=None if options.tls_cert is None else (options.tls_cert, options.tls_key),
        supervised=options.supervised,
    )
    try:
        return run_witness(launch)
    except ServeError as error:
        return refuse(error)


def run_witness(launch: WitnessLaunch) -> int:
    """Witness until stopped; the process's exit code. The one line on stdout is
    ``{"ready":true,"base_url":...,"pid":...,"vkeys":[...]}``. ``ServeError`` says what cannot be used."""
    limit_process()
    logs.configure()
    keys = _parse_logs(launch.logs)
    context = None if launch.tls is None else tls_context(*launch.tls)
    with contextlib.closing(bind(launch.host, launch.port, tls=context is not None)) as listener:
        cosigners = open_cosigners(launch.data_dir, launch.name)
        try:
            witness = Witness(launch.data_dir / STATE, cosigners, keys)
        except sqlite3.Error as error:
            raise ServeError(
                f"{launch.data_dir / STATE} cannot be used: {error}. Another witness may hold it, or the disk is full."
            ) from error
        with contextlib.closing(witness):
            return asyncio.run(_serve(witness, cosigners, listener, context, launch))


def open_cosigners(data_dir: Path, name: str) -> list[Cosigner]:
    """The witness's keys (Ed25519 and ML-DSA-44), made at its first start in a file that the owner alone reads.
    ``ServeError`` when there are none to be had, or they belong to another name."""
    path = data_dir / KEYS
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            if (data_dir / STATE).exists():
                raise ServeError(f"{path} is gone, but this witness had one. Restore it, or begin another witness.")
            made = _Keys(name=name, ed25519=secrets.token_bytes(_SEED), mldsa44=secrets.token_bytes(_SEED))
            _cosigners(made)  # refuses a name that could not be kept for life
            write_private(path, msgspec.json.encode(made))
        kept = msgspec.json.decode(path.read_bytes(), type=_Keys)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ServeError(f"{path} cannot be used: {error}. Correct it or restore it from a backup.") from error
    if kept.name != name:
        raise ServeError(f"The witness in {data_dir} is {kept.name}, for life; it was asked for as {name}.")
    return _cosigners(kept)


def _cosigners(keys: _Keys) -> list[Cosigner]:
    try:
        return [
            Cosigner(keys.name, Ed25519PrivateKey.from_private_bytes(keys.ed25519)),
            Cosigner(keys.name, MLDSA44PrivateKey.from_seed_bytes(keys.mldsa44)),
        ]
    except ValueError as error:
        raise ServeError(f"{keys.name!r} cannot be a witness's name: {error}.") from error


def tls_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """TLS 1.3 alone; ``ServeError`` when the files cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except (OSError, ValueError) as error:
        raise ServeError(f"{certificate} and {key} cannot be used for TLS: {error}.") from error
    return context


def _no_password() -> str:
    # Without this, OpenSSL would ask at the terminal, and a service has none.
    raise ValueError("the key is encrypted; give one that is not, readable by its owner alone")


def _parse_logs(vkeys: Sequence[str]) -> list[LogKey]:
    try:
        return [parse_vkey(vkey) for vkey in vkeys]
    except NoteError as error:
        raise ServeError(f"A --log is no verifier key: {error}.") from error


class WitnessApplication:
    """The witness over ASGI: two paths, plain text, no authentication beyond the log's signature."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Serve one request."""
        reply = await self._reply(scope["method"], scope["path"], receive)
        body = reply.body.encode()
        headers = [(b"content-type", reply.media_type.encode()), (b"content-length", b"%d" % len(body))]
        if reply.status == 405:
            headers.append((b"allow", b"POST" if scope["path"] == "/add-checkpoint" else b"GET"))
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _reply(self, method: str, path: str, receive: Any) -> WitnessReply:
        """The reply to one request by its path and method."""
        if path == "/add-checkpoint":
            if method != "POST":
                return WitnessReply(405, "use POST\n")
            body = await _body(receive)
            if body is None:
                return WitnessReply(400, "the request was not whole\n")
            return await _answer(self._witness.add_checkpoint, body)
        if path.endswith(_NEWEST) and path.count("/") == 2:
            if method != "GET":
                return WitnessReply(405, "use GET\n")
            return await _answer(self._witness.checkpoint, path[1 : -len(_NEWEST)])
        return WitnessReply(404, "there is nothing here\n")


async def _answer(work: Callable[[Any], WitnessReply], given: object) -> WitnessReply:
    """What the witness answers. A disk that fails is no answer at all: nothing was signed."""
    try:
        return await asyncio.to_thread(work, given)
    except sqlite3.Error:
        log.exception("the witness's state could not be kept; nothing was signed")
        return WitnessReply(500, "the state cannot be kept now; nothing was signed\n")


async def _body(receive: Callable[[], Awaitable[MutableMapping[str, Any]]]) -> bytes | None:
    """The whole body, bounded by the guard; ``None`` when the caller left before its end."""
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


async def _serve(
    witness: Witness,
    cosigners: Sequence[Cosigner],
    listener: socket.socket,
    context: ssl.SSLContext | None,
    launch: WitnessLaunch,
) -> int:
    """Answer over HTTP until told to stop."""
    server = GuardedServer(
        WitnessApplication(witness),
        listener,
        GuardPolicy(body_bytes=BODY_LIMIT, connections=256),
        tls=context,
        ready_members={"vkeys": [cosigner.key.vkey for cosigner in cosigners]},
        stdout=launch.stdout,
    )
    server.end_with((launch.stdin or sys.stdin.buffer) if launch.supervised else None)
    await server.run_on_listener()
    return EXIT_OK
