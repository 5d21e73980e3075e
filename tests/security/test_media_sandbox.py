"""The process in which media files are decoded: what it may not do, and what becomes of it with hostile files."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import zlib
from collections.abc import Coroutine, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PIL import Image

from app.capabilities.media.worker import workers as service
from app.capabilities.media.worker.protocol import (
    MEDIA_MAX,
    ImageFacts,
    ImageMeasures,
    MediaJob,
    ScanFound,
    WorkerReady,
    WorkerRefusal,
    frame,
)
from app.capabilities.media.worker.refusals import (
    MediaNotSandboxed,
    MediaRefused,
    MediaTookTooLong,
    MediaTooLarge,
    MediaUnsupported,
    MediaWorkerDied,
)
from app.capabilities.media.worker.workers import MediaWorker, MediaWorkers, ScanAnswer, WorkerLimits
from tests.media_files import FORMATS, encoded, exif, mutated, photo, png_header, slow_jpeg
from tests.media_model import VERSION, shared_model
from tests.worker_program import program_of

if sys.platform != "linux":
    pytest.skip("workers are locked on Linux alone", allow_module_level=True)

ROOT = Path(__file__).parents[2]
T = TypeVar("T")
PHOTO = photo(64, 48)
JPEG = encoded(PHOTO, "JPEG")
FOUND = ScanFound(
    facts=ImageFacts(width=1, height=1, format="PNG", mode="RGB", sha256="0" * 64), layers=("preview",), cpu_s=0.1
)
PICTURE = png_header(1, 1)
REPORT = b"{}"


def limited(**given: float) -> WorkerLimits:
    """Limits of workers whose model nobody trained."""
    return WorkerLimits(model=shared_model(), **given)


class Worker:
    """One worker for many files, in an event loop of its own; a new one after each that died."""

    def __init__(self) -> None:
        """Starts nothing."""
        self.loop = asyncio.Runner()
        self.alive: MediaWorker | None = None
        self.deaths = 0

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Does it in the loop."""
        return self.loop.run(work)

    async def ready(self) -> MediaWorker:
        """The worker."""
        if self.alive is None or not self.alive.alive:
            self.deaths += self.alive is not None
            self.alive = await MediaWorker.start(limited(cpu_s=100))
        return self.alive

    def answer(self, file: bytes) -> ScanAnswer:
        """What it says of a file."""

        async def asked() -> ScanAnswer:
            return await (await self.ready()).answer(file)

        return self.run(asked())

    def refusal(self, file: bytes) -> MediaRefused | None:
        """Why it refuses a file; None if it does not."""
        try:
            self.answer(file)
        except MediaRefused as refusal:
            return refusal
        return None

    def close(self) -> None:
        """Ends it."""
        if self.alive is not None:
            self.run(self.alive.end())
        self.loop.close()


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """A worker that all tests of this file share."""
    shared = Worker()
    yield shared
    shared.close()


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a locked worker could do."""
    place = tmp_path_factory.mktemp("probe")
    (place / "kept").write_text("as it was")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "tests.security.media_probe", str(place), str(port)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            timeout=120,
            check=True,
        )
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
    told: dict[str, Any] = json.loads(done.stdout)
    told["left"] = {path.name: path.read_text() for path in place.iterdir()}
    return told


def test_a_report_is_made_behind_the_lock() -> None:
    """It needs no file, no import and no thread that was not there before."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.security.verdict_child"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        timeout=120,
        check=True,
    )
    said = json.loads(done.stdout)
    assert said == {"verdict": "MANIPULATED", "pictures": ["fused", "noise", "reliability"], "threads": 0}


def test_nothing_outside_can_be_reached(probed: dict[str, Any]) -> None:
    """Sockets, files, programs, processes, mounts: each attempt ends in EPERM, and no thread starts."""
    outcomes = probed["outcomes"]
    assert {name: error for name, error in outcomes.items() if error != "EPERM"} == {}
    named = {"socket", "connect", "read a file", "write a file", "exec", "fork", "ptrace", "limit another", "mount"}
    assert named | {"unlink", "sendto", "bpf", "keyctl", "io_uring_setup", "userfaultfd"} <= outcomes.keys()
    assert probed["thread"] == "can't start new thread"
    assert probed["left"] == {"kept": "as it was"}


def test_locked_decoders_still_decode(probed: dict[str, Any]) -> None:
    """After all its attempts, the same process reads a file of each format."""
    assert probed["answers"] == dict.fromkeys(FORMATS, "ScanFound")


def kinds() -> dict[str, bytes]:
    """A file of every kind that is decoded."""
    picture = Image.fromarray(PHOTO)
    made = {f"{name} with EXIF": encoded(picture, name, exif=exif(6, "x")) for name in ("JPEG", "PNG", "WEBP", "TIFF")}
    made |= {f"PNG {mode}": encoded(picture.convert(mode), "PNG") for mode in ("1", "L", "LA", "P", "RGBA", "I;16")}
    made |= {how: encoded(picture, "TIFF", compression=how) for how in ("jpeg", "tiff_adobe_deflate", "zstd", "lzma")}
    for name in ("GIF", "PNG", "WEBP", "TIFF", "MPO"):
        made[f"frames of {name}"] = encoded(picture, name, save_all=True, append_images=[picture.rotate(180)])
    made["JPEG CMYK"] = encoded(picture.convert("CMYK"), "JPEG")
    made["JPEG progressive"] = encoded(picture, "JPEG", progressive=True)
    made["PNG with texts"] = encoded(picture, "PNG", pnginfo=texts())
    return made


def texts() -> Any:
    """Text chunks of a PNG: plain, packed, and of other alphabets."""
    from PIL.PngImagePlugin import PngInfo

    made = PngInfo()
    made.add_text("Title", "naïve", zip=True)
    made.add_itxt("Author", "Ольга", lang="ru")
    return made


def test_every_kind_of_file_is_decoded_in_a_locked_worker(worker: Worker) -> None:
    """Nothing that a decoder loads late is missing."""
    assert {name: str(refusal) for name, file in kinds().items() if (refusal := worker.refusal(file))} == {}


def test_an_answer_has_facts_and_a_preview(worker: Worker) -> None:
    """From the file to both, through both pipes."""
    facts, report, pictures, _ = worker.answer(encoded(PHOTO, "JPEG", exif=exif(8, "GIMP")))
    assert (facts.width, facts.height, facts.format, facts.orientation, facts.software) == (64, 48, "JPEG", 8, "GIMP")
    assert Image.open(BytesIO(pictures["preview"])).size == (64, 48)
    assert {"fused", "reliability", "preview"} <= pictures.keys()
    assert (report.verdict, report.model_version) == ("INCONCLUSIVE", VERSION)


def test_a_worker_is_locked_and_limited(worker: Worker) -> None:
    """A filter for ever on each thread (its own, and one that ONNX Runtime keeps), 1.5 GiB of memory, no file that
    grows, no core, 64 open files, of which it has none but its pipes."""
    pid = worker.run(worker.ready()).pid
    statuses = [
        dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines())
        for task in Path(f"/proc/{pid}/task").iterdir()
    ]
    # Ctrl-C in a terminal ends the service first.
    assert os.getsid(pid) == pid
    assert len(statuses) <= 2
    assert {(status["NoNewPrivs"], status["Seccomp"]) for status in statuses} == {("1", "2")}
    opened = {os.readlink(file).partition(":")[0] for file in Path(f"/proc/{pid}/fd").iterdir()}
    assert opened == {"pipe", "/dev/null"}
    wanted = {
        resource.RLIMIT_AS: 1536 << 20,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 64,
    }
    assert {limit: resource.prlimit(pid, limit) for limit in wanted} == {k: (v, v) for k, v in wanted.items()}


def test_processor_time_is_by_the_size_of_the_image(worker: Worker) -> None:
    """15 s before the header; then 15 s and 4 s for each 10^6 pixels, of which the image has 1.2."""

    async def judged() -> tuple[tuple[int, int], tuple[int, int]]:
        made = await MediaWorker.start(limited())
        before = resource.prlimit(made.pid, resource.RLIMIT_CPU)
        await made.answer(encoded(Image.new("1", (20_000, 60)), "PNG"))
        after = resource.prlimit(made.pid, resource.RLIMIT_CPU)
        await made.end()
        return before, after

    assert worker.run(judged()) == ((15, 120), (20, 120))


HOSTILE = [
    ("a header of 3600 MP", png_header(60_000, 60_000), "too_large"),
    ("a side of 20001 px", png_header(20_001, 1), "too_large"),
    ("25 MP", png_header(5000, 5000), "too_large_to_analyse"),
    ("empty", b"", "undecodable"),
    ("cut off", JPEG[:-20], "undecodable"),
    ("text", b"This is a text.\n" * 9, "unsupported_format"),
    ("SVG", b'<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>', "unsupported_format"),
    ("PDF and JPEG", b"%PDF-1.7\n" + JPEG, "unsupported_format"),
    ("GIF and script", b"GIF89a=1;alert(1)//", "undecodable"),
]


@pytest.mark.parametrize(("file", "code"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_a_hostile_file_is_refused_by_name(file: bytes, code: str, worker: Worker) -> None:
    """And the worker lives on."""
    before = worker.run(worker.ready()).pid
    refusal = worker.refusal(file)
    assert refusal is not None
    assert refusal.code == code
    assert worker.run(worker.ready()).pid == before


def check_mutations(worker: Worker, count: int, width: int, height: int) -> None:
    """Each of ``count`` changed files of each format ends in an answer or in a refusal that is the file's own."""
    files = {name: encoded(photo(width, height), name, exif=exif(6, "x")) for name in FORMATS}
    answered, codes = 0, set()
    for name, file in files.items():
        for seed in range(count):
            refusal = worker.refusal(mutated(file, zlib.crc32(f"{name} {seed}".encode())))
            answered += refusal is None
            if refusal is not None:
                codes.add(refusal.code)
                # Neither what a locked process cannot load nor what it may not do.
                assert not any(word in str(refusal) for word in ("Permission", "permitted", "ImportError", "NotFound"))
    assert codes <= {"undecodable", "unsupported_format", "too_large", "too_large_to_analyse", "worker_died"}
    assert {"undecodable", "unsupported_format"} <= codes
    assert 0 < answered < count * len(files)
    assert worker.answer(JPEG).facts.format == "JPEG"


def test_changed_files_end_in_an_answer_or_a_refusal(worker: Worker) -> None:
    """150 files, drawn once and for all, too small to be measured."""
    check_mutations(worker, 25, 48, 32)


@pytest.mark.campaign
@pytest.mark.parametrize(("width", "height"), [(48, 32), (272, 264)], ids=["decoded", "measured"])
def test_a_thousand_changed_files_end_in_an_answer_or_a_refusal(worker: Worker, width: int, height: int) -> None:
    """1002 files that are decoded alone, and 1002 of which what is still readable goes through every detector: none
    says of 256 px a side that it is too small."""
    check_mutations(worker, 167, width, height)


def gone(pid: int) -> bool:
    """Whether no process has this number any more."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture
def pool(worker: Worker) -> Iterator[MediaWorkers]:
    """Workers with the usual limits, ended afterwards."""
    made = MediaWorkers(limited())
    yield made
    worker.run(made.close())


async def _warm(pool: MediaWorkers) -> MediaWorker:
    return await pool.warm()


def test_each_job_has_a_worker_of_its_own(worker: Worker, pool: MediaWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker ends with its job, the next is warm by then, and the last ends with the pool. None sees the
    environment, of which this variable would forbid OpenCV the picture."""
    monkeypatch.setenv("OPENCV_IO_MAX_IMAGE_PIXELS", "100")
    first = worker.run(_warm(pool))
    answer = worker.run(pool.answer(JPEG))
    assert answer.facts.sha256 == hashlib.sha256(JPEG).hexdigest()
    second = worker.run(_warm(pool))
    assert (gone(first.pid), second.alive, second is first) == (True, True, False)
    with pytest.raises(MediaUnsupported):
        worker.run(pool.answer(b"text"))
    third = worker.run(_warm(pool))
    assert (gone(second.pid), gone(third.pid)) == (True, False)
    worker.run(pool.close())
    assert gone(third.pid)


async def _stopped(pool: MediaWorkers, file: bytes) -> tuple[MediaWorker, asyncio.Task[ScanAnswer]]:
    """A job in a worker that stands still, so that it does not end before the test has looked."""
    made = await pool.warm()
    os.kill(made.pid, signal.SIGSTOP)
    job = asyncio.create_task(pool.answer(file))
    # Taking a worker that is ready needs turns of the loop, and nothing from outside.
    for _ in range(20):
        await asyncio.sleep(0)
    assert not pool.warm().done()
    return made, job


def test_a_worker_that_is_killed_is_replaced(worker: Worker, pool: MediaWorkers) -> None:
    """The job that it had is refused by name, and the next job works."""

    async def killed() -> ScanAnswer:
        made, job = await _stopped(pool, JPEG)
        os.kill(made.pid, signal.SIGKILL)
        with pytest.raises(MediaWorkerDied, match=r"ended early \(-9\)"):
            await job
        assert not made.alive
        return await pool.answer(JPEG)

    assert worker.run(killed()).facts.format == "JPEG"


def test_a_worker_that_dies_while_it_waits_is_replaced(worker: Worker, pool: MediaWorkers) -> None:
    """The job does not notice."""

    async def killed() -> ScanAnswer:
        made = await pool.warm()
        await made.end()
        assert not made.alive
        return await pool.answer(JPEG)

    assert worker.run(killed()).facts.format == "JPEG"


def test_a_worker_is_ended_with_a_job_that_is_given_up(worker: Worker, pool: MediaWorkers) -> None:
    """Nobody waits for it any more."""

    async def given_up() -> MediaWorker:
        made, job = await _stopped(pool, JPEG)
        job.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await job
        return made

    assert gone(worker.run(given_up()).pid)


def test_a_job_that_takes_too_much_processor_time_is_ended(worker: Worker) -> None:
    """24 MP in 150 kB that take eight seconds, of which it may have one."""
    busy = MediaWorkers(limited(cpu_s=0, cpu_s_per_mp=0.01))
    with pytest.raises(MediaTookTooLong, match="processor time"):
        worker.run(busy.answer(slow_jpeg(4000)))
    worker.run(busy.close())


def test_a_job_that_takes_too_long_is_ended(worker: Worker) -> None:
    """A worker that stands still uses no processor; the clock ends it."""

    async def still() -> MediaWorker:
        made = await MediaWorker.start(limited(wall_s=0.05))
        os.kill(made.pid, signal.SIGSTOP)
        with pytest.raises(MediaTookTooLong, match=r"more than 0\.05 s"):
            await made.answer(JPEG)
        return made

    assert gone(worker.run(still()).pid)


def test_the_longest_file_is_read_and_a_longer_one_is_not_sent(worker: Worker, pool: MediaWorkers) -> None:
    """64 MiB through the pipe, and not a byte more."""
    assert MEDIA_MAX == 67108864
    with pytest.raises(MediaUnsupported):
        worker.run(pool.answer(bytes(MEDIA_MAX)))
    with pytest.raises(MediaTooLarge, match="67108865 bytes"):
        worker.run(pool.answer(bytes(MEDIA_MAX + 1)))


def speaking(*messages: bytes) -> str:
    """A program that writes these bytes and waits for the end of its input."""
    said = b"".join(messages).hex()
    return f"import os, sys; os.write(1, bytes.fromhex('{said}')); sys.stdin.buffer.read()"


def bytes_of(message: Any, *parts: bytes) -> bytes:
    """A frame."""
    return b"".join(frame(message, *parts))


READY = bytes_of(WorkerReady())
MEASURES = bytes_of(ImageMeasures(width=1, height=1))


@pytest.mark.parametrize(
    ("said", "refusal", "sentence"),
    [
        (bytes_of(WorkerRefusal("not_sandboxed", "No filter here.")), MediaNotSandboxed, "No filter here."),
        (MEASURES, MediaWorkerDied, "did not say that it is locked"),
        (b"\xff\xff\xff\xff", MediaWorkerDied, "did not start"),
        (READY + bytes_of(FOUND, REPORT, PICTURE), MediaWorkerDied, "no answer"),
        (READY + MEASURES + bytes_of(FOUND, REPORT, b"<script>"), MediaWorkerDied, "no answer"),
        (READY + MEASURES + bytes_of(FOUND, REPORT, b"<html>" + PICTURE), MediaWorkerDied, "no answer"),
        (READY + MEASURES + bytes_of(FOUND, REPORT, png_header(2561, 1)), MediaWorkerDied, "no answer"),
        (
            READY + MEASURES + bytes_of(FOUND, REPORT, png_header(1, 2561)),
            MediaWorkerDied,
            "no answer",
        ),
        (READY + MEASURES + bytes_of(FOUND, b'{"score":2}', PICTURE), MediaWorkerDied, "no answer"),
        (READY + MEASURES + bytes_of(FOUND, b"{" * 9000, PICTURE), MediaWorkerDied, "no answer"),
        (READY + MEASURES + MEASURES, MediaWorkerDied, "no answer"),
        (READY + READY, MediaWorkerDied, "no answer"),
        (READY + bytes_of(MediaJob("scan"), b"x"), MediaWorkerDied, "no answer"),
        (READY + MEASURES + b"\0\0\0\0", MediaWorkerDied, "no answer"),
    ],
)
def test_a_worker_that_was_taken_over_is_ended(
    said: bytes, refusal: type[MediaRefused], sentence: str, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is out of turn, no picture or no frame at all is no answer."""
    monkeypatch.setattr(service, "child", program_of(speaking(said)))

    with pytest.raises(refusal, match=sentence):
        worker.run(started_and_asked())


def test_an_end_within_an_answer_is_no_answer(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that ends by itself before the last byte of its preview."""
    said = READY + MEASURES + bytes_of(FOUND, REPORT, PICTURE)[:-1]
    broken = f"import os; os.write(1, bytes.fromhex('{said.hex()}'))"
    monkeypatch.setattr(service, "child", program_of(broken))
    with pytest.raises(MediaWorkerDied, match=r"ended early \(0\)"):
        worker.run(started_and_asked())


async def started_and_asked() -> ScanAnswer:
    """What a new worker says."""
    return await (await MediaWorker.start(limited())).answer(JPEG)


def test_a_worker_that_does_not_start_is_refused_and_tried_again(
    worker: Worker, pool: MediaWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that ends at once, and one that is never ready; a job starts its own then."""
    with monkeypatch.context() as patched:
        patched.setattr(service, "child", program_of("raise SystemExit"))
        with pytest.raises(MediaWorkerDied, match="did not start"):
            worker.run(_warm(pool))
        patched.setattr(service, "child", program_of("import sys; sys.stdin.read()"))
        patched.setattr(service, "START_S", 0.05)
        with pytest.raises(MediaWorkerDied, match="did not start"):
            worker.run(MediaWorker.start(limited()))
    assert worker.run(pool.answer(JPEG)).facts.format == "JPEG"


def test_nothing_is_decoded_on_another_system(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is started there."""
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(service, "child", program_of(speaking(READY)))
    with pytest.raises(MediaNotSandboxed, match=r"on Linux alone: nothing confines a decoder on darwin\.$"):
        worker.run(MediaWorker.start(limited()))
