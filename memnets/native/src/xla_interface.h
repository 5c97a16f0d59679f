// The part of XLA's C interface of custom calls that xla.cpp uses, in our own words.
//
// The layout is XLA's: tests/memnets/test_xla_interface.py compares it with the headers
// that TensorFlow and JAX install. Members behind the last one that is used are left out.
// Each structure begins with its size, which grows when XLA adds members at its end:
// `mismatch` and `is_known` compare the sizes before anything else is read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memnets::xla {

// XLA changes the major version when it moves or removes a member. The minor version is
// the oldest that has all members below: XLA accepts it in each later one.
constexpr int MAJOR_VERSION = 0, MINOR_VERSION = 1;

constexpr int METADATA_EXTENSION = 1;
constexpr int INVALID_ARGUMENT = 3;           // code of an error
enum Type : int { S32 = 4, U8 = 6, F32 = 11 };  // of the values of a buffer

struct Error;  // only XLA looks into it
struct Call;
using Handler = Error*(Call*);

struct Text {
  const char* start;
  std::size_t length;
};

// What XLA appends to a structure, as a list.
struct Extension {
  std::size_t size;
  int kind;
  Extension* next;
};

struct Version {
  std::size_t size;
  Extension* extensions;
  int major_version;
  int minor_version;
};

struct ErrorCreation {
  std::size_t size;
  Extension* extensions;
  const char* message;
  int code;
};

struct ErrorDestruction {
  std::size_t size;
  Extension* extensions;
  Error* error;
};

// Functions for the stages of a call; only the last is required.
struct Stages {
  Handler* instantiate;
  Handler* prepare;
  Handler* initialize;
  Handler* execute;
};

struct Registration {
  std::size_t size;
  Extension* extensions;
  Text name;
  Text platform;
  Stages stages;
  std::uint32_t traits;
};

struct Interface {
  std::size_t size;
  Extension* extensions;
  Version version;
  const void* internal;
  Error* (*create_error)(ErrorCreation*);
  void* get_message;
  void (*destroy_error)(ErrorDestruction*);
  Error* (*register_handler)(Registration*);
};

struct Buffer {
  std::size_t size;
  Extension* extensions;
  Type type;
  void* data;
  std::int64_t rank;
  std::int64_t* dimensions;
};

// The arguments or the results of a call.
struct Operands {
  std::size_t size;
  Extension* extensions;
  std::int64_t count;
  int* kinds;
  void** items;
};

struct Call {
  std::size_t size;
  Extension* extensions;
  const Interface* interface;
  void* context;
  int stage;
  Operands arguments;
  Operands results;
};

// XLA calls a handler with this extension to ask for the version that it was written for.
struct Metadata {
  std::size_t size;
  Version version;
};

struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

// The size of a structure as XLA counts it: without the padding behind the last member.
#define MEMNETS_XLA_SIZE(structure, last_member) \
  (offsetof(structure, last_member) + sizeof(structure::last_member))

// What XLA hands over and is shorter than declared here, as one line; null if nothing.
inline const char* mismatch(const Interface* interface) {
  if (interface->size < MEMNETS_XLA_SIZE(Interface, register_handler))
    return "XLA's interface of custom calls is shorter than expected";
  if (interface->version.size < MEMNETS_XLA_SIZE(Version, minor_version))
    return "the version of XLA's interface of custom calls is shorter than expected";
  if (interface->version.major_version != MAJOR_VERSION)
    return "XLA's interface of custom calls has another major version";
  if (interface->version.minor_version < MINOR_VERSION)
    return "XLA's interface of custom calls is too old";
  return nullptr;
}

// Whether the operands and buffers of a call have the members that are declared here.
inline bool is_known(const Operands& operands) {
  if (operands.size < MEMNETS_XLA_SIZE(Operands, items)) return false;
  for (std::int64_t i = 0; i < operands.count; ++i)
    if (static_cast<Buffer*>(operands.items[i])->size <
        MEMNETS_XLA_SIZE(Buffer, dimensions))
      return false;
  return true;
}

}  // namespace memnets::xla
