/* What a record's time supports: its losses for report and plots, or why there are none. */
#ifndef SP_IO_RECORD_LOSSES_H
#define SP_IO_RECORD_LOSSES_H

#include "io/record/record.h"

/* Shares below this are not named; a share of the possible above that is doubtful. */
#define SP_VERDICT_LEAST    0.005
#define SP_VERDICT_DOUBTFUL 1.03

bool sp_verdict_is_status(const struct sp_record *record, const char *status);
const char *sp_verdict_doubt(const struct sp_record *record); /* conditions.doubt, "" none */
/* What that puts in doubt: "the roof is in doubt"; NULL: nothing. */
const char *sp_verdict_in_doubt(const struct sp_record *record);
/* The machine file has no bandwidth of the level of the data, and none was measured beside it. */
bool sp_verdict_lacks_roof(const struct sp_record *record);
bool sp_verdict_is_unusable(const struct sp_record *record);
/* Why no time of it is a figure, where other programs disturbed most of them; else NULL. */
const char *sp_verdict_disturbed(const struct sp_record *record);
bool sp_verdict_is_foreign(const struct sp_record *record); /* caches and ceilings of another machine? */
bool sp_verdict_is_stated(const struct sp_record *record);  /* a time of somebody else's clock? */
/* Why nothing rests on the time, where nothing does; else NULL. */
const char *sp_verdict_no_time(const struct sp_record *record);
struct sp_value sp_verdict_possible(const struct sp_record *record); /* [flop/s] */
/* The measured rate over the possible one; NAN: not known. */
double sp_verdict_share(const struct sp_record *record);
/* Is the run faster than the model allows, by more than SP_VERDICT_DOUBTFUL and by more than both
 * intervals leave open? */
bool sp_verdict_beats_model(const struct sp_record *record);
/* Does execution bind the possible? On a GPU: any term but the bandwidth of the level that holds
 * the data, such as that of the L2 where they come from memory. */
bool sp_verdict_is_in_core(const struct sp_record *record);
/* What the possible of a GPU has beside its slowest resource, launches to last wave [s]; else 0. */
double sp_verdict_launch_s(const struct sp_record *record);
/* Shares of the time of the rows of losses; NAN: not known. False: there are none. */
bool sp_verdict_loss_shares(const struct sp_record *record, double share[SP_N_LOSS_ROWS]);

/* The losses as the verdict names them: what the possible contains first, then what is lost, the
 * rest last. They add up to the time. Where execution binds, what it hides of transfers is a part
 * of it. */
struct sp_verdict_row {
    int loss;          /* of sp_loss_words */
    double share;      /* of the time; only the rest may be negative */
    bool is_lost;      /* lies between possible and reached */
    const char *cause; /* key of `losses` in the record: "in_core", or a part of it as "row_ends" */
    const char *how;   /* of this part in `losses_origin`, "measured: ..."; "": the record does not say */
    char words[64];
};
enum { SP_VERDICT_ROWS = SP_N_LOSS_ROWS + 4 };
/* Returns how many; 0: no loss can be named, and `lost` says why. */
int sp_verdict_rows(const struct sp_record *record, struct sp_verdict_row row[SP_VERDICT_ROWS]);
/* On whose word a part is, of its `how`: "measured", "simulated", ...; else "derived". Static. */
const char *sp_loss_origin_word(const char *how);
/* Why no loss can be named, perhaps in text[size]; NULL: they can. */
const char *sp_verdict_no_losses(const struct sp_record *record, char *text, size_t size);

#endif
