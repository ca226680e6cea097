/* The script for zsh: the specifications of _arguments for each page. */
#include <string.h>

#include "cli/manual/completion.h"
#include "sp_config.h"

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
    "        _files -g '*.(mtx|mtx.*|spm|tar.gz|csv)(-.)' && ret=0",
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
static void put_verbs(FILE *out)
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
    put_verbs(out);
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
