// The tf.data part of `input`: pipelines and bottlenecks for machines, the iterator trees for people.
//
// Names of JSON members are those of docs/input.md. Ids are texts: 64-bit integers don't survive as JSON numbers. What
// comes back refers to the result.
#pragma once

#include <vector>

#include "analyze/tf_data_result.h"
#include "report/document.h"
#include "report/number.h"

namespace tfprof::report {

Value TfDataPipelines(const analyze::TfDataResult& tf_data);
// One for each pipeline on a host: its slowest call, and the iterator that held it up.
Value TfDataBottlenecks(const analyze::TfDataResult& tf_data);
// `input_matters`: the verdict doesn't rule out that training waits for input; without it there is no advice.
void AppendTfDataBlocks(const analyze::TfDataResult& tf_data, bool input_matters, Unit unit,
                        std::vector<Block>* blocks);

}  // namespace tfprof::report
