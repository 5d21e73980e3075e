#!/bin/sh
# Installs the packages in a bare Debian 12 without Python and without a network, and works with them. As root:
#   sh packaging/chroot_test.sh [PLACE]      PLACE: a directory for the bare system, kept for the next time (default /var/tmp/arc-console-chroot)
# ARC_OLD_SITE names a data directory that an earlier release left; then upgrades are tried too.
# dist/ holds what packaging/package.sh built. What it needs: debootstrap, util-linux, iproute2, ffmpeg.
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
PLACE=${1:-/var/tmp/arc-console-chroot}
MIRROR=${ARC_MIRROR:-$(sed -n 's/^deb \(\S*\) bookworm main.*/\1/p; s/^URIs: \(\S*\)$/\1/p' /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1)}
DEB=$(ls "$ROOT"/dist/arc-console_*_amd64.deb)
RUN=$(ls "$ROOT"/dist/arc-console-*.run)
WITH="xvfb xauth curl systemd"

if [ ! -f "$PLACE/ready" ]; then
    debootstrap --variant=minbase bookworm "$PLACE/root" "$MIRROR"
    touch "$PLACE/ready"
fi
SYSTEM=$PLACE/root
mountpoint -q "$SYSTEM/proc" || mount -t proc proc "$SYSTEM/proc"
mkdir -p "$SYSTEM/packages"
trap 'umount "$SYSTEM/proc"' EXIT
install -m 644 "$DEB" "$SYSTEM/packages/arc-console.deb"
install -m 755 "$RUN" "$SYSTEM/packages/arc-console.run"
install -m 755 "$ROOT/packaging/freeze/chroot_calls.sh" "$SYSTEM/packages/"
install -m 644 "$ROOT/packaging/freeze/chroot_paths" "$ROOT/packaging/freeze/chroot_changes" "$SYSTEM/packages/"
install -m 644 "$ROOT/resources/pictures/dashboard.png" "$SYSTEM/packages/picture.png"
ffmpeg -v error -y -f lavfi -i testsrc2=duration=2:size=320x240:rate=25 -pix_fmt yuv420p "$SYSTEM/packages/moving.mp4"

# The packages are fetched first, as a badge office carries them in; from here on nothing reaches a network.
chroot "$SYSTEM" sh -c "apt-get update -qq && apt-get install -y -qq --download-only --no-install-recommends /packages/arc-console.deb $WITH"

alone() { # COMMAND...: in the chroot, where loopback is the only network
    unshare --net sh -c 'ip link set lo up && exec chroot "$@"' - "$SYSTEM" "$@"
}

echo "=== the .deb"
# One of the same version, from the time before, would be left as it is.
alone dpkg --purge arc-console
alone apt-get install -y -qq --no-install-recommends /packages/arc-console.deb $WITH
alone useradd -m worker 2>/dev/null || true
alone sh -c 'rm -rf /home/worker/deb && su worker -c "sh /packages/chroot_calls.sh /usr/bin/arc-console /home/worker/deb"'
if [ -n "${ARC_OLD_SITE:-}" ]; then
    echo "=== upgrades"
    install -m 755 "$ROOT/packaging/freeze/chroot_upgrade.sh" "$SYSTEM/packages/"
    rm -rf "$SYSTEM/home/worker/old"
    cp -a "$ARC_OLD_SITE" "$SYSTEM/home/worker/old"
    alone chown -R worker: /home/worker/old
    alone su worker -c 'sh /packages/chroot_upgrade.sh /usr/bin/arc-console ~/old ~/upgrade'
fi
echo "=== the unit"
alone systemd-analyze verify --man=no arc-console.service
alone systemd-analyze security --offline=yes --no-pager arc-console.service | tail -n 1
echo "=== libraries"
alone sh -c 'find /opt/arc-console -type f \( -name "*.so" -o -name "*.so.*" -o -name arc-console \) | LD_LIBRARY_PATH=/opt/arc-console/_internal xargs ldd' >"$PLACE/ldd"
if grep 'not found' "$PLACE/ldd"; then
    exit 1
fi
echo "=== removal"
alone sh -c 'mkdir -p /var/lib/arc-console && echo kept > /var/lib/arc-console/site'
alone apt-get purge -y -qq arc-console
left=$(alone sh -c 'find / -xdev -not -path "/proc/*" -not -path "/home/*" -not -path "/packages/*" -not -path "/tmp/*" -name "*arc-console*"')
echo "$left"
[ "$left" = /var/lib/arc-console ] || { echo "FAILED: more than the data directory is left"; exit 1; }

echo "=== the .run, without root"
alone su worker -c 'cd && rm -rf run .local/opt && /packages/arc-console.run --quiet && sh /packages/chroot_calls.sh ~/.local/opt/arc-console/current/arc-console ~/run'
echo "=== all passed; pictures: $SYSTEM/home/worker/*/*.png"
