#include "track/store/claim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "io/files/input_file.h"
#include "io/files/part_file.h"

static double seconds(struct timespec t)
{
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double local_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return seconds(t);
}

/* Clocks of machines differ: ages are taken by the clock that sets the times of files. */
static enum sp_status compare_clocks(struct sp_claims *c, struct sp_error *err)
{
    char target[3300], path[3400];
    struct stat facts;
    snprintf(target, sizeof target, "%s/clock", c->folder);
    const int fd = sp_part_make(target, path, sizeof path);
    if (fd < 0)
        return sp_fail_output(err, c->folder, "write into the directory", errno);
    futimens(fd, NULL);
    c->ahead_s = fstat(fd, &facts) == 0 ? seconds(facts.st_mtim) - local_time() : 0;
    close(fd);
    sp_part_remove(path);
    return SP_OK;
}

enum sp_status sp_claims_open(const char *folder, double stale_s, bool write, struct sp_claims *c,
                              struct sp_error *err)
{
    memset(c, 0, sizeof *c);
    c->stale_s = stale_s;
    sp_claimant_self(&c->self);
    if (snprintf(c->folder, sizeof c->folder, "%s", folder) >= (int)sizeof c->folder)
        return sp_fail(err, SP_USAGE, NULL, "the name of the store is too long");
    const int failed = write ? sp_make_directories(folder) : 0;
    if (failed)
        return sp_fail_output(err, folder, "make the folder", failed);
    const enum sp_status status = compare_clocks(c, write ? err : NULL);
    c->by_local_clock = status != SP_OK;
    return write ? status : SP_OK;
}

static void path_of(const struct sp_claims *c, const char *name, int number, char *path, size_t size)
{
    snprintf(path, size, "%s/%s.%d", c->folder, name, number);
}

/* The number of NAME.NUMBER; 0: it is no claim of `name`. */
static int number_of(const char *file, const char *name)
{
    const size_t n = strlen(name);
    int64_t number = 0;
    if (strncmp(file, name, n) != 0 || file[n] != '.' || sp_parse_count(file + n + 1, &number) ||
        number < 1 || number > INT32_MAX)
        return 0;
    return (int)number;
}

static int highest(const struct sp_claims *c, const char *name)
{
    DIR *folder = opendir(c->folder);
    int most = 0;
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        const int number = number_of(e->d_name, name);
        most = number > most ? number : most;
    }
    if (folder)
        closedir(folder);
    return most;
}

/* The claim of this number; false: there is none, or none any more. */
static bool read_claim(const struct sp_claims *c, const char *name, int number, struct sp_claim *claim)
{
    char path[3400], text[512] = "";
    struct stat facts;
    memset(claim, 0, sizeof *claim);
    path_of(c, name, number, path, sizeof path);
    FILE *f;
    if (number <= 0 || sp_input_open(path, &f, NULL) != SP_OK)
        return false;
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    const bool seen = fstat(fileno(f), &facts) == 0;
    fclose(f);
    claim->number = number;
    sp_claimant_parse(text, &claim->owner);
    claim->age_s = seen ? local_time() + c->ahead_s - seconds(facts.st_mtim) : 0;
    claim->is_ended = sp_claimant_has_ended(&c->self, &claim->owner);
    return true;
}

static bool is_stale(const struct sp_claims *c, const struct sp_claim *claim)
{
    return claim->is_ended || claim->age_s > c->stale_s;
}

enum sp_claim_state sp_claim_look(const struct sp_claims *c, const char *name, struct sp_claim *claim)
{
    if (!read_claim(c, name, highest(c, name), claim))
        return SP_CLAIM_FREE; /* or given up since the folder was read */
    return is_stale(c, claim) ? SP_CLAIM_STALE : SP_CLAIM_HELD;
}

/* Is there another claim of the name that counts? While this one looked at a stale one, others may
 * have outdone it, given the name up, and begun anew from 1. */
static bool has_rival(const struct sp_claims *c, const char *name, int mine)
{
    DIR *folder = opendir(c->folder);
    struct sp_claim other;
    bool found = false;
    for (const struct dirent *e; folder && !found && (e = readdir(folder));) {
        const int number = number_of(e->d_name, name);
        found = number > 0 && number != mine && read_claim(c, name, number, &other) && !is_stale(c, &other);
    }
    if (folder)
        closedir(folder);
    return found;
}

enum sp_status sp_claim_take(const struct sp_claims *c, const char *name, bool *taken, struct sp_claim *claim,
                             struct sp_error *err)
{
    char path[3400], text[512];
    *taken = false;
    const enum sp_claim_state state = sp_claim_look(c, name, claim);
    if (state == SP_CLAIM_HELD)
        return SP_OK;
    sp_claimant_print(&c->self, text, sizeof text);
    path_of(c, name, claim->number + 1, path, sizeof path);
    const struct sp_claim mine = {.number = claim->number + 1, .owner = c->self};
    enum sp_status status = sp_new_file(path, text, strlen(text), taken, err);
    if (*taken && has_rival(c, name, mine.number)) {
        unlink(path); /* both may do so; the next try of one is alone */
        *taken = false;
    }
    *claim = *taken ? mine : (struct sp_claim){0};
    return status;
}

void sp_claim_touch(const struct sp_claims *c, const char *name, const struct sp_claim *claim)
{
    char path[3400];
    path_of(c, name, claim->number, path, sizeof path);
    utimensat(AT_FDCWD, path, NULL, 0);
}

/* Somebody may have outdone this claim, ended, and left the name to a third. */
static bool is_mine(const struct sp_claims *c, const char *name, const struct sp_claim *claim)
{
    struct sp_claim now;
    sp_claim_look(c, name, &now);
    return now.number == claim->number && now.owner.pid == c->self.pid && now.owner.start == c->self.start &&
           strcmp(now.owner.boot, c->self.boot) == 0 && strcmp(now.owner.host, c->self.host) == 0;
}

/* From below, so that the one that counts goes last. */
void sp_claim_drop(const struct sp_claims *c, const char *name, const struct sp_claim *claim)
{
    char path[3400];
    if (!is_mine(c, name, claim))
        return;
    for (int number = 1; number <= claim->number; number++) {
        path_of(c, name, number, path, sizeof path);
        unlink(path);
    }
}

void sp_claims_sweep(const struct sp_claims *c)
{
    char path[3500];
    struct stat facts;
    DIR *folder = opendir(c->folder);
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s", c->folder, e->d_name);
        if (e->d_name[0] == '.' && stat(path, &facts) == 0 && S_ISREG(facts.st_mode) &&
            local_time() + c->ahead_s - seconds(facts.st_mtim) > c->stale_s)
            unlink(path);
    }
    if (folder)
        closedir(folder);
}
