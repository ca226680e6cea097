#include "sparse/ranks/halo.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sparse/csr/sort.h"

void sp_halo_free(struct sp_halo *halo)
{
    if (!halo)
        return;
    free(halo->rank);
    free(halo->recv_begin);
    free(halo->sender);
    free(halo->elements);
    free(halo->send_begin);
    free(halo->send_pair);
    free(halo->receiver);
    free(halo->place_begin);
    free(halo->place);
    memset(halo, 0, sizeof *halo);
}

/* ---- numbers that become more ---- */

struct numbers {
    int32_t *at;
    int64_t n, room;
};

static bool make_room(struct numbers *l, int64_t more)
{
    if (l->n + more <= l->room)
        return true;
    const int64_t room = (l->n + more) + (l->n + more) / 2 + 64;
    int32_t *at = realloc(l->at, (size_t)room * sizeof *at);
    if (!at)
        return false;
    l->at = at;
    l->room = room;
    return true;
}

/* ---- what a thread finds ---- */

/* Where the pairs and places of a rank lie in its thread's lists. */
struct found {
    int thread;
    int64_t first_pair, n_pairs, first_place, n_places;
};

struct finder {
    const struct sp_csr *a;
    const struct sp_ranks *d;
    const int32_t *owner; /* [n_c] of each column */
    bool with_places;
    int32_t *stamp;         /* [n_c] 2 (rank + 1) of the rank that saw the column last, + 1: remote */
    int32_t *count;         /* [n ranks] elements from each, 0 between two ranks */
    struct numbers remote;  /* remote columns of one rank */
    struct numbers from;    /* their owners */
    struct numbers scratch; /* for sorting */
    struct numbers sender, elements; /* pairs of all ranks of this thread */
    struct numbers places;
};

static void finder_free(struct finder *f)
{
    sp_large_free(NULL, f->stamp, f->a->n_c, sizeof *f->stamp);
    free(f->count);
    free(f->remote.at);
    free(f->from.at);
    free(f->scratch.at);
    free(f->sender.at);
    free(f->elements.at);
    free(f->places.at);
}

static enum sp_status finder_open(struct finder *f, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_large_alloc(NULL, f->a->n_c, sizeof *f->stamp, "marks of columns", &p, err);
    f->stamp = p;
    if (status != SP_OK)
        return status;
    status = sp_new_array(f->d->n, sizeof *f->count, "counts of ranks", &p, err);
    f->count = p;
    return status;
}

/* A column that the rank has not seen before: its new mark. */
static int32_t see(struct finder *f, int rank, int32_t j, struct sp_halo_rank *r)
{
    const int32_t owner = f->owner[j], mark = 2 * (rank + 1);
    if (owner == rank) {
        r->local_columns++;
        return mark;
    }
    if (f->count[owner]++ == 0)
        f->from.at[f->from.n++] = owner;
    f->remote.at[f->remote.n++] = j;
    return mark + 1;
}

/* Entries ahead of which marks and owners are prefetched: where columns are anywhere, that is the
 * time. */
enum { AHEAD = 24 };

/* Room of the lists is there for all that the row may add. */
static void see_row(struct finder *f, int rank, int64_t row, struct sp_halo_rank *r)
{
    const struct sp_csr *a = f->a;
    int64_t n_remote = 0;
    for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++) {
        const int32_t j = sp_csr_col(a, k);
        int32_t mark = f->stamp[j];
        if (k + AHEAD < a->n_nz) {
            __builtin_prefetch(&f->stamp[sp_csr_col(a, k + AHEAD)], 1);
            __builtin_prefetch(&f->owner[sp_csr_col(a, k + AHEAD)]);
        }
        if (mark >> 1 != rank + 1)
            f->stamp[j] = mark = see(f, rank, j, r);
        n_remote += mark & 1;
    }
    r->remote_nz += n_remote;
    r->local_nz += a->row_ptr[row + 1] - a->row_ptr[row] - n_remote;
    r->remote_rows += n_remote > 0;
}

static bool keep_places(struct finder *f, struct found *found)
{
    const int64_t n = f->remote.n;
    if (!make_room(&f->scratch, n) || !make_room(&f->places, n))
        return false;
    found->first_place = f->places.n;
    found->n_places = n;
    if (n == 0) /* there may be no array at all */
        return true;
    int32_t *to = f->places.at + f->places.n;
    for (int64_t k = 0; k < n; k++)
        to[k] = f->d->col_place ? f->d->col_place[f->remote.at[k]] : f->remote.at[k];
    sp_sort_i32(to, n, f->scratch.at);
    f->places.n += n;
    return true;
}

static bool keep_pairs(struct finder *f, struct sp_halo_rank *r, struct found *found)
{
    const int64_t n = f->from.n;
    if (!make_room(&f->scratch, n) || !make_room(&f->sender, n) || !make_room(&f->elements, n))
        return false;
    sp_sort_i32(f->from.at, n, f->scratch.at);
    found->first_pair = f->sender.n;
    found->n_pairs = n;
    for (int64_t k = 0; k < n; k++) {
        const int32_t sender = f->from.at[k];
        f->sender.at[f->sender.n++] = sender;
        f->elements.at[f->elements.n++] = f->count[sender];
        f->count[sender] = 0;
    }
    r->n_senders = (int32_t)n;
    return true;
}

/* False: no memory. */
static bool find(struct finder *f, int rank, struct sp_halo_rank *r, struct found *found)
{
    const struct sp_ranks *d = f->d;
    f->remote.n = f->from.n = 0;
    r->n_r = d->row_begin[rank + 1] - d->row_begin[rank];
    r->n_x = d->col_begin[rank + 1] - d->col_begin[rank];
    for (int64_t i = d->row_begin[rank]; i < d->row_begin[rank + 1]; i++) {
        const int64_t row = d->row_perm ? d->row_perm[i] : i;
        const int64_t length = f->a->row_ptr[row + 1] - f->a->row_ptr[row];
        if (!make_room(&f->remote, length) || !make_room(&f->from, length))
            return false;
        see_row(f, rank, row, r);
    }
    r->n_recv = f->remote.n;
    return keep_pairs(f, r, found) && (!f->with_places || keep_places(f, found));
}

/* ---- all of them ---- */

struct search {
    struct finder *finder; /* [n_threads] */
    int n_threads;
    struct found *found; /* [n ranks] */
    int32_t *owner;      /* [n_c] */
};

static int threads_for(const struct sp_csr *a, int n_ranks)
{
    const double most_B = sp_csr_bytes(a->n_r, a->n_nz, a->field) / 2;
    int n = omp_get_max_threads() < n_ranks ? omp_get_max_threads() : n_ranks;
    while (n > 1 && 4.0 * (double)a->n_c * n > most_B)
        n--;
    return n;
}

static void name_owners(const struct sp_ranks *d, int32_t *owner)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int p = 0; p < d->n; p++)
        for (int64_t i = d->col_begin[p]; i < d->col_begin[p + 1]; i++)
            owner[d->col_perm ? d->col_perm[i] : i] = p;
}

static enum sp_status search_open(const struct sp_csr *a, const struct sp_ranks *d, bool with_places,
                                  struct search *s, struct sp_error *err)
{
    void *p;
    *s = (struct search){.n_threads = threads_for(a, d->n)};
    enum sp_status status = sp_new_array(s->n_threads, sizeof *s->finder, "threads", &p, err);
    if (status != SP_OK)
        return status;
    s->finder = p;
    for (int t = 0; t < s->n_threads; t++)
        s->finder[t] = (struct finder){.a = a, .d = d, .with_places = with_places};
    status = sp_new_array(d->n, sizeof *s->found, "ranks", &p, err);
    s->found = p;
    if (status == SP_OK) {
        status = sp_large_alloc(NULL, a->n_c, sizeof *s->owner, "owners of columns", &p, err);
        s->owner = p;
    }
    if (status == SP_OK)
        name_owners(d, s->owner);
    for (int t = 0; t < s->n_threads && status == SP_OK; t++) {
        s->finder[t].owner = s->owner;
        status = finder_open(&s->finder[t], err);
    }
    return status;
}

static void search_free(struct search *s, const struct sp_csr *a)
{
    for (int t = 0; s->finder && t < s->n_threads; t++)
        finder_free(&s->finder[t]);
    free(s->finder);
    free(s->found);
    sp_large_free(NULL, s->owner, a->n_c, sizeof *s->owner);
}

static enum sp_status search_all(struct search *s, const struct sp_ranks *d,
                                 const struct sp_progress *progress, struct sp_halo_rank *rank,
                                 struct sp_error *err)
{
    int stop = 0, lacks = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->n_threads)
    for (int p = 0; p < d->n; p++) {
        const int t = omp_get_thread_num();
        if (t == 0 && sp_progress_interrupted(progress))
            __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        if (__atomic_load_n(&stop, __ATOMIC_RELAXED) || __atomic_load_n(&lacks, __ATOMIC_RELAXED))
            continue;
        s->found[p].thread = t;
        if (!find(&s->finder[t], p, &rank[p], &s->found[p]))
            __atomic_store_n(&lacks, 1, __ATOMIC_RELAXED);
    }
    if (stop)
        return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted while the halo was counted");
    if (lacks)
        return sp_fail(err, SP_MEMORY, "free memory, or take fewer ranks", "no memory for the halo");
    return SP_OK;
}

/* ---- the lists of threads joined ---- */

static enum sp_status take_pairs(struct sp_halo *halo, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(halo->n_pairs, sizeof *halo->sender, "senders", &p, err);
    halo->sender = p;
    if (status == SP_OK) {
        status = sp_new_array(halo->n_pairs, sizeof *halo->elements, "sizes of messages", &p, err);
        halo->elements = p;
    }
    if (status == SP_OK) {
        status = sp_new_array(halo->n_ranks + 1, sizeof *halo->send_begin, "senders", &p, err);
        halo->send_begin = p;
    }
    if (status == SP_OK) {
        status = sp_new_array(halo->n_pairs, sizeof *halo->send_pair, "messages sent", &p, err);
        halo->send_pair = p;
    }
    if (status == SP_OK) {
        status = sp_new_array(halo->n_pairs, sizeof *halo->receiver, "receivers", &p, err);
        halo->receiver = p;
    }
    return status;
}

static enum sp_status join_pairs(const struct search *s, struct sp_halo *halo, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(halo->n_ranks + 1, sizeof *halo->recv_begin, "receivers", &p, err);
    halo->recv_begin = p;
    if (status != SP_OK)
        return status;
    for (int r = 0; r < halo->n_ranks; r++)
        halo->recv_begin[r + 1] = halo->recv_begin[r] + s->found[r].n_pairs;
    halo->n_pairs = halo->recv_begin[halo->n_ranks];
    status = take_pairs(halo, err);
    for (int r = 0; status == SP_OK && r < halo->n_ranks; r++) {
        const struct found *f = &s->found[r];
        const struct finder *from = &s->finder[f->thread];
        if (f->n_pairs == 0)
            continue;
        memcpy(halo->sender + halo->recv_begin[r], from->sender.at + f->first_pair,
               (size_t)f->n_pairs * sizeof *halo->sender);
        memcpy(halo->elements + halo->recv_begin[r], from->elements.at + f->first_pair,
               (size_t)f->n_pairs * sizeof *halo->elements);
    }
    return status;
}

static void sort_by_sender(struct sp_halo *halo)
{
    int64_t *begin = halo->send_begin;
    for (int64_t k = 0; k < halo->n_pairs; k++) {
        struct sp_halo_rank *sender = &halo->rank[halo->sender[k]];
        sender->n_sent += halo->elements[k];
        sender->n_readers++;
    }
    for (int r = 0; r < halo->n_ranks; r++)
        begin[r + 1] = begin[r] + halo->rank[r].n_readers;
    for (int r = 0; r < halo->n_ranks; r++)
        for (int64_t k = halo->recv_begin[r]; k < halo->recv_begin[r + 1]; k++) {
            const int64_t at = begin[halo->sender[k]]++;
            halo->send_pair[at] = k;
            halo->receiver[at] = r;
        }
    for (int r = halo->n_ranks; r > 0; r--)
        begin[r] = begin[r - 1];
    begin[0] = 0;
}

static enum sp_status join_places(const struct search *s, struct sp_halo *halo, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(halo->n_pairs + 1, sizeof *halo->place_begin, "places", &p, err);
    halo->place_begin = p;
    if (status != SP_OK)
        return status;
    for (int64_t k = 0; k < halo->n_pairs; k++)
        halo->place_begin[k + 1] = halo->place_begin[k] + halo->elements[k];
    status = sp_new_array(halo->place_begin[halo->n_pairs], sizeof *halo->place, "places of x", &p, err);
    halo->place = p;
    int64_t at = 0;
    for (int r = 0; status == SP_OK && r < halo->n_ranks; r++) {
        const struct found *f = &s->found[r];
        if (f->n_places > 0)
            memcpy(halo->place + at, s->finder[f->thread].places.at + f->first_place,
                   (size_t)f->n_places * sizeof *halo->place);
        at += f->n_places;
    }
    return status;
}

enum sp_status sp_halo_make(const struct sp_csr *a, const struct sp_ranks *d, bool with_places,
                            const struct sp_progress *progress, struct sp_halo *halo, struct sp_error *err)
{
    struct search s;
    void *p;
    *halo = (struct sp_halo){.n_ranks = d->n};
    enum sp_status status = search_open(a, d, with_places, &s, err);
    if (status == SP_OK) {
        status = sp_new_array(d->n, sizeof *halo->rank, "ranks", &p, err);
        halo->rank = p;
    }
    if (status == SP_OK)
        status = search_all(&s, d, progress, halo->rank, err);
    if (status == SP_OK)
        status = join_pairs(&s, halo, err);
    if (status == SP_OK)
        sort_by_sender(halo);
    if (status == SP_OK && with_places)
        status = join_places(&s, halo, err);
    search_free(&s, a);
    if (status != SP_OK)
        sp_halo_free(halo);
    return status;
}

void sp_rank_part_free(struct sp_rank_part *part)
{
    if (!part)
        return;
    sp_csr_free(&part->local);
    sp_csr_free(&part->remote);
    free(part->place);
    memset(part, 0, sizeof *part);
}

/* What the rows of one rank are made with. */
struct maker {
    const struct sp_csr *a;
    const struct sp_ranks *d;
    int64_t first_row, n_r, first_x, end_x;
    uint64_t *key, *spare; /* [longest row] place << 32 | position in the row */
};

static int64_t row_at(const struct maker *m, int64_t i)
{
    return m->d->row_perm ? m->d->row_perm[m->first_row + i] : m->first_row + i;
}

static int64_t place_of(const struct maker *m, int64_t k)
{
    return m->d->col_place ? m->d->col_place[sp_csr_col(m->a, k)] : sp_csr_col(m->a, k);
}

static bool is_local(const struct maker *m, int64_t place)
{
    return place >= m->first_x && place < m->end_x;
}

/* The row's entries by place; how many. */
static int64_t sort_row(const struct maker *m, int64_t row)
{
    const int64_t first = m->a->row_ptr[row], n = m->a->row_ptr[row + 1] - first;
    for (int64_t k = 0; k < n; k++)
        m->key[k] = (uint64_t)place_of(m, first + k) << 32 | (uint64_t)k;
    if (m->d->col_place)
        sp_sort_u64(m->key, n, m->spare);
    return n;
}

/* Lengths of the rows of both blocks, and all remote places, not sorted, with repetitions. */
static void measure(const struct maker *m, struct sp_rank_part *part, int32_t *remote)
{
    int64_t n = 0;
    for (int64_t i = 0; i < m->n_r; i++) {
        const int64_t row = row_at(m, i);
        int64_t n_local = 0;
        for (int64_t k = m->a->row_ptr[row]; k < m->a->row_ptr[row + 1]; k++) {
            const int64_t place = place_of(m, k);
            if (is_local(m, place))
                n_local++;
            else
                remote[n++] = (int32_t)place;
        }
        part->local.row_ptr[i + 1] = n_local;
        part->remote.row_ptr[i + 1] = m->a->row_ptr[row + 1] - m->a->row_ptr[row] - n_local;
    }
}

static int64_t find_place(const struct sp_rank_part *part, int64_t place)
{
    int64_t low = 0, high = part->n_recv;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (part->place[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void fill(const struct maker *m, struct sp_rank_part *part)
{
    const int64_t width = sp_csr_is_complex(m->a) ? 2 : 1;
    int64_t at_local = 0, at_remote = 0;
    for (int64_t i = 0; i < m->n_r; i++) {
        const int64_t row = row_at(m, i), n = sort_row(m, row);
        for (int64_t k = 0; k < n; k++) {
            const int64_t place = (int64_t)(m->key[k] >> 32);
            const int64_t from = m->a->row_ptr[row] + (int64_t)(m->key[k] & UINT32_MAX);
            const bool local = is_local(m, place);
            struct sp_csr *to = local ? &part->local : &part->remote;
            const int64_t at = local ? at_local++ : at_remote++;
            to->col[at] = (int32_t)(local ? place - m->first_x : find_place(part, place));
            sp_csr_copy_numbers(m->a, width * from, width, to->val + width * at);
        }
    }
}

static enum sp_status keep_unique(int32_t *remote, int64_t n, struct sp_rank_part *part, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(n, sizeof *remote, "sorting what is received", &p, err);
    if (status != SP_OK)
        return status;
    sp_sort_i32(remote, n, p);
    free(p);
    int64_t kept = 0;
    for (int64_t k = 0; k < n; k++)
        if (kept == 0 || remote[kept - 1] != remote[k])
            remote[kept++] = remote[k];
    part->n_recv = part->remote.n_c = kept;
    status = sp_new_array(kept, sizeof *part->place, "what is received", &p, err);
    part->place = p;
    if (status == SP_OK && kept > 0)
        memcpy(part->place, remote, (size_t)kept * sizeof *remote);
    return status;
}

static enum sp_status make_blocks(struct maker *m, int64_t n_entries, int64_t longest,
                                  struct sp_rank_part *part, struct sp_error *err)
{
    void *remote = NULL, *p;
    enum sp_status status =
        sp_csr_take_rows(m->n_r, m->end_x - m->first_x, m->a->field, NULL, &part->local, err);
    if (status == SP_OK)
        status = sp_csr_take_rows(m->n_r, 0, m->a->field, NULL, &part->remote, err);
    if (status == SP_OK)
        status = sp_new_array(n_entries, sizeof(int32_t), "entries of a rank", &remote, err);
    if (status == SP_OK) {
        status = sp_new_array(2 * longest, sizeof *m->key, "sorting a row", &p, err);
        m->key = p;
        m->spare = m->key ? m->key + longest : NULL;
    }
    if (status == SP_OK) {
        measure(m, part, remote);
        status = sp_csr_take_entries(&part->local, err);
    }
    if (status == SP_OK)
        status = sp_csr_take_entries(&part->remote, err);
    if (status == SP_OK)
        status = keep_unique(remote, part->remote.n_nz, part, err);
    if (status == SP_OK && m->key)
        fill(m, part);
    free(remote);
    free(m->key);
    return status;
}

enum sp_status sp_rank_part_make(const struct sp_csr *a, const struct sp_ranks *d, int rank,
                                 struct sp_rank_part *part, struct sp_error *err)
{
    struct maker m = {.a = a,
                      .d = d,
                      .first_row = d->row_begin[rank],
                      .n_r = d->row_begin[rank + 1] - d->row_begin[rank],
                      .first_x = d->col_begin[rank],
                      .end_x = d->col_begin[rank + 1]};
    int64_t n = 0, longest = 0;
    memset(part, 0, sizeof *part);
    for (int64_t i = 0; i < m.n_r; i++) {
        const int64_t row = row_at(&m, i), length = a->row_ptr[row + 1] - a->row_ptr[row];
        n += length;
        longest = length > longest ? length : longest;
    }
    enum sp_status status = make_blocks(&m, n, longest, part, err);
    if (status != SP_OK)
        sp_rank_part_free(part);
    return status;
}
