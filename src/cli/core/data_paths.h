/* Where the files are that come with the program: machines, labs, data. */
#ifndef SP_CLI_DATA_PATHS_H
#define SP_CLI_DATA_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* The folder `what` ("machines"): of the source tree where this program lies in its build tree, else in
 * share/spmodel as seen from the program, wherever it was installed or moved to. False where the program's
 * own place is unknown or the path too long; whether the folder exists is not looked at. */
bool sp_data_path(const char *what, char *path, size_t size);

#endif
