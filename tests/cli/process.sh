#!/bin/sh
# What surrounds every command: closed standard streams, an output that does not arrive, too many threads, too small
# stacks, and signals, which leave nothing behind. Nothing here waits for a time: commands are held up by pipes that
# nobody serves, or begun when their first temporary file appears. Usage: process.sh SPMODEL SOURCE
set -u
spmodel=$1 record=$2/tests/data/record-kkt_power.json
dir=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -9 $pid 2>/dev/null; rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir/cache" XDG_CONFIG_HOME="$dir" TMPDIR="$dir/tmp"
mkdir "$dir/tmp" "$dir/out" "$dir/bin"
. "$(dirname "$0")/this_machine.sh"
cd "$dir" || exit 1
exec 9>&1 # whatever becomes of standard output
fail() { { echo "process.sh: $*"; cat "$dir/err" 2>/dev/null; } >&9; exit 1; }
ends() { # ends CODE TEXT COMMAND...: with this exit code, and with the text in its one error
    wanted=$1 text=$2 code=0
    shift 2
    "$@" 2>"$dir/err" || code=$?
    [ $code -eq "$wanted" ] || fail "$*: exit code $code, not $wanted"
    grep -q -- "$text" "$dir/err" || fail "$*: no '$text'"
}
begun_by() { # begun_by PATTERN: waits until there is such a file; fails where the command ends before
    tries=0
    # shellcheck disable=SC2086 # a pattern
    until ls -d $1 >"$dir/found" 2>/dev/null; do
        kill -0 $pid 2>/dev/null || fail "ended before there was $1"
        tries=$((tries + 1))
        [ $tries -lt 2400 ] || fail "no $1 after two minutes"
        sleep 0.05
    done
}
await() { # the exit code of $pid in $code; fails where it does not end
    tries=0
    while kill -0 $pid 2>/dev/null && ! grep -q '^State:.Z' /proc/$pid/status 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 2400 ] || fail "$what goes on two minutes after $1"
        sleep 0.05
    done
    code=0
    wait $pid || code=$?
    pid=
}
nothing_left() {
    left=$(find "$dir/out" "$dir/tmp" -name '*.part' -o -path "$dir/tmp/*")
    [ -z "$left" ] || fail "$what leaves $left after $1"
}
"$spmodel" generate -q laplace2d:300 -o m.mtx || fail "no matrix was made"
"$spmodel" generate -q laplace2d:40 -o small.mtx || fail "no matrix was made"
this_machine machine.json || fail "no machine"

# A descriptor that is closed is not the next file's.
analyze="analyze -q --no-plots --budget 20ms --machine machine.json small.mtx"
# shellcheck disable=SC2086 # words
ends 4 "standard output: it is closed" "$spmodel" $analyze --json=out/j.json >&-
grep -q '"schema": "spmodel.record' out/j.json && [ "$(grep -c '^possible ' out/j.json)" -eq 0 ] || fail "the report lies in the record"
# Commands that begin anew for GOMP_SPINCOUNT say the same.
ends 4 "standard output: it is closed" "$spmodel" reorder --method rcm small.mtx >&-
# shellcheck disable=SC2086
"$spmodel" $analyze --json=out/j.json 2>&- >/dev/null
code=$?
[ $code -eq 0 ] || [ $code -eq 5 ] || fail "without stderr it exits with $code"
head -c 1 out/j.json | grep -q '{' || fail "a remark lies in the record"
# shellcheck disable=SC2086
"$spmodel" $analyze --json=out/j.json <&- >&- 2>&-
[ $? -eq 4 ] && head -c 1 out/j.json | grep -q '{' || fail "without any standard stream the record is damaged"
ends 3 "standard input is closed" "$spmodel" info - <&-
"$spmodel" convert -q m.mtx out/copy.mtx <&- >&- 2>&- || fail "what needs no standard stream fails without them: $?"
cmp -s m.mtx out/copy.mtx || { "$spmodel" info m.mtx >a; "$spmodel" info out/copy.mtx >b; cmp a b; } >/dev/null || fail "another matrix without standard streams"
rm -f out/*

# Help that does not arrive is no help, whoever prints it.
if [ -w /dev/full ]; then
    n=0
    for command in $("$spmodel" --help | sed -n 's/^  \([a-z]*\) .*/\1/p') '' 'track log' 'track check' 'lab grade' 'lab start'; do
        for option in --help --usage; do
            [ -n "$command" ] || [ $option = --help ] || option=--version
            # shellcheck disable=SC2086
            ends 4 "standard output: " "$spmodel" $command $option >/dev/full
            n=$((n + 1))
        done
    done
    [ $n -gt 40 ] || fail "only $n helps were asked for"
else
    echo "process.sh: left out, no /dev/full"
fi

# Threads and stacks that cannot be had are an error of one sentence.
for size in 1K 20k 32K 0.1M 100000B; do
    OMP_STACKSIZE=$size ends 4 "remedy: OMP_STACKSIZE=2M" "$spmodel" info m.mtx
done
OMP_STACKSIZE=1M "$spmodel" info m.mtx >/dev/null || fail "a stack that is large enough is refused"
for n in 100000 2000000; do
    OMP_NUM_THREADS=$n ends 4 "remedy: set OMP_NUM_THREADS" "$spmodel" info m.mtx
done
for size in 64 192; do
    (ulimit -s $size && ends 4 "remedy: ulimit -s 8192" "$spmodel" analyze m.mtx) || exit 1
done
if (ulimit -v 2000000 && OMP_NUM_THREADS=1 "$spmodel" info m.mtx >/dev/null 2>&1); then
    (ulimit -v 2000000 && OMP_STACKSIZE=1G OMP_NUM_THREADS=8 && export OMP_STACKSIZE OMP_NUM_THREADS &&
        ends 4 "remedy: unset OMP_STACKSIZE, which asks for a stack of 1G" "$spmodel" info m.mtx >/dev/null) || exit 1
else
    echo "process.sh: left out, this build does not begin within 2 GB of addresses"
fi

# One Ctrl-C ends what waits for a pipe: half a matrix has been read, the rest never comes.
mkfifo pipe full
for what in "info -" "info pipe"; do
    "$spmodel" $what <pipe >/dev/null 2>err &
    pid=$!
    exec 3>pipe
    head -c 400000 m.mtx >&3 # more than fits into a pipe: all but its last part has been read
    kill -INT $pid
    await SIGINT
    exec 3>&-
    [ $code -eq 130 ] || fail "$what exits with $code after SIGINT"
done
# ... and what cannot get rid of its report.
what=doctor
exec 3<>full
head -c 65536 /dev/zero >&3
"$spmodel" doctor --json=out/doctor.json >full 2>err 3>&- &
pid=$!
begun_by 'out/.doctor.json.*.part'
kill -INT $pid
await SIGINT
exec 3>&-
[ $code -eq 130 ] || fail "doctor exits with $code after SIGINT"
nothing_left SIGINT

# Threads wait briefly, in this process alone, unless the user says how they do.
waits_in() { # waits_in COUNT [VARIABLE]: in the environment that libgomp has seen
    env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT "${2:-NOTHING=0}" "$spmodel" analyze --json=out/w.json - <pipe >/dev/null 2>err &
    pid=$!
    exec 3>pipe
    begun_by 'out/.w.json.*.part'
    [ "$(tr '\0' '\n' <"/proc/$pid/environ" | grep -c '^GOMP_SPINCOUNT=20000$')" = "$1" ] || fail "threads do not wait as they should: ${2-}"
    [ "$(cat "/proc/$pid/comm")" = spmodel ] || fail "its name is $(cat "/proc/$pid/comm")"
    what=analyze
    kill -TERM $pid
    await SIGTERM
    exec 3>&-
    nothing_left SIGTERM
}
if ldd "$spmodel" | grep -q libgomp; then
    waits_in 1
    waits_in 0 OMP_WAIT_POLICY=active
    waits_in 0 GOMP_SPINCOUNT=7
    mkdir looks
    printf '#!/bin/sh\nenv >"$HOME/seen"\nexit 1\n' >looks/gnuplot
    chmod +x looks/gnuplot
    env -u OMP_WAIT_POLICY PATH="$dir/looks:$PATH" "$spmodel" analyze -q --budget 20ms --machine machine.json --out out small.mtx >/dev/null 2>&1
    [ -s seen ] && ! grep GOMP_SPINCOUNT seen || fail "programs that it starts see how its own threads wait"
    rm -rf out/*
else
    echo "process.sh: left out how threads wait: libgomp is not what this build has"
fi

# Signals: of what is half-written nothing stays. gnuplot is one that draws for ever.
cat >bin/gnuplot <<'EOS'
#!/bin/sh
echo $$ >"$HOME/drawing.pid.new" && mv "$HOME/drawing.pid.new" "$HOME/drawing.pid"
exec sleep 1000
EOS
chmod +x bin/gnuplot
PATH="$dir/bin:$PATH"
is_gone() { # a process; as a zombie, too, where nobody waits for orphans
    ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}
ended_by() { # ended_by SIGNAL CODE PATTERN ARGUMENTS...: begun by PATTERN
    signal=$1 wanted=$2 pattern=$3
    shift 3
    what="$*"
    rm -f drawing.pid
    "$spmodel" "$@" >/dev/null 2>err <pipe &
    pid=$!
    exec 3>pipe
    begun_by "$pattern"
    kill -"$signal" $pid
    await "$signal"
    exec 3>&-
    [ $code -eq "$wanted" ] || fail "$what exits with $code after SIG$signal, not $wanted"
    nothing_left "SIG$signal"
    [ ! -e drawing.pid ] || is_gone "$(cat drawing.pid)" || fail "gnuplot draws on after $what has ended"
}
# A run of a lab is a process of its own: it goes with the one that waits for it.
"$spmodel" lab start 1 --student ada --small --dir out/lab >/dev/null || fail "no lab"
for signal in TERM HUP INT; do
    case $signal in TERM) code_of=143 ;; HUP) code_of=129 ;; INT) code_of=130 ;; esac
    # each opens its output first and then waits for a matrix, or for gnuplot
    ended_by $signal $code_of 'out/.*.part' analyze --machine machine.json --json=out/a.json --html=out/a.html -
    ended_by $signal $code_of 'out/.*.part' info --csv=out/a.csv -
    ended_by $signal $code_of 'out/.*.part' model --machine clx-9242 --json=out/a.json -
    ended_by $signal $code_of 'out/lab/records/.*.part' lab run 1 --dir out/lab --unpredicted
    ended_by $signal $code_of drawing.pid plot --html out/a.html "$record"
    ended_by $signal $code_of drawing.pid plot --kind roofline "$record" -o out/a.svg
done

# METIS takes SIGTERM for an error of its own; what it says is lost meanwhile, by which it is known that it works.
if "$spmodel" --version | grep -q 'METIS: /'; then
    for arguments in "--method nd" "--ranks 8 --partition metis"; do
        what="reorder $arguments"
        # shellcheck disable=SC2086 # words
        "$spmodel" reorder $arguments gen:hpcg:60 out/ordered.spm >out/said 2>err &
        pid=$!
        until [ "$(readlink /proc/$pid/fd/1)" = /dev/null ]; do
            kill -0 $pid 2>/dev/null || fail "$what ended before METIS worked"
            sleep 0.02
        done
        kill -TERM $pid
        await SIGTERM
        [ $code -eq 143 ] && [ ! -s err ] && [ ! -e out/ordered.spm ] || fail "$what exits with $code after SIGTERM, not 143, or says something"
        nothing_left SIGTERM
    done
fi

# Killed without a word: what stays goes when the next one writes there, but not what a living one writes.
what=info
"$spmodel" info --csv=out/dead.csv - <pipe >/dev/null 2>err &
pid=$!
exec 3>pipe
begun_by 'out/.dead.csv.*.part'
kill -9 $pid
await KILL 2>/dev/null
exec 3>&-
ls out/.dead.csv.*.part >/dev/null || fail "nothing was left by what was killed: this tests nothing"
"$spmodel" info --csv=out/alive.csv - <pipe >/dev/null 2>err &
pid=$!
exec 3>pipe
begun_by 'out/.alive.csv.*.part'
[ -z "$(find out -name '.dead*')" ] || fail "what a killed one left is still there"
"$spmodel" info --csv=out/whole.csv m.mtx >/dev/null || fail "no table"
[ -n "$(find out -name '.alive*.part')" ] || fail "what a living one writes has been removed"
cat m.mtx >&3
exec 3>&-
await "its input"
[ $code -eq 0 ] && [ -s out/alive.csv ] || fail "the living one ends with $code"

# What is rewritten stays as private as it was.
(umask 022 && : >out/private.json && chmod 600 out/private.json && "$spmodel" info -q m.mtx --json=out/private.json >/dev/null)
case $(ls -l out/private.json) in -rw-------*) ;; *) fail "a private file is one no more: $(ls -l out/private.json)" ;; esac
[ -s out/private.json ] || fail "it was not rewritten"

# On a terminal progress wipes its line, and a dumb one, which can wipe none, gets no progress.
if command -v script >/dev/null; then
    for term in xterm dumb; do
        TERM=$term script -qec "$spmodel analyze gen:laplace2d:40 --budget 50ms --no-hints --no-plots --out out" /dev/null </dev/null >"$term"
        grep -q "^saved" "$term" || fail "no report on a $term terminal"
    done
    wipes=$(printf '\033[K')
    grep -qF "$wipes" xterm || fail "no progress on a terminal"
    ! grep -qF "$(printf '\033')" dumb || fail "a dumb terminal gets what it cannot obey"
else
    echo "skipped: terminals (there is no script)"
fi
echo "process.sh: ok"
