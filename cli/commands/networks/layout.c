/* `layout`: cabinets, cables, cost and power of a network. */
#include "cli/folder.h"

#include <stddef.h>

typedef struct values {
    fl_network_values network;
    char *costs, *folder;
    uint64_t units, seed;
    bool json, force;
    fl_common_values common;
} values;

static const fl_option_row layout_rows[] = {
    {.name = "costs",
     .kind = FL_OPTION_FILE,
     .offset = offsetof(values, costs),
     .value = "FILE.json",
     .help = "coefficients of cabinets, cables and switches (default: InfiniBand FDR10; the file "
             "in experiments/costs is one to begin your own with)"},
    {.name = "cabinet-units",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, units),
     .value = "N",
     .help = "switches and hosts that a cabinet holds (default: that of the costs)",
     .least = 1,
     .most = FL_FLOORPLAN_UNITS_MAX},
    {.name = "seed",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, seed),
     .value = "S",
     .help = "seed of clusters and places",
     .preset = "1",
     .most = (double)FL_JSON_U64_MAX},
    {0}};

static const fl_option_row output_rows[] = {
    {.name = "out",
     .kind = FL_OPTION_FOLDER,
     .offset = offsetof(values, folder),
     .value = "DIR",
     .help = "folder for layout.json, vertices.csv (the cabinet of each) and cables.csv"},
    {.name = "force",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, force),
     .help = "overwrite these files"},
    {.name = "json",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, json),
     .help = "print JSON"},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("network", fl_network_rows, offsetof(values, network)),
    FL_OPTION_ROWS("layout", layout_rows, 0),
    FL_OPTION_ROWS("output", output_rows, 0),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

enum { FILES = 3, PATH_SIZE = FL_PATH_MAX + 16 };
static const char *const files[FILES + 1] = {"layout.json", "vertices.csv", "cables.csv", NULL};

static bool may_be_written(const values *v, char paths[FILES][PATH_SIZE])
{
    for (int i = 0; i < FILES; i++) {
        int length = snprintf(paths[i], PATH_SIZE, "%s/%s", v->folder, files[i]);
        if (*v->folder == 0 || length < 0 || length >= PATH_SIZE)
            return fl_complain("--out '%s': not the name of a folder", v->folder), false;
    }
    return fl_lock_folder(v->folder) &&
           fl_prepare_folder(v->folder, &(fl_outputs){files, NULL, ""}, v->force);
}

static fl_status write_files(const fl_floorplan *layout, const values *v,
                             char paths[FILES][PATH_SIZE], fl_error *error)
{
    static void (*const writers[FILES])(const fl_floorplan *, fl_text *) = {
        fl_floorplan_json, fl_floorplan_vertices_csv, fl_floorplan_cables_csv};
    fl_text texts[FILES] = {{0}};
    fl_file_content contents[FILES];
    bool failed = false;
    for (int i = 0; i < FILES; i++) {
        writers[i](layout, &texts[i]);
        contents[i] = (fl_file_content){paths[i], texts[i].data, texts[i].length};
        failed |= texts[i].failed;
    }
    fl_status status = failed ? fl_fail(error, FL_ERR_MEMORY, "out of memory for the layout")
                              : fl_file_make_folder(v->folder, error);
    if (!status)
        status = fl_file_write_group(contents, FILES, error);
    for (int i = 0; i < FILES; i++)
        fl_text_clear(&texts[i]);
    return status;
}

static int deliver(const fl_floorplan *layout, const values *v, char paths[FILES][PATH_SIZE])
{
    fl_error error;
    fl_text text = {.columns = v->json ? 0 : fl_terminal_columns()};
    if (v->folder && write_files(layout, v, paths, &error))
        return fl_complain_of(&error), FL_EXIT_FAILED;
    (v->json ? fl_floorplan_json : fl_floorplan_summary)(layout, &text);
    if (v->folder && !v->json)
        fl_text_append(&text, "written to %s: %s, %s, %s\n", v->folder, files[0], files[1],
                       files[2]);
    return fl_print_text(&text);
}

static int run(fl_call *call)
{
    static const fl_option_pair needed[] = {{"force", "out", "without it there are no files"}, {0}};
    const values *v = call->options.values;
    char paths[FILES][PATH_SIZE];
    fl_costs costs;
    fl_error error;
    fl_floorplan *layout;
    if (!v->network.topology)
        return fl_complain("which network? For example: faultline layout torus:k=3,n=5,p=5; --help "
                           "shows more");
    if (!fl_need_pairs(call, needed))
        return FL_EXIT_BAD_INPUT;
    if (v->costs ? fl_costs_read(&costs, v->costs, &error) : fl_costs_default(&costs, &error))
        return fl_complain_of(&error);
    if (v->units)
        costs.cabinet_units = (double)v->units;
    fl_network *network = fl_network_of(&v->network);
    if (!network)
        return FL_EXIT_BAD_INPUT;
    int code = FL_EXIT_BAD_INPUT;
    if (!v->folder || may_be_written(v, paths)) {
        fl_progress_wait(network->spec);
        fl_status status = fl_floorplan_create(&layout, network, &costs, v->seed, &error);
        fl_progress_wait_end();
        code = status ? fl_complain_of(&error) : deliver(layout, v, paths);
        if (!status)
            fl_floorplan_destroy(layout);
    }
    fl_network_destroy(network);
    return code;
}

const fl_command fl_command_layout = {
    .name = "layout",
    .summary = "cabinets, cables, cost and power of a network",
    .about = "Lays a network out on a floor and adds up what it costs and consumes (Yasudo thesis, "
             "3.5.4.2 and 4.5.1.3).\n\n"
             "Switches and hosts are clustered into the fewest cabinets so that few cables leave a "
             "cabinet. Cabinets stand on a grid and are placed by simulated annealing so that "
             "cables are short. Every link is a cable along rows and columns: copper up to a "
             "limit, fibre beyond. Both steps are heuristics, so the length of cables is an upper "
             "bound of the least; numbers of cables, lengths and sums are exact for the layout "
             "shown. All switches are of the network's radix.",
    .usage = (const char *const[]){"NET [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .positional = (const char *const[]){"topology", NULL},
    .examples =
        (const char *const[]){"faultline layout torus:k=3,n=5,p=5",
                              "faultline layout dragonfly:a=8,nodes=1024 --json",
                              "faultline layout file:g.edges --costs mine.json --out floor", NULL},
    .exits = "exit codes: 0 done, 1 the files could not be written, 2 bad input (nothing done)",
    .run = run,
};
