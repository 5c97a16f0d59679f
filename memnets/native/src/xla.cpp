// The kernel as custom calls of XLA. `c_api.h` is XLA's own, version 0.2, unchanged:
// JAX and TensorFlow of this time take what was compiled with it.
#include <cstdint>
#include <initializer_list>

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

}  // namespace

extern "C" {

// (sizes, inputs, mask, state, weights) -> (features, last_state, history)
XLA_FFI_Error* memnets_ntm_forward_xla(XLA_FFI_CallFrame* call) {
  if (answered_version(call)) return nullptr;
  if (!has_types(call, {S32, F32, U8, F32, F32}, 3))
    return failure(call, "memnets: wrong operands");
  const XLA_FFI_Buffer* sizes = argument(call, 0);
  return outcome(call, memnets_ntm_forward(
                           static_cast<const int32_t*>(sizes->data), sizes->dims[0],
                           floats(call, 1), mask(call, 2), floats(call, 3),
                           floats(call, 4), result(call, 0), result(call, 1),
                           result(call, 2)));
}

// (sizes, mask, weights, history, d_features, d_last_state)
// -> (d_inputs, d_state, d_weights)
XLA_FFI_Error* memnets_ntm_backward_xla(XLA_FFI_CallFrame* call) {
  if (answered_version(call)) return nullptr;
  if (!has_types(call, {S32, U8, F32, F32, F32, F32}, 3))
    return failure(call, "memnets: wrong operands");
  const XLA_FFI_Buffer* sizes = argument(call, 0);
  return outcome(call, memnets_ntm_backward(
                           static_cast<const int32_t*>(sizes->data), sizes->dims[0],
                           mask(call, 1), floats(call, 2), floats(call, 3),
                           floats(call, 4), floats(call, 5), result(call, 0),
                           result(call, 1), result(call, 2)));
}

}  // extern "C"
