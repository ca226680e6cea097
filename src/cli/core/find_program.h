/* Programs on the PATH. */
#ifndef SP_CLI_FIND_PROGRAM_H
#define SP_CLI_FIND_PROGRAM_H

#include <stddef.h>

/* The full path of an executable `name`, in `path`; NULL when no directory of $PATH has it. */
const char *sp_find_program(const char *name, char *path, size_t size);

#endif
