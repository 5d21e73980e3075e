"""The training site's server frames: real TLS servers on loopback, in a process of their own.

The simulation is at the edge of the wire only: the handshakes, the certificates (marked TRAINING, issued by the
training site's own root) and the failures are real; only the length of the wire is simulated, by holding back the
answer. The separate process keeps their share of each handshake off the prober's interpreter lock, so they do not
distort what is measured. The process ends with its standard input, so it never outlives the service.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from app.capabilities.infrastructure.identity import TlsAuthority, TlsIdentity, server_identity
from app.capabilities.infrastructure.listener import FrameServer, FrameSpec, Mode
from app.program import ChildRole, child

HOST = "127.0.0.1"
_HALLS = (("a", 14, 0.0), ("b", 12, 1.5), ("c", 10, 6.0), ("d", 8, 18.0), ("e", 8, 45.0))
"""Hall, frames, length of the wire in milliseconds."""
_SLOW_MS = 420.0
_JITTER = 0.06
_START_S = 30.0
_LINE_MAX = 1 << 20


class _Spec(msgspec.Struct, kw_only=True):
    name: str
    certificate: str
    key: str
    delay_ms: float
    port: int


class _FramesSetup(msgspec.Struct, kw_only=True):
    client_roots: str
    frames: list[_Spec]


class _FrameOrder(msgspec.Struct, kw_only=True):
    name: str
    mode: Mode


class _FramesStarted(msgspec.Struct, kw_only=True):
    ports: dict[str, int]


@dataclass(frozen=True)
class TrainingFrame:
    """One training frame as the registry gets it (``PeerBody``). Its certificate leads to the site's own root."""

    peer_id: str
    node_id: str
    url: str
    level: Literal["sovereign", "citadel"]
    maintenance: bool


def _plan() -> list[tuple[str, float, bool]]:
    """Peer id, length of the wire in ms, maintenance: 52 frames, of which one is slow and one under maintenance."""
    frames = [
        (f"training-{hall}-{number:02}", wire_ms * (0.8 + 0.4 * number / count), False)
        for hall, count, wire_ms in _HALLS
        for number in range(1, count + 1)
    ]
    slow, maintenance = frames[-1], frames[-2]
    return [*frames[:-2], (maintenance[0], maintenance[1], True), (slow[0], _SLOW_MS, False)]


class TrainingFrames:
    """The set and its process. Refuses a production site: simulated frames there would be a lie."""

    def __init__(self, authority: TlsAuthority, *, training: bool) -> None:
        if not training:
            raise ValueError("simulated server frames belong to training sites only")
        self._authority = authority
        self._process: asyncio.subprocess.Process | None = None
        self._ordering = asyncio.Lock()
        self._names: set[str] = set()

    async def start(self, known_ports: Mapping[str, int] | None = None) -> list[TrainingFrame]:
        """Starts all frames. ``known_ports`` by peer id: those of the last run, reused where they are free, so that the
        registry's rows stay as they are. RuntimeError when the process does not start."""
        known = known_ports or {}
        plan = _plan()
        setup = await asyncio.to_thread(self._setup, plan, known)
        process = await asyncio.create_subprocess_exec(
            *child(ChildRole.TRAINING_FRAMES),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LINE_MAX,
        )
        self._process = process
        try:
            started = msgspec.json.decode(await asyncio.wait_for(self._say(setup), _START_S), type=_FramesStarted)
        except (TimeoutError, OSError, msgspec.MsgspecError, RuntimeError) as error:
            await self.stop()
            raise RuntimeError("the training frames did not start") from error
        self._names = set(started.ports)
        return [
            TrainingFrame(
                peer_id=peer_id,
                node_id=peer_id.replace("training", "TRAINING-FRAME").upper(),
                url=f"{HOST}:{started.ports[peer_id]}",
                level="citadel" if "-c-" in peer_id else "sovereign",
                maintenance=maintenance,
            )
            for peer_id, _wire_ms, maintenance in plan
        ]

    def _setup(self, plan: list[tuple[str, float, bool]], known: Mapping[str, int]) -> _FramesSetup:
        """The set-up for the process: a new certificate and key for each frame."""
        frames = []
        for peer_id, wire_ms, _maintenance in plan:
            identity = server_identity(self._authority, f"TRAINING frame {peer_id}", [HOST], days=397)
            key = identity.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            frames.append(
                _Spec(
                    name=peer_id,
                    certificate=identity.certificate.public_bytes(Encoding.PEM).decode(),
                    key=key.decode(),
                    delay_ms=wire_ms,
                    port=known.get(peer_id, 0),
                )
            )
        return _FramesSetup(client_roots=self._authority.root_pem().decode(), frames=frames)

    async def fail(self, peer_id: str, mode: Literal[Mode.CLOSED, Mode.SILENT] = Mode.CLOSED) -> None:
        """Makes the frame fail from its next connection on. KeyError for an unknown frame."""
        await self._order(peer_id, mode)

    async def recover(self, peer_id: str) -> None:
        """Makes the frame answer again."""
        await self._order(peer_id, Mode.UP)

    async def _order(self, peer_id: str, mode: Mode) -> None:
        if peer_id not in self._names:
            raise KeyError(peer_id)
        await self._say(_FrameOrder(name=peer_id, mode=mode))

    async def _say(self, message: msgspec.Struct) -> bytes:
        """Sends one line to the process; the line that it answers."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise RuntimeError("the training frames are not running")
        async with self._ordering:
            process.stdin.write(msgspec.json.encode(message) + b"\n")
            await process.stdin.drain()
            line = await process.stdout.readline()
        if not line:
            raise RuntimeError("the training frames ended")
        return line

    async def stop(self) -> None:
        """Ends the process by ending its input; kills it if it does not end."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
                await process.stdin.wait_closed()
        try:
            await asyncio.wait_for(process.wait(), 5.0)
        except TimeoutError:
            process.kill()
            await process.wait()


def run_child() -> None:
    """The child: reads the set-up from the first line of standard input and one order from each further line."""
    # The terminal's Ctrl-C reaches the whole process group; this process ends only with its input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    setup = msgspec.json.decode(sys.stdin.buffer.readline(), type=_FramesSetup)
    specs = []
    for frame in setup.frames:
        key = load_pem_private_key(frame.key.encode(), None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise TypeError("a frame's key is P-256")
        specs.append(
            FrameSpec(
                name=frame.name,
                identity=TlsIdentity(x509.load_pem_x509_certificate(frame.certificate.encode()), key),
                client_roots=setup.client_roots.encode(),
                delay_ms=frame.delay_ms,
                jitter_ms=frame.delay_ms * _JITTER,
                host=HOST,
                port=frame.port,
            )
        )
    server = FrameServer(specs, any_port=True)
    _answer(_FramesStarted(ports=server.start()))
    try:
        for line in sys.stdin.buffer:
            order = msgspec.json.decode(line, type=_FrameOrder)
            server.mode(order.name, order.mode)
            _answer(order)
    finally:
        server.stop()


def _answer(message: msgspec.Struct) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
    sys.stdout.buffer.flush()
