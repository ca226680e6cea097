#!/bin/sh
# How long track takes with many records: N copies of one record with their own ids, days, and 200 series.
#     bench/track.sh SPMODEL RECORD [N]
set -eu
spmodel=$1 record=$2 n=${3:-10000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME="$dir/cache" SPMODEL_STORE="$dir/store"
"$spmodel" track add -q "$record"
for day in $(seq 1 28); do mkdir -p "$dir/store/records/2025-$(printf %02d $((day % 12 + 1)))"; done
awk -v n="$n" -v dir="$dir/store/records" 'BEGIN { RS = "\001" } {
    for (i = 0; i < n; i++) {
        text = $0
        start = sprintf("2025-%02d-%02dT%02d:%02d:%02dZ", int(i / 900) % 12 + 1, int(i / 32) % 28 + 1, i % 24, int(i / 24) % 60, i % 60)
        sub(/"id": ?"[^"]*"/, "\"id\": \"copy-" i "\"", text)
        sub(/"start": ?"[^"]*"/, "\"start\": \"" start "\"", text)
        sub(/"sha256": ?"[^"]*"/, "\"sha256\": \"" i % 200 "\"", text)
        file = dir "/" substr(start, 1, 7) "/copy-" i ".json"
        printf "%s", text >file
        close(file)
    }
}' "$record"
seconds() { # seconds LABEL ARGUMENTS...
    label=$1
    shift
    from=$(date +%s.%N)
    "$spmodel" track "$@" >"$dir/out" 2>&1 || true
    awk -v a="$from" -v b="$(date +%s.%N)" -v label="$label" 'BEGIN { printf "%-28s %6.2f s\n", label, b - a }'
}
printf '%s records of %s bytes, 200 series\n' "$n" "$(wc -c <"$record")"
seconds "reading all (rebuild)" log --rebuild
seconds "log with the index" log
seconds "check with the index" check
tail -1 "$dir/out"
seconds "report with the index" report --html "$dir/page.html"
wc -c <"$dir/page.html" | awk '{ printf "%-28s %6.1f MB\n", "its page", $1 / 1e6 }'
