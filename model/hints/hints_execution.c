/* Hints on execution, and on where the data are: pages, nodes, stores, the level of the caches. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/hints/rules.h"
#include "sparse/formats/format.h"

/* Gathers wait for longer than execution exceeds the transfers: then C02 has the reason. */
static bool waits_longer(const struct sp_hint_inputs *in, double transfers)
{
    return sp_format_of(in->format)->plain_rows && sp_hint_is_waiting(in) &&
           sp_hint_waits(in) * in->time_s.value > in->core_s.value - transfers;
}

/* What reports show as losses of their own, and "in-core execution" has not, is named where it is
 * more than this share of the execution. */
#define LARGE_PART 0.05

static void add_part(const struct sp_hint_inputs *in, struct sp_hint *hint, const char *text,
                     struct sp_value part)
{
    char seconds[32];
    if (sp_value_known(part) && part.value > LARGE_PART * in->core_s.value)
        sp_hint_add(hint, text, sp_text_seconds(seconds, sizeof seconds, part.value));
}

static enum sp_verdict judge_in_core(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                     struct sp_checked *checked)
{
    if (!sp_hint_has_volume(in) || !sp_value_known(in->core_s) || in->core_s.value <= 0)
        return SP_SILENT;
    double transfers = in->V_B.value / in->roof_Bps.value;
    /* With transfers hidden or not, execution cannot cost more than this beyond them. */
    double excess = fmax(0, 1 - transfers / in->core_s.value);
    if (excess < in->threshold)
        return sp_clear(checked, "core bound %.1f x faster than %s", transfers / in->core_s.value,
                        sp_hint_in_memory(in) ? "memory" : in->level);
    struct sp_gain gain;
    const struct sp_alternative *best = sp_best_format(in, "", false, &gain);
    if (!best || !sp_gain_is_worth(in, gain) || waits_longer(in, transfers))
        return SP_SILENT;
    sp_hint_take(in, hint, sp_then_storage(in, best), SP_MODELLED, SP_MEDIUM);
    char core[32], data[32], other[32];
    sp_hint_add(hint, "Execution from L1 takes %s (measured",
                sp_text_seconds(core, sizeof core, in->core_s.value));
    add_part(in, hint, in->n_threads == 1 ? "; its start is %s of it" : "; the start of the team is %s of it",
             in->team_s);
    add_part(in, hint, "; mispredicted row ends are %s of it", in->row_ends_s);
    sp_hint_add(hint, "), transfers %s. With %s execution takes %s.",
                sp_text_seconds(data, sizeof data, transfers), best->option,
                sp_text_seconds(other, sizeof other, best->core_s.value));
    if (sp_hint_is_waiting(in))
        sp_hint_add_storage(in, hint, best->option);
    hint->change = best->change;
    snprintf(hint->expect, sizeof hint->expect,
             "the in-core part of the losses shrinks; refuted if P_core rises and the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_in_core = {
    .id = "C01",
    .for_own = SP_FOR_OWN_CRS,
    .title = "in-core bound",
    .version = 5,
    .effort = SP_EFFORT_STORAGE,
    .condition =
        "W/P_core exceeds the transfers at the roof, and the measured P_core of another format gives "
        "a shorter max(T_core, V/b_S); silent where gathers wait for longer than that (C02)",
    .remedy = "SELL vectorises across short rows; unit-stride slots replace gathers by loads; wider CRS for "
              "long rows",
    .check = "in-core execution",
    .gain = "V and the measured P_core of the other format, by the formula of `gain`; lanes as in C02",
    .judge = judge_in_core,
};

static void say_terms(const struct sp_hint_inputs *in, const struct sp_alternative *best,
                      struct sp_hint *hint)
{
    const double V_B = sp_value_known(best->V_B) ? best->V_B.value : in->V_B.value;
    char data[32], core[32], time[32];
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "%s is longer than transfers or execution alone: neither hides the other. %s needs %s for transfers "
        "(modelled) and %s for execution (measured).",
        sp_text_seconds(time, sizeof time, in->time_s.value), best->option,
        sp_text_seconds(data, sizeof data, V_B / in->roof_Bps.value),
        sp_text_seconds(core, sizeof core, best->core_s.value));
}

static enum sp_verdict judge_below_model(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                         struct sp_checked *checked)
{
    (void)checked;
    struct sp_gain gain;
    if (!sp_hint_has_volume(in) || !sp_value_known(in->time_s))
        return SP_SILENT;
    const struct sp_alternative *best = sp_best_format(in, "", false, &gain);
    if (!best || !sp_gain_is_worth(in, gain))
        return SP_SILENT;
    const bool in_flight =
        sp_hint_is_waiting(in) && sp_format_of(in->format)->plain_rows && sp_is_in_lanes(best->option);
    if (!in_flight && !in->thorough)
        return SP_SILENT;
    sp_hint_take(in, hint, sp_then_storage(in, best), SP_MODELLED, in_flight ? SP_MEDIUM : SP_LOW);
    if (!in_flight)
        say_terms(in, best, hint);
    sp_hint_add_storage(in, hint, best->option);
    hint->change = best->change;
    snprintf(hint->expect, sizeof hint->expect,
             "a part of what is not explained goes; refuted if the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_below_model = {
    .id = "C02",
    .title = "below its model",
    .version = 6,
    .effort = SP_EFFORT_STORAGE,
    .condition = "gathers wait in CRS, and a format that computes rows side by side (SELL) has more of them "
                 "in flight; or, "
                 "only where hints are tried, transfers and execution of another format make a shorter time",
    .remedy = "another format, once it has been measured to be faster",
    .gain =
        "V and P_core of the other format, by the formula of `gain`; rows side by side take away up to three "
        "quarters of the waiting, less where rows have more than 8 entries; at least six tenths of the upper "
        "end where that is large and they wait for memory",
    .judge = judge_below_model,
};

static const double enough_huge = 0.9;

static enum sp_verdict judge_pages(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                   struct sp_checked *checked)
{
    if (!sp_value_known(in->huge_share) || !sp_hint_in_memory(in))
        return SP_SILENT;
    double share = in->huge_share.value;
    if (in->working_set_B > 0 && in->working_set_B < 2.0 * (1 << 20)) /* smaller than one huge page */
        return SP_SILENT;
    if (share >= enough_huge)
        return sp_clear(checked, "%.0f %%", 100 * share);
    struct sp_then then = {.stated = sp_value_between(0, 0, 0.33 * (1 - share), SP_STATED),
                           .roof_Bps = sp_hint_best_roof(in)};
    if (!sp_gain_is_worth(in, sp_gain_of(in, &then)))
        return SP_SILENT;
    sp_hint_take(in, hint, then, SP_STATED, SP_LOW);
    snprintf(hint->evidence, sizeof hint->evidence,
             "%.0f %% of the data are on huge pages; the others need a page walk every 4 KiB%s. On a Zen 4 "
             "machine SELL took 14 to 33 %% less time on huge pages (stated); here it was not measured.",
             100 * share, in->asked_small_pages ? ", as the run asked for" : "");
    if (in->asked_small_pages)
        hint->change = sp_change_of(SP_OPTION_PAGES, "huge");
    else
        hint->in_system = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled";
    snprintf(hint->expect, sizeof hint->expect, "a share of huge pages near 100 %%, and a higher roof");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_pages = {
    .id = "G01",
    .for_own = SP_FOR_ALL_OWN,
    .title = "small pages",
    .version = 3,
    .condition = "less than 90 % of the data are on huge pages; the gain is a stated range",
    .remedy =
        SP_O_PAGES " huge where the run asked for small ones; else transparent huge pages by madvise, or "
                   "reserved ones; free memory that is not fragmented",
    .check = "huge pages",
    .gain = "0 to a stated third of the share of the data that is on small pages; " SP_O_TRY_HINTS
            " measures what " SP_O_PAGES " huge gives",
    .judge = judge_pages,
};

static const double enough_local = 0.95;

static enum sp_verdict judge_numa(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                  struct sp_checked *checked)
{
    if (!sp_value_known(in->local_share) || !sp_hint_in_memory(in))
        return SP_SILENT;
    double share = in->local_share.value;
    if (share >= enough_local)
        return sp_clear(checked, "%.0f %% local", 100 * share);
    /* Remote memory at half the local bandwidth: (2 - share) units of time instead of 1. */
    struct sp_then then = {.stated = sp_value_between(0, 0, (1 - share) / (2 - share), SP_MODELLED),
                           .roof_Bps = sp_hint_best_roof(in)};
    if (!sp_gain_is_worth(in, sp_gain_of(in, &then)))
        return SP_SILENT;
    sp_hint_take(in, hint, then, SP_MODELLED, SP_LOW);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "%.0f %% of the pages lie in the memory of another NUMA node than the thread that uses them. The "
        "gain assumes half the bandwidth for those.",
        100 * (1 - share));
    hint->under = "numactl --localalloc";
    snprintf(hint->expect, sizeof hint->expect,
             "a local share near 100 %%; if it stays, the nodes have too little free memory");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_numa = {
    .id = "G02",
    .for_own = SP_FOR_ALL_OWN,
    .title = "remote pages",
    .version = 2,
    .condition = "less than 95 % of the pages are local to the thread that uses them",
    .remedy = "first touch by the thread that uses the data, pinned threads, free memory on every node",
    .check = "page placement",
    .gain = "0 to (1 - s)/(2 - s) for the local share s: remote memory at half the local bandwidth",
    .judge = judge_numa,
};

/* Seconds of y's stores in copy kernels: plain moves 3 bytes per byte, non-temporal 2. */
static double measured_saving(const struct sp_hint_inputs *in, double y_B)
{
    if (!sp_value_known(in->roof_store_Bps) || !sp_value_known(in->roof_store_nt_Bps))
        return NAN;
    return y_B * (3 / in->roof_store_Bps.value - 2 / in->roof_store_nt_Bps.value);
}

static double result_bytes(const struct sp_hint_inputs *in)
{
    return in->y_B > 0 ? in->y_B : (double)sp_precision_size(in->precision) * (double)in->n_r;
}

static enum sp_verdict judge_write_allocate(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                            struct sp_checked *checked)
{
    if (in->gpu || !sp_hint_in_memory(in) || !sp_hint_has_volume(in)) /* a GPU reads no line before */
        return SP_SILENT;
    const char *name = in->op == SP_OP_SPMV ? "y" : "the result";
    if (sp_format_of(in->format)->updates_y)
        return sp_clear(checked, "%s is read and written by updates", name);
    if (in->store_nt)
        return sp_clear(checked, "%s is written with non-temporal stores", name);
    const double y_B = result_bytes(in);
    struct sp_then then = sp_then_bytes(in, sp_hint_volume_less(in, y_B), sp_as_now(), 0);
    struct sp_gain gain = sp_gain_of(in, &then);
    const double saving = measured_saving(in, y_B), time = sp_hint_time(in);
    const double sure = !isnan(saving) && time > 0 && gain.hi > 0 ? fmax(0, saving / time) : 0;
    if (sure < gain.lo) { /* hardware may evade the read already */
        then.keeps = sp_value_between(1, sure / gain.hi, 1, isnan(saving) ? SP_MODELLED : SP_MEASURED);
        gain = sp_gain_of(in, &then);
    }
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "reading %s before writing it costs at most %.1f %%", name, 100 * gain.hi);
    if (!in->can_store_nt)
        return SP_SILENT;
    sp_hint_take(in, hint, then, SP_MODELLED, isnan(saving) ? SP_LOW : SP_MEDIUM);
    char y[32];
    snprintf(hint->evidence, sizeof hint->evidence,
             "Plain stores read each line of %s (%s) before they write it; non-temporal stores do not: w = 1 "
             "instead of 2.",
             name, sp_text_bytes(y, sizeof y, y_B));
    hint->change = sp_change_of(SP_OPTION_STORE, "nt");
    snprintf(hint->expect, sizeof hint->expect,
             "V falls by the size of %s; refuted if V stays (the hardware evades the read already)", name);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_write_allocate = {
    .id = "G03",
    .title = "write-allocate",
    .version = 3,
    .condition = "the result is overwritten by plain stores (w = 2): V falls by its size, s_y n_r of y, r "
                 "times that of Y, s_y n_nz of the entries of SDDMM; measured copy ceilings with and "
                 "without non-temporal stores bound the gain",
    .remedy = "non-temporal stores of the result",
    .check = "write-allocate",
    .gain = "V less the size of the result, by the formula of `gain`; at the lower end what copy ceilings "
            "with and without non-temporal stores differ by",
    .judge = judge_write_allocate,
};

/* Informs only: it never fires. */
static enum sp_verdict judge_level(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                   struct sp_checked *checked)
{
    (void)hint;
    if (sp_hint_in_memory(in) || in->working_set_B <= 0)
        return SP_SILENT;
    char set[32];
    return sp_clear(checked, "the data (%s) stay in %s: its roof counts, advice about memory does not apply",
                    sp_text_bytes(set, sizeof set, in->working_set_B), in->level);
}

const struct sp_hint_rule sp_hint_level = {
    .id = "H01",
    .for_own = SP_FOR_ALL_OWN,
    .title = "fits a cache level",
    .version = 1,
    .condition = "matrix, x and y fit a cache and executions are repeated (warm): that level's traffic and "
                 "roof are shown; this rule informs and never fires",
    .remedy = "nothing to do; " SP_O_COLD " shows the first execution, a larger matrix shows memory",
    .check = "memory bandwidth",
    .gain = "none: it informs",
    .judge = judge_level,
};

/* Hints on kernels of somebody else, beside the built-in one on the same arrays. */

/* Threads that it keeps busy are fewer than it was given by at least this share. */
static const double idle_share = 0.25;

static bool leaves_threads_idle(const struct sp_hint_inputs *in)
{
    return in->n_threads > 1 && sp_value_known(in->busy_threads) &&
           in->busy_threads.value < (1 - idle_share) * in->n_threads;
}

static enum sp_verdict judge_own_loop(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                      struct sp_checked *checked)
{
    if (!in->own || !sp_value_known(in->built_in_s) || !sp_value_known(in->time_s))
        return SP_SILENT;
    const double now = in->time_s.value, ratio = now / in->built_in_s.value;
    char own[32], built_in[32];
    struct sp_then then = {.time_s = in->built_in_s};
    snprintf(then.time_how, sizeof then.time_how, "of the built-in kernel, in turn with yours");
    if (in->built_in_s.hi >= now || !sp_gain_is_worth(in, sp_gain_of(in, &then)))
        return sp_clear(checked, "your kernel takes %.2f x the time of %s on the same arrays", ratio,
                        in->built_in);
    sp_hint_take(in, hint, then, SP_MEASURED, SP_HIGH);
    snprintf(hint->evidence, sizeof hint->evidence,
             "Your row loop takes %s, the built-in %s %s in turn with it on the same arrays: %.2f x (%.2f … "
             "%.2f).",
             sp_text_seconds(own, sizeof own, now), in->built_in,
             sp_text_seconds(built_in, sizeof built_in, in->built_in_s.value), ratio, now / in->built_in_s.hi,
             now / in->built_in_s.lo);
    if (leaves_threads_idle(in)) {
        sp_hint_add(hint, " It keeps %.1f of %d threads busy.", in->busy_threads.value, in->n_threads);
        hint->in_program = "share the rows out to all threads (#pragma omp parallel for)";
    } else {
        if (in->own == SP_OWN_WALKS_CRS)
            sp_hint_add(hint, " The same bytes move, so that the difference is in-core.");
        hint->in_program =
            "build it with -O3 -march=native; vectors and several sums along a row, all threads";
    }
    snprintf(hint->expect, sizeof hint->expect,
             "the time towards that of the built-in kernel; refuted if P_core rises and the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_own_loop = {
    .id = "C03",
    .title = "row loop of your own",
    .version = 1,
    .effort = SP_EFFORT_OPTION,
    .for_own = SP_FOR_ALL_OWN,
    .condition =
        "a kernel of your own was run in turn with the fastest built-in one for the same arrays, and takes "
        "longer in all of the interval",
    .remedy = "vectors along the rows, several sums, all threads: what the built-in kernel does with the "
              "same bytes "
              "can be done",
    .check = "row loop",
    .gain = "the measured time of the built-in kernel instead of yours, with its interval",
    .judge = judge_own_loop,
};
