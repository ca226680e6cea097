/* What the writers of gnuplot scripts share: quoting, the common look, and names of what is drawn. */
#ifndef SP_PLOTS_SCRIPT_H
#define SP_PLOTS_SCRIPT_H

#include <stdio.h>

#include "io/record_words.h"
#include "plots/plot.h"

/* Colours that colour-blind readers can tell apart (P. Tol's "bright"), and greys. */
#define SP_BLUE   "#4477aa"
#define SP_RED    "#cc3344"
#define SP_GREEN  "#228833"
#define SP_YELLOW "#ccbb44"
#define SP_CYAN   "#33a0cc"
#define SP_PURPLE "#aa3377"
#define SP_GREY   "#888888"
#define SP_INK    "#333333"
#define SP_GRID   "#dddddd"
/* Ends a double-quoted label of the x axis that has the key below it: one line more, as keys are set too
 * near. */
#define SP_ROOM_FOR_KEY "\\n\" offset 0,0.4"
/* The colour of record i in pictures of several. */
const char *sp_series_color(int i);

/* `text` as a gnuplot string in single quotes, in which nothing is expanded; control characters dropped. */
void sp_script_string(FILE *out, const char *text);
/* Border, grid, tics, text colours; every plot starts with it. */
void sp_script_look(FILE *out, enum sp_term term);
/* `set title 'WORDS   MATRIX   SpMV CRS f64/i32, 18 threads, MACHINE'`; words may be "". */
void sp_script_title(FILE *out, const struct sp_record *record, const char *words);
/* "kkt_power  CRS" for keys. */
char *sp_script_name(char *text, size_t size, const struct sp_record *record);
/* Dash type of an origin: measured solid, simulated and modelled dashed, stated dotted. */
int sp_origin_dash(enum sp_origin origin);
/* A step of 1, 2 or 5 times a power of ten that cuts `range` into at most `most` parts. */
double sp_nice_step(double range, int most);
/* The whole decade below and above x > 0. */
double sp_decade_below(double x);
double sp_decade_above(double x);

#endif
