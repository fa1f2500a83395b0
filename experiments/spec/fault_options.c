/* One set of faults, as options ask for it. */
#include "experiments/spec/fault_options.h"

#include <stddef.h>

#define OFFSET(member) offsetof(fl_fault_values, member)

const fl_option_row fl_fault_rows[] = {
    {.name = "fail",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(fail),
     .value = "LINKS",
     .help = "links that are down: LINK;LINK... or @FILE with one a line; a LINK is two labels "
             "joined by '-', or a link number",
     .was = "fault-list"},
    {.name = "faults",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(faults),
     .value = "N",
     .help = "instead: N faulty components, drawn at random"},
    {.name = "fault-rate",
     .kind = FL_OPTION_NUMBER,
     .offset = OFFSET(fault_rate),
     .value = "P",
     .help = "instead: such a fraction of faulty components; with draw=independent: such a failure "
             "probability",
     .most = 1},
    {.name = "fault-model",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(fault_model),
     .value = "MODEL",
     .help = "what fails then, as for sweep",
     .preset = "links",
     .was = "fault-class",
     .now = "fault-model links:class=CLASS"},
    {.name = "seed",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(seed),
     .value = "N",
     .help = "seed of the faults drawn",
     .preset = "1",
     .most = (double)FL_JSON_U64_MAX,
     .was = "fault-seed"},
    {.name = "trial",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(trial),
     .value = "N",
     .help = "which set of faults of that seed",
     .preset = "0"},
    {0}};

fl_status fl_fault_check(const fl_options *options, const char *const *of_drawn, fl_error *error)
{
    static const char *const choices[] = {"fail", "faults", "fault-rate"};
    const char *given = NULL;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (!fl_option_given(options, choices[i]))
            continue;
        if (given)
            return fl_fail(error, FL_ERR_INVALID, "give --%s or --%s, not both", given, choices[i]);
        given = choices[i];
    }
    bool drawn = given && given != choices[0];
    for (; *of_drawn; of_drawn++)
        if (fl_option_given(options, *of_drawn) && !drawn)
            return fl_fail(
                error, FL_ERR_INVALID,
                "--%s belongs to faults that are drawn: give --faults or --fault-rate too",
                *of_drawn);
    return FL_OK;
}

static fl_status parse_links(fl_fault_set *out, const fl_network *network, const char *links,
                             fl_error *error)
{
    fl_status status = fl_fault_set_parse(out, network, links, error);
    if (status == FL_ERR_INVALID && links[0] != '@' && fl_file_exists(links))
        return fl_fail(error, status, "--fail %s: to read the links from this file, write @%s",
                       links, links);
    return fl_option_fail(error, status, "fail", NULL);
}

static fl_status draw(fl_fault_set *out, const fl_network *network, const fl_fault_choice *choice,
                      fl_error *error)
{
    fl_fault_model *model;
    const fl_axis axis = {.rates = !choice->count,
                          .fault_points = 1,
                          .counts = choice->count,
                          .rate = choice->count ? NULL : choice->rate};
    fl_status status = fl_fault_model_create(&model, network, choice->model, &axis, error);
    if (status)
        return status;
    status = fl_fault_set_draw(out, network, model, 0, choice->seed, choice->trial, error);
    fl_fault_model_destroy(model);
    return status;
}

fl_status fl_fault_choose(fl_fault_set *out, const fl_network *network,
                          const fl_fault_choice *choice, fl_error *error)
{
    *out = (fl_fault_set){0};
    if (choice->fail)
        return parse_links(out, network, choice->fail, error);
    return choice->count || choice->rate ? draw(out, network, choice, error) : FL_OK;
}

fl_status fl_fault_values_draw(fl_fault_set *out, const fl_network *network,
                               const fl_options *options, const fl_fault_values *values,
                               fl_error *error)
{
    static const char *const of_drawn[] = {"fault-model", "seed", "trial", NULL};
    const fl_fault_choice choice = {
        .fail = values->fail,
        .count = fl_option_given(options, "faults") ? &values->faults : NULL,
        .rate = fl_option_given(options, "fault-rate") ? &values->fault_rate : NULL,
        .model = values->fault_model,
        .seed = values->seed,
        .trial = values->trial};
    *out = (fl_fault_set){0};
    fl_status status = fl_fault_check(options, of_drawn, error);
    return status ? status : fl_fault_choose(out, network, &choice, error);
}
