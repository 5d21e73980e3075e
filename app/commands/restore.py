"""``arc-console restore``: a site back from its backup, in a way that never forks a log.

A backup is older than the site from the next entry on. What was witnessed after it cannot be taken back, so ``restore``
asks the witnesses first, and goes nowhere behind what they saw. Where the newer entries are lost
for good, ``--new-generation`` goes on under another origin, in the open.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import hashlib
import os
import re
import shutil
import sqlite3
import ssl
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from app.api.wire import rfc3339
from app.biometrics import handed_bundles
from app.biometrics.registry_keys import RegistryKeys
from app.biometrics.template_registries import keyless
from app.commands.options import EXIT_OK, refuse
from app.commands.witness import open_cosigners
from app.ledger.c2sp.cosignature import CosignerKey
from app.ledger.c2sp.note import Verifier, checkpoint_text
from app.ledger.c2sp.policy import LogRow, PolicyError, WitnessPolicy
from app.ledger.log.keys import ring_reader
from app.ledger.log.log import AnyLog
from app.ledger.tables import AUDIT, SEAL
from app.ledger.tree.leaf import GENERATION
from app.ledger.witnesses.client import WitnessClient, WitnessError
from app.ledger.witnesses.local import LocalWitness
from app.ledger.witnesses.site_policy import follow_keys, make_policy, read_policy
from app.ledger.witnesses.start_check import StoreStanding, StoreVerdict, check
from app.ledger.witnesses.witnessing import FIRST_READY_S, POLICY_FILE, WITNESSES_DIR
from app.registry.denyset import first_number, next_epoch
from app.service.open_store import OpenStore, open_keys, open_store
from app.service.process import ServeError, limit_process
from app.site.exclusive import exclusive
from app.site.private_files import sync_directory, write_private
from app.site.site import GENERATIONS, LOCK_FILE, PASSPHRASE_FILE, Site
from app.site.site_version import write_version
from app.store.backup import (
    KEYS,
    MAC_PURPOSE,
    REQUIRED,
    SITE,
    STORE,
    Archive,
    BackupManifest,
    check_database,
    open_backup,
)
from app.store.engine import refusing
from app.store.errors import StoreError
from app.store.kek import DERIVATION_FILE, KEK_FILE
from app.store.keys import Keys
from app.store.writer import Transaction

STANDING: Final = "REOPENED"
ACTOR: Final = "command-line"

_LOGS: Final[tuple[tuple[Literal["seal", "audit"], int], ...]] = (("seal", SEAL), ("audit", AUDIT))
_ROOM: Final = ".restore"
_TRIES: Final = 5
"""Of a question to a witness whose silence would be taken for its not knowing."""
_BROUGHT: Final = {KEK_FILE, DERIVATION_FILE, PASSPHRASE_FILE, WITNESSES_DIR, LOCK_FILE}
"""What no backup holds, and what an operator may have put into the directory already."""

_PLACED: Final = re.compile(
    r"store\.db|keys\.db|program\.json|burns\.reserve|policy(\.[1-9][0-9]?)?|makers\.pem|\.(site|kek)\.json\.[0-9a-f]{8}"
)
"""What a restore has put into the directory before ``site.json``, and scratch files of that."""


class RestoreRefused(StoreError):
    """Nothing was restored; the text says why and what to do."""


@dataclass(frozen=True)
class Restored:
    """What ``restore`` did. ``sentences`` for people: what else there is to do."""

    site: Site
    manifest: BackupManifest
    sentences: Sequence[str]


def run(options: argparse.Namespace) -> int:
    """Restores the archive into ``--data-dir``; prints what else the operator must do."""
    limit_process()
    try:
        done = restore(options.file, options.data_dir, new_generation=options.new_generation)
    except StoreError as error:
        return refuse(error)
    print(f"Restored the {done.site.profile} site {done.site.name} to {done.site.data_dir}.", *done.sentences, sep="\n")
    return EXIT_OK


def restore(path: Path, data_dir: Path, *, new_generation: bool = False) -> Restored:
    """The site in the archive ``path`` into ``data_dir``, which must be empty but for what no backup holds.

    ``site.json`` comes last: until then no command takes the directory for a site, and the next ``restore`` begins
    again. Raises ``RestoreRefused`` another ``StoreError`` or ``SiteBusy``; then nothing of it is left there.
    """
    data_dir = data_dir.absolute()
    with refusing(data_dir), open_backup(path) as archive, _room(data_dir) as room:
        archive.unpack(room)
        derivation = data_dir / DERIVATION_FILE
        brought = derivation.exists()
        try:
            return _restore(archive, room, data_dir, new_generation)
        except BaseException:
            if not brought:
                derivation.unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def _room(data_dir: Path) -> Iterator[Path]:
    """A private directory inside ``data_dir`` for what is not checked yet, held against a second restore and a start
    of the service."""
    room = data_dir / _ROOM
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Before the lock, so that a refused directory gets no file; after it again, for what came while it was taken.
    _left_by_a_killed_restore(data_dir)
    with exclusive(data_dir / LOCK_FILE, f"Another restore or service works on {data_dir}."):
        _clear(data_dir, _left_by_a_killed_restore(data_dir))
        data_dir.chmod(0o700)
        room.mkdir(mode=0o700)
        try:
            yield room
        except BaseException:
            if not (data_dir / SITE).exists():
                _clear(data_dir, _left_by_a_killed_restore(data_dir))
            raise
        shutil.rmtree(room)


def _left_by_a_killed_restore(data_dir: Path) -> set[str]:
    """What an earlier restore left, which the archive has too. ``RestoreRefused`` for anything else."""
    present = {entry.name for entry in data_dir.iterdir()} - _BROUGHT
    # With the room and without site.json: only a restore leaves that.
    left = {name for name in present if name == _ROOM or _PLACED.fullmatch(name)}
    if present and (present != left or _ROOM not in present):
        raise RestoreRefused(
            f"{data_dir} is not empty. Name an empty directory; it may hold {', '.join(sorted(_BROUGHT))} alone."
        )
    return left


def _clear(data_dir: Path, left: set[str]) -> None:
    # The room last: without it the rest would be a stranger's.
    for name in sorted(left - {_ROOM}):
        (data_dir / name).unlink()
    if _ROOM in left:
        shutil.rmtree(data_dir / _ROOM)


def _restore(archive: Archive, room: Path, data_dir: Path, new_generation: bool) -> Restored:
    """Check the archive in its room, ask the witnesses, begin a new generation if that was asked for, move it into
    place."""
    site = Site.existing(room)
    if (room / DERIVATION_FILE).exists() and not (data_dir / DERIVATION_FILE).exists():
        write_private(data_dir / DERIVATION_FILE, (room / DERIVATION_FILE).read_bytes())
    (room / DERIVATION_FILE).unlink(missing_ok=True)
    with open_keys(replace(site, data_dir=data_dir), room / KEYS) as keys:
        mac_key = keys.secret(MAC_PURPOSE)
        archive.check_mac(mac_key)
        archive.open_store(room / STORE, mac_key)
        with contextlib.closing(sqlite3.connect(room / STORE)) as raw:
            check_database(raw, archive.path)
        sentences = []
        with open_store(site, keys, copy=True) as opened:
            verdicts, policy, newest = _ask(site, data_dir, opened)
            apart = replace(site, data_dir=data_dir).registry_keys_path
            with opened.store.read() as connection:
                without_key = keyless(connection, RegistryKeys(apart, opened.store.sealer))
        worst = next((one for one in verdicts if one.standing is not StoreStanding.CONFIRMED), None)
        if worst is not None and not new_generation:
            raise RestoreRefused(_refusal(worst, data_dir))
        # What was sealed under them after the backup is not counted in it.
        keys.retire_data_keys()
        if new_generation:
            if worst is None:
                raise RestoreRefused(
                    "The witnesses know of nothing newer than this backup: it can be restored as it is, without "
                    "--new-generation."
                )
            if newest == GENERATIONS:
                raise RestoreRefused(f"A site's logs are begun {GENERATIONS} times at most. Lay out another site.")
            after = replace(site, generation=newest + 1)
            found = " ".join(dict.fromkeys(one.sentence for one in verdicts if one.sentence))
            worst = replace(worst, sentence=found)
            sentences = _begin_generation(site, after, keys, policy, data_dir, worst, archive.manifest)
            site = after
    write_version(room)
    _place(room, data_dir)
    if without_key:
        sentences.append(
            f"The keys of template registries {', '.join(without_key)} are not at {apart}: palms match, but no "
            "terminal gets a bundle and nothing renews them. Put that file there, or erase the templates, "
            "renew the registries and enrol again."
        )
    sentences.append("Run fsck before the service is started: it checks every entry, not the heads alone.")
    return Restored(replace(site, data_dir=data_dir), archive.manifest, sentences)


def _refusal(verdict: StoreVerdict, data_dir: Path) -> str:
    if verdict.standing is StoreStanding.UNCONFIRMED:
        return (
            f"Whether this backup is the newest state cannot be told: {verdict.sentence} Put the local witnesses' "
            f"directory at {data_dir / WITNESSES_DIR}, or wait for those elsewhere. If they are lost for good, "
            "--new-generation begins logs under a new origin."
        )
    return (
        f"{verdict.sentence} Restoring it would fork the log. Restore the newest backup or the original disk; if the "
        "newer entries are lost for good, --new-generation begins logs under a new origin that say so."
    )


# --- witnesses


def _ask(site: Site, data_dir: Path, opened: OpenStore) -> tuple[list[StoreVerdict], WitnessPolicy | None, int]:
    """The verdicts on the backup, and the newest generation of its logs that a witness has seen. A site that never had
    a policy never had a witness."""
    room = site.data_dir
    try:
        follow_keys(room / POLICY_FILE, [opened.ledger.seal.ring, opened.ledger.audit.ring])
        policy = read_policy(room / POLICY_FILE, opened.log_keys)
    except PolicyError as error:
        raise RestoreRefused(f"The policy in the backup cannot be used: {error}") from error
    if policy is None:
        return [], None, site.generation
    verdicts, newest = asyncio.run(_verdicts(site, policy, data_dir, opened))
    if newest > site.generation:
        sentence = (
            f"This site's logs went on as generation {newest} ({_origins(site, newest)[0]}); this backup is of "
            f"generation {site.generation}."
        )
        verdicts.append(StoreVerdict(StoreStanding.ROLLED_BACK, sentence))
    return verdicts, policy, newest


async def _verdicts(
    site: Site, policy: WitnessPolicy, data_dir: Path, opened: OpenStore
) -> tuple[list[StoreVerdict], int]:
    """Ask every witness of the policy, local ones started for it, about both logs and about later generations."""
    import httpx

    logs: tuple[AnyLog, ...] = (opened.ledger.seal, opened.ledger.audit)
    # A witness tells of logs alone whose names it is given.
    later = [
        Verifier(origin, log.verifier.key).vkey
        for generation in range(site.generation + 1, GENERATIONS + 1)
        for log, origin in zip(logs, _origins(site, generation), strict=True)
    ]
    local = [
        LocalWitness(name, directory, [*(key.vkey for key in opened.log_keys), *later])
        for name, directory in _local(policy, data_dir).items()
        if directory.is_dir()
    ]
    for witness in local:
        witness.start()
    try:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*(witness.ready.wait() for witness in local)), FIRST_READY_S)
        urls = {row.key.name: row.url.rstrip("/") + "/" for row in policy.witnesses if row.url is not None}
        # One with other keys than the policy's has seen nothing of this site, even under the same name.
        urls |= {one.name: one.url for one in local if _keys_of(policy, one.name) <= {key.vkey for key in one.keys}}
        trust = await asyncio.to_thread(ssl.create_default_context)
        async with httpx.AsyncClient(verify=trust, trust_env=False, follow_redirects=False) as http:
            names = dict.fromkeys(row.key.name for row in policy.witnesses)
            clients = {name: WitnessClient(name, urls.get(name, ""), http) for name in names}
            verdicts = [await check(log, opened.store, policy, clients) for log in logs]
            return verdicts, await _newest_generation(site, clients.values())
    finally:
        await asyncio.gather(*(witness.stop() for witness in local))


async def _newest_generation(site: Site, clients: Collection[WitnessClient]) -> int:
    """An earlier restore may have begun generations after the backup's, and they may be lost as well: another tree
    under their origin would fork it, and readers would take no list of that generation twice."""
    newest = site.generation
    while newest < GENERATIONS:
        asked = [_has_seen(client, origin) for client in clients for origin in _origins(site, newest + 1)]
        if not any(await asyncio.gather(*asked)):
            break
        newest += 1
    return newest


async def _has_seen(client: WitnessClient, origin: str) -> bool:
    """One that is lost for good has seen nothing; one that is slow is asked again before it is taken for lost."""
    for _ in range(_TRIES):
        with contextlib.suppress(WitnessError):
            return await client.newest_checkpoint(hashlib.sha256(origin.encode()).hexdigest()) is not None
        if not client.url:
            break
    return False


def _origins(site: Site, generation: int) -> list[str]:
    """Of both logs, the seal log's first."""
    return [replace(site, generation=generation).origin(label) for label, _ in _LOGS]


def _local(policy: WitnessPolicy, data_dir: Path) -> Mapping[str, Path]:
    """Directories of the policy's local witnesses, by name: those that have no address."""
    names = dict.fromkeys(row.key.name for row in policy.witnesses if row.url is None)
    return {name: data_dir / WITNESSES_DIR / name.rpartition("/")[2] for name in names}


def _keys_of(policy: WitnessPolicy, name: str) -> set[str]:
    return {row.key.vkey for row in policy.witnesses if row.key.name == name}


# --- a new generation


def _begin_generation(
    site: Site,
    after: Site,
    keys: Keys,
    policy: WitnessPolicy | None,
    data_dir: Path,
    verdict: StoreVerdict,
    manifest: BackupManifest,
) -> list[str]:
    """Logs under the origin of ``after``, still in the room. They go on from the backup's trees, so every entry and
    every proof in it stays; the next leaf of each names the old origin, what was restored, and what its witnesses had
    seen."""
    room = site.data_dir
    with contextlib.closing(sqlite3.connect(room / STORE, isolation_level=None)) as raw:
        raw.execute("BEGIN IMMEDIATE")
        for label, number in _LOGS:
            row = raw.execute("SELECT size, root FROM log_head WHERE log = ?", (number,)).fetchone()
            if row is not None:
                origin = after.origin(label)
                ring = ring_reader(origin, label, keys, number)(raw)
                note = ring.note(checkpoint_text(origin, row[0], bytes(row[1])))
                raw.execute("UPDATE log_head SET note = ? WHERE log = ?", (note.encode(), number))
        raw.execute("COMMIT")

    def job(tx: Transaction) -> int:
        exposed = handed_bundles.begin_generation(tx, after.generation, site.settings.credential_ttl_s)
        # Readers and terminals have seen epochs that this store never gave: they take none that is not beyond those.
        next_epoch(tx, first_number(after.generation))
        for label, _ in _LOGS:
            head = manifest.heads.get(label)
            told: dict[str, object] = {
                "generation": after.generation,
                "old_origin": site.origin(label),
                "restored": {
                    "size": 0 if head is None else head.size,
                    "root": "" if head is None else base64.b64encode(head.root).decode(),
                },
                "witnessed": dict(verdict.sizes),
                "found": verdict.sentence,
                "backup_made_us": manifest.made_us,
            }
            if label == "seal":
                tx.seal(GENERATION, actor=ACTOR, standing=STANDING, payload=told)
            else:
                tx.audit(GENERATION, actor=ACTOR, detail=told)
        return exposed

    with open_store(after, keys, copy=True) as opened:
        exposed = opened.store.writer.submit(job).result()
    write_private(room / SITE, after.encode())
    sentences = [
        f"Both logs go on as generation {after.generation} ({after.origin('seal')}); their next leaf says why. Publish "
        "their new keys (GET /v1/log/policy).",
        f"What was done after {rfc3339(manifest.made_us)} is not in this store: burn again whoever was burned since "
        "then, before a door opens.",
    ]
    if exposed:
        sentences.append(
            f"Terminals that may decide offline: {exposed}. Each may have got a bundle after the backup and use it for "
            f"{site.settings.credential_ttl_s} s from now at most; burns wait for it. Of one that was registered since "
            "then nothing is known."
        )
    if policy is not None:
        (room / POLICY_FILE).rename(room / f"{POLICY_FILE}.{site.generation}")
        sentences.append(f"Seals of before are verified against {POLICY_FILE}.{site.generation}.")
        local = {name: _cosigner_keys(name, directory) for name, directory in _local(policy, data_dir).items()}
        if all(_keys_of(policy, name) <= {key.vkey for key in keys} for name, keys in local.items()):
            # The old origin's lines stay in the old file: a policy names a key once, and these keys are the same.
            rows = tuple(LogRow(key) for key in opened.log_keys)
            write_private(room / POLICY_FILE, replace(policy, logs=rows).text().encode())
        else:
            names = {name.rpartition("/")[2]: keys for name, keys in local.items()}
            make_policy(room / POLICY_FILE, opened.log_keys, names)
            sentences.append(
                "Local witnesses were lost: new ones are in the new policy. Add the others of "
                f"{POLICY_FILE}.{site.generation} to it."
            )
    return sentences


def _cosigner_keys(name: str, directory: Path) -> list[CosignerKey]:
    """The keys of a local witness, made where they are lost."""
    try:
        return [cosigner.key for cosigner in open_cosigners(directory, name)]
    except ServeError as error:
        raise RestoreRefused(f"{error} Or take {directory} away: a new witness is made then.") from error


# --- the end


def _place(room: Path, data_dir: Path) -> None:
    """From the room into the directory, ``site.json`` last."""
    names = sorted(path.name for path in room.iterdir() if path.name != SITE)
    unknown = [name for name in names if not _PLACED.fullmatch(name)]
    if unknown or not set(REQUIRED) - {SITE} <= set(names):
        # A WAL beside a store that it does not belong to spoils it.
        raise RestoreRefused(f"The restored store did not close cleanly ({', '.join(unknown) or 'parts missing'}).")
    for name in names:
        with (room / name).open("rb") as file:
            os.fsync(file.fileno())
        (room / name).replace(data_dir / name)
    sync_directory(data_dir)
    write_private(data_dir / SITE, (room / SITE).read_bytes())
