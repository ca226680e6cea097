/* `explain ecm` with a record's numbers: those of its own ECM part line by line, and of records without one
 * what the roofs of their threads make of the bytes of each level. */
#include "cli/explain/explain_ecm.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/explain/derived.h"
#include "io/record/record_words.h"

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

bool sp_ecm_fact(const struct sp_record *record, const char *symbol, struct sp_fact *fact)
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

bool sp_gather_fact(const struct sp_record *record, const char *symbol, struct sp_fact *fact)
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
