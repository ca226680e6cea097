/* What stands under a temporary name: whose it is, when it goes, and what the file may be that takes its
 * place. */
#include <check.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/part_file.h"
#include "run_suite.h"
#include "scratch_dir.h"

static bool exists(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) == 0;
}

/* In a child that ends without a word: a part of dir/NAME, and a scratch folder with a file where dir is
 * TMPDIR. */
static void leave(const char *name, char *part, char *folder, size_t size)
{
    int told[2];
    ck_assert_int_eq(pipe(told), 0);
    const pid_t child = fork();
    if (child == 0) {
        char target[256], file[600];
        snprintf(target, sizeof target, "%s/%s", dir, name);
        bool good = sp_part_make(target, part, size) >= 0;
        good = good && sp_scratch_folder("test", folder, size, NULL) == SP_OK;
        snprintf(file, sizeof file, "%s/content", folder);
        FILE *f = fopen(file, "w");
        good = good && f && fclose(f) == 0;
        good = good && write(told[1], part, size) == (ssize_t)size &&
               write(told[1], folder, size) == (ssize_t)size;
        _exit(good ? 0 : 1);
    }
    int state;
    ck_assert(waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0);
    ck_assert(read(told[0], part, size) == (ssize_t)size && read(told[0], folder, size) == (ssize_t)size);
    close(told[0]);
    close(told[1]);
    ck_assert(exists(part) && exists(folder));
}

START_TEST(parts_of_dead_processes_go)
{
    char part[512], folder[512], mine[512], again[512], other[512], old[256];
    make_dir();
    setenv("TMPDIR", dir, 1);
    leave("result", part, folder, sizeof part);
    /* what is alive, of another machine, or named by others stays */
    snprintf(old, sizeof old, "%s/.result.Ab3dEf.part", dir);
    fclose(fopen(old, "w"));
    snprintf(other, sizeof other, "%s", part);
    char *key = strstr(other, ".result.") + strlen(".result.");
    *key = *key == '0' ? '1' : '0';
    fclose(fopen(other, "w"));
    char target[256];
    snprintf(target, sizeof target, "%s/another", dir);
    const int fd = sp_part_make(target, mine, sizeof mine);
    ck_assert(fd >= 0 && strncmp(strrchr(mine, '/'), "/.another.", 10) == 0);
    ck_assert_msg(!exists(part) && !exists(folder), "what a dead process left is there");
    ck_assert_msg(exists(old) && exists(other) && exists(mine), "what may be alive has gone");
    const pid_t child = fork();
    if (child == 0) { /* another process clears up, too, but not what a live one writes */
        const int its = sp_part_make(target, again, sizeof again);
        _exit(its >= 0 && exists(mine) && unlink(again) == 0 ? 0 : 1);
    }
    int state;
    ck_assert(waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0);
    close(fd);
    ck_assert(sp_part_rename(mine, target) && exists(target) && !exists(mine));
    remove_dir();
}
END_TEST

static void end(int signal_number)
{
    sp_parts_end();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* A file, a file that has its name, a folder with more files than one reading gives, and a child. */
static void be_ended(void)
{
    struct sp_atomic_file file, done;
    char path[700], folder[512];
    bool made;
    signal(SIGTERM, end);
    snprintf(path, sizeof path, "%s/half", dir);
    bool good = sp_atomic_open(path, &file, NULL) == SP_OK;
    fputs("half of it", file.stream);
    snprintf(path, sizeof path, "%s/whole", dir);
    good = good && sp_atomic_open(path, &done, NULL) == SP_OK && sp_atomic_commit(&done, NULL) == SP_OK;
    snprintf(path, sizeof path, "%s/new", dir);
    good = good && sp_new_file(path, "x", 1, &made, NULL) == SP_OK && made;
    good = good && sp_scratch_folder("test", folder, sizeof folder, NULL) == SP_OK;
    for (int i = 0; i < 300; i++) {
        snprintf(path, sizeof path, "%s/a file with a long name %d", folder, i);
        FILE *f = fopen(path, "w");
        good = good && f && fclose(f) == 0;
    }
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    sp_part_child(child);
    snprintf(path, sizeof path, "%s/child", dir);
    FILE *f = fopen(path, "w");
    fprintf(f, "%d\n", (int)child);
    fclose(f);
    raise(good ? SIGTERM : SIGABRT);
    _exit(1);
}

START_TEST(a_signal_leaves_nothing)
{
    char path[256];
    int state, pid = 0;
    make_dir();
    setenv("TMPDIR", dir, 1);
    const pid_t child = fork();
    if (child == 0)
        be_ended();
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert(WIFSIGNALED(state) && WTERMSIG(state) == SIGTERM);
    snprintf(path, sizeof path, "%s/child", dir);
    FILE *f = fopen(path, "r");
    ck_assert(f && fscanf(f, "%d", &pid) == 1);
    fclose(f);
    ck_assert_msg(kill(pid, 0) != 0, "a child that writes lives on");
    snprintf(path, sizeof path, "test \"$(ls -A '%s' | tr '\\n' ' ')\" = 'child new whole '", dir);
    ck_assert_msg(system(path) == 0, "something half-written is left, or what was whole has gone");
    remove_dir();
}
END_TEST

static struct stat facts_of(const char *path)
{
    struct stat facts;
    ck_assert_int_eq(stat(path, &facts), 0);
    return facts;
}

/* Writes the file anew; what its part may be while it is written goes to *during. */
static enum sp_status write_again(const char *path, struct stat *during)
{
    struct sp_atomic_file file;
    enum sp_status status = sp_atomic_open(path, &file, NULL);
    if (status != SP_OK)
        return status;
    fputs("new", file.stream);
    fflush(file.stream);
    stat(file.part, during);
    return sp_atomic_commit(&file, NULL);
}

START_TEST(a_file_keeps_its_permissions)
{
    static const mode_t modes[] = {0600, 0400, 0640, 0644, 0664, 0666, 0755, 0700, 0604};
    struct stat during;
    make_dir();
    const mode_t mask = umask(022);
    const char *path = write_file("file", "old");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        ck_assert_int_eq(chmod(path, modes[i]), 0);
        ck_assert_int_eq(write_again(path, &during), SP_OK);
        ck_assert_int_eq(facts_of(path).st_size, 3);
        ck_assert_int_eq(facts_of(path).st_mode & 07777, modes[i]);
        ck_assert_msg((during.st_mode & 077) == 0, "others may read what is not complete");
    }
    unlink(path);
    ck_assert_int_eq(write_again(path, &during), SP_OK); /* a new one: what umask leaves */
    ck_assert_int_eq(facts_of(path).st_mode & 07777, 0644);
    umask(mask);
    remove_dir();
}
END_TEST

/* Needs somebody who may give files away. */
START_TEST(a_file_keeps_its_owner)
{
    enum { SOMEBODY = 54321, GROUP = 54322 };
    struct stat during;
    if (geteuid() != 0) {
        puts("skipped: a_file_keeps_its_owner: only root gives files to others");
        return;
    }
    make_dir();
    const char *path = write_file("file", "old");
    ck_assert(chown(path, SOMEBODY, GROUP) == 0 && chmod(path, 0640) == 0);
    ck_assert_int_eq(write_again(path, &during), SP_OK);
    ck_assert(facts_of(path).st_uid == SOMEBODY && facts_of(path).st_gid == GROUP);
    ck_assert_int_eq(facts_of(path).st_mode & 07777, 0640);
    /* who is not of its group cannot keep it: then the new group may no more than everybody */
    ck_assert(chmod(path, 0664) == 0 && chmod(dir, 0777) == 0);
    const pid_t child = fork();
    if (child == 0) /* from within the folder: what is above it may be closed to others, as a TMPDIR can be */
        _exit(chdir(dir) == 0 && setgroups(0, NULL) == 0 && setgid(SOMEBODY) == 0 && setuid(SOMEBODY) == 0 &&
                      write_again("file", &during) == SP_OK
                  ? 0
                  : 1);
    int state;
    ck_assert(waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0);
    ck_assert(facts_of(path).st_uid == SOMEBODY && facts_of(path).st_gid == SOMEBODY);
    ck_assert_int_eq(facts_of(path).st_mode & 07777, 0644);
    remove_dir();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("part_file");
    TCase *tc = tcase_create("part_file");
    tcase_add_test(tc, parts_of_dead_processes_go);
    tcase_add_test(tc, a_signal_leaves_nothing);
    tcase_add_test(tc, a_file_keeps_its_permissions);
    tcase_add_test(tc, a_file_keeps_its_owner);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
