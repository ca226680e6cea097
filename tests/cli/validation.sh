#!/bin/sh
# The half of docs/validation.md that is the same everywhere is what bench/validate.sh makes, and all of its rows hold.
# Usage: validation.sh SPMODEL VALIDATION SOURCE
set -eu
spmodel=$1 validation=$2 source=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "validation.sh: $*"
    exit 1
}
# What was modelled once is not modelled again.
cat >"$dir/once" <<END
#!/bin/sh
[ "\$1" = model ] || exec "$spmodel" "\$@"
kept=$dir/\$(printf %s "\$*" | cksum | tr ' ' -)
[ -f "\$kept" ] || "$spmodel" "\$@" >"\$kept" || { code=\$? && rm "\$kept" && exit \$code; }
cat "\$kept"
END
chmod +x "$dir/once"
code=0
sh "$source/bench/validate.sh" --no-measure "$dir/once" "$validation" >"$dir/made" 2>"$dir/err" || code=$?
[ $code -eq 0 ] || { cat "$dir/made" "$dir/err"; fail "bench/validate.sh ended with $code"; }
[ ! -s "$dir/err" ] || { cat "$dir/err"; fail "something was said"; }
awk '/^<!-- the same everywhere: end/ { exit } on { print } /^<!-- the same everywhere: begin/ { on = 1 }' \
    "$source/docs/validation.md" | sed -e 1d | sed '$d' >"$dir/page"
diff "$dir/page" "$dir/made" >"$dir/diff" ||
    { cat "$dir/diff"; fail "docs/validation.md says otherwise (<): bench/validate.sh $spmodel > docs/validation.md"; }
[ "$(grep -cE '\| (printed|evaluated|our formula) [0-9.]+ \|' "$dir/made")" -ge 25 ] || fail "too few published numbers"
! grep 'does not hold' "$dir/made" || fail "a row does not hold"
# What is called printed stands in the words of the source that the table quotes, and is on the page as it is printed there.
awk -F'|' '/^#/ || NF == 0 { next }
    NF != 7 || $1 !~ /^(printed|formula|words|ours)$/ { print "not a row: " $0; bad = 1; next }
    $1 == "printed" {
        quote = $7
        if (!sub(/^[^"]*"/, "", quote) || !index(" " quote, " " $4)) { print "no such number in its quotation: " $0; bad = 1 }
    }
    END { exit bad }' "$source/tests/published.txt" || fail "tests/published.txt"
awk -F'|' '/^[^#]/ && NF { print ($1 == "printed" ? "| printed" : $1 == "ours" ? "| our formula" : "| evaluated") " " $4 " |" }' \
    "$source/tests/published.txt" >"$dir/values"
while read -r row; do
    grep -qF -e "$row" "$dir/made" || fail "the page has no row with '$row'"
done <"$dir/values"
scored=$(ls "$source"/docs/results/*-advice-scored.md | tail -n 1)
[ "$(awk '/^\| run \|/ { on = 1 } !/^\|/ { on = 0 } on' "$dir/made" | sed 1,2d | wc -l)" -eq "$(grep -c '^| rule |' "$scored")" ] ||
    fail "not one row for each run of hints"
for machine in "$source"/machines/*.json; do
    grep -q "^| .*[ ]$(basename "$machine" .json)[ ;]" "$dir/made" || fail "$machine is not in the table"
done
# A row that does not hold is named, and the exit code says so.
cat >"$dir/wrong" <<END
#!/bin/sh
case \$1 in
plain) echo '| made up | 1 | 1 | 7 |' && exit 1 ;;
sampled) exit 0 ;;
esac
exec "$validation" "\$@"
END
chmod +x "$dir/wrong"
code=0
sh "$source/bench/validate.sh" --no-measure "$dir/once" "$dir/wrong" >"$dir/made" 2>/dev/null || code=$?
[ $code -eq 1 ] || fail "a difference gave exit code $code"
grep -q 'made up' "$dir/made" || fail "a difference is not shown"
# So is a measurement that fails.
cat >"$dir/fails" <<END
#!/bin/sh
[ "\$1" != analyze ] || { echo 'made up' >&2; exit 3; }
exec "$dir/once" "\$@"
END
printf '#!/bin/sh\nexit 0\n' >"$dir/silent"
chmod +x "$dir/fails" "$dir/silent"
code=0
sh "$source/bench/validate.sh" "$dir/fails" "$dir/silent" >"$dir/made" 2>"$dir/err" || code=$?
[ $code -eq 1 ] || fail "measurements that fail gave exit code $code"
[ "$(grep -c '| exit 3 |' "$dir/made")" -eq 11 ] && grep -q 'made up' "$dir/err" || fail "measurements that fail are not shown"
code=0
sh "$source/bench/validate.sh" --no-measure "$spmodel" "$dir/absent" >"$dir/made" 2>"$dir/err" || code=$?
[ $code -eq 4 ] && grep -q 'build the tests' "$dir/err" && [ ! -s "$dir/made" ] || fail "without the helper: exit code $code"
echo "validation.sh: ok"
