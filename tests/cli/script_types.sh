#!/bin/sh
# What could bring text of others into a gnuplot script does not compile. Usage: script_types.sh COMPILER SOURCE INCLUDE...
# INCLUDE: folders of the headers that plots/script.h needs.
set -u
compiler=$1 source=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
flags="-std=gnu11 -Wall -Wextra -Werror -fsyntax-only -D_GNU_SOURCE -I$source -I$source/src"
for folder in "$@"; do flags="$flags -I$folder"; done
compiles() {
    f='void f(struct sp_script *out, const char *text, double x)'
    printf '#include "plots/script.h"\n%s;\n%s\n{\n    (void)text, (void)x;\n    %s\n}\n' "$f" "$f" "$1" >"$dir/try.c"
    # shellcheck disable=SC2086
    "$compiler" $flags "$dir/try.c" 2>"$dir/err"
}
for good in 'sp_put(out, "set key");' 'sp_put(out, "set label %g lc rgb %c", x, SP_RED);' \
    'sp_put_text(out, sp_quote("%s", text), "set title %t");' 'sp_put_text(out, sp_quote("a"), "set label %t at %g", x);'; do
    compiles "$good" || { echo "script_types: this should compile: $good"; cat "$dir/err"; exit 1; }
done
for bad in 'sp_put(out, text);' 'sp_put(out, "set title %s", text);' 'sp_put(out, "%g", x, text);' 'sp_put_text(out, text, "set title %t");' \
    'sp_put_text(out, sp_quote("a"), text);' 'fputs(text, out);' 'fprintf(out, "%s", text);' 'fputs(text, out->stream);' 'sp_put(out, sp_quote("a"));'; do
    compiles "$bad" && { echo "script_types: this should not compile: $bad"; exit 1; }
done
exit 0
