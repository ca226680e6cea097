/* JSON of others: records, machine files, answers of students, claims. This is where it comes in.
 *
 * Every string and every key is made visible and one line (base/escape.h) as it is read, so that
 * nothing that is printed, hashed or compared later can hold a line end or what a terminal obeys.
 * What this program writes of such a document, a record that is added to a store, holds the visible
 * form, which reads as itself. */
#ifndef SP_IO_JSON_TEXT_H
#define SP_IO_JSON_TEXT_H

#include <jansson.h>

/* As json_loadb does (flags, fault: may be NULL); NULL also for no memory. A new reference. */
json_t *sp_json_parse(const char *text, size_t size, size_t flags, json_error_t *fault);

/* A string of any bytes in its visible form: a new reference; NULL: no memory, or no `text`. */
json_t *sp_json_string(const char *text);
/* Text of ours, line ends and all; null where there is none, NULL or "". */
json_t *sp_json_text(const char *text);
/* A number, null where it is not finite. */
json_t *sp_json_number(double x);

#endif
