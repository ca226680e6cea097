/* spmodel campaign --node-screen: which nodes stand out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/campaign/campaign_options.h"
#include "cli/core/output.h"
#include "track/campaign/node_screen.h"

/* What is judged: slower means a longer time, or less bandwidth of the load-only roof. */
static const enum sp_tracked judged[] = {SP_TRACKED_TIME, SP_TRACKED_ROOF};
enum { N_JUDGED = sizeof judged / sizeof *judged };

static bool is_slower(enum sp_tracked metric, const struct sp_node_value *node)
{
    return node->is_outlier && (node->change > 0) == sp_tracked_metrics[metric].less_is_better;
}

/* In how many jobs a node was slower. */
struct tally {
    char host[65];
    const struct sp_campaign_job *last;
    int n_jobs;
};

struct verdicts {
    struct sp_sinks to;
    int n_told, n_untold;
    struct tally *tally; /* [n_hosts] */
    int n_hosts;
    const struct sp_campaign_job *last; /* that was judged; groups are sorted by job */
    int n_jobs;
};

/* The two metrics of a job, and its environments, count once. */
static void note(struct verdicts *v, const struct sp_campaign_job *job, enum sp_tracked metric,
                 const struct sp_node_value *node)
{
    int i = 0;
    while (i < v->n_hosts && strcmp(v->tally[i].host, node->host) != 0)
        i++;
    struct tally *t = &v->tally[i];
    if (i == v->n_hosts)
        memcpy(v->tally[v->n_hosts++].host, node->host, sizeof t->host);
    if (is_slower(metric, node) && t->last != job) {
        t->last = job;
        t->n_jobs++;
    }
}

static const char *word(enum sp_tracked metric, const struct sp_node_value *node)
{
    return !node->is_outlier ? "as the others" : is_slower(metric, node) ? "slower" : "faster";
}

static const char *figure(char *text, size_t size, enum sp_tracked metric, double value)
{
    char number[32];
    if (metric == SP_TRACKED_TIME)
        return sp_text_seconds(text, size, value);
    snprintf(text, size, "%s GB/s", sp_figure(number, sizeof number, value / 1e9, 3));
    return text;
}

static void print_group(const struct sp_observation *first, enum sp_tracked metric,
                        const struct sp_node_value *node, const struct sp_screen *s)
{
    char text[32];
    sp_print(stdout, "%s · %s  environment %.8s  %s (%s): ", first->job->matrix->text, first->job->run->name,
             first->env[0] ? first->env : "unknown", metric == SP_TRACKED_TIME ? "time" : "load-only roof",
             first->origin[metric][0] ? first->origin[metric] : "unknown");
    if (!s->can_tell) {
        sp_print(stdout, "%d node%s: it cannot tell with fewer than %d\n", s->n, s->n == 1 ? "" : "s",
                 SP_SCREEN_LEAST_NODES);
        return;
    }
    sp_print(stdout, "%d nodes, median %s, 1.4826 MAD %.1f %%, limit %.1f %%\n", s->n,
             figure(text, sizeof text, metric, s->median), 100 * s->deviation, 100 * s->limit);
    for (int i = 0; i < s->n; i++)
        if (node[i].is_outlier)
            sp_print(stdout, "  %-8s %s  %+.1f %% (%s)\n", word(metric, &node[i]), node[i].host,
                     100 * node[i].change, figure(text, sizeof text, metric, node[i].value));
}

static void write_csv(const struct sp_observation *first, enum sp_tracked metric,
                      const struct sp_node_value *node, const struct sp_screen *s, FILE *out)
{
    for (int i = 0; i < s->n; i++) {
        sp_csv_text(out, first->job->matrix->text);
        fputc(',', out);
        sp_csv_text(out, first->job->run->name);
        fputc(',', out);
        sp_csv_field(out, first->env);
        fputc(',', out);
        sp_csv_field(out, node[i].host);
        sp_print(out, ",%s,%d,%.9g,%.6g,%.6g,", sp_tracked_metrics[metric].name, s->n, node[i].value,
                 node[i].change, s->limit);
        sp_print(out, "%s\n", s->can_tell ? word(metric, &node[i]) : "cannot tell");
    }
}

static void write_json(const struct sp_observation *first, enum sp_tracked metric,
                       const struct sp_node_value *node, const struct sp_screen *s, FILE *out)
{
    json_t *list = json_array();
    for (int i = 0; i < s->n; i++)
        json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:s}", "host", node[i].host, "value",
                                              node[i].value, "change", node[i].change, "verdict",
                                              s->can_tell ? word(metric, &node[i]) : "cannot tell"));
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:o}", "matrix", first->job->matrix->text,
                  "run", first->job->run->name, "env", first->env, "metric", sp_tracked_metrics[metric].name,
                  "unit", sp_tracked_metrics[metric].unit, "n_nodes", s->n, "median", s->median, "deviation",
                  s->deviation, "limit", s->limit, "nodes", list);
    json_dumpf(o, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
    fputc('\n', out);
    json_decref(o);
}

/* Those that may be compared, by one metric. */
static enum sp_status screen(const struct sp_observation *list, int n, enum sp_tracked metric,
                             struct verdicts *v, struct sp_error *err)
{
    struct sp_node_value *node = calloc((size_t)n, sizeof *node);
    struct sp_screen s;
    if (!node)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %d nodes", n);
    const int n_nodes = sp_node_values(list, n, metric, node);
    enum sp_status status = n_nodes > 0 ? sp_screen_nodes(node, n_nodes, &s, err) : SP_OK;
    if (status == SP_OK && n_nodes > 0) {
        v->n_told += s.can_tell;
        v->n_untold += !s.can_tell;
        for (int i = 0; i < n_nodes; i++)
            note(v, list[0].job, metric, &node[i]);
        v->n_jobs += s.can_tell && v->last != list[0].job;
        v->last = s.can_tell ? list[0].job : v->last;
        if (!v->to.on_stdout)
            print_group(list, metric, node, &s);
        if (v->to.csv.stream)
            write_csv(list, metric, node, &s, v->to.csv.stream);
        if (v->to.json.stream)
            write_json(list, metric, node, &s, v->to.json.stream);
    }
    free(node);
    return status;
}

/* Which nodes were slower in how many jobs; true: some in more than chance brings. */
static bool tell_slower(struct verdicts *v)
{
    const int needed = sp_screen_jobs_needed(v->n_jobs, v->n_hosts);
    bool any = false;
    for (int i = 0; i < v->n_hosts; i++) {
        const struct tally *t = &v->tally[i];
        if (t->n_jobs == 0)
            continue;
        any = any || t->n_jobs >= needed;
        v->n_untold += t->n_jobs < needed;
        if (v->n_jobs > 1 && !v->to.on_stdout)
            sp_print(stdout, "%s: slower in %d of %d jobs", t->host, t->n_jobs, v->n_jobs);
        if (v->n_jobs > 1 && !v->to.on_stdout && t->n_jobs < needed)
            sp_print(stdout, ", which may be chance: %d would do", needed);
        if (v->n_jobs > 1 && !v->to.on_stdout)
            fputs("\n", stdout);
    }
    return any;
}

static int screen_all(const struct sp_observation *list, int n, struct verdicts *v)
{
    struct sp_error err;
    enum sp_status status = SP_OK;
    if (v->to.csv.stream)
        fputs("matrix,run,env,host,metric,n_nodes,value,change,limit,verdict\n", v->to.csv.stream);
    for (int first = 0, end; first < n && status == SP_OK; first = end) {
        end = sp_observations_end(list, n, first);
        for (int m = 0; m < N_JUDGED && status == SP_OK; m++)
            status = screen(list + first, end - first, judged[m], v, &err);
    }
    if (status != SP_OK)
        return sp_report_error(&err);
    if (!v->to.on_stdout)
        sp_print(stdout,
                 "a node stands out beyond %.0f robust deviations (1.4826 MAD) from the median, and beyond "
                 "%.0f %%\n",
                 SP_SCREEN_DEVIATIONS, 100 * SP_SCREEN_FLOOR);
    return tell_slower(v)                      ? sp_exit_code(SP_NO)
           : v->n_told == 0 || v->n_untold > 0 ? sp_exit_code(SP_UNDECIDED)
                                               : 0;
}

int sp_campaign_screen_nodes(const struct sp_campaign_work *w)
{
    const struct sp_common_options *common = &w->options->common;
    struct verdicts v = {0};
    struct sp_observation *list;
    struct sp_error err;
    int n, n_bad;
    enum sp_status status = sp_observations_read(&w->store.store, &w->campaign, &list, &n, &n_bad, &err);
    if (status != SP_OK)
        return sp_report_error(&err);
    if (n_bad > 0)
        sp_print(stderr,
                 "spmodel: remark: %d file%s of the store %s no usable record%s; track log names %s\n", n_bad,
                 n_bad == 1 ? "" : "s", n_bad == 1 ? "is" : "are", n_bad == 1 ? "" : "s",
                 n_bad == 1 ? "it" : "them");
    v.tally = calloc((size_t)n + 1, sizeof *v.tally);
    if (!v.tally)
        status = sp_fail(&err, SP_MEMORY, NULL, "no memory for %d nodes", n);
    else
        status = n > 0 ? sp_sinks_open(common->csv, common->json, &v.to, &err)
                       : sp_fail(&err, SP_UNDECIDED, "run it on every node with --per-node first",
                                 "the store has no record of this campaign");
    const int code = status == SP_OK ? sp_sinks_close(&v.to, screen_all(list, n, &v)) : sp_report_error(&err);
    free(list);
    free(v.tally);
    return n_bad > 0 ? sp_worse_exit(code, sp_exit_code(SP_INPUT)) : code;
}
