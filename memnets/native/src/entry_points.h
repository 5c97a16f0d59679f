// The functions of the compiled library for Python, through ctypes and through XLA.
#pragma once

#include <cstdint>

#include "kinds.h"
#include "workers.h"

#pragma GCC visibility push(default)
extern "C" {

// The index of the best instruction set in the list of library.py that this processor
// has.
int memnets_processor_level();

// A number that changes with the functions here and the vectors that they read. library.py
// has the same.
int memnets_interface();

// The width of the vectors in this build, in floats.
int memnets_lanes();

// The names of the kinds, each with a space after it.
const char* memnets_kinds();

// Lends the threads of the program, see Workers::lend. A forked process has them no more.
void memnets_lend_threads(memnets::Workers::Team team);

// The meaning of a status other than 0 of the functions below.
const char* memnets_message(int status);

// The functions of each kind, with its name, such as memnets_ntm_forward:
//
// history_size: number of floats that a forward pass keeps for the backward pass; -1 if
// the sizes are out of range. memnets/native/kernel_layout.py writes `sizes`.
//
// forward: runs the network over whole sequences.
//
//   inputs      (B, T, features)
//   mask        (B, T)          0 skips a step; may be null
//   state       (B, state)      before the first step
//   weights     (weights)       see kernel_layout.py
//   features    (B, T, units + reads)  output of the controller and reads, each step;
//                                      (B, T, units) without a memory
//   last_state  (B, state)
//   ticket      (2)             of what the backward pass needs; see Histories
//
// backward: from the gradients of features and last state to those of inputs, state and
// weights.
#define MEMNETS_DECLARE(kind, Net)                                                         \
  int64_t memnets_##kind##_history_size(const int32_t* sizes, int64_t count);              \
  int memnets_##kind##_forward(const int32_t* sizes, int64_t count, const float* inputs,   \
                               const uint8_t* mask, const float* state,                    \
                               const float* weights, float* features, float* last_state,   \
                               int32_t* ticket);                                           \
  int memnets_##kind##_backward(                                                           \
      const int32_t* sizes, int64_t count, const float* inputs, const uint8_t* mask,       \
      const float* state, const float* weights, const int32_t* ticket,                     \
      const float* d_features, const float* d_last_state, float* d_inputs, float* d_state, \
      float* d_weights);

MEMNETS_KINDS(MEMNETS_DECLARE)

}  // extern "C"
#pragma GCC visibility pop
