"""A plain host for the software card: short commands, response chaining, the usual first steps."""

import os
from collections.abc import Callable

import pytest
from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES

from hardware.cards.software import SoftwareCard
from hardware.cards.tlv import encode, find

PIN = b"123456\xff\xff"
PUK = b"12345678"
FACTORY_KEY = bytes(range(1, 9)) * 3


class Host:
    """Talks to one card; `send` returns data and status word after response chaining."""

    def __init__(self, card: SoftwareCard) -> None:
        self.card = card

    def raw(self, text: str) -> str:
        """One APDU as hex, its answer as upper-case hex."""
        return self.card.transmit(bytes.fromhex(text)).hex().upper()

    def send(self, header: str, data: bytes = b"", *, extended: bool = False) -> tuple[bytes, int]:
        """One command with Le, chained in blocks of 255 bytes or in extended form."""
        head = bytes.fromhex(header)
        if extended:
            answer = self.card.transmit(head + b"\0" + len(data).to_bytes(2, "big") + data + b"\0\0")
        else:
            while len(data) > 255:
                block, data = data[:255], data[255:]
                answer = self.card.transmit(bytes((head[0] | 0x10,)) + head[1:] + b"\xff" + block)
                if answer != b"\x90\x00":
                    return answer[:-2], int.from_bytes(answer[-2:], "big")
            answer = self.card.transmit(head + (bytes((len(data),)) + data if data else b"") + b"\0")
        body, status = answer[:-2], answer[-2:]
        while status[0] == 0x61:
            answer = self.card.transmit(b"\x00\xc0\x00\x00" + status[1:])
            assert len(answer) > 2
            body, status = body + answer[:-2], answer[-2:]
        return body, int.from_bytes(status, "big")

    def status(self, header: str, data: bytes = b"") -> int:
        """The status word alone."""
        return self.send(header, data)[1]

    def select(self) -> int:
        """Select PIV by its truncated AID."""
        return self.status("00A40400", bytes.fromhex("A00000030800001000"))

    def authenticate(self, key: bytes = FACTORY_KEY, algorithm: int = 0x03) -> int:
        """Mutual authentication with key 9B; checks the card's answer too."""
        cipher = Cipher(TripleDES(key) if algorithm == 0x03 else AES(key), modes.ECB())
        size = 8 if algorithm == 0x03 else 16
        body, status = self.send(f"0087{algorithm:02X}9B", bytes.fromhex("7C028000"))
        if status != 0x9000:
            return status
        witness = find(body, 0x7C, 0x80)
        assert witness is not None
        challenge = os.urandom(size)
        proof = encode(0x80, cipher.decryptor().update(witness)) + encode(0x81, challenge) + encode(0x82)
        body, status = self.send(f"0087{algorithm:02X}9B", encode(0x7C, proof))
        if status == 0x9000:
            assert find(body, 0x7C, 0x82) == cipher.encryptor().update(challenge)
        return status

    def verify(self, pin: bytes = PIN) -> int:
        """VERIFY the PIN."""
        return self.status("00200080", pin)

    def get(self, tag: int) -> tuple[bytes, int]:
        """GET DATA of a three-byte tag."""
        return self.send("00CB3FFF", encode(0x5C, tag.to_bytes(3, "big")))

    def put(self, tag: int, value: bytes) -> int:
        """PUT DATA of a three-byte tag, tag 53 around `value`."""
        return self.status("00DB3FFF", encode(0x5C, tag.to_bytes(3, "big")) + encode(0x53, value))

    def generate(self, slot: int, algorithm: int = 0x11) -> bytes:
        """GENERATE ASYMMETRIC KEY PAIR; the elements inside 7F49."""
        body, status = self.send(f"004700{slot:02X}", encode(0xAC, encode(0x80, bytes((algorithm,)))))
        assert status == 0x9000
        public = find(body, 0x7F49)
        assert public is not None
        return public

    def sign(self, slot: int, value: bytes, algorithm: int = 0x11) -> tuple[bytes, int]:
        """GENERAL AUTHENTICATE with element 81; the signature and the status."""
        body, status = self.send(f"0087{algorithm:02X}{slot:02X}", encode(0x7C, encode(0x82) + encode(0x81, value)))
        return (find(body, 0x7C, 0x82) or b"") if status == 0x9000 else b"", status


@pytest.fixture(scope="session")
def host_of() -> Callable[[SoftwareCard], Host]:
    """Make a host with PIV selected."""

    def make(card: SoftwareCard) -> Host:
        host = Host(card)
        assert host.select() == 0x9000
        return host

    return make


@pytest.fixture
def host(host_of: Callable[[SoftwareCard], Host]) -> Host:
    """A host on a plain blank card in memory, PIV selected."""
    return host_of(SoftwareCard(serial=10_000_001))
