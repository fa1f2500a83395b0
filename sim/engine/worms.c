/* Worms that a failing link cuts in two. The part that has passed goes on, and ends with its last
 * flit; of the part behind every flit comes as far as the switch before the link, and is dropped
 * there. */
#include "sim/engine/arrival.h"

/* Where a worm is cut, what is missing is taken off its end, at every place further on
 * where it lies. */
typedef struct cut_off {
    uint32_t input;   /* that the worm goes through */
    uint32_t missing; /* flits that will not come any more */
} cut_off;

static uint32_t worm_at(const engine *e, uint32_t input)
{
    for (uint32_t i = 0; i < e->heads.active_count; i++) {
        uint32_t h = e->heads.active[i].head;
        if (e->heads.list[h].worm && e->heads.list[h].input == input)
            return h;
    }
    return NONE;
}

/* A worm whose flits have all gone on lets the next packet come. */
static void end_worm(engine *e, uint32_t h)
{
    uint32_t input = e->heads.list[h].input;
    if (e->heads.list[h].output != NONE)
        e->links.owner[e->heads.list[h].output] = NONE;
    fl_sim_drop_head(&e->heads, &e->candidates, h);
    fl_sim_schedule(&e->calendar, 0, RELEASE, input,
                    NONE); /* events of this cycle come after the failures */
}

/* What is left of a worm, and still comes, is dropped. */
static void drop_rest(engine *e, uint32_t h)
{
    head *hd = &e->heads.list[h];
    e->links.owner[hd->output] = NONE;
    hd->output = NONE;
    hd->packet = NONE;
    hd->vanishing = true;
}

static void shorten_packet(engine *e, uint32_t p, uint32_t missing)
{
    e->packets.list[p].missing = (uint16_t)(e->packets.list[p].missing + missing);
    fl_sim_cut(e, p);
}

/* The last header on its way to an input. */
static uint32_t header_before(const engine *e, uint32_t input)
{
    uint32_t p = NONE;
    for (uint32_t delay = 0; delay <= e->calendar.mask; delay++) {
        const event_list *list = &e->calendar.wheel[(e->calendar.now + delay) & e->calendar.mask];
        for (size_t i = 0; i < list->count; i++)
            if (list->data[i].kind == ARRIVE && list->data[i].at == input)
                p = list->data[i].packet;
    }
    return p;
}

/* The input at the other end; NONE where a node is. */
static uint32_t next_input(const engine *e, uint32_t output)
{
    bool to_node = e->plan->to[fl_sim_channel_of(e->plan, output)] & FL_SIM_NODE;
    return to_node ? NONE : fl_sim_input_after(e->plan, output);
}

/* The worm that lies in one input is shorter now. The next input that it lies in; NONE where its
 * header was found, or where it ends. */
static uint32_t shorten_at(engine *e, cut_off c)
{
    if (e->queues.inputs[c.input].first !=
        NONE) { /* its header waits there: nothing has come behind it */
        shorten_packet(e, e->queues.inputs[c.input].last, c.missing);
        return NONE;
    }
    uint32_t h = worm_at(e, c.input);
    if (h == NONE) {
        fl_sim_mistake(&e->status, "a worm that was cut is not where it came");
        return NONE;
    }
    head *hd = &e->heads.list[h];
    uint32_t output = hd->output, next = output == NONE ? NONE : next_input(e, output),
             p = hd->packet;
    hd->missing = (uint16_t)(hd->missing + c.missing);
    bool ended = hd->sent == fl_sim_flits_of(hd, &e->mode),
         to_node = output != NONE && next == NONE;
    if (to_node)
        shorten_packet(e, p, c.missing);
    if (to_node && ended) /* all that the node will get, it has */
        fl_sim_free_packet(&e->packets, p);
    if (ended)
        end_worm(e, h);
    uint32_t header = next == NONE ? NONE : header_before(e, next);
    if (header == NONE)
        return next;
    shorten_packet(e, header, c.missing);
    return NONE;
}

/* Takes what is on its way to an input off the calendar. Worms whose headers are among it are gone;
 * returns how many flits of the one before them are. *any: there were headers. */
static uint32_t clear_link(engine *e, uint32_t input, bool *any)
{
    uint32_t flits = 0;
    for (uint32_t delay = 0; delay <= e->calendar.mask; delay++) {
        event_list *list = fl_sim_events_in(&e->calendar, delay);
        size_t kept = 0;
        for (size_t i = 0; i < list->count; i++) {
            const event ev = list->data[i];
            if ((ev.kind != ARRIVE && ev.kind != FLIT) || ev.at != input) {
                list->data[kept++] = ev;
                continue;
            }
            if (ev.kind == ARRIVE) {
                *any = true;
                fl_sim_cut(e, ev.packet);
                fl_sim_free_packet(&e->packets, ev.packet);
            }
            flits += !*any;
            fl_sim_gain_credit(e, fl_sim_output_before(e->plan, input), false);
        }
        list->count = kept;
    }
    return flits;
}

/* Returns how many flits are left of the worm that is on its way out; they go nowhere now. */
static uint32_t stop_sending(engine *e, uint32_t channel, uint32_t output)
{
    if (channel >= e->plan->ports) {
        source *s = &e->sources.list[channel - e->plan->ports];
        uint32_t left = output == channel * e->plan->virtual_channels && s->worm != NONE
                            ? e->mode.length - s->worm_sent
                            : 0;
        s->worm = left ? NONE : s->worm;
        return left;
    }
    if (e->links.owner[output] == NONE)
        return 0;
    uint32_t h = worm_at(e, e->links.owner[output]),
             left = fl_sim_flits_of(&e->heads.list[h], &e->mode) - e->heads.list[h].sent;
    drop_rest(e, h);
    return left;
}

/* Worms on their way into a node: what it has got of them counts nowhere. */
static void clear_node_link(engine *e, uint32_t channel)
{
    for (uint32_t slot = 0; slot <= e->calendar.mask; slot++) {
        event_list *list = &e->calendar.wheel[slot];
        size_t kept = 0;
        for (size_t i = 0; i < list->count; i++) {
            const event ev = list->data[i];
            if (ev.kind != DELIVER || ev.at != channel) {
                list->data[kept++] = ev;
                continue;
            }
            fl_sim_cut(e, ev.packet);
            fl_sim_free_packet(&e->packets, ev.packet);
        }
        list->count = kept;
    }
    for (unsigned vc = 0; vc < e->plan->virtual_channels; vc++) {
        uint32_t output = channel * e->plan->virtual_channels + vc;
        if (e->links.owner[output] == NONE)
            continue;
        uint32_t p = e->heads.list[worm_at(e, e->links.owner[output])].packet;
        stop_sending(e, channel, output);
        fl_sim_cut(e, p);
        fl_sim_free_packet(&e->packets, p);
    }
}

void fl_sim_cut_worms(engine *e, uint32_t channel)
{
    if (e->plan->to[channel] & FL_SIM_NODE) {
        clear_node_link(e, channel);
        return;
    }
    for (unsigned vc = 0; vc < e->plan->virtual_channels; vc++) {
        uint32_t output = channel * e->plan->virtual_channels + vc,
                 input = fl_sim_input_after(e->plan, output);
        bool any = false;
        uint32_t on_link = clear_link(e, input, &any), behind = stop_sending(e, channel, output);
        cut_off c = {
            input,
            on_link +
                (any ? 0
                     : behind)}; /* the rest is of the last header on the link, if there is one */
        while (c.missing > 0 && c.input != NONE)
            c.input = shorten_at(e, c);
    }
}
