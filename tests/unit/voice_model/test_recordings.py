"""The list of recordings."""

from __future__ import annotations

import msgspec
import pytest

from voice_model import recordings
from voice_model.recordings import read_recordings

LISTED = read_recordings()


def test_each_speaker_is_listed_once() -> None:
    names = [speaker.name for speaker in LISTED.speakers]
    assert len(set(names)) == len(names) >= 40


def test_no_file_is_two_speakers() -> None:
    files = [(speaker.package, speaker.folder, name) for speaker in LISTED.speakers for name in speaker.files]
    assert len(set(files)) == len(files)


def test_each_package_has_a_version_a_hash_and_a_licence() -> None:
    assert all(package.version and len(package.sha256) == 64 and package.licence for package in LISTED.packages)


def test_no_person_is_in_both_parts() -> None:
    people = {part: {one.person for one in LISTED.speakers if one.part == part} for part in recordings.PARTS}
    assert people["train"]
    assert people["check"]
    assert not people["train"] & people["check"]


def test_no_language_is_in_both_parts() -> None:
    spoken = {part: {one.language for one in LISTED.speakers if one.part == part} for part in recordings.PARTS}
    assert not spoken["train"] & spoken["check"]


def test_the_english_and_spanish_prompts_are_one_person() -> None:
    people = {speaker.name: speaker.person for speaker in LISTED.speakers}
    assert people["ast-en"] == people["ast-es"]


def test_no_path_leaves_its_package() -> None:
    for speaker in LISTED.speakers:
        assert not any(part == ".." for name in (speaker.folder, *speaker.files) for part in name.split("/"))


def test_a_speaker_of_an_unlisted_package_is_refused(tmp_path, monkeypatch) -> None:
    less = msgspec.structs.replace(LISTED, packages=LISTED.packages[1:])
    file = tmp_path / "recordings.json"
    file.write_bytes(msgspec.json.encode(less))
    monkeypatch.setattr(recordings, "LIST", file)
    with pytest.raises(ValueError, match="not listed"):
        read_recordings()
