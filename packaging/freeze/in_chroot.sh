# Run inside the bare system by packaging/chroot_test.sh: PROGRAM OUT. Each line is a thing that a person does on the first day.
set -eu
PROGRAM=$1
OUT=$2
SITE=$OUT/site
PORT=8790
mkdir -p "$OUT"

"$PROGRAM" doctor >"$OUT/doctor" || [ $? -eq 1 ] || { cat "$OUT/doctor"; exit 1; }
"$PROGRAM" serve --profile training --data-dir "$SITE" --port $PORT --no-pcsc >"$OUT/ready" 2>"$OUT/log" &
service=$!
trap 'kill $service 2>/dev/null || true' EXIT
for _ in $(seq 300); do
    grep -q '"ready":true' "$OUT/ready" && break
    sleep 0.2
done
KEY=$("$PROGRAM" key create --data-dir "$SITE" --clearance citadel --label "bare system")
call() { # METHOD PATH STATUS [BODY]
    said=$(curl -s -o "$OUT/body" -w '%{http_code}' -X "$1" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
        ${4:+-d "$4"} "http://127.0.0.1:$PORT$2")
    [ "$said" = "$3" ] || { echo "$1 $2: $said"; cat "$OUT/body"; exit 1; }
    echo "$1 $2: $said"
}
call GET /healthz 200
call GET /v1/infrastructure/status 200
call GET /v1/openapi.json 200
call GET /v1/alarms 200
call GET /v1/registry/nodes 200
call GET /v1/registry/directories 200
call GET /v1/registry/media-sources 200
call GET /v1/hardware/cards 200
call POST /v1/hardware/se/provision 200 '{"node_id":"ARC-T0010","hardware_uid":"reader:Training Reader 1","fips_standard":"FIPS 201-3 / PIV"}'
call POST /v1/citadel/uac/burn/preview 200 '{"node_id":"ARC-T0011","scope":"LOCAL_ONLY"}'
call POST /v1/citadel/uac/burn 200 '{"node_id":"ARC-T0011","scope":"LOCAL_ONLY","reason":"bare system"}'
call GET /v1/citadel/uac/burn 200
call POST /v1/audit-log-query 200 '{"criteria":{},"range":{"from":"2026-01-01T00:00:00Z","to":"2036-01-01T00:00:00Z"}}'
call GET /v1/log/policy 200
call GET /pki/root.crl 200
kill -TERM $service
wait $service
trap - EXIT
"$PROGRAM" fsck --data-dir "$SITE"
xvfb-run -a -s '-screen 0 1480x900x24' "$PROGRAM" tour --out "$OUT/tour"
