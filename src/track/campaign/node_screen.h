/* Nodes that stand out among those that measured the same: for each series, the median over the
 * nodes and how far each is from it, in robust standard deviations [Rousseeuw & Croux 1993: 1.4826
 * MAD]. One bad node among many moves neither. */
#ifndef SP_TRACK_NODE_SCREEN_H
#define SP_TRACK_NODE_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "track/campaign/campaign_jobs.h"
#include "track/store/entry.h"

enum { SP_SCREEN_LEAST_NODES = 4 };
#define SP_SCREEN_DEVIATIONS 5.0  /* robust standard deviations that make an outlier ... */
#define SP_SCREEN_FLOOR      0.03 /* ... and at least this share of the median */

/* One node's figure of one series: the median of its records. */
struct sp_node_value {
    char host[65];
    double value;
    double change;   /* value/median - 1; filled by sp_screen */
    bool is_outlier; /* likewise */
};

struct sp_screen {
    int n;
    double median, deviation; /* 1.4826 MAD, relative to the median */
    double limit;             /* change from which on a node stands out */
    bool can_tell;            /* at least SP_SCREEN_LEAST_NODES */
};

/* Judges node[n], all values > 0. SP_MEMORY. */
enum sp_status sp_screen_nodes(struct sp_node_value *node, int n, struct sp_screen *screen,
                               struct sp_error *err);

/* In how many of n_jobs jobs a node has to stand out, so that among n_nodes nodes chance names less
 * than one in a hundred campaigns; a good node stands out in a job with probability
 * SP_SCREEN_CHANCE (from the simulation in docs/tracking.md: 0.6 % of the sets of 8 nodes, of which
 * a job has two). 1 for a single job. */
#define SP_SCREEN_CHANCE 0.0015
int sp_screen_jobs_needed(int n_jobs, int n_nodes);

/* What one record of a campaign says of the node where it was made. */
struct sp_observation {
    const struct sp_campaign_job *job;
    char host[65], series[SP_KEY_TEXT], env[SP_KEY_TEXT];
    double metric[SP_N_TRACKED]; /* NAN: unknown */
    char origin[SP_N_TRACKED][12];
};

/* All complete records of the store that belong to the campaign's tasks, whichever node made them,
 * sorted by job, series, environment, host. *list is to be freed. SP_INPUT: the store cannot be
 * listed; records that cannot be read are counted in *n_bad. */
enum sp_status sp_observations_read(const struct sp_store *store, const struct sp_campaign *campaign,
                                    struct sp_observation **list, int *n, int *n_bad, struct sp_error *err);

/* End of those that may be compared with list[first]: the same job, series and environment. */
int sp_observations_end(const struct sp_observation *list, int n, int first);

/* One value for each host among list[n], which may be compared: the median of what it measured.
 * node[n]; returns how many there are. */
int sp_node_values(const struct sp_observation *list, int n, enum sp_tracked metric,
                   struct sp_node_value *node);

#endif
