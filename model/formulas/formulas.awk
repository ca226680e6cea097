# Reads files of formulas, and what is written in their way (explanations: src/cli/explain/terms): lines "key: value", which
# go on in indented lines; what stands behind # at the margin is a remark. Another script says with other_entry() what it
# makes of keys that are none of formulas, and with finish() what it prints.
#
#     symbol: NAME [UNIT] MEANING
#     formula: NAME [UNIT] MEANING     then, of this formula,
#     is: TEXT          over symbols, with + - * / min max ceil floor sqrt log2, and {NAME} for another formula,
#                       {NAME a=b c=@OTHER} for it with the symbol b for a and the formula OTHER for c
#     ops: formats:     what it holds for; none: for all
#     family: NAME      formulas of one thing for different operations and formats: {NAME*} of explanations
#     array: NAME       the array of a layout whose bytes it is
#     case: NAME a=2 ... that formula with these numbers, or written otherwise
#     page: NAME        what docs/theory.md calls it, where it stands there as a line
#     theory: HEADING   of docs/theory.md, below which it is derived
#     source: WHERE     it was published

function fail(what) {
    printf "%s: %s\n", place, what > "/dev/stderr"
    failed = 1
    exit 1
}

FNR == 1 { take() }
/^#/ { next }
/^[ \t]*$/ { take(); next }
/^[a-z]+:/ {
    take()
    place = FILENAME ":" FNR
    key = substr($0, 1, index($0, ":") - 1)
    value = substr($0, length(key) + 2)
    sub(/^ /, "", value)
    next
}
/^ / && key != "" {
    sub(/^ +/, "")
    value = value == "" ? $0 : value " " $0
    next
}
{
    place = FILENAME ":" FNR
    fail("neither a key nor a line that goes on")
}
END {
    if (!failed)
        take()
    if (!failed)
        finish()
    if (failed)
        exit 1
}

function take(    its) {
    if (key == "")
        return
    its = key
    key = "" # first, since fail() comes back here
    if (value ~ /[\\\t]/)
        fail("a backslash or tabulator stands in " its)
    if (its == "symbol")
        add_symbol()
    else if (its == "formula" && headed(value))
        add_formula()
    else if (formula != "" && index(" is ops formats family array case page theory source ", " " its " ")) {
        if (formula_of[formula, its] != "")
            fail(formula " has two of " its)
        formula_of[formula, its] = its == "is" ? expand(value, 0) : value
        if (its == "is" || its == "case")
            check_symbols(formula_of[formula, "is"])
    } else {
        formula = ""
        other_entry(its, value)
    }
}

# "NAME [UNIT] MEANING"
function headed(text) {
    return text ~ /^[A-Za-z_0-9]+ \[[^]]+\] ./
}

function add_symbol() {
    if (!headed(value))
        fail("a symbol is NAME [UNIT] MEANING")
    formula = ""
    symbols[++n_symbols] = word_of(value)
    if (word_of(value) in unit_of_symbol)
        fail("the symbol " word_of(value) " is there already")
    unit_of_symbol[word_of(value)] = unit_of(value)
    what_of_symbol[word_of(value)] = rest_of(value)
}

function add_formula() {
    formula = word_of(value)
    if ((formula, "unit") in formula_of)
        fail("the formula " formula " is there already")
    formulas[++n_formulas] = formula
    formula_of[formula, "unit"] = unit_of(value)
    formula_of[formula, "what"] = rest_of(value)
    formula_of[formula, "place"] = place
}

function word_of(text) {
    return substr(text, 1, index(text, " ") - 1)
}
function unit_of(text) {
    return substr(text, index(text, "[") + 1, index(text, "]") - index(text, "[") - 1)
}
function rest_of(text) {
    return substr(text, index(text, "]") + 2)
}

# What stands between braces, the innermost first; `read`: as people write it.
function expand(text, read,    begin, last, inner) {
    while ((last = index(text, "}")) > 0) {
        begin = last
        while (begin > 0 && substr(text, begin, 1) != "{")
            begin--
        if (begin == 0)
            fail("a } without {")
        inner = named(substr(text, begin + 1, last - begin - 1))
        check_bonds(inner, substr(text, 1, begin - 1), substr(text, last + 1))
        if (read)
            inner = as_read(inner)
        text = substr(text, 1, begin - 1) inner substr(text, last + 1)
    }
    if (index(text, "{"))
        fail("a { without }")
    return text
}

# "V_half alpha=alpha_min w=@w_half"
function named(text,    n, word, i, at, to) {
    n = split(text, word, " ")
    if ((word[1], "let") in lets)
        return lets[word[1], "let"]
    if (!((word[1], "is") in formula_of))
        fail("no formula " word[1])
    text = formula_of[word[1], "is"]
    for (i = 2; i <= n; i++) {
        at = index(word[i], "=")
        to = substr(word[i], at + 1)
        if (to ~ /^@/) {
            if (!((substr(to, 2), "is") in formula_of))
                fail("no formula " substr(to, 2))
            to = formula_of[substr(to, 2), "is"]
        }
        text = with_symbol(text, substr(word[i], 1, at - 1), to)
    }
    return text
}

# Several factors or terms get parentheses, but as arguments of functions.
function with_symbol(text, symbol, other,    done, word) {
    done = ""
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
        done = done substr(text, 1, RSTART - 1)
        word = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (word != symbol)
            done = done word
        else if (!has_signs(other) || (done ~ /[(,] *$/ && text ~ /^[,)]/))
            done = done other
        else
            done = done "(" other ")"
    }
    return done text
}

# Is one of these signs outside of all parentheses?
function has_any(signs, text,    i, c, depth) {
    depth = 0
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
        if (depth == 0 && index(signs, c))
            return 1
    }
    return 0
}
function has_signs(text) {
    return has_any("+-*/^%", text)
}
function is_sum(text) {
    return has_any("+-", text)
}

# A sum that is put beside * or / would be another formula.
function check_bonds(inner, before, after) {
    sub(/ +$/, "", before)
    sub(/^ +/, "", after)
    if (is_sum(inner) && (before ~ /[-*\/^]$/ || after ~ /^[*\/^]/))
        fail("'" inner "' needs parentheses")
}

# Every word is a symbol or a function.
function check_symbols(text,    word) {
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
        word = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (text ~ /^\(/ ? word !~ /^(min|max|ceil|floor|sqrt|log2)$/ : !(word in unit_of_symbol))
            fail("'" word "' is no symbol")
    }
}

# Products without a sign.
function as_read(text) {
    gsub(/[*]/, " ", text)
    gsub(/ *[+] */, " + ", text)
    gsub(/ *- */, " - ", text)
    text = with_symbol(text, "n_r_used", "n_r'")
    text = with_symbol(text, "n_c_used", "n_c'")
    return with_symbol(text, "sorted", "[if permuted]")
}

# A string of C; "" is NULL.
function c_text(text,    n, part, i, out) {
    if (text == "")
        return "NULL"
    n = split(text, part, "\"")
    out = "\"" part[1]
    for (i = 2; i <= n; i++)
        out = out "\\\"" part[i]
    return out "\""
}
