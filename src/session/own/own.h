/* A kernel of somebody else (include/spmodel.h) analysed. All of it runs in a process that is
 * forked for it: a kernel that crashes, hangs, ends its thread or process, computes wrongly or
 * writes beside its arrays is named, and does no harm. What the kernel prints goes to standard
 * error. */
#ifndef SP_SESSION_OWN_H
#define SP_SESSION_OWN_H

#include "session/analyze/analyze.h"

/* Is one asked for? */
static inline bool sp_own_is_asked(const struct sp_own_ask *ask)
{
    return ask->kernel || ask->library;
}

/* Can the library be opened, and is there such a kernel in it? In a process of its own, so that it
 * is known before anything is measured. SP_OK where a program hands its kernel over. SP_USAGE,
 * SP_INPUT, SP_WRONG. */
enum sp_status sp_own_ask_check(const struct sp_own_ask *ask, struct sp_error *err);

/* As sp_analyze(), of options->own. Precision, index and row pointers follow from its signature
 * where they are not given. SP_WRONG: the kernel failed, the error is a sentence about it; the
 * record has status "failed" and what is known without it, or is complete where the kernel failed
 * behind the analysis. SP_USAGE: what a kernel of one's own cannot be asked. */
enum sp_status sp_analyze_own(const struct sp_subject *subject, const struct sp_analyze_options *options,
                              const struct sp_progress *progress, struct sp_record *record,
                              struct sp_error *err);

#endif
