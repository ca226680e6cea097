#include "model/hint_support.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/gpu_predict.h"

static double time_of(const struct sp_hint_inputs *in, double V_B, double core_s)
{
    return fmax(V_B / in->roof_Bps.value, core_s);
}

static double value_or(struct sp_value v, double otherwise)
{
    return sp_value_known(v) ? v.value : otherwise;
}

double sp_hint_time(const struct sp_hint_inputs *in)
{
    if (sp_value_known(in->time_s))
        return in->time_s.value;
    if (!sp_value_known(in->V_B) || !sp_value_known(in->roof_Bps))
        return 0;
    return time_of(in, in->V_B.value, value_or(in->core_s, 0));
}

/* Transfers and execution: V/b_S and W/P_core [s]. */
struct terms {
    double data_s, core_s;
};

static double longer(struct terms t)
{
    return fmax(t.data_s, t.core_s);
}

/* What the measured time says about the run besides its two terms. */
struct remainder {
    double overlap; /* omega: share of the shorter term that the longer one does not hide, 0 ... 1 */
    double fixed_s; /* neither term, nor their sum, explains it: gathers that wait, and the rest */
};

double sp_hint_waits(const struct sp_hint_inputs *in)
{
    if (!sp_value_known(in->linear_s) || !sp_value_known(in->time_s) || in->time_s.value <= 0)
        return 0;
    return fmax(0, 1 - in->linear_s.value / in->time_s.value);
}

bool sp_hint_is_waiting(const struct sp_hint_inputs *in)
{
    static const double much = 0.1; /* of the time */
    return sp_hint_waits(in) > much;
}

static struct remainder remainder_of(const struct sp_hint_inputs *in, struct terms now, double base)
{
    struct remainder r = {0, 0};
    /* The time if no gather waited. */
    const double fed =
        sp_value_known(in->linear_s) ? fmin(base, fmax(in->linear_s.value, longer(now))) : base;
    const double shorter = fmin(now.data_s, now.core_s);
    if (shorter > 0)
        r.overlap = fmin(1, fmax(0, fed - longer(now)) / shorter);
    r.fixed_s = fmax(0, base - longer(now) - r.overlap * shorter);
    return r;
}

struct sp_gain sp_gain_widened(struct sp_gain gain)
{
    static const double error = 0.05; /* of the new time; docs/advice.md */
    const double hi = fmin(1 - (1 - gain.hi) * (1 - error), 2 * gain.hi);
    return (struct sp_gain){fmin(fmax(1 - (1 - gain.lo) * (1 + error), 0), 0.99), fmin(fmax(hi, 0), 0.99)};
}

/* Two ways to carry the model's change over to the measured time: the shorter term stays visible behind the
 * longer one to the same share as now, and what neither explains stays; or the model's ratio holds, and what
 * it does not explain shrinks along. Where gathers wait, bytes may be saved behind their backs. */
struct sp_gain sp_gain_of(const struct sp_hint_inputs *in, struct sp_value V_new, struct sp_value core_new)
{
    struct sp_gain gain = {0, 0};
    if (!sp_value_known(in->V_B) || !sp_value_known(in->roof_Bps))
        return gain;
    const struct terms now = {in->V_B.value / in->roof_Bps.value, value_or(in->core_s, 0)};
    double base = sp_hint_time(in);
    if (base <= 0 || longer(now) <= 0)
        return gain;
    base = fmax(base, longer(now)); /* a run above its roof gains no more than its bytes */
    if (!sp_value_known(V_new))
        V_new = in->V_B;
    const struct remainder r = remainder_of(in, now, base);
    double least = INFINITY, most = -INFINITY;
    const double V[] = {V_new.lo, V_new.value, V_new.hi};
    for (int i = 0; i < 3; i++) {
        const struct terms new = {V[i] / in->roof_Bps.value,
                                  sp_value_known(core_new) ? core_new.value : now.core_s};
        const double changed = now.core_s > 0
                                   ? longer(new) + r.overlap * fmin(new.data_s, new.core_s) + r.fixed_s
                                   : base - longer(now) + longer(new);
        const double seconds = 1 - changed / base;
        least = fmin(least, seconds);
        most = fmax(most, seconds);
        if (!sp_hint_is_waiting(in)) {
            const double ratio = 1 - longer(new) / longer(now);
            least = fmin(least, ratio);
            most = fmax(most, ratio);
        } else {
            least = fmin(least, 0);
        }
    }
    if (most <= 0)
        return gain;
    return sp_gain_widened((struct sp_gain){least, most});
}

struct sp_gain sp_gain_of_waiting(const struct sp_hint_inputs *in, struct sp_gain gain)
{
    static const double large = 0.3, least = 0.6; /* 12 of 14 such promises held so much of it */
    if (sp_hint_is_waiting(in) && gain.hi >= large)
        gain.lo = fmax(gain.lo, least * gain.hi);
    return gain;
}

/* Rows that follow each other in lanes wait for several gathers at once, where short rows of CRS wait for one
 * row after the other; and they overlap more of what the model leaves. A format that the model calls slower
 * gets no credit. */
struct sp_gain sp_gain_in_lanes(const struct sp_hint_inputs *in, struct sp_gain gain)
{
    static const double most = 0.75, short_row = 8, overlaps = 0.08;
    const double n_nzr = in->n_r > 0 ? (double)in->n_nz / (double)in->n_r : short_row;
    if (in->format != SP_FORMAT_CRS || gain.hi <= 0)
        return gain;
    const double together = most * sp_hint_waits(in) * fmin(1, short_row / fmax(n_nzr, 1));
    const double overlapping = 1 - (1 - fmin(1, gain.hi + together)) * (1 - overlaps);
    gain.hi = fmin(0.99, fmin(overlapping, 2 * gain.hi + together));
    return sp_gain_of_waiting(in, gain);
}

struct sp_gain sp_gain_of_seconds(const struct sp_hint_inputs *in, double now_s, double then_s)
{
    double base = sp_hint_time(in);
    if (base <= 0)
        base = now_s;
    struct sp_gain gain = {0, 0};
    if (now_s <= 0 || then_s >= now_s)
        return gain;
    double seconds = (now_s - then_s) / base, ratio = 1 - then_s / now_s;
    gain.lo = fmin(fmin(seconds, ratio), 0.99);
    gain.hi = fmin(fmax(seconds, ratio), 0.99);
    return gain;
}

struct sp_value sp_as_now(void)
{
    return sp_value_none("as now");
}

bool sp_hint_has_volume(const struct sp_hint_inputs *in)
{
    return sp_value_known(in->V_B) && sp_value_known(in->roof_Bps);
}

bool sp_hint_in_memory(const struct sp_hint_inputs *in)
{
    return strcmp(in->level, "MEM") == 0;
}

double sp_hint_stored(const struct sp_hint_inputs *in)
{
    return in->n_stored > 0 ? (double)in->n_stored : (double)in->n_nz / value_or(in->beta, 1);
}

struct sp_value sp_hint_volume_alpha(const struct sp_hint_inputs *in, struct sp_value alpha)
{
    double x_B =
        in->gather_B > 0 ? in->gather_B : (double)sp_precision_size(in->precision) * (double)in->n_nz;
    double others = in->V_B.value - in->alpha.value * x_B;
    return sp_value_between(others + alpha.value * x_B, others + alpha.lo * x_B, others + alpha.hi * x_B,
                            alpha.origin);
}

struct sp_value sp_hint_volume_less(const struct sp_hint_inputs *in, double saved_B)
{
    double left = fmax(0, in->V_B.value - saved_B);
    return sp_value_of(left, in->V_B.origin);
}

void sp_hint_take(struct sp_hint *hint, struct sp_gain gain, enum sp_origin basis,
                  enum sp_confidence confidence)
{
    hint->gain_lo = gain.lo;
    hint->gain_hi = gain.hi;
    hint->basis = basis;
    hint->confidence = confidence;
}

const struct sp_alternative *sp_best_format(const struct sp_hint_inputs *in, const char *prefix,
                                            bool without_core, struct sp_gain *gain)
{
    const struct sp_alternative *best = NULL;
    *gain = (struct sp_gain){0, 0};
    for (int i = 0; i < in->n_formats; i++) {
        const struct sp_alternative *a = &in->formats[i];
        if (strncmp(a->option, prefix, strlen(prefix)) != 0 ||
            !sp_value_known(without_core ? a->V_B : a->core_s))
            continue;
        struct sp_gain g = sp_gain_of(in, a->V_B, a->core_s);
        if (strncmp(a->option, "sell", 4) == 0)
            g = sp_gain_in_lanes(in, g);
        if (!best || g.lo + g.hi > gain->lo + gain->hi) {
            best = a;
            *gain = g;
        }
    }
    return best;
}

const struct sp_gpu_hint_way *sp_best_gpu_format(const struct sp_gpu_hint_inputs *gpu)
{
    const struct sp_gpu_hint_way *best = NULL;
    for (int i = 0; i < gpu->n_ways; i++) {
        const struct sp_gpu_hint_way *w = &gpu->way[i];
        if (!w->same_format && sp_value_known(w->time_s) && (!best || w->time_s.value < best->time_s.value))
            best = w;
    }
    return best;
}

double sp_gpu_hint_time(const struct sp_hint_inputs *in)
{
    const struct sp_gpu_prediction *now = in->gpu ? in->gpu->now : NULL;
    if (!now || !sp_value_known(now->roofline.time_s))
        return 0;
    const double now_s = now->roofline.time_s.value;
    const bool has_launch = sp_value_known(now->term[SP_GPU_TERM_LAUNCH].rate);
    return has_launch || now_s >= SP_SHORT_LAUNCH_S ? now_s : 0;
}

bool sp_gain_is_worth(const struct sp_hint_inputs *in, struct sp_gain gain)
{
    return (gain.lo + gain.hi) / 2 >= in->threshold;
}

static size_t append(char *text, size_t size, size_t at, const char *more)
{
    int length = snprintf(text + at, size - at, "%s", more);
    return at + (size_t)length < size ? at + (size_t)length : size - 1;
}

static size_t append_quoted(char *text, size_t size, size_t at, const char *word)
{
    bool plain = *word != '\0';
    for (const char *c = word; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || strchr("_./:+,-=@%", *c));
    if (plain)
        return append(text, size, at, word);
    at = append(text, size, at, "'");
    for (const char *c = word; *c; c++) {
        const char one[2] = {*c, '\0'};
        at = append(text, size, at, *c == '\'' ? "'\\''" : one);
    }
    return append(text, size, at, "'");
}

/* Length of the word at the start of a text: up to a blank that no single quotes enclose. */
static size_t word_length(const char *text)
{
    bool quoted = false;
    size_t n = 0;
    for (; text[n] && (quoted || text[n] != ' '); n++)
        quoted = quoted != (text[n] == '\'');
    return n;
}

/* Is the option that begins the word (up to '=') one of those in `change`? */
static bool is_changed(const char *change, const char *word, size_t n)
{
    const char *equals = memchr(word, '=', n);
    size_t length = equals ? (size_t)(equals - word) : n;
    for (const char *c = change; *c;) {
        size_t m = strcspn(c, " =");
        if (m == length && strncmp(c, word, m) == 0)
            return true;
        c += word_length(c);
        c += strspn(c, " ");
    }
    return false;
}

/* Appends the words of `options` except the options that `change` has, and their values. */
static size_t append_options(char *text, size_t size, size_t at, const char *options, const char *change)
{
    bool skip_value = false;
    for (const char *word = options + strspn(options, " "); *word;) {
        size_t n = word_length(word);
        bool is_option = *word == '-';
        if (is_option && is_changed(change, word, n)) {
            skip_value = !memchr(word, '=', n);
        } else if (is_option || !skip_value) {
            skip_value = false;
            char copy[600];
            snprintf(copy, sizeof copy, " %.*s", (int)n, word);
            at = append(text, size, at, copy);
        } else {
            skip_value = false;
        }
        word += n;
        word += strspn(word, " ");
    }
    return at;
}

char *sp_command_text(const char *matrix, const char *options, const char *change, char *text, size_t size)
{
    size_t at = append(text, size, 0, "spmodel analyze ");
    at = append_quoted(text, size, at, matrix);
    at = append_options(text, size, at, options, change);
    if (*change) {
        at = append(text, size, at, " ");
        append(text, size, at, change);
    }
    return text;
}

void sp_hint_command(const struct sp_hint_inputs *in, struct sp_hint *hint, const char *change)
{
    snprintf(hint->change, sizeof hint->change, "%s", change);
    sp_command_text(in->matrix, in->options, change, hint->try_command, sizeof hint->try_command);
}

void sp_hint_cost(const struct sp_hint_inputs *in, struct sp_hint *hint, struct sp_value cost_s)
{
    double saved = sp_hint_time(in) * (hint->gain_lo + hint->gain_hi) / 2;
    if (sp_value_known(cost_s) && saved > 0)
        snprintf(hint->cost, sizeof hint->cost, "pays after %.0f %s", fmax(1, ceil(cost_s.value / saved)),
                 in->op == SP_OP_SPMV ? "SpMVs" : "executions");
}

enum sp_verdict sp_clear(struct sp_checked *checked, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(checked->figure, sizeof checked->figure, format, args);
    va_end(args);
    return SP_CLEAR;
}
