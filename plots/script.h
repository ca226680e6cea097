/* What the writers of gnuplot scripts share: the script itself, the common look, and names of what
 * is drawn.
 *
 * gnuplot runs commands of the shell that stand in a script, and records come from anywhere. So
 * three things get into a script, and nothing else does: words of this program, which the compiler
 * demands to be string literals; numbers, among them colours and words of an enumeration; and text
 * in the one type that is quoted. A char * is none of them and does not compile
 * (tests/cli/script_types.sh). */
#ifndef SP_PLOTS_SCRIPT_H
#define SP_PLOTS_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "io/record/record.h"

/* gnuplot: its terminals, and a run on a script. */

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

/* Colours that colour-blind readers can tell apart, and greys. */
enum {
    SP_BLUE = 0x4477aa,
    SP_RED = 0xcc3344,
    SP_GREEN = 0x009e73,
    SP_YELLOW = 0xccbb44,
    SP_CYAN = 0x33a0cc,
    SP_SKY = 0x88ccee,
    SP_INDIGO = 0x332288,
    SP_PURPLE = 0xaa3377,
    SP_GREY = 0x888888,
    SP_INK = 0x333333,
    SP_GRID = 0xdddddd,
    SP_WHITE = 0xffffff,
};
/* How series i looks in pictures of several: no two of the first SP_N_SERIES have the same shape,
 * nor colours that are one for people who see no red or no green (test_plots.c computes it). */
enum { SP_N_SERIES = 7 };
struct sp_series {
    int color, filled, hollow; /* types of gnuplot's points: measured, simulated or modelled */
};
struct sp_series sp_series(int i);

/* Words that a number can stand for. */
enum sp_word { SP_LEFT, SP_RIGHT, SP_CENTER, SP_X, SP_Y, SP_FLOP, SP_BYTE, SP_N_WORDS };

/* A string of gnuplot in single quotes, in which nothing is expanded; made by sp_quote() alone. */
struct sp_quoted {
    char text[1040];
};
/* Quotes any text: what is no character of a line of print (controls, marks of direction, broken
 * UTF-8) is shown as U+FFFD, an apostrophe that gnuplot would misread as a typographic one, and
 * after 255 characters follows an ellipsis. */
struct sp_quoted sp_quote(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same without what lies in the middle where it is wider than `most` (plots/script.h): em,
 * characters of text in a terminal. */
struct sp_quoted sp_quote_within(double most, enum sp_image term, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for the text of SP_HOVER, which gnuplot reads twice: typographic quotes. */
struct sp_quoted sp_quote_value(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Its width: em, characters of text in a terminal. */
double sp_text_width(struct sp_quoted text, enum sp_image term);

struct sp_script;

/* A script onto a stream, made by write(). */
void sp_script_write(FILE *stream, void (*write)(struct sp_script *out, const void *context),
                     const void *context);

/* sp_put(script, "set xrange [%g:%.6g] lc rgb %c\n", lo, hi, SP_RED): words with the numbers that
 * they ask for. sp_put_text(script, sp_quote("%s", name), "set label %t at %g,%g\n", x, y): the
 * same around one text. Conversions: %d whole number, %g and %f as in printf, %c a colour in
 * quotes, %x one as a number, %w a word of enum sp_word, %t the text, %%. Anything else, and
 * another number of numbers, aborts. */
#define sp_put(out, ...)            sp_script_put(out, SP_SPLIT(__VA_ARGS__, 0))
#define sp_put_text(out, text, ...) sp_script_text(out, text, SP_SPLIT(__VA_ARGS__, 0))
/* Of the arguments the first, and a list of the others with its length. */
#define SP_SPLIT(words, ...) "" words "", SP_LIST(__VA_ARGS__), sizeof SP_LIST(__VA_ARGS__) / sizeof(double)
/* Of numbers; of anything else it does not compile. */
#define SP_LIST(...) ((const double[]){__VA_ARGS__})
/* Between two clauses of a plot command. */
#define SP_NEXT ", \\\n    "
/* number[n]: the last one belongs to nothing, as there may be none. */
void sp_script_put(struct sp_script *script, const char *words, const double *number, size_t n);
void sp_script_text(struct sp_script *script, struct sp_quoted text, const char *words, const double *number,
                    size_t n);

/* "set xtics (", then 'TEXT' AT with commas between; the caller puts the bracket and the rest. */
void sp_script_tics(struct sp_script *script, enum sp_word axis);
void sp_script_tic(struct sp_script *script, struct sp_quoted text, double at);

/* Round numbers on a logarithmic axis, the more of them the shorter the range. */
void sp_script_round_tics(struct sp_script *script, enum sp_word axis, double lo, double hi);

/* The x axis in bytes: whole decades and, where these are few, 2 and 5 times them, with units. */
void sp_script_byte_tics(struct sp_script *script, double lo, double hi);

/* What a mouse over a point shows, in SVG alone: `$DATA using X:Y:(TEXT)` SP_HOVER. plot.c makes
 * titles of what gnuplot writes. */
#define SP_HOVER " with labels hypertext point pt 7 ps 1.3 lc rgb '#ffffffff' notitle"

/* A part of the picture, in fractions of its width and height. */
struct sp_panel {
    double left, right, bottom, top;
    double px; /* width of the whole picture, columns of text */
    int font;  /* size of what stands in it [px] */
};

/* A frame of a picture of width x height [px] with a key of n lines below it, and the x axis called
 * so; in text gnuplot finds the places. `from` and `to`: left and right margin [px]. */
struct sp_key {
    struct sp_panel panel;
    double most; /* width of a line of the key (sp_quote_within) */
};
struct sp_key sp_script_frame(struct sp_script *script, struct sp_quoted x_label, int width, int height,
                              double from, double to, int n, enum sp_image term);

/* `set title 'WORDS   MATRIX   SpMV CRS f64/i32, 18 threads, MACHINE'`, as wide as `most` (sp_quote_within)
 * at most; words may be "". */
void sp_script_title(struct sp_script *script, const struct sp_record *record, const char *words, double most,
                     enum sp_image term);
/* "kkt_power  CRS" for keys; the middle of a long name is left out. */
char *sp_script_name(char *text, size_t size, const struct sp_record *record);
/* Dash type of an origin: measured solid, simulated and modelled dashed, stated dotted. */
int sp_origin_dash(enum sp_origin origin);
/* A step of 1, 2 or 5 times a power of ten that cuts `range` into at most `most` parts. */
double sp_nice_step(double range, int most);

/* The losses of records[n] in a part of the picture, the right half of the roofline for example. */
void sp_losses_panel(const struct sp_record *const *records, int n, struct sp_panel panel,
                     struct sp_quoted title, enum sp_image term, struct sp_script *out);
bool sp_losses_known(const struct sp_record *record);

/* Places for labels, so that none lies over another, and few over lines and points. */

/* A rectangle around x, y [px], y upwards; turned by `turn` [radians]. */
struct sp_box {
    double x, y, width, height, turn;
};

enum { SP_MOST_BOXES = 160 };
/* What a label must not meet, and what it should not. */
enum sp_taken_by { SP_BY_LINE = 1, SP_BY_POINT = 8, SP_BY_TEXT = 1000 };

struct sp_places {
    double width, height; /* [px] of the panel: what reaches out of it is refused as text is */
    int n;
    struct sp_box box[SP_MOST_BOXES];
    enum sp_taken_by by[SP_MOST_BOXES];
};

bool sp_boxes_meet(const struct sp_box *a, const struct sp_box *b);
/* Further boxes than there is room for are ignored. */
void sp_places_take(struct sp_places *places, struct sp_box box, enum sp_taken_by by);
/* A line from x0, y0 to x1, y1. */
void sp_places_take_line(struct sp_places *places, double x0, double y0, double x1, double y1);
/* Takes the one of choice[n] that meets least, the earlier of equals, for text, and returns its
 * index; -1: each of them meets what weighs as much as `meets`, SP_BY_TEXT at most, or leaves the
 * panel. */
int sp_places_choose(struct sp_places *places, const struct sp_box *choice, int n, enum sp_taken_by meets);

/* How wide text gets in a picture, so that nothing is clipped. */

/* Width in units of the size of the font [em]: about that of DejaVu Sans, the widest of the usual
 * fonts, and rather too much than too little. */
double sp_text_em(const char *text);

/* An ellipsis in the middle of a text wider than `most` [em; characters where `columns`]. */
void sp_text_fit(char *text, size_t size, double most, bool columns);

#endif
