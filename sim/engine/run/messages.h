/* Private to sim: the messages of a workload, which make sources reactive. */
#ifndef FL_SIM_ENGINE_RUN_MESSAGES_H
#define FL_SIM_ENGINE_RUN_MESSAGES_H

#include "sim/engine/run/sources.h"

/* A message counts the messages that it comes after and that its source does not have yet. At 0,
 * and after its delay, it is put into its source's queue. Packets know their message by a list
 * beside that of packets, so that open traffic does not pay for it. */
typedef struct messages messages;

/* The messages of the plan's workload; those that come after no other begin. All but the plan and
 * the status change with the run, and are borrowed. NULL when memory ran out. */
messages *fl_sim_messages_create(const fl_sim_plan *plan, sources *ss, const calendar *c,
                                 fl_sim_completion *out, run_status *status);
void fl_sim_messages_destroy(messages *ms);

/* Puts messages whose delay is over into their queues. */
void fl_sim_end_delays(messages *ms);

/* The message of which packets leave node n. */
uint32_t fl_sim_leaving_message(const messages *ms, uint32_t n);

/* A packet of the message that leaves node n was taken: fixes the node's next packet. */
void fl_sim_next_of_message(messages *ms, uint32_t n);

/* Notes, and returns, the message of packet p, which is one of `room` places. */
void fl_sim_note_message(messages *ms, uint32_t p, uint32_t message, uint32_t room);
uint32_t fl_sim_message_of(const messages *ms, uint32_t p);

/* Packet p has arrived, or was lost, and why (fl_sim_loss_name). */
void fl_sim_message_arrived(messages *ms, uint32_t p);
void fl_sim_message_lost(messages *ms, uint32_t p, unsigned why);

/* With `in_flight` packets in the network: can nothing more arrive? */
bool fl_sim_messages_are_over(const messages *ms, uint32_t in_flight);

/* Fills in what became of the workload, and checks it. */
void fl_sim_conclude_messages(messages *ms, uint32_t in_flight);

#endif
