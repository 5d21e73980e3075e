"""LDAP directories: an account is locked, its password made unknown, and its groups are left.

The order is fixed: 1 a random password, 2 the lock, in a modify of its OWN, 3 the groups. OpenLDAP's ppolicy takes the
lock away whenever the password changes, so one modify with both would unlock an account that was locked and report
success.

The proof is what is read back, and that a bind with the password that was just set is refused: a server stores locks
that it does not honour (a password policy without ``pwdLockout``, a database without the overlay). An account that is
locked for good already gets no new password, as soon as the lock of another one under the same policy was tried.

``ldap_dialects`` says which servers each recipe was run against.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Literal

from bonsai import LDAPModOp

from app.api.wire import rfc3339
from app.capabilities.burn.messages import Residual, TargetState
from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.answers import Unsuccessful, outlives
from app.capabilities.burn.targets.connector import AttemptOutcome, AttemptSubject, Refusal, Tools
from app.capabilities.burn.targets.ldap_dialects import (
    ACTIVE_DIRECTORY,
    OPENLDAP,
    ROOT_ATTRIBUTES,
    Dialect,
    LdapServer,
    read_root,
    text,
)
from app.capabilities.burn.targets.ldap_link import (
    INSUFFICIENT_ACCESS,
    INVALID_DN,
    NO_SUCH_ATTRIBUTE,
    NO_SUCH_OBJECT,
    OBJECT_CLASS_VIOLATION,
    REFERRAL,
    UNDEFINED_ATTRIBUTE,
    Entry,
    LdapLink,
    LdapRefused,
    Pool,
    escape,
)
from app.capabilities.burn.targets.person import MATCHES, sum_up
from app.registry.directories import DirectoryRow
from app.registry.messages.directories import DirectoryKind

_ANY: Final = "(objectClass=*)"
_AT_ONCE: Final = 100
"""Accounts that one search asks after: below the 500 entries that servers give at most by default."""
_NEVER_LOCKED: Final = "19700101000000Z"


@dataclass(eq=False)
class _Directory:
    """One directory as registered, and what was learned of it since. ``holding``: policies (DN, "" the default one)
    whose lock was tried and holds."""

    pool: Pool
    server: LdapServer | None = None
    holding: set[str] = field(default_factory=set)


class LdapConnector:
    """The kind ``ldap``."""

    kind: ClassVar[DirectoryKind] = "ldap"
    per: ClassVar[Literal["person", "site"]] = "person"
    searches: ClassVar[tuple[Literal["employee_id", "email"], ...]] = ("employee_id", "email")
    readable: ClassVar[bool] = True
    schemes: ClassVar[tuple[str, ...]] = ("ldaps", "ldap", "ldapi")
    credential: ClassVar[str] = "password of bind_dn; none over ldapi without a bind_dn"
    fields: ClassVar[tuple[str, ...]] = ("bind_dn", "base_dn", "dialect", "email_match")

    def __init__(self, tools: Tools) -> None:
        del tools
        self._directories: dict[str, _Directory] = {}

    async def revoke(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, deadline_s: float
    ) -> AttemptOutcome:
        """Locks the account for good and reads back that it is."""
        del facts
        end = asyncio.get_running_loop().time() + deadline_s
        known = self._directory(where)
        try:
            return await known.pool.run(lambda link: _lock_person(known, link, who), end)
        except Unsuccessful as answered:
            return answered.outcome
        except LdapRefused as error:
            return AttemptOutcome("failed", _remedy(error, where))

    async def find_unlocked(
        self, where: DirectoryRow, people: Sequence[AttemptSubject], deadline_s: float
    ) -> list[AttemptSubject]:
        """Which of these have an account there now that is not locked; changes nothing. Raises ``OutboundError`` or
        ``Refusal``."""
        end = asyncio.get_running_loop().time() + deadline_s
        known = self._directory(where)
        try:
            return await known.pool.run(lambda link: _find_unlocked(known, link, people), end)
        except LdapRefused as error:
            raise Refusal(_remedy(error, where)) from error

    async def probe(self, where: DirectoryRow, deadline_s: float) -> str:
        """Binds and finds the base; says which product it is, whether it has locks and whether we may set them."""
        end = asyncio.get_running_loop().time() + deadline_s
        known = self._directory(where)
        try:
            return await known.pool.run(lambda link: _probe(known, link), end)
        except LdapRefused as error:
            raise Refusal(_remedy(error, where)) from error

    def residual(self, where: DirectoryRow, state: TargetState, at_us: int) -> Residual | None:
        """Sessions that were bound before; a domain's tickets as well."""
        if state == "unlinked":
            return Residual(what=outlives(where.display_name, state, ""), until=None)
        known = self._directories.get(where.directory_id)
        dialect = where.dialect
        if dialect is None and known is not None and known.server is not None and known.server.dialect is not None:
            dialect = known.server.dialect.name
        what = f"{where.display_name}: LDAP sessions that are bound already"
        if dialect == ACTIVE_DIRECTORY.name:
            until = rfc3339(at_us + 10 * 3600 * 1_000_000)
            what += f"; Kerberos tickets until {until}, where the domain keeps the default of 10 hours"
        return Residual(what=what, until=None)

    async def close(self) -> None:
        """Lets go of connections."""
        for known in self._directories.values():
            known.pool.close()
        self._directories.clear()

    def _directory(self, where: DirectoryRow) -> _Directory:
        known = self._directories.get(where.directory_id)
        if known is None or known.pool.where != where:
            if known is not None:
                known.pool.close()
            known = self._directories[where.directory_id] = _Directory(Pool(where))
        return known


async def _server(known: _Directory, link: LdapLink) -> LdapServer:
    if known.server is not None:
        return known.server
    root = await link.search("", _ANY, ROOT_ATTRIBUTES, subtree=False)
    if not root:
        raise Refusal("The directory does not show its root entry (root DSE) to our account; allow to read it.")
    server = read_root(root[0], known.pool.where.dialect)
    if server.locks and server.dialect is not None:
        known.server = server  # anything else is asked again: an administrator may mend it
    return server


def _dialect_and_base(where: DirectoryRow, server: LdapServer) -> tuple[Dialect, str]:
    """The dialect, and the base under which all is searched."""
    if server.dialect is None:
        raise Refusal(f"The directory is {server.product}; register its dialect: openldap, ad or 389ds.")
    if where.base_dn is None:
        raise Refusal("The directory has no base_dn; register the entry under which accounts and groups are.")
    return server.dialect, where.base_dn


async def _lock_person(known: _Directory, link: LdapLink, who: AttemptSubject) -> AttemptOutcome:
    """Locks the account that is named. Where none is, it looks for the person's and locks those that bear the employee
    number; what becomes of those that bear the address alone the directory's ``email_match`` says."""
    server = await _server(known, link)
    dialect, base = _dialect_and_base(known.pool.where, server)
    if who.account is not None:
        return await _lock_entry(known, link, server, await _account(link, dialect, base, who.account))
    mine, by_email, searched = await _search(link, dialect, base, who)
    lock_by_email = known.pool.where.email_match == "lock"
    done = []
    for entry in [*mine, *(by_email if lock_by_email else ())]:
        try:
            done.append(await _lock_entry(known, link, server, entry))
        except Unsuccessful as answered:
            done.append(answered.outcome)
    missed = [] if lock_by_email else [str(entry.dn) for entry in by_email if not dialect.locked(entry)]
    return sum_up(done, missed, searched)


async def _search(
    link: LdapLink, dialect: Dialect, base: str, who: AttemptSubject
) -> tuple[list[Entry], list[Entry], str]:
    """Accounts that bear the person's number, those that bear the address alone, and by what they were looked for."""
    asked = [(who.employee_id, dialect.numbers), (who.email, dialect.addresses)]
    parts = [(name, value) for value, names in asked if value is not None for name in names]
    read = sorted({*dialect.read, *dialect.numbers, *dialect.addresses})
    wanted = "".join(f"({name}={escape(value)})" for name, value in parts)
    found = await link.search(base, f"(&({dialect.login}=*)(|{wanted}))", read)
    mine = [entry for entry in found if _holds(entry, dialect.numbers, who.employee_id)]
    others = [entry for entry in found if not _holds(entry, dialect.numbers, who.employee_id)]
    if not all(_holds(entry, dialect.addresses, who.email) for entry in others):
        raise Refusal("what answers to the number or address bears neither: nobody was locked")
    searched = " or ".join(f"{name} {value}" for name, value in parts)
    if len(mine) > 1 or len(others) > MATCHES:
        raise Refusal(f"{len(found)} accounts have the {searched}: nobody was locked")
    return mine, others, f"{searched} under {base}"


def _holds(entry: Entry, names: Sequence[str], value: str | None) -> bool:
    """Whether one of these attributes has the value, as directories compare."""
    return value is not None and any(_key(str(one)) == _key(value) for name in names for one in entry.get(name, []))


async def _lock_entry(known: _Directory, link: LdapLink, server: LdapServer, entry: Entry) -> AttemptOutcome:
    """The recipe: password and lock, proof of the lock, groups, and what reads back. ``Unsuccessful`` where a step
    proves nothing."""
    dialect, base = _dialect_and_base(known.pool.where, server)
    before = dialect.locked(entry)
    tried, refused = False, None
    if not before or text(entry, dialect.policy) not in known.holding:
        password = secrets.token_urlsafe(32) + "aA1-"  # the end is for rules that ask for kinds of characters
        refused = await _set_lock(link, server, dialect, entry, password)
        tried = await _prove_lock(known, link, dialect, entry, password, refused)
    groups = await _groups(link, base, entry)
    await _leave(link, groups, entry)
    outcome = await _read_back(link, dialect, base, entry, before=before and not groups, left=len(groups))
    if tried:
        return replace(outcome, evidence=f"{outcome.evidence}; a bind with the new password is refused")
    if refused is not None:
        return replace(outcome, evidence=f"{outcome.evidence}; the password was not changed: {refused}")
    return outcome


async def _set_lock(
    link: LdapLink, server: LdapServer, dialect: Dialect, entry: Entry, password: str
) -> LdapRefused | None:
    """Sets ``password``, then the lock; why the password could not be changed, or None."""
    dn = str(entry.dn)
    refused: LdapRefused | None = None
    try:
        await link.modify(dn, dialect.scramble(password))
    except LdapRefused as error:
        refused = error
    if not server.locks:
        raise Unsuccessful(
            AttemptOutcome(
                "unsupported",
                f"{server.product} has no locks here: load its ppolicy overlay. The password was "
                + ("changed to an unknown one" if refused is None else f"NOT changed: {refused}"),
            )
        )
    # On its own: see the head of this module.
    try:
        await link.modify(dn, dialect.lock(entry))
    except LdapRefused as error:
        if error.code != UNDEFINED_ATTRIBUTE:
            raise
        unknown = f"{server.product} here knows no {dialect.lock_attribute}: {error}"
        raise Unsuccessful(AttemptOutcome("unsupported", unknown)) from error
    return refused


async def _prove_lock(
    known: _Directory, link: LdapLink, dialect: Dialect, entry: Entry, password: str, refused: LdapRefused | None
) -> bool:
    """Whether the lock was tried by a bind and holds. Without a new password (``refused``) that of another account
    under the same policy counts."""
    policy = text(entry, dialect.policy)
    if refused is None:
        if await known.pool.lets_in(str(entry.dn), password, link.end):
            raise Unsuccessful(
                AttemptOutcome(
                    "failed",
                    "the lock is stored but not honoured: a bind with the new, unknown password succeeds. Give "
                    f"{policy or 'the default policy'} pwdLockout TRUE, and the database its ppolicy overlay",
                )
            )
        known.holding.add(policy)
        return True
    if policy not in known.holding:
        raise Unsuccessful(
            AttemptOutcome(
                "failed",
                f"locked, but the password could not be changed, so it is not proven that the lock holds: {refused}. "
                f"Let {known.pool.where.bind_dn} write it",
            )
        )
    return False


async def _read_back(
    link: LdapLink, dialect: Dialect, base: str, entry: Entry, *, before: bool, left: int
) -> AttemptOutcome:
    """The proof: the account as it reads now. ``before``: it was locked and in no group; ``left``: groups left now."""
    found = await link.search(str(entry.dn), _ANY, dialect.read, subtree=False)
    if found and not _is_same(dialect, entry, found[0]):
        return AttemptOutcome("failed", f"what was read back is {found[0].dn}, another account; nothing is proven")
    if not found or not dialect.locked(found[0]):
        return AttemptOutcome("failed", f"{dialect.lock_attribute} was written and does not read back")
    # Where there were none a moment ago none is looked for again.
    still = [str(group.dn) for group in await _groups(link, base, found[0])] if left else []
    if still:
        named = ", ".join(still[:3]) + ("" if len(still) <= 3 else f" and {len(still) - 3} more")
        return AttemptOutcome("failed", f"locked, but still in {named}. Let our account write these groups")
    proof = (
        f"{dialect.lock_attribute} {text(found[0], dialect.lock_attribute)}, "
        f"{dialect.version} {text(found[0], dialect.version)}; no groups under {base}"
    )
    if left:
        proof += f", {left} left now"
    return AttemptOutcome("already" if before else "revoked", proof)


async def _account(link: LdapLink, dialect: Dialect, base: str, account: str) -> Entry:
    """The one entry of this account. Never a guess: none and several are refused."""
    found = await link.search(base, f"({account_filter(dialect, account)})", dialect.read)
    if not found:
        raise Refusal(f"There is no account {account} under {base}; correct the node's directory account.")
    if len(found) > 1:
        raise Refusal(f"{len(found)} accounts are called {account}; name the right one by its DN.")
    if _key(account) not in _names(dialect, found[0]):
        raise Refusal(f"what answers to {account} is {found[0].dn}: nobody was locked")
    return found[0]


def _names(dialect: Dialect, entry: Entry) -> set[str]:
    """DN and login names of an account, as ``_key`` compares them."""
    return {_key(str(entry.dn)), *(_key(str(login)) for login in entry.get(dialect.login, []))}


def _is_same(dialect: Dialect, entry: Entry, back: Entry) -> bool:
    """Whether what was read back is the account that was found: by its DN and its login names."""
    return _names(dialect, entry) == _names(dialect, back)


def account_filter(dialect: Dialect, account: str) -> str:
    """The part of a filter that finds the account, without its parentheses: by DN where it has an equals sign, else by
    login name. Any text stays the value that is compared."""
    return f"{dialect.entry_dn if '=' in account else dialect.login}={escape(account)}"


def _memberships(entry: Entry) -> list[tuple[str, str]]:
    """Attribute of a group and its value for this account (RFC 4519 2.17 and 2.40, RFC 2307)."""
    dn = str(entry.dn)
    return [("member", dn), ("uniqueMember", dn), *(("memberUid", str(uid)) for uid in entry.get("uid", []))]


async def _groups(link: LdapLink, base: str, entry: Entry) -> list[Entry]:
    """The groups under ``base`` that name the account. Of their attributes the names only: members are many."""
    parts = "".join(f"({attribute}={escape(value)})" for attribute, value in _memberships(entry))
    names = sorted({attribute for attribute, _ in _memberships(entry)})
    return await link.search(base, f"(|{parts})", names, values=False)


async def _leave(link: LdapLink, groups: Sequence[Entry], entry: Entry) -> None:
    """Takes the account out of these groups; a group that refuses shows when ``_read_back`` looks."""
    for group in groups:
        for attribute, value in _memberships(entry):
            if attribute not in group:
                continue
            gone = (attribute, LDAPModOp.DELETE, [value])
            try:
                await link.modify(str(group.dn), gone)
            except LdapRefused as error:
                if error.code != OBJECT_CLASS_VIOLATION:
                    continue
                # A group of names must have one. The empty name is nobody: no bind ends as it, and access rules that
                # ask for members of a group do not take the anonymous for one.
                with contextlib.suppress(LdapRefused):
                    await link.modify(str(group.dn), (attribute, LDAPModOp.ADD, [""]), gone)


async def _find_unlocked(known: _Directory, link: LdapLink, people: Sequence[AttemptSubject]) -> list[AttemptSubject]:
    """Which of these have an account that is not locked."""
    dialect, base = _dialect_and_base(known.pool.where, await _server(known, link))
    accounts = [who.account for who in people if who.account is not None]
    names = set(await _unlocked_accounts(link, dialect, base, accounts))
    found = [who for who in people if who.account in names]
    for who in people:
        if who.account is None and (who.employee_id is not None or who.email is not None):
            try:
                mine, by_email, _ = await _search(link, dialect, base, who)
            except Refusal:
                found.append(who)  # the attempt says what stands in its way
                continue
            if not all(dialect.locked(entry) for entry in (*mine, *by_email)):
                found.append(who)
    return found


async def _unlocked_accounts(link: LdapLink, dialect: Dialect, base: str, accounts: Sequence[str]) -> list[str]:
    """Which of these accounts are there and not locked."""
    found: list[str] = []
    for start in range(0, len(accounts), _AT_ONCE):
        part = accounts[start : start + _AT_ONCE]
        asked = "".join(f"({account_filter(dialect, name)})" for name in part)
        for entry in await link.search(base, f"(|{asked})", dialect.read):
            if dialect.locked(entry):
                continue
            names = _names(dialect, entry)
            # Written otherwise than the server writes it: then all of this part are looked at one by one.
            found += [name for name in part if _key(name) in names] or part
    return list(dict.fromkeys(found))


def _key(account: str) -> str:
    """Equal for names that directories hold for equal: case and spaces do not count."""
    return "".join(account.casefold().split())


async def _probe(known: _Directory, link: LdapLink) -> str:
    """What the trial says: product, bind, base, and whether locks may be set."""
    where = known.pool.where
    server = await _server(known, link)
    dialect, base = _dialect_and_base(where, server)
    try:
        found = await link.search(base, _ANY, ["1.1"], subtree=False)
    except LdapRefused as error:
        if error.code not in (NO_SUCH_OBJECT, INVALID_DN):
            raise
        found = []
    if not found:
        raise Refusal(f"There is no entry {base}, or our account may not read it; correct base_dn.")
    if not server.locks:
        raise Refusal(f"{server.product} has no locks here: load its ppolicy overlay.")
    return f"{server.product}; bound as {where.bind_dn or 'the system user'}; {base} is there; " + await _may_lock(
        link, dialect, base
    )


async def _may_lock(link: LdapLink, dialect: Dialect, base: str) -> str:
    """Whether our account may write the lock, as far as that is to be found out without changing anything."""
    if dialect is ACTIVE_DIRECTORY:
        wanted = ["allowedAttributesEffective"]
        somebody = await link.first(base, "(objectClass=user)", wanted)
        if somebody is None or not somebody.get(wanted[0]):
            return "whether we may lock accounts was not told."
        if dialect.lock_attribute not in somebody[wanted[0]]:
            raise Refusal(f"Our account may not write {dialect.lock_attribute}; allow it to.")
        return "we may lock accounts."
    if dialect is not OPENLDAP:
        return "whether we may lock accounts cannot be seen from outside."
    somebody = await link.first(base, f"({dialect.login}=*)", ["1.1"])
    if somebody is None:
        return "no account is there to see whether we may lock it."
    try:
        # Access is judged before values: a value that is never there is refused for the one reason or the other.
        await link.modify(str(somebody.dn), (dialect.lock_attribute, LDAPModOp.DELETE, [_NEVER_LOCKED]))
    except LdapRefused as error:
        if error.code == INSUFFICIENT_ACCESS:
            raise Refusal(f"Our account may not write {dialect.lock_attribute}; allow it to.") from error
        if error.code != NO_SUCH_ATTRIBUTE:
            return f"whether we may lock accounts was not told ({error})."
    return "we may lock accounts."


def _remedy(error: LdapRefused, where: DirectoryRow) -> str:
    if error.code == INSUFFICIENT_ACCESS:
        return f"{where.bind_dn} may not do it: {error}. Let it write passwords, locks and groups"
    if error.code == REFERRAL:
        return "the directory refers to another server for this; register the one that holds and writes the accounts"
    return f"the directory refuses: {error}"
