"""Whether evidence holds, judged offline against pinned keys: knot seals, receipts of cards, bundles (ledger.md, 6).

The same steps as ``resources/arc_verify.py``, made of this project's own parts, and beyond them the two things that
need certificates: who signed the time stamps, and who signed receipts and bundles.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal, ParamSpec, TypeVar

import msgspec
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.x509.oid import NameOID

from app.api.wire import rfc3339
from app.ledger import bundle
from app.ledger.leaf import SealHeader, body_of, header_bytes, knot_id_of, leaf_hash, read_seal_header
from app.ledger.note import Checkpoint, NoteError, parse_checkpoint, parse_note
from app.ledger.policy import Policy
from app.ledger.proof import Proof, ProofError, consensus_seal, parse_proof
from app.ledger.timestamp import APART_S, StampError, imprint_of, verify_token
from app.ledger.tree import verify_consistency, verify_inclusion
from app.provenance.bundles import seal_parts
from app.provenance.messages import KnotLeaf, KnotSeal, Opening, OutsideStamp
from app.provisioning import receipt
from app.provisioning.ca import DOCUMENT_SIGNING

SALT: Final = 16
OUTSIDE: Final = 2
"""Outside time stamps of a statement: the first and the newest."""
_TRAINING_ORIGIN: Final = "training-"
_TRAINING_NAME: Final = "TRAINING "
_BASE64URL: Final = re.compile(r"[A-Za-z0-9_-]*")
_ZIP: Final = b"PK\3\4"
_JWS: Final = frozenset(("payload", "protected", "signature"))

Kind = Literal["seal", "receipt", "bundle"]
P = ParamSpec("P")
T = TypeVar("T")


class EvidenceError(ValueError):
    """A file that is no evidence of any kind: there is nothing to judge."""


class _Refused(ValueError):
    """One check's reason, a sentence for people."""


_UNREADABLE: Final = (ValueError, TypeError, UnsupportedAlgorithm, x509.InvalidVersion, x509.DuplicateExtension)
"""What a certificate raises that is none."""
_REASONS: Final = (_Refused, bundle.BundleError, ProofError, NoteError, StampError)


@dataclass(frozen=True)
class Trust:
    """What is pinned: the policy (``None`` where only receipts are judged), the site's root certificates, and those of
    outside time-stamp authorities (without them nobody says who signed their stamps)."""

    policy: Policy | None
    roots: Sequence[x509.Certificate]
    outside_roots: Sequence[x509.Certificate] = ()

    @property
    def production(self) -> bool:
        """Whether it trusts anything that is no training."""
        if self.policy is not None:
            return any(not row.key.name.startswith(_TRAINING_ORIGIN) for row in self.policy.logs)
        return not all(map(_is_training, self.roots))


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
        """Make one check: ``work`` gives a sentence and what it found, or raises what refuses it."""
        try:
            sentence, found = work(*args, **kwargs)
        except _REASONS as error:
            text = str(error)
            self.checks.append(Check(name, False, f"{text[:1].upper()}{text[1:].rstrip('.')}."))
            return None
        self.checks.append(Check(name, True, sentence))
        return found


def examine(data: bytes, trust: Trust) -> Findings:
    """Judge a file; ``EvidenceError`` if it is none that could be judged."""
    if data.startswith(_ZIP):
        findings = Findings("bundle")
        _Bundle(findings, trust).examine(data)
        return findings
    try:
        value = _object(data)
    except _Refused:
        raise EvidenceError("It is neither a seal, nor a receipt, nor a bundle.") from None
    if value.keys() >= _JWS:
        findings = Findings("receipt")
        _examine_receipt(findings, value, trust)
    elif "knot_id" in value:
        findings = Findings("seal")
        _Seal(findings, trust).examine(value)
    else:
        raise EvidenceError("It is neither a seal, nor a receipt, nor a bundle.")
    return findings


def _need(condition: object, sentence: str) -> None:
    if not condition:
        raise _Refused(sentence)


# --- seals ---


@dataclass(frozen=True)
class _Content:
    """A leaf that was opened."""

    hashed: bytes
    payload: dict[str, Any]


@dataclass(frozen=True)
class _Signed:
    """A proof whose checkpoint has its quorum, at Unix seconds."""

    proof: Proof
    text: str
    checkpoint: Checkpoint
    quorum_at: int


class _Seal:
    def __init__(self, findings: Findings, trust: Trust) -> None:
        self._findings = findings
        self._trust = trust

    def examine(self, value: dict[str, Any]) -> KnotSeal | None:
        check = self._findings.check
        seal = check("shape", _shape, value)
        if seal is None:
            return None
        contents = []
        for number, leaf in enumerate(seal.leaves, 1):
            check(f"seal {number}", _seal_hash, leaf)
            content = check(f"leaf {number}", _content, leaf)
            signed = check(f"quorum {number}", self._quorum, seal, leaf)
            if signed is not None and content is not None:
                check(f"path {number}", _path, leaf, signed, content.hashed)
            if signed is not None:
                check(f"stamp {number}", self._stamp, leaf, signed)
                if leaf.outside_stamps is not msgspec.UNSET:
                    check(f"outside {number}", self._outside, leaf.outside_stamps, signed)
            contents.append(content)
        check("knot", _knot, seal, contents)
        check("training", self._training, seal, contents[0])
        return seal

    def _quorum(self, seal: KnotSeal, leaf: KnotLeaf) -> tuple[str, _Signed]:
        if leaf.seal_proof is None:
            raise _Refused("There is no checkpoint yet.")
        if self._trust.policy is None:
            raise _Refused("There is no policy to judge it by.")
        proof = parse_proof(leaf.seal_proof.encode())
        note = parse_note(proof.note.encode())
        checkpoint = parse_checkpoint(note.text)
        _need(checkpoint.origin == seal.log_origin, "The checkpoint is of another log than the seal says.")
        quorum_at = self._trust.policy.check(note)
        try:
            at = rfc3339(quorum_at * 1_000_000)
        except OverflowError:
            raise _Refused("The quorum's time is beyond every calendar.") from None
        _need(leaf.timestamp == at, f"The witnesses' quorum was met at {at}, not when the seal says.")
        sentence = f"{checkpoint.origin} signed it, and its witnesses' quorum was met at {at}."
        return sentence, _Signed(proof, note.text, checkpoint, quorum_at)

    def _stamp(self, leaf: KnotLeaf, signed: _Signed) -> tuple[str, bool]:
        if leaf.timestamp_token is None:
            raise _Refused("The checkpoint has no time stamp.")
        token = _base64(leaf.timestamp_token, "The time stamp")
        at = verify_token(token, signed.text.encode(), self._trust.roots)
        apart = abs(at.timestamp() - signed.quorum_at)
        _need(apart <= APART_S, f"The time stamp is {apart:.0f} s from the quorum; {APART_S:.0f} s are allowed.")
        return f"A trusted authority stamped the checkpoint at {at:%Y-%m-%d %H:%M:%S} UTC.", True

    def _outside(self, stamps: Sequence[OutsideStamp], signed: _Signed) -> tuple[str, bool]:
        _need(0 < len(stamps) <= OUTSIDE, "There are none, or too many.")
        own, size, said = signed.checkpoint, 0, ""
        for stamp in stamps:
            later = parse_checkpoint(stamp.checkpoint)
            _need(later.size > size, "The outside time stamps are not in the log's order.")
            size = later.size
            path = [_base64(step, "A hash of the consistency proof") for step in stamp.consistency]
            _need(later.origin == own.origin, "An outside time stamp is of another log.")
            _need(
                verify_consistency(own.size, later.size, path, own.root, later.root),
                "The checkpoint that was stamped outside does not continue the seal's own.",
            )
            token = _base64(stamp.timestamp_token, "An outside time stamp")
            _need(
                imprint_of(token) == hashlib.sha256(stamp.checkpoint.encode()).digest(),
                "An outside time stamp is of something else than its checkpoint.",
            )
            if self._trust.outside_roots:
                at = verify_token(token, stamp.checkpoint.encode(), self._trust.outside_roots)
                _need(at.timestamp() >= signed.quorum_at - APART_S, "An outside time stamp is older than the seal.")
                said = said or f"A trusted outside authority had seen it at {at:%Y-%m-%d %H:%M:%S} UTC."
        said = said or "Who signed the stamps is not judged: no roots of outside authorities are pinned."
        return f"{len(stamps)} outside time stamp(s) over checkpoints that continue this one. {said}", True

    def _training(self, seal: KnotSeal, first: _Content | None) -> tuple[str, bool]:
        said = None if first is None else first.payload.get("training")
        _need(isinstance(said, bool), "The first statement does not say which it is.")
        _need(seal.training is said, "The seal and its first statement differ on whether this is TRAINING.")
        _need(seal.log_origin.startswith(_TRAINING_ORIGIN) is said, "The log is of the other kind.")
        return _marked("seal", seal.training, self._trust)


def _marked(what: str, training: bool, trust: Trust) -> tuple[str, bool]:
    """Training is never taken for real."""
    _need(not (training and trust.production), f"This is a TRAINING {what}; it proves nothing to a production site.")
    return f"This is a {'TRAINING' if training else 'production'} {what}.", True


def _shape(value: dict[str, Any]) -> tuple[str, KnotSeal]:
    try:
        seal = msgspec.convert(value, KnotSeal)
    except msgspec.ValidationError as error:
        raise _Refused(f"It is no knot seal: {error}.") from None
    # Replies may grow, so reading skips what it does not know; evidence may not say more than is judged.
    _need(_text(msgspec.to_builtins(seal)) == _text(value), "The seal has members that nothing proves.")
    _need(0 < len(seal.leaves) <= 10_000, "The seal has no leaves.")
    return f"A knot seal with {len(seal.leaves)} statement(s).", seal


def _text(value: object) -> str:
    # As text, because Python takes 1, 1.0 and True for the same.
    return json.dumps(value, sort_keys=True)


def _seal_hash(leaf: KnotLeaf) -> tuple[str, bool]:
    if leaf.seal_proof is None:
        raise _Refused("It has no proof yet: the witnesses' quorum was missing. Ask the site again.")
    _need(
        leaf.consensus_seal == consensus_seal(leaf.seal_proof.encode()), "The consensus seal is not that of the proof."
    )
    return "The consensus seal is the hash of the proof.", True


def _content(leaf: KnotLeaf) -> tuple[str, _Content]:
    header = _header(leaf.leaf)
    _need(header.seq == leaf.log_index, "The leaf has another place in the log than the seal says.")
    _need(header.outcome == leaf.standing, "The leaf states another standing than the seal says.")
    salt, payload = _opened(leaf.opening)
    _need(body_of(salt, payload) == header.body, "The content is not the one that the leaf commits to.")
    return "The leaf commits to exactly this content.", _Content(leaf_hash(leaf.leaf.encode()), _object(payload))


def _header(text: str) -> SealHeader:
    try:
        header = read_seal_header(text.encode())
        if header_bytes(header) == text.encode():
            return header
    except (msgspec.MsgspecError, ValueError):
        pass
    raise _Refused("The leaf is not in canonical form.")


def _opened(opening: Opening) -> tuple[bytes, bytes]:
    if opening.salt is None or opening.payload is None:
        raise _Refused(
            "The content is erased or withheld: its hash stands in the log, what it said cannot be shown any more."
        )
    salt = _base64(opening.salt, "The opening's salt")
    _need(len(salt) == SALT, f"The opening's salt is not {SALT} bytes.")
    return salt, _base64(opening.payload, "The opening's payload")


def _path(leaf: KnotLeaf, signed: _Signed, hashed: bytes) -> tuple[str, bool]:
    index, size = signed.proof.index, signed.checkpoint.size
    _need(index == leaf.log_index, "The proof is of another place in the log.")
    _need(
        verify_inclusion(hashed, index, size, signed.proof.path, signed.checkpoint.root),
        "The leaf is not in the tree that the checkpoint signs.",
    )
    return f"The leaf is entry {index} of {size} in the signed tree.", True


def _knot(seal: KnotSeal, contents: Sequence[_Content | None]) -> tuple[str, bool]:
    opened = [content for content in contents if content is not None]
    _need(len(opened) == len(contents), "Not every statement could be read.")
    first, last = opened[0], seal.leaves[-1]
    _need(seal.knot_id == knot_id_of(first.hashed), "The knot's name is not that of its first leaf.")
    # ``standing`` both have, and the seal's is not the first leaf's; outside stamps are told with their leaf alone.
    repeated = set(KnotLeaf.__struct_fields__) - {"standing", "outside_stamps"}
    _need(
        all(getattr(seal, name) == getattr(seal.leaves[0], name) for name in repeated),
        "The seal repeats its first leaf differently.",
    )
    _need(
        all(content.payload.get("node_id") == seal.node_id for content in opened), "The statements name another node."
    )
    _need("first_leaf" not in first.payload, "The first statement is a later one of another knot.")
    _need(
        all(content.payload.get("first_leaf") == first.hashed.hex() for content in opened[1:]),
        "A later statement is of another knot.",
    )
    _need(
        all(one.log_index < other.log_index for one, other in itertools.pairwise(seal.leaves)),
        "The statements are not in the log's order.",
    )
    standing = "PENDING_CONSENSUS" if last.seal_proof is None else last.standing
    _need(seal.standing == standing, "The standing is not what the last statement says.")
    return f"{seal.knot_id} of node {seal.node_id} stands at {seal.standing}.", True


# --- signatures by the site ---


@dataclass(frozen=True)
class _Document:
    payload: bytes
    signer: x509.Certificate
    root: x509.Certificate


def _signed_document(value: dict[str, Any], kind: str, roots: Sequence[x509.Certificate]) -> tuple[str, _Document]:
    """A flattened JWS (RFC 7515) by a signer of documents under one of ``roots``."""
    _need(
        value.keys() == _JWS and all(isinstance(part, str) for part in value.values()),
        "The signature is no flattened JWS.",
    )
    protected, payload, signature = (_base64url(value[name], name) for name in ("protected", "payload", "signature"))
    header = _object(protected)
    _need(
        header.keys() == {"alg", "typ", "x5c"} and header["alg"] == "EdDSA" and header["typ"] == kind,
        "The signature is of another kind.",
    )
    chain = _chain(header["x5c"])
    signer, root = chain[0], _root_of(chain, roots)
    key = signer.public_key()
    if not isinstance(key, Ed25519PublicKey):
        raise _Refused("The signer's key is not Ed25519.")
    try:
        key.verify(signature, f"{value['protected']}.{value['payload']}".encode())
    except InvalidSignature:
        raise _Refused("The signature is wrong.") from None
    name = root.subject.rfc4514_string()
    return f"It is signed by the site's receipt key under the root {name}.", _Document(payload, signer, root)


def _chain(coded: object) -> list[x509.Certificate]:
    if not isinstance(coded, list) or not 1 <= len(coded) <= 4:
        raise _Refused("The signature carries no certificates.")
    try:
        return [x509.load_der_x509_certificate(_base64(one, "A certificate")) for one in coded]
    except _UNREADABLE:
        raise _Refused("A certificate of the signature cannot be read.") from None


def _root_of(chain: Sequence[x509.Certificate], roots: Sequence[x509.Certificate]) -> x509.Certificate:
    """The pinned root right above the signer. Our sites have no certificates between."""
    signer, above = chain[0], chain[1:]
    found = None
    for root in roots:
        try:
            signer.verify_directly_issued_by(root)
            found = root
        except (*_UNREADABLE, InvalidSignature):
            continue
    if found is None or any(one not in roots for one in above):
        raise _Refused("The signer's certificate leads to no root that you trust.")
    try:
        extensions = signer.extensions
        purposes = extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        usage = extensions.get_extension_for_class(x509.KeyUsage).value
        authority = extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except (*_UNREADABLE, x509.ExtensionNotFound):
        raise _Refused("The signer's certificate does not say what it is for.") from None
    _need(
        DOCUMENT_SIGNING in purposes and usage.digital_signature and not authority,
        "The signer's certificate is not for signing documents.",
    )
    return found


def _is_training(root: x509.Certificate) -> bool:
    names = root.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    return any(str(name.value).startswith(_TRAINING_NAME) for name in names)


def _examine_receipt(findings: Findings, value: dict[str, Any], trust: Trust) -> None:
    document = findings.check("signature", _signed_document, value, receipt.TYPE, trust.roots)
    if document is None:
        return
    said = findings.check("content", _receipt, document)
    if said is not None:
        findings.check("training", _marked_by_root, said["training"], document.root, trust)


def _receipt(document: _Document) -> tuple[str, dict[str, Any]]:
    said = _object(document.payload)
    provision = said.get("provision")
    known = said.get("v") == 1 and said.get("kind") == "provision" and isinstance(said.get("training"), bool)
    if not known or not isinstance(provision, dict):
        raise _Refused("The signed document is no receipt of a card.")
    try:
        issued = datetime.strptime(str(said.get("issued_at")), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise _Refused("The receipt does not say when it was made.") from None
    _need(
        all(one.not_valid_before_utc <= issued <= one.not_valid_after_utc for one in (document.signer, document.root)),
        "The receipt was made outside the signer's term.",
    )
    names = " ".join(f"{name} {provision.get(name)}" for name in ("provision_id", "node_id", "hardware_uid"))
    return f"A receipt of {said['issued_at']}: {names}.", said


def _marked_by_root(training: bool, root: x509.Certificate, trust: Trust) -> tuple[str, bool]:
    _need(training is _is_training(root), "The receipt and its root differ on whether this is TRAINING.")
    return _marked("receipt", training, trust)


# --- bundles ---


class _Bundle:
    def __init__(self, findings: Findings, trust: Trust) -> None:
        self._findings = findings
        self._trust = trust

    def examine(self, data: bytes) -> None:
        check = self._findings.check
        found = check("manifest", _bundle, data)
        if found is None:
            return
        check("signature", self._signature, found)
        value = check("content", _sealed, found)
        if value is None:
            return
        seal = _Seal(self._findings, self._trust).examine(value)
        if seal is not None:
            check("parts", _parts, found, seal)

    def _signature(self, found: bundle.Bundle) -> tuple[str, _Document]:
        sentence, document = _signed_document(_object(found.signature), bundle.TYPE, self._trust.roots)
        _need(document.payload == found.files[bundle.MANIFEST], "The signature is of another manifest.")
        _need(
            found.manifest.training is _is_training(document.root),
            "The bundle and its root differ on whether this is TRAINING.",
        )
        return sentence, document


def _bundle(data: bytes) -> tuple[str, bundle.Bundle]:
    found = bundle.read_bundle(data)
    return f"A bundle ({found.manifest.kind}): every one of {len(found.files)} files is as it was signed.", found


def _sealed(found: bundle.Bundle) -> tuple[str, dict[str, Any]]:
    _need(bundle.SEAL in found.files, "The bundle holds no seal.")
    return "The bundle holds a seal.", _object(found.files[bundle.SEAL])


def _parts(found: bundle.Bundle, seal: KnotSeal) -> tuple[str, bool]:
    beside = {name: data for name, data in found.files.items() if name.startswith("seal/")}
    try:
        wanted = seal_parts(seal)
    except ValueError:
        raise _Refused("The seal's own proofs or time stamps cannot be read.") from None
    _need(beside == wanted, "The files beside the seal are not the seal's own.")
    _need(found.manifest.training is seal.training, "Seal and manifest differ on whether this is TRAINING.")
    return "Proofs, checkpoints and time stamps are the seal's own.", True


# --- texts ---


def _object(data: bytes) -> dict[str, Any]:
    """An object in strict JSON: no member twice, where two readers could each take another; no NaN; whole
    Unicode."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        _need(len(found) == len(pairs), "A member stands twice.")
        return found

    def refuse(_: str) -> None:
        raise _Refused("A number is none.")

    try:
        value = json.loads(data.decode(), object_pairs_hook=members, parse_constant=refuse)
        json.dumps(value, ensure_ascii=False).encode()
    except _Refused:
        raise
    except (ValueError, RecursionError):
        raise _Refused("It is not JSON.") from None
    if not isinstance(value, dict):
        raise _Refused("It is no JSON object.")
    return value


def _base64(text: object, what: str) -> bytes:
    """Canonical base64: one value, one text."""
    try:
        if isinstance(text, str) and base64.b64encode(raw := base64.b64decode(text, validate=True)).decode() == text:
            return raw
    except (binascii.Error, ValueError):
        pass
    raise _Refused(f"{what} is not canonical base64.")


def _base64url(text: str, what: str) -> bytes:
    if not _BASE64URL.fullmatch(text):
        raise _Refused(f"{what} is not base64url.")
    return _base64(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4), what)
