"""Fetches the recordings of the training from Debian's packages and makes takes of some four seconds.

    python -m voice_model.fetch --out DIR

``recordings.json`` names package, version, licence and SHA-256 of each package, and the files of each speaker. The
packages come by apt from whatever mirror the machine has. A take is ``DIR/SPEAKER_NN.npy``: int16, shape (n,), 16 kHz,
several files one after another; no file is in two takes.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import file_digest
from itertools import islice
from pathlib import Path
from typing import Final

import av
import numpy as np

from app.capabilities.voice.matrix import SAMPLE_RATE, Samples
from voice_model.progress import tell
from voice_model.recordings import RecordedSpeaker, VoicePackage, read_recordings
from voice_model.waves import without_pauses, write_take

TAKE_S: Final = 4.2
"""Least length of a take but a speaker's last one, seconds, once the pauses are cut."""
SHORTEST_S: Final = 2.5
MOST_TAKES: Final = 20


def read_recording(file: Path) -> Samples:
    """The file's sound, mono, 16 kHz, full scale 1.0."""
    resampler = av.AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE)
    pieces = []
    with av.open(str(file), format="g722" if file.suffix == ".g722" else None) as container:
        for frame in container.decode(audio=0):
            pieces += [piece.to_ndarray()[0] for piece in resampler.resample(frame)]
        pieces += [piece.to_ndarray()[0] for piece in resampler.resample(None)]
    return np.concatenate(pieces) if pieces else np.zeros(0, np.float32)


def takes_of(recordings: Iterator[Samples]) -> Iterator[Samples]:
    """Recordings put together until a take is long enough; each brought to one level first, so that no join is heard
    by its loudness."""
    waiting: list[Samples] = []
    length = 0
    for recording in recordings:
        if len(recording) < SAMPLE_RATE // 10:
            continue
        speech = without_pauses(recording)
        loudness = float(np.sqrt(np.mean(np.square(speech)))) if len(speech) else 0.0
        if loudness < 1e-4:
            continue
        waiting.append(np.clip(speech * (0.08 / loudness), -0.99, 0.99).astype(np.float32))
        length += len(speech)
        if length >= TAKE_S * SAMPLE_RATE:
            joined = np.concatenate(waiting)
            most = int(1.5 * TAKE_S * SAMPLE_RATE)
            for part in range(max(1, len(joined) // most)):
                yield joined[part * most : (part + 1) * most]
            waiting, length = [], 0
    if length >= SHORTEST_S * SAMPLE_RATE:
        yield np.concatenate(waiting)


def unpack(package: VoicePackage, folder: Path) -> Path:
    """Downloads and unpacks a package. ValueError where the bytes are others than those listed."""
    subprocess.run(["apt-get", "download", "-q", f"{package.name}={package.version}"], cwd=folder, check=True)
    (archive,) = folder.glob("*.deb")
    with archive.open("rb") as opened:
        if file_digest(opened, "sha256").hexdigest() != package.sha256:
            raise ValueError(f"{package.name}: another file than the one listed")
    subprocess.run(["dpkg", "-x", str(archive), str(folder / "unpacked")], check=True)
    return folder / "unpacked"


def write_takes(root: Path, speaker: RecordedSpeaker, out: Path) -> int:
    """Writes a speaker's takes; how many there are. The first one is written last: where it is, all are."""
    recordings = (read_recording(root / speaker.folder / name) for name in speaker.files)
    takes = list(islice(takes_of(recordings), MOST_TAKES))
    for number, take in reversed(list(enumerate(takes))):
        write_take(out / f"{speaker.name}_{number:02}.npy", take)
    return len(takes)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line. The exit status of apt or dpkg is that of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the takes")
    out: Path = parser.parse_args(arguments).out
    out.mkdir(parents=True, exist_ok=True)
    listed = read_recordings()
    for package in listed.packages:
        speakers = [speaker for speaker in listed.speakers if speaker.package == package.name]
        if all((out / f"{speaker.name}_00.npy").exists() for speaker in speakers):
            continue
        with tempfile.TemporaryDirectory() as folder:
            root = unpack(package, Path(folder))
            for speaker in speakers:
                tell(speaker.name, write_takes(root, speaker, out), "takes")


if __name__ == "__main__":
    main()
