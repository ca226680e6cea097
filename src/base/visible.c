#include "base/visible.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

bool sp_is_control(uint32_t code)
{
    return (code < 0x20 && code != '\t') || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

size_t sp_visible_next(const char **text, char shown[SP_VISIBLE_MOST])
{
    const char *from = *text;
    const uint32_t code = sp_utf8_next(text);
    const size_t length = (size_t)(*text - from);
    if (code == SP_UTF8_INVALID && length == 1)
        return (size_t)snprintf(shown, SP_VISIBLE_MOST, "\\x%02x", (unsigned char)*from);
    if (length > 0 && sp_is_control(code))
        return code == '\n' || code == '\r'
                   ? (size_t)snprintf(shown, SP_VISIBLE_MOST, "\\%c", code == '\n' ? 'n' : 'r')
                   : (size_t)snprintf(shown, SP_VISIBLE_MOST, "\\u%04x", (unsigned)code);
    memcpy(shown, from, length);
    shown[length] = '\0';
    return length;
}

size_t sp_visible(const char *text, char *out, size_t size)
{
    char shown[SP_VISIBLE_MOST];
    size_t n = 0, used = 0;
    for (size_t length; (length = sp_visible_next(&text, shown)) > 0; n += length)
        if (used == n && n + length < size) {
            memcpy(out + n, shown, length);
            used += length;
        }
    if (size > 0)
        out[used] = '\0';
    return n;
}

bool sp_is_visible(const char *text)
{
    while (*text) {
        const char *from = text;
        const uint32_t code = sp_utf8_next(&text);
        if (sp_is_control(code) || (code == SP_UTF8_INVALID && text - from == 1))
            return false;
    }
    return true;
}
