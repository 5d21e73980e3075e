"""``arc-console mail``: the records by which receivers verify the site's mail, and the passwords of its mail servers.

Both work beside a running service, which uses another password and another key from its next start on.
"""

from __future__ import annotations

import argparse
import getpass
import sys
from typing import Final, TextIO

from app.commands.options import EXIT_OK, existing_site, refuse
from app.delivery.mail_message import DKIM, dns_record, selector_of
from app.delivery.site_mail import MAILBOX_PASSWORD, RELAY_PASSWORD
from app.service.open_store import open_keys, open_store
from app.service.process import limit_process
from app.site.errors import SiteRefused
from app.site.site import Site
from app.store.engine import refusing
from app.store.errors import StoreError

PASSWORD_LIMIT: Final = 1_000
"""Longest password, in characters."""
GIVEN: Final = "mail.password_given"
"""Action of the leaf, without the password."""
_ACTOR: Final = "command-line"


def run_dns(options: argparse.Namespace) -> int:
    """``mail dns``: prints the records, the one of the next start first."""
    limit_process()
    try:
        print("\n".join(records(existing_site(options))))
    except StoreError as error:
        return refuse(error)
    return EXIT_OK


def run_password(options: argparse.Namespace) -> int:
    """``mail password``: reads one line, from the terminal without showing it."""
    limit_process()
    try:
        print(keep_password(existing_site(options), sys.stdin, mailbox=options.mailbox))
    except StoreError as error:
        return refuse(error)
    return EXIT_OK


def records(site: Site) -> list[str]:
    """TXT records of the newest key and of the one before it, each as a line of a zone file after a comment.
    ``SiteRefused`` for a site without ``mail`` in its settings."""
    relay = site.settings.mail
    if relay is None:
        raise SiteRefused("This site sends no mail: name its relay in site.json (mail) first.")
    with refusing(site.data_dir), open_keys(site) as keys:
        keys.rsa2048(DKIM)
        found = keys.rsa2048s(DKIM)[:2]
    lines = []
    for number, key in enumerate(found):
        name, text = dns_record(relay.domain, selector_of(relay.dkim_selector, key), key)
        lines.append(
            "; signs from the service's next start on"
            if number == 0
            else "; the key before it: leave it for a week after that start"
        )
        lines.append(f"{name}. IN TXT {_quote(text)}")
    return lines


def _quote(text: str) -> str:
    """A text as strings of at most 255 bytes (RFC 1035, 3.3.14)."""
    return " ".join(f'"{text[start : start + 250]}"' for start in range(0, len(text), 250))


def keep_password(site: Site, source: TextIO, *, mailbox: bool) -> str:
    """Keeps the password in the site's sealed keys; a sentence for people. ``SiteRefused`` for none or a long one."""
    of = "bounce mailbox" if mailbox else "mail relay"
    given = getpass.getpass(f"Password of the {of}: ") if source.isatty() else source.readline().rstrip("\r\n")
    if not given or len(given) > PASSWORD_LIMIT or "\x00" in given:
        raise SiteRefused(f"Give the password of the {of} as one line of at most {PASSWORD_LIMIT} characters.")
    with refusing(site.data_dir), open_keys(site) as keys:
        keys.give_secret(MAILBOX_PASSWORD if mailbox else RELAY_PASSWORD, given.encode())
        with open_store(site, keys) as opened:
            detail = {"of": of}
            opened.store.writer.submit(lambda tx: tx.audit(GIVEN, actor=_ACTOR, detail=detail)).result()
    return f"The password of the {of} is kept sealed. The service uses it from its next start on."
