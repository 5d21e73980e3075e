"""The card makers that a site pins: whose attestations it believes.

What is pinned stands in ``makers.pem`` in the data directory. Makers that do not ship with the program are pinned by
their certificates, or by an operator who writes the file by hand; the list shows both as ``file``. A pin is a leaf
first and the file second, an end of a pin the file first: at no moment is an authority trusted that the log does not
name. A file that was changed by hand is told by the next start, in the log and by an alarm.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding

from app.api.problems import Problem, invalid_field
from app.api.wire import rfc3339
from app.capabilities.provisioning.audit_details import read_details
from app.capabilities.provisioning.stock.messages import MAKERS_BY_HAND, CardMakerItem, CardMakerList, MakerCertificate
from app.capabilities.provisioning.stock.policy import MAKERS, FipsPolicy
from app.delivery.alarms import SERVICE_ACTOR, AlarmBook
from app.site.private_files import write_private
from app.site.site import Site
from app.store.engine import Store, driver
from app.store.writer import Transaction
from hardware.cards.attestation import CARD_MAKERS, CardMaker, card_makers, load_makers

PIN = "makers.pin"
UNPIN = "makers.unpin"
FOUND = "makers.found"
"""A start found another file than the log says; ``certificates`` are what it trusts."""
CHANGED = "makers.changed"
"""Alarm: the file trusts whom no key of the site has pinned."""
MOST_SENT = 16
"""Certificates of one call."""


class PinnedMakers:
    """Reads and changes what the site pins; ``policy`` judges by it from the next card on."""

    def __init__(self, site: Site, store: Store, policy: FipsPolicy, alarms: AlarmBook) -> None:
        self._path = site.data_dir / MAKERS
        self._training = site.training
        self._store = store
        self._policy = policy
        self._alarms = alarms
        self._shipped = {one.id: one for one in card_makers(CARD_MAKERS.read_bytes())}
        self._changing = asyncio.Lock()

    def state_in(self, tx: Transaction) -> None:
        """At a start: states what the file trusts where the log says otherwise; an alarm where it trusts more. What is
        missing in it a kill may have left so: it is pinned again by the same call."""
        found = {_digest(one): one for one in self._policy.makers or ()}
        said = _trusted_by(driver(tx.connection))
        if said == found.keys():
            return
        tx.audit(FOUND, actor=SERVICE_ACTOR, detail={"certificates": sorted(found)})
        if more := sorted(found.keys() - said):
            names = ", ".join(found[digest].subject.rfc4514_string() for digest in more)
            self._alarms.raise_alarm(
                tx,
                CHANGED,
                sha256("".join(more).encode()).hexdigest(),
                f"{self._path.name} trusts card makers that no key has pinned, so it was changed by hand: {names}. "
                "If it was none of yours, end their pins on the page Stock and look who could write the file.",
            )

    def listing(self) -> CardMakerList:
        """The shipped makers, and what else the file pins."""
        pinned = list(self._policy.makers or ())
        digests = {_digest(one) for one in pinned}
        items = [_item(one, digests) for one in self._shipped.values()]
        if others := self._others(pinned):
            items.append(self._by_hand(others))
        return CardMakerList(items=items)

    async def pin(self, maker_id: str, pem: str | None, *, actor: str, request_id: str | None) -> CardMakerItem:
        """Believe the maker's attestations from now on. ``pem``: the certificates, for the id ``file`` alone. 404: no
        shipped maker has this id. 422: the certificates are none that may be trusted. 503: the file cannot be written;
        the same call goes on."""
        async with self._changing:
            now = list(self._policy.makers or ())
            wanted = self._sent_or_shipped(maker_id, pem, now)
            missing = [one for one in wanted if one not in now]
            if missing:
                await self._audit(PIN, maker_id, missing, actor, request_id)
                await self._write([*now, *missing])
            return self._as_now(maker_id)

    async def unpin(self, maker_id: str, *, actor: str, request_id: str | None) -> CardMakerItem:
        """Believe them no more (``file``: none that does not ship); cards that were written stay. Errors as for
        ``pin``."""
        async with self._changing:
            now = list(self._policy.makers or ())
            named = self._others(now) if maker_id == MAKERS_BY_HAND else self._maker(maker_id).certificates
            gone = [one for one in named if one in now]
            if gone:
                rest = [one for one in now if one not in gone]
                if not any(one.subject == one.issuer for one in rest):
                    # Without a root they attest nothing, and no start would take the file.
                    rest, gone = [], now
                await self._write(rest)
                await self._audit(UNPIN, maker_id, gone, actor, request_id)
            return self._as_now(maker_id)

    def _sent_or_shipped(
        self, maker_id: str, pem: str | None, now: Sequence[x509.Certificate]
    ) -> Sequence[x509.Certificate]:
        """The certificates that a pin is about; 422 where they are not to be trusted."""
        if maker_id != MAKERS_BY_HAND:
            if pem is not None:
                self._maker(maker_id)
                raise invalid_field(
                    "/ca",
                    f"The certificates of {maker_id} ship with the program: send none, or pin others as "
                    f"{MAKERS_BY_HAND}.",
                )
            return self._maker(maker_id).certificates
        if pem is None:
            raise invalid_field("/ca", f"Send the certificates: {MAKERS_BY_HAND} is no maker that ships.")
        given = _read_authorities(pem, now, training=self._training)
        if ours := next((one for one in given if one not in self._others(given)), None):
            owner = next(maker.id for maker in self._shipped.values() if ours in maker.certificates)
            sentence = f"{ours.subject.rfc4514_string()}: it ships with the program; pin {owner} instead."
            raise invalid_field("/ca", sentence)
        return given

    def _others(self, pinned: Sequence[x509.Certificate]) -> list[x509.Certificate]:
        """Those of ``pinned`` that no shipped maker has."""
        ours = {_digest(one) for maker in self._shipped.values() for one in maker.certificates}
        return [one for one in pinned if _digest(one) not in ours]

    def _as_now(self, maker_id: str) -> CardMakerItem:
        """The maker's line of the list."""
        pinned = self._policy.makers or ()
        if maker_id == MAKERS_BY_HAND:
            return self._by_hand(self._others(pinned))
        return _item(self._maker(maker_id), {_digest(one) for one in pinned})

    def _by_hand(self, others: Sequence[x509.Certificate]) -> CardMakerItem:
        return CardMakerItem(
            maker_id=MAKERS_BY_HAND,
            maker=self._path.name,
            products="Certificates that an operator put into the file.",
            source=None,
            checked_on=None,
            pinned=bool(others),
            certificates=[_certificate(one) for one in others],
        )

    def _maker(self, maker_id: str) -> CardMaker:
        maker = self._shipped.get(maker_id)
        if maker is None:
            raise Problem("not_found", "No such maker ships with the program; see GET /v1/registry/card-makers.")
        return maker

    async def _audit(
        self,
        action: str,
        maker_id: str,
        changed: Sequence[x509.Certificate],
        actor: str,
        request_id: str | None,
    ) -> None:
        detail = {"maker": maker_id, "certificates": [_digest(one) for one in changed]}
        await self._store.writer.run(lambda tx: tx.audit(action, actor=actor, request_id=request_id, detail=detail))

    async def _write(self, certificates: Sequence[x509.Certificate]) -> None:
        """The file, durably, then the policy; without a certificate there is no file."""
        try:
            await asyncio.to_thread(_replace, self._path, certificates)
        except OSError as error:
            sentence = f"{self._path} cannot be written: {error.strerror}. Make room and call again."
            raise Problem("dependency_unavailable", sentence, headers={"Retry-After": "5"}) from error
        self._policy.makers = list(certificates) or None


def _trusted_by(connection: sqlite3.Connection) -> set[str]:
    """The certificates (SHA-256) that the log says are trusted."""
    trusted: set[str] = set()
    for _, action, detail in read_details(connection, (PIN, UNPIN, FOUND)):
        named = set(detail.get("certificates", ()))
        if action == FOUND:
            trusted = named
        else:
            trusted = trusted | named if action == PIN else trusted - named
    return trusted


def _read_authorities(pem: str, now: Sequence[x509.Certificate], *, training: bool) -> list[x509.Certificate]:
    """The certificates of a call. 422 says which of them may not be trusted, and why."""
    if "PRIVATE KEY" in pem:
        raise invalid_field("/ca", "A private key is among them: send certificates alone, and renew that key.")
    try:
        given = x509.load_pem_x509_certificates(pem.encode())
        if len(given) > MOST_SENT:
            raise invalid_field("/ca", f"At most {MOST_SENT} certificates in one call.")
        for one in given:
            if wrong := _wrong(one, [*given, *now], training=training):
                raise invalid_field("/ca", f"{one.subject.rfc4514_string()}: {wrong}")
    except ValueError as error:
        # Either no PEM at all, or a certificate whose inside cannot be read.
        sentence = "No certificate that can be read is in it; a PEM file begins with -----BEGIN CERTIFICATE-----."
        raise invalid_field("/ca", sentence) from error
    return given


def _wrong(one: x509.Certificate, known: Sequence[x509.Certificate], *, training: bool) -> str:
    """Why this certificate attests nothing here, a sentence; empty where it may."""
    if one.not_valid_after_utc < datetime.now(UTC):
        return f"it ended on {one.not_valid_after_utc:%Y-%m-%d}."
    try:
        if not one.extensions.get_extension_for_class(x509.BasicConstraints).value.ca:
            return "it is no authority; send the maker's root."
    except x509.ExtensionNotFound:
        return "it does not say that it is an authority; send the maker's root."
    if not training and "TRAINING" in one.subject.rfc4514_string():
        return "it is of a training site, and this one is real."
    if not any(_issues(other, one) for other in known):
        return "its issuer is neither sent nor pinned; send the maker's root, too."
    return ""


def _issues(issuer: x509.Certificate, one: x509.Certificate) -> bool:
    try:
        one.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


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
