# Read by run.sh and test.sh: makes the environment that they need. POSIX sh; safe to repeat; works in any directory.
# Expects ROOT (the checkout), PACKAGES (Debian packages) and LOCK (a lock file in packaging/). Sets PYTHON.

say() { printf '%s\n' "$*" >&2; }
die() { code=$1; shift; say "arc-console: $*"; exit "$code"; }

require_platform() {
    [ "$(uname -s)" = Linux ] || die 2 "this script sets up Linux. On other systems make a virtual environment from packaging/requirements.in."
    glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/.* //') || glibc=
    [ -n "$glibc" ] || die 2 "this system has no glibc; the window system's packages need glibc 2.34 or newer."
    if [ "$(printf '%s\n' 2.34 "$glibc" | sort -V | head -n 1)" != 2.34 ]; then
        die 2 "glibc $glibc is too old: the window system's packages need 2.34 or newer (Debian 12, Ubuntu 22.04)."
    fi
}

install_packages() {
    command -v dpkg-query >/dev/null 2>&1 || { say "No dpkg here: make sure that these exist under your system's names: $PACKAGES"; return 0; }
    missing=
    for package in $PACKAGES; do
        case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) in
            installed) ;;
            *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 || die 3 "packages are missing and there is no sudo. As root, run: apt-get install -y --no-install-recommends$missing"
        as_root=sudo
    fi
    say "+ apt-get install$missing"
    case $missing in
        # Debian would start a directory on every address of this machine; the tests start their own on loopback.
        *' slapd'*) echo 'slapd slapd/no_configuration boolean true' | $as_root debconf-set-selections ;;
    esac
    # An old package list names versions that the mirror no longer has: fetch it again when the first try fails.
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing >&2 || {
        $as_root apt-get -o DPkg::Lock::Timeout=300 update >&2
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing >&2
    }
}

find_python() {
    for candidate in /usr/bin/python3 python3.11 python3.12 python3.13 python3; do
        path=$(command -v "$candidate" 2>/dev/null) || continue
        if "$path" -c 'import sys, venv, ensurepip; raise SystemExit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            BASE_PYTHON=$path
            return 0
        fi
    done
    die 2 "no Python 3.11 or newer with the venv module was found."
}

# --no-deps: a lock names all. An older pip that resolves anew takes PACKAGE[EXTRA] of a package's own needs in its newest
# version, which the lock does not hold, and ends there.
install_locked() { # PYTHON PIP-ARGUMENTS...: into its environment, each package by its hash
    python=$1
    shift
    offline=
    if [ -n "${ARC_WHEELS:-}" ]; then
        offline="--no-index --find-links $ARC_WHEELS"
    fi
    # shellcheck disable=SC2086
    "$python" -m pip install -q --disable-pip-version-check $offline --no-deps --require-hashes "$@" >&2
}

make_panel_environment() { # an independent OSDP panel, apart from ours: both have a module named osdp
    stamp=$(stamp_of panel.lock)
    PANEL=$ROOT/.venv-panel
    [ "$(cat "$PANEL/stamp" 2>/dev/null)" = "$stamp" ] && return 0
    say "+ making $PANEL from packaging/panel.lock"
    rm -rf "$PANEL"
    "$BASE_PYTHON" -m venv "$PANEL"
    install_locked "$PANEL/bin/python" --only-binary :all: -r "$ROOT/packaging/panel.lock"
    printf '%s\n' "$stamp" >"$PANEL/stamp"
}

stamp_of() { # LOCK: what an environment made from it now would be
    hash=$(cat "$ROOT/packaging/setup.sh" "$ROOT/packaging/build.lock" "$ROOT/packaging/$1" | sha256sum | cut -d ' ' -f 1)
    printf '%s\n' "$1 $hash $("$BASE_PYTHON" -VV | tr '\n' ' ')$ROOT"
}

make_environment() {
    stamp=$(stamp_of "$LOCK")
    PYTHON=$ROOT/.venv/bin/python
    if [ -f "$ROOT/.venv/stamp" ]; then
        # The test environment holds all that running needs: running never throws it away.
        while IFS= read -r have; do
            [ "$have" = "$stamp" ] && return 0
        done <"$ROOT/.venv/stamp"
    fi
    say "+ making $ROOT/.venv from packaging/$LOCK"
    rm -rf "$ROOT/.venv"
    "$BASE_PYTHON" -m venv "$ROOT/.venv"
    # Build requirements are pinned by build.lock and isolation is off: --require-hashes does not reach into it.
    install_locked "$PYTHON" -r "$ROOT/packaging/build.lock"
    install_locked "$PYTHON" --no-build-isolation -r "$ROOT/packaging/$LOCK"
    "$PYTHON" -m pip install -q --disable-pip-version-check --no-index --no-deps --no-build-isolation -e "$ROOT" >&2
    printf '%s\n' "$stamp" >"$ROOT/.venv/stamp"
    if [ "$LOCK" = test.lock ]; then
        stamp_of requirements.lock >>"$ROOT/.venv/stamp"
    fi
}

BUILD_PACKAGES="python3 python3-venv python3-dev gcc pkg-config swig libpcsclite-dev libldap-dev libsasl2-dev"
RUN_PACKAGES="pcscd libegl1 libgl1 libdbus-1-3 libfontconfig1 libfreetype6 libglib2.0-0 libportaudio2 libxkbcommon0 libxkbcommon-x11-0 libx11-xcb1 libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-xkb1 xvfb xauth"
TEST_PACKAGES="vsmartcard-vpcd opensc yubico-piv-tool openssl poppler-utils libnss3-tools cups-daemon cups-client slapd ldap-utils softhsm2 xdotool at-spi2-core python3-gi gir1.2-atspi-2.0 dbus iproute2 util-linux x11-utils procps ffmpeg opendkim-tools dovecot-imapd appstream desktop-file-utils groff-base man-db"
