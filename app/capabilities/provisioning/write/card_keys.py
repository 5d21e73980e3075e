"""The secrets that a card gets, and those that may open it: the journal's, the element's transport keys, the
factory's."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row

from app.capabilities.provisioning.issuer.card_secrets import CardMaster, CardSecrets
from app.capabilities.provisioning.paper.pin_mailers import PIN_PURPOSE, pin_context
from app.capabilities.provisioning.stock.messages import Transport
from app.capabilities.provisioning.stock.service import Stock, key_source
from app.capabilities.provisioning.write.card_records import records_of, refused_keys
from app.capabilities.provisioning.write.journal import (
    PIN_MARK_BYTES,
    PukTries,
    key_was_restored,
    next_draw,
    puk_mark,
    puk_tries,
    refused_pins,
    secret_draws,
    secret_holders,
)
from app.capabilities.provisioning.write.lookup import own_names
from app.site.site import Site
from app.store.engine import Store
from hardware.cards.backend import CardLocked, CardRefused
from hardware.cards.identify import CardIdentity
from hardware.cards.piv import FACTORY_PIN, FACTORY_PUK, ManagementAlgorithm, ManagementKey
from hardware.cards.profile import Secrets, factory_management_keys

FACTORY = "factory"
"""Mark of the published management keys among the refused ones."""
_PASSING = frozenset({0x6982, 0x6F00})
"""Refusals of a new management key that say nothing of its cipher: not authenticated, no diagnosis."""
_LAST_TRY = 2
"""With fewer PUK tries than this only a PUK is sent that has opened the card before."""


@dataclass(frozen=True)
class OfferedKeys:
    """The secrets of one write. ``management_marks``: of every management key that may open the card;
    ``cipher_marks``: of the ciphers that the new one may have."""

    secrets: Secrets
    management_marks: Sequence[str]
    cipher_marks: Sequence[str]

    def refused_by(self, error: Exception | None) -> Sequence[str]:
        """Marks of what the card refused for good by this error of its write."""
        if isinstance(error, CardLocked) and error.what == "9B" and error.tried:
            return self.management_marks
        if isinstance(error, CardRefused) and error.step == "management_key" and error.sw not in _PASSING:
            return self.cipher_marks
        return ()


@dataclass(frozen=True)
class _Candidates:
    """What may open a card, each with its mark, without what the card is known to have refused."""

    management: Sequence[tuple[tuple[ManagementKey, ...], str]]
    puks: Sequence[tuple[str, bytes]]
    pins: Sequence[tuple[str, bytes]]
    tries: PukTries
    transport: Transport
    restored: bool


class CardKeys:
    """Finds the secrets of cards."""

    def __init__(self, site: Site, store: Store, master: CardMaster, stock: Stock) -> None:
        self._site = site
        self._store = store
        self._master = master
        self._stock = stock

    def of(self, row: Row[Any], pin: str, identity: CardIdentity, *, pin_was_sealed: bool = False) -> OfferedKeys:
        """New secrets for the card of this record, and the old ones that may open it: those that the journal names,
        then the element's transport keys, and last the published factory values; never one that the card refused
        before. ``pin_was_sealed``: ``pin`` is that of an earlier attempt on this very card."""
        guid = uuid.UUID(row.card_guid)
        with self._store.read() as connection:
            found = self._candidates(connection, guid, pin, identity)
            pin_draw, pin_is_set = next_draw(connection, row.provision_id, "pin")
            puk_draw, _ = next_draw(connection, row.provision_id, "puk")
        new = self._master.secrets_for(guid, pin=pin)
        pins, new_puks = self._master.pins(guid, pin), self._master.puks(guid)
        # Each wrong guess costs a try. The PUK with the fewest tries left goes first; success restores all tries.
        puks = sorted(found.puks, key=lambda puk: -found.tries.spent.get(puk[1], 0))
        secrets = Secrets(
            pin=pins[pin_draw - 1],
            later_pins=pins[pin_draw:] + pins[: pin_draw - 1],
            pin_draw=pin_draw,
            puk=new_puks[puk_draw - 1],
            later_puks=new_puks[puk_draw:] + new_puks[: puk_draw - 1],
            puk_draw=puk_draw,
            management=_management(new, weak=self._accepts_weak),
            key_restored=found.restored,
            old_management=[key for keys, _ in found.management for key in keys],
            old_puks=[puk for puk, _ in puks],
            puk_marks=[mark for _, mark in puks],
            puk_known=found.tries.known,
            old_pins=[old for old, _ in found.pins],
            pin_marks=[mark for _, mark in found.pins],
            pin_is_set=pin_was_sealed and pin_is_set,
            channel=None if found.transport.scp03 is None else key_source(found.transport.scp03),
        )
        ciphers = [_cipher_mark(key.algorithm) for key in secrets.management]
        return OfferedKeys(secrets, [mark for _, mark in found.management], ciphers)

    def seal_pin(self, row: Row[Any], pin: str, draw: int) -> bytes:
        """The PIN of a later draw, sealed for the record: its first one, ``pin``, was refused by the card."""
        later = self._master.pins(uuid.UUID(row.card_guid), pin)[draw - 1]
        return self._store.sealer.seal(PIN_PURPOSE, later.encode(), pin_context(row.provision_id))

    @property
    def _accepts_weak(self) -> bool:
        return self._site.training or self._site.settings.accept_weak_management_key

    def unfit(self, guid: uuid.UUID | None, identity: CardIdentity) -> tuple[str, Row[Any]] | None:
        """Why the card can never hold this site's management key, as it showed in an earlier write, with its newest
        record; None: it may. Arguments as in ``refusal``."""
        accepted = [one for one in ManagementAlgorithm if self._accepts_weak or one is not ManagementAlgorithm.TDES]
        with self._store.read() as connection:
            records = records_of(connection, identity, guid)
            refused = refused_keys(connection, {row.provision_id for row in records})
        if not records or not {_cipher_mark(one) for one in accepted} <= refused:
            return None
        remedy = "Use another card" if self._accepts_weak else "Use another card, or set accept_weak_management_key"
        why = "This card refused the management key in every cipher that this site accepts, and nothing was sent now"
        return f"{why}. {remedy}.", records[0]

    def refusal(self, guid: uuid.UUID | None, identity: CardIdentity) -> tuple[CardLocked, Row[Any]] | None:
        """Why no secret may be tried on the card, with its newest record; None: it may be written. Nothing is sent to
        the card. ``guid``: of the record that is continued, else the card's own."""
        with self._store.read() as connection:
            records = records_of(connection, identity, guid)
            if not records:
                return None
            found = self._candidates(connection, guid, "", identity)
        uid = identity.hardware_uid
        remedy = (
            f"Nothing is tried again until its stock row has the right transport key: PUT /v1/hardware/elements/{uid} "
            "with transport (the published value too, if the card was reset since)"
        )
        what = ""
        if not found.management:
            what, why = "9B", f"the card refused every management key that this site knows. {remedy}"
        elif found.tries.left == 0:
            what, why = "PUK", "the card has blocked it"
        elif not found.puks or not found.pins:
            what = "PIN" if found.puks else "PUK"
            tries = "1 try" if found.tries.left == 1 else f"{found.tries.left} tries"
            left = "" if found.tries.left is None or found.puks else f" and told {tries} left"
            why = f"the card refused every {what} that this site knows{left}. {remedy}"
        elif found.tries.left is not None and found.tries.left < _LAST_TRY and not found.tries.known:
            what, why = "PUK", "one try is left, and no PUK has opened this card yet; the try is kept"
        return (CardLocked(what, why, tried=False), records[0]) if what else None

    def _candidates(
        self, connection: Connection, guid: uuid.UUID | None, pin: str, identity: CardIdentity
    ) -> _Candidates:
        """What may open the card that is written as ``guid``, likeliest first."""
        transport = self._stock.transport(connection, own_names(identity))
        records = records_of(connection, identity, guid)
        ids = {row.provision_id for row in records}
        tries, not_pins, not_keys = (
            puk_tries(connection, ids),
            refused_pins(connection, ids),
            refused_keys(connection, ids),
        )
        keys = secret_holders(connection, guid, "management_key")
        puks, pins = (secret_draws(connection, guid, step) for step in ("puk", "pin"))

        def made_for(holder: uuid.UUID) -> CardSecrets:
            return self._master.secrets_for(holder, pin=pin)

        management = [
            (
                _transport_keys(transport),
                FACTORY if transport.management_key is None else self._mark("9B", transport.management_key),
            )
            if one is None
            else (_management(made_for(one), weak=True), str(one))
            for one in keys
        ]
        old_puks = [(self._master.puks(one)[draw - 1], puk_mark(one, draw)) for one, draw in filter(None, puks)]
        if transport.puk is not None:
            old_puks.append((transport.puk, bytes.fromhex(self._mark("PUK", transport.puk))))
        old_puks.append((FACTORY_PUK, puk_mark(None)))
        # The PIN of another record is unknown; only a card without RESET RETRY COUNTER needs the old one.
        own = [draw for one, draw in filter(None, pins) if one == guid] if pin else []
        given = [self._master.pins(guid, pin)[draw - 1] for draw in own] if guid is not None else []
        given += [] if transport.pin is None else [transport.pin]
        old_pins = [(one, bytes.fromhex(self._mark("PIN", one))[:PIN_MARK_BYTES]) for one in (*given, FACTORY_PIN)]
        return _Candidates(
            [one for one in management if one[1] not in not_keys],
            [one for one in old_puks if one[1] not in tries.refused],
            [one for one in old_pins if one[1] not in not_pins],
            tries,
            transport,
            key_was_restored(connection, ids),
        )

    def _mark(self, what: str, value: str) -> str:
        """A mark of a secret that an officer gave, in hexadecimal: nobody without the master key finds it again."""
        return self._master.mark(f"{what}|{value}".encode()).hex()


def _cipher_mark(cipher: ManagementAlgorithm) -> str:
    """Mark of a cipher of the new management key among what a card refused."""
    return f"cipher {cipher.name}"


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
