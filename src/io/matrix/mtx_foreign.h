/* Files that are called .mtx and are something else. */
#ifndef SP_IO_MTX_FOREIGN_H
#define SP_IO_MTX_FOREIGN_H

#include <stdint.h>

#include "base/status.h"

/* As far as is looked, [B]: a stream has read so much when it asks, or all that there is. */
enum { SP_MTX_FOREIGN_LOOK = 4096 };

/* SP_INPUT that says what text[n], which has no Matrix Market banner, looks like and what to do about it. */
enum sp_status sp_mtx_foreign(const char *path, const char *text, int64_t n, struct sp_error *err);

#endif
