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

step "killed by SIGKILL so many seconds after the upgrade began; then started"
for after in 0 0.02 0.05 0.1 0.15 0.2 0.3 0.4 0.6 0.8 1.2 2; do
    rm -rf site
    cp -a "$OLD" site
    serve "$PWD/site"
    # Its backup is begun.
    while [ ! -d site/upgrades ]; do
        kill -0 "$service" 2>/dev/null || { tail -n 5 serve.log; fail "no upgrade was begun"; }
        sleep 0.01
    done
    sleep "$after"
    kill -KILL "$service"
    wait "$service" 2>/dev/null || true
    reached=$(ls site/upgrades | tr '\n' ' ')$([ ! -f site/program.json ] || echo "program.json ")
    serve "$PWD/site"
    ready
    kill -TERM "$service"
    wait "$service" || fail "the service ended with $?"
    "$PROGRAM" fsck --offline --data-dir "$PWD/site" >fsck.out 2>fsck.err || { cat fsck.out; fail "fsck after a kill at $after s"; }
    printf '%-4s s: left %sthen %s\n' "$after" "${reached:-nothing }" "$(tail -n 1 fsck.out)"
done
cat site/program.json

step "a directory of a newer version is refused"
sed -i 's/"version": "[^"]*"/"version": "99.0.0"/' site/program.json
code=0
"$PROGRAM" serve --no-pcsc --data-dir "$PWD/site" --port 8701 >serve.out 2>serve.log || code=$?
[ "$code" -ne 0 ] && [ ! -s serve.out ] || fail "a newer directory was served"
tail -n 3 serve.log
echo "UPGRADE PASSED"
