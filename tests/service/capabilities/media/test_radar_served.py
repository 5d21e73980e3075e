"""Media scans of a real service in a process of its own, over HTTP: files from real servers, hostile ones too."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from app.capabilities.media.journal import STATUS_PATH
from app.capabilities.media.messages import Scan, UploadQuery
from app.client import Client
from app.commands.verify import pinned_trust, run_verify
from tests.callback_receiver import CallbackReceiver, verified
from tests.media_files import encoded, photo, png_header
from tests.receiver import Received, Receiver, Reply
from tests.served_site import ServedSite
from tests.unit.capabilities.media.feeds.feed_site import part
from tests.video_clips import encode, make_clip

JPEG = encoded(photo(320, 264), "JPEG", quality=88)
UPLOADS = f"{STATUS_PATH}/uploads"
PLAYLIST = b"#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:2.9,\n1.ts\n#EXT-X-ENDLIST\n"
REFUSED = "The address could not be fetched."


class MediaServer(Receiver):
    """Serves ``/a.jpg``, and what a hostile server does; ``/held.jpg`` waits for ``go``."""

    def __init__(self) -> None:
        super().__init__(self.serve)
        self.came = threading.Semaphore(0)
        self.go = threading.Event()
        self.segment = b""
        self.motion = b""

    def serve(self, call: Received) -> Reply:
        """By the path."""
        name = call.path.partition("?")[0]
        moved = {
            "/to-metadata": "http://169.254.169.254/latest/meta-data/",
            "/to-file": "file:///etc/passwd",
            "/to-loopback": "http://127.0.0.1/",
            "/to-user": "http://root@127.0.0.1/",
        }
        if name in moved:
            return 302, {"Location": moved[name]}, b""
        if name == "/round":
            return 302, {"Location": "/round"}, b""
        if name == "/packed":
            return 200, {"Content-Encoding": "gzip"}, JPEG
        if name == "/held.jpg":
            self.came.release()
            self.go.wait(60)
        if name == "/live.m3u8":
            return 200, {"Content-Type": "application/vnd.apple.mpegurl"}, PLAYLIST
        if name == "/motion":
            return 200, {"Content-Type": "multipart/x-mixed-replace; boundary=cut"}, self.motion
        if name == "/1.ts":
            return 200, {"Content-Type": "video/mp2t"}, self.segment
        if name in ("/a.jpg", "/held.jpg"):
            return 200, {"Content-Type": "text/html"}, JPEG
        return 404, {}, b"no"


@pytest.fixture(scope="module")
def server() -> Iterator[MediaServer]:
    """On loopback."""
    made = MediaServer()
    with made.listening():
        yield made
        made.go.set()


@pytest.fixture(scope="module")
def hook() -> Iterator[CallbackReceiver]:
    """Takes callbacks."""
    made = CallbackReceiver()
    with made.listening():
        yield made


@pytest.fixture(scope="module")
def site(server: MediaServer, hook: CallbackReceiver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site that lists both on loopback."""
    made = ServedSite.laid_out(tmp_path_factory.mktemp("radar") / "site")
    with made.running():
        ports = [httpx.URL(one.url).port for one in (server, hook)]
        assert made.put("/v1/registry/media-sources/loopback", {"cidrs": ["127.0.0.1/32"], "ports": ports}).is_success
        yield made


def over(site: ServedSite, answer: httpx.Response) -> dict[str, Any]:
    """The scan that was asked for, once it is over."""
    assert answer.status_code in (200, 202), answer.text
    where = answer.json()["status_url"]
    found: dict[str, Any] = site.wait(lambda: (scan := site.get(where))["finished_at"] and scan, 120.0)
    return found


def upload(site: ServedSite, media: bytes, **headers: str) -> httpx.Response:
    """The file as the body, whose result is waited for."""
    given = {"Content-Type": "application/octet-stream", "Prefer": "wait=25", **headers}
    return site.client.post(UPLOADS, content=media, params={"name": "a file"}, headers=given)


@pytest.fixture(scope="module")
def scanned(site: ServedSite, server: MediaServer) -> dict[str, Any]:
    """A scan that was asked for by its URL alone."""
    answer = site.post(STATUS_PATH, {"media_target_url": f"{server.url}a.jpg?token=very-secret"})
    assert answer.status_code == 202
    assert answer.json()["status"] in ("QUEUED", "RUNNING")
    assert answer.headers["retry-after"] == "2"
    return over(site, answer)


def test_a_url_alone_is_scanned(scanned: dict[str, Any], site: ServedSite) -> None:
    """It has a verdict with its worth, and the file as it was decoded, whatever the server called it."""
    assert (scanned["status"], scanned["failure"], scanned["attempt"]) == ("COMPLETED", None, 1)
    assert scanned["verdict"] in ("AUTHENTIC_CONSISTENT", "SUSPICIOUS", "MANIPULATED", "INCONCLUSIVE")
    assert 0 <= scanned["score"] <= 1
    assert scanned["false_alarm_rate"]["n"] >= 200
    media = scanned["media"]
    assert (media["sha256"], media["bytes"]) == (hashlib.sha256(JPEG).hexdigest(), len(JPEG))
    assert (media["kind"], media["mime"], media["width"], media["height"]) == ("image", "image/jpeg", 320, 264)
    assert scanned["provenance"]["c2pa"]["state"] == "none"


def test_a_query_is_shown_nowhere(scanned: dict[str, Any], site: ServedSite) -> None:
    """Neither in the scan, nor in the list, nor in the log of the service."""
    assert scanned["media"]["url"].endswith("/a.jpg?...")
    texts = (json.dumps(scanned), json.dumps(site.get(STATUS_PATH)), site.log.read_text())
    assert [text for text in texts if "very-secret" in text] == []


def test_the_list_has_the_scan_and_pages(scanned: dict[str, Any], site: ServedSite) -> None:
    """Newest first, by status and verdict; a cursor goes on."""
    upload(site, b"text")
    first = site.get(STATUS_PATH, limit="1")
    rest = site.get(STATUS_PATH, limit="500", cursor=first["next"])["items"]
    assert scanned["scan_id"] in [one["scan_id"] for one in rest]
    found = site.get(STATUS_PATH, status="COMPLETED", verdict=scanned["verdict"])["items"]
    assert scanned["scan_id"] in [one["scan_id"] for one in found]
    assert site.get(STATUS_PATH, status="STOPPED")["items"] == []


def test_every_layer_is_a_picture_of_its_size(scanned: dict[str, Any], site: ServedSite) -> None:
    """The heatmap has a pixel for each block of 8 px; an unknown layer is 404."""
    assert (scanned["heatmap"]["width"], scanned["heatmap"]["height"]) == (40, 33)
    for layer in (scanned["heatmap"], scanned["reliability_map"], *scanned["layers"]):
        answer = site.client.get(layer["png_url"])
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
        assert Image.open(io.BytesIO(answer.content)).size == (layer["width"], layer["height"])
    assert site.client.get(scanned["status_url"] + "/heatmap.png").content[:4] == b"\x89PNG"
    assert site.client.get(scanned["status_url"] + "/heatmap.png?layer=other").status_code == 404


def test_the_bundle_is_verified_offline(scanned: dict[str, Any], site: ServedSite, tmp_path: Path) -> None:
    """By the command of auditors, who pinned the site's root; the same bytes each time."""
    answer = site.client.get(scanned["status_url"] + "/bundle")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert site.client.get(scanned["status_url"] + "/bundle").content == answer.content
    (tmp_path / "roots").write_bytes(site.client.get("/v1/log/roots").content)
    (tmp_path / "scan.zip").write_bytes(answer.content)
    out = io.StringIO()
    assert run_verify(tmp_path / "scan.zip", pinned_trust(tmp_path), out, as_json=False) == 0, out.getvalue()


def test_the_three_fields_are_called_back(site: ServedSite, server: MediaServer, hook: CallbackReceiver) -> None:
    """The result comes with ``Prefer: wait``; the callback is signed, and has no media."""
    made = site.post("/v1/keys", {"label": "partner", "clearance": "citadel"}).json()
    body = {
        "media_target_url": f"{server.url}a.jpg",
        "continuous_feed_scan": False,
        "webhook_callback_url": f"{hook.url}radar",
    }
    answer = site.post(STATUS_PATH, body, Prefer="wait=25", Authorization=f"Bearer {made['key']}")
    assert answer.headers["preference-applied"] == "wait=25"
    scan = over(site, answer)
    site.wait(lambda: hook.calls)
    public = [one["key"] if isinstance(one, dict) else one for one in site.get("/v1/deliveries/keys")["webhook_keys"]]
    told = verified(hook.calls[0], made["webhook_secret"], public)
    assert told["type"] == "radar.scan.completed"
    assert told["data"]["scan_id"] == scan["scan_id"]
    assert (told["data"]["verdict"], told["data"]["score"]) == (scan["verdict"], scan["score"])
    assert told["data"]["far"] == scan["false_alarm_rate"]["at_this_score"]


@pytest.mark.parametrize(
    "url",
    [
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://192.168.1.1/",
        "http://user@media.example/",
        "http://media.example:22/",
        "file:///etc/passwd",
        "gopher://media.example/",
        "//media.example/a.jpg",
        "",
    ],
)
def test_what_may_not_be_fetched_as_it_is_written_is_422(url: str, site: ServedSite) -> None:
    """Addresses in any spelling, schemes, users and ports: at the field, before anybody is asked."""
    answer = site.post(STATUS_PATH, {"media_target_url": url})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_body")
    assert [one["pointer"] for one in answer.json()["errors"]] == ["/media_target_url"]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://media.example/a.jpg", "http:// and https:// alone"),
        ("media.example/a.jpg", "http:// and https:// alone"),
        ("rtsp://camera.example/1", "RTSP is not read yet"),
        ("", "length >= 1"),
    ],
)
@pytest.mark.parametrize("continuous", [False, True])
def test_a_wrong_scheme_is_told_in_words(url: str, words: str, continuous: bool, site: ServedSite) -> None:
    """Which are taken, and no pattern."""
    answer = site.post(STATUS_PATH, {"media_target_url": url, "continuous_feed_scan": continuous})
    (error,) = answer.json()["errors"]
    assert words in error["detail"]
    assert "regex" not in error["detail"]


def test_a_refused_fetch_tells_nothing_of_its_cause(site: ServedSite, server: MediaServer) -> None:
    """A closed port, a name of a private address, redirects to what may not be reached, without an end, packed and
    missing files: FAILED with one wording for all; the log of the service has each cause."""
    names = ("to-metadata", "to-file", "to-loopback", "to-user", "round", "packed", "missing")
    urls = ["http://localhost/", "http://localhost:443/", *(server.url + name for name in names)]
    answers = [site.post(STATUS_PATH, {"media_target_url": url}) for url in urls]
    failures = [over(site, answer)["failure"] for answer in answers]
    assert failures == [{"code": "fetch_refused", "detail": REFUSED}] * len(urls)
    told = site.log.read_text()
    assert "one redirect more than 4" in told
    assert "answered 404" in told


HOSTILE = {
    "text": (b"This is a text.\n", "unsupported_format"),
    "svg": (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "unsupported_format"),
    "cut off": (JPEG[:-20], "undecodable"),
    "3600 MP": (png_header(60_000, 60_000), "too_large"),
    "25 MP": (png_header(5000, 5000), "too_large_to_analyse"),
}


KINDS = ("JPEG", "PNG", "WEBP", "TIFF", "GIF", "BMP", "MP4", "QuickTime", "WebM", "Matroska", "AVI", "MPEG-TS")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_failed_by_name(name: str, site: ServedSite) -> None:
    """It comes as an upload, and neither report nor pictures are there."""
    media, code = HOSTILE[name]
    scan = over(site, upload(site, media))
    assert (scan["status"], scan["failure"]["code"], scan["media"]["url"]) == ("FAILED", code, "upload:a file")
    if code == "unsupported_format":
        assert [name for name in KINDS if name not in scan["failure"]["detail"]] == []
    for below in ("/bundle", "/heatmap.png"):
        assert site.client.get(scan["status_url"] + below).json()["code"] == "state_conflict"


def test_an_upload_is_scanned_as_the_same_file_at_a_url(scanned: dict[str, Any], site: ServedSite) -> None:
    """Twice, with the same verdict and score each time."""
    for _ in range(2):
        scan = over(site, upload(site, JPEG))
        assert scan["media"]["sha256"] == scanned["media"]["sha256"]
        assert (scan["verdict"], scan["score"]) == (scanned["verdict"], scanned["score"])


def test_a_video_is_scanned(site: ServedSite) -> None:
    """Frames that come twice are found with their place in time; heatmap and regions are those of a keyframe."""
    scan = over(site, upload(site, encode(make_clip("duplication", 1).frames)))
    media = scan["media"]
    assert (media["kind"], media["mime"], media["frames"], media["width"]) == ("video", "video/mp4", 72, 320)
    assert scan["verdict"] == "MANIPULATED"
    assert "frame_duplication" in [entry["detector"] for entry in scan["timeline"]]
    assert site.client.get(scan["heatmap"]["png_url"]).status_code == 200
    assert site.client.get(scan["status_url"] + "/bundle").status_code == 200


def test_a_stream_is_scanned_by_its_beginning(site: ServedSite, server: MediaServer) -> None:
    """A playlist of HLS stands for the video that it leads to."""
    server.segment = encode(make_clip("plain", 2).frames, container="mpegts")
    scan = over(site, site.post(STATUS_PATH, {"media_target_url": f"{server.url}live.m3u8"}))
    assert (scan["failure"], scan["media"]["kind"], scan["media"]["mime"]) == (None, "video", "video/mp2t")
    assert scan["media"]["bytes"] == len(server.segment)


def test_motion_jpeg_is_scanned_by_its_beginning(site: ServedSite, server: MediaServer) -> None:
    """Its pictures are the frames of a video, the most striking of which is judged; of a single one it is an image."""
    pictures = [encoded(frame, "JPEG", quality=90) for frame in make_clip("plain", 3).frames[:14]]
    for sent, kind, frames in ((pictures, "video", 14), (pictures[:1], "image", 1)):
        server.motion = b"".join(map(part, sent)) + b"--cut--\r\n"
        scan = over(site, site.post(STATUS_PATH, {"media_target_url": f"{server.url}motion?token=very-secret"}))
        assert scan["failure"] is None
        assert (scan["media"]["kind"], scan["media"]["frames"]) == (kind, frames)
        assert scan["media"]["final_url"].endswith("/motion?...")
        assert site.client.get(scan["heatmap"]["png_url"]).status_code == 200
        assert (scan["media"]["mime"] == "multipart/x-mixed-replace") == (kind == "video")


def test_motion_jpeg_without_a_picture_is_failed_by_name(site: ServedSite, server: MediaServer) -> None:
    """What is between its boundaries is a page."""
    server.motion = part(b"<html>") + b"--cut--\r\n"
    scan = over(site, site.post(STATUS_PATH, {"media_target_url": f"{server.url}motion"}))
    assert scan["failure"] == {"code": "feed_broken", "detail": "A part of the feed is no picture that can be decoded."}


def test_an_idempotency_key_makes_one_scan(site: ServedSite, server: MediaServer) -> None:
    """Of a URL and of an upload: the same call gets the first reply, another body is refused."""
    key = {"Idempotency-Key": "one-file"}
    body = {"media_target_url": f"{server.url}missing"}
    first, again = (site.post(STATUS_PATH, body, **key) for _ in range(2))
    assert (again.json()["scan_id"], again.headers["idempotency-replayed"]) == (first.json()["scan_id"], "true")
    other = site.post(STATUS_PATH, {"media_target_url": f"{server.url}b.jpg"}, **key)
    assert other.json()["code"] == "idempotency_key_reused"
    key = {"Idempotency-Key": "one-upload"}
    made, repeated = (upload(site, b"text", **key).json()["scan_id"] for _ in range(2))
    assert repeated == made


def test_the_typed_client_uploads(site: ServedSite) -> None:
    """A body that is no message, with the name under which it is listed."""
    key = site.post("/v1/keys", {"label": "program", "clearance": "citadel"}).json()["key"]

    async def sent() -> Scan:
        async with Client(site.base_url, key) as client:
            return await client.media_upload(b"text", query=UploadQuery(name="a note"), prefer="wait=25")

    scan = asyncio.run(sent())
    assert (scan.media.url, scan.scan_id[:5]) == ("upload:a note", "scan_")


def test_an_upload_may_be_longer_than_other_bodies(site: ServedSite) -> None:
    """More than the 16 MiB that the guard reads of any other; the same bytes to a call of JSON are refused."""
    scan = over(site, upload(site, bytes(17 << 20)))
    assert (scan["failure"]["code"], scan["status"]) == ("unsupported_format", "FAILED")
    other = site.client.post(STATUS_PATH, content=bytes(2 << 20), headers={"Content-Type": "application/json"})
    assert other.json()["code"] == "body_too_large"


def test_what_is_no_upload_is_refused(site: ServedSite) -> None:
    """Another content type, and no bytes."""
    assert upload(site, JPEG, **{"Content-Type": "image/jpeg"}).json()["code"] == "unsupported_media_type"
    assert upload(site, b"").json()["code"] == "invalid_body"


def test_a_scan_is_stopped_and_erased(site: ServedSite, server: MediaServer) -> None:
    """While its file is fetched: STOPPED at once, and gone with ``erase``."""
    scan = site.post(STATUS_PATH, {"media_target_url": f"{server.url}held.jpg"}).json()
    assert server.came.acquire(timeout=60)
    where = scan["status_url"]
    stopped = site.client.delete(where).json()
    assert stopped == {"scan_id": scan["scan_id"], "status": "STOPPED", "erased": False}
    assert site.get(where)["status"] == "STOPPED"
    assert site.client.delete(where, params={"erase": "true"}).json()["erased"]
    assert site.client.get(where).status_code == 404
    assert site.client.delete(where).status_code == 404


def test_scans_are_for_citadel_keys(site: ServedSite) -> None:
    """A Sovereign key neither scans nor reads."""
    key = site.post("/v1/keys", {"label": "desk", "clearance": "sovereign"}).json()["key"]
    for method, path in (("POST", STATUS_PATH), ("POST", UPLOADS), ("GET", STATUS_PATH)):
        answer = site.client.request(method, path, headers={"Authorization": f"Bearer {key}"})
        assert answer.json()["code"] == "insufficient_clearance"


def test_a_scan_outlives_a_kill(site: ServedSite, server: MediaServer, hook: CallbackReceiver) -> None:
    """kill -9 while it runs: the next start takes it up again, and its callback is sent once."""
    key = site.post("/v1/keys", {"label": "after a kill", "clearance": "citadel"}).json()["key"]
    body = {"media_target_url": f"{server.url}held.jpg", "webhook_callback_url": f"{hook.url}killed"}
    scan = site.post(STATUS_PATH, body, Authorization=f"Bearer {key}").json()
    assert server.came.acquire(timeout=60)
    site.kill()
    server.go.set()
    site.start()
    done = site.wait(lambda: (found := site.get(scan["status_url"]))["finished_at"] and found, 120.0)
    assert (done["status"], done["attempt"]) == ("COMPLETED", 2)
    calls = site.wait(lambda: [call for call in hook.calls if call.path == "/killed"])
    assert [json.loads(call.body)["data"]["scan_id"] for call in calls] == [scan["scan_id"]]


def test_the_calibration_is_told(site: ServedSite, scanned: dict[str, Any]) -> None:
    """Of the model that judged, with the set that a scan's rate names."""
    told = site.get(f"{STATUS_PATH}/calibration")
    assert told["model_version"] == scanned["model_version"]
    sets = {one["calibration_set"]: one["n"] for one in told["curves"]}
    stated = scanned["false_alarm_rate"]
    assert sets[stated["calibration_set"]] == stated["n"]
