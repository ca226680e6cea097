#!/bin/sh
# Says which files call each other in a circle, by the symbols of what was compiled. Usage: check_calls.sh BUILD_DIR
set -eu
cd "$1"
edges=$(mktemp)
trap 'rm -f "$edges"' EXIT
find src model kernels probes plots attach -name '*.o' ! -name '*whole*' | sort | xargs nm -A -P 2>/dev/null | awk '
    {
        file = $1
        sub(/:$/, "", file); sub(/CMakeFiles\/[^\/]*\.dir\//, "", file); sub(/\.o$/, "", file)
    }
    $3 ~ /^[TDBRVWC]$/ { n[$2] += home[$2] != file; home[$2] = file }
    $3 == "U" { use[file, $2] }
    END {
        for (key in use) {
            split(key, part, SUBSEP)
            to = home[part[2]] # none where two modules define it, of which one is opened
            if (to != "" && n[part[2]] == 1 && to != part[1]) print part[1], to
        }
    }' | sort -u >"$edges"
[ "$(wc -l <"$edges")" -gt 500 ] || { echo "$0: only $(wc -l <"$edges") calls between files were found"; exit 1; }
if ! tsort <"$edges" 2>&1 >/dev/null | sed 's/^tsort: -: input contains a loop:/a circle:/; s/^tsort: //' | grep .; then
    echo "calls: ok"
else
    echo "files that call each other in a circle: move what both need to where neither calls the other"
    exit 1
fi
