"""Every night a seventh of both logs is checked (``fsck.Part``), by a process of its own at the lowest priority: it
reads a snapshot and can slow no burn. The result is a leaf (``log.checked``) and, where something is wrong, an alarm.

The leaf is all the state there is: the next night's part follows the newest one's. A service that dies meanwhile has
written none, and the part is checked in the next night.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from app.ledger.check.rows import LogFault, LogPart
from app.ledger.tree.leaf import Payload
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
"""A site that is off at night is checked while it runs."""
AFTER_START_S: Final = 600.0
LONGEST_S: Final = 20 * 3_600.0
"""Of one check: the next night's must find the last one ended."""
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
    """The command's last line."""

    findings: int
    notes: list[str]


@dataclass(frozen=True)
class NightlyState:
    """The newest result; ``at_us`` microseconds since 1970."""

    at_us: int
    result: NightlyResult


def check_command(site: Site, part: LogPart) -> list[str]:
    """This same program, as it checks a part."""
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "app"]
    options = ["--profile", site.profile, "--data-dir", str(site.data_dir), "--part", f"{part.number + 1}/{part.of}"]
    return [*program, "fsck", *options, "--json", "--offline", "--gently"]


def next_night(now: datetime, hour: int, last: datetime | None, start: datetime) -> datetime:
    """When the next part is due: at the next ``hour`` (0 to 23) of ``now``'s zone, or soon after the ``start`` of the
    service where the ``last`` check is overdue or none was made: a site that is off each night is checked too."""
    night = now.replace(hour=hour, minute=0, second=0, microsecond=0)
    # In the zone's own hours: a day with a change of clocks is longer or shorter.
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
        """``hour`` of ``zone`` at which a part is checked; ``None``: never."""
        self._store = store
        self._command = command
        self._alarm = alarm
        self._hour = hour
        self._zone = zone
        self._clock = clock
        self._task: asyncio.Task[None] | None = None
        self.last: NightlyState | None = None
        """The newest result there is."""
        self._began = clock()

    async def start(self) -> None:
        """Read what was checked last, and wait for the night."""
        self.last = await asyncio.to_thread(self._read_last)
        if self._hour is not None:
            self._task = asyncio.create_task(self._serve(self._hour), name="nightly check of the logs")

    async def stop(self) -> None:
        """End a check that runs; its part is checked in the next night."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _serve(self, hour: int) -> None:
        start = self._now()
        tried = None if self.last is None else datetime.fromtimestamp(self.last.at_us / 1e6, self._zone)
        while True:
            # Both are aware, so a change of clocks between them counts.
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
        """Whether no part was checked for longer than a site may be off: whatever else is green, this is not."""
        seen = self._began if self.last is None else self.last.at_us / 1e6
        return self._hour is not None and self._clock() - seen > OVERDUE.total_seconds()

    async def check(self) -> NightlyResult | None:
        """Check the next part and tell the result; ``None`` where it could not be looked at, which is an alarm."""
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
        told = f"The nightly check found {count} faults in part {number + 1} of {PARTS} of the logs: {first} Run fsck."

        def keep(tx: Transaction) -> int:
            tx.audit(
                CHECKED, actor="service", outcome=FAILED if count else ACCEPTED, detail=msgspec.to_builtins(result)
            )
            self._alarm(tx, UNCHECKED_ALARM, "nightly", None)
            self._alarm(tx, FAULT_ALARM, f"part-{number + 1}", told if count else None)
            return tx.now_us

        self.last = NightlyState(await self._store.writer.run(keep), result)
        return result

    async def _run(self, part: LogPart) -> tuple[int, str]:
        """How many findings, and the first in words."""
        process = await asyncio.create_subprocess_exec(
            *self._command(part),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=Path(__file__).parents[3],
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
        # The last line sums up: a check that broke off, or says two things, has found nothing clean.
        if code not in _EXITS or not last or msgspec.json.decode(last, type=_End).findings != count:
            raise OSError(f"it ended with {code}")
        if (code == 0) != (count == 0):
            raise OSError(f"it ended with {code} and {count} findings")
        return count, first

    def _read_last(self) -> NightlyState | None:
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
