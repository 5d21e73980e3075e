"""A site that enrols a voice, burns its node, and is killed at one step of the burn:
``python -m tests.service.capabilities.voice.voice_kill_child DIR STEP``."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from app.capabilities.burn.running import Step
from tests.voice_site import voice_site


def main(directory: str, step: str) -> None:
    """Makes the site, enrols and burns."""

    def failpoint(reached: Step) -> None:
        if reached == step:
            os.kill(os.getpid(), signal.SIGKILL)

    with voice_site(Path(directory), failpoint=failpoint) as site:

        async def burned() -> None:
            await site.enrol("ARC-1")
            async with site.doors.running():
                await site.doors.burn("ARC-1", 0.0)

        asyncio.run(burned())


if __name__ == "__main__":
    main(*sys.argv[1:])
