"""Operators of a served site: made as the command line makes them, signed in as a console does."""

from __future__ import annotations

import base64
import hashlib
import json
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from app.api.roles import Role
from app.operators.messages import OperatorBody, SignInMethod
from app.service.assembly import create_operator
from app.site.site import Site
from hardware.cards.apdu import ApduChannel
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.piv import Algorithm, PivSession, Slot
from hardware.cards.software import SoftwareCard
from tests.served_site import ServedSite
from tests.service.capabilities.provisioning.card_desk import pin_on

PASSPHRASE = "correct horse battery staple"
UNIT = "desk-1"
UNIT_KEY = {
    "kty": "OKP",
    "crv": "Ed25519",
    # RFC 8037, appendix A.2.
    "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
}


def encode(passphrase: str) -> str:
    """A passphrase as it crosses the wire."""
    return base64.b64encode(unicodedata.normalize("NFC", passphrase).encode()).decode()


def register_unit(site: ServedSite, unit_id: str = UNIT) -> None:
    """The console unit that sessions are bound to."""
    answer = site.put(f"/v1/registry/units/{unit_id}", {"public_key": UNIT_KEY, "actions": []})
    assert answer.status_code in (200, 201), answer.text


def make_operator(
    site: ServedSite,
    *roles: Role,
    name: str = "Somebody",
    node_id: str | None = None,
    methods: Sequence[SignInMethod] = ("passphrase",),
    passphrase: str | None = PASSPHRASE,
) -> str:
    """An operator of a line of its own; its id."""
    body = OperatorBody(display_name=name, roles=list(roles), node_id=node_id, methods=list(methods))
    secret = None if passphrase is None else memoryview(passphrase.encode())
    return create_operator(Site.existing(site.data_dir), body, secret)


def sign_in(site: ServedSite, operator_id: str, passphrase: str = PASSPHRASE, unit_id: str = UNIT) -> httpx.Response:
    """The call by which a console signs an operator in."""
    body = {"operator_id": operator_id, "unit_id": unit_id, "passphrase": encode(passphrase)}
    return site.post("/v1/operators/sign-in/passphrase", body)


class SignedInOperator:
    """A session: calls are made with its key."""

    def __init__(self, site: ServedSite, operator_id: str, answer: httpx.Response | None = None) -> None:
        self.site = site
        self.operator_id = operator_id
        answer = sign_in(site, operator_id) if answer is None else answer
        assert answer.status_code == 200, answer.text
        said = answer.json()
        self.key: str = said["key"]
        self.session: dict[str, Any] = said["session"]

    def call(self, method: str, path: str, body: object | None = None, **headers: str) -> httpx.Response:
        """One call; ``body`` None: without a body."""
        sent = {"Authorization": f"Bearer {self.key}", **headers}
        if body is None:
            return self.site.client.request(method, path, headers=sent)
        sent = {"Content-Type": "application/json", **sent}
        return self.site.client.request(method, path, headers=sent, content=json.dumps(body).encode())

    def is_in(self) -> bool:
        """Whether the key opens calls."""
        return self.call("GET", "/v1/operators/session").status_code == 200


def audited(site: ServedSite, **criteria: object) -> list[dict[str, Any]]:
    """The audit entries of the last 300 days with these criteria, newest first."""
    to = datetime.now(UTC) + timedelta(days=1)
    body = {"range": f"P300D/{to:%Y-%m-%dT%H:%M:%SZ}", "criteria": {**criteria, "limit": 500}}
    answer = site.post("/v1/audit-log-query", body)
    assert answer.status_code == 200, answer.text
    entries: list[dict[str, Any]] = answer.json()["entries"]
    return entries


class CardHolder:
    """A person with a card that the site wrote, and its PIN; the card is out of the site's readers."""

    def __init__(
        self, site: ServedSite, node_id: str, reader: str = "Training Reader 1", card: str | None = None
    ) -> None:
        """``card``: of the drawer, put in first; None: the reader has a blank one."""
        self.node_id = node_id
        if card is not None:
            moved = site.post("/v1/training/cards", {"action": "insert", "reader": reader, "card": card})
            assert moved.status_code == 200, moved.text
        body = {"node_id": node_id, "hardware_uid": f"reader:{reader}", "fips_standard": "FIPS 140-3 Level 2"}
        written = site.post("/v1/hardware/se/provision", body)
        assert written.status_code == 200, written.text
        self.provision: dict[str, Any] = written.json()
        path = f"/v1/hardware/se/provisions/{self.provision['provision_id']}/pin-mailer"
        self.pin = pin_on(site.post(path, {}).content)
        cards = site.data_dir / "cards"
        places: dict[str, str] = json.loads((cards / "in-readers.json").read_text())
        moved = site.post("/v1/training/cards", {"action": "remove", "reader": reader})
        assert moved.status_code == 200, moved.text
        self._card = cards / f"{next(name for name, where in places.items() if where == reader)}.json"

    def session(self) -> PivSession:
        """The card's PIV application, after VERIFY."""
        backend = InProcessBackend(["console"])
        backend.insert("console", SoftwareCard(self._card))
        piv = PivSession(ApduChannel(backend.open("console")))
        piv.select()
        piv.verify(self.pin)
        return piv

    def answer(self, statement: str, slot: Slot = Slot.AUTHENTICATION) -> dict[str, str]:
        """Certificate and signature of the slot, as a console sends them."""
        piv = self.session()
        certificate = piv.read_certificate(slot)
        assert certificate is not None
        signature = piv.sign(slot, Algorithm.P256, hashlib.sha256(statement.encode()).digest())
        return {
            "certificate": base64.b64encode(certificate).decode(),
            "signature": base64.b64encode(signature).decode(),
        }
