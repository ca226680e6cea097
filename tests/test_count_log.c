/* From counts to bytes and to trust: the arithmetic, and the whole protocol (windows, passes, background,
 * known volumes) under a counter that is a fake and counts as it is told to: rightly, twice, with a silent
 * channel, another socket's traffic, with overflow, with multiplexing, or not at all. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/count_log.h"
#include "probes/counting.h"
#include "probes/probe.h"
#include "run_suite.h"
#include "share.h"
#include "skipped_time.h"

START_TEST(counts_are_scaled_or_refused)
{
    struct sp_count_event wide = {.bits = 64}, narrow = {.bits = 48};
    enum sp_count_state state;
    double share;
    ck_assert_double_eq(sp_count_of(&wide, (struct sp_count){0, 1000, 1, 1}, &state, &share), 1000);
    ck_assert(state == SP_COUNT_EXACT && share == 1);
    ck_assert_double_eq(sp_count_of(&wide, (struct sp_count){0, 1000, 1, 0.5}, &state, &share), 2000);
    ck_assert(state == SP_COUNT_MULTIPLEXED && share == 0.5);
    ck_assert(isnan(sp_count_of(&wide, (struct sp_count){0, 0, 1, 0}, &state, NULL)) &&
              state == SP_COUNT_NONE);
    ck_assert(isnan(sp_count_of(&wide, (struct sp_count){5, 4, 1, 1}, &state, NULL))); /* backwards */
    ck_assert(isnan(sp_count_of(&wide, (struct sp_count){0, 4, 1, 1.5}, &state, NULL)));
    ck_assert(isnan(sp_count_of(&wide, (struct sp_count){0, NAN, 1, 1}, &state, NULL)));
    /* 48 bits start again once */
    double before = 0xfffffffffff0;
    ck_assert_double_eq(sp_count_of(&narrow, (struct sp_count){before, 16, 1, 1}, &state, NULL), 32);
}
END_TEST

static void add_event(struct sp_count_log *log, enum sp_direction direction, int channel, int domain,
                      int pass)
{
    struct sp_count_event e = {.level = "MEM",
                               .channel = channel,
                               .domain = domain,
                               .B_per_count = 64,
                               .bits = 64,
                               .pass = pass,
                               .direction = direction};
    snprintf(e.name, sizeof e.name, "unit_%d/%s", channel, sp_direction_name(direction));
    ck_assert_int_eq(sp_count_log_add_event(log, &e, NULL), SP_OK);
}

static void add_window(struct sp_count_log *log, enum sp_window_kind kind, int pass, double duration_s,
                       int64_t repetitions, const double *counts, double running_s)
{
    struct sp_count_window w = {.kind = kind,
                                .pass = pass,
                                .duration_s = duration_s,
                                .repetitions = repetitions},
                           *in;
    ck_assert_int_eq(sp_count_log_add_window(log, &w, &in, NULL), SP_OK);
    for (int i = 0; i < log->n_events; i++)
        if (log->event[i].pass == pass)
            in->count[i] = (struct sp_count){7, 7 + counts[i], duration_s, running_s};
}

START_TEST(bytes_of_one_execution)
{
    struct sp_count_log log = {.source = "test", .n_passes = 1};
    for (int channel = 0; channel < 2; channel++) {
        add_event(&log, SP_READS, channel, 0, 0);
        add_event(&log, SP_WRITES, channel, 0, 0);
    }
    const double job[4] = {3000, 600, 3000, 660}, idle[4] = {0, 0, 0, 20};
    add_window(&log, SP_WINDOW_JOB, 0, 0.3, 3, job, 0.3);
    struct sp_counted b = sp_count_log_bytes(&log, SP_WINDOW_JOB, NULL, "MEM", -1);
    ck_assert_double_eq(b.read_B.value, 2000 * 64.0);
    ck_assert_double_eq(b.write_B.value, 420 * 64.0);
    ck_assert_double_eq(b.total_B.value, 2420 * 64.0);
    ck_assert(b.read_B.origin == SP_MEASURED && b.read_B.lo == b.read_B.hi && b.idle_Bps.origin == SP_NONE);
    add_window(&log, SP_WINDOW_IDLE, 0, 0.1, 1, idle, 0.1); /* 20 counts in 0.1 s are 60 in 0.3 s */
    b = sp_count_log_bytes(&log, SP_WINDOW_JOB, NULL, "MEM", -1);
    ck_assert_double_eq_tol(b.write_B.value, 400 * 64.0, 1e-6);
    ck_assert_double_eq_tol(b.idle_Bps.value, 20 * 64 / 0.1, 1e-6);
    ck_assert_double_eq_tol(b.idle_share, 60.0 / 7260, 1e-9);
    ck_assert(sp_count_log_bytes(&log, SP_WINDOW_JOB, NULL, "L3", -1).total_B.origin == SP_NONE);
    log.window[0].count[0].running_s = 0.15; /* half of the time: twice the count, and an interval */
    b = sp_count_log_bytes(&log, SP_WINDOW_JOB, NULL, "MEM", -1);
    ck_assert_double_eq_tol(b.read_B.value, 3000 * 64.0, 1e-6);
    ck_assert(b.read_B.lo < 1600 * 64.0 && b.read_B.hi > 4000 * 64.0 && b.running_share == 0.5);
    log.window[0].count[2].running_s = 0;
    b = sp_count_log_bytes(&log, SP_WINDOW_JOB, NULL, "MEM", -1);
    ck_assert(b.read_B.origin == SP_NONE && strstr(b.read_B.why, "never on"));
    sp_count_log_free(&log);
}
END_TEST

START_TEST(directions_in_two_passes_and_sums)
{
    struct sp_count_log log = {.source = "test", .n_passes = 1};
    add_event(&log, SP_READS, 0, 0, 0);
    add_event(&log, SP_WRITES, 0, 0, 1);
    const double job[2] = {1000, 100};
    add_window(&log, SP_WINDOW_JOB, 0, 0.1, 1, job, 0.1);
    ck_assert(sp_count_log_bytes(&log, SP_WINDOW_JOB, NULL, "MEM", -1).total_B.origin == SP_NONE);
    add_window(&log, SP_WINDOW_JOB, 1, 0.2, 2, job, 0.2); /* the other pass ran it twice */
    struct sp_counted b = sp_count_log_bytes(&log, SP_WINDOW_JOB, NULL, "MEM", -1);
    ck_assert_double_eq(b.read_B.value, 64000);
    ck_assert_double_eq(b.write_B.value, 3200);
    sp_count_log_free(&log);

    struct sp_count_log both = {.source = "test", .n_passes = 1};
    add_event(&both, SP_READS_AND_WRITES, 0, 0, 0);
    add_window(&both, SP_WINDOW_JOB, 0, 0.1, 1, job, 0.1);
    b = sp_count_log_bytes(&both, SP_WINDOW_JOB, NULL, "MEM", -1);
    ck_assert(b.read_B.origin == SP_NONE && strstr(b.read_B.why, "together"));
    ck_assert_double_eq(b.total_B.value, 64000);
    sp_count_log_free(&both);
}
END_TEST

START_TEST(wrong_counters_are_called_by_their_names)
{
    static const struct {
        double counted;
        int channels;
        enum sp_trust trust;
        const char *words;
    } cases[] = {
        {1.02e9, 6, SP_TRUSTED, "1.020"},
        {2.03e9, 6, SP_TRUST_MULTIPLE, "2 times"},
        {2.95e9, 6, SP_TRUST_MULTIPLE, "3 times"},
        {0.835e9, 5, SP_TRUST_MISSING, "1 of 6"},
        {0.5e9, 2, SP_TRUST_MISSING, "2 of 4"},
        {0, 6, SP_TRUST_NOTHING, "nothing"},
        {NAN, 6, SP_TRUST_NOTHING, "no number"},
        {1.4e9, 6, SP_TRUST_OFF, "nothing simple"},
        {0.9e9, 0, SP_TRUST_MISSING, "may be missing"},
        {0.875e9, 14, SP_TRUST_MISSING, "may be missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_trust_verdict v = sp_trust_judge(cases[i].counted, 1e9, 0.05, cases[i].channels);
        ck_assert_msg(v.trust == cases[i].trust && strstr(v.text, cases[i].words), "case %zu: '%s'", i,
                      v.text);
    }
}
END_TEST

/* A machine that is made up: four channels, of one domain or two; jobs say what they move. */
enum fault {
    RIGHT,
    DOUBLE,
    SILENT_CHANNEL,
    OTHER_SOCKET,
    OTHER_SOCKET_READS, /* by a source that counts reads alone */
    OVERFLOW,
    MULTIPLEXED,
    NO_NUMBER,
    ZERO,
    BACKGROUND
};

static struct {
    enum fault fault;
    double w;               /* bytes moved per byte of a plain store */
    double read_B, write_B; /* since the machine was switched on */
    double start_s, enabled_s[2];
    double read_0, write_0;
    int n_domains;
} board;

enum { CHANNELS = 4 };

/* Every second event counts writes. */
static int step(void)
{
    return board.fault == OTHER_SOCKET_READS ? 2 : 1;
}

static enum sp_status fake_open(const struct sp_counter *self, const char *argument, void **state,
                                struct sp_count_log *log, struct sp_error *err)
{
    (void)self;
    (void)argument;
    (void)err;
    *state = NULL;
    for (int i = 0; i < 2 * CHANNELS; i += step()) {
        struct sp_count_event e = {.level = "MEM",
                                   .domain = board.n_domains > 1 ? i / 2 % 2 : 0,
                                   .channel = i / 2,
                                   .B_per_count = 64,
                                   .bits = board.fault == OVERFLOW ? 24 : 64,
                                   .direction = i % 2 ? SP_WRITES : SP_READS};
        snprintf(e.name, sizeof e.name, "fake_imc_%d", i / 2);
        ck_assert_int_eq(sp_count_log_add_event(log, &e, NULL), SP_OK);
    }
    return SP_OK;
}

static enum sp_status fake_start(void *state, int pass, struct sp_error *err)
{
    (void)state;
    (void)pass;
    (void)err;
    board.start_s = sp_now();
    board.read_0 = board.read_B;
    board.write_0 = board.write_B;
    return SP_OK;
}

static enum sp_status fake_stop(void *state, struct sp_count *count, struct sp_error *err)
{
    (void)state;
    (void)err;
    double t = sp_now() - board.start_s;
    for (int i = 0; i < 2 * CHANNELS; i += step()) {
        double lines = (i % 2 ? board.write_B - board.write_0 : board.read_B - board.read_0) / 64 / CHANNELS;
        double running = board.fault == MULTIPLEXED ? 0.8 * t : t;
        if (board.fault == DOUBLE)
            lines *= 2;
        if (board.fault == BACKGROUND)
            lines += 1e8 * t / 64;
        if (board.fault == SILENT_CHANNEL && i / 2 == 2)
            lines = 0;
        if (board.fault == OTHER_SOCKET ||
            board.fault == OTHER_SOCKET_READS) /* everything lies in domain 0 */
            lines = i / 2 % 2 == 1 ? 2 * lines : 0;
        if (board.fault == ZERO)
            lines = 0;
        double before = board.fault == OVERFLOW ? 0xfffff0 : 0, after = before + floor(lines * running / t);
        if (board.fault == OVERFLOW)
            after = fmod(after, 0x1000000);
        if (board.fault == NO_NUMBER)
            after = NAN;
        count[i / step()] = (struct sp_count){before, after, t, running};
    }
    return SP_OK;
}

static void fake_close(void *state)
{
    (void)state;
}

static const struct sp_counter fake = {"fake", fake_open, fake_start, fake_stop, fake_close};

/* Moves what it says, in a time that fits a window. */
static enum sp_status move_bytes(void *state, int64_t repetitions, struct sp_run_stats *stats,
                                 struct sp_error *err)
{
    const struct sp_known *k = state;
    (void)stats;
    (void)err;
    double gather = strcmp(k->what, "gather") == 0 ? 2 : 1; /* neighbours are fetched too */
    double w = strstr(k->what, "nt") ? 1 : board.w;
    for (int64_t i = 0; i < repetitions; i++) {
        skip_time(0.002);
        board.read_B += k->memory_share * (gather * k->load_B + (w - 1) * k->store_B);
        board.write_B += k->memory_share * k->store_B;
    }
    return SP_OK;
}

static const struct sp_known volumes[] = {
    {"load", 64e6, 0, 1, 0, NULL},      {"store", 0, 64e6, 1, 0, NULL},    {"copy", 32e6, 32e6, 1, 0, NULL},
    {"mix 7:1", 56e6, 8e6, 1, 0, NULL}, {"store nt", 0, 64e6, 1, 0, NULL}, {"gather", 64e6, 0, 1, 0, NULL},
    {"in cache", 200e6, 0, 0, 0, NULL}};

/* The known volumes and then a job of 40e6 B read and 8e6 B stored. */
static struct sp_trust_report examine(enum fault fault, double w, int n_domains,
                                      struct sp_traffic *job_traffic, json_t **log)
{
    static const struct sp_known job_volume = {
        .what = "job", .load_B = 40e6, .store_B = 8e6, .memory_share = 1};
    static const double all_in_first[2] = {1, 0};
    memset(&board, 0, sizeof board);
    board.fault = fault;
    board.w = w;
    board.n_domains = n_domains;
    void *session;
    ck_assert_int_eq(sp_counting_open(&fake, NULL, &session, NULL), SP_OK);
    struct sp_protocol p = sp_protocol_default(NULL);
    struct sp_reading r;
    for (size_t i = 0; i < sizeof volumes / sizeof *volumes; i++) {
        struct sp_job job = {
            .name = "known", .state = (void *)&volumes[i], .run = move_bytes, .n_threads = 1};
        struct sp_known known = volumes[i];
        known.n_shares = n_domains > 1 ? 2 : 0;
        known.domain_share = all_in_first;
        p.known = &known;
        ck_assert_int_eq(sp_counting_observe(session, &job, &p, &r, NULL), SP_OK);
    }
    struct sp_job job = {.name = "job", .state = (void *)&job_volume, .run = move_bytes, .n_threads = 1};
    p.known = NULL;
    ck_assert_int_eq(sp_counting_observe(session, &job, &p, &r, NULL), SP_OK);
    *job_traffic = r.traffic[0];
    struct sp_trust_report report = sp_trust_of(sp_counting_log(session), "MEM", 0.05);
    if (log)
        *log = sp_count_log_json(sp_counting_log(session));
    sp_counting_close(session);
    return report;
}

START_TEST(a_right_counter_is_believed)
{
    struct sp_traffic t;
    struct sp_trust_report r = examine(RIGHT, 2, 1, &t, NULL);
    ck_assert_msg(r.trusted, "%s", r.text);
    ck_assert_ptr_nonnull(strstr(r.text, "1.00"));
    ck_assert_double_eq_tol(t.read_B.value, 48e6, 1e3); /* 40 and the write-allocate's 8 */
    ck_assert_double_eq_tol(t.write_B.value, 8e6, 1e3);
    ck_assert_double_eq_tol(sp_trust_w(&r, 0.5, false).value, 2, 0.01);
    ck_assert_double_eq_tol(sp_trust_w(&r, 0.01, false).value, 2, 0.01);
    ck_assert_double_eq_tol(sp_trust_w(&r, 1, true).value, 1, 0.01);
    bool gather = false;
    for (int i = 0; i < r.n_checks; i++)
        if (strcmp(r.check[i].what, "gather") == 0)
            gather = strstr(r.check[i].verdict.text, "2.00 lines") != NULL && !r.check[i].decides;
    ck_assert_msg(gather, "the gather's granule is not said");
}
END_TEST

START_TEST(evaded_write_allocates_give_their_w)
{
    struct sp_traffic t;
    struct sp_trust_report r = examine(RIGHT, 1.25, 1, &t, NULL);
    ck_assert_msg(r.trusted, "%s", r.text);
    struct sp_value w = sp_trust_w(&r, 0.2, false);
    ck_assert(w.origin == SP_MEASURED);
    ck_assert_double_eq_tol(w.value, 1.25, 0.01);
}
END_TEST

START_TEST(faults_are_caught_in_the_right_words)
{
    static const struct {
        enum fault fault;
        int n_domains;
        const char *words;
    } cases[] = {{DOUBLE, 1, "every line 2 times"},
                 {SILENT_CHANNEL, 1, "1 of 4 channels count nothing (fake_imc_2)"},
                 {OTHER_SOCKET, 2, "another socket"},
                 {OTHER_SOCKET_READS, 2, "another socket"},
                 {NO_NUMBER, 1, "no number"},
                 {ZERO, 1, "nothing"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_traffic t;
        if (!share_has((int64_t)i, 0))
            continue;
        struct sp_trust_report r = examine(cases[i].fault, 2, cases[i].n_domains, &t, NULL);
        ck_assert_msg(!r.trusted && strstr(r.text, cases[i].words), "fault %d: %s", cases[i].fault, r.text);
    }
}
END_TEST

START_TEST(overflow_multiplexing_and_background_are_followed)
{
    struct sp_traffic t;
    struct sp_trust_report r = examine(OVERFLOW, 2, 1, &t, NULL);
    ck_assert_msg(r.trusted && strstr(r.text, "started again"), "%s", r.text);
    ck_assert_double_eq_tol(t.read_B.value, 48e6, 1e4);
    r = examine(MULTIPLEXED, 2, 1, &t, NULL);
    ck_assert_msg(r.trusted && strstr(r.text, "multiplexed"), "%s", r.text);
    ck_assert_double_eq_tol(t.read_B.value, 48e6, 1e4);
    ck_assert(t.read_B.lo < 0.9 * 48e6 && t.read_B.hi > 1.1 * 48e6);
    r = examine(BACKGROUND, 2, 1, &t, NULL);
    ck_assert_msg(r.trusted, "%s", r.text);
    ck_assert_double_eq_tol(t.read_B.value, 48e6, 0.02 * 48e6);
}
END_TEST

START_TEST(a_log_survives_json)
{
    struct sp_traffic t;
    json_t *json;
    struct sp_trust_report live = examine(SILENT_CHANNEL, 2, 1, &t, &json);
    struct sp_count_log log;
    struct sp_error err;
    ck_assert_msg(sp_count_log_from_json(json, "test", &log, &err) == SP_OK, "%s", err.what);
    struct sp_trust_report again = sp_trust_of(&log, "MEM", 0.05);
    ck_assert_str_eq(live.text, again.text);
    void *session;
    struct sp_reading r;
    struct sp_protocol p = sp_protocol_default(NULL);
    ck_assert_int_eq(sp_counting_of_log(&log, &session, NULL), SP_OK);
    ck_assert_int_eq(sp_counting_observe(session, NULL, &p, &r, NULL), SP_OK);
    ck_assert_double_eq_tol(r.traffic[0].read_B.value, t.read_B.value, 1e-6 * t.read_B.value);
    sp_counting_close(session);
    json_object_set_new(json_array_get(json_object_get(json, "events"), 1), "B_per_count", json_integer(0));
    ck_assert_int_eq(sp_count_log_from_json(json, "test", &log, &err), SP_INPUT);
    ck_assert_ptr_nonnull(strstr(err.what, "event 1"));
    json_decref(json);
}
END_TEST

START_TEST(windows_last_and_cold_executions_add_up)
{
    static const struct sp_known job_volume = {
        .what = "job", .load_B = 40e6, .store_B = 8e6, .memory_share = 1};
    struct sp_job job = {.name = "job", .state = (void *)&job_volume, .run = move_bytes, .n_threads = 1};
    memset(&board, 0, sizeof board);
    board.w = 1;
    void *session;
    struct sp_reading r;
    ck_assert_int_eq(sp_counting_open(&fake, NULL, &session, NULL), SP_OK);
    struct sp_protocol p = sp_protocol_default(NULL);
    p.state = SP_BETWEEN;
    p.between_B = 1 << 20;
    ck_assert_int_eq(sp_counting_observe(session, &job, &p, &r, NULL), SP_OK);
    ck_assert_double_eq_tol(r.traffic[0].read_B.value, 40e6, 1e3);
    const struct sp_count_log *log = sp_counting_log(session);
    for (int i = 0; i < log->n_windows; i++)
        ck_assert_msg(log->window[i].duration_s >= 0.1, "a window of %g s", log->window[i].duration_s);
    int n = log->n_windows;
    ck_assert_int_eq(sp_counting_observe(session, &job, &p, &r, NULL), SP_OK);
    ck_assert_int_eq(sp_counting_log(session)->n_windows,
                     n); /* the job's windows are those of the last job */
    sp_counting_close(session);
}
END_TEST

/* The loops do what they say: a window of each moves on, and sizes add up. */
START_TEST(known_volumes_run)
{
    struct sp_known_volumes v;
    struct sp_known_options o = {.n_threads = 2, .bytes = 8 << 20, .inner_B = 64 << 10};
    ck_assert_int_eq(sp_known_volumes_open(&o, &v, NULL), SP_OK);
    ck_assert_int_ge(v.n_known, 8);
    for (int i = 0; i < v.n_known; i++) {
        double thread_s[2] = {0, 0};
        struct sp_run_stats stats = {thread_s, 2};
        ck_assert_int_eq(v.job[i].run(v.job[i].state, 2, &stats, NULL), SP_OK);
        ck_assert_msg(thread_s[1] > 0, "%s takes no time", v.known[i].what);
        ck_assert(v.known[i].load_B + v.known[i].store_B > 0);
        if (v.known[i].memory_share > 0)
            ck_assert_msg(v.known[i].load_B + v.known[i].store_B <= (double)o.bytes, "%s", v.known[i].what);
    }
    sp_known_volumes_close(&v);
    sp_known_volumes_close(&v);
}
END_TEST

static const struct sp_core_event *event_named(const struct sp_core_events *events, const char *name)
{
    for (int i = 0; i < events->n; i++)
        if (strcmp(events->event[i].name, name) == 0)
            return &events->event[i];
    return NULL;
}

/* What the kernel counts itself is there everywhere; hardware events give a number or a reason. */
START_TEST(events_of_threads_are_counted_live)
{
    struct sp_known_volumes v;
    struct sp_known_options o = {.n_threads = 2, .bytes = 8 << 20, .inner_B = 64 << 10};
    struct sp_core_events events;
    ck_assert_int_eq(sp_known_volumes_open(&o, &v, NULL), SP_OK);
    ck_assert_int_eq(sp_core_events_observe(&v.job[0], SP_FLOPS_NONE, 0.1, &events, NULL), SP_OK);
    const struct sp_core_event *time = event_named(&events, "processor time");
    ck_assert(events.n == 8 && events.n_threads >= 2 && time);
    if (!sp_value_known(time->each)) {
        printf("SKIPPED processor time: %s\n", time->each.why);
    } else {
        double busy = time->each.value * (double)events.repetitions;
        ck_assert_msg(busy > 0 && busy < 1.1 * events.n_threads * events.seconds + 0.02,
                      "%g s of processor time in %g s", busy, events.seconds);
        ck_assert(sp_value_known(event_named(&events, "page faults")->each));
    }
    for (int i = 0; i < events.n; i++)
        ck_assert(sp_value_known(events.event[i].each) || events.event[i].each.why);
    sp_known_volumes_close(&v);
}
END_TEST

int main(int argc, char **argv)
{
    share_take(argc, argv, 3, 9);
    Suite *suite = suite_create("count_log");
    TCase *tc = tcase_create("count_log");
    tcase_add_test(tc, faults_are_caught_in_the_right_words);
    if (share_is_rest()) {
        tcase_add_test(tc, overflow_multiplexing_and_background_are_followed);
    } else {
        tcase_add_test(tc, counts_are_scaled_or_refused);
        tcase_add_test(tc, bytes_of_one_execution);
        tcase_add_test(tc, directions_in_two_passes_and_sums);
        tcase_add_test(tc, wrong_counters_are_called_by_their_names);
        tcase_add_test(tc, a_right_counter_is_believed);
        tcase_add_test(tc, evaded_write_allocates_give_their_w);
        tcase_add_test(tc, a_log_survives_json);
        tcase_add_test(tc, windows_last_and_cold_executions_add_up);
        tcase_add_test(tc, known_volumes_run);
        tcase_add_test(tc, events_of_threads_are_counted_live);
    }
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
