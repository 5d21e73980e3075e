"""Everything outside a site that one burn must reach: slapd, scim2-server, a receiver of Shared Signals, and two
systems that are dead when the burn comes: one refuses connections, one takes calls and does not answer."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.burn_receivers import (
    OAUTH_TENANT,
    OAUTH_TOKEN,
    SSF_AUDIENCE,
    SSF_TOKEN,
    WEBHOOK_SECRET,
    AuthorizationServer,
    SsfReceiver,
    WebhookReceiver,
)
from tests.receiver import Received, Reply
from tests.scim_server import TOKEN as SCIM_TOKEN
from tests.scim_server import ScimServer
from tests.slapd import BASE, SERVICE, SERVICE_PASSWORD, Slapd, slapd

LIVE = ("ldap", "scim", "ssf")
DEAD = ("oauth", "webhook")
UNREAD = ("ssf", *DEAD)
"""Kinds whose effect cannot be read: the best that a burn has of them is ``delivered``."""


@dataclass
class Elsewhere:
    """The systems with persons 1 to ``persons``; ``users``: their ids in SCIM, by number."""

    staff: Slapd
    apps: ScimServer
    signals: SsfReceiver = field(default_factory=SsfReceiver)
    refusing: WebhookReceiver = field(default_factory=WebhookReceiver)
    hanging: AuthorizationServer = field(default_factory=AuthorizationServer)
    users: dict[int, str] = field(default_factory=dict)
    _refusing_port: int = 0
    _answers: threading.Event = field(default_factory=threading.Event)
    _stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def directories(self, *, dead: bool = True, patient: bool = False) -> dict[str, dict[str, Any]]:
        """Bodies of PUT ``/v1/registry/directories/{id}``. ``patient``: those that live have 5 s for an attempt, so
        that a machine under load is not taken for a dead system."""
        live: dict[str, dict[str, Any]] = {
            "staff": {
                "kind": "ldap",
                "url": self.staff.url,
                "bind_dn": SERVICE,
                "secret": SERVICE_PASSWORD,
                "base_dn": BASE,
            },
            "apps": {"kind": "scim", "url": self.apps.url, "secret": SCIM_TOKEN},
            "signals": {"kind": "ssf", "url": self.signals.url, "secret": SSF_TOKEN, "audience": SSF_AUDIENCE},
        }
        if patient:
            for body in live.values():
                body["timeout_ms"] = 5000
        if not dead:
            return live
        return {
            **live,
            "idp": {"kind": "oauth", "url": self.hanging.url, "secret": OAUTH_TOKEN, "audience": OAUTH_TENANT},
            "vpn": {"kind": "webhook", "url": f"http://127.0.0.1:{self._refusing_port}/", "secret": WEBHOOK_SECRET},
        }

    @staticmethod
    def accounts(number: int, *, dead: bool = True) -> list[tuple[str, str]]:
        """Directory and account of a person; ``signals`` and ``vpn`` are told of everybody."""
        live = [("staff", login(number)), ("apps", f"E-{number}")]
        return [*live, ("idp", email(number))] if dead else live

    def revive(self) -> None:
        """The dead come back: one listens from now on, one answers what it took and all that comes."""
        self._stack.enter_context(self.refusing.listening(self._refusing_port))
        self._answers.set()

    def locked(self, number: int) -> bool:
        """Nobody gets in with the old password, and SCIM's account is not active, as their own clients find it."""
        inactive = self.apps.call("GET", f"/Users/{self.users[number]}")["active"] is False
        return inactive and not self.staff.lets_in(login(number), f"old-{login(number)}")

    def signalled(self, burn_id: str) -> Counter[str]:
        """How often each event of the burn was taken, by ``jti``."""
        return Counter(claims["jti"] for claims in self.signals.taken if claims["txn"] == burn_id)

    def told(self, burn_id: str) -> Counter[str]:
        """How often each webhook of the burn was taken, by ``webhook-id``."""
        return Counter(
            call.headers["webhook-id"]
            for call in self.refusing.calls
            if call.method == "POST" and burn_id.encode() in call.body
        )

    def _hold(self, call: Received) -> Reply:
        self._answers.wait(120)
        return self.hanging.revoke(call)


def login(number: int) -> str:
    """Of a person in slapd."""
    return f"t{number}"


def email(number: int) -> str:
    """Of a person."""
    return f"t{number}@site.invalid"


@contextlib.contextmanager
def elsewhere(home: Path, persons: int) -> Iterator[Elsewhere]:
    """All of them running, the dead ones dead; ``home``: an empty directory. Persons are in one group each in slapd and
    in SCIM."""
    numbers = range(1, persons + 1)

    def people(server: Slapd) -> None:
        server.load_people([login(number) for number in numbers])
        server.load_group("all", *(login(number) for number in numbers))

    with slapd(home / "slapd", people) as staff, ScimServer().running() as apps, contextlib.ExitStack() as stack:
        made = Elsewhere(staff, apps, _stack=stack)
        for number in numbers:
            made.users[number] = apps.user(login(number), f"E-{number}")
            made.hanging.sessions["email", email(number)] = 1
        apps.group("all", *made.users.values())
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            made._refusing_port = probe.getsockname()[1]
        made.hanging.answer = made._hold
        # Before its server ends: what it holds back would keep it.
        stack.enter_context(made.signals.listening())
        stack.enter_context(made.hanging.listening())
        stack.callback(made._answers.set)
        yield made
