/* Sorting of short and long runs in place: insertion up to a few dozen items, merging above, so
 * that the rows of a mesh and the hubs of a graph are both cheap. Stable; equal keys keep their
 * order. */
#ifndef SP_SPARSE_SORT_H
#define SP_SPARSE_SORT_H

#include <stdint.h>

/* Ascending. scratch[n] may be NULL for n <= SP_SORT_SHORT; its contents are lost. */
enum { SP_SORT_SHORT = 32 };
void sp_sort_i32(int32_t *keys, int64_t n, int32_t *scratch);
void sp_sort_u64(uint64_t *keys, int64_t n, uint64_t *scratch);

/* For sp_sort_by(), ascending. */
int sp_compare_u64(const void *a, const void *b);

#endif
