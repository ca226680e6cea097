#include "plots/script.h"

#include <errno.h>
#include <fcntl.h>
#include <features.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/option/option_words.h"
#include "io/files/part_file.h"

struct corners {
    double x[4], y[4];
};

static struct corners corners_of(const struct sp_box *b)
{
    static const double across[] = {-0.5, 0.5, 0.5, -0.5}, up[] = {-0.5, -0.5, 0.5, 0.5};
    const double c = cos(b->turn), s = sin(b->turn);
    struct corners k;
    for (int i = 0; i < 4; i++) {
        k.x[i] = b->x + across[i] * b->width * c - up[i] * b->height * s;
        k.y[i] = b->y + across[i] * b->width * s + up[i] * b->height * c;
    }
    return k;
}

/* Does a direction part the two? */
static bool parts(const struct corners *a, const struct corners *b, double turn)
{
    double a_lo = INFINITY, a_hi = -INFINITY, b_lo = INFINITY, b_hi = -INFINITY;
    for (int i = 0; i < 4; i++) {
        const double p = a->x[i] * cos(turn) + a->y[i] * sin(turn),
                     q = b->x[i] * cos(turn) + b->y[i] * sin(turn);
        a_lo = fmin(a_lo, p), a_hi = fmax(a_hi, p);
        b_lo = fmin(b_lo, q), b_hi = fmax(b_hi, q);
    }
    return a_hi <= b_lo || b_hi <= a_lo;
}

bool sp_boxes_meet(const struct sp_box *a, const struct sp_box *b)
{
    const struct corners p = corners_of(a), q = corners_of(b);
    return !parts(&p, &q, a->turn) && !parts(&p, &q, a->turn + M_PI / 2) && !parts(&p, &q, b->turn) &&
           !parts(&p, &q, b->turn + M_PI / 2);
}

void sp_places_take(struct sp_places *p, struct sp_box box, enum sp_taken_by by)
{
    if (p->n == SP_MOST_BOXES)
        return;
    p->by[p->n] = by;
    p->box[p->n++] = box;
}

void sp_places_take_line(struct sp_places *p, double x0, double y0, double x1, double y1)
{
    sp_places_take(
        p, (struct sp_box){(x0 + x1) / 2, (y0 + y1) / 2, hypot(x1 - x0, y1 - y0), 2, atan2(y1 - y0, x1 - x0)},
        SP_BY_LINE);
}

static bool is_inside(const struct sp_places *p, const struct sp_box *b)
{
    const struct corners k = corners_of(b);
    for (int i = 0; i < 4; i++)
        if (!(k.x[i] >= 0 && k.x[i] <= p->width && k.y[i] >= 0 && k.y[i] <= p->height))
            return false;
    return true;
}

int sp_places_choose(struct sp_places *p, const struct sp_box *choice, int n, enum sp_taken_by meets)
{
    int best = -1, least = (int)meets;
    for (int i = 0; i < n; i++) {
        int cost = is_inside(p, &choice[i]) ? 0 : SP_BY_TEXT;
        for (int k = 0; k < p->n && cost < least; k++)
            cost += sp_boxes_meet(&choice[i], &p->box[k]) ? (int)p->by[k] : 0;
        if (cost < least)
            best = i, least = cost;
    }
    if (best >= 0)
        sp_places_take(p, choice[best], SP_BY_TEXT);
    return best;
}

static double em_of(uint32_t c)
{
    return c > 0x2e80                                   ? 1.1
           : c >= 0x80                                  ? 0.85
           : strchr(" !'(),-./:;I[]`fijlrt{|}", (int)c) ? 0.42
           : strchr("%@MWm", (int)c)                    ? 1.02
           : (c >= 'A' && c <= 'Z') || c == 'w'         ? 0.82
                                                        : 0.65;
}

double sp_text_em(const char *text)
{
    double em = 0;
    while (*text)
        em += em_of(sp_utf8_next(&text));
    return em;
}

void sp_text_fit(char *text, size_t size, double most, bool columns)
{
    static const char ellipsis[] = "…";
    const size_t length = strlen(text);
    double *at = malloc((length + 2) * sizeof *at); /* width in front of each character */
    size_t *byte = malloc((length + 2) * sizeof *byte), n = 0;
    if (at && byte) {
        double width = 0;
        for (const char *p = text;; n++) {
            at[n] = width;
            byte[n] = (size_t)(p - text);
            if (!*p)
                break;
            const uint32_t c = sp_utf8_next(&p);
            width += columns ? 1 : em_of(c);
        }
        if (width > most && n > 0) {
            const double left = (most - 1) / 2;
            size_t from = 0, to = n;
            while (from < n && at[from + 1] <= left)
                from++;
            while (to > from + 1 && width - at[to - 1] <= left)
                to--;
            const size_t rest = length - byte[to] + 1;
            if (byte[from] + sizeof ellipsis - 1 + rest <= size) {
                memmove(text + byte[from] + sizeof ellipsis - 1, text + byte[to], rest);
                memcpy(text + byte[from], ellipsis, sizeof ellipsis - 1);
            }
        }
    }
    free(at);
    free(byte);
}

static const char *const term_names[SP_N_TERMS] = {"svg", "pdf", "png", "txt", "gp"};

const char *sp_term_name(enum sp_image term)
{
    return term_names[term];
}

int sp_term_from_name(const char *name)
{
    for (int i = 0; i < SP_N_TERMS; i++)
        if (strcmp(term_names[i], name) == 0)
            return i;
    return -1;
}

extern char **environ;

/* What fontconfig and the loader of libraries need where they are not in their usual places. */
static const char *const passed_on[] = {
    "HOME",          "TMPDIR",          "XDG_CACHE_HOME",  "XDG_CONFIG_HOME",
    "XDG_DATA_HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH"};
enum { N_PASSED_ON = sizeof passed_on / sizeof *passed_on, N_FIXED = 2 };

static void close_environment(char *list[N_FIXED + N_PASSED_ON + 1])
{
    int n = 0;
    list[n++] = (char *)"PATH=/usr/local/bin:/usr/bin:/bin";
    list[n++] = (char *)"LC_ALL=C.UTF-8";
    for (int i = 0; i < N_PASSED_ON; i++) {
        const size_t length = strlen(passed_on[i]);
        for (char **e = environ; e && *e; e++)
            if (strncmp(*e, passed_on[i], length) == 0 && (*e)[length] == '=') {
                list[n++] = *e;
                break;
            }
    }
    list[n] = NULL;
}

/* All that plots consist of, beside data blocks; abbreviated commands are not listed. */
static bool is_command(const char *word)
{
    static const char *const commands[] = {"set", "unset", "plot", "print", "#"};
    const size_t length = strcspn(word, " \n;");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strlen(commands[i]) == length && memcmp(word, commands[i], length) == 0)
            return true;
    return false;
}

/* The end of the line of a comment, or of a data block that begins here; else where it is. */
static const char *skip_data(const char *p)
{
    const char *end = *p == '#' ? strchr(p, '\n') : *p == '$' ? strstr(p, "\nEOD\n") : NULL;
    return !end ? p : *p == '#' ? end : end + 4;
}

bool sp_gnuplot_is_harmless(const char *script)
{
    bool begins = true; /* a command */
    for (const char *p = script; *p; p++) {
        if (begins) {
            p = skip_data(p + strspn(p, " \n"));
            if (!*p)
                return true;
            if (*p != '\n' && !is_command(p))
                return false;
        }
        if (*p == '`' || strncmp(p, "system", 6) == 0 || strncmp(p, "output '", 8) == 0)
            return false;
        if (*p == '\'') {
            p += 1 + strcspn(p + 1, "'\n");
            if (*p != '\'')
                return false;
        }
        begins = *p == ';' || (*p == '\n' && p > script && p[-1] != '\\');
    }
    return true;
}

/* What gnuplot said, in one line: a script error names its line in the middle of several. */
static void read_words(FILE *said, char *text, size_t size)
{
    size_t n = 0;
    int c;
    rewind(said);
    while ((c = fgetc(said)) != EOF && n + 2 < size) {
        if (c < ' ')
            c = ' ';
        if (c != ' ' || (n > 0 && text[n - 1] != ' '))
            text[n++] = (char)c;
    }
    text[n] = '\0';
}

/* Reads until the other end is closed; false: out of time. */
static bool receive(int from, double end, FILE *to)
{
    char block[65536];
    for (double left; (left = end - sp_now()) > 0;) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        if (poll(&ready, 1, 1 + (int)(1000 * fmin(left, 1000))) <= 0)
            continue;
        const ssize_t got = read(from, block, sizeof block);
        if (got == 0 || (got < 0 && errno != EINTR))
            return true;
        if (got > 0)
            fwrite(block, 1, (size_t)got, to);
    }
    return false;
}

/* Waits with growing pauses; false: out of time, and the process is gone. */
static bool wait_for(pid_t pid, double end, int *result)
{
    long pause_ns = 1000000;
    pid_t got;
    while ((got = waitpid(pid, result, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        if (sp_now() > end) {
            kill(pid, SIGKILL);
            waitpid(pid, result, 0);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
        pause_ns = pause_ns < 50000000 ? pause_ns * 2 : pause_ns;
    }
    return true;
}

/* The files of a run, none of which has a name. */
struct files {
    FILE *script, *said, *picture;
    int drawn[2]; /* the pipe */
};

static FILE *unnamed_file(const char *what)
{
    const int descriptor = memfd_create(what, MFD_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w+");
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

static enum sp_status open_files(struct files *f, const char *script, char **picture, size_t *size,
                                 struct sp_error *err)
{
    *f =
        (struct files){unnamed_file("script"), unnamed_file("said"), open_memstream(picture, size), {-1, -1}};
    if (!f->script || !f->said || !f->picture)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for a plot: %s", strerror(errno));
    if (fputs(script, f->script) < 0 || fflush(f->script) != 0 || pipe2(f->drawn, O_CLOEXEC) != 0)
        return sp_fail(err, SP_OUTPUT, sp_output_remedy(errno), "cannot hand gnuplot a script: %s",
                       strerror(errno));
    rewind(f->script);
    return SP_OK;
}

/* The picture is whole in memory, or *picture is NULL. */
static enum sp_status close_files(struct files *f, enum sp_status status, char **picture, size_t *size,
                                  struct sp_error *err)
{
    for (int i = 0; i < 2; i++)
        if (f->drawn[i] >= 0)
            close(f->drawn[i]);
    if (f->script)
        fclose(f->script);
    if (f->said)
        fclose(f->said);
    const bool lost = f->picture && (ferror(f->picture) | (fclose(f->picture) != 0));
    if (status == SP_OK && lost)
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for a picture");
    if (status != SP_OK) {
        if (f->picture)
            free(*picture);
        *picture = NULL;
        *size = 0;
    }
    return status;
}

static int start(const char *program, const struct files *f, const sigset_t *signals, pid_t *pid)
{
    char *argv[] = {(char *)program, (char *)"--default-settings", (char *)"-", NULL};
    char *environment[N_FIXED + N_PASSED_ON + 1];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    close_environment(environment);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, signals);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(f->script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, f->drawn[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(f->said), STDERR_FILENO);
#if __GLIBC_PREREQ(2, 29)
    if (*program == '/')
        posix_spawn_file_actions_addchdir_np(&actions, "/");
#endif
    const int error = posix_spawn(pid, program, &actions, &attributes, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static enum sp_status run(const char *program, struct files *f, double timeout_s, struct sp_error *err)
{
    pid_t pid;
    int result = 0;
    char words[400];
    sigset_t before;
    sp_part_children_hold(&before);
    const int error = start(program, f, &before, &pid);
    if (!error)
        sp_part_child(pid); /* ends with this process */
    sp_part_children_release(&before);
    if (error)
        return sp_fail(err, SP_ABSENT, "install gnuplot, or draw the script (" SP_O_TERM " gp) elsewhere",
                       "cannot start %s: %s", program, strerror(error));
    close(f->drawn[1]);
    f->drawn[1] = -1;
    const double end = sp_now() + timeout_s;
    const bool in_time = receive(f->drawn[0], end, f->picture);
    const bool ended = wait_for(pid, in_time ? end : 0, &result);
    sp_part_child_ended(pid);
    if (!ended)
        return sp_fail(err, SP_OUTPUT, "try the script by hand (" SP_O_TERM " gp)",
                       "gnuplot did not finish within %.0f s", timeout_s);
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0)
        return SP_OK;
    read_words(f->said, words, sizeof words);
    return sp_fail(err, SP_OUTPUT, "try the script by hand (" SP_O_TERM " gp)", "gnuplot failed: %s",
                   *words ? words : "it gave no reason");
}

enum sp_status sp_gnuplot_run(const char *program, const char *script, double timeout_s, char **picture,
                              size_t *size, struct sp_error *err)
{
    struct files f;
    *picture = NULL;
    *size = 0;
    if (!sp_gnuplot_is_harmless(script))
        return sp_fail(err, SP_BUG, "report it with the record", "the script of a plot would start programs");
    enum sp_status status = open_files(&f, script, picture, size, err);
    if (status == SP_OK)
        status = run(program, &f, timeout_s, err);
    return close_files(&f, status, picture, size, err);
}

/* gnuplot escapes '<' in the text between these two, so that no text contains the second one. */
#define BEFORE "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'"
#define AFTER  "')\" onmouseout=\"gnuplot_svg.hideHypertext()\"><title> </title>"
#define END    "</title>"
_Static_assert(sizeof BEFORE + sizeof AFTER >= sizeof SP_SVG_VALUE + sizeof END, "in place");

void sp_svg_hover(char *svg, size_t *size)
{
    char *to = svg;
    const char *from = svg, *call;
    while ((call = strstr(from, BEFORE))) {
        const char *text = call + strlen(BEFORE), *end = strstr(text, AFTER);
        if (!end)
            break;
        memmove(to, from, (size_t)(call - from));
        to += call - from;
        memcpy(to, SP_SVG_VALUE, strlen(SP_SVG_VALUE));
        to += strlen(SP_SVG_VALUE);
        memmove(to, text, (size_t)(end - text));
        to += end - text;
        memcpy(to, END, strlen(END));
        to += strlen(END);
        from = end + strlen(AFTER);
    }
    memmove(to, from, strlen(from) + 1);
    *size = strlen(svg);
}

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
    /* Not 10000 beside 1e5, nor 0.01 beside 1e-4. */
    const double plain_from = lo < 1e-3 ? 0.1 : 1e-3, plain_to = hi < 1e5 ? 1e5 : 1e3;
    double decade = decade_below(lo);
    while (decade < hi) {
        for (int i = 0; step[i] < 10 && (i == 0 || hi / lo < 300); i++) {
            const double x = decade * step[i];
            if (x > lo * 0.999 && x < hi * 1.001 && x < plain_to && x > plain_from * 0.999)
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
