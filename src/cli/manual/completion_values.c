/* Which values options take. Words come from the tables that the parsers use; where a parser has
 * its words in itself they are repeated here, and tests/cli/completion.sh types every one of
 * them. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/run_option.h"
#include "base/visible.h"
#include "cli/core/output.h"
#include "cli/doctor/doctor.h"
#include "cli/lab/labs_options.h"
#include "cli/manual/completion.h"
#include "io/files/places.h"
#include "io/machine/machine_file.h"
#include "io/ranks/network_file.h"
#include "kernels/kernel.h"
#include "plots/plot.h"
#include "sparse/formats/format.h"
#include "sparse/generate/generate.h"
#include "sparse/ranks/ranks.h"
#include "sparse/reorder/reorder.h"
#include "track/exchange/exchange.h"

/* Writers of words: each has a blank behind it. */

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

static void plot_kinds(FILE *out)
{
    for (const struct sp_plot_kind *const *k = sp_plot_kinds; *k; k++)
        fprintf(out, "%s ", (*k)->name);
}

static void terms_of_plots(FILE *out)
{
    for (int i = 0; i < SP_N_TERMS; i++)
        fprintf(out, "%s ", sp_term_name((enum sp_term)i));
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

void sp_matrix_words(FILE *out)
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
    enum sp_value_kind kind;
    bool is_list;
    const char *words;
    void (*make)(FILE *out); /* further words; may be NULL */
};

/* clang-format off */
static const struct row rows[] = {
    {NULL, "color", SP_VALUE_WORDS, false, "auto always never", NULL},
    {"analyze", "format", SP_VALUE_WORDS, false, "", formats_auto_all},
    {"model", "format", SP_VALUE_WORDS, false, "", formats_or_all},
    {"convert", "format", SP_VALUE_WORDS, false, "", saved_formats},
    {"reorder", "format", SP_VALUE_WORDS, false, "sell: bcsr:", NULL},
    {"sweep", "format", SP_VALUE_WORDS, true, "", formats},
    {NULL, "format", SP_VALUE_WORDS, false, "", formats},
    {"sweep", "precision", SP_VALUE_WORDS, true, "", precisions},
    {NULL, "precision", SP_VALUE_WORDS, false, "", precisions},
    {"sweep", "index", SP_VALUE_WORDS, true, "", indices},
    {NULL, "index", SP_VALUE_WORDS, false, "", indices},
    {NULL, "op", SP_VALUE_WORDS, false, "", operations},
    {NULL, "order", SP_VALUE_WORDS, false, "", orders},
    {"sweep", "schedule", SP_VALUE_WORDS, true, "", schedules},
    {NULL, "schedule", SP_VALUE_WORDS, false, "", schedules},
    {"sweep", "reorder", SP_VALUE_WORDS, true, "", reorderings},
    {NULL, "reorder", SP_VALUE_WORDS, false, "", reorderings},
    {NULL, "method", SP_VALUE_WORDS, true, "", methods},
    {NULL, "side", SP_VALUE_WORDS, false, "", sides},
    {"sweep", "store", SP_VALUE_WORDS, true, "plain nt", NULL},
    {"analyze", "store", SP_VALUE_WORDS, false, "", NULL},
    {"import", "store", SP_VALUE_WORDS, false, "", NULL},
    {NULL, "store", SP_VALUE_DIRECTORY, false, "", NULL},
    {"machine", "isa", SP_VALUE_WORDS, false, "avx512 avx2 portable", NULL},
    {NULL, "isa", SP_VALUE_WORDS, false, "", isas},
    {NULL, "between", SP_VALUE_WORDS, true, "", NULL},
    {"model", "machine", SP_VALUE_MACHINE, true, "all", NULL},
    {NULL, "machine", SP_VALUE_MACHINE, false, "", NULL},
    {NULL, "alpha", SP_VALUE_WORDS, false, "min sim", NULL},
    {NULL, "partition", SP_VALUE_FILE, false, "", divisions},
    {NULL, "network", SP_VALUE_FILE, true, "", networks},
    {NULL, "blocks", SP_VALUE_WORDS, true, "all 2x2 3x3 4x4 8x8 16x8 16x16", NULL},
    {NULL, "metric", SP_VALUE_WORDS, false, "", metrics},
    {"track import", "from", SP_VALUE_WORDS, false, "", formats_of_others},
    {NULL, "kind", SP_VALUE_WORDS, false, "", plot_kinds},
    {NULL, "term", SP_VALUE_WORDS, false, "", terms_of_plots},
    {NULL, "require", SP_VALUE_WORDS, true, "", requirements},
    {NULL, "record", SP_VALUE_RECORD, false, "", NULL},
    {NULL, "like", SP_VALUE_MATRIX, false, "", NULL},
    {NULL, "parts", SP_VALUE_FILE, false, "", NULL},
    {NULL, "apply", SP_VALUE_FILE, false, "", NULL},
    {NULL, "to", SP_VALUE_FILE, false, "", NULL},
    {NULL, "gnuplot", SP_VALUE_FILE, false, "", NULL},
    {"analyze", "kernel", SP_VALUE_FILE, false, "", NULL},
    {NULL, "keep", SP_VALUE_FILE, false, "", NULL},
    {NULL, "write-machine", SP_VALUE_FILE, false, "", NULL},
    {NULL, "matrices", SP_VALUE_DIRECTORY, false, "", NULL},
    {"completion", "words", SP_VALUE_WORDS, false, "machine lab", NULL},

    {"import", "", SP_VALUE_MATRIX, false, "", NULL},
    {"machine", "", SP_VALUE_MACHINE, false, "list show measure diff", NULL},
    {"compare", "", SP_VALUE_RECORD, false, "", NULL},
    {"plot", "", SP_VALUE_RECORD, false, "", NULL},
    {"campaign", "", SP_VALUE_FILE, false, "", NULL},
    {"validate", "", SP_VALUE_FILE, false, "", NULL},
    {"explain", "", SP_VALUE_WORDS, false, "", sp_explained_words},
    {"help", "", SP_VALUE_WORDS, false, "", topics_and_commands},
    {"generate", "", SP_VALUE_WORDS, false, "", kinds_of_matrices},
    {"completion", "", SP_VALUE_WORDS, false, "bash zsh", NULL},
    {"analyze", "", SP_VALUE_MATRIX, false, "", NULL},
    {"info", "", SP_VALUE_MATRIX, false, "", NULL},
    {"model", "", SP_VALUE_MATRIX, false, "", NULL},
    {"sweep", "", SP_VALUE_MATRIX, false, "", NULL},
    {"convert", "", SP_VALUE_MATRIX, false, "", NULL},
    {"reorder", "", SP_VALUE_MATRIX, false, "", NULL},
    {"track add", "", SP_VALUE_RECORD, false, "", NULL},
    {"track export", "", SP_VALUE_RECORD, false, "", NULL},
    {"track import", "", SP_VALUE_FILE, false, "", NULL},
    {"track hints", "", SP_VALUE_RECORD, false, "", NULL},
    {"lab start", "", SP_VALUE_LAB, false, "", NULL},
    {"lab predict", "", SP_VALUE_LAB, false, "", NULL},
    {"lab run", "", SP_VALUE_LAB, false, "", NULL},
    {"lab check", "", SP_VALUE_LAB, false, "", NULL},
    {"lab report", "", SP_VALUE_LAB, false, "", NULL},
    {"lab grade", "", SP_VALUE_DIRECTORY, false, "", NULL},
};
/* clang-format on */
enum { N_ROWS = sizeof rows / sizeof *rows };

static bool fits(const struct row *row, const char *page, const char *option)
{
    return strcmp(row->option, option) == 0 && (!row->page || strcmp(row->page, page) == 0);
}

/* Where no row says more: by the name of the option's argument. */
static enum sp_value_kind kind_by_argument(const struct sp_option_line *option)
{
    if (!option || !option->arg)
        return SP_VALUE_FREE;
    return strcmp(option->arg, "FILE") == 0  ? SP_VALUE_FILE
           : strcmp(option->arg, "DIR") == 0 ? SP_VALUE_DIRECTORY
                                             : SP_VALUE_FREE;
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
    const bool own = row && (*row->words || row->make || row->kind != SP_VALUE_WORDS);
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

void sp_values_of(const struct sp_manual_entry *page, const struct sp_option_line *option,
                  struct sp_values *values)
{
    const struct row *found = NULL;
    const char *others = option && option->arg ? words_of_run(option) : NULL;
    for (int i = 0; i < N_ROWS && !found && (!option || option->arg); i++)
        if (fits(&rows[i], page->name, option ? option->name : ""))
            found = &rows[i];
    *values = (struct sp_values){.kind = found    ? found->kind
                                         : others ? SP_VALUE_WORDS
                                                  : kind_by_argument(option),
                                 .is_list = found && found->is_list,
                                 .words = words_of(found, others)};
}

void sp_values_free(struct sp_values *values)
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

bool sp_values_stale(int i, char *text, size_t size)
{
    for (int k = 0; k < N_ROWS; k++)
        if (!is_used(k) && i-- == 0) {
            snprintf(text, size, "%s --%s", rows[k].page ? rows[k].page : "(any)", rows[k].option);
            return true;
        }
    return false;
}

const char *sp_value_kind_name(enum sp_value_kind kind)
{
    static const char *const names[SP_N_VALUE_KINDS] = {"free",   "words",  "file",    "directory",
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

void sp_list_names(enum sp_value_kind kind, FILE *out)
{
    if (kind == SP_VALUE_MACHINE)
        list_machines(out);
    else if (kind == SP_VALUE_LAB)
        list_labs(out);
}
