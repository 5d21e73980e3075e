"""Burns of 160 accounts in a real slapd, eight connections against one.

Ours is the connector as a burn calls it, eight at a time: new password, lock, trial of the lock, groups, read-back. The
peer does the same, one account after the other over one synchronous connection of the same library, as a script of the
directory's owner would. Writes are the server's one after the other. ``ROWS`` are functions without arguments;
``python -m tests.perf.ldap`` prints them.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import bonsai

from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.connector import AttemptSubject
from app.capabilities.burn.targets.ldap import LdapConnector
from app.capabilities.burn.targets.ldap_dialects import LOCKED_FOR_GOOD
from app.delivery.outbound import CONNECTIONS
from app.registry.directories import DirectoryRow
from tests.perf.report import Row, run
from tests.slapd import BASE, SERVICE, SERVICE_PASSWORD, Slapd, slapd

ACCOUNTS = 160
ROUNDS = 3
GOAL = 1.5
_FACTS = BurnFacts("burn_1", "ARC-1", "GLOBAL_REVOCATION", 1, "measured", 0, training=True)


def _prepare(server: Slapd) -> None:
    logins = [f"{who}{turn}-{number}" for who in "op" for turn in range(ROUNDS) for number in range(ACCOUNTS)]
    server.load_people([*logins, "warm", "stays"])
    for turn in range(ROUNDS):
        for who in "op":
            server.load_group(f"{who}{turn}", "stays", *(f"{who}{turn}-{number}" for number in range(ACCOUNTS)))


async def _ours(connector: LdapConnector, where: DirectoryRow, accounts: Sequence[str]) -> float:
    slots = asyncio.Semaphore(CONNECTIONS)

    async def one(account: str) -> None:
        async with slots:
            outcome = await connector.revoke(where, AttemptSubject("ARC-1", account, None, None), _FACTS, 30.0)
        if outcome.state != "revoked":
            raise RuntimeError(f"{account}: {outcome.evidence}; the figures mean nothing")

    began = time.perf_counter()
    await asyncio.gather(*(one(account) for account in accounts))
    return len(accounts) / (time.perf_counter() - began)


def _peer(url: str, connection: bonsai.LDAPConnection, accounts: Sequence[str]) -> float:
    def modify(dn: str, *change: object) -> None:
        entry = bonsai.LDAPEntry(dn, connection)
        entry.change_attribute(*change)  # type: ignore[arg-type]
        entry.modify()

    began = time.perf_counter()
    for account in accounts:
        (found,) = connection.search(BASE, bonsai.LDAPSearchScope.SUBTREE, f"(uid={account})", ["pwdAccountLockedTime"])
        dn = str(found.dn)
        password = secrets.token_urlsafe(32)
        modify(dn, "userPassword", bonsai.LDAPModOp.REPLACE, password)
        modify(dn, "pwdAccountLockedTime", bonsai.LDAPModOp.REPLACE, LOCKED_FOR_GOOD)
        trial = bonsai.LDAPClient(url)
        trial.set_credentials("SIMPLE", dn, password)
        with contextlib.suppress(bonsai.AuthenticationError):
            trial.connect().close()
            raise RuntimeError(f"{account} is let in; the figures mean nothing")
        for group in connection.search(BASE, bonsai.LDAPSearchScope.SUBTREE, f"(member={dn})", ["1.1"]):
            modify(str(group.dn), "member", bonsai.LDAPModOp.DELETE, dn)
        (back,) = connection.search(dn, bonsai.LDAPSearchScope.BASE, None, ["pwdAccountLockedTime", "entryCSN"])
        if back["pwdAccountLockedTime"] != [LOCKED_FOR_GOOD]:
            raise RuntimeError(f"{account} is not locked; the figures mean nothing")
    return len(accounts) / (time.perf_counter() - began)


async def _measure(server: Slapd) -> tuple[list[float], list[float]]:
    where = DirectoryRow(
        "staff", "ldap", "Staff", server.url, SERVICE_PASSWORD, SERVICE, BASE, None, None, None, None, ()
    )
    client = bonsai.LDAPClient(server.url)
    client.set_credentials("SIMPLE", SERVICE, SERVICE_PASSWORD)
    connector = LdapConnector(None)  # type: ignore[arg-type]
    ours, peer = [], []
    with client.connect() as connection:
        await _ours(connector, where, ["warm"])
        for turn in range(ROUNDS):
            ours.append(await _ours(connector, where, [f"o{turn}-{number}" for number in range(ACCOUNTS)]))
            peer.append(_peer(server.url, connection, [f"p{turn}-{number}" for number in range(ACCOUNTS)]))
    await connector.close()
    return ours, peer


def throughput() -> Row:
    """Burned accounts a second."""
    with tempfile.TemporaryDirectory() as home, slapd(Path(home) / "slapd", _prepare) as server:
        ours, peer = asyncio.run(_measure(server))
    ratio = statistics.median(ours) / statistics.median(peer)
    return Row(
        f"LDAP, {ACCOUNTS} burns on {CONNECTIONS} connections",
        "1/s",
        statistics.median(ours),
        statistics.median(peer),
        ratio,
        f">= {GOAL} x",
        "one synchronous connection",
        ratio >= GOAL,
    )


ROWS: tuple[Callable[[], Row], ...] = (throughput,)


if __name__ == "__main__":
    run(ROWS)
