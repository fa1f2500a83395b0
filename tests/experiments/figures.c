/* What figures look like: colours, markers and dashes of curves, arrows of saturated ones, values
 * on a logarithmic axis. */
#include "plots/charts/private.h"
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES = 48 };

static const double xs[] = {0, 1, 2}, ys[] = {1, 2, 4};

static fl_plot_series curve_of(const char *subject)
{
    return (fl_plot_series){.label = "curve", .points = 3, .x = xs, .y = ys, .subject = subject};
}

static void find(fl_plots_look *looks, fl_plot_series *series, const char *const *subjects,
                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        series[i] = curve_of(subjects[i]);
    const fl_plot plot = {.series_count = count, .series = series};
    cr_assert(fl_plots_looks_find(looks, &plot));
}

static bool are_alike(const fl_plots_look *a, const fl_plots_look *b)
{
    return strcmp(a->colour, b->colour) == 0 && a->marker == b->marker &&
           strcmp(a->dash, b->dash) == 0;
}

static bool have_same_symbol(const fl_plots_look *a, const fl_plots_look *b)
{
    return strcmp(a->colour, b->colour) == 0 && a->marker == b->marker;
}

/* Every set of detour rules, as routers spell them. */
static size_t all_rule_sets(char names[64][96], const char **subjects)
{
    static const char *const rules[] = {"adaptive-up", "gns", "three-turn",
                                        "x-turns",     "gdl", "adaptive-ecube"};
    for (unsigned set = 0; set < 64; set++) {
        names[set][0] = 0;
        for (unsigned r = 0; r < 6; r++)
            if (set & 1u << r)
                snprintf(names[set] + strlen(names[set]), 96 - strlen(names[set]), "%s%s",
                         names[set][0] ? "+" : "", rules[r]);
        if (set == 0)
            snprintf(names[set], 96, "shortest");
        subjects[set] = names[set];
    }
    return 64;
}

static void need_all_different(const fl_plots_look *looks, const char *const *subjects,
                               size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            cr_assert(!are_alike(&looks[i], &looks[j]),
                      "%zu (%s) and %zu (%s): %s, marker %d, dashes %s", j,
                      subjects[j] ? subjects[j] : "-", i, subjects[i] ? subjects[i] : "-",
                      looks[i].colour, looks[i].marker, looks[i].dash);
}

/* Routers and networks of the table, one for each look. */
static const char *const routers[] = {"minimal-adaptive",
                                      "d-mod-k",
                                      "spiral",
                                      "spiral-bare",
                                      "table",
                                      "limit",
                                      "minimal-limit",
                                      "shortest",
                                      "gns",
                                      "gdl",
                                      "three-turn",
                                      "gns+gdl",
                                      "three-turn+gdl",
                                      "gns+x-turns",
                                      "gns+x-turns+gdl",
                                      "gns+three-turn",
                                      "gns+three-turn+gdl",
                                      "gns+three-turn+x-turns+gdl",
                                      "adaptive-up",
                                      "adaptive-up+gns+gdl",
                                      "adaptive-up+three-turn+gdl",
                                      "adaptive-up+gns+three-turn+gdl",
                                      "adaptive-up+gns+three-turn+x-turns+gdl"};
static const char *const networks[] = {"kns:k=4,n=2",
                                       "kns:s=2,sub=ruft",
                                       "kns:s=4,sub=ruft",
                                       "kns:s=8,sub=ruft",
                                       "kns:s=2,sub=fattree",
                                       "kns:s=4,sub=fattree",
                                       "kns:s=8,sub=fattree",
                                       "fbfly:k=2",
                                       "fbfly:k=4",
                                       "fbfly:k=16",
                                       "kary-ntree:k=2",
                                       "kary-ntree:k=4",
                                       "kary-ntree:k=16",
                                       "torus:k=4",
                                       "mesh:k=4",
                                       "mikant:k=3",
                                       "clos:k=3",
                                       "thintree:k=4,up=2",
                                       "thintree:k=8,up=4",
                                       "cat:k=3",
                                       "micat:k=3",
                                       "fattree3:K=4",
                                       "hypercube:k=3",
                                       "dragonfly:a=4",
                                       "clique:m=3",
                                       "star:r=3",
                                       "biclique:m1=2",
                                       "xyclique:m=4",
                                       "polarity:q=2",
                                       "wk:K=2",
                                       "rdn:k=1",
                                       "random:n=4",
                                       "la:p=2",
                                       "nd:p=2",
                                       "pla:p=2",
                                       "pnd:p=2",
                                       "pp:p=3",
                                       "file:x"};

/* Alone, last in the list, and together with unknown names. */
Test(looks, what_is_known_looks_the_same_in_every_figure)
{
    static const char *const known[] = {"shortest",
                                        "gns",
                                        "gns+three-turn+x-turns+gdl",
                                        "spiral",
                                        "adaptive-up",
                                        "limit",
                                        "kns:k=16,n=2",
                                        "kns:k=64,n=2,s=6,sub=ruft",
                                        "fbfly:k=2,n=7,p=2",
                                        "mesh:k=4,n=8",
                                        "mikant:k=4,n=5",
                                        "thintree:k=8,up=4,n=3"};
    static const char *const others[] = {"a-plug-in",  "gns+gdl",       "another", "three-turn",
                                         "my-net:k=2", "torus:k=4,n=2", NULL};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *figure[16] = {known[i]};
        fl_plots_look alone, looks[16];
        fl_plot_series series[16];
        find(&alone, series, figure, 1);
        size_t count = 0;
        for (; others[count]; count++)
            figure[count] = others[count];
        figure[count++] = known[i];
        find(looks, series, figure, count);
        cr_expect(are_alike(&looks[count - 1], &alone), "%s", known[i]);
    }
}

Test(looks, virtual_channels_and_sizes_do_not_matter)
{
    static const char *const same[][2] = {
        {"gns+gdl", "gns+gdl@turns:3"},
        {"shortest", "dimension-order"},
        {"kns:k=16,n=2,s=2,sub=ruft", "kns:k=256,n=2,s=2,sub=ruft"},
        {"mesh:k=2,n=3", "mesh:k=8,n=2"},
        {"a-plug-in", "a-plug-in@one:2"},
        {"my-net:k=2", "my-net:k=3"}};
    static const char *const different[][2] = {
        {"kns:k=16,n=2,s=2,sub=ruft", "kns:k=16,n=2,s=2,sub=fattree"},
        {"gns", "gdl"},
        {"fbfly:k=2,n=7", "fbfly:k=21,n=7"},
        {"my-net:k=2", "your-net:k=2"},
        {"my-net", "my-net:k=2"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        cr_expect(fl_plot_subjects(same[i], 2) == 1, "%s, %s", same[i][0], same[i][1]);
    for (size_t i = 0; i < sizeof different / sizeof *different; i++)
        cr_expect(fl_plot_subjects(different[i], 2) == 2, "%s, %s", different[i][0],
                  different[i][1]);
}

Test(looks, no_two_routers_or_networks_of_the_table_have_the_same_symbol)
{
    const char *const *lists[] = {routers, networks};
    const size_t counts[] = {sizeof routers / sizeof *routers, sizeof networks / sizeof *networks};
    for (int l = 0; l < 2; l++) {
        fl_plots_look looks[CURVES];
        fl_plot_series series[CURVES];
        find(looks, series, lists[l], counts[l]);
        cr_expect(fl_plot_subjects(lists[l], counts[l]) == counts[l]);
        for (size_t i = 0; i < counts[l]; i++)
            for (size_t j = 0; j < i; j++)
                cr_expect(!have_same_symbol(&looks[i], &looks[j]), "%s and %s", lists[l][i],
                          lists[l][j]);
    }
}

Test(looks, no_two_curves_of_a_figure_are_alike)
{
    char names[64][96];
    const char *subjects[128];
    fl_plots_look looks[128];
    fl_plot_series series[128];
    size_t count = all_rule_sets(names, subjects);
    find(looks, series, subjects, count);
    need_all_different(looks, subjects, count);
    for (size_t i = 0; i < 40; i++) /* three routers on many networks */
        subjects[i] = i % 2 ? "gns" : i % 5 ? "a-plug-in" : "gdl@turns:3";
    find(looks, series, subjects, 40);
    need_all_different(looks, subjects, 40);
    for (size_t i = 0; i < 60; i++)
        subjects[i] = NULL;
    find(looks, series, subjects, 60);
    need_all_different(looks, subjects, 60);
}

Test(looks, further_curves_of_a_router_keep_its_hue)
{
    static const char *const subjects[] = {"gns", "gdl", "gns", "gns@turns:3"};
    fl_plots_look looks[4];
    fl_plot_series series[4];
    find(looks, series, subjects, 4);
    cr_expect_str_eq(looks[2].colour, looks[0].colour);
    cr_expect_neq(looks[2].marker, looks[0].marker, "filled, not hollow");
    cr_expect_eq(looks[2].marker ^ 1, looks[0].marker);
    cr_expect_str_neq(looks[2].dash, looks[0].dash);
    cr_expect_str_neq(looks[3].colour, looks[0].colour, "a tint");
}

/* Plug-ins get their look from their name, never that of a router of the table, and two plug-ins
 * differ as long as there are colours left. */
Test(looks, strangers_have_colours_of_their_own)
{
    char names[10][16];
    const char *subjects[32] = {"shortest", "gns"};
    fl_plots_look looks[32], alone;
    fl_plot_series series[32];
    for (size_t i = 0; i < 10; i++) {
        snprintf(names[i], sizeof names[i], "stranger-%zu", i);
        subjects[i + 2] = names[i];
    }
    find(looks, series, subjects, 12);
    for (size_t i = 0; i < 12; i++)
        for (size_t j = 0; j < i; j++)
            cr_expect_str_neq(looks[i].colour, looks[j].colour, "%s and %s", subjects[i],
                              subjects[j]);
    for (size_t i = 2; i < 12; i++) {
        find(&alone, series, &subjects[i], 1);
        for (size_t k = 0; k < sizeof routers / sizeof *routers; k++) {
            fl_plots_look one;
            find(&one, series, &routers[k], 1);
            cr_expect(!have_same_symbol(&alone, &one), "%s and %s", subjects[i], routers[k]);
        }
    }
}

Test(looks, limits_behind_other_curves_can_be_distinguished)
{
    static const char *const subjects[] = {"limit", "shortest", "limit", "minimal-limit", "limit"};
    fl_plots_look looks[5];
    fl_plot_series series[5];
    for (size_t i = 0; i < 5; i++) {
        series[i] = curve_of(subjects[i]);
        series[i].envelope = i != 1;
    }
    const fl_plot plot = {.series_count = 5, .series = series};
    cr_assert(fl_plots_looks_find(looks, &plot));
    need_all_different(looks, subjects, 5);
}

/* ---- the script ---- */

static char *script_of(const fl_plot *plot)
{
    fl_text script = {0};
    fl_plots_view view;
    fl_error error = {.text = ""};
    cr_assert(fl_plots_view_find(&view, plot, &error) == FL_OK, "%s", error.text);
    fl_plots_figure(&script, plot, &view, FL_PLOTS_SVG);
    cr_assert(!script.failed);
    return script.data;
}

/* The data of a block of the script: a copy. */
static char *block_of(const char *script, const char *name)
{
    char head[32];
    snprintf(head, sizeof head, "$%s << EOD\n", name);
    const char *at = strstr(script, head);
    cr_assert(at, "%s", name);
    at += strlen(head);
    const char *end = strstr(at, "EOD");
    char *block = need_memory((size_t)(end - at) + 1, 1);
    memcpy(block, at, (size_t)(end - at));
    return block;
}

static void expect_block(const char *script, const char *name, const char *expected)
{
    char *block = block_of(script, name);
    cr_expect_str_eq(block, expected, "%s", name);
    free(block);
}

Test(figures, a_saturated_curve_ends_where_it_was_measured_last)
{
    fl_plot_series series = curve_of("shortest");
    series.rises = true;
    series.rise_x = 2.5;
    const fl_plot plot = {
        .x_min = 0, .x_max = 3, .y_min = 0, .y_max = 100, .series_count = 1, .series = &series};
    char *script = script_of(&plot);
    expect_block(script, "line0", "0 1\n1 2\n2 4\n");
    expect_block(script, "rise0", "2 4\n2.5 4\n2.5 100\n");
    expect_block(script, "stop0", "2.5 95\n");
    expect_block(script, "arrow0", "2.5 95 0 5\n");
    cr_expect(
        strstr(script, "$rise0 using 1:2 with lines lc rgb '#000000' lw 1.5 dt (2,5) notitle"),
        "dotted and thin");
    free(script);
}

/* The last point is above the frame: the arrow alone. Neighbours have their markers at different
 * heights. */
Test(figures, arrows_of_neighbours_have_markers_of_their_own_height)
{
    fl_plot_series series[] = {curve_of("gns"), curve_of("gdl")};
    for (int i = 0; i < 2; i++) {
        series[i].rises = true;
        series[i].rise_x = 2.5 - .01 * i;
    }
    const fl_plot plot = {
        .x_min = 0, .x_max = 3, .y_min = 0, .y_max = 3, .series_count = 2, .series = series};
    char *script = script_of(&plot);
    expect_block(script, "stop0", "2.5 2.76\n");
    expect_block(script, "stop1", "2.49 2.85\n");
    expect_block(script, "rise1", "2.49 2.85\n2.49 3\n");
    free(script);
}

Test(figures, on_a_logarithmic_axis_there_are_points_in_place_of_bars)
{
    static const char *const groups[] = {"a", "b", "c"};
    fl_plot_series series[] = {curve_of(NULL), curve_of(NULL)};
    fl_plot plot = {.x_min = -.6,
                    .x_max = 2.6,
                    .y_min = 0,
                    .y_max = 5,
                    .group_count = 3,
                    .groups = groups,
                    .series_count = 2,
                    .series = series};
    char *script = script_of(&plot);
    cr_expect(strstr(script, "with boxes") && !strstr(script, "with points"));
    free(script);
    plot.log_y = true;
    plot.y_min = NAN;
    script = script_of(&plot);
    cr_expect(!strstr(script, "with boxes") && strstr(script, "with points"));
    free(script);
}
