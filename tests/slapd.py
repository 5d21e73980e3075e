"""A real slapd of one test: loopback only, its whole configuration and data in a directory of its own.

OpenLDAP with the ppolicy overlay as a site would run it: the service binds as an ordinary account that may write
passwords, locks and groups, not as the server's root, for which password policies do not hold.
"""

from __future__ import annotations

import base64
import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

BASE = "dc=training,dc=invalid"
PEOPLE = f"ou=people,{BASE}"
GROUPS = f"ou=groups,{BASE}"
SERVICE = f"cn=arc,{BASE}"
SERVICE_PASSWORD = "arc-service-password"
HELPDESK = f"cn=helpdesk,{BASE}"
HELPDESK_PASSWORD = "arc-helpdesk-password"
_ROOT = f"cn=root,{BASE}"
_ROOT_PASSWORD = "arc-root-password"
_PATIENCE_S = 10.0

_FOREIGN_SCHEMA = """
attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl' EQUALITY integerMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.90 NAME 'unicodePwd' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.221 NAME 'sAMAccountName' EQUALITY caseIgnoreMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 2.16.840.1.113730.3.1.610 NAME 'nsAccountLock' EQUALITY caseIgnoreMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
objectclass ( 1.3.6.1.4.1.4203.666.1 NAME 'foreignUser' SUP top AUXILIARY
  MAY ( userAccountControl $ sAMAccountName $ unicodePwd $ nsAccountLock ) )
"""
"""Attributes of Active Directory and of 389 Directory Server, as their vendors publish them: so that what is written
there is really written, by a server that does nothing with it."""

_CONFIG = """
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
include {home}/foreign.schema
modulepath /usr/lib/ldap
moduleload back_mdb
{module}
pidfile {home}/slapd.pid
argsfile {home}/slapd.args
threads 8
idletimeout 0
{tls}
database mdb
maxsize 67108864
suffix "{base}"
rootdn "{root}"
rootpw "{root_password}"
directory {home}/data
index objectClass,uid,sAMAccountName,member,uniqueMember,memberUid eq
limits dn.exact="{service}" size=unlimited
access to attrs=userPassword,unicodePwd
  by dn.exact="{service}" write
  by dn.exact="{helpdesk}" write
  by self write
  by anonymous auth
access to attrs={locks}userAccountControl,nsAccountLock
  by dn.exact="{service}" write
  by dn.exact="{helpdesk}" write
  by * read
access to dn.subtree="ou=groups,{base}"
  by dn.exact="{service}" write
  by * read
access to *
  by * read
{ppolicy}
"""
_PPOLICY = """
overlay ppolicy
ppolicy_default "cn=default,{base}"
ppolicy_hash_cleartext
"""


_POLICY = """objectClass: pwdPolicy
pwdAttribute: userPassword
pwdLockout: {lockout}
"""
_GROUND = """
dn: {base}
objectClass: domain
dc: training

dn: ou=people,{base}
objectClass: organizationalUnit
ou: people

dn: ou=groups,{base}
objectClass: organizationalUnit
ou: groups

dn: cn=default,{base}
cn: default
objectClass: device
{policy}
dn: cn=arc,{base}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: arc
userPassword: arc-service-password

dn: cn=helpdesk,{base}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: helpdesk
userPassword: arc-helpdesk-password

"""


class Slapd:
    """One server. ``url`` is loopback TCP; it keeps port and data over ``kill`` and ``start``."""

    def __init__(
        self, home: Path, *, ppolicy: bool = True, lockout: bool = True, tls: tuple[Path, Path] | None = None
    ) -> None:
        """``home``: an empty directory. ``ppolicy``: whether the overlay is there; ``lockout``: whether its policy
        honours locks. ``tls``: certificate and key (PEM), for ``ldaps``."""
        missing = [name for name in ("slapd", "slapadd") if _program(name) is None]
        if missing or not Path("/usr/lib/ldap/ppolicy.so").exists():
            raise RuntimeError("tests of directories need: apt-get install slapd ldap-utils")
        self._home = home
        (home / "data").mkdir(parents=True)
        (home / "foreign.schema").write_text(_FOREIGN_SCHEMA)
        secured = ""
        if tls is not None:
            secured = f"TLSCertificateFile {tls[0]}\nTLSCertificateKeyFile {tls[1]}"
        text = _CONFIG.format(
            home=home,
            base=BASE,
            root=_ROOT,
            root_password=_ROOT_PASSWORD,
            service=SERVICE,
            helpdesk=HELPDESK,
            tls=secured,
            module="moduleload ppolicy" if ppolicy else "",
            locks="pwdAccountLockedTime," if ppolicy else "",
            ppolicy=_PPOLICY.format(base=BASE) if ppolicy else "",
        )
        self._config = home / "slapd.conf"
        self._config.write_text(text)
        self.port = _free_port()
        self.local_url = f"ldapi://{quote(str(home / 'ldapi'), safe='')}"
        self.url = f"{'ldap' if tls is None else 'ldaps'}://localhost:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None
        self._entries = ""
        policy = _POLICY.format(lockout="TRUE" if lockout else "FALSE") if ppolicy else ""
        self.load(_GROUND.format(base=BASE, policy=policy))

    def load(self, ldif: str) -> None:
        """Entries that are there when it starts for the first time."""
        self._entries += ldif

    def _write(self) -> None:
        """All loaded entries at once: a call for each would take most of a test's time."""
        command = [_program("slapadd") or "slapadd", "-q", "-f", str(self._config)]
        done = subprocess.run(command, input=self._entries.encode(), capture_output=True, check=False, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode())
        self._entries = ""

    def start(self) -> None:
        """Starts and waits until it answers."""
        if self._entries:
            self._write()
        command = [
            _program("slapd") or "slapd",
            "-h",
            f"{self.url.replace('localhost', '127.0.0.1')} {self.local_url}",
            "-f",
            str(self._config),
            "-d",
            "0",
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + _PATIENCE_S
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 0.2):
                return
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("slapd did not come up")
            time.sleep(0.005)

    def kill(self) -> None:
        """Ends it at once, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(_PATIENCE_S)
            self._process = None

    def load_people(self, logins: Iterable[str], *, extra: str = "") -> None:
        """Accounts ``uid=<login>`` with the password ``old-<login>``; ``extra``: further classes and values of each."""
        self.load("".join(_person(login, extra) for login in logins))

    def load_group(self, name: str, *logins: str, kind: str = "groupOfNames") -> None:
        """A group of these accounts: ``groupOfNames``, ``groupOfUniqueNames`` or ``posixGroup``."""
        attribute = {"groupOfNames": "member", "groupOfUniqueNames": "uniqueMember", "posixGroup": "memberUid"}[kind]
        lines = [f"dn: cn={name},{GROUPS}", f"objectClass: {kind}", f"cn: {name}"]
        if kind == "posixGroup":
            lines.append("gidNumber: 1000")
        lines += [f"{attribute}: {login if kind == 'posixGroup' else dn_of(login)}" for login in logins]
        self.load("\n".join(lines) + "\n\n")

    def lets_in(self, login: str, password: str) -> bool:
        """Whether a bind as the account succeeds, as any client of the directory would do it."""
        done = self._tool("ldapwhoami", dn_of(login), password)
        if done.returncode not in (0, 49):
            raise RuntimeError(done.stderr.decode())
        return done.returncode == 0

    def read(self, dn: str, *attributes: str) -> dict[str, list[str]]:
        """Values of the entry, by the attribute's name; what is no text as ``: `` and base64."""
        arguments = ["-LLL", "-o", "ldif-wrap=no", "-s", "base", "-b", dn, *attributes]
        done = self._tool("ldapsearch", SERVICE, SERVICE_PASSWORD, *arguments)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode())
        found: dict[str, list[str]] = {}
        for line in done.stdout.decode().splitlines():
            if ":" in line and not line.startswith(("#", "dn:")):
                name, value = line.split(":", 1)
                found.setdefault(name, []).append(value.strip())
        return found

    def octets(self, dn: str, attribute: str) -> bytes:
        """The one value of an attribute that is no text."""
        shown = self.read(dn, attribute)[attribute][0]
        return base64.b64decode(shown.removeprefix(": "))

    def modify(self, ldif: str, *, dn: str = SERVICE, password: str = SERVICE_PASSWORD) -> None:
        """Changes, as ``ldapmodify`` takes them."""
        done = self._tool("ldapmodify", dn, password, stdin=ldif.encode())
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode())

    def reset_password(self, login: str, password: str) -> None:
        """What a helpdesk does for somebody who cannot log in."""
        ldif = f"dn: {dn_of(login)}\nchangetype: modify\nreplace: userPassword\nuserPassword: {password}\n"
        self.modify(ldif, dn=HELPDESK, password=HELPDESK_PASSWORD)

    def _tool(
        self, name: str, dn: str, password: str, *arguments: str, stdin: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        secret = self._home / "tool.secret"
        secret.touch(mode=0o600)
        secret.write_text(password)
        command = [name, "-x", "-H", self.local_url, "-D", dn, "-y", str(secret), *arguments]
        environment = {**os.environ, "LDAPNOINIT": "1"}
        return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=30, env=environment)


def dn_of(login: str) -> str:
    """Of an account that ``load_people`` made."""
    return f"uid={login},{PEOPLE}"


@contextlib.contextmanager
def slapd(home: Path, prepare: Callable[[Slapd], None] = lambda _: None, **options: Any) -> Iterator[Slapd]:
    """A server that runs until the end of the block; ``prepare`` loads entries before it starts."""
    server = Slapd(home, **options)
    prepare(server)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def _person(login: str, extra: str) -> str:
    return (
        f"dn: {dn_of(login)}\nobjectClass: inetOrgPerson\n{extra}uid: {login}\n"
        f"cn: Training Person {login}\nsn: {login}\nuserPassword: old-{login}\n\n"
    )


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
