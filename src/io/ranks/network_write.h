/* A measured network as a file that network_file.h reads. */
#ifndef SP_IO_NETWORK_WRITE_H
#define SP_IO_NETWORK_WRITE_H

#include <jansson.h>

#include "base/status.h"
#include "model/ranks/network.h"

/* A new reference. */
json_t *sp_network_json(const struct sp_network *network);
/* Whole or not at all. */
enum sp_status sp_network_file_write(const char *path, const struct sp_network *network,
                                     struct sp_error *err);

#endif
