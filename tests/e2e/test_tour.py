"""The tour as a user starts it: one run, and what it saw held to what the main job promises."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage

from app.console.tour.chapters.burns import JOB

ROOT = Path(__file__).parents[2]
LONGEST_S = 480.0
PAGES = (
    *(
        "dashboard",
        "write-card",
        "batch",
        "stock",
        "burn",
        "verify",
        "media",
        "seals",
        "readers",
        "hr",
        "audit",
        "infrastructure",
    ),
    "settings",
)
FORMS = {"report.png"}
"""Pictures of a form that lies over the window, without the window."""
SIZES = {"1024x700": (1024, 700), "1920x1080": (1920, 1080), "wall": (1920, 1080)}


@pytest.fixture(scope="session")
def tour(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The directory and ``tour.json`` of one tour without a display, which ended well."""
    out = tmp_path_factory.mktemp("tour") / "pictures"
    place = tmp_path_factory.mktemp("tour-tmp")
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment |= {"QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(place)}
    done = subprocess.run(
        [sys.executable, "-m", "app", "tour", "--out", str(out)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(place.glob("arc-tour-*")) == [], "the training site was left behind"
    return out, json.loads((out / "tour.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def read(tour: tuple[Path, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What each step read from the window."""
    return {step["name"]: step["read"] for step in tour[1]["steps"]}


def pictures(told: dict[str, Any]) -> list[dict[str, Any]]:
    """Every picture of the tour."""
    return [picture for step in told["steps"] for picture in step["pictures"]]


def test_every_step_worked_by_keys(tour: tuple[Path, dict[str, Any]]) -> None:
    """Each step did something with keys and worked; nothing else went wrong beside them."""
    told = tour[1]
    assert [step["reason"] for step in told["steps"] if not step["ok"]] == []
    assert told["trouble"] == []
    done = [act for step in told["steps"] for act in step["did"]]
    assert {act.split()[0] for act in done} == {"key", "type", "hold", "let"}


def test_the_card_was_written_with_every_proof(read: dict[str, dict[str, Any]]) -> None:
    """The window shows a finished provisioning: its four proofs, its APDUs, four keys."""
    card = read["write the card"]
    assert card["provision_id"].startswith("prv_")
    assert card["state"] == "Complete"
    assert {"Read back", "Possession", "CHUID signature", "Security object"} <= set(card["proofs"])
    assert card["apdu_count"] == read["read every APDU"]["apdus"] > 0
    assert [key["KEY"] for key in card["keys"]] == ["9A", "9C", "9D", "9E"]


def test_the_badge_opens_before_and_not_after(read: dict[str, dict[str, Any]]) -> None:
    """Let in before the burn, refused at the same door after it."""
    before, after = read["the badge opens a door"], read["the door refuses the badge"]
    assert (before["decision"], before["access"]["DECISION"]) == ("Let in", "Let in")
    assert (after["decision"], after["access"]["DECISION"], after["decision_at_burn_page"]) == ("Refused",) * 3
    assert before["access"]["DOOR"] == after["access"]["DOOR"]


def test_every_door_is_proven(read: dict[str, dict[str, Any]]) -> None:
    """The burn is complete at 104 doors, and the clock stopped at the slowest of them."""
    burn = read["hold to burn"]
    assert (burn["burn_state"], burn["doors"], burn["count"]) == ("COMPLETE", 104, "104 of 104")
    assert burn["states"] == ["Proven"]
    seconds = float(burn["time_to_last_door"].removesuffix(" s"))
    assert seconds * 1000 == pytest.approx(float(burn["slowest_door"].removesuffix(" ms")), abs=1.0)


def test_the_burned_badge_needs_somebody(read: dict[str, dict[str, Any]]) -> None:
    """The dashboard names the burned badge, among frames that work and readers that are all there."""
    board = read["the dashboard tells of the burned badge"]
    (need,) = board["needs"]
    assert need["WHAT"].startswith("Burned badge of Training Person 01 shown at ")
    assert board["state"] == "1 needs you"
    assert board["readers_online"] == board["readers"] == 104
    assert board["frames"] >= 50
    assert "unreachable" not in board["frames_said"]
    assert board["handshake_p99_ms"] > 0


def test_the_directory_is_proven(read: dict[str, dict[str, Any]]) -> None:
    """The burn locked the account in the site's directory and read it back."""
    others = {row["KIND"].upper(): row for row in read["hold to burn"]["others"]}
    assert others["SCIM"]["STATE"] == "Proven"


def test_a_consent_was_sealed(read: dict[str, dict[str, Any]]) -> None:
    """The seal stands in the list, and three witnesses of the site cosign."""
    seals = read["seal a consent"]
    assert [(row["PERSON"], row["NODE"]) for row in seals["seals"]] == [("Training Person 02", "ARC-T0002")]
    assert [row["STATE"] for row in seals["witnesses"]] == ["Up"] * 3


def test_the_palm_is_matched_before_and_not_after(read: dict[str, dict[str, Any]]) -> None:
    """Enrolled from five shots, matched at a terminal; after the burn the same hand is nobody's."""
    enrolled, before, after = (
        read[step]
        for step in ("enrol the palm at the training terminal", "the palm is matched", "the palm is matched no more")
    )
    assert (enrolled["samples"].split(",")[0], enrolled["registry"]) == ("5", "default")
    assert (before["decision"]["DECISION"], before["person"]) == ("Match", "ARC-T0001")
    assert (after["decision"]["DECISION"], after["person"], after["confidence"]) == ("No match", "Nobody", "0.0000")


def test_a_drawn_voice_is_nobody_s(read: dict[str, dict[str, Any]]) -> None:
    """It comes from a microphone that says TRAINING, is never genuine, and its takes are long enough."""
    check, takes = read["a voice is checked"], read["takes of a voice"]["takes"]
    assert check["microphone"].startswith("TRAINING")
    assert check["verdict"] != "Genuine"
    assert [float(take["SPEECH"].removesuffix(" s")) >= 4 for take in takes] == [True] * 3


def test_a_code_was_accepted_once(read: dict[str, dict[str, Any]]) -> None:
    """Read off the screen it is accepted, the second time it is a replay."""
    code = read["a rotating code is accepted once"]
    assert (code["terminal"], code["first"], code["second"]) == ("gate-screen", "Accepted", "Replayed")


def test_a_picture_was_scanned(read: dict[str, dict[str, Any]]) -> None:
    """The file stands in the list of scans, and its verdict at the head of the page."""
    scan = read["a picture is scanned"]
    assert scan["scan"]["FILE"] == "dashboard.png"
    assert scan["scan"]["RESULT"] == scan["verdict"]


def test_a_declaration_was_sent_and_its_bundle_kept(read: dict[str, dict[str, Any]]) -> None:
    """Every element of its law was there, the platform's server took it, and one file holds all that proves it."""
    issued = read["a declaration is issued and sent"]
    assert len(issued["elements"]) == 4
    assert all(": there. " in element for element in issued["elements"])
    assert len(issued["token"]) == len("ARC-ST-") + 32
    assert {row["CHANNEL"] for row in issued["sent"]} == {"mail"}
    assert {"declaration.pdf", "manifest.jws", "strike.json"} <= set(read["the strike's bundle is saved"]["bundle"])


def test_a_signed_call_was_taken(read: dict[str, dict[str, Any]]) -> None:
    """The test of the source stands in the inbox with a good signature, and burned nobody."""
    hr = read["an HR system is believed, and its signed test is taken"]
    assert [row["SOURCE"] for row in hr["sources"]] == ["training-hr"]
    assert [(row["SIGNATURE"], row["ACTION"]) for row in hr["calls"]] == [("Signed", "Test, verified")]


def test_a_contained_badge_is_refused_until_it_is_released(read: dict[str, dict[str, Any]]) -> None:
    """One key locks, one key lets in again; the list counts down meanwhile."""
    lock = read["contain and release"]
    assert ([row["STATE"] for row in lock["contained"]], lock["released"]) == (["Contained"], "Let in")
    assert "contained" in lock["said"]


def test_the_evidence_of_the_burn_holds(read: dict[str, dict[str, Any]]) -> None:
    """Checked by the console itself; the alarm of the burned badge stands at its burn."""
    evidence = read["the burn's evidence is verified"]
    assert set(evidence["checks"]) == {"Good"}
    assert "was presented at reader" in evidence["alarm"]


def test_a_drill_is_never_taken_for_real(read: dict[str, dict[str, Any]]) -> None:
    """On the button before, on the record after, and at the drill's own doors alone."""
    drill = read["a drill is one"]
    assert drill["button"].startswith("DRILL: ")
    assert (drill["doors"], drill["said"].startswith("DRILL · TRAINING")) == ("12 of 12", True)


def test_the_log_has_the_job(read: dict[str, dict[str, Any]]) -> None:
    """The audit page shows the rows of this job, with leaf and checkpoint."""
    log = read["the audit log has the job"]
    assert [words for words in JOB if not any(words in one for one in log["acts"])] == []
    assert len(bytes.fromhex(log["leaf_hash"])) == 32
    assert log["checkpoint"].startswith("training-")


def test_every_page_has_its_pictures(tour: tuple[Path, dict[str, Any]]) -> None:
    """Every page in dark, in light, at 125 and 150 %, in a small and a large window, of the right size, not blank."""
    out, told = tour
    taken = {picture["file"].partition("-")[2]: picture for picture in pictures(told)}
    wanted = {f"{page}-{look}.png" for page in PAGES for look in ("light", "125", "150", "1024x700", "1920x1080")}
    assert wanted <= set(taken)
    for picture in taken.values():
        if picture["file"].partition("-")[2] in FORMS:
            continue
        image = QImage(str(out / picture["file"])).convertToFormat(QImage.Format.Format_Grayscale8)
        name = picture["file"].removesuffix(".png").partition("-")[2]
        look = "wall" if name.startswith("wall-") else name.rpartition("-")[2]
        assert (image.width(), image.height()) == SIZES.get(look, (1480, 900)), picture["file"]
        assert (picture["theme"], picture["text_scale"]) == (
            "light" if look == "light" else "dark",
            int(look) if look in ("125", "150") else 100,
        )
        assert np.frombuffer(image.constBits(), dtype=np.uint8).std() > 4, picture["file"]


def test_no_picture_is_at_fault(tour: tuple[Path, dict[str, Any]]) -> None:
    """No cut label, no value missing, every state legible, nothing stale, the focus seen, in any picture."""
    judgements = {picture["file"]: picture["judgement"] for picture in pictures(tour[1])}
    assert {file: found["problems"] for file, found in judgements.items() if not found["ok"]} == {}
    whole = [found for file, found in judgements.items() if file.partition("-")[2] not in FORMS]
    assert all(found["labels_checked"] > 5 and found["stream_live"] for found in whole)
    told = [found["lowest_state_contrast"] for found in judgements.values()]
    lowest = min(one for one in told if one is not None)
    assert lowest >= 4.5
