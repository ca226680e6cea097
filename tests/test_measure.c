#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reading.h"
#include "model/cache/capacity.h"
#include "run_suite.h"
#include "scratch_dir.h"
#include "session/analyze/analysis.h"
#include "session/measure/conditions.h"
#include "session/measure/machine.h"
#include "session/measure/measure_plan.h"
#include "sparse/generate/generate.h"
#include "sys/machine/identity.h"

enum { N = 14 };

/* Latencies of a machine with the given capacities, as random walks see it. */
static void walk(double l2_B, double l3_B, double t3_s, double memory_s, double *size, double *latency)
{
    for (int i = 0; i < N; i++) {
        size[i] = 2 * l2_B * pow(2, 0.5 * i);
        double h2 = l2_B < size[i] ? l2_B / size[i] : 1, h3 = l3_B < size[i] ? l3_B / size[i] : 1;
        double noise = 1 + 0.02 * ((i * 7) % 5 - 2) / 2;
        latency[i] = (h2 * 5e-9 + (h3 - h2) * t3_s + (1 - h3) * memory_s) * noise;
    }
}

START_TEST(the_capacity_is_found)
{
    static const double capacities[] = {6e6, 10e6, 16e6, 32e6, 60e6};
    double size[N], latency[N];
    walk(1 << 20, capacities[_i], 20e-9, 100e-9, size, latency);
    struct sp_value v = sp_measure_knee(N, size, latency, 1 << 20, 0, 5e-9);
    ck_assert(sp_value_known(v) && v.origin == SP_MEASURED);
    ck_assert_double_eq_tol(v.value, capacities[_i], 0.15 * capacities[_i]);
    ck_assert(v.lo <= capacities[_i] * 1.01 && capacities[_i] <= v.hi * 1.01);
}
END_TEST

START_TEST(without_a_rise_it_stays_unknown)
{
    double size[N], latency[N];
    walk(1 << 20, 1e12, 60e-9, 120e-9, size, latency); /* everything fits */
    struct sp_value v = sp_measure_knee(N, size, latency, 1 << 20, 0, 5e-9);
    ck_assert(!sp_value_known(v) && v.why);
    v = sp_measure_knee(3, size, latency, 1 << 20, 0, 5e-9);
    ck_assert(!sp_value_known(v) && v.why);
}
END_TEST

/* Beyond what the machine states no capacity is tried, at neither end of the interval. */
START_TEST(a_capacity_above_the_stated_one_is_impossible)
{
    double size[N], latency[N];
    walk(1 << 20, 30e6, 20e-9, 100e-9, size, latency);
    for (int i = 0; i < N; i++) /* so noisy that all capacities fit */
        latency[i] *= i % 2 ? 1.5 : 0.7;
    struct sp_value v = sp_measure_knee(N, size, latency, 1 << 20, 0, 5e-9);
    ck_assert(!sp_value_known(v) || v.hi > 16e6);
    v = sp_measure_knee(N, size, latency, 1 << 20, 16e6, 5e-9);
    ck_assert(!sp_value_known(v) || v.hi <= 16e6 * 1.0001);
    walk(1 << 20, 10e6, 20e-9, 100e-9, size, latency);
    v = sp_measure_knee(N, size, latency, 1 << 20, 32e6, 5e-9);
    ck_assert(sp_value_known(v));
    ck_assert_double_eq_tol(v.value, 10e6, 1.5e6);
}
END_TEST

/* Streams in a virtual machine with a stated 32 MiB, one thread: random walks had found 11 there,
 * where other machines' data took the place of lines that were slow to come again; the sizes agree
 * on 20 MiB of which it keeps as much as fits, within 1.16, and by chance only within 1.44. Two
 * threads another day: 26 MB. Then caches of either law. */
START_TEST(streams_find_what_a_cycle_finds_again)
{
    static const double mib = 1 << 20, size_MiB[] = {8, 12, 16, 20, 24, 32, 40, 48, 64},
                        Bps[] = {85.1e9, 81.7e9, 78.8e9, 78.2e9, 61.5e9, 49.2e9, 38.5e9, 34.7e9, 25.5e9};
    double size[9], s[9];
    for (int i = 0; i < 9; i++) {
        size[i] = size_MiB[i] * mib;
        s[i] = 1 / Bps[i];
    }
    enum sp_keeping law;
    struct sp_value C = sp_measure_cycle_of(9, size, s, 1 / 24.7e9, 32 * mib, &law);
    ck_assert(sp_value_known(C) && C.origin == SP_MEASURED);
    ck_assert_int_eq(law, SP_KEEPS_A_PART);
    ck_assert_double_eq_tol(C.value / mib, 20.2, 0.3);
    ck_assert(C.lo >= 19.4 * mib && C.lo <= 20.1 * mib && C.hi >= 22 * mib && C.hi <= 23 * mib);
    static const double MB[] = {8.4, 11.4, 15.6, 21.3, 29.1, 39.6, 54.1, 73.8, 100.7},
                        ps[] = {5.0, 5.1, 5.1, 6.0, 7.6, 11.7, 15.9, 19.5, 22.7};
    double size_B[9], s_B[9];
    for (int i = 0; i < 9; i++) {
        size_B[i] = 1e6 * MB[i];
        s_B[i] = 1e-12 * ps[i];
    }
    C = sp_measure_cycle_of(9, size_B, s_B, 28.1e-12, 33554432, &law);
    ck_assert_int_eq(law, SP_KEEPS_A_PART);
    ck_assert_double_eq_tol(C.value / 1e6, 27, 1.5);
    for (int k = 0; k < 2; k++)
        for (double c = 14; c <= 40; c *= 1.3) { /* any capacity within the sets comes back */
            for (int i = 0; i < 9; i++) {
                const double h =
                    k == SP_KEEPS_A_PART ? fmin(1, c * mib / size[i]) : sp_kept_by_random(size[i], c * mib);
                s[i] = h / 80e9 + (1 - h) / 20e9;
            }
            C = sp_measure_cycle_of(9, size, s, 1 / 20e9, 64 * mib, &law);
            ck_assert_int_eq((int)law, k);
            ck_assert_double_eq_tol(C.value / mib, c, 0.02 * c);
            ck_assert(C.lo <= C.value && C.value <= C.hi);
            C = sp_measure_cycle_of(9, size, s, 1 / 20e9, 12 * mib, &law); /* not beyond what is stated */
            ck_assert_double_eq_tol(C.value, 12 * mib, 1);
        }
    for (int i = 0; i < 9; i++)
        s[i] = 1 / 80e9;
    ck_assert(!sp_value_known(
        sp_measure_cycle_of(9, size, s, 1 / 20e9, 32 * mib, &law))); /* everything is found again */
    ck_assert(
        !sp_value_known(sp_measure_cycle_of(9, size, s, 1 / 79e9, 32 * mib, &law))); /* memory is as fast */
    ck_assert(!sp_value_known(sp_measure_cycle_of(2, size, s, 1 / 20e9, 32 * mib, &law)));
}
END_TEST

/* Four measurements of one machine in one day, where 33.55 MB are stated: neither the impossible
 * upper end nor the wide ones decide, and the fifth of another day is inside. */
START_TEST(capacities_are_pooled)
{
    const double mb = 1e6, l2_B = 2 * mb;
    struct sp_cache c = {.level = 3, .size_B = (int64_t)(33.55 * mb), .effective_B = sp_value_none("")};
    sp_capacity_add(&c, sp_value_none("no knee"), "2026-11-23T08:00:00Z", (int64_t)l2_B);
    ck_assert(c.n_draws == 0 && !sp_value_known(c.effective_B));
    sp_capacity_add(&c, sp_value_between(3.54 * mb, 1.57 * mb, 90.8 * mb, SP_MEASURED),
                    "2026-11-23T12:00:00Z", (int64_t)l2_B);
    ck_assert_double_eq(c.effective_B.lo, l2_B); /* not below the next level, nor above what is stated */
    ck_assert_double_eq(c.effective_B.hi, (double)c.size_B);
    sp_capacity_add(&c, sp_value_between(8.58 * mb, 7.4 * mb, 13.9 * mb, SP_MEASURED), "2026-11-23T10:00:00Z",
                    (int64_t)l2_B);
    sp_capacity_add(&c, sp_value_between(8.27 * mb, 7.0 * mb, 10.1 * mb, SP_MEASURED), "2026-11-23T11:00:00Z",
                    (int64_t)l2_B);
    for (int twice = 0; twice < 2; twice++)
        sp_capacity_add(&c, sp_value_between(4.21 * mb, 1.57 * mb, 44.7 * mb, SP_MEASURED),
                        "2026-11-23T13:00:00Z", (int64_t)l2_B);
    ck_assert_int_eq(c.n_draws, 4);
    for (int i = 1; i < 4; i++)
        ck_assert(strcmp(c.draw[i - 1].when, c.draw[i].when) < 0);
    ck_assert_double_eq_tol(c.effective_B.value, 6.24 * mb, 1);
    ck_assert_double_eq_tol(c.effective_B.lo, 3.741 * mb, 1);
    ck_assert_double_eq_tol(c.effective_B.hi, 29.3 * mb, 1);
    ck_assert(c.effective_B.origin == SP_MEASURED);
    for (int i = 0; i < 20; i++) { /* bounded, the oldest go */
        char when[24];
        snprintf(when, sizeof when, "2026-11-24T08:00:%02dZ", i);
        sp_capacity_add(&c, sp_value_of((8 + 0.01 * i) * mb, SP_MEASURED), when, (int64_t)l2_B);
    }
    ck_assert_int_eq(c.n_draws, SP_MAX_DRAWS);
    ck_assert_str_eq(c.draw[0].when, "2026-11-24T08:00:08Z");
    ck_assert_str_eq(c.draw[SP_MAX_DRAWS - 1].when, "2026-11-24T08:00:19Z");
    /* A file of an earlier version has no list: what it says counts as one of them. */
    struct sp_cache old = {.size_B = 33 << 20, .effective_B = sp_value_of(8 * mb, SP_MEASURED)};
    sp_capacity_add(&old, sp_value_of(6 * mb, SP_MEASURED), "2026-11-24T08:00:00Z", 0);
    ck_assert_int_eq(old.n_draws, 2);
    ck_assert_double_eq_tol(old.effective_B.value, 7 * mb, 1);
    struct sp_machine a = {.n_caches = 1}, b = {.n_caches = 1}; /* of two files of one environment */
    a.cache[0] = old;
    b.cache[0] = (struct sp_cache){.size_B = 33 << 20, .effective_B = sp_value_none("")};
    sp_capacity_merge(&b, &a);
    sp_capacity_merge(&b, &a);
    ck_assert_int_eq(b.cache[0].n_draws, 2);
    ck_assert_double_eq(b.cache[0].effective_B.value, a.cache[0].effective_B.value);
    b.cache[0] = (struct sp_cache){.size_B = 33 << 20, .effective_B = sp_value_of(4 * mb, SP_MEASURED)};
    sp_capacity_merge(&b, &a); /* an old file keeps what it has */
    ck_assert_int_eq(b.cache[0].n_draws, 3);
    b.cache[0].size_B = 1 << 20;
    b.cache[0].n_draws = 0;
    sp_capacity_merge(&b, &a); /* another cache */
    ck_assert_int_eq(b.cache[0].n_draws, 0);
}
END_TEST

static void add(struct sp_machine *m, const char *name, const char *level, int n_threads, double value,
                double lo, double hi)
{
    struct sp_ceiling c = {.precision = "f64", .mode = "unknown", .n_threads = n_threads};
    snprintf(c.name, sizeof c.name, "%s", name);
    snprintf(c.level, sizeof c.level, "%s", level);
    c.value = sp_value_between(value, lo, hi, SP_MEASURED);
    ck_assert_int_eq(sp_machine_add_ceiling(m, &c, NULL), SP_OK);
}

/* A file as it was remembered beside other work: the slower of two that contradict each other
 * goes. */
START_TEST(what_cannot_be_is_left_out)
{
    struct sp_machine m = {.frequency_Hz = 2.4e9};
    char text[300];
    add(&m, "load", "MEM", 2, 20e9, 19e9, 21e9);
    add(&m, "load", "MEM", 1, 22e9, 18e9, 26e9); /* within noise */
    add(&m, "load", "L3", 2, 60e9, 55e9, 65e9);
    add(&m, "load", "L3", 1, 32e9, 30e9, 34e9);
    add(&m, "load", "L2", 2, 150e9, 140e9, 160e9);
    add(&m, "load_mix", "L3", 1, 39e9, 35e9, 43e9);
    add(&m, "fma", "core", 2, 92e9, 90e9, 95e9);
    add(&m, "simd", "core", 2, 84e9, 82e9, 86e9);
    add(&m, "scalar", "core", 2, 18e9, 16e9, 21e9);
    ck_assert_int_eq(sp_machine_drop_implausible(&m, text, sizeof text), 0);
    ck_assert_str_eq(text, "");
    add(&m, "load_mix", "L3", 2, 4.9e9, 4.7e9, 8.4e9); /* below one thread */
    add(&m, "load", "L1", 2, 0.5e9, 0.4e9, 0.6e9);     /* below all others */
    add(&m, "fma", "core", 1, 0.1e9, 0.1e9, 0.1e9);    /* below 0.1 a cycle */
    add(&m, "simd", "core", 1, 20e9, 19e9, 21e9);
    m.ceiling[m.n_ceilings - 1].value.origin = SP_STATED;
    const int n = m.n_ceilings;
    ck_assert_int_eq(sp_machine_drop_implausible(&m, text, sizeof text), 3);
    ck_assert_int_eq(m.n_ceilings, n - 3);
    ck_assert_ptr_nonnull(strstr(text, "L3 load_mix of 2 threads below L3 load_mix of 1"));
    ck_assert_ptr_nonnull(strstr(text, "L1 load of 2 threads below "));
    ck_assert_ptr_nonnull(strstr(text, "core fma of 1 thread"));
    ck_assert_int_eq(sp_machine_drop_implausible(&m, text, sizeof text), 0);
    bool exact;
    ck_assert_ptr_nonnull(sp_machine_ceiling(&m, "load", "L3", "f64", 2, NULL, &exact));
    ck_assert_ptr_nonnull(sp_machine_ceiling(&m, "simd", "core", "f64", 1, NULL, &exact)); /* stated */
    sp_machine_free(&m);
}
END_TEST

/* Loads of memory are not slower than a copy, of which a third may be a write-allocate that did not
 * happen. */
START_TEST(loads_are_not_slower_than_copies)
{
    struct sp_machine m = {.frequency_Hz = 2e9};
    char text[300];
    add(&m, "load", "MEM", 2, 20e9, 19e9, 21e9);
    add(&m, "copy", "MEM", 2, 29e9, 28e9, 30e9); /* without write-allocates 19.3 */
    ck_assert_int_eq(sp_machine_drop_implausible(&m, text, sizeof text), 0);
    add(&m, "load", "MEM", 4, 20e9, 19e9, 21e9);
    add(&m, "copy", "MEM", 4, 60e9, 58e9, 62e9);
    ck_assert_int_eq(sp_machine_drop_implausible(&m, text, sizeof text), 1);
    ck_assert_str_eq(text, "MEM load of 4 threads below MEM copy of 4");
    add(&m, "load", "L3", 2, 106e9, 100e9, 110e9);
    add(&m, "load_mix", "L3", 2, 150e9, 140e9, 160e9);
    ck_assert_int_eq(sp_machine_drop_implausible(&m, text, sizeof text), 0);
    add(&m, "load", "L3", 4, 106e9, 100e9, 110e9);
    add(&m, "load_mix", "L3", 4, 190e9, 180e9, 200e9);
    ck_assert_int_eq(sp_machine_drop_implausible(&m, text, sizeof text), 1);
    ck_assert_str_eq(text, "L3 load of 4 threads below L3 load_mix of 4");
    add(&m, "load", "MEM", 8, 72e9, 70e9, 74e9); /* 64 MiB that lay in a cache */
    add(&m, "load_mix", "MEM", 8, 13.5e9, 13e9, 14e9);
    ck_assert_int_eq(sp_machine_drop_implausible(&m, text, sizeof text), 1);
    ck_assert_str_eq(text, "MEM load of 8 threads beside MEM load_mix of 8");
    sp_machine_free(&m);
}
END_TEST

static double load_of(const struct sp_machine *m, int n_threads)
{
    bool exact;
    const struct sp_ceiling *c = sp_machine_ceiling(m, "load", "MEM", "f64", n_threads, NULL, &exact);
    return c && exact ? c->value.value : 0;
}

/* Disturbances only slow down: of two doubtful measurements the faster figures stay; a good one
 * replaces them, and a doubtful one adds to a good one only what that has not. */
START_TEST(measurements_improve_what_is_remembered)
{
    struct sp_machine m = {.frequency_Hz = 2e9}, later = {.frequency_Hz = 2e9};
    m.measured = (struct sp_machine_measured){"2026-11-23T08:00:00Z", 1, 100, 80, 5, "busy"};
    later.measured = (struct sp_machine_measured){"2026-11-23T09:00:00Z", 1, 100, 60, 4, "busy"};
    add(&m, "load", "MEM", 2, 20e9, 19e9, 21e9);
    add(&m, "load", "MEM", 1, 12e9, 11e9, 13e9);
    add(&later, "load", "MEM", 2, 18e9, 17e9, 19e9);
    add(&later, "load", "MEM", 1, 13e9, 12e9, 14e9);
    add(&later, "copy", "MEM", 1, 10e9, 9e9, 11e9);
    ck_assert_int_eq(sp_machine_improve(&m, &later, NULL), SP_OK);
    ck_assert(load_of(&m, 2) == 20e9 && load_of(&m, 1) == 13e9 && m.n_ceilings == 3);
    ck_assert(*m.measured.doubt && m.measured.n_times == 2 && sp_machine_was_busy(&m));
    ck_assert_str_eq(m.measured.when, later.measured.when);
    *later.measured.doubt = '\0';
    later.measured.n_disturbed = 0;
    ck_assert_int_eq(sp_machine_improve(&m, &later, NULL), SP_OK);
    ck_assert(load_of(&m, 2) == 18e9 && !*m.measured.doubt && m.measured.n_times == 3);
    ck_assert(!sp_machine_was_busy(&m));
    snprintf(later.measured.doubt, sizeof later.measured.doubt, "busy");
    later.ceiling[0].value = sp_value_of(30e9, SP_MEASURED);
    add(&later, "load", "MEM", 4, 30e9, 29e9, 31e9);
    ck_assert_int_eq(sp_machine_improve(&m, &later, NULL), SP_OK);
    ck_assert(load_of(&m, 2) == 18e9 && load_of(&m, 4) == 30e9 && !*m.measured.doubt);
    sp_machine_free(&m);
    sp_machine_free(&later);
}
END_TEST

/* A constructed machine of this environment, as a measurement with n threads would make it. */
static struct sp_machine measured_here(int n_threads, double capacity_B, const char *when, const char *doubt)
{
    struct sp_topology topology;
    struct sp_identity identity;
    struct sp_machine m = {.name = "here", .cpu = "c", .source = "s", .n_cores = 2, .frequency_Hz = 1e9};
    ck_assert_int_eq(sp_topology_read(&topology, NULL), SP_OK);
    sp_identity_read("", &topology, &identity);
    snprintf(m.env_key, sizeof m.env_key, "%s", identity.env_key);
    sp_topology_free(&topology);
    m.n_caches = 1;
    m.cache[0] = (struct sp_cache){.level = 3, .size_B = 32 << 20, .line_B = 64, .cores_sharing = 2};
    m.cache[0].effective_B = sp_value_none("");
    sp_capacity_add(&m.cache[0], sp_value_of(capacity_B, SP_MEASURED), when, 0);
    m.measured = (struct sp_machine_measured){.n_times = 1, .n_samples = 10};
    snprintf(m.measured.when, sizeof m.measured.when, "%s", when);
    snprintf(m.measured.doubt, sizeof m.measured.doubt, "%s", doubt);
    add(&m, "load", "MEM", n_threads, 20e9, 19e9, 21e9);
    return m;
}

/* Nothing is measured here: what is remembered serves, in doubt or not, and capacities are of all
 * thread counts. */
START_TEST(what_is_remembered_is_added_to_and_forgotten)
{
    char now[24];
    bool cached;
    struct sp_machine m, r;
    struct sp_topology topology;
    ck_assert_int_eq(sp_topology_read(&topology, NULL), SP_OK);
    const int n_all = sp_topology_default_threads(&topology), n_too_many = topology.n_allowed + 9;
    sp_topology_free(&topology);
    sp_measure_now(now, sizeof now);
    ck_assert_double_le(sp_measure_age(now), 5);
    ck_assert(isnan(sp_measure_age("")));
    m = measured_here(n_all, 8e6, "2026-11-20T08:00:00Z", "");
    ck_assert_int_eq(sp_machine_remember(dir, 0, &m, NULL), SP_OK);
    sp_machine_free(&m);
    m = measured_here(n_all + 1, 4e6, now, "most samples were disturbed");
    ck_assert_int_eq(sp_machine_remember(dir, n_all + 1, &m, NULL), SP_OK);
    sp_machine_free(&m);
    m = measured_here(n_all, 6e6, "2026-11-21T08:00:00Z", "");
    ck_assert_int_eq(sp_machine_remember(dir, n_all, &m, NULL), SP_OK);
    ck_assert_int_eq(m.measured.n_times, 2);
    sp_machine_free(&m);
    ck_assert_int_eq(sp_machine_remember(dir, n_all + 2, &(struct sp_machine){.env_key = "x"}, NULL),
                     SP_ABSENT);
    for (int more = 0; more < 2; more++) {
        const struct sp_measure_options o = {.quick = true, .n_threads = n_all + more};
        ck_assert_int_eq(sp_machine_quick_cached(dir, &o, &r, &cached, NULL, NULL, NULL), SP_OK);
        ck_assert(cached && *r.measured.doubt == (more ? 'm' : '\0'));
        ck_assert_int_eq(r.cache[0].n_draws, 3);
        ck_assert_double_eq(r.cache[0].effective_B.value, 6e6);
        ck_assert(r.cache[0].effective_B.lo < 4.5e6 && r.cache[0].effective_B.hi > 7.5e6);
        sp_machine_free(&r);
    }
    /* More threads than processors are served by one thread a core. */
    const struct sp_measure_options crowd = {.quick = true, .n_threads = n_too_many};
    ck_assert_int_eq(sp_machine_quick_cached(dir, &crowd, &r, &cached, NULL, NULL, NULL), SP_OK);
    ck_assert(cached && r.n_ceilings == 1 && r.ceiling[0].n_threads == n_all);
    sp_machine_free(&r);
    /* One thread is served by a measurement with more, where that has its figures. */
    if (n_all > 1)
        ck_assert_int_eq(sp_machine_remembered(dir, 1, &r, NULL), SP_ABSENT);
    m = measured_here(n_all + 3, 6e6, "2026-11-22T08:00:00Z", "");
    add(&m, "load", "MEM", 1, 15e9, 14e9, 16e9);
    add(&m, "triad_nt", "MEM", 1, 15e9, 14e9, 16e9);
    ck_assert_int_eq(sp_machine_remember(dir, n_all + 3, &m, NULL), SP_OK);
    sp_machine_free(&m);
    ck_assert_int_eq(sp_machine_remembered(dir, 1, &r, NULL), SP_OK);
    sp_machine_free(&r);
    ck_assert_int_eq(sp_machine_remembered(dir, 0, &r, NULL), SP_OK);
    sp_machine_forget(dir, "0123456789abcdef");
    char key[20];
    snprintf(key, sizeof key, "%s", r.env_key);
    sp_machine_free(&r);
    ck_assert_int_eq(sp_machine_remembered(dir, n_all + 1, &r, NULL), SP_OK);
    sp_machine_free(&r);
    sp_machine_forget(dir, key);
    ck_assert_int_eq(sp_machine_remembered(dir, n_all + 1, &r, NULL), SP_ABSENT);
}
END_TEST

/* Caches of the first run and of the second are the same to the last digit and word: simulated
 * bytes are compared where they agree. */
START_TEST(the_first_run_has_what_is_remembered)
{
    struct sp_machine m = measured_here(1, 13873933.410840092, "2026-11-20T08:00:00Z", ""), r;
    m.cache[1] = m.cache[0];
    m.cache[0] = (struct sp_cache){.level = 1, .size_B = 32768, .line_B = 64, .cores_sharing = 1};
    m.cache[0].effective_B = sp_value_none("measured for the last level only");
    m.n_caches = 2;
    ck_assert_int_eq(sp_machine_remember(dir, 1, &m, NULL), SP_OK);
    ck_assert_int_eq(sp_machine_remembered(dir, 1, &r, NULL), SP_OK);
    ck_assert_str_eq(m.cache[0].effective_B.why, r.cache[0].effective_B.why);
    ck_assert_double_eq(m.cache[1].effective_B.value, r.cache[1].effective_B.value);
    sp_machine_forget(dir, m.env_key);
    sp_machine_free(&m);
    sp_machine_free(&r);
}
END_TEST

/* Each level between its neighbours, memory the whole arena, one and all threads even when
 * quick. */
START_TEST(working_sets_fit_their_levels)
{
    struct sp_topology t = {.n_cpus = 16, .n_cores = 16, .n_domains = 4, .n_caches = 3};
    t.cache[0] = (struct sp_topology_cache){.level = 1, .size_B = 32 << 10, .cores_sharing = 1};
    t.cache[1] = (struct sp_topology_cache){.level = 2, .size_B = 1 << 20, .cores_sharing = 1};
    t.cache[2] = (struct sp_topology_cache){.level = 3, .size_B = 32 << 20, .cores_sharing = 4};
    struct sp_measure_job *jobs = calloc(SP_MEASURE_MAX_JOBS, sizeof *jobs);
    size_t arena = (size_t)1 << 30;
    int n = sp_measure_plan(&t, 16, _i == 0, arena, jobs), loads[2][4] = {{0}}, stores[4] = {0};
    ck_assert(n > 0 && n < SP_MEASURE_MAX_JOBS);
    for (int i = 0; i < n; i++) {
        const struct sp_measure_job *j = &jobs[i];
        size_t m = (size_t)j->n_threads;
        if (strcmp(j->level, "L1") == 0)
            ck_assert(j->bytes <= (size_t)(32 << 10) * m && j->w == 1);
        else if (strcmp(j->level, "L2") == 0)
            ck_assert(j->bytes > (size_t)(32 << 10) * m && j->bytes < (size_t)(1 << 20) * m && j->w == 2);
        else if (strcmp(j->level, "L3") == 0)
            ck_assert(j->bytes > (size_t)(1 << 20) * m && j->bytes <= (size_t)(16 << 20) * ((m + 3) / 4));
        else if (strcmp(j->level, "MEM") == 0)
            ck_assert(j->bytes == arena && j->w == 2);
        else
            ck_assert(sp_ceiling_kind_is_flops(j->kind) && j->bytes == 0);
        for (int k = 0; k < 4; k++)
            if (j->kind == SP_CEILING_LOAD && (m == 1 || m == 16) &&
                strcmp(j->level, (const char *[]){"L1", "L2", "L3", "MEM"}[k]) == 0)
                loads[m == 16][k]++;
        /* what the overlap rule is fitted to (model/ecm.h) */
        for (int k = 0; k < 4; k++)
            if ((j->kind == SP_CEILING_COPY || j->kind == SP_CEILING_TRIAD) && m == 1 &&
                strcmp(j->level, (const char *[]){"L1", "L2", "L3", "MEM"}[k]) == 0)
                stores[k]++;
    }
    for (int k = 0; k < 4; k++)
        ck_assert_int_eq(stores[k], 2);
    for (int k = 0; k < 8; k++)
        ck_assert_int_eq(loads[k / 4][k % 4], 1);
    n = sp_measure_plan_loads(&t, 16, arena, jobs); /* both once a level, and nothing else */
    ck_assert_int_eq(n, 8);
    for (int i = 0; i < n; i++)
        ck_assert(jobs[i].kind == (i % 2 ? SP_CEILING_LOAD_MIX : SP_CEILING_LOAD) && jobs[i].n_threads == 16);
    free(jobs);
}
END_TEST

static struct sp_pairs run_of(double time_s[3], double roof_Bps[3], double thread_s[2], const char *mode)
{
    struct sp_pairs p = {
        .n = 3, .n_threads = 2, .time_s = time_s, .roof_Bps = roof_Bps, .thread_s = thread_s};
    snprintf(p.mode, sizeof p.mode, "%s", mode);
    p.time = sp_median_interval(time_s, 3, SP_MEASURED);
    p.roof = sp_median_interval(roof_Bps, 3, SP_MEASURED);
    double inverse[3];
    for (int i = 0; i < 3; i++)
        inverse[i] = 1 / (time_s[i] * roof_Bps[i]);
    p.inverse = sp_median_interval(inverse, 3, SP_MEASURED);
    return p;
}

/* Samples within a run agree, runs do not: the interval must show it, and another mode must not
 * count. */
START_TEST(runs_are_pooled_by_their_medians)
{
    double time[4][3] = {{1.00, 1.01, 1.02}, {2.00, 2.01, 2.02}, {9, 9, 9}, {1.20, 1.21, 1.22}};
    double roof[4][3] = {{4, 4, 4}, {4, 4, 4}, {8, 8, 8}, {4, 4, 4}};
    double thread[4][2] = {{0.9, 1.0}, {1.8, 2.0}, {9, 9}, {1.2, 0.6}};
    static const char *const mode[] = {"shared", "shared", "split", "shared"};
    struct sp_pairs run[4], pooled;
    for (int i = 0; i < 4; i++)
        run[i] = run_of(time[i], roof[i], thread[i], mode[i]);
    ck_assert_int_eq(sp_pairs_pool(run, 4, 5, &pooled, NULL), SP_OK);
    ck_assert_str_eq(pooled.mode, "shared");
    ck_assert_int_eq(pooled.n, 9);
    ck_assert_int_eq(pooled.n_dropped, 3);
    ck_assert_double_eq_tol(pooled.time.value, 1.21, 1e-12);
    ck_assert(pooled.time.lo <= 1.01 && pooled.time.hi >= 2.01 && pooled.time.hi < 9);
    ck_assert_double_eq_tol(pooled.inverse.value, 1 / (1.21 * 4), 1e-12);
    ck_assert(pooled.inverse.lo <= 1 / (2.0 * 4) && pooled.inverse.hi >= 1 / (1.02 * 4));
    ck_assert_double_eq_tol(pooled.thread_s[0], 1.3, 1e-12);
    ck_assert_double_eq_tol(pooled.thread_s[1], 1.2, 1e-12);
    sp_pairs_free(&pooled);
}
END_TEST

/* Undisturbed runs count alone where they have samples enough: one lucky sample is no clean
 * measurement. */
START_TEST(one_clean_sample_is_not_enough)
{
    double time[4][3] = {{3, 4, 5}, {4, 5, 6}, {5, 6, 7}, {1, 1.1, 1.2}};
    double roof[4][3] = {{4, 4, 4}, {4, 4, 4}, {4, 4, 4}, {4, 4, 4}};
    double thread[4][2] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}};
    struct sp_pairs run[4], pooled;
    for (int i = 0; i < 4; i++)
        run[i] = run_of(time[i], roof[i], thread[i], "shared");
    run[3].clean = true;
    ck_assert_int_eq(sp_pairs_pool(run, 4, 3, &pooled, NULL), SP_OK);
    ck_assert(pooled.clean && pooled.n == 3 && pooled.time.hi < 2);
    sp_pairs_free(&pooled);
    run[3].n = 1;
    ck_assert_int_eq(sp_pairs_pool(run, 4, 3, &pooled, NULL), SP_OK);
    ck_assert(!pooled.clean && pooled.n == 10 && pooled.time.hi > 6);
    sp_pairs_free(&pooled);
    ck_assert_int_eq(sp_pairs_pool(&run[3], 1, 3, &pooled, NULL), SP_OK); /* few, and none disturbed */
    ck_assert(pooled.clean && pooled.n == 1);
    sp_pairs_free(&pooled);
}
END_TEST

/* All that one repetition knows of the next: nine tenths of its samples, of the time, the roof and
 * their product. */
START_TEST(intervals_hold_most_samples)
{
    enum { MANY = 100 };
    double time[MANY], roof[MANY], thread[2] = {1, 1};
    for (int i = 0; i < MANY; i++) { /* the roof in another order than the time */
        time[i] = 1 + 0.01 * i;
        roof[i] = 2 - 0.01 * (i * 37 % MANY);
    }
    struct sp_pairs run = {.n = MANY, .n_threads = 2, .time_s = time, .roof_Bps = roof, .thread_s = thread},
                    pooled;
    run.time = sp_value_of(sp_median(time, MANY), SP_MEASURED);
    run.roof = sp_value_of(sp_median(roof, MANY), SP_MEASURED);
    run.inverse = sp_value_of(1 / 2.25, SP_MEASURED);
    ck_assert_int_eq(sp_pairs_pool(&run, 1, 5, &pooled, NULL), SP_OK);
    const struct sp_value got[] = {pooled.time, pooled.roof};
    for (int i = 0; i < 2; i++)
        ck_assert(got[i].lo <= 1.061 && got[i].hi >= 1.939 && got[i].lo >= 1 && got[i].hi <= 2);
    int n = 0;
    for (int i = 0; i < MANY; i++)
        n += 1 / (time[i] * roof[i]) >= pooled.inverse.lo && 1 / (time[i] * roof[i]) <= pooled.inverse.hi;
    ck_assert_int_ge(n, 90);
    sp_pairs_free(&pooled);
}
END_TEST

/* A topology that claims a second node for the second thread: the real pages all lie on the
 * first. */
START_TEST(local_share_follows_the_threads)
{
    struct sp_csr a;
    struct sp_layout l;
    ck_assert_int_eq(sp_generate("laplace2d:200", NULL, &a, NULL), SP_OK);
    struct sp_workload w = {.schedule = SP_SCHEDULE_NNZ, .n_threads = 2, .matrix = &a};
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    struct sp_cpu cpu[2] = {{.os = 0}, {.os = 1}};
    int os[2] = {0, 1};
    struct sp_topology topology = {.n_cpus = 2, .cpu = cpu, .n_numa = 1};
    struct sp_binding binding = {.n_threads = 2, .cpu = os, .pinned = true};
    ck_assert(!sp_value_known(sp_placement_local_share(&l, &binding, &topology)));
    topology.n_numa = 2;
    struct sp_value both = sp_placement_local_share(&l, &binding, &topology);
    if (!sp_value_known(both)) {
        printf("skipped: %s\n", both.why);
    } else {
        int home =
            both.value > 0.5 ? 0 : 1; /* the node of the pages; other machines number theirs otherwise */
        ck_assert(both.value > 0.99 || both.value < 0.01);
        cpu[1].numa = 1 - home;
        cpu[0].numa = home;
        struct sp_value half = sp_placement_local_share(&l, &binding, &topology);
        ck_assert_double_eq_tol(half.value, 0.5, 0.02);
        binding.pinned = false;
        ck_assert(!sp_value_known(sp_placement_local_share(&l, &binding, &topology)));
    }
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("measure");
    TCase *tc = tcase_create("measure");
    tcase_add_loop_test(tc, the_capacity_is_found, 0, 5);
    tcase_add_test(tc, without_a_rise_it_stays_unknown);
    tcase_add_test(tc, a_capacity_above_the_stated_one_is_impossible);
    tcase_add_test(tc, streams_find_what_a_cycle_finds_again);
    tcase_add_test(tc, capacities_are_pooled);
    tcase_add_test(tc, what_cannot_be_is_left_out);
    tcase_add_test(tc, loads_are_not_slower_than_copies);
    tcase_add_test(tc, measurements_improve_what_is_remembered);
    tcase_add_checked_fixture(tc, make_dir, remove_dir);
    tcase_add_test(tc, what_is_remembered_is_added_to_and_forgotten);
    tcase_add_test(tc, the_first_run_has_what_is_remembered);
    tcase_add_test(tc, local_share_follows_the_threads);
    tcase_add_test(tc, runs_are_pooled_by_their_medians);
    tcase_add_test(tc, one_clean_sample_is_not_enough);
    tcase_add_test(tc, intervals_hold_most_samples);
    tcase_add_loop_test(tc, working_sets_fit_their_levels, 0, 2);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
