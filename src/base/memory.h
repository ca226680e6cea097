/* Memory: arrays with checked sizes, and the interface through which large arrays get their pages.
 *
 * Small things come from sp_new_array(); the large arrays of matrices and kernels come from a
 * struct sp_allocator, so that src/sys can supply huge pages to layers that may not know the
 * system. */
#ifndef SP_BASE_MEMORY_H
#define SP_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A source of large arrays. Memory is zero on first touch and *not* touched by alloc, so that the
 * thread that uses a page can be the first to touch it. `free` accepts NULL and needs the size
 * given to alloc. Both may be called from any thread, not at the same time. */
struct sp_allocator {
    void *(*alloc)(void *context, size_t bytes); /* 64-byte aligned, NULL: none left */
    void (*free)(void *context, void *p, size_t bytes);
    void *context;
};

/* Plain pages from anonymous mmap: always there, what an allocator of NULL means. */
extern const struct sp_allocator sp_allocator_plain;

/* alloc of n items of `size` bytes through `a` (NULL: plain). For n = 0 a valid pointer, so that an
 * empty array may be added to, copied and sorted like any other: with NULL all three are undefined,
 * even for 0. SP_MEMORY names what the array is for, the bytes asked for and what to do. */
enum sp_status sp_large_alloc(const struct sp_allocator *a, int64_t n, size_t size, const char *what,
                              void **out, struct sp_error *err);
void sp_large_free(const struct sp_allocator *a, void *p, int64_t n, size_t size);

/* calloc with an error: n items of `size` bytes, zeroed; for free(). n = 0: a valid pointer. */
enum sp_status sp_new_array(int64_t n, size_t size, const char *what, void **out, struct sp_error *err);

/* qsort that takes an empty list, which may be NULL, and NULL is not to be given to qsort. */
void sp_sort_by(void *items, int64_t n, size_t size, int (*compare)(const void *, const void *));

/* Checked narrowing: the one place where a count becomes a stored index. Aborts (SP_BUG territory)
 * outside the range, because the range was validated at the border. */
int32_t sp_to_i32(int64_t value);

#endif
