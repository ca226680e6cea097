#include "cli/attach/attach_program.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/attach_log.h"
#include "cli/core/errors.h"
#include "cli/core/process.h"
#include "io/files/input_file.h"
#include "io/files/places.h"

static const char preload[] = "LD_PRELOAD";

struct before {
    const struct sp_attached_run *run;
    const char *preload;
    struct sigaction child_ends; /* what this process had for SIGCHLD */
};

/* In the new process: in front of what is preloaded anyway. */
static void set_environment(void *context)
{
    const struct before *b = context;
    char pid[32];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    setenv(preload, b->preload, 1);
    setenv(SP_ATTACH_FOLDER_VARIABLE, b->run->folder, 1);
    setenv(SP_ATTACH_PID_VARIABLE, pid, 1);
    sigaction(SIGCHLD, &b->child_ends, NULL);
    sched_setaffinity(0, sizeof b->run->cpus, &b->run->cpus);
}

static enum sp_status find_file(const char *name, const char *remedy, char *path, size_t size,
                                struct sp_error *err)
{
    if (!sp_module_path(name, path, size) || access(path, R_OK) != 0)
        return sp_fail(err, SP_ABSENT, remedy, "%s is not where it belongs", name);
    if (strpbrk(path, ": "))
        return sp_fail_at(err, SP_ABSENT, path, 0, 0, "install spmodel elsewhere",
                          "the dynamic linker takes no library whose path has a blank or a colon");
    return SP_OK;
}

static enum sp_status find_library(bool messages, char *list, size_t size, struct sp_error *err)
{
    char path[3000], pmpi[3000] = "";
    const char *other = getenv(preload);
    enum sp_status status =
        find_file("libspmodel-attach.so", "install spmodel whole: the library lies in lib/spmodel", path,
                  sizeof path, err);
    if (status == SP_OK && messages)
        status = find_file("libspmodel-pmpi.so",
                           "install MPI (Debian: libopenmpi-dev and openmpi-bin), then build spmodel again",
                           pmpi, sizeof pmpi, err);
    if (status != SP_OK)
        return status;
    const int n = snprintf(list, size, "%s%s%s%s%s", path, messages ? ":" : "", pmpi,
                           other && *other ? ":" : "", other ? other : "");
    return n > 0 && (size_t)n < size ? SP_OK
                                     : sp_fail(err, SP_ABSENT, "shorten it", "LD_PRELOAD is too long");
}

enum sp_status sp_attached_ready(bool messages, struct sp_error *err)
{
    char list[8192];
    return find_library(messages, list, sizeof list, err);
}

enum sp_status sp_attached_run(struct sp_attached_run *run, struct sp_error *err)
{
    char list[8192];
    pid_t child;
    int error;
    enum sp_status status = find_library(run->messages, list, sizeof list, err);
    struct before before = {.run = run, .preload = list};
    const struct sigaction as_ever = {.sa_handler = SIG_DFL};
    run->exit_code = sp_exit_code(status);
    if (status != SP_OK)
        return status;
    sigaction(SIGCHLD, &as_ever, &before.child_ends); /* where it is ignored, no exit code stays */
    status = sp_program_start(run->word, set_environment, &before, &child, &error, err);
    run->exit_code = error == ENOENT ? 127 : 126;
    if (status == SP_OK) {
        sp_process_leave_to(child);
        while (waitpid(child, &run->state, 0) < 0 && errno == EINTR)
            ;
        sp_process_leave_to(0);
        run->pid = child;
        run->exit_code = WIFSIGNALED(run->state) ? 128 + WTERMSIG(run->state) : WEXITSTATUS(run->state);
    }
    sigaction(SIGCHLD, &before.child_ends, NULL);
    return status;
}

static bool has_variable(const char *pid, const char *variable)
{
    char path[300], *text = NULL;
    size_t size = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    FILE *file = fopen(path, "re");
    while (file && !found && getdelim(&text, &size, '\0', file) > 0)
        found = strcmp(text, variable) == 0;
    if (file)
        fclose(file);
    free(text);
    return found;
}

static void read_name(const char *pid, char *name, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/comm", pid);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(name, (int)size, file))
        snprintf(name, size, "process %.10s", pid);
    name[strcspn(name, "\n")] = '\0';
    if (file)
        fclose(file);
}

int sp_attach_count_running(const char *folder, char *name, size_t size)
{
    char variable[4200];
    int n = 0;
    DIR *d = opendir("/proc");
    const struct dirent *entry;
    snprintf(variable, sizeof variable, "%s=%s", SP_ATTACH_FOLDER_VARIABLE, folder);
    *name = '\0';
    while (d && (entry = readdir(d)) != NULL)
        if (entry->d_name[strspn(entry->d_name, "0123456789")] == '\0' &&
            has_variable(entry->d_name, variable) && n++ == 0)
            read_name(entry->d_name, name, size);
    if (d)
        closedir(d);
    return n;
}

/* True where the file is a program for this machine that asks for no dynamic linker. */
static bool is_static(const char *path)
{
    FILE *file;
    Elf64_Ehdr head;
    bool asks = false, known = false;
    if (sp_input_open(path, &file, NULL) != SP_OK)
        return false;
    if (fread(&head, sizeof head, 1, file) == 1 && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
        head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_phentsize == sizeof(Elf64_Phdr) &&
        head.e_phnum < 512) {
        known = fseek(file, (long)head.e_phoff, SEEK_SET) == 0;
        for (int i = 0; i < head.e_phnum && known; i++) {
            Elf64_Phdr part;
            known = fread(&part, sizeof part, 1, file) == 1;
            asks = asks || (known && part.p_type == PT_INTERP);
        }
    }
    fclose(file);
    return known && !asks;
}

void sp_attach_obstacle(const char *program, char *text, size_t size)
{
    char found[4096];
    struct stat facts;
    const char *path = strchr(program, '/') ? program : sp_find_program(program, found, sizeof found);
    *text = '\0';
    if (!path || stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return;
    if (((facts.st_mode & S_ISUID) && facts.st_uid != geteuid()) ||
        ((facts.st_mode & S_ISGID) && facts.st_gid != getegid()) ||
        getxattr(path, "security.capability", NULL, 0) > 0)
        snprintf(text, size,
                 "it runs with more rights than yours, and the system lets nobody preload a "
                 "library into such a program");
    else if (is_static(path))
        snprintf(text, size,
                 "it is linked statically, and has no symbols that a library could stand in front "
                 "of");
}
