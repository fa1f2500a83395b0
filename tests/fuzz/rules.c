/* JSON files of deadlock rules: any bytes are refused with a reason, or give rules that can be
 * described. */
#define _POSIX_C_SOURCE 200809L

#include "experiments/experiments.h"
#include "fuzz.h"

#include <string.h>

const char *const fuzz_tokens[] = {"{",
                                   "}",
                                   "[",
                                   "]",
                                   ",",
                                   ":",
                                   "\"",
                                   "\\u0000",
                                   "\\ud800",
                                   "\"rules\":",
                                   "\"comment\":\"c\",",
                                   "\"topology\":",
                                   "\"router\":",
                                   "\"faults\":",
                                   "\"fault_class\":",
                                   "\"fault_model\":",
                                   "\"scope\":",
                                   "\"vcs\":",
                                   "\"vc_rule\":",
                                   "\"expect\":",
                                   "\"cyclic_sets\":",
                                   "\"witness\":",
                                   "\"length_bound\":",
                                   "\"all_ways\":",
                                   "true",
                                   "null",
                                   "\"any\"",
                                   "\"acyclic\"",
                                   "\"cyclic\"",
                                   "\"turns\"",
                                   "\"local\"",
                                   "mikant:k=3,n=3",
                                   "kary-ntree:k=2,n=4",
                                   "\"switches\"",
                                   "links:class=cross-links",
                                   "draw=independent",
                                   "list:0;1",
                                   "shortest",
                                   "limit",
                                   "gns+x-turns+gdl",
                                   "<0,1,00>-<1,1,00>",
                                   "\xff",
                                   "\xc3\xa9",
                                   NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fl_error error = {.text = "untouched"};
    fl_deadlock_rules *rules = NULL;
    char *text = fuzz_text(data, size);
    if (fuzz_may_name_a_file(text)) {
        free(text);
        return 0;
    }
    fl_status status = fl_deadlock_rules_parse(&rules, text, size, "rules", &error);
    free(text);
    if (status) {
        /* Inputs are small: "out of memory" would mean that two readers of JSON disagree. */
        MUST_HOLD(status != FL_ERR_MEMORY);
        MUST_HOLD(!rules && strcmp(error.text, "untouched") != 0 && error.text[0]);
        return 0;
    }
    MUST_HOLD(fl_deadlock_rules_count(rules) >= 1);
    for (unsigned i = 0; i < fl_deadlock_rules_count(rules); i++) {
        fl_text says = {0};
        fl_deadlock_rules_describe(rules, i, &says);
        MUST_HOLD(!says.failed && says.length > 0 && strchr(says.data, '\n') == NULL);
        fl_text_clear(&says);
    }
    fl_deadlock_rules_destroy(rules);
    return 0;
}
