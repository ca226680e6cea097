/* What commands are expected to need beside what they take: the peak of the program itself, as the kernel
 * counts it. Memory is not time: two runs differ by a few pages. */
#include <check.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/matrix/load_options.h"
#include "run_suite.h"
#include "scratch_dir.h"
#include "share.h"
#include "sparse/generate/generate.h"

extern char **environ;

/* Peak of `spmodel WORDS...` [B]. */
static double peak_B(const char *command, const char *matrix, const char *rest)
{
    char words[512], *argv[32] = {SP_SPMODEL}, out[96];
    int n = 1, status;
    snprintf(words, sizeof words, "%s gen:%s %s", command, matrix, rest);
    for (char *save, *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
        argv[n++] = word;
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    snprintf(out, sizeof out, "%s/out", dir);
    posix_spawn_file_actions_addopen(&quiet, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child;
    ck_assert_int_eq(posix_spawn(&child, SP_SPMODEL, &quiet, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&quiet);
    struct rusage usage;
    ck_assert_int_eq(wait4(child, &status, 0, &usage), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s %s: status %d", command, matrix, status);
    return (double)usage.ru_maxrss * 1024;
}

START_TEST(the_estimate_is_near_the_peak)
{
    static const struct {
        const char *command, *matrix, *rest;
        enum sp_load_use use;
    } cases[] = {
        {"info", "laplace3d:80", "", SP_LOAD_FIGURES},
        {"info", "random:200000:15", "", SP_LOAD_FIGURES},
        {"convert", "laplace2d:800", "OUT.spm", SP_LOAD_ALONE},
        {"reorder --method rcm", "laplace3d:80", "OUT.spm", SP_LOAD_ORDER},
        {"reorder --method rcm", "random:200000:15", "OUT.spm", SP_LOAD_ORDER},
        {"reorder --method gray", "laplace2d:800", "OUT.spm", SP_LOAD_ORDER},
        {"reorder", "laplace3d:40", "", SP_LOAD_ORDERS},
        {"reorder", "laplace3d:60", "", SP_LOAD_ORDERS},
        {"reorder", "random:100000:8", "", SP_LOAD_ORDERS},
        {"reorder --method metis", "random:60000:15", "OUT.spm", SP_LOAD_ORDERS},
        {"reorder --method nd", "random:60000:15", "OUT.spm", SP_LOAD_ORDERS},
        {"reorder --method nd", "powerlaw:15:8", "OUT.spm", SP_LOAD_ORDERS},
        {"reorder --method metis", "arrow:100000", "OUT.spm", SP_LOAD_ORDERS},
        {"model --machine " SP_MACHINES "/ivb-e5-2660v2.json", "laplace3d:80", "", SP_LOAD_MODEL},
        {"model --alpha sim --format all --machine " SP_MACHINES "/ivb-e5-2660v2.json", "laplace3d:80", "",
         SP_LOAD_MODEL},
        {"analyze --threads 1 --budget 10ms --samples 3 --no-hints --bytes sim --machine " SP_MACHINES
         "/ivb-e5-2660v2.json",
         "laplace3d:80", "--out DIR", SP_LOAD_ANALYSIS},
    };
    if (!share_has(_i, 0))
        return;
#ifdef __SANITIZE_ADDRESS__
    printf("SKIPPED the sanitizer's memory is no measure of the program's\n");
    return;
#endif
    const double idle_B = peak_B("info", "laplace2d:3", "");
    const char *command = cases[_i].command;
    char rest[128] = "";
    if (strcmp(cases[_i].rest, "OUT.spm") == 0)
        snprintf(rest, sizeof rest, "%s/out.spm", dir);
    else if (strcmp(cases[_i].rest, "--out DIR") == 0)
        snprintf(rest, sizeof rest, "--out %s", dir);
    struct sp_load_size size = {.field = SP_FIELD_REAL};
    ck_assert_int_eq(sp_generate_estimate(cases[_i].matrix, &size.n_r, &size.n_c, &size.n_nz, NULL), SP_OK);
    size.symmetric = sp_generate_is_symmetric(cases[_i].matrix);
    const double peak = peak_B(command, cases[_i].matrix, rest) - idle_B,
                 need = sp_load_need(cases[_i].use, &size);
    printf("%s %s: %.1f MB expected, %.1f MB taken\n", command, cases[_i].matrix, need / 1e6, peak / 1e6);
    /* What METIS takes depends on the pattern: an upper bound, that of random graphs; meshes take a third of
     * it. */
    const bool is_bound = cases[_i].use == SP_LOAD_ORDERS;
    ck_assert_msg(need > (is_bound ? 1 : 0.9) * peak && (is_bound || need < 2.5 * peak),
                  "%s %s: %.1f MB expected, %.1f MB taken", command, cases[_i].matrix, need / 1e6,
                  peak / 1e6);
}
END_TEST

START_TEST(the_formula_is_the_documented_one)
{
    const struct sp_load_size size = {1000, 2000, 5000, SP_FIELD_COMPLEX, false};
    const double matrix = 8 * 1001 + 20 * 5000;
    ck_assert_double_eq(sp_load_need(SP_LOAD_ALONE, &size), matrix);
    ck_assert_double_eq(sp_load_need(SP_LOAD_FIGURES, &size), matrix + 12 * 1000 + 4 * 2000);
    ck_assert_double_eq(sp_load_need(SP_LOAD_ORDER, &size), 2 * matrix + 20 * 1000 + 4 * 2000 + 2e6);
}
END_TEST

START_TEST(what_exceeds_the_limit_is_refused_with_the_figures)
{
    const struct sp_load_size size = {1000000000, 1000000000, 3, SP_FIELD_REAL, false};
    struct sp_load_options options = {.memory_limit_B = 60e6};
    struct sp_error err;
    ck_assert_int_eq(sp_load_check_memory("a.mtx", &options, &size, 12e9, "the matrix", &err), SP_MEMORY);
    ck_assert_ptr_nonnull(strstr(err.what, "12.0 GB"));
    ck_assert_ptr_nonnull(strstr(err.what, "60.0 MB"));
    ck_assert_ptr_nonnull(strstr(err.remedy, "--memory"));
    options.use = SP_LOAD_ORDER; /* more than reading it takes */
    ck_assert_int_eq(sp_load_check_memory("a.mtx", &options, &size, 12e9, "the matrix", &err), SP_MEMORY);
    ck_assert_ptr_nonnull(strstr(err.what, "40.0 GB"));
    options.memory_limit_B = 41e9;
    ck_assert_int_eq(sp_load_check_memory("a.mtx", &options, &size, 12e9, "the matrix", &err), SP_OK);
    options.memory_limit_B = 0;
    ck_assert_int_eq(sp_load_check_memory("a.mtx", &options, &size, 12e9, "the matrix", &err), SP_OK);
}
END_TEST

int main(int argc, char **argv)
{
    share_take(argc, argv, 3, 9);
    Suite *suite = suite_create("load_memory");
    TCase *c = tcase_create("load_memory");
    tcase_add_checked_fixture(c, make_dir, remove_dir);
    tcase_add_loop_test(c, the_estimate_is_near_the_peak, 0, 16);
    if (!share_is_rest()) {
        tcase_add_test(c, the_formula_is_the_documented_one);
        tcase_add_test(c, what_exceeds_the_limit_is_refused_with_the_figures);
    }
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
