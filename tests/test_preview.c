/* What is previewed of an order is what the rewritten matrix has. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/cache/alpha.h"
#include "model/cache/reuse.h"
#include "model/volume/traffic.h"
#include "run_suite.h"
#include "sparse/formats/bcsr.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"
#include "sparse/reorder/reorder.h"

static const char *const specs[] = {"laplace2d:40+permuted:3", "powerlaw:10:6:4", "arrow:300",
                                    "random:400x250:5",        "band:500:7",      "laplace2d:1"};
static const char *const methods[] = {"rcm",      "degree", "random:4+rows", "random:4+cols",
                                      "jaccard2", "none",   "gray"};
enum { N_SPECS = sizeof specs / sizeof *specs, N_METHODS = sizeof methods / sizeof *methods };

/* A matrix in an order: seen, and rewritten. */
struct pair {
    struct sp_csr a, b;
    struct sp_permutations order;
    struct sp_permuted seen;
};

static void open_pair(const char *spec, const char *method, struct pair *p)
{
    struct sp_error err;
    ck_assert_int_eq(sp_generate(spec, NULL, &p->a, &err), SP_OK);
    ck_assert_msg(sp_reorder_find(method, &p->a, &p->order, &err) == SP_OK, "%s of %s: %s", method, spec,
                  err.what);
    const struct sp_pattern pattern = sp_csr_pattern(&p->a);
    ck_assert_int_eq(sp_permuted_make(&pattern, &p->order, &p->seen, NULL), SP_OK);
    ck_assert_int_eq(sp_csr_permute(&p->a, p->order.row_perm, p->order.col_perm, NULL, &p->b, NULL), SP_OK);
}

static void close_pair(struct pair *p)
{
    sp_permuted_free(&p->seen);
    sp_permutations_free(&p->order);
    sp_csr_free(&p->a);
    sp_csr_free(&p->b);
}

START_TEST(structure_is_that_of_the_rewritten_matrix)
{
    static const int32_t shapes[][2] = {{2, 2}, {4, 8}, {16, 16}};
    for (int m = 0; m < N_METHODS; m++) {
        struct pair p;
        struct sp_structure s;
        open_pair(specs[_i], methods[m], &p);
        ck_assert_int_eq(sp_structure_analyse(&p.b, &s, NULL), SP_OK);
        const struct sp_pattern after = sp_csr_pattern(&p.b);
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            const struct sp_preview_options o = {.C = 8,
                                                 .sigma = k == 0 ? 1 : 64,
                                                 .b_h = shapes[k][0],
                                                 .b_w = shapes[k][1],
                                                 .n_threads = 3,
                                                 .schedule = (enum sp_schedule)k,
                                                 .block = 16,
                                                 .exact = true};
            struct sp_preview v;
            struct sp_blocks blocks;
            struct sp_layout l;
            ck_assert_int_eq(sp_preview_order(&p.seen, &o, &v, NULL), SP_OK);
            ck_assert_int_eq(v.lower_bandwidth, s.lower_bandwidth);
            ck_assert_int_eq(v.upper_bandwidth, s.upper_bandwidth);
            ck_assert_int_eq(v.profile, s.profile);
            ck_assert_double_eq(v.mean_distance, s.mean_distance);
            ck_assert_double_eq(v.beta, sp_sell_beta(&after, o.C, o.sigma));
            ck_assert_int_eq(sp_blocks_count(&after, o.b_h, o.b_w, NULL, &blocks, NULL), SP_OK);
            ck_assert_double_eq(v.n_e.value, (double)blocks.n_e);
            const struct sp_workload w = {.format = SP_FORMAT_CRS,
                                          .schedule = o.schedule,
                                          .block = o.block,
                                          .n_threads = o.n_threads,
                                          .matrix = &p.b};
            ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
            int64_t most = 0;
            for (int t = 0; t < o.n_threads; t++)
                most = sp_layout_thread_entries(&l, t) > most ? sp_layout_thread_entries(&l, t) : most;
            ck_assert_double_eq(v.lambda, (double)most * o.n_threads / (double)p.b.n_nz);
            sp_layout_free(&l);
        }
        close_pair(&p);
    }
}
END_TEST

static struct sp_machine small_machine(void)
{
    struct sp_machine m = {.n_caches = 2, .n_domains = 1, .n_cores = 3};
    m.cache[0] = (struct sp_cache){.level = 1, .size_B = 1024, .line_B = 64, .ways = 8, .cores_sharing = 1};
    m.cache[1] = (struct sp_cache){.level = 2, .size_B = 4096, .line_B = 64, .ways = 16, .cores_sharing = 3};
    return m;
}

static void same_traffic(const struct sp_layout *seen, const struct sp_layout *written, bool llc_only)
{
    const struct sp_machine m = small_machine();
    struct sp_traffic one[SP_MAX_LEVELS], two[SP_MAX_LEVELS];
    struct sp_sim_options o = sp_sim_default(&m);
    int n_one, n_two;
    o.llc_only = llc_only;
    ck_assert_int_eq(sp_sim_traffic(seen, &o, one, &n_one, NULL, NULL), SP_OK);
    ck_assert_int_eq(sp_sim_traffic(written, &o, two, &n_two, NULL, NULL), SP_OK);
    ck_assert_int_eq(n_one, n_two);
    for (int k = 0; k < n_one; k++)
        for (int array = 0; array < SP_N_ARRAYS; array++) {
            ck_assert_double_eq(one[k].array_read_B[array], two[k].array_read_B[array]);
            ck_assert_double_eq(one[k].array_write_B[array], two[k].array_write_B[array]);
        }
}

static void same_reuse(const struct sp_layout *seen, const struct sp_layout *written)
{
    struct sp_reuse one, two;
    const struct sp_reuse_options o = {.rate = 1};
    ck_assert_int_eq(sp_reuse_curve(seen, &o, &one, NULL), SP_OK);
    ck_assert_int_eq(sp_reuse_curve(written, &o, &two, NULL), SP_OK);
    ck_assert_int_eq(one.n_sizes, two.n_sizes);
    ck_assert_double_eq(one.alpha_min, two.alpha_min);
    for (int i = 0; i < one.n_sizes; i++) {
        ck_assert_double_eq(one.size[i].alpha_warm, two.size[i].alpha_warm);
        ck_assert_double_eq(one.size[i].alpha_cold, two.size[i].alpha_cold);
    }
    sp_reuse_free(&one);
    sp_reuse_free(&two);
}

START_TEST(traffic_is_that_of_the_rewritten_matrix)
{
    for (int m = 0; m < N_METHODS; m++) {
        struct pair p;
        open_pair(specs[_i], methods[m], &p);
        for (int schedule = 0; schedule < SP_N_SCHEDULES; schedule++)
            for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
                struct sp_layout seen, written;
                struct sp_alpha_min one, two;
                struct sp_workload w = {.format = SP_FORMAT_CRS,
                                        .index = schedule % 2 ? SP_I64 : SP_I32,
                                        .schedule = (enum sp_schedule)schedule,
                                        .block = 16,
                                        .n_threads = n_threads,
                                        .matrix = &p.a};
                ck_assert_int_eq(sp_layout_make_permuted(&w, &p.seen, &seen, NULL), SP_OK);
                w.matrix = &p.b;
                ck_assert_int_eq(sp_layout_make(&w, false, NULL, &written, NULL), SP_OK);
                same_traffic(&seen, &written, true);
                same_traffic(&seen, &written, false);
                same_reuse(&seen, &written);
                static const int domain[] = {0, 1, 0};
                ck_assert_int_eq(sp_alpha_min_layout(&seen, 2, domain, 64, 0, NULL, &one, NULL), SP_OK);
                ck_assert_int_eq(sp_alpha_min_layout(&written, 2, domain, 64, 0, NULL, &two, NULL), SP_OK);
                ck_assert_int_eq(one.lines, two.lines);
                ck_assert_int_eq(one.lines_once, two.lines_once);
                sp_layout_free(&seen);
                sp_layout_free(&written);
            }
        close_pair(&p);
    }
}
END_TEST

START_TEST(other_operations_and_formats_are_refused)
{
    struct pair p;
    struct sp_layout l;
    open_pair("laplace2d:5", "rcm", &p);
    struct sp_workload w = {.format = SP_FORMAT_SELL, .C = 4, .sigma = 1, .n_threads = 1, .matrix = &p.a};
    ck_assert_int_eq(sp_layout_make_permuted(&w, &p.seen, &l, NULL), SP_ABSENT);
    w = (struct sp_workload){
        .op = SP_OP_SPMM, .format = SP_FORMAT_CRS, .r = 4, .n_threads = 1, .matrix = &p.a};
    ck_assert_int_eq(sp_layout_make_permuted(&w, &p.seen, &l, NULL), SP_ABSENT);
    close_pair(&p);
}
END_TEST

/* alpha of a sample against that of every line, where the cache is far smaller, near and far larger than x.
 */
START_TEST(samples_agree_with_all_lines)
{
    static const char *const large[] = {"laplace2d:560+permuted:3", "powerlaw:18:4"};
    static const char *const orders[] = {"none", "rcm", "degree"};
    for (int m = 0; m < 3; m++) {
        struct pair p;
        struct sp_layout l;
        struct sp_reuse exact, sampled;
        open_pair(large[_i], orders[m], &p);
        const struct sp_workload w = {
            .format = SP_FORMAT_CRS, .schedule = SP_SCHEDULE_NNZ, .n_threads = 2, .matrix = &p.a};
        ck_assert_int_eq(sp_layout_make_permuted(&w, &p.seen, &l, NULL), SP_OK);
        const double n_lines = (double)l.n_c / 8;
        ck_assert_int_eq(sp_reuse_curve(&l, &(struct sp_reuse_options){.rate = 1}, &exact, NULL), SP_OK);
        const struct sp_reuse_options o = {.rate = 16384 / n_lines, .seed = 1};
        ck_assert_int_eq(sp_reuse_curve(&l, &o, &sampled, NULL), SP_OK);
        ck_assert(!sampled.exact);
        ck_assert_double_eq(sampled.alpha_min, exact.alpha_min);
        for (int64_t capacity_B = 1 << 17; capacity_B <= 1 << 23; capacity_B *= 4) {
            double is = sp_reuse_alpha(&sampled, capacity_B, false).value;
            double should = sp_reuse_alpha(&exact, capacity_B, false).value;
            ck_assert_msg(fabs(is - should) <= 0.03 * should + 1e-4, "%s %s, %lld B: sampled %g, exact %g",
                          large[_i], orders[m], (long long)capacity_B, is, should);
        }
        sp_reuse_free(&exact);
        sp_reuse_free(&sampled);
        sp_layout_free(&l);
        close_pair(&p);
    }
}
END_TEST

START_TEST(alpha_between_two_sizes_is_interpolated)
{
    struct sp_reuse_size size[] = {{.capacity_B = 1024, .alpha_warm = 4, .alpha_cold = 4},
                                   {.capacity_B = 4096, .alpha_warm = 2, .alpha_cold = 3}};
    const struct sp_reuse r = {.n_sizes = 2, .size = size, .alpha_min = 1, .footprint_B = 8192};
    ck_assert_double_eq(sp_reuse_alpha(&r, 512, false).value, 4);
    ck_assert_double_eq(sp_reuse_alpha(&r, 1024, false).value, 4);
    ck_assert_double_eq(sp_reuse_alpha(&r, 2048, false).value, 3);
    ck_assert_double_eq(sp_reuse_alpha(&r, 2048, true).value, 3.5);
    ck_assert_double_eq(sp_reuse_alpha(&r, 4096, true).value, 3);
    ck_assert_double_eq(sp_reuse_alpha(&r, 8192, false).value, 0);
    ck_assert_double_eq(sp_reuse_alpha(&r, 1 << 20, true).value, 1);
    ck_assert(!sp_value_known(sp_reuse_alpha(&(struct sp_reuse){0}, 1024, false)));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("preview");
    TCase *tc = tcase_create("preview");
    tcase_add_loop_test(tc, structure_is_that_of_the_rewritten_matrix, 0, N_SPECS);
    tcase_add_loop_test(tc, traffic_is_that_of_the_rewritten_matrix, 0, N_SPECS);
    tcase_add_test(tc, other_operations_and_formats_are_refused);
    tcase_add_loop_test(tc, samples_agree_with_all_lines, 0, 2);
    tcase_add_test(tc, alpha_between_two_sizes_is_interpolated);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
