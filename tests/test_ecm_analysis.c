/* ECM in an analysis: what it says where the time is known otherwise, and that it says what is missing. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"
#include "run_suite.h"
#include "session/analyze/analysis.h"
#include "session/measure/byte_source.h"
#include "session/record/parts.h"
#include "sparse/generate/generate.h"

static void add_load(struct sp_machine *m, const char *level, int n_threads, double Bps)
{
    struct sp_ceiling c = {.n_threads = n_threads, .n_domains = 1, .value = sp_value_of(Bps, SP_MEASURED)};
    snprintf(c.name, sizeof c.name, "load");
    snprintf(c.level, sizeof c.level, "%s", level);
    snprintf(c.precision, sizeof c.precision, "f64");
    snprintf(c.mode, sizeof c.mode, "unknown");
    ck_assert_int_eq(sp_machine_add_ceiling(m, &c, NULL), SP_OK);
}

/* One thread draws 100, 40, 10 GB/s from L1, L2, L3 and 8 GB/s from memory, two 80, 20, 12 from L2 on. */
static void make_machine(struct sp_machine *m, double overlap)
{
    static const char *const levels[] = {"L2", "L3", "MEM"};
    static const double one[] = {40e9, 10e9, 8e9}, two[] = {80e9, 20e9, 12e9};
    *m = (struct sp_machine){
        .n_cores = 2,
        .n_domains = 1,
        .n_caches = 3,
        .cache = {{.level = 1, .size_B = 16 << 10, .line_B = 64, .ways = 8, .cores_sharing = 1},
                  {.level = 2, .size_B = 128 << 10, .line_B = 64, .ways = 8, .cores_sharing = 1},
                  {.level = 3, .size_B = 1 << 20, .line_B = 64, .ways = 16, .cores_sharing = 2}},
        .ecm = {.overlap = sp_value_of(overlap, SP_STATED), .n_interfaces = 3}};
    m->ecm.error = sp_value_none("stated");
    add_load(m, "L1", 1, 100e9);
    for (int k = 0; k < 3; k++) {
        struct sp_ecm_interface *i = &m->ecm.interface[k];
        snprintf(i->level, sizeof i->level, "%s", levels[k]);
        i->one_Bps = sp_value_of(one[k], SP_STATED);
        i->write_weight = sp_value_of(1, SP_STATED);
        add_load(m, levels[k], 1, one[k]);
        add_load(m, levels[k], 2, two[k]);
    }
}

struct scene {
    struct sp_csr matrix;
    struct sp_machine machine;
    struct sp_analyze_options options;
    struct sp_byte_source bytes;
    struct sp_analysis *a;
};

/* A run whose P_core is p, and of which so many bytes cross each interface. */
static void set(struct scene *s, int n_threads, double overlap, double p, double B)
{
    memset(s, 0, sizeof *s);
    make_machine(&s->machine, overlap);
    ck_assert_int_eq(sp_generate("band:300:3", NULL, &s->matrix, NULL), SP_OK);
    s->options.machine = &s->machine;
    s->a = calloc(1, sizeof *s->a);
    ck_assert_ptr_nonnull(s->a);
    s->a->options = &s->options;
    struct sp_workload *w = &s->a->setup.workload;
    *w = (struct sp_workload){.n_threads = n_threads, .schedule = SP_SCHEDULE_NNZ, .matrix = &s->matrix};
    ck_assert_int_eq(sp_workload_set_format(w, "crs", NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(w, false, NULL, &s->a->setup.layout, NULL), SP_OK);
    s->a->setup.n_domains = 1;
    s->a->line_B = 64;
    s->a->setup.job = (struct sp_job){.layout = &s->a->setup.layout, .n_threads = n_threads};
    s->a->evaluated.balance_W = sp_workload_flops(w);
    s->a->evaluated.p_core = sp_value_between(p, 0.9 * p, 1.1 * p, SP_MEASURED);
    s->a->core.flop_s = s->a->evaluated.p_core;
    s->a->simulated.n_levels = 3;
    for (int k = 0; k < 3; k++) {
        s->a->simulated.traffic[k].read_B = sp_value_of(B, SP_SIMULATED);
        s->a->simulated.traffic[k].write_B = sp_value_of(0, SP_SIMULATED);
    }
}

static void end(struct scene *s)
{
    sp_layout_free(&s->a->setup.layout);
    sp_csr_free(&s->matrix);
    sp_machine_free(&s->machine);
    free(s->a);
}

static const struct sp_ecm_times *times(struct scene *s)
{
    sp_analysis_ecm(s->a, &s->a->ecm);
    return &s->a->ecm.times;
}

/* Nothing moves: W/P_core of the team, however many threads, whatever the rule, and however slow the machine
 * file says that loads from L1 are, for P_core has them in it. */
START_TEST(in_L1_it_is_P_core)
{
    struct scene s;
    for (int n = 1; n <= 2; n++)
        for (int slow = 0; slow < 2; slow++) {
            set(&s, n, 0.5, 1e9, 0);
            if (slow)
                s.machine.ceiling[0].value = sp_value_of(1e6, SP_MEASURED);
            const double core = s.a->evaluated.balance_W / 1e9;
            const struct sp_ecm_times *t = times(&s);
            near(t->time_s.value, core, 1e-12 * core);
            near(t->time_s.lo, core / 1.1, 1e-12 * core);
            near(t->time_s.hi, core / 0.9, 1e-12 * core);
            near(t->one_s.value, n * core, 1e-12 * core);
            ck_assert_int_eq(t->time_s.origin, SP_MODELLED);
            ck_assert_str_eq(s.a->ecm.core_from, n == 1 ? "P_core" : "P_core of the team, times its threads");
            end(&s);
        }
}
END_TEST

/* All from memory: the roofline's V/b with full overlap, and without it at most the inner parts more; what
 * two saturated threads take is the roofline again. */
START_TEST(from_memory_it_is_the_roofline)
{
    const double B = 1e9;
    struct scene s;
    for (int n = 1; n <= 2; n++)
        for (int i = 0; i <= 4; i++) {
            set(&s, n, i / 4.0, 1e12, B);
            const double roofline = B / (n == 1 ? 8e9 : 12e9);
            const struct sp_ecm_times *t = times(&s);
            const double inner = t->load_s.value + B / 40e9 + B / 10e9;
            ck_assert(t->time_s.value >= roofline * (1 - 1e-12));
            ck_assert(t->time_s.value <= roofline + (1 - i / 4.0) * inner + 1e-12);
            if (i == 4) /* 8 GB/s is less than the inner interfaces' */
                near(t->time_s.value, roofline, 1e-12);
            end(&s);
        }
}
END_TEST

/* The levels, their roof in 1/s, and among the ceilings in flop/s: two flops a gather. */
START_TEST(a_record_has_its_gathers)
{
    struct scene s;
    struct sp_record r;
    set(&s, 2, 1, 1e9, 1e9);
    static const char *const levels[] = {"L1", "L2", "L3", "MEM"};
    for (int k = 0; k < 4; k++) {
        struct sp_ceiling c = {.n_threads = 2, .value = sp_value_of(1e9 / (1 << k), SP_MEASURED)};
        snprintf(c.name, sizeof c.name, "gather");
        snprintf(c.level, sizeof c.level, "%s", levels[k]);
        snprintf(c.precision, sizeof c.precision, "f64");
        ck_assert_int_eq(sp_machine_add_ceiling(&s.machine, &c, NULL), SP_OK);
    }
    for (int k = 0; k < 3; k++) {
        s.a->simulated.traffic[k].by_array = true;
        s.a->simulated.traffic[k].array_read_B[SP_ARRAY_X] = 64 * 100.0 / (1 << k);
    }
    ck_assert_int_eq(sp_analysis_gathers(s.a, &s.a->gathers, NULL), SP_OK);
    ck_assert_int_eq(sp_record_new("gathers", &r, NULL), SP_OK);
    sp_record_gathers(&r, s.a);
    sp_record_gather_roof(&r, s.a);
    /* 100 of them from beyond L1; those of lines that follow each other are there when they are gathered. */
    const struct sp_value ahead = sp_record_value(&r, SP_F_GATHERS_AHEAD);
    const double n = (double)s.matrix.n_nz, waits = 1 - (sp_value_known(ahead) ? ahead.value / 100 : 0),
                 t = (n - 100 * waits) / 1e9 + waits * (50 / 5e8 + 25 / 2.5e8 + 25 / 1.25e8);
    ck_assert(waits >= 0 && waits <= 1);
    near(sp_record_value(&r, SP_F_GATHERS_TIME).value, t, 1e-12 * t);
    near(sp_record_value(&r, SP_F_GATHERS_BEYOND_L1).value, t - n / 1e9, 1e-12 * t);
    ck_assert_int_eq((int)json_array_size(sp_record_node(&r, SP_F_GATHERS_LEVELS)), 4);
    const json_t *roof = json_array_get(sp_record_node(&r, SP_F_ROOFS), 0);
    ck_assert_str_eq(json_string_value(json_object_get(roof, "role")), "gathers");
    ck_assert_str_eq(json_string_value(json_object_get(roof, "unit")), "flop/s");
    near(json_number_value(json_object_get(roof, "value")), 2 * n / t, 1e-9 * n / t);
    sp_record_free(&r);
    end(&s);
}
END_TEST

static void expect_unknown(struct scene *s, const char *why)
{
    struct sp_record r;
    const struct sp_ecm_times *t = times(s);
    ck_assert(!sp_value_known(t->time_s));
    ck_assert(!sp_value_known(t->one_s));
    ck_assert_msg(t->time_s.why && strstr(t->time_s.why, why), "'%s' is not '%s'", t->time_s.why, why);
    ck_assert_int_eq(sp_record_new("ecm", &r, NULL), SP_OK);
    sp_record_ecm(&r, s->a);
    sp_record_ecm_row(&r, s->a);
    ck_assert(!json_is_number(sp_record_node_at(&r, "ecm.time.value")));
    ck_assert_str_eq(sp_record_value(&r, SP_F_ECM_TIME).why, t->time_s.why);
    ck_assert_int_eq((int)json_array_size(sp_record_node(&r, SP_F_ECM_TRANSFERS)), 3);
    ck_assert_ptr_null(sp_record_node(&r, SP_F_TABLE)); /* no row without a time */
    sp_record_free(&r);
    end(s);
}

/* P_core was measured as a share of the run's time: its interval is at least as wide, and so is what the
 * model makes of it; the loss, which is that share, is not. */
START_TEST(P_core_is_as_unsure_as_the_time)
{
    struct scene s;
    set(&s, 2, 0.5, 1e9, 64);
    struct sp_pairs *p = &s.a->observed.pairs;
    p->n_threads = 2;
    p->time = sp_value_between(1e-6, 0.8e-6, 1.5e-6, SP_MEASURED);
    p->roof = sp_value_of(1e11, SP_MEASURED);
    p->inverse = sp_value_of(1 / (p->time.value * p->roof.value), SP_MEASURED);
    s.a->setup.p_core_one = sp_value_none("the team's is known");
    ck_assert_int_eq(sp_analysis_evaluate(s.a, &s.a->evaluated, NULL), SP_OK);
    const struct sp_evaluated *e = &s.a->evaluated;
    near(e->p_core.value, 1e9, 1);
    near(e->p_core.lo, 0.9e9 / 1.5, 1);
    near(e->p_core.hi, 1.1e9 / 0.8, 1);
    ck_assert_str_eq(e->once.binding, "in-core execution");
    near(e->once.roofline.time_s.hi, e->balance_W / e->p_core.lo, 1e-15);
    s.options.no_hints = true;
    sp_analysis_account(s.a, &s.a->accounted);
    near(s.a->accounted.losses.core.hi, e->balance_W / 0.9e9, 1e-15);
    free((void *)e->thread_B);
    end(&s);
}
END_TEST

START_TEST(a_machine_without_a_rule)
{
    struct scene s;
    set(&s, 2, 0, 1e9, 1e6);
    s.machine.ecm = (struct sp_machine_ecm){.n_interfaces = 0};
    expect_unknown(&s, "bandwidth of one thread");
    set(&s, 2, 0, 1e9, 1e6);
    s.machine.ecm.overlap = sp_value_none(NULL);
    expect_unknown(&s, "overlap rule is not known");
}
END_TEST

START_TEST(a_replayed_run)
{
    struct scene s;
    set(&s, 2, 0, 1e9, 1e6);
    s.bytes = (struct sp_byte_source){.replayed = true, .recording.has_times = true};
    s.options.bytes = &s.bytes;
    s.a->evaluated.p_core = s.a->core.flop_s = sp_value_none("the run was recorded elsewhere");
    expect_unknown(&s, "the run was recorded elsewhere");
}
END_TEST

START_TEST(a_part_of_the_caches)
{
    struct scene s;
    set(&s, 2, 0, 1e9, 1e6);
    s.a->simulated.n_levels = 1;
    expect_unknown(&s, "not all of the machine's caches were simulated");
    set(&s, 2, 0, 1e9, 1e6);
    s.a->simulated.n_levels = 1;
    times(&s);
    for (int k = 0; k < 3; k++)
        ck_assert_str_eq(s.a->ecm.inputs.transfer[k].read_B.why,
                         "not all of the machine's caches were simulated");
    end(&s);
}
END_TEST

/* Its parts and the row beside the roofline's. */
START_TEST(a_record_has_it)
{
    struct scene s;
    struct sp_record r;
    set(&s, 2, 1, 1e9, 1e9);
    s.a->evaluated.at_level = &s.a->simulated.traffic[2];
    const struct sp_ecm_times *t = times(&s);
    ck_assert_int_eq(sp_record_new("ecm", &r, NULL), SP_OK);
    sp_record_ecm(&r, s.a);
    sp_record_ecm_row(&r, s.a);
    near(sp_record_value(&r, SP_F_ECM_TIME).value, t->time_s.value, 0);
    near(sp_record_value(&r, SP_F_ECM_LOADS).value, s.a->ecm.load_B.value, 0);
    near(sp_record_value(&r, SP_F_ECM_OVERLAP).value, 1, 0);
    const json_t *row = json_array_get(sp_record_node(&r, SP_F_TABLE), 0);
    ck_assert_str_eq(json_string_value(json_object_get(row, "row")), "ECM, x as simulated");
    ck_assert_str_eq(json_string_value(json_object_get(row, "bytes_origin")), "simulated");
    near(json_number_value(json_object_get(row, "time_s")), t->time_s.value, 0);
    near(json_number_value(json_object_get(row, "bytes")), 1e9, 0);
    sp_record_free(&r);
    end(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ecm_analysis");
    TCase *t = tcase_create("all");
    tcase_add_test(t, in_L1_it_is_P_core);
    tcase_add_test(t, from_memory_it_is_the_roofline);
    tcase_add_test(t, P_core_is_as_unsure_as_the_time);
    tcase_add_test(t, a_machine_without_a_rule);
    tcase_add_test(t, a_replayed_run);
    tcase_add_test(t, a_part_of_the_caches);
    tcase_add_test(t, a_record_has_it);
    tcase_add_test(t, a_record_has_its_gathers);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
