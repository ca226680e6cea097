/* The store of records, its index, and the verdicts on series. */
#include <check.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "track/judge.h"
#include "track/pins.h"
#include "track/skim.h"

static char dir[64];

static void make_dir(void)
{
    strcpy(dir, "/tmp/test_store.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void remove_dir(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    ck_assert_int_eq(system(command), 0);
}

/* A record of `format` with runs around `time`; written to dir/NAME.json, whose path is returned. */
static const char *write_record(const char *name, int day, const char *format, const char *env,
                                const double *time, int n_runs, double bytes)
{
    static char path[256];
    char text[64];
    struct sp_record r;
    struct sp_error err;
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_set_text(&r, "id", name);
    snprintf(text, sizeof text, "2026-11-%02dT12:00:00Z", day);
    sp_record_set_text(&r, "time.start", text);
    sp_record_set_text(&r, "status", "complete");
    sp_record_set_text(&r, "problem.name", "m");
    sp_record_set_text(&r, "problem.sha256", "abc");
    sp_record_set_count(&r, "request.version", 1);
    sp_record_set_text(&r, "request.format", format);
    sp_record_set_text(&r, "config.format_option", format);
    sp_record_set_text(&r, "env.key", env);
    double sum = 0;
    for (int i = 0; i < n_runs; i++) {
        json_t *run = json_pack("{s:[f,f,f], s:[f,f]}", "time_s", time[i], time[i] * 1.1, time[i] * 0.9,
                                "roof_Bps", 20e9, 20e9);
        sp_record_append(&r, "runs", run);
        sum += time[i] / n_runs;
    }
    sp_record_set_metric(&r, "time", sp_value_of(sum, SP_MEASURED), "s", "lower", "mean");
    sp_record_set_metric(&r, "bytes", sp_value_of(bytes, SP_SIMULATED), "B", "lower", "simulated");
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

/* A writer is killed ten times in the middle of its work: what is there is whole. */
START_TEST(killed_writers_leave_whole_records)
{
    make_dir();
    struct sp_store store = open_store();
    struct sp_index index;
    struct sp_error err;
    for (int round = 0; round < 10; round++) {
        const pid_t child = fork();
        if (child == 0) {
            char name[32], path[4096];
            bool added;
            for (int i = 0;; i++) {
                snprintf(name, sizeof name, "k%d-%d", round, i);
                sp_store_add(&store, write_record(name, 1 + i % 28, "crs", "e", steady, 5, 1e6), &added, path,
                             &err);
            }
        }
        usleep(20000);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    ck_assert_int_eq(sp_index_open(&store, NULL, false, NULL, &index, &err), SP_OK);
    ck_assert_msg(index.n > 10 && index.n_bad == 0, "%d records, %d damaged", (int)index.n, index.n_bad);
    sp_index_free(&index);
    remove_dir();
}
END_TEST

START_TEST(index_remembers_and_names_what_is_damaged)
{
    make_dir();
    struct sp_store store = open_store();
    struct sp_index index;
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

/* Entries as the judge takes them. */
static struct sp_entry entry(int day, double time, double bytes, double roof, const char *env)
{
    struct sp_entry e = {.n_runs = 5};
    snprintf(e.id, sizeof e.id, "r%d", day);
    snprintf(e.start, sizeof e.start, "2026-11-%02uT12:00:00Z", (unsigned)day % 32);
    strcpy(e.series, "s");
    snprintf(e.env, sizeof e.env, "%s", env);
    strcpy(e.origin[SP_TRACKED_BYTES], "simulated");
    for (int i = 0; i < 5; i++)
        e.time_s[i] = time * steady[i];
    for (int m = 0; m < SP_N_TRACKED; m++)
        e.metric[m] = NAN;
    e.metric[SP_TRACKED_TIME] = time;
    e.metric[SP_TRACKED_BYTES] = bytes;
    e.metric[SP_TRACKED_ROOF] = roof;
    return e;
}

static struct sp_judgement judge(const struct sp_entry *e, int n, const struct sp_entry *pin,
                                 enum sp_tracked metric)
{
    const struct sp_judge_options o = {.metric = metric, .seed = 1};
    const struct sp_entry *list[32];
    struct sp_judgement j;
    for (int i = 0; i < n; i++)
        list[i] = &e[i];
    sp_judge(list, n, &pin, pin != NULL, &o, &j);
    return j;
}

START_TEST(verdicts_and_their_reasons)
{
    struct sp_entry e[4] = {entry(1, 1, 1e6, 20e9, "e"), entry(2, 1.002, 1e6, 20e9, "e"),
                            entry(3, 0.999, 1e6, 20e9, "e"), entry(4, 1.001, 1e6, 20e9, "e")};
    struct sp_judgement j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert(j.verdict == SP_TRACK_OK && j.n_before == 3 && j.n_after == 1);
    e[3] = entry(4, 1.10, 1.1e6, 20e9, "e");
    j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
    ck_assert_ptr_nonnull(strstr(j.attribution.text, "more traffic, same speed"));
    e[3] = entry(4, 1.10, 1e6, 20e9, "e");
    j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert_ptr_nonnull(strstr(j.attribution.text, "same traffic, less bandwidth at the kernel"));
    e[3] = entry(4, 1.10, 1e6, 18e9, "e");
    j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert_ptr_nonnull(strstr(j.attribution.text, "the machine drifted"));
    e[3] = entry(4, 0.9, 1e6, 20e9, "e");
    ck_assert_int_eq(judge(e, 4, NULL, SP_TRACKED_TIME).verdict, SP_TRACK_IMPROVED);
    e[3] = entry(4, 1, 1e6, 20e9, "another");
    j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert_int_eq(j.verdict, SP_TRACK_NOT_COMPARABLE);
    ck_assert_int_eq(sp_track_exit_code(j.verdict), 5);
    ck_assert_int_eq(judge(e, 1, NULL, SP_TRACKED_TIME).verdict, SP_TRACK_INCONCLUSIVE);
    e[3] = entry(4, 1.001, 1.002e6, 20e9, "e"); /* a gate without noise: 0.2 % of the bytes */
    j = judge(e, 4, NULL, SP_TRACKED_BYTES);
    ck_assert(j.verdict == SP_TRACK_REGRESSED && j.is_exact);
}
END_TEST

/* Steps of 2 % pass one by one; the accepted baseline remembers where they began. */
START_TEST(small_steps_cannot_add_up)
{
    struct sp_entry e[5];
    double t = 1;
    for (int i = 0; i < 5; i++, t *= 1.02)
        e[i] = entry(1 + i, t, 1e6, 20e9, "e");
    ck_assert_int_eq(judge(e, 2, NULL, SP_TRACKED_TIME).verdict, SP_TRACK_OK);
    struct sp_judgement j = judge(e, 5, &e[0], SP_TRACKED_TIME);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
    ck_assert(j.has_pinned && j.pinned.change > 0.07);
}
END_TEST

/* Of forty unchanged series and one that is slower only that one is called regressed. */
START_TEST(many_series_are_judged_together)
{
    enum { N = 41 };
    struct sp_entry e[N][3];
    struct sp_judgement j[N];
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++)
            e[i][k] = entry(1 + k, k == 2 && i == 17 ? 1.2 : 1, 1e6, 20e9, "e");
        j[i] = judge(e[i], 3, NULL, SP_TRACKED_TIME);
    }
    sp_judge_many(j, N, 0.05);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(j[i].verdict, i == 17 ? SP_TRACK_REGRESSED : SP_TRACK_OK);
    j[17].p = 0.04; /* among 41 that is chance */
    sp_judge_many(j, N, 0.05);
    ck_assert_int_eq(j[17].verdict, SP_TRACK_INCONCLUSIVE);
    ck_assert_ptr_nonnull(strstr(j[17].why, "among 41 series"));
}
END_TEST

/* What another session has confirmed is no discovery by chance, and no test among the others. */
START_TEST(what_is_confirmed_stays)
{
    struct sp_entry e[3];
    struct sp_judgement j[2];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++)
            e[k] = entry(1 + k, k == 2 ? 1.2 : 1, 1e6, 20e9, "e");
        j[i] = judge(e, 3, NULL, SP_TRACKED_TIME);
        ck_assert_int_eq(j[i].verdict, SP_TRACK_REGRESSED);
        j[i].p = 0.2;
    }
    j[0].confirmed = SP_CONFIRMED;
    sp_judge_many(j, 2, 0.05);
    ck_assert_int_eq(j[0].verdict, SP_TRACK_REGRESSED);
    ck_assert_int_eq(j[1].verdict, SP_TRACK_INCONCLUSIVE);
    ck_assert_msg(strstr(j[1].why, "among 1 series"), "%s", j[1].why);
    ck_assert_msg(strstr(j[1].why, "p = 0.200"), "%s", j[1].why);
}
END_TEST

/* The p of either baseline, doubled because either may decide. */
START_TEST(two_baselines_are_two_tests)
{
    struct sp_entry e[3] = {entry(1, 1, 1e6, 20e9, "e"), entry(2, 1.01, 1e6, 20e9, "e"),
                            entry(3, 1.012, 1e6, 20e9, "e")};
    const struct sp_judgement j = judge(e, 3, &e[0], SP_TRACKED_TIME);
    ck_assert(j.has_pinned && j.n_before == 2);
    ck_assert_double_eq_tol(j.p, fmin(1, 2 * fmin(j.shift.p, j.pinned.p)), 1e-15);
    ck_assert_double_eq_tol(judge(e, 3, NULL, SP_TRACKED_TIME).p, j.shift.p, 1e-15);
}
END_TEST

/* A change of level among the sessions before is one step: the gate sees the next one all the same. */
START_TEST(a_past_step_does_not_blind)
{
    struct sp_entry e[11];
    for (int i = 0; i < 10; i++)
        e[i] = entry(1 + i, (i < 5 ? 1 : 1.3) * (i % 2 ? 1.002 : 1), 1e6, 20e9, "e");
    e[10] = entry(11, 1.5, 1e6, 20e9, "e");
    const struct sp_judgement j = judge(e, 11, NULL, SP_TRACKED_TIME);
    ck_assert_msg(j.shift.floor < 0.2, "floor %g", j.shift.floor);
    /* Sessions that differ each time do raise it. */
    for (int i = 0; i < 10; i++)
        e[i] = entry(1 + i, i % 2 ? 1.1 : 1, 1e6, 20e9, "e");
    ck_assert_double_gt(judge(e, 11, NULL, SP_TRACKED_TIME).shift.floor, 0.2);
    /* Records of one session are one value. */
    for (int i = 0; i < 10; i++)
        strcpy(e[i].commit, "same");
    for (int i = 0; i < 10; i++)
        snprintf(e[i].start, sizeof e[i].start, "2026-11-01T12:%02d:00Z", i);
    ck_assert_double_lt(judge(e, 11, NULL, SP_TRACKED_TIME).shift.floor, 0.2);
}
END_TEST

START_TEST(a_session_is_not_held_against_itself)
{
    struct sp_entry e[2] = {entry(1, 1, 1e6, 20e9, "e"), entry(2, 1.2, 1e6, 20e9, "e")};
    struct sp_judgement j = judge(e, 1, &e[0], SP_TRACKED_TIME);
    ck_assert(j.verdict == SP_TRACK_INCONCLUSIVE && !j.has_pinned);
    ck_assert_msg(strstr(j.why, "accepted baseline itself"), "%s", j.why);
    j = judge(e, 2, &e[1], SP_TRACKED_TIME); /* those before it count still */
    ck_assert(j.verdict == SP_TRACK_REGRESSED && !j.has_pinned && j.n_before == 1);
}
END_TEST

/* However long the session is, what was before it is found. */
START_TEST(long_sessions_have_a_before)
{
    enum { N = 70 };
    static struct sp_entry e[N + 1];
    const struct sp_entry *list[N + 1];
    const struct sp_judge_options o = {.metric = SP_TRACKED_TIME, .seed = 1};
    struct sp_judgement j;
    e[0] = entry(1, 1, 1e6, 20e9, "e");
    for (int i = 1; i <= N; i++) {
        e[i] = entry(2, 1.2, 1e6, 20e9, "e");
        snprintf(e[i].id, sizeof e[i].id, "s%d", i);
        strcpy(e[i].commit, "one");
        snprintf(e[i].start, sizeof e[i].start, "2026-11-02T12:%02u:%02uZ", (unsigned)i / 60u,
                 (unsigned)i % 60u);
    }
    for (int i = 0; i <= N; i++)
        list[i] = &e[i];
    sp_judge(list, N + 1, NULL, 0, &o, &j);
    ck_assert(j.verdict == SP_TRACK_REGRESSED && j.n_before == 1 && j.n_after == SP_MOST_OF_SESSION);
    ck_assert_ptr_eq(j.oldest, &e[1]);
    ck_assert_ptr_eq(j.newest, &e[N]);
}
END_TEST

START_TEST(what_differs_is_named)
{
    struct sp_entry e[2] = {entry(1, 1, 1e6, 20e9, "e"), entry(2, 1, 1e6, 20e9, "f")};
    struct sp_judgement j = judge(e, 2, NULL, SP_TRACKED_TIME);
    ck_assert_ptr_eq(j.other, &e[0]);
    ck_assert_msg(strstr(j.why, "another environment"), "%s", j.why);
    strcpy(e[1].caches, "other");
    j = judge(e, 2, NULL, SP_TRACKED_BYTES);
    ck_assert_msg(j.verdict == SP_TRACK_NOT_COMPARABLE && strstr(j.why, "other caches"), "%s", j.why);
    strcpy(e[1].origin[SP_TRACKED_BYTES], "measured");
    j = judge(e, 2, NULL, SP_TRACKED_BYTES);
    ck_assert_msg(strstr(j.why, "its bytes are measured, those of the records before it simulated"), "%s",
                  j.why);
}
END_TEST

/* What a record has once needs more records; a fraction is of the roof beside its run. */
START_TEST(values_of_records_and_of_runs)
{
    struct sp_entry e[4];
    for (int i = 0; i < 4; i++) {
        e[i] = entry(1 + i, 1, 1e6, 20e9, "e");
        e[i].metric[SP_TRACKED_LAMBDA] = 1.1;
        e[i].metric[SP_TRACKED_FRACTION] = 0.8;
        strcpy(e[i].origin[SP_TRACKED_ROOF], "measured");
        for (int k = 0; k < 5; k++) { /* a machine that changes its speed from run to run */
            e[i].time_s[k] = 1 + 0.2 * (k - 2);
            e[i].roof_Bps[k] = 20e9 / e[i].time_s[k];
        }
    }
    struct sp_judgement j = judge(e, 4, NULL, SP_TRACKED_LAMBDA);
    ck_assert_msg(j.verdict == SP_TRACK_INCONCLUSIVE && strstr(j.why, "more records a side"), "%s", j.why);
    j = judge(e, 4, NULL, SP_TRACKED_FRACTION);
    ck_assert_msg(j.verdict == SP_TRACK_OK && j.shift.noise < 1e-6, "noise %g", j.shift.noise);
    j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert_double_gt(j.shift.noise, 0.1);
}
END_TEST

START_TEST(accepted_baselines_are_kept)
{
    make_dir();
    struct sp_store store = open_store();
    struct sp_index index;
    struct sp_error err;
    const struct sp_entry *pinned[SP_MOST_PINNED];
    char path[4096];
    bool added, had;
    int n;
    ck_assert_int_eq(
        sp_store_add(&store, write_record("a", 1, "crs", "e", steady, 5, 1e6), &added, path, &err), SP_OK);
    ck_assert_int_eq(sp_index_open(&store, NULL, false, NULL, &index, &err), SP_OK);
    const struct sp_entry *one = &index.entry[0];
    ck_assert_int_eq(sp_pins_find(&store, one, &index, pinned, &n, &err), SP_OK);
    ck_assert_int_eq(n, 0);
    ck_assert_int_eq(sp_pins_set(&store, &one, 1, "as released", &err), SP_OK);
    ck_assert_int_eq(sp_pins_find(&store, one, &index, pinned, &n, &err), SP_OK);
    ck_assert(n == 1 && pinned[0] == one);
    strcpy(index.entry[0].id, "gone");
    ck_assert_int_eq(sp_pins_find(&store, one, &index, pinned, &n, &err), SP_INPUT);
    ck_assert_int_eq(sp_pins_drop(&store, one, &had, &err), SP_OK);
    ck_assert(had);
    ck_assert_int_eq(sp_pins_drop(&store, one, &had, &err), SP_OK);
    ck_assert(!had);
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
    tcase_add_test(t, many_writers_lose_nothing);
    tcase_add_test(t, killed_writers_leave_whole_records);
    tcase_add_test(t, skimming_takes_what_is_wanted);
    tcase_add_test(t, index_remembers_and_names_what_is_damaged);
    tcase_add_test(t, verdicts_and_their_reasons);
    tcase_add_test(t, small_steps_cannot_add_up);
    tcase_add_test(t, many_series_are_judged_together);
    tcase_add_test(t, what_is_confirmed_stays);
    tcase_add_test(t, two_baselines_are_two_tests);
    tcase_add_test(t, a_past_step_does_not_blind);
    tcase_add_test(t, a_session_is_not_held_against_itself);
    tcase_add_test(t, long_sessions_have_a_before);
    tcase_add_test(t, what_differs_is_named);
    tcase_add_test(t, values_of_records_and_of_runs);
    tcase_add_test(t, accepted_baselines_are_kept);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
