/* The store of records, its index, and baselines that were accepted. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/part_file.h"
#include "run_suite.h"
#include "scratch_dir.h"
#include "track/store/index.h"

/* A record of `format` with runs around `time`; written to dir/NAME.json, whose path is returned. */
static const char *write_record(const char *name, int day, const char *format, const char *env,
                                const double *time, int n_runs, double bytes)
{
    static char path[256];
    char text[64];
    struct sp_record r;
    struct sp_error err;
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_set_text(&r, SP_F_ID, name);
    snprintf(text, sizeof text, "2026-11-%02dT12:00:00Z", day);
    sp_record_set_text(&r, SP_F_TIME_START, text);
    sp_record_set_text(&r, SP_F_STATUS, "complete");
    sp_record_set_text(&r, SP_F_PROBLEM_NAME, "m");
    sp_record_set_text(&r, SP_F_PROBLEM_SHA256, "abc");
    sp_record_set_count(&r, SP_F_REQUEST_VERSION, 1);
    sp_record_set_text(&r, SP_F_REQUEST_FORMAT, format);
    sp_record_set_text(&r, SP_F_CONFIG_FORMAT_OPTION, format);
    sp_record_set_text(&r, SP_F_ENV_KEY, env);
    double sum = 0;
    for (int i = 0; i < n_runs; i++) {
        json_t *run = json_pack("{s:[f,f,f], s:[f,f]}", "time_s", time[i], time[i] * 1.1, time[i] * 0.9,
                                "roof_Bps", 20e9, 20e9);
        sp_record_append(&r, SP_F_RUNS, run);
        sum += time[i] / n_runs;
    }
    sp_record_set_value(&r, SP_F_METRICS_TIME, sp_value_of(sum, SP_MEASURED));
    sp_record_set_value(&r, SP_F_METRICS_BYTES, sp_value_of(bytes, SP_SIMULATED));
    snprintf(path, sizeof path, "%s/%s.json", dir, name);
    ck_assert_int_eq(sp_record_write(&r, path, &err), SP_OK);
    sp_record_free(&r);
    return path;
}

static struct sp_store open_store(void)
{
    struct sp_store store;
    struct sp_error err;
    char path[128];
    snprintf(path, sizeof path, "%s/store", dir);
    ck_assert_int_eq(sp_store_open(path, true, &store, &err), SP_OK);
    return store;
}

static const double steady[] = {1.0, 1.01, 0.99, 1.005, 0.995};

START_TEST(records_are_added_once_and_never_changed)
{
    make_dir();
    struct sp_store store = open_store();
    struct sp_error err;
    struct sp_record_paths paths = {0};
    char path[4096], other[256];
    bool added;
    const char *file = write_record("one", 1, "crs", "e", steady, 5, 1e6);
    ck_assert_int_eq(sp_store_add(&store, file, &added, path, &err), SP_OK);
    ck_assert(added && strstr(path, "/records/2026-11/one.json"));
    ck_assert_int_eq(sp_store_add(&store, file, &added, path, &err), SP_OK);
    ck_assert(!added);
    file = write_record("one", 1, "sell:8,1", "e", steady, 5, 1e6);
    ck_assert_int_eq(sp_store_add(&store, file, &added, path, &err), SP_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.what, "another record of this id"));
    snprintf(other, sizeof other, "%s/damaged.json", dir);
    FILE *f = fopen(other, "w");
    fputs("{\"schema\": \"spmodel.rec", f);
    fclose(f);
    ck_assert_int_eq(sp_store_add(&store, other, &added, path, &err), SP_INPUT);
    ck_assert_int_eq(sp_store_open(dir, false, &store, &err), SP_INPUT);
    store = open_store();
    ck_assert_int_eq(sp_store_list(&store, &paths, &err), SP_OK);
    ck_assert_int_eq(paths.n, 1);
    sp_record_paths_free(&paths);
    remove_dir();
}
END_TEST

/* The claim of a process that was killed, on a file system without hard links, holds up nobody for ever. */
START_TEST(an_empty_file_is_no_record)
{
    make_dir();
    const struct sp_store store = open_store();
    struct sp_error err;
    struct sp_record r;
    char path[4096];
    bool added;
    const char *file = write_record("one", 1, "crs", "e", steady, 5, 1e6);
    ck_assert_int_eq(sp_store_add(&store, file, &added, path, &err), SP_OK);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(truncate(path, 0), 0);
        ck_assert_int_eq(sp_store_add(&store, file, &added, path, &err), SP_OK);
        ck_assert(added);
        ck_assert_int_eq(sp_record_read(path, &r, &err), SP_OK);
        sp_record_free(&r);
    }
    ck_assert_int_eq(sp_store_add(&store, file, &added, path, &err), SP_OK);
    ck_assert(!added);
    remove_dir();
}
END_TEST

/* Eight processes add 20 records each at once, four of which all of them add: none is lost. */
START_TEST(many_writers_lose_nothing)
{
    enum { WRITERS = 8, EACH = 20, COMMON = 4 };
    make_dir();
    struct sp_store store = open_store();
    struct sp_record_paths paths = {0};
    struct sp_error err;
    for (int i = 0; i < COMMON; i++) {
        char name[32];
        snprintf(name, sizeof name, "common-%d", i);
        write_record(name, 1 + i, "crs", "e", steady, 5, 1e6);
    }
    for (int w = 0; w < WRITERS; w++)
        if (fork() == 0) {
            int lost = 0;
            char path[4096], name[64], file[256];
            bool added;
            for (int i = 0; i < EACH; i++) {
                const char *mine = file;
                if (i < COMMON) {
                    snprintf(file, sizeof file, "%s/common-%d.json", dir, i);
                } else {
                    snprintf(name, sizeof name, "w%d-%d", w, i);
                    mine = write_record(name, 1 + i, "crs", "e", steady, 5, 1e6);
                }
                lost += sp_store_add(&store, mine, &added, path, &err) != SP_OK;
            }
            _exit(lost);
        }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        wait(&status);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_eq(sp_store_list(&store, &paths, &err), SP_OK);
    ck_assert_int_eq(paths.n, WRITERS * (EACH - COMMON) + COMMON);
    sp_record_paths_free(&paths);
    remove_dir();
}
END_TEST

/* A writer is killed ten times in the middle of its work, when it has said that two records are there: what
 * is there is whole. */
START_TEST(killed_writers_leave_whole_records)
{
    make_dir();
    struct sp_store store = open_store();
    struct sp_store_index index;
    struct sp_error err;
    for (int round = 0; round < 10; round++) {
        int said[2];
        char one;
        ck_assert_int_eq(pipe(said), 0);
        const pid_t child = fork();
        if (child == 0) {
            char name[32], path[4096];
            bool added;
            for (int i = 0;; i++) {
                snprintf(name, sizeof name, "k%d-%d", round, i);
                sp_store_add(&store, write_record(name, 1 + i % 28, "crs", "e", steady, 5, 1e6), &added, path,
                             &err);
                if (i < 2 && write(said[1], "+", 1) != 1)
                    _exit(1);
            }
        }
        close(said[1]);
        for (int n = 0; n < 2; n++)
            ck_assert_int_eq(read(said[0], &one, 1), 1);
        close(said[0]);
        usleep(2000 * (useconds_t)round);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    ck_assert_int_eq(sp_index_open(&store, NULL, false, NULL, &index, &err), SP_OK);
    ck_assert_msg(index.n >= 20 && index.n_bad == 0, "%d records, %d damaged", (int)index.n, index.n_bad);
    sp_index_free(&index);
    remove_dir();
}
END_TEST

START_TEST(index_remembers_and_names_what_is_damaged)
{
    make_dir();
    struct sp_store store = open_store();
    struct sp_store_index index;
    struct sp_error err;
    char path[4096], cache[128], bad[3200];
    bool added;
    for (int i = 0; i < 12; i++) {
        char name[32];
        snprintf(name, sizeof name, "r%02d", i);
        const char *file = write_record(name, 1 + i, i % 2 ? "crs" : "sell:8,1", "e", steady, 5, 1e6);
        ck_assert_int_eq(sp_store_add(&store, file, &added, path, &err), SP_OK);
    }
    snprintf(bad, sizeof bad, "%s/records/2026-11/bad.json", store.path);
    FILE *f = fopen(bad, "w");
    fputs("[1, 2", f);
    fclose(f);
    snprintf(cache, sizeof cache, "%s/index.sqlite", dir);
    ck_assert_int_eq(sp_index_open(&store, cache, false, NULL, &index, &err), SP_OK);
    ck_assert(index.n == 12 && index.n_read == 13 && index.n_bad == 1 &&
              strstr(index.bad[0].path, "bad.json"));
    ck_assert_str_eq(index.entry[3].start, "2026-11-04T12:00:00Z");
    ck_assert_int_eq(index.entry[3].n_runs, 5);
    ck_assert_double_eq_tol(index.entry[3].time_s[1], 1.01, 1e-12);
    ck_assert_str_eq(index.entry[1].series, index.entry[3].series);
    ck_assert_str_ne(index.entry[1].series, index.entry[2].series);
    const bool remembers = index.remark[0] == '\0'; /* false where it was built without SQLite */
    sp_index_free(&index);
    ck_assert_int_eq(sp_index_open(&store, cache, false, NULL, &index, &err), SP_OK);
    ck_assert_int_eq(index.n_read, remembers ? 0 : 13);
    ck_assert(index.n == 12 && index.n_bad == 1);
    ck_assert_double_eq_tol(index.entry[3].time_s[1], 1.01, 1e-12);
    sp_index_free(&index);
    struct sp_store typed; /* the same store by another name */
    snprintf(typed.path, sizeof typed.path, "%.200s/.", store.path);
    ck_assert_int_eq(sp_index_open(&typed, cache, false, NULL, &index, &err), SP_OK);
    ck_assert_int_eq(index.n_read, remembers ? 0 : 13);
    ck_assert_msg(strstr(index.path[0], "/./records/"), "%s", index.path[0]);
    sp_index_free(&index);
    char twice[4200], copy[4300]; /* counts once, and is named */
    snprintf(twice, sizeof twice, "%s/records/copied", store.path);
    ck_assert_int_eq(sp_make_directories(twice), 0);
    snprintf(copy, sizeof copy, "%s/r03.json", twice);
    snprintf(path, sizeof path, "%s/records/2026-11/r03.json", store.path);
    ck_assert_int_eq(link(path, copy), 0);
    ck_assert_int_eq(sp_index_open(&store, cache, false, NULL, &index, &err), SP_OK);
    ck_assert(index.n == 12 && index.n_bad == 2);
    ck_assert_int_eq(unlink(copy), 0);
    ck_assert(strstr(index.bad[0].why, "'r03' is in the store twice") ||
              strstr(index.bad[1].why, "'r03' is in the store twice"));
    sp_index_free(&index);
    f = fopen(cache, "w"); /* an index that is none is made anew */
    fputs("nonsense", f);
    fclose(f);
    ck_assert_int_eq(sp_index_open(&store, cache, false, NULL, &index, &err), SP_OK);
    ck_assert(index.n == 12 && index.n_read == 13);
    sp_index_free(&index);
    remove_dir();
}
END_TEST

START_TEST(skimming_takes_what_is_wanted)
{
    static const char *const keys[] = {"a", "long"};
    static const struct {
        const char *text, *taken; /* "": it is no whole object */
    } cases[] = {
        {"{\"a\": 1, \"b\": [1, {\"a\": 2}], \"long\": {\"x\": \"}\\\"\"}}",
         "{\"a\": 1,\"long\": {\"x\": \"}\\\"\"}}"},
        {" { \"b\" : \"a\" , \"a\" : null } \n", "{\"a\" : null }"},
        {"{}", "{}"},
        {"{\"b\": true}", "{}"},
        {"{\"a\": [1, 2", ""},
        {"{\"a\": 1", ""},
        {"{\"a\": \"open}", ""},
        {"{\"a\": 1} more", ""},
        {"[1]", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[256];
        const size_t n = sp_skim(cases[i].text, strlen(cases[i].text), keys, 2, out);
        ck_assert_msg(n == strlen(cases[i].taken) && memcmp(out, cases[i].taken, n) == 0, "%s: %.*s",
                      cases[i].text, (int)n, out);
    }
}
END_TEST

START_TEST(accepted_baselines_are_kept)
{
    make_dir();
    struct sp_store store = open_store();
    struct sp_store_index index;
    struct sp_error err;
    const struct sp_entry *pinned[SP_MOST_PINNED];
    char path[4096];
    bool added, had;
    int n;
    ck_assert_int_eq(
        sp_store_add(&store, write_record("a", 1, "crs", "e", steady, 5, 1e6), &added, path, &err), SP_OK);
    ck_assert_int_eq(sp_index_open(&store, NULL, false, NULL, &index, &err), SP_OK);
    const struct sp_entry *one = &index.entry[0];
    ck_assert_int_eq(sp_pins_find(&store, one, SP_TRACKED_TIME, &index, pinned, &n, &err), SP_OK);
    ck_assert_int_eq(n, 0);
    ck_assert_int_eq(sp_pins_set(&store, &one, 1, "as released", &err), SP_OK);
    ck_assert_int_eq(sp_pins_find(&store, one, SP_TRACKED_TIME, &index, pinned, &n, &err), SP_OK);
    ck_assert(n == 1 && pinned[0] == one);
    strcpy(index.entry[0].id, "gone");
    ck_assert_int_eq(sp_pins_find(&store, one, SP_TRACKED_TIME, &index, pinned, &n, &err), SP_INPUT);
    ck_assert_int_eq(n, 0);
    ck_assert_int_eq(sp_pins_drop(&store, one, &had, &err), SP_OK);
    ck_assert(had);
    ck_assert_int_eq(sp_pins_drop(&store, one, &had, &err), SP_OK);
    ck_assert(!had);
    sp_index_free(&index);
    remove_dir();
}
END_TEST

/* Times belong to a machine; simulated bytes to the caches, wherever they were simulated. */
START_TEST(simulated_baselines_are_everybodys)
{
    make_dir();
    struct sp_store store = open_store();
    struct sp_store_index index;
    struct sp_error err;
    const struct sp_entry *pinned[SP_MOST_PINNED];
    char path[4096];
    bool added;
    int n;
    static const char *const env[] = {"e", "f", "g"};
    for (int i = 0; i < 3; i++) {
        char name[4];
        snprintf(name, sizeof name, "r%d", i);
        ck_assert_int_eq(sp_store_add(&store, write_record(name, i + 1, "crs", env[i], steady, 5, 1e6),
                                      &added, path, &err),
                         SP_OK);
    }
    ck_assert_int_eq(sp_index_open(&store, NULL, false, NULL, &index, &err), SP_OK);
    const struct sp_entry *first = &index.entry[0], *second = &index.entry[1], *third = &index.entry[2];
    ck_assert_int_eq(sp_pins_set(&store, &second, 1, NULL, &err), SP_OK);
    ck_assert_int_eq(sp_pins_set(&store, &first, 1, NULL, &err), SP_OK);
    ck_assert_int_eq(sp_pins_find(&store, third, SP_TRACKED_TIME, &index, pinned, &n, &err), SP_OK);
    ck_assert_int_eq(n, 0);
    ck_assert_int_eq(sp_pins_find(&store, third, SP_TRACKED_BYTES, &index, pinned, &n, &err), SP_OK);
    ck_assert(n == 1 && pinned[0] == second); /* the latest one, in whatever order they were accepted */
    ck_assert_int_eq(sp_pins_find(&store, first, SP_TRACKED_TIME, &index, pinned, &n, &err), SP_OK);
    ck_assert(n == 1 && pinned[0] == first);
    strcpy(index.entry[1].caches, "others");
    ck_assert_int_eq(sp_pins_find(&store, third, SP_TRACKED_BYTES, &index, pinned, &n, &err), SP_OK);
    ck_assert(n == 1 && pinned[0] == first);
    strcpy(index.entry[1].caches, first->caches);
    strcpy(index.entry[0].id, "gone"); /* its file names nothing now, which is said; the other one holds */
    ck_assert_int_eq(sp_pins_find(&store, third, SP_TRACKED_BYTES, &index, pinned, &n, &err), SP_INPUT);
    ck_assert(n == 1 && pinned[0] == second);
    ck_assert_msg(strstr(err.what, "'r0'"), "%s", err.what);
    strcpy(index.entry[0].id, "r0"); /* whichever of the two the folder lists first */
    strcpy(index.entry[1].id, "gone");
    ck_assert_int_eq(sp_pins_find(&store, third, SP_TRACKED_BYTES, &index, pinned, &n, &err), SP_INPUT);
    ck_assert(n == 1 && pinned[0] == first);
    ck_assert_int_eq(sp_pins_find(&store, third, SP_TRACKED_TIME, &index, pinned, &n, &err), SP_OK);
    sp_index_free(&index);
    remove_dir();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("store");
    TCase *t = tcase_create("store");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, records_are_added_once_and_never_changed);
    tcase_add_test(t, an_empty_file_is_no_record);
    tcase_add_test(t, many_writers_lose_nothing);
    tcase_add_test(t, killed_writers_leave_whole_records);
    tcase_add_test(t, skimming_takes_what_is_wanted);
    tcase_add_test(t, index_remembers_and_names_what_is_damaged);
    tcase_add_test(t, accepted_baselines_are_kept);
    tcase_add_test(t, simulated_baselines_are_everybodys);
    suite_add_tcase(s, t);
    return run_suite(s);
}
