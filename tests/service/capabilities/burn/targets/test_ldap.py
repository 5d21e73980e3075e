"""Burns that reach a real slapd: what its own clients find afterwards."""

from __future__ import annotations

import asyncio
import dataclasses
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bonsai
import pytest

from app.capabilities.burn.messages import Burn
from app.capabilities.burn.running import Step
from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.connector import AttemptOutcome, AttemptSubject, Refusal, Tools
from app.capabilities.burn.targets.ldap import LdapConnector
from app.capabilities.burn.targets.ldap_dialects import LOCKED_FOR_GOOD
from app.capabilities.burn.targets.ldap_link import REFERRAL, LdapLink, LdapRefused, Pool
from app.delivery.outbound import CONNECTIONS, SystemUnreachable
from app.registry.directories import DirectoryRow
from tests.door_site import DoorSite, door_site, until
from tests.slapd import BASE, GROUPS, HELPDESK, HELPDESK_PASSWORD, SERVICE, SERVICE_PASSWORD, Slapd, dn_of, slapd

_FACTS = BurnFacts("burn_1", "ARC-1", "GLOBAL_REVOCATION", 1, "test", 0, training=True)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Slapd]:
    """Accounts t1 to t4."""
    with slapd(tmp_path / "slapd", people) as made:
        yield made


@pytest.fixture
def site(tmp_path: Path, server: Slapd) -> Iterator[DoorSite]:
    """ARC-1 is t1 of ``server``, ARC-2 is t2; ``staff`` is registered."""
    with door_site(tmp_path / "site", connectors=[LdapConnector]) as made:
        registered(made, server)
        yield made


def people(server: Slapd) -> None:
    """t1 to t4, and groups of all kinds."""
    server.load_people(["t1", "t2", "t3", "t4"])
    server.load_group("alone", "t1")
    server.load_group("pair", "t1", "t2")
    server.load_group("names", "t1", kind="groupOfUniqueNames")
    server.load_group("unix", "t1", "t3", kind="posixGroup")


def registered(site: DoorSite, server: Slapd, **fields: object) -> None:
    """``staff`` and its people."""
    known = {"bind_dn": SERVICE, "secret": SERVICE_PASSWORD, "base_dn": BASE, **fields}
    site.directory("staff", "ldap", server.url, **known)
    for number in (1, 2):
        site.account(f"ARC-{number}", ("staff", f"t{number}"))


def burned(site: DoorSite, node_id: str = "ARC-1") -> Burn:
    """Starts the site and burns the node."""

    async def run() -> Burn:
        async with site.running():
            return await site.burn(node_id)

    return asyncio.run(run())


def target(burn: Burn) -> Any:
    """The one in the directory."""
    return next(target for target in burn.targets if target.kind == "ldap")


def where(server: Slapd, **fields: object) -> DirectoryRow:
    """``server`` as registered."""
    row = DirectoryRow(
        directory_id="staff",
        kind="ldap",
        display_name="Staff",
        url=server.url,
        secret=SERVICE_PASSWORD,
        bind_dn=SERVICE,
        base_dn=BASE,
        dialect=None,
        audience=None,
        ca=None,
        timeout_s=None,
        tags=(),
    )
    return dataclasses.replace(row, **fields)  # type: ignore[arg-type]


def with_connector(work: Callable[[LdapConnector], Any]) -> Any:
    """What ``work`` of a fresh connector comes to."""

    async def run() -> Any:
        connector = LdapConnector(Tools(None, None, "site.invalid", True))  # type: ignore[arg-type]
        try:
            return await work(connector)
        finally:
            await connector.close()

    return asyncio.run(run())


def revoked(row: DirectoryRow, account: str, deadline_s: float = 5.0) -> AttemptOutcome:
    """One attempt by a fresh connector; a refusal as the directory targets tell it."""

    async def work(connector: LdapConnector) -> AttemptOutcome:
        try:
            return await connector.revoke(row, AttemptSubject("ARC-1", account, None, None), _FACTS, deadline_s)
        except Refusal as error:
            return AttemptOutcome("failed", str(error))

    outcome: AttemptOutcome = with_connector(work)
    return outcome


def probed(row: DirectoryRow) -> str:
    """What a trial finds."""
    found: str = with_connector(lambda connector: connector.probe(row, 5.0))
    return found


def lock_of(server: Slapd, login: str) -> list[str] | None:
    """Values of the lock."""
    return server.read(dn_of(login), "pwdAccountLockedTime").get("pwdAccountLockedTime")


def test_the_old_password_is_refused_after_a_burn(site: DoorSite, server: Slapd) -> None:
    """A rebind as before the burn fails; the proof names lock and change."""
    assert server.lets_in("t1", "old-t1")
    reply = burned(site)
    assert (reply.state, target(reply).state) == ("COMPLETE", "revoked")
    assert LOCKED_FOR_GOOD in target(reply).evidence
    assert "entryCSN 2" in target(reply).evidence
    assert not server.lets_in("t1", "old-t1")
    assert lock_of(server, "t1") == [LOCKED_FOR_GOOD]


def test_another_account_keeps_its_access(site: DoorSite, server: Slapd) -> None:
    """Nobody but the burned one is touched."""
    burned(site)
    assert server.lets_in("t2", "old-t2")
    assert server.read(f"cn=pair,{GROUPS}", "member") == {"member": [dn_of("t2")]}


def test_all_groups_are_left(site: DoorSite, server: Slapd) -> None:
    """Of each kind; a group of names whose last one goes keeps the name of nobody."""
    burned(site)
    assert server.read(f"cn=alone,{GROUPS}", "member") == {"member": [""]}
    assert server.read(f"cn=names,{GROUPS}", "uniqueMember") == {"uniqueMember": [""]}
    assert server.read(f"cn=unix,{GROUPS}", "memberUid") == {"memberUid": ["t3"]}


def test_a_second_burn_keeps_the_account_locked(site: DoorSite, server: Slapd) -> None:
    """Another node with the same account: the lock is found, not written over by a new password."""
    site.account("ARC-3", ("staff", "t1"))

    async def run() -> list[Burn]:
        async with site.running():
            return [await site.burn("ARC-1"), await site.burn("ARC-3")]

    first, second = asyncio.run(run())
    assert [target(first).state, target(second).state] == ["revoked", "already"]
    assert lock_of(server, "t1") == [LOCKED_FOR_GOOD]


def test_a_repeat_after_a_restart_keeps_the_account_locked(server: Slapd) -> None:
    """A connector that has not yet tried whether locks hold writes a new password, and the lock again after it."""
    assert [revoked(where(server), "t1").state for _ in range(2)] == ["revoked", "already"]
    assert lock_of(server, "t1") == [LOCKED_FOR_GOOD]


def test_a_lock_that_ends_by_itself_is_none(server: Slapd) -> None:
    """The server's own answer to wrong passwords is no proof."""
    server.modify(
        f"dn: {dn_of('t1')}\nchangetype: modify\nreplace: pwdAccountLockedTime\npwdAccountLockedTime: 20260101000000Z\n"
    )
    assert revoked(where(server), "t1").state == "revoked"
    assert lock_of(server, "t1") == [LOCKED_FOR_GOOD]


def test_a_lock_that_the_server_ignores_is_no_success(tmp_path: Path) -> None:
    """A policy without pwdLockout stores the lock and lets everybody in: tried, not believed."""
    with slapd(tmp_path / "slapd", people, lockout=False) as server:
        outcome = revoked(where(server), "t1")
        assert outcome.state == "failed"
        assert "pwdLockout" in outcome.evidence
        assert not server.lets_in("t1", "old-t1")


def test_a_server_without_the_overlay_is_told(tmp_path: Path) -> None:
    """The password is changed all the same."""
    with slapd(tmp_path / "slapd", people, ppolicy=False) as server:
        outcome = revoked(where(server), "t1")
        assert outcome.state == "unsupported"
        assert "ppolicy" in outcome.evidence
        assert not server.lets_in("t1", "old-t1")
        with pytest.raises(Refusal, match="ppolicy"):
            probed(where(server))


def test_a_burn_outlives_the_server(tmp_path: Path, server: Slapd) -> None:
    """Killed while the burn runs, over connections that were warm: pending at the deadline; done by itself later."""
    steps: list[Step] = []

    def failpoint(step: Step) -> None:
        steps.append(step)
        if step == "committed" and steps.count("committed") == 2:
            server.kill()

    async def run(site: DoorSite) -> tuple[Burn, Burn]:
        async with site.running():
            await site.burn("ARC-2")
            partial = await site.burn("ARC-1", wait_s=0.5)
            server.start()
            await until(lambda: site.burns.get(partial.burn_id).state == "COMPLETE", 20)
            return partial, site.burns.get(partial.burn_id)

    with door_site(tmp_path / "site", connectors=[LdapConnector], failpoint=failpoint) as site:
        registered(site, server)
        partial, whole = asyncio.run(run(site))
    assert (target(partial).state, target(whole).state) == ("pending_offline", "revoked")
    assert not server.lets_in("t1", "old-t1")


def test_kept_connections_that_died_cost_no_attempt(server: Slapd) -> None:
    """After a restart of the server the first attempt succeeds on a fresh one."""

    async def work(connector: LdapConnector) -> list[str]:
        states = []
        for account in ("t1", "t2"):
            outcome = await connector.revoke(where(server), AttemptSubject("ARC-1", account, None, None), _FACTS, 5.0)
            states.append(outcome.state)
            server.kill()
            server.start()
        return states

    assert with_connector(work) == ["revoked", "revoked"]


def test_a_wrong_bind_password_fails_with_its_remedy(site: DoorSite, server: Slapd) -> None:
    """Failed, not offline: somebody must correct the registration. The word itself is not told."""
    registered(site, server, secret="not-the-word")
    reply = burned(site)
    assert target(reply).state == "failed"
    assert "Check bind_dn and secret" in target(reply).evidence
    assert "not-the-word" not in target(reply).evidence


@pytest.mark.parametrize("account", ["nobody", "*", "t1)(uid=t2", f"uid=nobody,{BASE}", "a=b", "t1\0"])
def test_an_account_that_is_not_there_fails(server: Slapd, account: str) -> None:
    """Never guessed, and nobody else is locked."""
    outcome = revoked(where(server), account)
    assert outcome.state == "failed"
    assert "no account" in outcome.evidence
    assert all(server.lets_in(login, f"old-{login}") for login in ("t1", "t2"))


def test_a_name_of_several_accounts_fails(tmp_path: Path) -> None:
    """The right one is named by its DN."""

    def prepare(server: Slapd) -> None:
        people(server)
        server.load(f"dn: uid=t1,{BASE}\nobjectClass: inetOrgPerson\nuid: t1\ncn: t\nsn: t\nuserPassword: x\n\n")

    with slapd(tmp_path / "slapd", prepare) as server:
        outcome = revoked(where(server), "t1")
        assert outcome.state == "failed"
        assert "2 accounts" in outcome.evidence
        assert server.lets_in("t1", "old-t1")
        assert revoked(where(server), dn_of("t1").upper()).state == "revoked"
        assert not server.lets_in("t1", "old-t1")


def test_groups_that_refuse_are_told(server: Slapd) -> None:
    """An account that may lock but not write groups: locked, and failed with the names."""
    outcome = revoked(where(server, bind_dn=HELPDESK, secret=HELPDESK_PASSWORD), "t1")
    assert outcome.state == "failed"
    assert f"cn=alone,{GROUPS}" in outcome.evidence
    assert lock_of(server, "t1") == [LOCKED_FOR_GOOD]


@pytest.mark.parametrize("scheme", ["ldap", "ldaps"])
def test_a_silent_server_holds_up_nobody(server: Slapd, scheme: str) -> None:
    """Something that accepts and never answers, before or after TLS: pending at the deadline, the loop goes on."""

    async def work(connector: LdapConnector) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            row = where(server, url=f"{scheme}://127.0.0.1:{silent.getsockname()[1]}")
            subject = AttemptSubject("ARC-1", "t1", None, None)
            with pytest.raises(SystemUnreachable):
                await connector.revoke(row, subject, _FACTS, 0.5)
            asked = asyncio.create_task(connector.revoke(row, subject, _FACTS, 120.0))
            for _ in range(6):
                await asyncio.sleep(0.01)
            assert not asked.done()
        # Its end resets what nobody accepted.
        with pytest.raises(SystemUnreachable):
            await asked

    began = time.monotonic()
    with_connector(work)
    assert time.monotonic() - began < 60


def test_referrals_are_not_followed(tmp_path: Path) -> None:
    """The library would dial whom they name with the interpreter's lock held. A replica's answer to a write is told."""

    async def written(server: Slapd) -> None:
        pool = Pool(where(server))
        change = ("description", bonsai.LDAPModOp.REPLACE, ["x"])
        try:
            await pool.run(
                lambda link: link.modify(f"uid=t9,dc=branch,{BASE}", change), asyncio.get_running_loop().time() + 5
            )
        finally:
            pool.close()

    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.setblocking(False)
        named = f"ldap://127.0.0.1:{elsewhere.getsockname()[1]}/dc=elsewhere"

        def prepare(server: Slapd) -> None:
            people(server)
            classes = "objectClass: referral\nobjectClass: extensibleObject\n"
            server.load(f"dn: dc=branch,{BASE}\n{classes}dc: branch\nref: {named}\n\n")

        with slapd(tmp_path / "slapd", prepare) as server:
            assert revoked(where(server), "t1").state == "revoked"
            assert revoked(where(server, base_dn=f"dc=branch,{BASE}"), "t2").state == "failed"
            with pytest.raises(LdapRefused) as refused:
                asyncio.run(written(server))
        assert refused.value.code == REFERRAL
        with pytest.raises(BlockingIOError):
            elsewhere.accept()


def test_at_most_eight_connections_at_a_time(server: Slapd) -> None:
    """However many want one; those that wait longer than their deadline are told."""

    async def run() -> tuple[int, int]:
        pool = Pool(where(server))
        go, busy, most = asyncio.Event(), 0, 0

        async def work(link: LdapLink) -> None:
            nonlocal busy, most
            busy += 1
            most = max(most, busy)
            await link.search(BASE, "(objectClass=*)", ["1.1"], subtree=False)
            await go.wait()
            busy -= 1

        loop = asyncio.get_running_loop()
        waiting = [asyncio.create_task(pool.run(work, loop.time() + 20)) for _ in range(CONNECTIONS + 4)]
        await until(lambda: busy == CONNECTIONS)
        with pytest.raises(SystemUnreachable, match="in use"):
            await pool.run(work, loop.time() + 0.05)
        go.set()
        await asyncio.gather(*waiting)
        pool.close()
        return most, busy

    assert asyncio.run(run()) == (CONNECTIONS, 0)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Of ``localhost``, signed by itself."""
    home = tmp_path_factory.mktemp("tls")
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
    ]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", str(home / "key.pem"), "-out", str(home / "cert.pem")]
    subprocess.run([*command, *names, *files], check=True, capture_output=True)
    return home / "cert.pem", home / "key.pem"


def test_tls_ends_at_the_registered_certificate(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    """With it the account is locked; without it, and under another name, no password is said."""
    with slapd(tmp_path / "slapd", people, tls=certificate) as server:
        trusted = certificate[0].read_text()
        with pytest.raises(SystemUnreachable, match="TLS"):
            revoked(where(server), "t1")
        with pytest.raises(SystemUnreachable, match="TLS"):
            revoked(where(server, ca=trusted, url=server.url.replace("localhost", "127.0.0.1")), "t1")
        assert server.lets_in("t1", "old-t1")
        assert revoked(where(server, ca=trusted), "t1").state == "revoked"
        assert not server.lets_in("t1", "old-t1")


def test_a_local_socket_needs_no_password(tmp_path: Path, server: Slapd) -> None:
    """``ldapi`` without bind_dn asks for a bind as the system user; this server maps it to nobody who may write."""
    row = where(server, url=server.local_url, bind_dn=None, secret=None)
    outcome = revoked(row, "t1")
    assert outcome.state == "failed"
    assert "result 50" in outcome.evidence
    assert revoked(where(server, url=server.local_url), "t1").state == "revoked"


_FOREIGN = "objectClass: foreignUser\n"


def test_the_recipe_of_active_directory_writes_what_it_should(tmp_path: Path) -> None:
    """The flag is set beside those that were there, the password is a quoted UTF-16 string. (On slapd with these
    attributes, which does nothing with them.)"""

    def prepare(server: Slapd) -> None:
        server.load_people(["t1"], extra=f"{_FOREIGN}sAMAccountName: T1\nuserAccountControl: 66048\n")
        server.load_group("alone", "t1")

    with slapd(tmp_path / "slapd", prepare) as server:
        row = where(server, dialect="ad")
        outcome = revoked(row, "T1")
        assert (outcome.state, outcome.evidence.split(",")[0]) == ("revoked", "userAccountControl 66050")
        found = server.read(dn_of("t1"), "userAccountControl", "unicodePwd")
        assert found["userAccountControl"] == [str(66048 | 2)]
        password = server.octets(dn_of("t1"), "unicodePwd").decode("utf-16-le")
        assert password[0] == password[-1] == '"'
        assert len(password) > 40
        assert revoked(row, "T1").state == "already"
        residual = with_connector(_residual(row))
        assert "Kerberos" in residual.what
        assert residual.until is None


def test_the_recipe_of_389_writes_what_it_should(tmp_path: Path) -> None:
    """``nsAccountLock``, and a new password. (On slapd with this attribute, which does nothing with it.)"""
    with slapd(tmp_path / "slapd", lambda server: server.load_people(["t1"], extra=_FOREIGN)) as server:
        row = where(server, dialect="389ds")
        # slapd does nothing with the attribute: exactly what the trial by a bind must find
        outcome = revoked(row, "t1")
        assert server.read(dn_of("t1"), "nsAccountLock") == {"nsAccountLock": ["true"]}
        assert outcome.state == "failed"
        assert "not honoured" in outcome.evidence
        assert not server.lets_in("t1", "old-t1")


def _residual(row: DirectoryRow) -> Callable[[LdapConnector], Any]:
    async def work(connector: LdapConnector) -> Any:
        return connector.residual(row, "revoked", 0)

    return work


def test_bound_sessions_are_told_to_survive(server: Slapd) -> None:
    """Nobody knows until when."""
    residual = with_connector(_residual(where(server)))
    assert "bound already" in residual.what
    assert residual.until is None


def test_a_trial_tells_what_a_burn_could_do(server: Slapd) -> None:
    """Product, base and rights; the accounts are as before."""
    before = server.read(dn_of("t1"), "+", "*")
    found = probed(where(server))
    assert "OpenLDAP" in found
    assert "we may lock accounts" in found
    assert server.read(dn_of("t1"), "+", "*") == before


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"base_dn": "dc=elsewhere,dc=invalid"}, "correct base_dn"),
        ({"base_dn": None}, "no base_dn"),
        ({"bind_dn": None}, "no bind_dn"),
        ({"secret": None}, "no secret"),
        ({"secret": "wrong"}, "Check bind_dn and secret"),
        ({"bind_dn": dn_of("t4"), "secret": "old-t4"}, "may not write pwdAccountLockedTime"),
    ],
)
def test_a_trial_tells_what_is_missing(server: Slapd, fields: dict[str, str | None], told: str) -> None:
    """Each in words that say what to correct."""
    with pytest.raises(Refusal, match=told):
        probed(where(server, **fields))


def test_a_changed_registration_is_used_at_once(server: Slapd) -> None:
    """Connections that were bound with the former password are not."""

    async def work(connector: LdapConnector) -> None:
        await connector.probe(where(server), 5.0)
        with pytest.raises(Refusal, match="Check bind_dn"):
            await connector.probe(where(server, secret="wrong"), 5.0)

    with_connector(work)


# --- nobody is named: accounts are looked for ---


def searched(row: DirectoryRow, number: str | None, email: str | None, deadline_s: float = 5.0) -> AttemptOutcome:
    """One attempt at a person of whom no account is named."""

    async def work(connector: LdapConnector) -> AttemptOutcome:
        try:
            return await connector.revoke(row, AttemptSubject("ARC-1", None, email, number), _FACTS, deadline_s)
        except Refusal as error:
            return AttemptOutcome("failed", str(error))

    outcome: AttemptOutcome = with_connector(work)
    return outcome


@pytest.fixture
def known(tmp_path: Path) -> Iterator[Slapd]:
    """t1 and t2 share an address; t1 has the number E-1."""

    def prepare(made: Slapd) -> None:
        made.load_people(["t1"], extra="mail: both@site.invalid\nemployeeNumber: E-1\n")
        made.load_people(["t2"], extra="mail: both@site.invalid\n")
        made.load_people(["t3"], extra="mail: three@site.invalid\n")

    with slapd(tmp_path / "known", prepare) as made:
        yield made


def test_the_account_of_the_number_is_locked(known: Slapd) -> None:
    """It is the person's own; without an address nobody else is looked for."""
    assert searched(where(known), "e-1", None).state == "revoked"
    assert lock_of(known, "t1") == [LOCKED_FOR_GOOD]
    assert lock_of(known, "t2") is None
    assert searched(where(known), "E-1", None).state == "already"
    # Also where it is the login name.
    assert searched(where(known), "t3", None).state == "revoked"


def test_an_account_of_the_address_alone_is_what_the_directory_says(known: Slapd) -> None:
    """It fails until it is linked, with the number's own account locked all the same; or it is locked."""
    left = searched(where(known), "E-1", "Both@site.invalid")
    assert (left.state, lock_of(known, "t1"), lock_of(known, "t2")) == ("failed", [LOCKED_FOR_GOOD], None)
    assert dn_of("t2") in left.evidence
    assert dn_of("t1") not in left.evidence
    done = searched(where(known, email_match="lock"), "E-1", "both@site.invalid")
    assert (done.state, lock_of(known, "t2")) == ("revoked", [LOCKED_FOR_GOOD])
    # Locked accounts of that address are nothing that is left, and nothing that is proven either.
    assert searched(where(known), None, "both@site.invalid").state == "unlinked"


def test_nobody_there_is_told_by_what_was_searched(known: Slapd) -> None:
    """Never a proof; and text of a filter is text."""
    found = searched(where(known), "E-9", "*")
    assert found.state == "unlinked"
    assert found.evidence == (
        f"no account there has the employeeNumber E-9 or uid E-9 or mail * or uid * under {BASE}; none was named"
    )
    assert lock_of(known, "t1") is None


def answering_with(monkeypatch: pytest.MonkeyPatch, server: Slapd, login: str, subtree: bool) -> None:
    """A server (or what stands before it) that answers such searches with another account."""
    search = LdapLink.search

    async def other(self: LdapLink, base: str, *arguments: Any, **named: Any) -> Any:
        people = base not in ("", GROUPS) and "uid" in arguments[1]
        if people and named.get("subtree", True) is subtree:
            return await search(self, dn_of(login), "(objectClass=*)", arguments[1], subtree=False)
        return await search(self, base, *arguments, **named)

    monkeypatch.setattr(LdapLink, "search", other)


def test_a_read_back_of_another_account_proves_nothing(server: Slapd, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one is locked; whether this one is was not read."""
    assert revoked(where(server), "t2").state == "revoked"
    answering_with(monkeypatch, server, "t2", subtree=False)
    outcome = revoked(where(server), "t1")
    assert outcome.state == "failed"
    assert outcome.evidence.startswith(f"what was read back is {dn_of('t2')}, another account; nothing is proven")


@pytest.mark.parametrize("named", ["t1", "by number"])
def test_a_search_that_answers_with_another_account_locks_nobody(
    server: Slapd, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """A proxy that passes over filters."""
    answering_with(monkeypatch, server, "t2", subtree=True)
    outcome = revoked(where(server), "t1") if named == "t1" else searched(where(server), "E-1", None)
    assert (outcome.state, lock_of(server, "t2")) == ("failed", None)
    assert "nobody was locked" in outcome.evidence
