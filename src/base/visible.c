#include "base/visible.h"

#include <stdio.h>
#include <string.h>

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

bool sp_is_control(uint32_t code)
{
    return (code < 0x20 && code != '\t') || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

size_t sp_plain_length(const char *text, size_t most, const char *but)
{
    size_t n = 0;
    while (n < most && text[n] >= ' ' && text[n] <= '~' && !strchr(but, text[n]))
        n++;
    return n;
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
