/* `topology`: properties of a network. */
#include "cli/cli.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct values {
    fl_network_values network;
    bool json, every_source;
    unsigned seeds;
    uint64_t seed;
    fl_common_values common;
} values;

static const fl_option_row option_rows[] = {
    {.name = "json",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, json),
     .help = "print JSON"},
    {.name = "every-source",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, every_source),
     .help = "search from every switch with nodes, even where a symmetry makes them alike"},
    {.name = "seeds",
     .kind = FL_OPTION_UNSIGNED,
     .offset = offsetof(values, seeds),
     .value = "N",
     .help = "for the bisection: partitions of each kind, annealings at most (default: as many as "
             "are quick, up to 64)",
     .least = 1,
     .most = 1000000},
    {.name = "seed",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, seed),
     .value = "N",
     .help = "seed of these partitions",
     .preset = "0",
     .most = (double)FL_JSON_U64_MAX},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("network", fl_network_rows, offsetof(values, network)),
    FL_OPTION_ROWS("options", option_rows, 0),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

typedef struct report {
    const fl_network *network;
    fl_metrics metrics;
    fl_closed_forms forms, published;
} report;

/* One row: a property, measured (NAN: not worked out), by closed form, and as published. */
typedef struct row {
    const char *key, *title;
    double measured, form, published;
} row;

enum { DIVERSITY = 8, ROWS };

static double count_or_none(int64_t count)
{
    return count < 0 ? NAN : (double)count;
}

static double stated_diversity(const fl_closed_forms *forms)
{
    return forms->path_diversity != 0 ? forms->path_diversity : NAN;
}

static double without_self(const fl_closed_forms *forms, const fl_network *network)
{
    double nodes = (double)network->nodes;
    return network->nodes > 1 ? forms->average_distance_with_self * nodes / (nodes - 1) : NAN;
}

static void list_rows(const report *r, row rows[ROWS])
{
    const fl_metrics *m = &r->metrics;
    const fl_closed_forms *f = &r->forms, *p = &r->published;
    const row all[ROWS] = {
        {"nodes", "nodes", (double)r->network->nodes, f->nodes, p->nodes},
        {"switches", "switches", (double)r->network->switches, f->switches, p->switches},
        {"links", "links", (double)r->network->links, f->links, p->links},
        {"radix", "radix", r->network->radix, f->radix, p->radix},
        {"diameter", "diameter", m->diameter, f->diameter, p->diameter},
        {"average_distance_with_self", "average distance, with self", m->average_distance_with_self,
         f->average_distance_with_self, p->average_distance_with_self},
        {"average_distance", "average distance (h-ASPL)", m->average_distance,
         without_self(f, r->network), NAN},
        {"bisection_width", "bisection width", count_or_none(m->bisection_width),
         f->bisection_width, p->bisection_width},
        {"path_diversity", "path diversity", m->path_diversity, stated_diversity(f),
         stated_diversity(p)},
    };
    memcpy(rows, all, sizeof all);
}

/* Integers as such; null for what is not known. */
static void json_value(fl_json_writer *json, const char *key, double value)
{
    fl_json_real(json, key, value, value == floor(value) && fabs(value) < 1e15 ? 16 : 17);
}

/* Those that there are. */
static void json_object(fl_json_writer *json, const char *key, const row *rows, bool published)
{
    fl_json_open_object(fl_json_line(json), key);
    for (int i = 0; i < ROWS; i++) {
        double value = published ? rows[i].published : rows[i].form;
        if (!isnan(value))
            json_value(json, rows[i].key, value);
    }
    fl_json_close(json);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a ? a : 1;
}

/* Of a number that distinguishes N ports. */
static unsigned bits_of(unsigned ports)
{
    unsigned bits = 0;
    while (bits < 32 && UINT64_C(1) << bits < ports)
        bits++;
    return bits;
}

static void write_json(const report *r, fl_text *text)
{
    const fl_metrics *m = &r->metrics;
    row rows[ROWS];
    list_rows(r, rows);
    double form = rows[DIVERSITY].form, node_entries = r->forms.node_table_entries,
           entries = m->table_entries ? (double)m->table_entries : NAN;
    bool searched = !isnan(rows[DIVERSITY].measured);
    uint64_t divisor = common_divisor(m->distance_sum, m->pairs);
    char fraction[64];
    snprintf(fraction, sizeof fraction, "%llu/%llu",
             (unsigned long long)(m->distance_sum / divisor),
             (unsigned long long)(m->pairs / divisor));
    fl_json_writer json = fl_json_writer_begin(text, 2);
    fl_json_open_object(&json, NULL);
    fl_json_text(fl_json_line(&json), "network", r->network->spec);
    fl_json_text(fl_json_line(&json), "source", r->network->type->source);
    for (int i = 0; i < ROWS; i++)
        json_value(fl_json_line(&json), rows[i].key,
                   i == DIVERSITY && !searched ? form : rows[i].measured);
    fl_json_number(fl_json_line(&json), "haspl_sum", m->distance_sum);
    fl_json_number(fl_json_line(&json), "haspl_pairs", m->pairs);
    json_value(fl_json_line(&json), "haspl", m->pairs ? m->average_distance : NAN);
    fl_json_text(fl_json_line(&json), "haspl_fraction", fraction);
    json_value(fl_json_line(&json), "table_entries", entries);
    json_value(fl_json_line(&json), "table_bits", entries * bits_of(r->network->radix));
    fl_json_fixed(fl_json_line(&json), "node_table_entries", node_entries, 0);
    fl_json_fixed(fl_json_line(&json), "node_table_bits",
                  node_entries * bits_of(r->network->node_ports), 0);
    fl_json_text(fl_json_line(&json), "bisection_method",
                 m->bisection_width < 0 ? NULL : m->bisection_method);
    fl_json_text(fl_json_line(&json), "path_diversity_method",
                 searched      ? "search"
                 : isnan(form) ? NULL
                               : "closed form");
    json_value(fl_json_line(&json), "edge_connectivity", count_or_none(m->edge_connectivity));
    json_value(fl_json_line(&json), "clustering_coefficient", m->clustering_coefficient);
    fl_json_number(fl_json_line(&json), "linked_pairs", m->linked_pairs);
    fl_json_number(fl_json_line(&json), "neighbour_pairs", m->neighbour_pairs);
    fl_json_number(fl_json_line(&json), "switches_with_nodes", m->homes);
    fl_json_number(fl_json_line(&json), "searches", m->searches);
    json_object(&json, "closed_form", rows, false);
    json_object(&json, "published", rows, true);
    fl_json_close(fl_json_line(&json));
    fl_text_append(text, "\n");
}

static void add_cell(fl_table *table, double value)
{
    if (isnan(value))
        fl_table_cell(table, "-");
    else if (value == floor(value) && fabs(value) < 1e12)
        fl_table_cell(table, "%.0f", value);
    else if (fabs(value) >= 1e4 || fabs(value) < 1e-4)
        fl_table_cell(table, "%.8g", value);
    else
        fl_table_cell(table, "%.9f", value);
}

static void append_table(const report *r, const row *rows, fl_text *text)
{
    static const char *const titles[] = {"measured", "closed form", "published"};
    fl_table table = {0};
    fl_table_column(&table, (fl_column){.least = 28, .gap = 2, .left = true, .wraps = true}, "%s",
                    "");
    for (int i = 0; i < 3; i++)
        fl_table_column(&table, (fl_column){.least = 14, .gap = 1}, "%s", titles[i]);
    for (int i = 0; i < ROWS; i++) {
        fl_table_cell(&table, "%s", rows[i].title);
        add_cell(&table, rows[i].measured);
        add_cell(&table, rows[i].form);
        add_cell(&table, rows[i].published);
        fl_table_row(&table);
    }
    fl_table_cell(&table, "edge connectivity");
    add_cell(&table, count_or_none(r->metrics.edge_connectivity));
    fl_table_row(&table);
    fl_table_cell(&table, "clustering coefficient");
    add_cell(&table, r->metrics.clustering_coefficient);
    fl_table_row(&table);
    fl_table_end(&table, text);
}

static void write_tables(const report *r, fl_text *text)
{
    const fl_metrics *m = &r->metrics;
    unsigned bits = bits_of(r->network->radix), node_bits = bits_of(r->network->node_ports);
    if (m->table_entries)
        fl_text_append(text, "full routing tables: %llu entries of %u bits in switches",
                       (unsigned long long)m->table_entries, bits);
    if (m->table_entries && r->forms.node_table_entries > 0)
        fl_text_append(text, ", %.0f of %u in nodes", r->forms.node_table_entries, node_bits);
    fl_text_append(text, "%s", m->table_entries ? "\n" : "");
}

static void write_text(const report *r, fl_text *text)
{
    const fl_metrics *m = &r->metrics;
    row rows[ROWS];
    list_rows(r, rows);
    fl_text_append(text, "%s: %s\n", r->network->spec, r->network->type->summary);
    append_table(r, rows, text);
    uint64_t divisor = common_divisor(m->distance_sum, m->pairs);
    fl_text_append(text, "h-ASPL: %llu/%llu = %llu/%llu\n", (unsigned long long)m->distance_sum,
                   (unsigned long long)m->pairs, (unsigned long long)(m->distance_sum / divisor),
                   (unsigned long long)(m->pairs / divisor));
    if (r->network->node_ports > 1)
        fl_text_append(text, "distances: exact, searched from %llu of %llu nodes\n",
                       (unsigned long long)m->searches, (unsigned long long)r->network->nodes);
    else
        fl_text_append(text, "distances: exact, searched from %llu of %llu switches with nodes%s\n",
                       (unsigned long long)m->searches, (unsigned long long)m->homes,
                       m->searches < m->homes ? "; the others are alike by symmetry" : "");
    if (isnan(m->path_diversity) && r->network->node_ports == 1)
        fl_text_append(text, "path diversity: not searched, which would take too long%s\n",
                       isnan(rows[DIVERSITY].form) ? "" : "; the closed form is exact");
    if (m->bisection_width >= 0)
        fl_text_append(text, "bisection: %s\n", m->bisection_method);
    write_tables(r, text);
    fl_text_append(text, "published: %s\n", r->network->type->source);
}

static bool interrupted(void *user)
{
    (void)user;
    return fl_interrupted;
}

static int measure(const char *spec, const fl_metrics_options *options, bool json)
{
    report r;
    fl_network *network;
    fl_error error;
    fl_text text = {.columns = json ? 0 : fl_terminal_columns()};
    fl_progress_wait(spec);
    fl_status made = fl_network_create_for(&network, spec, fl_metrics_bytes_a_switch, &error);
    fl_progress_wait_end();
    if (made)
        return fl_complain_of(&error);
    fl_interrupt_watch();
    fl_progress_wait(network->spec);
    r.network = network;
    network->type->closed_forms(network, &r.forms);
    r.published = r.forms;
    if (network->type->published)
        network->type->published(network, &r.published);
    fl_status status = fl_metrics_compute(&r.metrics, network, options, &error);
    fl_progress_wait_end();
    if (!status && json)
        write_json(&r, &text);
    else if (!status)
        write_text(&r, &text);
    fl_network_destroy(network);
    if (status == FL_ERR_STOPPED)
        return fl_complain("ended early: nothing is reported"), FL_EXIT_INTERRUPTED;
    return status ? fl_complain_of(&error) : fl_print_text(&text);
}

static int run(fl_call *call)
{
    const values *v = call->options.values;
    const fl_metrics_options options = {.every_source = v->every_source,
                                        .should_stop = interrupted,
                                        .seeds = v->seeds,
                                        .seed = v->seed};
    if (!v->network.topology)
        return fl_complain("which network? For example: faultline topology mikant:k=3,n=3; --help "
                           "shows more");
    return measure(v->network.topology, &options, v->json);
}

const fl_command fl_command_topology = {
    .name = "topology",
    .summary = "measured and published properties of a network: distances, bisection, path "
               "diversity",
    .about =
        "Properties of a network: measured by search, beside what closed forms and the source "
        "say.\n\n"
        "Distances count links from node to node, node links included. They are exact: "
        "breadth-first searches from one of each class of switches that a symmetry of the "
        "network makes alike. h-ASPL is their mean over all pairs of different nodes; 'with "
        "self' counts the node itself, at distance 0. The bisection width is that of the best "
        "of many partitions into equal halves, refined ones and ones found by simulated "
        "annealing: an upper bound. Path diversity: mean number of shortest paths between "
        "switches with nodes, over the nodes. Clustering coefficient: of the pairs of neighbours "
        "of a switch, the fraction that are linked to each other, over all switches.",
    .usage = (const char *const[]){"NET [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .positional = (const char *const[]){"topology", NULL},
    .examples = (const char *const[]){"faultline topology mikant:k=3,n=3",
                                      "faultline topology dragonfly:a=8,nodes=1024 --json", NULL},
    .exits = "exit codes: 0 done, 2 bad input, 130 ended by Ctrl-C",
    .run = run,
};
