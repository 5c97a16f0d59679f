// That memnets/native/src/xla_interface.h declares what XLA's own header does. Compiled
// with each copy of the header that is installed; compiling is the test.
#include <cstddef>

#include "xla/ffi/api/c_api.h"
#include "xla_interface.h"

namespace ours = memnets::xla;

#define SAME_PLACE(ours_struct, ours_member, xla_struct, xla_member)                    \
  static_assert(offsetof(ours::ours_struct, ours_member) ==                             \
                    offsetof(xla_struct, xla_member) &&                                 \
                sizeof(ours::ours_struct::ours_member) == sizeof(xla_struct::xla_member), \
                #ours_struct "." #ours_member)

#define SAME_HEAD(ours_struct, xla_struct)                \
  SAME_PLACE(ours_struct, size, xla_struct, struct_size); \
  SAME_PLACE(ours_struct, extensions, xla_struct, extension_start)

// Structures that we make, or that lie within others, have the same size as well.
#define SAME_SIZE(ours_struct, xla_struct) \
  static_assert(sizeof(ours::ours_struct) == sizeof(xla_struct), #ours_struct)

#define SAME_COUNTED_SIZE(ours_struct, last_member, xla_struct)                        \
  static_assert(MEMNETS_XLA_SIZE(ours::ours_struct, last_member) ==                    \
                    static_cast<std::size_t>(xla_struct##_STRUCT_SIZE),                \
                #ours_struct)

#define SAME_NUMBER(our_number, xla_number) \
  static_assert(static_cast<int>(our_number) == static_cast<int>(xla_number), #our_number)

SAME_NUMBER(ours::MAJOR_VERSION, XLA_FFI_API_MAJOR);
static_assert(ours::MINOR_VERSION <= XLA_FFI_API_MINOR, "MINOR_VERSION");
SAME_NUMBER(ours::METADATA_EXTENSION, XLA_FFI_Extension_Metadata);
SAME_NUMBER(ours::INVALID_ARGUMENT, XLA_FFI_Error_Code_INVALID_ARGUMENT);
SAME_NUMBER(ours::S32, XLA_FFI_DataType_S32);
SAME_NUMBER(ours::U8, XLA_FFI_DataType_U8);
SAME_NUMBER(ours::F32, XLA_FFI_DataType_F32);
static_assert(sizeof(ours::Type) == sizeof(XLA_FFI_DataType), "Type");

SAME_SIZE(Text, XLA_FFI_ByteSpan);
SAME_PLACE(Text, start, XLA_FFI_ByteSpan, ptr);
SAME_PLACE(Text, length, XLA_FFI_ByteSpan, len);

SAME_SIZE(Extension, XLA_FFI_Extension_Base);
SAME_PLACE(Extension, size, XLA_FFI_Extension_Base, struct_size);
SAME_PLACE(Extension, kind, XLA_FFI_Extension_Base, type);
SAME_PLACE(Extension, next, XLA_FFI_Extension_Base, next);

SAME_SIZE(Version, XLA_FFI_Api_Version);
SAME_HEAD(Version, XLA_FFI_Api_Version);
SAME_PLACE(Version, major_version, XLA_FFI_Api_Version, major_version);
SAME_PLACE(Version, minor_version, XLA_FFI_Api_Version, minor_version);

SAME_COUNTED_SIZE(ErrorCreation, code, XLA_FFI_Error_Create_Args);
SAME_HEAD(ErrorCreation, XLA_FFI_Error_Create_Args);
SAME_PLACE(ErrorCreation, message, XLA_FFI_Error_Create_Args, message);
SAME_PLACE(ErrorCreation, code, XLA_FFI_Error_Create_Args, errc);

SAME_COUNTED_SIZE(ErrorDestruction, error, XLA_FFI_Error_Destroy_Args);
SAME_HEAD(ErrorDestruction, XLA_FFI_Error_Destroy_Args);
SAME_PLACE(ErrorDestruction, error, XLA_FFI_Error_Destroy_Args, error);

SAME_SIZE(Stages, XLA_FFI_Handler_Bundle);
SAME_PLACE(Stages, instantiate, XLA_FFI_Handler_Bundle, instantiate);
SAME_PLACE(Stages, prepare, XLA_FFI_Handler_Bundle, prepare);
SAME_PLACE(Stages, initialize, XLA_FFI_Handler_Bundle, initialize);
SAME_PLACE(Stages, execute, XLA_FFI_Handler_Bundle, execute);

SAME_COUNTED_SIZE(Registration, traits, XLA_FFI_Handler_Register_Args);
SAME_HEAD(Registration, XLA_FFI_Handler_Register_Args);
SAME_PLACE(Registration, name, XLA_FFI_Handler_Register_Args, name);
SAME_PLACE(Registration, platform, XLA_FFI_Handler_Register_Args, platform);
SAME_PLACE(Registration, stages, XLA_FFI_Handler_Register_Args, bundle);
SAME_PLACE(Registration, traits, XLA_FFI_Handler_Register_Args, traits);

SAME_HEAD(Interface, XLA_FFI_Api);
SAME_PLACE(Interface, version, XLA_FFI_Api, api_version);
SAME_PLACE(Interface, internal, XLA_FFI_Api, internal_api);
SAME_PLACE(Interface, create_error, XLA_FFI_Api, XLA_FFI_Error_Create);
SAME_PLACE(Interface, get_message, XLA_FFI_Api, XLA_FFI_Error_GetMessage);
SAME_PLACE(Interface, destroy_error, XLA_FFI_Api, XLA_FFI_Error_Destroy);
SAME_PLACE(Interface, register_handler, XLA_FFI_Api, XLA_FFI_Handler_Register);

SAME_COUNTED_SIZE(Buffer, dimensions, XLA_FFI_Buffer);
SAME_HEAD(Buffer, XLA_FFI_Buffer);
SAME_PLACE(Buffer, type, XLA_FFI_Buffer, dtype);
SAME_PLACE(Buffer, data, XLA_FFI_Buffer, data);
SAME_PLACE(Buffer, rank, XLA_FFI_Buffer, rank);
SAME_PLACE(Buffer, dimensions, XLA_FFI_Buffer, dims);

SAME_SIZE(Operands, XLA_FFI_Args);
SAME_HEAD(Operands, XLA_FFI_Args);
SAME_PLACE(Operands, count, XLA_FFI_Args, size);
SAME_PLACE(Operands, kinds, XLA_FFI_Args, types);
SAME_PLACE(Operands, items, XLA_FFI_Args, args);
SAME_SIZE(Operands, XLA_FFI_Rets);
SAME_HEAD(Operands, XLA_FFI_Rets);
SAME_PLACE(Operands, count, XLA_FFI_Rets, size);
SAME_PLACE(Operands, kinds, XLA_FFI_Rets, types);
SAME_PLACE(Operands, items, XLA_FFI_Rets, rets);

SAME_HEAD(Call, XLA_FFI_CallFrame);
SAME_PLACE(Call, interface, XLA_FFI_CallFrame, api);
SAME_PLACE(Call, context, XLA_FFI_CallFrame, ctx);
SAME_PLACE(Call, stage, XLA_FFI_CallFrame, stage);
SAME_PLACE(Call, arguments, XLA_FFI_CallFrame, args);
SAME_PLACE(Call, results, XLA_FFI_CallFrame, rets);

SAME_PLACE(Metadata, size, XLA_FFI_Metadata, struct_size);
SAME_PLACE(Metadata, version, XLA_FFI_Metadata, api_version);
SAME_PLACE(MetadataExtension, base, XLA_FFI_Metadata_Extension, extension_base);
SAME_PLACE(MetadataExtension, metadata, XLA_FFI_Metadata_Extension, metadata);
