"""As whom this site sends mail, and by which relay: its settings joined with its keys."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from app.delivery.mail_message import BOUNCES, DKIM, MailIdentity, selector_of
from app.site.settings import MailRelay, is_loopback
from app.store.keys import Keys

RELAY_PASSWORD: Final = "mail-relay"  # noqa: S105 -- the name of a key
"""Purpose of the relay's password in the key store."""
MAILBOX_PASSWORD: Final = "bounce-mailbox"  # noqa: S105 -- the name of a key
"""Purpose of the password of the bounce mailbox."""


class SiteMail:
    """``relay`` is that of the settings. A training site that names none is given one on loopback when it starts
    (``use``); mail of a training site goes nowhere else."""

    def __init__(self, relay: MailRelay | None, keys: Keys, *, training: bool) -> None:
        self._relay = relay
        self._keys = keys
        self._training = training

    @property
    def relay(self) -> MailRelay | None:
        """Where mail goes first; None: nowhere."""
        return self._relay

    def use(self, relay: MailRelay) -> None:
        """Gives the training site its relay, unless the settings name one."""
        if self._relay is None:
            self._relay = relay

    def password(self) -> str | None:
        """Of the relay's ``user``; None: none was given."""
        found = self._keys.given_secret(RELAY_PASSWORD)
        return None if found is None else found.decode()

    def hindrance(self) -> str | None:
        """Why no mail can leave, a sentence for people; None if it can."""
        relay = self._relay
        if relay is None:
            return "This site has no mail relay: name one in site.json (mail), and start the service again."
        if self._training and not is_loopback(relay.host):
            return "A training site sends mail to this machine alone: take mail out of its site.json."
        if relay.user is not None and self.password() is None:
            return "The password of the mail relay is missing: give it by `arc-console mail password`."
        return None

    def identity(self) -> MailIdentity | None:
        """As whom mail is written now; None where ``hindrance`` has something to say. The first call makes the key."""
        return None if self.hindrance() is not None else self._identity

    @cached_property
    def _identity(self) -> MailIdentity:
        relay = self._relay
        if relay is None:
            raise LookupError("no relay")
        key = self._keys.rsa2048(DKIM)
        return MailIdentity(
            from_address=relay.from_address,
            domain=relay.domain,
            selector=selector_of(relay.dkim_selector, key),
            key=key,
            bounce_secret=self._keys.secret(BOUNCES),
        )
