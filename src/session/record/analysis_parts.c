/* Parts of a record of processors: what counters and sentinels said, the ECM model, curves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option/option_words.h"
#include "probes/probe.h"
#include "session/analyze/analysis.h"
#include "session/record/parts.h"

/* ---- what counters said, whether they are believed, why bytes are simulated ---- */

static json_t *trust_json(const struct sp_byte_source *s)
{
    static const char *const words[] = {"trusted", "nothing", "multiple", "missing", "elsewhere", "off"};
    json_t *trust = json_object(), *checks = json_array(), *mixes = json_array();
    json_object_set_new(trust, "tested", json_boolean(s->tested));
    json_object_set_new(trust, "trusted", s->tested ? json_boolean(s->trust.trusted) : json_null());
    json_object_set_new(trust, "text", json_string(s->trust.text));
    for (int i = 0; i < s->trust.n_checks; i++) {
        const struct sp_trust_check *c = &s->trust.check[i];
        json_array_append_new(checks,
                              json_pack("{s:s, s:s, s:o, s:o, s:o, s:b, s:s, s:s}", "what", c->what,
                                        "quantity", c->quantity, "known_B", sp_json_number(c->known_B),
                                        "counted_B", sp_record_value_json(c->counted_B, "B"), "ratio",
                                        sp_json_number(c->verdict.ratio), "decides", c->decides, "verdict",
                                        words[c->verdict.trust], "text", c->verdict.text));
    }
    for (int i = 0; i < s->trust.n_mixes; i++) {
        const struct sp_w_point *p = &s->trust.mix[i];
        json_array_append_new(mixes, json_pack("{s:o, s:b, s:o}", "store_share",
                                               sp_json_number(p->store_share), "non_temporal",
                                               p->non_temporal, "w", sp_record_value_json(p->w, "1")));
    }
    json_object_set_new(trust, "checks", checks);
    json_object_set_new(trust, "w", mixes);
    return trust;
}

static void record_difference(struct sp_record *r, const struct sp_analysis *a)
{
    if (!sp_value_known(a->evaluated.alpha_measured))
        return;
    double x_B = sp_layout_gather_bytes(&a->setup.layout);
    sp_record_set_number(r, SP_F_COUNTERS_ALPHA_DIFFERENCE_INTERVAL,
                         (a->evaluated.counted.total_B.hi - a->evaluated.counted.total_B.lo) / 2 / x_B);
    sp_record_set_flag(r, SP_F_COUNTERS_ALPHA_DIFFERENCE_COMPARED, a->attributed.alpha_compared);
    double difference = a->evaluated.alpha_measured.value - a->evaluated.alpha_simulated.value,
           left = difference;
    json_t *causes = json_array();
    for (int i = 0; i < a->attributed.n_causes; i++) {
        const struct sp_alpha_cause *c = &a->attributed.cause[i];
        double part = c->tested ? c->explains : 0;
        /* a cause that points the other way explains nothing, and none more than there is */
        part = part * difference > 0 ? copysign(fmin(fabs(part), fabs(left)), difference) : 0;
        left -= part;
        json_array_append_new(causes, json_pack("{s:s, s:b, s:o, s:s}", "cause", c->name, "tested", c->tested,
                                                "explains", c->tested ? json_real(part) : json_null(), "text",
                                                c->text));
    }
    sp_record_set_number(r, SP_F_COUNTERS_ALPHA_DIFFERENCE_DIFFERENCE, difference);
    sp_record_set_number(r, SP_F_COUNTERS_ALPHA_DIFFERENCE_UNATTRIBUTED,
                         a->attributed.n_causes > 0 ? left : difference);
    sp_record_set_flag(r, SP_F_COUNTERS_ALPHA_DIFFERENCE_SMALL,
                       a->attributed.alpha_compared && a->attributed.n_causes == 0);
    sp_record_set_object(r, SP_F_COUNTERS_ALPHA_DIFFERENCE_CAUSES, causes);
}

static void record_domains(struct sp_record *r, const struct sp_analysis *a)
{
    int n = sp_count_log_domains(&a->counts.log, "MEM");
    for (int d = 0; d < n && n > 1; d++) {
        struct sp_counted c = sp_count_log_bytes(&a->counts.log, SP_WINDOW_JOB, NULL, "MEM", d);
        sp_record_append(r, SP_F_COUNTERS_DOMAINS,
                         json_pack("{s:i, s:o, s:o, s:o}", "domain", d, "read_B",
                                   sp_record_value_json(c.read_B, "B"), "write_B",
                                   sp_record_value_json(c.write_B, "B"), "total_B",
                                   sp_record_value_json(c.total_B, "B")));
    }
}

static void record_tried(struct sp_record *r, const struct sp_byte_source *s)
{
    for (int i = 0; s && i < s->n_tried; i++)
        sp_record_append(r, SP_F_BYTES_TRIED,
                         json_pack("{s:s, s:s, s:s, s:b}", "source", s->tried[i].name, "reason",
                                   s->tried[i].reason, "remedy", s->tried[i].remedy, "opened",
                                   s->tried[i].opened));
}

static void record_core(struct sp_record *r, const struct sp_core_events *core)
{
    for (int i = 0; i < core->n; i++) {
        const struct sp_core_event *e = &core->event[i];
        sp_record_append(r, SP_F_CORE_EVENTS,
                         json_pack("{s:s, s:s, s:o, s:o}", "name", e->name, "source", "perf_event", "each",
                                   sp_record_value_json(e->each, e->unit), "running_share",
                                   sp_value_known(e->each) ? json_real(e->running_share) : json_null()));
    }
}

/* Events of threads that came with the source (PAPI), beside those of perf_event. */
static void record_work(struct sp_record *r, const struct sp_count_log *log)
{
    for (int e = 0; e < log->n_events; e++) {
        double sum = 0, share = 1;
        int n = 0;
        for (int i = 0; strcmp(log->event[e].level, "core") == 0 && i < log->n_windows; i++) {
            const struct sp_count_window *w = &log->window[i];
            double part, count = sp_count_of(&log->event[e], w->count[e], NULL, &part);
            if (w->kind != SP_WINDOW_JOB || w->pass != log->event[e].pass || !isfinite(count))
                continue;
            sum += count / (double)w->repetitions;
            share = fmin(share, part);
            n++;
        }
        if (n > 0)
            sp_record_append(
                r, SP_F_CORE_EVENTS,
                json_pack("{s:s, s:s, s:o, s:f}", "name", log->event[e].name, "source", log->source, "each",
                          sp_record_value_json(
                              sp_value_of(sum / n, log->constructed ? SP_CONSTRUCTED : SP_MEASURED), "1"),
                          "running_share", share));
    }
}

/* Do misses of the last level stand for what its memory controllers would count? */
static bool is_by_misses(const struct sp_count_log *log)
{
    for (int i = 0; i < log->n_events; i++)
        if (strcmp(log->event[i].level, "MEM") == 0 && strstr(log->event[i].name, "miss"))
            return true;
    return false;
}

/* What was counted elsewhere and cannot be this matrix on this machine. */
static void flag_mismatch(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_layout *l = &a->setup.layout;
    const struct sp_machine *m = a->options->machine;
    const double counted_B = sp_count_log_bytes(&a->counts.log, SP_WINDOW_JOB, NULL, "MEM", -1).total_B.value;
    if (!sp_analysis_is_replayed(a) || a->reuse.n_sizes == 0)
        return;
    /* In caches of a few lines each; prefetched and neighbouring lines may come beside these. */
    const double most_B = a->reuse.size[0].cold_B;
    /* Without what caches may have kept. */
    const double kept_B = a->options->state == SP_COLD ? 0 : 2 * sp_llc_capacity_B(m, a->setup.n_domains);
    const double least_B = a->evaluated.once.volume_B.value - kept_B;
    if (a->evaluated.residence.level < m->n_caches && counted_B >= sp_traffic_idle_B(l))
        sp_record_add_flag(
            r, "Q29",
            "%.4g MB of memory traffic were counted in each product, but the %.4g MB of this matrix stay "
            "in the %s of %s between products: another matrix or machine was counted, or other work "
            "pushed them out (" SP_O_COLD "); the bytes are simulated",
            counted_B / 1e6, a->evaluated.residence.needed_B * a->evaluated.residence.n_instances / 1e6,
            a->evaluated.residence.name, m->name);
    else if (counted_B > 1.5 * most_B)
        sp_record_add_flag(
            r, "Q29",
            "%.4g MB of memory traffic were counted in each product, this matrix moves %.4g MB where "
            "caches keep nothing: another matrix, more products than said, or other work was counted, too",
            counted_B / 1e6, most_B / 1e6);
    else if (a->evaluated.residence.level >= m->n_caches && 2 * counted_B < least_B)
        sp_record_add_flag(
            r, "Q29",
            "%.4g MB of memory traffic were counted in each product, and at least %.4g MB must move: another "
            "matrix, fewer products than said, or a part of the memory alone was counted",
            counted_B / 1e6, least_B / 1e6);
}

static void flag_counters(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_byte_source *s = a->options->bytes;
    if (s->constructed)
        sp_record_add_flag(r, "Q20", "constructed: the bytes%s are invented, measurements of no machine",
                           sp_analysis_is_replayed(a) ? " and times" : "");
    else if (s->replayed)
        sp_record_add_flag(r, "Q21", "replayed: counted by %s elsewhere or at another time", s->name);
    bool memory = a->evaluated.residence.level >= a->options->machine->n_caches;
    if (!s->tested)
        sp_record_add_flag(r, "Q22", "the counters were not tested with known volumes");
    else if (!memory && sp_analysis_is_counted(a))
        sp_record_add_flag(r, "Q22",
                           "the counters of %s were not tested with known volumes, those of memory were",
                           a->evaluated.residence.name);
    if (is_by_misses(&a->counts.log))
        sp_record_add_flag(r, "Q32",
                           "misses of the last-level cache times a line stand for reads of memory: what is "
                           "prefetched may not be among them");
    if (a->evaluated.writes_added)
        sp_record_add_flag(r, "Q27", "writes are not counted: s_y n_r was added to the reads");
    if (!sp_count_log_has_level(&a->counts.log, a->evaluated.residence.level >= a->options->machine->n_caches
                                                    ? "MEM"
                                                    : a->evaluated.residence.name)) {
        char text[200];
        snprintf(text, sizeof text,
                 "the data stay in %s between executions; %s counts no traffic there, so it is simulated",
                 a->evaluated.residence.name, s->name);
        sp_record_append(r, SP_F_REMARKS, json_string(text));
        return;
    }
    if (!sp_value_known(a->evaluated.counted.total_B)) {
        sp_record_add_flag(r, "Q23", "the bytes are simulated: %s", a->evaluated.counted.total_B.why);
        return;
    }
    if (!sp_value_known(a->evaluated.alpha_measured))
        sp_record_add_flag(r, "Q24",
                           "alpha is undefined: %s %.4g MB were counted, less than the %.4g MB of alpha = 0",
                           sp_value_known(a->evaluated.counted.read_B) ? "V_read" : "V",
                           a->evaluated.seen_B.value / 1e6, a->evaluated.zero_B.value / 1e6);
    if (a->evaluated.counted.running_share < 0.9999)
        sp_record_add_flag(r, "Q25", "multiplexed: counters were on for %.0f %% of the time, and scaled up",
                           100 * a->evaluated.counted.running_share);
    if (a->evaluated.counted.idle_share > 0.1)
        sp_record_add_flag(r, "Q26", "%.0f %% of the counted bytes were background and were taken off",
                           100 * a->evaluated.counted.idle_share);
}

void sp_record_counters(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_byte_source *s = a->options->bytes;
    record_tried(r, s);
    record_core(r, &a->counts.core);
    if (!a->counts.has_log) {
        sp_record_set_null(r, SP_F_COUNTERS, "bytes are simulated");
        return;
    }
    sp_record_set_object(r, SP_F_COUNTERS, sp_count_log_json(&a->counts.log));
    sp_record_set_object(r, SP_F_COUNTERS_TRUST, trust_json(s));
    sp_record_set_value(r, SP_F_COUNTERS_IDLE, a->evaluated.counted.idle_Bps);
    record_work(r, &a->counts.log);
    record_domains(r, a);
    record_difference(r, a);
    flag_counters(r, a);
    flag_mismatch(r, a);
}

/* What the sentinels saw, and whether the machine stayed the same while it was measured on. */

static json_t *sentinel_json(const struct sp_sentinel *s, const char *unit)
{
    json_t *values = json_array();
    for (int i = 0; i < s->n; i++)
        json_array_append_new(values, json_real(s->value[i]));
    json_t *o = json_pack("{s:s, s:s, s:o}", "unit", unit, "origin",
                          sp_origin_name(s->n > 0 ? SP_MEASURED : SP_NONE), "values", values);
    json_object_set_new(o, "spread", s->n > 0 ? json_real(s->spread) : json_null());
    if (s->bytes > 0)
        json_object_set_new(o, "bytes", json_real(s->bytes));
    if (s->n == 0)
        json_object_set_new(o, "why", json_string(s->why ? s->why : "it was not reached"));
    return o;
}

static void flag_drift(struct sp_record *r, const struct sp_sentinels *s, enum sp_sentinel_kind lives_on)
{
    static const char *const words[SP_N_SENTINELS] = {"DRAM sentinel", "last-level cache sentinel",
                                                      "control kernel"};
    char text[160] = "";
    size_t used = 0;
    for (int i = 0; i < SP_N_SENTINELS; i++) {
        double change;
        if ((i == SP_SENTINEL_CONTROL || i == (int)lives_on) && sp_sentinel_drifted(&s->of[i], &change) &&
            used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %+.0f %%", used > 0 ? ", " : "",
                                     words[i], 100 * change);
    }
    if (used > 0)
        sp_record_add_flag(r, "Q28", "the machine drifted while it was measured on: %s from first to last",
                           text);
}

void sp_record_sentinels(struct sp_record *r, const struct sp_sentinels *s, enum sp_sentinel_kind lives_on)
{
    if (s->n_threads == 0) {
        sp_record_set_null(r, SP_F_SENTINELS, "nothing was run here");
        return;
    }
    sp_record_set_count(r, SP_F_SENTINELS_VERSION, SP_SENTINEL_VERSION);
    sp_record_set_count(r, SP_F_SENTINELS_THREADS, s->n_threads);
    for (int i = 0; i < SP_N_SENTINELS; i++) {
        sp_record_set_object(r, sp_field_in(SP_F_SENTINELS, sp_sentinel_name((enum sp_sentinel_kind)i)),
                             sentinel_json(&s->of[i], i == SP_SENTINEL_CONTROL ? "1/s" : "B/s"));
    }
    sp_record_set_number(r, SP_F_SENTINELS_SECONDS, s->seconds);
    flag_drift(r, s, lives_on);
}

/* The ECM model and the roof of gathers in a record. */

void sp_record_ecm(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_ecm_found *e = &a->ecm;
    json_t *o = sp_ecm_json(&e->inputs, &e->times,
                            (struct sp_ecm_words){e->core_from, sp_analysis_caches(a)->ecm.how});
    sp_record_set_object(r, SP_F_ECM, o);
    sp_record_set_value(r, SP_F_ECM_LOADS, e->load_B);
}

void sp_record_gathers(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_gather_roof *g = &a->gathers;
    if (g->hits.n_levels > 0)
        sp_record_set_object(r, SP_F_GATHERS, sp_gather_json(g));
}

void sp_record_gather_roof(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_value ps = a->gathers.roof_ps;
    if (!sp_value_known(ps) || !(a->setup.layout.n_nz > 0))
        return;
    const double n = sp_layout_gather_bytes(&a->setup.layout) / (double)a->setup.layout.s_x,
                 flop = a->evaluated.balance_W / n;
    struct sp_ceiling roof = {.n_threads = a->setup.workload.n_threads,
                              .n_domains = a->setup.n_domains,
                              .value =
                                  sp_value_between(flop * ps.value, flop * ps.lo, flop * ps.hi, SP_MODELLED)};
    snprintf(roof.name, sizeof roof.name, "gather");
    snprintf(roof.level, sizeof roof.level, "core");
    snprintf(roof.precision, sizeof roof.precision, "f64");
    snprintf(roof.how, sizeof roof.how,
             "gathers of x from the levels that the simulation says, each at its own rate");
    sp_record_append(r, SP_F_ROOFS, sp_json_ceiling(&roof, "gathers"));
}

void sp_record_ecm_row(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_ecm_found *e = &a->ecm;
    if (!sp_value_known(e->times.time_s))
        return;
    sp_record_append(r, SP_F_TABLE,
                     sp_json_table_row("ECM, x as simulated", e->times.time_s,
                                       sp_value_known(e->bytes) ? e->bytes : a->evaluated.seen.volume_B,
                                       a->evaluated.balance_W,
                                       sp_value_none("this row is not compared with the roof"), NULL));
}

/* beta over C and nested windows sigma [THEORY 2]. */
static void record_beta(struct sp_record *r, const struct sp_csr *m)
{
    enum { N_CHUNKS = 5, N_WINDOWS = 6 };
    static const int32_t chunks[N_CHUNKS] = {4, 8, 16, 32, 64};
    static const int64_t windows[N_WINDOWS] = {1, 64, 256, 1024, 4096, 16384};
    struct sp_pattern pattern = sp_csr_pattern(m);
    double beta[N_WINDOWS][N_CHUNKS];
    for (int j = 0; j < N_WINDOWS; j++)
        sp_sell_betas(&pattern, chunks, N_CHUNKS, windows[j], beta[j]);
    for (int i = 0; i < N_CHUNKS; i++)
        for (int j = 0; j < N_WINDOWS; j++) {
            json_t *point = json_object();
            json_object_set_new(point, "C", json_integer(chunks[i]));
            json_object_set_new(point, "sigma", json_integer(windows[j]));
            json_object_set_new(point, "beta", json_real(beta[j][i]));
            sp_record_append(r, SP_F_CURVES_BETA_MAP, point);
        }
}

static void record_saturation(struct sp_record *r, const struct sp_machine *m)
{
    json_t *points = json_array();
    const char *name = "";
    for (int t = 1; t <= m->n_cores * (m->threads_per_core > 0 ? m->threads_per_core : 1); t++) {
        bool exact;
        const struct sp_ceiling *c = sp_roof_of(m, "MEM", t, NULL, &exact);
        if (!c || !exact)
            continue;
        json_t *point = json_object();
        json_object_set_new(point, "threads", json_integer(t));
        json_object_set_new(point, "value", json_real(c->value.value));
        json_object_set_new(point, "lo", json_real(c->value.lo));
        json_object_set_new(point, "hi", json_real(c->value.hi));
        json_array_append_new(points, point);
        name = c->name;
    }
    if (json_array_size(points) < 2) {
        json_decref(points);
        return;
    }
    json_t *curve = json_object();
    json_object_set_new(curve, "name", json_string(name));
    json_object_set_new(curve, "level", json_string("MEM"));
    json_object_set_new(curve, "unit", json_string("B/s"));
    json_object_set_new(curve, "points", points);
    sp_record_append(r, SP_F_CURVES_SATURATION, curve);
}

/* alpha over the size of each last-level cache, for the state of the caches that was measured. */
static void record_alpha(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_reuse *reuse = &a->reuse;
    if (reuse->n_sizes == 0)
        return;
    bool cold = a->options->state == SP_COLD;
    double most = 0, widest = 0;
    json_t *points = json_array();
    for (int i = 0; i < reuse->n_sizes; i++) {
        const struct sp_reuse_size *s = &reuse->size[i];
        double alpha = cold ? s->alpha_cold : s->alpha_warm;
        double lo = cold ? s->alpha_cold_lo : s->alpha_warm_lo,
               hi = cold ? s->alpha_cold_hi : s->alpha_warm_hi;
        json_t *point = json_object();
        json_object_set_new(point, "capacity_B", json_integer(s->capacity_B));
        json_object_set_new(point, "alpha", json_real(alpha));
        json_object_set_new(point, "lo", json_real(lo));
        json_object_set_new(point, "hi", json_real(hi));
        json_array_append_new(points, point);
        most = fmax(most, alpha);
        widest = fmax(widest, 0.5 * (hi - lo));
    }
    json_t *curve = json_object();
    json_object_set_new(curve, "origin", json_string(sp_origin_name(SP_SIMULATED)));
    json_object_set_new(curve, "state", json_string(cold ? "cold" : "warm"));
    json_object_set_new(curve, "rate", json_real(reuse->rate));
    json_object_set_new(curve, "error", reuse->exact || most <= 0 ? json_real(0) : json_real(widest / most));
    json_object_set_new(curve, "points", points);
    sp_record_set_object(r, SP_F_CURVES_ALPHA_CACHE, curve);
}

/* B(r) with every line of the gathered operand loaded once. */
static void record_balance(struct sp_record *r, const struct sp_analysis *a)
{
    json_t *points = json_array(), *curve = json_object();
    for (int i = 0; i < a->compared.n_balances; i++)
        json_array_append_new(points, json_pack("{s:i, s:f}", "r", (int)a->compared.balance[i].r, "balance",
                                                a->compared.balance[i].balance));
    json_object_set_new(curve, "origin", json_string(sp_origin_name(SP_MODELLED)));
    json_object_set_new(curve, "points", points);
    sp_record_set_object(r, SP_F_CURVES_BALANCE, curve);
}

void sp_record_curves(struct sp_record *r, const struct sp_analysis *a)
{
    if (!a->options->no_hints && a->setup.layout.n_nz > 0)
        record_beta(r, a->setup.workload.matrix);
    record_saturation(r, a->options->machine);
    record_alpha(r, a);
    if (a->compared.n_balances > 0)
        record_balance(r, a);
}
