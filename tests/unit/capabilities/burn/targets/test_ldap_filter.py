"""Account names in LDAP filters: whatever text, it stays a value."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.burn.targets.ldap import account_filter
from app.capabilities.burn.targets.ldap_dialects import ACTIVE_DIRECTORY, DS389, OPENLDAP

_VALUE = re.compile(r"(?:[A-Za-z0-9]|\\[0-9a-f]{2})*")


def _unescaped(value: str) -> bytes:
    return re.sub(rb"\\([0-9a-f]{2})", lambda hit: bytes([int(hit[1], 16)]), value.encode())


@given(account=st.text(max_size=60))
def test_no_account_can_change_the_filter(account: str) -> None:
    """The attribute is one of two, and what follows decodes to the account's own bytes and ends nothing."""
    attribute, value = account_filter(OPENLDAP, account).split("=", 1)
    assert attribute == ("entryDN" if "=" in account else "uid")
    assert _VALUE.fullmatch(value)
    assert _unescaped(value) == account.encode()


@pytest.mark.parametrize("hostile", ["*", "a)(uid=*", "x\\2a", "\0a", "a*)(|(objectClass=*", "\u202e)"])
def test_what_has_a_meaning_in_filters_is_escaped(hostile: str) -> None:
    """The known ways to leave a value."""
    value = account_filter(DS389, hostile).split("=", 1)[1]
    assert not set(value) & set("*()\0")
    assert _unescaped(value) == hostile.encode()


def test_a_domain_is_asked_by_its_own_names() -> None:
    """Active Directory knows no ``uid`` of a login and no ``entryDN``."""
    assert account_filter(ACTIVE_DIRECTORY, "t1") == "sAMAccountName=t1"
    assert account_filter(ACTIVE_DIRECTORY, "CN=T").startswith("distinguishedName=")
