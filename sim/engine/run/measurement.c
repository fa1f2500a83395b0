/* What is counted during a run. */
#include "sim/engine/run/measurement.h"

#include <stdlib.h>

static bool make_series(const measurement *m)
{
    const fl_sim_model *model = &m->plan->model;
    uint64_t interval = m->plan->set_up.series, cycles = model->cycles;
    if (interval == 0)
        return true;
    if (model->stop == FL_SIM_STOP_CYCLES)
        cycles += model->warmup + model->drain;
    m->out->series_length = (size_t)(cycles / interval + 1);
    m->out->series = calloc(m->out->series_length, sizeof *m->out->series);
    return m->out->series != NULL;
}

bool fl_sim_measurement_create(measurement *m, const fl_sim_plan *plan, fl_sim_result *out)
{
    const fl_sim_model *model = &plan->model;
    bool by_cycles = model->stop == FL_SIM_STOP_CYCLES;
    uint64_t slice = model->cycles < FL_SIM_BATCHES ? 1 : model->cycles / FL_SIM_BATCHES;
    *m = (measurement){
        .out = out,
        .plan = plan,
        .first = by_cycles ? model->warmup : 0,
        .end = by_cycles ? model->warmup + model->cycles : UINT64_MAX,
        .target = model->stop == FL_SIM_STOP_EACH_SOURCE ? model->packets * plan->senders : 0,
        .meter = calloc(1, sizeof *m->meter),
    };
    if (!m->meter)
        return false;
    m->meter->slice_length = by_cycles ? slice : FL_SIM_FIRST_SLICE;
    m->meter->next_cut = m->first + m->meter->slice_length;
    return make_series(m);
}

void fl_sim_measurement_destroy(measurement *m)
{
    free(m->meter);
}

/* The interval of the time series that a cycle is in; NULL: none is recorded. */
static fl_sim_sample *sample_at(const measurement *m, uint64_t cycle)
{
    uint64_t interval = m->plan->set_up.series;
    if (interval == 0 || cycle / interval >= m->out->series_length)
        return NULL;
    return &m->out->series[cycle / interval];
}

void fl_sim_count_birth(measurement *m, uint64_t born)
{
    fl_sim_sample *sample = sample_at(m, born);
    m->out->generated += fl_sim_is_measured(m, born);
    if (sample)
        sample->generated++;
}

void fl_sim_count_loss(measurement *m, const packet *pk, unsigned why, uint32_t now)
{
    fl_sim_sample *sample = sample_at(m, now);
    m->out->lost[why]++;
    m->lost_total++;
    m->lost_measured += m->measuring;
    m->done += pk->counted;
    if (sample)
        sample->lost++;
}

void fl_sim_count_retry(measurement *m, uint32_t now)
{
    fl_sim_sample *sample = sample_at(m, now);
    m->out->retried++;
    if (sample)
        sample->retried++;
}

/* Batches are those of births, but where runs end by arrivals. */
static unsigned batch_of(const measurement *m, const packet *pk)
{
    const fl_sim_model *model = &m->plan->model;
    if (model->stop != FL_SIM_STOP_PER_DESTINATION)
        return pk->batch;
    uint64_t target = model->packets * m->plan->network->nodes,
             batch = m->out->counted * FL_SIM_BATCHES / target;
    return batch < FL_SIM_BATCHES ? (unsigned)batch : FL_SIM_BATCHES - 1;
}

static void count_latency(measurement *m, const packet *pk, uint32_t now)
{
    uint64_t latency = now - pk->born;
    fl_sim_result *out = m->out;
    unsigned batch = batch_of(m, pk);
    out->counted++;
    out->latency_sum += latency;
    out->network_latency_sum += now - pk->left;
    out->hop_sum += pk->hops;
    out->latency_max = latency > out->latency_max ? latency : out->latency_max;
    m->meter->bins[fl_sim_bin_of(latency)]++;
    m->meter->batch_sum[batch] += (double)latency;
    m->meter->batch_count[batch]++;
}

void fl_sim_count_arrival(measurement *m, const packet *pk, uint32_t now)
{
    fl_sim_sample *sample = sample_at(m, now);
    m->out->total_delivered++;
    m->out->received += m->measuring;
    if (pk->counted)
        count_latency(m, pk, now);
    m->done += pk->counted;
    if (!sample)
        return;
    sample->delivered++;
    sample->latency_sum += now - pk->born;
}
