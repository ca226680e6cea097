#!/bin/sh
# The library that attach preloads, and a program with threads and forks, below clang's sanitizer of threads: no data race.
# Usage: attach_races.sh SOURCE_DIR
set -u
source=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
skip() { echo "attach_races: SKIPPED: $*"; exit 77; }
command -v clang >/dev/null || skip "no clang"
cd "$dir" || exit 1
flags="-std=gnu17 -D_GNU_SOURCE -I$source -I$source/src -fPIC -O1 -g"
echo 'int main(void) { return 0; }' >try.c
clang -fsanitize=thread try.c -o try 2>/dev/null && ./try || skip "clang has no sanitizer of threads here"
build() { clang $flags "$@" || { echo "attach_races: clang $* fails"; exit 1; }; }
for library in petsc hypre mkl rsb gpu; do
    build -fsanitize=thread -shared "$source/tests/fake/attach/fake_$library.c" -o libfake_$library.so -ldl
done
# The sanitizer itself asks dlsym() before it can be called.
build -fvisibility=hidden -c "$source/attach/find.c" "$source/attach/dlsym.c"
build -fsanitize=thread -fvisibility=hidden -shared -Wl,-Bsymbolic $(ls "$source"/attach/*.c | grep -vE '/(find|dlsym)\.c$') find.o dlsym.o -o libattach.so -ldl -lpthread
build -fsanitize=thread "$source/tests/fake/attach/attach_app.c" -o app -Wl,--no-as-needed -L. -lfake_petsc -lfake_hypre -lfake_mkl \
    -lfake_rsb -lfake_gpu -Wl,-rpath,"$dir" -lpthread
mkdir seen
export TSAN_OPTIONS=exitcode=66
# Some races are lost only now and then: threads four times.
for what in threads threads threads threads all fork; do
    SPMODEL_ATTACH_FOLDER=$dir/seen LD_PRELOAD=$dir/libattach.so ./app $what >out 2>&1
    code=$?
    [ $code = 0 ] || { echo "attach_races: $what ends with $code"; head -n 60 out; exit 1; }
done
ls seen/*.splog >/dev/null || { echo "attach_races: nothing was seen"; exit 1; }
echo "attach_races: no race"
