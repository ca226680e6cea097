/* Logs of spmodel attach: whatever a process left half-written is refused, or gives numbers that can be. The
 * input leaves out most of the place for matrices: the first SOME of them are followed by the cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "io/attach/capture.h"

const char *const fuzz_words[] = {
    SP_ATTACH_LOG_MAGIC, "\xff\xff\xff\xff", "\x7f", "pattern-0123456789abcdef.sppat", "\x80", NULL};

static void check(const struct sp_capture *c, const struct sp_captured_product *p)
{
    fuzz_require(p->process >= 0 && p->process < c->n_processes && p->matrix >= 0 &&
                     p->matrix < c->n_matrices,
                 "a product of nobody");
    fuzz_require(p->op < SP_ATTACH_OPS && p->count > 0 && p->width >= 1 && p->n_threads >= 1 &&
                     p->n_callers >= 1,
                 "a product that cannot be");
    fuzz_require(p->n_timed <= p->count && p->n_samples >= 0 && sp_captured_total_s(p) >= 0,
                 "its times cannot be");
    for (int64_t i = 0; i < p->n_samples; i++)
        fuzz_require(p->time_s[i] > 0 && p->time_s[i] < 1e5 && (i == 0 || p->time_s[i] >= p->time_s[i - 1]),
                     "a time that cannot be");
    const double median = sp_captured_quantile(p, 0.5);
    fuzz_require(isfinite(median) && median >= 0 && *sp_captured_op_text(p), "its median cannot be");
    const struct sp_captured_matrix *m = &c->matrix[p->matrix];
    fuzz_require(m->n_r >= 0 && m->n_nz >= 0 && !strchr(m->file, '/') && strlen(m->file) < sizeof m->file &&
                     (*m->file || *m->why),
                 "its matrix cannot be");
}

enum {
    SOME = 16,
    SHORT = SP_ATTACH_HEADER_B + SOME * SP_ATTACH_MATRIX_B,
    LEFT_OUT = (SP_ATTACH_MATRICES - SOME) * SP_ATTACH_MATRIX_B
};

/* A log of exactly its size, for the address sanitizer. */
static char *expand(const uint8_t *data, size_t size, size_t *n)
{
    *n = size > SHORT ? size + LEFT_OUT : size;
    char *log = calloc(1, *n ? *n : 1);
    fuzz_require(log != NULL, "no memory");
    memcpy(log, data, size > SHORT ? SHORT : size);
    if (size > SHORT)
        memcpy(log + SHORT + LEFT_OUT, data + SHORT, size - SHORT);
    return log;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_capture c = {0};
    struct sp_error err = {0};
    size_t n;
    char *log = expand(data, size, &n);
    const enum sp_status status = sp_capture_add("fuzz", log, (int64_t)n, &c, &err);
    free(log);
    if (status != SP_OK)
        fuzz_require_refusal(status, &err);
    fuzz_require(c.n_processes == (status == SP_OK) && (status == SP_OK || c.n_products == 0), "half a log");
    for (int64_t i = 0; i < c.n_products; i++)
        check(&c, &c.product[i]);
    sp_capture_free(&c);
    return 0;
}
