"""TLS on loopback: an authority of the tests' own and the certificate of a server."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


class MadeAuthority:
    """A certificate authority of the test with a server's certificate; it remembers the names that clients ask for in
    TLS."""

    def __init__(self, folder: Path, *addresses: str) -> None:
        """The certificate is for ``media.example`` and these IP addresses."""
        key, own_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        issuer = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "TRAINING authority")])
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "TRAINING server")])
        root = self._start(issuer, issuer, key).add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        also = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
        names = x509.SubjectAlternativeName([x509.DNSName("media.example"), *also])
        server = self._start(issuer, subject, own_key).add_extension(names, critical=False)
        self.ca = root.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()
        self.chain = folder / "server.pem"
        self.chain.write_bytes(
            server.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
            + own_key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(self.chain)
        self.tls.sni_callback = lambda _socket, name, _context: self.asked.append(name)
        self.asked: list[str | None] = []

    @staticmethod
    def _start(issuer: x509.Name, subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .issuer_name(issuer)
            .subject_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
        )
