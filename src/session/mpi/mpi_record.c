/* The job's record, of all ranks. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/samples.h"
#include "io/json_text.h"
#include "session/mpi/mpi_run.h"

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *value_object(struct sp_value v)
{
    json_t *o = json_object();
    json_object_set_new(o, "value", number(v.value));
    json_object_set_new(o, "lo", number(v.lo));
    json_object_set_new(o, "hi", number(v.hi));
    json_object_set_new(o, "origin", json_string(sp_origin_name(v.origin)));
    return o;
}

static json_t *times_object(const struct sp_mpi_result *r)
{
    json_t *o = json_object();
    for (int m = 0; m < SP_MPI_N_MODES; m++) {
        const struct sp_mpi_times *t = &r->time[m];
        json_t *one = value_object(sp_median_interval(t->sample_s, t->n, SP_MEASURED)),
               *samples = json_array();
        for (int k = 0; k < t->n; k++)
            json_array_append_new(samples, number(t->sample_s[k]));
        json_object_set_new(one, "repetitions", json_integer(t->repetitions));
        json_object_set_new(one, "samples_s", samples);
        json_object_set_new(o, sp_mpi_mode_name((enum sp_mpi_mode)m), one);
    }
    return o;
}

static json_t *count(int64_t n)
{
    return n < 0 ? json_null() : json_integer(n);
}

static json_t *rank_object(const struct sp_mpi_rank *k)
{
    json_t *o = json_object(), *median = json_object();
    json_object_set_new(o, "rank", json_integer(k->rank));
    json_object_set_new(o, "host", sp_json_string(k->host));
    json_object_set_new(o, "threads", json_integer(k->n_threads));
    json_object_set_new(o, "pinned", json_boolean(k->is_pinned));
    json_object_set_new(o, "kernel", sp_json_string(k->kernel));
    json_object_set_new(o, "rows", json_integer(k->n_r));
    json_object_set_new(o, "x", json_integer(k->n_x));
    json_object_set_new(o, "local_nnz", json_integer(k->local_nz));
    json_object_set_new(o, "remote_nnz", json_integer(k->remote_nz));
    json_object_set_new(o, "remote_rows", json_integer(k->remote_rows));
    json_object_set_new(o, "remote_compressed", json_boolean(k->is_compressed));
    json_object_set_new(o, "received_from", json_integer(k->n_from));
    json_object_set_new(o, "received_B", json_integer(k->n_received * (int64_t)sizeof(double)));
    json_object_set_new(o, "sent_to", json_integer(k->n_to));
    json_object_set_new(o, "sent_B", json_integer(k->n_sent * (int64_t)sizeof(double)));
    json_object_set_new(o, "counted_messages", count(k->counted_messages));
    json_object_set_new(o, "counted_B", count(k->counted_bytes));
    json_object_set_new(o, "error_over_tolerance", number(k->worst_error));
    json_object_set_new(o, "roof_Bps", number(k->scanned_B / k->median_s[SP_MPI_ROOF]));
    for (int m = 0; m < SP_MPI_N_MODES; m++)
        json_object_set_new(median, sp_mpi_mode_name((enum sp_mpi_mode)m), number(k->median_s[m]));
    json_object_set_new(o, "median_s", median);
    return o;
}

static json_t *pairs_array(const struct sp_mpi_result *r)
{
    json_t *list = json_array();
    for (int64_t k = 0; k < r->n_pairs; k++) {
        const struct sp_mpi_pair *p = &r->pair[k];
        json_t *o = json_object();
        json_object_set_new(o, "from", json_integer(p->from));
        json_object_set_new(o, "to", json_integer(p->to));
        json_object_set_new(o, "predicted_B", json_integer(p->predicted_B));
        json_object_set_new(o, "counted_messages", count(p->counted_messages));
        json_object_set_new(o, "counted_B", count(p->counted_B));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *matrix_object(const struct sp_mpi_result *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", sp_json_string(r->facts.name));
    json_object_set_new(o, "format", sp_json_string(r->facts.format));
    json_object_set_new(o, "sha256", sp_json_string(r->facts.sha256));
    json_object_set_new(o, "rows", json_integer(r->n_r));
    json_object_set_new(o, "cols", json_integer(r->n_c));
    json_object_set_new(o, "nnz", json_integer(r->n_nz));
    return o;
}

json_t *sp_mpi_record(const struct sp_mpi_result *r, const char *command)
{
    json_t *root = json_object(), *ranks = json_array(), *halo = json_object();
    char when[32] = "";
    const time_t now = time(NULL);
    struct tm t;
    int64_t bytes = 0, messages = 0;
    if (gmtime_r(&now, &t))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &t);
    for (int64_t k = 0; k < r->n_pairs; k++) {
        bytes += r->pair[k].predicted_B;
        messages += r->pair[k].predicted_B > 0;
    }
    json_object_set_new(root, "schema", json_string("spmodel.ranks/1"));
    json_object_set_new(root, "command", sp_json_string(command));
    json_object_set_new(root, "ended", json_string(when));
    json_object_set_new(root, "mpi", sp_json_string(r->world.library));
    json_object_set_new(root, "matrix", matrix_object(r));
    json_object_set_new(root, "partition", sp_json_string(r->partition));
    json_object_set_new(root, "n_ranks", json_integer(r->world.n_ranks));
    json_object_set_new(root, "verified", json_true());
    json_object_set_new(halo, "predicted_messages", json_integer(messages));
    json_object_set_new(halo, "predicted_B", json_integer(bytes));
    json_object_set_new(halo, "counted_as_predicted",
                        r->n_wrong_pairs < 0 ? json_null() : json_boolean(r->n_wrong_pairs == 0));
    json_object_set_new(halo, "pairs", pairs_array(r));
    json_object_set_new(root, "halo", halo);
    json_object_set_new(root, "times_s", times_object(r));
    for (int k = 0; k < r->world.n_ranks; k++)
        json_array_append_new(ranks, rank_object(&r->rank[k]));
    json_object_set_new(root, "ranks", ranks);
    return root;
}
