#include "plots/gpu_ways.h"

#include <math.h>

#include "base/figures.h"
#include "io/record/record_words.h"

static const char *const level_names[SP_N_WAY_LEVELS] = {"L1", "L2", "MEM"};

/* Bytes of a band as an interval of intensity. */
static struct sp_way_point point_of(double work, struct sp_value bytes)
{
    if (!sp_value_known(bytes) || !(bytes.value > 0))
        return (struct sp_way_point){0};
    return (struct sp_way_point){work / bytes.value, work / bytes.hi,
                                 bytes.lo > 0 ? work / bytes.lo : INFINITY};
}

static bool read_way(const json_t *item, double work, struct sp_gpu_way_drawn *w)
{
    const struct sp_value time = sp_record_value_of(json_object_get(item, "time"));
    const json_t *bytes = json_object_get(item, "levels");
    const char *name = sp_item_text(item, "name"), *bound = sp_item_text(item, "bound_by");
    char rate[32];
    if (!sp_value_known(time) || !(time.value > 0) || !bytes)
        return false;
    *w = (struct sp_gpu_way_drawn){.y = work / time.value / 1e9};
    w->y_lo = w->y_hi = w->y;
    w->is_bound = json_is_true(json_object_get(item, "upper_bound"));
    for (int k = 0; k < SP_N_WAY_LEVELS; k++)
        w->at[k] = point_of(work, sp_record_value_of(json_object_get(bytes, level_names[k])));
    snprintf(w->text, sizeof w->text, "%s  %s%s Gflop/s, %s", name ? name : "?", w->is_bound ? "≥ " : "",
             sp_figure(rate, sizeof rate, w->y, 3),
             w->is_bound ? "all in the L2"
             : bound     ? bound
                         : "?");
    return w->at[SP_WAY_L2].x > 0 || w->at[SP_WAY_MEM].x > 0;
}

/* Counted where both directions were, else modelled. */
static struct sp_value measured_bytes(const struct sp_record *record, const char *read, const char *written,
                                      struct sp_value otherwise)
{
    const struct sp_value in = sp_record_value(record, read), out = sp_record_value(record, written);
    return sp_value_known(in) && sp_value_known(out) ? sp_value_sum(in, out) : otherwise;
}

/* What is added in the L2 are no stores of the SMs; the model's stores have it. */
static struct sp_value measured_L2(const struct sp_record *record, struct sp_value otherwise)
{
    static const char *const updates[] = {"gpu.counts.l2_reduction", "gpu.counts.l2_atomic"};
    const struct sp_value none = sp_value_none("not counted");
    struct sp_value all = measured_bytes(record, "gpu.counts.l2_read", "gpu.counts.l2_write", none);
    if (!sp_value_known(all))
        return otherwise;
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        const struct sp_value more = sp_record_value(record, updates[i]);
        if (sp_value_known(more))
            all = sp_value_sum(all, more);
    }
    return all;
}

static const char *name_of_kernel(const struct sp_record *record)
{
    const json_t *ways = sp_record_node(record, "gpu.ways"), *item;
    size_t i;
    json_array_foreach(ways, i, item)
    {
        if (json_is_true(json_object_get(item, "chosen")) && sp_item_text(item, "name"))
            return sp_item_text(item, "name");
    }
    return sp_words_text(record, "config.kernel", "kernel");
}

/* The kernel that ran: its rate is measured, its bytes are counted where that was possible. */
static bool read_measured(const struct sp_record *record, double work, struct sp_gpu_way_drawn *w)
{
    const struct sp_value rate = sp_record_metric(record, "performance");
    char figure[32];
    if (rate.origin != SP_MEASURED)
        return false;
    const struct sp_value none = sp_value_none("not in the record");
    const struct sp_value L2_B = measured_bytes(record, "gpu.L2_load", "gpu.L2_store", none),
                          DRAM_B = measured_bytes(record, "gpu.memory_load", "gpu.memory_store", none);
    *w = (struct sp_gpu_way_drawn){
        .measured = true, .y = rate.value / 1e9, .y_lo = rate.lo / 1e9, .y_hi = rate.hi / 1e9};
    const struct sp_value copies = sp_record_value(record, "gpu.L1_copy");
    struct sp_value L1_B = measured_bytes(record, "gpu.L1_load", "gpu.L1_store", none);
    if (sp_value_known(L1_B) && sp_value_known(copies))
        L1_B = sp_value_sum(L1_B, copies);
    w->at[SP_WAY_L1] = point_of(work, L1_B);
    w->at[SP_WAY_L2] = point_of(work, measured_L2(record, L2_B));
    w->at[SP_WAY_MEM] =
        point_of(work, measured_bytes(record, "gpu.counts.dram_read", "gpu.counts.dram_write", DRAM_B));
    snprintf(w->text, sizeof w->text, "%s, measured  %s Gflop/s", name_of_kernel(record),
             sp_figure(figure, sizeof figure, w->y, 3));
    return true;
}

int sp_gpu_ways_read(const struct sp_record *record, struct sp_gpu_way_drawn way[SP_MOST_WAYS_DRAWN])
{
    const json_t *ways = sp_record_node(record, "gpu.ways"), *item;
    const struct sp_value work = sp_record_metric(record, "flops");
    size_t i;
    int n = 0;
    if (!sp_value_known(work) || !(work.value > 0))
        return 0;
    json_array_foreach(ways, i, item)
    {
        if (n < SP_MOST_WAYS_DRAWN - 1 && read_way(item, work.value, &way[n]))
            n++;
    }
    if (n > 0 && read_measured(record, work.value, &way[n]))
        n++;
    for (int k = 0; k < n; k++)
        way[k].number = k + 1;
    return n;
}
