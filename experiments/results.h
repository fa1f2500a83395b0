/* Private to experiments: pieces of results that sampled and exact ones share. */
#ifndef FL_EXPERIMENTS_RESULTS_H
#define FL_EXPERIMENTS_RESULTS_H

#include "experiments/experiments.h"

/* The CSV header without its line end, and the fields of a row up to fault_rate, comma included. */
void fl_csv_append_header(fl_text *out);
void fl_csv_append_point(fl_text *out, const fl_experiment *experiment, unsigned sweep,
                         unsigned router, uint32_t fault_point);

/* Members of JSON results. Each begins on a line of its own, but `format`. */

/* Opens the results' object: "format" and "version". */
void fl_json_open_results(fl_json_writer *out, const char *format);
/* "spec" and "spec_hash". */
void fl_json_spec(fl_json_writer *out, const fl_experiment *experiment);
/* "name", "title" and "source", those that are not NULL. */
void fl_json_titles(fl_json_writer *out, const char *name, const char *title, const char *source);
/* A text; nothing if it is NULL. */
void fl_json_line_text(fl_json_writer *out, const char *key, const char *value);
/* "started", "wall_seconds", "threads" and "ranks". */
void fl_json_work(fl_json_writer *out, const char *started, double wall_seconds, unsigned threads,
                  unsigned ranks);
/* "figures": as in a spec, for merged results to be drawn. Nothing if the experiment names none. */
void fl_json_figures(fl_json_writer *out, const fl_experiment *experiment);
/* "host": the machine. */
void fl_json_host(fl_json_writer *out);
/* Opens the object of sweep i: "topology", "scope" and "fault_model". */
void fl_json_open_sweep(fl_json_writer *out, const fl_experiment *experiment, unsigned i);
/* "faults", unless components fail independently, and "fault_rate", one element a fault point. */
void fl_json_axis(fl_json_writer *out, const fl_fault_model *model);

enum { FL_SUMMARY_COLUMNS = 5 };

/* The fault point in a column of a short table. Of fewer points each has one column. */
uint32_t fl_summary_fault_point(uint32_t fault_points, unsigned column);

/* Adds the columns of a short table: one for names, then one a fault point that it shows. */
void fl_summary_columns(fl_table *table, const fl_bound_sweep *bound, uint32_t fault_points);

/* Writes folder/name.csv and folder/name.json, both or neither, and clears the texts. */
fl_status fl_results_write_pair(const char *folder, const char *name, fl_text *csv, fl_text *json,
                                fl_error *error);

/* A comma and a number; nothing behind the comma where it is not finite. */
void fl_csv_append_number(fl_text *out, double value);

/* The title of a column of CSV: a comma, the prefix and the name of a link class. */
void fl_sim_csv_class_column(fl_text *out, const char *prefix, const char *class_name);

/* load/results/workload.c: what became of a workload, behind what every simulation has. */
void fl_completion_header(fl_text *out);
void fl_completion_row(const fl_sim_result *r, fl_text *out);
void fl_completion_json(const fl_sim_workload *workload, const fl_sim_result *r,
                        fl_json_writer *out);
void fl_completion_summary(const fl_sim_plan *plan, const fl_sim_result *r, fl_text *out);

#endif
