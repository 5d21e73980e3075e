"""``arc-console serve``: the service in the foreground."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from typing import TYPE_CHECKING

from app.commands.options import data_dir_of, profile_of, refuse
from app.site.site import Site

if TYPE_CHECKING:
    from app.service.serving import Assembly
    from app.wiring.parts import PcscUse


def run(options: argparse.Namespace) -> int:
    """Serves the site that the options name until stopped; the exit code."""
    # Before numpy is loaded: a search is one thread's work (two on loaded cores take ten times its time).
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ.setdefault(threads, "1")

    from app.service.full_disk import FullDisk
    from app.service.manager import ServiceManager
    from app.service.process import ServeError
    from app.service.serving import Launch, serve
    from app.store.errors import StoreError

    manager = ServiceManager.of(os.environ)
    site = Site.open(data_dir_of(options), profile_of(options))
    with contextlib.ExitStack() as claims:
        try:
            return serve(
                lambda: _assemble(site, options.pcsc, claims),
                Launch(
                    port=options.port,
                    supervised=options.supervised,
                    # A console that is a manager's own child answers for itself.
                    manager=ServiceManager() if options.supervised else manager,
                ),
                FullDisk(site),
            )
        except (ServeError, StoreError) as error:
            if options.supervised:
                print(refusal_line(error), flush=True)
            return refuse(error)


def refusal_line(error: Exception) -> str:
    """What a supervisor reads instead of the ready line: ``{"ready":false,"refused":...,"passphrase_file":...}``."""
    file = getattr(error, "passphrase_file", None)
    refused = {"ready": False, "refused": str(error), "passphrase_file": None if file is None else str(file)}
    return json.dumps(refused, ensure_ascii=False)


def _assemble(site: Site, pcsc: PcscUse, claims: contextlib.ExitStack) -> Assembly:
    """The whole service. What it claimed is given back where it cannot be made: on a disk without room another try
    follows in this process."""
    from app.service.assembly import assemble

    try:
        return assemble(site, pcsc=pcsc, claims=claims)
    except BaseException:
        claims.close()
        raise
