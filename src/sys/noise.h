/* What makes times differ from run to run here, as facts. -1 and "": unknown, not guessed. */
#ifndef SP_SYS_NOISE_H
#define SP_SYS_NOISE_H

#include <stdbool.h>
#include <stdint.h>

struct sp_noise {
    /* clock */
    char governor[24], driver[24],
        preference[28];                /* of the first CPU: "powersave", "intel_pstate", "balance_power" */
    bool governor_mixed;               /* CPUs differ */
    double min_Hz, max_Hz, highest_Hz; /* limits set, and what the hardware allows; 0 unknown */
    int turbo;                         /* 1 on, 0 off, -1 unknown */
    const char *turbo_path;            /* file that switches it, static; NULL unknown */
    bool turbo_inverted;               /* 1 in that file means off */
    int on_mains;                      /* 0: on battery; -1: no supply is described */
    int64_t throttled;                 /* times that heat held a package's clock down since boot */
    double uptime_s;                   /* -1 */

    /* threads and memory */
    int smt;              /* hardware threads share cores: 1, 0, -1 */
    char smt_control[20]; /* "on", "off", "forceoff", "notsupported", "notimplemented" */
    int numa_balancing;
    char huge_enabled[12], huge_defrag[20]; /* the chosen word of transparent_hugepage/{enabled,defrag} */
    int64_t swap_total_B, swap_used_B;      /* -1 */

    /* others */
    double load[3];          /* averages over 1, 5, 15 min; -1 */
    int running;             /* tasks that want to run now, this one included; -1 */
    int n_online, n_allowed; /* CPUs; -1 */
};

/* From ROOT/sys and ROOT/proc. Files of up to 4096 CPUs are looked at. */
void sp_noise_read(const char *root, struct sp_noise *out);

/* Time of all processors since boot, in clock ticks: the first line of ROOT/proc/stat. */
struct sp_cpu_times {
    int64_t total, idle, stolen;
};
bool sp_cpu_times_read(const char *root, struct sp_cpu_times *out);

#endif
