"""kill -9 while notices are sent: none is lost, and what comes twice is the same message under the same Message-ID."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import select

from app.delivery.tables import delivery
from tests.mail_receiver import Mail, MailReceiver
from tests.service.delivery.notice_site import AT_ONCE, NoticeSite

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NOTICES = 4
"""New ones of each process; it also has those that the killed one before it left."""


class Killer:
    """Kills the child at the moment that was drawn: at a recipient, with the whole message but before the answer, or
    some milliseconds after a message."""

    def __init__(self, chance: random.Random) -> None:
        self.child: subprocess.Popen[bytes] | None = None
        self.where = chance.choice(("recipient", "message", "later"))
        self.left = chance.randint(1, NOTICES)
        self.after_s = chance.uniform(0.0, 0.03)
        self._lock = threading.Lock()

    def at(self, where: str) -> None:
        """The server is at this point of a mail."""
        with self._lock:
            if where != ("message" if self.where == "later" else self.where):
                return
            self.left -= 1
            if self.left == 0:
                if self.where == "later":
                    threading.Timer(self.after_s, self.kill).start()
                else:
                    self.kill()

    def kill(self) -> None:
        """Without a word."""
        if self.child is not None:
            self.child.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("kills", [6, pytest.param(100, marks=pytest.mark.campaign)])
def test_no_notice_is_lost_and_repeats_are_the_same(tmp_path: Path, kills: int) -> None:
    """So many processes, killed one after the other at drawn moments: every notice that was durable arrives, and all
    copies of it are equal to the byte."""
    chance = random.Random(15)
    killer = Killer(chance)
    told: list[str] = []

    def recipient(_address: str) -> None:
        killer.at("recipient")

    def taken(_mail: Mail) -> None:
        killer.at("message")

    receiver = MailReceiver(recipient=recipient, taken=taken)
    with receiver.listening():
        command = [sys.executable, str(HERE / "notice_kill_child.py"), str(tmp_path / "site")]
        for _ in range(kills):
            killer = Killer(chance)
            killer.child = child = subprocess.Popen(
                [*command, str(receiver.port), str(NOTICES)],
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdout=subprocess.PIPE,
            )
            told += child.communicate(timeout=120)[0].decode().split()
            assert child.returncode == -signal.SIGKILL
        killer = Killer(chance)
        killer.left = 0
        site = NoticeSite(tmp_path / "site")
        with site.parts.store.read() as connection:
            durable = list(connection.scalars(select(delivery.c.delivery_id)))

        async def go_on() -> None:
            async with site.running(receiver.port, retries_s=AT_ONCE):
                for notice_id in durable:
                    await site.state(notice_id, "sent")

        asyncio.run(go_on())
        site.close()
    assert set(told) <= set(durable)
    assert len(durable) >= len(told) >= kills
    copies = Counter(mail.message_id for mail in receiver.mails)
    assert set(copies) == {f"<{notice_id}@site.invalid>" for notice_id in durable}
    assert len({mail.raw for mail in receiver.mails}) == len(durable)
    print(f"{kills} kills, {len(durable)} notices, {sum(copies.values()) - len(copies)} repeats, none lost")
