/* What `spmodel validate` shows. */
#ifndef SP_CLI_VALIDATE_PRINT_H
#define SP_CLI_VALIDATE_PRINT_H

#include <stdio.h>

#include "session/validate/validation.h"

/* The table of all lines that were compared, what they say together, the worst of them, the bounds,
 * and what is not compared and why. verbosity above 0: all names instead of the first ones.
 * SP_MEMORY. */
enum sp_status sp_validate_print(const struct sp_validation *v, int verbosity, FILE *out,
                                 struct sp_error *err);

/* A row for each line that was compared, with a header. */
void sp_validate_csv(const struct sp_validation *v, FILE *out);

#endif
