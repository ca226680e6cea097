# With formulas.awk: struct sp_symbols, a function for each formula, and their tables (model/formulas/formulas.h).

function other_entry(its, value) {
    fail("no key '" its "' here")
}

function finish(    i, f) {
    print "/* Made of model/formulas: what formulas.h declares, then, for formulas.c, the tables. */"
    print "#ifndef SP_FORMULA_TABLES"
    print "struct sp_symbols {"
    for (i = 1; i <= n_symbols; i++)
        printf "    double %s; /* [%s] %s */\n", symbols[i], unit_of_symbol[symbols[i]], what_of_symbol[symbols[i]]
    print "};\nenum sp_formula {"
    for (i = 1; i <= n_formulas; i++)
        printf "    SP_FORMULA_%s,\n", formulas[i]
    print "    SP_N_FORMULAS\n};"
    for (i = 1; i <= n_formulas; i++) {
        f = formulas[i]
        place = formula_of[f, "place"]
        if (formula_of[f, "is"] == "" || formula_of[f, "theory"] == "")
            fail(f " has no formula, or no place in docs/theory.md")
        printf "/* %s [%s] */\nstatic inline double sp_formula_%s(const struct sp_symbols *s)\n{\n    return %s;\n}\n",
            formula_of[f, "what"], formula_of[f, "unit"], f, to_c(formula_of[f, "is"])
    }
    print "#else"
    print "const struct sp_symbol_row sp_symbol_table[] = {"
    for (i = 1; i <= n_symbols; i++)
        printf "    {\"%s\", \"%s\", %s, offsetof(struct sp_symbols, %s)},\n", symbols[i], unit_of_symbol[symbols[i]],
            c_text(what_of_symbol[symbols[i]]), symbols[i]
    print "    {0},\n};"
    print "const struct sp_formula_row sp_formula_table[SP_N_FORMULAS + 1] = {"
    for (i = 1; i <= n_formulas; i++) {
        f = formulas[i]
        printf "    {\"%s\", \"%s\", %s, %s, %s, %s, %s, %s, %s, sp_formula_%s},\n", f, formula_of[f, "unit"],
            c_text(formula_of[f, "what"]), c_text(formula_of[f, "is"]), c_text(formula_of[f, "ops"]),
            c_text(formula_of[f, "formats"]), c_text(formula_of[f, "family"]), c_text(formula_of[f, "array"]),
            c_text(formula_of[f, "case"]), f
    }
    print "    {0},\n};\n#endif"
}

# The formula as an expression of C over *s.
function to_c(text,    out, word, last) {
    out = ""
    while (text != "")
        if (match(text, /^[A-Za-z_][A-Za-z_0-9]*/)) {
            word = substr(text, 1, RLENGTH)
            text = substr(text, RLENGTH + 1)
            if (text ~ /^\(/) {
                last = closing(text)
                out = out call(word, substr(text, 2, last - 2))
                text = substr(text, last + 1)
            } else
                out = out "s->" word
        } else if (match(text, /^[0-9]+(\.[0-9]+)?/)) {
            word = substr(text, 1, RLENGTH)
            text = substr(text, RLENGTH + 1)
            out = out word (index(word, ".") ? "" : ".0")
        } else {
            if (text !~ /^[-+*\/() ]/)
                fail("'" substr(text, 1, 1) "' has no translation")
            out = out substr(text, 1, 1)
            text = substr(text, 2)
        }
    return out
}

# Of a text that begins with "(", where that is closed.
function closing(text,    i, c, depth) {
    depth = 0
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
        if (depth == 0)
            return i
    }
    fail("a ) is missing")
}

# Of several arguments min and max take two at a time.
function call(name, text,    i, c, depth, first, out) {
    depth = 0
    first = 1
    out = ""
    for (i = 1; i <= length(text) + 1; i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
        if (i <= length(text) && (depth > 0 || c != ","))
            continue
        c = substr(text, first, i - first)
        sub(/^ +/, "", c)
        out = out == "" ? to_c(c) : "f" name "(" out ", " to_c(c) ")"
        first = i + 1
    }
    return name ~ /^(min|max)$/ ? out : name "(" out ")"
}
