"""The training terminal: what it lays, signs and remembers; its drawn palms; the report on them."""

from __future__ import annotations

import base64
import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from hardware.terminals import crease, report, software
from hardware.terminals.enrolment import enrol
from hardware.terminals.frame import TemplateKind, parse, registry_tag, verify
from hardware.terminals.keystone import terminal_tag
from hardware.terminals.projection import Projection, unit
from hardware.terminals.software import NotProvisioned, SoftwareTerminal, TerminalFileError
from hardware.terminals.synthetic_palms import SyntheticPalm

KEY = bytes(range(32))


@pytest.fixture
def terminal(tmp_path: Path) -> SoftwareTerminal:
    """One that was provisioned."""
    made = SoftwareTerminal(tmp_path / "terminal", "T-14")
    made.provision(Projection(KEY, "training", 7))
    return made


def test_a_laid_palm_is_a_signed_frame(terminal: SoftwareTerminal) -> None:
    """25 views of the drawn palm, by the projection it was given, at its own time."""
    data = terminal.lay("ARC-1", "ACCESS_ENTRY", shot=4, now_ms=1_790_000_000_000, liveness=90)
    verify(data, terminal.public_key, "T-14", "ACCESS_ENTRY")
    found = parse(data)
    assert (found.alg, found.kind, found.counter, found.captured_ms) == (1, TemplateKind.PROBE, 1, 1_790_000_000_000)
    assert (found.registry_tag, found.terminal_tag) == (registry_tag("training"), terminal_tag("T-14"))
    assert (found.key_epoch, found.quality, found.liveness) == (7, None, 90)
    features = crease.features(SyntheticPalm("training", "ARC-1").shot(4))
    assert np.array_equal(found.templates, Projection(KEY, "training", 7).template(features))


def test_frames_to_enrol_are_of_their_own_kind(terminal: SoftwareTerminal) -> None:
    """The intent makes the kind."""
    data = terminal.lay("ARC-1", "ENROL")
    verify(data, terminal.public_key, "T-14", "ENROL")
    assert parse(data).kind is TemplateKind.ENROL


def test_no_two_frames_are_alike(terminal: SoftwareTerminal) -> None:
    """Counter, nonce and picture differ, also when threads lay hands at once."""
    with ThreadPoolExecutor(4) as pool:
        found = [parse(data) for data in pool.map(lambda _: terminal.lay("ARC-1", "LOGIN"), range(8))]
    assert sorted(each.counter for each in found) == list(range(1, 9))
    assert len({each.nonce for each in found}) == 8
    assert len({each.templates.tobytes() for each in found}) == 8
    first, second = (unit(each.templates[0]) for each in found[:2])
    assert float(first @ second) < 0.995


def test_counter_and_key_outlive_the_terminal(tmp_path: Path, terminal: SoftwareTerminal) -> None:
    """A restarted terminal is the same one and goes on counting; it has to be provisioned again."""
    terminal.lay("ARC-1", "LOGIN")
    again = SoftwareTerminal(tmp_path / "terminal", "T-14")
    assert again.counter == 1
    assert again.public_key.public_bytes_raw() == terminal.public_key.public_bytes_raw()  # type: ignore[union-attr]
    with pytest.raises(NotProvisioned, match="T-14"):
        again.lay("ARC-1", "LOGIN")
    assert again.counter == 1
    again.provision(Projection(KEY, "training", 7))
    assert parse(again.lay("ARC-1", "LOGIN")).counter == 2


def test_the_counter_is_kept_before_the_frame_is_made(
    tmp_path: Path, terminal: SoftwareTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Power lost while it signs: the number is used up. A disk that takes nothing: no frame, and no number twice."""

    def dies(*_: object) -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(software, "sign", dies)
        with pytest.raises(KeyboardInterrupt):
            terminal.lay("ARC-1", "LOGIN")
    assert SoftwareTerminal(tmp_path / "terminal", "T-14").counter == 1

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(software, "replace_private", full)
        with pytest.raises(OSError, match="space"):
            terminal.lay("ARC-1", "LOGIN")
    assert parse(terminal.lay("ARC-1", "LOGIN")).counter == 3


def test_the_file_is_its_owner_s_alone(tmp_path: Path, terminal: SoftwareTerminal) -> None:
    """It holds the signing key; the projection is not in it."""
    terminal.lay("ARC-1", "LOGIN")
    path = tmp_path / "terminal"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["terminal"]
    assert set(json.loads(path.read_text())) == {"format", "terminal_id", "key", "opens", "counter"}


def test_a_terminal_may_sign_with_p256(tmp_path: Path) -> None:
    """As one whose secure element knows nothing else; the key it was made with stays."""
    made, again = (
        SoftwareTerminal(tmp_path / "terminal", "T-15", key=ec.generate_private_key(ec.SECP256R1())) for _ in range(2)
    )
    again.provision(Projection(KEY, "training", 7))
    verify(again.lay("ARC-1", "LOGIN"), made.public_key, "T-15", "LOGIN")


def test_what_is_no_terminal_s_file_is_refused(tmp_path: Path) -> None:
    """Rubbish, another terminal's, another format, another kind of key; nothing of the file is repeated."""
    path = tmp_path / "terminal"
    SoftwareTerminal(path, "T-14")
    good = json.loads(path.read_text())
    foreign = rsa.generate_private_key(65537, 2048).private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    for text in (
        "secret",
        json.dumps({**good, "terminal_id": "T-15"}),
        json.dumps({**good, "format": 2}),
        json.dumps({**good, "counter": -1}),
        json.dumps({**good, "key": "c2VjcmV0"}),
        json.dumps({**good, "key": base64.b64encode(foreign).decode()}),
    ):
        path.write_text(text)
        with pytest.raises(TerminalFileError, match="terminal") as refused:
            SoftwareTerminal(path, "T-14")
        assert "secret" not in str(refused.value)
        assert refused.value.__cause__ is None


def test_the_projection_before_is_wiped(terminal: SoftwareTerminal) -> None:
    """A new epoch, or a terminal taken out of use, leaves none of the old secret."""
    old, new = Projection(KEY, "training", 8), Projection(KEY, "training", 9)
    terminal.provision(old)
    terminal.provision(new)
    assert not old.q15.any()
    terminal.provision(new)
    assert parse(terminal.lay("ARC-1", "LOGIN")).key_epoch == 9
    terminal.provision(None)
    assert not new.q15.any()


def test_two_terminals_see_no_picture_twice(tmp_path: Path) -> None:
    """Their counters are equal, their pictures of one hand are not."""
    views = []
    for name in ("T-1", "T-2"):
        made = SoftwareTerminal(tmp_path / name, name)
        made.provision(Projection(KEY, "training", 7))
        views.append(unit(parse(made.lay("ARC-1", "LOGIN")).templates[0]))
    assert float(views[0] @ views[1]) < 0.995


def test_the_same_names_draw_the_same_hand() -> None:
    """Equal seed, person and number: the same picture. Any other: another one."""
    picture = SyntheticPalm("world", "1").shot(1)
    assert (picture.shape, picture.dtype) == ((128, 128), np.uint8)
    assert np.array_equal(SyntheticPalm("world", "1").shot(1), picture)
    for other in (
        SyntheticPalm("world", "1").shot(2),
        SyntheticPalm("world", "2").shot(1),
        SyntheticPalm("other", "1").shot(1),
    ):
        assert not np.array_equal(other, picture)


def test_from_drawn_hands_to_a_decision(terminal: SoftwareTerminal) -> None:
    """Six persons enrol through the terminal with three frames each; each one's next frame is most like their own row,
    and a stranger's is like nobody's."""
    people = [f"ARC-{number}" for number in range(1, 7)]

    def frames(person: str, intent: str, count: int) -> list[np.ndarray[tuple[int, int], np.dtype[np.int8]]]:
        shots = range(count) if intent == "ENROL" else range(50, 50 + count)
        return [parse(terminal.lay(person, intent, shot=shot)).templates for shot in shots]

    rows = unit(np.stack([enrol(frames(person, "ENROL", 3)).row for person in people]))
    for position, person in enumerate([*people, "ARC-99"]):
        (probe,) = frames(person, "ACCESS_ENTRY", 1)
        scores = (unit(probe) @ rows.T).max(axis=0)
        if person == "ARC-99":
            assert scores.max() < report.FLOOR
        else:
            assert int(scores.argmax()) == position
            assert scores.max() > 0.5  # what is asked for where fewer than 20 others were searched
            assert scores.max() - np.sort(scores)[-2] > report.LEAD


def test_equal_error_rate_of_known_scores() -> None:
    """Apart: 0. The same: a half. One of four on the wrong side of either: a quarter."""
    low, high = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.6, 0.7, 0.8, 0.9])
    assert report.equal_error_rate(high, low) == 0.0
    assert report.equal_error_rate(low, low) == pytest.approx(0.5, abs=0.13)
    assert report.equal_error_rate(np.array([0.25, 0.7, 0.8, 0.9]), np.array([0.1, 0.2, 0.22, 0.75])) == 0.25


def test_the_report_counts_every_cell(capsys: pytest.CaptureFixture[str]) -> None:
    """Nine cells a world, each of the right whole, and the word that drawn palms prove nothing."""
    assert report.main(["--worlds", "1", "--people", "6"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1:3] for line in lines[1:10]] == [[s, v] for s in ("1", "3", "5") for v in ("1", "9", "25")]
    assert all("/16" in line and "/8" in line for line in lines[1:10])
    assert "no proof" in lines[-1]


@pytest.mark.parametrize("options", [["--worlds", "0"], ["--people", "5"]])
def test_a_report_of_nobody_is_refused(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """At least one world of six people."""
    with pytest.raises(SystemExit, match="2"):
        report.main(options)
    assert "at least" in capsys.readouterr().err
