"""``arc-console key``: API keys are made; the site's own keys are replaced with overlap.

All of it works beside a running service: its next new key is wrapped by the new key-encryption key, its logs are signed
by new keys within seconds, and its other signing keys are the new ones from its next start. Each replacement leaves an
audit entry, those of a log the leaf ``log.key`` (``ledger/log/keys.py``).

What is not replaced here, and why:

* Data keys of sealed fields replace themselves, each year and before 2^32 fields (``store/keys.py``).
* The site's root (``ca``) and the content signer stand in cards and in the stores of others, and live as long as their
  certificates. Another root is another site for every door, card and verifier; cards are issued anew under it.
* ``card-master``: PIN unblocking and management keys of every card that was issued come from it. Under another one
  those cards could neither be unblocked nor erased.
* ``credential-digest`` finds a credential by what a reader reads: none would be found any more.
* ``backup`` tells a site's own archives: those that were made before would be refused.
* A witness's keys are its name for every log that it serves. An outside one is replaced by another: put that one's
  lines into the policy, and keep those of the old one, without its URL, for the proofs of before. The local ones prove
  order alone and keep theirs.
* Keys of units, consoles and API callers are theirs; they register, or are given, another.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from app.api.wire import rfc3339
from app.commands.options import EXIT_OK, data_dir_of, existing_site, profile_of, refuse
from app.ledger.c2sp.policy import PolicyError
from app.ledger.log.keys import LogKeyRow, Pair, sign_rotation, spare_pair
from app.ledger.log.log import AnyLog
from app.ledger.tables import SEAL
from app.ledger.tree.leaf import REKEYED, REKEYED_STANDING
from app.ledger.witnesses.site_policy import follow_keys
from app.ledger.witnesses.witnessing import POLICY_FILE
from app.service.open_store import open_keys, open_store
from app.service.process import limit_process
from app.site.site import Site
from app.store.engine import refusing
from app.store.errors import StoreError, StoreRefused
from app.store.kek import KekRefused, add_kek, forget_older_keks
from app.store.keys import Keys
from app.store.writer import Transaction


class Rotated(NamedTuple):
    """A signing key of the site: its purpose and kind in the key store, and what becomes of the old one's work."""

    purpose: str
    kind: Literal["ed25519", "p256", "secret", "rsa2048"]
    after: str


_BY_CERTIFICATE: Final = "What the old key signed stays valid by its own certificate."
ROTATED: Final[dict[str, Rotated]] = {
    "receipt": Rotated("receipt", "ed25519", _BY_CERTIFICATE),
    "time-stamps": Rotated("tsa", "p256", _BY_CERTIFICATE),
    "manifests": Rotated("provenance", "ed25519", _BY_CERTIFICATE),
    "cursors": Rotated("cursor", "secret", "Cursors of the old key open until it is replaced again."),
    "pepper": Rotated(
        "pepper",
        "secret",
        "An API key goes under the new one when it is next used. One that the command line makes before that start "
        "opens after it.",
    ),
    "permits": Rotated("permit", "p256", "Permits that the old key signed hold until they end."),
    "security-events": Rotated(
        "security-events", "p256", "The old key stays published, so that receivers still know what it signed."
    ),
    "webhooks": Rotated(
        "webhooks", "ed25519", "The old key signs beside it until it is replaced again, and stays published."
    ),
    "dkim": Rotated(
        "dkim",
        "rsa2048",
        "Publish its record (arc-console mail dns) before that start, and leave the old one in the DNS for a week: "
        "mail that it signed is still on its way.",
    ),
}
"""Keys that may be replaced, by their names for people."""

LOGS: Final[dict[str, Literal["seal", "audit"]]] = {"seal-log": "seal", "audit-log": "audit"}
"""Logs whose keys may be replaced, by their names for people."""

REPLACED: Final = "key.replaced"
KEK_REPLACED: Final = "key.kek_replaced"
KEK_FORGOTTEN: Final = "key.kek_forgotten"
_ACTOR: Final = "command-line"


def run_create(options: argparse.Namespace) -> int:
    """``key create``: makes an API key, beside a running service or without one, and prints it alone, this once."""
    from app.service.assembly import create_key

    limit_process()
    site = Site.open(data_dir_of(options), profile_of(options))
    try:
        print(create_key(site, clearance=options.clearance, label=options.label))
    except (StoreError, ValueError) as error:
        return refuse(error)
    return EXIT_OK


def run_rotate(options: argparse.Namespace) -> int:
    """``key rotate NAME``."""
    return _run_change(options, lambda site: rotate(site, options.name))


def run_rotate_kek(options: argparse.Namespace) -> int:
    """``key rotate-kek``."""
    return _run_change(options, lambda site: rotate_kek(site, options.new_passphrase))


def run_forget_kek(options: argparse.Namespace) -> int:
    """``key forget-kek``."""
    return _run_change(options, forget_keks)


def _run_change(options: argparse.Namespace, change: Callable[[Site], str]) -> int:
    limit_process()
    try:
        print(change(existing_site(options)))
    except StoreError as error:
        return refuse(error)
    return EXIT_OK


def rotate_kek(site: Site, new_passphrase: Path | None = None) -> str:
    """Replace the key-encryption key; a sentence for people. The older ones stay until they are forgotten."""
    with refusing(site.data_dir), open_keys(site) as keys:
        kek = add_kek(site, new_passphrase=new_passphrase)
        count = keys.rewrap()
        _audit(site, keys, KEK_REPLACED, {"kek": kek.name, "keys": count})
    change = " Put the new passphrase into its place." if new_passphrase is not None else ""
    return (
        f"Key-encryption key {kek.name} wraps {count} keys now.{change} The older ones are kept for the backups that "
        "need them: copy the new one to where you keep it, and forget the older ones when those backups are gone."
    )


def forget_keks(site: Site) -> str:
    """Forget every key-encryption key but the newest; a sentence for people."""
    with refusing(site.data_dir), open_keys(site) as keys:
        if not keys.one_kek():
            raise KekRefused("Some keys are wrapped by an older key-encryption key still. Replace it once more.")
        count = forget_older_keks(site)
        if count:
            _audit(site, keys, KEK_FORGOTTEN, {"count": count})
    return f"{count} older key-encryption keys are forgotten. Backups that need them cannot be restored any more."


def rotate(site: Site, name: str) -> str:
    """Replace the signing key ``name`` of ``ROTATED``; a sentence for people."""
    if name in LOGS:
        return _rotate_log(site, name)
    rotated = ROTATED[name]
    with refusing(site.data_dir), open_keys(site) as keys:
        try:
            kid = keys.renew(rotated.purpose, rotated.kind)
        except KeyError:
            raise KekRefused(f"This site has no key for {name} yet. Start its service once.") from None
        _audit(site, keys, REPLACED, {"name": name, "kid": kid})
    return f"The service uses key {kid} for {name} from its next start on. {rotated.after}"


def _rotate_log(site: Site, name: str) -> str:
    """Leaf, index and a head that both pairs sign are one transaction; a policy or a witness that a killed command has
    not told is told by the service. A pair that was made and never named is named by the next command."""
    label = LOGS[name]
    with refusing(site.data_dir), open_keys(site) as keys, open_store(site, keys) as opened:
        log = opened.ledger.seal if label == "seal" else opened.ledger.audit
        pair = spare_pair(log.origin, label, keys, log.ring)
        until_s = int(time.time() + site.settings.log_key_overlap_s)

        opened.store.writer.submit(rekeying(log, pair, until_s)).result()
        trouble = ""
        try:
            follow_keys(site.data_dir / POLICY_FILE, [opened.ledger.seal.ring, opened.ledger.audit.ring])
        except PolicyError as error:
            trouble = f" The policy was not told yet: {error}"
    until = rfc3339(until_s * 1_000_000)
    return (
        f"The {log.title} is signed by the new keys from now on, by the earlier ones as well until {until}. The leaf "
        f"log.key names both, and the policy lists both. A service that runs takes them within seconds, its local "
        f"witnesses too. Until then give every other witness the new lines (GET /v1/log/policy): an alarm names those "
        f"that do not know them. {pair.signer.verifier.vkey}{trouble}"
    )


def rekeying(log: AnyLog, pair: Pair, until_s: int) -> Callable[[Transaction], None]:
    """The job that replaces the keys of ``log`` by ``pair``: leaf and index; its commit signs the head with both pairs.
    The earlier one signs until ``until_s`` (Unix seconds)."""

    def job(tx: Transaction) -> None:
        if pair.public in {one.public for one in log.ring.pairs}:
            raise StoreRefused(f"The keys of the {log.title} were replaced by another command at this moment.")
        said = msgspec.to_builtins(sign_rotation(log.origin, log.ring.newest, pair, until_s))
        if log.number == SEAL:
            seq = tx.seal(REKEYED, actor=_ACTOR, standing=REKEYED_STANDING, payload=said).seq
            tx.audit(REPLACED, actor=_ACTOR, detail={"name": "seal-log", "vkey": pair.signer.verifier.vkey})
        else:
            seq = tx.audit(REKEYED, actor=_ACTOR, detail=said)
        log.rekey(tx.connection, LogKeyRow(seq, *pair.public, until_s * 1_000_000), pair)

    return job


def _audit(site: Site, keys: Keys, action: str, detail: dict[str, object]) -> None:
    with open_store(site, keys) as opened:
        opened.store.writer.submit(lambda tx: tx.audit(action, actor=_ACTOR, detail=detail)).result()
