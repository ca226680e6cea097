# Draws what a program printed, colours included, as an SVG picture of a terminal that follows the reader's light or dark
# scheme. Usage: LC_ALL=C awk -v command="spmodel ..." -v about="where and when" -f docs/images/terminal.awk OUTPUT >PICTURE.svg
# docs/images/README.md says what the pictures were made of.

BEGIN {
    width_of = 8.2; line_height = 18; margin = 16; row = 0; columns = 0
    split("1 2 31 32 33 34 35 36", codes, " ")
    for (i in codes) class["" codes[i]] = "c" codes[i]
    add_line("\033[32m$\033[0m \033[1m" command "\033[0m")
}

# Columns of UTF-8 text: all bytes but those that continue a character.
function length_of(text) { gsub(/[\200-\277]/, "", text); return length(text) }

function escape(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }

# One word or more in one colour; its width is fixed, so columns stand below each other in any font.
function put(text, column, ink,    n) {
    n = length_of(text)
    if (column + n > columns) columns = column + n
    out[row] = out[row] sprintf("<text%s x=\"%.1f\" y=\"%d\" textLength=\"%.1f\">%s</text>", \
        ink == "" ? "" : " class=\"" class[ink] "\"", margin + column * width_of, row * line_height, n * width_of, escape(text))
}

# Text between escape sequences: pieces apart by two blanks or more stand each at its own column.
function put_run(text, column, ink,    gap) {
    while (text != "") {
        if (match(text, /^ +/)) { column += RLENGTH; text = substr(text, RLENGTH + 1); continue }
        gap = match(text, /  +/) ? RSTART - 1 : length(text)
        piece = substr(text, 1, gap)
        sub(/ +$/, "", piece)
        put(piece, column, ink)
        column += length_of(substr(text, 1, gap))
        text = substr(text, gap + 1)
    }
}

function add_line(text,    column, ink, run, from, n) {
    row++
    column = 0
    ink = ""
    while (text != "") {
        from = match(text, /\033\[[0-9;]*m/) ? RSTART : length(text) + 1
        n = RLENGTH > 0 ? RLENGTH : 0
        run = substr(text, 1, from - 1)
        put_run(run, column, ink)
        column += length_of(run)
        ink = n > 3 ? substr(text, from + 2, n - 3) : ""
        if (ink == "0") ink = ""
        text = n > 0 ? substr(text, from + n) : ""
    }
}

{ add_line($0) }

END {
    row++
    add_line("\033[2m" about "\033[0m")
    w = 2 * margin + columns * width_of
    h = (row + 1) * line_height
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" xml:space=\"preserve\"", w, h
    print " font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\" font-size=\"13.5\">"
    printf "<title>%s</title>\n", escape(command)
    print "<style>rect{fill:#f6f8fa;stroke:#d0d7de}text{fill:#1f2328}.c1{font-weight:bold}.c2{fill:#59636e}.c31{fill:#c0232c}" \
        ".c32{fill:#1a7f37}.c33{fill:#9a6700}.c34{fill:#0969da}.c35{fill:#8250df}.c36{fill:#136061}" \
        "@media(prefers-color-scheme:dark){rect{fill:#0d1117;stroke:#30363d}text{fill:#e6edf3}.c2{fill:#9198a1}.c31{fill:#ff7b72}" \
        ".c32{fill:#3fb950}.c33{fill:#d29922}.c34{fill:#58a6ff}.c35{fill:#bc8cff}.c36{fill:#56d4dd}}</style>"
    printf "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", w - 1, h - 1
    for (i = 1; i <= row; i++) if (out[i] != "") print out[i]
    print "</svg>"
}
