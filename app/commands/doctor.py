"""``arc-console doctor``: what is missing or wrong on this machine, each with its remedy as a command to copy.

Needs neither the service nor a window system, changes nothing, and looks at a site's directory without opening it.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import os
import platform
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from app.capabilities.voice.analyser import MODELS as VOICE_MODELS
from app.capabilities.voice.models import load_engine
from app.commands.options import data_dir_of, profile_of
from app.delivery.site_mail import MAILBOX_PASSWORD, RELAY_PASSWORD
from app.site.settings import MailRelay, Settings
from app.site.site import Profile, Site
from app.store.backup import RESERVE
from app.store.reserve import SIZE, is_whole

Verdict = Literal["ok", "warning", "broken"]
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
)
"""Program, Debian package, and the file to look for where the program is a library."""

LOCKED_BYTES = 8 << 20
"""Locked memory that a renewal needs with room to spare: two rotations of 2.5 MiB."""


@dataclass(frozen=True)
class MachineFinding:
    """One check: what was looked at, what was found, and what to do about it."""

    id: str
    found: str
    verdict: Verdict
    remedy: str | None = None


def run(options: argparse.Namespace) -> int:
    """Prints every finding; the exit code is that of the worst one."""
    findings = list(examine(profile_of(options), data_dir_of(options), tests=options.tests))
    print(report(findings, as_json=options.json))
    return worst(findings)


def examine(profile: Profile, data_dir: Path | None, *, tests: bool = False) -> Iterator[MachineFinding]:
    """Every finding, in the order of the areas: program, screen, cards, site, safety, tests."""
    yield from _program()
    yield from _screen()
    yield from _cards()
    yield from _site(data_dir or Site.default_data_dir(profile))
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
    yield MachineFinding("program.python", f"{platform.python_version()} at {sys.executable}", "ok")
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
    remedy = "rm -r .venv && sh packaging/run.sh --setup-only" if wrong else None
    yield MachineFinding("program.packages", found, "broken" if wrong else "ok", remedy)
    from cryptography.hazmat.backends.openssl import backend

    yield MachineFinding("program.openssl", backend.openssl_version_text(), "ok")
    yield voice_models(VOICE_MODELS)


def voice_models(folder: Path) -> MachineFinding:
    """Whether the models of the voice check can be used. Everything else works without them."""
    try:
        model = load_engine(folder).model
    except (OSError, ValueError) as error:
        found = f"the voice check answers 503: {error}"
        return MachineFinding("program.voice_models", found, "warning", f"check out {folder} again")
    return MachineFinding("program.voice_models", f"{model.id}, SHA-256 {model.sha256[:16]}", "ok")


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
    fonts = sorted(path.name for path in (RESOURCES / "fonts").glob("*.[to]tf"))
    remedy = None if fonts else "check out resources/fonts again"
    yield MachineFinding("screen.fonts", f"{len(fonts)} bundled", "ok" if fonts else "broken", remedy)
    if sys.platform != "linux":
        return
    shown = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY")
    remedy = None if shown else "sh packaging/run.sh opens the console on a virtual screen"
    yield MachineFinding("screen.display", shown or "none", "ok" if shown else "warning", remedy)


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


def _site(data_dir: Path) -> Iterator[MachineFinding]:
    """The data directory: its mode, and the room on its disk."""
    if not data_dir.exists():
        yield MachineFinding("site.directory", f"{data_dir} is made at the first start", "ok")
    else:
        mode = stat.S_IMODE(data_dir.stat().st_mode)
        private = mode == 0o700 or sys.platform == "win32"
        remedy = None if private else f"chmod 700 {data_dir}"
        yield MachineFinding("site.directory", f"{data_dir} {mode:04o}", "ok" if private else "broken", remedy)
    yield from _public_address(data_dir / "site.json")
    yield from _mail(data_dir / "site.json", data_dir / "keys.db")
    if (data_dir / "store.db").exists():
        whole = is_whole(data_dir / RESERVE)
        found = f"{RESERVE} {SIZE >> 20} MiB" if whole else f"{RESERVE} is missing, or not whole and private"
        remedy = None if whole else f"start the service with {SIZE >> 20} MiB free: it makes the file"
        yield MachineFinding("site.reserve", found, "ok" if whole else "warning", remedy)
    existing = next(path for path in (data_dir, *data_dir.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    enough = free >= Settings().min_free_disk_bytes
    remedy = None if enough else "free some space: below this the service is not ready"
    yield MachineFinding("site.disk", f"{free >> 20} MiB free", "ok" if enough else "broken", remedy)


def _public_address(settings: Path) -> Iterator[MachineFinding]:
    """Whether certificates of cards say where to ask if they are revoked. Nothing of a site that is not there, or whose
    file a start will refuse."""
    try:
        found = msgspec.json.decode(settings.read_bytes())
        address = found.get("settings", {}).get("public_address")
        real = found["profile"] == "production"
    except (OSError, msgspec.MsgspecError, AttributeError, KeyError):
        return
    if address is not None:
        yield MachineFinding("site.public_address", f"{address}: cards name it for revocation list and OCSP", "ok")
        return
    yield MachineFinding(
        "site.public_address",
        "none: cards do not say where to ask whether they are revoked, so relying parties take a burned card to its "
        "end unless they are given the list of /pki/root.crl",
        "warning" if real else "ok",
        f'"public_address": "http://HOST" in the settings of {settings}; cards written from then on name it',
    )


def _mail(settings: Path, keys: Path) -> Iterator[MachineFinding]:
    """Whether notices to platforms can leave by mail. Nothing of a site that is not there, or whose file a start will
    refuse; the passwords themselves are sealed, so only whether there is one is looked at."""
    try:
        found = msgspec.json.decode(settings.read_bytes())
        kept = found.get("settings", {})
        relay, mailbox = msgspec.convert(kept.get("mail"), type=MailRelay | None), kept.get("bounce_mailbox")
        real = found["profile"] == "production"
    except (OSError, msgspec.MsgspecError, AttributeError, KeyError):
        return
    if relay is None:
        found_text = "no relay: notices by mail are held" if real else "the training site's own relay, on loopback"
        remedy = (
            f'"mail": {{"host": ..., "port": ..., "from_address": ..., "domain": ...}} in the settings of {settings}'
        )
        yield MachineFinding("site.mail", found_text, "warning" if real else "ok", remedy if real else None)
        return
    known = _given_secrets(keys)
    if relay.user is not None and RELAY_PASSWORD not in known:
        yield MachineFinding("site.mail", "the relay's password is missing", "broken", "arc-console mail password")
        return
    yield MachineFinding("site.mail", f"{relay.host}:{relay.port} as {relay.from_address}", "ok")
    if mailbox is None:
        found_text = "no bounce mailbox: a refusal that comes after the relay took a notice is not seen"
        yield MachineFinding("site.bounces", found_text, "warning", f'"bounce_mailbox": {{...}} in {settings}')
    elif MAILBOX_PASSWORD not in known:
        remedy = "arc-console mail password --mailbox"
        yield MachineFinding("site.bounces", "the password of the bounce mailbox is missing", "broken", remedy)


def _given_secrets(keys: Path) -> set[str]:
    """Purposes of the secrets in a site's file of wrapped keys, which is not opened as a site."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{keys}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT purpose FROM wrapped_key WHERE kind = 'secret'")
            return {str(row[0]) for row in rows}
    except sqlite3.Error:
        return set()


def _safety() -> Iterator[MachineFinding]:
    """What could carry a secret to the disk: swap, and too little memory that may be locked."""
    if sys.platform != "linux":
        return
    swaps = Path("/proc/swaps").read_text().splitlines()[1:]
    remedy = "encrypt swap: keys and PINs may reach it" if swaps else None
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
        ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False
    )
    return answer.stdout or "there"
