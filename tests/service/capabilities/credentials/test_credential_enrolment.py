"""Enrolment of a real reader: another process with libosdp's own reader class, on a TCP line, in install mode."""

from __future__ import annotations

import asyncio
from pathlib import Path

from app.api.problems import Problem
from app.registry.messages.clusters import Reader, ReaderBody, ReaderClusterBody
from app.registry.service import now_us
from tests.door_site import ACTOR, DoorSite, door_site, until
from tests.hardware.readers.reader_site import IndependentReader


async def enrol(site: DoorSite, where: str) -> list[tuple[bool, bool]]:
    """(enrolled, secure) of the reader before the window was opened and after."""
    part = ReaderBody(reader_id="gate-1", channel=where, address=5)
    seen = []

    def look() -> Reader:
        seen.append(site.registry.clusters.get("gate", now_us()).readers[0])
        return seen[-1]

    async with site.running():
        await site.registry.clusters.put("gate", ReaderClusterBody(display_name="Gate", readers=[part]), actor=ACTOR)
        before = look()
        await site.registry.clusters.enrol("gate", None, 60, actor=ACTOR)
        await until(lambda: look().enrolled)
        await site.credentials.doors.settle()
        # The window is closed now: what comes up from here on has proven its own key.
        await until(lambda: look().secure_channel)
    return [(reader.enrolled, reader.secure_channel) for reader in (before, seen[-1])]


def test_a_real_reader_takes_its_key_in_the_window_alone(tmp_path: Path) -> None:
    """Not served before the window; afterwards served over its own key, with a leaf that says so."""
    reader = IndependentReader(line="tcp", key=bytes(16), flags="install")
    try:
        with door_site(tmp_path / "site") as site:
            seen = asyncio.run(enrol(site, reader.where))
            actions = site.actions()
    finally:
        reader.close()
    assert seen == [(False, False), (True, True)]
    assert ("registry.cluster_enrol" in actions, actions.count("registry.reader_enrolled")) == (True, 1)


def test_an_enrolled_reader_has_nothing_to_enrol(tmp_path: Path) -> None:
    """The default asks for readers without a key; when there is none, 409 says to name one."""
    reader = IndependentReader(line="tcp", key=bytes(16), flags="install")

    async def twice(site: DoorSite) -> int:
        await enrol(site, reader.where)
        async with site.running():
            try:
                await site.registry.clusters.enrol("gate", None, 60, actor=ACTOR)
            except Problem as problem:
                return problem.status
        return 200

    try:
        with door_site(tmp_path / "site") as site:
            assert asyncio.run(twice(site)) == 409
    finally:
        reader.close()
