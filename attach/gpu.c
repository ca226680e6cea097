#include "attach/attach.h"

#include <stdlib.h>
#include <string.h>

struct sp_gpu_pending {
    struct sp_attach_cell *cell; /* NULL: free */
    uint32_t generation;
    const struct sp_gpu_driver *driver;
    void *begin, *end; /* events */
};

enum { RING = 64 };
static __thread struct {
    struct sp_gpu_pending of[RING];
    unsigned oldest, n;
} ring __attribute__((tls_model("initial-exec")));

/* cuMemcpyDtoH: the address there is a number. */
static bool copy_cuda(const struct sp_gpu_driver *d, void *to, const void *from, size_t size)
{
    int (*f)(void *, uintptr_t, size_t) = (int (*)(void *, uintptr_t, size_t))d->copy_function;
    return f && f(to, (uintptr_t)from, size) == 0;
}

static bool copy_hip(const struct sp_gpu_driver *d, void *to, const void *from, size_t size)
{
    enum { DEVICE_TO_HOST = 2 };
    int (*f)(void *, const void *, size_t, int) =
        (int (*)(void *, const void *, size_t, int))d->copy_function;
    return f && f(to, from, size, DEVICE_TO_HOST) == 0;
}

static bool find(struct sp_gpu_driver *d, const char *const name[7])
{
    *(void **)&d->event_create = sp_attach_function(name[0]);
    *(void **)&d->event_record = sp_attach_function(name[1]);
    *(void **)&d->event_query = sp_attach_function(name[2]);
    *(void **)&d->elapsed = sp_attach_function(name[3]);
    *(void **)&d->is_capturing = sp_attach_function(name[4]);
    *(void **)&d->synchronize = sp_attach_function(name[5]);
    d->copy_function = sp_attach_function(name[6]);
    return d->event_create && d->event_record && d->event_query && d->elapsed && d->synchronize;
}

const struct sp_gpu_driver *sp_gpu_cuda(void)
{
    static const char *const name[7] = {"cuEventCreate",      "cuEventRecord",       "cuEventQuery",
                                        "cuEventElapsedTime", "cuStreamIsCapturing", "cuStreamSynchronize",
                                        "cuMemcpyDtoH_v2"};
    static struct sp_gpu_driver driver = {.copy = copy_cuda};
    static int state; /* 1: found, 2: not there, 3: somebody looks */
    int s = __atomic_load_n(&state, __ATOMIC_ACQUIRE), none = 0;
    if (s == 0 && __atomic_compare_exchange_n(&state, &none, 3, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        s = find(&driver, name) ? 1 : 2;
        __atomic_store_n(&state, s, __ATOMIC_RELEASE);
    }
    return s == 1 ? &driver : NULL;
}

const struct sp_gpu_driver *sp_gpu_hip(void)
{
    static const char *const name[7] = {
        "hipEventCreateWithFlags", "hipEventRecord",       "hipEventQuery", "hipEventElapsedTime",
        "hipStreamIsCapturing",    "hipStreamSynchronize", "hipMemcpy"};
    static struct sp_gpu_driver driver = {.copy = copy_hip};
    static int state;
    int s = __atomic_load_n(&state, __ATOMIC_ACQUIRE), none = 0;
    if (s == 0 && __atomic_compare_exchange_n(&state, &none, 3, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        s = find(&driver, name) ? 1 : 2;
        __atomic_store_n(&state, s, __ATOMIC_RELEASE);
    }
    return s == 1 ? &driver : NULL;
}

/* Times that are there by now, in order. */
static void collect(void)
{
    for (; ring.n > 0; ring.n--, ring.oldest = (ring.oldest + 1) % RING) {
        struct sp_gpu_pending *p = &ring.of[ring.oldest];
        float ms;
        if (p->cell && p->driver->event_query(p->end) != 0)
            return;
        if (p->cell && p->driver->elapsed(&ms, p->begin, p->end) == 0 && ms >= 0)
            sp_attach_add_time(p->cell, p->generation, (double)ms * 1e6);
        p->cell = NULL;
    }
}

/* The events of the next place; NULL: all are waited for, or there are none. */
static struct sp_gpu_pending *take_place(const struct sp_gpu_driver *d)
{
    if (ring.n == RING)
        return NULL;
    struct sp_gpu_pending *p = &ring.of[(ring.oldest + ring.n) % RING];
    if (p->driver && p->driver != d)
        return NULL;
    if ((!p->begin && d->event_create(&p->begin, 0) != 0) || (!p->end && d->event_create(&p->end, 0) != 0))
        return NULL;
    p->driver = d;
    return p;
}

void sp_gpu_begin(struct sp_gpu_call *c, const struct sp_attach_product *p, const struct sp_gpu_driver *d,
                  void *stream)
{
    int capturing = 0;
    *c = (struct sp_gpu_call){.driver = d, .stream = stream};
    if (d && d->is_capturing && (d->is_capturing(stream, &capturing) != 0 || capturing))
        return;
    collect();
    sp_attach_begin(&c->call, p);
    if (!c->call.cell || !d)
        return;
    c->pending = take_place(d);
    if (c->pending && d->event_record(c->pending->begin, stream) != 0)
        c->pending = NULL;
}

void sp_gpu_end(struct sp_gpu_call *c, bool counts)
{
    if (!counts) {
        sp_attach_end(&c->call, false);
        return;
    }
    if (c->pending && c->driver->event_record(c->pending->end, c->stream) == 0) {
        c->pending->cell = c->call.cell;
        c->pending->generation = c->call.generation;
        ring.n++;
    }
    sp_attach_end_untimed(&c->call);
}

static void free_copies(struct sp_attach_view *view)
{
    free(view->held[0]);
    free(view->held[1]);
}

void sp_gpu_copy_rows(const struct sp_gpu_driver *d, void *stream, struct sp_attach_view *view,
                      const void *row_ptr, const void *col)
{
    const size_t rows_B = ((size_t)view->n_r + 1) * (size_t)view->row_ptr_B,
                 cols_B = (size_t)view->n_nz * (size_t)view->col_B;
    view->release = free_copies;
    view->held[0] = malloc(rows_B);
    view->held[1] = malloc(cols_B + 1);
    if (!d || !view->held[0] || !view->held[1] || d->synchronize(stream) != 0 ||
        !d->copy(d, view->held[0], row_ptr, rows_B) || !d->copy(d, view->held[1], col, cols_B)) {
        view->why = "its arrays could not be copied from the GPU";
        return;
    }
    view->part[view->n_parts++] =
        (struct sp_attach_part){.row_ptr = view->held[0], .col = view->held[1], .n_c = view->n_c};
}
