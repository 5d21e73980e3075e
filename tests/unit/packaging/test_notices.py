"""The gate of licences, the texts, and the list that the console shows."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import notices
from notices import LIST, LOCK, Licensed, Review, bundled, collect, encode_list, faults, locked, parts

REVIEW = Review()


@pytest.fixture(scope="module")
def shipped() -> list[Licensed]:
    """All that ships, as the environment of the tests has it."""
    return parts(REVIEW, locked(LOCK.read_text()))


def test_only_the_video_library_is_kept_out(shipped: list[Licensed]) -> None:
    """Every other part has a licence that is allowed, and its text. The wheel of av, which tests and checkouts run, has
    encoders under the GPL; an av that has none passes."""
    named = "FFmpeg with libx264 and libx265"
    assert [fault.sentence for fault in faults(shipped, REVIEW)] == [
        f"{named} (in av): strong copyleft licence: GPL-2.0-or-later"
    ]
    assert faults([part for part in shipped if part.name != named], REVIEW) == []


def test_a_part_of_some_builds_is_told_by_its_file() -> None:
    """A wheel and a build of one's own have one name and version."""
    av = metadata.distribution("av")
    assert notices.holds(av, "libx264")
    assert not notices.holds(av, "libfdk-aac")


def test_the_list_of_the_console_is_of_this_lock(shipped: list[Licensed]) -> None:
    """``python packaging/notices.py list`` writes it anew."""
    assert LIST.read_bytes() == encode_list(shipped)


@pytest.mark.parametrize(
    ("licence", "kind"),
    [
        ("MIT", "permissive"),
        ("Apache-2.0 AND MIT", "permissive"),
        ("LGPL-3.0-only", "weak copyleft"),
        ("MIT AND LGPL-3.0-only", "weak copyleft"),
        ("GPL-3.0-only", "strong copyleft"),
        ("AGPL-3.0-or-later", "strong copyleft"),
        ("MIT AND GPL-3.0-only", "strong copyleft"),
        ("MIT OR GPL-3.0-only", "permissive"),
        ("(MIT OR GPL-3.0-only) AND LGPL-3.0-only", "weak copyleft"),
        ("GPL-3.0-or-later WITH GCC-exception-3.1", "permissive"),
        ("GPL-2.0-only WITH Classpath-exception-2.0", "strong copyleft"),
        ("SSPL-1.0", "unknown"),
        ("Proprietary", "unknown"),
        ("", "unknown"),
    ],
)
def test_what_an_expression_comes_to(licence: str, kind: str) -> None:
    """Parts add up to the worst of them; of alternatives the best may be taken."""
    assert REVIEW.kind(licence) == kind


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["MIT", "GPL-3.0-only", "AND", "OR", "WITH", "(", ")"])).map(" ".join)
)
def test_no_text_of_metadata_opens_the_gate_by_mistake(text: str) -> None:
    """Anything that is no expression is unknown, and nothing raises."""
    kind = REVIEW.kind(text)
    assert kind in ("permissive", "weak copyleft", "strong copyleft", "unknown")
    if "MIT" not in text:
        assert kind != "permissive" or any(name in text.upper() for name in map(str.upper, REVIEW._kinds))


def test_strong_copyleft_needs_a_reason(tmp_path: Path) -> None:
    """With one it is no fault, and the reason stands in the notice."""
    text = tmp_path / "COPYING"
    text.write_text("terms")
    part = Licensed("thing", "1", "GPL-3.0-only", "thing", (text,))
    review = Review()
    review.packages = review.within = ()  # type: ignore[assignment]
    assert [fault.sentence for fault in faults([part], review)] == ["thing: strong copyleft licence: GPL-3.0-only"]
    reasoned = Licensed("thing", "1", "GPL-3.0-only", "thing", (text,), "It runs as a program of its own.")
    assert faults([reasoned], review) == []
    collect([reasoned], tmp_path / "licenses", review)
    assert "It runs as a program of its own." in (tmp_path / "licenses/NOTICE.txt").read_text()
    assert (tmp_path / "licenses/thing-1/COPYING").read_text() == "terms"


def test_a_part_without_its_text_is_a_fault() -> None:
    """Whose licence is known, too."""
    review = Review()
    review.packages = review.within = ()  # type: ignore[assignment]
    found = faults([Licensed("thing", "1", "MIT", "thing")], review)
    assert [fault.sentence for fault in found] == ["thing: no licence text"]


def test_a_decision_about_what_does_not_ship_is_a_fault() -> None:
    """It would be taken for one about what comes back under that name."""
    assert "colorama" in {fault.name for fault in faults([], REVIEW)}


def test_a_package_of_another_version_says_nothing() -> None:
    """The texts must be those of what ships."""
    with pytest.raises(LookupError, match=r"msgspec is .* here, and 0\.0\.1 in the lock"):
        dict(notices.installed({"msgspec": "0.0.1"}))
    with pytest.raises(LookupError, match="is not installed"):
        dict(notices.installed({"no-such-package": "1"}))


def test_every_part_has_a_folder_with_its_texts(shipped: list[Licensed], tmp_path: Path) -> None:
    """And a line in the notice; what stays replaceable is marked."""
    collect(shipped, tmp_path / "licenses", REVIEW)
    folders = {path.name for path in (tmp_path / "licenses").iterdir() if path.is_dir()}
    assert len(folders) == sum(1 for part in shipped if part.texts)
    assert all(any((tmp_path / "licenses" / name).iterdir()) for name in folders)
    notice = (tmp_path / "licenses/NOTICE.txt").read_text()
    assert all(part.name in notice for part in shipped)
    assert "PySide6_Essentials 6" in notice
    line = next(line for line in notice.splitlines() if line.startswith("PySide6_Essentials"))
    assert line.endswith("LGPL-3.0-only  (replaceable)")
    assert "://" not in notice


def test_what_a_bundle_brings_is_named_with_its_text() -> None:
    """FFmpeg, Python, and the libraries of the system that are not left to it."""
    found = bundled(REVIEW)
    assert [part.name for part in found] == ["FFmpeg", "Python", "OpenLDAP", "libffi"]
    assert [part.texts[0].name for part in found] == ["COPYING.LGPLv2.1", *["copyright"] * 3]
    assert found[0].reason is not None
