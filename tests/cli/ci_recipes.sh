#!/bin/sh
# The jobs of examples/ci/github.yml and gitlab.yml end to end, by their own commands, with faults: a pull request, nights,
# releases. What a runner would measure are histories of `track simulate`, so that no verdict hangs on a time; everything
# else is the program itself. Usage: ci_recipes.sh SPMODEL SOURCE
set -eu
spmodel=$1 source=$2
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
unset SPMODEL SPMODEL_STORE SPMODEL_FAULT SPMODEL_FIRST SPMODEL_COMMIT GITHUB_SHA GITHUB_STEP_SUMMARY CI_COMMIT_SHA GIT_COMMIT BASE HEAD || true
fail() {
    echo "ci_recipes.sh: $*"
    exit 1
}

# The program as a runner has it: `analyze` gives the next record of the history of its side, `doctor` says what it is told.
mkdir "$dir/bin"
cat >"$dir/wrapper" <<END
#!/bin/sh
dir=$dir spmodel=$spmodel
side=head
case \$0 in base/*) side=base ;; esac
END
cat >>"$dir/wrapper" <<'END'
case $1 in
doctor) [ ! -e "$dir/quiet" ] && exit 4 || exit 0 ;;
analyze) ;;
*) exec "$spmodel" "$@" ;;
esac
out=
while [ $# -gt 0 ]; do
    [ "$1" != --out ] || out=$2
    shift
done
n=$(cat "$dir/$side.n" 2>/dev/null || echo 1)
record=$dir/$side/made-1-$(printf %04d "$n")-01.json
if [ -n "$out" ]; then
    mkdir -p "$out"
    cp "$record" "$out/"
else
    cat "$record"
    echo $((n % 36 + 1)) >"$dir/$side.n"
fi
END
chmod +x "$dir/wrapper"
printf '#!/bin/sh\nmkdir -p base/examples\ncp -r examples/ci base/examples/\ncp bootstrap base/\n' >"$dir/bin/git"
chmod +x "$dir/bin/git"
PATH=$dir/bin:$PATH
history() { # history SIDE ARGUMENTS...: 40 commits, one session each
    side=$1
    shift
    rm -rf "${dir:?}/$side" "$dir/$side.n"
    "$spmodel" track simulate -q --commits 40 --sessions 1 --out "$dir/$side" "$@"
}
checkout() { # a runner's folder, with the program built already
    rm -rf "$dir/work"
    mkdir -p "$dir/work/examples"
    cp -r "$source/examples/ci" "$dir/work/examples/"
    printf '#!/bin/sh\nmkdir -p build\ncp "%s" build/spmodel\n' "$dir/wrapper" >"$dir/work/bootstrap"
    chmod +x "$dir/work/bootstrap"
    [ "$2" = gitlab ] || (cd "$dir/work" && git)
    file=$source/examples/ci/$2.yml job=$1
    awk -v job="$1" '/^ *[a-z-]+:$/ { name = $1 } name == job ":" || name !~ /^(pull-request|nightly|release):$/ && at == job ":" { print NR }
        /^ *(pull-request|nightly|release):$/ { at = $1 } at == job ":" { print NR }' "$file" | sort -nu >"$dir/lines"
    awk -f "$here/commands.awk" "$file" >"$dir/all"
    awk -F '\t' 'NR == FNR { of[$1] = 1; next } $2 == "line" && $1 in of { print $3 }' "$dir/lines" "$dir/all" >"$dir/commands"
    grep -q "examples/ci/$(echo "$1" | tr - _).sh" "$dir/commands" || { cat "$dir/commands"; fail "$file: $1 runs no recipe"; }
}
run() { # run CODE VARIABLES...: the commands of the job
    wanted=$1 code=0
    shift
    (cd "$dir/work" && env "$@" sh -e "$dir/commands") >"$dir/out" 2>&1 || code=$?
    [ "$file" = "$source/examples/ci/gitlab.yml" ] || [ "$wanted" -ne 5 ] || [ "$job" = release ] || wanted=0 # a warning there
    [ $code -eq "$wanted" ] || { cat "$dir/out"; cat "$dir/work/spmodel.md" || true; fail "$file: $job exited with $code, not $wanted"; }
}
has() { grep -q -- "$1" "$dir/work/${2:-spmodel.md}" || { cat "$dir/work/${2:-spmodel.md}" "$dir/out"; fail "$file: $job: no '$1'"; }; }
night() { # night N CODE VARIABLES...
    echo "$1" >"$dir/head.n"
    shift
    run "$@"
}

for ci in github gitlab; do
    sides="BASE=base/build/spmodel analyze"
    grep -q "BASE: \"\{0,1\}base/build/spmodel analyze" "$source/examples/ci/$ci.yml" || fail "$ci.yml: another base"
    pull() { # pull CODE
        run "$1" "$sides" "HEAD=build/spmodel analyze" SPMODEL=build/spmodel CI_MERGE_REQUEST_DIFF_BASE_SHA=1
    }
    # --- A pull request: nothing, more bytes, a slower kernel, another environment, too much noise, a quiet machine.
    checkout pull-request $ci
    history base --seed 2
    history head --seed 3
    pull 0
    has "^bytes: ok"
    has "^fraction of the roof: ok"
    has "^time: no gate here"
    history head --seed 3 --fault bytes:1:2
    pull 1
    has "^\*\*bytes: red"
    has "| regressed | made-1 "
    history head --seed 3 --fault step:1:8
    pull 1
    has "^bytes: ok"
    has "^\*\*fraction of the roof: red"
    has "| B is worse | bandwidth_fraction | "
    history head --seed 3
    sed -i 's/"key": "0000000000000001"/"key": "00000000000000ff"/; s/"threads": 1/"threads": 2/' "$dir"/head/*.json
    pull 1
    has "| not comparable | "
    history base --seed 2 --noise 12 --session 12 --runs 1
    history head --seed 3 --noise 12 --session 12 --runs 1
    pull 5
    has "^\*\*fraction of the roof: undecided"
    history base --seed 2
    history head --seed 3 --fault machine:1:10
    touch "$dir/quiet"
    pull 1 # the roof fell as much: only the time, which counts here, is worse
    has "^fraction of the roof: ok"
    has "^\*\*time: red"
    rm "$dir/quiet"

    # --- Nights: the first is asked about, a step is red until it is accepted, and what is lost is noticed.
    checkout nightly $ci
    history head --fault step:9:12
    night 1 1
    grep -q "SPMODEL_FIRST=yes" "$dir/out" || { cat "$dir/out"; fail "$ci: a first night passes, or does not say what to do"; }
    rm -rf "$dir/work/spmodel-store"
    night 1 0 SPMODEL_FIRST=yes
    for n in 2 3 4 5 6 7 8; do night $n 0; done
    has "| ok | made-1 "
    for n in 9 10 11; do night $n 1; done
    has "open since commit0009 (after commit0008): a step of -"
    has "What is red, and why" spmodel.html
    "$spmodel" track accept -q --store "$dir/work/spmodel-store/runs" --all >/dev/null
    night 12 0
    mv "$dir/work/spmodel-store" "$dir/lost"
    night 13 1
    # Bytes, of the same nights.
    checkout nightly $ci
    history head --fault bytes:4:2
    night 1 0 SPMODEL_FIRST=yes
    for n in 2 3; do night $n 0; done
    for n in 4 5 6; do night $n 1; done
    has "^bytes: exit code 1"
    # Another runner every night: a warning at first, red from the fifth on.
    checkout nightly $ci
    history head
    night 1 0 SPMODEL_FIRST=yes
    for n in 2 3 4 5 6; do
        sed -i "s/\"key\": \"0*1\"/\"key\": \"00000000000001f$n\"/" "$dir/head/made-1-000$n-01.json"
        if [ $n -lt 5 ]; then night $n 5; else night $n 1; fi
    done
    has "nothing was decided in 5 sessions in a row: this gate guards nothing"
    # The machine, on a quiet one: exit code 8, and no commit is blamed.
    checkout nightly $ci
    history head --fault machine:8:15
    touch "$dir/quiet"
    night 1 0 SPMODEL_FIRST=yes
    for n in 2 3 4 5 6 7; do night $n 0; done
    night 8 8
    has "| machine | made-1 "
    rm "$dir/quiet"

    # --- Releases: held against the last one, so that small steps cannot add up; nothing undecided is released.
    checkout nightly $ci
    history head --noise 0.2 --session 0.3 --fault drift:12:0.4 --commits 40
    night 1 0 SPMODEL_FIRST=yes
    for n in 2 3 4 5 6 7 8; do night $n 0; done
    cp -r "$dir/work/spmodel-store" "$dir/kept"
    checkout release $ci
    mv "$dir/kept" "$dir/work/spmodel-store"
    run 5 CI_COMMIT_TAG=v1 GITHUB_REF_NAME=v1
    run 0 CI_COMMIT_TAG=v1 GITHUB_REF_NAME=v1 SPMODEL_FIRST=yes
    [ -e "$dir/work/asv-results/benchmarks.json" ] || fail "$ci: a release without its results"
    for n in 9 10 11; do
        "$spmodel" track add -q --store "$dir/work/spmodel-store/bytes" "$dir/head/made-1-$(printf %04d $n)-01.json"
        "$spmodel" track add -q --store "$dir/work/spmodel-store/runs" "$dir/head/made-1-$(printf %04d $n)-01.json"
    done
    run 0 CI_COMMIT_TAG=v2 GITHUB_REF_NAME=v2
    for n in 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26; do
        "$spmodel" track add -q --store "$dir/work/spmodel-store/bytes" "$dir/head/made-1-00$n-01.json"
        "$spmodel" track add -q --store "$dir/work/spmodel-store/runs" "$dir/head/made-1-00$n-01.json"
    done
    run 1 CI_COMMIT_TAG=v3 GITHUB_REF_NAME=v3
    rm -rf "$dir/lost"
done
echo "ci_recipes.sh: pull requests, nights and releases, each with its faults"
