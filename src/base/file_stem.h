/* Names of files that the program makes of names that come from elsewhere: of a matrix, a machine, a record.
 */
#ifndef SP_BASE_FILE_STEM_H
#define SP_BASE_FILE_STEM_H

#include <stdbool.h>
#include <stddef.h>

/* `name` in letters and digits of ASCII and "._-", other characters as '_', as is a '-' or '.' in front: no
 * shell, no option parser and no other program sees more in it than a name, and it is in the folder that it
 * is put in. "_" for "". Cut to fit; returns text. */
char *sp_file_stem(char *text, size_t size, const char *name);
/* It is one already. */
bool sp_is_file_stem(const char *name);

#endif
