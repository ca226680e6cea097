# What a document tells its reader to type. One record a line, with tabs between its fields: LINE KIND TEXT
#
#   note   what a comment <!-- run: TEXT --> says of the block or paragraph that follows (CONTRIBUTING.md has the words)
#   file   the lines that follow are the content of this file, by a comment <!-- file: NAME -->
#   line   a line of a block of commands
#   code   inline code that begins with spmodel or build/
#   end    of a block or paragraph, and so of what its notes say
#   span   other inline code
#   link   what a link or an image points to
#   odd    a command in a block that is not marked as commands
#
# Blocks of commands are fenced ```sh blocks, the lines after `$ ` in ```console blocks, and indented blocks of which a line
# begins with a command, which may stand after `$ `, too. Of the YAML files of continuous integration: what stands behind `run:` and below `script:`.

function put(line, kind, text) { printf "%d\t%s\t%s\n", line, kind, text }

function is_command(text) {
    sub(/^\$ /, "", text)
    while (text ~ /^[A-Z_]+=[^ ]* /) sub(/^[^ ]* /, "", text)
    return text ~ /^((build\/)?spmodel|\.\/bootstrap|\.ci\/run|cmake|ctest|srun|likwid-perfctr|bench\/[a-z_]*\.sh)( |$)/
}

function spans(text, line,    code, rest) {
    rest = ""
    while (match(text, /`[^`]+`/)) {
        code = substr(text, RSTART + 1, RLENGTH - 2)
        gsub(/\\\|/, "|", code)
        gsub(/^ +| +$/, "", code)
        put(line, code ~ /^(spmodel|build\/[a-z_\/]+) / ? "code" : "span", code)
        rest = rest substr(text, 1, RSTART - 1) "`"
        text = substr(text, RSTART + RLENGTH)
    }
    rest = rest text
    while (match(rest, /\]\([^) ]+\)/)) {
        put(line, "link", substr(rest, RSTART + 2, RLENGTH - 3))
        rest = substr(rest, RSTART + RLENGTH)
    }
}

function end_paragraph() {
    if (paragraph == "") return
    spans(paragraph, begun)
    put(begun, "end", "")
    paragraph = ""
}

function end_indented(    i, commands, prompts) {
    if (!n_indented) return
    while (indented[n_indented] == "") n_indented--
    for (i = 1; i <= n_indented; i++) {
        commands = commands || is_command(indented[i])
        prompts = prompts || indented[i] ~ /^\$ /
    }
    for (i = 1; i <= n_indented && (commands || as_file); i++)
        if (as_file || !prompts || sub(/^[$>] /, "", indented[i])) put(begun + i - 1, "line", indented[i])
    put(begun, "end", "")
    n_indented = as_file = 0
}

FNR == 1 { yaml = FILENAME ~ /\.yml$/; blank = 1 }

yaml && /^ *- run: / { sub(/^ *- run: /, ""); put(FNR, "line", $0); put(FNR, "end", ""); next }
yaml && /^ *script:$/ { script = 1; next }
yaml && script && /^ *#/ { next }
yaml && script && /^ *- / { sub(/^ *- /, ""); put(FNR, "line", $0); next }
yaml { if (script) put(FNR, "end", ""); script = 0; next }

fence != "" {
    if ($0 ~ ("^ *" fence "`* *$")) {
        put(FNR, "end", "")
        fence = ""
        as_file = 0
        blank = 1
        next
    }
    sub("^" margin, "")
    if (as_file || language ~ /^(sh|bash|shell)$/) put(FNR, "line", $0)
    else if (language == "console") { if (sub(/^[$>] /, "")) put(FNR, "line", $0) }
    else if (language != "text" && is_command($0)) put(FNR, "odd", $0)
    next
}

n_indented && /^(    |\t|[ \t]*$)/ { sub(/^(    |\t)/, ""); if ($0 ~ /^[ \t]*$/) $0 = ""; indented[++n_indented] = $0; next }
{ end_indented() }

/^ *```/ {
    end_paragraph()
    match($0, /^ */)
    margin = substr($0, 1, RLENGTH)
    match($0, /```+/)
    fence = substr($0, RSTART, RLENGTH)
    language = substr($0, RSTART + RLENGTH)
    gsub(/^ +| .*$/, "", language)
    next
}

/^ *<!-- (run|file): .* -->$/ {
    end_paragraph()
    kind = $2 == "file:" ? "file" : "note"
    sub(/^ *<!-- (run|file): */, "")
    sub(/ *-->$/, "")
    put(FNR, kind, $0)
    as_file = as_file || kind == "file"
    blank = 1
    next
}

/^[ \t]*$/ { end_paragraph(); blank = 1; next }

blank && paragraph == "" && /^(    |\t)/ { sub(/^(    |\t)/, ""); begun = FNR; indented[n_indented = 1] = $0; next }

{
    if (paragraph == "") begun = FNR
    paragraph = paragraph (paragraph == "" ? "" : " ") $0
    blank = 0
}

END {
    end_indented()
    end_paragraph()
    if (script) put(FNR, "end", "")
    if (fence != "") put(FNR, "odd", "a block that does not end")
}
