/* Measurements of others: tables and mappings, matrices found or not, predictions kept, what errors say. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/csv_table.h"
#include "io/machine/machine_file.h"
#include "model/cache/alpha.h"
#include "model/cache/capacity.h"
#include "model/unit_costs.h"
#include "model/volume/traffic.h"
#include "near.h"
#include "run_suite.h"
#include "session/validate/validation.h"
#include "sparse/generate/generate.h"

static char folder[64];
static const char *const machines[] = {SP_MACHINES, NULL};

static void set_up(void)
{
    strcpy(folder, "/tmp/spmodel-validate-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void tear_down(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static const char *file_with(const char *text)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/m.csv", folder);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
    return path;
}

START_TEST(cells_are_read_as_they_were_written)
{
    struct sp_csv_table t;
    struct sp_error err;
    const char *path = file_with("\xef\xbb\xbf# who\n\na,\"b \"\"c\"\"\", d \r\n1, 2 ,\"3,\n4\"\r\n\n,,x");
    ck_assert_int_eq(sp_csv_table_read(path, &t, &err), SP_OK);
    ck_assert_int_eq(t.n_columns, 3);
    ck_assert_str_eq(t.column[1], "b \"c\"");
    ck_assert_int_eq(sp_csv_table_column(&t, "d"), 2);
    ck_assert_int_eq(t.n_rows, 2);
    ck_assert_str_eq(sp_csv_table_cell(&t, 0, 1), "2");
    ck_assert_str_eq(sp_csv_table_cell(&t, 0, 2), "3,\n4");
    ck_assert_str_eq(sp_csv_table_cell(&t, 1, 0), "");
    ck_assert_str_eq(sp_csv_table_cell(&t, 1, 2), "x");
    ck_assert_int_eq(t.line[1], 7);
    sp_csv_table_free(&t);
    sp_csv_table_free(&t);
}
END_TEST

static const struct {
    const char *text, *what;
    int line;
} tables[] = {{"", "no header", 0},
              {"# only this\n", "no header", 0},
              {"a,b,a\n1,2,3\n", "two columns are called 'a'", 1},
              {"a,,b\n", "column 2 has no name", 1},
              {"a,b\n1,2\n\n3\n", "1 cells, but the header names 2 columns", 4},
              {"a,b\n1,2,3\n", "3 cells", 2},
              {"a,b\n1,\"2\n3,4\n", "does not end", 2},
              {"a,b\n1,\"2\"x\n", "does not end", 2}};

START_TEST(what_is_no_table_is_named_with_its_line)
{
    struct sp_csv_table t;
    struct sp_error err = {0};
    ck_assert_int_eq(sp_csv_table_read(file_with(tables[_i].text), &t, &err), SP_INPUT);
    ck_assert_msg(strstr(err.what, tables[_i].what), "%s", err.what);
    ck_assert_int_eq(err.line, tables[_i].line);
    ck_assert_ptr_null(t.text);
}
END_TEST

/* Reads `text` with these entries of a mapping, ended by NULL. */
static enum sp_status measure(const char *text, const char *const *entry, const char *only,
                              struct sp_measurement **m, int64_t *n, struct sp_error *err)
{
    struct sp_mapping mapping = {0};
    struct sp_line_filter filter;
    struct sp_csv_table t;
    const char *path = file_with(text);
    enum sp_status status = sp_csv_table_read(path, &t, err);
    for (; status == SP_OK && *entry; entry++)
        status = sp_mapping_add(&mapping, *entry, NULL, 0, err);
    if (status == SP_OK && only)
        status = sp_line_filter_parse(only, &filter, err);
    *m = NULL;
    *n = 0;
    if (status == SP_OK)
        status = sp_measurements_of(path, &t, &mapping, &filter, only ? 1 : 0, m, n, err);
    sp_mapping_free(&mapping);
    sp_csv_table_free(&t);
    return status;
}

START_TEST(quantities_come_from_columns_formulas_and_texts)
{
    static const char *const map[] = {"matrix = name",
                                      "machine = 'a64fx'",
                                      "threads=48",
                                      "read_B = lines*256",
                                      "write_B = ([column:w (B)] - 1) / 2",
                                      "threads = p",
                                      NULL};
    struct sp_measurement *m;
    struct sp_error err;
    int64_t n;
    ck_assert_int_eq(measure("name,p,lines,w (B),executions,time,n_nz\nA/b,2,10,21,5,1,\nc,3,7,,,,9\n", map,
                             NULL, &m, &n, &err),
                     SP_OK);
    ck_assert_int_eq(n, 2);
    ck_assert_str_eq(m[0].text[SP_MEASURED_MATRIX], "A/b");
    ck_assert_str_eq(m[0].text[SP_MEASURED_MACHINE], "a64fx");
    ck_assert_double_eq(m[0].number[SP_MEASURED_THREADS], 2);
    ck_assert_double_eq(m[0].number[SP_MEASURED_READ], 2560 / 5.0);
    ck_assert_double_eq(m[0].number[SP_MEASURED_WRITE], 10 / 5.0);
    ck_assert_double_eq(m[0].number[SP_MEASURED_TIME], 1 / 5.0);
    ck_assert_double_nan(m[0].number[SP_MEASURED_NNZ]);
    ck_assert_double_eq(m[1].number[SP_MEASURED_READ], 7 * 256);
    ck_assert_double_nan(m[1].number[SP_MEASURED_WRITE]);
    ck_assert_double_eq(m[1].number[SP_MEASURED_NNZ], 9);
    ck_assert_int_eq(m[1].line, 3);
    free(m);
}
END_TEST

static const struct {
    const char *text, *entry, *what;
    int status, line;
} foreign[] = {
    {"a,b\n1,2\n", NULL, "no column gives the matrix", SP_INPUT, 1},
    {"matrix;machine;threads;read_B\nA;m;1;3\n", NULL, "the header has one column", SP_INPUT, 1},
    {"matrix\tread_B\nA\t3\n", NULL, "the header has one column", SP_INPUT, 1},
    {"a,b\n", NULL, "no lines behind the header", SP_INPUT, 0},
    {"\n {\"a\": 1,\n \"b\": 2}\n", NULL, "JSON, not CSV", SP_INPUT, 0},
    {"matrix,threads,read_B\nA,1,2\n", NULL, "no column gives the machine", SP_INPUT, 1},
    {"matrix,machine,read_B\nA,m,2\n", NULL, "no column gives the threads", SP_INPUT, 1},
    {"matrix,machine,threads\nA,m,2\n", NULL, "no column gives anything measured", SP_INPUT, 1},
    {"matrix,machine,threads,read_B,bytes_read\nA,m,2,3,4\n", NULL, "both may be 'read_B'", SP_INPUT, 1},
    {"matrix,machine,threads,read_B\nA,m,2,3\nB,m,2,many\n", NULL, "'many' in column 'read_B'", SP_INPUT, 3},
    {"matrix,machine,threads,read_B\nA,m,2,-3\n", NULL, "read_B is -3", SP_INPUT, 2},
    {"matrix,machine,threads,read_B\nA,m,1.5,3\n", NULL, "threads is 1.5", SP_INPUT, 2},
    {"matrix,machine,threads,read_B\nA,m,,3\n", NULL, "threads are empty", SP_INPUT, 2},
    {"matrix,machine,threads,read_B\n,m,1,3\n", NULL, "the matrix is empty", SP_INPUT, 2},
    {"matrix,machine,threads,read_B\nA,m,1,3\n", "read_B = lines*256", "column 'lines'", SP_INPUT, 1},
    {"matrix,machine,threads,read_B\nA,m,1,3\n", "matrix = name", "column 'name'", SP_INPUT, 1},
    {"matrix,machine,threads,read_B\nA,m,1,0\n", "read_B = 1/read_B", "no finite value", SP_INPUT, 2},
    {"matrix,machine,threads,read_B\nA,m,1,0\n", "read_B = (read_B", "')' is missing", SP_INPUT, 0},
    {"matrix,machine,threads,read_B\nA,m,1,0\n", "reads = read_B", "no quantity 'reads'", SP_USAGE, 0},
    {"matrix,machine,threads,read_B\nA,m,1,0\n", "read_B =", "nothing stands behind", SP_USAGE, 0},
    {"matrix,machine,threads,read_B,row_ptr\nA,m,1,3,6\n", NULL, "neither 4 nor 8", SP_INPUT, 2},
    {"matrix,machine,threads,read_B,state\nA,m,1,3,hot\n", NULL, "neither warm nor cold", SP_INPUT, 2},
};

START_TEST(what_is_missing_or_ambiguous_is_said)
{
    const char *const map[] = {foreign[_i].entry, NULL};
    struct sp_measurement *m;
    struct sp_error err = {0};
    int64_t n;
    ck_assert_int_eq(measure(foreign[_i].text, map, NULL, &m, &n, &err), foreign[_i].status);
    ck_assert_msg(strstr(err.what, foreign[_i].what), "%s", err.what);
    ck_assert_int_eq(err.line, foreign[_i].line);
    ck_assert_ptr_null(m);
}
END_TEST

START_TEST(filters_choose_lines_by_column_or_quantity)
{
    static const char *const none[] = {NULL}, *const map[] = {"threads = p + 1", NULL};
    static const char text[] = "matrix,machine,threads,read_B,p\nA,m,1,1,3\nB,m,2,1,4\nC,m,2,1,wrong\n";
    struct sp_measurement *m;
    struct sp_error err;
    int64_t n;
    ck_assert_int_eq(measure(text, none, "matrix=A,C", &m, &n, &err), SP_OK);
    ck_assert_int_eq(n, 2);
    free(m);
    /* What is left out need not be right. */
    ck_assert_int_eq(measure(text, map, "matrix=A,B", &m, &n, &err), SP_OK);
    ck_assert_int_eq(n, 2);
    free(m);
    ck_assert_int_eq(measure(text, none, "threads=2.0", &m, &n, &err), SP_OK);
    ck_assert_int_eq(n, 2);
    free(m);
    struct sp_line_filter f;
    char unseen[32];
    ck_assert_int_eq(sp_line_filter_parse("matrix=A,typo,A,other", &f, &err), SP_OK);
    ck_assert_str_eq(sp_line_filter_unseen(&f, unseen, sizeof unseen), "A, typo, other");
    f.seen[0] = true;
    ck_assert_str_eq(sp_line_filter_unseen(&f, unseen, sizeof unseen), "typo, other");
    ck_assert_int_eq(measure(text, none, "rank=2", &m, &n, &err), SP_USAGE);
    ck_assert_int_eq(measure(text, none, "rank", &m, &n, &err), SP_USAGE);
}
END_TEST

/* P(n >= W) of a Poisson distribution: half at its mean, next to nothing far below, all far above. */
START_TEST(sets_lose_more_the_fuller_the_cache)
{
    ck_assert_double_eq(sp_sets_lost(0, 16), 0);
    ck_assert_double_eq(sp_sets_lost(0.5, 0), 0);
    ck_assert_double_eq_tol(sp_sets_lost(1.0 / 1, 1), 1 - exp(-1), 1e-12);
    ck_assert_double_eq_tol(sp_sets_lost(2.0 / 2, 2), 1 - 3 * exp(-2), 1e-12);
    ck_assert_double_lt(sp_sets_lost(0.4, 16), 2e-3);
    ck_assert_double_gt(sp_sets_lost(2, 16), 0.998);
    for (int i = 1; i < 40; i++)
        ck_assert_double_ge(sp_sets_lost(0.05 * i, 16), sp_sets_lost(0.05 * (i - 1), 16));
}
END_TEST

/* Two ways fewer at one end and nothing at the other; beyond the cache some sets keep theirs; far away
 * nothing.
 */
START_TEST(what_overflows_has_ends)
{
    const struct sp_cache c = {.ways = 16, .cycle_B = sp_value_of(1, SP_STATED), .keeping = SP_KEEPS_NOTHING};
    const struct sp_overflow fits = sp_overflow_of(&c, 0.7), more = sp_overflow_of(&c, 1.25),
                             far = sp_overflow_of(&c, 2);
    ck_assert_double_eq(fits.lost, sp_sets_lost(0.7, 16));
    ck_assert_double_eq_tol(fits.most, sp_sets_lost(0.8, 14), 1e-12);
    ck_assert_double_eq(fits.kept, 0);
    ck_assert_double_eq(more.lost, sp_sets_lost(1.25, 16));
    ck_assert_double_eq(more.most, 1);
    ck_assert_double_eq(more.kept, 1 - more.lost);
    ck_assert(far.lost == 0 && far.most == 0 && far.kept == 0);
    /* Where ways are kept for the matrix, of the others in those that are left. */
    struct sp_cache divided = c;
    divided.size_B = 1 << 20;
    divided.partition = (struct sp_way_partition){.ways = 3, .arrays = 1u << SP_ARRAY_VALUES};
    ck_assert(sp_overflow_is_of(&divided));
    ck_assert(sp_overflow_is_in(&divided, SP_ARRAY_X) && !sp_overflow_is_in(&divided, SP_ARRAY_VALUES));
    ck_assert(sp_overflow_is_in(&c, SP_ARRAY_VALUES));
    ck_assert_double_eq(sp_overflow_twice(&c, SP_ARRAY_VALUES), 0);
    ck_assert_double_eq(sp_overflow_twice(&divided, SP_ARRAY_VALUES), 0.25 / 9);
    ck_assert_double_eq(sp_overflow_twice(&divided, SP_ARRAY_X), 0);
    ck_assert_double_eq(sp_overflow_room_B(&divided), 13.0 * (1 << 16));
    ck_assert_double_eq(sp_overflow_of(&divided, 0.7).lost, sp_sets_lost(0.7, 13));
    /* The same division named from its other side. */
    struct sp_cache other_side = divided;
    other_side.partition = (struct sp_way_partition){.ways = 13, .arrays = ~(1u << SP_ARRAY_VALUES)};
    ck_assert(sp_overflow_is_in(&other_side, SP_ARRAY_X) && !sp_overflow_is_in(&other_side, SP_ARRAY_VALUES));
    ck_assert_double_eq(sp_overflow_room_B(&other_side), sp_overflow_room_B(&divided));
    ck_assert_double_eq(sp_overflow_of(&other_side, 0.7).most, sp_overflow_of(&divided, 0.7).most);
    ck_assert_double_eq(sp_overflow_twice(&other_side, SP_ARRAY_VALUES), 0.25 / 9);
    /* Of caches that are not known to be LRU, of another policy or of too few ways, nothing is said. */
    struct sp_cache other[5] = {c, c, c, c, c};
    ck_assert(sp_overflow_is_of(&c));
    other[0].cycle_B = sp_value_none("not measured");
    other[1].keeping = SP_KEEPS_A_PART;
    other[2].policy = SP_RANDOM;
    other[3].partition = (struct sp_way_partition){.ways = 14, .arrays = 1u << SP_ARRAY_VALUES};
    other[4].ways = 0;
    for (int i = 0; i < 5; i++)
        ck_assert(!sp_overflow_is_of(&other[i]));
}
END_TEST

/* The simulation of warm executions has it, once: what it says of the same caches without the statement that
 * they are LRU, and l of the bytes of each domain; of divided caches of the vectors alone, one by one as all at
 * once. Cold executions have none. */
START_TEST(the_simulation_has_what_overflows)
{
    enum { THREADS = 48, DOMAINS = 4 };
    struct sp_csr a;
    struct sp_machine machine;
    struct sp_layout layout;
    struct sp_error err;
    char path[512];
    int domain[THREADS], n_levels;
    int64_t lines[DOMAINS];
    struct sp_alpha_min least;
    struct sp_traffic with[SP_MAX_LEVELS], without[SP_MAX_LEVELS];
    ck_assert_int_eq(sp_generate("laplace3d:60", NULL, &a, &err), SP_OK);
    ck_assert_int_eq(sp_machine_file_find("a64fx", machines, path, sizeof path, &err), SP_OK);
    ck_assert_int_eq(sp_machine_file_read(path, &machine, NULL, 0, &err), SP_OK);
    const struct sp_workload w = {
        .op = SP_OP_SPMV, .r = 1, .schedule = SP_SCHEDULE_ROWS, .n_threads = THREADS, .matrix = &a};
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &layout, &err), SP_OK);
    for (int t = 0; t < THREADS; t++)
        domain[t] = sp_machine_domain_of(&machine, t);
    struct sp_machine silent = machine;
    silent.cache[1].cycle_B = sp_value_none("not measured");
    struct sp_sim_options o = sp_sim_default(&machine);
    o.n_domain = DOMAINS;
    o.domain_of_thread = domain;
    struct sp_ways all;
    machine.cache[1].partition.ways = silent.cache[1].partition.ways = 12;
    o.state = SP_SIM_WARM;
    o.machine = &silent;
    ck_assert_int_eq(sp_sim_traffic(&layout, &o, without, &n_levels, NULL, &err), SP_OK);
    o.machine = &machine;
    ck_assert_int_eq(sp_sim_traffic(&layout, &o, with, &n_levels, NULL, &err), SP_OK);
    ck_assert_int_eq(sp_sim_ways(&layout, &o, &all, &err), SP_OK);
    ck_assert_double_eq_tol(all.read_B[12], with[1].read_B.value, 1);
    ck_assert_double_eq_tol(all.most_B[12], with[1].read_B.hi, 1);
    ck_assert_double_gt(all.most_B[12], all.read_B[12]);
    ck_assert_double_gt(with[1].write_B.value, without[1].write_B.value);
    ck_assert_double_gt(with[1].array_read_B[SP_ARRAY_X], without[1].array_read_B[SP_ARRAY_X]);
    ck_assert_double_eq(with[1].array_read_B[SP_ARRAY_VALUES], without[1].array_read_B[SP_ARRAY_VALUES]);
    machine.cache[1].partition.ways = silent.cache[1].partition.ways = 0;
    for (int state = 0; state < 2; state++) {
        o.state = state ? SP_SIM_COLD : SP_SIM_WARM;
        o.machine = &machine;
        ck_assert_int_eq(sp_sim_traffic(&layout, &o, with, &n_levels, NULL, &err), SP_OK);
        o.machine = &silent;
        ck_assert_int_eq(sp_sim_traffic(&layout, &o, without, &n_levels, NULL, &err), SP_OK);
        if (state == 0) {
            double more_B = 0;
            const double all_B = sp_layout_matrix_bytes(&layout) + sp_layout_array_bytes(&layout, SP_ARRAY_Y);
            ck_assert_int_eq(sp_alpha_min_layout(&layout, DOMAINS, domain, 256, 0, lines, &least, &err),
                             SP_OK);
            for (int d = 0; d < DOMAINS; d++) {
                double entries = 0;
                for (int t = 0; t < THREADS; t++)
                    entries += domain[t] == d ? (double)sp_layout_thread_entries(&layout, t) : 0;
                const double B = all_B * entries / (double)a.n_nz + 256.0 * (double)lines[d];
                more_B += sp_sets_lost(B / machine.cache[1].size_B, 16) * B;
            }
            ck_assert_double_gt(more_B, 0.02 * all_B);
            ck_assert_double_eq_tol(with[1].read_B.value - without[1].read_B.value, more_B, 1);
            ck_assert_double_eq(with[1].read_B.lo, without[1].read_B.value);
            ck_assert_double_gt(with[1].read_B.hi, with[1].read_B.value);
            ck_assert_double_gt(with[1].write_B.value, without[1].write_B.value);
            ck_assert_double_eq(with[0].read_B.value, without[0].read_B.value);
        } else {
            ck_assert_double_eq(with[1].read_B.hi, without[1].read_B.value);
        }
    }
    struct sp_forecast f;
    o.state = SP_SIM_WARM;
    o.machine = &machine;
    ck_assert_int_eq(sp_sim_traffic(&layout, &o, with, &n_levels, NULL, &err), SP_OK);
    ck_assert_int_eq(sp_forecast_make(&w, &machine, false, NULL, &f, &err), SP_OK);
    ck_assert_double_eq(f.read_B.value, with[1].read_B.value);
    ck_assert_double_eq(f.read_B.hi, with[1].read_B.hi);
    sp_layout_free(&layout);
    sp_machine_free(&machine);
    sp_csr_free(&a);
}
END_TEST

static struct sp_measurement line_of(const char *matrix, int threads, double read_B)
{
    struct sp_measurement m = {.line = 2};
    for (int i = 0; i < SP_N_MEASURED_NUMBERS; i++)
        m.number[i] = NAN;
    strcpy(m.text[SP_MEASURED_MATRIX], matrix);
    strcpy(m.text[SP_MEASURED_MACHINE], "a64fx");
    strcpy(m.text[SP_MEASURED_SCHEDULE], "rows");
    m.number[SP_MEASURED_THREADS] = threads;
    m.number[SP_MEASURED_ROW_PTR] = 8;
    m.number[SP_MEASURED_READ] = read_B;
    return m;
}

static enum sp_status run(struct sp_validation *v, const char *kept, int n_jobs,
                          const struct sp_progress *progress)
{
    const struct sp_validation_options o = {.n_jobs = n_jobs, .kept = kept, .progress = progress};
    struct sp_error err;
    return sp_validation_run(v, &o, &err);
}

START_TEST(lines_are_compared_listed_or_left_out)
{
    struct sp_measurement m[] = {line_of("gen:laplace3d:60", 1, 17e6),  line_of("gen:laplace3d:60", 48, 17e6),
                                 line_of("GHS_psdef/jnlbrng1", 1, 1e5), line_of("wave", 1, 1e6),
                                 line_of("gen:laplace3d:60", 1, 18e6),  line_of("gen:laplace3d:60", 1, 18e6)};
    m[4].number[SP_MEASURED_PARTITION] = 5;
    m[5].number[SP_MEASURED_NNZ] = 7;
    static const enum sp_line_state states[] = {SP_LINE_COMPARED, SP_LINE_COMPARED,
                                                SP_LINE_COMPARED, SP_LINE_UNKNOWN_MATRIX,
                                                SP_LINE_COMPARED, SP_LINE_OTHER_MATRIX};
    char kept[128];
    struct sp_error err;
    snprintf(kept, sizeof kept, "%s/kept.jsonl", folder);
    double read_B[2];
    for (int round = 0; round < 2; round++) {
        struct sp_validation v = {0};
        ck_assert_int_eq(sp_validation_add(&v, "m.csv", m, 6, NULL, machines, &err), SP_OK);
        ck_assert_int_eq(v.n_cases, 4);
        ck_assert_int_eq(run(&v, kept, 2 - round, NULL), SP_OK);
        for (int i = 0; i < 6; i++)
            ck_assert_int_eq(v.line[i].state, states[i]);
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(v.cases[i].was_kept, round);
        read_B[round] = sp_line_forecast(&v, &v.line[0])->read_B.value;
        ck_assert(isfinite(sp_line_error(&v, &v.line[0], SP_COMPARED_READ)));
        ck_assert(isnan(sp_line_error(&v, &v.line[0], SP_COMPARED_WRITE)));
        ck_assert_str_eq(v.cases[v.line[4].case_index].partition, "L2:matrix=5");
        ck_assert(!sp_line_is_near(&v, &v.line[0]) && sp_line_is_near(&v, &v.line[1]));
        sp_validation_free(&v);
    }
    ck_assert_double_eq(read_B[0], read_B[1]);
    /* What is no file of predictions is not replaced. */
    struct sp_validation v = {0};
    ck_assert_int_eq(sp_validation_add(&v, "m.csv", m, 1, NULL, machines, &err), SP_OK);
    ck_assert_int_eq(run(&v, file_with("{\"schema\":\"other\"}\n"), 1, NULL), SP_INPUT);
    sp_validation_free(&v);
}
END_TEST

/* Far out of the caches the prediction is the simulation's, of all arrays and every domain. */
START_TEST(forecasts_agree_with_the_simulation)
{
    struct sp_csr a;
    struct sp_machine machine;
    struct sp_layout layout;
    struct sp_error err;
    char path[512];
    ck_assert_int_eq(sp_generate("laplace3d:90", NULL, &a, &err), SP_OK);
    ck_assert_int_eq(sp_machine_file_find("a64fx", machines, path, sizeof path, &err), SP_OK);
    ck_assert_int_eq(sp_machine_file_read(path, &machine, NULL, 0, &err), SP_OK);
    struct sp_workload w = {.op = SP_OP_SPMV,
                            .r = 1,
                            .schedule = SP_SCHEDULE_ROWS,
                            .n_threads = 12,
                            .row_ptr_B = 8,
                            .matrix = &a};
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &layout, &err), SP_OK);
    struct sp_forecast f;
    ck_assert_int_eq(sp_forecast_make(&w, &machine, false, NULL, &f, &err), SP_OK);
    struct sp_sim_options o = sp_sim_default(&machine);
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    ck_assert_int_eq(sp_sim_traffic(&layout, &o, traffic, &n_levels, NULL, &err), SP_OK);
    ck_assert_double_eq(f.read_B.value, traffic[n_levels - 1].read_B.value);
    ck_assert_double_eq(f.write_B.value, traffic[n_levels - 1].write_B.value);
    ck_assert_double_eq_tol(f.once_B, sp_forecast_once_B(729000, 729000, (double)a.n_nz, 8), 256);
    ck_assert_int_eq(f.n_held, 0);
    w.n_threads = 49;
    ck_assert_int_eq(sp_forecast_make(&w, &machine, false, NULL, &f, &err), SP_USAGE);
    sp_layout_free(&layout);
    sp_machine_free(&machine);
    sp_csr_free(&a);
}
END_TEST

/* Times: the longest of bytes and core, the core by the lengths of rows where the machine file has them; what
 * a cache loses comes at memory's rate. */
START_TEST(forecast_times_have_the_core)
{
    struct sp_csr a;
    struct sp_machine machine;
    struct sp_layout layout;
    struct sp_error err;
    struct sp_forecast f;
    struct sp_unit_time units;
    char path[512];
    ck_assert_int_eq(sp_generate("laplace3d:60", NULL, &a, &err), SP_OK);
    ck_assert_int_eq(sp_machine_file_find("a64fx", machines, path, sizeof path, &err), SP_OK);
    ck_assert_int_eq(sp_machine_file_read(path, &machine, NULL, 0, &err), SP_OK);
    const struct sp_workload w = {
        .op = SP_OP_SPMV, .r = 1, .schedule = SP_SCHEDULE_ROWS, .n_threads = 48, .matrix = &a};
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &layout, &err), SP_OK);
    ck_assert_int_eq(sp_unit_time_of(&machine, &layout, &units, &err), SP_OK);
    ck_assert_int_eq(sp_forecast_make(&w, &machine, false, NULL, &f, &err), SP_OK);
    ck_assert(f.has_core);
    ck_assert_double_eq_tol(f.time_s.value, units.time_s.value, 1e-12);
    const int n_units = machine.n_units;
    machine.n_units = 0;
    ck_assert_int_eq(sp_forecast_make(&w, &machine, false, NULL, &f, &err), SP_OK);
    ck_assert(!f.has_core);
    ck_assert_double_lt(f.time_s.value, units.time_s.value);
    for (int i = 0; i < machine.n_ceilings; i++) /* a slow memory: what the L2s lose takes the time */
        if (strcmp(machine.ceiling[i].level, "MEM") == 0)
            machine.ceiling[i].value = sp_value_of(1e9, SP_STATED);
    ck_assert_int_eq(sp_forecast_make(&w, &machine, false, NULL, &f, &err), SP_OK);
    ck_assert_double_eq_tol(f.time_s.value, (f.read_B.value + f.write_B.value) / 1e9, 1e-9);
    machine.n_units = n_units;
    sp_layout_free(&layout);
    sp_machine_free(&machine);
    sp_csr_free(&a);
}
END_TEST

static bool at_once(void *context)
{
    (void)context;
    return true;
}

START_TEST(interrupted_lines_are_not_reached)
{
    struct sp_measurement m = line_of("gen:laplace3d:20", 1, 1e6);
    const struct sp_progress stop = {.interrupted = at_once};
    struct sp_validation v = {0};
    ck_assert_int_eq(sp_validation_add(&v, "m.csv", &m, 1, NULL, machines, NULL), SP_OK);
    ck_assert_int_eq(run(&v, NULL, 2, &stop), SP_INTERRUPTED);
    ck_assert_int_eq(v.line[0].state, SP_LINE_NOT_REACHED);
    sp_validation_free(&v);
}
END_TEST

START_TEST(unknown_words_of_a_line_are_refused_with_it)
{
    static const enum sp_measured_text which[] = {SP_MEASURED_MACHINE, SP_MEASURED_SCHEDULE,
                                                  SP_MEASURED_FORMAT, SP_MEASURED_PRECISION};
    for (int i = 0; i < 4; i++) {
        struct sp_measurement m = line_of("gen:laplace3d:20", 1, 1e6);
        struct sp_validation v = {0};
        struct sp_error err = {0};
        strcpy(m.text[which[i]], "none such");
        ck_assert_int_eq(sp_validation_add(&v, "m.csv", &m, 1, NULL, machines, &err), SP_INPUT);
        ck_assert_int_eq(err.line, 2);
        ck_assert_str_eq(err.path, "m.csv");
        sp_validation_free(&v);
    }
}
END_TEST

/* Ten lines with errors of -4 ... 5 %, without predictions of our own. */
static void make_ten(struct sp_validation *v)
{
    memset(v, 0, sizeof *v);
    v->line = calloc(10, sizeof *v->line);
    v->n_lines = v->room_lines = 10;
    for (int i = 0; i < 10; i++) {
        struct sp_validation_line *l = &v->line[i];
        l->measured = line_of("x", 1, 100e6);
        l->case_index = l->machine = -1;
        l->of_record = true;
        l->state = SP_LINE_COMPARED;
        l->forecast.read_B = sp_value_between(1e6 * (96 + i), 1e6 * (96 + i), 1e6 * (98 + i), SP_SIMULATED);
        l->forecast.once_B = 100e6;
        l->forecast.least_share = i < 9 ? 3 : 0.5;
        l->once_B = 99e6;
        l->kept_B = i < 5 ? 0 : 90e6;
    }
}

START_TEST(errors_are_summed_up)
{
    struct sp_validation v;
    struct sp_error_statistics s;
    struct sp_bound_statistics b;
    make_ten(&v);
    ck_assert_int_eq(sp_validation_statistics(&v, NULL, SP_COMPARED_READ, SP_LINES_FAR, &s, NULL), SP_OK);
    ck_assert_int_eq(s.n, 9);
    ck_assert_double_eq_tol(s.mean, 0, 1e-12);
    ck_assert_double_eq_tol(s.mean_abs, 0.2 / 9, 1e-12);
    ck_assert_double_eq_tol(s.most_abs, 0.04, 1e-12);
    ck_assert_double_eq_tol(s.quantile[1], 0, 1e-12);
    ck_assert_int_eq(s.n_interval, 9);
    ck_assert_int_eq(s.n_covered, 3);
    ck_assert_int_eq(sp_validation_statistics(&v, NULL, SP_COMPARED_READ, SP_LINES_NEAR, &s, NULL), SP_OK);
    ck_assert_int_eq(s.n, 1);
    ck_assert_int_eq(s.n_right, 1);
    ck_assert_int_eq(sp_validation_statistics(&v, NULL, SP_COMPARED_TIME, SP_LINES_ALL, &s, NULL), SP_OK);
    ck_assert_int_eq(s.n, 0);
    ck_assert_int_eq(sp_validation_bounds(&v, &b, NULL), SP_OK);
    ck_assert_int_eq(b.n, 10);
    ck_assert_int_eq(b.n_holds, 10);
    ck_assert_int_eq(b.n_matrices, 1);
    ck_assert_int_eq(b.n_far, 5);
    sp_validation_free(&v);
}
END_TEST

/* Far out of caches n lines of so many matrices, off by so much: what is enough to say that a machine is right. */
static const struct {
    int n, n_matrices;
    double off;
    int status;
} enough[] = {{8, 3, 0.1, SP_OK},         {8, 8, -0.09, SP_OK},         {7, 3, 0, SP_UNDECIDED},
              {9, 2, 0, SP_UNDECIDED},    {9, 1, -0.92, SP_UNDECIDED},  {9, 9, 0.101, SP_UNDECIDED},
              {9, 9, -0.2, SP_UNDECIDED}, {9, 3, -0.999, SP_UNDECIDED}, {0, 0, 0, SP_UNDECIDED}};

START_TEST(a_machine_is_validated_by_enough)
{
    struct sp_validation v;
    struct sp_machine with;
    struct sp_error err = {0};
    char path[512];
    make_ten(&v);
    v.n_lines = enough[_i].n;
    for (int i = 0; i < enough[_i].n; i++) {
        snprintf(v.line[i].name, sizeof v.line[i].name, "m%d", i % enough[_i].n_matrices);
        v.line[i].forecast.least_share = 2;
        v.line[i].forecast.read_B = sp_value_of(100e6 * (1 + enough[_i].off * (1 - 1e-9)), SP_SIMULATED);
    }
    ck_assert_int_eq(sp_machine_file_find("a64fx", machines, path, sizeof path, &err), SP_OK);
    ck_assert_int_eq(sp_machine_file_read(path, &v.machine[0], NULL, 0, &err), SP_OK);
    v.n_machines = 1;
    ck_assert_int_eq(sp_validation_of_machine(&v, "us", "spmodel validate", &with, &err), enough[_i].status);
    ck_assert_int_eq(with.validated, enough[_i].status == SP_OK);
    if (enough[_i].status == SP_OK) { /* lines of others do not count */
        sp_machine_free(&with);
        strcpy(v.line[0].measured.text[SP_MEASURED_MACHINE], "another");
        ck_assert_int_eq(sp_validation_of_machine(&v, "us", "spmodel validate", &with, &err), SP_UNDECIDED);
    }
    sp_validation_free(&v);
}
END_TEST

/* A file of predictions whose last line is cut is made whole, wherever it is cut; what is not ours is not. */
START_TEST(an_unfinished_last_line_is_predicted_anew)
{
    struct sp_measurement m[] = {line_of("gen:laplace3d:20", 1, 1e6), line_of("gen:laplace3d:21", 1, 1e6)};
    struct sp_error err;
    char kept[128], text[4096];
    snprintf(kept, sizeof kept, "%s/kept.jsonl", folder);
    struct sp_validation v = {0};
    ck_assert_int_eq(sp_validation_add(&v, "m.csv", m, 2, NULL, machines, &err), SP_OK);
    ck_assert_int_eq(run(&v, kept, 1, NULL), SP_OK);
    ck_assert_str_eq(v.remark, "");
    sp_validation_free(&v);
    FILE *f = fopen(kept, "r");
    ck_assert_ptr_nonnull(f);
    const size_t size = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[size] = '\0';
    const size_t first = strcspn(text, "\n") + 1;
    for (size_t cut = first; cut < size; cut += 1 + (size - first) / 7) {
        char part[4096];
        snprintf(part, sizeof part, "%.*s", (int)cut, text);
        memset(&v, 0, sizeof v);
        ck_assert_int_eq(sp_validation_add(&v, "m.csv", m, 2, NULL, machines, &err), SP_OK);
        ck_assert_int_eq(run(&v, file_with(part), 1, NULL), SP_OK);
        ck_assert(v.cases[0].was_kept && !v.cases[1].was_kept && v.cases[1].state == SP_CASE_MADE);
        ck_assert_int_eq(*v.remark != '\0', cut > first);
        sp_validation_free(&v);
    }
    static const char *const foreign_files[] = {"{\"sch", "text", "{\"schema\":\"spmodel.forecast/1\"\n"};
    for (int i = 0; i < 3; i++) {
        memset(&v, 0, sizeof v);
        ck_assert_int_eq(sp_validation_add(&v, "m.csv", m, 2, NULL, machines, &err), SP_OK);
        ck_assert_int_eq(run(&v, file_with(foreign_files[i]), 1, NULL), SP_INPUT);
        sp_validation_free(&v);
    }
}
END_TEST

START_TEST(a_machine_keeps_what_was_found)
{
    struct sp_validation v;
    struct sp_machine with, again;
    struct sp_error err;
    char path[512];
    make_ten(&v);
    for (int i = 0; i < 10; i++)
        snprintf(v.line[i].name, sizeof v.line[i].name, "m%d", i % 4);
    ck_assert_int_eq(sp_validation_of_machine(&v, "us", "spmodel validate", &with, &err), SP_USAGE);
    ck_assert_int_eq(sp_machine_file_find("a64fx", machines, path, sizeof path, &err), SP_OK);
    ck_assert_int_eq(sp_machine_file_read(path, &v.machine[0], NULL, 0, &err), SP_OK);
    v.n_machines = 1;
    ck_assert_int_eq(sp_validation_of_machine(&v, "us", "spmodel validate", &with, &err), SP_OK);
    snprintf(path, sizeof path, "%s/m.json", folder);
    ck_assert_int_eq(sp_machine_file_write(path, &with, &err), SP_OK);
    char remarks[256];
    ck_assert_int_eq(sp_machine_file_read(path, &again, remarks, sizeof remarks, &err), SP_OK);
    ck_assert_str_eq(remarks, "");
    ck_assert(again.validated);
    ck_assert_int_eq(again.validation.n, 9);
    ck_assert_int_eq(again.validation.n_near_right, 1);
    ck_assert_double_eq_tol(again.validation.most_abs, 0.04, 1e-9);
    ck_assert_str_eq(again.validation.source, "us");
    sp_machine_free(&with);
    sp_machine_free(&again);
    v.n_lines = 5;
    ck_assert_int_eq(sp_validation_of_machine(&v, "us", "spmodel validate", &with, &err), SP_UNDECIDED);
    sp_validation_free(&v);
}
END_TEST

/* What reports say of all machines is true of those that come with the program. */
START_TEST(machines_that_are_validated_are_those_that_reports_name)
{
    char **paths;
    int n, n_validated = 0;
    struct sp_error err;
    ck_assert_int_eq(sp_machine_file_list(SP_MACHINES, &paths, &n, &err), SP_OK);
    for (int i = 0; i < n; i++) {
        struct sp_machine m;
        ck_assert_int_eq(sp_machine_file_read(paths[i], &m, NULL, 0, &err), SP_OK);
        ck_assert_msg(!m.validated || strstr(m.cpu, SP_VALIDATED_ON), "%s", m.name);
        ck_assert_int_eq(m.validated, m.validation.n > 0);
        n_validated += m.validated;
        sp_machine_free(&m);
    }
    sp_machine_file_unlist(paths, n);
    ck_assert_int_eq(n_validated, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("validate");
    TCase *t = tcase_create("validate");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, cells_are_read_as_they_were_written);
    tcase_add_loop_test(t, what_is_no_table_is_named_with_its_line, 0, sizeof tables / sizeof *tables);
    tcase_add_test(t, quantities_come_from_columns_formulas_and_texts);
    tcase_add_loop_test(t, what_is_missing_or_ambiguous_is_said, 0, sizeof foreign / sizeof *foreign);
    tcase_add_test(t, filters_choose_lines_by_column_or_quantity);
    tcase_add_test(t, sets_lose_more_the_fuller_the_cache);
    tcase_add_test(t, what_overflows_has_ends);
    tcase_add_test(t, the_simulation_has_what_overflows);
    tcase_add_test(t, lines_are_compared_listed_or_left_out);
    tcase_add_test(t, forecasts_agree_with_the_simulation);
    tcase_add_test(t, forecast_times_have_the_core);
    tcase_add_test(t, interrupted_lines_are_not_reached);
    tcase_add_test(t, unknown_words_of_a_line_are_refused_with_it);
    tcase_add_test(t, errors_are_summed_up);
    tcase_add_loop_test(t, a_machine_is_validated_by_enough, 0, sizeof enough / sizeof *enough);
    tcase_add_test(t, an_unfinished_last_line_is_predicted_anew);
    tcase_add_test(t, a_machine_keeps_what_was_found);
    tcase_add_test(t, machines_that_are_validated_are_those_that_reports_name);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
