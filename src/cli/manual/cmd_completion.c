/* What completes on the command line: of each page its options, and of each option the values that
 * are known. The scripts for bash and zsh are made from it. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/option/run_option.h"
#include "base/print.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/doctor/doctor.h"
#include "cli/explain/terms/topics.h"
#include "cli/lab/labs_options.h"
#include "cli/manual/manual.h"
#include "io/files/places.h"
#include "io/machine/machine_file.h"
#include "io/ranks/rank_files.h"
#include "kernels/kernel.h"
#include "plots/plot.h"
#include "sp_config.h"
#include "sparse/formats/format.h"
#include "sparse/generate/generate.h"
#include "sparse/ranks/ranks.h"
#include "sparse/reorder/reorder.h"
#include "track/exchange/exchange.h"

/* Scripts ask for the names of machines and labs when they complete: there may be new ones. */
enum value_kind {
    VALUE_FREE, /* nothing is offered */
    VALUE_WORDS,
    VALUE_FILE,
    VALUE_DIRECTORY,
    VALUE_MATRIX, /* files, and gen:KIND */
    VALUE_RECORD, /* .json */
    VALUE_MACHINE,
    VALUE_LAB,
    N_VALUE_KINDS
};

struct sp_values {
    enum value_kind kind;
    bool is_list; /* several, separated by commas */
    char *words;  /* offered beside what the kind offers, separated by blanks; may be ""; owned */
};

/* Which values options take. Words come from the tables that the parsers use; where a parser has
 * its words in itself they are repeated here, and tests/cli/completion.sh types every one of
 * them. */

/* Writers of words: each has a blank behind it. */

static void explained_words(FILE *out)
{
    struct sp_topic t;
    for (int i = 0; sp_topic_at(i, &t); i++)
        if (t.kind != SP_KIND_EXIT)
            fprintf(out, "%s ", t.name);
}

static void formats(FILE *out)
{
    for (int f = 0; f < sp_n_formats; f++)
        fprintf(out, "%s ", sp_format_name(f));
}

static void formats_or_all(FILE *out)
{
    formats(out);
    fputs("all ", out);
}

static void formats_auto_all(FILE *out)
{
    formats_or_all(out);
    fputs("auto ", out);
}

static void saved_formats(FILE *out)
{
    static const char separators[] = ", ";
    for (const char *p = SP_SAVE_FORMATS; *p; p += strspn(p, separators)) {
        const int n = (int)strcspn(p, separators);
        if (n != 2 || strncmp(p, "or", 2) != 0)
            fprintf(out, "%.*s ", n, p);
        p += n;
    }
}

static void precisions(FILE *out)
{
    for (int p = 0; p < SP_N_PRECISIONS; p++)
        fprintf(out, "%s ", sp_precision_name((enum sp_precision)p));
}

static void indices(FILE *out)
{
    for (int i = 0; i < SP_N_INDICES; i++)
        fprintf(out, "%s ", sp_index_name((enum sp_index)i));
}

static void operations(FILE *out)
{
    for (int i = 0; i < SP_N_OPS; i++)
        fprintf(out, "%s ", sp_op_name((enum sp_op)i));
}

static void orders(FILE *out)
{
    for (int i = 0; i < SP_N_ORDERS; i++)
        fprintf(out, "%s ", sp_order_name((enum sp_order)i));
}

static void schedules(FILE *out)
{
    for (int i = 0; i < SP_N_SCHEDULES; i++)
        fprintf(out, "%s ", sp_schedule_name((enum sp_schedule)i));
}

static void reorderings(FILE *out)
{
    for (const struct sp_reordering *r = sp_reordering_table; r->name; r++)
        if (!sp_reordering_absent(r))
            fprintf(out, "%s ", r->name);
}

static void methods(FILE *out)
{
    reorderings(out);
    fputs("all ", out);
}

static void divisions(FILE *out)
{
    for (const struct sp_division *d = sp_division_table; d->name; d++)
        fprintf(out, "%s ", d->name);
}

/* Those that are described when the script is made. */
static void networks(FILE *out)
{
    char **path;
    int n;
    if (sp_network_list(&path, &n, NULL) != SP_OK)
        return;
    for (int i = 0; i < n; i++) {
        const char *name = strrchr(path[i], '/') + 1;
        if (sp_is_visible(name) && !strpbrk(name, " '\""))
            fprintf(out, "%.*s ", (int)(strlen(name) - strlen(".json")), name);
    }
    sp_machine_file_unlist(path, n);
}

static void sides(FILE *out)
{
    for (int i = 0; i < SP_N_REORDER_SIDES; i++)
        fprintf(out, "%s ", sp_reorder_side_name((enum sp_reorder_side)i));
}

/* Variants of kernels on GPUs, each once: the last part of a kernel's name. */
static void isas(FILE *out)
{
    fputs("avx512 avx2 portable ", out);
    for (const struct sp_kernel *const *k = sp_kernel_table; *k; k++) {
        const char *variant = strrchr((*k)->name, '/');
        bool seen = !(*k)->on_gpu || !variant;
        for (const struct sp_kernel *const *before = sp_kernel_table; !seen && before != k; before++) {
            const char *other = strrchr((*before)->name, '/');
            seen = other && strcmp(other, variant) == 0;
        }
        if (!seen)
            fprintf(out, "%s ", variant + 1);
    }
}

static void metrics(FILE *out)
{
    for (int i = 0; i < SP_N_TRACKED; i++)
        fprintf(out, "%s ", sp_tracked_metrics[i].name);
}

static void formats_of_others(FILE *out)
{
    for (const struct sp_exchange_format *f = sp_exchange_formats; f->name; f++)
        if (f->read)
            fprintf(out, "%s ", f->name);
}

static void formats_for_others(FILE *out)
{
    for (const struct sp_exchange_format *f = sp_exchange_formats; f->name; f++)
        if (f->write || f->write_folder)
            fprintf(out, "%s= ", f->name);
}

static void plot_kinds(FILE *out)
{
    for (const struct sp_plot_kind *const *k = sp_plot_kinds; *k; k++)
        fprintf(out, "%s ", (*k)->name);
}

static void terms_of_plots(FILE *out)
{
    for (int i = 0; i < SP_N_TERMS; i++)
        fprintf(out, "%s ", sp_term_name((enum sp_image)i));
}

static void requirements(FILE *out)
{
    for (const char *p = sp_require_words; *p; p++)
        putc(*p == ',' ? ' ' : *p, out);
}

static void topics_and_commands(FILE *out)
{
    for (const struct sp_help_topic *t = sp_help_topics; t->name; t++)
        fprintf(out, "%s ", t->name);
    for (const struct sp_command *const *c = sp_command_table; *c; c++)
        fprintf(out, "%s ", (*c)->name);
}

static void kinds_of_matrices(FILE *out)
{
    struct sp_generator_info info;
    for (int i = 0; sp_generator_get(i, &info); i++)
        fprintf(out, "%s: ", info.name);
}

/* "gen:laplace3d: ..." for words that stand for matrices. */
static void matrix_words(FILE *out)
{
    struct sp_generator_info info;
    for (int i = 0; sp_generator_get(i, &info); i++)
        fprintf(out, "gen:%s: ", info.name);
    fputs("gen:like: ", out);
}

/* What a page offers for an option; page NULL: on every page that has it, option "": for the
 * arguments. The first row that fits counts. Where there is none, or it has no words, an option of
 * a run has those of its row in base/option/run_options.inc. */
struct row {
    const char *page, *option;
    enum value_kind kind;
    bool is_list;
    const char *words;
    void (*make)(FILE *out); /* further words; may be NULL */
};

/* clang-format off */
static const struct row rows[] = {
    {NULL, "color", VALUE_WORDS, false, "auto always never", NULL},
    {"analyze", "format", VALUE_WORDS, false, "", formats_auto_all},
    {"model", "format", VALUE_WORDS, false, "", formats_or_all},
    {"convert", "format", VALUE_WORDS, false, "", saved_formats},
    {"reorder", "format", VALUE_WORDS, false, "sell: bcsr:", NULL},
    {"sweep", "format", VALUE_WORDS, true, "", formats},
    {NULL, "format", VALUE_WORDS, false, "", formats},
    {"sweep", "precision", VALUE_WORDS, true, "", precisions},
    {NULL, "precision", VALUE_WORDS, false, "", precisions},
    {"sweep", "index", VALUE_WORDS, true, "", indices},
    {NULL, "index", VALUE_WORDS, false, "", indices},
    {NULL, "op", VALUE_WORDS, false, "", operations},
    {NULL, "order", VALUE_WORDS, false, "", orders},
    {"sweep", "schedule", VALUE_WORDS, true, "", schedules},
    {NULL, "schedule", VALUE_WORDS, false, "", schedules},
    {"sweep", "reorder", VALUE_WORDS, true, "", reorderings},
    {NULL, "reorder", VALUE_WORDS, false, "", reorderings},
    {NULL, "method", VALUE_WORDS, true, "", methods},
    {NULL, "side", VALUE_WORDS, false, "", sides},
    {"sweep", "store", VALUE_WORDS, true, "plain nt", NULL},
    {"analyze", "store", VALUE_WORDS, false, "", NULL},
    {"import", "store", VALUE_WORDS, false, "", NULL},
    {NULL, "store", VALUE_DIRECTORY, false, "", NULL},
    {"machine", "isa", VALUE_WORDS, false, "avx512 avx2 portable", NULL},
    {NULL, "isa", VALUE_WORDS, false, "", isas},
    {NULL, "between", VALUE_WORDS, true, "", NULL},
    {"model", "machine", VALUE_MACHINE, true, "all", NULL},
    {NULL, "machine", VALUE_MACHINE, false, "", NULL},
    {NULL, "alpha", VALUE_WORDS, false, "min sim", NULL},
    {NULL, "partition", VALUE_FILE, false, "", divisions},
    {NULL, "network", VALUE_FILE, true, "", networks},
    {NULL, "blocks", VALUE_WORDS, true, "all 2x2 3x3 4x4 8x8 16x8 16x16", NULL},
    {NULL, "metric", VALUE_WORDS, false, "", metrics},
    {"track import", "from", VALUE_WORDS, false, "", formats_of_others},
    {NULL, "kind", VALUE_WORDS, false, "", plot_kinds},
    {NULL, "term", VALUE_WORDS, false, "", terms_of_plots},
    {NULL, "require", VALUE_WORDS, true, "", requirements},
    {NULL, "record", VALUE_RECORD, false, "", NULL},
    {NULL, "like", VALUE_MATRIX, false, "", NULL},
    {NULL, "parts", VALUE_FILE, false, "", NULL},
    {NULL, "apply", VALUE_FILE, false, "", NULL},
    {"track export", "to", VALUE_WORDS, false, "", formats_for_others},
    {NULL, "to", VALUE_FILE, false, "", NULL},
    {"validate", "map", VALUE_FILE, false, "a64fx-papi", NULL},
    {NULL, "gnuplot", VALUE_FILE, false, "", NULL},
    {"analyze", "kernel", VALUE_FILE, false, "", NULL},
    {NULL, "keep", VALUE_FILE, false, "", NULL},
    {NULL, "write-machine", VALUE_FILE, false, "", NULL},
    {NULL, "matrices", VALUE_DIRECTORY, false, "", NULL},
    {"completion", "words", VALUE_WORDS, false, "machine lab", NULL},

    {"import", "", VALUE_MATRIX, false, "", NULL},
    {"machine", "", VALUE_MACHINE, false, "list show measure diff", NULL},
    {"compare", "", VALUE_RECORD, false, "", NULL},
    {"plot", "", VALUE_RECORD, false, "", NULL},
    {"campaign", "", VALUE_FILE, false, "", NULL},
    {"validate", "", VALUE_FILE, false, "", NULL},
    {"explain", "", VALUE_WORDS, false, "", explained_words},
    {"help", "", VALUE_WORDS, false, "", topics_and_commands},
    {"generate", "", VALUE_WORDS, false, "", kinds_of_matrices},
    {"completion", "", VALUE_WORDS, false, "bash zsh", NULL},
    {"analyze", "", VALUE_MATRIX, false, "", NULL},
    {"info", "", VALUE_MATRIX, false, "", NULL},
    {"model", "", VALUE_MATRIX, false, "", NULL},
    {"sweep", "", VALUE_MATRIX, false, "", NULL},
    {"convert", "", VALUE_MATRIX, false, "", NULL},
    {"reorder", "", VALUE_MATRIX, false, "", NULL},
    {"track add", "", VALUE_RECORD, false, "", NULL},
    {"track export", "", VALUE_RECORD, false, "", NULL},
    {"track import", "", VALUE_FILE, false, "", NULL},
    {"track hints", "", VALUE_RECORD, false, "", NULL},
    {"lab start", "", VALUE_LAB, false, "", NULL},
    {"lab predict", "", VALUE_LAB, false, "", NULL},
    {"lab run", "", VALUE_LAB, false, "", NULL},
    {"lab check", "", VALUE_LAB, false, "", NULL},
    {"lab report", "", VALUE_LAB, false, "", NULL},
    {"lab grade", "", VALUE_DIRECTORY, false, "", NULL},
};
/* clang-format on */
enum { N_ROWS = sizeof rows / sizeof *rows };

static bool fits(const struct row *row, const char *page, const char *option)
{
    return strcmp(row->option, option) == 0 && (!row->page || strcmp(row->page, page) == 0);
}

/* Where no row says more: by the name of the option's argument. */
static enum value_kind kind_by_argument(const struct sp_option_line *option)
{
    if (!option || !option->arg)
        return VALUE_FREE;
    return strcmp(option->arg, "FILE") == 0  ? VALUE_FILE
           : strcmp(option->arg, "DIR") == 0 ? VALUE_DIRECTORY
                                             : VALUE_FREE;
}

static const char *words_of_run(const struct sp_option_line *option)
{
    const enum sp_option o = option ? sp_option_find(option->name) : SP_N_OPTIONS;
    return o < SP_N_OPTIONS ? sp_run_options[o].words : NULL;
}

/* Allocated; "" where there is no memory, for completion is no place to fail. */
static char *words_of(const struct row *row, const char *others)
{
    char *words = NULL;
    size_t size = 0;
    FILE *out = row || others ? open_memstream(&words, &size) : NULL;
    if (!out)
        return calloc(1, 1);
    const bool own = row && (*row->words || row->make || row->kind != VALUE_WORDS);
    if (!own && others)
        fputs(others, out);
    if (own)
        fprintf(out, "%s%s", row->words, *row->words && row->make ? " " : "");
    if (own && row->make)
        row->make(out);
    fclose(out);
    for (; size > 0 && words[size - 1] == ' '; size--)
        words[size - 1] = '\0';
    return words;
}

/* Of an option of a page, option NULL: of its arguments. Free it. */
static void values_of(const struct sp_manual_entry *page, const struct sp_option_line *option,
                      struct sp_values *values)
{
    const struct row *found = NULL;
    const char *others = option && option->arg ? words_of_run(option) : NULL;
    for (int i = 0; i < N_ROWS && !found && (!option || option->arg); i++)
        if (fits(&rows[i], page->name, option ? option->name : ""))
            found = &rows[i];
    *values = (struct sp_values){.kind = found    ? found->kind
                                         : others ? VALUE_WORDS
                                                  : kind_by_argument(option),
                                 .is_list = found && found->is_list,
                                 .words = words_of(found, others)};
}

static void values_free(struct sp_values *values)
{
    free(values->words);
    values->words = NULL;
}

/* Has some page this option, with a value, and no row before this one for it? */
static bool is_used(int i)
{
    struct sp_manual_entry e;
    for (int m = 0; sp_manual_get(m, &e); m++) {
        struct sp_option_list list;
        sp_option_list_make(e.page->argp, &list);
        if (!*rows[i].option && fits(&rows[i], e.name, ""))
            return true;
        for (int k = 0; k < list.n; k++) {
            const struct sp_option_line *o = &list.line[k];
            int first = 0;
            while (o->name && o->arg && first < i && !fits(&rows[first], e.name, o->name))
                first++;
            if (o->name && o->arg && first == i && fits(&rows[i], e.name, o->name))
                return true;
        }
    }
    return false;
}

/* The i-th row of the table of values that fits no option of any page; false: none. */
static bool values_stale(int i, char *text, size_t size)
{
    for (int k = 0; k < N_ROWS; k++)
        if (!is_used(k) && i-- == 0) {
            snprintf(text, size, "%s --%s", rows[k].page ? rows[k].page : "(any)", rows[k].option);
            return true;
        }
    return false;
}

static const char *value_kind_name(enum value_kind kind)
{
    static const char *const names[N_VALUE_KINDS] = {"free",   "words",  "file",    "directory",
                                                     "matrix", "record", "machine", "lab"};
    return names[kind];
}

/* NAME.json in the folders of machines; a name may be in several. */
static void list_machines(FILE *out)
{
    struct sp_machine_paths paths;
    sp_machine_paths_find(&paths);
    for (int d = 0; paths.directory[d]; d++) {
        struct sp_error err;
        char **file;
        int n;
        if (sp_machine_file_list(paths.directory[d], &file, &n, &err) != SP_OK)
            continue;
        for (int i = 0; i < n; i++) {
            const char *slash = strrchr(file[i], '/'), *name = slash ? slash + 1 : file[i];
            if (sp_is_visible(name)) /* one with a line end would offer what is none */
                fprintf(out, "%.*s\n", (int)(strlen(name) - strlen(".json")), name);
        }
        sp_machine_file_unlist(file, n);
    }
}

/* The numbers of labs/NN-NAME. */
static void list_labs(FILE *out)
{
    struct sp_lab_directories where;
    sp_lab_directories_find(&where);
    for (int i = 0; i < where.n; i++) {
        DIR *folder = opendir(where.directory[i]);
        for (const struct dirent *entry; folder && (entry = readdir(folder));) {
            char *rest;
            const long number = strtol(entry->d_name, &rest, 10);
            if (rest != entry->d_name && *rest == '-')
                fprintf(out, "%ld\n", number);
        }
        if (folder)
            closedir(folder);
    }
}

/* Names now: of machines or of labs, a line each. */
static void list_names(enum value_kind kind, FILE *out)
{
    if (kind == VALUE_MACHINE)
        list_machines(out);
    else if (kind == VALUE_LAB)
        list_labs(out);
}

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
    values_of(e, o, &v);
    if (v.kind != VALUE_FREE) {
        fprintf(out, "    '%s:%s%s'", e->name, o ? "--" : "", o ? o->name : "");
        if (o && o->letter)
            fprintf(out, " | '%s:-%c'", e->name, o->letter);
        fprintf(out, ") kind=%s list='%s' offered='%s' ;;\n", value_kind_name(v.kind), v.is_list ? "yes" : "",
                v.words);
    }
    values_free(&v);
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

static void completion_bash(FILE *out)
{
    fputs("# Completion of spmodel " SP_VERSION
          " for bash, made by `spmodel completion bash` from its tables.\n\n"
          "_spmodel_commands='",
          out);
    for (const struct sp_command *const *c = sp_command_table; *c; c++)
        fprintf(out, "%s%s", c == sp_command_table ? "" : " ", (*c)->name);
    fputs("'\n_spmodel_generators='", out);
    matrix_words(out);
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
    if (v->kind == VALUE_FREE)
        return;
    if (v->is_list)
        fputs(v->kind == VALUE_WORDS ? "{_sequence compadd - " : "{_sequence _spmodel_names ", out);
    else
        fputs("{_spmodel_offer ", out);
    const bool names = v->is_list && v->kind != VALUE_WORDS;
    if (!v->is_list || names)
        fprintf(out, "%s%s", value_kind_name(v->kind), !*v->words ? "" : names ? "," : " ");
    for (const char *p = v->words; *p; p++)
        put_quoted(names && *p == ' ' ? "," : p, 1, ":", out);
    putc('}', out);
}

static void put_option(const struct sp_manual_entry *e, const struct sp_option_line *o, FILE *out)
{
    struct sp_values v;
    const char *of_letter = !o->arg ? "" : o->arg_optional ? "-" : "+";
    const char *of_name = !o->arg ? "" : o->arg_optional ? "=-" : "=";
    values_of(e, o, &v);
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
    values_free(&v);
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
    values_of(e, NULL, &v);
    const bool is_help = strcmp(e->name, "help") == 0;
    fprintf(out, "            '%c", is_help ? '1' : '*');
    put_action(&v, v.kind == VALUE_FREE ? " " : "argument", false, out);
    fprintf(out, "'%s ;;\n", is_help ? " \\\n            '2:verb:_spmodel_verb_behind'" : "");
    values_free(&v);
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

static void completion_zsh(FILE *out)
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
    matrix_words(out);
    fputs(")\n", out);
    put_commands(out);
    fputs("    case $page in\n", out);
    for (int i = 0; sp_manual_get(i, &e); i++)
        if (!e.family)
            put_page(&e, out);
    fputs("    esac\n}\n\n_spmodel \"$@\"\n", out);
}

/* spmodel completion: scripts for shells, and the names that these ask for. */

enum { KEY_WORDS = SP_KEY_PRIVATE, KEY_STALE };

enum shell { BASH, ZSH, N_SHELLS };

struct arguments {
    int shell; /* N_SHELLS: none was named */
    const char *output;
    enum value_kind names; /* VALUE_FREE: not asked for */
    bool stale;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the script into FILE (default: standard output)", 0},
    {"words", KEY_WORDS, "KIND", 0, "List the names that complete now: machine or lab", 0},
    {"stale", KEY_STALE, NULL, OPTION_HIDDEN, "List rows of the table of values that fit no option", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const char *const shells[] = {[BASH] = "bash", [ZSH] = "zsh", [N_SHELLS] = NULL};
    struct arguments *a = state->input;
    switch (key) {
    case 'o':
        a->output = arg;
        return 0;
    case KEY_WORDS:
        a->names = sp_pick(state, "--words", arg, "machine lab") == 0 ? VALUE_MACHINE : VALUE_LAB;
        return 0;
    case KEY_STALE:
        a->stale = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->shell != N_SHELLS)
            sp_usage_error(state, "one shell at a time");
        for (a->shell = 0; shells[a->shell] && strcmp(shells[a->shell], arg) != 0;)
            a->shell++;
        if (a->shell == N_SHELLS)
            sp_usage_error(state, "completion knows bash and zsh, not '%s'", arg);
        return 0;
    case ARGP_KEY_END:
        if (a->shell == N_SHELLS && a->names == VALUE_FREE && !a->stale)
            sp_usage_error(state, "name a shell: bash or zsh");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options, parse, .args_doc = "bash|zsh",
    .doc = "Prints a script with which a shell completes commands, verbs, options and their values.\v"
           "An installed spmodel has the scripts where the shells look for them. Else, in ~/.bashrc:\n\n"
           "  eval \"$(spmodel completion bash)\"\n\n"
           "and for zsh into a folder of fpath:\n\n"
           "  spmodel completion zsh -o ~/.zfunc/_spmodel"};

static int list_stale(void)
{
    char text[80];
    int i = 0;
    for (; values_stale(i, text, sizeof text); i++)
        sp_print(stdout, "%s\n", text);
    return i > 0;
}

static int run(int argc, char **argv)
{
    struct arguments a = {.shell = N_SHELLS, .names = VALUE_FREE};
    struct sp_sink sink;
    struct sp_error err;
    sp_parse(&argp, argc, argv, &a);
    if (a.stale)
        return list_stale();
    if (a.names != VALUE_FREE) {
        list_names(a.names, stdout);
        return 0;
    }
    if (sp_sink_open(a.output ? a.output : "-", &sink, &err) != SP_OK)
        return sp_report_error(&err);
    (a.shell == BASH ? completion_bash : completion_zsh)(sink.stream);
    return sp_sink_close(&sink, 0);
}

static const struct sp_example examples[] = {
    {"spmodel completion bash -o spmodel.bash", "a file for bash to read", NULL},
    {"spmodel completion --words machine", "the machines that --machine completes", NULL},
    {0},
};

extern const struct sp_command sp_cmd_completion;
const struct sp_command sp_cmd_completion = {
    .name = "completion",
    .arguments = "bash|zsh",
    .summary = "scripts with which bash and zsh complete commands, options and values",
    .run = run,
    .page = {&argp, examples, NULL, "help"},
};
