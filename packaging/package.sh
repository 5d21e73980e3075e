#!/bin/sh
# Builds the packages: the bundle of one directory, a .deb, a self-extracting .run, and SHA256SUMS beside them.
#   sh packaging/package.sh              into dist/, if every licence allows to give them away
#   sh packaging/package.sh --internal   for machines of one's own: parts that may not be given away are named, and stay in
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$ROOT/packaging/setup.sh"

INTERNAL=
case ${1:-} in
    --internal) INTERNAL=1 ;;
    '') ;;
    *) die 2 "sh packaging/package.sh [--internal]" ;;
esac

PACKAGES="$BUILD_PACKAGES $RUN_PACKAGES dpkg-dev makeself xz-utils"
require_platform
install_packages
find_python
cd "$ROOT"

VERSION=$("$BASE_PYTHON" -c 'import tomllib; print(tomllib.load(open("pyproject.toml", "rb"))["project"]["version"])')
# Of the change that is packaged, so that two builds of it are alike.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
PYTHONHASHSEED=0
export SOURCE_DATE_EPOCH PYTHONHASHSEED
umask 022

step() { printf '\n+ %s\n' "$*"; "$@"; }

make_freezer() { # an environment of what ships and of what freezes it, and nothing that only tests need
    stamp="$(stamp_of requirements.lock) $(sha256sum <"$ROOT/packaging/freeze.lock")"
    FREEZER=$ROOT/.venv-freeze
    [ "$(cat "$FREEZER/stamp" 2>/dev/null)" = "$stamp" ] && return 0
    say "+ making $FREEZER from packaging/requirements.lock and packaging/freeze.lock"
    rm -rf "$FREEZER"
    "$BASE_PYTHON" -m venv "$FREEZER"
    install_locked "$FREEZER/bin/python" -r "$ROOT/packaging/build.lock"
    install_locked "$FREEZER/bin/python" --no-build-isolation -r "$ROOT/packaging/requirements.lock"
    install_locked "$FREEZER/bin/python" -r "$ROOT/packaging/freeze.lock"
    "$FREEZER/bin/python" -m pip install -q --disable-pip-version-check --no-index --no-deps --no-build-isolation "$ROOT" >&2
    printf '%s\n' "$stamp" >"$FREEZER/stamp"
}
make_freezer

BUILD=$ROOT/build
DIST=$ROOT/dist
BUNDLE=$BUILD/arc-console
rm -rf "$BUILD" "$DIST"
mkdir -p "$BUILD" "$DIST"

# The gate first: what may not be given away is not packaged, unless for machines of one's own.
step "$FREEZER/bin/python" packaging/notices.py write ${INTERNAL:+--internal} "$BUILD/licenses"
step "$FREEZER/bin/python" -m PyInstaller --noconfirm --log-level ERROR --workpath "$BUILD/work" --distpath "$BUILD" \
    packaging/freeze/arc-console.spec
mv "$BUILD/licenses" "$BUNDLE/licenses"
"$FREEZER/bin/python" packaging/sbom.py >"$BUNDLE/arc-console.cdx.json"
"$BUNDLE/arc-console" man >"$BUILD/arc-console.1"
"$BUNDLE/arc-console" completion >"$BUILD/arc-console.bash"
"$BUNDLE/arc-console" doctor --json >"$BUILD/doctor.json" || [ $? -eq 1 ] || die 1 "the bundle's own doctor finds it broken: $BUILD/doctor.json"
chmod -R u=rwX,go=rX "$BUNDLE"

. "$ROOT/packaging/freeze/deb.sh"
. "$ROOT/packaging/freeze/run_archive.sh"
make_deb
make_run
cd "$DIST"
sha256sum -- *.deb *.run >SHA256SUMS
cd "$ROOT"
step "$BASE_PYTHON" packaging/freeze/sizes.py "$BUNDLE" "$DIST" "$FREEZER"
