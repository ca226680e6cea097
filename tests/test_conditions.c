/* Was a sample disturbed, in what state was the machine, and can a verdict be given? */
#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernels/kernel.h"
#include "run_suite.h"
#include "session/analyze/analysis.h"
#include "session/gpu/gpu_analysis.h"
#include "session/measure/conditions.h"
#include "sparse/generate/generate.h"
#include "sparse/product/workload.h"
#include "sys/noise.h"

/* A look at two threads: the second one ran `ran` of 1 s, was taken off and went to sleep so
 * often. */
static struct sp_disturbance second_thread(double ran, int involuntary, int voluntary, int cpu)
{
    const struct sp_thread_clock before[2] = {{10, 3, -1, 5, 7, 0}, {10, 4, -1, 5, 7, 1}};
    const struct sp_thread_clock after[2] = {{11, 4, -1, 5, 7, 0},
                                             {11, 4 + ran, -1, 5 + involuntary, 7 + voluntary, cpu}};
    return sp_disturbance_between(before, after, 2);
}

START_TEST(what_a_thread_lacks_against_its_will_disturbs)
{
    ck_assert(!second_thread(1, 0, 0, 1).disturbed);
    ck_assert(!second_thread(0.96, 1, 0, 1).disturbed); /* a short one does no harm */
    ck_assert(!second_thread(0.4, 0, 3, 1).disturbed);  /* it waited for the other one */
    ck_assert(second_thread(0.4, 1, 3, 1).disturbed);
    ck_assert(second_thread(0.9, 0, 0, 1).disturbed); /* stolen: it never slept */
    ck_assert(second_thread(1, 0, 0, 0).disturbed);
    const struct sp_disturbance d = second_thread(0.4, 2, 0, 3);
    ck_assert_double_eq_tol(d.lost_share, 0.6, 1e-12);
    ck_assert_int_eq(d.taken_off, 2);
    ck_assert_int_eq(d.n_moved, 1);
    /* it slept, and waited for a processor when it was woken */
    const struct sp_thread_clock woken[2] = {{10, 4, 2, 5, 7, 1}, {11, 4.4, 2.3, 5, 9, 1}};
    ck_assert_double_eq_tol(sp_disturbance_between(&woken[0], &woken[1], 1).lost_share, 0.3, 1e-12);
}
END_TEST

static atomic_int stop;

static void *spin(void *unused)
{
    while (!atomic_load_explicit(&stop, memory_order_relaxed))
        ;
    return unused;
}

/* Two threads on one processor: over many time slices each of them is taken off. */
START_TEST(a_competitor_on_the_same_processor_is_seen)
{
    cpu_set_t one;
    pthread_t rival;
    struct sp_thread_clock before, after;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0); /* the rival inherits it */
    ck_assert_int_eq(pthread_create(&rival, NULL, spin, NULL), 0);
    sp_thread_clocks(1, &before);
    for (double end = sp_now() + 0.5; sp_now() < end;)
        ;
    sp_thread_clocks(1, &after);
    atomic_store(&stop, 1);
    pthread_join(rival, NULL);
    const struct sp_disturbance d = sp_disturbance_between(&before, &after, 1);
    ck_assert(d.disturbed && d.taken_off > 0 && d.lost_share > 0.05);
}
END_TEST

START_TEST(the_state_follows_from_the_samples)
{
    struct sp_conditions c = {0};
    char text[240];
    sp_conditions_set(&(struct sp_pairs){.n_clean = 0, .n_disturbed = 0}, &c);
    ck_assert_int_eq(c.state, SP_NOT_RUN);
    sp_conditions_set(&(struct sp_pairs){.clean = true, .n_clean = 48}, &c);
    ck_assert_int_eq(c.state, SP_CLEAN);
    ck_assert_str_eq(sp_conditions_words(&c, text, sizeof text), "48 samples, none disturbed");
    sp_conditions_set(&(struct sp_pairs){.clean = true, .n_clean = 54, .n_disturbed = 6}, &c);
    ck_assert_int_eq(c.state, SP_CLEAN);
    sp_conditions_set(&(struct sp_pairs){.clean = true, .n_clean = 29, .n_disturbed = 31}, &c);
    ck_assert_int_eq(c.state, SP_BUSY);
    c.n_others = 2;
    c.other[0] = (struct sp_busy){"cc1", 1, 0.95};
    c.other[1] = (struct sp_busy){"ninja", 2, 0.11};
    ck_assert_str_eq(sp_conditions_words(&c, text, sizeof text),
                     "31 of 60 samples were disturbed and replaced; other programs: cc1 95 %, ninja 11 %");
    sp_conditions_set(&(struct sp_pairs){.clean = false, .n_clean = 2, .n_disturbed = 58}, &c);
    ck_assert_int_eq(c.state, SP_UNUSABLE);
    ck_assert_ptr_nonnull(strstr(sp_conditions_words(&c, text, sizeof text), "too many to replace"));
    setenv("SPMODEL_ASSUME", "clean", 1);
    sp_conditions_set(&(struct sp_pairs){.clean = true, .n_clean = 9}, &c);
    unsetenv("SPMODEL_ASSUME");
    ck_assert_int_eq(c.state, SP_ASSUMED);
    ck_assert_ptr_nonnull(
        strstr(sp_conditions_words(&c, text, sizeof text), "9 samples, taken for undisturbed"));
    unsetenv("SPMODEL_ASSUME");
    sp_conditions_set(&(struct sp_pairs){.clean = true, .n_clean = 9}, &c);
    c.held_back = "its power limit";
    sp_conditions_name(&c, (const int[]){getpid(), 0}, 2);
    ck_assert_ptr_nonnull(strstr(sp_conditions_words(&c, text, sizeof text),
                                 "9 samples, none disturbed; 2 other programs on the GPU: "));
    ck_assert_ptr_nonnull(strstr(text, "; the GPU's clocks are held back by its power limit"));
    for (int cut = 1; cut < 100; cut++) { /* of whatever size */
        char *small = malloc((size_t)cut);
        ck_assert_uint_lt(strlen(sp_conditions_words(&c, small, (size_t)cut)), (size_t)cut);
        free(small);
    }
}
END_TEST

/* An analysis that has come so far that shares are known. */
static struct sp_value fraction_after(enum sp_condition state, double of_roof, double of_model,
                                      double own_roof_Bps, struct sp_analysis *a, bool *again)
{
    static struct sp_machine machine;
    static struct sp_analyze_options options = {.machine = &machine};
    sp_machine_free(&machine);
    struct sp_ceiling c = {
        .name = "load", .level = "L3", .precision = "f64", .n_threads = 2, .mode = "unknown"};
    c.value = sp_value_of(40e9, SP_MEASURED);
    ck_assert_int_eq(sp_machine_add_ceiling(&machine, &c, NULL), SP_OK);
    memset(a, 0, sizeof *a);
    a->options = &options;
    a->observed.conditions = (struct sp_conditions){.state = state, .n_clean = 3, .n_disturbed = 50};
    a->setup.workload.n_threads = 2;
    strcpy(a->evaluated.residence.name, "L3");
    strcpy(a->observed.pairs.mode, "unknown");
    a->observed.pairs.roof = sp_value_of(own_roof_Bps, SP_MEASURED);
    a->evaluated.fraction = sp_value_of(of_roof, SP_SIMULATED);
    a->evaluated.model_fraction = sp_value_of(of_model, SP_MODELLED);
    a->evaluated.V_B = sp_value_of(1e6, SP_SIMULATED);
    *again = sp_analysis_doubt(a, &a->evaluated);
    sp_machine_free(&machine);
    return a->evaluated.fraction;
}

START_TEST(no_share_is_given_where_roof_or_state_forbid_it)
{
    static struct sp_analysis a;
    bool again;
    ck_assert(sp_value_known(fraction_after(SP_CLEAN, 0.9, 0.8, 38e9, &a, &again)) && !again &&
              !*a.evaluated.doubt);
    ck_assert(sp_value_known(fraction_after(SP_BUSY, 1.05, 0.8, 38e9, &a, &again)) && !again &&
              !*a.evaluated.doubt);
    /* 475 % of the roof is no answer, and the roof is taken again */
    ck_assert(!sp_value_known(fraction_after(SP_BUSY, 4.75, 0.8, 8e9, &a, &again)) && again);
    ck_assert(!sp_value_known(a.evaluated.model_fraction) && strstr(a.evaluated.doubt, "475 %"));
    /* less than half of what is remembered is taken again; if it stays, the kernel had no more
     * either */
    ck_assert(sp_value_known(fraction_after(SP_CLEAN, 0.9, 0.8, 15e9, &a, &again)) && again &&
              !*a.evaluated.doubt);
    ck_assert(!sp_value_known(fraction_after(SP_UNUSABLE, 0.9, 0.8, 38e9, &a, &again)));
    ck_assert(strstr(a.evaluated.doubt, "50 of 53 samples") && !sp_value_known(a.evaluated.model_fraction));
    /* faster than the model: only the share of the model is unknown */
    ck_assert(sp_value_known(fraction_after(SP_CLEAN, 0.9, 1.2, 38e9, &a, &again)) && !again &&
              !*a.evaluated.doubt);
    ck_assert(!sp_value_known(a.evaluated.model_fraction) &&
              strstr(a.evaluated.model_fraction.why, "ceilings"));
}
END_TEST

/* What is held of a run is held of its recording, but nothing can be taken again. */
START_TEST(a_recording_is_held_to_the_same)
{
    static struct sp_analysis a;
    static struct sp_byte_source bytes = {.replayed = true, .recording.has_times = true};
    static struct sp_analyze_options options = {.bytes = &bytes};
    static const struct {
        const char *state;
        double of_roof;
        const char *doubt; /* NULL: none */
    } cases[] = {{"clean", 0.9, NULL},
                 {"clean", 4.75, "475 % of the machine's load-only bandwidth"},
                 {"assumed", 4.75, NULL},
                 {"unusable", 0.9, "of the recording 50 of 53"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(&a, 0, sizeof a);
        a.options = &options;
        a.evaluated.fraction = sp_value_of(cases[i].of_roof, SP_SIMULATED);
        a.evaluated.model_fraction = sp_value_of(0.8, SP_MODELLED);
        bytes.recording.record.root = json_pack("{s:{s:s, s:s}}", "conditions", "state", cases[i].state,
                                                "text", "50 of 53 samples were disturbed");
        ck_assert(!sp_analysis_doubt(&a, &a.evaluated));
        ck_assert(sp_value_known(a.evaluated.fraction) == !cases[i].doubt &&
                  sp_value_known(a.evaluated.model_fraction) == !cases[i].doubt);
        ck_assert_msg(strstr(a.evaluated.doubt, cases[i].doubt ? cases[i].doubt : ""), "%s",
                      a.evaluated.doubt);
        json_decref(bytes.recording.record.root);
    }
}
END_TEST

/* Two processes that spin beside a real kernel: whatever it costs, there are samples, those kept
 * are clean or said not to be, and noise is no error. */
START_TEST(noise_is_no_error)
{
    struct sp_csr a;
    struct sp_layout layout;
    struct sp_dense_arrays dense;
    struct sp_error err = {0};
    const struct sp_kernel *rows[32];
    void *state;
    ck_assert_int_eq(sp_generate("laplace2d:60", NULL, &a, &err), SP_OK);
    const struct sp_workload w = {.matrix = &a, .n_threads = 2, .C = 1, .sigma = 1, .r = 1};
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &layout, &err), SP_OK);
    ck_assert_int_gt(sp_kernel_candidates(&layout, NULL, rows, 32), 0);
    ck_assert_int_eq(sp_dense_make(&w, 1, &dense, &err), SP_OK);
    const struct sp_operands operands = {.x = dense.x, .rows = dense.rows, .second = dense.second};
    ck_assert_int_eq(rows[0]->prepare(&layout, &operands, &state, &err), SP_OK);
    const struct sp_job job = sp_kernel_job(rows[0], state, &layout);
    pthread_t rival[2];
    atomic_store(&stop, 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&rival[i], NULL, spin, NULL), 0);
    struct sp_sampling_options o = {.protocol = sp_protocol_default(NULL)};
    o.protocol.budget_s = 0.3;
    o.protocol.max_samples = 12;
    struct sp_pairs pairs;
    const enum sp_status status = sp_sample_pairs(&job, &o, &pairs, &err);
    atomic_store(&stop, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(rival[i], NULL);
    ck_assert_msg(status == SP_OK, "%s", err.what);
    ck_assert_int_gt(pairs.n, 0);
    ck_assert_int_eq(pairs.clean, pairs.n_clean >= 5);
    if (pairs.clean)
        ck_assert_int_le(pairs.n, pairs.n_clean);
    else
        ck_assert_int_le(pairs.n, pairs.n_clean + pairs.n_disturbed);
    ck_assert(pairs.time.lo > 0 && pairs.time.lo <= pairs.time.value && pairs.time.value <= pairs.time.hi);
    for (int64_t i = 0; i < pairs.n; i++)
        ck_assert(pairs.time_s[i] > 0 && pairs.roof_Bps[i] > 0);
    sp_pairs_free(&pairs);
    rows[0]->release(state);
    sp_dense_free(&dense);
    sp_layout_free(&layout);
    sp_csr_free(&a);
}
END_TEST

/* The host matters while it queues work, and a device that nobody shares repeats itself. */
START_TEST(a_gpu_waits_for_its_host_or_shares_itself)
{
    const struct sp_thread_clock before = {10, 3, -1, 5, 7, 0};
    struct sp_thread_clock queued = {10.001, 3.001, -1, 5, 7, 0};
    ck_assert(!sp_gpu_waited_for_host(&before, &queued, 0.005));
    queued = (struct sp_thread_clock){10.004, 3.001, -1, 6, 7, 0}; /* 3 ms of others */
    ck_assert(sp_gpu_waited_for_host(&before, &queued, 0.005));
    ck_assert(!sp_gpu_waited_for_host(&before, &queued, 0.5));     /* a long kernel does not notice */
    queued = (struct sp_thread_clock){10.004, 3.001, -1, 5, 8, 0}; /* it slept by itself */
    ck_assert(!sp_gpu_waited_for_host(&before, &queued, 0.005));
    queued = (struct sp_thread_clock){10.001, 3.001, -1, 5, 7, 1}; /* another processor is as good */
    ck_assert(!sp_gpu_waited_for_host(&before, &queued, 0.005));
    ck_assert(!sp_gpu_is_late(5.1e-3, 5e-3) && sp_gpu_is_late(6.5e-3, 5e-3));
    ck_assert(!sp_gpu_is_late(25e-6, 6e-6)); /* the start of a launch */
    ck_assert(!sp_gpu_is_late(5e-3, 5e-3));
}
END_TEST

/* Turns of a made-up device: every `period`-th sample of the kernel is disturbed, and the first
 * n_disturbed; 0: all are. At the first n_crowded looks cores are shared with other work, and
 * samples take twice as long. */
struct made_up {
    int period, n, n_looks, n_crowded, n_disturbed;
    bool moves; /* between any two looks but the first n_stay */
    int n_stay;
};

static enum sp_status made_up_turn(void *context, bool other, struct sp_turn *turn, struct sp_error *err)
{
    struct made_up *m = context;
    (void)err;
    turn->time_s = other ? 2e-3 : 1e-3;
    turn->disturbed = !other && (m->period == 0 || ++m->n % m->period == 0 || m->n <= m->n_disturbed);
    if (turn->disturbed)
        turn->time_s *= 3;
    if (m->n_looks <= m->n_crowded)
        turn->time_s *= 2;
    return SP_OK;
}

static void made_up_look(void *context, struct sp_look *look)
{
    struct made_up *m = context;
    *look = (struct sp_look){.mode = "unknown"};
    if (m->n_looks++ < m->n_crowded)
        *look = (struct sp_look){.mode = "smt", .crowded = true};
    if (m->moves)
        strcpy(look->mode, m->n_looks > m->n_stay && m->n_looks % 2 ? "shared" : "split");
}

/* Samples on cores of their own are waited for; without them, those on shared ones stand in, and
 * say so; where the looks before and after a burst differ, it counts for neither. */
START_TEST(samples_crowded_are_replaced)
{
    struct made_up m = {.period = 100, .n_crowded = 4};
    const struct sp_turns turns = {
        .context = &m, .repetitions = 1, .per_execution = 1e6, .take = made_up_turn, .look = made_up_look};
    struct sp_sampling_options o = {.protocol = sp_protocol_default(NULL), .patience_s = 60};
    struct sp_pairs pairs, run[3], pooled;
    struct sp_conditions c = {0};
    char text[320];
    o.protocol.budget_s = 5;
    o.protocol.max_samples = 12;
    ck_assert_int_eq(sp_sample_turns(&turns, &o, &pairs, NULL), SP_OK);
    ck_assert(pairs.clean && !pairs.crowded && pairs.n == 12 && pairs.n_clean == 12);
    ck_assert(pairs.n_crowded > 0 && pairs.time.value == 1e-3 && strcmp(pairs.mode, "unknown") == 0);
    sp_conditions_set(&pairs, &c);
    ck_assert_int_eq(c.state, SP_BUSY);
    ck_assert_ptr_nonnull(strstr(sp_conditions_words(&c, text, sizeof text), "a core was shared"));
    ck_assert_ptr_nonnull(strstr(text, "were left out"));
    run[0] = pairs;

    m = (struct made_up){.period = 100, .n_crowded = 3}; /* it moves in the second burst */
    ck_assert_int_eq(sp_sample_turns(&turns, &o, &pairs, NULL), SP_OK);
    ck_assert(pairs.n == 12 && pairs.n_dropped > 0 && pairs.time.value == 1e-3);
    sp_pairs_free(&pairs);

    m = (struct made_up){.period = 100, .n_crowded = 1 << 30};
    o.patience_s = o.protocol.budget_s = 0.003;
    for (int i = 1; i < 3; i++) {
        ck_assert_int_eq(sp_sample_turns(&turns, &o, &run[i], NULL), SP_OK);
        ck_assert(run[i].clean && run[i].crowded && run[i].n_clean == 0);
        ck_assert(run[i].time.value == 2e-3 && strcmp(run[i].mode, "smt") == 0);
    }
    c = (struct sp_conditions){0};
    sp_conditions_set(&run[1], &c);
    ck_assert_int_eq(c.state, SP_BUSY);
    ck_assert_ptr_nonnull(
        strstr(sp_conditions_words(&c, text, sizeof text), "other work shared these cores throughout"));
    c.n_clean = 2;
    c.n_crowded = 14;
    ck_assert_ptr_nonnull(
        strstr(sp_conditions_words(&c, text, sizeof text), "these cores during 14 samples"));

    /* Of several runs those on cores of their own count, where they have enough samples. */
    ck_assert_int_eq(sp_pairs_pool(run, 3, 7, &pooled, NULL), SP_OK);
    ck_assert(pooled.clean && !pooled.crowded && pooled.n == 12 && pooled.time.value == 1e-3);
    sp_pairs_free(&pooled);
    ck_assert_int_eq(sp_pairs_pool(run, 3, 13, &pooled, NULL), SP_OK);
    ck_assert(pooled.clean && pooled.crowded && pooled.time.value == 2e-3);
    sp_pairs_free(&pooled);
    for (int i = 0; i < 3; i++)
        sp_pairs_free(&run[i]);
}
END_TEST

/* However many are disturbed before, those on shared cores that count are there. */
START_TEST(samples_crowded_are_kept_behind_disturbed_ones)
{
    struct made_up m = {.period = 100, .n_crowded = 1 << 30, .n_disturbed = 9};
    const struct sp_turns turns = {
        .context = &m, .repetitions = 1, .per_execution = 1e6, .take = made_up_turn, .look = made_up_look};
    struct sp_sampling_options o = {.protocol = sp_protocol_default(NULL), .patience_s = 0.05};
    struct sp_pairs pairs;
    o.protocol.budget_s = 0.05;
    o.protocol.max_samples = 3;
    ck_assert_int_eq(sp_sample_turns(&turns, &o, &pairs, NULL), SP_OK);
    ck_assert(pairs.clean && pairs.crowded && pairs.n == 3 && pairs.n_disturbed >= 9);
    ck_assert(pairs.time.value == 2e-3 && sp_value_known(pairs.roof));
    sp_pairs_free(&pairs);
}
END_TEST

/* Cores that move in every burst leave the samples of the first ones, disturbed. */
START_TEST(samples_of_moving_cores_stand_in)
{
    struct made_up m = {.period = 100, .moves = true};
    const struct sp_turns turns = {
        .context = &m, .repetitions = 1, .per_execution = 1e6, .take = made_up_turn, .look = made_up_look};
    struct sp_sampling_options o = {.protocol = sp_protocol_default(NULL), .patience_s = 0.003};
    struct sp_pairs pairs;
    struct sp_conditions c = {0};
    char text[320];
    o.protocol.budget_s = 0.003;
    o.protocol.max_samples = 12;
    ck_assert_int_eq(sp_sample_turns(&turns, &o, &pairs, NULL), SP_OK);
    ck_assert(!pairs.clean && pairs.moved && pairs.n > 0 && pairs.n <= 12 && pairs.n_clean == 0);
    ck_assert(pairs.n_disturbed >= pairs.n && pairs.time.value == 1e-3);
    sp_conditions_set(&pairs, &c);
    ck_assert_int_eq(c.state, SP_UNUSABLE);
    ck_assert_ptr_nonnull(
        strstr(sp_conditions_words(&c, text, sizeof text), "moved between caches during all"));
    sp_pairs_free(&pairs);

    /* Where the cores stayed in the first burst, its samples count alone. */
    o.patience_s = 0.05;
    m = (struct made_up){.period = 0, .moves = true, .n_stay = 2};
    ck_assert_int_eq(sp_sample_turns(&turns, &o, &pairs, NULL), SP_OK);
    ck_assert(!pairs.clean && !pairs.moved && pairs.n > 0 && pairs.n_clean == 0);
    ck_assert(pairs.n <= pairs.n_disturbed && strcmp(pairs.mode, "split") == 0);
    sp_pairs_free(&pairs);
}
END_TEST

/* The machine file tells where threads share cores as a rule. */
START_TEST(shared_cores_may_be_the_rule)
{
    struct sp_machine machine = {0};
    struct sp_ceiling c = {
        .name = "load", .level = "L3", .precision = "f64", .n_threads = 1, .mode = "single"};
    c.value = sp_value_of(40e9, SP_MEASURED);
    ck_assert(!sp_machine_shares_cores(&machine));
    ck_assert_int_eq(sp_machine_add_ceiling(&machine, &c, NULL), SP_OK);
    c.n_threads = 2;
    strcpy(c.mode, "smt");
    ck_assert_int_eq(sp_machine_add_ceiling(&machine, &c, NULL), SP_OK);
    ck_assert(sp_machine_shares_cores(&machine));
    strcpy(c.mode, "shared");
    ck_assert_int_eq(sp_machine_add_ceiling(&machine, &c, NULL), SP_OK);
    ck_assert(!sp_machine_shares_cores(&machine));
    sp_machine_free(&machine);
}
END_TEST

/* What all samplings may wait for quiet moments is one sum: where it is spent, one burst is all,
 * whatever patience there would be. */
START_TEST(waiting_has_one_purse)
{
    struct made_up m = {.period = 0};
    const struct sp_turns turns = {
        .context = &m, .repetitions = 1, .per_execution = 1e6, .take = made_up_turn, .look = made_up_look};
    struct sp_waiting waiting = {.quiet_s = 0.05, .cores_s = 0.05};
    struct sp_sampling_options o = {
        .protocol = sp_protocol_default(NULL), .patience_s = 1e6, .waiting = &waiting};
    struct sp_pairs pairs;
    o.protocol.budget_s = 1e-3;
    o.protocol.max_samples = 12;
    ck_assert_int_eq(sp_sample_turns(&turns, &o, &pairs, NULL), SP_OK);
    ck_assert(!pairs.clean && pairs.n > 0 && waiting.quiet_s == 0);
    sp_pairs_free(&pairs);
    m.n_looks = 0;
    ck_assert_int_eq(sp_sample_turns(&turns, &o, &pairs, NULL), SP_OK);
    ck_assert(m.n_looks == 2 && pairs.n > 0 && waiting.quiet_s == 0); /* before and after the burst */
    sp_pairs_free(&pairs);
    m.n_looks = 0;
    o.protocol.budget_s = 0; /* a pair there is in any case */
    ck_assert_int_eq(sp_sample_turns(&turns, &o, &pairs, NULL), SP_OK);
    ck_assert(m.n_looks == 2 && pairs.n > 0 && sp_value_known(pairs.time));
    sp_pairs_free(&pairs);
    o.protocol.budget_s = 1e-3;

    /* Of which cores that stay shared may take a part. */
    m = (struct made_up){.period = 1 << 30, .n_crowded = 1 << 30};
    waiting = (struct sp_waiting){.quiet_s = 1e6, .cores_s = 0.05};
    ck_assert_int_eq(sp_sample_turns(&turns, &o, &pairs, NULL), SP_OK);
    ck_assert(pairs.clean && pairs.crowded && waiting.cores_s == 0 && waiting.quiet_s > 0.9e6);
    sp_pairs_free(&pairs);
}
END_TEST

START_TEST(any_device_takes_turns_under_the_same_rules)
{
    struct made_up m = {.period = 3};
    const struct sp_turns turns = {
        .context = &m, .repetitions = 4, .per_execution = 1e6, .take = made_up_turn, .look = made_up_look};
    struct sp_sampling_options o = {.protocol = sp_protocol_default(NULL),
                                    .patience_s = 60}; /* however long this process is kept from running */
    struct sp_pairs pairs;
    o.protocol.budget_s = 5;
    o.protocol.max_samples = 12;
    ck_assert_int_eq(sp_sample_turns(&turns, &o, &pairs, NULL), SP_OK);
    ck_assert(pairs.clean && pairs.n == 12 && pairs.n_clean == 12 && pairs.n_disturbed > 0);
    ck_assert(pairs.time.value == 1e-3 && pairs.roof.value == 5e8 && pairs.repetitions == 4);
    ck_assert(pairs.n_threads == 0 && strcmp(pairs.mode, "unknown") == 0);
    sp_pairs_free(&pairs);
    m.period = 0;
    o.patience_s = 0.01;
    o.protocol.budget_s = 0.003;
    ck_assert_int_eq(sp_sample_turns(&turns, &o, &pairs, NULL), SP_OK);
    ck_assert(!pairs.clean && pairs.n > 0 && pairs.n_clean == 0);
    sp_pairs_free(&pairs);
}
END_TEST

int main(void)
{
    unsetenv("SPMODEL_ASSUME"); /* as other tests are run with it */
    Suite *s = suite_create("conditions");
    TCase *c = tcase_create("all");
    tcase_add_test(c, what_a_thread_lacks_against_its_will_disturbs);
    tcase_add_test(c, a_competitor_on_the_same_processor_is_seen);
    tcase_add_test(c, the_state_follows_from_the_samples);
    tcase_add_test(c, no_share_is_given_where_roof_or_state_forbid_it);
    tcase_add_test(c, a_recording_is_held_to_the_same);
    tcase_add_test(c, noise_is_no_error);
    tcase_add_test(c, a_gpu_waits_for_its_host_or_shares_itself);
    tcase_add_test(c, any_device_takes_turns_under_the_same_rules);
    tcase_add_test(c, waiting_has_one_purse);
    tcase_add_test(c, samples_crowded_are_replaced);
    tcase_add_test(c, samples_crowded_are_kept_behind_disturbed_ones);
    tcase_add_test(c, samples_of_moving_cores_stand_in);
    tcase_add_test(c, shared_cores_may_be_the_rule);
    suite_add_tcase(s, c);
    return run_suite(s);
}
