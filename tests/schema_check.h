/* Validates JSON against the part of JSON Schema 2020-12 that docs/record.schema.json and
 * docs/machine.schema.json use: type, enum, required, properties, additionalProperties, items, minimum,
 * pattern, anyOf, $ref into $defs. */
#ifndef SP_TESTS_SCHEMA_CHECK_H
#define SP_TESTS_SCHEMA_CHECK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* true: `value` obeys `schema`; else `text` names the place and the fault. A schema with a keyword that is
 * not known here is a fault, too. */
bool schema_check(const json_t *schema, const json_t *value, char *text, size_t size);

#endif
