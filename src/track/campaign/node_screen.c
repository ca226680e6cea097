#include "track/campaign/node_screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/reading.h"
#include "io/record/record.h"
#include "track/store/index.h"

enum sp_status sp_screen_nodes(struct sp_node_value *node, int n, struct sp_screen *s, struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    s->can_tell = n >= SP_SCREEN_LEAST_NODES;
    double *x = calloc((size_t)n + 1, sizeof *x);
    if (!x)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %d nodes", n);
    for (int i = 0; i < n; i++)
        x[i] = node[i].value;
    s->median = n > 0 ? sp_median(x, n) : NAN;
    for (int i = 0; i < n; i++) {
        node[i].change = node[i].value / s->median - 1;
        x[i] = fabs(node[i].change);
    }
    s->deviation = n > 0 ? 1.4826 * sp_median(x, n) : NAN;
    s->limit = fmax(SP_SCREEN_FLOOR, SP_SCREEN_DEVIATIONS * s->deviation);
    for (int i = 0; i < n; i++)
        node[i].is_outlier = s->can_tell && fabs(node[i].change) > s->limit;
    free(x);
    return SP_OK;
}

int sp_screen_jobs_needed(int n_jobs, int n_nodes)
{
    static const double accepted = 0.01;
    const double q = SP_SCREEN_CHANCE;
    double exactly = pow(1 - q, n_jobs), beyond = 1 - exactly; /* in k jobs; in more than k */
    if (n_jobs <= 1)
        return 1;
    for (int k = 1; k < n_jobs; k++) {
        if (n_nodes * beyond <= accepted)
            return k;
        exactly *= (double)(n_jobs - k + 1) / k * q / (1 - q);
        beyond -= exactly;
    }
    return n_jobs;
}

/* Records of a campaign by the nodes where they were made. */

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
    o->job = job_of(c, sp_words_text(r, SP_F_CAMPAIGN_TASK, ""));
    snprintf(o->host, sizeof o->host, "%.64s", sp_words_text(r, SP_F_ENV_DETAIL_HOST, ""));
    if (!o->job || !o->host[0] || strcmp(sp_words_text(r, SP_F_STATUS, ""), "complete") != 0)
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
