/* `draw`: a drawing of a network. */
#include "cli/picture.h"

#include <stddef.h>
#include <string.h>

typedef struct values {
    fl_network_values network;
    fl_fault_values faults;
    fl_picture_values picture;
    bool json;
    fl_common_values common;
} values;

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("network", fl_network_rows, offsetof(values, network)),
    FL_OPTION_ROWS("faults", fl_fault_rows, offsetof(values, faults)),
    FL_OPTION_ROWS("picture", fl_picture_rows, offsetof(values, picture)),
    FL_OPTION_ROWS(NULL, fl_json_rows, offsetof(values, json)),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

static int print_json(const fl_network *network, const fl_fault_set *faults,
                      const fl_picture_file *file)
{
    fl_text text = {0};
    fl_json_writer json = fl_json_writer_begin(&text, 2);
    fl_json_open_object(&json, NULL);
    fl_json_line(&json);
    fl_json_text(&json, "topology", network->spec);
    fl_json_line(&json);
    fl_json_number(&json, "nodes", network->nodes);
    fl_json_line(&json);
    fl_json_number(&json, "switches", network->switches);
    fl_json_line(&json);
    fl_json_number(&json, "links", network->links);
    fl_json_line(&json);
    fl_json_open_array(&json, "faulty");
    for (uint64_t i = 0; i < faults->count; i++) {
        fl_json_line(&json);
        fl_network_json_link(network, NULL, faults->links[i], &json);
    }
    fl_json_close(&json);
    fl_json_line(&json);
    fl_json_text(&json, "picture", file->path);
    fl_json_line(&json);
    fl_json_close(&json);
    fl_text_append(&text, "\n");
    return fl_print_text(&text);
}

static int draw(const fl_call *call, const fl_network *network, const fl_fault_set *faults,
                const fl_picture_file *file)
{
    fl_text title = {0}, subtitle = {0}, drawn = {.columns = fl_terminal_columns()};
    fl_error error;
    fl_text_append(&title, "%s", network->spec);
    fl_text_append(&subtitle, "%llu nodes, %llu switches, %llu links",
                   (unsigned long long)network->nodes, (unsigned long long)network->switches,
                   (unsigned long long)network->links);
    if (faults->count)
        fl_text_append(&subtitle, ", %llu of them down", (unsigned long long)faults->count);
    fl_drawing drawing = {
        .network = network,
        .title = title.data,
        .subtitle = subtitle.data,
        .faulty = faults->links,
        .faulty_count = faults->count,
        .nearby = faults->links,
        .nearby_count = faults->count,
        .extent = file->extent,
    };
    fl_status status =
        title.failed || subtitle.failed
            ? fl_fail(&error, FL_ERR_MEMORY, "out of memory for the title of a drawing")
            : fl_drawing_write(&drawing, file->path, &error);
    fl_text_clear(&title);
    fl_text_clear(&subtitle);
    if (status)
        return fl_complain_of(&error);
    if (((const values *)call->options.values)->json)
        return print_json(network, faults, file);
    fl_faults_append_drawn(call, network, faults, &drawn);
    int code = fl_print_text(&drawn);
    fl_picture_print_written(file);
    return code;
}

static int run(fl_call *call)
{
    const values *v = call->options.values;
    int code = FL_EXIT_BAD_INPUT;
    fl_fault_set faults = {0};
    fl_picture_file file;
    fl_error error;
    fl_network *network = fl_network_of(&v->network);
    if (network && !v->picture.picture)
        fl_complain("where shall the picture go? Give --picture FILE; --help shows more");
    else if (network && fl_fault_values_draw(&faults, network, &call->options, &v->faults, &error))
        fl_complain_of(&error);
    else if (network && fl_picture_of(call, &v->picture, &file))
        code = draw(call, network, &faults, &file);
    fl_fault_set_clear(&faults);
    fl_network_destroy(network);
    return code;
}

const fl_command fl_command_draw = {
    .name = "draw",
    .summary = "a drawing of a network and its faulty links",
    .about = "A drawing of a network, with faulty links if there are any. Of a network too large "
             "for one page, the ends of the faulty links are shown, or with --show all everything.",
    .usage = (const char *const[]){"NET --picture FILE [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .positional = (const char *const[]){"topology", NULL},
    .examples =
        (const char *const[]){"faultline draw mikant:k=3,n=3 --picture mikant.pdf",
                              "faultline draw kary-ntree:k=4,n=3 --faults 20 --picture tree.svg",
                              NULL},
    .exits = "exit codes: 0 done, 2 bad input or no picture (nothing done)",
    .run = run,
};
