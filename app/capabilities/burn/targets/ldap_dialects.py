"""How kinds of directory servers lock an account, one ``Dialect`` each.

* ``OPENLDAP``: ppolicy's ``pwdAccountLockedTime`` (draft-behera-ldap-password-policy-10, 5.3.3). Run against slapd 2.5.
* ``ACTIVE_DIRECTORY``: ``userAccountControl`` OR ACCOUNTDISABLE (MS-ADTS 2.2.16), ``unicodePwd`` as a quoted UTF-16
  string (MS-ADTS 3.1.1.3.1.5). Run by hand against a domain controller of Samba 4.17 over TLS; NOT against Microsoft's.
* ``DS389``: ``nsAccountLock``. Run by hand against 389 Directory Server 2.3; NOT against FreeIPA, which is built on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bonsai import LDAPModOp

from app.capabilities.burn.targets.ldap_link import Change, Entry

LOCKED_FOR_GOOD: Final = "000001010000Z"
"""The value that no lockout duration ends; any other one is the server's own answer to wrong passwords."""
_PPOLICY_CONTROL: Final = "1.3.6.1.4.1.42.2.27.8.5.1"
_AD_CAPABILITY: Final = "1.2.840.113556.1.4.800"
_ACCOUNTDISABLE: Final = 0x2


@dataclass(frozen=True, slots=True)
class Dialect:
    """``login``: attribute that holds the login name; ``numbers`` and ``addresses``: attributes that may hold a
    person's employee number and e-mail address; ``entry_dn``: attribute by which a filter finds an entry of known
    DN; ``version``: attribute that each change of an entry moves; ``policy``: attribute that names the entry's password
    policy, if there is one."""

    name: str
    product: str
    lock_attribute: str
    login: str
    numbers: tuple[str, ...]
    addresses: tuple[str, ...]
    entry_dn: str
    version: str
    policy: str | None
    locked: Callable[[Entry], bool]
    lock: Callable[[Entry], Change]
    scramble: Callable[[str], Change]

    @property
    def read(self) -> list[str]:
        """What is read of an account."""
        names = ["uid", self.lock_attribute, self.login, self.version, self.policy]
        return sorted({name for name in names if name is not None})


def text(entry: Entry, attribute: str | None) -> str:
    """The attribute's first value, "" where there is none."""
    values = [] if attribute is None else entry.get(attribute, [])
    return str(values[0]) if values else ""


def _controls(entry: Entry) -> int:
    try:
        return int(text(entry, "userAccountControl") or 0)
    except ValueError:
        return 0


def _user_password(password: str) -> Change:
    return "userPassword", LDAPModOp.REPLACE, [password]


OPENLDAP = Dialect(
    name="openldap",
    product="OpenLDAP",
    lock_attribute="pwdAccountLockedTime",
    login="uid",
    numbers=("employeeNumber", "uid"),
    addresses=("mail", "uid"),
    entry_dn="entryDN",
    version="entryCSN",
    policy="pwdPolicySubentry",
    locked=lambda entry: text(entry, "pwdAccountLockedTime") == LOCKED_FOR_GOOD,
    lock=lambda _: ("pwdAccountLockedTime", LDAPModOp.REPLACE, [LOCKED_FOR_GOOD]),
    scramble=_user_password,
)
ACTIVE_DIRECTORY = Dialect(
    name="ad",
    product="Active Directory",
    lock_attribute="userAccountControl",
    login="sAMAccountName",
    numbers=("employeeID", "employeeNumber", "sAMAccountName"),
    addresses=("mail", "userPrincipalName"),
    entry_dn="distinguishedName",
    version="uSNChanged",
    policy=None,
    locked=lambda entry: bool(_controls(entry) & _ACCOUNTDISABLE),
    lock=lambda entry: ("userAccountControl", LDAPModOp.REPLACE, [str(_controls(entry) | _ACCOUNTDISABLE)]),
    scramble=lambda password: ("unicodePwd", LDAPModOp.REPLACE, [f'"{password}"'.encode("utf-16-le")]),
)
DS389 = Dialect(
    name="389ds",
    product="389 Directory Server",
    lock_attribute="nsAccountLock",
    login="uid",
    numbers=("employeeNumber", "uid"),
    addresses=("mail", "uid"),
    entry_dn="entrydn",
    version="modifyTimestamp",
    policy=None,
    locked=lambda entry: text(entry, "nsAccountLock").lower() == "true",
    lock=lambda _: ("nsAccountLock", LDAPModOp.REPLACE, ["true"]),
    scramble=_user_password,
)
_DIALECTS: Final = {dialect.name: dialect for dialect in (OPENLDAP, ACTIVE_DIRECTORY, DS389)}


@dataclass(frozen=True, slots=True)
class LdapServer:
    """What a server says of itself. ``dialect`` None: it names no product that is known here; ``locks``: False where
    it has no locks at all."""

    product: str
    dialect: Dialect | None
    locks: bool


ROOT_ATTRIBUTES: Final = (
    "vendorName",
    "vendorVersion",
    "structuralObjectClass",
    "supportedControl",
    "supportedCapabilities",
)


def read_root(root: Entry, registered: str | None) -> LdapServer:
    """Reads the root DSE (RFC 4512, 5.1). A ``registered`` dialect overrides what the server says."""
    vendor = f"{text(root, 'vendorName')} {text(root, 'vendorVersion')}".strip()
    dialect: Dialect | None = None
    if _AD_CAPABILITY in root.get("supportedCapabilities", []):
        dialect = ACTIVE_DIRECTORY
    elif "389" in vendor:
        dialect = DS389
    elif text(root, "structuralObjectClass") == "OpenLDAProotDSE":
        dialect = OPENLDAP
    product = vendor or ("an unnamed LDAP server" if dialect is None else dialect.product)
    if registered is not None:
        dialect = _DIALECTS[registered]
    # There once slapd has loaded the module; whether the overlay works for an account shows in the attempt alone.
    locks = dialect is not OPENLDAP or _PPOLICY_CONTROL in root.get("supportedControl", [])
    return LdapServer(product, dialect, locks)
