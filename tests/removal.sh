#!/bin/sh
# One of each kind is taken away, in a copy of the source, by the edits that CONTRIBUTING.md ("How to add") names the other
# way round: a format, a hint, a counter, an option. What is left is built, with what is no longer used an error, and tried. It fails where
# more files have to be touched than are promised, where a word of the format is left behind, and where the rest does not
# work without it. Objects of files that include nothing of it are those of BUILD, where Ninja has made it; without it all is
# compiled. Usage: removal.sh SOURCE_DIR CMAKE C_COMPILER BUILD
set -eu
source=$1 cmake=$2 compiler=$3 finished=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
tree=$work/tree
mkdir "$tree"
(cd "$source" && tar cf - CMakeLists.txt cmake src include python model kernels probes plots attach LICENSE) | (cd "$tree" && tar xf -)
# Nothing is installed.
sed -i '/sp_install_manual()/d' "$tree/CMakeLists.txt"
sed -i 's/^install(DIRECTORY.*//; s/^install(FILES.*//' "$tree/cmake/install.cmake"
sed -i 's/-O3//' "$tree/kernels/CMakeLists.txt"

fail() {
    echo "removal: $*" >&2
    exit 1
}

touched='' all_touched=''
gone() { # FILE...: whole files
    for file; do
        [ -f "$tree/$file" ] || fail "there is no $file to take away"
        rm "$tree/$file"
        touched="$touched $file"
    done
}
without() { # FILE SED_COMMAND: lines of it
    cp "$tree/$1" "$work/before"
    sed -i "$2" "$tree/$1"
    ! cmp -s "$work/before" "$tree/$1" || fail "nothing to take away from $1 by '$2'"
    case " $touched " in *" $1 "*) ;; *) touched="$touched $1" ;; esac
}
# What explain says of it, where that is text, and where others refer to it: counted apart, as documents are.
unexplained() { # TERM
    for file in $(cd "$tree" && grep -lE "^(term|rule): $1(:|\$)|^see:.* $1( |\$)" src/cli/explain/terms/*.txt 2>/dev/null); do
        awk -v term="$1" 'BEGIN { RS = ""; ORS = "\n\n" }
            $0 !~ "(^|\n)(term|rule): " term "(:|\n|$)" {
                while (match($0, "\nsee:[^\n]* " term "( |\n|$)"))
                    $0 = substr($0, 1, RSTART - 1) without(substr($0, RSTART, RLENGTH)) substr($0, RSTART + RLENGTH)
                print
            }
            function without(line) { sub(" " term, "", line); return line }' "$tree/$file" >"$work/text"
        cp "$work/text" "$tree/$file"
        echo "explained in $file"
    done
}
took() { # WHAT MOST: how many files that was
    # shellcheck disable=SC2086 # a list of words
    set -- "$1" "$2" $touched
    what=$1 most=$2
    shift 2
    echo "$what: $# of at most $most files:$touched"
    [ $# -le "$most" ] || fail "$what touches $# files, $most are promised"
    all_touched="$all_touched$touched" touched=
}

# A format: its line, its layout, what the model knows, its kernel.
without src/base/option/formats.inc '/^[A-Z]*_FORMAT(STRIPED,/,/)$/d'
gone src/sparse/formats/striped.c src/sparse/formats/striped.h model/formats/striped.c kernels/cpu/plain/striped.c
unexplained striped
took "the format striped" 6

# A hint: its line, its rule.
without model/hints/hints.inc '/^HINT(stripes)/d'
gone model/hints/hints_stripes.c
unexplained A04
took "the hint A04" 2

# A counter: its line, its probe, what the helper does with its library; and a unit of the kernel: its row.
without src/base/option/byte_counters.inc '/^LIBRARY_COUNTER(papi,/,/)$/d'
gone probes/papi.c probes/helper/helper_papi.c
took "the counter papi" 3
without src/sys/counters/memory_pmu.c '/HiSilicon DDRC:/d; /"HiSilicon memory controller"/,/},$/d'
took "the unit of HiSilicon" 1

# An option: its name and row, and what it does.
without src/base/option/run_options.inc '/SP_O_STRICT /d; /^RUN_OPTION(STRICT,/,/")$/d'
without src/cli/analyze/analyze_output.c '/^static bool has_flags/,/^$/d; /if (o->asked\[SP_OPTION_STRICT\]/,/^    }$/d'
took "the option --strict" 2

left=$(cd "$tree" && grep -rliE 'SP_FORMAT_STRIPED|sp_stripes|striped\.h' src model kernels probes plots || true)
[ -z "$left" ] || fail "the format is still spoken of in $left"

# Objects of the finished build whose sources and headers were copied and not touched.
same_objects() {
    ninja=$(sed -n 's/^CMAKE_MAKE_PROGRAM:[A-Z]*=//p' "$finished/CMakeCache.txt" 2>/dev/null)
    case $ninja in *ninja*) ;; *) return 0 ;; esac
    ! grep -qE '^SP_SANITIZE:[A-Z]*=(ON|thread)' "$finished/CMakeCache.txt" || return 0
    "$ninja" -C "$finished" -t deps 2>/dev/null | awk -v source="$source/" -v finished="$finished" -v touched="$all_touched" '
        function out() { if (object != "" && own && !changed) print object }
        BEGIN { n = split(touched, name, " "); for (i = 1; i <= n; i++) is_touched[name[i]] = 1 }
        /: #deps/ { out(); object = $1; sub(/:$/, "", object); own = changed = 0; if (/STALE/) changed = 1; next }
        NF {
            file = $1 ~ /^\// ? $1 : finished "/" $1
            while (sub(/[^\/]+\/\.\.\//, "", file)) {}
            if (index(file, source) == 1) {
                file = substr(file, length(source) + 1)
                own = 1
            } else if (index(file, finished) == 1) file = "made by the build"
            else next # of the system
            if (file in is_touched || file !~ /^(src|include|model|kernels|probes|plots|attach)\//) changed = 1
        }
        END { out() }'
}
cd "$work"
export CCACHE_BASEDIR="$work"
same_objects >finished
# Bodies for one instruction set show as much as those for three.
sed -i 's/set(x86 TRUE)/set(x86 FALSE)/' "$tree/kernels/CMakeLists.txt"
sed '/^kernels\//d' finished >same
with=$(sed -n 's/^\(SP_WITH_[A-Z0-9_]*\):[A-Z]*=\(.*\)/-D\1=\2/p' "$finished/CMakeCache.txt")
[ -s same ] || with=-DSP_WITH_CUDA=OFF
# shellcheck disable=SC2086 # a list of words
"$cmake" -G "Unix Makefiles" -S tree -B build -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=None -DSP_TESTS=OFF -DSP_BENCH=OFF \
    $with -DCMAKE_C_FLAGS='-O0 -Werror=unused -Werror=implicit-function-declaration' >configured 2>&1 || { cat configured; fail "the rest cannot be configured"; }
while read -r object; do
    [ ! -d "build/${object%%.dir/*}.dir" ] || { mkdir -p "build/${object%/*}" && cp "$finished/$object" "build/$object"; }
done <same
"$cmake" --build build --target spmodel --parallel 2 >built 2>&1 || { grep -E 'error|Error' built | head -n 20; fail "the rest does not build"; }

# The program without them.
export OMP_NUM_THREADS=2 SPMODEL_ASSUME=clean XDG_CACHE_HOME="$work/cache"
run() { # EXIT_CODE ARGUMENTS...: says in $work/out
    code=$1 is=0
    shift
    build/spmodel "$@" >out 2>&1 || is=$?
    [ "$is" = "$code" ] || { cat out; fail "spmodel $* ended with $is, not $code"; }
}
run 0 help formats
! grep -q striped out || fail "help formats still has it"
run 2 model gen:laplace2d:40 --format striped
grep -q "unknown format 'striped'" out || fail "not refused as unknown: $(cat out)"
run 0 model gen:laplace2d:40 --format crs --format half --format sell:8,1
run 0 analyze --help
! grep -q striped out || fail "analyze --help still has it"
run 0 explain crs
run 2 explain A04 || true
echo "removal: what is left builds and works"
