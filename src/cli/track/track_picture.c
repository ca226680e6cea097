#include "cli/track/track_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "base/samples.h"
#include "base/text.h"

enum { WIDTH = 620, HEIGHT = 280, LEFT = 62, RIGHT = 12, TOP = 14, BOTTOM = 46 };

/* The least change that is shown by itself: of exact metrics what the gate counts. */
static double floor_of(const struct sp_judgement *j)
{
    return j->is_exact ? 0.001 : 0.02;
}

static int session_of(const struct sp_sessions *s, const struct sp_entry *e)
{
    for (int i = 0; i < s->n; i++)
        for (int k = s->first[i]; k < s->first[i + 1]; k++)
            if (s->list[k] == e)
                return i;
    return -1;
}

static double median_of(const struct sp_pictured *p, int first, int end)
{
    return end > first ? sp_median(p->sessions.y + first, end - first) : 0;
}

static int end_of(const struct sp_pictured *p, int change)
{
    return change + 1 < p->n_changes ? p->at[change + 1] : p->sessions.n;
}

enum sp_status sp_pictured_of(const struct sp_judged_series *all, const struct sp_learned *learned, int which,
                              const struct sp_judgement *j, struct sp_pictured *p, struct sp_error *err)
{
    const struct sp_judge_options o = {.metric = j->metric, .floor = floor_of(j)};
    int n_found = 0, n_sessions = 0;
    const struct sp_judged_series *series = &all[which];
    memset(p, 0, sizeof *p);
    p->j = j;
    if (series->n_pinned > 0)
        p->accepted = series->pinned[series->n_pinned - 1];
    enum sp_status status = sp_sessions_of(series->list, series->n, NULL, 0, j->metric, &p->sessions, err);
    if (status == SP_OK && p->sessions.n > 0)
        status = sp_judge_locate(learned, which, &o, p->change, SP_MOST_LOCATED, &n_found, &n_sessions, err);
    for (int i = 0; i < n_found; i++) {
        const int at = session_of(&p->sessions, p->change[i].change.since);
        if (at <= 0)
            continue;
        p->change[p->n_changes] = p->change[i];
        p->at[p->n_changes++] = at;
    }
    p->base = median_of(p, 0, p->n_changes > 0 ? p->at[0] : p->sessions.n);
    if (status != SP_OK)
        sp_pictured_free(p);
    return status;
}

void sp_pictured_free(struct sp_pictured *p)
{
    sp_sessions_free(&p->sessions);
    memset(p, 0, sizeof *p);
}

static double relative(const struct sp_pictured *p, double y)
{
    return expm1(sp_tracked_metrics[p->j->metric].less_is_better ? y - p->base : p->base - y);
}

double sp_pictured_change(const struct sp_pictured *p, int session)
{
    return relative(p, p->sessions.y[session]);
}

static const char *source_of(const struct sp_entry *e)
{
    return e->commit[0] ? e->commit : e->start;
}

bool sp_pictured_is_open(const struct sp_pictured *p, int change)
{
    const struct sp_entry *since = p->change[change].change.since;
    for (int i = 0; i < p->j->n_open; i++)
        if (strcmp(source_of(p->j->open[i].since), source_of(since)) == 0)
            return true;
    return false;
}

/* --- Axes ---------------------------------------------------------------------------------- */

struct axes {
    double lo, hi; /* of asinh(x / 5 %) */
    int n_commits;
    FILE *out;
};

static double scaled(double change)
{
    return asinh(change / 0.05);
}

static double y_of(const struct axes *a, double change)
{
    return TOP + (a->hi - scaled(change)) / (a->hi - a->lo) * (HEIGHT - TOP - BOTTOM);
}

/* Commits stand at even distances, whenever they were measured; sessions of one side by side. */
static double x_of(const struct sp_pictured *p, const struct axes *a, int i)
{
    const struct sp_sessions *s = &p->sessions;
    int first = i, end = i + 1;
    while (first > 0 && s->commit[first - 1] == s->commit[i])
        first--;
    while (end < s->n && s->commit[end] == s->commit[i])
        end++;
    const double within = (i - first + 0.5) / (end - first), commit = s->commit[i] - s->commit[0];
    return LEFT + (commit + 0.2 + 0.6 * within) / a->n_commits * (WIDTH - LEFT - RIGHT);
}

static struct axes axes_of(const struct sp_pictured *p, FILE *out)
{
    const struct sp_sessions *s = &p->sessions;
    double lo = -0.06, hi = 0.06;
    for (int i = 0; i < s->n; i++) {
        lo = fmin(lo, 1.1 * sp_pictured_change(p, i));
        hi = fmax(hi, 1.1 * sp_pictured_change(p, i));
    }
    return (struct axes){scaled(lo), scaled(hi), s->commit[s->n - 1] - s->commit[0] + 1, out};
}

static void put_scale(const struct axes *a)
{
    static const double ticks[] = {0,    0.05, -0.05, 0.1, -0.1, 0.02, -0.02, 0.2,
                                   -0.2, 0.5,  -0.5,  1,   2,    5,    10,    50};
    double used[sizeof ticks / sizeof *ticks];
    int n_used = 0;
    sp_print(a->out, "<g font-size='13' fill='#333333' text-anchor='end'>\n");
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        const double y = y_of(a, ticks[i]);
        bool fits = y >= TOP && y <= HEIGHT - BOTTOM;
        for (int k = 0; k < n_used; k++)
            fits = fits && fabs(used[k] - y) >= 15;
        if (!fits)
            continue;
        used[n_used++] = y;
        sp_print(a->out,
                 "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#dddddd'/><text x='%d' y='%.1f'>%s%.0f "
                 "%%</text>\n",
                 LEFT, y, WIDTH - RIGHT, y, LEFT - 6, y + 4.5, ticks[i] > 0 ? "+" : "", 100 * ticks[i]);
    }
    fputs("</g>\n", a->out);
}

/* The first and the last commit, and what lies between. */
static void put_commits(const struct sp_pictured *p, const struct axes *a)
{
    const struct sp_sessions *s = &p->sessions;
    const struct sp_entry *first = s->list[0], *last = s->list[s->n_records - 1];
    sp_print(a->out, "<g font-size='13' fill='#333333'><text x='%d' y='%d'>", LEFT, HEIGHT - BOTTOM + 20);
    char text[32];
    snprintf(text, sizeof text, "%.12s", source_of(first));
    sp_xml_text(a->out, text);
    if (s->n > 1) {
        sp_print(a->out, "</text><text x='%d' y='%d' text-anchor='end'>", WIDTH - RIGHT,
                 HEIGHT - BOTTOM + 20);
        snprintf(text, sizeof text, "%.12s", source_of(last));
        sp_xml_text(a->out, text);
    }
    sp_print(a->out,
             "</text><text x='%d' y='%d' text-anchor='middle'>%d commit%s, oldest left, one after the "
             "other</text></g>\n",
             (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, a->n_commits, a->n_commits == 1 ? "" : "s");
}

/* --- What it shows ------------------------------------------------------------------------- */

/* The level or line of the sessions [first, end), `by` a commit. */
static void put_level(const struct sp_pictured *p, const struct axes *a, int first, int end, bool is_open,
                      double slope)
{
    const struct sp_sessions *s = &p->sessions;
    const double middle = median_of(p, first, end);
    double rise = 0;
    if (slope != 0)
        rise = (sp_tracked_metrics[p->j->metric].less_is_better ? 1 : -1) * log1p(slope) *
               (s->commit[end - 1] - s->commit[first]);
    sp_print(a->out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='3'/>\n",
             x_of(p, a, first) - 3, y_of(a, relative(p, middle - rise / 2)), x_of(p, a, end - 1) + 3,
             y_of(a, relative(p, middle + rise / 2)), is_open ? "#cc3344" : "#888888");
}

static void put_levels(const struct sp_pictured *p, const struct axes *a)
{
    put_level(p, a, 0, p->n_changes > 0 ? p->at[0] : p->sessions.n, false, 0);
    for (int i = 0; i < p->n_changes; i++) {
        const struct sp_open_change *c = &p->change[i].change;
        put_level(p, a, p->at[i], end_of(p, i), sp_pictured_is_open(p, i),
                  c->kind == SP_CHANGE_TREND ? c->slope : 0);
    }
}

static void put_mark(const struct axes *a, double x, double y, const char *color, const char *text)
{
    const bool left = x > 0.7 * WIDTH;
    sp_print(a->out,
             "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='%s' stroke-dasharray='4 3'/><text x='%.1f' "
             "y='%.1f' font-size='13'%s>",
             x, TOP, x, HEIGHT - BOTTOM, color, x + (left ? -5 : 5), y, left ? " text-anchor='end'" : "");
    sp_xml_text(a->out, text);
    fputs("</text>\n", a->out);
}

static void put_marks(const struct sp_pictured *p, const struct axes *a)
{
    char text[96];
    int row = 0;
    for (int i = 0; i < p->j->n_open; i++) {
        const int at = session_of(&p->sessions, p->j->open[i].since);
        if (at < 0)
            continue;
        snprintf(text, sizeof text, "%+.1f %% since %.12s", 100 * p->j->open[i].by,
                 source_of(p->j->open[i].since));
        sp_print(a->out, "<g font-size='13' fill='#cc3344'>");
        put_mark(a, x_of(p, a, at) - 4, HEIGHT - BOTTOM - 6 - 16 * (row++ % 3), "#cc3344", text);
        fputs("</g>\n", a->out);
    }
    const int at = p->accepted ? session_of(&p->sessions, p->accepted) : -1;
    if (at >= 0) {
        sp_print(a->out, "<g font-size='13' fill='#333333'>");
        put_mark(a, x_of(p, a, at), TOP + 12, "#009e73", "accepted");
        fputs("</g>\n", a->out);
    }
}

static void put_points(const struct sp_pictured *p, const struct axes *a)
{
    const struct sp_sessions *s = &p->sessions;
    const char *unit = sp_tracked_metrics[p->j->metric].unit;
    const double r = s->n > 150 ? 2 : 3;
    fputs("<g fill='#4477aa'>\n", a->out);
    for (int i = 0; i < s->n; i++) {
        const struct sp_entry *e = s->list[s->first[i]];
        const double x = exp(sp_tracked_metrics[p->j->metric].less_is_better ? s->y[i] : -s->y[i]);
        fputs("<g class='value'><title>", a->out);
        sp_xml_text(a->out, source_of(e));
        sp_print(a->out,
                 ", %.10s: %.5g %s (%s), %+.1f %%</title><circle cx='%.1f' cy='%.1f' r='%.0f'/></g>\n",
                 e->start, x, unit, *e->origin[p->j->metric] ? e->origin[p->j->metric] : "unknown",
                 100 * sp_pictured_change(p, i), x_of(p, a, i), y_of(a, sp_pictured_change(p, i)), r);
    }
    fputs("</g>\n", a->out);
}

/* Are its runs in modes that differ? */
static bool has_modes(const struct sp_sessions *s)
{
    for (int g = 0; g < SP_N_ENTRY_MODES; g++)
        if (s->offset[g] < 0 || s->offset[g] > 0)
            return true;
    return false;
}

void sp_picture_put(struct sp_page *page, const struct sp_pictured *p, const char *id)
{
    const struct axes a = axes_of(p, page->out);
    const char *metric = sp_tracked_metrics[p->j->metric].name;
    const bool less = sp_tracked_metrics[p->j->metric].less_is_better;
    fputs("<figure>\n", page->out);
    sp_page_box_begin(page, "the series by commit");
    sp_print(page->out,
             "<svg class='plot inked wide' style='--w:%dpx' viewBox='0 0 %d %d' role='img' "
             "aria-labelledby='%s-t %s-d'>\n<title id='%s-t'>",
             WIDTH, WIDTH, HEIGHT, id, id, id);
    sp_print(page->out, "%s by commit</title>\n<desc id='%s-d'>", metric, id);
    sp_page_text(page,
                 "%d sessions over %d commits, against the level that the series began on; %d change%s.",
                 p->sessions.n, a.n_commits, p->n_changes, p->n_changes == 1 ? "" : "s");
    fputs("</desc>\n", page->out);
    put_scale(&a);
    put_commits(p, &a);
    put_marks(p, &a);
    put_levels(p, &a);
    put_points(p, &a);
    fputs("</svg>\n", page->out);
    sp_page_box_end(page);
    sp_page_element(
        page, "figcaption", NULL,
        "%s against the level that the series began on; %s is worse. A point is a session, a "
        "bar a level. The scale is even up to 5 %% and closer together above.%s",
        metric, less ? "up" : "down",
        has_modes(&p->sessions) ? " What one core-to-core mode takes longer than another is taken out." : "");
    fputs("</figure>\n", page->out);
}
