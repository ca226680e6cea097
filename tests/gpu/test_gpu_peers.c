/* Peers of the GPU benchmark with fakes of their libraries, and the executor's memory in place of a device's:
 * what they are handed is what their documentation asks for, and their results are those of the reference. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "bench/gpu_peers.h"
#include "run_suite.h"
#include "small_matrices.h"
#include "sparse/formats/format_ids.h"
#include "sparse/product/verify.h"
#include "sparse/product/workload.h"

const struct gpu_peers *gpu_peers(void);

static void check_peer(const struct gpu_peer *peer, const struct sp_workload *w, const struct sp_layout *l,
                       const struct sp_dense *dense)
{
    const struct gpu_peers *peers = gpu_peers();
    struct sp_operands operands = {.x = dense->x, .rows = dense->rows};
    struct sp_error err;
    struct sp_spmv_check check;
    void *state;
    double before_s, seconds;
    if (peer->is_gemm && peers->without_blas()) { /* the others are there all the same */
        ck_assert_int_eq(peers->prepare(peer, w, l, &operands, &state, &before_s, &err), SP_ABSENT);
        ck_assert(strstr(err.what, "cublas") && !state);
        return;
    }
    double *result = malloc((size_t)(sp_dense_n_result(w) + 1) * sizeof *result);
    if (peers->prepare(peer, w, l, &operands, &state, &before_s, &err) != SP_OK ||
        peers->run(state, 2, &seconds, &err) != SP_OK || peers->fetch(state, result, &err) != SP_OK ||
        sp_verify(w, dense, result, &check, &err) != SP_OK)
        ck_abort_msg("%s, %s: %s", peer->name, sp_precision_name(w->precision), err.what);
    ck_assert(before_s >= 0 && seconds > 0);
    peers->release(state);
    free(result);
}

static int check_workload(const struct sp_workload *w)
{
    const struct gpu_peers *peers = gpu_peers();
    struct sp_dense_arrays arrays;
    struct sp_layout l;
    int n = 0;
    if (sp_workload_check(w, NULL) != SP_OK)
        return 0;
    ck_assert_int_eq(sp_layout_make(w, true, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_dense_make(w, 3, &arrays, NULL), SP_OK);
    struct sp_dense dense = sp_dense_of(&arrays);
    for (int i = 0; i < peers->n; i++)
        if (peers->peer[i].op == w->op && peers->peer[i].format == w->format) {
            check_peer(&peers->peer[i], w, &l, &dense);
            n++;
        }
    sp_dense_free(&arrays);
    sp_layout_free(&l);
    return n;
}

START_TEST(peers_agree_with_the_reference)
{
    static const struct {
        enum sp_op op;
        const char *format;
        int32_t r;
        int n_peers;
    } cases[] = {{SP_OP_SPMV, "crs", 1, 2},      {SP_OP_SPMV, "sell:32,1", 1, 1},
                 {SP_OP_SPMM, "crs", 5, 7},      {SP_OP_SPMM, "bcsr:8x8", 16, 2},
                 {SP_OP_SPMM, "bcsr:3x5", 7, 2}, {SP_OP_SDDMM, "crs", 6, 1}};
    static const enum sp_precision precisions[] = {SP_F64, SP_F32, SP_F16, SP_BF16};
    struct sp_csr a = small_matrix(_i);
    struct sp_error err;
    if (gpu_peers()->open(&err) != SP_OK)
        ck_abort_msg("%s", err.what);
    ck_assert(!gpu_peers()->without_blas() == !getenv("WITHOUT_CUBLAS"));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int p = 0; p < 4 && !sp_csr_is_complex(&a); p++) {
            struct sp_workload w = {.op = cases[c].op,
                                    .r = cases[c].r,
                                    .precision = precisions[p],
                                    .index = _i % 2 ? SP_I64 : SP_I32,
                                    .n_threads = 1,
                                    .matrix = &a};
            ck_assert_int_eq(sp_workload_set_format(&w, cases[c].format, NULL), SP_OK);
            const int n = check_workload(&w);
            ck_assert(n == cases[c].n_peers || (n == 0 && p > 1 && w.op == SP_OP_SPMV));
        }
    gpu_peers()->close();
    sp_csr_free(&a);
}
END_TEST

/* Sorted rows are no layout of cuSPARSE. */
START_TEST(what_peers_do_not_take_is_said)
{
    const struct gpu_peers *peers = gpu_peers();
    struct sp_csr a = small_matrix(SMALL_SKEWED);
    struct sp_workload w = {.n_threads = 1, .matrix = &a};
    struct sp_operands operands = {.x = NULL};
    struct sp_layout l;
    struct sp_error err;
    void *state = &l;
    double before_s;
    ck_assert_int_eq(sp_workload_set_format(&w, "sell:32,64", NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(peers->open(&err), SP_OK);
    for (int i = 0; i < peers->n; i++)
        if (peers->peer[i].format == SP_FORMAT_SELL) {
            ck_assert_int_eq(peers->prepare(&peers->peer[i], &w, &l, &operands, &state, &before_s, &err),
                             SP_ABSENT);
            ck_assert(!state && err.what[0]);
        }
    peers->close();
    peers->release(NULL);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gpu_peers");
    TCase *tcase = tcase_create("gpu_peers");
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, peers_agree_with_the_reference, 0, N_SMALL_MATRICES);
    tcase_add_test(tcase, what_peers_do_not_take_is_said);
    return run_suite(suite);
}
