/* The simulator against cachegrind on real matrices: last-level misses of a cold and a warm execution of a
 * plain CRS loop together, with a last level of about a quarter of the footprint. cachegrind's caches fetch
 * on writes too and write nothing back, so read and write misses are the lines that we read. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/matrix_load.h"
#include "model/traffic.h"

static const char *const names[] = {"bcsstk16",          "bcsstk33-pattern", "ca-CondMat",     "cavity14",
                                    "email-Enron",       "fe_body-graph",    "finan512-graph", "memplus",
                                    "ISPD98_ibm14-nets", "p2p-Gnutella31",   "usroads",        "wing-graph"};
enum { N_NAMES = sizeof names / sizeof *names };

static bool write_matrix(const struct sp_csr *a, const char *path)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    int64_t head[3] = {a->n_r, a->n_c, a->n_nz};
    fwrite(head, sizeof *head, 3, f);
    for (int64_t i = 0; i <= a->n_r; i++) {
        int32_t p = (int32_t)a->row_ptr[i];
        fwrite(&p, sizeof p, 1, f);
    }
    fwrite(a->col, sizeof *a->col, (size_t)a->n_nz, f);
    return fclose(f) == 0;
}

/* Last-level data misses in spmv(), read and write, from cachegrind's output file; -1: not there. The line
 * of events names the columns, those of a function follow its fn= line. */
static double misses_in_spmv(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    char line[4096];
    int read_column = -1, write_column = -1;
    bool inside = false;
    double sum = -1;
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "events:", 7) == 0) {
            int i = 0;
            for (char *w = strtok(line + 7, " \n"); w; w = strtok(NULL, " \n"), i++) {
                if (strcmp(w, "DLmr") == 0)
                    read_column = i;
                if (strcmp(w, "DLmw") == 0)
                    write_column = i;
            }
        } else if (strncmp(line, "fn=", 3) == 0) {
            inside = strcmp(line, "fn=spmv\n") == 0;
        } else if (inside && line[0] >= '0' && line[0] <= '9') {
            int i = -1; /* the first number is the source line */
            sum = sum < 0 ? 0 : sum;
            for (char *w = strtok(line, " \n"); w; w = strtok(NULL, " \n"), i++)
                if (i == read_column || i == write_column)
                    sum += atof(w);
        }
    }
    fclose(f);
    return sum;
}

static double simulated_lines(const struct sp_csr *a, int64_t llc_B, enum sp_sim_state state)
{
    struct sp_workload w = {.op = SP_OP_SPMV,
                            .format = SP_FORMAT_CRS,
                            .C = 1,
                            .sigma = 1,
                            .precision = SP_F64,
                            .index = SP_I32,
                            .schedule = SP_SCHEDULE_ROWS,
                            .n_threads = 1,
                            .matrix = a};
    struct sp_layout l;
    struct sp_error err = {0};
    ck_assert_msg(sp_layout_make(&w, false, NULL, &l, &err) == SP_OK, "%s", err.what);
    struct sp_machine m = {.n_caches = 2};
    for (int k = 0; k < 2; k++)
        m.cache[k] = (struct sp_cache){.level = k + 1,
                                       .size_B = k ? llc_B : 4096,
                                       .effective_B = sp_value_none("given"),
                                       .line_B = 64,
                                       .ways = k ? 16 : 8,
                                       .cores_sharing = 1};
    struct sp_sim_options o = sp_sim_default(&m);
    o.state = state;
    struct sp_traffic v[SP_MAX_LEVELS];
    int n;
    ck_assert_msg(sp_sim_traffic(&l, &o, v, &n, NULL, &err) == SP_OK, "%s", err.what);
    sp_layout_free(&l);
    return v[1].read_B.value / 64;
}

START_TEST(last_level_misses_within_one_percent)
{
    char path[512], data[64], out[64], command[1024];
    snprintf(path, sizeof path, "%s/%s.mtx", SP_TEST_SHARED, names[_i]);
    if (access(path, R_OK) != 0) {
        printf("skipped: %s is not there\n", path);
        return;
    }
    if (system("valgrind --version > /dev/null 2>&1") != 0) {
        printf("skipped: valgrind is not installed\n");
        return;
    }
    struct sp_csr a;
    struct sp_error err = {0};
    ck_assert_msg(sp_matrix_load(path, NULL, &a, NULL, &err) == SP_OK, "%s", err.what);
    double footprint = 12.0 * (double)a.n_nz + 12.0 * (double)a.n_r + 8.0 * (double)a.n_c;
    int64_t llc_B = 16 << 10; /* a power of two near a quarter of the footprint */
    while ((double)llc_B * 6 < footprint)
        llc_B *= 2;
    snprintf(data, sizeof data, "cachegrind_%d_%d.bin", (int)getpid(), _i);
    snprintf(out, sizeof out, "cachegrind_%d_%d.out", (int)getpid(), _i);
    ck_assert(write_matrix(&a, data));
    snprintf(command, sizeof command,
             "valgrind --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=4096,8,64 --LL=%lld,16,64 "
             "--cachegrind-out-file=%s %s %s %lld > /dev/null 2>&1",
             (long long)llc_B, out, SP_CACHEGRIND_SPMV, data, (long long)llc_B * 4);
    int code = system(command);
    double theirs = misses_in_spmv(out);
    unlink(data);
    unlink(out);
    ck_assert_msg(code == 0 && theirs >= 0, "valgrind failed with %d: %s", code, command);
    double ours = simulated_lines(&a, llc_B, SP_SIM_COLD) + simulated_lines(&a, llc_B, SP_SIM_WARM);
    printf("%-20s last level %5lld KiB: cachegrind %9.0f misses, simulated %9.0f (%+.2f %%)\n", names[_i],
           (long long)llc_B >> 10, theirs, ours, 100 * (ours / theirs - 1));
    ck_assert_double_le(fabs(ours / theirs - 1), 0.01);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cachegrind");
    TCase *tc = tcase_create("cachegrind");
    tcase_set_timeout(tc, 200);
    tcase_add_loop_test(tc, last_level_misses_within_one_percent, 0, N_NAMES);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
