#include "base/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

static void *plain_alloc(void *context, size_t bytes)
{
    (void)context;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void plain_free(void *context, void *p, size_t bytes)
{
    (void)context;
    if (p)
        munmap(p, bytes);
}

const struct sp_allocator sp_allocator_plain = {plain_alloc, plain_free, NULL};

/* Where an array of no items lies. */
static char nothing[64] __attribute__((aligned(64)));

enum sp_status sp_large_alloc(const struct sp_allocator *a, int64_t n, size_t size, const char *what,
                              void **out, struct sp_error *err)
{
    if (!a)
        a = &sp_allocator_plain;
    *out = n == 0 ? nothing : NULL;
    if (n == 0)
        return SP_OK;
    size_t bytes;
    if (n < 0 || __builtin_mul_overflow((size_t)n, size, &bytes))
        return sp_fail(err, SP_MEMORY, NULL, "%s of %lld items exceeds the address space", what,
                       (long long)n);
    *out = a->alloc(a->context, bytes);
    if (!*out)
        return sp_fail(err, SP_MEMORY, "free memory, or take a smaller matrix",
                       "no memory for %s: %.1f MB refused by the system", what, (double)bytes / 1e6);
    return SP_OK;
}

void sp_large_free(const struct sp_allocator *a, void *p, int64_t n, size_t size)
{
    if (!a)
        a = &sp_allocator_plain;
    if (p && p != nothing)
        a->free(a->context, p, (size_t)n * size);
}

enum sp_status sp_new_array(int64_t n, size_t size, const char *what, void **out, struct sp_error *err)
{
    *out = n < 0 ? NULL : calloc(n > 0 ? (size_t)n : 1, size);
    if (!*out)
        return sp_fail(err, SP_MEMORY, "free memory, or take a smaller matrix",
                       "no memory for %s (%lld items of %zu B)", what, (long long)n, size);
    return SP_OK;
}

void sp_sort_by(void *items, int64_t n, size_t size, int (*compare)(const void *, const void *))
{
    if (n > 1)
        qsort(items, (size_t)n, size, compare);
}

int32_t sp_to_i32(int64_t value)
{
    if (value < INT32_MIN || value > INT32_MAX)
        abort();
    return (int32_t)value;
}
