/* Where gathers of x come from, and their roof, as JSON: of `spmodel model --json` and of records. */
#ifndef SP_IO_GATHER_JSON_H
#define SP_IO_GATHER_JSON_H

#include <jansson.h>

#include "model/gather.h"

/* {"time", "roof", "beyond_L1", "levels": [{"level", "gathers", "rate"}]}. Values as sp_record_value_json()
 * writes them, in s and 1/s, of all threads. New reference; NULL: memory is short. */
json_t *sp_gather_json(const struct sp_gather_roof *roof);

#endif
