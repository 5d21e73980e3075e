"""What each kind of directory server calls a lock, and how a server is known for what it is."""

from __future__ import annotations

import pytest
from bonsai import LDAPModOp

from app.capabilities.burn.targets.ldap_dialects import (
    ACTIVE_DIRECTORY,
    DS389,
    OPENLDAP,
    Dialect,
    LdapServer,
    read_root,
    text,
)

PPOLICY = "1.3.6.1.4.1.42.2.27.8.5.1"
DOMAIN = "1.2.840.113556.1.4.800"


@pytest.mark.parametrize(
    ("dialect", "attribute", "value", "locked"),
    [
        (OPENLDAP, "pwdAccountLockedTime", "000001010000Z", True),
        (OPENLDAP, "pwdAccountLockedTime", "20260101000000Z", False),
        (DS389, "nsAccountLock", "true", True),
        (DS389, "nsAccountLock", "TRUE", True),
        (DS389, "nsAccountLock", "false", False),
        (ACTIVE_DIRECTORY, "userAccountControl", "2", True),
        (ACTIVE_DIRECTORY, "userAccountControl", "514", True),
        (ACTIVE_DIRECTORY, "userAccountControl", "66050", True),
        (ACTIVE_DIRECTORY, "userAccountControl", "512", False),
        (ACTIVE_DIRECTORY, "userAccountControl", "1", False),
        (ACTIVE_DIRECTORY, "userAccountControl", "0", False),
        (ACTIVE_DIRECTORY, "userAccountControl", "disabled", False),
    ],
)
def test_what_is_a_lock(dialect: Dialect, attribute: str, value: str, locked: bool) -> None:
    """As the server's own documents say; an account that says nothing is not locked."""
    assert dialect.lock_attribute == attribute
    assert dialect.locked({attribute: [value]}) is locked
    assert dialect.locked({}) is False
    assert dialect.locked({attribute: []}) is False


@pytest.mark.parametrize(
    ("dialect", "now", "value"),
    [
        (OPENLDAP, {}, "000001010000Z"),
        (OPENLDAP, {"pwdAccountLockedTime": ["20260101000000Z"]}, "000001010000Z"),
        (DS389, {}, "true"),
        (ACTIVE_DIRECTORY, {"userAccountControl": ["512"]}, "514"),
        (ACTIVE_DIRECTORY, {"userAccountControl": ["66048"]}, "66050"),
        (ACTIVE_DIRECTORY, {"userAccountControl": ["514"]}, "514"),
        (ACTIVE_DIRECTORY, {}, "2"),
        (ACTIVE_DIRECTORY, {"userAccountControl": ["?"]}, "2"),
    ],
)
def test_how_an_account_is_locked(dialect: Dialect, now: dict[str, list[str]], value: str) -> None:
    """One value in place of all; a domain keeps the account's other flags."""
    assert dialect.lock(now) == (dialect.lock_attribute, LDAPModOp.REPLACE, [value])


def test_how_a_password_is_set() -> None:
    """A domain takes it in quotes and UTF-16 (MS-ADTS 3.1.1.3.1.5)."""
    for dialect in (OPENLDAP, DS389):
        assert dialect.scramble("aA1-") == ("userPassword", LDAPModOp.REPLACE, ["aA1-"])
    assert ACTIVE_DIRECTORY.scramble("aA") == ("unicodePwd", LDAPModOp.REPLACE, [b'"\0a\0A\0"\0'])


@pytest.mark.parametrize(
    ("dialect", "read"),
    [
        (OPENLDAP, ["entryCSN", "pwdAccountLockedTime", "pwdPolicySubentry", "uid"]),
        (DS389, ["modifyTimestamp", "nsAccountLock", "uid"]),
        (ACTIVE_DIRECTORY, ["sAMAccountName", "uSNChanged", "uid", "userAccountControl"]),
    ],
)
def test_what_is_read_of_an_account(dialect: Dialect, read: list[str]) -> None:
    """Lock, names, version and policy; each once."""
    assert dialect.read == read


def test_the_first_value_is_the_text() -> None:
    """And none is none."""
    assert text({"a": ["1", "2"]}, "a") == "1"
    assert text({"a": [3]}, "a") == "3"
    assert text({"a": ["1"]}, None) == text({"a": []}, "a") == text({}, "a") == ""


SLAPD = {"structuralObjectClass": ["OpenLDAProotDSE"]}


@pytest.mark.parametrize(
    ("root", "registered", "server"),
    [
        ({}, None, LdapServer("an unnamed LDAP server", None, True)),
        ({"vendorName": ["X"], "vendorVersion": ["2"]}, None, LdapServer("X 2", None, True)),
        (SLAPD, None, LdapServer("OpenLDAP", OPENLDAP, False)),
        ({**SLAPD, "supportedControl": [PPOLICY]}, None, LdapServer("OpenLDAP", OPENLDAP, True)),
        ({**SLAPD, "supportedControl": ["1.2"]}, None, LdapServer("OpenLDAP", OPENLDAP, False)),
        ({"structuralObjectClass": ["other"]}, None, LdapServer("an unnamed LDAP server", None, True)),
        ({"supportedCapabilities": [DOMAIN]}, None, LdapServer("Active Directory", ACTIVE_DIRECTORY, True)),
        ({"supportedCapabilities": ["1.2"]}, None, LdapServer("an unnamed LDAP server", None, True)),
        ({"vendorVersion": ["389-Directory/2.3"]}, None, LdapServer("389-Directory/2.3", DS389, True)),
        ({"vendorName": ["X"]}, "389ds", LdapServer("X", DS389, True)),
        (SLAPD, "ad", LdapServer("OpenLDAP", ACTIVE_DIRECTORY, True)),
        ({}, "openldap", LdapServer("an unnamed LDAP server", OPENLDAP, False)),
    ],
)
def test_a_server_is_known_by_its_root(root: dict[str, list[str]], registered: str | None, server: LdapServer) -> None:
    """RFC 4512, 5.1; what is registered outweighs it, and its name stays what it says."""
    assert read_root(root, registered) == server
