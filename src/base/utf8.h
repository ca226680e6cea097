/* Characters of text that may be anything: names of files and matrices come from outside. */
#ifndef SP_BASE_UTF8_H
#define SP_BASE_UTF8_H

#include <stdint.h>

enum { SP_UTF8_INVALID = 0xfffd };

/* The next character, at least one byte further; a byte that belongs to none is one of its own,
 * SP_UTF8_INVALID. 0 at the end, beyond which *text does not go. */
uint32_t sp_utf8_next(const char **text);

#endif
