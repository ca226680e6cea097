/* Places for labels, so that none lies over another, and few over lines and points. */
#ifndef SP_PLOTS_PLACES_H
#define SP_PLOTS_PLACES_H

#include <stdbool.h>
#include <stddef.h>

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
