#include "cli/model/model_output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/core/terminal.h"
#include "io/files/places.h"
#include "plots/plot.h"

/* ---- the command line ---- */

static void add_count(struct argp_state *state, int64_t n, struct sp_ranks_options *o)
{
    if (n < 1 || n > SP_MAX_RANKS)
        sp_usage_error(state, "--ranks takes numbers from 1 to %d", SP_MAX_RANKS);
    if (o->n_counts > 0 && n <= o->count[o->n_counts - 1])
        sp_usage_error(state, "--ranks takes numbers that ascend, for example 2,4,...,4096");
    if (o->n_counts == SP_MOST_COUNTS)
        sp_usage_error(state, "--ranks takes at most %d numbers", SP_MOST_COUNTS);
    o->count[o->n_counts++] = (int)n;
}

/* Between the last count and n: on by the ratio of the last two, which is whole, else by their
 * distance. */
static void fill_up(struct argp_state *state, int64_t n, struct sp_ranks_options *o)
{
    if (o->n_counts < 2)
        sp_usage_error(state, "--ranks goes on as two numbers before ... do, for example 2,4,...,4096");
    const int64_t a = o->count[o->n_counts - 2], b = o->count[o->n_counts - 1];
    const int64_t ratio = b % a == 0 ? b / a : 1, step = ratio > 1 ? 0 : b - a;
    for (int64_t next = b * ratio + step; next < n; next = next * ratio + step)
        add_count(state, next, o);
}

void sp_ranks_counts_set(struct argp_state *state, const char *arg, struct sp_ranks_options *o)
{
    bool dots = false;
    o->n_counts = 0;
    for (const char *text = arg;; text++) {
        char word[32];
        int64_t n;
        const size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        text += length;
        if (strcmp(word, "...") == 0 || strcmp(word, "…") == 0) {
            dots = true;
        } else if (sp_parse_count(word, &n)) {
            sp_usage_error(state, "--ranks takes numbers, for example 8 or 2,4,...,4096, not '%s'", word);
        } else {
            if (dots)
                fill_up(state, n, o);
            add_count(state, n, o);
            dots = false;
        }
        if (!*text)
            break;
    }
    if (dots)
        sp_usage_error(state, "--ranks needs a number behind ...");
}

void sp_ranks_per_node_set(struct argp_state *state, const char *arg, struct sp_ranks_options *o)
{
    o->per_node = (int)sp_take_count(state, "ranks-per-node", 1, SP_MAX_RANKS, arg);
}

/* ---- for people ---- */

static const char *seconds(char text[24], struct sp_value v)
{
    if (!sp_value_known(v))
        return "unknown";
    return sp_text_seconds(text, 24, v.value);
}

static void print_head(const struct sp_scaling *s, FILE *out)
{
    const struct sp_scaling_request *q = &s->request;
    char rows[32], columns[32], entries[32];
    sp_print(out, "%s   %s x %s, %s entries: rows over ranks, partition %s\n", s->name,
             sp_text_count(rows, sizeof rows, s->n_r), sp_text_count(columns, sizeof columns, s->n_c),
             sp_text_count(entries, sizeof entries, s->n_nz), q->partition);
    if (!q->machine)
        return;
    sp_print(out, "%s, ", q->machine->name);
    if (q->per_node < SP_MAX_RANKS)
        sp_print(out, "%d rank%s a node, ", q->per_node, q->per_node == 1 ? "" : "s");
    sp_print(out, "%d thread%s a rank; network %s\n", q->n_threads, q->n_threads == 1 ? "" : "s",
             q->network ? q->network->name : "not named");
}

static void print_row(const struct sp_scaling *s, int i, FILE *out)
{
    const struct sp_distributed *c = &s->count[i];
    const struct sp_value speedup = sp_scaling_speedup(s, i);
    char halo[24], own[24], exchange[24], time[24], overlapped[24], efficiency[16] = "", times[16] = "",
                                                                    far[16] = "-";
    if (c->halo_B > 0)
        snprintf(far, sizeof far, "%.0f %%", 100 * c->between_B / c->halo_B);
    sp_print(out, " %6d %5d %7.3f %10s %8s %5d", c->n_ranks, c->n_nodes, c->nz_imbalance,
             sp_text_bytes(halo, sizeof halo, fmax(c->most_recv_B, c->most_sent_B)), far, c->most_neighbours);
    if (sp_value_known(c->own_s))
        sp_print(out, " %9s", seconds(own, c->own_s));
    if (sp_value_known(c->time_s)) {
        if (sp_value_known(c->efficiency))
            snprintf(efficiency, sizeof efficiency, "%.0f %%", 100 * c->efficiency.value);
        if (sp_value_known(speedup))
            snprintf(times, sizeof times, "%.3g", speedup.value);
        sp_print(out, " %9s %9s %9s %6s %8s", seconds(exchange, c->exchange_s), seconds(time, c->time_s),
                 seconds(overlapped, c->overlapped_s), efficiency, times);
    }
    fputc('\n', out);
}

static void print_table(const struct sp_scaling *s, FILE *out)
{
    const bool own = sp_value_known(s->count[0].own_s), all = sp_value_known(s->count[0].time_s);
    sp_print(out, "\n  ranks nodes entries  halo/rank off node  msgs%s%s\n", own ? "  own work" : "",
             all ? "  exchange      time   overlap  effic.  speedup" : "");
    for (int i = 0; i < s->n; i++)
        print_row(s, i, out);
    sp_print(
        out,
        " entries: most of a rank over the mean; halo/rank, msgs: the most that a rank receives or sends.\n");
    if (all)
        sp_print(out, " overlap: exchange behind the local block; effic.: the ranks' mean own work over "
                      "time; speedup: over one node.\n");
    sp_print(out, " Halo and messages are counted from the matrix%s.\n",
             own ? ", times modelled; explain distributed"
                 : "; times need a machine and a network: --machine NAME --network NAME");
    if (own && !all)
        sp_print(out, " Times of the exchange need a network: --network NAME.\n");
    const struct sp_distributed *last = &s->count[s->n - 1];
    if (last->n_simulated == last->n_ranks)
        sp_print(out, " x of each rank's own part is simulated.\n");
    else if (last->n_simulated > 0)
        sp_print(out, " x of %d of %d ranks at the last count is simulated, the others take their mean.\n",
                 last->n_simulated, last->n_ranks);
}

/* What the curve says. */
static void print_curve(const struct sp_scaling *s, FILE *out)
{
    const struct sp_network *network = s->request.network;
    char time[24];
    if (s->fastest < 0)
        return;
    fputc('\n', out);
    if (s->takes_over >= 0)
        sp_print(
            out,
            " Communication takes over at %d ranks: the exchange takes longer than the ranks' own work.\n",
            s->count[s->takes_over].n_ranks);
    else
        sp_print(out, " Up to %d ranks their own work takes longer than the exchange.\n",
                 s->count[s->n - 1].n_ranks);
    if (s->worth >= 0)
        sp_print(out, " Efficiency is at least 50 %% up to %d ranks (%d node%s).\n",
                 s->count[s->worth].n_ranks, s->count[s->worth].n_nodes,
                 s->count[s->worth].n_nodes == 1 ? "" : "s");
    if (s->fastest < s->n - 1)
        sp_print(out, " Fastest: %d ranks, %s; more are slower.\n", s->count[s->fastest].n_ranks,
                 seconds(time, s->count[s->fastest].time_s));
    if (!sp_value_known(network->within.latency_s))
        sp_print(
            out,
            " %s says nothing of messages inside a node: they cost as between nodes (--network %s,shm).\n",
            network->name, network->name);
}

static void print_remedies(const struct sp_scaling *s, FILE *out)
{
    char time[24];
    if (s->n_remedies == 0)
        return;
    sp_print(out, "\n At %d ranks, %s now:\n", s->count[s->examined].n_ranks,
             seconds(time, s->count[s->examined].time_s));
    for (int i = 0; i < s->n_remedies; i++) {
        const struct sp_remedy *r = &s->remedy[i];
        if (*r->why_not)
            sp_print(out, "  %-46s %s\n", r->name, r->why_not);
        else
            sp_print(out, "  %-46s %9s  %5.2f x%s\n", r->name, sp_text_seconds(time, sizeof time, r->time_s),
                     r->gain,
                     i == s->best     ? "  helps most"
                     : r->gain < 0.98 ? "  slower"
                                      : "");
    }
    if (s->best >= 0)
        sp_print(out, " Do: %s (predicted).\n", s->remedy[s->best].how);
    else
        sp_print(out, " None of them gains more than 2 %%.\n");
    const struct sp_remedy *partition = sp_scaling_best_partition(s);
    if (partition)
        sp_print(out, " Partition with the least time: %s, %.1f %% less (predicted).\n", partition->partition,
                 100 * (1 - 1 / partition->gain));
    else
        sp_print(out, " Partition with the least time: %s, as it is (predicted).\n", s->request.partition);
}

enum { MOST_SHOWN = 64 };

static void print_ranks(const struct sp_scaling *s, int i, FILE *out)
{
    const struct sp_distributed *c = &s->count[i];
    const bool timed = sp_value_known(c->own_s);
    if (c->n_ranks > MOST_SHOWN)
        return;
    sp_print(
        out,
        "\n %d ranks\n   rank     rows     entries    remote  remote x   received       sent  from    to%s\n",
        c->n_ranks, timed ? "  own work  exchange" : "");
    for (int p = 0; p < c->n_ranks; p++) {
        const struct sp_halo_rank *r = &s->ranks[i][p];
        const struct sp_rank_cost *cost = &c->rank[p];
        const int64_t entries = r->local_nz + r->remote_nz;
        char recv[24], sent[24], own[24], exchange[24];
        sp_print(out, " %6d %8lld %11lld %9lld %9lld %10s %10s %5d %5d", p, (long long)r->n_r,
                 (long long)entries, (long long)r->remote_nz, (long long)r->n_recv,
                 sp_text_bytes(recv, sizeof recv, cost->recv_B),
                 sp_text_bytes(sent, sizeof sent, cost->sent_B), r->n_senders, r->n_readers);
        if (timed)
            sp_print(out, " %9s %9s", sp_text_seconds(own, sizeof own, cost->own_s),
                     sp_value_known(c->time_s)
                         ? sp_text_seconds(exchange, sizeof exchange, cost->pack_s + cost->exchange_s)
                         : "unknown");
        fputc('\n', out);
    }
}

/* For people: the table, what it says, what would help; verbosity above 0: each rank, too. */
static void scaling_print(const struct sp_scaling *s, int verbosity, FILE *out)
{
    print_head(s, out);
    print_table(s, out);
    print_curve(s, out);
    print_remedies(s, out);
    for (int i = 0; verbosity > 0 && i < s->n; i++)
        print_ranks(s, i, out);
}

/* ---- for programs ---- */

/* With a header before the first row of all. */
static void scaling_csv(const struct sp_scaling *s, FILE *out)
{
    static bool is_there; /* the header, before the first row that there is */
    if (!is_there)
        fputs(
            "matrix,rows,cols,nnz,partition,machine,network,ranks,nodes,threads,rows_imbalance,nnz_imbalance,"
            "halo_B,off_node_B,messages,off_node_messages,most_recv_B,most_sent_B,most_messages,moved_B,own_"
            "s,"
            "mean_own_s,exchange_s,time_s,overlapped_s,efficiency,speedup\n",
            out);
    is_there = true;
    for (int i = 0; i < s->n; i++) {
        const struct sp_distributed *c = &s->count[i];
        const char *texts[] = {s->request.partition, s->request.machine ? s->request.machine->name : "",
                               s->request.network ? s->request.network->name : ""};
        sp_csv_text(out, s->name);
        sp_print(out, ",%lld,%lld,%lld,", (long long)s->n_r, (long long)s->n_c, (long long)s->n_nz);
        for (int k = 0; k < 3; k++) {
            sp_csv_text(out, texts[k]);
            fputc(',', out);
        }
        sp_print(out, "%d,%d,%d,%.12g,%.12g,%.12g,%.12g,%lld,%lld,%.12g,%.12g,%d,%.12g,", c->n_ranks,
                 c->n_nodes, c->n_threads, c->rows_imbalance, c->nz_imbalance, c->halo_B, c->between_B,
                 (long long)c->n_messages, (long long)c->n_between, c->most_recv_B, c->most_sent_B,
                 c->most_neighbours, c->moved_B);
        sp_model_csv_value(c->own_s, out);
        sp_model_csv_value(c->mean_own_s, out);
        sp_model_csv_value(c->exchange_s, out);
        sp_model_csv_value(c->time_s, out);
        sp_model_csv_value(c->overlapped_s, out);
        sp_model_csv_value(c->efficiency, out);
        const struct sp_value speedup = sp_scaling_speedup(s, i);
        if (sp_value_known(speedup))
            sp_print(out, "%.12g", speedup.value);
        fputc('\n', out);
    }
}

static enum sp_status draw(const struct sp_record *record, const struct sp_ranks_output *to,
                           struct sp_error *err)
{
    char gnuplot[1024];
    const struct sp_plot_tool tool = {.gnuplot = sp_find_program("gnuplot", gnuplot, sizeof gnuplot)};
    const struct sp_record *records[] = {record};
    const char *ending = strrchr(to->picture, '.') + 1;
    const enum sp_status status =
        sp_plot_write(sp_plot_kind_find("scaling"), records, 1, (enum sp_image)sp_term_from_name(ending),
                      &tool, to->picture, err);
    if (status == SP_OK && to->verbosity >= 0 && !to->sinks->on_stdout)
        sp_print(stdout, "saved  %s\n", to->picture);
    return status;
}

enum sp_status sp_ranks_model(const struct sp_scaling_request *request, const struct sp_csr *a,
                              const char *name, const struct sp_progress *progress,
                              const struct sp_ranks_output *to, struct sp_error *err)
{
    struct sp_scaling s;
    struct sp_record record = {0};
    enum sp_status status = sp_scaling_make(request, a, name, progress, &s, err);
    if (status != SP_OK)
        return status;
    sp_terminal_clear(progress->context);
    if (!to->sinks->on_stdout)
        scaling_print(&s, to->verbosity, stdout);
    if (to->sinks->csv.stream)
        scaling_csv(&s, to->sinks->csv.stream);
    if (to->sinks->json.stream || to->picture)
        status = sp_scaling_record(&s, to->command, &record, err);
    if (status == SP_OK && to->sinks->json.stream)
        status = sp_record_print(&record, to->sinks->json.stream, true, err);
    if (status == SP_OK && to->picture)
        status = draw(&record, to, err);
    sp_record_free(&record);
    sp_scaling_free(&s);
    return status;
}
