#!/bin/sh
# Builds the program as packages that need no Python, into dist/: arc-console_VERSION_amd64.deb, arc-console-VERSION.run,
# the source of FFmpeg, which goes along with them, and SHA256SUMS.
#   ARC_FFMPEG=FILE sh packaging/package.sh     FILE: the source of FFmpeg, as packaging/freeze/ffmpeg.sh names it
# Once FFmpeg is built, FILE is no longer needed. ARC_COMPRESSION=zstd makes the .deb faster and larger.
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$ROOT/packaging/setup.sh"

[ $# -eq 0 ] || die 2 "usage: ARC_FFMPEG=FILE sh packaging/package.sh"
PACKAGES="$BUILD_PACKAGES dpkg-dev makeself xz-utils binutils make nasm libdav1d-dev libopus-dev"
require_platform
install_packages
find_python

make_ffmpeg() { # build/ffmpeg, and its source beside it
    FFMPEG=$ROOT/build/ffmpeg
    source=$ROOT/build/$(sh "$ROOT/packaging/freeze/ffmpeg.sh" name)
    if [ ! -f "$source" ]; then
        [ -n "${ARC_FFMPEG:-}" ] || die 2 "ARC_FFMPEG must name the file ${source##*/}, as FFmpeg's makers publish it (SHA-256 $(
            sh "$ROOT/packaging/freeze/ffmpeg.sh" sha256)). The FFmpeg in av's wheel is under the GPL."
        mkdir -p "$ROOT/build"
        cp "$ARC_FFMPEG" "$source.part"
        mv "$source.part" "$source"
    fi
    sh "$ROOT/packaging/freeze/ffmpeg.sh" "$source" "$FFMPEG" || { code=$?; rm -f "$source"; exit "$code"; }
}

make_package_environment() { # what ships and what builds it, and nothing else: PyInstaller takes what it finds
    stamp="$(stamp_of requirements.lock) $(stamp_of freeze.lock) $(cat "$FFMPEG/stamp")"
    PYTHON=$ROOT/.venv-package/bin/python
    [ "$(cat "$ROOT/.venv-package/stamp" 2>/dev/null)" = "$stamp" ] && return 0
    say "+ making $ROOT/.venv-package"
    rm -rf "$ROOT/.venv-package"
    "$BASE_PYTHON" -m venv "$ROOT/.venv-package"
    install_locked "$PYTHON" -r "$ROOT/packaging/build.lock"
    install_locked "$PYTHON" --only-binary :all: -r "$ROOT/packaging/freeze.lock"
    install_locked "$PYTHON" --no-build-isolation -r "$ROOT/packaging/requirements.lock"
    # av once more, built on the FFmpeg above: without debug information, which would hold the names of pip's passing
    # directories, and apart, since the compilers of other packages look into the system.
    awk '/^[^ ]/ {av = /^av==/} av' "$ROOT/packaging/requirements.lock" >"$ROOT/.venv-package/av.lock"
    PKG_CONFIG_SYSROOT_DIR=$FFMPEG PKG_CONFIG_PATH=$FFMPEG/opt/ffmpeg/lib/pkgconfig CFLAGS=-g0 \
        install_locked "$PYTHON" --no-build-isolation --no-cache-dir --force-reinstall --no-binary av -r "$ROOT/.venv-package/av.lock"
    "$PYTHON" -m pip install -q --disable-pip-version-check --no-index --no-deps --no-build-isolation -e "$ROOT" >&2
    printf '%s\n' "$stamp" >"$ROOT/.venv-package/stamp"
}

make_ffmpeg
make_package_environment
cd "$ROOT"
# From here on av finds its libraries, and PyInstaller what it has to take.
LD_LIBRARY_PATH=$FFMPEG/opt/ffmpeg/lib
export LD_LIBRARY_PATH
"$PYTHON" packaging/notices.py check || die 1 "what is named above may not be passed on"

# The same bytes from the same commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
PYTHONHASHSEED=0
export SOURCE_DATE_EPOCH PYTHONHASHSEED
WORK=$ROOT/build/package
rm -rf "$WORK"
mkdir -p "$WORK" "$ROOT/dist"
say "+ pyinstaller packaging/freeze/arc-console.spec"
"$PYTHON" -m PyInstaller --noconfirm --log-level ERROR --distpath "$WORK" --workpath "$WORK/work" packaging/freeze/arc-console.spec >&2
"$PYTHON" packaging/notices.py write "$WORK/arc-console/licenses"
"$PYTHON" packaging/notices.py list "$WORK/arc-console/_internal/resources/licences.json"
"$PYTHON" packaging/sbom.py bundle >"$WORK/arc-console/sbom.cdx.json"
sh packaging/freeze/pack.sh "$WORK/arc-console" "$ROOT/dist" "$ROOT/build/$(sh packaging/freeze/ffmpeg.sh name)"
PYTHONPATH=packaging "$PYTHON" -m freeze.sizes "$WORK/arc-console" "$ROOT"/dist/arc-console*
