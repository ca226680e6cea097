/* Arrays for a kernel of somebody else: on pages of their own between two that nobody may touch,
 * the end of the array (in whole lines of 64 bytes) at the second one. What is left of the pages
 * holds a pattern. */
#ifndef SP_KERNELS_OWN_PAGES_H
#define SP_KERNELS_OWN_PAGES_H

#include "base/memory.h"
#include "kernels/own/own_watch.h"

/* Large ones ask for huge pages; the second never does. */
extern const struct sp_allocator sp_own_pages_huge, sp_own_pages_small;
bool sp_own_pages_are(const struct sp_allocator *allocator);

/* Where an array of theirs lies. */
void sp_own_pages_array(const void *p, size_t size_B, const char *name, struct sp_own_array *array);
/* Nobody may write it from now on, or may again. */
void sp_own_pages_protect(struct sp_own_array *array, bool read_only);

/* Bytes of the pattern that were written over: before the start, behind the end; 0: none. The
 * distance of the furthest one from the array. */
void sp_own_pages_look(const struct sp_own_array *array, size_t *before_B, size_t *behind_B);

#endif
