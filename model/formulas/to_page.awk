# With formulas.awk and page=docs/theory.md: the page, with the formulas that it shows as they are in the files. A line of
# it is "    NAME = FORMULA", and three blanks or more lead to a remark that stays.

function other_entry(its, value) {
    fail("no key '" its "' here")
}

function finish(    line, left, i, f) {
    for (i = 1; i <= n_formulas; i++)
        if (formula_of[formulas[i], "page"] != "")
            shown[formula_of[formulas[i], "page"]] = formulas[i]
    heading = ""
    while ((getline line < page) > 0) {
        n_lines++
        place = page ":" n_lines
        if (line ~ /^#+ /) {
            heading = line
            sub(/^#+ /, "", heading)
            sub(/ \(.*/, "", heading)
            headings[heading] = 1
        }
        if (line ~ /^    [^ ]+ += /)
            line = made_anew(line)
        print line
    }
    for (i = 1; i <= n_formulas; i++) {
        f = formulas[i]
        place = formula_of[f, "place"]
        if (!(formula_of[f, "theory"] in headings))
            fail(page " has no '" formula_of[f, "theory"] "'")
        if (formula_of[f, "page"] != "" && !(f in found))
            fail("no line '    " formula_of[f, "page"] " = ...' of " page " shows it")
    }
}

function made_anew(line,    left, f, remark) {
    left = line
    sub(/^    /, "", left)
    sub(/ .*/, "", left)
    if (left == "h") # an equation for h, which no formula gives
        return line
    if (!(left in shown))
        fail("'" left "' is not the name of a formula in model/formulas")
    f = shown[left]
    if (formula_of[f, "theory"] != heading)
        fail(left " belongs below '" formula_of[f, "theory"] "'")
    if (f in found)
        fail(left " is there already")
    found[f] = 1
    match(line, /^ +[^ ]+ += /)
    left = substr(line, 1, RLENGTH)
    line = substr(line, RLENGTH + 1)
    remark = match(line, /   +/) ? substr(line, RSTART) : ""
    return left as_printed(formula_of[f, "is"]) remark
}

# With letters and signs that ASCII has not.
function as_printed(text) {
    while (match(text, /[0-9][*][0-9]/))
        text = substr(text, 1, RSTART) " · " substr(text, RSTART + 2)
    text = as_read(text)
    gsub(/ - /, " − ", text)
    text = with_symbol(text, "alpha", "α")
    text = with_symbol(text, "beta", "β")
    while (match(text, /ceil\([^()]*\)/))
        text = substr(text, 1, RSTART - 1) "⌈" substr(text, RSTART + 5, RLENGTH - 6) "⌉" substr(text, RSTART + RLENGTH)
    return text
}
