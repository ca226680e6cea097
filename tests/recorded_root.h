/* Unpacks a recorded machine (tests/data/sysfs-NAME.txt: "PATH<tab>CONTENT" lines, \n and \t in the content)
 * into a temporary directory that src/sys can take as its root. */
#ifndef SP_TESTS_RECORDED_ROOT_H
#define SP_TESTS_RECORDED_ROOT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline void recorded_write(const char *root, const char *path, const char *content)
{
    char name[4096 + 256];
    snprintf(name, sizeof name, "%s%s", root, path);
    for (char *slash = name + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(name, 0777);
        *slash = '/';
    }
    FILE *out = fopen(name, "w");
    ck_assert_msg(out != NULL, "cannot write %s", name);
    for (const char *p = content; *p; p++) {
        if (*p == '\\' && (p[1] == 'n' || p[1] == 't'))
            fputc(*++p == 'n' ? '\n' : '\t', out);
        else
            fputc(*p, out);
    }
    fputc('\n', out);
    fclose(out);
}

/* root[]: receives the directory's name. */
static inline void recorded_unpack(const char *recording, char *root, size_t size)
{
    char line[4096];
    snprintf(root, size, "/tmp/sp_root_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    snprintf(line, sizeof line, "%s/%s", SP_TEST_DATA, recording);
    FILE *in = fopen(line, "r");
    ck_assert_msg(in != NULL, "no recording %s", line);
    while (fgets(line, sizeof line, in)) {
        char *tab = strchr(line, '\t');
        if (line[0] == '#' || !tab)
            continue;
        line[strcspn(line, "\n")] = '\0';
        *tab = '\0';
        recorded_write(root, line, tab + 1);
    }
    fclose(in);
}

static inline void recorded_remove(const char *root)
{
    char command[256];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    ck_assert_int_eq(system(command), 0);
}

#endif
