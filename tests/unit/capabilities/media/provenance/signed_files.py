"""Files with content credentials as a foreign program signs them: c2pa's own builder, a chain made here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import BytesIO

import c2pa
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AI = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"
CAMERA = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"


def _name(text: str) -> x509.Name:
    return x509.Name(
        [x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Test"), x509.NameAttribute(NameOID.COMMON_NAME, text)]
    )


def _certificate(
    subject: str, issuer: str, own: ec.EllipticCurvePrivateKey, signer: ec.EllipticCurvePrivateKey, ocsp: str | None
) -> x509.Certificate:
    """A root where subject and issuer are one, else a certificate that may sign content."""
    root, now = subject == issuer, datetime.now(UTC)
    usage = {"digital_signature": not root, "key_cert_sign": root, "crl_sign": root}
    off = dict.fromkeys(
        (
            "content_commitment",
            "key_encipherment",
            "data_encipherment",
            "key_agreement",
            "encipher_only",
            "decipher_only",
        ),
        False,
    )
    made = (
        x509.CertificateBuilder(_name(issuer), _name(subject), own.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=root, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(**usage, **off), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(own.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if not root:
        made = made.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.EMAIL_PROTECTION]), critical=False)
    if ocsp is not None:
        where = x509.AccessDescription(x509.AuthorityInformationAccessOID.OCSP, x509.UniformResourceIdentifier(ocsp))
        made = made.add_extension(x509.AuthorityInformationAccess([where]), critical=False)
    return made.sign(signer, hashes.SHA256())


class ContentSigner:
    """A root of its own, and a key under it. ``ocsp``: where the certificate says that its standing is told."""

    def __init__(self, ocsp: str | None = None) -> None:
        above, own = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        self.root = _certificate("Root", "Root", above, above, None)
        chain = [_certificate("Camera", "Root", own, above, ocsp), self.root]
        pem = b"".join(one.public_bytes(Encoding.PEM) for one in chain)
        secret = own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        self._signer = c2pa.Signer.from_info(c2pa.C2paSignerInfo(b"es256", pem, secret, None))

    def sign(self, file: bytes, mime: str, source: str = CAMERA, remote: str | None = None) -> bytes:
        """The file with credentials in it, or with the address ``remote`` of them in place of these."""
        actions = [{"action": "c2pa.created", "digitalSourceType": source}, {"action": "c2pa.color_adjustments"}]
        definition = {
            "claim_generator_info": [{"name": "Test Camera", "version": "7.1"}],
            "assertions": [{"label": "c2pa.actions.v2", "data": {"actions": actions}}],
        }
        quiet = c2pa.Settings.from_dict({"version": 1, "verify": {"verify_after_sign": False}})
        builder = c2pa.Builder(definition, c2pa.Context(quiet))
        if remote is not None:
            builder.set_no_embed()
            builder.set_remote_url(remote)
        target = BytesIO()
        builder.sign(self._signer, mime, BytesIO(file), target)
        return target.getvalue()
