#include "io/matrix/matrix_market.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "io/matrix/load_options.h"
#include "io/matrix/mtx_scan.h"
#include "sparse/csr/builder.h"

enum { BLOCK = 4 << 20 };

/* Entries of one block of text, in the order of the file. */
struct entries {
    int32_t *row, *col; /* nothing for array files */
    double *val;        /* nothing for patterns */
    int64_t n, capacity;
};

/* A block of text on its way: read, parsed, judged with what comes before it, free again. */
struct slot {
    char *text;   /* [size + 1 + SP_MTX_PADDING] */
    int64_t size; /* grows where a line is longer */
    int64_t begin, end;
    int64_t n_lines;
    int64_t number;           /* of the block */
    int64_t n_entries;        /* from here on: parsed */
    int sides;                /* of the diagonal that entries lie on: bit 0 below, bit 1 above */
    bool fault;               /* a line is wrong */
    bool is_cut;              /* the last line of the input has no '\n' of its own */
    enum sp_status no_memory; /* SP_OK, or why its entries have no room, in err */
    struct sp_error err;
    enum { SLOT_FREE, SLOT_FULL, SLOT_BUSY, SLOT_PARSED } state;
};

struct stream {
    const char *path;
    const struct sp_mtx_header *h;
    const struct sp_load_options *options;
    pthread_mutex_t lock;
    pthread_cond_t freed, filled;
    struct slot *slot; /* [n_slots] */
    int n_slots;
    struct entries *block; /* [n_blocks], capacity max_blocks; grows under the lock */
    int64_t n_blocks, max_blocks;
    int64_t n_judged;          /* blocks, from the first on */
    struct sp_mtx_judge judge; /* of these */
    bool done, stop;
    enum sp_status status; /* of the first block that is wrong */
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
    memset(e, 0, sizeof *e);
    e->capacity = capacity;
    const int64_t n_indices = s->h->format == SP_MTX_COORDINATE ? capacity : 0;
    enum sp_status status =
        sp_large_alloc(s->options->allocator, n_indices, sizeof *e->row, "entries", &p, err);
    e->row = p;
    if (status == SP_OK)
        status = sp_large_alloc(s->options->allocator, n_indices, sizeof *e->col, "entries", &p, err);
    e->col = status == SP_OK ? p : NULL;
    if (status == SP_OK)
        status = sp_large_alloc(s->options->allocator, capacity * values_per_entry(s->h), sizeof *e->val,
                                "entries", &p, err);
    e->val = status == SP_OK ? p : NULL;
    return status;
}

/* Which side of the diagonal the entries lie on. */
static int sides(const struct entries *e)
{
    int lower = 0, upper = 0;
    for (int64_t k = 0; k < e->n; k++) {
        lower |= e->row[k] > e->col[k]; // NOLINT(clang-analyzer-core.NullDereference): n > 0 has arrays
        upper |= e->row[k] < e->col[k];
    }
    return lower | upper << 1;
}

/* One block of text into entries, as far as its lines are right. */
static void parse(struct stream *s, struct slot *slot, struct entries *e)
{
    const struct sp_mtx_header *h = s->h;
    pthread_mutex_lock(&s->lock);
    slot->no_memory = alloc_entries(s, slot->n_lines, e, &slot->err);
    pthread_mutex_unlock(&s->lock);
    slot->fault = false;
    const char *p = slot->text + slot->begin, *end = slot->text + slot->end;
    while (slot->no_memory == SP_OK && !slot->fault && p < end) {
        struct sp_mtx_chunk chunk = {e->row + e->n, e->col + e->n, e->val + e->n * values_per_entry(h), 0};
        p = h->format == SP_MTX_ARRAY ? sp_mtx_scan_array(h, p, end, &chunk, &slot->fault)
                                      : sp_mtx_scan(h, SP_MTX_ENTRIES, p, end, &chunk, &slot->fault);
        e->n += chunk.n;
    }
    slot->n_entries = e->n;
    slot->sides = h->symmetry == SP_GENERAL || h->format == SP_MTX_ARRAY ? 0 : sides(e);
}

static bool seems_wrong(const struct sp_mtx_judge *j, const struct slot *slot)
{
    const int earlier = j->first_line == 0 ? 0 : j->first_is_lower ? 1 : 2;
    return slot->fault || (slot->sides | earlier) == 3 || slot->n_entries > j->h->n_entries - j->n_entries;
}

static enum sp_status judge_block(struct stream *s, struct slot *slot)
{
    struct sp_mtx_judge *j = &s->judge;
    if (slot->no_memory != SP_OK) {
        s->err = slot->err;
        return slot->no_memory;
    }
    const bool wrong = seems_wrong(j, slot);
    if (!wrong && (slot->sides == 0 || j->first_line > 0)) {
        j->n_entries += slot->n_entries;
        j->line += slot->n_lines;
        return SP_OK;
    }
    j->is_cut = slot->is_cut;
    enum sp_status status = sp_mtx_judge_lines(j, slot->text + slot->begin, slot->text + slot->end, &s->err);
    return wrong && status == SP_OK ? sp_mtx_judge_disagrees(j, &s->err) : status;
}

static struct slot *next_to_judge(struct stream *s)
{
    for (int i = 0; i < s->n_slots; i++)
        if (s->slot[i].state == SLOT_PARSED && s->slot[i].number == s->n_judged)
            return &s->slot[i];
    return NULL;
}

/* Blocks are judged in the order of the file, so that the first fault is found whichever thread is
 * faster. With the lock held. */
static void judge_blocks(struct stream *s)
{
    for (struct slot *slot; s->status == SP_OK && (slot = next_to_judge(s)); s->n_judged++) {
        s->status = judge_block(s, slot);
        slot->state = SLOT_FREE;
        pthread_cond_signal(&s->freed);
    }
    if (s->status == SP_OK)
        return;
    s->stop = true;
    pthread_cond_broadcast(&s->filled);
    pthread_cond_broadcast(&s->freed);
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
        parse(s, slot, &e);
        pthread_mutex_lock(&s->lock);
        s->block[slot->number] = e;
        slot->state = SLOT_PARSED;
        judge_blocks(s);
        pthread_mutex_unlock(&s->lock);
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

static enum sp_status hand_over(struct stream *s, struct slot *slot, struct sp_error *err)
{
    slot->n_lines = count_newlines(slot->text + slot->begin, slot->text + slot->end);
    pthread_mutex_lock(&s->lock);
    bool ok = add_block(s);
    slot->number = s->n_blocks - 1;
    if (ok)
        slot->state = SLOT_FULL;
    pthread_cond_signal(&s->filled);
    pthread_mutex_unlock(&s->lock);
    return ok ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for the list of blocks");
}

/* Room for `size` bytes, those that are there kept. */
static enum sp_status widen(const struct stream *s, struct slot *slot, int64_t size, struct sp_error *err)
{
    if (size <= slot->size)
        return SP_OK;
    const struct sp_load_size none = {0}; /* the header may not be known yet */
    enum sp_status status =
        sp_load_check_memory(s->path, s->options, &none, (double)size, "a line that long", err);
    if (status != SP_OK)
        return status;
    char *wider = realloc(slot->text, (size_t)size + 1 + SP_MTX_PADDING);
    if (!wider)
        return sp_fail(err, SP_MEMORY, "is this a Matrix Market file?", "no memory for a line of %lld bytes",
                       (long long)size);
    memset(wider + slot->end, 0, (size_t)(size - slot->end) + 1 + SP_MTX_PADDING);
    slot->text = wider;
    slot->size = size;
    return SP_OK;
}

/* Reads until the block is full or the input ends; *last: it has ended, and a final newline is
 * there. */
static enum sp_status fill(struct sp_archive *archive, struct slot *slot, bool *last, struct sp_error *err)
{
    int64_t n = 1;
    while (slot->end < slot->size && n > 0) {
        enum sp_status status =
            sp_archive_read(archive, slot->text + slot->end, slot->size - slot->end, &n, err);
        if (status != SP_OK)
            return status;
        slot->end += n;
    }
    *last = n == 0;
    slot->is_cut = *last && slot->end > slot->begin && slot->text[slot->end - 1] != '\n';
    if (slot->is_cut)
        slot->text[slot->end++] = '\n';
    return SP_OK;
}

static const char *last_newline(const struct slot *slot)
{
    return slot->end > slot->begin
               ? memrchr(slot->text + slot->begin, '\n', (size_t)(slot->end - slot->begin))
               : NULL;
}

/* Reads on until there is a complete line, or the input ends. */
static enum sp_status fill_lines(const struct stream *s, struct sp_archive *archive, struct slot *slot,
                                 bool *last, struct sp_error *err)
{
    enum sp_status status = fill(archive, slot, last, err);
    while (status == SP_OK && !*last && !last_newline(slot)) {
        status = widen(s, slot, 2 * slot->size, err);
        if (status == SP_OK)
            status = fill(archive, slot, last, err);
    }
    return status;
}

static bool interrupted(const struct stream *s)
{
    const struct sp_load_options *o = s->options;
    return o->interrupted && o->interrupted(o->context);
}

static void report_progress(struct stream *s)
{
    if (!s->options->progress)
        return;
    pthread_mutex_lock(&s->lock);
    const double n = (double)s->judge.n_entries;
    pthread_mutex_unlock(&s->lock);
    s->options->progress(s->options->context, 0.8 * n / (double)(s->h->n_entries + 1));
}

/* A free slot that begins with the incomplete line at the end of `slot`; NULL: the parsers have
 * stopped. */
static enum sp_status move_rest(struct stream *s, struct slot *slot, const char *newline, struct slot **next,
                                struct sp_error *err)
{
    int64_t rest = slot->text + slot->end - (newline + 1);
    slot->end -= rest;
    *next = wait_for_free_slot(s);
    if (!*next)
        return SP_OK;
    (*next)->begin = (*next)->end = 0;
    enum sp_status status = widen(s, *next, rest + 1, err);
    if (status == SP_OK) {
        memcpy((*next)->text, slot->text + slot->end, (size_t)rest);
        (*next)->end = rest;
    }
    return status;
}

/* The calling thread's part: text into slots, cut at line ends. `slot` holds the first block, read
 * already. */
static enum sp_status unpack(struct stream *s, struct sp_archive *archive, struct slot *slot, bool last,
                             struct sp_error *err)
{
    enum sp_status status = SP_OK;
    pthread_mutex_lock(&s->lock);
    slot->state = SLOT_BUSY;
    pthread_mutex_unlock(&s->lock);
    if (!last && !last_newline(slot))
        status = fill_lines(s, archive, slot, &last, err);
    while (slot && status == SP_OK) {
        if (interrupted(s))
            return sp_fail(err, SP_INTERRUPTED, NULL, "reading %s was interrupted", s->h->path);
        report_progress(s);
        const char *newline = last_newline(slot);
        if (!newline)
            return SP_OK;
        struct slot *next = NULL;
        if (!last)
            status = move_rest(s, slot, newline, &next, err);
        if (status == SP_OK)
            status = hand_over(s, slot, err);
        slot = next;
        if (slot && status == SP_OK)
            status = fill_lines(s, archive, slot, &last, err);
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
        const struct sp_load_size size = {h->n_r, h->n_c, sp_csr_builder_total(&b), h->field, false};
        status = sp_load_check_memory(h->path, s->options, &size, facts->peak_B,
                                      "the matrix with its symmetry expanded, beside its entries", err);
    }
    if (status == SP_OK)
        status = sp_csr_builder_seal(&b, err);
    if (status == SP_OK && !give_all(s, &b, n_threads, true))
        status = sp_fail(err, SP_BUG, "report this", "more entries in a row than were counted");
    if (status == SP_OK)
        status = sp_csr_builder_finish(&b, matrix, err);
    sp_csr_builder_free(&b);
    return status;
}

static enum sp_status read_blocks(struct stream *s, struct sp_archive *archive, bool last, int n_parsers,
                                  struct sp_error *err)
{
    pthread_t parser[64];
    int n_started = 0;
    enum sp_status status = SP_OK;
    for (; n_started < n_parsers && n_started < 64; n_started++)
        if (pthread_create(&parser[n_started], NULL, parse_blocks, s) != 0)
            break;
    if (n_started == 0)
        status = sp_fail(err, SP_ABSENT, "raise the limit of processes (ulimit -u)", "cannot start a thread");
    if (status == SP_OK)
        status = unpack(s, archive, &s->slot[0], last, err);
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
    return status == SP_OK ? sp_mtx_judge_end(&s->judge, err) : status;
}

/* Reads until the header is complete, and so much that what is none can be named. */
static enum sp_status read_header(struct stream *s, struct sp_archive *archive, struct sp_mtx_header *h,
                                  bool *last, struct sp_error *err)
{
    struct slot *slot = &s->slot[0];
    enum sp_status status = widen(s, slot, SP_MTX_FOREIGN_LOOK, err);
    if (status == SP_OK)
        status = fill(archive, slot, last, err);
    while (status == SP_OK && !*last && !sp_mtx_header_complete(slot->text, slot->end)) {
        status = widen(s, slot, 2 * slot->size, err);
        if (status == SP_OK)
            status = fill(archive, slot, last, err);
    }
    if (status == SP_OK)
        status = sp_mtx_header_read(s->path, slot->text, slot->end, h, err);
    slot->begin = h->body_begin;
    s->judge = sp_mtx_judge_begin(h);
    return status;
}

/* What is declared, where the whole text cannot hold it, is not worth a question about memory. */
static enum sp_status check_declared(const struct stream *s, bool last, struct sp_error *err)
{
    const struct sp_mtx_header *h = s->h;
    if (last && !sp_mtx_header_can_hold(h, s->slot[0].end))
        return SP_OK;
    const struct sp_load_size size = {h->n_r, h->n_c, h->n_entries, h->field, false};
    return sp_load_check_memory(s->path, s->options, &size,
                                (double)h->n_entries * (8 + 8 * values_per_entry(h)) +
                                    sp_csr_bytes(h->n_r, h->n_entries, h->field) +
                                    sp_csr_builder_bytes(h->n_r, 1),
                                "the matrix beside its entries", err);
}

enum sp_status sp_mtx_read_stream(const char *path, struct sp_archive *archive,
                                  const struct sp_load_options *options, struct sp_csr *matrix,
                                  struct sp_load_facts *facts, struct sp_error *err)
{
    memset(matrix, 0, sizeof *matrix);
    int n_parsers = options->n_threads > 2 ? options->n_threads - 1 : 1;
    struct sp_mtx_header h = {0};
    struct stream s = {.path = path, .h = &h, .options = options, .n_slots = n_parsers + 2};
    const int64_t block_B = options->block_B > 0 ? options->block_B : BLOCK;
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.freed, NULL);
    pthread_cond_init(&s.filled, NULL);
    void *p;
    bool last = false;
    double start = sp_now();
    enum sp_status status = sp_new_array(s.n_slots, sizeof *s.slot, "the reader's blocks", &p, err);
    s.slot = p;
    for (int i = 0; status == SP_OK && i < s.n_slots; i++) {
        status = sp_new_array(block_B + 1 + SP_MTX_PADDING, 1, "the reader's blocks", &p, err);
        s.slot[i].text = p;
        s.slot[i].size = block_B;
    }
    if (status == SP_OK)
        status = read_header(&s, archive, &h, &last, err);
    if (status == SP_OK)
        status = check_declared(&s, last, err);
    if (status == SP_OK)
        status = read_blocks(&s, archive, last, n_parsers, err);
    facts->parse_s = sp_now() - start;
    start = sp_now();
    if (status == SP_OK)
        status = convert(&s, matrix, facts, err);
    facts->finish_s = sp_now() - start;
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
