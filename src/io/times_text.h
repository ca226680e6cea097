/* Times that somebody took: numbers with units, on a command line or in a file. */
#ifndef SP_IO_TIMES_TEXT_H
#define SP_IO_TIMES_TEXT_H

#include <stdint.h>

#include "base/status.h"

/* Zero-initialise; sp_times_free(). */
struct sp_times {
    int64_t n;
    double *time_s; /* [n] above 0 [s]; owned */
};

/* "1.23ms", "1.23ms,1.21 ms": numbers with ns, us, ms, s, min or h, between which stand commas,
 * semicolons or blanks. Without units all are seconds; some with and some without are refused,
 * since a comma may have been meant as a decimal point. `from` is named by errors: SP_USAGE. */
enum sp_status sp_times_of_text(const char *text, const char *from, struct sp_times *times,
                                struct sp_error *err);
/* The same from a file, over any number of lines; # begins a comment. SP_INPUT names the line. */
enum sp_status sp_times_read(const char *path, struct sp_times *times, struct sp_error *err);
void sp_times_free(struct sp_times *times); /* safe twice */

#endif
