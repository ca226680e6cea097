#include "model/losses.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static int domain_of(const int *domain_of_thread, int thread)
{
    return domain_of_thread ? domain_of_thread[thread] : 0;
}

/* One domain: all its active threads have the same rate, so they finish in the order of their
 * bytes. Between two finishes `level` (bytes that every active thread has moved) rises from one
 * thread's bytes to the next larger. */
static double run_domain(int n_threads, const double *bytes, const int *domain_of_thread, int domain,
                         struct sp_fluid_rates rates, double *finish_s)
{
    double level = 0, now = 0;
    for (;;) {
        int n_active = 0;
        double next = INFINITY;
        for (int t = 0; t < n_threads; t++)
            if (domain_of(domain_of_thread, t) == domain && bytes[t] > level) {
                n_active++;
                next = fmin(next, bytes[t]);
            }
        if (n_active == 0)
            return now;
        now += (next - level) / fmin(rates.b_1, rates.b_S / n_active);
        level = next;
        for (int t = 0; finish_s && t < n_threads; t++)
            if (domain_of(domain_of_thread, t) == domain && bytes[t] == next)
                finish_s[t] = now;
    }
}

struct sp_fluid sp_fluid_model(int n_threads, const double *bytes, int n_domains, const int *domain_of_thread,
                               struct sp_fluid_rates rates, double *finish_s)
{
    assert(n_threads >= 1 && n_domains >= 1 && rates.b_1 > 0 && rates.b_S > 0);
    double sum = 0;
    for (int t = 0; t < n_threads; t++) {
        assert(bytes[t] >= 0);
        sum += bytes[t];
        if (finish_s)
            finish_s[t] = 0;
    }
    double mean = sum / n_threads;
    struct sp_fluid fluid = {.lambda = sp_lambda(bytes, n_threads)};
    for (int d = 0; d < n_domains; d++) {
        int n = 0;
        for (int t = 0; t < n_threads; t++)
            n += domain_of(domain_of_thread, t) == d;
        fluid.time_s = fmax(fluid.time_s, run_domain(n_threads, bytes, domain_of_thread, d, rates, finish_s));
        if (n > 0)
            fluid.equal_s = fmax(fluid.equal_s, mean / fmin(rates.b_1, rates.b_S / n));
    }
    /* Unequal domains can make equal shares the slower ones: then nothing is lost by this
     * schedule. */
    fluid.loss_s = fmax(0, fluid.time_s - fluid.equal_s);
    fluid.gain = fluid.time_s > 0 ? fluid.loss_s / fluid.time_s : 0;
    return fluid;
}

struct sp_value sp_imbalance_of(const struct sp_imbalance_inputs *in)
{
    const double t = in->time_s.value;
    if (sp_value_known(in->lambda_t))
        return sp_value_of(t * (1 - 1 / in->lambda_t.value), SP_MEASURED);
    if (!sp_value_known(in->equal_s))
        return sp_value_of(in->fluid_s, SP_MODELLED);
    const double most = fmax(in->fluid_s, (in->lambda_nz - 1) * in->core_s);
    const struct sp_value equal = in->equal_s;
    return sp_value_between(fmin(most, fmax(0, t - equal.value)), fmin(most, fmax(0, t - equal.hi)),
                            fmin(most, fmax(0, t - equal.lo)), SP_MEASURED);
}

double sp_lambda(const double *x, int n)
{
    double sum = 0, max = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        max = fmax(max, x[i]);
    }
    return sum > 0 ? max * n / sum : 1;
}

static const double rest_limit = 0.1;

const char *sp_loss_name(enum sp_loss loss)
{
    static const char *const names[SP_N_LOSSES] = {"min_traffic", "padding", "extra_x",
                                                   "imbalance",   "in_core", "rest"};
    return names[loss];
}

/* Bytes at the roof, with the interval of both. */
static struct sp_value seconds(double lo_B, double B, double hi_B, struct sp_value roof,
                               enum sp_origin origin)
{
    return sp_value_between(B / roof.value, lo_B / roof.hi, hi_B / roof.lo, origin);
}

static double known_or_0(struct sp_value v)
{
    return sp_value_known(v) ? v.value : 0;
}

static void split_traffic(const struct sp_loss_inputs *in, struct sp_losses *out)
{
    char B[32], once[32];
    out->part[SP_LOSS_MIN_TRAFFIC] = seconds(in->min_B, in->min_B, in->min_B, in->roof_Bps, SP_MODELLED);
    snprintf(out->how[SP_LOSS_MIN_TRAFFIC], sizeof *out->how, "modelled: %s at the roof of %s",
             sp_text_bytes(B, sizeof B, in->min_B), in->level);

    out->part[SP_LOSS_PADDING] =
        seconds(in->padding_B, in->padding_B, in->padding_B, in->roof_Bps, SP_MODELLED);
    snprintf(out->how[SP_LOSS_PADDING], sizeof *out->how, "modelled: %s of fill",
             sp_text_bytes(B, sizeof B, in->padding_B));

    out->extra_x_domains = seconds(in->domains_B, in->domains_B, in->domains_B, in->roof_Bps, SP_MODELLED);
    if (sp_value_known(in->x_B)) {
        double extra = fmax(0, in->x_B.value - in->x_once_B);
        out->part[SP_LOSS_EXTRA_X] =
            seconds(fmax(0, in->x_B.lo - in->x_once_B), extra, fmax(0, in->x_B.hi - in->x_once_B),
                    in->roof_Bps, in->x_B.origin);
        /* Duplication is a bound on what a cold execution loads; a warm one can show less. */
        out->extra_x_domains.value = fmin(out->extra_x_domains.value, out->part[SP_LOSS_EXTRA_X].value);
        out->extra_x_domains.lo = fmin(out->extra_x_domains.lo, out->extra_x_domains.value);
        snprintf(out->how[SP_LOSS_EXTRA_X], sizeof *out->how, "%s: %s of x, %s loaded once",
                 sp_origin_name(in->x_B.origin), sp_text_bytes(B, sizeof B, in->x_B.value),
                 sp_text_bytes(once, sizeof once, in->x_once_B));
    } else {
        out->part[SP_LOSS_EXTRA_X] = sp_value_none("neither simulated nor measured");
        snprintf(out->how[SP_LOSS_EXTRA_X], sizeof *out->how,
                 "unknown: neither simulated nor measured; it is part of \"not explained\"");
    }
}

static void split_imbalance(const struct sp_loss_inputs *in, struct sp_losses *out)
{
    out->part[SP_LOSS_IMBALANCE] = in->imbalance_s;
    if (sp_value_known(in->imbalance_s))
        snprintf(out->how[SP_LOSS_IMBALANCE], sizeof *out->how, "%s: %s %.3f",
                 sp_origin_name(in->imbalance_s.origin),
                 in->equal_run                           ? "equal shares on the same arrays, lambda of bytes"
                 : in->imbalance_s.origin == SP_MEASURED ? "busy times of the threads, lambda_t"
                                                         : "fluid model, lambda of bytes",
                 in->lambda);
    else
        snprintf(out->how[SP_LOSS_IMBALANCE], sizeof *out->how,
                 "unknown: %s; it is part of \"not explained\"", in->imbalance_s.why);
}

/* Not above 0 is 0. */
static struct sp_value at_least_0(double value, double lo, double hi)
{
    return sp_value_between(fmax(0, value), fmax(0, lo), fmax(0, hi), SP_MEASURED);
}

static struct sp_value difference(struct sp_value a, struct sp_value b)
{
    return at_least_0(a.value - b.value, a.lo - b.hi, a.hi - b.lo);
}

/* Come all gathers from L1 in the run itself? Then what the run with all gathers from L1 saves is
 * no waiting: its addresses follow each other. */
static bool is_within_first(const struct sp_loss_inputs *in)
{
    return sp_value_known(in->gathers_s) && in->gathers_s.hi <= 0;
}

static struct sp_value execution(const struct sp_loss_inputs *in, struct sp_value ends)
{
    const struct sp_value tests[] = {in->linear_s, in->sorted_s};
    struct sp_value core = in->core_s;
    for (int i = 0; i < 2 && sp_value_known(core); i++) {
        if (!sp_value_known(tests[i]))
            continue;
        const double team_s = known_or_0(in->team_s);
        core = at_least_0(fmin(core.value, tests[i].value - team_s), fmin(core.lo, tests[i].lo - team_s),
                          fmin(core.hi, tests[i].hi - team_s));
    }
    if (sp_value_known(core) && is_within_first(in)) {
        const double ends_s = known_or_0(ends);
        core = at_least_0(fmax(core.value, in->core_s.value - ends_s), fmax(core.lo, in->core_s.lo - ends_s),
                          fmax(core.hi, in->core_s.hi - ends_s));
    }
    return core;
}

/* What the run with all gathers from L1 takes beyond the same with rows in the order of their
 * lengths. */
static struct sp_value row_ends(const struct sp_loss_inputs *in)
{
    if (!sp_value_known(in->linear_s) || !sp_value_known(in->sorted_s) || !sp_value_known(in->core_s))
        return sp_value_none("rows were not run in the order of their lengths");
    if (in->linear_s.lo > in->time_s.hi)
        return sp_value_none("all gathers from L1 (test) took longer than the run, which proves nothing");
    return difference(in->linear_s, in->sorted_s);
}

struct sp_value sp_loss_execution(const struct sp_loss_inputs *in)
{
    return execution(in, row_ends(in));
}

/* Gathers from beyond L1 beside execution, where that takes longer than the transfers; hardware may
 * have fetched all of them ahead. */
static struct sp_value modelled_waiting(const struct sp_loss_inputs *in, double executed_s, double traffic_s)
{
    const struct sp_value g = in->gathers_s;
    if (!sp_value_known(g) || !sp_value_known(in->core_s))
        return sp_value_none("no intervention was made");
    const double hidden = fmax(0, traffic_s - executed_s);
    return sp_value_between(fmax(0, g.value - hidden), 0, fmax(0, g.hi - hidden), SP_MODELLED);
}

/* Of what the run with all gathers from L1 saves, what is not the transfer of x, as far as
 * execution does not hide that. Without such a run as modelled. */
static struct sp_value waiting(const struct sp_loss_inputs *in, double executed_s, double traffic_s)
{
    const double shows_s = fmax(0, traffic_s - executed_s);
    if (!sp_value_known(in->linear_s) || is_within_first(in))
        return modelled_waiting(in, executed_s, traffic_s);
    const double x_B = sp_value_known(in->x_B) ? in->x_B.value : in->x_once_B;
    const struct sp_value saved = difference(in->time_s, in->linear_s);
    const double x_s = fmin(shows_s, x_B / in->roof_Bps.value);
    return at_least_0(saved.value - x_s, saved.lo - x_s, saved.hi - x_s);
}

/* "measured: without memory limits 200 us; ends of rows 250 us; all gathers from L1 (test) save 43
 * us" */
static void say_core(const struct sp_loss_inputs *in, const struct sp_losses *out, char *text, size_t size)
{
    char took[32], ends[32], saved[32];
    const double saved_s = sp_value_known(in->linear_s) ? in->time_s.value - in->linear_s.value : 0;
    const bool core = sp_value_known(in->core_s), less = core && out->core.value < in->core_s.value;
    if (out->waiting.origin == SP_MODELLED && !sp_value_known(in->linear_s)) {
        snprintf(text, size, "measured: without memory limits %s; modelled: gathers from beyond L1 %s (%s)",
                 sp_text_seconds(took, sizeof took, out->core.value),
                 sp_text_seconds(saved, sizeof saved, out->waiting.value), in->linear_s.why);
        return;
    }
    snprintf(text, size, "measured:%s%s%s%s%s%s%s%s", core ? " without memory limits " : "",
             less ? "at most " : "", core ? sp_text_seconds(took, sizeof took, out->core.value) : "",
             sp_value_known(out->row_ends) ? "; mispredicted ends of rows " : "",
             sp_value_known(out->row_ends) ? sp_text_seconds(ends, sizeof ends, out->row_ends.value) : "",
             core && sp_value_known(in->linear_s) ? ";" : "",
             sp_value_known(in->linear_s) ? " all gathers from L1 (test) save " : "",
             !sp_value_known(in->linear_s) ? ""
             : saved_s > 0                 ? sp_text_seconds(saved, sizeof saved, saved_s)
                                           : "nothing");
}

static struct sp_value plus(struct sp_value a, struct sp_value b)
{
    if (!sp_value_known(b))
        return a;
    return sp_value_between(a.value + b.value, a.lo + b.lo, a.hi + b.hi, b.origin);
}

static void split_core(const struct sp_loss_inputs *in, struct sp_losses *out, double traffic_s)
{
    const bool has_core = sp_value_known(in->core_s);
    out->row_ends = row_ends(in);
    out->core = execution(in, out->row_ends);
    out->team = has_core ? in->team_s : sp_value_none("P_core was not measured");
    out->waiting = sp_value_none("no intervention was made");
    if (!has_core && !sp_value_known(in->linear_s)) {
        out->part[SP_LOSS_IN_CORE] = sp_value_none("P_core was not measured and no intervention was made");
        snprintf(
            out->how[SP_LOSS_IN_CORE], sizeof *out->how,
            "unknown: P_core was not measured and no intervention was made; it is part of \"not explained\"");
        return;
    }
    const struct sp_value none = sp_value_of(0, SP_MEASURED);
    const struct sp_value executed = has_core ? plus(out->core, out->row_ends) : none;
    struct sp_value excess =
        at_least_0(executed.value - traffic_s, executed.lo - traffic_s, executed.hi - traffic_s);
    if (sp_value_known(out->row_ends)) { /* transfers hide execution first, then the ends of rows */
        const struct sp_value ends = out->row_ends;
        const double seen = fmin(ends.value, excess.value);
        out->row_ends_hidden = ends.value - seen;
        out->row_ends = sp_value_between(seen, fmin(seen, fmin(ends.lo, excess.lo)),
                                         fmax(seen, fmin(ends.hi, excess.hi)), SP_MEASURED);
    }
    out->waiting = waiting(in, executed.value, traffic_s);
    out->part[SP_LOSS_IN_CORE] = plus(plus(excess, out->team), out->waiting);
    say_core(in, out, out->how[SP_LOSS_IN_CORE], sizeof *out->how);
}

/* Lengths of the intervals below and above the values; of transfers together, as one roof makes
 * them all. */
static void add_spread(const struct sp_losses *l, int first, int last, double *below, double *above)
{
    double lo = 0, hi = 0;
    for (int i = first; i <= last; i++)
        if (sp_value_known(l->part[i])) {
            lo += l->part[i].value - l->part[i].lo;
            hi += l->part[i].hi - l->part[i].value;
        }
    *below = hypot(*below, hi); /* a part that is longer leaves a shorter rest */
    *above = hypot(*above, lo);
}

static void take_rest(const struct sp_loss_inputs *in, struct sp_losses *out)
{
    double explained = 0;
    for (int i = 0; i < SP_LOSS_REST; i++)
        explained += known_or_0(out->part[i]);
    const double rest = in->time_s.value - explained;
    double below = in->time_s.value - in->time_s.lo, above = in->time_s.hi - in->time_s.value;
    add_spread(out, SP_LOSS_MIN_TRAFFIC, SP_LOSS_EXTRA_X, &below, &above);
    add_spread(out, SP_LOSS_IMBALANCE, SP_LOSS_IMBALANCE, &below, &above);
    add_spread(out, SP_LOSS_IN_CORE, SP_LOSS_IN_CORE, &below, &above);
    out->part[SP_LOSS_REST] = sp_value_between(rest, rest - below, rest + above, in->time_s.origin);
    out->rest_fraction = rest / in->time_s.value;
    out->flagged = fabs(out->rest_fraction) > rest_limit;
    out->below_minimum = in->time_s.value < out->part[SP_LOSS_MIN_TRAFFIC].value;
    char *how = out->how[SP_LOSS_REST];
    char missing[32], leftover[32];
    double missing_B = -rest * in->roof_Bps.value;
    sp_text_bytes(missing, sizeof missing, missing_B);
    sp_text_bytes(leftover, sizeof leftover, in->leftover_B);
    if (rest >= 0)
        snprintf(how, sizeof *out->how, "%s time minus the above%s%s%s",
                 in->time_s.origin == SP_STATED ? "stated" : "measured",
                 sp_value_known(out->waiting) ? "" : ", with the latency of gathers: ",
                 sp_value_known(out->waiting) ? "" : in->linear_s.why,
                 out->flagged ? "; above 10 %: flagged" : "");
    else if (sp_value_known(in->core_s) && out->core.value + known_or_0(out->row_ends) > in->time_s.value)
        snprintf(how, sizeof *out->how, "negative: execution alone was modelled at %s, so %s is too low%s",
                 sp_text_seconds(missing, sizeof missing, out->core.value + known_or_0(out->row_ends)),
                 in->core_s.origin == SP_MODELLED ? "a ceiling" : "P_core", out->flagged ? "; flagged" : "");
    else if (missing_B <= in->leftover_B)
        snprintf(how, sizeof *out->how,
                 "negative: up to %s less was moved than modelled; caches can keep %s between executions%s",
                 missing, leftover, out->flagged ? "; flagged" : "");
    else
        snprintf(how, sizeof *out->how,
                 "negative by %s, more than caches keep (%s): the roof of %s is too low or the model too "
                 "pessimistic%s",
                 missing, leftover, in->level, out->flagged ? "; flagged" : "");
}

struct sp_losses sp_losses_of(const struct sp_loss_inputs *in)
{
    assert(sp_value_known(in->time_s) && in->time_s.lo > 0);
    assert(sp_value_known(in->roof_Bps) && in->roof_Bps.lo > 0);
    assert(in->min_B >= 0 && in->padding_B >= 0 && in->domains_B >= 0);
    struct sp_losses out;
    memset(&out, 0, sizeof out);
    split_traffic(in, &out);
    split_imbalance(in, &out);
    double traffic_s = out.part[SP_LOSS_MIN_TRAFFIC].value + out.part[SP_LOSS_PADDING].value +
                       known_or_0(out.part[SP_LOSS_EXTRA_X]);
    split_core(in, &out, traffic_s);
    take_rest(in, &out);
    return out;
}

/* A cause below this share of the time does not name the run; transfers above that do. */
#define LEAST 0.20
#define MOST  0.70
/* Two of them that differ by less than this share cannot be told apart: the next run would name the
 * other. */
#define CLOSE 0.10
/* Above this share of the time a cause is longer than what it causes: an input of it is wrong. */
#define MOST_POSSIBLE 1.10

const char *sp_bottleneck_name(enum sp_bottleneck bottleneck)
{
    static const char *const names[SP_N_BOTTLENECKS] = {"unknown", "bandwidth", "latency", "imbalance",
                                                        "in-core"};
    return names[bottleneck];
}

static double part(const struct sp_losses *l, enum sp_loss loss)
{
    return sp_value_known(l->part[loss]) ? fmax(0, l->part[loss].value) : 0;
}

static struct sp_bottleneck_found of_imbalance(const struct sp_bottleneck_inputs *in, double share)
{
    const bool is_equal_run = sp_value_known(in->equal_s);
    const bool is_measured = in->losses->part[SP_LOSS_IMBALANCE].origin == SP_MEASURED;
    struct sp_bottleneck_found f = {SP_BOTTLENECK_IMBALANCE, is_equal_run || is_measured, share, ""};
    char equal[32];
    if (is_equal_run)
        snprintf(f.why, sizeof f.why, "with equal shares it takes %s",
                 sp_text_seconds(equal, sizeof equal, in->equal_s.value));
    else if (is_measured)
        snprintf(f.why, sizeof f.why, "busy times of the threads differ, the others wait for the last one");
    else
        snprintf(f.why, sizeof f.why, "the fluid model: threads wait for the last one");
    return f;
}

/* In-core where the same work takes nearly as long from the inner caches, or execution, ends of
 * rows and the start of the team add more than gathers wait. */
static struct sp_bottleneck_found of_core(const struct sp_bottleneck_inputs *in, double share)
{
    char time[32];
    const struct sp_losses *l = in->losses;
    const double waits = known_or_0(l->waiting), ends = known_or_0(l->row_ends), team = known_or_0(l->team);
    const double executes = share * in->time_s.value - waits - ends - team;
    const bool fills = known_or_0(l->core) >= MOST * in->time_s.value;
    const bool is_core = sp_value_known(l->core) && (fills || executes + ends + team >= waits);
    struct sp_bottleneck_found f = {is_core ? SP_BOTTLENECK_IN_CORE : SP_BOTTLENECK_LATENCY,
                                    is_core || sp_value_known(in->linear_s), share, ""};
    if (is_core && (fills || executes >= fmax(ends, team)))
        snprintf(f.why, sizeof f.why, "with all data in the inner caches it takes %s",
                 sp_text_seconds(time, sizeof time, l->core.value));
    else if (is_core && ends >= team)
        snprintf(f.why, sizeof f.why, "rows in the order of their lengths, whose ends are foretold, save %s",
                 sp_text_seconds(time, sizeof time, ends));
    else if (is_core)
        snprintf(f.why, sizeof f.why, "starting the team and its barrier take %s",
                 sp_text_seconds(time, sizeof time, team));
    else if (f.proved)
        snprintf(f.why, sizeof f.why, "with all gathers in the inner caches it takes %s",
                 sp_text_seconds(time, sizeof time, in->linear_s.value));
    else
        snprintf(f.why, sizeof f.why, "neither transfers nor imbalance explain the time");
    return f;
}

/* A cause that is longer than the time; "" for `why`: there is none. */
static struct sp_bottleneck_found of_doubt(const struct sp_bottleneck_inputs *in, double moved, double core)
{
    struct sp_bottleneck_found f = {SP_BOTTLENECK_UNKNOWN, false, 0, ""};
    const double time = in->time_s.value;
    if (moved > MOST_POSSIBLE * time)
        snprintf(
            f.why, sizeof f.why,
            "transfers at the roof would take %.0f %% of the time: the roof is too low, or fewer bytes move",
            100 * moved / time);
    else if (core > MOST_POSSIBLE * time)
        snprintf(f.why, sizeof f.why,
                 "execution from the inner caches would take %.0f %% of the time: P_core is too low",
                 100 * core / time);
    return f;
}

/* Transfers and execution both fill the time. */
static bool are_both(double moved, double executed, double time)
{
    return fmin(moved, executed) >= MOST * time && fabs(moved - executed) < CLOSE * time;
}

static struct sp_bottleneck_found of_both(double moved, double executed, double time)
{
    struct sp_bottleneck_found f = {SP_BOTTLENECK_UNKNOWN, false, 0, ""};
    snprintf(
        f.why, sizeof f.why,
        "transfers at the roof take %.0f %% of the time and execution %.0f %%: only less of both is faster",
        100 * moved / time, 100 * executed / time);
    return f;
}

struct sp_bottleneck_found sp_bottleneck_of(const struct sp_bottleneck_inputs *in)
{
    const struct sp_losses *l = in->losses;
    const double time = in->time_s.value;
    const double moved = part(l, SP_LOSS_MIN_TRAFFIC) + part(l, SP_LOSS_PADDING) + part(l, SP_LOSS_EXTRA_X);
    const double imbalance = part(l, SP_LOSS_IMBALANCE) / time;
    const double core = part(l, SP_LOSS_IN_CORE) / time;
    const struct sp_bottleneck_found doubt = of_doubt(in, moved, known_or_0(l->core));
    if (*doubt.why)
        return doubt;
    if (imbalance >= LEAST && imbalance >= core)
        return of_imbalance(in, imbalance);
    if (are_both(moved, known_or_0(l->core), time))
        return of_both(moved, known_or_0(l->core), time);
    if (core >= LEAST || known_or_0(l->core) > fmax(moved, MOST * time))
        return of_core(in, core);
    struct sp_bottleneck_found f = {SP_BOTTLENECK_UNKNOWN, false, 0, ""};
    if (moved >= MOST * time) {
        f = (struct sp_bottleneck_found){SP_BOTTLENECK_BANDWIDTH, sp_value_known(in->linear_s),
                                         fmin(1, moved / time), ""};
        snprintf(f.why, sizeof f.why, "transfers at the roof take %.0f %% of the time%s", 100 * moved / time,
                 f.proved ? ", and gathers from inner caches do not shorten it by more than their bytes"
                          : "");
    } else {
        snprintf(
            f.why, sizeof f.why,
            "no dominant bottleneck: transfers explain %.0f %%; removing latency, imbalance or core limits "
            "saves less than %.0f %% each",
            100 * moved / time, 100 * LEAST);
    }
    return f;
}
