/* Which colour, marker and dash pattern a curve has: a fixed table, so that a router or a network
 * looks the same in every figure of every command.
 *
 * A reader may print the figure in grey, have a colour vision deficiency, and follow each of a
 * dozen curves that nearly coincide. So no curve depends on its colour alone. Curves of one subject
 * in one figure (a router on two networks, a network with two buffer sizes) keep its hue and differ
 * in fill, dashes and tint. */
#include "plots/charts/private.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Okabe and Ito's colours ("Color Universal Design", 2008) without the yellow, which is lost on
 * white paper, and six more chosen so that any two stay at least 16 CIELAB units apart for normal
 * sight and for each kind of colour blindness (Machado et al. 2009). The greys are those of what no
 * router can exceed. */
enum {
    BLACK,
    RED,
    BLUE,
    GREEN,
    PINK,
    SKY,
    WINE,
    ORANGE,
    VIOLET,
    OLIVE,
    FOREST,
    PURPLE,
    NAVY,
    HUES,
    GREY = HUES,
    PALE,
    COLOURS
};
static const char *const colours[COLOURS] = {
    [BLACK] = "#000000",  [RED] = "#D55E00",   [BLUE] = "#0072B2",   [GREEN] = "#009E73",
    [PINK] = "#CC79A7",   [SKY] = "#56B4E9",   [WINE] = "#882255",   [ORANGE] = "#E69F00",
    [VIOLET] = "#785EF0", [OLIVE] = "#666633", [FOREST] = "#00441B", [PURPLE] = "#762A83",
    [NAVY] = "#220088",   [GREY] = "#8C8C8C",  [PALE] = "#B4B4B4"};

/* gnuplot's numbers: from 4 on, even ones are hollow and the next odd one is the same shape filled.
 */
enum {
    PLUS = 1,
    CROSS,
    STAR,
    SQUARE,
    CIRCLE = 6,
    TRIANGLE = 8,
    DOWN = 10,
    DIAMOND = 12,
    PENTAGON = 14,
    FILLED = 1
};

static const char *const dashes[] = {"solid", "(14,5)", "(4,4)", "(14,4,3,4)"};
static const char *const envelope_dashes[] = {"solid", "(2,6)", "(9,6)", "(9,5,2,5)"};
enum { DASHES = COUNT(dashes) };

/* Of curves without a fixed look, by their place: neighbours differ in colour, dashes and marker,
 * and no two of the first 60 are alike. Pentagons last: small print turns them into circles. */
static const unsigned hues_by_place[] = {BLACK, RED,    BLUE,   GREEN, PINK,   SKY,
                                         WINE,  ORANGE, VIOLET, OLIVE, FOREST, PURPLE};
static const unsigned markers[] = {CIRCLE + FILLED,   SQUARE, TRIANGLE + FILLED, DIAMOND,
                                   SQUARE + FILLED,   DOWN,   DIAMOND + FILLED,  CIRCLE,
                                   DOWN + FILLED,     STAR,   TRIANGLE,          CROSS,
                                   PENTAGON + FILLED, PLUS,   PENTAGON};

/* ---- the table ---------------------------------------------------------------------- */

typedef struct row {
    const char *name;        /* of a router, or the family of a network */
    const char *settings[2]; /* NULL, or what the network's specification must contain, as "s=2" */
    unsigned colour, marker, dash;
} row;

/* By its canonical name. The base routing of each family of networks is what `shortest` is on it,
 * and looks like it. */
static const row routers[] = {
    {"shortest", {NULL, NULL}, BLACK, CIRCLE + FILLED, 0},
    {"tree-cube", {NULL, NULL}, BLACK, CIRCLE + FILLED, 0},
    {"fat-tree", {NULL, NULL}, BLACK, CIRCLE + FILLED, 0},
    {"dimension-order", {NULL, NULL}, BLACK, CIRCLE + FILLED, 0},
    {"hybrid-dor", {NULL, NULL}, BLACK, CIRCLE + FILLED, 0},
    {"dragonfly-minimal", {NULL, NULL}, BLACK, CIRCLE + FILLED, 0},
    {"gns", {NULL, NULL}, RED, SQUARE, 1},
    {"gdl", {NULL, NULL}, BLUE, TRIANGLE + FILLED, 2},
    {"three-turn", {NULL, NULL}, GREEN, DIAMOND, 3},
    {"gns+gdl", {NULL, NULL}, PINK, SQUARE + FILLED, 0},
    {"three-turn+gdl", {NULL, NULL}, SKY, DOWN, 1},
    {"gns+x-turns", {NULL, NULL}, WINE, DIAMOND + FILLED, 2},
    {"gns+x-turns+gdl", {NULL, NULL}, ORANGE, CIRCLE, 3},
    {"gns+three-turn", {NULL, NULL}, VIOLET, DOWN + FILLED, 0},
    {"gns+three-turn+gdl", {NULL, NULL}, OLIVE, STAR, 1},
    {"gns+three-turn+x-turns", {NULL, NULL}, NAVY, CROSS, 1},
    {"gns+three-turn+x-turns+gdl", {NULL, NULL}, FOREST, TRIANGLE, 2},
    {"adaptive-up", {NULL, NULL}, BLUE, SQUARE, 0},
    {"adaptive-up+gns", {NULL, NULL}, RED, CIRCLE + FILLED, 2},
    {"adaptive-up+gdl", {NULL, NULL}, SKY, SQUARE + FILLED, 2},
    {"adaptive-up+three-turn", {NULL, NULL}, OLIVE, DOWN, 2},
    {"adaptive-up+gns+gdl", {NULL, NULL}, ORANGE, TRIANGLE + FILLED, 2},
    {"adaptive-up+three-turn+gdl", {NULL, NULL}, GREEN, DOWN + FILLED, 3},
    {"adaptive-up+gns+three-turn", {NULL, NULL}, PURPLE, DIAMOND, 1},
    {"adaptive-up+gns+three-turn+gdl", {NULL, NULL}, BLUE, DIAMOND, 3},
    {"adaptive-up+gns+three-turn+x-turns+gdl", {NULL, NULL}, WINE, TRIANGLE, 2},
    {"adaptive-up+gns+three-turn+gdl+adaptive-ecube", {NULL, NULL}, RED, TRIANGLE, 3},
    {"adaptive-up+three-turn+adaptive-ecube", {NULL, NULL}, PINK, DOWN, 2},
    {"adaptive-ecube", {NULL, NULL}, NAVY, DOWN + FILLED, 1},
    {"minimal-adaptive", {NULL, NULL}, GREEN, SQUARE + FILLED, 1},
    {"d-mod-k", {NULL, NULL}, RED, DIAMOND + FILLED, 3},
    {"spiral", {NULL, NULL}, VIOLET, PENTAGON + FILLED, 3},
    {"spiral-bare", {NULL, NULL}, VIOLET, PENTAGON, 1},
    {"table", {NULL, NULL}, PURPLE, CIRCLE, 1},
    {"limit", {NULL, NULL}, GREY, PENTAGON, 0},
    {"minimal-limit", {NULL, NULL}, PALE, PENTAGON + FILLED, 0},
};

/* The first row that fits. KNS networks, flattened butterflies and trees by their member: the same
 * in all sizes. */
static const row networks[] = {
    {"kns", {"sub=ruft", "s=2"}, PINK, SQUARE, 1},
    {"kns", {"sub=ruft", "s=3"}, WINE, TRIANGLE, 1},
    {"kns", {"sub=ruft", "s=4"}, WINE, TRIANGLE, 1},
    {"kns", {"sub=ruft", NULL}, PURPLE, DIAMOND, 1},
    {"kns", {"sub=fattree", "s=2"}, SKY, SQUARE + FILLED, 0},
    {"kns", {"sub=fattree", "s=3"}, BLUE, TRIANGLE + FILLED, 0},
    {"kns", {"sub=fattree", "s=4"}, BLUE, TRIANGLE + FILLED, 0},
    {"kns", {"sub=fattree", NULL}, VIOLET, DIAMOND + FILLED, 0},
    {"kns", {NULL, NULL}, BLACK, CIRCLE + FILLED, 0},
    {"fbfly", {"k=2", NULL}, FOREST, CIRCLE, 2},
    {"fbfly", {"k=4", NULL}, GREEN, DOWN, 1},
    {"fbfly", {NULL, NULL}, GREEN, DOWN + FILLED, 2},
    {"kary-ntree", {"k=2", NULL}, RED, STAR, 1},
    {"kary-ntree", {"k=4", NULL}, ORANGE, PENTAGON, 3},
    {"kary-ntree", {NULL, NULL}, RED, PENTAGON + FILLED, 3},
    {"torus", {NULL, NULL}, OLIVE, CROSS, 1},
    {"mesh", {NULL, NULL}, NAVY, PLUS, 2},
    {"mikant", {NULL, NULL}, BLUE, CIRCLE + FILLED, 0},
    {"clos", {NULL, NULL}, ORANGE, SQUARE, 1},
    {"thintree", {"up=2", NULL}, BLUE, DOWN + FILLED, 2},
    {"thintree", {NULL, NULL}, GREEN, DIAMOND, 1},
    {"cat", {NULL, NULL}, WINE, CIRCLE + FILLED, 0},
    {"micat", {NULL, NULL}, PINK, SQUARE + FILLED, 2},
    {"fattree3", {NULL, NULL}, PURPLE, TRIANGLE + FILLED, 1},
    {"hypercube", {NULL, NULL}, FOREST, SQUARE + FILLED, 0},
    {"dragonfly", {NULL, NULL}, ORANGE, DIAMOND + FILLED, 0},
    {"clique", {NULL, NULL}, PURPLE, CIRCLE + FILLED, 2},
    {"star", {NULL, NULL}, SKY, STAR, 1},
    {"biclique", {NULL, NULL}, GREEN, TRIANGLE, 3},
    {"xyclique", {NULL, NULL}, PINK, TRIANGLE + FILLED, 2},
    {"polarity", {NULL, NULL}, RED, DIAMOND, 0},
    {"wk", {NULL, NULL}, VIOLET, SQUARE, 1},
    {"rdn", {NULL, NULL}, SKY, CIRCLE, 2},
    {"random", {NULL, NULL}, BLACK, CROSS, 3},
    {"la", {NULL, NULL}, NAVY, SQUARE + FILLED, 0},
    {"nd", {NULL, NULL}, NAVY, DIAMOND, 1},
    {"pla", {NULL, NULL}, WINE, DOWN, 2},
    {"pnd", {NULL, NULL}, WINE, PENTAGON, 3},
    {"pp", {NULL, NULL}, PURPLE, STAR, 0},
    {"file", {NULL, NULL}, BLACK, STAR, 1},
};

/* "k=2" in "fbfly:k=2,n=15", but not in "kary-ntree:kk=2" or "fbfly:k=21,n=2". */
static bool has_setting(const char *parameters, const char *setting)
{
    size_t length = strlen(setting);
    for (const char *at = parameters; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, setting, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static bool fits(const row *r, const char *subject, size_t length)
{
    if (strlen(r->name) != length || strncmp(r->name, subject, length) != 0)
        return false;
    const char *parameters = subject + length + (subject[length] == ':');
    for (size_t i = 0; i < COUNT(r->settings) && r->settings[i]; i++)
        if (!has_setting(parameters, r->settings[i]))
            return false;
    return true;
}

/* Networks have a colon behind their family, routers an @ before their virtual channels. */
static size_t name_length(const char *subject, bool *is_network)
{
    size_t length = strcspn(subject, ":@");
    *is_network = subject[length] == ':';
    return length;
}

static const row *find_row(const char *subject)
{
    bool is_network;
    size_t length = name_length(subject, &is_network);
    const row *rows = is_network ? networks : routers;
    for (size_t i = 0; i < (is_network ? COUNT(networks) : COUNT(routers)); i++)
        if (fits(&rows[i], subject, length))
            return &rows[i];
    return NULL;
}

static bool is_same_subject(const char *a, const char *b)
{
    bool network_a, network_b;
    const row *row_a = find_row(a), *row_b = find_row(b);
    size_t length_a = name_length(a, &network_a), length_b = name_length(b, &network_b);
    if (row_a && row_b)
        return row_a->colour == row_b->colour && row_a->marker == row_b->marker;
    return !row_a && !row_b && network_a == network_b && length_a == length_b &&
           strncmp(a, b, length_a) == 0;
}

size_t fl_plot_subjects(const char *const *subjects, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (!is_same_subject(subjects[first], subjects[i]))
            first++;
        different += first == i;
    }
    return different;
}

/* ---- looks of one figure -------------------------------------------------------------- */

static void set_colour(fl_plots_look *look, unsigned colour, bool tinted)
{
    unsigned parts[3];
    snprintf(look->colour, sizeof look->colour, "%s", colours[colour]);
    if (!tinted || sscanf(colours[colour], "#%2x%2x%2x", &parts[0], &parts[1], &parts[2]) != 3)
        return;
    for (int i = 0; i < 3; i++)
        parts[i] = (parts[i] + 255) / 2;
    snprintf(look->colour, sizeof look->colour, "#%02X%02X%02X", parts[0] & 0xFF, parts[1] & 0xFF,
             parts[2] & 0xFF);
}

/* Variant 0 is the look itself. Each of the next three has its own dashes, every other one has
 * an inverted fill, and the last two are lighter; then the same with another marker. */
static void set_look(fl_plots_look *look, const row *base, unsigned variant, bool envelope)
{
    unsigned marker = base->marker;
    for (unsigned i = 0; variant >= DASHES && i < COUNT(markers); i++)
        if (markers[i] == base->marker)
            marker = markers[(i + variant / DASHES) % COUNT(markers)];
    if (variant % 2 == 1 && marker >= SQUARE)
        marker ^= FILLED;
    bool grey = base->colour >= HUES;
    look->marker = (int)marker;
    look->dash = envelope ? envelope_dashes[(variant + !grey) % DASHES]
                          : dashes[(base->dash + variant) % DASHES];
    set_colour(look, base->colour, variant % DASHES >= 2);
}

static bool is_alike(const fl_plots_look *a, const fl_plots_look *b)
{
    return strcmp(a->colour, b->colour) == 0 && a->marker == b->marker &&
           strcmp(a->dash, b->dash) == 0;
}

typedef struct scene {
    const fl_plot *plot;
    fl_plots_look *looks; /* [series_count] */
    row *bases;           /* the same; name NULL: not known yet */
} scene;

static bool is_taken(const scene *s, size_t series)
{
    for (size_t i = 0; i < s->plot->series_count; i++)
        if (i != series && s->looks[i].dash && is_alike(&s->looks[i], &s->looks[series]))
            return true;
    return false;
}

enum { VARIANTS_MAX = DASHES * (int)COUNT(markers) };

/* The first variant that no other curve of the figure has. */
static void take_variant(scene *s, size_t series)
{
    bool envelope = s->plot->series[series].envelope;
    fl_plots_look look = {.dash = NULL};
    for (unsigned variant = 0; variant < VARIANTS_MAX; variant++) {
        s->looks[series].dash = NULL;
        set_look(&look, &s->bases[series], variant, envelope);
        s->looks[series] = look;
        if (!is_taken(s, series))
            return;
    }
}

static bool is_in_table(unsigned colour, unsigned marker)
{
    for (size_t i = 0; i < COUNT(routers); i++)
        if (routers[i].colour == colour && routers[i].marker == marker)
            return true;
    for (size_t i = 0; i < COUNT(networks); i++)
        if (networks[i].colour == colour && networks[i].marker == marker)
            return true;
    return false;
}

/* Whether another subject of the figure has the colour, and with the marker. */
static void find_users(const scene *s, unsigned colour, unsigned marker, bool *of_colour,
                       bool *of_both)
{
    *of_colour = *of_both = false;
    for (size_t i = 0; i < s->plot->series_count; i++) {
        bool same = s->bases[i].name && s->bases[i].colour == colour;
        *of_colour |= same;
        *of_both |= same && s->bases[i].marker == marker;
    }
}

/* Of a subject that is not in the table (a plug-in's): from its name, and if another curve of the
 * figure has that colour the next that is free. Never a look of the table. */
static row base_of_unknown(const scene *s, const char *subject)
{
    bool is_network, of_colour, of_both;
    size_t length = name_length(subject, &is_network), all = HUES * COUNT(markers);
    uint64_t hash = fl_text_hash(subject, length);
    row base = {.name = subject};
    for (int second = 0; second < 2; second++)
        for (size_t i = 0; i < all; i++) {
            size_t place = (size_t)((hash + i) % all);
            base.colour = (unsigned)(place % HUES);
            base.marker = markers[place / HUES];
            base.dash = (unsigned)(place % DASHES);
            find_users(s, base.colour, base.marker, &of_colour, &of_both);
            if (!is_in_table(base.colour, base.marker) && !of_both && (second || !of_colour))
                return base;
        }
    return base;
}

static row base_of_place(const scene *s, size_t series)
{
    size_t place = 0;
    for (size_t i = 0; i < series; i++)
        place += s->plot->series[i].subject == NULL;
    return (row){.name = "",
                 .colour = hues_by_place[place % COUNT(hues_by_place)],
                 .marker = markers[place % COUNT(markers)],
                 .dash = (unsigned)(place % DASHES)};
}

/* The first curve of each known subject, then those of other subjects, then further curves of all
 * of them: a fixed look is never changed. */
static void find_looks(scene *s)
{
    size_t count = s->plot->series_count;
    const fl_plot_series *series = s->plot->series;
    for (size_t i = 0; i < count; i++) {
        const row *known = series[i].subject ? find_row(series[i].subject) : NULL;
        if (known)
            s->bases[i] = *known;
        else if (!series[i].subject)
            s->bases[i] = base_of_place(s, i);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i && !s->bases[i].name; j++)
            if (j == i)
                s->bases[i] = base_of_unknown(s, series[i].subject);
            else if (series[j].subject && is_same_subject(series[i].subject, series[j].subject))
                s->bases[i] = s->bases[j];
    for (int further = 0; further < 2; further++)
        for (size_t i = 0; i < count; i++) {
            bool first = true;
            for (size_t j = 0; j < i; j++)
                first &= s->bases[j].colour != s->bases[i].colour ||
                         s->bases[j].marker != s->bases[i].marker;
            if (first != (further == 1))
                take_variant(s, i);
        }
}

bool fl_plots_looks_find(fl_plots_look *looks, const fl_plot *plot)
{
    scene s = {plot, looks, calloc(plot->series_count + 1, sizeof *s.bases)};
    if (!s.bases)
        return false;
    for (size_t i = 0; i < plot->series_count; i++)
        looks[i] = (fl_plots_look){.dash = NULL};
    find_looks(&s);
    free(s.bases);
    return true;
}
