/* Patterns that libspmodel-attach.so keeps of matrices that it meets (base/attach_log.h): positions
 * without values, which are read as ones. */
#ifndef SP_IO_PATTERN_FILE_H
#define SP_IO_PATTERN_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/matrix/load_options.h"
#include "sparse/csr/csr.h"

bool sp_pattern_is(const char *text, int64_t n);

/* text[n] is the whole content of `path`. SP_INPUT with what is wrong. */
enum sp_status sp_pattern_read(const char *path, const char *text, int64_t n,
                               const struct sp_load_options *options, struct sp_csr *matrix,
                               struct sp_load_facts *facts, struct sp_error *err);

#endif
