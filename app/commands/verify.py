"""``arc-console verify FILE``: whether evidence holds, in plain words; needs no service and no network.

Exit code 0: every check is good; 1: one is not; 2: the file or what is trusted cannot be read.
"""

from __future__ import annotations

import argparse
import contextlib
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TextIO

import msgspec
from cryptography import x509

from app.commands.options import data_dir_or_default, refuse
from app.evidence.checks import EvidenceError, Findings, PinnedTrust
from app.evidence.judge import examine
from app.ledger.bundle import BUNDLE_LIMIT
from app.ledger.c2sp.policy import NO_QUORUM, POLICY_LIMIT, PolicyError, WitnessPolicy, parse_policy
from app.ledger.sidecar import LIMIT as MANIFEST_LIMIT
from app.ledger.stamps.anchoring import authorities_of
from app.ledger.witnesses.witnessing import POLICY_FILE
from app.site.errors import SiteError
from app.site.site import Site

EXIT_GOOD: Final = 0
EXIT_BAD: Final = 1
ROOTS_FILE: Final = "roots"
OUTSIDE_ROOTS_FILE: Final = "outside-roots"
MANIFEST_SUFFIX: Final = ".c2pa"
"""A C2PA manifest lies beside its file, under the file's name."""
_ROOTS_LIMIT: Final = 1 << 20
_STORE: Final = "store.db"


class VerifyError(Exception):
    """What cannot be read; a sentence with the remedy."""


class _JsonReport(msgspec.Struct):
    """What ``--json`` prints."""

    file: str
    kind: str
    good: bool
    checks: list[dict[str, object]]


def run(options: argparse.Namespace) -> int:
    """Judges the file under ``--trust``, else under what the site that the options name trusts; the exit code."""
    try:
        trust = site_trust(data_dir_or_default(options)) if options.trust is None else pinned_trust(options.trust)
        return run_verify(options.file, trust, sys.stdout, as_json=options.json)
    except (VerifyError, EvidenceError) as error:
        return refuse(error)


def run_verify(file: Path, trust: PinnedTrust, out: TextIO, *, as_json: bool) -> int:
    """Judge ``file`` and print each check; the exit code. ``VerifyError`` or ``EvidenceError`` if it cannot be read."""
    beside = file.with_suffix(MANIFEST_SUFFIX)
    sidecar = _read(beside, MANIFEST_LIMIT) if beside != file and beside.exists() else None
    findings = examine(_read(file, BUNDLE_LIMIT), trust, sidecar)
    print(_json(file, findings) if as_json else _words(file, findings), file=out)
    return EXIT_GOOD if findings.good else EXIT_BAD


def pinned_trust(directory: Path) -> PinnedTrust:
    """What ``directory`` pins: ``policy`` (C2SP tlog-policy) and ``roots`` (PEM), as GET ``/v1/log/policy`` and
    ``/v1/log/roots`` give them. One of them may be missing: what needs it is refused then. ``outside-roots`` (PEM):
    those of outside time-stamp authorities, from the authorities themselves."""
    paths = directory / POLICY_FILE, directory / ROOTS_FILE
    if not any(path.exists() for path in paths):
        raise VerifyError(
            f"{directory} has neither a file policy nor a file roots. Save there what GET /v1/log/policy and "
            "/v1/log/roots of the site give."
        )
    policy, roots = paths
    return PinnedTrust(_policy(policy), _roots(roots), _roots(directory / OUTSIDE_ROOTS_FILE))


def site_trust(data_dir: Path) -> PinnedTrust:
    """What the site in ``data_dir`` trusts: its own policy and root. Read beside a running service."""
    store = data_dir / _STORE
    if not store.exists():
        raise VerifyError(f"{data_dir} is no site. Name what you trust with --trust, or the site with --data-dir.")
    try:
        with contextlib.closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT certificate FROM site_certificate WHERE name = 'root'").fetchall()
        outside = [root for one in authorities_of(Site.existing(data_dir), all_of_them=True) for root in one.roots]
        own = [x509.load_der_x509_certificate(row[0]) for row in rows]
        return PinnedTrust(_policy(data_dir / POLICY_FILE), own, outside)
    except SiteError as error:
        raise VerifyError(str(error)) from error
    except (sqlite3.Error, ValueError) as error:
        raise VerifyError(f"{store} cannot be read: {error}. Check the disk, or name what you trust.") from error


def _policy(path: Path) -> WitnessPolicy | None:
    if not path.exists():
        return None
    try:
        policy = parse_policy(_read(path, POLICY_LIMIT))
    except PolicyError as error:
        raise VerifyError(f"{path}: {error} Get it from the site again.") from None
    if policy.quorum == NO_QUORUM:
        raise VerifyError(f"{path} has the quorum none: a seal that nobody witnessed proves nothing.")
    return policy


def _roots(path: Path) -> Sequence[x509.Certificate]:
    if not path.exists():
        return ()
    try:
        return x509.load_pem_x509_certificates(_read(path, _ROOTS_LIMIT))
    except ValueError:
        raise VerifyError(f"{path} holds no PEM certificates. Get it from the site again.") from None


def _read(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise VerifyError(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > limit:
        raise VerifyError(f"{path} is longer than {limit} bytes; it is nothing that this site gives out.")
    return data


def _json(file: Path, findings: Findings) -> str:
    checks: list[dict[str, object]] = [msgspec.to_builtins(check) for check in findings.checks]
    # A name of bytes that are no text has none in JSON.
    name = str(file).encode(errors="replace").decode()
    return msgspec.json.encode(_JsonReport(name, findings.kind, findings.good, checks)).decode()


def _words(file: Path, findings: Findings) -> str:
    lines = [f"{'good' if check.good else 'BAD':<6}{check.name:<12}{check.sentence}" for check in findings.checks]
    bad = sum(not check.good for check in findings.checks)
    verdict = f"NOT VERIFIED: {bad} of {len(findings.checks)} checks failed" if bad else "VERIFIED"
    return "\n".join(_plain(line) for line in (*lines, f"{verdict}: {file}"))


def _plain(line: str) -> str:
    """What the file says of itself must not command the terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in line)
