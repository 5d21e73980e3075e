#!/bin/sh
# The part of chroot_test.sh about upgrades, run inside: PROGRAM OLD WORK. OLD is a data directory that an earlier release left;
# it is copied into WORK for each try.
set -eu
PROGRAM=$1
OLD=$2
WORK=$3
rm -rf "$WORK"
mkdir -p "$WORK"
cd "$WORK"
step() { printf '\n+ %s\n' "$*"; }
fail() { echo "FAILED: $*"; exit 1; }
serve() { # SITE: in the background, as $service
    : >serve.out
    "$PROGRAM" serve --no-pcsc --data-dir "$1" --port 8701 >serve.out 2>serve.log &
    service=$!
}
ready() {
    for _ in $(seq 240); do
        [ ! -s serve.out ] || return 0
        kill -0 "$service" 2>/dev/null || { tail -n 5 serve.log; fail "the service ended"; }
        sleep 0.5
    done
    fail "the service did not get ready"
}

step "killed by SIGKILL after 0.5 to 6 seconds of an upgrade, twelve times; then started"
for tenths in 5 10 15 20 25 30 35 40 45 50 55 60; do
    rm -rf site
    cp -a "$OLD" site
    serve "$PWD/site"
    sleep "$((tenths / 10)).$((tenths % 10))"
    kill -KILL "$service"
    wait "$service" 2>/dev/null || true
    reached=$(find site/upgrades -name '*.backup' 2>/dev/null | tr '\n' ' ')
    serve "$PWD/site"
    ready
    kill -TERM "$service"
    wait "$service" || fail "the service ended with $?"
    "$PROGRAM" fsck --offline --data-dir "$PWD/site" >fsck.out || { cat fsck.out; fail "fsck after a kill at $tenths tenths"; }
    printf '%s tenths of a second: %s then %s\n' "$tenths" "${reached:-no backup yet,}" "$(tail -n 1 fsck.out)"
done
cat site/program.json

step "a directory of a newer version is refused"
sed -i 's/"version": "[^"]*"/"version": "99.0.0"/' site/program.json
code=0
"$PROGRAM" serve --no-pcsc --data-dir "$PWD/site" --port 8701 >serve.out 2>serve.log || code=$?
[ "$code" -ne 0 ] && [ ! -s serve.out ] || fail "a newer directory was served"
tail -n 3 serve.log
echo "UPGRADE PASSED"
