/* Private to experiments: pieces of the JSON of specs. */
#ifndef FL_EXPERIMENTS_SPEC_PIECES_H
#define FL_EXPERIMENTS_SPEC_PIECES_H

#include "experiments/spec/options.h"

#include <cjson/cJSON.h>

const cJSON *fl_spec_find(const cJSON *object, const char *key); /* NULL if it is not there */

/* A text that is not empty, lent by the object; NULL if the key is not there. FL_ERR_INVALID for
 * everything else. */
fl_status fl_spec_text(const char **out, const cJSON *object, const char *key, fl_error *error);

/* The same, as a copy that takes the place of *out; *out stays as it is if the key is not there. */
fl_status fl_spec_copy_text(char **out, const cJSON *object, const char *key, fl_error *error);

/* The list of a key; NULL if it is not there. FL_ERR_INVALID unless it has 1 to `most` elements,
 * which are called `what`. */
fl_status fl_spec_list(const cJSON **out, const cJSON *object, const char *key, int most,
                       const char *what, fl_error *error);

/* Adds the texts of such a list. */
fl_status fl_spec_names(fl_name_list *out, const cJSON *object, const char *key, int most,
                        fl_error *error);

/* The list of figures; NULL if there is none: objects with some of the keys, each with the name of
 * a file, which no other figure has. */
fl_status fl_spec_figures(const cJSON **out, const cJSON *json, int most, const char *const *keys,
                          fl_error *error);

/* Copies "name", which is that of a file, "title" and "source". */
fl_status fl_spec_titles(char **name, char **title, char **source, const cJSON *json,
                         fl_error *error);

/* The place of a text among `names`, which are ended by NULL. FL_ERR_INVALID for everything else.
 */
fl_status fl_spec_word(unsigned *out, const cJSON *object, const char *key,
                       const char *const *names, fl_error *error);

fl_status fl_spec_flag(bool *out, const cJSON *object, const char *key,
                       fl_error *error); /* false if it is not there */

/* Are the plug-ins loaded that a spec names? A spec loads none itself: a file of numbers that runs
 * code of its choice would be a trap. FL_ERR_INVALID names the one that is missing, or is another.
 */
fl_status fl_spec_check_plugins(const cJSON *json, fl_error *error);

/* Of several objects says in which something was wrong: "figure 2: ...". Returns `status`. */
fl_status fl_spec_fail_in(fl_error *error, const char *what, unsigned index, fl_status status);

/* The same of a curve under load, with its label unless that is NULL. */
fl_status fl_load_fail_in_curve(fl_error *error, fl_status status, unsigned curve,
                                const char *label);

fl_status fl_spec_out_of_memory(fl_error *error);

/* How results write the hash of a file. */
enum { FL_CONTENT_HASH = 17 };
void fl_content_hash(char out[FL_CONTENT_HASH], uint64_t hash);

#endif
