#include "io/matrix/mtx_foreign.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct kind {
    const char *magic; /* how such a file begins */
    const char *what, *remedy;
};

static const struct kind kinds[] = {
    {"version https://git-lfs", "this is a Git LFS pointer, not the matrix",
     "fetch the file itself: git lfs pull"},
    {"<!doctype", "this is an HTML page, not a matrix",
     "download the file itself, not the page that links to it"},
    {"<html", "this is an HTML page, not a matrix",
     "download the file itself, not the page that links to it"},
    {"<?xml", "this is an XML document, not a matrix", "download the matrix itself"},
    {"% sym", "this is a KONECT edge list without banner and size line",
     "put a banner and a size line before it: %%MatrixMarket matrix coordinate pattern symmetric, then ROWS "
     "COLUMNS ENTRIES"},
    {"% asym", "this is a KONECT edge list without banner and size line",
     "put a banner and a size line before it: %%MatrixMarket matrix coordinate pattern general, then ROWS "
     "COLUMNS ENTRIES"},
    {"% bip", "this is a KONECT edge list without banner and size line",
     "put a banner and a size line before it: %%MatrixMarket matrix coordinate pattern general, then ROWS "
     "COLUMNS ENTRIES"},
    {"MATLAB 5.0", "this is a MATLAB MAT-file",
     "write it with mmwrite, or download the Matrix Market version"},
    {"\x89HDF", "this is an HDF5 file (MATLAB 7.3 writes such)",
     "write it with mmwrite, or download the Matrix Market version"},
    {"PK\x03\x04", "this is a ZIP archive", "unpack it first"},
    {"\xff\xfe", "this is UTF-16 text", "save it as ASCII or UTF-8: iconv -f utf-16 -t ascii"},
    {"\xef\xbb\xbf", "a UTF-8 byte-order mark stands before the banner", "save it without byte-order mark"},
};

/* Line 3 of a Harwell-Boeing or Rutherford-Boeing file begins with three letters such as RSA. */
static bool is_harwell_boeing(const char *text, int64_t n)
{
    const char *p = text, *end = text + n;
    for (int i = 0; i < 2; i++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p)
            return false;
        p++;
    }
    return end - p > 4 && strchr("RCPIQrcpiq", p[0]) && strchr("SUHZRsuhzr", p[1]) && strchr("AEae", p[2]) &&
           isspace((unsigned char)p[3]);
}

static bool is_binary(const char *text, int64_t n)
{
    return memchr(text, '\0', n < 512 ? (size_t)n : 512) != NULL;
}

enum sp_status sp_mtx_foreign(const char *path, const char *text, int64_t n, struct sp_error *err)
{
    n = n < SP_MTX_FOREIGN_LOOK ? n : SP_MTX_FOREIGN_LOOK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].magic);
        if ((size_t)n >= length && strncasecmp(text, kinds[i].magic, length) == 0)
            return sp_fail_at(err, SP_INPUT, path, 1, 1, kinds[i].remedy, "%s", kinds[i].what);
    }
    if (is_binary(text, n))
        return sp_fail_at(err, SP_INPUT, path, 0, 0,
                          "give a Matrix Market file (.mtx, also compressed) or a binary cache (.spm)",
                          "this is a binary file of an unknown kind");
    if (is_harwell_boeing(text, n))
        return sp_fail_at(err, SP_INPUT, path, 3, 1,
                          "download the Matrix Market version, or convert the file",
                          "this is a Harwell-Boeing or Rutherford-Boeing file");
    int64_t blanks = 0, line = 1;
    while (blanks < n && isspace((unsigned char)text[blanks]))
        line += text[blanks++] == '\n';
    static const char banner[] = "%%MatrixMarket";
    if (blanks > 0 && n - blanks >= (int64_t)sizeof banner - 1 &&
        strncasecmp(text + blanks, banner, sizeof banner - 1) == 0)
        return sp_fail_at(err, SP_INPUT, path, 1, 1, "remove what stands before the banner",
                          "the banner must be the first thing in the file, but it follows %lld blank byte%s "
                          "on line %lld",
                          (long long)blanks, blanks == 1 ? "" : "s", (long long)line);
    return sp_fail_at(
        err, SP_INPUT, path, 1, 1,
        "a Matrix Market file begins with a line such as: %%MatrixMarket matrix coordinate real "
        "general",
        "no Matrix Market banner");
}
