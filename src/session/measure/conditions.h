/* In what state the machine was while it was measured on, decided once, and whether a verdict can be given at
 * all. Every percentage, loss, hint and gate of an analysis asks here. */
#ifndef SP_SESSION_CONDITIONS_H
#define SP_SESSION_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "session/analyze/sampling.h"
#include "sys/processes.h"

enum sp_condition {
    SP_NOT_RUN,  /* nothing was run here: times come from elsewhere, or there are none */
    SP_CLEAN,    /* at most a tenth of the samples was disturbed */
    SP_BUSY,     /* disturbed samples were replaced by others */
    SP_ASSUMED,  /* clean, because SPMODEL_ASSUME says so: nobody looked */
    SP_UNUSABLE, /* too few undisturbed samples: times say nothing about the kernel */
    SP_N_CONDITIONS
};
/* "not run", "clean", "busy", "assumed", "unusable". */
const char *sp_condition_name(enum sp_condition condition);

enum { SP_MOST_OTHERS = 3 };

struct sp_conditions {
    enum sp_condition state;
    int64_t n_clean, n_disturbed; /* samples */
    bool oversubscribed;          /* more threads than processors: they disturb each other */
    int n_others;                 /* programs that used more than a tenth of a processor meanwhile */
    struct sp_busy other[SP_MOST_OTHERS];
    int n_on_gpu;                    /* other programs that have work on the GPU, busy or not */
    char on_gpu[SP_MOST_OTHERS][16]; /* the names of the first, "" not known */
    const char *held_back;           /* what holds the GPU's clocks back, static; NULL: nothing known */
};

/* state, n_clean and n_disturbed, from all runs pooled. */
void sp_conditions_set(const struct sp_pairs *pairs, struct sp_conditions *conditions);

/* Looks at who computes: begun before the samples, ended after them. What cannot be read is left out. */
struct sp_bystanders {
    struct sp_processes before;
};
void sp_bystanders_begin(struct sp_bystanders *watch);
void sp_bystanders_end(struct sp_bystanders *watch, struct sp_conditions *conditions);

/* n_on_gpu and on_gpu, of processes by their pid, 0: not known; pid[n], at most SP_MOST_OTHERS of them. */
void sp_conditions_name(struct sp_conditions *conditions, const int *pid, int n);

/* "48 samples, none disturbed", "31 of 60 samples were disturbed and replaced; other programs: cc1 95 %";
 * returns text. */
char *sp_conditions_words(const struct sp_conditions *conditions, char *text, size_t size);

/* What the shares of roof and model rest on. */
struct sp_shares {
    const struct sp_conditions *conditions;
    struct sp_value of_roof, of_model;
    double of_remembered; /* the roof over what the machine file remembers; INFINITY: it remembers none */
    bool in_memory;       /* in caches, sizes and barriers differ */
    const char *roof;     /* whose bandwidth it is: "what a load-only run beside it drew" */
    const char *fewer_B;  /* why fewer bytes may move than V, or more be counted than the kernel moves */
    const char *fast;     /* why the time may be shorter than the model's */
};
/* Can a verdict be given? Takes shares back that cannot be; doubt[size] "": it can. True: the roof is to
 * blame, so sampling again may help. */
bool sp_shares_doubt(struct sp_shares *shares, char *doubt, size_t size);

/* Above this share of its own roof a kernel has drawn more than the load-only run beside it: the roof is too
 * low or the bytes are too many. */
#define SP_MOST_OF_ROOF 1.10
/* A roof below this part of what the machine file remembers for the level was taken in a bad moment. */
#define SP_LEAST_OF_REMEMBERED 0.5

#endif
