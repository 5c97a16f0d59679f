// The kernel as custom calls of XLA.
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "entry_points.h"
#include "xla_interface.h"

using namespace memnets::xla;

namespace {

Error* failure(const Call* call, const char* message) {
  ErrorCreation creation{};
  creation.size = MEMNETS_XLA_SIZE(ErrorCreation, code);
  creation.message = message;
  creation.code = INVALID_ARGUMENT;
  return call->interface->create_error(&creation);
}

// XLA asks each handler for its version before the first call. Without an answer the
// version stays 0.0, which XLA refuses.
bool answered_version(const Call* call) {
  if (call->size < MEMNETS_XLA_SIZE(Call, results)) return true;
  const Extension* extension = call->extensions;
  if (!extension || extension->kind != METADATA_EXTENSION) return false;
  Metadata* metadata = reinterpret_cast<const MetadataExtension*>(extension)->metadata;
  // XLA of version 0.1 asks without its interface.
  const bool is_other = call->interface && mismatch(call->interface);
  if (is_other || metadata->size < MEMNETS_XLA_SIZE(Metadata, version)) return true;
  metadata->version.major_version = MAJOR_VERSION;
  metadata->version.minor_version = MINOR_VERSION;
  return true;
}

Buffer* argument(const Call* call, int i) {
  return static_cast<Buffer*>(call->arguments.items[i]);
}

float* floats(const Call* call, int i) {
  return static_cast<float*>(argument(call, i)->data);
}

float* result(const Call* call, int i) {
  return static_cast<float*>(static_cast<Buffer*>(call->results.items[i])->data);
}

// Two integers, whose bits nothing checks as numbers.
int32_t* ticket(void* buffer) {
  return static_cast<int32_t*>(static_cast<Buffer*>(buffer)->data);
}

// The batch and the number of steps are those of the inputs: when a graph is made they
// may not be known yet.
std::vector<int32_t> sizes_of(const Call* call) {
  const Buffer* buffer = argument(call, 0);
  const int32_t* numbers = static_cast<const int32_t*>(buffer->data);
  std::vector<int32_t> sizes(numbers, numbers + (buffer->rank ? buffer->dimensions[0] : 0));
  for (int axis = 0; axis < 2 && sizes.size() > 1; ++axis)
    sizes[axis] = static_cast<int32_t>(argument(call, 1)->dimensions[axis]);
  return sizes;
}

// An empty mask stands for none.
const uint8_t* mask(const Call* call, int i) {
  const Buffer* buffer = argument(call, i);
  for (int64_t axis = 0; axis < buffer->rank; ++axis)
    if (buffer->dimensions[axis] == 0) return nullptr;
  return static_cast<const uint8_t*>(buffer->data);
}

Error* outcome(const Call* call, int status) {
  return status == 0 ? nullptr : failure(call, memnets_message(status));
}

bool has_types(const Call* call, std::initializer_list<Type> types, int results) {
  if (!is_known(call->arguments) || !is_known(call->results) ||
      call->arguments.count != static_cast<int64_t>(types.size()) ||
      call->results.count != results)
    return false;
  int i = 0;
  for (Type type : types)
    if (argument(call, i++)->type != type) return false;
  return true;
}

// (sizes, inputs, mask, state, weights) -> (features, last_state, ticket)
Error* run_forward(Call* call, decltype(memnets_ntm_forward) forward) {
  if (answered_version(call)) return nullptr;
  if (!has_types(call, {S32, F32, U8, F32, F32}, 3))
    return failure(call, "memnets: wrong operands");
  const std::vector<int32_t> sizes = sizes_of(call);
  return outcome(call, forward(sizes.data(), sizes.size(), floats(call, 1), mask(call, 2),
                               floats(call, 3), floats(call, 4), result(call, 0),
                               result(call, 1), ticket(call->results.items[2])));
}

// (sizes, inputs, mask, state, weights, ticket, d_features, d_last_state)
// -> (d_inputs, d_state, d_weights)
Error* run_backward(Call* call, decltype(memnets_ntm_backward) backward) {
  if (answered_version(call)) return nullptr;
  if (!has_types(call, {S32, F32, U8, F32, F32, S32, F32, F32}, 3))
    return failure(call, "memnets: wrong operands");
  const std::vector<int32_t> sizes = sizes_of(call);
  return outcome(call, backward(sizes.data(), sizes.size(), floats(call, 1), mask(call, 2),
                                floats(call, 3), floats(call, 4),
                                ticket(call->arguments.items[5]), floats(call, 6),
                                floats(call, 7), result(call, 0), result(call, 1),
                                result(call, 2)));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

#define MEMNETS_XLA(kind, Net)                          \
  Error* memnets_##kind##_forward_xla(Call* call) {        \
    return run_forward(call, memnets_##kind##_forward);    \
  }                                                        \
  Error* memnets_##kind##_backward_xla(Call* call) {       \
    return run_backward(call, memnets_##kind##_backward);  \
  }

MEMNETS_KINDS(MEMNETS_XLA)

// Makes all known to the XLA whose interface this is. Returns why not, or null.
const char* memnets_register_xla(const Interface* interface) {
  if (const char* reason = mismatch(interface)) return reason;
  const auto accepts = [&](const char* name, Handler* handler) {
    Registration registration{};
    registration.size = MEMNETS_XLA_SIZE(Registration, traits);
    registration.name = {name, std::strlen(name)};
    registration.platform = {"Host", std::strlen("Host")};
    registration.stages.execute = handler;
    Error* error = interface->register_handler(&registration);
    if (!error) return true;
    ErrorDestruction destruction{};
    destruction.size = MEMNETS_XLA_SIZE(ErrorDestruction, error);
    destruction.error = error;
    interface->destroy_error(&destruction);
    return false;
  };
#define MEMNETS_ACCEPTED(kind, Net)                                        \
  && accepts("memnets_" #kind "_forward", memnets_##kind##_forward_xla)    \
  && accepts("memnets_" #kind "_backward", memnets_##kind##_backward_xla)
  const bool accepted = true MEMNETS_KINDS(MEMNETS_ACCEPTED);
  return accepted ? nullptr : "XLA did not accept the kernel's functions";
}

}  // extern "C"
#pragma GCC visibility pop
