"""A site with palm terminals in software, drawn palms, and everything that judges them."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from sqlalchemy import select

from app.biometrics.enrolments import Enrolments, Modality
from app.biometrics.messages import BundleTaken, BundleTakenBody, EnrolledTemplates, TemplateSamples
from app.biometrics.service import Biometrics
from app.capabilities.palm.messages import PalmVerdict, PalmVerifyBody
from app.capabilities.palm.service import Palm
from app.capabilities.stylized.service import Stylized
from app.delivery.alarms import AlarmBook
from app.delivery.events import Event, EventBus
from app.ledger.log.append import AuditLog
from app.ledger.tables import audit_entry
from app.registry.messages.jwk import EcJwk, EncryptionJwk, OkpJwk
from app.registry.messages.nodes import NodeBody
from app.registry.messages.terminals import TerminalBody
from app.registry.service import Registry, now_us
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.keys import Keys, find_kek
from app.store.sealed import FieldSealer
from hardware.terminals import software
from hardware.terminals.bundle import PalmBundleHead
from hardware.terminals.frame import ENROL_INTENT
from hardware.terminals.projection import Projection
from hardware.terminals.signing import VerifyingKey
from hardware.terminals.software import SoftwareTerminal

TERMINAL = "palm-lobby"
REGISTRY = "default"
KNOT = "0x" + "ab" * 8


class PalmSite:
    """Node ids are ``ARC-P01`` and so on; every one has a hand, drawn."""

    def __init__(self, path: Path, *, training: bool = False) -> None:
        self.path = path
        self.site = Site.open(path, "training")
        self.keys = Keys(self.site.keys_path, find_kek(self.site))
        self.store = Store.open(
            self.site.store_path,
            AuditLog(self.site.origin("audit"), self.keys.ed25519("audit")),
            sealer=FieldSealer(self.keys),
        )
        self.bus = EventBus()
        self.events: list[Event] = []
        self.bus.subscribe(self.events.append)
        self.alarms = AlarmBook(self.store, self.bus)
        cursors = Cursors(self.keys.secret("cursor"))
        self.registry = registry = Registry(self.site, self.store, self.keys, cursors)
        self.registry.load()
        self.biometrics = biometrics = Biometrics(self.site, self.store, self.keys, cursors, registry, self.alarms)
        self.biometrics.load()
        self.enrolments = Enrolments(
            self.store,
            registry.nodes,
            registry.deny,
            registry.terminals,
            biometrics.templates,
            biometrics.probes,
            self.alarms,
        )
        self.palm = Palm(
            self.store,
            registry,
            biometrics,
            self.bus,
            self.alarms,
            self.enrolments,
            lambda _c, _n: KNOT,
            training=training,
        )
        self.stylized = Stylized(
            self.store, biometrics, self.alarms, self.enrolments, lambda _c, _n: KNOT, training=training
        )
        self.scanner = self.terminal(TERMINAL)

    def close(self) -> None:
        self.store.close()
        self.keys.close()

    def do(self, job: Any) -> Any:
        """One transaction, waited for."""
        return self.store.writer.submit(job).result(60)

    def add_node(self, node_id: str, **more: Any) -> None:
        body = NodeBody(display_name=f"Training Person {node_id}", **more)
        self.do(lambda tx: self.registry.nodes.put_in(tx, node_id, body, "tester"))

    def terminal(self, terminal_id: str, *, registered: bool = True, key: Any = None, **more: Any) -> SoftwareTerminal:
        """A software terminal with the registry's projection; registered with its key unless told otherwise."""
        made = SoftwareTerminal(self.path / f"{terminal_id}.json", terminal_id, key=key)
        made.provision(self.projection())
        if registered:
            opens = jwk(made.encryption_key)
            assert isinstance(opens, EcJwk)
            sealed_to = EncryptionJwk(crv="P-256", x=opens.x, y=opens.y)
            body = TerminalBody(kind="palm", public_key=jwk(made.public_key), encryption_key=sealed_to, **more)
            self.do(lambda tx: self.registry.terminals.put_in(tx, terminal_id, body, "tester"))
        return made

    def legacy(self, terminal_id: str, **more: Any) -> None:
        """A terminal that cannot sign."""
        body = TerminalBody(kind="palm", legacy=True, **more)
        self.do(lambda tx: self.registry.terminals.put_in(tx, terminal_id, body, "tester"))

    def projection(self) -> Projection:
        return self.biometrics.template_registries.projection(REGISTRY)[0]

    async def enrol(self, node_id: str, modality: Modality = "palm", shots: int = 5) -> EnrolledTemplates:
        """Five shots of the node's hand on the scanner."""
        frames = [self.scanner.lay(node_id, ENROL_INTENT) for _ in range(shots)]
        return await self.put(node_id, [base64_of(frame) for frame in frames], modality)

    async def put(
        self, node_id: str, samples: list[msgspec.Raw], modality: Modality = "palm", **more: Any
    ) -> EnrolledTemplates:
        body = TemplateSamples(samples=samples, **more)
        return await self.enrolments.put(modality, node_id, body, actor="tester", request_id="req_1", now_us=now_us())

    async def people(self, count: int) -> list[str]:
        """Registered nodes with templates of random directions, as many as a real partition has, without drawing."""
        random = np.random.default_rng(7)
        node_ids = [f"ARC-R{number:03}" for number in range(count)]
        for node_id in node_ids:
            self.add_node(node_id)
            direction = random.standard_normal(512)
            row = np.clip(np.rint(direction / np.linalg.norm(direction) * 724.0773439350247), -127, 127)
            template = row.astype(np.int8)[np.newaxis]

            def job(tx: Any, node_id: str = node_id, template: Any = template) -> None:
                self.biometrics.templates.enrol(tx, node_id, template, epoch=1, actor="tester")

            self.do(job)
        return node_ids

    async def fetch(self, terminal: SoftwareTerminal) -> PalmBundleHead:
        """Gives the terminal a bundle of the site."""
        text = await self.biometrics.bundles.issue(terminal.terminal_id, actor="tester")
        return terminal.take(text, self.biometrics.bundles.site_keys())

    async def acknowledge(self, terminal: SoftwareTerminal) -> BundleTaken:
        """Has the terminal say that it took its last bundle."""
        said = terminal.acknowledgement()
        assert said is not None
        body = BundleTakenBody(issue=said[0], signature=base64.urlsafe_b64encode(said[1]).rstrip(b"=").decode())
        return await self.biometrics.bundles.acknowledge(terminal.terminal_id, body, actor="tester", request_id="req_3")

    async def verify(self, frame: bytes, intent: str = "ACCESS_ENTRY", terminal_id: str = TERMINAL) -> PalmVerdict:
        body = PalmVerifyBody(dermal_vector=base64_of(frame), terminal_id=terminal_id, intent=intent)
        return await self.palm.verify(body, actor="tester", request_id="req_2")

    async def lay(self, node_id: str, intent: str = "ACCESS_ENTRY", **more: Any) -> PalmVerdict:
        """The node's hand on the scanner, decided."""
        return await self.verify(self.scanner.lay(node_id, intent, **more), intent)

    def leaves(self, action: str) -> list[dict[str, Any]]:
        """Details of the audit leaves of this action, oldest first, with ``outcome`` and ``node_id``."""
        with self.store.read() as connection:
            rows = connection.execute(
                select(audit_entry.c.header, audit_entry.c.payload).order_by(audit_entry.c.seq)
            ).all()
        found = []
        for header, payload in rows:
            head, body = msgspec.json.decode(header), msgspec.json.decode(payload)
            if head["action"] == action:
                found.append({**body["detail"], "outcome": head["outcome"], "node_id": body.get("node_id")})
        return found


def base64_of(raw: bytes) -> msgspec.Raw:
    return msgspec.Raw(b'"' + base64.b64encode(raw) + b'"')


def jwk(key: VerifyingKey) -> OkpJwk | EcJwk:
    """As a terminal is registered."""

    def text(raw: bytes) -> str:
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()

    if isinstance(key, EllipticCurvePublicKey):
        numbers = key.public_numbers()
        return EcJwk(crv="P-256", x=text(numbers.x.to_bytes(32, "big")), y=text(numbers.y.to_bytes(32, "big")))
    return OkpJwk(crv="Ed25519", x=text(key.public_bytes(Encoding.Raw, PublicFormat.Raw)))


@pytest.fixture(scope="module", autouse=True)
def pinned_pictures() -> Iterator[None]:
    """A module's hands lie the same way each time: no test is decided by how one happened to."""
    drawn = Random(1)
    with pytest.MonkeyPatch.context() as patch:
        numbers = SimpleNamespace(token_bytes=drawn.randbytes, randbits=drawn.getrandbits)
        patch.setattr(software, "secrets", numbers)
        yield


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, pinned_pictures: None) -> Iterator[PalmSite]:
    """One palm site a module, by production rules: copies are refused. What a test adds, it names for itself."""
    del pinned_pictures
    made = PalmSite(tmp_path_factory.mktemp("palm"))
    yield made
    made.close()
