/* The one judge of the data lines of a Matrix Market file: whoever reads them fast, and finds that something
 * is wrong, asks it what. It goes in the order of the file, so that the answer is the first fault of the
 * file, however the reading was cut into shares and blocks. */
#ifndef SP_IO_MTX_JUDGE_H
#define SP_IO_MTX_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/matrix/mtx_header.h"

struct sp_mtx_judge {
    const struct sp_mtx_header *h; /* borrowed */
    int64_t n_entries;             /* of the lines judged so far */
    int64_t line;                  /* 1-based: the next one */
    int64_t first_line; /* of the first entry off the diagonal where one triangle is wanted; 0: none yet */
    bool first_is_lower;
};

struct sp_mtx_judge sp_mtx_judge_begin(const struct sp_mtx_header *h);

/* Complete lines, each with its '\n'. SP_INPUT with line and column at the first that is no entry, lies in
 * the other triangle than those before, or is one more than the size line announces. */
enum sp_status sp_mtx_judge_lines(struct sp_mtx_judge *judge, const char *begin, const char *end,
                                  struct sp_error *err);
/* Behind the last line: SP_INPUT where entries are missing. */
enum sp_status sp_mtx_judge_end(const struct sp_mtx_judge *judge, struct sp_error *err);

/* For who asked because something is wrong, and was told that nothing is. */
enum sp_status sp_mtx_judge_disagrees(const struct sp_mtx_judge *judge, struct sp_error *err);

#endif
