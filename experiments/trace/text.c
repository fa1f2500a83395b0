/* A trace as text, and as JSON. */
#include "experiments/experiments.h"

#include <string.h>

typedef struct label {
    char text[FL_LABEL_MAX];
} label;

static label name_of(const fl_trace *trace, fl_address at)
{
    const fl_network *network = trace->router->network;
    label name;
    network->type->label(network, at, name.text, sizeof name.text);
    return name;
}

static unsigned long long number_of(const fl_trace *trace, fl_link link)
{
    const fl_network *network = trace->router->network;
    return (unsigned long long)network->type->link_index(network, link);
}

static fl_address behind(const fl_trace *trace, fl_address from, fl_port port)
{
    fl_hop hop = {.to = from};
    fl_network_step(trace->router->network, from, port, &hop);
    return hop.to;
}

/* The other end of a link of `at`. */
static fl_address across(const fl_trace *trace, fl_address at, fl_link link)
{
    const fl_network *network = trace->router->network;
    fl_link_ends ends;
    network->type->link_ends(network, link, &ends);
    return ends.a == at ? ends.b : ends.a;
}

/* Is the link one of several of a candidate? (A candidate of adaptive-ecube can be a single link.)
 */
static bool detours(const fl_traced_hop *hop)
{
    bool single = hop->turn == 0 && hop->candidate.length == 1 && hop->candidate.header_state == 0;
    return hop->rule != FL_NO_RULE && fl_rule_extra_links(hop->rule) > 0 && !single;
}

static const char *const reason_words[FL_REASONS] = {
    [FL_BLOCKED_SOURCE] = "the link of the source node is down",
    [FL_BLOCKED_DESTINATION] = "the link of the destination node is down",
    [FL_BLOCKED_UP] = "it needs a link towards the top that is down, and no rule has a detour",
    [FL_BLOCKED_CROSS] = "it needs a link across that is down, and no rule has a detour",
    [FL_BLOCKED_DOWN] = "it needs a link towards the nodes that is down, and no rule has a detour",
};

/* Where nodes have several ports. */
static const char *words_of(const fl_trace *trace)
{
    bool several = trace->router->network->node_ports > 1;
    if (several && trace->result.reason == FL_BLOCKED_SOURCE)
        return "the links of the source node that lead there are down";
    if (several && trace->result.reason == FL_BLOCKED_DESTINATION)
        return "what links the destination node to this switch is down";
    return reason_words[trace->result.reason];
}

/* ---- words ---- */

/* Widths of the columns. */
typedef struct columns {
    int label, port, link;
} columns;

static int digits_of(unsigned long long number)
{
    int digits = 1;
    while (number >= 10) {
        number /= 10;
        digits++;
    }
    return digits;
}

static void widen(int *width, int needed)
{
    *width = needed > *width ? needed : *width;
}

static columns measure(const fl_trace *trace)
{
    columns wide = {4, 1, 1};
    for (uint32_t i = 0; i < trace->question_count; i++) {
        const fl_question *asked = &trace->questions[i];
        widen(&wide.label, (int)strlen(name_of(trace, asked->from).text));
        widen(&wide.label,
              (int)strlen(name_of(trace, behind(trace, asked->from, asked->port)).text));
        widen(&wide.port, digits_of(asked->port));
        widen(&wide.link, digits_of(number_of(trace, asked->link)));
    }
    return wide;
}

enum { HOP_WIDTH = 3, INDENT = HOP_WIDTH + 2 };

static void add_questions(const fl_trace *trace, const columns *wide, uint32_t first,
                          uint32_t count, fl_table *table)
{
    for (uint32_t i = first; i < first + count; i++) {
        const fl_question *asked = &trace->questions[i];
        fl_table_line(table, "%*s%s  %-*s  port %*u  to  %-*s  link %*llu  %s", INDENT, "",
                      i == first ? "asks" : "    ", wide->label, name_of(trace, asked->from).text,
                      wide->port, (unsigned)asked->port, wide->label,
                      name_of(trace, behind(trace, asked->from, asked->port)).text, wide->link,
                      number_of(trace, asked->link), asked->up ? "up" : "down");
    }
}

/* `gns 1/3`: the first of the three links of a detour. */
static void add_rule(const fl_trace *trace, const fl_traced_hop *hop, fl_table *table)
{
    if (hop->rule == FL_NO_RULE)
        fl_table_cell(table, "%s", fl_address_is_node(hop->from) ? "-" : trace->router->type->name);
    else if (!detours(hop))
        fl_table_cell(table, "%s", fl_rule_name(hop->rule));
    else
        fl_table_cell(table, "%s %u/%u", fl_rule_name(hop->rule), hop->turn + 1,
                      fl_rule_extra_links(hop->rule) + 1);
}

/* Why a rule applied, and its detour. */
static void add_reason(const fl_trace *trace, const fl_traced_hop *hop, fl_table *table)
{
    fl_text why = {0};
    if (!hop->avoids)
        return;
    fl_text_append(&why, "%*srule  %s, because link %llu to %s is down", INDENT, "",
                   fl_rule_name(hop->rule), number_of(trace, hop->avoided),
                   name_of(trace, across(trace, hop->from, hop->avoided)).text);
    if (hop->candidate.length > 1) {
        fl_address at = hop->from;
        fl_text_append(&why, ": %s", name_of(trace, at).text);
        for (unsigned i = 0; i < hop->candidate.length; i++) {
            at = behind(trace, at, hop->candidate.ports[i]);
            fl_text_append(&why, " -> %s", name_of(trace, at).text);
        }
    } else if (detours(hop)) {
        fl_text_append(&why, "; the switches on the way choose the rest of the detour");
    }
    fl_table_line(table, "%s", why.data ? why.data : "");
    table->bytes.failed |= why.failed;
    fl_text_clear(&why);
}

static void add_hop(const fl_trace *trace, uint32_t number, const columns *asked, fl_table *table)
{
    const fl_traced_hop *hop = &trace->hops[number];
    fl_table_cell(table, "%u", number + 1);
    fl_table_cell(table, "%s", name_of(trace, hop->from).text);
    fl_table_cell(table, "%u", (unsigned)hop->port);
    fl_table_cell(table, "%s", name_of(trace, hop->to).text);
    fl_table_cell(table, "%llu", number_of(trace, hop->link));
    fl_table_cell(table, "%u", hop->channel);
    add_rule(trace, hop, table);
    fl_table_row(table);
    add_questions(trace, asked, hop->first_question, hop->questions, table);
    add_reason(trace, hop, table);
}

static void print_hops(const fl_trace *trace, fl_text *text)
{
    columns asked = measure(trace);
    unsigned width = (unsigned)asked.label;
    fl_table table = {0};
    fl_table_column(&table, (fl_column){.least = HOP_WIDTH}, "hop");
    fl_table_column(&table, (fl_column){.least = width, .gap = 2, .left = true}, "from");
    fl_table_column(&table, (fl_column){.least = (unsigned)asked.port, .gap = 2, .rank = 3},
                    "port");
    fl_table_column(&table, (fl_column){.least = width, .gap = 2, .left = true}, "to");
    fl_table_column(&table, (fl_column){.least = (unsigned)asked.link, .gap = 2, .rank = 2},
                    "link");
    fl_table_column(&table, (fl_column){.gap = 2, .rank = 1}, "vc");
    fl_table_column(&table, (fl_column){.gap = 2, .left = true}, "rule");
    for (uint32_t i = 0; i < trace->result.hops; i++)
        add_hop(trace, i, &asked, &table);
    if (!trace->result.delivered) {
        fl_table_cell(&table, "-");
        fl_table_cell(&table, "%s", name_of(trace, trace->blocked_at).text);
        fl_table_row(&table);
        add_questions(trace, &asked, trace->question_count - trace->blocked_questions,
                      trace->blocked_questions, &table);
    }
    fl_table_end(&table, text);
}

static void print_outcome(const fl_trace *trace, fl_text *text)
{
    if (trace->result.delivered) {
        fl_text_append(text, "delivered over %u links\n", trace->result.length);
        return;
    }
    fl_text_append(text, "blocked at %s after %u link%s (%s): %s\n",
                   name_of(trace, trace->blocked_at).text, trace->result.hops,
                   trace->result.hops == 1 ? "" : "s", fl_reason_names[trace->result.reason],
                   words_of(trace));
    if (trace->has_blocking)
        fl_text_append(text, "the blocking link is %llu, to %s\n",
                       number_of(trace, trace->blocking),
                       name_of(trace, across(trace, trace->blocked_at, trace->blocking)).text);
}

static void print_shortest(const fl_trace *trace, fl_text *text)
{
    if (!trace->searched) {
        fl_text_append(
            text, "the shortest path was not looked for: the network has more than %llu links\n",
            (unsigned long long)FL_TRACE_LINKS_MAX);
        return;
    }
    if (!trace->shortest) {
        fl_text_append(text, "no path is left (without faults: %u links)\n",
                       trace->shortest_without_faults);
        return;
    }
    fl_text_append(text, "a shortest path that is left: %u links (without faults: %u): ",
                   trace->shortest_length, trace->shortest_without_faults);
    for (uint32_t i = 0; i <= trace->shortest_length; i++)
        fl_text_append(text, "%s%s", i ? " -> " : "", name_of(trace, trace->shortest[i]).text);
    fl_text_append(text, "\n");
}

void fl_trace_text(const fl_trace *trace, fl_text *text)
{
    const fl_router *router = trace->router;
    fl_text_append(text, "%s to %s on %s, router %s, scope %s, %llu of %llu links down\n\n",
                   name_of(trace, trace->source).text, name_of(trace, trace->destination).text,
                   router->network->spec, router->canonical, fl_scope_names[router->scope],
                   (unsigned long long)trace->faults->count,
                   (unsigned long long)router->network->links);
    print_hops(trace, text);
    fl_text_append(text, "\n");
    print_outcome(trace, text);
    print_shortest(trace, text);
}

/* ---- JSON ---- */

static void json_vertex(const fl_trace *trace, const char *key, fl_address at, fl_json_writer *out)
{
    fl_json_text(out, key, name_of(trace, at).text);
}

/* The link, or null if there is none. */
static void json_link_if(const fl_trace *trace, const char *key, bool any, fl_link link,
                         fl_json_writer *out)
{
    if (any)
        fl_network_json_link(trace->router->network, key, link, out);
    else
        fl_json_null(out, key);
}

static void json_questions(const fl_trace *trace, uint32_t first, uint32_t count,
                           fl_json_writer *out)
{
    fl_json_open_array(out, "asked");
    fl_json_indent(out, 6);
    for (uint32_t i = first; i < first + count; i++) {
        const fl_question *asked = &trace->questions[i];
        fl_json_open_object(fl_json_line(out), NULL);
        json_vertex(trace, "from", asked->from, out);
        fl_json_number(out, "port", asked->port);
        json_vertex(trace, "to", behind(trace, asked->from, asked->port), out);
        fl_json_number(out, "link", number_of(trace, asked->link));
        fl_json_bool(out, "up", asked->up);
        fl_json_close(out);
    }
    fl_json_close(out);
}

static void json_hop(const fl_trace *trace, const fl_traced_hop *hop, fl_json_writer *out)
{
    fl_json_open_object(out, NULL);
    fl_json_indent(out, 5);
    json_vertex(trace, "from", hop->from, out);
    fl_json_number(out, "port", hop->port);
    json_vertex(trace, "to", hop->to, out);
    fl_json_number(out, "link", number_of(trace, hop->link));
    fl_json_number(out, "virtual_channel", hop->channel);
    fl_json_text(out, "rule", hop->rule == FL_NO_RULE ? NULL : fl_rule_name(hop->rule));
    fl_json_number(out, "turn", hop->turn);
    json_link_if(trace, "avoids", hop->avoids, hop->avoided, out);
    fl_json_line(out);
    json_questions(trace, hop->first_question, hop->questions, out);
    fl_json_close(out);
}

static void json_hops(const fl_trace *trace, fl_json_writer *out)
{
    fl_json_open_array(fl_json_line(out), "hops");
    for (uint32_t i = 0; i < trace->result.hops; i++) {
        fl_json_line(out);
        json_hop(trace, &trace->hops[i], out);
    }
    fl_json_close(out);
}

static void json_outcome(const fl_trace *trace, fl_json_writer *out)
{
    const fl_walk_result *result = &trace->result;
    fl_json_bool(fl_json_line(out), "delivered", result->delivered);
    fl_json_number_or_null(fl_json_line(out), "length", result->delivered, result->length);
    fl_json_line(out);
    if (result->delivered) {
        fl_json_null(out, "blocked");
        return;
    }
    fl_json_open_object(out, "blocked");
    fl_json_indent(out, 5);
    fl_json_text(out, "reason", fl_reason_names[result->reason]);
    json_vertex(trace, "at", trace->blocked_at, out);
    json_link_if(trace, "blocking", trace->has_blocking, trace->blocking, out);
    fl_json_line(out);
    json_questions(trace, trace->question_count - trace->blocked_questions,
                   trace->blocked_questions, out);
    fl_json_close(out);
}

static void json_shortest(const fl_trace *trace, fl_json_writer *out)
{
    fl_json_line(out);
    if (!trace->searched) {
        fl_json_null(out, "shortest");
        return;
    }
    fl_json_open_object(out, "shortest");
    fl_json_number(out, "without_faults", trace->shortest_without_faults);
    fl_json_number_or_null(out, "length", trace->shortest, trace->shortest_length);
    if (!trace->shortest) {
        fl_json_null(out, "path");
    } else {
        fl_json_open_array(out, "path");
        for (uint32_t i = 0; i <= trace->shortest_length; i++)
            json_vertex(trace, NULL, trace->shortest[i], out);
        fl_json_close(out);
    }
    fl_json_close(out);
}

static void json_head(const fl_trace *trace, fl_json_writer *out)
{
    const fl_router *router = trace->router;
    fl_json_text(fl_json_line(out), "topology", router->network->spec);
    fl_json_text(fl_json_line(out), "router", router->canonical);
    fl_json_text(fl_json_line(out), "scope", fl_scope_names[router->scope]);
    fl_json_number(fl_json_line(out), "virtual_channels", router->channels);
    fl_json_line(out);
    json_vertex(trace, "source", trace->source, out);
    fl_json_line(out);
    json_vertex(trace, "destination", trace->destination, out);
    fl_json_open_array(fl_json_line(out), "faulty");
    for (uint64_t i = 0; i < trace->faults->count; i++) {
        fl_json_line(out);
        fl_network_json_link(trace->router->network, NULL, trace->faults->links[i], out);
    }
    fl_json_close(out);
}

void fl_trace_json(const fl_trace *trace, fl_text *text)
{
    fl_json_writer out = fl_json_writer_begin(text, 2);
    fl_json_open_object(&out, NULL);
    json_head(trace, &out);
    json_hops(trace, &out);
    json_outcome(trace, &out);
    json_shortest(trace, &out);
    fl_json_line(&out);
    fl_json_close(&out);
    fl_text_append(text, "\n");
}
