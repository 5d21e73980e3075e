"""Serves the sample table as a process of its own: ``python -m tests.service.api.serve_sample DIR [host]``."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from app.api.logs import RequestLog
from app.service import serving as serve
from tests.service.api.api_site import ApiSite


def main() -> int:
    """Serve until stopped."""

    def assemble() -> serve.Assembly:
        site = ApiSite(Path(sys.argv[1]))
        site.context.request_log = RequestLog()

        tracked = 0

        async def start() -> None:
            nonlocal tracked
            tracked = len(gc.get_objects())

        async def stop() -> None:
            site.close()
            sys.stderr.write(f"frozen {gc.get_freeze_count()} of {tracked}\nclosed\n")

        return serve.Assembly(site.table, {"sample": site.sample}, site.context, start=start, stop=stop)

    host = sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1"
    supervised = "--supervised" in sys.argv
    try:
        return serve.serve(assemble, serve.Launch(host=host, supervised=supervised))
    except serve.ServeError as error:
        sys.stderr.write(f"{error}\n")
        return serve.EXIT_REFUSED


if __name__ == "__main__":
    sys.exit(main())
