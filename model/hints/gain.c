#include "model/hints/gain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/formulas/formulas.h"

struct ends {
    double lo, hi;
};

/* Transfers and execution [s]. */
struct terms {
    double data_s, core_s;
};

/* One derivation on its way. */
struct steps {
    const struct sp_now *now;
    const struct sp_then *then;
    struct sp_gain_lines *lines;  /* NULL: not wanted */
    double t;                     /* of the run [s] */
    struct terms terms;           /* of the run */
    double omega, wait_s, rest_s; /* see split_time() */
    struct terms lo, hi;          /* of the change at both ends of its time */
};

static double value_or(struct sp_value v, double otherwise)
{
    return sp_value_known(v) ? v.value : otherwise;
}

static double longer(struct terms t)
{
    return fmax(t.data_s, t.core_s);
}

static double shorter(struct terms t)
{
    return fmin(t.data_s, t.core_s);
}

/* Both, of which the longer one hides all but a share omega of the shorter one. */
static double together(struct terms t, double omega)
{
    return SP_FORMULA(t_by_parts, .T_V = t.data_s, .T_W = t.core_s, .omega = omega);
}

static void __attribute__((format(printf, 7, 8)))
say(const struct steps *s, const char *what, double lo, double hi, const char *unit, enum sp_origin origin,
    const char *how, ...)
{
    if (!s->lines || s->lines->n == SP_MAX_GAIN_LINES)
        return;
    struct sp_gain_line *line = &s->lines->line[s->lines->n++];
    *line = (struct sp_gain_line){.lo = lo, .hi = hi, .unit = unit, .origin = origin};
    snprintf(line->what, sizeof line->what, "%s", what);
    va_list args;
    va_start(args, how);
    vsnprintf(line->how, sizeof line->how, how, args);
    va_end(args);
}

static void say_value(const struct steps *s, const char *what, struct sp_value v, const char *unit)
{
    if (sp_value_known(v))
        say(s, what, v.lo, v.hi, unit, v.origin, "%s", "");
}

static bool has_transfers(const struct sp_now *now)
{
    return sp_value_known(now->V_B) && sp_value_known(now->roof_Bps) && now->roof_Bps.value > 0;
}

static struct terms terms_of(const struct sp_now *now)
{
    return (struct terms){has_transfers(now) ? now->V_B.value / now->roof_Bps.value : 0,
                          value_or(now->core_s, 0)};
}

double sp_gain_waits(const struct sp_now *now)
{
    if (!sp_value_known(now->linear_s) || !sp_value_known(now->time_s) || now->time_s.value <= 0)
        return 0;
    return fmax(0, 1 - now->linear_s.value / now->time_s.value);
}

bool sp_gain_is_waiting(const struct sp_now *now)
{
    static const double much = 0.1; /* of the time */
    return sp_gain_waits(now) > much;
}

/* Is the change known by a model's times, of which the terms of this one are no part? */
static bool is_modelled(const struct sp_then *then)
{
    return sp_value_known(then->time_s) && sp_value_known(then->instead_s);
}

/* The run's time: measured, also where its terms say more; else by the model. */
static double time_of(const struct sp_now *now, const struct sp_then *then)
{
    return value_or(now->time_s, is_modelled(then) ? then->instead_s.value : longer(terms_of(now)));
}

/* What must cross the next level inward takes this long at its roof; the run itself shows the roof
 * to be no lower than what it drew. */
static double inner_s(const struct sp_then *then)
{
    return sp_value_known(then->set_B) && sp_value_known(then->inner_Bps) && then->inner_Bps.value > 0
               ? then->set_B.value / then->inner_Bps.value
               : 0;
}

static struct terms terms_then(const struct sp_now *now, const struct sp_then *then, bool low)
{
    const struct sp_value V = sp_value_known(then->V_B) ? then->V_B : now->V_B;
    const struct sp_value roof = sp_value_known(then->roof_Bps) ? then->roof_Bps : now->roof_Bps;
    const bool known = sp_value_known(V) && sp_value_known(roof) && roof.value > 0;
    const double data_s = known ? (low ? V.lo : V.hi) / roof.value : 0;
    const double core_s =
        sp_value_known(then->core_s) ? (low ? then->core_s.lo : then->core_s.hi) : value_or(now->core_s, 0);
    return (struct terms){fmax(data_s, inner_s(then)), core_s};
}

double sp_gain_floor(const struct sp_now *now, const struct sp_then *then)
{
    double floor_s = value_or(then->least_s, 0);
    if (sp_value_known(then->time_s) && then->time_s.origin == SP_MEASURED)
        return floor_s; /* it ran: what a model says of roofs and execution does not forbid it */
    if (is_modelled(then))
        return fmax(floor_s, then->time_s.value);
    return fmax(floor_s, longer(terms_then(now, then, true)));
}

/* t = longer + omega shorter + wait + rest: wait goes with all gathers from the innermost cache,
 * where that was run; omega is the share of the shorter term that the longer one does not hide in
 * what is left; nothing explains the rest. */
static void split_time(struct steps *s)
{
    const struct terms now = s->terms;
    double fed = s->t; /* the time if no gather waited */
    if (sp_value_known(s->now->linear_s) && sp_value_known(s->now->time_s))
        fed = fmin(fed, fmax(s->now->linear_s.value, longer(now)));
    s->omega =
        shorter(now) > 0 ? SP_FORMULA(omega_of_parts, .t = fed, .T_V = now.data_s, .T_W = now.core_s) : 0;
    s->wait_s = s->t - fed;
    s->rest_s =
        fmax(0, SP_FORMULA(rest_by_parts, .t = fed, .T_V = now.data_s, .T_W = now.core_s, .omega = s->omega));
}

static void say_now(const struct steps *s)
{
    char V[32], roof[32];
    const struct sp_now *now = s->now;
    say(s, "time now", s->t, s->t, "s", sp_value_known(now->time_s) ? now->time_s.origin : SP_MODELLED, "%s",
        "");
    if (!has_transfers(now) || is_modelled(s->then))
        return;
    sp_text_bytes(V, sizeof V, now->V_B.value);
    sp_text_bytes(roof, sizeof roof, now->roof_Bps.value);
    say(s, "transfers now", s->terms.data_s, s->terms.data_s, "s", now->V_B.origin, "V/b_S = %s / (%s/s)", V,
        roof);
    if (s->terms.core_s > 0)
        say(s, "execution now", s->terms.core_s, s->terms.core_s, "s", now->core_s.origin, "W/P_core%s%s",
            now->has_row_ends ? " + row_ends" : "", now->has_team ? " + team" : "");
}

static void say_split(const struct steps *s)
{
    if (sp_value_known(s->now->linear_s))
        say(s, "all gathers from L1 (test)", s->now->linear_s.value, s->now->linear_s.value, "s",
            s->now->linear_s.origin, "%s", "");
    if (s->terms.core_s > 0)
        say(s, "omega", s->omega, s->omega, "1", SP_MODELLED,
            "share of the shorter of the two that shows beside the longer one now");
    if (s->wait_s > 0)
        say(s, "waiting for gathers", s->wait_s, s->wait_s, "s", SP_MEASURED,
            "time now less that, or the longer term");
    if (s->rest_s > 0)
        say(s, "not explained", s->rest_s, s->rest_s, "s", SP_MODELLED, "what is left of the time now");
}

static void say_then(const struct steps *s)
{
    const struct sp_then *then = s->then;
    char set[32], roof[32], what[72];
    say_value(s, "bytes then", then->V_B, "B");
    if (sp_value_known(then->roof_Bps))
        say_value(s, "roof then", then->roof_Bps, "B/s");
    if (inner_s(then) > 0) {
        snprintf(what, sizeof what, "through %s then", then->inner);
        say(s, what, inner_s(then), inner_s(then), "s", then->inner_Bps.origin,
            "matrix and vectors once / roof of %s = %s / (%s/s)", then->inner,
            sp_text_bytes(set, sizeof set, then->set_B.value),
            sp_text_bytes(roof, sizeof roof, then->inner_Bps.value));
    }
    say(s, "transfers then", s->lo.data_s, s->hi.data_s, "s", SP_MODELLED, "%s",
        inner_s(then) > 0 ? "bytes / roof, at least those of the level within" : "bytes / roof");
    if (s->lo.core_s > 0)
        say(s, "execution then", s->lo.core_s, s->hi.core_s, "s",
            sp_value_known(then->core_s) ? then->core_s.origin : s->now->core_s.origin, "W/P_core%s",
            sp_value_known(then->core_s) ? " of the change" : ", as now");
}

/* Share of the rest that goes at most: what the rule says of waiting that no run measured. */
static double rest_goes(const struct steps *s)
{
    return sp_value_known(s->then->gone) && !sp_value_known(s->now->linear_s) ? s->then->gone.hi : 0;
}

/* Up to what share the shorter term may show beside the longer one then. As much of the transfers
 * as execution gets shorter by may no longer hide behind it. */
static double may_show(const struct steps *s)
{
    const struct terms now = s->terms;
    const double less_s = now.core_s > now.data_s ? fmax(0, now.core_s - s->lo.core_s) : 0,
                 bared = less_s > 0 ? fmin(1, less_s / fmax(now.data_s, 1e-12)) : 0;
    return fmax(s->omega + (1 - s->omega) * bared, s->then->shows);
}

/* The terms of the change, beside what then waits and what is not explained. Where gathers wait,
 * bytes may be saved behind their backs. */
static struct ends sum_of_terms(const struct steps *s)
{
    const struct sp_value none = {0}, gone = sp_value_known(s->then->gone) ? s->then->gone : none;
    const double shows = may_show(s), goes = rest_goes(s);
    char up_to[32];
    snprintf(up_to, sizeof up_to, "; omega up to %.3g", shows);
    const bool waits = sp_gain_is_waiting(s->now);
    double work_hi = together(s->hi, shows);
    if (waits)
        work_hi = fmax(work_hi, together(s->terms, s->omega));
    if (s->wait_s > 0)
        say_value(s, "of the waiting goes", gone, "1");
    if (s->rest_s > 0 && goes > 0)
        say(s, "of the unexplained goes", 0, goes, "1", SP_MODELLED, "it may wait for gathers");
    const struct ends sum = {together(s->lo, s->omega) + (1 - gone.hi) * s->wait_s + (1 - goes) * s->rest_s,
                             work_hi + (1 - gone.lo) * s->wait_s + s->rest_s};
    say(s, "time then, by sum", sum.lo, sum.hi, "s", SP_MODELLED, "longer + omega shorter%s%s%s%s",
        s->wait_s > 0 ? " + waiting" : "", s->rest_s > 0 ? " + unexplained" : "",
        shows > s->omega ? up_to : "", waits ? "; fewer bytes may change nothing" : "");
    return sum;
}

static const double unexplained = 0.1; /* of the time: what is flagged */

/* Two ways to carry the model's change over to the measured time: the sum, with the shorter term as
 * visible behind the longer one as now; or the model's ratio holds, where nothing waits and next to
 * nothing is unexplained. */
static struct ends time_by_terms(const struct steps *s)
{
    say_split(s);
    say_then(s);
    const struct ends sum = sum_of_terms(s);
    if (sp_gain_is_waiting(s->now) || s->rest_s > unexplained * s->t)
        return sum;
    const struct ends ratio = {s->t * longer(s->lo) / longer(s->terms),
                               s->t * longer(s->hi) / longer(s->terms)};
    say(s, "time then, by ratio", ratio.lo, ratio.hi, "s", SP_MODELLED,
        "time now x longer then / longer now");
    return (struct ends){fmin(sum.lo, ratio.lo), fmax(sum.hi, ratio.hi)};
}

/* By a model of both: its difference holds; or its ratio, where next to nothing is unexplained. */
static struct ends time_by_model(const struct steps *s)
{
    const double now_s = s->then->instead_s.value, then_s = s->then->time_s.value;
    const double sum = s->t - (now_s - then_s), ratio = s->t * then_s / now_s;
    const struct ends both = {fmin(sum, ratio), fmax(sum, ratio)};
    say_value(s, "of the model now", s->then->instead_s, "s");
    say_value(s, "of the model then", s->then->time_s, "s");
    say(s, "time then, by difference", sum, sum, "s", SP_MODELLED, "time now - (model now - model then)");
    if (s->t - now_s > unexplained * s->t)
        return (struct ends){sum, sum};
    say(s, "time then, by ratio", ratio, ratio, "s", SP_MODELLED, "time now x model then / model now");
    return both;
}

static struct ends widened(const struct steps *s, struct ends time)
{
    const double saved = s->t - time.lo, error = s->then->error > 0 ? s->then->error : SP_GAIN_ERROR;
    const struct ends wide = {fmax((1 - error) * time.lo, s->t - 2 * saved), (1 + error) * time.hi};
    char what[72];
    snprintf(what, sizeof what, "with %g %% more at both ends", 100 * error);
    say(s, what, wide.lo, wide.hi, "s", SP_NONE, "%s; at most the gain once more",
        error > SP_GAIN_ERROR ? "what trials in caches missed it by" : "another set of arrays");
    return wide;
}

static struct ends raised(const struct steps *s, struct ends time)
{
    const double floor_s = sp_gain_floor(s->now, s->then);
    if (floor_s > 0)
        say(s, "floor", floor_s, floor_s, "s", SP_MODELLED, "the longest of %s%s",
            is_modelled(s->then) ? "the model's then"
            : s->lo.core_s > 0   ? "transfers and execution then"
                                 : "transfers then",
            sp_value_known(s->then->least_s) && s->then->least_why ? s->then->least_why : "");
    time.lo = fmax(time.lo, floor_s);
    time.hi = fmax(time.hi, time.lo);
    return time;
}

/* What trials taught, and doubts. */
static struct sp_gain as_tried(const struct steps *s, struct sp_gain gain)
{
    const struct sp_then *then = s->then;
    if (sp_value_known(then->keeps)) {
        gain = (struct sp_gain){then->keeps.lo * gain.hi, then->keeps.hi * gain.hi};
        say(s, "as trials kept", gain.lo, gain.hi, "1", SP_NONE, "%g ... %g of the upper end", then->keeps.lo,
            then->keeps.hi);
    }
    if (then->held && then->error <= SP_GAIN_ERROR && sp_gain_is_waiting(s->now) &&
        gain.hi >= SP_GAIN_LARGE && gain.lo < SP_GAIN_HELD * gain.hi) {
        gain.lo = SP_GAIN_HELD * gain.hi;
        say(s, "as trials held", gain.lo, gain.hi, "1", SP_NONE, "at least %g of a promise of 30 %% or more",
            SP_GAIN_HELD);
    }
    if (then->doubt) {
        gain.lo = 0;
        say(s, "nothing is certain", gain.lo, gain.hi, "1", SP_NONE, "%s", then->doubt);
    }
    return gain;
}

static struct ends time_of_change(const struct steps *s)
{
    const struct sp_then *then = s->then;
    struct ends time;
    if (is_modelled(then))
        return time_by_model(s);
    if (sp_value_known(then->stated)) {
        time = (struct ends){s->t * (1 - then->stated.hi), s->t * (1 - then->stated.lo)};
        say_value(s, "share saved elsewhere", then->stated, "1");
        say(s, "time then", time.lo, time.hi, "s", SP_NONE, "time now x (1 - share)");
        return time;
    }
    if (sp_value_known(then->time_s)) {
        time = (struct ends){then->time_s.lo, then->time_s.hi};
        say(s, "time then", time.lo, time.hi, "s", then->time_s.origin, "%s", then->time_how);
    } else {
        time = time_by_terms(s);
    }
    if (then->faster > 0) {
        time.lo *= 1 - then->faster;
        say(s, "faster besides", time.lo, time.hi, "s", SP_NONE, "up to %g of the time", then->faster);
    }
    return time.lo < s->t ? widened(s, time) : time;
}

struct sp_gain sp_gain_derive(const struct sp_now *now, const struct sp_then *then,
                              struct sp_gain_lines *lines)
{
    static const double most = 0.99;
    struct steps s = {.now = now, .then = then, .lines = lines, .t = time_of(now, then)};
    struct sp_gain gain = {0, 0};
    if (lines)
        lines->n = 0;
    const bool by_terms = !sp_value_known(then->time_s) && !sp_value_known(then->stated);
    s.terms = terms_of(now);
    if (s.t <= 0 || (by_terms && (!has_transfers(now) || longer(s.terms) <= 0)))
        return gain;
    s.lo = terms_then(now, then, true);
    s.hi = terms_then(now, then, false);
    split_time(&s);
    say_now(&s);
    const struct ends time = raised(&s, time_of_change(&s));
    gain.hi = fmin(most, fmax(0, 1 - time.lo / s.t));
    gain.lo = fmin(gain.hi, fmax(0, 1 - time.hi / s.t));
    say(&s, "share saved", gain.lo, gain.hi, "1", SP_NONE, "1 - time then / time now");
    return as_tried(&s, gain);
}
