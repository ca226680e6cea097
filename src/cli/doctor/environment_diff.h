/* Where two records were measured: the facts that make them comparable or not. */
#ifndef SP_CLI_ENVIRONMENT_DIFF_H
#define SP_CLI_ENVIRONMENT_DIFF_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

/* Is it a file with a record? */
bool sp_is_record_file(const char *name);

/* Prints both environments and each fact that differs. SP_UNDECIDED: they differ, or a record does not say
 * where it was measured; SP_INPUT: one of them is no record. */
enum sp_status sp_environment_diff(const char *a, const char *b, FILE *out, struct sp_error *err);

#endif
