#include "model/count_trust.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
