/* Files that are shortened, overwritten or lost while they are read. Nothing here depends on when: the file
 * is changed between two calls, or by the reader's own progress. */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/input_file.h"
#include "io/matrix/matrix_cache.h"
#include "io/matrix/matrix_load.h"
#include "io/matrix/matrix_market.h"
#include "run_suite.h"
#include "scratch_dir.h"
#include "sparse/csr/csr.h"

static char path[128];

/* Long ago, so that any change shows in its time. */
static void put(const char *text, size_t n)
{
    snprintf(path, sizeof path, "%s/a.mtx", dir);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
    const struct timespec then[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, then, 0), 0);
}

static int64_t sum(const struct sp_mapped_file *file)
{
    int64_t total = 0;
#pragma omp parallel for reduction(+ : total) num_threads(3)
    for (int64_t k = 0; k < file->n; k++)
        total += file->text[k];
    return total;
}

START_TEST(a_mapping_tells_that_its_file_was_shortened)
{
    static char text[5 * 4096 + 100];
    static const long left[] = {0, 1, 4095, 4096, 4097, 3 * 4096, sizeof text - 1};
    memset(text, 1, sizeof text);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        struct sp_mapped_file file, other;
        struct sp_error err;
        char second[160];
        snprintf(second, sizeof second, "%s/other", dir);
        put(text, sizeof text);
        ck_assert_int_eq(rename(path, second), 0);
        put(text, sizeof text);
        ck_assert_int_eq(sp_map_file(path, &file, &err), SP_OK);
        ck_assert_int_eq(sp_map_file(second, &other, &err), SP_OK);
        ck_assert_int_eq(sum(&file), sizeof text);
        ck_assert_int_eq(truncate(path, left[i]), 0);
        ck_assert_int_ge(sum(&file), left[i] / 4096 * 4096);
        ck_assert_int_le(sum(&file), left[i]);
        ck_assert_ptr_nonnull(memchr(file.text + file.n, '\n', 2 * 4096));
        ck_assert_int_eq(sum(&other), sizeof text);
        ck_assert_int_eq(sp_unmap_file(&file, path, SP_OK, &err), SP_INPUT);
        ck_assert_ptr_nonnull(strstr(err.what, "changed"));
        ck_assert_int_eq(sp_unmap_file(&other, second, SP_OK, &err), SP_OK);
        ck_assert_int_eq(sp_unmap_file(&other, second, SP_NO, &err), SP_NO);
    }
}
END_TEST

static void touch_lost_page(bool ours)
{
    static const char text[] = "text";
    struct sp_mapped_file file;
    put(text, sizeof text);
    if (sp_map_file(path, &file, NULL) != SP_OK)
        _exit(1);
    int fd = open(path, O_RDWR);
    const volatile char *p = ours ? file.text : mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    if (ftruncate(fd, 0) != 0)
        _exit(1);
    _exit(p[1] == 0 ? 0 : 1);
}

START_TEST(a_bus_error_elsewhere_still_ends_the_process)
{
    for (int how = 0; how < 3; how++) {
        int status;
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
            signal(SIGBUS, SIG_DFL); /* not the one of a sanitizer */
            if (how == 2) {
                struct sp_mapped_file file;
                put("x", 1);
                if (sp_map_file(path, &file, NULL) == SP_OK)
                    raise(SIGBUS);
                _exit(1);
            }
            touch_lost_page(how == 0);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        if (how == 0)
            ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        else
            ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    }
}
END_TEST

/* What is done to the file at the reader's call number `at`. */
struct change {
    int at, calls;
    off_t length;   /* that it is cut to */
    bool overwrite; /* with digits, without any end of a line */
};

static void change(void *context, double fraction)
{
    struct change *c = context;
    (void)fraction;
    if (c->calls++ != c->at)
        return;
    struct stat facts;
    int fd = open(path, O_RDWR);
    ck_assert_int_eq(fstat(fd, &facts), 0);
    char digits[4096];
    memset(digits, '7', sizeof digits);
    for (off_t k = 0; c->overwrite && k < facts.st_size; k += (off_t)sizeof digits)
        ck_assert(pwrite(fd, digits, sizeof digits, k) > 0);
    ck_assert_int_eq(ftruncate(fd, c->overwrite ? facts.st_size : c->length), 0);
    close(fd);
}

static char *matrix_text(const char *kind, size_t *n)
{
    char *text;
    const bool array = strncmp(kind, "array", 5) == 0, general = strstr(kind, "general") != NULL;
    const int rows = array ? 500 : 100000, entries = 150000;
    FILE *f = open_memstream(&text, n);
    fprintf(f, "%%%%MatrixMarket matrix %s\n%d %d", kind, rows, rows);
    if (!array)
        fprintf(f, " %d", entries);
    putc('\n', f);
    if (array)
        for (int k = 0; k < (general ? rows * rows : rows * (rows + 1) / 2); k++)
            fprintf(f, "%d.5\n", k % 1000);
    for (int k = 0; k < entries && !array; k++) {
        int row = k % rows + 1, col = general ? (k * 7) % rows + 1 : 1 + k % row;
        fprintf(f, strstr(kind, "pattern") ? "%d %d\n" : "%d %d %d.25\n", row, col, k);
    }
    fclose(f);
    return text;
}

START_TEST(a_matrix_that_changes_while_it_is_read_is_an_error)
{
    static const char *const kinds[] = {"coordinate real general", "coordinate real symmetric",
                                        "coordinate pattern general", "array real general",
                                        "array real symmetric"};
    size_t n;
    char *text = matrix_text(kinds[_i], &n);
    for (int threads = 1; threads <= 3; threads += 2)
        for (int how = 0; how < 5; how++)
            for (int at = 0;; at++) {
                const off_t lengths[] = {0, 4096, (off_t)n / 2, (off_t)n - 1, (off_t)n};
                struct change c = {.at = at, .length = lengths[how], .overwrite = how == 4};
                struct sp_load_options options = {.n_threads = threads, .progress = change, .context = &c};
                struct sp_csr a;
                struct sp_error err;
                put(text, n);
                const enum sp_status status = sp_matrix_load(path, &options, &a, NULL, &err);
                if (c.calls <= at) { /* the reader made fewer calls: it saw nothing */
                    ck_assert_msg(status == SP_OK, "%s", err.what);
                    ck_assert_int_ge(at, 2);
                    sp_csr_free(&a);
                    break;
                }
                ck_assert_msg(status == SP_INPUT, "%s, cut to %lld: %s", kinds[_i], (long long)c.length,
                              status == SP_OK ? "read" : err.what);
                ck_assert_ptr_nonnull(strstr(err.what, "changed"));
                ck_assert_ptr_null(a.row_ptr);
            }
    free(text);
}
END_TEST

START_TEST(no_cache_is_left_of_a_file_that_changed)
{
    size_t n;
    char *text = matrix_text("coordinate real general", &n), cache[160];
    struct change c = {.length = (off_t)n - 1};
    struct sp_load_options options = {.progress = change, .context = &c, .cache = SP_CACHE_BESIDE};
    struct sp_csr a;
    put(text, n);
    snprintf(cache, sizeof cache, "%s.spm", path);
    ck_assert_int_eq(sp_matrix_load(path, &options, &a, NULL, NULL), SP_INPUT);
    ck_assert_int_ne(access(cache, F_OK), 0);
    free(text);
}
END_TEST

START_TEST(a_binary_file_may_go_once_it_is_read)
{
    size_t n;
    char *text = matrix_text("coordinate real general", &n), cache[160], before[65], after[65];
    struct sp_load_options options = {.n_threads = 2, .cache = SP_CACHE_BESIDE};
    struct sp_csr a, b;
    struct sp_error err;
    put(text, n);
    snprintf(cache, sizeof cache, "%s.spm", path);
    ck_assert_int_eq(sp_matrix_load(path, &options, &a, NULL, &err), SP_OK);
    ck_assert_msg(sp_matrix_load(cache, &options, &b, NULL, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(sp_csr_digest(&a, 1, before, &err), SP_OK);
    ck_assert_int_eq(truncate(cache, 0), 0);
    ck_assert_int_eq(sp_csr_check(&b, &err), SP_OK);
    ck_assert_int_eq(sp_csr_digest(&b, 1, after, &err), SP_OK);
    ck_assert_str_eq(before, after);
    sp_csr_free(&a);
    sp_csr_free(&b);
    free(text);
}
END_TEST

START_TEST(a_vector_may_go_once_it_is_read)
{
    static const char text[] = "%%MatrixMarket matrix array real general\n3 1\n1.5\n2.5\n3.5\n";
    struct sp_array_text x;
    struct sp_error err;
    put(text, strlen(text));
    ck_assert_int_eq(sp_array_text_read(path, &x, &err), SP_OK);
    ck_assert_int_eq(truncate(path, 0), 0);
    ck_assert_int_eq(x.item[2].length, 3);
    ck_assert_int_eq(memcmp(x.item[2].text, "3.5", 3), 0);
    sp_array_text_free(&x);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mapped_file");
    TCase *c = tcase_create("mapped_file");
    tcase_add_checked_fixture(c, make_dir, remove_dir);
    tcase_add_test(c, a_mapping_tells_that_its_file_was_shortened);
    tcase_add_test(c, a_bus_error_elsewhere_still_ends_the_process);
    tcase_add_loop_test(c, a_matrix_that_changes_while_it_is_read_is_an_error, 0, 5);
    tcase_add_test(c, no_cache_is_left_of_a_file_that_changed);
    tcase_add_test(c, a_binary_file_may_go_once_it_is_read);
    tcase_add_test(c, a_vector_may_go_once_it_is_read);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
