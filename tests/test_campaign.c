/* Campaigns: what their file says, and which jobs follow from it. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "read_campaign.h"
#include "run_suite.h"

START_TEST(matrices_and_runs_make_jobs)
{
    make_dir();
    write_file("a.mtx", "a");
    write_file("b.mtx", "bb");
    write_file("with blank.mtx", "c");
    struct sp_campaign c = read_campaign("# two patterns, one file twice\n"
                                         "matrix [ab].mtx gen:laplace2d:5 # here too\n"
                                         "\n"
                                         "\tmatrix \"with blank.mtx\" a.mtx\n"
                                         "run crs: --threads 2 --machine 'my machine'\n"
                                         "run none:\n",
                                         "", "");
    char path[256];
    snprintf(path, sizeof path, "%s/with blank.mtx", dir);
    ck_assert_int_eq(c.n_matrices, 4);
    ck_assert_int_eq(c.n_runs, 2);
    ck_assert_int_eq(c.n_jobs, 8);
    ck_assert_str_eq(c.matrix[1].text, "b.mtx");
    ck_assert_str_eq(c.matrix[3].path, path);
    ck_assert_str_eq(c.matrix[2].path, "gen:laplace2d:5");
    ck_assert(c.matrix[1].size_B == 2 && c.matrix[1].modified_ns > 0 && c.matrix[2].size_B == 0);
    ck_assert_int_eq(c.run[0].n_words, 4);
    ck_assert_str_eq(c.run[0].word[3], "my machine");
    ck_assert_int_eq(c.run[1].n_words, 0);
    ck_assert(c.job[3].matrix == &c.matrix[1] && c.job[3].run == &c.run[1]);
    for (int i = 0; i < c.n_jobs; i++)
        for (int k = 0; k < i; k++)
            ck_assert_str_ne(c.job[i].id, c.job[k].id);
    sp_campaign_free(&c);
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

/* Of the folder nothing is a pattern, nor of what is in quotes. */
START_TEST(patterns_are_what_is_typed_as_such)
{
    make_dir();
    char folder[128], path[256];
    snprintf(folder, sizeof folder, "%s/[x]", dir);
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    write_file("[x]/a.mtx", "a");
    write_file("[x]/*.mtx", "b");
    snprintf(path, sizeof path, "%s", write_file("[x]/c.txt", "matrix '*.mtx'\nrun r: --x '*'\n"));
    struct sp_campaign c;
    struct sp_error err = {0};
    ck_assert_msg(sp_campaign_read(path, "", "", &c, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(c.n_matrices, 1);
    ck_assert_str_eq(c.matrix[0].text, "*.mtx");
    ck_assert_str_eq(c.run[0].word[1], "*");
    sp_campaign_free(&c);
    snprintf(path, sizeof path, "%s", write_file("[x]/c.txt", "matrix *.mtx\nrun r: --x\n"));
    ck_assert_msg(sp_campaign_read(path, "", "", &c, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(c.n_matrices, 2);
    ck_assert_str_eq(c.matrix[0].text, "*.mtx");
    ck_assert_str_eq(c.matrix[1].text, "a.mtx");
    sp_campaign_free(&c);
    snprintf(path, sizeof path, "%s",
             write_file("[x]/c.txt", "\xef\xbb\xbfmatrix '*'*x\r\nrun r: --x\r\n")); /* of another system */
    ck_assert_msg(sp_campaign_read(path, "", "", &c, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(c.n_matrices, 1);
    ck_assert_str_eq(c.matrix[0].text, "*.mtx");
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

START_TEST(mistakes_are_named_with_their_line)
{
    static const struct {
        const char *text;
        int line;
        const char *what;
    } cases[] = {
        {"matrix gen:a\nrums crs:\n", 2, "'rums'"},
        {"matrix nothing.mtx\nrun a:\n", 1, "No such file"},
        {"# x\nmatrix *.nothing\nrun a:\n", 2, "no file fits '*.nothing'"},
        {"matrix\n", 1, "no matrix is named"},
        {"matrix -\n", 1, "standard input"},
        {"matrix .\n", 1, "this is no file"},
        {"matrix gen:a\nrun crs --threads 2\n", 2, "begins with its name"},
        {"matrix gen:a\nrun :\n", 2, "begins with its name"},
        {"matrix gen:a\nrun\n", 2, "begins with its name"},
        {"matrix gen:a\nrun a: --x 1\n\nrun a: --x 2\n", 4, "line 2 has a run of this"},
        {"matrix gen:a\nrun a: --x=1 --y\nrun b: --y --x 1\n", 3, "the same options has the run 'a'"},
        {"matrix gen:a\nrun a: --out=here\n", 2, "does not take '--out=here'"},
        {"matrix gen:a\nrun a: -o here\n", 2, "does not take '-o'"},
        {"matrix gen:a\nrun a: --json\n", 2, "does not take '--json'"},
        {"matrix '*.mtx'\nrun a:\n", 1, "No such file or directory '*.mtx'"},
        {"matrix gen:a\nrun a\xff: --x 1\n", 2, "no UTF-8"},
        {"matrix 'gen:a\n", 1, "a quote does not end"},
        {"matrix gen:a\n", 0, "no run"},
        {"run a:\n", 0, "no matrix"},
        {"", 0, "no run"},
    };
    make_dir();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_campaign c;
        struct sp_error err = {0};
        const char *path = write_file("c.txt", cases[i].text);
        ck_assert_int_eq(sp_campaign_read(path, "", "", &c, &err), SP_INPUT);
        ck_assert_msg(strstr(err.what, cases[i].what), "'%s' says '%s'", cases[i].text, err.what);
        ck_assert_str_eq(err.path, path);
        ck_assert_int_eq(err.line, cases[i].line);
        ck_assert(c.n_jobs == 0 && c.run == NULL);
    }
    remove_dir();
}
END_TEST

static uint64_t hash_of(const char *text)
{
    char line[256], *word[SP_MOST_WORDS];
    int n;
    snprintf(line, sizeof line, "%s", text);
    ck_assert_ptr_null(sp_campaign_split(line, word, &n));
    return sp_campaign_hash_options(word, n);
}

START_TEST(options_are_told_apart_by_what_they_ask_for)
{
    static const char *const same[][2] = {
        {"--threads 8 --format crs", "--format=crs   --threads=8"},
        {"-t 8 --no-pin", "--no-pin -t 8"},
        {"--x ' a' --y", "--y --x \" a\""},
        {"", "   "},
    };
    static const char *const other[][2] = {
        {"--threads 8", "--threads 4"},
        {"--x 1 --x 2", "--x 2 --x 1"},
        {"--a -1 --b -2", "--a -2 --b -1"},
        {"--a b --c", "--a --c b"},
        {"--format crs", "--formatcrs"},
        {"--x ab --y c", "--x a --y bc"},
        {"--format sell:8,1", "--format sell:8,64"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        ck_assert_msg(hash_of(same[i][0]) == hash_of(same[i][1]), "%s", same[i][0]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        ck_assert_msg(hash_of(other[i][0]) != hash_of(other[i][1]), "%s", other[i][0]);
}
END_TEST

static bool has_job(const struct sp_campaign *c, const char *id)
{
    for (int i = 0; i < c->n_jobs; i++)
        if (strcmp(c->job[i].id, id) == 0)
            return true;
    return false;
}

/* A line more, another name of a run, another order: what was there is still there. */
START_TEST(a_changed_file_only_adds_jobs)
{
    make_dir();
    const struct timespec later[2] = {{4000, 0}, {4000, 0}};
    const char *path = write_file("m.mtx", "m");
    struct sp_campaign before = read_campaign("matrix m.mtx gen:a\nrun crs: --threads 2\n", "", "");
    struct sp_campaign after = read_campaign("run new: --threads 4\nrun renamed: --threads=2\n"
                                             "matrix gen:b gen:a\nmatrix *.mtx\n",
                                             "", "");
    ck_assert_int_eq(after.n_jobs, 6);
    for (int i = 0; i < before.n_jobs; i++)
        ck_assert(has_job(&after, before.job[i].id));
    path = write_file("m.mtx", "m");
    ck_assert_int_eq(utimensat(AT_FDCWD, path, later, 0), 0);
    struct sp_campaign touched = read_campaign("matrix m.mtx gen:a\nrun crs: --threads 2\n", "", "");
    ck_assert(!has_job(&touched, before.job[0].id) && has_job(&touched, before.job[1].id));
    struct sp_campaign again = read_campaign("matrix gen:a\nrun crs: --threads 2\n", "monday", "");
    ck_assert(!has_job(&before, again.job[0].id));
    struct sp_campaign here = read_campaign("matrix gen:a\nrun crs: --threads 2\n", "", "node1");
    ck_assert_str_eq(here.job[0].task, before.job[1].task);
    ck_assert_str_ne(here.job[0].id, before.job[1].id);
    sp_campaign_free(&before);
    sp_campaign_free(&after);
    sp_campaign_free(&touched);
    sp_campaign_free(&again);
    sp_campaign_free(&here);
    remove_dir();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("campaign");
    TCase *t = tcase_create("campaign");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, matrices_and_runs_make_jobs);
    tcase_add_test(t, patterns_are_what_is_typed_as_such);
    tcase_add_test(t, mistakes_are_named_with_their_line);
    tcase_add_test(t, options_are_told_apart_by_what_they_ask_for);
    tcase_add_test(t, a_changed_file_only_adds_jobs);
    suite_add_tcase(s, t);
    return run_suite(s);
}
