/* A layout as tables, JSON and CSV. */
#include "core/text/json_writer.h"
#include "core/text/table.h"
#include "experiments/layout/private.h"

static double metres(uint64_t length)
{
    return (double)length / 1000;
}

static double mean_of(const fl_cables *cables)
{
    return cables->count ? metres(cables->length) / (double)cables->count : 0;
}

/* ---- words ---- */

static void append_cables(const fl_floorplan_totals *t, fl_text *out)
{
    const struct {
        const char *title;
        const fl_cables *cables;
    } kinds[] = {{"copper", &t->copper}, {"fibre", &t->fibre}, {"all", &t->all}};
    static const char *const titles[] = {"number", "length, m", "mean, m", "longest, m"};
    fl_table table = {0};
    fl_table_column(&table, (fl_column){.least = 10, .gap = 2, .left = true}, "cables");
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        fl_table_column(&table, (fl_column){.least = 12, .gap = 1}, "%s", titles[i]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const fl_cables *c = kinds[i].cables;
        fl_table_cell(&table, "%s", kinds[i].title);
        fl_table_cell(&table, "%llu", (unsigned long long)c->count);
        fl_table_cell(&table, "%.1f", metres(c->length));
        fl_table_cell(&table, "%.3f", mean_of(c));
        fl_table_cell(&table, "%.1f", metres(c->longest));
        fl_table_row(&table);
    }
    fl_table_end(&table, out);
}

typedef struct part {
    const char *key, *title;
    double cost, power;
} part;

enum { PARTS = 4 };

static void list_parts(const fl_floorplan_totals *t, part out[PARTS])
{
    out[0] = (part){"switches", "switches", t->switch_cost, t->switch_power};
    out[1] = (part){"copper", "copper cables", t->copper.cost, t->copper.power};
    out[2] = (part){"fibre", "fibre cables", t->fibre.cost, t->fibre.power};
    out[3] = (part){"total", "total", t->cost, t->power};
}

static void append_parts(const fl_floorplan *l, fl_text *out)
{
    double nodes = (double)l->network->nodes;
    part parts[PARTS];
    fl_table table = {0};
    list_parts(&l->totals, parts);
    fl_table_column(&table, (fl_column){.least = 14, .gap = 2, .left = true}, "part");
    fl_table_column(&table, (fl_column){.least = 14, .gap = 1}, "cost, %s", l->costs.currency);
    fl_table_column(&table, (fl_column){.least = 12, .gap = 1}, "per host");
    fl_table_column(&table, (fl_column){.least = 12, .gap = 1}, "power, W");
    fl_table_column(&table, (fl_column){.least = 12, .gap = 1}, "per host");
    for (int i = 0; i < PARTS; i++) {
        fl_table_cell(&table, "%s", parts[i].title);
        fl_table_cell(&table, "%.2f", parts[i].cost);
        fl_table_cell(&table, "%.2f", parts[i].cost / nodes);
        fl_table_cell(&table, "%.1f", parts[i].power);
        fl_table_cell(&table, "%.3f", parts[i].power / nodes);
        fl_table_row(&table);
    }
    fl_table_end(&table, out);
}

void fl_floorplan_summary(const fl_floorplan *layout, fl_text *out)
{
    const fl_floorplan_totals *t = &layout->totals;
    const fl_costs *costs = &layout->costs;
    const fl_network *network = layout->network;
    fl_text_append(out, "%s: %llu hosts, %llu switches of radix %u\n", network->spec,
                   (unsigned long long)network->nodes, (unsigned long long)network->switches,
                   network->radix);
    fl_text_append(out,
                   "%u cabinets of %.0f units, %u rows of up to %u, on %.1f m x %.1f m; seed "
                   "%llu\n",
                   t->cabinets, costs->cabinet_units, t->rows, t->columns,
                   metres(layout->floor.depth * t->rows), metres(layout->floor.width * t->columns),
                   (unsigned long long)layout->seed);
    append_cables(t, out);
    fl_text_append(out,
                   "%llu cables are inside of a cabinet; placing the cabinets saved %.1f%% of "
                   "the length\n",
                   (unsigned long long)t->inside,
                   t->identity ? 100 * (1 - (double)t->all.length / (double)t->identity) : 0);
    append_parts(layout, out);
    fl_text_append(out, "costs: %s\n", costs->name);
}

/* ---- JSON ---- */

static void write_cables(fl_json_writer *json, const char *key, const fl_cables *cables)
{
    fl_json_line(json);
    fl_json_open_object(json, key);
    fl_json_number(json, "count", cables->count);
    fl_json_fixed(json, "length_m", metres(cables->length), 3);
    fl_json_fixed(json, "mean_m", mean_of(cables), 6);
    fl_json_fixed(json, "longest_m", metres(cables->longest), 3);
    fl_json_close(json);
}

static void write_parts(fl_json_writer *json, const fl_floorplan *l, const char *key, bool power)
{
    part parts[PARTS];
    list_parts(&l->totals, parts);
    fl_json_line(json);
    fl_json_open_object(json, key);
    for (int i = 0; i < PARTS; i++)
        fl_json_fixed(json, parts[i].key, power ? parts[i].power : parts[i].cost, 4);
    fl_json_fixed(json, "per_host",
                  (power ? l->totals.power : l->totals.cost) / (double)l->network->nodes, 6);
    fl_json_close(json);
}

void fl_floorplan_json(const fl_floorplan *layout, fl_text *out)
{
    const fl_floorplan_totals *t = &layout->totals;
    fl_json_writer json = fl_json_writer_begin(out, 2);
    fl_json_open_object(&json, NULL);
    fl_json_line(&json);
    fl_json_text(&json, "format", "faultline layout 1");
    fl_json_text(&json, "version", FL_VERSION);
    fl_json_line(&json);
    fl_json_text(&json, "network", layout->network->spec);
    fl_json_number(&json, "hosts", layout->network->nodes);
    fl_json_number(&json, "switches", layout->network->switches);
    fl_json_number(&json, "radix", layout->network->radix);
    fl_json_line(&json);
    fl_json_text(&json, "costs", layout->costs.name);
    fl_json_text(&json, "currency", layout->costs.currency);
    fl_json_number(&json, "seed", layout->seed);
    fl_json_line(&json);
    fl_json_number(&json, "cabinets", t->cabinets);
    fl_json_number(&json, "cabinet_units", (uint64_t)layout->costs.cabinet_units);
    fl_json_number(&json, "rows", t->rows);
    fl_json_number(&json, "columns", t->columns);
    fl_json_line(&json);
    fl_json_open_object(&json, "cables");
    write_cables(&json, "copper", &t->copper);
    write_cables(&json, "fibre", &t->fibre);
    write_cables(&json, "all", &t->all);
    fl_json_line(&json);
    fl_json_number(&json, "inside_cabinets", t->inside);
    fl_json_fixed(&json, "identity_length_m", metres(t->identity), 3);
    fl_json_line(&json);
    fl_json_close(&json);
    write_parts(&json, layout, "cost", false);
    write_parts(&json, layout, "power_w", true);
    fl_json_line(&json);
    fl_json_close(&json);
    fl_text_append(out, "\n");
}

/* ---- CSV ---- */

/* Appends a label in quotes: labels have commas. */
static void append_label(const fl_floorplan *l, uint32_t vertex, fl_text *out)
{
    const fl_network *network = l->network;
    const fl_network_type *type = network->type;
    char label[FL_LABEL_MAX];
    bool node = vertex < l->links.nodes;
    type->label(network,
                node ? type->node_address(network, vertex)
                     : type->switch_address(network, vertex - l->links.nodes),
                label, sizeof label);
    fl_text_append(out, "\"");
    for (const char *at = label; *at; at++)
        fl_text_append(out, "%s%c", *at == '"' ? "\"" : "", *at);
    fl_text_append(out, "\"");
}

void fl_floorplan_vertices_csv(const fl_floorplan *layout, fl_text *out)
{
    fl_text_append(out, "kind,index,label,cabinet,row,column\n");
    for (uint32_t v = 0; v < layout->links.vertices; v++) {
        bool node = v < layout->links.nodes;
        uint32_t row, column, cabinet = layout->cluster[v];
        fl_floorplan_place(layout, cabinet, &row, &column);
        fl_text_append(out, "%s,%u,", node ? "node" : "switch", node ? v : v - layout->links.nodes);
        append_label(layout, v, out);
        fl_text_append(out, ",%u,%u,%u\n", cabinet, row, column);
    }
}

void fl_floorplan_cables_csv(const fl_floorplan *layout, fl_text *out)
{
    fl_text_append(out, "link,a,b,cabinet_a,cabinet_b,length_m,kind\n");
    for (uint64_t i = 0; i < layout->links.links; i++) {
        fl_link_pair ends = layout->links.ends[i];
        fl_text_append(out, "%llu,", (unsigned long long)i);
        append_label(layout, ends.a, out);
        fl_text_append(out, ",");
        append_label(layout, ends.b, out);
        fl_text_append(out, ",%u,%u,%.3f,%s\n", layout->cluster[ends.a], layout->cluster[ends.b],
                       metres(fl_floorplan_length(layout, i)),
                       fl_floorplan_is_copper(layout, i) ? "copper" : "fibre");
    }
}
