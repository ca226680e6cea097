/* The ECM model beside the roofline in `spmodel model`: SpMV on CPUs, from the bytes of each interface. */
#ifndef SP_CLI_MODEL_ECM_H
#define SP_CLI_MODEL_ECM_H

#include <jansson.h>
#include <stdio.h>

#include "cli/model/case.h"
#include "sparse/formats/layout.h"

/* Fills in row->ecm for SpMV with a layout on a described CPU. Bytes: simulated where row->traffic is, else
 * the roofline's over every interface inside the level where the data live. T_OL by the arithmetic peak where
 * P_core is not known, T_nOL by the loads' bytes. The prediction is made. */
void sp_model_ecm(const struct sp_workload *workload, const struct sp_layout *layout, struct sp_value core,
                  struct sp_model_row *row);

/* Lines for n rows of one machine; nothing where none has it. */
void sp_model_ecm_print(const struct sp_model_row *row, int n, FILE *out);

/* New reference; NULL where the row has none. SI units, all work by one thread but for "time". */
json_t *sp_model_ecm_json(const struct sp_model_row *row);

#endif
