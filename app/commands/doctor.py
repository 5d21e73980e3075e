"""``arc-console doctor``: what is missing or wrong on this machine, each with its remedy as a command to copy.

Needs neither the service nor a window system, changes nothing, and looks at a site's directory without opening it.
"""

from __future__ import annotations

import argparse
import ctypes.util
import importlib
import importlib.metadata
import os
import platform
import shutil
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from app.commands.finding import MachineFinding, Verdict
from app.commands.options import data_dir_of, named_profile, profile_of
from app.program import executable, is_built, outside
from app.site.errors import SiteError
from app.site.site import Profile, Site

EXIT_OF: dict[Verdict, int] = {"ok": 0, "warning": 1, "broken": 2}

RESOURCES = Path(__file__).parents[2] / "resources"
VPCD_PORTS = (35963, 35964)
MIN_GLIBC = (2, 34)

TEST_PROGRAMS = (
    ("vpcd", "vsmartcard-vpcd", "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"),
    ("opensc-tool", "opensc", None),
    ("yubico-piv-tool", "yubico-piv-tool", None),
    ("openssl", "openssl", None),
    ("pdftotext", "poppler-utils", None),
    ("certutil", "libnss3-tools", None),
    ("xvfb-run", "xvfb", None),
    ("xdotool", "xdotool", None),
    ("dbus-run-session", "dbus", None),
    ("ip", "iproute2", None),
    ("unshare", "util-linux", None),
    ("opendkim-testmsg", "opendkim-tools", None),
    ("dovecot", "dovecot-imapd", None),
    ("appstreamcli", "appstream", None),
    ("desktop-file-validate", "desktop-file-utils", None),
    ("groff", "groff-base", None),
    ("man", "man-db", None),
)
"""Program, Debian package, and the file to look for where the program is a library."""

AT_SPI = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")

LIBRARIES: Final[Mapping[str, str | None]] = {
    "cryptography.hazmat.bindings._rust": None,
    "OpenSSL.SSL": None,
    "msgspec": None,
    "httptools": None,
    "sqlalchemy": None,
    "numpy.linalg": None,
    "cv2": None,
    "faiss": None,
    "onnxruntime": None,
    "PIL.Image": None,
    "av": None,
    "lxml.etree": None,
    "rfc3161_client": None,
    "c2pa": None,
    "pkcs11": None,
    "zxingcpp": None,
    "osdp_sys": None,
    "bonsai": None,
    "smartcard.scard": "libpcsclite1",
    "sounddevice": "libportaudio2",
    "shiboken6": None,
    "PySide6.QtCore": "libglib2.0-0",
    "PySide6.QtNetwork": "libgssapi-krb5-2",
    "PySide6.QtGui": "libegl1 libgl1 libfontconfig1 libxkbcommon0 libdbus-1-3",
    "PySide6.QtWidgets": "libegl1 libgl1",
    "PySide6.QtSvg": "libegl1 libgl1",
}
"""Modules that load a native library, each with the Debian packages of the system libraries that it may lack."""

LOCKED_BYTES = 8 << 20
"""Locked memory that a renewal needs with room to spare: two rotations of 2.5 MiB."""


def run(options: argparse.Namespace) -> int:
    """Prints every finding; the exit code is that of the worst one."""
    try:
        profile = profile_of(options)
    except SiteError:
        # Its own row says what is wrong with the directory.
        profile = named_profile(options) or "training"
    findings = list(examine(profile, data_dir_of(options), tests=options.tests))
    print(report(findings, as_json=options.json))
    return worst(findings)


def examine(profile: Profile, data_dir: Path | None, *, tests: bool = False) -> Iterator[MachineFinding]:
    """Every finding, in the order of the areas: program, screen, cards, site, safety, tests."""
    yield from _program()
    libraries = examine_libraries()
    yield libraries
    if libraries.verdict != "broken":
        yield from _parts(data_dir or Site.default_data_dir(profile))
    yield from _screen()
    yield from _cards()
    yield from _safety()
    if tests:
        yield from _tests()


def report(findings: list[MachineFinding], *, as_json: bool) -> str:
    """The findings as a table for people, or as JSON."""
    if as_json:
        return msgspec.json.format(msgspec.json.encode(findings), indent=2).decode()
    width = max(len(finding.id) for finding in findings)
    lines = []
    for finding in findings:
        lines.append(f"{finding.verdict:8} {finding.id:{width}}  {finding.found}")
        if finding.remedy is not None:
            lines.append(f"{'':8} {'':{width}}  -> {finding.remedy}")
    return "\n".join(lines)


def worst(findings: list[MachineFinding]) -> int:
    """Exit code: 0 all well, 1 warnings, 2 something is broken."""
    return max((EXIT_OF[finding.verdict] for finding in findings), default=0)


def _program() -> Iterator[MachineFinding]:
    """Interpreter, libc, packages and OpenSSL."""
    yield MachineFinding("program.python", f"{platform.python_version()} at {executable()}", "ok")
    libc, number = platform.libc_ver()
    if libc == "glibc":
        new_enough = tuple(int(part) for part in number.split(".")[:2]) >= MIN_GLIBC
        remedy = None if new_enough else "use Debian 12, Ubuntu 22.04 or newer"
        yield MachineFinding("program.glibc", number, "ok" if new_enough else "broken", remedy)
    wrong = [
        requirement
        for requirement in importlib.metadata.requires("arc-console") or ()
        if not _is_installed(requirement)
    ]
    found = ", ".join(wrong) if wrong else "all installed"
    yield MachineFinding("program.packages", found, "broken" if wrong else "ok", _again() if wrong else None)
    yield _qt()


def _again(*, resources: bool = False) -> str:
    """What brings the program's libraries back, or its files of ``resources/``."""
    if is_built():
        return "apt-get install --reinstall arc-console  (or run the .run file again)"
    how = "git checkout -- resources" if resources else "rm -rf .venv && sh packaging/run.sh --setup-only"
    return f"cd {RESOURCES.parent} && {how}"


def _qt() -> MachineFinding:
    """Whether the Qt binding is one that keeps its references: 6.12.0 loses one of None with each call, and ends the
    process after some thousands, on Python before 3.12."""
    try:
        version = importlib.metadata.version("PySide6-Essentials")
    except importlib.metadata.PackageNotFoundError:
        return MachineFinding("program.qt", "not installed", "broken", _again())
    loses = version.startswith("6.12.0") and sys.version_info < (3, 12)
    return MachineFinding("program.qt", version, "broken" if loses else "ok", _again() if loses else None)


def examine_libraries(libraries: Mapping[str, str | None] = LIBRARIES) -> MachineFinding:
    """Whether each native library loads, with what it needs of the system. A package that is installed can still be
    dead: its metadata says nothing of a system library that is not there."""
    missing: list[str] = []
    packages: set[str] = set()
    for name, package in libraries.items():
        try:
            importlib.import_module(name)
        except Exception as error:
            missing.append(f"{name}: {error}")
            packages |= set() if package is None else {package}
    if not missing:
        return MachineFinding("program.libraries", f"{len(libraries)} load", "ok")
    remedy = f"apt-get install {' '.join(sorted(packages))}" if packages else _again()
    return MachineFinding("program.libraries", "; ".join(missing), "broken", remedy)


def _parts(data_dir: Path) -> Iterator[MachineFinding]:
    """What needs the program's own modules: they load where their libraries do. All parts of the service are imported
    as a start imports them."""
    try:
        from app.commands.doctor_site import examine_site
        from app.service.assembly import CAPABILITIES
    except Exception as error:
        yield MachineFinding("program.service", f"the service cannot be loaded: {error}", "broken", _again())
        return
    yield MachineFinding("program.service", f"{len(CAPABILITIES)} capabilities load", "ok")
    from cryptography.hazmat.backends.openssl import backend

    from app.capabilities.media.worker.workers import MODEL
    from app.capabilities.voice.analyser import MODELS

    yield MachineFinding("program.openssl", backend.openssl_version_text(), "ok")
    yield voice_models(MODELS)
    yield media_model(MODEL)
    yield from examine_site(data_dir)
    if sys.platform == "linux":
        yield sandbox(_try_sandbox())


def _try_sandbox() -> int:
    """What became of a child that locks itself as a decoder of media does, and then asks for a socket: 0, it was
    refused; 1, it got one; 2, it could not lock itself."""
    import resource

    from app.capabilities.media.worker.refusals import MediaNotSandboxed
    from app.capabilities.media.worker.sandbox import SandboxLimits, lock

    # As much memory as now: the doctor has more libraries in it than a decoder has.
    limits = SandboxLimits(memory=resource.getrlimit(resource.RLIMIT_AS)[1])
    with warnings.catch_warnings():
        # The child runs one function and ends: it waits for no lock that another thread of the doctor held.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 2
    try:
        lock(limits)
        code = 1
        socket.socket().close()
    except PermissionError:
        code = 0
    except MediaNotSandboxed:
        pass
    finally:
        os._exit(code)


def sandbox(code: int) -> MachineFinding:
    """What the end of that child means: media are decoded behind the lock, or not at all."""
    if code == 0:
        return MachineFinding("safety.sandbox", "a decoder of media reaches nothing but its pipes", "ok")
    found = "a locked decoder got a socket" if code == 1 else "decoders of media cannot be locked: no scan is made"
    remedy = "cat /proc/sys/kernel/seccomp/actions_avail  (the kernel must have seccomp filters, on x86_64 or aarch64)"
    return MachineFinding("safety.sandbox", found, "broken" if code == 1 else "warning", remedy)


def voice_models(folder: Path) -> MachineFinding:
    """Whether the models of the voice check can be used. Everything else works without them."""
    from app.capabilities.voice.models import load_engine

    try:
        model = load_engine(folder).model
    except (OSError, ValueError) as error:
        found = f"the voice check answers 503: {folder}: {error}"
        return MachineFinding("program.voice_models", found, "warning", _again(resources=True))
    return MachineFinding("program.voice_models", f"{model.id}, SHA-256 {model.sha256[:16]}", "ok")


def media_model(folder: Path) -> MachineFinding:
    """Whether what judges images can be used: the model, and the cascade that finds faces."""
    from app.capabilities.media.analysis.judge import ImageJudge
    from app.capabilities.media.detectors.faces import FaceFinder

    resources = False
    try:
        FaceFinder()
        resources = True
        facts = ImageJudge.load(folder).facts
    except (OSError, ValueError) as error:
        remedy = _again(resources=resources)
        return MachineFinding("program.media_model", f"media scans fail: {error}", "warning", remedy)
    return MachineFinding("program.media_model", facts.version, "ok")


def _is_installed(requirement: str) -> bool:
    """Whether the distribution is there; its version is the lock's business, which installs with hashes."""
    name = requirement.split(";")[0].split("[")[0]
    for mark in "<>=!~ ":
        name = name.split(mark)[0]
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _screen() -> Iterator[MachineFinding]:
    """Fonts, a display, what the window system's plugin lacks most often, and what screen readers go by."""
    fonts = sorted(path.name for path in (RESOURCES / "fonts").glob("*.[to]tf"))
    remedy = None if fonts else _again(resources=True)
    yield MachineFinding("screen.fonts", f"{len(fonts)} bundled", "ok" if fonts else "broken", remedy)
    if sys.platform != "linux":
        return
    shown = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY")
    remedy = None if shown else 'xvfb-run -a -s "-screen 0 1480x900x24" arc-console --picture FILE'
    yield MachineFinding("screen.display", shown or "none", "ok" if shown else "warning", remedy)
    if os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        there = ctypes.util.find_library("xcb-cursor") is not None
        remedy = None if there else "apt-get install libxcb-cursor0"
        found = "libxcb-cursor is there" if there else "without libxcb-cursor no window opens"
        yield MachineFinding("screen.plugin", found, "ok" if there else "broken", remedy)
    reads = any(Path(place).exists() for place in AT_SPI)
    found = "a screen reader can follow the console" if reads else "no AT-SPI: screen readers see nothing"
    remedy = None if reads else "apt-get install at-spi2-core"
    yield MachineFinding("screen.accessibility", found, "ok" if reads else "warning", remedy)


def _cards() -> Iterator[MachineFinding]:
    """The PC/SC library and service, and a vpcd that other machines can reach."""
    try:
        from hardware.cards.pcsc import PcscBackend
    except ImportError as error:
        yield MachineFinding("cards.library", str(error), "broken", "apt-get install libpcsclite1")
        return
    from hardware.cards.backend import CardError

    try:
        readers = PcscBackend().readers()
    except CardError as error:
        yield MachineFinding("cards.service", str(error), "warning", "systemctl start pcscd  (or: pcscd --foreground)")
    else:
        yield MachineFinding("cards.service", f"answers, {len(readers)} reader{'s' * (len(readers) != 1)}", "ok")
    open_ports = sorted(port for port in VPCD_PORTS if port in _listening_everywhere())
    if open_ports:
        found = f"vpcd listens on every interface ({', '.join(map(str, open_ports))})"
        yield MachineFinding("cards.vpcd", found, "warning", "apt-get remove vsmartcard-vpcd  (test machines only)")


def _listening_everywhere() -> set[int]:
    """TCP ports that listen on all interfaces (proc(5), net/tcp: state 0A, address zero)."""
    ports = set()
    for name, zero in (("tcp", "00000000"), ("tcp6", "0" * 32)):
        try:
            lines = Path(f"/proc/net/{name}").read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            address, _, port = line.split()[1].partition(":")
            if line.split()[3] == "0A" and address == zero:
                ports.add(int(port, 16))
    return ports


def _safety() -> Iterator[MachineFinding]:
    """What could carry a secret to the disk: swap, and too little memory that may be locked."""
    if sys.platform != "linux":
        return
    swaps = Path("/proc/swaps").read_text().splitlines()[1:]
    remedy = "swapoff --all  (or encrypt it: keys and PINs may reach it)" if swaps else None
    yield MachineFinding(
        "safety.swap", f"{len(swaps)} area{'s' * (len(swaps) != 1)}", "warning" if swaps else "ok", remedy
    )
    import resource

    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
    enough = limit == resource.RLIM_INFINITY or limit >= LOCKED_BYTES
    found = "without limit" if limit == resource.RLIM_INFINITY else f"{limit >> 10} KiB may be locked"
    remedy = None if enough else f"ulimit -Hl {LOCKED_BYTES >> 10}, or LimitMEMLOCK={LOCKED_BYTES >> 20}M in the unit"
    yield MachineFinding("safety.locked_memory", found, "ok" if enough else "warning", remedy)


def _tests() -> Iterator[MachineFinding]:
    for program, package, file in TEST_PROGRAMS:
        there = Path(file).exists() if file is not None else shutil.which(program) is not None
        remedy = None if there else f"apt-get install {package}"
        yield MachineFinding(
            f"tests.{program}", _version(package) if there else "missing", "ok" if there else "broken", remedy
        )


def _version(package: str) -> str:
    if shutil.which("dpkg-query") is None:
        return "there"
    answer = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", package],
        capture_output=True,
        text=True,
        check=False,
        env=outside(os.environ),
    )
    return answer.stdout or "there"
