#include "model/ranks/distributed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/cache/capacity.h"
#include "model/formulas/formulas.h"
#include "model/unit_costs.h"
#include "model/volume/traffic.h"

void sp_distributed_free(struct sp_distributed *out)
{
    if (!out)
        return;
    free(out->rank);
    memset(out, 0, sizeof *out);
}

/* ---- bytes ---- */

bool sp_remote_is_compressed(const struct sp_halo_rank *rank)
{
    static const double most = 0.4;
    return (double)rank->remote_rows <= most * (double)rank->n_r;
}

struct sp_block_bytes sp_block_bytes_of(const struct sp_halo_rank *rank, const struct sp_distribution *d,
                                        double local_loads, double remote_loads)
{
    const struct sp_sizes *s = &d->sizes;
    const struct sp_symbols of = {.s_a = s->s_a,
                                  .s_x = s->s_x,
                                  .s_y = s->s_y,
                                  .s_i = s->s_i,
                                  .s_p = s->s_p,
                                  .r = d->r,
                                  .w = d->w,
                                  .n_r = (double)rank->n_r,
                                  .n_local = (double)rank->local_nz,
                                  .n_remote = (double)rank->remote_nz,
                                  .l_c = (double)rank->local_columns,
                                  .l_loads = local_loads,
                                  .h_c = (double)rank->n_recv,
                                  .h_loads = remote_loads,
                                  .k_r = (double)rank->remote_rows,
                                  .n_out = (double)rank->n_sent};
    return (struct sp_block_bytes){.local_B = sp_formula_V_local(&of),
                                   .remote_B = rank->remote_nz == 0            ? 0
                                               : sp_remote_is_compressed(rank) ? sp_formula_V_remote_rows(&of)
                                                                               : sp_formula_V_remote(&of),
                                   .pack_B = sp_formula_V_pack(&of)};
}

/* ---- messages ---- */

struct counts {
    double n, n_large, bytes;
};

/* From how many bytes on a message takes a rendezvous, inside a node [0] and off it [1]. */
static double large_from(const struct sp_distribution *d, bool far)
{
    if (!d->network)
        return 0;
    return far ? d->network->between.rendezvous_B : sp_network_within(d->network)->rendezvous_B;
}

/* Of the pairs of one rank in one direction, those that stay on its node [0] and leave it [1]. */
static void add_pair(const struct sp_distribution *d, int a, int b, double bytes, struct counts to[2])
{
    const bool far = a / d->per_node != b / d->per_node;
    struct counts *c = &to[far];
    const double large = large_from(d, far);
    c->n++;
    c->n_large += large > 0 && bytes >= large;
    c->bytes += bytes;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void count_messages(const struct sp_halo *halo, const struct sp_distribution *d, int p,
                           double node_B[2][2], struct sp_rank_cost *c)
{
    const double element_B = d->r * d->sizes.s_x;
    struct counts in[2] = {{0}}, out[2] = {{0}};
    for (int64_t k = halo->recv_begin[p]; k < halo->recv_begin[p + 1]; k++)
        add_pair(d, halo->sender[k], p, element_B * halo->elements[k], in);
    for (int64_t k = halo->send_begin[p]; k < halo->send_begin[p + 1]; k++)
        add_pair(d, p, halo->receiver[k], element_B * halo->elements[halo->send_pair[k]], out);
    c->recv_B = in[0].bytes + in[1].bytes;
    c->sent_B = out[0].bytes + out[1].bytes;
    c->within_large = larger(in[0].n_large, out[0].n_large);
    c->between_large = larger(in[1].n_large, out[1].n_large);
    c->within_n = larger(in[0].n, out[0].n);
    c->within_B = larger(in[0].bytes, out[0].bytes);
    c->between_n = larger(in[1].n, out[1].n);
    c->between_B = larger(in[1].bytes, out[1].bytes);
    for (int far = 0; far < 2; far++) {
        node_B[far][0] += in[far].bytes;
        node_B[far][1] += out[far].bytes;
    }
}

/* Messages of the ranks of one node, and their times. */
static void exchange_of_node(const struct sp_halo *halo, const struct sp_distribution *d, int first, int end,
                             struct sp_distributed *out)
{
    double node_B[2][2] = {{0, 0}, {0, 0}}; /* within, between; in, out */
    for (int p = first; p < end; p++)
        count_messages(halo, d, p, node_B, &out->rank[p]);
    for (int p = first; p < end && d->network; p++) {
        struct sp_rank_cost *c = &out->rank[p];
        const struct sp_messages near = {c->within_n, c->within_large, c->within_B,
                                         larger(node_B[0][0], node_B[0][1])};
        const struct sp_messages far = {c->between_n, c->between_large, c->between_B,
                                        larger(node_B[1][0], node_B[1][1])};
        c->exchange_s = sp_messages_time(sp_network_within(d->network), &near) +
                        sp_messages_time(&d->network->between, &far);
    }
    out->between_B += node_B[1][0];
}

/* ---- own work ---- */

/* Ranks of a node are spread over its last-level domains; a rank has cores side by side. */
static int domains_of(const struct sp_machine *m, int n_ranks, int n_threads)
{
    const int n_domains = m->n_domains > 0 ? m->n_domains : 1;
    const int cores = m->n_cores > n_domains ? m->n_cores / n_domains : 1;
    const int each = (n_threads + cores - 1) / cores;
    return n_ranks * each < n_domains ? n_ranks * each : n_domains;
}

int sp_ranks_of_node(const struct sp_machine *m, int n_threads)
{
    const int n = m->n_cores / n_threads;
    return n > 0 ? n : 1;
}

struct sp_residence sp_rank_residence(const struct sp_distribution *d, int n_ranks, double bytes)
{
    const struct sp_footprint footprint = {.shared_out_B = n_ranks * bytes};
    return sp_residence_of(d->machine, footprint, n_ranks * d->n_threads,
                           domains_of(d->machine, n_ranks, d->n_threads), d->warm);
}

int sp_ranks_of_domain(const struct sp_distribution *d, int n_ranks)
{
    const int n_domains = domains_of(d->machine, n_ranks, d->n_threads);
    return (n_ranks + n_domains - 1) / n_domains;
}

/* The known ceiling of a level that is measured with all n_threads spread over all n_domains;
 * NULL. */
static const struct sp_ceiling *ceiling_of(const struct sp_machine *m, const char *level, int n_threads,
                                           int n_domains)
{
    bool exact;
    const struct sp_ceiling *c = sp_roof_of(m, level, n_threads, NULL, &exact);
    return c && exact && (c->n_domains == n_domains || c->n_domains == 0) ? c : NULL;
}

/* What n_threads draw of a level together, evenly over n_domains: as measured so, else n_domains
 * times what their part of the threads draws of one, at most what all cores draw of all. */
static struct sp_value level_rate(const struct sp_machine *m, const char *level, int n_threads, int n_domains)
{
    const struct sp_ceiling *all = ceiling_of(m, level, m->n_cores, m->n_domains), *from;
    const struct sp_ceiling *same = ceiling_of(m, level, n_threads, n_domains);
    if (same)
        return same->value;
    const struct sp_value one =
        sp_roof_for(m, level, (n_threads + n_domains - 1) / n_domains, 1, NULL, &from);
    if (!sp_value_known(one))
        return one;
    const double most = all ? all->value.value : INFINITY;
    return sp_value_of(fmin(n_domains * one.value, most), SP_MODELLED);
}

/* "L3" of cache k, "MEM" beyond the last; NULL: it has no such name. */
static const char *level_name(const struct sp_machine *m, int k)
{
    static const char *const names[] = {"L1", "L2", "L3", "L4"};
    const int named = k < m->n_caches ? m->cache[k].level : 0;
    return k >= m->n_caches ? "MEM" : named >= 1 && named <= 4 ? names[named - 1] : NULL;
}

/* Parts somewhat larger than the cache that they share, gone through again and again: a share of
 * them stays (model/cache/capacity.h), and is drawn from it. SP_NONE: all or nothing does, or a
 * bandwidth is not described. */
static struct sp_value rate_in_part(const struct sp_distribution *d, int n_ranks, double bytes,
                                    const struct sp_residence *home, const char **level)
{
    const struct sp_machine *m = d->machine;
    const int n_threads = n_ranks * d->n_threads, n_domains = domains_of(m, n_ranks, d->n_threads);
    const struct sp_footprint footprint = {.shared_out_B = n_ranks * bytes};
    struct sp_traffic traffic[SP_MAX_LEVELS];
    memset(traffic, 0, sizeof traffic);
    for (int k = 0; k < m->n_caches && k < SP_MAX_LEVELS; k++)
        traffic[k].read_B = sp_value_of(n_ranks * bytes, SP_MODELLED);
    const struct sp_kept kept =
        d->warm ? sp_kept_of(m, footprint, home->level, n_threads, n_domains, traffic, m->n_caches)
                : (struct sp_kept){.cache = -1};
    const char *const names[] = {kept.cache < 0 ? NULL : level_name(m, kept.cache),
                                 kept.cache < 0 ? NULL : level_name(m, kept.cache + 1)};
    if (!names[0] || !names[1])
        return sp_value_none("all or nothing stays");
    const struct sp_value rate[] = {level_rate(m, names[0], n_threads, n_domains),
                                    level_rate(m, names[1], n_threads, n_domains)},
                          all = sp_value_of(n_ranks * bytes, SP_MODELLED),
                          time = sp_kept_transfers_s(&kept, all, rate);
    if (!sp_value_known(time) || !(time.value > 0))
        return sp_value_none("a bandwidth is not described");
    *level = names[kept.fetched.value >= 0.5];
    return sp_value_of(all.value / time.value, SP_MODELLED);
}

/* What a rank draws where n_ranks of a node, each with so many bytes of its own, do the same: of
 * the level where they live, or of the next one outward whose bandwidth is described. */
static struct sp_value rate_of(const struct sp_distribution *d, int n_ranks, double bytes, const char **level)
{
    const struct sp_machine *m = d->machine;
    const int n_threads = n_ranks * d->n_threads, n_domains = domains_of(m, n_ranks, d->n_threads);
    const struct sp_residence home = sp_rank_residence(d, n_ranks, bytes);
    struct sp_value all = rate_in_part(d, n_ranks, bytes, &home, level);
    for (int k = home.level; k <= m->n_caches && !sp_value_known(all); k++)
        if (level_name(m, k)) {
            *level = level_name(m, k);
            all = level_rate(m, *level, n_threads, n_domains);
        }
    return sp_value_known(all) ? sp_value_of(all.value / n_ranks, SP_MODELLED) : all;
}

/* Rows of CRS by the kernel that takes the least time of those that were measured, of the remote
 * block by a plain one where there is one; NULL: none was. */
static const struct sp_unit_costs *costs_of(const struct sp_distribution *d, double length, bool remote)
{
    const char *precision = d->sizes.s_a == 8 ? "f64" : "f32";
    const struct sp_unit_costs *best = NULL;
    for (int i = 0; i < d->machine->n_units; i++) {
        const struct sp_unit_costs *c = &d->machine->unit[i];
        if (c->C != 0 || c->unit_stride || strcmp(c->precision, precision) != 0)
            continue;
        const bool is_plainer = remote && best && sp_unit_is_plain(c) && !sp_unit_is_plain(best),
                   is_less_plain = remote && best && !sp_unit_is_plain(c) && sp_unit_is_plain(best);
        if (!best || is_plainer || (!is_less_plain && sp_unit_cost(c, length) < sp_unit_cost(best, length)))
            best = c;
    }
    return best;
}

/* In the core, all rows as long as their mean; 0: not known, or nothing to do. */
static double core_time(const struct sp_distribution *d, double rows, double entries, bool remote)
{
    const struct sp_unit_costs *c = rows > 0 ? costs_of(d, entries / rows, remote) : NULL;
    return c ? d->r * rows * sp_unit_cost(c, entries / rows) / d->n_threads : 0;
}

static void finish_rank(const struct sp_distribution *d, struct sp_rank_cost *c)
{
    const double local_s = c->own_s - c->remote_s;
    if (!d->network)
        return;
    const struct sp_symbols of = {
        .t_pack = c->pack_s, .t_exchange = c->exchange_s, .t_local = local_s, .t_remote = c->remote_s};
    c->time_s = sp_formula_T_apart(&of);
    c->overlapped_s = sp_formula_T_overlap(&of);
}

static void bytes_of_rank(const struct sp_halo_rank *rank, const struct sp_distribution *d, int p,
                          struct sp_rank_cost *c)
{
    const struct sp_block_bytes b = sp_block_bytes_of(rank, d, d->local_loads ? d->local_loads[p] : 1,
                                                      d->remote_loads ? d->remote_loads[p] : 1);
    c->local_B = b.local_B;
    c->remote_B = b.remote_B;
    c->pack_B = b.pack_B;
}

/* Times of one rank on a node with n_ranks that move mean_B each; its bytes are there. */
static bool work_of_rank(const struct sp_halo_rank *rank, const struct sp_distribution *d, int p, int n_ranks,
                         double mean_B, struct sp_rank_cost *c, const char **level)
{
    if (!d->machine)
        return false;
    const struct sp_value rate = rate_of(d, n_ranks, mean_B, level);
    if (!sp_value_known(rate))
        return false;
    const double remote_rows = (double)(sp_remote_is_compressed(rank) ? rank->remote_rows : rank->n_r);
    const double local_core_s = d->local_core_s
                                    ? d->r * d->local_core_s[p]
                                    : core_time(d, (double)rank->n_r, (double)rank->local_nz, false);
    const double remote_core_s = d->remote_core_s ? d->r * d->remote_core_s[p]
                                                  : core_time(d, remote_rows, (double)rank->remote_nz, true);
    c->remote_s = rank->remote_nz > 0 ? larger(c->remote_B / rate.value, remote_core_s) : 0;
    c->own_s = c->remote_s + larger(c->local_B / rate.value, local_core_s);
    c->pack_s = c->pack_B / rate.value;
    finish_rank(d, c);
    return true;
}

/* Ranks first ... end - 1 are those of a node, whose caches hold what all of them move, or do
 * not. */
static bool work_of_node(const struct sp_halo *halo, const struct sp_distribution *d, int first, int end,
                         struct sp_rank_cost *cost, const char **levels)
{
    bool known = true;
    double all_B = 0;
    for (int p = first; p < end; p++) {
        bytes_of_rank(&halo->rank[p], d, p, &cost[p]);
        all_B += cost[p].local_B + cost[p].remote_B + cost[p].pack_B;
    }
    for (int p = first; p < end; p++)
        known =
            work_of_rank(&halo->rank[p], d, p, end - first, all_B / (end - first), &cost[p], &levels[p]) &&
            known;
    return known;
}

/* ---- all ranks ---- */

static void add_rank(const struct sp_halo_rank *rank, const struct sp_rank_cost *c,
                     struct sp_distributed *out)
{
    const int neighbours = rank->n_senders > rank->n_readers ? rank->n_senders : rank->n_readers;
    out->halo_B += c->recv_B;
    out->most_recv_B = larger(out->most_recv_B, c->recv_B);
    out->most_sent_B = larger(out->most_sent_B, c->sent_B);
    out->most_neighbours = neighbours > out->most_neighbours ? neighbours : out->most_neighbours;
    out->moved_B += c->local_B + c->remote_B + c->pack_B;
}

static void imbalance_of(const struct sp_halo *halo, struct sp_distributed *out)
{
    double rows = 0, nz = 0, most_rows = 0, most_nz = 0;
    for (int p = 0; p < halo->n_ranks; p++) {
        const double n = (double)(halo->rank[p].local_nz + halo->rank[p].remote_nz);
        rows += (double)halo->rank[p].n_r;
        nz += n;
        most_rows = larger(most_rows, (double)halo->rank[p].n_r);
        most_nz = larger(most_nz, n);
    }
    out->rows_imbalance = rows > 0 ? most_rows * halo->n_ranks / rows : 1;
    out->nz_imbalance = nz > 0 ? most_nz * halo->n_ranks / nz : 1;
}

static void count_between(const struct sp_halo *halo, const struct sp_distribution *d,
                          struct sp_distributed *out)
{
    for (int p = 0; p < halo->n_ranks; p++)
        for (int64_t k = halo->recv_begin[p]; k < halo->recv_begin[p + 1]; k++)
            out->n_between += halo->sender[k] / d->per_node != p / d->per_node;
    out->n_messages = halo->n_pairs;
}

/* Most and mean over ranks; `level`: of each rank's part, [n_ranks]. */
static void times_of(const struct sp_distribution *d, struct sp_distributed *out)
{
    double own = 0, sum = 0, exchange = 0, time = -1, overlapped = 0;
    for (int p = 0; p < out->n_ranks; p++) {
        const struct sp_rank_cost *c = &out->rank[p];
        own = larger(own, c->own_s);
        sum += c->own_s;
        exchange = larger(exchange, c->pack_s + c->exchange_s);
        overlapped = larger(overlapped, c->overlapped_s);
        if ((d->network ? c->time_s : c->own_s) > time) {
            time = d->network ? c->time_s : c->own_s;
            out->slowest = p;
        }
    }
    const double mean = sum / out->n_ranks;
    out->own_s = sp_value_of(own, SP_MODELLED);
    out->mean_own_s = sp_value_of(mean, SP_MODELLED);
    if (!d->network)
        return;
    out->exchange_s = sp_value_of(exchange, SP_MODELLED);
    out->time_s = sp_value_of(time, SP_MODELLED);
    out->overlapped_s = sp_value_of(overlapped, SP_MODELLED);
    out->efficiency = time > 0 ? sp_value_of(mean / time, SP_MODELLED) : sp_value_none("nothing to do");
}

static void all_unknown(const struct sp_distribution *d, struct sp_distributed *out)
{
    const struct sp_value none = sp_value_none(d->machine ? "the machine describes no bandwidth"
                                                          : "no machine is named"),
                          no_network = sp_value_none(d->network ? none.why : "no network is named");
    out->own_s = out->mean_own_s = out->roof_Bps = none;
    out->exchange_s = out->time_s = out->overlapped_s = out->efficiency = no_network;
}

enum sp_status sp_distributed_make(const struct sp_halo *halo, const struct sp_distribution *d,
                                   struct sp_distributed *out, struct sp_error *err)
{
    const int n = halo->n_ranks, most = d->per_node < n ? d->per_node : n;
    void *rank, *level;
    *out = (struct sp_distributed){.n_ranks = n,
                                   .n_nodes = (n + d->per_node - 1) / d->per_node,
                                   .per_node = d->per_node,
                                   .n_threads = d->n_threads};
    if (d->machine && d->machine->n_cores > 0 && most * d->n_threads > d->machine->n_cores)
        return sp_fail(err, SP_USAGE, "put fewer ranks on a node, or give them fewer threads",
                       "%d rank%s of %d thread%s on a node: %s has %d cores", most, most == 1 ? "" : "s",
                       d->n_threads, d->n_threads == 1 ? "" : "s", d->machine->name, d->machine->n_cores);
    enum sp_status status = sp_new_array(n, sizeof *out->rank, "ranks", &rank, err);
    if (status != SP_OK)
        return status;
    out->rank = rank;
    status = sp_new_array(n, sizeof(const char *), "ranks", &level, err);
    if (status != SP_OK) {
        sp_distributed_free(out);
        return status;
    }
    const char **levels = level;
    bool known = true;
    all_unknown(d, out);
    for (int first = 0; first < n; first += d->per_node) {
        const int end = first + d->per_node < n ? first + d->per_node : n;
        exchange_of_node(halo, d, first, end, out);
        known = work_of_node(halo, d, first, end, out->rank, levels) && known;
    }
    for (int p = 0; p < n; p++)
        add_rank(&halo->rank[p], &out->rank[p], out);
    count_between(halo, d, out);
    imbalance_of(halo, out);
    if (known && d->machine) {
        const char *unused;
        times_of(d, out);
        out->level = levels[out->slowest];
        out->roof_Bps = rate_of(d, most, 1e200, &unused);
    }
    free(level);
    return SP_OK;
}
