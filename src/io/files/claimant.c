#include "io/files/claimant.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/json_text.h"

/* The first line of a file of /proc, "" where there is none. */
static void read_line(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "r");
    if (!f || !fgets(text, (int)size, f))
        text[0] = '\0';
    if (f)
        fclose(f);
    text[strcspn(text, "\n")] = '\0';
}

/* State and start of a process, fields 3 and 22 of /proc/PID/stat [proc(5)], counted behind the
 * name, which may have blanks. Returns the start, 0: unknown. */
static int64_t start_of(int pid, char *state)
{
    char path[48], line[1024];
    long long start = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    read_line(path, line, sizeof line);
    const char *p = strrchr(line, ')');
    *state = p && p[1] == ' ' ? p[2] : '?';
    for (int field = 2; p && field < 22; field++) {
        p = strchr(p, ' ');
        p += p != NULL;
    }
    return p && sscanf(p, "%lld", &start) == 1 ? start : 0;
}

void sp_claimant_self(struct sp_claimant *self)
{
    struct utsname system;
    char state;
    memset(self, 0, sizeof *self);
    if (uname(&system) == 0)
        snprintf(self->host, sizeof self->host, "%.64s", system.nodename);
    read_line("/proc/sys/kernel/random/boot_id", self->boot, sizeof self->boot);
    if (readlink("/proc/self/ns/pid", self->space, sizeof self->space - 1) < 0)
        self->space[0] = '\0';
    self->pid = (int)getpid();
    self->start = start_of(self->pid, &state);
}

bool sp_claimant_has_ended(const struct sp_claimant *self, const struct sp_claimant *other)
{
    if (!self->boot[0] || strcmp(self->boot, other->boot) != 0 || strcmp(self->space, other->space) != 0 ||
        other->pid <= 0)
        return false;
    if (kill((pid_t)other->pid, 0) != 0 && errno == ESRCH)
        return true;
    char state;
    const int64_t start = start_of(other->pid, &state);
    if (state == 'Z' || state == 'X') /* its parent has not noticed yet */
        return true;
    return start > 0 && other->start > 0 && start != other->start;
}

void sp_claimant_machine(const struct sp_claimant *c, char key[17])
{
    const char *name = c->boot[0] ? c->boot : c->host;
    snprintf(key, 17, "%016llx", (unsigned long long)sp_hash64(name, strlen(name), 0));
}

void sp_claimant_print(const struct sp_claimant *c, char *text, size_t size)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:i, s:I}", "host", c->host, "boot", c->boot, "space", c->space,
                          "pid", c->pid, "start", (json_int_t)c->start);
    char *line = o ? json_dumps(o, JSON_COMPACT) : NULL;
    snprintf(text, size, "%s\n", line ? line : "{}");
    free(line);
    json_decref(o);
}

static void take(const json_t *o, const char *key, char *text, size_t size)
{
    const char *value = json_string_value(json_object_get(o, key));
    snprintf(text, size, "%s", value ? value : "");
}

void sp_claimant_parse(const char *text, struct sp_claimant *c)
{
    json_t *o = sp_json_parse(text, strlen(text), 0, NULL);
    memset(c, 0, sizeof *c);
    take(o, "host", c->host, sizeof c->host);
    take(o, "boot", c->boot, sizeof c->boot);
    take(o, "space", c->space, sizeof c->space);
    c->pid = (int)json_integer_value(json_object_get(o, "pid"));
    c->start = (int64_t)json_integer_value(json_object_get(o, "start"));
    json_decref(o);
}
