#!/bin/sh
# The include graph of DESIGN section 2: the folder in an include is the edge. Prints every include that breaks it,
# every file name that is not unique within its layer, every room with more than 40 files, every circle of modules. Usage: check_layers.sh SOURCE_DIR
set -eu
cd "$1"
awk_program='
BEGIN {
    allow["base"] = "base"
    allow["sparse"] = "base sparse"
    allow["sys"] = "base sys"
    allow["attach"] = "base attach"
    allow["model"] = "base sparse model"
    allow["kernels"] = "base sys sparse kernels"
    allow["probes"] = "base sys sparse model probes"
    allow["io"] = "base sys sparse model io"
    allow["track"] = "base io track"
    allow["plots"] = "base io plots"
    allow["report"] = "base io plots report"
    allow["session"] = "base sys sparse model kernels probes io track plots report session"
    allow["lab"] = "base sys sparse model io session lab"
    allow["api"] = "base sys sparse model kernels probes io plots report session api"
    allow["cli"] = "base sys sparse model kernels probes io track plots report session lab cli"
}
function layer_of(path) {
    sub(/^src\//, "", path)
    sub(/\/.*/, "", path)
    return path
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    target = $0
    sub(/^[^"]*"/, "", target)
    sub(/".*/, "", target)
    from = layer_of(FILENAME)
    to = layer_of(target)
    if (target == "sp_config.h") {
        if (from != "cli" && from != "io" && FILENAME !~ /_table\.c$/) {
            print FILENAME ":" FNR ": only cli, io and the table files include sp_config.h"
            bad = 1
        }
        next
    }
    if (target == "include/spmodel.h") # the contract of the library, for everybody
        next
    seen++
    if (index(" " allow[from] " ", " " to " ") == 0) {
        print FILENAME ":" FNR ": layer " from " may not include " target
        bad = 1
    }
}
END {
    if (seen < 20) {
        print "only " seen " includes were seen: the check looks in the wrong place"
        bad = 1
    }
    exit bad
}'
files=$(find src model kernels probes plots attach -name '*.[ch]' -o -name '*.inc' -o -name '*.cu' | sort)
# shellcheck disable=SC2086 # a list of words
awk "$awk_program" $files
# Adding a format compiles few files: no header has the list of formats.
# shellcheck disable=SC2086
! grep -n -e 'include "sparse/formats/format_ids.h"' -e 'include "base/option/formats.inc"' $files | grep '\.h:' | grep -v '^src/sparse/formats/format_ids.h:' ||
    { echo "these compile what includes them anew with each format: only .c files may"; exit 1; }
# Prose of comments ends at 100 columns (.ci/wrap_comments). Tables, lists and code in them may be longer.
# shellcheck disable=SC2086 # a list of words
awk '{ while ((getline line < $0) > 0) { n++
        if (length(line) > 100 && line ~ /^ *(\/\*|\*) [^ -]/ && line !~ /[^ ]   +[^ ]/) { print $0 ": prose beyond column 100 (.ci/wrap_comments " $0 " wraps it): " line; bad = 1 } }
      close($0) }
    END { exit bad || n < 90000 }' <<END || exit 1
$(printf '%s\n' $files)
END
twice=$(printf '%s\n' $files | sed 's|^src/||; s|/.*/|/|' | sort | uniq -d)
[ -z "$twice" ] || { echo "file names that are not unique within their layer: $twice"; exit 1; }
# shellcheck disable=SC2086
full=$(printf '%s\n' $files | sed -nE 's,^((src|model|kernels|probes|plots).*)/[^/]*$,\1,p' | sort | uniq -c | awk '$1 > 40 { print $2 " (" $1 ")" }')
[ -z "$full" ] || { echo "rooms with more than 40 files: $full"; exit 1; }
# What is preloaded into programs of others takes nothing of this one but the form of its log.
if grep -n '#include "' attach/*.[ch] | grep -vE '"(attach/[a-z]+\.(h|inc)|base/attach_log\.h)"'; then
    echo "attach includes nothing but base/attach_log.h"; exit 1
fi
# A module is a source and its header: none includes itself through others.
# shellcheck disable=SC2086
circle=$(awk '
    FNR == 1 {
        name = FILENAME
        sub(/^src\//, "", name)
        kind = name ~ /\.h$/ ? "h" : name ~ /\.cu?$/ ? "c" : ""
        sub(/\.[a-z]+$/, "", name)
        has[name, kind] = 1
        all[name] = 1
    }
    kind != "" && match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*\.h"/) {
        split($0, part, "\"")
        sub(/\.h$/, "", part[2])
        if (part[2] != name)
            edge[name, ++n[name]] = part[2]
    }
    function is_module(m) { return (m, "h") in has && (m, "c") in has }
    END {
        for (m in all)
            if (is_module(m))
                alive[m] = 1
        do { # what includes no other that is left, or none of those includes, is in no circle
            split("", into)
            split("", from)
            for (m in alive)
                for (i = 1; i <= n[m]; i++)
                    if (edge[m, i] in alive) {
                        from[m] = 1
                        into[edge[m, i]] = 1
                    }
            again = 0
            for (m in all)
                if (m in alive && !(m in from && m in into)) {
                    delete alive[m]
                    again = 1
                }
        } while (again)
        for (m in alive)
            for (i = 1; i <= n[m]; i++)
                if (edge[m, i] in alive)
                    print "  " m " includes " edge[m, i]
    }' $files | sort)
[ -z "$circle" ] || { printf 'modules that include themselves through others:\n%s\n' "$circle"; exit 1; }
# Below cli nothing prints to the terminal or ends the program; base, sparse, model and kernels open no file.
# shellcheck disable=SC2086
if grep -nE '(^|[^a-z_])(exit|abort_program|printf|puts|perror) *\(' $(echo "$files" | grep -v '^src/cli/'); then
    echo "only src/cli may print or exit"; exit 1
fi
# shellcheck disable=SC2086
if grep -nE '(^|[^a-z_])(fopen|open|getenv|secure_getenv|fprintf|popen|system) *\(' $(echo "$files" | grep -E '^(src/base|src/sparse|model|kernels)/'); then
    echo "base, sparse, model and kernels open no file and read no environment"; exit 1
fi
# An empty list may be NULL, which qsort must not be given.
# shellcheck disable=SC2086
if grep -nE '(^|[^a-z_])qsort *\(' $(echo "$files" | grep -v '^src/base/memory.c'); then
    echo "lists are sorted by sp_sort_by (base/memory.h)"; exit 1
fi
# Text of others reaches a terminal, and comes in as JSON, at one place each. What prints the program's own text alone may use printf.
# shellcheck disable=SC2086
if grep -nE '(^|[^a-z_])(f|v|vf)?printf *\(' $(echo "$files" | grep -E '^src/(cli|report|lab)/' | grep -vE '^src/cli/manual/'); then
    echo "src/cli, src/report and src/lab print with sp_print() (base/print.h)"; exit 1
fi
# shellcheck disable=SC2086
if grep -nE '033|\\x1b|\\e\[' $(echo "$files" | grep '\.c$') | grep -vE 'sp_terminal_code\(|^src/report/text/pen\.c:[0-9]*: *\[SP_INK_'; then
    echo "codes for the terminal go through sp_terminal_code() (base/print.h)"; exit 1
fi
# shellcheck disable=SC2086
if grep -nE '(^|[^a-z_])argp_(error|failure) *\(' $(echo "$files" | grep '\.c$' | grep -v '^src/cli/core/options\.c$'); then
    echo "usage errors go through sp_usage_error() (cli/core/options.h)"; exit 1
fi
# shellcheck disable=SC2086
if grep -nE 'json_load[a-z]* *\(' $(echo "$files" | grep -vE '^(src/io/json_text\.c|probes/replay\.c)$'); then
    echo "JSON comes in through sp_json_parse() (io/json_text.h)"; exit 1
fi
# Rules of awk that call look() with each string literal outside of comments.
string_literals='
    FNR == 1 { comment = 0 }
    {
        line = $0
        while (line != "") {
            if (comment) {
                at = index(line, "*/")
                comment = !at
                line = at ? substr(line, at + 2) : ""
            } else if (match(line, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)+\047|\/[*\/]/)) {
                token = substr(line, RSTART, RLENGTH)
                line = token == "//" ? "" : substr(line, RSTART + RLENGTH)
                comment = token == "/*"
                if (token ~ /^"/)
                    look(token)
            } else
                line = ""
        }
    }
'
# How an option is typed stands in one file, and in cli. Properties of CSS and options of other programs are none of ours.
# shellcheck disable=SC2086
awk 'function look(literal) {
        gsub(/var\(--[a-z]+\)|--[a-z]+:[#%]/, "", literal)
        gsub(/numactl --localalloc|cmake --install|dcgmi profiling --pause|ncu --csv --page raw --log-file FILE --metrics|docker run --cap-add|^"--default-settings"$/, "", literal)
        if (literal ~ /--[a-z%]/) {
            print FILENAME ":" FNR ": " literal
            bad = 1
        }
    }
    END { exit bad }'"$string_literals" $(echo "$files" | grep -vE '^src/cli/|^src/base/option/(option_words\.h|run_options\.inc)$') ||
    { echo "below src/cli options have the names of base/option/option_words.h and run_options.inc"; exit 1; }
# Where a field of a record stands, one file says: others have its constant. Ids of doctor's findings and paths in machine files are others.
# shellcheck disable=SC2086
awk 'FNR == NR { if (match($0, /^FIELD\([A-Z_a-z0-9]+, "[a-z_]+"/)) { split($0, part, "\""); top[part[2]] = 1; n++ } next }
    function look(literal,    word) {
        if (literal ~ /^"[a-z_]+\."$/ && (substr(literal, 2, length(literal) - 3) in top)) {
            print FILENAME ":" FNR ": " literal
            bad = 1
        }
        while (match(literal, /[A-Za-z_0-9.\/-]*[a-z_]+(\[[^]]*\])?\.[A-Za-z_%][A-Za-z_0-9%]*/)) {
            word = substr(literal, RSTART, RLENGTH)
            literal = substr(literal, RSTART + RLENGTH)
            if (word ~ /^[a-z_]+(\[[^]]*\])?\./ && (substr(word, 1, match(word, /[.[]/) - 1) in top) && word !~ /\.(c|csv|h|html|json|md|mtx|svg|txt)$/) {
                print FILENAME ":" FNR ": \"" word "\""
                bad = 1
            }
        }
    }
    END { if (n < 40) { print "only " n + 0 " objects of a record were seen"; bad = 1 } exit bad }'"$string_literals" src/io/record/record_fields.inc \
    $(echo "$files" | grep -vE '^src/io/record/record_fields\.inc$|^src/cli/doctor/|^src/io/machine/') ||
    { echo "a path of a record stands in src/io/record/record_fields.inc only: take its SP_F_ constant"; exit 1; }
# A body of a kernel is found at once: nothing in kernels/cpu lies more than two includes of its files away. What a file defines as BODY
# is included by kernels/cpu/types.inc.
# shellcheck disable=SC2046
awk '
    match($0, /^[ \t]*#[ \t]*include[ \t]*"kernels\/cpu\//) { split($0, part, "\""); child[FILENAME, ++n[FILENAME]] = part[2] }
    /^[ \t]*#[ \t]*define[ \t]+BODY[ \t]+"/ { split($0, part, "\""); body[FILENAME, ++n_bodies[FILENAME]] = part[2] }
    /^[ \t]*#[ \t]*include[ \t]+BODY/ { takes[FILENAME] = 1 }
    function look(file, depth, from, path,    i) {
        path = path " " file
        if (depth > 2) { print "more than two includes deep:" path; bad = 1; return }
        for (i = 1; i <= n[file]; i++)
            look(child[file, i], depth + 1, from, path)
        for (i = 1; file in takes && i <= n_bodies[from]; i++)
            look(body[from, i], depth + 1, from, path)
    }
    END {
        for (i = 1; i < ARGC; i++)
            if (ARGV[i] ~ /\.c$/) { look(ARGV[i], 0, ARGV[i], ""); seen++ }
        if (seen < 10) { print "only " seen + 0 " files of kernels/cpu were seen"; bad = 1 }
        exit bad
    }' $(echo "$files" | grep '^kernels/cpu/') || exit 1
# What the folders link, and what the documents say of the layers, is the same graph.
sed -n 's/^ *allow\["\([a-z]*\)"\] = "\(.*\)"$/\1 \2/p' "$0" >"${TMPDIR:-/tmp}/layers.$$"
trap 'rm -f "${TMPDIR:-/tmp}/layers.$$"' EXIT
# shellcheck disable=SC2046 # a list of words
awk 'FNR == NR { for (i = 2; i <= NF; i++) may[$1, $i] = 1; known[$1] = 1; next }
    FNR == 1 { layer = "" }
    { sub(/#.*/, "") }
    match($0, /^sp_layer\([a-z]+/) { layer = substr($0, 10, RLENGTH - 9); seen++ }
    (layer in known) && /NEEDS/ {
        n = split(substr($0, index($0, "NEEDS")), word, /[ )]+/)
        for (i = 1; i <= n; i++)
            if (sub(/^sp_/, "", word[i]) && (word[i] in known) && !((layer, word[i]) in may)) {
                print FILENAME ":" FNR ": layer " layer " may not link sp_" word[i]
                bad = 1
            }
        layer = ""
    }
    END { if (seen < 12) { print "only " seen " layers link anything"; bad = 1 } exit bad }' \
    "${TMPDIR:-/tmp}/layers.$$" $(find src model kernels probes plots -name CMakeLists.txt | sort)
awk 'FNR == NR { name = $1; for (i = 2; i <= NF; i++) if ($i != name) may[name] = may[name] " " $i; next }
    /^\| [a-z]+ \| `[a-z\/]+` \|/ {
        split($0, cell, / *\| */)
        gsub(/,/, "", cell[4])
        if (" " cell[4] != may[cell[2]] && cell[2] != "base") {
            print FILENAME ":" FNR ": layer " cell[2] " may include" may[cell[2]] ", not " cell[4]
            bad = 1
        }
        seen++
    }
    END { if (seen != 15) { print "CONTRIBUTING.md tells of " seen + 0 " layers"; bad = 1 } exit bad }' "${TMPDIR:-/tmp}/layers.$$" CONTRIBUTING.md
awk -f docs/images/layers.awk tests/check_layers.sh | cmp - docs/images/layers.svg ||
    { echo "docs/images/layers.svg is not what docs/images/layers.awk draws"; exit 1; }
echo "layers: ok"
