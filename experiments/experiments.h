/* experiments: sampled sweeps over fault levels: specs, running (threads, processes, stopping,
 * resuming), results, merging, figures. */
#ifndef FL_EXPERIMENTS_H
#define FL_EXPERIMENTS_H

#include "plots/plots.h"
#include "routing/routing.h"
#include "sim/sim.h"

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
extern "C" {
#else
#include <stdatomic.h>
#endif

/* ---- sweeping --------------------------------------------------------------------- */

enum { FL_SWEEP_ROUTERS_MAX = 64, FL_SWEEP_THREADS_MAX = 1024, FL_RANKS_REPORT = 3 };

/* Every router is asked about the same pairs under the same fault orders, at every level. */
typedef struct fl_sweep {
    const fl_network *network;
    const fl_fault_model *model;
    fl_router *const *routers; /* of one scope */
    unsigned router_count;
    uint64_t seed;
    uint64_t first_trial, trials;
    unsigned threads;
    const atomic_bool *stop; /* NULL, or set by somebody to end early */
    void (*progress)(void *user, uint64_t done,
                     uint64_t trials); /* NULL, or called a few times a second */
    void *user;
} fl_sweep;

/* Raw counts of one (router, level). */
typedef struct fl_count {
    uint64_t delivered;
    uint64_t length_sum, length_squares; /* of the delivered packets' path lengths in links */
    uint64_t blocked[FL_REASONS];
} fl_count;

typedef struct fl_counts {
    unsigned routers;
    uint32_t fault_points;
    uint64_t first_trial, trials; /* trials first_trial .. first_trial + trials - 1 are in here
                                     (fl_results: see ranges) */
    fl_count *of;                 /* [router * levels + level] */
    uint64_t
        *both; /* [pair * levels + level]: both delivered; pairs (0,1), (0,2), (1,2), (0,3), ... */
} fl_counts;

/* Where the pair of routers a < b stands in `both`. */
FL_INLINE unsigned fl_counts_pair(unsigned a, unsigned b)
{
    return b * (b - 1) / 2 + a;
}

fl_counts *fl_counts_create(unsigned routers, uint32_t fault_points); /* NULL: out of memory */
void fl_counts_destroy(fl_counts *counts);

/* Runs the trials. Ended early by `stop`, counts->trials says how many are in: always the first
 * so many. The counts do not depend on the number of threads. */
fl_status fl_sweep_run(const fl_sweep *sweep, fl_counts *counts, fl_error *error);

/* ---- experiments: what a JSON spec or the command line asks for ---------------------- */

/* One sweep of an experiment, as asked for. Texts are owned by the experiment. */
typedef struct fl_sweep_spec {
    char *topology, *fault_model;
    char *topology_hash; /* of the file that the network is read from, as it must be; or NULL */
    char *faults, *fault_rate; /* one of the two, or neither: rates 0 to 1 in steps of 0.01 */
    fl_scope scope;
    char **routers;
    unsigned router_count;
} fl_sweep_spec;

typedef enum fl_quantity { FL_QUANTITY_SUCCESS_RATIO, FL_QUANTITY_MEAN_PATH_LENGTH } fl_quantity;
extern const char *const fl_quantity_names[]; /* success_ratio, mean_path_length; ended by NULL */

typedef struct fl_figure_spec {
    char *name;  /* of the file, without suffix */
    char *title; /* or NULL */
    fl_quantity quantity;
    bool log_y;
    char **routers; /* NULL: all */
    unsigned router_count;
    char *reference; /* canonical name: drawn are differences of success ratios to this router;
                        NULL: the ratios */
} fl_figure_spec;

/* A sweep spec turned into objects. */
typedef struct fl_bound_sweep {
    fl_network *network;
    fl_fault_model *model;
    fl_router *routers[FL_SWEEP_ROUTERS_MAX];
    unsigned router_count;
} fl_bound_sweep;

typedef struct fl_experiment {
    char *name, *title, *source; /* title and source may be NULL */
    uint64_t trials, seed;
    unsigned sweep_count, figure_count;
    fl_sweep_spec *sweeps;
    fl_bound_sweep *bound; /* [sweep_count] */
    fl_figure_spec *figures;
    char *canonical; /* JSON text of what is measured: equal texts measure the same */
    char hash[17];   /* of the canonical text */
} fl_experiment;

/* Reads a spec (experiments/experiment.schema.json describes it) and binds it: every name and
 * number is checked here. `where` names the text in messages. */
fl_status fl_experiment_parse(fl_experiment **out, const char *text, size_t length,
                              const char *where, fl_error *error);
/* The same of JSON that was parsed by fl_json_parse; `where` may be NULL. */
fl_status fl_experiment_read(fl_experiment **out, const struct cJSON *json, const char *where,
                             fl_error *error);
void fl_experiment_destroy(fl_experiment *experiment);

/* Names of the figures that are drawn of it, without prefix and suffix: its own, or the usual
 * two. NULL beyond the last. */
const char *fl_experiment_figure(const fl_experiment *experiment, unsigned index);

/* ---- one packet --------------------------------------------------------------------------- */

/* One question about a link, and its answer. */
typedef struct fl_question {
    fl_address from;
    fl_port port;
    fl_link link;
    bool up;
} fl_question;

/* A link travelled, and what the vertex at its beginning asked before. */
typedef struct fl_traced_hop {
    fl_address from, to;
    fl_port port;
    fl_link link;
    unsigned rule; /* whose detour it is on, or FL_NO_RULE */
    unsigned turn; /* which link of that detour, 0 for its first */
    unsigned channel;
    fl_candidate candidate; /* the router's answer: of several ports where a detour begins that was
                               known as a whole */
    uint32_t first_question, questions;
    bool avoids; /* a detour begins, because `avoided` is down */
    fl_link avoided;
} fl_traced_hop;

/* What happened to one packet under one set of faults. */
typedef struct fl_trace {
    const fl_router *router;
    const fl_fault_set *faults;
    fl_address source, destination;
    fl_walk_result result;
    fl_traced_hop *hops; /* [result.hops] */
    fl_question *questions;
    uint32_t question_count;
    /* of a packet that was not delivered */
    fl_address blocked_at;
    uint32_t blocked_questions; /* the last so many questions were asked there */
    bool has_blocking; /* false: it was given up without a question about a link that was down */
    fl_link blocking;  /* the link that it needed */
    /* breadth-first search, if the network has at most FL_TRACE_LINKS_MAX links */
    bool searched;
    uint32_t shortest_without_faults;
    uint32_t shortest_length; /* of a path of links that are up; UINT32_MAX: there is none */
    fl_address *shortest;    /* [shortest_length + 1] one such path: the one taken as far as it is a
                                shortest one */
    fl_link *shortest_links; /* [shortest_length] */
} fl_trace;

#define FL_TRACE_LINKS_MAX (UINT64_C(1) << 24)

/* Walks the packet. Router and faults are borrowed. FL_ERR_ROUTER if the router breaks the
 * contract. */
fl_status fl_trace_packet(fl_trace **out, const fl_router *router, const fl_fault_set *faults,
                          fl_address source, fl_address destination, fl_error *error);
void fl_trace_destroy(fl_trace *trace);

void fl_trace_text(const fl_trace *trace, fl_text *text); /* for readers */
void fl_trace_json(const fl_trace *trace, fl_text *text);

/* Draws the network, its faulty links, the shortest path, the path taken and the blocking link.
 * svg, png: where to; either may be NULL. */
fl_status fl_trace_draw(const fl_trace *trace, fl_extent extent, const char *svg, const char *png,
                        fl_error *error);

/* ---- curves without sampling error ------------------------------------------------------ */

/* Of one fault level. The success ratio lies in success_low..success_high: one value, but for
 * what was left out (fl_exact_options.prune). */
typedef struct fl_exact_point {
    double success_low, success_high;
    bool has_length; /* something is delivered at all */
    double length_low, length_high;
} fl_exact_point;

typedef struct fl_exact_options {
    double budget;    /* seconds for one router; then bounds instead of values. <= 0: no limit */
    double tolerance; /* bounds as narrow as this at every level are good enough; 0: narrower while
                         time is left */
    uint64_t states_max; /* branchings of one exploration, which bounds its memory (about 3 KB
                            each); 0: no limit */
    bool every_pair;     /* do not use the network's symmetry */
    bool unmerged;       /* do not merge: every leaf of the decision tree by itself */
    unsigned threads;    /* routers are explored side by side */
    const atomic_bool *stop;
    void (*progress)(void *user, uint64_t done, uint64_t all); /* routers done */
    void *user;
} fl_exact_options;

typedef struct fl_exact_curve {
    fl_exact_point *points; /* [levels] */
    bool exact;             /* nothing was left out */
    bool integers; /* all counts below 2^64: nothing was rounded before the last division */
    double prune;  /* histories less likely than this at every level were left out */
    uint64_t states, pair_classes;
    double seconds;
} fl_exact_curve;

/* Routers all. The limits under a `list` of faults and where single links fail: `minimal-limit` on
 * every network that fits into memory; `limit` where every link can fail and the network
 * has at most FL_EXPLORED_COMPONENTS_MAX links, with path lengths, or their bounds, where
 * fl_path_lengths_all_pairs gives them. */
bool fl_exact_serves(const fl_bound_sweep *bound, unsigned router);

/* Success ratio and mean path length over all ordered pairs of different nodes, of one router.
 * When the budget ends before anything rigorous is there, the bounds are 0 and 1. */
fl_status fl_exact_run(const fl_bound_sweep *bound, unsigned router,
                       const fl_exact_options *options, fl_exact_curve *curve, fl_error *error);

typedef struct fl_exact_results {
    const fl_experiment *experiment;
    fl_exact_curve *curves; /* of all sweeps' routers, one after the other */
    unsigned curve_count;
    bool partial; /* ended by `stop`: routers without a curve have no rows */
    char started[32];
    double wall_seconds;
} fl_exact_results;

fl_status fl_exact_experiment(fl_exact_results **out, const fl_experiment *experiment,
                              const fl_exact_options *options, fl_error *error);
void fl_exact_results_destroy(fl_exact_results *results);
void fl_exact_csv(const fl_exact_results *results, fl_text *out);
void fl_exact_json(const fl_exact_results *results, fl_text *out);
void fl_exact_summary(const fl_exact_results *results, fl_text *out);
/* exact.csv and exact.json; figures (exact-NAME.png and .svg). */
fl_status fl_exact_write(const fl_exact_results *results, const char *folder, fl_error *error);
fl_status fl_exact_draw(const fl_exact_results *results, const char *folder, bool log_y,
                        fl_error *error);
/* ---- sets of trials ---------------------------------------------------------------------- */

typedef struct fl_range {
    uint64_t first, end; /* first .. beyond - 1 */
} fl_range;

/* Rising ranges with gaps between them. All zero: none. */
typedef struct fl_ranges {
    fl_range *of;
    size_t count, capacity;
} fl_ranges;

/* Neighbours are joined; an empty range adds nothing. FL_ERR_INVALID if some of it is in already.
 */
fl_status fl_ranges_add(fl_ranges *ranges, fl_range range, fl_error *error);
/* Is some of `range` in already? Then *where is the first range that has some of it. */
bool fl_ranges_meet(const fl_ranges *ranges, fl_range range, fl_range *where);
/* The first stretch of `within` that is missing; false if none is. */
bool fl_ranges_gap(const fl_ranges *ranges, fl_range within, fl_range *gap);
uint64_t fl_ranges_total(const fl_ranges *ranges);
void fl_ranges_clear(fl_ranges *ranges); /* frees */

/* ---- precision on demand ------------------------------------------------------------------ */

/* Goes on until the interval of every success ratio (all sweeps, routers and fault levels) has
 * a half-width of at most `target`. The counts are looked at after numbers of trials that are
 * fixed beforehand, and each look uses a z of its own, so that the error probabilities of all
 * looks add up to less than 5%; intervals are written with the z of the look at which it ended.
 *
 * What this guarantees: for each single point, the probability that the interval written misses
 * the true value is at most 5%, whenever the run ends and although the counts decided when. Ended
 * between two looks (by a budget or Ctrl-C) it uses up the next look, whose z is then written.
 * What it does not: the 5% are a point's, not those of all points of a curve together; and the
 * intervals are Wilson's, a normal approximation. For ratios so near to 0 or 1 that about one
 * success or failure is to be expected in all trials, it misses more often than stated, here as
 * in every other sweep (Brown, Cai and DasGupta, "Interval Estimation for a Binomial Proportion",
 * 2001). */
enum { FL_LOOKS_MAX = 64 };
#define FL_PRECISION_LEAST 1e-7

typedef struct fl_look {
    uint64_t trials;
    double z;
} fl_look;

typedef struct fl_precision {
    double target; /* half-width */
    unsigned looks;
    fl_look look[FL_LOOKS_MAX]; /* trials rise; at the last, every interval is narrow enough (unless
                                   most_trials is fewer) */
} fl_precision;

extern const char fl_precision_rule[]; /* in words, for results */

/* most_trials 0: as many as it takes. */
fl_status fl_precision_plan(fl_precision *out, double target, uint64_t most_trials,
                            fl_error *error);
/* So many trials suffice, whatever the ratios are. */
uint64_t fl_precision_most(double target);
/* Are all intervals narrow enough at this look (0-based)? */
bool fl_precision_reached(const fl_precision *precision, unsigned look, fl_counts *const *counts,
                          unsigned sweeps);

/* ---- several processes --------------------------------------------------------------------- */

/* Processes that work on one run together (MPI ranks). The library does not know what joins
 * them: whoever starts a run hands in the functions. All but `add_up` are called by all ranks in
 * the same order, and wait for each other. */
typedef struct fl_ranks fl_ranks;
struct fl_ranks {
    unsigned count, mine; /* mine: 0..count-1; rank 0 leads, and has the results */
    /* Hands what one rank has to all. */
    void (*share)(fl_ranks *ranks, void *data, size_t bytes, unsigned from);
    /* all[r * size + i] becomes mine[i] of rank r, on all ranks. */
    void (*collect)(fl_ranks *ranks, const uint64_t *mine, size_t size, uint64_t *all);
    /* Adds up what all ranks have; rank 0 gets the sums, the others keep theirs. */
    void (*sum)(fl_ranks *ranks, uint64_t *numbers, size_t size);
    /* Returns at once: true when all ranks have called it anew, with the sums of what they said
     * then; false while some have not, and `mine` is not looked at when called again. */
    bool (*add_up)(fl_ranks *ranks, const uint64_t mine[FL_RANKS_REPORT],
                   uint64_t sums[FL_RANKS_REPORT]);
};

/* Called by all ranks before any work: FL_ERR_INVALID on all of them when one was asked for
 * something else than rank 0, with its number and the first line of `asked` that differs. */
fl_status fl_ranks_compare(fl_ranks *ranks, const fl_text *asked, fl_error *error);

/* ---- running -------------------------------------------------------------------------------- */

typedef enum fl_stopped_by {
    FL_STOPPED_BY_TRIALS,    /* all trials are done */
    FL_STOPPED_BY_PRECISION, /* the intervals are as narrow as was asked for */
    FL_STOPPED_BY_BUDGET,    /* the time is over */
    FL_STOPPED_BY_INTERRUPT
} fl_stopped_by;
extern const char *const fl_stopped_by_names[]; /* trials, ...; ended by NULL */

/* A run is a sequence of blocks of trials; all threads of all ranks share a block. A block is a
 * sweep's next trials, about a second's worth, and ends where a look is due. Between two blocks the
 * counts are complete: that is where it looks, writes checkpoints and ends. It also ends inside a
 * block, by `stop`, by the budget or by an error; what was done of the block is kept then (a
 * range of trials for each rank). How trials were split into blocks, threads and ranks is
 * nowhere to be seen in the counts. */
typedef struct fl_run_options {
    unsigned threads; /* of this process */
    const atomic_bool *stop;
    void (*progress)(void *user, uint64_t done, uint64_t trials); /* over all sweeps together */
    void (*warn)(void *user,
                 const char *text); /* NULL, or called for what does not keep it from going on */
    void *user;
    fl_range trials; /* of experiment->trials; all zero: all of them */
    const fl_precision
        *precision;         /* NULL, or stop by it; experiment->trials is that of its last look */
    double budget_seconds;  /* 0: none */
    const char *checkpoint; /* NULL, or the file to keep what is done in */
    double checkpoint_seconds; /* between two checkpoints; 0: the default */
    bool resume;               /* go on from the checkpoint, if there is one */
    fl_ranks *ranks;           /* NULL: this process alone */
} fl_run_options;
#define FL_CHECKPOINT_SECONDS 5.

typedef struct fl_results {
    const fl_experiment *experiment;
    fl_counts **counts; /* [sweep_count] */
    fl_ranges *ranges;  /* [sweep_count]: the trials that are in them */
    bool partial;       /* interrupted before all trials were done; merged: trials are missing */
    fl_stopped_by stopped_by;
    double z;                /* of every interval */
    fl_precision precision;  /* looks == 0: none was asked for */
    unsigned look;           /* 0-based: the one whose z it is */
    bool reached;            /* the precision */
    unsigned threads, ranks; /* threads of a rank */
    char started[32];        /* UTC, ISO 8601 */
    double wall_seconds;     /* of all sessions of a resumed run */
} fl_results;

/* Rank 0 gets the results, other ranks *out = NULL. Errors are those of whichever rank has one, on
 * all of them, but for those of rank 0 outside of the blocks (a checkpoint that cannot be used),
 * which rank 0 alone returns. */
fl_status fl_experiment_run(fl_results **out, const fl_experiment *experiment,
                            const fl_run_options *options, fl_error *error);

/* With counts that hold no trial. */
fl_status fl_results_create(fl_results **out, const fl_experiment *experiment, fl_error *error);
void fl_results_destroy(fl_results *results);

/* ---- results: writing ------------------------------------------------------------------------ */

/* Appends the table of docs/results.md: a header, then one row a router and fault level. */
void fl_results_csv(const fl_results *results, fl_text *out);
/* Appends everything: canonical spec, hash, seed, version, host, raw counts, paired differences. */
void fl_results_json(const fl_results *results, fl_text *out);
/* Appends a short table to look at. */
void fl_results_summary(const fl_results *results, fl_text *out);

/* sweep.csv and sweep.json in an existing folder. */
fl_status fl_results_write(const fl_results *results, const char *folder, fl_error *error);
/* The figures of the experiment, or two of all routers when it names none: PNG and SVG. */
fl_status fl_results_draw(const fl_results *results, const char *folder, bool log_y,
                          fl_error *error);

/* ---- results: reading and adding up -------------------------------------------------------------
 */

/* Reads what fl_results_json wrote: the experiment from the spec that is in it, and the counts.
 * Takes nothing on trust: ranges, lengths of lists, and the sums that must hold. Both are the
 * caller's to destroy, the results first. */
fl_status fl_results_read(fl_results **out, fl_experiment **experiment, const char *path,
                          fl_error *error);

/* Are there results of this very experiment in the file? */
bool fl_results_goes_on(const char *path, const fl_experiment *experiment);

/* Are these results whole: of this run of the experiment (its trials, its precision), with nothing
 * left to do? */
bool fl_results_are_complete(const char *path, const fl_experiment *experiment,
                             const fl_run_options *run);

/* Adds the results of several files up. They must be of one experiment, and no trial in two of
 * them. Trials that are in none of them make the result partial. */
fl_status fl_results_merge(fl_results **out, fl_experiment **experiment, const char *const *paths,
                           size_t count, fl_error *error);

/* Appends what is missing, for example "trials 2500 to 4999"; nothing when nothing is. */
void fl_results_gaps(const fl_results *results, fl_text *out);

/* ---- the catalogue: what is published, and what is so -----------------------------------------
 */

/* Every entry of experiments/published is judged at every instance of its parameters: the value as
 * published, by a closed form, and measured. */
typedef enum fl_verdict {
    FL_VERDICT_GIVEN,   /* a price or a simulated value: nothing to check */
    FL_VERDICT_DERIVED, /* not published: a derivation of this project's, and the measured value
                           agrees */
    FL_VERDICT_AGREES,
    FL_VERDICT_AS_READ,    /* it agrees when it is read as the entry says */
    FL_VERDICT_BOUND,      /* it is published as a bound, and the bound holds */
    FL_VERDICT_UNMEASURED, /* it agrees with the closed form; not measured, and why */
    FL_VERDICT_UNDECIDED,  /* there is no closed form, and what was measured is an upper bound that
                              decides nothing */
    FL_VERDICT_DIFFERS,    /* the source is wrong */
    FL_VERDICT_BROKEN, /* closed form and measurement contradict each other: Faultline is wrong */
    FL_VERDICTS
} fl_verdict;
extern const char *const fl_verdict_names[FL_VERDICTS];

typedef struct fl_catalogue_instance {
    char *label;                      /* its networks, or its parameters */
    double published, form, measured; /* NAN: none */
    bool upper_bound;                 /* `measured` is the best cut of a search */
    char *why_not;                    /* measured; NULL */
    fl_verdict verdict;
} fl_catalogue_instance;

/* Texts belong to the catalogue; NULL where there is none. */
typedef struct fl_catalogue_entry {
    const char *row, *column;
    const char *published; /* as printed: a number, or a formula; NULL: it is not */
    const char *unit;
    const char *form;     /* a formula; NULL: that of the network, or none */
    const char *quantity; /* what is measured, as a formula of properties */
    const char *reading;  /* how it has to be read to agree */
    const char *why;      /* the derivation, where the source is wrong */
    fl_catalogue_instance *instances;
    size_t instance_count;
    fl_verdict verdict;
} fl_catalogue_entry;

typedef struct fl_catalogue_table {
    const char *paper, *source, *id, *title, *about;
    fl_catalogue_entry *entries;
    size_t entry_count;
} fl_catalogue_table;

typedef struct fl_catalogue {
    fl_catalogue_table *tables;
    size_t table_count;
    size_t entries[FL_VERDICTS], instances[FL_VERDICTS]; /* how many have the verdict */
    unsigned networks;                                   /* measured */
    uint64_t largest;
    struct cJSON **documents;
    size_t document_count;
} fl_catalogue;

#define FL_CATALOGUE_LARGEST 1200000  /* half a minute: all of the KNS paper's Table 4 */
#define FL_CATALOGUE_ALL     12000000 /* what takes minutes and some GB, for the night */

typedef struct fl_catalogue_options {
    uint64_t largest; /* networks with more links are not measured; 0: FL_CATALOGUE_LARGEST */
    bool (*should_stop)(void *user); /* NULL, or asked now and then; true: FL_ERR_STOPPED */
    void (*progress)(void *user, uint64_t done, uint64_t entries); /* NULL */
    void *user;
} fl_catalogue_options;

fl_status fl_catalogue_create(fl_catalogue **out, const fl_catalogue_options *options,
                              fl_error *error);
/* Of one text in the form of experiments/published; `where` names it in messages. */
fl_status fl_catalogue_read(fl_catalogue **out, const char *text, const char *where,
                            const fl_catalogue_options *options, fl_error *error);
void fl_catalogue_destroy(fl_catalogue *catalogue);

/* Append the page in three forms, and a few lines to look at. */
void fl_catalogue_html(const fl_catalogue *catalogue, fl_text *out);
void fl_catalogue_markdown(const fl_catalogue *catalogue, fl_text *out);
void fl_catalogue_csv(const fl_catalogue *catalogue, fl_text *out);
void fl_catalogue_summary(const fl_catalogue *catalogue, fl_text *out);

/* ---- choosing a network
 * -------------------------------------------------------------------------- */

/* Networks of about so many nodes, from their closed forms; nothing is stored, so that a million
 * nodes cost nothing. (Small dragonflies, which have no closed form of the average distance, are
 * searched.) Of those of a family that differ in k alone, the one nearest to the number of nodes.
 * Families: k-ary n-trees, bidirectional Clos, MiKANT, CAT, MiCAT, thin trees with up = k/2,
 * three-layer fat trees, mesh, torus, hypercube, flattened butterfly (p = k), KNS with crossbars
 * and with fat trees of 2 or 3 stages, balanced dragonflies. */
typedef enum fl_candidate_order {
    FL_CANDIDATE_RCP,
    FL_CANDIDATE_COST,
    FL_CANDIDATE_DISTANCE,
    FL_CANDIDATE_FAULTS,
    FL_CANDIDATE_RADIX,
    FL_CANDIDATE_NODES, /* nearest to the number asked for */
    FL_CANDIDATE_ORDERS
} fl_candidate_order;
extern const char *const fl_candidate_orders[FL_CANDIDATE_ORDERS + 1]; /* rcp, ...; ended by NULL */

typedef struct fl_candidate_options {
    uint64_t nodes;     /* 2 .. FL_CANDIDATE_NODES_MAX */
    double within;      /* percent by which the number of nodes may differ; 0..50 */
    unsigned radix_max; /* 0: any */
    fl_candidate_order order;
} fl_candidate_options;
#define FL_CANDIDATE_NODES_MAX UINT64_C(100000000)
#define FL_CANDIDATE_SEARCHED  50000

typedef struct fl_proposal {
    char spec[192];
    uint64_t nodes, switches, links;
    unsigned radix;
    double diameter; /* in links, node links included */
    /* Radix times diameter over (m + 1)(m + 2) of a hypercube of m = log2(nodes) dimensions (MiKANT
     * paper, (7), and Wang thesis, 3.2, with p = 1 node at a switch of the hypercube). Below 1 is
     * better than the hypercube. */
    double rcp;
    double ports_per_node;   /* the cost: ports of all switches, used or not */
    double average_distance; /* over pairs of different nodes; NAN: there is no closed form, and
                                FL_CANDIDATE_SEARCHED links are exceeded */
    unsigned faults; /* any so many link faults between switches leave all nodes connected: the
                      * least degree of a switch with nodes, less 1 (what maximum flow gives on all
                      * instances of the tests) */
    bool dominated;  /* another has no more radix, ports a node and distance, no fewer faults, and
                        one of them better */
} fl_proposal;

typedef struct fl_candidates {
    fl_candidate_options options;
    fl_proposal *of; /* in the order asked for */
    size_t count;
    size_t
        recommended; /* the lowest RCP of those that tolerate a fault; count when there is none */
    size_t cheapest, shortest, safest; /* of the same */
} fl_candidates;

/* FL_ERR_INVALID: a bad option. No network at all is no error: count is 0. */
fl_status fl_candidates_create(fl_candidates **out, const fl_candidate_options *options,
                               fl_error *error);
void fl_candidates_destroy(fl_candidates *choices);
void fl_candidates_text(const fl_candidates *choices, fl_text *out);
void fl_candidates_json(const fl_candidates *choices, fl_text *out);

/* ---- deadlock and livelock ---------------------------------------------------------------- */

/* Which of a router's candidates are followed. */
typedef enum fl_deadlock_candidates {
    FL_DEADLOCK_FIRST, /* the first, which a sweep takes, and simulations with the choice `first` */
    FL_DEADLOCK_EQUIVALENT, /* those that simulations with another choice can take: all that are
                             * declared equivalent, of ranked ones the first */
    FL_DEADLOCK_ALL         /* all, ranked or not */
} fl_deadlock_candidates;

/* What is to be found out about routers of one network: fault sets one by one, or all faults at
 * once (`prove`). */
typedef struct fl_deadlock_study {
    const fl_network *network;
    const fl_fault_model *model; /* draw=exact */
    fl_router *const *routers;
    unsigned router_count;
    const uint64_t *faults; /* [levels] fault sets of exactly so many parts, each by itself */
    uint32_t fault_points;
    uint64_t sample,
        seed; /* so many random sets where there are more than that; 0: every set, always */
    fl_deadlock_candidates candidates;
    bool prove; /* sets are then tried where a cycle is left that no real set is known for; if
                 * levels is 0, all sets of few faults, as far as they are a matter of seconds */
    const atomic_bool *stop; /* NULL, or set by somebody to end early */
    void (*announce)(void *user, const fl_router *router, uint64_t faults,
                     long double sets); /* NULL, or told before sets are tried */
    void (*progress)(void *user, uint64_t done,
                     uint64_t all); /* NULL, or told of sets now and then */
    void *user;
} fl_deadlock_study;

/* Of one router. */
typedef struct fl_deadlock_finding {
    const fl_router *router;
    bool has_proof;
    fl_proof proof;
    fl_deadlock_result *checks; /* [check_count] of fault counts that were tried */
    uint32_t check_count;
} fl_deadlock_finding;

typedef struct fl_deadlock_findings {
    fl_deadlock_study study; /* lends from the caller what that lent */
    fl_deadlock_finding *of; /* [study.router_count] */
    bool partial;            /* ended by `stop`: what was not finished is missing */
} fl_deadlock_findings;

fl_status fl_deadlock_study_run(fl_deadlock_findings **out, const fl_deadlock_study *study,
                                fl_error *error);
void fl_deadlock_findings_destroy(fl_deadlock_findings *findings);
/* Appends a table and then cycles, for people; and a JSON list, an object for every router and
 * fault count (proofs: for every router). */
void fl_deadlock_summary(const fl_deadlock_findings *findings, fl_text *out);
void fl_deadlock_json(const fl_deadlock_findings *findings, fl_text *out);

/* Is there a cycle to draw? */
bool fl_deadlock_has_cycle(const fl_deadlock_findings *findings);

/* Draws the cycle of the first router that has one, under its fewest faults. svg or png may be
 * NULL. FL_ERR_INVALID if none has. */
fl_status fl_deadlock_draw(const fl_deadlock_findings *findings, const char *svg, const char *png,
                           fl_error *error);

/* Fault sets of exactly so many parts; no overflow, rounded above 2^64. */
long double fl_deadlock_sets(const fl_fault_model *model, uint64_t faults);

/* The fewest virtual channels with which a channel rule is proven free of deadlock for every fault
 * set. */
enum { FL_FEWEST_CHANNELS_MOST = 8 };

typedef struct fl_fewest_channels {
    const fl_router *router; /* as asked about: without channels */
    const fl_vc_assignment *rule;
    bool defined;    /* the rule serves the network */
    unsigned fewest; /* 0: not proven with up to FL_FEWEST_CHANNELS_MOST */
    unsigned fewer;  /* one less, or, where nothing is proven, the most that were tried; 0: there is
                        no less than 1 */
    bool useless;    /* nothing is proven, and more channels than `fewer` are never taken */
    fl_deadlock_witness *witness; /* with `fewer` channels, or NULL: no fault set was found */
    bool counted, finished;       /* `fewest`, `fewer` and `useless` are known; and the search for a
                                     witness has ended */
} fl_fewest_channels;

typedef struct fl_fewest_table {
    const fl_network *network;
    const fl_fault_model *model;
    fl_fewest_channels *of; /* [router * rules + rule] */
    unsigned routers, rules;
    fl_deadlock_candidates candidates;
    bool partial; /* ended by `stop`: some cells are not finished */
} fl_fewest_table;

/* Uses network, model, routers, candidates, stop and progress (in cells) of a study. */
fl_status fl_fewest_channels_run(fl_fewest_table **out, const fl_deadlock_study *study,
                                 fl_error *error);
void fl_fewest_channels_destroy(fl_fewest_table *table);
void fl_fewest_channels_summary(const fl_fewest_table *table, fl_text *out);
void fl_fewest_channels_markdown(const fl_fewest_table *table, fl_text *out);
void fl_fewest_channels_json(const fl_fewest_table *table, fl_text *out);

/* Expectations that are to stay true (experiments/deadlock.schema.json describes the file). */
typedef struct fl_deadlock_rules fl_deadlock_rules;

/* Every name and number is checked here; nothing is routed yet. `where` names the text in messages.
 */
fl_status fl_deadlock_rules_parse(fl_deadlock_rules **out, const char *text, size_t length,
                                  const char *where, fl_error *error);
void fl_deadlock_rules_destroy(fl_deadlock_rules *rules);
unsigned fl_deadlock_rules_count(const fl_deadlock_rules *rules);
/* Appends what the rule says, in one line without its end. */
void fl_deadlock_rules_describe(const fl_deadlock_rules *rules, unsigned index, fl_text *out);
/* Does it hold? Appends what was found: in short if it holds, else with what was expected and the
 * fault set. Of `options`, stop and progress are used. */
fl_status fl_deadlock_rules_check(const fl_deadlock_rules *rules, unsigned index,
                                  const fl_deadlock_study *options, bool *holds, fl_text *out,
                                  fl_error *error);
/* ---- packets under load (sim/sim.h)
 * -------------------------------------------------------------- */

/* One run. */
typedef struct fl_sim_task {
    const fl_sim_plan *plan;
    double load;
    uint64_t seed;
} fl_sim_task;

/* Appends what runs of a plan depend on, in lines: set-up, model, faults, hashes of files. */
void fl_sim_plan_describe(const fl_sim_plan *plan, fl_text *out);

/* Of everything that the results of these runs depend on. */
uint64_t fl_sim_tasks_hash(const fl_sim_task *tasks, size_t count);

/* What is known of deadlock before the first cycle: a proof over all pairs of nodes, under the
 * links that are down from the start and any of those that fail during the run. */
typedef enum fl_sim_proof_verdict {
    FL_SIM_PROOF_NONE, /* not checked: too much to do for the start of a simulation, or not asked
                          for */
    FL_SIM_PROOF_FREE, /* deadlock-free by all candidates that the run can take */
    FL_SIM_PROOF_FIRST_ONLY, /* only if it took the first candidate of every switch */
    FL_SIM_PROOF_CYCLE /* there are cycles of channel dependencies; by first candidates too, or that
                          took too long */
} fl_sim_proof_verdict;
extern const char *const fl_sim_proof_names[]; /* by verdict */

typedef struct fl_sim_proof {
    fl_sim_proof_verdict verdict;
    bool all_candidates; /* the run can take any candidate, not only the first */
} fl_sim_proof;

/* Takes some tenths of a second at most; what takes longer is FL_SIM_PROOF_NONE. The verdict does
 * not depend on the machine: FL_ERR_MEMORY where there is none for the proof. */
fl_status fl_sim_prove(fl_sim_proof *out, const fl_sim_plan *plan, fl_error *error);
/* Appends a line if the run can deadlock, or if that is open; `where` stands in front, e.g. "gns:
 * ". */
void fl_sim_note_proof(const fl_sim_plan *plan, const fl_sim_proof *proof, const char *where,
                       fl_text *out);

/* Several loads, each with several seeds: independent runs, which ranks and threads share out among
 * themselves. */
typedef struct fl_simulation_spec {
    const fl_sim_set_up *set_up;
    const char *preset; /* name, for the results */
    fl_sim_proof proof; /* for the results */
    const double
        *loads; /* [load_count] rising; unused with find_saturation; with a workload: one, 0 */
    size_t load_count;
    uint64_t seed; /* runs of one load have the seeds seed, seed + 1, ... */
    unsigned runs;
    unsigned threads;     /* of this process */
    fl_ranks *ranks;      /* NULL: this process alone. All ranks get all results */
    bool find_saturation; /* instead of given loads, looks for the highest load that is carried */
    const atomic_bool
        *stop; /* NULL, or ends all runs when it becomes true; what is done is marked */
    /* NULL, or told by the calling thread how much work is done and how much there is, of all
     * ranks: a measure of time, no more */
    void (*progress)(void *user, uint64_t done, uint64_t all);
    void *user;
} fl_simulation_spec;

typedef struct fl_simulation {
    fl_simulation_spec spec;
    const fl_sim_plan *plan;
    size_t load_count;
    double *loads;          /* [load_count] rising */
    fl_sim_result *results; /* [load_count][spec.runs] */
    bool partial;
    double carried, not_carried; /* find_saturation: the bracket; NAN: none was found */
    double wall_seconds;
    char started[32];
} fl_simulation;

/* The plan is borrowed, and so is everything in it and in the spec. */
fl_status fl_simulation_run(fl_simulation **out, const fl_sim_plan *plan,
                            const fl_simulation_spec *spec, fl_error *error);
void fl_simulation_destroy(fl_simulation *simulation);

/* Rows by load and seed; as JSON with everything that was set; a short table; the files
 * simulate.csv and simulate.json; the figures: latency and accepted load of several loads; with a
 * time series those over time, of the first 12 loads; none of workloads. */
void fl_simulation_csv(const fl_simulation *simulation, fl_text *out);
void fl_simulation_json(const fl_simulation *simulation, fl_text *out);
void fl_simulation_summary(const fl_simulation *simulation, fl_text *out);
/* Lines "note: ...", which end the short table too: failures that never came, a bracket of
 * saturation that longer runs may move. */
void fl_simulation_notes(const fl_simulation *simulation, fl_text *out);
fl_status fl_simulation_write(const fl_simulation *simulation, const char *folder, fl_error *error);
const char *fl_simulation_figure(const fl_simulation *simulation,
                                 unsigned index); /* its name; NULL beyond the last */
fl_status fl_simulation_draw(const fl_simulation *simulation, const char *folder, bool log_y,
                             fl_error *error);

/* ---- workloads on several networks
 * ---------------------------------------------------------------- */

enum { FL_MAKESPAN_NETWORKS_MAX = 8, FL_MAKESPAN_WORKLOADS_MAX = 64 };

/* What is published beside the table of performance and cost (thin-tree paper, Table III). */
typedef enum fl_makespan_quantity {
    FL_MAKESPAN_PERFORMANCE, /* 1 / mean of the normalised times */
    FL_MAKESPAN_COST_CONSTANT,
    FL_MAKESPAN_COST_LINEAR,
    FL_MAKESPAN_COST_QUADRATIC, /* S, S R, S R^2: S switches of radix R */
    FL_MAKESPAN_EFFICIENCY_CONSTANT,
    FL_MAKESPAN_EFFICIENCY_LINEAR,
    FL_MAKESPAN_EFFICIENCY_QUADRATIC, /* performance / cost */
    FL_MAKESPAN_QUANTITIES
} fl_makespan_quantity;
extern const char
    *const fl_makespan_quantity_names[]; /* by value, ended by NULL; keys of `published` */

/* A spec: networks, workloads, and how they are run (experiments/makespan.schema.json describes the
 * file). Everything in it is checked and made. */
typedef struct fl_makespan_spec fl_makespan_spec;
/* `only`: names of workloads of the file, split by ';', or NULL for all. */
fl_status fl_makespan_parse(fl_makespan_spec **out, const char *text, size_t length,
                            const char *where, const char *only, fl_error *error);
void fl_makespan_spec_destroy(fl_makespan_spec *spec);
/* Appends what the results depend on, in lines. */
void fl_makespan_describe(const fl_makespan_spec *spec, fl_text *out);

typedef struct fl_makespan_options {
    unsigned threads; /* of this process */
    fl_ranks *ranks;  /* NULL: this process alone. All ranks get all results */
    const atomic_bool
        *stop; /* NULL, or ends all runs when it becomes true; what is done is marked */
    void (*progress)(void *user, uint64_t done,
                     uint64_t all); /* NULL, or as for fl_simulation_spec */
    void *user;
} fl_makespan_options;

/* Every workload on every network with every seed, from first to last on any number of threads and
 * ranks. Borrows the spec. */
typedef struct fl_makespan fl_makespan;
fl_status fl_makespan_run(fl_makespan **out, const fl_makespan_spec *spec,
                          const fl_makespan_options *options, fl_error *error);
void fl_makespan_destroy(fl_makespan *makespan);
bool fl_makespan_is_partial(const fl_makespan *makespan);
bool fl_makespan_is_complete(const fl_makespan *makespan); /* all messages of all runs arrived */
double fl_makespan_seconds(const fl_makespan *makespan);
/* Mean over the seeds, in cycles; over that of the first network; NAN where a run did not complete.
 */
double fl_makespan_cycles(const fl_makespan *makespan, unsigned network, unsigned workload);
double fl_makespan_time(const fl_makespan *makespan, unsigned network, unsigned workload);
double fl_makespan_quantity_of(const fl_makespan *makespan, unsigned network,
                               fl_makespan_quantity quantity);

/* A row for each run; as JSON; tables; the files makespan.csv and makespan.json; the figures that
 * fl_makespan_figures names. */
void fl_makespan_csv(const fl_makespan *makespan, fl_text *out);
void fl_makespan_json(const fl_makespan *makespan, fl_text *out);
void fl_makespan_summary(const fl_makespan *makespan, fl_text *out);
fl_status fl_makespan_write(const fl_makespan *makespan, const char *folder, fl_error *error);
extern const char *const fl_makespan_figures[]; /* ended by NULL */
fl_status fl_makespan_draw(const fl_makespan *makespan, const char *folder, bool log_y,
                           fl_error *error);

/* ---- several curves under load: `simulate SPEC.json` ---- */

enum { FL_LOAD_CURVES_MAX = 64, FL_LOAD_FIGURES_MAX = 64, FL_LOAD_REPEATS_MAX = 1000 };

/* What a figure shows: a number of one run, or one for each interval of its time series. */
typedef enum fl_load_quantity {
    FL_LOAD_LATENCY,
    FL_LOAD_NETWORK_LATENCY,
    FL_LOAD_LATENCY_P99,
    FL_LOAD_ACCEPTED,
    FL_LOAD_HOPS,
    FL_LOAD_CONFLICTS,
    FL_LOAD_PORTS_WITH_CONFLICT,
    FL_LOAD_CONFLICTS_PER_PACKET,
    FL_LOAD_RECEIVED,
    FL_LOAD_RECEIVED_SENT,
    FL_LOAD_LOST,
    FL_LOAD_SERIES_LATENCY,
    FL_LOAD_SERIES_DELIVERED,
    FL_LOAD_SERIES_LOST,
    FL_LOAD_SERIES_RETRIED,
    FL_LOAD_QUANTITIES
} fl_load_quantity;
extern const char
    *const fl_load_quantity_names[FL_LOAD_QUANTITIES + 1]; /* latency, ...; ended by NULL */

/* ... and against what. `cycle` belongs to the time series, `fault_rate` to specs with fault rates.
 */
typedef enum fl_load_axis {
    FL_LOAD_AXIS_OFFERED,
    FL_LOAD_AXIS_ACCEPTED,
    FL_LOAD_AXIS_FAULT_RATE,
    FL_LOAD_AXIS_CYCLE,
    FL_LOAD_AXES
} fl_load_axis;
extern const char *const fl_load_axis_names[FL_LOAD_AXES + 1];

/* An option of `faultline simulate`, by its name without dashes in front; "" is the value of a
 * switch. */
typedef struct fl_load_setting {
    char *name, *value;
} fl_load_setting;

typedef struct fl_load_settings {
    fl_load_setting *of;
    size_t count;
} fl_load_settings;

typedef struct fl_load_figure {
    char *name, *title; /* title may be NULL */
    fl_load_quantity quantity;
    fl_load_axis axis;
    bool log_y;
    double x_min, x_max, y_min, y_max; /* NAN: from the data; the lower ends from 0 */
    char **curves;                     /* labels; NULL: all */
    unsigned curve_count;
    char
        *difference_to; /* NULL, or the label of the curve whose values are taken off, run by run */
} fl_load_figure;

/* Curves of load after load; or, with fault rates, of one load each, against the fault rate,
 * averaged over several sets of faults. */
typedef struct fl_load_spec {
    char *name, *title, *source; /* title and source may be NULL */
    fl_load_settings common;     /* of all curves that do not have their own */
    unsigned curve_count, figure_count;
    struct fl_load_curve_spec {
        char *label;
        fl_load_settings settings;
    } * curves;
    fl_load_figure *figures;
    double *fault_rates; /* [fault_fault_points] rising; NULL: curves of loads */
    uint32_t fault_fault_points;
    uint64_t fault_sets; /* of every rate */
} fl_load_spec;

/* Checks everything but the settings' values, which are the caller's to bind. `options` (ended by
 * NULL) are the names that settings may have; in JSON they are written with _ for -.
 * experiments/simulation.schema.json describes the file. */
fl_status fl_load_spec_read(fl_load_spec **out, const struct cJSON *json, const char *where,
                            const char *const *options, fl_error *error);
fl_status fl_load_spec_parse(fl_load_spec **out, const char *text, size_t length, const char *where,
                             const char *const *options, fl_error *error);
void fl_load_spec_destroy(fl_load_spec *spec);
const char *fl_load_spec_setting(const fl_load_settings *settings,
                                 const char *name); /* NULL: not there */
const char *fl_load_spec_figure(
    const fl_load_spec *spec,
    unsigned index); /* its name; the usual two if it names none; NULL beyond the last */

/* A curve ready to be run: `repeats` runs of every point, the same in number for all points. */
typedef struct fl_load_curve {
    const char *label, *preset;
    size_t points, repeats;
    const double *x;          /* [points] offered loads or fault rates */
    const fl_sim_task *tasks; /* [point * repeats + repeat] */
    fl_sim_proof
        proof; /* of curves against the load; with fault rates every run has faults of its own */
} fl_load_curve;

typedef struct fl_load_options {
    unsigned threads;       /* of this process */
    fl_ranks *ranks;        /* NULL: this process alone. Rank 0 gets all results */
    const char *checkpoint; /* NULL, or a file that gets every finished run, and is read first if it
                               is there; rank 0's */
    const atomic_bool *stop;
    void (*progress)(void *user, uint64_t done,
                     uint64_t all); /* NULL, or as for fl_simulation_spec */
    void (*warn)(void *user,
                 const char *text); /* NULL, or called for what does not keep it from going on */
    void *user;
} fl_load_options;

typedef struct fl_load_results {
    const fl_load_spec *spec;
    const fl_load_curve *curves;   /* [spec->curve_count] */
    fl_sim_result *results;        /* of all curves' tasks, one after the other */
    size_t result_count, taken_up; /* taken_up: read from the checkpoint */
    bool partial;
    bool second_apart; /* the points of the second curve are not joined in figures */
    unsigned threads, ranks;
    double wall_seconds;
    char started[32];
} fl_load_results;

/* Spec and curves are borrowed. FL_ERR_INVALID: a checkpoint of another experiment. */
fl_status fl_load_run(fl_load_results **out, const fl_load_spec *spec, const fl_load_curve *curves,
                      const fl_load_options *options, fl_error *error);
void fl_load_results_destroy(fl_load_results *results);

/* Reads simulate.json of a finished run of the same spec back, for the figures: intervals have ten
 * digits, and what hangs on a deadlock is not there. FL_ERR_INVALID: the file is of another spec,
 * other options or another version, partial or damaged; FL_ERR_IO: it cannot be read. */
fl_status fl_load_read(fl_load_results **out, const fl_load_spec *spec, const fl_load_curve *curves,
                       const char *path, fl_error *error);
void fl_load_csv(const fl_load_results *results, fl_text *out);
void fl_load_json(const fl_load_results *results, fl_text *out);
void fl_load_summary(const fl_load_results *results, fl_text *out);
void fl_load_notes(const fl_load_results *results,
                   fl_text *out); /* as fl_simulation_notes, with the curve's label */
fl_status fl_load_write(const fl_load_results *results, const char *folder,
                        fl_error *error); /* simulate.csv and simulate.json */
fl_status fl_load_draw(const fl_load_results *results, const char *folder, bool log_y,
                       fl_error *error);

/* One point of a curve: the mean over its runs, and 95% confidence: of several runs from their
 * differences (Student), of one from batch means, which there are for the latency and the accepted
 * load. NAN where a run has no value, e.g. the latency of a saturated load. */
void fl_load_point(const fl_load_results *results, unsigned curve, size_t point,
                   fl_load_quantity quantity, double *value, fl_interval *interval);

#ifdef __cplusplus
}
#endif
#endif
