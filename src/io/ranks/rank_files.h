/* Files about ranks: networks, and partitions of rows. */
#ifndef SP_IO_RANKS_RANK_FILES_H
#define SP_IO_RANKS_RANK_FILES_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/ranks/distributed.h"

/* Network files, `spmodel.network/1`: a struct sp_network as JSON, each number with its unit,
 * origin and source; networks/slingshot-10.json shows the format. */

/* Reads a file. SP_INPUT names the file, the key (or the line, for bad JSON) and the remedy. */
enum sp_status sp_network_file_read(const char *path, struct sp_network *out, struct sp_error *err);

/* `names` as typed: NAME or FILE, or two with a comma, of which the second one describes what the
 * first does not (messages inside a node). A name is looked for in the folders of the user and of
 * the program, its beginning is enough where no other has it. SP_ABSENT lists the names that there
 * are; as above. */
enum sp_status sp_network_find(const char *names, struct sp_network *out, struct sp_error *err);

/* Paths of all that can be named, sorted within a folder: *paths is [*n] allocated strings, for
 * sp_machine_file_unlist(). */
enum sp_status sp_network_list(char ***paths, int *n, struct sp_error *err);

/* A measured network as a file that is read so. */

/* A new reference. */
json_t *sp_network_json(const struct sp_network *network);
/* Whole or not at all. */
enum sp_status sp_network_file_write(const char *path, const struct sp_network *network,
                                     struct sp_error *err);

/* Partition files: the part of each row, a line each, counted from 0, as METIS and Scotch's gpart
 * write and read them. */

/* part[n_r], allocated, for free(); *n_parts: the largest number and one. SP_INPUT with the line:
 * no whole number from 0 on, or not n_r of them. */
enum sp_status sp_row_parts_read(const char *path, int64_t n_r, int32_t **part, int *n_parts,
                                 struct sp_error *err);
enum sp_status sp_row_parts_write(const char *path, const int32_t *part, int64_t n_r, struct sp_error *err);

#endif
