// Scratch memory that is reused from call to call: the system needs more time for new
// pages than the computation in them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <new>

namespace memnets {

// Arrays that are not in use, by size, of all threads.
class Storage {
 public:
  float* take(size_t size) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = free_.lower_bound(size);
      if (found != free_.end() && found->first == size) {
        float* array = found->second;
        free_.erase(found);
        kept_ -= size;
        return array;
      }
    }
    return static_cast<float*>(::operator new(size * sizeof(float), ALIGNMENT));
  }

  void give_back(float* array, size_t size) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (kept_ + size <= LIMIT) {
        free_.emplace(size, array);
        kept_ += size;
        return;
      }
    }
    ::operator delete(array, ALIGNMENT);
  }

  static Storage& shared() {
    // Never destroyed: threads of the framework may outlive static objects.
    static Storage* storage = new Storage;
    return *storage;
  }

 private:
  static constexpr std::align_val_t ALIGNMENT{64};   // cache lines
  static constexpr size_t LIMIT = size_t{16} << 20;  // floats, 64 MB; heuristic

  std::mutex mutex_;
  std::multimap<size_t, float*> free_;
  size_t kept_ = 0;
};

// An array of floats from this pool, not initialised.
class Floats {
 public:
  explicit Floats(size_t size)
      : size_(std::max<size_t>(size, 1)), data_(Storage::shared().take(size_)) {}
  ~Floats() {
    if (data_) Storage::shared().give_back(data_, size_);
  }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  Floats(Floats&& other) noexcept : size_(other.size_), data_(other.data_) {
    other.data_ = nullptr;
  }
  float* get() const { return data_; }

 private:
  size_t size_;
  float* data_;
};

}  // namespace memnets
