#include "base/file_stem.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

static bool is_allowed(uint32_t c, bool first)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           (!first && (c == '-' || c == '.'));
}

char *sp_file_stem(char *text, size_t size, const char *name)
{
    size_t n = 0;
    do {
        const uint32_t c = sp_utf8_next(&name);
        if (n + 1 < size) {
            text[n] = is_allowed(c, n == 0) ? (char)c : '_';
            n++;
        }
    } while (*name);
    text[n] = '\0';
    return text;
}

bool sp_is_file_stem(const char *name)
{
    bool is = *name;
    for (const char *c = name; *c && is; c++)
        is = is_allowed((unsigned char)*c, c == name);
    return is;
}
