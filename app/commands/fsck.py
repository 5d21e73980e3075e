"""``arc-console fsck``: a site's store against its keys, its policy, its witnesses, and what capabilities derive.

Needs no service and disturbs none. Exit code 0: nothing found; 1: findings; 2: it could not be looked at.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import os
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal, TextIO

import msgspec
from cryptography import x509

from app.capabilities.burn.fsck import check_reserve
from app.commands.options import data_dir_or_default, profile_of, refuse
from app.ledger.c2sp.policy import PolicyError, WitnessPolicy
from app.ledger.check.fsck import Against, SeenHead, fsck
from app.ledger.check.rows import WHOLE, LogFault, LogIdentity, LogPart
from app.ledger.log.keys import LedgerBroken, ring_reader
from app.ledger.stamps.anchoring import authorities_of
from app.ledger.tables import AUDIT, SEAL
from app.ledger.witnesses.client import WitnessClient, WitnessError
from app.ledger.witnesses.site_policy import read_policy
from app.ledger.witnesses.witnessing import POLICY_FILE, WITNESSES_DIR
from app.service.assembly import CAPABILITIES
from app.site.errors import SiteError
from app.site.site import Site
from app.store import migrations
from app.store.engine import open_snapshot, schema_of
from app.store.errors import StoreError, StoreRefused
from app.store.keys import Keys, find_kek

EXIT_CLEAN: Final = 0
EXIT_FINDINGS: Final = 1
_Label = Literal["seal", "audit"]
_LOGS: Final[tuple[tuple[_Label, int], ...]] = (("seal", SEAL), ("audit", AUDIT))


def run(options: argparse.Namespace) -> int:
    """Checks the site that the options name; the exit code."""
    data_dir = data_dir_or_default(options)
    if not data_dir.is_dir():
        return refuse(SiteError(f"{data_dir} is not there: there is nothing to look at. Name the site's directory."))
    site = Site.open(data_dir, profile_of(options))
    if options.gently:
        with contextlib.suppress(AttributeError, OSError):  # a system without priorities of this kind
            os.nice(19)
    try:
        part = LogPart(*options.part)
        return run_fsck(site, sys.stdout, as_json=options.json, offline=options.offline, part=part)
    except StoreError as error:
        return refuse(error)


class Summary(msgspec.Struct):
    """The last line of ``--json``: how many findings, and what was not looked at."""

    findings: int
    notes: list[str]


def run_fsck(site: Site, out: TextIO, *, as_json: bool, offline: bool, part: LogPart = WHOLE) -> int:
    """Every finding on ``out`` as it is found, progress on stderr. ``StoreRefused`` when the store cannot be looked
    at."""
    notes: list[str] = []
    found = 0
    try:
        for finding in examine(site, notes, offline=offline, part=part):
            found += 1
            _write(out, msgspec.json.encode(finding).decode() if as_json else _line(finding))
    except sqlite3.Error as error:
        raise StoreRefused(
            f"{site.store_path} cannot be read: {error}. Check the disk, or restore a backup."
        ) from error
    finally:
        _tell("")
    if as_json:
        _write(out, msgspec.json.encode(Summary(found, notes)).decode())
    else:
        clean = "Clean: every entry, tile, head and note fits what was signed."
        if part != WHOLE:
            clean = f"Clean: this part, {part.number + 1} of {part.of}, with all tiles and heads fits what was signed."
        _write(out, *notes, f"{found} findings" if found else clean)
    return EXIT_FINDINGS if found else EXIT_CLEAN


def examine(site: Site, notes: list[str], *, offline: bool, part: LogPart = WHOLE) -> Iterator[LogFault]:
    """The findings of a site; ``notes`` is told what could not be looked at."""
    for path in (site.store_path, site.keys_path):
        if not path.exists():
            raise StoreRefused(f"{path} is not there: there is nothing to look at. Name the site's directory.")
    schema = schema_of(site.store_path)
    if schema != migrations.HEAD:
        raise StoreRefused(
            f"{site.store_path} is of an earlier version (schema {schema}): start its service once, which backs it up "
            "and migrates it. The fsck of that version judges it as it is."
        )
    with contextlib.closing(Keys(site.keys_path, find_kek(site))) as keys:
        identities = {}
        for label, number in _LOGS:
            identities[label], wrong = _identity(site, keys, label, number)
            if wrong is not None:
                yield LogFault("log_key", wrong)
        authority = keys.p256("ca").public_key()
        with contextlib.closing(open_snapshot(site.store_path)) as raw:
            yield from check_reserve(site.reserve_path, keys.sealer, raw, notes)
    policy = None
    earlier: list[WitnessPolicy] = []
    try:
        policy = read_policy(site.data_dir / POLICY_FILE, [key for each in identities.values() for key in each.keys])
        earlier += _earlier_policies(site, identities)
    except PolicyError as error:
        yield LogFault(POLICY_FILE, str(error))
    if policy is None:
        notes.append("Without a policy nobody's cosignatures were judged but the logs' own signatures.")
    seen: list[SeenHead] = []
    if policy is not None and offline:
        notes.append("Offline: whether this store is the newest, witnesses were not asked.")
    elif policy is not None:
        seen = [*asyncio.run(_ask(site, policy, notes)), *_local(site, notes)]
    root = _root(site)
    if root is not None and root.public_key() != authority:
        yield LogFault("site_certificate", "the site's root is not of the site's key")
        root = None
    if root is None:
        notes.append("Without the site's root its time stamps were not judged.")
    against = Against(
        seal=identities["seal"],
        audit=identities["audit"],
        policy=policy,
        roots=[] if root is None else [root],
        anchor_roots={one.url: one.roots for one in authorities_of(site, all_of_them=True)},
        earlier=earlier,
        seen=seen,
        derived=[make([] if root is None else [root]) for capability in CAPABILITIES for make in capability.fsck],
    )
    yield from fsck(site.store_path, against, _progress, part)


def _identity(site: Site, keys: Keys, label: _Label, number: int) -> tuple[LogIdentity, str | None]:
    """The log's keys, and what is wrong with how they were replaced: then those of its beginning."""
    found: list[LogIdentity] = []
    wrong = None
    for generation in range(1, site.generation + 1):
        origin = replace(site, generation=generation).origin(label)
        read = ring_reader(origin, label, keys, number)
        try:
            with contextlib.closing(open_snapshot(site.store_path)) as store:
                ring = read(store)
        except (LedgerBroken, sqlite3.Error) as error:
            wrong, ring = str(error), read(None)
        public = [key for pair in ring.pairs for key in pair.keys]
        since = [(row.seq, pair.signer.verifier) for row, pair in zip(ring.rows, ring.pairs[1:], strict=True)]
        found.append(LogIdentity(origin, public, tuple(found), since))
    return found[-1], wrong


def _root(site: Site) -> x509.Certificate | None:
    """The site's own root, under which its time stamps are."""
    with contextlib.closing(open_snapshot(site.store_path)) as store:
        row = store.execute("SELECT certificate FROM site_certificate WHERE name = 'root'").fetchone()
    try:
        return None if row is None else x509.load_der_x509_certificate(row[0])
    except ValueError:
        return None


def _earlier_policies(site: Site, identities: Mapping[_Label, LogIdentity]) -> Iterator[WitnessPolicy]:
    """Of earlier generations, as far as they are kept."""
    for number in range(1, site.generation):
        keys = [key for one in identities.values() for key in one.earlier[number - 1].keys]
        policy = read_policy(site.data_dir / f"{POLICY_FILE}.{number}", keys)
        if policy is not None:
            yield policy


async def _ask(site: Site, policy: WitnessPolicy, notes: list[str]) -> Sequence[SeenHead]:
    """What the witnesses with an address have seen of both logs."""
    import httpx

    found = []
    urls = {row.key.name: row.url for row in policy.witnesses if row.url is not None}
    async with httpx.AsyncClient(trust_env=False, follow_redirects=False) as http:
        for name, url in urls.items():
            client = WitnessClient(name, url.rstrip("/") + "/", http)
            for label, number in _LOGS:
                origin = site.origin(label)
                try:
                    note = await client.newest_checkpoint(hashlib.sha256(origin.encode()).hexdigest())
                except WitnessError as error:
                    notes.append(f"Not compared with a witness: {error}")
                else:
                    found.append(SeenHead(name, number, note))
    return found


def _local(site: Site, notes: list[str]) -> Iterator[SeenHead]:
    """What the local witnesses have seen, from their files: while a service runs they hold them, and it asks them."""
    from app.commands.witness import STATE

    for path in sorted((site.data_dir / WITNESSES_DIR).glob(f"*/{STATE}")):
        name = path.parent.name
        try:
            with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as state:
                rows = dict(state.execute("SELECT origin, note FROM seen").fetchall())
        except sqlite3.Error:
            notes.append(f"Not compared with the local witness {name}: it is running, and its service has asked it.")
            continue
        for label, number in _LOGS:
            note = rows.get(site.origin(label))
            yield SeenHead(name, number, None if note is None else bytes(note).decode("utf-8", "replace"))


def _write(out: TextIO, *lines: str) -> None:
    out.writelines(f"{line}\n" for line in lines)
    out.flush()


def _line(finding: LogFault) -> str:
    place = finding.where if finding.seq is None else f"{finding.where} {finding.seq}"
    return f"{place}: {finding.what}"


def _progress(what: str, done: int, of: int) -> None:
    _tell(f"{what} {done:,} of {of:,}" if of > 1 else what)


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
    elif text:
        sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
