/* SimGrid: a platform (XML, version 4.1) and a host file for smpirun.
 *
 * Every route is written out, because SimGrid has to follow the router and not a shortest-path
 * search of its own. Where routes go by switch, the nodes of a switch are a zone, and a route is
 * written once for each pair of zones; else there is one zone, with a route for each pair of nodes
 * (docs/mpi-performance.md has measurements). Hosts are n0, n1, ... and links l0, l1, ... by their
 * indices. A link is two of SimGrid's, one for each way (SPLITDUPLEX), UP from its end a to b.
 *
 * A route of h links passes h - 1 switches. Its two node links take half the latency of a switch
 * each, and every other link a whole one: in sum exactly h links and h - 1 switches. */
#include "core/core.h"
#include "topo/formats/formats.h"

#include <stdlib.h>

enum { NODES_MAX = 4096 };

/* A node that is left, and its zone: its switch, or 0 where there is one zone for all. */
typedef struct member {
    uint64_t zone, node;
} member;

typedef struct writer {
    const fl_format_source *source;
    const fl_network *network;
    fl_text *platform, *hosts;
    fl_format_counts *counts;
    member *members; /* [counts->nodes] zone by zone, in each by node */
    uint64_t *first; /* [zones + 1] where the members of a zone begin */
    uint64_t zones;
    fl_route route;
} writer;

static uint64_t index_of_link(const writer *w, fl_link link)
{
    return w->network->type->link_index(w->network, link);
}

static fl_address node_at(const writer *w, uint64_t node)
{
    return w->network->type->node_address(w->network, node);
}

/* ---- pieces of XML ---- */

static void append_escaped(fl_text *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fl_text_append(out, "&lt;");
            break;
        case '>':
            fl_text_append(out, "&gt;");
            break;
        case '&':
            fl_text_append(out, "&amp;");
            break;
        case '"':
            fl_text_append(out, "&quot;");
            break;
        default:
            fl_text_append_bytes(out, text, 1);
        }
}

static void append_property(fl_text *out, const char *id, const char *value)
{
    fl_text_append(out, "<prop id=\"%s\" value=\"", id);
    append_escaped(out, value);
    fl_text_append(out, "\"/>\n");
}

/* `id` is open: its quotes are closed here. */
static void append_link_values(fl_text *out, double bandwidth, double latency, const char *sharing)
{
    fl_text_append(out, "\" bandwidth=\"");
    fl_text_append_double(out, bandwidth);
    fl_text_append(out, "Gbps\" latency=\"");
    fl_text_append_double(out, latency);
    fl_text_append(out, "ns\" sharing_policy=\"%s\"/>\n", sharing);
}

static void append_step(const writer *w, const fl_route_link *step)
{
    fl_text_append(w->platform, "<link_ctn id=\"l%llu\" direction=\"%s\"/>",
                   (unsigned long long)index_of_link(w, step->link), step->forward ? "UP" : "DOWN");
}

static void append_steps(const writer *w, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        append_step(w, &w->route.links[i]);
}

/* ---- nodes and zones ---- */

static bool is_left(const writer *w, uint64_t node)
{
    fl_address at = node_at(w, node);
    fl_hop hop;
    for (unsigned port = 0; port < w->network->node_ports; port++)
        if (fl_network_step(w->network, at, (fl_port)port, &hop) &&
            w->source->is_up(w->source->user, hop.link))
            return true;
    return false;
}

static uint64_t zone_of(const writer *w, uint64_t node)
{
    fl_hop hop;
    if (!w->source->by_switch)
        return 0;
    fl_network_step(w->network, node_at(w, node), 0, &hop);
    return w->network->type->switch_index(w->network, hop.to);
}

static int compare_members(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->zone != y->zone)
        return x->zone < y->zone ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static fl_status find_zones(writer *w, fl_error *error)
{
    uint64_t nodes = w->network->nodes, count = 0;
    w->members = malloc(nodes * sizeof *w->members);
    w->first = malloc((nodes + 1) * sizeof *w->first);
    if (!w->members || !w->first)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a platform of %s",
                       w->network->spec);
    for (uint64_t node = 0; node < nodes; node++)
        if (is_left(w, node))
            w->members[count++] = (member){zone_of(w, node), node};
    qsort(w->members, count, sizeof *w->members, compare_members);
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || w->members[i].zone != w->members[i - 1].zone)
            w->first[w->zones++] = i;
    w->first[w->zones] = count;
    w->counts->nodes = count;
    w->counts->nodes_left_out = nodes - count;
    return FL_OK;
}

static void append_hosts(const writer *w, uint64_t zone)
{
    for (uint64_t i = w->first[zone]; i < w->first[zone + 1]; i++) {
        fl_text_append(w->platform, "<host id=\"n%llu\" speed=\"",
                       (unsigned long long)w->members[i].node);
        fl_text_append_double(w->platform, w->source->speeds.flops);
        fl_text_append(w->platform, "Gf\"/>\n");
    }
}

/* Ranks of MPI are given to hosts in the order of the host file: by rising index of the nodes. */
static void append_host_file(const writer *w)
{
    for (uint64_t node = 0; node < w->network->nodes; node++)
        if (is_left(w, node))
            fl_text_append(w->hosts, "n%llu\n", (unsigned long long)node);
}

static void append_link(const writer *w, fl_link link)
{
    const fl_format_speeds *speeds = &w->source->speeds;
    bool of_node = w->network->type->link_class(w->network, link) == 0;
    if (!w->source->is_up(w->source->user, link))
        return;
    w->counts->links++;
    fl_text_append(w->platform, "<link id=\"l%llu", (unsigned long long)index_of_link(w, link));
    append_link_values(w->platform, speeds->bandwidth,
                       speeds->link_latency + speeds->switch_latency * (of_node ? 0.5 : 1),
                       "SPLITDUPLEX");
}

static void append_links_of_classes(const writer *w, unsigned first)
{
    for (uint64_t i = 0; i < w->network->links; i++) {
        fl_link link = w->network->type->link_code(w->network, i);
        if (w->network->type->link_class(w->network, link) >= first)
            append_link(w, link);
    }
}

static void append_loopback(const writer *w, uint64_t zone)
{
    const fl_format_speeds *speeds = &w->source->speeds;
    fl_text_append(w->platform, "<link id=\"loopback%llu", (unsigned long long)zone);
    append_link_values(w->platform, speeds->loopback_bandwidth, speeds->loopback_latency,
                       "FATPIPE");
}

/* ---- routes ---- */

static fl_status find_route(writer *w, uint64_t from, uint64_t to, fl_error *error)
{
    w->route.count = 0;
    return w->source->route(w->source->user, node_at(w, from), node_at(w, to), &w->route, error);
}

/* The route stands for `pairs` pairs of nodes. */
static bool count_pairs(writer *w, uint64_t pairs)
{
    fl_format_counts *counts = w->counts;
    bool found = w->route.count > 0;
    *(found ? &counts->pairs : &counts->pairs_cut) += pairs;
    counts->length_sum += pairs * w->route.count;
    counts->routes += found;
    return found;
}

/* Opens a route between two points, which are named by a letter and a number. */
static void open_route(const writer *w, char from_kind, uint64_t from, char to_kind, uint64_t to)
{
    fl_text_append(w->platform, "<route src=\"%c%llu\" dst=\"%c%llu\" symmetrical=\"NO\">",
                   from_kind, (unsigned long long)from, to_kind, (unsigned long long)to);
}

static void close_route(const writer *w)
{
    fl_text_append(w->platform, "</route>\n");
}

static fl_status append_pair(writer *w, uint64_t from, uint64_t to, fl_error *error)
{
    fl_status status = find_route(w, from, to, error);
    if (status || !count_pairs(w, 1))
        return status;
    open_route(w, 'n', from, 'n', to);
    append_steps(w, 0, w->route.count);
    close_route(w);
    return FL_OK;
}

/* Between a node and its switch: the first and the last part of routes to other zones. */
static void append_node_link(const writer *w, uint64_t zone, uint64_t node)
{
    fl_hop hop;
    fl_link_ends ends;
    fl_address at = node_at(w, node);
    fl_network_step(w->network, at, 0, &hop);
    w->network->type->link_ends(w->network, hop.link, &ends);
    open_route(w, 'n', node, 's', zone);
    append_step(w, &(fl_route_link){hop.link, ends.a == at});
    close_route(w);
    open_route(w, 's', zone, 'n', node);
    append_step(w, &(fl_route_link){hop.link, ends.a != at});
    close_route(w);
}

/* Between two members of a zone, and of each to itself. */
static fl_status append_inner_routes(writer *w, uint64_t zone, fl_error *error)
{
    fl_status status = FL_OK;
    uint64_t end = w->first[zone + 1];
    unsigned long long number = w->members[w->first[zone]].zone;
    for (uint64_t i = w->first[zone]; !status && i < end; i++) {
        uint64_t node = w->members[i].node;
        open_route(w, 'n', node, 'n', node);
        fl_text_append(w->platform, "<link_ctn id=\"loopback%llu\"/>", number);
        close_route(w);
        for (uint64_t j = w->first[zone]; !status && j < end; j++)
            if (i != j)
                status = append_pair(w, node, w->members[j].node, error);
    }
    return status;
}

/* SimGrid wants hosts, links and routes in this order, and inner zones in the place of hosts. */
static fl_status append_zone(writer *w, uint64_t zone, fl_error *error)
{
    uint64_t first = w->first[zone], end = w->first[zone + 1], number = w->members[first].zone;
    fl_hop hop;
    fl_text_append(w->platform, "<zone id=\"z%llu\" routing=\"Full\">\n",
                   (unsigned long long)number);
    append_hosts(w, zone);
    fl_text_append(w->platform, "<router id=\"s%llu\"/>\n", (unsigned long long)number);
    for (uint64_t i = first; i < end; i++)
        if (fl_network_step(w->network, node_at(w, w->members[i].node), 0, &hop))
            append_link(w, hop.link);
    append_loopback(w, number);
    for (uint64_t i = first; i < end; i++)
        append_node_link(w, number, w->members[i].node);
    fl_status status = append_inner_routes(w, zone, error);
    fl_text_append(w->platform, "</zone>\n");
    return status;
}

/* The route of the first node of each zone, without the links of the nodes. */
static fl_status append_between(writer *w, uint64_t from, uint64_t to, fl_error *error)
{
    const member *a = &w->members[w->first[from]], *b = &w->members[w->first[to]];
    unsigned long long source = a->zone, destination = b->zone;
    uint64_t pairs = (w->first[from + 1] - w->first[from]) * (w->first[to + 1] - w->first[to]);
    fl_status status = find_route(w, a->node, b->node, error);
    if (status || !count_pairs(w, pairs))
        return status;
    fl_text_append(w->platform,
                   "<zoneRoute src=\"z%llu\" dst=\"z%llu\" gw_src=\"s%llu\" gw_dst=\"s%llu\" "
                   "symmetrical=\"NO\">",
                   source, destination, source, destination);
    append_steps(w, 1, w->route.count - 1);
    fl_text_append(w->platform, "</zoneRoute>\n");
    return FL_OK;
}

static fl_status append_zones(writer *w, fl_error *error)
{
    fl_status status = FL_OK;
    for (uint64_t zone = 0; !status && zone < w->zones; zone++)
        status = append_zone(w, zone, error);
    append_links_of_classes(w, 1);
    for (uint64_t from = 0; !status && from < w->zones; from++)
        for (uint64_t to = 0; !status && to < w->zones; to++)
            if (from != to)
                status = append_between(w, from, to, error);
    return status;
}

static fl_status append_one_zone(writer *w, fl_error *error)
{
    if (w->zones == 0)
        return FL_OK;
    append_hosts(w, 0);
    append_links_of_classes(w, 0);
    append_loopback(w, 0);
    return append_inner_routes(w, 0, error);
}

/* ---- the files ---- */

static void append_head(const writer *w)
{
    fl_text_append(w->platform, "<?xml version=\"1.0\"?>\n"
                                "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                                "<platform version=\"4.1\">\n"
                                "<zone id=\"network\" routing=\"Full\">\n");
    append_property(w->platform, "network", w->network->spec);
    append_property(w->platform, "router", w->source->router);
    if (w->source->faults)
        append_property(w->platform, "faults", w->source->faults);
    append_property(w->platform, "written by", "faultline " FL_VERSION);
}

static fl_status write_platform(const fl_format_source *source, fl_text *files,
                                fl_format_counts *counts, fl_error *error)
{
    const fl_network *network = source->network;
    writer w = {.source = source,
                .network = network,
                .platform = &files[0],
                .hosts = &files[1],
                .counts = counts};
    *counts = (fl_format_counts){0};
    if (network->nodes > NODES_MAX)
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s has %llu nodes: a SimGrid platform, which lists the routes, has at most %d",
            network->spec, (unsigned long long)network->nodes, NODES_MAX);
    fl_status status = find_zones(&w, error);
    if (!status) {
        append_head(&w);
        status = (source->by_switch ? append_zones : append_one_zone)(&w, error);
        fl_text_append(w.platform, "</zone>\n</platform>\n");
        append_host_file(&w);
    }
    free(w.members);
    free(w.first);
    free(w.route.links);
    return status;
}

const fl_format fl_format_simgrid = {
    .name = "simgrid",
    .summary = "a platform of SimGrid, which runs MPI programs on it (smpirun), and a host file",
    .source = "SimGrid 3.32, platform files of version 4.1",
    .endings = {".xml", ".hosts"},
    .write = write_platform,
};
