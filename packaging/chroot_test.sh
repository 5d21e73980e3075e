#!/bin/sh
# Tries the packages of dist/ in a bare Debian 12 without a network and without Python: as root, on a machine that can reach
# a Debian mirror for debootstrap and for the packages' dependencies.
#   sh packaging/chroot_test.sh WORK     WORK: a directory for the system (1 GiB); an existing WORK/base is used again
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$ROOT/packaging/setup.sh"
[ $# -eq 1 ] || die 2 "sh packaging/chroot_test.sh WORK"
[ "$(id -u)" -eq 0 ] || die 3 "a system is made by root alone."
PACKAGES="debootstrap util-linux iproute2"
install_packages
mkdir -p "$1"
WORK=$(CDPATH='' cd -- "$1" && pwd)
BASE=$WORK/base
SYSTEM=$WORK/system
DEB=$(ls "$ROOT"/dist/arc-console_*.deb)
RUN=$(ls "$ROOT"/dist/arc-console-*.run)

step() { printf '\n+ %s\n' "$*"; "$@"; }
inside() { chroot "$SYSTEM" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"; }
# A network namespace of its own: nothing but its loopback can be reached.
alone() { unshare --net sh -c 'ip link set lo up && exec chroot "$@"' sh "$SYSTEM" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"; }

[ -e "$BASE/etc/debian_version" ] || step debootstrap --variant=minbase bookworm "$BASE"
rm -rf "$SYSTEM"
cp -a "$BASE" "$SYSTEM"
# Only what a mirror must give is fetched; the package itself is installed without a network.
cp "$DEB" "$SYSTEM/tmp/arc-console.deb"
cp /etc/resolv.conf "$SYSTEM/etc/resolv.conf" 2>/dev/null || true
cp -a /etc/apt/sources.list* /etc/apt/apt.conf.d "$SYSTEM/etc/apt/" 2>/dev/null || true
mount --bind /proc "$SYSTEM/proc"
mount --bind /dev "$SYSTEM/dev"
trap 'umount "$SYSTEM/proc" "$SYSTEM/dev"' EXIT
step inside apt-get -q update
step inside env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends --download-only /tmp/arc-console.deb xvfb xauth curl
step alone env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends /tmp/arc-console.deb xvfb xauth curl
inside sh -c '! command -v python3' || die 1 "there is a Python in the bare system."
# The bundle's libraries find each other by those that are loaded before them; ldd looks at one alone.
inside sh -c 'PLACES=$(find /opt/arc-console -name "*.so*" -type f | sed "s|/[^/]*$||" | sort -u | tr "\\n" ":")
    LD_LIBRARY_PATH=$PLACES find /opt/arc-console -type f \( -name "*.so" -o -name "*.so.*" -o -name arc-console \) -exec ldd {} + 2>/dev/null |
    grep "not found"' && die 1 "libraries are missing."

cp "$ROOT/packaging/freeze/in_chroot.sh" "$SYSTEM/tmp/in_chroot.sh"
step alone sh /tmp/in_chroot.sh /usr/bin/arc-console /tmp/out
step inside apt-get -q remove -y arc-console
left=$(inside sh -c 'find / -xdev -path /proc -prune -o -path /tmp -prune -o -name "*arc-console*" -print' | grep -v -e '^/var/lib/dpkg' -e '^/var/cache/apt' -e '^/root/' || true)
[ -z "$left" ] || die 1 "the removed package left $left"

step inside useradd -m desk
cp "$RUN" "$SYSTEM/tmp/arc-console.run"
step alone setpriv --reuid=desk --regid=desk --clear-groups env HOME=/home/desk sh /tmp/arc-console.run
step alone setpriv --reuid=desk --regid=desk --clear-groups env HOME=/home/desk sh /tmp/in_chroot.sh /home/desk/.local/bin/arc-console /tmp/out-run
say "all of it held; pictures are in $SYSTEM/tmp/out and $SYSTEM/tmp/out-run"
