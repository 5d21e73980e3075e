"""``arc-console backup``: a copy of a site in one file, made beside its service or without it."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.commands.options import EXIT_OK, existing_site, refuse
from app.ledger.witnesses.witnessing import WITNESSES_DIR
from app.service.open_store import open_keys
from app.service.process import limit_process
from app.site.site import Site
from app.store.backup import MAC_PURPOSE, BackupManifest, write_backup
from app.store.engine import refusing
from app.store.errors import StoreError
from app.store.kek import keeping


def run(options: argparse.Namespace) -> int:
    """Writes the archive ``--out``; prints what is in it and what the operator must keep beside it."""
    limit_process()
    try:
        manifest, keep = backup(existing_site(options), options.out)
    except StoreError as error:
        return refuse(error)
    sizes = {label: head.size for label, head in manifest.heads.items()}
    print(f"{options.out}: {sizes.get('seal', 0)} seals and {sizes.get('audit', 0)} audit entries. {keep}")
    return EXIT_OK


def backup(site: Site, out: Path) -> tuple[BackupManifest, str]:
    """Back ``site`` up into ``out``; the manifest, and the sentence that says what must be kept beside it."""
    with refusing(site.data_dir), open_keys(site) as keys:
        manifest = write_backup(site, out, keys.secret(MAC_PURPOSE))
    apart = site.registry_keys_path
    palms = (
        f" The keys of the palm templates ({apart}) are not in it either, so that no archive holds both: keep a copy "
        "of that file in a third place, and a new one after each renewal of a template registry."
    )
    return manifest, (
        "The store in the archive is sealed, and its keys are wrapped. To restore it you also need "
        f"{keeping(site)} Keep a copy of that, apart "
        f"from this archive. The local witnesses ({site.data_dir / WITNESSES_DIR}) are not in it: a restore asks them."
        f"{palms if apart.exists() else ''}"
    )
