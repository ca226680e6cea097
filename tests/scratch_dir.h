/* A folder of its own for each test that writes files, in TMPDIR unless its name is long. */
#ifndef SP_TESTS_SCRATCH_DIR_H
#define SP_TESTS_SCRATCH_DIR_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char dir[64];

static inline void make_dir(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/spmodel-test-XXXXXX", tmp && *tmp && strlen(tmp) < 40 ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

static inline void remove_dir(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    ck_assert_int_eq(system(command), 0);
}

/* dir/NAME; the path is good until the next call. */
static inline const char *write_file(const char *name, const char *text)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
    return path;
}

#endif
