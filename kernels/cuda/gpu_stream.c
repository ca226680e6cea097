#include "kernels/cuda/gpu_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A part takes milliseconds of a copy, long beside its start. */
static const size_t MOST_PART_B = (size_t)64 << 20;
enum { ALIGN_B = 256, N_BUFFERS = 2 };

/* Arrays of a part: each a range of one on the host. */
enum piece { VALUES, PLACES, LIST, LENGTHS, BLOCKS, STARTS, N_PIECES };

struct range {
    const void *from;
    size_t bytes, offset; /* offset: in the buffer */
};

struct sp_gpu_stream {
    const struct sp_layout *layout;
    int64_t n_parts;
    int64_t *first;                /* [n_parts + 1] first block of each part */
    struct sp_staged_block *block; /* [n_blocks + n_parts] those of each part and its end, from its first */
    int64_t *start;                /* [n_chunks] first entry of each chunk, from the first of its part */
    void *pinned[N_PIECES];
    int n_pinned;
    void *feed, *buffer[N_BUFFERS];
    int turn; /* the buffer that is filled next */
};

static const void *at(const void *array, int64_t i, size_t size)
{
    return (const char *)array + (size_t)i * size;
}

/* The blocks [first, end) as part number `part`; returns the bytes of a buffer that they take. */
static size_t ranges_of(const struct sp_gpu_stream *s, int64_t part, int64_t first, int64_t end,
                        struct range range[N_PIECES])
{
    const struct sp_layout *l = s->layout;
    const int64_t entry = sp_layout_ptr(l, first), n = sp_layout_ptr(l, end) - entry;
    const int64_t list = l->block[first].list, chunk = l->block[first].chunk;
    const int64_t n_list = l->block[end].list - list, n_chunks = l->block[end].chunk - chunk;
    range[VALUES] = (struct range){at(l->val, entry, l->s_a), (size_t)n * l->s_a, 0};
    range[PLACES] = (struct range){at(l->col, entry, l->s_i), (size_t)n * l->s_i, 0};
    range[LIST] = (struct range){at(l->list, list, sizeof *l->list), (size_t)n_list * sizeof *l->list, 0};
    range[LENGTHS] = (struct range){at(l->len, chunk, sizeof *l->len), (size_t)n_chunks * sizeof *l->len, 0};
    range[BLOCKS] = (struct range){at(s->block, first + part, sizeof *s->block),
                                   (size_t)(end - first + 1) * sizeof *s->block, 0};
    range[STARTS] =
        (struct range){at(s->start, chunk, sizeof *s->start), (size_t)n_chunks * sizeof *s->start, 0};
    size_t used = 0;
    for (int i = 0; i < N_PIECES; i++) {
        range[i].offset = used;
        used += (range[i].bytes + ALIGN_B - 1) / ALIGN_B * ALIGN_B;
    }
    return used;
}

/* As many blocks to a part as most_B takes; *buffer_B: the largest part. 0: a block exceeds it. */
static int64_t cut(struct sp_gpu_stream *s, size_t most_B, size_t *buffer_B)
{
    struct range range[N_PIECES];
    int64_t n = 0;
    *buffer_B = 0;
    for (int64_t first = 0, end; first < s->layout->n_blocks; first = end) {
        size_t size = ranges_of(s, n, first, first + 1, range), more = size;
        for (end = first + 1; end < s->layout->n_blocks; end++, size = more) {
            more = ranges_of(s, n, first, end + 1, range);
            if (more > most_B)
                break;
        }
        if (size > most_B)
            return 0;
        *buffer_B = size > *buffer_B ? size : *buffer_B;
        s->first[n++] = first;
    }
    s->first[n] = s->layout->n_blocks;
    return n;
}

/* Blocks and chunks of each part count from its first ones, as if it were a matrix. */
static void number_parts(struct sp_gpu_stream *s)
{
    const struct sp_layout *l = s->layout;
    for (int64_t p = 0; p < s->n_parts; p++) {
        const int64_t first = s->first[p], entry = sp_layout_ptr(l, first);
        const struct sp_staged_block *origin = &l->block[first];
        for (int64_t b = first; b <= s->first[p + 1]; b++)
            s->block[b + p] = (struct sp_staged_block){.list = l->block[b].list - origin->list,
                                                       .chunk = l->block[b].chunk - origin->chunk};
        for (int64_t k = origin->chunk; k < l->block[s->first[p + 1]].chunk; k++)
            s->start[k] -= entry;
    }
}

/* Copies from pinned memory go on beside computing; from other memory they are slower. */
static void pin(struct sp_gpu_stream *s, const void *p, size_t bytes)
{
    if (bytes > 0 && sp_gpu_pin((void *)p, bytes))
        s->pinned[s->n_pinned++] = (void *)p;
}

static void pin_all(struct sp_gpu_stream *s)
{
    const struct sp_layout *l = s->layout;
    pin(s, l->val, (size_t)l->n_stored * l->s_a);
    pin(s, l->col, (size_t)l->n_indices * l->s_i);
    pin(s, l->list, (size_t)l->n_list * sizeof *l->list);
    pin(s, l->len, (size_t)l->n_chunks * sizeof *l->len);
    pin(s, s->block, (size_t)(l->n_blocks + s->n_parts) * sizeof *s->block);
    pin(s, s->start, (size_t)l->n_chunks * sizeof *s->start);
}

static enum sp_status make_host(struct sp_gpu_stream *s, struct sp_error *err)
{
    static const char what[] = "parts of the matrix";
    const struct sp_layout *l = s->layout;
    enum sp_status status = sp_new_array(l->n_blocks + 1, sizeof *s->first, what, (void **)&s->first, err);
    if (status == SP_OK)
        status = sp_new_array(2 * l->n_blocks, sizeof *s->block, what, (void **)&s->block, err);
    if (status == SP_OK)
        status = sp_new_array(l->n_chunks, sizeof *s->start, what, (void **)&s->start, err);
    return status;
}

static enum sp_status make_device(struct sp_gpu_stream *s, size_t buffer_B, struct sp_error *err)
{
    enum sp_status status = sp_gpu_feed_make(&s->feed, err);
    for (int i = 0; i < N_BUFFERS && status == SP_OK; i++)
        status = sp_gpu_alloc(buffer_B, "a part of the matrix", &s->buffer[i], err);
    return status;
}

enum sp_status sp_gpu_stream_make(const struct sp_layout *l, size_t room_B, struct sp_gpu_stream **stream,
                                  struct sp_error *err)
{
    void *memory;
    size_t buffer_B;
    const size_t half_B = room_B / N_BUFFERS, most_B = half_B < MOST_PART_B ? half_B : MOST_PART_B;
    *stream = NULL;
    enum sp_status status = sp_new_array(1, sizeof(struct sp_gpu_stream), "a matrix in parts", &memory, err);
    if (status != SP_OK)
        return status;
    struct sp_gpu_stream *s = memory;
    s->layout = l;
    status = make_host(s, err);
    if (status == SP_OK) {
        sp_gpu_chunk_starts(l, s->start);
        s->n_parts = cut(s, most_B, &buffer_B);
        if (s->n_parts == 0)
            status = sp_fail(err, SP_MEMORY, "take a smaller T_i, or a smaller matrix",
                             "beside the operands the GPU has %.1f MB free, too little to stream the matrix",
                             (double)room_B / 1e6);
    }
    if (status == SP_OK) {
        number_parts(s);
        pin_all(s);
        status = make_device(s, buffer_B, err);
    }
    if (status != SP_OK) {
        sp_gpu_stream_free(s);
        return status;
    }
    *stream = s;
    return SP_OK;
}

void sp_gpu_stream_free(struct sp_gpu_stream *s)
{
    if (!s)
        return;
    sp_gpu_feed_free(s->feed); /* waits for the copies */
    for (int i = 0; i < N_BUFFERS; i++)
        sp_gpu_free(s->buffer[i]);
    for (int i = 0; i < s->n_pinned; i++)
        sp_gpu_unpin(s->pinned[i]);
    free(s->first);
    free(s->block);
    free(s->start);
    free(s);
}

enum sp_status sp_gpu_stream_start(struct sp_gpu_stream *s, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < N_BUFFERS && status == SP_OK; i++)
        status = sp_gpu_feed_used(s->feed, i, err);
    return status;
}

/* Queues the copy of a part and its grid behind it. */
static enum sp_status execute_part(struct sp_gpu_stream *s, int64_t part, const struct sp_gpu_launch *whole,
                                   const struct sp_gpu_arrays *operands, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    const int64_t first = s->first[part], end = s->first[part + 1];
    const int64_t row = (int64_t)l->block[first].chunk * l->C;
    const int which = s->turn;
    struct range range[N_PIECES];
    struct sp_gpu_launch g = *whole;
    struct sp_gpu_arrays a = *operands;
    char *buffer = s->buffer[which];
    ranges_of(s, part, first, end, range);
    enum sp_status status = sp_gpu_feed_begin(s->feed, which, err);
    for (int i = 0; i < N_PIECES && status == SP_OK; i++)
        status = sp_gpu_feed_copy(s->feed, buffer + range[i].offset, range[i].from, range[i].bytes, err);
    if (status == SP_OK)
        status = sp_gpu_feed_filled(s->feed, which, err);
    if (status != SP_OK)
        return status;
    a.val = buffer + range[VALUES].offset;
    a.col = buffer + range[PLACES].offset;
    a.list = (const int32_t *)(buffer + range[LIST].offset);
    a.len = (const int32_t *)(buffer + range[LENGTHS].offset);
    a.block = (const struct sp_staged_block *)(buffer + range[BLOCKS].offset);
    a.start = (const int64_t *)(buffer + range[STARTS].offset);
    a.y = (char *)a.y + (size_t)(row * l->ld_y) * l->s_y;
    a.n_r -= row;
    g.n_blocks = (end - first) * g.n_tiles;
    status = sp_gpu_check(sp_gpu_spmm_execute(&g, &a, l->precision, l->index), "starting the kernel", err);
    s->turn = (which + 1) % N_BUFFERS;
    return status == SP_OK ? sp_gpu_feed_used(s->feed, which, err) : status;
}

enum sp_status sp_gpu_stream_execute(struct sp_gpu_stream *s, const struct sp_gpu_launch *g,
                                     const struct sp_gpu_arrays *a, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int64_t p = 0; p < s->n_parts && status == SP_OK; p++)
        status = execute_part(s, p, g, a, err);
    return status;
}

double sp_gpu_stream_bytes(const struct sp_gpu_stream *s)
{
    struct range range[N_PIECES];
    double bytes = 0;
    for (int64_t p = 0; p < s->n_parts; p++) {
        ranges_of(s, p, s->first[p], s->first[p + 1], range);
        for (int i = 0; i < N_PIECES; i++)
            bytes += (double)range[i].bytes;
    }
    return bytes;
}
