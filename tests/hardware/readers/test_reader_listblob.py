"""The list that a reader keeps: its wire form, and what a reader does with it."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from hardware.readers.decision import Credential, Moment
from hardware.readers.delta import Delta, DeltaOperation
from hardware.readers.listblob import (
    MAX_ENTRIES,
    AccessList,
    ListEntry,
    ListTrust,
    OnboardList,
    deny_delta,
    digest,
)
from tests.hardware.readers.reader_site import BADGE

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
STRANGER = Ed25519PrivateKey.from_private_bytes(bytes(32))
TRUST = ListTrust(b"k" * 16, KEY.public_key().public_bytes_raw())
OTHER = Credential("raw", 40, b"other")
NOW = Moment(1_000_000.0, 500.0)

names = st.lists(st.binary(min_size=16, max_size=16), unique=True, max_size=20)


def blob(
    epoch: int = 5, *, issued: int = 1_000_000, ends: int = 1_000_600, trust: ListTrust = TRUST, who: float = 1_000_300
) -> bytes:
    """A signed list that admits BADGE until `who`."""
    return AccessList.build(trust, epoch, issued, ends, [(BADGE, who)]).encode(KEY.sign)


def keeper(*blobs: bytes) -> OnboardList:
    """A reader's list that took these."""
    made = OnboardList()
    assert made.trust(TRUST)
    for each in blobs:
        made.take(each, NOW)
    return made


@given(names, st.integers(1, 2**64 - 1), st.integers(0, 2**40), st.integers(1, 2**20), st.integers(0, 2**32 - 1))
def test_a_list_comes_back_as_it_was_made(found: list[bytes], epoch: int, issued: int, life: int, end: int) -> None:
    """Encoding and parsing are inverse."""
    made = AccessList(
        TRUST.cluster_hash, epoch, issued, issued + life, tuple(ListEntry(name, end) for name in sorted(found))
    )
    assert AccessList.decode(made.encode(KEY.sign), TRUST.public_key) == made


@given(st.binary(max_size=400))
def test_rubbish_is_refused(data: bytes) -> None:
    """Nothing that this site did not sign is a list."""
    with pytest.raises(ValueError, match="list"):
        AccessList.decode(data, TRUST.public_key)


@given(st.binary(max_size=400))
def test_signed_rubbish_is_a_list_or_is_refused(data: bytes) -> None:
    """What the signature covers is parsed to the same bytes or refused, never half believed."""
    whole = b"ARCS\x01" + data
    signed = whole + KEY.sign(whole)
    try:
        made = AccessList.decode(signed, TRUST.public_key)
    except ValueError:
        return
    assert made.encode(KEY.sign) == signed


@given(st.integers(0, len(blob()) * 8 - 1))
def test_any_changed_bit_is_refused(bit: int) -> None:
    """The signature covers every bit."""
    data = bytearray(blob())
    data[bit // 8] ^= 1 << bit % 8
    with pytest.raises(ValueError, match="signed"):
        AccessList.decode(bytes(data), TRUST.public_key)


def test_the_layout_is_the_design() -> None:
    """ARCS, version, cluster hash, epoch, issued, not_after, count, entry, signature: 137 bytes for one entry."""
    data = blob()
    assert (data[:5], data[5:21], len(data)) == (b"ARCS\x01", TRUST.cluster_hash, 49 + 24 + 64)
    assert (data[21:29], data[45:49], data[49:65]) == ((5).to_bytes(8, "big"), b"\0\0\0\1", TRUST.name(BADGE))


def test_names_rise_and_are_told_once() -> None:
    """Two ends of one credential are one entry with the later end."""
    made = AccessList.build(TRUST, 1, 1, 100, [(BADGE, 10), (OTHER, 20), (BADGE, 30)])
    assert sorted(entry.not_after for entry in made.entries) == [20, 30]
    with pytest.raises(ValueError, match="rise"):
        AccessList(TRUST.cluster_hash, 1, 1, 2, tuple(reversed(made.entries)))
    with pytest.raises(ValueError, match=str(MAX_ENTRIES)):
        AccessList(TRUST.cluster_hash, 1, 1, 2, made.entries[:1] * (MAX_ENTRIES + 1))


def test_the_key_is_not_in_the_repr() -> None:
    """Names can be made with it."""
    assert "kkkk" not in repr(TRUST)


def test_who_is_on_the_list_passes_until_the_end() -> None:
    """Then the reader says expired; a stranger is unknown at any time."""
    reader = keeper(blob())
    assert reader.decide(BADGE, NOW).reason == "granted"
    assert reader.decide(OTHER, NOW).reason == "unknown_credential"
    assert reader.decide(BADGE, Moment(1_000_300.0, 500.0)).reason == "expired"


def test_the_list_fails_closed_after_its_own_end() -> None:
    """An entry cannot outlive its list."""
    reader = keeper(blob(ends=1_000_100, who=2_000_000))
    assert reader.decide(BADGE, Moment(1_000_099.0, 500.0)).grant
    assert not reader.decide(BADGE, Moment(1_000_100.0, 500.0)).grant


def test_a_clock_turned_back_prolongs_nothing() -> None:
    """The later of both clocks counts."""
    reader = keeper(blob())
    assert reader.decide(BADGE, Moment(0.0, 500.0 + 299)).grant
    assert reader.decide(BADGE, Moment(0.0, 500.0 + 301)).reason == "expired"


@pytest.mark.parametrize(
    ("refused", "why"),
    [
        (blob(epoch=4), "older"),
        (blob(issued=999_999), "older"),
        (AccessList.build(TRUST, 9, 1, 2_000_000, []).encode(STRANGER.sign), "signed"),
        (blob(epoch=9, trust=ListTrust(b"x" * 16, TRUST.public_key)), "another cluster"),
        (blob(epoch=9)[:-1], "signed"),
    ],
)
def test_what_a_reader_refuses_changes_nothing(refused: bytes, why: str) -> None:
    """A lower epoch, an older issue of the same, another signer or cluster, a torn file: the old list stays."""
    reader = keeper(blob())
    with pytest.raises(ValueError, match=why):
        reader.take(refused, NOW)
    assert (reader.epoch, reader.decide(BADGE, NOW).grant) == (5, True)


def test_the_first_trust_stays() -> None:
    """Who holds the bus cannot make a reader take his own lists."""
    reader = keeper()
    assert not reader.trust(ListTrust(b"k" * 16, STRANGER.public_key().public_bytes_raw()))


def test_a_reader_that_trusts_nobody_takes_nothing() -> None:
    """And grants nothing."""
    reader = OnboardList()
    with pytest.raises(ValueError, match="nobody"):
        reader.take(blob(), NOW)
    assert not reader.decide(BADGE, NOW).grant


def test_a_denial_takes_the_name_off() -> None:
    """The next epoch is a step; a replay of it is answered like the first time."""
    reader = keeper(blob())
    delta = deny_delta(TRUST, 6, bytes(16), [BADGE])
    assert Delta.decode(delta.encode()) == delta
    assert [reader.apply(delta), reader.apply(delta)] == ["taken", "taken"]
    assert (reader.epoch, reader.decide(BADGE, NOW).grant, len(reader)) == (6, False, 0)


def test_a_denial_over_a_gap_is_carried_out_and_asks_for_the_list() -> None:
    """Revocation goes forward; the epoch stays until the steps between are known."""
    reader = keeper(blob())
    assert reader.apply(deny_delta(TRUST, 8, bytes(16), [BADGE])) == "gap"
    assert (reader.epoch, reader.decide(BADGE, NOW).grant) == (5, False)


def test_more_than_a_delta_can_name_asks_for_the_list() -> None:
    """Three names fit into 64 bytes; a node with four credentials needs the list, one with none a bare step."""
    many = [Credential("raw", 8, bytes([n])) for n in range(4)]
    reader = keeper(blob())
    assert reader.apply(deny_delta(TRUST, 6, bytes(16), many)) == "gap"
    assert reader.apply(deny_delta(TRUST, 6, bytes(16), [])) == "taken"
    assert len(deny_delta(TRUST, 7, bytes(16), many[:3]).encode()) <= 64


def test_a_reader_says_whether_it_holds_a_list() -> None:
    """By digest and epoch."""
    reader = keeper(blob())
    assert reader.apply(Delta(DeltaOperation.LIST, 5, digest(blob()))) == "taken"
    assert reader.apply(Delta(DeltaOperation.LIST, 5, digest(blob(who=1)))) == "gap"


@given(st.lists(st.tuples(st.integers(1, 12), st.sampled_from([BADGE, OTHER])), max_size=8), st.integers(1, 12))
def test_no_order_of_steps_revives_a_denied_name(steps: list[tuple[int, Credential]], at: int) -> None:
    """Once denied at epoch n, a name is on no list of a lower epoch that the reader would take."""
    reader = keeper(blob(epoch=1))
    reader.apply(deny_delta(TRUST, 2, bytes(16), [BADGE]))
    for epoch, credential in steps:
        reader.apply(deny_delta(TRUST, epoch, bytes(16), [credential]))
    if at < reader.epoch:
        with pytest.raises(ValueError, match="older"):
            reader.take(blob(epoch=at), NOW)
        assert not reader.decide(BADGE, NOW).grant
