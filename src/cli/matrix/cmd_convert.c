/* spmodel convert IN OUT: any input of the program -> one of the formats of files. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "io/matrix/matrix_load.h"
#include "sys/machine/pages.h"

enum { KEY_FORMAT = SP_KEY_PRIVATE, KEY_GENERAL, KEY_DROP_ZEROS };

struct options {
    struct sp_common_options common;
    const char *in, *out;
    bool drop_zeros;
    struct sp_save_options save;
};

static const struct argp_option own_options[] = {
    {"threads", 't', "N", 0, "Threads for parsing and formatting (default: all that may be used)", 0},
    {"format", KEY_FORMAT, "FORMAT", 0, SP_SAVE_FORMATS " (default: by OUT's ending)", 0},
    {"general", KEY_GENERAL, NULL, 0, "Text (mtx, rb): write all entries, also of a symmetric matrix", 0},
    {"drop-zeros", KEY_DROP_ZEROS, NULL, 0, "Leave out entries whose value is 0", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        return 0;
    case 't':
        o->save.n_threads = sp_pick_threads(state, arg);
        return 0;
    case KEY_FORMAT:
        o->save.format = arg;
        return 0;
    case KEY_GENERAL:
        o->save.general = true;
        return 0;
    case KEY_DROP_ZEROS:
        o->drop_zeros = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            sp_usage_error(state, "one input and one output, please");
        else if (state->arg_num == 0)
            o->in = arg;
        else
            o->out = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->out)
            sp_usage_error(state, "IN and OUT are needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&sp_common_argp, 0, "Common options:", 90}, {&sp_memory_argp, 0, NULL, 90}, {0}};
static const struct argp parser = {own_options, parse_option, .args_doc = "IN OUT",
                                   .doc =
                                       "Convert a matrix.\vIN is whatever `spmodel analyze` takes: Matrix "
                                       "Market, PETSc, SciPy and Rutherford-Boeing files, also compressed, "
                                       "SuiteSparse archives, - for standard input, gen:... for generated "
                                       "ones (`spmodel help input`). Values come back bit by bit.",
                                   .children = children};

static void print_summary(const struct options *o, const struct sp_csr *a, const struct sp_load_facts *facts,
                          double write_s)
{
    char rows[32], cols[32], entries[32], read[32], written[32];
    sp_print(stdout, "%s  %s x %s, %s entries (%s) -> %s    read in %s, written in %s\n", facts->name,
             sp_text_count(rows, sizeof rows, a->n_r), sp_text_count(cols, sizeof cols, a->n_c),
             sp_text_count(entries, sizeof entries, a->n_nz), facts->format, o->out,
             sp_text_seconds(read, sizeof read, facts->total_s),
             sp_text_seconds(written, sizeof written, write_s));
    if (a->n_duplicates > 0)
        sp_print(stdout, "%lld duplicate entries were added up\n", (long long)a->n_duplicates);
    if (facts->n_dropped > 0)
        sp_print(stdout, "%lld entries of value 0 were left out\n", (long long)facts->n_dropped);
    if (facts->remark[0])
        sp_print(stderr, "spmodel: %s\n", facts->remark);
}

static int run(int argc, char **argv)
{
    struct options o = {.save.n_threads = omp_get_max_threads()};
    sp_parse(&parser, argc, argv, &o);
    struct sp_error err;
    if (sp_save_check(o.out, &o.save, &err) != SP_OK)
        return sp_report_error(&err);
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, o.common.verbosity);
    struct sp_watch watch = {&progress, "reading the matrix"};
    struct sp_load_options options = {.n_threads = o.save.n_threads,
                                      .allocator = &sp_allocator_huge,
                                      .drop_zeros = o.drop_zeros,
                                      .progress = sp_watch_show,
                                      .interrupted = sp_watch_stop,
                                      .context = &watch};
    struct sp_csr a;
    struct sp_load_facts facts;
    enum sp_status status = sp_matrix_load(o.in, &options, &a, &facts, &err);
    double start = sp_now();
    watch.what = "writing the matrix";
    if (status == SP_OK) {
        o.save.sha256 = facts.sha256;
        o.save.n_entries = facts.n_entries;
        o.save.progress = sp_watch_show;
        o.save.interrupted = sp_watch_stop;
        o.save.context = &watch;
        status = sp_save(o.out, &a, &o.save, &err);
    }
    sp_terminal_clear(&terminal);
    if (status == SP_OK && o.common.verbosity >= 0)
        print_summary(&o, &a, &facts, sp_now() - start);
    sp_csr_free(&a);
    return status == SP_OK ? 0 : sp_report_error(&err);
}

static const struct sp_example examples[] = {
    {"spmodel convert matrix.mtx matrix.spm", "a binary file, which is read much faster than text", NULL},
    {"spmodel convert --general matrix.spm all.mtx",
     "back to text, with both triangles of a symmetric matrix", NULL},
    {"spmodel convert matrix.mtx matrix.petsc", "for MatLoad of PETSc; .npz is for scipy.sparse.load_npz",
     NULL},
    {0},
};

extern const struct sp_command sp_cmd_convert;
const struct sp_command sp_cmd_convert = {
    .name = "convert",
    .arguments = "IN OUT",
    .summary = "matrix files (Matrix Market, PETSc, SciPy, Rutherford-Boeing, binary) into each other",
    .run = run,
    .page = {&parser, examples, NULL, "generate reorder input"},
};
