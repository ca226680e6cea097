# For scripts that need this machine's ceilings, measured once by the test `this_machine`. Sourced by them.
# this_machine [FILE]: a copy of the description in FILE, and in the cache ($XDG_CACHE_HOME) where spmodel remembers it.
# Where a script is run by hand, without the test, it is measured when asked for.
this_machine() {
    if [ -n "${SP_TEST_MACHINE:-}" ] && [ -f "$SP_TEST_MACHINE/machine.json" ]; then
        [ -z "${1:-}" ] || cp "$SP_TEST_MACHINE/machine.json" "$1"
        [ -n "${XDG_CACHE_HOME:-}" ] || return 0
        mkdir -p "$XDG_CACHE_HOME/spmodel"
        # A measurement in which everything was disturbed is not remembered: then each script measures what it needs. Figures in
        # doubt would be measured again by each of them.
        for remembered in "$SP_TEST_MACHINE"/cache/spmodel/machine-*.json; do
            [ ! -f "$remembered" ] || sed 's/, *"doubt": *"[^"]*"//' "$remembered" >"$XDG_CACHE_HOME/spmodel/${remembered##*/}"
        done
    elif [ -n "${1:-}" ]; then
        "$spmodel" machine measure --quick -q -o "$1" >/dev/null
    fi
}
# as_this_machine NAME FILE [SED]...: the described machine NAME in FILE as if it were this one, changed by each SED:
# what is simulated with its caches, and said of it, does not hang on where the test runs.
described_machines=$(cd "$(dirname "$0")/../../machines" && pwd)
as_this_machine() {
    described=$described_machines/$1.json described_in=$2
    shift 2
    [ -n "${this_key:-}" ] || this_key=$("$spmodel" analyze -q --no-plots --no-hints --budget 1ms --samples 1 --threads 1 --machine a64fx \
        --out "$described_in.key" --json gen:laplace2d:5 | sed -n 's/.*"key": *"\([0-9a-f]*\)".*/\1/p' | head -n 1)
    [ ${#this_key} -eq 16 ] || { echo "this_machine.sh: no key of this machine: '$this_key'"; return 1; }
    sed "s/\"env_key\": *\"[0-9a-f]*\"/\"env_key\": \"$this_key\"/" "$described" >"$described_in"
    for change; do
        sed "$change" "$described_in" >"$described_in.new"
        mv "$described_in.new" "$described_in"
    done
}
