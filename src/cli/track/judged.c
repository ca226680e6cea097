#include "cli/track/judged.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "cli/core/options.h"
#include "cli/track/track_options.h"
#include "report/text/report_text.h"
#include "track/judge/comparable.h"

enum { MOST_OF_SERIES = 64 }; /* environments of one that are judged */

/* The accepted baseline of a series; damaged parts are reported and left out. */
static int find_pins(const struct sp_store *store, const struct sp_entry *newest, enum sp_tracked metric,
                     const struct sp_store_index *index, const struct sp_entry **pinned, int *code)
{
    struct sp_error err;
    int n = 0;
    if (sp_pins_find(store, newest, metric, index, pinned, &n, &err) != SP_OK)
        *code = sp_worse_exit(*code, sp_report_error(&err));
    return n;
}

/* Adds the fields of the environment in which the two records differ, as far as there is room. */
static void name_fields(const struct sp_store_index *index, struct sp_judgement *j)
{
    struct sp_record was = {0}, is = {0};
    struct sp_differences d = {0};
    size_t used = strlen(j->why);
    const char *begin = ": ";
    if (sp_record_read(index->path[j->other - index->entry], &was, NULL) == SP_OK &&
        sp_record_read(index->path[j->newest - index->entry], &is, NULL) == SP_OK)
        sp_differences_find(&was, &is, false, &d, NULL);
    for (int i = 0; i < d.n; i++) {
        const struct sp_difference *one = &d.one[i];
        const char *key = sp_difference_within(one, SP_F_ENV_IDENTITY);
        if (!key)
            continue;
        const int n =
            snprintf(j->why + used, sizeof j->why - used, "%s%s was %s, is %s", begin, key, one->a, one->b);
        if (n < 0 || used + (size_t)n >= sizeof j->why) {
            j->why[used] = '\0';
            break;
        }
        used += (size_t)n;
        begin = "; ";
    }
    sp_differences_free(&d);
    sp_record_free(&was);
    sp_record_free(&is);
}

static bool are_of_one_series(const struct sp_judged *all, int i, int k)
{
    return k >= 0 && k < all->n && strcmp(all->newest[i].newest->series, all->newest[k].newest->series) == 0;
}

/* of its series */
static bool judged_is_one_of_several(const struct sp_judged *all, int i)
{
    return are_of_one_series(all, i, i - 1) || are_of_one_series(all, i, i + 1);
}

/* Does --machine choose this one among those of its series that are judged? */
bool sp_judged_machine_tells(const struct sp_judged *all, int i)
{
    const char *machine = all->newest[i].newest->machine;
    int n_alike = 0;
    for (int k = 0; k < all->n; k++)
        n_alike += are_of_one_series(all, i, k) && strcmp(all->newest[k].newest->machine, machine) == 0;
    return judged_is_one_of_several(all, i) && n_alike == 1;
}

void sp_judged_free(struct sp_judged *all)
{
    for (int i = 0; i < all->n + all->n_context; i++)
        sp_newest_free(&all->newest[i]);
    free(all->newest);
    free(all->judgement);
    free(all->series);
    free(all->pinned);
    *all = (struct sp_judged){0};
}

static bool may_be_judged(const void *context, const struct sp_entry *entry)
{
    return sp_track_is_of_place_and_time(context, entry);
}

static bool any(const void *context, const struct sp_entry *entry)
{
    (void)context;
    return entry != NULL;
}

/* The newest of each series of list[n] behind the *found of before, with a filter. */
static enum sp_status append_newest(const struct sp_judged_options *c, const struct sp_entry *const *list,
                                    int64_t n, sp_entry_filter *filter, struct sp_newest *newest, int *found,
                                    struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int64_t first = 0, end; first < n && status == SP_OK; first = end) {
        int more;
        end = sp_track_series_end(list, n, first);
        const int most = end - first < MOST_OF_SERIES ? (int)(end - first) : MOST_OF_SERIES;
        status = sp_newest_find(list + first, (int)(end - first), c->judge->metric, filter, c->options,
                                newest + *found, most, &more, err);
        *found += more;
    }
    return status;
}

static bool is_judged(const struct sp_judged *all, const struct sp_newest *one)
{
    for (int i = 0; i < all->n; i++)
        if (strcmp(all->newest[i].newest->series, one->newest->series) == 0 &&
            strcmp(all->newest[i].newest->env, one->newest->env) == 0)
            return true;
    return false;
}

/* The other series of the machines, which tell of their noise and of what all of them did. */
static enum sp_status add_context(const struct sp_judged_options *c, const struct sp_store_index *index,
                                  struct sp_judged *all, struct sp_error *err)
{
    const struct sp_track_options every = {.common = c->options->common};
    const struct sp_entry **list = NULL;
    int64_t n;
    int found = all->n;
    enum sp_status status = sp_track_select(&every, index, &list, &n, err);
    if (status == SP_OK)
        status = append_newest(c, list, n, any, all->newest, &found, err);
    for (int i = all->n; i < found; i++) {
        bool is_beside = false; /* measured on a machine that is judged */
        for (int k = 0; k < all->n && !is_beside; k++)
            is_beside = strcmp(all->newest[k].newest->env, all->newest[i].newest->env) == 0;
        if (status == SP_OK && is_beside && !is_judged(all, &all->newest[i]))
            all->newest[all->n + all->n_context++] = all->newest[i];
        else
            sp_newest_free(&all->newest[i]);
    }
    free(list);
    return status;
}

static enum sp_status find_newest(const struct sp_judged_options *c, const struct sp_store_index *index,
                                  const struct sp_entry *const *list, int64_t n, struct sp_judged *all,
                                  struct sp_error *err)
{
    const size_t most = (size_t)n + (size_t)index->n + 1;
    all->newest = calloc(most, sizeof *all->newest);
    all->judgement = calloc(most, sizeof *all->judgement);
    all->series = calloc(most, sizeof *all->series);
    all->pinned = calloc(most, sizeof *all->pinned);
    if (!all->newest || !all->judgement || !all->series || !all->pinned)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the verdicts on %lld records", (long long)n);
    const enum sp_status status = append_newest(c, list, n, may_be_judged, all->newest, &all->n, err);
    return status == SP_OK && all->n > 0 ? add_context(c, index, all, err) : status;
}

/* Judges all; what was said of why one cannot be confirmed stays. */
enum sp_status sp_judged_again(const struct sp_judged_options *c, const struct sp_judged *all,
                               struct sp_error *err)
{
    const size_t size = sizeof all->judgement->confirmation;
    char *said = malloc((size_t)all->n * size + 1);
    if (!said)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the verdicts on %d series", all->n);
    for (int i = 0; i < all->n; i++)
        memcpy(said + (size_t)i * size, all->judgement[i].confirmation, size);
    const enum sp_status status =
        sp_judge_all(all->series, all->n + all->n_context, c->judge, all->judgement, err);
    for (int i = 0; i < all->n && status == SP_OK; i++)
        if (!all->judgement[i].confirmation[0])
            memcpy(all->judgement[i].confirmation, said + (size_t)i * size, size);
    free(said);
    return status;
}

enum sp_status sp_judged_begin(const struct sp_judged_options *c, const struct sp_store *store,
                               const struct sp_store_index *index, const struct sp_entry *const *list,
                               int64_t n, struct sp_judged *all, int *code, struct sp_error *err)
{
    enum sp_status status = find_newest(c, index, list, n, all, err);
    for (int i = 0; i < all->n + all->n_context && status == SP_OK; i++) {
        const struct sp_newest *one = &all->newest[i];
        const bool is_context = i >= all->n;
        const int n_pinned =
            is_context ? 0 : find_pins(store, one->newest, c->judge->metric, index, all->pinned[i], code);
        all->series[i] = (struct sp_judged_series){one->list, one->n, all->pinned[i], n_pinned, is_context};
    }
    return status == SP_OK ? sp_judged_again(c, all, err) : status;
}

enum sp_status sp_judged_end(const struct sp_judged_options *c, const struct sp_store_index *index,
                             struct sp_judged *all, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < all->n && status == SP_OK; i++) {
        struct sp_judgement *j = &all->judgement[i];
        j->is_one_of_several = judged_is_one_of_several(all, i);
        if (j->other)
            name_fields(index, j);
        if (c->patience > 0)
            status = sp_judge_lose_patience(&all->series[i], c->judge, c->patience, j, err);
    }
    return status;
}

/* What no ratio tells. */
static bool rises_from_zero(const struct sp_judgement *j)
{
    return j->is_exact && isinf(j->shift.change);
}

static bool is_compared(const struct sp_judgement *j)
{
    const struct sp_shift *s = &j->shift;
    return j->verdict != SP_TRACK_NOT_COMPARABLE && s->floor > 0 && j->n_before > 0 &&
           (isfinite(s->change) || rises_from_zero(j));
}

/* "+5.1 % (+3.9 … +6.4 %)"; "unknown" where nothing was compared. */
char *sp_judgement_change(const struct sp_judgement *j, char *text, size_t size)
{
    const struct sp_shift *s = &j->shift;
    if (!is_compared(j))
        snprintf(text, size, "unknown");
    else if (rises_from_zero(j))
        snprintf(text, size, "up from 0");
    else if (j->is_exact || !isfinite(s->hi))
        snprintf(text, size, fabs(s->change) < 0.01 ? "%+.2f %%" : "%+.1f %%", 100 * s->change);
    else
        snprintf(text, size, "%+.1f %% (%+.1f … %+.1f %%)", 100 * s->change, 100 * s->lo, 100 * s->hi);
    return text;
}

/* Attribution says why the time changed: bytes, alpha and instructions are a cause themselves. */
static bool is_of_time(const struct sp_judgement *j)
{
    return !sp_tracked_is_of_bytes(j->metric) && j->metric != SP_TRACKED_INSTRUCTIONS;
}

enum { REMARK = 2048, PLACE = 120 };

bool sp_judgement_is_red(const struct sp_judgement *j)
{
    return j->verdict == SP_TRACK_REGRESSED || j->verdict == SP_TRACK_MACHINE || j->is_out_of_patience;
}

static const char *source_of(const struct sp_entry *e)
{
    return e->commit[0] ? e->commit : e->start;
}

/* "open since 1234abcd (after 99887766): a step of +5.1 %, seen in 3 sessions"; "" */
const char *sp_judgement_open(const struct sp_judgement *j, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < j->n_open && used < size; i++) {
        const struct sp_open_change *o = &j->open[i];
        used +=
            (size_t)snprintf(text + used, size - used, "%s since %.20s (after %.20s): ", i ? "; and" : "open",
                             source_of(o->since), source_of(o->before));
        if (used < size && o->kind == SP_CHANGE_TREND)
            used += (size_t)snprintf(text + used, size - used,
                                     "a trend of %+.2f %% a commit (%+.2f … %+.2f %%), %+.1f %% so far",
                                     100 * o->slope, 100 * o->slope_lo, 100 * o->slope_hi, 100 * o->by);
        else if (used < size)
            used += (size_t)snprintf(text + used, size - used,
                                     fabs(o->by) < 0.01 ? "a %s of %+.2f %%" : "a %s of %+.1f %%",
                                     sp_change_kind_name(o->kind), 100 * o->by);
    }
    if (j->n_open > 0 && used < size)
        snprintf(text + used, size - used, ", seen in %d session%s", j->seen, j->seen == 1 ? "" : "s");
    return text;
}

/* Why a verdict is not good: since when it is open, its reason, the change's cause. */
static const char *remark_of(const struct sp_judgement *j, char *text, size_t size)
{
    const bool has_cause = sp_track_exit_code(j->verdict) != 0 && is_of_time(j);
    const char *cause = has_cause ? j->attribution.text : "";
    char opened[256];
    sp_judgement_open(j, opened, sizeof opened);
    snprintf(text, size, "%s%s%s%s%s", opened, *opened && (j->why[0] || *cause) ? "; " : "", j->why,
             j->why[0] && *cause ? "; " : "", cause);
    return text;
}

/* Behind its title: where several of a series are judged, which of them it is; else "". */
const char *sp_judgement_place(const struct sp_judgement *j, char *text, size_t size)
{
    text[0] = '\0';
    return j->is_one_of_several ? sp_track_place(j->newest, j->metric, text, size) : text;
}

static double metric_of(const struct sp_judgement *j)
{
    return j->newest->metric[j->metric];
}

static const char *origin_of(const struct sp_judgement *j)
{
    const char *origin = j->newest->origin[j->metric];
    return *origin ? origin : "unknown";
}

void sp_verdicts_print(const struct sp_judgement *judgement, int n, FILE *out)
{
    int count[SP_TRACK_NOT_COMPARABLE + 1] = {0}, n_series = 0;
    char title[320], change[96], place[PLACE];
    for (int i = 0; i < n; i++) {
        const struct sp_judgement *j = &judgement[i];
        count[j->verdict]++;
        n_series += i == 0 || strcmp(j->newest->series, j[-1].newest->series) != 0;
        sp_print(out, "%-14s %s%s  series %.8s\n", sp_track_verdict_name(j->verdict),
                 sp_track_title(j->newest, title, sizeof title), sp_judgement_place(j, place, sizeof place),
                 j->newest->series);
        sp_print(out, "               %s %s", sp_tracked_metrics[j->metric].name,
                 is_compared(j) ? sp_judgement_change(j, change, sizeof change) : "change not known");
        if (j->n_before > 0)
            sp_print(out, " against %s%d %s%s before", j->is_exact && j->n_before > 1 ? "the best of " : "",
                     j->n_before, j->is_exact ? "record" : "session", j->n_before == 1 ? "" : "s");
        if (isfinite(j->pinned_change))
            sp_print(out, ", %+.1f %% against the accepted baseline", 100 * j->pinned_change);
        if (is_compared(j))
            sp_print(out, " (%s%s)", origin_of(j), j->is_exact ? ": compared as it is" : "");
        fputc('\n', out);
        if (j->n_open > 0) {
            char opened[256];
            sp_print(out, "               %s\n", sp_judgement_open(j, opened, sizeof opened));
        }
        if (j->mended)
            sp_print(out, "               mended: it was open since %.20s\n", source_of(j->mended));
        if (j->why[0])
            sp_print(out, "               %s\n", j->why);
        if (j->confirmation[0])
            sp_print(out, "               %s\n", j->confirmation);
        if ((sp_judgement_is_red(j) || j->verdict == SP_TRACK_IMPROVED) && is_of_time(j) &&
            j->attribution.text[0])
            sp_print(out, "               %s\n", j->attribution.text);
        if (sp_judgement_is_red(j) && j->attribution.also[0])
            sp_print(out, "               %s\n", j->attribution.also);
        else if (sp_judgement_is_red(j) && j->attribution.is_resolved_otherwise)
            sp_print(
                out,
                "               kernel, pages, pinning or stores were resolved differently than before\n");
    }
    fputs(n > 0 ? "\n" : "", out);
    if (n > n_series)
        sp_print(out, "%d verdicts on ", n);
    sp_print(out, "%d series:", n_series);
    for (int v = 0; v <= SP_TRACK_NOT_COMPARABLE; v++)
        if (count[v] > 0)
            sp_print(out, " %d %s", count[v], sp_track_verdict_name((enum sp_verdict_of_track)v));
    sp_print(out, "%s\n", n == 0 ? " no complete record that says what was asked for fits" : "");
}

void sp_verdicts_csv(const struct sp_judgement *judgement, int n, FILE *out)
{
    sp_print(out, "verdict,matrix,configuration,series,metric,value,unit,change,change_lo,change_hi,floor,p,"
                  "records_before,"
                  "why,confirmation,baseline,pinned_change,kind,open_since,seen,machine,env\n");
    for (int i = 0; i < n; i++) {
        const struct sp_judgement *j = &judgement[i];
        const struct sp_shift *s = &j->shift;
        sp_print(out, "%s,", sp_track_verdict_name(j->verdict));
        sp_csv_text(out, j->newest->matrix);
        fputc(',', out);
        sp_csv_text(out, j->newest->what);
        sp_print(out, ",%s,%s,", j->newest->series, sp_tracked_metrics[j->metric].name);
        if (!isnan(metric_of(j)))
            sp_print(out, "%.9g", metric_of(j));
        sp_print(out, ",%s,", sp_tracked_metrics[j->metric].unit);
        if (s->floor > 0 && isfinite(s->hi))
            sp_print(out, "%.6g,%.6g,%.6g,%.6g,%.6g", s->change, s->lo, s->hi, s->floor, s->p);
        else
            sp_print(out, ",,,,");
        sp_print(out, ",%d,", j->n_before);
        sp_csv_text(out, j->why);
        fputc(',', out);
        sp_csv_text(out, j->confirmation);
        sp_print(out, ",%s,", sp_judgement_baseline(j));
        if (isfinite(j->pinned_change))
            sp_print(out, "%.6g", j->pinned_change);
        sp_print(out, ",%s,", sp_change_kind_name(j->kind));
        if (j->n_open > 0)
            sp_csv_text(out, source_of(j->open[0].since));
        sp_print(out, ",%d,", j->seen);
        sp_csv_text(out, j->newest->machine);
        fputc(',', out);
        sp_csv_field(out, j->newest->env);
        fputc('\n', out);
    }
}

static json_t *open_json(const struct sp_judgement *j)
{
    json_t *all = json_array();
    for (int i = 0; i < j->n_open; i++) {
        const struct sp_open_change *o = &j->open[i];
        json_t *one = json_pack("{s:s, s:s, s:s, s:s, s:f}", "kind", sp_change_kind_name(o->kind), "since",
                                source_of(o->since), "record", o->since->id, "after", source_of(o->before),
                                "by", o->by);
        if (one && o->kind == SP_CHANGE_TREND)
            json_object_set_new(one, "slope", json_pack("[f, f, f]", o->slope, o->slope_lo, o->slope_hi));
        json_array_append_new(all, one);
    }
    return all;
}

void sp_verdicts_json(const struct sp_judgement *judgement, int n, FILE *out)
{
    for (int i = 0; i < n; i++) {
        const struct sp_judgement *j = &judgement[i];
        const struct sp_attribution *a = &j->attribution;
        const struct sp_shift *shift = &j->shift;
        json_t *o = json_object();
        json_object_set_new(o, "verdict", json_string(sp_track_verdict_name(j->verdict)));
        json_object_set_new(o, "matrix", json_string(j->newest->matrix));
        json_object_set_new(o, "configuration", json_string(j->newest->what));
        json_object_set_new(o, "series", json_string(j->newest->series));
        json_object_set_new(o, "record", json_string(j->newest->id));
        json_object_set_new(o, "machine", json_string(j->newest->machine));
        json_object_set_new(o, "env", sp_json_text(j->newest->env));
        json_object_set_new(o, "metric", json_string(sp_tracked_metrics[j->metric].name));
        json_object_set_new(o, "value", sp_json_number(metric_of(j)));
        json_object_set_new(o, "origin", json_string(origin_of(j)));
        json_object_set_new(o, "change", shift->floor > 0 ? sp_json_number(shift->change) : json_null());
        json_object_set_new(o, "lo", sp_json_number(shift->floor > 0 ? shift->lo : NAN));
        json_object_set_new(o, "hi", sp_json_number(shift->floor > 0 ? shift->hi : NAN));
        json_object_set_new(o, "floor", sp_json_number(shift->floor > 0 ? shift->floor : NAN));
        json_object_set_new(o, "p", sp_json_number(shift->floor > 0 ? shift->p : NAN));
        json_object_set_new(o, "baseline", json_string(sp_judgement_baseline(j)));
        json_object_set_new(o, "pinned_change", sp_json_number(j->pinned_change));
        json_object_set_new(o, "kind", sp_json_text(sp_change_kind_name(j->kind)));
        json_object_set_new(o, "open", open_json(j));
        json_object_set_new(o, "seen", json_integer(j->seen));
        json_object_set_new(o, "mended", j->mended ? json_string(source_of(j->mended)) : json_null());
        json_object_set_new(o, "common", sp_json_number(j->common));
        json_object_set_new(o, "records_before", json_integer(j->n_before));
        json_object_set_new(o, "more", j->shift.n_more > 0 ? json_integer(j->shift.n_more) : json_null());
        json_object_set_new(o, "why", sp_json_text(j->why));
        json_object_set_new(o, "confirmed",
                            j->confirmed == SP_UNCONFIRMED ? json_null()
                                                           : json_boolean(j->confirmed == SP_CONFIRMED));
        json_object_set_new(o, "confirmation", sp_json_text(j->confirmation));
        json_object_set_new(
            o, "attribution",
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s}", "ln_time", sp_json_number(a->time),
                      "ln_bytes", sp_json_number(a->bytes), "ln_bandwidth", sp_json_number(a->bandwidth),
                      "ln_roof", sp_json_number(a->roof), "ln_dram",
                      sp_json_number(a->sentinel[SP_ENTRY_DRAM]), "ln_llc",
                      sp_json_number(a->sentinel[SP_ENTRY_LLC]), "ln_control",
                      sp_json_number(a->sentinel[SP_ENTRY_CONTROL]), "text", a->text, "also", a->also));
        json_dumpf(o, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
        fputc('\n', out);
        json_decref(o);
    }
}

/* "matrix" begins a series; figures that were not found out are unknown with the reason. */
void sp_verdicts_lines(const struct sp_judgement *judgement, int n, FILE *out)
{
    for (int i = 0; i < n; i++) {
        const struct sp_judgement *j = &judgement[i];
        const struct sp_shift *shift = &j->shift;
        const char *origin = j->newest->origin[j->metric];
        const struct sp_value none = sp_value_none(j->why[0] ? j->why : "nothing was compared");
        const enum sp_origin as = sp_origin_from_name(origin);
        const bool compared = shift->floor > 0 && isfinite(shift->change);
        sp_line_text(out, "matrix", j->newest->matrix);
        sp_line_text(out, "configuration", j->newest->what);
        sp_line_text(out, "series", j->newest->series);
        sp_line_text(out, "record", j->newest->id);
        sp_line_text(out, "machine", j->newest->machine);
        sp_line_text(out, "env", j->newest->env);
        sp_line_text(out, "verdict", sp_track_verdict_name(j->verdict));
        sp_line_text(out, "metric", sp_tracked_metrics[j->metric].name);
        sp_line_value(out, sp_tracked_metrics[j->metric].name,
                      isnan(metric_of(j)) ? sp_value_none("the record does not know it")
                                          : sp_value_of(metric_of(j), as),
                      sp_tracked_metrics[j->metric].unit);
        sp_line_value(out, "change", compared ? sp_value_of(shift->change, as) : none, "1");
        sp_line_value(out, "change_lo", compared && isfinite(shift->lo) ? sp_value_of(shift->lo, as) : none,
                      "1");
        sp_line_value(out, "change_hi", compared && isfinite(shift->hi) ? sp_value_of(shift->hi, as) : none,
                      "1");
        sp_line_text(out, "baseline", sp_judgement_baseline(j));
        sp_print(out, "records_before: %d\n", j->n_before);
        if (j->n_open > 0) {
            sp_line_text(out, "kind", sp_change_kind_name(j->kind));
            sp_line_text(out, "open_since", source_of(j->open[0].since));
            sp_print(out, "seen: %d\n", j->seen);
        }
        if (j->why[0])
            sp_line_text(out, "why", j->why);
        if (j->confirmation[0])
            sp_line_text(out, "confirmation", j->confirmation);
    }
}

void sp_verdicts_junit(const struct sp_judgement *judgement, int n, FILE *out)
{
    int failures = 0, skipped = 0;
    for (int i = 0; i < n; i++) {
        failures += sp_judgement_is_red(&judgement[i]);
        skipped += sp_judgement_exit_code(&judgement[i]) == 5;
    }
    sp_print(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"spmodel track check\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\">\n",
        n, failures, skipped);
    for (int i = 0; i < n; i++) {
        const struct sp_judgement *j = &judgement[i];
        char change[96], place[PLACE];
        sp_print(out, "  <testcase classname=\"");
        sp_xml_text(out, j->newest->matrix);
        sp_print(out, "\" name=\"");
        sp_xml_text(out, j->newest->what);
        sp_xml_text(out, sp_judgement_place(j, place, sizeof place));
        sp_print(out, " %s series %.8s\">", sp_tracked_metrics[j->metric].name, j->newest->series);
        const char *element = sp_judgement_is_red(j) ? "failure" : "skipped";
        if (sp_track_exit_code(j->verdict) != 0) {
            sp_print(out, "<%s message=\"%s: ", element, sp_track_verdict_name(j->verdict));
            sp_xml_text(out, sp_judgement_change(j, change, sizeof change));
            sp_print(out, "; ");
            char remark[REMARK];
            sp_xml_text(out, remark_of(j, remark, sizeof remark));
            if (j->confirmation[0]) {
                sp_print(out, "; ");
                sp_xml_text(out, j->confirmation);
            }
            sp_print(out, "\"/>");
        }
        sp_print(out, "</testcase>\n");
    }
    sp_print(out, "</testsuite>\n");
}

void sp_verdicts_markdown(const struct sp_judgement *judgement, int n, FILE *out)
{
    sp_print(out,
             "| verdict | matrix | configuration | metric | change | remark |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < n; i++) {
        const struct sp_judgement *j = &judgement[i];
        char change[96], place[PLACE], what[320];
        char text[REMARK];
        const char *remark = remark_of(j, text, sizeof text);
        sp_print(out, "| %s | ", sp_track_verdict_name(j->verdict));
        sp_markdown_text(out, j->newest->matrix);
        fputs(" | ", out);
        snprintf(what, sizeof what, "%s%s", j->newest->what, sp_judgement_place(j, place, sizeof place));
        sp_markdown_text(out, what);
        sp_print(out, " series %.8s | %s | %s | ", j->newest->series, sp_tracked_metrics[j->metric].name,
                 sp_judgement_change(j, change, sizeof change));
        sp_markdown_text(out, remark);
        fputs(*remark && j->confirmation[0] ? "; " : "", out);
        sp_markdown_text(out, j->confirmation);
        fputs(" |\n", out);
    }
}
