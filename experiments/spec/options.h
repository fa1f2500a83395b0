/* Options as rows: a typed table describes what a command or a spec takes. Its rows give the
 * command line, the keys of JSON specs, help texts, man pages, completion, schemas and the texts of
 * errors; its offsets say where the values go in a struct of the caller's. */
#ifndef FL_EXPERIMENTS_SPEC_OPTIONS_H
#define FL_EXPERIMENTS_SPEC_OPTIONS_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

/* Lists that options take. The options own them. */
typedef struct fl_name_list {
    char **of;
    unsigned count;
} fl_name_list;
/* Adds a copy of a name. FL_ERR_MEMORY. */
fl_status fl_names_add(fl_name_list *names, const char *name, fl_error *error);
bool fl_names_hold(const fl_name_list *names, const char *name);
void fl_names_clear(fl_name_list *names);

typedef struct fl_count_list {
    uint64_t *of;
    uint32_t count;
} fl_count_list;
typedef struct fl_rate_list {
    double *of;
    uint32_t count;
} fl_rate_list;

/* What a value is, and its type in the struct. */
typedef enum fl_option_kind {
    FL_OPTION_SWITCH,   /* bool; in JSON: true */
    FL_OPTION_COUNT,    /* uint64_t from `least` to `most` (0: no end); 1e6 is taken */
    FL_OPTION_UNSIGNED, /* unsigned, the same */
    FL_OPTION_NUMBER,   /* double from `least` to `most` */
    FL_OPTION_SECONDS,  /* double: 0.5s, 60s, 5m, 2h, or a number of seconds from `least` */
    FL_OPTION_WORD,     /* unsigned: the place of one of `words` */
    FL_OPTION_TEXT,     /* char *, not empty */
    FL_OPTION_NETWORK,  /* char *: a network, as fl_network_create takes it */
    FL_OPTION_FILE,     /* char * */
    FL_OPTION_FOLDER,   /* char * */
    FL_OPTION_FILES,    /* fl_name_list: may be given several times */
    FL_OPTION_NAMES,    /* fl_name_list: a,b,c; in JSON a list of texts, or such a text */
    FL_OPTION_COUNTS, /* fl_count_list: first:last:step or a,b,c; in JSON also a list of numbers */
    FL_OPTION_RATES   /* fl_rate_list: the same, of numbers from 0 to 1 */
} fl_option_kind;

typedef struct fl_option_row {
    const char *name; /* without the dashes; keys of specs have _ for - */
    fl_option_kind kind;
    size_t offset;      /* of the value in the struct */
    const char *value;  /* what stands for the value in help texts, e.g. "N"; NULL: a switch */
    const char *help;   /* without the default */
    const char *preset; /* the default, as the command line takes it; NULL: none */
    double least, most; /* of a text: `most` above 0 lets JSON have a whole number up to it */
    const char *const *words; /* ended by NULL */
    const char *was;          /* NULL, or old names, split by commas, that errors point away from */
    const char *now;          /* NULL (the name), or how the old name is written now */
} fl_option_row;

/* Rows that belong together, or other groups. One that has neither ends a list of groups. */
typedef struct fl_option_group {
    const char *title;         /* in help texts; NULL: they go on from the group before */
    const fl_option_row *rows; /* ended by a NULL name */
    size_t offset;             /* of the struct of these rows in that of the table */
    const struct fl_option_group *groups;
} fl_option_group;

#define FL_OPTION_ROWS(title, rows, offset) \
    {                                       \
        title, rows, offset, NULL           \
    }
#define FL_OPTION_GROUPS(groups, offset) \
    {                                    \
        NULL, NULL, offset, groups       \
    }

extern const fl_option_row fl_scope_rows[]; /* --scope, of one fl_scope */

enum { FL_OPTIONS_MAX = 128 };

/* The values of a table, and which of them were given. */
typedef struct fl_options {
    const fl_option_group *groups;
    void *values; /* borrowed */
    bool given[FL_OPTIONS_MAX];
} fl_options;

/* Sets every value of the struct to its default, or to 0. FL_ERR_MEMORY; fl_options_clear is for
 * the caller to call in any case. */
fl_status fl_options_begin(fl_options *options, const fl_option_group *groups, void *values,
                           fl_error *error);
/* Frees what the values own, and sets them to 0. */
void fl_options_clear(fl_options *options);

/* Row number `place` of all, from 0; NULL after the last. *title is that of a group that begins
 * with it, else NULL; `title` may be NULL. */
const fl_option_row *fl_option_at(const fl_option_group *groups, int place, const char **title);
/* The place of the row `name` (a name of the command line, of `length` bytes) among all rows of the
 * groups, and the row in *row; -1 if there is none. */
int fl_option_find(const fl_option_group *groups, const char *name, size_t length,
                   const fl_option_row **row);
/* Was it given? The table must have it. */
bool fl_option_given(const fl_options *options, const char *name);

/* Sets a value from the text of a command line, or from JSON. FL_ERR_INVALID says what was
 * expected, without the name and the value: fl_option_fail puts them in front. */
fl_status fl_option_set_text(fl_options *options, int place, const char *text, fl_error *error);
fl_status fl_option_set_json(fl_options *options, int place, const struct cJSON *item,
                             fl_error *error);

/* Puts `--NAME VALUE: ` in front of an error about a value; without a value where that is NULL. */
fl_status fl_option_fail(fl_error *error, fl_status status, const char *name, const char *value);

/* Reads the keys of an object, but for those in `own` (ended by NULL). FL_ERR_INVALID: a key that
 * neither has, with the nearest one or its new name; a value that cannot be used. */
fl_status fl_options_read_json(fl_options *options, const struct cJSON *object,
                               const char *const *own, fl_error *error);

/* Copies the values given in `from` of rows that both tables have. */
fl_status fl_options_lay_over(fl_options *onto, const fl_options *from, fl_error *error);

/* Appends a value as the command line takes it; a switch has none. */
void fl_option_append(const fl_options *options, int place, fl_text *out);

/* The row that has `name` as an old name, and in *now how it is written now, without dashes; NULL
 * if there is none. */
const fl_option_row *fl_option_was(const fl_option_group *groups, const char *name,
                                   const char **now);

/* Appends the key of a row: its name with _ for -. */
void fl_option_append_key(const fl_option_row *row, fl_text *out);

/* Appends the properties of a JSON Schema for the rows of the groups: a comma and a line that
 * begins with `indent` spaces in front of each. Fault counts and rates are "#/$defs/counts" and
 * rates. */
void fl_options_append_schema(const fl_option_group *groups, unsigned indent, fl_text *out);

#ifdef __cplusplus
}
#endif
#endif
