/* Ways of a cache kept for some arrays, as text: LEVEL:ARRAYS=WAYS, several separated by commas,
 * for example
 *
 *     L2:matrix=5    L1:matrix=1,L2:matrix=5    L3:x=8
 *
 * ARRAYS are names of sp_array_name() joined by +, or `matrix`: values and indices, which an
 * execution reads once and which push out what would be used again, or `vectors`: all that is not
 * `matrix`, row pointers too, kept as the ways that `matrix` has then. The other arrays have the
 * ways that are left. */
#ifndef SP_MODEL_PARTITION_H
#define SP_MODEL_PARTITION_H

#include <stddef.h>

#include "base/reading.h"
#include "base/status.h"
#include "model/machine.h"

/* One level's "matrix=5". SP_USAGE: an array that is not known, or not 1 ... ways - 1 of the
 * cache's ways (of 16 where it is fully associative); the cache is as before. */
enum sp_status sp_partition_of_cache(const char *text, size_t length, struct sp_cache *cache,
                                     struct sp_error *err);
/* As a machine file has it: also "matrix" of a cache that is whole, and can be divided so. */
enum sp_status sp_partition_described(const char *text, struct sp_cache *cache, struct sp_error *err);
void sp_partition_clear(struct sp_machine *machine);
/* Of a whole machine. SP_USAGE: also a level that it does not have or that is named twice, or no
 * such text; the machine is as before. */
enum sp_status sp_partition_set(const char *text, struct sp_machine *machine, struct sp_error *err);

/* "matrix=5"; "matrix" of a cache that can be divided so, "" where nothing is said. */
char *sp_partition_cache_text(char *text, size_t size, const struct sp_cache *cache);
/* "L1:matrix=1,L2:matrix=5"; "" where no cache is divided. */
char *sp_partition_text(char *text, size_t size, const struct sp_machine *machine);

/* Part of the cache's ways, 0 ... 1, that the array may use: 1 of a cache that is not divided. */
double sp_partition_share(const struct sp_cache *cache, enum sp_array array);

#endif
