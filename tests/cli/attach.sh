#!/bin/sh
# An unchanged program is run, and its products are judged as analyze judges its own.
# Usage: attach.sh SPMODEL APP CHECK_RECORDS CHECK_SCHEMA SCHEMA
set -u
spmodel=$1 app=$2 check_records=$3 check_schema=$4 schema=$5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "attach: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
export XDG_CACHE_HOME="$dir/cache"
there="--machine ivb-e5-2660v2 --no-plots --out $dir/records"
mkdir "$dir/records"

run() { # run CODE ARGUMENTS...: exits with CODE?
    want=$1
    shift
    "$spmodel" attach "$@" >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code = "$want" ] || fail "spmodel attach $* exits with $code, not $want"
}
says() { # says FILE WORDS
    tr -s ' \n' '  ' <"$dir/$1" | grep -q -e "$2" || fail "does not say '$2'"
}
number() { # number FILE KEY: the first one of that name
    grep -o "\"$2\": *[-0-9.e+]*" "$1" | head -n 1 | sed 's/.*: *//'
}

# The same simulation as analyze's on the pattern that was kept: alpha to the last digit.
for threads in 1 2; do
    rm -rf "$dir/seen"
    run 0 -k "$dir/seen" --threads $threads --no-hints --json="$dir/attach.json" $there -- "$app" large
    says out "20 products of 1 matrix"
    says out "y = A x 20 .* MatMult "
    [ "$(sed -n '/nonzeros/,/GB\/s:/p' "$dir/out" | awk 'length($0) > 80')" = "" ] || fail "the table is wider than 80 columns"
    says out "SpMV CRS f64, $threads thread"
    says out "measured in attach_app"
    "$check_records" "$dir/attach.json" || fail "the record breaks its promises"
    "$check_schema" "$schema" "$dir/attach.json" || fail "the record does not obey the schema"
    "$spmodel" analyze "$dir"/seen/pattern-*.sppat --threads $threads --row-ptr 4 --budget 10ms --samples 2 --no-hints --json="$dir/analyze.json" $there >"$dir/out" 2>"$dir/err"
    python3 - "$dir/attach.json" "$dir/analyze.json" <<'END' || fail "alpha is not that of analyze"
import json, sys
a, b = (json.load(open(f))["metrics"] for f in sys.argv[1:])
print(a["alpha"]["value"], b["alpha"]["value"])
sys.exit(a["alpha"]["value"] != b["alpha"]["value"] or not a["alpha"]["value"] > 0)
END
done
[ "$(number "$dir/attach.json" calls)" = 20 ] || fail "the record does not say how many calls there were"
[ -z "$(ls -A "$dir/records" | grep spmodel-attach)" ] || fail "a folder stays"

# What was kept is judged again, without the program, and in a page.
run 0 --capture "$dir/seen" $there --html "$dir/page.html"
says out "20 products of 1 matrix"
grep -q "What the program did" "$dir/page.html" || fail "the page does not tell of the program"
grep -q "MatMult" "$dir/page.html" || fail "the page does not name the function"
run 2 -k "$dir/seen" $there -- "$app" large
says err "there is what attach has seen before"
run 0 --capture "$dir/seen" --only MatMult --no-hints $there
run 4 --capture "$dir/seen" --only rsb $there
says err "none of the products can be judged"
printf 'SPATTACH garbage' >"$dir/seen/0-0.splog"
run 0 --capture "$dir/seen" $there --no-hints
says out "1 logs could not be read"

# All libraries at once; what is not judged says why.
run 0 --all --no-hints --json="$dir/all.json" $there -- "$app" all
says out "y = A^T x MatMultTranspose simulated as if the rows of A^T were stored"
says out "y = A x mkl_sparse_d_mv simulated as half storage, one triangle for both"
says out "y = U x mkl_sparse_d_mv simulated as the rows of the triangle alone"
says out "do not known: hints are for whole rows of A"
says out "times include the exchange of 7 elements of x with other processes"
grep -q "its time includes the exchange of 7 elements of x" "$dir/all.json" || fail "no record tells of the exchange"
says out "not judged: it ran on a GPU: say on which (--gpu NAME"
says out "not judged: a diagonal or blocks of the matrix alone"
says out "y = A^T x 3 [0-9.]* [mu]s [0-9.]* [mu]s [0-9.]* % 0.[0-9]* MatMultTranspose"
says out " 20 ? ? ? ? rocsparse_spmv"
while read -r line; do
    printf '%s\n' "$line" >"$dir/one.json"
    "$check_schema" "$schema" "$dir/one.json" || fail "a record does not obey the schema"
done <"$dir/all.json"
for walk in rows transposed triangle half; do
    grep -q "\"walk\": *\"$walk\"" "$dir/all.json" || fail "no record has the walk $walk"
done
# On a GPU that is named: the model's bytes, the time of events.
run 0 --gpu a100-sxm4-40gb --all --only usparse --no-hints --json="$dir/gpu.json" $there -- "$app" cusparse
says out "SpMV CRS f64, 108 SMs, NVIDIA A100"
says out "SDDMM CRS f64 r=5, 108 SMs"
says out "not judged: its dense operands lie column by column"
while read -r line; do
    printf '%s\n' "$line" >"$dir/one.json"
    "$check_schema" "$schema" "$dir/one.json" || fail "a record of a GPU does not obey the schema"
    "$check_records" "$dir/one.json" || fail "a record of a GPU breaks its promises"
done <"$dir/gpu.json"
run 4 --gpu no-such-gpu $there -- "$app" cusparse
run 0 $there --no-hints -- "$app" rsb
says out "y = A x 8 .* rsb_spmv "
says out "Y = A X r=4 3 .* rsb_spmm "

# The program takes as long as its parent, which waits, though its child has multiplied more.
run 0 --all --no-hints --json="$dir/fork.json" $there -- "$app" fork
says out "13 products of 2 matrices in 2 processes"
python3 - "$dir/fork.json" "$dir/out" <<'END' || fail "the program's time is that of a child"
import json, re, sys
longest = max(json.loads(line)["attach"]["program_s"] for line in open(sys.argv[1]))
value, unit = re.search(r"^PROGRAM +\S+ +([0-9.]+) (\S+)", open(sys.argv[2]).read(), re.M).groups()
print(value, unit, longest)
sys.exit(abs(float(value) * {"s": 1, "ms": 1e-3, "us": 1e-6}[unit] - longest) > 0.01 * longest)
END

# The program's end is the command's.
run 3 $there --no-hints -- "$app" exit 3
says out "exit code 3"
says out " 8 [^A]* rsb_spmv "
run 139 $there --no-hints -- "$app" crash
says out "ended by signal 11"
says out " 9 [^A]* MatMult "
run 137 $there --no-hints -- "$app" kill
says out " 9 [^A]* MatMult "
run 127 $there -- "$dir/nothing"
says err "cannot be started"
run 126 $there -- "$dir"
"$spmodel" attach $there --no-hints -- "$app" wait >"$dir/out" 2>"$dir/err" &
pid=$!
n=0 # until it waits
while [ $n -lt 100 ] && ! ls "$dir"/records/.spmodel-attach-*/*.sppat >/dev/null 2>&1; do sleep 0.1; n=$((n + 1)); done
sleep 0.3
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "a signal is not passed on"
says out " 9 [^A]* MatMult "

# Its options are its own, with and without --.
run 1 $there -- /bin/echo --html -t
says out "^--html -t PROGRAM"
run 1 $there --threads 2 /bin/echo --html -t
says out "^--html -t PROGRAM"
run 2 $there --html
# Nothing seen is said, with what to do.
run 1 $there -- /bin/true
says out "SEEN no product of a library that attach knows"
says out "spmodel import --time"
run 1 $there -- "$app" nothing
says out "functions that are seen: PETSc, hypre, MKL, librsb, cuSPARSE, rocSPARSE"
says out "spmodel analyze M --kernel"
# In whatever form was asked for: an object of JSON alone on standard output, no page, and the words with -q, too.
run 1 --json $there -- /bin/true
python3 -c 'import json, sys; a = json.load(sys.stdin)["attach"]; sys.exit(a["program"] != "true" or a["products"] != 0)' <"$dir/out" ||
    fail "--json does not tell of a program without a product"
says err "PROGRAM true"
run 1 --json="$dir/nothing.json" -q $there -- /bin/true
python3 -m json.tool "$dir/nothing.json" >/dev/null || fail "--json=FILE writes no JSON without a product"
says out "PROGRAM true"
run 1 --html "$dir/nothing.html" $there -- /bin/true
says err "no page was written, because no product was seen"
[ ! -e "$dir/nothing.html" ] || fail "a page of nothing is there"
# Where products were lost, that is the reason.
run 1 $there -- "$app" open-files 0
says out "9 products are not in the log: the log could not grow: Too many open files"
grep -q "no product" "$dir/out" && fail "products that were lost are said not to have been made"
# Exit codes come from a parent that ignores its children's ends, too; a script is called by its name.
printf '#!/bin/sh\nexit 7\n' >"$dir/script.sh"
chmod +x "$dir/script.sh"
(trap '' CHLD && run 7 $there -- "$dir/script.sh") || exit 1
says out "PROGRAM script.sh .*exit code 7"
# One that goes on in the background; where there are products, the page says so, too.
outlives() { # outlives COMMAND: a script that leaves a process behind, and then is COMMAND
    printf '#!/bin/sh\nsleep 300 >/dev/null 2>&1 &\necho $! >"%s"\nsleep 0.5\nexec %s\n' "$dir/left" "$1" >"$dir/script.sh"
}
words="what 1 process (sleep) that outlived the program will do: let the program wait for it"
outlives true
run 1 $there -- "$dir/script.sh"
kill "$(cat "$dir/left")"
says out "unseen $words"
outlives "\"$app\" large"
run 0 $there --no-hints --html "$dir/unseen.html" -- "$dir/script.sh"
kill "$(cat "$dir/left")"
grep -q "unseen: $words" "$dir/unseen.html" || fail "the page does not say what was not seen"
run 2
run 2 --capture "$dir/seen" -- "$app"
run 3 --capture "$dir/none"
[ ! -e "$dir/cache" ] || fail "the machine is measured for a folder that is not there"
mkdir "$dir/empty"
run 4 --capture "$dir/empty"
# The library may be left out of an installation: then there is no attach, and the rest works.
mkdir "$dir/bin"
cp "$spmodel" "$dir/bin/spmodel"
"$dir/bin/spmodel" attach $there -- "$app" rsb >"$dir/out" 2>"$dir/err"
[ $? = 4 ] || fail "without its library attach does not end with 4"
says err "libspmodel-attach.so is not where it belongs"
# Another library that is preloaded stays; a value of its own of the program, too.
LD_PRELOAD=$(dirname "$app")/libattach_rsb.so run 0 $there --no-hints -- "$app" rsb
# One that runs as somebody else: the system preloads nothing into it.
if [ "$(id -u)" = 0 ] && cp /bin/true "$dir/setuid" && chown 65534 "$dir/setuid" && chmod 4755 "$dir/setuid"; then
    run 1 $there -- "$dir/setuid"
    says err "nothing will be seen of .*/setuid: it runs with more rights than yours"
    says out "PROGRAM setuid .*unseen all of it: it runs with more rights than yours"
else
    echo "attach: SKIPPED the program that runs as somebody else: only root can make one"
fi
# One that is linked statically, where the compiler can make it.
if echo 'int main(void) { return 0; }' >"$dir/static.c" && ${CC:-cc} -static "$dir/static.c" -o "$dir/static" 2>/dev/null; then
    run 1 $there -- "$dir/static"
    says err "nothing will be seen of .*/static: it is linked statically"
    says out "PROGRAM static .*unseen all of it: it is linked statically"
    grep -q "spmodel-attach-" "$dir/out" "$dir/err" && fail "a folder that is gone is named"
else
    echo "attach: SKIPPED the program that is linked statically: no static libc here"
fi
exit 0
