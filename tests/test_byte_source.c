/* Whole analyses, live, under a counter that is a fake: what it counts is measured traffic in the record;
 * where it stops answering in the middle the samples are kept and bytes are simulated; where it was asked for
 * that fails. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"
#include "session/analyze/analyze.h"

/* Says of every execution what it was told to; fails after so many observations. */
static struct {
    double read_B, write_B;
    bool fails;
    struct sp_count_log log;
} fake;

static enum sp_status fake_observe(void *session, const struct sp_job *job, const struct sp_protocol *p,
                                   struct sp_reading *reading, struct sp_error *err)
{
    (void)session;
    memset(reading, 0, sizeof *reading);
    if (fake.fails)
        return sp_fail(err, SP_ABSENT, "none", "the fake ended its process");
    ck_assert_ptr_null(p->known);
    ck_assert_int_eq(job->run(job->state, 1, NULL, err), SP_OK);
    sp_count_log_free(&fake.log);
    strcpy(fake.log.source, "fake");
    for (int d = 0; d < 2; d++) {
        struct sp_count_event e = {
            .level = "MEM", .B_per_count = 1, .bits = 64, .direction = (enum sp_direction)d};
        strcpy(e.name, "fake");
        ck_assert_int_eq(sp_count_log_add_event(&fake.log, &e, NULL), SP_OK);
    }
    struct sp_count_window w = {.kind = SP_WINDOW_JOB,
                                .duration_s = 0.1,
                                .repetitions = 10,
                                .memory_share = 1},
                           *in;
    ck_assert_int_eq(sp_count_log_add_window(&fake.log, &w, &in, NULL), SP_OK);
    in->count[0] = (struct sp_count){0, 10 * fake.read_B, 0.1, 0.1};
    in->count[1] = (struct sp_count){0, 10 * fake.write_B, 0.1, 0.1};
    return SP_OK;
}

static const struct sp_count_log *fake_log(const void *session)
{
    (void)session;
    return &fake.log;
}

static void fake_close(void *session)
{
    (void)session;
}

static const struct sp_probe fake_probe = {.name = "fake",
                                           .summary = "a fake",
                                           .gives_bytes = true,
                                           .counts = true,
                                           .observe = fake_observe,
                                           .log = fake_log,
                                           .close = fake_close};

/* A machine whose caches hold nothing, so that memory is the level of a small matrix. */
static void small_caches(struct sp_machine *m)
{
    memset(m, 0, sizeof *m);
    strcpy(m->name, "tiny");
    m->n_sockets = m->n_numa = m->n_domains = 1;
    m->n_cores = 2;
    m->n_caches = 2;
    for (int k = 0; k < 2; k++)
        m->cache[k] = (struct sp_cache){.level = k + 1,
                                        .size_B = 4096 << k,
                                        .effective_B = sp_value_none("not measured"),
                                        .line_B = 64,
                                        .ways = 8,
                                        .cores_sharing = k + 1};
}

static const struct sp_progress *progress; /* of the analyses below; NULL: nobody watches */

static enum sp_status analyse(struct sp_byte_source *source, struct sp_record *record, struct sp_error *err)
{
    struct sp_machine machine;
    struct sp_topology topology;
    struct sp_subject subject;
    struct sp_load_options load = {.n_threads = 2};
    small_caches(&machine);
    ck_assert_int_eq(sp_topology_read(&topology, NULL), SP_OK);
    ck_assert_int_eq(sp_subject_open("gen:laplace2d:300", &load, NULL, NULL, &subject, NULL), SP_OK);
    struct sp_analyze_options o = {.format = "crs",
                                   .schedule = "nnz",
                                   .precision = -1,
                                   .n_threads = 2,
                                   .store_nt = SP_CHOICE_OFF,
                                   .budget_s = 0.05,
                                   .max_samples = 10,
                                   .no_hints = true,
                                   .seed = 1,
                                   .machine = &machine,
                                   .topology = &topology,
                                   .bytes = source};
    enum sp_status status = sp_analyze(&subject, &o, progress, record, err);
    sp_subject_free(&subject);
    sp_topology_free(&topology);
    return status;
}

static struct sp_byte_source new_source(bool required)
{
    static int session;
    struct sp_byte_source s = {
        .probe = &fake_probe, .session = &session, .required = required, .tested = true};
    strcpy(s.name, "fake");
    s.trust.trusted = true;
    s.trust.ratio_lo = 0.98;
    s.trust.ratio_hi = 1.01;
    return s;
}

/* 300 x 300 grid: n_r = 90 000, n_nz = 448 800; alpha = 0.5 and w = 2 by construction. */
enum { N_R = 90000, N_NZ = 448800 };
static const double matrix_B = 12.0 * N_NZ + 4.0 * (N_R + 1), y_B = 8.0 * N_R;

START_TEST(counted_bytes_are_measured_traffic)
{
    struct sp_byte_source source = new_source(true);
    struct sp_record r;
    struct sp_error err;
    fake.read_B = matrix_B + y_B + 0.5 * 8 * N_NZ;
    fake.write_B = y_B;
    ck_assert_msg(analyse(&source, &r, &err) == SP_OK, "%s", err.what);
    struct sp_value V = sp_record_value(&r, SP_F_METRICS_BYTES),
                    alpha = sp_record_value(&r, SP_F_METRICS_ALPHA);
    ck_assert_int_eq(V.origin, SP_MEASURED);
    ck_assert_double_eq_tol(V.value, fake.read_B + fake.write_B, 1);
    /* the ratios of the known volumes: 0.98 to 1.01 */
    ck_assert_double_eq_tol(V.lo, V.value / 1.01, 10);
    ck_assert_double_eq_tol(V.hi, V.value / 0.98, 10);
    ck_assert(alpha.origin == SP_MEASURED && alpha.lo < 0.5 && alpha.hi > 0.5);
    ck_assert_double_eq_tol(alpha.value, 0.5, 1e-9);
    ck_assert_int_eq(sp_record_value(&r, SP_F_METRICS_ALPHA_SIMULATED).origin, SP_SIMULATED);
    const char *text;
    ck_assert(sp_record_text(&r, SP_F_CONFIG_BYTES, &text) && strcmp(text, "fake") == 0);
    double sum = 0, part;
    static const char *const parts[] = {"min_traffic", "padding", "extra_x", "imbalance", "in_core", "rest"};
    const bool doubtful = sp_record_text(&r, SP_F_CONDITIONS_DOUBT, &text);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(sp_record_number(&r, sp_field_in(SP_F_LOSSES, parts[i]), &part), !doubtful);
        sum += doubtful ? 0 : part;
    }
    if (doubtful) /* these invented bytes in this minute's time */
        printf("no losses to add up: %s\n", text);
    else
        ck_assert_double_eq_tol(sum, sp_record_value(&r, SP_F_METRICS_TIME).value, 1e-12);
    sp_record_free(&r);
    sp_count_log_free(&fake.log);
}
END_TEST

START_TEST(a_difference_is_attributed_to_what_was_tested)
{
    struct sp_byte_source source = new_source(true);
    struct sp_record r;
    fake.read_B = matrix_B + y_B + 3.0 * 8 * N_NZ; /* far above any simulation */
    fake.write_B = y_B;
    ck_assert_int_eq(analyse(&source, &r, NULL), SP_OK);
    double difference, left;
    ck_assert(sp_record_number(&r, SP_F_COUNTERS_ALPHA_DIFFERENCE_DIFFERENCE, &difference) && difference > 1);
    ck_assert(sp_record_number(&r, SP_F_COUNTERS_ALPHA_DIFFERENCE_UNATTRIBUTED, &left) && left > 0.5);
    const json_t *causes = sp_record_node(&r, SP_F_COUNTERS_ALPHA_DIFFERENCE_CAUSES), *cause;
    size_t i;
    bool background = false, pages = false;
    ck_assert(json_array_size(causes) >= 3);
    json_array_foreach(causes, i, cause)
    {
        const char *name = json_string_value(json_object_get(cause, "cause"));
        bool tested = json_is_true(json_object_get(cause, "tested"));
        background = background || (strcmp(name, "background") == 0 && !tested);
        pages = pages || (strcmp(name, "page size") == 0 && tested &&
                          json_number_value(json_object_get(cause, "explains")) == 0);
    }
    ck_assert_msg(pages, "the job was not counted again with other pages");
    ck_assert_msg(background, "there was no idle window, so background was not tested");
    sp_record_free(&r);
    sp_count_log_free(&fake.log);
}
END_TEST

START_TEST(fewer_bytes_than_the_matrix_leave_alpha_undefined)
{
    struct sp_byte_source source = new_source(true);
    struct sp_record r;
    fake.read_B = 0.5 * matrix_B;
    fake.write_B = y_B;
    ck_assert_int_eq(analyse(&source, &r, NULL), SP_OK);
    struct sp_value alpha = sp_record_value(&r, SP_F_METRICS_ALPHA);
    ck_assert(alpha.origin == SP_NONE && alpha.why);
    ck_assert_int_eq(sp_record_value(&r, SP_F_METRICS_BYTES).origin, SP_MEASURED);
    sp_record_free(&r);
    sp_count_log_free(&fake.log);
    fake.read_B = fake.write_B = 0; /* counts nothing: no measurement, and never 0 */
    source = new_source(true);
    ck_assert_int_eq(analyse(&source, &r, NULL), SP_OK);
    ck_assert_int_eq(sp_record_value(&r, SP_F_METRICS_BYTES).origin, SP_SIMULATED);
    sp_record_free(&r);
    sp_count_log_free(&fake.log);
}
END_TEST

START_TEST(a_source_that_dies_costs_the_bytes_only)
{
    struct sp_byte_source source = new_source(false);
    struct sp_record r;
    struct sp_error err;
    fake.fails = true;
    ck_assert_msg(analyse(&source, &r, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(sp_record_value(&r, SP_F_METRICS_BYTES).origin, SP_SIMULATED);
    ck_assert(sp_record_value(&r, SP_F_METRICS_TIME).origin == SP_MEASURED);
    const json_t *tried = json_array_get(sp_record_node(&r, SP_F_BYTES_TRIED), 0);
    ck_assert_str_eq(json_string_value(json_object_get(tried, "source")), "fake");
    ck_assert(strstr(json_string_value(json_object_get(tried, "reason")), "ended its process") != NULL);
    sp_record_free(&r);
    source = new_source(true); /* asked for: no simulation in its place */
    ck_assert_int_eq(analyse(&source, &r, &err), SP_ABSENT);
    ck_assert(strstr(err.what, "ended its process") != NULL);
}
END_TEST

START_TEST(words_that_bytes_takes)
{
    static const char *const good[] = {"auto", "sim", "perf", "papi", "likwid", "likwid:direct", "replay:x"},
                             *const bad[] = {"",      "time",       "replay",       "sim:x",
                                             "perf:", "likwid:odd", "papi:software"};
    for (int i = 0; i < 7; i++) {
        ck_assert_msg(sp_byte_source_knows(good[i]), "'%s'", good[i]);
        ck_assert_msg(!sp_byte_source_knows(bad[i]), "'%s'", bad[i]);
    }
}
END_TEST

static bool counted_down(void *n)
{
    return (*(int *)n)-- <= 0;
}

START_TEST(it_asks_before_each_step_and_keeps_what_is_known)
{
    static const char *const before[] = {"choosing a kernel", "converting", "making the vectors",
                                         "checking the result", "the first sample"};
    for (int k = 0; k < 5; k++) {
        struct sp_byte_source source = new_source(false);
        struct sp_record record;
        struct sp_error err;
        char expected[64];
        const char *text = "";
        int n = k;
        const struct sp_progress watch = {.interrupted = counted_down, .context = &n};
        progress = &watch;
        ck_assert_int_eq(analyse(&source, &record, &err), SP_INTERRUPTED);
        progress = NULL;
        snprintf(expected, sizeof expected, "interrupted before %s", before[k]);
        ck_assert_str_eq(err.what, expected);
        ck_assert(sp_record_text(&record, SP_F_STATUS, &text) && strcmp(text, "interrupted") == 0);
        ck_assert(sp_record_text(&record, SP_F_PROBLEM_NAME, &text) && *text);
        sp_record_free(&record);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("byte_source");
    TCase *tc = tcase_create("byte_source");
    tcase_add_test(tc, counted_bytes_are_measured_traffic);
    tcase_add_test(tc, a_difference_is_attributed_to_what_was_tested);
    tcase_add_test(tc, fewer_bytes_than_the_matrix_leave_alpha_undefined);
    tcase_add_test(tc, a_source_that_dies_costs_the_bytes_only);
    tcase_add_test(tc, words_that_bytes_takes);
    tcase_add_test(tc, it_asks_before_each_step_and_keeps_what_is_known);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
