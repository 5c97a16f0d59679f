// The functions of the compiled library for Python, through ctypes and through XLA.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
extern "C" {

// The index of the best instruction set in the list of library.py that this processor
// has.
int memnets_processor_level();

// The width of the vectors in this build, in floats.
int memnets_lanes();

// Steps between two memories that the history stores.
int memnets_checkpoint_steps();

// The meaning of a status other than 0 of the functions below.
const char* memnets_message(int status);

// The functions of each kind of memory, with its name, such as memnets_ntm_forward:
//
// history_size: number of floats that a forward pass stores for the backward pass; -1 if
// the sizes are out of range. memnets/native/layout.py writes `sizes`.
//
// forward: runs the network over whole sequences.
//
//   inputs      (B, T, features)
//   mask        (B, T)          0 skips a step; may be null
//   state       (B, state)      before the first step
//   weights     (weights)       see layout.py
//   features    (B, T, units + reads)  output of the controller and reads, each step
//   last_state  (B, state)
//   history     (history size)  not touched if the sizes say that nothing is saved
//
// backward: from the gradients of features and last state to those of inputs, state and
// weights.
#define MEMNETS_DECLARE(kind)                                                              \
  int64_t memnets_##kind##_history_size(const int32_t* sizes, int64_t count);              \
  int memnets_##kind##_forward(const int32_t* sizes, int64_t count, const float* inputs,   \
                               const uint8_t* mask, const float* state,                    \
                               const float* weights, float* features, float* last_state,   \
                               float* history);                                            \
  int memnets_##kind##_backward(const int32_t* sizes, int64_t count, const float* inputs,  \
                                const uint8_t* mask, const float* weights,                 \
                                const float* history, const float* d_features,             \
                                const float* d_last_state, float* d_inputs,                \
                                float* d_state, float* d_weights);

MEMNETS_DECLARE(ntm)   // a Neural Turing Machine
MEMNETS_DECLARE(dnc)   // a Differentiable Neural Computer
MEMNETS_DECLARE(lrua)  // a memory with least recently used access

}  // extern "C"
#pragma GCC visibility pop
