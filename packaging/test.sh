#!/bin/sh
# Sets up everything, then runs linters, types and all tests; each step prints its command.
#   sh packaging/test.sh                 everything that a change must pass
#   sh packaging/test.sh perf            the benchmarks: a table, and perf.json
#   sh packaging/test.sh campaign        the long campaigns of failure
#   sh packaging/test.sh PYTEST-ARGS...  pytest alone, with these arguments
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$ROOT/packaging/setup.sh"

PACKAGES="$BUILD_PACKAGES $RUN_PACKAGES $TEST_PACKAGES"
LOCK=test.lock
require_platform
install_packages
find_python
# Beside each other: each is made by one core.
make_panel_environment &
panel=$!
make_environment
wait "$panel"
cd "$ROOT"

room_in_memory() { # does a run's scratch (some GiB) fit into memory, with as much again left for the programs?
    memory=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
    shared=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 {print $4}')
    [ "${memory:-0}" -gt 20000000 ] && [ "${shared:-0}" -gt 12000000 ]
}

step() { printf '\n+ %s\n' "$*"; "$@"; }

# A headless run is the same everywhere: no window system, no user's configuration, no session bus of the machine.
QT_QPA_PLATFORM=offscreen
XDG_RUNTIME_DIR=$(mktemp -d)
trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
chmod 700 "$XDG_RUNTIME_DIR"
# The program is compiled once for its hundreds of processes, whatever the caller's environment says.
unset PYTHONDONTWRITEBYTECODE
# One thread for each product of matrices: several test files run at a time.
OMP_NUM_THREADS=1
OPENBLAS_NUM_THREADS=1
export QT_QPA_PLATFORM XDG_RUNTIME_DIR OMP_NUM_THREADS OPENBLAS_NUM_THREADS

case ${1:-} in
    perf)
        shift
        step "$PYTHON" -m tests.perf "$@"
        ;;
    campaign)
        shift
        step "$PYTHON" -m pytest -m campaign "$@"
        ;;
    '')
        step .venv/bin/ruff check .
        step .venv/bin/ruff format --check .
        step .venv/bin/mypy
        step .venv/bin/lint-imports
        # Four files at a time on two cores, since most tests wait for other processes; a file's tests share its services
        # and stay together. Long files come first in the order of their names, so that no worker is left alone with one. The
        # console is driven on a real window system, each worker on a screen of its own.
        # Sites are made by the thousand, and each commit of each waits for the disk: their files lie in memory where
        # there is plenty. What a full or a failing disk does is tried on disks of their own.
        if room_in_memory; then
            TMPDIR=$(mktemp -d -p /dev/shm)
            export TMPDIR
            trap 'rm -rf "$XDG_RUNTIME_DIR" "$TMPDIR"' EXIT
        fi
        step "$PYTHON" -m pytest -n 4 --dist loadfile --no-loadscope-reorder -m "not campaign" --ignore tests/console
        step env QT_QPA_PLATFORM=xcb dbus-run-session -- \
            "$PYTHON" -m pytest -n 3 --dist loadfile -m "not campaign" tests/console
        ;;
    *)
        step "$PYTHON" -m pytest "$@"
        ;;
esac
