/* Small text files of the kernel (/sys, /proc), below a root directory so that a recorded machine
 * can stand in for the live one. `root` is "" for the live system everywhere in src/sys. */
#ifndef SP_SYS_SYSFS_H
#define SP_SYS_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads ROOT/PATH (path by format) into text[size], terminated, without final white space. Longer
 * files are cut. False when it cannot be read. */
bool sp_sysfs_text(const char *root, char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The first whole number in ROOT/PATH; false when there is none. */
bool sp_sysfs_count(const char *root, int64_t *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The whole file as an allocated string (free()), or NULL. */
char *sp_sysfs_file(const char *root, const char *path);

/* A list of CPUs as the kernel writes it: "0-3,8,10-11". Calls visit(context, cpu) for each,
 * ascending; false when the text is no list. An empty text is an empty list. */
bool sp_sysfs_list(const char *text, void (*visit)(void *context, int cpu), void *context);

#endif
