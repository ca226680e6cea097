/* libspmodel as its users see it, through include/spmodel.h alone: options and their errors,
 * matrices of all widths, what a result says, and that the caller's process is as before. */
#include "run_suite.h"
#include "spmodel.h"

#include <check.h>
#include <fenv.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static spmodel *s;

static void setup(void)
{
    s = spmodel_new();
    ck_assert_ptr_nonnull(s);
    ck_assert_int_eq(spmodel_set(s, "machine", SP_TEST_DATA "/../../machines/zen4-vm-2c.json"), SPMODEL_OK);
}

static void teardown(void)
{
    spmodel_free(s);
}

/* [[2 1 0] [1 3 1] [0 0 4]] in all widths. */
static const int64_t wide_ptr[] = {0, 2, 5, 6};
static const int32_t narrow_ptr[] = {0, 2, 5, 6};
static const int32_t narrow_col[] = {0, 1, 0, 1, 2, 2};
static const int64_t wide_col[] = {0, 1, 0, 1, 2, 2};
static const double values[] = {2, 1, 1, 3, 1, 4};
static const float floats[] = {2, 1, 1, 3, 1, 4};

static struct spmodel_matrix small(void)
{
    return (struct spmodel_matrix){.size = sizeof(struct spmodel_matrix),
                                   .n_r = 3,
                                   .n_c = 3,
                                   .n_nz = 6,
                                   .row_ptr = wide_ptr,
                                   .col = narrow_col,
                                   .values = values,
                                   .row_ptr_B = 8,
                                   .col_B = 4,
                                   .name = "small"};
}

static void set(const char *option, const char *value)
{
    ck_assert_msg(spmodel_set(s, option, value) == SPMODEL_OK, "%s", spmodel_message(s));
}

static void fails(int status, int wanted, const char *words)
{
    ck_assert_msg(status == wanted, "%d, not %d: %s", status, wanted, spmodel_message(s));
    ck_assert_msg(strstr(spmodel_message(s), words), "'%s' is not in: %s", words, spmodel_message(s));
}

/* A text of the record of a result. */
static char *text_at(spmodel_result *r, const char *object, const char *key)
{
    json_t *record = json_loads(spmodel_text(r, SPMODEL_JSON), 0, NULL);
    ck_assert_ptr_nonnull(record);
    char *text = strdup(json_string_value(json_object_get(json_object_get(record, object), key)));
    json_decref(record);
    return text;
}

/* Without a run: what the record says of the matrix. */
static spmodel_result *explained(const struct spmodel_matrix *a)
{
    const double time_s[] = {2e-8, 3e-8};
    spmodel_result *r;
    set("threads", "1");
    const int status = spmodel_explain(s, a, time_s, 2, &r);
    ck_assert_msg(status == SPMODEL_OK, "%s", spmodel_message(s));
    return r;
}

static void quick_run(void)
{
    set("budget", "60ms");
    set("runs", "1");
    set("threads", "2");
    set("no-hints", NULL);
    set("bytes", "sim");
}

START_TEST(options)
{
    fails(spmodel_set(s, "fromat", "crs"), SPMODEL_USAGE, "there is no option 'fromat'");
    fails(spmodel_set(s, "html", "page.html"), SPMODEL_USAGE, "there is no option 'html'");
    fails(spmodel_set(s, "threads", NULL), SPMODEL_USAGE, "takes a value");
    fails(spmodel_set(s, "threads", "-1"), SPMODEL_USAGE, "from 1 to 4096, not '-1'");
    fails(spmodel_set(s, "cold", "perhaps"), SPMODEL_USAGE, "takes no value");
    set("cold", NULL);
    fails(spmodel_set(s, "between", "axpy"), SPMODEL_USAGE, "exclude each other");
    set("cold", "no");
    set("between", "axpy");
    set("seed", "7");
    ck_assert_str_eq(spmodel_message(s), "");
}
END_TEST

START_TEST(a_refused_value_leaves_the_old_one)
{
    const struct spmodel_matrix a = small();
    set("precision", "f32");
    fails(spmodel_set(s, "precision", "f99"), SPMODEL_USAGE, "not 'f99'");
    spmodel_result *r = explained(&a);
    char *precision = text_at(r, "config", "precision");
    ck_assert_str_eq(precision, "f32");
    free(precision);
    spmodel_result_free(r);
}
END_TEST

/* One matrix in every way to write it has one identity. */
START_TEST(every_width_and_base)
{
    static const int32_t one_ptr[] = {1, 3, 6, 7}, one_col[] = {1, 2, 1, 2, 3, 3};
    static const int32_t mixed_col[] = {1, 0, 2, 0, 1, 2};
    static const double mixed[] = {1, 2, 1, 1, 3, 4};
    static const int32_t twice_ptr[] = {0, 3, 6, 7}, twice_col[] = {0, 0, 1, 0, 1, 2, 2};
    static const double halves[] = {1, 1, 1, 1, 3, 1, 4};
    struct spmodel_matrix a[7] = {small(), small(), small(), small(), small(), small(), small()};
    a[1].row_ptr = narrow_ptr;
    a[1].row_ptr_B = 4;
    a[2].col = wide_col;
    a[2].col_B = 8;
    a[3].values = floats;
    a[3].type = SPMODEL_F32;
    a[4].row_ptr = one_ptr;
    a[4].row_ptr_B = 4;
    a[4].col = one_col;
    a[4].base = 1;
    a[5].col = mixed_col;
    a[5].values = mixed;
    a[6].row_ptr = twice_ptr;
    a[6].row_ptr_B = 4;
    a[6].col = twice_col;
    a[6].values = halves;
    a[6].n_nz = 7;
    char *first = NULL;
    for (int i = 0; i < 7; i++) {
        spmodel_result *r = explained(&a[i]);
        char *digest = text_at(r, "problem", "sha256");
        ck_assert_int_eq(strlen(digest), 64);
        if (first)
            ck_assert_msg(strcmp(digest, first) == 0, "way %d: %s, not %s", i, digest, first);
        else
            first = strdup(digest);
        free(digest);
        spmodel_result_free(r);
    }
    free(first);
}
END_TEST

static char *predictions_of(spmodel_result *r)
{
    json_t *model = json_loads(spmodel_text(r, SPMODEL_JSON), 0, NULL);
    char *text = json_dumps(json_object_get(model, "predictions"), JSON_SORT_KEYS);
    ck_assert_ptr_nonnull(text);
    json_decref(model);
    return text;
}

/* Columns of 8 bytes and values in f32 are lent: they go into every kind of layout and order; the
 * results are checked against the reference, and what is modelled is that of columns of 4 bytes. */
START_TEST(lent_arrays)
{
    static const struct {
        const char *format, *reorder, *op;
    } way[] = {{"crs", "rcm", "spmv"},
               {"crs", "gray", "spmv"},
               {"sell:8,64", "metis:4", "spmv"},
               {"sellu", "none", "spmv"},
               {"bcsr:2x2", "none", "spmv"},
               {"half", "none", "spmv"},
               {"striped:128", "random:3", "spmv"},
               {"staged", "none", "spmm"},
               {"tiled", "none", "sddmm"},
               {"coo", "jaccard2", "sddmm"}};
    enum { N = 600 };
    static int64_t ptr[N + 1], wide[3 * N];
    static int32_t col[3 * N];
    static float value[3 * N];
    for (int i = 0; i < N; i++) {
        int64_t at = ptr[i];
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++, at++) {
            wide[at] = col[at] = j;
            value[at] = j == i ? (float)(i + 2) : 0.5F * (float)(i + j);
        }
        ptr[i + 1] = at;
    }
    struct spmodel_matrix a = small();
    a.n_r = a.n_c = N;
    a.n_nz = ptr[N];
    a.row_ptr = ptr;
    a.values = value;
    a.type = SPMODEL_F32;
    quick_run();
    set("budget", "10ms");
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        const int n = i % 3 == 0 ? 3 : 2;
        spmodel_result *r[3];
        set("op", way[i].op);
        if (strcmp(way[i].op, "spmv") != 0)
            set("inner", "4");
        set("format", way[i].format);
        set("reorder", way[i].reorder);
        for (int k = 0; k < n; k++) {
            a.col = k == 0 ? (const void *)col : wide;
            a.col_B = k == 0 ? 4 : 8;
            const int status = k == 2 ? spmodel_analyze(s, &a, NULL, &r[k]) : spmodel_model(s, &a, &r[k]);
            ck_assert_msg(status == SPMODEL_OK, "%s, %s: %s", way[i].format, way[i].reorder,
                          spmodel_message(s));
        }
        char *narrow = predictions_of(r[0]), *lent = predictions_of(r[1]);
        ck_assert_msg(strcmp(narrow, lent) == 0, "%s, %s: other predictions", way[i].format, way[i].reorder);
        free(narrow);
        free(lent);
        for (int k = 0; k < n; k++)
            spmodel_result_free(r[k]);
    }
}
END_TEST

/* "VmRSS:" or "VmHWM:" of this process [B]. */
static double memory_of(const char *key)
{
    char line[256];
    double kB = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            kB = strtod(line + strlen(key), NULL);
    if (file)
        fclose(file);
    return 1024 * kB;
}

/* What the memory of this process grows by at most [B]; negative: not known here. */
static double growth_of_explain(const struct spmodel_matrix *a, const char *index)
{
    const double before = memory_of("VmRSS:");
    FILE *file = fopen("/proc/self/clear_refs", "w");
    const bool set_back = file && fputs("5", file) >= 0;
    if (!file || fclose(file) != 0 || !set_back || memory_of("VmHWM:") > before + 1e6)
        return -1;
    set("index", index);
    spmodel_result_free(explained(a));
    return memory_of("VmHWM:") - before;
}

#if defined __SANITIZE_ADDRESS__
enum { KEEPS_WHAT_IS_FREED = 1 };
#elif defined __has_feature
enum { KEEPS_WHAT_IS_FREED = __has_feature(address_sanitizer) };
#else
enum { KEEPS_WHAT_IS_FREED = 0 };
#endif

/* Where nothing runs, the arrays of the caller are all that there is: with 8 bytes a row on top where
 * row pointers have 4. */
START_TEST(nothing_is_copied)
{
    enum { N = 140000, LENGTH = 32 };
    const int64_t n_nz = (int64_t)N * LENGTH;
    int64_t *ptr = malloc((N + 1) * sizeof *ptr), *wide = malloc((size_t)n_nz * sizeof *wide);
    int32_t *short_ptr = malloc((N + 1) * sizeof *short_ptr), *col = malloc((size_t)n_nz * sizeof *col);
    double *value = malloc((size_t)n_nz * sizeof *value);
    float *single = malloc((size_t)n_nz * sizeof *single);
    ck_assert(ptr && wide && short_ptr && col && value && single);
    for (int64_t i = 0; i <= N; i++)
        short_ptr[i] = (int32_t)(ptr[i] = i * LENGTH);
    for (int64_t k = 0; k < n_nz; k++) {
        wide[k] = col[k] = (int32_t)((k / LENGTH < N - LENGTH ? k / LENGTH : N - LENGTH) + k % LENGTH);
        single[k] = (float)(value[k] = 1 + (double)(k % 7));
    }
    set("no-hints", NULL);
    for (int way = 0; way < 3; way++) {
        const bool is_wide = way > 0, is_single = way > 1, is_short = way == 0;
        struct spmodel_matrix a = {.size = sizeof a, .n_r = N, .n_c = N, .n_nz = n_nz};
        a.row_ptr = is_short ? (const void *)short_ptr : ptr;
        a.col = is_wide ? (const void *)wide : col;
        a.values = is_single ? (const void *)single : value;
        a.row_ptr_B = is_short ? 4 : 8;
        a.col_B = is_wide ? 8 : 4;
        a.type = is_single ? SPMODEL_F32 : SPMODEL_F64;
        set("precision", is_single ? "f32" : "f64");
        const double growth_B = growth_of_explain(&a, is_wide ? "i64" : "i32");
        if (growth_B < 0) {
            puts("nothing_is_copied: SKIPPED: the kernel does not take peak memory back (clear_refs)");
            break;
        }
        if (KEEPS_WHAT_IS_FREED) {
            puts("nothing_is_copied: SKIPPED: the address sanitizer keeps what is freed");
            break;
        }
        printf("columns of %d bytes, values of %d, row pointers of %d: %.1f MB at the peak beside %.1f MB\n",
               (int)a.col_B, is_single ? 4 : 8, (int)a.row_ptr_B, 1e-6 * growth_B,
               1e-6 * (double)n_nz * (a.col_B + (is_single ? 4 : 8)));
        ck_assert_double_lt(growth_B, 4.0 * (double)n_nz); /* a copy of the smallest array */
    }
    free(single);
    free(value);
    free(col);
    free(short_ptr);
    free(wide);
    free(ptr);
}
END_TEST

START_TEST(patterns_and_complex_values)
{
    static const double complex_values[] = {2, 0, 1, 1, 1, -1, 3, 0, 1, 0, 4, 0};
    struct spmodel_matrix a = small();
    a.values = NULL;
    spmodel_result *r = explained(&a);
    char *field = text_at(r, "problem", "field");
    ck_assert_str_eq(field, "pattern");
    free(field);
    spmodel_result_free(r);
    a.values = complex_values;
    a.type = SPMODEL_C128;
    r = explained(&a);
    char *precision = text_at(r, "config", "precision");
    ck_assert_str_eq(precision, "c128");
    free(precision);
    spmodel_result_free(r);
}
END_TEST

START_TEST(bad_matrices)
{
    static const int32_t down[] = {0, 4, 2, 6}, short_ptr[] = {0, 2, 5, 5}, far_col[] = {0, 1, 0, 1, 3, 2};
    static const struct {
        const char *words;
        int status;
    } wanted[] = {{"no matrix was given", SPMODEL_USAGE},
                  {"of 2 bytes", SPMODEL_USAGE},
                  {"begin with 2", SPMODEL_USAGE},
                  {"row_ptr is NULL", SPMODEL_USAGE},
                  {"row 1 begins at entry 4", SPMODEL_INPUT},
                  {"from 0 to 5", SPMODEL_INPUT},
                  {"entry 4 is in column 3 of 3", SPMODEL_INPUT},
                  {"type 9", SPMODEL_USAGE},
                  {"cannot be used", SPMODEL_USAGE}};
    struct spmodel_matrix a[9];
    for (int i = 0; i < 9; i++)
        a[i] = small();
    a[0].size = 8;
    a[1].row_ptr_B = 2;
    a[2].base = 2;
    a[3].row_ptr = NULL;
    a[4].row_ptr = down;
    a[4].row_ptr_B = 4;
    a[5].row_ptr = short_ptr;
    a[5].row_ptr_B = 4;
    a[6].col = far_col;
    a[7].type = 9;
    a[8].n_r = INT64_MAX;
    for (int i = 0; i < 9; i++) {
        const double time_s = 1e-7;
        spmodel_result *r = (spmodel_result *)&r;
        fails(spmodel_explain(s, &a[i], &time_s, 1, &r), wanted[i].status, wanted[i].words);
        ck_assert_ptr_null(r);
    }
}
END_TEST

START_TEST(a_result_in_all_its_forms)
{
    static const char *const within[] = {"possible", "reached", "small", "\"schema\"", "<!DOCTYPE html>"};
    const struct spmodel_matrix a = small();
    spmodel_result *r;
    quick_run();
    ck_assert_msg(spmodel_analyze(s, &a, NULL, &r) == SPMODEL_OK, "%s", spmodel_message(s));
    for (int form = SPMODEL_VERDICT; form <= SPMODEL_HTML; form++) {
        const char *text = spmodel_text(r, (enum spmodel_form)form);
        ck_assert_ptr_nonnull(text);
        ck_assert_msg(strstr(text, within[form]), "form %d has no '%s'", form, within[form]);
        ck_assert_ptr_eq(text, spmodel_text(r, (enum spmodel_form)form));
    }
    ck_assert_ptr_null(spmodel_text(r, (enum spmodel_form)99));
    json_t *record = json_loads(spmodel_text(r, SPMODEL_JSON), 0, NULL);
    const double time_s = json_number_value(
        json_object_get(json_object_get(json_object_get(record, "metrics"), "time"), "value"));
    struct spmodel_value v = {.size = sizeof v};
    ck_assert_int_eq(spmodel_number(r, SPMODEL_TIME_S, &v), SPMODEL_OK);
    ck_assert_double_eq(v.value, time_s);
    ck_assert_str_eq(v.origin, "measured");
    for (int n = SPMODEL_TIME_S; n <= SPMODEL_IMBALANCE; n++) {
        ck_assert_int_eq(spmodel_number(r, (enum spmodel_number)n, &v), SPMODEL_OK);
        ck_assert_msg(isnan(v.value) ? *v.why : strcmp(v.origin, "unknown") != 0, "number %d", n);
    }
    v.size = 1;
    ck_assert_int_eq(spmodel_number(r, SPMODEL_TIME_S, &v), SPMODEL_USAGE);
    v.size = sizeof v;
    ck_assert_int_eq(spmodel_number(r, (enum spmodel_number)99, &v), SPMODEL_USAGE);
    json_decref(record);
    spmodel_result_free(r);
}
END_TEST

static void on_interrupt(int signal)
{
    (void)signal;
}

/* What the caller set is as before; its arrays, too. */
START_TEST(the_caller_is_as_before)
{
    cpu_set_t before, after;
    sigset_t mask_before, mask_after;
    struct sigaction action = {.sa_handler = on_interrupt}, now;
    double mine[6];
    struct spmodel_matrix a = small();
    memcpy(mine, values, sizeof mine);
    a.values = mine;
    CPU_ZERO(&before);
    sched_getaffinity(0, sizeof before, &before);
    sigaction(SIGINT, &action, NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
    omp_set_num_threads(3);
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW); /* as Fortran programs have it */
    char *locale = strdup(setlocale(LC_ALL, NULL));
    int team = 0;
    spmodel_result *r;
    quick_run();
    ck_assert_msg(spmodel_analyze(s, &a, NULL, &r) == SPMODEL_OK, "%s", spmodel_message(s));
    spmodel_result_free(r);
    ck_assert_int_eq(fegetexcept(), FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    fedisableexcept(FE_ALL_EXCEPT);
#pragma omp parallel reduction(+ : team)
    team += 1;
    ck_assert_int_eq(team, 3);
    CPU_ZERO(&after);
    sched_getaffinity(0, sizeof after, &after);
    ck_assert(CPU_EQUAL(&before, &after));
    sigaction(SIGINT, NULL, &now);
    ck_assert(now.sa_handler == on_interrupt);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
    for (int i = 1; i < SIGRTMIN; i++)
        ck_assert_int_eq(sigismember(&mask_before, i), sigismember(&mask_after, i));
    ck_assert_str_eq(locale, setlocale(LC_ALL, NULL));
    ck_assert_mem_eq(mine, values, sizeof mine);
    free(locale);
}
END_TEST

/* What is not known, is 0 or infinite in a record is no trap for a program that has them on. */
START_TEST(no_trap_of_the_caller)
{
    static const char *const records[] = {"record-explain-hints.json", "record-scaling.json"};
    const int traps = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
    char path[1024];
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        spmodel_result *r;
        struct spmodel_value v = {.size = sizeof v};
        snprintf(path, sizeof path, "%s/%s", SP_TEST_DATA, records[i]);
        feclearexcept(FE_ALL_EXCEPT);
        feenableexcept(traps);
        ck_assert_msg(spmodel_read_record(s, path, &r) == SPMODEL_OK, "%s", spmodel_message(s));
        for (int form = SPMODEL_VERDICT; form <= SPMODEL_HTML; form++)
            ck_assert_ptr_nonnull(spmodel_text(r, (enum spmodel_form)form));
        for (int n = SPMODEL_TIME_S; n <= SPMODEL_IMBALANCE; n++)
            ck_assert_int_eq(spmodel_number(r, (enum spmodel_number)n, &v), SPMODEL_OK);
        spmodel_result_free(r);
        ck_assert_int_eq(fegetexcept(), traps);
        ck_assert_int_eq(fetestexcept(traps), 0);
        fedisableexcept(FE_ALL_EXCEPT);
    }
}
END_TEST

/* Numbers have a point, whatever the caller's locale has. */
START_TEST(numbers_of_a_comma_locale)
{
    const struct spmodel_matrix a = small();
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
        printf("SKIPPED numbers_of_a_comma_locale: neither de_DE.UTF-8 nor fr_FR.UTF-8 is installed\n");
        return;
    }
    spmodel_result *r = explained(&a);
    json_t *record = json_loads(spmodel_text(r, SPMODEL_JSON), 0, NULL);
    ck_assert_ptr_nonnull(record);
    ck_assert_ptr_null(strstr(spmodel_text(r, SPMODEL_REPORT), "0,"));
    json_decref(record);
    spmodel_result_free(r);
}
END_TEST

struct watched {
    int n_calls, cancel_at;
    pthread_t caller;
    int elsewhere;
};

static int watch(void *context, const char *step, double done)
{
    struct watched *w = context;
    w->elsewhere = w->elsewhere || !pthread_equal(w->caller, pthread_self());
    ck_assert(*step && done <= 1);
    return w->cancel_at > 0 && ++w->n_calls >= w->cancel_at;
}

START_TEST(progress_and_cancelling)
{
    const struct spmodel_matrix a = small();
    struct watched w = {.cancel_at = 1, .caller = pthread_self()};
    spmodel_result *r;
    set("budget", "100s");
    set("threads", "2");
    spmodel_on_progress(s, watch, &w);
    fails(spmodel_analyze(s, &a, NULL, &r), SPMODEL_CANCELLED, "interrupted");
    ck_assert_ptr_null(r);
    ck_assert(!w.elsewhere);
}
END_TEST

static void *analyze_in_thread(void *result)
{
    const struct spmodel_matrix a = small();
    spmodel *own = spmodel_new();
    const double time_s = 1e-7;
    spmodel_result *r = NULL;
    spmodel_set(own, "machine", SP_TEST_DATA "/../../machines/zen4-vm-2c.json");
    spmodel_set(own, "threads", "2");
    *(int *)result = spmodel_explain(own, &a, &time_s, 1, &r);
    spmodel_result_free(r);
    spmodel_free(own);
    return NULL;
}

START_TEST(handles_of_several_threads)
{
    enum { N = 4 };
    pthread_t thread[N];
    int status[N];
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, analyze_in_thread, &status[i]), 0);
    for (int i = 0; i < N; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_int_eq(status[i], SPMODEL_OK);
    }
}
END_TEST

START_TEST(matrices_of_files)
{
    struct spmodel_matrix *a = NULL;
    ck_assert_msg(spmodel_read(s, "gen:laplace2d:10", &a) == SPMODEL_OK, "%s", spmodel_message(s));
    ck_assert_int_eq(a->n_r, 100);
    ck_assert_int_eq(a->n_nz, 460);
    ck_assert_int_eq(((const int64_t *)a->row_ptr)[100], 460);
    spmodel_result *r = explained(a);
    spmodel_result_free(r);
    spmodel_matrix_free(a);
    fails(spmodel_read(s, "/nowhere/a.mtx", &a), SPMODEL_INPUT, "/nowhere/a.mtx");
    ck_assert_ptr_null(a);
    spmodel_matrix_free(NULL);
}
END_TEST

START_TEST(records_of_files)
{
    spmodel_result *r;
    ck_assert_msg(spmodel_read_record(s, SP_TEST_DATA "/record-explain-crs.json", &r) == SPMODEL_OK, "%s",
                  spmodel_message(s));
    ck_assert_ptr_nonnull(strstr(spmodel_text(r, SPMODEL_VERDICT), "reached"));
    spmodel_result_free(r);
    fails(spmodel_read_record(s, "/nowhere/a.json", &r), SPMODEL_INPUT, "/nowhere/a.json");
}
END_TEST

START_TEST(a_prediction)
{
    const struct spmodel_matrix a = small();
    spmodel_result *r;
    set("threads", "1");
    ck_assert_msg(spmodel_model(s, &a, &r) == SPMODEL_OK, "%s", spmodel_message(s));
    ck_assert_ptr_null(spmodel_text(r, SPMODEL_REPORT));
    json_t *json = json_loads(spmodel_text(r, SPMODEL_JSON), 0, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(json, "schema")), "spmodel.model/1");
    ck_assert_int_eq(json_array_size(json_object_get(json, "predictions")), 1);
    struct spmodel_value v = {.size = sizeof v};
    ck_assert_int_eq(spmodel_number(r, SPMODEL_TIME_S, &v), SPMODEL_OK);
    ck_assert(isnan(v.value) && *v.why);
    json_decref(json);
    spmodel_result_free(r);
}
END_TEST

START_TEST(times_that_cannot_be)
{
    const struct spmodel_matrix a = small();
    const double time_s = -1;
    spmodel_result *r;
    fails(spmodel_explain(s, &a, NULL, 0, &r), SPMODEL_USAGE, "no times");
    set("threads", "2");
    ck_assert_int_ne(spmodel_explain(s, &a, &time_s, 1, &r), SPMODEL_OK);
    struct spmodel_matrix *none;
    fails(spmodel_read(s, NULL, &none), SPMODEL_USAGE, "no name");
    fails(spmodel_read_record(s, NULL, &r), SPMODEL_USAGE, "no name");
    fails(spmodel_set(s, "cache", "beside"), SPMODEL_USAGE, "there is no option 'cache'");
    set("try-hints", NULL);
    const double good_s = 1e-7;
    fails(spmodel_explain(s, &a, &good_s, 1, &r), SPMODEL_USAGE, "try-hints is of a run");
    fails(spmodel_model(s, &a, &r), SPMODEL_USAGE, "try-hints is of a run");
    ck_assert_str_eq(spmodel_version(), SP_TEST_VERSION);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("library");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60); /* others may compute beside it */
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, options);
    tcase_add_test(c, a_refused_value_leaves_the_old_one);
    tcase_add_test(c, every_width_and_base);
    tcase_add_test(c, lent_arrays);
    tcase_add_test(c, nothing_is_copied);
    tcase_add_test(c, patterns_and_complex_values);
    tcase_add_test(c, bad_matrices);
    tcase_add_test(c, a_result_in_all_its_forms);
    tcase_add_test(c, the_caller_is_as_before);
    tcase_add_test(c, no_trap_of_the_caller);
    tcase_add_test(c, numbers_of_a_comma_locale);
    tcase_add_test(c, progress_and_cancelling);
    tcase_add_test(c, handles_of_several_threads);
    tcase_add_test(c, matrices_of_files);
    tcase_add_test(c, records_of_files);
    tcase_add_test(c, a_prediction);
    tcase_add_test(c, times_that_cannot_be);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
