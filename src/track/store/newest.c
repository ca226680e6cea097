#include "track/store/newest.h"

#include <stdlib.h>
#include <string.h>

#include "track/judge/comparable.h"
#include "track/judge/group_shift.h"

enum { DAY_S = 24 * 3600 };

static bool is_alive(const struct sp_entry *e, const struct sp_entry *newest)
{
    return sp_entry_seconds(newest) - sp_entry_seconds(e) <= DAY_S ||
           (e->commit[0] && strcmp(e->commit, newest->commit) == 0);
}

/* list[0 .. n) that list[n - 1] can be compared with, itself last; all, if it alone is. */
static enum sp_status gather(const struct sp_entry *const *list, int n, enum sp_tracked metric,
                             struct sp_newest *out, struct sp_error *err)
{
    out->list = malloc((size_t)n * sizeof(struct sp_entry *));
    if (!out->list)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for a series of %d records", n);
    out->newest = list[n - 1];
    out->n = 0;
    for (int i = 0; i < n; i++)
        if (list[i] == out->newest || sp_entries_comparable(list[i], out->newest, metric))
            out->list[out->n++] = list[i];
    if (out->n == 1) {
        memcpy(out->list, list, (size_t)n * sizeof(struct sp_entry *));
        out->n = n;
    }
    return SP_OK;
}

static void turn_round(struct sp_newest *newest, int n)
{
    for (int i = 0; i < n / 2; i++) {
        const struct sp_newest t = newest[i];
        newest[i] = newest[n - 1 - i];
        newest[n - 1 - i] = t;
    }
}

enum sp_status sp_newest_find(const struct sp_entry *const *list, int n, enum sp_tracked metric,
                              sp_entry_filter *filter, const void *context, struct sp_newest *newest,
                              int most, int *n_newest, struct sp_error *err)
{
    const struct sp_entry *latest = NULL;
    enum sp_status status = SP_OK;
    *n_newest = 0;
    for (int i = n - 1; i >= 0 && *n_newest < most && status == SP_OK; i--) {
        bool is_older = false;
        if (!filter(context, list[i]))
            continue;
        latest = latest ? latest : list[i];
        for (int k = 0; k < *n_newest && !is_older; k++)
            is_older = sp_entries_comparable(list[i], newest[k].newest, metric);
        if (is_older || !is_alive(list[i], latest))
            continue;
        status = gather(list, i + 1, metric, &newest[*n_newest], err);
        *n_newest += status == SP_OK;
    }
    turn_round(newest, *n_newest);
    return status;
}

void sp_newest_free(struct sp_newest *newest)
{
    free(newest->list);
    newest->list = NULL;
}
