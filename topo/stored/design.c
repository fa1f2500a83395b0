/* Designs by which groups of nodes share copies of a switch network. */
#include "topo/stored/design.h"
#include "topo/stored/field.h"
#include "topo/stored/plane.h"

#include <stdlib.h>
#include <string.h>

void fl_design_destroy(fl_design *design)
{
    free(design->copies_of);
    free(design->groups_at);
    *design = (fl_design){0};
}

/* Sets the counts and makes room. */
static fl_status begin(fl_design *out, uint32_t groups, uint32_t copies, uint32_t ports,
                       uint32_t meeting, fl_error *error)
{
    *out = (fl_design){.groups = groups, .copies = copies, .ports = ports, .meeting = meeting};
    out->copies_of = malloc((size_t)groups * ports * sizeof *out->copies_of);
    out->groups_at = malloc((size_t)copies * meeting * sizeof *out->groups_at);
    if (out->copies_of && out->groups_at)
        return FL_OK;
    fl_design_destroy(out);
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for a design");
}

/* Turns the copies of every group into the groups at every copy. */
static fl_status finish(fl_design *out, fl_error *error)
{
    uint32_t *filled = calloc(out->copies, sizeof *filled);
    if (!filled) {
        fl_design_destroy(out);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a design");
    }
    for (uint32_t group = 0; group < out->groups; group++)
        for (uint32_t i = 0; i < out->ports; i++) {
            uint32_t copy = out->copies_of[(size_t)group * out->ports + i];
            out->groups_at[(size_t)copy * out->meeting + filled[copy]++] = group;
        }
    free(filled);
    return FL_OK;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

fl_status fl_design_projective(fl_design *out, uint32_t ports, fl_error *error)
{
    fl_plane plane;
    fl_status status = fl_plane_create(&plane, ports - 1, error);
    if (status)
        return status;
    status = begin(out, plane.size, plane.size, ports, ports, error);
    for (uint32_t line = 0; !status && line < plane.size; line++) {
        uint32_t *copies = out->copies_of + (size_t)line * ports;
        memcpy(copies, fl_plane_line(&plane, line), ports * sizeof *copies);
        qsort(copies, ports, sizeof *copies, by_number);
    }
    fl_plane_destroy(&plane);
    return status ? status : finish(out, error);
}

fl_status fl_design_affine(fl_design *out, uint32_t ports, fl_error *error)
{
    uint32_t q = ports - 1;
    fl_field field;
    fl_status status = fl_field_create(&field, q, error);
    if (status)
        return status;
    status = begin(out, q * q, q * q + q, ports, q, error);
    for (uint32_t point = 0; !status && point < q * q; point++) {
        uint32_t x = point / q, y = point % q, *copies = out->copies_of + (size_t)point * ports;
        for (uint32_t a = 0; a < q; a++)
            copies[a] =
                a * q +
                fl_field_add(&field, y, fl_field_negative(&field, fl_field_times(&field, a, x)));
        copies[q] = q * q + x;
    }
    fl_field_destroy(&field);
    return status ? status : finish(out, error);
}

fl_status fl_design_obvious(fl_design *out, uint32_t ports, fl_error *error)
{
    fl_status status = begin(out, ports + 1, ports * (ports + 1) / 2, ports, 2, error);
    for (uint32_t line = 0; !status && line <= ports; line++) {
        uint32_t *copies = out->copies_of + (size_t)line * ports;
        for (uint32_t other = 0; other < line; other++)
            copies[other] = line * (line - 1) / 2 + other;
        for (uint32_t other = line + 1; other <= ports; other++)
            copies[other - 1] = other * (other - 1) / 2 + line;
    }
    return status ? status : finish(out, error);
}
