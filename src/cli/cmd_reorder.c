#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/save.h"
#include "cli/terminal.h"
#include "io/atomic_file.h"
#include "io/matrix_load.h"
#include "sparse/reorder.h"
#include "sparse/structure.h"
#include "sys/pages.h"

struct options {
    struct sp_common_options common;
    const char *in, *out, *method, *permutation;
};

enum { KEY_METHOD = SP_KEY_PRIVATE, KEY_PERMUTATION };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        o->method = "rcm";
        return 0;
    case KEY_METHOD:
        o->method = arg;
        return 0;
    case KEY_PERMUTATION:
        o->permutation = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            argp_error(state, "one input and one output, please");
        else if (state->arg_num == 0)
            o->in = arg;
        else
            o->out = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->out)
            argp_error(state, "IN and OUT are needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *meaning_of(const char *m)
{
    return m;
}
/* A Matrix Market array of 1-based numbers: row i of the new matrix is row p(i) of the old one. */
static enum sp_status write_permutation(const char *path, const char *method, const int32_t *perm, int64_t n,
                                        struct sp_error *err)
{
    struct sp_atomic_file file;
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    fprintf(file.stream,
            "%%%%MatrixMarket matrix array integer general\n"
            "%% reordering %s: %s\n"
            "%lld 1\n",
            method, meaning_of(method), (long long)n);
    for (int64_t i = 0; i < n; i++)
        fprintf(file.stream, "%ld\n", (long)perm[i] + 1);
    return sp_atomic_commit(&file, err);
}

static void print_places(const char *word, const struct sp_structure *s)
{
    char a[32], b[32];
    int64_t bandwidth = s->lower_bandwidth > s->upper_bandwidth ? s->lower_bandwidth : s->upper_bandwidth;
    printf("  %-7s bandwidth %14s   profile %18s   mean |i - j| %.4g\n", word,
           sp_text_count(a, sizeof a, bandwidth), sp_text_count(b, sizeof b, s->profile), s->mean_distance);
}

static enum sp_status save(const struct options *o, const struct sp_csr *b, struct sp_watch *watch,
                           struct sp_error *err)
{
    struct sp_save_options options = {.n_threads = omp_get_max_threads(),
                                      .progress = sp_watch_show,
                                      .interrupted = sp_watch_stop,
                                      .context = watch};
    if (sp_watch_stop(watch))
        return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted before anything was written");
    watch->what = "writing the matrix";
    return sp_save(o->out, b, &options, err);
}

static enum sp_status reorder(const struct options *o, const struct sp_csr *a, const char *name,
                              struct sp_watch *watch, struct sp_error *err)
{
    struct sp_csr b = {0};
    struct sp_structure before, after;
    void *p;
    char text[32];
    enum sp_status status = sp_large_alloc(NULL, a->n_r, sizeof(int32_t), "a permutation", &p, err);
    int32_t *perm = p;
    double start = sp_now(), took = 0;
    if (status == SP_OK) {
        watch->what = "finding the order";
        sp_watch_show(watch, -1);
        status = sp_reorder(o->method, a, &sp_allocator_huge, perm, &b, err);
        took = sp_now() - start;
    }
    if (status == SP_OK)
        status = save(o, &b, watch, err);
    if (status == SP_OK && o->permutation)
        status = write_permutation(o->permutation, o->method, perm, a->n_r, err);
    sp_terminal_clear(watch->progress->context);
    if (status == SP_OK && o->common.verbosity >= 0) {
        status = sp_structure_analyse(a, &before, err);
        if (status == SP_OK)
            status = sp_structure_analyse(&b, &after, err);
        if (status == SP_OK) {
            printf("%s -> %s   %s, found and applied in %s\n", name, o->out, o->method,
                   sp_text_seconds(text, sizeof text, took));
            print_places("before", &before);
            print_places("after", &after);
        }
    }
    sp_csr_free(&b);
    sp_large_free(NULL, perm, a->n_r, sizeof(int32_t));
    return status;
}

/* Listed from the table, so that a new reordering needs no word here. */
static char *method_help(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    char *help = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&help, &size);
    if (!stream)
        return (char *)text;
    fputs("Methods:\n", stream);
    for (const struct sp_reordering *r = sp_reordering_table; r->name; r++)
        fprintf(stream, "  %-16s %s\n", r->form, r->summary);
    fclose(stream);
    return help;
}

static int run(int argc, char **argv)
{
    static const struct argp_option own[] = {
        {"method", KEY_METHOD, "METHOD", 0, "The reordering (default rcm)", 0},
        {"permutation", KEY_PERMUTATION, "FILE", 0, "Write the permutation too, as a Matrix Market array", 0},
        {0}};
    static const struct argp_child children[] = {{&sp_common_argp, 0, "Common options:", 90}, {0}};
    static const struct argp argp = {
        own,      parse,
        "IN OUT", "Give the rows of a matrix, and mostly its columns, a new order and write it.\v",
        children, method_help,
        NULL};
    struct options o = {0};
    struct sp_error err;
    sp_parse(&argp, argc, argv, &o);
    if (sp_save_check(o.out, &(struct sp_save_options){0}, &err) != SP_OK)
        return sp_report_error(&err);
    if (o.permutation && strcmp(o.permutation, o.out) == 0) {
        sp_fail(&err, SP_USAGE, "give the permutation a name of its own",
                "'%s' cannot be both the matrix and the permutation", o.out);
        return sp_report_error(&err);
    }
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, o.common.verbosity);
    struct sp_watch watch = {&progress, "reading the matrix"};
    struct sp_load_options load = {.n_threads = omp_get_max_threads(),
                                   .allocator = &sp_allocator_huge,
                                   .progress = sp_watch_show,
                                   .interrupted = sp_watch_stop,
                                   .context = &watch};
    struct sp_csr a;
    struct sp_load_facts facts;
    enum sp_status status = sp_matrix_load(o.in, &load, &a, &facts, &err);
    sp_terminal_clear(&terminal);
    if (status == SP_OK)
        status = reorder(&o, &a, facts.name, &watch, &err);
    sp_csr_free(&a);
    return status == SP_OK ? 0 : sp_report_error(&err);
}

extern const struct sp_command sp_cmd_reorder;
const struct sp_command sp_cmd_reorder = {"reorder", "IN OUT",
                                          "apply a reordering (RCM, clusters) and write the matrix", run};
