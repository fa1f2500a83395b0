#include "sim/engine/engine.h"

/* Worms that a failing link cuts in two. The part that has passed goes on, and ends with its last
 * flit; of the part behind every flit comes as far as the switch before the link, and is dropped
 * there. */

/* Where a worm is cut, what is missing of it is taken off from its end, at every place further on
 * where it lies. */
typedef struct cut_off {
    uint32_t input;   /* that the worm goes through */
    uint32_t missing; /* flits that will not come any more */
} cut_off;

static uint32_t worm_at(const engine *e, uint32_t input)
{
    for (uint32_t i = 0; i < e->active_count; i++) {
        uint32_t h = e->active[i].head;
        if (e->heads[h].worm && e->heads[h].input == input)
            return h;
    }
    return NONE;
}

/* A worm whose flits have all gone on lets the next packet come. */
static void end_worm(engine *e, uint32_t h)
{
    uint32_t input = e->heads[h].input;
    if (e->heads[h].output != NONE)
        e->owner[e->heads[h].output] = NONE;
    fl_sim_drop_head(e, h);
    fl_sim_schedule(e, 0, RELEASE, input,
                    NONE); /* what is due in this cycle comes after the failures */
}

/* What is left of a worm, and still comes, is dropped. */
static void drop_rest(engine *e, uint32_t h)
{
    head *hd = &e->heads[h];
    e->owner[hd->output] = NONE;
    hd->output = NONE;
    hd->packet = NONE;
    hd->vanishing = true;
}

static void shorten_packet(engine *e, uint32_t p, uint32_t missing)
{
    e->packets[p].missing = (uint16_t)(e->packets[p].missing + missing);
    fl_sim_cut(e, p);
}

/* The last header on its way to an input. */
static uint32_t header_before(const engine *e, uint32_t input)
{
    uint32_t p = NONE;
    for (uint32_t delay = 0; delay <= e->wheel_mask; delay++) {
        const event_list *list = &e->wheel[(e->now + delay) & e->wheel_mask];
        for (uint32_t i = 0; i < list->count; i++)
            if (list->events[i].kind == ARRIVE && list->events[i].at == input)
                p = list->events[i].packet;
    }
    return p;
}

/* The worm that lies in one input is shorter now. The next input that it lies in; NONE where its
 * header was found, or where it ends. */
static uint32_t shorten_at(engine *e, cut_off c)
{
    if (e->inputs[c.input].first != NONE) { /* its header waits there: nothing has come behind it */
        shorten_packet(e, e->inputs[c.input].last, c.missing);
        return NONE;
    }
    uint32_t h = worm_at(e, c.input);
    if (h == NONE) {
        e->status =
            fl_fail(e->error, FL_ERR_ROUTER,
                    "a worm that was cut is not where it came (a mistake of the simulator)");
        return NONE;
    }
    head *hd = &e->heads[h];
    uint32_t output = hd->output, next = output == NONE ? NONE : input_behind(e, output),
             p = hd->packet;
    hd->missing = (uint16_t)(hd->missing + c.missing);
    bool ended = hd->sent == fl_sim_flits_of(e, hd), to_node = output != NONE && next == NONE;
    if (to_node)
        shorten_packet(e, p, c.missing);
    if (to_node && ended) /* all that the node will get, it has */
        fl_sim_free_packet(e, p);
    if (ended)
        end_worm(e, h);
    uint32_t header = next == NONE ? NONE : header_before(e, next);
    if (header == NONE)
        return next;
    shorten_packet(e, header, c.missing);
    return NONE;
}

/* Takes what is on its way to an input off the wheel. Worms whose headers are among it are gone; of
 * the one before them so many flits are. *any: there were headers. */
static uint32_t clear_wire(engine *e, uint32_t input, bool *any)
{
    uint32_t flits = 0;
    for (uint32_t delay = 0; delay <= e->wheel_mask; delay++) {
        event_list *list = &e->wheel[(e->now + delay) & e->wheel_mask];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < list->count; i++) {
            const event ev = list->events[i];
            if ((ev.kind != ARRIVE && ev.kind != FLIT) || ev.at != input) {
                list->events[kept++] = ev;
                continue;
            }
            if (ev.kind == ARRIVE) {
                *any = true;
                fl_sim_cut(e, ev.packet);
                fl_sim_free_packet(e, ev.packet);
            }
            flits += !*any;
            fl_sim_gain_credit(e, output_before(e, input));
        }
        list->count = kept;
    }
    return flits;
}

/* The worm that is on its way out has so many flits left; they go nowhere now. */
static uint32_t stop_sending(engine *e, uint32_t channel, uint32_t output)
{
    if (channel >= e->plan->ports) {
        source *s = &e->sources[channel - e->plan->ports];
        uint32_t left = output == channel * e->channels_per_link && s->worm != NONE
                            ? e->length - s->worm_sent
                            : 0;
        s->worm = left ? NONE : s->worm;
        return left;
    }
    if (e->owner[output] == NONE)
        return 0;
    uint32_t h = worm_at(e, e->owner[output]),
             left = fl_sim_flits_of(e, &e->heads[h]) - e->heads[h].sent;
    drop_rest(e, h);
    return left;
}

/* Worms on their way into a node: what it has got of them is worth nothing. */
static void clear_node_wire(engine *e, uint32_t channel)
{
    for (uint32_t slot = 0; slot <= e->wheel_mask; slot++) {
        event_list *list = &e->wheel[slot];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < list->count; i++) {
            const event ev = list->events[i];
            if (ev.kind != DELIVER || ev.at != channel) {
                list->events[kept++] = ev;
                continue;
            }
            fl_sim_cut(e, ev.packet);
            fl_sim_free_packet(e, ev.packet);
        }
        list->count = kept;
    }
    for (unsigned lane = 0; lane < e->channels_per_link; lane++) {
        uint32_t output = channel * e->channels_per_link + lane;
        if (e->owner[output] == NONE)
            continue;
        uint32_t p = e->heads[worm_at(e, e->owner[output])].packet;
        stop_sending(e, channel, output);
        fl_sim_cut(e, p);
        fl_sim_free_packet(e, p);
    }
}

void fl_sim_cut_worms(engine *e, uint32_t channel)
{
    if (e->plan->to[channel] & FL_SIM_NODE) {
        clear_node_wire(e, channel);
        return;
    }
    for (unsigned lane = 0; lane < e->channels_per_link; lane++) {
        uint32_t output = channel * e->channels_per_link + lane, input = input_behind(e, output);
        bool any = false;
        uint32_t on_wire = clear_wire(e, input, &any), behind = stop_sending(e, channel, output);
        cut_off c = {
            input,
            on_wire +
                (any ? 0
                     : behind)}; /* the rest is of the last header on the wire, if there is one */
        while (c.missing > 0 && c.input != NONE)
            c.input = shorten_at(e, c);
    }
}
