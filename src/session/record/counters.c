/* What counters said, whether they are believed, and why bytes are simulated where they are. */
#include <math.h>
#include <string.h>

#include "base/option/option_words.h"
#include "probes/replay.h"
#include "session/analyze/analysis.h"
#include "session/record/parts.h"

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *trust_json(const struct sp_byte_source *s)
{
    static const char *const words[] = {"trusted", "nothing", "multiple", "missing", "elsewhere", "off"};
    json_t *trust = json_object(), *checks = json_array(), *mixes = json_array();
    json_object_set_new(trust, "tested", json_boolean(s->tested));
    json_object_set_new(trust, "trusted", s->tested ? json_boolean(s->trust.trusted) : json_null());
    json_object_set_new(trust, "text", json_string(s->trust.text));
    for (int i = 0; i < s->trust.n_checks; i++) {
        const struct sp_trust_check *c = &s->trust.check[i];
        json_array_append_new(checks, json_pack("{s:s, s:s, s:o, s:o, s:o, s:b, s:s, s:s}", "what", c->what,
                                                "quantity", c->quantity, "known_B", number(c->known_B),
                                                "counted_B", sp_record_value_json(c->counted_B, "B"), "ratio",
                                                number(c->verdict.ratio), "decides", c->decides, "verdict",
                                                words[c->verdict.trust], "text", c->verdict.text));
    }
    for (int i = 0; i < s->trust.n_mixes; i++) {
        const struct sp_w_point *p = &s->trust.mix[i];
        json_array_append_new(mixes, json_pack("{s:o, s:b, s:o}", "store_share", number(p->store_share),
                                               "non_temporal", p->non_temporal, "w",
                                               sp_record_value_json(p->w, "1")));
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
    sp_record_set_number(r, "counters.alpha_difference.interval",
                         (a->evaluated.counted.total_B.hi - a->evaluated.counted.total_B.lo) / 2 / x_B);
    sp_record_set_flag(r, "counters.alpha_difference.compared", a->attributed.alpha_compared);
    double difference = a->evaluated.alpha_measured.value - a->evaluated.alpha_simulated.value,
           left = difference;
    json_t *causes = json_array();
    for (int i = 0; i < a->attributed.n_causes; i++) {
        const struct sp_alpha_cause *c = &a->attributed.cause[i];
        double part = c->tested ? c->explains : 0;
        /* a cause that points the other way explains nothing, and none explains more than there is */
        part = part * difference > 0 ? copysign(fmin(fabs(part), fabs(left)), difference) : 0;
        left -= part;
        json_array_append_new(causes, json_pack("{s:s, s:b, s:o, s:s}", "cause", c->name, "tested", c->tested,
                                                "explains", c->tested ? json_real(part) : json_null(), "text",
                                                c->text));
    }
    sp_record_set_number(r, "counters.alpha_difference.difference", difference);
    sp_record_set_number(r, "counters.alpha_difference.unattributed",
                         a->attributed.n_causes > 0 ? left : difference);
    sp_record_set_flag(r, "counters.alpha_difference.small",
                       a->attributed.alpha_compared && a->attributed.n_causes == 0);
    sp_record_set_object(r, "counters.alpha_difference.causes", causes);
}

static void record_domains(struct sp_record *r, const struct sp_analysis *a)
{
    int n = sp_count_log_domains(&a->counts.log, "MEM");
    for (int d = 0; d < n && n > 1; d++) {
        struct sp_counted c = sp_count_log_bytes(&a->counts.log, SP_WINDOW_JOB, NULL, "MEM", d);
        sp_record_append(r, "counters.domains",
                         json_pack("{s:i, s:o, s:o, s:o}", "domain", d, "read_B",
                                   sp_record_value_json(c.read_B, "B"), "write_B",
                                   sp_record_value_json(c.write_B, "B"), "total_B",
                                   sp_record_value_json(c.total_B, "B")));
    }
}

static void record_tried(struct sp_record *r, const struct sp_byte_source *s)
{
    for (int i = 0; s && i < s->n_tried; i++)
        sp_record_append(r, "bytes_tried",
                         json_pack("{s:s, s:s, s:s, s:b}", "source", s->tried[i].name, "reason",
                                   s->tried[i].reason, "remedy", s->tried[i].remedy, "opened",
                                   s->tried[i].opened));
}

static void record_core(struct sp_record *r, const struct sp_core_events *core)
{
    for (int i = 0; i < core->n; i++) {
        const struct sp_core_event *e = &core->event[i];
        sp_record_append(r, "core_events",
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
                r, "core_events",
                json_pack("{s:s, s:s, s:o, s:f}", "name", log->event[e].name, "source", log->source, "each",
                          sp_record_value_json(
                              sp_value_of(sum / n, log->constructed ? SP_CONSTRUCTED : SP_MEASURED), "1"),
                          "running_share", share));
    }
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
    if (a->evaluated.writes_added)
        sp_record_add_flag(r, "Q27", "writes are not counted: s_y n_r was added to the reads");
    if (!sp_count_log_has_level(&a->counts.log, a->evaluated.residence.level >= a->options->machine->n_caches
                                                    ? "MEM"
                                                    : a->evaluated.residence.name)) {
        char text[200];
        snprintf(text, sizeof text,
                 "the data stay in %s between executions; %s counts no traffic there, so it is simulated",
                 a->evaluated.residence.name, s->name);
        sp_record_append(r, "remarks", json_string(text));
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
        sp_record_set_null(r, "counters", "bytes are simulated");
        return;
    }
    sp_record_set_object(r, "counters", sp_count_log_json(&a->counts.log));
    sp_record_set_object(r, "counters.trust", trust_json(s));
    sp_record_set_value(r, "counters.idle", a->evaluated.counted.idle_Bps, "B/s");
    record_work(r, &a->counts.log);
    record_domains(r, a);
    record_difference(r, a);
    flag_counters(r, a);
    flag_mismatch(r, a);
}
