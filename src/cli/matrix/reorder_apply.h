/* A vector into a new order, and back: reorder --apply. */
#ifndef SP_CLI_REORDER_APPLY_H
#define SP_CLI_REORDER_APPLY_H

#include <stdbool.h>

#include "base/status.h"

/* Element i of `to` is element p(i) of `vector`, p the permutation of the file; `inverse` undoes that.
 * SP_INPUT where lengths differ or the file is no permutation. */
enum sp_status sp_reorder_apply(const char *vector, const char *permutation, const char *to, bool inverse,
                                struct sp_error *err);

#endif
