/* A network as files for other programs, with the routes of a router. */
#ifndef FL_EXPERIMENTS_EXPORT_EXPORT_H
#define FL_EXPERIMENTS_EXPORT_EXPORT_H

#include "faults/faults.h"
#include "routing/routing.h"
#include "topo/formats/formats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The files of one network in one format. */
typedef struct fl_export {
    const fl_format *format;
    fl_text files[FL_FORMAT_FILES_MAX]; /* in the order of format->endings */
    fl_format_counts counts;
} fl_export;

/* Writes the network without its faulty links, and the paths that packets take: of several
 * candidates each packet takes the first. FL_ERR_ROUTER if the router violates the contract,
 * FL_ERR_INVALID if it is a limit or the format cannot hold the network, FL_ERR_MEMORY. *out is for
 * fl_export_clear in any case. */
fl_status fl_export_make(fl_export *out, const fl_format *format, const fl_router *router,
                         const fl_fault_set *faults, const fl_format_speeds *speeds,
                         fl_error *error);

/* Frees the texts. */
void fl_export_clear(fl_export *export_);

/* The name of file number `file` if the first one is `path`: with another ending, in the place of
 * the first one's if `path` has that. The caller frees it; NULL: out of memory. */
char *fl_export_path(const fl_format *format, const char *path, unsigned file);

/* Writes all files, or none (fl_file_write_group). */
fl_status fl_export_write(const fl_export *export_, const char *path, fl_error *error);

/* Appends what was written as a JSON object. */
void fl_export_json(const fl_export *export_, const fl_router *router, const char *path,
                    fl_text *out);

#ifdef __cplusplus
}
#endif
#endif
