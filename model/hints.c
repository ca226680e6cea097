#include "model/hints.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/hint_rules.h"

static const double default_threshold = 0.03;

const struct sp_hint_rule *const sp_hint_table[] = {
    &sp_hint_x_traffic,       &sp_hint_x_duplication, &sp_hint_prefetch,
    &sp_hint_stripes,         &sp_hint_imbalance,     &sp_hint_in_core,
    &sp_hint_below_model,     &sp_hint_padding,       &sp_hint_index_bytes,
    &sp_hint_symmetric,       &sp_hint_precision,     &sp_hint_blocks,
    &sp_hint_width,           &sp_hint_zeros,         &sp_hint_threads,
    &sp_hint_pages,           &sp_hint_numa,          &sp_hint_write_allocate,
    &sp_hint_level,           &sp_hint_gpu_format,    &sp_hint_gpu_launch,
    &sp_hint_gpu_persistence, &sp_hint_gpu_order,     &sp_hint_gpu_divergence,
    &sp_hint_gpu_units,       &sp_hint_gpu_tiles,     NULL,
};
static_assert(sizeof sp_hint_table / sizeof *sp_hint_table - 1 <= SP_MAX_HINTS, "SP_MAX_HINTS is too small");

void sp_hint_inputs_init(struct sp_hint_inputs *in)
{
    memset(in, 0, sizeof *in);
    in->matrix = in->options = "";
    in->level = "MEM";
    in->reorder = "rcm";
    in->threshold = default_threshold;
    in->n_threads = in->n_domains = 1;
    in->r = 1;
    in->C = 1;
    in->sigma = 1;
}

const char *sp_confidence_name(enum sp_confidence confidence)
{
    static const char *const names[] = {"low", "medium", "high"};
    return names[confidence];
}

const struct sp_hint_rule *sp_hint_rule_find(const char *id)
{
    for (const struct sp_hint_rule *const *rule = sp_hint_table; *rule; rule++)
        if (strcasecmp((*rule)->id, id) == 0)
            return *rule;
    return NULL;
}

/* Insertion keeps rules of equal gain in the order of the table. */
static void insert(struct sp_hints *out, const struct sp_hint *hint)
{
    int at = out->n_hints;
    double gain = hint->gain_lo + hint->gain_hi;
    while (at > 0 && out->hint[at - 1].gain_lo + out->hint[at - 1].gain_hi < gain) {
        out->hint[at] = out->hint[at - 1];
        at--;
    }
    out->hint[at] = *hint;
    out->n_hints++;
}

void sp_hints_find(const struct sp_hint_inputs *in, struct sp_hints *out)
{
    memset(out, 0, sizeof *out);
    snprintf(out->options, sizeof out->options, "%s", in->options);
    for (const struct sp_hint_rule *const *rule = sp_hint_table; *rule; rule++) {
        struct sp_hint hint = {.id = (*rule)->id, .title = (*rule)->title, .rule_version = (*rule)->version};
        if ((*rule)->spmv_only && in->op != SP_OP_SPMV)
            continue;
        struct sp_checked *checked = &out->checked[out->n_checked];
        switch ((*rule)->judge(in, &hint, checked)) {
        case SP_FIRES:
            assert(hint.gain_lo >= 0 && hint.gain_lo <= hint.gain_hi && hint.gain_hi < 1);
            insert(out, &hint);
            break;
        case SP_CLEAR:
            assert((*rule)->check);
            checked->id = (*rule)->id;
            snprintf(checked->check, sizeof checked->check, "%s", (*rule)->check);
            out->n_checked++;
            break;
        case SP_SILENT:
            break;
        }
    }
}
