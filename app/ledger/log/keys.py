"""The keys of one log over its life, and how a new pair replaces an old one (``ledger/README.md``, section 9).

A pair is an Ed25519 key (type 0x01) and an ML-DSA-44 key (0x06). The leaf ``log.key`` in the log itself names the old
pair and the new pair and is signed by all four keys. So a reader who trusts the old pair may trust the new one, and an
attacker needs the old pair to bring in other keys. The row of ``log_key`` is an index of that leaf. From its commit on
the new pair signs each checkpoint; the old one signs beside it until ``until``, so that readers who know either pair
are served meanwhile. Origin and tree stay.

The statement is text, one value a line::

    arc-log-key/v1
    <origin>
    until <Unix seconds>
    old <vkey 0x01>
    old <vkey 0x06>
    new <vkey 0x01>
    new <vkey 0x06>

Each key signs exactly these bytes. C2SP defines 0x06 for checkpoints alone, so the statement is no signed note. It
cannot be read as a checkpoint or as a ``subtree/v1`` message, nor they as a statement.
"""

from __future__ import annotations

import base64
import binascii
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey, MLDSA44PublicKey

from app.ledger.c2sp.cosignature import MLDSA44, Cosigner, CosignerKey, parse_vkey
from app.ledger.c2sp.note import ED25519, NoteError, Signer, Verifier
from app.ledger.tree import leaf as leaves
from app.store.errors import StoreRefused
from app.store.keys import Keys

LogKey = Verifier | CosignerKey

_TITLE: Final = "arc-log-key/v1"
_WORDS: Final = ("old", "old", "new", "new")
_LATEST_S: Final = 2**53 - 1


class LedgerBroken(StoreRefused):
    """The stored log does not fit its signed head: nothing may be appended to it."""


class RotationError(ValueError):
    """A replacement of a log's keys does not hold; the message is a sentence for people."""


@dataclass(frozen=True)
class Pair:
    """The private keys of a log during one period. A log without witnesses has no ``cosigner``."""

    signer: Signer
    cosigner: Cosigner | None

    @property
    def keys(self) -> list[LogKey]:
        """The public keys."""
        own: list[LogKey] = [self.signer.verifier]
        return own if self.cosigner is None else [*own, self.cosigner.key]

    @property
    def public(self) -> tuple[bytes, bytes]:
        """The bytes of the public keys, which do not depend on the origin; empty where there is no key."""
        return public_of(self.keys)


class KeyStatement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the leaf ``log.key``. ``signatures``: base64, of the four keys in the order of the statement."""

    statement: str
    signatures: list[str]


@dataclass(frozen=True)
class KeyReplacement:
    """A replacement that was checked: both pairs, and until when (Unix seconds) the old one signs as well."""

    origin: str
    until_s: int
    old: Sequence[LogKey]
    new: Sequence[LogKey]


@dataclass(frozen=True)
class KeyLeaf:
    """A leaf ``log.key`` with its opening."""

    seq: int
    header: bytes
    salt: bytes
    payload: bytes


@dataclass(frozen=True)
class LogKeyRow:
    """A row of ``log_key``: the pair that signs every checkpoint of more than ``seq`` entries. ``until_us``: the end of
    the pair before it."""

    seq: int
    ed25519: bytes
    mldsa44: bytes
    until_us: int


class LogRing:
    """Signs for one log with the pairs in force. Immutable: the writer's thread replaces it, any thread reads it."""

    def __init__(self, origin: str, pairs: Sequence[Pair], rows: Sequence[LogKeyRow] = ()) -> None:
        """``pairs`` oldest first, one more than ``rows``."""
        self.origin = origin
        self.pairs = pairs
        self.rows = rows

    @classmethod
    def alone(cls, origin: str, key: Ed25519PrivateKey, mldsa44: MLDSA44PrivateKey | None = None) -> LogRing:
        """A ring of one pair."""
        return cls(origin, [Pair(Signer(origin, key), None if mldsa44 is None else Cosigner(origin, mldsa44))])

    @property
    def newest(self) -> Pair:
        """The pair that signs everything."""
        return self.pairs[-1]

    def in_force(self, now_us: int | None = None) -> list[Pair]:
        """The pairs that sign, newest first."""
        now_us = time.time_ns() // 1_000 if now_us is None else now_us
        left = zip(self.pairs, self.rows, strict=False)
        return [self.newest, *reversed([pair for pair, row in left if row.until_us > now_us])]

    def keys(self) -> list[LogKey]:
        """The public keys that sign now."""
        return [key for pair in self.in_force() for key in pair.keys]

    def note(self, text: str) -> str:
        """The note over ``text`` with the Ed25519 lines."""
        lines = [pair.signer.line(text) for pair in self.in_force()]
        return f"{text}\n{''.join(lines)}"

    def cosign(self, text: str, time_s: int) -> str:
        """The ML-DSA lines over the checkpoint ``text``."""
        found = [pair.cosigner for pair in self.in_force()]
        return "".join([cosigner.line(text, time_s) for cosigner in found if cosigner is not None])

    def followed_by(self, pair: Pair, row: LogKeyRow) -> LogRing:
        """The ring with one more pair."""
        return LogRing(self.origin, [*self.pairs, pair], [*self.rows, row])

    def overlap_until_us(self) -> int | None:
        """The time until which an earlier pair signs as well; ``None`` if none does."""
        ends = [row.until_us for row in self.rows if row.until_us > time.time_ns() // 1_000]
        return max(ends, default=None)

    def judge_head(self, name: str, note_lines: Sequence[tuple[str, bytes]]) -> None:
        """``NoteError`` if a line (name and key id) of the log's own head is of none of its keys."""
        known = {(name, pair.signer.verifier.key_id) for pair in self.pairs}
        if any(line not in known for line in note_lines):
            raise NoteError("a signature line is of a key that the log does not name")


def ring_reader(origin: str, purpose: str, keys: Keys, log: int) -> Callable[[sqlite3.Connection | None], LogRing]:
    """A function that reads the ring of a log with the private keys of ``purpose``: from the rows and leaves of a
    store, or, without a store, the ring of a new site. It raises ``LedgerBroken`` if the replacements do not hold."""
    known: list[LogRing] = []

    def read(connection: sqlite3.Connection | None) -> LogRing:
        rows = [] if connection is None else read_rows(connection, log)
        if not known or list(known[0].rows) != rows:
            known[:] = [_ring(origin, _pairs(origin, purpose, keys, len(rows)), rows, connection, log)]
        return known[0]

    return read


def spare_pair(origin: str, purpose: str, keys: Keys, ring: LogRing) -> Pair:
    """A pair to follow those of ``ring``: a new one, or one that a killed command made and no leaf names."""
    used = {public for pair in ring.pairs for public in pair.public}
    eds, mls = keys.ed25519s(purpose), keys.mldsa44s(purpose)
    if eds[0].public_key().public_bytes_raw() in used:
        keys.renew(purpose, "ed25519")
        eds = keys.ed25519s(purpose)
    if mls[0].public_key().public_bytes_raw() in used:
        keys.renew(purpose, "mldsa44")
        mls = keys.mldsa44s(purpose)
    return Pair(Signer(origin, eds[0]), Cosigner(origin, mls[0]))


def _pairs(origin: str, purpose: str, keys: Keys, replaced: int) -> tuple[Pair, dict[tuple[bytes, bytes], Pair]]:
    """The first pair, and every later one by its public keys."""
    keys.ed25519(purpose)
    keys.mldsa44(purpose)  # makes the keys of a new site
    if len(keys.ed25519s(purpose)) <= replaced:
        keys.reload()  # another process has made the newest
    eds, mls = keys.ed25519s(purpose), keys.mldsa44s(purpose)
    signers = [Signer(origin, key) for key in eds]
    cosigners = [Cosigner(origin, key) for key in mls]
    made = [Pair(signer, cosigner) for signer in signers for cosigner in cosigners]
    return Pair(signers[-1], cosigners[-1]), {pair.public: pair for pair in made}


def _ring(
    origin: str,
    pairs: tuple[Pair, dict[tuple[bytes, bytes], Pair]],
    rows: Sequence[LogKeyRow],
    connection: sqlite3.Connection | None,
    log: int,
) -> LogRing:
    """The ring with every replacement of ``rows``, each confirmed by its leaf; ``LedgerBroken``."""
    first, made = pairs
    ring = LogRing(origin, [first])
    found = {} if connection is None else {leaf.seq: leaf for leaf in read_leaves(connection, log)}
    for row in rows:
        try:
            pair = made.get((row.ed25519, row.mldsa44))
            if pair is None:
                raise RotationError("the new keys are not this site's.")
            _confirm(ring, row, found.get(row.seq))
        except RotationError as error:
            raise LedgerBroken(
                f"The keys of the log {origin} were replaced at entry {row.seq}, but {error} Keep this store as "
                "evidence and restore a backup."
            ) from None
        ring = ring.followed_by(pair, row)
    return ring


def read_rows(connection: sqlite3.Connection, log: int) -> list[LogKeyRow]:
    """The replacements of a log's keys, oldest first."""
    found = connection.execute(
        "SELECT seq, ed25519, mldsa44, until_us FROM log_key WHERE log = ? ORDER BY seq", (log,)
    ).fetchall()
    return [LogKeyRow(int(seq), bytes(ed), bytes(ml), int(until_us)) for seq, ed, ml, until_us in found]


def read_leaves(connection: sqlite3.Connection, log: int) -> list[KeyLeaf]:
    """The leaves by which a log's keys were replaced, oldest first."""
    table = "audit_entry" if log else "seal_entry"
    found = connection.execute(
        f"SELECT seq, header, salt, payload FROM {table} WHERE seq IN (SELECT seq FROM log_key WHERE log = ?) "
        "AND salt IS NOT NULL AND payload IS NOT NULL ORDER BY seq",
        (log,),
    ).fetchall()
    return [KeyLeaf(int(seq), *map(bytes, opened)) for seq, *opened in found]


def add_row(connection: sqlite3.Connection, log: int, row: LogKeyRow) -> None:
    """Add a row, inside the job that adds its leaf."""
    connection.execute(
        "INSERT INTO log_key (log, seq, ed25519, mldsa44, until_us) VALUES (?, ?, ?, ?, ?)",
        (log, row.seq, row.ed25519, row.mldsa44, row.until_us),
    )


def sign_rotation(origin: str, old: Pair, new: Pair, until_s: int) -> KeyStatement:
    """The content of the leaf, signed by all four keys. Both pairs must have both kinds of key."""
    if old.cosigner is None or new.cosigner is None:
        raise RotationError("a pair has one key alone.")
    statement = _statement(origin, until_s, [*old.keys, *new.keys])
    signers = (old.signer, old.cosigner, new.signer, new.cosigner)
    return KeyStatement(statement, [base64.b64encode(signer.raw(statement.encode())).decode() for signer in signers])


def check_rotation(signed: KeyStatement) -> KeyReplacement:
    """The replacement that ``signed`` states. ``RotationError`` unless each of the four keys signed it."""
    rotation = _parse(signed.statement)
    keys = [*rotation.old, *rotation.new]
    if len(signed.signatures) != len(keys):
        raise RotationError("the statement has not four signatures.")
    for key, coded in zip(keys, signed.signatures, strict=True):
        try:
            signature = base64.b64decode(coded, validate=True)
            if isinstance(key, Verifier):
                key.key.verify(signature, signed.statement.encode())
            else:
                MLDSA44PublicKey.from_public_bytes(key.public).verify(signature, signed.statement.encode())
        except (InvalidSignature, binascii.Error, ValueError):
            raise RotationError(f"the statement is not signed by {key.name}+{key.key_id.hex()}.") from None
    return rotation


def public_of(keys: Sequence[LogKey]) -> tuple[bytes, bytes]:
    """The bytes of the Ed25519 and of the ML-DSA-44 key among ``keys``; empty where there is none."""
    ed25519 = next((key.key.public_bytes_raw() for key in keys if isinstance(key, Verifier)), b"")
    return ed25519, next((key.public for key in keys if isinstance(key, CosignerKey)), b"")


def _parse(statement: str) -> KeyReplacement:
    """The statement, read strictly; ``RotationError``."""
    lines = statement.split("\n")
    if len(lines) != 8 or lines[0] != _TITLE or lines[7]:
        raise RotationError("the statement is none.")
    origin, until = lines[1], lines[2].removeprefix("until ")
    if not until.isdecimal() or not until.isascii() or len(until) > 16 or int(until) > _LATEST_S:
        raise RotationError("the statement says no time.")
    keys: list[LogKey] = []
    for line, word, kind in zip(lines[3:7], _WORDS, (ED25519, MLDSA44) * 2, strict=True):
        said, _, vkey = line.partition(" ")
        try:
            key = parse_vkey(vkey)
        except NoteError as error:
            raise RotationError(f"the statement names a key that is none: {error}.") from None
        if said != word or key.name != origin or (ED25519 if isinstance(key, Verifier) else key.kind) != kind:
            raise RotationError("the statement names keys of another log or kind.")
        keys.append(key)
    # One text, one meaning: the signed text must be the one that we would write.
    if statement != _statement(origin, int(until), keys):
        raise RotationError("the statement is not in its one form.")
    if len({public_of([key]) for key in keys}) != len(keys):
        raise RotationError("the statement names a key twice.")
    return KeyReplacement(origin, int(until), keys[:2], keys[2:])


def _statement(origin: str, until_s: int, keys: Sequence[LogKey]) -> str:
    lines = [f"{word} {key.vkey}\n" for word, key in zip(_WORDS, keys, strict=True)]
    return f"{_TITLE}\n{origin}\nuntil {until_s}\n{''.join(lines)}"


def _confirm(ring: LogRing, row: LogKeyRow, leaf: KeyLeaf | None) -> None:
    """``RotationError`` unless the leaf states what the row says, and its old keys are those in force before."""
    if leaf is None:
        raise RotationError("its leaf is gone.")
    rotation = check_rotation(read_leaf(leaf.header, leaf.salt, leaf.payload))
    if base_of(rotation.origin) != base_of(ring.origin):
        raise RotationError("its leaf is of another log.")
    if public_of(rotation.old) != ring.newest.public:
        raise RotationError("its leaf is not signed by the keys that were in force.")
    if (*public_of(rotation.new), rotation.until_s * 1_000_000) != (row.ed25519, row.mldsa44, row.until_us):
        raise RotationError("its leaf states other keys or another time.")


def read_leaf(header: bytes, salt: bytes, payload: bytes) -> KeyStatement:
    """The content of a leaf ``log.key`` of either log. ``RotationError`` if it is no such leaf, or the payload is not
    its own."""
    try:
        said = leaves.read_seal_header(header)
        value = msgspec.json.decode(payload)
        # In the audit log it is the entry's detail, beside the members that every entry may have.
        signed = msgspec.convert(value.get("detail", value), KeyStatement)
    except (msgspec.MsgspecError, UnicodeDecodeError, AttributeError):
        raise RotationError("its leaf is none.") from None
    if said.action != leaves.REKEYED or leaves.body_of(salt, payload) != said.body:
        raise RotationError("its leaf is of something else.")
    return signed


def base_of(origin: str) -> str:
    """The origin without its generation: ``<site>/seal`` for ``<site>/seal/2``."""
    return "/".join(origin.split("/")[:2])
