"""From the commit of a strike's notices to the last one being ``sent``: 20 platforms by mail, beside ``smtplib``.

Both hand the same signed messages to the same mail server (aiosmtpd, in a process of its own). Ours claims each notice,
sends it over the connections to the relay, and records each answer durably; the peer has one connection and records
nothing. What the strike itself costs (render, sign) is not in it. ``python -m tests.perf.notices`` prints the rows.
"""

from __future__ import annotations

import asyncio
import secrets
import smtplib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.delivery.mail_message import mail_content
from app.delivery.notice_content import NoticeParcel
from app.store.writer import Transaction
from tests.perf.report import Row, run
from tests.service.delivery.notice_site import NEVER, NoticeSite

ROOT = Path(__file__).parents[2]
PLATFORMS = 20
ROUNDS = 15
PDF_BYTES = 20_000
"""Of a signed declaration (design: 20 KB)."""
BUSY_MS = 10
"""What a relay takes for a message that it writes to its disk. aiosmtpd alone does nothing with it."""
GOAL_P95_S = 3.0
PARCEL = NoticeParcel(
    subject="TRAINING: notice",
    text="TRAINING. A notice of usual length.\n" * 40,
    pdf=secrets.token_bytes(PDF_BYTES),
    notice_json=b'{"notice": "' + b"x" * 3_000 + b'"}',
    notice_jws="x" * 4_000,
)


class Clock:
    """An owner that takes the time when the last ``sent`` is durable."""

    def __init__(self) -> None:
        self.left = 0
        self.at = 0.0
        self.done = asyncio.Event()
        self.loop: asyncio.AbstractEventLoop | None = None

    def may_release(self, tx: Transaction, notice_id: str, **_: Any) -> Any:
        """Nothing is held here."""
        raise NotImplementedError

    def notice_changed(self, tx: Transaction, notice_id: str, state: str, **_: Any) -> None:
        """One more is sent."""
        if state != "sent":
            raise RuntimeError(f"{notice_id} is {state}")
        tx.after_commit(self._count)

    def _count(self) -> None:
        self.left -= 1
        if not self.left and self.loop is not None:
            self.at = time.perf_counter()
            self.loop.call_soon_threadsafe(self.done.set)


async def _ours(site: NoticeSite, clock: Clock) -> float:
    """Seconds from the commit of twenty notices to the last one's."""
    ids = [f"ntc_{secrets.token_hex(16)}" for _ in range(PLATFORMS)]
    addresses = [f"abuse@platform-{number}.example" for number in range(PLATFORMS)]
    finished = [site.notices.finish(one, "mail", to, PARCEL) for one, to in zip(ids, addresses, strict=True)]

    def job(tx: Transaction) -> None:
        for notice_id, address, one in zip(ids, addresses, finished, strict=True):
            site.notices.put(
                tx,
                notice_id=notice_id,
                kid="key_1",
                platform_id="platform",
                channel="mail",
                address=address,
                subject_id="stk_1",
                state="queued",
                parcel=PARCEL,
                finished=one,
            )

    clock.left, clock.done, clock.loop = PLATFORMS, asyncio.Event(), asyncio.get_running_loop()
    await site.parts.store.writer.run(job)
    began = time.perf_counter()
    await clock.done.wait()
    return clock.at - began


def _peer(site: NoticeSite, port: int) -> float:
    """Seconds of ``smtplib`` for as many of the same messages over one connection."""
    identity = site.mail.identity()
    if identity is None:
        raise LookupError("no relay")
    mails = [
        mail_content(identity, f"ntc_{secrets.token_hex(16)}", f"abuse@platform-{n}.example", PARCEL, at_us=10**15)
        for n in range(PLATFORMS)
    ]
    began = time.perf_counter()
    with smtplib.SMTP("127.0.0.1", port) as client:
        for mail in mails:
            client.sendmail(mail.sender, [mail.recipient], mail.message)
    return time.perf_counter() - began


async def _rounds(site: NoticeSite, port: int) -> tuple[list[float], list[float]]:
    """Both in turns, so that a busy machine is busy for both."""
    clock = Clock()
    site.owner = clock  # type: ignore[assignment]
    ours, peer = [], []
    async with site.running(port, retries_s=NEVER):
        for _ in range(ROUNDS):
            ours.append(await _ours(site, clock))
            peer.append(await asyncio.to_thread(_peer, site, port))
    return sorted(ours), sorted(peer)


def _measured(busy_ms: int) -> tuple[list[float], list[float]]:
    """Seconds of ours and of the peer with a server that takes so long for a message."""
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, "-m", "tests.perf.mail_child", str(busy_ms)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as child,
    ):
        if child.stdout is None or child.stdin is None:
            raise OSError("no pipe")
        port = int(child.stdout.readline())
        site = NoticeSite(Path(folder) / "site")
        found = asyncio.run(_rounds(site, port))
        site.close()
        child.stdin.close()
        return found


def rows() -> Iterator[Row]:
    """The ratio of medians with both servers, and the 95th percentile of ours with the slower one."""
    name = f"201 to sent, {PLATFORMS} platforms, mail"
    for busy_ms, where in ((0, "a server without work"), (BUSY_MS, f"a relay, {BUSY_MS} ms a mail")):
        ours, peer = _measured(busy_ms)
        mine, theirs = statistics.median(ours), statistics.median(peer)
        ratio = theirs / mine
        against = f"smtplib, one connection; {where}"
        yield Row(name, "ms", mine * 1e3, theirs * 1e3, ratio, ">= 1x", against, ratio >= 1)
    p95 = ours[round(0.95 * len(ours)) - 1]
    yield Row(f"{name}, p95", "s", p95, GOAL_P95_S, p95 / GOAL_P95_S, "<= 3 s", "the goal itself", p95 <= GOAL_P95_S)


if __name__ == "__main__":
    run([rows])
