/* An analysis as a record [UX 5]: every number with its origin, everything undefined with its reason. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "session/analysis.h"
#include "session/record_parts.h"

void sp_record_workload(struct sp_record *r, const struct sp_workload *w)
{
    char text[64];
    sp_record_set_text(r, "config.op", sp_op_name(w->op));
    sp_record_set_text(r, "config.format", sp_format_name(w->format));
    sp_record_set_text(r, "config.format_text", sp_workload_format_text(w, text, sizeof text));
    sp_record_set_text(r, "config.format_option", sp_workload_format_option(w, text, sizeof text));
    sp_record_set_count(r, "config.C", w->C);
    sp_record_set_count(r, "config.sigma", w->sigma);
    sp_record_set_text(r, "config.precision", sp_precision_name(w->precision));
    sp_record_set_text(r, "config.index", sp_index_name(w->index));
    if (w->prefetch > 0)
        sp_record_set_count(r, "config.prefetch", w->prefetch);
    sp_record_set_count(r, "config.rhs", w->op == SP_OP_SPMMV ? w->r : 1);
    if (w->op != SP_OP_SPMV && w->op != SP_OP_SPMMV)
        sp_record_set_count(r, "config.inner", w->r);
    if (w->op != SP_OP_SPMV)
        sp_record_set_text(r, "config.order", sp_order_name(w->order));
}

static void record_config(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_workload *w = &a->setup.workload;
    char text[64];
    sp_record_workload(r, w);
    sp_record_set_count(r, "config.threads", w->n_threads);
    for (int t = 0; a->setup.binding.cpu && t < w->n_threads; t++)
        sp_record_append(r, "config.pin", json_integer(a->setup.binding.cpu[t]));
    if (!sp_analysis_is_replayed(a))
        sp_record_set_flag(r, "config.pinned", a->setup.binding.pinned);
    sp_record_set_text(r, "config.schedule", sp_workload_schedule_text(w, text, sizeof text));
    sp_record_set_text(r, "config.device", "cpu");
    static const char *const states[] = {"warm", "cold", "between"};
    sp_record_set_text(r, "config.cache", states[a->options->state]);
    const struct sp_byte_source *bytes = a->options->bytes;
    const char *recorded = bytes && bytes->replayed ? sp_recording_config(&bytes->recording, "kernel") : NULL;
    sp_record_set_text(r, "config.kernel",
                       a->setup.kernel ? a->setup.kernel->name
                       : recorded      ? recorded
                                       : "recorded");
    sp_record_set_flag(r, "config.store_nt", a->setup.facts.store_nt);
    sp_record_set_text(r, "config.pages", a->options->small_pages ? "small" : "huge");
    sp_record_set_text(r, "config.bytes", sp_analysis_is_counted(a) ? bytes->name : "sim");
    sp_record_set_count(r, "config.runs", a->options->n_runs > 1 ? a->options->n_runs : 1);
    sp_record_set_number(r, "config.budget_s", a->options->budget_s);
    sp_record_set_count(r, "config.max_samples", a->options->max_samples);
    sp_record_set_count(r, "config.seed", (int64_t)a->options->seed);
}

static void record_roofs(const struct sp_analysis *a, struct sp_record *r)
{
    int n = a->setup.workload.n_threads;
    struct sp_ceiling roof = {.n_threads = n, .n_domains = a->setup.n_domains, .value = a->roof_Bps};
    snprintf(roof.name, sizeof roof.name, "%s", sp_analysis_has_own_roof(a) ? "load_own" : "load");
    snprintf(roof.level, sizeof roof.level, "%s", a->residence.name);
    snprintf(roof.precision, sizeof roof.precision, "%s", "f64");
    snprintf(roof.mode, sizeof roof.mode, "%s", a->pairs.mode);
    snprintf(roof.how, sizeof roof.how, "%s", a->roof_how);
    sp_record_append(r, "roofs", sp_json_ceiling(&roof, "roof"));
    static const struct {
        const char *name, *role;
        bool flops;
    } others[] = {{"triad", "floor", false},
                  {"load_mix", "other", false},
                  {"copy", "other", false},
                  {"fma", "peak", true}};
    /* A bandwidth of the other mode would stand there as if this run could have had it. */
    bool known = strcmp(a->pairs.mode, "unknown") != 0 && strcmp(a->pairs.mode, "") != 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        bool exact;
        const char *mode = known && !others[i].flops ? a->pairs.mode : NULL;
        const char *level = others[i].flops ? "core" : a->residence.name;
        const char *precision =
            others[i].flops && sp_precision_size(a->setup.workload.precision) < 8 ? "f32" : "f64";
        const struct sp_ceiling *c =
            sp_machine_ceiling(a->options->machine, others[i].name, level, precision, n, mode, &exact);
        if (c && exact)
            sp_record_append(r, "roofs", sp_json_ceiling(c, others[i].role));
    }
}

static json_t *known_number(struct sp_value v)
{
    return sp_value_known(v) ? json_real(v.value) : json_null();
}

json_t *sp_json_run(const struct sp_pairs *p)
{
    json_t *run = json_object(), *times = json_array(), *roofs = json_array(), *threads = json_array();
    for (int64_t i = 0; i < p->n; i++) {
        json_array_append_new(times, json_real(p->time_s[i]));
        json_array_append_new(roofs, json_real(p->roof_Bps[i]));
    }
    for (int t = 0; t < p->n_threads; t++)
        json_array_append_new(threads, json_real(p->thread_s[t]));
    json_object_set_new(run, "time_s", times);
    json_object_set_new(run, "roof_Bps", roofs);
    json_object_set_new(run, "thread_time_s", threads);
    json_object_set_new(run, "repetitions", json_integer(p->repetitions));
    json_object_set_new(run, "mode", json_string(p->mode));
    json_object_set_new(run, "core_to_core_s", p->latency_s > 0 ? json_real(p->latency_s) : json_null());
    json_object_set_new(run, "dropped", json_integer(p->n_dropped));
    return run;
}

static void record_run(const struct sp_analysis *a, const struct sp_pairs *p, struct sp_record *r)
{
    json_t *run = sp_json_run(p);
    /* the job was counted once, in the process of the last run */
    bool here = sp_analysis_is_counted(a) && p == &a->run[a->n_runs - 1];
    json_object_set_new(run, "counters",
                        here ? json_pack("{s:s, s:o, s:o}", "source", a->options->bytes->name, "mem_read_B",
                                         known_number(a->counted.read_B), "mem_write_B",
                                         known_number(a->counted.write_B))
                             : json_null());
    sp_record_append(r, "runs", run);
}

static void record_levels(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_machine *m = a->options->machine;
    for (int k = 0; k < a->n_levels; k++) {
        const struct sp_traffic *t = &a->traffic[k];
        char name[8] = "MEM";
        if (k + 1 < a->n_levels)
            snprintf(name, sizeof name, "L%d", m->cache[k + 1].level);
        json_t *level = json_object(), *arrays = json_object();
        json_object_set_new(level, "name", json_string(name));
        json_object_set_new(level, "read_B", json_real(t->read_B.value));
        json_object_set_new(level, "write_B", json_real(t->write_B.value));
        json_object_set_new(level, "origin", json_string(sp_origin_name(t->read_B.origin)));
        for (int i = 0; t->by_array && i < SP_N_ARRAYS; i++) {
            if (t->array_read_B[i] == 0 && t->array_write_B[i] == 0)
                continue;
            json_t *both = json_object();
            json_object_set_new(both, "read_B", json_real(t->array_read_B[i]));
            json_object_set_new(both, "write_B", json_real(t->array_write_B[i]));
            json_object_set_new(arrays, sp_array_name((enum sp_array)i), both);
        }
        json_object_set_new(level, "arrays", arrays);
        sp_record_append(r, "levels", level);
    }
}

static struct sp_value divided(struct sp_value v, double by)
{
    if (v.origin == SP_NONE || by == 0)
        return v.origin == SP_NONE ? v : sp_value_none("nothing to divide by");
    return sp_value_between(v.value / by, v.lo / by, v.hi / by, v.origin);
}

static struct sp_value over(double numerator, struct sp_value v, enum sp_origin origin)
{
    if (v.origin == SP_NONE || v.lo <= 0)
        return sp_value_none("the time is not known");
    return sp_value_between(numerator / v.value, numerator / v.hi, numerator / v.lo, origin);
}

static void record_metrics(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_layout *l = &a->setup.layout;
    double W = a->balance_W;
    enum sp_origin bytes = a->V_B.origin;
    bool empty = l->n_nz == 0;
    struct sp_value none = sp_value_none("the matrix has no entries");
    double once_B = empty ? 0 : a->once.volume_B.value;
    sp_record_set_metric(r, "time", a->pairs.time, "s", "lower",
                         "median over samples of the time of one execution");
    sp_record_set_metric(r, "spread", sp_value_of(a->pairs.spread, a->pairs.time.origin), "1", "lower",
                         "(Q3 - Q1)/median of the samples");
    sp_record_set_metric(r, "flops", sp_value_of(W, SP_MODELLED), "flop", "none",
                         "useful operations W of one execution");
    sp_record_set_metric(r, "performance", empty ? none : over(W, a->pairs.time, a->pairs.time.origin),
                         "flop/s", "higher", "W / time");
    sp_record_set_metric(r, "bytes", a->V_B, "B", "lower",
                         "bytes through the interface of the level that holds the data, in one execution");
    if (bytes == SP_SIMULATED || bytes == SP_MODELLED)
        sp_record_set_count(r, "metrics.bytes.version", SP_TRAFFIC_VERSION);
    sp_record_set_metric(r, "bytes_min", empty ? none : sp_value_of(once_B, SP_MODELLED), "B", "none",
                         "V(alpha_min) with the format's own storage");
    sp_record_set_metric(r, "alpha", empty ? none : a->alpha, "1", "lower",
                         "bytes of the gathered operand / (s_x n_nz r)");
    sp_record_set_metric(r, "alpha_min", empty ? none : sp_value_of(a->alpha_min.alpha, SP_MODELLED), "1",
                         "none",
                         "line x distinct lines of the gathered operand in each cache domain / (s_x n_nz r)");
    if (sp_analysis_is_counted(a)) {
        sp_record_set_metric(r, "alpha", a->alpha_measured, "1", "lower",
                             "bytes of the gathered operand / (s_x n_nz r), from V_read or V");
        sp_record_set_metric(r, "alpha_simulated", a->alpha_simulated, "1", "none",
                             "bytes of the gathered operand / (s_x n_nz r) in the cache simulation");
        sp_record_set_metric(r, "bytes_read", a->counted.read_B, "B", "lower", "V_read, in one execution");
        sp_record_set_metric(r, "bytes_written", a->counted.write_B, "B", "lower",
                             "V_write, in one execution");
        sp_record_set_metric(r, "bytes_alpha_zero", a->zero_B, "B", "none",
                             "V_read, or V where only the sum is counted, if alpha were 0");
    }
    sp_record_set_metric(r, "x_loads", empty ? none : divided(a->alpha, a->alpha_min.alpha), "1", "lower",
                         "alpha / alpha_min: how many times x is loaded");
    sp_record_set_metric(r, "beta", empty ? none : sp_value_of(sp_layout_beta(l), SP_MODELLED), "1", "higher",
                         "n_nz / stored entries");
    sp_record_set_metric(r, "balance", divided(a->V_B, W), "B/flop", "lower", "bytes / W");
    sp_record_set_metric(r, "balance_min", empty ? none : sp_value_of(once_B / W, SP_MODELLED), "B/flop",
                         "none", "bytes_min / W");
    sp_record_set_metric(r, "bandwidth", over(a->V_B.value, a->pairs.time, bytes), "B/s", "higher",
                         "bytes / time");
    sp_record_set_metric(r, "bandwidth_fraction", empty ? none : a->fraction, "1", "higher",
                         "V / (t b_S), median of paired ratios");
    sp_record_set_metric(r, "model_fraction", a->model_fraction, "1", "higher", "t_model(alpha_min) / t");
    sp_record_set_metric(r, "p_core", a->p_core, "flop/s", "none",
                         "the kernel on windows of its own rows with folded columns, times threads");
    sp_record_set_metric(r, "w", a->w, "1", "none", "bytes moved per byte stored of y");
    sp_record_set_metric(r, "lambda_nz", sp_value_of(a->lambda_nz, SP_MODELLED), "1", "lower",
                         "max/mean over threads of stored entries");
    sp_record_set_metric(r, "lambda_t", a->lambda_t, "1", "lower", "max/mean over threads of busy time");
}

json_t *sp_json_table_row(const char *name, struct sp_value time, struct sp_value bytes, double W,
                          struct sp_value fraction, const char *fraction_name)
{
    json_t *row = json_object();
    json_object_set_new(row, "row", json_string(name));
    json_object_set_new(row, "time_s", json_real(time.value));
    json_object_set_new(row, "time_lo_s", json_real(time.lo));
    json_object_set_new(row, "time_hi_s", json_real(time.hi));
    json_object_set_new(row, "time_origin", json_string(sp_origin_name(time.origin)));
    json_object_set_new(row, "bytes", json_real(bytes.value));
    if (bytes.hi > bytes.lo) {
        json_object_set_new(row, "bytes_lo", json_real(bytes.lo));
        json_object_set_new(row, "bytes_hi", json_real(bytes.hi));
    }
    json_object_set_new(row, "bytes_origin", json_string(sp_origin_name(bytes.origin)));
    json_object_set_new(row, "balance", json_real(bytes.value / W));
    json_object_set_new(row, "performance", json_real(W / time.value));
    json_object_set_new(row, "fraction",
                        fraction.origin != SP_NONE ? json_real(fraction.value) : json_null());
    json_object_set_new(row, "fraction_name", fraction_name ? json_string(fraction_name) : json_null());
    return row;
}

static void record_domains(const struct sp_analysis *a, struct sp_record *r)
{
    for (int i = 0; a->domain && i < a->setup.n_domains; i++) {
        const struct sp_domain *d = &a->domain[i];
        sp_record_append(r, "domains",
                         json_pack("{s:i, s:i, s:f, s:f, s:s, s:f, s:f, s:o, s:o, s:o, s:o}", "domain", i,
                                   "threads", d->n_threads, "entries_share", d->entries_share, "bytes",
                                   d->bytes_B, "bytes_origin", "modelled", "x_once_B", d->x_once_B,
                                   "x_again_s", d->x_again_s, "waits", sp_record_value_json(d->waits_s, "s"),
                                   "busy", sp_record_value_json(d->busy_s, "s"), "roof",
                                   sp_record_value_json(d->roof_Bps, "B/s"), "local_share",
                                   sp_record_value_json(d->local_share, "1")));
    }
}

static void record_table(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_byte_source *bytes = a->options->bytes;
    struct sp_value none = sp_value_none("this row is not compared with the roof");
    sp_record_append(r, "table",
                     sp_json_table_row("model, x once", a->once.roofline.time_s, a->once.volume_B,
                                       a->balance_W, sp_value_of(1, SP_MODELLED), "model_fraction"));
    sp_record_append(r, "table",
                     sp_json_table_row(sp_value_known(a->alpha_measured) ? "model, x as measured"
                                                                         : "model, x as simulated",
                                       a->seen.roofline.time_s, a->seen.volume_B, a->balance_W, none, NULL));
    json_t *row =
        sp_json_table_row("measured", a->pairs.time, a->V_B, a->balance_W, a->fraction, "bandwidth_fraction");
    if (sp_analysis_is_counted(a))
        json_object_set_new(row, "bytes_source",
                            json_string(bytes->constructed ? "constructed" : bytes->name));
    sp_record_append(r, "table", row);
}

static void record_losses(const struct sp_analysis *a, struct sp_record *r)
{
    sp_record_losses(r, &a->losses);
    for (int i = 0; i < a->n_interventions; i++) {
        json_t *item = json_object();
        json_object_set_new(item, "name", json_string(a->intervention[i].name));
        json_object_set_new(item, "time_s", sp_record_value_json(a->intervention[i].time, "s"));
        json_object_set_new(item, "text", json_string(a->intervention[i].text));
        sp_record_append(r, "interventions", item);
    }
    if (a->losses.flagged)
        sp_record_add_flag(r, "Q10", "%.0f %% of the time is not explained by the model",
                           100 * a->losses.rest_fraction);
}

static void record_bottleneck(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_bottleneck_found *b = &a->bottleneck;
    sp_record_set_text(r, "bottleneck.class", sp_bottleneck_name(b->kind));
    sp_record_set_flag(r, "bottleneck.proved", b->proved);
    sp_record_set_number(r, "bottleneck.share", b->share);
    sp_record_set_text(r, "bottleneck.why", b->why);
}

/* FusedMM against the pair that it replaces. */
static void record_unfused(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_unfused *u = &a->unfused;
    if (!sp_value_known(u->bytes_B))
        return;
    sp_record_set_value(r, "unfused.time", u->time_s, "s");
    sp_record_set_value(r, "unfused.bytes", u->bytes_B, "B");
    sp_record_set_value(r, "unfused.bytes_fused", u->fused_B, "B");
    sp_record_set_value(r, "unfused.saved_predicted", u->predicted_B, "B");
}

static void record_hints(const struct sp_analysis *a, struct sp_record *r)
{
    if (a->options->no_hints || a->setup.layout.n_nz == 0)
        return; /* not looked for; an empty list says that none was found */
    sp_record_hints(r, &a->hints);
}

static void record_flags(const struct sp_analysis *a, struct sp_record *r)
{
    if (!sp_record_node(r, "flags"))
        sp_record_set_object(r, "flags", json_array());
    if (a->setup.layout.n_nz > 0 && a->fraction.value > 1.03)
        sp_record_add_flag(r, "Q01",
                           "%.0f %% of the roof: more than a load-only run on the same arrays; %s, or the "
                           "roof was sampled in a "
                           "worse moment",
                           100 * a->fraction.value,
                           sp_analysis_is_counted(a)
                               ? "other traffic was counted too"
                               : "part of the simulated bytes stayed in caches that the model does not know");
    if (a->setup.layout.n_nz > 0 && a->model_fraction.value > 1.03 && !(a->fraction.value > 1.03))
        sp_record_add_flag(
            r, "Q01",
            "%.0f %% of the model: bound by %s, whose figure is too low, or bytes that stayed in caches",
            100 * a->model_fraction.value, a->once.binding);
    bool exact = false;
    const struct sp_ceiling *dram =
        sp_machine_ceiling(a->options->machine, "load_mix", "MEM", "f64", a->setup.workload.n_threads,
                           strcmp(a->pairs.mode, "unknown") == 0 ? NULL : a->pairs.mode, &exact);
    if (a->setup.layout.n_nz > 0 && dram && exact && strcmp(a->residence.name, "MEM") == 0 &&
        a->pairs.roof.value > 1.5 * dram->value.value)
        sp_record_add_flag(
            r, "Q05",
            "the arrays load at %.0f GB/s, this machine's memory at %.0f: part of them stays in a cache "
            "that is larger than its effective capacity was found to be",
            a->pairs.roof.value / 1e9, dram->value.value / 1e9);
    if (a->pairs.spread > 0.1)
        sp_record_add_flag(r, "Q02", "noisy: the samples spread by %.0f %% (Q3 - Q1 of the median)",
                           100 * a->pairs.spread);
    if (!a->options->not_pinned && !a->setup.binding.pinned && !sp_analysis_is_replayed(a))
        sp_record_add_flag(r, "Q03", "threads could not be pinned");
    if (a->setup.binding.oversubscribed)
        sp_record_add_flag(r, "Q04", "more threads than processors: some share one");
    if (a->elsewhere)
        sp_record_append(
            r, "remarks",
            json_string("caches and ceilings are those of the machine named with --machine; the kernel "
                        "ran on this one, which is another or has changed since"));
    if (!a->options->machine->validated && !sp_analysis_is_counted(a))
        sp_record_append(
            r, "remarks",
            json_string("the simulation is not validated against counters on this kind of machine"));
    if (a->pairs.n_dropped > 0) {
        char text[120];
        snprintf(text, sizeof text, "%lld sample%s dropped: the processors moved between caches",
                 (long long)a->pairs.n_dropped, a->pairs.n_dropped == 1 ? "" : "s");
        sp_record_append(r, "remarks", json_string(text));
    }
}

void sp_analysis_record_known(const struct sp_analysis *a, struct sp_record *r)
{
    sp_record_machine(r, a->options->machine);
    sp_record_subject(r, a->subject);
    if (!a->setup.layout.n_r && !a->setup.kernel)
        return;
    record_config(a, r);
    if (a->setup.layout.n_r)
        sp_record_layout(r, &a->setup.layout);
    sp_record_code(r, &a->setup);
    sp_record_request(r, a->options, a->subject->reorder, "cpu");
    if (!sp_analysis_is_replayed(a)) {
        sp_record_environment(r, a->options->topology, NULL);
        sp_record_source(r);
    }
    sp_record_set_text(r, "verify.reference",
                       "row sums of CRS in double precision, tolerance from the row lengths");
    if (a->setup.kernel) {
        sp_record_set_number(r, "verify.max_rel_err", a->setup.check.max_error);
        sp_record_set_number(r, "verify.max_err_over_tolerance", a->setup.check.max_ratio);
        sp_record_set_flag(r, "verify.ok", a->setup.check.bad_row < 0);
    } else {
        sp_record_set_text(r, "verify.why", "the run was recorded elsewhere");
    }
    sp_record_set_value(r, "placement.pages.huge_share", a->huge_share, "1");
    sp_record_set_value(r, "placement.numa.local_share", a->local_share, "1");
    for (int i = 0; i < a->n_runs; i++)
        record_run(a, &a->run[i], r);
    sp_record_sentinels(r, &a->sentinels);
    sp_record_set_number(r, "cost.load_s", a->subject->load_s);
    sp_record_set_number(r, "cost.layout_s", a->setup.layout_s);
}

void sp_analysis_record(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_layout *l = &a->setup.layout;
    sp_analysis_record_known(a, r);
    record_levels(a, r);
    sp_record_counters(r, a);
    record_roofs(a, r);
    record_metrics(a, r);
    if (l->n_nz > 0) {
        sp_record_set_text(r, "binding.level", a->residence.name);
        sp_record_set_text(r, "binding.term", a->once.binding);
        char why[200], needed[32], capacity[32];
        bool memory = a->residence.level >= a->options->machine->n_caches;
        sp_text_bytes(needed, sizeof needed, a->residence.needed_B);
        if (a->options->state == SP_COLD)
            snprintf(why, sizeof why, "%s start outside of the caches (--cold)", needed);
        else
            snprintf(why, sizeof why, "%s %s of %s", needed,
                     memory ? "do not fit the last-level cache" : "stay between executions in a cache",
                     sp_text_bytes(capacity, sizeof capacity, a->residence.capacity_B));
        sp_record_set_text(r, "binding.why", why);
        record_table(a, r);
        record_domains(a, r);
        record_losses(a, r);
        record_bottleneck(a, r);
        record_unfused(a, r);
    }
    record_hints(a, r);
    record_flags(a, r);
    sp_record_curves(r, a);
    sp_record_set_number(r, "cost.simulate_s", a->simulate_s);
    if (strcmp(a->subject->reorder, "none") != 0)
        sp_record_set_number(r, "cost.reorder_s", a->subject->reorder_s);
    sp_record_set_number(r, "cost.setup_spmv",
                         (a->setup.layout_s + a->subject->reorder_s) / a->pairs.time.value);
}
