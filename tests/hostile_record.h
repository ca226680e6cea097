/* Hostile text in records: every place of docs/record.schema.json that may hold text, found by walking the
 * schema, so that a new field is tested without a word here. */
#ifndef SP_TESTS_HOSTILE_RECORD_H
#define SP_TESTS_HOSTILE_RECORD_H

#include <jansson.h>

/* The places: "tool.version", "roofs[].origin" (each item), "config.env{}" (each value of a free object),
 * "config.env{key}" (the name of one more member). Words of enumerations are in, too: a record from elsewhere
 * keeps to no list. */
struct hostile_places {
    char (*path)[192]; /* [n] */
    int n;
};

/* Owned by the caller. n = 0: memory is short, or a $ref leads nowhere. */
struct hostile_places hostile_places_of(const json_t *schema);
void hostile_places_free(struct hostile_places *places);

/* A copy of the record with `text` (UTF-8) in one place: in every item of the lists on the way; objects and
 * lists that are missing are made with one member. What is not on the way the record and its copy share: change
 * neither. *n: how many strings were set, 0: the way is barred, because the record has another type there. */
json_t *hostile_copy(json_t *record, const char *path, const char *text, int *n);

#endif
