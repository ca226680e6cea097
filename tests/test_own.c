/* Kernels of somebody else: what each wrong one is called, that right ones are right, and that
 * bytes from a trace are those of the walk that it tells. Their code is tests/own. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/own/own_kernel.h"
#include "kernels/own/own_watch.h"
#include "report/verdict/verdict.h"
#include "run_suite.h"
#include "session/own/own.h"
#include "sys/processes.h"

/* A run on a matrix and what it needs. */
struct fixture {
    struct sp_machine machine;
    struct sp_topology topology;
    struct sp_subject subject;
    struct sp_analyze_options options;
    struct sp_record record;
    struct sp_error err;
};

static void open_fixture(const char *matrix, struct fixture *f)
{
    static const int64_t size_B[] = {16 << 10, 64 << 10};
    struct sp_load_options load = {.n_threads = 2};
    memset(f, 0, sizeof *f);
    strcpy(f->machine.name, "tiny");
    f->machine.n_sockets = f->machine.n_numa = f->machine.n_domains = 1;
    f->machine.n_cores = 2;
    f->machine.n_caches = 2;
    for (int i = 0; i < 2; i++)
        f->machine.cache[i] = (struct sp_cache){.level = i + 1,
                                                .size_B = size_B[i],
                                                .effective_B = sp_value_none("not measured"),
                                                .line_B = 64,
                                                .ways = 8,
                                                .cores_sharing = 1 + i};
    ck_assert_int_eq(sp_topology_read(&f->topology, NULL), SP_OK);
    ck_assert_int_eq(sp_subject_open(matrix, &load, NULL, NULL, &f->subject, NULL), SP_OK);
    f->options = (struct sp_analyze_options){.format = "crs",
                                             .schedule = "nnz",
                                             .precision = -1,
                                             .n_threads = 2,
                                             .budget_s = 0.01,
                                             .max_samples = 3,
                                             .seed = 1,
                                             .store_nt = SP_CHOICE_AUTO,
                                             .machine = &f->machine,
                                             .topology = &f->topology};
}

static void close_fixture(struct fixture *f)
{
    sp_record_free(&f->record);
    sp_subject_free(&f->subject);
    sp_topology_free(&f->topology);
}

static enum sp_status run(struct fixture *f, const char *symbol, const char *signature)
{
    static char library[1024];
    snprintf(library, sizeof library, "%s:%s", SP_OWN_KERNELS, symbol);
    sp_record_free(&f->record);
    memset(&f->err, 0, sizeof f->err);
    f->options.own.library = library;
    f->options.own.signature = signature;
    return sp_analyze_own(&f->subject, &f->options, NULL, &f->record, &f->err);
}

static const char *status_of(const struct fixture *f)
{
    return sp_words_text(&f->record, SP_F_STATUS, "?");
}

/* ---- wrong in one way each: one sentence that names it ---- */

static const struct {
    const char *symbol;
    enum sp_status status;
    const char *words;
    const char *ended; /* verify.ended; "": its result is wrong; NULL: its result is right */
} wrong[] = {
    {"wrong", SP_WRONG, "computes wrongly in run(): 1 of 1089 rows differ from the reference, row 3 most",
     ""},
    {"lazy", SP_WRONG, "1 of 1089 rows differ from the reference, row 1089 was not written", ""},
    {"stale", SP_WRONG, "later than in its first execution: 1 of 1089 rows differ", ""},
    {"once", SP_WRONG, "later than in its first execution: 1089 of 1089 rows differ", ""},
    {"keeping", SP_WRONG, "later than in its first execution: 1089 of 1089 rows differ", ""},
    {"closing", SP_WRONG, "closed file descriptors that are not its own, or wrote to them", "failed"},
    {"scribbling", SP_WRONG, "closed file descriptors that are not its own, or wrote to them", "failed"},
    {"behind", SP_WRONG, "the kernel behind wrote up to 8 bytes behind the end of y in run()", ""},
    {"far_behind", SP_WRONG, "the kernel far_behind wrote 64 bytes behind the end of y in run()", "crashed"},
    {"before", SP_WRONG, "the kernel before wrote up to 8 bytes before the start of y in run()", ""},
    {"into_matrix", SP_WRONG, "the kernel into_matrix wrote into col, at byte 4 in run()", "crashed"},
    {"into_x", SP_WRONG, "the kernel into_x wrote into x, at byte 0 in run()", "crashed"},
    {"crash", SP_WRONG, "the kernel crash crashed in run(): it read address 0x0", "crashed"},
    {"aborting", SP_WRONG, "the kernel aborting crashed in run(): signal 6", "crashed"},
    {"deep", SP_WRONG, "the kernel deep crashed in run(): it needs more stack than it has", "crashed"},
    {"wide", SP_WRONG, "the kernel wide crashed in run(): it needs more stack than it has", "crashed"},
    {"deep_beside", SP_WRONG,
     "the kernel deep_beside crashed in run(): a thread of it needs more stack than it has", "crashed"},
    {"hanging", SP_WRONG, "the kernel hanging did not return from run() within 1 s", "hung"},
    {"never_ready", SP_WRONG, "the kernel never_ready did not return from prepare() within 1 s", "hung"},
    {"leaving", SP_WRONG, "the kernel leaving ended its process in run(), with code 3", "ended early"},
    {"leaving_at_once", SP_WRONG, "the kernel leaving_at_once ended its process in run(), with code 0",
     "ended early"},
    {"satisfied", SP_WRONG, "the kernel satisfied ended its process in run(), with code 0", "ended early"},
    {"raising", SP_WRONG, "the kernel raising crashed in run(): signal 8", "crashed"},
    {"deaf", SP_WRONG, "the kernel deaf did not return from run() within 1 s", "hung"},
    {"hungry", SP_WRONG, "the kernel hungry crashed in run(): signal 6", "crashed"},
    {"killed", SP_WRONG, "the kernel killed was killed in run() (signal 9): by the system, if memory ran out",
     "crashed"},
    {"ending_thread", SP_WRONG, "the kernel ending_thread ended its thread in run()", "ended early"},
    {"forking", SP_WRONG, "the kernel forking forked, and the other process came back from run(), too",
     "ended early"},
    {"returning", SP_WRONG, "the kernel returning returned 7 from run()", "failed"},
    {"refusing", SP_WRONG, "the kernel refusing returned -2 from prepare()", "failed"},
    {"crash_at_end", SP_WRONG, "the kernel crash_at_end crashed in finish()", NULL},
    {"lost_walk", SP_WRONG, "the kernel lost_walk tells of", "failed"},
    {"silent_walk", SP_WRONG, "the kernel silent_walk tells of no write of y in trace()", "failed"},
    {"too_many", SP_WRONG, "the kernel too_many wrote more than 16 arrays in stores()", "failed"},
    {"lost", SP_WRONG, "the kernel lost names an array lengths in stores() that cannot be read", "failed"},
    {"other_size", SP_INPUT, "other_size is no struct spmodel_kernel of this version: its size is 4000",
     NULL},
    {"csr32", SP_INPUT, "csr32 is a function, and not a struct spmodel_kernel", NULL},
    {"no_run", SP_USAGE, "no function run()", NULL},
    {"nothing", SP_INPUT, "it has no symbol nothing", NULL},
};

/* Wrong is only a result that was there. */
static void says_how_it_ended(struct sp_record *record, const char *ended)
{
    static const struct {
        const char *ended, *text;
    } said[] = {{"", "THE RESULT IS WRONG; "},
                {"crashed", "THE KERNEL CRASHED; "},
                {"hung", "THE KERNEL DID NOT RETURN; "},
                {"ended early", "THE KERNEL ENDED EARLY; "},
                {"failed", "THE KERNEL FAILED; "}};
    bool right;
    json_t *verdict = sp_verdict_of(record);
    const char *trust = json_string_value(json_object_get(json_object_get(verdict, "trust"), "text"));
    ck_assert_str_eq(sp_words_text(record, SP_F_VERIFY_ENDED, ""), ended);
    ck_assert_int_eq(sp_record_flag(record, SP_F_VERIFY_OK, &right) && !right, *ended == '\0');
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        ck_assert_msg((strstr(trust, said[i].text) == trust) == (strcmp(said[i].ended, ended) == 0), "%s: %s",
                      ended, trust);
    const char *what = json_string_value(json_object_get(json_object_get(verdict, "do"), "text"));
    ck_assert_str_eq(what, "not known: mend the kernel, then run the command again");
    json_decref(verdict);
}

START_TEST(each_wrong_one_is_named)
{
    struct fixture f;
    open_fixture("gen:laplace2d:33", &f);
    f.options.own.limit_s = 1;
    ck_assert_int_eq(run(&f, wrong[_i].symbol, NULL), wrong[_i].status);
    ck_assert_msg(strstr(f.err.what, wrong[_i].words), "%s: %s", wrong[_i].symbol, f.err.what);
    ck_assert(f.err.remedy[0]);
    const bool behind = strcmp(wrong[_i].symbol, "crash_at_end") == 0; /* all was known by then */
    if (wrong[_i].ended)
        says_how_it_ended(&f.record, wrong[_i].ended);
    if (wrong[_i].status == SP_WRONG)
        ck_assert_str_eq(status_of(&f), behind ? "complete" : "failed");
    else
        ck_assert_ptr_null(f.record.root);
    close_fixture(&f);
}
END_TEST

START_TEST(what_a_kernel_leaves_running_is_ended)
{
    struct fixture f;
    open_fixture("gen:laplace2d:33", &f);
    ck_assert_int_eq(run(&f, "leaving_one", NULL), SP_OK);
    const json_t *remarks = sp_record_node(&f.record, SP_F_REMARKS), *one;
    bool said = false;
    size_t i;
    json_array_foreach(remarks, i, one) said =
        said ||
        strcmp(json_string_value(one), "the kernel left 1 process running; it was ended with it") == 0;
    ck_assert(said);
    ck_assert_int_eq(sp_processes_end_children(getpid()), 0);
    close_fixture(&f);
}
END_TEST

START_TEST(a_library_that_dies_when_it_is_opened_is_named)
{
    const struct sp_own_ask dies = {.library = SP_OWN_CONSTRUCTOR}, absent = {.library = "./no/such.so"},
                            words = {.library = SP_OWN_KERNELS ":csr32", .signature = "csr33"},
                            alone = {.signature = "csr32"}, limit = {.limit_s = 1}, none = {0};
    struct sp_error err;
    ck_assert_int_eq(sp_own_ask_check(&dies, &err), SP_WRONG);
    ck_assert_ptr_nonnull(strstr(err.what, "crashed in what its library does when it is opened"));
    ck_assert_int_eq(sp_own_ask_check(&absent, &err), SP_INPUT);
    ck_assert_ptr_nonnull(strstr(err.what, "there is no such library"));
    ck_assert_int_eq(sp_own_ask_check(&words, &err), SP_USAGE);
    ck_assert_ptr_nonnull(strstr(err.what, "csr32, csr64"));
    ck_assert_int_eq(sp_own_ask_check(&alone, &err), SP_USAGE);
    ck_assert_int_eq(sp_own_ask_check(&limit, &err), SP_USAGE);
    ck_assert_int_eq(sp_own_ask_check(&none, &err), SP_OK);
}
END_TEST

/* ---- right ones ---- */

static void symbol_of(const char *signature, char symbol[40])
{
    snprintf(symbol, 40, "%s", signature);
    for (char *c = symbol; *c; c++)
        *c = *c == '-' ? '_' : *c;
}

START_TEST(each_signature_is_right)
{
    const struct sp_own_signature *s = &sp_own_signatures[_i];
    struct fixture f;
    char symbol[40];
    bool ok = false;
    if (!s->name)
        return;
    symbol_of(s->name, symbol);
    open_fixture("gen:random:500:7", &f);
    f.options.op = s->several ? SP_OP_SPMMV : SP_OP_SPMV;
    f.options.r = s->several ? 3 : 1;
    ck_assert_msg(run(&f, symbol, s->name) == SP_OK, "%s: %s", s->name, f.err.what);
    ck_assert(sp_record_flag(&f.record, SP_F_VERIFY_OK, &ok) && ok);
    ck_assert_str_eq(sp_words_text(&f.record, SP_F_REQUEST_SIGNATURE, ""), s->name);
    ck_assert_str_eq(sp_words_text(&f.record, SP_F_OWN_NAME, ""), symbol);
    ck_assert_str_eq(sp_words_text(&f.record, SP_F_OWN_WALK, ""), s->base == 1 ? "stored" : "assumed");
    close_fixture(&f);
}
END_TEST

static const char *const good[] = {"spmodel_kernel", "slow", "parallel", "walking",
                                   "narrow",         "busy", "handling"};

START_TEST(each_good_structure_is_right)
{
    struct fixture f;
    open_fixture("gen:laplace2d:33", &f);
    ck_assert_msg(run(&f, good[_i], NULL) == SP_OK, "%s: %s", good[_i], f.err.what);
    ck_assert_str_eq(status_of(&f), "complete");
    close_fixture(&f);
}
END_TEST

/* What a program hands over itself, a matrix without entries, and one row. */
static int sum_rows(void *state, const void *x_, void *y_)
{
    const struct spmodel_matrix *m = state;
    const double *values = m->values, *x = x_;
    const int32_t *row_ptr = m->row_ptr, *col = m->col;
    double *y = y_;
    for (int64_t i = 0; i < m->n_r; i++) {
        y[i] = 0;
        for (int32_t k = row_ptr[i]; k < row_ptr[i + 1]; k++)
            y[i] += values[k] * x[col[k]];
    }
    return 0;
}

START_TEST(a_structure_is_taken_from_the_program)
{
    static const char *const matrices[] = {"gen:laplace2d:20", "gen:band:1:0", "gen:random:40x30:0"};
    const struct spmodel_kernel kernel = {.size = sizeof kernel, .name = "mine", .run = sum_rows};
    struct fixture f;
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        open_fixture(matrices[i], &f);
        f.options.own.kernel = &kernel;
        ck_assert_msg(sp_analyze_own(&f.subject, &f.options, NULL, &f.record, &f.err) == SP_OK, "%s: %s",
                      matrices[i], f.err.what);
        ck_assert_str_eq(sp_words_text(&f.record, SP_F_REQUEST_KERNEL, ""), "mine");
        ck_assert_str_eq(sp_words_text(&f.record, SP_F_CONFIG_KERNEL, ""), "own/mine");
        close_fixture(&f);
    }
}
END_TEST

/* Arrays of its own that fill no cache line, and those that are empty. */
START_TEST(small_arrays_of_its_own_are_taken)
{
    static const char *const matrices[] = {"gen:laplace2d:1", "gen:laplace2d:2", "gen:random:40x30:0"};
    struct fixture f;
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        open_fixture(matrices[i], &f);
        ck_assert_msg(run(&f, "narrow", NULL) == SP_OK, "%s: %s", matrices[i], f.err.what);
        ck_assert_msg(run(&f, "fortran32", "fortran32") == SP_OK, "%s: %s", matrices[i], f.err.what);
        close_fixture(&f);
    }
}
END_TEST

/* ---- what it cannot be asked ---- */

START_TEST(what_makes_no_sense_is_refused)
{
    struct fixture f;
    open_fixture("gen:laplace2d:20", &f);
    const struct sp_analyze_options plain = f.options;
    struct sp_analyze_options wrong_options[9];
    for (size_t i = 0; i < sizeof wrong_options / sizeof *wrong_options; i++)
        wrong_options[i] = plain;
    wrong_options[0].format = "sell:8,8";
    wrong_options[1].format = "auto";
    wrong_options[2].op = SP_OP_SPMM;
    wrong_options[2].r = 4;
    wrong_options[3].precision = SP_MIXED;
    wrong_options[4].index = SP_D16;
    wrong_options[5].store_nt = SP_CHOICE_ON;
    wrong_options[6].prefetch = 64;
    wrong_options[7].n_runs = 3;
    wrong_options[8].schedule = "rows";
    for (size_t i = 0; i < sizeof wrong_options / sizeof *wrong_options; i++) {
        f.options = wrong_options[i];
        ck_assert_msg(run(&f, "spmodel_kernel", NULL) == SP_USAGE, "%zu", i);
        ck_assert_ptr_null(f.record.root);
    }
    f.options = plain;
    f.options.precision = SP_F32;
    ck_assert_int_eq(run(&f, "csr32", "csr32"), SP_USAGE);
    f.options = plain;
    f.options.row_ptr_B = 8;
    ck_assert_int_eq(run(&f, "csr32", "csr32"), SP_USAGE);
    const struct spmodel_kernel kernel = {.size = sizeof kernel, .run = sum_rows};
    const struct sp_own_ask both = {.library = SP_OWN_KERNELS, .kernel = &kernel};
    ck_assert_int_eq(sp_own_ask_check(&both, &f.err), SP_USAGE);
    ck_assert_msg(strstr(f.err.what, "another kernel is handed over"), "%s", f.err.what);
    close_fixture(&f);
}
END_TEST

/* ---- bytes ---- */

static double bytes_at(const struct sp_record *r, size_t level, const char *key)
{
    return sp_item_number(json_array_get(sp_record_node(r, SP_F_LEVELS), level), key);
}

/* A trace that tells of CRS's accesses gives exactly the bytes of the built-in walk. */
START_TEST(a_trace_of_crs_has_the_bytes_of_crs)
{
    static const char *const matrices[] = {"gen:laplace2d:70", "gen:random:3000:9", "gen:powerlaw:11:8",
                                           "gen:arrow:3000"};
    struct fixture f;
    struct sp_record built_in;
    for (int n_threads = 1; n_threads <= 2; n_threads++)
        for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
            open_fixture(matrices[i], &f);
            f.options.n_threads = n_threads;
            f.options.store_nt = SP_CHOICE_OFF;
            ck_assert_int_eq(sp_analyze(&f.subject, &f.options, NULL, &built_in, &f.err), SP_OK);
            f.options.store_nt = SP_CHOICE_AUTO;
            ck_assert_msg(run(&f, "walking", NULL) == SP_OK, "%s", f.err.what);
            ck_assert_str_eq(sp_words_text(&f.record, SP_F_OWN_WALK, ""), "traced");
            const size_t n = json_array_size(sp_record_node(&built_in, SP_F_LEVELS));
            ck_assert_uint_eq(n, 2);
            for (size_t k = 0; k < n; k++) {
                ck_assert_double_eq(bytes_at(&built_in, k, "read_B"), bytes_at(&f.record, k, "read_B"));
                ck_assert_double_eq(bytes_at(&built_in, k, "write_B"), bytes_at(&f.record, k, "write_B"));
            }
            ck_assert(bytes_at(&f.record, 1, "read_B") > 0);
            sp_record_free(&built_in);
            close_fixture(&f);
        }
}
END_TEST

/* Non-temporal stores that a trace tells of have the bytes of the built-in ones: y is written, not
 * read. */
START_TEST(a_trace_that_streams_y_reads_none_of_it)
{
    struct fixture f;
    struct sp_record built_in;
    bool nt = false;
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        open_fixture("gen:laplace2d:70", &f);
        f.options.n_threads = n_threads;
        f.options.store_nt = SP_CHOICE_ON;
        const enum sp_status status = sp_analyze(&f.subject, &f.options, NULL, &built_in, &f.err);
        f.options.store_nt = SP_CHOICE_AUTO;
        ck_assert_msg(run(&f, "streaming", NULL) == SP_OK, "%s", f.err.what);
        ck_assert(sp_record_flag(&f.record, SP_F_CONFIG_STORE_NT, &nt) && nt);
        ck_assert_double_ge(bytes_at(&f.record, 1, "write_B"), 8 * 4900);
        if (status == SP_OK) {
            ck_assert_double_eq(bytes_at(&built_in, 1, "read_B"), bytes_at(&f.record, 1, "read_B"));
            ck_assert_double_eq(bytes_at(&built_in, 1, "write_B"), bytes_at(&f.record, 1, "write_B"));
        } else {
            printf("test_own: no kernel with non-temporal stores here to compare: %s\n", f.err.what);
        }
        sp_record_free(&built_in);
        close_fixture(&f);
    }
}
END_TEST

/* Values in f32 and lengths in 16 bits: that much less streams, and x and y are as in CRS. */
START_TEST(arrays_of_its_own_count)
{
    struct fixture f;
    struct sp_record crs;
    open_fixture("gen:laplace2d:120", &f);
    ck_assert_int_eq(run(&f, "spmodel_kernel", NULL), SP_OK);
    crs = f.record;
    memset(&f.record, 0, sizeof f.record);
    ck_assert_int_eq(run(&f, "narrow", NULL), SP_OK);
    const double n_r = 120.0 * 120, n_nz = 5 * n_r - 4 * 120,
                 less = bytes_at(&crs, 1, "read_B") - bytes_at(&f.record, 1, "read_B");
    ck_assert_double_eq_tol(less, 4 * n_nz + 2 * n_r, 0.02 * (4 * n_nz + 2 * n_r));
    ck_assert_uint_eq(json_array_size(sp_record_node(&f.record, SP_F_OWN_STORES)), 3);
    sp_record_free(&crs);
    close_fixture(&f);
}
END_TEST

/* ---- pages ---- */

START_TEST(what_is_written_beside_an_array_is_seen)
{
    for (size_t size = 1; size < 9000; size = size * 3 + 1) {
        char *p = sp_own_pages_small.alloc(NULL, size);
        struct sp_own_array a;
        size_t before, behind;
        ck_assert(p && (uintptr_t)p % 64 == 0);
        sp_own_pages_array(p, size, "y", &a);
        memset(p, 1, size);
        sp_own_pages_look(&a, &before, &behind);
        ck_assert(before == 0 && behind == 0);
        const size_t room = (64 - size % 64) % 64;
        if (room > 0) {
            p[size + room - 1] = 0;
            sp_own_pages_look(&a, &before, &behind);
            ck_assert_uint_eq(behind, room);
        }
        sp_own_pages_small.free(NULL, p, size);
    }
}
END_TEST

START_TEST(names_of_libraries_are_split)
{
    static const struct {
        const char *typed, *path, *symbol;
    } cases[] = {{"libmine.so", "./libmine.so", "spmodel_kernel"},
                 {"./libmine.so:spmv", "./libmine.so", "spmv"},
                 {"/a:b/libmine.so", "/a:b/libmine.so", "spmodel_kernel"},
                 {"/a:b/libmine.so:spmv_", "/a:b/libmine.so", "spmv_"}};
    char path[64];
    const char *symbol;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(sp_own_library_split(cases[i].typed, path, sizeof path, &symbol, NULL), SP_OK);
        ck_assert_str_eq(path, cases[i].path);
        ck_assert_str_eq(symbol, cases[i].symbol);
    }
    ck_assert_int_eq(sp_own_library_split("", path, sizeof path, &symbol, NULL), SP_USAGE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("own");
    TCase *tc = tcase_create("own");
    tcase_set_timeout(tc, 60); /* others may compute beside it */
    tcase_add_loop_test(tc, each_wrong_one_is_named, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(tc, what_a_kernel_leaves_running_is_ended);
    tcase_add_test(tc, a_library_that_dies_when_it_is_opened_is_named);
    tcase_add_loop_test(tc, each_signature_is_right, 0, 12);
    tcase_add_loop_test(tc, each_good_structure_is_right, 0, sizeof good / sizeof *good);
    tcase_add_test(tc, a_structure_is_taken_from_the_program);
    tcase_add_test(tc, small_arrays_of_its_own_are_taken);
    tcase_add_test(tc, what_makes_no_sense_is_refused);
    tcase_add_test(tc, a_trace_of_crs_has_the_bytes_of_crs);
    tcase_add_test(tc, a_trace_that_streams_y_reads_none_of_it);
    tcase_add_test(tc, arrays_of_its_own_count);
    tcase_add_test(tc, what_is_written_beside_an_array_is_seen);
    tcase_add_test(tc, names_of_libraries_are_split);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
