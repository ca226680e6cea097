/* Text of others in Markdown [CommonMark 0.31, with the tables of GitHub]. */
#ifndef SP_BASE_MARKDOWN_TEXT_H
#define SP_BASE_MARKDOWN_TEXT_H

#include <stdio.h>

/* Text that shows as it is, in a paragraph, an item or the cell of a table: what could begin emphasis, code,
 * a link, HTML, an entity, a formula, a cell, or at its begin a heading, a list or a rule gets a backslash;
 * line ends become blanks, other control characters visible (base/visible.h). */
void sp_markdown_text(FILE *out, const char *text);

#endif
