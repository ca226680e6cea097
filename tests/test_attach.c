/* What libspmodel-attach.so sees of a program: by fakes of the libraries, whose products are known by number.
 */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/attach/capture.h"
#include "io/matrix/matrix_load.h"
#include "run_suite.h"
#include "scratch_dir.h"

struct expected {
    const char *symbol;
    enum sp_attach_op op;
    int64_t width, count, n_r, n_c, n_nz;
    uint32_t bits;
    int n_threads;
};

/* Runs it with the library in front; returns the state that waitpid() has. */
static int run(const char *program, const char *a, const char *b)
{
    const pid_t child = fork();
    if (child == 0) {
        char pid[32];
        snprintf(pid, sizeof pid, "%ld", (long)getpid());
        setenv(SP_ATTACH_FOLDER_VARIABLE, dir, 1);
        setenv(SP_ATTACH_PID_VARIABLE, pid, 1);
        setenv("LD_PRELOAD", SP_ATTACH_PRELOAD, 1);
        execl(program, program, a, b, (char *)NULL);
        _exit(127);
    }
    int state = -1;
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    return state;
}

static void read_capture(struct sp_capture *c)
{
    struct sp_error err;
    ck_assert_msg(sp_capture_read(dir, c, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(c->n_damaged, 0);
}

static const struct sp_captured_product *find(const struct sp_capture *c, const struct expected *e)
{
    for (int64_t i = 0; i < c->n_products; i++) {
        const struct sp_captured_product *p = &c->product[i];
        const struct sp_captured_matrix *m = &c->matrix[p->matrix];
        if (strcmp(p->symbol, e->symbol) == 0 && p->op == e->op && p->width == e->width && m->n_r == e->n_r &&
            m->n_c == e->n_c && m->n_nz == e->n_nz && p->bits == e->bits)
            return p;
    }
    return NULL;
}

static void check_products(const struct expected *e, int n, int n_processes)
{
    struct sp_capture c;
    read_capture(&c);
    ck_assert_int_eq(c.n_processes, n_processes);
    for (int i = 0; i < n; i++) {
        const struct sp_captured_product *p = find(&c, &e[i]);
        ck_assert_msg(p != NULL, "no %s of %lld entries", e[i].symbol, (long long)e[i].n_nz);
        ck_assert_msg(p->count == e[i].count, "%s: %lld, not %lld", p->symbol, (long long)p->count,
                      (long long)e[i].count);
        ck_assert_int_eq(p->n_threads, e[i].n_threads);
        if (p->bits & SP_ATTACH_ON_GPU)
            continue;
        ck_assert_int_eq(p->n_timed, p->count);
        ck_assert_int_eq(p->n_samples, p->count < SP_ATTACH_SAMPLES ? p->count : SP_ATTACH_SAMPLES);
        ck_assert(p->min_s >= 15e-6 && sp_captured_quantile(p, 0.5) >= p->min_s && p->max_s >= p->min_s);
        ck_assert(sp_captured_total_s(p) >= (double)p->count * p->min_s * 0.999);
    }
    ck_assert_int_eq(c.n_products, n);
    sp_capture_free(&c);
}
#define CHECK(list, n_processes) check_products(list, (int)(sizeof(list) / sizeof *(list)), n_processes)

START_TEST(petsc)
{
    static const struct expected e[] = {{"MatMult", SP_ATTACH_SPMV, 1, 15, 100, 100, 500, 0, 1},
                                        {"MatMultTranspose", SP_ATTACH_TRANSPOSE, 1, 3, 100, 100, 500, 0, 1},
                                        {"MatMultAdd", SP_ATTACH_ADD, 1, 2, 100, 100, 500, 0, 1},
                                        {"MatMult", SP_ATTACH_SPMV, 1, 4, 50, 67, 200, 0, 1}};
    ck_assert_int_eq(run(SP_ATTACH_APP, "petsc", NULL), 0);
    CHECK(e, 1);
}
END_TEST

START_TEST(hypre)
{
    static const struct expected e[] = {
        {"hypre_CSRMatrixMatvecOutOfPlace", SP_ATTACH_SPMV, 1, 6, 80, 90, 320, 0, 1},
        {"hypre_CSRMatrixMatvec", SP_ATTACH_SPMV, 1, 4, 80, 90, 320, 0, 1},
        {"hypre_CSRMatrixMatvecT", SP_ATTACH_TRANSPOSE, 1, 2, 80, 90, 320, 0, 1}};
    ck_assert_int_eq(run(SP_ATTACH_APP, "hypre", NULL), 0);
    CHECK(e, 1);
}
END_TEST

START_TEST(mkl)
{
    static const struct expected e[] = {
        {"mkl_sparse_d_mv", SP_ATTACH_SPMV, 1, 7, 3, 3, 5, 0, 3},
        {"mkl_sparse_d_mm", SP_ATTACH_SPMM, 3, 5, 3, 3, 5, SP_ATTACH_COLUMNS, 3},
        {"mkl_sparse_d_mv", SP_ATTACH_SPMV, 1, 1, 3, 3, 5, SP_ATTACH_TRIANGLE | SP_ATTACH_LOWER, 3},
        {"mkl_sparse_d_mv", SP_ATTACH_SPMV, 1, 1, 3, 3, 5, SP_ATTACH_UPPER | SP_ATTACH_UNIT, 3},
        {"mkl_sparse_d_mv", SP_ATTACH_SPMV, 1, 1, 3, 3, 5, SP_ATTACH_TRIANGLE, 3},
        {"mkl_sparse_d_mv", SP_ATTACH_TRANSPOSE, 1, 1, 3, 3, 5, 0, 3},
        {"mkl_sparse_d_mv", SP_ATTACH_SPMV, 1, 2, 2, 3, 3, 0, 3},
        {"mkl_sparse_s_mv", SP_ATTACH_SPMV, 1, 1, 3, 3, 5, 0, 3},
        {"mkl_sparse_c_mv", SP_ATTACH_SPMV, 1, 1, 3, 3, 5, 0, 3},
        {"mkl_sparse_z_mv", SP_ATTACH_SPMV, 1, 1, 3, 3, 5, 0, 3},
        {"mkl_sparse_z_mm", SP_ATTACH_SPMM, 2, 1, 3, 3, 5, 0, 3}};
    ck_assert_int_eq(run(SP_ATTACH_APP, "mkl", NULL), 0);
    CHECK(e, 1);
}
END_TEST

START_TEST(librsb)
{
    static const struct expected e[] = {
        {"rsb_spmv", SP_ATTACH_SPMV, 1, 8, 70, 75, 140, 0, 1},
        {"rsb_spmv", SP_ATTACH_TRANSPOSE, 1, 1, 70, 75, 140, 0, 1},
        {"rsb_spmm", SP_ATTACH_SPMM, 4, 3, 70, 75, 140, SP_ATTACH_COLUMNS, 1}};
    ck_assert_int_eq(run(SP_ATTACH_APP, "rsb", NULL), 0);
    CHECK(e, 1);
}
END_TEST

/* Asynchronous products are timed by events: those that nobody asked for at the end are counted alone. */
static void check_times_of_gpu(const char *symbol, int64_t least_timed)
{
    struct sp_capture c;
    read_capture(&c);
    int n = 0;
    for (int64_t i = 0; i < c.n_products; i++) {
        const struct sp_captured_product *p = &c.product[i];
        ck_assert(p->n_timed <= p->count);
        if (strcmp(p->symbol, symbol) != 0)
            continue;
        ck_assert_int_ge(p->n_timed, least_timed);
        ck_assert(p->min_s > 19e-6 && p->max_s < 21e-6);
        n++;
    }
    ck_assert_int_eq(n, 1);
    sp_capture_free(&c);
}

START_TEST(cusparse)
{
    static const struct expected e[] = {
        {"cusparseSpMV", SP_ATTACH_SPMV, 1, 200, 30, 40, 90, SP_ATTACH_ON_GPU, 1},
        {"cusparseSpMM", SP_ATTACH_SPMM, 6, 4, 30, 40, 90, SP_ATTACH_ON_GPU | SP_ATTACH_COLUMNS, 1},
        {"cusparseSDDMM", SP_ATTACH_SDDMM, 5, 3, 30, 40, 90, SP_ATTACH_ON_GPU | SP_ATTACH_COLUMNS, 1}};
    ck_assert_int_eq(run(SP_ATTACH_APP, "cusparse", NULL), 0);
    CHECK(e, 1);
    check_times_of_gpu("cusparseSpMV", 190);
}
END_TEST

START_TEST(rocsparse)
{
    static const struct expected e[] = {
        {"rocsparse_spmv", SP_ATTACH_SPMV, 1, 20, 30, 41, 90, SP_ATTACH_ON_GPU, 1},
        {"rocsparse_spmm", SP_ATTACH_SPMM, 6, 4, 30, 41, 90, SP_ATTACH_ON_GPU | SP_ATTACH_COLUMNS, 1},
        {"rocsparse_sddmm", SP_ATTACH_SDDMM, 6, 3, 30, 41, 90, SP_ATTACH_ON_GPU | SP_ATTACH_COLUMNS, 1}};
    ck_assert_int_eq(run(SP_ATTACH_APP, "rocsparse", NULL), 0);
    CHECK(e, 1);
    check_times_of_gpu("rocsparse_spmv", 15);
}
END_TEST

START_TEST(several_libraries_at_once)
{
    struct sp_capture c;
    ck_assert_int_eq(run(SP_ATTACH_APP, "all", NULL), 0);
    read_capture(&c);
    static const char *const libraries[] = {"PETSc", "hypre", "MKL", "librsb", "cuSPARSE", "rocSPARSE"};
    for (int k = 0; k < 6; k++) {
        bool seen = false;
        for (int64_t i = 0; i < c.n_products; i++)
            seen = seen || strcmp(c.matrix[c.product[i].matrix].library, libraries[k]) == 0;
        ck_assert_msg(seen, "%s", libraries[k]);
    }
    sp_capture_free(&c);
}
END_TEST

START_TEST(an_address_that_is_used_again)
{
    static const struct expected e[] = {{"MatMult", SP_ATTACH_SPMV, 1, 1, 64, 64, 192, 0, 1},
                                        {"MatMult", SP_ATTACH_SPMV, 1, 1, 64, 64, 256, 0, 1},
                                        {"MatMult", SP_ATTACH_SPMV, 1, 1, 64, 64, 320, 0, 1}};
    ck_assert_int_eq(run(SP_ATTACH_APP, "again", NULL), 0);
    CHECK(e, 1);
}
END_TEST

START_TEST(threads)
{
    struct sp_capture c;
    ck_assert_int_eq(run(SP_ATTACH_APP, "threads", NULL), 0);
    read_capture(&c);
    int64_t count = 0;
    ck_assert_int_eq(c.n_products, 10);
    for (int64_t i = 0; i < c.n_products; i++) {
        const struct sp_captured_product *p = &c.product[i];
        const bool shared = c.matrix[p->matrix].n_r < 40;
        ck_assert_int_eq(p->count, shared ? 2 * 8 * 200 : 2 * 100);
        ck_assert_int_eq(p->n_timed, p->count);
        ck_assert_int_le(p->n_callers, shared ? 16 : 2); /* cells of threads that ended are taken over */
        count += p->count;
    }
    ck_assert_int_eq(count, 2 * 8 * 500);
    sp_capture_free(&c);
}
END_TEST

START_TEST(forks)
{
    struct sp_capture c;
    ck_assert_int_eq(run(SP_ATTACH_APP, "fork", NULL), 0);
    read_capture(&c);
    ck_assert_int_eq(c.n_processes, 2); /* the one that made no product left nothing */
    ck_assert_int_eq(c.n_products, 2);
    const bool parent_first = c.product[0].count == 6;
    ck_assert_int_eq(c.product[parent_first ? 0 : 1].count, 6);
    ck_assert_int_eq(c.product[parent_first ? 1 : 0].count, 7);
    ck_assert_str_eq(c.matrix[0].file, c.matrix[1].file); /* once on the disk */
    sp_capture_free(&c);
}
END_TEST

START_TEST(ends_that_are_no_ends)
{
    static const struct expected e[] = {{"MatMult", SP_ATTACH_SPMV, 1, 9, 100, 100, 500, 0, 1}};
    static const struct {
        const char *what;
        int signal_number;
    } end[] = {{"crash", SIGSEGV}, {"kill", SIGKILL}};
    const int state = run(SP_ATTACH_APP, end[_i].what, NULL);
    ck_assert(WIFSIGNALED(state) && WTERMSIG(state) == end[_i].signal_number);
    CHECK(e, 1);
    struct sp_capture c;
    read_capture(&c);
    ck_assert(!c.process[0].ended);
    ck_assert(c.process[0].wall_s >= 9 * 20e-6);
    sp_capture_free(&c);
}
END_TEST

START_TEST(libraries_that_are_opened)
{
    static const struct expected e[] = {{"rsb_spmv", SP_ATTACH_SPMV, 1, 11, 70, 75, 140, 0, 1}};
    ck_assert_int_eq(run(SP_ATTACH_BARE, SP_ATTACH_RSB, NULL), 0);
    CHECK(e, 1);
}
END_TEST

START_TEST(second_copies_are_named)
{
    char copy[512], command[2048];
    snprintf(copy, sizeof copy, "%s/libcopy.so", dir);
    snprintf(command, sizeof command, "cp '%s' '%s'", SP_ATTACH_RSB, copy);
    ck_assert_int_eq(system(command), 0);
    static const struct expected e[] = {{"rsb_spmv", SP_ATTACH_SPMV, 1, 11, 70, 75, 140, 0, 1}};
    ck_assert_int_eq(run(SP_ATTACH_BARE, SP_ATTACH_RSB, copy), 0);
    CHECK(e, 1);
    struct sp_capture c;
    read_capture(&c);
    ck_assert_str_eq(c.process[0].second, "librsb");
    sp_capture_free(&c);
}
END_TEST

START_TEST(programs_without_a_product)
{
    struct sp_capture c;
    struct sp_error err;
    ck_assert_int_eq(run("/bin/true", NULL, NULL), 0);
    read_capture(&c);
    ck_assert_int_eq(c.n_products, 0);
    ck_assert_int_eq(c.n_processes, 1);
    ck_assert(c.process[0].ended);
    sp_capture_free(&c);
    ck_assert_int_eq(run(SP_ATTACH_APP, "nothing", NULL), 0);
    read_capture(&c);
    ck_assert_int_eq(c.n_processes, 2);
    const struct sp_captured_process *p = &c.process[strstr(c.process[0].program, "attach_app") ? 0 : 1];
    ck_assert_str_eq(p->idle, "PETSc, hypre, MKL, librsb, cuSPARSE, rocSPARSE");
    sp_capture_free(&c);
    ck_assert_int_eq(sp_capture_read("/dev/null/none", &c, &err), SP_INPUT);
}
END_TEST

/* The pattern that is kept is the matrix, whatever its rows' order was. */
START_TEST(patterns)
{
    struct sp_capture c;
    char path[1200];
    ck_assert_int_eq(run(SP_ATTACH_APP, "petsc", NULL), 0);
    read_capture(&c);
    for (int64_t i = 0; i < c.n_matrices; i++) {
        const struct sp_load_options options = {.n_threads = 2};
        struct sp_csr a;
        struct sp_load_facts facts;
        struct sp_error err;
        snprintf(path, sizeof path, "%s/%s", dir, c.matrix[i].file);
        ck_assert_msg(sp_matrix_load(path, &options, &a, &facts, &err) == SP_OK, "%s", err.what);
        ck_assert_int_eq(a.n_r, c.matrix[i].n_r);
        ck_assert_int_eq(a.n_c, c.matrix[i].n_c);
        ck_assert_int_eq(a.n_nz + a.n_duplicates, c.matrix[i].n_nz);
        ck_assert_int_eq(sp_csr_check(&a, &err), SP_OK);
        const bool joined = c.matrix[i].n_c == 67;
        ck_assert_int_eq(c.matrix[i].n_c_own, joined ? 60 : 100);
        for (int row = 0; row < a.n_r;
             row++) { /* as fake_rows_make has them, the second part behind the first */
            for (int k = 0; k < (joined ? 3 : 5); k++)
                ck_assert_int_ge(sp_csr_find(&a, row, (row + k * 7919) % (joined ? 60 : 100)), 0);
            if (joined)
                ck_assert_int_ge(sp_csr_find(&a, row, 60 + row % 7), 0);
        }
        sp_csr_free(&a);
    }
    sp_capture_free(&c);
}
END_TEST

/* What nobody can write, nobody is told of; the program runs as ever. */
START_TEST(nowhere_to_write)
{
    char before[sizeof dir];
    memcpy(before, dir, sizeof dir);
    strcat(dir, "/absent");
    ck_assert_int_eq(run(SP_ATTACH_APP, "all", NULL), 0);
    memcpy(dir, before, sizeof dir);
}
END_TEST

/* The program runs as it does alone, and the log says what was missing. */
START_TEST(limits_of_the_system)
{
    static const struct {
        const char *what, *most;
        int64_t n_products, n_lost;
        const char *why;
    } limit[] = {{"files-of", "4096", 0, 9, "ulimit -f"},
                 {"files-of", "700000", 2, 0, "ulimit -f"}, /* the large pattern alone does not fit */
                 {"in-vain", "1000", 0, 1000, "ulimit -f"}, /* and is not looked at each time */
                 {"open-files", "0", 0, 9, "Too many open files"}};
    struct sp_capture c;
    ck_assert_int_eq(run(SP_ATTACH_APP, limit[_i].what, limit[_i].most), 0);
    read_capture(&c);
    ck_assert_int_eq(c.n_products, limit[_i].n_products);
    ck_assert_int_eq(c.process[0].n_lost, limit[_i].n_lost);
    const char *why = c.process[0].lost;
    for (int64_t i = 0; i < c.n_matrices; i++)
        why = c.matrix[i].n_r > 100 ? c.matrix[i].why : why;
    ck_assert_msg(strstr(why, limit[_i].why) != NULL, "%s", why);
    sp_capture_free(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("attach");
    TCase *tests = tcase_create("attach");
    tcase_add_checked_fixture(tests, make_dir, remove_dir);
    tcase_add_test(tests, petsc);
    tcase_add_test(tests, hypre);
    tcase_add_test(tests, mkl);
    tcase_add_test(tests, librsb);
    tcase_add_test(tests, cusparse);
    tcase_add_test(tests, rocsparse);
    tcase_add_test(tests, several_libraries_at_once);
    tcase_add_test(tests, an_address_that_is_used_again);
    tcase_add_test(tests, threads);
    tcase_add_test(tests, forks);
    tcase_add_loop_test(tests, ends_that_are_no_ends, 0, 2);
    tcase_add_test(tests, libraries_that_are_opened);
    tcase_add_test(tests, second_copies_are_named);
    tcase_add_test(tests, programs_without_a_product);
    tcase_add_test(tests, patterns);
    tcase_add_test(tests, nowhere_to_write);
    tcase_add_loop_test(tests, limits_of_the_system, 0, 4);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
