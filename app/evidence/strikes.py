"""Judges strikes offline: a signed declaration, a signed notice, and the bundle that holds them with their proofs.

A declaration is judged by its bytes and not by a PDF library: all of it but the place of the signature is under the
signature, and that place has one form alone (``README.md`` of enforcement, section 3). So no byte of it is free.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from asn1crypto import cms, core, tsp
from asn1crypto import x509 as asn1_x509
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from app.capabilities.enforcement.bundles import (
    CERTIFICATES,
    DECLARATION,
    PROOF,
    ProvenNotice,
    StrikeProof,
    jws_file,
    notice_file,
)
from app.capabilities.enforcement.declaration import NOTICE_TYPE
from app.capabilities.enforcement.journal import EVIDENCE_FOLDER, ISSUED, LAW_FOLDER, NOTICED, REVISED, WITHDRAWN
from app.capabilities.enforcement.jurisdictions import folder_sha256
from app.capabilities.enforcement.tracking import notice_tracking
from app.evidence.checks import (
    TRAINING_ORIGIN,
    Content,
    EvidenceRefused,
    Findings,
    PinnedTrust,
    exactly,
    is_training,
    judge_training,
    leaf_checks,
    need,
    root_of,
    strict_object,
    unbase64url,
    x5c_chain,
)
from app.ledger import bundle
from app.ledger.stamps.timestamp import verify_token
from app.ledger.tree.leaf import canonical
from app.pki.proven_leaf import leaf_files

PDF: Final = b"%PDF-"
COMPACT: Final = re.compile(rb"[A-Za-z0-9_-]{1,65536}\.[A-Za-z0-9_-]{1,16000000}\.[A-Za-z0-9_-]{86}\s*")
"""A compact JWS by ES256; its notice is as long as 100 URLs make it."""
_CERTIFICATES: Final = tsp.SigningCertificateV2
"""Importing the module is what teaches the library this attribute: without it the certificate's name is unreadable."""
_BYTE_RANGE: Final = re.compile(rb"/ByteRange \[0 ([0-9]{1,10}) ([0-9]{1,10}) ([0-9]{1,10})\]")
_OWN: Final = frozenset(
    (bundle.MANIFEST, bundle.SIGNATURE, "arc_verify.py", "HOW-TO-VERIFY.txt", PROOF, DECLARATION, CERTIFICATES)
)
_STATING: Final = (ISSUED, REVISED)
_TOLD: Final = frozenset((ISSUED, REVISED, NOTICED, WITHDRAWN))


@dataclass(frozen=True)
class JudgedSignature:
    """Who signed, under which pinned root, and when an authority under one stamped it (None: it was not stamped)."""

    signer: x509.Certificate
    root: x509.Certificate
    stamped: datetime | None = None


# --- a declaration by itself ---


def examine_declaration(findings: Findings, trust: PinnedTrust, data: bytes) -> None:
    """Makes every check of a signed declaration."""
    check = findings.check

    # 1. The site's declaration key signed all of the file, under a pinned root, and an authority under it stamped that.
    signature = check("signature", judge_declaration, data, trust.roots)
    if signature is None:
        return

    # 2. The root says whether this is training, which never passes for real.
    check("training", judge_training, "declaration", is_training(signature.root), trust)


def judge_declaration(data: bytes, roots: Sequence[x509.Certificate]) -> tuple[str, JudgedSignature]:
    """The certifying signature over a whole PDF. No byte is left out: outside the signature's place by the digest,
    inside it because the place is written anew and compared."""
    found = list(_BYTE_RANGE.finditer(data))
    need(data.startswith(PDF) and len(found) == 1, "It is no PDF with one signature.")
    first, second, rest = (int(number) for number in found[0].groups())
    need(0 < first < second and second + rest == len(data), "The signature does not cover the whole file.")
    place = data[first:second]
    need(place[:1] == b"<" and place[-1:] == b">", "The signature is not where the file says.")
    der, signer = _signed_data(place[1:-1])
    certificate, attributes, signature, token = _parts_of(der, signer)

    # The certificate leads to a pinned root, and is for documents.
    root = root_of([certificate], roots)
    # The attributes are signed by it, and name the file's digest and the certificate itself.
    key = certificate.public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey):
        raise EvidenceRefused("The signer's key is on no elliptic curve.")
    try:
        key.verify(signature, b"\x31" + attributes[1:], ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise EvidenceRefused("The signature is wrong.") from None
    digest = hashlib.sha256(data[:first] + data[second:]).digest()
    _check_attributes(signer, digest, certificate)
    # The time stamp is over this very signature, and both certificates were good then.
    at = verify_token(token, signature, roots)
    need(
        all(one.not_valid_before_utc <= at <= one.not_valid_after_utc for one in (certificate, root)),
        "It was signed outside the certificate's term.",
    )
    name = root.subject.rfc4514_string()
    sentence = (
        f"The site's declaration key signed the whole file under the root {name}; stamped {at:%Y-%m-%d %H:%M:%S} UTC."
    )
    return sentence, JudgedSignature(certificate, root, at)


def _signed_data(place: bytes) -> tuple[bytes, Any]:
    """The CMS structure of a signature's place (hexadecimal digits, zeros behind it) and its one signer."""
    try:
        raw = bytes.fromhex(place.decode("ascii"))
        length = len(core.load(raw, strict=False).dump())
        der = raw[:length]
        signed = cms.ContentInfo.load(der, strict=True)["content"]
        (signer,) = signed["signer_infos"]
    except (ValueError, TypeError, KeyError, AttributeError, IndexError):
        raise EvidenceRefused("The signature is no CMS structure.") from None
    need(
        der.hex().upper().encode().ljust(len(place), b"0") == place,
        "The signature's place holds more than the signature.",
    )
    return der, signer


def _parts_of(der: bytes, signer: Any) -> tuple[x509.Certificate, bytes, bytes, bytes]:
    """Certificate, signed attributes (DER), signature and time stamp: the parts of the structure that anything signs or
    checks. The structure is written anew from them, so nothing else in it is free."""
    try:
        signed = cms.ContentInfo.load(der, strict=True)["content"]
        (chosen,) = signed["certificates"]
        own = chosen.chosen
        (unsigned,) = signer["unsigned_attrs"]
        (token,) = unsigned["values"]
        attributes, signature = signer["signed_attrs"].dump(), signer["signature"].native
        again = _rebuild(own, signer["signed_attrs"], signature, token)
        certificate = x509.load_der_x509_certificate(own.dump())
    except (ValueError, TypeError, KeyError, AttributeError, IndexError):
        raise EvidenceRefused("The signature has another form than a declaration's.") from None
    need(again == der, "The signature has another form than a declaration's.")
    return certificate, attributes, signature, token.dump()


def _rebuild(certificate: asn1_x509.Certificate, attributes: Any, signature: bytes, token: Any) -> bytes:
    """The structure of a declaration's signature, from the parts that differ."""
    sha256 = {"algorithm": "sha256"}
    signer = cms.SignerInfo(
        {
            "version": "v1",
            "sid": cms.SignerIdentifier(
                name="issuer_and_serial_number",
                value=cms.IssuerAndSerialNumber(
                    {"issuer": certificate.issuer, "serial_number": certificate.serial_number}
                ),
            ),
            "digest_algorithm": sha256,
            "signed_attrs": attributes,
            "signature_algorithm": {"algorithm": "sha256_ecdsa"},
            "signature": signature,
            "unsigned_attrs": [cms.CMSAttribute({"type": "signature_time_stamp_token", "values": [token]})],
        }
    )
    signed = cms.SignedData(
        {
            "version": "v1",
            "digest_algorithms": [sha256],
            "encap_content_info": {"content_type": "data"},
            "certificates": [certificate],
            "signer_infos": [signer],
        }
    )
    return bytes(cms.ContentInfo({"content_type": "signed_data", "content": signed}).dump())


def _check_attributes(signer: Any, digest: bytes, certificate: x509.Certificate) -> None:
    """What was signed is this file, by this certificate."""
    said = {one["type"].native: one["values"] for one in signer["signed_attrs"]}
    try:
        (named,) = said["message_digest"]
        need(named.native == digest, "The file was changed after it was signed.")
        (essential,) = said["signing_certificate_v2"]
        own = _CERTIFICATES.load(essential.dump())["certs"][0]
        same = own["hash_algorithm"]["algorithm"].native == "sha256"
        same = same and own["cert_hash"].native == certificate.fingerprint(hashes.SHA256())
    except (KeyError, ValueError, TypeError, AttributeError, IndexError):
        raise EvidenceRefused("The signature does not say what it is over.") from None
    need(same, "The signature names another certificate.")


# --- a notice by itself ---


def examine_notice(findings: Findings, trust: PinnedTrust, data: bytes) -> None:
    """Makes every check of a signed notice."""
    check = findings.check

    # 1. The site's declaration key signed it, under a pinned root.
    judged = check("signature", judge_notice, data, trust.roots)
    if judged is None:
        return
    payload, signature = judged

    # 2. What was signed is a notice of one form.
    said = check("content", _notice_content, payload)
    if said is None:
        return

    # 3. Notice and root agree on whether this is training, which never passes for real.
    check("training", _training_by_root, said, signature.root, trust)


def judge_notice(data: bytes, roots: Sequence[x509.Certificate]) -> tuple[str, tuple[bytes, JudgedSignature]]:
    """A compact JWS (RFC 7515) of a notice by a certificate for documents under one of ``roots``; its payload."""
    parts = data.decode("ascii", errors="replace").rstrip().split(".")
    need(len(parts) == 3, "The signature is no compact JWS.")
    protected, payload, raw = (unbase64url(part, "A part of the JWS") for part in parts)
    header = strict_object(protected)
    need(
        header.keys() == {"alg", "typ", "x5c"} and header["alg"] == "ES256" and header["typ"] == NOTICE_TYPE,
        "The signature is of another kind.",
    )
    chain = x5c_chain(header["x5c"])
    root = root_of(chain, roots)
    key = chain[0].public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise EvidenceRefused("The signer's key is not P-256.")
    need(len(raw) == 64, "The signature is not ES256.")
    signature = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    try:
        key.verify(signature, f"{parts[0]}.{parts[1]}".encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise EvidenceRefused("The signature is wrong.") from None
    sentence = f"It is signed by the site's declaration key under the root {root.subject.rfc4514_string()}."
    return sentence, (payload, JudgedSignature(chain[0], root))


def _notice_content(payload: bytes) -> tuple[str, dict[str, Any]]:
    said = strict_object(payload)
    need(said.get("v") == 1 and said.get("kind") in ("declaration", "takedown"), "The signed text is no notice.")
    need(canonical(said) == payload, "The notice is not in canonical form.")
    need(isinstance(said.get("training"), bool), "The notice does not say whether this is TRAINING.")
    platform = said.get("platform")
    name = platform.get("id") if isinstance(platform, dict) else None
    return (
        f"Notice {said.get('notice_id')} ({said['kind']}) to the platform {name}, tracking {said.get('tracking')}.",
        said,
    )


def _training_by_root(said: dict[str, Any], root: x509.Certificate, trust: PinnedTrust) -> tuple[str, bool]:
    need(said["training"] is is_training(root), "The notice and its root differ on whether this is TRAINING.")
    return judge_training("notice", said["training"], trust)


# --- a strike's bundle ---


def examine_strike(findings: Findings, trust: PinnedTrust, found: bundle.EvidenceBundle) -> None:
    """Makes every check of a strike's bundle but those of its manifest."""
    check = findings.check

    # 1. The bundle holds a strike: all its members, and none that nothing proves.
    proof = check("shape", _shape, found)
    if proof is None:
        return

    # 2. to 5. Each leaf by itself: content, quorum, path and time stamp.
    contents = leaf_checks(findings, trust, proof.log_origin, proof.leaves)

    # 6. The declaration is signed by the site, as by itself.
    signature = check("declaration", judge_declaration, found.files[DECLARATION], trust.roots)
    # 7. So is each notice, and it is the one beside its signature.
    for notice in proof.notices:
        check(f"notice {notice.number}", _notice, found, proof, notice, trust)
    # 8. The first leaf states exactly these documents, this law and these files; the others are their history.
    check("statement", _statement, proof, contents, found)
    # 9. The law's folder is the one that the strike pins.
    check("law", _law, found, proof)
    # 10. The files beside are the strike's own.
    check("parts", _parts, found, proof)
    # 11. Strike, log, manifest and root agree on whether this is training, which never passes for real.
    check("training", _training, found, proof, signature, trust)


def _shape(found: bundle.EvidenceBundle) -> tuple[str, StrikeProof]:
    need(PROOF in found.files and DECLARATION in found.files, "The bundle holds no strike.")
    proof = exactly(strict_object(found.files[PROOF]), StrikeProof, "strike")
    need(0 < len(proof.leaves) <= 10_000, "The strike has no leaves.")
    documents = [name for one in proof.notices for name in (notice_file(one.number), jws_file(one.number))]
    need(all(name in found.files for name in documents), "A notice of the strike is missing.")
    need(len(set(documents)) == len(documents), "Two notices have one number.")
    return f"Strike {proof.strike_id} under {proof.law} and its notices: {len(proof.notices)}.", proof


def _notice(
    found: bundle.EvidenceBundle, proof: StrikeProof, notice: ProvenNotice, trust: PinnedTrust
) -> tuple[str, bool]:
    """One notice of a bundle."""
    text = found.files[notice_file(notice.number)]
    _, (payload, signature) = judge_notice(found.files[jws_file(notice.number)], trust.roots)
    need(payload == text, "The signature is over another notice.")
    need(hashlib.sha256(text).hexdigest() == notice.sha256, "The notice is not the one that the strike names.")
    sentence, said = _notice_content(payload)
    law, platform, declaration = (said.get(name) for name in ("law", "platform", "declaration"))
    need(
        (said.get("strike_id"), said.get("notice_id"), said["kind"]) == (proof.strike_id, notice.notice_id, notice.kind)
        and said.get("tracking") == notice_tracking(proof.tracking_token, notice.number)
        and isinstance(platform, dict)
        and platform.get("id") == notice.platform,
        "The notice is of another strike, or another one of it.",
    )
    need(
        isinstance(law, dict) and (law.get("code"), law.get("sha256")) == (proof.law, proof.law_sha256),
        "The notice is under another law.",
    )
    need(
        declaration == {"sha256": proof.declaration_sha256, "revision": proof.revision},
        "The notice goes with another declaration.",
    )
    need(said["training"] is proof.training is is_training(signature.root), "The notice is of the other kind.")
    return sentence, True


def _statement(
    proof: StrikeProof, contents: Sequence[Content | None], found: bundle.EvidenceBundle
) -> tuple[str, bool]:
    """The first leaf and the history behind it."""
    opened = [one for one in contents if one is not None]
    need(len(opened) == len(contents), "Not everything could be read.")
    stated, *history = opened
    detail = _detail(stated)
    need(stated.header.action in _STATING, "The first leaf states no strike.")
    digest = hashlib.sha256(found.files[DECLARATION]).hexdigest()
    need(proof.declaration_sha256 == digest, "The declaration is not the one that the strike names.")
    wanted = {
        "strike_id": proof.strike_id,
        "law": proof.law,
        "law_sha256": proof.law_sha256,
        "declaration_sha256": digest,
        "revision": proof.revision,
        "training": proof.training,
    }
    need(all(detail.get(name) == value for name, value in wanted.items()), "The leaf states another strike.")
    notices = [one for one in detail.get("notices", ()) if isinstance(one, dict)]
    members = ("notice_id", "number", "platform", "kind", "sha256")
    named = [tuple(one.get(name) for name in members) for one in notices]
    own = [tuple(getattr(one, name) for name in members) for one in proof.notices]
    need(sorted(named, key=str) == sorted(own, key=str), "The leaf states other notices.")
    pinned = {
        name: hashlib.sha256(data).hexdigest()
        for name, data in found.files.items()
        if name.startswith((LAW_FOLDER, EVIDENCE_FOLDER))
    }
    need(detail.get("files") == pinned, "The leaf states other files of law and evidence.")
    states = {str(one["notice_id"]): one.get("state") for one in notices}
    places = [leaf.log_index for leaf in proof.leaves[1:]]
    need(places == sorted(set(places)), "The history is not in the log's order.")
    for index, entry in zip(places, history, strict=True):
        told = _detail(entry)
        need(
            entry.header.action in _TOLD and told.get("strike_id") == proof.strike_id,
            "A leaf of the history is of another strike.",
        )
        if entry.header.action == NOTICED and index > proof.leaves[0].log_index and told.get("notice_id") in states:
            states[str(told["notice_id"])] = told.get("state")
    need(
        states == {one.notice_id: one.state for one in proof.notices},
        "A notice stands otherwise than its history says.",
    )
    return f"The audit log states declaration, notices ({len(own)}), law and evidence as they are here.", True


def _detail(leaf: Content) -> dict[str, Any]:
    detail = leaf.payload.get("detail")
    return detail if isinstance(detail, dict) else {}


def _law(found: bundle.EvidenceBundle, proof: StrikeProof) -> tuple[str, bool]:
    files = {name.removeprefix(LAW_FOLDER): data for name, data in found.files.items() if name.startswith(LAW_FOLDER)}
    need(folder_sha256(files) == proof.law_sha256, "The law's folder is not the one that the strike was issued under.")
    return f"The law file {proof.law} is the one that the strike was issued under.", True


def _parts(found: bundle.EvidenceBundle, proof: StrikeProof) -> tuple[str, bool]:
    """What lies beside documents, law and evidence follows from the leaves."""
    documents = {name for one in proof.notices for name in (notice_file(one.number), jws_file(one.number))}
    beside = {
        name: data
        for name, data in found.files.items()
        if name not in _OWN | documents and not name.startswith((LAW_FOLDER, EVIDENCE_FOLDER))
    }
    try:
        wanted: Mapping[str, bytes] = leaf_files(proof.leaves)
    except ValueError:
        raise EvidenceRefused("The strike's own proofs or time stamps cannot be read.") from None
    need(beside == wanted, "The files beside the strike are not the strike's own.")
    return "Proofs, checkpoints and time stamps are the strike's own.", True


def _training(
    found: bundle.EvidenceBundle, proof: StrikeProof, signature: JudgedSignature | None, trust: PinnedTrust
) -> tuple[str, bool]:
    need(found.manifest.training is proof.training, "Strike and manifest differ on whether this is TRAINING.")
    need(proof.log_origin.startswith(TRAINING_ORIGIN) is proof.training, "The log is of the other kind.")
    if signature is not None:
        need(is_training(signature.root) is proof.training, "Strike and root differ on whether this is TRAINING.")
    return judge_training("strike", proof.training, trust)
