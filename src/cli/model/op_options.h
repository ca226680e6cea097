/* Options of analyze and model that say what is computed: --op, --rhs, --inner, --order. A child parser,
 * whose input is a struct sp_op_options (cli/core/options.h has the manner). */
#ifndef SP_CLI_OP_OPTIONS_H
#define SP_CLI_OP_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "sparse/product/workload.h"

enum { SP_MOST_WIDTHS = 32 };

/* Zero-initialise. */
struct sp_op_options {
    enum sp_op op;
    enum sp_order order;
    int32_t width[SP_MOST_WIDTHS]; /* ascending or not, as typed; SpMV: a single 1 */
    int n_widths;
    bool op_given;
    const char *width_option; /* "rhs" or "inner", where one was given */
};

extern const struct argp sp_op_argp;

/* After parsing: the widths' default where none was given (8 right-hand sides, a width of 64), and --rhs
 * alone means spmmv. SP_USAGE where the option is not one of the operation. */
enum sp_status sp_op_settle(struct sp_op_options *options, struct sp_error *err);

#endif
