"""TRAINING: the site's palm terminals in software, on which drawn palms are laid.

Simulation ends at the wire: a frame that a software terminal signs goes through the same call as a scanner's.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from app.api.problems import Problem
from app.palm.messages import PalmVerdict, PalmVerifyBody
from app.palm.service import Palm
from app.registry.enrolment_messages import EnrolledTemplates, TemplateSamples
from app.registry.messages import OkpJwk, TerminalBody
from app.registry.service import now_us
from hardware.terminals.frame import ENROL_INTENT

if TYPE_CHECKING:
    from hardware.terminals.software import SoftwareTerminal

ACTOR: Final = "training"
TERMINALS: Final = (("palm-lobby", "Lobby palm scanner"), ("palm-vault", "Vault palm scanner"))
REGISTRY: Final = "default"
SHOTS: Final = 5


class TrainingPalms:
    """Serves the rows of ``training_palms``. ``directory`` holds the terminals' keys and counters."""

    def __init__(self, palm: Palm, directory: Path) -> None:
        self._palm = palm
        self._directory = directory
        self._terminals: dict[str, SoftwareTerminal] = {}
        self._epochs: dict[str, int] = {}

    async def start(self) -> None:
        """Registers the terminals, unless they are."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        for terminal_id, name in TERMINALS:
            # Imported here: no site loads the filters of pictures before a palm is laid.
            from hardware.terminals.software import SoftwareTerminal

            terminal = SoftwareTerminal(self._directory / f"{terminal_id}.json", terminal_id)
            self._terminals[terminal_id] = terminal
            key = terminal.public_key
            if not isinstance(key, Ed25519PublicKey):
                raise TypeError("software terminals of a training site sign with Ed25519")
            raw = key.public_bytes(Encoding.Raw, PublicFormat.Raw)
            body = TerminalBody(
                kind="palm",
                display_name=name,
                public_key=OkpJwk(crv="Ed25519", x=base64.urlsafe_b64encode(raw).rstrip(b"=").decode()),
            )
            await self._palm.registry.terminals.put(terminal_id, body, actor=ACTOR)

    async def stop(self) -> None:
        """Wipes what the terminals were given."""
        for terminal in self._terminals.values():
            terminal.provision(None)

    async def lay(
        self, terminal_id: str, node_id: str, intent: str, *, actor: str, request_id: str | None
    ) -> PalmVerdict:
        """One shot of the node's drawn palm, decided. 404: no such software terminal."""
        (frame,) = await asyncio.to_thread(self._frames, terminal_id, node_id, intent, 1)
        body = PalmVerifyBody(dermal_vector=_text(frame), terminal_id=terminal_id, intent=intent)
        return await self._palm.verify(body, actor=actor, request_id=request_id)

    async def enrol(self, terminal_id: str, node_id: str, *, actor: str, request_id: str | None) -> EnrolledTemplates:
        """``SHOTS`` shots of the node's drawn palm, enrolled."""
        frames = await asyncio.to_thread(self._frames, terminal_id, node_id, ENROL_INTENT, SHOTS)
        body = TemplateSamples(samples=[_text(frame) for frame in frames], registry_id=REGISTRY)
        return await self._palm.enrolments.put(
            "palm", node_id, body, actor=actor, request_id=request_id, now_us=now_us()
        )

    def _frames(self, terminal_id: str, node_id: str, intent: str, count: int) -> Sequence[bytes]:
        terminal = self._terminals.get(terminal_id)
        if terminal is None:
            raise Problem("not_found", f"No software terminal {terminal_id} is here: name one of this site's own.")
        _, epoch = self._palm.registry.probes.state(REGISTRY)
        if self._epochs.get(terminal_id) != epoch:
            rotation, epoch = self._palm.registry.probes.rotation(REGISTRY)
            terminal.provision(rotation)
            self._epochs[terminal_id] = epoch
        return [terminal.lay(node_id, intent, liveness=_LIVENESS) for _ in range(count)]


_LIVENESS: Final = 90
"""What the training sensor claims of a drawn hand."""


def _text(frame: bytes) -> msgspec.Raw:
    return msgspec.Raw(b'"' + base64.b64encode(frame) + b'"')
