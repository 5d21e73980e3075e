"""kill -9 between a callback that its receiver has and the record of it: the same id comes again, and nothing is
lost."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from tests.callback_receiver import CallbackReceiver, verified
from tests.service.delivery.outbox_site import OutboxSite

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def test_what_was_not_recorded_comes_again_under_its_id(tmp_path: Path) -> None:
    """The receiver has the call and kills its sender before it answers. The next start sends that one again, to the
    byte, and takes up the other that had not arrived."""
    children: list[subprocess.Popen[bytes]] = []
    receiver = CallbackReceiver(204, before=lambda: children[0].send_signal(signal.SIGKILL))
    with receiver.listening():
        port = str(urlsplit(receiver.url).port)
        child = subprocess.Popen(
            [sys.executable, str(HERE / "outbox_kill_child.py"), str(tmp_path / "site"), receiver.url, port],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
        )
        children.append(child)
        told = child.communicate(timeout=60)[0].decode().split()
        assert child.returncode == -signal.SIGKILL
        secret, nobody = told
        (first,) = receiver.calls
        receiver.before = None
        site = OutboxSite(tmp_path / "site")

        async def go_on() -> None:
            async with site.running(receiver.url, listed=[1]):
                delivery_id = first.headers["webhook-id"]
                before = site.get(delivery_id)
                assert (before.attempts, before.state) in ((0, "queued"), (1, "delivered"))
                assert (await site.state(delivery_id, "delivered")).attempts == 1
                assert (await site.state(nobody, "dead_letter")).attempts >= 8

        asyncio.run(go_on())
        (second,) = receiver.calls[1:]
        assert (second.headers["webhook-id"], second.body) == (first.headers["webhook-id"], first.body)
        public = site.published.public().webhook_keys
        assert verified(first, secret, public) == verified(second, secret, public)
        site.close()
