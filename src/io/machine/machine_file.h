/* Machine files, `spmodel.machine/1`: a struct sp_machine as JSON, each number with its unit,
 * origin and source. `spmodel help machine-files` and machines/ivb-e5-2660v2.json show the
 * format. */
#ifndef SP_IO_MACHINE_FILE_H
#define SP_IO_MACHINE_FILE_H

#include <stddef.h>

#include "base/status.h"
#include "model/machine.h"

/* On what kind of machine the simulation was compared with counters, for reports on all others:
 * those of machines/ whose files say `validated` (tests/test_machine_file.c). */
#define SP_VALIDATED_ON "A64FX"

/* Reads a file; *out is released with sp_machine_free(). `remarks` (may be NULL) receives a
 * sentence about keys that are not known, which are ignored, "" when there are none. SP_INPUT names
 * the file, the key (or the line, for bad JSON) and the remedy; SP_ABSENT when there is no such
 * file. */
enum sp_status sp_machine_file_read(const char *path, struct sp_machine *out, char *remarks, size_t size,
                                    struct sp_error *err);

/* Writes it whole or not at all; numbers keep 10 significant digits. */
enum sp_status sp_machine_file_write(const char *path, const struct sp_machine *machine,
                                     struct sp_error *err);

/* The same text to memory: *text is an allocated string, free(). */
enum sp_status sp_machine_to_json(const struct sp_machine *machine, char **text, struct sp_error *err);

/* Where `name` is: itself when it contains a slash or ends in ".json", else NAME.json in the first
 * of the directories (ends with NULL) that has it, else the only machine whose name begins so
 * ("h200"). SP_ABSENT lists the names that there are, SP_USAGE those that begin so. */
enum sp_status sp_machine_file_find(const char *name, const char *const *directories, char *path, size_t size,
                                    struct sp_error *err);

/* Every NAME.json of one directory, sorted by name. *paths is [*n] allocated strings,
 * sp_machine_file_unlist(). A directory that is absent has none. */
enum sp_status sp_machine_file_list(const char *directory, char ***paths, int *n, struct sp_error *err);
void sp_machine_file_unlist(char **paths, int n);

#endif
