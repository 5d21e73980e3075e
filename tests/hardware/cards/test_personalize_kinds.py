"""Personalization of other kinds of cards: probed algorithms, attestation and its gate, approved first, kept work."""

import datetime
import threading
import uuid
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from hardware.cards.apdu import ApduChannel
from hardware.cards.attestation import Attestation
from hardware.cards.backend import CardRefused, CardTorn, TransportError, WrongCard
from hardware.cards.device import DeviceReport
from hardware.cards.identify import identify
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.objects import KeyHistory, verify_security_object
from hardware.cards.personalize import Personalizer
from hardware.cards.piv import Algorithm, PivObject, PivSession, PublicKey, Slot
from hardware.cards.profile import KeyProof, PersonalizationResult, Profile, Secrets, factory_management_keys
from hardware.cards.scp03 import StaticKeys
from hardware.cards.software import (
    SELF_ATTESTING_CARD,
    SIMPLE_CARD,
    Quirks,
    SoftwareCard,
    Tear,
    TearPoint,
    TrainingMaker,
)
from hardware.cards.software import AttestationQuirk as Kind
from hardware.cards.steps import STEPS, steps
from tests.hardware.cards.card_site import AES_256, PIN, PUK, TDES, ScriptedConnection, TestSite, new_secrets

SITE = TestSite()
MAKER = TrainingMaker.create()
CERTIFIED = ("generate", "certificate")


class Memory:
    """A journal in memory that can be resumed from."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str]] = []
        self.done: dict[str, bytes | None] = {}

    def before(self, step: str, digest: bytes | None) -> None:
        self.rows.append(("before", step))

    def after(self, step: str, sw: int, digest: bytes | None) -> None:
        self.rows.append(("after", step))
        if sw == 0x9000:
            self.done[step] = digest

    def content(self, step: str) -> bytes | None:
        return self.done.get(step)

    def announced(self) -> list[str]:
        return [step for kind, step in self.rows if kind == "before"]


def backend_of(card: SoftwareCard) -> InProcessBackend:
    backend = InProcessBackend(["R"])
    backend.insert("R", card)
    return backend


def write(
    backend: InProcessBackend,
    personalizer: Personalizer | None = None,
    profile: Profile | None = None,
    new: Secrets | None = None,
    journal: Memory | None = None,
    *,
    resume: bool = False,
) -> PersonalizationResult:
    with backend.open("R") as connection:
        return (personalizer or Personalizer(SITE)).run(
            ApduChannel(connection),
            profile or SITE.profile(),
            new or new_secrets(),
            journal,
            resume=journal if resume else None,
        )


def again(**changes: object) -> Secrets:
    """Secrets for a card that may have the new ones already."""
    return new_secrets(
        **changes,
        old_management=(AES_256, TDES, *factory_management_keys()),
        old_puks=(PUK, "12345678"),
        old_pins=(PIN, "123456"),
    )


# --- algorithms ---


def test_first_algorithm_that_the_card_offers_is_made() -> None:
    """Preferences of one slot are tried in turn; what was not to be had is told."""
    algorithms = dict.fromkeys(Slot, (Algorithm.P384, Algorithm.P256))
    result = write(
        backend_of(SoftwareCard(quirks=Quirks(algorithms=(0x11, 0x07)))), profile=SITE.profile(algorithms=algorithms)
    )
    assert {slot.algorithm for slot in result.slots} == {Algorithm.P256}
    assert "the card makes no P-384 key in 9A" in result.warnings


def test_card_without_any_of_the_algorithms_is_refused() -> None:
    """When the last preference is refused so is the card."""
    card = SoftwareCard(quirks=Quirks(algorithms=(0x07,)))
    with pytest.raises(CardRefused) as caught:
        write(backend_of(card), profile=SITE.profile(algorithms=dict.fromkeys(Slot, (Algorithm.P384, Algorithm.P256))))
    assert caught.value.step == "9A.generate"


def test_slot_without_algorithm_is_the_callers_mistake() -> None:
    """Every slot has a key."""
    with pytest.raises(ValueError, match="algorithm"):
        SITE.profile(algorithms=dict.fromkeys(Slot, ()))


# --- key history ---


def test_key_history_is_written_and_hashed() -> None:
    """With retired keys their count is on the card and under the security object's signature."""
    backend = backend_of(SoftwareCard())
    rows = Memory()
    write(backend, profile=SITE.profile(key_history=KeyHistory(on_card=2)), journal=rows)
    assert rows.announced() == [step for step in steps(key_history=True) if step in rows.announced()]
    with backend.open("R") as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        piv.verify(PIN)
        items = (PivObject.CCC, PivObject.CHUID, PivObject.PRINTED, PivObject.KEY_HISTORY)
        contents = {item: piv.get_object(item) or b"" for item in items}
        assert contents[PivObject.KEY_HISTORY].hex() == "c10102c20100f300fe00"
        security = piv.get_object(PivObject.SECURITY) or b""
    verify_security_object(security, contents, SITE.content_signer.certificate)


@pytest.mark.parametrize("wrong", [{"on_card": 0}, {"on_card": 21}, {"on_card": 1, "url": "x"}, {"on_card": -1}])
def test_impossible_key_histories_are_the_callers_mistake(wrong: dict[str, Any]) -> None:
    """1 to 20 keys, a URL exactly if certificates are elsewhere."""
    with pytest.raises(ValueError, match="key history"):
        KeyHistory(**wrong)


# --- attestation and its gate ---


def test_every_key_is_attested() -> None:
    """Where the maker is pinned, four keys are proven to be the card's own, for five APDUs more."""
    backend = backend_of(SoftwareCard(serial=77, maker=MAKER))
    result = write(backend, Personalizer(SITE, makers=[MAKER.certificate]))
    assert [slot.attestation is not None and slot.attestation.proven for slot in result.slots] == [True] * 4
    assert result.apdu_count == 38 + 5 + 1  # and the serial number, which the attestation must name


@pytest.mark.parametrize(
    ("quirks", "asked"),
    [(SIMPLE_CARD, 1), (SELF_ATTESTING_CARD, 4), (Quirks(attestation=Kind.CUT), 4)],
    ids=["none", "self-signed", "cut"],
)
def test_odd_attestations_stop_nothing(quirks: Quirks, asked: int) -> None:
    """A card that attests badly or not at all is written; it is asked as long as it answers, and proves nothing."""
    result = write(backend_of(SoftwareCard(quirks=quirks, serial=77)), Personalizer(SITE, makers=[MAKER.certificate]))
    assert result.verification.proof_of_possession
    assert not any(slot.attestation and slot.attestation.proven for slot in result.slots)
    assert [entry.header[2:4] for entry in result.trace.entries].count("f9") == asked


class Refuse(Exception):
    """The site's policy."""


def test_gate_refuses_before_certificate_and_secret() -> None:
    """What the policy refuses at 9A has no certificate, and its factory secrets are all there."""
    backend, rows, heard = backend_of(SoftwareCard(serial=77, maker=MAKER)), Memory(), list[KeyProof]()

    def gate(proof: KeyProof) -> None:
        heard.append(proof)
        raise Refuse

    with pytest.raises(Refuse):
        write(backend, Personalizer(SITE, makers=[MAKER.certificate], gate=gate), journal=rows)
    assert rows.announced()[-1] == "9A.generate"
    assert heard[0].attestation is not None
    assert heard[0].attestation.proven
    with backend.open("R") as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        piv.verify("123456")
        assert piv.read_certificate(Slot.AUTHENTICATION) is None


def test_gate_hears_of_every_key() -> None:
    """Also without any attestation, in the order of the slots."""
    heard: list[tuple[Slot, Attestation | None]] = []
    write(
        backend_of(SoftwareCard()), Personalizer(SITE, gate=lambda proof: heard.append((proof.slot, proof.attestation)))
    )
    assert heard == [(slot, None) for slot in Slot]


# --- approved first ---


def test_approved_first_sets_its_secrets_before_any_key() -> None:
    """PIN, PUK and 9B follow the CHUID, and the card is proven like any other."""
    rows = Memory()
    heard: list[str] = []
    result = write(
        backend_of(SoftwareCard()), Personalizer(SITE, heard.append), SITE.profile(approved_first=True), journal=rows
    )
    assert rows.announced()[:4] == ["chuid", "pin", "puk", "management_key"]
    assert tuple(heard) == steps(approved_first=True)
    assert result.verification.proof_of_possession


class Reporting:
    """A software card with a management application, in approved mode as soon as its management key was changed."""

    def __init__(self) -> None:
        self.card, self._selected, self._changed = SoftwareCard(), False, False

    @property
    def atr(self) -> bytes:
        return self.card.atr

    def power(self, on: bool) -> None:
        self.card.power(on)

    def transmit(self, apdu: bytes) -> bytes:
        if apdu[1] == 0xA4:
            self._selected = bytes.fromhex("A000000527471117") in apdu
            if self._selected:
                self.card.reset()
                return b"\x90\x00"
        if self._selected and apdu[1] == 0x1D:
            return bytes.fromhex("0b0503050704140102" + f"1501{2 if self._changed else 0:02x}9000")
        self._changed = self._changed or apdu[1] == 0xFF
        return self.card.transmit(apdu)


def test_gate_hears_the_mode_after_the_secrets() -> None:
    """What counts of an approved-first module is what it says after its secrets were changed."""
    reports: list[DeviceReport | None] = []
    backend = InProcessBackend(["R"])
    backend.insert("R", Reporting())
    gated = Personalizer(SITE, gate=lambda proof: reports.append(proof.report))
    write(backend, gated, SITE.profile(approved_first=True))
    assert [report is not None and report.approved for report in reports] == [True] * 4


def test_order_of_a_plain_card_is_the_published_one() -> None:
    """`steps` of a plain card are `STEPS`."""
    assert steps() == STEPS


# --- the same card ---


def test_other_serial_is_another_card() -> None:
    """Two blank cards without a GUID are told apart by their serial numbers."""
    rows = Memory()
    with backend_of(SoftwareCard(serial=2)).open("R") as connection:
        chosen = replace(identify(connection), serial=1)
        with pytest.raises(WrongCard, match="serial"):
            Personalizer(SITE).run(ApduChannel(connection), SITE.profile(), new_secrets(), rows, chosen)
    assert rows.rows == []


def test_other_chip_is_another_card() -> None:
    """Without serial numbers the chip tells."""
    rows = Memory()
    with backend_of(SoftwareCard()).open("R") as connection:
        chosen = replace(identify(connection), chip="00" * 12)
        with pytest.raises(WrongCard, match="chip"):
            Personalizer(SITE).run(ApduChannel(connection), SITE.profile(), new_secrets(), rows, chosen)
    assert rows.rows == []


@pytest.mark.parametrize("serial", [None, 5])
def test_same_card_is_written(serial: int | None) -> None:
    """The card that was chosen is written, whatever names it."""
    with backend_of(SoftwareCard(serial=serial)).open("R") as connection:
        chosen = identify(connection)
        result = Personalizer(SITE).run(ApduChannel(connection), SITE.profile(), new_secrets(), None, chosen)
    assert result.verification.read_back


# --- what is kept after a tear ---


def torn(card: SoftwareCard, apdu: int, profile: Profile, point: TearPoint = TearPoint.AFTER) -> Memory:
    """A journal of a write that was torn there."""
    rows = Memory()
    card.arm(Tear(apdu, point))
    with pytest.raises(CardTorn):
        write(backend_of(card), profile=profile, journal=rows)
    rows.rows.clear()
    return rows


def test_finished_slots_are_not_made_again() -> None:
    """What the journal acknowledged and the card still holds is kept, and proves itself at the end."""
    card, profile = SoftwareCard(), SITE.profile()
    rows = torn(card, 18, profile)
    result = write(backend_of(card), profile=profile, new=again(), journal=rows, resume=True)
    assert result.kept == ("chuid", *(f"{slot}.{part}" for slot in ("9A", "9C") for part in CERTIFIED))
    assert set(rows.announced()).isdisjoint(result.kept)
    assert result.verification.proof_of_possession


def test_kept_keys_are_shown_to_the_gate_with_their_attestation() -> None:
    """A resumed card is judged like a new one."""
    card, profile = SoftwareCard(serial=3, maker=MAKER), SITE.profile()
    rows = torn(card, 20, profile)
    proven: list[bool] = []

    def gate(proof: KeyProof) -> None:
        proven.append(proof.attestation is not None and proof.attestation.proven)

    personalizer = Personalizer(SITE, makers=[MAKER.certificate], gate=gate)
    result = write(backend_of(card), personalizer, profile, again(), rows, resume=True)
    assert "9A.generate" in result.kept
    assert proven == [True] * 4


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.done.pop("9A.certificate"),
        lambda rows: rows.done.update({"9A.certificate": sha256(b"").digest()}),
        lambda rows: rows.done.update({"9A.generate": sha256(b"").digest()}),
        lambda rows: rows.done.pop("9A.generate"),
    ],
)
def test_what_differs_is_made_again(change) -> None:  # type: ignore[no-untyped-def]
    """Not acknowledged, or other bytes on the card: a new key."""
    card, profile = SoftwareCard(), SITE.profile()
    rows = torn(card, 18, profile)
    change(rows)
    result = write(backend_of(card), profile=profile, new=again(), journal=rows, resume=True)
    assert "9A.generate" not in result.kept
    assert "9C.generate" in result.kept


def test_key_of_another_algorithm_is_made_again() -> None:
    """What was asked for has changed meanwhile."""
    card, profile = SoftwareCard(), SITE.profile()
    rows = torn(card, 18, profile)
    wanted = replace(profile, algorithms=dict.fromkeys(Slot, Algorithm.P384))
    assert write(backend_of(card), profile=wanted, new=again(), journal=rows, resume=True).kept == ("chuid",)


def test_other_guid_keeps_no_chuid() -> None:
    """A CHUID of another name is written anew."""
    card, profile = SoftwareCard(), SITE.profile()
    rows = torn(card, 18, profile)
    wanted = replace(profile, guid=uuid.uuid4(), expires=profile.expires + datetime.timedelta(days=1))
    assert "chuid" not in write(backend_of(card), profile=wanted, new=again(), journal=rows, resume=True).kept


def test_kept_key_that_does_not_prove_itself_is_made_anew() -> None:
    """The certificate is on the card but its key is gone: the slot is made again in the same call."""
    card, profile = SoftwareCard(), SITE.profile()
    rows = torn(card, 18, profile)
    backend = backend_of(card)
    with backend.open("R") as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        piv.authenticate_management(factory_management_keys())
        piv.generate(Slot.AUTHENTICATION, Algorithm.P256)
    result = write(backend, profile=profile, new=again(), journal=rows, resume=True)
    assert "9A.generate" not in result.kept
    assert "9C.generate" in result.kept
    assert result.verification.proof_of_possession


# --- the host takes its time ---


def test_card_is_kept_alive_while_the_host_works() -> None:
    """An authority that takes long: the card hears something harmless meanwhile, and loses nothing."""
    asked = threading.Event()
    inner = backend_of(SoftwareCard()).open("R")

    class Slow(TestSite):
        def issue(self, slot: Slot, public_key: PublicKey, guid: uuid.UUID, profile: Profile) -> bytes:
            asked.clear()
            assert asked.wait(10)
            return super().issue(slot, public_key, guid, profile)

    def transmit(apdu: bytes) -> bytes:
        if apdu == bytes.fromhex("00200080"):
            asked.set()
        return inner.transmit(apdu)

    connection = ScriptedConnection(transmit)
    connection.reconnect_fresh = inner.reconnect_fresh  # type: ignore[method-assign]
    site = Slow()
    result = Personalizer(site, keep_alive_s=0.001).run(ApduChannel(connection), site.profile(), new_secrets())
    assert result.verification.proof_of_possession
    assert {entry.header for entry in result.trace.entries if entry.stage == "keep_alive"} == {"00200080"}


def test_errors_of_the_host_come_through_the_keep_alive() -> None:
    """What the authority raises reaches the caller, a timeout of its own too."""

    class Failing(TestSite):
        def issue(self, slot: Slot, public_key: PublicKey, guid: uuid.UUID, profile: Profile) -> bytes:
            raise TimeoutError("authority")

    site = Failing()
    with backend_of(SoftwareCard()).open("R") as connection, pytest.raises(TimeoutError, match="authority"):
        Personalizer(site, keep_alive_s=5.0).run(ApduChannel(connection), site.profile(), new_secrets())


# --- every tear ---


def finish(card: SoftwareCard, profile: Profile, rows: Memory, new: Secrets) -> None:
    """The next call: the card is complete, no PIN try is lost, neither factory PIN, PUK nor 9B is left."""
    backend = backend_of(card)
    limit = card.quirks.pin_tries
    with backend.open("R") as connection:
        assert identify(connection, SITE.authorities).pin_tries == limit
    result = write(backend, profile=profile, new=new, journal=rows, resume=True)
    assert result.verification.read_back
    assert result.verification.proof_of_possession
    state = card._state
    assert [secret.default for secret in (state.management, state.pin, state.puk)] == [False] * 3
    assert state.pin.tries == state.puk.tries == limit


SHORT = Quirks(longest_command=261, keeps_partial_chain=True)


BOTH = (TearPoint.BEFORE, TearPoint.AFTER)


@pytest.mark.parametrize(
    ("quirks", "points", "changes", "resume"),
    [
        (Quirks(), BOTH, {}, True),
        (Quirks(), BOTH, {}, False),
        (SHORT, tuple(TearPoint), {}, True),
        (SHORT, (TearPoint.BETWEEN,), {}, False),
        (SELF_ATTESTING_CARD, BOTH, {}, True),
        (SIMPLE_CARD, BOTH, {}, True),
        (Quirks(), BOTH, {"approved_first": True}, True),
        (Quirks(), BOTH, {"management": (AES_256,)}, True),
        (Quirks(longest_command=261), tuple(TearPoint), {"channel": StaticKeys.default()}, True),
    ],
    ids=[
        "plain",
        "plain-anew",
        "short-partial",
        "short-partial-anew",
        "self-attesting",
        "simple",
        "approved-first",
        "key-first",
        "secure-channel",
    ],
)
def test_every_tear_is_finished_by_the_next_call(
    quirks: Quirks,
    points: tuple[TearPoint, ...],
    changes: dict[str, object],
    resume: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Pulled at every single APDU, before it, after it, and inside its chain: the next call completes the card."""
    channel = {name: value for name, value in changes.items() if name != "approved_first"}
    cases = 0
    for point in points:
        for apdu in range(1, 200):
            card, rows = SoftwareCard(quirks=quirks), Memory()
            profile = SITE.profile(approved_first=changes.get("approved_first", False))
            card.arm(Tear(apdu, point))
            try:
                write(backend_of(card), profile=profile, new=new_secrets(**channel), journal=rows)
            except (CardTorn, TransportError):  # the latter where nothing was written yet
                card.arm(None)
                finish(card, profile, rows if resume else Memory(), again(**channel))
                cases += 1
            else:
                break  # the whole order is shorter than this switch
    with capsys.disabled():
        print(f" {cases} tears", end="")
    assert cases >= len(points) * 20
