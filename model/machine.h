/* A described machine: caches and ceilings of a CPU or GPU, each number with its origin. A data
 * file (io/machine/machine_file.h) or measured here (session/measure/machine.h). A model never
 * changes the machine that it is given. */
#ifndef SP_MODEL_MACHINE_H
#define SP_MODEL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "base/status.h"

enum sp_policy { SP_LRU, SP_RANDOM, SP_RRIP, SP_N_POLICIES };
const char *sp_policy_name(enum sp_policy policy);
int sp_policy_from_name(const char *name); /* -1: none */

/* A GPU's "core" is a streaming multiprocessor (an Xe core); its L1 is private, its L2 shared. */
enum sp_machine_kind { SP_CPU, SP_GPU, SP_N_MACHINE_KINDS };
const char *sp_machine_kind_name(enum sp_machine_kind kind); /* "cpu", "gpu" */
int sp_machine_kind_from_name(const char *name);             /* -1: none */

/* One measurement of a capacity [B], with its interval and date (ISO 8601, "": not known). */
enum { SP_MAX_DRAWS = 12 };
struct sp_capacity_draw {
    double value, lo, hi;
    char when[24];
};

/* What a cache of C bytes keeps of N that are gone through again and again
 * (model/cache/capacity.h). */
enum sp_keeping {
    SP_KEEPS_BY_CHANCE, /* h = exp(-(1 - h) N/C): random replacement */
    SP_KEEPS_A_PART,    /* C/N: the best replacement, to which adaptive insertion comes near */
    SP_KEEPS_NOTHING,   /* LRU, as it is simulated: seen by counters */
    SP_N_KEEPINGS
};
const char *sp_keeping_name(enum sp_keeping keeping); /* "chance", "part", "nothing" */
int sp_keeping_from_name(const char *name);           /* -1: none */

/* Ways that a level keeps for some arrays, as A64FX's sector cache and, in the outer levels,
 * Intel's Cache Allocation Technology and AMD's QoS extensions do. */
struct sp_way_partition {
    int ways;        /* 0: the level is not divided */
    uint32_t arrays; /* bit a: enum sp_array a is kept in these ways, and in them only; with 0 ways: it can be
                        divided so, 0: it cannot, or nobody says */
    bool stacks;     /* for sp_sim_ways(): each side has all ways, and hits are counted by their depth */
};

/* One level of cache. The last one in the array is the last level (LLC). */
struct sp_cache {
    int level;                   /* 1, 2, 3 */
    int64_t size_B;              /* of one instance, as the system or a data sheet states it */
    struct sp_value effective_B; /* capacity found by measurement; SP_NONE: not measured */
    int n_draws; /* measurements that effective_B was pooled from (model/cache/capacity.h); 0: none */
    struct sp_capacity_draw draw[SP_MAX_DRAWS]; /* [n_draws] in order of time */
    struct sp_value cycle_B; /* what streams that go through their data again and again find of them, all
                                cores of an instance together; SP_NONE: not measured */
    enum sp_keeping keeping; /* the law that cycle_B was found by */
    int line_B;
    int sector_B;      /* part of a line that is fetched alone (GPU: 32); 0: whole lines */
    int ways;          /* 0: fully associative */
    int cores_sharing; /* cores that use one instance */
    bool victim;       /* exclusive of the level below: filled by its evictions only */
    bool inclusive;    /* a line that leaves this level leaves the levels inside it too */
    enum sp_policy policy;
    struct sp_way_partition partition;
};
/* The capacity to believe: effective where it was measured, else stated. */
static inline int64_t sp_cache_believed_B(const struct sp_cache *c)
{
    return c->effective_B.origin != SP_NONE ? (int64_t)c->effective_B.value : c->size_B;
}

/* The most that it may keep: the upper end of what was measured, else as stated. A virtual machine
 * shares the last level with others, and keeps a tenth of it or less. */
static inline int64_t sp_cache_most_B(const struct sp_cache *c)
{
    return c->effective_B.origin != SP_NONE ? (int64_t)c->effective_B.hi : c->size_B;
}

/* What one miss fetches [B]: a sector where lines have them. */
static inline int sp_cache_granule_B(const struct sp_cache *c)
{
    return c->sector_B > 0 ? c->sector_B : c->line_B;
}

/* Names of ceilings: bandwidths count the bytes that cross the level's interface as the name says.
 * "load"     load-only, one stream            "load_mix" load-only, streams of 8 B and 4 B as in CRS
 * "copy"     copy, write-allocate corrected   "copy_nt"  copy with non-temporal stores
 * "triad"    triad, corrected                 "triad_nt" triad with non-temporal stores
 * "gather" "gather_ld" elements of f64 by index from random lines [1/s], by instruction, one by one
 * "scalar" "simd" "fma"  flop/s peaks         "mma"      of matrix units, dense */
struct sp_ceiling {
    char name[16];
    char level[8];     /* "L1", "L2", "L3", "MEM"; "core" for flops */
    char precision[8]; /* "f64", "f32", "mma" also "tf32", "f16", "bf16"; bandwidths: "f64" */
    int n_threads;
    int n_domains;         /* last-level-cache domains the threads were spread over */
    double set_B;          /* working set of all threads; 0: not said, or none */
    char mode[16];         /* core-to-core mode: "shared", "split", "single" (one thread), "unknown" */
    struct sp_value value; /* [B/s], [flop/s] or [1/s]; SP_NONE: `how` says what was looked for */
    double *sample;        /* [n_samples], same unit; owned; may be NULL */
    int64_t n_samples;
    char how[160]; /* conditions: "best of ..., 2 MiB pages 100 %", or the source of a stated figure */
    char when[32]; /* ISO 8601 date, "" for stated */
};

/* Lanes of a warp whose sectors the L1 counts together, where each asks for 8 bytes, and for 16: 32
 * is the warp, 16 a half, 8 a quarter of it. A sector that two such parts touch counts twice. Up to
 * 4 bytes it is the warp. */
struct sp_gpu_sector_lanes {
    int of_8B, of_16B;
    enum sp_origin origin; /* SP_NONE: not known; the model assumes the warp, and least lanes for its bound */
    char how[160];         /* who says so, or why it is not known; "": not described */
};
/* What hardware may do at least: four bytes a lane at a time. */
enum { SP_GPU_LEAST_LANES_8B = 16, SP_GPU_LEAST_LANES_16B = 8 };

/* What an SM of a GPU holds at a time, and what a launch and a load take. 0: not described. */
struct sp_gpu_limits {
    int threads, blocks;       /* resident */
    int registers;             /* of 32 bits */
    int wave;                  /* lanes that go in step, and get registers together: 32 or 64; 0: 32 */
    int64_t shared_B;          /* shared memory of all its blocks together */
    int64_t block_shared_B;    /* of it, what the system takes for each block that has any */
    char source[256];          /* who says so */
    struct sp_value launch_s;  /* from one launch to the next; SP_NONE: not known */
    struct sp_value latency_s; /* of a load that comes from memory, otherwise idle; SP_NONE: not known */
    char launch_how[160], latency_how[160]; /* their sources, or why they are not known */
    /* SP_NONE: not described. The last five from published times. */
    struct sp_value L2_latency_s; /* of a load that comes from the L2 */
    struct sp_value wait_s;       /* beyond launch_s, of one execution whose end the host waits for */
    struct sp_value step_s;       /* of a thread's step along its row, where steps wait for each other */
    struct sp_value row_s;        /* of a row of CRS, beyond its bytes, where warps share nonzeros equally */
    struct sp_value crs_share;    /* of memory's load ceiling that SpMV reaches, x counted once; 0 ... 1 */
    struct sp_value sell_share;
    struct sp_gpu_sector_lanes sector_lanes;
    char L2_latency_how[160], wait_how[160], step_how[160], row_how[160], crs_how[160], sell_how[160];
};

/* What measurements of a machine were worth. */
struct sp_machine_measured {
    char when[24];              /* of the last one, ISO 8601; "": stated, or of a version that did not say */
    int n_times;                /* measurements that went into the figures */
    int n_samples, n_disturbed; /* of the best of them */
    double core_width;          /* the most instructions for each link of a chain that the slowest thread got
                                   (sys/machine/core_to_core.h): the work of others in its core lowers it; 0:
                                   not known */
    char doubt[120];            /* why confidence in the figures is low; "": it is not */
};

enum { SP_MAX_CACHES = 4, SP_MAX_PAGE_COSTS = 8 };

/* What one thread draws over the interface between a level and the next one inward. */
struct sp_ecm_interface {
    char level[8];                /* the outer level: "L2", "L3", "MEM" */
    struct sp_value one_Bps;      /* towards the core [B/s] */
    struct sp_value write_weight; /* 0 ... 1: what a byte away from the core costs beside one towards it */
};

/* How transfers between levels overlap: rule and terms of the ECM model (model/ecm.h). */
struct sp_machine_ecm {
    struct sp_value overlap; /* 0: nothing overlaps but execution, 1: everything; SP_NONE: not known */
    struct sp_value error;   /* of the fit, relative (root mean square); SP_NONE: not fitted */
    char how[256];           /* how it was fitted, its source, or why it is not known; "": not said */
    int n_interfaces;
    struct sp_ecm_interface interface[SP_MAX_CACHES]; /* inner to outer */
};

/* What a gather takes longer whose page the TLBs do not map (model/gather.h). */
struct sp_page_costs {
    bool huge; /* huge pages were asked for, not only 4 KiB ones */
    int n_threads;
    double reach_B;         /* what the TLBs of a core map of them */
    struct sp_value walk_s; /* of a gather beyond it; 0: no set that was tried is beyond it */
};

/* One thread's time of a row of CRS or a chunk of SELL by its length, data in the innermost cache,
 * while n_threads run the kernel (model/unit_costs.h). */
enum { SP_MAX_UNIT_LENGTHS = 24, SP_MAX_UNIT_SEQUENCES = 4, SP_MAX_UNIT_COSTS = 80 };
struct sp_unit_costs {
    char kernel[32];   /* "spmv/crs/avx2" */
    char precision[8]; /* "f64" */
    int C;             /* rows of a chunk; 0: rows of CRS */
    bool unit_stride;  /* SELLU: of chunks all of whose slots are unit-stride; CRS: of rows whose columns move
                          on by one from row to row; false: none is */
    int n_threads;
    double start_s; /* an execution that has nothing to do: the team starts, and ends at a barrier */
    int n_lengths;  /* ascending, at least two */
    double length[SP_MAX_UNIT_LENGTHS], seconds[SP_MAX_UNIT_LENGTHS];
    int n_sequences; /* units of random length that are gone through again and again, ascending */
    double sequence[SP_MAX_UNIT_SEQUENCES];
    double surprise_s[SP_MAX_UNIT_SEQUENCES]; /* what a length that is not foretold then costs */
    double lo, hi; /* ends of `seconds`, as factors of them; 0: measured here, without */
    char how[256]; /* source of times that were not measured here, "" */
};

/* Simulated bytes from memory beside those that counters of such a machine counted, relative errors
 * (predicted - counted)/counted (`spmodel validate`). */
struct sp_machine_validation {
    int n;                           /* executions compared; 0: none, nothing is said */
    double mean, mean_abs, most_abs; /* of the errors: signed, and of their sizes */
    double quantile[3];              /* of the signed ones: 5, 50 and 95 % */
    int n_near;                      /* executions besides whose data come near the size of a cache */
    int n_near_right;                /* of these, within 10 % of the count or 2 % of all arrays once */
    char source[256], when[24], command[512]; /* who counted; when compared, ISO 8601; how, as typed */
};

struct sp_machine {
    char name[64]; /* file name without .json */
    enum sp_machine_kind kind;
    char cpu[128];    /* what it is, a GPU's name too */
    char source[512]; /* who says so: "measured by spmodel machine measure --quick", a data sheet, a paper */
    char memory[64];  /* "DDR4-3200, 8 channels a socket", "HBM2, 4 x 8 GiB"; "": not said */
    char note[512];   /* what a reader of its figures should know, "" */
    char env_key[20]; /* environment that it was measured in, "" for a stated machine */
    int n_sockets, n_numa, n_domains, n_cores, threads_per_core; /* n_domains: LLC domains; 0: unknown */
    double frequency_Hz;                                         /* 0: unknown */
    int n_caches;
    struct sp_cache cache[SP_MAX_CACHES]; /* inner to outer */
    struct sp_gpu_limits gpu;             /* kind SP_GPU; threads 0: not described */
    int n_ceilings;
    struct sp_ceiling *ceiling; /* [n_ceilings] owned */
    struct sp_machine_measured measured;
    struct sp_machine_ecm ecm; /* CPUs */
    int n_pages;
    struct sp_page_costs page[SP_MAX_PAGE_COSTS]; /* CPUs; measured */
    int n_units;
    struct sp_unit_costs unit[SP_MAX_UNIT_COSTS]; /* CPUs; measured */
    bool validated; /* simulated traffic was compared with counters on this kind of machine */
    struct sp_machine_validation validation; /* n 0: nothing is said of how well */
};

/* "flop/s" of level "core", "1/s" of gathers, else "B/s". */
const char *sp_ceiling_unit(const struct sp_ceiling *c);

void sp_machine_free(struct sp_machine *machine);
enum sp_status sp_machine_copy(const struct sp_machine *from, struct sp_machine *to, struct sp_error *err);
/* Appends a copy of `c` (sample array too). */
enum sp_status sp_machine_add_ceiling(struct sp_machine *machine, const struct sp_ceiling *c,
                                      struct sp_error *err);

/* Did threads share cores whenever this machine was measured, whatever its topology says? Some
 * ceiling of several threads has the mode "smt", and none has "shared" or "split". */
bool sp_machine_shares_cores(const struct sp_machine *machine);

/* The ceiling that fits best: same name, level and precision; the same number of threads where
 * there is one, else the nearest (exact in *exact); mode NULL: any. NULL when none of that name and
 * level is known. */
const struct sp_ceiling *sp_machine_ceiling(const struct sp_machine *machine, const char *name,
                                            const char *level, const char *precision, int n_threads,
                                            const char *mode, bool *exact);

/* Removes measured ceilings that cannot be: beyond their intervals and a tenth, a level slower than
 * one farther out, more threads slower than one, loads of memory slower than its copy even if the
 * copy's stores evaded the write-allocate that was counted, fused or vector operations slower than
 * simpler ones, or scalar ones below a tenth of an operation a cycle of each thread. Disturbances
 * only slow down, so the slower one goes. Returns how many went; text[size] names the first ones,
 * "" where none did. */
int sp_machine_drop_implausible(struct sp_machine *machine, char *text, size_t size);

/* Were many samples disturbed, more than a quarter? */
bool sp_machine_was_busy(const struct sp_machine *machine);

/* Last-level cache, or NULL when the machine describes none. */
const struct sp_cache *sp_machine_llc(const struct sp_machine *machine);

/* Last-level-cache domain of a thread, where threads fill one domain after the other. */
int sp_machine_domain_of(const struct sp_machine *machine, int thread);

/* "HBM" where the memory's description begins so, else "DRAM": for people. */
const char *sp_machine_memory_name(const struct sp_machine *machine);

#endif
