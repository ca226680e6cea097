#include "io/matrix/mtx_scan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/matrix/matrix_formats.h"

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
    {"SPMODEL\x1a", "a .spm file is read by its name, not from a pipe or an archive",
     "name the .spm file itself, or unpack it first"},
    {"\xff\xfe", "this is UTF-16 text", "save it as ASCII or UTF-8: iconv -f utf-16 -t ascii"},
    {"\xef\xbb\xbf", "a UTF-8 byte-order mark stands before the banner", "save it without byte-order mark"},
};

static bool is_binary(const char *text, int64_t n)
{
    return memchr(text, '\0', n < 512 ? (size_t)n : 512) != NULL;
}

enum sp_status sp_mtx_name_foreign(const char *path, const char *text, int64_t n, struct sp_error *err)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].magic);
        if (n >= (int64_t)length && strncasecmp(text, kinds[i].magic, length) == 0)
            return sp_fail_at(err, SP_INPUT, path, 1, 1, kinds[i].remedy, "%s", kinds[i].what);
    }
    return SP_OK;
}

/* SP_INPUT that says what text[n], which has no Matrix Market banner, looks like and what to do
 * about it. */
static enum sp_status fail_foreign(const char *path, const char *text, int64_t n, struct sp_error *err)
{
    n = n < SP_MTX_FOREIGN_LOOK ? n : SP_MTX_FOREIGN_LOOK;
    const enum sp_status status = sp_mtx_name_foreign(path, text, n, err);
    if (status != SP_OK)
        return status;
    if (is_binary(text, n))
        return sp_fail_at(err, SP_INPUT, path, 0, 0, "`spmodel help input` lists what can be read",
                          "this is a binary file of an unknown kind");
    if (sp_rb_is(text, n))
        return sp_fail_at(err, SP_INPUT, path, 3, 1,
                          "download the Matrix Market version, or convert the file",
                          "this is a Harwell-Boeing or Rutherford-Boeing file");
    int64_t blanks = 0, line = 1;
    while (blanks < n && isspace((unsigned char)text[blanks]))
        line += text[blanks++] == '\n';
    static const char banner[] = "%%MatrixMarket";
    if (blanks > 0 && n - blanks >= (int64_t)sizeof banner - 1 &&
        strncasecmp(text + blanks, banner, sizeof banner - 1) == 0)
        return sp_fail_at(
            err, SP_INPUT, path, 1, 1, "remove what stands before the banner",
            "the banner must be the first thing in the file, but it follows %lld blank byte%s on line %lld",
            (long long)blanks, blanks == 1 ? "" : "s", (long long)line);
    return sp_fail_at(
        err, SP_INPUT, path, 1, 1,
        "a Matrix Market file begins with a line such as: %%MatrixMarket matrix coordinate real general",
        "no Matrix Market banner");
}

struct line {
    const char *begin, *end; /* without the line end */
    const char *next;
    int64_t number;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* The line that begins at `begin`; false at the end of the text. */
static bool take_line(const char *begin, const char *end, struct line *line)
{
    if (begin >= end)
        return false;
    const char *newline = memchr(begin, '\n', (size_t)(end - begin));
    line->begin = begin;
    line->end = newline ? newline : end;
    line->next = newline ? newline + 1 : end;
    line->number++;
    return true;
}

/* Blank, or a comment: % is the first thing on it. */
static bool says_nothing(const struct line *line)
{
    for (const char *p = line->begin; p < line->end; p++)
        if (!is_blank(*p))
            return *p == '%';
    return true;
}

/* Next word of the line after *p, its length in *n (0: none). */
static const char *next_word(const struct line *line, const char **p, int *n)
{
    while (*p < line->end && is_blank(**p))
        ++*p;
    const char *word = *p;
    while (*p < line->end && !is_blank(**p))
        ++*p;
    *n = (int)(*p - word);
    return word;
}

bool sp_mtx_header_complete(const char *text, int64_t n)
{
    struct line line = {.next = text};
    while (take_line(line.next, text + n, &line))
        if (line.next > line.end && !says_nothing(&line))
            return true;
    return false;
}

static int find_word(const char *word, int n, const char *const *names, int n_names)
{
    for (int i = 0; i < n_names; i++)
        if ((int)strlen(names[i]) == n && strncasecmp(word, names[i], (size_t)n) == 0)
            return i;
    return -1;
}

/* Words 2 to 5 of the banner, each from its list. */
static enum sp_status read_banner(const struct line *line, struct sp_mtx_header *h, struct sp_error *err)
{
    static const char *const objects[] = {"matrix"};
    static const char *const formats[] = {"coordinate", "array"};
    static const char *const fields[] = {"real", "integer", "pattern", "complex", "double"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    static const struct {
        const char *what, *choices;
        const char *const *names;
        int n_names;
    } words[] = {
        {"object", "matrix", objects, 1},
        {"format", "coordinate or array", formats, 2},
        {"field", "real, integer, pattern or complex", fields, 5},
        {"symmetry", "general, symmetric, skew-symmetric or hermitian", symmetries, 4},
    };
    int found[4], n;
    const char *p = line->begin;
    next_word(line, &p, &n);
    for (int i = 0; i < 4; i++) {
        const char *word = next_word(line, &p, &n);
        int64_t column = word - line->begin + 1;
        char remedy[160];
        snprintf(remedy, sizeof remedy, "word %d of the banner is the %s: %s", i + 2, words[i].what,
                 words[i].choices);
        if (n == 0)
            return sp_fail_at(err, SP_INPUT, h->path, line->number, column, remedy,
                              "the banner ends before its %s", words[i].what);
        found[i] = find_word(word, n, words[i].names, words[i].n_names);
        if (found[i] < 0)
            return sp_fail_at(err, SP_INPUT, h->path, line->number, column, remedy, "unknown %s '%.*s'",
                              words[i].what, n < 40 ? n : 40, word);
    }
    const char *word = next_word(line, &p, &n);
    if (n > 0)
        return sp_fail_at(err, SP_INPUT, h->path, line->number, word - line->begin + 1,
                          "the banner has five words; write remarks on lines of their own that begin with %",
                          "the banner goes on after the symmetry: '%.*s'", n < 40 ? n : 40, word);
    h->format = (enum sp_mtx_format)found[1];
    h->field = found[2] == 4 ? SP_FIELD_REAL : (enum sp_field)found[2];
    h->symmetry = (enum sp_symmetry)found[3];
    return SP_OK;
}

/* Pairs of words that contradict each other. */
static enum sp_status check_banner(const struct line *line, const struct sp_mtx_header *h,
                                   struct sp_error *err)
{
    const char *remedy = NULL;
    if (h->format == SP_MTX_ARRAY && h->field == SP_FIELD_PATTERN)
        remedy = "an array file lists values: say real, integer or complex, or use coordinate";
    else if (h->symmetry == SP_HERMITIAN && h->field != SP_FIELD_COMPLEX)
        remedy = "only complex matrices can be hermitian: say symmetric";
    else if (h->symmetry == SP_SKEW_SYMMETRIC && h->field == SP_FIELD_PATTERN)
        remedy = "a pattern has no signs: say symmetric";
    if (!remedy)
        return SP_OK;
    return sp_fail_at(err, SP_INPUT, h->path, line->number, 1, remedy,
                      "the banner's words '%s %s %s' exclude each other",
                      h->format == SP_MTX_ARRAY ? "array" : "coordinate", sp_field_name(h->field),
                      sp_symmetry_name(h->symmetry));
}

/* One whole number of at most 18 digits; -1 when the word is something else, -2 when it is too
 * large. */
static int64_t read_size(const char *word, int n)
{
    int64_t value = 0;
    for (int i = 0; i < n; i++) {
        if (word[i] < '0' || word[i] > '9')
            return -1;
        if (value > INT64_MAX / 100)
            return -2;
        value = value * 10 + (word[i] - '0');
    }
    return value;
}

static int64_t count_array_values(const struct sp_mtx_header *h)
{
    if (h->symmetry == SP_GENERAL)
        return h->n_r * h->n_c;
    int64_t n = h->n_r;
    return h->symmetry == SP_SKEW_SYMMETRIC ? n * (n - 1) / 2 : n * (n + 1) / 2;
}

static enum sp_status read_sizes(const struct line *line, struct sp_mtx_header *h, struct sp_error *err)
{
    int wanted = h->format == SP_MTX_ARRAY ? 2 : 3;
    const char *remedy = wanted == 3 ? "the size line of a coordinate file is: ROWS COLUMNS ENTRIES"
                                     : "the size line of an array file is: ROWS COLUMNS";
    int64_t sizes[3] = {0};
    const char *p = line->begin;
    int n, n_words = 0;
    for (;; n_words++) {
        const char *word = next_word(line, &p, &n);
        int64_t column = word - line->begin + 1;
        if (n == 0)
            break;
        if (n_words == wanted)
            return sp_fail_at(err, SP_INPUT, h->path, line->number, column, remedy,
                              "the size line has more than %d numbers", wanted);
        int64_t value = read_size(word, n);
        if (value == -1)
            return sp_fail_at(err, SP_INPUT, h->path, line->number, column, remedy,
                              "'%.*s' on the size line is no whole number", n < 40 ? n : 40, word);
        if (value == -2 || (n_words < 2 && value > SP_MAX_DIMENSION))
            return sp_fail_at(err, SP_INPUT, h->path, line->number, column,
                              "rows and columns are limited to 2147483647, entries to 9.2e16",
                              "the size %.*s is too large", n < 40 ? n : 40, word);
        sizes[n_words] = value;
    }
    if (n_words < wanted)
        return sp_fail_at(err, SP_INPUT, h->path, line->number, p - line->begin + 1, remedy,
                          "the size line has %d number%s, not %d", n_words, n_words == 1 ? "" : "s", wanted);
    h->n_r = sizes[0];
    h->n_c = sizes[1];
    if (h->symmetry != SP_GENERAL && h->n_r != h->n_c)
        return sp_fail_at(err, SP_INPUT, h->path, line->number, 1, "say general in the banner",
                          "a %s matrix must be square, this one has %lld rows and %lld columns",
                          sp_symmetry_name(h->symmetry), (long long)h->n_r, (long long)h->n_c);
    h->n_entries = h->format == SP_MTX_ARRAY ? count_array_values(h) : sizes[2];
    return SP_OK;
}

enum sp_status sp_mtx_header_read(const char *path, const char *text, int64_t n, struct sp_mtx_header *header,
                                  struct sp_error *err)
{
    struct sp_mtx_header h = {.path = path};
    memset(header, 0, sizeof *header);
    if (n == 0)
        return sp_fail_at(err, SP_INPUT, path, 0, 0, "was its download or export cut off?",
                          "the file is empty");
    const char *end = text + n;
    struct line line = {.next = text};
    static const char banner[] = "%%MatrixMarket";
    const int banner_length = (int)sizeof banner - 1;
    take_line(text, end, &line);
    int word_length;
    const char *p = line.begin;
    const char *word = next_word(&line, &p, &word_length);
    if (word != line.begin || word_length != banner_length ||
        strncasecmp(word, banner, (size_t)banner_length) != 0)
        return fail_foreign(path, text, n, err);
    enum sp_status status = read_banner(&line, &h, err);
    if (status == SP_OK)
        status = check_banner(&line, &h, err);
    if (status != SP_OK)
        return status;
    bool found = false;
    while (!found && take_line(line.next, end, &line))
        found = !says_nothing(&line);
    if (!found)
        return sp_fail_at(err, SP_INPUT, path, line.number + 1, 0, "was its download or export cut off?",
                          "the file ends before the size line");
    status = read_sizes(&line, &h, err);
    if (status != SP_OK)
        return status;
    h.size_line = line.number;
    h.body_line = line.number + 1;
    h.body_begin = line.next - text;
    *header = h;
    return SP_OK;
}

bool sp_mtx_header_can_hold(const struct sp_mtx_header *h, int64_t n)
{
    int64_t shortest = h->format == SP_MTX_ARRAY ? 2 : h->field == SP_FIELD_PATTERN ? 4 : 6;
    if (h->field == SP_FIELD_COMPLEX)
        shortest += 2;
    return h->n_entries <= (n - h->body_begin + 1) / shortest;
}
