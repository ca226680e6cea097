#include "base/guarded_stream.h"

#include <errno.h>
#include <stdint.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

#include "base/visible.h"

enum { MOST_CODES = 64, OUT_B = 4096 };

/* One guarded stream. Codes of the program are known by where they lie in the stream, so they need not be
 * written one by one: [from, to) counted from its first byte. */
struct guard {
    FILE *stream;
    int fd;
    bool is_data;
    uint64_t at; /* bytes taken so far */
    struct {
        uint64_t from, to;
    } code[MOST_CODES];
    int n_codes;
    char held[8]; /* the begin of a character whose rest has not come yet, and '\0' */
    size_t n_held;
    char out[OUT_B];
    size_t n_out;
    bool failed;
};
static struct guard guards[2];

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

static void hand_over(struct guard *g)
{
    g->failed = g->failed || !write_all(g->fd, g->out, g->n_out);
    g->n_out = 0;
}

static void put(struct guard *g, const char *bytes, size_t n)
{
    while (n > 0) {
        const size_t fits = OUT_B - g->n_out < n ? OUT_B - g->n_out : n;
        memcpy(g->out + g->n_out, bytes, fits);
        g->n_out += fits;
        bytes += fits;
        n -= fits;
        if (g->n_out == OUT_B)
            hand_over(g);
    }
}

/* May more bytes make a character of these? */
static bool is_begin(const char *bytes, size_t n)
{
    const unsigned char first = (unsigned char)bytes[0];
    const size_t whole = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first >= 0xf8 || n >= whole)
        return false;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)bytes[i] & 0xc0) != 0x80)
            return false;
    return true;
}

/* What is held, but for the begin of a character, unless there is no more to come. */
static void release(struct guard *g, bool all)
{
    char shown[SP_VISIBLE_MOST];
    while (g->n_held > 0 && (all || !is_begin(g->held, g->n_held))) {
        const char *next = g->held;
        g->held[g->n_held] = '\0';
        const size_t length = sp_visible_next(&next, shown);
        if (length == 0)
            put(g, "\\u0000", 6);
        else if (g->held[0] == '\n')
            put(g, "\n", 1);
        else
            put(g, shown, length);
        const size_t taken = length == 0 ? 1 : (size_t)(next - g->held);
        g->n_held -= taken;
        memmove(g->held, next + (length == 0), g->n_held);
    }
}

static size_t n_plain(const char *bytes, size_t n)
{
    size_t i = 0;
    while (i < n && ((bytes[i] >= 0x20 && bytes[i] < 0x7f) || bytes[i] == '\n'))
        i++;
    return i;
}

static void put_text(struct guard *g, const char *bytes, size_t n)
{
    while (n > 0) {
        size_t taken = g->n_held == 0 ? n_plain(bytes, n) : 0;
        put(g, bytes, taken);
        if (taken == 0) {
            g->held[g->n_held++] = bytes[0];
            release(g, false);
            taken = 1;
        }
        bytes += taken;
        n -= taken;
    }
}

/* How many of the next n bytes are alike: text, or (*is_code) the program's own. */
static size_t next_piece(struct guard *g, size_t n, bool *is_code)
{
    while (g->n_codes > 0 && g->code[0].to <= g->at)
        memmove(g->code, g->code + 1, (size_t)--g->n_codes * sizeof *g->code);
    *is_code = g->n_codes > 0 && g->code[0].from <= g->at;
    const uint64_t end = g->n_codes == 0 ? g->at + n : *is_code ? g->code[0].to : g->code[0].from;
    return end - g->at < n ? (size_t)(end - g->at) : n;
}

static ssize_t take(void *cookie, const char *bytes, size_t n)
{
    struct guard *g = cookie;
    for (size_t i = 0, length; i < n; i += length) {
        bool is_code;
        length = next_piece(g, n - i, &is_code);
        if (is_code || g->is_data) {
            release(g, true);
            put(g, bytes + i, length);
        } else {
            put_text(g, bytes + i, length);
        }
        g->at += length;
    }
    hand_over(g);
    const bool failed = g->failed;
    g->failed = false;
    return failed ? 0 : (ssize_t)n;
}

static struct guard *guard_of(const FILE *stream)
{
    for (size_t i = 0; i < sizeof guards / sizeof *guards; i++)
        if (stream && guards[i].stream == stream)
            return &guards[i];
    return NULL;
}

static FILE *guarded(struct guard *g, int fd, int mode)
{
    static const cookie_io_functions_t functions = {.write = take};
    *g = (struct guard){.fd = fd};
    g->stream = fopencookie(g, "w", functions);
    if (g->stream)
        setvbuf(g->stream, NULL, mode, mode == _IONBF ? 0 : 1 << 16);
    return g->stream;
}

bool sp_guard_standard_streams(void)
{
    FILE *out = guarded(&guards[0], STDOUT_FILENO, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
    FILE *err = guarded(&guards[1], STDERR_FILENO, _IONBF);
    if (!out || !err)
        return false;
    stdout = out;
    stderr = err;
    return true;
}

void sp_guard_as_data(FILE *out)
{
    struct guard *g = guard_of(out);
    if (!g || isatty(g->fd))
        return;
    fflush(out);
    g->is_data = true;
}

void sp_terminal_code(FILE *out, const char *code)
{
    flockfile(out);
    struct guard *g = guard_of(out);
    if (g && g->n_codes == MOST_CODES)
        fflush(out);
    if (g && g->n_codes < MOST_CODES) {
        const uint64_t from = g->at + __fpending(out);
        g->code[g->n_codes].from = from;
        g->code[g->n_codes++].to = from + strlen(code);
    }
    fputs(code, out);
    funlockfile(out);
}
