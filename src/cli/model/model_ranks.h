/* `spmodel model M --ranks ...`: a matrix over the ranks of a cluster. */
#ifndef SP_CLI_MODEL_RANKS_H
#define SP_CLI_MODEL_RANKS_H

#include <stdbool.h>

#include "cli/core/options.h"
#include "cli/core/output.h"
#include "session/ranks/scaling.h"

struct sp_ranks_options {
    int count[SP_MOST_COUNTS]; /* ascending */
    int n_counts;              /* 0: not asked for */
    int per_node;              /* 0: not said */
    const char *network;       /* as typed; NULL */
};

/* "2,4,8", "2,4,...,4096" (goes on as the last two do), each a whole number above the one before;
 * a wrong one ends the program. */
void sp_ranks_counts_set(struct argp_state *state, const char *arg, struct sp_ranks_options *o);
void sp_ranks_per_node_set(struct argp_state *state, const char *arg, struct sp_ranks_options *o);

/* For people: the table, what it says, what would help; verbosity above 0: each rank, too. */
void sp_scaling_print(const struct sp_scaling *s, int verbosity, FILE *out);
/* With a header before the first row of all. */
void sp_scaling_csv(const struct sp_scaling *s, FILE *out);

/* Results of one matrix to where they are asked for; `picture`: a file for the plot, NULL: none. */
struct sp_ranks_output {
    struct sp_sinks *sinks;
    const char *command, *picture;
    int verbosity;
};
enum sp_status sp_ranks_model(const struct sp_scaling_request *request, const struct sp_csr *a,
                              const char *name, const struct sp_progress *progress,
                              const struct sp_ranks_output *to, struct sp_error *err);

#endif
