"""Which card a call means, which record it continues, and what forbids a write before the first APDU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row

from app.api.problems import Problem
from app.capabilities.provisioning.messages import Provision, ProvisionBody
from app.capabilities.provisioning.readers.card_readers import CardReader, CardReaders
from app.capabilities.provisioning.records import Records
from app.capabilities.provisioning.rows import find_provision, provision_by_guid
from app.capabilities.provisioning.write.card_records import record_before_reset, records_of
from app.capabilities.provisioning.write.journal import chuid_was_acknowledged, was_acknowledged
from app.capabilities.provisioning.write.reissue import Reissues
from app.store.engine import Store
from hardware.cards.identify import CardIdentity, CardState


def own_names(identity: CardIdentity) -> set[str]:
    """The card's names without its reader's: kept as an alias, that would give this record to the next blank card."""
    return {name for name in (identity.hardware_uid, *identity.aliases) if not name.startswith("reader:")}


class Lookup:
    """Reads the readers and the rows; changes neither."""

    def __init__(self, store: Store, readers: CardReaders, records: Records, reissues: Reissues) -> None:
        self._store = store
        self._readers = readers
        self._records = records
        self._reissues = reissues

    def find(self, card_readers: Sequence[CardReader], uid: str, record: Row[Any] | None) -> CardReader | None:
        """The one reader whose card answers to ``uid``; a card that changed its name by our write answers to
        both."""
        names = {uid}
        if record is not None and not uid.startswith("reader:"):
            names |= {record.card_guid, record.hardware_uid_now or record.card_guid}
            if record.former_guid is not None:
                names.add(record.former_guid)
            if record.state != "REFUSED":
                with self._store.read() as connection:
                    names -= {name for name in names if name.lower() in _lost_names(connection, record)}
        found = [
            card_reader
            for card_reader in card_readers
            if card_reader.present
            and (
                f"reader:{card_reader.name}" in names
                or (card_reader.identity is not None and any(card_reader.identity.answers_to(name) for name in names))
            )
        ]
        if len(found) > 1:
            readers = ", ".join(card_reader.name for card_reader in found)
            raise Problem("state_conflict", f"Two cards answer to this hardware_uid ({readers}); take one of them out.")
        return found[0] if found else None

    def without_card(self, uid: str, record: Row[Any] | None) -> Provision:
        """The reply when no such card is in a reader: that of a finished card; otherwise raises the problem."""
        if record is not None and record.state == "COMPLETE":
            return self._records.get(record.provision_id)
        problem = self._absence(uid)
        if record is None:
            raise problem
        extra = {"provision_id": record.provision_id}
        if problem.code == "dependency_unavailable":
            raise Problem(problem.code, problem.detail, headers=problem.headers, extra=extra)
        raise Problem("state_conflict", "The card is half written; put the SAME card back and call again.", extra=extra)

    def refused_before(self, record: Row[Any]) -> Problem:
        """What is said of a card that is in no reader and was refused when it was last written by this name."""
        sentence = f"This card is in no reader, and it was refused when it was last written: {record.detail}"
        return Problem("not_found", sentence, extra={"provision_id": record.provision_id})

    def _absence(self, uid: str) -> Problem:
        """Why no card with this name is in a reader, as far as the readers show it."""
        service, detail = self._readers.service()
        named = self._readers.get(uid.removeprefix("reader:")) if uid.startswith("reader:") else None
        if named is None and service != "up" and (self._readers.service_required or not self._readers.has_simulated):
            remedy = "start pcscd and connect a reader" if service == "down" else "start the service without --no-pcsc"
            sentence = f"No reader service answers ({detail}); {remedy}."
            return Problem("dependency_unavailable", sentence, headers={"Retry-After": "5"})
        if uid.startswith("reader:"):
            return Problem(
                "not_found", "That reader is not connected or holds no card; put the card in and call again."
            )
        return Problem("not_found", "No card with this hardware_uid is in a reader; see GET /v1/hardware/cards.")

    def identity(self, card_reader: CardReader) -> CardIdentity:
        """The identity of the card in this reader; 409 with the reason if there is none."""
        if card_reader.identity is None:
            why = card_reader.fault or "it has not answered yet"
            raise Problem("state_conflict", f"The card in {card_reader.name} cannot be read: {why}")
        return card_reader.identity

    def judge(
        self, identity: CardIdentity, body: ProvisionBody, record: Row[Any] | None
    ) -> tuple[Row[Any] | None, str | None]:
        """Two provisionings: the one that this card continues or has finished, None for a new one; and the id of the
        one from which an approved re-issue takes the card, if any. Raises the problem that forbids the write."""
        node_id = body.node_id
        reader = identity.reader
        with self._store.read() as connection:
            mine = provision_by_guid(connection, identity.card_guid)
            before = record_before_reset(connection, identity, records_of(connection, identity))
        match identity.state:
            case CardState.NOT_PIV:
                raise Problem("state_conflict", f"The card in {reader} has no PIV application; use a PIV card.")
            case CardState.BUSY:
                raise Problem("state_conflict", f"{identity.detail}. Close the program that uses it and call again.")
            case CardState.LOCKED:
                raise _problem_of_pin(reader, mine)
            case CardState.FOREIGN:
                raise Problem(
                    "state_conflict", f"The card in {reader} holds another issuer's certificates; use a blank."
                )
            case CardState.PROVISIONED | CardState.TORN | CardState.BLANK:
                pass
        with self._store.read() as connection:
            if (mine is None or mine.state == "REFUSED") and before is not None:
                if self._reissues.is_granted(connection, before):
                    return self._torn_record(connection, identity, body, record), before.provision_id
                if before.node_id != node_id:
                    raise _of_another(reader, before, f"was written for node {before.node_id} and reset since")
            if mine is not None and mine.released_us is not None:
                return self._torn_record(connection, identity, body, record), None
            if mine is not None and self._reissues.is_granted(connection, mine):
                torn = self._torn_record(connection, identity, body, record)
                # A new record even for the same node: the approval is for a card that is written again.
                same = torn is not None and torn.provision_id == mine.provision_id
                return None if same else torn, mine.provision_id
            if mine is not None and mine.node_id != node_id and mine.state != "REFUSED":
                raise _of_another(reader, mine, f"belongs to node {mine.node_id}")
            if identity.state is CardState.PROVISIONED:
                if identity.node_id != node_id:
                    raise Problem("state_conflict", f"The card in {reader} belongs to another node; use another card.")
                if mine is None:
                    sentence = (
                        f"The card in {reader} is this node's, but this site has no record of it; use another card."
                    )
                    raise Problem("state_conflict", sentence)
            # A finished card whose certificates were removed elsewhere gets a new record and GUID.
            continued = ("RUNNING", "TORN", "COMPLETE" if identity.state is CardState.PROVISIONED else "TORN")
            if mine is not None and mine.state in continued:
                return mine, None
            return self._torn_record(connection, identity, body, record), None

    def _torn_record(
        self, connection: Connection, identity: CardIdentity, body: ProvisionBody, record: Row[Any] | None
    ) -> Row[Any] | None:
        """The node's torn provisioning to which a card without its GUID may belong."""
        names = own_names(identity)
        torn = find_provision(connection, body.node_id, {body.hardware_uid, *names})
        if torn is None or torn.state == "COMPLETE":
            return None
        lost = _lost_names(connection, torn)
        same = (names & {torn.hardware_uid, *msgspec.json.decode(torn.aliases, type=list[str])}) - lost
        own_guids = {None, torn.card_guid} if lost else {None, torn.card_guid, torn.former_guid}
        guid = None if identity.card_guid is None else str(identity.card_guid)
        ours = identity.state is CardState.TORN and identity.node_id == torn.node_id and guid in own_guids
        # A card that tells no name at all may have got the record's management key, and no CHUID yet.
        nameless = not names and not chuid_was_acknowledged(connection, torn.provision_id)
        if same or ours or nameless or not was_acknowledged(connection, torn.provision_id):
            return torn
        if record is not None and record.provision_id == torn.provision_id:
            raise Problem(
                "state_conflict",
                f"Another card is in {identity.reader}; put the SAME card back, or name this one by its own uid "
                f"(reader:{identity.reader} where that is the same).",
                extra={"provision_id": torn.provision_id},
            )
        return None


def _lost_names(connection: Connection, record: Row[Any]) -> set[str]:
    """The GUID that the record's card came with, once a CHUID of this site took its place: makers give one GUID to many
    cards, so it names this one no more."""
    if record.former_guid is None or not chuid_was_acknowledged(connection, record.provision_id):
        return set()
    return {record.former_guid}


def _problem_of_pin(reader: str, mine: Row[Any] | None) -> Problem:
    """What is to be done with a card whose PIN is blocked."""
    if mine is None or mine.state != "COMPLETE" or mine.released_us is not None:
        return Problem("card_locked", f"The PIN of the card in {reader} is blocked; use another card.")
    sentence = (
        f"The PIN of the card in {reader} is blocked. A PIN reset heals it: have one approved (kind pin_reset) for "
        f"{mine.provision_id}, then POST /v1/hardware/se/provisions/{mine.provision_id}/pin-reset."
    )
    return Problem("card_locked", sentence, extra={"provision_id": mine.provision_id})


def _of_another(reader: str, holder: Row[Any], why: str) -> Problem:
    """Why a card is not written for another node than ``holder``'s, and what frees it."""
    sentence = (
        f"The card in {reader} {why} ({holder.provision_id}); use another card, or have its re-issue approved "
        f"(kind reissue, {holder.provision_id})."
    )
    return Problem("state_conflict", sentence, extra={"provision_id": holder.provision_id})
