// The kernel as custom calls of XLA. `c_api.h` is XLA's own, version 0.2, unchanged:
// JAX and TensorFlow of this time take what was compiled with it.
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "kernel.h"
#include "xla/ffi/api/c_api.h"

namespace {

XLA_FFI_Error* failure(const XLA_FFI_CallFrame* call, const char* message) {
  XLA_FFI_Error_Create_Args args{};
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = message;
  args.errc = XLA_FFI_Error_Code_INVALID_ARGUMENT;
  return call->api->XLA_FFI_Error_Create(&args);
}

// XLA asks each handler for its version before the first call.
bool answered_version(const XLA_FFI_CallFrame* call) {
  XLA_FFI_Extension_Base* extension = call->extension_start;
  if (!extension || extension->type != XLA_FFI_Extension_Metadata) return false;
  XLA_FFI_Metadata* metadata =
      reinterpret_cast<XLA_FFI_Metadata_Extension*>(extension)->metadata;
  metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  metadata->api_version.minor_version = XLA_FFI_API_MINOR;
  return true;
}

XLA_FFI_Buffer* argument(const XLA_FFI_CallFrame* call, int i) {
  return static_cast<XLA_FFI_Buffer*>(call->args.args[i]);
}

float* floats(const XLA_FFI_CallFrame* call, int i) {
  return static_cast<float*>(argument(call, i)->data);
}

float* result(const XLA_FFI_CallFrame* call, int i) {
  return static_cast<float*>(static_cast<XLA_FFI_Buffer*>(call->rets.rets[i])->data);
}

// The batch and the number of steps are those of the inputs: when a graph is made they
// may not be known yet.
std::vector<int32_t> sizes_of(const XLA_FFI_CallFrame* call) {
  const XLA_FFI_Buffer* buffer = argument(call, 0);
  const int32_t* numbers = static_cast<const int32_t*>(buffer->data);
  std::vector<int32_t> sizes(numbers, numbers + (buffer->rank ? buffer->dims[0] : 0));
  for (int axis = 0; axis < 2 && sizes.size() > 1; ++axis)
    sizes[axis] = static_cast<int32_t>(argument(call, 1)->dims[axis]);
  return sizes;
}

// An empty mask stands for none.
const uint8_t* mask(const XLA_FFI_CallFrame* call, int i) {
  const XLA_FFI_Buffer* buffer = argument(call, i);
  for (int64_t axis = 0; axis < buffer->rank; ++axis)
    if (buffer->dims[axis] == 0) return nullptr;
  return static_cast<const uint8_t*>(buffer->data);
}

XLA_FFI_Error* outcome(const XLA_FFI_CallFrame* call, int status) {
  return status == 0 ? nullptr : failure(call, memnets_message(status));
}

bool has_types(const XLA_FFI_CallFrame* call,
               std::initializer_list<XLA_FFI_DataType> types, int results) {
  if (call->args.size != static_cast<int64_t>(types.size()) ||
      call->rets.size != results)
    return false;
  int i = 0;
  for (XLA_FFI_DataType type : types)
    if (argument(call, i++)->dtype != type) return false;
  return true;
}

constexpr XLA_FFI_DataType S32 = XLA_FFI_DataType_S32, F32 = XLA_FFI_DataType_F32,
                           U8 = XLA_FFI_DataType_U8;

// (sizes, inputs, mask, state, weights) -> (features, last_state, history)
XLA_FFI_Error* run_forward(XLA_FFI_CallFrame* call, decltype(memnets_ntm_forward) forward) {
  if (answered_version(call)) return nullptr;
  if (!has_types(call, {S32, F32, U8, F32, F32}, 3))
    return failure(call, "memnets: wrong operands");
  const std::vector<int32_t> sizes = sizes_of(call);
  return outcome(call, forward(sizes.data(), sizes.size(), floats(call, 1), mask(call, 2),
                               floats(call, 3), floats(call, 4), result(call, 0),
                               result(call, 1), result(call, 2)));
}

// (sizes, inputs, mask, weights, history, d_features, d_last_state)
// -> (d_inputs, d_state, d_weights)
XLA_FFI_Error* run_backward(XLA_FFI_CallFrame* call,
                            decltype(memnets_ntm_backward) backward) {
  if (answered_version(call)) return nullptr;
  // The history may be declared as integers, whose bits nothing checks as numbers.
  if (!has_types(call, {S32, F32, U8, F32, F32, F32, F32}, 3) &&
      !has_types(call, {S32, F32, U8, F32, S32, F32, F32}, 3))
    return failure(call, "memnets: wrong operands");
  const std::vector<int32_t> sizes = sizes_of(call);
  return outcome(call, backward(sizes.data(), sizes.size(), floats(call, 1), mask(call, 2),
                                floats(call, 3), floats(call, 4), floats(call, 5),
                                floats(call, 6), result(call, 0), result(call, 1),
                                result(call, 2)));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

#define MEMNETS_XLA(kind)                                                 \
  XLA_FFI_Error* memnets_##kind##_forward_xla(XLA_FFI_CallFrame* call) {  \
    return run_forward(call, memnets_##kind##_forward);                   \
  }                                                                       \
  XLA_FFI_Error* memnets_##kind##_backward_xla(XLA_FFI_CallFrame* call) { \
    return run_backward(call, memnets_##kind##_backward);                 \
  }

MEMNETS_XLA(ntm)
MEMNETS_XLA(dnc)
MEMNETS_XLA(lrua)

// Makes all known to the XLA of which this is the interface; 0 if it took them.
int memnets_register_xla(const XLA_FFI_Api* api) {
  const auto accepts = [&](const char* name, XLA_FFI_Handler* handler) {
    const char platform[] = "Host";
    XLA_FFI_Handler_Register_Args args{};
    args.struct_size = XLA_FFI_Handler_Register_Args_STRUCT_SIZE;
    args.name = {name, std::strlen(name)};
    args.platform = {platform, std::strlen(platform)};
    args.bundle.execute = handler;
    XLA_FFI_Error* error = api->XLA_FFI_Handler_Register(&args);
    if (!error) return true;
    XLA_FFI_Error_Destroy_Args done{};
    done.struct_size = XLA_FFI_Error_Destroy_Args_STRUCT_SIZE;
    done.error = error;
    api->XLA_FFI_Error_Destroy(&done);
    return false;
  };
  if (api->api_version.major_version != XLA_FFI_API_MAJOR) return 1;
  const bool accepted = accepts("memnets_ntm_forward", memnets_ntm_forward_xla) &&
                        accepts("memnets_ntm_backward", memnets_ntm_backward_xla) &&
                        accepts("memnets_dnc_forward", memnets_dnc_forward_xla) &&
                        accepts("memnets_dnc_backward", memnets_dnc_backward_xla) &&
                        accepts("memnets_lrua_forward", memnets_lrua_forward_xla) &&
                        accepts("memnets_lrua_backward", memnets_lrua_backward_xla);
  return accepted ? 0 : 1;
}

}  // extern "C"
#pragma GCC visibility pop
