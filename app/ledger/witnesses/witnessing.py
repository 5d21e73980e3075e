"""The witnesses of a site's two logs: policy, local witnesses, start check and rounds, joined for one service.

None of it delays the ready line: processes, other parties' keys and the HTTP client are made one second after
``begin``, or earlier with the first seal. No checkpoint leaves this process before the start check has passed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.ledger.c2sp.policy import PolicyError, WitnessPolicy
from app.ledger.log.append import Ledger
from app.ledger.log.keys import read_rows
from app.ledger.witnesses.client import WitnessClient, WitnessFault
from app.ledger.witnesses.local import COUNT, LocalWitness
from app.ledger.witnesses.recorded_quorum import record_quorum
from app.ledger.witnesses.rounds import CLOCK_S, Rounds
from app.ledger.witnesses.site_policy import counted_twice, follow_keys, make_policy, read_policy
from app.ledger.witnesses.start_check import StoreStanding, StoreVerdict, check
from app.store.engine import Store, driver
from app.store.errors import StoreError
from app.store.writer import Transaction

if TYPE_CHECKING:
    import httpx

BEGIN_S: Final = 1.0
"""A service that lives no longer than this never starts its witnesses."""
FIRST_READY_S: Final = 10.0
FIRST_CHECK_S: Final = 0.5
LONGEST_CHECK_S: Final = 15.0
WATCH_S: Final = 5.0
ASK_S: Final = 60.0
"""Seconds between two questions to a witness that does not know a log's new key yet."""
POLICY_FILE: Final = "policy"
WITNESSES_DIR: Final = "witnesses"

POLICY_ALARM: Final = "witness.policy"
STORE_ALARM: Final = "witness.store_behind"
CHECK_ALARM: Final = "witness.unconfirmed"
FAULT_ALARM: Final = "witness.fault"
CLOCK_ALARM: Final = "witness.clock"
KEY_ALARM: Final = "witness.log_key"
STAMP_ALARM: Final = "witness.stamp"
ALARMS: Final = (POLICY_ALARM, STORE_ALARM, CHECK_ALARM, FAULT_ALARM, CLOCK_ALARM, KEY_ALARM, STAMP_ALARM)

log = logging.getLogger("arc.ledger")

Alarms = Mapping[tuple[str, str], str]
"""Sentence by kind and key of the fact."""


@dataclass(frozen=True)
class WitnessView:
    """One witness as people see it. ``sizes``: entries that it has cosigned, by log. ``good_at``: Unix seconds."""

    name: str
    url: str
    local: bool
    sentence: str
    fault: WitnessFault | None
    good_at: float | None
    sizes: Mapping[str, int]


class Witnessing:
    """Made once for a service. ``seal`` and ``audit`` exist from the beginning and wait for their witnesses."""

    def __init__(
        self,
        data_dir: Path,
        store: Store,
        ledger: Ledger,
        seal: Rounds,
        audit: Rounds,
        *,
        alarm: Callable[[Alarms], Awaitable[None]],
        vouch: Callable[[int], None] = lambda _at_us: None,
        begin_s: float = BEGIN_S,
        watch_s: float = WATCH_S,
    ) -> None:
        """``alarm`` gets all that is wrong, each time that changes. Where it raises ``StoreError``, it gets the same
        again later. ``vouch(at_us)`` gets the newest times that witnesses elsewhere have signed (Unix microseconds)."""
        self.seal = seal
        self.audit = audit
        self.policy: WitnessPolicy | None = None
        """Set once it was read or made."""
        self.policy_path = data_dir / POLICY_FILE
        self._store = store
        self._ledger = ledger
        self._alarm = alarm
        self._vouch = vouch
        self._begin_s = begin_s
        self._watch_s = watch_s
        domain = ledger.seal.origin.partition("/")[0]
        self._unaware: dict[tuple[str, str], str] = {}
        self._asked = -ASK_S
        self._told_keys = vkeys = [key.vkey for key in ledger.log_keys()]
        self._local = {
            f"{domain}/w{number}": LocalWitness(f"{domain}/w{number}", data_dir / WITNESSES_DIR / f"w{number}", vkeys)
            for number in range(1, COUNT + 1)
        }
        self._started: list[LocalWitness] = []
        self._clients: dict[str, WitnessClient] = {}
        self._http: httpx.AsyncClient | None = None
        self._needed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._verdicts = {
            "seal": StoreVerdict(StoreStanding.UNCONFIRMED),
            "audit": StoreVerdict(StoreStanding.UNCONFIRMED),
        }
        self._trouble: dict[tuple[str, str], str] = {}
        self._told: dict[tuple[str, str], str] | None = None
        self._faulty: set[tuple[str, str]] = set()

    # --- life

    async def start(self) -> None:
        """Make the rounds ready; waits for two indexed reads and nothing else."""
        loop = asyncio.get_running_loop()
        await self.seal.start()
        await self.audit.start()
        self._ledger.audit.on_grown = self.audit.notice_growth

        def notice_seal() -> None:
            self.seal.notice_growth()
            if not self._needed.is_set():
                with contextlib.suppress(RuntimeError):  # the loop may be closed by now
                    loop.call_soon_threadsafe(self._needed.set)

        self._ledger.seal.on_grown = notice_seal

    def begin(self) -> None:
        """The service is ready: begin to start its witnesses."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name="witnesses")

    async def stop(self) -> None:
        """End the rounds, then the local witnesses, all at once."""
        self._ledger.audit.on_grown = self._ledger.seal.on_grown = None
        tasks = [task for task in (self._task, self._watch) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.seal.stop()
        await self.audit.stop()
        if self._http is not None:
            await self._http.aclose()
        await asyncio.gather(*(witness.stop() for witness in self._started))

    # --- what others ask

    @property
    def standing(self) -> StoreStanding:
        """The worse of the standings of both logs."""
        order = (StoreStanding.FORKED, StoreStanding.ROLLED_BACK, StoreStanding.UNCONFIRMED)
        found = {verdict.standing for verdict in self._verdicts.values()}
        return next((standing for standing in order if standing in found), StoreStanding.CONFIRMED)

    def trouble(self) -> str | None:
        """Why the service is not ready: the store is behind its witnesses, or the policy cannot be used."""
        for key in ((STORE_ALARM, "seal"), (STORE_ALARM, "audit"), (POLICY_ALARM, POLICY_FILE)):
            if key in self._trouble:
                return self._trouble[key]
        return None

    def sentence(self) -> str | None:
        """What keeps seals from being complete; ``None`` when nothing does."""
        waiting = " ".join(dict.fromkeys(verdict.sentence for verdict in self._verdicts.values() if verdict.sentence))
        return self.trouble() or waiting or None

    def witnesses(self) -> list[WitnessView]:
        """Every witness that is asked."""
        states = {"seal": self.seal.witnesses, "audit": self.audit.witnesses}
        found = []
        for name, client in self._clients.items():
            own = {label: next(state for state in rows if state.name == name) for label, rows in states.items()}
            worst = next((state for state in own.values() if state.fault is not None), None)
            times = [state.good_at for state in own.values() if state.good_at is not None]
            found.append(
                WitnessView(
                    name=name,
                    url=client.url,
                    local=name in self._local,
                    sentence="" if worst is None else worst.sentence,
                    fault=None if worst is None else worst.fault,
                    good_at=max(times, default=None),
                    sizes={
                        label: max(state.size, self._verdicts[label].sizes.get(name, 0)) for label, state in own.items()
                    },
                )
            )
        return found

    def sizes(self) -> dict[str, float]:
        """Entries under the newest cosigned checkpoint, by log."""
        return {label: 0.0 if (found := rounds.newest()) is None else found.size for label, rounds in self._rounds()}

    def lags(self) -> dict[str, float]:
        """Entries beyond the newest cosigned checkpoint, by log."""
        sizes = self.sizes()
        return {
            "seal": self._ledger.seal.snapshot().size - sizes["seal"],
            "audit": self._ledger.audit.snapshot().size - sizes["audit"],
        }

    def up(self) -> dict[str, float]:
        """1 for each witness that has cosigned and is in no trouble, by name."""
        return {view.name: float(view.fault is None and view.good_at is not None) for view in self.witnesses()}

    def _rounds(self) -> tuple[tuple[str, Rounds], ...]:
        return ("seal", self.seal), ("audit", self.audit)

    # --- the beginning

    async def _run(self) -> None:
        """Finds the policy, connects the witnesses and confirms the store; what goes wrong becomes an alarm."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._begin_s):
                await self._needed.wait()
        self._watch = asyncio.create_task(self._keep_watch(), name="witness watch")
        try:
            self.policy = await self._find_policy()
            await self._connect(self.policy)
            await self._confirm(self.policy)
        except PolicyError as error:
            log.error("%s", error)
            self._trouble[(POLICY_ALARM, POLICY_FILE)] = str(error)
        except Exception:
            # Otherwise seals would wait for ever, and nobody would know.
            log.exception("the witnesses could not be joined")
            self._trouble[(CHECK_ALARM, "store")] = (
                "No seal is complete: the witnesses could not be joined. See the service's log, and start it again."
            )

    async def _find_policy(self) -> WitnessPolicy:
        """The policy of the site, made at the first start; starts the local witnesses that it needs.
        ``PolicyError``."""
        policy = await asyncio.to_thread(self._read_policy)
        if policy is not None:
            self._must_be_usable(policy)
        elif any(rounds.newest() is not None for _, rounds in self._rounds()):
            # A new policy in its place might demand less than the one under which seals were proven.
            raise PolicyError(f"{self.policy_path} is gone, but this site had one. Restore it from a backup.")
        for name, witness in self._local.items():
            keys = {row.key.vkey for row in policy.witnesses if row.key.name == name} if policy is not None else set()
            if policy is None or (keys and all(row.url is None for row in policy.witnesses if row.key.name == name)):
                self._started.append(witness)
                witness.start(keys)
        all_ready = asyncio.gather(*(witness.ready.wait() for witness in self._started))
        if policy is not None:
            # A local witness that does not start is a witness that is away; the others are asked.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(all_ready, FIRST_READY_S)
            return policy
        await all_ready
        made = {f"w{number}": witness.keys for number, witness in enumerate(self._started, 1)}
        try:
            return await asyncio.to_thread(make_policy, self.policy_path, self._ledger.log_keys(), made)
        except OSError as error:
            raise PolicyError(
                f"{self.policy_path} cannot be written: {error.strerror}. Make room and start the service again."
            ) from error

    def _read_policy(self) -> WitnessPolicy | None:
        follow_keys(self.policy_path, [self._ledger.seal.ring, self._ledger.audit.ring])
        return read_policy(self.policy_path, self._ledger.log_keys())

    def _must_be_usable(self, policy: WitnessPolicy) -> None:
        """``PolicyError`` for a policy that counts a witness twice, or that the reachable witnesses cannot meet."""
        if (twice := counted_twice(policy)) is not None:
            name, group = twice
            raise PolicyError(
                f"{self.policy_path} counts {name} twice: each of its keys is a member of the group {group}. Put them "
                f"into a group of any, put that one into {group} in their place, and start the service again."
            )
        deaf = [row for row in policy.witnesses if row.url is None and row.key.name not in self._local]
        if policy.met_at({row.name: 0 for row in policy.witnesses if row not in deaf}) is None:
            names = ", ".join(dict.fromkeys(row.key.name for row in deaf)) or "too few witnesses"
            raise PolicyError(
                f"{self.policy_path} cannot be met: {names} cannot be asked. Give each its URL and start the service "
                "again."
            )

    async def _connect(self, policy: WitnessPolicy) -> None:
        urls = {row.key.name: row.url for row in policy.witnesses if row.url is not None}
        self._http = await asyncio.to_thread(_http_client, any(url.startswith("https:") for url in urls.values()))
        for name in dict.fromkeys(row.key.name for row in policy.witnesses):
            if name in urls:
                self._clients[name] = WitnessClient(name, urls[name].rstrip("/") + "/", self._http)
            elif name in self._local:
                self._clients[name] = self._local[name].client = WitnessClient(name, self._local[name].url, self._http)
        for _, rounds in self._rounds():
            rounds.admit(policy, self._clients)

    async def _confirm(self, policy: WitnessPolicy) -> None:
        """Asks the witnesses until both logs have a verdict. Only if both are confirmed may a checkpoint leave."""
        wait = FIRST_CHECK_S
        logs = (("seal", self._ledger.seal), ("audit", self._ledger.audit))
        while True:
            for label, ledger in logs:
                try:
                    verdict = await check(ledger, self._store, policy, self._clients)
                except StoreError as error:
                    verdict = StoreVerdict(StoreStanding.UNCONFIRMED, str(error))
                self._verdicts[label] = verdict
                self._judge(label, verdict)
            if self.standing is StoreStanding.CONFIRMED:
                try:
                    # Before any checkpoint is cosigned under it: each one is judged by the policy of its time.
                    await self._store.writer.run(lambda tx: record_quorum(tx, policy))
                except StoreError as error:
                    self._verdicts["audit"] = StoreVerdict(StoreStanding.UNCONFIRMED, str(error))
            standing = self.standing
            if standing is StoreStanding.CONFIRMED:
                self._trouble.pop((CHECK_ALARM, "store"), None)
                for _, rounds in self._rounds():
                    rounds.confirm()
                return
            if standing is not StoreStanding.UNCONFIRMED:
                return
            log.warning("this store is not confirmed yet: %s", self.sentence())
            if wait >= LONGEST_CHECK_S:
                sentence = f"No seal is complete until witnesses answer. {self.sentence()}"
                self._trouble[(CHECK_ALARM, "store")] = sentence
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST_CHECK_S)

    def _judge(self, label: str, verdict: StoreVerdict) -> None:
        if verdict.standing not in (StoreStanding.ROLLED_BACK, StoreStanding.FORKED):
            return
        sentence = f"{verdict.sentence} Only burns are written; keep this store as evidence and restore the newest one."
        log.critical("%s", sentence)
        self._trouble[(STORE_ALARM, label)] = sentence
        self._store.writer.refuse(sentence)
        for _, rounds in self._rounds():
            rounds.confirmed = False

    # --- what may change

    async def _keep_watch(self) -> None:
        """Looks at witnesses, keys and stamps every few seconds, and keeps the alarms true."""
        while True:
            try:
                await self._look_again()
                await self._follow_keys()
                self._vouch_for_time()
                facts = {**self._trouble, **self._faults(), **self._clocks(), **self._unaware, **self._stamps()}
                # Alarms of an earlier process stay open until something is known.
                if facts != self._told and (facts or self.standing is StoreStanding.CONFIRMED):
                    await self._alarm(facts)
                    self._told = facts
            except StoreError:
                log.warning("the watch over the witnesses was disturbed; it goes on", exc_info=True)
            await asyncio.sleep(self._watch_s)

    def _vouch_for_time(self) -> None:
        """A witness whose clock is not this machine's, and which signed the time that this machine has, vouches for
        it. The local ones run by the same clock."""
        for _, rounds in self._rounds():
            for state in rounds.witnesses:
                if state.name not in self._local and state.good_at is not None and abs(state.skew_s) <= CLOCK_S:
                    self._vouch(int(state.good_at * 1e6))

    async def _look_again(self) -> None:
        """Checks the store again where a witness said in a round that it knows more than this store, or another tree.
        The saying proves nothing; the witness's checkpoint does, because this log's key signed it. It means that a copy
        of this site runs elsewhere."""
        if self.policy is None or self.standing is not StoreStanding.CONFIRMED:
            return
        said = {WitnessFault.ROLLED_BACK, WitnessFault.FORKED}
        for label, rounds in self._rounds():
            if any(state.fault in said for state in rounds.witnesses):
                ledger = self._ledger.seal if label == "seal" else self._ledger.audit
                verdict = await check(ledger, self._store, self.policy, self._clients)
                if verdict.standing not in (StoreStanding.CONFIRMED, StoreStanding.UNCONFIRMED):
                    self._verdicts[label] = verdict
                    self._judge(label, verdict)

    async def _follow_keys(self) -> None:
        """After another process replaced a log's keys, or earlier keys ended: the writer, the policy and the local
        witnesses take the new ones. A person must inform the keepers of other witnesses, so there is an alarm until
        these know."""
        if await asyncio.to_thread(self._replaced_elsewhere):
            # The writer loads the change before its next job, so an empty job is enough.
            await self._store.writer.run(_nothing, urgent=True)
        if self.policy is None:
            return
        vkeys = [key.vkey for key in self._ledger.log_keys()]
        if vkeys != self._told_keys:
            self._asked = -ASK_S
            try:
                self.policy = await asyncio.to_thread(self._read_policy) or self.policy
                # One after the other, so that the quorum stays.
                for witness in self._started:
                    await witness.trust(vkeys)
            except PolicyError as error:
                self._trouble[(POLICY_ALARM, POLICY_FILE)] = str(error)
                return
            except TimeoutError:
                log.warning("a local witness has not taken the logs' new keys; it is told them again")
                return
            self._told_keys = vkeys
        if time.monotonic() - self._asked >= ASK_S and self.standing is StoreStanding.CONFIRMED:
            self._asked = time.monotonic()
            self._unaware = {
                (KEY_ALARM, f"{label} {name}"): sentence
                for label, rounds in self._rounds()
                for name, sentence in (await rounds.unaware()).items()
            }

    def _replaced_elsewhere(self) -> bool:
        logs = (self._ledger.seal, self._ledger.audit)
        with self._store.read() as connection:
            return any(len(read_rows(driver(connection), log.number)) != len(log.ring.rows) for log in logs)

    def _faults(self) -> dict[tuple[str, str], str]:
        """Witnesses that were in trouble at two looks in a row: one that is being started again is not among them."""
        now = {
            (FAULT_ALARM, state.name): state.sentence
            for _, rounds in self._rounds()
            for state in rounds.witnesses
            if state.fault is not None
        }
        lasting = {key: sentence for key, sentence in now.items() if key in self._faulty}
        self._faulty = set(now)
        return lasting

    def _clocks(self) -> dict[tuple[str, str], str]:
        return {
            (CLOCK_ALARM, state.name): f"The clocks of {state.name} and of this machine differ by "
            f"{abs(state.skew_s):.0f} s. Set the one that is wrong."
            for _, rounds in self._rounds()
            for state in rounds.witnesses
            if abs(state.skew_s) > CLOCK_S
        }

    def _stamps(self) -> dict[tuple[str, str], str]:
        return {
            (STAMP_ALARM, label): f"Checkpoints of the {label} log cannot be stamped, so nothing is sealed: "
            f"{rounds.unstamped}. Set the clock; where the certificate has ended, replace its key (key rotate "
            "time-stamps) and start the service again."
            for label, rounds in self._rounds()
            if rounds.unstamped
        }


def _nothing(_tx: Transaction) -> None:
    pass


def _http_client(encrypted: bool) -> httpx.AsyncClient:
    """Blocks while it imports the library, and where a witness is ``encrypted`` while it reads the machine's
    certificates."""
    import httpx

    # Without a witness over TLS the certificates are not read: that takes longer than all else here.
    trust = ssl.create_default_context() if encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.AsyncClient(verify=trust, trust_env=False, follow_redirects=False)
