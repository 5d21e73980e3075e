"""Calls to systems elsewhere, byte for byte, and what each answer proves: servers in memory."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from joserfc import jws
from standardwebhooks import Webhook as Verifier

from app.capabilities.burn.messages import Residual, TargetState
from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.connector import AttemptOutcome, AttemptSubject, Refusal, Tools
from app.capabilities.burn.targets.oauth import OAuth
from app.capabilities.burn.targets.peer import PeerConnector
from app.capabilities.burn.targets.person import LINK
from app.capabilities.burn.targets.scim import Scim, _naming
from app.capabilities.burn.targets.ssf import Ssf
from app.capabilities.burn.targets.webhook import Webhook
from app.delivery.outbound import BadAnswer, OutboundAnswer, SystemUnreachable
from app.delivery.published_keys import SECURITY_EVENTS, PublishedKeys
from app.registry.directories import DirectoryRow
from app.store.keys import Kek, Keys

WHSEC = "whsec_" + base64.b64encode(bytes(range(24))).decode()
FACTS = BurnFacts("burn_1", "ARC-1", "GLOBAL_REVOCATION", 1, "lost", 1_767_225_600_999_999, training=False)
TRAINING = replace(FACTS, training=True)
ROW = DirectoryRow("d", "scim", "D", "https://d.invalid/base/", "token", None, None, None, None, "PEM", None, ())
PERSON = AttemptSubject("ARC-1", None, "t1@x.invalid", "E-1")
Answer = tuple[int, object]


def called(account: str) -> AttemptSubject:
    """One whose account is named."""
    return replace(PERSON, account=account)


class Http:
    """Stands for ``Outbound``: remembers each call, and answers as the test says."""

    def __init__(self, answer: Callable[[str, str, Any], Answer], headers: Mapping[str, str] | None = None) -> None:
        self.answer = answer
        self.headers = dict(headers or {})
        self.calls: list[tuple[str, str]] = []
        self.bodies: list[Any] = []
        self.sent: list[dict[str, str]] = []
        self.raw: list[bytes | None] = []

    async def call(
        self,
        method: str,
        url: str,
        *,
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        ca: str | None = None,
    ) -> OutboundAnswer:
        """One call; the time and the trust that are registered."""
        assert (timeout_s, ca) == (5.0, "PEM")
        path = unquote(url.removeprefix("https://d.invalid/base"))
        body = None
        if content is not None and content[:1] == b"{":
            body = json.loads(content)
        self.calls.append((method, path))
        self.bodies.append(body)
        self.raw.append(content)
        self.sent.append(dict(headers or {}))
        status, found = self.answer(method, path, body)
        return OutboundAnswer(status, self.headers, b"" if found is None else msgspec.json.encode(found))


def always(status: int, body: object = None) -> Callable[[str, str, Any], Answer]:
    """The same answer to everything."""
    return lambda method, path, sent: (status, body)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    """A site's keys."""
    return Keys(tmp_path_factory.mktemp("keys") / "keys.db", Kek(bytes(32)))


def made(of: Any, http: Http, keys: Keys | None = None, *, training: bool = False) -> Any:
    """A connector at that server."""
    return of(Tools(http, keys, "site.invalid", training))  # type: ignore[arg-type]


def revoked(
    connector: Any, who: AttemptSubject, row: DirectoryRow = ROW, facts: BurnFacts = FACTS, deadline_s: float = 5.0
) -> AttemptOutcome:
    """One attempt; a refusal as the directory targets tell it."""
    try:
        return asyncio.run(connector.revoke(row, who, facts, deadline_s))  # type: ignore[no-any-return]
    except Refusal as error:
        return AttemptOutcome("failed", str(error))


def probed(connector: Any, row: DirectoryRow = ROW) -> str:
    """One trial; its refusal in its words, silence as such."""
    try:
        return str(asyncio.run(connector.probe(row, 5.0)))
    except Refusal as error:
        return f"refused: {error}"
    except SystemUnreachable as error:
        return f"unreachable: {error}"


# --- SCIM ---

READ = "attributes=externalId,userName,emails,active,meta"
FILTER = re.compile(r'filter=([\w.]+) eq "([^"]*)"')


class Scims:
    """Users and groups of a SCIM server. ``deaf``: it passes over changes of groups; ``refusing``: statuses by
    (method, beginning of a path); ``blind``: a search answers with these."""

    def __init__(self, *users: dict[str, Any]) -> None:
        self.users = {user["id"]: user for user in users}
        self.groups: dict[str, set[str]] = {}
        self.deaf = False
        self.refusing: dict[tuple[str, str], int] = {}
        self.blind: tuple[int, list[dict[str, Any]]] | None = None
        self.http = Http(self.take)
        self.scim = made(Scim, self.http)

    def take(self, method: str, path: str, body: Any) -> Answer:
        """One call."""
        for (of, start), status in self.refusing.items():
            if method == of and path.startswith(start):
                return status, None
        found = FILTER.search(path)
        if path.startswith("/Users?"):
            assert found is not None
            users = [user for user in self.users.values() if found[2].casefold() in self.values(user, found[1])]
            total, users = self.blind or (len(users), users)
            return 200, {"totalResults": total, "Resources": users}
        if path.startswith("/Groups?"):
            assert found is not None
            inside = [name for name, members in self.groups.items() if found[2] in members]
            return 200, {"totalResults": len(inside), "Resources": [{"id": name} for name in inside[:200]]}
        kind, _, name = path.partition("?")[0].removeprefix("/").partition("/")
        if kind == "Groups":
            if not self.deaf:
                self.groups[name].clear()
            return 204, None
        if method == "PATCH":
            self.users[name]["active"] = False
            return 200, {}
        return (200, self.users[name]) if name in self.users else (404, None)

    @staticmethod
    def values(user: dict[str, Any], name: str) -> list[str]:
        """What a filter compares."""
        held = [one["value"] for one in user.get("emails", [])] if name == "emails.value" else [user.get(name) or ""]
        return [one.casefold() for one in held]


def user(number: str, **more: object) -> dict[str, Any]:
    """An active account."""
    return {"id": number, "externalId": f"E-{number}", "userName": f"u{number}", "active": True, **more}


def test_a_named_account_is_locked_call_by_call() -> None:
    """Search, lock, groups, and what reads back."""
    server = Scims(user("1", meta={"version": 'W/"2"'}), user("2"))
    server.groups = {"g/1": {"1"}, "g2": {"2"}}
    outcome = revoked(server.scim, called("E-1"))
    assert outcome == AttemptOutcome("revoked", 'active=false read back, version W/"2"; left 1 group')
    assert server.http.calls == [
        ("GET", f'/Users?filter=externalId eq "E-1"&{READ}&count=2'),
        ("PATCH", "/Users/1"),
        ("GET", '/Groups?filter=members.value eq "1"&attributes=displayName&count=200'),
        ("PATCH", "/Groups/g/1"),
        ("GET", f"/Users/1?{READ}"),
    ]
    patch = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"]
    assert [body for body in server.http.bodies if body] == [
        {"schemas": patch, "Operations": [{"op": "replace", "path": "active", "value": False}]},
        {"schemas": patch, "Operations": [{"op": "remove", "path": 'members[value eq "1"]'}]},
    ]
    bearer = {"Authorization": "Bearer token", "Accept": "application/scim+json"}
    assert server.http.sent[0] == bearer
    assert server.http.sent[1] == {**bearer, "Content-Type": "application/scim+json"}
    again = revoked(server.scim, called("id:1"))
    assert again == AttemptOutcome("already", 'active=false read back, version W/"2"')
    assert [method for method, _ in server.http.calls[5:]] == ["GET", "GET", "GET"]


@pytest.mark.parametrize(
    ("account", "naming"),
    [
        ("E-1", ("externalId", "E-1")),
        ("id:1", ("id", "1")),
        ("userName:a:b", ("userName", "a:b")),
        ("id:", ("externalId", "id:")),
        ("userName", ("externalId", "userName")),
        ("username:a", ("externalId", "username:a")),
        (":1", ("externalId", ":1")),
    ],
)
def test_how_an_account_is_named(account: str, naming: tuple[str, str]) -> None:
    """By a prefix that has a value, else as it stands."""
    assert _naming(account) == naming


NOBODY = "nobody was locked"


@pytest.mark.parametrize(
    ("account", "blind", "evidence"),
    [
        ("E-9", None, "no account there has the externalId E-9"),
        ("id:9", None, "no account there has the id 9"),
        ("userName:u9", None, "no account there has the userName u9"),
        ("E-1", (1, [user("2")]), f"what answers to the externalId E-1 bears another name: {NOBODY}"),
        ("E-1", (1, [user("1", externalId="e-1")]), f"what answers to the externalId E-1 bears another name: {NOBODY}"),
        ("E-1", (1, []), f"what answers to the externalId E-1 bears another name: {NOBODY}"),
        ("E-1", (2, [user("1")]), f"2 accounts there answer to the externalId E-1: {NOBODY}"),
        ("E-1", (0, [user("1"), user("1")]), f"0 accounts there answer to the externalId E-1: {NOBODY}"),
        ("userName:u1", (1, [user("2")]), f"what answers to the userName u1 bears another name: {NOBODY}"),
        ("userName:u1", (1, [{"id": "1"}]), f"what answers to the userName u1 bears another name: {NOBODY}"),
    ],
)
def test_an_account_is_never_guessed(
    account: str, blind: tuple[int, list[dict[str, Any]]] | None, evidence: str
) -> None:
    """A server that passes over its filter, or counts otherwise than it lists."""
    server = Scims(user("1"), user("2"))
    server.blind = blind
    assert revoked(server.scim, called(account)) == AttemptOutcome("failed", evidence)
    assert all(method == "GET" for method, _ in server.http.calls)


def test_who_answers_to_an_id_bears_it() -> None:
    """A server that answers about somebody else."""
    server = Scims(user("1"))
    server.users["9"] = user("1")
    expected = f"what answers to the id 9 bears another name: {NOBODY}"
    assert revoked(server.scim, called("id:9")) == AttemptOutcome("failed", expected)
    del server.users["9"]
    assert revoked(server.scim, called("userName:U1")).state == "revoked"


ANOTHER = AttemptOutcome("pending_offline", "what was read back is another account; nothing is proven")
STILL_ACTIVE = AttemptOutcome("pending_offline", "the change was taken, but the account still reads as active")


@pytest.mark.parametrize(
    ("back", "outcome"),
    [
        ({"id": "2"}, ANOTHER),
        ({"userName": "u2"}, ANOTHER),
        ({"userName": None}, ANOTHER),
        ({"externalId": "e-1"}, ANOTHER),
        ({"userName": "U1"}, AttemptOutcome("revoked", "active=false read back")),
        ({"active": None}, STILL_ACTIVE),
        ({"active": True}, STILL_ACTIVE),
    ],
)
def test_what_is_read_back_is_that_account(back: dict[str, Any], outcome: AttemptOutcome) -> None:
    """By id and names; an account that does not say is not locked."""
    server = Scims(user("1"))
    take = server.take

    def answer(method: str, path: str, body: Any) -> Answer:
        read = path.startswith("/Users/1?")
        return (200, {**server.users["1"], "active": False, **back}) if read else take(method, path, body)

    server.http.answer = answer
    assert revoked(server.scim, called("E-1")) == outcome


@pytest.mark.parametrize(
    ("number", "asked", "words"),
    [
        (0, 1, ""),
        (1, 1, "; left 1 group"),
        (2, 1, "; left 2 groups"),
        (199, 1, "; left 199 groups"),
        (200, 2, "; left 200 groups"),
        (401, 3, "; left 401 groups"),
        (4001, 20, "; left 4000 groups"),
    ],
)
def test_groups_are_left_page_by_page(number: int, asked: int, words: str) -> None:
    """Two hundred at a time, and twenty pages an attempt."""
    server = Scims(user("1"))
    server.groups = {f"g{at}": {"1"} for at in range(number)}
    assert revoked(server.scim, called("E-1")).evidence == f"active=false read back{words}"
    assert sum(path.startswith("/Groups?") for _, path in server.http.calls) == asked


def test_groups_that_stay_are_not_left_for_ever() -> None:
    """A server that takes the change and lists them again."""
    server = Scims(user("1"))
    server.groups, server.deaf = {f"g{at}": {"1"} for at in range(200)}, True
    assert revoked(server.scim, called("E-1")).evidence == "active=false read back; left 200 groups"
    assert sum(method == "PATCH" for method, _ in server.http.calls) == 201


@pytest.mark.parametrize("call", [("GET", "/Groups?"), ("PATCH", "/Groups/")])
@pytest.mark.parametrize("status", [400, 403, 404, 501])
def test_groups_that_cannot_be_changed_are_mentioned(call: tuple[str, str], status: int) -> None:
    """An inactive account can do nothing by a group."""
    server = Scims(user("1"))
    server.groups = {"g": {"1"}}
    server.refusing = {call: status}
    expected = f"active=false read back; its groups cannot be changed ({status})"
    assert revoked(server.scim, called("E-1")) == AttemptOutcome("revoked", expected)
    for other, state in ((401, "failed"), (402, "failed"), (405, "failed"), (500, "pending_offline")):
        server.refusing = {call: other}
        assert revoked(server.scim, called("E-1")).state == state


def test_a_person_is_looked_for_by_all_that_is_known() -> None:
    """The number as either name, the address as login and among the addresses; ten may share an address."""
    server = Scims()
    words = "externalId E-1 or userName E-1 or userName t1@x.invalid or emails.value t1@x.invalid"
    expected = f"no account there has the {words}; none was named"
    assert revoked(server.scim, PERSON) == AttemptOutcome("unlinked", expected)
    assert server.http.calls == [
        ("GET", f'/Users?filter=externalId eq "E-1"&{READ}&count=2'),
        ("GET", f'/Users?filter=userName eq "E-1"&{READ}&count=2'),
        ("GET", f'/Users?filter=userName eq "t1@x.invalid"&{READ}&count=11'),
        ("GET", f'/Users?filter=emails.value eq "t1@x.invalid"&{READ}&count=11'),
    ]
    alone = revoked(server.scim, replace(PERSON, email=None)).evidence
    assert alone == "no account there has the externalId E-1 or userName E-1; none was named"


def test_who_bears_the_address_alone_is_locked_or_left() -> None:
    """Those that bear the number too are the person's; the inactive are no concern."""
    address = {"emails": [{"value": "other@x"}, {"value": "T1@x.invalid"}]}
    server = Scims(user("1", **address), user("2", **address), user("3", active=False, **address))
    server.users["4"] = user("4", userName=None, active=None, **address)
    found = revoked(server.scim, PERSON)
    left = f"u2 (id:2), one (id:4) bears the e-mail address alone: {LINK}"
    assert found == AttemptOutcome("failed", f"active=false read back; {left}")
    assert [server.users[name]["active"] for name in "1234"] == [False, True, False, None]
    assert revoked(server.scim, PERSON, replace(ROW, email_match="lock")).state == "revoked"
    assert [server.users[name]["active"] for name in "1234"] == [False] * 4


@pytest.mark.parametrize(("number", "state"), [(10, "failed"), (11, "failed")])
def test_an_address_of_many_is_nobodys(number: int, state: TargetState) -> None:
    """Ten are people; of eleven none is named."""
    server = Scims(*(user(f"a{at}", emails=[{"value": "t1@x.invalid"}]) for at in range(number)))
    found = revoked(server.scim, PERSON)
    assert (found.state, found.evidence.count("(id:")) == (state, 10 if number == 10 else 0)
    if number == 11:
        assert found.evidence == f"11 accounts there answer to the emails.value t1@x.invalid: {NOBODY}"


def test_an_address_that_is_not_borne_is_refused() -> None:
    """Also among several that are."""
    server = Scims()
    server.blind = (2, [user("1", emails=[{"value": "t1@x.invalid"}]), user("2", emails=[{"value": None}, {}])])
    found = revoked(server.scim, replace(PERSON, employee_id=None))
    assert found == AttemptOutcome("failed", f"what answers to the userName t1@x.invalid bears another name: {NOBODY}")


@pytest.mark.parametrize("status", [400, 403, 501])
def test_a_server_that_cannot_search_by_address_is_told(status: int) -> None:
    """Nobody knows whether there is an account; by a name every server can search."""
    server = Scims()
    server.refusing = {("GET", "/Users?filter=emails"): status}
    cannot = f"it cannot search for the emails.value t1@x.invalid: look there by hand, then {LINK}"
    assert revoked(server.scim, PERSON) == AttemptOutcome("unsupported", cannot)
    server.refusing = {("GET", "/Users?filter=emails"): 404}
    assert revoked(server.scim, PERSON) == AttemptOutcome("failed", "answered 404: nothing is there")
    server.refusing = {("GET", "/Users?filter=userName"): status}
    assert revoked(server.scim, PERSON).evidence.startswith(f"answered {status}")


def test_who_is_active_there_is_found() -> None:
    """Changing nothing; what is in the way of a look is for the attempt."""
    address = {"emails": [{"value": "t1@x.invalid"}]}
    server = Scims(user("1"), user("2", active=False), user("3", active=None))
    server.users |= {"9": user("8", active=False), "5": user("5", active=False, **address)}
    off, on = replace(PERSON, email=None, employee_id="E-2"), replace(PERSON, email=None)
    both = replace(PERSON, employee_id="E-2")
    people = [called(name) for name in ("E-1", "E-2", "E-3", "E-7", "id:1", "id:2", "id:3", "id:7", "id:9")]
    people += [on, off, both]
    wanted = [people[at] for at in (0, 2, 4, 6, 8, 9)]
    assert asyncio.run(server.scim.find_unlocked(ROW, people, 5.0)) == wanted
    server.users["6"] = user("6", **address)
    assert asyncio.run(server.scim.find_unlocked(ROW, [both], 5.0)) == [both]
    server.blind = (3, [])
    assert asyncio.run(server.scim.find_unlocked(ROW, [called("E-2")], 5.0)) == [called("E-2")]
    assert all(method == "GET" for method, _ in server.http.calls)


@pytest.mark.parametrize("name", ["E-1", "id:1"])
@pytest.mark.parametrize(("status", "error"), [(401, Refusal), (503, SystemUnreachable)])
def test_a_look_that_is_not_answered_is_no_answer(name: str, status: int, error: type[Exception]) -> None:
    """Neither active nor locked."""
    server = Scims()
    server.refusing = {("GET", "/"): status}
    with pytest.raises(error, match=f"answered {status}"):
        asyncio.run(server.scim.find_unlocked(ROW, [called(name)], 5.0))


@pytest.mark.parametrize(
    ("patch", "found", "told"),
    [
        (True, [], "SCIM 2.0 with PATCH; accounts are found by externalId"),
        (True, [{"id": "1", "externalId": "arc-nobody"}], "SCIM 2.0 with PATCH; accounts are found by externalId"),
        (False, [], "refused: the server supports no PATCH, so no account can be locked"),
        (True, [user("1")], "refused: the server passes over filters, so no account can be found safely"),
        (True, [{"id": "1"}], "refused: the server passes over filters, so no account can be found safely"),
    ],
)
def test_the_trial_of_scim(patch: bool, found: list[dict[str, Any]], told: str) -> None:
    """What the server says it can do, and a search for nobody."""
    config = {"patch": {"supported": patch}}
    http = Http(
        lambda method, path, body: (200, config if "Config" in path else {"totalResults": 0, "Resources": found})
    )
    assert probed(made(Scim, http)) == told
    nobody = '/Users?filter=externalId eq "arc-nobody"&attributes=externalId&count=1'
    assert http.calls == [("GET", "/ServiceProviderConfig"), ("GET", nobody)]
    assert probed(made(Scim, Http(always(200, {"patch": {}, "totalResults": 0})))).startswith("refused")
    assert probed(made(Scim, Http(always(503)))) == "unreachable: answered 503"
    assert probed(made(Scim, Http(always(401)))) == "refused: answered 401: it does not take our secret"


# --- another site ---


def burn(**more: object) -> dict[str, Any]:
    """A complete burn at the other site."""
    local = {"id": "local", "state": "revoked"}
    return {
        "burn_id": "burn_9",
        "node_id": "ARC-1",
        "scope": "LOCAL_ONLY",
        "state": "COMPLETE",
        "epoch": 4,
        "targets": [local],
        "log": {"index": 7},
        **more,
    }


def targets(*states: str, local: str | None = "revoked") -> list[dict[str, str]]:
    """The site's own, and doors."""
    own = [] if local is None else [{"id": "local", "state": local}]
    return own + [{"id": f"r{at}", "state": state} for at, state in enumerate(states)]


THERE = "burn burn_9 there, epoch 4, leaf 7 of its log"
UNPROVEN = f"{THERE}: COMPLETE without the proofs for it; nothing is proven"
STRANGER = f"{THERE}: it denies ARC-1, an id that nobody has there"
BESIDE = "the site answered about another burn; nothing is proven"


@pytest.mark.parametrize(
    ("named", "answer", "state", "evidence"),
    [
        (False, burn(), "revoked", f"{THERE}: COMPLETE with 1 targets"),
        (False, burn(targets=targets(local="already")), "revoked", f"{THERE}: COMPLETE with 1 targets"),
        (
            False,
            burn(targets=targets("delivered", "unlinked", "closed", "already")),
            "revoked",
            f"{THERE}: COMPLETE with 5 targets, 3 of them without proof",
        ),
        (False, burn(targets=targets("failed")), "failed", UNPROVEN),
        (False, burn(targets=targets("revoked", local=None)), "failed", UNPROVEN),
        (False, burn(targets=targets(local="delivered")), "failed", UNPROVEN),
        (False, burn(targets=[]), "failed", UNPROVEN),
        (
            False,
            burn(known=False),
            "unlinked",
            f"{STRANGER}; if the person has another id there, name it as the account",
        ),
        (True, burn(known=False), "failed", f"{STRANGER}; correct the account that the node names"),
        (
            False,
            burn(state="PARTIAL", targets=targets("failed", "revoked")),
            "pending_offline",
            f"{THERE}: denied there, 1 targets open (r0)",
        ),
        (
            False,
            burn(state="PARTIAL", targets=targets(*["failed"] * 3)),
            "pending_offline",
            f"{THERE}: denied there, 3 targets open (r0, r1, r2)",
        ),
        (
            False,
            burn(state="PARTIAL", known=False, targets=targets(*["failed"] * 4)),
            "pending_offline",
            f"{THERE}: denied there, 4 targets open (r0, r1, r2 and others)",
        ),
        (False, burn(node_id="ARC-2"), "failed", BESIDE),
        (False, burn(scope="GLOBAL_REVOCATION"), "failed", BESIDE),
        (False, burn(training=True), "failed", BESIDE),
    ],
)
def test_what_another_site_proves(named: bool, answer: dict[str, Any], state: TargetState, evidence: str) -> None:
    """COMPLETE with its proofs, about the very burn that was asked for."""
    http = Http(always(200, answer))
    who = called("ARC-1") if named else PERSON
    assert revoked(made(PeerConnector, http), who) == AttemptOutcome(state, evidence)
    assert http.calls == [("POST", "/v1/citadel/uac/burn")]


@pytest.mark.parametrize(("deadline_s", "wait"), [(5.0, 4), (5.5, 5), (1.4, 0), (0.2, 0)])
def test_what_another_site_is_asked(deadline_s: float, wait: int) -> None:
    """LOCAL_ONLY, under the id that the node has there; it may wait for its doors as long as we wait for it."""

    class AnyTime(Http):
        async def call(self, method: str, url: str, **more: Any) -> OutboundAnswer:
            assert more.pop("timeout_s") == deadline_s
            return await super().call(method, url, timeout_s=5.0, **more)

    http = AnyTime(always(202, burn(node_id="ARC-9")))
    facts = replace(FACTS, reason="x" * 2000)
    assert revoked(made(PeerConnector, http), called("ARC-9"), facts=facts, deadline_s=deadline_s).state == "revoked"
    reason = "burn_1: " + "x" * 992
    assert http.bodies == [{"node_id": "ARC-9", "scope": "LOCAL_ONLY", "reason": reason}]
    assert http.sent == [
        {"Authorization": "Bearer token", "Prefer": f"wait={wait}", "Content-Type": "application/json"}
    ]


def test_training_burns_at_training_sites_alone() -> None:
    """It looks first; a real site is not asked to burn."""
    http = Http(always(200, burn(training=True)))
    assert revoked(made(PeerConnector, http, training=True), PERSON, facts=TRAINING).state == "revoked"
    assert http.calls == [("GET", "/v1/citadel/uac/burn?limit=1"), ("POST", "/v1/citadel/uac/burn")]
    for real in ({"training": False}, {}):
        http = Http(always(200, real))
        expected = "this is a training site and the other one is not: nobody is burned there"
        assert revoked(made(PeerConnector, http, training=True), PERSON, facts=TRAINING).evidence == expected
        assert http.calls == [("GET", "/v1/citadel/uac/burn?limit=1")]


@pytest.mark.parametrize(
    ("status", "state"), [(204, "failed"), (401, "failed"), (409, "failed"), (503, "pending_offline")]
)
def test_an_answer_that_is_no_burn(status: int, state: TargetState) -> None:
    """200 and 202 alone bring one."""
    found = revoked(made(PeerConnector, Http(always(status, burn()))), PERSON)
    assert (found.state, found.evidence.startswith(f"answered {status}")) == (state, True)


@pytest.mark.parametrize(
    ("items", "stands"),
    [
        ([], False),
        ([{"node_id": "ARC-1"}], True),
        ([{"node_id": "ARC-1", "lifted_at": None}], True),
        ([{"node_id": "ARC-1", "lifted_at": "2026-01-01T00:00:00Z"}], False),
        ([{"node_id": "ARC-2"}], False),
        ([{"node_id": "ARC-1", "lifted_at": "2026-01-01T00:00:00Z"}, {"node_id": "ARC-1"}], True),
    ],
)
def test_who_is_not_burned_there_any_more(items: list[dict[str, Any]], stands: bool) -> None:
    """No burn of that very id stands."""
    http = Http(always(200, {"items": items}))
    peer = made(PeerConnector, http)
    for who in (PERSON, called("ARC-1")):
        assert asyncio.run(peer.find_unlocked(ROW, [who], 5.0)) == ([] if stands else [who])
    assert http.calls == [("GET", "/v1/citadel/uac/burn?node_id=ARC-1&limit=10")] * 2
    assert asyncio.run(peer.find_unlocked(ROW, [called("ARC-7")], 5.0)) == [called("ARC-7")]
    with pytest.raises(SystemUnreachable):
        asyncio.run(made(PeerConnector, Http(always(503))).find_unlocked(ROW, [PERSON], 5.0))


def test_the_trial_of_another_site() -> None:
    """It says its version, of which twenty characters are shown."""
    http = Http(always(200, {}), {"arc-version": "1" * 21})
    assert probed(made(PeerConnector, http)) == f"an ARC site, version {'1' * 20}, takes our key"
    assert http.calls == [("GET", "/v1/citadel/uac/burn?limit=1")]
    assert probed(made(PeerConnector, Http(always(200, {})))) == "refused: what answers there is no ARC site"
    training = probed(made(PeerConnector, http, training=True))
    assert training.startswith("refused: this is a training site")
    assert probed(made(PeerConnector, Http(always(503)))) == "unreachable: answered 503"


# --- receivers whose effect cannot be read ---


@pytest.mark.parametrize(
    ("status", "named", "state", "evidence"),
    [
        (
            204,
            True,
            "delivered",
            "taken (204: all tokens revoked, as the server says), the person named as opaque; "
            "its effect cannot be read",
        ),
        (
            204,
            False,
            "delivered",
            "taken (204: all tokens revoked, as the server says), the person named as email; its effect cannot be read",
        ),
        (404, True, "failed", "answered 404: it knows no such person"),
        (404, False, "unlinked", "it knows no person with the registered e-mail address; none was named"),
        (400, True, "failed", "answered 400: it does not know this way of naming a person"),
        (422, False, "failed", "answered 422: it could not end the person's sessions"),
        (200, True, "failed", "answered 200"),
        (401, True, "failed", "answered 401: it does not take our secret"),
        (503, True, "pending_offline", "answered 503"),
    ],
)
def test_what_an_authorization_server_answers(status: int, named: bool, state: TargetState, evidence: str) -> None:
    """Global Token Revocation; 204 alone is taken."""
    http = Http(always(status))
    found = revoked(made(OAuth, http), called("t1") if named else PERSON)
    assert (found.state, found.evidence) == (state, evidence)
    sub_id = {"format": "opaque", "id": "t1"} if named else {"format": "email", "email": "t1@x.invalid"}
    assert (http.calls, http.bodies) == ([("POST", "/")], [{"sub_id": sub_id}])
    assert http.sent == [{"Authorization": "Bearer token", "Content-Type": "application/json"}]


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (204, "refused: it answers 204 to a call about nobody, so its 204 proves nothing"),
        (200, "refused: answered 200"),
        (401, "refused: answered 401: it does not take our secret"),
        (503, "unreachable: answered 503"),
        *(
            (
                status,
                f"the endpoint takes our token and refuses a call about nobody ({status}); "
                "its effect cannot be read: a burn is delivered there",
            )
            for status in (400, 422)
        ),
    ],
)
def test_the_trial_of_an_authorization_server(status: int, told: str) -> None:
    """A call about nobody."""
    http = Http(always(status))
    assert probed(made(OAuth, http)) == told
    assert http.bodies == [{}]


HOOK = replace(ROW, kind="webhook", secret=WHSEC)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (199, "failed"),
        (200, "delivered"),
        (299, "delivered"),
        (300, "failed"),
        (404, "failed"),
        (500, "pending_offline"),
    ],
)
def test_what_a_webhook_answers(status: int, state: TargetState) -> None:
    """2xx is taken; the call is signed, and its id is of burn, directory and account."""
    http = Http(always(status))
    outcome = revoked(made(Webhook, http), called("t1"), HOOK)
    sent = http.sent[0]
    named = hashlib.sha256(b'["burn_1","d","t1"]').hexdigest()[:32]
    assert (outcome.state, sent["webhook-id"]) == (state, f"msg_{named}")
    if state == "delivered":
        assert outcome.evidence == f"taken ({status}) as msg_{named}, its effect cannot be read"
    else:
        assert outcome.evidence.startswith(f"answered {status}")
    Verifier(WHSEC).verify((http.raw[0] or b"").decode(), sent)
    assert http.bodies[0]["timestamp"] == http.bodies[0]["data"]["at"] == "2026-01-01T00:00:00.999999Z"


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (404, "refused: answered 404: nothing is there"),
        (410, "refused: answered 410: it is gone for good"),
        (500, "unreachable: answered 500"),
        *(
            (
                status,
                f"the address answers ({status}); its first burn shows whether it takes the signature; "
                "its effect cannot be read: a burn is delivered there",
            )
            for status in (204, 401, 405, 411, 499)
        ),
    ],
)
def test_the_trial_of_a_webhook(status: int, told: str) -> None:
    """No message: what the address takes is asked."""
    http = Http(always(status))
    assert probed(made(Webhook, http), HOOK) == told
    assert (http.calls, http.raw) == ([("OPTIONS", "/")], [None])


@pytest.mark.parametrize(
    ("secret", "signs"),
    [
        (None, False),
        ("", False),
        (WHSEC.removeprefix("whsec_"), False),
        ("whsec_" + base64.b64encode(bytes(23)).decode(), False),
        ("whsec_" + base64.b64encode(bytes(24)).decode(), True),
        ("whsec_" + base64.b64encode(bytes(25)).decode().rstrip("="), True),
        ("whsec_" + base64.b64encode(bytes(26)).decode().rstrip("="), True),
        ("whsec_" + "A" * 33, False),
        ("whsec_" + "%" * 40, False),
    ],
)
def test_what_a_webhook_signs_with(secret: str | None, signs: bool) -> None:
    """24 bytes at least, with or without padding; nothing is sent without."""
    http = Http(always(204))
    found = revoked(made(Webhook, http), PERSON, replace(HOOK, secret=secret))
    refusal = "the registered secret is no whsec_ followed by 24 bytes or more in base64"
    assert (found.state, len(http.calls)) == (("delivered", 1) if signs else ("failed", 0))
    assert signs or found.evidence == refusal
    assert probed(made(Webhook, http), replace(HOOK, secret=secret)).startswith("the address" if signs else "refused")


SIGNALS = replace(ROW, kind="ssf", audience="https://aud.invalid")


def claims_of(http: Http, keys: Keys) -> list[dict[str, Any]]:
    """What was pushed, each signed by the newest key and named by it."""
    key = PublishedKeys(keys).newest(SECURITY_EVENTS)
    found = []
    for raw, sent in zip(http.raw, http.sent, strict=True):
        token = jws.deserialize_compact(raw or b"", key)
        assert token.headers() == {"typ": "secevent+jwt", "alg": "ES256", "kid": key.thumbprint()}
        assert sent["Content-Type"] == "application/secevent+jwt"
        assert sent["Accept"] == "application/json"
        found.append(json.loads(token.payload))
    return found


@pytest.mark.parametrize(
    ("training", "drill", "mark"),
    [(False, False, ""), (True, False, "TRAINING: "), (False, True, "DRILL: "), (True, True, "TRAINING: DRILL: ")],
)
def test_the_events_of_a_burn(keys: Keys, training: bool, drill: bool, mark: str) -> None:
    """Three, in their order, each with an id of its own and the time of the burn in whole seconds."""
    http = Http(always(202))
    facts = replace(FACTS, training=training, drill=drill)
    outcome = revoked(made(Ssf, http, keys), called("t1"), SIGNALS, facts)
    pushed = claims_of(http, keys)
    caep = {
        "event_timestamp": 1_767_225_600,
        "initiating_entity": "admin",
        "reason_admin": {"en": f"{mark}lost"},
    }
    base = "https://schemas.openid.net/secevent/"
    events: list[tuple[str, dict[str, Any]]] = [
        (f"{base}caep/event-type/session-revoked", caep),
        (f"{base}caep/event-type/credential-change", {**caep, "credential_type": "x509", "change_type": "revoke"}),
        (f"{base}risc/event-type/account-disabled", {"reason": "hijacking"}),
    ]
    tokens = [hashlib.sha256(msgspec.json.encode(["burn_1", "d", "t1", name])).hexdigest()[:32] for name, _ in events]
    marked = {"arc": {"training": training, "drill": drill}} if training or drill else {}
    assert pushed == [
        {
            "iss": "site.invalid",
            "aud": "https://aud.invalid",
            "jti": token,
            "iat": 1_767_225_600,
            "toe": 1_767_225_600,
            "txn": "burn_1",
            "sub_id": {"format": "complex", "user": {"format": "opaque", "id": "t1"}},
            "events": {name: payload},
            **marked,
        }
        for token, (name, payload) in zip(tokens, events, strict=True)
    ]
    words = f"3 events taken (202), their effect cannot be read: {', '.join(tokens)}"
    assert outcome == AttemptOutcome("delivered", words)
    assert {sent["Authorization"] for sent in http.sent} == {"Bearer token"}


@pytest.mark.parametrize(
    ("status", "body", "evidence"),
    [
        (400, {"err": "invalid_key"}, "answered 400: the receiver refuses the event (invalid_key)"),
        (400, {"err": "a" * 40}, f"answered 400: the receiver refuses the event ({'a' * 40})"),
        (400, {"err": "a" * 41}, "answered 400: the receiver refuses the event (without a known code)"),
        (400, {"err": ""}, "answered 400: the receiver refuses the event (without a known code)"),
        (400, {"err": "Bad Token"}, "answered 400: the receiver refuses the event (without a known code)"),
        (400, None, "answered 400: the receiver refuses the event (without a known code)"),
        (200, None, "answered 200: RFC 8935 has 202 for an event that was taken"),
        (299, None, "answered 299: RFC 8935 has 202 for an event that was taken"),
        (300, None, "answered 300: it points elsewhere, and the secret goes to its own address only"),
        (401, None, "answered 401: it does not take our secret"),
    ],
)
def test_a_receiver_that_refuses_gets_no_further_event(keys: Keys, status: int, body: object, evidence: str) -> None:
    """RFC 8935, 2.2 and 2.3: its code is told, never its words."""
    http = Http(always(status, body))
    assert revoked(made(Ssf, http, keys), PERSON, SIGNALS) == AttemptOutcome("failed", evidence)
    assert len(http.calls) == 1


def test_the_trial_of_a_receiver(keys: Keys) -> None:
    """A verification event about the stream; without a secret none is sent, without an audience the address is it."""
    http = Http(always(202))
    row = replace(SIGNALS, audience=None, secret=None)
    unread = "what it does with events cannot be read: a burn is delivered there"
    told = f"the verification event was taken (202); {unread}"
    assert probed(made(Ssf, http, keys), row) == probed(made(Ssf, http, keys), SIGNALS) == told
    first, second = claims_of(http, keys)
    assert "Authorization" not in http.sent[0]
    assert (first["aud"], first["sub_id"]) == (ROW.url, {"format": "opaque", "id": ROW.url})
    assert (second["aud"], second["sub_id"]["id"]) == ("https://aud.invalid", "https://aud.invalid")
    assert first["jti"] != second["jti"]
    assert first["events"] == {"https://schemas.openid.net/secevent/ssf/event-type/verification": {}}
    assert probed(made(Ssf, Http(always(503)), keys), SIGNALS) == "unreachable: answered 503"


# --- what outlives a burn ---

SESSIONS = "sessions and tokens that were handed out before, until they end"
TOKENS = "access tokens that were handed out before, until they end (Entra: 60 to 90 minutes)"
EVENTS = "what the receiver does with the events is not told"
ALL = "everything the account may do, until it is reached"


@pytest.mark.parametrize(
    ("of", "state", "left"),
    [
        (Scim, "revoked", SESSIONS),
        (Scim, "failed", ALL),
        (OAuth, "delivered", TOKENS),
        (OAuth, "pending_offline", ALL),
        (Ssf, "delivered", EVENTS),
        (Ssf, "failed", ALL),
        (Webhook, "delivered", "what the receiver does with the call is not told"),
        (Webhook, "failed", "everything that waits for this call"),
        (PeerConnector, "revoked", None),
        (PeerConnector, "already", None),
        (PeerConnector, "pending_offline", ALL),
        (PeerConnector, "unlinked", "an account of the person that does not bear what was looked for"),
    ],
)
def test_what_outlives_a_burn(keys: Keys, of: Any, state: TargetState, left: str | None) -> None:
    """Named by the directory's name for people."""
    expected = None if left is None else Residual(what=f"D: {left}", until=None)
    assert made(of, Http(always(200)), keys).residual(ROW, state, 0) == expected


def test_an_answer_that_cannot_be_read_is_no_proof() -> None:
    """Of a site that answers 200 with something else."""
    for of, who in ((Scim, called("E-1")), (PeerConnector, PERSON)):
        with pytest.raises(BadAnswer):
            asyncio.run(made(of, Http(always(200, [])), None).revoke(ROW, who, FACTS, 5.0))
