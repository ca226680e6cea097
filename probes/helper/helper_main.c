/* The program of the helper: runs what the lines ask for by the library that is named. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/helper/helper.h"

enum { LINE = 1 << 16 };

/* A line without its end; false at the end of the input. */
static bool read_line(char *line, size_t size)
{
    size_t n = 0;
    char c;
    while (read(STDIN_FILENO, &c, 1) == 1) {
        if (c == '\n') {
            line[n] = '\0';
            return true;
        }
        if (n + 1 < size)
            line[n++] = c;
    }
    return false;
}

/* "0:0,1:0,64:1" */
static void read_cpus(const char *text, struct sp_helper_cpus *cpus)
{
    cpus->n = 0;
    for (const char *p = text; *p && cpus->n < SP_HELPER_MAX_CPUS;) {
        char *end;
        cpus->cpu[cpus->n] = (int)strtol(p, &end, 10);
        if (end == p)
            break;
        cpus->socket[cpus->n] = *end == ':' ? (int)strtol(end + 1, &end, 10) : 0;
        cpus->n++;
        p = *end == ',' ? end + 1 : end;
    }
}

static int read_threads(const char *text, int *threads)
{
    int n = 0;
    for (const char *p = text; *p && n < SP_HELPER_MAX_THREADS;) {
        char *end;
        threads[n] = (int)strtol(p, &end, 10);
        if (end == p)
            break;
        n++;
        p = *end == ',' ? end + 1 : end;
    }
    return n;
}

/* False: quit. */
static bool obey(const struct sp_helper_backend *library, const char *path, char *line)
{
    static struct sp_helper_cpus cpus;
    static int threads[SP_HELPER_MAX_THREADS];
    char *rest = strchr(line, ' ');
    if (rest)
        *rest++ = '\0';
    bool good = false;
    if (strcmp(line, "look") == 0) {
        good = library->look(path);
    } else if (strcmp(line, "open") == 0 && rest) {
        char *list = strchr(rest, ' ');
        if (list)
            *list++ = '\0';
        read_cpus(list ? list : "", &cpus);
        good = library->look(path) && library->open(strcmp(rest, "-") == 0 ? NULL : rest, &cpus);
    } else if (strcmp(line, "start") == 0 && rest) {
        char *list;
        int pass = (int)strtol(rest, &list, 10);
        good = library->start(pass, read_threads(*list == ' ' ? list + 1 : list, threads), threads);
    } else if (strcmp(line, "stop") == 0) {
        good = library->stop();
    } else if (strcmp(line, "quit") == 0) {
        return false;
    } else {
        sp_helper_absent("", "the helper does not know '%s'", line);
    }
    if (good)
        sp_helper_reply("ok\n");
    return true;
}

int main(int argc, char **argv)
{
    static char line[LINE];
    static const struct {
        const char *name;
        const struct sp_helper_backend *backend;
    } libraries[] = {
#define LIBRARY_COUNTER(NAME, ...) {#NAME, &sp_helper_##NAME},
#include "base/option/byte_counters.inc"
    };
    const struct sp_helper_backend *library = NULL;
    for (size_t i = 0; argc >= 2 && i < sizeof libraries / sizeof *libraries; i++)
        if (strcmp(argv[1], libraries[i].name) == 0)
            library = libraries[i].backend;
    if (!library || dup2(SP_HELPER_REPLY, SP_HELPER_REPLY) < 0) {
        static const char words[] = "spmodel-counters is started by spmodel; see spmodel help counters\n";
        return write(STDERR_FILENO, words, sizeof words - 1) < 0 ? 1 : 2;
    }
    const char *path = argc > 2 && *argv[2] ? argv[2] : NULL;
    while (read_line(line, sizeof line) && obey(library, path, line))
        ;
    library->close();
    _exit(0); /* past the handlers that the library left behind */
}
