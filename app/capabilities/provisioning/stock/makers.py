"""The card makers that a site pins: whose attestations it believes.

What is pinned stands in ``makers.pem`` in the data directory, which an operator may also write by hand (a maker that
does not ship with the program). A pin is a leaf first and the file second, an end of a pin the file first: at no moment
is an authority trusted that the log does not name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from hashlib import sha256
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.provisioning.stock.messages import CardMakerItem, CardMakerList, MakerCertificate
from app.capabilities.provisioning.stock.policy import MAKERS, FipsPolicy
from app.site.private_files import write_private
from app.site.site import Site
from app.store.engine import Store
from hardware.cards.attestation import CARD_MAKERS, CardMaker, card_makers, load_makers

PIN = "makers.pin"
UNPIN = "makers.unpin"
BY_HAND = "file"
"""Stands in the list for certificates that no shipped maker has."""


class PinnedMakers:
    """Reads and changes what the site pins; ``policy`` judges by it from the next card on."""

    def __init__(self, site: Site, store: Store, policy: FipsPolicy) -> None:
        self._path = site.data_dir / MAKERS
        self._store = store
        self._policy = policy
        self._shipped = {one.id: one for one in card_makers(CARD_MAKERS.read_bytes())}
        self._changing = asyncio.Lock()

    def listing(self) -> CardMakerList:
        """The shipped makers, and what else the file pins."""
        pinned = {_digest(one): one for one in self._policy.makers or ()}
        items = [_item(one, pinned.keys()) for one in self._shipped.values()]
        ours = {_digest(one) for maker in self._shipped.values() for one in maker.certificates}
        if others := [one for digest, one in pinned.items() if digest not in ours]:
            items.append(
                CardMakerItem(
                    maker_id=BY_HAND,
                    maker=self._path.name,
                    products="Certificates that an operator put into the file.",
                    source=None,
                    checked_on=None,
                    pinned=True,
                    certificates=[_certificate(one) for one in others],
                )
            )
        return CardMakerList(items=items)

    async def pin(self, maker_id: str, *, actor: str, request_id: str | None) -> CardMakerItem:
        """Believe the maker's attestations from now on. 404: no shipped maker has this id. 503: the file cannot be
        written; the same call goes on."""
        maker = self._maker(maker_id)
        async with self._changing:
            now = list(self._policy.makers or ())
            missing = [one for one in maker.certificates if one not in now]
            if missing:
                await self._audit(PIN, maker, missing, actor, request_id)
                await self._write([*now, *missing])
            return _item(maker, {_digest(one) for one in self._policy.makers or ()})

    async def unpin(self, maker_id: str, *, actor: str, request_id: str | None) -> CardMakerItem:
        """Believe them no more; cards that were written stay. Errors as for ``pin``."""
        maker = self._maker(maker_id)
        async with self._changing:
            now = list(self._policy.makers or ())
            gone = [one for one in maker.certificates if one in now]
            if gone:
                await self._write([one for one in now if one not in gone])
                await self._audit(UNPIN, maker, gone, actor, request_id)
            return _item(maker, {_digest(one) for one in self._policy.makers or ()})

    def _maker(self, maker_id: str) -> CardMaker:
        maker = self._shipped.get(maker_id)
        if maker is None:
            raise Problem("not_found", "No such maker ships with the program; see GET /v1/registry/card-makers.")
        return maker

    async def _audit(
        self,
        action: str,
        maker: CardMaker,
        changed: Sequence[x509.Certificate],
        actor: str,
        request_id: str | None,
    ) -> None:
        detail = {"maker": maker.id, "certificates": [_digest(one) for one in changed]}
        await self._store.writer.run(lambda tx: tx.audit(action, actor=actor, request_id=request_id, detail=detail))

    async def _write(self, certificates: Sequence[x509.Certificate]) -> None:
        """The file, durably, then the policy. A maker without a root left in the file pins nothing, so such a file goes
        as a whole."""
        try:
            await asyncio.to_thread(_replace, self._path, certificates)
        except OSError as error:
            sentence = f"{self._path} cannot be written: {error.strerror}. Make room and call again."
            raise Problem("dependency_unavailable", sentence, headers={"Retry-After": "5"}) from error
        self._policy.makers = list(certificates) or None


def _replace(path: Path, certificates: Sequence[x509.Certificate]) -> None:
    if not certificates:
        path.unlink(missing_ok=True)
        return
    pem = b"".join(one.public_bytes(Encoding.PEM) for one in certificates)
    load_makers(pem)  # what the next start reads
    write_private(path, pem)


def _item(maker: CardMaker, pinned: Collection[str]) -> CardMakerItem:
    certificates = maker.certificates
    return CardMakerItem(
        maker_id=maker.id,
        maker=maker.maker,
        products=maker.products,
        source=maker.source,
        checked_on=maker.checked_on.isoformat(),
        pinned=all(_digest(one) in pinned for one in certificates),
        certificates=[_certificate(one) for one in certificates],
    )


def _certificate(one: x509.Certificate) -> MakerCertificate:
    return MakerCertificate(
        subject=one.subject.rfc4514_string(),
        sha256=_digest(one),
        not_after=rfc3339(int(one.not_valid_after_utc.timestamp()) * 1_000_000),
    )


def _digest(one: x509.Certificate) -> str:
    return sha256(one.public_bytes(Encoding.DER)).hexdigest()
