/* Claims of pieces of work by several processes and machines, without a server: files in a folder
 * that all of them see.
 *
 *     FOLDER/NAME.1, NAME.2 ...   who has the work NAME; the highest number counts
 *
 * A claim is made by a hard link, which one of several wins. One whose process has ended, or that
 * gave no sign of life for stale_s, is not taken away but outdone by the next number: two that find
 * it stale try for the same name, and one wins. An owner that was silent for too long and goes on
 * afterwards may thus do the same work as its successor; who claims looks afterwards whether the
 * work is done, and what work leaves behind must be made once (io/files/part_file.h). */
#ifndef SP_TRACK_CLAIM_H
#define SP_TRACK_CLAIM_H

#include "base/status.h"
#include "io/files/part_file.h"

struct sp_claims {
    char folder[3200];
    struct sp_claimant self;
    double stale_s;      /* silence after which a claim of another machine is stale */
    double ahead_s;      /* the file server's clock less ours: ages are by its clock alone */
    bool by_local_clock; /* its clock is not known, because the folder cannot be written: ages are by ours */
};

enum sp_claim_state { SP_CLAIM_FREE, SP_CLAIM_HELD, SP_CLAIM_STALE };

struct sp_claim {
    int number; /* 0: none */
    struct sp_claimant owner;
    double age_s;  /* since the claim was made or touched */
    bool is_ended; /* stale because its process has ended */
};

/* `write`: makes the folder where it is missing; else claims are only looked at, by the file
 * server's clock where the folder is there and can be written. SP_OUTPUT: it cannot be made or
 * written. */
enum sp_status sp_claims_open(const char *folder, double stale_s, bool write, struct sp_claims *claims,
                              struct sp_error *err);

/* Who has `name` (letters, digits, -); *claim is zeroed where it is free. */
enum sp_claim_state sp_claim_look(const struct sp_claims *claims, const char *name, struct sp_claim *claim);

/* Claims `name` where it is free or stale; *taken is false where another has it, or was quicker. */
enum sp_status sp_claim_take(const struct sp_claims *claims, const char *name, bool *taken,
                             struct sp_claim *claim, struct sp_error *err);

/* A sign of life; to be given several times within stale_s. */
void sp_claim_touch(const struct sp_claims *claims, const char *name, const struct sp_claim *claim);

/* Gives up one's own claim, and removes those that it outdid, unless it was outdone. */
void sp_claim_drop(const struct sp_claims *claims, const char *name, const struct sp_claim *claim);

/* Removes files that were never finished because their makers were killed. */
void sp_claims_sweep(const struct sp_claims *claims);

#endif
