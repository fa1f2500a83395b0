/* faults: which links fail, in which order, and what a switch may know of it.
 *
 * A fault model is a random order in which the parts of a network fail. An axis is a rising
 * list of fault levels (so many faults, or such a failure probability). Of a link only one
 * thing matters: the first level of the axis at which it is down. That number is drawn when
 * somebody first asks about the link, and not before (docs/how-the-sweep-works.md says why
 * this is unbiased), so that a trial costs the same on 135 links and on ten million. */
#ifndef FL_FAULTS_H
#define FL_FAULTS_H

#include "topo/topo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the axis ------------------------------------------------------------------ */

typedef struct fl_axis {
    bool rates; /* levels are probabilities or shares (else: numbers of faults) */
    uint32_t fault_points;
    const uint64_t *counts; /* strictly rising, if !rates */
    const double *rate;     /* strictly rising in 0..1, if rates */
} fl_axis;

/* Parses `a`, `a,b,c`, `first:last` or `first:last:step`; ends included when the step meets
 * them. The caller frees the array. */
fl_status fl_axis_parse_counts(uint64_t **out, uint32_t *fault_points, const char *text,
                               fl_error *error);
fl_status fl_axis_parse_rates(double **out, uint32_t *fault_points, const char *text,
                              fl_error *error);

/* ---- fault models ---------------------------------------------------------------- */

typedef struct fl_fault_model fl_fault_model;

/* A model bound to a network and an axis; immutable, shared by threads. `spec`:
 *   links            single links fail: exactly f of them, every set of f equally likely
 *   switches         switches fail, and with one all its links
 *   bundles:size=c   the links of a switch towards the top (and its node links) lie in bundles
 *                    of c neighbours; a bundle fails as one
 *   neighbours:size=c  a fault takes c links at neighbouring ports of one switch, at any place
 *                    of any switch; faults may overlap
 *   list:A-B;C-D...  these links, in this order (labels or link indices); `list:@FILE` reads
 *                    one a line
 * with `draw=independent` (every part fails with the probability on the axis) in place of
 * `draw=exact`, and `class=NAME[+NAME...]` to let only links of these classes fail
 * (`switch-links`: all but node links). */
fl_status fl_fault_model_create(fl_fault_model **out, const fl_network *network, const char *spec,
                                const fl_axis *axis, fl_error *error);
void fl_fault_model_destroy(fl_fault_model *model);

const char *fl_fault_model_spec(const fl_fault_model *model); /* canonical */

/* How many parts (links, switches, bundles, ...) can fail: the largest fault count. */
uint64_t fl_fault_model_components(const fl_fault_model *model);
bool fl_fault_model_is_independent(const fl_fault_model *model);

enum { FL_LINK_COMPONENTS_MAX = 256 };

/* The parts without any of which the link is down, by numbers that tell parts of this model
 * apart (not dense). Returns how many, 0 if the link never fails. */
unsigned fl_fault_model_components_of(const fl_fault_model *model, fl_link link,
                                      uint64_t *components);

/* Does the model treat all parts alike that the network's symmetries map on each other? (Bundles
 * and neighbourhoods follow the numbering of ports, lists name links.) */
bool fl_fault_model_is_symmetric(const fl_fault_model *model);
bool fl_fault_model_is_list(const fl_fault_model *model);

/* Fault count and rate of an axis level. For `draw=independent` the count is not fixed and
 * false is returned with *count untouched. */
bool fl_fault_model_count_at(const fl_fault_model *model, uint32_t fault_point, uint64_t *count);
double fl_fault_model_rate_at(const fl_fault_model *model, uint32_t fault_point);
uint32_t fl_fault_model_fault_points(const fl_fault_model *model);

/* One line a model, for help texts; ended by a NULL name. */
typedef struct fl_fault_model_help {
    const char *name, *summary;
} fl_fault_model_help;
extern const fl_fault_model_help fl_fault_models[];

/* ---- fault orders ------------------------------------------------------------------- */

#define FL_NEVER_FAILS UINT32_C(0xfffffffe)
#define FL_NOT_DRAWN   UINT32_C(0xffffffff)

/* Which links are down at which level, as far as anybody asked. The memory is a plain table
 * for networks with few link codes and a hash table above; both forget in time proportional
 * to what was asked. `draw` decides about a link that is asked for the first time: a fault
 * model's lazy draw, a fixed set, or whatever another asker puts there. */
typedef struct fl_order fl_order;
struct fl_order {
    uint32_t *direct;     /* [direct_size] first level at which the link is down, or FL_NOT_DRAWN */
    uint64_t direct_size; /* 0: hashed */
    fl_link *asked;       /* direct only: what was asked about since it last forgot */
    uint32_t asked_count;
    uint32_t (*draw)(fl_order *order, fl_link link);
    const fl_network *network;
    const fl_fault_model *model; /* NULL for custom orders */
    fl_rng rng;
    struct fl_order_memory *memory;   /* hashed links, and what the model's draw must remember */
    const struct fl_fault_set *fixed; /* the set of fl_order_create_fixed, or NULL */
    void *user;
};

/* An order of its own for one thread. */
fl_status fl_order_create(fl_order **out, const fl_fault_model *model, fl_error *error);

/* An order whose draws are the caller's. */
fl_status fl_order_create_custom(fl_order **out, const fl_network *network,
                                 uint32_t (*draw)(fl_order *, fl_link), void *user,
                                 fl_error *error);
void fl_order_destroy(fl_order *order);

/* Forgets everything and starts the given trial. */
void fl_order_begin(fl_order *order, uint64_t seed, uint64_t trial);

/* Forgets every answer. */
void fl_order_forget(fl_order *order);

/* False when memory ran out during the trial, whose outcome is then worthless. */
bool fl_order_is_sound(const fl_order *order);

uint32_t fl_order_first_ask(fl_order *order, fl_link link);
uint32_t fl_order_find_hashed(fl_order *order, fl_link link);

/* The first level at which the link is down; FL_NEVER_FAILS if it never is. */
FL_INLINE uint32_t fl_order_fails_at(fl_order *order, fl_link link)
{
    if (FL_UNLIKELY(order->direct_size == 0))
        return fl_order_find_hashed(order, link);
    uint32_t fault_point = order->direct[link];
    return FL_LIKELY(fault_point != FL_NOT_DRAWN) ? fault_point : fl_order_first_ask(order, link);
}

/* Answers about many links in one go: fails_at[i] is the first level at which links[i] is down,
 * what was asked before included. The links are all different. These must be the last questions
 * of a trial: the answers are not kept. Single links that fail in exact numbers (`links`,
 * draw=exact) get theirs by a shuffle of the places still free, at the same small cost for the last
 * link as for the first; links of all other models are drawn one by one. */
void fl_order_complete(fl_order *order, const fl_link *links, size_t count, uint32_t *fails_at);

/* ---- one set of faults ------------------------------------------------------------------ */

/* Which links are down, for askers that look at one set and not at a whole order. */
typedef struct fl_fault_set {
    fl_link *links; /* [count] rising */
    uint64_t count;
} fl_fault_set;

#define FL_FAULT_SET_LINKS_MAX (UINT64_C(1) << 24)

/* All links that are down at a level of the model's axis, in one trial. Every link is asked about,
 * by rising index, so that the set depends on model, axis, seed and trial only. (A sweep asks about
 * what its routers want to know, in their order: its trials have the same distribution, but a
 * trial of a number is not the same set.) FL_ERR_INVALID for networks of more links than
 * FL_FAULT_SET_LINKS_MAX. */
fl_status fl_fault_set_draw(fl_fault_set *out, const fl_network *network,
                            const fl_fault_model *model, uint32_t fault_point, uint64_t seed,
                            uint64_t trial, fl_error *error);

/* `LINK;LINK...` or `@FILE`, as in the fault model `list`. */
fl_status fl_fault_set_parse(fl_fault_set *out, const fl_network *network, const char *text,
                             fl_error *error);
void fl_fault_set_clear(fl_fault_set *set); /* frees */

bool fl_fault_set_holds(const fl_fault_set *set, fl_link link);

/* An order with one level, 0, at which the links of the set are down; borrows the set. */
fl_status fl_order_create_fixed(fl_order **out, const fl_network *network, const fl_fault_set *set,
                                fl_error *error);

/* ---- the link view ------------------------------------------------------------------- */

/* What a switch may know. */
typedef enum fl_scope {
    FL_SCOPE_DETOUR, /* its own links, and those of the detours that it weighs up */
    FL_SCOPE_LOCAL   /* its own links only */
} fl_scope;

extern const char *const fl_scope_names[]; /* by scope, ended by NULL */
fl_status fl_scope_parse(fl_scope *out, const char *name, fl_error *error);

/* A router's window on the faults. It answers at one level of a fault order, lets nothing
 * through that the scope forbids, and records what was asked: the answers stay the same, and
 * so does the router's decision, until the first link that was seen up goes down, which is at
 * level `holds_until`. Settings of the router (which detour rules are enabled) are asked
 * through the same window, for the same reason: routers whose settings differ only where
 * nobody looked decide alike, and need one walk instead of several. */
typedef struct fl_view {
    const fl_network *network;
    fl_order *order;
    fl_address here; /* the switch (or source node) that asks */
    uint32_t fault_point;
    uint32_t holds_until;   /* smallest fails_at among the links seen up */
    uint64_t enabled_rules; /* of the router, a bit each */
    uint64_t rules_asked;   /* bits somebody looked at */
    fl_scope scope;
    bool peeked; /* a question was refused, or the router broke the contract otherwise: */
    fl_port unplugged_port; /* of the offence FL_OFFENCE_UNPLUGGED: the port that it asked about,
                               and of which switch */
    fl_address unplugged_at;
    const char
        *offence; /* NULL: a question beyond the scope; or how, as what follows "the router ..." */
    void (*listener)(void *user, fl_address from, fl_port port, fl_link link,
                     bool up); /* or NULL */
    void *listener_user;
    struct fl_searcher
        *searcher; /* NULL, or an asker that answers whole searches itself (routing.h) */
} fl_view;

/* A place reached from `here` through links that were seen up. */
typedef struct fl_probe {
    fl_address at;
    unsigned depth; /* links between here and there */
} fl_probe;

FL_INLINE fl_probe fl_view_here(const fl_view *view)
{
    return (fl_probe){view->here, 0};
}

void fl_view_report(const fl_view *view, fl_address from, fl_port port, fl_link link, bool up);

/* A question about a port without a link: such a router would otherwise take its own mistake for a
 * fault. */
extern const char *const FL_OFFENCE_UNPLUGGED;
void fl_view_refuse_unplugged(fl_view *view, fl_address from, fl_port port);

/* Is anything plugged in at this port of the place reached so far? Some families leave ports empty,
 * such as those at the edge of a mesh. It is no question about faults: it is not recorded, and both
 * scopes allow it everywhere. Ports that the switch does not have are empty. */
FL_INLINE bool fl_view_has_link(const fl_view *view, const fl_probe *from, fl_port port)
{
    fl_hop hop;
    return fl_network_step(view->network, from->at, port, &hop);
}

/* Is the link at this port of the place reached so far up? If so, *beyond is where it leads.
 * (`from` and `beyond` may be the same.) To ask about a port where nothing is plugged in is against
 * the contract: whoever runs the router stops it. */
FL_INLINE bool fl_view_up(fl_view *view, const fl_probe *from, fl_port port, fl_probe *far_end)
{
    if (FL_UNLIKELY(from->depth > 0 && view->scope == FL_SCOPE_LOCAL)) {
        view->peeked = true;
        return false;
    }
    fl_hop hop;
    if (FL_UNLIKELY(!fl_network_step(view->network, from->at, port, &hop))) {
        fl_view_refuse_unplugged(view, from->at, port);
        return false;
    }
    uint32_t fails_at = fl_order_fails_at(view->order, hop.link);
    bool up = fails_at > view->fault_point;
    if (FL_UNLIKELY(view->listener != NULL))
        fl_view_report(view, from->at, port, hop.link, up);
    if (!up)
        return false;
    if (fails_at < view->holds_until)
        view->holds_until = fails_at;
    far_end->at = hop.to;
    far_end->depth = from->depth + 1;
    return true;
}

/* What a router did against the contract; NULL if nothing. */
FL_INLINE const char *fl_view_offence(const fl_view *view)
{
    return !view->peeked   ? NULL
           : view->offence ? view->offence
                           : "asked about a link beyond its scope";
}

/* One of the router's settings. */
FL_INLINE bool fl_view_rule_enabled(fl_view *view, uint64_t bit)
{
    view->rules_asked |= bit;
    return (view->enabled_rules & bit) != 0;
}

#ifdef __cplusplus
}
#endif
#endif
