"""The PIV application of a software card (SP 800-73-5 part 2) with Yubico's published extensions FF, FD, F9, F8, F7."""

import hmac
import secrets
from collections.abc import Callable
from typing import Final
from uuid import uuid4

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES

from hardware.cards.software import keys
from hardware.cards.software.attestation import attest
from hardware.cards.software.command import GET_DATA, ReceivedApdu, StatusWord, Sw
from hardware.cards.software.quirks import MANAGEMENT_ALGORITHMS, AttestationQuirk, PinAlways, Quirks
from hardware.cards.software.state import KEY_SIZES, CardManagementKey, KeyPair, Reference, SoftwareCardState
from hardware.cards.tlv import TlvError, encode, parse

PIV_AID: Final = bytes.fromhex("A000000308000010000100")
_RID: Final = PIV_AID[:5]

CHUID: Final = 0x5FC102
PRINTED: Final = 0x5FC109
DISCOVERY: Final = 0x7E
ATTESTATION_CERTIFICATE: Final = 0x5FFF01
_BEHIND_PIN: Final = frozenset({0x5FC103, 0x5FC108, 0x5FC121})  # finger prints, face, iris: part 1, table 2
_OBJECT_MOST: Final = 3072
"""Longest data object in bytes, tag 53 included."""

_PIN: Final = 0x80
_PUK: Final = 0x81
_MANAGEMENT: Final = 0x9B
_SLOTS: Final = (0x9A, 0x9C, 0x9D, 0x9E)
_NEVER, _ONCE, _ALWAYS = 1, 2, 3
_POLICY: Final = {0x9A: _ONCE, 0x9C: _ALWAYS, 0x9D: _ONCE, 0x9E: _NEVER}

VERIFY: Final = 0x20
CHANGE_REFERENCE: Final = 0x24
RESET_RETRY: Final = 0x2C
GENERATE: Final = 0x47
AUTHENTICATE: Final = 0x87
PUT_DATA: Final = 0xDB
METADATA: Final = 0xF7
SERIAL: Final = 0xF8
ATTEST: Final = 0xF9
VERSION: Final = 0xFD
SET_MANAGEMENT_KEY: Final = 0xFF


def factory_chuid() -> bytes:
    """An unsigned CHUID of a random GUID, as some cards bring from their maker: non-federal FASC-N, GUID, expiry."""
    fields = (
        encode(0x30, bytes.fromhex("D4E739DA739CED39CE739D836858210842108421C84210C3EB"))
        + encode(0x34, uuid4().bytes)
        + encode(0x35, b"20991231")
        + encode(0x3E)
        + encode(0xFE)
    )
    return encode(0x53, fields)


def _elements(data: bytes) -> dict[int, bytes]:
    """The elements of a template, each tag once; `StatusWord` 6A80 for anything else."""
    try:
        items = parse(data)
    except TlvError:
        raise StatusWord(Sw.WRONG_DATA) from None
    found = {item.tag: item.value for item in items}
    if len(found) != len(items):
        raise StatusWord(Sw.WRONG_DATA)
    return found


def _is_padded(value: bytes, *, digits: bool) -> bool:
    """Is this a PIN or PUK of 6 to 8 bytes, padded to 8 with FF (part 1, 5.1)?"""
    text = value.rstrip(b"\xff")
    if len(value) != 8 or len(text) < 6:
        return False
    return text.isdigit() if digits else b"\xff" not in text


class PivApplication:
    """One PIV application; `save` is called after every change of `state` and before the answer leaves."""

    aid = PIV_AID

    def __init__(self, state: SoftwareCardState, save: Callable[[], None], is_secured: Callable[[], bool]) -> None:
        self._state = state
        self._save = save
        self._is_secured = is_secured
        self._loaded: dict[int, keys.CardKey] = {}
        self._attestation_key = keys.from_der(state.attestation.private)
        self._verified = False
        self._unused_verification = False
        self._managed = False
        self._witness: bytes | None = None
        self._challenge: bytes | None = None

    @property
    def _quirks(self) -> Quirks:
        return self._state.quirks

    def select(self) -> bytes:
        """Application property template 61 (part 2, 3.1.1): 4F, 50, 79, AC."""
        offered = (*self._quirks.algorithms, *MANAGEMENT_ALGORITHMS)
        algorithms = b"".join(encode(0x80, bytes((number,))) for number in offered)
        return encode(
            0x61,
            encode(0x4F, PIV_AID[5:])
            + encode(0x50, b"OpenFIPS201" if self._quirks.management_import else b"ARC TRAINING PIV")
            + encode(0x79, encode(0x4F, _RID))
            + encode(0xAC, algorithms + encode(0x06)),
        )

    def deselect(self) -> None:
        """All security states become false (part 2, 3.1.1): power off, reset, another application."""
        self._verified = self._unused_verification = self._managed = False
        self._witness = self._challenge = None

    def first_block(self, command: ReceivedApdu) -> None:
        """Look at a chain's first block: an object that does not exist here is refused before the rest is sent."""
        if command.ins == PUT_DATA and self._tag_of_first_block(command.data) in self._quirks.refused_objects:
            raise StatusWord(Sw.NOT_FOUND)

    def chain_torn(self, command: ReceivedApdu) -> None:
        """The card was pulled between the blocks: `command.data` holds what had come."""
        tag = self._tag_of_first_block(command.data)
        if self._quirks.keeps_partial_chain and command.ins == PUT_DATA and self._managed and tag is not None:
            self._state.objects[tag] = command.data[5:]
            self._save()

    @staticmethod
    def _tag_of_first_block(data: bytes) -> int | None:
        return int.from_bytes(data[2:5], "big") if data[:2] == b"\x5c\x03" and len(data) > 5 else None

    def process(self, command: ReceivedApdu) -> bytes:
        """Answer one whole command; raises `StatusWord`."""
        if command.cla:
            raise StatusWord(Sw.UNKNOWN_CLASS if command.cla != 0x04 else Sw.SECURE_MESSAGING_NOT_SUPPORTED)
        handler = self._HANDLERS.get(command.ins)
        status = self._quirks.refusals.get(command.ins)
        if handler is None or status is not None:
            raise StatusWord(Sw.UNKNOWN_INSTRUCTION if status is None else status)
        if self._quirks.pin_always is PinAlways.IMMEDIATE and command.ins not in (VERIFY, AUTHENTICATE):
            self._unused_verification = False
        if command.ins != AUTHENTICATE:
            self._witness = self._challenge = None
        return handler(self, command)

    # References

    def _reference(self, p2: int) -> Reference:
        if p2 == _PIN:
            return self._state.pin
        if p2 == _PUK:
            return self._state.puk
        raise StatusWord(Sw.REFERENCE_NOT_FOUND)

    def _check(self, reference: Reference, value: bytes) -> None:
        """Compare and count; the counter is on disk before the answer leaves, so pulling the card wins no try."""
        if not reference.tries:
            raise StatusWord(Sw.BLOCKED)
        if reference.matches(value):
            if reference.tries != reference.limit:
                reference.tries = reference.limit
                self._save()
            return
        reference.tries -= 1
        self._save()
        if reference is self._state.pin:
            self._verified = self._unused_verification = False
        raise StatusWord(Sw.TRIES_LEFT | reference.tries)

    def _verify(self, command: ReceivedApdu) -> bytes:
        """VERIFY (part 2, 3.2.1): the PIN, its tries without data, or its state reset with P1 = FF."""
        if command.p2 != _PIN:
            raise StatusWord(Sw.REFERENCE_NOT_FOUND)
        if command.p1 == 0xFF and not command.data:
            self._verified = self._unused_verification = False
            return b""
        if command.p1:
            raise StatusWord(Sw.WRONG_P1_P2 if command.p1 != 0xFF else Sw.WRONG_DATA)
        pin = self._state.pin
        if not command.data:
            if self._verified:
                return b""
            raise StatusWord(Sw.TRIES_LEFT | pin.tries if pin.tries else Sw.BLOCKED)
        if len(command.data) != 8:
            raise StatusWord(Sw.WRONG_DATA)
        self._check(pin, command.data)
        self._verified = self._unused_verification = True
        return b""

    def _change_reference(self, command: ReceivedApdu) -> bytes:
        """CHANGE REFERENCE DATA (part 2, 3.2.2): PIN or PUK, by the old one; on some cards 9B, by the issuer."""
        if command.p2 == _MANAGEMENT and self._quirks.management_import:
            return self._import_management_key(command)
        if command.p1:
            raise StatusWord(Sw.WRONG_P1_P2)
        reference = self._reference(command.p2)
        old, new = command.data[:8], command.data[8:]
        digits = reference is self._state.pin or self._quirks.puk_digits_only
        if not _is_padded(new, digits=digits):
            raise StatusWord(Sw.WRONG_DATA)
        self._check_both(reference, old, command.p2, new)
        renewed = Reference.of(new, reference.limit)
        if reference is self._state.pin:
            self._state.pin = renewed
            self._verified = self._unused_verification = True
        else:
            self._state.puk = renewed
        self._save()
        return b""

    def _check_both(self, opens: Reference, old: bytes, which: int, new: bytes) -> None:
        """Compare the old secret and judge the new one, in the card's order; what is refused first is told."""
        if self._quirks.judges_old_first:
            self._check(opens, old)
        blocked = self._state.blocked.setdefault(which, [])
        if not any(one.matches(new) for one in blocked) and len(blocked) < self._quirks.blocked_values:
            blocked.append(Reference.of(new, 1))
            self._save()
        if any(one.matches(new) for one in blocked):
            raise StatusWord(self._quirks.blocked_status)
        if not self._quirks.judges_old_first:
            self._check(opens, old)

    def _reset_retry(self, command: ReceivedApdu) -> bytes:
        if command.p1:
            raise StatusWord(Sw.WRONG_P1_P2)
        if command.p2 != _PIN:
            raise StatusWord(Sw.REFERENCE_NOT_FOUND)
        puk, new = command.data[:8], command.data[8:]
        if not _is_padded(new, digits=True):
            raise StatusWord(Sw.WRONG_DATA)
        self._check_both(self._state.puk, puk, _PIN, new)
        self._state.pin = Reference.of(new, self._state.pin.limit)
        self._save()
        return b""

    # Data objects

    def _get_data(self, command: ReceivedApdu) -> bytes:
        """GET DATA (part 2, 3.1.2), with the discovery object and the attestation certificate."""
        if (command.p1, command.p2) != (0x3F, 0xFF):
            raise StatusWord(Sw.WRONG_P1_P2)
        listed = _elements(command.data).get(0x5C)
        if listed is None:
            raise StatusWord(Sw.WRONG_DATA)
        tag = int.from_bytes(listed, "big")
        if tag == DISCOVERY:
            # PIN usage policy 40 00: the PIV card's own PIN and nothing else (part 1, 3.3.2)
            return encode(DISCOVERY, encode(0x4F, PIV_AID) + encode(0x5F2F, b"\x40\x00"))
        if tag in _BEHIND_PIN or (tag == PRINTED and self._quirks.printed_needs_pin):
            self._require(self._verified)
        if tag == ATTESTATION_CERTIFICATE and ATTEST not in self._quirks.refusals:
            certificate = self._state.attestation.certificate
            return encode(0x53, encode(0x70, certificate) + encode(0x71, b"\x00") + encode(0xFE))
        stored = self._state.objects.get(tag)
        if stored is None:
            raise StatusWord(Sw.NOT_FOUND)
        return stored

    def _put_data(self, command: ReceivedApdu) -> bytes:
        """PUT DATA (part 2, 3.3.1); an empty 53 deletes the object."""
        if (command.p1, command.p2) != (0x3F, 0xFF):
            raise StatusWord(Sw.WRONG_P1_P2)
        self._require(self._managed)
        elements = _elements(command.data)
        listed, value = elements.get(0x5C), elements.get(0x53)
        if listed is None or value is None or len(elements) != 2:
            raise StatusWord(Sw.WRONG_DATA)
        tag = int.from_bytes(listed, "big")
        known = 0x5FC101 <= tag <= 0x5FC123 or 0x5FFF00 <= tag <= 0x5FFFFF
        if not known or tag == ATTESTATION_CERTIFICATE or tag in self._quirks.refused_objects:
            raise StatusWord(Sw.NOT_FOUND)
        stored = encode(0x53, value)
        if len(stored) > _OBJECT_MOST:
            raise StatusWord(Sw.NO_SPACE)
        if value:
            self._state.objects[tag] = stored
        else:
            self._state.objects.pop(tag, None)
        self._save()
        return b""

    # Keys

    @staticmethod
    def _require(allowed: bool) -> None:
        if not allowed:
            raise StatusWord(Sw.SECURITY_STATUS)

    def _key(self, slot: int) -> tuple[KeyPair, keys.CardKey]:
        pair = self._state.keys.get(slot)
        if pair is None:
            raise StatusWord(Sw.REFERENCE_NOT_FOUND)
        key = self._loaded.get(slot)
        if key is None:
            key = self._loaded[slot] = keys.from_der(pair.private)
        return pair, key

    def _generate(self, command: ReceivedApdu) -> bytes:
        """GENERATE ASYMMETRIC KEY PAIR (part 2, 3.3.2)."""
        if command.p1 or command.p2 not in _SLOTS:
            raise StatusWord(Sw.WRONG_P1_P2)
        self._require(self._managed)
        asked = _elements(_elements(command.data).get(0xAC, b""))
        algorithm = asked.get(0x80, b"")
        policy = asked.get(0xAA, b"\x00")  # Yubico's PIN policy; its touch policy AB cannot be kept: nothing to touch
        if len(algorithm) != 1 or algorithm[0] not in self._quirks.algorithms or not set(asked) <= {0x80, 0xAA}:
            raise StatusWord(Sw.WRONG_DATA)
        if len(policy) != 1 or policy[0] > _ALWAYS:
            raise StatusWord(Sw.WRONG_DATA)
        key = keys.generate(algorithm[0])
        slot = command.p2
        self._state.keys[slot] = KeyPair(algorithm[0], keys.to_der(key), policy[0] or _POLICY[slot])
        self._loaded[slot] = key
        self._save()
        return encode(0x7F49, keys.public_template(key))

    def _authenticate(self, command: ReceivedApdu) -> bytes:
        """GENERAL AUTHENTICATE (part 2, 3.2.4): management key, signature, or key agreement with 9D."""
        template = _elements(command.data).get(0x7C)
        if template is None:
            raise StatusWord(Sw.WRONG_DATA)
        elements = _elements(template)
        if command.p2 == _MANAGEMENT:
            return self._authenticate_management(command.p1, elements)
        if command.p2 not in _SLOTS:
            raise StatusWord(Sw.WRONG_P1_P2)
        pair, key = self._key(command.p2)
        if command.p1 != pair.algorithm:
            raise StatusWord(Sw.WRONG_P1_P2)
        if elements.get(0x82) != b"" or len(elements) != 2:
            raise StatusWord(Sw.WRONG_DATA)
        self._spend_verification(pair.pin_policy)
        if 0x81 in elements:
            result = keys.apply(key, pair.algorithm, elements[0x81])
        elif 0x85 in elements and command.p2 == 0x9D:
            result = keys.agree(key, pair.algorithm, elements[0x85])
        else:
            raise StatusWord(Sw.WRONG_DATA)
        return encode(0x7C, encode(0x82, result))

    def _spend_verification(self, policy: int) -> None:
        """Enforce a key's PIN policy; any use of a private key spends the verification that 9C needs."""
        unused, self._unused_verification = self._unused_verification, False
        if policy == _NEVER:
            return
        self._require(self._verified)
        self._require(policy != _ALWAYS or unused or self._quirks.pin_always is PinAlways.OFF)

    def _cipher(self) -> tuple[Cipher[modes.ECB], int]:
        management = self._state.management
        if management.algorithm == 0x03:
            return Cipher(TripleDES(management.key), modes.ECB()), 8  # the standard's single block
        return Cipher(AES(management.key), modes.ECB()), 16

    def _authenticate_management(self, algorithm: int, elements: dict[int, bytes]) -> bytes:
        """Part 2, 3.2.4 and appendix A: mutual (80, then 80 and 81) or external (81, then 82) authentication.

        Internal authentication (81 with data, 82 empty) is refused: it would answer a stranger's challenge and so
        break the external form.
        """
        if (algorithm or 0x03) != self._state.management.algorithm:
            raise StatusWord(Sw.WRONG_P1_P2)
        management, most = self._state.management, self._quirks.management_tries
        if most is not None and management.wrong >= most:
            raise StatusWord(Sw.BLOCKED)
        cipher, size = self._cipher()
        witness, self._witness = self._witness, None
        challenge, self._challenge = self._challenge, None
        self._managed = False
        if elements == {0x80: b""}:
            self._witness = secrets.token_bytes(size)
            return encode(0x7C, encode(0x80, cipher.encryptor().update(self._witness)))
        if elements == {0x81: b""}:
            self._challenge = secrets.token_bytes(size)
            return encode(0x7C, encode(0x81, self._challenge))
        if elements.keys() == {0x82} and challenge is not None:
            self._count_management(right=hmac.compare_digest(elements[0x82], cipher.encryptor().update(challenge)))
            self._managed = True
            return b""
        host = elements.get(0x81, b"")
        if witness is not None and elements.keys() - {0x82} == {0x80, 0x81} and len(host) == size:
            if elements.get(0x82, b""):
                raise StatusWord(Sw.WRONG_DATA)
            self._count_management(right=hmac.compare_digest(elements[0x80], witness))
            self._managed = True
            return encode(0x7C, encode(0x82, cipher.encryptor().update(host)))
        raise StatusWord(Sw.WRONG_DATA)

    def _count_management(self, *, right: bool) -> None:
        """Count a wrong answer to 9B, on disk before its refusal leaves; a right one restores all tries."""
        management = self._state.management
        wrong = 0 if right else management.wrong + 1
        if wrong != management.wrong and self._quirks.management_tries is not None:
            management.wrong = wrong
            self._save()
        self._require(right)

    # Yubico's extensions

    def _set_management_key(self, command: ReceivedApdu) -> bytes:
        if (command.p1, command.p2) != (0xFF, 0xFF):
            raise StatusWord(Sw.WRONG_P1_P2)
        self._require(self._managed)
        algorithm, key = command.data[:1], command.data[3:]
        if not algorithm or algorithm[0] not in self._quirks.management_algorithms:
            raise StatusWord(Sw.WRONG_LENGTH)
        if command.data[1:3] != bytes((_MANAGEMENT, len(key) & 0xFF)) or len(key) != KEY_SIZES[algorithm[0]]:
            raise StatusWord(Sw.WRONG_LENGTH)
        self._state.management = CardManagementKey(algorithm[0], key, default=False)
        self._save()
        return b""

    def _import_management_key(self, command: ReceivedApdu) -> bytes:
        """Set 9B over the secure channel; the key's cipher is fixed."""
        self._require(self._is_secured())
        if command.p1 != self._state.management.algorithm:
            raise StatusWord(Sw.REFERENCE_NOT_FOUND)
        outer = _elements(command.data)
        inner = _elements(outer.get(0x30, b""))
        key = inner.get(0x80, b"")
        if len(outer) != 1 or len(inner) != 1 or len(key) != KEY_SIZES[command.p1]:
            raise StatusWord(Sw.WRONG_DATA)
        self._state.management = CardManagementKey(command.p1, key, default=False)
        self._save()
        return b""

    def _metadata(self, command: ReceivedApdu) -> bytes:
        """GET METADATA (Yubico): of PIN, PUK, the management key or a slot."""
        if command.p1:
            raise StatusWord(Sw.WRONG_P1_P2)
        p2 = command.p2
        if p2 in (_PIN, _PUK):
            reference = self._reference(p2)
            return (
                encode(0x01, b"\xff")
                + encode(0x05, bytes((reference.default,)))
                + encode(0x06, bytes((reference.limit, reference.tries)))
            )
        if p2 == _MANAGEMENT:
            management = self._state.management
            head = encode(0x01, bytes((management.algorithm,))) + encode(0x02, b"\x00\x01")
            return head + encode(0x05, bytes((management.default,)))
        pair, key = self._key(p2)
        head = encode(0x01, bytes((pair.algorithm,))) + encode(0x02, bytes((pair.pin_policy, 1)))
        return head + encode(0x03, b"\x01") + encode(0x04, keys.public_template(key))

    def _serial(self, _: ReceivedApdu) -> bytes:
        if self._state.serial is None:
            raise StatusWord(Sw.UNKNOWN_INSTRUCTION)
        return self._state.serial.to_bytes(4, "big")

    def _version(self, _: ReceivedApdu) -> bytes:
        return bytes(self._quirks.firmware)

    def _attest(self, command: ReceivedApdu) -> bytes:
        """ATTEST (Yubico): the leaf certificate for the key of a slot."""
        if command.p2 or command.p1 not in _SLOTS:
            raise StatusWord(Sw.WRONG_P1_P2)
        pair, key = self._key(command.p1)
        if not isinstance(self._attestation_key, ec.EllipticCurvePrivateKey):
            raise StatusWord(Sw.REFERENCE_NOT_FOUND)
        leaf = attest(
            self._attestation_key,
            self._state.attestation.certificate,
            command.p1,
            key,
            pin_policy=pair.pin_policy,
            serial=self._state.serial,
            firmware=self._quirks.firmware,
        )
        return leaf[:-1] if self._quirks.attestation is AttestationQuirk.CUT else leaf

    _HANDLERS: Final[dict[int, Callable[["PivApplication", ReceivedApdu], bytes]]] = {
        VERIFY: _verify,
        CHANGE_REFERENCE: _change_reference,
        RESET_RETRY: _reset_retry,
        GENERATE: _generate,
        AUTHENTICATE: _authenticate,
        GET_DATA: _get_data,
        PUT_DATA: _put_data,
        METADATA: _metadata,
        SERIAL: _serial,
        ATTEST: _attest,
        VERSION: _version,
        SET_MANAGEMENT_KEY: _set_management_key,
    }
