#include "model/count_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/samples.h"

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
