#include "cli/picture.h"

#include <string.h>

static const fl_option option_table[] = {
    {"topology", "NET", "network, e.g. mikant:k=3,n=3 (see 'faultline list')", NULL},
    FL_FAULT_OPTIONS,
    {"out", "FILE", "the picture: FILE.svg, FILE.pdf or FILE.png", NULL},
    FL_PICTURE_OPTIONS,
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static void print_help(void)
{
    puts("A drawing of a network, with faulty links if there are any.\n\n"
         "usage: faultline draw --topology NET --out FILE [OPTIONS]\n\noptions:");
    fl_options_print(option_table, stdout);
    puts(
        "\nOf a network too large for one page the ends of the faulty links are shown, or with --show all everything.\n\n"
        "examples:\n"
        "  faultline draw --topology mikant:k=3,n=3 --out mikant\n"
        "  faultline draw --topology kary-ntree:k=4,n=3 --faults 20 --out tree.svg\n\n"
        "exit codes: 0 done, 2 bad input or no picture (nothing done)");
}

static int run(const fl_option *options, const fl_network *network, const fl_fault_set *faults,
               const fl_picture_file *file)
{
    fl_text title = {0}, subtitle = {0}, drawn = {0};
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
    fl_faults_append_drawn(options, network, faults, &drawn);
    fl_status status =
        title.failed || subtitle.failed || drawn.failed
            ? fl_fail(&error, FL_ERR_MEMORY, "out of memory for the title of a drawing")
            : fl_drawing_write(&drawing, file->path, &error);
    fl_text_clear(&title);
    fl_text_clear(&subtitle);
    if (status)
        return fl_text_clear(&drawn), fl_complain_of(&error);
    int code = fl_print_text(&drawn);
    fl_picture_say_written(file);
    return code;
}

int fl_command_draw(int count, char **arguments)
{
    fl_option options[sizeof option_table / sizeof *option_table];
    memcpy(options, option_table, sizeof options);
    int positional, code = FL_EXIT_BAD_INPUT;
    fl_fault_set faults = {0};
    fl_picture_file file;
    if (!fl_options_read(options, count, arguments, NULL, 0, &positional))
        return FL_EXIT_BAD_INPUT;
    if (fl_option_value(options, "help")) {
        print_help();
        return FL_EXIT_OK;
    }
    fl_network *network = fl_network_from_options(options);
    if (network && !fl_option_value(options, "out"))
        fl_complain("where shall the picture go? Give --out FILE; --help tells more");
    else if (network && fl_faults_from_options(options, network, &faults) &&
             fl_picture_from_options(options, &file))
        code = run(options, network, &faults, &file);
    fl_fault_set_clear(&faults);
    fl_network_destroy(network);
    return code;
}
