"""The training site's palm terminals: from a drawn hand to a decision by the calls that a scanner makes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.api.problems import Problem
from app.training.palms import TERMINALS, TrainingPalms
from tests.palm_site import REGISTRY, PalmSite, pinned_pictures

__all__ = ["pinned_pictures"]


def test_from_hand_to_decision_over_a_restart_and_a_renewal(tmp_path: Path) -> None:
    """Enrolled and found as alive; the terminals keep keys and counters over a restart, and follow a renewal."""
    site = PalmSite(tmp_path / "site", training=True)
    terminal_id = TERMINALS[0][0]

    async def use() -> None:
        for node_id in ("ARC-T01", "ARC-T02"):
            site.add_node(node_id)
        palms = TrainingPalms(site.palm, tmp_path / "terminals", site.bus)
        await palms.start()
        for node_id in ("ARC-T01", "ARC-T02"):
            enrolled = await palms.enrol(terminal_id, node_id, actor="tester", request_id=None)
            assert enrolled.samples == 5
        await palms.stop()
        again = TrainingPalms(site.palm, tmp_path / "terminals", site.bus)
        await again.start()
        for epoch in (1, 2):
            found = await again.lay(terminal_id, "ARC-T02", "LOGIN", actor="tester", request_id=None)
            assert (found.verified, found.node_id, found.standing) == (True, "ARC-T02", "VERIFIED_DIGITAL_HUMAN")
            stranger = await again.lay(terminal_id, "ARC-T77", "LOGIN", actor="tester", request_id=None)
            assert not stranger.verified
            if epoch == 1:
                await site.biometrics.template_registries.renew(REGISTRY, actor="tester")
        with pytest.raises(Problem, match="No software terminal"):
            await again.lay("palm-elsewhere", "ARC-T01", "LOGIN", actor="tester", request_id=None)
        await again.stop()

    asyncio.run(use())
    site.close()


def test_frames_of_an_earlier_epoch_are_refused(tmp_path: Path) -> None:
    """After a renewal a scanner without its new projection is told so."""
    site = PalmSite(tmp_path / "site")
    site.add_node("ARC-T01")

    async def renew() -> None:
        await site.people(25)
        await site.enrol("ARC-T01")
        frame = site.scanner.lay("ARC-T01", "LOGIN")
        await site.biometrics.template_registries.renew(REGISTRY, actor="tester")
        with pytest.raises(Problem) as caught:
            await site.verify(frame, "LOGIN")
        assert caught.value.code == "state_conflict"
        assert site.leaves("palm.verify")[-1]["cause"] == "epoch"
        site.scanner.provision(site.projection())
        assert (await site.lay("ARC-T01", "LOGIN")).verified

    asyncio.run(renew())
    site.close()
