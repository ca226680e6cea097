#include "base/utf8.h"

#include <stdbool.h>

/* Longer than need be, one half of a pair of UTF-16, or beyond the last character. */
static bool is_forbidden(uint32_t code, int more)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    return code < least[more] || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
}

uint32_t sp_utf8_next(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    const int more = s[0] < 0x80             ? 0
                     : (s[0] & 0xe0) == 0xc0 ? 1
                     : (s[0] & 0xf0) == 0xe0 ? 2
                     : (s[0] & 0xf8) == 0xf0 ? 3
                                             : -1;
    uint32_t code = more == 0 ? s[0] : more > 0 ? s[0] & (0x3fU >> more) : SP_UTF8_INVALID;
    int taken = 1;
    for (; taken <= more && (s[taken] & 0xc0) == 0x80; taken++)
        code = code << 6 | (s[taken] & 0x3f);
    if (more > 0 && (taken <= more || is_forbidden(code, more))) {
        code = SP_UTF8_INVALID;
        taken = 1;
    }
    *text += s[0] ? taken : 0;
    return code;
}
