/* spmodel track report: all series of a store on one page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "base/reading.h"
#include "base/text.h"
#include "cli/core/output.h"
#include "cli/track/judged.h"
#include "report/html/html_page.h"
#include "report/html/html_sections.h"
#include "track/judge/comparable.h"
#include "track/judge/judge.h"

/* A series as a picture in a page: its sessions by commit, the levels that it was on, what is
 * open. */

enum { MOST_LOCATED = 64 };

/* One series as it is drawn. pictured_free(). */
struct pictured {
    const struct sp_judgement *j;
    struct sp_sessions sessions;
    struct sp_located change[MOST_LOCATED]; /* [n_changes] */
    int at[MOST_LOCATED];                   /* first session of each */
    int n_changes;
    double base;                     /* ln, turned: the level that the series began on, 0 % of the picture */
    const struct sp_entry *accepted; /* the newest accepted record; NULL */
};

enum { WIDTH = 620, HEIGHT = 280, LEFT = 62, RIGHT = 12, TOP = 14, BOTTOM = 46 };
enum { MARK = 16, MARK_ROWS = 3 }; /* names of open changes */

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

static double median_of(const struct pictured *p, int first, int end)
{
    return end > first ? sp_median(p->sessions.y + first, end - first) : 0;
}

static int end_of(const struct pictured *p, int change)
{
    return change + 1 < p->n_changes ? p->at[change + 1] : p->sessions.n;
}

static void pictured_free(struct pictured *p)
{
    sp_sessions_free(&p->sessions);
    memset(p, 0, sizeof *p);
}

/* Of series[which], with what all of them tell. SP_MEMORY. */
static enum sp_status pictured_of(const struct sp_judged_series *all, const struct sp_learned *learned,
                                  int which, const struct sp_judgement *j, struct pictured *p,
                                  struct sp_error *err)
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
        status = sp_judge_locate(learned, which, &o, p->change, MOST_LOCATED, &n_found, &n_sessions, err);
    for (int i = 0; i < n_found; i++) {
        const int at = session_of(&p->sessions, p->change[i].change.since);
        if (at <= 0)
            continue;
        p->change[p->n_changes] = p->change[i];
        p->at[p->n_changes++] = at;
    }
    p->base = median_of(p, 0, p->n_changes > 0 ? p->at[0] : p->sessions.n);
    if (status != SP_OK)
        pictured_free(p);
    return status;
}

static double relative(const struct pictured *p, double y)
{
    return expm1(sp_tracked_metrics[p->j->metric].less_is_better ? y - p->base : p->base - y);
}

/* Of a session, against the level that the series began on: relative, in the metric's own sense. */
static double pictured_change(const struct pictured *p, int session)
{
    return relative(p, p->sessions.y[session]);
}

static const char *source_of(const struct sp_entry *e)
{
    return e->commit[0] ? e->commit : e->start;
}

/* Is the change one of those that are open now? */
static bool pictured_is_open(const struct pictured *p, int change)
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
    int floor;     /* where lo is; the names of open changes stand below */
    int n_commits;
    FILE *out;
};

static double scaled(double change)
{
    return asinh(change / 0.05);
}

static double y_of(const struct axes *a, double change)
{
    return TOP + (a->hi - scaled(change)) / (a->hi - a->lo) * (a->floor - TOP);
}

/* Commits stand at even distances, whenever they were measured; sessions of one side by side. */
static double x_of(const struct pictured *p, const struct axes *a, int i)
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

static struct axes axes_of(const struct pictured *p, FILE *out)
{
    const struct sp_sessions *s = &p->sessions;
    double lo = -0.06, hi = 0.06;
    for (int i = 0; i < s->n; i++) {
        lo = fmin(lo, 1.1 * pictured_change(p, i));
        hi = fmax(hi, 1.1 * pictured_change(p, i));
    }
    const int rows = p->j->n_open < MARK_ROWS ? p->j->n_open : MARK_ROWS;
    return (struct axes){scaled(lo), scaled(hi), HEIGHT - BOTTOM - MARK * rows,
                         s->commit[s->n - 1] - s->commit[0] + 1, out};
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
        bool fits = y >= TOP && y <= a->floor;
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
static void put_commits(const struct pictured *p, const struct axes *a)
{
    const struct sp_sessions *s = &p->sessions;
    const struct sp_entry *first = s->list[0], *last = s->list[s->n_records - 1];
    sp_print(a->out, "<g font-size='13' fill='#333333'><text x='%d' y='%d'>", LEFT, HEIGHT - BOTTOM + 20);
    char text[32];
    snprintf(text, sizeof text, *first->commit ? "%.12s" : "%.16s", source_of(first));
    sp_xml_text(a->out, text);
    if (s->n > 1) {
        sp_print(a->out, "</text><text x='%d' y='%d' text-anchor='end'>", WIDTH - RIGHT,
                 HEIGHT - BOTTOM + 20);
        snprintf(text, sizeof text, *last->commit ? "%.12s" : "%.16s", source_of(last));
        sp_xml_text(a->out, text);
    }
    sp_print(a->out,
             "</text><text x='%d' y='%d' text-anchor='middle'>%d %s%s, oldest left, one after the "
             "other</text></g>\n",
             (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, a->n_commits, *last->commit ? "commit" : "session",
             a->n_commits == 1 ? "" : "s");
}

/* --- What it shows ------------------------------------------------------------------------- */

/* The level or line of the sessions [first, end), `by` a commit. */
static void put_level(const struct pictured *p, const struct axes *a, int first, int end, bool is_open,
                      double slope)
{
    const struct sp_sessions *s = &p->sessions;
    const double middle = median_of(p, first, end);
    double rise = 0;
    if (slope != 0)
        rise = (sp_tracked_metrics[p->j->metric].less_is_better ? 1 : -1) * log1p(slope) *
               (s->commit[end - 1] - s->commit[first]);
    sp_print(a->out,
             "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='3' "
             "pointer-events='none'/>\n",
             x_of(p, a, first) - 3, y_of(a, relative(p, middle - rise / 2)), x_of(p, a, end - 1) + 3,
             y_of(a, relative(p, middle + rise / 2)), is_open ? "#cc3344" : "#888888");
}

static void put_levels(const struct pictured *p, const struct axes *a)
{
    put_level(p, a, 0, p->n_changes > 0 ? p->at[0] : p->sessions.n, false, 0);
    for (int i = 0; i < p->n_changes; i++) {
        const struct sp_open_change *c = &p->change[i].change;
        put_level(p, a, p->at[i], end_of(p, i), pictured_is_open(p, i),
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

static void put_marks(const struct pictured *p, const struct axes *a)
{
    char text[96];
    int row = 0;
    for (int i = 0; i < p->j->n_open; i++) {
        const int at = session_of(&p->sessions, p->j->open[i].since);
        if (at < 0)
            continue;
        snprintf(text, sizeof text,
                 *p->j->open[i].since->commit ? "%+.1f %% since %.12s" : "%+.1f %% since %.16s",
                 100 * p->j->open[i].by, source_of(p->j->open[i].since));
        sp_print(a->out, "<g font-size='13' fill='#cc3344'>");
        put_mark(a, x_of(p, a, at) - 4, HEIGHT - BOTTOM - 4 - MARK * (row++ % MARK_ROWS), "#cc3344", text);
        fputs("</g>\n", a->out);
    }
    const int at = p->accepted ? session_of(&p->sessions, p->accepted) : -1;
    if (at >= 0) {
        sp_print(a->out, "<g font-size='13' fill='#333333'>");
        put_mark(a, x_of(p, a, at), TOP + 12, "#009e73", "accepted");
        fputs("</g>\n", a->out);
    }
}

static void put_points(const struct pictured *p, const struct axes *a)
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
                 100 * pictured_change(p, i), x_of(p, a, i), y_of(a, pictured_change(p, i)), r);
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

/* Writes it; `id` is unique in the page. The scale is nearly even up to 5 % and closer together
 * above, asinh(x / 5 %), so that 5 % can be seen beside 100 %. */
static void picture_put(struct sp_page *page, const struct pictured *p, const char *id)
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
    put_points(p, &a);
    put_levels(p, &a);
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

enum { KEY_HTML = SP_KEY_PRIVATE, KEY_METRIC };
enum { MOST_METRICS = 4 };

/* The verdicts by one metric. */
struct part {
    enum sp_tracked metric;
    struct sp_judged all;
    struct sp_learned *learned; /* of all */
    bool *is_left_out;          /* [all.n] the metric is not known of the series */
};

struct reporting {
    struct sp_track_options options;
    const char *html;
    int n;
    struct part part[MOST_METRICS];
};

static const struct argp_option options[] = {
    {"html", KEY_HTML, "FILE", 0, "The page; - is standard output", 1},
    {"metric", KEY_METRIC, "NAME", 0,
     "As of track check (default time, and bytes where they are simulated); several times", 1},
    {0},
};

static void add_metric(struct argp_state *state, struct reporting *r, const char *name)
{
    const int metric = sp_tracked_find(name);
    if (metric < 0)
        sp_usage_error(state, "--metric takes the name of a metric such as time or bytes, not '%s'", name);
    for (int i = 0; i < r->n; i++)
        if ((int)r->part[i].metric == metric)
            return;
    if (r->n == MOST_METRICS)
        sp_usage_error(state, "--metric can be given %d times", MOST_METRICS);
    else
        r->part[r->n++].metric = (enum sp_tracked)metric;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct reporting *r = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_track_pass(state, &r->options);
        return 0;
    case KEY_HTML:
        r->html = arg;
        return 0;
    case KEY_METRIC:
        add_metric(state, r, arg);
        return 0;
    case ARGP_KEY_END:
        if (!r->html)
            sp_usage_error(state, "say where the page goes: --html FILE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* --- What there is to say ------------------------------------------------------------------ */

/* The parts of a page, by how they read. */
enum group { RED, UNDECIDED, WELL, N_GROUPS };

static enum group group_of(const struct sp_judgement *j)
{
    return sp_judgement_is_red(j)                                                         ? RED
           : j->verdict == SP_TRACK_INCONCLUSIVE || j->verdict == SP_TRACK_NOT_COMPARABLE ? UNDECIDED
                                                                                          : WELL;
}

static int count(const struct part *p, enum group group)
{
    int n = 0;
    for (int i = 0; i < p->all.n; i++)
        n += !p->is_left_out[i] && group_of(&p->all.judgement[i]) == group;
    return n;
}

static int count_all(const struct reporting *r, enum group group)
{
    int n = 0;
    for (int k = 0; k < r->n; k++)
        n += count(&r->part[k], group);
    return n;
}

static void say_first(struct sp_page *page, const struct reporting *r)
{
    const int red = count_all(r, RED), undecided = count_all(r, UNDECIDED), well = count_all(r, WELL);
    sp_print(page->out, "<p class=\"lead\"><strong class=\"%s\">",
             red > 0     ? "bad"
             : undecided ? "warn"
                         : "good");
    if (red + undecided + well == 0)
        sp_page_text(page, "There is no complete record here.");
    else if (red > 0)
        sp_page_text(page, "%d verdict%s of %d %s red.", red, red == 1 ? "" : "s", red + undecided + well,
                     red == 1 ? "is" : "are");
    else
        sp_page_text(page, "Nothing is red.");
    sp_page_put(page, "</strong>");
    for (int k = 0; k < r->n; k++) {
        const struct part *p = &r->part[k];
        const int n = count(p, RED) + count(p, UNDECIDED) + count(p, WELL);
        if (n > 0)
            sp_page_text(page, " By %s: %d red, %d not decided, %d well.", sp_tracked_metrics[p->metric].name,
                         count(p, RED), count(p, UNDECIDED), count(p, WELL));
    }
    sp_page_put(page, "</p>\n");
    sp_page_put(page, "<p>What is red got worse, and was neither mended nor accepted since. It stays red "
                      "until it goes back or <code>spmodel track accept</code> is typed.</p>\n");
}

static char *title_of(const struct sp_judgement *j, char *text, size_t size)
{
    char title[320], place[120];
    snprintf(text, size, "%s%s", sp_track_title(j->newest, title, sizeof title),
             sp_judgement_place(j, place, sizeof place));
    return text;
}

static void section_id(const struct part *p, int i, char *text, size_t size)
{
    snprintf(text, size, "%s-%d", sp_tracked_metrics[p->metric].name, i + 1);
}

static void put_overview(struct sp_page *page, const struct reporting *r)
{
    static const char *const heads[] = {"series", "by", "verdict", "change", "sessions before"};
    static const char *const inks[N_GROUPS] = {"bad", "warn", "good"};
    char title[460], change[96], id[48], before[24];
    sp_page_heading(page, 2, "all", "All series");
    sp_page_table_begin(page, "Verdicts on the newest session of each series", "hlllr", heads);
    for (int group = 0; group < N_GROUPS; group++)
        for (int k = 0; k < r->n; k++)
            for (int i = 0; i < r->part[k].all.n; i++) {
                const struct sp_judgement *j = &r->part[k].all.judgement[i];
                if (r->part[k].is_left_out[i] || (int)group_of(j) != group)
                    continue;
                section_id(&r->part[k], i, id, sizeof id);
                snprintf(before, sizeof before, "%d", j->n_before);
                sp_page_row_begin(page, NULL);
                sp_print(page->out, "<th scope=\"row\" class=\"name\"><a href=\"#r0-%s\">", id);
                sp_page_text(page, "%s", title_of(j, title, sizeof title));
                sp_page_put(page, "</a></th>");
                sp_page_cell(page, 'l', sp_tracked_metrics[j->metric].name);
                sp_print(page->out, "<td class=\"%s\">%s</td>", inks[group],
                         sp_track_verdict_name(j->verdict));
                sp_page_cell(page, 'l', sp_judgement_change(j, change, sizeof change));
                sp_page_cell(page, 'r', before);
                sp_page_row_end(page);
            }
    sp_page_table_end(page);
}

/* Whose words of why a time moved are its cause; bytes and instructions are one themselves. */
static bool has_cause(const struct sp_judgement *j)
{
    return !sp_tracked_is_of_bytes(j->metric) && j->metric != SP_TRACKED_INSTRUCTIONS;
}

static void put_changes(struct sp_page *page, const struct pictured *p)
{
    static const char *const heads[] = {"commit", "after", "when", "change", "state", "cause"};
    const bool less = sp_tracked_metrics[p->j->metric].less_is_better;
    char change[96];
    if (p->n_changes == 0)
        return;
    sp_page_table_begin(page, "Where it changed",
                        "hlllw"
                        "w",
                        heads);
    for (int i = 0; i < p->n_changes; i++) {
        const struct sp_located *l = &p->change[i];
        const struct sp_open_change *c = &l->change;
        const bool worse = (c->by > 0) == less, open = pictured_is_open(p, i);
        snprintf(change, sizeof change, fabs(c->by) < 0.01 ? "%+.2f %%" : "%+.1f %%", 100 * c->by);
        if (c->kind == SP_CHANGE_TREND)
            snprintf(change, sizeof change, "%+.1f %%, a trend of %+.2f %% a commit", 100 * c->by,
                     100 * c->slope);
        else if (c->kind == SP_CHANGE_MODE)
            snprintf(change, sizeof change, "%+.1f %%, a mode change", 100 * c->by);
        sp_page_row_begin(page, open ? "bad" : NULL);
        sp_page_cell(page, 'h', source_of(c->since));
        sp_page_cell(page, 'l', l->same_source ? "the same source" : source_of(c->before));
        char day[16];
        snprintf(day, sizeof day, "%.10s", c->since->start);
        sp_page_cell(page, 'l', day);
        sp_page_cell(page, 'l', change);
        sp_page_cell(page, 'l', open ? "worse, open" : worse ? "worse, ended since" : "better");
        sp_page_cell(page, 'w', has_cause(p->j) ? l->attribution.text : "");
        sp_page_row_end(page);
    }
    sp_page_table_end(page);
}

static void put_words(struct sp_page *page, const struct sp_judgement *j)
{
    const enum group group = group_of(j);
    char change[96], opened[256];
    sp_print(page->out, "<p><strong class=\"%s\">%s</strong>",
             group == RED         ? "bad"
             : group == UNDECIDED ? "warn"
                                  : "good",
             sp_track_verdict_name(j->verdict));
    sp_page_text(page, ": %s %s", sp_tracked_metrics[j->metric].name,
                 sp_judgement_change(j, change, sizeof change));
    if (j->n_before > 0)
        sp_page_text(page, " against %d %s%s before", j->n_before, j->is_exact ? "record" : "session",
                     j->n_before == 1 ? "" : "s");
    sp_page_text(page, " (%s).", *j->newest->origin[j->metric] ? j->newest->origin[j->metric] : "unknown");
    sp_judgement_open(j, opened, sizeof opened);
    if (opened[0])
        sp_page_text(page, " It is %s.", opened);
    if (j->mended)
        sp_page_text(page, " Mended: it was open since %.20s.", source_of(j->mended));
    if (isfinite(j->pinned_change))
        sp_page_text(page, " Against the accepted baseline: %+.1f %%.", 100 * j->pinned_change);
    sp_page_put(page, "</p>\n");
    if (j->why[0])
        sp_page_element(page, "p", NULL, "%s.", j->why);
    if (j->confirmation[0])
        sp_page_element(page, "p", NULL, "%s", j->confirmation);
    if (group == RED && has_cause(j) && j->attribution.text[0])
        sp_page_element(page, "p", NULL, "Why: %s", j->attribution.text);
    if (group == RED && j->attribution.also[0])
        sp_page_element(page, "p", NULL, "%s", j->attribution.also);
    if (group == RED && j->n_open > 0) {
        sp_page_put(page, "<p>Accept it: ");
        sp_page_element(page, "code", NULL, "spmodel track accept --series %.8s", j->newest->series);
        sp_page_put(page, "</p>\n");
    }
}

/* --- Data for programs --------------------------------------------------------------------- */

static json_t *series_data(const struct pictured *p)
{
    const struct sp_judgement *j = p->j;
    json_t *o = json_object(), *sessions = json_array(), *changes = json_array();
    json_object_set_new(o, "series", json_string(j->newest->series));
    json_object_set_new(o, "metric", json_string(sp_tracked_metrics[j->metric].name));
    json_object_set_new(o, "verdict", json_string(sp_track_verdict_name(j->verdict)));
    for (int i = 0; i < p->sessions.n; i++) {
        const struct sp_entry *e = p->sessions.list[p->sessions.first[i]];
        json_array_append_new(sessions, json_pack("{s:s, s:s, s:f}", "commit", e->commit, "start", e->start,
                                                  "change", pictured_change(p, i)));
    }
    for (int i = 0; i < p->n_changes; i++)
        json_array_append_new(changes,
                              json_pack("{s:s, s:f, s:b}", "since", source_of(p->change[i].change.since),
                                        "by", p->change[i].change.by, "open", pictured_is_open(p, i)));
    json_object_set_new(o, "sessions", sessions);
    json_object_set_new(o, "changes", changes);
    return o;
}

/* --- The page ------------------------------------------------------------------------------ */

static enum sp_status put_series(struct sp_page *page, struct part *part, int i, json_t *data,
                                 struct sp_error *err)
{
    const struct sp_judgement *j = &part->all.judgement[i];
    const bool folded = group_of(j) == WELL;
    struct pictured p;
    char title[460], id[48], picture[64], heading[520];
    const enum sp_status status = pictured_of(part->all.series, part->learned, i, j, &p, err);
    if (status != SP_OK)
        return status;
    section_id(part, i, id, sizeof id);
    snprintf(picture, sizeof picture, "r0-picture-%s", id);
    snprintf(heading, sizeof heading, "%s: %s", sp_tracked_metrics[j->metric].name,
             title_of(j, title, sizeof title));
    sp_page_put(page, "<article>\n");
    sp_page_heading(page, 3, id, heading);
    put_words(page, j);
    if (folded)
        sp_page_put(page, "<details><summary>its history</summary>\n");
    if (p.sessions.n > 0)
        picture_put(page, &p, picture);
    put_changes(page, &p);
    if (folded)
        sp_page_put(page, "</details>\n");
    sp_page_put(page, "</article>\n");
    json_array_append_new(data, series_data(&p));
    pictured_free(&p);
    return SP_OK;
}

static enum sp_status put_group(struct sp_page *page, struct reporting *r, enum group group, json_t *data,
                                struct sp_error *err)
{
    static const char *const ids[] = {"red", "undecided", "well"};
    static const char *const titles[] = {"What is red, and why", "Not decided", "Well"};
    enum sp_status status = SP_OK;
    if (count_all(r, group) == 0)
        return SP_OK;
    sp_page_heading(page, 2, ids[group], titles[group]);
    for (int k = 0; k < r->n; k++)
        for (int i = 0; i < r->part[k].all.n && status == SP_OK; i++)
            if (!r->part[k].is_left_out[i] && group_of(&r->part[k].all.judgement[i]) == group)
                status = put_series(page, &r->part[k], i, data, err);
    return status;
}

static enum sp_status write_page(struct reporting *r, FILE *out, struct sp_error *err)
{
    const struct sp_html_options how = {.no_plots = true};
    struct sp_page page;
    json_t *data = json_array();
    enum sp_status status = sp_page_open(&page, &how, err);
    if (status != SP_OK)
        return json_decref(data), status;
    page.part = 0;
    sp_page_heading(&page, 1, "top", "What has changed");
    say_first(&page, r);
    if (count_all(r, RED) + count_all(r, UNDECIDED) + count_all(r, WELL) > 0)
        put_overview(&page, r);
    for (int group = 0; group < N_GROUPS && status == SP_OK; group++)
        status = put_group(&page, r, (enum group)group, data, err);
    sp_page_heading(&page, 2, "record", "Data");
    sp_page_put(&page, "<p>Verdicts, sessions and changes are in this page as data, in the element "
                       "<code>script#r0-data</code>; the store has the records.</p>\n");
    sp_html_data(&page, "data", data);
    json_decref(data);
    if (status != SP_OK)
        return sp_page_drop(&page), status;
    return sp_page_close(&page, "What has changed", true, out, err);
}

/* --- The verb ------------------------------------------------------------------------------ */

/* Bytes are asked for everywhere, but not all series know them without noise. */
static enum sp_status judge_part(struct part *p, const struct reporting *r, bool by_default,
                                 const struct sp_store *store, const struct sp_store_index *index,
                                 const struct sp_entry *const *list, int64_t n, int *code,
                                 struct sp_error *err)
{
    const struct sp_judge_options judge = {.metric = p->metric, .seed = 1};
    const struct sp_judged_options o = {.options = &r->options, .judge = &judge};
    enum sp_status status = sp_judged_begin(&o, store, index, list, n, &p->all, code, err);
    if (status == SP_OK)
        status = sp_judged_end(&o, index, &p->all, err);
    if (status == SP_OK)
        status = sp_learn_all(p->all.series, p->all.n + p->all.n_context, &judge, &p->learned, err);
    p->is_left_out = calloc((size_t)p->all.n + 1, sizeof *p->is_left_out);
    if (status == SP_OK && !p->is_left_out)
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for the verdicts on %d series", p->all.n);
    for (int i = 0; status == SP_OK && i < p->all.n; i++) {
        const struct sp_judgement *j = &p->all.judgement[i];
        p->is_left_out[i] = by_default && p->metric != SP_TRACKED_TIME && !j->is_exact && j->n_open == 0;
    }
    return status;
}

static const struct argp argp = {
    options, parse, .args_doc = "",
    .doc =
        "Writes one page about all series that are meant, which needs no other file and no network: what is "
        "red and why, each series by commit with its levels, what is open, and the causes. The exit code "
        "does not hang on the verdicts: track check is the gate.",
    .children = sp_track_children};

static int run(int argc, char **argv)
{
    struct reporting r = {0};
    struct sp_store store;
    struct sp_store_index index;
    struct sp_error err;
    struct sp_sink sink;
    const struct sp_entry **list = NULL;
    int64_t n;
    int code = 0;
    sp_parse(&argp, argc, argv, &r);
    const bool by_default = r.n == 0;
    if (by_default) {
        r.part[r.n++].metric = SP_TRACKED_TIME;
        r.part[r.n++].metric = SP_TRACKED_BYTES;
    }
    if (sp_sink_open(r.html, &sink, &err) != SP_OK)
        return sp_report_error(&err);
    const int failed = sp_track_open(&r.options, &store, &index, &code);
    if (failed)
        return sp_sink_abort(&sink), failed;
    struct sp_track_options history = r.options; /* place and time say what is judged, not with what */
    history.commit = history.machine = NULL;
    *history.since = '\0';
    enum sp_status status = sp_track_select(&history, &index, &list, &n, &err);
    for (int k = 0; k < r.n && status == SP_OK; k++)
        status = judge_part(&r.part[k], &r, by_default, &store, &index, list, n, &code, &err);
    if (status == SP_OK)
        status = write_page(&r, sink.stream, &err);
    if (status != SP_OK) {
        sp_sink_abort(&sink);
        code = sp_worse_exit(code, sp_report_error(&err));
    } else {
        const bool is_file = sink.is_file;
        const int closed = sp_sink_close(&sink, 0);
        code = sp_worse_exit(code, closed);
        if (is_file && closed == 0 && r.options.common.verbosity >= 0)
            sp_print(stdout, "saved  %s\n", r.html);
    }
    for (int k = 0; k < MOST_METRICS; k++) {
        sp_learned_free(r.part[k].learned);
        sp_judged_free(&r.part[k].all);
        free(r.part[k].is_left_out);
    }
    free(list);
    sp_index_free(&index);
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel track report --html track.html", "a page about all series", NULL},
    {"spmodel track report --metric bandwidth_fraction --html gate.html",
     "the gate that holds on shared machines", NULL},
    {0},
};

const struct sp_verb sp_track_report = {
    .name = "report",
    .arguments = "--html FILE",
    .summary = "all series on one page: what is red, and why",
    .run = run,
    .page = {&argp, examples, NULL, "track-check track-locate track-plot"},
};
