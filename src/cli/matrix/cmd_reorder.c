#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/print.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "cli/matrix/reorder_preview.h"
#include "io/matrix/matrix_load.h"
#include "io/matrix/matrix_market.h"
#include "session/measure/machine.h"
#include "session/ranks/scaling.h"
#include "sparse/formats/format.h"
#include "sparse/reorder/metis.h"
#include "sparse/reorder/reorder.h"
#include "sparse/structure/structure.h"
#include "sys/machine/pages.h"

/* A vector into a new order, and back: reorder --apply. */

/* Element i of `to` is element p(i) of `vector`, p the permutation of the file; `inverse` undoes
 * that. SP_INPUT where lengths differ or the file is no permutation. */
static enum sp_status reorder_apply(const char *vector, const char *permutation, const char *to, bool inverse,
                                    struct sp_error *err)
{
    struct sp_array_text x;
    int32_t *perm;
    int64_t n;
    enum sp_status status = sp_permutation_read(permutation, &perm, &n, err);
    if (status != SP_OK)
        return status;
    status = sp_array_text_read(vector, &x, err);
    if (status == SP_OK && x.n_r != n)
        status = sp_fail_at(err, SP_INPUT, vector, 0, 0, "take the permutation of this side of the matrix",
                            "the vector has %lld elements, the permutation of %s has %lld", (long long)x.n_r,
                            permutation, (long long)n);
    if (status == SP_OK)
        status = sp_array_text_write(
            to, &x, perm, inverse,
            inverse ? "back in the order before a reordering" : "in the order of a reordering", err);
    sp_array_text_free(&x);
    free(perm);
    return status;
}

struct options {
    struct sp_common_options common;
    const char *in, *out, *method, *side, *permutation, *column_permutation, *machine;
    const char *apply, *to;
    bool inverse, exact, is_stdout_taken;
    struct sp_workload workload; /* threads, schedule, and the formats that --format named */
    struct sp_reorder_methods methods;
    double patience_s;
    struct sp_reorder_ranks ranks;
};

/* METIS can take minutes for a graph that has no parts. */
static const double patience_s = 60;

enum {
    KEY_METHOD = SP_KEY_PRIVATE,
    KEY_SIDE,
    KEY_PERMUTATION,
    KEY_COLUMN_PERMUTATION,
    KEY_APPLY,
    KEY_TO,
    KEY_INVERSE,
    KEY_EXACT,
    KEY_MACHINE,
    KEY_FORMAT,
    KEY_SCHEDULE,
    KEY_RANKS,
    KEY_PARTITION,
    KEY_PARTS,
    KEY_PATIENCE,
};

/* ---- the command line ---- */

/* Rows over ranks are an order of their own. */
static void end_of_ranks(struct argp_state *state, struct options *o)
{
    if (!o->ranks.partition)
        o->ranks.partition = "rows";
    if (o->ranks.n == 0 && sp_division_of(o->ranks.partition))
        sp_usage_error(state, "say how many ranks: --ranks N, or --partition FILE with the part of each row");
    if (o->method || o->side)
        sp_usage_error(state, "--ranks makes an order of its own: leave --method and --side out");
    if (o->common.json || o->common.csv)
        sp_usage_error(state,
                       "--json and --csv are for the comparison of orders; model --ranks has figures of "
                       "ranks");
    if (!o->out && !o->ranks.parts)
        sp_usage_error(state,
                       "say what to write: OUT, the matrix with each rank's rows together, or --parts FILE");
}

static void end_of_options(struct argp_state *state, struct options *o)
{
    struct sp_error err;
    bool vector = o->apply || o->to || o->inverse;
    if (vector && !(o->apply && o->to && o->permutation))
        sp_usage_error(state, "a vector is permuted by --apply VECTOR --permutation FILE --to OUT");
    if (vector && (o->in || o->method || o->side || o->column_permutation || o->common.json || o->common.csv))
        sp_usage_error(state, "--apply permutes a vector; there is no matrix and no method then");
    if (o->patience_s > 0 && (vector || o->ranks.n > 0 || o->ranks.partition))
        sp_usage_error(state, "--patience is for the comparison of orders");
    if (vector)
        return;
    if (!o->in)
        sp_usage_error(state, "a matrix is needed: IN for a table of methods, IN OUT to write one order");
    if (!o->out && (o->permutation || o->column_permutation))
        sp_usage_error(state, "a permutation is written with the matrix: give OUT too");
    if (o->ranks.n > 0 || o->ranks.partition || o->ranks.parts) {
        end_of_ranks(state, o);
        return;
    }
    if (!o->method)
        o->method = o->out ? "rcm" : "all";
    if (o->side && sp_reorder_side_from_name(o->side) < 0)
        sp_usage_error(state, "--side takes sym, rows, cols or both, not '%s'", o->side);
    if (sp_reorder_methods_read(o->method, o->side, &o->methods, &err) != SP_OK)
        sp_usage_error(state, "%s", err.what);
    if (o->methods.n == 0)
        sp_usage_error(state, "--method names none");
    if (o->out && o->methods.n == 1 && (o->common.json || o->common.csv || o->patience_s > 0))
        sp_usage_error(state,
                       "--json, --csv and --patience are for the comparison of orders: leave OUT away, "
                       "or name several");
}

static void take_format(struct argp_state *state, struct options *o, const char *arg)
{
    struct sp_error err;
    struct sp_workload w = {0};
    if (sp_workload_set_format(&w, arg, &err) != SP_OK)
        sp_usage_error(state, "%s", err.what);
    if (sp_format_of(w.format)->in_chunks && sp_format_of(w.format)->by_lengths) {
        o->workload.C = w.C;
        o->workload.sigma = w.sigma;
    } else if (sp_format_of(w.format)->in_blocks) {
        o->workload.b_h = w.b_h;
        o->workload.b_w = w.b_w;
    } else {
        sp_usage_error(state, "--format takes sell:C,SIGMA and bcsr:RxC here, not '%s'", arg);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct sp_error err;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        o->workload = (struct sp_workload){.C = 32,
                                           .sigma = 256,
                                           .b_h = 4,
                                           .b_w = 4,
                                           .schedule = SP_SCHEDULE_NNZ,
                                           .n_threads = omp_get_max_threads()};
        return 0;
    case KEY_METHOD:
        o->method = arg;
        return 0;
    case KEY_SIDE:
        o->side = arg;
        return 0;
    case KEY_PERMUTATION:
        o->permutation = arg;
        return 0;
    case KEY_COLUMN_PERMUTATION:
        o->column_permutation = arg;
        return 0;
    case KEY_APPLY:
        o->apply = arg;
        return 0;
    case KEY_TO:
        o->to = arg;
        return 0;
    case KEY_INVERSE:
        o->inverse = true;
        return 0;
    case KEY_EXACT:
        o->exact = true;
        return 0;
    case KEY_MACHINE:
        o->machine = arg;
        return 0;
    case KEY_FORMAT:
        take_format(state, o, arg);
        return 0;
    case KEY_SCHEDULE:
        if (sp_workload_set_schedule(&o->workload, arg, &err) != SP_OK)
            sp_usage_error(state, "%s", err.what);
        return 0;
    case 't':
        o->workload.n_threads = sp_pick_threads(state, arg);
        return 0;
    case KEY_RANKS:
        o->ranks.n = (int)sp_take_count(state, "ranks", 1, SP_MAX_RANKS, arg);
        return 0;
    case KEY_PARTITION:
        o->ranks.partition = arg;
        return 0;
    case KEY_PARTS:
        o->ranks.parts = arg;
        return 0;
    case KEY_PATIENCE:
        if (sp_parse_seconds(arg, &o->patience_s) || !(o->patience_s > 0 && o->patience_s < 1e7))
            sp_usage_error(state, "--patience takes a time, for example 5m, not '%s'", arg);
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
        end_of_options(state, o);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- files ---- */

static enum sp_status write_permutations(const struct options *o, const char *method,
                                         const struct sp_permutations *order, struct sp_error *err)
{
    char comment[160];
    enum sp_status status = SP_OK;
    const bool same = order->row_perm == order->col_perm;
    snprintf(comment, sizeof comment, "reordering %s: %s p(i) of the old one", method,
             same ? "row and column i of the new matrix are row and column"
                  : "row i of the new matrix is row");
    if (o->permutation)
        status = sp_permutation_write(o->permutation, order->row_perm, order->n_r, comment, err);
    snprintf(comment, sizeof comment,
             "reordering %s: column i of the new matrix is column p(i) of the old one", method);
    if (status == SP_OK && o->column_permutation)
        status = sp_permutation_write(o->column_permutation, order->col_perm, order->n_c, comment, err);
    return status;
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

/* ---- one order, written ---- */

static void print_places(const char *word, const struct sp_structure *s)
{
    char a[32], b[32];
    int64_t bandwidth = s->lower_bandwidth > s->upper_bandwidth ? s->lower_bandwidth : s->upper_bandwidth;
    sp_print(stdout, "  %-7s bandwidth %11s   profile %17s   mean |i - j| %.4g\n", word,
             sp_text_count(a, sizeof a, bandwidth), sp_text_count(b, sizeof b, s->profile), s->mean_distance);
}

static enum sp_status report(const struct options *o, const struct sp_csr *a, const struct sp_csr *b,
                             const char *method, struct sp_error *err)
{
    struct sp_structure before, after;
    struct sp_reorder_choice choice;
    enum sp_status status = sp_structure_analyse(a, &before, err);
    if (status == SP_OK)
        status = sp_structure_analyse(b, &after, err);
    if (status == SP_OK)
        status = sp_reorder_parse(method, a->n_r, a->n_c, &choice, err);
    if (status != SP_OK)
        return status;
    print_places("before", &before);
    print_places("after", &after);
    sp_reorder_print_elsewhere(choice.side, stdout);
    if (choice.side == SP_REORDER_BOTH && o->permutation && !o->column_permutation)
        sp_print(stdout,
                 "  remark: %s holds the order of the rows;\n"
                 "  --column-permutation FILE writes that of the columns\n",
                 o->permutation);
    return SP_OK;
}

static bool is_told(const struct options *o)
{
    return o->common.verbosity >= 0 && !o->is_stdout_taken;
}

/* The matrix in that order; seconds that it took to find, and of an SpMV (0: not known). */
static enum sp_status write_order(const struct options *o, const struct sp_csr *a, const char *name,
                                  const char *method, const struct sp_permutations *order, double took,
                                  double spmv_s, struct sp_watch *watch, struct sp_error *err)
{
    struct sp_csr b;
    double start = sp_now();
    enum sp_status status = sp_csr_permute(a, order->row_perm, order->col_perm, &sp_allocator_huge, &b, err);
    double applied = sp_now() - start;
    if (status != SP_OK)
        return status;
    status = save(o, &b, watch, err);
    if (status == SP_OK)
        status = write_permutations(o, method, order, err);
    sp_terminal_clear(watch->progress->context);
    if (status == SP_OK && is_told(o)) {
        sp_print(stdout, "%s -> %s   %s, ", name, o->out, method);
        sp_reorder_print_costs(took, applied, spmv_s, o->workload.n_threads, stdout);
        status = report(o, a, &b, method, err);
    }
    sp_csr_free(&b);
    return status;
}

static struct sp_preview_options preview_options(const struct options *o)
{
    const struct sp_workload *w = &o->workload;
    return (struct sp_preview_options){.C = w->C,
                                       .sigma = w->sigma,
                                       .b_h = w->b_h,
                                       .b_w = w->b_w,
                                       .n_threads = w->n_threads,
                                       .schedule = w->schedule,
                                       .block = w->block};
}

static enum sp_status reorder(const struct options *o, const struct sp_csr *a, const char *name,
                              struct sp_watch *watch, struct sp_error *err)
{
    struct sp_permutations order;
    const char *method = o->methods.method[0];
    const struct sp_preview_options structure = preview_options(o);
    double spmv_s = 0;
    watch->what = "timing an SpMV";
    sp_watch_show(watch, -1);
    if (is_told(o) && sp_reorder_spmv_seconds(a, &structure, &spmv_s, NULL) != SP_OK)
        spmv_s = 0; /* the order is what was asked for */
    watch->what = "finding the order";
    sp_watch_show(watch, -1);
    double start = sp_now();
    enum sp_status status = sp_reorder_find(method, a, &order, err);
    if (status == SP_OK)
        status = write_order(o, a, name, method, &order, sp_now() - start, spmv_s, watch, err);
    sp_permutations_free(&order);
    return status;
}

/* ---- rows over ranks ---- */

/* The matrix with each rank's rows, and its part of x, side by side. */
static enum sp_status write_divided(const struct options *o, const struct sp_csr *a, const struct sp_ranks *d,
                                    struct sp_watch *watch, struct sp_error *err)
{
    const struct sp_permutations order = {d->row_perm, d->col_perm, d->n_r, d->n_c};
    struct sp_csr b;
    enum sp_status status = sp_csr_permute(a, d->row_perm, d->col_perm, &sp_allocator_huge, &b, err);
    if (status != SP_OK)
        return status;
    status = save(o, &b, watch, err);
    if (status == SP_OK)
        status = write_permutations(o, o->ranks.partition, &order, err);
    sp_csr_free(&b);
    return status;
}

static enum sp_status divide(const struct options *o, const struct sp_csr *a, const char *name,
                             struct sp_watch *watch, struct sp_error *err)
{
    struct sp_ranks d;
    char took[32];
    watch->what = "dividing the rows";
    sp_watch_show(watch, -1);
    const double start = sp_now();
    enum sp_status status = sp_scaling_divide(o->ranks.partition, a, o->ranks.n, &d, err);
    sp_text_seconds(took, sizeof took, sp_now() - start);
    if (status == SP_OK && o->out)
        status = write_divided(o, a, &d, watch, err);
    if (status == SP_OK)
        status = sp_reorder_ranks_write(&o->ranks, &d, o->out != NULL, err);
    sp_terminal_clear(watch->progress->context);
    if (status == SP_OK && is_told(o)) {
        sp_print(stdout, "%s -> %s   %s over %d rank%s, found in %s\n", name,
                 o->out ? o->out : o->ranks.parts, o->ranks.partition, d.n, d.n == 1 ? "" : "s", took);
        status = sp_reorder_ranks_print(a, &d, o->ranks.partition, watch->progress, stdout, err);
        if (status == SP_OK && o->ranks.parts && a->n_r != a->n_c && d.col_perm)
            sp_print(stdout,
                     "  %s divides x, too, but %s holds the parts of rows alone: read back, it gives\n"
                     "  each rank equally many columns, and another halo\n",
                     o->ranks.partition, o->ranks.parts);
    }
    sp_ranks_free(&d);
    return status;
}

/* ---- several orders, compared ---- */

static enum sp_status compare(const struct options *o, const struct sp_csr *a, const char *name,
                              struct sp_sinks *to, struct sp_watch *watch, struct sp_error *err)
{
    const struct sp_workload *w = &o->workload;
    struct sp_machine machine;
    struct sp_reorder_preview preview;
    enum sp_status status = o->machine
                                ? sp_this_machine(o->machine, w->n_threads, 0, watch->progress, &machine, err)
                                : sp_this_caches(&machine, err);
    if (status != SP_OK)
        return status;
    const struct sp_reorder_preview_options options = {.machine = &machine,
                                                       .structure = preview_options(o),
                                                       .exact = o->exact,
                                                       .patience_s = o->patience_s > 0  ? o->patience_s
                                                                     : o->methods.n > 1 ? patience_s
                                                                                        : INFINITY,
                                                       .progress = watch->progress};
    status = sp_reorder_preview(a, &o->methods, &options, &preview, err);
    sp_terminal_clear(watch->progress->context);
    if (status == SP_OK && to->csv.stream)
        sp_reorder_csv(&preview, to->csv.stream);
    if (status == SP_OK && to->json.stream)
        sp_reorder_json(&preview, &options, name, a, to->json.stream);
    if (status == SP_OK && !o->is_stdout_taken && (o->common.verbosity >= 0 || !o->out)) {
        sp_print(stdout, "%s   %lld x %lld, %lld entries: orders, none of them written%s\n", name,
                 (long long)a->n_r, (long long)a->n_c, (long long)a->n_nz, o->out ? " yet" : "");
        sp_reorder_print(&preview, &options, o->common.verbosity > 0, stdout);
    }
    const struct sp_reorder_line *best =
        status == SP_OK && preview.best >= 0 ? &preview.line[preview.best] : NULL;
    if (status == SP_OK && o->out && !best)
        status =
            sp_fail(err, SP_USAGE, "name a method that can order it", "no method could order the matrix");
    else if (status == SP_OK && o->out)
        status = write_order(o, a, name, best->method, &preview.best_order, best->find_s, preview.spmv_s,
                             watch, err);
    sp_permutations_free(&preview.best_order);
    sp_machine_free(&machine);
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
        sp_print(stream, "  %-16s %s%s%s\n", r->form, r->summary, sp_reordering_absent(r) ? "; absent: " : "",
                 sp_reordering_absent(r) ? sp_reordering_absent(r) : "");
    fputs("A method may be followed by +sym (rows and columns in one order), +rows, +cols or +both (each in "
          "an order of their own).\n",
          stream);
    fclose(stream);
    return help;
}

static enum sp_status check_names(const struct options *o, struct sp_error *err)
{
    const char *const file[] = {o->out, o->apply ? o->to : o->permutation, o->column_permutation,
                                o->ranks.parts};
    enum sp_status status = sp_outputs_claim(file, 4, err);
    if (status != SP_OK)
        return status;
    return o->out ? sp_save_check(o->out, &(struct sp_save_options){0}, err) : SP_OK;
}

/* METIS needs more than applying its order does. */
static enum sp_load_use use_of(const struct options *o)
{
    struct sp_reorder_choice choice;
    const bool writes_one = o->out && o->methods.n == 1;
    const bool is_metis = writes_one &&
                          sp_reorder_parse(o->methods.method[0], 1, 1, &choice, NULL) == SP_OK &&
                          choice.row && choice.row->absent == sp_metis_absent;
    return writes_one && !is_metis ? SP_LOAD_ORDER : SP_LOAD_ORDERS;
}

static enum sp_status run_on_matrix(const struct options *o, struct sp_sinks *to, struct sp_error *err)
{
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, o->common.verbosity);
    struct sp_watch watch = {&progress, "reading the matrix"};
    struct sp_load_options load = {.n_threads = omp_get_max_threads(),
                                   .allocator = &sp_allocator_huge,
                                   .use = use_of(o),
                                   .progress = sp_watch_show,
                                   .interrupted = sp_watch_stop,
                                   .context = &watch};
    struct sp_csr a;
    struct sp_load_facts facts;
    enum sp_status status = sp_matrix_load(o->in, &load, &a, &facts, err);
    sp_terminal_clear(&terminal);
    if (status == SP_OK && o->ranks.partition)
        status = divide(o, &a, facts.name, &watch, err);
    else if (status == SP_OK && o->out && o->methods.n == 1)
        status = reorder(o, &a, facts.name, &watch, err);
    else if (status == SP_OK)
        status = compare(o, &a, facts.name, to, &watch, err);
    sp_csr_free(&a);
    return status;
}

static const struct argp_option own[] = {
    {"method", KEY_METHOD, "LIST", 0,
     "The reordering (rcm), several separated by commas, or all (without OUT). With OUT and several, the one "
     "of least alpha is written (of least mean |i - j| where alpha is not known); random only where nothing "
     "else is asked for",
     0},
    {"side", KEY_SIDE, "SIDE", 0, "sym, rows, cols or both, for methods that say none themselves", 0},
    {"permutation", KEY_PERMUTATION, "FILE", 0,
     "Write the permutation of the rows too, as a Matrix Market array; read by --apply", 0},
    {"column-permutation", KEY_COLUMN_PERMUTATION, "FILE", 0, "Likewise that of the columns", 0},
    {"machine", KEY_MACHINE, "NAME", 0, "Caches for alpha (default: this machine's, not measured)", 0},
    {"threads", 't', "N", 0, "Threads for lambda, alpha and the SpMV (default: all)", 0},
    {"schedule", KEY_SCHEDULE, "S", 0, "rows, nnz (default), cyclic[:N], merge", 0},
    {"format", KEY_FORMAT, "F", 0, "sell:C,SIGMA for beta (32,256), bcsr:RxC for n_e (4x4)", 0},
    {"patience", KEY_PATIENCE, "TIME", 0,
     "Compared with others, each order of METIS may take so long (default 60s)", 0},
    {"exact", KEY_EXACT, NULL, 0, "alpha of every line and all blocks, not of samples", 0},
    {&SP_O_RANKS[2], KEY_RANKS, "N", 0,
     "Divide the rows over so many MPI ranks; OUT has each rank's rows, and its part of x, together", 0},
    {&SP_O_PARTITION[2], KEY_PARTITION, "P", 0,
     "With --ranks: rows (default), nnz, metis, scotch, or a file with the part of each row", 0},
    {"parts", KEY_PARTS, "FILE", 0,
     "With --ranks: write the part of each row, of OUT where it is written, else of IN; read by --partition",
     0},
    {"apply", KEY_APPLY, "VECTOR", 0, "Put a vector into the order of --permutation FILE, to --to OUT", 1},
    {"to", KEY_TO, "OUT", 0, "The vector in its new order", 1},
    {"inverse", KEY_INVERSE, NULL, 0, "Back into the order before", 1},
    {0}};
static const struct argp_child children[] = {
    {&sp_common_csv_argp, 0, "Common options:", 90}, {&sp_memory_argp, 0, NULL, 90}, {0}};
static const struct argp argp = {
    own,
    parse,
    .args_doc = "IN [OUT]\n--apply VECTOR --permutation FILE --to OUT",
    .doc = "Compare orders of a matrix before anything is rewritten; give its rows, and mostly its columns, "
           "a new order and write it; do the same to vectors.\v",
    .children = children,
    .help_filter = method_help};

static int run(int argc, char **argv)
{
    struct options o = {0};
    struct sp_error err;
    sp_parse(&argp, argc, argv, &o);
    struct sp_sinks to;
    enum sp_status status = check_names(&o, &err);
    if (status == SP_OK)
        status = sp_sinks_open(o.common.csv, o.common.json, &to, &err);
    if (status != SP_OK)
        return sp_report_error(&err);
    o.is_stdout_taken = to.on_stdout;
    status =
        o.apply ? reorder_apply(o.apply, o.permutation, o.to, o.inverse, &err) : run_on_matrix(&o, &to, &err);
    return sp_sinks_close(&to, status == SP_OK ? 0 : sp_report_error(&err));
}

static const struct sp_example examples[] = {
    {"spmodel reorder matrix.mtx", "every order that there is, none of them written", NULL},
    {"spmodel reorder --csv matrix.mtx", "the same as a table for programs", NULL},
    {"spmodel reorder --method rcm --permutation order.mtx matrix.mtx ordered.mtx",
     "reverse Cuthill-McKee, and the permutation that it was", NULL},
    {"spmodel reorder --ranks 4 --partition nnz --parts parts.txt matrix.mtx",
     "which of four MPI ranks has which row, for model and for programs of others", NULL},
    {"spmodel reorder --apply b.mtx --permutation order.mtx --to ordered-b.mtx", "a vector in the same order",
     NULL},
    {0},
};

extern const struct sp_command sp_cmd_reorder;
const struct sp_command sp_cmd_reorder = {
    .name = "reorder",
    .arguments = "IN [OUT]",
    .summary = "compare reorderings, apply one and write the matrix",
    .run = run,
    .page = {&argp, examples, NULL, "analyze sweep convert"},
    .is_measuring = true,
};
