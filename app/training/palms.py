"""TRAINING: the site's palm terminals in software, on which synthetic palms are laid.

The simulation ends at the wire: a terminal gets a bundle and acknowledges it as a scanner does, and a frame that it
signs goes through the same call as a scanner's. It learns of burns and containments as a subscriber of the telemetry
stream.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from app.api.problems import Problem
from app.api.wire import base64url_text
from app.biometrics.messages import BundleTakenBody, EnrolledTemplates, TemplateSamples
from app.capabilities.palm.messages import PalmVerdict, PalmVerifyBody
from app.capabilities.palm.service import Palm
from app.delivery.events import Event, EventBus
from app.registry.messages.jwk import EncryptionJwk, OkpJwk
from app.registry.messages.terminals import TerminalBody
from app.registry.service import now_us
from app.training.messages import ACTOR, SOFTWARE_TERMINALS
from hardware.terminals.frame import ENROL_INTENT

if TYPE_CHECKING:
    from hardware.terminals.software import SoftwareTerminal

log = logging.getLogger(__name__)

TERMINALS: Final = tuple(
    zip(SOFTWARE_TERMINALS, ("Lobby palm scanner", "Vault palm scanner"), (False, True), strict=True)
)
"""Id, name, and whether it may decide alone."""
REGISTRY: Final = "default"
SHOTS: Final = 5


class TrainingPalms:
    """Serves the rows of ``training_palms``. ``directory`` holds the terminals' keys and counters."""

    def __init__(self, palm: Palm, directory: Path, bus: EventBus) -> None:
        self._palm = palm
        self._directory = directory
        self._bus = bus
        self._terminals: dict[str, SoftwareTerminal] = {}
        # For each the number of its last bundle that needs no acknowledgement: acknowledged, or refused by the site.
        self._answered: dict[str, int] = {}
        self._deaf: Callable[[], None] | None = None
        self._stale = asyncio.Event()
        self._follower: asyncio.Task[None] | None = None
        self._line: ThreadPoolExecutor | None = None

    async def start(self) -> None:
        """Registers the terminals, unless they are, and subscribes them to burns."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        for terminal_id, name, offline in TERMINALS:
            # Imported here: no site loads the filters of pictures before a palm is laid.
            from hardware.terminals.software import SoftwareTerminal

            terminal = SoftwareTerminal(self._directory / f"{terminal_id}.json", terminal_id)
            self._terminals[terminal_id] = terminal
            key = terminal.public_key
            if not isinstance(key, Ed25519PublicKey):
                raise TypeError("software terminals of a training site sign with Ed25519")
            body = TerminalBody(
                kind="palm",
                display_name=name,
                public_key=OkpJwk(crv="Ed25519", x=base64url_text(key.public_bytes(Encoding.Raw, PublicFormat.Raw))),
                encryption_key=_encryption_jwk(terminal.encryption_key),
                liveness_min=_LIVENESS_MIN,
                offline=offline,
            )
            await self._palm.registry.terminals.put(terminal_id, body, actor=ACTOR)
        loop = asyncio.get_running_loop()
        # One thread keeps the order of publication.
        line = self._line = ThreadPoolExecutor(1, "training-palm-line")

        def deny(terminals: Sequence[SoftwareTerminal], node_id: str, epoch: int) -> None:
            for terminal in terminals:
                terminal.deny(node_id, epoch)
            loop.call_soon_threadsafe(self._stale.set)

        def hear(event: Event) -> None:
            # On the publisher's thread: a terminal on which a palm lies is busy, and a burn must not wait for it.
            offline = [one for one in self._terminals.values() if one.alone]
            if offline and event.kind in ("burn", "containment"):
                body = msgspec.to_builtins(event.body)
                node_id = body.get("containment", body)["node_id"]
                line.submit(deny, offline, node_id, self._palm.registry.deny.epoch)

        self._deaf = self._bus.subscribe(hear)
        self._follower = asyncio.create_task(self._follow(), name="training-palm-terminals")

    async def stop(self) -> None:
        """Wipes the terminals' bundles."""
        if self._deaf is not None:
            self._deaf()
        if self._line is not None:
            await asyncio.to_thread(self._line.shutdown)
        follower, self._follower = self._follower, None
        if follower is not None:
            follower.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await follower
        for terminal in self._terminals.values():
            terminal.provision(None)

    async def lay(
        self, terminal_id: str, node_id: str, intent: str, *, actor: str, request_id: str | None
    ) -> PalmVerdict:
        """Decides one shot of the node's synthetic palm. 404: no such software terminal."""
        (frame,) = await self._frames(terminal_id, node_id, intent, 1)
        body = PalmVerifyBody(dermal_vector=_text(frame), terminal_id=terminal_id, intent=intent)
        return await self._palm.verify(body, actor=actor, request_id=request_id)

    async def enrol(self, terminal_id: str, node_id: str, *, actor: str, request_id: str | None) -> EnrolledTemplates:
        """Enrols ``SHOTS`` shots of the node's synthetic palm."""
        frames = await self._frames(terminal_id, node_id, ENROL_INTENT, SHOTS)
        body = TemplateSamples(samples=[_text(frame) for frame in frames], registry_id=REGISTRY)
        return await self._palm.enrolments.put(
            "palm", node_id, body, actor=actor, request_id=request_id, now_us=now_us()
        )

    async def _frames(self, terminal_id: str, node_id: str, intent: str, count: int) -> Sequence[bytes]:
        terminal = self._terminals.get(terminal_id)
        if terminal is None:
            raise Problem("not_found", f"No software terminal {terminal_id} is here: name one of this site's own.")
        _, epoch = self._palm.biometrics.probes.state(REGISTRY)
        if terminal.provisioned is None or terminal.provisioned[1] != epoch:
            await self._fetch(terminal)
        return await asyncio.to_thread(
            lambda: [terminal.lay(node_id, intent, liveness=_LIVENESS) for _ in range(count)]
        )

    async def _fetch(self, terminal: SoftwareTerminal) -> None:
        """Gives the terminal a new bundle, as a scanner fetches one."""
        bundles = self._palm.biometrics.bundles
        text = await bundles.issue(terminal.terminal_id, actor=ACTOR)
        await asyncio.to_thread(terminal.take, text, bundles.site_keys())
        self._stale.set()

    async def _follow(self) -> None:
        """Fetches another bundle for every terminal whose deny set has changed (an entry may also be lifted), and has
        each terminal acknowledge its last bundle until the site has answered."""
        while True:
            fetched = True
            for terminal in self._terminals.values():
                state = terminal.provisioned
                if terminal.alone and state is not None and state[2] < self._palm.registry.deny.epoch:
                    try:
                        await self._fetch(terminal)
                    except Exception as error:
                        # A final refusal (its row is gone, or was changed by hand) is not repeated.
                        if not isinstance(error, Problem) or error.code == "dependency_unavailable":
                            fetched = False
                        log.exception("a terminal got no new bundle", extra={"terminal_id": terminal.terminal_id})
            answered = [await self._acknowledge(terminal) for terminal in self._terminals.values()]
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if fetched and all(answered) else _AGAIN_S):
                    await self._stale.wait()
            self._stale.clear()

    async def _acknowledge(self, terminal: SoftwareTerminal) -> bool:
        """Acknowledges the terminal's last bundle, unless that is answered already; False if it is to be repeated."""
        signed = await asyncio.to_thread(terminal.acknowledgement)
        if signed is None or signed[0] <= self._answered.get(terminal.terminal_id, 0):
            return True
        issue, signature = signed
        body = BundleTakenBody(issue=issue, signature=base64url_text(signature))
        try:
            await self._palm.biometrics.bundles.acknowledge(terminal.terminal_id, body, actor=ACTOR)
        except Problem as problem:
            # The site was restored from a backup, or the terminal's row changed by hand: the next bundle repairs that.
            log.warning("a terminal's word was refused", extra={"terminal_id": terminal.terminal_id}, exc_info=problem)
        except Exception:
            log.exception("a terminal is not answered", extra={"terminal_id": terminal.terminal_id})
            return False
        self._answered[terminal.terminal_id] = issue
        return True


_AGAIN_S: Final = 1.0
"""Pause between two tries of a terminal that got no bundle or no answer."""
_LIVENESS: Final = 90
"""The liveness that the training sensor reports of a synthetic hand ..."""
_LIVENESS_MIN: Final = 50
"""... and the least that its terminal demands, so that it counts as a live check."""


def _text(frame: bytes) -> msgspec.Raw:
    return msgspec.Raw(b'"' + base64.b64encode(frame) + b'"')


def _encryption_jwk(key: EllipticCurvePublicKey) -> EncryptionJwk:
    numbers = key.public_numbers()
    x, y = (base64url_text(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
    return EncryptionJwk(crv="P-256", x=x, y=y, use="enc")
