/* What sp_choose() tries and takes: kernels that run the workload, of all formats where any will do, on rows of
 * the matrix's own. How fast they are belongs to no test. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"
#include "session/analyze/setup.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"

static struct sp_choice choice;

static struct sp_workload workload_on(const struct sp_csr *m)
{
    return (struct sp_workload){.op = SP_OP_SPMV,
                                .n_threads = 2,
                                .C = 1,
                                .sigma = 1,
                                .precision = SP_F64,
                                .schedule = SP_SCHEDULE_NNZ,
                                .matrix = m};
}

/* Caches of 4 KiB, 16 KiB and llc_B. */
static struct sp_machine machine_of(int64_t llc_B)
{
    struct sp_machine m = {.n_caches = 3, .n_cores = 2};
    const int64_t size[] = {4 << 10, 16 << 10, llc_B};
    for (int k = 0; k < 3; k++)
        m.cache[k] = (struct sp_cache){.level = k + 1,
                                       .size_B = size[k],
                                       .effective_B = sp_value_none("not measured"),
                                       .line_B = 64,
                                       .ways = 8,
                                       .cores_sharing = k == 2 ? 2 : 1};
    return m;
}

static bool has_tried(const char *format, bool prefetched)
{
    for (int i = 0; i < choice.n; i++)
        if (strcmp(choice.tried[i].format, format) == 0 && (choice.tried[i].prefetch > 0) == prefetched)
            return true;
    return false;
}

/* What is taken is among what was tried, is as fast as the fastest within 3 %, and runs the whole matrix; times
 * are ratios to that of the first. */
static void check_taken(const struct sp_workload *w, const struct sp_kernel *kernel)
{
    struct sp_layout l;
    char format[48];
    ck_assert(choice.n > 0 && choice.chosen >= 0 && choice.chosen < choice.n);
    const struct sp_tried *t = &choice.tried[choice.chosen];
    ck_assert_ptr_eq(t->kernel, kernel);
    ck_assert_str_eq(sp_workload_format_option(w, format, sizeof format), t->format);
    ck_assert_int_eq(w->prefetch, t->prefetch);
    ck_assert_int_eq(sp_workload_check(w, NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(w, true, NULL, &l, NULL), SP_OK);
    ck_assert(sp_kernel_is_for(kernel, &l) && (!kernel->accepts || kernel->accepts(&l, NULL) == SP_OK));
    sp_layout_free(&l);
    for (int i = 0; i < choice.n; i++)
        ck_assert(choice.tried[i].time > 0.001 && choice.tried[i].best_s > 0 &&
                  t->time <= 1.031 * choice.tried[i].time);
}

/* Chooses for the matrix on the machine; what is asked for stands in o, the rest is set. */
static struct sp_workload choose_on(const struct sp_machine *machine, const struct sp_csr *m,
                                    struct sp_setup_options o)
{
    const struct sp_kernel *kernel;
    struct sp_workload w = workload_on(m);
    o.seed = 1;
    o.machine = machine;
    ck_assert_int_eq(sp_choose(&w, &o, 1, NULL, &kernel, &choice, NULL), SP_OK);
    check_taken(&w, kernel);
    return w;
}

static struct sp_workload choose(const struct sp_csr *m, int64_t llc_B, struct sp_setup_options o)
{
    const struct sp_machine machine = machine_of(llc_B);
    return choose_on(&machine, m, o);
}

START_TEST(a_given_format_stays)
{
    struct sp_csr m;
    ck_assert_int_eq(sp_generate("laplace2d:30", NULL, &m, NULL), SP_OK);
    const struct sp_workload w = choose(&m, 1 << 20, (struct sp_setup_options){.isa = NULL});
    ck_assert_int_eq(w.format, SP_FORMAT_CRS);
    ck_assert_int_eq(w.prefetch, 0);  /* nobody asked */
    bool plain = choice.took_s > 0.4; /* beside other work there may be no time for it */
    for (int i = 0; i < choice.n; i++)
        plain = plain || strcmp(choice.tried[i].kernel->name, "spmv/crs/portable") == 0;
    ck_assert(plain); /* whatever vectors there are: of short rows it may be the fastest */
    ck_assert_double_eq(choice.share, 1);
    sp_csr_free(&m);
}
END_TEST

/* All of them, and of a symmetric matrix half storage, blocks where they are filled well. */
START_TEST(any_format_is_tried)
{
    struct sp_csr m;
    struct sp_structure s;
    ck_assert_int_eq(sp_generate("laplace2d:30", NULL, &m, NULL), SP_OK);
    ck_assert_int_eq(sp_structure_analyse(&m, &s, NULL), SP_OK);
    choose(&m, 1 << 20, (struct sp_setup_options){.any_format = true, .any_prefetch = true, .structure = &s});
    ck_assert(has_tried("crs", false));
    if (choice.took_s < 0.4) /* beside other work there may be no time for it */
        ck_assert(has_tried("half", false) && has_tried("sellu:8,1", false));
    ck_assert(!has_tried("crs", true)); /* x is in the second cache */
    sp_csr_free(&m);
}
END_TEST

/* Of a large one rows from four places, twice what the last level holds; columns that they have not are left
 * out, so x beyond the second cache is still what it is. Values may be lent in f32. A last level that others
 * share holds what was measured, not what is stated. */
START_TEST(a_large_matrix_is_sampled)
{
    struct sp_csr m;
    ck_assert_int_eq(sp_generate("laplace2d:400", NULL, &m, NULL), SP_OK);
    double *own = m.val;
    float *lent = malloc((size_t)m.n_nz * sizeof *lent);
    for (int64_t k = 0; k < m.n_nz; k++)
        lent[k] = (float)own[k];
    if (_i == 1) {
        m.val = NULL;
        m.val_f32 = lent;
    }
    struct sp_machine machine = machine_of(_i == 2 ? 64 << 20 : 64 << 10);
    if (_i == 2)
        machine.cache[2].effective_B = sp_value_between(32 << 10, 16 << 10, 64 << 10, SP_MEASURED);
    const struct sp_workload w = choose_on(&machine, &m, (struct sp_setup_options){.any_prefetch = true});
    const double entries = 2.0 * (64 << 10) / 12;
    /* Fewer where an execution takes long, as it does beside other work. */
    ck_assert(choice.share > 0.1 * entries / (double)m.n_nz && choice.share < 1.1 * entries / (double)m.n_nz);
    ck_assert_ptr_eq(w.matrix, &m);
    m.val = own;
    m.val_f32 = NULL;
    free(lent);
    sp_csr_free(&m);
}
END_TEST

/* Half of a matrix is stored of all of it: rows from several places are not symmetric. */
START_TEST(a_large_symmetric_matrix_stays_whole)
{
    struct sp_csr m;
    const struct sp_machine machine = machine_of(64 << 10);
    const struct sp_kernel *kernel;
    ck_assert_int_eq(sp_generate("laplace2d:400", NULL, &m, NULL), SP_OK);
    struct sp_workload w = workload_on(&m);
    w.format = SP_FORMAT_HALF;
    const struct sp_setup_options o = {.seed = 1, .machine = &machine};
    ck_assert_int_eq(sp_choose(&w, &o, 1, NULL, &kernel, &choice, NULL), SP_OK);
    check_taken(&w, kernel);
    ck_assert_double_eq(choice.share, 1);
    sp_csr_free(&m);
}
END_TEST

/* Beside other formats it is tried on rows from the middle, unless most of their entries lie elsewhere. */
START_TEST(half_storage_is_tried_on_a_part)
{
    static const char *const specs[] = {"laplace2d:400", "laplace2d:400+permuted:3"};
    struct sp_csr m;
    struct sp_structure s;
    ck_assert_int_eq(sp_generate(specs[_i], NULL, &m, NULL), SP_OK);
    ck_assert_int_eq(sp_structure_analyse(&m, &s, NULL), SP_OK);
    const struct sp_workload w =
        choose(&m, 64 << 10, (struct sp_setup_options){.any_format = true, .structure = &s});
    ck_assert_ptr_eq(w.matrix, &m);
    ck_assert_double_lt(choice.share, 0.5);
    ck_assert(_i == 0 || !has_tried("half", false));
    if (_i == 0 && choice.took_s < 0.4) /* beside other work there may be no time for it */
        ck_assert(has_tried("half", false));
    sp_csr_free(&m);
}
END_TEST

/* A row as long as the matrix stays in what is sampled, however long an execution takes. */
START_TEST(a_long_row_is_not_cut_for_ever)
{
    struct sp_csr m;
    const struct sp_kernel *kernel;
    const struct sp_machine machine = machine_of(64 << 10);
    ck_assert_int_eq(sp_generate("arrow:40000", NULL, &m, NULL), SP_OK);
    struct sp_workload w = workload_on(&m);
    w.op = SP_OP_SPMM;
    w.r = 512; /* an execution reads 160 MB */
    const struct sp_setup_options o = {.seed = 1, .machine = &machine, .isa = "portable"};
    ck_assert_int_eq(sp_choose(&w, &o, 1, NULL, &kernel, &choice, NULL), SP_OK);
    ck_assert_double_ge(choice.share, 40000.0 / (double)m.n_nz);
    ck_assert_double_lt(choice.share, 0.6);
    sp_csr_free(&m);
}
END_TEST

START_TEST(gathers_beyond_the_second_cache_are_prefetched)
{
    struct sp_csr m;
    double ratio;
    int32_t entries;
    ck_assert_int_eq(sp_generate("random:5000:8", NULL, &m, NULL), SP_OK);
    choose(&m, 1 << 20, (struct sp_setup_options){.any_prefetch = true});
    ck_assert(has_tried("crs", true));
    ck_assert(sp_choice_prefetch(&choice, &ratio, &entries));
    /* Of two times of one kind; nothing is a hundred times faster. */
    ck_assert(ratio > 0.01 && ratio < 100 && entries >= 64 && entries <= 512);
    sp_csr_free(&m);
}
END_TEST

START_TEST(nothing_runs)
{
    struct sp_csr m;
    const struct sp_kernel *kernel;
    struct sp_error err;
    ck_assert_int_eq(sp_generate("laplace2d:10", NULL, &m, NULL), SP_OK);
    struct sp_workload w = workload_on(&m);
    const struct sp_setup_options o = {.isa = "sve", .seed = 1};
    ck_assert_int_eq(sp_choose(&w, &o, 1, NULL, &kernel, &choice, &err), SP_ABSENT);
    ck_assert_ptr_null(kernel);
    ck_assert_str_eq(err.remedy, "leave --isa out to let the program choose");
    const struct sp_setup_options portable = {.isa = "portable", .seed = 1};
    w.prefetch = 64; /* which no kernel in plain C has */
    ck_assert_int_eq(sp_choose(&w, &portable, 1, NULL, &kernel, &choice, &err), SP_ABSENT);
    ck_assert_str_eq(err.remedy, "leave --isa or --prefetch out");
    sp_csr_free(&m);
}
END_TEST

/* Kernels without the stores that were asked for are not among those tried; where none has them, that is said. */
START_TEST(stores_that_are_asked_for)
{
    struct sp_csr m;
    const struct sp_kernel *kernel;
    struct sp_error err;
    ck_assert_int_eq(sp_generate("laplace2d:30", NULL, &m, NULL), SP_OK);
    struct sp_workload w = workload_on(&m);
    const struct sp_setup_options o = {.isa = "portable", .store_nt = SP_CHOICE_ON, .seed = 1};
    ck_assert_int_eq(sp_choose(&w, &o, 1, NULL, &kernel, &choice, &err), SP_ABSENT);
    ck_assert_msg(strstr(err.what, "non-temporal"), "%s", err.what);
    ck_assert_int_eq(choice.n, 0);
    const struct sp_setup_options any = {.any_format = true, .store_nt = SP_CHOICE_ON, .seed = 1};
    if (sp_choose(&w, &any, 1, NULL, &kernel, &choice, NULL) == SP_OK)
        check_taken(&w, kernel);
    sp_csr_free(&m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("choice");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, a_given_format_stays);
    tcase_add_test(tc, any_format_is_tried);
    tcase_add_loop_test(tc, a_large_matrix_is_sampled, 0, 3);
    tcase_add_test(tc, a_large_symmetric_matrix_stays_whole);
    tcase_add_loop_test(tc, half_storage_is_tried_on_a_part, 0, 2);
    tcase_add_test(tc, a_long_row_is_not_cut_for_ever);
    tcase_add_test(tc, gathers_beyond_the_second_cache_are_prefetched);
    tcase_add_test(tc, nothing_runs);
    tcase_add_test(tc, stores_that_are_asked_for);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
