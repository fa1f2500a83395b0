/* Running the router: what it does in each situation, found out once. */
#include "analysis/exact/exploration.h"

#include <string.h>

#define NO_PARENT UINT32_MAX

void fl_explorer_fail(fl_explorer *x, fl_status status, const char *text)
{
    if (!x->status)
        x->status = fl_fail(&x->error, status, "%s", text);
}

/* The router has violated the contract at `here`. */
void fl_explorer_violated(fl_explorer *x, fl_address here, fl_violation violation)
{
    if (!x->status)
        x->status = fl_step_fail(x->router, here, violation, &x->error);
}

void fl_explorer_out_of_memory(fl_explorer *x)
{
    fl_explorer_fail(x, FL_ERR_MEMORY, "out of memory while exploring");
}

/* ---- situations ---- */

static bool is_same_situation(const void *situations, uint32_t entry, const void *wanted)
{
    const explorer_situation *a = (const explorer_situation *)situations + entry, *b = wanted;
    if (a->parent != b->parent)
        return false;
    return a->parent != NO_PARENT ? a->answer == b->answer
                                  : a->here == b->here && a->header_state == b->header_state &&
                                        a->channel == b->channel;
}

/* The number of the situation; a new one gets one. */
static uint32_t intern(fl_explorer *x, uint64_t hash, const explorer_situation *wanted)
{
    uint32_t index =
        fl_hash_index_find(&x->situation_of, hash, is_same_situation, x->situations.data, wanted);
    if (index != FL_HASH_INDEX_NONE)
        return index;
    index = (uint32_t)x->situations.count;
    if (FL_ARRAY_PUSH(&x->situations, *wanted) && fl_hash_index_add(&x->situation_of, hash, index))
        return index;
    fl_explorer_out_of_memory(x);
    return 0;
}

uint32_t fl_explorer_situation_at(fl_explorer *x, fl_address here, uint64_t header_state,
                                  uint8_t channel)
{
    explorer_situation fresh = {
        .here = here, .header_state = header_state, .channel = channel, .parent = NO_PARENT};
    return intern(x, fl_mix64(here ^ fl_mix64(header_state + 1) ^ (uint64_t)channel << 56), &fresh);
}

uint32_t fl_explorer_situation_after(fl_explorer *x, uint32_t index, uint8_t answer)
{
    explorer_situation fresh = x->situations.data[index];
    if (fresh.questions == FL_QUESTIONS_MAX) {
        fl_explorer_violated(x, fresh.here, FL_ASKS_TOO_MUCH);
        return 0;
    }
    fresh.parent = index;
    fresh.answer = answer;
    fresh.questions++;
    fresh.action = ACTION_NEW;
    return intern(x, fl_mix64((uint64_t)index << 2 | answer), &fresh);
}

/* ---- running the router ---- */

/* The i-th question of the decision under way: answered from the script; the first question
 * after those is the situation's own, and what follows it gets any answer. */
static bool scripted(fl_explorer *x, bool *answer)
{
    if (x->pending)
        return false;
    if (x->asked == x->script_length)
        return false;
    *answer = x->script[x->asked++] == UP;
    return true;
}

uint32_t fl_explorer_answer_link(fl_order *order, fl_link link)
{
    fl_explorer *x = order->user;
    bool up;
    if (scripted(x, &up))
        return up ? FL_NEVER_FAILS : 0;
    if (!x->pending) {
        x->pending = true;
        x->running->action = ACTION_ASK;
        x->running->link = link;
    }
    return 0;
}

bool fl_explorer_answer_search(fl_searcher *searcher, const fl_port_range *port_ranges,
                               unsigned count, fl_port *ports, fl_address *end)
{
    fl_explorer *x = (fl_explorer *)((char *)searcher - offsetof(fl_explorer, searcher));
    bool ignored;
    if (scripted(x, &ignored) || x->pending)
        return false; /* a search in the script found nothing: one that finds something ends the
                         decision */
    if (x->found) {
        memcpy(ports, x->found_ports, count * sizeof *ports);
        *end = x->found_end;
        x->found = false;
        return true;
    }
    x->pending = true;
    x->running->action = ACTION_SEARCH;
    x->running->port_ranges = (uint32_t)x->port_ranges.count;
    x->running->port_range_count = (uint8_t)count;
    if (!FL_ARRAY_EXTEND(&x->port_ranges, count))
        fl_explorer_out_of_memory(x);
    else
        memcpy(x->port_ranges.data + x->running->port_ranges, port_ranges,
               count * sizeof *port_ranges);
    return false;
}

static void load_script(fl_explorer *x, uint32_t index)
{
    x->script_length = x->situations.data[index].questions;
    for (uint32_t i = x->script_length; i-- > 0; index = x->situations.data[index].parent)
        x->script[i] = x->situations.data[index].answer;
    x->asked = 0;
    x->pending = false;
}

/* Where a packet is after a decision of the router. */
typedef struct move {
    fl_packet packet;
    fl_address here;
    uint32_t length; /* links travelled */
} move;

/* Runs the router at a situation; false if it offers nothing. */
static bool run_router(fl_explorer *x, explorer_situation *at, move *out)
{
    fl_candidate candidate;
    fl_decision decision = {.wanted = 1, .candidates = &candidate};
    fl_view view = {
        .network = x->router->network,
        .order = x->order,
        .here = at->here,
        .holds_until = FL_NEVER_FAILS,
        .enabled_rules = x->router->enabled_rules,
        .scope = x->router->scope,
        .searcher = x->limits.unmerged ? NULL : &x->searcher,
    };
    out->packet = (fl_packet){.source = x->source,
                              .destination = x->destination,
                              .header_state = at->header_state,
                              .channel = at->channel};
    fl_order_forget(x->order);
    x->running = at;
    if (!fl_step_ask_whole(x->router, &out->packet, &view, &decision)) {
        if (view.violation && !x->status)
            x->status = fl_step_fail_view(x->router, &view, &x->error);
        return false;
    }
    fl_violation violation = fl_step_take_whole(&out->packet, &view.here, &candidate);
    if (violation && !x->pending)
        fl_explorer_violated(x, at->here, violation);
    out->here = view.here;
    out->length = candidate.length;
    return true;
}

/* The situation of a packet after a decision, DELIVERED at its destination. */
static uint32_t situation_of(fl_explorer *x, const move *after)
{
    return after->here == x->destination
               ? DELIVERED
               : fl_explorer_situation_at(x, after->here, after->packet.header_state,
                                          after->packet.channel);
}

/* Finds out what the router does at a situation, unless that is known. */
void fl_explorer_learn(fl_explorer *x, uint32_t index)
{
    if (x->situations.data[index].action != ACTION_NEW)
        return;
    move after;
    load_script(x, index);
    x->found = false;
    explorer_situation copy = x->situations.data[index];
    bool offers = run_router(x, &copy, &after);
    if (!x->pending && !x->status) {
        copy.action = offers ? ACTION_GO : ACTION_BLOCKED;
        copy.next = offers ? situation_of(x, &after) : 0;
        copy.candidate_length = offers ? after.length : 0;
    }
    x->situations.data[index] = copy;
}

/* The situation after a search has found a detour, and the links travelled. */
uint32_t fl_explorer_after_found(fl_explorer *x, const explorer_place *at, uint32_t *travelled)
{
    explorer_situation copy = x->situations.data[at->situation];
    move after;
    load_script(x, at->situation);
    x->found = true;
    x->found_end = at->probe[copy.port_range_count];
    for (unsigned turn = 0; turn < copy.port_range_count; turn++)
        x->found_ports[turn] =
            fl_port_range_at(&x->port_ranges.data[copy.port_ranges + turn], at->at[turn]);
    if (!run_router(x, &copy, &after))
        fl_explorer_violated(x, copy.here, FL_OFFERS_OTHER_DETOUR);
    if (x->status)
        return 0;
    *travelled = after.length;
    return situation_of(x, &after);
}
