#include "cli/model/op_options.h"

#include <string.h>

#include "base/text.h"
#include "cli/analyze/run_argp.h"

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is computed:", 4},
#define OP_OPTION SP_ARGP_ROW
#include "base/option/run_options.inc"
    {0},
};

static void set_widths(struct argp_state *state, struct sp_op_options *o, const char *option, const char *arg)
{
    if (o->width_option && strcmp(o->width_option, option) != 0)
        sp_usage_error(state, "--rhs is for spmmv, --inner for spmm, sddmm and fusedmm: give one of the two");
    o->width_option = option;
    o->n_widths = 0;
    for (const char *rest = arg; rest;) {
        char number[16];
        size_t length = strcspn(rest, ",");
        int64_t n = 0;
        if (length < sizeof number) {
            memcpy(number, rest, length);
            number[length] = '\0';
        }
        if (length >= sizeof number || o->n_widths == SP_MOST_WIDTHS || sp_parse_count(number, &n) || n < 1 ||
            n > SP_MAX_WIDTH) {
            sp_usage_error(state, "--%s takes at most %d numbers from 1 to %d, for example 1,2,4,8, not '%s'",
                           option, (int)SP_MOST_WIDTHS, (int)SP_MAX_WIDTH, arg);
            return;
        }
        bool again = false;
        for (int i = 0; i < o->n_widths; i++)
            again = again || o->width[i] == n;
        if (!again)
            o->width[o->n_widths++] = (int32_t)n;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sp_op_options *o = state->input;
    switch (key) {
    case SP_KEY_OF(OP):
        if (sp_op_from_name(arg) < 0)
            sp_usage_error(state, "--op takes spmv, spmmv, spmm, sddmm or fusedmm, not '%s'", arg);
        else
            o->op = (enum sp_op)sp_op_from_name(arg);
        o->op_given = true;
        return 0;
    case SP_KEY_OF(RHS):
        set_widths(state, o, "rhs", arg);
        return 0;
    case SP_KEY_OF(INNER):
        set_widths(state, o, "inner", arg);
        return 0;
    case SP_KEY_OF(ORDER):
        if (strcmp(arg, "row") != 0 && strcmp(arg, "column") != 0)
            sp_usage_error(state, "--order takes row or column, not '%s'", arg);
        o->order = strcmp(arg, "column") == 0 ? SP_COLUMN_MAJOR : SP_ROW_MAJOR;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp sp_op_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

enum sp_status sp_op_settle(struct sp_op_options *o, struct sp_error *err)
{
    enum { DEFAULT_RHS = 8, DEFAULT_INNER = 64 };
    if (o->width_option && strcmp(o->width_option, "rhs") == 0 && !o->op_given)
        o->op = SP_OP_SPMMV;
    const char *wanted = o->op == SP_OP_SPMV ? NULL : o->op == SP_OP_SPMMV ? "rhs" : "inner";
    if (o->width_option && (!wanted || strcmp(wanted, o->width_option) != 0))
        return sp_fail(err, SP_USAGE, "--rhs is for --op spmmv, --inner for --op spmm, sddmm and fusedmm",
                       "--%s does not go with --op %s", o->width_option, sp_op_name(o->op));
    if (o->n_widths == 0)
        o->width[o->n_widths++] = o->op == SP_OP_SPMV    ? 1
                                  : o->op == SP_OP_SPMMV ? DEFAULT_RHS
                                                         : DEFAULT_INNER;
    return SP_OK;
}
