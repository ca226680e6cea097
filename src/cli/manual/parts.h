/* Parts that the pages of the manual share. Names are those typed, "spmodel track check": pages are called
 * spmodel-track-check. */
#ifndef SP_CLI_MANUAL_PARTS_H
#define SP_CLI_MANUAL_PARTS_H

#include <stdio.h>

#include "cli/core/page.h"

/* Everything before the first section. */
void sp_manual_header(const char *name, int section, FILE *out);
void sp_manual_name(const char *name, FILE *out);
/* The page in bold, its section behind it; no newline. */
void sp_manual_reference(const char *name, int section, FILE *out);
/* EXIT STATUS: the codes of this page; NULL: all, and which of several counts. */
void sp_manual_exit_codes(const struct sp_page *page, FILE *out);
/* EXAMPLES; nothing where there are none. */
void sp_manual_examples_list(const struct sp_example *example, FILE *out);

#endif
