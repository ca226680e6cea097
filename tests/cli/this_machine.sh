# For scripts that need this machine's ceilings, measured once by the test `this_machine`. Sourced by them.
# this_machine [FILE]: a copy of the description in FILE, and in the cache ($XDG_CACHE_HOME) where spmodel remembers it.
# Where a script is run by hand, without the test, it is measured when asked for.
this_machine() {
    if [ -n "${SP_TEST_MACHINE:-}" ] && [ -f "$SP_TEST_MACHINE/machine.json" ]; then
        [ -z "${1:-}" ] || cp "$SP_TEST_MACHINE/machine.json" "$1"
        [ -n "${XDG_CACHE_HOME:-}" ] || return 0
        mkdir -p "$XDG_CACHE_HOME/spmodel"
        # A measurement in which everything was disturbed is not remembered: then each script measures what it needs.
        for remembered in "$SP_TEST_MACHINE"/cache/spmodel/machine-*.json; do
            [ ! -f "$remembered" ] || cp "$remembered" "$XDG_CACHE_HOME/spmodel/"
        done
    elif [ -n "${1:-}" ]; then
        "$spmodel" machine measure --quick -q -o "$1" >/dev/null
    fi
}
