/* What a job of ranks lost: the parts between its time and what its bytes take at the roof of
 * all. */
#include "report/verdict/verdict_parts.h"

/* Own time of a rank: both blocks, each alone; NAN: not known. */
static double own_of(const json_t *rank)
{
    const json_t *median = json_object_get(rank, "median_s");
    return sp_item_number(median, "local") + sp_item_number(median, "remote");
}

static void add(json_t *list, const char *cause, const char *words, double share)
{
    char percent[32], text[160];
    if (!(share >= SP_VERDICT_LEAST))
        return;
    snprintf(text, sizeof text, "%s %s", sp_figure_percent(percent, sizeof percent, share), words);
    json_t *item = sp_verdict_line(text, text);
    json_object_set_new(item, "cause", json_string(cause));
    json_object_set_new(item, "share", sp_verdict_number(share));
    size_t at = 0; /* the largest first */
    while (at < json_array_size(list) && sp_item_number(json_array_get(list, at), "share") >= share)
        at++;
    json_array_insert_new(list, at, item);
}

json_t *sp_verdict_lost_by_ranks(const struct sp_record *record)
{
    const json_t *each = sp_record_node(record, SP_F_RANKS_EACH), *rank;
    const struct sp_value time = sp_record_value(record, SP_F_METRICS_TIME);
    const double reached = sp_verdict_share(record);
    double most = 0, sum = 0;
    size_t i;
    if (json_array_size(each) == 0 || !sp_value_known(time) || !(time.value > 0) || !isfinite(reached))
        return NULL;
    json_array_foreach(each, i, rank)
    {
        most = fmax(most, own_of(rank));
        sum += own_of(rank);
    }
    const double mean = sum / (double)json_array_size(each);
    if (!isfinite(mean) || !(mean > 0))
        return NULL;
    /* Blocks of all, the longest of them, and the product follow each other; where noise or overlap
     * turns two round, the earlier part has both. */
    const double top = fmin(most, time.value), middle = fmin(mean, top), left = 1 - fmin(reached, 1),
                 beside = 1 - middle / time.value, all = beside > left ? left / beside : 1;
    json_t *list = json_array();
    add(list, "exchange", "exchange", all * (time.value - top) / time.value);
    add(list, "imbalance", "waiting for the rank with most work", all * (top - middle) / time.value);
    add(list, "blocks", "both blocks slower than their roof", left - all * beside);
    if (json_array_size(list) == 0)
        json_array_append_new(list,
                              sp_verdict_line("nothing worth naming: no cause takes 0.5 % of the time",
                                              "nothing worth naming: no cause takes 0.5 % of the time"));
    return list;
}
