# With model/formulas/formulas.awk: explanations as tables of C (cli/explain/terms/topics.h).
#
#     theme: TITLE              see: here is that of all of its terms that have none
#     let: NAME TEXT            {NAME} stands for it in this theme's numbers
#     term: NAME: TITLE         so do flag: and exit:, in themes of their own; rule: NAME, since rules have titles
#     also: other spellings     '-' stands for a blank in one
#     formula: as it is printed, a line each; {NAME} is one of model/formulas as people write it
#     text: what it means
#     see: other terms, hints, flags
#     fields: of a record, by their paths
#     number: RESULT [UNIT] = FORMULA    with a record's numbers. {NAME} is a formula of model/formulas, {NAME*} each one of
#                               a family. Of several of one result the first that holds and is known is taken.
#     record: path of the value in the record that it should be
#     but: why it may differ from that by more than rounding
#     ops: formats:             what it holds for, "not A B": all but these; none: all; of formulas of a family those of them
#     when: ecm, ecm-of-two-levels, no-ecm: the ECM part of the records that it holds for

BEGIN { kinds = " term flag exit rule " }

function other_entry(its, text) {
    if (its == "theme") {
        end_theme()
        theme = text
        split("", lets)
        theme_see = theme_kind = ""
    } else if (theme == "")
        fail("no key '" its "' before a theme")
    else if (its == "let")
        lets[substr(text, 1, index(text, " ") - 1), "let"] = substr(text, index(text, " ") + 1)
    else if (index(kinds, " " its " "))
        begin_term(its, text)
    else if (its == "see" && term == "")
        theme_see = text
    else if (term == "")
        fail("no term has this " its)
    else if (its == "number")
        begin_number(text)
    else if (index(" record but ops formats when ", " " its " ")) {
        if (!has_number || of_number[its] != "")
            fail(has_number ? "two of " its : "no number has this " its)
        of_number[its] = expand(text, 0)
    } else if (its == "formula")
        of_term[its] = of_term[its] (of_term[its] == "" ? "" : "\\n") expand(text, 1)
    else if (index(" also text see fields ", " " its " ")) {
        if (of_term[its] != "")
            fail(term " has two of " its)
        of_term[its] = text
    } else
        fail("no key '" its "'")
}

function begin_term(its, text,    at) {
    end_term()
    if (theme_kind != "" && theme_kind != its)
        fail("a " its " among those of another kind")
    theme_kind = its
    at = index(text, ": ")
    if (its == "rule" ? text !~ /^[A-Z][0-9]+$/ : at < 2 || index(substr(text, 1, at), " "))
        fail("a " its " is NAME" (its == "rule" ? "" : ": TITLE"))
    term = its == "rule" ? text : substr(text, 1, at - 1)
    of_term["title"] = its == "rule" ? "" : substr(text, at + 2)
}

# "RESULT [UNIT] = FORMULA"
function begin_number(text) {
    end_number()
    if (!match(text, / \[[^]]+\] = /))
        fail("a number is RESULT [UNIT] = FORMULA")
    has_number = 1
    of_number["result"] = substr(text, 1, RSTART - 1)
    of_number["unit"] = substr(text, RSTART + 2, RLENGTH - 6)
    of_number["formula"] = substr(text, RSTART + RLENGTH)
    of_number["place"] = place
}

# Words of a that are in b, or of "not ..." those that are not; "" is all of them.
function common(a, b,    n, word, i, out) {
    if (a == "" || b == "")
        return a b
    n = split(a, word, " ")
    out = ""
    for (i = 1; i <= n; i++)
        if ((index(" " b " ", " " word[i] " ") > 0) != (b ~ /^not /))
            out = out (out == "" ? "" : " ") word[i]
    return out == "" ? "none" : out
}

# The constant of a path in io/record/record_fields.inc, which the compiler knows or refuses.
function field_of(path) {
    gsub(/[.]/, "_", path)
    return path == "" ? "SP_F_NONE" : "SP_F_" toupper(path)
}

function end_number(    before, family, after, i, f, ops, formats, n) {
    if (!has_number)
        return
    has_number = 0
    if (!match(of_number["formula"], /[{][A-Za-z_0-9]+[*]/))
        add_number(of_number["formula"], of_number["ops"], of_number["formats"])
    else {
        before = substr(of_number["formula"], 1, RSTART)
        family = substr(of_number["formula"], RSTART + 1, RLENGTH - 2)
        after = substr(of_number["formula"], RSTART + RLENGTH)
        for (i = 1; i <= n_formulas; i++) {
            f = formulas[i]
            if (formula_of[f, "family"] != family)
                continue
            ops = common(formula_of[f, "ops"], of_number["ops"])
            formats = common(formula_of[f, "formats"], of_number["formats"])
            if (ops == "none" || formats == "none")
                continue
            add_number(before f after, ops, formats)
            n++
        }
        if (n == 0)
            fail("no formula of " family " holds for this")
    }
    split("", of_number)
}

function add_number(text, ops, formats,    name) {
    place = of_number["place"]
    if (text ~ /^[{][^{}]*[}]$/) {
        name = substr(text, 2, length(text) - 2)
        sub(/ .*/, "", name)
        if ((name, "unit") in formula_of && formula_of[name, "unit"] != of_number["unit"])
            fail("the unit of " name " is " formula_of[name, "unit"])
    }
    numbers = numbers sprintf("    {%s, %s, %s, %s, %s, %s, %s, %s},\n", c_text(of_number["result"]), c_text(expand(text, 0)),
        c_text(of_number["unit"]), field_of(of_number["record"]), c_text(of_number["but"]), c_text(ops), c_text(formats),
        c_text(of_number["when"]))
}

function end_term(    n, field, i, list) {
    end_number()
    if (term == "")
        return
    n = split(of_term["fields"], field, " ")
    list = ""
    for (i = 1; i <= n; i++)
        list = list (i > 1 ? ", " : "") field_of(field[i])
    if (numbers != "")
        printf "static const struct sp_calculation numbers_%d[] = {\n%s    {0},\n};\n", ++n_numbers, numbers
    terms = terms sprintf("    {%s, %s, %s, %s, %s, %s, {%s}, %s},\n", c_text(term), c_text(of_term["title"]),
        c_text(of_term["also"]), c_text(of_term["formula"]), c_text(of_term["text"]),
        c_text(of_term["see"] == "" ? theme_see : of_term["see"]), n > 0 ? list : "SP_F_NONE",
        numbers == "" ? "NULL" : "numbers_" n_numbers)
    known[tolower(term)] = 1
    spellings = spellings " " of_term["also"]
    see_of[term, ++n_terms] = of_term["see"]
    if (n > 8)
        fail(term " has more than 8 fields")
    split("", of_term)
    term = numbers = ""
}

function end_theme() {
    end_term()
    if (theme == "")
        return
    printf "static const struct sp_term terms_%d[] = {\n%s    {0},\n};\n", ++n_themes, terms
    themes = themes sprintf("    {%s, SP_KIND_%s, terms_%d},\n", c_text(theme), toupper(theme_kind), n_themes)
    theme = terms = ""
}

# What is referred to is explained.
function check_references(    i, n, word, part, it) {
    n = split(spellings, word, " ")
    for (i = 1; i <= n; i++)
        known[tolower(word[i])] = 1
    for (it in see_of) {
        n = split(see_of[it], word, " ")
        split(it, part, SUBSEP)
        place = part[1]
        for (i = 1; i <= n; i++)
            if (!(tolower(word[i]) in known))
                fail("see " word[i] ", which is not explained")
            else if (word[i] == part[1])
                fail("it refers to itself")
    }
}

function finish() {
    end_theme()
    check_references()
    printf "const struct sp_theme sp_themes[] = {\n%s    {0},\n};\n", themes
}
