"""Dovecot on loopback with one mailbox: IMAP over TLS alone, files below a folder of the test."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

USER, PASSWORD = "bounces", 'pass "word" \\ of bounces'
_CONFIG = """
base_dir = {home}/run
state_dir = {home}/state
log_path = {home}/log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <{cert}
ssl_key = <{cert}
ssl_min_protocol = TLSv1.2
default_internal_user = {user}
default_login_user = {user}
default_internal_group = {group}
mail_location = maildir:{home}/mail
first_valid_uid = 1
mail_uid = {user}
mail_gid = {group}
auth_mechanisms = plain login
passdb {{
  driver = passwd-file
  args = {home}/users
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={home}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = 0
  }}
  inet_listener imaps {{
    port = {port}
    ssl = yes
  }}
}}
auth_failure_delay = 0
mail_max_userip_connections = 1000
service anvil {{
  chroot =
  # No pause for an address whose last login was wrong: here all come from one.
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
"""


class Dovecot:
    """``port`` of IMAPS; ``mail`` is the maildir."""

    def __init__(self, home: Path, certificate: Path) -> None:
        """``certificate``: PEM, with its key."""
        if shutil.which("dovecot") is None or os.geteuid() != 0:
            raise RuntimeError("as root: apt-get install dovecot-imapd")
        self.home = home
        self.mail = home / "mail"
        self._certificate = certificate
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]

    def put(self, raw: bytes, name: str) -> None:
        """Delivers a mail, as a server does: written beside the box, then moved into it."""
        waiting = self.mail / "tmp" / name
        waiting.write_bytes(raw)
        owner = pwd.getpwnam("nobody")
        os.chown(waiting, owner.pw_uid, owner.pw_gid)
        waiting.rename(self.mail / "new" / name)

    def seen(self) -> list[str]:
        """Names of the mails that are marked as seen."""
        return sorted(
            path.name.split(":")[0] for path in (self.mail / "cur").iterdir() if "S" in path.name.partition(":2,")[2]
        )

    @contextlib.contextmanager
    def running(self) -> Iterator[Dovecot]:
        """Serves inside the block."""
        nobody = pwd.getpwnam("nobody")
        group = grp.getgrgid(nobody.pw_gid).gr_name
        for folder in (self.home, self.mail, *(self.mail / name for name in ("tmp", "new", "cur"))):
            folder.mkdir(exist_ok=True)
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        top = Path(tempfile.gettempdir())
        for folder in self.home.parents:
            # The scratch folder of a whole run is root's alone, wherever it lies: the server's user has to pass it.
            if top in (folder, *folder.parents) and not folder.stat().st_mode & 0o001:
                folder.chmod(folder.stat().st_mode | 0o011)
        quoted = PASSWORD
        (self.home / "users").write_text(f"{USER}:{{PLAIN}}{quoted}::::::\n")
        # Read by the server's user, also where an earlier test of the process has made new files root's alone.
        (self.home / "users").chmod(0o644)
        config = self.home / "dovecot.conf"
        config.write_text(
            _CONFIG.format(home=self.home, cert=self._certificate, user="nobody", group=group, port=self.port)
        )
        process = subprocess.Popen(["dovecot", "-F", "-c", str(config)], stderr=subprocess.DEVNULL)
        try:
            self._wait(process)
            yield self
        finally:
            process.terminate()
            process.communicate(timeout=20)

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        ends = time.monotonic() + 20
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
                return
            if process.poll() is not None or time.monotonic() > ends:
                log = self.home / "log"
                told = log.read_text() if log.exists() else ""
                raise RuntimeError(
                    f"dovecot did not start: {told} {process.stderr.read().decode() if process.stderr else ''}"
                )
            time.sleep(0.05)
