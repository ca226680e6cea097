/* An analysis as a record [UX 5]: every number with its origin, the undefined with its reason. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option/option_words.h"
#include "base/text.h"
#include "session/analyze/analysis.h"
#include "session/record/parts.h"
#include "sys/machine/identity.h"

void sp_record_workload(struct sp_record *r, const struct sp_workload *w)
{
    char text[64];
    sp_record_set_text(r, SP_F_CONFIG_OP, sp_op_name(w->op));
    sp_record_set_text(r, SP_F_CONFIG_FORMAT, sp_format_name(w->format));
    sp_record_set_text(r, SP_F_CONFIG_FORMAT_TEXT, sp_workload_format_text(w, text, sizeof text));
    sp_record_set_text(r, SP_F_CONFIG_FORMAT_OPTION, sp_workload_format_option(w, text, sizeof text));
    sp_record_set_count(r, SP_F_CONFIG_C, w->C);
    sp_record_set_count(r, SP_F_CONFIG_SIGMA, w->sigma);
    sp_record_set_text(r, SP_F_CONFIG_PRECISION, sp_precision_name(w->precision));
    sp_record_set_text(r, SP_F_CONFIG_INDEX, sp_index_name(w->index));
    if (w->prefetch > 0)
        sp_record_set_count(r, SP_F_CONFIG_PREFETCH, w->prefetch);
    sp_record_set_count(r, SP_F_CONFIG_RHS, w->op == SP_OP_SPMMV ? w->r : 1);
    if (w->op != SP_OP_SPMV && w->op != SP_OP_SPMMV)
        sp_record_set_count(r, SP_F_CONFIG_INNER, w->r);
    if (w->op != SP_OP_SPMV)
        sp_record_set_text(r, SP_F_CONFIG_ORDER, sp_order_name(w->order));
}

static void record_choice(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_choice *c = &a->setup.choice;
    if (c->n == 0)
        return;
    json_t *list = json_array();
    for (int i = 0; i < c->n; i++) {
        const struct sp_tried *t = &c->tried[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:f}", "format", t->format, "kernel",
                                              t->kernel->name, "prefetch", (int)t->prefetch, "time",
                                              t->time / c->tried[c->chosen].time));
    }
    sp_record_set_number(r, SP_F_CHOICE_TOOK_S, c->took_s);
    sp_record_set_number(r, SP_F_CHOICE_SHARE, c->share);
    sp_record_set_object(r, SP_F_CHOICE_TRIED, list);
}

static void record_config(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_workload *w = &a->setup.workload;
    char text[64];
    sp_record_workload(r, w);
    sp_record_set_count(r, SP_F_CONFIG_THREADS, w->n_threads);
    for (int t = 0; a->setup.binding.cpu && t < w->n_threads; t++)
        sp_record_append(r, SP_F_CONFIG_PIN, json_integer(a->setup.binding.cpu[t]));
    if (!sp_analysis_is_replayed(a))
        sp_record_set_flag(r, SP_F_CONFIG_PINNED, a->setup.binding.pinned && !a->observed.lost_pins);
    sp_record_set_text(r, SP_F_CONFIG_SCHEDULE, sp_workload_schedule_text(w, text, sizeof text));
    sp_record_set_text(r, SP_F_CONFIG_DEVICE, "cpu");
    static const char *const states[] = {"warm", "cold", "between"};
    sp_record_set_text(r, SP_F_CONFIG_CACHE, states[a->options->state]);
    const struct sp_byte_source *bytes = a->options->bytes;
    const char *recorded = bytes && bytes->replayed ? sp_recording_config(&bytes->recording, "kernel") : NULL;
    sp_record_set_text(r, SP_F_CONFIG_KERNEL,
                       a->setup.kernel ? a->setup.kernel->name
                       : recorded      ? recorded
                                       : "recorded");
    sp_record_set_flag(r, SP_F_CONFIG_STORE_NT, a->setup.facts.store_nt);
    sp_record_set_text(r, SP_F_CONFIG_PAGES, a->options->small_pages ? "small" : "huge");
    sp_record_set_text(r, SP_F_CONFIG_BYTES, sp_analysis_is_counted(a) ? bytes->name : "sim");
    sp_record_set_count(r, SP_F_CONFIG_RUNS, a->observed.n_runs > 0 ? a->observed.n_runs : 1);
    sp_record_set_number(r, SP_F_CONFIG_BUDGET_S, a->options->budget_s);
    sp_record_set_count(r, SP_F_CONFIG_MAX_SAMPLES, a->options->max_samples);
    sp_record_set_count(r, SP_F_CONFIG_SEED, (int64_t)a->options->seed);
    record_choice(a, r);
}

/* What the other levels of the machine would give: pictures show the roof among them. */
static void record_other_levels(const struct sp_analysis *a, struct sp_record *r)
{
    static const char *const levels[] = {"L1", "L2", "L3", "MEM"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        bool exact;
        const struct sp_ceiling *c = sp_machine_ceiling(a->options->machine, "load", levels[i], "f64",
                                                        a->setup.workload.n_threads, NULL, &exact);
        if (c && exact && sp_value_known(c->value) && strcmp(levels[i], a->evaluated.residence.name) != 0)
            sp_record_append(r, SP_F_ROOFS, sp_json_ceiling(c, "other"));
    }
}

static void record_roofs(const struct sp_analysis *a, struct sp_record *r)
{
    int n = a->setup.workload.n_threads;
    struct sp_ceiling roof = {
        .n_threads = n, .n_domains = a->setup.n_domains, .value = a->evaluated.roof_Bps};
    snprintf(roof.name, sizeof roof.name, "%s", sp_analysis_has_own_roof(a) ? "load_own" : "load");
    snprintf(roof.level, sizeof roof.level, "%s", a->evaluated.residence.name);
    snprintf(roof.precision, sizeof roof.precision, "%s", "f64");
    snprintf(roof.mode, sizeof roof.mode, "%s", a->observed.pairs.mode);
    snprintf(roof.how, sizeof roof.how, "%s", a->evaluated.roof_how);
    sp_record_append(r, SP_F_ROOFS, sp_json_ceiling(&roof, "roof"));
    static const struct {
        const char *name, *role;
        bool flops;
    } others[] = {{"triad", "floor", false},
                  {"load_mix", "other", false},
                  {"copy", "other", false},
                  {"fma", "peak", true}};
    /* A bandwidth of the other mode would stand there as if this run could have had it. */
    bool known = strcmp(a->observed.pairs.mode, "unknown") != 0 && strcmp(a->observed.pairs.mode, "") != 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        bool exact;
        const char *mode = known && !others[i].flops ? a->observed.pairs.mode : NULL;
        const char *level = others[i].flops ? "core" : a->evaluated.residence.name;
        const char *precision =
            others[i].flops && sp_precision_size(a->setup.workload.precision) < 8 ? "f32" : "f64";
        const struct sp_ceiling *c =
            sp_machine_ceiling(a->options->machine, others[i].name, level, precision, n, mode, &exact);
        if (c && exact)
            sp_record_append(r, SP_F_ROOFS, sp_json_ceiling(c, others[i].role));
    }
    record_other_levels(a, r);
    sp_record_gather_roof(r, a);
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
    for (int t = 0; p->thread_s && t < p->n_threads; t++)
        json_array_append_new(threads, json_real(p->thread_s[t]));
    json_object_set_new(run, "time_s", times);
    json_object_set_new(run, "roof_Bps", roofs);
    json_object_set_new(run, "thread_time_s", threads);
    json_object_set_new(run, "repetitions", json_integer(p->repetitions));
    json_object_set_new(run, "mode", json_string(p->mode));
    json_object_set_new(run, "core_to_core_s", p->latency_s > 0 ? json_real(p->latency_s) : json_null());
    json_object_set_new(run, "dropped", json_integer(p->n_dropped));
    if (p->n_clean + p->n_disturbed > 0) { /* else nobody looked */
        json_object_set_new(run, "disturbed", json_integer(p->n_disturbed));
        json_object_set_new(run, "clean", json_boolean(p->clean));
    }
    return run;
}

static void record_run(const struct sp_analysis *a, const struct sp_pairs *p, struct sp_record *r)
{
    json_t *run = sp_json_run(p);
    if (!sp_analysis_has_own_roof(a)) /* that of the machine was not measured beside it */
        json_object_set_new(run, "roof_Bps", json_array());
    /* the job was counted once, in the process of the last run */
    bool here = sp_analysis_is_counted(a) && p == &a->observed.run[a->observed.n_runs - 1];
    json_object_set_new(run, "counters",
                        here ? json_pack("{s:s, s:o, s:o}", "source", a->options->bytes->name, "mem_read_B",
                                         known_number(a->evaluated.counted.read_B), "mem_write_B",
                                         known_number(a->evaluated.counted.write_B))
                             : json_null());
    sp_record_append(r, SP_F_RUNS, run);
}

static void record_levels(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_machine *m = a->options->machine;
    for (int k = 0; k < a->simulated.n_levels; k++) {
        const struct sp_traffic *t = &a->simulated.traffic[k];
        char name[8] = "MEM";
        if (k + 1 < a->simulated.n_levels)
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
        sp_record_append(r, SP_F_LEVELS, level);
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
    double W = a->evaluated.balance_W;
    enum sp_origin bytes = a->evaluated.V_B.origin;
    bool empty = l->n_nz == 0;
    struct sp_value none = sp_value_none("the matrix has no entries");
    double once_B = empty ? 0 : a->evaluated.once.volume_B.value;
    sp_record_set_value(r, SP_F_METRICS_TIME, a->observed.pairs.time);
    sp_record_set_value(r, SP_F_METRICS_SPREAD,
                        sp_value_of(a->observed.pairs.spread, a->observed.pairs.time.origin));
    sp_record_set_value(r, SP_F_METRICS_FLOPS, sp_value_of(W, SP_MODELLED));
    sp_record_set_value(r, SP_F_METRICS_PERFORMANCE,
                        empty ? none : over(W, a->observed.pairs.time, a->observed.pairs.time.origin));
    sp_record_set_value(r, SP_F_METRICS_BYTES, a->evaluated.V_B);
    if (bytes == SP_SIMULATED || bytes == SP_MODELLED)
        sp_record_set_count(r, SP_F_METRICS_BYTES_VERSION, SP_TRAFFIC_VERSION);
    sp_record_set_value(r, SP_F_METRICS_BYTES_MIN, empty ? none : sp_value_of(once_B, SP_MODELLED));
    sp_record_set_value(r, SP_F_METRICS_ALPHA, empty ? none : a->evaluated.alpha);
    sp_record_set_value(r, SP_F_METRICS_ALPHA_MIN,
                        empty ? none : sp_value_of(a->evaluated.alpha_min.alpha, SP_MODELLED));
    if (sp_analysis_is_counted(a)) {
        sp_record_set_metric(r, SP_F_METRICS_ALPHA, a->evaluated.alpha_measured, SP_DEFINED_AS_COUNTED);
        sp_record_set_value(r, SP_F_METRICS_ALPHA_SIMULATED, a->evaluated.alpha_simulated);
        sp_record_set_value(r, SP_F_METRICS_BYTES_READ, a->evaluated.counted.read_B);
        sp_record_set_value(r, SP_F_METRICS_BYTES_WRITTEN, a->evaluated.counted.write_B);
        sp_record_set_value(r, SP_F_METRICS_BYTES_ALPHA_ZERO, a->evaluated.zero_B);
    }
    sp_record_set_value(r, SP_F_METRICS_X_LOADS,
                        empty ? none : divided(a->evaluated.alpha, a->evaluated.alpha_min.alpha));
    sp_record_set_value(r, SP_F_METRICS_BETA, empty ? none : sp_value_of(sp_layout_beta(l), SP_MODELLED));
    sp_record_set_value(r, SP_F_METRICS_BALANCE, divided(a->evaluated.V_B, W));
    sp_record_set_value(r, SP_F_METRICS_BALANCE_MIN, empty ? none : sp_value_of(once_B / W, SP_MODELLED));
    sp_record_set_value(r, SP_F_METRICS_BANDWIDTH,
                        over(a->evaluated.V_B.value, a->observed.pairs.time, bytes));
    sp_record_set_value(r, SP_F_METRICS_BANDWIDTH_FRACTION, empty ? none : a->evaluated.fraction);
    sp_record_set_value(r, SP_F_METRICS_MODEL_FRACTION, a->evaluated.model_fraction);
    sp_record_set_value(r, SP_F_METRICS_P_CORE, a->evaluated.p_core);
    sp_record_set_value(r, SP_F_METRICS_W, a->evaluated.w);
    sp_record_set_value(r, SP_F_METRICS_LAMBDA_NZ, sp_value_of(a->evaluated.lambda_nz, SP_MODELLED));
    sp_record_set_value(r, SP_F_METRICS_LAMBDA_T, a->evaluated.lambda_t);
}

static void record_domains(const struct sp_analysis *a, struct sp_record *r)
{
    for (int i = 0; a->domain && i < a->setup.n_domains; i++) {
        const struct sp_domain *d = &a->domain[i];
        sp_record_append(r, SP_F_DOMAINS,
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
    if (sp_value_known(a->evaluated.once.roofline.time_s)) {
        sp_record_append(r, SP_F_TABLE,
                         sp_json_table_row("model, x once", a->evaluated.once.roofline.time_s,
                                           a->evaluated.once.volume_B, a->evaluated.balance_W,
                                           sp_value_of(1, SP_MODELLED), "model_fraction"));
        sp_record_append(r, SP_F_TABLE,
                         sp_json_table_row(sp_value_known(a->evaluated.alpha_measured)
                                               ? "model, x as measured"
                                               : "model, x as simulated",
                                           a->evaluated.seen.roofline.time_s, a->evaluated.seen.volume_B,
                                           a->evaluated.balance_W, none, NULL));
    }
    sp_record_ecm_row(r, a);
    json_t *row = sp_json_table_row("measured", a->observed.pairs.time, a->evaluated.V_B,
                                    a->evaluated.balance_W, a->evaluated.fraction, "bandwidth_fraction");
    if (sp_analysis_is_counted(a))
        json_object_set_new(row, "bytes_source",
                            json_string(bytes->constructed ? "constructed" : bytes->name));
    sp_record_append(r, SP_F_TABLE, row);
}

static void record_losses(const struct sp_analysis *a, struct sp_record *r)
{
    sp_record_losses(r, &a->accounted.losses);
    for (int i = 0; i < a->proved.n_interventions; i++) {
        json_t *item = json_object();
        json_object_set_new(item, "name", json_string(a->proved.intervention[i].name));
        json_object_set_new(item, "time_s", sp_record_value_json(a->proved.intervention[i].time, "s"));
        json_object_set_new(item, "text", json_string(a->proved.intervention[i].text));
        sp_record_append(r, SP_F_INTERVENTIONS, item);
    }
    if (a->accounted.losses.flagged)
        sp_record_add_flag(r, "Q10", "%.0f %% of the time is not explained by the model",
                           100 * a->accounted.losses.rest_fraction);
}

void sp_record_no_bottleneck(struct sp_record *r, const char *doubt)
{
    sp_record_set_text(r, SP_F_BOTTLENECK_CLASS, sp_bottleneck_name(SP_BOTTLENECK_UNKNOWN));
    sp_record_set_flag(r, SP_F_BOTTLENECK_PROVED, false);
    sp_record_set_number(r, SP_F_BOTTLENECK_SHARE, NAN);
    sp_record_set_text(r, SP_F_BOTTLENECK_WHY, doubt);
}

static void record_bottleneck(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_bottleneck_found *b = &a->accounted.bottleneck;
    if (*a->evaluated.doubt) {
        sp_record_no_bottleneck(r, a->evaluated.doubt);
        return;
    }
    sp_record_set_text(r, SP_F_BOTTLENECK_CLASS, sp_bottleneck_name(b->kind));
    sp_record_set_flag(r, SP_F_BOTTLENECK_PROVED, b->proved);
    sp_record_set_number(r, SP_F_BOTTLENECK_SHARE, b->kind == SP_BOTTLENECK_UNKNOWN ? NAN : b->share);
    sp_record_set_text(r, SP_F_BOTTLENECK_WHY, b->why);
}

/* FusedMM against the pair that it replaces. */
static void record_unfused(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_unfused *u = &a->unfused;
    if (!sp_value_known(u->bytes_B))
        return;
    sp_record_set_value(r, SP_F_UNFUSED_TIME, u->time_s);
    sp_record_set_value(r, SP_F_UNFUSED_BYTES, u->bytes_B);
    sp_record_set_value(r, SP_F_UNFUSED_BYTES_FUSED, u->fused_B);
    sp_record_set_value(r, SP_F_UNFUSED_SAVED_PREDICTED, u->predicted_B);
}

static void record_own(const struct sp_analysis *a, struct sp_record *r)
{
    const struct sp_own_found *own = &a->own;
    if (!a->setup_options.own)
        return;
    sp_record_set_text(r, SP_F_OWN_NAME, a->setup.kernel->name + sizeof "own/" - 1);
    sp_record_set_text(r, SP_F_OWN_WALK, own->traced ? "traced" : own->n_stores > 0 ? "stored" : "assumed");
    for (int i = 0; i < own->n_stores; i++)
        sp_record_append(
            r, SP_F_OWN_STORES,
            json_pack("{s:s, s:f}", "name", own->name[i], "bytes", (double)own->store[i].size_B));
    sp_record_set_value(r, SP_F_OWN_BUSY_THREADS, own->busy_threads);
    sp_record_set_value(r, SP_F_OWN_IDLE_THREADS, own->idle_threads);
    if (a->beside.kernel)
        sp_record_set_text(r, SP_F_OWN_BUILT_IN, a->beside.kernel->name);
    sp_record_set_value(r, SP_F_OWN_BUILT_IN_TIME, a->beside.time_s);
    sp_record_set_value(r, SP_F_OWN_RATIO, a->beside.ratio);
}

static void record_hints(const struct sp_analysis *a, struct sp_record *r)
{
    if (a->options->no_hints || a->setup.layout.n_nz == 0 || *a->evaluated.doubt)
        return; /* not looked for; an empty list says that none was found */
    sp_record_hints(r, &a->accounted.hints);
    for (int i = 0; a->tries && i < a->tries->n; i++)
        if (a->tries->one[i].chance)
            sp_record_hint(r, &a->accounted.chances, a->tries->one[i].chance);
}

void sp_record_plan(struct sp_record *r, const struct sp_plan *plan, const struct sp_steps_taken *steps)
{
    sp_record_set_number(r, SP_F_PLAN_BUDGET_S, plan->budget_s);
    for (int i = 0; i < steps->n; i++) {
        const struct sp_step_taken *s = &steps->step[i];
        sp_record_append(r, SP_F_PLAN_STEPS,
                         json_pack("{s:s, s:s, s:o, s:f}", "name", s->name, "adds", s->adds, "allowed_s",
                                   s->allowed_s > 0 ? json_real(s->allowed_s) : json_null(), "took_s",
                                   s->took_s));
    }
}

/* Figures of one level that differ so much get a word, unless they leave no verdict. */
static void remark_low_roof(const struct sp_analysis *a, struct sp_record *r)
{
    char text[240];
    const struct sp_ceiling *c = sp_analysis_remembered_roof(a, &a->evaluated);
    if (!c || a->setup.layout.n_nz == 0 || *a->evaluated.doubt ||
        a->observed.pairs.roof.value >= SP_LEAST_OF_REMEMBERED * c->value.value)
        return;
    snprintf(text, sizeof text,
             "loads of the kernel's arrays reach %.3g GB/s, long loops in the %s of this machine %.3g: %s",
             a->observed.pairs.roof.value / 1e9, a->evaluated.residence.name, c->value.value / 1e9,
             strcmp(a->evaluated.residence.name, "MEM") == 0
                 ? "the roof was taken in a bad moment, or the machine has changed"
                 : "short loops and the start of threads take part of the time");
    sp_record_append(r, SP_F_REMARKS, json_string(text));
}

/* Times that this program has not taken, and what cannot be true of them. */
static void flag_stated_time(const struct sp_analysis *a, struct sp_record *r)
{
    static const double slowest = 0.02;
    const struct sp_pairs *p = &a->observed.pairs;
    char text[32], least[32];
    if (p->time.origin != SP_STATED)
        return;
    sp_record_add_flag(r, "Q30", "the time is stated, not measured by this program (%.80s)",
                       a->options->bytes->recording.path);
    if (a->setup.layout.n_nz == 0 || !sp_value_known(a->evaluated.roof_Bps))
        return;
    sp_text_seconds(text, sizeof text, p->time.value);
    sp_text_seconds(least, sizeof least, a->evaluated.V_B.value / a->evaluated.roof_Bps.value);
    if (*a->evaluated.doubt)
        sp_record_add_flag(
            r, "Q31",
            "%s is less than the %s that its bytes take at the roof: another matrix or machine, "
            "more threads, or another unit of time",
            text, least);
    else if (a->evaluated.fraction.value < slowest)
        sp_record_add_flag(r, "Q31",
                           "%s is %.0f times the %s that its bytes take at the roof: the time of several "
                           "products (" SP_O_EXECUTIONS
                           "), of more than the product, or another unit of time",
                           text, 1 / a->evaluated.fraction.value, least);
}

/* Threads that it leaves running take processors from what is measured beside it. */
static void remark_threads(const struct sp_analysis *a, struct sp_record *r)
{
    static const double notable = 0.5;
    char text[160];
    if (!a->setup_options.own || !(a->own.idle_threads.value > notable))
        return;
    snprintf(text, sizeof text,
             "the kernel keeps %.1f threads busy between its calls: they disturb what is measured beside it",
             a->own.idle_threads.value);
    sp_record_append(r, SP_F_REMARKS, json_string(text));
}

static void record_flags(const struct sp_analysis *a, struct sp_record *r)
{
    if (!sp_record_node(r, SP_F_FLAGS))
        sp_record_set_object(r, SP_F_FLAGS, json_array());
    if (a->setup.layout.n_nz > 0 && !*a->evaluated.doubt && a->evaluated.fraction.value > 1.03)
        sp_record_add_flag(r, "Q01",
                           "%.0f %% of the roof: more than a load-only run on the same arrays; %s, or the "
                           "roof was sampled in a "
                           "worse moment",
                           100 * a->evaluated.fraction.value,
                           sp_analysis_is_counted(a)
                               ? "other traffic was counted too"
                               : "part of the simulated bytes stayed in caches that the model does not know");
    if (a->setup.layout.n_nz > 0 && !*a->evaluated.doubt && a->evaluated.model_fraction.value > 1.03 &&
        !(a->evaluated.fraction.value > 1.03))
        sp_record_add_flag(
            r, "Q01",
            "%.0f %% of the model: bound by %s, whose figure is too low, or bytes that stayed in caches",
            100 * a->evaluated.model_fraction.value, a->evaluated.once.binding);
    bool exact = false;
    const struct sp_ceiling *dram = sp_machine_ceiling(
        a->options->machine, "load_mix", "MEM", "f64", a->setup.workload.n_threads,
        strcmp(a->observed.pairs.mode, "unknown") == 0 ? NULL : a->observed.pairs.mode, &exact);
    if (a->setup.layout.n_nz > 0 && dram && exact && strcmp(a->evaluated.residence.name, "MEM") == 0 &&
        a->observed.pairs.roof.value > 1.5 * dram->value.value)
        sp_record_add_flag(
            r, "Q05",
            "the arrays load at %.0f GB/s, this machine's memory at %.0f: part of them stays in a cache "
            "that is larger than its effective capacity was found to be",
            a->observed.pairs.roof.value / 1e9, dram->value.value / 1e9);
    remark_low_roof(a, r);
    flag_stated_time(a, r);
    remark_threads(a, r);
    const struct sp_cache *llc = sp_machine_llc(a->options->machine);
    if (llc && llc->effective_B.lo < llc->effective_B.hi && a->options->llc_B == 0 && a->reuse.n_sizes == 0 &&
        a->setup.layout.n_nz > 0)
        sp_record_append(
            r, SP_F_REMARKS,
            json_string("bytes are of one capacity of the last-level cache, which is known as an interval: "
                        "following all reuse would take too long"));
    if (a->evaluated.by_time)
        sp_record_append(
            r, SP_F_REMARKS,
            json_string("more of x stayed in the last-level cache than its believed capacity keeps: "
                        "alpha and V are what the run's time leaves room for"));
    if (a->observed.pairs.spread > 0.1)
        sp_record_add_flag(r, "Q02", "noisy: the samples spread by %.0f %% (Q3 - Q1 of the median)",
                           100 * a->observed.pairs.spread);
    if (!a->options->not_pinned && (!a->setup.binding.pinned || a->observed.lost_pins) &&
        !sp_analysis_is_replayed(a))
        sp_record_add_flag(r, "Q03", "threads could not be pinned");
    if (a->setup.binding.oversubscribed)
        sp_record_add_flag(r, "Q04", "more threads than processors: some share one");
    if (!a->options->machine->validated && !sp_analysis_is_counted(a))
        sp_record_append(
            r, SP_F_REMARKS,
            json_string("the simulation is not validated against counters on this kind of machine"));
    if (a->observed.pairs.n_dropped > 0) {
        char text[120];
        snprintf(text, sizeof text, "%lld sample%s dropped: the processors moved between caches",
                 (long long)a->observed.pairs.n_dropped, a->observed.pairs.n_dropped == 1 ? "" : "s");
        sp_record_append(r, SP_F_REMARKS, json_string(text));
    }
}

/* The processor that the kernel ran on, where it is not that of the machine whose caches and
 * ceilings explain it; NULL: it is, or nobody knows. */
static const char *ran_elsewhere(const struct sp_analysis *a, const struct sp_record *r)
{
    const struct sp_byte_source *bytes = a->options->bytes;
    const char *where = "this one";
    if (a->elsewhere) {
        sp_record_text(r, SP_F_ENV_IDENTITY_CPU, &where);
        return where;
    }
    if (!sp_analysis_is_replayed(a) || !sp_record_text(&bytes->recording.record, SP_F_MACHINE_CPU, &where))
        return NULL;
    return sp_cpu_names_differ(where, a->options->machine->cpu) ? where : NULL;
}

static void record_foreign(const struct sp_analysis *a, struct sp_record *r)
{
    const char *where = ran_elsewhere(a, r);
    if (!where)
        return;
    sp_record_set_flag(r, SP_F_MACHINE_FOREIGN, true);
    sp_record_set_text(r, SP_F_MACHINE_RAN_ON, where);
    sp_record_add_flag(r, "Q06", "caches and ceilings are those of %s, the kernel ran on another machine: %s",
                       a->options->machine->name, where);
}

void sp_record_conditions(struct sp_record *r, const struct sp_conditions *c, const char *doubt)
{
    char text[320];
    if (c->state == SP_NOT_RUN) {
        sp_record_set_null(r, SP_F_CONDITIONS, "nothing was run here");
    } else {
        sp_record_set_text(r, SP_F_CONDITIONS_STATE, sp_condition_name(c->state));
        sp_record_set_text(r, SP_F_CONDITIONS_TEXT, sp_conditions_words(c, text, sizeof text));
        sp_record_set_count(r, SP_F_CONDITIONS_SAMPLES, c->n_clean + c->n_disturbed + c->n_crowded);
        sp_record_set_count(r, SP_F_CONDITIONS_DISTURBED, c->n_disturbed);
        if (c->n_crowded > 0)
            sp_record_set_count(r, SP_F_CONDITIONS_CROWDED, c->n_crowded);
    }
    for (int i = 0; c->state != SP_NOT_RUN && i < c->n_others; i++)
        sp_record_append(r, SP_F_CONDITIONS_OTHERS,
                         json_pack("{s:s, s:f}", "name", c->other[i].name, "processors", c->other[i].share));
    if (*doubt)
        sp_record_set_text(r, SP_F_CONDITIONS_DOUBT, doubt);
}

/* A replay has the state of its recording. */
static void record_conditions(const struct sp_analysis *a, struct sp_record *r)
{
    const json_t *recorded = sp_analysis_is_replayed(a)
                                 ? sp_record_node(&a->options->bytes->recording.record, SP_F_CONDITIONS)
                                 : NULL;
    if (!json_is_object(recorded)) {
        sp_record_conditions(r, &a->observed.conditions, a->evaluated.doubt);
        return;
    }
    sp_record_set_object(r, SP_F_CONDITIONS, json_deep_copy(recorded));
    if (*a->evaluated.doubt)
        sp_record_set_text(r, SP_F_CONDITIONS_DOUBT, a->evaluated.doubt);
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
    record_foreign(a, r);
    sp_record_set_text(r, SP_F_VERIFY_REFERENCE,
                       "row sums of CRS in double precision, tolerance from the row lengths");
    if (a->setup.kernel) {
        sp_record_set_number(r, SP_F_VERIFY_MAX_REL_ERR, a->setup.check.max_error);
        sp_record_set_number(r, SP_F_VERIFY_MAX_ERR_OVER_TOLERANCE, a->setup.check.max_ratio);
        sp_record_set_flag(r, SP_F_VERIFY_OK, a->setup.check.bad_row < 0);
    } else {
        sp_record_set_text(r, SP_F_VERIFY_WHY, "the run was recorded elsewhere");
    }
    sp_record_set_value(r, SP_F_PLACEMENT_PAGES_HUGE_SHARE, a->huge_share);
    sp_record_set_value(r, SP_F_PLACEMENT_NUMA_LOCAL_SHARE, a->local_share);
    for (int i = 0; i < a->observed.n_runs; i++)
        record_run(a, &a->observed.run[i], r);
    record_conditions(a, r);
    const int beyond = a->evaluated.residence.level - a->options->machine->n_caches;
    sp_record_sentinels(r, &a->observed.sentinels,
                        beyond >= 0    ? SP_SENTINEL_DRAM
                        : beyond == -1 ? SP_SENTINEL_LLC
                                       : SP_SENTINEL_CONTROL);
    sp_record_set_number(r, SP_F_COST_LOAD_S, a->subject->load_s);
    sp_record_set_number(r, SP_F_COST_LAYOUT_S, a->setup.layout_s);
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
        sp_record_set_text(r, SP_F_BINDING_LEVEL, a->evaluated.residence.name);
        sp_record_set_text(r, SP_F_BINDING_TERM, a->evaluated.once.binding);
        char why[200], needed[32], capacity[32];
        bool memory = a->evaluated.residence.level >= a->options->machine->n_caches;
        sp_text_bytes(needed, sizeof needed, a->evaluated.residence.needed_B);
        if (a->options->state == SP_COLD)
            snprintf(why, sizeof why, "%s start outside of the caches (" SP_O_COLD ")", needed);
        else if (a->evaluated.residence.doubt == sp_residence_drawn_from_cache)
            snprintf(why, sizeof why, "%s lie in a cache now: loads of them reach its speed", needed);
        else
            snprintf(why, sizeof why, "%s %s of %s", needed,
                     memory ? "do not fit the last-level cache" : "stay between executions in a cache",
                     sp_text_bytes(capacity, sizeof capacity, a->evaluated.residence.capacity_B));
        if (sp_value_known(a->evaluated.memory_B)) {
            sp_text_bytes(needed, sizeof needed, a->evaluated.memory_B.value);
            snprintf(why + strlen(why), sizeof why - strlen(why),
                     " in the mean, but not in that of every domain: %s come from memory or go there",
                     needed);
        }
        sp_record_set_text(r, SP_F_BINDING_WHY, why);
        sp_record_set_flag(r, SP_F_BINDING_CERTAIN, !a->evaluated.residence.doubt);
        if (a->evaluated.residence.doubt)
            sp_record_set_text(r, SP_F_BINDING_DOUBT, a->evaluated.residence.doubt);
        sp_record_ecm(r, a);
        sp_record_gathers(r, a);
        record_table(a, r);
        record_domains(a, r);
        if (!*a->evaluated.doubt) {
            record_losses(a, r);
            record_unfused(a, r);
        }
        record_own(a, r);
        record_bottleneck(a, r);
    }
    record_hints(a, r);
    if (a->tries)
        sp_record_tried_hints(r, a->tries);
    sp_record_plan(r, a->options->plan, &a->steps_taken);
    record_flags(a, r);
    sp_record_curves(r, a);
    sp_record_set_number(r, SP_F_COST_SIMULATE_S, a->simulated.simulate_s);
    if (strcmp(a->subject->reorder, "none") != 0)
        sp_record_set_number(r, SP_F_COST_REORDER_S, a->subject->reorder_s);
    sp_record_set_number(r, SP_F_COST_SETUP_SPMV,
                         (a->setup.layout_s + a->subject->reorder_s) / a->observed.pairs.time.value);
}
