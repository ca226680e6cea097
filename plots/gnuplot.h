/* gnuplot: its terminals, and a run on a script. */
#ifndef SP_PLOTS_GNUPLOT_H
#define SP_PLOTS_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum sp_image { SP_TERM_SVG, SP_TERM_PDF, SP_TERM_PNG, SP_TERM_TXT, SP_TERM_GP, SP_N_TERMS };
/* "svg", "pdf", "png", "txt", "gp": also the endings of file names. */
const char *sp_term_name(enum sp_image term);
int sp_term_from_name(const char *name); /* -1: none */
enum { SP_TEXT_COLUMNS = 80 };           /* of a picture as text */

/* Starts `program` directly (no shell), in the root folder, without the user's start-up files and
 * with few variables of the environment, hands it the script, and returns what it writes to
 * standard output: picture[size] and a 0, to be freed. It is told no name of a file, so that it
 * opens none, and it is read from a pipe: a full disk shows where the caller writes. Waits at most
 * timeout_s. SP_ABSENT: it cannot be started; SP_OUTPUT: it failed (its own words are in the error)
 * or took too long; SP_BUG: the script would start other programs, which gnuplot knows no option
 * against. */
enum sp_status sp_gnuplot_run(const char *program, const char *script, double timeout_s, char **picture,
                              size_t *size, struct sp_error *err);

/* The script has the commands of plots only, closes its quotes, and outside of them names no
 * function that starts a program, and no file to draw into. */
bool sp_gnuplot_is_harmless(const char *script);

/* What a mouse over a point shows. */

/* gnuplot writes hypertext (SP_HOVER) as calls of a script. In their place, in the picture
 * svg[*size], which a 0 follows, come titles, which need none: SP_SVG_VALUE, the text,
 * "</title>". */
#define SP_SVG_VALUE "<g class=\"value\"><title>"
void sp_svg_hover(char *svg, size_t *size);

#endif
