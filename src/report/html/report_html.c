#include "report/html/report_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "io/record/record.h"
#include "plots/plot.h"
#include "report/html/html_sections.h"

enum { NAME = 400 };

/* What a second look asks for is folded away, and not printed unless it is open. */
static void fold_begin(struct sp_page *page, const char *summary)
{
    sp_page_put(page, "<details>\n");
    sp_page_element(page, "summary", NULL, "%s", summary);
}

static void fold_end(struct sp_page *page)
{
    sp_page_put(page, "</details>\n");
}

/* All about one record below its heading: as on the terminal, then plots, then the rest. */
static void sections(struct sp_page *page, const struct sp_record *record)
{
    sp_html_summary(page, record);
    sp_html_ranks(page, record);
    sp_html_hints(page, record);
    sp_html_losses(page, record);
    sp_page_roofline(page, record);
    sp_page_alpha_curve(page, record);
    fold_begin(page, "Matrix, machine, kernel; model and measurement");
    sp_html_head(page, record);
    sp_html_table(page, record);
    sp_html_ways(page, record);
    fold_end(page);
    fold_begin(page, "More plots");
    sp_page_spy(page, record);
    sp_page_balance(page, record);
    sp_page_beta_map(page, record);
    sp_page_saturation(page, record);
    fold_end(page);
    fold_begin(page, "More hints, trials, traffic, costs, flags and remarks");
    sp_html_more_hints(page, record);
    sp_html_tries(page, record);
    sp_html_levels(page, record);
    sp_html_domains(page, record);
    sp_html_notes(page, record);
    sp_html_costs(page, record);
    fold_end(page);
}

static void write_one(struct sp_page *page, const struct sp_record *record, const char *title)
{
    sp_page_heading(page, 1, "top", title);
    sp_html_attach(page, record); /* several tell of it once */
    sections(page, record);
    sp_html_words(page, record);
    sp_html_record(page, record);
}

/* Do the records of a campaign's plot differ in n_nz, over which it is drawn? */
static bool sizes_differ(const struct sp_record *const *records, int n)
{
    const struct sp_plot_kind *kind = sp_plot_kind_find("campaign");
    int64_t first = 0, one = 0;
    for (int i = 0; i < n; i++) {
        if (kind->lacks(records[i]) || !sp_record_count(records[i], SP_F_PROBLEM_NNZ, &one))
            continue;
        if (first > 0 && one != first)
            return true;
        first = one;
    }
    return false;
}

/* Do they differ in the number of vectors, or the dense width? */
static bool widths_differ(const struct sp_record *const *records, int n)
{
    struct sp_series_point first, one;
    sp_series_point_of(records[0], &first);
    for (int i = 1; i < n; i++) {
        sp_series_point_of(records[i], &one);
        if (one.r != first.r)
            return true;
    }
    return false;
}

/* Where and how fast the records are: below one roofline if it has room, else over sizes. */
static void shared_performance(struct sp_page *page, const struct sp_record *const *records, int n)
{
    const int room = sp_plot_kind_find("roofline")->max_records;
    char title[64] = "Roofline of all", text[512];
    if (n > room && sizes_differ(records, n)) {
        snprintf(text, sizeof text,
                 "One roofline has room for %d records, and here are %d: each has its own in its part below. "
                 "This plot has performance, fraction of the roof and alpha of all over the number of "
                 "nonzeros, and how often each hint fired. Filled marks are measured, hollow ones simulated "
                 "or modelled.",
                 room, n);
        sp_page_plot_of_several(page, "campaign", records, n, "All records over the number of nonzeros",
                                text);
        return;
    }
    if (n > room)
        snprintf(title, sizeof title, "Roofline of %d records", room);
    sp_page_plot_of_several(page, "roofline", records, n, title,
                            "The points of the records below the ceilings of the first, numbered as in the "
                            "key; the stacked bars beside it are their losses.");
}

static void shared_plots(struct sp_page *page, const struct sp_record *const *records, int n)
{
    shared_performance(page, records, n);
    if (widths_differ(records, n))
        sp_page_plot_of_several(
            page, "balance", records, n, "Balance over the number of vectors",
            "Code balance and performance over the number of vectors that are multiplied at once.");
}

static void write_several(struct sp_page *page, const struct sp_record *const *records, int n,
                          const char *title)
{
    char name[NAME];
    page->part = 0;
    sp_page_heading(page, 1, "top", title);
    sp_html_overview(page, records, n, true, "All records; the first column leads to their parts");
    sp_html_attach(page, records[0]);
    shared_plots(page, records, n);
    page->level = 3;
    page->parts = records;
    for (int i = 0; i < n; i++) {
        page->part = i + 1;
        sp_page_put(page, "<section>\n");
        sp_page_heading(page, 2, "top", sp_html_name(records[i], name, sizeof name));
        sections(page, records[i]);
        sp_html_record(page, records[i]);
        sp_page_put(page, "</section>\n");
    }
    page->level = 2;
    page->part = 0;
    sp_html_words(page, records[0]);
}

enum sp_status sp_report_html(const struct sp_record *const *records, int n,
                              const struct sp_html_options *options, FILE *out, struct sp_error *err)
{
    struct sp_page page;
    char name[NAME], title[NAME + 64];
    enum sp_status status = sp_page_open(&page, options, err);
    if (status != SP_OK)
        return status;
    if (n == 1)
        snprintf(title, sizeof title, "%s - report of spmodel", sp_html_name(records[0], name, sizeof name));
    else
        snprintf(title, sizeof title, "Report of spmodel on %d analyses", n);
    if (n == 1)
        write_one(&page, records[0], name);
    else
        write_several(&page, records, n, title);
    return sp_page_close(&page, title, true, out, err);
}

/* The page about a campaign. */

static int64_t entries_of(const struct sp_record *record)
{
    int64_t n = -1;
    sp_record_count(record, SP_F_PROBLEM_NNZ, &n);
    return n;
}

struct place {
    const struct sp_record *record;
    int order; /* in the campaign */
};

/* As the plots have them: small matrices first, runs of one together, in order. */
static int by_matrix(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const int64_t n = entries_of(x->record), m = entries_of(y->record);
    if (n != m)
        return n < m ? -1 : 1;
    const int names = strcmp(sp_words_text(x->record, SP_F_CAMPAIGN_MATRIX, ""),
                             sp_words_text(y->record, SP_F_CAMPAIGN_MATRIX, ""));
    return names != 0 ? names : x->order - y->order;
}

static enum sp_status sort(const struct sp_record *const *records, int n, const struct sp_record **sorted,
                           struct sp_error *err)
{
    struct place *place = calloc((size_t)n + 1, sizeof *place);
    if (!place)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %d records", n);
    for (int i = 0; i < n; i++)
        place[i] = (struct place){records[i], i};
    sp_sort_by(place, n, sizeof *place, by_matrix);
    for (int i = 0; i < n; i++)
        sorted[i] = place[i].record;
    free(place);
    return SP_OK;
}

static int count_state(const json_t *jobs, const char *state)
{
    const json_t *job;
    size_t i;
    int n = 0;
    json_array_foreach(jobs, i, job)
    {
        const char *is = sp_item_text(job, "state");
        n += is && strcmp(is, state) == 0;
    }
    return n;
}

static void summary(struct sp_page *page, const struct sp_html_campaign *c,
                    const struct sp_record *const *records, int n)
{
    double lo = INFINITY, hi = -INFINITY;
    char a[32], b[32];
    int known = 0;
    for (int i = 0; i < n; i++) {
        const struct sp_value v = sp_record_value(records[i], SP_F_METRICS_BANDWIDTH_FRACTION);
        if (!sp_value_known(v))
            continue;
        lo = fmin(lo, v.value);
        hi = fmax(hi, v.value);
        known++;
    }
    sp_page_put(page, "<p class=\"lead\">");
    sp_page_text(page, "Of %d jobs %d are done, %d failed, %d are running, %d wait; %d records.", c->n_jobs,
                 c->n_jobs - (int)json_array_size(c->open_jobs), count_state(c->open_jobs, "failed"),
                 count_state(c->open_jobs, "claimed"), count_state(c->open_jobs, "waiting"), n);
    if (known > 0)
        sp_page_text(page, " They reach %s to %s of the roof (%d of %d where that is known).",
                     sp_figure_percent(a, sizeof a, lo), sp_figure_percent(b, sizeof b, hi), known, n);
    sp_page_put(page, "</p>\n");
    sp_page_element(page, "p", "soft", "The records are in the store %s.", c->store);
}

static void open_jobs(struct sp_page *page, const struct sp_html_campaign *c)
{
    static const char *const heads[] = {"matrix", "run", "state", "why"};
    static const char *const keys[] = {"matrix", "run", "state", "detail"};
    const json_t *one;
    size_t i;
    if (json_array_size(c->open_jobs) + json_array_size(c->unread) > 0)
        sp_page_heading(page, 2, "open", "Failed or not done");
    if (json_array_size(c->open_jobs) > 0) {
        sp_page_table_begin(page, "Jobs without a record", "hlll", heads);
        json_array_foreach(c->open_jobs, i, one)
        {
            const char *state = sp_item_text(one, "state");
            sp_page_row_begin(page, state && strcmp(state, "failed") == 0 ? "bad" : NULL);
            for (int k = 0; k < 4; k++)
                sp_page_cell(page, "hllw"[k], sp_item_text(one, keys[k]) ? sp_item_text(one, keys[k]) : "");
            sp_page_row_end(page);
        }
        sp_page_table_end(page);
    }
    json_array_foreach(c->unread, i, one)
        sp_page_element(page, "p", "bad", "A record cannot be read: %s",
                        json_string_value(one) ? json_string_value(one) : "");
}

/* What the table says, for programs. */
static json_t *row_data(const struct sp_record *record)
{
    static const enum sp_record_field texts[] = {SP_F_ID, SP_F_STATUS};
    static const enum sp_record_field parts[] = {SP_F_PROBLEM, SP_F_CONFIG, SP_F_METRICS, SP_F_CAMPAIGN,
                                                 SP_F_FLAGS};
    json_t *o = json_object(), *ids = json_array();
    const json_t *hint;
    size_t i;
    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        json_object_set_new(o, sp_field_key(texts[i]), json_string(sp_words_text(record, texts[i], "")));
    for (i = 0; i < sizeof parts / sizeof *parts; i++)
        if (sp_record_node(record, parts[i]))
            json_object_set(o, sp_field_key(parts[i]), (json_t *)sp_record_node(record, parts[i]));
    json_array_foreach(sp_record_node(record, SP_F_HINTS), i, hint)
        json_array_append(ids, json_object_get(hint, "id"));
    json_object_set_new(o, "hints", ids);
    return o;
}

static void put_data(struct sp_page *page, const struct sp_html_campaign *c,
                     const struct sp_record *const *records, int n)
{
    json_t *data = json_object(), *rows = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(rows, row_data(records[i]));
    json_object_set_new(data, "campaign", json_string(c->name));
    json_object_set_new(data, "records", rows);
    json_object_set(data, "open_jobs", (json_t *)c->open_jobs);
    sp_page_heading(page, 2, "record", "Data");
    sp_page_put(page, "<p>Matrix, configuration and metrics of all records are in this page as data, in the "
                      "element <code>script#r0-data</code>; the store has the records.</p>\n");
    sp_html_data(page, "data", data);
    json_decref(data);
}

static void write_page(struct sp_page *page, const struct sp_html_campaign *c,
                       const struct sp_record *const *records, int n, const char *title)
{
    page->part = 0;
    sp_page_heading(page, 1, "top", title);
    summary(page, c, records, n);
    open_jobs(page, c);
    if (n > 0) {
        sp_page_heading(page, 2, "plot", "All matrices");
        sp_page_plot_of_several(
            page, "campaign", records, n, "The campaign over the number of nonzeros",
            "Performance, fraction of the roof and alpha of every record over the number of nonzeros, and "
            "how often each hint fired; the table below has the numbers. Filled marks are measured, hollow "
            "ones simulated or modelled.");
        sp_page_heading(page, 2, "table", "Records");
        sp_html_overview(page, records, n, false, "All records, by number of nonzeros");
        sp_html_words(page, records[0]);
    }
    put_data(page, c, records, n);
}

enum sp_status sp_report_html_campaign(const struct sp_html_campaign *campaign,
                                       const struct sp_record *const *records, int n,
                                       const struct sp_html_options *options, FILE *out, struct sp_error *err)
{
    struct sp_page page;
    char title[256];
    const struct sp_record **sorted = calloc((size_t)n + 1, sizeof *sorted);
    enum sp_status status =
        sorted ? sort(records, n, sorted, err) : sp_fail(err, SP_MEMORY, NULL, "no memory for %d records", n);
    if (status == SP_OK)
        status = sp_page_open(&page, options, err);
    if (status == SP_OK) {
        snprintf(title, sizeof title, "Campaign %.200s", campaign->name);
        write_page(&page, campaign, sorted, n, title);
        status = sp_page_close(&page, title, true, out, err);
    }
    free(sorted);
    return status;
}
