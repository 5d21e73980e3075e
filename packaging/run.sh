#!/bin/sh
# Sets up a fresh Debian or Ubuntu machine, then opens the console. Arguments go to arc-console.
#   sh packaging/run.sh [--setup-only] [arc-console arguments]
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$ROOT/packaging/setup.sh"

setup_only=
if [ "${1:-}" = --setup-only ]; then
    setup_only=1
    shift
fi

PACKAGES="$BUILD_PACKAGES $RUN_PACKAGES"
LOCK=requirements.lock
require_platform
install_packages
find_python
make_environment

if [ -n "$setup_only" ]; then
    say "Ready. Open the console with: sh packaging/run.sh"
    exit 0
fi
if [ -z "${DISPLAY:-}" ] && [ -z "${WAYLAND_DISPLAY:-}" ]; then
    picture=${TMPDIR:-/tmp}/arc-console-$(id -u).png
    say "No display: the console opens on a virtual screen. Its picture is kept up to date in $picture"
    exec xvfb-run -a -s "-screen 0 1480x900x24" "$ROOT/.venv/bin/arc-console" --picture "$picture" "$@"
fi
exec "$ROOT/.venv/bin/arc-console" "$@"
