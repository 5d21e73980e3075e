"""Card secrets: PINs that nobody guesses first, PUK and management key derived per card."""

import re
import uuid

import pytest
from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import algorithms

from app.capabilities.provisioning.issuer import card_secrets
from app.capabilities.provisioning.issuer.card_secrets import CardMaster, is_weak_pin, new_pin

GUID = uuid.UUID("00112233-4455-4677-8899-aabbccddeeff")


@pytest.mark.parametrize(
    "pin",
    ["00000000", "12345678", "98765432", "13579135", "12121212", "19870412", "04121987", "12041987", "12344321",
     "11112222", "45674567"],
)  # fmt: skip
def test_guessable_pins_are_weak(pin: str) -> None:
    """Repeats, runs, patterns, dates and common values are refused."""
    assert is_weak_pin(pin)


def test_new_pins_are_eight_digits_and_not_weak() -> None:
    """A thousand draws hold the form and are all different enough."""
    pins = {new_pin("ARC-T0001", "10293847") for _ in range(1000)}
    assert all(re.fullmatch(r"\d{8}", pin) and not is_weak_pin(pin) for pin in pins)
    assert len(pins) > 990
    assert "10293847" not in pins


def test_management_key_is_the_sp800_108_counter_kdf() -> None:
    """The first block equals CMAC over counter, label, zero, context, length, computed here by hand."""
    master = bytes(range(32))
    key = CardMaster(master).secrets_for(GUID, pin="40718263").management_key
    block = b""
    for counter in (1, 2):
        mac = cmac.CMAC(algorithms.AES(master))
        mac.update(
            counter.to_bytes(4, "big") + b"ARC-9B" + b"\0" + GUID.bytes + bytes((1, 1)) + (256).to_bytes(4, "big")
        )
        block += mac.finalize()
    assert key == block


def test_cards_have_secrets_of_their_own() -> None:
    """Another GUID or another attempt gives another PUK and key."""
    master = CardMaster(bytes(range(32)))
    first = master.secrets_for(GUID, pin="40718263")
    second = master.secrets_for(uuid.UUID(int=GUID.int + 1), pin="40718263")
    third = master.secrets_for(GUID, pin="40718263", attempt=2)
    assert len({first.management_key, second.management_key, third.management_key}) == 3
    assert len({first.puk, second.puk, third.puk}) == 3
    assert re.fullmatch(r"\d{8}", first.puk)


def test_des_keys_have_odd_parity() -> None:
    """Cards that check DES parity take the fallback key."""
    key = CardMaster(bytes(range(32))).secrets_for(GUID, pin="40718263").management_key_3des
    assert len(key) == 24
    assert all(byte.bit_count() % 2 == 1 for byte in key)


def test_no_secret_shows_in_a_repr() -> None:
    """Logs and tracebacks print objects by their repr."""
    master = CardMaster(bytes(range(32)))
    found = master.secrets_for(GUID, pin="40718263")
    assert repr(found) == "CardSecrets(...)"
    assert bytes(range(32)).hex() not in repr(master)


def test_a_refused_value_is_followed_by_others_that_only_the_master_can_tell() -> None:
    """Three PINs and three PUKs, all unlike; the first are those that were always given; the same again every time."""
    master, other = CardMaster(bytes(range(32))), CardMaster(bytes(range(1, 33)))
    pins, puks = master.pins(GUID, "40718263"), master.puks(GUID)
    assert (pins[0], puks[0]) == ("40718263", master.secrets_for(GUID, pin="").puk)
    assert puks[1] == master.secrets_for(GUID, pin="", attempt=2).puk
    assert (len(set(pins)), len(set(puks))) == (len(pins), len(puks)) == (3, 3)
    assert all(re.fullmatch(r"\d{8}", pin) and not is_weak_pin(pin) for pin in pins)
    assert pins == master.pins(GUID, "40718263")
    strangers = [other.pins(GUID, "40718263"), master.pins(uuid.UUID(int=1), "40718263"), master.pins(GUID, "40718264")]
    assert not any(set(pins[1:]) & set(stranger) for stranger in strangers)


def test_a_weak_later_pin_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next value of the same draw stands in its place."""
    master = CardMaster(bytes(range(32)))
    _, second, _ = master.pins(GUID, "40718263")
    monkeypatch.setattr(card_secrets, "is_weak_pin", lambda pin: pin == second)
    assert master.pins(GUID, "40718263")[1] != second
    monkeypatch.setattr(card_secrets, "is_weak_pin", lambda _: True)
    with pytest.raises(ValueError, match="weak"):
        master.pins(GUID, "40718263")
