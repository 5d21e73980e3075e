"""Whose signatures this console trusts: the policy that a service gave at first sight, kept beside the preferences.

A service that later gives another policy may have been replaced by one that signs with other keys. The pinned policy
stays in force until the operator accepts the new one.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from app.console.evidence.log_keys import followed_policy
from app.console.files import save_private
from app.console.language import tr
from app.console.session import WindowSession

VERSION = 1
EARLIER_KEPT = 20


class PinDamaged(Exception):
    """A pin cannot be read. It is not replaced: that would trust any service."""


@dataclass(frozen=True)
class Pin:
    """``policy``: what this console trusts, since ``since`` (Unix seconds). ``offered``: what the service gives now."""

    policy: bytes
    since: float
    offered: bytes
    first_sight: bool

    @property
    def changed(self) -> bool:
        """Whether the service gives another policy than the pinned one."""
        return self.offered != self.policy

    @property
    def difference(self) -> str:
        """Keys that were removed and added, by their names."""
        before, after = _lines(self.policy), _lines(self.offered)
        parts = []
        if before - after:
            parts.append(tr("gone: {keys}", keys=_names(before - after)))
        if after - before:
            parts.append(tr("new: {keys}", keys=_names(after - before)))
        return "; ".join(parts) or tr("the same lines in another order")


class PolicyPins:
    """The pins of every service that this console was connected to. Every call blocks on the disk."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def see(self, service: str, offered: bytes, now: float) -> Pin:
        """The pin of ``service``, which gives the policy ``offered``; at first sight that one is pinned. Raises
        ``PinDamaged``, ``OSError``."""
        path = self._path(service)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            self._write(path, service, offered, now, [])
            return Pin(offered, now, offered, first_sight=True)
        policy, since, _ = _read(path, data)
        return Pin(policy, since, offered, first_sight=False)

    def accept(self, service: str, offered: bytes, now: float) -> Pin:
        """Pin ``offered`` from now on; earlier policies stay in the file. Raises as ``see``."""
        path = self._path(service)
        policy, since, earlier = _read(path, path.read_bytes())
        earlier.append({"policy": _text(policy), "since": since})
        self._write(path, service, offered, now, earlier[-EARLIER_KEPT:])
        return Pin(offered, now, offered, first_sight=False)

    def _path(self, service: str) -> Path:
        return self._directory / f"policy-{hashlib.sha256(service.encode()).hexdigest()[:32]}.json"

    def _write(self, path: Path, service: str, policy: bytes, since: float, earlier: list[dict[str, object]]) -> None:
        said = {
            "version": VERSION,
            "service": service,
            "policy": _text(policy),
            "since": since,
            "earlier": earlier,
        }
        self._directory.mkdir(parents=True, exist_ok=True)
        save_private(path, json.dumps(said, indent=2).encode())


async def seen_policy(session: WindowSession, pins: PolicyPins) -> Pin:
    """The policy that the service gives now, against the pinned one. If only keys of the logs are new and the pinned
    keys have signed for them in the log, the pin follows by itself. Raises as ``see``, and ``ApiError``."""
    offered = await session.client.log_policy()
    name = service_name(session)
    pin = await asyncio.to_thread(pins.see, name, offered, session.live.now())
    if pin.changed:
        changes = (await session.client.log_keys()).items
        if changes and _lines(await asyncio.to_thread(followed_policy, pin.policy, changes)) == _lines(offered):
            pin = await asyncio.to_thread(pins.accept, name, offered, session.live.now())
            session.notify(tr("The logs' keys were replaced. The pinned keys have signed for the new ones."))
    return pin


def pins_of(session: WindowSession) -> PolicyPins:
    """The pins of this operating-system user."""
    return PolicyPins(session.preferences.directory / "trust")


def service_name(session: WindowSession) -> str:
    """The name that a pin is kept under: the address, or the site of this machine, whose port differs at each start."""
    return f"{session.profile} site of this machine" if session.service_pid else session.base_url


def _read(path: Path, data: bytes) -> tuple[bytes, float, list[dict[str, object]]]:
    """The pinned policy, since when (Unix seconds), and the earlier ones. Raises PinDamaged."""
    try:
        raw = json.loads(data)
        if raw["version"] != VERSION:
            raise ValueError(tr("it is of another version"))
        return raw["policy"].encode("utf-8", "surrogateescape"), float(raw["since"]), list(raw["earlier"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise PinDamaged(
            tr(
                "The pinned policy in {path} cannot be read ({error}). Compare the site's policy with an "
                "auditor's copy, then move that file away.",
                path=path,
                error=error,
            )
        ) from error


def _text(policy: bytes) -> str:
    return policy.decode("utf-8", "surrogateescape")


def _lines(policy: bytes) -> set[str]:
    lines = (" ".join(line.split()) for line in _text(policy).splitlines())
    return {line for line in lines if line and not line.startswith("#")}


def _names(lines: set[str]) -> str:
    return ", ".join(sorted({_short(line) for line in lines}))


def _short(line: str) -> str:
    """A line without its key's bytes."""
    return " ".join(word.split("+")[0] for word in line.split()[:4])
