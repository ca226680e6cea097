/* CSV from flat JSON objects, so that a command describes its figures once for both. */
#ifndef SP_CLI_FLAT_CSV_H
#define SP_CLI_FLAT_CSV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* A row of the members in their order, behind a header of their keys where asked; null is an empty cell. Rows
 * under one header must have the same keys. */
void sp_flat_csv(const json_t *object, bool with_header, FILE *out);

#endif
