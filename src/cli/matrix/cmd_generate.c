#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "io/matrix/matrix_load.h"
#include "sparse/generate/generate.h"
#include "sys/machine/pages.h"

enum { KEY_GENERAL = SP_KEY_PRIVATE, KEY_LIKE, KEY_SCALE, KEY_SEED, KEY_FEATURES };

struct options {
    struct sp_common_options common;
    const char *kind, *out;
    const char *like, *features; /* instead of a kind: what it is to be like, where to write that */
    int64_t scale, seed;
    struct sp_save_options save;
};

static void check(struct options *o, struct argp_state *state)
{
    if (!o->like && (o->features || o->scale > 0 || o->seed >= 0))
        sp_usage_error(state, "--features, --scale and --seed need --like");
    if (o->like && o->kind && o->out)
        sp_usage_error(state, "with --like there is one output, and no KIND");
    if (o->like && o->kind) {
        o->out = o->kind;
        o->kind = NULL;
    }
    if (o->like && !o->out && !o->features)
        sp_usage_error(state, "--like needs an output: OUT, or --features FILE");
    if (o->out && !o->kind && !o->like)
        sp_usage_error(state, "--output needs a KIND");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        return 0;
    case 'o':
        o->out = arg;
        return 0;
    case KEY_GENERAL:
        o->save.general = true;
        return 0;
    case KEY_LIKE:
        o->like = arg;
        return 0;
    case KEY_FEATURES:
        o->features = arg;
        return 0;
    case KEY_SCALE:
        o->scale = sp_take_count(state, "scale", 1, INT64_MAX, arg);
        return 0;
    case KEY_SEED:
        o->seed = sp_take_count(state, "seed", 0, INT64_MAX, arg);
        return 0;
    case ARGP_KEY_ARG:
        if (o->kind)
            sp_usage_error(state, "one KIND, please");
        o->kind = arg;
        return 0;
    case ARGP_KEY_END:
        check(o, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void list_kinds(void)
{
    struct sp_generator_info info;
    for (int i = 0; sp_generator_get(i, &info); i++)
        sp_print(stdout, "%-34s %s\n%34s e.g. gen:%s\n", info.form, info.summary, "", info.example);
    fputs("\nFollowed by any of\n", stdout);
    for (int i = 0; sp_generator_modifier_get(i, &info); i++)
        sp_print(stdout, "%-34s %s\n", info.form, info.summary);
    fputs("\nEvery command takes gen:KIND in place of a file: spmodel analyze gen:laplace3d:120\n"
          "To a file:  spmodel generate laplace2d:100+permuted:7 -o mesh.mtx.gz\n"
          "Like another matrix, 8 times its size:  spmodel generate --like A.mtx --scale 8 OUT.mtx,\n"
          "or in place of a file gen:like:A.mtx:8 (gen:like:FILE[:SCALE[:SEED]])\n",
          stdout);
}

/* Without a file to write: what the matrix would be, known before it is made. */
static int estimate(const struct options *o)
{
    struct sp_error err;
    int64_t n_r, n_c, n_nz;
    double bytes;
    char a[32], b[32], c[32], d[32];
    enum sp_status status =
        strcspn(o->kind, ":") == 4 && strncmp(o->kind, "like", 4) == 0
            ? sp_fail(&err, SP_USAGE, "give -o FILE", "the size of a twin is known only once it is made")
            : sp_generate_estimate(o->kind, &n_r, &n_c, &n_nz, &err);
    if (status == SP_OK)
        status = sp_generate_bytes(o->kind, &bytes, &err);
    if (status != SP_OK)
        return sp_report_error(&err);
    sp_print(stdout,
             "gen:%s   %s x %s, at most %s nonzeros, %s of memory to make it\n"
             "nothing was written: give -o FILE, or use gen:%s in place of a file\n",
             o->kind, sp_text_count(a, sizeof a, n_r), sp_text_count(b, sizeof b, n_c),
             sp_text_count(c, sizeof c, n_nz), sp_text_bytes(d, sizeof d, bytes), o->kind);
    return 0;
}

static void print_result(const struct options *o, const char *name, const struct sp_csr *a, double made_s,
                         double written_s)
{
    char n[4][32];
    sp_print(stdout, "%s   %s x %s, %s nonzeros -> %s   made in %s", name,
             sp_text_count(n[0], sizeof n[0], a->n_r), sp_text_count(n[1], sizeof n[1], a->n_c),
             sp_text_count(n[2], sizeof n[2], a->n_nz), o->out, sp_text_seconds(n[3], sizeof n[3], made_s));
    sp_print(stdout, ", written in %s\n", sp_text_seconds(n[3], sizeof n[3], written_s));
}

/* The statistics of o->like to a file. */
static enum sp_status write_features(const struct options *o, const struct sp_load_options *load,
                                     struct sp_error *err)
{
    struct sp_twin *twin;
    enum sp_status status = sp_twin_load(o->like, load, &twin, err);
    if (status == SP_OK)
        status = sp_twin_file_write(o->features, twin, err);
    if (status == SP_OK && o->common.verbosity >= 0)
        sp_print(stdout, "what %s is like -> %s\n", o->like, o->features);
    free(twin);
    return status;
}

static enum sp_status make(struct options *o, const char *name, const struct sp_load_options *load,
                           struct sp_watch *watch, struct sp_terminal *terminal, struct sp_error *err)
{
    struct sp_csr a;
    double start = sp_now();
    enum sp_status status = sp_matrix_load(name, load, &a, NULL, err);
    double made = sp_now();
    watch->what = "writing the matrix";
    if (status == SP_OK && sp_watch_stop(watch))
        status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted before anything was written");
    if (status == SP_OK)
        status = sp_save(o->out, &a, &o->save, err);
    sp_terminal_clear(terminal);
    if (status == SP_OK && o->common.verbosity >= 0)
        print_result(o, name, &a, made - start, sp_now() - made);
    sp_csr_free(&a);
    return status;
}

static enum sp_status write_files(struct options *o, struct sp_error *err)
{
    char name[1400];
    if (o->like)
        snprintf(name, sizeof name, "gen:like:%s:%lld:%lld", o->like,
                 o->scale > 0 ? (long long)o->scale : 1LL, o->seed >= 0 ? (long long)o->seed : 1LL);
    else
        snprintf(name, sizeof name, "gen:%s", o->kind);
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, o->common.verbosity);
    struct sp_watch watch = {&progress, "making the matrix"};
    struct sp_load_options load = {.n_threads = omp_get_max_threads(),
                                   .allocator = &sp_allocator_huge,
                                   .progress = sp_watch_show,
                                   .interrupted = sp_watch_stop,
                                   .context = &watch};
    sp_watch_show(&watch, -1);
    o->save.n_threads = load.n_threads;
    o->save.progress = sp_watch_show;
    o->save.interrupted = sp_watch_stop;
    o->save.context = &watch;
    enum sp_status status = SP_OK;
    if (o->features)
        status = write_features(o, &load, err);
    if (status == SP_OK && o->out)
        status = make(o, name, &load, &watch, &terminal, err);
    sp_terminal_clear(&terminal);
    return status;
}

static const struct argp_option own[] = {
    {"output", 'o', "FILE", 0, "Write it; the ending says how: " SP_SAVE_FORMATS, 0},
    {"general", KEY_GENERAL, NULL, 0, "Text: write all entries, also of a symmetric matrix", 0},
    {"like", KEY_LIKE, "MATRIX", 0,
     "Make a twin: lengths of rows and columns, places, reuse and symmetry as in MATRIX, or as in FILE.json "
     "of --features",
     0},
    {"scale", KEY_SCALE, "K", 0, "K times the rows and columns of --like (1)", 0},
    {"seed", KEY_SEED, "S", 0, "Another twin of the same kind (1)", 0},
    {"features", KEY_FEATURES, "FILE", 0,
     "Write what --like is like, as statistics without its entries: JSON", 0},
    {0}};
static const struct argp_child children[] = {
    {&sp_common_argp, 0, "Common options:", 90}, {&sp_memory_argp, 0, NULL, 90}, {0}};
static const struct argp argp = {
    own, parse, .args_doc = "[KIND]\n--like MATRIX [--scale K] OUT",
    .doc =
        "Make a matrix from a formula and a seed, or one that is like another. Without KIND: list the kinds.",
    .children = children};

static int run(int argc, char **argv)
{
    struct options o = {.seed = -1};
    struct sp_error err;
    sp_parse(&argp, argc, argv, &o);
    if (!o.kind && !o.like) {
        list_kinds();
        return 0;
    }
    if (o.kind && strncmp(o.kind, "gen:", 4) == 0)
        o.kind += 4;
    if (!o.out && !o.like)
        return estimate(&o);
    const char *const file[] = {o.out, o.features};
    if (sp_outputs_claim(file, 2, &err) != SP_OK || (o.out && sp_save_check(o.out, &o.save, &err) != SP_OK))
        return sp_report_error(&err);
    return write_files(&o, &err) == SP_OK ? 0 : sp_report_error(&err);
}

static const struct sp_example examples[] = {
    {"spmodel generate", "the kinds, their parameters and modifiers", NULL},
    {"spmodel generate laplace3d:20+permuted:7 -o mesh.mtx", "a mesh whose numbering was lost", NULL},
    {"spmodel generate --like matrix.mtx --scale 2 twin.mtx",
     "a matrix like another one, with twice its rows", NULL},
    {0},
};

extern const struct sp_command sp_cmd_generate;
const struct sp_command sp_cmd_generate = {
    .name = "generate",
    .arguments = "[KIND]",
    .summary = "make a synthetic matrix; without KIND: list the kinds",
    .run = run,
    .page = {&argp, examples, NULL, "info convert input"},
};
