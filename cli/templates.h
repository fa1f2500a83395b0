/* Private to cli: the files that `faultline new-router` writes, as texts in the program. */
#ifndef FL_CLI_TEMPLATES_H
#define FL_CLI_TEMPLATES_H

typedef struct fl_template {
    const char *file; /* in the tree */
    const char *text;
} fl_template;
extern const fl_template fl_templates[]; /* ended by a NULL file; made by CMake */

#endif
