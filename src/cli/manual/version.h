/* `spmodel --version`: version, revision, compiler, and the optional parts of the build. */
#ifndef SP_CLI_VERSION_H
#define SP_CLI_VERSION_H

#include <stdbool.h>
#include <stdio.h>

/* As lines for people, the first "spmodel VERSION (REVISION)", or as JSON. */
void sp_version_print(bool as_json, FILE *out);

#endif
