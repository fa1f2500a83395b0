/* A figure as files: checks a plot, draws it as PNG and as SVG, and writes both. */
#include "plots/charts/private.h"

#include <assert.h>
#include <string.h>

typedef struct picture_kind {
    fl_plots_format format;
    const char *suffix;
    const char *ending; /* the last bytes of a complete file, except line ends */
    size_t ending_length;
} picture_kind;

/* A PNG ends with the chunk IEND: length 0, name, CRC. */
static const picture_kind kinds[] = {
    {FL_PLOTS_PNG, ".png", "IEND\xAE\x42\x60\x82", 8},
    {FL_PLOTS_SVG, ".svg", "</svg>", 6},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static fl_status check_series(const fl_plot_series *series, size_t number, fl_error *error)
{
    if (series->label == NULL)
        return fl_fail(error, FL_ERR_INVALID,
                       "series %zu has no label: the legend could not name it", number);
    if (series->points > 0 && (series->x == NULL || series->y == NULL))
        return fl_fail(error, FL_ERR_INVALID, "series '%s' has %zu points but no %s values",
                       series->label, series->points, series->x == NULL ? "x" : "y");
    if ((series->low == NULL) != (series->high == NULL))
        return fl_fail(error, FL_ERR_INVALID,
                       "series '%s' has half a band: give both low and high, or neither",
                       series->label);
    return FL_OK;
}

static fl_status check_plot(const fl_plot *plot, fl_error *error)
{
    if (plot->series_count == 0)
        return fl_fail(error, FL_ERR_INVALID, "plot '%s' has 0 series: a figure needs at least one",
                       plot->title != NULL ? plot->title : "");
    fl_status status = FL_OK;
    for (size_t i = 0; i < plot->series_count && status == FL_OK; i++)
        status = check_series(&plot->series[i], i + 1, error);
    return status;
}

/* gnuplot does not notice a full disk: it exits with 0 and prints nothing. */
static bool is_complete(const fl_text *picture, const picture_kind *kind)
{
    size_t length = picture->length;
    while (length > 0 && picture->data[length - 1] == '\n')
        length--;
    return length >= kind->ending_length && memcmp(picture->data + length - kind->ending_length,
                                                   kind->ending, kind->ending_length) == 0;
}

static void replace_all(fl_text *text, const char *old, const char *new)
{
    fl_text replaced = {0};
    const char *rest = text->data;
    for (const char *at; (at = strstr(rest, old)) != NULL; rest = at + strlen(old)) {
        fl_text_append_bytes(&replaced, rest, (size_t)(at - rest));
        fl_text_append_bytes(&replaced, new, strlen(new));
    }
    fl_text_append_bytes(&replaced, rest, strlen(rest));
    fl_text_clear(text);
    *text = replaced;
}

/* What gnuplot's SVG driver has no setting for. It leaves '>' as it is, which XML allows except
 * after two brackets; and it draws hollow markers with a hair line, whose width comes from the font
 * size (FL_PLOTS_TICK_SIZE) instead of the line width. Another version of gnuplot may spell that
 * differently; then markers stay thin. */
static fl_status fix_svg(fl_text *picture, fl_error *error)
{
    replace_all(picture, "]]>", "]]&gt;");
    if (!picture->failed)
        replace_all(picture, " stroke-width='0.127' ", " stroke-width='0.3' ");
    return picture->failed ? fl_fail(error, FL_ERR_MEMORY, "no memory for an SVG picture") : FL_OK;
}

static fl_status draw(fl_text *picture, const fl_plot *plot, const fl_plots_view *view,
                      const picture_kind *kind, fl_error *error)
{
    fl_text script = {0};
    fl_plots_figure(&script, plot, view, kind->format);
    fl_status status = script.failed
                           ? fl_fail(error, FL_ERR_MEMORY, "no memory for the script of a figure")
                           : fl_plots_gnuplot(picture, &script, error);
    fl_text_clear(&script);
    if (status == FL_OK && !is_complete(picture, kind))
        return fl_fail(
            error, FL_ERR_IO,
            "gnuplot drew only a part of the %s picture (%zu bytes): is there room for temporary files, and "
            "is it the gnuplot of the package gnuplot-nox?",
            kind->suffix, picture->length);
    return status == FL_OK && kind->format == FL_PLOTS_SVG ? fix_svg(picture, error) : status;
}

static fl_status store(const fl_text *picture, const char *path_without_suffix,
                       const picture_kind *kind, fl_error *error)
{
    fl_text path = {0};
    fl_text_append(&path, "%s%s", path_without_suffix, kind->suffix);
    fl_status status = path.failed
                           ? fl_fail(error, FL_ERR_MEMORY, "no memory for a file name")
                           : fl_file_write(path.data, picture->data, picture->length, error);
    fl_text_clear(&path);
    return status;
}

fl_status fl_plot_write(const fl_plot *plot, const char *path_without_suffix, fl_error *error)
{
    assert(plot != NULL && path_without_suffix != NULL);
    fl_text pictures[KINDS] = {{0}};
    fl_plots_view view;
    fl_status status = check_plot(plot, error);
    if (status == FL_OK)
        status = fl_plots_view_find(&view, plot, error);
    for (size_t i = 0; i < KINDS && status == FL_OK; i++)
        status = draw(&pictures[i], plot, &view, &kinds[i], error);
    for (size_t i = 0; i < KINDS && status == FL_OK; i++)
        status = store(&pictures[i], path_without_suffix, &kinds[i], error);
    for (size_t i = 0; i < KINDS; i++)
        fl_text_clear(&pictures[i]);
    return status;
}
