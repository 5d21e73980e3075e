"""The secrets that a card gets, and those that may open it: the journal's, the element's transport keys, the
factory's."""

from __future__ import annotations

import uuid

from app.capabilities.provisioning.issuer.card_secrets import CardMaster, CardSecrets
from app.capabilities.provisioning.stock.messages import Transport
from app.capabilities.provisioning.stock.service import Stock, key_source
from app.capabilities.provisioning.write.journal import puk_mark, puk_tries_spent, secret_holders
from app.capabilities.provisioning.write.lookup import own_names
from app.site.site import Site
from app.store.engine import Store
from hardware.cards.identify import CardIdentity
from hardware.cards.piv import FACTORY_PIN, FACTORY_PUK, ManagementAlgorithm, ManagementKey
from hardware.cards.profile import Secrets, factory_management_keys

_PUBLISHED = b"published"
"""Mark of the factory's PUK beside a transport PUK."""


class CardKeys:
    """Finds the secrets of cards."""

    def __init__(self, site: Site, store: Store, master: CardMaster, stock: Stock) -> None:
        self._site = site
        self._store = store
        self._master = master
        self._stock = stock

    def of(self, guid: uuid.UUID, pin: str, identity: CardIdentity) -> Secrets:
        """New secrets, and the old ones that may open the card: those that the journal names, then the element's
        transport keys, and last the published factory values."""
        with self._store.read() as connection:
            transport = self._stock.transport(connection, own_names(identity))
            keys, puks, pins = (secret_holders(connection, guid, step) for step in ("management_key", "puk", "pin"))
            known, spent = puk_tries_spent(connection, guid, puk_mark(guid))
        new = self._master.secrets_for(guid, pin=pin)

        def secrets_of(holder: uuid.UUID) -> CardSecrets:
            return self._master.secrets_for(holder, pin=pin)

        opening = [
            (puk, puk_mark(one) if at == 0 else _PUBLISHED)
            for one in puks
            for at, puk in enumerate(
                _transport_then_factory(transport.puk, FACTORY_PUK) if one is None else (secrets_of(one).puk,)
            )
        ]
        # Each wrong guess costs a try. The PUK with the fewest tries left goes first; success restores all tries.
        opening.sort(key=lambda puk: -spent.get(puk[1], 0))
        return Secrets(
            pin=new.pin,
            puk=new.puk,
            management=_management(new, weak=self._site.training or self._site.settings.accept_weak_management_key),
            old_management=[
                key
                for one in keys
                for key in (_transport_keys(transport) if one is None else _management(secrets_of(one), weak=True))
            ],
            old_puks=[puk for puk, _ in opening],
            puk_marks=[mark for _, mark in opening],
            puk_known=known,
            # The PIN of another record is unknown; only a card without RESET RETRY COUNTER needs the old one.
            old_pins=[
                old
                for one in pins
                if one in (None, guid)
                for old in (_transport_then_factory(transport.pin, FACTORY_PIN) if one is None else (pin,))
            ],
            channel=None if transport.scp03 is None else key_source(transport.scp03),
        )


def _management(secret: CardSecrets, *, weak: bool) -> tuple[ManagementKey, ...]:
    """The derived management key in each cipher, best first; ``weak``: 3DES is among them."""
    strong = (
        ManagementKey(ManagementAlgorithm.AES_256, secret.management_key),
        ManagementKey(ManagementAlgorithm.AES_192, secret.management_key_192),
        ManagementKey(ManagementAlgorithm.AES_128, secret.management_key_128),
    )
    return (*strong, ManagementKey(ManagementAlgorithm.TDES, secret.management_key_3des)) if weak else strong


def _transport_keys(transport: Transport) -> tuple[ManagementKey, ...]:
    """The management keys that a card may come with: the one of its stock row, for each cipher of its length, else the
    published ones. Never both, because some cards count the tries."""
    if transport.management_key is None:
        return factory_management_keys()
    key = bytes.fromhex(transport.management_key)
    return tuple(ManagementKey(cipher, key) for cipher in ManagementAlgorithm if cipher.key_length == len(key))


def _transport_then_factory(given: str | None, factory: str) -> tuple[str, ...]:
    return (factory,) if given is None else (given, factory)
