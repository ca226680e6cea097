#include "cli/analyze/run_options.h"

#include <string.h>

#include "base/text.h"

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is run:", 1},
    {NULL, 0, NULL, 0, "How it is observed:", 2},
    {NULL, 0, NULL, 0, "What comes out:", 3},
#define RUN_OPTION SP_ARGP_ROW
#include "base/option/run_options.inc"
    {0},
};

enum sp_option sp_option_of_key(int key)
{
    int i = 0;
    while (i < SP_N_OPTIONS && key != (sp_run_options[i].key ? sp_run_options[i].key : SP_KEY_OPTION + i))
        i++;
    return (enum sp_option)i;
}

int sp_pick(struct argp_state *state, const char *option, const char *arg, const char *words)
{
    const int word = sp_word_among(words, arg);
    char list[200] = "";
    size_t n = 0;
    for (const char *p = words; word < 0 && *p && n + 3 < sizeof list; p++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%c", *p == ' ' ? "," : "", *p);
    if (word < 0)
        sp_usage_error(state, "--%s takes %s, not '%s'", option, list, arg);
    return word < 0 ? 0 : word;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sp_run_options *r = state->input;
    int index;
    int64_t n;
    switch (key) {
    case SP_KEY_OF(FORMAT):
        r->analyze.format = arg;
        r->format_given = true;
        return 0;
    case SP_KEY_OF(PRECISION):
        r->analyze.precision = sp_precision_from_name(arg);
        if (r->analyze.precision < 0)
            sp_usage_error(state, "--precision takes f64, f32, mixed, c128, f16 or bf16, not '%s'", arg);
        return 0;
    case SP_KEY_OF(INDEX):
        index = sp_index_from_name(arg);
        if (index < 0)
            sp_usage_error(state, "--index takes i32, i64 or d16, not '%s'", arg);
        r->analyze.index = (enum sp_index)index;
        r->index_given = true;
        return 0;
    case SP_KEY_OF(PREFETCH):
        if (sp_parse_count(arg, &n) || n < 0 || n > SP_MAX_PREFETCH)
            sp_usage_error(state, "--prefetch takes a number of entries from 0 to %d, not '%s'",
                           (int)SP_MAX_PREFETCH, arg);
        else
            r->analyze.prefetch = (int32_t)n;
        return 0;
    case SP_KEY_OF(SCHEDULE):
        r->analyze.schedule = arg;
        r->schedule_given = true;
        return 0;
    case SP_KEY_OF(STORE):
        r->analyze.store_nt = (enum sp_choice)sp_pick_of(state, SP_OPTION_STORE, arg);
        return 0;
    case SP_KEY_OF(REORDER):
        r->reorder = arg;
        return 0;
    case SP_KEY_OF(COLD):
        if (r->analyze.state == SP_BETWEEN)
            sp_usage_error(state, "--cold and --between exclude each other");
        r->analyze.state = SP_COLD;
        return 0;
    case SP_KEY_OF(MACHINE):
        r->machine = r->analyze.machine_name = arg;
        return 0;
    case 'o':
        r->output.directory = arg;
        return 0;
    case SP_KEY_OF(NO_HINTS):
        r->analyze.no_hints = true;
        return 0;
    case SP_KEY_OF(NO_PLOTS):
        r->output.no_plots = true;
        return 0;
    case SP_KEY_OF(HTML):
        r->output.html_name = arg;
        return 0;
    case SP_KEY_OF(STRICT):
        r->output.strict = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp sp_run_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};
