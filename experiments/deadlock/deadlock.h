/* Deadlock and livelock: reports, tables and expectations. */
#ifndef FL_EXPERIMENTS_DEADLOCK_DEADLOCK_H
#define FL_EXPERIMENTS_DEADLOCK_DEADLOCK_H

#include "analysis/deadlock/deadlock.h"
#include "experiments/spec/options.h"
#include "plots/plots.h"

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
#else
#include <stdatomic.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

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
    const uint64_t *
        faults; /* [fault_points] fault sets of exactly this number of components, each by itself */
    uint32_t fault_points;
    uint64_t sample,
        seed; /* number of random sets where there are more than that; 0: every set, always */
    fl_deadlock_candidates candidates;
    bool prove; /* sets are then tried where a cycle is left that no real set is known for; if
                 * fault_points is 0, all sets of few faults, as far as they are a matter of seconds
                 */
    const atomic_bool *stop; /* NULL, or set by the caller to end early */
    void (*announce)(void *user, const fl_router *router, uint64_t faults,
                     long double sets); /* NULL, or called before sets are tried */
    void (*progress)(void *user, uint64_t done,
                     uint64_t all); /* NULL, or called now and then, with sets */
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

/* Draws the cycle of the first router that has one, under its fewest faults. Errors are
 * those of fl_drawing_write, and FL_ERR_INVALID if none has one. */
fl_status fl_deadlock_draw(const fl_deadlock_findings *findings, const char *path, fl_error *error);

/* Number of fault sets of exactly `faults` components; no overflow, rounded above 2^64. */
long double fl_deadlock_sets(const fl_fault_model *model, uint64_t faults);

/* The fewest virtual channels with which a VC assignment is proven free of deadlock for every fault
 * set. */
enum { FL_FEWEST_CHANNELS_MOST = 8 };

typedef struct fl_fewest_channels {
    const fl_router *router; /* as asked about: without channels */
    const fl_vc_assignment *rule;
    bool defined;    /* the VC assignment serves the network */
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
/* Keys of a rule, but for those that have values of several types. */
extern const fl_option_group fl_deadlock_rule_keys[];

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

#ifdef __cplusplus
}
#endif
#endif
