/* One router under load. */
#ifndef FL_EXPERIMENTS_LOAD_SIMULATION_H
#define FL_EXPERIMENTS_LOAD_SIMULATION_H

#include "experiments/ranks.h"
#include "sim/sim.h"

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
#else
#include <stdatomic.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One run. */
typedef struct fl_sim_task {
    const fl_sim_plan *plan;
    double load;
    uint64_t seed;
} fl_sim_task;

/* Appends what runs of a plan depend on, in lines: set-up, model, faults, hashes of files. */
void fl_sim_plan_describe(const fl_sim_plan *plan, fl_text *out);

/* A hash of everything that the results of these runs depend on; 0: out of memory. */
uint64_t fl_sim_tasks_hash(const fl_sim_task *tasks, size_t count);

/* Appends how many runs these are, and their hash, for a comparison between ranks. The text is
 * failed where there is no memory for the hash: a comparison of zeros would find nothing. */
void fl_sim_tasks_append(const fl_sim_task *tasks, size_t count, fl_text *out);

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

/* Several loads, each with several seeds: independent runs, each assigned to the next free thread
 * of any rank. */
typedef struct fl_simulation_spec {
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
    /* NULL, or called by the calling thread with how much work is done and how much there is, of
     * all ranks: a measure of time, no more */
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

/* Runs all loads, or looks for saturation. The plan is borrowed, and so is everything in it and in
 * the spec; the caller destroys the simulation. FL_ERR_ROUTER if the router breaks the contract,
 * FL_ERR_MEMORY, or an error of another rank. */
fl_status fl_simulation_run(fl_simulation **out, const fl_sim_plan *plan,
                            const fl_simulation_spec *spec, fl_error *error);
void fl_simulation_destroy(fl_simulation *simulation);

/* Appends rows by load and seed. */
void fl_simulation_csv(const fl_simulation *simulation, fl_text *out);

/* Appends everything that was set, and all results. */
void fl_simulation_json(const fl_simulation *simulation, fl_text *out);

/* Appends a short table, ended by the notes. */
void fl_simulation_summary(const fl_simulation *simulation, fl_text *out);

/* Appends lines "note: ...": failures that never came, candidates that are not equivalent, a
 * bracket of saturation that longer runs may move. */
void fl_simulation_notes(const fl_simulation *simulation, fl_text *out);

/* Writes folder/simulate.csv and folder/simulate.json, both or neither. FL_ERR_IO, FL_ERR_MEMORY.
 */
fl_status fl_simulation_write(const fl_simulation *simulation, const char *folder, fl_error *error);

/* The name of a figure; NULL after the last. There are latency and accepted load, of several loads;
 * with a time series those over time; none of workloads. */
const char *fl_simulation_figure(const fl_simulation *simulation, unsigned index);

/* Draws them into folder/simulate-NAME; those over time show the first 12 loads. `log_y`: the axis
 * of latency is logarithmic. FL_ERR_IO, FL_ERR_MEMORY. */
fl_status fl_simulation_draw(const fl_simulation *simulation, const char *folder, bool log_y,
                             fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
