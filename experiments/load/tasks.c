/* Runs to do: what their results depend on, and how much work they are. */
#include "experiments/load/private.h"
#include "experiments/load/results/results.h"

#include <string.h>

void fl_sim_plan_describe(const fl_sim_plan *plan, fl_text *out)
{
    fl_sim_context c = fl_sim_context_of(plan, "");
    fl_text members = {0};
    fl_json_writer json = fl_json_writer_begin(&members, 1);
    fl_json_open_object(&json, NULL);
    fl_sim_json_set_up(&c, &json);
    fl_sim_json_faults(&c, &json);
    out->failed |= members.failed;
    fl_text_append(out, "%s,\n%llu %u %u", members.failed ? "" : members.data + strlen("{\n"),
                   (unsigned long long)c.set_up->series, c.model->flit_bytes,
                   (unsigned)c.model->placement);
    fl_text_clear(&members);
}

uint64_t fl_sim_tasks_hash(const fl_sim_task *tasks, size_t count)
{
    fl_text text = {0};
    uint64_t hash = count > 0 ? count : 1; /* 0 is for out of memory */
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || tasks[i].plan != tasks[i - 1].plan)
            fl_sim_plan_describe(tasks[i].plan, &text);
        fl_text_append(&text, " %.17g %llu %llu", tasks[i].load, (unsigned long long)tasks[i].seed,
                       (unsigned long long)hash);
        bool failed = text.failed;
        hash = failed ? 0 : fl_text_hash(text.data, text.length);
        fl_text_clear(&text);
        if (failed)
            return 0;
    }
    return hash;
}

void fl_sim_tasks_append(const fl_sim_task *tasks, size_t count, fl_text *out)
{
    uint64_t hash = fl_sim_tasks_hash(tasks, count);
    fl_text_append(out, "%zu runs, hash %016llx", count, (unsigned long long)hash);
    out->failed |= hash == 0;
}

/* Cycles that a run will take (of workloads: packets), as far as can be said before. */
static uint64_t expected_cycles(const fl_sim_task *task)
{
    const fl_sim_model *m = fl_sim_plan_set_up(task->plan)->model;
    if (m->stop == FL_SIM_STOP_CYCLES)
        return m->warmup + m->cycles;
    if (m->stop == FL_SIM_STOP_MESSAGES) /* not cycles: packets */
        return fl_sim_plan_packets(task->plan);
    double load = task->load;
    double cycles =
        load > 0 ? 1.1 * (double)m->packets * m->packet_flits / load : (double)m->cycles;
    return cycles < (double)m->cycles ? (uint64_t)cycles : m->cycles;
}

double fl_sim_work_of_cycle(const fl_sim_task *task)
{
    static const double empty = .02, carried = .5;
    const fl_sim_set_up *set_up = fl_sim_plan_set_up(task->plan);
    if (set_up->model->stop == FL_SIM_STOP_MESSAGES)
        return 1;
    return (double)set_up->router->network->nodes *
           (empty + (task->load < carried ? task->load : carried));
}

uint64_t fl_sim_work_of(const fl_sim_task *task)
{
    return (uint64_t)(fl_sim_work_of_cycle(task) * (double)expected_cycles(task));
}
