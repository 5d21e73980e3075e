#!/bin/sh
# The part of chroot_test.sh that runs inside, as a person would: PROGRAM WORK
set -eu
PROGRAM=$1
WORK=$2
mkdir -p "$WORK"
cd "$WORK"
step() { printf '\n+ %s\n' "$*"; }
fail() { echo "FAILED: $*"; exit 1; }
for name in python3 python gcc; do
    ! command -v "$name" >/dev/null || fail "there is a $name here"
done
SITE=$WORK/site

step doctor
code=0
"$PROGRAM" doctor --data-dir "$SITE" || code=$?
[ "$code" -lt 2 ] || fail "doctor says broken"

step serve
"$PROGRAM" serve --no-pcsc --data-dir "$SITE" --port 8700 >serve.out 2>serve.log &
service=$!
trap 'kill "$service" 2>/dev/null || true' EXIT
for _ in $(seq 240); do
    [ ! -s serve.out ] || break
    kill -0 "$service" || { cat serve.log; fail "the service ended"; }
    sleep 0.5
done
cat serve.out
[ -s serve.out ] || fail "the service did not get ready"

step "key create"
"$PROGRAM" key create --data-dir "$SITE" --clearance citadel --label "clean machine" | tail -n 1 >key
grep -q '^arc_cit_' key || fail "no key"

step "one call of each group"
(umask 077; printf 'header = "Authorization: Bearer %s"\n' "$(cat key)" >headers)
# The policy is made when the local witnesses have started.
for _ in $(seq 60); do
    ! curl -s -f -K headers -o answer http://127.0.0.1:8700/v1/log/policy || break
    sleep 1
done
while read -r path; do
    code=$(curl -s --max-time 30 -o answer -w '%{http_code}' -K headers "http://127.0.0.1:8700$path")
    printf '%s %s\n' "$code" "$path"
    case $code in 2*) ;; *) head -c 300 answer; fail "$path" ;; esac
done <"$(dirname -- "$0")/chroot_paths"

call() { # PATH CURL-ARGUMENTS...: the answer is in the file answer
    path=$1
    shift
    code=$(curl -s --max-time 150 -o answer -w '%{http_code}' -K headers -H 'Prefer: wait=60' "$@" "http://127.0.0.1:8700$path")
    printf '%s %s\n' "$code" "$path"
    case $code in 2*) ;; *) head -c 300 answer; fail "$path" ;; esac
}

step "calls that change something"
# Training cards are put into their readers after the start.
for _ in $(seq 60); do
    curl -s -f -K headers -o answer http://127.0.0.1:8700/v1/hardware/cards
    ! grep -q '"state":"blank"' answer || break
    sleep 1
done
while read -r path body; do
    call "$path" -H 'Content-Type: application/json' -d "$body"
done <"$(dirname -- "$0")/chroot_changes"
for file in picture.png moving.mp4; do
    call "/v1/citadel/defense/radar/uploads?name=$file" -H 'Content-Type: application/octet-stream' \
        --data-binary "@$(dirname -- "$0")/$file"
    grep -q '"status":"COMPLETED"' answer || { head -c 600 answer; fail "$file was not judged"; }
done

step "verify"
curl -s -f -K headers -o answer http://127.0.0.1:8700/v1/citadel/provenance/knot-seal
knot=$(sed -n 's/.*"knot_id":"\([^"]*\)".*/\1/p' answer)
curl -s -f -K headers -o seal.zip "http://127.0.0.1:8700/v1/citadel/provenance/knot-seal/$knot/bundle"
"$PROGRAM" verify --data-dir "$SITE" seal.zip | tail -n 1
head -c 400 seal.zip >cut.zip
! "$PROGRAM" verify --data-dir "$SITE" cut.zip >/dev/null || fail "a bundle that was cut passes"

step "backup, end of the service, fsck"
"$PROGRAM" backup --data-dir "$SITE" --out "$WORK/site.backup"
kill -TERM "$service"
code=0
wait "$service" || code=$?
[ "$code" -eq 0 ] || fail "the service ended with $code"
"$PROGRAM" fsck --offline --data-dir "$SITE" 2>fsck.err | tail -n 1

step "the console's picture"
# The window stays open when its picture is kept: it is closed from outside.
xvfb-run -a -s "-screen 0 1480x900x24" timeout 60 "$PROGRAM" --data-dir "$SITE" --picture "$WORK/console.png" || true
[ -s "$WORK/console.png" ] || fail "no picture"

step "the tour"
xvfb-run -a -s "-screen 0 1480x900x24" "$PROGRAM" tour --out "$WORK/tour" >tour.log 2>&1 || { tail -n 20 tour.log; fail "the tour"; }
tail -n 3 tour.log
echo "ALL PASSED"
