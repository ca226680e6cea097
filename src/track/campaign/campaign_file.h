/* The file of a campaign: which matrices, which configurations. Every matrix with every run is a
 * job.
 *
 *     # a comment
 *     matrix gen:laplace3d:100
 *     matrix suite/kkt?.mtx.gz "with blanks.mtx"
 *     run crs: --threads 8
 *     run sell: --format sell:8,64 --threads 8
 *
 * Patterns and names are relative to the file's folder. Words are separated by blanks; single and
 * double quotes keep them together, and in quotes *, ? and [ are themselves; # begins a comment
 * where a word could begin. */
#ifndef SP_TRACK_CAMPAIGN_FILE_H
#define SP_TRACK_CAMPAIGN_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum {
    SP_MOST_WORDS = 64,         /* of a line */
    SP_MOST_JOBS = 1000 * 1000, /* of a campaign */
};

struct sp_campaign_run {
    char name[64];
    int n_words;
    char **word; /* [n_words] options of analyze, as typed; owned */
    int64_t line;
};

struct sp_campaign_matrix {
    char *text; /* as in the file, patterns replaced by what they stand for: "suite/a.mtx"; owned */
    char *path; /* what analyze is given; owned */
    int64_t line;
    int64_t size_B, modified_ns; /* of a file; 0: it is generated */
};

struct sp_campaign_job {
    const struct sp_campaign_matrix *matrix;
    const struct sp_campaign_run *run;
    char task[17]; /* hash of options, matrix, its size and time, round */
    char id[17];   /* that and the machine, where each does all jobs; else the same as task */
};

/* Zero-initialise; sp_campaign_free(). */
struct sp_campaign {
    int n_runs, n_matrices, n_jobs;
    struct sp_campaign_run *run;
    struct sp_campaign_matrix *matrix;
    struct sp_campaign_job *job; /* matrix by matrix */
};

/* Reads it. SP_INPUT names file and line: a word that it does not know, a matrix that is not there,
 * a pattern that fits nothing, a name that is no UTF-8, two runs of one name or with the same
 * options. `round`: a word by which all jobs are new ones, ""; `host`: "" where each job is to be
 * done once, else by every machine of such a name. */
enum sp_status sp_campaign_read(const char *path, const char *round, const char *host,
                                struct sp_campaign *campaign, struct sp_error *err);
void sp_campaign_free(struct sp_campaign *campaign);

/* Splits a line into words, in place; *n of at most SP_MOST_WORDS. Returns what is wrong with it,
 * NULL: nothing. Characters of patterns in quotes become marks, which sp_campaign_unmark() makes
 * what they were. */
const char *sp_campaign_split(char *line, char *word[], int *n);

/* Options in one way of writing: "--threads=8 --format crs" and its reverse hash alike. */
uint64_t sp_campaign_hash_options(char *const *word, int n);

#endif
