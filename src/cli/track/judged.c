#include "cli/track/judged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/options.h"
#include "track/judge/comparable.h"

enum { MOST_OF_SERIES = 64 }; /* environments of one that are judged */

/* The accepted baseline of a series; damaged parts are reported and left out. */
static int find_pins(const struct sp_store *store, const struct sp_entry *newest, enum sp_tracked metric,
                     const struct sp_index *index, const struct sp_entry **pinned, int *code)
{
    struct sp_error err;
    int n = 0;
    if (sp_pins_find(store, newest, metric, index, pinned, &n, &err) != SP_OK)
        *code = sp_worse_exit(*code, sp_report_error(&err));
    return n;
}

/* Adds the fields of the environment in which the two records differ, as far as there is room. */
static void name_fields(const struct sp_index *index, struct sp_judgement *j)
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

bool sp_judged_is_one_of_several(const struct sp_judged *all, int i)
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
    return sp_judged_is_one_of_several(all, i) && n_alike == 1;
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
static enum sp_status add_context(const struct sp_judged_options *c, const struct sp_index *index,
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

static enum sp_status find_newest(const struct sp_judged_options *c, const struct sp_index *index,
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
                               const struct sp_index *index, const struct sp_entry *const *list, int64_t n,
                               struct sp_judged *all, int *code, struct sp_error *err)
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

enum sp_status sp_judged_end(const struct sp_judged_options *c, const struct sp_index *index,
                             struct sp_judged *all, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < all->n && status == SP_OK; i++) {
        struct sp_judgement *j = &all->judgement[i];
        j->is_one_of_several = sp_judged_is_one_of_several(all, i);
        if (j->other)
            name_fields(index, j);
        if (c->patience > 0)
            status = sp_judge_lose_patience(&all->series[i], c->judge, c->patience, j, err);
    }
    return status;
}
