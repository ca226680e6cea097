/* What the simulation says of one execution that somebody measured elsewhere: bytes from and to
 * memory, each cache domain simulated with the bytes of its own threads, and the time that the
 * roofline makes of them. */
#ifndef SP_SESSION_FORECAST_H
#define SP_SESSION_FORECAST_H

#include <stdbool.h>

#include "base/progress.h"
#include "base/reading.h"
#include "base/status.h"
#include "model/machine.h"
#include "sparse/csr/csr.h"
#include "sparse/product/workload.h"

struct sp_forecast {
    struct sp_value read_B, write_B; /* simulated (model/volume/traffic.h) */
    struct sp_value time_s;          /* the roofline's, as in `spmodel model` */
    bool has_core;                   /* with the core's time by the lengths of rows; else that is left out */
    double once_B;                   /* every array once: what a cold execution reads at least, y included */
    int n_domains, n_held; /* cache domains in use; of them those whose cache holds all that they touch */
    double least_share, most_share; /* what a domain touches over the capacity of its cache */
    double copies_B; /* of once_B beyond one copy of x: caches that share its lines load them each */
};

/* The workload with matrix and threads, SpMV. SP_USAGE: it cannot be, SP_INTERRUPTED, SP_MEMORY. */
enum sp_status sp_forecast_make(const struct sp_workload *workload, const struct sp_machine *machine,
                                bool cold, const struct sp_progress *progress, struct sp_forecast *out,
                                struct sp_error *err);

/* What is known of sizes alone, CRS in f64 with 32-bit columns: every array once [B]; and what of
 * it must come from memory although the caches in use, kept_B, may hold the rest from one execution
 * to the next. */
double sp_forecast_once_B(double n_r, double n_c, double n_nz, double row_ptr_B);
static inline double sp_forecast_least_B(double once_B, double kept_B)
{
    return once_B > kept_B ? once_B - kept_B : 0;
}

#endif
