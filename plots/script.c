#include "plots/script.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "plots/places.h"

/* Known here alone: nobody else can write into the stream. */
struct sp_script {
    FILE *stream;
    bool has_tics; /* in the list that is being written */
};

struct sp_series sp_series(int i)
{
    static const struct sp_series table[SP_N_SERIES] = {
        {SP_RED, 7, 6},   {SP_INDIGO, 5, 4}, {SP_GREEN, 9, 8}, {SP_YELLOW, 13, 12},
        {SP_INK, 11, 10}, {SP_SKY, 15, 14},  {SP_BLUE, 3, 2},
    };
    struct sp_series look = table[i % SP_N_SERIES];
    look.color = table[(i + i / SP_N_SERIES) % SP_N_SERIES].color; /* pairs repeat later than either */
    return look;
}

/* Not what a terminal would obey, nor a tab, nor what XML does not know. */
static bool is_printed(uint32_t c)
{
    return c != '\t' && !sp_is_control(c) && (c & 0xfffe) != 0xfffe;
}

/* After 255 characters an ellipsis follows. */
enum { LONGEST = 255, RAW = 4 * LONGEST + 16 };

static struct sp_quoted quote(const char *raw)
{
    struct sp_quoted q;
    char *to = q.text;
    const char *from = raw, *at = raw;
    *to++ = '\'';
    for (int n = 0; *at && n < LONGEST; n++, from = at) {
        const uint32_t c = sp_utf8_next(&at);
        if (c == '\'') /* gnuplot sees the pair by the character in front of it: not at the beginning */
            to = stpcpy(to, to[-1] == '\'' ? "’" : "''");
        else if (is_printed(c) && c != SP_UTF8_INVALID)
            to = mempcpy(to, from, (size_t)(at - from));
        else
            to = stpcpy(to, "\xef\xbf\xbd");
    }
    strcpy(to, *at ? "…'" : "'");
    return q;
}

struct sp_quoted sp_quote(const char *format, ...)
{
    char raw[RAW];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    return quote(raw);
}

struct sp_quoted sp_quote_within(double most, enum sp_image term, const char *format, ...)
{
    char raw[RAW];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    sp_text_fit(raw, sizeof raw, most, term == SP_TERM_TXT);
    return quote(raw);
}

struct sp_quoted sp_quote_value(const char *format, ...)
{
    char raw[RAW], plain[3 * RAW], *to = plain;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    for (const char *p = raw; *p; p++) {
        if (*p == '\'' || *p == '"')
            to = stpcpy(to, *p == '"' ? "”" : "’");
        else
            *to++ = *p;
    }
    *to = '\0';
    return quote(plain);
}

double sp_text_width(struct sp_quoted text, enum sp_image term)
{
    double n = 0;
    text.text[strlen(text.text) - 1] = '\0';
    for (const char *p = text.text + 1; term == SP_TERM_TXT && *p; n++)
        sp_utf8_next(&p);
    return term == SP_TERM_TXT ? n : sp_text_em(text.text + 1);
}

/* A conversion of sp_put() that takes a number; returns what follows it. */
static const char *put_number(FILE *out, const char *conversion, double x)
{
    static const char *const words[SP_N_WORDS] = {"left", "right", "center", "x", "y", "flop", "B"};
    const size_t length = 1 + strspn(conversion + 1, ".0123456789");
    char format[16];
    if (length + 2 > sizeof format)
        abort();
    memcpy(format, conversion, length + 1);
    format[length + 1] = '\0';
    switch (conversion[length]) {
    case 'd':
        fprintf(out, "%.0f", x);
        break;
    case 'f':
    case 'g':
        fprintf(out, format, x);
        break;
    case 'c':
    case 'x':
        if (!(x >= 0 && x <= SP_WHITE))
            abort();
        fprintf(out, conversion[length] == 'c' ? "'#%06x'" : "0x%06x", (unsigned)x);
        break;
    case 'w':
        if (!(x >= 0 && x < SP_N_WORDS))
            abort();
        fputs(words[(int)x], out);
        break;
    default:
        abort();
    }
    return conversion + length + 1;
}

/* text NULL: the words have no place for one. */
static void put(FILE *out, const char *text, const char *words, const double *number, size_t n)
{
    while (*words) {
        const size_t plain = strcspn(words, "%");
        fwrite(words, 1, plain, out);
        words += plain;
        if (*words && words[1] == '%') {
            fputc('%', out);
            words += 2;
        } else if (*words && words[1] == 't' && text) {
            fputs(text, out);
            text = NULL;
            words += 2;
        } else if (*words) {
            if (--n == 0)
                abort();
            words = put_number(out, words, *number++);
        }
    }
    if (text || n != 1)
        abort();
}

void sp_script_put(struct sp_script *script, const char *words, const double *number, size_t n)
{
    put(script->stream, NULL, words, number, n);
}

void sp_script_text(struct sp_script *script, struct sp_quoted text, const char *words, const double *number,
                    size_t n)
{
    put(script->stream, text.text, words, number, n);
}

void sp_script_tics(struct sp_script *script, enum sp_word axis)
{
    sp_put(script, "set %wtics (", axis);
    script->has_tics = false;
}

/* gnuplot takes the text of a tic for a format of its position. */
void sp_script_tic(struct sp_script *script, struct sp_quoted text, double at)
{
    if (script->has_tics)
        sp_put(script, ", ");
    script->has_tics = true;
    for (const char *p = text.text; *p; p++)
        fprintf(script->stream, *p == '%' ? "%c%c" : "%c", *p, *p);
    sp_put(script, " %.15g", at);
}

/* The whole decade below x > 0. */
static double decade_below(double x)
{
    return pow(10, floor(log10(x) + 1e-9));
}

void sp_script_round_tics(struct sp_script *out, enum sp_word axis, double lo, double hi)
{
    static const double steps[] = {1, 2, 5, 10}, fine[] = {1, 1.5, 2, 3, 5, 7, 10};
    const double *step = hi / lo < 10 ? fine : steps;
    if (!(lo > 1e-300) || !(hi < 1e300)) /* records come from anywhere */
        return;
    sp_script_tics(out, axis);
    const double short_below = hi < 1e5 ? 1e5 : 1e3; /* not 10000 beside 1e5 */
    double decade = decade_below(lo);
    while (decade < hi) {
        for (int i = 0; step[i] < 10 && (i == 0 || hi / lo < 300); i++) {
            const double x = decade * step[i];
            if (x > lo * 0.999 && x < hi * 1.001 && x < short_below)
                sp_script_tic(out, sp_quote("%g", x), x);
            else if (x > lo * 0.999 && x < hi * 1.001)
                sp_script_tic(out, sp_quote("%ge%.0f", step[i], log10(decade)), x);
        }
        decade *= 10;
    }
    sp_put(out, ")\n");
}

struct sp_key sp_script_frame(struct sp_script *out, struct sp_quoted x_label, int width, int height,
                              double from, double to, int n, enum sp_image term)
{
    enum { FONT = 10, LINE = 17, AXIS = 72, TITLE = 46, FEW = 10, SAMPLE = 45 };
    const int columns = n > 2 * FEW ? 3 : n > FEW ? 2 : 1, rows = (n + columns - 1) / columns;
    const double bottom = AXIS + (n > 0 ? 4 + LINE * rows : 0);
    const struct sp_panel panel = {
        from / width, 1 - to / width, bottom / height, 1 - (double)TITLE / height, width, FONT};
    sp_put_text(out, x_label, "set xlabel %t\n");
    if (term == SP_TERM_TXT) {
        sp_put(out, "set key bmargin left Left reverse vertical maxcols 1 samplen 3\n");
        return (struct sp_key){panel, SP_TEXT_COLUMNS - 16};
    }
    sp_put(
        out,
        "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at screen "
        "%g\n"
        "set key at screen %g,%g left top Left reverse vertical maxcols %d maxrows %d samplen 2 font ',%d'\n",
        panel.left, panel.right, panel.bottom, panel.top, 0.01, (bottom - AXIS) / height, columns, rows,
        FONT);
    return (struct sp_key){panel, (0.98 * width / columns - SAMPLE) / FONT};
}

void sp_script_byte_tics(struct sp_script *out, double lo, double hi)
{
    static const double steps[] = {1, 2, 5};
    const bool all = hi / lo < 3e3;
    sp_script_tics(out, SP_X);
    for (int power = 2; power < 15; power++)
        for (int i = 0; i < (all ? 3 : 1); i++) {
            const double b = steps[i] * pow(10, power);
            const int unit = b >= 1e12 ? 4 : b >= 1e9 ? 3 : b >= 1e6 ? 2 : b >= 1e3 ? 1 : 0;
            if (b > lo * 0.999 && b < hi * 1.001)
                sp_script_tic(out,
                              sp_quote("%g %sB", b / pow(1000, unit),
                                       (const char *const[]){"", "k", "M", "G", "T"}[unit]),
                              b);
        }
    sp_put(out, ")\n");
}

void sp_script_write(FILE *stream, void (*write)(struct sp_script *out, const void *context),
                     const void *context)
{
    struct sp_script out = {.stream = stream};
    write(&out, context);
}

char *sp_script_name(char *text, size_t size, const struct sp_record *record)
{
    const char *order = sp_words_text(record, SP_F_PROBLEM_REORDER, "none");
    bool reordered = strcmp(order, "none") != 0;
    const char *op = sp_words_text(record, SP_F_CONFIG_OP, "spmv");
    char what[48] = "";
    int64_t r = 1;
    if (!sp_record_count(record, SP_F_CONFIG_INNER, &r))
        sp_record_count(record, SP_F_CONFIG_RHS, &r);
    if (strcmp(op, "spmv") != 0)
        snprintf(what, sizeof what, "  %.16s r=%lld", sp_words_op(op), (long long)r);
    char name[192];
    snprintf(name, sizeof name, "%s", sp_words_text(record, SP_F_PROBLEM_NAME, "unnamed"));
    sp_text_fit(name, sizeof name, 28, true);
    snprintf(text, size, "%s%s%.24s%s  %.24s", name, reordered ? " " : "", reordered ? order : "", what,
             sp_words_text(record, SP_F_CONFIG_FORMAT_TEXT, sp_words_text(record, SP_F_CONFIG_FORMAT, "")));
    return text;
}

void sp_script_title(struct sp_script *out, const struct sp_record *record, const char *words, double most,
                     enum sp_image term)
{
    char name[256], threads[48] = "";
    int64_t n;
    if (sp_record_count(record, SP_F_CONFIG_THREADS, &n))
        snprintf(threads, sizeof threads, ", %lld %s%s", (long long)n, sp_words_core(record),
                 n == 1 ? "" : "s");
    bool invented = strcmp(sp_words_text(record, SP_F_STATUS, ""), "constructed") == 0;
    sp_put_text(out,
                sp_quote_within(most, term, "%s%s%s  %.16s/%.16s%s, %s%s", words, *words ? "   " : "",
                                sp_script_name(name, sizeof name, record),
                                sp_words_text(record, SP_F_CONFIG_PRECISION, "?"),
                                sp_words_text(record, SP_F_CONFIG_INDEX, "?"), threads,
                                sp_words_text(record, SP_F_MACHINE_NAME, "unnamed machine"),
                                invented ? "   (constructed)" : ""),
                "set title %t\n");
}

int sp_origin_dash(enum sp_origin origin)
{
    return origin == SP_MEASURED ? 1 : origin == SP_STATED ? 3 : 2;
}

double sp_nice_step(double range, int most)
{
    double least = range / most, decade = pow(10, floor(log10(least)));
    return least <= decade       ? decade
           : least <= 2 * decade ? 2 * decade
           : least <= 5 * decade ? 5 * decade
                                 : 10 * decade;
}
