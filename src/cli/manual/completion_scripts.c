#include <string.h>

#include "cli/manual/completion.h"
#include "sp_config.h"

/* The script for bash: tables, and the one function that looks into them. */

/* What is typed is cut by readline at = and : (COMP_WORDBREAKS), so words are put together again,
 * and of what is offered the part is left out that stands before the last cut. */
static const char *const script[] = {
    "# The last word of the line, from the options and values of its command.",
    "_spmodel() {",
    "    local words=() word page options option='' value kind list offered prefix='' i REPLY",
    "    local program=${COMP_WORDS[0]/#\\~/$HOME}",
    "    COMPREPLY=()",
    "    for ((i = 0; i <= COMP_CWORD; i++)); do",
    "        word=${COMP_WORDS[i]}",
    "        if ((i > 1)) && [[ $word =~ ^[=:]+$ || ${COMP_WORDS[i - 1]} =~ ^[=:]+$ ]]; then",
    "            words[${#words[@]} - 1]+=$word",
    "        else",
    "            words+=(\"$word\")",
    "        fi",
    "    done",
    "    local n=$((${#words[@]} - 1))",
    "    word=${words[n]}",
    "    page=${words[1]}",
    "    if ((n <= 1)); then",
    "        _spmodel_offer words \"$_spmodel_commands --help --version\" \"$word\" ''",
    "        return",
    "    fi",
    "    _spmodel_verbs \"$page\"",
    "    if [[ -n $REPLY ]]; then",
    "        if ((n == 2)); then",
    "            _spmodel_offer words \"$REPLY --help\" \"$word\" ''",
    "            return",
    "        fi",
    "        page+=\" ${words[2]}\"",
    "    fi",
    "    _spmodel_options \"$page\"",
    "    options=\" $REPLY \"",
    "    value=$word",
    "    if [[ $word == --*=* ]]; then",
    "        option=${word%%=*}",
    "        value=${word#*=}",
    "        [[ $COMP_WORDBREAKS == *=* ]] || prefix=$option=",
    "    elif _spmodel_wants_value \"${words[n - 1]}\"; then",
    "        option=${words[n - 1]}",
    "    elif [[ $word == -* ]]; then",
    "        _spmodel_offer words \"${options// -?=/}\" \"$word\" ''",
    "        return",
    "    fi",
    "    if [[ $page == help && -z $option ]] && _spmodel_named; then",
    "        _spmodel_offer words \"$REPLY\" \"$word\" ''",
    "        return",
    "    fi",
    "    _spmodel_values \"$page\" \"$option\"",
    "    [[ -n $kind ]] || return 0",
    "    if [[ -n $list && $value == *,* ]]; then",
    "        prefix+=${value%,*},",
    "        value=${value##*,}",
    "    fi",
    "    _spmodel_offer \"$kind\" \"$offered\" \"$value\" \"$prefix\"",
    "}",
    "",
    "# Is the word behind OPTION its value? The caller has the options.",
    "_spmodel_wants_value() {",
    "    [[ $1 == -* && $options == *\" $1= \"* && $options != *\" $1 \"* ]]",
    "}",
    "",
    "# Has the caller's line a command or a topic before its last word? Then its verbs are left.",
    "_spmodel_named() {",
    "    local named=()",
    "    for ((i = 2; i < n; i++)); do",
    "        [[ ${words[i]} == -* ]] || _spmodel_wants_value \"${words[i - 1]}\" || named+=(\"${words[i]}\")",
    "    done",
    "    REPLY=''",
    "    ((${#named[@]} != 1)) || _spmodel_verbs \"${named[0]}\"",
    "    ((${#named[@]} > 0))",
    "}",
    "",
    "# Fills COMPREPLY: KIND, further words, what is typed of the word, what stands before it.",
    "_spmodel_offer() {",
    "    local kind=$1 offered=$2 value=$3 prefix=$4 files=() one which='' cut=''",
    "    case $kind in",
    "    machine | lab)",
    "        # Names of files: never through compgen -W, which expands them; odd ones are to be typed.",
    "        for one in $(\"$program\" completion --words \"$kind\" 2>/dev/null |",
    "            tr -s ' ' '\\n' | grep -x '[A-Za-z0-9._+-]*'); do",
    "            [[ $one != \"$value\"* ]] || COMPREPLY+=(\"$one\")",
    "        done",
    "        ;;",
    "    matrix) offered+=\" $_spmodel_generators\" ;;",
    "    esac",
    "    while IFS= read -r one; do",
    "        [[ -z $one ]] || COMPREPLY+=(\"$one\")",
    "    done < <(compgen -W \"$offered\" -- \"$value\" | sort -u)",
    "    case $kind in",
    "    file | matrix | record) which=-f ;;",
    "    directory) which=-d ;;",
    "    esac",
    "    if [[ -n $which ]]; then",
    "        while IFS= read -r one; do files+=(\"$one\"); done < <(compgen $which -- \"$value\")",
    "    fi",
    "    for one in \"${files[@]}\"; do",
    "        case $kind in",
    "        matrix)",
    "            [[ -d $one ||",
    "                $one =~ \\.(mtx|mtx\\..*|spm|petsc|npz|rb|hb|[rcpi][suhzr]a|tar\\.gz|csv)$ ]] ||",
    "                continue",
    "            ;;",
    "        record) [[ -d $one || $one == *.json ]] || continue ;;",
    "        esac",
    "        COMPREPLY+=(\"$one\")",
    "    done",
    "    # Without effect, and with a complaint, where this is not called by readline.",
    "    [[ ${#files[@]} -eq 0 ]] || compopt -o filenames 2>/dev/null || :",
    "    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *[=:] ]] || compopt -o nospace 2>/dev/null || :",
    "    if [[ $COMP_WORDBREAKS == *:* && $prefix$value == *:* ]]; then",
    "        cut=$prefix$value",
    "        cut=${cut%:*}:",
    "    fi",
    "    for i in \"${!COMPREPLY[@]}\"; do",
    "        one=$prefix${COMPREPLY[i]}",
    "        COMPREPLY[i]=${one#\"$cut\"}",
    "    done",
    "    return 0",
    "}",
    "",
    "complete -F _spmodel spmodel",
    NULL,
};

static void bash_verbs(FILE *out)
{
    fputs("_spmodel_verbs() {\n    case $1 in\n", out);
    for (const struct sp_command *const *c = sp_command_table; *c; c++) {
        if (!(*c)->family)
            continue;
        fprintf(out, "    %s) REPLY='", (*c)->name);
        for (const struct sp_verb *const *v = (*c)->family->verb; *v; v++)
            fprintf(out, "%s%s", v == (*c)->family->verb ? "" : " ", (*v)->name);
        fputs("' ;;\n", out);
    }
    fputs("    *) REPLY='' ;;\n    esac\n}\n\n", out);
}

/* "--json --json= --out= -o= -q": with = what takes a value, both where it may be left out. */
static void put_options(FILE *out)
{
    struct sp_manual_entry e;
    fputs("_spmodel_options() {\n    case $1 in\n", out);
    for (int i = 0; sp_manual_get(i, &e); i++) {
        struct sp_option_list list;
        sp_option_list_make(e.page->argp, &list);
        if (e.family)
            continue;
        fprintf(out, "    '%s') REPLY='", e.name);
        for (int k = 0; k < list.n; k++) {
            const struct sp_option_line *o = &list.line[k];
            if (o->name && (!o->arg || o->arg_optional))
                fprintf(out, "--%s ", o->name);
            if (o->name && o->arg)
                fprintf(out, "--%s= ", o->name);
            if (o->letter && o->letter != '?')
                fprintf(out, "-%c%s ", o->letter, o->arg && !o->arg_optional ? "=" : "");
        }
        fputs("' ;;\n", out);
    }
    fputs("    *) REPLY='' ;;\n    esac\n}\n\n", out);
}

static void put_values_of(const struct sp_manual_entry *e, const struct sp_option_line *o, FILE *out)
{
    struct sp_values v;
    sp_values_of(e, o, &v);
    if (v.kind != SP_VALUE_FREE) {
        fprintf(out, "    '%s:%s%s'", e->name, o ? "--" : "", o ? o->name : "");
        if (o && o->letter)
            fprintf(out, " | '%s:-%c'", e->name, o->letter);
        fprintf(out, ") kind=%s list='%s' offered='%s' ;;\n", sp_value_kind_name(v.kind),
                v.is_list ? "yes" : "", v.words);
    }
    sp_values_free(&v);
}

static void put_values(FILE *out)
{
    struct sp_manual_entry e;
    fputs("_spmodel_values() {\n    case $1:$2 in\n", out);
    for (int i = 0; sp_manual_get(i, &e); i++) {
        struct sp_option_list list;
        sp_option_list_make(e.page->argp, &list);
        put_values_of(&e, NULL, out);
        for (int k = 0; k < list.n; k++)
            if (list.line[k].name)
                put_values_of(&e, &list.line[k], out);
    }
    fputs("    *) kind='' list='' offered='' ;;\n    esac\n}\n\n", out);
}

void sp_completion_bash(FILE *out)
{
    fputs("# Completion of spmodel " SP_VERSION
          " for bash, made by `spmodel completion bash` from its tables.\n\n"
          "_spmodel_commands='",
          out);
    for (const struct sp_command *const *c = sp_command_table; *c; c++)
        fprintf(out, "%s%s", c == sp_command_table ? "" : " ", (*c)->name);
    fputs("'\n_spmodel_generators='", out);
    sp_matrix_words(out);
    fputs("'\n\n# Each leaves what it finds in variables of its caller.\n", out);
    bash_verbs(out);
    put_options(out);
    put_values(out);
    for (const char *const *line = script; *line; line++)
        fprintf(out, "%s\n", *line);
}

/* The script for zsh: the specifications of _arguments for each page. */

static const char *const helpers[] = {
    "# KIND[,WORD...]: these words and the names that there are now; then what compadd takes.",
    "_spmodel_names() {",
    "    local -a kind=(${(s:,:)1}) names",
    "    names=(${(f)\"$($spmodel_program completion --words ${kind[1]} 2>/dev/null)\"})",
    "    shift",
    "    compadd \"$@\" - ${kind[2,-1]} $names",
    "}",
    "",
    "# KIND and further words.",
    "_spmodel_offer() {",
    "    local kind=$1 ret=1",
    "    shift",
    "    local -a open=(${(M)@:#*[:=]}) closed=(${@:#*[:=]})",
    "    (( $#open )) && compadd -S '' -- $open && ret=0",
    "    (( $#closed )) && compadd -- $closed && ret=0",
    "    case $kind in",
    "    machine | lab) _spmodel_names $kind && ret=0 ;;",
    "    file) _files && ret=0 ;;",
    "    directory) _files -/ && ret=0 ;;",
    "    record) _files -g '*.json(-.)' && ret=0 ;;",
    "    matrix)",
    "        _files -g '*.(mtx|mtx.*|spm|petsc|npz|rb|hb|[rcpi][suhzr]a|tar.gz|csv)(-.)' && ret=0",
    "        compadd -S '' -- $spmodel_generators && ret=0 ;;",
    "    esac",
    "    return ret",
    "}",
    "",
    "# Behind help and a command: its verbs. _arguments leaves what stands before in line.",
    "_spmodel_verb_behind() {",
    "    local -a names",
    "    _spmodel_verbs $line[1]",
    "    (( $#names )) && _describe verb names",
    "}",
    "",
    NULL,
};

/* Inside single quotes; with `specials` behind a backslash. */
static void put_quoted(const char *text, size_t n, const char *specials, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\'')
            fputs("'\\'", out);
        else if (strchr(specials, text[i]))
            putc('\\', out);
        putc(text[i], out);
    }
}

/* What fits beside an option: the beginning of what --help says. */
static void put_doc(const char *doc, FILE *out)
{
    enum { WIDTH = 72 };
    size_t n = strlen(doc);
    const bool is_cut = n > WIDTH;
    for (n = is_cut ? WIDTH : n; is_cut && n > 0 && doc[n] != ' ';)
        n--;
    put_quoted(doc, n, "[]\\", out);
    fputs(is_cut ? " ..." : "", out);
}

/* ":FORMAT:{_spmodel_offer words crs sell}", behind an option or "*". */
static void put_action(const struct sp_values *v, const char *name, bool optional, FILE *out)
{
    fputs(optional ? "::" : ":", out);
    put_quoted(name, strlen(name), ":\\", out);
    putc(':', out);
    if (v->kind == SP_VALUE_FREE)
        return;
    if (v->is_list)
        fputs(v->kind == SP_VALUE_WORDS ? "{_sequence compadd - " : "{_sequence _spmodel_names ", out);
    else
        fputs("{_spmodel_offer ", out);
    const bool names = v->is_list && v->kind != SP_VALUE_WORDS;
    if (!v->is_list || names)
        fprintf(out, "%s%s", sp_value_kind_name(v->kind), !*v->words ? "" : names ? "," : " ");
    for (const char *p = v->words; *p; p++)
        put_quoted(names && *p == ' ' ? "," : p, 1, ":", out);
    putc('}', out);
}

static void put_option(const struct sp_manual_entry *e, const struct sp_option_line *o, FILE *out)
{
    struct sp_values v;
    const char *of_letter = !o->arg ? "" : o->arg_optional ? "-" : "+";
    const char *of_name = !o->arg ? "" : o->arg_optional ? "=-" : "=";
    sp_values_of(e, o, &v);
    fputs("            ", out);
    if (o->letter && o->letter != '?')
        fprintf(out, "{-%c%s,--%s%s}", o->letter, of_letter, o->name, of_name);
    else
        fprintf(out, "--%s%s", o->name, of_name);
    fputs("'[", out);
    put_doc(o->doc ? o->doc : "", out);
    putc(']', out);
    if (o->arg)
        put_action(&v, o->arg, o->arg_optional, out);
    fputs("' \\\n", out);
    sp_values_free(&v);
}

static void put_page(const struct sp_manual_entry *e, FILE *out)
{
    struct sp_option_list list;
    struct sp_values v;
    sp_option_list_make(e->page->argp, &list);
    fprintf(out, "    '%s')\n        _arguments -s \\\n", e->name);
    for (int k = 0; k < list.n; k++)
        if (list.line[k].name)
            put_option(e, &list.line[k], out);
    sp_values_of(e, NULL, &v);
    const bool is_help = strcmp(e->name, "help") == 0;
    fprintf(out, "            '%c", is_help ? '1' : '*');
    put_action(&v, v.kind == SP_VALUE_FREE ? " " : "argument", false, out);
    fprintf(out, "'%s ;;\n", is_help ? " \\\n            '2:verb:_spmodel_verb_behind'" : "");
    sp_values_free(&v);
}

static void put_described(const char *name, const char *summary, FILE *out)
{
    fprintf(out, " '%s:", name);
    put_quoted(summary, strlen(summary), ":\\", out);
    putc('\'', out);
}

/* Fills names of its caller with the verbs of a command. */
static void zsh_verbs(FILE *out)
{
    fputs("_spmodel_verbs() {\n    case $1 in\n", out);
    for (const struct sp_command *const *c = sp_command_table; *c; c++) {
        if (!(*c)->family)
            continue;
        fprintf(out, "    %s) names=(", (*c)->name);
        for (const struct sp_verb *const *v = (*c)->family->verb; *v; v++)
            put_described((*v)->name, (*v)->summary, out);
        fputs(") ;;\n", out);
    }
    fputs("    *) names=() ;;\n    esac\n}\n\n", out);
}

static void put_commands(FILE *out)
{
    fputs("    local -a names\n    if (( CURRENT == 2 )); then\n        names=(", out);
    for (const struct sp_command *const *c = sp_command_table; *c; c++)
        put_described((*c)->name, (*c)->summary, out);
    fputs(
        ")\n        _describe command names\n        return\n    fi\n    shift words\n    (( CURRENT-- ))\n",
        out);
    fputs("    _spmodel_verbs $page\n    if (( $#names )); then\n        if (( CURRENT == 2 )); then\n"
          "            _describe verb names\n            return\n        fi\n        page+=\" $words[2]\"\n"
          "        shift words\n        (( CURRENT-- ))\n    fi\n",
          out);
}

void sp_completion_zsh(FILE *out)
{
    struct sp_manual_entry e;
    fputs("#compdef spmodel\n"
          "# Completion of spmodel " SP_VERSION
          " for zsh, made by `spmodel completion zsh` from its tables.\n\n",
          out);
    for (const char *const *line = helpers; *line; line++)
        fprintf(out, "%s\n", *line);
    zsh_verbs(out);
    fputs(
        "_spmodel() {\n    local page=$words[2] spmodel_program=$words[1]\n    local -a spmodel_generators=(",
        out);
    sp_matrix_words(out);
    fputs(")\n", out);
    put_commands(out);
    fputs("    case $page in\n", out);
    for (int i = 0; sp_manual_get(i, &e); i++)
        if (!e.family)
            put_page(&e, out);
    fputs("    esac\n}\n\n_spmodel \"$@\"\n", out);
}
