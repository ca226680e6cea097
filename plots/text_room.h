/* How wide text gets in a picture, so that nothing is clipped. */
#ifndef SP_PLOTS_TEXT_ROOM_H
#define SP_PLOTS_TEXT_ROOM_H

#include <stdbool.h>
#include <stddef.h>

/* Width in units of the size of the font [em]: about that of DejaVu Sans, the widest of the usual fonts, and
 * rather too much than too little. */
double sp_text_em(const char *text);

/* Takes out of the middle what makes the text wider than `most` [em; characters where `columns`] and puts an
 * ellipsis there. */
void sp_text_fit(char *text, size_t size, double most, bool columns);

#endif
