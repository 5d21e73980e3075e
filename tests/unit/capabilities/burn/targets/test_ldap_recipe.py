"""The recipe of a lock over LDAP, at a directory in memory that can be as unkind as real ones are."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from bonsai import LDAPModOp

from app.capabilities.burn.messages import Residual, TargetState
from app.capabilities.burn.targets import BurnFacts, ldap
from app.capabilities.burn.targets.connector import AttemptOutcome, AttemptSubject, Refusal, Tools
from app.capabilities.burn.targets.ldap import LdapConnector
from app.capabilities.burn.targets.ldap_dialects import LOCKED_FOR_GOOD, read_root
from app.capabilities.burn.targets.ldap_link import Change, LdapRefused
from app.capabilities.burn.targets.person import LINK
from app.registry.directories import DirectoryRow

T = TypeVar("T")
FACTS = BurnFacts("burn_1", "ARC-1", "GLOBAL_REVOCATION", 1, "lost", 0, training=False)
PPOLICY = "1.3.6.1.4.1.42.2.27.8.5.1"
SLAPD = {"structuralObjectClass": ["OpenLDAProotDSE"], "supportedControl": [PPOLICY]}
DOMAIN = {"supportedCapabilities": ["1.2.840.113556.1.4.800"]}
BASE = "dc=x"
ROW = DirectoryRow("d", "ldap", "D", "ldap://d.invalid", "s", "cn=us", BASE, None, None, None, None, ())
PART = re.compile(r"\((\w+)=([^()]*)\)")
TRIED = "; a bind with the new password is refused"


class Entry(dict[str, list[str]]):
    """Values by attribute, and a DN."""

    def __init__(self, dn: str, **values: Sequence[str]) -> None:
        super().__init__({name: list(value) for name, value in values.items()})
        self.dn = dn


def person(uid: str, **values: Sequence[str]) -> Entry:
    """An account."""
    return Entry(f"uid={uid},{BASE}", uid=[uid], **values)


def group(name: str, **members: Sequence[str]) -> Entry:
    """A group."""
    return Entry(f"cn={name},{BASE}", **members)


def refused(code: int) -> LdapRefused:
    """What a server answers."""
    return LdapRefused(code, "No.")


class Server:
    """A directory with ppolicy's way: a new password takes the lock away. ``refusing``: the answer to a change of that
    attribute; ``searching``: the answer to a search whose filter or base that is; ``blind``: searches below the base
    answer with these, whatever is asked."""

    def __init__(self, *entries: Entry) -> None:
        self.root: dict[str, list[str]] | None = SLAPD
        self.entries = list(entries)
        self.asked: list[tuple[str, str, tuple[str, ...], bool, bool]] = []
        self.changes: list[tuple[str, tuple[Change, ...]]] = []
        self.refusing: dict[str, LdapRefused] = {}
        self.searching: dict[str, LdapRefused] = {}
        self.blind: list[Entry] | None = None
        self.back: Callable[[Entry], Entry | None] = lambda entry: entry
        self.forgetful = False
        self.lets_in = False
        self.binds: list[tuple[str, str]] = []
        self.ends: list[float] = []
        self.end = 7.0

    async def search(
        self, base: str, filter_: str, attributes: Sequence[str], *, subtree: bool = True, values: bool = True
    ) -> list[Any]:
        """As ``LdapLink``."""
        self.asked.append((base, filter_, tuple(attributes), subtree, values))
        for key, error in self.searching.items():
            if key in (base, filter_):
                raise error
        if base == "":
            return [] if self.root is None else [self.root]
        if not subtree:
            if base == BASE:
                return [Entry(BASE)]
            there = [self.back(entry) for entry in self.entries if entry.dn == base]
            return [entry for entry in there if entry is not None]
        if self.blind is not None and "(member=" not in filter_:
            return list(self.blind)
        parts = [(name, plain(value)) for name, value in PART.findall(filter_) if value != "*"]
        return [entry for entry in self.entries if any(bears(entry, *part) for part in parts)]

    async def first(self, base: str, filter_: str, attributes: Sequence[str]) -> Any:
        """As ``LdapLink``."""
        self.asked.append((base, filter_, tuple(attributes), True, True))
        return self.entries[0] if self.entries else None

    async def modify(self, dn: str, *changes: Change) -> None:
        """As ``LdapLink``; a group of names that would lose its last one refuses."""
        self.changes.append((dn, changes))
        for attribute, _, _ in changes:
            if attribute in self.refusing:
                raise self.refusing[attribute]
        (entry,) = [one for one in self.entries if one.dn == dn]
        for attribute, operation, values in changes:
            now = entry.get(attribute, [])
            if operation is LDAPModOp.DELETE:
                if "000001010000Z" not in now and attribute == "pwdAccountLockedTime":
                    raise refused(16)
                left = [value for value in now if value not in values]
                if not left and attribute in ("member", "uniqueMember"):
                    raise refused(65)
                entry[attribute] = left
            elif operation is LDAPModOp.ADD:
                entry[attribute] = [*now, *map(str, values)]
            else:
                entry[attribute] = [value if isinstance(value, str) else value.decode("utf-16-le") for value in values]
            if attribute == "userPassword":
                entry.pop("pwdAccountLockedTime", None)
            if attribute == "pwdAccountLockedTime" and self.forgetful:
                entry.pop(attribute, None)
        entry["entryCSN"] = [str(len(self.changes))]

    def written(self, dn: str) -> list[list[str]]:
        """Attributes of each change of an entry."""
        return [[change[0] for change in changes] for of, changes in self.changes if of == dn]


def plain(value: str) -> str:
    """A value of a filter as it was meant (RFC 4515, 3)."""
    return re.sub(rb"\\([0-9a-f]{2})", lambda hit: bytes([int(hit[1], 16)]), value.encode()).decode()


def bears(entry: Entry, name: str, value: str) -> bool:
    """As servers compare."""
    held = [entry.dn] if name == "entryDN" else entry.get(name, [])
    return value.casefold() in [one.casefold() for one in held]


class Pools:
    """Stands for ``Pool``: hands out the one server, and counts."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.made: list[Any] = []

    def __call__(self, where: DirectoryRow) -> Any:
        """A pool."""
        server = self.server

        class Made:
            closed = 0

            def __init__(self) -> None:
                self.where = where

            async def run(self, work: Callable[[Any], Any], end: float) -> Any:
                server.ends.append(end - asyncio.get_running_loop().time())
                return await work(server)

            async def lets_in(self, dn: str, password: str, end: float) -> bool:
                assert end == server.end
                server.binds.append((dn, password))
                return server.lets_in

            def close(self) -> None:
                self.closed += 1

        self.made.append(Made())
        return self.made[-1]


@pytest.fixture
def server() -> Server:
    """Two accounts, of which the first is in three groups."""
    return Server(
        person("t1", employeeNumber=["E-1"], mail=["t1@x.invalid"]),
        person("t2", employeeNumber=["E-2"], mail=["t2@x.invalid"]),
    )


@pytest.fixture
def pools(server: Server, monkeypatch: pytest.MonkeyPatch) -> Pools:
    """Connections to that server."""
    made = Pools(server)
    monkeypatch.setattr(ldap, "Pool", made)
    return made


@pytest.fixture
def connector(pools: Pools) -> LdapConnector:
    """At that server."""
    assert not pools.made
    return LdapConnector(Tools(None, None, "site.invalid", False))  # type: ignore[arg-type]


def named(account: str | None, employee: str | None = None, email: str | None = None) -> AttemptSubject:
    """Whom an attempt is about."""
    return AttemptSubject("ARC-1", account, email, employee)


def lock(connector: LdapConnector, who: AttemptSubject | str, row: DirectoryRow = ROW) -> AttemptOutcome:
    """One attempt."""
    subject = named(who) if isinstance(who, str) else who
    return asyncio.run(connector.revoke(row, subject, FACTS, 5.0))


def probe(connector: LdapConnector, row: DirectoryRow = ROW) -> str:
    """One trial."""
    return asyncio.run(connector.probe(row, 5.0))


def told(work: Callable[[], object]) -> str:
    """The words of the refusal."""
    with pytest.raises(Refusal) as caught:
        work()
    return str(caught.value)


# --- one account ---


def test_password_then_lock_then_proof(connector: LdapConnector, server: Server) -> None:
    """Each in a modify of its own; the proof is what reads back and the bind that is refused."""
    outcome = lock(connector, "t1")
    assert outcome == AttemptOutcome(
        "revoked", f"pwdAccountLockedTime {LOCKED_FOR_GOOD}, entryCSN 2; no groups under {BASE}{TRIED}"
    )
    assert server.written(server.entries[0].dn) == [["userPassword"], ["pwdAccountLockedTime"]]
    ((dn, password),) = server.binds
    assert (dn, server.entries[0]["userPassword"]) == (f"uid=t1,{BASE}", [password])
    assert re.fullmatch(r"[\w-]{43}aA1-", password)
    assert server.ends == [pytest.approx(5.0, abs=0.5)]
    assert not server.written(server.entries[1].dn)


def test_every_kind_of_group_is_left(connector: LdapConnector, server: Server) -> None:
    """RFC 4519 and RFC 2307; a group of names keeps the empty one, and other members stay."""
    dn, other = f"uid=t1,{BASE}", f"uid=t2,{BASE}"
    groups = [
        group("pair", member=[dn, other]),
        group("alone", member=[dn]),
        group("names", uniqueMember=[dn]),
        group("unix", memberUid=["t1", "t3"]),
        group("other", member=[other]),
    ]
    server.entries += groups
    outcome = lock(connector, "t1")
    assert outcome.state == "revoked"
    assert outcome.evidence.endswith(f"; no groups under {BASE}, 4 left now{TRIED}")
    left = [{name: values for name, values in one.items() if name != "entryCSN"} for one in groups]
    assert left == [
        {"member": [other]},
        {"member": [""]},
        {"uniqueMember": [""]},
        {"memberUid": ["t3"]},
        {"member": [other]},
    ]
    asked = [call for call in server.asked if "member=" in call[1]]
    assert len(asked) == 2
    assert {(base, names, subtree, values) for base, _, names, subtree, values in asked} == {
        (BASE, ("member", "memberUid", "uniqueMember"), True, False)
    }
    assert not server.written(groups[4].dn)


def test_who_was_in_no_group_is_not_looked_for_again(connector: LdapConnector, server: Server) -> None:
    """One search a lock is spared."""
    lock(connector, "t1")
    assert sum("member=" in call[1] for call in server.asked) == 1


@pytest.mark.parametrize(
    ("number", "shown"), [(1, "cn=g0,dc=x"), (3, "cn=g0,dc=x, cn=g1,dc=x, cn=g2,dc=x"), (4, "cn=g2,dc=x and 1 more")]
)
def test_a_group_that_is_not_left_is_a_failure(
    connector: LdapConnector, server: Server, number: int, shown: str
) -> None:
    """Locked, and yet a member: the operator learns where; the first three are named."""
    server.entries += [group(f"g{at}", member=[f"uid=t1,{BASE}", "uid=t2"]) for at in range(number)]
    server.refusing["member"] = refused(50)
    outcome = lock(connector, "t1")
    assert outcome.state == "failed"
    assert outcome.evidence.endswith(f"{shown}. Let our account write these groups{TRIED}")
    assert outcome.evidence.startswith("locked, but still in cn=g0,dc=x")
    # One try each: only a group that must have a name gets the empty one.
    assert len(server.written("cn=g0,dc=x")) == 1


def test_a_group_that_takes_no_empty_name_breaks_nothing(connector: LdapConnector, server: Server) -> None:
    """It shows when the groups are read again, and the other attributes are left all the same."""
    stays = group("stays", member=[f"uid=t1,{BASE}"], memberUid=["t1"])
    server.entries.append(stays)
    server.refusing["member"] = refused(65)
    assert lock(connector, "t1").state == "failed"
    assert stays["memberUid"] == []
    assert server.written(stays.dn) == [["member"], ["member", "member"], ["memberUid"]]


def test_a_locked_account_is_tried_once_a_policy(connector: LdapConnector, server: Server) -> None:
    """Without a lock that was tried its own is; afterwards it gets no new password. Another policy is tried anew."""
    for entry in server.entries:
        entry["pwdAccountLockedTime"] = [LOCKED_FOR_GOOD]
    third = person("t3", pwdAccountLockedTime=[LOCKED_FOR_GOOD], pwdPolicySubentry=["cn=strict"])
    server.entries.append(third)
    first, second, other = (lock(connector, name) for name in ("t1", "t2", "t3"))
    assert [one.state for one in (first, second, other)] == ["already"] * 3
    assert [one.evidence.endswith(TRIED) for one in (first, second, other)] == [True, False, True]
    assert [dn for dn, _ in server.binds] == [f"uid=t1,{BASE}", f"uid=t3,{BASE}"]
    assert server.written(server.entries[1].dn) == []


def test_a_locked_account_that_left_a_group_now_was_not_revoked_before(
    connector: LdapConnector, server: Server
) -> None:
    """What it could do by the group it can do no more."""
    server.entries[0]["pwdAccountLockedTime"] = [LOCKED_FOR_GOOD]
    server.entries.append(group("pair", member=[f"uid=t1,{BASE}", "uid=t2"]))
    assert lock(connector, "t1").state == "revoked"


@pytest.mark.parametrize(("policy", "shown"), [([], "the default policy"), (["cn=soft"], "cn=soft")])
def test_a_lock_that_is_not_honoured_is_a_failure(
    connector: LdapConnector, server: Server, policy: list[str], shown: str
) -> None:
    """And no proof for the next account under that policy either."""
    for entry in server.entries:
        entry["pwdPolicySubentry"] = policy
    server.entries[1]["pwdAccountLockedTime"] = [LOCKED_FOR_GOOD]
    server.lets_in = True
    for name in ("t1", "t2"):
        outcome = lock(connector, name)
        assert outcome.state == "failed"
        assert outcome.evidence.startswith("the lock is stored but not honoured: a bind")
        assert f"Give {shown} pwdLockout TRUE" in outcome.evidence
    assert len(server.binds) == 2


def test_a_password_that_cannot_be_changed_needs_a_lock_that_was_tried(
    connector: LdapConnector, server: Server
) -> None:
    """That of another account under the same policy."""
    server.refusing["userPassword"] = refused(53)
    assert lock(connector, "t1") == AttemptOutcome(
        "failed",
        "locked, but the password could not be changed, so it is not proven that the lock holds: No (result 53). "
        "Let cn=us write it",
    )
    server.refusing = {}
    assert lock(connector, "t2").state == "revoked"
    server.refusing["userPassword"] = refused(53)
    del server.entries[0]["pwdAccountLockedTime"]
    outcome = lock(connector, "t1")
    assert outcome.state == "revoked"
    assert outcome.evidence.endswith(f"under {BASE}; the password was not changed: No (result 53)")
    assert len(server.binds) == 1


@pytest.mark.parametrize(
    ("refusing", "end"), [(False, "changed to an unknown one"), (True, "NOT changed: No (result 53)")]
)
def test_a_server_without_locks_gets_a_new_password_alone(
    connector: LdapConnector, server: Server, refusing: bool, end: str
) -> None:
    """It is told as what it is, and asked again the next time: somebody may load the overlay."""
    server.root = {"structuralObjectClass": ["OpenLDAProotDSE"]}
    server.refusing = {"userPassword": refused(53)} if refusing else {}
    expected = f"OpenLDAP has no locks here: load its ppolicy overlay. The password was {end}"
    assert lock(connector, "t1") == AttemptOutcome("unsupported", expected)
    assert server.written(server.entries[0].dn) == [["userPassword"]]
    server.root, server.refusing = SLAPD, {}
    assert lock(connector, "t1").state == lock(connector, "t2").state == "revoked"
    assert sum(call[0] == "" for call in server.asked) == 2


@pytest.mark.parametrize(
    ("code", "state", "evidence"),
    [
        (17, "unsupported", "OpenLDAP here knows no pwdAccountLockedTime: No (result 17)"),
        (50, "failed", "cn=us may not do it: No (result 50). Let it write passwords, locks and groups"),
        (
            10,
            "failed",
            "the directory refers to another server for this; register the one that holds and writes the accounts",
        ),
        (19, "failed", "the directory refuses: No (result 19)"),
    ],
)
def test_a_lock_that_is_refused_is_told_with_its_remedy(
    connector: LdapConnector, server: Server, code: int, state: TargetState, evidence: str
) -> None:
    """RFC 4511, appendix A."""
    server.refusing["pwdAccountLockedTime"] = refused(code)
    assert lock(connector, "t1") == AttemptOutcome(state, evidence)
    assert server.binds == []


ANOTHER = "what was read back is uid=t2,dc=x, another account; nothing is proven"
UNREAD = "pwdAccountLockedTime was written and does not read back"


def renamed(entry: Entry) -> Entry:
    """Of the same DN, and of another login name."""
    return Entry(entry.dn, **{**entry, "uid": ["t9"]})


@pytest.mark.parametrize(
    ("back", "evidence"),
    [
        (lambda entry: person("t2", pwdAccountLockedTime=[LOCKED_FOR_GOOD]), ANOTHER),
        (renamed, "what was read back is uid=t1,dc=x, another account; nothing is proven"),
        (lambda entry: None, UNREAD),
        (lambda entry: person("t1", pwdAccountLockedTime=["20260101000000Z"]), UNREAD),
        (lambda entry: person("t1"), UNREAD),
    ],
)
def test_what_is_read_back_is_that_account_and_locked_for_good(
    connector: LdapConnector, server: Server, back: Callable[[Entry], Entry | None], evidence: str
) -> None:
    """A lock that ends by itself is none."""
    server.back = back
    assert lock(connector, "t1") == AttemptOutcome("failed", evidence + TRIED)


def test_names_are_compared_as_directories_do(connector: LdapConnector, server: Server) -> None:
    """Case and spaces do not count, in what is found and in what is read back."""
    server.back = lambda entry: Entry(entry.dn.upper().replace(",", ", "), **{**entry, "uid": [" T1"]})
    assert lock(connector, "T1").state == "revoked"
    assert lock(connector, f"UID=T1,{BASE}").state == "already"


def test_an_account_is_never_guessed(connector: LdapConnector, server: Server) -> None:
    """None, several and another one are refused, and nobody is locked."""
    assert (
        told(lambda: lock(connector, "t9"))
        == f"There is no account t9 under {BASE}; correct the node's directory account."
    )
    server.entries.append(person("t2"))
    assert told(lambda: lock(connector, "t2")) == "2 accounts are called t2; name the right one by its DN."
    server.blind = [server.entries[0]]
    assert told(lambda: lock(connector, "t2")) == f"what answers to t2 is uid=t1,{BASE}: nobody was locked"
    assert server.changes == []


# --- nobody is named ---


def test_the_person_is_looked_for_by_number_and_address(connector: LdapConnector, server: Server) -> None:
    """In every attribute that may hold them; an account without a login name is none."""
    outcome = lock(connector, named(None, "E-9", "t9@x.invalid"))
    words = "employeeNumber E-9 or uid E-9 or mail t9@x.invalid or uid t9@x.invalid"
    assert outcome == AttemptOutcome("unlinked", f"no account there has the {words} under {BASE}; none was named")
    base, filter_, names, subtree, values = server.asked[-1]
    assert (base, subtree, values) == (BASE, True, True)
    assert filter_ == (r"(&(uid=*)(|(employeeNumber=E\2d9)(uid=E\2d9)(mail=t9\40x\2einvalid)(uid=t9\40x\2einvalid)))")
    assert set(names) == {
        "employeeNumber",
        "entryCSN",
        "mail",
        "pwdAccountLockedTime",
        "pwdPolicySubentry",
        "uid",
    }


@pytest.mark.parametrize(
    ("employee", "email", "words"),
    [("E-9", None, "employeeNumber E-9 or uid E-9"), (None, "t9@x", "mail t9@x or uid t9@x")],
)
def test_what_is_not_known_is_not_searched(
    connector: LdapConnector, employee: str | None, email: str | None, words: str
) -> None:
    """And not told."""
    outcome = lock(connector, named(None, employee, email))
    assert outcome.evidence == f"no account there has the {words} under {BASE}; none was named"


@pytest.mark.parametrize("attribute", ["employeeNumber", "uid"])
def test_who_bears_the_number_is_locked(connector: LdapConnector, server: Server, attribute: str) -> None:
    """Compared as directories do."""
    server.entries[0][attribute] = ["e- 1"]
    server.entries[0]["employeeNumber"] = [] if attribute == "uid" else ["e- 1"]
    server.blind = [server.entries[0]]
    assert lock(connector, named(None, "E-1", "t1@x.invalid")).state == "revoked"


def test_who_bears_the_address_alone_is_locked_or_left(connector: LdapConnector, server: Server) -> None:
    """As the directory says; one that is locked is no concern, but no proof either."""
    server.entries.append(person("t3", mail=["t1@x.invalid"]))
    who = named(None, None, "T1@x.invalid")
    outcome = lock(connector, who)
    expected = f"uid=t1,{BASE}, uid=t3,{BASE} bears the e-mail address alone: {LINK}"
    assert (outcome, server.changes) == (AttemptOutcome("failed", expected), [])
    server.entries[0]["pwdAccountLockedTime"] = [LOCKED_FOR_GOOD]
    assert lock(connector, who).evidence == f"uid=t3,{BASE} bears the e-mail address alone: {LINK}"
    server.entries[2]["pwdAccountLockedTime"] = [LOCKED_FOR_GOOD]
    assert lock(connector, who).state == "unlinked"
    server.entries[2].pop("pwdAccountLockedTime")
    done = lock(connector, who, replace(ROW, email_match="lock"))
    assert (done.state, len(server.binds)) == ("revoked", 2)


def test_one_that_fails_does_not_hide_the_other(connector: LdapConnector, server: Server) -> None:
    """Both are tried; the worse one is the state, and both are told."""
    server.entries.append(person("t3", mail=["t1@x.invalid"]))
    server.lets_in = True
    outcome = lock(connector, named(None, "E-1", "t1@x.invalid"), replace(ROW, email_match="lock"))
    assert outcome.state == "failed"
    assert outcome.evidence.count("stored but not honoured") == 2


def test_too_many_are_nobody(connector: LdapConnector, server: Server) -> None:
    """Two of one number; eleven of one address. Ten are people."""
    server.entries.append(person("t3", employeeNumber=["E-1"]))
    number = "employeeNumber E-1 or uid E-1"
    assert told(lambda: lock(connector, named(None, "E-1"))) == f"2 accounts have the {number}: nobody was locked"
    server.entries = [person(f"a{at}", mail=["all@x"]) for at in range(11)]
    shared = named(None, None, "all@x")
    assert told(lambda: lock(connector, shared)) == "11 accounts have the mail all@x or uid all@x: nobody was locked"
    server.entries.pop()
    assert lock(connector, shared).evidence.count("uid=a") == 10


def test_a_server_that_answers_with_somebody_locks_nobody(connector: LdapConnector, server: Server) -> None:
    """Neither by number nor by address."""
    server.blind = [server.entries[1]]
    for who in (named(None, "E-1", "t1@x.invalid"), named(None, "E-1"), named(None, None, "t1@x.invalid")):
        refusal = "what answers to the number or address bears neither: nobody was locked"
        assert told(lambda who=who: lock(connector, who)) == refusal  # type: ignore[misc]
    assert server.changes == []


# --- looking at many ---


def unlocked(connector: LdapConnector, *people: AttemptSubject) -> list[AttemptSubject]:
    """Who is not locked."""
    return asyncio.run(connector.find_unlocked(ROW, people, 5.0))


def test_who_is_not_locked_is_found(connector: LdapConnector, server: Server) -> None:
    """By account, number and address; the locked and those who are not there are not named. Nothing is changed."""
    server.entries.append(person("t3", mail=["t3@x"], employeeNumber=["E-3"]))
    server.entries[0]["pwdAccountLockedTime"] = [LOCKED_FOR_GOOD]
    people = [
        named("t1"),
        named("t2"),
        named("gone"),
        named(None, "E-1"),
        named(None, "E-2"),
        named(None, None, "t3@x"),
        named(None, "E-9", "t9@x"),
        named(None),
        named("T3"),
        named("t1", "E-2", "t3@x"),
    ]
    # A person with an account is looked at by it alone: the number is another's here.
    assert unlocked(connector, *people) == [people[at] for at in (1, 8, 4, 5)]
    assert server.ends == [pytest.approx(5.0, abs=0.5)]
    assert server.changes == []


def test_what_stands_in_the_way_of_a_look_is_for_the_attempt(connector: LdapConnector, server: Server) -> None:
    """An answer that is refused counts as not locked."""
    server.blind = [person("t9", pwdAccountLockedTime=[LOCKED_FOR_GOOD])]
    people = [named(None, "E-1"), named("t1")]
    assert unlocked(connector, *people) == people[:1]


def test_accounts_are_asked_after_by_the_hundred(connector: LdapConnector, server: Server) -> None:
    """Servers give 500 entries at most; one that is written otherwise brings its own part alone."""
    server.entries = [person(f"a{at}", pwdAccountLockedTime=[LOCKED_FOR_GOOD]) for at in range(250)]
    people = [named(f"a{at}") for at in range(250)]
    assert unlocked(connector, *people) == []
    asked = [call[1].count("(uid=") for call in server.asked if call[0] == BASE]
    assert asked == [100, 100, 50]
    server.entries[120] = Entry("uid=odd,dc=x", uid=["a120"])
    assert unlocked(connector, *people) == [people[120]]
    # The server takes the names for equal; we cannot see of whom it speaks.
    server.blind = [Entry("uid=odd,dc=x", uid=["ä120"])]
    assert unlocked(connector, *people) == people


@pytest.mark.parametrize("work", [unlocked, probe])
def test_a_refusal_is_told_with_its_remedy(connector: LdapConnector, server: Server, work: Any) -> None:
    """When many are looked at, and in a trial."""
    server.searching[""] = refused(50)
    assert (
        told(lambda: work(connector)) == "cn=us may not do it: No (result 50). Let it write passwords, locks and groups"
    )


# --- the trial ---


def test_the_trial_says_what_it_found(connector: LdapConnector, server: Server) -> None:
    """Product, who we are, base, and whether we may lock; it changes nothing."""
    assert probe(connector) == f"OpenLDAP; bound as cn=us; {BASE} is there; we may lock accounts."
    assert server.changes == [(f"uid=t1,{BASE}", (("pwdAccountLockedTime", LDAPModOp.DELETE, ["19700101000000Z"]),))]
    assert (BASE, "(objectClass=*)", ("1.1",), False, True) in server.asked
    assert server.asked[-1] == (BASE, "(uid=*)", ("1.1",), True, True)
    assert server.ends == [pytest.approx(5.0, abs=0.5)]
    assert "bound as the system user;" in probe(connector, replace(ROW, bind_dn=None))


@pytest.mark.parametrize(
    ("root", "row", "words"),
    [
        (None, ROW, "The directory does not show its root entry (root DSE) to our account; allow to read it."),
        ({}, ROW, "The directory is an unnamed LDAP server; register its dialect: openldap, ad or 389ds."),
        (
            SLAPD,
            replace(ROW, base_dn=None),
            "The directory has no base_dn; register the entry under which accounts and groups are.",
        ),
        (
            {"structuralObjectClass": ["OpenLDAProotDSE"]},
            ROW,
            "OpenLDAP has no locks here: load its ppolicy overlay.",
        ),
    ],
)
def test_a_trial_that_finds_no_directory_says_what_to_do(
    connector: LdapConnector, server: Server, root: dict[str, list[str]] | None, row: DirectoryRow, words: str
) -> None:
    """Each step has its words."""
    server.root = root
    assert told(lambda: probe(connector, row)) == words


@pytest.mark.parametrize("code", [32, 34])
def test_a_base_that_is_not_there_is_to_be_corrected(connector: LdapConnector, server: Server, code: int) -> None:
    """No such object, and what is no DN."""
    server.searching["(objectClass=*)"] = refused(code)
    connector._directory(ROW).server = read_root(SLAPD, None)
    words = f"There is no entry {BASE}, or our account may not read it; correct base_dn."
    assert told(lambda: probe(connector)) == words
    server.searching["(objectClass=*)"] = refused(53)
    assert told(lambda: probe(connector)) == "the directory refuses: No (result 53)"


NOT_TOLD = "whether we may lock accounts was not told"


@pytest.mark.parametrize(
    ("code", "words"),
    [(16, "we may lock accounts."), (19, f"{NOT_TOLD} (No (result 19)).")],
)
def test_access_is_judged_before_values(connector: LdapConnector, server: Server, code: int, words: str) -> None:
    """A value that is never there."""
    server.refusing["pwdAccountLockedTime"] = refused(code)
    assert probe(connector).endswith(f"; {words}")
    server.refusing["pwdAccountLockedTime"] = refused(50)
    assert told(lambda: probe(connector)) == "Our account may not write pwdAccountLockedTime; allow it to."
    server.entries = []
    assert probe(connector).endswith("; no account is there to see whether we may lock it.")


def test_a_domain_says_what_we_may_write(connector: LdapConnector, server: Server) -> None:
    """MS-ADTS 3.1.1.4.5.21: allowedAttributesEffective; without an answer nothing is claimed."""
    server.root = DOMAIN
    assert probe(connector).endswith(f"{BASE} is there; {NOT_TOLD}.")
    assert server.asked[-1] == (BASE, "(objectClass=user)", ("allowedAttributesEffective",), True, True)
    server.entries[0]["allowedAttributesEffective"] = ["mail"]
    assert told(lambda: probe(connector)) == "Our account may not write userAccountControl; allow it to."
    server.entries[0]["allowedAttributesEffective"] = ["mail", "userAccountControl"]
    assert probe(connector) == f"Active Directory; bound as cn=us; {BASE} is there; we may lock accounts."
    server.entries = []
    assert probe(connector).endswith(f"; {NOT_TOLD}.")
    assert server.changes == []


def test_of_other_servers_nothing_is_claimed(connector: LdapConnector, server: Server) -> None:
    """Whether 389 Directory Server lets us is seen in the attempt."""
    server.root = {"vendorName": ["389 Project"]}
    assert probe(connector).endswith("; whether we may lock accounts cannot be seen from outside.")
    assert server.changes == []


# --- what is left, and connections ---


def test_what_outlives_a_lock(connector: LdapConnector, server: Server) -> None:
    """Bound sessions; a domain's tickets, as registered or as the domain says; an account that was not linked."""
    bound = "D: LDAP sessions that are bound already"
    tickets = (
        f"{bound}; Kerberos tickets until 1970-01-01T10:00:00.000000Z, where the domain keeps the default of 10 hours"
    )
    assert connector.residual(ROW, "revoked", 0) == Residual(what=bound, until=None)
    domain = replace(ROW, dialect="ad")
    assert connector.residual(domain, "revoked", 0) == Residual(what=tickets, until=None)
    assert connector.residual(ROW, "unlinked", 0) == Residual(
        what="D: an account of the person that does not bear what was looked for", until=None
    )
    lock(connector, "t1")
    assert connector.residual(ROW, "revoked", 0) == Residual(what=bound, until=None)
    server.root = DOMAIN
    seen = replace(ROW, directory_id="other")
    assert connector.residual(seen, "revoked", 0) == Residual(what=bound, until=None)
    connector._directory(seen)
    assert connector.residual(seen, "revoked", 0) == Residual(what=bound, until=None)
    probe_of(connector, seen, server)
    assert connector.residual(seen, "revoked", 0) == Residual(what=tickets, until=None)
    assert connector.residual(replace(seen, dialect="openldap"), "revoked", 0) == Residual(what=bound, until=None)


def probe_of(connector: LdapConnector, row: DirectoryRow, server: Server) -> None:
    """A trial at a domain where somebody may be locked."""
    server.entries = []
    probe(connector, row)


def test_connections_are_kept_while_the_directory_stays_as_registered(connector: LdapConnector, pools: Pools) -> None:
    """Another registration has connections of its own; what was learned of the former is forgotten."""
    lock(connector, "t1")
    lock(connector, "t2")
    assert len(pools.made) == 1
    lock(connector, "t1", replace(ROW, secret="another"))
    assert [pool.closed for pool in pools.made] == [1, 0]
    lock(connector, "t1", replace(ROW, directory_id="e"))
    asyncio.run(connector.close())
    assert [pool.closed for pool in pools.made] == [1, 1, 1]
    asyncio.run(connector.close())
    assert [pool.closed for pool in pools.made] == [1, 1, 1]
