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
make_environment
make_panel_environment
cd "$ROOT"

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
        # Three files at a time, since most tests wait for other processes; a file's tests share its services and stay
        # together. Long files come first in the order of their names, so that no worker is left alone with one. The
        # console is driven on a real window system, each worker on a screen of its own.
        step "$PYTHON" -m pytest -n 3 --dist loadfile --no-loadscope-reorder -m "not campaign" --ignore tests/console
        step env QT_QPA_PLATFORM=xcb dbus-run-session -- \
            "$PYTHON" -m pytest -n 2 --dist loadfile -m "not campaign" tests/console
        ;;
    *)
        step "$PYTHON" -m pytest "$@"
        ;;
esac
