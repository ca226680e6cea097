/* Variants of a run as options make them, and trials that measure them beside the run. */
#include <check.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "run_suite.h"
#include "session/analyze/sampling.h"
#include "session/trial/tries.h"

static enum sp_status add(struct sp_variant *v, const char *text)
{
    const struct sp_change change = typed(text);
    return sp_variant_add(v, &change, NULL);
}

START_TEST(options_are_added_and_replaced)
{
    struct sp_variant v = {0};
    const struct sp_analyze_options run = {
        .format = "crs", .schedule = "rows", .precision = SP_F64, .n_threads = 4, .small_pages = true};
    ck_assert_int_eq(add(&v, "--reorder rcm --format sell:8,1"), SP_OK);
    ck_assert_int_eq(add(&v, "--threads 2"), SP_OK);
    ck_assert_int_eq(add(&v, "--format crs --pages huge"), SP_OK);
    ck_assert_change_eq(v.change, "--reorder rcm --threads 2 --format crs --pages huge");
    const struct sp_analyze_options o = sp_variant_options(&v, &run);
    ck_assert_str_eq(o.format, "crs");
    ck_assert_str_eq(o.schedule, "rows");
    ck_assert(o.n_threads == 2 && !o.small_pages && o.precision == SP_F64);
    ck_assert_str_eq(sp_variant_order(&v), "rcm");

    v = (struct sp_variant){0}; /* one that stands alone */
    ck_assert_int_eq(add(&v, "--drop-zeros --threads 2"), SP_OK);
    ck_assert_int_eq(add(&v, "--format crs --drop-zeros"), SP_OK);
    ck_assert_change_eq(v.change, "--threads 2 --format crs --drop-zeros");
    ck_assert(sp_variant_drops_zeros(&v) && !sp_variant_is_same(&v, &(struct sp_variant){0}, &run));
    ck_assert_int_eq(sp_variant_check(&v.change, NULL), SP_OK);
}
END_TEST

/* A command that leaves a change of the matrix out runs another matrix. */
START_TEST(commands_repeat_what_was_done_to_the_matrix)
{
    const struct sp_analyze_options run = {.precision = -1, .n_threads = 4};
    const struct sp_workload w = {.precision = SP_F64, .schedule = SP_SCHEDULE_NNZ, .n_threads = 4};
    struct sp_subject subject = {.reorder = "none"};
    struct sp_change given = sp_run_change(&run, &w, &subject);
    ck_assert_change_eq(given, "--threads 4");
    strcpy(subject.reorder, "rcm");
    subject.facts.n_dropped = 3;
    given = sp_run_change(&run, &w, &subject);
    ck_assert_change_eq(given, "--drop-zeros --reorder rcm --threads 4");
}
END_TEST

/* A distance that was chosen is that of one format; one that was asked for stays, and is repeated. */
START_TEST(a_chosen_distance_of_prefetching_goes_with_its_format)
{
    struct sp_analyze_options run = {.format = "crs", .prefetch = 64};
    const struct sp_workload w = {.schedule = SP_SCHEDULE_NNZ, .n_threads = 1, .prefetch = 64};
    const struct sp_subject subject = {.reorder = "none"};
    struct sp_variant elsewhere = {0}, here = {0}, offsets = {0}, same = {0};
    ck_assert_int_eq(add(&elsewhere, "--format sellu:8,1"), SP_OK);
    ck_assert_int_eq(add(&here, "--threads 1"), SP_OK);
    ck_assert_int_eq(sp_variant_options(&elsewhere, &run).prefetch, 0);
    ck_assert_int_eq(sp_variant_options(&here, &run).prefetch, 64);
    ck_assert_int_eq(add(&offsets, "--index d16"), SP_OK); /* which are not prefetched for */
    ck_assert_int_eq(sp_variant_options(&offsets, &run).prefetch, 0);
    ck_assert_int_eq(add(&same, "--format crs"), SP_OK);
    ck_assert_int_eq(sp_variant_options(&same, &run).prefetch, 64);
    ck_assert_int_eq(sp_run_change(&run, &w, &subject).n, 1);
    run.prefetch_given = true;
    const struct sp_change given = sp_run_change(&run, &w, &subject);
    ck_assert_int_eq(sp_variant_options(&elsewhere, &run).prefetch, 64);
    ck_assert_change_eq(given, "--precision f64 --prefetch 64");
}
END_TEST

START_TEST(what_cannot_be_tried_changes_nothing)
{
    static const char *const wrong[] = {"--threads 4097",  "--threads 100000",
                                        "--rhs 65537",     "--rhs 0",
                                        "--threads none",  "--threads 0",
                                        "--precision f65", "--store maybe",
                                        "--store auto",    "--pages tiny",
                                        "--prefetch 9999", "--seed 1",
                                        "--index i16",     "--format crs --pin perhaps"};
    struct sp_variant v = {0}, before;
    ck_assert_int_eq(add(&v, "--store nt"), SP_OK);
    before = v;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct sp_error err;
        const struct sp_change change = typed(wrong[i]);
        ck_assert_int_eq(sp_variant_add(&v, &change, &err), SP_USAGE);
        ck_assert_ptr_nonnull(strstr(err.what, "cannot be tried"));
        ck_assert_str_ne(err.remedy, "");
        ck_assert_mem_eq(&v, &before, sizeof v);
    }
}
END_TEST

/* What the table says may be changed has a case here. */
START_TEST(each_option_of_changes_can_be_changed)
{
    static const char *const values[] = {"", "1", "f32", "i64", "plain", "small", "no"};
    for (int i = 0; i < SP_N_OPTIONS; i++) {
        bool taken = false;
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            struct sp_variant v = {0};
            const struct sp_change change = sp_change_of((enum sp_option)i, values[k]);
            taken |= sp_variant_add(&v, &change, NULL) == SP_OK;
        }
        ck_assert_msg(taken == ((sp_run_options[i].bits & SP_OF_CHANGE) != 0), "%s", sp_run_options[i].typed);
    }
}
END_TEST

/* A run on a matrix and what it needs. */
struct fixture {
    struct sp_machine machine;
    struct sp_topology topology;
    struct sp_subject subject;
    struct sp_analyze_options options;
};

static void open_fixture(const char *matrix, struct fixture *f)
{
    struct sp_load_options load = {.n_threads = 2};
    memset(f, 0, sizeof *f);
    strcpy(f->machine.name, "tiny");
    f->machine.n_sockets = f->machine.n_numa = f->machine.n_domains = 1;
    f->machine.n_cores = 2;
    f->machine.n_caches = 1;
    f->machine.cache[0] = (struct sp_cache){.level = 1,
                                            .size_B = 1 << 20,
                                            .effective_B = sp_value_none("not measured"),
                                            .line_B = 64,
                                            .ways = 8,
                                            .cores_sharing = 2};
    ck_assert_int_eq(sp_topology_read(&f->topology, NULL), SP_OK);
    ck_assert_int_eq(sp_subject_open(matrix, &load, NULL, NULL, &f->subject, NULL), SP_OK);
    f->options = (struct sp_analyze_options){.format = "crs",
                                             .schedule = "nnz",
                                             .precision = -1,
                                             .n_threads = 2,
                                             .budget_s = 0.05,
                                             .max_samples = 10,
                                             .seed = 1,
                                             .machine = &f->machine,
                                             .topology = &f->topology};
}

static void close_fixture(struct fixture *f)
{
    sp_subject_free(&f->subject);
    sp_topology_free(&f->topology);
}

/* An arrow in chunks of 32 unsorted rows stores ten times its entries, but how long that takes is the
 * machine's affair: what follows from a gain is asked of one that is given. */
START_TEST(trials_measure_beside_the_run)
{
    struct fixture f;
    struct sp_trials trials;
    struct sp_trial padded, reordered, refused;
    struct sp_error err;
    open_fixture("gen:arrow:60000", &f);
    ck_assert_int_eq(sp_trials_open(&f.subject, &f.options, NULL, NULL, &trials, &err), SP_OK);
    struct sp_variant v = {0};
    ck_assert_int_eq(add(&v, "--format sell:32,1"), SP_OK);
    ck_assert_int_eq(sp_trials_run(&trials, &v, 0.05, &padded, &err), SP_OK);
    ck_assert_msg(padded.status == SP_OK, "%s", padded.error.what);
    ck_assert(padded.gain.lo <= padded.gain.value && padded.gain.value <= padded.gain.hi);
    ck_assert(padded.time.value > 0 && padded.base_time.value > 0 && padded.n_pairs >= 3);
    ck_assert(padded.layout_s > 0 && padded.reorder_s == 0 && sp_trial_setup_executions(&padded) > 0);
    padded.gain = sp_value_of(-0.5, SP_MEASURED);
    ck_assert(sp_trial_pays_after(&padded) > 1e300);
    padded.gain = sp_value_of(0.5, SP_MEASURED);
    ck_assert_double_eq(sp_trial_pays_after(&padded), ceil(2 * padded.layout_s / padded.base_time.value));
    ck_assert_ptr_nonnull(strstr(padded.kernel, "sell"));

    v = (struct sp_variant){0};
    ck_assert_int_eq(add(&v, "--reorder reversed"), SP_OK);
    ck_assert_int_eq(sp_trials_run(&trials, &v, 0.02, &reordered, &err), SP_OK);
    ck_assert(reordered.status == SP_OK && reordered.reorder_s > 0 && reordered.n_processes == 1);
    ck_assert_int_eq(sp_trials_confirm(&trials, &v, 0.02, 2, &reordered, &err), SP_OK);
    ck_assert(reordered.status == SP_OK && reordered.n_processes == 2 && sp_value_known(reordered.gain));
    ck_assert(reordered.gain.lo <= reordered.gain.value && reordered.gain.value <= reordered.gain.hi);

    ck_assert_int_eq(add(&v, "--format bcsr:0x4"), SP_OK); /* seen when it is set up */
    ck_assert_int_eq(sp_trials_run(&trials, &v, 0.02, &refused, &err), SP_OK);
    ck_assert(refused.status == SP_USAGE && !sp_value_known(refused.gain) && refused.error.what[0]);
    sp_trials_close(&trials);
    sp_trials_close(&trials);
    close_fixture(&f);
}
END_TEST

/* A job that computes nothing, but looks where its threads may run. */
struct watcher {
    const struct sp_binding *binding;
    int n_free;      /* CPUs of a thread that is not pinned */
    int n_runs;      /* so far */
    int n_elsewhere; /* threads that might run elsewhere than bound */
};

static enum sp_status watch(void *state, int64_t repetitions, struct sp_run_stats *stats,
                            struct sp_error *err)
{
    struct watcher *w = state;
    int n_elsewhere = 0;
    (void)repetitions;
    (void)stats;
    (void)err;
#pragma omp parallel num_threads(w->binding->n_threads) reduction(+ : n_elsewhere)
    {
        cpu_set_t set;
        CPU_ZERO(&set);
        const int cpu = w->binding->cpu[omp_get_thread_num()];
        n_elsewhere += sched_getaffinity(0, sizeof set, &set) != 0 || !CPU_ISSET(cpu, &set) ||
                       CPU_COUNT(&set) != (w->binding->pinned ? 1 : w->n_free);
    }
    w->n_elsewhere += n_elsewhere;
    w->n_runs++;
    return SP_OK;
}

/* Samples in turn: n[0] threads and n[1]; the second of them pinned or not. */
static void sample_in_turn(const struct sp_topology *t, const int n[2], bool second_is_pinned)
{
    struct sp_binding binding[2];
    struct watcher watcher[2];
    struct sp_job job[2];
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(sp_binding_plan(t, n[i], SP_COMPACT, &binding[i], NULL), SP_OK);
        watcher[i] = (struct watcher){.binding = &binding[i], .n_free = t->n_allowed};
        job[i] = (struct sp_job){.name = "watch", .state = &watcher[i], .run = watch, .n_threads = n[i]};
    }
    if (second_is_pinned)
        ck_assert_int_eq(sp_binding_apply(&binding[1], NULL), SP_OK);
    ck_assert_int_eq(sp_binding_apply(&binding[0], NULL), SP_OK);
    const struct sp_sampling_options o = {
        .protocol = {.repetitions = 1, .min_samples = 3, .max_samples = 4, .budget_s = 0.01},
        .binding = &binding[0],
        .against = &job[1],
        .against_binding = &binding[1],
        .topology = t};
    struct sp_pairs pairs;
    struct sp_error err;
    ck_assert_msg(sp_sample_pairs(&job[0], &o, &pairs, &err) == SP_OK, "%s", err.what);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_gt(watcher[i].n_runs, 2);
        ck_assert_msg(watcher[i].n_elsewhere == 0, "%d and %d threads: %d of side %d were elsewhere", n[0],
                      n[1], watcher[i].n_elsewhere, i);
        sp_binding_undo(&binding[i], t);
        sp_binding_free(&binding[i]);
    }
    sp_pairs_free(&pairs);
}

/* The smaller team ends threads of the larger one, whose successors inherit the first one's CPU: of four on
 * two CPUs, the last belongs on the other one. */
START_TEST(both_sides_keep_their_threads_in_place)
{
    static const int teams[][2] = {{2, 4}, {4, 2}, {3, 4}, {4, 1}};
    struct sp_topology t;
    ck_assert_int_eq(sp_topology_read(&t, NULL), SP_OK);
    if (t.n_allowed < 2)
        printf("skipped: one CPU is allowed, every thread belongs there\n");
    for (size_t i = 0; t.n_allowed > 1 && i < sizeof teams / sizeof *teams; i++)
        sample_in_turn(&t, teams[i], true);
    static const int same[2] = {2, 2};
    if (t.n_allowed > 1)
        sample_in_turn(&t, same, false);
    sp_topology_free(&t);
}
END_TEST

/* A pinned variant beside a run that is not: afterwards the threads may run anywhere again; and the other way
 * round they are pinned again. */
START_TEST(a_trial_leaves_the_threads_as_the_run_has_them)
{
    for (int run_is_free = 0; run_is_free < 2; run_is_free++) {
        struct fixture f;
        struct sp_trials trials;
        struct sp_trial trial;
        struct sp_error err;
        open_fixture("gen:laplace2d:60", &f);
        f.options.not_pinned = run_is_free;
        ck_assert_int_eq(sp_trials_open(&f.subject, &f.options, NULL, NULL, &trials, &err), SP_OK);
        struct sp_variant v = {0};
        ck_assert_int_eq(add(&v, run_is_free ? "--pin yes" : "--pin no"), SP_OK);
        ck_assert_int_eq(sp_trials_run(&trials, &v, 0.01, &trial, &err), SP_OK);
        ck_assert_msg(trial.status == SP_OK, "%s", trial.error.what);
        struct watcher w = {.binding = &trials.base->binding, .n_free = f.topology.n_allowed};
        ck_assert(w.binding->pinned == !run_is_free);
        ck_assert_int_eq(watch(&w, 1, NULL, NULL), SP_OK);
        ck_assert_msg(w.n_elsewhere == 0, "%d threads of a run that is%s pinned", w.n_elsewhere,
                      run_is_free ? " not" : "");
        sp_binding_undo(&trials.own.binding, &f.topology);
        sp_trials_close(&trials);
        close_fixture(&f);
    }
}
END_TEST

/* The run itself lends its arrays: nothing is set up twice, and it has them back afterwards. */
START_TEST(a_trial_borrows_the_run)
{
    struct fixture f;
    struct sp_trials own, borrowed;
    struct sp_trial trial;
    struct sp_error err;
    open_fixture("gen:laplace2d:60", &f);
    ck_assert_int_eq(sp_trials_open(&f.subject, &f.options, NULL, NULL, &own, &err), SP_OK);
    sp_trials_borrow(&f.subject, &f.options, own.base, NULL, &borrowed);
    ck_assert_ptr_eq(borrowed.base, &own.own);
    ck_assert_ptr_null(borrowed.own.kernel);
    struct sp_variant v = {0};
    ck_assert_int_eq(add(&v, "--format sellu:8,1"), SP_OK);
    ck_assert_int_eq(sp_trials_run(&borrowed, &v, 0.01, &trial, &err), SP_OK);
    ck_assert_msg(trial.status == SP_OK, "%s", trial.error.what);
    ck_assert_ptr_nonnull(strstr(trial.kernel, "sellu"));
    sp_trials_close(&borrowed);
    ck_assert_int_eq(own.base->job.run(own.base->job.state, 1, NULL, &err), SP_OK);
    sp_trials_close(&own);
    close_fixture(&f);
}
END_TEST

/* Every third entry becomes 0: variants find the others alone, in any order, and the run keeps them all. */
START_TEST(trials_leave_zeros_out)
{
    struct fixture f;
    struct sp_trials trials;
    struct sp_trial trial;
    struct sp_error err;
    struct sp_csr got;
    open_fixture("gen:laplace2d:60", &f);
    const int64_t n_nz = f.subject.matrix.n_nz;
    for (int64_t j = 0; j < n_nz; j += 3)
        f.subject.matrix.val[j] = 0;
    ck_assert_int_eq(sp_trials_open(&f.subject, &f.options, NULL, NULL, &trials, &err), SP_OK);
    trials.takes_disturbed = true; /* what they find counts here, not their time */
    static const char *const changes[] = {"--drop-zeros", "--drop-zeros --reorder rcm", "--reorder rcm"};
    for (int i = 0; i < 3; i++) {
        struct sp_variant v = {0};
        ck_assert_int_eq(add(&v, changes[i]), SP_OK);
        ck_assert_int_eq(sp_trials_order(&trials, &v, &got, &err), SP_OK);
        ck_assert_int_eq(got.n_nz, i < 2 ? n_nz - (n_nz + 2) / 3 : n_nz);
        ck_assert_int_eq(sp_trials_run(&trials, &v, 0.01, &trial, &err), SP_OK);
        ck_assert_msg(trial.status == SP_OK && trial.reorder_s > 0, "%s", trial.error.what);
        /* An entry that is left out is time saved: the work that counts is the same. */
        struct sp_workload w = trials.base->workload;
        w.matrix = &got;
        ck_assert_double_eq_tol(sp_trial_work(&w, &trials.base->workload), 1, 1e-12);
        w.op = SP_OP_SPMMV;
        w.r = 4;
        ck_assert_double_eq_tol(sp_trial_work(&w, &trials.base->workload), 4, 1e-12);
        w.precision = SP_C128; /* more operations, but of the same products */
        ck_assert_double_eq_tol(sp_trial_work(&w, &trials.base->workload), 4, 1e-12);
    }
    ck_assert_int_eq(f.subject.matrix.n_nz, n_nz);
    sp_trials_close(&trials);
    close_fixture(&f);
}
END_TEST

/* A subject that keeps its original is measured in any other order; one that does not says so. */
START_TEST(orders_start_from_the_original)
{
    struct fixture f;
    struct sp_trials trials;
    struct sp_error err;
    struct sp_csr got;
    struct sp_variant none = {0}, reversed = {0};
    open_fixture("gen:arrow:500", &f);
    const int64_t first_row = f.subject.matrix.row_ptr[1];
    ck_assert_int_eq(add(&none, "--reorder none"), SP_OK);
    ck_assert_int_eq(add(&reversed, "--reorder reversed"), SP_OK);
    ck_assert_int_eq(sp_subject_reorder(&f.subject, "reversed", NULL, NULL, &err), SP_OK);
    ck_assert_str_eq(f.subject.reorder, "reversed");
    ck_assert_int_eq(f.subject.matrix.row_ptr[1], 2);
    ck_assert_int_eq(sp_trials_open(&f.subject, &f.options, NULL, NULL, &trials, &err), SP_OK);
    ck_assert_int_eq(sp_trials_order(&trials, &none, &got, &err), SP_OK);
    ck_assert_int_eq(got.row_ptr[1], first_row);
    ck_assert_int_eq(sp_trials_order(&trials, &reversed, &got, &err), SP_OK);
    ck_assert_ptr_eq(got.row_ptr, f.subject.matrix.row_ptr);
    f.subject.has_original = false;
    ck_assert_int_eq(sp_trials_order(&trials, &none, &got, &err), SP_ABSENT);
    sp_trials_close(&trials);
    close_fixture(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trial");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, options_are_added_and_replaced);
    tcase_add_test(tests, commands_repeat_what_was_done_to_the_matrix);
    tcase_add_test(tests, a_chosen_distance_of_prefetching_goes_with_its_format);
    tcase_add_test(tests, what_cannot_be_tried_changes_nothing);
    tcase_add_test(tests, each_option_of_changes_can_be_changed);
    tcase_add_test(tests, both_sides_keep_their_threads_in_place);
    tcase_add_test(tests, a_trial_leaves_the_threads_as_the_run_has_them);
    tcase_add_test(tests, trials_measure_beside_the_run);
    tcase_add_test(tests, a_trial_borrows_the_run);
    tcase_add_test(tests, trials_leave_zeros_out);
    tcase_add_test(tests, orders_start_from_the_original);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
