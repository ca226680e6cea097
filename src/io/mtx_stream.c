#include "io/mtx_stream.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "io/matrix_market.h"
#include "io/mtx_scan.h"
#include "sparse/csr_builder.h"

enum { BLOCK = 4 << 20 };

/* Entries of one block of text, in the order of the file. */
struct entries {
    int32_t *row, *col; /* NULL for array files */
    double *val;        /* NULL for patterns */
    int64_t n, capacity;
    int64_t first_line;
};

struct slot {
    char *text; /* [BLOCK + 1 + SP_MTX_PADDING] */
    int64_t begin, end;
    int64_t first_line, n_lines;
    int64_t number; /* of the block */
    enum { SLOT_FREE, SLOT_FULL, SLOT_BUSY } state;
};

struct stream {
    const struct sp_mtx_header *h;
    const struct sp_load_options *options;
    pthread_mutex_t lock;
    pthread_cond_t freed, filled;
    struct slot *slot; /* [n_slots] */
    int n_slots;
    struct entries *block; /* [n_blocks], capacity max_blocks; grows under the lock */
    int64_t n_blocks, max_blocks;
    int64_t n_entries; /* seen so far */
    int triangle;      /* of the first entry off the diagonal: 1 lower, -1 upper, 0 none yet */
    bool done, stop;
    int64_t failed_block; /* the fault of the earliest block counts */
    enum sp_status status;
    struct sp_error err;
};

static int values_per_entry(const struct sp_mtx_header *h)
{
    return h->field == SP_FIELD_PATTERN ? 0 : h->field == SP_FIELD_COMPLEX ? 2 : 1;
}

static void free_entries(const struct stream *s, struct entries *e)
{
    sp_large_free(s->options->allocator, e->row, e->capacity, sizeof *e->row);
    sp_large_free(s->options->allocator, e->col, e->capacity, sizeof *e->col);
    sp_large_free(s->options->allocator, e->val, e->capacity * values_per_entry(s->h), sizeof *e->val);
    memset(e, 0, sizeof *e);
}

static enum sp_status alloc_entries(const struct stream *s, int64_t capacity, struct entries *e,
                                    struct sp_error *err)
{
    void *p = NULL;
    enum sp_status status = SP_OK;
    memset(e, 0, sizeof *e);
    e->capacity = capacity;
    if (s->h->format == SP_MTX_COORDINATE) {
        status = sp_large_alloc(s->options->allocator, capacity, sizeof *e->row, "entries", &p, err);
        e->row = p;
        if (status == SP_OK)
            status = sp_large_alloc(s->options->allocator, capacity, sizeof *e->col, "entries", &p, err);
        e->col = status == SP_OK ? p : NULL;
    }
    if (status == SP_OK)
        status = sp_large_alloc(s->options->allocator, capacity * values_per_entry(s->h), sizeof *e->val,
                                "entries", &p, err);
    e->val = status == SP_OK ? p : NULL;
    return status;
}

static void fail_block(struct stream *s, int64_t number, enum sp_status status, const struct sp_error *err)
{
    pthread_mutex_lock(&s->lock);
    if (s->status == SP_OK || number < s->failed_block) {
        s->status = status;
        s->failed_block = number;
        s->err = *err;
    }
    s->stop = true;
    pthread_cond_broadcast(&s->filled);
    pthread_cond_broadcast(&s->freed);
    pthread_mutex_unlock(&s->lock);
}

/* Names the first wrong line of a block: one that is no entry, or lies in the triangle that is not
 * `triangle`. */
static enum sp_status name_fault(const struct stream *s, const struct slot *slot, int triangle,
                                 struct sp_error *err)
{
    int64_t line = slot->first_line;
    const char *end = slot->text + slot->end;
    for (const char *p = slot->text + slot->begin; p < end; line++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        struct sp_mtx_entry e = {0};
        enum sp_mtx_kind kind = sp_mtx_line(s->h, p, newline, line, &e, err);
        if (kind == SP_MTX_FAULT)
            return SP_INPUT;
        int side = (e.row > e.col) - (e.row < e.col);
        if (kind == SP_MTX_ENTRY && triangle != 0 && side == -triangle)
            return sp_fail_at(
                err, SP_INPUT, s->h->path, line, 1,
                "remove the entries of one triangle, or say general in the banner",
                "this entry lies %s the diagonal, earlier ones %s it: a %s file gives one triangle",
                side > 0 ? "below" : "above", side > 0 ? "above" : "below", sp_symmetry_name(s->h->symmetry));
        p = newline + 1;
    }
    return sp_fail_at(err, SP_BUG, s->h->path, slot->first_line, 0, "report this with the file",
                      "the reader stopped in a block where nothing is wrong");
}

/* Which side of the diagonal the entries lie on: bit 0 below, bit 1 above. */
static int sides(const struct entries *e)
{
    int lower = 0, upper = 0;
    for (int64_t k = 0; k < e->n; k++) {
        lower |= e->row[k] > e->col[k]; // NOLINT(clang-analyzer-core.NullDereference): n > 0 has arrays
        upper |= e->row[k] < e->col[k];
    }
    return lower | upper << 1;
}

/* One block of text into entries. */
static enum sp_status parse(struct stream *s, const struct slot *slot, struct entries *e,
                            struct sp_error *err)
{
    const struct sp_mtx_header *h = s->h;
    pthread_mutex_lock(&s->lock);
    enum sp_status status = alloc_entries(s, slot->n_lines, e, err);
    pthread_mutex_unlock(&s->lock);
    const char *p = slot->text + slot->begin, *end = slot->text + slot->end;
    while (status == SP_OK && p < end) {
        bool fault;
        struct sp_mtx_chunk chunk = {e->row + e->n, e->col + e->n, e->val + e->n * values_per_entry(h), 0};
        p = h->format == SP_MTX_ARRAY ? sp_mtx_scan_array(h, p, end, &chunk, &fault)
                                      : sp_mtx_scan(h, SP_MTX_ENTRIES, p, end, &chunk, &fault);
        e->n += chunk.n;
        if (fault)
            status = name_fault(s, slot, 0, err);
    }
    e->first_line = slot->first_line;
    if (status != SP_OK || h->symmetry == SP_GENERAL || h->format == SP_MTX_ARRAY)
        return status;
    int met = sides(e);
    pthread_mutex_lock(&s->lock);
    if (s->triangle == 0 && met != 0)
        s->triangle = met & 1 ? 1 : -1;
    int triangle = s->triangle;
    pthread_mutex_unlock(&s->lock);
    if ((met & 2 && triangle > 0) || (met & 1 && triangle < 0))
        return name_fault(s, slot, triangle, err);
    return SP_OK;
}

static struct slot *wait_for_full_slot(struct stream *s)
{
    for (;;) {
        struct slot *first = NULL;
        for (int i = 0; i < s->n_slots; i++)
            if (s->slot[i].state == SLOT_FULL && (!first || s->slot[i].number < first->number))
                first = &s->slot[i];
        if (first || s->stop || s->done)
            return s->stop ? NULL : first;
        pthread_cond_wait(&s->filled, &s->lock);
    }
}

static void *parse_blocks(void *context)
{
    struct stream *s = context;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        struct slot *slot = wait_for_full_slot(s);
        if (slot)
            slot->state = SLOT_BUSY;
        pthread_mutex_unlock(&s->lock);
        if (!slot)
            return NULL;
        struct entries e;
        struct sp_error err;
        enum sp_status status = parse(s, slot, &e, &err);
        int64_t number = slot->number;
        pthread_mutex_lock(&s->lock);
        s->block[number] = e;
        s->n_entries += e.n;
        bool too_many = s->n_entries > s->h->n_entries;
        slot->state = SLOT_FREE;
        pthread_cond_signal(&s->freed);
        pthread_mutex_unlock(&s->lock);
        if (status == SP_OK && too_many)
            status = sp_fail_at(&err, SP_INPUT, s->h->path, e.first_line, 0,
                                "correct the size line, or remove what is too much",
                                "at or after this line there are more than the %lld entries that line %lld "
                                "announces",
                                (long long)s->h->n_entries, (long long)s->h->size_line);
        if (status != SP_OK)
            fail_block(s, number, status, &err);
    }
}

static struct slot *wait_for_free_slot(struct stream *s)
{
    pthread_mutex_lock(&s->lock);
    struct slot *found = NULL;
    while (!found && !s->stop) {
        for (int i = 0; i < s->n_slots && !found; i++)
            if (s->slot[i].state == SLOT_FREE)
                found = &s->slot[i];
        if (!found)
            pthread_cond_wait(&s->freed, &s->lock);
    }
    if (found)
        found->state = SLOT_BUSY; /* the caller's, until it is handed over */
    pthread_mutex_unlock(&s->lock);
    return found;
}

/* Room for the entries of one more block. */
static bool add_block(struct stream *s)
{
    if (s->n_blocks == s->max_blocks) {
        int64_t more = s->max_blocks ? 2 * s->max_blocks : 64;
        struct entries *grown = realloc(s->block, (size_t)more * sizeof *grown);
        if (!grown)
            return false;
        memset(grown + s->max_blocks, 0, (size_t)(more - s->max_blocks) * sizeof *grown);
        s->block = grown;
        s->max_blocks = more;
    }
    s->n_blocks++;
    return true;
}

static int64_t count_newlines(const char *p, const char *end)
{
    int64_t n = 0;
    while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL && ++n && ++p < end)
        ;
    return n;
}

static enum sp_status hand_over(struct stream *s, struct slot *slot, int64_t *line, struct sp_error *err)
{
    slot->first_line = *line;
    slot->n_lines = count_newlines(slot->text + slot->begin, slot->text + slot->end);
    *line += slot->n_lines;
    pthread_mutex_lock(&s->lock);
    bool ok = add_block(s);
    slot->number = s->n_blocks - 1;
    if (ok)
        slot->state = SLOT_FULL;
    pthread_cond_signal(&s->filled);
    pthread_mutex_unlock(&s->lock);
    return ok ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for the list of blocks");
}

/* Reads until the block is full or the input ends; *last: it has ended, and a final newline is there. */
static enum sp_status fill(struct sp_archive *archive, struct slot *slot, bool *last, struct sp_error *err)
{
    int64_t n = 1;
    while (slot->end < BLOCK && n > 0) {
        enum sp_status status = sp_archive_read(archive, slot->text + slot->end, BLOCK - slot->end, &n, err);
        if (status != SP_OK)
            return status;
        slot->end += n;
    }
    *last = n == 0;
    if (*last && slot->end > slot->begin && slot->text[slot->end - 1] != '\n')
        slot->text[slot->end++] = '\n';
    return SP_OK;
}

static bool interrupted(const struct stream *s)
{
    const struct sp_load_options *o = s->options;
    return o->interrupted && o->interrupted(o->context);
}

/* The calling thread's part: text into slots, cut at line ends. `slot` holds the first block, read already.
 */
static enum sp_status unpack(struct stream *s, struct sp_archive *archive, struct slot *slot, bool last,
                             int64_t *line, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    pthread_mutex_lock(&s->lock);
    slot->state = SLOT_BUSY;
    pthread_mutex_unlock(&s->lock);
    while (slot && status == SP_OK) {
        if (interrupted(s))
            return sp_fail(err, SP_INTERRUPTED, NULL, "reading %s was interrupted", s->h->path);
        if (s->options->progress)
            s->options->progress(s->options->context,
                                 0.8 * (double)s->n_entries / (double)(s->h->n_entries + 1));
        const char *newline = slot->end > slot->begin
                                  ? memrchr(slot->text + slot->begin, '\n', (size_t)(slot->end - slot->begin))
                                  : NULL;
        if (!newline && !last)
            return sp_fail_at(err, SP_INPUT, s->h->path, *line, 0, "is this a Matrix Market file?",
                              "a line is longer than %d bytes", BLOCK);
        if (!newline)
            return SP_OK;
        int64_t rest = slot->text + slot->end - (newline + 1);
        slot->end -= rest;
        struct slot *next = last ? NULL : wait_for_free_slot(s);
        if (next) {
            memcpy(next->text, slot->text + slot->end, (size_t)rest);
            next->begin = 0;
            next->end = rest;
        }
        status = hand_over(s, slot, line, err);
        slot = next;
        if (slot && status == SP_OK)
            status = fill(archive, slot, &last, err);
    }
    return status;
}

/* Blocks of thread t of n: a contiguous share. */
static void blocks_of(const struct stream *s, int t, int n, int64_t *begin, int64_t *end)
{
    *begin = s->n_blocks * t / n;
    *end = s->n_blocks * (t + 1) / n;
}

/* One block to the builder, chunk by chunk where an array file still needs its indices. */
static bool give(const struct stream *s, struct sp_csr_builder *b, int t, const struct entries *e,
                 int64_t first, bool place)
{
    const int per_entry = values_per_entry(s->h);
    if (s->h->format == SP_MTX_COORDINATE) {
        if (place)
            return sp_csr_builder_place(b, t, e->n, e->row, e->col, per_entry ? e->val : NULL);
        sp_csr_builder_count(b, t, e->n, e->row, e->col);
        return true;
    }
    int32_t row[SP_MTX_CHUNK], col[SP_MTX_CHUNK];
    bool ok = true;
    for (int64_t k = 0; k < e->n && ok; k += SP_MTX_CHUNK) {
        struct sp_mtx_chunk chunk = {row, col, e->val + k * per_entry,
                                     e->n - k < SP_MTX_CHUNK ? e->n - k : SP_MTX_CHUNK};
        sp_mtx_number_array(s->h, first + k, &chunk);
        if (place)
            ok = sp_csr_builder_place(b, t, chunk.n, row, col, chunk.val);
        else
            sp_csr_builder_count(b, t, chunk.n, row, col);
    }
    return ok;
}

static bool give_all(struct stream *s, struct sp_csr_builder *b, int n_threads, bool place)
{
    bool ok = true;
#pragma omp parallel for schedule(static, 1) num_threads(n_threads) reduction(&& : ok)
    for (int t = 0; t < n_threads; t++) {
        int64_t begin, end, first = 0;
        blocks_of(s, t, n_threads, &begin, &end);
        for (int64_t k = 0; k < begin; k++)
            first += s->block[k].n;
        for (int64_t k = begin; k < end && ok; k++) {
            int64_t n = s->block[k].n;
            ok = give(s, b, t, &s->block[k], first, place);
            first += n;
            if (place) {
                pthread_mutex_lock(&s->lock);
                free_entries(s, &s->block[k]); /* what is placed makes room for what is touched */
                pthread_mutex_unlock(&s->lock);
            }
        }
    }
    return ok;
}

static enum sp_status convert(struct stream *s, struct sp_csr *matrix, struct sp_load_facts *facts,
                              struct sp_error *err)
{
    const struct sp_mtx_header *h = s->h;
    int n_threads = s->options->n_threads < 1 ? 1 : s->options->n_threads;
    double allowed = 0.5 * sp_csr_bytes(h->n_r, h->n_entries, h->field);
    while (n_threads > 1 && (n_threads > s->n_blocks || sp_csr_builder_bytes(h->n_r, n_threads) > allowed))
        n_threads--;
    struct sp_csr_builder b;
    enum sp_status status =
        sp_csr_builder_open(&b, h->n_r, h->n_c, h->field, h->symmetry, n_threads, s->options->allocator, err);
    if (status == SP_OK) {
        give_all(s, &b, n_threads, false);
        facts->peak_B = (double)h->n_entries * (8 + 8 * values_per_entry(h)) +
                        sp_csr_builder_bytes(h->n_r, n_threads) +
                        sp_csr_bytes(h->n_r, sp_csr_builder_total(&b), h->field);
        status = sp_load_check_memory(h->path, s->options, facts->peak_B,
                                      "the matrix with its symmetry expanded, beside its entries", err);
    }
    if (status == SP_OK)
        status = sp_csr_builder_seal(&b, err);
    if (status == SP_OK && !give_all(s, &b, n_threads, true))
        status = sp_fail(err, SP_BUG, "report this", "more entries in a row than were counted");
    if (status == SP_OK) {
        facts->touch_s = b.touch_s;
        status = sp_csr_builder_finish(&b, matrix, err);
    }
    sp_csr_builder_free(&b);
    return status;
}

static enum sp_status read_blocks(struct stream *s, struct sp_archive *archive, bool last, int n_parsers,
                                  struct sp_error *err)
{
    pthread_t parser[64];
    int n_started = 0;
    int64_t line = s->h->body_line;
    enum sp_status status = SP_OK;
    for (; n_started < n_parsers && n_started < 64; n_started++)
        if (pthread_create(&parser[n_started], NULL, parse_blocks, s) != 0)
            break;
    if (n_started == 0)
        status = sp_fail(err, SP_ABSENT, "raise the limit of processes (ulimit -u)", "cannot start a thread");
    if (status == SP_OK)
        status = unpack(s, archive, &s->slot[0], last, &line, err);
    pthread_mutex_lock(&s->lock);
    s->done = true;
    s->stop = s->stop || status == SP_INTERRUPTED;
    pthread_cond_broadcast(&s->filled);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < n_started; i++)
        pthread_join(parser[i], NULL);
    /* A wrong line comes before damage further on. */
    if (s->status != SP_OK) {
        if (err)
            *err = s->err;
        return s->status;
    }
    if (status == SP_OK && s->n_entries < s->h->n_entries)
        status = sp_fail_at(err, SP_INPUT, s->h->path, line - 1, 0, "is the file cut off? get it again",
                            "the file ends after %lld entries, line %lld announces %lld",
                            (long long)s->n_entries, (long long)s->h->size_line, (long long)s->h->n_entries);
    return status;
}

static enum sp_status read_header(const char *path, struct slot *slot, bool last, struct sp_mtx_header *h,
                                  struct sp_error *err)
{
    enum sp_status status = sp_mtx_header_read(path, slot->text, slot->end, h, err);
    if (status == SP_OK && !last && !sp_mtx_header_complete(slot->text, slot->end))
        status = sp_fail_at(err, SP_INPUT, path, 1, 0, "move the remarks behind the data",
                            "the first %d bytes hold no size line", BLOCK);
    slot->begin = h->body_begin;
    return status;
}

enum sp_status sp_mtx_read_stream(const char *path, struct sp_archive *archive,
                                  const struct sp_load_options *options, struct sp_csr *matrix,
                                  struct sp_load_facts *facts, struct sp_error *err)
{
    memset(matrix, 0, sizeof *matrix);
    int n_parsers = options->n_threads > 2 ? options->n_threads - 1 : 1;
    struct sp_mtx_header h = {0};
    struct stream s = {.h = &h, .options = options, .n_slots = n_parsers + 2};
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.freed, NULL);
    pthread_cond_init(&s.filled, NULL);
    void *p;
    bool last = false;
    double start = sp_now();
    enum sp_status status = sp_new_array(s.n_slots, sizeof *s.slot, "the reader's blocks", &p, err);
    s.slot = p;
    for (int i = 0; status == SP_OK && i < s.n_slots; i++) {
        status = sp_new_array(BLOCK + 1 + SP_MTX_PADDING, 1, "the reader's blocks", &p, err);
        s.slot[i].text = p;
    }
    if (status == SP_OK)
        status = fill(archive, &s.slot[0], &last, err);
    if (status == SP_OK)
        status = read_header(path, &s.slot[0], last, &h, err);
    if (status == SP_OK)
        status = sp_load_check_memory(path, options,
                                      (double)h.n_entries * (8 + 8 * values_per_entry(&h)) +
                                          sp_csr_bytes(h.n_r, h.n_entries, h.field),
                                      "the matrix beside its entries", err);
    if (status == SP_OK)
        status = read_blocks(&s, archive, last, n_parsers, err);
    facts->parse_s = sp_now() - start;
    start = sp_now();
    if (status == SP_OK)
        status = convert(&s, matrix, facts, err);
    facts->finish_s = sp_now() - start - facts->touch_s;
    for (int64_t k = 0; k < s.n_blocks; k++)
        free_entries(&s, &s.block[k]);
    free(s.block);
    for (int i = 0; s.slot && i < s.n_slots; i++)
        free(s.slot[i].text);
    free(s.slot);
    pthread_cond_destroy(&s.freed);
    pthread_cond_destroy(&s.filled);
    pthread_mutex_destroy(&s.lock);
    if (status == SP_OK)
        sp_mtx_describe(&h, options->n_threads, matrix, facts);
    return status;
}
