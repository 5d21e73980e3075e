"""The parts of every judgement: what is pinned, checks with a sentence each, log proofs and signatures.

Each step returns a sentence and what it found, or raises ``EvidenceRefused`` with the reason.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, ParamSpec, TypeVar

import msgspec
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.x509.oid import NameOID

from app.api.wire import rfc3339
from app.ledger.bundle import EvidenceBundleError
from app.ledger.c2sp.note import Checkpoint, NoteError, parse_checkpoint, parse_note
from app.ledger.c2sp.policy import WitnessPolicy
from app.ledger.c2sp.proof import LogProof, ProofError, parse_proof
from app.ledger.sidecar import SidecarError
from app.ledger.stamps.timestamp import APART_S, StampError, verify_token
from app.ledger.tree.leaf import SealHeader, body_of, header_bytes, leaf_hash, read_seal_header
from app.ledger.tree.tree import verify_inclusion
from app.pki.authority import DOCUMENT_SIGNING
from app.pki.proven_leaf import ProvenLeaf

SALT: Final = 16
TRAINING_ORIGIN: Final = "training-"
_TRAINING_NAME: Final = "TRAINING "
_BASE64URL: Final = re.compile(r"[A-Za-z0-9_-]*")
JWS: Final = frozenset(("payload", "protected", "signature"))

Kind = Literal["seal", "receipt", "segment", "bundle", "declaration", "notice"]
P = ParamSpec("P")
T = TypeVar("T")
StructT = TypeVar("StructT", bound=msgspec.Struct)


class EvidenceError(ValueError):
    """A file that is no evidence of any kind: there is nothing to judge."""


class EvidenceRefused(ValueError):
    """One check's reason, a sentence for people."""


_UNREADABLE: Final = (ValueError, TypeError, UnsupportedAlgorithm, x509.InvalidVersion, x509.DuplicateExtension)
"""What the library raises for bytes that are no certificate."""
_REASONS: Final = (EvidenceRefused, EvidenceBundleError, ProofError, NoteError, StampError, SidecarError)


@dataclass(frozen=True)
class PinnedTrust:
    """What the auditor pinned: the policy (``None`` where only receipts are judged), the site's root certificates, and
    the roots of outside time-stamp authorities. Without the last, the signers of outside stamps are not judged."""

    policy: WitnessPolicy | None
    roots: Sequence[x509.Certificate]
    outside_roots: Sequence[x509.Certificate] = ()

    @property
    def production(self) -> bool:
        """Whether it trusts anything that is no training."""
        if self.policy is not None:
            return any(not row.key.name.startswith(TRAINING_ORIGIN) for row in self.policy.logs)
        return not all(map(is_training, self.roots))


@dataclass(frozen=True)
class Check:
    """One check that was made."""

    name: str
    good: bool
    sentence: str


@dataclass
class Findings:
    """All checks of a file."""

    kind: Kind
    checks: list[Check] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether everything holds."""
        return bool(self.checks) and all(check.good for check in self.checks)

    def check(self, name: str, work: Callable[P, tuple[str, T]], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Makes one check and records it. ``work`` returns a sentence and what it found, or raises the reason of a
        refusal; then the result is ``None``."""
        try:
            sentence, found = work(*args, **kwargs)
        except _REASONS as error:
            text = str(error)
            self.checks.append(Check(name, False, f"{text[:1].upper()}{text[1:].rstrip('.')}."))
            return None
        self.checks.append(Check(name, True, sentence))
        return found


def need(condition: object, sentence: str) -> None:
    """``EvidenceRefused`` with the sentence unless the condition holds."""
    if not condition:
        raise EvidenceRefused(sentence)


def judge_training(what: str, training: bool, trust: PinnedTrust) -> tuple[str, bool]:
    """Refuses training evidence where the auditor pinned something of production."""
    need(not (training and trust.production), f"This is a TRAINING {what}; it proves nothing to a production site.")
    return f"This is a {'TRAINING' if training else 'production'} {what}.", True


# --- a leaf of a log ---


@dataclass(frozen=True)
class Content:
    """A leaf that was opened."""

    header: SealHeader
    hashed: bytes
    payload: dict[str, Any]


def content(text: str, log_index: int, salt: str | None, payload: str | None) -> tuple[str, Content]:
    """The leaf whose header is ``text``, opened: its payload is the one that it commits to."""
    header = _header(text)
    need(header.seq == log_index, "The leaf has another place in the log than it says.")
    raw, said = _read_opening(salt, payload)
    need(body_of(raw, said) == header.body, "The content is not the one that the leaf commits to.")
    return "The leaf commits to exactly this content.", Content(header, leaf_hash(text.encode()), strict_object(said))


def _header(text: str) -> SealHeader:
    try:
        header = read_seal_header(text.encode())
        if header_bytes(header) == text.encode():
            return header
    except (msgspec.MsgspecError, ValueError):
        pass
    raise EvidenceRefused("The leaf is not in canonical form.")


@dataclass(frozen=True)
class CosignedProof:
    """A proof whose checkpoint met its quorum at ``quorum_at`` (Unix seconds)."""

    proof: LogProof
    text: str
    checkpoint: Checkpoint
    quorum_at: int


def _read_opening(salt: str | None, payload: str | None) -> tuple[bytes, bytes]:
    if salt is None or payload is None:
        raise EvidenceRefused(
            "The content is erased or withheld: its hash stands in the log, what it said cannot be shown any more."
        )
    raw = unbase64(salt, "The opening's salt")
    need(len(raw) == SALT, f"The opening's salt is not {SALT} bytes.")
    return raw, unbase64(payload, "The opening's payload")


def quorum(
    trust: PinnedTrust, origin: str, text: str | None, timestamp: str, own_us: int | None = None
) -> tuple[str, CosignedProof]:
    """The proof of a leaf of the log ``origin``. ``timestamp``: when its checkpoint met its quorum, or the leaf's own
    time ``own_us`` (Unix microseconds) where that may stand in its place."""
    if text is None:
        raise EvidenceRefused("There is no checkpoint yet.")
    if trust.policy is None:
        raise EvidenceRefused("There is no policy to judge it by.")
    proof = parse_proof(text.encode())
    note = parse_note(proof.note.encode())
    checkpoint = parse_checkpoint(note.text)
    need(checkpoint.origin == origin, "The checkpoint is of another log than it says.")
    quorum_at = trust.policy.check(note)
    trust.policy.check_form(note)
    try:
        at = rfc3339(quorum_at * 1_000_000)
    except OverflowError:
        raise EvidenceRefused("The quorum's time is beyond every calendar.") from None
    stated = [at] if own_us is None else [at, rfc3339(own_us)]
    need(timestamp in stated, f"The witnesses' quorum was met at {at}, not when it says.")
    sentence = f"{checkpoint.origin} signed it, and its witnesses' quorum was met at {at}."
    return sentence, CosignedProof(proof, note.text, checkpoint, quorum_at)


def stamp(trust: PinnedTrust, coded: str | None, signed: CosignedProof) -> tuple[str, bool]:
    """The time stamp over a checkpoint."""
    if coded is None:
        raise EvidenceRefused("The checkpoint has no time stamp.")
    token = unbase64(coded, "The time stamp")
    at = verify_token(token, signed.text.encode(), trust.roots)
    apart = abs(at.timestamp() - signed.quorum_at)
    need(apart <= APART_S, f"The time stamp is {apart:.0f} s from the quorum; {APART_S:.0f} s are allowed.")
    return f"A trusted authority stamped the checkpoint at {at:%Y-%m-%d %H:%M:%S} UTC.", True


def path(log_index: int, signed: CosignedProof, hashed: bytes) -> tuple[str, bool]:
    """The inclusion path from a leaf to the checkpoint."""
    index, size = signed.proof.index, signed.checkpoint.size
    need(index == log_index, "The proof is of another place in the log.")
    need(
        verify_inclusion(hashed, index, size, signed.proof.path, signed.checkpoint.root),
        "The leaf is not in the tree that the checkpoint signs.",
    )
    return f"The leaf is entry {index} of {size} in the signed tree.", True


def leaf_checks(
    findings: Findings, trust: PinnedTrust, log_origin: str, leaves: Sequence[ProvenLeaf]
) -> list[Content | None]:
    """Makes the checks of each leaf of the audit log; what each holds, ``None`` where it could not be opened."""
    check = findings.check
    contents = []
    for number, leaf in enumerate(leaves, 1):
        # 1. The leaf commits to exactly the content that opens it.
        opened = check(f"leaf {number}", content, leaf.leaf, leaf.log_index, leaf.opening.salt, leaf.opening.payload)
        # 2. The log signed a checkpoint, and enough pinned witnesses cosigned it at the time that the leaf says.
        signed = check(f"quorum {number}", quorum, trust, log_origin, leaf.proof, leaf.timestamp)
        # 3. The leaf stands in the tree of that checkpoint.
        if signed is not None and opened is not None:
            check(f"path {number}", path, leaf.log_index, signed, opened.hashed)
        # 4. An authority under a pinned root stamped that checkpoint at that time.
        if signed is not None:
            check(f"stamp {number}", stamp, trust, leaf.timestamp_token, signed)
        contents.append(opened)
    return contents


# --- signatures by the site ---


@dataclass(frozen=True)
class Document:
    """What was signed, who signed it, and under which pinned root."""

    payload: bytes
    signer: x509.Certificate
    root: x509.Certificate


def signed_document(value: dict[str, Any], kind: str, roots: Sequence[x509.Certificate]) -> tuple[str, Document]:
    """A flattened JWS (RFC 7515) of the type ``kind`` by a certificate for documents under one of ``roots``."""
    need(
        value.keys() == JWS and all(isinstance(part, str) for part in value.values()),
        "The signature is no flattened JWS.",
    )
    protected, payload, signature = (unbase64url(value[name], name) for name in ("protected", "payload", "signature"))
    header = strict_object(protected)
    need(
        header.keys() == {"alg", "typ", "x5c"} and header["alg"] == "EdDSA" and header["typ"] == kind,
        "The signature is of another kind.",
    )
    chain = x5c_chain(header["x5c"])
    signer, root = chain[0], root_of(chain, roots)
    key = signer.public_key()
    if not isinstance(key, Ed25519PublicKey):
        raise EvidenceRefused("The signer's key is not Ed25519.")
    try:
        key.verify(signature, f"{value['protected']}.{value['payload']}".encode())
    except InvalidSignature:
        raise EvidenceRefused("The signature is wrong.") from None
    name = root.subject.rfc4514_string()
    return f"It is signed by the site's receipt key under the root {name}.", Document(payload, signer, root)


def x5c_chain(coded: object) -> list[x509.Certificate]:
    """The certificates of a signature's ``x5c``, the signer's first."""
    if not isinstance(coded, list) or not 1 <= len(coded) <= 4:
        raise EvidenceRefused("The signature carries no certificates.")
    try:
        return [x509.load_der_x509_certificate(unbase64(one, "A certificate")) for one in coded]
    except _UNREADABLE:
        raise EvidenceRefused("A certificate of the signature cannot be read.") from None


def root_of(chain: Sequence[x509.Certificate], roots: Sequence[x509.Certificate]) -> x509.Certificate:
    """The pinned root directly above the signer: our sites have no intermediate certificates."""
    signer, above = chain[0], chain[1:]
    found = None
    for root in roots:
        try:
            signer.verify_directly_issued_by(root)
            found = root
        except (*_UNREADABLE, InvalidSignature):
            continue
    if found is None or any(one not in roots for one in above):
        raise EvidenceRefused("The signer's certificate leads to no root that you trust.")
    try:
        extensions = signer.extensions
        purposes = extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        usage = extensions.get_extension_for_class(x509.KeyUsage).value
        authority = extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except (*_UNREADABLE, x509.ExtensionNotFound):
        raise EvidenceRefused("The signer's certificate does not say what it is for.") from None
    need(
        DOCUMENT_SIGNING in purposes and usage.digital_signature and not authority,
        "The signer's certificate is not for signing documents.",
    )
    return found


def is_training(root: x509.Certificate) -> bool:
    """Whether a site's root is one for training."""
    names = root.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    return any(str(name.value).startswith(_TRAINING_NAME) for name in names)


# --- texts ---


def exactly(value: dict[str, Any], kind: type[StructT], what: str) -> StructT:
    """``value`` as a Struct that has all its members and no other. Replies may grow, so reading them skips what it does
    not know; evidence may not say more than is judged."""
    try:
        found = msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise EvidenceRefused(f"It is no {what}: {error}.") from None
    # Compared as text, because 1, 1.0 and True are equal in Python.
    same = json.dumps(msgspec.to_builtins(found), sort_keys=True) == json.dumps(value, sort_keys=True)
    need(same, f"The {what} has members that nothing proves.")
    return found


def strict_object(data: bytes) -> dict[str, Any]:
    """An object in strict JSON: no member twice, where two readers could each take another; no NaN; whole
    Unicode."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        need(len(found) == len(pairs), "A member stands twice.")
        return found

    def refuse(_: str) -> None:
        raise EvidenceRefused("A number is none.")

    try:
        value = json.loads(data.decode(), object_pairs_hook=members, parse_constant=refuse)
        json.dumps(value, ensure_ascii=False).encode()
    except EvidenceRefused:
        raise
    except (ValueError, RecursionError):
        raise EvidenceRefused("It is not JSON.") from None
    if not isinstance(value, dict):
        raise EvidenceRefused("It is no JSON object.")
    return value


def unbase64(text: object, what: str) -> bytes:
    """Canonical base64: one value, one text."""
    try:
        if isinstance(text, str) and base64.b64encode(raw := base64.b64decode(text, validate=True)).decode() == text:
            return raw
    except (binascii.Error, ValueError):
        pass
    raise EvidenceRefused(f"{what} is not canonical base64.")


def unbase64url(text: str, what: str) -> bytes:
    """Canonical base64url without padding (RFC 7515)."""
    if not _BASE64URL.fullmatch(text):
        raise EvidenceRefused(f"{what} is not base64url.")
    return unbase64(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4), what)
