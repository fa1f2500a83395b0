/* What cabinets, cables and switches measure, cost and consume. */
#ifndef FL_EXPERIMENTS_COSTS_H
#define FL_EXPERIMENTS_COSTS_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The coefficients of a file of costs, with the file's names. Money is in `currency`. */
typedef struct fl_costs {
    char name[64], currency[16];
    /* Cabinets: m, and slots for one switch or host each. */
    double cabinet_width, cabinet_depth, cabinet_units;
    /* Cables: of a link inside of a cabinet, m; what each between cabinets has beside the way from
     * one to the other, m; up to which length they are copper, m; Gb/s. */
    double inside_cabinet, between_overhead, copper_limit, bandwidth;
    /* Prices: of a cable, per Gb/s, and per Gb/s and m; of a switch, and of each of its ports. */
    double copper_fixed, copper_per_m, fibre_fixed, fibre_per_m;
    double switch_fixed, switch_per_port;
    /* Power, W: of a cable with both its ends; of a switch, and of each of its ports. */
    double copper_power, fibre_power, switch_power_fixed, switch_power_per_port;
} fl_costs;

/* The coefficients of experiments/costs/infiniband-fdr10.json, which are in the program. Returns
 * FL_OK or FL_ERR_MEMORY. */
fl_status fl_costs_default(fl_costs *out, fl_error *error);

/* Reads the text of a file of costs, of `length` bytes; `where` names it in messages.
 * FL_ERR_INVALID names the key that is unknown, missing, of another unit or out of range, and what
 * would be valid. */
fl_status fl_costs_parse(fl_costs *out, const char *text, size_t length, const char *where,
                         fl_error *error);

/* The same for a file. FL_ERR_IO: it cannot be read. */
fl_status fl_costs_read(fl_costs *out, const char *path, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
