#include "cli/explain/facts.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "cli/explain/derived.h"
#include "io/record/record_words.h"

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

/* `explain ecm` with a record's numbers: those of its own ECM part line by line, and of records without one
 * what the roofs of their threads make of the bytes of each level. */

#define FROM(interface) "(in_" interface "+w_" interface "*out_" interface ")/b_" interface
#define NO_FIELD        NULL, NULL, NULL, NULL
#define FIELD(name)     name, NULL, NULL, NULL

const struct sp_calculation sp_ecm_of_record[] = {
    {"T_OL", "n*W/P_core", "s", FIELD("ecm.T_OL")},
    {"T_L1L2", FROM("L1L2"), "s", NO_FIELD},
    {"T_L2L3", FROM("L2L3"), "s", NO_FIELD},
    {"T_L3Mem", FROM("L3Mem"), "s", NO_FIELD},
    {"T_1, no overlap", "max(T_OL, T_nOL+T_L1L2+T_L2L3+T_L3Mem)", "s", FIELD("ecm.no_overlap")},
    {"T_1, full overlap", "max(T_OL, T_nOL, T_L1L2, T_L2L3, T_L3Mem)", "s", FIELD("ecm.full_overlap")},
    {"T_1", "f*T_full+(1-f)*T_none", "s", FIELD("ecm.one_thread")},
    {"T_n", "max(T_1/n, T_shared)", "s", FIELD("ecm.time")},
    {"roofline, x as now", "t_seen", "s", NO_FIELD},
    {"measured", "t", "s", FIELD("metrics.time")},
    {0},
};

/* Of machines with two levels of caches. */
static const struct sp_calculation of_two_levels[] = {
    {"T_OL", "n*W/P_core", "s", FIELD("ecm.T_OL")},
    {"T_L1L2", FROM("L1L2"), "s", NO_FIELD},
    {"T_L2Mem", FROM("L2Mem"), "s", NO_FIELD},
    {"T_1, no overlap", "max(T_OL, T_nOL+T_L1L2+T_L2Mem)", "s", FIELD("ecm.no_overlap")},
    {"T_1, full overlap", "max(T_OL, T_nOL, T_L1L2, T_L2Mem)", "s", FIELD("ecm.full_overlap")},
    {"T_1", "f*T_full+(1-f)*T_none", "s", FIELD("ecm.one_thread")},
    {"T_n", "max(T_1/n, T_shared)", "s", FIELD("ecm.time")},
    {"roofline, x as now", "t_seen", "s", NO_FIELD},
    {"measured", "t", "s", FIELD("metrics.time")},
    {0},
};

/* Of what a record holds: its threads' load bandwidth of each level, whose line has passed all levels inside
 * it, so that 1/b_L3 - 1/b_L2 is what the outer interface adds where nothing overlaps. */
static const struct sp_calculation of_roofs[] = {
    {"T_OL = T_core", "W/P_core", "s", NULL, NULL, NULL, NULL},
    {"loads from L2 through L1", "V_L2/b_L2", "s", NULL, NULL, NULL, NULL},
    {"from L3, no overlap", "V_L3*max(1/b_L3-1/b_L2, 0)", "s", NULL, NULL, NULL, NULL},
    {"from memory, no overlap", "V_MEM*max(1/b_MEM-1/b_L3, 0)", "s", NULL, NULL, NULL, NULL},
    {"from memory, no overlap", "V_MEM*max(1/b_MEM-1/b_L2, 0)", "s", NULL, NULL, NULL, NULL},
    {"T_ECM, no overlap", "max(W/P_core, V_L2/b_L2+V_L3*max(1/b_L3-1/b_L2, 0)+V_MEM*max(1/b_MEM-1/b_L3, 0))",
     "s", NULL, NULL, NULL, NULL},
    {"T_ECM, no overlap", "max(W/P_core, V_L2/b_L2+V_MEM*max(1/b_MEM-1/b_L2, 0))", "s", NULL, NULL, NULL,
     NULL},
    {"T_ECM, full overlap", "max(W/P_core, V_L2/b_L2, V_L3/b_L3, V_MEM/b_MEM)", "s", NULL, NULL, NULL, NULL},
    {"T_ECM, full overlap", "max(W/P_core, V_L2/b_L2, V_MEM/b_MEM)", "s", NULL, NULL, NULL, NULL},
    {"measured", "t", "s", "metrics.time", NULL, NULL, NULL},
    {0},
};

const struct sp_calculation *sp_ecm_calculations(const struct sp_calculation *list,
                                                 const struct sp_record *record)
{
    if (list != sp_ecm_of_record)
        return list;
    if (!json_is_object(sp_record_node(record, "ecm")))
        return of_roofs;
    return json_array_size(sp_record_node(record, "ecm.transfers")) == 2 ? of_two_levels : sp_ecm_of_record;
}

/* "L1L2", "L3Mem" */
static bool is_interface(const char *name)
{
    if (name[0] != 'L' || !isdigit((unsigned char)name[1]))
        return false;
    return strcmp(name + 2, "Mem") == 0 ||
           (name[2] == 'L' && isdigit((unsigned char)name[3]) && name[4] == '\0');
}

/* in_, out_, w_, b_ and T_ of an interface: "in_L1L2", "T_L3Mem". False: the symbol is none of them. */
static bool ecm_fact(const struct sp_record *record, const char *symbol, struct sp_fact *fact)
{
    static const struct {
        const char *prefix, *key, *unit;
    } parts[] = {{"in_", "read", "B"},
                 {"out_", "write", "B"},
                 {"b_", "bandwidth", "B/s"},
                 {"w_", "write_weight", "1"},
                 {"T_", "time", "s"}};
    const char *name = strchr(symbol, '_');
    size_t i, k;
    const json_t *one;
    char from[96];
    for (i = 0; i < sizeof parts / sizeof *parts; i++)
        if (name && is_interface(name + 1) && strncmp(symbol, parts[i].prefix, strlen(parts[i].prefix)) == 0)
            break;
    if (i == sizeof parts / sizeof *parts)
        return false;
    json_array_foreach(sp_record_node(record, "ecm.transfers"), k, one)
    {
        const char *its = sp_item_text(one, "name");
        if (!its || strcmp(its, name + 1) != 0)
            continue;
        snprintf(from, sizeof from, "ecm.transfers[%d]: %s, %s", (int)k, its, parts[i].key);
        *fact = sp_fact_of(sp_record_value_of(json_object_get(one, parts[i].key)), parts[i].unit, from);
        return true;
    }
    snprintf(from, sizeof from, "ecm.transfers, %s", name + 1);
    *fact = sp_fact_unknown(sp_fact_not_here, parts[i].unit, from);
    return true;
}

/* What all threads wait for together; one thread waits for nobody. */
struct sp_fact sp_ecm_shared(const struct sp_record *record)
{
    static const char from[] = "ecm.transfers: the longest shared_time";
    const json_t *one, *all = sp_record_node(record, "ecm.transfers");
    const struct sp_fact n = sp_fact_at(record, "config.threads", "1");
    struct sp_value most = sp_value_of(0, SP_MODELLED);
    size_t i;
    if (!all || !sp_value_known(n.value))
        return sp_fact_unknown(sp_fact_not_here, "s", from);
    json_array_foreach(all, i, one)
    {
        const struct sp_value v = sp_record_value_of(json_object_get(one, "shared_time"));
        if (n.value.value > 1 && sp_value_known(v) && v.value > most.value)
            most = v;
    }
    return sp_fact_of(most, "s", n.value.value > 1 ? from : "one thread waits for no other");
}

/* Gathers from a level and their rate: "n_L1", "r_MEM". False: the symbol is none of them. */
static bool gather_fact(const struct sp_record *record, const char *symbol, struct sp_fact *fact)
{
    static const char *const levels[] = {"L1", "L2", "L3", "L4", "MEM"};
    const bool is_rate = symbol[0] == 'r';
    const char *unit = is_rate ? "1/s" : "1";
    const json_t *one;
    char from[96];
    size_t i = 0, k;
    if ((symbol[0] != 'n' && !is_rate) || symbol[1] != '_')
        return false;
    while (i < sizeof levels / sizeof *levels && strcmp(levels[i], symbol + 2) != 0)
        i++;
    if (i == sizeof levels / sizeof *levels)
        return false;
    snprintf(from, sizeof from, "gathers.levels, %s", levels[i]);
    *fact = sp_fact_unknown(sp_fact_not_here, unit, from);
    json_array_foreach(sp_record_node(record, "gathers.levels"), k, one)
    {
        const char *its = sp_item_text(one, "level");
        if (its && strcmp(its, levels[i]) == 0)
            *fact = sp_fact_of(sp_record_value_of(json_object_get(one, is_rate ? "rate" : "gathers")), unit,
                               from);
    }
    return true;
}

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
           derived(sp_stored_symbols, record, symbol, fact) || ecm_fact(record, symbol, fact) ||
           gather_fact(record, symbol, fact);
}
