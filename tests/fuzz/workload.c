/* Traces of workloads. Whatever is accepted is written as a trace again, which is accepted too and
 * written as the same. */
#define _POSIX_C_SOURCE 200809L

#include "fuzz.h"
#include "sim/sim.h"

#include <string.h>

const char *const fuzz_tokens[] = {"faultline workload 1\n",
                                   "processes 4\n",
                                   "processes ",
                                   "name a\n",
                                   "#",
                                   "\n",
                                   "\r\n",
                                   " ",
                                   "\t",
                                   " after ",
                                   " delay ",
                                   "0 0 1 5\n",
                                   "1 1 2 5 after 0\n",
                                   "2 2 0 5 after 1 0\n",
                                   "4294967295",
                                   "2147483647",
                                   "18446744073709551615",
                                   "trace",
                                   NULL};

static void check(const fl_sim_workload *w)
{
    uint32_t count = fl_sim_workload_messages(w), processes = fl_sim_workload_processes(w);
    MUST_HOLD(count >= 1 && processes >= 2);
    for (uint32_t i = 0; i < count; i++) {
        fl_sim_message m = fl_sim_workload_message(w, i);
        MUST_HOLD(m.source < processes && m.destination < processes && m.source != m.destination &&
                  m.bytes >= 1);
        for (uint32_t j = 0; j < m.after_count; j++) {
            MUST_HOLD(m.after[j] < count && m.after[j] != i &&
                      (j == 0 || m.after[j] > m.after[j - 1]));
            fl_sim_message d = fl_sim_workload_message(w, m.after[j]);
            MUST_HOLD(d.source == m.source || d.destination == m.source);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fl_sim_workload *w, *again = NULL;
    fl_error error = {.text = ""};
    if (fl_sim_workload_parse(&w, (const char *)data, size, "trace", &error)) {
        MUST_HOLD(error.text[0]);
        return 0;
    }
    check(w);
    fl_text first = {0}, second = {0};
    fl_sim_workload_write(w, &first);
    MUST_HOLD(!first.failed &&
              fl_sim_workload_parse(&again, first.data, first.length, "written", &error) == FL_OK);
    fl_sim_workload_write(again, &second);
    MUST_HOLD(first.length == second.length && memcmp(first.data, second.data, first.length) == 0);
    fl_text_clear(&first);
    fl_text_clear(&second);
    fl_sim_workload_destroy(w);
    fl_sim_workload_destroy(again);
    return 0;
}
