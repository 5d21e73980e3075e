"""The deny set in memory."""

from __future__ import annotations

import threading

import pytest

from app.registry.denyset import DenySet
from app.registry.messages.profiles import CredentialBody
from app.registry.profiles import CredentialVault, credential_of
from app.store.errors import SealBroken
from app.store.sealed import FieldSealer
from hardware.readers.decision import CardRead, Credential, Grant, GrantTable, Moment, decide


class OneKey:
    """A site with a single data key."""

    def data_key(self, purpose: str, kid: int | None = None) -> tuple[int, bytes]:
        del purpose
        return kid or 1, bytes(32)

    def known_data_key(self, purpose: str) -> tuple[int, bytes]:
        return self.data_key(purpose)


def vault(key: bytes = b"k" * 32) -> CredentialVault:
    """A vault under a fixed key."""
    return CredentialVault(FieldSealer(OneKey()), key)


BADGE = Credential("raw", 128, bytes(range(16)))
OTHER = Credential("wiegand", 26, b"\x12\x34\x56\x40")


def test_a_denied_node_names_its_burn() -> None:
    """The entry says why and by what."""
    deny = DenySet(vault())
    deny.deny("ARC-1", "burn", "burn_1")
    entry = deny.denies_node("ARC-1")
    assert entry is not None
    assert (entry.cause, entry.reference, entry.node_id) == ("burn", "burn_1", "ARC-1")


def test_an_entry_has_the_epoch_that_it_will_have_on_the_disk() -> None:
    """The next one after the newest durable one, which is none at first."""
    deny = DenySet(vault())
    assert (deny.epoch, deny.deny("ARC-1", "burn", "burn_1").epoch) == (0, 1)
    assert deny.deny("ARC-2", "burn", "burn_2").epoch == 1


def test_nobody_else_is_denied() -> None:
    """A denial is of one node and its credentials."""
    deny = DenySet(vault())
    deny.hold("ARC-1", [BADGE])
    deny.hold("ARC-2", [OTHER])
    deny.deny("ARC-1", "burn", "burn_1")
    assert (deny.denies_node("ARC-2"), deny.denies_credential(OTHER)) == (None, None)


def test_a_denied_nodes_badge_is_denied_with_it() -> None:
    """What its profiles name is denied without a look at the disk."""
    deny = DenySet(vault())
    deny.hold("ARC-1", [BADGE])
    deny.deny("ARC-1", "burn", "burn_1")
    entry = deny.denies_credential(BADGE)
    assert entry is not None
    assert entry.node_id == "ARC-1"


def test_a_badge_registered_after_the_burn_is_denied_too() -> None:
    """A profile that a race lets in behind a burn opens nothing."""
    deny = DenySet(vault())
    deny.deny("ARC-1", "burn", "burn_1")
    deny.hold("ARC-1", [BADGE])
    assert deny.denies_credential(BADGE) is not None


def test_a_badge_stays_denied_when_its_profile_goes() -> None:
    """Taking the profile away does not bring the badge back."""
    deny = DenySet(vault())
    deny.hold("ARC-1", [BADGE])
    deny.deny("ARC-1", "burn", "burn_1")
    deny.hold("ARC-1", [])
    assert deny.denies_credential(BADGE) is not None


def test_a_burn_rules_over_a_containment() -> None:
    """Whatever came first, the door says burned."""
    deny = DenySet(vault())
    deny.deny("ARC-1", "containment", "hold_1")
    deny.deny("ARC-1", "burn", "burn_1")
    deny.deny("ARC-1", "brake", "brake_1")
    entry = deny.denies_node("ARC-1")
    assert entry is not None
    assert entry.cause == "burn"


def test_no_decision_after_the_deny_grants() -> None:
    """Of 10,000 decisions that race a burn, none that began after it grants."""
    deny = DenySet(vault())
    deny.hold("ARC-1", [BADGE])
    burned = threading.Event()
    late_grants = []

    grants = GrantTable([Grant("ARC-1", (BADGE,), frozenset(("east",)), None, 2e9, 1e12)])
    event = CardRead("east-1", "east", BADGE)

    def doors() -> None:
        for _ in range(5_000):
            after = burned.is_set()
            if decide(event, deny, grants, Moment(1e9, 0.0)).grant and after:
                late_grants.append(1)

    threads = [threading.Thread(target=doors) for _ in range(2)]
    for thread in threads:
        thread.start()
    deny.deny("ARC-1", "burn", "burn_1")
    burned.set()
    for thread in threads:
        thread.join()
    assert late_grants == []


def test_sealed_bits_open_only_in_their_own_row() -> None:
    """Bits sealed for one credential do not open under another's digest."""
    keeper = vault()
    _, sealed = keeper.seal(BADGE)
    other, _ = keeper.seal(OTHER)
    with pytest.raises(SealBroken):
        keeper.open(other, sealed)


def test_sealed_bits_come_back() -> None:
    """What is sealed is what is opened, to the bit."""
    keeper = vault()
    assert [keeper.open(*keeper.seal(credential)) for credential in (BADGE, OTHER)] == [BADGE, OTHER]


def test_the_digest_depends_on_the_sites_key() -> None:
    """Without the key a list of digests cannot be made for all 2^26 badges."""
    assert vault().digest(OTHER) != vault(b"x" * 32).digest(OTHER)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            CredentialBody(format="piv-guid", card_guid="00010203-0405-0607-0809-0a0b0c0d0e0f"),
            Credential("raw", 128, bytes(range(16))),
        ),
        (CredentialBody(format="wiegand26", bits="1234567f"), Credential("wiegand", 26, b"\x12\x34\x56\x40")),
        (CredentialBody(format="wiegand26", bits="1234567"), Credential("wiegand", 26, b"\x12\x34\x56\x40")),
        (CredentialBody(format="wiegand37", bits="123456789F"), Credential("wiegand", 37, b"\x12\x34\x56\x78\x98")),
        (CredentialBody(format="raw", bits="abc"), Credential("raw", 12, b"\xab\xc0")),
    ],
)
def test_a_credential_is_what_the_reader_reads(body: CredentialBody, expected: Credential) -> None:
    """Registered text and read bits meet in one key."""
    assert credential_of(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        CredentialBody(format="piv-guid"),
        CredentialBody(format="piv-guid", bits="00"),
        CredentialBody(format="wiegand26", card_guid="00010203-0405-0607-0809-0a0b0c0d0e0f"),
        CredentialBody(format="wiegand26", bits="123456"),
        CredentialBody(format="wiegand37", bits="1234567"),
        CredentialBody(format="raw"),
    ],
)
def test_a_credential_of_the_wrong_shape_is_refused(body: CredentialBody) -> None:
    """Bits for a GUID, a GUID for bits, too few digits: each is said, none is guessed."""
    with pytest.raises(ValueError, match=r"credential|bits"):
        credential_of(body)


def test_what_is_forgotten_leaves_every_other_cause() -> None:
    """Lifting one of two denials keeps the node out; lifting the last lets it and its badge pass."""
    deny = DenySet(vault())
    deny.hold("ARC-1", [BADGE, OTHER, BADGE])
    assert deny.credentials_of("ARC-1") == (BADGE, OTHER)
    assert (deny.credentials_of("ARC-2"), deny.causes("ARC-1"), len(deny)) == ((), set(), 0)
    deny.deny("ARC-1", "brake", "brake_1")
    deny.deny("ARC-1", "containment", "hold_1")
    deny.deny("ARC-1", "containment", "hold_1")
    assert (deny.causes("ARC-1"), len(deny)) == ({"brake", "containment"}, 1)
    assert ruling(deny) == ["containment", "containment", "containment"]
    deny.deny("ARC-1", "containment", "hold_2")
    deny.forget("ARC-1", "containment", "hold_1")
    assert ruling(deny) == ["containment", "containment", "containment"]
    deny.forget("ARC-1", "containment", "hold_2")
    assert ruling(deny) == ["brake", "brake", "brake"]
    deny.forget("ARC-1", "brake", "brake_1")
    assert (ruling(deny), len(deny)) == ([None, None, None], 0)


def test_what_a_burned_node_held_may_stay_denied() -> None:
    """The node comes back; its old badges never do."""
    deny = DenySet(vault())
    deny.hold("ARC-1", [BADGE])
    deny.deny("ARC-1", "burn", "burn_1")
    deny.forget("ARC-1", "burn", "burn_1", credentials=False)
    assert ruling(deny) == [None, "burn", None]


def ruling(deny: DenySet) -> list[str | None]:
    """The causes that rule over ARC-1, its badge and the other credential."""
    found = [deny.denies_node("ARC-1"), deny.denies_credential(BADGE), deny.denies_credential(OTHER)]
    return [None if entry is None else entry.cause for entry in found]
