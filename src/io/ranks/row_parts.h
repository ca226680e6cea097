/* Partition files: the part of each row, a line each, counted from 0, as METIS and Scotch's gpart
 * write and read them. */
#ifndef SP_IO_ROW_PARTS_H
#define SP_IO_ROW_PARTS_H

#include <stdint.h>

#include "base/status.h"

/* part[n_r], allocated, for free(); *n_parts: the largest number and one. SP_INPUT with the line:
 * no whole number from 0 on, or not n_r of them. */
enum sp_status sp_row_parts_read(const char *path, int64_t n_r, int32_t **part, int *n_parts,
                                 struct sp_error *err);
enum sp_status sp_row_parts_write(const char *path, const int32_t *part, int64_t n_r, struct sp_error *err);

#endif
