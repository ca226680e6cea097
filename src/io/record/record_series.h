/* Records of one kernel with several widths of its dense operands, as points over r. */
#ifndef SP_IO_RECORD_SERIES_H
#define SP_IO_RECORD_SERIES_H

#include "io/record/record.h"

struct sp_series_point {
    int64_t r;                   /* right-hand sides, or dense width */
    struct sp_value time_s;      /* measured */
    struct sp_value balance;     /* as seen: of measured or simulated bytes [B/flop] */
    double balance_min;          /* with the gathered operand loaded once [B/flop]; NAN: not in the record */
    struct sp_value performance; /* measured [flop/s] */
    double model;                /* min(P_peak, P_core, b/B) with the bytes as seen [flop/s]; NAN: unknown */
    double core, bandwidth;      /* P_core, and b_S/B with the bytes as seen [flop/s]; NAN: unknown */
    const char *binding;         /* the term that is least with the bytes as seen; borrowed or static */
};

/* False where the record has no time or no balance, as for a matrix without entries. */
bool sp_series_point_of(const struct sp_record *record, struct sp_series_point *point);

/* Index of the point with the highest rate, of the model (`modelled`) or measured. n >= 1. */
int sp_series_best(const struct sp_series_point *point, int n, bool modelled);

/* Does point i reach the rate of `best` within the intervals (model: 2 %)? */
bool sp_series_ties(const struct sp_series_point *point, int i, int best, bool modelled);

#endif
