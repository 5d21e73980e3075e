"""A site in this process with strikes, platforms and their notices; nothing is sent, and what would be is kept."""

from __future__ import annotations

import atexit
import contextlib
import functools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from app.capabilities.enforcement.messages import Strike, StrikeBody, StrikeDetails
from app.capabilities.enforcement.service import Strikes
from app.delivery.deliveries import Deliveries
from app.delivery.messages import RecordOutcome
from app.registry.messages.nodes import NodeBody
from app.registry.messages.platforms import PlatformBody
from app.registry.service import Registry
from app.service.assembly import assemble
from app.service.serving import Assembly
from app.site.site import PASSPHRASE_FILE, Profile, Site
from app.store.engine import Store

ACTOR = "key-test"
NODE = "ARC-STRIKE-1"
URLS = ["https://video.example/v/88121", "https://video.example/v/88122"]
DECLARANT = {
    "name": "Training Person One",
    "capacity": "the person shown",
    "attested": True,
    "email": "one@training.invalid",
}
WORK = {"title": "A training recording", "owner": "Training Person One"}
STATEMENT = "The recording shows my voice and face, made by a machine. I never agreed to it."
WHOLE: dict[str, Any] = {
    "content_urls": URLS,
    "statement": STATEMENT,
    "declarant": DECLARANT,
    "work": WORK,
    "nature": "impersonation",
}
"""All details that any law asks for."""


class StrikeSite:
    """Services of one site. ``store`` and ``registry`` are the site's own."""

    def __init__(self, site: Site, assembly: Assembly) -> None:
        self.site = site
        services = assembly.services
        strikes, deliveries, registry = services["enforcement"], services["deliveries"], services["registry"]
        assert isinstance(strikes, Strikes)
        assert isinstance(deliveries, Deliveries)
        assert isinstance(registry, Registry)
        self.strikes, self.deliveries, self.registry = strikes, deliveries, registry
        self.assembly = assembly

    @property
    def store(self) -> Store:
        """The site's store."""
        return self.registry.store

    def write(self, job: Any) -> Any:
        """One transaction, from the test's thread."""
        return self.store.writer.submit(job).result(30)

    def platform(self, platform_id: str = "video", channel: str = "form", **fields: Any) -> None:
        """A registered platform."""
        address = "abuse@video.invalid" if channel == "mail" else "https://video.example/report"
        body = {"display_name": f"Training {platform_id}", "channel": channel, "address": address, **fields}
        said = msgspec.convert(body, PlatformBody)
        self.write(lambda tx: self.registry.platforms.put_in(tx, platform_id, said, ACTOR))

    def node(self, node_id: str = NODE) -> None:
        """A registered node."""
        said = NodeBody(display_name=f"Training Person {node_id}")
        self.write(lambda tx: self.registry.nodes.put_in(tx, node_id, said, ACTOR))

    async def issue(self, code: str = "EU", *, automated: bool = False, **fields: Any) -> Strike:
        """A strike."""
        return (await self.call(code, automated=automated, **fields))[0]

    async def call(self, code: str = "EU", *, automated: bool = False, **fields: Any) -> tuple[Strike, bool]:
        """A strike, and whether it was made."""
        return await self.strikes.issue(strike_body(code, automated=automated, **fields), actor=ACTOR)

    async def supply(self, found: Strike, **fields: Any) -> Strike:
        """A PATCH."""
        details = msgspec.convert(fields, StrikeDetails)
        return await self.strikes.supply(found.tracking_token, details, actor=ACTOR)

    async def outcome(self, notice_id: str, state: str, **fields: Any) -> None:
        """What a person records of a notice."""
        said = msgspec.convert({"state": state, **fields}, RecordOutcome)
        await self.deliveries.record_outcome(notice_id, said, actor=ACTOR, request_id="req_test")

    def read(self, found: Strike) -> Strike:
        """The strike as it is now."""
        return self.strikes.records.get(found.tracking_token)

    def counts(self) -> list[int]:
        """Rows of the tables that a strike writes."""
        names = ("strike", "strike_notice", "strike_event", "strike_file", "delivery", "audit_entry")
        with self.store.read() as connection:
            return [connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one() for name in names]

    def actions(self) -> list[str]:
        """Actions of all leaves, in order."""
        with self.store.read() as connection:
            rows = connection.exec_driver_sql(
                "SELECT w.text FROM audit_entry e JOIN log_word w ON w.id = e.action ORDER BY e.seq"
            )
            return [row[0] for row in rows]


def strike_body(code: str = "EU", *, automated: bool = False, **fields: Any) -> StrikeBody:
    """A body; the three fields of the specification where nothing more is given."""
    said = {
        "target_compromise_signature": "case 7 of the training desk",
        "enforcement_jurisdiction": code,
        "automated_dmca_dispatch": automated,
    }
    return msgspec.convert({**said, **fields}, StrikeBody)


@functools.cache
def _laid_out(profile: Profile) -> Path:
    """A site whose first start is over: its people, cards and doors are there. All of a run are copies of it."""
    scratch = tempfile.TemporaryDirectory()
    atexit.register(scratch.cleanup)
    path = Path(scratch.name) / "site"
    if profile == "production":
        path.mkdir(mode=0o700)
        passphrase = path / PASSPHRASE_FILE
        passphrase.write_text("training passphrase of a test")
        passphrase.chmod(0o600)
    with contextlib.ExitStack() as claims:
        assemble(Site.open(path, profile), pcsc="off", claims=claims)
    return path


@contextlib.contextmanager
def strike_site(path: Path, profile: Profile = "training") -> Iterator[StrikeSite]:
    """A site of its own. Its outbox does not run: what is queued stays queued."""
    shutil.copytree(_laid_out(profile), path)
    site = Site.open(path, profile)
    with contextlib.ExitStack() as claims:
        yield StrikeSite(site, assemble(site, pcsc="off", claims=claims))
