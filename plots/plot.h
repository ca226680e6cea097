/* Plots: each kind turns records into a gnuplot script that carries its data, so that users can
 * restyle it; gnuplot turns the script into an image. Values are drawn with their origin: measured
 * filled or solid, simulated and modelled hollow or dashed, stated (data sheet) dotted. */
#ifndef SP_PLOTS_PLOT_H
#define SP_PLOTS_PLOT_H

#include <stdio.h>

#include "io/record/record.h"
#include "plots/script.h"

struct sp_script; /* plots/script.h */

/* "a performance (metrics.performance)" */
struct sp_lack {
    const char *words;
    enum sp_record_field field; /* SP_F_NONE: it is not said which */
};
char *sp_lack_text(char *text, size_t size, const struct sp_lack *lack); /* returns text */

struct sp_plot_kind {
    const char *name;    /* "roofline" */
    const char *summary; /* one line for a list */
    int max_records;     /* that fit into one picture */
    int width, height;   /* of the picture [px] */
    /* NULL where this record has what the plot needs, else what it lacks. */
    const struct sp_lack *(*lacks)(const struct sp_record *record);
    /* Everything after `set terminal` and `set output`: data, styles, labels, plot commands. n >= 1
     * records, each of which lacks nothing. */
    void (*write_script)(const struct sp_record *const *records, int n, enum sp_image term,
                         struct sp_script *out);
    int lines; /* of the picture as text, which has SP_TEXT_COLUMNS columns */
};

/* The kinds; plot.c lists them. */
extern const struct sp_plot_kind sp_plot_roofline, sp_plot_losses, sp_plot_alpha, sp_plot_balance,
    sp_plot_beta, sp_plot_saturation, sp_plot_spy, sp_plot_levels, sp_plot_sizes, sp_plot_history,
    sp_plot_campaign, sp_plot_predicted, sp_plot_ways, sp_plot_scaling, sp_plot_halo, sp_plot_ranks;

extern const struct sp_plot_kind *const sp_plot_kinds[];        /* ends with NULL */
const struct sp_plot_kind *sp_plot_kind_find(const char *name); /* NULL: none */

/* Has one picture of this kind room for records[n], each of which has what it needs? */
bool sp_plot_takes(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n);

struct sp_plot_tool {
    const char *gnuplot; /* path of the program; NULL: absent */
    double timeout_s;    /* 0: 60 */
    bool keep_script;    /* beside the picture, under its name with the ending .gp */
};

/* Draws `kind` of records[n] into `path`, which appears complete or not at all. SP_TERM_GP writes
 * the script alone. SP_USAGE: too many records for the kind, the remedy names the kinds that take
 * them; SP_INPUT: a record lacks what the plot needs; SP_ABSENT: gnuplot is absent: then the script
 * is kept and the remedy says how to use it; SP_OUTPUT: gnuplot failed (its own words are in the
 * error) or the file cannot be written. */
enum sp_status sp_plot_write(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                             enum sp_image term, const struct sp_plot_tool *tool, const char *path,
                             struct sp_error *err);
/* The same into memory: bytes[size] and a 0, to be freed; SP_TERM_GP: a script that draws
 * "KIND.svg". SP_ABSENT keeps nothing. */
enum sp_status sp_plot_picture(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                               enum sp_image term, const struct sp_plot_tool *tool, char **bytes,
                               size_t *size, struct sp_error *err);
/* Does it begin and end as gnuplot's pictures for this terminal do? gnuplot exits with 0 when a
 * write failed. Text is as the drawing script writes it, with its last line. Not for SP_TERM_GP. */
bool sp_picture_is_whole(enum sp_image term, const char *bytes, size_t size);
/* The script alone, as in a file that draws `image`, a name without folders; NULL: to stdout. */
void sp_plot_script(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                    enum sp_image term, const char *image, FILE *out);

#endif
