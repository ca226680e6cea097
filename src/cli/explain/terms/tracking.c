/* Verdicts, series, sentinels, campaigns' screens. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"

const struct sp_term sp_tracking_terms[] = {
    {"verdict",
     "verdicts track-check",
     "what track check says of the newest session of a series",
     "change = median of all ratios after/before, minus 1; an interval from resampled processes",
     "ok, regressed, improved, inconclusive, not comparable. Values are medians of processes (analyze --runs "
     "5), not pooled samples. The exit code of many is the worst: 1 regressed, 5 inconclusive or not "
     "comparable.",
     "ok regressed improved inconclusive not-comparable confirm floor",
     {"config.runs"},
     NULL},
    {"ok",
     "",
     "verdict: no change that counts",
     "the interval stays within twice the floor that was asked for",
     "Exit code 0.",
     "verdict floor exit-0",
     {NULL},
     NULL},
    {"regressed",
     "",
     "verdict: slower",
     "estimate > floor, and the interval leaves out 0",
     "Exit code 1. The line below says whether more traffic, less bandwidth or the machine explains it; "
     "`track "
     "check --confirm` measures again before anyone is called.",
     "verdict attribution confirm exit-1",
     {NULL},
     NULL},
    {"improved",
     "",
     "verdict: faster",
     "estimate < -floor, and the interval leaves out 0",
     "Exit code 0. `track accept` makes it the baseline that later sessions are held against.",
     "verdict accepted exit-0",
     {NULL},
     NULL},
    {"inconclusive",
     "",
     "verdict: neither a change nor its absence is shown",
     NULL,
     "Too few runs or too much noise; it says how many more runs would do. Also changes that are no "
     "discoveries "
     "among many series, and those that a second session did not confirm. Exit code 5: never green, never "
     "red.",
     "verdict noise-free Q02 exit-5",
     {NULL},
     NULL},
    {"not-comparable",
     "incomparable",
     "verdict: nothing of this series was measured in this environment",
     NULL,
     "The facts that differ are named (`spmodel machine diff A B` shows all). Bytes compare where the "
     "simulated "
     "caches and threads agree, whatever the machine, and where the same version of the simulation gave "
     "them. "
     "Exit code 5.",
     "verdict environment exit-5",
     {"env.key", "metrics.bytes.version"},
     NULL},
    {"confirm",
     "unconfirmed confirmation not-confirmed",
     "a verdict measured again in another session",
     NULL,
     "One session can be unlucky as a whole. What regresses together with a second session and in it by "
     "itself "
     "stays regressed; else inconclusive. --confirm[=N], 2 rounds by default.",
     "confirmed verdict",
     {"confirms"},
     NULL},
    {"floor",
     "hodges-lehmann bootstrap welch benjamini-hochberg false-discovery-rate",
     "least change that counts",
     "floor = max(3 %, 2 standard errors of the noise from run to run, 3 (1 + 1.5/n) sqrt(1 + 1/m) standard "
     "deviations of n sessions)",
     "n sessions before it, of whatever level, tell how far sessions differ, from four on; it is "
     "compared with m of them. What one session has been off and came back from counts, too. With fewer "
     "than four, 2.5 standard deviations of the runs take that place where they differ by more than 3 %. "
     "Estimate by Hodges and Lehmann, interval by a seeded bootstrap of processes, p by Welch's t test "
     "of logarithms, many series at a false discovery rate of 5 % (Benjamini and Hochberg). `track "
     "selftest` shows rates of false alarms and of detection.",
     "verdict session spread",
     {"metrics.spread"},
     NULL},
    {"series",
     "request series-key series_key",
     "records that asked for the same",
     NULL,
     "The request (operation, format as typed, schedule, precision, threads option ...) and the content of "
     "the "
     "matrix. What was resolved (kernel, pages, number of threads) is detail: it may explain a change, never "
     "hide one.",
     "environment session verdict",
     {"request.op", "request.format", "request.threads", "problem.sha256"},
     NULL},
    {"environment",
     "env env-key env_key",
     "where a record was measured",
     NULL,
     "Hardware, kernel, governor and page policy make the key, on a GPU also the device and its driver; "
     "never "
     "clocks or load. Records compare where it agrees.",
     "not-comparable series",
     {"env.key", "machine.cpu"},
     NULL},
    {"session",
     "group",
     "records of the same commit within six hours, and those that confirm them",
     NULL,
     "Judged together against up to 10 records before them. What was measured to confirm a record is of its "
     "session whenever it was measured.",
     "series verdict confirm",
     {"time.start", "confirms"},
     NULL},
    {"accepted",
     "baseline pinned-baseline accept rolling-baseline",
     "the baseline that was accepted",
     NULL,
     "`track accept` pins the last records; new ones are held against them too, so that small steps cannot "
     "add "
     "up. It can only make a verdict worse.",
     "verdict session",
     {NULL},
     NULL},
    {"attribution",
     "more-traffic same-traffic machine-drifted why",
     "why a time changed",
     "change of ln time = change of ln bytes - change of ln bandwidth",
     "more traffic, same speed; same traffic, less bandwidth at the kernel; the machine drifted (roof and "
     "sentinel saw it, or the control kernel); its arrays lie on other pages. Another kernel, other machine "
     "code, pages, busy times and shares are named beside it.",
     "sentinels verdict V bandwidth",
     {"config.code_hash", "config.partition_hash"},
     NULL},
    {"sentinels",
     "sentinel dram llc-sentinel control control-kernel drift",
     "short looks at the machine before, between and after the runs",
     NULL,
     "Loads from memory (dram) and from the last-level cache (llc), and the control kernel: a frozen chain "
     "of "
     "dependent operations that follows the clock and the share of time that threads get. On data of their "
     "own, at most half a second.",
     "attribution Q28",
     {"sentinels.version", "sentinels.threads", "sentinels.seconds"},
     NULL},
    {"noise-free",
     "gate exact deterministic-gate",
     "gates that noise cannot touch",
     NULL,
     "Simulated bytes and alpha (0.1 % counts) and counted instructions (0.5 % counts) are compared as they "
     "are, without statistics: for continuous integration on any runner.",
     "instructions bytes verdict",
     {NULL},
     NULL},
    {"locate",
     "change-point e-divisive",
     "which commit changed a series",
     NULL,
     "A deterministic search for change points (E-divisive, at least three records a segment) names the "
     "commits "
     "between which the level moved.",
     "series verdict",
     {NULL},
     NULL},
    {"node-screen",
     "outlier screen",
     "nodes that stand out among those that measured the same",
     NULL,
     "At least 5 robust standard deviations (1.4826 MAD) and 3 % from the median of the nodes; told from "
     "four "
     "nodes on.",
     "series environment campaign",
     {"campaign.task"},
     NULL},
    {0},
};
