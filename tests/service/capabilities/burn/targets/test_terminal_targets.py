"""A burn and a terminal that may let people in by itself."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.biometrics.messages import BundleTakenBody
from app.capabilities.burn import fanout
from app.registry.messages.jwk import EcJwk, EncryptionJwk
from app.registry.messages.terminals import TerminalBody
from hardware.terminals.software import SoftwareTerminal
from tests.door_site import ACTOR, DoorSite, door_site, until
from tests.palm_site import jwk

DOOR = "palm-door"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """One that never tries a target again by itself."""
    with door_site(tmp_path / "site") as made, pytest.MonkeyPatch.context() as patched:
        patched.setattr(fanout, "_pause", lambda _target: 3600.0)
        yield made


def door_of(site: DoorSite, path: Path) -> SoftwareTerminal:
    """Registered as one that may decide offline."""
    made = SoftwareTerminal(path, DOOR)
    opens = jwk(made.encryption_key)
    assert isinstance(opens, EcJwk)
    sealed_to = EncryptionJwk(crv="P-256", x=opens.x, y=opens.y)
    body = TerminalBody(kind="palm", public_key=jwk(made.public_key), encryption_key=sealed_to, offline=True)
    site.write(lambda tx: site.registry.terminals.put_in(tx, DOOR, body, ACTOR))
    return made


def test_the_word_of_the_terminal_ends_the_burn_at_once(site: DoorSite, tmp_path: Path) -> None:
    """Fetched after the burn it is pending still, also when it is tried by hand; with the terminal's word the burn is
    complete, without another try of its own."""
    door = door_of(site, tmp_path / "door")
    bundles = site.biometrics.bundles

    async def fetched() -> None:
        door.take(await bundles.issue(DOOR, actor=ACTOR), bundles.site_keys())

    async def said() -> None:
        found = door.acknowledgement()
        assert found is not None
        signature = base64.urlsafe_b64encode(found[1]).rstrip(b"=").decode()
        body = BundleTakenBody(issue=found[0], signature=signature)
        await bundles.acknowledge(DOOR, body, actor=ACTOR)

    async def work() -> None:
        async with site.running():
            await fetched()
            await said()
            burn, target = await site.tried("terminal")
            assert (burn.state, target.id, target.state) == ("PARTIAL", f"terminal:{DOOR}", "pending_offline")
            await fetched()
            burn = await site.burns.retry(burn.burn_id, target.id)
            target = next(one for one in burn.targets if one.id == target.id)
            assert (burn.state, target.state) == ("PARTIAL", "pending_offline")
            assert "was fetched and is not acknowledged" in (target.evidence or "")
            await said()
            await until(lambda: site.burns.get(burn.burn_id).state == "COMPLETE")
            target = next(one for one in site.burns.get(burn.burn_id).targets if one.id == target.id)
            assert target.evidence == f"it acknowledged bundle {door.issue}, made after the burn"

    asyncio.run(work())
