/* Strong scaling as data: the part `scaling` of a record. */
#include <math.h>

#include "session/ranks/scaling.h"
#include "session/record/parts.h"
#include "sparse/formats/format_ids.h"

static void put_number(json_t *o, const char *key, double x)
{
    json_object_set_new(o, key, sp_json_number(x));
}

static void put_count(json_t *o, const char *key, int64_t n)
{
    json_object_set_new(o, key, json_integer((json_int_t)n));
}

static void put_value(json_t *o, const char *key, struct sp_value v)
{
    put_number(o, key, sp_value_known(v) ? v.value : NAN);
}

/* Numbers of each rank in a list. */
struct columns {
    json_t *object;
    const struct sp_distributed *count;
    const struct sp_halo_rank *rank;
};

static double of_size(const struct sp_halo_rank *r, int column)
{
    const double number[] = {(double)r->n_r,       (double)(r->local_nz + r->remote_nz),
                             (double)r->remote_nz, (double)r->local_columns,
                             (double)r->n_recv,    (double)r->n_senders,
                             (double)r->n_readers};
    return number[column];
}

static double of_cost(const struct sp_rank_cost *c, int column)
{
    const double number[] = {
        c->recv_B, c->sent_B, c->between_B,  c->between_n, c->local_B + c->remote_B + c->pack_B,
        c->own_s,  c->pack_s, c->exchange_s, c->time_s,    c->overlapped_s};
    return number[column];
}

static json_t *columns_of(const struct sp_distributed *count, const struct sp_halo_rank *rank, bool timed)
{
    static const char *const sizes[] = {"rows",        "nnz",     "remote_nnz", "local_cols",
                                        "remote_cols", "senders", "readers",    NULL};
    static const char *const costs[] = {"recv_B",  "sent_B",       "off_node_B", "off_node_messages",
                                        "moved_B", "own_s",        "pack_s",     "exchange_s",
                                        "time_s",  "overlapped_s", NULL};
    enum { UNTIMED = 5 };
    json_t *o = json_object();
    for (int i = 0; sizes[i]; i++) {
        json_t *list = json_array();
        for (int p = 0; p < count->n_ranks; p++)
            json_array_append_new(list, json_integer((json_int_t)of_size(&rank[p], i)));
        json_object_set_new(o, sizes[i], list);
    }
    for (int i = 0; costs[i] && (timed || i < UNTIMED); i++) {
        json_t *list = json_array();
        for (int p = 0; p < count->n_ranks; p++)
            json_array_append_new(list, sp_json_number(of_cost(&count->rank[p], i)));
        json_object_set_new(o, costs[i], list);
    }
    return o;
}

static json_t *count_object(const struct sp_scaling *s, int i)
{
    const struct sp_distributed *c = &s->count[i];
    json_t *o = json_object();
    put_count(o, "ranks", c->n_ranks);
    put_count(o, "nodes", c->n_nodes);
    put_number(o, "rows_imbalance", c->rows_imbalance);
    put_number(o, "nnz_imbalance", c->nz_imbalance);
    put_number(o, "halo_B", c->halo_B);
    put_number(o, "off_node_B", c->between_B);
    put_count(o, "messages", c->n_messages);
    put_count(o, "off_node_messages", c->n_between);
    put_number(o, "most_recv_B", c->most_recv_B);
    put_number(o, "most_sent_B", c->most_sent_B);
    put_count(o, "most_messages", c->most_neighbours);
    put_number(o, "moved_B", c->moved_B);
    put_value(o, "own_s", c->own_s);
    put_value(o, "mean_own_s", c->mean_own_s);
    put_value(o, "exchange_s", c->exchange_s);
    put_value(o, "time_s", c->time_s);
    put_value(o, "overlapped_s", c->overlapped_s);
    put_value(o, "efficiency", c->efficiency);
    put_value(o, "speedup", sp_scaling_speedup(s, i));
    if (c->level) {
        put_count(o, "slowest", c->slowest);
        json_object_set_new(o, "level", json_string(c->level));
    }
    if (c->n_simulated > 0)
        put_count(o, "simulated", c->n_simulated);
    json_object_set_new(o, "per_rank", columns_of(c, s->ranks[i], sp_value_known(c->time_s)));
    return o;
}

static json_t *remedy_object(const struct sp_remedy *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(r->name));
    json_object_set_new(o, "how", json_string(r->how));
    if (*r->why_not) {
        json_object_set_new(o, "why_not", json_string(r->why_not));
        return o;
    }
    put_number(o, "time_s", r->time_s);
    put_number(o, "gain", r->gain);
    return o;
}

/* Cells that are not empty. */
static json_t *map_object(const struct sp_scaling *s)
{
    const struct sp_halo_map *m = &s->map;
    json_t *o = json_object(), *cells = json_array();
    put_count(o, "ranks", s->count[s->n - 1].n_ranks);
    put_count(o, "ranks_of_bin", m->ranks_of_bin);
    put_count(o, "bins", m->n_bins);
    for (int to = 0; to < m->n_bins; to++)
        for (int from = 0; from < m->n_bins; from++) {
            const double bytes = m->bytes[to * m->n_bins + from];
            if (bytes > 0)
                json_array_append_new(cells, json_pack("[i, i, f]", to, from, bytes));
        }
    json_object_set_new(o, "cells", cells);
    return o;
}

static void set_place(struct sp_record *r, enum sp_record_field field, const struct sp_scaling *s, int i)
{
    if (i >= 0)
        sp_record_set_count(r, field, s->count[i].n_ranks);
    else
        sp_record_set_object(r, field, json_null());
}

static void set_request(const struct sp_scaling *s, struct sp_record *r)
{
    const struct sp_scaling_request *q = &s->request;
    sp_record_set_text(r, SP_F_SCALING_PARTITION, q->partition);
    sp_record_set_count(r, SP_F_SCALING_RANKS_PER_NODE, q->per_node);
    sp_record_set_count(r, SP_F_SCALING_THREADS, q->n_threads);
    sp_record_set_text(r, SP_F_SCALING_X, q->simulate ? "simulated" : "once");
    if (q->network) {
        sp_record_set_text(r, SP_F_SCALING_NETWORK, q->network->name);
        sp_record_set_text(r, SP_F_SCALING_NETWORK_SOURCE, q->network->source);
    }
}

enum sp_status sp_scaling_record(const struct sp_scaling *s, const char *command, struct sp_record *r,
                                 struct sp_error *err)
{
    const struct sp_scaling_request *q = &s->request;
    enum sp_status status = sp_record_new(s->name, r, err);
    if (status != SP_OK)
        return status;
    sp_record_set_text(r, SP_F_STATUS, "modelled");
    sp_record_set_text(r, SP_F_COMMAND, command);
    if (q->machine)
        sp_record_machine(r, q->machine);
    sp_record_set_text(r, SP_F_PROBLEM_NAME, s->name);
    sp_record_set_count(r, SP_F_PROBLEM_ROWS, s->n_r);
    sp_record_set_count(r, SP_F_PROBLEM_COLS, s->n_c);
    sp_record_set_count(r, SP_F_PROBLEM_NNZ, s->n_nz);
    sp_record_set_text(r, SP_F_CONFIG_OP, sp_op_name(SP_OP_SPMV));
    sp_record_set_text(r, SP_F_CONFIG_FORMAT, sp_format_name(SP_FORMAT_CRS));
    sp_record_set_text(r, SP_F_CONFIG_PRECISION, sp_precision_name(q->precision));
    sp_record_set_text(r, SP_F_CONFIG_INDEX, sp_index_name(q->index));
    sp_record_set_count(r, SP_F_CONFIG_THREADS, q->n_threads);
    sp_record_set_text(r, SP_F_CONFIG_CACHE, q->cold ? "cold" : "warm");
    set_request(s, r);
    sp_record_set_object(r, SP_F_SCALING_COUNTS, json_array());
    for (int i = 0; i < s->n; i++)
        sp_record_append(r, SP_F_SCALING_COUNTS, count_object(s, i));
    if (sp_value_known(s->node.time_s))
        sp_record_set_number(r, SP_F_SCALING_NODE_S, s->node.time_s.value);
    set_place(r, SP_F_SCALING_TAKES_OVER, s, s->takes_over);
    set_place(r, SP_F_SCALING_FASTEST, s, s->fastest);
    set_place(r, SP_F_SCALING_WORTH, s, s->worth);
    sp_record_set_object(r, SP_F_SCALING_HALO, map_object(s));
    for (int i = 0; i < s->n_remedies; i++)
        sp_record_append(r, SP_F_SCALING_REMEDIES, remedy_object(&s->remedy[i]));
    if (s->n_remedies > 0)
        sp_record_set_count(r, SP_F_SCALING_EXAMINED, s->count[s->examined].n_ranks);
    return SP_OK;
}
