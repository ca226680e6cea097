#include "io/matrix/matrix_market.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "io/files/archive.h"
#include "io/files/input_file.h"
#include "io/files/part_file.h"
#include "io/matrix/decimal.h"
#include "io/matrix/load_options.h"
#include "io/matrix/mtx_scan.h"
#include "sparse/csr/builder.h"
#include "sparse/csr/csr.h"
#include "sparse/csr/permute.h"

/* The data part of a Matrix Market file that lies in memory, cut into shares for threads; and the
 * places of faults in it. */

/* The last lines are copied to where bytes may be loaded beyond the end and where a final newline
 * can be added; all else stays where it is, and may change there (io/files/input_file.h): a line is
 * then cut where it may not be, or judged wrong, and no byte outside is read. */
struct mtx_text {
    const char *file;     /* borrowed */
    const char *body;     /* first data line, in the file */
    const char *main_end; /* what lies before this is scanned in place */
    char *tail;           /* owned: the lines from main_end on */
    int64_t n_tail;
    int n_shares;
    bool is_cut; /* the last line of the file has no line end */
};

/* Complete lines, each with its '\n'. */
struct mtx_piece {
    const char *begin, *end;
    int64_t offset; /* [B] of `begin` in the file */
};

static inline int64_t mtx_text_offset(const struct mtx_piece *piece, const char *p)
{
    return piece->offset + (p - piece->begin);
}

static enum sp_status mtx_text_open(struct mtx_text *x, const struct sp_mtx_header *h, const char *text,
                                    int64_t n, int n_shares, struct sp_error *err)
{
    memset(x, 0, sizeof *x);
    x->file = text;
    x->body = text + h->body_begin;
    x->n_shares = n_shares;
    int64_t safe = n - SP_MTX_PADDING - h->body_begin;
    const char *newline = safe > 0 ? memrchr(x->body, '\n', (size_t)safe) : NULL;
    x->main_end = newline ? newline + 1 : x->body;
    x->n_tail = text + n - x->main_end;
    void *p;
    enum sp_status status = sp_new_array(x->n_tail + 1 + SP_MTX_PADDING, 1, "the last lines", &p, err);
    if (status != SP_OK)
        return status;
    x->tail = p;
    memcpy(x->tail, x->main_end, (size_t)x->n_tail);
    x->is_cut = x->n_tail > 0 && x->tail[x->n_tail - 1] != '\n';
    if (x->is_cut)
        x->tail[x->n_tail++] = '\n';
    return SP_OK;
}

static void mtx_text_free(struct mtx_text *x)
{
    free(x->tail);
    memset(x, 0, sizeof *x);
}

/* The line beginning nearest behind share/n_shares of the main part. */
static const char *cut(const struct mtx_text *x, int share)
{
    int64_t n = x->main_end - x->body, at = n / x->n_shares * share;
    if (share == 0 || n == 0)
        return x->body;
    if (share == x->n_shares)
        return x->main_end;
    const char *newline = memchr(x->body + at, '\n', (size_t)(n - at));
    return newline ? newline + 1 : x->main_end; /* it ends with one, unless the file changed meanwhile */
}

/* Part 0 or 1 of a share; the pieces in the order of shares and parts are the data part. May be
 * empty. */
static struct mtx_piece mtx_text_piece(const struct mtx_text *x, int share, int part)
{
    if (part == 0) {
        const char *begin = cut(x, share);
        return (struct mtx_piece){begin, cut(x, share + 1), begin - x->file};
    }
    if (share < x->n_shares - 1)
        return (struct mtx_piece){x->tail, x->tail, 0};
    return (struct mtx_piece){x->tail, x->tail + x->n_tail, x->main_end - x->file};
}

/* SP_INPUT for the first fault of a file in which there is one. */
static enum sp_status mtx_text_fault(const struct mtx_text *x, const struct sp_mtx_header *h,
                                     struct sp_error *err)
{
    struct sp_mtx_judge judge = sp_mtx_judge_begin(h);
    enum sp_status status = sp_mtx_judge_lines(&judge, x->body, x->main_end, err);
    judge.is_cut = x->is_cut;
    if (status == SP_OK)
        status = sp_mtx_judge_lines(&judge, x->tail, x->tail + x->n_tail, err);
    if (status == SP_OK)
        status = sp_mtx_judge_end(&judge, err);
    return status == SP_OK ? sp_mtx_judge_disagrees(&judge, err) : status;
}

enum { SMALL_SHARE = 256 * 1024, POLL_EVERY = 16 };

/* All that the threads of one reading share. */
struct reading {
    const struct sp_mtx_header *h;
    const struct sp_load_options *options;
    struct mtx_text text;
    struct sp_csr_builder builder;
    int n_threads;
    struct thread_state *thread;  /* [n_threads] */
    _Atomic int64_t fault_offset; /* [B] of the first wrong line found so far, INT64_MAX: none */
    atomic_bool stop, interrupted, changed;
};

struct thread_state {
    struct sp_mtx_chunk chunk;
    void *memory;      /* of the chunk */
    int64_t n_entries; /* of this thread's share */
    int64_t first;     /* array files: index of the share's first value */
    bool lower, upper; /* an entry below, above the diagonal was met */
};

static int values_per_entry(const struct sp_mtx_header *h)
{
    return h->field == SP_FIELD_COMPLEX ? 2 : 1;
}

static enum sp_status make_threads(struct reading *r, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(r->n_threads, sizeof *r->thread, "the reader's threads", &p, err);
    r->thread = p;
    int per_entry = values_per_entry(r->h);
    for (int t = 0; status == SP_OK && t < r->n_threads; t++) {
        struct thread_state *s = &r->thread[t];
        status = sp_new_array(SP_MTX_CHUNK, sizeof(double) * (size_t)per_entry + 2 * sizeof(int32_t),
                              "the reader's buffer", &s->memory, err);
        s->chunk.val = s->memory;
        s->chunk.row = status == SP_OK ? (int32_t *)(s->chunk.val + SP_MTX_CHUNK * per_entry) : NULL;
        s->chunk.col = status == SP_OK ? s->chunk.row + SP_MTX_CHUNK : NULL;
    }
    return status;
}

static void free_reading(struct reading *r)
{
    for (int t = 0; r->thread && t < r->n_threads; t++)
        free(r->thread[t].memory);
    free(r->thread);
    sp_csr_builder_free(&r->builder);
    mtx_text_free(&r->text);
}

static void note_fault(struct reading *r, int64_t offset)
{
    int64_t known = atomic_load(&r->fault_offset);
    while (offset < known && !atomic_compare_exchange_weak(&r->fault_offset, &known, offset))
        ;
}

/* Thread 0 speaks for all: progress in its own share stands for the whole. */
static void poll(struct reading *r, double fraction)
{
    const struct sp_load_options *o = r->options;
    if (o->progress)
        o->progress(o->context, fraction);
    if (o->interrupted && o->interrupted(o->context)) {
        r->interrupted = true;
        atomic_store(&r->stop, true);
    }
}

static void note_triangles(struct thread_state *s)
{
    int lower = 0, upper = 0;
    for (int64_t k = 0; k < s->chunk.n; k++) {
        lower |= s->chunk.row[k] > s->chunk.col[k];
        upper |= s->chunk.row[k] < s->chunk.col[k];
    }
    s->lower |= lower;
    s->upper |= upper;
}

/* One pass of thread t over its share: counts (place false) or places. */
static void pass(struct reading *r, int t, bool place)
{
    const struct sp_mtx_header *h = r->h;
    struct thread_state *s = &r->thread[t];
    const bool array = h->format == SP_MTX_ARRAY;
    const enum sp_mtx_take take = place                       ? SP_MTX_ENTRIES
                                  : h->symmetry == SP_GENERAL ? SP_MTX_ROWS
                                                              : SP_MTX_INDICES;
    s->n_entries = 0;
    for (int part = 0; part < 2; part++) {
        struct mtx_piece piece = mtx_text_piece(&r->text, t, part);
        const char *p = piece.begin;
        for (int64_t n_chunks = 0; p < piece.end && !atomic_load_explicit(&r->stop, memory_order_relaxed);
             n_chunks++) {
            if (t == 0 && part == 0 && n_chunks % POLL_EVERY == 0)
                poll(r, (place ? 0.4 : 0) + (place ? 0.6 : 0.4) * (double)(p - piece.begin) /
                                                (double)(piece.end - piece.begin));
            bool fault;
            const char *next = array ? sp_mtx_scan_array(h, p, piece.end, &s->chunk, &fault)
                                     : sp_mtx_scan(h, take, p, piece.end, &s->chunk, &fault);
            if (array && s->first + s->n_entries + s->chunk.n > h->n_entries) {
                r->changed = true; /* more lines than were counted */
                atomic_store(&r->stop, true);
                return;
            }
            if (array)
                sp_mtx_number_array(h, s->first + s->n_entries, &s->chunk);
            s->n_entries += s->chunk.n;
            if (!place) {
                if (h->symmetry != SP_GENERAL)
                    note_triangles(s);
                sp_csr_builder_count(&r->builder, t, s->chunk.n, s->chunk.row, s->chunk.col);
            } else if (!sp_csr_builder_place(&r->builder, t, s->chunk.n, s->chunk.row, s->chunk.col,
                                             h->field == SP_FIELD_PATTERN ? NULL : s->chunk.val)) {
                r->changed = true;
                atomic_store(&r->stop, true);
            }
            if (fault) {
                note_fault(r, mtx_text_offset(&piece, next));
                return;
            }
            p = next;
            if (mtx_text_offset(&piece, p) > atomic_load_explicit(&r->fault_offset, memory_order_relaxed))
                return;
        }
    }
}

static enum sp_status run_pass(struct reading *r, bool place, struct sp_error *err)
{
#pragma omp parallel for schedule(static, 1) num_threads(r->n_threads)
    for (int t = 0; t < r->n_threads; t++)
        pass(r, t, place);
    if (r->interrupted)
        return sp_fail(err, SP_INTERRUPTED, NULL, "reading %s was interrupted", r->h->path);
    if (atomic_load(&r->fault_offset) != INT64_MAX)
        return mtx_text_fault(&r->text, r->h, err);
    if (r->changed)
        return sp_fail_at(err, SP_INPUT, r->h->path, 0, 0, "try again when it is complete",
                          "the file changed while it was read");
    return SP_OK;
}

/* Array files: the values of each share, so that each thread knows where it begins. */
static void count_array_lines(struct reading *r)
{
#pragma omp parallel for schedule(static, 1) num_threads(r->n_threads)
    for (int t = 0; t < r->n_threads; t++)
        for (int part = 0; part < 2; part++) {
            struct mtx_piece piece = mtx_text_piece(&r->text, t, part);
            r->thread[t].n_entries += sp_mtx_count_lines(piece.begin, piece.end);
        }
    int64_t first = 0;
    for (int t = 0; t < r->n_threads; t++) {
        r->thread[t].first = first;
        first += r->thread[t].n_entries;
    }
}

static enum sp_status check_number_of_entries(struct reading *r, struct sp_error *err)
{
    int64_t n = 0;
    for (int t = 0; t < r->n_threads; t++)
        n += r->thread[t].n_entries;
    return n == r->h->n_entries ? SP_OK : mtx_text_fault(&r->text, r->h, err);
}

static enum sp_status check_triangles(struct reading *r, struct sp_error *err)
{
    bool lower = false, upper = false;
    for (int t = 0; t < r->n_threads; t++) {
        lower |= r->thread[t].lower;
        upper |= r->thread[t].upper;
    }
    return lower && upper ? mtx_text_fault(&r->text, r->h, err) : SP_OK;
}

/* Threads that pay: enough text for each, and counters that stay small beside the matrix. */
static int choose_threads(const struct sp_mtx_header *h, int64_t n_bytes, int wanted)
{
    int64_t by_text = 1 + n_bytes / SMALL_SHARE;
    int n = wanted < 1 ? 1 : wanted > by_text ? (int)by_text : wanted;
    double allowed = 0.5 * sp_csr_bytes(h->n_r, h->n_entries, h->field);
    while (n > 1 && sp_csr_builder_bytes(h->n_r, n) > allowed)
        n--;
    return n;
}

/* Before much is allocated: can the text hold what the size line declares? Smaller errors are found
 * on the way. */
static enum sp_status check_declared(const struct reading *r, int64_t n, struct sp_error *err)
{
    const struct sp_mtx_header *h = r->h;
    return h->n_entries < 1 << 20 || sp_mtx_header_can_hold(h, n) ? SP_OK : mtx_text_fault(&r->text, h, err);
}

static enum sp_status read_body(struct reading *r, struct sp_csr *matrix, struct sp_load_facts *facts,
                                struct sp_error *err)
{
    const struct sp_mtx_header *h = r->h;
    const struct sp_load_options *o = r->options;
    double work = sp_csr_builder_bytes(h->n_r, r->n_threads);
    struct sp_load_size size = {h->n_r, h->n_c, h->n_entries, h->field, false};
    double least = work + sp_csr_bytes(h->n_r, h->n_entries, h->field);
    enum sp_status status = sp_load_check_memory(h->path, o, &size, least, "the matrix", err);
    if (status == SP_OK)
        status = make_threads(r, err);
    if (status != SP_OK)
        return status;
    double start = sp_now();
    if (h->format == SP_MTX_ARRAY) {
        count_array_lines(r);
        status = check_number_of_entries(r, err);
    }
    if (status == SP_OK)
        status = sp_csr_builder_open(&r->builder, h->n_r, h->n_c, h->field, h->symmetry, r->n_threads,
                                     o->allocator, err);
    if (status == SP_OK)
        status = run_pass(r, false, err);
    if (status == SP_OK)
        status = check_number_of_entries(r, err);
    if (status == SP_OK)
        status = check_triangles(r, err);
    if (status != SP_OK)
        return status;
    int64_t n_nz = sp_csr_builder_total(&r->builder);
    facts->peak_B = work + sp_csr_bytes(h->n_r, n_nz, h->field);
    facts->survey_s = sp_now() - start;
    size.n_nz = n_nz;
    status =
        sp_load_check_memory(h->path, o, &size, facts->peak_B, "the matrix with its symmetry expanded", err);
    if (status == SP_OK)
        status = sp_csr_builder_seal(&r->builder, err);
    if (status != SP_OK)
        return status;
    start = sp_now();
    status = run_pass(r, true, err);
    facts->parse_s = sp_now() - start;
    if (status != SP_OK)
        return status;
    start = sp_now();
    status = sp_csr_builder_finish(&r->builder, matrix, err);
    facts->finish_s = sp_now() - start;
    return status;
}

void sp_mtx_describe(const struct sp_mtx_header *h, int n_threads, const struct sp_csr *matrix,
                     struct sp_load_facts *facts)
{
    snprintf(facts->format, sizeof facts->format, "Matrix Market %s %s %s",
             h->format == SP_MTX_ARRAY ? "array" : "coordinate", sp_field_name(h->field),
             sp_symmetry_name(h->symmetry));
    facts->n_entries = h->n_entries;
    facts->n_threads = n_threads;
    facts->n_duplicates = matrix->n_duplicates;
    facts->n_zeros = matrix->n_zeros;
}

enum sp_status sp_mtx_read_text(const char *path, const char *text, int64_t n,
                                const struct sp_load_options *options, struct sp_csr *matrix,
                                struct sp_load_facts *facts, struct sp_error *err)
{
    memset(matrix, 0, sizeof *matrix);
    struct sp_mtx_header h;
    enum sp_status status = sp_mtx_header_read(path, text, n, &h, err);
    if (status != SP_OK)
        return status;
    struct reading r = {.h = &h, .options = options};
    atomic_init(&r.fault_offset, INT64_MAX);
    atomic_init(&r.stop, false);
    r.n_threads = choose_threads(&h, n - h.body_begin, options->n_threads);
    status = mtx_text_open(&r.text, &h, text, n, r.n_threads, err);
    if (status == SP_OK)
        status = check_declared(&r, n, err);
    if (status == SP_OK)
        status = read_body(&r, matrix, facts, err);
    free_reading(&r);
    if (status != SP_OK)
        return status;
    facts->text_B = (double)n;
    sp_mtx_describe(&h, r.n_threads, matrix, facts);
    return SP_OK;
}

/* Entries that a thread formats at a time, and the longest line: two indices, two numbers, blanks,
 * newline. */
enum { SHARE = 1 << 16, LONGEST_LINE = 2 * 11 + 2 * (SP_DECIMAL_MAX + 1) };

struct writing {
    const struct sp_csr *a;
    enum sp_field field;       /* that the file says */
    enum sp_symmetry symmetry; /* likewise: general, or that of the matrix where it holds */
    int n_threads;
    char **buffer;  /* [n_threads] */
    size_t *length; /* [n_threads] */
    struct sp_atomic_file file;
    struct sp_archive_writer *compressor; /* NULL: plain */
};

static bool is_written(const struct writing *w, int64_t row, int32_t col)
{
    return w->symmetry == SP_GENERAL || col <= row;
}

static int64_t count_lines(const struct writing *w)
{
    const struct sp_csr *a = w->a;
    if (w->symmetry == SP_GENERAL)
        return a->n_nz;
    int64_t n = 0;
#pragma omp parallel for schedule(static) reduction(+ : n) num_threads(w->n_threads)
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            n += a->col[k] <= i;
    return n;
}

static int64_t row_of_entry(const struct sp_csr *a, int64_t k)
{
    int64_t low = 0, high = a->n_r;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (a->row_ptr[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Integers are doubles inside; the largest of 64 bits was rounded up to what is none any more. */
static int put_integer(double v, char *t)
{
    if (fabs(v) < 0x1p63)
        return sp_decimal_write_count((int64_t)v, t);
    if (fabs(v) == 0x1p63)
        return sp_decimal_write_count(v < 0 ? INT64_MIN : INT64_MAX, t);
    return sp_decimal_write(v, t);
}

static char *put_value(char *t, enum sp_field field, const double *v)
{
    int n_values = field == SP_FIELD_PATTERN ? 0 : field == SP_FIELD_COMPLEX ? 2 : 1;
    for (int i = 0; i < n_values; i++) {
        *t++ = ' ';
        t += field == SP_FIELD_INTEGER ? put_integer(v[i], t) : sp_decimal_write(v[i], t);
    }
    return t;
}

/* Entries begin .. end as lines; returns the length. */
static size_t format(const struct writing *w, int64_t begin, int64_t end, char *text)
{
    const struct sp_csr *a = w->a;
    const int per_entry = sp_csr_is_complex(a) ? 2 : 1;
    char *t = text;
    int64_t row = begin < end ? row_of_entry(a, begin) : 0;
    for (int64_t k = begin; k < end; k++) {
        while (k >= a->row_ptr[row + 1])
            row++;
        if (!is_written(w, row, a->col[k]))
            continue;
        t += sp_decimal_write_count(row + 1, t);
        *t++ = ' ';
        t += sp_decimal_write_count((int64_t)a->col[k] + 1, t);
        t = put_value(t, w->field, a->val + k * per_entry);
        *t++ = '\n';
    }
    return (size_t)(t - text);
}

static enum sp_status put(struct writing *w, const char *text, size_t n, struct sp_error *err)
{
    if (w->compressor)
        return sp_archive_writer_put(w->compressor, text, n, err);
    if (n > 0 && fwrite(text, n, 1, w->file.stream) != 1)
        return sp_fail_output(err, w->file.path, "write the file", errno);
    return SP_OK;
}

static enum sp_status put_header(struct writing *w, struct sp_error *err)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate %s %s\n%lld %lld %lld\n",
                     sp_field_name(w->field), sp_symmetry_name(w->symmetry), (long long)w->a->n_r,
                     (long long)w->a->n_c, (long long)count_lines(w));
    return put(w, text, (size_t)n, err);
}

static enum sp_status put_entries(struct writing *w, const struct sp_mtx_write_options *o,
                                  struct sp_error *err)
{
    const int64_t n_nz = w->a->n_nz;
    enum sp_status status = SP_OK;
    for (int64_t done = 0; done < n_nz && status == SP_OK; done += (int64_t)SHARE * w->n_threads) {
        if (o->progress)
            o->progress(o->context, (double)done / (double)n_nz);
        if (o->interrupted && o->interrupted(o->context))
            return sp_fail(err, SP_INTERRUPTED, NULL, "writing was interrupted");
#pragma omp parallel for schedule(static, 1) num_threads(w->n_threads)
        for (int t = 0; t < w->n_threads; t++) {
            int64_t begin = done + (int64_t)t * SHARE, end = begin + SHARE;
            w->length[t] = format(w, begin < n_nz ? begin : n_nz, end < n_nz ? end : n_nz, w->buffer[t]);
        }
        for (int t = 0; t < w->n_threads && status == SP_OK; t++)
            status = put(w, w->buffer[t], w->length[t], err);
    }
    return status;
}

static enum sp_status take_buffers(struct writing *w, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(w->n_threads, sizeof *w->buffer, "the writer's buffers", &p, err);
    w->buffer = p;
    if (status == SP_OK)
        status = sp_new_array(w->n_threads, sizeof *w->length, "the writer's buffers", &p, err);
    w->length = status == SP_OK ? p : NULL;
    for (int t = 0; t < w->n_threads && status == SP_OK; t++) {
        status = sp_new_array((int64_t)SHARE * LONGEST_LINE, 1, "the writer's buffers", &p, err);
        w->buffer[t] = p;
    }
    return status;
}

enum sp_status sp_mtx_write(const char *path, const struct sp_csr *a,
                            const struct sp_mtx_write_options *options, struct sp_error *err)
{
    bool holds;
    enum sp_status status = sp_csr_symmetry_holds(a, &holds, err);
    if (status != SP_OK)
        return status;
    struct writing w = {.a = a, .n_threads = options->n_threads < 1 ? 1 : options->n_threads};
    w.field = sp_csr_plainest_field(a);
    w.symmetry =
        holds && !options->general && !(w.field == SP_FIELD_PATTERN && a->symmetry == SP_SKEW_SYMMETRIC)
            ? a->symmetry
            : SP_GENERAL;
    status = sp_atomic_open(path, &w.file, err);
    if (status == SP_OK && options->compression)
        status = sp_archive_writer_open(w.file.stream, path, options->compression, w.n_threads, &w.compressor,
                                        err);
    if (status == SP_OK)
        status = take_buffers(&w, err);
    if (status == SP_OK)
        status = put_header(&w, err);
    if (status == SP_OK)
        status = put_entries(&w, options, err);
    if (w.compressor) {
        enum sp_status closed = sp_archive_writer_close(w.compressor, status == SP_OK ? err : NULL);
        status = status == SP_OK ? closed : status;
    }
    if (status == SP_OK)
        status = sp_atomic_commit(&w.file, err);
    else
        sp_atomic_abort(&w.file);
    for (int t = 0; w.buffer && t < w.n_threads; t++)
        free(w.buffer[t]);
    free(w.buffer);
    free(w.length);
    return status;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* One number, two of a complex one, and nothing else. */
static bool is_value(const struct sp_array_item *item, enum sp_field field)
{
    const char *p = item->text, *end = item->text + item->length;
    for (int parts = field == SP_FIELD_COMPLEX ? 2 : 1; parts > 0; parts--) {
        double value;
        bool overflow;
        while (p < end && is_blank(*p))
            p++;
        p = p < end ? sp_decimal_read(p, end, &value, &overflow) : NULL;
        if (!p || (p < end && !is_blank(*p)))
            return false;
    }
    return p == end;
}

/* The next line with something in it from *at on; false at the end. */
static bool next_item(const struct sp_array_text *a, int64_t *at, int64_t *line, struct sp_array_item *item)
{
    const int64_t n = (int64_t)a->n;
    while (*at < n) {
        const char *begin = a->bytes + *at, *newline = memchr(begin, '\n', (size_t)(n - *at));
        const char *end = newline ? newline : a->bytes + n;
        *at = end - a->bytes + 1;
        *item = (struct sp_array_item){.line = (*line)++};
        while (begin < end && is_blank(*begin))
            begin++;
        while (end > begin && is_blank(end[-1]))
            end--;
        item->text = begin;
        item->length = end - begin;
        if (item->length > 0 && *begin != '%')
            return true;
    }
    return false;
}

static enum sp_status read_items(const char *path, const struct sp_mtx_header *h, struct sp_array_text *a,
                                 struct sp_error *err)
{
    int64_t at = h->body_begin, line = h->body_line;
    struct sp_array_item item;
    for (int64_t i = 0; i < h->n_entries; i++) {
        if (!next_item(a, &at, &line, &item))
            return sp_fail_at(err, SP_INPUT, path, h->size_line, 0, "is the file complete?",
                              "the sizes say %lld values, the file has %lld", (long long)h->n_entries,
                              (long long)i);
        if (!is_value(&item, h->field))
            return sp_fail_at(err, SP_INPUT, path, item.line, 0, NULL, "this is no %s number",
                              sp_field_name(h->field));
        a->item[i] = item;
    }
    if (next_item(a, &at, &line, &item))
        return sp_fail_at(err, SP_INPUT, path, item.line, 0, NULL,
                          "there are more values than the %lld of the sizes", (long long)h->n_entries);
    return SP_OK;
}

enum sp_status sp_array_text_read(const char *path, struct sp_array_text *a, struct sp_error *err)
{
    static const char remedy[] =
        "a vector is a file '%%MatrixMarket matrix array real general' with one number a line";
    struct sp_mtx_header h;
    void *p;
    memset(a, 0, sizeof *a);
    enum sp_status status = sp_input_bytes(path, SP_INPUT_MOST_B, &a->bytes, &a->n, err);
    if (status == SP_OK)
        status = sp_mtx_header_read(path, a->bytes, (int64_t)a->n, &h, err);
    if (status == SP_OK && (h.format != SP_MTX_ARRAY || h.symmetry != SP_GENERAL))
        status = sp_fail_at(err, SP_INPUT, path, 1, 0, remedy, "this is a matrix, not a vector");
    if (status == SP_OK)
        status = sp_new_array(h.n_entries, sizeof *a->item, "the values of a vector", &p, err);
    if (status == SP_OK) {
        a->item = p;
        a->field = h.field;
        a->n_r = h.n_r;
        a->n_c = h.n_c;
        status = read_items(path, &h, a, err);
    }
    if (status != SP_OK)
        sp_array_text_free(a);
    return status;
}

void sp_array_text_free(struct sp_array_text *a)
{
    free(a->item);
    free(a->bytes);
    memset(a, 0, sizeof *a);
}

enum sp_status sp_array_text_write(const char *path, const struct sp_array_text *a, const int32_t *from,
                                   bool inverse, const char *comment, struct sp_error *err)
{
    void *p = NULL;
    struct sp_atomic_file file;
    enum sp_status status = sp_new_array(a->n_r, sizeof *from, "a permutation", &p, err);
    if (status == SP_OK)
        status = sp_atomic_open(path, &file, err);
    if (status == SP_OK) {
        int32_t *inverted = p;
        if (inverse)
            sp_permutation_invert(from, a->n_r, inverted);
        const int32_t *source = inverse ? inverted : from;
        fprintf(file.stream, "%%%%MatrixMarket matrix array %s general\n%% %s\n%lld %lld\n",
                sp_field_name(a->field), comment, (long long)a->n_r, (long long)a->n_c);
        for (int64_t k = 0; k < a->n_c; k++)
            for (int64_t i = 0; i < a->n_r; i++) {
                const struct sp_array_item *item = &a->item[k * a->n_r + source[i]];
                fwrite(item->text, 1, (size_t)item->length, file.stream);
                putc('\n', file.stream);
            }
        status = sp_atomic_commit(&file, err);
    }
    free(p);
    return status;
}

/* ---- permutations ---- */

static enum sp_status read_number(const char *path, const struct sp_array_item *item, int64_t n,
                                  int32_t *number, struct sp_error *err)
{
    double value = 0;
    bool overflow;
    sp_decimal_read(item->text, item->text + item->length, &value, &overflow);
    if (!(value >= 1 && value <= (double)n) || value != (double)(int64_t)value)
        return sp_fail_at(err, SP_INPUT, path, item->line, 0, "a permutation names every row exactly once",
                          "%.*s is no row: they are numbered from 1 to %lld", (int)item->length, item->text,
                          (long long)n);
    *number = (int32_t)((int64_t)value - 1);
    return SP_OK;
}

enum sp_status sp_permutation_read(const char *path, int32_t **perm, int64_t *n, struct sp_error *err)
{
    struct sp_array_text a;
    void *p = NULL;
    *perm = NULL;
    *n = 0;
    enum sp_status status = sp_array_text_read(path, &a, err);
    if (status != SP_OK)
        return status;
    if (a.n_c != 1 || a.field == SP_FIELD_COMPLEX || a.n_r > SP_MAX_DIMENSION)
        status = sp_fail_at(err, SP_INPUT, path, 1, 0, "it is an array of one column of whole numbers",
                            "this is no permutation");
    if (status == SP_OK)
        status = sp_new_array(a.n_r, sizeof **perm, "a permutation", &p, err);
    int32_t *number = p;
    for (int64_t i = 0; i < a.n_r && status == SP_OK; i++)
        status = read_number(path, &a.item[i], a.n_r, &number[i], err);
    if (status == SP_OK && sp_permutation_check(number, a.n_r, err) != SP_OK)
        status = sp_fail_at(err, SP_INPUT, path, 0, 0, "a permutation names every row exactly once",
                            "this is no permutation: a number stands in it twice");
    if (status == SP_OK) {
        *perm = number;
        *n = a.n_r;
    } else {
        free(number);
    }
    sp_array_text_free(&a);
    return status;
}

enum sp_status sp_permutation_write(const char *path, const int32_t *perm, int64_t n, const char *comment,
                                    struct sp_error *err)
{
    struct sp_atomic_file file;
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    fprintf(file.stream, "%%%%MatrixMarket matrix array integer general\n%% %s\n%lld 1\n", comment,
            (long long)n);
    for (int64_t i = 0; i < n; i++)
        fprintf(file.stream, "%ld\n", (long)(perm ? perm[i] : i) + 1);
    return sp_atomic_commit(&file, err);
}
