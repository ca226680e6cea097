/* A verdict judged again when its request was measured once more: one session that was unlucky regresses, two
 * in a row hardly ever do. */
#ifndef SP_TRACK_CONFIRM_H
#define SP_TRACK_CONFIRM_H

#include "track/judge/judge.h"

/* Judges again: list [n] is what sp_judge() was given, and behind it the n_new sessions that were measured
 * since, whose `confirms` names the newest before them. What stays *regressed* has regressed together with
 * the first session, and by itself; of itself alone it is *inconclusive*. Sets verdict, confirmed and
 * confirmation of *j, which holds the first verdict. SP_MEMORY. */
enum sp_status sp_judge_again(const struct sp_entry *const *list, int n, int n_new,
                              const struct sp_entry *const *pinned, int n_pinned,
                              const struct sp_judge_options *options, struct sp_judgement *j,
                              struct sp_error *err);

/* sp_judge(), and where the newest of the list were measured to confirm those before them, what they say.
 * SP_MEMORY.
 */
enum sp_status sp_judge_confirmed(const struct sp_entry *const *list, int n,
                                  const struct sp_entry *const *pinned, int n_pinned,
                                  const struct sp_judge_options *options, struct sp_judgement *j,
                                  struct sp_error *err);

/* Would another session be of use? Verdicts that something was compared for, that are not good, and that no
 * other session has confirmed. */
bool sp_judge_wants_confirmation(const struct sp_judgement *j);

/* Makes *regressed* inconclusive where no other session has confirmed it, runs differ by more than the floor
 * that was asked for (0: SP_SHIFT_FLOOR), and the change is at most five times as large as they do: a machine
 * that moves that much from run to run also has bad sessions. */
void sp_judge_hold(struct sp_judgement *j, double floor);

#endif
