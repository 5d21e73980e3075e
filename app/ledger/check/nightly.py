"""Checks a seventh of both logs every night (``rows.LogPart``), in a process of its own at the lowest priority: it
reads a snapshot and cannot slow a burn. The result is a leaf (``log.checked``) and, where something is wrong, an alarm.

The leaf is the only state: each night's part follows that of the newest leaf. If the service dies meanwhile, there is
no leaf, and the same part is checked the next night."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from app.ledger.check.rows import LogFault, LogPart
from app.ledger.tree.leaf import Payload
from app.program import program, started_in
from app.site.site import Site
from app.store.engine import Store, driver
from app.store.errors import StoreError
from app.store.writer import ACCEPTED, FAILED, Transaction

CHECKED: Final = "log.checked"
"""Action of the leaf."""
PARTS: Final = 7
FAULT_ALARM: Final = "log.fault"
UNCHECKED_ALARM: Final = "log.unchecked"
OVERDUE: Final = timedelta(days=2)
"""After so long without a check one is made while the site runs: it may be off at night."""
AFTER_START_S: Final = 600.0
LONGEST_S: Final = 20 * 3_600.0
"""Longest check: it must have ended before the next night's."""
_LINE_MAX: Final = 1 << 20
_EXITS: Final = (0, 1)

log = logging.getLogger("arc.ledger")

Alarm = Callable[[Transaction, str, str, str | None], None]
"""Opens (a sentence) or closes (``None``) the alarm of a kind and key."""


class NightlyResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The detail of the leaf. ``part`` from 1 to ``of``."""

    part: int
    of: int
    findings: int


class _End(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last line of the command's output."""

    findings: int
    notes: list[str]


@dataclass(frozen=True)
class NightlyState:
    """The newest result and its time in microseconds since 1970."""

    at_us: int
    result: NightlyResult


def check_command(site: Site, part: LogPart) -> list[str]:
    """The command line with which this program checks a part."""
    options = ["--profile", site.profile, "--data-dir", str(site.data_dir), "--part", f"{part.number + 1}/{part.of}"]
    return [*program(), "fsck", *options, "--json", "--offline", "--gently"]


def next_night(now: datetime, hour: int, last: datetime | None, start: datetime) -> datetime:
    """When the next part is due: at the next ``hour`` (0 to 23) in the zone of ``now``. Where there was no check yet,
    or the ``last`` one is overdue, soon after the ``start`` of the service: a site that is off each night is checked
    too."""
    night = now.replace(hour=hour, minute=0, second=0, microsecond=0)
    # In local hours: a day on which the clocks change is longer or shorter.
    night = night if night > now else night + timedelta(days=1)
    if last is None or now - last > OVERDUE:
        return min(night, max(now, start + timedelta(seconds=AFTER_START_S)))
    return night


class Nightly:
    """The check of one site. Made and used on one event loop."""

    def __init__(
        self,
        store: Store,
        command: Callable[[LogPart], Sequence[str]],
        *,
        alarm: Alarm,
        hour: int | None,
        zone: ZoneInfo,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``hour`` in ``zone`` at which a part is checked; ``None``: never."""
        self._store = store
        self._command = command
        self._alarm = alarm
        self._hour = hour
        self._zone = zone
        self._clock = clock
        self._task: asyncio.Task[None] | None = None
        self.last: NightlyState | None = None
        """The newest result."""
        self._began = clock()

    async def start(self) -> None:
        """Read the last result, and begin to wait for the night."""
        self.last = await asyncio.to_thread(self._read_last)
        if self._hour is not None:
            self._task = asyncio.create_task(self._serve(self._hour), name="nightly check of the logs")

    async def stop(self) -> None:
        """End a running check; its part is checked the next night."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _serve(self, hour: int) -> None:
        """Checks a part each night. A failure is logged and does not end the nights."""
        start = self._now()
        tried = None if self.last is None else datetime.fromtimestamp(self.last.at_us / 1e6, self._zone)
        while True:
            # Both times know their zone, so a change of the clocks between them counts.
            wait = next_night(self._now(), hour, tried, start).timestamp() - self._clock()
            await asyncio.sleep(max(0.0, wait))
            tried = self._now()
            try:
                await self.check()
            except StoreError:
                log.warning("the result of the nightly check could not be kept", exc_info=True)
            except Exception:
                log.exception("the nightly check failed")

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), self._zone)

    @property
    def overdue(self) -> bool:
        """Whether no part was checked for longer than a site may be off; that is a fault of its own."""
        seen = self._began if self.last is None else self.last.at_us / 1e6
        return self._hour is not None and self._clock() - seen > OVERDUE.total_seconds()

    async def check(self) -> NightlyResult | None:
        """Check the next part and record the result; ``None`` where the part could not be checked, which is an
        alarm."""
        number = 0 if self.last is None or self.last.result.of != PARTS else self.last.result.part % PARTS
        part = LogPart(number, PARTS)
        began = time.monotonic()
        try:
            count, first = await self._run(part)
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            sentence = f"Part {number + 1} of {PARTS} of the logs could not be checked: {error}. Run fsck by hand."
            log.warning("%s", sentence)
            await self._store.writer.run(lambda tx: self._alarm(tx, UNCHECKED_ALARM, "nightly", sentence))
            return None
        log.info("part %d of %d checked in %.0f s: %d findings", number + 1, PARTS, time.monotonic() - began, count)
        result = NightlyResult(number + 1, PARTS, count)
        text = f"The nightly check found {count} faults in part {number + 1} of {PARTS} of the logs: {first} Run fsck."

        def keep(tx: Transaction) -> int:
            tx.audit(
                CHECKED, actor="service", outcome=FAILED if count else ACCEPTED, detail=msgspec.to_builtins(result)
            )
            self._alarm(tx, UNCHECKED_ALARM, "nightly", None)
            self._alarm(tx, FAULT_ALARM, f"part-{number + 1}", text if count else None)
            return tx.now_us

        self.last = NightlyState(await self._store.writer.run(keep), result)
        return result

    async def _run(self, part: LogPart) -> tuple[int, str]:
        """Runs the command; the number of findings, and the first one in words."""
        process = await asyncio.create_subprocess_exec(
            *self._command(part),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=started_in(),
            limit=_LINE_MAX,
            start_new_session=True,
        )
        count, first, last = 0, "", b""
        try:
            if process.stdout is None:
                raise OSError("no pipe")
            async with asyncio.timeout(LONGEST_S):
                async for line in process.stdout:
                    if last:
                        finding = msgspec.json.decode(last, type=LogFault)
                        count += 1
                        first = first or f"{finding.where}: {finding.what}."
                    last = line
                code = await process.wait()
        except TimeoutError:
            raise OSError(f"it had not ended after {LONGEST_S / 3600:.0f} hours") from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        # The last line sums up. A check that broke off, or contradicts itself, does not count as one without findings.
        if code not in _EXITS or not last or msgspec.json.decode(last, type=_End).findings != count:
            raise OSError(f"it ended with {code}")
        if (code == 0) != (count == 0):
            raise OSError(f"it ended with {code} and {count} findings")
        return count, first

    def _read_last(self) -> NightlyState | None:
        """The newest leaf of a check, with or without findings."""
        with self._store.read() as connection:
            raw = driver(connection)
            rows = [
                raw.execute(
                    "SELECT max(seq) FROM audit_entry WHERE outcome = ? "
                    "AND action = (SELECT id FROM log_word WHERE text = ?)",
                    (outcome, CHECKED),
                ).fetchone()[0]
                for outcome in (0, 2)
            ]
            newest = max((seq for seq in rows if seq is not None), default=None)
            if newest is None:
                return None
            ts, payload = raw.execute("SELECT ts, payload FROM audit_entry WHERE seq = ?", (newest,)).fetchone()
        try:
            return NightlyState(ts, msgspec.convert(msgspec.json.decode(payload, type=Payload).detail, NightlyResult))
        except (msgspec.MsgspecError, TypeError):
            return None
