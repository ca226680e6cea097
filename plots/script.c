#include "plots/script.h"

#include <math.h>
#include <string.h>

const char *sp_series_color(int i)
{
    static const char *const colors[] = {SP_RED, SP_GREEN, SP_PURPLE, SP_CYAN, SP_YELLOW, SP_BLUE, SP_INK};
    return colors[i % (int)(sizeof colors / sizeof *colors)];
}

void sp_script_string(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', out);
        if ((unsigned char)*text >= 0x20 && *text != 0x7f)
            fputc(*text, out);
    }
    fputc('\'', out);
}

void sp_script_look(FILE *out, enum sp_term term)
{
    fputs("set encoding utf8\n"
          "set border 3 lc rgb '" SP_GREY "' lw 1\n"
          "set tics nomirror out textcolor rgb '" SP_INK "'\n"
          "set xlabel textcolor rgb '" SP_INK "'\n"
          "set ylabel textcolor rgb '" SP_INK "'\n"
          "set title textcolor rgb '" SP_INK "'\n"
          "set key textcolor rgb '" SP_INK "' samplen 2 spacing 1.15\n",
          out);
    if (term != SP_TERM_TXT)
        fputs("set grid back lt 1 lw 0.8 lc rgb '" SP_GRID "', lt 1 lw 0.4 lc rgb '" SP_GRID "'\n", out);
}

char *sp_script_name(char *text, size_t size, const struct sp_record *record)
{
    const char *order = sp_words_text(record, "problem.reorder", "none");
    bool reordered = strcmp(order, "none") != 0;
    const char *op = sp_words_text(record, "config.op", "spmv");
    char what[48] = "";
    int64_t r = 1;
    if (!sp_record_count(record, "config.inner", &r))
        sp_record_count(record, "config.rhs", &r);
    if (strcmp(op, "spmv") != 0)
        snprintf(what, sizeof what, "  %.16s r=%lld", sp_words_op(op), (long long)r);
    snprintf(text, size, "%s%s%s%s  %s", sp_words_text(record, "problem.name", "unnamed"),
             reordered ? " " : "", reordered ? order : "", what,
             sp_words_text(record, "config.format_text", sp_words_text(record, "config.format", "")));
    return text;
}

void sp_script_title(FILE *out, const struct sp_record *record, const char *words)
{
    char name[256], text[768], threads[48] = "";
    int64_t n;
    const bool on_gpu = strcmp(sp_words_text(record, "config.device", "cpu"), "gpu") == 0;
    if (sp_record_count(record, "config.threads", &n))
        snprintf(threads, sizeof threads, ", %lld %s%s", (long long)n, on_gpu ? "SM" : "thread",
                 n == 1 ? "" : "s");
    bool invented = strcmp(sp_words_text(record, "status", ""), "constructed") == 0;
    snprintf(text, sizeof text, "%s%s%s  %s/%s%s, %s%s", words, *words ? "   " : "",
             sp_script_name(name, sizeof name, record), sp_words_text(record, "config.precision", "?"),
             sp_words_text(record, "config.index", "?"), threads,
             sp_words_text(record, "machine.name", "unnamed machine"), invented ? "   (constructed)" : "");
    fputs("set title ", out);
    sp_script_string(out, text);
    fputc('\n', out);
}

int sp_origin_dash(enum sp_origin origin)
{
    return origin == SP_MEASURED ? 1 : origin == SP_STATED ? 3 : 2;
}

double sp_decade_below(double x)
{
    return pow(10, floor(log10(x) + 1e-9));
}

double sp_decade_above(double x)
{
    return pow(10, ceil(log10(x) - 1e-9));
}

double sp_nice_step(double range, int most)
{
    double least = range / most, decade = pow(10, floor(log10(least)));
    return least <= decade       ? decade
           : least <= 2 * decade ? 2 * decade
           : least <= 5 * decade ? 5 * decade
                                 : 10 * decade;
}
