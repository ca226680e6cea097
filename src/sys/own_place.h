/* Where this code lies on disk: in a program, or in a shared library that another one uses. */
#ifndef SP_SYS_OWN_PLACE_H
#define SP_SYS_OWN_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* The folder of the library, where this function is in one, else of the program, links resolved.
 * False where it is unknown or too long. */
bool sp_own_folder(char *folder, size_t size, bool *is_library);

#endif
