/* Records of a campaign by the nodes where they were made. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/samples.h"
#include "io/record/record_words.h"
#include "track/campaign/node_screen.h"
#include "track/store/skim.h"

enum { MOST_OF_A_NODE = 256 };

static const struct sp_campaign_job *job_of(const struct sp_campaign *c, const char *task)
{
    for (int i = 0; i < c->n_jobs; i++)
        if (strcmp(c->job[i].task, task) == 0)
            return &c->job[i];
    return NULL;
}

/* False: it is of no use here. */
static bool observe(const struct sp_record *r, const struct sp_campaign *c, struct sp_observation *o)
{
    struct sp_entry e;
    memset(o, 0, sizeof *o);
    o->job = job_of(c, sp_words_text(r, "campaign.task", ""));
    snprintf(o->host, sizeof o->host, "%.64s", sp_words_text(r, "env.detail.host", ""));
    if (!o->job || !o->host[0] || strcmp(sp_words_text(r, "status", ""), "complete") != 0)
        return false;
    sp_entry_of(r, &e);
    memcpy(o->series, e.series, sizeof o->series);
    memcpy(o->env, e.env, sizeof o->env);
    memcpy(o->metric, e.metric, sizeof o->metric);
    memcpy(o->origin, e.origin, sizeof o->origin);
    return true;
}

static int compare(const struct sp_observation *x, const struct sp_observation *y)
{
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    const int order = strcmp(x->series, y->series);
    return order ? order : strcmp(x->env, y->env);
}

static int by_group(const void *a, const void *b)
{
    const struct sp_observation *x = a, *y = b;
    const int order = compare(x, y);
    return order ? order : strcmp(x->host, y->host);
}

enum sp_status sp_observations_read(const struct sp_store *store, const struct sp_campaign *campaign,
                                    struct sp_observation **list, int *n, int *n_bad, struct sp_error *err)
{
    struct sp_record_paths paths = {0};
    *n = *n_bad = 0;
    *list = NULL;
    enum sp_status status = sp_store_list(store, &paths, err);
    if (status == SP_OK && !(*list = calloc((size_t)paths.n + 1, sizeof **list)))
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for %d records", paths.n);
    for (int i = 0; i < paths.n && status == SP_OK; i++) {
        struct sp_record r;
        if (sp_record_skim(paths.path[i], &r, NULL) != SP_OK) {
            (*n_bad)++;
            continue;
        }
        *n += observe(&r, campaign, &(*list)[*n]);
        sp_record_free(&r);
    }
    sp_record_paths_free(&paths);
    if (status == SP_OK)
        sp_sort_by(*list, *n, sizeof **list, by_group);
    return status;
}

int sp_observations_end(const struct sp_observation *list, int n, int first)
{
    int end = first;
    while (end < n && compare(&list[end], &list[first]) == 0)
        end++;
    return end;
}

int sp_node_values(const struct sp_observation *list, int n, enum sp_tracked metric,
                   struct sp_node_value *node)
{
    int n_nodes = 0;
    for (int first = 0, end; first < n; first = end) {
        double x[MOST_OF_A_NODE];
        int known = 0;
        for (end = first; end < n && strcmp(list[end].host, list[first].host) == 0; end++)
            if (list[end].metric[metric] > 0 && known < MOST_OF_A_NODE)
                x[known++] = list[end].metric[metric];
        if (known == 0)
            continue;
        memset(&node[n_nodes], 0, sizeof *node);
        memcpy(node[n_nodes].host, list[first].host, sizeof list[first].host);
        node[n_nodes++].value = sp_median(x, known);
    }
    return n_nodes;
}
