# Names in documents that nothing has: commands, verbs and options of spmodel, files, identifiers, links. names.sh says what
# there is, and then what the documents say. Lines with tabs between:
#
#   help COMMAND OPTION | verb COMMAND VERB | other OPTION | path PATH | word IDENTIFIER
#   doc DOCUMENT LINE KIND TEXT

BEGIN {
    FS = "\t"
    n = split("src model kernels probes plots attach docs tests bench examples machines labs cmake data .ci base sparse sys io report" \
        " track session cli lab cuda gpu helper", first, " ")
    for (i = 1; i <= n; i++) folder[first[i]] = 1
}

$1 == "help" { command[$2] = 1; option[$2, $3] = 1; any[$3] = 1; next }
$1 == "verb" { command[$2] = 1; has_verbs[$2] = 1; verb[$2, $3] = 1; next }
$1 == "other" { any[$2] = 1; next }
$1 == "word" { word[$2] = 1; words[++n_words] = $2; next }
$1 == "path" {
    path[$2] = 1
    paths[++n_paths] = $2
    base = $2
    sub(/.*\//, "", base)
    basename[base] = 1
    next
}

function wrong(text) { printf "%s:%s: %s\n", document, line, text; bad = 1 }

function option_of(text) { match(text, /^--[a-z][a-z0-9-]*/); return substr(text, 1, RLENGTH) }

# The options among words[from ...], of COMMAND, or of anything where COMMAND is empty.
function check_options(w, from, to, name,    i, o) {
    for (i = from; i <= to; i++) {
        sub(/^[\["'(]+/, "", w[i])
        if (w[i] !~ /^--[a-z]/) continue
        o = option_of(w[i])
        if (name == "" ? !(o in any) : !((name, o) in option)) wrong("no option " o (name == "" ? "" : " of spmodel " name))
    }
}

function check_command(w, at, to,    name, i, k, v) {
    name = w[at]
    sub(/[^a-z].*/, "", name)
    if (w[at] !~ /^[a-z]/) return # an option, or a placeholder
    if (!(name in command)) { wrong("no command 'spmodel " name "'"); return }
    if ((name in has_verbs) && w[at + 1] ~ /^[a-z]/) {
        k = split(w[at + 1], v, "|")
        for (i = 1; i <= k; i++) {
            sub(/[^a-z].*/, "", v[i])
            if (!((name, v[i]) in verb)) wrong("spmodel " name " has no verb '" v[i] "'")
        }
    }
    check_options(w, at + 1, to, name)
}

function check_words(text, kind,    part, w, p, i, n, k) {
    gsub(/ '(build\/)?spmodel /, " ; spmodel ", text) # a command that is an argument
    k = split(text, part, / *(\|\||&&|;| \| ) */)
    for (p = 1; p <= k; p++) {
        sub(/ # .*/, "", part[p])
        n = split(part[p], w, /[ \n]+/)
        for (i = 1; i <= n && w[i] !~ /^'?(build\/)?spmodel$/; i++) ;
        if (i < n) check_command(w, i + 1, n)
        else if (i == n) continue
        else if (n > 1 && kind == "span" && (w[1] in command)) check_command(w, 1, n)
        else if (w[1] !~ /^(ctest|cmake|reframe|srun|mpirun|likwid-perfctr|nvcc|jq|git|spack|apt-get|dnf|zypper|modprobe|man|gnuplot|python3|valgrind|ninja|clang[a-z-]*|rsvg-convert)$/)
            check_options(w, 1, n, "")
    }
}

function matches(pattern, name) { return name ~ ("^" pattern "$") }

function exists(token,    pattern, i, near) {
    near = document
    if (!sub(/\/[^\/]*$/, "", near)) near = "."
    if ((token in path) || (("src/" token) in path) || ((near "/" token) in path)) return 1
    if (token !~ /\// && (token in basename)) return 1
    if (token !~ /[*]/) # parts of a path, as kernels/ or session/ have below src
        for (i = 1; i <= n_paths; i++) if (substr(paths[i], length(paths[i]) - length(token)) == "/" token) return 1
    if (token !~ /[*]/) return 0
    pattern = token
    gsub(/\./, "\\.", pattern)
    gsub(/\*/, "[^/]*", pattern)
    for (i = 1; i <= n_paths; i++) if (matches("(.*/)?" pattern, paths[i])) return 1
    return 0
}

function check_path(token,    start) {
    sub(/^\.\//, "", token)
    gsub(/^[("']+|[.,:;)"'\/]+$/, "", token)
    if (token !~ /^[A-Za-z0-9_.*\/-]+$/ || token ~ /^\//) return
    start = token
    if (!sub(/\/.*/, "", start)) start = ""
    if (start ~ /^[A-Z]+$/ || token ~ /^\.[a-z]+$/) return # STORE/records, a reader's own folder; .inc, an ending
    if (!(start in folder) && token !~ /\.(c|h|inc|cu|cc|sh|awk|sed|py|yml|cmake)$/) return
    gsub(/NN-name/, "*", token)
    if (token !~ /(README|CONTRIBUTING|LICENSE|CMakeLists|CMakePresets)/) gsub(/[A-Z][A-Z]+/, "*", token)
    if (!exists(token)) wrong("no file " token)
}

function check_identifiers(text,    name, pattern, i, found) {
    while (match(text, /(sp|SP|SPMODEL)_[A-Za-z0-9_*]*[A-Za-z0-9_*]/)) {
        name = substr(text, RSTART, RLENGTH)
        if (RSTART > 1 && substr(text, RSTART - 1, 1) ~ /[A-Za-z0-9_]/) name = ""
        text = substr(text, RSTART + RLENGTH)
        if (name == "" || name ~ /^(sp|SP)_$/ || (name in word)) continue
        found = 0
        if (name ~ /[*_]$|[*]/) {
            pattern = name
            gsub(/\*/, ".*", pattern)
            if (pattern ~ /_$/) pattern = pattern ".*"
            for (i = 1; i <= n_words && !found; i++) found = matches(pattern, words[i])
        }
        if (!found) wrong("nothing is called " name)
    }
}

$1 == "doc" {
    document = $2
    line = $3
    text = $5
    for (i = 6; i <= NF; i++) text = text " " $i
    if ($4 == "link") {
        if (text !~ /^(https?:|mailto:|#)/) {
            sub(/#.*/, "", text)
            near = document
            if (!sub(/[^\/]*$/, "", near)) near = ""
            text = near text
            while (sub(/[^\/]+\/\.\.\//, "", text)) ;
            sub(/\/$/, "", text)
            if (!(text in path)) wrong("a link to '" text "', which is not there")
        }
        next
    }
    if ($4 != "line" && $4 != "code" && $4 != "span") next
    check_words(text, $4)
    check_identifiers(text)
    if ($4 != "line") {
        k = split(text, token, /[ ,=]+/)
        for (t = 1; t <= k; t++) check_path(token[t])
    }
}

END { exit bad }
