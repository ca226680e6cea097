/* A pen writes lines of a terminal report: it knows the width, the colours and whether the reader's
 * terminal speaks UTF-8, and breaks lines. Text handed to it is UTF-8; what came from a file cannot
 * move the cursor, change colours or begin a line, because control characters are made visible
 * (base/escape.h). */
#ifndef SP_REPORT_PEN_H
#define SP_REPORT_PEN_H

#include <stdbool.h>
#include <stdio.h>

/* How a report is drawn. */
struct sp_report_style {
    bool color;    /* ANSI colours */
    int width;     /* columns of the terminal; 0: 100 */
    bool utf8;     /* else everything is ASCII: bars of '#', "+-", "..." */
    int verbosity; /* 0 and below: verdict, losses, hints; 1: all sections, -1: nothing beside the report */
};

enum sp_ink {
    SP_INK_PLAIN,
    SP_INK_BOLD,
    SP_INK_DIM,
    SP_INK_RED,
    SP_INK_GREEN,
    SP_INK_YELLOW,
    SP_INK_BLUE,
    SP_INK_MAGENTA,
    SP_INK_CYAN
};

struct sp_pen {
    FILE *out;
    bool color, utf8;
    int width;
    int column; /* columns already used in this line */
    int indent; /* where a broken line goes on */
    int lines;  /* ended so far */
};

void sp_pen_open(struct sp_pen *pen, const struct sp_report_style *style, FILE *out);

/* Text on the current line, never broken. */
void sp_pen_put(struct sp_pen *pen, enum sp_ink ink, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* `gap` blanks and the text; on a new line at the indent where it does not fit. */
void sp_pen_part(struct sp_pen *pen, enum sp_ink ink, int gap, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Running text, broken at blanks. */
void sp_pen_words(struct sp_pen *pen, enum sp_ink ink, const char *text);
/* Blanks up to `column`; at least one where the line is already longer. */
void sp_pen_tab(struct sp_pen *pen, int column);
/* `text` right-aligned so that it ends before `column`. */
void sp_pen_right(struct sp_pen *pen, enum sp_ink ink, int column, const char *text);
/* A bar of `columns` >= 0 (fractions in eighths of a block); hatched: for a negative share. */
void sp_pen_bar(struct sp_pen *pen, enum sp_ink ink, double columns, bool hatched);
void sp_pen_end(struct sp_pen *pen); /* ends the line */

/* Columns that `text` takes on this pen. */
int sp_pen_columns(const struct sp_pen *pen, const char *text);

#endif
