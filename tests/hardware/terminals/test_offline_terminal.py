"""The training terminal with its bundle: what it takes, what it refuses, and whom it lets in while its line is down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from hardware.terminals import crease, software
from hardware.terminals.bundle import (
    PER_GENERATION,
    BundleExpired,
    EntryRules,
    PalmBundle,
    PalmBundleHead,
    PartitionHead,
    pack,
    seal,
)
from hardware.terminals.bundle import parse as parse_bundle
from hardware.terminals.bundle_ack import check_acknowledgement
from hardware.terminals.enrolment import enrol
from hardware.terminals.frame import parse
from hardware.terminals.offline import ENTRY, EXIT, OfflineDecision
from hardware.terminals.projection import Projection, seed_of
from hardware.terminals.software import BundleOlder, NotProvisioned, SoftwareTerminal, TerminalFileError
from hardware.terminals.synthetic_palms import SyntheticPalm

NOW = 1_790_000_000
KEY = bytes(range(32))
SITE = generate_private_key(SECP256R1())
PEOPLE = ("ARC-1", "ARC-2", "ARC-3")
RULES = EntryRules(floor=0.4, margin=0.08, limit=None, alone=0.5, copy=0.995, liveness_min=0)


@pytest.fixture(scope="module")
def rows() -> Any:
    """By key epoch: what the people's drawn hands gave, one template each."""
    made = {}
    for epoch in (1, 2):
        projection = Projection(KEY, "default", epoch)
        pictures = {name: [SyntheticPalm("training", name).shot(shot) for shot in range(3)] for name in PEOPLE}
        made[epoch] = np.stack(
            [enrol([projection.template(crease.features(one)) for one in pictures[name]]).row for name in PEOPLE]
        )
    return made


class Issuer:
    """The site, as far as a terminal sees it."""

    def __init__(self, rows: Any, terminal: SoftwareTerminal) -> None:
        self.rows = rows
        self.terminal = terminal

    def plain(self, issue: int) -> bytes:
        """What is signed and sealed."""
        return bytes(pack(self.bundle(issue)))

    def text(self, issue: int, **changed: Any) -> bytes:
        return seal(self.bundle(issue, **changed), SITE, self.terminal.encryption_key)

    def bundle(self, issue: int, *, partition: bool = True, **changed: Any) -> PalmBundle:
        epoch = changed.get("key_epoch", 1)
        rules = changed.pop("rules", RULES)
        head = PalmBundleHead(
            iss="site.example",
            aud=self.terminal.terminal_id,
            issue=issue,
            iat=NOW,
            exp=NOW + 300,
            registry_id="default",
            alg=1,
            key_epoch=epoch,
            access_epoch=issue,
            denied=[],
            partition=PartitionHead(NOW + 3600, [(name, 1) for name in PEOPLE], rules) if partition else None,
        )
        templates = self.rows[epoch].copy() if partition else np.zeros((0, 512), np.int8)
        return PalmBundle(msgspec.structs.replace(head, **changed), seed_of(KEY, "default", epoch), templates)

    def give(self, issue: int, now_s: float = NOW, **changed: Any) -> PalmBundleHead:
        return self.terminal.take(self.text(issue, **changed), [SITE.public_key()], now_s=now_s)


@pytest.fixture
def issuer(tmp_path: Path, rows: Any) -> Issuer:
    """With a terminal that has no bundle yet."""
    return Issuer(rows, SoftwareTerminal(tmp_path / "terminal", "T-14"))


def at_door(issuer: Issuer, node_id: str, intent: str = ENTRY, now_s: float = NOW + 60, **more: Any) -> OfflineDecision:
    return issuer.terminal.decide(node_id, intent, shot=50, now_s=now_s, **more)


def test_a_bundle_is_all_that_a_terminal_needs(issuer: Issuer) -> None:
    """It lays palms by the seed, of the bundle's registry and epoch, and lets in who is in its partition."""
    with pytest.raises(NotProvisioned):
        issuer.terminal.lay("ARC-1", ENTRY)
    assert issuer.give(5, key_epoch=2).issue == 5
    assert issuer.terminal.provisioned == ("default", 2, 5)
    assert parse(issuer.terminal.lay("ARC-1", ENTRY)).key_epoch == 2
    for node_id in PEOPLE:
        assert at_door(issuer, node_id) == OfflineDecision(True, node_id, "matched")
    stranger = at_door(issuer, "ARC-99")
    assert (stranger.granted, stranger.node_id) == (False, None)


def test_without_a_partition_it_decides_nothing(issuer: Issuer) -> None:
    """A terminal that was not made for it makes frames and leaves doors alone; the way out is free."""
    issuer.give(5, partition=False)
    assert not issuer.terminal.alone
    assert at_door(issuer, "ARC-1") == OfflineDecision(False, None, "no_partition")
    assert at_door(issuer, "ARC-1", EXIT) == OfflineDecision(True, None, "exit_is_free")
    assert at_door(issuer, "ARC-1", "PAYMENT_APPROVE") == OfflineDecision(False, None, "intent")


def test_the_end_is_the_end(issuer: Issuer) -> None:
    """Nobody enters from ``not_after`` on, also with a clock that is set back, and who could is overwritten then; EXIT
    is free."""
    issuer.give(5)
    partition = issuer.terminal._partition
    assert partition is not None
    assert at_door(issuer, "ARC-1", now_s=NOW + 3599).granted
    assert at_door(issuer, "ARC-1", EXIT, now_s=NOW + 3599).node_id == "ARC-1"
    assert at_door(issuer, "ARC-1", now_s=NOW + 3600) == OfflineDecision(False, None, "ended")
    assert not partition._templates.any()
    assert at_door(issuer, "ARC-1", now_s=NOW + 10) == OfflineDecision(False, None, "ended")
    assert at_door(issuer, "ARC-1", EXIT, now_s=NOW + 10) == OfflineDecision(True, None, "exit_is_free")


def test_a_clock_that_was_far_ahead_keeps_no_bundle_out(issuer: Issuer, tmp_path: Path) -> None:
    """It ends the partition; set right, the terminal takes the next bundle, and nothing from before the last one."""
    issuer.give(5)
    assert at_door(issuer, "ARC-1", now_s=NOW + 10**8).cause == "ended"
    issuer.give(6, now_s=NOW + 1, iat=NOW + 1)
    assert at_door(issuer, "ARC-1").granted
    again = Issuer(issuer.rows, SoftwareTerminal(tmp_path / "terminal", "T-14"))
    with pytest.raises(BundleExpired):
        again.give(7, now_s=NOW - 600, iat=NOW - 600, exp=NOW - 300)


def test_a_burn_that_is_heard_of_takes_a_person_out(issuer: Issuer) -> None:
    """At once and overwritten, also against a bundle that was made before it; one that was made after it decides."""
    head = issuer.give(5)
    assert head.partition is not None
    assert issuer.terminal.deny("ARC-2", 7)
    assert not at_door(issuer, "ARC-2").granted
    assert at_door(issuer, "ARC-1").granted
    issuer.give(6)
    assert not at_door(issuer, "ARC-2").granted
    assert at_door(issuer, "ARC-2", EXIT) == OfflineDecision(True, None, "exit_is_free")
    issuer.give(8, denied=["ARC-3"])
    assert at_door(issuer, "ARC-2").granted
    assert not at_door(issuer, "ARC-3").granted
    assert not issuer.terminal.deny("ARC-77", 9)


def test_rules_of_the_partition_hold(issuer: Issuer) -> None:
    """A sensor that reports too little life, a score that nobody reaches, a template instead of a hand."""
    issuer.give(5, rules=msgspec.structs.replace(RULES, liveness_min=60))
    assert at_door(issuer, "ARC-1", liveness=None).cause == "liveness"
    assert at_door(issuer, "ARC-1", liveness=59).cause == "liveness"
    assert at_door(issuer, "ARC-1", liveness=60).granted
    issuer.give(6, rules=msgspec.structs.replace(RULES, alone=1.1))
    assert at_door(issuer, "ARC-1").cause == "among_the_others"
    issuer.give(7, rules=msgspec.structs.replace(RULES, copy=0.3))
    assert at_door(issuer, "ARC-1").cause == "copy"
    issuer.give(8, rules=msgspec.structs.replace(RULES, margin=1.9))
    assert at_door(issuer, "ARC-1").cause == "two_alike"


def test_no_earlier_bundle_is_taken_again(issuer: Issuer, tmp_path: Path) -> None:
    """The same, an earlier one, an earlier key epoch or epoch of who may pass: refused over a restart too, and what it
    has goes on."""
    issuer.give(5, key_epoch=2)
    for issue, changed in ((5, {}), (4, {}), (6, {"key_epoch": 1}), (6, {"access_epoch": 4})):
        with pytest.raises(BundleOlder):
            issuer.give(issue, **{"key_epoch": 2, **changed})
    assert at_door(issuer, "ARC-1").granted
    again = Issuer(issuer.rows, SoftwareTerminal(tmp_path / "terminal", "T-14"))
    assert again.terminal.issue == 5
    assert again.terminal.provisioned is None
    with pytest.raises(BundleOlder):
        again.give(5, key_epoch=2)
    again.give(6, key_epoch=1, registry_id="visitors")
    assert again.terminal.provisioned == ("visitors", 1, 6)


def test_it_says_which_bundle_it_took(issuer: Issuer, tmp_path: Path) -> None:
    """Of the last one that it opened and kept, also after a restart; one that it refused is none."""

    def said(terminal: SoftwareTerminal, issue: int) -> bool:
        found = terminal.acknowledgement()
        assert found is not None
        head = parse_bundle(issuer.plain(issue)).head_sha256
        check_acknowledgement(found[1], "T-14", issue, head, terminal.public_key)
        return found[0] == issue

    assert issuer.terminal.acknowledgement() is None
    issuer.give(5)
    assert said(issuer.terminal, 5)
    issuer.give(7)
    with pytest.raises(BundleOlder):
        issuer.give(6)
    assert said(issuer.terminal, 7)
    assert said(SoftwareTerminal(tmp_path / "terminal", "T-14"), 7)


def test_another_generation_goes_back_behind_an_epoch_of_the_key(issuer: Issuer) -> None:
    """A site that was restored without its last entries numbers beyond all of before, and then knows its own epoch."""
    issuer.give(5, key_epoch=2)
    with pytest.raises(BundleOlder):
        issuer.give(PER_GENERATION - 1, key_epoch=1)
    issuer.give(PER_GENERATION, key_epoch=1)
    with pytest.raises(BundleOlder):
        issuer.give(6, key_epoch=2)


def test_how_far_it_got_is_kept_before_it_is_used(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that takes nothing: the terminal goes on with what it had, and the same bundle is taken later."""
    issuer.give(5)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(software, "replace_private", full)
        with pytest.raises(OSError, match="space"):
            issuer.give(6, key_epoch=2)
    assert issuer.terminal.provisioned == ("default", 1, 5)
    issuer.give(6, key_epoch=2)


def test_what_it_held_is_overwritten(issuer: Issuer) -> None:
    """Another bundle, or none any more: projection and partition of the one before are zeros."""
    issuer.give(5)
    projection, partition = issuer.terminal._projection, issuer.terminal._partition
    assert projection is not None
    assert partition is not None
    issuer.give(6)
    assert not projection.q15.any()
    assert not partition._templates.any()
    assert len(partition) == 0
    issuer.terminal.provision(None)
    assert not issuer.terminal.alone


def test_nothing_of_a_bundle_is_written(issuer: Issuer, tmp_path: Path) -> None:
    """The file says how far it got, and no more."""
    issuer.give(5)
    kept = msgspec.json.decode((tmp_path / "terminal").read_bytes())
    assert set(kept) == {
        "format",
        "terminal_id",
        "key",
        "counter",
        "opens",
        "issue",
        "registry_id",
        "key_epoch",
        "access_epoch",
        "head_sha256",
        "issued_s",
    }
    (tmp_path / "terminal").write_bytes(msgspec.json.encode({**kept, "opens": kept["key"]}))
    with pytest.raises(TerminalFileError, match="sealed"):
        SoftwareTerminal(tmp_path / "terminal", "T-14")
