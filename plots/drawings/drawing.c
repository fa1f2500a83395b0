/* Drawings of networks as files. */
#include "plots/drawings.h"

#include "core/core.h"
#include "plots/drawings/page.h"

#include <string.h>
#include <strings.h>

const char *const fl_extent_names[] = {
    [FL_EXTENT_AUTO] = "auto", [FL_EXTENT_ALL] = "all", [FL_EXTENT_PART] = "part", NULL};

static fl_status find_format(const char *path, fl_canvas_format *format, fl_error *error)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path,
               *ending = strrchr(name, '.');
    for (int i = 0; ending && fl_canvas_suffixes[i]; i++) {
        if (strcasecmp(ending, fl_canvas_suffixes[i]) != 0)
            continue;
        *format = (fl_canvas_format)i;
        return ending > name
                   ? FL_OK
                   : fl_fail(error, FL_ERR_INVALID,
                             "'%s' has no name before the ending, as in picture%s", path, ending);
    }
    return fl_fail(error, FL_ERR_INVALID,
                   "'%s' has no ending that names a format: FILE.svg, FILE.pdf or FILE.png", path);
}

fl_status fl_drawing_check_path(const char *path, fl_error *error)
{
    fl_canvas_format format;
    return find_format(path, &format, error);
}

fl_status fl_drawing_write(const fl_drawing *drawing, const char *path, fl_error *error)
{
    fl_canvas canvas = {0};
    fl_canvas_format format;
    fl_text file = {0};
    fl_status status = find_format(path, &format, error);
    if (!status)
        status = fl_page_compose(&canvas, drawing, error);
    if (!status)
        status = fl_canvas_render(&canvas, format,
                                  drawing->title ? drawing->title : drawing->network->spec, &file,
                                  error);
    if (!status)
        status = fl_file_write(path, file.data, file.length, error);
    fl_canvas_clear(&canvas);
    fl_text_clear(&file);
    return status;
}
