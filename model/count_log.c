#include "model/count_log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/reading.h"

static const char *const kind_names[] = {"idle", "known", "job"};

const char *sp_window_kind_name(enum sp_window_kind kind)
{
    return kind_names[kind];
}

int sp_window_kind_from_name(const char *name)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(kind_names[i], name) == 0)
            return i;
    return -1;
}

/* Room for one more item in an array of n that grows by doubling. */
static enum sp_status grow(void **array, int n, size_t size, struct sp_error *err)
{
    if (n > 0 && (n & (n - 1)) != 0)
        return SP_OK;
    void *p = realloc(*array, (size_t)(n > 0 ? 2 * n : 1) * size);
    if (!p)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for counts");
    *array = p;
    return SP_OK;
}

enum sp_status sp_count_log_add_event(struct sp_count_log *log, const struct sp_count_event *event,
                                      struct sp_error *err)
{
    void *p = log->event;
    enum sp_status status = grow(&p, log->n_events, sizeof *log->event, err);
    log->event = p;
    if (status != SP_OK)
        return status;
    log->event[log->n_events++] = *event;
    if (event->pass >= log->n_passes)
        log->n_passes = event->pass + 1;
    return SP_OK;
}

enum sp_status sp_count_log_add_window(struct sp_count_log *log, const struct sp_count_window *window,
                                       struct sp_count_window **out, struct sp_error *err)
{
    void *p = log->window, *counts;
    if (out)
        *out = NULL;
    enum sp_status status = grow(&p, log->n_windows, sizeof *log->window, err);
    log->window = p;
    if (status == SP_OK)
        status = sp_new_array(log->n_events, sizeof(struct sp_count), "counts", &counts, err);
    if (status != SP_OK)
        return status;
    struct sp_count_window *w = &log->window[log->n_windows++];
    *w = *window;
    w->count = counts;
    for (int i = 0; i < log->n_events; i++)
        w->count[i].before = w->count[i].after = NAN;
    if (out)
        *out = w;
    return SP_OK;
}

void sp_count_log_drop(struct sp_count_log *log, enum sp_window_kind kind)
{
    int kept = 0;
    for (int i = 0; i < log->n_windows; i++)
        if (log->window[i].kind == kind)
            free(log->window[i].count);
        else
            log->window[kept++] = log->window[i];
    /* The array grows at powers of two: the rest must have the room that its number promises. */
    void *p = kept > 0 ? log->window : NULL;
    int room = 1;
    while (room < kept)
        room *= 2;
    if (kept > 0) {
        void *smaller = realloc(log->window, (size_t)room * sizeof *log->window);
        p = smaller ? smaller : p;
    } else {
        free(log->window);
    }
    log->window = p;
    log->n_windows = kept;
}

enum sp_status sp_count_log_copy(const struct sp_count_log *from, struct sp_count_log *to,
                                 struct sp_error *err)
{
    enum sp_status status = SP_OK;
    *to = *from;
    to->event = NULL;
    to->window = NULL;
    to->n_events = to->n_windows = 0;
    for (int i = 0; i < from->n_events && status == SP_OK; i++)
        status = sp_count_log_add_event(to, &from->event[i], err);
    for (int i = 0; i < from->n_windows && status == SP_OK; i++) {
        struct sp_count_window *w;
        status = sp_count_log_add_window(to, &from->window[i], &w, err);
        if (status == SP_OK)
            memcpy(w->count, from->window[i].count, (size_t)from->n_events * sizeof *w->count);
    }
    if (status != SP_OK)
        sp_count_log_free(to);
    return status;
}

void sp_count_log_free(struct sp_count_log *log)
{
    if (!log)
        return;
    for (int i = 0; i < log->n_windows; i++)
        free(log->window[i].count);
    free(log->window);
    free(log->event);
    memset(log, 0, sizeof *log);
}

double sp_count_of(const struct sp_count_event *event, struct sp_count c, enum sp_count_state *state,
                   double *share)
{
    enum sp_count_state own, *out = state ? state : &own;
    *out = SP_COUNT_NONE;
    if (share)
        *share = 0;
    double n = c.after - c.before;
    if (n < 0 && event->bits > 0 && event->bits < 64)
        n += ldexp(1, event->bits);
    if (!isfinite(n) || n < 0 || !(c.running_s > 0) || !(c.enabled_s > 0) ||
        c.running_s > 1.0001 * c.enabled_s)
        return NAN;
    double running = fmin(1, c.running_s / c.enabled_s);
    if (share)
        *share = running;
    *out = running < 0.9999 ? SP_COUNT_MULTIPLEXED : SP_COUNT_EXACT;
    return *out == SP_COUNT_EXACT ? n : n / running;
}

/* Bytes of one direction in one window, over one execution or one second. */
struct rate {
    double B;
    bool any;
};

struct tally {
    const struct sp_count_log *log;
    const char *level;
    int domain;
    struct sp_counted *out;
};

static bool is_asked(const struct tally *t, const struct sp_count_event *e, int pass)
{
    return e->pass == pass && strcmp(e->level, t->level) == 0 && (t->domain < 0 || t->domain == e->domain);
}

/* Sums the window by direction; false where an event gave no number. */
static bool sum_window(const struct tally *t, const struct sp_count_window *w,
                       struct rate sum[SP_N_DIRECTIONS])
{
    memset(sum, 0, SP_N_DIRECTIONS * sizeof *sum);
    for (int i = 0; i < t->log->n_events; i++) {
        const struct sp_count_event *e = &t->log->event[i];
        enum sp_count_state state;
        double share;
        if (!is_asked(t, e, w->pass))
            continue;
        double n = sp_count_of(e, w->count[i], &state, &share);
        if (state == SP_COUNT_NONE) {
            t->out->trouble = !isfinite(w->count[i].after)   ? "a counter gave no number"
                              : !(w->count[i].running_s > 0) ? "a counter was never on"
                              : w->count[i].after < w->count[i].before
                                  ? "a counter ran backwards"
                                  : "a counter gave times that contradict each other";
            return false;
        }
        t->out->n_wrapped += w->count[i].after < w->count[i].before;
        t->out->running_share = fmin(t->out->running_share, share);
        sum[e->direction].B += n * e->B_per_count;
        sum[e->direction].any = true;
    }
    return true;
}

enum { MOST = 256 };

/* Medians and extremes of the windows of one kind and pass, by direction. */
struct summary {
    int n;
    double median[SP_N_DIRECTIONS], lo[SP_N_DIRECTIONS], hi[SP_N_DIRECTIONS];
    bool any[SP_N_DIRECTIONS];
};

/* Per second for idle windows; else bytes of one execution less the background in its time. */
static bool summarise(const struct tally *t, enum sp_window_kind kind, const char *what, int pass,
                      const struct summary *idle, struct summary *out)
{
    double value[SP_N_DIRECTIONS][MOST];
    memset(out, 0, sizeof *out);
    double gross = 0, background = 0;
    for (int i = 0; i < t->log->n_windows && out->n < MOST; i++) {
        const struct sp_count_window *w = &t->log->window[i];
        struct rate sum[SP_N_DIRECTIONS];
        if (w->kind != kind || w->pass != pass || (what && strcmp(what, w->what) != 0))
            continue;
        if (!(w->duration_s > 0) || w->repetitions < 1) {
            t->out->trouble = "a window without a duration";
            return false;
        }
        if (!sum_window(t, w, sum))
            return false;
        double per = kind == SP_WINDOW_IDLE ? w->duration_s : (double)w->repetitions;
        for (int d = 0; d < SP_N_DIRECTIONS; d++) {
            double off = idle && idle->n > 0 ? idle->median[d] * w->duration_s : 0;
            out->any[d] = out->any[d] || sum[d].any;
            value[d][out->n] = fmax(0, sum[d].B - off) / per;
            gross += sum[d].B;
            background += off;
        }
        out->n++;
    }
    for (int d = 0; d < SP_N_DIRECTIONS && out->n > 0; d++) {
        out->median[d] = sp_median(value[d], out->n);
        out->lo[d] = sp_quantile(value[d], out->n, out->n > 8 ? 0.25 : 0);
        out->hi[d] = sp_quantile(value[d], out->n, out->n > 8 ? 0.75 : 1);
    }
    if (kind != SP_WINDOW_IDLE && gross > 0)
        t->out->idle_share = fmax(t->out->idle_share, background / gross);
    return out->n > 0;
}

/* Seconds of one execution in these windows: what turns the background's spread into bytes. */
static double seconds_of(const struct sp_count_log *log, enum sp_window_kind kind, const char *what)
{
    double s = 0;
    int n = 0;
    for (int i = 0; i < log->n_windows; i++)
        if (log->window[i].kind == kind && (!what || strcmp(what, log->window[i].what) == 0)) {
            s += log->window[i].duration_s / (double)log->window[i].repetitions;
            n++;
        }
    return n > 0 ? s / n : 0;
}

static struct sp_value plus(struct sp_value a, struct sp_value b)
{
    return sp_value_between(a.value + b.value, a.lo + b.lo, a.hi + b.hi, a.origin);
}

/* One direction alone is not all: what else there was is not known. */
static struct sp_value all_of(const struct sp_value sum[SP_N_DIRECTIONS])
{
    bool both = sp_value_known(sum[SP_READS_AND_WRITES]), reads = sp_value_known(sum[SP_READS]),
         writes = sp_value_known(sum[SP_WRITES]);
    struct sp_value all = both ? sum[SP_READS_AND_WRITES] : sp_value_of(0, SP_NONE);
    if (reads != writes)
        return sp_value_none(reads ? "writes are not counted" : "reads are not counted");
    if (reads)
        all = both ? plus(all, plus(sum[SP_READS], sum[SP_WRITES])) : plus(sum[SP_READS], sum[SP_WRITES]);
    return all;
}

struct sp_counted sp_count_log_bytes(const struct sp_count_log *log, enum sp_window_kind kind,
                                     const char *what, const char *level, int domain)
{
    struct sp_counted out = {.running_share = 1};
    struct tally t = {log, level, domain, &out};
    const struct sp_value nothing = sp_value_none("no event counts it");
    struct sp_value sum[SP_N_DIRECTIONS] = {nothing, nothing, nothing};
    const enum sp_origin origin = log->constructed ? SP_CONSTRUCTED : SP_MEASURED;
    double idle_Bps = 0, execution_s = seconds_of(log, kind, what);
    bool good = true, idle_known = false, any = false;
    for (int pass = 0; pass < log->n_passes && good; pass++) {
        struct summary idle, s;
        bool asked = false;
        for (int i = 0; i < log->n_events; i++)
            asked = asked || is_asked(&t, &log->event[i], pass);
        if (!asked)
            continue;
        bool has_idle = summarise(&t, SP_WINDOW_IDLE, NULL, pass, NULL, &idle);
        good = !out.trouble && summarise(&t, kind, what, pass, has_idle ? &idle : NULL, &s);
        if (!good)
            break;
        out.n_windows += s.n;
        idle_known = idle_known || has_idle;
        for (int d = 0; d < SP_N_DIRECTIONS; d++) {
            if (!s.any[d])
                continue;
            double spread = has_idle ? (idle.hi[d] - idle.lo[d]) / 2 * execution_s : 0;
            double left_open = (1 - out.running_share) * s.median[d];
            out.idle_spread_B += spread;
            struct sp_value v =
                sp_value_between(s.median[d], fmax(0, fmin(s.median[d], s.lo[d]) - spread - left_open),
                                 fmax(s.median[d], s.hi[d]) + spread + left_open, origin);
            sum[d] = sp_value_known(sum[d]) ? plus(sum[d], v) : v;
            idle_Bps += has_idle ? idle.median[d] : 0;
            any = true;
        }
    }
    const char *why = out.trouble ? out.trouble : !any ? "nothing was counted at this level" : NULL;
    if (!good || !any) {
        out.read_B = out.write_B = out.total_B = out.idle_Bps =
            sp_value_none(why ? why : "no window was counted");
        return out;
    }
    out.idle_Bps = idle_known ? sp_value_of(idle_Bps, origin) : sp_value_none("no idle window");
    bool apart = !sp_value_known(sum[SP_READS_AND_WRITES]);
    out.read_B = apart ? sum[SP_READS] : sp_value_none("reads and writes are counted together");
    out.write_B = apart ? sum[SP_WRITES] : sp_value_none("reads and writes are counted together");
    out.total_B = all_of(sum);
    return out;
}

int sp_count_log_domains(const struct sp_count_log *log, const char *level)
{
    int n = 0;
    for (int i = 0; i < log->n_events; i++)
        if (strcmp(log->event[i].level, level) == 0 && log->event[i].domain >= n)
            n = log->event[i].domain + 1;
    return n;
}

bool sp_count_log_has_level(const struct sp_count_log *log, const char *level)
{
    return sp_count_log_domains(log, level) > 0;
}

/* In caches a counter of memory may see this much of what the program moves, and no more. */
#define CACHE_LEAK 0.05

static bool near(double x, double y, double tolerance)
{
    return fabs(x - y) <= tolerance * y;
}

/* n_channels are read and n_channels + missing carry the traffic. A number is named only where the
 * numbers beside it are told apart by the tolerance; else too little is all that can be said. */
static void missing_channels(struct sp_trust_verdict *v, double tolerance, int n_channels)
{
    enum { MOST_CHANNELS = 32 };
    if (v->ratio >= 1)
        return;
    v->trust = SP_TRUST_MISSING;
    snprintf(v->text, sizeof v->text,
             "counts %.2f of the known volume: too little, memory channels may be missing", v->ratio);
    for (int missing = 1; missing <= n_channels && n_channels + missing <= MOST_CHANNELS; missing++) {
        double here = (double)n_channels / (n_channels + missing),
               above = (double)n_channels / (n_channels + missing - 1),
               below = (double)n_channels / (n_channels + missing + 1);
        bool apart = fmin(above - here, here - below) > 2 * tolerance * here;
        if (near(v->ratio, here, tolerance) && apart)
            snprintf(v->text, sizeof v->text,
                     "counts %.2f of the known volume, as if %d of %d memory channels were missing", v->ratio,
                     missing, n_channels + missing);
    }
}

struct sp_trust_verdict sp_trust_judge(double counted_B, double known_B, double tolerance, int n_channels)
{
    struct sp_trust_verdict v = {.trust = SP_TRUST_OFF, .ratio = counted_B / known_B};
    const size_t size = sizeof v.text;
    if (!isfinite(v.ratio)) {
        v.trust = SP_TRUST_NOTHING;
        snprintf(v.text, size, "gives no number");
    } else if (v.ratio < 0.01) {
        v.trust = SP_TRUST_NOTHING;
        snprintf(v.text, size, "counts %.2g of the known volume: nothing, or another machine's part",
                 v.ratio);
    } else if (near(v.ratio, 1, tolerance)) {
        v.trust = SP_TRUSTED;
        snprintf(v.text, size, "counts %.3f of the known volume", v.ratio);
    } else {
        snprintf(v.text, size, "counts %.2f times the known volume, which nothing simple explains", v.ratio);
        for (int k = 2; k <= 4; k++)
            if (near(v.ratio, k, tolerance)) {
                v.trust = SP_TRUST_MULTIPLE;
                snprintf(v.text, size, "counts %.2f times the known volume: every line %d times", v.ratio, k);
            }
        missing_channels(&v, tolerance, n_channels);
    }
    return v;
}

/* Units that are read, and those that see less than a tenth of the others' mean in `what`. */
static int channels_of(const struct sp_count_log *log, const char *level, const char *what,
                       enum sp_direction direction, int *silent, char *name, size_t size)
{
    int n = 0;
    double sum = 0;
    *silent = 0;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < log->n_events; i++) {
            const struct sp_count_event *e = &log->event[i];
            if (strcmp(e->level, level) != 0 || e->channel < 0 || e->direction != direction)
                continue;
            double bytes = 0;
            for (int k = 0; k < log->n_windows; k++) {
                const struct sp_count_window *w = &log->window[k];
                if (w->kind == SP_WINDOW_KNOWN && w->pass == e->pass && strcmp(w->what, what) == 0)
                    bytes += fmax(0, sp_count_of(e, w->count[i], NULL, NULL)) * e->B_per_count;
            }
            if (round == 0) {
                n++;
                sum += bytes;
            } else if (sum > 0 && bytes < 0.1 * sum / n) {
                if ((*silent)++ == 0)
                    snprintf(name, size, "%s", e->name);
            }
        }
    return n;
}

static struct sp_trust_check *add(struct sp_trust_report *r, const char *what, const char *quantity,
                                  double known_B, struct sp_value counted, bool decides)
{
    if (r->n_checks == SP_TRUST_MAX_CHECKS)
        return NULL;
    struct sp_trust_check *c = &r->check[r->n_checks++];
    memset(c, 0, sizeof *c);
    snprintf(c->what, sizeof c->what, "%s", what);
    snprintf(c->quantity, sizeof c->quantity, "%s", quantity);
    c->known_B = known_B;
    c->counted_B = counted;
    c->decides = decides;
    return c;
}

static void judge(struct sp_trust_report *r, const struct sp_count_log *log, const char *level,
                  const char *what, const char *quantity, double known_B, struct sp_value counted,
                  double tolerance, enum sp_direction direction)
{
    struct sp_trust_check *c = add(r, what, quantity, known_B, counted, true);
    if (!c)
        return;
    char name[96];
    int silent, n = channels_of(log, level, what, direction, &silent, name, sizeof name);
    c->verdict = sp_trust_judge(sp_value_known(counted) ? counted.value : NAN, known_B, tolerance, n);
    if (!sp_value_known(counted))
        snprintf(c->verdict.text, sizeof c->verdict.text, "gives no number: %s", counted.why);
    else if (silent > 0 && c->verdict.trust == SP_TRUST_MISSING)
        snprintf(c->verdict.text, sizeof c->verdict.text,
                 "counts %.2f of the known volume; %d of %d channels count nothing (%.60s)", c->verdict.ratio,
                 silent, n, name);
}

/* In caches nothing must be counted beyond what leaks. */
static void judge_cached(struct sp_trust_report *r, double touched_B, struct sp_value counted)
{
    struct sp_trust_check *c = add(r, "in cache", "all", touched_B, counted, true);
    if (!c)
        return;
    double ratio = sp_value_known(counted) ? counted.value / touched_B : NAN;
    c->verdict.ratio = ratio;
    c->verdict.trust = ratio <= CACHE_LEAK ? SP_TRUSTED : isfinite(ratio) ? SP_TRUST_OFF : SP_TRUST_NOTHING;
    if (isfinite(ratio))
        snprintf(c->verdict.text, sizeof c->verdict.text,
                 ratio <= CACHE_LEAK
                     ? "counts %.3f of what passed within the caches"
                     : "counts %.2f of what passed within the caches: it counts other traffic too",
                 ratio);
    else
        snprintf(c->verdict.text, sizeof c->verdict.text, "gives no number");
}

/* Each line of x once, at random: prefetchers may add to it, nothing may take away. */
static void judge_gather(struct sp_trust_report *r, double known_B, struct sp_value counted)
{
    struct sp_trust_check *c = add(r, "gather", "reads", known_B, counted, false);
    if (!c)
        return;
    double ratio = sp_value_known(counted) ? counted.value / known_B : NAN;
    c->verdict.ratio = ratio;
    c->verdict.trust = ratio > 0.95 ? SP_TRUSTED : isfinite(ratio) ? SP_TRUST_OFF : SP_TRUST_NOTHING;
    if (ratio > 1.1)
        snprintf(c->verdict.text, sizeof c->verdict.text,
                 "a random line costs %.2f lines: neighbours are prefetched or fetched with it", ratio);
    else if (isfinite(ratio))
        snprintf(c->verdict.text, sizeof c->verdict.text, "a random line costs %.2f lines", ratio);
    else
        snprintf(c->verdict.text, sizeof c->verdict.text, "gives no number");
}

/* All of it in domain d, where only domain_share[d] of it lies? */
static void judge_domains(struct sp_trust_report *r, const struct sp_count_log *log, const char *level,
                          const struct sp_count_window *load)
{
    int counted_domains = sp_count_log_domains(log, level), n_domains = log->n_shares;
    const double *domain_share = log->domain_share;
    double part[SP_COUNT_MAX_DOMAINS], all = 0;
    if (n_domains == 0 || counted_domains < 2 || counted_domains > SP_COUNT_MAX_DOMAINS)
        return;
    for (int d = 0; d < counted_domains; d++) {
        struct sp_counted c = sp_count_log_bytes(log, SP_WINDOW_KNOWN, load->what, level, d);
        struct sp_value seen = sp_value_known(c.total_B) ? c.total_B : c.read_B; /* some count reads alone */
        part[d] = sp_value_known(seen) ? seen.value : 0;
        all += part[d];
    }
    for (int d = 0; d < counted_domains && all > 0; d++) {
        double share = part[d] / all, expected = d < n_domains ? domain_share[d] : 0;
        if (fabs(share - expected) < 0.15)
            continue;
        struct sp_trust_check *c =
            add(r, load->what, "domains", expected * load->load_B,
                sp_value_of(part[d], log->constructed ? SP_CONSTRUCTED : SP_MEASURED), true);
        if (!c)
            return;
        c->verdict.trust = SP_TRUST_ELSEWHERE;
        c->verdict.ratio = expected > 0 ? share / expected : NAN;
        snprintf(c->verdict.text, sizeof c->verdict.text,
                 "%.0f %% of the lines are counted in memory domain %d, where %.0f %% of the data lie: "
                 "another socket's counters, or pages that were placed elsewhere",
                 100 * share, d, 100 * expected);
        return;
    }
}

/* Bytes per byte stored beyond what is loaded, by a counter that says `ratio` of what it counts. */
static double w_of(const struct sp_count_window *w, double counted_B, double ratio)
{
    return fmax(1, (counted_B / ratio - w->load_B) / w->store_B); /* what is stored reaches memory once */
}

static void add_mix(struct sp_trust_report *r, const struct sp_count_window *w, const struct sp_counted *c,
                    double load_ratio)
{
    if (r->n_mixes == SP_TRUST_MAX_MIXES || !(w->store_B > 0) || !sp_value_known(c->total_B))
        return;
    double sum = w->load_B + w->store_B, lo = fmin(1, load_ratio), hi = fmax(1, load_ratio);
    struct sp_value v = sp_value_between(w_of(w, c->total_B.value, load_ratio), w_of(w, c->total_B.lo, hi),
                                         w_of(w, c->total_B.hi, lo), c->total_B.origin);
    v.lo = fmin(v.lo, v.value);
    v.hi = fmax(v.hi, v.value);
    int at = r->n_mixes++;
    for (; at > 0 && r->mix[at - 1].store_share > w->store_B / sum; at--)
        r->mix[at] = r->mix[at - 1];
    r->mix[at] = (struct sp_w_point){w->store_B / sum, strstr(w->what, "nt") != NULL, v};
}

static void judge_volume(struct sp_trust_report *r, const struct sp_count_log *log, const char *level,
                         const struct sp_count_window *w, double tolerance, double load_ratio)
{
    struct sp_counted c = sp_count_log_bytes(log, SP_WINDOW_KNOWN, w->what, level, -1);
    bool apart = sp_value_known(c.read_B) || sp_value_known(c.write_B);
    double stored = w->store_B, loaded = w->load_B;
    bool non_temporal = strstr(w->what, "nt") != NULL;
    if (!(w->memory_share > 0)) {
        judge_cached(r, loaded + stored, sp_value_known(c.total_B) ? c.total_B : c.read_B);
        return;
    }
    if (strcmp(w->what, "gather") == 0) {
        judge_gather(r, loaded, apart ? c.read_B : c.total_B);
        return;
    }
    bool sum = sp_value_known(c.total_B);
    if (stored == 0)
        judge(r, log, level, w->what, apart ? "reads" : "all", loaded, apart ? c.read_B : c.total_B,
              tolerance, apart ? SP_READS : SP_READS_AND_WRITES);
    else if (sp_value_known(c.write_B))
        judge(r, log, level, w->what, "writes", stored, c.write_B, tolerance, SP_WRITES);
    else if (sum ? non_temporal : !apart)
        judge(r, log, level, w->what, "all", loaded + stored, c.total_B, tolerance, SP_READS_AND_WRITES);
    add_mix(r, w, &c, load_ratio);
}

static bool is_of_memory(const struct sp_trust_check *c)
{
    return c->decides && strcmp(c->what, "in cache") != 0 && strcmp(c->quantity, "domains") != 0;
}

static void conclude(struct sp_trust_report *r, const char *source, const struct sp_counted *load)
{
    const struct sp_trust_check *first = NULL;
    double lo = INFINITY, hi = 0;
    for (int i = 0; i < r->n_checks; i++) {
        const struct sp_trust_check *c = &r->check[i];
        bool wrong = c->decides && c->verdict.trust != SP_TRUSTED;
        /* a socket that is named says more than the factor that follows from it */
        if (wrong && (!first || c->verdict.trust == SP_TRUST_ELSEWHERE))
            first = c;
        if (!wrong && is_of_memory(c)) {
            lo = fmin(lo, c->verdict.ratio);
            hi = fmax(hi, c->verdict.ratio);
        }
    }
    r->trusted = !first && hi > 0;
    r->ratio_lo = r->trusted ? fmin(1, lo) : 1;
    r->ratio_hi = r->trusted ? fmax(1, hi) : 1;
    if (first)
        snprintf(r->text, sizeof r->text, "%s is not believed: %s (%s) %s", source, first->what,
                 first->quantity, first->verdict.text);
    else if (!r->trusted)
        snprintf(r->text, sizeof r->text, "%s was not tested: no known volume of memory ran under it",
                 source);
    else
        snprintf(r->text, sizeof r->text, "%s is believed: it counts %.2f to %.2f of known volumes%s%s",
                 source, lo, hi, load->running_share < 0.9999 ? "; multiplexed, so widened intervals" : "",
                 load->n_wrapped > 0 ? "; counters that started again were followed" : "");
}

static bool seen_before(const struct sp_count_log *log, int window)
{
    for (int k = 0; k < window; k++)
        if (log->window[k].kind == SP_WINDOW_KNOWN &&
            strcmp(log->window[k].what, log->window[window].what) == 0)
            return true;
    return false;
}

/* Counted over known of the loads: what w is corrected by; 1 where it is not known. */
static double ratio_of_loads(const struct sp_count_log *log, const char *level)
{
    for (int i = 0; i < log->n_windows; i++) {
        const struct sp_count_window *w = &log->window[i];
        if (w->kind != SP_WINDOW_KNOWN || strcmp(w->what, "load") != 0 || !(w->load_B > 0))
            continue;
        struct sp_counted c = sp_count_log_bytes(log, SP_WINDOW_KNOWN, w->what, level, -1);
        struct sp_value v = sp_value_known(c.read_B) ? c.read_B : c.total_B;
        return sp_value_known(v) && v.value > 0 ? v.value / w->load_B : 1;
    }
    return 1;
}

struct sp_trust_report sp_trust_of(const struct sp_count_log *log, const char *level, double tolerance)
{
    struct sp_trust_report r = {0};
    struct sp_counted load = {.running_share = 1};
    double load_ratio = ratio_of_loads(log, level);
    for (int i = 0; i < log->n_windows; i++) {
        const struct sp_count_window *w = &log->window[i];
        if (w->kind != SP_WINDOW_KNOWN || seen_before(log, i))
            continue;
        judge_volume(&r, log, level, w, tolerance, load_ratio);
        if (strcmp(w->what, "load") == 0) {
            load = sp_count_log_bytes(log, SP_WINDOW_KNOWN, w->what, level, -1);
            judge_domains(&r, log, level, w);
        }
    }
    conclude(&r, log->source, &load);
    return r;
}

struct sp_value sp_trust_widen(const struct sp_trust_report *r, struct sp_value v)
{
    if (sp_value_known(v) && r->ratio_lo > 0) {
        v.lo = fmin(v.lo, v.lo / r->ratio_hi);
        v.hi = fmax(v.hi, v.hi / r->ratio_lo);
    }
    return v;
}

struct sp_value sp_trust_w(const struct sp_trust_report *r, double store_share, bool non_temporal)
{
    const struct sp_w_point *below = NULL, *above = NULL;
    for (int i = 0; i < r->n_mixes; i++) {
        const struct sp_w_point *p = &r->mix[i];
        if (p->non_temporal != non_temporal)
            continue;
        if (p->store_share <= store_share)
            below = p;
        else if (!above)
            above = p;
    }
    if (!below && !above)
        return sp_value_none("w was not measured at any mix of stores");
    if (!below || !above)
        return below ? below->w : above->w;
    double t = (store_share - below->store_share) / (above->store_share - below->store_share);
    struct sp_value a = below->w, b = above->w;
    return sp_value_between(a.value + t * (b.value - a.value), fmin(a.lo, b.lo), fmax(a.hi, b.hi), a.origin);
}
