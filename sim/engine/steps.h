/* Private to sim: the steps of a cycle. Files further down in this list use those further up. */
#ifndef FL_SIM_ENGINE_STEPS_H
#define FL_SIM_ENGINE_STEPS_H

#include "sim/engine/engine.h"

/* ---- sending.c: packets and flits go on links ---- */

/* A complete packet: its head arrives after the latency, its tail length - 1 cycles later. */
void fl_sim_send_packet(engine *e, uint32_t output, uint32_t p);
/* One flit of a worm; packet p goes with the first and, to a node, with the last. */
void fl_sim_send_flit(engine *e, uint32_t output, uint32_t p, bool first, bool last);

/* ---- blocked_list.c: what can do nothing is not looked at before something has changed ---- */

/* None of the candidates of a head has space. */
void fl_sim_block(engine *e, uint32_t h);
/* Another virtual channel of a head's port has the crossbar. */
void fl_sim_block_at_port(engine *e, uint32_t h);
/* There may be space at an output VC. */
void fl_sim_wake_at_output(engine *e, uint32_t output);
/* A packet has gone through the crossbar from an input to an output VC. */
void fl_sim_wake_after(engine *e, uint32_t input, uint32_t output);
/* An output VC that had no credit has one. */
void fl_sim_first_credit(engine *e, uint32_t output);
/* Empties the lists of heads, which are all made anew. */
void fl_sim_forget_blocked(engine *e);

/* ---- ends.c: what becomes of packets ---- */

/* The tail has arrived at its node. */
void fl_sim_deliver(engine *e, uint32_t p);
/* The packet, which the caller frees, is lost: `why` is an fl_reason or FL_SIM_LOST_ON_LINK. */
void fl_sim_lose(engine *e, uint32_t p, unsigned why);
/* A link failed under the packet, which stays as something dead that goes on to its end: it is
 * lost, or a copy goes back to its source. */
void fl_sim_cut(engine *e, uint32_t p);

/* ---- answers.c: what routers answer ---- */

/* Keeps the last answer, for a head at switch s. */
void fl_sim_keep_candidates(engine *e, uint32_t h, uint32_t s);
/* The output VC of a candidate, on the fast path too. */
uint32_t fl_sim_output_of_candidate(const engine *e, const head *hd, unsigned candidate);
/* The candidate that was chosen, as the router offered it (but for its end, which is not read any
 * more); not for sets of ports of the fast path. */
fl_candidate fl_sim_chosen_candidate(const engine *e, const head *hd);
/* The router blocks the packet in front of an input, whose head is h, for the last answer's reason.
 */
void fl_sim_give_up(engine *e, uint32_t input, uint32_t h);

/* ---- events.c: what is due in a cycle ---- */

/* Asks the router for the packet in front of an input. */
void fl_sim_route(engine *e, uint32_t input);
/* The events of a cycle, but for those of sources. */
void fl_sim_happen_all(engine *e, const event_list *list);
/* Sources whose time it is look whether they have a packet. */
void fl_sim_look_all(engine *e);

/* ---- injection.c: what leaves the nodes ---- */

/* Sources that wait send a packet, or the next flit of a worm, if they can. */
void fl_sim_send_from_sources(engine *e);
/* Packets born in measured cycles that have not left. With `end` they count as generated, and
 * the sources are at their end. */
uint64_t fl_sim_backlog(engine *e, bool end);

/* ---- requests.c: heads request output VCs ---- */

/* What becomes of a head in a cycle: it requests an output VC, or looks again in the next cycle, or
 * can have none before something changes. */
typedef enum fl_sim_wish { FL_SIM_REQUESTS, FL_SIM_LOOKS_AGAIN, FL_SIM_BLOCKED } fl_sim_wish;

/* Chooses among the candidates in the head's lists. */
fl_sim_wish fl_sim_choose(engine *e, uint32_t h);
/* Not by lot: is h to be preferred to the winner so far of a channel? */
bool fl_sim_wins(engine *e, uint32_t h, uint32_t channel);
/* Every head that can have an output VC requests its channel. */
void fl_sim_request_all(engine *e);

/* ---- grants.c: one request a channel is granted ---- */

/* The winners of the requests of a cycle go on. */
void fl_sim_grant_all(engine *e);
/* Drops a flit of every worm that was given up. */
void fl_sim_drop_vanishing(engine *e);
/* Links that are free send from their output FIFOs. */
void fl_sim_send_from_fifos(engine *e);

/* ---- fast_path.c: the same for runs on the fast path ---- */

void fl_sim_fast_route(engine *e, uint32_t input);          /* fl_sim_route */
void fl_sim_fast_events(engine *e, const event_list *list); /* fl_sim_happen_all */
void fl_sim_fast_requests(engine *e);                       /* fl_sim_request_all */
void fl_sim_fast_grants(engine *e);                         /* fl_sim_grant_all */

/* ---- worms.c, failures.c: links fail ---- */

/* A channel fails: worms on it are cut. */
void fl_sim_cut_worms(engine *e, uint32_t channel);
/* The links whose failure is due fail, and routers are asked again. */
void fl_sim_fail_links(engine *e);

/* ---- deadlock.c, conservation.c: checks ---- */

/* Looks for packets that can never move again, if one has not moved for time_limit cycles. True:
 * there are some, which are described in the result. */
bool fl_sim_find_deadlock(engine *e, uint32_t time_limit);
/* Every packet is in one place, and no wake-up was missed, or status says that it is not so. Counts
 * the packets in the network. */
void fl_sim_check_conservation(engine *e);

#endif
