/* Rows over ranks: the halo by hand (theory), by brute force (agreement), and what is refused. */
#include <check.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"
#include "sparse/generate/generate.h"
#include "sparse/ranks/halo.h"

static void make(const char *spec, struct sp_csr *a)
{
    struct sp_error err;
    ck_assert_msg(sp_generate(spec, NULL, a, &err) == SP_OK, "gen:%s: %s", spec, err.what);
}

static void divide(const char *how, const struct sp_csr *a, int n, struct sp_ranks *d)
{
    struct sp_error err = {0};
    ck_assert_msg(sp_ranks_make(sp_division_of(how), a, n, d, &err) == SP_OK, "%s over %d: %s", how, n,
                  err.what);
}

/* ---- theory: what a person counts on paper ---- */

/* A 5-point stencil of 12 x 12 points in 4 strips of 3 lines: each inner border has 12 values each
 * way. */
START_TEST(strips_of_a_square)
{
    enum { N = 12, RANKS = 4 };
    struct sp_csr a;
    struct sp_ranks d;
    struct sp_halo h;
    make("laplace2d:12", &a);
    divide("rows", &a, RANKS, &d);
    ck_assert_int_eq(sp_halo_make(&a, &d, true, NULL, &h, NULL), SP_OK);
    ck_assert_int_eq(h.n_pairs, 2 * (RANKS - 1));
    for (int64_t k = 0; k < h.n_pairs; k++)
        ck_assert_int_eq(h.elements[k], N);
    for (int r = 0; r < RANKS; r++) {
        const int n_borders = r == 0 || r == RANKS - 1 ? 1 : 2;
        const struct sp_halo_rank *rank = &h.rank[r];
        ck_assert_int_eq(rank->n_recv, n_borders * N);
        ck_assert_int_eq(rank->n_sent, n_borders * N);
        ck_assert_int_eq(rank->n_senders, n_borders);
        ck_assert_int_eq(rank->n_readers, n_borders);
        ck_assert_int_eq(rank->remote_nz, n_borders * N);
        ck_assert_int_eq(rank->remote_rows, n_borders * N);
        ck_assert_int_eq(rank->n_r, N * N / RANKS);
        ck_assert_int_eq(rank->local_columns, N * N / RANKS);
    }
    /* rank 1 needs the last line of rank 0, then the first of rank 2 */
    const int64_t k = h.recv_begin[1];
    ck_assert_int_eq(h.sender[k], 0);
    ck_assert_int_eq(h.sender[k + 1], 2);
    for (int i = 0; i < N; i++) {
        ck_assert_int_eq(h.place[h.place_begin[k] + i], 2 * N + i);
        ck_assert_int_eq(h.place[h.place_begin[k + 1] + i], 6 * N + i);
    }
    sp_halo_free(&h);
    sp_ranks_free(&d);
    sp_csr_free(&a);
}
END_TEST

/* A 7-point stencil of 8^3 points in slabs of 2 planes: 64 values each way. */
START_TEST(slabs_of_a_cube)
{
    struct sp_csr a;
    struct sp_ranks d;
    struct sp_halo h;
    make("laplace3d:8", &a);
    divide("rows", &a, 4, &d);
    ck_assert_int_eq(sp_halo_make(&a, &d, false, NULL, &h, NULL), SP_OK);
    ck_assert_int_eq(h.n_pairs, 6);
    for (int64_t k = 0; k < h.n_pairs; k++)
        ck_assert_int_eq(h.elements[k], 64);
    ck_assert_ptr_null(h.place);
    sp_halo_free(&h);
    sp_ranks_free(&d);
    sp_csr_free(&a);
}
END_TEST

/* The rank that owns a place: of y with begin = row_begin, of x with col_begin. */
static int rank_of_place(const int64_t *begin, int n, int64_t place)
{
    int rank = 0; /* the last one whose first place is not behind: empty parts own nothing */
    for (int p = 1; p < n; p++)
        if (begin[p] <= place)
            rank = p;
    return rank;
}

/* The first n mod N ranks have a row more; 5 rows over 8 leave three ranks empty. */
START_TEST(rows_as_petsc_decides)
{
    struct sp_csr a;
    struct sp_ranks d;
    make("laplace2d:5x1", &a);
    divide("rows", &a, 3, &d);
    const int64_t of_three[] = {0, 2, 4, 5}, of_eight[] = {0, 1, 2, 3, 4, 5, 5, 5, 5};
    ck_assert_mem_eq(d.row_begin, of_three, sizeof of_three);
    ck_assert_ptr_eq(d.row_begin, d.col_begin);
    sp_ranks_free(&d);
    divide("rows", &a, 8, &d);
    ck_assert_mem_eq(d.row_begin, of_eight, sizeof of_eight);
    ck_assert_int_eq(rank_of_place(d.row_begin, d.n, 0), 0);
    ck_assert_int_eq(rank_of_place(d.row_begin, d.n, 4), 4);
    sp_ranks_free(&d);
    sp_csr_free(&a);
}
END_TEST

/* ---- agreement: a table of ranks by columns ---- */

static int owner_of(const int64_t *begin, const int32_t *perm, int n, int64_t item)
{
    for (int p = 0; p < n; p++)
        for (int64_t i = begin[p]; i < begin[p + 1]; i++)
            if ((perm ? perm[i] : i) == item)
                return p;
    ck_abort_msg("nobody owns %lld", (long long)item);
    return -1;
}

/* needs[p n_c + j]: rank p has an entry in column j. */
static char *find_needs(const struct sp_csr *a, const struct sp_ranks *d, const int *row_owner)
{
    char *needs = calloc((size_t)d->n * (size_t)(a->n_c + 1), 1);
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            needs[row_owner[i] * a->n_c + a->col[k]] = 1;
    return needs;
}

static int64_t pair_of(const struct sp_halo *h, int from, int to)
{
    for (int64_t k = h->recv_begin[to]; k < h->recv_begin[to + 1]; k++)
        if (h->sender[k] == from)
            return k;
    return -1;
}

static void check_places(const struct sp_halo *h, const struct sp_ranks *d, const char *needs, int to,
                         int64_t k)
{
    for (int64_t i = h->place_begin[k]; i < h->place_begin[k + 1]; i++) {
        const int64_t j = d->col_perm ? d->col_perm[h->place[i]] : h->place[i];
        ck_assert(i == h->place_begin[k] || h->place[i - 1] < h->place[i]);
        ck_assert(needs[to * d->n_c + j]);
        ck_assert_int_eq(rank_of_place(d->col_begin, d->n, h->place[i]), h->sender[k]);
    }
}

static void check_pairs(const struct sp_csr *a, const struct sp_ranks *d, const struct sp_halo *h,
                        const char *needs, const int *col_owner)
{
    int64_t n_pairs = 0;
    for (int to = 0; to < d->n; to++)
        for (int from = 0; from < d->n; from++) {
            int64_t n = 0;
            for (int64_t j = 0; j < a->n_c; j++)
                n += needs[to * a->n_c + j] && col_owner[j] == from;
            const int64_t k = pair_of(h, from, to);
            ck_assert_int_eq(k >= 0 ? h->elements[k] : 0, from == to ? 0 : n);
            n_pairs += k >= 0;
            if (k >= 0)
                check_places(h, d, needs, to, k);
        }
    ck_assert_int_eq(n_pairs, h->n_pairs);
}

static void check_sums(const struct sp_csr *a, const struct sp_ranks *d, const struct sp_halo *h,
                       const int *row_owner, const int *col_owner)
{
    int64_t recv = 0, sent = 0, rows = 0, columns = 0, nz = 0;
    for (int p = 0; p < d->n; p++) {
        const struct sp_halo_rank *r = &h->rank[p];
        int64_t local = 0, remote = 0, of_pairs = 0;
        for (int64_t i = 0; i < a->n_r; i++)
            for (int64_t k = a->row_ptr[i]; row_owner[i] == p && k < a->row_ptr[i + 1]; k++)
                (*(col_owner[a->col[k]] == p ? &local : &remote))++;
        ck_assert_int_eq(r->local_nz, local);
        ck_assert_int_eq(r->remote_nz, remote);
        ck_assert_int_eq(r->n_readers, h->send_begin[p + 1] - h->send_begin[p]);
        for (int64_t k = h->send_begin[p]; k < h->send_begin[p + 1]; k++) {
            ck_assert_int_eq(h->sender[h->send_pair[k]], p);
            ck_assert_int_eq(pair_of(h, p, h->receiver[k]), h->send_pair[k]);
            of_pairs += h->elements[h->send_pair[k]];
        }
        ck_assert_int_eq(of_pairs, r->n_sent);
        recv += r->n_recv;
        sent += r->n_sent;
        rows += r->n_r;
        columns += r->n_x;
        nz += local + remote;
    }
    ck_assert_int_eq(recv, sent);
    ck_assert_int_eq(rows, a->n_r);
    ck_assert_int_eq(columns, a->n_c);
    ck_assert_int_eq(nz, a->n_nz);
}

/* Both blocks of each rank times x are the rank's rows of A x. */
static void check_parts(const struct sp_csr *a, const struct sp_ranks *d, const struct sp_halo *h)
{
    for (int p = 0; p < d->n; p++) {
        struct sp_rank_part part;
        struct sp_error err = {0};
        ck_assert_int_eq(sp_rank_part_make(a, d, p, &part, &err), SP_OK);
        ck_assert_msg(sp_csr_check(&part.local, &err) == SP_OK, "%s", err.what);
        ck_assert_msg(sp_csr_check(&part.remote, &err) == SP_OK, "%s", err.what);
        ck_assert_int_eq(part.local.n_nz, h->rank[p].local_nz);
        ck_assert_int_eq(part.remote.n_nz, h->rank[p].remote_nz);
        ck_assert_int_eq(part.n_recv, h->rank[p].n_recv);
        if (part.n_recv > 0)
            ck_assert_mem_eq(part.place, h->place + h->place_begin[h->recv_begin[p]],
                             (size_t)part.n_recv * sizeof *part.place);
        for (int64_t i = 0; i < part.local.n_r; i++) {
            const int64_t row = d->row_perm ? d->row_perm[d->row_begin[p] + i] : d->row_begin[p] + i;
            double y = 0, want = 0; /* x_j = 1 + j in the matrix's own numbers */
            for (int64_t k = part.local.row_ptr[i]; k < part.local.row_ptr[i + 1]; k++) {
                const int64_t place = d->col_begin[p] + part.local.col[k];
                y += part.local.val[k] * (double)(1 + (d->col_perm ? d->col_perm[place] : place));
            }
            for (int64_t k = part.remote.row_ptr[i]; k < part.remote.row_ptr[i + 1]; k++) {
                const int64_t place = part.place[part.remote.col[k]];
                y += part.remote.val[k] * (double)(1 + (d->col_perm ? d->col_perm[place] : place));
            }
            for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++)
                want += a->val[k] * (double)(1 + a->col[k]);
            ck_assert_double_eq_tol(y, want, 1e-9 * (1 + (want < 0 ? -want : want)));
        }
        sp_rank_part_free(&part);
        sp_rank_part_free(&part);
    }
}

static void check_halo(const struct sp_csr *a, const struct sp_ranks *d)
{
    struct sp_halo one, two;
    int *row_owner = calloc((size_t)a->n_r + 1, sizeof *row_owner);
    int *col_owner = calloc((size_t)a->n_c + 1, sizeof *col_owner);
    for (int64_t i = 0; i < a->n_r; i++)
        row_owner[i] = owner_of(d->row_begin, d->row_perm, d->n, i);
    for (int64_t j = 0; j < a->n_c; j++)
        col_owner[j] = owner_of(d->col_begin, d->col_perm, d->n, j);
    char *needs = find_needs(a, d, row_owner);
    omp_set_num_threads(1);
    ck_assert_int_eq(sp_halo_make(a, d, true, NULL, &one, NULL), SP_OK);
    check_pairs(a, d, &one, needs, col_owner);
    check_sums(a, d, &one, row_owner, col_owner);
    check_parts(a, d, &one);
    omp_set_num_threads(2);
    ck_assert_int_eq(sp_halo_make(a, d, false, NULL, &two, NULL), SP_OK);
    ck_assert_int_eq(one.n_pairs, two.n_pairs);
    ck_assert_mem_eq(one.rank, two.rank, (size_t)d->n * sizeof *one.rank);
    if (one.n_pairs > 0)
        ck_assert_mem_eq(one.elements, two.elements, (size_t)one.n_pairs * sizeof *one.elements);
    sp_halo_free(&one);
    sp_halo_free(&two);
    sp_halo_free(&two);
    free(needs);
    free(row_owner);
    free(col_owner);
}

static const char *const matrices[] = {"random:40:4", "random:60x25:3", "random:25x60:5",
                                       "laplace2d:7", "random:6:2",     "powerlaw:6:4"};

START_TEST(halo_by_brute_force)
{
    struct sp_csr a;
    make(matrices[_i], &a);
    for (const struct sp_division *how = sp_division_table; how->name; how++)
        for (int n = 1; n <= 9; n += n < 3 ? 1 : 3) {
            struct sp_ranks d;
            if (sp_division_absent(how)) {
                printf("skipped: %s: %s\n", how->name, sp_division_absent(how));
                break;
            }
            divide(how->name, &a, n, &d);
            check_halo(&a, &d);
            sp_ranks_free(&d);
            sp_ranks_free(&d);
        }
    sp_csr_free(&a);
}
END_TEST

START_TEST(partitioners_repeat_themselves)
{
    struct sp_csr a;
    make("laplace2d:40", &a);
    for (const struct sp_division *how = sp_division_table; how->name; how++) {
        struct sp_ranks one, two;
        if (sp_division_absent(how))
            continue;
        divide(how->name, &a, 8, &one);
        divide(how->name, &a, 8, &two);
        ck_assert_mem_eq(one.row_begin, two.row_begin, 9 * sizeof *one.row_begin);
        ck_assert(!one.row_perm == !two.row_perm);
        if (one.row_perm)
            ck_assert_mem_eq(one.row_perm, two.row_perm, (size_t)a.n_r * sizeof *one.row_perm);
        for (int p = 0; p < 8; p++) /* of 200 rows on average */
            ck_assert_int_lt(labs((long)(one.row_begin[p + 1] - one.row_begin[p]) - 200), 20);
        sp_ranks_free(&one);
        sp_ranks_free(&two);
    }
    sp_csr_free(&a);
}
END_TEST

/* Ranks that somebody else chose, one of them empty. */
START_TEST(parts_of_a_file)
{
    struct sp_csr a;
    struct sp_ranks d;
    struct sp_error err;
    int32_t part[49];
    make("laplace2d:7", &a);
    for (int i = 0; i < 49; i++)
        part[i] = i % 3 == 0 ? 3 : i % 2;
    ck_assert_int_eq(sp_ranks_of_parts(&a, part, 4, &d, &err), SP_OK);
    ck_assert_int_eq(d.row_begin[3] - d.row_begin[2], 0);
    check_halo(&a, &d);
    sp_ranks_free(&d);
    part[6] = 4;
    ck_assert_int_eq(sp_ranks_of_parts(&a, part, 4, &d, &err), SP_INPUT);
    ck_assert_str_eq(err.what, "row 7 has part 4 of 4");
    ck_assert_ptr_null(d.row_begin);
    ck_assert_int_eq(sp_ranks_make(&sp_division_table[0], &a, 0, &d, &err), SP_USAGE);
    ck_assert_int_eq(sp_ranks_make(&sp_division_table[0], &a, SP_MAX_RANKS + 1, &d, &err), SP_USAGE);
    ck_assert_ptr_null(sp_division_of("columns"));
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("halo");
    TCase *all = tcase_create("halo");
    tcase_add_test(all, strips_of_a_square);
    tcase_add_test(all, slabs_of_a_cube);
    tcase_add_test(all, rows_as_petsc_decides);
    tcase_add_loop_test(all, halo_by_brute_force, 0, (int)(sizeof matrices / sizeof *matrices));
    tcase_add_test(all, partitioners_repeat_themselves);
    tcase_add_test(all, parts_of_a_file);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
