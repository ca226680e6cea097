/* What the verbs of `spmodel track` share: the store, the records that are meant, reading. */
#ifndef SP_CLI_TRACK_OPTIONS_H
#define SP_CLI_TRACK_OPTIONS_H

#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "track/store/index.h"

struct sp_track_options {
    struct sp_common_options common;
    const char *store;   /* NULL: $SPMODEL_STORE, else spmodel-store */
    bool rebuild;        /* read all records again */
    const char *matrix;  /* shell pattern of the matrix' name */
    const char *what;    /* part of the configuration's text: "sell", "2 threads" */
    const char *series;  /* beginning of a series key */
    const char *commit;  /* beginning of the user's commit */
    const char *machine; /* shell pattern */
    char since[24];      /* as records have it, compared as text; "": any */
    int64_t last;        /* the last N records of each series; 0: all */
};

/* Child parsers; their input is a struct sp_track_options. */
extern const struct argp sp_track_store_argp; /* --store, --rebuild */
extern const struct argp
    sp_track_select_argp; /* also --matrix, --what, --series, --commit, --machine, --since */
extern const struct argp sp_track_list_argp; /* also --last: of verbs that list records */

/* Children of a verb that takes records and the common options, none of which write files. */
extern const struct argp_child sp_track_children[], sp_track_list_children[] /* with --last */;
/* In ARGP_KEY_INIT of a verb with these children, or another of the parsers above before another of
 * sp_common_*_argp: where both put what they read. */
void sp_track_pass(struct argp_state *state, struct sp_track_options *options);

/* A verb of `spmodel track`: one row in cmd_track.c. argv[0] is "spmodel track NAME". */
extern const struct sp_verb sp_track_add, sp_track_log, sp_track_export, sp_track_check, sp_track_locate,
    sp_track_accept, sp_track_plot, sp_track_report, sp_track_import, sp_track_selftest, sp_track_simulate,
    sp_track_hints;

/* Opens the store and its index; damaged files are reported and make *code 3, the others are
 * usable. The exit code of what failed, 0: *index is to be freed with sp_index_free(). */
int sp_track_open(const struct sp_track_options *options, struct sp_store *store,
                  struct sp_store_index *index, int *code);

/* The store that is meant. */
const char *sp_track_store_path(const struct sp_track_options *options);

/* Pointers to the entries that are meant, complete records with a series only: series after series
 * in the order of their names, each by start. SP_MEMORY. *list is to be freed. */
enum sp_status sp_track_select(const struct sp_track_options *options, const struct sp_store_index *index,
                               const struct sp_entry ***list, int64_t *n, struct sp_error *err);

/* Is it of the commit, of the time and of the machine that the options mean? */
bool sp_track_is_of_place_and_time(const struct sp_track_options *options, const struct sp_entry *entry);

/* End of the series that begins at list[first]. */
int64_t sp_track_series_end(const struct sp_entry *const *list, int64_t n, int64_t first);

/* What of a series can be compared (track/judge/comparable.h), by one metric: what can be accepted,
 * located or drawn together. Of times, what was measured in one environment. */
struct sp_strand {
    const struct sp_entry *const *list; /* [n] by start */
    int64_t n;
    enum sp_tracked metric;
    bool is_only; /* all of the series that is meant */
};
/* What a verb does with one. */
typedef enum sp_status sp_strand_visitor(void *context, const struct sp_store *store,
                                         const struct sp_store_index *index, const struct sp_strand *strand,
                                         struct sp_error *err);
/* Opens the store, visits every series that is meant, one after the other all that can be compared
 * by the metric, and returns the exit code; SP_INPUT where none is. */
int sp_track_visit(const struct sp_track_options *options, enum sp_tracked metric, sp_strand_visitor *visit,
                   void *context);

/* The same of list[n], which sp_track_select() gave, within an open store; the list is sorted for
 * it. */
enum sp_status sp_track_visit_list(enum sp_tracked metric, sp_strand_visitor *visit, void *context,
                                   const struct sp_store *store, const struct sp_store_index *index,
                                   const struct sp_entry **list, int64_t n, struct sp_error *err);

/* "gen:hpcg:80 · spmv crs f64/i32 nnz 2 threads". */
char *sp_track_title(const struct sp_entry *entry, char *text, size_t size);
/* Where it belongs, behind the title where that does not tell: " on MACHINE (environment
 * 0123abcd)", for a simulated metric " on MACHINE (simulated caches 0123abcd)". */
char *sp_track_place(const struct sp_entry *entry, enum sp_tracked metric, char *text, size_t size);
/* The same of a strand; "" where it is the only one of its series. */
char *sp_strand_place(const struct sp_strand *strand, char *text, size_t size);

#endif
