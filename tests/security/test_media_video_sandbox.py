"""Videos and credentials in the locked process: all that is needed was loaded before, and nothing is opened."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from app.capabilities.media.worker.sandbox import SandboxLimits
from tests.media_files import encoded, photo
from tests.unit.capabilities.media.provenance.signed_files import ContentSigner
from tests.video_clips import drift, encode, make_clip

if sys.platform != "linux":
    pytest.skip("workers are locked on Linux alone", allow_module_level=True)

ROOT = Path(__file__).parents[2]
FRAMES = drift(2, 14, 96, 64)
CODECS = {
    "h264.mp4": ("-c:v", "libx264", "-preset", "ultrafast", "-threads", "1", "-pix_fmt", "yuv420p"),
    "hevc.matroska": ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "pools=1:log-level=0"),
    "vp8.webm": ("-c:v", "libvpx", "-b:v", "1M", "-threads", "1"),
    "vp9.webm": ("-c:v", "libvpx-vp9", "-b:v", "1M", "-threads", "1", "-cpu-used", "8"),
    "mpeg2.mpegts": ("-c:v", "mpeg2video", "-q:v", "2"),
    "mjpeg.avi": ("-c:v", "mjpeg", "-q:v", "2"),
    "ten.matroska": ("-c:v", "ffv1", "-pix_fmt", "yuv420p10le", "-threads", "1"),
}


def wide() -> bytes:
    """Sixteen frames of 1920 x 1080, each of them a keyframe."""
    large = np.stack([cv2.resize(one, (1920, 1080)) for one in drift(4, 16, 192, 108)])
    return encode(large, "-c:v", "mpeg4", "-g", "1", "-q:v", "20", "-threads", "1")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the locked process found."""
    place = tmp_path_factory.mktemp("videos")
    for name, options in CODECS.items():
        (place / name).write_bytes(encode(FRAMES, *options, container=name.rpartition(".")[2]))
    (place / "inserted.mp4").write_bytes(encode(make_clip("insertion", 5, width=192, height=144).frames))
    (place / "wide.mp4").write_bytes(wide())
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/a"
        (place / "list.m3u8").write_bytes(f"#EXTM3U\n#EXTINF:1,\n{address}\n".encode())
        picture, signer = encoded(photo(40, 30), "JPEG"), ContentSigner()
        (place / "signed.jpg").write_bytes(signer.sign(picture, "image/jpeg"))
        (place / "signed.mp4").write_bytes(signer.sign((place / "h264.mp4").read_bytes(), "video/mp4"))
        (place / "remote.jpg").write_bytes(signer.sign(picture, "image/jpeg", remote=address))
        done = subprocess.run(
            [sys.executable, "-m", "tests.security.media_video_probe", str(place)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            timeout=300,
            check=True,
        )
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", CODECS)
def test_a_locked_worker_decodes_each_codec(told: dict[str, Any], name: str) -> None:
    """All frames and a keyframe's pixels, none dropped."""
    found = told["found"][name]
    assert (found["frames"], found["dropped"]) == (14, 0)
    assert found["keyframes"][0] == [64, 96]


def test_a_locked_worker_finds_an_insertion(told: dict[str, Any]) -> None:
    """As it does without a lock."""
    (span,) = told["found"]["inserted.mp4"]["spans"]
    assert span[0] == "insertion"


def test_a_locked_worker_reads_credentials(told: dict[str, Any]) -> None:
    """Of images and of videos, and none from elsewhere."""
    states = {
        name: told["found"][name]["credentials"] for name in ("signed.jpg", "signed.mp4", "remote.jpg", "h264.mp4")
    }
    assert states == {
        "signed.jpg": "valid_untrusted",
        "signed.mp4": "valid_untrusted",
        "remote.jpg": "none",
        "h264.mp4": "none",
    }


def test_a_playlist_is_refused_and_not_followed(told: dict[str, Any]) -> None:
    """Nobody came to the address in it."""
    assert told["found"]["list.m3u8"]["refused"] == "unsupported_format"


def test_frames_of_two_megapixels_fit_in_the_memory(told: dict[str, Any]) -> None:
    """With twelve keyframes kept at once, in one thread."""
    found = told["found"]["wide.mp4"]
    assert (found["frames"], len(found["keyframes"]), found["keyframes"][0]) == (16, 8, [1080, 1920])
    assert told["peak"] < SandboxLimits().memory
    # ONNX Runtime keeps one beside its own.
    assert told["threads"] <= 2
    assert told["lock"].strip() == "2"
