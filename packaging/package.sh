#!/bin/sh
# Builds the program as packages that need no Python, into dist/: arc-console_VERSION_amd64.deb, arc-console-VERSION.run
# and SHA256SUMS.
#   sh packaging/package.sh              to pass on: ends where a licence does not allow that
#   sh packaging/package.sh --own-use    for machines of the house that builds it; the packages say so
# ARC_COMPRESSION=zstd makes the .deb faster and larger.
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$ROOT/packaging/setup.sh"

OWN_USE=
case ${1-} in
    '') ;;
    --own-use) OWN_USE=--own-use ;;
    *) die 2 "usage: sh packaging/package.sh [--own-use]" ;;
esac
PACKAGES="$BUILD_PACKAGES dpkg-dev makeself xz-utils binutils"
require_platform
install_packages
find_python

make_package_environment() { # what ships and what builds it, and nothing else: PyInstaller takes what it finds
    stamp="$(stamp_of requirements.lock) $(stamp_of freeze.lock)"
    PYTHON=$ROOT/.venv-package/bin/python
    [ "$(cat "$ROOT/.venv-package/stamp" 2>/dev/null)" = "$stamp" ] && return 0
    say "+ making $ROOT/.venv-package"
    rm -rf "$ROOT/.venv-package"
    "$BASE_PYTHON" -m venv "$ROOT/.venv-package"
    install_locked "$PYTHON" -r "$ROOT/packaging/build.lock"
    install_locked "$PYTHON" --no-build-isolation -r "$ROOT/packaging/requirements.lock"
    install_locked "$PYTHON" --only-binary :all: -r "$ROOT/packaging/freeze.lock"
    "$PYTHON" -m pip install -q --disable-pip-version-check --no-index --no-deps --no-build-isolation -e "$ROOT" >&2
    printf '%s\n' "$stamp" >"$ROOT/.venv-package/stamp"
}

make_package_environment
cd "$ROOT"
[ -n "$OWN_USE" ] || "$PYTHON" packaging/notices.py check ||
    die 1 "what is named above may not be passed on. For machines of your own: sh packaging/package.sh --own-use"

# The same bytes from the same commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
PYTHONHASHSEED=0
export SOURCE_DATE_EPOCH PYTHONHASHSEED
WORK=$ROOT/build/package
rm -rf "$WORK"
mkdir -p "$WORK" "$ROOT/dist"
say "+ pyinstaller packaging/freeze/arc-console.spec"
"$PYTHON" -m PyInstaller --noconfirm --log-level ERROR --distpath "$WORK" --workpath "$WORK/work" packaging/freeze/arc-console.spec >&2
# shellcheck disable=SC2086
"$PYTHON" packaging/notices.py write "$WORK/arc-console/licenses" $OWN_USE
"$PYTHON" packaging/sbom.py >"$WORK/arc-console/sbom.cdx.json"
sh packaging/freeze/pack.sh "$WORK/arc-console" "$ROOT/dist"
"$PYTHON" packaging/freeze/sizes.py "$WORK/arc-console" "$ROOT"/dist/arc-console*
