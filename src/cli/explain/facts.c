#include "cli/explain/facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "cli/explain/derived.h"
#include "cli/explain/explain_ecm.h"

const char sp_fact_not_here[] = "this record does not hold it";

struct sp_fact sp_fact_of(struct sp_value value, const char *unit, const char *from)
{
    struct sp_fact f = {.value = value, .unit = unit, .word = sp_origin_name(value.origin)};
    snprintf(f.from, sizeof f.from, "%s", from);
    return f;
}

struct sp_fact sp_fact_counted(double x, const char *from)
{
    struct sp_fact f = sp_fact_of(sp_value_of(x, SP_STATED), "1", from);
    f.word = "counted";
    return f;
}

struct sp_fact sp_fact_unknown(const char *why, const char *unit, const char *from)
{
    return sp_fact_of(sp_value_none(why), unit, from);
}

/* Losses are bare numbers; on whose word stands beside them: "modelled: 233 MB at the roof of MEM". */
static enum sp_origin origin_of_loss(const struct sp_record *r, const char *path)
{
    char how[96], word[16] = "";
    const char *text;
    snprintf(how, sizeof how, "losses_origin.%s", path + strlen("losses."));
    if (sp_record_text(r, how, &text))
        snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ": "), text);
    enum sp_origin origin = sp_origin_from_name(word);
    return origin != SP_NONE ? origin : SP_MODELLED;
}

struct sp_fact sp_fact_at(const struct sp_record *r, const char *path, const char *unit)
{
    const json_t *node = sp_record_node(r, path);
    if (json_is_number(node) && strncmp(path, "losses.", 7) == 0)
        return sp_fact_of(sp_value_of(json_number_value(node), origin_of_loss(r, path)), unit, path);
    if (json_is_number(node)) {
        struct sp_fact f = sp_fact_counted(json_number_value(node), path);
        f.unit = unit;
        return f;
    }
    if (!json_is_object(node))
        return sp_fact_unknown(sp_fact_not_here, unit, path);
    struct sp_value v = sp_record_value_of(node);
    if (!sp_value_known(v) && !v.why)
        v.why = sp_fact_not_here;
    const char *own = json_string_value(json_object_get(node, "unit"));
    return sp_fact_of(v, own ? own : unit, path);
}

static const struct symbol {
    const char *name, *unit;
    const char *path; /* of a value, a count or a number */
} symbols[] = {
    {"n_r", "1", "problem.rows"},
    {"n_c", "1", "problem.cols"},
    {"n_nz", "1", "problem.nnz"},
    {"C", "1", "config.C"},
    {"sigma", "1", "config.sigma"},
    {"n", "1", "config.threads"},
    {"V", "B", "metrics.bytes"},
    {"V_min", "B", "metrics.bytes_min"},
    {"V_read", "B", "metrics.bytes_read"},
    {"V_write", "B", "metrics.bytes_written"},
    {"V_0", "B", "metrics.bytes_alpha_zero"},
    {"B_C", "B/flop", "metrics.balance"},
    {"alpha", "1", "metrics.alpha"},
    {"alpha_min", "1", "metrics.alpha_min"},
    {"alpha_simulated", "1", "metrics.alpha_simulated"},
    {"x_loads", "1", "metrics.x_loads"},
    {"beta", "1", "metrics.beta"},
    {"u", "1", "structure.unit_share"},
    {"t", "s", "metrics.time"},
    {"P", "flop/s", "metrics.performance"},
    {"P_core", "flop/s", "metrics.p_core"},
    {"b", "B/s", "metrics.bandwidth"},
    {"lambda_nz", "1", "metrics.lambda_nz"},
    {"lambda_t", "1", "metrics.lambda_t"},
    {"T_OL", "s", "ecm.T_OL"},
    {"T_nOL", "s", "ecm.T_nOL"},
    {"T_none", "s", "ecm.no_overlap"},
    {"T_full", "s", "ecm.full_overlap"},
    {"T_1", "s", "ecm.one_thread"},
    {"f", "1", "ecm.overlap"},
    {"min_traffic", "s", "losses.min_traffic"},
    {"padding", "s", "losses.padding"},
    {"extra_x", "s", "losses.extra_x"},
    {"extra_x_domains", "s", "losses.extra_x_domains"},
    {"imbalance", "s", "losses.imbalance"},
    {"in_core", "s", "losses.in_core"},
    {"core", "s", "losses.core"},
    {"T_gather", "s", "gathers.time"},
    {"roof_gather", "1/s", "gathers.roof"},
    {"beyond_L1", "s", "gathers.beyond_L1"},
    {"waiting", "s", "losses.waiting"},
    {"row_ends", "s", "losses.row_ends"},
    {"row_ends_hidden", "s", "losses.row_ends_hidden"},
    {"team", "s", "losses.team"},
    {"rest", "s", "losses.rest"},
    {"saved", "B", "unfused.saved_predicted"},
    {"V_pair", "B", "unfused.bytes"},
    {"V_fused", "B", "unfused.bytes_fused"},
    {"L1_load", "B", "gpu.L1_load"},
    {"L1_store", "B", "gpu.L1_store"},
    {"L2_load", "B", "gpu.L2_load"},
    {"L2_store", "B", "gpu.L2_store"},
    {"MEM_load", "B", "gpu.memory_load"},
    {"MEM_store", "B", "gpu.memory_store"},
    {"n_h", "1", "layout.stored"},
    {"n_stored", "1", "layout.stored"},
    {"n_index", "1", "layout.indices"},
    {"W_h", "1", "layout.window_rows"},
    {"n_C", "1", "layout.cells"},
    {"L_y", "1", "layout.updated_lines"},
    {"n_b", "1", "layout.blocks"},
    {"n_k", "1", "layout.chunks"},
    {"n_l", "1", "layout.listed"},
    {"m_l", "1", "layout.most_listed"},
    {"resident_warps", "1", "gpu.resident_warps"},
};

static bool derived(const struct sp_derived *d, const struct sp_record *record, const char *symbol,
                    struct sp_fact *fact)
{
    while (d->name && strcmp(d->name, symbol) != 0)
        d++;
    if (d->name)
        *fact = d->of(record);
    return d->name != NULL;
}

bool sp_fact_find(const struct sp_record *record, const char *symbol, struct sp_fact *fact)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (strcmp(symbols[i].name, symbol) == 0) {
            *fact = sp_fact_at(record, symbols[i].path, symbols[i].unit);
            return true;
        }
    return derived(sp_derived_symbols, record, symbol, fact) ||
           derived(sp_stored_symbols, record, symbol, fact) || sp_ecm_fact(record, symbol, fact) ||
           sp_gather_fact(record, symbol, fact);
}

char *sp_fact_number(char *text, size_t size, double x, const char *unit)
{
    const bool bare = !unit || strcmp(unit, "1") == 0, seconds = unit && strcmp(unit, "s") == 0;
    if (bare && fabs(x) < 1e15 && x == floor(x))
        snprintf(text, size, "%.0f", x);
    else if (bare)
        snprintf(text, size, "%.4g", x);
    else if (seconds && x == 0)
        snprintf(text, size, "0 s");
    else if (seconds) {
        struct sp_scale scale = sp_scale_of_seconds(x);
        snprintf(text, size, "%.4g %s", x / scale.factor, scale.prefix);
    } else if (strcmp(unit, "B/flop") == 0 || strcmp(unit, "flop/B") == 0)
        snprintf(text, size, "%.4g %s", x, unit);
    else {
        struct sp_scale scale = sp_scale_of(x);
        const char *rate = strcmp(unit, "1/s") == 0 ? unit + 1 : unit; /* "6.7 G/s" */
        snprintf(text, size, "%.4g %s%s", x / scale.factor, scale.prefix, rate);
    }
    return text;
}
