#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "io/matrix/matrix_load.h"
#include "session/mpi/mpi_run.h"
#include "session/ranks/scaling.h"

enum sp_status sp_mpi_agree(const struct sp_mpi *mpi, const struct sp_mpi_world *world, enum sp_status status,
                            struct sp_error *err)
{
    const double first = -mpi->most(status == SP_OK ? -(double)world->n_ranks : -(double)world->rank);
    struct sp_error theirs = {0};
    if (first >= world->n_ranks)
        return SP_OK;
    if (world->rank == (int)first && err)
        theirs = *err;
    theirs.status = status;
    mpi->broadcast(&theirs, sizeof theirs, (int)first);
    if (err)
        *err = theirs;
    return theirs.status;
}

void sp_mpi_part_free(struct sp_mpi_part *p)
{
    sp_rank_part_free(&p->blocks);
    free(p->from);
    free(p->to);
    free(p->n_received);
    free(p->n_sent);
    free(p->out);
    memset(p, 0, sizeof *p);
}

/* ---- made of the whole matrix ---- */

struct whole {
    struct sp_csr matrix;
    struct sp_ranks ranks;
    struct sp_halo halo;
};

static void whole_free(struct whole *w)
{
    sp_halo_free(&w->halo);
    sp_ranks_free(&w->ranks);
    sp_csr_free(&w->matrix);
}

static enum sp_status read_whole(const struct sp_mpi_options *o, int n_ranks, struct whole *w,
                                 struct sp_load_facts *facts, struct sp_error *err)
{
    memset(w, 0, sizeof *w);
    enum sp_status status = sp_matrix_load(o->matrix, &o->load, &w->matrix, facts, err);
    if (status == SP_OK && sp_csr_is_complex(&w->matrix))
        status = sp_fail_at(err, SP_ABSENT, o->matrix, 0, 0, "take a real matrix",
                            "the distributed product is there for real matrices alone");
    if (status == SP_OK)
        status = sp_scaling_divide(o->partition, &w->matrix, n_ranks, &w->ranks, err);
    if (status == SP_OK)
        status = sp_halo_make(&w->matrix, &w->ranks, true, o->progress, &w->halo, err);
    if (status != SP_OK)
        whole_free(w);
    return status;
}

static enum sp_status take_partners(struct sp_mpi_part *p, struct sp_error *err)
{
    void *m;
    enum sp_status status = sp_new_array(p->n_from, sizeof *p->from, "partners", &m, err);
    p->from = m;
    if (status == SP_OK) {
        status = sp_new_array(p->n_from, sizeof *p->n_received, "partners", &m, err);
        p->n_received = m;
    }
    if (status == SP_OK) {
        status = sp_new_array(p->n_to, sizeof *p->to, "partners", &m, err);
        p->to = m;
    }
    if (status == SP_OK) {
        status = sp_new_array(p->n_to, sizeof *p->n_sent, "partners", &m, err);
        p->n_sent = m;
    }
    if (status == SP_OK) {
        status = sp_new_array(p->n_out, sizeof *p->out, "places of x that are sent", &m, err);
        p->out = m;
    }
    return status;
}

static enum sp_status part_of(const struct whole *w, int rank, struct sp_mpi_part *p, struct sp_error *err)
{
    const struct sp_halo *h = &w->halo;
    memset(p, 0, sizeof *p);
    if (!w->ranks.col_begin)
        return sp_fail(err, SP_BUG, NULL, "the matrix was not divided");
    enum sp_status status = sp_rank_part_make(&w->matrix, &w->ranks, rank, &p->blocks, err);
    if (status != SP_OK)
        return status;
    p->first_x = w->ranks.col_begin[rank];
    p->n_from = h->rank[rank].n_senders;
    p->n_to = h->rank[rank].n_readers;
    p->n_out = h->rank[rank].n_sent;
    p->remote_rows = h->rank[rank].remote_rows;
    p->local_columns = h->rank[rank].local_columns;
    status = take_partners(p, err);
    for (int32_t i = 0; status == SP_OK && i < p->n_from; i++) {
        p->from[i] = h->sender[h->recv_begin[rank] + i];
        p->n_received[i] = h->elements[h->recv_begin[rank] + i];
    }
    int64_t at = 0;
    for (int32_t i = 0; status == SP_OK && i < p->n_to; i++) {
        const int64_t pair = h->send_pair[h->send_begin[rank] + i];
        p->to[i] = h->receiver[h->send_begin[rank] + i];
        p->n_sent[i] = h->elements[pair];
        for (int64_t k = h->place_begin[pair]; k < h->place_begin[pair + 1]; k++)
            p->out[at++] = (int32_t)(h->place[k] - p->first_x);
    }
    if (status != SP_OK)
        sp_mpi_part_free(p);
    return status;
}

static enum sp_status keep_pairs(const struct whole *w, struct sp_mpi_result *r, struct sp_error *err)
{
    const struct sp_halo *h = &w->halo;
    void *m;
    const enum sp_status status = sp_new_array(h->n_pairs, sizeof *r->pair, "pairs of ranks", &m, err);
    r->pair = m;
    r->n_pairs = status == SP_OK ? h->n_pairs : 0;
    for (int to = 0; to < h->n_ranks && status == SP_OK; to++)
        for (int64_t k = h->recv_begin[to]; k < h->recv_begin[to + 1]; k++)
            r->pair[k] = (struct sp_mpi_pair){.from = h->sender[k],
                                              .to = to,
                                              .predicted_B = (int64_t)sizeof(double) * h->elements[k],
                                              .counted_messages = -1,
                                              .counted_B = -1};
    return status;
}

/* ---- sent from rank 0 ---- */

/* Sizes first, then the arrays. */
struct sizes {
    int64_t n_r, n_x, n_recv, local_nz, remote_nz, first_x, n_out, remote_rows, local_columns;
    int32_t n_from, n_to;
};

static void send_block(const struct sp_mpi *mpi, const struct sp_csr *a, int to)
{
    mpi->send(a->row_ptr, (a->n_r + 1) * (int64_t)sizeof *a->row_ptr, to);
    mpi->send(a->col, a->n_nz * (int64_t)sizeof *a->col, to);
    mpi->send(a->val, a->n_nz * (int64_t)sizeof *a->val, to);
}

static void send_part(const struct sp_mpi *mpi, const struct sp_mpi_part *p, int to)
{
    const struct sp_rank_part *b = &p->blocks;
    const struct sizes s = {.n_r = b->local.n_r,
                            .n_x = b->local.n_c,
                            .n_recv = b->n_recv,
                            .local_nz = b->local.n_nz,
                            .remote_nz = b->remote.n_nz,
                            .first_x = p->first_x,
                            .n_out = p->n_out,
                            .remote_rows = p->remote_rows,
                            .local_columns = p->local_columns,
                            .n_from = p->n_from,
                            .n_to = p->n_to};
    mpi->send(&s, sizeof s, to);
    send_block(mpi, &b->local, to);
    send_block(mpi, &b->remote, to);
    mpi->send(b->place, b->n_recv * (int64_t)sizeof *b->place, to);
    mpi->send(p->from, p->n_from * (int64_t)sizeof *p->from, to);
    mpi->send(p->n_received, p->n_from * (int64_t)sizeof *p->n_received, to);
    mpi->send(p->to, p->n_to * (int64_t)sizeof *p->to, to);
    mpi->send(p->n_sent, p->n_to * (int64_t)sizeof *p->n_sent, to);
    mpi->send(p->out, p->n_out * (int64_t)sizeof *p->out, to);
}

static void receive_block(const struct sp_mpi *mpi, struct sp_csr *a)
{
    mpi->receive(a->row_ptr, (a->n_r + 1) * (int64_t)sizeof *a->row_ptr, 0);
    mpi->receive(a->col, a->n_nz * (int64_t)sizeof *a->col, 0);
    mpi->receive(a->val, a->n_nz * (int64_t)sizeof *a->val, 0);
}

static enum sp_status take_part(const struct sizes *s, struct sp_mpi_part *p, struct sp_error *err)
{
    struct sp_rank_part *b = &p->blocks;
    void *m;
    memset(p, 0, sizeof *p);
    p->first_x = s->first_x;
    p->n_out = s->n_out;
    p->remote_rows = s->remote_rows;
    p->local_columns = s->local_columns;
    p->n_from = s->n_from;
    p->n_to = s->n_to;
    b->n_recv = s->n_recv;
    enum sp_status status = take_partners(p, err);
    if (status == SP_OK)
        status = sp_csr_alloc(s->n_r, s->n_x, s->local_nz, SP_FIELD_REAL, NULL, &b->local, err);
    if (status == SP_OK)
        status = sp_csr_alloc(s->n_r, s->n_recv, s->remote_nz, SP_FIELD_REAL, NULL, &b->remote, err);
    if (status == SP_OK) {
        status = sp_new_array(s->n_recv, sizeof *b->place, "places of the halo", &m, err);
        b->place = m;
    }
    if (status != SP_OK)
        sp_mpi_part_free(p);
    return status;
}

static void receive_part(const struct sp_mpi *mpi, struct sp_mpi_part *p)
{
    struct sp_rank_part *b = &p->blocks;
    receive_block(mpi, &b->local);
    receive_block(mpi, &b->remote);
    mpi->receive(b->place, b->n_recv * (int64_t)sizeof *b->place, 0);
    mpi->receive(p->from, p->n_from * (int64_t)sizeof *p->from, 0);
    mpi->receive(p->n_received, p->n_from * (int64_t)sizeof *p->n_received, 0);
    mpi->receive(p->to, p->n_to * (int64_t)sizeof *p->to, 0);
    mpi->receive(p->n_sent, p->n_to * (int64_t)sizeof *p->n_sent, 0);
    mpi->receive(p->out, p->n_out * (int64_t)sizeof *p->out, 0);
}

/* Whoever has no room for its part ends the job: the others are in the middle of sending. */
static void scatter_from(const struct sp_mpi *mpi, const struct sp_mpi_world *world, const struct whole *w,
                         struct sp_mpi_part *own, enum sp_status *status, struct sp_error *err)
{
    int64_t go;
    for (int r = 1; r < world->n_ranks; r++) {
        struct sp_mpi_part part = {0};
        if (*status == SP_OK)
            *status = part_of(w, r, &part, err);
        go = *status == SP_OK;
        mpi->send(&go, sizeof go, r);
        if (go)
            send_part(mpi, &part, r);
        sp_mpi_part_free(&part);
    }
    if (*status == SP_OK)
        *status = part_of(w, 0, own, err);
}

static enum sp_status receive_from(const struct sp_mpi *mpi, struct sp_mpi_part *part, struct sp_error *err)
{
    int64_t go = 0;
    struct sizes s;
    mpi->receive(&go, sizeof go, 0);
    if (!go)
        return SP_OK; /* rank 0 says why */
    mpi->receive(&s, sizeof s, 0);
    const enum sp_status status = take_part(&s, part, err);
    if (status != SP_OK) /* rank 0 sends, and nobody receives */
        mpi->abort(sp_exit_code(status));
    receive_part(mpi, part);
    return SP_OK;
}

/* Of what each rank has read: rows, columns, where entries are, and whose they are. Collective. */
static enum sp_status refuse_unequal(const struct sp_mpi *mpi, const struct whole *w, struct sp_error *err)
{
    const struct sp_csr *a = &w->matrix;
    const struct sp_ranks *d = &w->ranks;
    const size_t n = (size_t)a->n_r + 1;
    uint64_t hash = sp_hash64(a->row_ptr, n * sizeof *a->row_ptr, (uint64_t)a->n_c);
    hash = sp_hash64(a->col, (size_t)a->n_nz * sizeof *a->col, hash);
    hash = sp_hash64(d->row_begin, ((size_t)d->n + 1) * sizeof *d->row_begin, hash);
    if (d->row_perm)
        hash = sp_hash64(d->row_perm, (n - 1) * sizeof *d->row_perm, hash);
    const double number = (double)(hash >> 11);
    return mpi->most(number) == -mpi->most(-number)
               ? SP_OK
               : sp_fail(err, SP_INPUT, "copy the files to all nodes again, or let the first rank read",
                         "the ranks have read different matrices or partitions");
}

static void note_sizes(const struct whole *w, struct sp_mpi_result *r)
{
    r->n_r = w->matrix.n_r;
    r->n_c = w->matrix.n_c;
    r->n_nz = w->matrix.n_nz;
}

enum sp_status sp_mpi_part_get(const struct sp_mpi *mpi, const struct sp_mpi_world *world,
                               const struct sp_mpi_options *o, struct sp_mpi_part *part,
                               struct sp_mpi_result *r, struct sp_error *err)
{
    struct whole whole = {0};
    enum sp_status status = SP_OK;
    memset(part, 0, sizeof *part);
    if (world->rank == 0 || o->each_reads)
        status = read_whole(o, world->n_ranks, &whole, &r->facts, err);
    if (status == SP_OK && world->rank == 0)
        status = keep_pairs(&whole, r, err);
    status = sp_mpi_agree(mpi, world, status, err);
    if (status == SP_OK && o->each_reads)
        status = refuse_unequal(mpi, &whole, err);
    if (status == SP_OK && (world->rank == 0 || o->each_reads))
        note_sizes(&whole, r);
    if (status == SP_OK && o->each_reads)
        status = part_of(&whole, world->rank, part, err);
    else if (status == SP_OK && world->rank == 0)
        scatter_from(mpi, world, &whole, part, &status, err);
    else if (status == SP_OK)
        status = receive_from(mpi, part, err);
    whole_free(&whole);
    return sp_mpi_agree(mpi, world, status, err);
}
