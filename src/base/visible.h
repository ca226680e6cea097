/* Text of others made visible: file names, strings of records, words of campaigns. What a terminal
 * would obey instead of showing it (C0 and C1 controls, DEL), what changes the order of the
 * characters that follow, and bytes that are no UTF-8 show as "\n", "\r", "\u001b", "\u202e",
 * "\x9b"; tabs and all else stay as they are. The result is one line of UTF-8. It is the spelling
 * of JSON, so a JSON document keeps its meaning. */
#ifndef SP_BASE_VISIBLE_H
#define SP_BASE_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters of text that may be anything. */
enum { SP_UTF8_INVALID = 0xfffd };

/* The next character, at least one byte further; a byte that belongs to none is one of its own,
 * SP_UTF8_INVALID. 0 at the end, beyond which *text does not go. */
uint32_t sp_utf8_next(const char **text);

/* Would a terminal obey this character? Also of '\n', not of '\t'. */
bool sp_is_control(uint32_t code);

/* How many bytes, `most` at most, up to the first that is not printable ASCII or one of `but`. They
 * are visible as they are, one character each. */
size_t sp_plain_length(const char *text, size_t most, const char *but);

/* Room for one character in its visible form, with '\0'. */
enum { SP_VISIBLE_MOST = 8 };
/* The next character of *text in its visible form, its length in bytes; 0 at the end. */
size_t sp_visible_next(const char **text, char shown[SP_VISIBLE_MOST]);

/* Writes the visible form of `text` into out[size], cut behind a whole character, always
 * terminated. Returns the length that all of it has without '\0', as snprintf does. `out` may be
 * `text` only where sp_is_visible. */
size_t sp_visible(const char *text, char *out, size_t size);
/* Is `text` its own visible form? */
bool sp_is_visible(const char *text);

#endif
