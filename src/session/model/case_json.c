#include "session/model/case.h"

#include <math.h>
#include <string.h>

#include "io/json_text.h"
#include "io/record/record.h"
#include "model/cache/partition.h"
#include "session/gpu/gpu_analysis.h"
#include "session/record/parts.h"

/* As in records: {"value", "lo", "hi", "unit", "origin"} or {"value": null, "unit", "why"}. */
static json_t *value_json(struct sp_value v, const char *unit)
{
    if (!sp_value_known(v))
        return json_pack("{s:n, s:s, s:s}", "value", "unit", unit, "why", v.why);
    return json_pack("{s:f, s:f, s:f, s:s, s:s}", "value", v.value, "lo", v.lo, "hi", v.hi, "unit", unit,
                     "origin", sp_origin_name(v.origin));
}

bool sp_model_is_here(const struct sp_model_result *r, const struct sp_model_row *row)
{
    return *r->env_key && strcmp(r->env_key, row->machine->env_key) == 0;
}

bool sp_model_is_best(const struct sp_model_result *r, int i)
{
    int first = i, end = i;
    while (first > 0 && r->row[first - 1].machine == r->row[i].machine)
        first--;
    while (end < r->n_rows && r->row[end].machine == r->row[i].machine)
        end++;
    return first + sp_model_best(&r->row[first], end - first) == i;
}

/* The terms of a GPU's time, and the time where the host waits for each execution. */
static void put_times(json_t *o, const struct sp_roof_term term[SP_N_GPU_TERMS], struct sp_value waited_s)
{
    json_t *times = json_object();
    for (int i = 0; i < SP_N_GPU_TERMS; i++)
        json_object_set_new(times, term[i].name, value_json(sp_gpu_term_time(&term[i]), "s"));
    json_object_set_new(o, "time_of", times);
    if (sp_value_known(waited_s))
        json_object_set_new(o, "waited", value_json(waited_s, "s"));
}

/* A GPU kernel: what crosses each level's interface towards the threads and away from them. */
static json_t *gpu_json(const struct sp_gpu_prediction *g)
{
    const struct sp_gpu_traffic *t = &g->traffic;
    json_t *o = json_pack("{s:s, s:i, s:i, s:i, s:I, s:i, s:s}", "map", sp_gpu_map_name(g->launch.map),
                          "lanes", g->launch.lanes, "items", g->launch.items, "block_threads",
                          g->launch.block_threads, "blocks", (json_int_t)g->launch.n_blocks,
                          "resident_blocks", t->occupancy.blocks, "resident_limit", t->occupancy.limit);
    json_object_set_new(o, "L1_load", value_json(t->L1_load_B, "B"));
    json_object_set_new(o, "L1_copy", value_json(t->L1_copy_B, "B"));
    json_object_set_new(o, "L1_store", value_json(t->L1_store_B, "B"));
    if (!isnan(t->use))
        json_object_set_new(o, "L1_load_used", json_real(t->use));
    json_object_set_new(o, "L2_load", value_json(t->L2_load_B, "B"));
    json_object_set_new(o, "L2_store", value_json(t->L2_store_B, "B"));
    json_object_set_new(o, "memory_load", value_json(t->memory_load_B, "B"));
    json_object_set_new(o, "memory_store", value_json(t->memory_store_B, "B"));
    put_times(o, g->term, g->waited_s);
    return o;
}

/* Where gathers come from, and what they take. */
static json_t *gather_json(const struct sp_model_row *row)
{
    json_t *o = sp_gather_json(&row->gather);
    json_object_set_new(o, "wait", value_json(row->gather_wait_s, "s"));
    if (sp_value_known(row->gather.walks_s)) {
        json_object_set_new(o, "walks", value_json(sp_value_of(row->gather.walks, SP_SIMULATED), "1"));
        json_object_set_new(o, "tlb", value_json(row->gather.walks_s, "s"));
    }
    return o;
}

/* What a cache keeps between executions of data that hardly fit, or hardly do not. */
static json_t *kept_json(const struct sp_model_row *row)
{
    const struct sp_value f = row->kept.fetched;
    char level[8];
    snprintf(level, sizeof level, "L%d", row->machine->cache[row->kept.cache].level % 10);
    return json_pack("{s:s, s:o}", "level", level, "share",
                     value_json(sp_value_between(1 - f.value, 1 - f.hi, 1 - f.lo, f.origin), "1"));
}

static json_t *divisions_json(const struct sp_model_row *row, uint32_t arrays)
{
    json_t *list = json_array();
    struct sp_cache named = *sp_machine_llc(row->machine);
    char name[128];
    for (int w = 1; w < row->ways.n; w++) {
        named.partition = (struct sp_way_partition){.ways = w, .arrays = arrays};
        json_array_append_new(list,
                              json_pack("{s:s, s:i, s:o, s:f}", "partition",
                                        sp_partition_cache_text(name, sizeof name, &named), "ways", w, "read",
                                        value_json(sp_value_of(row->ways.read_B[w], SP_SIMULATED), "B"),
                                        "alpha", row->ways.x_B[w] / row->x_B));
    }
    return list;
}

static json_t *ecm_json(const struct sp_model_row *row)
{
    return sp_ecm_json(
        &row->ecm_inputs, &row->ecm,
        (struct sp_ecm_words){row->ecm_has_core ? "P_core" : "arithmetic peak", row->machine->ecm.how});
}

static json_t *row_json(const struct sp_model_result *r, const struct sp_model_row *row, bool best)
{
    char partition[256];
    const double volume_B = r->request->volume_B;
    const struct sp_prediction *p = &row->prediction;
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:s}", "machine", row->machine->name, "format", row->format,
                  "precision", sp_precision_name(row->precision), "threads", row->n_threads, "domains",
                  row->n_domains, "level", p->residence.name, "bound_by", p->binding);
    json_object_set_new(o, "kind", json_string(sp_machine_kind_name(row->machine->kind)));
    if (p->residence.doubt)
        json_object_set_new(o, "level_doubt", json_string(p->residence.doubt));
    if (*row->machine->name)
        json_object_set_new(o, "here", json_boolean(sp_model_is_here(r, row)));
    json_object_set_new(o, "best", json_boolean(best));
    json_object_set_new(o, "alpha", value_json(row->alpha, "1"));
    json_object_set_new(o, "alpha_min", value_json(row->alpha_min, "1"));
    json_object_set_new(o, "beta", value_json(row->beta, "1"));
    if (!isnan(row->unit_share))
        json_object_set_new(o, "unit_share", json_real(row->unit_share));
    json_object_set_new(o, "bytes", value_json(p->volume_B, "B"));
    json_t *arrays = json_object();
    for (int i = 0; i < SP_ARRAY_OTHER; i++)
        json_object_set_new(arrays, sp_array_name((enum sp_array)i), json_real(p->volume.array_B[i]));
    json_object_set_new(o, "array_B", arrays);
    json_object_set_new(o, "bytes_min", value_json(sp_value_of(row->minimum_B, SP_MODELLED), "B"));
    json_object_set_new(o, "balance", value_json(p->balance, "B/flop"));
    json_object_set_new(o, "roof", value_json(p->roof_Bps, "B/s"));
    json_object_set_new(o, "time", value_json(p->roofline.time_s, "s"));
    json_object_set_new(o, "performance", value_json(p->roofline.performance, "flop/s"));
    if (row->units.by) {
        json_object_set_new(o, "expected", value_json(row->expected_s, "s"));
        json_object_set_new(o, "core", value_json(row->units.time_s, "s"));
        json_object_set_new(o, "transfers", value_json(row->transfers_s, "s"));
        json_object_set_new(o, "row_ends", value_json(row->units.surprise_s, "s"));
        json_object_set_new(o, "team", value_json(row->units.team_s, "s"));
        json_object_set_new(o, "core_kernel", json_string(row->units.by->kernel));
    }
    if (row->kept.cache >= 0)
        json_object_set_new(o, "kept", kept_json(row));
    if (sp_value_known(row->saved_B)) {
        json_object_set_new(o, "memory", value_json(row->memory_B, "B"));
        json_object_set_new(o, "saved", value_json(row->saved_B, "B"));
    }
    if (row->ways.n > 0)
        json_object_set_new(o, "divisions", divisions_json(row, r->request->divide));
    if (row->ways.n > 0)
        json_object_set_new(o, "best_ways", json_integer(sp_ways_best(&row->ways)));
    if (*sp_partition_text(partition, sizeof partition, row->machine))
        json_object_set_new(o, "partition", json_string(partition));
    if (row->gather.hits.n_levels > 0)
        json_object_set_new(o, "gather", gather_json(row));
    json_object_set_new(o, "note", json_string(row->note));
    if (row->gpu)
        json_object_set_new(o, "gpu", gpu_json(row->gpu));
    if (row->by_formula)
        put_times(o, row->sizes.term, row->sizes.waited_s);
    if (row->has_ecm)
        json_object_set_new(o, "ecm", ecm_json(row));
    if (volume_B > 0)
        json_object_set_new(o, "from_volume",
                            json_pack("{s:f, s:o, s:f, s:f}", "volume_B", volume_B, "alpha",
                                      value_json(row->inverse.alpha, "1"), "zero_B", row->inverse.zero_B,
                                      "balance_ratio", volume_B / row->minimum_B));
    return o;
}

/* id, time and tool as in records: which command made it, and two outputs told apart. */
static enum sp_status set_identity(const struct sp_model_result *r, json_t *root, struct sp_error *err)
{
    static const char *const keys[] = {"id", "time", "tool"};
    struct sp_record record;
    enum sp_status status = sp_record_new(r->subject->name, &record, err);
    for (size_t i = 0; i < sizeof keys / sizeof *keys && status == SP_OK; i++)
        json_object_set(root, keys[i], json_object_get(record.root, keys[i]));
    json_object_set_new(root, "command", sp_json_string(r->command));
    sp_record_free(&record);
    return status;
}

enum sp_status sp_model_json(const struct sp_model_result *r, json_t **out, struct sp_error *err)
{
    const struct sp_model_subject *s = r->subject;
    json_t *rows = json_array();
    *out = NULL;
    for (int i = 0; i < r->n_rows; i++)
        json_array_append_new(rows, row_json(r, &r->row[i], sp_model_is_best(r, i)));
    json_t *root = json_pack("{s:s, s:{s:o, s:I, s:I, s:I}, s:o}", "schema", "spmodel.model/1", "problem",
                             "name", sp_json_string(s->name), "rows", (json_int_t)s->n_r, "cols",
                             (json_int_t)s->n_c, "nnz", (json_int_t)s->n_nz, "predictions", rows);
    if (root && *r->left_out)
        json_object_set_new(root, "left_out", json_string(r->left_out));
    if (!root)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for the JSON output");
    const enum sp_status status = set_identity(r, root, err);
    if (status == SP_OK)
        *out = root;
    else
        json_decref(root);
    return status;
}
