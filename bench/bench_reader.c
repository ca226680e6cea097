/* Reading Matrix Market text: MB/s of the whole and of its phases, beside a bare scan of the same bytes.
 *
 *     bench_reader FILE.mtx [RUNS]                an existing file
 *     bench_reader --make FILE.mtx NX [RUNS]      first writes the 27-point stencil NX x NX x NX, all entries
 *                                                 (128: 1.0 GB)
 *
 * Every run reads with one and with two threads; the best of RUNS (default 3) counts, since whatever else the
 * machine does can only slow a run down. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "io/files/input_file.h"
#include "io/matrix/matrix_load.h"
#include "io/matrix/matrix_market.h"
#include "sparse/generate/generate.h"
#include "sys/machine/pages.h"

static int fail(const struct sp_error *err)
{
    char text[2400];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "bench_reader: %s\n", text);
    return 1;
}

static int make(const char *path, const char *nx)
{
    struct sp_csr a;
    struct sp_error err;
    char spec[64];
    snprintf(spec, sizeof spec, "hpcg:%s", nx);
    struct sp_mtx_write_options options = {.n_threads = 2, .general = true};
    enum sp_status status = sp_generate(spec, &sp_allocator_huge, &a, &err);
    double start = sp_now();
    if (status == SP_OK)
        status = sp_mtx_write(path, &a, &options, &err);
    printf("wrote %s (%s) in %.2f s\n", path, spec, sp_now() - start);
    sp_csr_free(&a);
    return status == SP_OK ? 0 : fail(&err);
}

/* Seconds to count the newlines: what any reader must at least do. */
static double scan(const struct sp_mapped_file *file, int n_threads, int64_t *n_lines)
{
    double start = sp_now();
    int64_t n = 0;
#pragma omp parallel for schedule(static) reduction(+ : n) num_threads(n_threads)
    for (int64_t b = 0; b < file->n / 65536 + 1; b++) {
        int64_t begin = b * 65536, end = begin + 65536 < file->n ? begin + 65536 : file->n;
        for (int64_t k = begin; k < end; k++)
            n += file->text[k] == '\n';
    }
    *n_lines = n;
    return sp_now() - start;
}

static double max_rss(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024;
}

static int bench(const char *path, int n_threads, int n_runs)
{
    struct sp_mapped_file file;
    struct sp_error err;
    struct sp_load_facts best = {0};
    double scan_s = 1e300, csr_B = 0;
    int64_t n_lines = 0;
    if (sp_map_file(path, &file, &err) != SP_OK)
        return fail(&err);
    for (int i = 0; i < n_runs; i++) {
        double s = scan(&file, n_threads, &n_lines);
        scan_s = s < scan_s ? s : scan_s;
        struct sp_csr a;
        struct sp_load_facts facts;
        struct sp_load_options options = {.n_threads = n_threads, .allocator = &sp_allocator_huge};
        if (sp_matrix_load(path, &options, &a, &facts, &err) != SP_OK)
            return fail(&err);
        csr_B = sp_csr_bytes(a.n_r, a.n_nz, a.field);
        double read_s = facts.total_s - facts.digest_s;
        if (i == 0 || read_s < best.total_s - best.digest_s)
            best = facts;
        sp_csr_free(&a);
    }
    if (sp_unmap_file(&file, path, SP_OK, &err) != SP_OK)
        return fail(&err);
    double read_s = best.total_s - best.digest_s, MB = best.file_B / 1e6;
    printf("%d thread%s  %.0f MB, %lld lines   bare scan %.0f MB/s\n", n_threads, n_threads > 1 ? "s" : "",
           MB, (long long)n_lines, MB / scan_s);
    printf("  to CRS    %6.0f MB/s  %.3f s\n", MB / read_s, read_s);
    printf("  phases    open %.3f  survey %.3f  parse and place %.3f  finish %.3f s; digest %.3f s not "
           "counted\n",
           best.open_s, best.survey_s, best.parse_s, best.finish_s, best.digest_s);
    printf(
        "  memory    taken %.2f x the final arrays (%.0f MB); process maximum with the mapped file %.0f MB\n",
        best.peak_B / csr_B, csr_B / 1e6, max_rss() / 1e6);
    return 0;
}

int main(int argc, char **argv)
{
    int first = 1;
    if (argc > 3 && strcmp(argv[1], "--make") == 0) {
        if (make(argv[2], argv[3]) != 0)
            return 1;
        argv[3] = argv[2];
        first = 3;
    }
    if (argc <= first) {
        fprintf(stderr, "usage: bench_reader [--make] FILE.mtx [NX] [RUNS]\n");
        return 2;
    }
    int n_runs = argc > first + 1 ? atoi(argv[first + 1]) : 3;
    for (int n_threads = 1; n_threads <= 2; n_threads++)
        if (bench(argv[first], n_threads, n_runs < 1 ? 1 : n_runs) != 0)
            return 1;
    return 0;
}
