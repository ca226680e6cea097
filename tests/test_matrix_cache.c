/* Writing and reading back: binary files, text, compressed text, archives, streams. */
#include <check.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/matrix/matrix_cache.h"
#include "io/matrix/matrix_load.h"
#include "io/matrix/matrix_market.h"
#include "run_suite.h"
#include "scratch_dir.h"
#include "sp_config.h"
#include "sparse/csr/csr.h"

static const char *in_dir(const char *name)
{
    static char path[4][256];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

/* Real values of all magnitudes at random places. */
static void put_random(const char *path, const char *kind, int n, int n_entries, uint64_t seed)
{
    FILE *f = fopen(path, "w");
    struct sp_random r = {seed};
    fprintf(f, "%%%%MatrixMarket matrix coordinate %s\n%d %d %d\n", kind, n, n, n_entries);
    bool general = strstr(kind, "general"), complex = strstr(kind, "complex");
    for (int k = 0; k < n_entries; k++) {
        int64_t i = sp_random_below(&r, n), j = sp_random_below(&r, n);
        int64_t row = general || i > j ? i : j, col = general || i > j ? j : i;
        if (!general && row == col)
            row = col == n - 1 ? row : n - 1;
        if (strstr(kind, "skew") && row == col)
            col = 0;
        double x = ldexp(sp_random_unit(&r) - 0.5, (int)sp_random_below(&r, 400) - 200);
        if (complex)
            fprintf(f, "%lld %lld %.17g %.17g\n", (long long)row + 1, (long long)col + 1, x,
                    row == col ? 0 : -x);
        else
            fprintf(f, "%lld %lld %.17g\n", (long long)row + 1, (long long)col + 1, x);
    }
    fclose(f);
}

static struct sp_csr load(const char *path, const struct sp_load_options *options,
                          struct sp_load_facts *facts)
{
    struct sp_csr a;
    struct sp_error err;
    enum sp_status status = sp_matrix_load(path, options, &a, facts, &err);
    ck_assert_msg(status == SP_OK, "%s: line %d: %s", path, (int)err.line, err.what);
    return a;
}

static void check_same(const struct sp_csr *a, const struct sp_csr *b)
{
    ck_assert_int_eq(a->n_r, b->n_r);
    ck_assert_int_eq(a->n_c, b->n_c);
    ck_assert_int_eq(a->n_nz, b->n_nz);
    ck_assert_int_eq(a->n_zeros, b->n_zeros);
    ck_assert_int_eq(a->symmetry, b->symmetry);
    ck_assert_int_eq(memcmp(a->row_ptr, b->row_ptr, (size_t)(a->n_r + 1) * 8), 0);
    ck_assert_int_eq(memcmp(a->col, b->col, (size_t)a->n_nz * 4), 0);
    ck_assert_int_eq(memcmp(a->val, b->val, (size_t)a->n_nz * (sp_csr_is_complex(a) ? 16 : 8)), 0);
}

START_TEST(hashes_are_the_published_ones)
{
    ck_assert_uint_eq(sp_hash64("", 0, 0), UINT64_C(0xef46db3751d8e999));
    ck_assert_uint_eq(sp_hash64("a", 1, 0), UINT64_C(0xd24ec4f1a98c6e5b));
    ck_assert_uint_eq(sp_hash64("abc", 3, 0), UINT64_C(0x44bc2cf5ad770999));
    struct sp_sha256 s;
    char hex[65];
    sp_sha256_start(&s);
    sp_sha256_finish(&s, hex);
    ck_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sp_sha256_start(&s);
    sp_sha256_add(&s, "abcdbcdecdefdefgefghfghi", 24);
    sp_sha256_add(&s, "ghijhijkijkljklmklmnlmnomnopnopq", 32);
    sp_sha256_finish(&s, hex);
    ck_assert_str_eq(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
END_TEST

START_TEST(text_comes_back_bit_by_bit)
{
    static const char *const kinds[] = {"real general",      "real symmetric",    "real skew-symmetric",
                                        "complex hermitian", "complex symmetric", "complex general"};
    static const char *const endings[] = {NULL, "gzip", "xz", "zstd", "bzip2"};
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < (SP_HAVE_LIBARCHIVE && i == 0 ? 5 : 1); c++) {
            put_random(in_dir("a.mtx"), kinds[i], 200, 3000, (uint64_t)i);
            struct sp_csr a = load(in_dir("a.mtx"), NULL, NULL);
            struct sp_mtx_write_options options = {.n_threads = 2, .compression = endings[c]};
            struct sp_error err;
            ck_assert_int_eq(sp_mtx_write(in_dir("b.mtx"), &a, &options, &err), SP_OK);
            struct sp_load_options two = {.n_threads = 2};
            struct sp_load_facts facts, facts_a;
            struct sp_csr b = load(in_dir("b.mtx"), &two, &facts),
                          again = load(in_dir("a.mtx"), &two, &facts_a);
            check_same(&a, &b);
            ck_assert_str_eq(facts.sha256, facts_a.sha256);
            bool holds;
            ck_assert_int_eq(sp_csr_symmetry_holds(&a, &holds, &err), SP_OK);
            ck_assert_int_eq(holds, i != 0 && i != 5);
            sp_csr_free(&a);
            sp_csr_free(&b);
            sp_csr_free(&again);
        }
    if (!SP_HAVE_LIBARCHIVE)
        printf("SKIPPED compressed output: this build is without libarchive\n");
}
END_TEST

/* 13 MB of text: several blocks of the streaming reader, taken by turns. */
START_TEST(a_stream_of_several_blocks_gives_what_the_file_gives)
{
    if (!SP_HAVE_LIBARCHIVE) {
        printf("SKIPPED streams: this build is without libarchive\n");
        return;
    }
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        put_random(in_dir("big.mtx"), symmetric ? "real symmetric" : "real general", 30000, 350000, 5);
        struct sp_csr a = load(in_dir("big.mtx"), NULL, NULL);
        struct sp_mtx_write_options options = {.n_threads = 2, .compression = "gzip"};
        struct sp_error err;
        ck_assert_int_eq(sp_mtx_write(in_dir("big.mtx.gz"), &a, &options, &err), SP_OK);
        for (int n_threads = 1; n_threads <= 3; n_threads++) {
            struct sp_load_options load_options = {.n_threads = n_threads};
            struct sp_csr b = load(in_dir("big.mtx.gz"), &load_options, NULL);
            check_same(&a, &b);
            sp_csr_free(&b);
        }
        sp_csr_free(&a);
    }
}
END_TEST

START_TEST(all_entries_are_written_on_request)
{
    put_random(in_dir("s.mtx"), "real symmetric", 200, 3000, 3);
    struct sp_csr a = load(in_dir("s.mtx"), NULL, NULL);
    struct sp_mtx_write_options options = {.general = true};
    ck_assert_int_eq(sp_mtx_write(in_dir("all.mtx"), &a, &options, NULL), SP_OK);
    struct sp_csr b = load(in_dir("all.mtx"), NULL, NULL);
    ck_assert_int_eq(b.symmetry, SP_GENERAL);
    b.symmetry = a.symmetry;
    check_same(&a, &b);
    sp_csr_free(&a);
    sp_csr_free(&b);
}
END_TEST

START_TEST(integers_and_patterns_keep_their_kind_while_they_can)
{
    put_file(in_dir("p.mtx"), "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n1 1\n2 1\n");
    put_file(in_dir("i.mtx"),
             "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 -7\n2 1 1234567890123\n");
    struct sp_mtx_write_options options = {0};
    struct sp_error err;
    struct sp_csr p = load(in_dir("p.mtx"), NULL, NULL), i = load(in_dir("i.mtx"), NULL, NULL);
    ck_assert_int_eq(sp_mtx_write(in_dir("p2.mtx"), &p, &options, &err), SP_OK);
    ck_assert_int_eq(sp_mtx_write(in_dir("i2.mtx"), &i, &options, &err), SP_OK);
    struct sp_csr p2 = load(in_dir("p2.mtx"), NULL, NULL), i2 = load(in_dir("i2.mtx"), NULL, NULL);
    ck_assert_int_eq(p2.field, SP_FIELD_INTEGER); /* 1 + 1 = 2 is no pattern any more */
    ck_assert_int_eq(i2.field, SP_FIELD_INTEGER);
    ck_assert_int_eq(i2.symmetry, SP_SYMMETRIC);
    check_same(&i, &i2);
    sp_csr_free(&p);
    sp_csr_free(&i);
    sp_csr_free(&p2);
    sp_csr_free(&i2);
}
END_TEST

START_TEST(a_broken_symmetry_is_written_as_general)
{
    put_file(in_dir("s.mtx"), "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n");
    struct sp_csr a = load(in_dir("s.mtx"), NULL, NULL);
    a.val[1] = 5;
    struct sp_mtx_write_options options = {0};
    ck_assert_int_eq(sp_mtx_write(in_dir("g.mtx"), &a, &options, NULL), SP_OK);
    struct sp_csr b = load(in_dir("g.mtx"), NULL, NULL);
    ck_assert_int_eq(b.symmetry, SP_GENERAL);
    ck_assert_double_eq(b.val[1], 5);
    sp_csr_free(&a);
    sp_csr_free(&b);
}
END_TEST

START_TEST(a_cache_is_made_used_and_made_anew)
{
    put_random(in_dir("a.mtx"), "real general", 300, 5000, 1);
    struct sp_load_options options = {.n_threads = 2, .cache = SP_CACHE_BESIDE};
    struct sp_load_facts facts;
    struct sp_csr a = load(in_dir("a.mtx"), &options, &facts);
    ck_assert(facts.cache_written && !facts.cache_used);
    ck_assert_str_eq(facts.cache_path, in_dir("a.mtx.spm"));
    char sha[65];
    snprintf(sha, sizeof sha, "%s", facts.sha256);
    struct sp_csr b = load(in_dir("a.mtx"), &options, &facts);
    ck_assert(facts.cache_used && !facts.cache_written);
    ck_assert_str_eq(facts.sha256, sha);
    ck_assert_int_eq(facts.n_entries, 5000);
    check_same(&a, &b);
    b.val[0] = 1; /* a private copy: the file must not change */
    sp_csr_free(&b);
    b = load(in_dir("a.mtx.spm"), NULL, &facts); /* named by the user */
    check_same(&a, &b);
    sp_csr_free(&b);
    /* the source changes: the cache is stale */
    put_random(in_dir("a.mtx"), "real general", 300, 5001, 2);
    b = load(in_dir("a.mtx"), &options, &facts);
    ck_assert(facts.cache_written && !facts.cache_used);
    ck_assert_int_eq(facts.n_entries, 5001);
    ck_assert_str_eq(facts.remark, "");
    sp_csr_free(&b);
    sp_csr_free(&a);
    /* and in a directory of its own, which is made */
    char caches[256];
    snprintf(caches, sizeof caches, "%s", in_dir("caches"));
    options.cache = SP_CACHE_DIRECTORY;
    options.cache_dir = caches;
    for (int i = 0; i < 2; i++) {
        a = load(in_dir("a.mtx"), &options, &facts);
        ck_assert_int_eq(facts.cache_used, i == 1);
        ck_assert_ptr_nonnull(strstr(facts.cache_path, "/caches/a.mtx-"));
        sp_csr_free(&a);
    }
}
END_TEST

START_TEST(damage_is_found)
{
    put_random(in_dir("a.mtx"), "real general", 300, 5000, 1);
    struct sp_load_options options = {.cache = SP_CACHE_BESIDE};
    struct sp_load_facts facts;
    struct sp_error err;
    struct sp_csr a = load(in_dir("a.mtx"), &options, &facts), b;
    static const struct {
        long at;
        const char *says;
    } damages[] = {{30, "header"},     {8, "version"}, {4096 + 8, "checksum"}, {4096 * 2 + 17, "checksum"},
                   {-100, "checksum"}, {0, "cut off"}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s", in_dir("a.mtx.spm"));
        struct stat before;
        ck_assert_int_eq(stat(path, &before), 0);
        if (damages[i].at == 0) {
            ck_assert_int_eq(truncate(path, before.st_size - 1), 0);
        } else {
            FILE *f = fopen(path, "r+");
            /* the last array ends inside its last page: aim at its last value */
            long last = 4096 + ((300 + 1) * 8 + 4095) / 4096 * 4096 +
                        ((long)a.n_nz * 4 + 4095) / 4096 * 4096 + a.n_nz * 8;
            long at = damages[i].at < 0 ? last - 3 : damages[i].at;
            fseek(f, at, SEEK_SET);
            int c = fgetc(f);
            fseek(f, at, SEEK_SET);
            fputc(c ^ 0x41, f);
            fclose(f);
        }
        ck_assert_int_eq(sp_matrix_load(path, NULL, &b, NULL, &err), SP_INPUT);
        ck_assert_msg(strstr(err.what, damages[i].says), "damage %d says: %s", (int)i, err.what);
        b = load(in_dir("a.mtx"), &options, &facts); /* automatic: a remark, and the text is read */
        ck_assert(!facts.cache_used && facts.cache_written);
        ck_assert_ptr_nonnull(strstr(facts.remark, "made anew"));
        check_same(&a, &b);
        sp_csr_free(&b);
    }
    sp_csr_free(&a);
}
END_TEST

START_TEST(outputs_fail_clearly_and_leave_nothing)
{
    put_random(in_dir("a.mtx"), "real general", 300, 5000, 1);
    struct sp_csr a = load(in_dir("a.mtx"), NULL, NULL);
    struct sp_mtx_write_options options = {0};
    struct sp_error err;
    char no_digest[65] = "";
    ck_assert_int_eq(sp_mtx_write(in_dir("no/such/b.mtx"), &a, &options, &err), SP_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.remedy, "directory"));
    ck_assert_int_eq(sp_cache_write(in_dir("no/such/b.spm"), &a, no_digest, 0, NULL, &err), SP_OUTPUT);
    sp_csr_free(&a);
}
END_TEST

START_TEST(archives_and_streams_are_read)
{
    if (!SP_HAVE_LIBARCHIVE) {
        printf("SKIPPED archives: this build is without libarchive\n");
        return;
    }
    char command[1024];
    mkdir(in_dir("k"), 0777);
    put_random(in_dir("k/k.mtx"), "real symmetric", 500, 30000, 5);
    put_file(in_dir("k/k_b.mtx"), "%%MatrixMarket matrix array real general\n1 1\n1\n");
    snprintf(command, sizeof command,
             "cd %s && tar czf k.tar.gz k && tar cf two.tar k/k_b.mtx && "
             "gzip -c k/k.mtx > k.mtx.gz && head -c 20000 k.mtx.gz > cut.mtx.gz && cp k/k.mtx x.mtx && "
             "tar czf none.tar.gz x.mtx k/k_b.mtx && : | gzip > empty.gz",
             dir);
    ck_assert_int_eq(system(command), 0);
    struct sp_load_options two = {.n_threads = 3};
    struct sp_load_facts facts;
    struct sp_csr a = load(in_dir("k/k.mtx"), &two, &facts);
    static const char *const same[] = {"k.tar.gz", "k.mtx.gz"};
    for (int i = 0; i < 2; i++) {
        struct sp_csr b = load(in_dir(same[i]), &two, &facts);
        check_same(&a, &b);
        ck_assert_int_eq(a.n_duplicates, b.n_duplicates);
        ck_assert_str_eq(facts.name, "k");
        ck_assert_ptr_nonnull(strstr(facts.format, "gzip"));
        sp_csr_free(&b);
    }
    struct sp_csr b = load(in_dir("two.tar"), NULL, NULL); /* the only .mtx */
    ck_assert_int_eq(b.n_nz, 1);
    sp_csr_free(&b);
    struct sp_error err;
    ck_assert_int_eq(sp_matrix_load(in_dir("cut.mtx.gz"), &two, &b, NULL, &err), SP_INPUT);
    ck_assert_ptr_nonnull(strstr(err.what, "truncated"));
    ck_assert_int_eq(sp_matrix_load(in_dir("none.tar.gz"), &two, &b, NULL, &err), SP_INPUT);
    ck_assert_ptr_nonnull(strstr(err.what, "x.mtx"));
    ck_assert_int_eq(sp_matrix_load(in_dir("empty.gz"), &two, &b, NULL, &err), SP_INPUT);
    /* standard input */
    int saved = dup(STDIN_FILENO), f = open(in_dir("k/k.mtx"), O_RDONLY);
    dup2(f, STDIN_FILENO);
    b = load("-", &two, &facts);
    check_same(&a, &b);
    ck_assert_str_eq(facts.name, "stdin");
    dup2(saved, STDIN_FILENO);
    close(f);
    close(saved);
    sp_csr_free(&b);
    sp_csr_free(&a);
}
END_TEST

/* Faults in streams have the same place and reason as in files. */
START_TEST(streams_refuse_as_files_do)
{
    if (!SP_HAVE_LIBARCHIVE) {
        printf("SKIPPED faults in streams: this build is without libarchive\n");
        return;
    }
    static const char *const texts[] = {
        "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n4 1 1\n",
        "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n",
        "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4 5\n",
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1\n2 3 1\n",
        "%%MatrixMarket matrix coordinate reel general\n",
        "%%MatrixMarket matrix coordinate real general\n% no size line\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char command[600];
        put_file(in_dir("f.mtx"), texts[i]);
        snprintf(command, sizeof command, "gzip -c %s > %s", in_dir("f.mtx"), in_dir("f.mtx.gz"));
        ck_assert_int_eq(system(command), 0);
        struct sp_csr a;
        struct sp_error plain = {0}, packed = {0};
        struct sp_load_options two = {.n_threads = 2};
        ck_assert_int_eq(sp_matrix_load(in_dir("f.mtx"), NULL, &a, NULL, &plain), SP_INPUT);
        ck_assert_int_eq(sp_matrix_load(in_dir("f.mtx.gz"), &two, &a, NULL, &packed), SP_INPUT);
        ck_assert_msg(plain.line == packed.line && plain.column == packed.column, "%d:%d %s\n%d:%d %s",
                      (int)plain.line, (int)plain.column, plain.what, (int)packed.line, (int)packed.column,
                      packed.what);
        ck_assert_ptr_null(a.row_ptr);
    }
}
END_TEST

START_TEST(digest_depends_on_content_alone)
{
    put_file(in_dir("a.mtx"), "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n");
    put_file(in_dir("b.mtx"),
             "%%MatrixMarket matrix coordinate integer general\n2 2 3\n2 1 4\n1 2 4\n1 1 3\n");
    put_file(in_dir("c.mtx"),
             "%%MatrixMarket matrix coordinate integer general\n2 2 3\n2 1 4\n2 2 4\n1 1 3\n");
    struct sp_load_facts a, b, c;
    struct sp_csr m = load(in_dir("a.mtx"), NULL, &a);
    sp_csr_free(&m);
    m = load(in_dir("b.mtx"), NULL, &b);
    sp_csr_free(&m);
    m = load(in_dir("c.mtx"), NULL, &c);
    sp_csr_free(&m);
    ck_assert_int_eq(strlen(a.sha256), 64);
    ck_assert_str_eq(a.sha256, b.sha256);
    ck_assert_str_ne(a.sha256, c.sha256);
}
END_TEST

START_TEST(generated_matrices_are_loaded_by_name)
{
    struct sp_load_facts facts;
    struct sp_csr a = load("gen:laplace2d:10", NULL, &facts);
    ck_assert_int_eq(a.n_r, 100);
    ck_assert_str_eq(facts.name, "gen:laplace2d:10");
    ck_assert_str_eq(facts.format, "generated");
    ck_assert_int_eq(strlen(facts.sha256), 64);
    sp_csr_free(&a);
    struct sp_load_options small = {.memory_limit_B = 1e6};
    struct sp_error err;
    ck_assert_int_eq(sp_matrix_load("gen:laplace3d:100", &small, &a, NULL, &err), SP_MEMORY);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("matrix_cache");
    TCase *c = tcase_create("matrix_cache");
    tcase_add_checked_fixture(c, make_dir, remove_dir);
    tcase_add_test(c, hashes_are_the_published_ones);
    tcase_add_test(c, text_comes_back_bit_by_bit);
    tcase_add_test(c, a_stream_of_several_blocks_gives_what_the_file_gives);
    tcase_add_test(c, all_entries_are_written_on_request);
    tcase_add_test(c, integers_and_patterns_keep_their_kind_while_they_can);
    tcase_add_test(c, a_broken_symmetry_is_written_as_general);
    tcase_add_test(c, a_cache_is_made_used_and_made_anew);
    tcase_add_test(c, damage_is_found);
    tcase_add_test(c, outputs_fail_clearly_and_leave_nothing);
    tcase_add_test(c, archives_and_streams_are_read);
    tcase_add_test(c, streams_refuse_as_files_do);
    tcase_add_test(c, digest_depends_on_content_alone);
    tcase_add_test(c, generated_matrices_are_loaded_by_name);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
