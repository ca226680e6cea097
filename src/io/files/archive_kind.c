#include <string.h>

#include "io/files/archive.h"

const char *sp_archive_kind(const char *text, int64_t n)
{
    static const struct {
        const char *kind, *magic;
        int64_t offset, length;
    } kinds[] = {
        {"gzip", "\x1f\x8b", 0, 2}, {"xz", "\xfd\x37zXZ", 0, 6}, {"zstd", "\x28\xb5\x2f\xfd", 0, 4},
        {"bzip2", "BZh", 0, 3},     {"tar", "ustar", 257, 5},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (n >= kinds[i].offset + kinds[i].length &&
            memcmp(text + kinds[i].offset, kinds[i].magic, (size_t)kinds[i].length) == 0)
            return kinds[i].kind;
    return NULL;
}
