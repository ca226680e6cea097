#include "cli/explain_terms.h"

#include <string.h>
#include <strings.h>

const struct sp_term sp_terms[] = {
    /* sizes */
    {"n_r",
     "n_c rows columns",
     "rows, columns",
     NULL,
     "Size of the matrix; y has n_r elements, x has n_c.",
     {"problem.rows", "problem.cols"},
     NULL},
    {"n_nz",
     "nnz nonzeros entries",
     "entries",
     NULL,
     "Entries after symmetry is expanded. Zeros that the input file stores count; fill that a format adds "
     "does not.",
     {"problem.nnz", "problem.zeros", "problem.duplicates"},
     NULL},
    {"n_nzr",
     "n_nzc",
     "entries per row, per column",
     "n_nzr = n_nz/n_r,  n_nzc = n_nz/n_c",
     "Short rows cost more bytes an entry (pointers, y) and more execution (loop starts, remainders).",
     {"structure.n_nzr_mean", "structure.n_nzr_median", "structure.n_nzr_max", "structure.n_nzr_cv"},
     NULL},
    {"s_v",
     "s_a s_x s_y s_i s_p",
     "bytes of an item",
     NULL,
     "s_a matrix value, s_x and s_y elements of the vectors, s_i column index, s_p row or chunk pointer; s_v "
     "where "
     "the first three are equal (8 in fp64). s_p is 4 while the stored entries fit 31 bits.",
     {"config.precision", "config.index"},
     NULL},
    {"w",
     "",
     "bytes moved per byte stored of y",
     "traffic of y = w s_y n_r",
     "2 for a plain store whose miss first reads the line, 1 without that read (non-temporal stores, evaded "
     "by the "
     "hardware). It may be fractional: a property of machine and run. y += A x has 2 everywhere.",
     {"metrics.w", "config.store_nt"},
     NULL},
    {"r",
     "",
     "width of the dense operand",
     NULL,
     "Right-hand sides of SpMMV, columns of SpMM, inner dimension of SDDMM and FusedMM.",
     {"config.rhs", "config.inner"},
     NULL},
    /* operations */
    {"spmmv",
     "block-vectors B(r) spmm",
     "Y = S X for r vectors at once",
     "B(r) = 6/r + 4 alpha(r) + (8 + 2/r)/n_nzr  (fp64, 32-bit indices, row-major, w = 2); r large: 4 alpha "
     "+ "
     "8/n_nzr",
     "The matrix is read once for all vectors, so a vector costs less the more there are, until x and y are "
     "all that is moved, P_core or a cache's bandwidth limits, or the rows of X no longer stay in a cache "
     "(alpha(r) rises). Vectors stored one after the other (--order column) with the loop over vectors "
     "outside would read the matrix for each. SpMM is the same with tens to hundreds of columns.",
     {"config.rhs", "config.order", "metrics.balance", "metrics.performance", "metrics.p_core"},
     sp_fill_balance},
    {"sddmm",
     "sampled",
     "P = S o (A B^T): dot products of rows of A and B where S has entries",
     "V = (s_a + s_i + w s_y) n_nz + s_p (n_r + 1) + r s_x n_r' + alpha r s_x n_nz,  W = (2 r + 1) n_nz",
     "Row by row A is read once and B gathered: alpha counts B. Blocks of rows and slices of the width "
     "(--format tiled) read B less often and P more often; re-indexed columns (staged) copy the rows of B "
     "that a "
     "block needs; coo deals equal entries to threads whatever the rows are.",
     {"config.inner", "metrics.alpha", "metrics.bytes", "metrics.balance"},
     NULL},
    {"fusedmm",
     "fused",
     "E = (C B^T o pattern(S)) D in one pass",
     "V = s_i n_nz + s_p (n_r + 1) + r (s_x n_r' + w s_y n_r) + 2 alpha r s_x n_nz,  W = 4 r n_nz\n"
     "saved against SDDMM and then SpMM: (w + 1) s_a n_nz + s_i n_nz + s_p (n_r + 1)",
     "The values between the two products are never stored: what would be written and read again is saved, "
     "and the pattern is read once instead of twice. The report's prediction adds s_a n_nz, S's values, "
     "which "
     "the pair's SDDMM reads. alpha counts B and D together; rows and columns are walked in panels that keep "
     "them in a cache where they are dense enough.",
     {"config.inner", "metrics.alpha", "metrics.bytes", "metrics.balance"},
     NULL},
    {"staged",
     "tiled coo T_i T_k",
     "formats of SpMM and SDDMM beside rows of CRS",
     NULL,
     "staged: blocks of rows copy the distinct rows of X that they need into a buffer, a tile of the width "
     "at a "
     "time, and find them by 16-bit indices; pays where the rows of a block share columns that no cache "
     "keeps. "
     "tiled (SDDMM): blocks of T_i rows, entries by column, the width in slices of T_k: a row of B is read "
     "once "
     "a block; pays for dense matrices whose B exceeds the L2. coo (SDDMM): a row index beside each column "
     "index, equal entries for all threads.",
     {"config.format_text", "metrics.beta", "metrics.alpha"},
     NULL},
    {"jaccard",
     "jaccard2 clustering reordering",
     "rows with similar patterns side by side",
     "distance = 1 - |A n B| / |A u B| of the block columns of two rows",
     "`--reorder jaccard:B` puts rows that share columns into clusters of B rows, so that BCSR needs fewer "
     "blocks; columns keep their places. jaccard2:B clusters columns too. `spmodel info --blocks 8x8` counts "
     "n_e for both before anything is rewritten.",
     {"problem.reorder"},
     NULL},
    {"bcsr",
     "n_e blocks b_h b_w T_e T_init",
     "blocks of b_h x b_w entries, fill included",
     "V = (b_h b_w s_a + s_i) n_e + s_p (ceil(n_r/b_h) + 1) + r (w s_y n_r + alpha s_x n_nz),  "
     "beta = n_nz/(n_e b_h b_w)\n"
     "n_nz/(b_h b_w) <= n_e <= min(ceil(n_r/b_h) ceil(n_c/b_w), n_nz),   T = T_e n_e + T_init",
     "One index a block instead of one an entry, and vectors without gathers, for the price of zeros that "
     "fill "
     "the blocks. n_e is counted without converting (`spmodel info`); rows that have the same columns can be "
     "brought together by clustering.",
     {"config.format_text", "metrics.beta", "metrics.bytes"},
     NULL},
    {"half",
     "half storage symmetric triangle W_h n_h",
     "one triangle of a symmetric matrix, each entry used twice",
     "V = (s_a + s_i) n_h + s_p (n_r + 1) + alpha (s_x + 2 s_y) n_h + c s_y W_h,  n_h = (n_nz + diagonal)/2\n"
     "W_h: rows of others that threads update; c = 2 in phases, 5 with windows",
     "`--format half` reads each entry once: it gathers x for its own row and updates y for the row of its "
     "mirror "
     "image. Narrow bands keep threads apart in two phases; elsewhere each thread sums up for rows of others "
     "in "
     "a window of its own, which is added to y at the end. Up to 1.7 times as fast as crs where bandwidth "
     "limits, "
     "slower where the window of a thread is as long as y.",
     {"config.format_text", "metrics.bytes"},
     NULL},
    {"striped",
     "column blocking cache blocking stripes W L_y n_C",
     "stripes of W columns, computed one after the other",
     "V = (s_a + s_i + 2) n_nz + 16 (n_C + 1) + 2 (s_y n_r + 64 L_y) + alpha s_x n_nz,  alpha -> alpha_min\n"
     "n_C: cells, blocks of rows of a stripe; L_y: lines of y that stripes after the first one update",
     "Where x exceeds the last-level cache and is gathered at random, most gathers load a line of 64 bytes "
     "for 8. "
     "`--format striped:W` walks the entries of W columns at a time, whose part of x stays in the cache, and "
     "pays with a "
     "2-byte row index an entry and with y, which is read and written again for each stripe: good for rows "
     "of some "
     "entries a stripe, bad for few entries in many stripes.",
     {"config.format_text", "metrics.alpha", "metrics.bytes"},
     NULL},
    {"d16",
     "offsets s_b bases 16-bit delta indices",
     "column indices as 16-bit offsets from a base",
     "s_i = 2, and s_b = 4 for each base: of a row in crs, of a slot in sell",
     "`--index d16` stores the distance of each column from the first one of its row (crs) or slot (sell). "
     "Rows "
     "that span more than 65535 columns are refused, slots are split. How many bytes it takes is counted "
     "from the "
     "pattern before anything is rewritten.",
     {"config.index", "metrics.bytes"},
     NULL},
    {"mixed",
     "fp32 values in an fp64 product",
     "values of the matrix in fp32, vectors and sums in fp64",
     "s_a = 4, s_x = s_y = 8",
     "`--precision mixed` loses nothing where every value is an fp32 number, as in stencils and graphs; "
     "elsewhere "
     "each value changes by at most 6e-8 of itself, and the report says by how much in all.",
     {"config.precision", "metrics.bytes"},
     NULL},
    /* advice */
    {"trial",
     "gain try-hints observed set-up pays after honest baseline",
     "a variant and the run itself, measured in turn",
     "gain = 1 - t(variant)/t(run), the median of paired ratios; pays after = set-up/(gain t(run))",
     "Both have arrays of their own and are checked against the reference. Set-up is finding and applying an "
     "order and "
     "making the format, in executions of the run. The honest baseline is the run pinned, with equal shares "
     "of "
     "entries, on huge pages.",
     {"tries.cost_s"},
     NULL},
    {"outcome",
     "confirmed refuted open less more than predicted",
     "what became of a predicted gain [lo, hi] when it was observed as g",
     NULL,
     "confirmed: the intervals meet and g is a gain. more, less than predicted: a gain, but above hi or "
     "below lo. "
     "refuted: g lies below lo and no gain is seen. open: g is too wide to tell.",
     {NULL},
     NULL},
    {"gain",
     "prediction predicted interval omega overlap",
     "the share of the time that a hint promises to save, as an interval",
     "t(now) = max(V/b_S, W/P_core) + omega min(V/b_S, W/P_core) + rest",
     "omega, the share of the shorter term that the longer one does not hide, is read off the measured time, "
     "and "
     "kept for the change; beside it stands the model's plain ratio; 5 % of the new time are added at both "
     "ends. "
     "Where gathers wait, the interval reaches 0: bytes may be saved behind their backs.",
     {NULL},
     NULL},
    /* tracking */
    {"verdict",
     "ok regressed improved inconclusive comparable track check",
     "what track check says of the newest session of a series",
     "change = median of all ratios after/before, minus 1; an interval from resampled processes",
     "regressed, improved: the estimate exceeds the floor (3 %, more in noisy series) and the interval "
     "leaves out 0. ok: "
     "the interval stays within twice the floor. inconclusive: neither, or not among the discoveries of many "
     "series. not "
     "comparable: another environment, or other simulated caches. Values are medians of processes: analyze "
     "--runs 5.",
     {NULL},
     NULL},
    {"series",
     "request env environment store baseline accepted session",
     "records that asked for the same: request, and the content of the matrix",
     NULL,
     "What was resolved (kernel, pages, number of threads) is detail. Records of a series are compared where "
     "env.key "
     "agrees: hardware, kernel, governor, pages; never clocks or load. A session is what has the same commit "
     "within six "
     "hours. The accepted baseline (track accept) is held against new records too, so that small steps "
     "cannot add up.",
     {"env.key"},
     NULL},
    {"bottleneck",
     "class latency imbalance in-core bandwidth",
     "what limits a run, from runs that had one cause taken away",
     NULL,
     "imbalance, latency or in-core where that cause takes at least 20 % of the time, the largest first; "
     "bandwidth "
     "where transfers at the roof take 70 %; else unknown. Linearised indices take the waiting of gathers "
     "away, "
     "equal shares the imbalance, P_core everything but execution.",
     {"bottleneck.share"},
     NULL},
    /* traffic */
    {"V",
     "volume bytes traffic V_read V_write",
     "bytes through the memory interface in one execution",
     "V_CRS  = (s_a + s_i) n_nz + s_p (n_r + 1) + w s_y n_r + alpha s_x n_nz\n"
     "V_SELL = (s_a + s_i) n_nz/beta + (s_p + s_i) ceil(n_r/C) + w s_y n_r + s_i n_r [if permuted] + alpha "
     "s_x n_nz",
     "Measured by counters, simulated from the addresses of the very layout that runs, or modelled by the "
     "formula; "
     "the word says which. Data that stay in a cache level are counted at that level.",
     {"metrics.bytes", "metrics.bytes_min"},
     sp_fill_volume},
    {"W",
     "work flops",
     "useful operations",
     "SpMV 2 n_nz, complex 8 n_nz; SpMMV, SpMM 2 r n_nz; SDDMM (2 r + 1) n_nz; FusedMM 4 r n_nz",
     "Operations on fill do not count.",
     {"problem.nnz"},
     NULL},
    {"B_C",
     "balance code-balance B_CRS B_SELL",
     "code balance: bytes per operation",
     "B_C = V/W.  fp64, 32-bit indices:  B_CRS = 6 + 4 alpha + 10/n_nzr  (w = 2; 6/n_nzr for w = 1)\n"
     "B_SELL = 6/beta + 4 alpha + (4 + 4/C)/n_nzr  (w = 1, stored chunk lengths)",
     "At least 6 B/flop for SpMV in fp64 with 32-bit indices, however the matrix looks: it is memory-bound "
     "on every "
     "machine of today.",
     {"metrics.balance", "metrics.balance_min"},
     sp_fill_balance},
    {"I",
     "intensity",
     "computational intensity",
     "I = 1/B_C = W/V",
     "Operations per byte: the roofline's x axis.",
     {"metrics.balance"},
     NULL},
    {"alpha",
     "x_loads alpha_min alpha_max",
     "traffic of x",
     "alpha = bytes of x through the interface / (s_x n_nz), with r columns / (s_x n_nz r)\n"
     "alpha_min = sum over cache domains of line x (distinct lines of x touched) / (s_x n_nz)  [= 1/n_nzc "
     "for one]\n"
     "alpha_max(r) = line ceil(r s_x/line)/(r s_x)",
     "0: x stays in cache. alpha_min: every line is loaded once by every cache domain. 1: no reuse, but full "
     "use of "
     "lines. 8: a 64-byte line for every 8-byte gather. alpha/alpha_min is how many times x is loaded; more "
     "than once "
     "calls for another order (hint A01). From measured bytes alpha absorbs prefetching, and an error of 1 "
     "in w "
     "shifts it by 1/n_nzr: its interval contains that.",
     {"metrics.alpha", "metrics.alpha_min", "metrics.x_loads", "metrics.w"},
     sp_fill_alpha},
    {"beta",
     "padding fill",
     "share of useful entries in SELL, BCSR and staged blocks",
     "beta = n_nz / stored entries,  0 < beta <= 1",
     "BCSR fills its blocks with zeros. SELL pads the rows of a chunk to its longest one. Sorting inside "
     "windows of sigma rows raises beta; it "
     "follows "
     "from the row lengths alone, nothing has to be converted.",
     {"metrics.beta", "config.C", "config.sigma", "losses.padding"},
     NULL},
    {"C",
     "sigma chunk",
     "chunk height and sorting window of SELL-C-sigma",
     NULL,
     "Rows are sorted by length inside windows of sigma rows, cut into chunks of C rows and stored column by "
     "column, "
     "so that C rows run in the lanes of a vector.",
     {"config.C", "config.sigma", "metrics.beta"},
     NULL},
    {"unit-stride",
     "sellu u",
     "SELL with unit-stride slots",
     "index bytes per stored entry = s_i (u/C + 1 - u)",
     "Where the C columns of a slot are consecutive one base index replaces C, and x is loaded as a vector "
     "instead of "
     "gathered. u is the share of such slots.",
     {"structure.unit_share"},
     NULL},
    /* machine */
    {"b_S",
     "roof bandwidth",
     "bandwidth ceiling",
     NULL,
     "What memory (or the cache level that holds the data) delivers to the threads in use: load-only, with "
     "the "
     "kernel's own mix of streams, same pages, in the same minutes as the kernel.",
     {"metrics.bandwidth"},
     sp_fill_roofline},
    {"P_core",
     "core in-core",
     "rate without memory limits",
     "T_core = W/P_core",
     "The same kernel on the real row lengths with columns folded into a window that fits the inner caches.",
     {"metrics.p_core"},
     sp_fill_roofline},
    {"roofline",
     "binding P bound",
     "the roofline",
     "P = min(P_peak, P_core, b_level/B_level)",
     "The slowest resource decides; the report names it. Data that fit a cache get that level's bytes and "
     "bandwidth.",
     {"binding.term", "binding.level", "metrics.performance"},
     sp_fill_roofline},
    {"ecm",
     "n_sat saturation b_1",
     "cores that saturate memory",
     "T = max(T_core, sum T_level),  n_sat = ceil(T/T_mem)",
     "b_1 is what one thread draws alone. Below n_sat more threads help, beyond they do not.",
     {"config.threads"},
     NULL},
    {"lambda",
     "lambda_nz lambda_t imbalance",
     "load imbalance",
     "lambda = max/mean over threads",
     "lambda_nz of entries, lambda_t of busy times. A large lambda in a saturated domain costs little: see "
     "`fluid`.",
     {"metrics.lambda_nz", "metrics.lambda_t", "losses.imbalance"},
     NULL},
    {"fluid",
     "fluid-model",
     "the fluid model of imbalance",
     "each of n active threads of a domain progresses at min(b_1, b_S/n)",
     "When others finish, the straggler speeds up, so the loss is not (lambda - 1) t. The loss is the time "
     "of the "
     "actual shares minus that of equal shares.",
     {"losses.imbalance", "metrics.lambda_nz"},
     NULL},
    {"domain",
     "domains llc",
     "last-level cache domain",
     NULL,
     "Cores that share a last-level cache. Each domain loads its own copy of the lines of x that its threads "
     "touch.",
     {"machine.n_domains", "metrics.alpha_min"},
     NULL},
    /* results */
    {"bandwidth_fraction",
     "model_fraction fraction of-roof",
     "two fractions that are never mixed",
     "bandwidth_fraction = V/(t b_S)     how busy the interface was\n"
     "model_fraction = t_model(alpha_min)/t     how much of the possible speed was reached",
     "Extra traffic keeps the first high while the second falls. Above 103 % a point is marked and "
     "explained.",
     {"metrics.bandwidth_fraction", "metrics.model_fraction"},
     sp_fill_fractions},
    {"losses",
     "rest min_traffic extra_x in_core",
     "where the time goes",
     "t = V(alpha_min, beta = 1)/b_S + padding + extra x + imbalance + in-core, latency + rest",
     "In this order; they sum to the measured time. The rest has a sign: negative when caches kept data "
     "between "
     "executions or the roof was sampled too low. Beyond 10 % it is flagged.",
     {NULL},
     sp_fill_losses},
    {"cold",
     "warm between",
     "cache protocols",
     "cold: V >= V(alpha_min) - s_y n_r     warm: V >= max(0, V(alpha_min) - 2 Z)",
     "Warm repeats the operation, as solvers do: part of the data survives in caches of capacity Z. Cold "
     "empties them "
     "before each execution. --between streams a solver's vectors in between.",
     {"config.cache"},
     NULL},
    {"origin",
     "measured simulated modelled stated provenance",
     "where a number comes from",
     NULL,
     "measured: a clock's or counter's reading. simulated: the cache simulator's. modelled: a formula's. "
     "stated: a "
     "data sheet's, a paper's or the user's. unknown: with the reason; never 0.",
     {"metrics.bytes", "metrics.alpha", "metrics.time"},
     NULL},
    {"trust",
     "known volume believed",
     "whether a counter is believed",
     NULL,
     "Before the job, volumes that are known run through the same counter in windows of at least 0.1 s: "
     "load-only, "
     "store-only, copy, mixes of 3, 7 and 15 loads a store, non-temporal stores, a gather that takes each "
     "line once, "
     "and loads that stay in caches. Within 5 % it is trusted; 2, 3 or 4 times the volume, a missing "
     "channel, another "
     "socket's traffic and silence are named, and such a counter is not used.",
     {"counters.trust.trusted", "counters.trust.text"},
     NULL},
    {"background",
     "idle",
     "traffic of an idle machine",
     NULL,
     "Memory controllers count for everybody. What they count while nothing of ours runs is taken off in "
     "proportion "
     "to time; its spread widens the interval of V, and above 10 % the record is flagged.",
     {"counters.idle"},
     NULL},
    {"sectors",
     "sector coalescing coalesced",
     "what a GPU's warps ask their L1 for",
     "L1 = 32 B x sum over requests of the distinct sectors that the 32 lanes of a warp touch",
     "Lanes that read neighbouring items share sectors of 32 bytes, lanes that gather do not: `spmodel "
     "model` "
     "counts them exactly from the layout, for each way in which threads share the work, of all operations; "
     "with dense operands a team of lanes reads neighbouring columns of a row. The L2 sees what "
     "the "
     "L1s do not keep, memory what the L2 does not keep.",
     {NULL},
     NULL},
    {"latency",
     "occupancy little launch overhead",
     "limits of a GPU beside bandwidth",
     "t >= waits t_latency / (resident warps x 4),  t >= launches t_launch",
     "Little's law: what is on the way at a time, divided by how long it takes. Resident warps follow from "
     "threads, blocks, registers and shared memory of an SM. Left out where the machine file has no figure.",
     {NULL},
     NULL},
    {NULL, NULL, NULL, NULL, NULL, {NULL}, NULL},
};

static bool among(const char *names, const char *name)
{
    size_t length = strlen(name);
    while (*names) {
        size_t n = strcspn(names, " ");
        if (n == length && strncasecmp(names, name, n) == 0)
            return true;
        names += n + (names[n] == ' ');
    }
    return false;
}

const struct sp_term *sp_term_find(const char *name)
{
    /* Case tells some symbols apart (C and c, V and v), so the exact name goes first. */
    for (const struct sp_term *t = sp_terms; t->name; t++)
        if (strcmp(t->name, name) == 0)
            return t;
    for (const struct sp_term *t = sp_terms; t->name; t++)
        if (strcasecmp(t->name, name) == 0 || among(t->also, name))
            return t;
    return NULL;
}

const struct sp_exit_meaning sp_exit_meanings[] = {
    {0, "done; checks: ok or improved"},
    {1, "the answer is no: regressed, lab failed, --fail-below not reached"},
    {2, "usage: the command line makes no sense"},
    {3, "an input or stored datum is unusable"},
    {4, "something required is absent or not permitted, memory or disk space included"},
    {5, "undecided: too few, too noisy or not comparable"},
    {6, "a result differs from the reference, or with --strict a measurement is not trustworthy"},
    {7, "a bug: an internal promise is broken"},
    {77, "everything was skipped"},
    {130, "interrupted by the user"},
    {-1, NULL},
};

const struct sp_flag_meaning sp_flag_meanings[] = {
    {"Q01", "above 103 % of the roof: bytes that stayed in caches which the model does not know, or a roof "
            "sampled in a worse moment"},
    {"Q02", "noisy samples: their quartiles lie far apart"},
    {"Q03", "threads could not be pinned, so they may have moved"},
    {"Q04", "more threads than processors"},
    {"Q05", "the arrays load much faster than memory: part of them stays in the last-level cache"},
    {"Q10", "more than 10 % of the time is not explained by the losses"},
    {"Q20", "constructed: bytes (and times) are invented for a test or a lesson"},
    {"Q21", "replayed: counted elsewhere or at another time"},
    {"Q22", "no known volume ran under the counters, so nothing says whether they count rightly"},
    {"Q23", "counters were read but their numbers cannot be used, so the bytes are simulated"},
    {"Q24", "fewer bytes were counted than the matrix alone has: alpha is undefined"},
    {"Q25", "multiplexed: counters were shared and their counts scaled up"},
    {"Q27", "writes are not counted by this source: the bytes of y were added to the reads"},
    {"Q28",
     "a sentinel (loads from memory or the last-level cache, the control kernel) changed from the first to "
     "the last run: the machine was not the same throughout"},
    {"Q26", "much background was taken off: other programs use the memory"},
    {NULL, NULL},
};
