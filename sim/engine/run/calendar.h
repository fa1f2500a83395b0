/* Private to sim: the event calendar, and the cycle. */
#ifndef FL_SIM_ENGINE_RUN_CALENDAR_H
#define FL_SIM_ENGINE_RUN_CALENDAR_H

#include "core/array.h"
#include "sim/engine/run/run_status.h"

/* `at` and `packet` of an event. An input is an input VC, an output an output VC (queues.h,
 * links.h). */
enum event_kind {
    ARRIVE,        /* the head of a packet comes to an input */
    FLIT,          /* another flit of a worm comes to an input */
    DELIVER,       /* the tail of a packet comes to a node by channel `at` */
    RELEASE,       /* the tail of a packet leaves an input; `packet`: to that output, or NONE */
    CREDIT,        /* an output gains a credit */
    ROUTE,         /* the packet in front of an input is routed */
    SOURCE,        /* node `at` looks whether it has a packet to send */
    QUEUE_RELEASE, /* the tail of a packet leaves the output FIFO of an output */
    LOST,          /* a packet did not come to an input: the space kept for it is free again */
    CREDIT_BEGINS  /* word comes to an output that a packet is leaving the queue behind it */
};

typedef struct event {
    uint32_t kind, at, packet;
    uint32_t leaves; /* ARRIVE, DELIVER: the input that the tail leaves in this cycle, or NONE */
} event;

typedef FL_ARRAY(event) event_list;

/* Slots of the calendar of sources: a source that waits longer looks again in between. */
enum { BIRTH_SLOTS = 1024 };

typedef struct calendar {
    uint32_t now;      /* cycle */
    uint32_t mask;     /* slots of the wheel - 1 */
    event_list *wheel; /* [mask + 1] by cycle, as far ahead as packets and credits go */
    run_status *status;
    event_list births[BIRTH_SLOTS]; /* SOURCE events, apart: the lists of the wheel are many times
                                       longer, and sources may wait many times longer */
} calendar;

/* Events at most `longest` cycles ahead. False when memory ran out; destroy it all the same. */
bool fl_sim_calendar_create(calendar *c, uint32_t longest, run_status *status);
void fl_sim_calendar_destroy(calendar *c);

/* Space for one more event, or false and status. */
bool fl_sim_calendar_grow(calendar *c, event_list *list);

/* The events of the cycle `delay` cycles from now; 0: of this one. */
FL_INLINE event_list *fl_sim_events_in(calendar *c, uint32_t delay)
{
    return &c->wheel[(c->now + delay) & c->mask];
}

FL_INLINE void fl_sim_note(calendar *c, event_list *list, event ev)
{
    if (FL_UNLIKELY(list->count == list->capacity) && !fl_sim_calendar_grow(c, list))
        return;
    list->data[list->count++] = ev;
}

FL_INLINE void fl_sim_schedule(calendar *c, uint32_t delay, enum event_kind kind, uint32_t at,
                               uint32_t p)
{
    fl_sim_note(c, fl_sim_events_in(c, delay), (event){kind, at, p, NONE});
}

/* Source n looks again `delay` cycles from now, less than BIRTH_SLOTS. */
FL_INLINE void fl_sim_schedule_source(calendar *c, uint32_t delay, uint32_t n)
{
    fl_sim_note(c, &c->births[(c->now + delay) % BIRTH_SLOTS], (event){SOURCE, n, NONE, NONE});
}

#endif
