#include "sparse/reorder/rcm.h"

#include <stdlib.h>
#include <string.h>

#include "sparse/csr/csr_build.h"
#include "sparse/csr/sort.h"

/* One bit a vertex: 14 million vertices take 1.7 MB, so that asking about a random neighbour stays in cache.
 */
struct search {
    struct sp_pattern g;
    uint64_t *seen;  /* [(n + 63) / 64] */
    int32_t *queue;  /* [n] of the search for an end of the graph */
    uint64_t *child; /* [2 longest row] children of one vertex and room for sorting them */
    int64_t longest;
};

static int64_t degree(const struct sp_pattern *g, int64_t v)
{
    return g->row_ptr[v + 1] - g->row_ptr[v];
}

static bool is_seen(const uint64_t *seen, int32_t v)
{
    return __atomic_load_n(&seen[v >> 6], __ATOMIC_RELAXED) >> (v & 63) & 1;
}

/* True for the one caller that was first. */
static bool mark(uint64_t *seen, int32_t v)
{
    uint64_t bit = UINT64_C(1) << (v & 63);
    return !(__atomic_fetch_or(&seen[v >> 6], bit, __ATOMIC_RELAXED) & bit);
}

/* The rows of vertices further down a queue are known early: have them ready. */
static void prefetch(const struct sp_pattern *g, const int32_t *queue, int64_t k, int64_t end)
{
    enum { FAR = 24, NEAR = 8 };
    if (k + FAR < end)
        __builtin_prefetch(&g->row_ptr[queue[k + FAR]]);
    if (k + NEAR < end)
        __builtin_prefetch(&g->col[g->row_ptr[queue[k + NEAR]]]);
}

/* Appends the unseen neighbours of queue[begin, end) at queue + *tail, in no particular order. */
static void expand(struct search *s, int64_t begin, int64_t end, int64_t *tail)
{
    enum {
        ROOM = 2048,
        SERIAL = 1 << 14 /* about a millisecond of work: less is not worth waking threads */
    };
#pragma omp parallel if (end - begin > SERIAL)
    {
        int32_t found[ROOM];
        int64_t n_found = 0;
#pragma omp for schedule(dynamic, 1024)
        for (int64_t k = begin; k < end; k++) {
            int32_t v = s->queue[k];
            prefetch(&s->g, s->queue, k, end);
            for (int64_t e = s->g.row_ptr[v]; e < s->g.row_ptr[v + 1]; e++) {
                int32_t u = s->g.col[e];
                if (is_seen(s->seen, u) || !mark(s->seen, u))
                    continue;
                found[n_found++] = u;
                if (n_found == ROOM) {
                    int64_t to = __atomic_fetch_add(tail, n_found, __ATOMIC_RELAXED);
                    memcpy(s->queue + to, found, sizeof found);
                    n_found = 0;
                }
            }
        }
        int64_t to = __atomic_fetch_add(tail, n_found, __ATOMIC_RELAXED);
        memcpy(s->queue + to, found, (size_t)n_found * sizeof *found);
    }
}

/* The levels around a root: their number, the widest, and the vertex of least degree in the last one. */
struct levels {
    int64_t height, width;
    int32_t far;
};

/* Of the vertices of a last level the one of least degree, of equal ones the first. */
static int32_t far_end(const struct sp_pattern *g, const int32_t *vertex, int64_t n)
{
    int32_t far = vertex[0];
    for (int64_t k = 1; k < n; k++) {
        int64_t less = degree(g, vertex[k]) - degree(g, far);
        if (less < 0 || (less == 0 && vertex[k] < far))
            far = vertex[k];
    }
    return far;
}

static void unmark(struct search *s, const int32_t *vertex, int64_t n)
{
#pragma omp parallel for schedule(static) if (n > 100000)
    for (int64_t k = 0; k < n; k++)
        __atomic_fetch_and(&s->seen[vertex[k] >> 6], ~(UINT64_C(1) << (vertex[k] & 63)), __ATOMIC_RELAXED);
}

/* Leaves no marks. */
static struct levels explore(struct search *s, int32_t root)
{
    struct levels levels = {0, 0, root};
    int64_t begin = 0, end = 1, tail = 1;
    s->queue[0] = root;
    mark(s->seen, root);
    for (;;) {
        levels.height++;
        levels.width = end - begin > levels.width ? end - begin : levels.width;
        expand(s, begin, end, &tail);
        if (tail == end)
            break;
        begin = end;
        end = tail;
    }
    levels.far = far_end(&s->g, s->queue + begin, end - begin);
    unmark(s, s->queue, end);
    return levels;
}

/* Cuthill-McKee numbering of the component of `root` from order[begin] on, which is marked; returns its end.
 */
static int64_t number_component(struct search *s, int32_t root, int32_t *order, int64_t begin,
                                struct levels *levels)
{
    const struct sp_pattern *g = &s->g;
    int64_t tail = begin, level = begin, level_end = begin; /* of the vertex at hand */
    *levels = (struct levels){0, 0, root};
    order[tail++] = root;
    mark(s->seen, root);
    for (int64_t k = begin; k < tail; k++) {
        if (k == level_end) {
            level = k;
            level_end = tail;
            levels->height++;
            levels->width = level_end - level > levels->width ? level_end - level : levels->width;
        }
        int32_t v = order[k];
        prefetch(g, order, k, tail);
        int64_t n = 0;
        for (int64_t e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            int32_t u = g->col[e];
            uint64_t bit = UINT64_C(1) << (u & 63);
            if (s->seen[u >> 6] & bit)
                continue;
            s->seen[u >> 6] |= bit;
            s->child[n++] = (uint64_t)(uint32_t)u;
        }
        if (n > 1)
            for (int64_t c = 0; c < n; c++)
                s->child[c] |= (uint64_t)degree(g, (int64_t)s->child[c]) << 32;
        sp_sort_u64(s->child, n, s->child + s->longest);
        for (int64_t c = 0; c < n; c++)
            order[tail++] = (int32_t)(s->child[c] & UINT32_MAX);
    }
    levels->far = far_end(g, order + level, tail - level);
    return tail;
}

/* Numbers the component from a pseudo-peripheral vertex (George and Liu: go to the far end as long as that
 * makes the graph longer, or as long and less wide). The search from a far end is the numbering itself, which
 * is nearly always the last one. */
static int64_t number_from_end(struct search *s, int32_t root, int32_t *order, int64_t begin)
{
    enum { MAX_TRIPS = 8 };
    struct levels here = {0, 0, root}, there;
    if (degree(&s->g, root) > 0)
        here = explore(s, root);
    for (int trip = 1; here.far != root; trip++) {
        int64_t end = number_component(s, here.far, order, begin, &there);
        bool worse = there.height < here.height || (there.height == here.height && there.width > here.width);
        if (!worse && (there.height == here.height || trip == MAX_TRIPS))
            return end;
        unmark(s, order + begin, end - begin);
        if (worse)
            break;
        root = here.far;
        here = there;
    }
    return number_component(s, root, order, begin, &there);
}

/* start[n]: vertices by ascending degree, equal ones by number. `count` has longest + 2 zeroed items. */
static void sort_by_degree(const struct sp_pattern *g, int64_t longest, int64_t *count, int32_t *start)
{
    for (int64_t v = 0; v < g->n_r; v++)
        count[degree(g, v) + 1]++;
    for (int64_t d = 0; d < longest; d++)
        count[d + 1] += count[d];
    for (int64_t v = 0; v < g->n_r; v++)
        start[count[degree(g, v)]++] = (int32_t)v;
}

enum sp_status sp_rcm(const struct sp_pattern *graph, uint64_t number, int32_t *perm, struct sp_error *err)
{
    (void)number;
    const int64_t n = graph->n_r;
    struct search s = {.g = *graph};
    int64_t *count = NULL;
    int32_t *start = NULL;
    void *p;
    for (int64_t v = 0; v < n; v++)
        s.longest = degree(&s.g, v) > s.longest ? degree(&s.g, v) : s.longest;
    enum sp_status status = sp_new_array((n + 63) / 64, sizeof *s.seen, "vertex marks", &p, err);
    s.seen = p;
    if (status == SP_OK) {
        status = sp_large_alloc(NULL, n, sizeof *s.queue, "a queue of vertices", &p, err);
        s.queue = p;
    }
    if (status == SP_OK) {
        status = sp_new_array(2 * s.longest, sizeof *s.child, "children of a vertex", &p, err);
        s.child = p;
    }
    if (status == SP_OK) {
        status = sp_new_array(s.longest + 2, sizeof *count, "vertices of each degree", &p, err);
        count = p;
    }
    if (status == SP_OK) {
        status = sp_large_alloc(NULL, n, sizeof *start, "vertices by degree", &p, err);
        start = p;
    }
    if (status != SP_OK)
        goto done;
    sort_by_degree(&s.g, s.longest, count, start);
    for (int64_t k = 0, next = 0; k < n; k++)
        if (!is_seen(s.seen, start[k]))
            next = number_from_end(&s, start[k], perm, next);
    for (int64_t i = 0; i < n / 2; i++) {
        int32_t swap = perm[i];
        perm[i] = perm[n - 1 - i];
        perm[n - 1 - i] = swap;
    }
done:
    free(s.seen);
    free(s.child);
    free(count);
    sp_large_free(NULL, s.queue, n, sizeof *s.queue);
    sp_large_free(NULL, start, n, sizeof *start);
    return status;
}
