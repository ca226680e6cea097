#include "cli/analyze/run_options.h"

#include <string.h>

#include "base/text.h"

enum {
    KEY_FORMAT = SP_KEY_PRIVATE + 0x100,
    KEY_PRECISION,
    KEY_INDEX,
    KEY_PREFETCH,
    KEY_SCHEDULE,
    KEY_STORE,
    KEY_REORDER,
    KEY_COLD,
    KEY_MACHINE,
    KEY_NO_HINTS,
    KEY_NO_PLOTS,
    KEY_HTML,
    KEY_STRICT
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is run:", 1},
    {"format", KEY_FORMAT, "F", 0,
     "crs (default), sell[:C,SIGMA], sellu[:C,SIGMA] (unit-stride slots), bcsr[:RxC], half, striped[:W] "
     "(stripes of columns), coo, tiled[:T_I,T_K], staged[:T_I,T_K]; analyze also auto, all",
     1},
    {"precision", KEY_PRECISION, "P", 0,
     "f64 (default), f32, c128 (default for complex matrices); spmv also mixed (values f32, vectors f64); "
     "spmm and sddmm also f16, bf16 (storage)",
     1},
    {"index", KEY_INDEX, "I", 0,
     "i32 (default), i64, or d16: 16-bit offsets from a base (spmv in crs and sell)", 1},
    {"prefetch", KEY_PREFETCH, "N", 0,
     "Prefetch gathered x N entries ahead, for example 64 (spmv in crs and sell; default 0: not at all)", 1},
    {"schedule", KEY_SCHEDULE, "S", 0, "rows (default of import), nnz (of analyze), cyclic[:N], merge", 1},
    {"reorder", KEY_REORDER, "R", 0, "none (default), rcm, reversed, random:SEED, jaccard[:B], jaccard2[:B]",
     1},
    {"store", KEY_STORE, "HOW", 0, "auto (default), nt (non-temporal), plain: how y is written", 1},
    {NULL, 0, NULL, 0, "How it is observed:", 2},
    {"cold", KEY_COLD, NULL, 0, "Caches are emptied before each execution", 2},
    {"machine", KEY_MACHINE, "M", 0,
     "Ceilings from a machine file or a name; default: this machine, measured once", 2},
    {NULL, 0, NULL, 0, "What comes out:", 3},
    {"out", 'o', "DIR", 0, "Directory for record and plots (default: this one)", 3},
    {"html", KEY_HTML, "FILE", 0,
     "Also write the report as one HTML page that needs no other file; - is standard output. Plots in it "
     "need gnuplot",
     3},
    {"no-hints", KEY_NO_HINTS, NULL, 0, "Leave out the comparison with other formats, schedules and orders",
     3},
    {"no-plots", KEY_NO_PLOTS, NULL, 0,
     "Draw nothing: write the record only, and --html's page without plots", 3},
    {"strict", KEY_STRICT, NULL, 0, "Exit code 6 when a measurement is flagged as not trustworthy", 3},
    {0},
};

int sp_pick(struct argp_state *state, const char *option, const char *arg, const char *const *words)
{
    char list[200] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], arg) == 0)
            return i;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
    }
    sp_usage_error(state, "--%s takes %s, not '%s'", option, list, arg);
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const char *const store_words[] = {"auto", "nt", "plain", NULL};
    struct sp_run_options *r = state->input;
    int index;
    int64_t n;
    switch (key) {
    case KEY_FORMAT:
        r->analyze.format = arg;
        r->format_given = true;
        return 0;
    case KEY_PRECISION:
        r->analyze.precision = sp_precision_from_name(arg);
        if (r->analyze.precision < 0)
            sp_usage_error(state, "--precision takes f64, f32, mixed, c128, f16 or bf16, not '%s'", arg);
        return 0;
    case KEY_INDEX:
        index = sp_index_from_name(arg);
        if (index < 0)
            sp_usage_error(state, "--index takes i32, i64 or d16, not '%s'", arg);
        r->analyze.index = (enum sp_index)index;
        r->index_given = true;
        return 0;
    case KEY_PREFETCH:
        if (sp_parse_count(arg, &n) || n < 0 || n > SP_MAX_PREFETCH)
            sp_usage_error(state, "--prefetch takes a number of entries from 0 to %d, not '%s'",
                           (int)SP_MAX_PREFETCH, arg);
        else
            r->analyze.prefetch = (int32_t)n;
        return 0;
    case KEY_SCHEDULE:
        r->analyze.schedule = arg;
        r->schedule_given = true;
        return 0;
    case KEY_STORE:
        r->analyze.store_nt = (enum sp_choice)sp_pick(state, "store", arg, store_words);
        return 0;
    case KEY_REORDER:
        r->reorder = arg;
        return 0;
    case KEY_COLD:
        if (r->analyze.state == SP_BETWEEN)
            sp_usage_error(state, "--cold and --between exclude each other");
        r->analyze.state = SP_COLD;
        return 0;
    case KEY_MACHINE:
        r->machine = r->analyze.machine_name = arg;
        return 0;
    case 'o':
        r->output.directory = arg;
        return 0;
    case KEY_NO_HINTS:
        r->analyze.no_hints = true;
        return 0;
    case KEY_NO_PLOTS:
        r->output.no_plots = true;
        return 0;
    case KEY_HTML:
        r->output.html_name = arg;
        return 0;
    case KEY_STRICT:
        r->output.strict = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp sp_run_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};
